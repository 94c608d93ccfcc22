//===- AllPairsTests.cpp - Every placement to every other -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All pairs of placements on the meshes 4, 2x4, 2x2x2, 2x3 and 3x3x2, in ranks
// 1 to 3, even, uneven and empty: planned, run on real ranks, and compared with
// the tensor. Without SHARDIR_EXHAUSTIVE=1 a sample is run, drawn by a seed
// that is printed. Partial pairs go through all kinds and types in turn.
//
//===----------------------------------------------------------------------===//

#include "Draw.h"
#include "Options.h"
#include "Pairs.h"
#include "Support.h"

using namespace shardir;
using namespace shardir::test;

namespace {

/// Runs all pairs of `placements` (a sample of about `sample` unless
/// exhaustive) for each shape.
void runAll(const Mesh &mesh, const std::vector<Placement> &placements,
            const std::vector<Shape> &shapes, size_t sample) {
  size_t total = placements.size() * placements.size();
  for (const Shape &shape : shapes) {
    // Other pairs for every shape.
    auto number = static_cast<uint64_t>(&shape - shapes.data());
    std::vector<Pair> pairs =
        drawPairs(placements, shape, isExhaustive() ? total : sample,
                  testOptions().seed + 1000 * number);
    std::vector<Outcome> outcomes = runPairs(mesh, pairs, planOn(mesh));
    size_t failures = 0;
    for (size_t i = 0; i < pairs.size(); ++i)
      if (!outcomes[i].wrong.empty() && ++failures <= 5)
        ADD_FAILURE() << describe(mesh, pairs[i]) << ": " << outcomes[i].wrong
                      << "\n"
                      << toString(outcomes[i].plan, mesh, shape);
    EXPECT_EQ(failures, 0u) << "of " << pairs.size() << " pairs";
    std::cout << "seed " << testOptions().seed << ": " << pairs.size() << " of "
              << total << " pairs of shape " << ::testing::PrintToString(shape)
              << "\n";
  }
}

void runRank(const std::vector<int64_t> &sizes, size_t rank,
             const std::vector<Shape> &shapes, size_t sample) {
  Mesh mesh = makeMesh(sizes);
  runAll(mesh,
         allPlacements(mesh, rank, replicatedAxes(mesh), PartialKind::Sum),
         shapes, sample);
}

const std::vector<Shape> kVectors = {{36}, {16}, {13}, {7}, {3}, {1}, {0}};
const std::vector<Shape> kMatrices = {{8, 8}, {12, 18}, {5, 7}, {3, 1}, {2, 3}};
const std::vector<Shape> kCubes = {{4, 6, 2}, {3, 2, 5}, {1, 4, 7}};

TEST(AllPairs, Rank1On4) { runRank({4}, 1, kVectors, 100); }
TEST(AllPairs, Rank1On2x4) { runRank({2, 4}, 1, kVectors, 150); }
TEST(AllPairs, Rank1On2x2x2) { runRank({2, 2, 2}, 1, kVectors, 150); }
TEST(AllPairs, Rank1On2x3) { runRank({2, 3}, 1, kVectors, 150); }
TEST(AllPairs, Rank1On3x3x2) { runRank({3, 3, 2}, 1, kVectors, 60); }
TEST(AllPairs, Rank2On4) { runRank({4}, 2, kMatrices, 100); }
TEST(AllPairs, Rank2On2x4) { runRank({2, 4}, 2, kMatrices, 200); }
TEST(AllPairs, Rank2On2x2x2) { runRank({2, 2, 2}, 2, kMatrices, 300); }
TEST(AllPairs, Rank2On2x3) { runRank({2, 3}, 2, kMatrices, 300); }
TEST(AllPairs, Rank2On3x3x2) { runRank({3, 3, 2}, 2, kMatrices, 100); }
TEST(AllPairs, Rank3On4) { runRank({4}, 3, kCubes, 100); }
TEST(AllPairs, Rank3On2x4) { runRank({2, 4}, 3, kCubes, 200); }
TEST(AllPairs, Rank3On2x2x2) { runRank({2, 2, 2}, 3, kCubes, 200); }
TEST(AllPairs, Rank3On2x3) { runRank({2, 3}, 3, kCubes, 200); }
TEST(AllPairs, Rank3On3x3x2) { runRank({3, 3, 2}, 3, kCubes, 60); }

/// Every way to write placements of two dims next to each other.
std::vector<Placement> together(const std::vector<Placement> &rows,
                                const std::vector<Placement> &columns,
                                const Mesh &mesh, const Shape &shape) {
  std::vector<Placement> result;
  for (const Placement &row : rows)
    for (const Placement &column : columns) {
      Placement both;
      both.dims = {row.dims[0], column.dims[0]};
      if (!verifyPlacement(both, mesh, shape))
        result.push_back(std::move(both));
    }
  return result;
}

/// Those of `placements`, and the same with a sum pending along each axis.
std::vector<Placement> withSums(std::vector<Placement> placements,
                                const Mesh &mesh, const Shape &shape) {
  for (size_t i = 0, e = placements.size(); i < e; ++i)
    for (const AxisRef &axis : replicatedAxes(mesh)) {
      Placement sum = placements[i];
      sum.partial = PartialKind::Sum;
      sum.partialAxes = {axis};
      if (!verifyPlacement(sum, mesh, shape))
        placements.push_back(std::move(sum));
    }
  return placements;
}

const std::vector<AxisRef> kHalves = {{"a", 1, 0}, {"a", 1, 2}, {"a", 2, 2}};

TEST(AllPairs, HalvesOf4) {
  Mesh mesh = makeMesh({4});
  runAll(mesh, allPlacements(mesh, 1, kHalves, PartialKind::Sum),
         {{8}, {7}, {3}, {1}}, 100);
  runAll(mesh, allPlacements(mesh, 2, kHalves, PartialKind::Sum),
         {{8, 8}, {5, 7}, {3, 1}}, 200);
}

TEST(AllPairs, HalvesOf4And2) {
  Mesh mesh = makeMesh({4, 2});
  std::vector<AxisRef> axes = kHalves;
  axes.push_back({"b", 1, 0});
  runAll(mesh, allPlacements(mesh, 2, axes, PartialKind::Sum),
         {{8, 16}, {5, 7}}, 300);
}

TEST(AllPairs, HalvesAndThirdsOf6) {
  Mesh mesh = makeMesh({6});
  std::vector<AxisRef> axes = {
      {"a", 1, 0}, {"a", 1, 2}, {"a", 2, 3}, {"a", 1, 3}, {"a", 3, 2}};
  runAll(mesh, allPlacements(mesh, 2, axes, PartialKind::Sum),
         {{6, 12}, {5, 4}}, 200);
}

TEST(AllPairs, StridedVectors) {
  Mesh mesh = makeMesh({2, 3});
  for (const Shape &shape : {Shape{36}, Shape{24}, Shape{42}})
    runAll(mesh,
           withSums(stridedPlacements(mesh, shape[0], replicatedAxes(mesh),
                                      {2, 3}, 4),
                    mesh, shape),
           {shape}, 200);
  Mesh four = makeMesh({4, 2});
  std::vector<AxisRef> axes = kHalves;
  axes.push_back({"b", 1, 0});
  runAll(four, stridedPlacements(four, 24, axes, {2, 3}, 3), {{24}}, 200);
}

TEST(AllPairs, StridedMatrices) {
  Mesh mesh = makeMesh({2, 2, 2});
  Shape shape = {8, 6};
  std::vector<AxisRef> axes = replicatedAxes(mesh);
  std::vector<Placement> matrices =
      together(stridedPlacements(mesh, 8, axes, {2}, 3),
               stridedPlacements(mesh, 6, axes, {2, 3}, 2), mesh, shape);
  runAll(mesh, withSums(matrices, mesh, shape), {shape}, 300);
}

TEST(AllPairs, AxesOfSizeOne) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{1}, {1, 4}, {2, 1, 3}})
    runRank(sizes, 2, {{6, 8}, {5, 7}, {2, 1}}, 200);
}

TEST(AllPairs, OtherDevices) {
  Mesh mesh = makeMesh({2, 3});
  mesh.devices = {4, 0, 5, 2, 1, 3};
  std::vector<Placement> placements =
      allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum);
  runAll(mesh, placements, {{6, 6}, {5, 7}}, 200);
  mesh.devices = {7, 1, 5, 0, 3, 6}; // ranks 2 and 4 have no part
  runAll(mesh, placements, {{6, 6}, {5, 7}}, 200);
}

// XLA moves 195.7 MB for these, with up to 12 times as much as needed on a pair
// (benchmarks/results/redistribution.json).
TEST(AllPairs, The2401PairsOn2x2x2) {
  Mesh mesh = makeMesh({2, 2, 2});
  int64_t n = isExhaustive() ? 256 : 64; // bytes grow with the square
  std::vector<Placement> placements =
      allPlacements(mesh, 2, replicatedAxes(mesh));
  std::vector<Pair> pairs;
  for (const Placement &src : placements)
    for (const Placement &dst : placements)
      pairs.push_back({src, dst, {n, n}, SHARDIR_F32});
  ASSERT_EQ(pairs.size(), 2401u);
  int64_t received = 0;
  std::vector<Outcome> outcomes = runPairs(mesh, pairs, planOn(mesh));
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Outcome &o = outcomes[i];
    ASSERT_EQ(o.wrong, "") << describe(mesh, pairs[i]);
    received += o.received;
    // No temporary memory above the larger of the two.
    EXPECT_LE(o.peak, o.sourceBytes + o.destinationBytes +
                          std::max(o.sourceBytes, o.destinationBytes));
  }
  EXPECT_EQ(received * (256 / n) * (256 / n), 119832576);
}

// Links of different speed: other plans, as right.
TEST(AllPairs, WeighedByTime) {
  Mesh mesh = makeMesh({2, 2, 2});
  mesh.axes[0].link = Link{1e9, 1e-4};
  mesh.axes[2].link = Link{1e11, 1e-6};
  PlanOptions options;
  options.mode = CostMode::Time;
  std::vector<Placement> placements =
      allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum);
  for (const Shape &shape : {Shape{64, 64}, Shape{5, 7}, Shape{3, 1}}) {
    std::vector<Pair> pairs = drawPairs(
        placements, shape, isExhaustive() ? SIZE_MAX : 200, testOptions().seed);
    std::vector<Outcome> outcomes = runPairs(
        mesh, pairs,
        [&](const Pair &pair) {
          return planRedistribute(pair.src, pair.dst, mesh, pair.shape,
                                  options);
        },
        Promise::Memory);
    for (size_t i = 0; i < pairs.size(); ++i)
      EXPECT_EQ(outcomes[i].wrong, "")
          << describe(mesh, pairs[i]) << "\n"
          << toString(outcomes[i].plan, mesh, shape);
  }
}

TEST(AllPairs, Scalars) {
  Mesh mesh = makeMesh({2, 2, 2});
  runAll(mesh, allPlacements(mesh, 0, replicatedAxes(mesh), PartialKind::Sum),
         {{}}, 100);
}

} // namespace
