//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conflicts: a reachable sharding competes with another one, with a partial
// operand, or with what users and operands can take. Requires the reachable
// shardings of all nodes; changes none of them.
//
//===----------------------------------------------------------------------===//

#include "ReachableShardings.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

/// Whether all users of what node n reads at `port` can take axes at the dim
/// that is its factor.
bool ReachableShardings::othersAgree(End from, int n, const Port &port,
                                     int factor, uint64_t axes) {
  const TensorFactors &theirs =
      space.factorsOf(from.node, space.ports(from.node)[from.port]);
  for (auto [d, dim] : llvm::enumerate(space.factorsOf(n, port).dims))
    if (dim == DimFactors{factor})
      for (int g : theirs.dims[d])
        if (!usersAgree(from.node, g, axes))
          return false;
  return true;
}

/// Whether every operand that has the factor can come with these axes. With
/// `carriedOnly`, and where another user of it cannot take them, it must have
/// them from what it is computed from.
bool ReachableShardings::operandsAgree(int n, int factor, uint64_t axes,
                                       bool carriedOnly) {
  for (const Port &port : space.ports(n)) {
    if (port.isResult || port.isAlias ||
        llvm::none_of(
            space.factorsOf(n, port).dims,
            [&](const DimFactors &dim) { return dim == DimFactors{factor}; }))
      continue;
    End from = space.producer(port.value);
    if (from.node < 0 || space.isRematerializable(from.node) ||
        space.node(from.node).mesh != space.node(n).mesh)
      continue;
    uint64_t brought = 0;
    llvm::SmallVector<SplitsId> list;
    space.show(
        from.node, space.ports(from.node)[from.port], n, port,
        [&](int g) -> llvm::ArrayRef<SplitsId> {
          list.assign(reachable[from.node][g].begin(),
                      reachable[from.node][g].end());
          list.push_back(floors[from.node][g]);
          return list;
        },
        [&](int f, SplitsId id) {
          if (f == factor)
            brought |= space.table(n).uses(id);
        });
    if (!othersAgree(from, n, port, factor, axes))
      return false;
    if (carriedOnly)
      brought &= carried[from.node];
    if (axes & ~brought)
      return false;
  }
  return true;
}

/// Whether every user of the results can take these axes where the factor is a
/// dim of its own.
bool ReachableShardings::usersAgree(int n, int factor, uint64_t axes) {
  for (const Port &port : space.ports(n)) {
    if (!port.isResult)
      continue;
    const TensorFactors &own = space.factorsOf(n, port);
    for (auto [d, dim] : llvm::enumerate(own.dims)) {
      if (dim != DimFactors{factor})
        continue;
      for (End user : space.users(port.value)) {
        if (space.node(user.node).mesh != space.node(n).mesh)
          continue;
        const DimFactors &theirs =
            space.factorsOf(user.node, space.ports(user.node)[user.port])
                .dims[d];
        uint64_t has = 0;
        bool grows = false;
        for (int g : theirs) {
          has |= space.table(n).uses(floors[user.node][g]);
          grows |= mayGrow(user.node, g);
        }
        if (!grows && (axes & ~has))
          return false;
      }
    }
  }
  return true;
}

/// True if the reachable shardings of the factor exclude each other.
bool ReachableShardings::shardingsCompete(int n, int factor) {
  SplitsTable &table = space.table(n);
  uint64_t blocks = 0;
  SplitsId longest = floors[n][factor];
  for (SplitsId id : reachable[n][factor]) {
    if (!table.isPrefix(id, longest) && !table.isPrefix(longest, id))
      return true;
    // A dim in several parts per device: gathering it before the reshape
    // that brought it may save more than keeping it so.
    if (table.isStrided(id))
      return true;
    longest = table.isPrefix(longest, id) ? id : longest;
    blocks |= table.blocks(id);
  }
  for (auto [g, others] : llvm::enumerate(reachable[n]))
    if (int(g) != factor)
      for (SplitsId id : others)
        if (table.uses(id) & blocks)
          return true;
  for (const PartialTerm &term : passes[n])
    if (term.axis & blocks)
      return true;
  return !usersAgree(n, factor, table.uses(longest)) || !fitTogether(n);
}

/// True if the reachable shardings of all factors can be written at once, on
/// the dims that consist of several factors.
bool ReachableShardings::fitTogether(int n) {
  const ShardingRule &rule = space.rule(n);
  auto isMade = [](const TensorFactors &tensor) {
    return llvm::any_of(tensor.dims,
                        [](const DimFactors &dim) { return dim.size() > 1; });
  };
  if (llvm::none_of(rule.operands, isMade) &&
      llvm::none_of(rule.results, isMade))
    return true;
  NodeSplits all = floors[n];
  int count = 0;
  for (auto [f, list] : llvm::enumerate(reachable[n])) {
    count += !list.empty();
    for (SplitsId id : list)
      if (space.table(n).isPrefix(all[f], id))
        all[f] = id;
  }
  return count < 2 || space.composes(n, all);
}

/// A contraction is no conflict where its operands agree: its partial result is
/// reduced where that costs least, but it is not given up. Where the op is in a
/// conflict anyway, or another user of an operand cannot take the axis, they
/// agree only in what annotations in front of them bring.
bool ReachableShardings::competes(int n, int factor) {
  if (weighUncontested || shardingsCompete(n, factor))
    return true;
  const Factor &own = space.rule(n).factors[factor];
  if (own.kind != FactorKind::Reduction)
    return false;
  // A tensor that each iteration looks up in can be gathered once.
  if (!own.isIterated && space.node(n).executions > 1)
    return true;
  uint64_t axes = space.table(n).uses(floors[n][factor]);
  for (SplitsId id : reachable[n][factor])
    axes |= space.table(n).uses(id);
  bool isContested = false;
  for (int g = 0, e = reachable[n].size(); g < e && !isContested; ++g)
    isContested =
        g != factor && !reachable[n][g].empty() && shardingsCompete(n, g);
  return !operandsAgree(n, factor, axes, isContested);
}

/// Finds what each node can have, and what of it the node has from annotations
/// in front of it.
void ReachableShardings::findCarried() {
  int count = space.numNodes();
  reached.assign(count, 0);
  carried.assign(count, 0);
  std::vector<int> start;
  for (int n = 0; n < count; ++n) {
    if (space.isRematerializable(n))
      continue;
    SplitsTable &table = space.table(n);
    for (SplitsId id : floors[n])
      carried[n] |= table.blocks(id);
    reached[n] = carried[n];
    for (const auto &list : reachable[n])
      for (SplitsId id : list)
        reached[n] |= table.blocks(id);
    if (carried[n])
      start.push_back(n);
  }
  untilStable(std::move(start), [&](int n, auto push) {
    for (const Port &port : space.ports(n))
      if (port.isResult)
        for (End user : space.users(port.value)) {
          uint64_t more = carried[n] & reached[user.node];
          if (space.node(user.node).mesh != space.node(n).mesh ||
              !(more & ~carried[user.node]))
            continue;
          carried[user.node] |= more;
          push(user.node);
        }
  });
}

/// The axes about which each node is in a conflict.
void ReachableShardings::findContested() {
  int count = space.numNodes();
  contested.assign(count, 0);
  for (int n = 0; n < count; ++n)
    for (size_t f = 0; f < reachable[n].size(); ++f)
      if (!reachable[n][f].empty() && competes(n, f))
        for (SplitsId id : reachable[n][f])
          contested[n] |= space.table(n).blocks(id);
}

/// True if the results are larger than all operands: gathering the operands
/// then receives less than gathering the results.
bool ReachableShardings::enlarges(int n) const {
  if (space.isRematerializable(n) || space.node(n).isConstraint ||
      space.node(n).isFixed)
    return false;
  double read = 0, made = 0;
  for (const Port &port : space.ports(n)) {
    int from = space.producer(port.value).node;
    double bytes = globalBytes(space.graph.values[port.value]);
    if (port.isResult)
      made += bytes;
    else if (from >= 0 && !space.isRematerializable(from))
      read += bytes;
  }
  return read > 0 && made > read;
}

/// Per node, the axes that a user in a conflict brings, and that no operand has
/// or the node enlarges: the node is decided together with that user, for it
/// can be split, or gathered, before it is computed or after.
std::vector<uint64_t> ReachableShardings::findUserBrought() {
  int count = space.numNodes();
  findCarried();
  findContested();
  std::vector<int> start;
  std::vector<uint64_t> brought(count, 0);
  for (int n = 0; n < count; ++n)
    if (contested[n])
      start.push_back(n);
  untilStable(std::move(start), [&](int n, auto push) {
    for (const Port &port : space.ports(n)) {
      if (port.isResult)
        continue;
      int from = space.producer(port.value).node;
      if (from < 0 || space.node(from).mesh != space.node(n).mesh)
        continue;
      uint64_t more =
          (contested[n] | brought[n]) & reached[from] & ~brought[from];
      if (!enlarges(from))
        more &= ~carried[from];
      if (!more)
        continue;
      brought[from] |= more;
      push(from);
    }
  });
  return brought;
}

/// Whether the node has operands; a constraint of an argument is as that.
bool ReachableShardings::isComputed(int n) const {
  for (const Port &port : space.ports(n)) {
    if (port.isResult)
      continue;
    int from = space.producer(port.value).node;
    return !space.node(n).isConstraint || from < 0 ||
           space.isRematerializable(from) || isComputed(from);
  }
  return false;
}
