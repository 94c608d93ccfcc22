//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. Regions of use of gathered arguments, as UseRegions.h
// defines them. Requires placements on every value; changes nothing.
//
//===----------------------------------------------------------------------===//

#include "UseRegions.h"

#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Memory/PeakMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace shardir;

/// The operand of an op that makes one tensor of one other, element for element
/// in any order; null for other ops.
static OpOperand *onlySource(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() > 1 ||
      asShardableRegion(op))
    return nullptr;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  OpOperand *source = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        isRematerializable(operand.get()))
      continue;
    if (source)
      return nullptr;
    source = &operand;
  }
  if (!type || !source || !type.hasStaticShape())
    return nullptr;
  auto from = cast<RankedTensorType>(source->get().getType());
  if (!from.hasStaticShape() || from.getNumElements() != type.getNumElements())
    return nullptr;
  bool reads = llvm::any_of(getShardingRule(op)->factors, [](const Factor &f) {
    return f.kind == FactorKind::Reduction && f.size != 1;
  });
  return reads || !capturedTensors(op).empty() ? nullptr : source;
}

static constexpr int kMaxDepth = 8;

bool shardir::isOfArgument(Value value) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isa<func::FuncOp>(argument.getOwner()->getParentOp());
    Operation *op = value.getDefiningOp();
    if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
      value = redistribute.getInput();
      continue;
    }
    OpOperand *source = onlySource(op);
    if (!source)
      return false;
    value = source->get();
  }
  return false;
}

bool shardir::grows(PlacementAttr from, PlacementAttr to, RankedTensorType type,
                    const MeshTable &meshes) {
  return localBytes(type, to, meshes) > localBytes(type, from, meshes);
}

Operation *shardir::topOf(OpOperand *use, Block *block) {
  return block->findAncestorOpInBlock(*use->getOwner());
}

/// The dims of its operand that a use contracts, seen through ops that move
/// elements alone.
static SmallVector<int> contractedDims(OpOperand &use, int depth = 0) {
  Operation *op = use.getOwner();
  SharedRule shared = getShardingRule(op);
  const ShardingRule &rule = *shared;
  SmallVector<int> dims;
  if (use.getOperandNumber() >= rule.operands.size())
    return dims;
  const TensorFactors &factors = rule.operands[use.getOperandNumber()];
  for (auto [dim, own] : llvm::enumerate(factors.dims))
    if (llvm::any_of(own, [&](int f) {
          return rule.factors[f].kind == FactorKind::Reduction;
        }))
      dims.push_back(dim);
  if (!dims.empty() || depth == kMaxDepth || onlySource(op) != &use ||
      !op->hasOneUse())
    return dims;
  SmallVector<int> later =
      contractedDims(*op->getResult(0).use_begin(), depth + 1);
  const TensorFactors &result = rule.results[0];
  for (int dim = 0, e = factors.dims.size(); dim < e; ++dim)
    for (int other : later)
      if (llvm::any_of(result.dims[other],
                       [&](int f) {
                         return llvm::is_contained(factors.dims[dim], f);
                       }) &&
          !llvm::is_contained(dims, dim))
        dims.push_back(dim);
  return dims;
}

/// The source of a redistribution or of a chain of them.
static Value rootOf(Value value) {
  while (auto op = value.getDefiningOp<RedistributeOp>())
    value = op.getInput();
  return value;
}

/// True if an op between `first` and `last` uses another gathered argument.
static bool usesOthersBetween(Operation *first, Operation *last, Value root,
                              const MeshTable &meshes) {
  auto isOther = [&](RedistributeOp op) {
    return op && isPlain(op) &&
           grows(op.getFrom(), op.getTo(), op.getType(), meshes) &&
           rootOf(op) != root && isOfArgument(op);
  };
  auto isBetween = [&](Operation *user) {
    Operation *top = first->getBlock()->findAncestorOpInBlock(*user);
    return top && first->isBeforeInBlock(top) && top->isBeforeInBlock(last);
  };
  for (Operation *op = first->getNextNode(); op && op != last;
       op = op->getNextNode()) {
    // A region may use what is gathered in front of the op.
    if (auto gather = dyn_cast<RedistributeOp>(op)) {
      if (isOther(gather) && llvm::any_of(op->getUsers(), isBetween))
        return true;
      continue;
    }
    for (Value operand : op->getOperands())
      if (isOther(operand.getDefiningOp<RedistributeOp>()))
        return true;
  }
  return false;
}

SmallVector<int> shardir::findUseRegions(Value root, ArrayRef<OpOperand *> uses,
                                         Block *block,
                                         const MeshTable &meshes) {
  SmallVector<int> regions;
  SmallVector<int> lastDims;
  int region = 0;
  for (auto [i, use] : llvm::enumerate(uses)) {
    SmallVector<int> dims = contractedDims(*use);
    bool otherRole = !dims.empty() && !lastDims.empty() && dims != lastDims;
    Operation *top = topOf(use, block);
    Operation *before = i ? topOf(uses[i - 1], block) : nullptr;
    // A value used in an op's regions is alive for as long as the op runs.
    if (i && before != top &&
        (otherRole || usesOthersBetween(before, top, root, meshes))) {
      ++region;
      lastDims.clear();
    }
    regions.push_back(region);
    if (!dims.empty())
      lastDims = dims;
  }
  return regions;
}
