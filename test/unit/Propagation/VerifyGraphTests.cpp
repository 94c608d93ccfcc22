//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs with one fault each, which verifyGraph names and propagate refuses.
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"
#include "Graphs.h"

using namespace shardir;
using namespace shardir::test;

namespace {

/// An argument x [8, 6] that is annotated, y = neg x, and the result y.
PropagationGraph makeGraph() {
  GraphMaker maker(makeMesh({2}));
  int x = maker.argument({8, 6}, "[{\"a\"}, {}]");
  int y = maker.op("neg", elementwiseRule({8, 6}, 1), {x}, {{8, 6}});
  maker.result(y);
  return maker.graph;
}

/// The fault of the graph after `change`.
std::string faultAfter(llvm::function_ref<void(PropagationGraph &)> change) {
  PropagationGraph graph = makeGraph();
  change(graph);
  return verifyGraph(graph).value_or("");
}

/// Changes the rule of a node.
void changeRule(PropagationGraph &graph, int node,
                llvm::function_ref<void(ShardingRule &)> change) {
  ShardingRule rule = *graph.nodes[node].rule;
  change(rule);
  graph.nodes[node].rule = std::move(rule);
}

TEST(VerifyGraph, AcceptsWhatFits) {
  EXPECT_EQ(verifyGraph(makeGraph()), std::nullopt);
  EXPECT_EQ(verifyGraph({}), std::nullopt);
}

TEST(VerifyGraph, NamesIndicesOutOfRange) {
  EXPECT_EQ(faultAfter([](auto &graph) { graph.meshes.clear(); }),
            "node 0 (argument 0) is on mesh 0, but the graph has 0 meshes");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.nodes[1].mesh = 3; }),
            "node 1 (neg) is on mesh 3, but the graph has 1 mesh");
  EXPECT_EQ(faultAfter([](auto &graph) {
              graph.values[0].uses.clear();
              graph.nodes[1].operands = {9};
            }),
            "node 1 (neg) has value 9 as operand 0, but the graph has 2 "
            "values");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[1].producer = -1; }),
            "value 1 has node -1 as its producer, but the graph has 3 nodes");
  EXPECT_EQ(
      faultAfter([](auto &graph) { graph.nodes[2].alias = 1; }),
      "node 2 (result of value 1) takes the placement of node 1, which is no "
      "argument");
}

TEST(VerifyGraph, NamesValuesAndNodesThatDiffer) {
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[0].uses.clear(); }),
            "node 1 (neg) has value 0 as operand 0, whose uses lack it: add "
            "{1, 0}");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[0].uses = {{2, 0}}; }),
            "value 0 lists as a use operand 0 of node 2 (result of value 1), "
            "which is "
            "value 1");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[0].uses = {{1, 1}}; }),
            "value 0 lists as a use operand 1 of node 1 (neg), which has 1 "
            "operand");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[1].producer = 0; }),
            "value 1 is result 0 of node 0 (argument 0), whose results do not "
            "name it there");
}

TEST(VerifyGraph, NamesRulesThatDoNotFit) {
  EXPECT_EQ(faultAfter([](auto &graph) { graph.nodes[1].rule = SharedRule(); }),
            "node 1 (neg) has 1 operand, but its rule has 0 operand lists; "
            "give one list each");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[0].shape = {8}; }),
            "node 0 (argument 0) has a rule with 2 dims for result 0, but "
            "value 0 has rank 1");
  EXPECT_EQ(faultAfter([](auto &graph) { graph.values[1].shape = {8, 7}; }),
            "node 1 (neg) has a rule whose factors of dim 1 of result 0 have "
            "size 6, but value 1 has size 7 there");
  EXPECT_EQ(faultAfter([](auto &graph) {
              changeRule(graph, 1,
                         [](auto &rule) { rule.operands[0].dims[1] = {5}; });
            }),
            "node 1 (neg) has a rule that names factor 5 in operand 0, but it "
            "has 2 factors");
  EXPECT_EQ(faultAfter([](auto &graph) {
              changeRule(graph, 1, [](auto &rule) { rule.inits = {1}; });
            }),
            "node 1 (neg) has a rule that names operand 1 as an initial "
            "value, but it has 1 operand");
}

TEST(VerifyGraph, NamesAnnotationsThatDoNotFit) {
  std::string fault = faultAfter(
      [](auto &graph) { graph.nodes[0].annotated[0] = {Split::byAxis("b")}; });
  EXPECT_NE(fault.find("node 0 (argument 0): unknown axis \"b\""),
            std::string::npos)
      << fault;
  EXPECT_EQ(faultAfter([](auto &graph) { graph.nodes[0].closed = {true}; }),
            "'closed' of node 0 (argument 0) has size 1, but its rule has 2 "
            "factors; give one entry each, or none");
  EXPECT_EQ(faultAfter([](auto &graph) {
              graph.nodes[0].partialAxes = {{"a", 1, 0}};
            }),
            "node 0 (argument 0) has a partial kind without axes, or axes "
            "without a kind; give both or neither");
}

TEST(VerifyGraphDeathTest, PropagateRefusesWhatDoesNotFit) {
  PropagationGraph graph = makeGraph();
  graph.nodes[1].mesh = 3;
  EXPECT_EXIT(propagate(graph, {}), testing::ExitedWithCode(1),
              "propagate: node 1 \\(neg\\) is on mesh 3, but the graph has 1 "
              "mesh");
}

} // namespace
