//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import inverts export: every placement on small meshes,
// written in Shardy's words and in both of GSPMD's, comes back as a placement
// that gives every device the same shard. Sizes divide, as GSPMD cuts uneven
// dims in another way than P3.
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"

#include "ShardIR/Import/GspmdSharding.h"
#include "ShardIR/Import/ShardyText.h"

#include <random>

using namespace shardir;
using namespace shardir::test;

namespace {

/// In Shardy's words: the same but for the lists behind the dims.
std::string toShardy(const Placement &placement, const std::string &mesh) {
  Placement dims;
  dims.dims = placement.dims;
  std::string text = "#sdy.sharding<" + mesh + ", " + toString(dims);
  auto addAxes = [&](const std::string &name,
                     const std::vector<AxisRef> &axes) {
    std::string list;
    for (const AxisRef &axis : axes)
      list += (list.empty() ? "" : ", ") + toString(axis);
    if (!axes.empty())
      text += ", " + name + "{" + list + "}";
  };
  addAxes("replicated=", placement.replicated);
  addAxes("unreduced=", placement.partialAxes);
  return text + ">";
}

TEST(Import, ReadsWhatShardyPrints) {
  Mesh mesh = makeMesh({2, 4});
  std::vector<AxisRef> axes = {
      {"a", 1, 0}, {"b", 1, 0}, {"b", 1, 2}, {"b", 2, 2}};
  std::mt19937 random(7);
  int count = 0;
  for (Placement placement : allPlacements(mesh, 2, axes, PartialKind::Sum)) {
    for (DimPlacement &dim : placement.dims) {
      dim.open = random() % 2;
      if (random() % 2 && (dim.open || !dim.splits.empty()))
        dim.priority = random() % 3;
    }
    std::string error;
    auto read = parseShardyShardings(toShardy(placement, "@m"), error);
    ASSERT_TRUE(read) << error;
    EXPECT_EQ(read->at(0).meshName, "m");
    EXPECT_EQ(read->at(0).placement, placement) << toString(placement);
    auto inlined = parseShardyShardings(
        toShardy(placement, "mesh<[\"a\"=2, \"b\"=4]>"), error);
    ASSERT_TRUE(inlined) << error;
    ASSERT_TRUE(inlined->at(0).inlinedMesh);
    EXPECT_EQ(inlined->at(0).inlinedMesh->axes.size(), mesh.axes.size());
    for (size_t i = 0; i < mesh.axes.size(); ++i) {
      EXPECT_EQ(inlined->at(0).inlinedMesh->axes[i].name, mesh.axes[i].name);
      EXPECT_EQ(inlined->at(0).inlinedMesh->axes[i].size, mesh.axes[i].size);
    }
    EXPECT_EQ(inlined->at(0).placement, placement);
    ++count;
  }
  EXPECT_GT(count, 50);
}

/// The rows and columns of every device, in ranks' order.
std::vector<std::vector<int64_t>>
tilesOf(const Placement &placement, const Mesh &mesh, const Shape &shape) {
  std::vector<std::vector<int64_t>> tiles(mesh.numDevices());
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    for (const DimShard &dim : shardOf(placement, mesh, shape, p)) {
      tiles[mesh.rankAt(p)].push_back(dim.localExtent());
      for (int64_t i = 0; i < dim.localExtent(); ++i)
        tiles[mesh.rankAt(p)].push_back(dim.toGlobal(i));
    }
  return tiles;
}

/// `{devices=[…]…}` of a placement: devices that share a tile one after
/// another, along a last tile dim. `order` names their order among each other.
std::string toGspmd(const Placement &placement, const Mesh &mesh,
                    const Shape &shape, const std::string &last,
                    std::mt19937 *order) {
  std::vector<int64_t> tiles;
  int64_t total = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t count = 1;
    for (const AxisRef &axis : placement.axesOf(dim))
      count *= axisSize(mesh, axis);
    tiles.push_back(count);
    total *= count;
  }
  std::vector<std::vector<int64_t>> ranks(total);
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    int64_t tile = 0;
    auto shard = shardOf(placement, mesh, shape, p);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      tile = tile * tiles[dim] +
             shard[dim].toGlobal(0) / (shape[dim] / tiles[dim]);
    ranks[tile].push_back(mesh.rankAt(p));
  }
  std::string text = "{devices=[", list;
  for (int64_t count : tiles)
    text += std::to_string(count) + ",";
  text += std::to_string(mesh.numDevices() / total) + "]";
  for (auto &tile : ranks) {
    if (order)
      std::shuffle(tile.begin(), tile.end(), *order);
    for (int64_t rank : tile)
      list += (list.empty() ? "" : ",") + std::to_string(rank);
  }
  return text + list + " " + last + "}";
}

void checkTogether(const std::vector<Placement> &placements, const Mesh &mesh,
                   const Shape &shape, std::mt19937 *order) {
  std::vector<GspmdSharding> shardings;
  std::vector<int64_t> ranks(placements.size(), shape.size());
  for (const Placement &placement : placements) {
    std::string text =
        toGspmd(placement, mesh, shape, "last_tile_dim_replicate", order);
    std::string error;
    auto read = parseGspmdShardings(text, error);
    ASSERT_TRUE(read) << error;
    shardings.push_back(read->at(0));
  }
  std::vector<Mesh> meshes;
  size_t culprit;
  std::string error;
  auto placed =
      placeGspmdShardings(shardings, ranks, 1, meshes, culprit, error);
  ASSERT_TRUE(placed) << error;
  for (size_t i = 0; i < placements.size(); ++i) {
    const Mesh &found = meshes[placed->at(i).mesh];
    ASSERT_FALSE(verifyPlacement(placed->at(i).placement, found, shape))
        << toString(placed->at(i).placement);
    EXPECT_EQ(tilesOf(placed->at(i).placement, found, shape),
              tilesOf(placements[i], mesh, shape))
        << toString(placements[i]) << " on "
        << toString(placed->at(i).placement);
  }
  // Where copies are in order one mesh does for all.
  if (!order)
    EXPECT_EQ(meshes.size(), 1u);
}

TEST(Import, FindsTheMeshOfGspmdShardings) {
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{8},
                                     {2, 4},
                                     {4, 2},
                                     {2, 2, 2},
                                     {3, 2},
                                     {2, 3, 2}}) {
    Mesh mesh = makeMesh(sizes);
    Shape shape = {24, 48};
    auto placements = allPlacements(mesh, 2, replicatedAxes(mesh));
    checkTogether(placements, mesh, shape, nullptr);
    std::mt19937 random(3);
    for (const Placement &placement : placements)
      checkTogether({placement}, mesh, shape, &random);
  }
}

TEST(Import, FindsTheMeshOfReorderedDevices) {
  Mesh mesh = makeMesh({2, 4});
  mesh.devices = {5, 1, 0, 7, 3, 2, 6, 4};
  for (const Placement &placement :
       allPlacements(mesh, 2, replicatedAxes(mesh)))
    checkTogether({placement}, mesh, {24, 48}, nullptr);
}

TEST(Import, ReadsIotasAsLists) {
  std::string error;
  auto iota = parseGspmdShardings("{devices=[4,2]<=[2,2,2]T(1,0,2)}", error);
  auto list = parseGspmdShardings("{devices=[4,2]0,1,4,5,2,3,6,7}", error);
  ASSERT_TRUE(iota && list) << error;
  EXPECT_EQ(iota->at(0).devices, list->at(0).devices);
  EXPECT_EQ(iota->at(0).tiles, list->at(0).tiles);
}

TEST(Import, RefusesCutText) {
  // No prefix of a good text is read or runs past its end.
  for (std::string text : {"#sdy.sharding_per_value<[<@m, [{\"a\":(1)2, ?}p1], "
                           "replicated={\"b\"}>]>",
                           "#sdy.sharding<mesh<[\"a\"=2], device_ids=[1, 0]>, "
                           "[{}], unreduced={\"a\"}>"})
    for (size_t n = 0; n < text.size(); ++n) {
      std::string error;
      EXPECT_FALSE(parseShardyShardings(text.substr(0, n), error));
      EXPECT_FALSE(error.empty());
    }
  for (std::string text :
       {"{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dims={replicated}}",
        "{{maximal device=0}, {devices=[2]0,1}}"})
    for (size_t n = 0; n < text.size(); ++n) {
      std::string error;
      EXPECT_FALSE(parseGspmdShardings(text.substr(0, n), error));
      EXPECT_FALSE(error.empty());
    }
}

} // namespace
