//===- LeastPlanned.cpp - The answer that moves least ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what LeastPlanned.h says. A copy of the function is
// decided as each answer says, and brought to stage collective by the passes of
// the pipelines.
//
//===----------------------------------------------------------------------===//

#include "LeastPlanned.h"

#include "ShardIR/Analysis/Report.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace shardir;

static void addPasses(OpPassManager &passes) {
  buildRedistribution(passes, /*insert=*/{}, /*simplify=*/{"bytes"});
  buildCollectives(passes, {/*cost=*/"bytes"});
}

void shardir::getPlanningDialects(DialectRegistry &registry) {
  OpPassManager passes(ModuleOp::getOperationName());
  addPasses(passes);
  passes.getDependentDialects(registry);
}

/// Whether two answers place everything alike.
static bool placeAlike(const PropagationResult &a, const PropagationResult &b) {
  return llvm::all_of(llvm::zip_equal(a.nodes, b.nodes), [](const auto &pair) {
    auto &[one, other] = pair;
    return one.sharding->results == other.sharding->results &&
           one.sharding->operands == other.sharding->operands;
  });
}

namespace {

class LeastPlanned {
public:
  LeastPlanned(func::FuncOp function, const PropagationGraph &graph,
               const MeshTable &meshes)
      : function(function), graph(graph), meshes(meshes) {}

  /// Plans an answer, unless one that places everything alike has been.
  void consider(const PropagationCost &cost, PropagationResult answer);
  void weighDevices();
  void tryAlternatives();
  PropagationResult take() { return std::move(best->answer); }

private:
  struct Planned {
    PropagationCost cost;
    PropagationResult answer; ///< which it gives
    int64_t most;             ///< received by a rank
    bool isLevel;             ///< whether all receive that
  };

  OwningOpRef<ModuleOp> decidedCopy(const PropagationResult &answer) const;
  /// What each rank receives, sizes that are not known being as decisions
  /// assume them; nothing where the stage is not reached.
  std::optional<std::vector<int64_t>>
  receivedBytes(const PropagationResult &answer) const;
  bool plan(const PropagationCost &cost, PropagationResult answer);

  func::FuncOp function;
  const PropagationGraph &graph;
  const MeshTable &meshes;
  std::vector<PropagationResult> seen;
  std::optional<Planned> best;
  std::vector<int64_t> received; ///< by rank, with what was planned last
};

} // namespace

/// The module of the function with no other one that has a body.
OwningOpRef<ModuleOp>
LeastPlanned::decidedCopy(const PropagationResult &answer) const {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  (*copy)->setAttrs(module->getAttrs());
  OpBuilder builder(copy->getBodyRegion());
  for (Operation &op : *module.getBody()) {
    auto other = dyn_cast<func::FuncOp>(op);
    if (other && other != function && !other.isDeclaration())
      continue;
    Operation *clone = builder.clone(op);
    if (other != function)
      continue;
    GraphBuilder own(cast<func::FuncOp>(clone), meshes);
    own.build();
    own.write(answer);
  }
  return copy;
}

std::optional<std::vector<int64_t>>
LeastPlanned::receivedBytes(const PropagationResult &answer) const {
  OwningOpRef<ModuleOp> copy = decidedCopy(answer);
  PassManager passes(copy->getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false);
  addPasses(passes);
  ReportSources sources;
  if (failed(passes.run(*copy)))
    return std::nullopt;
  buildReport(*copy, &sources);
  return sources.received;
}

/// Returns whether it is the least so far.
bool LeastPlanned::plan(const PropagationCost &cost, PropagationResult answer) {
  int64_t most = INT64_MAX;
  bool isLevel = true;
  if (auto bytes = receivedBytes(answer)) {
    received = std::move(*bytes);
    most = received.empty() ? 0 : *llvm::max_element(received);
    isLevel = llvm::all_equal(received);
  }
  if (best && most >= best->most)
    return false;
  best = Planned{cost, std::move(answer), most, isLevel};
  return true;
}

void LeastPlanned::consider(const PropagationCost &cost,
                            PropagationResult answer) {
  if (llvm::any_of(seen, [&](const PropagationResult &known) {
        return placeAlike(known, answer);
      }))
    return;
  seen.push_back(answer);
  plan(cost, std::move(answer));
}

/// Prices add up what the busiest device of each change receives, which need
/// not be the same one. So devices are weighed, and from round to round those
/// that receive most count for more (multiplicative weights).
void LeastPlanned::weighDevices() {
  constexpr int kMostRounds = 6;
  constexpr int64_t kMostRanks = 64;
  int64_t ranks = 0;
  for (const Mesh &mesh : meshes.all())
    ranks = std::max(ranks, mesh.numRanks());
  if (ranks > kMostRanks || best->most == INT64_MAX)
    return;
  std::vector<double> weights(ranks, 1.0 / double(ranks));
  for (int round = 1; round <= kMostRounds && !llvm::all_equal(received);
       ++round) {
    PropagationCost cost = best->cost;
    cost.mode = CostMode::Bytes;
    cost.conflicts = ConflictMode::Search;
    cost.weigh = Weigh::All;
    cost.deviceWeights = weights;
    PropagationResult answer = propagate(graph, cost);
    answer.deviceWeights = weights;
    plan(cost, std::move(answer));
    received.resize(ranks);
    double most = double(*llvm::max_element(received)), sum = 0;
    for (auto [weight, bytes] : llvm::zip_equal(weights, received)) {
      for (int i = 0; i < 3 * round; ++i)
        weight *= (double(bytes) + most) / (2 * most);
      sum += weight;
    }
    for (double &weight : weights)
      weight /= sum;
  }
}

/// One node after the other takes an alternative, those with the least price
/// first and equal ones in an order that is not the program's, and the others
/// are decided around it; while that saves anything and effort allows. Where
/// all devices receive the same, prices are right, and nothing is to be had.
void LeastPlanned::tryAlternatives() {
  constexpr size_t kMost = 24, kMostNodes = 1024;
  size_t left =
      std::min(kMost, kMostNodes / std::max<size_t>(1, graph.nodes.size()));
  for (bool saves = !best->isLevel; saves;) {
    saves = false;
    struct Trial {
      int64_t more;
      uint64_t name;
      std::string text;
      PropagationCost::Choice choice;
    };
    std::vector<Trial> trials;
    // What is certain is one of several, too.
    PropagationCost all = best->cost;
    all.weigh = Weigh::All;
    PropagationResult around = propagate(graph, all);
    for (auto [n, node] : llvm::enumerate(around.nodes)) {
      if (graph.nodes[n].isFixed)
        continue;
      for (const PropagationResult::Alternative &other : node.alternatives) {
        if (other.isChosen)
          continue;
        Trial &trial = trials.emplace_back();
        trial.more = other.bytes - node.alternatives.front().bytes;
        trial.name = node.name;
        for (const Placement &placement : other.placements)
          trial.text += toString(placement) + ";";
        trial.choice = {int(n), other.placements};
      }
    }
    llvm::sort(trials, [](const Trial &a, const Trial &b) {
      return std::tie(a.more, a.name, a.text) <
             std::tie(b.more, b.name, b.text);
    });
    for (const Trial &trial : trials) {
      if (left == 0)
        return;
      --left;
      PropagationCost cost = all;
      llvm::erase_if(cost.choices, [&](const PropagationCost::Choice &known) {
        return known.node == trial.choice.node;
      });
      cost.choices.push_back(trial.choice);
      PropagationResult answer = propagate(graph, cost);
      answer.deviceWeights = cost.deviceWeights;
      if (plan(cost, std::move(answer))) {
        saves = true;
        break;
      }
    }
  }
}

PropagationResult shardir::takeLeastPlanned(func::FuncOp function,
                                            const GraphBuilder &builder,
                                            const PropagationGraph &graph,
                                            const MeshTable &meshes,
                                            const PropagationCost &cost,
                                            PropagationResult answer) {
  // The user hears of the answer that is kept, once.
  ScopedDiagnosticHandler silence(function.getContext(),
                                  [](Diagnostic &) { return success(); });
  LeastPlanned least(function, graph, meshes);
  least.consider(cost, std::move(answer));
  PropagationCost greedy = cost, shardy = cost, time = cost,
                  contractions = cost, all = cost;
  greedy.conflicts = ConflictMode::Greedy;
  shardy.conflicts = ConflictMode::Shardy;
  time.mode = CostMode::Time;
  contractions.weigh = Weigh::Contractions;
  all.weigh = Weigh::All;
  for (const PropagationCost &other : {greedy, shardy, time, contractions, all})
    least.consider(other, propagate(graph, other));
  if (builder.hasUnknownTrips()) {
    // Reports count them once.
    GraphBuilder once(function, meshes, /*unknownTrips=*/1);
    const PropagationGraph &onceGraph = once.build();
    for (const PropagationCost &other : {cost, contractions, all})
      least.consider(other, propagate(onceGraph, other));
  }
  // An earlier run has weighed what it decided.
  if (cost.deviceWeights.empty() && !builder.isDecided()) {
    least.weighDevices();
    least.tryAlternatives();
  }
  return least.take();
}
