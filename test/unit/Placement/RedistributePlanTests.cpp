//===- RedistributePlanTests.cpp - Every pair of placements -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans are checked by arithmetic: each is run on numbers and compared with the
// tensor, over all pairs of placements on small meshes, in even, uneven and
// empty shapes (rules D1 to D5). A few plans are also checked by name, so that
// what is a reduce-scatter stays one.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <iostream>

using namespace shardir;
using namespace shardir::test;

namespace {

void checkShapes(const Mesh &mesh, size_t rank,
                 const std::vector<AxisRef> &axes,
                 const std::vector<Shape> &shapes, size_t sample) {
  for (const Shape &shape : shapes) {
    checkAllPairs(allPlacements(mesh, rank, axes), mesh, shape, sample);
    for (PartialKind kind : {PartialKind::Sum, PartialKind::Max})
      checkAllPairs(allPlacements(mesh, rank, axes, kind), mesh, shape, sample);
  }
}

TEST(RedistributePlan, Rank0) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{4}, {2, 4}, {2, 2, 2}}) {
    Mesh mesh = makeMesh(sizes);
    checkShapes(mesh, 0, replicatedAxes(mesh), {{}}, 2000);
  }
}

TEST(RedistributePlan, Rank1) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{4}, {2, 4}, {2, 2, 2}, {3, 2}, {1, 4}}) {
    Mesh mesh = makeMesh(sizes);
    checkShapes(mesh, 1, replicatedAxes(mesh),
                {{16}, {24}, {13}, {5}, {3}, {1}, {0}}, 2000);
  }
}

TEST(RedistributePlan, Rank2On4WithSubAxes) {
  checkShapes(makeMesh({4}), 2, kHalves, {{8, 8}, {5, 6}, {3, 2}, {1, 7}},
              2000);
}

TEST(RedistributePlan, Rank2On2x4) {
  Mesh mesh = makeMesh({2, 4});
  checkShapes(mesh, 2, replicatedAxes(mesh), {{8, 16}, {5, 7}, {3, 2}}, 2000);
}

TEST(RedistributePlan, Rank2On4x2WithSubAxes) {
  Mesh mesh = makeMesh({4, 2});
  std::vector<AxisRef> axes = kHalves;
  axes.push_back(AxisRef{"b", 1, 0});
  checkShapes(mesh, 2, axes, {{8, 8}, {5, 6}}, 1250);
}

TEST(RedistributePlan, Rank2On2x2x2) {
  Mesh mesh = makeMesh({2, 2, 2});
  checkShapes(mesh, 2, replicatedAxes(mesh), {{8, 8}, {7, 5}, {2, 3}}, 1250);
}

TEST(RedistributePlan, Rank3On2x2x2) {
  Mesh mesh = makeMesh({2, 2, 2});
  checkShapes(mesh, 3, replicatedAxes(mesh), {{4, 2, 4}, {3, 2, 5}}, 300);
}

// Halves and thirds of 6 have no common refinement.
TEST(RedistributePlan, SubAxesThatDoNotNest) {
  std::vector<AxisRef> axes = {AxisRef{"a", 1, 0}, AxisRef{"a", 1, 2},
                               AxisRef{"a", 2, 3}, AxisRef{"a", 1, 3},
                               AxisRef{"a", 3, 2}};
  checkShapes(makeMesh({6}), 1, axes, {{12}, {7}, {4}}, 2000);
  checkShapes(makeMesh({6}), 2, axes, {{6, 12}, {5, 4}}, 1250);
}

TEST(RedistributePlan, Strided) {
  Mesh mesh = makeMesh({2, 2});
  for (int64_t size : {24, 20, 6})
    checkAllPairs(
        stridedPlacements(mesh, size, replicatedAxes(mesh), {2, 3}, 4), mesh,
        {size}, 3000);
  Mesh four = makeMesh({4});
  for (int64_t size : {24, 36})
    checkAllPairs(stridedPlacements(four, size, kHalves, {2, 3}, 3), four,
                  {size}, 2000);
}

TEST(RedistributePlan, StridedPartial) {
  Mesh mesh = makeMesh({2, 2, 2});
  std::vector<Placement> placements;
  for (const Placement &placement :
       stridedPlacements(mesh, 24, replicatedAxes(mesh), {2, 3}, 3)) {
    placements.push_back(placement);
    for (const char *axis : {"b", "c"}) {
      Placement sum = placement;
      sum.partial = PartialKind::Sum;
      sum.partialAxes = {AxisRef{axis, 1, 0}};
      if (!verifyPlacement(sum, mesh, {24}))
        placements.push_back(sum);
    }
  }
  checkAllPairs(placements, mesh, {24}, 4000);
}

TEST(RedistributePlan, PartialsOfDifferentKinds) {
  Mesh mesh = makeMesh({2, 2});
  std::vector<Placement> sums =
      allPlacements(mesh, 1, replicatedAxes(mesh), PartialKind::Sum);
  std::vector<Placement> both =
      allPlacements(mesh, 1, replicatedAxes(mesh), PartialKind::Min);
  both.insert(both.end(), sums.begin(), sums.end());
  checkAllPairs(both, mesh, {8}, 2000);
  checkAllPairs(both, mesh, {3}, 2000);
}

TEST(RedistributePlan, TwiceIsNothing) {
  Mesh mesh = makeMesh({2, 2, 2});
  for (const Placement &placement :
       allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum)) {
    auto result = planRedistribute(placement, placement, mesh, {8, 6});
    ASSERT_TRUE(std::holds_alternative<RedistributePlan>(result));
    EXPECT_TRUE(std::get<RedistributePlan>(result).steps.empty());
  }
}

//===----------------------------------------------------------------------===//
// Which collectives
//===----------------------------------------------------------------------===//

std::string planText(const std::string &src, const std::string &dst,
                     const Mesh &mesh, const Shape &shape) {
  auto result = planRedistribute(parse(src), parse(dst), mesh, shape);
  if (auto *error = std::get_if<PlacementError>(&result))
    return "error: " + error->message;
  return toString(std::get<RedistributePlan>(result), mesh, shape);
}

TEST(RedistributePlan, ByName) {
  Mesh mesh = makeMesh({2, 4});
  Shape shape = {16, 32};
  auto plan = [&](const std::string &src, const std::string &dst) {
    return planText(src, dst, mesh, shape);
  };
  EXPECT_EQ(plan(R"([{}, {}])", R"([{"a"}, {"b"}])"),
            "slice [\"a\", \"b\"]: [{}, {}] -> [{\"a\"}, {\"b\"}]\n");
  EXPECT_EQ(plan(R"([{"a"}, {"b"}])", R"([{"a"}, {}])"),
            "all_gather [\"b\"]: [{\"a\"}, {\"b\"}] -> [{\"a\"}, {}]\n");
  EXPECT_EQ(plan(R"([{"b"}, {}])", R"([{}, {"b"}])"),
            "all_to_all [\"b\"]: [{\"b\"}, {}] -> [{}, {\"b\"}]\n");
  EXPECT_EQ(plan(R"([{"a"}, {}], partial = sum ["b"])", R"([{"a"}, {}])"),
            "all_reduce [\"b\"]: [{\"a\"}, {}], partial = sum [\"b\"] -> "
            "[{\"a\"}, {}]\n");
  EXPECT_EQ(plan(R"([{}, {"a"}], partial = sum ["b"])", R"([{"b"}, {"a"}])"),
            "reduce_scatter [\"b\"]: [{}, {\"a\"}], partial = sum [\"b\"] -> "
            "[{\"b\"}, {\"a\"}]\n");
  // Four terms of half of the rows, and the other half: two shards instead of
  // three.
  EXPECT_EQ(plan(R"([{}, {}], partial = sum ["b"])", R"([{"b"}, {}])"),
            "slice [\"a\"]: [{}, {}], partial = sum [\"b\"] -> [{4, \"a\"}, "
            "{}], partial = sum [\"b\"]\n"
            "reduce_scatter [\"b\"]: [{4, \"a\"}, {}], partial = sum [\"b\"] "
            "-> [{\"b\", \"a\"}, {}]\n"
            "all_gather [\"a\"]: [{\"b\", \"a\"}, {}] -> [{\"b\"}, {}]\n");
  // The rest is reduced after the scatter, when it is smaller.
  EXPECT_EQ(plan(R"([{}, {}], partial = sum ["a", "b"])", R"([{"b"}, {}])"),
            "reduce_scatter [\"b\"]: [{}, {}], partial = sum [\"a\", \"b\"] "
            "-> [{\"b\"}, {}], partial = sum [\"a\"]\n"
            "all_reduce [\"a\"]: [{\"b\"}, {}], partial = sum [\"a\"] -> "
            "[{\"b\"}, {}]\n");
  // A slice shrinks the reduction; a strided one where the axis is minor.
  EXPECT_EQ(plan(R"([{}, {}], partial = sum ["b"])", R"([{"b", "a"}, {}])"),
            "slice [\"a\"]: [{}, {}], partial = sum [\"b\"] -> [{4, \"a\"}, "
            "{}], partial = sum [\"b\"]\n"
            "reduce_scatter [\"b\"]: [{4, \"a\"}, {}], partial = sum [\"b\"] "
            "-> [{\"b\", \"a\"}, {}]\n");
  EXPECT_EQ(plan(R"([{"a"}, {}])", R"([{}, {"b"}])"),
            "slice [\"b\"]: [{\"a\"}, {}] -> [{\"a\"}, {\"b\"}]\n"
            "all_gather [\"a\"]: [{\"a\"}, {\"b\"}] -> [{}, {\"b\"}]\n");
  EXPECT_EQ(plan(R"([{}, {}])", R"([{}, {}], partial = max ["a"])"),
            "make_partial [\"a\"]: [{}, {}] -> [{}, {}], partial = max "
            "[\"a\"]\n");
  EXPECT_EQ(plan(R"([{"a", "b"}, {}])", R"([{"b", "a"}, {}])"),
            "permute [\"a\", \"b\"]: [{\"a\", \"b\"}, {}] -> [{\"b\", "
            "\"a\"}, {}]\n");
  EXPECT_EQ(plan(R"([{"a", "b"}, {}])", R"([{"b"}, {}])"),
            "exchange [\"a\", \"b\"]: [{\"a\", \"b\"}, {}] -> [{\"b\"}, "
            "{}]\n");
}

TEST(RedistributePlan, UnknownSizes) {
  Mesh mesh = makeMesh({2, kUnknown});
  Shape shape = {kUnknown, 32};
  auto plan = [&](const std::string &src, const std::string &dst) {
    return planText(src, dst, mesh, shape);
  };
  EXPECT_EQ(plan(R"([{"b"}, {}])", R"([{}, {}])"),
            "all_gather [\"b\"]: [{\"b\"}, {}] -> [{}, {}]\n");
  // No integer stands for a size that is not known.
  EXPECT_EQ(plan(R"([{}, {}], partial = sum ["b"])", R"([{"b", "a"}, {}])"),
            "reduce_scatter [\"b\"]: [{}, {}], partial = sum [\"b\"] -> "
            "[{\"b\"}, {}]\n"
            "slice [\"a\"]: [{\"b\"}, {}] -> [{\"b\", \"a\"}, {}]\n");
  // Equal sizes by assumption are no renaming.
  EXPECT_EQ(plan(R"([{"a"}, {}])", R"([{"b"}, {}])"),
            "exchange [\"a\", \"b\"]: [{\"a\"}, {}] -> [{\"b\"}, {}]\n");
}

// A plan that was made before sizes were known is right for every size.
TEST(RedistributePlan, UnknownSizesThenKnown) {
  Mesh unknown = makeMesh({2, kUnknown});
  std::vector<AxisRef> axes = replicatedAxes(unknown);
  axes.push_back(AxisRef{"b", 1, 2});
  axes.push_back(AxisRef{"b", 2, 2});
  std::vector<Placement> placements =
      allPlacements(unknown, 2, axes, PartialKind::Sum);
  int failures = 0;
  size_t index = 0;
  for (const Placement &src : placements)
    for (const Placement &dst : placements) {
      if (!isExhaustive() && ++index % 17 != 0)
        continue;
      auto result = planRedistribute(src, dst, unknown, {kUnknown, 6});
      ASSERT_TRUE(std::holds_alternative<RedistributePlan>(result));
      for (int64_t b : {4, 8, 12})
        for (int64_t rows : {0, 5, 16}) {
          Mesh mesh = makeMesh({2, b});
          Shape shape = {rows, 6};
          RedistributePlan plan = std::get<RedistributePlan>(result);
          for (CollectiveStep &step : plan.steps) {
            step.from = normalForm(step.from, mesh, shape);
            step.to = normalForm(step.to, mesh, shape);
          }
          std::string wrong = checkPlan(plan, src, dst, mesh, shape);
          if (wrong.empty())
            continue;
          ADD_FAILURE() << toString(src) << " -> " << toString(dst)
                        << " with b=" << b << ", " << rows << " rows: " << wrong
                        << "\n"
                        << toString(plan, mesh, shape);
          if (++failures == 5)
            return;
        }
    }
}

// Units in a dim whose extent is not known: plans are right for every extent
// that they divide.
TEST(RedistributePlan, UnitsOfUnknownExtents) {
  Mesh mesh = makeMesh({2, 2});
  std::vector<std::string> texts = {R"([{"a", 3}, {}])",
                                    R"([{3, "a"}, {}])",
                                    R"([{"a", 3, "b"}, {}])",
                                    R"([{"b", "a", 3}, {}])",
                                    R"([{"a"}, {"b"}])",
                                    R"([{}, {"b", "a"}])",
                                    R"([{}, {}])",
                                    R"([{"b", 3}, {}], partial = sum ["a"])"};
  for (const std::string &from : texts)
    for (const std::string &to : texts) {
      Placement src = parse(from), dst = parse(to);
      auto result = planRedistribute(src, dst, mesh, {kUnknown, 6});
      ASSERT_TRUE(std::holds_alternative<RedistributePlan>(result));
      for (int64_t rows : {0, 6, 18, 30}) {
        Shape shape = {rows, 6};
        RedistributePlan plan = std::get<RedistributePlan>(result);
        for (CollectiveStep &step : plan.steps) {
          step.from = normalForm(step.from, mesh, shape);
          step.to = normalForm(step.to, mesh, shape);
        }
        EXPECT_EQ(checkPlan(plan, src, dst, mesh, shape), "")
            << from << " -> " << to << ", " << rows << " rows\n"
            << toString(plan, mesh, shape);
      }
    }
}

// Sizes that are given late, and are those assumed, give the plan that they
// give early (P6), unless that plan cuts an axis or leaves integers, which
// other sizes may not allow, or permutes blocks, which may differ at other
// sizes.
TEST(RedistributePlan, TheSameEarlyAndLate) {
  Mesh known = makeMesh({2, 4}), unknown = known;
  for (MeshAxis &axis : unknown.axes) {
    axis.assumed = axis.size;
    axis.size = kUnknown;
  }
  std::vector<Placement> placements =
      allPlacements(unknown, 2, replicatedAxes(unknown), PartialKind::Sum);
  auto isGeneral = [](const RedistributePlan &plan) {
    for (const CollectiveStep &step : plan.steps) {
      if (step.kind == CollectiveKind::Permute)
        return false;
      for (const Placement *placement : {&step.from, &step.to})
        for (const DimPlacement &dim : placement->dims)
          for (const Split &split : dim.splits)
            if (!split.isAxis() || !split.axis->isWhole())
              return false;
    }
    return true;
  };
  for (CostMode mode : {CostMode::Bytes, CostMode::Time})
    for (const Shape &shape : {Shape{16, 8}, Shape{9, 5}}) {
      int pairs = 0, general = 0, same = 0;
      PlanOptions options;
      options.mode = mode;
      for (const Placement &src : placements)
        for (const Placement &dst : placements) {
          auto early = planRedistribute(src, dst, known, shape, options);
          auto late = planRedistribute(src, dst, unknown, shape, options);
          ASSERT_TRUE(std::holds_alternative<RedistributePlan>(early));
          ASSERT_TRUE(std::holds_alternative<RedistributePlan>(late));
          auto &first = std::get<RedistributePlan>(early);
          auto &second = std::get<RedistributePlan>(late);
          bool isSame = first.steps == second.steps;
          ++pairs;
          general += isGeneral(first);
          same += isSame;
          if (isGeneral(first))
            EXPECT_TRUE(isSame)
                << toString(src) << " -> " << toString(dst) << "\nearly:\n"
                << toString(first, known, shape) << "late:\n"
                << toString(second, unknown, shape);
        }
      std::cout << "[ THE SAME ] " << same << " of " << pairs << " pairs, "
                << general << " of them by whole axes alone\n";
    }
}

TEST(RedistributePlan, SugarAndErrors) {
  Mesh mesh = makeMesh({2, 4});
  EXPECT_EQ(planText("placements = [shard(0), partial(sum)]",
                     "placements = [shard(0), replicate]", mesh, {8}),
            "all_reduce [\"b\"]: [{\"a\"}], partial = sum [\"b\"] -> "
            "[{\"a\"}]\n");
  EXPECT_EQ(planText("[{}, {}]", "[{}]", mesh, {8}),
            "error: placement has 2 dims but the tensor has rank 1");
  EXPECT_EQ(planText("[{3, \"a\"}]", "[{}]", mesh, {8}),
            "error: cannot split dim 0 of size 8 by factor 3 (must divide "
            "exactly)");
}

TEST(RedistributePlan, LargeMesh) {
  // The cost is in the devices and the blocks, never in the elements.
  Mesh mesh = makeMesh({16, 8, 4});
  Shape shape = {int64_t{1} << 40, int64_t{1} << 20};
  EXPECT_EQ(
      planText(R"([{"a", "b"}, {"c"}])", R"([{"c"}, {"a", "b"}])", mesh, shape),
      "exchange [\"a\", \"b\", \"c\"]: [{\"a\", \"b\"}, {\"c\"}] -> "
      "[{\"c\"}, {\"a\", \"b\"}]\n");
}

} // namespace
