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

#include "ShardIR/Report/RedistributionUsers.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Report/Report.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace shardir;

static bool isStep(Operation *op) {
  return isa<RedistributeOp, collective::CollectiveOpInterface>(op);
}

static std::string resultName(func::FuncOp function, unsigned index) {
  return ProvenanceAttr::ofResult(function, index).describe();
}

static std::string argumentName(func::FuncOp function, unsigned index) {
  return ProvenanceAttr::ofArgument(function, index).describe();
}

/// The op whose placement counts: a user, or the op around it that runs
/// unsharded.
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
  // MLIR lists uses in no particular order.
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

SmallVector<RedistributionUser>
shardir::findRedistributionUsers(Operation *step) {
  auto reason = step->getAttrOfType<ReasonAttr>("reason");
  if (reason && reason.getKind() == ReasonKind::Constrain)
    return {{ConstrainOp::getOperationName().str(), step->getLoc(), nullptr}};
  SmallVector<RedistributionUser> users;
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (OpOperand *use : usesBehind(step)) {
    Operation *user = placedOp(use->getOwner());
    auto returned = dyn_cast<func::ReturnOp>(user);
    if (!returned && !seen.insert(user).second)
      continue;
    std::string name =
        returned ? resultName(returned->getParentOfType<func::FuncOp>(),
                              use->getOperandNumber())
                 : describeOp(user);
    users.push_back({std::move(name), user->getLoc(), use});
  }
  return users;
}

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

/// A replicated tensor needs no annotation.
static bool isReplicated(Attribute attr) {
  auto placement = dyn_cast_or_null<PlacementAttr>(attr);
  return !placement || placement.getValue().isReplicated();
}

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
    if (auto seconds = entry.getAs<FloatAttr>("seconds"))
      one.seconds = seconds.getValueAsDouble();
    one.isChosen = llvm::equal(placements, present);
    one.isReplicated = llvm::all_of(placements, isReplicated);
    for (Attribute placement : placements)
      one.placement += (one.placement.empty() ? "" : ", ") + textOf(placement);
    all.push_back(std::move(one));
  }
  llvm::stable_sort(all, [](const Alternative &a, const Alternative &b) {
    return a.isChosen > b.isChosen;
  });
  if (all.size() < 2 || !all.front().isChosen)
    all.clear();
  return all;
}

/// The alternatives of a tensor that flows through regions.
static Alternatives alternativesOfGroup(ShardableRegionOpInterface op,
                                        unsigned index) {
  std::string name = describeOp(op);
  Alternatives found{name,
                     describeLocation(op->getLoc()),
                     "constrain the tensors that enter and leave '" + name +
                         "'",
                     {}};
  if (op->hasAttr(kAlternatives)) {
    Attribute present = getGroupPlacements(op, op.getValueGroups())[index];
    found.all = readAlternatives(op, present, "group", index);
  }
  return found;
}

static Alternatives alternativesOfOp(Operation *op) {
  SmallVector<Attribute> present;
  if (auto own = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements))
    for (Attribute each : own)
      if (isa<PlacementAttr>(each))
        present.push_back(each);
  std::string name = describeOp(op);
  // A constraint of the result alone leaves the op free.
  std::string remedy =
      "write it in shardir.placements of '" + name +
      "', or constrain the operands and the results of that op";
  if (isa<ConstrainOp>(op))
    remedy = "write it in that constraint";
  else if (present.empty())
    remedy = "constrain the operands of '" + name + "'";
  return {name, describeLocation(op->getLoc()), remedy,
          readAlternatives(op, present)};
}

/// The index of the region value group that `value` is in.
static std::optional<unsigned> groupOfValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (auto region = asShardableRegion(op))
    for (auto [i, group] : llvm::enumerate(region.getValueGroups()))
      if (llvm::is_contained(group.values, value))
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
    std::string name = argumentName(function, i);
    return {name, describeLocation(value.getLoc()),
            "annotate " + name + " with it",
            readAlternatives(function,
                             function.getArgAttr(i, ShardIRDialect::kPlacement),
                             "argument", i)};
  }
  if (op->hasAttr(kAlternatives))
    if (std::optional<unsigned> group = groupOfValue(value))
      return alternativesOfGroup(asShardableRegion(op), *group);
  return {};
}

Alternatives shardir::alternativesOfResult(func::FuncOp function,
                                           unsigned index) {
  std::string name = resultName(function, index);
  return {name, describeLocation(function.getLoc()),
          "annotate " + name + " with it",
          readAlternatives(
              function,
              function.getResultAttr(index, ShardIRDialect::kPlacement),
              "result", index)};
}

/// The region value group that an operand is in, of its op or the op around it.
static std::optional<std::pair<ShardableRegionOpInterface, unsigned>>
groupOfUse(OpOperand &use) {
  for (Operation *op : {use.getOwner(), use.getOwner()->getParentOp()})
    if (auto region = asShardableRegion(op))
      for (auto [i, group] : llvm::enumerate(region.getValueGroups()))
        if (llvm::is_contained(group.operands, &use))
          return std::make_pair(region, unsigned(i));
  return std::nullopt;
}

Alternatives shardir::alternativesOfUse(OpOperand &use) {
  Operation *user = placedOp(use.getOwner());
  if (isa<func::ReturnOp>(user))
    return alternativesOfResult(user->getParentOfType<func::FuncOp>(),
                                use.getOperandNumber());
  if (user == use.getOwner())
    if (auto group = groupOfUse(use))
      return alternativesOfGroup(group->first, group->second);
  return alternativesOfOp(user);
}

Alternatives shardir::alternativesBehind(Operation *step) {
  for (const RedistributionUser &user : findRedistributionUsers(step))
    if (user.use)
      if (Alternatives found = alternativesOfUse(*user.use); !found.all.empty())
        return found;
  Value source = step->getOperand(0);
  while (Operation *made = source.getDefiningOp()) {
    if (!isStep(made))
      break;
    source = made->getOperand(0);
  }
  return alternativesOf(source);
}

/// `3.4 us`.
static std::string timeText(double seconds) {
  return llvm::formatv("{0:f3} us", seconds * 1e6);
}

std::string shardir::bytesText(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// `256 bytes (128 bytes more)`: a figure, and its difference to the chosen
/// alternative's.
template <typename Number>
static std::string compared(Number figure, Number chosen,
                            std::string (*text)(Number)) {
  if (figure == chosen)
    return text(figure) + " as well";
  return text(figure) + " (" +
         (figure > chosen ? text(figure - chosen) + " more)"
                          : text(chosen - figure) + " less)");
}

std::string shardir::describeChoice(const Alternatives &alternatives) {
  const Alternative &own = alternatives.all[0], &other = alternatives.all[1];
  bool hasTimes = own.seconds && other.seconds;
  std::string text = "'" + alternatives.name + "' has " + own.placement +
                     ", around which a device ";
  if (hasTimes)
    text += "needs " + timeText(*own.seconds) + " and ";
  text += "receives " + bytesText(own.bytes) + "; the best alternative, " +
          other.placement + ", ";
  auto costOf = [&](const Alternative &each) {
    return std::make_pair(hasTimes ? *each.seconds : 0.0, each.bytes);
  };
  text += "costs ";
  if (costOf(other) == costOf(own)) {
    text += hasTimes ? "as much" : "as many bytes";
  } else {
    if (hasTimes)
      text += compared(*other.seconds, *own.seconds, timeText) + " and ";
    text += compared(other.bytes, own.bytes, bytesText);
  }
  if (costOf(other) < costOf(own))
    text += ", and the cost of the rest of the program, a memory limit or the "
            "option conflicts= outweighs that";
  return text + "; to have it, " + alternatives.remedy;
}

//===----------------------------------------------------------------------===//
// Provenance
//===----------------------------------------------------------------------===//

ArrayAttr shardir::provenanceOn(Operation *op, std::optional<unsigned> group) {
  auto list = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kDecidedBy);
  if (!list || list.empty())
    return nullptr;
  if (!isa<ArrayAttr>(list[0]))
    return list;
  // One list for each region value group.
  auto ofGroup = [&](size_t i) {
    auto own = dyn_cast<ArrayAttr>(list[i]);
    return own && !own.empty() ? own : ArrayAttr();
  };
  if (group && *group < list.size())
    return ofGroup(*group);
  llvm::SetVector<Attribute> all;
  for (size_t i = 0; i < list.size(); ++i)
    if (ArrayAttr own = ofGroup(i))
      all.insert(own.begin(), own.end());
  return all.empty() ? ArrayAttr()
                     : ArrayAttr::get(op->getContext(), all.getArrayRef());
}

ArrayAttr shardir::provenanceOnProducer(Value value) {
  return provenanceOn(value.getDefiningOp(), groupOfValue(value));
}

/// A list of one.
static ArrayAttr listOf(ProvenanceAttr provenance) {
  return ArrayAttr::get(provenance.getContext(), {Attribute(provenance)});
}

ArrayAttr shardir::provenanceOfResult(func::FuncOp function, unsigned index) {
  Attribute own = function.getResultAttr(index, ShardIRDialect::kPlacement);
  Value value = function.getBody().front().getTerminator()->getOperand(index);
  auto given = dyn_cast_or_null<ArrayAttr>(
      function.getResultAttr(index, ShardIRDialect::kDecidedBy));
  if (isReplicated(own) || given)
    return given;
  // A redistribution in front of the return serves the annotation.
  Operation *producer = value.getDefiningOp();
  if ((producer && isStep(producer)) || getPlacement(value) != own)
    return listOf(ProvenanceAttr::ofResult(function, index));
  // An op without a provenance of its own was placed for its user.
  if (producer && !producer->hasAttr(ShardIRDialect::kDecidedBy))
    return listOf(ProvenanceAttr::ofResult(function, index));
  return provenanceOf(value);
}

ArrayAttr shardir::provenanceOfUse(OpOperand &use) {
  Operation *user = placedOp(use.getOwner());
  if (isa<func::ReturnOp>(user))
    return provenanceOfResult(user->getParentOfType<func::FuncOp>(),
                              use.getOperandNumber());
  if (user == use.getOwner())
    if (auto group = groupOfUse(use))
      return provenanceOn(group->first, group->second);
  return provenanceOn(user);
}

/// The provenance of the nearest op behind `op` that has one: a rematerialized
/// op is there for its user.
static ArrayAttr provenanceBehind(Operation *op) {
  static constexpr unsigned kMostOps = 64;
  llvm::SetVector<Operation *> seen;
  seen.insert(placedOp(op));
  for (unsigned i = 0; i < seen.size() && seen.size() < kMostOps; ++i)
    for (Value result : seen[i]->getResults())
      for (OpOperand &use : result.getUses()) {
        Operation *user = placedOp(use.getOwner());
        if (ArrayAttr provenance = provenanceOfUse(use))
          return provenance;
        seen.insert(user);
      }
  return nullptr;
}

/// The provenance of the result of a redistribution or collective.
static ArrayAttr provenanceOfStep(Operation *op, bool replicates) {
  SmallVector<RedistributionUser> users = findRedistributionUsers(op);
  auto nameOf = [](const RedistributionUser &user) {
    auto name = StringAttr::get(user.loc.getContext(), user.name);
    return listOf(ProvenanceAttr::ofOp(name, user.loc));
  };
  for (const RedistributionUser &user : users) {
    if (!user.use)
      return nameOf(user);
    // An op's rule, not an annotation, wants its operand replicated.
    if (replicates && !isa<func::ReturnOp>(user.use->getOwner()))
      continue;
    if (ArrayAttr provenance = provenanceOfUse(*user.use))
      return provenance;
  }
  if (replicates)
    return nullptr;
  for (const RedistributionUser &user : users)
    if (ArrayAttr provenance = provenanceBehind(user.use->getOwner()))
      return provenance;
  // No annotation explains it: name the user, or the op itself if unused.
  if (!users.empty())
    return nameOf(users.front());
  return listOf(ProvenanceAttr::ofOp(op->getName().getIdentifier(),
                                     UnknownLoc::get(op->getContext())));
}

ArrayAttr shardir::provenanceOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    op = argument.getOwner()->getParentOp();
    unsigned i = argument.getArgNumber();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      auto given = dyn_cast_or_null<ArrayAttr>(
          function.getArgAttr(i, ShardIRDialect::kDecidedBy));
      // An annotated argument is its own provenance.
      bool isAnnotated =
          !given &&
          !isReplicated(function.getArgAttr(i, ShardIRDialect::kPlacement));
      return isAnnotated ? listOf(ProvenanceAttr::ofArgument(function, i))
                         : given;
    }
  }
  bool replicated = isReplicated(getPlacement(value));
  if (isStep(op))
    return provenanceOfStep(op, replicated);
  if (ArrayAttr own = provenanceOn(op, groupOfValue(value)); own || replicated)
    return own;
  // An annotated op is its own provenance.
  return listOf(ProvenanceAttr::ofAnnotation(op));
}

Location shardir::locateProvenance(ProvenanceAttr provenance, ModuleOp module,
                                   Location otherwise) {
  if (provenance.getLoc())
    return Location(provenance.getLoc());
  bool isArgument = provenance.getKind() == ProvenanceKind::Argument;
  if (!isArgument && provenance.getKind() != ProvenanceKind::Result)
    return otherwise;
  auto function = module.lookupSymbol<func::FuncOp>(provenance.getName());
  if (!function || function.isDeclaration())
    return otherwise;
  if (!isArgument)
    return function.getLoc();
  return provenance.getIndex() < function.getNumArguments()
             ? function.getArgument(provenance.getIndex()).getLoc()
             : otherwise;
}
