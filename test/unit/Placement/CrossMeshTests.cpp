//===- CrossMeshTests.cpp - From one mesh to another ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pair of placements on two meshes, on numbers: what arrives on each rank
// is the new shard, from ranks that hold it, from the rank itself where it can,
// and the bytes are those of set arithmetic on ranks, looked up element by
// element. Partial sources and targets are checked through Support.h, mesh by
// mesh.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "Support.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace shardir;
using namespace shardir::test;

namespace {

Mesh meshOn(const std::vector<int64_t> &sizes, std::vector<int64_t> devices,
            char firstAxis = 'a') {
  Mesh mesh = makeMesh(sizes);
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    mesh.axes[i].name = std::string(1, static_cast<char>(firstAxis + i));
  mesh.devices = std::move(devices);
  return mesh;
}

/// The global indices that a rank holds, in local order.
std::vector<int64_t> heldBy(const Placement &placement, const Mesh &mesh,
                            const Shape &shape, int64_t rank) {
  int64_t position = mesh.positionOf(rank);
  std::vector<int64_t> result;
  if (position < 0)
    return result;
  std::vector<DimShard> shard = shardOf(placement, mesh, shape, position);
  int64_t count = 1;
  for (const DimShard &dim : shard)
    count *= dim.localExtent();
  for (int64_t i = 0; i < count; ++i)
    result.push_back(globalIndex(shard, shape, i));
  return result;
}

/// Runs one step between two meshes; returns what is wrong. `most` is what the
/// rank that receives most receives, by looking at every element.
std::string runCrossing(const CollectiveStep &step, const Mesh &from,
                        const Mesh &to, const Shape &shape, int64_t &most) {
  most = 0;
  for (int64_t p = 0; p < to.numDevices(); ++p) {
    int64_t rank = to.rankAt(p);
    std::vector<int64_t> wanted = heldBy(step.to, to, shape, rank);
    std::vector<int64_t> own = heldBy(step.from, from, shape, rank);
    std::set<int64_t> mine(own.begin(), own.end());
    std::vector<int64_t> extents = localShape(step.to, to, shape, p);
    std::vector<int> writes(wanted.size(), 0);
    int64_t received = 0;
    for (const Piece &piece : receivePieces(step, from, to, shape, p)) {
      int64_t source = from.rankAt(piece.source);
      std::vector<int64_t> held = heldBy(step.from, from, shape, source);
      std::vector<int64_t> sourceExtents =
          localShape(step.from, from, shape, piece.source);
      for (int64_t i = 0; i < piece.elements(); ++i) {
        int64_t rest = i, s = 0, t = 0, strideS = 1, strideT = 1;
        for (size_t d = shape.size(); d-- > 0;) {
          int64_t length = 0;
          for (const Piece::Run &run : piece.runs[d])
            length += run.length;
          int64_t at = rest % length;
          rest /= length;
          for (const Piece::Run &run : piece.runs[d]) {
            if (at < run.length) {
              s += (run.source + at) * strideS;
              t += (run.destination + at) * strideT;
              break;
            }
            at -= run.length;
          }
          strideS *= sourceExtents[d];
          strideT *= extents[d];
        }
        if (s >= static_cast<int64_t>(held.size()) ||
            t >= static_cast<int64_t>(wanted.size()))
          return "a piece leaves its shard";
        if (held[s] != wanted[t])
          return "a piece mixes up elements";
        if (source != rank && mine.count(wanted[t]))
          return "receives what it has";
        ++writes[t];
        received += source != rank;
      }
    }
    for (int count : writes)
      if (count != 1)
        return "not every element comes once";
    int64_t lacks = 0;
    for (int64_t index : wanted)
      lacks += !mine.count(index);
    if (received != lacks)
      return "receives more than it lacks";
    if (step.kind != CollectiveKind::Slice &&
        bytesReceived(step, from, to, shape, 4, p) != 4 * lacks)
      return "bytes differ from the pieces";
    if (step.kind == CollectiveKind::Slice && lacks != 0)
      return "a slice receives";
    most = std::max(most, lacks);
  }
  return "";
}

std::string checkCrossing(const Placement &src, const Mesh &from,
                          const Placement &dst, const Mesh &to,
                          const Shape &shape) {
  auto result = planRedistribute(src, from, dst, to, shape);
  if (auto *error = std::get_if<PlacementError>(&result))
    return error->message;
  auto &plan = std::get<CrossMeshPlan>(result);
  if (plan.crossing >= plan.steps.size())
    return "no step leads to the other mesh";
  const CollectiveStep &crossing = plan.steps[plan.crossing];
  RedistributePlan before, after;
  before.steps.assign(plan.steps.begin(), plan.steps.begin() + plan.crossing);
  after.steps.assign(plan.steps.begin() + plan.crossing + 1, plan.steps.end());
  std::string wrong = checkPlan(before, src, crossing.from, from, shape);
  if (!wrong.empty())
    return "before: " + wrong;
  wrong = checkPlan(after, crossing.to, dst, to, shape);
  if (!wrong.empty())
    return "after: " + wrong;
  if (isRenamed(from, to))
    return renamed(crossing.from, from, to) == crossing.to &&
                   crossing.kind == CollectiveKind::Slice
               ? ""
               : "more than a new name";
  if (crossing.from.partial || crossing.to.partial)
    return "partial between meshes";
  int64_t most = 0;
  wrong = runCrossing(crossing, from, to, shape, most);
  if (wrong.empty() && !src.partial &&
      planBytes(plan, from, to, shape, 4) != 4 * most)
    wrong = "receives more than the least";
  return wrong;
}

void checkAll(const Mesh &from, const Mesh &to, const Shape &shape,
              std::optional<PartialKind> partial = {}) {
  int failures = 0;
  for (const Placement &src :
       allPlacements(from, shape.size(), replicatedAxes(from), partial))
    for (const Placement &dst :
         allPlacements(to, shape.size(), replicatedAxes(to), partial)) {
      std::string wrong = checkCrossing(src, from, dst, to, shape);
      if (wrong.empty())
        continue;
      ADD_FAILURE() << toString(src) << " -> " << toString(dst) << " of "
                    << ::testing::PrintToString(shape) << ": " << wrong;
      if (++failures == 5)
        return;
    }
}

const std::vector<Shape> &shapes() {
  static const std::vector<Shape> all = {
      {8, 4}, {5, 7}, {3, 1}, {1, 2}, {0, 3}};
  return all;
}

TEST(CrossMesh, SameRanksInAnotherOrderAndShape) {
  for (const Shape &shape : shapes()) {
    checkAll(meshOn({2, 2}, {}), meshOn({4}, {3, 2, 1, 0}, 'p'), shape);
    checkAll(meshOn({4}, {3, 2, 1, 0}), meshOn({2, 2}, {}, 'p'), shape);
    checkAll(meshOn({2, 3}, {}), meshOn({6}, {5, 0, 4, 1, 3, 2}, 'p'), shape);
    checkAll(meshOn({2, 2}, {}), meshOn({2, 2}, {0, 2, 1, 3}, 'a'), shape);
  }
}

TEST(CrossMesh, OverlappingRanks) {
  for (const Shape &shape : shapes()) {
    checkAll(meshOn({4}, {}), meshOn({2, 3}, {2, 3, 4, 5, 6, 7}, 'p'), shape);
    checkAll(meshOn({2, 3}, {2, 3, 4, 5, 6, 7}), meshOn({4}, {}, 'p'), shape);
    checkAll(meshOn({2, 2}, {}), meshOn({2}, {3, 0}, 'p'), shape);
    checkAll(meshOn({1}, {2}), meshOn({2, 2}, {}, 'p'), shape);
  }
}

TEST(CrossMesh, DisjointRanks) {
  for (const Shape &shape : shapes()) {
    checkAll(meshOn({4}, {}), meshOn({4}, {4, 5, 6, 7}, 'p'), shape);
    checkAll(meshOn({2, 2}, {}), meshOn({3}, {6, 4, 5}, 'p'), shape);
    checkAll(meshOn({1}, {0}), meshOn({1}, {1}, 'p'), shape);
  }
}

TEST(CrossMesh, OtherNamesAlone) {
  for (const Shape &shape : shapes()) {
    checkAll(meshOn({2, 2}, {}), meshOn({2, 2}, {}, 'p'), shape,
             PartialKind::Sum);
    checkAll(meshOn({4}, {}), meshOn({4}, {0, 1, 2, 3}, 'p'), shape,
             PartialKind::Max);
  }
  Mesh a = meshOn({2, 2}, {}), b = meshOn({2, 2}, {}, 'p');
  auto plan = std::get<CrossMeshPlan>(planRedistribute(
      parse(R"([{"a"}, {}], partial = sum ["b"])"), a,
      parse(R"([{"p"}, {}], partial = sum ["q"])"), b, {5, 7}));
  EXPECT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(planBytes(plan, a, b, {5, 7}, 4), 0);
}

TEST(CrossMesh, Partial) {
  for (const Shape &shape : shapes()) {
    checkAll(meshOn({2, 2}, {}), meshOn({4}, {3, 2, 1, 0}, 'p'), shape,
             PartialKind::Sum);
    checkAll(meshOn({4}, {}), meshOn({2, 2}, {4, 5, 2, 3}, 'p'), shape,
             PartialKind::Max);
  }
}

// A sum that leaves its mesh is scattered first: 3 x 4 elements for a block of
// the reduction, and 4 more from there, not 2 x 3 x 4 and 16.
TEST(CrossMesh, PartialIsScatteredFirst) {
  Mesh a = meshOn({4}, {}), b = meshOn({4}, {4, 5, 6, 7}, 'p');
  auto plan = std::get<CrossMeshPlan>(planRedistribute(
      parse(R"([{}], partial = sum ["a"])"), a, parse(R"([{"p"}])"), b, {16}));
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(plan.steps[1].kind, CollectiveKind::Exchange);
  EXPECT_EQ(planBytes(plan, a, b, {16}, 4), 48);
}

// Receivers that the source's mesh lacks share the holders of a block evenly.
TEST(CrossMesh, HoldersByTurns) {
  auto sends = [](const std::string &from, const Mesh &a, const std::string &to,
                  const Mesh &b, const Shape &shape) {
    std::map<int64_t, int64_t> count;
    CollectiveStep step{CollectiveKind::Exchange, parse(from), parse(to)};
    for (int64_t p = 0; p < b.numDevices(); ++p)
      for (const Piece &piece : receivePieces(step, a, b, shape, p))
        count[piece.source] += piece.elements();
    std::vector<int64_t> result;
    for (int64_t p = 0; p < a.numDevices(); ++p)
      result.push_back(count[p]);
    return result;
  };
  Mesh a = meshOn({2, 2}, {}), b = meshOn({4}, {4, 5, 6, 7}, 'p');
  using Counts = std::vector<int64_t>;
  // Four holders of all, four receivers of a quarter; of all.
  EXPECT_EQ(sends("[{}]", a, R"([{"p"}])", b, {8}), (Counts{2, 2, 2, 2}));
  EXPECT_EQ(sends("[{}]", a, "[{}]", b, {8}), (Counts{8, 8, 8, 8}));
  // Two holders of each half.
  EXPECT_EQ(sends(R"([{"a"}])", a, R"([{"p"}])", b, {8}), (Counts{2, 2, 2, 2}));
  EXPECT_EQ(sends(R"([{"b"}])", a, "[{}]", b, {8}), (Counts{8, 8, 8, 8}));
  // Two receivers of one half each, from four holders: two send.
  Mesh c = meshOn({2}, {6, 7}, 'p');
  EXPECT_EQ(sends("[{}]", a, R"([{"p"}])", c, {8}), (Counts{4, 4, 0, 0}));
  // A block of two dims: neighbours in either take other holders.
  Mesh d = meshOn({2, 2}, {4, 5, 6, 7}, 'p');
  EXPECT_EQ(sends(R"([{"a"}, {}])", a, R"([{}, {"p", "q"}])", d, {4, 4}),
            (Counts{4, 4, 4, 4}));
}

TEST(CrossMesh, UnknownSizes) {
  Mesh a = meshOn({kUnknown}, {}), b = meshOn({2, kUnknown}, {}, 'p');
  auto plan = std::get<CrossMeshPlan>(
      planRedistribute(parse("[{}]"), a, parse(R"([{"p", "q"}])"), b, {32}));
  // All would be local on the assumed sizes; with others it would not.
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, CollectiveKind::Exchange);
}

TEST(CrossMesh, Errors) {
  Mesh a = meshOn({4}, {}), b = meshOn({2, 2}, {}, 'p');
  auto first = planRedistribute(parse(R"([{"p"}])"), a, parse("[{}]"), b, {8});
  ASSERT_TRUE(std::holds_alternative<PlacementError>(first));
  EXPECT_EQ(std::get<PlacementError>(first).message,
            "unknown axis \"p\" in dim 0");
  auto second = planRedistribute(parse("[{}]"), a, parse(R"([{"a"}])"), b, {8});
  EXPECT_TRUE(std::holds_alternative<PlacementError>(second));
}

} // namespace
