//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation on graphs with cycles, as loops make them: what is carried is a
// node with the initial and the next value as operands, and what an iteration
// sees and what leaves the loop as results (R11). It has one placement, found
// from either end; terms are carried where that reduces them once.
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"
#include "Graphs.h"

using namespace shardir;
using namespace shardir::test;

namespace {

/// A loop with one carried tensor. `body` is between `enter` and `close`.
struct Loop {
  GraphMaker maker;
  double trips;
  int tie = -1, seen = -1, left = -1;
  size_t firstInside = 0;

  Loop(const Mesh &mesh, double trips) : maker(mesh), trips(trips) {}

  void enter(int init, const std::vector<int64_t> &shape) {
    ShardingRule rule = elementwiseRule(shape, 2);
    rule.partials = {{std::nullopt, {0, 1}}};
    rule.results.push_back(rule.results[0]);
    rule.inits.push_back(-1);
    seen = maker.op("loop", rule, {init, init}, {shape, shape});
    maker.graph.values[init].uses.pop_back(); // the next value comes later
    left = seen + 1;
    tie = maker.producer(seen);
    firstInside = tie;
  }
  void close(int next) {
    maker.graph.nodes[tie].operands[1] = next;
    maker.graph.values[next].uses.push_back({tie, 1});
    for (size_t n = firstInside; n < maker.graph.nodes.size(); ++n)
      maker.graph.nodes[n].executions = trips;
  }
  std::string at(const PropagationResult &result, int value) const {
    const auto &made = maker.graph.values[value];
    return toString(
        result.nodes[made.producer].sharding->results[made.resultIndex]);
  }
};

TEST(LoopPropagation, CarriedTensorIsPlacedFromItsStart) {
  Loop loop(makeMesh({2, 2}), 3);
  int x = loop.maker.argument({8, 6}, "[{\"a\"}, {}]");
  loop.enter(x, {8, 6});
  int y =
      loop.maker.op("exp", elementwiseRule({8, 6}, 1), {loop.seen}, {{8, 6}});
  loop.close(y);
  loop.maker.result(loop.left);
  PropagationResult result = propagate(loop.maker.graph, {});
  for (int value : {loop.seen, loop.left, y})
    EXPECT_EQ(loop.at(result, value), "[{\"a\"}, {}]");
  EXPECT_EQ(result.bytes, 0);
}

TEST(LoopPropagation, CarriedTensorIsPlacedFromItsEnd) {
  Loop loop(makeMesh({2, 2}), 3);
  int x = loop.maker.argument({8, 6});
  loop.enter(x, {8, 6});
  int y =
      loop.maker.op("exp", elementwiseRule({8, 6}, 1), {loop.seen}, {{8, 6}});
  loop.close(y);
  loop.maker.result(loop.left, "[{}, {\"b\"}]");
  PropagationResult result = propagate(loop.maker.graph, {});
  for (int value : {x, loop.seen, loop.left, y})
    EXPECT_EQ(loop.at(result, value), "[{}, {\"b\"}]");
}

TEST(LoopPropagation, CarriedTensorIsPlacedFromWithin) {
  // The body adds what is annotated; both the start and the end follow.
  Loop loop(makeMesh({2, 2}), 3);
  int x = loop.maker.argument({8, 6});
  int w = loop.maker.argument({8, 6}, "[{\"b\"}, {\"a\"}]");
  loop.enter(x, {8, 6});
  int y = loop.maker.op("mul", elementwiseRule({8, 6}, 2), {loop.seen, w},
                        {{8, 6}});
  loop.close(y);
  loop.maker.result(loop.left);
  PropagationResult result = propagate(loop.maker.graph, {});
  for (int value : {x, loop.seen, loop.left, y})
    EXPECT_EQ(loop.at(result, value), "[{\"b\"}, {\"a\"}]");
}

/// acc = use(acc + rows(x)), where x is split along what is summed.
void sumOfRows(Loop &loop, Linearity use, int &sum) {
  int x = loop.maker.argument({6, 8}, "[{}, {\"a\"}]");
  ShardingRule fresh = elementwiseRule({6}, 0);
  fresh.isRematerializable = true;
  int zero = loop.maker.op("zero", fresh, {}, {{6}});
  loop.enter(zero, {6});
  int inner = loop.maker.op("zero", fresh, {}, {{6}});
  int rows = loop.maker.op("reduce", reduceRule(6, 8, PartialKind::Sum),
                           {x, inner}, {{6}});
  sum = loop.maker.op("add", elementwiseRule({6}, 2, Linearity::Together),
                      {loop.seen, rows}, {{6}});
  int next = loop.maker.op("use", elementwiseRule({6}, 1, use), {sum}, {{6}});
  loop.close(next);
  loop.maker.result(loop.left, "[{}]");
}

TEST(LoopPropagation, CarriedSumIsReducedOnce) {
  Loop loop(makeMesh({2}), 4);
  int sum;
  sumOfRows(loop, Linearity::Together, sum);
  PropagationResult result = propagate(loop.maker.graph, {});
  for (int value : {loop.seen, loop.left, sum})
    EXPECT_EQ(loop.at(result, value), "[{}], partial = sum [\"a\"]");
}

TEST(LoopPropagation, WhatANonLinearOpSeesIsReducedEachTime) {
  Loop loop(makeMesh({2}), 4);
  int sum;
  sumOfRows(loop, Linearity::None, sum);
  PropagationResult result = propagate(loop.maker.graph, {});
  EXPECT_EQ(loop.at(result, loop.left), "[{}]");
  EXPECT_EQ(loop.at(result, loop.seen), "[{}]");
}

TEST(LoopPropagation, WhatIsCarriedStays) {
  // y = x * w: x is carried and split by rows over "a", w by columns. One of
  // the two moves: w once, in front of the loop; x would in each iteration.
  for (double trips : {3.0, 16.0}) {
    Loop loop(makeMesh({2}), trips);
    int x = loop.maker.argument({8, 8}, "[{\"a\"}, {}]");
    int w = loop.maker.argument({8, 8}, "[{}, {\"a\"}]");
    loop.enter(x, {8, 8});
    int y = loop.maker.op("mul", elementwiseRule({8, 8}, 2), {loop.seen, w},
                          {{8, 8}});
    loop.close(y);
    loop.maker.result(loop.left, "[{\"a\"}, {}]");
    PropagationResult result = propagate(loop.maker.graph, {});
    for (int value : {loop.seen, loop.left, y})
      EXPECT_EQ(loop.at(result, value), "[{\"a\"}, {}]");
  }
}

} // namespace
