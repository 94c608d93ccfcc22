//===- PairsTests.cpp - What the checks of pairs see ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans that are wrong on purpose, each of a kind that some system has made: a
// tensor replicated on the way, a reduction forgotten, a term counted twice.
// The checks that all pairs go through must see each of them. Then the pairs
// that were once wrong elsewhere, one test each.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Pairs.h"
#include "Support.h"

#include <gmock/gmock.h>

using namespace shardir;
using namespace shardir::test;
using testing::HasSubstr;

namespace {

Pair makePair(const std::string &src, const std::string &dst, Shape shape,
              runtime::ElementType type = SHARDIR_F32) {
  return Pair{parse(src), parse(dst), std::move(shape), type};
}

/// Runs the steps given as kinds and placements in between.
std::string
runSteps(const Mesh &mesh, const Pair &pair,
         const std::vector<std::pair<CollectiveKind, std::string>> &steps) {
  RedistributePlan plan;
  Placement from = pair.src;
  for (const auto &[kind, to] : steps) {
    plan.steps.push_back({kind, from, parse(to)});
    from = plan.steps.back().to;
  }
  return runPairs(mesh, {pair}, [&](const Pair &) { return plan; })[0].wrong;
}

TEST(Pairs, SeeATensorThatIsReplicatedOnTheWay) {
  Mesh mesh = makeMesh({2, 2});
  Pair pair = makePair(R"([{"a", "b"}, {}])", R"([{}, {"b", "a"}])", {4, 4});
  EXPECT_EQ(runSteps(mesh, pair,
                     {{CollectiveKind::AllGather, "[{}, {}]"},
                      {CollectiveKind::Slice, R"([{}, {"b", "a"}])"}}),
            "an intermediate of 64 bytes is above the larger of source and "
            "destination, 16");
}

TEST(Pairs, SeeBytesThatNobodyLacks) {
  Mesh mesh = makeMesh({2, 2});
  Pair pair = makePair(R"([{"a", "b"}, {}])", R"([{"a"}, {}])", {8, 4});
  EXPECT_EQ(runSteps(mesh, pair,
                     {{CollectiveKind::Exchange, R"([{"b", "a"}, {}])"},
                      {CollectiveKind::Exchange, R"([{"a"}, {}])"}}),
            "receives 96 bytes where a device lacks 32");
}

TEST(Pairs, SeeTwoIntermediatesAtOneTime) {
  // Each is as large as the source, which stays alive.
  Mesh mesh = makeMesh({2, 2});
  Pair pair = makePair(R"([{"a"}, {}])", R"([{"a", "b"}, {}])", {8, 4});
  EXPECT_EQ(runSteps(mesh, pair,
                     {{CollectiveKind::Exchange, R"([{"b"}, {}])"},
                      {CollectiveKind::Exchange, R"([{}, {"b"}])"},
                      {CollectiveKind::Exchange, R"([{"a", "b"}, {}])"}}),
            "holds 192 bytes, allowed are 160");
}

TEST(Pairs, SeeAForgottenReduction) {
  Mesh mesh = makeMesh({2, 2});
  Pair pair = makePair(R"([{}], partial = sum ["a", "b"])", R"([{"a"}])", {6});
  EXPECT_EQ(runSteps(mesh, pair,
                     {{CollectiveKind::ReduceScatter,
                       R"([{"a"}], partial = sum ["b"])"}}),
            "the steps do not lead from source to destination");
}

TEST(Pairs, SeeAWrongGroup) {
  // Called a slice where data must move: what is lacking stays unwritten.
  Mesh mesh = makeMesh({2});
  Pair pair = makePair(R"([{"a"}, {}])", R"([{}, {"a"}])", {4, 4});
  EXPECT_THAT(runSteps(mesh, pair, {{CollectiveKind::Slice, R"([{}, {"a"}])"}}),
              HasSubstr("expected"));
}

TEST(Pairs, SeeATermOfAnotherKind) {
  Mesh mesh = makeMesh({2});
  Pair pair = makePair(R"([{}], partial = max ["a"])", "[{}]", {8});
  pair.src.partial = PartialKind::Max;
  RedistributePlan plan;
  plan.steps.push_back({CollectiveKind::AllReduce,
                        parse(R"([{}], partial = min ["a"])"), parse("[{}]")});
  EXPECT_THAT(
      runPairs(mesh, {pair}, [&](const Pair &) { return plan; })[0].wrong,
      HasSubstr("do not lead"));
}

TEST(Pairs, SeeARefusal) {
  Mesh mesh = makeMesh({2});
  Pair pair = makePair("[{}]", R"([{"a"}])", {8});
  EXPECT_EQ(
      runPairs(mesh, {pair},
               [&](const Pair &) { return PlacementError{"no way", ""}; })[0]
          .wrong,
      "rejected: no way");
}

//===----------------------------------------------------------------------===//
// Pairs that were wrong in a well-known system
//===----------------------------------------------------------------------===//

/// Empty for a pair that is right.
std::string run(const Mesh &mesh, const Pair &pair) {
  Outcome outcome = runPairs(mesh, {pair}, planOn(mesh))[0];
  return outcome.wrong.empty()
             ? ""
             : describe(mesh, pair) + ": " + outcome.wrong + "\n" +
                   toString(outcome.plan, mesh, pair.shape);
}

// Both reductions are there where one of two partial axes becomes a split.
TEST(Pairs, PartialOverTwoAxesToShardedOnOne) {
  Mesh mesh = makeMesh({2, 4});
  for (const Shape &shape : {Shape{16, 4}, {5, 7}, {3, 1}})
    for (const char *src : {R"([{}, {}], partial = sum ["a", "b"])",
                            R"([{}, {}], partial = max ["a", "b"])"})
      for (const char *dst :
           {R"([{"a"}, {}])", R"([{"b"}, {}])", R"([{}, {"a"}])",
            R"([{}, {"b"}])", R"([{"b", "a"}, {}])", R"([{"a"}, {"b"}])"})
        EXPECT_EQ(run(mesh, makePair(src, dst, shape)), "");
}

// No row is lost of 5 that are cut twice: 2 + 1, 1 + 1.
TEST(Pairs, FiveRowsCutTwice) {
  Mesh mesh = makeMesh({2, 2});
  for (const char *dst : {"[{}, {}]", R"([{"a"}, {}])", R"([{"b"}, {}])",
                          R"([{"b", "a"}, {}])", R"([{}, {"a", "b"}])"}) {
    EXPECT_EQ(run(mesh, makePair(R"([{"a", "b"}, {}])", dst, {5, 3})), "");
    EXPECT_EQ(run(mesh, makePair(dst, R"([{"a", "b"}, {}])", {5, 3})), "");
  }
}

// A contraction's dim in one axis order on one operand, in another on the
// other: the change between them renames devices.
TEST(Pairs, OneDimInTwoAxisOrders) {
  Mesh mesh = makeMesh({2, 4});
  for (int64_t extent : {16, 8, 7, 3, 1}) {
    EXPECT_EQ(run(mesh, makePair(R"([{}, {"a", "b"}])", R"([{}, {"b", "a"}])",
                                 {3, extent})),
              "");
    EXPECT_EQ(run(mesh, makePair(R"([{"b", "a"}, {}])", R"([{"a", "b"}, {}])",
                                 {extent, 3})),
              "");
  }
}

// Counts differ between the ranks of one group, down to none: nobody sends or
// reads a tail that is not there.
TEST(Pairs, CountsThatDifferBetweenRanks) {
  Mesh mesh = makeMesh({4});
  for (int64_t extent : {9, 7, 6, 5, 3, 2, 1, 0})
    for (const char *src : {R"([{"a"}, {}])", R"([{}, {"a"}])", "[{}, {}]",
                            R"([{}, {}], partial = sum ["a"])"})
      for (const char *dst : {R"([{"a"}, {}])", R"([{}, {"a"}])", "[{}, {}]"})
        EXPECT_EQ(run(mesh, makePair(src, dst, {extent, 5}, SHARDIR_BF16)), "");
}

// Planned for 8 devices along an axis and run with 3: nothing may come behind
// an integer, where the assumed size would divide and the real one does not.
TEST(Pairs, NothingBehindAnIntegerOfUnknownSizes) {
  for (const char *dst : {"[{}]", R"([{"b", 3, "a"}])"}) {
    Case c;
    c.mesh = makeMesh({3, 2});
    c.pair = makePair(R"([{"a", 3}], partial = sum ["b"])", dst, {12});
    c.unknownAxes = {true, false};
    EXPECT_EQ(runCase(c), "");
  }
}

} // namespace
