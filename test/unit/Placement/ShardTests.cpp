//===- ShardTests.cpp - What each device holds ------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shards by arithmetic: those of one placement cover every element, once per
// group of replicas; local and global indices invert each other; and the
// questions that are answered without a device (the largest extent, the uniform
// one, the symbolic digits) agree with the answers of all devices (P2 to P4).
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <map>

using namespace shardir;
using namespace shardir::test;

namespace {

std::vector<int64_t> localExtents(const std::string &placement,
                                  const Mesh &mesh, int64_t size) {
  std::vector<int64_t> extents;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    extents.push_back(localShape(parse(placement), mesh, {size}, p)[0]);
  return extents;
}

void checkCover(const Placement &placement, const Mesh &mesh,
                const Shape &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  // Devices that agree along the axes that split are replicas of each other.
  int64_t replicas = mesh.numDevices();
  for (size_t d = 0; d < shape.size(); ++d)
    for (const AxisRef &axis : placement.axesOf(d))
      replicas /= axisSize(mesh, axis);

  std::vector<int64_t> holders(elements, 0);
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    std::vector<DimShard> shard = shardOf(placement, mesh, shape, p);
    int64_t count = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t extent = shard[d].localExtent();
      count *= extent;
      ASSERT_EQ(shard[d].globalExtent(), shape[d]) << toString(placement);
      int64_t previous = -1;
      for (int64_t i = 0; i < extent; ++i) {
        int64_t global = shard[d].toGlobal(i);
        ASSERT_GT(global, previous) << toString(placement);
        ASSERT_LT(global, shape[d]) << toString(placement);
        ASSERT_EQ(shard[d].toLocal(global), i) << toString(placement);
        previous = global;
      }
      int64_t found = 0;
      for (int64_t g = 0; g < shape[d]; ++g)
        found += shard[d].toLocal(g) >= 0;
      ASSERT_EQ(found, extent) << toString(placement);
      ASSERT_EQ(shard[d].toLocal(shape[d]), -1);
      ASSERT_EQ(shard[d].toLocal(-1), -1);
    }
    for (int64_t i = 0; i < count; ++i)
      ++holders[globalIndex(shard, shape, i)];
  }
  for (int64_t count : holders)
    ASSERT_EQ(count, replicas)
        << toString(placement) << " of " << ::testing::PrintToString(shape);
}

void checkSummaries(const Placement &placement, const Mesh &mesh,
                    const Shape &shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    std::map<int64_t, int> extents;
    size_t digits = 0;
    for (int64_t p = 0; p < mesh.numDevices(); ++p) {
      DimShard shard = shardOf(placement, mesh, shape, p)[d];
      ++extents[shard.localExtent()];
      digits = shard.digits.size();
      std::vector<SymbolicDigit> symbolic =
          symbolicDigits(placement, mesh, shape[d], d);
      ASSERT_EQ(symbolic.size(), digits);
      for (size_t i = 0; i < digits; ++i) {
        ASSERT_EQ(symbolic[i].extent, shard.digits[i].extent);
        // The header allows IR to cut the extent axis by axis.
        int64_t offset = 0, length = symbolic[i].extent;
        for (const AxisRef &axis : symbolic[i].axes) {
          int64_t n = axisSize(mesh, axis);
          int64_t c = axisCoordinate(mesh, axis, mesh.coordinates(p));
          int64_t block = (length + n - 1) / n;
          offset += std::min(length, c * block);
          length = std::max<int64_t>(0, std::min(block, length - c * block));
        }
        ASSERT_EQ(length, shard.digits[i].length) << toString(placement);
        if (length)
          ASSERT_EQ(offset, shard.digits[i].offset) << toString(placement);
      }
    }
    ASSERT_EQ(maxLocalExtent(placement, mesh, shape[d], d),
              extents.rbegin()->first)
        << toString(placement);
    std::optional<int64_t> uniform =
        uniformLocalExtent(placement, mesh, shape[d], d);
    ASSERT_EQ(uniform.has_value(), extents.size() == 1) << toString(placement);
    if (uniform)
      ASSERT_EQ(*uniform, extents.begin()->first);
  }
}

void check(const std::vector<Placement> &placements, const Mesh &mesh,
           const Shape &shape) {
  for (const Placement &placement : placements) {
    ASSERT_FALSE(verifyPlacement(placement, mesh, shape));
    checkCover(placement, mesh, shape);
    checkSummaries(placement, mesh, shape);
  }
}

TEST(Shard, CoversRank1) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{4}, {2, 4}, {2, 2, 2}, {3, 3, 2}, {1, 4}}) {
    Mesh mesh = makeMesh(sizes);
    for (int64_t size = 0; size <= 30; ++size)
      check(allPlacements(mesh, 1, replicatedAxes(mesh)), mesh, {size});
  }
}

TEST(Shard, CoversRank2) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{4}, {2, 4}, {2, 2, 2}}) {
    Mesh mesh = makeMesh(sizes);
    for (const Shape &shape :
         std::vector<Shape>{{8, 8}, {5, 7}, {3, 2}, {1, 1}, {0, 3}})
      check(allPlacements(mesh, 2, replicatedAxes(mesh)), mesh, shape);
  }
}

TEST(Shard, CoversSubAxes) {
  Mesh mesh = makeMesh({8, 2});
  std::vector<AxisRef> axes = {AxisRef{"a", 1, 0}, AxisRef{"a", 1, 2},
                               AxisRef{"a", 2, 2}, AxisRef{"a", 4, 2},
                               AxisRef{"a", 2, 4}, AxisRef{"b", 1, 0}};
  for (int64_t size : {0, 1, 5, 7, 12, 16, 17})
    check(allPlacements(mesh, 1, axes), mesh, {size});
}

TEST(Shard, CoversStrided) {
  Mesh mesh = makeMesh({2, 3});
  for (int64_t size : {0, 6, 12, 20, 36, 60})
    check(stridedPlacements(mesh, size, replicatedAxes(mesh), {1, 2, 4, 5}, 4),
          mesh, {size});
}

TEST(Shard, AsSpelledInTheRules) {
  Mesh x = makeMesh({2}), xy = makeMesh({2, 2});
  using Extents = std::vector<int64_t>;
  EXPECT_EQ(localExtents(R"([{"a"}])", x, 5), (Extents{3, 2}));
  EXPECT_EQ(localExtents(R"([{"a", "b"}])", xy, 5), (Extents{2, 1, 1, 1}));
  EXPECT_EQ(localExtents(R"([{"a"}])", makeMesh({4}), 5),
            (Extents{2, 2, 1, 0}));
  EXPECT_EQ(localExtents(R"([{4, "a"}])", x, 32), (Extents{16, 16}));
  EXPECT_EQ(localExtents(R"([{"a", 16}])", x, 80), (Extents{48, 32}));
  EXPECT_EQ(localExtents(R"([{"a", 4}])", x, 20), (Extents{12, 8}));

  // [4, 2@a, 4]: the second device holds 4..7, 12..15, …
  DimShard strided = shardOf(parse(R"([{4, "a"}])"), x, {32}, 1)[0];
  EXPECT_EQ(strided.digits,
            (std::vector<Digit>{Digit{4, 0, 4}, Digit{8, 4, 4}}));
  EXPECT_EQ(strided.toGlobal(0), 4);
  EXPECT_EQ(strided.toGlobal(5), 13);

  // An axis of size 1 is no last run: {"a", 4, "b"} with b = 1 is {"a", 4}.
  Mesh one = makeMesh({2, 1});
  EXPECT_EQ(localExtents(R"([{"a", 4, "b"}])", one, 20), (Extents{12, 8}));
}

TEST(Shard, Mesh) {
  Mesh mesh = makeMesh({2, 3});
  EXPECT_EQ(mesh.numDevices(), 6);
  EXPECT_EQ(mesh.numRanks(), 6);
  EXPECT_EQ(mesh.coordinates(4), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(mesh.rankAt(4), 4);
  EXPECT_EQ(mesh.positionOf(6), -1);
  mesh.devices = {7, 5, 3, 1, 0, 2};
  EXPECT_EQ(mesh.numRanks(), 8);
  EXPECT_EQ(mesh.rankAt(1), 5);
  EXPECT_EQ(mesh.positionOf(3), 2);
  EXPECT_EQ(mesh.positionOf(4), -1);
  mesh.axes[1].size = kUnknown;
  EXPECT_FALSE(mesh.isConcrete());
  EXPECT_EQ(mesh.numDevices(), 16);
  EXPECT_EQ(mesh.axisIndex("b"), 1);
  EXPECT_EQ(mesh.axisIndex("c"), -1);

  Mesh eight = makeMesh({8});
  AxisRef middle{"a", 2, 2};
  EXPECT_EQ(axisSize(eight, middle), 2);
  std::vector<int64_t> values;
  for (int64_t c = 0; c < 8; ++c)
    values.push_back(axisCoordinate(eight, middle, {c}));
  EXPECT_EQ(values, (std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(Shard, UnknownSizes) {
  Mesh mesh = makeMesh({2, kUnknown});
  Placement rows = parse(R"([{"a", "b"}])"), major = parse(R"([{"a"}])");
  EXPECT_FALSE(uniformLocalExtent(rows, mesh, 16, 0));
  EXPECT_FALSE(uniformLocalExtent(major, mesh, kUnknown, 0));
  EXPECT_EQ(uniformLocalExtent(major, mesh, 16, 0), 8);
  EXPECT_EQ(maxLocalExtent(rows, mesh, kUnknown, 0), 64);
  std::vector<SymbolicDigit> digits = symbolicDigits(rows, mesh, kUnknown, 0);
  ASSERT_EQ(digits.size(), 1u);
  EXPECT_EQ(digits[0].extent, kUnknown);
  EXPECT_EQ(digits[0].axes.size(), 2u);
  // An open extent is assumed to be divisible by this factor.
  EXPECT_EQ(exactFactor(rows.dims[0], mesh), 1);
  Placement units = parse(R"([{"a", 3}])");
  EXPECT_EQ(exactFactor(units.dims[0], mesh), 3);
  EXPECT_EQ(exactFactor(parse(R"([{"a", 3, "b"}])").dims[0], mesh), 6);
  EXPECT_EQ(exactFactor(parse("[{}]").dims[0], mesh), 1);
  EXPECT_EQ(maxLocalExtent(units, mesh, kUnknown, 0), 513);
  digits = symbolicDigits(units, mesh, kUnknown, 0);
  ASSERT_EQ(digits.size(), 2u);
  EXPECT_EQ(digits[0].extent, kUnknown);
  EXPECT_EQ(digits[1].extent, 3);
}

TEST(Shard, HugeSizesDoNotOverflow) {
  Mesh mesh = makeMesh({INT64_MAX, 7});
  int64_t huge = INT64_MAX - 1;
  for (int64_t position : {int64_t{0}, int64_t{13}, INT64_MAX}) {
    std::vector<DimShard> shard =
        shardOf(parse(R"([{"b"}, {"a", "b"}])"), mesh, {huge, huge}, position);
    EXPECT_LE(shard[0].localExtent(), huge / 7 + 1);
    EXPECT_LE(shard[1].localExtent(), 1);
  }
  EXPECT_EQ(mesh.numDevices(), INT64_MAX);
}

} // namespace
