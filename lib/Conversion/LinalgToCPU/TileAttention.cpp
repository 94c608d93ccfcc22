//===- TileAttention.cpp - Attention in tiles that stay in caches ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, before fusion. Requires attention ops; guarantees
// that large ones are scf.forall loops over rows of queries, each with an
// scf.for over tiles of keys that carries acc, max and sum (the online
// softmax). Tiles are attention ops again, which are decomposed next: their
// scores are a small buffer instead of a matrix in memory.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace shardir {
#define GEN_PASS_DEF_TILEATTENTIONFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// Rows of queries and columns of keys of one tile: its scores take 128 KiB,
/// and packing the keys is little beside multiplying them with so many rows.
constexpr int64_t tileRows = 128, tileColumns = 256;
int64_t known(int64_t extent) {
  return ShapedType::isDynamic(extent) ? 1024 : extent;
}

/// A fill is made where it is used, so that the tile begins with it.
Value fillLike(RewriterBase &rewriter, Location loc, Value like, double value) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, like),
      type.getElementType());
  Value scalar = arith::ConstantOp::create(
      rewriter, loc, rewriter.getFloatAttr(type.getElementType(), value));
  return linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
}

/// Column c has a score in row r only if r + `distance` >= c; others' scores
/// are too low to count.
struct Causal {
  unsigned rows, columns;
  int64_t distance;
};

/// `value` as the iteration of a loop plus a constant.
std::optional<std::pair<unsigned, int64_t>> asIndex(Value value) {
  int64_t offset = 0;
  for (;;) {
    if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
      value = cast.getIn();
      continue;
    }
    APInt constant;
    if (auto add = value.getDefiningOp<arith::AddIOp>();
        add && matchPattern(add.getRhs(), m_ConstantInt(&constant))) {
      offset += constant.getSExtValue();
      value = add.getLhs();
      continue;
    }
    auto index = value.getDefiningOp<LoopIndexOp>();
    if (!index)
      return std::nullopt;
    return std::pair(unsigned(index.getLoop()), offset);
  }
}

/// A mask of positions, if nothing but it can make scores as low as it does.
std::optional<Causal> findCausal(AttentionOp op) {
  Block &body = op.getScore().front();
  auto select =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  FloatAttr low;
  if (!select || !matchPattern(select.getFalseValue(), m_Constant(&low)))
    return std::nullopt;
  double value = low.getValueAsDouble();
  bool infinite = value == -std::numeric_limits<double>::infinity();
  if (!infinite) {
    // A finite value counts in rows whose other scores are as low: only scores
    // themselves are known not to be.
    if (value > -1e30 || !op.getExtras().empty() ||
        llvm::any_of(body, [&](Operation &nested) {
          return isa<arith::SelectOp>(nested) && &nested != select;
        }))
      return std::nullopt;
  }
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto left = asIndex(compare.getLhs()), right = asIndex(compare.getRhs());
  if (!left || !right)
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sle || predicate == Predicate::slt) {
    std::swap(left, right);
    predicate = predicate == Predicate::sle ? Predicate::sge : Predicate::sgt;
  }
  if (predicate != Predicate::sge && predicate != Predicate::sgt)
    return std::nullopt;
  Causal causal{left->first, right->first,
                left->second - right->second -
                    (predicate == Predicate::sgt ? 1 : 0)};
  AttentionOp::Loops loops = op.getLoops();
  if (!llvm::is_contained(loops.outer(), causal.rows) ||
      !llvm::is_contained(loops.n, causal.columns) ||
      (!infinite && causal.distance < 0))
    return std::nullopt;
  return causal;
}

struct TileAttentionForCpuPass
    : shardir::impl::TileAttentionForCpuBase<TileAttentionForCpuPass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : ops)
      if (isWorthTiling(op) && failed(tile(rewriter, op)))
        return signalPassFailure();
  }

  static bool isWorthTiling(AttentionOp op) {
    if (!op.hasPureTensorSemantics() || !op.hasNeutralInits() ||
        op->getParentOfType<scf::ForallOp>())
      return false;
    AttentionOp::Loops loops = op.getLoops();
    SmallVector<int64_t> extents = op.getStaticLoopExtents();
    if (loops.n.empty() || loops.m.empty())
      return false;
    int64_t bytes = op.getComputeType().getWidth() / 8;
    for (unsigned loop : loops.outer())
      bytes *= known(extents[loop]);
    for (unsigned loop : loops.n)
      bytes *= known(extents[loop]);
    return bytes >= smallScoreBytes &&
           known(extents[loops.m.back()]) >= tileRows / 4;
  }

  static LogicalResult tile(IRRewriter &rewriter, AttentionOp op) {
    AttentionOp::Loops loops = op.getLoops();
    SmallVector<int64_t> extents = op.getStaticLoopExtents();
    // The largest row loop and the largest column loop are cut, those around
    // them run one by one.
    auto largest = [&](ArrayRef<unsigned> list) {
      return *llvm::max_element(list, [&](unsigned a, unsigned b) {
        return known(extents[a]) < known(extents[b]);
      });
    };
    unsigned rows = largest(loops.m), columns = largest(loops.n);
    std::optional<Causal> causal = findCausal(op);
    SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
    for (unsigned loop : loops.outer())
      sizes[loop] = rewriter.getIndexAttr(loop == rows ? tileRows : 1);
    scf::SCFTilingOptions options;
    options.setTileSizes(sizes).setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
    rewriter.setInsertionPoint(op);
    // What the loop fills is not read: it begins undefined.
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Value empty = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
          cast<RankedTensorType>(init.get().getType()).getElementType());
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    }
    FailureOr<scf::SCFTilingResult> outer = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(outer))
      return failure();
    rewriter.replaceOp(op, outer->replacements);

    auto inner = cast<AttentionOp>(outer->tiledOps.front());
    auto rowTiles = cast<scf::ForallOp>(outer->loops.front());
    rewriter.setInsertionPoint(inner);
    double neutral[] = {0.0, -std::numeric_limits<double>::infinity(), 0.0};
    for (int64_t i = 0; i < 3; ++i) {
      OpOperand *init = inner.getDpsInitOperand(i);
      Value fill = fillLike(rewriter, inner.getLoc(), init->get(), neutral[i]);
      rewriter.modifyOpInPlace(inner, [&] { init->set(fill); });
    }
    if (!ShapedType::isDynamic(extents[columns]) &&
        extents[columns] <= tileColumns)
      return success();
    SmallVector<OpFoldResult> parts(inner.getNumLoops(),
                                    rewriter.getIndexAttr(0));
    parts[columns] = rewriter.getIndexAttr(tileColumns);
    scf::SCFTilingOptions along;
    along.setTileSizes(parts).setLoopType(
        scf::SCFTilingOptions::LoopType::ForOp);
    FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(inner.getOperation()), along);
    if (failed(result))
      return failure();
    rewriter.replaceOp(inner, result->replacements);
    if (causal && causal->rows == rows && causal->columns == columns) {
      // Tiles of columns behind the tile's last row hold no score.
      unsigned position = llvm::count_if(
          loops.outer(), [&](unsigned loop) { return loop < rows; });
      auto loop = cast<scf::ForOp>(result->loops.front());
      rewriter.setInsertionPoint(loop);
      Value first = rowTiles.getInductionVar(position);
      Value behind = arith::AddIOp::create(
          rewriter, loop.getLoc(), first,
          arith::ConstantIndexOp::create(rewriter, loop.getLoc(),
                                         tileRows + causal->distance));
      Value end = arith::MinSIOp::create(rewriter, loop.getLoc(), behind,
                                         loop.getUpperBound());
      rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(end); });
    }
    return success();
  }
};
} // namespace
