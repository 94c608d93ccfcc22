//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A beam over steps, then descent by arguments. In the beam arguments are open,
// so that one step brings what belongs to it: the columns of a first weight
// bring the rows of the second. In the descent they are closed, all decided.
// Requires what Proposal.h says of `arguments`; guarantees that the answer is
// the best of all states whose cost was computed with closed arguments.
//
//===----------------------------------------------------------------------===//

#include "FoldLayers.h"
#include "ProposalSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace shardir;

ProposalSearch::ProposalSearch(PropagationGraph &graph,
                               const std::vector<int> &arguments,
                               const ProposalGroups &groups,
                               const ProposalOptions &options)
    : graph(graph), arguments(arguments), options(options), cost(options.cost) {
  cost.memoryLimit = 0;
  cost.explain = false;
  // Quicker, and what is slow is no candidate under CostMode::Bytes either.
  cost.mode = CostMode::Time;
  // Many attempts with a rough cost; the chosen state is propagated in full.
  cost.search.tableLimit = std::min<int64_t>(cost.search.tableLimit, 256);
  cost.search.wideLimit = 0;
  cost.search.rounds = std::min(cost.search.rounds, 1);
  for (const PropagationGraph::Node &node : graph.nodes) {
    for (const Splits &splits : node.annotated)
      for (const AxisRef &axis : axesOf(splits))
        annotatedAxes.insert(axis.name);
    for (const AxisRef &axis : node.partialAxes)
      annotatedAxes.insert(axis.name);
    for (const AxisRef &axis : node.forbidden)
      annotatedAxes.insert(axis.name);
    for (const Placement &placement : node.fixedResults)
      for (size_t d = 0; d < placement.dims.size(); ++d)
        for (const AxisRef &axis : placement.axesOf(d))
          annotatedAxes.insert(axis.name);
  }
  std::map<int, int> groupOf;
  for (auto [g, group] : llvm::enumerate(groups.arguments))
    for (int n : group)
      groupOf[n] = g;
  this->groups.resize(groups.arguments.size());
  for (auto [i, n] : llvm::enumerate(arguments))
    if (auto group = groupOf.find(n); group != groupOf.end()) {
      this->groups[group->second].push_back(frees.size());
      frees.push_back(i);
    }
  for (const std::vector<int> &group : groups.contractions) {
    opGroups.emplace_back();
    for (int n : group) {
      opGroups.back().push_back(contractions.size());
      contractions.push_back(n);
    }
  }
}

/// The same placements, as the user's from now on.
ProposalState ProposalSearch::closed(const ProposalCandidate &from) const {
  ProposalState state;
  state.closed = true;
  for (int i : frees) {
    state.splits.emplace_back();
    for (const DimPlacement &dim : from.arguments[i].dims)
      state.splits.back().push_back(dim.splits);
  }
  return state;
}

/// Seconds: those that count the memory, or once it is known what is fastest,
/// those that are more than enough.
double ProposalSearch::leading(const ProposalCandidate &outcome) const {
  return fastEnough ? std::max(outcome.seconds, *fastEnough)
                    : weighted(outcome);
}

double ProposalSearch::weighted(const ProposalCandidate &outcome) const {
  return outcome.seconds *
         std::pow(std::max(outcome.peakBytes, 1.0), options.memoryWorth);
}

ProposalSearch::Rank ProposalSearch::rank(const ProposalCandidate &o,
                                          std::string key) const {
  if (!o.fits)
    return {true, o.peakBytes, leading(o), o.bytes, std::move(key)};
  return {false, leading(o), o.bytes, fastEnough ? weighted(o) : o.heldBytes,
          std::move(key)};
}

/// The first term of the cost, and `weight` for each byte above the limit.
double ProposalSearch::measure(const ProposalAttempt &attempt,
                               double weight) const {
  const ProposalCandidate &o = attempt.outcome;
  double excess = o.fits ? 0 : o.peakBytes - options.cost.memoryLimit;
  return leading(o) + weight * excess / cost.machine.bandwidth;
}

/// The best few by each of several weights of memory.
std::vector<const ProposalAttempt *>
ProposalSearch::select(std::vector<const ProposalAttempt *> found) const {
  llvm::sort(found, [&](const ProposalAttempt *a, const ProposalAttempt *b) {
    return rank(*a) < rank(*b);
  });
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const ProposalAttempt *a, const ProposalAttempt *b) {
                    return a->key == b->key;
                  }),
      found.end());
  std::vector<const ProposalAttempt *> chosen;
  bool isTight = llvm::any_of(found, [](const ProposalAttempt *attempt) {
    return !attempt->outcome.fits;
  });
  for (double weight :
       isTight ? std::vector<double>{0, 0.1, 1, 1e6} : std::vector<double>{0}) {
    llvm::stable_sort(found,
                      [&](const ProposalAttempt *a, const ProposalAttempt *b) {
                        return measure(*a, weight) < measure(*b, weight);
                      });
    int count = isTight ? std::max(1, options.beam / 2) : options.beam;
    for (const ProposalAttempt *attempt : found)
      if (!llvm::is_contained(chosen, attempt) && count-- > 0)
        chosen.push_back(attempt);
  }
  return chosen;
}

const ProposalAttempt *
ProposalSearch::least(llvm::ArrayRef<const ProposalAttempt *> among) const {
  const ProposalAttempt *best = among.front();
  for (const ProposalAttempt *attempt : among)
    if (rank(*attempt) < rank(*best))
      best = attempt;
  return best;
}

/// Every split of one dim or factor over one axis.
std::vector<ProposalStep> ProposalSearch::allSteps() const {
  size_t axes = 0;
  for (const Mesh &mesh : graph.meshes)
    axes = std::max(axes, mesh.axes.size());
  std::vector<ProposalStep> steps;
  for (int axis = 0; axis < int(axes); ++axis) {
    for (int group = 0, e = groups.size(); group < e; ++group)
      for (int dim = 0, r = shapeOf(groups[group][0]).size(); dim < r; ++dim)
        steps.push_back({group, dim, axis});
    if (options.cost.memoryLimit > 0)
      steps.push_back({-1, -1, axis});
    for (int group = 0, e = opGroups.size(); group < e; ++group) {
      const ShardingRule &rule =
          graph.nodes[contractions[opGroups[group][0]]].rule;
      for (int f = 0, r = rule.factors.size(); f < r; ++f)
        steps.push_back({group, f, axis, /*isOp=*/true});
    }
  }
  return steps;
}

/// Where each step leads from the state without splits. Steps that lead to one
/// state are one step from then on.
std::vector<ProposalSearch::Taken>
ProposalSearch::firstRound(const ProposalAttempt &base,
                           std::vector<ProposalStep> &steps) {
  bool isLarge =
      int64_t(steps.size() * graph.nodes.size()) * 10 > options.budget;
  std::vector<Taken> found;
  std::vector<ProposalStep> distinct;
  std::set<std::string> keys = {base.key};
  std::set<std::tuple<int, int, bool>> idle; // steps that led nowhere new
  int firstAxis = steps.empty() ? 0 : steps.front().axis;
  // In a large program what splits of arguments have brought to a product gets
  // no step of its own, and what makes no difference over one axis is not tried
  // over another.
  auto isSkipped = [&](const ProposalStep &step) {
    return isLarge &&
           ((step.isOp &&
             splitFactors.count({opGroups[step.group][0], step.dim})) ||
            (step.axis != firstAxis && annotatedAxes.empty() &&
             idle.count({step.group, step.dim, step.isOp})));
  };
  for (const ProposalStep &step : steps) {
    if (isSkipped(step))
      continue;
    auto state = grow(base, step);
    lookAhead(steps.data() + steps.size() - &step,
              [&](int i) -> std::optional<ProposalState> {
                const ProposalStep &other = (&step)[i];
                return isSkipped(other) ? std::nullopt : grow(base, other);
              });
    // An axis that an equal one stands for gets its turn later, with the steps
    // that made a difference over that one.
    if (!state) {
      if (llvm::any_of(distinct, [&](ProposalStep kept) {
            return kept.group == step.group && kept.dim == step.dim &&
                   kept.isOp == step.isOp;
          }))
        distinct.push_back(step);
      continue;
    }
    const ProposalAttempt &next = attempt(*state);
    if (keys.insert(next.key).second) {
      distinct.push_back(step);
      found.push_back({step, &next});
    } else {
      idle.insert({step.group, step.dim, step.isOp});
    }
  }
  steps = std::move(distinct);
  return found;
}

/// Rounds of `steps` from each of `beam`, while they lead to something better;
/// the states of all of them.
std::vector<const ProposalAttempt *>
ProposalSearch::extend(std::vector<const ProposalAttempt *> beam,
                       llvm::ArrayRef<ProposalStep> steps,
                       const ProposalAttempt *best) {
  std::vector<const ProposalAttempt *> all;
  while (!beam.empty()) {
    std::vector<const ProposalAttempt *> found;
    for (const ProposalAttempt *from : beam)
      for (auto [i, step] : llvm::enumerate(steps)) {
        if (!hasBudget())
          break;
        llvm::ArrayRef<ProposalStep> rest = steps.drop_front(i);
        auto state = grow(*from, step);
        lookAhead(rest.size(), [&](int j) { return grow(*from, rest[j]); });
        if (!state)
          continue;
        const ProposalAttempt &next = attempt(*state);
        if (next.key != from->key)
          found.push_back(&next);
      }
    llvm::append_range(all, found);
    if (found.empty() || !(rank(*least(found)) < rank(*best)))
      break;
    best = least(found);
    beam = select(std::move(found));
  }
  return all;
}

/// The states of all rounds.
std::vector<const ProposalAttempt *> ProposalSearch::grow() {
  ProposalState empty;
  for (int i = 0, e = frees.size(); i < e; ++i)
    empty.splits.emplace_back(shapeOf(i).size());
  const ProposalAttempt *base = &attempt(empty);
  std::vector<const ProposalAttempt *> all = {base};
  std::vector<ProposalStep> steps = allSteps();
  std::vector<Taken> first = firstRound(*base, steps);
  for (const Taken &taken : first)
    all.push_back(taken.attempt);
  // Two steps may pay where one does not.
  llvm::append_range(
      all, extend(select({all.begin() + 1, all.end()}), steps, least(all)));
  if (options.cost.memoryLimit <= 0)
    return all;
  // The fastest proposal splits one dim over every axis, which may hold too
  // much: the dim gets one axis, and others split the rest.
  std::set<int> seen;
  for (const Taken &taken : first) {
    if (!seen.insert(taken.step.axis).second)
      continue;
    Taken start = taken;
    for (const Taken &other : first)
      if (other.step.axis == start.step.axis &&
          measure(*other.attempt, 0) < measure(*start.attempt, 0))
        start = other;
    std::vector<ProposalStep> others;
    for (const ProposalStep &step : steps)
      if (step.axis != start.step.axis &&
          (step.group != start.step.group || step.dim != start.step.dim ||
           step.isOp != start.step.isOp))
        others.push_back(step);
    llvm::append_range(all, extend({start.attempt}, others, start.attempt));
  }
  return all;
}

/// One group and axis at a time, to where no such change is better.
const ProposalAttempt *ProposalSearch::descend(const ProposalAttempt *best) {
  auto elements = [&](int group) {
    double sum = 0;
    for (int free : groups[group]) {
      double own = 1;
      for (int64_t extent : shapeOf(free))
        own *= double(extent == kUnknown ? kAssumedDimSize : extent);
      sum += own;
    }
    return sum;
  };
  double most = 0;
  for (int group = 0, e = groups.size(); group < e; ++group)
    most = std::max(most, elements(group));
  // Small vectors, such as biases, have what the rest brings them.
  std::vector<int> order;
  for (int group = 0, e = groups.size(); group < e; ++group)
    if (shapeOf(groups[group][0]).size() > 1 || elements(group) * 256 >= most)
      order.push_back(group);
  llvm::stable_sort(order,
                    [&](int a, int b) { return elements(a) > elements(b); });
  std::vector<ProposalStep> moves;
  for (int group : order)
    for (int axis = 0, e = meshOf(groups[group][0]).axes.size(); axis < e;
         ++axis)
      for (int dim = -1, r = shapeOf(groups[group][0]).size(); dim < r; ++dim)
        moves.push_back({group, dim, axis});
  bool changed = true;
  while (changed && hasBudget()) {
    changed = false;
    for (size_t i = 0; i < moves.size(); ++i) {
      auto stateAfter = [&](int j) {
        const ProposalStep &own = moves[i + j];
        return moved(best->state, own.group, own.axis, own.dim);
      };
      auto state = stateAfter(0);
      if (!state || !hasBudget())
        continue;
      lookAhead(moves.size() - i, stateAfter);
      const ProposalAttempt &next = attempt(*state);
      if (rank(next) < rank(*best)) {
        best = &next;
        changed = true;
      }
    }
  }
  return best;
}

void ProposalSearch::setFastEnough(
    llvm::ArrayRef<const ProposalCandidate *> known) {
  double tolerance = options.cost.mode == CostMode::Bytes
                         ? options.bytesTolerance
                         : options.timeTolerance;
  for (const ProposalCandidate *candidate : known) {
    double bound = candidate->seconds * (1 + tolerance);
    if (candidate->fits)
      fastEnough = fastEnough ? std::min(*fastEnough, bound) : bound;
  }
}

/// The fewest bytes, then the least time and memory, among states whose time
/// the model cannot tell from the least.
const ProposalAttempt *
ProposalSearch::economize(const ProposalAttempt *best,
                          std::vector<const ProposalAttempt *> all) {
  std::vector<const ProposalCandidate *> closedOnes;
  for (const ProposalAttempt &attempt : llvm::make_second_range(attempts))
    if (attempt.state.closed)
      closedOnes.push_back(&attempt.outcome);
  setFastEnough(closedOnes);
  if (!fastEnough)
    return best;
  llvm::sort(all, [&](const ProposalAttempt *a, const ProposalAttempt *b) {
    return rank(*a) < rank(*b);
  });
  for (const ProposalAttempt *open :
       llvm::ArrayRef(all).take_front(2 * options.beam))
    attempt(closed(open->outcome));
  for (const ProposalAttempt &attempt : llvm::make_second_range(attempts))
    if (attempt.state.closed && rank(attempt) < rank(*best))
      best = &attempt;
  return descend(best);
}

std::vector<ProposalCandidate> ProposalSearch::run() {
  std::vector<const ProposalAttempt *> all = grow();
  std::vector<const ProposalAttempt *> last;
  for (const ProposalAttempt *attempt : select(all))
    last.push_back(&this->attempt(closed(attempt->outcome)));
  // The best of all in any case, whatever the measures of the beam prefer.
  llvm::sort(all, [&](const ProposalAttempt *a, const ProposalAttempt *b) {
    return rank(*a) < rank(*b);
  });
  last.push_back(&attempt(closed(all.front()->outcome)));
  const ProposalAttempt *best = last.front();
  for (const ProposalAttempt *attempt : last)
    if (rank(*attempt) < rank(*best))
      best = attempt;
  // A fast one that does not fit yet may lead to a better one that does.
  const ProposalAttempt *fastest = last.front();
  for (const ProposalAttempt *attempt : last)
    if (measure(*attempt, 0) < measure(*fastest, 0))
      fastest = attempt;
  best = descend(best);
  if (!fastest->outcome.fits)
    if (const ProposalAttempt *other = descend(fastest);
        rank(*other) < rank(*best))
      best = other;
  best = economize(best, all);
  std::vector<ProposalCandidate> found = {best->outcome};
  std::set<std::string> keys = {best->key};
  for (const ProposalAttempt *attempt : all)
    if (keys.insert(attempt->key).second)
      found.push_back(attempt->outcome);
  return found;
}

std::pair<PropagationResult, ProposalCandidate>
ProposalSearch::propagateClosed(const ProposalCandidate &from, bool isLimited) {
  annotate(graph, closed(from));
  PropagationResult result = propagate(graph, isLimited ? options.cost : cost);
  ProposalCandidate outcome = evaluate(result);
  return {std::move(result), std::move(outcome)};
}

/// Searches the graph with few layers, then computes the costs of the best
/// candidates, and of what nothing is split, on the full graph.
static std::vector<ProposalCandidate>
searchFolded(ProposalSearch &full, const FoldedGraph &folded,
             const std::vector<int> &arguments, const ProposalGroups &groups,
             const ProposalOptions &options, int &attempts) {
  constexpr size_t kPropagated = 10;
  auto fold = [&](const std::vector<int> &nodes) {
    std::vector<int> own;
    for (int n : nodes)
      if (!llvm::is_contained(own, folded.standIn[n]))
        own.push_back(folded.standIn[n]);
    return own;
  };
  ProposalGroups few;
  for (const std::vector<int> &group : groups.arguments)
    few.arguments.push_back(fold(group));
  for (const std::vector<int> &group : groups.contractions)
    few.contractions.push_back(fold(group));
  std::vector<int> kept = fold(arguments);
  PropagationGraph graph = folded.graph;
  ProposalSearch search(graph, kept, few, options);
  std::vector<ProposalCandidate> found = search.run(), all;
  attempts = search.numAttempts();
  for (auto [i, candidate] : llvm::enumerate(found)) {
    bool isWhole =
        llvm::all_of(candidate.arguments, [](const Placement &placement) {
          return llvm::all_of(placement.dims, [](const DimPlacement &dim) {
            return dim.splits.empty();
          });
        });
    if (i >= kPropagated && !isWhole)
      continue;
    ProposalCandidate lifted;
    for (int n : arguments)
      lifted.arguments.push_back(
          candidate
              .arguments[llvm::find(kept, folded.standIn[n]) - kept.begin()]);
    all.push_back(full.propagateClosed(lifted, /*isLimited=*/false).second);
    ++attempts;
  }
  std::vector<const ProposalCandidate *> known;
  for (const ProposalCandidate &candidate : all)
    known.push_back(&candidate);
  full.setFastEnough(known);
  llvm::stable_sort(
      all, [&](const ProposalCandidate &a, const ProposalCandidate &b) {
        return full.rank(a) < full.rank(b);
      });
  return all;
}

Proposal shardir::propose(PropagationGraph graph,
                          const std::vector<int> &arguments,
                          const ProposalOptions &options) {
  Proposal proposal;
  ProposalGroups groups = findGroups(graph, arguments);
  for (const std::vector<int> &group : groups.arguments) {
    proposal.groups.emplace_back();
    for (int n : group)
      proposal.groups.back().push_back(llvm::find(arguments, n) -
                                       arguments.begin());
  }
  ProposalSearch search(graph, arguments, groups, options);
  auto folded = foldLayers(graph, groups.arguments);
  auto run = [&](ProposalSearch &search, const ProposalOptions &options) {
    if (folded) {
      int attempts = 0;
      std::vector<ProposalCandidate> found =
          searchFolded(search, *folded, arguments, groups, options, attempts);
      proposal.attempts += attempts;
      return found;
    }
    std::vector<ProposalCandidate> found = search.run();
    proposal.attempts += search.numAttempts();
    return found;
  };
  std::vector<ProposalCandidate> &candidates = proposal.candidates;
  candidates = run(search, options);
  if (!candidates.front().fits) {
    // The best without a limit may hold less than those that the beam kept.
    ProposalOptions open = options;
    open.cost.memoryLimit = 0;
    ProposalSearch openSearch(graph, arguments, groups, open);
    for (ProposalCandidate &other : run(openSearch, open)) {
      other.fits = other.peakBytes <= options.cost.memoryLimit;
      if (llvm::none_of(candidates, [&](const ProposalCandidate &known) {
            return known.arguments == other.arguments;
          }))
        candidates.push_back(std::move(other));
    }
    llvm::stable_sort(candidates, [&](const ProposalCandidate &a,
                                      const ProposalCandidate &b) {
      return search.rank(a) < search.rank(b);
    });
  }
  // With arguments decided, the rest can still take less memory for time.
  std::tie(proposal.result, proposal.candidates.front()) =
      search.propagateClosed(proposal.candidates.front(), /*isLimited=*/true);
  return proposal;
}
