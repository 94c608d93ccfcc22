//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward analysis to a fixed point: axes enter at manual_in and axis_index,
// pass every op, and end at manual_out and at collectives over them. Guarantees
// that no value varies along an axis that is not told.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/ManualAxes.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "mlir/Transforms/RegionUtils.h"

#include <map>

using namespace mlir;
using namespace shardir;

const ManualAxes::Axes &ManualAxes::of(Value value) const {
  static const Axes none;
  auto found = axes.find(value);
  return found == axes.end() ? none : found->second;
}

ManualAxes::Axes ManualAxes::ofOperands(Operation *op) const {
  Axes all;
  auto addAll = [&](Value value) {
    const Axes &own = of(value);
    all.insert(own.begin(), own.end());
  };
  for (Value operand : op->getOperands())
    addAll(operand);
  // Values that regions read count, too.
  if (!asShardableRegion(op))
    for (Region &region : op->getRegions())
      visitUsedValuesDefinedAbove(
          region, [&](OpOperand *operand) { addAll(operand->get()); });
  return all;
}

bool ManualAxes::add(Value value, const Axes &more) {
  if (more.empty())
    return false;
  Axes &own = axes[value];
  size_t before = own.size();
  own.insert(more.begin(), more.end());
  return own.size() != before;
}

bool ManualAxes::visit(Operation *op) {
  bool changed = false;
  if (auto region = asShardableRegion(op)) {
    // The branch taken, or the trip count, may vary as well.
    Axes control;
    auto addScalars = [&](ValueRange values) {
      for (Value value : values)
        if (!isa<ShapedType>(value.getType())) {
          const Axes &own = of(value);
          control.insert(own.begin(), own.end());
        }
    };
    addScalars(op->getOperands());
    for (Region &each : op->getRegions())
      for (Block &block : each)
        addScalars(block.getTerminator()->getOperands());
    for (const RegionValueGroup &group : region.getValueGroups()) {
      Axes all = control;
      for (OpOperand *operand : group.operands) {
        const Axes &own = of(operand->get());
        all.insert(own.begin(), own.end());
      }
      for (Value value : group.values)
        changed |= add(value, all);
    }
    // Scalars that it carries or gives.
    auto addAll = [&](ValueRange values) {
      for (Value value : values)
        if (!isa<ShapedType>(value.getType()))
          changed |= add(value, control);
    };
    addAll(op->getResults());
    for (Region &each : op->getRegions())
      for (Block &block : each)
        addAll(block.getArguments());
    return changed;
  }
  Axes all = ofOperands(op);
  auto insert = [&](const std::vector<AxisRef> &more) {
    for (const AxisRef &axis : more)
      all.insert(axis.name);
  };
  if (auto in = dyn_cast<ManualInOp>(op))
    insert(manualAxesOf(in.getPlacement().getValue(), in.getAxes()));
  if (auto out = dyn_cast<ManualOutOp>(op))
    for (auto axis : out.getAxes().getAsRange<StringAttr>())
      all.erase(axis.str());
  if (auto index = dyn_cast<AxisIndexOp>(op))
    all.insert(index.getAxis().str());
  if (auto step = dyn_cast<ManualCollectiveOp>(op)) {
    // Groups along a part of an axis leave a value that varies along the rest.
    std::map<std::string, int64_t> covered;
    const std::vector<AxisRef> source = axesOf(step.getSource().getValue());
    Mesh mesh = source.empty()
                    ? Mesh()
                    : lookupMesh(op, step.getSource().getMesh()).getMesh();
    for (const AxisRef &axis : source) {
      int64_t &size = covered.try_emplace(axis.name, 1).first->second;
      size *= axisSize(mesh, axis);
      if (size == axisSize(mesh, AxisRef{axis.name}))
        all.erase(axis.name);
    }
    insert(axesOf(step.getTarget().getValue()));
  }
  for (OpResult result : op->getResults())
    changed |= add(result, all);
  return changed;
}

ManualAxes::ManualAxes(Operation *root) {
  // Nothing varies unless something makes it.
  WalkResult found = root->walk([](Operation *op) {
    return isa<ManualInOp, AxisIndexOp>(op) ? WalkResult::interrupt()
                                            : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  bool changed = true;
  while (changed) {
    changed = false;
    root->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { changed |= visit(op); });
  }
}
