//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of captured tensors in linalg bodies, as CapturedReads.h says. Requires
// linalg on tensors; guarantees that a tensor which a body uses in any way but
// tensor.extract is unsharded.
//
//===----------------------------------------------------------------------===//

#include "CapturedReads.h"

#include "ShardIR/Analysis/BodyPartials.h"
#include "ShardIR/Analysis/SameExtent.h"
#include "ShardPosition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

namespace {
/// How a body reads one tensor that it captures.
struct CapturedReads {
  SmallVector<int>
      loops; ///< per dim: the loop at whose index it is read, or -1
  /// Where it is read once and for nothing but the op's one result: the kind
  /// by which terms of that result combine.
  std::optional<PartialKind> lookup;
  bool isMoved = false; ///< the result is the element as it is
};
} // namespace

/// The loop whose own index `index` is, or -1.
static int loopOfIndex(linalg::LinalgOp op, Value index) {
  auto query = index.getDefiningOp<linalg::IndexOp>();
  if (!query || query->getParentOfType<linalg::LinalgOp>() != op)
    return -1;
  return query.getDim();
}

/// True if `op` yields only `element`, or `element` combined with what
/// was there; and the kind of that.
static void matchLookup(linalg::LinalgOp op, tensor::ExtractOp read,
                        CapturedReads &reads) {
  Value element = read.getResult();
  Block &body = *op.getBlock();
  if (op.getNumDpsInits() != 1 || read->getBlock() != &body ||
      !element.hasOneUse() || !lookupKind(element.getType()))
    return;
  Value yielded = body.getTerminator()->getOperand(0);
  if (yielded == element) {
    if (op.getNumParallelLoops() != op.getNumLoops())
      return;
    reads.lookup = lookupKind(element.getType());
    reads.isMoved = true;
    return;
  }
  BlockArgument accumulator =
      op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  std::optional<PartialKind> kind = matchAccumulation(yielded, accumulator);
  if (kind &&
      llvm::is_contained(yielded.getDefiningOp()->getOperands(), element))
    reads.lookup = kind;
}

/// True if a loop of `op` is known to run over all of a tensor's dim.
static bool runsOver(linalg::LinalgOp op, unsigned loop, Value tensor,
                     int64_t dim) {
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<unsigned> own =
            op.getMatchingIndexingMap(&operand).getResultPosition(
                getAffineDimExpr(loop, op.getContext())))
      if (haveSameExtent(operand.get(), *own, tensor, dim))
        return true;
  return false;
}

static CapturedReads capturedReads(linalg::LinalgOp op, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  CapturedReads none, reads;
  none.loops.assign(rank, -1);
  tensor::ExtractOp first;
  int count = 0;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    if (!op->isProperAncestor(user))
      continue;
    auto read = dyn_cast<tensor::ExtractOp>(user);
    if (!read)
      return none;
    SmallVector<int> loops;
    for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
      int loop = loopOfIndex(op, index);
      bool same = loop >= 0 && runsOver(op, loop, tensor, dim);
      loops.push_back(same ? loop : -1);
    }
    if (count++ == 0) {
      reads.loops = loops;
      first = read;
      continue;
    }
    for (auto [all, one] : llvm::zip(reads.loops, loops))
      if (all != one)
        all = -1;
  }
  if (count == 0)
    return none;
  // On a diagonal one axis would cut two dims of one tensor (P1).
  SmallVector<int> loops = reads.loops;
  for (int &loop : reads.loops)
    if (loop >= 0 && llvm::count(loops, loop) > 1)
      loop = -1;
  if (count == 1)
    matchLookup(op, first, reads);
  return reads;
}

void shardir::addCapturedFactors(linalg::LinalgOp op, ShardingRule &rule) {
  for (Value tensor : capturedTensors(op)) {
    CapturedReads reads = capturedReads(op, tensor);
    auto type = cast<RankedTensorType>(tensor.getType());
    TensorFactors factors;
    factors.dims.resize(type.getRank());
    for (auto [dim, loop] : llvm::enumerate(reads.loops)) {
      int64_t extent = type.getDimSize(dim);
      if (loop >= 0) {
        factors.dims[dim] = {loop};
      } else if (reads.lookup && (type.isDynamicDim(dim) || extent > 1)) {
        int factor = rule.addFactor(extent, FactorKind::Reduction);
        rule.factors[factor].combiners = {*reads.lookup};
        rule.factors[factor].isIterated = false;
        factors.dims[dim] = {factor};
      }
    }
    if (reads.isMoved)
      rule.partials.push_back({std::nullopt, {int(rule.operands.size())}});
    rule.operands.push_back(factors);
  }
}

void shardir::localizeCapturedReads(
    linalg::LinalgOp op, linalg::LinalgOp local, OpBuilder &builder,
    const Localizer &localizer,
    llvm::SmallPtrSetImpl<Operation *> &localIndices) {
  SmallVector<tensor::ExtractOp> originalReads, localReads;
  op->walk([&](tensor::ExtractOp read) { originalReads.push_back(read); });
  local->walk([&](tensor::ExtractOp read) { localReads.push_back(read); });
  llvm::DenseMap<Value, CapturedReads> known;
  for (auto [original, read] : llvm::zip_equal(originalReads, localReads)) {
    Value tensor = original.getTensor();
    // A replicated tensor is read as before.
    if (!localizer.local(tensor))
      continue;
    auto [it, isNew] = known.try_emplace(tensor);
    if (isNew)
      it->second = capturedReads(op, tensor);
    const CapturedReads &reads = it->second;
    Localizer::Global global = localizer.global(tensor);
    ShardDigits digits = shardDigits(builder, read.getLoc(), localizer, global);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(read);
    bool masked = false;
    for (auto [dim, own] : llvm::enumerate(digits)) {
      if (reads.loops[dim] >= 0) {
        own.clear();
        // The read may be in a branch; linalg.index stands in the body itself.
        OpBuilder start = OpBuilder::atBlockBegin(local.getBlock());
        auto index =
            linalg::IndexOp::create(start, read.getLoc(), reads.loops[dim]);
        read.getIndicesMutable()[dim].set(index);
        localIndices.insert(index);
      }
      masked |= !own.empty();
    }
    if (!masked)
      continue;
    Value element = extractOr(
        builder, read.getLoc(), read.getTensor(),
        localPosition(builder, read.getLoc(), digits, read.getIndices()),
        *reads.lookup, mayBeEmpty(read.getTensor()));
    read.replaceAllUsesWith(element);
    read.erase();
  }
}
