//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an op is sharded is read back from its results' placements alone (R7):
// over all shardings of a contraction on small meshes, and case by case where
// several operands or factors could be the source of a term.
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"
#include "Graphs.h"

using namespace shardir;
using namespace shardir::test;

namespace {

std::string infer(const ShardingRule &rule,
                  const std::vector<std::string> &results,
                  const std::vector<std::string> &operands, const Mesh &mesh) {
  std::vector<Placement> placed;
  std::vector<std::optional<Placement>> known;
  for (const std::string &text : results)
    placed.push_back(parse(text));
  for (const std::string &text : operands)
    known.push_back(text.empty() ? std::nullopt : std::optional(parse(text)));
  known.resize(rule.operands.size());
  auto inferred = inferSharding(rule, placed, known, mesh);
  if (auto *error = std::get_if<PlacementError>(&inferred))
    return "error: " + error->message;
  std::string text;
  for (const Placement &operand : std::get<OpSharding>(inferred).operands)
    text += (text.empty() ? "" : " ") + toString(operand);
  return text;
}

TensorFactors factorsOf(std::initializer_list<int> factors) {
  TensorFactors tensor;
  for (int f : factors)
    tensor.dims.push_back({f});
  return tensor;
}

const Mesh mesh = makeMesh({2, 2});

TEST(InferSharding, AllShardingsOfAContraction) {
  ShardingRule rule = matmulRule(4, 6, 8);
  int tried = 0;
  for (const Mesh &devices :
       {makeMesh({2, 2}), makeMesh({2, 3}), makeMesh({2, 2, 2})}) {
    // One dim per factor; each placement is one sharding.
    for (const Placement &sharding :
         allPlacements(devices, 3, replicatedAxes(devices))) {
      FactorSplits splits;
      for (const DimPlacement &dim : sharding.dims)
        splits.push_back(dim.splits);
      Placement result = *composeTensor(rule, rule.results[0], splits, devices);
      std::vector<Placement> operands;
      for (const TensorFactors &factors : rule.operands)
        operands.push_back(*composeTensor(rule, factors, splits, devices));
      if (!splits[2].empty()) {
        result.partial = operands[2].partial = PartialKind::Sum;
        result.partialAxes = operands[2].partialAxes = axesOf(splits[2]);
      }
      // With the operands at hand the order of axes on the contracted dim is
      // theirs; without, all is known but that order.
      std::vector<std::optional<Placement>> known(operands.begin(),
                                                  operands.end());
      for (bool present : {true, false}) {
        if (!present)
          known.assign(operands.size(), std::nullopt);
        auto inferred = inferSharding(rule, {result}, known, devices);
        auto *found = std::get_if<OpSharding>(&inferred);
        ASSERT_TRUE(found) << toString(result);
        ++tried;
        EXPECT_EQ(found->splits, splits) << toString(result);
        for (size_t i = 0; i < operands.size(); ++i)
          EXPECT_EQ(toString(found->operands[i]), toString(operands[i]))
              << "operand " << i << " for " << toString(result);
      }
    }
  }
  EXPECT_GT(tried, 200);
}

TEST(InferSharding, TheOrderOfContractedAxesIsTheOperands) {
  EXPECT_EQ(infer(matmulRule(4, 6, 8),
                  {"[{}, {}], partial = sum [\"a\", \"b\"]"},
                  {"[{}, {\"b\", \"a\"}]", ""}, mesh),
            "[{}, {\"b\", \"a\"}] [{\"b\", \"a\"}, {}] "
            "[{}, {}], partial = sum [\"a\", \"b\"]");
}

TEST(InferSharding, APartialOperandIsNotContractedAgain) {
  // The left operand is partial over a; k is not split.
  EXPECT_EQ(infer(matmulRule(4, 6, 8), {"[{}, {}], partial = sum [\"a\"]"},
                  {"[{}, {}], partial = sum [\"a\"]", "[{}, {}]", ""}, mesh),
            "[{}, {}], partial = sum [\"a\"] [{}, {}] "
            "[{}, {}], partial = sum [\"a\"]");
  // A partial initial value proves nothing: k is split.
  EXPECT_EQ(infer(matmulRule(4, 6, 8), {"[{}, {}], partial = sum [\"a\"]"},
                  {"", "", "[{}, {}], partial = sum [\"a\"]"}, mesh),
            "[{}, {\"a\"}] [{\"a\"}, {}] [{}, {}], partial = sum [\"a\"]");
  // One axis each way.
  EXPECT_EQ(infer(matmulRule(4, 6, 8),
                  {"[{}, {}], partial = sum [\"a\", \"b\"]"},
                  {"[{}, {\"b\"}], partial = sum [\"a\"]", "", ""}, mesh),
            "[{}, {\"b\"}], partial = sum [\"a\"] [{\"b\"}, {}] "
            "[{}, {}], partial = sum [\"a\", \"b\"]");
}

TEST(InferSharding, AnOperandIsPartialOverItsPartsOfAnAxis) {
  // (k, g, m), (k, g, n), init (m, n) -> (m, n); factors m, n, k, g.
  ShardingRule rule;
  rule.addFactor(4);
  rule.addFactor(6);
  for (int f : {2, 3}) {
    rule.addFactor(2, FactorKind::Reduction);
    rule.factors[f].combiners = {PartialKind::Sum};
  }
  rule.operands = {factorsOf({2, 3, 0}), factorsOf({2, 3, 1}),
                   factorsOf({0, 1})};
  rule.results = {factorsOf({0, 1})};
  rule.inits = {2};
  rule.partials = {{PartialKind::Sum, {0, 2}}, {PartialKind::Sum, {1, 2}}};
  Mesh four = makeMesh({4});
  std::string partial = "[{}, {}], partial = sum [\"a\"]";
  std::string halves = "[{\"a\":(1)2}, {\"a\":(2)2}, {}]";
  // In the normal form of a result both halves are one axis.
  EXPECT_EQ(infer(rule, {partial}, {halves, "", ""}, four),
            halves + " " + halves + " " + partial);
  // Each from another operand.
  EXPECT_EQ(infer(rule, {partial},
                  {"[{\"a\":(1)2}, {}, {}]", "[{}, {\"a\":(2)2}, {}]", ""},
                  four),
            halves + " " + halves + " " + partial);
  // One half is contracted, the other is partial already.
  std::string half = "[{}, {\"a\":(2)2}, {}]";
  EXPECT_EQ(infer(rule, {partial},
                  {half + ", partial = sum [\"a\":(1)2]", half, ""}, four),
            half + ", partial = sum [\"a\":(1)2] " + half + " " + partial);
  // An axis that an operand has undivided stays undivided.
  EXPECT_EQ(infer(rule, {partial}, {"[{\"a\"}, {}, {}]", halves, ""}, four),
            "[{\"a\"}, {}, {}] [{\"a\"}, {}, {}] " + partial);
}

TEST(InferSharding, OneOperandOfAProductIsPartial) {
  ShardingRule product = elementwiseRule({4, 6}, 2, Linearity::Single);
  EXPECT_EQ(infer(product, {"[{}, {}], partial = sum [\"a\"]"},
                  {"[{}, {}]", "[{}, {}], partial = sum [\"a\"]"}, mesh),
            "[{}, {}] [{}, {}], partial = sum [\"a\"]");
  // Where both are partial, the other is reduced first.
  EXPECT_EQ(infer(product, {"[{}, {}], partial = sum [\"a\"]"},
                  {"[{}, {}], partial = sum [\"a\"]",
                   "[{}, {}], partial = sum [\"a\"]"},
                  mesh),
            "[{}, {}], partial = sum [\"a\"] [{}, {}]");
}

TEST(InferSharding, AllOperandsOfASumArePartial) {
  ShardingRule sum = elementwiseRule({4, 6}, 2, Linearity::Together);
  EXPECT_EQ(infer(sum, {"[{\"b\"}, {}], partial = sum [\"a\"]"},
                  {"[{\"b\"}, {}], partial = sum [\"a\"]", "[{\"b\"}, {}]"},
                  mesh),
            "[{\"b\"}, {}], partial = sum [\"a\"] "
            "[{\"b\"}, {}], partial = sum [\"a\"]");
}

TEST(InferSharding, EachResultByItsOwnKind) {
  ShardingRule rule = reduceRule(4, 6, PartialKind::Sum);
  rule.results.push_back(rule.results[0]);
  rule.operands.push_back(rule.operands[1]);
  rule.inits = {1, 2};
  rule.factors[1].combiners = {PartialKind::Sum, PartialKind::Max};
  rule.partials.clear();
  EXPECT_EQ(
      infer(rule,
            {"[{}], partial = sum [\"a\"]", "[{}], partial = max [\"a\"]"}, {},
            mesh),
      "[{}, {\"a\"}] [{}], partial = sum [\"a\"] "
      "[{}], partial = max [\"a\"]");
  // Both are partial sums: the op has no sharding that gives that.
  EXPECT_EQ(
      infer(rule,
            {"[{}], partial = sum [\"a\"]", "[{}], partial = sum [\"a\"]"}, {},
            mesh),
      "error: is partial (sum) over \"a\", which neither a reduction of "
      "this op nor an operand gives");
}

TEST(InferSharding, SaysWhatNoShardingGives) {
  EXPECT_EQ(
      infer(elementwiseRule({4}, 1), {"[{}], partial = sum [\"a\"]"}, {}, mesh),
      "error: is partial (sum) over \"a\", which neither a reduction of "
      "this op nor an operand gives");
  EXPECT_EQ(
      infer(matmulRule(4, 6, 8), {"[{}, {}], partial = max [\"a\"]"}, {}, mesh),
      "error: is partial (max) over \"a\", which neither a reduction of "
      "this op nor an operand gives");
  ShardingRule whole = elementwiseRule({4}, 1);
  whole.factors[0].kind = FactorKind::Replicate;
  EXPECT_EQ(
      infer(whole, {"[{\"a\"}]"}, {}, mesh),
      "error: splits a dim that this op needs unsharded on each device; "
      "leave it unsharded and constrain the split with shardir.constrain");
  // A merged dim cut across its factors.
  ShardingRule merge;
  merge.addFactor(3);
  merge.addFactor(2);
  merge.operands.emplace_back();
  merge.operands[0].dims = {{0}, {1}};
  merge.results.emplace_back();
  merge.results[0].dims = {{0, 1}};
  merge.inits = {-1};
  EXPECT_EQ(infer(merge, {"[{\"a\"}]"}, {}, mesh),
            "error: has a placement that no sharding of this op gives: "
            "[{\"a\"}]");
  EXPECT_EQ(infer(merge, {"[{\"a\", 2}]"}, {}, mesh), "[{\"a\"}, {}]");
}

TEST(InferSharding, FreshValuesMakeTheirOwnTerms) {
  ShardingRule fresh = elementwiseRule({4}, 0);
  fresh.isRematerializable = true;
  EXPECT_EQ(infer(fresh, {"[{}], partial = max [\"a\"]"}, {}, mesh), "");
}

} // namespace
