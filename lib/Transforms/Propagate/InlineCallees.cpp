//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, and it stays that. Requires that no call is recursive.
// Guarantees what upstream's inliner and symbol-dce guarantee, whose work this
// is. A module without calls and without symbols that may go, which most are,
// is looked at once: the two passes and the verifier's runs behind them would
// take as long as propagation.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_INLINECALLEES
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {

struct InlineCalleesPass : shardir::impl::InlineCalleesBase<InlineCalleesPass> {
  void runOnOperation() override {
    WalkResult found = getOperation().walk([](Operation *op) {
      if (isa<CallOpInterface>(op))
        return WalkResult::interrupt();
      // Private symbols of the module are gone if nothing names them.
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      return symbol && symbol.isPrivate() && symbol.canDiscardOnUseEmpty()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return markAllAnalysesPreserved();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    passes.addPass(createSymbolDCEPass());
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
