//===- AttentionNeighbours.cpp - What an attention takes along ------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires kernel.attention on memrefs. A map is taken along if it is the next
// op that touches what attention writes, reads acc once at each place under its
// own name, max and sum at the same row, and nothing in between depends on it.
//
//===----------------------------------------------------------------------===//

#include "../BufferUse.h"
#include "AttentionProblem.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr unsigned maxWindow = 24;

bool isLowest(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() &&
         number.isNegative();
}

/// The fill of all of `init` with a neutral value that nothing changed since;
/// null for none.
linalg::FillOp neutralFill(kernel::AttentionOp op, Value init, bool lowest) {
  unsigned seen = 0;
  for (Operation *before = op->getPrevNode(); before && seen < maxWindow;
       before = before->getPrevNode(), ++seen) {
    if (isQuiet(before) || !touches(before, init))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (!fill || fill.getDpsInits()[0] != init)
      return {};
    Value value = fill.getInputs()[0];
    bool neutral =
        lowest ? isLowest(value) : matchPattern(value, m_AnyZeroFloat());
    return neutral ? fill : linalg::FillOp();
  }
  return {};
}

/// By loop of `op` the attention's loop, where `op` maps each element of acc;
/// empty where it does not, or uses max or sum otherwise than row by row.
SmallVector<int> matchMap(linalg::LinalgOp op, kernel::AttentionOp attention) {
  if (op.getNumParallelLoops() != op.getNumLoops() || !hasLoopNest(op) ||
      isa<linalg::FillOp>(op.getOperation()))
    return {};
  Value written[] = {attention.getAcc(), attention.getMax(),
                     attention.getSum()};
  SmallVector<int> loops(op.getNumLoops(), -1);
  // acc tells which loop is which.
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (input->get() != written[0])
      continue;
    if (!map.isPermutation())
      return {};
    AffineMap accMap = attention.getMap(attention.getAccMutable());
    for (auto [mine, theirs] : llvm::zip(map.getResults(), accMap.getResults()))
      loops[cast<AffineDimExpr>(mine).getPosition()] =
          cast<AffineDimExpr>(theirs).getPosition();
  }
  if (llvm::is_contained(loops, -1))
    return {};
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) &&
        (!map.isPermutation() || op.payloadUsesValueFromOperand(&operand)))
      return {};
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    for (auto [number, buffer] : llvm::enumerate(written)) {
      if (baseOf(operand.get()) != baseOf(buffer))
        continue;
      // In place is fine where the same element was read.
      if (operand.get() != buffer || (op.isDpsInit(&operand) && number != 0))
        return {};
      AffineMap theirs = attention.getMap(attention->getNumOperands() - 3 +
                                          static_cast<unsigned>(number));
      for (auto [mine, expected] :
           llvm::zip(map.getResults(), theirs.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(mine);
        if (!dim || loops[dim.getPosition()] !=
                        int(cast<AffineDimExpr>(expected).getPosition()))
          return {};
      }
    }
  }
  bool loads = false;
  op.getBlock()->walk([&](memref::LoadOp load) {
    for (Value buffer : written)
      loads |= baseOf(load.getMemref()) == baseOf(buffer);
  });
  return loads ? SmallVector<int>() : loops;
}

/// True if all that `map` writes into the queries' buffer is written where the
/// queries of the same row are read. `loops` is matchMap's.
bool keepsRows(linalg::LinalgOp map, kernel::AttentionOp op,
               ArrayRef<int> loops) {
  kernel::AttentionOp::Loops roles = op.getLoops();
  AffineMap query = op.getMap(op.getQueryMutable());
  // A block must have all columns, for which every kind of kernel has a plan.
  AttentionShape shape = attentionShapeOf(op);
  bool small = op.getComputeType().isF32() && shape.k.value_or(0) <= 128;
  if (!shape.v || *shape.v > (small ? 128 : 64))
    return false;
  for (OpOperand &init : map.getDpsInitsMutable()) {
    if (baseOf(init.get()) != baseOf(op.getQuery()))
      continue;
    if (init.get() != op.getQuery())
      return false;
    AffineMap written = map.getMatchingIndexingMap(&init);
    for (auto [to, from] :
         llvm::zip(written.getResults(), query.getResults())) {
      auto read = dyn_cast<AffineDimExpr>(from);
      if (!read)
        return false;
      int loop = loops[cast<AffineDimExpr>(to).getPosition()];
      unsigned readLoop = read.getPosition();
      bool columns = llvm::is_contained(roles.v, unsigned(loop)) &&
                     llvm::is_contained(roles.k, readLoop);
      if (loop != int(readLoop) && !columns)
        return false;
    }
  }
  return true;
}

BufferUse useOf(kernel::AttentionOp op) {
  BufferUse use;
  for (Value operand : op->getOperands())
    use.reads.push_back(baseOf(operand));
  for (Value init : op.getDpsInits())
    use.writes.push_back(baseOf(init));
  op->walk([&](memref::LoadOp load) {
    use.reads.push_back(baseOf(load.getMemref()));
  });
  return use;
}
} // namespace

AttentionNeighbours shardir::findNeighbours(kernel::AttentionOp op) {
  AttentionNeighbours result;
  llvm::SmallPtrSet<Operation *, 4> members;
  members.insert(op);
  auto fill = [&](Value init, bool lowest) {
    linalg::FillOp found = neutralFill(op, init, lowest);
    if (found && members.insert(found).second)
      result.deadFills.push_back(found);
    return static_cast<bool>(found);
  };
  result.zeroAcc = fill(op.getAcc(), false);
  result.lowestMax = fill(op.getMax(), true);
  result.zeroSum = fill(op.getSum(), false);

  BufferUse mine = useOf(op);
  SmallVector<Value> query = {baseOf(op.getQuery())}, factors;
  for (Value input : llvm::drop_begin(op.getDpsInputs()))
    factors.push_back(baseOf(input));
  unsigned seen = 0;
  for (Operation *next = op->getNextNode(); next && seen < maxWindow;
       next = next->getNextNode(), ++seen) {
    if (isQuiet(next) || isa<memref::DeallocOp>(next))
      continue;
    auto map = dyn_cast<linalg::LinalgOp>(next);
    if (!map || !map.hasPureBufferSemantics())
      break;
    BufferUse use = bufferUseOf(map);
    SmallVector<int> loops = matchMap(map, op);
    // Blocks that are done must not write what others still read.
    bool inPlace = use.writesAny(query);
    if (!loops.empty() && !use.writesAny(factors) &&
        (!inPlace || keepsRows(map, op, loops))) {
      result.map = map;
      result.overwritesQuery = inPlace;
      result.loops = loops;
      members.insert(map);
      break;
    }
    if (!independent(mine, use))
      break;
  }

  Operation *last = result.last(op);
  auto note = [&](Value view) {
    OtherUses others = otherUsesOf(view, members, last);
    for (Operation *free : others.earlyFrees)
      if (!llvm::is_contained(result.earlyFrees, free))
        result.earlyFrees.push_back(free);
    return others.escapes;
  };
  bool overwritten =
      result.map && llvm::is_contained(result.map.getDpsInits(), op.getAcc());
  result.accEscapes = note(op.getAcc()) && !overwritten;
  result.maxEscapes = note(op.getMax());
  result.sumEscapes = note(op.getSum());
  for (Value base : mine.reads)
    note(base);
  return result;
}

void shardir::eraseAttention(RewriterBase &rewriter, kernel::AttentionOp op,
                             const AttentionNeighbours &neighbours) {
  Operation *last = neighbours.last(op);
  for (Operation *free : neighbours.earlyFrees)
    rewriter.moveOpAfter(free, last);
  if (linalg::LinalgOp map = neighbours.map)
    rewriter.eraseOp(map);
  rewriter.eraseOp(op);
  for (Operation *fill : neighbours.deadFills)
    rewriter.eraseOp(fill);
}
