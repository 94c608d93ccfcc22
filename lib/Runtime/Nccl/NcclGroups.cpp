//===- NcclGroups.cpp - Communicators of NCCL -----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what NcclGroups.h says.
//
//===----------------------------------------------------------------------===//

#include "NcclGroups.h"

#include "Core/Job.h"
#include "Cuda/CudaDevice.h"
#include "Cuda/CudaStep.h"

#include <algorithm>

namespace shardir {
namespace runtime {

/// Kernels beside a collective leave it as many multiprocessors.
static nccl::Config configuration() {
  nccl::Config config;
  config.maxCTAs = collectiveMultiprocessors();
  return config;
}

NcclGroups &NcclGroups::get() {
  static NcclGroups &groups = *new NcclGroups; // stuck ranks may use it
  return groups;
}

std::shared_ptr<NcclGroup> NcclGroups::find(const std::vector<int> &ranks) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = groups.find(ranks);
  return it == groups.end() ? nullptr : it->second;
}

void NcclGroups::add(const std::vector<int> &ranks,
                     const std::shared_ptr<NcclGroup> &group) {
  std::lock_guard<std::mutex> lock(mutex);
  groups[ranks] = group;
}

bool NcclGroups::isFirst(const std::string &what) {
  std::lock_guard<std::mutex> lock(mutex);
  return done.insert(what).second;
}

void NcclGroups::watch(const nccl::Api &api, Job &job, double patience) {
  auto now = std::chrono::steady_clock::now();
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[ranks, group] : groups) {
    nccl::Comm comm = group->comm;
    nccl::Result state = nccl::Success;
    {
      std::unique_lock<std::mutex> call(group->calls, std::try_to_lock);
      if (!call)
        continue;
      nccl::Result asked = api.CommGetAsyncError(comm, &state);
      if (asked != nccl::Success)
        state = asked;
    }
    if (state == nccl::Success || state == nccl::InProgress)
      continue;
    // Whoever is at it says more: it has until the next look.
    auto [suspect, isNew] = suspects.emplace(comm, now);
    if (isNew ||
        now - suspect->second < std::chrono::duration<double>(patience))
      continue;
    std::string members;
    for (int r : ranks)
      members += (members.empty() ? "" : ", ") + std::to_string(r);
    job.fail("the NCCL communicator of ranks " + members +
             " has failed: " + api.text(state, comm));
    return;
  }
}

void NcclGroups::deregister(const nccl::Api &api, cuda::DevicePtr block) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[ranks, group] : groups) {
    std::lock_guard<std::mutex> call(group->calls);
    auto it = group->registered.find(block);
    if (it == group->registered.end())
      continue;
    if (it->second)
      (void)api.CommDeregister(group->comm, it->second);
    group->registered.erase(it);
  }
}

void NcclGroups::addGraphs(const std::shared_ptr<CudaStep> &step) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::weak_ptr<CudaStep> &known : graphs)
    if (known.lock() == step)
      return;
  graphs.push_back(step);
}

void NcclGroups::abort(const nccl::Api &api) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::weak_ptr<CudaStep> &known : graphs)
    if (std::shared_ptr<CudaStep> step = known.lock())
      step->clear();
  graphs.clear();
  for (auto &[ranks, group] : groups) {
    {
      // A rank that is stuck in a call is not waited for: its communicator
      // drops the registrations with the rest.
      std::unique_lock<std::mutex> call(group->calls, std::try_to_lock);
      if (call)
        for (auto &[block, handle] : group->registered)
          if (handle)
            (void)api.CommDeregister(group->comm, handle);
      if (call)
        group->registered.clear();
    }
    (void)api.CommAbort(group->comm);
  }
  groups.clear();
  suspects.clear();
  done.clear();
}

void NcclGroups::forget() {
  std::string none;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (groups.empty())
      return done.clear();
  }
  if (const nccl::Api *api = nccl::Api::get(none))
    abort(*api);
}

void NcclCalls::settle(NcclGroup &group, nccl::Result result, const char *call,
                       const std::string &what) {
  api.check(result, call, what, group.comm);
  if (result == nccl::Success)
    return;
  nccl::Result state = nccl::InProgress;
  poll([&] {
    std::lock_guard<std::mutex> lock(group.calls);
    api.check(api.CommGetAsyncError(group.comm, &state),
              "ncclCommGetAsyncError", what, group.comm);
    return state != nccl::InProgress;
  });
  api.check(state, call, what, group.comm);
}

std::shared_ptr<NcclGroup>
NcclCalls::group(const std::vector<int> &ranks, size_t place,
                 const std::function<void(nccl::UniqueId &)> &share) {
  if (std::shared_ptr<NcclGroup> known = NcclGroups::get().find(ranks))
    return known;
  std::string what =
      "make a communicator of " + std::to_string(ranks.size()) + " ranks";
  nccl::UniqueId id = {};
  if (place == 0)
    api.check(api.GetUniqueId(&id), "ncclGetUniqueId", what);
  share(id);
  nccl::Config config = configuration();
  nccl::Comm comm = nullptr;
  nccl::Result result =
      api.CommInitRankConfig(&comm, int(ranks.size()), id, int(place), &config);
  return keep(ranks, comm, result, "ncclCommInitRankConfig", what);
}

std::shared_ptr<NcclGroup> NcclCalls::keep(const std::vector<int> &ranks,
                                           nccl::Comm comm, nccl::Result result,
                                           const char *call,
                                           const std::string &what) {
  auto group = std::make_shared<NcclGroup>(comm);
  try {
    settle(*group, result, call, what);
  } catch (...) {
    if (comm)
      (void)api.CommAbort(comm);
    throw;
  }
  NcclGroups::get().add(ranks, group);
  return group;
}

void NcclCalls::split(NcclGroup &parent, const std::vector<int> &ranks,
                      size_t place) {
  constexpr const char *call = "ncclCommSplit";
  std::string what =
      ranks.empty()
          ? "make communicators of groups"
          : "make a communicator of " + std::to_string(ranks.size()) + " ranks";
  // Groups have no common member, so a member's number is theirs alone.
  int color = ranks.empty() ? int(nccl::NoColor)
                            : *std::min_element(ranks.begin(), ranks.end());
  nccl::Config config = configuration();
  nccl::Comm comm = nullptr;
  nccl::Result result;
  {
    std::lock_guard<std::mutex> lock(parent.calls);
    result = api.CommSplit(parent.comm, color, int(place), &comm, &config);
  }
  settle(parent, result, call, what);
  if (comm)
    keep(ranks, comm, nccl::InProgress, call, what);
}

} // namespace runtime
} // namespace shardir
