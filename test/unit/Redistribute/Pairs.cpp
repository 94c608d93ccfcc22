//===- Pairs.cpp - Redistributions on real ranks ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires of the library under test only shardOf, in which the tensor's
// elements are found: local steps and results are computed element by element
// from global indices. Guarantees that a job that fails is blamed on the pairs
// that make it fail, by running halves of the batch.
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"

#include "Core/Job.h"
#include "Elements/Reduce.h"
#include "Shards.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace shardir;
using namespace shardir::test;
using runtime::RankContext;
using Json = nlohmann::json;

namespace {

bool isLocal(const CollectiveStep &step) {
  return step.kind == CollectiveKind::Slice ||
         step.kind == CollectiveKind::MakePartial;
}

/// A batch of pairs as one program.
class Batch {
public:
  Batch(const Mesh &mesh, const std::vector<Pair> &pairs, Promise promise,
        std::vector<Outcome> &outcomes, std::vector<size_t> members)
      : mesh(mesh), pairs(pairs), promise(promise), outcomes(outcomes),
        members(std::move(members)) {}

  /// Returns the error of the job, or of the metadata.
  std::string run();
  /// Looks at what the ranks left.
  void check();

private:
  struct Buffer {
    std::vector<char> bytes;
    int64_t received = 0, peak = 0;
    std::string wrong;
  };
  std::string metadata();
  void runOn(RankContext &rank);
  void runPair(RankContext &rank, int64_t position, size_t m);
  void localStep(const CollectiveStep &step, const Pair &pair, int64_t position,
                 const void *in, void *out) const;
  std::string checkPair(size_t m);
  std::string checkRoutes(size_t m);

  const Mesh &mesh;
  const std::vector<Pair> &pairs;
  const Promise promise;
  std::vector<Outcome> &outcomes;
  std::vector<size_t> members;
  std::vector<int32_t> firstId; ///< by member: of its first collective
  std::vector<std::vector<Buffer>> results; ///< by member, by position
  std::shared_ptr<runtime::Program> program;
};

} // namespace

std::string Batch::metadata() {
  Json axes = Json::array(), collectives = Json::array();
  for (const MeshAxis &axis : mesh.axes)
    axes.push_back({{"name", axis.name}, {"size", axis.size}});
  for (size_t m : members) {
    firstId.push_back(static_cast<int32_t>(collectives.size()));
    for (const CollectiveStep &step : outcomes[m].plan.steps)
      if (!isLocal(step))
        collectives.push_back(
            {{"kind", stringifyCollectiveKind(step.kind)},
             {"mesh", "m"},
             {"from", toString(step.from)},
             {"to", toString(step.to)},
             {"shape", pairs[m].shape},
             {"element_type", runtime::elementTypeName(pairs[m].type)},
             {"loc", "pair" + std::to_string(m)}});
  }
  Json devices = Json::array();
  for (int64_t device : mesh.devices)
    devices.push_back(device);
  return Json({{"abi", 1},
               {"ranks", mesh.numRanks()},
               {"meshes",
                Json::array(
                    {{{"name", "m"}, {"axes", axes}, {"devices", devices}}})},
               {"functions", Json::array()},
               {"collectives", collectives}})
      .dump();
}

std::string Batch::run() {
  runtime::Metadata parsed;
  std::string error;
  if (!runtime::parseMetadata(metadata(), parsed, error))
    return error;
  program = std::make_shared<runtime::Program>(std::move(parsed));
  results.assign(members.size(),
                 std::vector<Buffer>(static_cast<size_t>(mesh.numDevices())));
  runtime::JobOptions options;
  options.timeout = 20;
  options.threadsPerRank = 1;
  auto job = std::make_shared<runtime::Job>(
      program, static_cast<size_t>(mesh.numRanks()), options);
  job->run([this](RankContext &rank) {
    rank.barrier();
    rank.enter([&] { runOn(rank); });
    rank.barrier();
  });
  return job->error();
}

void Batch::runOn(RankContext &rank) {
  int64_t position = mesh.positionOf(rank.rank);
  if (position < 0)
    return;
  for (size_t m = 0; m < members.size(); ++m)
    runPair(rank, position, m);
}

void Batch::runPair(RankContext &rank, int64_t position, size_t m) {
  const Pair &pair = pairs[members[m]];
  const RedistributePlan &plan = outcomes[members[m]].plan;
  Buffer &result = results[m][static_cast<size_t>(position)];
  size_t size = runtime::elementSize(pair.type);
  int64_t live = rank.arena.liveBytes(), received = rank.bytesReceived;
  rank.arena.resetPeak();

  auto allocate = [&](const Placement &placement, int64_t &count) {
    count = Shard(placement, mesh, pair.shape, position).size();
    void *data = rank.allocate(static_cast<size_t>(count) * size);
    // Elements that nothing writes must not look right.
    std::memset(data, 0xAB, static_cast<size_t>(count) * size);
    return data;
  };
  int64_t count;
  void *source = allocate(pair.src, count), *current = source;
  fillSource(mesh, pair, position, source);
  int32_t id = firstId[m];
  for (const CollectiveStep &step : plan.steps) {
    void *next = allocate(step.to, count);
    if (isLocal(step))
      localStep(step, pair, position, current, next);
    else
      rank.collective(id++, current, next, nullptr);
    // The source is its owner's; an intermediate dies after its use.
    if (current != source)
      runtime::Arena::release(current);
    current = next;
  }
  result.bytes.assign(static_cast<const char *>(current),
                      static_cast<const char *>(current) +
                          static_cast<size_t>(count) * size);
  result.peak = rank.arena.peakBytes() - live;
  result.received = rank.bytesReceived - received;
  if (current != source)
    runtime::Arena::release(current);
  if (!isSource(mesh, pair, position, source))
    result.wrong = "the source was overwritten";
  runtime::Arena::release(source);
  if (rank.arena.liveBytes() != live)
    result.wrong = "the runtime kept memory";
}

void Batch::localStep(const CollectiveStep &step, const Pair &pair,
                      int64_t position, const void *in, void *out) const {
  size_t size = runtime::elementSize(pair.type);
  Shard from(step.from, mesh, pair.shape, position);
  Shard to(step.to, mesh, pair.shape, position);
  // Along a new partial axis that splits nothing, the first device has a term.
  std::vector<int64_t> coords = mesh.coordinates(position);
  bool keeps = true;
  for (const AxisRef &part : commonRefinement(step.from, step.to, mesh)) {
    bool before = false, after = false;
    for (const AxisRef &axis : step.from.partialAxes)
      before |= overlap(part, axis, mesh);
    for (size_t d = 0; d < step.from.dims.size(); ++d)
      for (const AxisRef &axis : step.from.axesOf(d))
        before |= overlap(part, axis, mesh);
    for (const AxisRef &axis : step.to.partialAxes)
      after |= overlap(part, axis, mesh);
    keeps &= before || !after || axisCoordinate(mesh, part, coords) == 0;
  }
  if (step.kind == CollectiveKind::MakePartial)
    runtime::fillIdentity(*step.to.partial, pair.type, out,
                          static_cast<size_t>(to.size()));
  if (!keeps)
    return;
  to.forEach([&](int64_t i, int64_t, const std::vector<int64_t> &index) {
    int64_t j = from.localOf(index);
    if (j >= 0) // else a slice leaves the poison, which shows
      std::memcpy(static_cast<char *>(out) + static_cast<size_t>(i) * size,
                  static_cast<const char *>(in) + static_cast<size_t>(j) * size,
                  size);
  });
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void Batch::check() {
  for (size_t m = 0; m < members.size(); ++m)
    outcomes[members[m]].wrong = checkPair(m);
}

/// Checks that the runtime counts the bytes it copies from other ranks.
std::string Batch::checkRoutes(size_t m) {
  const Pair &pair = pairs[members[m]];
  auto size = static_cast<int64_t>(runtime::elementSize(pair.type));
  int32_t id = firstId[m];
  for (const CollectiveStep &step : outcomes[members[m]].plan.steps) {
    if (isLocal(step))
      continue;
    std::string error;
    std::shared_ptr<const runtime::Route> route =
        program->routes.get(id++, nullptr, error);
    if (!route)
      return error;
    // An all-reduce may combine in chunks; its count is a formula.
    if (step.kind == CollectiveKind::AllReduce)
      continue;
    for (const runtime::RoutePart &part : route->parts) {
      int64_t elements = 0;
      for (const runtime::Transfer &transfer : part.transfers)
        for (uint32_t source : transfer.sources)
          if (source != part.place)
            transfer.plan.forEachSpan(
                [&](int64_t, int64_t, int64_t n) { elements += n; });
      if (elements * size != part.bytes)
        return std::string(stringifyCollectiveKind(step.kind)) + " copies " +
               std::to_string(elements * size) + " bytes and counts " +
               std::to_string(part.bytes);
    }
  }
  return "";
}

std::string Batch::checkPair(size_t m) {
  const Pair &pair = pairs[members[m]];
  Outcome &outcome = outcomes[members[m]];
  auto size = static_cast<int64_t>(runtime::elementSize(pair.type));
  for (const Buffer &buffer : results[m]) {
    if (!buffer.wrong.empty())
      return buffer.wrong;
    outcome.received = std::max(outcome.received, buffer.received);
    outcome.peak = std::max(outcome.peak, buffer.peak);
  }
  outcome.sourceBytes = largestShard(pair.src, mesh, pair);
  outcome.destinationBytes = largestShard(pair.dst, mesh, pair);
  int64_t larger = std::max(outcome.sourceBytes, outcome.destinationBytes);
  const std::vector<CollectiveStep> &steps = outcome.plan.steps;
  for (size_t i = 0; i + 1 < steps.size(); ++i)
    outcome.intermediateBytes = std::max(outcome.intermediateBytes,
                                         largestShard(steps[i].to, mesh, pair));

  std::vector<const void *> shards;
  for (const Buffer &buffer : results[m])
    shards.push_back(buffer.bytes.data());
  std::string wrong = checkResult(mesh, pair, shards);
  if (wrong.empty())
    wrong = checkRoutes(m);
  if (!wrong.empty())
    return wrong;
  int64_t planned = planBytes(outcome.plan, mesh, pair.shape, size);
  if (outcome.received != planned)
    return "receives " + std::to_string(outcome.received) +
           " bytes, planned were " + std::to_string(planned);
  if (promise == Promise::RightValues)
    return "";
  if (outcome.intermediateBytes > larger)
    return "an intermediate of " + std::to_string(outcome.intermediateBytes) +
           " bytes is above the larger of source and destination, " +
           std::to_string(larger);
  int64_t bound = outcome.sourceBytes + outcome.destinationBytes + larger;
  if (outcome.peak > bound)
    return "holds " + std::to_string(outcome.peak) + " bytes, allowed are " +
           std::to_string(bound);
  if (promise == Promise::Memory || pair.src.partial || pair.dst.partial)
    return "";
  outcome.least = leastBytes(mesh, pair);
  if (outcome.received != outcome.least)
    return "receives " + std::to_string(outcome.received) +
           " bytes where a device lacks " + std::to_string(outcome.least);
  return "";
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

PlanFunction test::planOn(const Mesh &mesh) {
  return [&mesh](const Pair &pair) {
    return planRedistribute(pair.src, pair.dst, mesh, pair.shape);
  };
}

/// Whether each step begins where the last one ended, from source to end.
static bool isChain(const RedistributePlan &plan, const Mesh &mesh,
                    const Pair &pair) {
  const Placement *reached = &pair.src;
  for (const CollectiveStep &step : plan.steps) {
    if (!equivalent(*reached, step.from, mesh, pair.shape))
      return false;
    reached = &step.to;
  }
  return equivalent(*reached, pair.dst, mesh, pair.shape);
}

static void runMembers(const Mesh &mesh, const std::vector<Pair> &pairs,
                       Promise promise, std::vector<Outcome> &outcomes,
                       std::vector<size_t> members) {
  Batch batch(mesh, pairs, promise, outcomes, members);
  std::string error = batch.run();
  if (error.empty()) {
    batch.check();
  } else if (members.size() == 1) {
    outcomes[members[0]].wrong = error;
  } else {
    auto middle = members.begin() + static_cast<ptrdiff_t>(members.size() / 2);
    runMembers(mesh, pairs, promise, outcomes, {members.begin(), middle});
    runMembers(mesh, pairs, promise, outcomes, {middle, members.end()});
  }
}

std::vector<Outcome> test::runPairs(const Mesh &mesh,
                                    const std::vector<Pair> &pairs,
                                    const PlanFunction &plan, Promise promise) {
  // Fewer collectives than the runtime keeps routes for.
  constexpr size_t kBatch = 500;
  std::vector<Outcome> outcomes(pairs.size());
  std::vector<size_t> members;
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto planned = plan(pairs[i]);
    if (auto *error = std::get_if<PlacementError>(&planned)) {
      outcomes[i].wrong = "rejected: " + error->message;
    } else {
      outcomes[i].plan = std::get<RedistributePlan>(std::move(planned));
      if (isChain(outcomes[i].plan, mesh, pairs[i]))
        members.push_back(i);
      else
        outcomes[i].wrong = "the steps do not lead from source to destination";
    }
    if (members.size() == kBatch || (i + 1 == pairs.size() && !members.empty()))
      runMembers(mesh, pairs, promise, outcomes, std::exchange(members, {}));
  }
  return outcomes;
}
