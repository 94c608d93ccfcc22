//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate has each axis on one of the factors that it can reach, is partial
// over it where an operand is and the op is linear in it, or does without.
// Guarantees that every candidate keeps what is decided (R1), splits no two
// dims of a tensor by one axis (R4) and can be written for every operand and
// result.
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

/// A node has at most this many candidates.
static constexpr size_t kMostCandidates = 256;

/// The sub-axes that split anything at the node, or over which it is partial.
std::vector<AxisRef> CandidateLists::subAxesOf(int n) {
  SplitsTable &table = space.table(n);
  std::vector<AxisRef> found;
  auto note = [&](uint64_t bits) {
    for (const AxisRef &axis : table.axesOfBits(bits))
      if (!axis.isWhole() && !llvm::is_contained(found, axis))
        found.push_back(axis);
  };
  for (size_t f = 0; f < space.rule(n).factors.size(); ++f) {
    note(table.uses(reachable.certain(n)[f]));
    for (SplitsId id : reachable.possible(n, f))
      note(table.uses(id));
  }
  for (const PartialTerm &term : reachable.passing(n))
    note(term.axis);
  return found;
}

/// The splits that a factor can have: the uncontested ones, and those that
/// extend them. An axis is also cut where a part of it that others have begins
/// or ends, and where it does not divide one of the factors of a dim.
std::vector<SplitsId>
CandidateLists::optionsOf(int n, int factor, llvm::ArrayRef<AxisRef> subAxes) {
  SplitsTable &table = space.table(n);
  SplitsId sure = reachable.certain(n)[factor];
  std::vector<SplitsId> options = {sure};
  auto add = [&](SplitsId id) {
    if (id != sure && table.isPrefix(sure, id) &&
        !llvm::is_contained(options, id))
      options.push_back(id);
  };
  auto addPart = [&](SplitsId id, int64_t size) {
    Splits part = table.splits(id);
    part.back().axis->size = size;
    add(table.get(part));
  };
  auto hasOthers = [&](const TensorFactors &tensor) {
    return llvm::any_of(tensor.dims, [&](const DimFactors &dim) {
      return dim.size() > 1 && llvm::is_contained(dim, factor);
    });
  };
  bool isMade = llvm::any_of(space.rule(n).operands, hasOthers) ||
                llvm::any_of(space.rule(n).results, hasOthers);
  for (SplitsId id : reachable.possible(n, factor)) {
    // As much of an axis as divides what is left, on dims that several factors
    // make: the others cannot be cut behind all of it.
    int64_t size = isMade ? space.rule(n).factors[factor].size : kUnknown;
    for (SplitsId prefix : table.parts(id, size)) {
      add(prefix);
      if (!table.splits(prefix).back().isAxis())
        continue;
      const AxisRef last = *table.splits(prefix).back().axis;
      int64_t end = last.preSize * axisSize(table.mesh, last);
      for (const AxisRef &other : subAxes)
        if (other.name == last.name)
          for (int64_t cut : {other.preSize, other.preSize * other.size})
            if (cut > last.preSize && cut < end && cut % last.preSize == 0 &&
                end % cut == 0)
              addPart(prefix, cut / last.preSize);
    }
  }
  llvm::sort(options, [&](SplitsId a, SplitsId b) {
    return table.hash(a) < table.hash(b);
  });
  return options;
}

std::vector<CandidateLists::Pass> CandidateLists::passesOf(int n) {
  const ShardingRule &rule = space.rule(n);
  std::vector<Pass> passes;
  for (const PartialTerm &term : reachable.passing(n)) {
    Pass pass{term, {}};
    for (auto [r, partial] : llvm::enumerate(rule.partials)) {
      if (partial.kind && *partial.kind != term.kind)
        continue;
      bool isPartial = false;
      for (const Port &port : space.ports(n)) {
        if (port.isResult || port.isAlias ||
            !llvm::is_contained(partial.operands, port.tensor))
          continue;
        End from = space.producer(port.value);
        isPartial |=
            from.node >= 0 && !space.isRematerializable(from.node) &&
            llvm::is_contained(
                reachable.terms(from.node,
                                space.ports(from.node)[from.port].tensor),
                term);
      }
      if (isPartial)
        pass.rules.push_back(r);
    }
    if (!pass.rules.empty())
      passes.push_back(std::move(pass));
  }
  llvm::sort(passes, [](const Pass &a, const Pass &b) {
    return std::make_pair(a.term.axis, a.term.kind) <
           std::make_pair(b.term.axis, b.term.kind);
  });
  return passes;
}

int64_t CandidateLists::rankOf(int n, const NodeSplits &splits,
                               uint64_t partialAxes) {
  const ShardingRule &rule = space.rule(n);
  SplitsTable &table = space.table(n);
  int64_t rank = 0, position = 1;
  uint64_t seen = 0;
  auto visit = [&](const TensorFactors &tensor) {
    for (const DimFactors &dim : tensor.dims)
      for (int f : dim) {
        uint64_t own = table.uses(splits[f]) & ~seen;
        rank += position * __builtin_popcountll(own);
        seen |= own;
        ++position;
      }
  };
  for (const TensorFactors &tensor : rule.results)
    visit(tensor);
  for (const TensorFactors &tensor : rule.operands)
    visit(tensor);
  return rank + 64 * __builtin_popcountll(reachableAxes & ~seen & ~partialAxes);
}

/// Adds the candidate whose results are partial over the axes of `passes` as
/// `chosen` says, by the index of a partial rule or -1.
void CandidateLists::addPartial(int n, const NodeSplits &splits,
                                const std::vector<Pass> &passes,
                                llvm::ArrayRef<int> chosen,
                                CandidateList &list) {
  const PropagationGraph::Node &node = space.node(n);
  const ShardingRule &rule = node.rule;
  SplitsTable &table = space.table(n);
  Candidate candidate;
  candidate.splits = splits;
  for (SplitsId id : splits)
    candidate.hash = mixHash(candidate.hash, table.hash(id));
  struct Terms {
    std::optional<PartialKind> kind;
    std::vector<AxisRef> axes;
  };
  std::vector<Terms> operandTerms(rule.operands.size()),
      resultTerms(rule.results.size());
  auto addTerm = [&](Terms &terms, uint64_t bits, PartialKind kind) {
    if (terms.kind && *terms.kind != kind)
      return false;
    terms.kind = kind;
    for (const AxisRef &axis : table.axesOfBits(bits)) {
      if (llvm::is_contained(terms.axes, axis))
        continue;
      // An axis and a part of it are no two sums.
      if (llvm::any_of(terms.axes, [&](const AxisRef &other) {
            return overlap(axis, other, table.mesh);
          }))
        return false;
      terms.axes.push_back(axis);
    }
    return true;
  };
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    uint64_t bits = table.uses(splits[f]);
    if (factor.kind != FactorKind::Reduction || !bits)
      continue;
    for (size_t r = 0; r < rule.results.size(); ++r) {
      if (!addTerm(resultTerms[r], bits, factor.combiners[r]))
        return;
      if (r < rule.inits.size() && rule.inits[r] >= 0 &&
          !addTerm(operandTerms[rule.inits[r]], bits, factor.combiners[r]))
        return;
    }
  }
  uint64_t passed = 0;
  for (auto [pass, r] : llvm::zip(passes, chosen)) {
    if (r < 0)
      continue;
    passed |= pass.term.axis;
    for (Terms &terms : resultTerms)
      if (!addTerm(terms, pass.term.axis, pass.term.kind))
        return;
    for (int i : rule.partials[r].operands)
      if (!addTerm(operandTerms[i], pass.term.axis, pass.term.kind))
        return;
    candidate.hash =
        mixHash(mixHash(candidate.hash, r + 1),
                hashText(toString(table.axesOfBits(pass.term.axis).front())));
  }
  candidate.rank = rankOf(n, splits, passed);
  if (node.partial) {
    Terms given{node.partial, node.partialAxes};
    for (Terms &terms : resultTerms)
      terms = given;
    for (Terms &terms : operandTerms)
      terms = given;
  }
  auto build = [&](const TensorFactors &factors, int key, const Terms &terms,
                   auto &out) {
    std::optional<PlacementId> id = space.compose(n, factors, key, splits);
    if (!id)
      return false;
    if (!terms.axes.empty()) {
      Placement placement = table.placement(*id);
      for (const DimPlacement &dim : placement.dims)
        for (const AxisRef &used : axesOf(dim.splits))
          for (const AxisRef &axis : terms.axes)
            if (overlap(used, axis, table.mesh))
              return false;
      placement.partial = terms.kind;
      placement.partialAxes = terms.axes;
      std::vector<int64_t> shape;
      for (const DimFactors &dim : factors.dims) {
        int64_t extent = 1;
        for (int f : dim)
          extent = rule.factors[f].size == kUnknown || extent == kUnknown
                       ? kUnknown
                       : extent * rule.factors[f].size;
        shape.push_back(extent);
      }
      id = table.getPlacement(normalForm(placement, table.mesh, shape));
    }
    out.push_back(*id);
    return true;
  };
  for (auto [i, factors] : llvm::enumerate(rule.operands))
    if (!build(factors, int(i), operandTerms[i], candidate.operands))
      return;
  for (auto [i, factors] : llvm::enumerate(rule.results))
    if (!build(factors, -1 - int(i), resultTerms[i], candidate.results))
      return;
  if (node.isFixed) {
    candidate.results.clear();
    for (const Placement &placement : node.fixedResults)
      candidate.results.push_back(table.getPlacement(placement));
  }
  list.all.push_back(std::move(candidate));
}

void CandidateLists::add(int n, const NodeSplits &splits,
                         const std::vector<Pass> &passes, CandidateList &list) {
  SplitsTable &table = space.table(n);
  uint64_t blocks = 0;
  for (SplitsId id : splits)
    blocks |= table.blocks(id);
  // Each axis that nothing splits is passed by one of the rules or by none.
  std::vector<Pass> free;
  for (const Pass &pass : passes)
    if (!(pass.term.axis & blocks))
      free.push_back(pass);
  llvm::SmallVector<int, 4> at(free.size(), 0);
  while (list.all.size() < kMostCandidates) {
    llvm::SmallVector<int, 4> chosen;
    for (auto [pass, i] : llvm::zip(free, at))
      chosen.push_back(i == int(pass.rules.size()) ? -1 : pass.rules[i]);
    addPartial(n, splits, free, chosen, list);
    size_t i = 0;
    while (i < at.size() && ++at[i] > int(free[i].rules.size()))
      at[i++] = 0;
    if (i == at.size())
      break;
  }
}

const CandidateList &CandidateLists::get(int n) {
  const PropagationGraph::Node &node = space.node(n);
  SplitsTable &table = space.table(n);
  std::vector<std::vector<SplitsId>> options;
  std::vector<Pass> passes;
  std::vector<AxisRef> subAxes = subAxesOf(n);
  for (size_t f = 0; f < node.rule->factors.size(); ++f)
    options.push_back(optionsOf(n, f, subAxes));
  if (!node.isFixed && !node.partial)
    passes = passesOf(n);

  std::vector<int64_t> key = {space.ruleClass(n)};
  for (const std::vector<SplitsId> &own : options) {
    key.push_back(-1);
    key.insert(key.end(), own.begin(), own.end());
  }
  for (const Pass &pass : passes) {
    key.push_back(-2);
    key.push_back(pass.term.axis);
    key.push_back(int64_t(pass.term.kind));
    key.insert(key.end(), pass.rules.begin(), pass.rules.end());
  }
  if (node.partial) {
    key.push_back(-3);
    key.push_back(int64_t(*node.partial));
    for (const AxisRef &axis : node.partialAxes)
      key.push_back(table.bitOf(axis));
  }
  if (node.isFixed)
    for (const Placement &placement : node.fixedResults) {
      key.push_back(-4);
      key.push_back(table.getPlacement(placement));
    }
  auto [it, isNew] = ids.try_emplace(key, lists.size());
  if (!isNew)
    return lists[it->second];
  lists.emplace_back();
  CandidateList &list = lists.back();
  list.id = lists.size() - 1;

  reachableAxes = 0;
  for (const std::vector<SplitsId> &own : options)
    for (SplitsId id : own)
      reachableAxes |= table.uses(id);
  for (const Pass &pass : passes)
    reachableAxes |= pass.term.axis;
  NodeSplits splits(options.size(), 0);
  // Depth first over the factors; axes that are taken close a branch.
  auto choose = [&](auto self, size_t f, uint64_t used) -> void {
    if (list.all.size() >= kMostCandidates)
      return;
    if (f == options.size())
      return add(n, splits, passes, list);
    for (SplitsId id : options[f]) {
      if (table.blocks(id) & used)
        continue;
      splits[f] = id;
      self(self, f + 1, used | table.uses(id));
    }
  };
  choose(choose, 0, 0);
  // The decided splits compose, even where no reachable ones do.
  if (list.all.empty())
    add(n, reachable.certain(n), {}, list);
  if (list.all.empty())
    add(n, reachable.floor(n), {}, list);
  if (list.all.empty())
    add(n, NodeSplits(options.size(), 0), {}, list);
  if (sharesLarge)
    dropRepeatedWork(n, list);
  return list;
}

void CandidateLists::dropRepeatedWork(int n, CandidateList &list) {
  constexpr double kLargePoints = 1 << 27; // of a product of 512x512x512
  const ShardingRule &rule = space.rule(n);
  double points = 1;
  for (const Factor &factor : rule.factors)
    if (factor.isIterated)
      points *= double(factor.size == kUnknown ? kAssumedDimSize : factor.size);
  if (rule.moves != ShardingRule::Moves::All || points <= kLargePoints)
    return;
  auto devicesOf = [&](const Candidate &candidate) {
    double devices = 1;
    for (auto [factor, id] : llvm::zip(rule.factors, candidate.splits))
      if (factor.isIterated)
        devices *= std::min(
            double(space.table(n).size(id)),
            double(factor.size == kUnknown ? kAssumedDimSize : factor.size));
    return devices;
  };
  double most = 1;
  for (const Candidate &candidate : list.all)
    most = std::max(most, devicesOf(candidate));
  llvm::erase_if(list.all, [&](const Candidate &candidate) {
    return devicesOf(candidate) < most;
  });
}

int CandidateLists::find(const CandidateList &list, const NodeSplits &splits) {
  int best = 0, most = -1;
  int64_t rank = -1;
  for (auto [i, candidate] : llvm::enumerate(list.all)) {
    int agree = 0;
    for (auto [a, b] : llvm::zip(candidate.splits, splits))
      agree += a == b;
    if (agree > most || (agree == most && candidate.rank > rank)) {
      best = i;
      most = agree;
      rank = candidate.rank;
    }
  }
  return best;
}
