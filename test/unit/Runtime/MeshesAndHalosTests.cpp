//===- MeshesAndHalosTests.cpp - Exchanges that overlap or leave a mesh ---===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs exchanges between two meshes, and halo exchanges, on ranks of one
// process for every pair of placements of a list, and checks every element on
// every rank against its global index, zeros on ranks that the result's mesh
// lacks, what lies behind the result's buffer, and the bytes counted.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "Support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;
using testing::HasSubstr;
using Json = nlohmann::json;

namespace {

Json meshText(const std::string &name, const std::vector<AxisText> &axes,
              const std::vector<int64_t> &devices) {
  Json list = Json::array();
  for (const AxisText &axis : axes)
    list.push_back({{"name", axis.name}, {"size", axis.size}});
  return {{"name", name}, {"axes", list}, {"devices", devices}};
}

Json stepText(const std::string &kind, const std::string &from,
              const std::string &to, const std::vector<int64_t> &shape) {
  return {{"kind", kind},
          {"mesh", "a"},
          {"to_mesh", "b"},
          {"from", from},
          {"to", to},
          {"shape", shape},
          {"element_type", "i32"},
          {"loc", "test.mlir:1"}};
}

Json programText(int64_t ranks, const Json &a, const Json &b) {
  return {{"abi", 1},
          {"ranks", ranks},
          {"meshes", Json::array({a, b})},
          {"functions", Json::array()},
          {"collectives", Json::array()}};
}

std::shared_ptr<Program> parseProgram(const Json &text) {
  Metadata metadata;
  std::string error;
  EXPECT_TRUE(parseMetadata(text.dump(), metadata, error)) << error;
  return std::make_shared<Program>(std::move(metadata));
}

/// A value for each element of the shard at a position, none of them 0.
std::vector<int32_t> valuesOf(const std::vector<DimShard> &shard,
                              const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (const DimShard &dim : shard)
    count *= dim.localExtent();
  std::vector<int32_t> values;
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat, index = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      int64_t extent = shard[d].localExtent();
      index += shard[d].toGlobal(rest % extent) * stride;
      rest /= extent;
      stride *= shape[d];
    }
    values.push_back(static_cast<int32_t>(index + 1));
  }
  return values;
}

void runAll(const std::shared_ptr<Program> &program) {
  const Metadata &m = program->metadata;
  std::vector<std::string> wrong(size_t(m.ranks));
  std::string error = runRanks(program, [&](RankContext &rank) {
    for (size_t id = 0; id < m.collectives.size(); ++id) {
      const CollectiveSpec &spec = m.collectives[id];
      const CollectiveStep &step = spec.step;
      const Mesh &from = m.meshes[size_t(spec.mesh)];
      const Mesh &to = m.meshes[size_t(spec.toMesh)];
      // Ranks outside of a mesh have what its first device has, as buffers.
      int64_t source = from.positionOf(rank.rank);
      std::vector<int32_t> in = valuesOf(
          shardOf(step.from, from, spec.shape, std::max<int64_t>(source, 0)),
          spec.shape);
      if (source < 0)
        std::fill(in.begin(), in.end(), -1);
      int64_t target = to.positionOf(rank.rank);
      std::vector<int32_t> expected =
          valuesOf(shardOf(step.to, step.halo, to, spec.shape,
                           std::max<int64_t>(target, 0)),
                   spec.shape);
      int64_t bytes = 0;
      if (target < 0)
        std::fill(expected.begin(), expected.end(), 0);
      else
        bytes = bytesReceived(step, from, to, spec.shape, 4, target);
      std::vector<int32_t> out(expected.size() + 1, 77);
      expected.push_back(77);
      int64_t before = rank.bytesReceived;
      rank.collective(int32_t(id), in.data(), out.data(), nullptr);
      if (out != expected || rank.bytesReceived - before != bytes)
        wrong[size_t(rank.rank)] += "\n" + spec.describe() + " from " +
                                    toString(step.from) + " to " +
                                    toString(step.to) + toString(step.halo);
    }
  });
  EXPECT_EQ(error, "");
  for (size_t r = 0; r < wrong.size(); ++r)
    EXPECT_EQ(wrong[r], "") << "on rank " << r;
}

const std::vector<std::vector<int64_t>> kShapes = {
    {8, 4}, {5, 7}, {3, 1}, {1, 2}, {0, 3}};

void crossAll(int64_t ranks, const Json &a, const Json &b,
              const std::vector<std::string> &fromList,
              const std::vector<std::string> &toList) {
  Json text = programText(ranks, a, b);
  for (const std::vector<int64_t> &shape : kShapes)
    for (const std::string &from : fromList)
      for (const std::string &to : toList)
        text["collectives"].push_back(stepText("exchange", from, to, shape));
  runAll(parseProgram(text));
}

const std::vector<std::string> kOneAxis = {"[{}, {}]", "[{\"p\"}, {}]",
                                           "[{}, {\"p\"}]"};
const std::vector<std::string> kTwoAxes = {
    "[{}, {}]",           "[{\"x\"}, {}]",        "[{}, {\"y\"}]",
    "[{\"x\"}, {\"y\"}]", "[{\"y\", \"x\"}, {}]", "[{}, {\"x\", \"y\"}]"};

TEST(CrossMesh, AnotherOrderAndShape) {
  Json a = meshText("a", {{"x", 2}, {"y", 2}}, {});
  Json b = meshText("b", {{"p", 4}}, {3, 2, 1, 0});
  crossAll(4, a, b, kTwoAxes, kOneAxis);
  b["name"] = "a", a["name"] = "b";
  crossAll(4, b, a, kOneAxis, kTwoAxes);
}

TEST(CrossMesh, OverlappingRanks) {
  Json a = meshText("a", {{"p", 4}}, {});
  Json b = meshText("b", {{"x", 2}, {"y", 3}}, {2, 3, 4, 5, 6, 7});
  crossAll(8, a, b, kOneAxis, kTwoAxes);
  b["name"] = "a", a["name"] = "b";
  crossAll(8, b, a, kTwoAxes, kOneAxis);
}

TEST(CrossMesh, DisjointRanks) {
  // Rank 8 is in neither.
  Json a = meshText("a", {{"x", 2}, {"y", 2}}, {});
  Json b = meshText("b", {{"p", 4}}, {7, 4, 6, 5});
  crossAll(9, a, b, kTwoAxes, kOneAxis);
}

// A rank that neither sends nor receives does not wait for those that do.
TEST(CrossMesh, OthersDoNotWait) {
  Json text = programText(3, meshText("a", {{"p", 2}}, {0, 2}),
                          meshText("b", {{"p", 1}}, {1}));
  text["collectives"].push_back(stepText("exchange", "[{\"p\"}]", "[{}]", {1}));
  int32_t seen = 0;
  std::string error = runRanks(parseProgram(text), [&](RankContext &rank) {
    // Rank 2 holds an empty shard. It would wait for ever in a common group.
    if (rank.rank == 2)
      return;
    int32_t in = 5, out = 0;
    rank.collective(0, &in, &out, nullptr);
    if (rank.rank == 1)
      seen = out;
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(seen, 5);
}

TEST(Halo, AllPairs) {
  for (const std::vector<AxisText> &axes :
       {std::vector<AxisText>{{"x", 2}, {"y", 2}},
        {{"x", 3}, {"y", 1}},
        {{"x", 4}, {"y", 2}}}) {
    int64_t ranks = axes[0].size * axes[1].size;
    Json a = meshText("a", axes, {});
    Json text = programText(ranks, a, meshText("b", {{"p", ranks}}, {}));
    for (const std::vector<int64_t> &shape : kShapes)
      for (const std::string &from : kTwoAxes)
        for (const std::string &to : kTwoAxes)
          for (const Json &halo : {Json{{1, 1}, {0, 0}}, Json{{0, 3}, {2, 1}},
                                   Json{{INT64_MAX, 0}, {1, INT64_MAX}}}) {
            Json step = stepText("halo_exchange", from, to, shape);
            step.erase("to_mesh");
            step["halo"] = halo;
            text["collectives"].push_back(step);
          }
    runAll(parseProgram(text));
  }
}

TEST(Halo, OnAnotherMesh) {
  Json text = programText(7, meshText("a", {{"x", 2}, {"y", 2}}, {}),
                          meshText("b", {{"p", 4}}, {6, 5, 3, 4}));
  for (const std::vector<int64_t> &shape : kShapes)
    for (const std::string &from : kTwoAxes)
      for (const std::string &to : kOneAxis) {
        Json step = stepText("halo_exchange", from, to, shape);
        step["halo"] = {{1, 2}, {0, 1}};
        text["collectives"].push_back(step);
      }
  runAll(parseProgram(text));
}

TEST(Halo, WrongMetadata) {
  Json a = meshText("a", {{"x", 2}}, {}), b = meshText("b", {{"p", 2}}, {1, 0});
  auto refuses = [&](const Json &step, const std::string &message) {
    Json text = programText(2, a, b);
    text["collectives"].push_back(step);
    Metadata metadata;
    std::string error;
    EXPECT_FALSE(parseMetadata(text.dump(), metadata, error)) << step;
    EXPECT_THAT(error, HasSubstr(message));
  };
  Json good = stepText("halo_exchange", "[{}]", "[{\"p\"}]", {8});
  good["halo"] = {{1, 1}};
  auto with = [&](const char *key, const Json &value) {
    Json changed = good;
    changed[key] = value;
    return changed;
  };
  refuses(with("to_mesh", "c"), "collectives[0].to_mesh names mesh \"c\"");
  refuses(with("to", "[{\"x\"}]"), "collectives[0].to is wrong");
  refuses(with("halo", {{1}}), "collectives[0].halo[0] is not [low, high]");
  refuses(with("halo", {{1, -1}}),
          "collectives[0].halo[0][1] is not an integer");
  refuses(with("halo", Json::array()), "does not have one entry per dim");
  refuses(with("halo", 3), "collectives[0].halo is not an array");
  refuses(with("to", "[{2, \"p\"}]"),
          "collectives[0].halo is wrong: dim 0 has");
  refuses(with("kind", "exchange"), "has a halo, but is exchange");
  Json lacking = good;
  lacking.erase("halo");
  refuses(lacking, "lacks \"halo\"");
  lacking["kind"] = "all_gather";
  refuses(lacking, "is for exchange and halo_exchange, not for all_gather");
  lacking["kind"] = "exchange";
  lacking["from"] = "[{}], partial = sum [\"x\"]";
  refuses(lacking, "is partial between two meshes");
}

} // namespace
