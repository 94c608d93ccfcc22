//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A replicated value could have an axis where a neighbour has it: an operand of
// its producer, or a user. From there the reason spreads, in breadth, to
// replicated values with replicated neighbours alone. Redistributions and
// collectives are skipped: they are the cost of leaving the axis out.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/NotShardedReasons.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Report/Report.h"

using namespace mlir;
using namespace shardir;

static bool isStep(Operation *op) {
  return isa<RedistributeOp, collective::CollectiveOpInterface>(op);
}

/// A tensor that has a placement which names no axis.
static bool isReplicated(Value value) {
  PlacementAttr placement = getPlacement(value);
  return placement && placement.getValue().isReplicated();
}

/// The first axis of a placement; empty if it names none.
static std::string axisOf(Value value) {
  PlacementAttr placement = getPlacement(value);
  if (!placement)
    return "";
  std::vector<AxisRef> axes = axesOf(placement.getValue());
  return axes.empty() ? "" : toString(axes.front());
}

/// The value in front of a chain of redistributions.
static Value beforeSteps(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isStep(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Why `value` does not take an axis that came to the op that makes it.
static std::string whyReplicated(Value value) {
  Operation *op = value.getDefiningOp();
  Alternatives compared = alternativesOf(value);
  std::optional<int64_t> own, other;
  for (const Alternative &each : compared.all)
    if (each.isChosen)
      own = each.bytes;
    else if (!each.isReplicated)
      other = std::min(other.value_or(each.bytes), each.bytes);
  if (own && other)
    return "around it a device receives " + std::to_string(*own) +
           " bytes as it is, and at least " + std::to_string(*other) +
           " bytes if it is sharded";
  if (!op)
    return provenanceOf(value) ? "it is annotated as replicated"
                               : "sharding it would save nothing";
  if (isa<ConstrainOp>(op))
    return "it is constrained to be replicated";
  if (asShardableRegion(op))
    return "a tensor that flows through the op keeps one placement";
  SharedRule rule = getShardingRule(op);
  if (!rule->replicatedBecause.empty())
    return rule->replicatedBecause;
  for (const Factor &factor : rule->factors)
    if (factor.kind == FactorKind::Replicate)
      return "the op needs a dim unsharded";
  return "the axis is on a dim that the result does not have, or sharding it "
         "would save nothing";
}

static std::string at(StringRef name, Location loc) {
  std::string where = describeLocation(loc);
  return name.str() + (where.empty() ? "" : " at " + where);
}

static std::string spell(const std::string &axis, ArrayAttr provenance,
                         const std::string &where, const std::string &why) {
  std::string origin = describeProvenance(provenance);
  return axis + (origin.empty() ? "" : " of " + origin) + ", not taken at " +
         where + ": " + why;
}

void NotShardedReasons::add(Value value, std::string text) {
  if (texts.try_emplace(value, std::move(text)).second)
    frontier.push_back(value);
}

void NotShardedReasons::findDirect(Value value) {
  if (!isReplicated(value))
    return;
  Operation *op = value.getDefiningOp();
  // Replicated for a user.
  if (op && isStep(op)) {
    Value source = beforeSteps(value);
    std::string axis = axisOf(source);
    if (axis.empty())
      return;
    for (const RedistributionUser &user : findRedistributionUsers(op)) {
      std::string why = "it is constrained to be replicated";
      if (user.use) {
        Operation *owner = user.use->getOwner();
        why = isa<func::ReturnOp>(owner) || owner->getNumResults() == 0
                  ? provenanceOfUse(*user.use) ? "it is annotated as replicated"
                                               : "it is used replicated"
                  : whyReplicated(owner->getResult(0));
      }
      return add(value, spell(axis, provenanceOf(source),
                              at(user.name, user.loc), why));
    }
    return;
  }
  auto here = [&] {
    if (op)
      return at(describeOp(op), op->getLoc());
    auto argument = cast<BlockArgument>(value);
    Operation *owner = argument.getOwner()->getParentOp();
    auto function = dyn_cast<func::FuncOp>(owner);
    return at(
        function ? ProvenanceAttr::ofArgument(function, argument.getArgNumber())
                       .describe()
                 : describeOp(owner),
        value.getLoc());
  };
  // An operand has an axis.
  if (op && !asShardableRegion(op))
    for (Value operand : op->getOperands()) {
      Value source = beforeSteps(operand);
      if (std::string axis = axisOf(source); !axis.empty())
        return add(value, spell(axis, provenanceOf(source), here(),
                                whyReplicated(value)));
    }
  // A user has an axis.
  for (Operation *user : value.getUsers()) {
    if (!isStep(user) || user->getNumResults() != 1)
      continue;
    if (std::string axis = axisOf(user->getResult(0)); !axis.empty())
      return add(value, spell(axis, provenanceOf(user->getResult(0)), here(),
                              whyReplicated(value)));
  }
}

NotShardedReasons::NotShardedReasons(func::FuncOp function) {
  auto visit = [&](ValueRange values) {
    for (Value value : values)
      findDirect(value);
  };
  visit(function.getArguments());
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return;
    visit(op->getResults());
    if (asShardableRegion(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          visit(block.getArguments());
  });
  for (size_t next = 0; next < frontier.size(); ++next) {
    Value value = frontier[next];
    std::string text = texts.lookup(value);
    auto pass = [&](Value other) {
      if (isReplicated(other))
        add(other, text);
    };
    auto passGroups = [&](Operation *op) {
      auto region = asShardableRegion(op);
      if (!region)
        return false;
      for (const RegionValueGroup &group : region.getValueGroups()) {
        bool isOf = llvm::is_contained(group.values, value) ||
                    llvm::any_of(group.operands, [&](OpOperand *operand) {
                      return operand->get() == value;
                    });
        if (!isOf)
          continue;
        llvm::for_each(group.values, pass);
        for (OpOperand *operand : group.operands)
          pass(operand->get());
      }
      return true;
    };
    Operation *op = value.getDefiningOp();
    if (op && !passGroups(op))
      llvm::for_each(op->getOperands(), pass);
    if (!op)
      passGroups(cast<BlockArgument>(value).getOwner()->getParentOp());
    for (Operation *user : value.getUsers()) {
      if (passGroups(user))
        continue;
      if (user->hasTrait<OpTrait::IsTerminator>())
        passGroups(user->getParentOp());
      llvm::for_each(user->getResults(), pass);
    }
  }
}
