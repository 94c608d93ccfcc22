//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Placements of what flows through regions. A group with a result has the
// result's entry of `shardir.placements`; those without one are listed, in
// order, in `shardir.carried`. Requires verified ops; changes no types.
// In the dialect's library, for the placement of a region argument is queried
// like that of any other value.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/ShardableRegion.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace shardir;

#include "ShardIR/Interfaces/ShardableRegionOpInterface.cpp.inc"

ShardableRegionOpInterface shardir::asShardableRegion(Operation *op) {
  auto region = dyn_cast_or_null<ShardableRegionOpInterface>(op);
  if (!region)
    return nullptr;
  for (Region &each : op->getRegions())
    if (!each.empty() && !each.hasOneBlock())
      return nullptr;
  return region;
}

bool shardir::isPlacedBlock(Block *block) {
  Operation *parent = block ? block->getParentOp() : nullptr;
  while (parent && !isa<FunctionOpInterface>(parent)) {
    if (!asShardableRegion(parent))
      return false;
    parent = parent->getParentOp();
  }
  return parent;
}

static OpResult resultOf(const RegionValueGroup &group) {
  for (Value value : group.values)
    if (auto result = dyn_cast<OpResult>(value))
      return result;
  return {};
}

SmallVector<PlacementAttr>
shardir::getGroupPlacements(ShardableRegionOpInterface op,
                            ArrayRef<RegionValueGroup> groups) {
  SmallVector<PlacementAttr> placements;
  size_t withoutResult = 0;
  for (const RegionValueGroup &group : groups) {
    OpResult result = resultOf(group);
    placements.push_back(result ? getResultPlacement(result) : nullptr);
    withoutResult += !result;
  }
  // An op that lost a group since has a list that no longer fits.
  auto carried = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kCarried);
  if (carried && carried.size() == withoutResult)
    for (size_t i = 0; i < withoutResult; ++i)
      placements[groups.size() - withoutResult + i] =
          dyn_cast<PlacementAttr>(carried[i]);
  return placements;
}

void shardir::setGroupPlacements(ShardableRegionOpInterface op,
                                 ArrayRef<PlacementAttr> placements) {
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> results(op->getNumResults(), UnitAttr::get(context));
  SmallVector<Attribute> carried;
  bool any = false;
  for (auto [group, placement] :
       llvm::zip_equal(op.getValueGroups(), placements)) {
    if (OpResult result = resultOf(group)) {
      results[result.getResultNumber()] = placement;
      any = true;
    } else {
      carried.push_back(placement);
    }
  }
  // A list that upstream's passes left behind and that fits no more goes.
  if (any)
    op->setAttr(ShardIRDialect::kPlacements, ArrayAttr::get(context, results));
  else
    op->removeAttr(ShardIRDialect::kPlacements);
  if (!carried.empty())
    op->setAttr(ShardIRDialect::kCarried, ArrayAttr::get(context, carried));
  else
    op->removeAttr(ShardIRDialect::kCarried);
}

SmallVector<std::pair<OpOperand *, PlacementAttr>>
shardir::getGroupedOperands(Operation *op) {
  SmallVector<std::pair<OpOperand *, PlacementAttr>> operands;
  auto collect = [&](ShardableRegionOpInterface region) {
    SmallVector<RegionValueGroup> groups = region.getValueGroups();
    for (auto [group, placement] :
         llvm::zip_equal(groups, getGroupPlacements(region, groups)))
      for (OpOperand *operand : group.operands)
        if (operand->getOwner() == op)
          operands.push_back({operand, placement});
  };
  if (auto region = asShardableRegion(op))
    collect(region);
  else if (op->hasTrait<OpTrait::IsTerminator>())
    if (auto parent = asShardableRegion(op->getParentOp()))
      collect(parent);
  return operands;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

PlacementAttr shardir::getPlacement(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return getResultPlacement(result);
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<FunctionOpInterface>(parent))
    return argument.getOwner()->isEntryBlock()
               ? function.getArgAttrOfType<PlacementAttr>(
                     argument.getArgNumber(), ShardIRDialect::kPlacement)
               : nullptr;
  auto region = asShardableRegion(parent);
  if (!region)
    return {};
  if (OpResult result = region.getGroupedResult(argument))
    return getResultPlacement(result);
  SmallVector<RegionValueGroup> groups = region.getValueGroups();
  for (auto [group, placement] :
       llvm::zip_equal(groups, getGroupPlacements(region, groups)))
    if (llvm::is_contained(group.values, value))
      return placement;
  return {};
}
