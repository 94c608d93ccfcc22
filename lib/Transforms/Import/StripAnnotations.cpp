//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated or propagated, to a program without annotations. Requires
// that nothing has been decided that only a mesh gives a meaning to
// (collectives, redistributions, coordinates); guarantees the unsharded
// program, which one device runs and which the sharded one is compared with.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Import/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardir {
#define GEN_PASS_DEF_STRIPANNOTATIONS
#include "ShardIR/Transforms/Import/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

static bool isOurs(NamedAttribute attr) {
  return isa_and_nonnull<ShardIRDialect>(attr.getNameDialect());
}

/// `attributes` without ours.
static DictionaryAttr withoutOurs(DictionaryAttr attributes) {
  NamedAttrList list;
  for (NamedAttribute attr : attributes)
    if (!isOurs(attr))
      list.append(attr);
  return list.getDictionary(attributes.getContext());
}

namespace {

struct StripAnnotationsPass
    : shardir::impl::StripAnnotationsBase<StripAnnotationsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkStage(module)))
      return signalPassFailure();
    module.walk([](Operation *op) {
      if (auto constrain = dyn_cast<ConstrainOp>(op)) {
        constrain.getResult().replaceAllUsesWith(constrain.getInput());
        constrain.erase();
        return;
      }
      if (isa<MeshOp>(op)) {
        op->erase();
        return;
      }
      strip(op);
    });
  }

  LogicalResult checkStage(ModuleOp module) {
    if (auto stage = module->getAttrOfType<StringAttr>(ShardIRDialect::kStage))
      return module.emitError()
             << "the program is " << stage.getValue()
             << " already; its unsharded form can be had from the annotated or "
                "propagated stage only";
    // Regions before what is in them.
    WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
      // These say what is computed, not where.
      if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp, ScatterRowsOp,
              SortOp, OptimizationBarrierOp, collective::HostCopyOp>(op))
        return WalkResult::skip();
      if (!isa_and_present<ShardIRDialect, collective::CollectiveDialect>(
              op->getDialect()) ||
          isa<MeshOp, ConstrainOp>(op))
        return WalkResult::advance();
      if (isa<ManualOp, ManualInOp, ManualOutOp, ManualCollectiveOp>(op)) {
        op->emitOpError("is written for one device of several; run "
                        "shardir-unshard-manual first");
        return WalkResult::interrupt();
      }
      op->emitOpError("has no unsharded form; the unsharded program can be had "
                      "from the annotated or propagated stage only");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  static void strip(Operation *op) {
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (isOurs(attr))
        op->removeDiscardableAttr(attr.getName());
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (DictionaryAttr attributes = function.getArgAttrDict(i))
        function.setArgAttrs(i, withoutOurs(attributes));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (DictionaryAttr attributes = function.getResultAttrDict(i))
        function.setResultAttrs(i, withoutOurs(attributes));
  }
};

} // namespace
