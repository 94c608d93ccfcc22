//===- LeastBytesTests.cpp - Plans against an exhaustive search -*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires ExhaustiveSearch to list all placements of a shape on a mesh.
// Guarantees rule D4 for pairs of which one is partial: where everything
// divides, a plan receives exactly what the best of all plans does; where sizes
// are uneven, at most one row more per step.
//
//===----------------------------------------------------------------------===//

#include "ExhaustiveSearch.h"

#include <random>

using namespace shardir;
using namespace shardir::test;

namespace {

/// The elements of the longest row: one index of one dim, of the larger of the
/// two shards.
int64_t rowElements(const Placement &src, const Placement &dst,
                    const Mesh &mesh, const Shape &shape) {
  int64_t most = 0;
  for (const Placement *placement : {&src, &dst})
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t row = 1;
      for (size_t e = 0; e < shape.size(); ++e)
        if (e != d)
          row *= maxLocalExtent(*placement, mesh, shape[e], e);
      most = std::max(most, row);
    }
  return most;
}

enum class Destinations { NotPartial, Partial };

/// `sources` of the sources (all if exhaustive) that are partial, to all
/// destinations that do not; or of all sources, to all that are partial.
void checkLeast(const Mesh &mesh, const Shape &shape,
                const std::vector<AxisRef> &axes, bool even, size_t sources,
                bool strided = true,
                Destinations chosen = Destinations::NotPartial) {
  ExhaustiveSearch search(mesh, shape, axes, strided);
  std::vector<Placement> placements =
      allPlacements(mesh, shape.size(), axes, PartialKind::Sum);
  bool any = chosen == Destinations::Partial;
  std::vector<Placement> srcs;
  for (const Placement &placement : placements)
    if (any || placement.partial)
      srcs.push_back(placement);
  std::mt19937 random(11);
  if (!isExhaustive() && srcs.size() > sources) {
    std::shuffle(srcs.begin(), srcs.end(), random);
    srcs.resize(sources);
  }
  size_t pairs = 0, worse = 0, below = 0;
  for (const Placement &src : srcs) {
    std::vector<Placement> dsts;
    for (const Placement &placement : placements)
      if (any == placement.partial.has_value())
        dsts.push_back(placement);
    std::vector<int64_t> least = search.leastElements(src, dsts);
    for (size_t i = 0; i < dsts.size(); ++i) {
      ++pairs;
      const Placement &dst = dsts[i];
      auto result = planRedistribute(src, dst, mesh, shape);
      ASSERT_TRUE(std::holds_alternative<RedistributePlan>(result));
      const RedistributePlan &plan = std::get<RedistributePlan>(result);
      int64_t planned = planBytes(plan, mesh, shape, 1);
      int64_t slack = even ? 0
                           : static_cast<int64_t>(plan.steps.size()) *
                                 rowElements(src, dst, mesh, shape);
      worse += planned > least[i];
      below += planned < least[i];
      if (planned >= least[i] && planned <= least[i] + slack)
        continue;
      ADD_FAILURE() << toString(src) << " -> " << toString(dst) << " of "
                    << ::testing::PrintToString(shape) << " on "
                    << mesh.numDevices() << " devices receives " << planned
                    << ", the least is " << least[i] << "\n"
                    << toString(plan, mesh, shape);
      if (::testing::Test::HasFailure() && below + worse > 20)
        return;
    }
  }
  std::printf(
      "[ %8s ] %zu placements, %zu pairs, %zu of them above the least\n",
      "SEARCHED", search.numPlacements(), pairs, worse);
}

const std::vector<AxisRef> kWithHalves = {
    AxisRef{"a", 1, 0}, AxisRef{"b", 1, 0}, AxisRef{"b", 1, 2},
    AxisRef{"b", 2, 2}};

TEST(LeastBytes, On4) {
  Mesh mesh = makeMesh({4});
  checkLeast(mesh, {16}, kHalves, true, 100);
  checkLeast(mesh, {8, 8}, kHalves, true, 100);
  checkLeast(mesh, {2, 2}, kHalves, true, 100);
  checkLeast(mesh, {4, 4, 4}, kHalves, true, 100);
}

TEST(LeastBytes, On4Uneven) {
  Mesh mesh = makeMesh({4});
  for (const Shape &shape :
       std::vector<Shape>{{7}, {3}, {5, 7}, {3, 1}, {6, 3}})
    checkLeast(mesh, shape, kHalves, false, 100);
}

TEST(LeastBytes, On2x2x2) {
  Mesh mesh = makeMesh({2, 2, 2});
  checkLeast(mesh, {16}, replicatedAxes(mesh), true, 100);
  checkLeast(mesh, {8, 8}, replicatedAxes(mesh), true, 12);
}

TEST(LeastBytes, On2x2x2Uneven) {
  Mesh mesh = makeMesh({2, 2, 2});
  for (const Shape &shape :
       std::vector<Shape>{{13}, {3}, {5, 7}, {3, 1}, {6, 3}, {2, 2}})
    checkLeast(mesh, shape, replicatedAxes(mesh), false, 12);
}

TEST(LeastBytes, On2x4) {
  Mesh mesh = makeMesh({2, 4});
  checkLeast(mesh, {16}, kWithHalves, true, 100);
  checkLeast(mesh, {8, 8}, kWithHalves, true, 12);
}

TEST(LeastBytes, On2x4Uneven) {
  Mesh mesh = makeMesh({2, 4});
  for (const Shape &shape :
       std::vector<Shape>{{13}, {3}, {5, 7}, {3, 1}, {6, 3}})
    checkLeast(mesh, shape, kWithHalves, false, 12);
}

TEST(LeastBytes, On2x3) {
  Mesh mesh = makeMesh({2, 3});
  checkLeast(mesh, {12}, replicatedAxes(mesh), true, 100);
  checkLeast(mesh, {6, 6}, replicatedAxes(mesh), true, 12);
  checkLeast(mesh, {12, 6}, replicatedAxes(mesh), true, 12);
}

TEST(LeastBytes, On2x3Uneven) {
  Mesh mesh = makeMesh({2, 3});
  for (const Shape &shape :
       std::vector<Shape>{{13}, {4}, {5, 7}, {3, 1}, {6, 4}})
    checkLeast(mesh, shape, replicatedAxes(mesh), false, 12);
}

TEST(LeastBytes, OfTerms) {
  for (int64_t size : {2, 3, 4}) {
    Mesh mesh = makeMesh({size});
    for (const Shape &shape : std::vector<Shape>{
             {2 * size}, {size, size}, {2 * size, size}, {size, size, 2}})
      checkLeast(mesh, shape, size == 4 ? kHalves : replicatedAxes(mesh), true,
                 100, true, Destinations::Partial);
  }
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{2, 2}, {2, 3}}) {
    Mesh mesh = makeMesh(sizes);
    int64_t all = mesh.numDevices();
    checkLeast(mesh, {2 * all}, replicatedAxes(mesh), true, 100, true,
               Destinations::Partial);
    checkLeast(mesh, {all, all}, replicatedAxes(mesh), true, 20, true,
               Destinations::Partial);
  }
}

TEST(LeastBytes, OfTermsUneven) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{2}, {3}, {2, 2}, {2, 3}}) {
    Mesh mesh = makeMesh(sizes);
    for (const Shape &shape :
         std::vector<Shape>{{1}, {3}, {5}, {7}, {3, 1}, {5, 3}})
      checkLeast(mesh, shape, replicatedAxes(mesh), false, 20, true,
                 Destinations::Partial);
  }
}

TEST(LeastBytes, On3x3x2) {
  Mesh mesh = makeMesh({3, 3, 2});
  checkLeast(mesh, {18}, replicatedAxes(mesh), true, 12);
  checkLeast(mesh, {18, 18}, replicatedAxes(mesh), true, 1);
  checkLeast(mesh, {5, 7}, replicatedAxes(mesh), false, 3);
}

} // namespace
