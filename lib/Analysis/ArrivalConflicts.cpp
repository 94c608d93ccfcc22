//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where what arrives competes: with other arrivals, with what is owed, or with
// what users and operands can take. Requires the possible arrivals of all
// nodes; changes none of them.
//
//===----------------------------------------------------------------------===//

#include "Arrivals.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

/// Whether all users of what node n reads at `port` can take axes at the dim
/// that is its factor.
bool Arrivals::othersAgree(End from, int n, const Port &port, int factor,
                           uint64_t axes) {
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
bool Arrivals::operandsAgree(int n, int factor, uint64_t axes,
                             bool carriedOnly) {
  for (const Port &port : space.ports(n)) {
    if (port.isResult || port.isAlias ||
        llvm::none_of(
            space.factorsOf(n, port).dims,
            [&](const DimFactors &dim) { return dim == DimFactors{factor}; }))
      continue;
    End from = space.producer(port.value);
    if (from.node < 0 || space.isFresh(from.node) ||
        space.node(from.node).mesh != space.node(n).mesh)
      continue;
    uint64_t brought = 0;
    llvm::SmallVector<SplitsId> list;
    space.show(
        from.node, space.ports(from.node)[from.port], n, port,
        [&](int g) -> llvm::ArrayRef<SplitsId> {
          list.assign(arrived[from.node][g].begin(),
                      arrived[from.node][g].end());
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
bool Arrivals::usersAgree(int n, int factor, uint64_t axes) {
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

/// Whether what arrives at the factor is one of several ways to have its axes.
bool Arrivals::arrivalsCompete(int n, int factor) {
  SplitsTable &table = space.table(n);
  uint64_t blocks = 0;
  SplitsId longest = floors[n][factor];
  for (SplitsId id : arrived[n][factor]) {
    if (!table.isPrefix(id, longest) && !table.isPrefix(longest, id))
      return true;
    // A dim in several parts per device: making it whole before the reshape
    // that brought it may save more than keeping it so.
    if (table.isStrided(id))
      return true;
    longest = table.isPrefix(longest, id) ? id : longest;
    blocks |= table.blocks(id);
  }
  for (auto [g, others] : llvm::enumerate(arrived[n]))
    if (int(g) != factor)
      for (SplitsId id : others)
        if (table.uses(id) & blocks)
          return true;
  for (const Owed &owed : passes[n])
    if (owed.axis & blocks)
      return true;
  return !usersAgree(n, factor, table.uses(longest)) || !fitTogether(n);
}

/// Whether what arrives at all factors can be written at once, on the dims that
/// several of them make.
bool Arrivals::fitTogether(int n) {
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
  for (auto [f, list] : llvm::enumerate(arrived[n])) {
    count += !list.empty();
    for (SplitsId id : list)
      if (space.table(n).isPrefix(all[f], id))
        all[f] = id;
  }
  return count < 2 || space.composes(n, all);
}

/// A contraction is no conflict where its operands agree: what it owes is
/// reduced where that costs least, but it is not given up. Where the op is in a
/// conflict anyway, or another user of an operand cannot take the axis, they
/// agree only in what they have without being asked.
bool Arrivals::competes(int n, int factor) {
  if (weigh == Weigh::All || arrivalsCompete(n, factor))
    return true;
  const Factor &own = space.rule(n).factors[factor];
  if (own.kind != FactorKind::Reduction)
    return false;
  // What is looked up in each iteration of a loop can be made whole once.
  if (weigh == Weigh::Contractions ||
      (!own.isIterated && space.node(n).executions > 1))
    return true;
  uint64_t axes = space.table(n).uses(floors[n][factor]);
  for (SplitsId id : arrived[n][factor])
    axes |= space.table(n).uses(id);
  bool isContested = false;
  for (int g = 0, e = arrived[n].size(); g < e && !isContested; ++g)
    isContested =
        g != factor && !arrived[n][g].empty() && arrivalsCompete(n, g);
  return !operandsAgree(n, factor, axes, isContested);
}

/// Finds what each node can have, and what of it the node has from annotations
/// in front of it.
void Arrivals::findCarried() {
  int count = space.numNodes();
  reached.assign(count, 0);
  carried.assign(count, 0);
  std::vector<int> start;
  for (int n = 0; n < count; ++n) {
    if (space.isFresh(n))
      continue;
    SplitsTable &table = space.table(n);
    for (SplitsId id : floors[n])
      carried[n] |= table.blocks(id);
    reached[n] = carried[n];
    for (const auto &list : arrived[n])
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
void Arrivals::findContested() {
  int count = space.numNodes();
  contested.assign(count, 0);
  for (int n = 0; n < count; ++n)
    for (size_t f = 0; f < arrived[n].size(); ++f)
      if (!arrived[n][f].empty() && competes(n, f))
        for (SplitsId id : arrived[n][f])
          contested[n] |= space.table(n).blocks(id);
}

/// Whether what the node makes is larger than all that it reads: making that
/// whole moves less than making the result whole.
bool Arrivals::enlarges(int n) const {
  if (space.isFresh(n) || space.node(n).isConstraint || space.node(n).isFixed)
    return false;
  double read = 0, made = 0;
  for (const Port &port : space.ports(n)) {
    int from = space.producer(port.value).node;
    double bytes = wholeBytes(space.graph.values[port.value]);
    if (port.isResult)
      made += bytes;
    else if (from >= 0 && !space.isFresh(from))
      read += bytes;
  }
  return read > 0 && made > read;
}

/// Per node, the axes that its operands or users settle only together with it:
/// those that it computes with because its users ask for them and none of its
/// operands has them, and all of a node that enlarges what it reads, where one
/// of these users is in a conflict about them. Whether it is split, or made
/// whole, before it is computed or after is part of that.
std::vector<uint64_t> Arrivals::findAsked() {
  int count = space.numNodes();
  findCarried();
  findContested();
  std::vector<int> start;
  std::vector<uint64_t> asked(count, 0);
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
      uint64_t more = (contested[n] | asked[n]) & reached[from] & ~asked[from];
      if (!enlarges(from))
        more &= ~carried[from];
      if (!more)
        continue;
      asked[from] |= more;
      push(from);
    }
  });
  return asked;
}

/// Whether the node has operands; a constraint of an argument is as that.
bool Arrivals::isComputed(int n) const {
  for (const Port &port : space.ports(n)) {
    if (port.isResult)
      continue;
    int from = space.producer(port.value).node;
    return !space.node(n).isConstraint || from < 0 || space.isFresh(from) ||
           isComputed(from);
  }
  return false;
}
