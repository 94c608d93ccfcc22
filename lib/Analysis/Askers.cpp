//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows chains of redistributions and collectives to the ops at both ends.
// Requires the propagated stage or a later one; changes nothing. A chain is
// followed once per step of it, so that the work is linear in uses.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Askers.h"

#include "ShardIR/Analysis/Report.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Reasons.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace shardir;

static bool isStep(Operation *op) {
  return isa<RedistributeOp, collective::CollectiveOpInterface>(op);
}

static std::string resultName(func::FuncOp function, unsigned index) {
  return ("result " + Twine(index) + " of @" + function.getSymName()).str();
}

static std::string argumentName(func::FuncOp function, unsigned index) {
  return ("argument " + Twine(index) + " of @" + function.getSymName()).str();
}

/// The op that is placed as one: a user, or the one around it that runs whole.
static Operation *placedOp(Operation *op) {
  while (!isPlacedBlock(op->getBlock()) &&
         !isa<func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

/// Uses behind a step and those that follow it, in the order of the program.
static SmallVector<OpOperand *> usesBehind(Operation *step) {
  llvm::SetVector<Operation *> chain;
  chain.insert(step);
  SmallVector<OpOperand *> uses;
  for (unsigned i = 0; i < chain.size(); ++i)
    for (Value result : chain[i]->getResults())
      for (OpOperand &use : result.getUses()) {
        if (isStep(use.getOwner()))
          chain.insert(use.getOwner());
        else
          uses.push_back(&use);
      }
  // Uses are listed in no order that anybody knows.
  Block *block = step->getBlock();
  llvm::stable_sort(uses, [&](OpOperand *a, OpOperand *b) {
    Operation *first = block->findAncestorOpInBlock(*a->getOwner());
    Operation *second = block->findAncestorOpInBlock(*b->getOwner());
    if (first != second)
      return first && second && first->isBeforeInBlock(second);
    return a->getOwner() == b->getOwner() &&
           a->getOperandNumber() < b->getOperandNumber();
  });
  return uses;
}

SmallVector<Asker> shardir::findAskers(Operation *step) {
  auto reason = step->getAttrOfType<StringAttr>("reason");
  if (reason && reason.getValue().starts_with("asked for by constrain"))
    return {{ConstrainOp::getOperationName().str(), step->getLoc(), nullptr}};
  SmallVector<Asker> askers;
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (OpOperand *use : usesBehind(step)) {
    Operation *user = placedOp(use->getOwner());
    auto returned = dyn_cast<func::ReturnOp>(user);
    if (!returned && !seen.insert(user).second)
      continue;
    std::string name =
        returned ? resultName(returned->getParentOfType<func::FuncOp>(),
                              use->getOperandNumber())
                 : user->getName().getStringRef().str();
    askers.push_back({std::move(name), user->getLoc(), use});
  }
  return askers;
}

//===----------------------------------------------------------------------===//
// What was compared
//===----------------------------------------------------------------------===//

static std::string textOf(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

/// Reads `shardir.alternatives` of an op, or what they say of its tensor number
/// `index`; `present` are the placements that now hold.
static std::vector<Alternative> readAlternatives(Operation *op,
                                                 ArrayRef<Attribute> present,
                                                 StringRef owner = "",
                                                 unsigned index = 0) {
  std::vector<Alternative> all;
  bool anyChosen = false;
  auto list = op->getAttrOfType<ArrayAttr>(kAlternatives);
  if (!list)
    return all;
  for (auto entry : list.getAsRange<DictionaryAttr>()) {
    auto bytes = entry.getAs<IntegerAttr>("bytes");
    auto placements = entry.getAs<ArrayAttr>("placements");
    if (!bytes || !placements)
      continue;
    if (!owner.empty()) {
      auto own = entry.getAs<IntegerAttr>(owner);
      if (!own || own.getInt() != index)
        continue;
    }
    Alternative one;
    one.bytes = bytes.getInt();
    one.isChosen = llvm::equal(placements, present);
    anyChosen |= one.isChosen;
    for (Attribute placement : placements)
      one.placement += (one.placement.empty() ? "" : ", ") + textOf(placement);
    all.push_back(std::move(one));
  }
  if (!anyChosen)
    all.clear();
  return all;
}

/// What competed at a tensor that flows through regions.
static Alternatives alternativesOfTie(ShardableRegionOpInterface op,
                                      unsigned index) {
  Alternatives found{
      op->getName().getStringRef().str(), describeLocation(op->getLoc()), {}};
  if (op->hasAttr(kAlternatives)) {
    Attribute present = getTiePlacements(op, op.getTies())[index];
    found.all = readAlternatives(op, present, "tie", index);
  }
  return found;
}

static Alternatives alternativesOfOp(Operation *op) {
  SmallVector<Attribute> present;
  if (auto own = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements))
    for (Attribute each : own)
      if (isa<PlacementAttr>(each))
        present.push_back(each);
  return {op->getName().getStringRef().str(), describeLocation(op->getLoc()),
          readAlternatives(op, present)};
}

/// The tie of an op with regions that `value` is of.
static std::optional<unsigned> tieOfValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (auto region = asShardableRegion(op))
    for (auto [i, tie] : llvm::enumerate(region.getTies()))
      if (llvm::is_contained(tie.values, value))
        return i;
  return std::nullopt;
}

Alternatives shardir::alternativesOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && !asShardableRegion(op))
    return alternativesOfOp(op);
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    unsigned i = cast<BlockArgument>(value).getArgNumber();
    return {argumentName(function, i), describeLocation(value.getLoc()),
            readAlternatives(function,
                             function.getArgAttr(i, ShardIRDialect::kPlacement),
                             "argument", i)};
  }
  if (op->hasAttr(kAlternatives))
    if (std::optional<unsigned> tie = tieOfValue(value))
      return alternativesOfTie(asShardableRegion(op), *tie);
  return {};
}

Alternatives shardir::alternativesOfResult(func::FuncOp function,
                                           unsigned index) {
  return {resultName(function, index), describeLocation(function.getLoc()),
          readAlternatives(
              function,
              function.getResultAttr(index, ShardIRDialect::kPlacement),
              "result", index)};
}

/// The tie that an operand is in, of the op itself or of the one around it.
static std::optional<std::pair<ShardableRegionOpInterface, unsigned>>
tieOf(OpOperand &use) {
  for (Operation *op : {use.getOwner(), use.getOwner()->getParentOp()})
    if (auto region = asShardableRegion(op))
      for (auto [i, tie] : llvm::enumerate(region.getTies()))
        if (llvm::is_contained(tie.operands, &use))
          return std::make_pair(region, unsigned(i));
  return std::nullopt;
}

Alternatives shardir::alternativesOfUse(OpOperand &use) {
  Operation *user = placedOp(use.getOwner());
  if (isa<func::ReturnOp>(user))
    return alternativesOfResult(user->getParentOfType<func::FuncOp>(),
                                use.getOperandNumber());
  if (user == use.getOwner())
    if (auto tied = tieOf(use))
      return alternativesOfTie(tied->first, tied->second);
  return alternativesOfOp(user);
}

Alternatives shardir::alternativesBehind(Operation *step) {
  for (const Asker &asker : findAskers(step))
    if (asker.use)
      if (Alternatives found = alternativesOfUse(*asker.use);
          !found.all.empty())
        return found;
  Value source = step->getOperand(0);
  while (Operation *made = source.getDefiningOp()) {
    if (!isStep(made))
      break;
    source = made->getOperand(0);
  }
  return alternativesOf(source);
}

//===----------------------------------------------------------------------===//
// Who decided
//===----------------------------------------------------------------------===//

static std::string text(Attribute attr) {
  auto string = dyn_cast_or_null<StringAttr>(attr);
  return string ? string.getValue().str() : "";
}

std::string shardir::reasonOn(Operation *op, std::optional<unsigned> tie) {
  Attribute attr = op->getAttr(ShardIRDialect::kDecidedBy);
  auto list = dyn_cast_or_null<ArrayAttr>(attr);
  if (!list)
    return text(attr);
  if (tie && *tie < list.size())
    return text(list[*tie]);
  std::string all;
  for (Attribute each : list)
    if (std::string reason = text(each);
        !reason.empty() && all.find(reason) == std::string::npos)
      all += (all.empty() ? "" : "; ") + reason;
  return all;
}

std::string shardir::reasonOnMaker(Value value) {
  return reasonOn(value.getDefiningOp(), tieOfValue(value));
}

/// What is whole on every device needs no annotation.
static bool isWhole(Attribute attr) {
  auto placement = dyn_cast_or_null<PlacementAttr>(attr);
  return !placement || placement.getValue().isReplicated();
}

std::string shardir::decidedByOfResult(func::FuncOp function, unsigned index) {
  Attribute own = function.getResultAttr(index, ShardIRDialect::kPlacement);
  Value value = function.getBody().front().getTerminator()->getOperand(index);
  std::string given =
      text(function.getResultAttr(index, ShardIRDialect::kDecidedBy));
  if (isWhole(own) || !given.empty())
    return given;
  // What was brought here was brought for the annotation.
  Operation *made = value.getDefiningOp();
  if ((made && isStep(made)) || getPlacement(value) != own)
    return resultName(function, index);
  // An op without a reason of its own was placed for its user.
  if (made && !made->hasAttr(ShardIRDialect::kDecidedBy))
    return resultName(function, index);
  return decidedBy(value);
}

std::string shardir::decidedByOfUse(OpOperand &use) {
  Operation *user = placedOp(use.getOwner());
  if (isa<func::ReturnOp>(user))
    return decidedByOfResult(user->getParentOfType<func::FuncOp>(),
                             use.getOperandNumber());
  if (user == use.getOwner())
    if (auto tied = tieOf(use))
      return reasonOn(tied->first, tied->second);
  return reasonOn(user);
}

/// The reason of the nearest op that uses what `op` makes and has one: an op
/// that was made anew for its user is there for the user's reason.
static std::string decidedBehind(Operation *op) {
  static constexpr unsigned kMostOps = 64;
  llvm::SetVector<Operation *> seen;
  seen.insert(placedOp(op));
  for (unsigned i = 0; i < seen.size() && seen.size() < kMostOps; ++i)
    for (Value result : seen[i]->getResults())
      for (OpOperand &use : result.getUses()) {
        Operation *user = placedOp(use.getOwner());
        if (std::string reason = decidedByOfUse(use); !reason.empty())
          return reason;
        seen.insert(user);
      }
  return "";
}

std::string shardir::decidedBy(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    op = argument.getOwner()->getParentOp();
    unsigned i = argument.getArgNumber();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      std::string given =
          text(function.getArgAttr(i, ShardIRDialect::kDecidedBy));
      // An annotation carries no reason but itself.
      bool isGiven =
          given.empty() &&
          !isWhole(function.getArgAttr(i, ShardIRDialect::kPlacement));
      return isGiven ? argumentName(function, i) : given;
    }
  }
  if (isStep(op)) {
    // What is made whole for an op is so for its rule, not for an annotation.
    bool whole = isWhole(getPlacement(value));
    SmallVector<Asker> askers = findAskers(op);
    for (const Asker &asker : askers) {
      if (!asker.use)
        return asker.name + " at " + describeLocation(asker.loc);
      if (whole && !isa<func::ReturnOp>(asker.use->getOwner()))
        continue;
      if (std::string reason = decidedByOfUse(*asker.use); !reason.empty())
        return reason;
    }
    if (whole)
      return "";
    for (const Asker &asker : askers)
      if (std::string reason = decidedBehind(asker.use->getOwner());
          !reason.empty())
        return reason;
    // What no annotation explains is there for whoever asks; what no one asks
    // for is as the op itself says.
    if (!askers.empty())
      return askers.front().name + " at " +
             describeLocation(askers.front().loc);
    return op->getName().getStringRef().str();
  }
  if (std::string reason = reasonOn(op, tieOfValue(value));
      !reason.empty() || isWhole(getPlacement(value)))
    return reason;
  // An annotation carries no reason but itself.
  std::string where = describeLocation(op->getLoc());
  return "annotation of " + op->getName().getStringRef().str() +
         (where.empty() ? "" : " at " + where);
}

std::optional<Location> shardir::locateAnnotation(StringRef reason,
                                                  ModuleOp module) {
  bool isArgument = reason.consume_front("argument ");
  unsigned index;
  if ((!isArgument && !reason.consume_front("result ")) ||
      reason.consumeInteger(10, index) || !reason.consume_front(" of @"))
    return std::nullopt;
  StringRef name =
      reason.take_until([](char c) { return c == ',' || c == ';'; });
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function || function.isDeclaration())
    return std::nullopt;
  if (isArgument && index < function.getNumArguments())
    return function.getArgument(index).getLoc();
  if (!isArgument && index < function.getNumResults())
    return function.getLoc();
  return std::nullopt;
}
