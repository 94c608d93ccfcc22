//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program to a shared object that the runtime loads. Requires text
// or bytecode of any stage; guarantees exit status 0 and the file, 2 for wrong
// usage (flags, option values, names that the program lacks, a file that cannot
// be read or written), or 3 for a program that does not parse, verify or
// compile, with diagnostics on standard error.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Conversion/ToObject/ToObject.h"
#include "ShardIR/Import/Readers.h"
#include "ShardIR/InitAll.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Pipelines/Plugins.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/Import/Passes.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace shardir;

namespace {

constexpr int kDone = 0, kUsage = 2, kBadProgram = 3;

constexpr llvm::StringLiteral kHelp =
    "usage: shard-compile INPUT.mlir -o OUTPUT.so [flags]\n"
    "  INPUT may be - for standard input\n"
    "  --function=NAME     compile this entry alone; all public functions "
    "unless given\n"
    "  --mesh=dp=2,tp=4    sizes of symbolic mesh axes\n"
    "  --options=\"...\"     options of the pipeline, as for "
    "shard-opt --shardir-to-cpu\n"
    "  --gpu               compile for a GPU, option arch of --options, and "
    "not "
    "for the CPU\n"
    "  --verify            also compile the unsharded program, for the CPU\n"
    "  --report=r.json     write the compiler's report, - to standard output\n"
    "  --print-schedules   list the names of the GPU's schedules, and do "
    "nothing else\n"
    "  --load-dialect-plugin=FILE, --load-pass-plugin=FILE\n"
    "                      dialects and passes of another compiler; --options "
    "names\n"
    "                      the passes to run: after-local, after-bufferized\n";

struct Flags {
  std::string input, output, function, mesh, options, report;
  Plugins plugins;
  bool verify = false, gpu = false, help = false, printSchedules = false;
};

int usage(const llvm::Twine &message) {
  llvm::errs() << "shard-compile: error: " << message << '\n';
  return kUsage;
}

/// Not llvm::cl: its failures exit with 1, and every library adds flags.
std::optional<std::string> parseFlags(int argc, char **argv, Flags &flags) {
  const std::pair<StringRef, std::string *> values[] = {
      {"--function", &flags.function},
      {"--mesh", &flags.mesh},
      {"--options", &flags.options},
      {"--report", &flags.report},
      {"-o", &flags.output}};
  for (int i = 1; i < argc; ++i) {
    StringRef flag = argv[i];
    flags.help = flag == "--help" || flag == "-h";
    flags.printSchedules = flag == "--print-schedules";
    if (flags.help || flags.printSchedules)
      return std::nullopt;
    if (flags.plugins.take(flag))
      continue;
    if (flag == "--verify" || flag == "--gpu") {
      (flag == "--gpu" ? flags.gpu : flags.verify) = true;
      continue;
    }
    bool known = false;
    for (auto [name, value] : values) {
      StringRef rest = flag;
      if (!rest.consume_front(name))
        continue;
      if (rest.empty()) {
        if (++i == argc)
          return ("flag " + name + " needs a value").str();
        *value = argv[i];
      } else if (rest.consume_front("=")) {
        *value = rest.str();
      } else {
        continue;
      }
      known = true;
      break;
    }
    if (known)
      continue;
    if (flag.size() > 1 && flag.starts_with("-"))
      return "unknown flag '" + flag.str() + "'" +
             didYouMeanFlag(flag.split('=').first.str(),
                            {"--function", "--mesh", "--options", "--verify",
                             "--gpu", "--help", "--report", "--print-schedules",
                             "--load-dialect-plugin", "--load-pass-plugin"});
    if (!flags.input.empty())
      return ("more than one input: '" + flags.input + "' and '" + flag + "'")
          .str();
    flags.input = flag.str();
  }
  if (flags.input.empty())
    return "no input; see --help";
  if (flags.output.empty())
    return "no output: give -o OUTPUT.so";
  return std::nullopt;
}

/// A hash of the program's text and of how it is compiled.
std::string hashOf(StringRef text, const Flags &flags) {
  llvm::SHA256 hash;
  for (StringRef part :
       {text, StringRef(flags.function), StringRef(flags.mesh),
        StringRef(flags.options), StringRef(flags.gpu ? "gpu" : "")}) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// Leaves `name` as the one public function.
LogicalResult selectFunction(ModuleOp module, StringRef name,
                             std::string &error) {
  std::vector<std::string> names;
  bool found = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    names.push_back(function.getSymName().str());
    found |= function.getSymName() == name;
  }
  if (!found) {
    error = ("the program has no public function '" + name + "'; it has: " +
             (names.empty() ? "none" : llvm::join(names, ", ")) +
             didYouMean(name.str(), names))
                .str();
    return failure();
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && function.getSymName() != name)
      function.setPrivate();
  return success();
}

/// Files that are removed at the end.
class TemporaryFiles {
public:
  ~TemporaryFiles() {
    for (const std::string &path : paths)
      llvm::sys::fs::remove(path);
  }
  std::optional<std::string> create(StringRef suffix) {
    llvm::SmallString<128> path;
    if (llvm::sys::fs::createTemporaryFile("shard-compile", suffix, path))
      return std::nullopt;
    paths.push_back(path.str().str());
    return paths.back();
  }

private:
  std::vector<std::string> paths;
};

/// The report in the metadata of a lowered program; an empty object where it
/// was compiled from a stage that has none.
llvm::json::Value reportOf(ModuleOp module) {
  auto metadata =
      module.lookupSymbol<LLVM::GlobalOp>("shardir_program_metadata");
  auto text = metadata ? dyn_cast_or_null<StringAttr>(metadata.getValueOrNull())
                       : StringAttr();
  if (!text)
    return llvm::json::Object{};
  // The compiler has just written it.
  llvm::json::Value root =
      llvm::cantFail(llvm::json::parse(text.getValue().drop_back()));
  llvm::json::Value *report = root.getAsObject()->get("report");
  return report ? std::move(*report) : llvm::json::Object{};
}

LogicalResult compile(ModuleOp module,
                      llvm::function_ref<void(PassManager &)> build,
                      const PipelineOptions &options, StringRef object) {
  PassManager pm(module->getContext());
  build(pm);
  // After each of a hundred passes, as shard-opt does it, this would be a
  // fifth of the time of a large program. Passes of others are not tested here.
  pm.enableVerifier(!options.afterLocal.empty() ||
                    !options.afterBufferized.empty());
  if (failed(pm.run(module)) || failed(mlir::verify(module)))
    return failure();
  ObjectOptions objectOptions;
  if (auto target = CpuTarget::get(options.target))
    objectOptions.target = *target;
  return emitObject(module, objectOptions, object);
}

int compileFile(const Flags &flags) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  shardir::registerAllDialects(registry);
  shardir::registerReaderDialects(registry);
  mlir::registerAllPasses();
  shardir::registerAllPasses();
  PipelineOptions options;
  std::string error;
  if (failed(flags.plugins.load(registry, error)))
    return usage(error);
  Stage target = flags.gpu ? Stage::Gpu : Stage::Cpu;
  if (failed(parseOptions(flags.options, target, options, error)))
    return usage("bad --options: " + error);
  if (!flags.function.empty())
    options.function = flags.function;
  if (!flags.mesh.empty())
    options.mesh =
        options.mesh.empty() ? flags.mesh : options.mesh + "," + flags.mesh;

  auto input = llvm::MemoryBuffer::getFileOrSTDIN(flags.input);
  if (!input)
    return usage("cannot read '" +
                 (flags.input == "-" ? "<stdin>" : flags.input) +
                 "': " + input.getError().message());
  std::string hash = hashOf((*input)->getBuffer(), flags);
  // Now, so that nothing is compiled for nothing.
  bool existed = llvm::sys::fs::exists(flags.output);
  std::error_code code;
  llvm::raw_fd_ostream probe(flags.output, code, llvm::sys::fs::CD_OpenAlways,
                             llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
  if (code)
    return usage("cannot write '" + flags.output + "': " + code.message());
  probe.close();
  bool written = false;
  llvm::scope_exit removeOutput([&] {
    if (!existed && !written)
      llvm::sys::fs::remove(flags.output);
  });

  MLIRContext context(registry);
  // Diagnostics show the source; the op in generic form would hide it.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*input), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return kBadProgram;
  auto isEntry = [](func::FuncOp function) {
    return function.isPublic() && !function.isExternal();
  };
  auto isLowered = [](LLVM::LLVMFuncOp function) {
    return function.getSymName().starts_with("shardir_entry_");
  };
  if (llvm::none_of(module->getOps<func::FuncOp>(), isEntry) &&
      llvm::none_of(module->getOps<LLVM::LLVMFuncOp>(), isLowered)) {
    module->emitError("the program has no public function to compile");
    return kBadProgram;
  }
  if (!options.function.empty() &&
      failed(selectFunction(*module, options.function, error)))
    return usage(error);
  {
    PassManager pm(&context);
    pm.addPass(createImportAnnotations());
    if (failed(pm.run(*module)))
      return kBadProgram;
  }
  {
    PassManager pm(&context);
    pm.addPass(createSpecializeMesh({options.mesh}));
    if (failed(pm.run(*module)))
      return kUsage;
  }
  OwningOpRef<ModuleOp> unsharded;
  if (flags.verify) {
    unsharded = module->clone();
    PassManager pm(&context);
    pm.addPass(createUnshardManual());
    pm.addPass(createStripAnnotations());
    if (failed(pm.run(*unsharded)))
      return kUsage;
  }

  TemporaryFiles files;
  std::vector<std::string> objects;
  auto addObject = [&]() -> StringRef {
    auto path = files.create("o");
    objects.push_back(path.value_or(""));
    return objects.back();
  };
  auto build = [&](PassManager &pm) {
    LoweringOptions lowering;
    lowering.hash = hash;
    lowering.unsharded = flags.verify;
    buildPipeline(pm, target, options, lowering);
  };
  if (failed(compile(*module, build, options, addObject())))
    return kBadProgram;
  if (!flags.report.empty()) {
    llvm::raw_fd_ostream stream(flags.report, code);
    if (code)
      return usage("cannot write '" + flags.report + "': " + code.message());
    stream << llvm::formatv("{0:2}", reportOf(*module)) << '\n';
  }
  if (unsharded) {
    auto buildUnsharded = [&](PassManager &pm) {
      LoweringOptions lowering;
      lowering.entryPrefix = "shardir_unsharded_";
      lowering.metadata = false;
      shardir::buildUnsharded(pm, options, lowering);
    };
    if (failed(compile(*unsharded, buildUnsharded, options, addObject())))
      return kBadProgram;
  }
  auto library = files.create("so");
  if (!library)
    return usage("cannot make temporary files");
  if (failed(linkSharedObject(module->getLoc(), objects, *library)))
    return kBadProgram;
  if (std::error_code failed = llvm::sys::fs::copy_file(*library, flags.output))
    return usage("cannot write '" + flags.output + "': " + failed.message());
  written = true;
  return kDone;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  if (auto error = parseFlags(argc, argv, flags))
    return usage(*error);
  if (flags.help) {
    llvm::outs() << kHelp;
    return kDone;
  }
  if (flags.printSchedules) {
    llvm::outs() << llvm::join(gpuScheduleNames(), "\n") << '\n';
    return kDone;
  }
  return compileFile(flags);
}
