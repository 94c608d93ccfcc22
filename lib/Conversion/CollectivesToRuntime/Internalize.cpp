//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: lowered. Requires LLVM dialect; guarantees that a program's object
// file shows its entries and metadata alone, so that two of them link to one
// program and none can replace a symbol of the process that loads it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardir {
#define GEN_PASS_DEF_INTERNALIZE
#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h.inc"
} // namespace shardir

using namespace mlir;

static bool isExported(StringRef name) {
  return name.starts_with("shardir_entry_") ||
         name.starts_with("shardir_unsharded_") ||
         name.starts_with("shardir_program_");
}

namespace {

struct InternalizePass : shardir::impl::InternalizeBase<InternalizePass> {
  /// A conversion cast that is left marks a type for which the target has no
  /// arithmetic: it can be stored, but not computed with.
  LogicalResult checkTypes() {
    WalkResult result =
        getOperation().walk([](UnrealizedConversionCastOp cast) {
          SmallVector<Type> types(cast->getOperandTypes());
          llvm::append_range(types, cast->getResultTypes());
          auto *foreign = llvm::find_if_not(types, LLVM::isCompatibleType);
          InFlightDiagnostic diag = cast.emitError()
                                    << "no code can be generated for this";
          if (foreign != types.end())
            diag << ": the target has no arithmetic on " << *foreign
                 << "; compute in a wider type";
          return WalkResult::interrupt();
        });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(checkTypes()))
      return signalPassFailure();
    for (Operation &op : *getOperation().getBody()) {
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
        if (!function.isExternal() && !isExported(function.getSymName()))
          function.setLinkage(LLVM::Linkage::Internal);
      } else if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
        bool defined = global.getValueAttr() || global.getInitializerBlock();
        if (defined && !isExported(global.getSymName()))
          global.setLinkage(LLVM::Linkage::Internal);
      }
    }
  }
};

} // namespace
