//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, its first step. Rewrites DTensor-style placements into
// placements by dim, wherever they stand. Guarantees that none is left.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Propagate/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardir {
#define GEN_PASS_DEF_LOWERDTENSORSYNTAX
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct LowerDTensorSyntaxPass
    : shardir::impl::LowerDTensorSyntaxBase<LowerDTensorSyntaxPass> {
  MeshTable *meshes = nullptr;

  PlacementAttr resolve(Attribute attr, Type type) {
    auto placement = dyn_cast_or_null<PlacementAttr>(attr);
    if (!placement || !placement.getValue().sugar)
      return {};
    return shardir::lowerDTensorSyntax(placement, meshes->get(placement),
                                       cast<ShapedType>(type).getRank());
  }

  void runOnOperation() override {
    MeshTable table(getOperation());
    meshes = &table;
    bool changed = false;
    getOperation().walk([&](Operation *op) {
      if (auto function = dyn_cast<FunctionOpInterface>(op)) {
        SignatureAttrs signature(function);
        for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
          if (auto placement = resolve(
                  function.getArgAttr(i, ShardIRDialect::kPlacement), type)) {
            signature.setArgument(i, ShardIRDialect::kPlacement, placement);
            changed = true;
          }
        for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
          if (auto placement =
                  resolve(function.getResultAttr(i, ShardIRDialect::kPlacement),
                          type)) {
            signature.setResult(i, ShardIRDialect::kPlacement, placement);
            changed = true;
          }
        signature.write();
        return;
      }
      if (auto constrain = dyn_cast<ConstrainOp>(op))
        if (auto placement =
                resolve(constrain.getPlacement(), constrain.getType())) {
          constrain.setPlacementAttr(placement);
          changed = true;
        }
      auto placements =
          op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements);
      if (!placements)
        return;
      SmallVector<Attribute> entries(placements.getValue());
      bool resolved = false;
      for (auto [entry, type] : llvm::zip(entries, op->getResultTypes()))
        if (auto placement = resolve(entry, type)) {
          entry = placement;
          resolved = true;
        }
      if (!resolved)
        return;
      changed = true;
      op->setAttr(ShardIRDialect::kPlacements,
                  ArrayAttr::get(&getContext(), entries));
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
