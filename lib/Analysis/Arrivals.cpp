//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fixed points over factors. Sets only grow, so that the order in which nodes
// are looked at does not matter (R3), and a node is looked at again only when
// a neighbour has changed (R8).
//
//===----------------------------------------------------------------------===//

#include "Arrivals.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <limits>

using namespace shardir;

/// A factor has at most this many different splits to choose from.
static constexpr size_t kMostArrivals = 12;

Arrivals::Arrivals(PropagationSpace &space,
                   const std::vector<NodeSplits> &decided, int64_t priority,
                   bool weighContractions)
    : space(space), weighContractions(weighContractions), floors(decided) {
  int count = space.numNodes();
  reserved.resize(count);
  forbidden.resize(count, 0);
  arrived.resize(count);
  owes.resize(count);
  passes.resize(count);
  levels.assign(count, std::numeric_limits<int>::max());
  for (int n = 0; n < count; ++n) {
    const PropagationGraph::Node &node = space.node(n);
    SplitsTable &table = space.table(n);
    size_t factors = node.rule->factors.size();
    arrived[n].resize(factors);
    floors[n].resize(factors, 0);
    reserved[n].assign(factors, 0);
    for (auto [f, splits] : llvm::enumerate(node.annotated)) {
      int64_t own = node.priority.empty() ? PropagationGraph::kLastPriority
                                          : node.priority[f];
      if (own <= priority && !splits.empty())
        floors[n][f] = table.get(splits);
      else if (own > priority)
        reserved[n][f] = table.get(splits);
    }
    for (const AxisRef &axis : node.forbidden)
      forbidden[n] |= table.blocksOf(axis);
    for (const AxisRef &axis : node.partialAxes)
      forbidden[n] |= table.blocksOf(axis);
    if (llvm::any_of(floors[n], [](SplitsId id) { return id != 0; }) ||
        node.partial)
      levels[n] = 0;
    owes[n].resize(node.rule->results.size());
  }
}

bool Arrivals::mayGrow(int n, int factor) const {
  const PropagationGraph::Node &node = space.node(n);
  return !node.isFixed && !space.isFollower(n) &&
         node.rule->factors[factor].kind != FactorKind::Replicate &&
         node.rule->factors[factor].size != 1 &&
         (node.closed.empty() || !node.closed[factor]);
}

/// What of `id` the factor can take, next to `floor`; 0: nothing new.
SplitsId Arrivals::accept(int n, int factor, SplitsId id,
                          const NodeSplits &floor) {
  SplitsTable &table = space.table(n);
  if (!mayGrow(n, factor) || id == floor[factor] ||
      !table.isPrefix(floor[factor], id) || reserved[n][factor])
    return 0;
  uint64_t taken = forbidden[n];
  for (auto [g, other] : llvm::enumerate(floor))
    if (int(g) != factor)
      taken |= table.blocks(other) | table.blocks(reserved[n][g]);
  llvm::SmallVector<SplitsId, 4> fits;
  auto consider = [&](SplitsId prefix) {
    if (!table.isPrefix(prefix, floor[factor]) &&
        table.uses(prefix) != table.uses(floor[factor]))
      fits.push_back(prefix);
  };
  // An axis that does not divide what is left may fit in part.
  for (SplitsId part : table.parts(id, space.rule(n).factors[factor].size)) {
    if (table.uses(part) & taken)
      break;
    consider(part);
  }
  // The longest that can be written for every tensor.
  for (SplitsId own : llvm::reverse(fits)) {
    NodeSplits attempt = floor;
    attempt[factor] = own;
    if (space.composes(n, attempt))
      return own;
  }
  return 0;
}

/// Looks at nodes until nothing changes; `step` tells whether one has.
template <typename Step>
void Arrivals::untilStable(std::vector<int> nodes, Step step) {
  std::vector<bool> isQueued(space.numNodes(), false);
  std::deque<int> queue;
  auto push = [&](int n) {
    if (!isQueued[n] && !space.isFollower(n)) {
      isQueued[n] = true;
      queue.push_back(n);
    }
  };
  for (int n : nodes)
    push(n);
  while (!queue.empty()) {
    int n = queue.front();
    queue.pop_front();
    isQueued[n] = false;
    step(n, push);
  }
}

/// Recomputes what node n may owe.
bool Arrivals::updateOwed(int n) {
  const PropagationGraph::Node &node = space.node(n);
  const ShardingRule &rule = node.rule;
  SplitsTable &table = space.table(n);
  bool changed = false;
  auto add = [&](auto &list, Owed owed) {
    if (llvm::is_contained(list, owed))
      return;
    list.push_back(owed);
    changed = true;
  };
  auto addAxes = [&](int result, uint64_t bits, PartialKind kind) {
    for (; bits; bits &= bits - 1)
      add(owes[n][result], Owed{bits & -bits, kind});
  };
  if (node.isFixed || node.partial) {
    for (auto [r, list] : llvm::enumerate(owes[n])) {
      if (node.isFixed && r >= node.fixedResults.size())
        continue;
      std::optional<PartialKind> kind =
          node.isFixed ? node.fixedResults[r].partial : node.partial;
      if (kind)
        for (const AxisRef &axis :
             node.isFixed ? node.fixedResults[r].partialAxes : node.partialAxes)
          addAxes(r, table.bitOf(axis), *kind);
    }
    return changed;
  }
  if (space.isFresh(n))
    return false;
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    if (factor.kind != FactorKind::Reduction)
      continue;
    uint64_t bits = table.uses(floors[n][f]);
    for (SplitsId id : arrived[n][f])
      bits |= table.uses(id);
    for (size_t r = 0; r < owes[n].size(); ++r)
      addAxes(r, bits, factor.combiners[r]);
  }
  for (const Port &port : space.ports(n)) {
    if (port.isResult || port.isAlias)
      continue;
    End from = space.producer(port.value);
    if (from.node < 0 || space.isFresh(from.node) ||
        space.node(from.node).mesh != node.mesh)
      continue;
    for (const Owed &owed :
         this->owed(from.node, space.ports(from.node)[from.port].tensor))
      for (const PartialRule &partial : rule.partials)
        if ((!partial.kind || *partial.kind == owed.kind) &&
            llvm::is_contained(partial.operands, port.tensor)) {
          add(passes[n], owed);
          for (size_t r = 0; r < owes[n].size(); ++r)
            add(owes[n][r], owed);
        }
  }
  return changed;
}

void Arrivals::findPossible() {
  std::vector<int> start;
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (levels[n] == 0)
      start.push_back(n);
  std::vector<llvm::SmallVector<SplitsId, 4>> lists;
  untilStable(std::move(start), [&](int n, auto push) {
    bool owesMore = updateOwed(n);
    space.forNeighbours(n, [&](const Port &port, End end) {
      const Port &theirs = space.ports(end.node)[end.port];
      bool grew = false;
      if (!space.isFresh(n))
        space.show(
            n, port, end.node, theirs,
            [&](int factor) -> llvm::ArrayRef<SplitsId> {
              lists.resize(
                  std::max<size_t>(lists.size(), space.rule(n).factors.size()));
              auto &list = lists[factor];
              list.assign(arrived[n][factor].begin(), arrived[n][factor].end());
              if (floors[n][factor])
                list.push_back(floors[n][factor]);
              return list;
            },
            [&](int factor, SplitsId id) {
              id = accept(end.node, factor, id, floors[end.node]);
              auto &own = arrived[end.node][factor];
              if (!id || llvm::is_contained(own, id) ||
                  own.size() >= kMostArrivals)
                return;
              own.push_back(id);
              grew = true;
            });
      if (grew) {
        levels[end.node] = std::min(levels[end.node], levels[n] + 1);
        push(end.node);
      } else if (owesMore && port.isResult) {
        if (levels[end.node] == std::numeric_limits<int>::max())
          levels[end.node] = levels[n] + 1;
        push(end.node);
      }
    });
  });
}

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
  if (arrivalsCompete(n, factor))
    return true;
  const Factor &own = space.rule(n).factors[factor];
  if (own.kind != FactorKind::Reduction)
    return false;
  // What is looked up in each iteration of a loop can be made whole once.
  if (weighContractions || (!own.isIterated && space.node(n).executions > 1))
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

/// Per node, the axes that it computes with because its users ask for them and
/// none of its operands has them, where one of these users is in a conflict
/// about them: whether it is split before it is computed or after is part of
/// that. Empty where no axis comes from users alone.
std::vector<uint64_t> Arrivals::findAsked() {
  int count = space.numNodes();
  std::vector<uint64_t> reached(count, 0);
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
  if (carried == reached)
    return {};
  std::vector<uint64_t> asked(count, 0), contested(count, 0);
  start.clear();
  for (int n = 0; n < count; ++n) {
    for (size_t f = 0; f < arrived[n].size(); ++f)
      if (!arrived[n][f].empty() && competes(n, f))
        for (SplitsId id : arrived[n][f])
          contested[n] |= space.table(n).blocks(id);
    if (contested[n])
      start.push_back(n);
  }
  untilStable(std::move(start), [&](int n, auto push) {
    for (const Port &port : space.ports(n)) {
      if (port.isResult)
        continue;
      int from = space.producer(port.value).node;
      if (from < 0 || space.node(from).mesh != space.node(n).mesh)
        continue;
      uint64_t more = (contested[n] | asked[n]) & reached[from] &
                      ~carried[from] & ~asked[from];
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

void Arrivals::findCertain() {
  sure = floors;
  std::vector<uint64_t> asked = findAsked();
  auto isAsked = [&](int n, int factor) {
    return !asked.empty() && llvm::any_of(arrived[n][factor], [&](SplitsId id) {
      return asked[n] & space.table(n).blocks(id);
    });
  };
  std::vector<llvm::SmallVector<int8_t, 4>> decidesAlone(space.numNodes());
  std::vector<int> start;
  for (int n = 0, e = space.numNodes(); n < e; ++n) {
    decidesAlone[n].assign(arrived[n].size(), -1);
    if (llvm::any_of(floors[n], [](SplitsId id) { return id != 0; }))
      start.push_back(n);
  }
  SplitsId one = 0;
  untilStable(std::move(start), [&](int n, auto push) {
    if (space.isFresh(n))
      return;
    space.forNeighbours(n, [&](const Port &port, End end) {
      const Port &theirs = space.ports(end.node)[end.port];
      space.show(
          n, port, end.node, theirs,
          [&](int factor) -> llvm::ArrayRef<SplitsId> {
            one = sure[n][factor];
            return one ? llvm::ArrayRef<SplitsId>(one)
                       : llvm::ArrayRef<SplitsId>();
          },
          [&](int factor, SplitsId id) {
            id = accept(end.node, factor, id, floors[end.node]);
            SplitsId &own = sure[end.node][factor];
            if (!id || own == id || !space.table(end.node).isPrefix(own, id))
              return;
            // A tensor that nobody computes can lie in any way at no cost:
            // where its users want it differently it is part of their conflict.
            int8_t &alone = decidesAlone[end.node][factor];
            if (alone < 0)
              alone = isComputed(end.node) && !isAsked(end.node, factor) &&
                      !competes(end.node, factor);
            if (!alone)
              return;
            own = id;
            push(end.node);
          });
    });
  });
}

std::vector<NodeSplits> Arrivals::firstCome() {
  std::vector<NodeSplits> states = floors;
  auto bytesOf = [&](int value) {
    double bytes = space.graph.values[value].elementBytes;
    for (int64_t extent : space.graph.values[value].shape)
      bytes *= extent == kUnknown ? kAssumedDimSize : extent;
    return bytes;
  };
  struct Proposal {
    int node;
    int factor;
    SplitsId splits;
    double bytes;
    bool isWanted; ///< by who reads the tensor
  };
  SplitsId one = 0;
  // The first phase moves through ops that only pass on what they get.
  for (bool all : {false, true}) {
    auto takesPart = [&](int n) {
      return all || llvm::none_of(space.rule(n).factors, [](const Factor &f) {
               return f.kind == FactorKind::Reduction;
             });
    };
    // Nodes that have changed tell their neighbours; all look at once.
    std::vector<int> changed;
    for (int n = 0, e = space.numNodes(); n < e; ++n)
      if (!space.isFollower(n) && !space.isFresh(n) &&
          llvm::any_of(states[n], [](SplitsId id) { return id != 0; }))
        changed.push_back(n);
    while (!changed.empty()) {
      std::vector<Proposal> proposals;
      for (int n : changed)
        space.forNeighbours(n, [&](const Port &port, End end) {
          if (!takesPart(end.node))
            return;
          space.show(
              n, port, end.node, space.ports(end.node)[end.port],
              [&](int factor) -> llvm::ArrayRef<SplitsId> {
                one = states[n][factor];
                return one ? llvm::ArrayRef<SplitsId>(one)
                           : llvm::ArrayRef<SplitsId>();
              },
              [&](int factor, SplitsId id) {
                if (accept(end.node, factor, id, states[end.node]))
                  proposals.push_back({end.node, factor, id,
                                       bytesOf(port.value), !port.isResult});
              });
        });
      llvm::sort(proposals, [&](const Proposal &a, const Proposal &b) {
        auto hash = [&](const Proposal &p) {
          return space.table(p.node).hash(p.splits);
        };
        return std::make_tuple(a.node, -a.bytes, !a.isWanted, a.factor,
                               hash(a)) < std::make_tuple(b.node, -b.bytes,
                                                          !b.isWanted, b.factor,
                                                          hash(b));
      });
      changed.clear();
      for (const Proposal &proposal : proposals) {
        int n = proposal.node;
        SplitsId id = accept(n, proposal.factor, proposal.splits, states[n]);
        if (!id)
          continue;
        states[n][proposal.factor] = id;
        if (!space.isFresh(n) && (changed.empty() || changed.back() != n))
          changed.push_back(n);
      }
    }
  }
  return states;
}
