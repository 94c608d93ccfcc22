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
    std::string name = entry.split('=').first.str();
    if (llvm::is_contained(names, name))
      continue;
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

/// The names in `a, b or c`.
static std::vector<std::string> namesIn(StringRef list) {
  std::vector<std::string> names;
  SmallVector<StringRef> words;
  llvm::SplitString(list, words, ", ");
  for (StringRef word : words)
    if (word != "or")
      names.push_back(word.str());
  return names;
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
       !isOneOf("target", options.target, namesIn(CpuTarget::known()))) ||
      (!options.arch.empty() &&
       !isOneOf("arch", options.arch, namesIn(GpuTarget::known()))))
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

/// The name of an option of the GPU that is given, or "".
static StringRef gpuOptionIn(const PipelineOptions &options) {
  auto given = [](const auto &option) {
    return option.hasValue() ? option.getArgStr() : "";
  };
  for (StringRef name :
       {given(options.schedule), given(options.library), given(options.overlap),
        given(options.tf32), given(options.ptxas)})
    if (!name.empty())
      return name;
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
  if (StringRef option = gpuOptionIn(options);
      !option.empty() && to == Stage::Cpu) {
    error = ("option " + option +
             " does nothing on the CPU; compile for a GPU (shard-run "
             "--device=cuda-local or nccl, shard-compile --gpu, "
             "--shardir-to-gpu) or leave it out")
                .str();
    return failure();
  }
  return checkOptions(options, error);
}
