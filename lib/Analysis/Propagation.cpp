//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixed point over factors. Requires a graph whose annotations verify;
// guarantees that annotations are kept (R1), that no axis splits two factors of
// one node (R4), and a result that does not depend on the order of nodes (R3).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Propagation.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>
#include <set>

using namespace shardir;

namespace {

/// What arrives at a factor: longer splits than it has.
struct Proposal {
  Splits splits;
  double bytes = 0; ///< of the tensors that have it
  std::string origin;
};

class Propagator {
public:
  Propagator(const PropagationGraph &graph, const PropagationCost &cost)
      : graph(graph), cost(cost) {}

  PropagationResult run();

private:
  using Node = PropagationGraph::Node;

  void activate(int64_t priority);
  std::vector<int> round(const std::vector<int> &frontier);
  bool step(int n, FactorSplits &splits, std::vector<std::string> &origins);
  void collect(int n, std::vector<std::vector<Proposal>> &proposals);
  void collectFrom(int n, const TensorFactors &mine, int other,
                   const TensorFactors &theirs, int value,
                   std::vector<std::vector<Proposal>> &proposals);
  int chooseFactor(int n, const AxisRef &axis, llvm::ArrayRef<int> factors);
  double optionCost(int n, const AxisRef &axis, int factor, bool bytesOnly);
  bool composes(int n, const FactorSplits &splits) const;
  void passPartials();
  bool usersAccept(int value, const std::vector<AxisRef> &axes,
                   PartialKind kind);

  const Mesh &meshOf(int n) const { return graph.meshes[graph.nodes[n].mesh]; }
  double bytesOf(int value) const;
  bool mayGrow(int n, int factor) const {
    const Node &node = graph.nodes[n];
    return !node.isFixed && node.alias < 0 &&
           node.rule.factors[factor].kind != FactorKind::Replicate &&
           node.rule.factors[factor].size != 1 &&
           (node.closed.empty() || !node.closed[factor]);
  }

  const PropagationGraph &graph;
  const PropagationCost &cost;
  std::vector<FactorSplits> states;
  std::vector<std::vector<std::string>> origins;
  PropagationResult result;
};

} // namespace

double Propagator::bytesOf(int value) const {
  double bytes = graph.values[value].elementBytes;
  for (int64_t extent : graph.values[value].shape)
    bytes *= extent == kUnknown ? kAssumedDimSize : extent;
  return bytes;
}

/// Whether `longer` starts with `prefix`.
static bool isPrefix(const Splits &prefix, const Splits &longer) {
  return prefix.size() <= longer.size() &&
         std::equal(prefix.begin(), prefix.end(), longer.begin());
}

static bool usesAxis(const Splits &splits, const AxisRef &axis,
                     const Mesh &mesh) {
  return llvm::any_of(axesOf(splits), [&](const AxisRef &other) {
    return overlap(axis, other, mesh);
  });
}

/// Whether every tensor of the node can be written with these splits.
bool Propagator::composes(int n, const FactorSplits &splits) const {
  const Node &node = graph.nodes[n];
  for (const TensorFactors &factors : node.rule.operands)
    if (!composeTensor(node.rule, factors, splits, meshOf(n)))
      return false;
  for (const TensorFactors &factors : node.rule.results)
    if (!composeTensor(node.rule, factors, splits, meshOf(n)))
      return false;
  return true;
}

/// What node `other` shows of `value` that node n has as `mine`.
void Propagator::collectFrom(int n, const TensorFactors &mine, int other,
                             const TensorFactors &theirs, int value,
                             std::vector<std::vector<Proposal>> &proposals) {
  const Node &node = graph.nodes[n];
  if (node.mesh != graph.nodes[other].mesh)
    return;
  auto placement =
      composeTensor(graph.nodes[other].rule, theirs, states[other], meshOf(n));
  if (!placement)
    return;
  FactorSplits shown = projectTensor(node.rule, mine, *placement, meshOf(n));
  for (int f = 0, e = shown.size(); f < e; ++f) {
    if (axesOf(shown[f]).empty() || !mayGrow(n, f) ||
        !isPrefix(states[n][f], shown[f]) || shown[f] == states[n][f])
      continue;
    // The reason is the annotation from which the other node has its splits.
    std::string origin;
    for (const DimFactors &dim : theirs.dims)
      for (int g : dim)
        if (origin.empty() && !axesOf(states[other][g]).empty() &&
            usesAxis(shown[f], axesOf(states[other][g]).back(), meshOf(n)))
          origin = origins[other][g];
    bool isOp = !graph.nodes[other].operands.empty() &&
                !graph.nodes[other].results.empty();
    if (isOp && origin != graph.nodes[other].name &&
        origin.find(", through ") == std::string::npos)
      origin += ", through " + graph.nodes[other].name;
    proposals[f].push_back({shown[f], bytesOf(value), origin});
  }
}

void Propagator::collect(int n, std::vector<std::vector<Proposal>> &proposals) {
  const Node &node = graph.nodes[n];
  for (auto [i, value] : llvm::enumerate(node.operands)) {
    if (value < 0)
      continue;
    int producer = graph.values[value].producer;
    // Fresh values take their users' placement and bring none (R5).
    if (producer < 0 || graph.nodes[producer].rule.isFresh)
      continue;
    collectFrom(
        n, node.rule.operands[i], producer,
        graph.nodes[producer].rule.results[graph.values[value].resultIndex],
        value, proposals);
  }
  for (auto [i, value] : llvm::enumerate(node.results)) {
    if (value < 0)
      continue;
    for (auto [user, operand] : graph.values[value].uses)
      collectFrom(n, node.rule.results[i], user,
                  graph.nodes[user].rule.operands[operand], value, proposals);
  }
}

/// The cost of having `axis` on `factor` of node n (-1: on none), seen from the
/// node alone: redistributing what its neighbours hold, and its own work.
double Propagator::optionCost(int n, const AxisRef &axis, int factor,
                              bool bytesOnly) {
  const Node &node = graph.nodes[n];
  const Mesh &mesh = meshOf(n);
  double size = axisSize(mesh, axis);
  double bytes = 0;
  auto hasAxis = [&](const TensorFactors &factors, const FactorSplits &splits,
                     const ShardingRule &rule) -> int {
    auto placement = composeTensor(rule, factors, splits, mesh);
    if (placement)
      for (auto [dim, entry] : llvm::enumerate(placement->dims))
        if (usesAxis(entry.splits, axis, mesh))
          return dim;
    return -1;
  };
  auto dimOfFactor = [&](const TensorFactors &factors) -> int {
    for (auto [dim, own] : llvm::enumerate(factors.dims))
      if (factor >= 0 && llvm::is_contained(own, factor))
        return dim;
    return -1;
  };
  // Bytes that one device receives to go from `from` to `to`, dims or -1.
  auto move = [&](int from, int to, double whole) {
    if (from == to || from < 0)
      return 0.0;
    if (to < 0)
      return whole * (size - 1) / size;
    return whole * (size - 1) / size / size;
  };
  for (auto [i, value] : llvm::enumerate(node.operands)) {
    if (value < 0)
      continue;
    int producer = graph.values[value].producer;
    const Node &other = graph.nodes[producer];
    if (other.rule.isFresh || other.mesh != node.mesh)
      continue; // from another mesh it moves in any case
    int from = hasAxis(other.rule.results[graph.values[value].resultIndex],
                       states[producer], other.rule);
    bytes += move(from, dimOfFactor(node.rule.operands[i]), bytesOf(value));
  }
  bool reduces =
      factor >= 0 && node.rule.factors[factor].kind == FactorKind::Reduction;
  for (auto [i, value] : llvm::enumerate(node.results)) {
    if (value < 0)
      continue;
    int own = dimOfFactor(node.rule.results[i]);
    // Each user that wants it otherwise pays once; equal wishes are shared.
    std::set<int> wishes;
    for (auto [user, operand] : graph.values[value].uses) {
      const Node &other = graph.nodes[user];
      if (other.mesh != node.mesh)
        continue;
      int to = hasAxis(other.rule.operands[operand], states[user], other.rule);
      bool decided = other.isFixed || other.rule.factors.empty() ||
                     llvm::all_of(other.closed, [](bool c) { return c; });
      if (to >= 0 || (decided && !other.closed.empty()))
        wishes.insert(to);
      else
        wishes.insert(own >= 0 ? own : -1);
    }
    double whole = bytesOf(value);
    if (reduces) {
      bool whole_needed = wishes.empty() || wishes.count(-1);
      bytes += whole * (size - 1) / size * (whole_needed ? 2 : 1);
    } else {
      for (int to : wishes)
        bytes += move(own, to, whole);
    }
  }
  double work = 2;
  for (const Factor &f : node.rule.factors)
    work *= f.size == kUnknown ? kAssumedDimSize : std::max<int64_t>(f.size, 1);
  if (factor >= 0)
    work /= size;
  if (bytesOnly)
    return bytes;
  return bytes / cost.bytesPerSecond + work / cost.flopsPerSecond;
}

/// The factor that gets `axis`, of those at which it arrives; -1: none.
int Propagator::chooseFactor(int n, const AxisRef &axis,
                             llvm::ArrayRef<int> factors) {
  if (factors.size() == 1)
    return factors[0];
  const Node &node = graph.nodes[n];
  // Ties go to the more major dim of the results, then of the operands.
  std::vector<int> order;
  auto append = [&](const TensorFactors &tensor) {
    for (const DimFactors &dim : tensor.dims)
      for (int f : dim)
        if (llvm::is_contained(factors, f) && !llvm::is_contained(order, f))
          order.push_back(f);
  };
  for (const TensorFactors &tensor : node.rule.results)
    append(tensor);
  for (const TensorFactors &tensor : node.rule.operands)
    append(tensor);
  order.push_back(-1);
  int best = order.front();
  auto key = [&](int f) {
    double first = optionCost(n, axis, f, cost.byBytes);
    double second = cost.byBytes ? optionCost(n, axis, f, false) : 0;
    return std::make_pair(first, second);
  };
  auto bestKey = key(best);
  for (int f : llvm::ArrayRef<int>(order).drop_front()) {
    auto candidate = key(f);
    if (candidate < bestKey) {
      best = f;
      bestKey = candidate;
    }
  }
  return best;
}

/// One node's move; reads `states`, writes its own next state.
bool Propagator::step(int n, FactorSplits &splits,
                      std::vector<std::string> &origin) {
  const Node &node = graph.nodes[n];
  const Mesh &mesh = meshOf(n);
  std::vector<std::vector<Proposal>> proposals(node.rule.factors.size());
  collect(n, proposals);
  // Of incompatible orders on one factor the one with more bytes behind it is
  // taken; ties go to the smaller spelling.
  std::vector<std::optional<Proposal>> chosen(proposals.size());
  for (auto [f, list] : llvm::enumerate(proposals)) {
    std::map<std::string, Proposal> merged;
    for (const Proposal &proposal : list) {
      Placement text;
      text.dims.push_back({proposal.splits, false, std::nullopt});
      Proposal &entry = merged[toString(text)];
      entry.splits = proposal.splits;
      entry.bytes += proposal.bytes;
      if (entry.origin.empty() ||
          (!proposal.origin.empty() && proposal.origin < entry.origin))
        entry.origin = proposal.origin;
    }
    for (auto &[text, proposal] : merged) {
      std::optional<Proposal> &best = chosen[f];
      double supported = 0;
      for (auto &[otherText, other] : merged)
        if (isPrefix(other.splits, proposal.splits))
          supported += other.bytes;
      proposal.bytes = std::max(proposal.bytes, supported);
      if (!best || proposal.bytes > best->bytes ||
          (proposal.bytes == best->bytes &&
           proposal.splits.size() > best->splits.size()))
        best = proposal;
    }
  }
  // An axis that arrives at several factors goes to one of them.
  std::map<std::string, std::vector<int>> arrivals;
  std::map<std::string, AxisRef> axisOfText;
  for (auto [f, proposal] : llvm::enumerate(chosen))
    if (proposal)
      for (size_t i = splits[f].size(); i < proposal->splits.size(); ++i)
        if (proposal->splits[i].isAxis()) {
          const AxisRef &axis = *proposal->splits[i].axis;
          arrivals[toString(axis)].push_back(f);
          axisOfText[toString(axis)] = axis;
        }
  std::map<std::string, int> winner;
  for (auto &[text, factors] : arrivals) {
    // Overlapping sub-axes compete like equal axes.
    std::vector<int> all = factors;
    for (auto &[otherText, others] : arrivals)
      if (otherText != text &&
          overlap(axisOfText[text], axisOfText[otherText], mesh))
        for (int f : others)
          if (!llvm::is_contained(all, f))
            all.push_back(f);
    llvm::sort(all);
    winner[text] = chooseFactor(n, axisOfText[text], all);
  }
  // What the user wrote at a later priority is not there yet, but has its axes.
  FactorSplits reserved = splits;
  for (auto [f, annotated] : llvm::enumerate(node.annotated))
    if (reserved[f].empty())
      reserved[f] = annotated;
  bool changed = false;
  for (auto [f, proposal] : llvm::enumerate(chosen)) {
    if (!proposal || (splits[f].empty() && !reserved[f].empty()))
      continue;
    Splits grown = splits[f];
    for (size_t i = splits[f].size(); i < proposal->splits.size(); ++i) {
      const Split &split = proposal->splits[i];
      if (split.isAxis()) {
        bool taken = false;
        for (auto [g, other] : llvm::enumerate(reserved))
          taken |= usesAxis(g == f ? grown : other, *split.axis, mesh);
        for (const AxisRef &axis : node.forbidden)
          taken |= overlap(axis, *split.axis, mesh);
        for (const AxisRef &axis : node.partialAxes)
          taken |= overlap(axis, *split.axis, mesh);
        if (taken || winner[toString(*split.axis)] != int(f))
          break;
      }
      grown.push_back(split);
    }
    // Integers alone cut nothing.
    while (!grown.empty() && grown.size() > splits[f].size() &&
           !grown.back().isAxis() && grown != proposal->splits)
      grown.pop_back();
    if (axesOf(grown).size() <= axesOf(splits[f]).size())
      continue;
    FactorSplits attempt = reserved;
    attempt[f] = grown;
    if (!composes(n, attempt))
      continue;
    reserved = std::move(attempt);
    splits[f] = grown;
    origin[f] = proposal->origin;
    changed = true;
  }
  return changed;
}

/// One round over the nodes of `frontier`: all look at the states after the
/// last round. Nodes next to which nothing has changed would do what they did
/// then, so the next frontier is what surrounds the nodes that moved.
std::vector<int> Propagator::round(const std::vector<int> &frontier) {
  struct Move {
    int node;
    FactorSplits splits;
    std::vector<std::string> origin;
  };
  std::vector<Move> moves;
  for (int n : frontier) {
    Move move{n, states[n], origins[n]};
    if (step(n, move.splits, move.origin))
      moves.push_back(std::move(move));
  }
  std::set<int> next;
  for (Move &move : moves) {
    states[move.node] = std::move(move.splits);
    origins[move.node] = std::move(move.origin);
    const Node &node = graph.nodes[move.node];
    next.insert(move.node);
    for (int value : node.operands)
      if (value >= 0)
        next.insert(graph.values[value].producer);
    for (int value : node.results)
      if (value >= 0)
        for (auto [user, operand] : graph.values[value].uses)
          next.insert(user);
  }
  ++result.rounds;
  return std::vector<int>(next.begin(), next.end());
}

/// Brings in the annotated splits of one priority.
void Propagator::activate(int64_t priority) {
  for (auto [n, node] : llvm::enumerate(graph.nodes))
    for (auto [f, splits] : llvm::enumerate(node.annotated)) {
      int64_t own = node.priority.empty() ? PropagationGraph::kLastPriority
                                          : node.priority[f];
      if (own != priority || splits.empty())
        continue;
      states[n][f] = splits;
      origins[n][f] = node.name;
    }
}

/// Whether every user of `value` stays right and no dearer if the value is owed
/// over `axes`.
bool Propagator::usersAccept(int value, const std::vector<AxisRef> &axes,
                             PartialKind kind) {
  const PropagationGraph::Value &v = graph.values[value];
  if (v.uses.empty())
    return false;
  std::set<int> seen;
  double bytes = 0;
  for (auto [user, operand] : v.uses) {
    const Node &node = graph.nodes[user];
    if (node.isFixed || node.mesh != graph.nodes[v.producer].mesh)
      return false;
    // A user may have the value more than once, as in x * x.
    bool rules = llvm::any_of(node.rule.partials, [&](const PartialRule &r) {
      if (r.kind && *r.kind != kind)
        return false;
      for (auto [i, other] : llvm::enumerate(node.operands))
        if (other == value && !llvm::is_contained(r.operands, int(i)))
          return false;
      return true;
    });
    if (!rules || node.results.empty())
      return false;
    for (const Splits &splits : states[user])
      for (const AxisRef &axis : axes)
        if (usesAxis(splits, axis, meshOf(user)))
          return false;
    if (seen.insert(user).second)
      for (int out : node.results)
        bytes += out < 0 ? 0 : bytesOf(out);
  }
  // Every result may need a reduction of its own later; one here is cheaper if
  // they are more than this value.
  return bytes <= bytesOf(value);
}

void Propagator::passPartials() {
  result.nodes.resize(graph.nodes.size());
  for (int n = 0, e = graph.nodes.size(); n < e; ++n) {
    const Node &node = graph.nodes[n];
    const Mesh &mesh = meshOf(n);
    PropagationResult::Node &out = result.nodes[n];
    if (node.alias >= 0)
      states[n] = states[node.alias];
    out.splits = states[n];
    out.decidedBy = origins[n];
    for (const TensorFactors &factors : node.rule.results)
      out.results.push_back(
          *composeTensor(node.rule, factors, out.splits, mesh));
    for (const TensorFactors &factors : node.rule.operands)
      out.operands.push_back(
          *composeTensor(node.rule, factors, out.splits, mesh));
    if (node.partial && !node.isFixed) {
      for (Placement &placement : out.results) {
        placement.partial = node.partial;
        placement.partialAxes = node.partialAxes;
      }
      for (Placement &placement : out.operands) {
        placement.partial = node.partial;
        placement.partialAxes = node.partialAxes;
      }
      continue;
    }
    if (node.isFixed) {
      out.results = node.fixedResults;
      continue;
    }
    auto owe = [&](size_t r, const AxisRef &axis, PartialKind kind) {
      Placement &placement = out.results[r];
      if (placement.partial && *placement.partial != kind)
        return;
      placement.partial = kind;
      if (!llvm::is_contained(placement.partialAxes, axis))
        placement.partialAxes.push_back(axis);
    };
    for (auto [f, factor] : llvm::enumerate(node.rule.factors))
      if (factor.kind == FactorKind::Reduction)
        for (const AxisRef &axis : axesOf(out.splits[f]))
          for (size_t r = 0; r < out.results.size(); ++r)
            owe(r, axis, factor.combiners[r]);
    // What operands owe and all their users accept is passed on.
    std::map<std::string, std::pair<AxisRef, PartialKind>> owed;
    std::map<std::string, std::vector<int>> owing;
    for (auto [i, value] : llvm::enumerate(node.operands)) {
      if (value < 0)
        continue;
      const PropagationGraph::Value &v = graph.values[value];
      // What comes around a loop is not known yet; it is taken to owe nothing.
      if (v.producer >= n)
        continue;
      const Placement &placement =
          result.nodes[v.producer].results[v.resultIndex];
      if (!placement.partial || graph.nodes[v.producer].mesh != node.mesh ||
          !usersAccept(value, placement.partialAxes, *placement.partial))
        continue;
      for (const AxisRef &axis : placement.partialAxes) {
        std::string key =
            toString(axis) + stringifyPartialKind(*placement.partial);
        owed.insert({key, {axis, *placement.partial}});
        owing[key].push_back(i);
      }
    }
    for (const auto &term : owed) {
      const std::string &key = term.first;
      const AxisRef &axis = term.second.first;
      PartialKind kind = term.second.second;
      bool passes = llvm::any_of(node.rule.partials, [&](const PartialRule &r) {
        return (!r.kind || *r.kind == kind) &&
               llvm::all_of(owing[key], [&](int i) {
                 return llvm::is_contained(r.operands, i);
               });
      });
      bool compatible = llvm::all_of(out.results, [&](const Placement &p) {
        return !p.partial || *p.partial == kind;
      });
      if (!passes || !compatible)
        continue;
      for (size_t r = 0; r < out.results.size(); ++r)
        owe(r, axis, kind);
    }
  }
}

PropagationResult Propagator::run() {
  std::set<int64_t> priorities;
  for (const Node &node : graph.nodes) {
    states.emplace_back(node.rule.factors.size());
    origins.emplace_back(node.rule.factors.size());
    for (auto [f, splits] : llvm::enumerate(node.annotated))
      if (!splits.empty())
        priorities.insert(node.priority.empty()
                              ? PropagationGraph::kLastPriority
                              : node.priority[f]);
  }
  for (int64_t priority : priorities) {
    activate(priority);
    std::vector<int> frontier(graph.nodes.size());
    std::iota(frontier.begin(), frontier.end(), 0);
    while (!frontier.empty())
      frontier = round(frontier);
  }
  passPartials();
  return std::move(result);
}

PropagationResult shardir::propagate(const PropagationGraph &graph,
                                     const PropagationCost &cost) {
  return Propagator(graph, cost).run();
}
