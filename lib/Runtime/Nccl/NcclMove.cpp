//===- NcclMove.cpp - Data of collectives over NCCL -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what NcclMove.h says. Messages between two ranks
// match in the order in which both queue them: that of the receiver's
// transfers. Staging is freed at once, for whatever uses it next is queued
// behind.
//
//===----------------------------------------------------------------------===//

#include "NcclMove.h"

#include "Core/Job.h"

#include <algorithm>
#include <tuple>

namespace shardir {
namespace runtime {

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

void NcclGroups::watch(const nccl::Api &api, Job &job) {
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
    // The rank that is at it says more: it has until the next look.
    if (state == nccl::Success || state == nccl::InProgress ||
        suspects.insert(comm).second)
      continue;
    std::string members;
    for (int r : ranks)
      members += (members.empty() ? "" : ", ") + std::to_string(r);
    job.fail("the NCCL communicator of ranks " + members +
             " has failed: " + api.text(state, comm));
    return;
  }
}

void NcclGroups::abort(const nccl::Api &api) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[ranks, group] : groups)
    (void)api.CommAbort(group->comm);
  groups.clear();
  suspects.clear();
}

void NcclMove::settle(NcclGroup &group, nccl::Result result, const char *call,
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
NcclMove::group(const std::vector<int> &ranks, size_t place,
                const std::function<void(nccl::UniqueId &)> &share) {
  if (std::shared_ptr<NcclGroup> known = NcclGroups::get().find(ranks))
    return known;
  std::string what =
      "make a communicator of " + std::to_string(ranks.size()) + " ranks";
  nccl::UniqueId id = {};
  if (place == 0)
    api.check(api.GetUniqueId(&id), "ncclGetUniqueId", what);
  share(id);
  nccl::Config config;
  nccl::Comm comm = nullptr;
  nccl::Result result =
      api.CommInitRankConfig(&comm, int(ranks.size()), id, int(place), &config);
  std::shared_ptr<NcclGroup> group(new NcclGroup{comm, {}});
  try {
    settle(*group, result, "ncclCommInitRankConfig", what);
  } catch (...) {
    if (comm)
      (void)api.CommAbort(comm);
    throw;
  }
  NcclGroups::get().add(ranks, group);
  return group;
}

void *NcclMove::stage(size_t bytes) {
  void *p = gpu.stage(bytes);
  stages.push_back({p, bytes});
  return p;
}

void NcclMove::dropStages() {
  for (auto &[p, bytes] : stages)
    gpu.dropStage(p, bytes);
  stages.clear();
}

void NcclMove::run(NcclGroup &group, const MpiPhase &phase,
                   const Buffers &buffers) {
  nccl::Comm comm = group.comm;
  size_t size = elementSize(buffers.type);
  auto at = [&](auto *p, int64_t offset) {
    using Byte =
        std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(p)>>,
                           const char, char>;
    return static_cast<Byte *>(p) + offset * int64_t(size);
  };
  struct Message {
    uint32_t peer, transfer;
    const void *from;
    void *to;
    size_t bytes;
    size_t order = 0; ///< of the blocks of one transfer
  };
  std::vector<Message> messages;
  struct Term {
    const MpiReceive *receive;
    size_t block;
    std::vector<const void *> terms;
  };
  std::vector<Term> combined;

  for (const MpiSend &send : phase.sends)
    for (const MpiBlock &block : send.blocks) {
      size_t bytes = size_t(block.elements) * size;
      const void *from;
      if (block.offset >= 0) {
        from = at(buffers.in, block.offset);
      } else {
        void *packed = stage(bytes);
        gpu.copyDims(block.plan.dimensions(), size, buffers.in, packed);
        from = packed;
      }
      messages.push_back({send.to, send.transfer, from, nullptr, bytes});
    }
  for (const MpiReceive &receive : phase.receives)
    for (size_t b = 0; b < receive.blocks.size(); ++b) {
      const MpiBlock &block = receive.blocks[b];
      size_t bytes = size_t(block.elements) * size;
      Term term{&receive, b, {}};
      for (size_t s = 0; s < receive.sources.size(); ++s) {
        void *to = receive.inPlace ? at(buffers.out, block.offset) : nullptr;
        if (int(s) == receive.own) {
          const MpiBlock &own = receive.ownBlocks[b];
          if (own.offset >= 0) {
            term.terms.push_back(at(buffers.in, own.offset));
            continue;
          }
          to = stage(bytes);
          gpu.copyDims(own.plan.dimensions(), size, buffers.in, to);
        } else {
          to = to ? to : stage(bytes);
          messages.push_back(
              {receive.sources[s], receive.transfer, nullptr, to, bytes});
        }
        term.terms.push_back(to);
      }
      if (!receive.inPlace)
        combined.push_back(std::move(term));
    }
  for (size_t i = 0; i < messages.size(); ++i)
    messages[i].order = i;
  std::sort(messages.begin(), messages.end(),
            [](const Message &a, const Message &b) {
              return std::make_tuple(a.peer, a.transfer, a.order) <
                     std::make_tuple(b.peer, b.transfer, b.order);
            });
  if (!messages.empty()) {
    std::string what = "move " + std::to_string(messages.size()) + " messages";
    cuda::Stream stream = gpu.beginTransfer();
    std::unique_lock<std::mutex> calls(group.calls);
    api.check(api.GroupStart(), "ncclGroupStart", what, comm);
    // A group that was begun must be ended, come what may.
    nccl::Result queued = nccl::Success;
    const char *call = "ncclSend";
    for (const Message &m : messages) {
      if (queued != nccl::Success && queued != nccl::InProgress)
        break;
      call = m.from ? "ncclSend" : "ncclRecv";
      queued =
          m.from
              ? api.Send(m.from, m.bytes, nccl::Int8, int(m.peer), comm, stream)
              : api.Recv(m.to, m.bytes, nccl::Int8, int(m.peer), comm, stream);
    }
    nccl::Result ended = api.GroupEnd();
    calls.unlock();
    api.check(queued, call, what, comm);
    settle(group, ended, "ncclGroupEnd", what);
    gpu.endTransfer();
  }
  for (const Term &term : combined) {
    const MpiBlock &block = term.receive->blocks[term.block];
    if (term.terms.size() == 1)
      gpu.copyDims(block.plan.dimensions(), size, term.terms[0], buffers.out);
    else
      gpu.reduce(buffers.kind, buffers.type, block.plan.dimensions(),
                 term.terms, {buffers.out});
  }
  dropStages();
}

} // namespace runtime
} // namespace shardir
