//===- PackingTests.cpp - Contiguous pieces, by enumeration ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// packedBytes on the steps that models are made of, and for every pair of
// placements on small meshes against a count that lists the address of every
// element of every piece. Orders: a reordered step moves the same elements.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/Packing.h"
#include "Support.h"

#include <algorithm>
#include <random>

using namespace shardir;
using namespace shardir::test;

namespace {

/// Whether the row-major addresses of a piece are one run, one by one.
bool isOneRun(const Piece &piece, bool source, const Shape &extents) {
  std::vector<int64_t> addresses = {0};
  for (size_t d = 0; d < extents.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t address : addresses)
      for (const Piece::Run &run : piece.runs[d])
        for (int64_t i = 0; i < run.length; ++i)
          next.push_back(address * extents[d] +
                         (source ? run.source : run.destination) + i);
    addresses = std::move(next);
  }
  for (size_t i = 1; i < addresses.size(); ++i)
    if (addresses[i] != addresses[i - 1] + 1)
      return false;
  return true;
}

int64_t packedByEnumeration(const CollectiveStep &step, const Mesh &mesh,
                            const Shape &shape) {
  std::vector<int64_t> packed(mesh.numDevices());
  if (step.kind == CollectiveKind::Slice)
    return 0;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    for (const Piece &piece : receivePieces(step, mesh, shape, p)) {
      if (piece.source == p)
        continue;
      if (!isOneRun(piece, false,
                    localShape(step.to, step.halo, mesh, shape, p)))
        packed[p] += piece.elements();
      if (!isOneRun(piece, true,
                    localShape(step.from, mesh, shape, piece.source)))
        packed[piece.source] += piece.elements();
    }
  return *std::max_element(packed.begin(), packed.end());
}

TEST(Packing, Orders) {
  DimOrder order = {2, 0, 1};
  EXPECT_FALSE(isRowMajor(order));
  EXPECT_TRUE(isRowMajor(rowMajor(4)));
  EXPECT_EQ(inverse(order), (DimOrder{1, 2, 0}));
  Shape shape = {5, 6, 7};
  EXPECT_EQ(reordered(shape, order), (Shape{7, 5, 6}));
  EXPECT_EQ(reordered(reordered(shape, order), inverse(order)), shape);
  Placement placement = parse(R"([{"a"}, {4, "b"}, {}], partial = sum ["c"])");
  EXPECT_EQ(reordered(placement, order),
            parse(R"([{}, {"a"}, {4, "b"}], partial = sum ["c"])"));
}

TEST(Packing, GathersUnpackWhereTheirDimIsNotOutermost) {
  Mesh mesh = makeMesh({4});
  // The outermost dim: blocks follow each other.
  EXPECT_EQ(
      packedBytes(step(CollectiveKind::AllGather, R"([{"a"}, {}])", "[{}, {}]"),
                  mesh, {1024, 1024}, 4),
      0);
  // The inner one: three quarters of the result come in rows of 256.
  CollectiveStep columns =
      step(CollectiveKind::AllGather, R"([{}, {"a"}])", "[{}, {}]");
  EXPECT_EQ(packedBytes(columns, mesh, {1024, 1024}, 4), 3 * 1024 * 256 * 4);
  EXPECT_EQ(packedBytes(reordered(columns, {1, 0}), mesh, {1024, 1024}, 4), 0);
  // Outer dims of one element are no obstacle, two are.
  CollectiveStep sequence =
      step(CollectiveKind::AllGather, R"([{}, {"a"}, {}])", "[{}, {}, {}]");
  EXPECT_EQ(packedBytes(sequence, mesh, {1, 128, 64}, 2), 0);
  EXPECT_EQ(packedBytes(sequence, mesh, {2, 128, 64}, 2), 2 * 96 * 64 * 2);
}

TEST(Packing, ReductionsPackWhatTheySend) {
  Mesh mesh = makeMesh({2});
  EXPECT_EQ(
      packedBytes(step(CollectiveKind::ReduceScatter,
                       R"([{}, {}], partial = sum ["a"])", R"([{}, {"a"}])"),
                  mesh, {6, 5}, 4),
      6 * 3 * 4); // device 1 sends columns 0..2
  EXPECT_EQ(
      packedBytes(step(CollectiveKind::ReduceScatter,
                       R"([{}, {}], partial = sum ["a"])", R"([{"a"}, {}])"),
                  mesh, {6, 5}, 4),
      0);
  EXPECT_EQ(packedBytes(step(CollectiveKind::AllReduce,
                             R"([{}, {}], partial = sum ["a"])", "[{}, {}]"),
                        mesh, {6, 5}, 4),
            0);
}

TEST(Packing, AnAllToAllPacksOnOneSideAtLeast) {
  // Heads to sequence, [b, s, h, d]: half of a shard of 2*8*2*4 elements is
  // sent, and as much received.
  Mesh mesh = makeMesh({2});
  Shape shape = {2, 8, 4, 4};
  CollectiveStep ulysses =
      step(CollectiveKind::AllToAll, R"([{}, {}, {"a"}, {}])",
           R"([{}, {"a"}, {}, {}])");
  EXPECT_EQ(packedBytes(ulysses, mesh, shape, 4), 2 * 64 * 4);
  DimOrder order = rowMajor(4);
  int64_t least = INT64_MAX;
  do
    least = std::min(least, packedBytes(reordered(ulysses, order), mesh,
                                        reordered(shape, order), 4));
  while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(least, 64 * 4);
  EXPECT_EQ(packedBytes(reordered(ulysses, {1, 0, 2, 3}), mesh,
                        reordered(shape, {1, 0, 2, 3}), 4),
            least);
}

TEST(Packing, WhatADeviceKeepsIsNoMessage) {
  Mesh mesh = makeMesh({1});
  EXPECT_EQ(
      packedBytes(step(CollectiveKind::AllGather, R"([{}, {"a"}])", "[{}, {}]"),
                  mesh, {4, 4}, 4),
      0);
  // An empty shard neither.
  Mesh four = makeMesh({4});
  EXPECT_EQ(
      packedBytes(step(CollectiveKind::AllGather, R"([{}, {"a"}])", "[{}, {}]"),
                  four, {0, 8}, 4),
      0);
}

TEST(Packing, EqualsTheEnumerationForAllPairs) {
  for (const Shape &sizes : {Shape{4}, Shape{2, 2}, Shape{2, 3}}) {
    Mesh mesh = makeMesh(sizes);
    std::vector<Placement> placements =
        allPlacements(mesh, 2, replicatedAxes(mesh));
    if (sizes.size() == 1)
      placements.push_back(parse(R"([{2, "a"}, {}])"));
    for (const Shape &shape : {Shape{8, 4}, Shape{8, 7}, Shape{8, 1}})
      for (const Placement &from : placements)
        for (const Placement &to : placements) {
          CollectiveStep move{CollectiveKind::Exchange, from, to};
          ASSERT_EQ(packedBytes(move, mesh, shape, 1),
                    packedByEnumeration(move, mesh, shape))
              << toString(from) << " to " << toString(to);
          // As the planner does it: gathers, slices and others.
          auto plan = planRedistribute(from, to, mesh, shape);
          for (const CollectiveStep &step :
               std::get<RedistributePlan>(plan).steps)
            ASSERT_EQ(packedBytes(step, mesh, shape, 1),
                      packedByEnumeration(step, mesh, shape))
                << toString(from) << " to " << toString(to);
          DimOrder order = {1, 0};
          ASSERT_EQ(packedBytes(reordered(move, order), mesh,
                                reordered(shape, order), 1),
                    packedByEnumeration(reordered(move, order), mesh,
                                        reordered(shape, order)));
        }
  }
}

/// Exchanges between random placements, and the plans for them.
void compareRandom(const Mesh &mesh, const std::vector<Placement> &placements,
                   const Shape &shape, int count, int *kinds) {
  std::mt19937 random(11);
  for (int i = 0, e = isExhaustive() ? 20 * count : count; i < e; ++i) {
    const Placement &from = placements[random() % placements.size()];
    const Placement &to = placements[random() % placements.size()];
    auto plan = planRedistribute(from, to, mesh, shape);
    std::vector<CollectiveStep> steps = std::get<RedistributePlan>(plan).steps;
    if (from.partialAxes == to.partialAxes)
      steps.push_back({CollectiveKind::Exchange, from, to});
    for (const CollectiveStep &step : steps) {
      if (step.kind == CollectiveKind::AllReduce ||
          step.kind == CollectiveKind::MakePartial)
        continue;
      ++kinds[int(step.kind)];
      EXPECT_EQ(packedBytes(step, mesh, shape, 1),
                packedByEnumeration(step, mesh, shape))
          << stringifyCollectiveKind(step.kind) << " " << toString(step.from)
          << " " << toString(step.to);
    }
  }
}

TEST(Packing, OfManyDevicesASampleIsLookedAt) {
  int kinds[16] = {};
  for (const Shape &sizes : {Shape{9, 8}, Shape{5, 4, 4}}) {
    Mesh mesh = makeMesh(sizes);
    std::vector<Placement> placements =
        allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum);
    for (const Shape &shape : {Shape{144, 80}, Shape{25, 36}, Shape{7, 100}})
      compareRandom(mesh, placements, shape, 100, kinds);
  }
  for (CollectiveKind kind :
       {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll, CollectiveKind::Exchange})
    EXPECT_GT(kinds[int(kind)], 5) << stringifyCollectiveKind(kind);
}

TEST(Packing, CountsPiecesAlongSubAxesAndOfStridedShards) {
  int kinds[16] = {};
  Mesh mesh = makeMesh({24, 3});
  std::vector<AxisRef> parts = {{"a", 1, 6}, {"a", 6, 4}, {"b", 1, 0}};
  for (const Shape &shape : {Shape{5, 7}, Shape{25, 36}, Shape{48, 31}})
    compareRandom(mesh, allPlacements(mesh, 2, parts, PartialKind::Sum), shape,
                  60, kinds);
  Mesh strided = makeMesh({7, 6});
  for (int64_t size : {84, 90, 126, 210})
    compareRandom(
        strided,
        stridedPlacements(strided, size, replicatedAxes(strided), {2, 3}, 3),
        {size}, 100, kinds);
  for (CollectiveKind kind :
       {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::Exchange})
    EXPECT_GT(kinds[int(kind)], 5) << stringifyCollectiveKind(kind);
}

TEST(Packing, CountsPiecesOfHalos) {
  std::mt19937 random(5);
  Mesh mesh = makeMesh({9, 5});
  std::vector<Placement> placements =
      allPlacements(mesh, 2, replicatedAxes(mesh));
  int packed = 0;
  for (int i = 0, e = isExhaustive() ? 20000 : 1000; i < e; ++i) {
    Shape shape = {int64_t(1 + random() % 60), int64_t(1 + random() % 60)};
    Halo halo(2);
    Shape blocks = shape;
    for (size_t d = 0; d < 2; ++d) {
      halo[d] = {int64_t(random() % 4), int64_t(random() % 4)};
      if (random() % 2) {
        halo[d].stride = 1 + random() % 3;
        halo[d].dilation = 1 + random() % 2;
        halo[d].extent = blocks[d] = std::max<int64_t>(
            1, (shape[d] - 1) / halo[d].stride + 1 - int64_t(random() % 3));
        halo[d].low -= 2;
      }
    }
    const Placement &from = placements[random() % placements.size()];
    const Placement &to = placements[random() % placements.size()];
    if (verifyPlacement(from, mesh, shape) ||
        verifyPlacement(to, mesh, blocks) || verifyHalo(halo, to, mesh, shape))
      continue;
    CollectiveStep step{CollectiveKind::HaloExchange, from, to, halo};
    int64_t expected = packedByEnumeration(step, mesh, shape);
    packed += expected > 0;
    EXPECT_EQ(packedBytes(step, mesh, shape, 1), expected)
        << toString(from) << " " << toString(to) << " " << toString(halo)
        << " of " << shape[0] << "x" << shape[1];
  }
  EXPECT_GT(packed, 50);
}

} // namespace
