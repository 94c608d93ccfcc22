//===- MemoryTests.cpp - Memory, copies and shards ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts below the collectives: a rank's arena, strided copies, and whole
// arrays cut into shards and put together again. Requires nothing but the
// objects under test; copies are compared with one loop per element.
//
//===----------------------------------------------------------------------===//

#include "Core/Arena.h"
#include "Core/Distribute.h"
#include "Core/Route.h"
#include "Elements/Copy.h"
#include "Support.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <thread>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;

namespace {

bool aligned(void *p, size_t to) {
  return reinterpret_cast<uintptr_t>(p) % to == 0;
}

TEST(Arena, AlignsAndCounts) {
  Arena arena;
  for (size_t size : {0, 1, 63, 64, 65, 4095, 100000, 5000000}) {
    void *p = arena.allocate(size);
    ASSERT_TRUE(p && aligned(p, 64));
    std::memset(p, 1, size);
    EXPECT_EQ(arena.liveBytes(), int64_t(size));
    EXPECT_TRUE(Arena::release(p));
  }
  EXPECT_EQ(arena.liveBytes(), 0);
  EXPECT_EQ(arena.peakBytes(), 5000000);
  arena.resetPeak();
  EXPECT_EQ(arena.peakBytes(), 0);
  for (size_t alignment : {1, 2, 64, 128, 4096, 1 << 21}) {
    void *p = arena.allocate(100, alignment);
    ASSERT_TRUE(p && aligned(p, alignment) && aligned(p, 64));
    std::memset(p, 1, 100);
    EXPECT_TRUE(Arena::release(p));
  }
  EXPECT_TRUE(Arena::release(nullptr));
}

TEST(Arena, RefusesWhatIsImpossible) {
  Arena arena;
  EXPECT_EQ(arena.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(arena.allocate(8, 48), nullptr);
  EXPECT_EQ(arena.allocate(8, size_t(1) << 40), nullptr);
  alignas(64) char foreign[256] = {};
  EXPECT_FALSE(Arena::release(foreign + 128));
  EXPECT_FALSE(Arena::release(foreign + 64 + 1));
}

TEST(Arena, ReusesAndTakesBack) {
  Arena arena;
  void *p = arena.allocate(1 << 20);
  Arena::release(p);
  EXPECT_EQ(arena.allocate((1 << 20) - 5000), p);
  void *q = arena.allocate(1 << 20);
  EXPECT_NE(q, p);
  arena.account(500);
  EXPECT_EQ(arena.liveBytes(), (2 << 20) - 5000 + 500);
  arena.account(-500);
  arena.releaseAll();
  EXPECT_EQ(arena.liveBytes(), 0);
  void *again = arena.allocate(1 << 20);
  EXPECT_TRUE(again == p || again == q);
}

TEST(Arena, ManyThreads) {
  Arena arena;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&arena, t] {
      std::mt19937 random{unsigned(t)};
      std::vector<std::pair<unsigned char *, size_t>> blocks;
      for (int i = 0; i < 3000; ++i) {
        size_t size = random() % 5000;
        auto *p = static_cast<unsigned char *>(arena.allocate(size));
        std::memset(p, t, size);
        blocks.push_back({p, size});
        if (blocks.size() > 20) {
          std::swap(blocks[random() % 20], blocks.back());
          auto [old, n] = blocks.back();
          blocks.pop_back();
          for (size_t k = 0; k < n; ++k)
            ASSERT_EQ(old[k], t);
          Arena::release(old);
        }
      }
      for (auto &[p, n] : blocks)
        Arena::release(p);
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(arena.liveBytes(), 0);
}

TEST(Copy, Strided) {
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 300; ++repeat) {
    size_t rank = random() % 5;
    std::vector<int64_t> shape;
    int64_t elements = 1;
    for (size_t d = 0; d < rank; ++d) {
      shape.push_back(int64_t(random() % (repeat % 7 == 0 ? 4 : 5)) +
                      (repeat % 7 != 0));
      elements *= shape.back();
    }
    // Row-major over a random order of dims, with gaps.
    std::vector<int64_t> strides[2];
    int64_t extent[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<size_t> dims(rank);
      std::iota(dims.begin(), dims.end(), size_t(0));
      if (random() % 2)
        std::shuffle(dims.begin(), dims.end(), random);
      strides[side].resize(rank);
      int64_t stride = 1;
      for (size_t k = rank; k-- > 0;) {
        strides[side][dims[k]] = stride;
        stride = stride * std::max<int64_t>(1, shape[dims[k]]) +
                 int64_t(random() % 3 ? 0 : 2);
      }
      extent[side] = stride + 8;
    }
    for (size_t size : {1, 2, 4, 8, 3, 16}) {
      std::vector<char> from(size_t(extent[0]) * size),
          to(size_t(extent[1]) * size, 9);
      for (char &c : from)
        c = char(random());
      std::vector<char> expected = to;
      for (int64_t flat = 0; flat < elements; ++flat) {
        int64_t rest = flat, s = 0, t = 0;
        for (size_t d = rank; d-- > 0;) {
          s += rest % shape[d] * strides[0][d];
          t += rest % shape[d] * strides[1][d];
          rest /= shape[d];
        }
        std::memcpy(&expected[size_t(t) * size], &from[size_t(s) * size], size);
      }
      copyStrided(from.data(), strides[0].data(), to.data(), strides[1].data(),
                  shape.data(), int64_t(rank), size);
      ASSERT_EQ(to, expected) << "elements of " << size << " bytes";
    }
  }
}

TEST(Copy, WholeDimsMergeIntoOneSpan) {
  CopyPlan whole({{{0, 0, 4}}, {{0, 0, 3}}, {{0, 0, 5}}}, {4, 3, 5}, {4, 3, 5});
  ASSERT_NE(whole.singleSpan(), nullptr);
  EXPECT_EQ(whole.singleSpan()->length, 60);
  CopyPlan rows({{{2, 0, 2}}, {{0, 0, 3}}}, {4, 3}, {2, 3});
  ASSERT_NE(rows.singleSpan(), nullptr);
  EXPECT_EQ(rows.singleSpan()->source, 6);
  CopyPlan columns({{{0, 0, 4}}, {{1, 0, 2}}}, {4, 3}, {4, 2});
  EXPECT_EQ(columns.singleSpan(), nullptr);
  CopyPlan scalar({}, {}, {});
  ASSERT_NE(scalar.singleSpan(), nullptr);
  EXPECT_EQ(scalar.singleSpan()->length, 1);
}

TEST(Route, OnlyAnAllReduceIsFlat) {
  MetadataText text({{"x", 2}, {"y", 2}});
  text.redistribute("all_reduce", "[{\"y\"}], partial = sum [\"x\"]",
                    "[{\"y\"}]", {9});
  text.redistribute("reduce_scatter", "[{}], partial = sum [\"x\"]",
                    "[{\"x\"}]", {9});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {9});
  auto program = text.program();
  std::string error;
  auto reduce = program->routes.get(0, nullptr, error);
  EXPECT_TRUE(reduce->flatReduce);
  EXPECT_EQ(reduce->groups, (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
  EXPECT_EQ(program->routes.get(0, nullptr, error), reduce);
  auto scatter = program->routes.get(1, nullptr, error);
  EXPECT_FALSE(scatter->flatReduce);
  ASSERT_EQ(scatter->parts[3].transfers.size(), 1u);
  EXPECT_EQ(scatter->parts[3].transfers[0].sources,
            (std::vector<uint32_t>{0, 1}));
  auto gather = program->routes.get(2, nullptr, error);
  EXPECT_FALSE(gather->flatReduce);
  EXPECT_EQ(gather->parts[0].bytes, 4 * 4);
  // After a gather alone, all ranks have the same result.
  EXPECT_TRUE(gather->sameResult);
  EXPECT_FALSE(reduce->sameResult || scatter->sameResult);
}

TEST(Distribute, ThereAndBack) {
  const char *placements[] = {"[{\"x\"}, {}]",
                              "[{}, {\"y\", \"x\"}]",
                              "[{\"y\"}, {\"x\"}]",
                              "[{2, \"x\"}, {}]",
                              "[{\"y\":(2)2}, {2, \"x\"}]",
                              "[{\"x\", 3}, {\"y\":(1)2}]",
                              "[{}, {\"x\"}], partial = sum [\"y\"]",
                              "[{}, {}], partial = sum [\"x\", \"y\":(1)2]"};
  Mesh mesh;
  mesh.name = "m";
  mesh.axes.resize(2);
  mesh.axes[0].name = "x", mesh.axes[0].size = 2;
  mesh.axes[1].name = "y", mesh.axes[1].size = 4;
  mesh.devices = {7, 6, 5, 4, 3, 2, 1, 0};
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{12, 8}, {36, 4}, {12, 2}, {0, 8}}) {
    auto n = size_t(shape[0] * shape[1]);
    std::vector<float> whole(n), back(n, -1);
    std::iota(whole.begin(), whole.end(), 1.0f);
    for (const char *text : placements) {
      std::string error;
      TensorSpec spec;
      spec.mesh = 0;
      spec.placement = *parsePlacement(text, error);
      std::fill(back.begin(), back.end(), -1.0f);
      std::vector<ShardView> views;
      std::vector<std::vector<float>> shards;
      for (int rank = 0; rank < 8; ++rank) {
        views.push_back(viewShard(spec, &mesh, shape, rank));
        EXPECT_EQ(views.back().shape, localShape(spec.placement, mesh, shape,
                                                 mesh.positionOf(rank)));
        shards.emplace_back(size_t(views.back().elements));
        distribute(spec, views.back(), shape, whole.data(),
                   shards.back().data());
      }
      size_t owned = 0;
      for (int rank = 0; rank < 8; ++rank) {
        const ShardView &view = views[size_t(rank)];
        std::vector<const void *> terms;
        for (int r : view.terms)
          terms.push_back(shards[size_t(r)].data());
        collect(spec, view, shape, terms, back.data());
        owned += view.owner ? size_t(view.elements) : 0;
      }
      EXPECT_EQ(back, whole) << text;
      EXPECT_EQ(owned, n) << text;
      // Open extents are what the shards add up to.
      std::vector<std::vector<int64_t>> shapes;
      for (const ShardView &view : views)
        shapes.push_back(view.shape);
      std::vector<int64_t> all;
      for (std::vector<int64_t> told :
           {std::vector<int64_t>{-1, -1}, {-1, shape[1]}, {shape[0], -1}}) {
        spec.shape = told;
        EXPECT_EQ(globalShapeOf(spec, &mesh, shapes, all), "") << text;
        EXPECT_EQ(all, shape) << text;
      }
      // Rank 2 has something else: no whole array has these shards.
      shapes[2][0] += 5;
      spec.shape = {-1, -1};
      EXPECT_NE(globalShapeOf(spec, &mesh, shapes, all), "") << text;
    }
  }
}

TEST(Distribute, NoWholeTensor) {
  Mesh mesh;
  mesh.name = "m";
  mesh.axes.resize(1);
  mesh.axes[0].name = "x", mesh.axes[0].size = 3;
  TensorSpec spec;
  spec.mesh = 0;
  spec.shape = {-1};
  std::string error;
  spec.placement = *parsePlacement("[{\"x\"}]", error);
  std::vector<int64_t> whole;
  EXPECT_EQ(globalShapeOf(spec, &mesh, {{2}, {2}, {1}}, whole), "");
  EXPECT_EQ(whole, std::vector<int64_t>{5});
  EXPECT_EQ(globalShapeOf(spec, &mesh, {{3}, {1}, {1}}, whole),
            "is 3 on rank 0, expected 2 of 5 in all");
  EXPECT_EQ(globalShapeOf(spec, &mesh, {{0}, {0}, {0}}, whole), "");
  EXPECT_EQ(whole, std::vector<int64_t>{0});
  int64_t huge = int64_t(1) << 61;
  EXPECT_EQ(globalShapeOf(spec, &mesh, {{huge}, {huge}, {huge}}, whole),
            "is too large");
  spec.placement = *parsePlacement("[{\"x\", 2}]", error);
  EXPECT_EQ(globalShapeOf(spec, &mesh, {{2}, {2}, {1}}, whole),
            "cannot split dim 0 of size 5 by factor 2 (must divide exactly)");
}

TEST(Distribute, OutsideTheMesh) {
  Mesh mesh;
  mesh.name = "m";
  mesh.axes.resize(1);
  mesh.axes[0].name = "x", mesh.axes[0].size = 2;
  mesh.devices = {1, 3};
  TensorSpec spec;
  spec.mesh = 0;
  std::string error;
  spec.placement = *parsePlacement("[{\"x\"}]", error);
  ShardView view = viewShard(spec, &mesh, {6}, 2);
  // It holds what the first device would, as zeros that nobody reads.
  EXPECT_TRUE(view.outside);
  EXPECT_EQ(view.shape, std::vector<int64_t>{3});
  EXPECT_FALSE(view.owner);
  EXPECT_TRUE(view.terms.empty());
  float whole[6] = {1, 2, 3, 4, 5, 6}, shard[3] = {7, 7, 7};
  spec.type = SHARDIR_F32;
  distribute(spec, view, {6}, whole, shard);
  EXPECT_EQ(shard[0] + shard[1] + shard[2], 0);
  EXPECT_EQ(viewShard(spec, &mesh, {6}, 3).runs[0][0].source, 3);
}

} // namespace
