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

#include "NcclMemory.h"

#include <algorithm>
#include <tuple>

namespace shardir {
namespace runtime {

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

const CudaEvent *NcclMove::run(const std::shared_ptr<NcclGroup> &group,
                               const std::vector<Item> &items) {
  std::vector<Step> steps;
  std::vector<Call> moving;
  for (const Item &item : items) {
    steps.push_back(item.phase->way == PhaseWay::Messages
                        ? prepareMessages(item)
                        : prepareCall(item));
    moving.insert(moving.end(), steps.back().calls.begin(),
                  steps.back().calls.end());
  }
  const CudaEvent *moved = nullptr;
  if (!moving.empty()) {
    CudaWork told;
    told.addArgument(&group->comm, sizeof(group->comm));
    for (const Call &call : moving)
      told.addArgument(&call, sizeof(call));
    moved = gpu.transfer(std::move(told),
                         [this, group, moving](cuda::Stream stream) {
                           queue(*group, moving, stream);
                         });
  }
  for (const Step &step : steps)
    step.finish();
  dropStages();
  return moved;
}

namespace {
const char *const kNames[] = {"ncclSend",      "ncclRecv",
                              "ncclBroadcast", "ncclAllGather",
                              "ncclAllReduce", "ncclReduceScatter"};
} // namespace

nccl::Result NcclMove::issue(const Call &c, nccl::Comm comm,
                             cuda::Stream stream) {
  switch (c.kind) {
  case Call::Send:
    return api.Send(c.in, c.count, c.type, int(c.peer), comm, stream);
  case Call::Recv:
    return api.Recv(c.out, c.count, c.type, int(c.peer), comm, stream);
  case Call::Broadcast:
    return api.Broadcast(c.in, c.out, c.count, c.type, int(c.peer), comm,
                         stream);
  case Call::AllGather:
    return api.AllGather(c.in, c.out, c.count, c.type, comm, stream);
  case Call::AllReduce:
    return api.AllReduce(c.in, c.out, c.count, c.type, c.operation, comm,
                         stream);
  case Call::ReduceScatter:
    break;
  }
  return api.ReduceScatter(c.in, c.out, c.count, c.type, c.operation, comm,
                           stream);
}

void NcclMove::queue(NcclGroup &group, const std::vector<Call> &moving,
                     cuda::Stream stream) {
  constexpr const char *what = "start a collective";
  nccl::Result failed = nccl::Success, ended;
  const char *failedCall = nullptr;
  {
    std::lock_guard<std::mutex> lock(group.calls);
    if (NcclMemory *memory = NcclMemory::get(api))
      for (const Call &call : moving)
        memory->enroll(group, call.in, call.out);
    api.check(api.GroupStart(), "ncclGroupStart", what, group.comm);
    // A group that was begun must be ended, come what may.
    for (const Call &call : moving) {
      nccl::Result result = issue(call, group.comm, stream);
      if (result == nccl::Success || result == nccl::InProgress)
        continue;
      failed = result;
      failedCall = kNames[call.kind];
      break;
    }
    ended = api.GroupEnd();
  }
  if (failedCall)
    api.check(failed, failedCall, what, group.comm);
  calls.settle(group, ended, "ncclGroupEnd", what);
}

void NcclMove::combine(const BlockReceive &receive, size_t block,
                       const std::vector<const void *> &terms,
                       const Buffers &buffers) {
  const std::vector<CopyDim> &dims = receive.blocks[block].plan.dimensions();
  if (terms.size() == 1)
    gpu.copyDims(dims, elementSize(buffers.type), terms[0], buffers.out);
  else
    gpu.reduce(buffers.kind, buffers.type, dims, terms, {buffers.out});
}

const void *NcclMove::pack(const SchedulePhase &phase, const Buffers &buffers) {
  if (!phase.packed)
    return buffers.in;
  size_t size = elementSize(buffers.type);
  auto *packed = static_cast<char *>(stage(phase.packed));
  auto put = [&](const MessageBlock &block, size_t place) {
    gpu.copyDims(block.plan.dimensions(), size, buffers.in,
                 packed + phase.in.offsets[place]);
  };
  for (const BlockSend &send : phase.sends)
    put(send.blocks[0], send.to);
  for (const BlockReceive &receive : phase.receives)
    put(receive.ownBlocks[0], receive.sources[size_t(receive.own)]);
  return packed;
}

NcclMove::Step NcclMove::prepareCall(const Item &item) {
  const SchedulePhase &phase = *item.phase;
  const Buffers buffers = item.buffers;
  auto *out =
      static_cast<char *>(phase.staged ? stage(phase.staged) : buffers.out);
  const void *in = pack(phase, buffers);
  if (phase.way == PhaseWay::AllGather && phase.sendsResult)
    in = out + phase.out.offsets[item.place];
  nccl::Reduction reduction{};
  if (phase.way != PhaseWay::AllGather)
    reduction = nccl::reductionOf(buffers.type, buffers.kind).value();
  auto count = size_t(phase.elements);
  Step step;
  switch (phase.way) {
  case PhaseWay::AllGather: {
    const MessageLayout &pieces = phase.out;
    if (pieces.isEven) {
      step.calls.push_back(
          {Call::AllGather, in, out, size_t(pieces.counts[0])});
      break;
    }
    // Pieces of several sizes, each by its owner.
    for (size_t i = 0; i < pieces.counts.size(); ++i)
      if (pieces.counts[i])
        step.calls.push_back({Call::Broadcast, i == item.place ? in : nullptr,
                              out + pieces.offsets[i], size_t(pieces.counts[i]),
                              nccl::Int8, 0, int64_t(i)});
    break;
  }
  case PhaseWay::AllReduce:
    step.calls.push_back(
        {Call::AllReduce, in, out, count, reduction.type, reduction.operation});
    break;
  case PhaseWay::ReduceScatter:
    step.calls.push_back({Call::ReduceScatter, in, out, count, reduction.type,
                          reduction.operation});
    break;
  case PhaseWay::Messages:
  case PhaseWay::AllToAll:
    break;
  }
  step.finish = [this, &phase, out, buffers] {
    if (!phase.staged)
      return;
    for (const BlockReceive &receive : phase.receives) {
      std::vector<const void *> terms;
      if (phase.way == PhaseWay::ReduceScatter)
        terms.push_back(out);
      else
        for (uint32_t source : receive.sources)
          terms.push_back(out + phase.out.offsets[source]);
      combine(receive, 0, terms, buffers);
    }
  };
  return step;
}

NcclMove::Step NcclMove::prepareMessages(const Item &item) {
  const SchedulePhase &phase = *item.phase;
  const Buffers buffers = item.buffers;
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
    const BlockReceive *receive;
    size_t block;
    std::vector<const void *> terms;
  };
  std::vector<Term> combined;

  for (const BlockSend &send : phase.sends)
    for (const MessageBlock &block : send.blocks) {
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
  for (const BlockReceive &receive : phase.receives)
    for (size_t b = 0; b < receive.blocks.size(); ++b) {
      const MessageBlock &block = receive.blocks[b];
      size_t bytes = size_t(block.elements) * size;
      Term term{&receive, b, {}};
      for (size_t s = 0; s < receive.sources.size(); ++s) {
        void *to = receive.inPlace ? at(buffers.out, block.offset) : nullptr;
        if (int(s) == receive.own) {
          const MessageBlock &own = receive.ownBlocks[b];
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
  Step step;
  for (const Message &m : messages)
    step.calls.push_back({m.from ? Call::Send : Call::Recv, m.from, m.to,
                          m.bytes, nccl::Int8, 0, int64_t(m.peer)});
  step.finish = [this, combined = std::move(combined), buffers] {
    for (const Term &term : combined)
      combine(*term.receive, term.block, term.terms, buffers);
  };
  return step;
}

} // namespace runtime
} // namespace shardir
