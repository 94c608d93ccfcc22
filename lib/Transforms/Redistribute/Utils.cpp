//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. Fresh values, reasons and costs, as Utils.h says; the
// only changes to IR are clones of fresh values and new reasons.
//
// Costs are those of the planner (Placement/RedistributePlan.h), so that a
// rewrite is judged by what will run.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "ShardIR/Analysis/Askers.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/ShardIR/Reasons.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Placement/RedistributePlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool shardir::isFresh(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  // What reads a tensor is not fresh: its rule, which is dear, need not be
  // asked for.
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !(destination && destination.isDpsInit(&operand)))
      return false;
  if (!getShardingRule(op)->isFresh)
    return false;
  auto fill = dyn_cast<linalg::LinalgOp>(op);
  return !fill || fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
}

void shardir::placeFor(Operation *user, Operation *clone,
                       PlacementAttr wanted) {
  // The user's splits are no reason for what it has whole.
  bool explains = !wanted.getValue().isReplicated() ||
                  llvm::all_of(user->getResults(), [](OpResult result) {
                    PlacementAttr placement = getResultPlacement(result);
                    return !placement || placement.getValue().isReplicated();
                  });
  std::string reason = explains ? reasonOn(user) : "";
  if (!reason.empty())
    clone->setAttr(ShardIRDialect::kDecidedBy,
                   StringAttr::get(clone->getContext(), reason));
  else if (wanted.getValue().isReplicated())
    clone->removeAttr(ShardIRDialect::kDecidedBy);
  clone->removeAttr(kAlternatives);
}

Value shardir::cloneFresh(OpBuilder &builder, Value value, PlacementAttr wanted,
                          Operation *before, Value init) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(before);
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  if (auto fill = dyn_cast<linalg::LinalgOp>(op)) {
    Value present = fill.getDpsInits()[0];
    mapping.map(present,
                init ? init : cloneFresh(builder, present, wanted, before));
  }
  Operation *clone = builder.clone(*op, mapping);
  clone->setAttr(ShardIRDialect::kPlacements,
                 builder.getArrayAttr({Attribute(wanted)}));
  // It is placed for another op now (R5).
  placeFor(before, clone, wanted);
  return clone->getResult(0);
}

void shardir::eraseIfUnused(RewriterBase &rewriter, Value value) {
  if (!value.use_empty() || !isFresh(value))
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

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string shardir::describeChange(const Placement &from, const Placement &to,
                                    const Mesh &mesh, const Halo &halo) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  // What both owe, however they name sub-axes, stays.
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  auto partsOf = [&](const Placement &placement) {
    std::vector<AxisRef> result;
    for (const AxisRef &axis : placement.partialAxes)
      llvm::append_range(result, refine(axis, mesh, parts));
    return result;
  };
  std::vector<AxisRef> owed = partsOf(from), owing = partsOf(to);
  std::string reduced;
  for (const AxisRef &axis : owed)
    if (!llvm::is_contained(owing, axis))
      reduced += " " + toString(axis);
  if (!reduced.empty())
    add(std::string("reduces the ") + stringifyPartialKind(*from.partial) +
        " over" + reduced);
  for (auto [dim, pair] : llvm::enumerate(llvm::zip(from.dims, to.dims))) {
    auto &[before, after] = pair;
    if (before.splits == after.splits)
      continue;
    auto axes = [](const DimPlacement &d) {
      std::string names;
      for (const AxisRef &axis : axesOf(d.splits))
        names += " " + toString(axis);
      return names;
    };
    std::string number = std::to_string(dim);
    if (axes(after).empty())
      add("makes dim " + number + " whole (was over" + axes(before) + ")");
    else if (axes(before).empty())
      add("splits dim " + number + " over" + axes(after));
    else
      add("moves dim " + number + " from" + axes(before) + " to" + axes(after));
  }
  for (auto [dim, own] : llvm::enumerate(halo))
    if (own.isWindow())
      add("reads dim " + std::to_string(dim) + " through a window");
    else if (!own.isZero())
      add("reads dim " + std::to_string(dim) + " by " + toString(own) +
          " beyond its block");
  for (const AxisRef &axis : owing)
    if (!llvm::is_contained(owed, axis))
      add("makes it one term of the " +
          std::string(stringifyPartialKind(*to.partial)) + " over " +
          toString(axis));
  return text;
}

std::string shardir::describeUse(OpOperand &use) {
  Operation *user = use.getOwner();
  std::string number = std::to_string(use.getOperandNumber());
  auto nameOf = [](Operation *op) {
    return "'" + op->getName().getStringRef().str() + "'";
  };
  Operation *parent = user->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(parent);
      function && user->hasTrait<OpTrait::IsTerminator>())
    return "result " + number + " of @" + function.getSymName().str() +
           " is placed so";
  if (isPlacedBlock(user->getBlock())) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return "operand " + number + " of " + nameOf(user) + " in " +
             nameOf(parent);
    return "operand " + number + " of " + nameOf(user);
  }
  // The outermost op that runs whole.
  while (!isPlacedBlock(parent->getBlock()))
    parent = parent->getParentOp();
  return "the body of " + nameOf(parent) + " reads it whole";
}

void shardir::restartFrom(RewriterBase &rewriter, RedistributeOp op,
                          Value input, PlacementAttr from,
                          const MeshTable &meshes) {
  const Mesh &mesh = meshes.get(op.getTo());
  const Placement &to = op.getTo().getValue();
  std::string before = describeChange(op.getFrom().getValue(), to, mesh);
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputMutable().set(input);
    op.setFromAttr(from);
    // What others have written stays as it is.
    StringRef reason = op.getReason().value_or("");
    if (!before.empty() && reason.consume_back(before))
      op.setReasonAttr(rewriter.getStringAttr(
          reason + describeChange(from.getValue(), to, mesh)));
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
  options.deviceWeights = weights;
  auto plan =
      planRedistribute(from.getValue(), to.getValue(), mesh, shape, options);
  auto *steps = std::get_if<RedistributePlan>(&plan);
  if (!steps)
    return std::nullopt;
  Cost own = costOf(steps->steps, mesh, shape, options.elementBytes);
  MoveCost cost;
  // Integers add up alike in any order.
  static constexpr double kLongest = 9.0e6;
  if (mode == CostMode::Time)
    cost.picoseconds = std::llround(std::min(own.seconds, kLongest) * 1e12);
  cost.bytes = weights.empty() ? own.bytes
                               : planBytes(*steps, mesh, shape,
                                           options.elementBytes, weights);
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
