//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is refused an axis where a neighbour has it: what it is made from, or
// what its users want of it. From there the answer goes on, in breadth, to
// whole values that have only whole neighbours. Changes nothing;
// redistributions and collectives are looked through, for they are what a
// refusal costs.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Refusals.h"

#include "ShardIR/Analysis/Askers.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Analysis/Report.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"

using namespace mlir;
using namespace shardir;

static bool isStep(Operation *op) {
  return isa<RedistributeOp, collective::CollectiveOpInterface>(op);
}

/// A tensor that has a placement which names no axis.
static bool isWhole(Value value) {
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

/// What was there before it was moved.
static Value beforeSteps(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isStep(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Why `value` does not take an axis that came to the op that makes it.
static std::string whyWhole(Value value) {
  Operation *op = value.getDefiningOp();
  Alternatives compared = alternativesOf(value);
  std::optional<int64_t> own, other;
  for (const Alternative &each : compared.all)
    if (each.isChosen)
      own = each.bytes;
    else if (each.placement.find('"') != std::string::npos)
      other = std::min(other.value_or(each.bytes), each.bytes);
  if (own && other)
    return "around it a device receives " + std::to_string(*own) +
           " bytes as it is, and " + std::to_string(*other) +
           " bytes at least where it is split";
  if (!op)
    return decidedBy(value).empty() ? "split, it would save nothing"
                                    : "it is annotated whole";
  if (isa<ConstrainOp>(op))
    return "it is constrained to be whole";
  if (asShardableRegion(op))
    return "what flows through the op keeps one placement";
  SharedRule rule = getShardingRule(op);
  if (!rule->replicatedBecause.empty())
    return rule->replicatedBecause;
  for (const Factor &factor : rule->factors)
    if (factor.kind == FactorKind::Replicate)
      return "the op needs a dim whole on each device";
  return "the axis is on a dim that the result does not have, or to split it "
         "would save nothing";
}

static std::string at(StringRef name, Location loc) {
  std::string where = describeLocation(loc);
  return name.str() + (where.empty() ? "" : " at " + where);
}

static std::string spell(const std::string &axis, const std::string &who,
                         const std::string &where, const std::string &why) {
  return axis + (who.empty() ? "" : " of " + who) + ", refused at " + where +
         ": " + why;
}

void Refusals::add(Value value, std::string text) {
  if (texts.try_emplace(value, std::move(text)).second)
    frontier.push_back(value);
}

void Refusals::findDirect(Value value) {
  if (!isWhole(value))
    return;
  Operation *op = value.getDefiningOp();
  // Made whole for somebody.
  if (op && isStep(op)) {
    Value source = beforeSteps(value);
    std::string axis = axisOf(source);
    if (axis.empty())
      return;
    for (const Asker &asker : findAskers(op)) {
      std::string why = "it is constrained to be whole";
      if (asker.use) {
        Operation *user = asker.use->getOwner();
        why = isa<func::ReturnOp>(user) || user->getNumResults() == 0
                  ? decidedByOfUse(*asker.use).empty() ? "it is taken whole"
                                                       : "it is annotated whole"
                  : whyWhole(user->getResult(0));
      }
      return add(value, spell(axis, decidedBy(source),
                              at(asker.name, asker.loc), why));
    }
    return;
  }
  auto here = [&] {
    if (op)
      return at(op->getName().getStringRef(), op->getLoc());
    auto argument = cast<BlockArgument>(value);
    Operation *owner = argument.getOwner()->getParentOp();
    auto function = dyn_cast<func::FuncOp>(owner);
    std::string name = owner->getName().getStringRef().str();
    if (function)
      name = ("argument " + Twine(argument.getArgNumber()) + " of @" +
              function.getSymName())
                 .str();
    return at(name, value.getLoc());
  };
  // From what it is made of.
  if (op && !asShardableRegion(op))
    for (Value operand : op->getOperands()) {
      Value source = beforeSteps(operand);
      if (std::string axis = axisOf(source); !axis.empty())
        return add(value,
                   spell(axis, decidedBy(source), here(), whyWhole(value)));
    }
  // From who takes a part of it.
  for (Operation *user : value.getUsers()) {
    if (!isStep(user) || user->getNumResults() != 1)
      continue;
    if (std::string axis = axisOf(user->getResult(0)); !axis.empty())
      return add(value, spell(axis, decidedBy(user->getResult(0)), here(),
                              whyWhole(value)));
  }
}

Refusals::Refusals(func::FuncOp function) {
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
      if (isWhole(other))
        add(other, text);
    };
    auto passTies = [&](Operation *op) {
      auto region = asShardableRegion(op);
      if (!region)
        return false;
      for (const RegionTie &tie : region.getTies()) {
        bool isOf = llvm::is_contained(tie.values, value) ||
                    llvm::any_of(tie.operands, [&](OpOperand *operand) {
                      return operand->get() == value;
                    });
        if (!isOf)
          continue;
        llvm::for_each(tie.values, pass);
        for (OpOperand *operand : tie.operands)
          pass(operand->get());
      }
      return true;
    };
    Operation *op = value.getDefiningOp();
    if (op && !passTies(op))
      llvm::for_each(op->getOperands(), pass);
    if (!op)
      passTies(cast<BlockArgument>(value).getOwner()->getParentOp());
    for (Operation *user : value.getUsers()) {
      if (passTies(user))
        continue;
      if (user->hasTrait<OpTrait::IsTerminator>())
        passTies(user->getParentOp());
      llvm::for_each(user->getResults(), pass);
    }
  }
}
