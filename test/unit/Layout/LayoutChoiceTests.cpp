//===- LayoutChoiceTests.cpp - Orders against brute force -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// chooseLayouts on random chains, trees, cycles and dense graphs against the
// best of all choices. Seeds are printed with a failure. What cannot be exact
// must not be worse than row-major, nor forbidden where row-major is not.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Layout/LayoutChoice.h"

#include <gtest/gtest.h>
#include <random>

using namespace shardir;

namespace {

/// The least bytes of all choices, and the least number of nodes that are not
/// row-major among those.
std::pair<int64_t, int64_t> bruteForce(const LayoutGraph &graph) {
  std::vector<size_t> at(graph.nodes.size());
  std::pair<int64_t, int64_t> best{INT64_MAX, 0};
  while (true) {
    int64_t changes = 0;
    for (size_t candidate : at)
      changes += candidate != 0;
    best = std::min(best, {graph.cost(at), changes});
    size_t i = at.size();
    while (i > 0 && ++at[i - 1] == graph.nodes[i - 1].size())
      at[--i] = 0;
    if (i == 0)
      return best;
  }
}

int64_t changesOf(const LayoutChoice &choice) {
  int64_t changes = 0;
  for (size_t candidate : choice.candidates)
    changes += candidate != 0;
  return changes;
}

/// Costs are small, so that there are ties, and some are forbidden; row-major
/// never is.
class RandomGraph {
public:
  explicit RandomGraph(unsigned seed) : random(seed) {}

  size_t below(size_t n) { return random() % n; }

  LayoutGraph nodes(size_t count) {
    LayoutGraph graph;
    for (size_t i = 0; i < count; ++i) {
      std::vector<int64_t> bytes(1 + below(3));
      for (int64_t &each : bytes)
        each = int64_t(below(5));
      graph.nodes.push_back(bytes);
    }
    return graph;
  }

  void connect(LayoutGraph &graph, size_t a, size_t b) {
    LayoutGraph::Edge edge{a, b, {}};
    size_t entries = graph.nodes[a].size() * graph.nodes[b].size();
    for (size_t i = 0; i < entries; ++i)
      edge.bytes.push_back(i > 0 && below(6) == 0 ? kForbiddenBytes
                                                  : int64_t(below(5)));
    graph.edges.push_back(edge);
  }

private:
  std::mt19937 random;
};

void expectBest(const LayoutGraph &graph) {
  LayoutChoice choice = chooseLayouts(graph);
  auto [bytes, changes] = bruteForce(graph);
  EXPECT_TRUE(choice.exact);
  EXPECT_EQ(choice.bytes, bytes);
  EXPECT_EQ(graph.cost(choice.candidates), bytes);
  EXPECT_EQ(changesOf(choice), changes);
  EXPECT_EQ(choice.rowMajorBytes,
            graph.cost(std::vector<size_t>(graph.nodes.size())));
}

TEST(LayoutChoice, NothingAndOne) {
  EXPECT_EQ(chooseLayouts({}).bytes, 0);
  LayoutChoice one = chooseLayouts({{{7, 3, 3}}, {}});
  EXPECT_EQ(one.candidates, std::vector<size_t>{1});
  EXPECT_EQ(one.bytes, 3);
  EXPECT_EQ(one.rowMajorBytes, 7);
  // No gain, no change.
  EXPECT_EQ(chooseLayouts({{{3, 3}}, {}}).candidates, std::vector<size_t>{0});
}

TEST(LayoutChoice, ACopyOnTheCheaperSide) {
  // An argument that is row-major, what a gather reads and writes, and its user
  // that reads any order: copy the shard of 4, not the result of 12.
  LayoutGraph graph;
  graph.nodes = {{0}, {12, 0}, {0, 0}};
  graph.edges = {{0, 1, {0, 4}}, {1, 2, {0, 12, 12, 0}}};
  LayoutChoice choice = chooseLayouts(graph);
  EXPECT_EQ(choice.candidates, (std::vector<size_t>{0, 1, 1}));
  EXPECT_EQ(choice.bytes, 4);
  // Not if the user must have it row-major as well.
  graph.nodes[2] = {0};
  graph.edges[1].bytes = {0, 12};
  EXPECT_EQ(chooseLayouts(graph).bytes, 12);
  EXPECT_EQ(chooseLayouts(graph).candidates, (std::vector<size_t>{0, 0, 0}));
}

TEST(LayoutChoice, ADiamondChangesTogether) {
  // All four or none: what a walk along single nodes would never find.
  LayoutGraph graph;
  graph.nodes = {{0, 0}, {0, 0}, {0, 0}, {9, 0}};
  std::vector<int64_t> agree = {0, kForbiddenBytes, kForbiddenBytes, 0};
  graph.edges = {{0, 1, agree}, {0, 2, agree}, {3, 1, agree}, {2, 3, agree}};
  LayoutChoice choice = chooseLayouts(graph);
  EXPECT_EQ(choice.candidates, (std::vector<size_t>{1, 1, 1, 1}));
  EXPECT_EQ(choice.bytes, 0);
}

TEST(LayoutChoice, ChainsAndTreesAreExact) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph random(seed);
    LayoutGraph graph = random.nodes(1 + random.below(8));
    for (size_t i = 1; i < graph.nodes.size(); ++i) {
      size_t parent = seed % 2 ? i - 1 : random.below(i);
      if (random.below(8) != 0) // forests too
        seed % 3 ? random.connect(graph, i, parent)
                 : random.connect(graph, parent, i);
    }
    expectBest(graph);
    // However small tables must be.
    LayoutChoice small = chooseLayouts(graph, 1);
    EXPECT_TRUE(small.exact);
    EXPECT_EQ(small.bytes, bruteForce(graph).first);
  }
}

TEST(LayoutChoice, SmallGraphsAreExact) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph random(1000 + seed);
    LayoutGraph graph = random.nodes(2 + random.below(6));
    for (size_t a = 0; a < graph.nodes.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        for (size_t times = random.below(3); times > 0; --times)
          random.connect(graph, a, b);
    expectBest(graph);
  }
}

TEST(LayoutChoice, HoldingNodesIsNeverWorseThanRowMajor) {
  int64_t gained = 0, possible = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph random(2000 + seed);
    LayoutGraph graph = random.nodes(7);
    for (size_t a = 0; a < graph.nodes.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        random.connect(graph, a, b);
    LayoutChoice choice = chooseLayouts(graph, /*maxTable=*/3);
    EXPECT_EQ(graph.cost(choice.candidates), choice.bytes);
    EXPECT_LE(choice.bytes, choice.rowMajorBytes);
    int64_t best = bruteForce(graph).first;
    EXPECT_GE(choice.bytes, best);
    if (choice.exact)
      EXPECT_EQ(choice.bytes, best);
    gained += choice.rowMajorBytes - choice.bytes;
    possible += choice.rowMajorBytes - best;
    // The same graph, the same choice.
    EXPECT_EQ(chooseLayouts(graph, 3).candidates, choice.candidates);
  }
  // On full graphs of random costs, the hardest there are.
  EXPECT_GE(gained, possible / 2);
}

TEST(LayoutChoice, SolvesALongNetworkExactly) {
  // A residual network: 20000 blocks, each of which reads the one before twice.
  RandomGraph random(1);
  LayoutGraph graph;
  for (size_t i = 0; i < 40000; ++i)
    graph.nodes.push_back({3, 2, 4, 1});
  for (size_t i = 2; i < graph.nodes.size(); i += 2) {
    random.connect(graph, i - 2, i - 1);
    random.connect(graph, i - 1, i);
    random.connect(graph, i - 2, i);
  }
  EXPECT_TRUE(chooseLayouts(graph).exact);
}

} // namespace
