//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dims of several factors, over all placements of small ones: what projectDim
// takes apart composeDim puts together again, both agree with the shards that
// the placements give, and nothing that factors can say is refused.
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"
#include "ShardIR/Analysis/FactorSharding.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace shardir;
using namespace shardir::test;

namespace {

using Sizes = std::vector<int64_t>;

/// A mesh and the axes and sub-axes to use of it.
struct Devices {
  Mesh mesh;
  std::vector<AxisRef> axes;
};

std::vector<Devices> allDevices() {
  Mesh two = makeMesh({2, 2}), four = makeMesh({4}), three = makeMesh({3});
  return {{two, replicatedAxes(two)},
          {four, {{"a", 1, 0}, {"a", 1, 2}, {"a", 2, 2}}},
          {three, replicatedAxes(three)}};
}

const std::vector<Sizes> factorLists = {
    {2, 3}, {3, 2},    {4, 2},    {2, 4},    {3, 4},    {5, 4}, {4, 5},
    {6, 2}, {2, 2, 3}, {3, 2, 2}, {2, 3, 4}, {1, 4, 2}, {12},   {7}};

int64_t product(const Sizes &sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

Placement ofSplits(const std::vector<Splits> &dims) {
  Placement placement;
  for (const Splits &splits : dims)
    placement.dims.push_back({splits, false, std::nullopt});
  return placement;
}

/// All ways to split a dim of this size.
std::vector<Splits> allSplits(int64_t size, const Devices &devices) {
  std::vector<int64_t> factors;
  for (int64_t f = 2; f <= size; ++f)
    if (size % f == 0)
      factors.push_back(f);
  std::vector<Splits> result;
  for (const Placement &placement :
       stridedPlacements(devices.mesh, size, devices.axes, factors, 4))
    result.push_back(placement.dims[0].splits);
  return result;
}

std::string normalText(const Splits &splits, int64_t size, const Mesh &mesh) {
  return toString(normalForm(ofSplits({splits}), mesh, {size}));
}

/// The elements that a device holds, in the order of its shard, as row-major
/// indices of the global tensor.
std::vector<int64_t> elements(const Placement &placement, const Mesh &mesh,
                              const Shape &shape, int64_t position) {
  std::vector<DimShard> shard = shardOf(placement, mesh, shape, position);
  int64_t count = 1;
  for (const DimShard &dim : shard)
    count *= dim.localExtent();
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(globalIndex(shard, shape, i));
  return result;
}

/// Whether the dim and its factors, as dims of a tensor of their own, lie alike
/// on every device.
void expectSameShards(const Splits &dim, const std::vector<Splits> &factors,
                      const Sizes &sizes, const Mesh &mesh) {
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    EXPECT_EQ(elements(ofSplits({dim}), mesh, {product(sizes)}, p),
              elements(ofSplits(factors), mesh, sizes, p))
        << toString(ofSplits({dim})) << " and " << toString(ofSplits(factors))
        << " on device " << p;
}

TEST(FactorSharding, ComposingWhatWasProjectedGivesTheSame) {
  int projected = 0;
  for (const Devices &devices : allDevices())
    for (const Sizes &sizes : factorLists)
      for (const Splits &splits : allSplits(product(sizes), devices)) {
        auto factors = projectDim(splits, sizes, devices.mesh);
        if (!factors)
          continue;
        ++projected;
        ASSERT_EQ(factors->size(), sizes.size());
        EXPECT_FALSE(verifyPlacement(ofSplits(*factors), devices.mesh, sizes));
        expectSameShards(splits, *factors, sizes, devices.mesh);
        auto composed = composeDim(*factors, sizes, devices.mesh);
        ASSERT_TRUE(composed) << toString(ofSplits({splits}));
        EXPECT_TRUE(equivalent(ofSplits({splits}), ofSplits({*composed}),
                               devices.mesh, {product(sizes)}))
            << toString(ofSplits({splits})) << " came back as "
            << toString(ofSplits({*composed}));
      }
  EXPECT_GT(projected, 1000);
}

/// Calls `visit` with every way to split all factors at once.
void forAllFactorSplits(
    const Sizes &sizes, const Devices &devices,
    const std::function<void(const std::vector<Splits> &)> &visit) {
  std::vector<std::vector<Splits>> choices;
  for (int64_t size : sizes)
    choices.push_back(allSplits(size, devices));
  std::vector<Splits> current(sizes.size());
  std::function<void(size_t)> recurse = [&](size_t factor) {
    if (factor == sizes.size()) {
      if (!verifyPlacement(ofSplits(current), devices.mesh, sizes))
        visit(current);
      return;
    }
    for (const Splits &splits : choices[factor]) {
      current[factor] = splits;
      recurse(factor + 1);
    }
  };
  recurse(0);
}

TEST(FactorSharding, ProjectsWhatFactorsCanSay) {
  int composed = 0;
  for (const Devices &devices : allDevices())
    for (const Sizes &sizes : factorLists) {
      std::set<std::string> sayable;
      forAllFactorSplits(
          sizes, devices, [&](const std::vector<Splits> &factors) {
            auto dim = composeDim(factors, sizes, devices.mesh);
            if (!dim)
              return;
            ++composed;
            ASSERT_FALSE(verifyPlacement(ofSplits({*dim}), devices.mesh,
                                         {product(sizes)}))
                << toString(ofSplits(factors)) << " composed to "
                << toString(ofSplits({*dim}));
            expectSameShards(*dim, factors, sizes, devices.mesh);
            sayable.insert(normalText(*dim, product(sizes), devices.mesh));
          });
      for (const Splits &splits : allSplits(product(sizes), devices)) {
        std::string normal = normalText(splits, product(sizes), devices.mesh);
        EXPECT_EQ(bool(projectDim(splits, sizes, devices.mesh)),
                  sayable.count(normal) == 1)
            << toString(ofSplits({splits})) << " of a dim of "
            << testing::PrintToString(sizes);
      }
    }
  EXPECT_GT(composed, 1000);
}

TEST(FactorSharding, RefusesACutThatStraddles) {
  Mesh mesh = makeMesh({2});
  // Blocks of 3 out of rows of 2.
  EXPECT_FALSE(projectDim({Split::byAxis("a")}, {3, 2}, mesh));
  EXPECT_TRUE(
      projectDim({Split::byAxis("a"), Split::byFactor(2)}, {3, 2}, mesh));
  // An uneven cut of a major factor, with a split of a minor one after it.
  Mesh both = makeMesh({2, 2});
  EXPECT_FALSE(
      composeDim({{Split::byAxis("a")}, {Split::byAxis("b")}}, {3, 2}, both));
}

TEST(FactorSharding, UnknownExtentsAloneAreLikeAnyOther) {
  Mesh mesh = makeMesh({2});
  Splits splits = {Split::byAxis("a")};
  EXPECT_EQ(projectDim(splits, {kUnknown}, mesh),
            std::vector<Splits>({splits}));
  EXPECT_EQ(composeDim({splits}, {kUnknown}, mesh), splits);
  // Merged with known ones: what divides for every extent, and no more.
  Splits units = {Split::byAxis("a"), Split::byFactor(4)};
  Splits inner = {Split::byFactor(4), Split::byAxis("a")};
  EXPECT_FALSE(projectDim(splits, {kUnknown, 4}, mesh));
  EXPECT_EQ(projectDim(units, {kUnknown, 4}, mesh),
            std::vector<Splits>({splits, {}}));
  EXPECT_EQ(composeDim({splits, {}}, {kUnknown, 4}, mesh), units);
  EXPECT_FALSE(composeDim({{}, splits}, {kUnknown, 4}, mesh));
  EXPECT_EQ(projectDim(inner, {4, kUnknown}, mesh),
            std::vector<Splits>({{Split::byFactor(4)}, splits}));
  EXPECT_EQ(composeDim({{}, splits}, {4, kUnknown}, mesh), inner);
  // Two of four blocks of n rows are a half of 4n; one of three is no third.
  EXPECT_EQ(projectDim(splits, {4, kUnknown}, mesh),
            std::vector<Splits>({splits, {}}));
  EXPECT_EQ(composeDim({splits, {}}, {4, kUnknown}, mesh), splits);
  EXPECT_FALSE(projectDim(splits, {3, kUnknown}, mesh));
  EXPECT_FALSE(composeDim({splits, {}}, {3, kUnknown}, mesh));
  EXPECT_FALSE(projectDim(units, {kUnknown, kUnknown}, mesh));
  // The extents of unsplit dims do not matter.
  EXPECT_EQ(projectDim({}, {kUnknown, 4}, mesh), std::vector<Splits>(2));
  EXPECT_EQ(composeDim({{}, {}}, {kUnknown, 4}, mesh), Splits());
}

TEST(FactorSharding, TensorsNeedEachAxisOnce) {
  Mesh mesh = makeMesh({2, 2});
  ShardingRule rule;
  rule.addFactor(4);
  rule.addFactor(6);
  TensorFactors square, row;
  square.dims = {{0}, {1}};
  row.dims = {{1}};
  Splits a = {Split::byAxis("a")}, b = {Split::byAxis("b")};
  auto placement = composeTensor(rule, square, {a, b}, mesh);
  ASSERT_TRUE(placement);
  EXPECT_EQ(toString(*placement), "[{\"a\"}, {\"b\"}]");
  EXPECT_FALSE(composeTensor(rule, square, {a, a}, mesh));
  // Of a tensor that lacks the other factor, nothing is wrong.
  auto other = composeTensor(rule, row, {a, a}, mesh);
  ASSERT_TRUE(other);
  EXPECT_EQ(toString(*other), "[{\"a\"}]");
  EXPECT_EQ(projectTensor(rule, square, parse("[{}, {\"b\", \"a\"}]"), mesh),
            FactorSplits({{}, {Split::byAxis("b"), Split::byAxis("a")}}));
}

} // namespace
