//===- CostModelTests.cpp - Bytes, seconds, and their order -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires planRedistribute to plan every pair.
// Guarantees that costs are what their formulas say, that the order between
// plans is the documented one, that costs obey the triangle inequality over all
// triples of placements on small meshes where the middle one keeps to rule D2,
// and that links of different speed are used as they should be. Timings of the
// planner are printed and never asserted.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/PlanCache.h"
#include "Support.h"

#include <cmath>
#include <random>
#include <thread>

using namespace shardir;
using namespace shardir::test;

namespace {

PlanOptions byTime(int64_t elementBytes = 4) {
  PlanOptions options;
  options.mode = CostMode::Time;
  options.elementBytes = elementBytes;
  return options;
}

std::string kindsOf(const std::string &src, const std::string &dst,
                    const Mesh &mesh, const Shape &shape,
                    const PlanOptions &options) {
  std::string text;
  RedistributePlan plan = planOf(parse(src), parse(dst), mesh, shape, options);
  for (const CollectiveStep &step : plan.steps) {
    text += text.empty() ? "" : " ";
    text += stringifyCollectiveKind(step.kind);
    for (const AxisRef &axis : groupAxes(step, mesh, shape))
      text += ":" + axis.name;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

TEST(CostModel, Formulas) {
  Mesh mesh = makeMesh({4});
  Shape shape = {1024, 256};
  MachineModel machine;
  machine.bandwidth = 1e9;
  machine.latency = 1e-6;
  auto cost = [&](const std::string &src, const std::string &dst) {
    RedistributePlan plan = planOf(parse(src), parse(dst), mesh, shape);
    return costOf(plan.steps, mesh, shape, 4, machine);
  };
  // 1 MiB; 3/4 of it in 2 messages.
  Cost gather = cost(R"([{"a"}, {}])", R"([{}, {}])");
  EXPECT_EQ(gather.bytes, 786432);
  EXPECT_DOUBLE_EQ(gather.seconds, 3e-6 + 786432e-9);
  EXPECT_EQ(gather.steps, 1);
  EXPECT_EQ(gather.exchanges, 0);
  EXPECT_EQ(gather.copies, 0);
  EXPECT_EQ(gather.peak, 1 << 20);
  Cost reduce = cost(R"([{}, {}], partial = sum ["a"])", R"([{}, {}])");
  EXPECT_EQ(reduce.bytes, 2 * 786432);
  EXPECT_DOUBLE_EQ(reduce.seconds, 5e-6 + 2 * 786432e-9);
  // 256 bytes: as many messages as a reduce_scatter, and three operands. What
  // counts as received stays the same.
  shape = {16, 4};
  Cost brief = cost(R"([{}, {}], partial = sum ["a"])", R"([{}, {}])");
  EXPECT_EQ(brief.bytes, 2 * 192);
  EXPECT_DOUBLE_EQ(brief.seconds, 3e-6 + 3 * 256e-9);
  shape = {1024, 256};
  Cost slice = cost(R"([{}, {}])", R"([{"a"}, {}])");
  EXPECT_EQ(slice.bytes, 0);
  EXPECT_EQ(slice.seconds, 0);
  EXPECT_EQ(slice.copies, 1);
  EXPECT_EQ(slice.steps, 0);
}

// An exchange sends as much as it must receive in all: one device that holds
// what three others want sends three times what each receives.
TEST(CostModel, ExchangeCountsWhatIsSent) {
  Mesh mesh = makeMesh({4});
  Shape shape = {2, 6};
  Placement from = parse(R"([{"a"}, {}])"), to = parse(R"([{}, {"a"}])");
  // Rows on devices 0 and 1 alone; two columns each on 0, 1, and 2.
  CollectiveStep step{CollectiveKind::Exchange, from, to};
  MachineModel machine;
  machine.bandwidth = 1;
  machine.latency = 1e-3;
  Cost cost = costOf({step}, mesh, shape, 1, machine);
  EXPECT_EQ(cost.bytes, 4);
  // Device 0 sends 2 columns of its row to each of devices 1 and 2; device 2
  // receives 4 elements from 2 peers.
  EXPECT_DOUBLE_EQ(cost.seconds, 4 + 3e-3);
  Cost narrow = costOf({{CollectiveKind::Exchange, parse(R"([{}, {"a"}])"),
                         parse(R"([{"a"}, {}])")}},
                       mesh, {1, 8}, 1, machine);
  EXPECT_EQ(narrow.bytes, 6);
}

TEST(CostModel, WeighsDevices) {
  Mesh mesh = makeMesh({3, 2});
  mesh.devices = {5, 3, 1, 0, 2, 4};
  for (const Shape &shape : std::vector<Shape>{{6, 4}, {5, 4}, {2, 7}}) {
    std::vector<Placement> placements = allPlacements(
        mesh, shape.size(), replicatedAxes(mesh), PartialKind::Sum);
    for (const Placement &src : placements)
      for (const Placement &dst : placements) {
        if (!src.partial && dst.partial)
          continue;
        RedistributePlan plan = planOf(src, dst, mesh, shape);
        int64_t most = 0;
        std::vector<double> weights(6, 0.0);
        double sum = 0;
        for (int64_t p = 0; p < 6; ++p) {
          auto rank = static_cast<size_t>(mesh.rankAt(p));
          int64_t own = 0;
          for (const CollectiveStep &step : plan.steps)
            own += bytesReceived(step, mesh, shape, 4, p);
          most = std::max(most, own);
          std::vector<double> one(6, 0.0);
          one[rank] = 1;
          ASSERT_EQ(planBytes(plan, mesh, shape, 4, one), own)
              << toString(src) << " to " << toString(dst) << ", rank " << rank;
          weights[rank] = static_cast<double>(1 + rank) / 4;
          sum += weights[rank] * static_cast<double>(own);
        }
        ASSERT_EQ(planBytes(plan, mesh, shape, 4), most);
        ASSERT_EQ(planBytes(plan, mesh, shape, 4, weights), std::llround(sum));
        // Ranks without a weight do not count.
        ASSERT_EQ(planBytes(plan, mesh, shape, 4, {}), 0);
        // Whoever plans by weights is right, and has no more by them.
        PlanOptions options;
        options.deviceWeights = weights;
        RedistributePlan other = planOf(src, dst, mesh, shape, options);
        ASSERT_EQ(checkPlan(other, src, dst, mesh, shape), "");
        ASSERT_LE(planBytes(other, mesh, shape, 4, weights),
                  planBytes(plan, mesh, shape, 4, weights))
            << toString(src) << " to " << toString(dst);
      }
  }
}

TEST(CostModel, Order) {
  Cost a, b;
  a.bytes = 8;
  b.bytes = 9;
  b.steps = -1;
  EXPECT_TRUE(isCheaper(a, b, CostMode::Bytes));
  EXPECT_FALSE(isCheaper(b, a, CostMode::Bytes));
  EXPECT_FALSE(isCheaper(a, a, CostMode::Bytes));
  a.seconds = 1;
  EXPECT_TRUE(isCheaper(a, b, CostMode::Bytes));
  EXPECT_FALSE(isCheaper(a, b, CostMode::Time));
  b = a;
  b.exchanges = 1;
  EXPECT_TRUE(isCheaper(a, b, CostMode::Bytes));
  b.steps = -1;
  EXPECT_FALSE(isCheaper(a, b, CostMode::Bytes));
  b = a;
  b.copies = 1;
  EXPECT_TRUE(isCheaper(a, b, CostMode::Time));
}

//===----------------------------------------------------------------------===//
// Which plans
//===----------------------------------------------------------------------===//

TEST(CostModel, StandardCollectivesAtEqualBytes) {
  Mesh mesh = makeMesh({2, 4});
  for (PlanOptions options : {PlanOptions(), byTime()}) {
    EXPECT_EQ(
        kindsOf(R"([{"a"}, {}])", R"([{}, {"b"}])", mesh, {16, 32}, options),
        "slice:b all_gather:a");
    EXPECT_EQ(
        kindsOf(R"([{"b"}, {}])", R"([{}, {"b"}])", mesh, {16, 32}, options),
        "all_to_all:b");
    EXPECT_EQ(kindsOf(R"([{"a", "b"}, {}])", R"([{"b"}, {}])", mesh, {16, 32},
                      options),
              "exchange:a:b");
  }
}

// Bytes alone slice by an unrelated axis first; that takes three steps, which
// only pays where there is enough to move.
TEST(CostModel, TimeWeighsLatency) {
  Mesh mesh = makeMesh({2, 4});
  const char *src = R"([{}, {}], partial = sum ["b"])";
  const char *dst = R"([{"b"}, {}])";
  const char *long_ = "slice:a reduce_scatter:b all_gather:a";
  EXPECT_EQ(kindsOf(src, dst, mesh, {16, 32}, {}), long_);
  EXPECT_EQ(kindsOf(src, dst, mesh, {16, 32}, byTime()), "reduce_scatter:b");
  EXPECT_EQ(kindsOf(src, dst, mesh, {4096, 4096}, byTime()), long_);
}

TEST(CostModel, LinksThatDiffer) {
  Mesh mesh = makeMesh({2, 4});
  mesh.axes[0].link = Link{1e9, 1e-5};
  mesh.axes[1].link = Link{1e11, 1e-6};
  Shape shape = {4096, 4096};
  // Over the fast axis, then over the slow one, and back.
  EXPECT_EQ(kindsOf(R"([{}, {}], partial = sum ["a", "b"])", R"([{}, {}])",
                    mesh, shape, byTime()),
            "reduce_scatter:b all_reduce:a all_gather:b");
  EXPECT_EQ(
      kindsOf(R"([{"a", "b"}, {}])", R"([{}, {}])", mesh, shape, byTime()),
      "all_gather:a all_gather:b");
  EXPECT_EQ(kindsOf(R"([{}, {}], partial = sum ["a", "b"])",
                    R"([{"a", "b"}, {}])", mesh, shape, byTime()),
            "reduce_scatter:b reduce_scatter:a");
  // Bytes know no links.
  EXPECT_EQ(kindsOf(R"([{"a", "b"}, {}])", R"([{}, {}])", mesh, shape, {}),
            "all_gather:a:b");
  // Equal links change nothing.
  mesh.axes[0].link = mesh.axes[1].link;
  EXPECT_EQ(
      kindsOf(R"([{"a", "b"}, {}])", R"([{}, {}])", mesh, shape, byTime()),
      "all_gather:a:b");
}

// Devices of one node share what they gather or add up, and not what each
// device has of its own.
TEST(CostModel, NodesShareWhatTheyGather) {
  Mesh mesh = makeMesh({64}), apart = mesh;
  mesh.axes[0].link = Link{5e10, 1e-5, 4e11};
  apart.axes[0].link = Link{5e10, 1e-5};
  Shape shape = {4096, 65536};
  auto ratio = [&](const char *src, const char *dst) {
    Placement from = parse(src), to = parse(dst);
    double estimate = estimateRedistribute(from, to, apart, shape, 4).seconds /
                      estimateRedistribute(from, to, mesh, shape, 4).seconds;
    auto seconds = [&](const Mesh &own) {
      return costOf(planOf(from, to, own, shape, byTime()).steps, own, shape, 4)
          .seconds;
    };
    EXPECT_NEAR(estimate, seconds(apart) / seconds(mesh), 0.2) << src;
    return estimate;
  };
  EXPECT_NEAR(ratio(R"([{"a"}, {}])", "[{}, {}]"), 8, 0.5);
  EXPECT_NEAR(ratio(R"([{}, {}], partial = sum ["a"])", R"([{"a"}, {}])"), 8,
              0.5);
  EXPECT_NEAR(ratio(R"([{"a"}, {}])", R"([{}, {"a"}])"), 1, 0.01);
}

// Plans chosen by time are right too: they run on numbers.
TEST(CostModel, PlansByTimeAreRight) {
  Mesh mesh = makeMesh({2, 2, 2});
  mesh.axes[1].link = Link{1e8, 1e-4};
  for (const Shape &shape : std::vector<Shape>{{8, 8}, {5, 7}, {64, 64}}) {
    std::vector<Placement> all =
        allPlacements(mesh, 2, replicatedAxes(mesh), PartialKind::Sum);
    size_t index = 0;
    for (const Placement &src : all)
      for (const Placement &dst : all) {
        if (!isExhaustive() && ++index % 29 != 0)
          continue;
        RedistributePlan plan = planOf(src, dst, mesh, shape, byTime(8));
        std::string wrong = checkPlan(plan, src, dst, mesh, shape);
        ASSERT_EQ(wrong, "") << toString(src) << " -> " << toString(dst) << "\n"
                             << toString(plan, mesh, shape);
      }
  }
}

//===----------------------------------------------------------------------===//
// The triangle inequality
//===----------------------------------------------------------------------===//

/// Checks cost(a, c) <= cost(a, b) + cost(b, c) for all placements `b` that
/// hold no more than the larger of `a` and `c`. A `b` that is partial where `a`
/// is not, and `c` what `b` does not, is a detour that makes terms: left out.
/// Partial sources are planned within one row per step of the least
/// where sizes are uneven: there the direct way may cost `slack` rows more, in
/// bytes, and a message more per row, in time.
void checkTriangles(const Mesh &mesh, const Shape &shape,
                    const std::vector<AxisRef> &axes, bool withPartials,
                    const PlanOptions &options, int slack = 0) {
  std::vector<Placement> all =
      withPartials ? allPlacements(mesh, shape.size(), axes, PartialKind::Sum)
                   : allPlacements(mesh, shape.size(), axes);
  size_t n = all.size();
  bool time = options.mode == CostMode::Time;
  std::vector<double> cost(n * n);
  std::vector<int64_t> held;
  for (const Placement &placement : all)
    held.push_back(maxLocalElements(placement, mesh, shape));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      RedistributePlan plan = planOf(all[i], all[j], mesh, shape, options);
      Cost c = costOf(plan.steps, mesh, shape, options.elementBytes,
                      options.machine);
      cost[i * n + j] = time ? c.seconds : static_cast<double>(c.bytes);
    }
  auto isMorePartial = [&](const Placement &to, const Placement &from) {
    Placement source = normalForm(from, mesh, shape);
    for (const AxisRef &axis : normalForm(to, mesh, shape).partialAxes) {
      bool isPartial = false;
      for (const AxisRef &other : source.partialAxes)
        isPartial |=
            axis == other || (other.isWhole() && axis.name == other.name);
      if (!isPartial)
        return true;
    }
    return false;
  };
  size_t triples = 0, failures = 0;
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      if (isMorePartial(all[b], all[a]))
        continue;
      for (size_t c = 0; c < n; ++c) {
        if (held[b] > std::max(held[a], held[c]) ||
            isMorePartial(all[c], all[b]))
          continue;
        ++triples;
        double direct = cost[a * n + c];
        if (slack && all[a].partial) {
          int64_t row = std::max(shape[0], shape[1]);
          direct -=
              time ? slack * options.machine.latency
                   : static_cast<double>(slack * row * options.elementBytes);
        }
        double detour = cost[a * n + b] + cost[b * n + c];
        if (direct <= detour * (1 + 1e-9) || failures++ > 3)
          continue;
        auto text = [&](size_t i, size_t j) {
          return toString(planOf(all[i], all[j], mesh, shape, options), mesh,
                          shape);
        };
        ADD_FAILURE() << ::testing::PrintToString(shape) << ": " << direct
                      << " > " << cost[a * n + b] << " + " << cost[b * n + c]
                      << "\n"
                      << text(a, c) << "via\n"
                      << text(a, b) << "and\n"
                      << text(b, c);
      }
    }
  std::printf("[ %8s ] %zu triples, %zu fail\n", "TRIANGLE", triples, failures);
}

TEST(CostModel, TriangleByBytes) {
  checkTriangles(makeMesh({4}), {8, 8}, kHalves, true, {});
  checkTriangles(makeMesh({4}), {5, 7}, kHalves, true, {}, 1);
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{2, 4}, {2, 3}}) {
    Mesh mesh = makeMesh(sizes);
    checkTriangles(mesh, {12, 24}, replicatedAxes(mesh), true, {});
    checkTriangles(mesh, {5, 7}, replicatedAxes(mesh), true, {}, 1);
    checkTriangles(mesh, {3, 1}, replicatedAxes(mesh), true, {}, 1);
  }
  Mesh mesh = makeMesh({2, 2, 2});
  checkTriangles(mesh, {8, 8}, replicatedAxes(mesh), true, {});
  checkTriangles(mesh, {5, 7}, replicatedAxes(mesh), true, {}, 1);
}

TEST(CostModel, TriangleByTime) {
  checkTriangles(makeMesh({4}), {8, 8}, kHalves, true, byTime());
  checkTriangles(makeMesh({4}), {4096, 4096}, kHalves, true, byTime());
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{2, 4}, {2, 3}}) {
    Mesh mesh = makeMesh(sizes);
    checkTriangles(mesh, {12, 24}, replicatedAxes(mesh), true, byTime());
    checkTriangles(mesh, {3072, 6144}, replicatedAxes(mesh), true, byTime());
    checkTriangles(mesh, {5, 7}, replicatedAxes(mesh), true, byTime(), 1);
    checkTriangles(mesh, {3, 1}, replicatedAxes(mesh), true, byTime(), 1);
  }
  Mesh mesh = makeMesh({2, 2, 2});
  bool withPartials = isExhaustive();
  checkTriangles(mesh, {8, 8}, replicatedAxes(mesh), withPartials, byTime());
  checkTriangles(mesh, {5, 7}, replicatedAxes(mesh), withPartials, byTime(), 1);
  checkTriangles(mesh, {4096, 1024}, replicatedAxes(mesh), withPartials,
                 byTime());
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

TEST(PlanCache, FindsWhatDecidesThePlanAlone) {
  Mesh mesh = makeMesh({2, 4});
  PlanCache cache;
  PlanOptions options = byTime();
  options.cache = &cache;
  Placement src = parse(R"([{"a", "b"}, {}])"), dst = parse(R"([{}, {"b"}])");
  RedistributePlan first = planOf(src, dst, mesh, {16, 32}, options);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.hits(), 0u);
  EXPECT_EQ(planOf(src, dst, mesh, {16, 32}, options).steps, first.steps);
  // Another spelling, another name of the mesh, another order of devices.
  Mesh other = mesh;
  other.name = "other";
  other.devices = {7, 6, 5, 4, 3, 2, 1, 0};
  Placement spelled = parse(R"([{"a", "b":(1)2, "b":(2)2}, {}])");
  EXPECT_EQ(planOf(spelled, dst, other, {16, 32}, options).steps, first.steps);
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.size(), 1u);
  // The cache's key: shape, element, mode, machine, links, sizes, direction.
  planOf(src, dst, mesh, {16, 64}, options);
  EXPECT_EQ(cache.size(), 2u);
  PlanOptions changed = options;
  changed.elementBytes = 8;
  planOf(src, dst, mesh, {16, 32}, changed);
  EXPECT_EQ(cache.size(), 3u);
  changed = options;
  changed.mode = CostMode::Bytes;
  planOf(src, dst, mesh, {16, 32}, changed);
  EXPECT_EQ(cache.size(), 4u);
  changed = options;
  changed.machine.latency = 1;
  planOf(src, dst, mesh, {16, 32}, changed);
  EXPECT_EQ(cache.size(), 5u);
  other.axes[0].link = Link{1e9, 0};
  planOf(src, dst, other, {16, 32}, options);
  EXPECT_EQ(cache.size(), 6u);
  planOf(dst, src, mesh, {16, 32}, options);
  EXPECT_EQ(cache.size(), 7u);
  EXPECT_EQ(cache.hits(), 2u);
  // A copy is another cache.
  PlanCache copy = cache;
  options.cache = &copy;
  planOf(dst, src, mesh, {16, 64}, options);
  EXPECT_EQ(copy.size(), 8u);
  EXPECT_EQ(cache.size(), 7u);
}

TEST(PlanCache, ThreadsShareOne) {
  Mesh mesh = makeMesh({2, 2, 2});
  std::vector<Placement> all =
      allPlacements(mesh, 1, replicatedAxes(mesh), PartialKind::Sum);
  PlanCache cache;
  std::vector<std::vector<RedistributePlan>> plans(4);
  std::vector<std::thread> threads;
  for (std::vector<RedistributePlan> &mine : plans)
    threads.emplace_back([&] {
      PlanOptions options;
      options.cache = &cache;
      for (const Placement &src : all)
        for (const Placement &dst : all) {
          auto result = planRedistribute(src, dst, mesh, {16}, options);
          mine.push_back(std::get<RedistributePlan>(result));
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<RedistributePlan> &mine : plans)
    for (size_t i = 0; i < mine.size(); ++i)
      ASSERT_EQ(mine[i].steps, plans[0][i].steps);
  // Pairs of equal placements need no plan, and are not kept.
  size_t pairs = 0;
  for (const Placement &src : all)
    for (const Placement &dst : all)
      pairs += !equivalent(src, dst, mesh, {16});
  EXPECT_EQ(cache.size(), pairs);
  EXPECT_GE(cache.hits(), pairs);
}

} // namespace
