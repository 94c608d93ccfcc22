//===- FuseForCpu.cpp - Elementwise fusion that pays ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires linalg on tensors; guarantees that what
// Fusion.h says is fused, and that no sum of a product's batches is left. Uses
// the fusion of two generics alone: upstream's pass also moves reshapes through
// generics, and gave wrong results on a program whose bodies have linalg.index
// and captured tensors (tried, LLVM 22.1).
//
//===----------------------------------------------------------------------===//

#include "SummedProducts.h"

#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_FUSEFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

/// The dims of the result of `op` that are dims of its source, in order; none
/// where it adds other dims than those of one element.
static std::optional<SmallVector<int64_t>>
sourceDims(tensor::ExpandShapeOp op) {
  SmallVector<int64_t> dims;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    auto isWide = [&](int64_t dim) {
      return op.getResultType().getDimSize(dim) != 1;
    };
    if (llvm::count_if(group, isWide) > 1)
      return std::nullopt;
    const int64_t *own = llvm::find_if(group, isWide);
    dims.push_back(own == group.end() ? group.front() : *own);
  }
  return dims;
}

/// Has an elementwise op read tensors that were expanded by dims of one
/// element, such as masks, without these dims.
static void readWithoutUnitDims(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() > 0)
    return;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto expand = input->get().getDefiningOp<tensor::ExpandShapeOp>();
    std::optional<SmallVector<int64_t>> dims;
    if (expand)
      dims = sourceDims(expand);
    if (!dims)
      continue;
    AffineMap &map = maps[input->getOperandNumber()];
    SmallVector<AffineExpr> results;
    for (int64_t dim : *dims)
      results.push_back(map.getResult(dim));
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    input->set(expand.getSrc());
    if (expand->use_empty())
      expand->erase();
  }
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

namespace {

/// Computes the element that is read from the elements that it is made of.
struct ComputeWhereExtracted : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    if (!shardir::isComputedAt(op))
      return failure();
    auto producer = op.getTensor().getDefiningOp<linalg::GenericOp>();
    IRMapping mapping;
    for (OpOperand *input : producer.getDpsInputOperands()) {
      Value element = input->get();
      if (isa<RankedTensorType>(element.getType())) {
        SmallVector<Value> place;
        for (AffineExpr expr :
             producer.getMatchingIndexingMap(input).getResults())
          place.push_back(
              isa<AffineDimExpr>(expr)
                  ? op.getIndices()[cast<AffineDimExpr>(expr).getPosition()]
                  : arith::ConstantIndexOp::create(
                        rewriter, op.getLoc(),
                        cast<AffineConstantExpr>(expr).getValue())
                        .getResult());
        element =
            tensor::ExtractOp::create(rewriter, op.getLoc(), element, place);
      }
      mapping.map(producer.getMatchingBlockArgument(input), element);
    }
    Block *body = producer.getBody();
    for (Operation &each : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(each))
        mapping.map(index.getResult(), op.getIndices()[index.getDim()]);
      else
        rewriter.clone(each, mapping);
    }
    rewriter.replaceOp(
        op, mapping.lookupOrDefault(body->getTerminator()->getOperand(0)));
    return success();
  }
};

/// Has an op give the results that it reads, too.
struct JoinProducer : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!shardir::isJoinedAt(input))
        continue;
      Operation *producer = input->get().getDefiningOp();
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, input);
      if (failed(fused))
        continue;
      for (auto [before, now] : fused->replacements)
        rewriter.replaceAllUsesWith(before, now);
      rewriter.eraseOp(op);
      rewriter.eraseOp(producer);
      return success();
    }
    return failure();
  }
};

struct FuseForCpuPass : shardir::impl::FuseForCpuBase<FuseForCpuPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> sums;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(*op))
        readWithoutUnitDims(generic);
      if (shardir::summedProduct(op))
        sums.push_back(op);
    });
    for (linalg::LinalgOp op : sums) {
      linalg::LinalgOp product = shardir::summedProduct(op);
      rewriter.setInsertionPoint(op);
      shardir::addInProduct(rewriter, op, product);
      rewriter.eraseOp(product);
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shardir::isFusedAt);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    patterns.add<ComputeWhereExtracted>(&getContext());
    // An op that has joined another one has two results, with which nothing is
    // fused any more: those come last.
    RewritePatternSet joins(&getContext());
    joins.add<JoinProducer>(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(joins);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config)) ||
        failed(applyPatternsGreedily(getOperation(), std::move(joins), config)))
      signalPassFailure();
  }
};
} // namespace
