//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at one value alone: the other values stay as they are. See
// MemorySavings.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Memory/MemorySavings.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

/// True if a rule has a factor in the dim that may be split.
static bool canSplit(const ShardingRule &rule, const TensorFactors &tensor,
                     int64_t dim) {
  return llvm::any_of(tensor.dims[dim], [&](int factor) {
    return rule.factors[factor].kind != FactorKind::Replicate;
  });
}

/// True if the op that makes a value can make it split, and, where that is a
/// redistribution, if its users can read it so. What a region op or a boundary
/// holds may be split in any dim.
static bool canSplit(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (!op || asShardableRegion(op))
    return true;
  if (!isa<RedistributeOp, collective::CollectiveOpInterface>(op)) {
    SharedRule rule = getShardingRule(op);
    unsigned result = cast<OpResult>(value).getResultNumber();
    return isa<ConstrainOp>(op) || canSplit(rule, rule->results[result], dim);
  }
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->hasTrait<OpTrait::IsTerminator>() || asShardableRegion(user) ||
        isa<ConstrainOp, RedistributeOp, collective::CollectiveOpInterface>(
            user))
      return true;
    SharedRule rule = getShardingRule(user);
    return use.getOperandNumber() >= rule->operands.size() ||
           canSplit(rule, rule->operands[use.getOperandNumber()], dim);
  });
}

std::pair<RankedTensorType, PlacementAttr> shardir::placedAs(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return {type, getPlacement(value)};
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  if (!function)
    return {};
  unsigned number = argument.getArgNumber();
  auto global =
      function.getArgAttrOfType<TypeAttr>(number, ShardIRDialect::kGlobalType);
  if (!global)
    return {};
  return {dyn_cast<RankedTensorType>(global.getValue()),
          function.getArgAttrOfType<PlacementAttr>(number,
                                                   ShardIRDialect::kPlacement)};
}

std::optional<SplitSaving> shardir::bestSplit(const HeldValue &value,
                                              const MeshTable &meshes) {
  auto [type, placement] = placedAs(value.value);
  if (!type || !placement)
    return std::nullopt;
  const Mesh &mesh = meshes.get(placement);
  const Placement &present = placement.getValue();
  auto isUsed = [&](const std::string &axis) {
    auto isIt = [&](const AxisRef &used) { return used.name == axis; };
    for (size_t d = 0; d < present.dims.size(); ++d)
      if (llvm::any_of(present.axesOf(d), isIt))
        return true;
    return llvm::any_of(present.partialAxes, isIt);
  };
  std::optional<SplitSaving> best;
  int64_t now = localBytes(type, placement, meshes);
  for (const MeshAxis &axis : mesh.axes) {
    if (isUsed(axis.name))
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!canSplit(value.value, dim))
        continue;
      Placement next = present;
      next.dims[dim].splits.push_back(Split::byAxis(axis.name));
      if (verifyPlacement(next, mesh, shapeOf(type)))
        continue;
      auto attr = PlacementAttr::get(type.getContext(), mesh.name, next);
      int64_t saved = now - localBytes(type, attr, meshes);
      if (saved > (best ? best->bytes : 0))
        best = {dim, axis.name, saved};
    }
  }
  return best;
}

/// The first user that does more than fill the value; null if none does.
static Operation *firstUser(Value value) {
  Operation *first = nullptr;
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    Operation *top = block->findAncestorOpInBlock(*user);
    if (top && isa<linalg::FillOp>(top))
      top = top->getNumResults() ? firstUser(top->getResult(0)) : nullptr;
    if (top && (!first || top->isBeforeInBlock(first)))
      first = top;
  }
  return first;
}

Operation *shardir::purposeOf(Operation *op) {
  if (!isa<tensor::EmptyOp, linalg::FillOp, memref::AllocOp>(op))
    return op;
  Operation *user = firstUser(op->getResult(0));
  return user ? user : op;
}
