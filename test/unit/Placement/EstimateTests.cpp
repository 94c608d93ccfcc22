//===- EstimateTests.cpp - Predicted costs against plans --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires planRedistribute to find the fewest bytes.
// Guarantees how far the closed form is from the plans: not at all in bytes
// where everything divides, by the factors below elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <ctime>

using namespace shardir;
using namespace shardir::test;

namespace {

/// Between prediction and plan, in bytes of uneven shapes and in seconds. A row
/// of rounding per dim and step comes on top where shapes are tiny.
constexpr double kUnevenFactor = 2, kSecondsFactor = 3;

/// A target that is partial where the source was not is made from what all
/// hold: the prediction counts the bytes moved alone, as the plan does.
void checkCosts(const Mesh &mesh, const Shape &shape,
                const std::vector<AxisRef> &axes, bool even) {
  std::vector<Placement> all =
      allPlacements(mesh, shape.size(), axes, PartialKind::Sum);
  double worstBytes = 1, worstSeconds = 1;
  int failures = 0;
  int64_t rows = 0;
  for (int64_t extent : shape)
    rows += extent;
  size_t index = 0;
  for (const Placement &src : all)
    for (const Placement &dst : all) {
      if (!isExhaustive() && all.size() > 60 && ++index % 47 != 0)
        continue;
      Cost predicted = estimateRedistribute(src, dst, mesh, shape, 4);
      PlanOptions byTime;
      byTime.mode = CostMode::Time;
      auto least = planRedistribute(src, dst, mesh, shape);
      auto fastest = planRedistribute(src, dst, mesh, shape, byTime);
      const RedistributePlan &plan = std::get<RedistributePlan>(least);
      int64_t bytes = planBytes(plan, mesh, shape, 4);
      double seconds =
          costOf(std::get<RedistributePlan>(fastest).steps, mesh, shape, 4)
              .seconds;
      auto ratio = [](double a, double b) {
        return a == b ? 1 : std::max(a, b) / std::max(1e-30, std::min(a, b));
      };
      double slack = even ? 0 : static_cast<double>(rows) * 4;
      double far =
          std::abs(static_cast<double>(predicted.bytes - bytes)) <= slack
              ? 1
              : ratio(static_cast<double>(predicted.bytes),
                      static_cast<double>(bytes));
      double late = ratio(predicted.seconds, seconds);
      worstBytes = std::max(worstBytes, far);
      // Nothing to move is nothing in both, or rounding.
      if (bytes != 0 && predicted.bytes != 0)
        worstSeconds = std::max(worstSeconds, late);
      bool wrong =
          far > (even ? 1 : kUnevenFactor) ||
          (bytes != 0 && predicted.bytes != 0 && late > kSecondsFactor);
      if (wrong && ++failures <= 4)
        ADD_FAILURE() << toString(src) << " -> " << toString(dst) << " of "
                      << ::testing::PrintToString(shape) << ": "
                      << predicted.bytes << " bytes for " << bytes << ", "
                      << predicted.seconds << " s for " << seconds << "\n"
                      << toString(plan, mesh, shape) << "by time\n"
                      << toString(std::get<RedistributePlan>(fastest), mesh,
                                  shape);
    }
  std::printf("[ %8s ] %zu placements of %s: %.2fx in bytes, %.2fx in seconds, "
              "%d fail\n",
              "PREDICTED", all.size(), ::testing::PrintToString(shape).c_str(),
              worstBytes, worstSeconds, failures);
}

TEST(Estimate, Even) {
  checkCosts(makeMesh({4}), {16, 32}, replicatedAxes(makeMesh({4})), true);
  checkCosts(makeMesh({4}), {16, 32},
             {AxisRef{"a", 1, 0}, AxisRef{"a", 1, 2}, AxisRef{"a", 2, 2}},
             true);
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{2, 4}, {2, 2, 2}}) {
    Mesh mesh = makeMesh(sizes);
    checkCosts(mesh, {64, 32}, replicatedAxes(mesh), true);
    checkCosts(mesh, {4096, 8192}, replicatedAxes(mesh), true);
  }
  checkCosts(makeMesh({2, 2, 2}), {16, 8, 8},
             replicatedAxes(makeMesh({2, 2, 2})), true);
}

TEST(Estimate, Uneven) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{4}, {2, 4}, {2, 2, 2}, {2, 3}, {3, 3, 2}}) {
    Mesh mesh = makeMesh(sizes);
    for (const Shape &shape :
         std::vector<Shape>{{500, 700}, {1000, 37}, {5, 7}})
      checkCosts(mesh, shape, replicatedAxes(mesh), false);
  }
}

TEST(Estimate, TakesNoDevices) {
  // 2^40 devices cost what 8 do.
  Mesh mesh = makeMesh({1 << 20, 1 << 20});
  Cost predicted = estimateRedistribute(
      parse(R"([{"a"}, {}], partial = sum ["b"])"), parse(R"([{}, {"b"}])"),
      mesh, {int64_t{1} << 30, int64_t{1} << 30}, 2);
  EXPECT_GT(predicted.bytes, int64_t{1} << 39);
  EXPECT_GT(predicted.seconds, 0);
  EXPECT_EQ(estimateRedistribute(parse("[{}, {}]"), parse(R"([{"a"}, {}])"),
                                 mesh, {1 << 20, 8}, 4)
                .bytes,
            0);
}

} // namespace
