//===- TileForCpu.cpp - Chains over rows, one group of rows at a time -----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires linalg on tensors; guarantees that chains
// with reductions along rows (softmax, normalisations) whose intermediate
// tensors do not fit the second cache are computed group of rows by group of
// rows, in a scf.forall. What each op computes is unchanged.
//
//===----------------------------------------------------------------------===//

#include "Common/Contraction.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace shardir {
#define GEN_PASS_DEF_TILEFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// Elements of the root that one group of rows has: intermediate rows of a few
/// ops then fit the first cache, and a group is worth handing to a thread.
constexpr int64_t elementsPerGroup = 8192;
/// Below this many bytes of intermediate tensors caches hold them anyway.
constexpr int64_t smallBytes = 512 * 1024;

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  int64_t bytes = 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    bytes = 2 * ((complex.getElementType().getIntOrFloatBitWidth() + 7) / 8);
  else if (element.isIntOrFloat())
    bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t extent : type.getShape())
    bytes *= ShapedType::isDynamic(extent) ? 1024 : extent;
  return bytes;
}

/// Ops that a group may hold: elementwise ops and reductions with plain maps.
bool canJoin(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      !isa<linalg::GenericOp, linalg::FillOp>(op) ||
      linalgOp.getNumLoops() == 0)
    return false;
  if (linalgOp.getNumDpsInputs() == 2 &&
      (isFloatContraction(linalgOp) ||
       isByteContraction(linalgOp, /*mixed=*/true)))
    return false;
  for (AffineMap map : linalgOp.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
        return false;
  for (OpOperand &init : linalgOp.getDpsInitsMutable())
    if (!linalgOp.getMatchingIndexingMap(&init).isProjectedPermutation())
      return false;
  return true;
}

/// Drops the dims of extent 1 that `op` keeps of what it reduces, as PyTorch's
/// reductions do: only results whose dims are loops can be tiled.
void dropKeptDims(linalg::GenericOp op, IRRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1)
    return;
  OpOperand *init = op.getDpsInitOperand(0);
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  auto type = cast<RankedTensorType>(init->get().getType());
  AffineMap made = op.getMatchingIndexingMap(init);
  SmallVector<int64_t> shape;
  SmallVector<unsigned> positions;
  for (auto [position, expr] : llvm::enumerate(made.getResults()))
    if (!isa<AffineConstantExpr>(expr) || type.getDimSize(position) != 1) {
      positions.push_back(position);
      shape.push_back(type.getDimSize(position));
    }
  if (!fill || positions.size() == made.getNumResults())
    return;
  auto reduced = RankedTensorType::get(shape, type.getElementType());
  auto reassociation = getReassociationIndicesForReshape(type, reduced);
  if (!reassociation)
    return;

  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, init->get());
  SmallVector<OpFoldResult> keptSizes;
  for (unsigned position : positions)
    keptSizes.push_back(sizes[position]);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, keptSizes, type.getElementType());
  Value start =
      linalg::FillOp::create(rewriter, loc, fill.getInputs(), ValueRange(empty))
          .getResult(0);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.back() = made.getSubMap(positions);
  auto narrow = linalg::GenericOp::create(rewriter, loc, TypeRange(reduced),
                                          op.getDpsInputs(), ValueRange(start),
                                          maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), narrow.getRegion(),
                              narrow.getRegion().begin());

  // Users read the result without the dims where their loops stay determined;
  // for the others the dims are added back.
  Value wide;
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    if (auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
        user && user.isDpsInput(&use)) {
      SmallVector<AffineMap> reads = user.getIndexingMapsArray();
      AffineMap &read = reads[use.getOperandNumber()];
      read = read.getSubMap(positions);
      if (inversePermutation(concatAffineMaps(reads, op.getContext()))) {
        use.set(narrow.getResult(0));
        user.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(reads));
        continue;
      }
    }
    if (!wide)
      wide = tensor::ExpandShapeOp::create(rewriter, loc, type,
                                           narrow.getResult(0), *reassociation);
    use.set(wide);
  }
  rewriter.eraseOp(op);
}

/// A root and the producers that are computed with it. `rows` are the root's
/// loops along which all of them can be cut.
struct Group {
  linalg::LinalgOp root;
  llvm::SmallBitVector rows;
  /// For each op, the loop of it that a loop of the root is; -1 for none.
  DenseMap<Operation *, SmallVector<int>> loopOf;
  llvm::SetVector<Operation *> producers;
};

/// Loops of `producer` by loop of the root, seen through one operand.
SmallVector<int> loopsThrough(ArrayRef<int> consumerLoops, AffineMap use,
                              AffineMap result) {
  SmallVector<int> loops(consumerLoops.size(), -1);
  for (auto [root, loop] : llvm::enumerate(consumerLoops)) {
    if (loop < 0)
      continue;
    for (auto [position, expr] : llvm::enumerate(use.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      auto produced = dyn_cast<AffineDimExpr>(result.getResult(position));
      if (dim && produced && static_cast<int>(dim.getPosition()) == loop)
        loops[root] = produced.getPosition();
    }
  }
  return loops;
}

/// Takes in producers of `group`'s ops as long as rows remain.
void grow(Group &group) {
  SmallVector<linalg::LinalgOp> work = {group.root};
  while (!work.empty()) {
    linalg::LinalgOp consumer = work.pop_back_val();
    for (OpOperand &operand : consumer->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      if (!result || !isa<RankedTensorType>(result.getType()))
        continue;
      Operation *producer = result.getOwner();
      if (producer->getBlock() != group.root->getBlock() ||
          producer->getNumResults() != 1 || !canJoin(producer))
        continue;
      auto linalgOp = cast<linalg::LinalgOp>(producer);
      AffineMap use = consumer.getMatchingIndexingMap(&operand);
      AffineMap made = linalgOp.getMatchingIndexingMap(
          linalgOp.getDpsInitOperand(result.getResultNumber()));
      SmallVector<int> loops = loopsThrough(group.loopOf[consumer], use, made);
      auto known = group.loopOf.find(producer);
      llvm::SmallBitVector rows = group.rows;
      for (int root : rows.set_bits())
        if (loops[root] < 0 ||
            (known != group.loopOf.end() && known->second[root] != loops[root]))
          rows.reset(root);
      if (rows.none())
        continue;
      group.rows = rows;
      if (known != group.loopOf.end())
        continue;
      group.loopOf[producer] = loops;
      group.producers.insert(producer);
      work.push_back(linalgOp);
    }
  }
}

/// Removes producers that something outside of the group reads too: they would
/// be computed twice. Their own producers may then be outside as well.
void dropShared(Group &group) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *producer : llvm::to_vector(group.producers)) {
      if (llvm::all_of(producer->getUsers(), [&](Operation *user) {
            return user == group.root || group.producers.contains(user);
          }))
        continue;
      // A fill is cheaper than what it would cost to keep it outside.
      if (isa<linalg::FillOp>(producer))
        continue;
      group.producers.remove(producer);
      changed = true;
    }
  }
}

struct TileForCpuPass : shardir::impl::TileForCpuBase<TileForCpuPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      dropKeptDims(op, rewriter);
    SmallVector<linalg::LinalgOp> roots;
    getOperation().walk([&](linalg::LinalgOp op) { roots.push_back(op); });
    llvm::DenseSet<Operation *> done;
    bool changed = false;
    for (linalg::LinalgOp root : llvm::reverse(roots))
      if (!done.contains(root))
        changed |= tile(root, done);
    if (!changed)
      return;
    // Slices of empty tensors become small empty tensors, and slices that were
    // computed for several users become one.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    scf::ForallOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

  bool tile(linalg::LinalgOp root, llvm::DenseSet<Operation *> &done) {
    if (!canJoin(root) || root->getNumResults() != 1 ||
        isa<linalg::FillOp>(root) || root->getParentOfType<scf::ForallOp>())
      return false;
    Group group;
    group.root = root;
    group.rows.resize(root.getNumLoops());
    SmallVector<int> identity(root.getNumLoops());
    for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray())) {
      identity[loop] = loop;
      if (type == utils::IteratorType::parallel)
        group.rows.set(loop);
    }
    group.loopOf[root] = identity;
    grow(group);
    dropShared(group);

    // Worth it where rows are reduced and what is kept from memory is large.
    bool reduces = root.getNumReductionLoops() > 0;
    int64_t saved = 0;
    for (Operation *producer : group.producers) {
      reduces |= cast<linalg::LinalgOp>(producer).getNumReductionLoops() > 0;
      if (!isa<linalg::FillOp>(producer))
        saved = std::max(saved, bytesOf(producer->getResult(0)));
    }
    // Reading the same rows again counts as well.
    for (Value input : root.getDpsInputs())
      if (isa<RankedTensorType>(input.getType()) && !group.producers.empty())
        saved = std::max(saved, bytesOf(input));
    bool any = llvm::any_of(group.producers, [](Operation *op) {
      return !isa<linalg::FillOp>(op);
    });
    if (!reduces || !any || saved < smallBytes)
      return false;

    // The innermost row loop takes as many rows as make a group.
    SmallVector<int64_t> ranges = root.getStaticLoopRanges();
    int64_t perRow = 1;
    int last = -1;
    for (auto [loop, extent] : llvm::enumerate(ranges)) {
      if (group.rows.test(loop))
        last = loop;
      else
        perRow *=
            ShapedType::isDynamic(extent) ? 1024 : std::max<int64_t>(extent, 1);
    }
    int64_t step = std::max<int64_t>(elementsPerGroup / perRow, 1);
    if (!ShapedType::isDynamic(ranges[last])) {
      step = std::min(step, std::max<int64_t>(ranges[last], 1));
      // A divisor near by spares the group that is shorter.
      for (int64_t near = step; near > step / 2; --near)
        if (ranges[last] % near == 0) {
          step = near;
          break;
        }
    }
    OpBuilder builder(root);
    SmallVector<OpFoldResult> sizes(root.getNumLoops(),
                                    builder.getIndexAttr(0));
    for (int loop : group.rows.set_bits())
      sizes[loop] = builder.getIndexAttr(loop == last ? step : 1);

    scf::SCFTilingOptions tiling;
    tiling.setTileSizes(sizes).setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
    scf::SCFTileAndFuseOptions options;
    options.setTilingOptions(tiling).setFusionControlFn(
        [&](tensor::ExtractSliceOp, OpResult producer, bool)
            -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          if (!group.producers.contains(producer.getOwner()))
            return std::nullopt;
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        });
    IRRewriter rewriter(root);
    FailureOr<scf::SCFTileAndFuseResult> result =
        scf::tileConsumerAndFuseProducersUsingSCF(
            rewriter, cast<TilingInterface>(root.getOperation()), options);
    if (failed(result))
      return false;
    for (OpResult value : root->getResults())
      if (Value replacement = result->replacements.lookup(value))
        rewriter.replaceAllUsesWith(value, replacement);
    done.insert(group.producers.begin(), group.producers.end());
    // Users first: what the group computed is not computed again outside.
    if (root->use_empty())
      rewriter.eraseOp(root);
    for (bool erased = true; erased;) {
      erased = false;
      for (Operation *producer : llvm::to_vector(group.producers))
        if (producer->use_empty()) {
          group.producers.remove(producer);
          rewriter.eraseOp(producer);
          erased = true;
        }
    }
    return true;
  }
};
} // namespace
