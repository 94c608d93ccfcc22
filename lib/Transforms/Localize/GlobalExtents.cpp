//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unknown extents as values of the local program, and through loops and
// branches. See GlobalExtents.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "GlobalExtents.h"

#include "ShardIR/Analysis/ExtentRules.h"
#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// True if a dim of unknown extent is split.
static bool isOpenAndCut(Value value, PlacementAttr placement, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && placement && type.isDynamicDim(dim) &&
         !placement.getValue().axesOf(dim).empty();
}

/// `op` with more operands and results of type index behind its own.
static Operation *withMore(Operation *op, ValueRange operands,
                           size_t numResults) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  state.addTypes(SmallVector<Type>(numResults, builder.getIndexType()));
  state.addAttributes(op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *wider = builder.create(state);
  for (auto [from, to] : llvm::zip(op->getRegions(), wider->getRegions()))
    to.takeBody(from);
  // Lists of placements have one entry per result.
  if (auto list = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements)) {
    SmallVector<Attribute> entries(list.getValue());
    entries.append(numResults, builder.getUnitAttr());
    wider->setAttr(ShardIRDialect::kPlacements, builder.getArrayAttr(entries));
  }
  op->replaceAllUsesWith(wider->getResults().take_front(op->getNumResults()));
  op->erase();
  return wider;
}

/// Carries the extents of one loop or branch.
static void carryExtentsOf(ShardableRegionOpInterface op,
                           CarriedExtents &carried) {
  SmallVector<RegionValueGroup> groups = op.getValueGroups();
  SmallVector<PlacementAttr> placements = getGroupPlacements(op, groups);
  SmallVector<Value> operands;
  // Result number and dim of the results that follow.
  SmallVector<std::pair<unsigned, int64_t>> results;
  Type index = IndexType::get(op->getContext());
  auto extentOf = [&](OpOperand *operand, int64_t dim) -> Value {
    OpBuilder builder(operand->getOwner());
    return tensor::DimOp::create(builder, operand->getOwner()->getLoc(),
                                 operand->get(), dim);
  };
  for (auto [i, placement] : llvm::enumerate(placements)) {
    auto type = cast<RankedTensorType>(groups[i].values.front().getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      const RegionValueGroup &group = groups[i];
      if (!isOpenAndCut(group.values.front(), placement, dim))
        continue;
      for (OpOperand *operand : group.operands) {
        Operation *owner = operand->getOwner();
        Value extent = extentOf(operand, dim);
        if (owner == op)
          operands.push_back(extent);
        else
          owner->insertOperands(owner->getNumOperands(), extent);
      }
      for (Value value : group.values) {
        if (auto result = dyn_cast<OpResult>(value))
          results.push_back({result.getResultNumber(), dim});
        else
          carried[{value, dim}] =
              cast<BlockArgument>(value).getOwner()->addArgument(
                  index, value.getLoc());
      }
      // The list of a terminator may have moved: the groups are read again.
      groups = op.getValueGroups();
    }
  }
  if (operands.empty() && results.empty())
    return;
  unsigned first = op->getNumResults();
  Operation *wider = withMore(op, operands, results.size());
  for (auto [i, result] : llvm::enumerate(results))
    carried[{wider->getResult(result.first), result.second}] =
        wider->getResult(first + i);
}

CarriedExtents shardir::carryExtents(func::FuncOp function) {
  SmallVector<ShardableRegionOpInterface> ops;
  function.walk([&](Operation *op) {
    if (auto region = asShardableRegion(op))
      ops.push_back(region);
  });
  CarriedExtents carried;
  for (ShardableRegionOpInterface op : ops)
    carryExtentsOf(op, carried);
  return carried;
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

namespace {
/// Extents as values of the local program.
struct LocalExtents {
  using Extent = OpFoldResult;
  OpBuilder &builder;
  Location loc;
  const Localizer &localizer;
  const IRMapping &mapping;
  IndexMath math;

  LocalExtents(OpBuilder &builder, Location loc, const Localizer &localizer,
               const IRMapping &mapping)
      : builder(builder), loc(loc), localizer(localizer), mapping(mapping),
        math(builder, loc) {}

  OpFoldResult of(Value whole, int64_t dim) {
    return localizer.globalExtent(builder, loc, localizer.global(whole), dim,
                                  mapping.lookup(whole));
  }
  OpFoldResult scalar(OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? OpFoldResult(mapping.lookup(value)) : size;
  }
  OpFoldResult constant(int64_t value) { return math.constant(value); }
  OpFoldResult add(OpFoldResult a, OpFoldResult b) { return math.add(a, b); }
  OpFoldResult mul(OpFoldResult a, OpFoldResult b) { return math.mul(a, b); }
  OpFoldResult div(OpFoldResult a, OpFoldResult b) { return math.div(a, b); }
};
} // namespace

FailureOr<SmallVector<Value>>
shardir::globalExtentsOf(OpResult result, const Localizer::Global &global,
                         OpBuilder &builder, const Localizer &localizer,
                         const IRMapping &mapping) {
  SmallVector<Value> values;
  std::optional<SharedRule> rule;
  Operation *op = result.getOwner();
  LocalExtents extents(builder, op->getLoc(), localizer, mapping);
  for (int64_t dim = 0; dim < global.type.getRank(); ++dim) {
    if (!global.type.isDynamicDim(dim) || !localizer.isCut(global, dim))
      continue;
    OpFoldResult extent = extentOf(result, dim, rule, extents);
    if (!extent)
      return op->emitOpError("splits dim ")
             << dim << " of type " << global.type << " by "
             << toString(global.placement.getValue().axesOf(dim).front())
             << ", but its extent is known only at run time, and the op does "
                "not tell it; make it static or leave the dim unsharded";
    values.resize(global.type.getRank());
    values[dim] = extents.math.value(extent);
  }
  return values;
}
