//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of the pipelines' options that need no program. What an option says
// about a program (names of axes and functions) is checked against it by the
// pass that uses the option.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"
#include "ShardIR/Conversion/LinalgToGPU/GpuTarget.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Placement/NearestName.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

/// Reads `16000000000`, `16G` or `16Gi`.
static std::optional<int64_t> parseBytes(StringRef text) {
  bool isBinary = text.consume_back("i");
  size_t power =
      text.empty() ? StringRef::npos : StringRef("KMGT").find(text.back());
  int64_t unit = 1, count = 0, bytes = 0;
  if (power != StringRef::npos) {
    text = text.drop_back();
    for (size_t i = 0; i <= power; ++i)
      unit *= isBinary ? 1024 : 1000;
  } else if (isBinary) {
    return std::nullopt;
  }
  if (text.getAsInteger(10, count) || count < 0 ||
      llvm::MulOverflow(count, unit, bytes))
    return std::nullopt;
  return bytes;
}

int64_t PipelineOptions::getMemoryLimit() const {
  if (!memoryLimit.empty())
    return parseBytes(memoryLimit.getValue()).value_or(0);
  std::string error;
  auto known = machine.empty() ? std::nullopt : readMachine(machine, error);
  return known ? known->memory : 0;
}

int64_t PipelineOptions::getCombineThreshold() const {
  return combineThreshold.empty()
             ? -1
             : parseBytes(combineThreshold.getValue()).value_or(0);
}

std::string PipelineOptions::getMachine() const {
  return machine.empty() ? getMachineOfArch(arch).str() : machine.getValue();
}

std::vector<std::string> PipelineOptions::getNames() const {
  std::vector<std::string> names;
  for (const auto &[name, option] : OptionsMap)
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}

/// Says which option of a text that does not parse is unknown, or else the
/// text.
static std::string explainParseError(StringRef text,
                                     const PipelineOptions &options) {
  std::vector<std::string> names = options.getNames();
  SmallVector<StringRef> entries;
  llvm::SplitString(text, entries);
  for (StringRef entry : entries) {
    auto [known, value] = entry.split('=');
    std::string name = known.str();
    if (llvm::is_contained(names, name)) {
      PipelineOptions one;
      if (value.contains('{') ||
          succeeded(one.parseFromString(entry, llvm::nulls())))
        continue;
      // The parser refuses no value but those of bool.
      return "option " + name +
             (entry.contains('=')
                  ? " must be true or false, found '" + value.str() + "'"
                  : " needs a value, as in " + name + "=VALUE");
    }
    std::string nearest = didYouMean(name, names);
    return "unknown option '" + name + "'" +
           (nearest.empty() ? "; the options are " + llvm::join(names, ", ")
                            : nearest);
  }
  return "cannot read '" + text.str() + "'";
}

/// The error in a list of the user's passes, in the words of MLIR's parser.
static std::string explainPasses(StringRef passes) {
  std::string said;
  llvm::raw_string_ostream errors(said);
  OpPassManager parsed(ModuleOp::getOperationName());
  if (succeeded(addOwnPasses(parsed, passes, errors)))
    return "";
  auto [before, after] = StringRef(said).split("error: ");
  StringRef why = (after.empty() ? before : after).split('\n').first;
  std::string text = ("cannot be '" + passes + "': " + why).str();
  if (why.contains("does not refer to a registered pass"))
    text += "; load the plugin that has the pass by --load-pass-plugin";
  return text;
}

static LogicalResult checkOptions(const PipelineOptions &options,
                                  std::string &error) {
  auto isOneOf = [&](StringRef name, const std::string &value,
                     const std::vector<std::string> &known) {
    bool found = llvm::is_contained(known, value);
    if (!found)
      error = ("option " + name + " " + mustBeOneOf(known, value)).str();
    return found;
  };
  if (!isOneOf("cost", options.cost, {"time", "bytes"}) ||
      !isOneOf("conflicts", options.conflicts,
               {"search", "greedy", "shardy"}) ||
      !isOneOf("layout", options.layout, {"row-major", "auto", "contiguous"}) ||
      !isOneOf("reduce", options.reduce, {"exact", "result-type"}) ||
      !isOneOf("pipeline", options.pipeline, {"sequential", "1f1b"}) ||
      !isOneOf("rings", options.rings, {"auto", "always", "never"}) ||
      !llvm::all_of(options.library,
                    [&](const std::string &library) {
                      return isOneOf("library", library, gpuLibraryNames());
                    }) ||
      (!options.target.empty() &&
       !isOneOf("target", options.target, CpuTarget::known())) ||
      (!options.arch.empty() &&
       !isOneOf("arch", options.arch, GpuTarget::known())))
    return failure();
  // A build without GPUs knows no schedules.
  std::vector<std::string> schedules = gpuScheduleNames();
  if (!options.schedule.empty() && !schedules.empty() &&
      !isOneOf("schedule", options.schedule, schedules))
    return failure();
  if (!options.machine.empty() && !readMachine(options.machine, error)) {
    error = "option " + error;
    return failure();
  }
  for (const auto *bytes : {&options.memoryLimit, &options.combineThreshold})
    if ((bytes->hasValue() || !bytes->empty()) &&
        !parseBytes(bytes->getValue())) {
      error = ("option " + bytes->getArgStr() +
               " must be a number of bytes, with K, M, G, T, Ki, Mi, Gi or Ti "
               "after it or not, found '" +
               bytes->getValue() + "'")
                  .str();
      return failure();
    }
  for (const auto *passes : {&options.afterLocal, &options.afterBufferized})
    if (std::string why = explainPasses(passes->getValue()); !why.empty()) {
      error = ("option " + passes->getArgStr() + " " + why).str();
      return failure();
    }
  return success();
}

/// The error for an option that is given and does nothing on the way to stage
/// `to`; empty if there is none.
static std::string findIdleOption(const PipelineOptions &options, Stage to) {
  struct Use {
    StringRef name; ///< empty if the option is not given
    Stage first;    ///< the first stage that the option changes
    bool onGpu;     ///< whether it changes programs for a GPU alone
  };
  auto use = [](const auto &option, Stage first, bool onGpu = false) {
    return Use{option.hasValue() ? option.getArgStr() : "", first, onGpu};
  };
  // Stages before *cpu* are those of a GPU where an architecture is named.
  bool forCpu = to == Stage::Cpu || (to < Stage::Cpu && options.arch.empty());
  for (auto [name, first, onGpu] :
       {use(options.schedule, Stage::Gpu, /*onGpu=*/true),
        use(options.library, Stage::Gpu, /*onGpu=*/true),
        use(options.overlap, Stage::Scheduled),
        use(options.tf32, Stage::Gpu, /*onGpu=*/true),
        use(options.ptxas, Stage::Gpu, /*onGpu=*/true),
        use(options.strict, Stage::Redistributed),
        use(options.shareGathers, Stage::Redistributed),
        use(options.afterLocal, Stage::Local),
        use(options.layout, Stage::Scheduled),
        use(options.rings, Stage::Scheduled),
        use(options.pipeline, Stage::Scheduled),
        use(options.combineThreshold, Stage::Scheduled),
        use(options.explain, Stage::Scheduled),
        use(options.afterBufferized, Stage::Bufferized),
        use(options.target, Stage::Bufferized), use(options.plan, Stage::Cpu),
        use(options.kernelTimes, Stage::Cpu)}) {
    if (name.empty())
      continue;
    if (onGpu && forCpu && to >= std::min(first, Stage::Cpu))
      return ("option " + name +
              " does nothing on the CPU; compile for a GPU (shard-run "
              "--device=cuda-local or nccl, shard-compile --gpu, "
              "--shardir-to-gpu) or leave it out")
          .str();
    if (to < first)
      return ("option " + name + " does nothing before the " +
              stageName(first) + " stage; go there (--shardir-to-" +
              stageName(first) + ") or leave it out")
          .str();
  }
  return "";
}

LogicalResult shardir::parseOptions(StringRef text, Stage to,
                                    PipelineOptions &options,
                                    std::string &error) {
  // The parser knows neither near names nor all faults; ours is the message.
  if (failed(options.parseFromString(text, llvm::nulls()))) {
    error = explainParseError(text, options);
    return failure();
  }
  if (failed(checkOptions(options, error)))
    return failure();
  error = findIdleOption(options, to);
  return success(error.empty());
}
