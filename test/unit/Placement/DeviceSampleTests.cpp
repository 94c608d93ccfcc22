//===- DeviceSampleTests.cpp - A sample against all devices -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires receivePieces and localShape, which visit one device each.
// Guarantees that the largest figures over a sample are those over all devices
// of a mesh: for pairs of placements, even, uneven, strided and with empty
// shards, for their plans, for halos, and for sums of several plans.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/DeviceSample.h"
#include "Support.h"

#include <random>

using namespace shardir;
using namespace shardir::test;

namespace {

/// The largest sum over devices of what they receive in all of `plans`.
int64_t mostReceived(const std::vector<RedistributePlan> &plans,
                     const Mesh &mesh, const Shape &shape,
                     const std::vector<int64_t> &positions) {
  int64_t most = 0;
  for (int64_t position : positions) {
    int64_t sum = 0;
    for (const RedistributePlan &plan : plans)
      for (const CollectiveStep &step : plan.steps)
        sum += bytesReceived(step, mesh, shape, 1, position);
    most = std::max(most, sum);
  }
  return most;
}

std::vector<int64_t> allPositions(const Mesh &mesh) {
  return DeviceSample::allOf(mesh).positions();
}

/// A sample that takes as few devices as it may.
DeviceSample smallSample(const Mesh &mesh,
                         const std::vector<RedistributePlan> &plans,
                         const Shape &shape) {
  DeviceSample sample(mesh, /*few=*/0);
  for (const RedistributePlan &plan : plans)
    for (const CollectiveStep &step : plan.steps)
      sample.add(step, shape);
  return sample;
}

TEST(DeviceSample, HasAFewCoordinatesOfEachAxis) {
  Mesh mesh = makeMesh({128, 256});
  DeviceSample even(mesh);
  even.add(parse(R"([{"a"}, {"b"}])"), {1024, 1024});
  EXPECT_EQ(even.numDevices(), 32768);
  EXPECT_EQ(even.coordinates()[0], (std::vector<int64_t>{0, 1, 64, 127}));
  EXPECT_EQ(even.coordinates()[1], (std::vector<int64_t>{0, 1, 128, 255}));
  EXPECT_EQ(even.positions().size(), 16u);
  // 1000 rows in blocks of 8: 125 full ones, the others are empty.
  DeviceSample uneven(mesh);
  uneven.add(parse(R"([{"a"}, {}])"), {1000, 1024});
  EXPECT_EQ(uneven.coordinates()[0],
            (std::vector<int64_t>{0, 1, 64, 124, 125, 126, 127}));
  EXPECT_EQ(uneven.coordinates()[1], (std::vector<int64_t>{0}));
}

TEST(DeviceSample, TakesAllOfFewDevices) {
  DeviceSample sample(makeMesh({4, 8, 16}));
  sample.add(parse(R"([{"a"}, {"c"}])"), {5, 7});
  EXPECT_EQ(sample.positions().size(), 64u);
}

/// Plans between random placements, and random sums of them.
void compare(const Mesh &mesh, const Shape &shape,
             const std::vector<Placement> &placements, int count, int *leaves) {
  std::mt19937 random(7);
  std::vector<int64_t> all = allPositions(mesh);
  for (int i = 0; i < count; ++i) {
    std::vector<RedistributePlan> plans;
    for (int k = 0; k <= i % 3; ++k)
      plans.push_back(planOf(placements[random() % placements.size()],
                             placements[random() % placements.size()], mesh,
                             shape));
    DeviceSample sample = smallSample(mesh, plans, shape);
    std::vector<int64_t> few = sample.positions();
    *leaves += few.size() < all.size();
    EXPECT_EQ(mostReceived(plans, mesh, shape, few),
              mostReceived(plans, mesh, shape, all))
        << i << " " << toString(plans.front(), mesh, shape);
  }
}

TEST(DeviceSample, ReceivesAsMuchAsAnyDevice) {
  int leaves = 0, count = isExhaustive() ? 4000 : 60;
  for (const Shape &shape : {Shape{5, 7}, Shape{12, 18}, Shape{25, 36},
                             Shape{29, 31}, Shape{3, 100}})
    for (const std::vector<int64_t> &sizes :
         {std::vector<int64_t>{12}, {7, 5}, {6, 8}, {5, 3, 4}, {9, 8}}) {
      Mesh mesh = makeMesh(sizes);
      compare(mesh, shape,
              allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum),
              count, &leaves);
    }
  EXPECT_GT(leaves, 100);
}

TEST(DeviceSample, ReceivesAsMuchAlongSubAxes) {
  int leaves = 0, count = isExhaustive() ? 4000 : 60;
  Mesh mesh = makeMesh({24, 3});
  std::vector<AxisRef> axes = {{"a", 1, 6}, {"a", 6, 4}, {"b", 1, 0}};
  for (const Shape &shape : {Shape{5, 7}, Shape{25, 36}, Shape{48, 31}})
    compare(mesh, shape, allPlacements(mesh, 2, axes, PartialKind::Sum), count,
            &leaves);
  EXPECT_GT(leaves, 10);
}

TEST(DeviceSample, ReceivesAsMuchOfStridedShards) {
  int leaves = 0, count = isExhaustive() ? 4000 : 200;
  Mesh mesh = makeMesh({7, 6});
  for (int64_t size : {84, 90, 126, 210})
    compare(mesh, {size},
            stridedPlacements(mesh, size, replicatedAxes(mesh), {2, 3}, 3),
            count, &leaves);
  EXPECT_GT(leaves, 10);
}

TEST(DeviceSample, ReceivesAsMuchOfHalos) {
  std::mt19937 random(3);
  Mesh mesh = makeMesh({9, 5});
  int leaves = 0;
  std::vector<Placement> placements =
      allPlacements(mesh, 2, replicatedAxes(mesh));
  for (int i = 0, e = isExhaustive() ? 40000 : 2000; i < e; ++i) {
    Shape shape = {int64_t(1 + random() % 60), int64_t(1 + random() % 60)};
    Halo halo(2);
    for (size_t d = 0; d < 2; ++d) {
      halo[d] = {int64_t(random() % 4), int64_t(random() % 4)};
      if (random() % 2) {
        halo[d].stride = 1 + random() % 3;
        halo[d].dilation = 1 + random() % 2;
        halo[d].extent = std::max<int64_t>(1, (shape[d] - 1) / halo[d].stride +
                                                  1 - int64_t(random() % 3));
        halo[d].low -= 2;
      }
    }
    CollectiveStep step{CollectiveKind::HaloExchange,
                        placements[random() % placements.size()],
                        placements[random() % placements.size()], halo};
    step.halo = normalHalo(halo, step.to, mesh, shape);
    if (step.halo.empty())
      continue;
    DeviceSample sample(mesh, /*few=*/0);
    sample.add(step, shape);
    leaves += sample.positions().size() < 45;
    auto most = [&](const std::vector<int64_t> &positions) {
      int64_t received = 0, held = 0;
      for (int64_t position : positions) {
        received =
            std::max(received, bytesReceived(step, mesh, shape, 1, position));
        int64_t own = 1;
        for (int64_t extent :
             localShape(step.to, step.halo, mesh, shape, position))
          own *= extent;
        held = std::max(held, own);
      }
      return std::pair(received, held);
    };
    EXPECT_EQ(most(sample.positions()), most(allPositions(mesh)))
        << shape[0] << "x" << shape[1] << " " << toString(step.from) << " "
        << toString(step.to) << " " << toString(step.halo);
  }
  EXPECT_GT(leaves, 100);
}

TEST(DeviceSample, TablesAreThoseOfTheirDevices) {
  Mesh mesh = makeMesh({12, 9});
  Shape shape = {25, 31};
  std::mt19937 random(5);
  std::vector<Placement> placements =
      allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum);
  for (int i = 0; i < 200; ++i) {
    RedistributePlan plan =
        planOf(placements[random() % placements.size()],
               placements[random() % placements.size()], mesh, shape);
    DeviceSample sample = smallSample(mesh, {plan}, shape);
    std::vector<int64_t> positions = sample.positions();
    std::vector<int64_t> bytes =
        bytesReceived(plan.steps, mesh, shape, 4, sample);
    ASSERT_EQ(bytes.size(), positions.size());
    for (size_t p = 0; p < positions.size(); ++p) {
      int64_t sum = 0;
      for (const CollectiveStep &step : plan.steps)
        sum += bytesReceived(step, mesh, shape, 4, positions[p]);
      EXPECT_EQ(bytes[p], sum);
    }
  }
}

} // namespace
