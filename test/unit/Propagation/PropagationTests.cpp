//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation on graphs made by hand and on random ones: it does not depend on
// the order of nodes (R3), never changes what is annotated (R1), puts no axis
// on two dims (R4), uses no axis that no annotation brings (R6), and looks at
// each node a bounded number of times (R8).
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"
#include "Graphs.h"

#include <random>

using namespace shardir;
using namespace shardir::test;

namespace {

std::string placementOf(const GraphMaker &maker,
                        const PropagationResult &result, int value) {
  const auto &made = maker.graph.values[value];
  return toString(
      result.nodes[made.producer].sharding->results[made.resultIndex]);
}

/// The provenances of a node, in words.
static std::vector<std::string> decidedBy(const PropagationGraph &graph,
                                          const PropagationResult &result,
                                          int node) {
  std::vector<std::string> texts;
  for (const Provenance &own : result.nodes[node].decidedBy)
    texts.push_back(describe(graph, own));
  return texts;
}

TEST(Propagation, ForwardBackwardSideways) {
  GraphMaker maker(makeMesh({2, 2}));
  int x = maker.argument({8, 6}, "[{\"a\"}, {}]");
  int y = maker.argument({8, 6});
  int z = maker.argument({8, 6});
  ShardingRule add = elementwiseRule({8, 6}, 2, Linearity::Together);
  int s = maker.op("add", add, {x, y}, {{8, 6}});
  int t = maker.op("mul", add, {y, z}, {{8, 6}});
  maker.result(s);
  maker.result(t);
  PropagationResult result = propagate(maker.graph, {});
  for (int value : {x, y, z, s, t})
    EXPECT_EQ(placementOf(maker, result, value), "[{\"a\"}, {}]");
  // The annotation, and the op through which it came first.
  EXPECT_EQ(decidedBy(maker.graph, result, maker.producer(s))[0], "argument 0");
  EXPECT_EQ(decidedBy(maker.graph, result, maker.producer(z))[0],
            "argument 0, through add, mul");
  EXPECT_EQ(decidedBy(maker.graph, result, maker.producer(s))[1], "");
}

TEST(Propagation, TellsTheProvenanceOfPartials) {
  GraphMaker maker(makeMesh({2, 2}));
  int x = maker.argument({8, 4}, "[{}, {\"a\"}]");
  int w = maker.argument({4, 6});
  int z = maker.argument({8, 6});
  int y = maker.op("matmul", matmulRule(8, 6, 4), {x, w, z}, {{8, 6}});
  int n = maker.op("neg", elementwiseRule({8, 6}, 1, Linearity::Together), {y},
                   {{8, 6}});
  maker.result(n);
  PropagationResult result = propagate(maker.graph, {});
  ASSERT_EQ(placementOf(maker, result, n), "[{}, {}], partial = sum [\"a\"]");
  // One more than there are factors.
  const auto reasons = decidedBy(maker.graph, result, maker.producer(n));
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(reasons[0], "");
  EXPECT_EQ(reasons[2], "argument 0, through matmul");
  EXPECT_EQ(decidedBy(maker.graph, result, maker.producer(y)).back(),
            "argument 0");
}

TEST(Propagation, SaysWhatWasCompared) {
  GraphMaker maker(makeMesh({4}));
  // The rows of x and the columns of w are over one axis; w is larger.
  int x = maker.argument({64, 256}, "[{\"a\"}, {}]");
  int w = maker.argument({256, 512}, "[{}, {\"a\"}]");
  int z = maker.argument({64, 512});
  int y = maker.op("matmul", matmulRule(64, 512, 256), {x, w, z}, {{64, 512}});
  // The choice for y takes the way of x from this one.
  int v = maker.argument({512, 256});
  int u = maker.argument({64, 256});
  int t = maker.op("product", matmulRule(64, 256, 512), {y, v, u}, {{64, 256}});
  maker.result(t);
  PropagationOptions cost;
  cost.mode = CostMode::Bytes;
  PropagationResult result = propagate(maker.graph, cost);
  const auto &node = result.nodes[maker.producer(y)];
  ASSERT_EQ(node.alternatives.size(), 3u);
  for (const auto &each : node.alternatives)
    ASSERT_EQ(each.placements.size(), 1u);
  EXPECT_EQ(toString(node.alternatives[0].placements[0]), "[{}, {\"a\"}]");
  EXPECT_EQ(node.alternatives[0].placements[0], node.sharding->results[0]);
  EXPECT_TRUE(node.alternatives[0].isChosen);
  EXPECT_EQ(toString(node.alternatives[1].placements[0]), "[{\"a\"}, {}]");
  EXPECT_FALSE(node.alternatives[1].isChosen);
  EXPECT_LT(node.alternatives[0].bytes, node.alternatives[1].bytes);
  EXPECT_LE(node.alternatives[1].bytes, node.alternatives[2].bytes);
  // Where nothing competes nothing is listed.
  EXPECT_TRUE(result.nodes[maker.producer(x)].alternatives.empty());
  // An axis that came through an op which then took another.
  ASSERT_EQ(placementOf(maker, result, t), "[{\"a\"}, {}]");
  EXPECT_EQ(decidedBy(maker.graph, result, maker.producer(t))[0],
            "argument 0, through matmul");
}

namespace {

/// Counts redistributions of one value only.
struct OneValueCosts : PropagationCostModel {
  explicit OneValueCosts(std::vector<int64_t> shape)
      : shape(std::move(shape)) {}
  PropagationCost redistribute(const PropagationGraph::Value &value,
                               const Placement &, const Placement &,
                               const Mesh &) const override {
    PropagationCost cost;
    cost.bytes = value.shape == shape;
    return cost;
  }
  PropagationCost exchangeHalo(const PropagationGraph::Value &,
                               const Placement &,
                               const PropagationGraph::Node &, int,
                               const FactorSplits &,
                               const Mesh &) const override {
    return {};
  }
  PropagationCost compute(const LocalOp &) const override { return {}; }
  std::vector<int64_t> shape;
};

} // namespace

TEST(Propagation, DecidesByTheCostsGiven) {
  GraphMaker maker(makeMesh({4}));
  int x = maker.argument({64, 256}, "[{\"a\"}, {}]");
  int w = maker.argument({256, 512}, "[{}, {\"a\"}]");
  int z = maker.argument({64, 512});
  int y = maker.op("matmul", matmulRule(64, 512, 256), {x, w, z}, {{64, 512}});
  maker.result(y);
  PropagationOptions options;
  options.mode = CostMode::Bytes;
  // x is smaller: it is gathered.
  EXPECT_EQ(placementOf(maker, propagate(maker.graph, options), y),
            "[{}, {\"a\"}]");
  options.costModel =
      std::make_shared<OneValueCosts>(std::vector<int64_t>{64, 256});
  EXPECT_EQ(placementOf(maker, propagate(maker.graph, options), y),
            "[{\"a\"}, {}]");
  options.costModel =
      std::make_shared<OneValueCosts>(std::vector<int64_t>{256, 512});
  EXPECT_EQ(placementOf(maker, propagate(maker.graph, options), y),
            "[{}, {\"a\"}]");
}

TEST(Propagation, ContractionMakesAPartialSum) {
  GraphMaker maker(makeMesh({2, 2}));
  int x = maker.argument({8, 4}, "[{\"b\"}, {\"a\"}]");
  int w = maker.argument({4, 6});
  int z = maker.argument({8, 6});
  int y = maker.op("matmul", matmulRule(8, 6, 4), {x, w, z}, {{8, 6}});
  int n = maker.op("neg", elementwiseRule({8, 6}, 1, Linearity::Together), {y},
                   {{8, 6}});
  int e = maker.op("exp", elementwiseRule({8, 6}, 1), {n}, {{8, 6}});
  maker.result(e);
  PropagationResult result = propagate(maker.graph, {});
  EXPECT_EQ(placementOf(maker, result, w), "[{\"a\"}, {}]");
  EXPECT_EQ(placementOf(maker, result, y),
            "[{\"b\"}, {}], partial = sum [\"a\"]");
  EXPECT_EQ(placementOf(maker, result, n),
            "[{\"b\"}, {}], partial = sum [\"a\"]");
  EXPECT_EQ(placementOf(maker, result, e), "[{\"b\"}, {}]");
}

TEST(Propagation, FreshValuesBringNothing) {
  GraphMaker maker(makeMesh({2}));
  int x = maker.argument({8, 8}, "[{\"a\"}, {}]");
  int y = maker.argument({8, 8});
  ShardingRule fresh = elementwiseRule({8, 8}, 0);
  fresh.isRematerializable = true;
  int c = maker.op("constant", fresh, {}, {{8, 8}});
  ShardingRule add = elementwiseRule({8, 8}, 2, Linearity::Together);
  int s = maker.op("add", add, {x, c}, {{8, 8}});
  int t = maker.op("add", add, {y, c}, {{8, 8}});
  maker.result(s);
  maker.result(t);
  PropagationResult result = propagate(maker.graph, {});
  EXPECT_EQ(placementOf(maker, result, c), "[{\"a\"}, {}]");
  EXPECT_EQ(placementOf(maker, result, s), "[{\"a\"}, {}]");
  EXPECT_EQ(placementOf(maker, result, t), "[{}, {}]");
}

TEST(Propagation, NothingAnnotatedNothingSplit) {
  GraphMaker maker(makeMesh({2, 2}));
  int x = maker.argument({8, 8}, "[{?}, {?}]");
  maker.result(maker.op("exp", elementwiseRule({8, 8}, 1), {x}, {{8, 8}}));
  PropagationResult result = propagate(maker.graph, {});
  for (const auto &node : result.nodes)
    for (const Placement &placement : node.sharding->results)
      EXPECT_EQ(toString(placement), "[{}, {}]");
}

//===----------------------------------------------------------------------===//
// Random graphs
//===----------------------------------------------------------------------===//

/// A program of square matmuls and elementwise ops, with annotations on some
/// arguments and results.
GraphMaker randomProgram(unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](int count) { return int(random() % count); };
  GraphMaker maker(makeMesh({2, 2, 3}));
  const std::vector<std::string> annotations = {
      "",
      "",
      "[{\"a\"}, {}]",
      "[{?}, {\"a\"}]",
      "[{\"b\", ?}, {?}]",
      "[{\"c\"}p1, {\"a\"}p0]",
      "[{}, {\"b\", \"c\"}]",
      "[{?}, {?}], replicated = [\"a\"]",
      "[{}, {\"b\"}], partial = sum [\"a\"]",
      "[{2, \"a\"}, {}]"};
  // Values of two shapes, so that conflicts differ in bytes.
  std::vector<int> large, small;
  for (int i = 0; i < 4; ++i) {
    large.push_back(maker.argument({12, 8}, annotations[pick(10)]));
    small.push_back(maker.argument({8, 8}, annotations[pick(10)]));
  }
  auto any = [&](const std::vector<int> &values) {
    return values[pick(values.size())];
  };
  for (int i = 0; i < 12; ++i) {
    switch (pick(5)) {
    case 0:
      large.push_back(maker.op("matmul", matmulRule(12, 8, 8),
                               {any(large), any(small), any(large)},
                               {{12, 8}}));
      break;
    case 1:
      small.push_back(maker.op("square", matmulRule(8, 8, 8),
                               {any(small), any(small), any(small)}, {{8, 8}}));
      break;
    case 2:
      large.push_back(maker.op("add",
                               elementwiseRule({12, 8}, 2, Linearity::Together),
                               {any(large), any(large)}, {{12, 8}}));
      break;
    case 3:
      small.push_back(maker.op("mul",
                               elementwiseRule({8, 8}, 2, Linearity::Single),
                               {any(small), any(small)}, {{8, 8}}));
      break;
    case 4:
      large.push_back(maker.op("exp", elementwiseRule({12, 8}, 1), {any(large)},
                               {{12, 8}}));
      break;
    }
  }
  maker.result(large.back(), annotations[pick(10)]);
  maker.result(small.back(), annotations[pick(10)]);
  return maker;
}

TEST(Propagation, DoesNotDependOnTheOrderOfNodes) {
  for (unsigned seed = 0, e = isExhaustive() ? 40 : 12; seed < e; ++seed) {
    GraphMaker maker = randomProgram(seed);
    std::vector<PropagationOptions> costs(4);
    for (size_t i = 1; i < costs.size(); ++i)
      costs[i].mode = CostMode::Bytes;
    costs[2].weighUncontested = true;
    costs[3].balanceRounds = 2;
    costs.resize(seed < 3 ? 4 : 2); // the others take longer
    for (const PropagationOptions &cost : costs) {
      PropagationResult expected = propagate(maker.graph, cost);
      for (unsigned order = 0; order < 4; ++order) {
        std::vector<int> newIndex;
        PropagationGraph other = permuted(maker.graph, order, newIndex);
        PropagationResult found = propagate(other, cost);
        for (size_t n = 0; n < maker.graph.nodes.size(); ++n) {
          const auto &one = expected.nodes[n], &two = found.nodes[newIndex[n]];
          std::string where = "node " + std::to_string(n) + " (" +
                              maker.graph.nodes[n].name + ") of program " +
                              std::to_string(seed);
          ASSERT_EQ(one.sharding->splits, two.sharding->splits) << where;
          ASSERT_EQ(decidedBy(maker.graph, expected, n),
                    decidedBy(other, found, newIndex[n]))
              << where;
          ASSERT_EQ(one.name, two.name) << where;
          ASSERT_EQ(one.sharding->results.size(), two.sharding->results.size());
          for (size_t r = 0; r < one.sharding->results.size(); ++r)
            ASSERT_EQ(toString(one.sharding->results[r]),
                      toString(two.sharding->results[r]))
                << where;
        }
      }
    }
  }
}

TEST(Propagation, KeepsItsPromisesOnRandomPrograms) {
  int split = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    GraphMaker maker = randomProgram(seed);
    const PropagationGraph &graph = maker.graph;
    const Mesh &mesh = graph.meshes[0];
    PropagationResult result = propagate(graph, {});
    std::set<std::string> brought;
    for (const auto &node : graph.nodes)
      for (const Splits &splits : node.annotated)
        for (const AxisRef &axis : axesOf(splits))
          brought.insert(axis.name);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const auto &node = graph.nodes[n];
      const auto &decided = result.nodes[n];
      // R1: annotated splits are where they were; closed ones did not grow.
      for (size_t f = 0; f < node.annotated.size(); ++f) {
        const Splits &given = node.annotated[f],
                     &found = decided.sharding->splits[f];
        ASSERT_LE(given.size(), found.size());
        EXPECT_TRUE(std::equal(given.begin(), given.end(), found.begin()));
        if (!node.closed.empty() && node.closed[f]) {
          EXPECT_EQ(given, found);
        }
        split += !found.empty();
      }
      auto check = [&](const Placement &placement,
                       const std::vector<int64_t> &shape) {
        // P1, P4 and R4: it verifies.
        auto error = verifyPlacement(placement, mesh, shape, "f32");
        EXPECT_FALSE(error) << error->message << " in " << toString(placement);
        for (const DimPlacement &dim : placement.dims)
          for (const AxisRef &axis : axesOf(dim.splits)) {
            EXPECT_TRUE(brought.count(axis.name)) << axis.name;
            for (const AxisRef &forbidden : node.forbidden)
              EXPECT_FALSE(overlap(axis, forbidden, mesh));
          }
      };
      for (size_t r = 0; r < decided.sharding->results.size(); ++r)
        check(decided.sharding->results[r],
              graph.values[node.results[r]].shape);
      // The results say all: the rest can be read back from them.
      if (node.operands.empty() || node.results.empty())
        continue;
      std::vector<std::optional<Placement>> operands;
      for (int value : node.operands) {
        const auto &v = graph.values[value];
        operands.push_back(
            result.nodes[v.producer].sharding->results[v.resultIndex]);
      }
      auto inferred =
          inferSharding(node.rule, decided.sharding->results, operands, mesh);
      auto *error = std::get_if<PlacementError>(&inferred);
      EXPECT_FALSE(error) << error->message << " for " << node.name
                          << " in program " << seed;
    }
  }
  EXPECT_GT(split, 300);
}

TEST(Propagation, RunningItOnItsResultChangesNothing) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    GraphMaker maker = randomProgram(seed);
    PropagationResult first = propagate(maker.graph, {});
    PropagationGraph decided = maker.graph;
    for (size_t n = 0; n < decided.nodes.size(); ++n) {
      auto &node = decided.nodes[n];
      node.annotated = first.nodes[n].sharding->splits;
      node.closed.assign(node.annotated.size(), true);
      node.priority.clear();
      if (!node.operands.empty() && !node.results.empty()) {
        node.isFixed = true;
        node.fixedResults = first.nodes[n].sharding->results;
      }
    }
    PropagationResult second = propagate(decided, {});
    for (size_t n = 0; n < decided.nodes.size(); ++n)
      for (size_t r = 0; r < first.nodes[n].sharding->results.size(); ++r)
        EXPECT_EQ(toString(first.nodes[n].sharding->results[r]),
                  toString(second.nodes[n].sharding->results[r]));
  }
}

TEST(Propagation, SearchIsNoDearerThanItsStarts) {
  int better = 0;
  for (unsigned seed = 0, e = isExhaustive() ? 125 : 40; seed < e; ++seed) {
    GraphMaker maker = randomProgram(seed);
    for (CostMode mode : {CostMode::Bytes, CostMode::Time}) {
      PropagationOptions cost;
      cost.mode = mode;
      auto total = [&](ConflictMode conflicts) {
        cost.conflicts = conflicts;
        PropagationResult result = propagate(maker.graph, cost);
        return mode == CostMode::Bytes ? result.bytes : result.seconds;
      };
      // Priorities are decided one after another: only without them is the
      // whole program one search.
      bool hasPriorities = llvm::any_of(maker.graph.nodes, [](const auto &n) {
        return llvm::any_of(n.priority, [](int64_t p) {
          return p != PropagationGraph::kLastPriority;
        });
      });
      if (hasPriorities)
        continue;
      double searched = total(ConflictMode::Search);
      double greedy = total(ConflictMode::Greedy);
      double shardy = total(ConflictMode::Shardy);
      EXPECT_LE(searched, greedy) << "program " << seed;
      EXPECT_LE(searched, shardy) << "program " << seed;
      better += searched < std::min(greedy, shardy);
    }
  }
  EXPECT_GT(better, 3);
}

TEST(Propagation, AMemoryLimitTradesBytesForRoom) {
  // x is split by rows, w by columns, by one axis: gathering the smaller
  // operand receives fewer bytes, splitting the larger result holds fewer.
  GraphMaker maker(makeMesh({4}));
  int x = maker.argument({64, 8}, "[{\"a\"}, {}]");
  int z = maker.argument({8, 64}, "[{}, {}]");
  int w = maker.op("exp", elementwiseRule({8, 64}, 1), {z}, {{8, 64}});
  int i = maker.argument({64, 64});
  int y = maker.op("matmul", matmulRule(64, 64, 8), {x, w, i}, {{64, 64}});
  maker.result(y);
  PropagationOptions cost;
  cost.mode = CostMode::Bytes;
  PropagationResult free = propagate(maker.graph, cost);
  double peak = predictPeak(maker.graph, free);
  cost.memoryLimit = peak;
  EXPECT_EQ(predictPeak(maker.graph, propagate(maker.graph, cost)), peak);
  cost.memoryLimit = 1; // cannot be met: the lowest peak that was found
  EXPECT_LE(predictPeak(maker.graph, propagate(maker.graph, cost)), peak);
}

TEST(Propagation, LongChainsTakeLinearTime) {
  // Each node is looked at a few times; all nodes in all rounds would take
  // minutes.
  GraphMaker maker(makeMesh({2}));
  int value = maker.argument({8, 8}, "[{\"a\"}, {}]");
  for (int i = 0; i < 5000; ++i)
    value = maker.op("exp", elementwiseRule({8, 8}, 1), {value}, {{8, 8}});
  maker.result(value);
  PropagationResult result = propagate(maker.graph, {});
  EXPECT_EQ(placementOf(maker, result, value), "[{\"a\"}, {}]");
}

} // namespace
