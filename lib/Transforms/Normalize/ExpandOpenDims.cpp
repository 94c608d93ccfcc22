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
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Transforms/Normalize/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

/// Dims in groups of one; where `joinUnits`, those of one element in the group
/// before them, or behind them for the first.
static SmallVector<ReassociationIndices>
groupsOf(RankedTensorType type, ArrayRef<int64_t> dims, bool joinUnits) {
  SmallVector<ReassociationIndices> groups;
  bool hasOther = false;
  for (int64_t dim : dims) {
    bool isUnit = type.getDimSize(dim) == 1;
    if (groups.empty() || !joinUnits || (!isUnit && hasOther))
      groups.emplace_back();
    hasOther |= !isUnit;
    groups.back().push_back(dim);
  }
  return groups;
}

/// The number of elements along dims of known extents.
static int64_t sizeOf(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= type.getDimSize(dim);
  return size;
}

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
    // Of the tensor that was collapsed, and of the result.
    SmallVector<ReassociationIndices> groups, splits;
    for (auto [parts, dims] :
         llvm::zip_equal(collapse.getReassociationIndices(),
                         op.getReassociationIndices())) {
      auto countOpen = [](RankedTensorType type, ArrayRef<int64_t> dims) {
        return llvm::count_if(dims,
                              [&](int64_t d) { return type.isDynamicDim(d); });
      };
      int64_t unknown = countOpen(from, parts);
      if (unknown != countOpen(to, dims))
        return failure();
      SmallVector<ReassociationIndices> found, made;
      if (unknown > 1) {
        found = groupsOf(from, parts, parts.size() > dims.size());
        made = groupsOf(to, dims, dims.size() > parts.size());
        if (found.size() != made.size())
          return failure();
        // All dims keep their extents but for one, which then has to.
        for (auto [own, other] : llvm::zip_equal(found, made)) {
          auto isOpen = [](RankedTensorType type) {
            return [type](int64_t dim) { return type.isDynamicDim(dim); };
          };
          auto *part = llvm::find_if(own, isOpen(from)),
               *dim = llvm::find_if(other, isOpen(to));
          if ((part == own.end()) != (dim == other.end()) ||
              (part == own.end() && sizeOf(from, own) != sizeOf(to, other)))
            return failure();
          unknown -= part != own.end() &&
                     isExtentOf(extents[*dim], collapse.getSrc(), *part);
        }
        if (unknown > 1)
          return failure();
      } else {
        found = joinedDims(from, parts, to, dims);
        if (found.empty())
          return failure();
        made = groupsOf(to, dims, /*joinUnits=*/false);
      }
      llvm::append_range(groups, found);
      llvm::append_range(splits, made);
    }
    SmallVector<int64_t> shape;
    for (ArrayRef<int64_t> split : splits) {
      int64_t size = 1; // a group has one dim of more elements at most
      for (int64_t dim : split)
        size = to.getDimSize(dim) == 1 ? size : to.getDimSize(dim);
      shape.push_back(size);
    }
    Value result = collapse.getSrc();
    if (groups.size() != size_t(from.getRank()))
      result = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                               to.clone(shape), result, groups);
    if (splits.size() != size_t(to.getRank()))
      result = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to, result,
                                             splits, extents);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// An op that reads or makes a joined dim, without dims of one element that its
/// loops leave out: upstream expands no op with a place of its own for them.
struct WithoutUnitDims final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    bool isJoined = llvm::any_of(op.getInputs(),
                                 [](Value input) {
                                   return joinsOpenDims(input.getDefiningOp());
                                 }) ||
                    llvm::any_of(op->getUsers(), joinsOpenDims);
    if (!isJoined || op.getNumResults() != 1 ||
        op->hasAttr(ShardIRDialect::kPlacements))
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> operands = llvm::to_vector(op->getOperands());
    SmallVector<ReassociationIndices> groups; // of the last one, the result
    for (auto [map, operand] : llvm::zip_equal(maps, operands)) {
      SmallVector<AffineExpr> kept;
      SmallVector<int64_t> shape;
      ReassociationIndices first;
      groups.clear();
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      for (auto [dim, place] : llvm::enumerate(map.getResults())) {
        if (!isa<AffineConstantExpr>(place) || type.getDimSize(dim) != 1) {
          kept.push_back(place);
          shape.push_back(type.getDimSize(dim));
          groups.push_back(std::exchange(first, {}));
        }
        (groups.empty() ? first : groups.back()).push_back(dim);
      }
      if (kept.size() == map.getNumResults())
        continue;
      operand = tensor::CollapseShapeOp::create(
          rewriter, op.getLoc(), type.clone(shape), operand, groups);
      map = AffineMap::get(op.getNumLoops(), 0, kept, op.getContext());
    }
    if (maps == op.getIndexingMapsArray())
      return failure();
    auto narrow = linalg::GenericOp::create(
        rewriter, op.getLoc(), operands.back().getType(),
        ArrayRef(operands).drop_back(), operands.back(), maps,
        op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), narrow.getRegion(),
                                narrow.getRegion().begin());
    Value result = narrow.getResult(0);
    if (result.getType() != op.getResult(0).getType())
      result = tensor::ExpandShapeOp::create(
          rewriter, op.getLoc(), op.getResult(0).getType(), result, groups,
          tensor::getMixedSizes(rewriter, op.getLoc(), op.getDpsInits()[0]));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A tensor whose dim `dim` is expanded to `extents`.
static Value expandDim(Value tensor, int64_t dim,
                       ArrayRef<OpFoldResult> extents,
                       PatternRewriter &rewriter) {
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [d, extent] :
       llvm::enumerate(tensor::getMixedSizes(rewriter, loc, tensor))) {
    ArrayRef<OpFoldResult> parts =
        int64_t(d) == dim ? extents : ArrayRef<OpFoldResult>(extent);
    groups.push_back(llvm::to_vector<2>(
        llvm::seq<int64_t>(shape.size(), shape.size() + parts.size())));
    llvm::append_range(shape, parts);
  }
  SmallVector<int64_t> sizes;
  std::tie(sizes, std::ignore) = decomposeMixedValues(shape);
  return tensor::ExpandShapeOp::create(
      rewriter, loc, cast<RankedTensorType>(tensor.getType()).clone(sizes),
      tensor, groups, shape);
}

/// Dims of one element in front of or behind a joined one, on the dims that
/// were joined.
struct ExpandUnitDims final : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto collapse = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !joinsOpenDims(collapse))
      return failure();
    RankedTensorType to = op.getResultType();
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> from =
        tensor::getMixedSizes(rewriter, loc, collapse.getSrc());
    SmallVector<ReassociationIndices> splits(from.size()), joins;
    SmallVector<OpFoldResult> shape;
    for (auto [parts, dims] :
         llvm::zip_equal(collapse.getReassociationIndices(),
                         op.getReassociationIndices())) {
      const int64_t *other = llvm::find_if(
          dims, [&](int64_t dim) { return to.getDimSize(dim) != 1; });
      int64_t whole = other == dims.end() ? dims.front() : *other;
      auto isUnit = [&](int64_t dim) {
        return to.getDimSize(dim) == 1 && dim != whole;
      };
      if (llvm::count_if(dims, isUnit) + 1 != int64_t(dims.size()))
        return failure();
      int64_t next = parts.front();
      for (int64_t dim : dims) {
        ReassociationIndices &joined = joins.emplace_back();
        auto append = [&](int64_t part, OpFoldResult extent) {
          splits[part].push_back(shape.size());
          joined.push_back(shape.size());
          shape.push_back(extent);
        };
        if (isUnit(dim)) {
          append(next, rewriter.getIndexAttr(1));
          continue;
        }
        for (int64_t part : parts)
          append(part, from[part]);
        next = parts.back();
      }
    }
    if (shape.size() == from.size())
      return failure();
    SmallVector<int64_t> sizes;
    std::tie(sizes, std::ignore) = decomposeMixedValues(shape);
    Value expanded = tensor::ExpandShapeOp::create(
        rewriter, loc, to.clone(sizes), collapse.getSrc(), splits, shape);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, to, expanded,
                                                         joins);
    return success();
  }
};

/// A dim that joins dims with open extents.
struct JoinedDim {
  /// None where no op joins dim `dim` of `tensor`.
  static std::optional<JoinedDim> of(Value tensor, int64_t dim) {
    auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !collapse.getResultType().isDynamicDim(dim) ||
        collapse.getReassociationIndices()[dim].size() < 2)
      return std::nullopt;
    return JoinedDim{collapse, dim};
  }
  ReassociationIndices parts() {
    return collapse.getReassociationIndices()[dim];
  }
  SmallVector<OpFoldResult> extents(PatternRewriter &rewriter) {
    SmallVector<OpFoldResult> all =
        tensor::getMixedSizes(rewriter, collapse.getLoc(), collapse.getSrc());
    return llvm::map_to_vector(parts(),
                               [&](int64_t part) { return all[part]; });
  }
  bool operator==(const JoinedDim &other) const {
    return collapse == other.collapse && dim == other.dim;
  }

  tensor::CollapseShapeOp collapse;
  int64_t dim;
};

/// An op that reads elements of a joined tensor, at its own place along the
/// joined dim: upstream expands no op that asks for its place.
struct ExpandReads final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() > 0 || op.getNumResults() != 1 ||
        op->hasAttr(ShardIRDialect::kPlacements) ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return failure();
    for (linalg::IndexOp place : op.getBody()->getOps<linalg::IndexOp>())
      if (std::optional<JoinedDim> joined = joinedAt(place);
          joined && isRead(op, place.getDim(), *joined)) {
        expand(op, place, *joined, rewriter);
        return success();
      }
    return failure();
  }

private:
  /// True if an operand has the dims of `joined` behind its dim for the loop,
  /// which may otherwise be shorter than the joined one.
  static bool isRead(linalg::GenericOp op, int64_t loop, JoinedDim joined) {
    AffineExpr expr = getAffineDimExpr(loop, op.getContext());
    for (OpOperand &operand : op->getOpOperands()) {
      auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(expr);
      auto own = dim ? JoinedDim::of(operand.get(), *dim) : std::nullopt;
      if (own && own->parts().size() == joined.parts().size() &&
          llvm::all_of(llvm::zip_equal(own->parts(), joined.parts()),
                       [&](auto parts) {
                         auto [part, other] = parts;
                         return haveSameExtent(own->collapse.getSrc(), part,
                                               joined.collapse.getSrc(), other);
                       }))
        return true;
    }
    return false;
  }

  /// The joined dim that `place` is for, and for nothing else.
  static std::optional<JoinedDim> joinedAt(linalg::IndexOp place) {
    std::optional<JoinedDim> joined;
    for (OpOperand &use : place->getUses()) {
      auto read = dyn_cast<tensor::ExtractOp>(use.getOwner());
      if (!read || use.getOperandNumber() == 0)
        return std::nullopt;
      auto own = JoinedDim::of(read.getTensor(), use.getOperandNumber() - 1);
      if (!own || (joined && !(*joined == *own)))
        return std::nullopt;
      joined = own;
    }
    return joined;
  }

  static void expand(linalg::GenericOp op, linalg::IndexOp place,
                     JoinedDim joined, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    int64_t loop = place.getDim();
    SmallVector<OpFoldResult> extents = joined.extents(rewriter);
    int64_t count = extents.size();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> operands = llvm::to_vector(op->getOperands());
    for (auto [map, operand] : llvm::zip_equal(maps, operands)) {
      if (auto dim = map.getResultPosition(rewriter.getAffineDimExpr(loop)))
        operand = expandDim(operand, *dim, extents, rewriter);
      SmallVector<AffineExpr> places;
      for (AffineExpr expr : map.getResults()) {
        int64_t own = cast<AffineDimExpr>(expr).getPosition();
        for (int64_t i = 0; i < (own == loop ? count : 1); ++i)
          places.push_back(rewriter.getAffineDimExpr(
              own + i + (own > loop ? count - 1 : 0)));
      }
      map = AffineMap::get(op.getNumLoops() + count - 1, 0, places,
                           op.getContext());
    }
    auto expanded = linalg::GenericOp::create(
        rewriter, loc, operands.back().getType(),
        ArrayRef(operands).drop_back(), operands.back(), maps,
        SmallVector<utils::IteratorType>(op.getNumLoops() + count - 1,
                                         utils::IteratorType::parallel));
    AffineMap before = op.getIndexingMapsArray().back();
    SmallVector<ReassociationIndices> groups;
    int64_t next = 0;
    for (AffineExpr expr : before.getResults()) {
      bool isJoined = cast<AffineDimExpr>(expr).getPosition() == loop;
      int64_t end = next + (isJoined ? count : 1);
      groups.push_back(llvm::to_vector<2>(llvm::seq(next, end)));
      next = end;
    }
    rewriter.inlineRegionBefore(op.getRegion(), expanded.getRegion(),
                                expanded.getRegion().begin());
    for (linalg::IndexOp index : llvm::make_early_inc_range(
             expanded.getBody()->getOps<linalg::IndexOp>()))
      if (index != place && int64_t(index.getDim()) > loop)
        rewriter.modifyOpInPlace(
            index, [&] { index.setDim(index.getDim() + count - 1); });
    rewriter.setInsertionPoint(place);
    SmallVector<Value> places;
    for (int64_t i = 0; i < count; ++i)
      places.push_back(linalg::IndexOp::create(rewriter, loc, loop + i));
    for (OpOperand &use : llvm::make_early_inc_range(place->getUses())) {
      auto read = cast<tensor::ExtractOp>(use.getOwner());
      rewriter.setInsertionPoint(read);
      SmallVector<Value> indices = llvm::to_vector(read.getIndices());
      indices.erase(indices.begin() + joined.dim);
      indices.insert(indices.begin() + joined.parts().front(), places.begin(),
                     places.end());
      rewriter.replaceOpWithNewOp<tensor::ExtractOp>(
          read, joined.collapse.getSrc(), indices);
    }
    rewriter.eraseOp(place);
    rewriter.setInsertionPointAfter(expanded);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getResult(0).getType(), expanded.getResult(0), groups);
  }
};

/// Rows that are joined of dims with open extents.
struct ExpandScatteredRows final : OpRewritePattern<ScatterRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterRowsOp op,
                                PatternRewriter &rewriter) const override {
    for (int64_t dim = op.getBatchDims().size(); dim < op.getNumRowDims();
         ++dim) {
      std::optional<JoinedDim> joined = JoinedDim::of(op.getUpdates(), dim);
      if (!joined)
        joined = JoinedDim::of(op.getIndices(), dim);
      if (!joined || op->hasAttr(ShardIRDialect::kPlacements))
        continue;
      SmallVector<OpFoldResult> extents = joined->extents(rewriter);
      Value updates = expandDim(op.getUpdates(), dim, extents, rewriter),
            indices = expandDim(op.getIndices(), dim, extents, rewriter);
      rewriter.modifyOpInPlace(op, [&] {
        op.getUpdatesMutable().assign(updates);
        op.getIndicesMutable().assign(indices);
      });
      return success();
    }
    return failure();
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
          auto structured = dyn_cast<linalg::LinalgOp>(op);
          return joinsOpenDims(isMade ? to : from) &&
                 !isa<linalg::FillOp>(op) &&
                 !(structured && structured.hasIndexSemantics()) &&
                 !op->hasAttr(ShardIRDialect::kPlacements);
        });
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    patterns.add<ExpandCollapsed, ExpandUnitDims, ExpandReads,
                 ExpandScatteredRows, WithoutUnitDims>(context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
