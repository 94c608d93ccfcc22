//===- local-cc.cpp - A local program to a shared object ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A developer's driver for the CPU path alone: compiles a file of linalg on
// tensors, without meshes or collectives, to a shared object whose public
// functions have MLIR's C interface (_mlir_ciface_<name>, results as
// out-params). The benchmarks and the corpus check load what it writes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/ToObject/ToObject.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>

using namespace mlir;

namespace {
llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::Required,
                                 llvm::cl::desc("<program.mlir>"));
llvm::cl::opt<std::string> output("o", llvm::cl::Required,
                                  llvm::cl::desc("The shared object"));
llvm::cl::opt<std::string> targetName("target", llvm::cl::init("host"),
                                      llvm::cl::desc("The CPU"));
llvm::cl::opt<unsigned> optLevel("opt-level", llvm::cl::init(2),
                                 llvm::cl::desc("LLVM's level, 0 to 3"));
llvm::cl::opt<bool> serial("serial", llvm::cl::desc("No worker threads"));
llvm::cl::opt<bool> times("times", llvm::cl::desc("Print time per step"));

double milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
} // namespace

int main(int argc, char **argv) {
  registerPassManagerCLOptions();
  llvm::cl::ParseCommandLineOptions(argc, argv);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry);
  double start = milliseconds();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(input, &context);
  if (!module)
    return 1;
  module->walk([&](func::FuncOp function) {
    if (!function.isPublic() || function.isExternal())
      return;
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(&context));
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttr(i, "bufferization.writable",
                          BoolAttr::get(&context, false));
  });
  std::optional<shardir::CpuTarget> target =
      shardir::CpuTarget::get(targetName);
  if (!target) {
    llvm::errs() << "unknown target " << targetName << "\n";
    return 1;
  }
  shardir::CpuOptions options;
  options.target = *target;
  options.targetName = targetName;
  options.parallel = !serial;
  PassManager pm(&context);
  if (failed(applyPassManagerCLOptions(pm)))
    return 1;
  pm.addPass(createInlinerPass());
  shardir::buildScheduling(pm, shardir::SchedulingOptions::forCpu());
  shardir::buildCpuTensorPipeline(pm, options);
  shardir::buildBufferizeForTesting(pm);
  shardir::buildCpuContractions(pm, options);
  shardir::buildCpuLowering(pm, options);
  if (failed(pm.run(*module)))
    return 1;
  if (times)
    llvm::errs() << "mlir: " << int(milliseconds() - start) << " ms\n";

  shardir::ObjectOptions object;
  object.target = *target;
  object.optLevel = optLevel;
  std::string path = output + ".o";
  if (failed(shardir::emitObject(*module, object, path)))
    return 1;
  LogicalResult linked =
      shardir::linkSharedObject(module->getLoc(), {path}, output);
  llvm::sys::fs::remove(path);
  if (times)
    llvm::errs() << "total: " << int(milliseconds() - start) << " ms\n";
  return failed(linked);
}
