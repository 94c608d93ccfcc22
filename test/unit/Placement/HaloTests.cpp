//===- HaloTests.cpp - Overlapping shards -----------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pair of placements on small meshes with every halo up to 3: the shards
// against the interval [max(0, s - low), min(N, e + high)) of each block, and
// the pieces of a halo exchange element by element against what each device
// holds, bytes included. Blocks shorter than the halo, empty ones, corners of
// two dims and axes of size 1 are among them.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "Support.h"

#include <algorithm>
#include <set>

using namespace shardir;
using namespace shardir::test;

namespace {

/// The block of one device in one dimension, as an interval.
std::pair<int64_t, int64_t> blockOf(const DimShard &dim, int64_t size) {
  int64_t begin = size, end = 0;
  for (int64_t i = 0; i < size; ++i)
    if (dim.toLocal(i) >= 0) {
      begin = std::min(begin, i);
      end = i + 1;
    }
  return begin < end ? std::pair(begin, end) : std::pair<int64_t, int64_t>();
}

/// Checks shards and pieces of one step; returns what is wrong.
std::string checkStep(const CollectiveStep &step, const Mesh &mesh,
                      const Shape &shape) {
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    std::vector<DimShard> plain = shardOf(step.to, mesh, shape, p);
    std::vector<DimShard> wide = shardOf(step.to, step.halo, mesh, shape, p);
    std::vector<int64_t> extents =
        localShape(step.to, step.halo, mesh, shape, p);
    std::vector<int64_t> begin;
    int64_t elements = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      auto [s, e] = blockOf(plain[d], shape[d]);
      if (s < e) {
        s = std::max<int64_t>(0, s - step.halo[d].low);
        e += std::min(shape[d] - e, step.halo[d].high);
      }
      if (extents[d] != e - s)
        return "dim " + std::to_string(d) + " has " +
               std::to_string(extents[d]) + " elements, not " +
               std::to_string(e - s);
      for (int64_t i = s; i < e; ++i)
        if (wide[d].toGlobal(i - s) != i)
          return "the overlapping shard begins elsewhere";
      begin.push_back(s);
      elements *= e - s;
    }
    std::vector<DimShard> own = shardOf(step.from, mesh, shape, p);
    std::vector<int> writes(elements, 0);
    int64_t received = 0;
    for (const Piece &piece : receivePieces(step, mesh, shape, p)) {
      std::vector<DimShard> held =
          shardOf(step.from, mesh, shape, piece.source);
      int64_t count = piece.elements();
      received += piece.source != p ? count : 0;
      for (int64_t i = 0; i < count; ++i) {
        int64_t rest = i, flat = 0, stride = 1;
        bool mine = true;
        for (size_t d = shape.size(); d-- > 0;) {
          int64_t length = 0;
          for (const Piece::Run &run : piece.runs[d])
            length += run.length;
          int64_t at = rest % length, s = -1, t = -1;
          rest /= length;
          for (const Piece::Run &run : piece.runs[d]) {
            if (at < run.length) {
              s = run.source + at;
              t = run.destination + at;
              break;
            }
            at -= run.length;
          }
          int64_t global = begin[d] + t;
          if (s >= held[d].localExtent() || held[d].toGlobal(s) != global)
            return "a piece mixes up elements";
          mine &= own[d].toLocal(global) >= 0;
          flat += t * stride;
          stride *= extents[d];
        }
        if (mine && piece.source != p)
          return "receives what it has";
        ++writes[flat];
      }
    }
    if (std::any_of(writes.begin(), writes.end(), [](int n) { return n != 1; }))
      return "not every element comes once";
    if (bytesReceived(step, mesh, shape, 4, p) != 4 * received)
      return "bytes differ from the pieces";
  }
  return "";
}

/// Checks the shards and pieces of a step into windows on a dim of `size`.
std::string checkWindow(const CollectiveStep &step, const Mesh &mesh,
                        int64_t size) {
  const DimHalo &window = step.halo[0];
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    auto [s, e] =
        blockOf(shardOf(step.to, mesh, {window.extent}, p)[0], window.extent);
    auto [begin, end] = window.rows(s, e, size);
    DimShard shard = shardOf(step.to, step.halo, mesh, {size}, p)[0];
    if (shard.localExtent() != end - begin)
      return "a shard of another size";
    std::vector<bool> arrived(end - begin, false);
    int64_t received = 0;
    for (const Piece &piece : receivePieces(step, mesh, {size}, p)) {
      DimShard held = shardOf(step.from, mesh, {size}, piece.source)[0];
      for (const Piece::Run &run : piece.runs[0])
        for (int64_t i = 0; i < run.length; ++i) {
          int64_t at = held.toGlobal(run.source + i);
          if (at != begin + run.destination + i || arrived[at - begin])
            return "an element in the wrong place, or twice";
          arrived[at - begin] = true;
          received += piece.source != p;
        }
    }
    if (std::find(arrived.begin(), arrived.end(), false) != arrived.end())
      return "an element that does not arrive";
    if (bytesReceived(step, mesh, {size}, 4, p) != 4 * received)
      return "bytes that do not agree with the pieces";
  }
  return "";
}

void checkHalos(const std::vector<int64_t> &sizes, const Shape &shape,
                const std::vector<Halo> &halos) {
  Mesh mesh = makeMesh(sizes);
  std::vector<Placement> all =
      allPlacements(mesh, shape.size(), replicatedAxes(mesh));
  for (const Placement &from : all)
    for (const Placement &to : all)
      for (const Halo &halo : halos) {
        CollectiveStep step{CollectiveKind::HaloExchange, from, to, halo};
        std::string wrong = checkStep(step, mesh, shape);
        ASSERT_EQ(wrong, "")
            << toString(from) << " -> " << toString(to) << " halo "
            << toString(halo) << " of " << ::testing::PrintToString(shape);
      }
}

std::vector<Halo> halosOfOneDim() {
  std::vector<Halo> halos;
  for (int64_t low = 0; low <= 3; ++low)
    for (int64_t high = 0; high <= 3; ++high)
      halos.push_back({{low, high}});
  halos.push_back({{INT64_MAX, INT64_MAX}});
  return halos;
}

TEST(Halo, OneDim) {
  for (int64_t size = 0; size <= 9; ++size)
    for (const std::vector<int64_t> &mesh :
         {std::vector<int64_t>{1}, {2}, {4}, {2, 2}, {3, 2}, {1, 3}})
      checkHalos(mesh, {size}, halosOfOneDim());
}

TEST(Halo, TwoDims) {
  std::vector<Halo> halos = {{{1, 1}, {0, 0}},
                             {{0, 0}, {2, 1}},
                             {{1, 2}, {1, 1}},
                             {{3, 0}, {0, 3}},
                             {{9, 9}, {9, 9}}};
  for (const Shape &shape : {Shape{4, 4}, {5, 7}, {3, 1}, {1, 6}, {0, 3}})
    for (const std::vector<int64_t> &mesh :
         {std::vector<int64_t>{4}, {2, 2}, {2, 3}})
      checkHalos(mesh, shape, halos);
}

TEST(Halo, SubAxesAndUnits) {
  Mesh mesh = makeMesh({4});
  for (const char *from : {R"([{"a"}])", R"([{"a":(1)2}])", "[{}]"})
    for (const char *to : {R"([{"a":(2)2}])", R"([{"a":(2)2, "a":(1)2}])",
                           R"([{"a", 2}])", R"([{"a":(1)2, 4}])"})
      for (const Halo &halo : halosOfOneDim()) {
        CollectiveStep step{CollectiveKind::HaloExchange, parse(from),
                            parse(to), halo};
        ASSERT_FALSE(verifyHalo(halo, step.to, mesh, {12}));
        EXPECT_EQ(checkStep(step, mesh, {12}), "")
            << from << " -> " << to << " halo " << toString(halo);
      }
}

// Each term of a sum gets its neighbours' terms.
TEST(Halo, PartialsAreTheSame) {
  Mesh mesh = makeMesh({2, 2});
  CollectiveStep step{CollectiveKind::HaloExchange,
                      parse(R"([{"a"}], partial = sum ["b"])"),
                      parse(R"([{"a"}], partial = sum ["b"])"),
                      {{1, 1}}};
  EXPECT_EQ(checkStep(step, mesh, {6}), "");
  std::vector<Piece> pieces = receivePieces(step, mesh, {6}, 1);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].source, 1);
  EXPECT_EQ(pieces[1].source, 3);
}

/// `kind from -> to` of the steps, one a line, with the halo.
std::string planText(const std::string &src, const std::string &dst,
                     const Halo &halo, const Mesh &mesh, const Shape &shape) {
  auto result =
      planRedistribute(parse(src), mesh, parse(dst), mesh, shape, halo);
  if (auto *error = std::get_if<PlacementError>(&result))
    return error->message;
  std::string text;
  for (const CollectiveStep &step : std::get<CrossMeshPlan>(result).steps)
    text += std::string(stringifyCollectiveKind(step.kind)) + " " +
            toString(step.from) + " -> " + toString(step.to) +
            (step.halo.empty() ? "" : " halo " + toString(step.halo)) + "\n";
  return text;
}

TEST(Halo, Plans) {
  Mesh mesh = makeMesh({2, 2});
  Halo one = {{1, 1}};
  EXPECT_EQ(planText(R"([{"a"}])", R"([{"a"}])", one, mesh, {8}),
            "halo_exchange [{\"a\"}] -> [{\"a\"}] halo [[1, 1]]\n");
  // One step from another placement: it never receives more than two.
  EXPECT_EQ(planText(R"([{"b"}])", R"([{"a"}])", one, mesh, {8}),
            "halo_exchange [{\"b\"}] -> [{\"a\"}] halo [[1, 1]]\n");
  // A dim that is replicated has no neighbours.
  EXPECT_EQ(planText(R"([{"a"}])", "[{}]", one, mesh, {8}),
            "all_gather [{\"a\"}] -> [{}]\n");
  EXPECT_EQ(planText("[{}]", "[{}]", one, mesh, {8}), "");
  // A sum is reduced first.
  EXPECT_EQ(
      planText(R"([{}], partial = sum ["a"])", R"([{"a"}])", one, mesh, {8}),
      "reduce_scatter [{}], partial = sum [\"a\"] -> [{\"a\"}]\n"
      "halo_exchange [{\"a\"}] -> [{\"a\"}] halo [[1, 1]]\n");
  EXPECT_EQ(planText(R"([{"a"}])", R"([{"a", 2, "b"}])", one, mesh, {8}),
            "dim 0 has a halo of [1, 1], but {\"a\", 2, \"b\"} cuts it into "
            "several blocks per device");
  EXPECT_EQ(planText(R"([{"a"}])", R"([{"a"}])", {}, mesh, {8}), "");
}

// A step that gathers what it lacks and its neighbours' edges at once receives
// no more than the two one after the other, whatever the pair.
TEST(Halo, OneStepReceivesLeast) {
  Mesh mesh = makeMesh({2, 3});
  Halo halo = {{1, 2}, {0, 1}};
  for (const Placement &from : allPlacements(mesh, 2, replicatedAxes(mesh)))
    for (const Placement &to : allPlacements(mesh, 2, replicatedAxes(mesh))) {
      Shape shape = {7, 5};
      auto result = planRedistribute(from, mesh, to, mesh, shape, halo);
      const auto &plan = std::get<CrossMeshPlan>(result);
      auto chain =
          std::get<RedistributePlan>(planRedistribute(from, to, mesh, shape));
      Halo own = normalHalo(halo, to, mesh, shape);
      if (!own.empty())
        chain.steps.push_back({CollectiveKind::HaloExchange, to, to, own});
      EXPECT_LE(planBytes(plan, mesh, mesh, shape, 4),
                planBytes(chain, mesh, shape, 4))
          << toString(from) << " -> " << toString(to);
      // All of it in one step, of which checkStep says that it is the least: a
      // slice where everything is there.
      bool isThere = planBytes(plan, mesh, mesh, shape, 4) == 0;
      CollectiveKind kind =
          isThere ? CollectiveKind::Slice : CollectiveKind::HaloExchange;
      if (!own.empty())
        EXPECT_EQ(plan.steps,
                  (std::vector<CollectiveStep>{{kind, from, to, own}}))
            << toString(from) << " -> " << toString(to);
    }
}

/// Every window on small dims: the shards of each device, by the definition,
/// and the pieces of an exchange to there.
TEST(Halo, Windows) {
  for (int64_t size : {0, 1, 5, 8})
    for (int64_t extent : {0, 1, 3, 7})
      for (int64_t stride : {1, 2})
        for (int64_t dilation : {1, 3})
          for (auto [low, high] :
               {std::pair<int64_t, int64_t>{0, 2}, {1, 1}, {-2, 2}, {9, -7}}) {
            DimHalo window{low, high, extent, stride, dilation};
            for (int64_t s = 0; s <= extent; ++s)
              for (int64_t e = s; e <= extent; ++e) {
                int64_t least = size, most = -1;
                for (int64_t i = 0; i < size && s < e; ++i)
                  if (i * dilation >= s * stride - low &&
                      i * dilation <= (e - 1) * stride + high) {
                    least = std::min(least, i);
                    most = std::max(most, i);
                  }
                auto [begin, end] = window.rows(s, e, size);
                EXPECT_EQ(end - begin, std::max<int64_t>(0, most - least + 1));
                if (begin < end)
                  EXPECT_EQ(begin, least);
              }
            for (const std::vector<int64_t> &sizes :
                 {std::vector<int64_t>{2}, {2, 2}, {3}}) {
              Mesh mesh = makeMesh(sizes);
              for (const Placement &from :
                   allPlacements(mesh, 1, replicatedAxes(mesh)))
                for (const Placement &to :
                     allPlacements(mesh, 1, replicatedAxes(mesh)))
                  EXPECT_EQ(
                      checkWindow(
                          {CollectiveKind::HaloExchange, from, to, {window}},
                          mesh, size),
                      "")
                      << toString(from) << " -> " << toString(to) << " "
                      << toString(window) << " of " << size;
            }
          }
}

TEST(Halo, WindowsInNormalForm) {
  Mesh mesh = makeMesh({2});
  Placement split = parse(R"([{"a"}])"), whole = parse("[{}]");
  EXPECT_EQ(normalHalo({{1, 1, 8, 1, 1}}, split, mesh, {8}), (Halo{{1, 1}}));
  // Blocks of 4 elements read 8, those of the other dim: nothing to ask for.
  EXPECT_EQ(normalHalo({{0, 1, 4, 2, 1}}, split, mesh, {8}), Halo());
  EXPECT_EQ(normalHalo({{0, 2, 4, 2, 1}}, split, mesh, {8}),
            (Halo{{0, 2, 4, 2, 1}}));
  EXPECT_EQ(normalHalo({{0, 2, 4, 2, 1}}, whole, mesh, {8}), Halo());
  EXPECT_EQ(normalHalo({{-3, 3, 1, 1, 1}}, whole, mesh, {8}),
            (Halo{{-3, 3, 1, 1, 1}}));
  for (DimHalo wrong : {DimHalo{0, 0, -2, 1, 1}, DimHalo{0, 0, 4, 0, 1},
                        DimHalo{0, 0, 4, 1, 0}, DimHalo{INT64_MAX, 0, 4, 1, 1}})
    EXPECT_TRUE(verifyHalo({wrong}, split, mesh, {8}));
  EXPECT_TRUE(verifyHalo({{0, 0, 4, 1, 1}}, split, mesh, {kUnknown}));
}

TEST(Halo, OnAnotherMesh) {
  Mesh a = makeMesh({4}), b = makeMesh({2});
  b.devices = {3, 1};
  auto plan = std::get<CrossMeshPlan>(planRedistribute(
      parse(R"([{"a"}])"), a, parse(R"([{"a"}])"), b, {8}, {{1, 1}}));
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, CollectiveKind::HaloExchange);
  // Rank 3 holds 6, 7 and wants 0..4; rank 1 holds 2, 3 and wants 3..7.
  EXPECT_EQ(bytesReceived(plan.steps[0], a, b, {8}, 4, 0), 20);
  EXPECT_EQ(bytesReceived(plan.steps[0], a, b, {8}, 4, 1), 16);
  EXPECT_EQ(planBytes(plan, a, b, {8}, 4), 20);
}

TEST(Halo, NormalForm) {
  Mesh mesh = makeMesh({2, 1});
  EXPECT_EQ(normalHalo({{1, 1}, {2, 2}}, parse(R"([{"a"}, {}])"), mesh, {4, 4}),
            (Halo{{1, 1}, {0, 0}}));
  EXPECT_EQ(normalHalo({{1, 1}, {2, 2}}, parse(R"([{"b"}, {}])"), mesh, {4, 4}),
            Halo());
  EXPECT_EQ(normalHalo({{0, 0}}, parse(R"([{"a"}])"), mesh, {4}), Halo());
}

TEST(Halo, Uniform) {
  Mesh mesh = makeMesh({2});
  Placement rows = parse(R"([{"a"}])");
  EXPECT_EQ(uniformLocalExtent(rows, {{1, 1}}, mesh, 8, 0), 5);
  EXPECT_EQ(uniformLocalExtent(rows, {{8, 8}}, mesh, 8, 0), 8);
  EXPECT_EQ(uniformLocalExtent(rows, {{1, 0}}, mesh, 8, 0), std::nullopt);
  EXPECT_EQ(uniformLocalExtent(rows, {{0, 0}}, mesh, 8, 0), 4);
  EXPECT_EQ(uniformLocalExtent(rows, {{1, 0}}, mesh, 7, 0), 4);
  Mesh four = makeMesh({4});
  EXPECT_EQ(uniformLocalExtent(rows, {{1, 1}}, four, 8, 0), std::nullopt);
  EXPECT_EQ(uniformLocalExtent(rows, {{1, 1}}, four, kUnknown, 0),
            std::nullopt);
}

TEST(Halo, Errors) {
  Mesh mesh = makeMesh({2, 2});
  auto error = verifyHalo({{0, 0}, {1, 1}}, parse(R"([{2, "a"}, {2, "b"}])"),
                          mesh, {8, 8});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "dim 1 has a halo of [1, 1], but {2, \"b\"} cuts it "
            "into several blocks per device");
  EXPECT_EQ(error->hint, "a halo needs one block per device: split the dim by "
                         "axes alone, [{2, \"a\"}, {\"b\"}]");
  EXPECT_TRUE(verifyHalo({{1, 1}}, parse("[{}, {}]"), mesh, {8, 8}));
  EXPECT_TRUE(verifyHalo({{-1, 1}}, parse(R"([{"a"}])"), mesh, {8}));
  EXPECT_FALSE(verifyHalo({{5, 5}}, parse(R"([{"a", "b"}])"), mesh, {8}));
  EXPECT_FALSE(verifyHalo({}, parse(R"([{2, "a"}])"), mesh, {8}));
}

TEST(Halo, Open) {
  // The rows read are 3 higher than the block: of 10 rows, from 3 on.
  DimHalo open = dimHaloOf({0, 0, 7, 1, 1, 3});
  EXPECT_TRUE(open.isOpen);
  EXPECT_EQ(toString(open), "[0, 0, 7, 1, 1, 3]");
  EXPECT_EQ(open.rows(2, 4, 10), std::pair(int64_t(5), int64_t(7)));
  // As it is once its numbers are known.
  DimHalo closed = open.closed(5, -2);
  EXPECT_FALSE(closed.isOpen);
  EXPECT_EQ(toString(closed), "[2, -2, 5, 1, 1]");
  EXPECT_EQ(closed.rows(2, 4, 10), std::pair(int64_t(0), int64_t(2)));
  EXPECT_EQ(numOpenWindows({open, {1, 1}, closed}), 1u);
  // Of a dim of unknown extent only an open window; its blocks are of no known
  // extent either, however large the assumed one is.
  Mesh mesh = makeMesh({2});
  EXPECT_FALSE(verifyHalo({open}, parse(R"([{"a"}])"), mesh, {kUnknown}));
  auto error = verifyHalo({closed}, parse(R"([{"a"}])"), mesh, {kUnknown});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "halo of dim 0 is a window, which needs the dim's extent");
  EXPECT_EQ(blockShape({10}, {open}), std::vector<int64_t>{kUnknown});
  EXPECT_FALSE(uniformLocalExtent(parse(R"([{"a"}])"), {open}, mesh, 10, 0));
  // It is dropped only where nothing splits the dim and all of it is read.
  DimHalo all = dimHaloOf({0, 0, 1024, 1, 1, 0});
  EXPECT_TRUE(normalHalo({all}, parse("[{}]"), mesh, {kUnknown}).empty());
  EXPECT_FALSE(normalHalo({open}, parse("[{}]"), mesh, {kUnknown}).empty());
  EXPECT_FALSE(normalHalo({all}, parse(R"([{"a"}])"), mesh, {1024}).empty());
}

TEST(Halo, Groups) {
  Mesh mesh = makeMesh({2, 2, 2});
  CollectiveStep step{CollectiveKind::HaloExchange,
                      parse(R"([{"a"}, {"b"}])"),
                      parse(R"([{"a"}, {"b"}])"),
                      {{1, 1}, {0, 0}}};
  std::vector<AxisRef> group = groupAxes(step, mesh, {8, 8});
  ASSERT_EQ(group.size(), 1u);
  EXPECT_EQ(group[0].name, "a");
}

} // namespace
