//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Requires reshapes as collapse_shape and expand_shape.
// Front ends write a product of tensors of any rank as one of matrices between
// reshapes. Where an extent is open, the placements of the dims have no
// counterpart on the collapsed dim: ops that read or make one do without it.
//
//===----------------------------------------------------------------------===//

#include "Reshapes.h"

#include "ShardIR/Analysis/SameExtent.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Normalize/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_EXPANDOPENDIMS
#include "ShardIR/Transforms/Normalize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// True if a dim of unknown extent is made of several dims of more than one
/// element, or split into them.
static bool joinsOpenDims(Operation *op) {
  RankedTensorType wide, narrow;
  SmallVector<ReassociationIndices> groups;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    wide = collapse.getSrcType();
    narrow = collapse.getResultType();
    groups = collapse.getReassociationIndices();
  } else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op)) {
    wide = expand.getResultType();
    narrow = expand.getSrcType();
    groups = expand.getReassociationIndices();
  } else {
    return false;
  }
  for (auto [dim, group] : llvm::enumerate(groups))
    if (narrow.isDynamicDim(dim) && llvm::count_if(group, [&](int64_t d) {
                                      return wide.getDimSize(d) != 1;
                                    }) > 1)
      return true;
  return false;
}

namespace {

/// The tensor that was collapsed, or some of its dims joined, where what it was
/// collapsed to is expanded. Dims of as many elements that have one open extent
/// have it again.
struct ExpandCollapsed final : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto collapse = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse)
      return failure();
    RankedTensorType from = collapse.getSrcType(), to = op.getResultType();
    SmallVector<OpFoldResult> extents = op.getMixedOutputShape();
    SmallVector<ReassociationIndices> groups;
    for (auto [parts, joined] :
         llvm::zip_equal(collapse.getReassociationIndices(),
                         op.getReassociationIndices())) {
      auto countOpen = [](RankedTensorType type, ArrayRef<int64_t> dims) {
        return llvm::count_if(dims,
                              [&](int64_t d) { return type.isDynamicDim(d); });
      };
      int64_t unknown = countOpen(from, parts);
      if (unknown != countOpen(to, joined))
        return failure();
      if (unknown > 1) {
        // Dims that keep their extents, but for one, which then has to.
        if (parts.size() != joined.size())
          return failure();
        for (auto [part, dim] : llvm::zip_equal(parts, joined)) {
          if (from.isDynamicDim(part) != to.isDynamicDim(dim))
            return failure();
          unknown -= from.isDynamicDim(part) &&
                     isExtentOf(extents[dim], collapse.getSrc(), part);
          groups.push_back({part});
        }
        if (unknown > 1)
          return failure();
        continue;
      }
      SmallVector<ReassociationIndices> found =
          joinedDims(from, parts, to, joined);
      if (found.empty())
        return failure();
      llvm::append_range(groups, found);
    }
    if (from == to)
      rewriter.replaceOp(op, collapse.getSrc());
    else
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, to, collapse.getSrc(), groups);
    return success();
  }
};

/// A reduction over a joined dim that keeps it with one element, without that
/// dim: upstream expands no op whose result has a place of its own.
struct ReduceWithoutUnitDims final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() == 0 || op.getNumResults() != 1 ||
        op->hasAttr(ShardIRDialect::kPlacements) ||
        llvm::none_of(op.getInputs(), [](Value input) {
          return joinsOpenDims(input.getDefiningOp());
        }))
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<AffineExpr> kept;
    SmallVector<ReassociationIndices> groups;
    ReassociationIndices first;
    for (auto [dim, place] : llvm::enumerate(maps.back().getResults())) {
      if (isa<AffineDimExpr>(place)) {
        kept.push_back(place);
        groups.push_back(std::exchange(first, {}));
        groups.back().push_back(dim);
      } else {
        (groups.empty() ? first : groups.back()).push_back(dim);
      }
    }
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (kept.size() == maps.back().getNumResults())
      return failure();
    SmallVector<int64_t> shape;
    for (AffineExpr place : kept)
      shape.push_back(type.getDimSize(*maps.back().getResultPosition(place)));
    Location loc = op.getLoc();
    RankedTensorType narrow = type.clone(shape);
    Value init = tensor::CollapseShapeOp::create(rewriter, loc, narrow,
                                                 op.getDpsInits()[0], groups);
    maps.back() = AffineMap::get(op.getNumLoops(), 0, kept, op.getContext());
    auto reduced =
        linalg::GenericOp::create(rewriter, loc, narrow, op.getInputs(), init,
                                  maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), reduced.getRegion(),
                                reduced.getRegion().begin());
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, type, reduced.getResult(0), groups,
        tensor::getMixedSizes(rewriter, loc, op.getDpsInits()[0]));
    return success();
  }
};

struct ExpandOpenDimsPass
    : shardir::impl::ExpandOpenDimsBase<ExpandOpenDimsPass> {
  void runOnOperation() override {
    WalkResult found = getOperation().walk([](Operation *op) {
      return joinsOpenDims(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return markAllAnalysesPreserved();
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *operand) {
          Operation *from = operand->get().getDefiningOp();
          Operation *to = operand->getOwner();
          bool isMade = isa<tensor::ExpandShapeOp>(to);
          Operation *op = isMade ? from : to;
          return joinsOpenDims(isMade ? to : from) &&
                 !isa<linalg::FillOp>(op) &&
                 !op->hasAttr(ShardIRDialect::kPlacements);
        });
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    patterns.add<ExpandCollapsed, ReduceWithoutUnitDims>(context);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
