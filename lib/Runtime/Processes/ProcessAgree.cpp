//===- ProcessAgree.cpp - Collectives without a rendezvous ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the sequence of collectives is the same on all ranks whatever the data,
// equal programs, entries and extents prove that collectives match (X1).
// Requires that the compiler has said so; guarantees that ranks which differ in
// any of these are named before the program is entered, that no collective
// waits for anything but its data, and that rank 0 can tell who has not come.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "ProcessTransport.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

/// How many collectives a group has begun; 0 for one that is new.
template <class Counts>
static uint64_t &countOf(Counts &counts, uint64_t group) {
  for (auto &[key, count] : counts)
    if (key == group)
      return count;
  return counts.emplace_back(group, 0).second;
}

void ProcessTransport::enroll(uint64_t group) {
  std::lock_guard<std::mutex> lock(begunMutex);
  countOf(begun, group);
}

uint64_t ProcessTransport::begin(uint64_t group) {
  std::lock_guard<std::mutex> lock(begunMutex);
  return ++countOf(begun, group);
}

int ProcessTransport::behind(uint64_t group, uint64_t number) {
  std::lock_guard<std::mutex> lock(begunMutex);
  int late = -1, unheard = -1;
  for (size_t r = 0; r < size; ++r) {
    const Begun &counts = int(r) == self ? begun : remotes[r].begun;
    auto it = std::find_if(counts.begin(), counts.end(),
                           [&](auto entry) { return entry.first == group; });
    bool isMember = it != counts.end();
    // While one rank does not answer, the counts of the others are old.
    if ((isMember || counts.empty()) && isSilent(int(r)))
      return int(r);
    if (isMember && late < 0 && it->second < number)
      late = int(r);
    // A rank that has never answered may be in any group.
    if (counts.empty() && unheard < 0)
      unheard = int(r);
  }
  return late >= 0 ? late : unheard;
}

void ProcessPost::setText(const std::string &text) {
  std::memset(dims + 1, 0, sizeof(dims) - sizeof(dims[0]));
  std::memcpy(dims + 1, text.data(),
              std::min(text.size(), sizeof(dims) - sizeof(dims[0])));
}

std::string ProcessPost::text() const {
  auto *begin = reinterpret_cast<const char *>(dims + 1);
  return {begin, strnlen(begin, sizeof(dims) - sizeof(dims[0]))};
}

std::string ProcessCommunicator::describeRun() const {
  const Metadata &metadata = job.program->metadata;
  if (job.options.entry >= metadata.functions.size())
    return "";
  const FunctionSpec &f = metadata.functions[job.options.entry];
  std::string text = "@" + f.name + " of " + job.program->name;
  for (size_t i = 0; rank.globalArguments && i < f.arguments.size(); ++i)
    if (f.arguments[i].hasOpenExtents())
      text += ", argument " + std::to_string(i) + " of " +
              shapeText((*rank.globalArguments)[i]);
  return text;
}

uint64_t ProcessCommunicator::proof() const {
  Hash hash;
  uint64_t words[] = {transport.run, transport.programHash, job.options.entry,
                      job.options.orderedReductions, job.options.checksEach};
  hash.add(words, 5);
  if (rank.globalArguments)
    for (const std::vector<int64_t> &shape : *rank.globalArguments) {
      uint64_t dims = shape.size();
      hash.add(&dims, 1).add(shape.data(), shape.size());
    }
  return hash.value;
}

void ProcessCommunicator::agree() {
  CudaStep *step = rank.gpu ? rank.gpu->step.get() : nullptr;
  ProcessPost post = postOf(-1, {});
  post.shape = proof();
  // The largest number is the least that a rank can do.
  post.dims[0] = CudaStep::Captured - (step ? step->level() : 0);
  meetOnTree(post, 1, /*ends=*/false);
  if (step && post.dims[0] < int64_t(CudaStep::Captured)) {
    NcclGroups::get().addGraphs(rank.gpu->step);
    step->agree(CudaStep::Level(CudaStep::Captured - post.dims[0]));
  }
  if (!job.options.checksEach)
    prepareGroups();
}

void ProcessCommunicator::meetOnTree(ProcessPost &post, size_t numbers,
                                     bool ends) {
  auto exchange = [&](const std::vector<int> &others, double seconds) {
    collectPosts(others, post, seconds);
    for (const Awaited &a : awaited)
      for (size_t i = 0; i < numbers; ++i)
        post.dims[i] = std::max(post.dims[i], a.post.dims[i]);
  };
  std::vector<int> children = transport.tree.childrenOf(rank.rank);
  exchange(children, kPostsOnTheWay);
  job.throwIfFailed();
  if (rank.rank != 0) {
    int parent = transport.tree.parentOf(rank.rank);
    sendPost(parent, post);
    // Where a failure comes too late, rank 0 has said already how it ends.
    exchange({parent}, ends ? 0.5 * job.options.grace : kPostsOnTheWay);
  }
  if (ends && !post.dims[numbers - 1] && !job.seal(rank.rank != 0))
    throw JobFailed();
  for (int r : children)
    sendPost(r, post);
}

void ProcessCommunicator::meetAtEnd(std::vector<int64_t> &numbers,
                                    bool hasMore) {
  finishStarted(started.numPushed());
  if (job.options.checksEach || rank.gpu)
    barrier();
  ProcessPost post = postOf(-1, {});
  post.shape = proof();
  numbers.push_back(hasMore);
  std::copy(numbers.begin(), numbers.end(), post.dims);
  meetOnTree(post, numbers.size(), /*ends=*/!world.seesDeaths());
  numbers.assign(post.dims, post.dims + numbers.size() - 1);
  job.throwIfFailed();
}

void ProcessCommunicator::prepareGroups() {
  auto [it, isNew] =
      world.prepared.emplace(transport.programHash, std::vector<uint64_t>());
  std::vector<uint64_t> &keys = it->second;
  const std::vector<CollectiveSpec> &table = job.program->metadata.collectives;
  auto add = [&](const std::vector<int> &group) {
    if (group.size() == 1)
      return;
    uint64_t key = Hash().add(group.data(), group.size()).value;
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      return;
    if (!rank.gpu) // NCCL's are made apart
      world.groupComm(group);
    keys.push_back(key);
  };
  // All ranks go through the table in one order, so no two wait for each other.
  for (size_t id = 0; isNew && id < table.size(); ++id) {
    const CollectiveSpec &spec = table[id];
    if (spec.kind != OpKind::Redistribute) {
      const PeerRoute &route = *job.program->routes.getPeer(int32_t(id));
      if (route.inMesh[size_t(rank.rank)])
        add(route.groups[route.placeOfRank[size_t(rank.rank)].first]);
      continue;
    }
    // The groups of others are not known before their extents are; those
    // between two meshes take long to find, and meet when they are needed.
    if (spec.unknownExtents || spec.mesh != spec.toMesh)
      continue;
    std::string error;
    auto route =
        job.program->routes.get(int32_t(id), nullptr, error, rank.rank);
    int64_t index = route ? route->indexOf(rank.rank) : -1;
    if (index >= 0)
      add(route->groups[route->parts[size_t(index)].group]);
  }
  for (uint64_t key : keys)
    transport.enroll(key);
}

bool ProcessCommunicator::hasGroup(const std::vector<int> &group,
                                   bool beside) const {
  return rank.gpu ? NcclGroups::get().find(group) != nullptr
                  : world.hasGroup(group, beside);
}

GroupWait ProcessCommunicator::enter(const std::vector<int> &group,
                                     uint64_t key, bool isKnown,
                                     const std::function<ProcessPost()> &post) {
  if (group.size() == 1)
    return {};
  if (job.options.checksEach || !isKnown) {
    meet(group, post());
    if (!job.options.checksEach)
      transport.enroll(key);
    return {};
  }
  GroupWait wait{false, key, transport.begin(key)};
  job.status(size_t(rank.rank)).advance();
  return wait;
}

} // namespace runtime
} // namespace shardir
