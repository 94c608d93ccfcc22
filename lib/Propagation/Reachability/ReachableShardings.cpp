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

#include "ReachableShardings.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace shardir;

/// A factor has at most this many different splits to choose from.
static constexpr size_t kMaxReachable = 12;

ReachableShardings::ReachableShardings(PropagationSpace &space,
                                       const std::vector<NodeSplits> &decided,
                                       int64_t priority, bool weighUncontested)
    : space(space), weighUncontested(weighUncontested), floors(decided) {
  int count = space.numNodes();
  reserved.resize(count);
  forbidden.resize(count, 0);
  reachable.resize(count);
  resultTerms.resize(count);
  passes.resize(count);
  levels.assign(count, std::numeric_limits<int>::max());
  for (int n = 0; n < count; ++n) {
    const PropagationGraph::Node &node = space.node(n);
    SplitsTable &table = space.table(n);
    size_t factors = node.rule->factors.size();
    reachable[n].resize(factors);
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
    resultTerms[n].resize(node.rule->results.size());
  }
}

bool ReachableShardings::mayGrow(int n, int factor) const {
  const PropagationGraph::Node &node = space.node(n);
  return !node.isFixed && !space.isAlias(n) &&
         node.rule->factors[factor].kind != FactorKind::Replicate &&
         node.rule->factors[factor].size != 1 &&
         (node.closed.empty() || !node.closed[factor]);
}

/// The part of `id` that the factor can take, next to `floor`; 0: nothing new.
SplitsId ReachableShardings::accept(int n, int factor, SplitsId id,
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

/// Recomputes the terms of which the results of node n may be partial.
bool ReachableShardings::updateTerms(int n) {
  const PropagationGraph::Node &node = space.node(n);
  const ShardingRule &rule = node.rule;
  SplitsTable &table = space.table(n);
  bool changed = false;
  auto add = [&](auto &list, PartialTerm term) {
    if (llvm::is_contained(list, term))
      return;
    list.push_back(term);
    changed = true;
  };
  auto addAxes = [&](int result, uint64_t bits, PartialKind kind) {
    for (; bits; bits &= bits - 1)
      add(resultTerms[n][result], PartialTerm{bits & -bits, kind});
  };
  if (node.isFixed || node.partial) {
    for (auto [r, list] : llvm::enumerate(resultTerms[n])) {
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
  if (space.isRematerializable(n))
    return false;
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    if (factor.kind != FactorKind::Reduction)
      continue;
    uint64_t bits = table.uses(floors[n][f]);
    for (SplitsId id : reachable[n][f])
      bits |= table.uses(id);
    for (size_t r = 0; r < resultTerms[n].size(); ++r)
      addAxes(r, bits, factor.combiners[r]);
  }
  for (const Port &port : space.ports(n)) {
    if (port.isResult || port.isAlias)
      continue;
    End from = space.producer(port.value);
    if (from.node < 0 || space.isRematerializable(from.node) ||
        space.node(from.node).mesh != node.mesh)
      continue;
    for (const PartialTerm &term :
         terms(from.node, space.ports(from.node)[from.port].tensor))
      for (const PartialRule &partial : rule.partials)
        if ((!partial.kind || *partial.kind == term.kind) &&
            llvm::is_contained(partial.operands, port.tensor)) {
          add(passes[n], term);
          for (size_t r = 0; r < resultTerms[n].size(); ++r)
            add(resultTerms[n][r], term);
        }
  }
  return changed;
}

void ReachableShardings::findPossible() {
  std::vector<int> start;
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (levels[n] == 0)
      start.push_back(n);
  std::vector<llvm::SmallVector<SplitsId, 4>> lists;
  untilStable(std::move(start), [&](int n, auto push) {
    bool hasMoreTerms = updateTerms(n);
    space.forNeighbours(n, [&](const Port &port, End end) {
      const Port &theirs = space.ports(end.node)[end.port];
      bool grew = false;
      if (!space.isRematerializable(n))
        space.show(
            n, port, end.node, theirs,
            [&](int factor) -> llvm::ArrayRef<SplitsId> {
              lists.resize(
                  std::max<size_t>(lists.size(), space.rule(n).factors.size()));
              auto &list = lists[factor];
              list.assign(reachable[n][factor].begin(),
                          reachable[n][factor].end());
              if (floors[n][factor])
                list.push_back(floors[n][factor]);
              return list;
            },
            [&](int factor, SplitsId id) {
              id = accept(end.node, factor, id, floors[end.node]);
              auto &own = reachable[end.node][factor];
              if (!id || llvm::is_contained(own, id) ||
                  own.size() >= kMaxReachable)
                return;
              own.push_back(id);
              grew = true;
            });
      if (grew) {
        levels[end.node] = std::min(levels[end.node], levels[n] + 1);
        push(end.node);
      } else if (hasMoreTerms && port.isResult) {
        if (levels[end.node] == std::numeric_limits<int>::max())
          levels[end.node] = levels[n] + 1;
        push(end.node);
      }
    });
  });
}

void ReachableShardings::findUncontested() {
  sure = floors;
  std::vector<uint64_t> brought = findUserBrought();
  auto isBrought = [&](int n, int factor) {
    return llvm::any_of(reachable[n][factor], [&](SplitsId id) {
      return brought[n] & space.table(n).blocks(id);
    });
  };
  std::vector<llvm::SmallVector<int8_t, 4>> decidesAlone(space.numNodes());
  std::vector<int> start;
  for (int n = 0, e = space.numNodes(); n < e; ++n) {
    decidesAlone[n].assign(reachable[n].size(), -1);
    if (llvm::any_of(floors[n], [](SplitsId id) { return id != 0; }))
      start.push_back(n);
  }
  SplitsId one = 0;
  untilStable(std::move(start), [&](int n, auto push) {
    if (space.isRematerializable(n))
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
            // A tensor that no op computes has any placement at no cost:
            // where its users want it differently it is part of their conflict.
            int8_t &alone = decidesAlone[end.node][factor];
            if (alone < 0)
              alone = isComputed(end.node) && !isBrought(end.node, factor) &&
                      !competes(end.node, factor);
            if (!alone)
              return;
            own = id;
            push(end.node);
          });
    });
  });
}

std::vector<NodeSplits> ReachableShardings::runShardyBaseline() {
  std::vector<NodeSplits> states = floors;
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
      if (!space.isAlias(n) && !space.isRematerializable(n) &&
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
                  proposals.push_back(
                      {end.node, factor, id,
                       globalBytes(space.graph.values[port.value]),
                       !port.isResult});
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
        if (!space.isRematerializable(n) &&
            (changed.empty() || changed.back() != n))
          changed.push_back(n);
      }
    }
  }
  return states;
}
