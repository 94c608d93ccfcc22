//===- MessageScheduleTests.cpp - Who sends what to whom over MPI ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves data by the schedules of all ranks without MPI: messages lie in a map
// until their receiver asks for them. Requires routes of a program's metadata
// and compares with what the route itself says; guarantees that every message
// that is sent is received, in blocks of equal sizes, whatever the limits are.
//
//===----------------------------------------------------------------------===//

#include "Processes/MessageSchedule.h"
#include "Support.h"

#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;

namespace {

using Data = std::vector<float>;

/// Different on every rank and at every place; small, so that sums are exact.
Data operandOf(size_t position, int64_t count) {
  Data data(static_cast<size_t>(count));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = float(int(position * 37 + i * 5) % 61 - 30);
  return data;
}

/// The data that each position ends with by the route.
std::vector<Data> expected(const Route &route, const std::vector<Data> &in) {
  std::vector<Data> out;
  for (const RoutePart &part : route.parts) {
    Data data(static_cast<size_t>(part.resultCount), -1.0f);
    for (const Transfer &transfer : part.transfers) {
      auto termOf = [&](size_t t) -> const Data & {
        int rank = route.groups[part.group][transfer.sources[t]];
        return in[size_t(route.positionOfRank[size_t(rank)])];
      };
      transfer.plan.forEachSpan([&](int64_t s, int64_t d, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          float sum = 0;
          for (size_t t = 0; t < transfer.sources.size(); ++t)
            sum += termOf(t)[size_t(s + i)];
          data[size_t(d + i)] = sum;
        }
      });
    }
    out.push_back(std::move(data));
  }
  return out;
}

struct Counts {
  size_t messages = 0, inPlace = 0, blocks = 0;
};

/// Runs all ranks' schedules phase by phase, and checks them: those of `locals`
/// by position, if there are any, and else those of `route`.
void simulate(const Route &route, const BlockLimits &limits, Counts &counts,
              const std::vector<std::shared_ptr<const Route>> &locals = {}) {
  size_t n = route.parts.size();
  std::vector<Data> in, out;
  std::vector<MessageSchedule> schedules;
  for (size_t p = 0; p < n; ++p) {
    in.push_back(operandOf(p, route.parts[p].operandCount));
    out.emplace_back(size_t(route.parts[p].resultCount), -1.0f);
    schedules.push_back(
        locals.empty()
            ? makeMpiSchedule(route, int64_t(p), limits)
            : makeMpiSchedule(*locals[p], locals[p]->selfIndex, limits));
  }
  // By group, sender, receiver and transfer: blocks in order.
  using Key = std::tuple<size_t, uint32_t, uint32_t, uint32_t>;
  size_t phases = 0;
  std::map<size_t, size_t> phasesOfGroup;
  for (size_t p = 0; p < n; ++p) {
    size_t own = schedules[p].phases.size();
    phases = std::max(phases, own);
    ASSERT_EQ(phasesOfGroup.emplace(route.parts[p].group, own).first->second,
              own);
  }
  for (size_t phase = 0; phase < phases; ++phase) {
    std::map<Key, std::deque<Data>> onTheWay;
    for (size_t p = 0; p < n; ++p) {
      const RoutePart &part = route.parts[p];
      if (phase >= schedules[p].phases.size())
        continue;
      const SchedulePhase &now = schedules[p].phases[phase];
      const Data &from = now.sendsResult ? out[p] : in[p];
      for (const CopyPlan &plan : now.local)
        plan.copy(in[p].data(), out[p].data(), sizeof(float));
      for (const BlockSend &send : now.sends) {
        ++counts.messages;
        counts.inPlace += send.inPlace;
        for (const MessageBlock &block : send.blocks) {
          ++counts.blocks;
          ASSERT_GT(block.elements, 0);
          ASSERT_LE(block.elements, std::max(limits.message, limits.staged));
          Data data(static_cast<size_t>(block.elements));
          if (block.offset >= 0)
            std::copy_n(from.begin() + block.offset, block.elements,
                        data.begin());
          else
            block.plan.copy(from.data(), data.data(), sizeof(float));
          onTheWay[{part.group, uint32_t(part.place), send.to, send.transfer}]
              .push_back(std::move(data));
        }
      }
    }
    for (size_t p = 0; p < n; ++p) {
      const RoutePart &part = route.parts[p];
      if (phase >= schedules[p].phases.size())
        continue;
      for (const BlockReceive &receive : schedules[p].phases[phase].receives) {
        for (size_t b = 0; b < receive.blocks.size(); ++b) {
          const MessageBlock &block = receive.blocks[b];
          Data sum(size_t(block.elements), 0.0f);
          for (size_t s = 0; s < receive.sources.size(); ++s) {
            Data term;
            if (int(s) == receive.own) {
              const MessageBlock &own = receive.ownBlocks[b];
              ASSERT_EQ(own.elements, block.elements);
              term.resize(size_t(own.elements));
              own.plan.copy(in[p].data(), term.data(), sizeof(float));
            } else {
              std::deque<Data> &queue =
                  onTheWay[{part.group, receive.sources[s],
                            uint32_t(part.place), receive.transfer}];
              ASSERT_FALSE(queue.empty());
              term = std::move(queue.front());
              queue.pop_front();
            }
            ASSERT_EQ(term.size(), sum.size());
            for (size_t i = 0; i < sum.size(); ++i)
              sum[i] += term[i];
          }
          if (receive.inPlace)
            std::copy_n(sum.begin(), block.elements,
                        out[p].begin() + block.offset);
          else
            block.plan.copy(sum.data(), out[p].data(), sizeof(float));
        }
      }
    }
    for (const auto &[key, queue] : onTheWay)
      ASSERT_TRUE(queue.empty());
  }
  ASSERT_EQ(out, expected(route, in));
}

const BlockLimits kLimits[] = {{1000000, 1000000, 1000000},
                               {1000000, 1000000, 0},
                               {1, 1, 0},
                               {3, 2, 0},
                               {7, 5, 4},
                               {1000000, 4, 0}};

/// Compares the route of one rank with its part in the route of all ranks.
void compare(const Route &all, const Route &local, int rank) {
  int64_t index = all.indexOf(rank);
  ASSERT_EQ(local.zeros, all.zeros);
  ASSERT_EQ(local.indexOf(rank) < 0, index < 0);
  if (index < 0)
    return;
  const RoutePart &want = all.parts[size_t(index)];
  const RoutePart &got = local.parts[size_t(local.selfIndex)];
  ASSERT_EQ(local.groups.size(), 1u);
  ASSERT_EQ(local.groups[0], all.groups[want.group]);
  ASSERT_EQ(got.place, want.place);
  ASSERT_EQ(got.operandCount, want.operandCount);
  ASSERT_EQ(got.resultCount, want.resultCount);
  ASSERT_EQ(got.bytes, want.bytes);
  ASSERT_EQ(got.identity, want.identity);
  ASSERT_EQ(local.reduce, all.reduce);
  ASSERT_EQ(local.kind, all.kind);
  ASSERT_TRUE(local.flatReduce || !all.flatReduce);
  ASSERT_EQ(got.transfers.size(), want.transfers.size());
  for (size_t t = 0; t < want.transfers.size(); ++t) {
    ASSERT_EQ(got.transfers[t].sources, want.transfers[t].sources);
    ASSERT_TRUE(got.transfers[t].plan == want.transfers[t].plan);
  }
  std::vector<CopyPlan> sends = local.sends();
  ASSERT_EQ(sends.size(), local.groups[0].size());
  for (size_t to = 0; to < sends.size(); ++to) {
    std::vector<const CopyPlan *> sent;
    if (to != want.place)
      for (const Transfer &transfer : all.partAt(want.group, to).transfers)
        for (uint32_t source : transfer.sources)
          if (source == want.place)
            sent.push_back(&transfer.plan);
    ASSERT_EQ(sends[to].isEmpty() ? 0u : 1u, sent.size());
    if (!sent.empty())
      ASSERT_TRUE(sends[to] == *sent[0]);
  }
}

/// The kinds of collectives that lead from one placement to the other.
std::vector<std::string> kindsOf(const Placement &from, const Placement &to) {
  // Whether each dim of `b` is split as that of `a`, and then further.
  auto nests = [](const Placement &a, const Placement &b) {
    for (size_t d = 0; d < a.dims.size(); ++d) {
      const std::vector<Split> &outer = a.dims[d].splits;
      const std::vector<Split> &inner = b.dims[d].splits;
      if (outer.size() > inner.size() ||
          !std::equal(outer.begin(), outer.end(), inner.begin()))
        return false;
    }
    return true;
  };
  std::vector<std::string> kinds{"exchange"};
  if (from.partialAxes == to.partialAxes) {
    kinds.push_back("all_to_all");
    kinds.push_back("permute");
    if (nests(to, from))
      kinds.push_back("all_gather");
    if (nests(from, to))
      kinds.push_back("slice");
  } else if (to.partialAxes.empty() && nests(from, to)) {
    kinds.push_back(nests(to, from) ? "all_reduce" : "reduce_scatter");
  } else if (from.partialAxes.empty() && nests(to, from)) {
    kinds.push_back("make_partial");
  }
  return kinds;
}

/// Compares the routes of one rank with those of all ranks, for all pairs of
/// `placements`, and moves data by them.
void compareAll(const std::vector<AxisText> &axes,
                const std::vector<std::string> &placements,
                const std::vector<int64_t> &shape,
                std::vector<int64_t> devices = {}) {
  MetadataText text(axes, std::move(devices));
  std::string error;
  for (const std::string &from : placements)
    for (const std::string &to : placements)
      for (const std::string &kind :
           kindsOf(*parsePlacement(from, error), *parsePlacement(to, error)))
        text.redistribute(kind, from, to, shape);
  auto program = text.program();
  const std::vector<CollectiveSpec> &specs = program->metadata.collectives;
  for (size_t id = 0; id < specs.size(); ++id) {
    auto all = program->routes.get(int32_t(id), nullptr, error);
    if (!all) // an uneven shape that a placement cannot cut
      continue;
    std::vector<std::shared_ptr<const Route>> locals(all->parts.size());
    for (int rank = 0; rank < int(text.ranks()); ++rank) {
      auto local = program->routes.get(int32_t(id), nullptr, error, rank);
      ASSERT_TRUE(local) << error;
      compare(*all, *local, rank);
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << specs[id].describe() << " on rank " << rank;
        return;
      }
      if (int64_t index = all->indexOf(rank); index >= 0)
        locals[size_t(index)] = local;
    }
    if (!specs[id].step.to.partialAxes.empty())
      continue; // the communicator fills in the identity
    for (const BlockLimits &limits : {kLimits[1], kLimits[3]}) {
      Counts counts;
      simulate(*all, limits, counts, locals);
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << specs[id].describe();
        return;
      }
    }
  }
}

Counts simulateAll(const MetadataText &text) {
  auto program = text.program();
  Counts counts;
  for (size_t id = 0; id < program->metadata.collectives.size(); ++id) {
    std::string error;
    auto route = program->routes.get(int32_t(id), nullptr, error);
    EXPECT_TRUE(route) << error;
    for (const BlockLimits &limits : kLimits) {
      simulate(*route, limits, counts);
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << program->metadata.collectives[id].describe();
        return counts;
      }
    }
  }
  return counts;
}

TEST(MessageSchedule, BlocksMeetWhateverTheLimits) {
  std::vector<std::string> list = {"[{}, {}]",
                                   "[{\"x\"}, {}]",
                                   "[{}, {\"x\"}]",
                                   "[{\"y\"}, {}]",
                                   "[{\"x\", \"y\"}, {}]",
                                   "[{\"y\", \"x\"}, {}]",
                                   "[{\"x\"}, {\"y\"}]",
                                   "[{}, {\"y\", \"x\"}]",
                                   "[{}, {}], partial = sum [\"x\"]",
                                   "[{}, {\"x\"}], partial = sum [\"y\"]",
                                   "[{}, {}], partial = sum [\"x\", \"y\"]"};
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{5, 7}, {8, 4}, {1, 3}}) {
    MetadataText text({{"x", 2}, {"y", 3}});
    for (const std::string &from : list)
      for (const std::string &to : list)
        // A new partial axis is filled in by the communicator, not by messages.
        if (to.find("partial") == std::string::npos)
          text.redistribute("exchange", from, to, shape);
    Counts counts = simulateAll(text);
    EXPECT_GT(counts.messages, 0u);
    EXPECT_GT(counts.blocks, counts.messages);
  }
}

TEST(LocalRoute, IsThePartInTheRouteOfAll) {
  std::vector<std::string> list = {"[{}, {}]",
                                   "[{\"x\"}, {}]",
                                   "[{}, {\"x\"}]",
                                   "[{\"y\"}, {}]",
                                   "[{\"x\", \"y\"}, {}]",
                                   "[{\"y\", \"x\"}, {}]",
                                   "[{\"x\"}, {\"y\"}]",
                                   "[{\"y\"}, {\"x\"}]",
                                   "[{}, {\"y\", \"x\"}]",
                                   "[{}, {}], partial = sum [\"x\"]",
                                   "[{}, {}], partial = sum [\"y\"]",
                                   "[{\"x\"}, {}], partial = sum [\"y\"]",
                                   "[{}, {\"x\"}], partial = sum [\"y\"]",
                                   "[{}, {}], partial = sum [\"x\", \"y\"]"};
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {5, 7}, {12, 6}, {1, 3}, {0, 4}, {1, 1}}) {
    compareAll({{"x", 2}, {"y", 3}}, list, shape);
    compareAll({{"x", 2}, {"y", 3}}, list, shape, {5, 3, 1, 0, 2, 4});
    compareAll({{"x", 2}, {"y", 2}}, list, shape);
    compareAll({{"y", 1}, {"x", 3}}, list, shape);
    compareAll({{"y", 2}, {"z", 2}, {"x", 2}}, list, shape);
  }
  compareAll({{"x", 2}, {"y", 3}}, {"[]", "[], partial = sum [\"x\", \"y\"]"},
             {});
}

TEST(LocalRoute, PartsOfAxes) {
  std::vector<std::string> list = {
      "[{2, \"x\"}, {}]",
      "[{\"x\", 2}, {}]",
      "[{\"x\"}, {}]",
      "[{}, {3, \"x\"}]",
      "[{}, {}]",
      "[{\"x\":(2)2}, {\"x\":(1)2}]",
      "[{\"x\":(1)2}, {}]",
      "[{\"x\":(2)2, \"y\"}, {}]",
      "[{}, {\"x\":(1)2}], partial = sum [\"x\":(2)2]",
      "[{\"x\":(1)2}, {}], partial = sum [\"y\"]",
      "[{}, {}], partial = sum [\"x\":(1)2, \"y\"]"};
  compareAll({{"x", 4}, {"y", 2}}, list, {16, 12});
  compareAll({{"y", 2}, {"x", 4}}, list, {24, 12});
}

TEST(LocalRoute, CostsAreOfTheGroup) {
  // 64 x 64 ranks in groups of 64: a route of all has 4,096 parts.
  MetadataText text({{"x", 64}, {"y", 64}});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {4096});
  text.redistribute("all_to_all", "[{\"y\"}, {}]", "[{}, {\"y\"}]", {64, 64});
  auto program = text.program();
  std::string error;
  for (int32_t id : {0, 1}) {
    auto route = program->routes.get(id, nullptr, error, 77);
    ASSERT_TRUE(route) << error;
    EXPECT_EQ(route->parts.size(), 1u);
    EXPECT_EQ(route->groups[0].size(), 64u);
    EXPECT_TRUE(route->positionOfRank.empty());
  }
}

TEST(MessageSchedule, StridedShards) {
  std::vector<std::string> list = {"[{2, \"x\"}, {}]", "[{\"x\", 2}, {}]",
                                   "[{\"x\"}, {}]", "[{}, {3, \"x\"}]",
                                   "[{\"x\":(2)2}, {\"x\":(1)2}]"};
  MetadataText text({{"x", 4}});
  for (const std::string &from : list)
    for (const std::string &to : list)
      text.redistribute("exchange", from, to, {16, 12});
  simulateAll(text);
}

TEST(MessageSchedule, ContiguousDataGoesInPlace) {
  auto shareInPlace = [](const std::string &kind, const std::string &from,
                         const std::string &to) {
    MetadataText text({{"x", 4}});
    text.redistribute(kind, from, to, {8, 4});
    auto program = text.program();
    std::string error;
    auto route = program->routes.get(0, nullptr, error);
    Counts counts;
    simulate(*route, {1000000, 1000000, 0}, counts);
    size_t receives = 0, received = 0;
    for (int64_t p = 0; p < 4; ++p)
      for (const SchedulePhase &phase :
           makeMpiSchedule(*route, p, {1000000, 1000000, 0}).phases)
        for (const BlockReceive &receive : phase.receives) {
          ++receives;
          received += receive.inPlace;
        }
    return std::make_tuple(counts.inPlace == counts.messages,
                           received == receives);
  };
  // Rows are contiguous on both sides, columns where they are replicated.
  EXPECT_EQ(shareInPlace("all_gather", "[{\"x\"}, {}]", "[{}, {}]"),
            std::make_tuple(true, true));
  EXPECT_EQ(shareInPlace("all_gather", "[{}, {\"x\"}]", "[{}, {}]"),
            std::make_tuple(true, false));
  EXPECT_EQ(shareInPlace("all_to_all", "[{\"x\"}, {}]", "[{}, {\"x\"}]"),
            std::make_tuple(false, true));
  // Terms are received beside each other and reduced into the result.
  EXPECT_EQ(shareInPlace("reduce_scatter", "[{}, {}], partial = sum [\"x\"]",
                         "[{\"x\"}, {}]"),
            std::make_tuple(true, false));
}

TEST(MessageSchedule, AllReduceMovesTheLeast) {
  // 2(n-1)/n of the operand by each member, where it is worth two phases.
  MetadataText text({{"x", 4}});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {100});
  auto program = text.program();
  std::string error;
  auto route = program->routes.get(0, nullptr, error);
  for (int64_t whole : {0, 100}) {
    MessageSchedule schedule = makeMpiSchedule(*route, 1, {1000, 1000, whole});
    int64_t received = 0;
    for (const SchedulePhase &phase : schedule.phases)
      for (const BlockReceive &receive : phase.receives)
        for (const MessageBlock &block : receive.blocks)
          received += block.elements *
                      int64_t(receive.sources.size() - (receive.own >= 0));
    EXPECT_EQ(schedule.phases.size(), whole ? 1u : 2u);
    EXPECT_EQ(received, whole ? 300 : 2 * 3 * 25);
  }
}

/// The schedule of rank 1 of `ranks`, where engines reduce.
SchedulePhase engineCall(const std::string &kind, const std::string &from,
                         const std::string &to, std::vector<int64_t> shape,
                         int64_t ranks, bool even) {
  MetadataText text({{"x", ranks}});
  text.redistribute(kind, from, to, shape);
  auto program = text.program();
  std::string error;
  auto route = program->routes.get(0, nullptr, error, 1);
  BlockLimits limits{INT64_MAX, INT64_MAX, 16, 1 << 20, 4, true, even};
  MessageSchedule schedule = makeMpiSchedule(*route, route->selfIndex, limits);
  EXPECT_EQ(schedule.phases.size(), 1u);
  return schedule.phases[0];
}

TEST(MessageSchedule, ManyTermsAreReducedInChunks) {
  MetadataText text({{"x", 16}});
  for (int64_t elements : {512, 513, 2048, 15})
    text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]",
                      {elements});
  auto program = text.program();
  auto phases = [&](int32_t id, int64_t whole, bool even) {
    std::string error;
    auto route = program->routes.get(id, nullptr, error, 3);
    BlockLimits limits{1 << 20, 1 << 20, whole, 1 << 20, 4};
    limits.even = even;
    return makeMpiSchedule(*route, 0, limits).phases.size();
  };
  // 16 terms of 512 are four operands of 2,048.
  EXPECT_EQ(phases(0, 2048, false), 1u);
  EXPECT_EQ(phases(1, 2048, false), 2u);
  EXPECT_EQ(phases(2, 2048, false), 2u);
  // A kernel takes longer to start than to reduce them.
  EXPECT_EQ(phases(2, 2048, true), 1u);
  // Not all members would have a chunk.
  EXPECT_EQ(phases(3, 16, false), 1u);
}

TEST(MessageSchedule, EnginesOfEvenPiecesGetPaddedOnes) {
  const char *terms = "[{}, {}], partial = sum [\"x\"]";
  const char *rows = "[{\"x\"}, {}]", *columns = "[{}, {\"x\"}]";
  // 2 rows each: nothing is packed. Of 7 rows the last member has one.
  SchedulePhase even =
      engineCall("reduce_scatter", terms, rows, {8, 3}, 4, true);
  EXPECT_EQ(even.way, PhaseWay::ReduceScatter);
  EXPECT_EQ(even.elements, 6);
  EXPECT_EQ(even.packed, 0u);
  EXPECT_EQ(even.staged, 0u);
  SchedulePhase odd =
      engineCall("reduce_scatter", terms, rows, {7, 3}, 4, true);
  EXPECT_EQ(odd.way, PhaseWay::ReduceScatter);
  EXPECT_EQ(odd.elements, 6);
  EXPECT_EQ(odd.in.offsets, (std::vector<int>{0, 24, 48, 72}));
  EXPECT_EQ(odd.packed, 4u * 6 * 4);
  // One row for 16 members would be padded to 16: messages move less.
  SchedulePhase few =
      engineCall("reduce_scatter", terms, rows, {1, 3}, 16, true);
  EXPECT_EQ(few.way, PhaseWay::Messages);
  // There is no call from each to each.
  EXPECT_EQ(engineCall("all_to_all", rows, columns, {8, 8}, 4, true).way,
            PhaseWay::Messages);
  EXPECT_EQ(engineCall("all_to_all", rows, columns, {8, 8}, 4, false).way,
            PhaseWay::AllToAll);
}

} // namespace
