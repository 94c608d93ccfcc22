//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. The only changes to IR are clones of rematerializable
// values and new reasons.
//
// Costs are those of the planner (Placement/RedistributePlan.h), so that a
// rewrite is judged by what will run.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Placement/RedistributePlan.h"
#include "ShardIR/Propagation/CostModel.h"
#include "ShardIR/Report/RedistributionUsers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool shardir::isRematerializable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  // An op that reads a tensor is not rematerializable. This check is cheaper
  // than the op's rule.
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !(destination && destination.isDpsInit(&operand)))
      return false;
  if (!getShardingRule(op)->isRematerializable)
    return false;
  auto fill = dyn_cast<linalg::LinalgOp>(op);
  return !fill || fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
}

void shardir::placeFor(Operation *user, Operation *clone,
                       PlacementAttr wanted) {
  // The user's splits are no reason for a replicated operand.
  bool explains = !wanted.getValue().isReplicated() ||
                  llvm::all_of(user->getResults(), [](OpResult result) {
                    PlacementAttr placement = getResultPlacement(result);
                    return !placement || placement.getValue().isReplicated();
                  });
  ArrayAttr provenance = explains ? provenanceOn(user) : ArrayAttr();
  if (provenance)
    clone->setAttr(ShardIRDialect::kDecidedBy, provenance);
  else if (wanted.getValue().isReplicated())
    clone->removeAttr(ShardIRDialect::kDecidedBy);
  clone->removeAttr(kAlternatives);
}

Value shardir::cloneRematerializable(OpBuilder &builder, Value value,
                                     PlacementAttr wanted, Operation *before,
                                     Value init) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(before);
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  if (auto fill = dyn_cast<linalg::LinalgOp>(op)) {
    Value present = fill.getDpsInits()[0];
    mapping.map(present,
                init ? init
                     : cloneRematerializable(builder, present, wanted, before));
  }
  Operation *clone = builder.clone(*op, mapping);
  clone->setAttr(ShardIRDialect::kPlacements,
                 builder.getArrayAttr({Attribute(wanted)}));
  // It is placed for another op now (R5).
  placeFor(before, clone, wanted);
  return clone->getResult(0);
}

void shardir::eraseIfUnused(RewriterBase &rewriter, Value value) {
  if (!value.use_empty() || !isRematerializable(value))
    return;
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands(op->getOperands());
  rewriter.eraseOp(op);
  for (Value operand : operands)
    eraseIfUnused(rewriter, operand);
}

PlacementAttr shardir::normalize(PlacementAttr placement, RankedTensorType type,
                                 const MeshTable &meshes) {
  return PlacementAttr::get(
      placement.getContext(), placement.getMesh(),
      normalForm(placement.getValue(), meshes.get(placement), shapeOf(type)));
}

bool shardir::samePlacement(PlacementAttr a, PlacementAttr b,
                            RankedTensorType type, const MeshTable &meshes) {
  return a == b ||
         (a.getMesh() == b.getMesh() &&
          equivalent(a.getValue(), b.getValue(), meshes.get(a), shapeOf(type)));
}

bool shardir::isPlain(RedistributeOp op) {
  return !op.getHalo() && op.getFrom().getMesh() == op.getTo().getMesh();
}

bool shardir::isConstrained(Operation *op) {
  return op->hasAttr(ShardIRDialect::kConstrained);
}

void shardir::restartFrom(RewriterBase &rewriter, RedistributeOp op,
                          Value input, PlacementAttr from) {
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputMutable().set(input);
    op.setFromAttr(from);
  });
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

static int64_t addSaturated(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

MoveCost &MoveCost::operator+=(const MoveCost &o) {
  picoseconds = addSaturated(picoseconds, o.picoseconds);
  bytes = addSaturated(bytes, o.bytes);
  collectives += o.collectives;
  work += o.work;
  depth += o.depth;
  return *this;
}

bool MoveCost::operator<(const MoveCost &o) const {
  return std::tie(picoseconds, bytes, collectives, work, depth) <
         std::tie(o.picoseconds, o.bytes, o.collectives, o.work, o.depth);
}

StepCost
shardir::stepCostBy(std::shared_ptr<const PropagationCostModel> costModel) {
  if (!costModel)
    return nullptr;
  return [costModel](const CollectiveStep &step, const Mesh &mesh,
                     const std::vector<int64_t> &shape, int64_t elementBytes) {
    PropagationGraph::Value value;
    value.shape = shape;
    value.elementBytes = elementBytes;
    PropagationCost own =
        costModel->redistribute(value, step.from, step.to, mesh);
    Cost cost;
    cost.bytes = own.bytes;
    cost.seconds = own.seconds;
    return cost;
  };
}

std::optional<MoveCost> MoveCosts::get(PlacementAttr from, PlacementAttr to,
                                       RankedTensorType type) {
  if (from == to)
    return MoveCost();
  if (from.getMesh() != to.getMesh())
    return std::nullopt;
  auto [it, isNew] = known.try_emplace({from, to, type});
  if (!isNew)
    return it->second;
  const Mesh &mesh = meshes.get(from);
  std::vector<int64_t> shape = shapeOf(type);
  PlanOptions options;
  options.mode = mode;
  options.elementBytes = elementBytes(type);
  options.stepCost = stepCost;
  options.cache = plans;
  auto plan =
      planRedistribute(from.getValue(), to.getValue(), mesh, shape, options);
  auto *steps = std::get_if<RedistributePlan>(&plan);
  if (!steps)
    return std::nullopt;
  Cost own = costOf(steps->steps, mesh, shape, options.elementBytes,
                    options.machine, stepCost);
  MoveCost cost;
  // Integers have equal sums in any order.
  static constexpr double kLongest = 9.0e6;
  if (mode == CostMode::Time)
    cost.picoseconds = std::llround(std::min(own.seconds, kLongest) * 1e12);
  cost.bytes = own.bytes;
  cost.collectives = own.steps;
  return it->second = cost;
}

std::optional<MoveCost> shardir::planTree(PlacementAttr source,
                                          RankedTensorType type,
                                          MutableArrayRef<TreeNode> nodes,
                                          ArrayRef<GivenNode> given,
                                          MoveCosts &costs, int first) {
  unsigned count = nodes.size(), sources = count + given.size();
  auto edge = [&](int parent, unsigned child) -> std::optional<MoveCost> {
    if (parent < 0) {
      if (first >= 0 && first != int(child))
        return std::nullopt;
      return costs.get(source, nodes[child].to, type);
    }
    if (parent >= int(count)) {
      if (!nodes[child].everywhere)
        return std::nullopt;
      std::optional<MoveCost> cost =
          costs.get(given[parent - count].to, nodes[child].to, type);
      if (cost)
        ++cost->depth;
      return cost;
    }
    const TreeNode &from = nodes[parent], &to = nodes[child];
    if (!from.everywhere && (to.firstRegion != from.firstRegion ||
                             to.lastRegion != from.firstRegion))
      return std::nullopt;
    std::optional<MoveCost> cost = costs.get(from.to, to.to, type);
    if (cost)
      ++cost->depth;
    return cost;
  };
  static constexpr unsigned kMaxExact = 8;
  if (count > kMaxExact) {
    MoveCost total;
    for (auto [i, node] : llvm::enumerate(nodes)) {
      node.parent = -1;
      node.used = node.required;
      std::optional<MoveCost> cost = edge(-1, i);
      if (node.used && !cost)
        return std::nullopt;
      if (node.used)
        total += *cost;
    }
    return total;
  }
  // best[set]: the least cost of having exactly these placements; the last one
  // added starts from the value or from another of the set.
  struct State {
    std::optional<MoveCost> cost;
    int added = -1, parent = -1;
  };
  std::vector<std::optional<MoveCost>> edges((sources + 1) * count);
  for (int parent = -1; parent < int(sources); ++parent)
    for (unsigned child = 0; child < count; ++child)
      if (parent != int(child))
        edges[(parent + 1) * count + child] = edge(parent, child);
  std::vector<State> best(1u << count);
  best[0].cost = MoveCost();
  unsigned required = 0;
  for (auto [i, node] : llvm::enumerate(nodes))
    required |= node.required ? 1u << i : 0;
  unsigned chosen = 0;
  for (unsigned set = 0; set < best.size(); ++set) {
    if (!best[set].cost)
      continue;
    if ((set & required) == required && ((chosen & required) != required ||
                                         *best[set].cost < *best[chosen].cost))
      chosen = set;
    for (unsigned child = 0; child < count; ++child) {
      if (set & (1u << child))
        continue;
      State &next = best[set | (1u << child)];
      for (int parent = -1; parent < int(sources); ++parent) {
        const auto &cost = edges[(parent + 1) * count + child];
        int needs = parent < int(count) ? parent : given[parent - count].after;
        if (!cost || (needs >= 0 && !(set & (1u << needs))))
          continue;
        MoveCost total = *best[set].cost + *cost;
        if (!next.cost || total < *next.cost)
          next = {total, int(child), parent};
      }
    }
  }
  if ((chosen & required) != required)
    return std::nullopt;
  for (auto [i, node] : llvm::enumerate(nodes))
    node.used = chosen & (1u << i);
  for (unsigned set = chosen; set;) {
    nodes[best[set].added].parent = best[set].parent;
    set &= ~(1u << best[set].added);
  }
  return best[chosen].cost;
}
