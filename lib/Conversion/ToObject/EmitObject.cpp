//===- EmitObject.cpp - LLVM dialect to an object file --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: lowered. Requires a module in LLVM dialect, with gpu.binary ops where
// it is for a GPU, whose images become constants; guarantees a
// position-independent object file for the target. Large programs are split,
// and their parts are compiled at the same time. Nothing here ends the process:
// whatever LLVM refuses becomes a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/ToObject/ToObject.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/SplitModule.h"
#include <mutex>

using namespace shardir;
using mlir::failure;
using mlir::success;

namespace {
/// Functions that one part of a program has; the number of parts depends on the
/// program alone, so that equal programs give equal code on every machine.
constexpr size_t kFunctionsPerPart = 8;
constexpr size_t kMostParts = 32;

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              unsigned level) {
  llvm::PipelineTuningOptions tuning;
  // Code worth vectorizing is vectorized already; the rest is small, and these
  // two passes take most of the time.
  tuning.LoopVectorization = level > 2;
  tuning.SLPVectorization = level > 2;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::ModulePassManager passes =
      level == 0
          ? builder.buildO0DefaultPipeline(levels[0])
          : builder.buildPerModuleDefaultPipeline(levels[std::min(level, 3u)]);
  passes.run(module, modules);
}

/// Defines `bfloat __truncsfbf2(float)`, which code for CPUs without bf16 may
/// call, and which the compiler libraries of many systems lack. Rounds to the
/// nearest, ties to even.
void defineBf16Rounding(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getBFloatTy(context),
                                       {builder.getFloatTy()}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::LinkOnceODRLinkage, "__truncsfbf2", module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Value *value = function->getArg(0);
  llvm::Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
  llvm::Value *high = builder.CreateLShr(bits, 16);
  llvm::Value *odd = builder.CreateAnd(high, 1);
  llvm::Value *rounded = builder.CreateLShr(
      builder.CreateAdd(bits, builder.CreateAdd(odd, builder.getInt32(0x7fff))),
      16);
  // A NaN stays one, whatever of its fraction is cut off.
  llvm::Value *result =
      builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                           builder.CreateOr(high, 0x40), rounded);
  result = builder.CreateTrunc(result, builder.getInt16Ty());
  builder.CreateRet(
      builder.CreateBitCast(result, llvm::Type::getBFloatTy(context)));
}

/// Kernels become constants that the runtime finds by name.
void embedImages(mlir::ModuleOp module) {
  using namespace mlir;
  int image = 0;
  for (auto binary : llvm::to_vector(module.getOps<gpu::BinaryOp>())) {
    // The last is the one nearest to the machine.
    auto object = cast<gpu::ObjectAttr>(binary.getObjects().getValue().back());
    std::string bytes = object.getObject().getValue().str();
    if (object.getFormat() == gpu::CompilationTarget::Assembly)
      bytes.push_back('\0');
    OpBuilder builder(binary);
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(builder, binary.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::External,
                           "shardir_program_gpu_" + std::to_string(image++),
                           builder.getStringAttr(bytes), /*alignment=*/64);
    binary.erase();
  }
}

/// Programs with AMX's tiles have a constant by which the runtime knows that it
/// must ask the system for them. Returns true for such a program.
bool markTiles(llvm::Module &module) {
  if (!module.getFunction("llvm.x86.tileloadd64.internal"))
    return false;
  auto *type = llvm::Type::getInt8Ty(module.getContext());
  new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::WeakODRLinkage,
      llvm::ConstantInt::get(type, 1), "shardir_program_amx_tiles");
  return true;
}

/// A file of object code that is removed at the end.
class PartFile {
public:
  PartFile() {
    llvm::SmallString<128> created;
    code = llvm::sys::fs::createTemporaryFile("shardir-part", "o", created);
    name = created.str().str();
  }
  PartFile(const PartFile &) = delete;
  ~PartFile() { llvm::sys::fs::remove(name); }
  const std::string &path() const { return name; }
  const std::error_code &error() const { return code; }

private:
  std::string name;
  std::error_code code;
};

/// Optimises `module` for `target` and writes its code to `path`; returns the
/// error, or "". Parts of one program run this at the same time, each with a
/// module of a context of its own.
std::string generateCode(llvm::Module &module, const CpuTarget &target,
                         unsigned optLevel, llvm::StringRef path) {
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return "no code generator for " + target.triple + ": " + error;
  llvm::TargetOptions options;
  // mul and add may become fma, as in every library this code replaces.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  // LLVM's code generation at level 0 keeps no tile from one block of code to
  // another.
  bool tiles = markTiles(module);
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      std::nullopt,
      optLevel > 0 ? llvm::CodeGenOptLevel::Default
      : tiles      ? llvm::CodeGenOptLevel::Less
                   : llvm::CodeGenOptLevel::None));
  if (!machine)
    return "cannot create a code generator for " + target.triple + ", " +
           target.cpu;
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(triple);
  // Without these, functions would be compiled for the baseline in passes that
  // ask the function and not the machine.
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    if (target.vectorBits == 512)
      function.addFnAttr("prefer-vector-width", "512");
    if (unsigned scale = target.sveBits / 128)
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
          module.getContext(), scale, scale));
  }
  optimize(module, *machine, optLevel);
  defineBf16Rounding(module);

  auto cannotWrite = [&](const std::error_code &code) {
    return "cannot write " + path.str() + ": " + code.message();
  };
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return cannotWrite(code);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, file.os(), nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return "cannot emit object files for " + target.triple;
  codegen.run(module);
  file.os().flush();
  if (file.os().has_error()) {
    code = file.os().error();
    file.os().clear_error();
    return cannotWrite(code);
  }
  file.keep();
  return "";
}

/// Gives internal symbols, which are visible between parts, names that no other
/// program in the same shared object has: that of an entry is part of them.
void makeLocalNamesUnique(llvm::Module &module) {
  std::string suffix;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      suffix = "." + function.getName().str();
      break;
    }
  for (llvm::GlobalValue &value : module.global_values())
    if (value.hasLocalLinkage())
      value.setName(value.getName() + suffix);
}

/// Splits `module` into `count` parts, generates the code of each on a thread
/// of its own, and joins it in one object file.
mlir::LogicalResult emitParts(mlir::Location loc, llvm::Module &module,
                              size_t count, const ObjectOptions &options,
                              llvm::StringRef path) {
  makeLocalNamesUnique(module);
  std::vector<PartFile> files(count);
  std::vector<std::string> errors(count);
  {
    llvm::DefaultThreadPool threads;
    size_t next = 0;
    llvm::SplitModule(
        module, count,
        [&](std::unique_ptr<llvm::Module> part) {
          // Each thread needs a context of its own, so that parts travel as
          // bitcode.
          auto bitcode = std::make_shared<llvm::SmallString<0>>();
          llvm::raw_svector_ostream stream(*bitcode);
          llvm::WriteBitcodeToFile(*part, stream);
          size_t i = next++;
          threads.async([&options, &files, &errors, bitcode, i] {
            if (files[i].error()) {
              errors[i] = "cannot create a temporary file: " +
                          files[i].error().message();
              return;
            }
            llvm::LLVMContext context;
            auto read = llvm::parseBitcodeFile(
                llvm::MemoryBufferRef(*bitcode, "part"), context);
            errors[i] = read ? generateCode(**read, options.target,
                                            options.optLevel, files[i].path())
                             : llvm::toString(read.takeError());
          });
        },
        /*PreserveLocals=*/false, /*RoundRobin=*/true);
    threads.wait();
  }
  std::vector<std::string> objects;
  for (size_t i = 0; i < count; ++i) {
    if (!errors[i].empty())
      return mlir::emitError(loc, errors[i]);
    objects.push_back(files[i].path());
  }
  return joinObjects(loc, objects, path);
}
} // namespace

mlir::LogicalResult shardir::emitObject(mlir::ModuleOp module,
                                        const ObjectOptions &options,
                                        llvm::StringRef path) {
  initializeTargets();
  embedImages(module);
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, context, "shardir");
  if (!llvmModule)
    return module.emitError("cannot translate the program to LLVM IR");
  size_t functions = llvm::count_if(*llvmModule, [](const auto &function) {
    return !function.isDeclaration();
  });
  size_t parts = std::min(functions / kFunctionsPerPart, kMostParts);
  if (parts > 1)
    return emitParts(module.getLoc(), *llvmModule, parts, options, path);
  std::string error =
      generateCode(*llvmModule, options.target, options.optLevel, path);
  if (!error.empty())
    return module.emitError(error);
  return success();
}
