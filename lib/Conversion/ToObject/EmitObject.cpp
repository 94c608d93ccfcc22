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
// position-independent object file for the target. Nothing here ends the
// process: whatever LLVM refuses becomes a diagnostic.
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
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <mutex>

using namespace shardir;
using mlir::failure;
using mlir::success;

namespace {
/// Prints what the time since the last call went to.
class StepTimer {
public:
  explicit StepTimer(bool enabled) : enabled(enabled), last(Clock::now()) {}
  void done(const char *step) {
    Clock::time_point now = Clock::now();
    if (enabled)
      llvm::errs() << "to-object: " << step << ": "
                   << std::chrono::duration_cast<std::chrono::milliseconds>(
                          now - last)
                          .count()
                   << " ms\n";
    last = now;
  }

private:
  using Clock = std::chrono::steady_clock;
  bool enabled;
  Clock::time_point last;
};

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
} // namespace

mlir::LogicalResult shardir::emitObject(mlir::ModuleOp module,
                                        const ObjectOptions &options,
                                        llvm::StringRef path) {
  initializeTargets();
  embedImages(module);
  StepTimer timer(options.printTimes);
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, context, "shardir");
  if (!llvmModule)
    return module.emitError("cannot translate the program to LLVM IR");
  timer.done("translate");

  const CpuTarget &target = options.target;
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return module.emitError("no code generator for ")
           << target.triple << ": " << error;
  llvm::TargetOptions targetOptions;
  // mul and add may become fma, as in every library this code replaces.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, target.cpu, target.features, targetOptions, llvm::Reloc::PIC_,
      std::nullopt,
      options.optLevel == 0 ? llvm::CodeGenOptLevel::None
                            : llvm::CodeGenOptLevel::Default));
  if (!machine)
    return module.emitError("cannot create a code generator for ")
           << target.triple << ", " << target.cpu;
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setTargetTriple(triple);
  // Without these, functions would be compiled for the baseline in passes that
  // ask the function and not the machine.
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    if (target.vectorBits == 512)
      function.addFnAttr("prefer-vector-width", "512");
  }

  optimize(*llvmModule, *machine, options.optLevel);
  defineBf16Rounding(*llvmModule);
  timer.done("optimise");
  if (!options.llvmIRPath.empty()) {
    std::error_code code;
    llvm::raw_fd_ostream stream(options.llvmIRPath, code);
    if (code)
      return module.emitError("cannot write ")
             << options.llvmIRPath << ": " << code.message();
    llvmModule->print(stream, nullptr);
  }

  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return module.emitError("cannot write ") << path << ": " << code.message();
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, file.os(), nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return module.emitError("cannot emit object files for ") << target.triple;
  codegen.run(*llvmModule);
  file.os().flush();
  if (file.os().has_error()) {
    std::string message = file.os().error().message();
    file.os().clear_error();
    return module.emitError("cannot write ") << path << ": " << message;
  }
  file.keep();
  timer.done("generate code");
  return success();
}
