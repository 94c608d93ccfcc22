//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. Costs of ops under other placements, as
// PlacementRewrite.h says. Requires operands and results that agree under the
// op's rule; changes nothing.
//
//===----------------------------------------------------------------------===//

#include "PlacementRewrite.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

using namespace mlir;
using namespace shardir;

MoveCost PlacementRewrite::cost() const {
  MoveCost total;
  for (const MoveCost &cost : operandCosts)
    total += cost;
  total.work += work;
  return total;
}

static PlacementAttr placementOf(Value value, const Overlay &overlay) {
  auto it = overlay.find(value);
  return it != overlay.end() ? it->second : getPlacement(value);
}

/// Iterations of the op on the device that has most.
static double localWork(const ShardingRule &rule, const FactorSplits &splits,
                        const Mesh &mesh) {
  double work = 1;
  for (auto [factor, own] : llvm::zip(rule.factors, splits)) {
    if (!factor.isIterated)
      continue;
    int64_t size = factor.size == kUnknown ? kAssumedDimSize : factor.size;
    for (const AxisRef &axis : axesOf(own))
      size = llvm::divideCeil(size, axisSize(mesh, axis));
    work *= double(size);
  }
  return work;
}

const ShardingRule &PlacementRewrites::ruleOf(Operation *op) const {
  auto it = rules.find(op);
  if (it == rules.end())
    it = rules.try_emplace(op, getShardingRule(op)).first;
  return *it->second;
}

bool PlacementRewrites::mayChange(Operation *op) const {
  if (!isPlacedBlock(op->getBlock()) || asShardableRegion(op) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      isa<RedistributeOp, ConstrainOp, collective::CollectiveOpInterface>(op) ||
      isa<ManualInOp, ManualOutOp, ManualCollectiveOp>(op) ||
      isa<OptimizationBarrierOp>(op) || isConstrained(op) ||
      op->getNumResults() == 0 || op->hasAttr(ShardIRDialect::kHalo))
    return false;
  // Halos have costs of their own: other placements need other halos.
  SharedRule rule = getShardingRule(op);
  if (llvm::any_of(rule->operands, [](const TensorFactors &factors) {
        return !factors.windows.empty();
      }))
    return false;
  // A rewrite handles operands alone, not the values that an op's regions
  // capture.
  if (op->getNumRegions())
    for (const TensorFactors &captured :
         llvm::drop_begin(rule->operands, op->getNumOperands()))
      for (const DimFactors &dim : captured.dims)
        if (!dim.empty())
          return false;
  PlacementAttr first;
  auto agrees = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return !isa<ShapedType>(value.getType());
    PlacementAttr own = getPlacement(value);
    first = first ? first : own;
    return own && own.getMesh() == first.getMesh() && !own.getValue().sugar;
  };
  return llvm::all_of(op->getResults(),
                      [&](Value value) {
                        return isa<RankedTensorType>(value.getType()) &&
                               agrees(value);
                      }) &&
         llvm::all_of(op->getOperands(), agrees);
}

Source PlacementRewrites::sourceOf(OpOperand &operand,
                                   const Overlay &overlay) const {
  Value value = operand.get();
  auto op = value.getDefiningOp<RedistributeOp>();
  // A gather in front of a loop must not move into the loop.
  if (op && isPlain(op) && !isConstrained(op) &&
      op->getBlock() == operand.getOwner()->getBlock()) {
    // The redistribution has the source placement, also for values without an
    // attribute.
    PlacementAttr from = placementOf(op.getInput(), overlay);
    return {op.getInput(), from ? from : op.getFrom(), op};
  }
  return {value, placementOf(value, overlay), nullptr};
}

/// Whether others have a redistribution of the source of `op`'s operand to
/// `needed`.
bool PlacementRewrites::isThereAnyway(Operation *op, const Source &source,
                                      PlacementAttr needed,
                                      const Overlay &overlay) const {
  auto type = cast<RankedTensorType>(source.value.getType());
  auto serves = [&](RedistributeOp other) {
    return samePlacement(other.getTo(), needed, type, meshes()) &&
           llvm::any_of(other->getUsers(),
                        [&](Operation *user) { return user != op; });
  };
  if (source.op && serves(source.op))
    return true;
  return shares && !overlay.contains(source.value) &&
         !source.value.hasNUsesOrMore(kManyUses) &&
         llvm::any_of(source.value.getUsers(), [&](Operation *user) {
           auto other = dyn_cast<RedistributeOp>(user);
           return other && isPlain(other) &&
                  other->getBlock() == op->getBlock() && serves(other);
         });
}

std::optional<PlacementRewrite>
PlacementRewrites::present(Operation *op) const {
  PlacementRewrite change;
  change.op = op;
  const ShardingRule &rule = ruleOf(op);
  SmallVector<Placement> results;
  SmallVector<std::optional<Placement>> operands;
  for (Value result : op->getResults()) {
    change.results.push_back(getPlacement(result));
    results.push_back(change.results.back().getValue());
  }
  llvm::SmallPtrSet<Operation *, 4> counted;
  for (OpOperand &operand : op->getOpOperands()) {
    change.operands.push_back(nullptr);
    change.operandCosts.emplace_back();
    operands.push_back(std::nullopt);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    change.operands.back() =
        normalize(getPlacement(operand.get()), type, meshes());
    operands.back() = change.operands.back().getValue();
    Source source = sourceOf(operand, Overlay());
    if (!source.op || !counted.insert(source.op).second ||
        isThereAnyway(op, source, change.operands.back(), Overlay()))
      continue;
    auto cost = costs.get(normalize(source.placement, type, meshes()),
                          change.operands.back(), type);
    if (!cost)
      return std::nullopt;
    change.operandCosts.back() = *cost;
  }
  const Mesh &mesh = meshes().get(change.results.front());
  auto inferred = inferSharding(rule, results, operands, mesh);
  if (auto *sharding = std::get_if<OpSharding>(&inferred))
    change.work = localWork(rule, sharding->splits, mesh);
  else
    return std::nullopt;
  return change;
}

std::optional<PlacementRewrite>
PlacementRewrites::with(Operation *op, ArrayRef<Placement> results,
                        const Overlay &overlay) const {
  PlacementAttr any = getPlacement(op->getResult(0));
  const Mesh &mesh = meshes().get(any);
  MLIRContext *context = op->getContext();
  PlacementRewrite change;
  change.op = op;
  const ShardingRule &rule = ruleOf(op);
  for (auto [result, placement] : llvm::zip(op->getResults(), results)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (verifyPlacement(placement, mesh, shapeOf(type),
                        elementTypeName(type.getElementType())))
      return std::nullopt;
    change.results.push_back(normalize(
        PlacementAttr::get(context, any.getMesh(), placement), type, meshes()));
  }
  SmallVector<std::optional<Placement>> sources;
  for (OpOperand &operand : op->getOpOperands())
    sources.push_back(
        isa<RankedTensorType>(operand.get().getType())
            ? std::optional(sourceOf(operand, overlay).placement.getValue())
            : std::nullopt);
  auto inferred = inferSharding(rule, results, sources, mesh);
  auto *sharding = std::get_if<OpSharding>(&inferred);
  if (!sharding)
    return std::nullopt;
  // The required placements must be inferred again as the same decision.
  SmallVector<std::optional<Placement>> wanted(sharding->operands.begin(),
                                               sharding->operands.end());
  auto again = inferSharding(rule, results, wanted, mesh);
  auto *stable = std::get_if<OpSharding>(&again);
  if (!stable || stable->operands != sharding->operands)
    return std::nullopt;
  change.work = localWork(rule, sharding->splits, mesh);
  llvm::SmallDenseSet<std::pair<Value, Attribute>> counted;
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
    change.operands.push_back(nullptr);
    change.operandCosts.emplace_back();
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    PlacementAttr needed = normalize(
        PlacementAttr::get(context, any.getMesh(), sharding->operands[i]), type,
        meshes());
    if (verifyPlacement(needed.getValue(), mesh, shapeOf(type),
                        elementTypeName(type.getElementType())))
      return std::nullopt;
    change.operands.back() = needed;
    // Users of a constrained value keep the constraint's placement.
    if (Operation *producer = operand.get().getDefiningOp();
        producer && isConstrained(producer) &&
        !samePlacement(getPlacement(operand.get()), needed, type, meshes()))
      return std::nullopt;
    Source source = sourceOf(operand, overlay);
    if (isRematerializable(source.value) ||
        !counted.insert({source.value, needed}).second)
      continue;
    if (isThereAnyway(op, source, needed, overlay))
      continue;
    auto cost =
        costs.get(normalize(source.placement, type, meshes()), needed, type);
    if (!cost)
      return std::nullopt;
    change.operandCosts.back() = *cost;
  }
  return change;
}

/// True if an axis splits two factors.
static bool usesAxisTwice(const FactorSplits &splits, const Mesh &mesh) {
  SmallVector<AxisRef> seen;
  for (const Splits &own : splits)
    for (const AxisRef &axis : axesOf(own)) {
      if (llvm::any_of(seen, [&](const AxisRef &other) {
            return overlap(axis, other, mesh);
          }))
        return true;
      seen.push_back(axis);
    }
  return false;
}

SmallVector<SmallVector<Placement>>
PlacementRewrites::takingSources(Operation *op, ArrayRef<unsigned> from,
                                 const Overlay &overlay) const {
  SmallVector<SmallVector<Placement>> candidates;
  const ShardingRule &rule = ruleOf(op);
  const Mesh &mesh = meshes().get(getPlacement(op->getResult(0)));
  SmallVector<Placement> results;
  SmallVector<std::optional<Placement>> present;
  for (Value result : op->getResults())
    results.push_back(getPlacement(result).getValue());
  for (Value operand : op->getOperands())
    present.push_back(isa<RankedTensorType>(operand.getType())
                          ? std::optional(getPlacement(operand).getValue())
                          : std::nullopt);
  auto inferred = inferSharding(rule, results, present, mesh);
  auto *own = std::get_if<OpSharding>(&inferred);
  if (!own)
    return candidates;
  // The axes over which results are partial because reductions are split.
  SmallVector<AxisRef> reduced;
  for (auto [factor, splits] : llvm::zip(rule.factors, own->splits))
    if (factor.kind == FactorKind::Reduction)
      llvm::append_range(reduced, axesOf(splits));

  auto add = [&](ArrayRef<unsigned> taken, bool takeSplits, bool takePartial) {
    FactorSplits splits = own->splits;
    std::optional<PartialKind> kind = results[0].partial;
    SmallVector<AxisRef> partialAxes;
    for (const AxisRef &axis : results[0].partialAxes)
      if (!llvm::is_contained(reduced, axis))
        partialAxes.push_back(axis);
    if (partialAxes.empty())
      kind.reset();
    llvm::SmallBitVector changed(rule.factors.size());
    for (unsigned i : taken) {
      const Placement &source =
          sourceOf(op->getOpOperand(i), overlay).placement.getValue();
      if (takeSplits) {
        FactorSplits there =
            projectTensor(rule, rule.operands[i], source, mesh);
        FactorSplits here =
            projectTensor(rule, rule.operands[i], *present[i], mesh);
        for (int f = 0, e = splits.size(); f < e; ++f)
          if (there[f] != here[f] && !changed[f]) {
            splits[f] = there[f];
            changed.set(f);
          }
      }
      if (takePartial && source.partial) {
        for (const AxisRef &axis : source.partialAxes) {
          if (llvm::is_contained(present[i]->partialAxes, axis) ||
              llvm::is_contained(partialAxes, axis))
            continue;
          if (kind && *kind != *source.partial)
            return;
          kind = source.partial;
          partialAxes.push_back(axis);
        }
      }
    }
    if (usesAxisTwice(splits, mesh))
      return;
    SmallVector<Placement> candidate;
    for (auto [r, factors] : llvm::enumerate(rule.results)) {
      std::optional<Placement> placement =
          composeTensor(rule, factors, splits, mesh);
      if (!placement)
        return;
      placement->partial = kind;
      placement->partialAxes.assign(partialAxes.begin(), partialAxes.end());
      for (auto [factor, split] : llvm::zip(rule.factors, splits)) {
        if (factor.kind != FactorKind::Reduction)
          continue;
        for (const AxisRef &axis : axesOf(split)) {
          if (placement->partial && *placement->partial != factor.combiners[r])
            return;
          placement->partial = factor.combiners[r];
          placement->partialAxes.push_back(axis);
        }
      }
      candidate.push_back(*placement);
    }
    if (!llvm::is_contained(candidates, candidate))
      candidates.push_back(std::move(candidate));
  };
  auto addModes = [&](ArrayRef<unsigned> taken) {
    add(taken, true, true);
    add(taken, true, false);
    add(taken, false, true);
  };
  addModes(from);
  if (from.size() > 1)
    for (unsigned i : from)
      addModes({i});
  return candidates;
}
