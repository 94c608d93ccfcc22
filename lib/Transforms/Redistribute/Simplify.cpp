//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. Collapses chains of redistributions and drops those
// that change nothing in normal form (P8). Guarantees that no value moves more
// often than before.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_SIMPLIFYREDISTRIBUTE
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// redistribute A to A is its operand.
struct DropSame : OpRewritePattern<RedistributeOp> {
  DropSame(MLIRContext *context, const MeshTable &meshes)
      : OpRewritePattern(context), meshes(meshes) {}
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getHalo() || op.getFrom().getMesh() != op.getTo().getMesh() ||
        !equivalent(op.getFrom().getValue(), op.getTo().getValue(),
                    meshes.get(op.getFrom()), shapeOf(op.getType())))
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
  const MeshTable &meshes;
};

/// A to B to C is A to C, where B is used by this alone: then the reduction of
/// a partial happens once, and straight into its target.
struct CollapseChain : OpRewritePattern<RedistributeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<RedistributeOp>();
    if (!inner || inner.getHalo() || !inner->hasOneUse())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().set(inner.getInput());
      op.setFromAttr(inner.getFrom());
    });
    rewriter.eraseOp(inner);
    return success();
  }
};

struct SimplifyRedistributePass
    : shardir::impl::SimplifyRedistributeBase<SimplifyRedistributePass> {
  void runOnOperation() override {
    if (isLocalOrLater(getOperation()))
      return;
    MeshTable meshes(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<DropSame>(&getContext(), meshes);
    patterns.add<CollapseChain>(&getContext());
    // Other ops are not this pass's business: no folding, no dead code.
    SmallVector<Operation *> ops;
    getOperation().walk([&](RedistributeOp op) { ops.push_back(op); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
