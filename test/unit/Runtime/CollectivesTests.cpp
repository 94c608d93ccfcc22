//===- CollectivesTests.cpp - Collectives between placements --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every pair of placements on small meshes as an exchange and checks every
// element on every rank. Requires shardOf alone, not the pieces that the
// runtime pulls: an element's value is a function of its global index and, in a
// partial tensor, of its device's coordinates along the partial axes. Integers
// in a small range keep sums exact.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;
using testing::HasSubstr;

namespace {

SHARDIR_RUN_ON_CORES(Collectives);

int64_t valueOf(const std::vector<int64_t> &index, int64_t term) {
  int64_t h = term * 7919 + 17;
  for (int64_t i : index)
    h = h * 31 + i * i + 3 * i + 1;
  return h % 41 - 20;
}

/// Calls f(localFlat, globalIndex) for each element of a shard.
template <class F>
void forEachElement(const Placement &p, const Mesh &mesh,
                    const std::vector<int64_t> &shape, int64_t position,
                    F &&f) {
  std::vector<DimShard> dims = shardOf(p, mesh, shape, position);
  std::vector<int64_t> local(dims.size()), index(dims.size());
  int64_t n = 1;
  for (DimShard &d : dims)
    n *= d.localExtent();
  for (int64_t flat = 0; flat < n; ++flat) {
    int64_t rest = flat;
    for (size_t d = dims.size(); d-- > 0;) {
      index[d] = dims[d].toGlobal(rest % dims[d].localExtent());
      rest /= dims[d].localExtent();
    }
    f(size_t(flat), index);
  }
}

bool has(const std::vector<AxisRef> &axes, const std::string &name) {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const AxisRef &a) { return a.name == name; });
}

/// The number of a device's term: its coordinates along undivided partial axes.
int64_t termOf(const Placement &p, const Mesh &mesh,
               const std::vector<int64_t> &coords) {
  int64_t term = 0;
  for (const AxisRef &axis : p.partialAxes)
    term = term * 16 + axisCoordinate(mesh, axis, coords) + 1;
  return term;
}

template <class T>
std::vector<T> operandOf(const CollectiveStep &step, const Mesh &mesh,
                         const std::vector<int64_t> &shape, int64_t position) {
  std::vector<T> data;
  int64_t term = termOf(step.from, mesh, mesh.coordinates(position));
  forEachElement(step.from, mesh, shape, position,
                 [&](size_t, const std::vector<int64_t> &index) {
                   data.push_back(T(valueOf(index, term)));
                 });
  return data;
}

/// The result that the device must hold; sums over the axes that are
/// partial before and not after, zero where a new partial axis says so.
template <class T>
std::vector<T> resultOf(const CollectiveStep &step, const Mesh &mesh,
                        const std::vector<int64_t> &shape, int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  bool neutral = false;
  for (const AxisRef &axis : step.to.partialAxes)
    if (!has(step.from.partialAxes, axis.name))
      neutral |= axisCoordinate(mesh, axis, coords) != 0;
  std::vector<int64_t> terms;
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    std::vector<int64_t> c = mesh.coordinates(p);
    bool takesPart = true;
    for (size_t a = 0; a < mesh.axes.size(); ++a) {
      bool summed = has(step.from.partialAxes, mesh.axes[a].name) &&
                    !has(step.to.partialAxes, mesh.axes[a].name);
      takesPart &= summed || c[a] == coords[a];
    }
    if (takesPart)
      terms.push_back(termOf(step.from, mesh, c));
  }
  std::vector<T> data;
  forEachElement(step.to, mesh, shape, position,
                 [&](size_t, const std::vector<int64_t> &index) {
                   int64_t sum = 0;
                   for (int64_t term : terms)
                     sum += neutral ? 0 : valueOf(index, term);
                   data.push_back(T(sum));
                 });
  return data;
}

/// All placements of a matrix by undivided axes: each axis nowhere, on a dim,
/// or partial, in both orders, and a strided one.
std::vector<std::string> placements(const std::vector<AxisText> &axes) {
  std::vector<std::string> result;
  size_t n = axes.size(), count = 1;
  for (size_t i = 0; i < n; ++i)
    count *= 4;
  for (size_t code = 0; code < count; ++code)
    for (bool reversed : {false, true}) {
      std::string dims[2], partial;
      size_t rest = code, used = 0;
      for (size_t k = 0; k < n; ++k, rest /= 4) {
        const std::string name =
            "\"" + axes[reversed ? n - 1 - k : k].name + "\"";
        size_t where = rest % 4;
        if (where == 0)
          continue;
        ++used;
        std::string &list = where == 3 ? partial : dims[where - 1];
        list += (list.empty() ? "" : ", ") + name;
      }
      if (reversed && used < 2)
        continue;
      result.push_back(
          "[{" + dims[0] + "}, {" + dims[1] + "}]" +
          (partial.empty() ? "" : ", partial = sum [" + partial + "]"));
    }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Runs all collectives of a program in order on all ranks; every rank checks
/// its result and lists what is wrong.
template <class T> void checkAll(const std::shared_ptr<Program> &program) {
  const Metadata &m = program->metadata;
  std::vector<std::string> wrong(size_t(m.ranks));
  std::string error = runRanks(program, [&](RankContext &rank) {
    for (size_t id = 0; id < m.collectives.size(); ++id) {
      const CollectiveSpec &spec = m.collectives[id];
      const Mesh &mesh = m.meshes[0];
      int64_t position = mesh.positionOf(rank.rank);
      std::vector<T> in = operandOf<T>(spec.step, mesh, spec.shape, position);
      std::vector<T> expected =
          resultOf<T>(spec.step, mesh, spec.shape, position);
      std::vector<T> out(expected.size() + 1, T(77));
      int64_t before = rank.bytesReceived;
      rank.collective(int32_t(id), in.data(), out.data(), nullptr);
      int64_t bytes = rank.bytesReceived - before;
      if (out.back() != T(77) ||
          !std::equal(expected.begin(), expected.end(), out.begin()) ||
          bytes !=
              bytesReceived(spec.step, mesh, spec.shape, sizeof(T), position))
        wrong[size_t(rank.rank)] += "\n" + spec.describe() + " from " +
                                    toString(spec.step.from) + " to " +
                                    toString(spec.step.to);
    }
  });
  EXPECT_EQ(error, "");
  for (size_t r = 0; r < wrong.size(); ++r)
    EXPECT_EQ(wrong[r], "") << "on rank " << r;
}

void checkAllPairs(const std::vector<AxisText> &axes,
                   const std::vector<int64_t> &shape,
                   std::vector<int64_t> devices = {}) {
  MetadataText text(axes, std::move(devices));
  std::vector<std::string> all = placements(axes);
  for (const std::string &from : all)
    for (const std::string &to : all)
      text.redistribute("exchange", from, to, shape);
  checkAll<float>(text.program());
}

TEST_P(Collectives, AllPairsOnOneAxis) {
  checkAllPairs({{"x", 1}}, {3, 2});
  checkAllPairs({{"x", 2}}, {5, 3});
  checkAllPairs({{"x", 3}}, {7, 4});
  checkAllPairs({{"x", 4}}, {3, 5}); // an empty shard
  checkAllPairs({{"x", 8}}, {9, 16});
}

TEST_P(Collectives, AllPairsOnTwoAxes) {
  checkAllPairs({{"x", 2}, {"y", 2}}, {5, 3});
  checkAllPairs({{"x", 2}, {"y", 2}}, {8, 4});
  checkAllPairs({{"x", 1}, {"y", 3}}, {5, 3});
  checkAllPairs({{"x", 2}, {"y", 3}}, {1, 7});
  checkAllPairs({{"x", 2}, {"y", 2}}, {0, 3});
}

TEST_P(Collectives, AllPairsInAnotherDeviceOrder) {
  checkAllPairs({{"x", 2}, {"y", 2}}, {5, 3}, {3, 1, 0, 2});
}

TEST_P(Collectives, AllPairsOnEightRanks) {
  checkAllPairs({{"x", 2}, {"y", 4}}, {6, 9});
}

TEST_P(Collectives, StridedAndSubAxes) {
  std::vector<std::string> list = {"[{2, \"x\"}, {}]",
                                   "[{\"x\", 2}, {}]",
                                   "[{\"x\"}, {}]",
                                   "[{}, {3, \"x\"}]",
                                   "[{\"x\":(1)2}, {}]",
                                   "[{\"x\":(2)2}, {\"x\":(1)2}]",
                                   "[{}, {\"x\":(2)2, 3}]",
                                   "[{4, \"x\":(1)2}, {\"x\":(2)2}]",
                                   "[{\"x\":(2)2, \"x\":(1)2}, {}]"};
  MetadataText text({{"x", 4}});
  for (const std::string &from : list)
    for (const std::string &to : list)
      text.redistribute("exchange", from, to, {16, 12});
  checkAll<float>(text.program());
}

TEST_P(Collectives, NamedKinds) {
  MetadataText text({{"x", 2}, {"y", 3}});
  std::vector<int64_t> shape = {7, 10, 3};
  text.redistribute("all_gather", "[{}, {\"y\"}, {}]", "[{}, {}, {}]", shape);
  text.redistribute("all_gather", "[{\"x\"}, {\"y\"}, {}]", "[{}, {}, {}]",
                    shape);
  text.redistribute("all_to_all", "[{\"y\"}, {\"x\"}, {}]",
                    "[{}, {\"x\"}, {\"y\"}]", shape);
  text.redistribute("reduce_scatter", "[{}, {}, {}], partial = sum [\"y\"]",
                    "[{}, {\"y\"}, {}]", shape);
  text.redistribute("reduce_scatter",
                    "[{\"x\"}, {}, {}], partial = sum [\"y\"]",
                    "[{\"x\", \"y\"}, {}, {}]", shape);
  text.redistribute("all_reduce", "[{\"x\"}, {}, {}], partial = sum [\"y\"]",
                    "[{\"x\"}, {}, {}]", shape);
  text.redistribute("all_reduce", "[{}, {}, {}], partial = sum [\"x\", \"y\"]",
                    "[{}, {}, {}], partial = sum [\"x\"]", shape);
  text.redistribute("permute", "[{\"x\", \"y\"}, {}, {}]",
                    "[{\"y\", \"x\"}, {}, {}]", {12, 2, 2});
  text.redistribute("all_reduce", "[], partial = sum [\"x\", \"y\"]", "[]", {});
  checkAll<float>(text.program());
}

TEST_P(Collectives, ElementSizes) {
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    MetadataText text({{"x", 3}});
    std::vector<std::string> all = placements({{"x", 3}});
    for (const std::string &from : all)
      for (const std::string &to : all)
        text.redistribute("exchange", from, to, {11, 5}, type);
    switch (elementSize(*parseElementType(type))) {
    case 1:
      checkAll<int8_t>(text.program());
      break;
    case 2:
      checkAll<int16_t>(text.program());
      break;
    case 4:
      checkAll<int32_t>(text.program());
      break;
    default:
      checkAll<int64_t>(text.program());
    }
  }
}

TEST_P(Collectives, UnknownExtents) {
  MetadataText text({{"x", 2}});
  int32_t id = text.redistribute("all_to_all", "[{\"x\"}, {}, {}]",
                                 "[{}, {}, {\"x\"}]", {-1, 2, -1});
  auto program = text.program();
  const CollectiveStep &step = program->metadata.collectives[0].step;
  const Mesh &mesh = program->metadata.meshes[0];
  std::atomic<int> wrong{0};
  std::string error = runRanks(program, [&](RankContext &rank) {
    // Back and forth between shapes: routes are kept and found again.
    for (int64_t n : {3, 8, 3, 0, 1, 8})
      for (int64_t k : {5, 2}) {
        std::vector<int64_t> shape = {n, 2, k};
        std::vector<float> in = operandOf<float>(step, mesh, shape, rank.rank);
        std::vector<float> expected =
            resultOf<float>(step, mesh, shape, rank.rank);
        std::vector<float> out(expected.size());
        int64_t dims[] = {n, k};
        rank.collective(id, in.data(), out.data(), dims);
        wrong += out != expected;
      }
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(wrong, 0);
}

TEST_P(Collectives, AllReduceInPlace) {
  MetadataText text({{"x", 4}});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {-1});
  auto program = text.program();
  std::atomic<int> wrong{0};
  std::string error = runRanks(program, [&](RankContext &rank) {
    for (int64_t n = 0; n < 200; n += n < 70 ? 1 : 13) {
      std::vector<float> data(static_cast<size_t>(n));
      std::iota(data.begin(), data.end(), float(1000 * rank.rank));
      rank.collective(0, data.data(), data.data(), &n);
      for (size_t i = 0; i < data.size(); ++i)
        wrong += data[i] != float(6000 + 4 * i);
    }
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(wrong, 0);
}

TEST_P(Collectives, StartedAndWaitedFor) {
  if (overCuda())
    GTEST_SKIP() << "waits of the GPU's stream: test/Cuda/overlap.mlir";
  // Several in flight, in one group and in others, which end in another order;
  // the same one twice, and one that is never waited for.
  MetadataText text({{"x", 2}, {"y", 2}});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {6});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]",
                    {5000});
  text.redistribute("all_reduce", "[{}], partial = sum [\"y\"]", "[{}]", {3});
  text.redistribute("permute", "[{\"x\"}]", "[{\"x\"}]", {6});
  std::atomic<int> wrong{0};
  std::string error = runRanks(text.program(), [&](RankContext &rank) {
    auto x = float(rank.rank / 2), y = float(rank.rank % 2);
    std::vector<float> shard(3, x), whole(6), again(6), moved(3), large(5000),
        largeSum(5000), small(3, y), smallSum(3);
    std::iota(large.begin(), large.end(), 10000 * x);
    for (int i = 0; i < 20; ++i) {
      rank.startCollective(1, large.data(), largeSum.data(), nullptr);
      rank.startCollective(0, shard.data(), whole.data(), nullptr);
      rank.startCollective(2, small.data(), smallSum.data(), nullptr);
      rank.startCollective(3, shard.data(), moved.data(), nullptr);
      rank.startCollective(0, shard.data(), again.data(), nullptr);
      rank.waitCollective(smallSum.data());
      wrong += smallSum != std::vector<float>(3, 1);
      rank.waitCollective(largeSum.data());
      for (size_t k = 0; k < large.size(); ++k)
        wrong += largeSum[k] != float(10000 + 2 * k);
      rank.waitCollective(whole.data());
      rank.waitCollective(moved.data());
      wrong +=
          whole != std::vector<float>({0, 0, 0, 1, 1, 1}) || moved != shard;
    }
    rank.waitCollective(again.data());
    wrong += whole != again;
    rank.startCollective(2, small.data(), smallSum.data(), nullptr);
    rank.barrier();
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(wrong, 0);
}

TEST_P(Collectives, IndependentGroups) {
  // The groups of y are {0, 1} and {2, 3}. The second waits until the first
  // has done all its collectives: it could not if they met.
  MetadataText text({{"x", 2}, {"y", 2}});
  int32_t id = text.redistribute("all_gather", "[{\"y\"}]", "[{}]", {6});
  std::atomic<int> finished{0};
  std::string error = runRanks(
      text.program(),
      [&](RankContext &rank) {
        if (rank.rank >= 2)
          while (finished < 2)
            std::this_thread::yield();
        for (int i = 0; i < 500; ++i) {
          std::vector<float> in(3, float(i + rank.rank % 2)), out(6);
          rank.collective(id, in.data(), out.data(), nullptr);
          EXPECT_EQ(out[0], float(i));
          EXPECT_EQ(out[5], float(i + 1));
        }
        if (rank.rank < 2)
          ++finished;
      },
      threadPerRank());
  EXPECT_EQ(error, "");
}

TEST_P(Collectives, Rooted) {
  MetadataText text({{"x", 2}, {"y", 3}}, {5, 4, 3, 2, 1, 0});
  int32_t broadcast = text.rooted("broadcast", {"y"}, "i32");
  int32_t gather = text.rooted("gather", {"y", "x"}, "i32");
  int32_t scatter = text.rooted("scatter", {"x"}, "i32");
  auto program = text.program();
  std::string error = runRanks(program, [&](RankContext &rank) {
    int x = int(rank.axisIndex(0, 0)), y = int(rank.axisIndex(0, 1));
    for (int root = 0; root < 3; ++root) {
      std::vector<int32_t> in = {10 * x + y, 7}, out(2);
      rank.collectivePeer(broadcast, in.data(), out.data(), 2, root);
      EXPECT_EQ(out, (std::vector<int32_t>{10 * x + root, 7}));
    }
    for (int root = 0; root < 6; ++root) {
      std::vector<int32_t> in = {10 * x + y}, out(6, -1);
      rank.collectivePeer(gather, in.data(), out.data(), 1, root);
      bool isRoot = 2 * y + x == root;
      EXPECT_EQ(out, isRoot ? (std::vector<int32_t>{0, 10, 1, 11, 2, 12})
                            : std::vector<int32_t>(6, -1));
    }
    std::vector<int32_t> in = {100 + y, 200 + y, 300 + y, 400 + y}, out(2);
    rank.collectivePeer(scatter, in.data(), out.data(), 2, 1);
    EXPECT_EQ(out, x == 0 ? (std::vector<int32_t>{100 + y, 200 + y})
                          : (std::vector<int32_t>{300 + y, 400 + y}));
  });
  EXPECT_EQ(error, "");
}

TEST_P(Collectives, SendAndReceive) {
  // A ring in which all send first: sends must not wait for receivers.
  MetadataText text({{"x", 4}});
  int32_t send = text.rooted("send", {"x"});
  int32_t recv = text.rooted("recv", {"x"});
  std::string error = runRanks(text.program(), [&](RankContext &rank) {
    for (int i = 0; i < 200; ++i) {
      std::vector<float> out(3), in(3, float(rank.rank + 10 * i));
      rank.collectivePeer(send, in.data(), nullptr, 3, (rank.rank + 1) % 4);
      in.assign(3, -1); // the operand may be overwritten at once
      rank.collectivePeer(recv, nullptr, out.data(), 3, (rank.rank + 3) % 4);
      EXPECT_EQ(out[2], float((rank.rank + 3) % 4 + 10 * i));
    }
  });
  EXPECT_EQ(error, "");
}

TEST_P(Collectives, ManyOnEightRanks) {
  MetadataText text({{"x", 2}, {"y", 4}});
  int32_t all = text.redistribute(
      "all_reduce", "[{}], partial = sum [\"x\", \"y\"]", "[{}]", {100});
  int32_t rows = text.redistribute("all_reduce", "[{}], partial = sum [\"y\"]",
                                   "[{}]", {33});
  int32_t columns = text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {5});
  std::atomic<int> wrong{0};
  std::string error = runRanks(text.program(), [&](RankContext &rank) {
    std::vector<float> a(100), b(33), c(3), d(5);
    for (int i = 0; i < 400; ++i) {
      a.assign(100, float(rank.rank + i));
      rank.collective(all, a.data(), a.data(), nullptr);
      wrong += a[i % 100] != float(28 + 8 * i);
      b.assign(33, float(rank.rank % 4));
      rank.collective(rows, b.data(), b.data(), nullptr);
      wrong += b[i % 33] != 6;
      c.assign(3, float(rank.rank / 4 + i));
      rank.collective(columns, c.data(), d.data(), nullptr);
      wrong += d[2] != float(i) || d[3] != float(i + 1);
    }
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(wrong, 0);
}

} // namespace
