//===- EngineCall.cpp - Collectives by an engine's own calls --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of non-blocking collectives. Requires a phase whose layouts fit `int`;
// guarantees that what is contiguous is sent and received where it is, and that
// all else is packed before the call or unpacked after it.
//
//===----------------------------------------------------------------------===//

#include "EngineCall.h"

#include <algorithm>

namespace shardir {
namespace runtime {

EngineCall::EngineCall(ProcessWorld &world, MpiComm comm,
                       const SchedulePhase &phase, size_t place,
                       const MoveBuffers &buffers, MoveScratch &scratch)
    : world(world), phase(phase), buffers(buffers), scratch(scratch) {
  if (phase.staged)
    staging = static_cast<char *>(scratch.take(phase.staged));
  void *out = staging ? staging : buffers.out;
  const void *in = pack();
  auto start = [&](auto &&call) {
    requests.push_back(world.startCollective(call));
  };
  switch (phase.way) {
  case PhaseWay::Messages:
    break;
  case PhaseWay::AllGather:
    start([&](MessageCollectives &engine) {
      return engine.allGather(comm, phase.sendsResult ? nullptr : in, out,
                              phase.out, place);
    });
    break;
  case PhaseWay::AllToAll:
    start([&](MessageCollectives &engine) {
      return engine.allToAll(comm, in, phase.in, out, phase.out);
    });
    break;
  case PhaseWay::AllReduce:
    for (int64_t at = 0; at < phase.elements; at += phase.piece)
      start([&](MessageCollectives &engine) {
        size_t offset = size_t(at) * buffers.size;
        return engine.allReduce(
            comm, static_cast<const char *>(in) + offset,
            static_cast<char *>(out) + offset,
            size_t(std::min(phase.piece, phase.elements - at)), buffers.type,
            buffers.kind);
      });
    break;
  case PhaseWay::ReduceScatter:
    start([&](MessageCollectives &engine) {
      return engine.reduceScatter(comm, in, out, phase.counts, buffers.type,
                                  buffers.kind);
    });
    break;
  }
}

const void *EngineCall::pack() {
  if (!phase.packed)
    return buffers.in;
  auto *packed = static_cast<char *>(scratch.take(phase.packed));
  for (const BlockSend &send : phase.sends)
    send.blocks[0].plan.copy(buffers.in, packed + phase.in.offsets[send.to],
                             buffers.size);
  // Engines that reduce want the own part among them.
  if (phase.way == PhaseWay::ReduceScatter)
    for (const BlockReceive &receive : phase.receives)
      receive.ownBlocks[0].plan.copy(
          buffers.in,
          packed + phase.in.offsets[receive.sources[size_t(receive.own)]],
          buffers.size);
  return packed;
}

bool EngineCall::poll() {
  if (done())
    return false;
  for (MpiRequest &request : requests)
    if (!world.test(request))
      return false;
  requests.clear();
  finish();
  return true;
}

void EngineCall::finish() {
  if (!phase.staged)
    return;
  for (const BlockReceive &receive : phase.receives) {
    if (phase.way == PhaseWay::ReduceScatter) {
      receive.blocks[0].plan.copy(staging, buffers.out, buffers.size);
      continue;
    }
    std::vector<char *> pieces;
    for (uint32_t source : receive.sources)
      pieces.push_back(staging + phase.out.offsets[source]);
    finishReceive(receive, 0, pieces, buffers);
  }
}

} // namespace runtime
} // namespace shardir
