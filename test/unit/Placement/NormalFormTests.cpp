//===- NormalFormTests.cpp - One spelling for each way to lie ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form keeps every device's shard, is its own normal form, and is
// equal for spellings that differ only in what rule P8 names. That last part is
// checked by grouping all spellings of a cut by the blocks that they cut.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <map>

using namespace shardir;
using namespace shardir::test;

namespace {

/// The global indices that each device holds, device by device.
std::vector<std::vector<int64_t>> blocksOf(const Placement &placement,
                                           const Mesh &mesh, int64_t size) {
  std::vector<std::vector<int64_t>> blocks;
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    DimShard shard = shardOf(placement, mesh, {size}, p)[0];
    std::vector<int64_t> &mine = blocks.emplace_back();
    for (int64_t i = 0; i < shard.localExtent(); ++i)
      mine.push_back(shard.toGlobal(i));
  }
  return blocks;
}

void checkNormal(const Placement &placement, const Mesh &mesh, int64_t size) {
  Placement normal = normalForm(placement, mesh, {size});
  ASSERT_FALSE(verifyPlacement(normal, mesh, {size})) << toString(placement);
  ASSERT_EQ(blocksOf(normal, mesh, size), blocksOf(placement, mesh, size))
      << toString(placement) << " of " << size;
  ASSERT_EQ(toString(normalForm(normal, mesh, {size})), toString(normal))
      << toString(placement) << " of " << size;
}

std::string normalText(const std::string &placement, const Mesh &mesh,
                       const Shape &shape) {
  return toString(normalForm(parse(placement), mesh, shape));
}

const std::vector<AxisRef> kEighths = {AxisRef{"a", 1, 0}, AxisRef{"a", 1, 2},
                                       AxisRef{"a", 2, 2}, AxisRef{"a", 4, 2},
                                       AxisRef{"a", 1, 4}, AxisRef{"a", 2, 4}};

TEST(NormalForm, KeepsBlocksAndIsIdempotent) {
  Mesh eight = makeMesh({8, 2});
  std::vector<AxisRef> axes = kEighths;
  axes.push_back(AxisRef{"b", 1, 0});
  for (int64_t size = 0; size <= 34; ++size)
    for (const Placement &placement : allPlacements(eight, 1, axes))
      checkNormal(placement, eight, size);
  Mesh mesh = makeMesh({4, 3, 1});
  std::vector<AxisRef> quarters = {AxisRef{"a", 1, 2}, AxisRef{"a", 2, 2},
                                   AxisRef{"b", 1, 0}, AxisRef{"c", 1, 0}};
  for (int64_t size : {0, 8, 12, 20, 30, 36, 72})
    for (const Placement &placement :
         stridedPlacements(mesh, size, quarters, {1, 2, 3}, 4))
      checkNormal(placement, mesh, size);
}

/// Placements of one dim by `runs` and a trailing integer have one normal form
/// exactly if they cut the same blocks.
void checkOneForEqualBlocks(const Mesh &mesh, int64_t size,
                            const std::vector<std::string> &runs) {
  std::map<std::vector<std::vector<int64_t>>, Placement> seen;
  for (const std::string &run : runs)
    for (int64_t unit = 1; unit <= size; ++unit) {
      Placement placement =
          parse("[{" + run + ", " + std::to_string(unit) + "}]");
      if (verifyPlacement(placement, mesh, {size}))
        continue;
      Placement normal = normalForm(placement, mesh, {size});
      auto [it, isNew] = seen.insert({blocksOf(placement, mesh, size), normal});
      ASSERT_EQ(toString(it->second), toString(normal))
          << toString(placement) << " of " << size;
    }
}

// All ways to write one run of "a" over sub-axes and a trailing integer; of 12
// also such whose parts have no common ends.
TEST(NormalForm, IsOneForEqualBlocks) {
  for (int64_t size = 2; size <= 72; ++size) {
    checkOneForEqualBlocks(makeMesh({8}), size,
                           {R"("a")", R"("a":(1)2, "a":(2)4)",
                            R"("a":(1)4, "a":(4)2)",
                            R"("a":(1)2, "a":(2)2, "a":(4)2)"});
    checkOneForEqualBlocks(
        makeMesh({12}), size,
        {R"("a")", R"("a":(1)3, "a":(3)4)", R"("a":(1)4, "a":(4)3)",
         R"("a":(1)2, "a":(2)3, "a":(6)2)", R"("a":(1)3, "a":(3)2, "a":(6)2)",
         R"("a":(1)6, "a":(6)2)", R"("a":(1)2, "a":(2)6)"});
  }
}

TEST(NormalForm, ByRule) {
  Mesh mesh = makeMesh({4, 2, 1});
  // Axes of size 1 and integers of 1 go first, then the last run is found.
  EXPECT_EQ(normalText(R"([{"b", 1, 4, "c"}])", mesh, {20}), R"([{"b", 4}])");
  EXPECT_EQ(normalText(R"([{2, 1, 3, "b"}])", mesh, {24}), R"([{6, "b"}])");
  EXPECT_EQ(normalText(R"([{"c"}])", mesh, {7}), "[{}]");
  // Adjacent sub-axes merge, always where they divide evenly.
  EXPECT_EQ(normalText(R"([{"a":(1)2, "a":(2)2}])", mesh, {8}), R"([{"a"}])");
  EXPECT_EQ(normalText(R"([{"a":(1)2, "a":(2)2}])", mesh, {7}), R"([{"a"}])");
  EXPECT_EQ(normalText(R"([{"a":(1)2, "a":(2)2}])", mesh, {5}),
            R"([{"a":(1)2, "a":(2)2}])");
  EXPECT_EQ(normalText(R"([{"a":(2)2, "a":(1)2}])", mesh, {8}),
            R"([{"a":(2)2, "a":(1)2}])");
  EXPECT_EQ(normalText(R"([{"a":(1)4}])", mesh, {5}), R"([{"a"}])");
  // An exact run merges whatever follows.
  EXPECT_EQ(normalText(R"([{"a":(1)2, "a":(2)2, 5, "b"}])", mesh, {60}),
            R"([{"a", 5, "b"}])");
  // A trailing integer becomes the smallest that cuts the same blocks.
  EXPECT_EQ(normalText(R"([{"b", 6}])", mesh, {36}), R"([{"b"}])");
  EXPECT_EQ(normalText(R"([{"b", 6}])", mesh, {30}), R"([{"b", 6}])");
  EXPECT_EQ(normalText(R"([{"a", 12}])", makeMesh({3}), {24}), R"([{"a", 6}])");
  EXPECT_EQ(normalText(R"([{4}])", mesh, {8}), "[{}]");
  // Openness, priorities and `replicated` are no part of how a tensor lies.
  EXPECT_EQ(normalText(R"([{"b", ?}p1], replicated = ["a"])", mesh, {8}),
            R"([{"b"}])");
  EXPECT_EQ(normalText(R"([{}], partial = max ["b", "a":(2)2, "c", "a":(1)2])",
                       mesh, {8}),
            R"([{}], partial = max ["a", "b"])");
  EXPECT_EQ(normalText(R"([{}], partial = max ["c"])", mesh, {8}), "[{}]");
  EXPECT_EQ(
      normalText("placements = [shard(0), partial(sum), replicate]", mesh, {8}),
      R"([{"a"}], partial = sum ["b"])");
}

TEST(NormalForm, UnknownSizes) {
  Mesh mesh = makeMesh({4, kUnknown, 1});
  // Not for every size the same blocks.
  EXPECT_EQ(normalText(R"([{"a":(1)2, "a":(2)2}])", mesh, {kUnknown}),
            R"([{"a":(1)2, "a":(2)2}])");
  EXPECT_EQ(normalText(R"([{"b", "a":(1)2, "a":(2)2}])", mesh, {64}),
            R"([{"b", "a":(1)2, "a":(2)2}])");
  EXPECT_EQ(normalText(R"([{"b", 2}])", mesh, {64}), R"([{"b", 2}])");
  // For every size.
  EXPECT_EQ(normalText(R"([{"a", "c", 1}])", mesh, {kUnknown}), R"([{"a"}])");
}

TEST(NormalForm, Equivalent) {
  Mesh mesh = makeMesh({4, 2});
  auto same = [&](const char *a, const char *b, int64_t size) {
    return equivalent(parse(a), parse(b), mesh, {size});
  };
  EXPECT_TRUE(same(R"([{"a"}])", R"([{"a":(1)2, "a":(2)2}])", 16));
  EXPECT_FALSE(same(R"([{"a"}])", R"([{"a":(1)2, "a":(2)2}])", 5));
  EXPECT_FALSE(same(R"([{"a", "b"}])", R"([{"b", "a"}])", 16));
  EXPECT_TRUE(same(R"([{"a", ?}])", R"([{"a", 4}])", 16));
  EXPECT_FALSE(
      same(R"([{}], partial = sum ["a"])", R"([{}], partial = max ["a"])", 16));
  // Equal placements have equal shards, and hash equally.
  EXPECT_EQ(hashValue(parse(R"([{"a", ?}p0], partial = sum ["b"])")),
            hashValue(parse(R"([ {"a",?}p0 ],partial=sum["b"])")));
}

TEST(NormalForm, HugeSizesAreQuick) {
  Mesh mesh = makeMesh({int64_t{1} << 30, 3});
  int64_t size = int64_t{3} << 60;
  normalText(R"([{"b", 1152921504606846976}])", mesh, {size});
  normalText(R"([{"a":(1)1024, "a":(1024)1024, "a":(1048576)1024}])", mesh,
             {size - 1});
  normalText(R"([{"a", "b", 7}])", mesh, {7 * 11});
}

TEST(Refinement, Parts) {
  Mesh mesh = makeMesh({8, 6});
  auto text = [](const std::vector<AxisRef> &axes) {
    std::string result;
    for (const AxisRef &axis : axes)
      result += (result.empty() ? "" : " ") + toReportString(axis);
    return result;
  };
  std::vector<AxisRef> parts =
      commonRefinement(parse(R"([{"a":(1)2}])"),
                       parse(R"([{"b"}], partial = sum ["a":(1)4])"), mesh);
  EXPECT_EQ(text(parts), "a:(1)2 a:(2)2 a:(4)2 b");
  EXPECT_EQ(text(refine({"a", 1, 4}, mesh, parts)), "a:(1)2 a:(2)2");
  EXPECT_EQ(text(refine({"a", 1, 0}, mesh, parts)), "a:(1)2 a:(2)2 a:(4)2");
  EXPECT_EQ(text(refine({"b", 1, 0}, mesh, parts)), "b");
  // No common refinement: the axis stays undivided and its sub-axes as they
  // are.
  parts = commonRefinement(parse(R"([{"b":(1)2}])"), parse(R"([{"b":(1)3}])"),
                           mesh);
  EXPECT_EQ(text(parts), "a b");
  EXPECT_EQ(text(refine({"b", 1, 2}, mesh, parts)), "b:(1)2");

  EXPECT_TRUE(overlap({"a", 1, 0}, {"a", 4, 2}, mesh));
  EXPECT_TRUE(overlap({"a", 1, 4}, {"a", 2, 4}, mesh));
  EXPECT_FALSE(overlap({"a", 1, 2}, {"a", 2, 2}, mesh));
  EXPECT_FALSE(overlap({"a", 1, 2}, {"b", 1, 2}, mesh));
  EXPECT_TRUE(overlap({"b", 1, 2}, {"b", 3, 2}, mesh));
}

} // namespace
