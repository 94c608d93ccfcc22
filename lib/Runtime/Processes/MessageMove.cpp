//===- MessageMove.cpp - Moves the data of one collective -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks between buffers and messages. Requires blocks of at most 2^31 - 1
// bytes, as the schedule's limits make them; guarantees that blocks of one
// transfer keep their order: each transfer has a tag of its own, messages of
// one tag arrive in order, and both ends post blocks in increasing order.
//
//===----------------------------------------------------------------------===//

#include "MessageMove.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {
constexpr size_t kKeptScratch = size_t(64) << 20;
constexpr size_t kAlignment = 64;
/// Blocks of one message that are staged at a time: one is packed or unpacked
/// while the other travels.
constexpr size_t kWindow = 2;
} // namespace

void *MoveScratch::take(size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  for (Chunk &chunk : chunks)
    if (chunk.size - chunk.used >= bytes) {
      char *p = chunk.data.get() + chunk.used;
      chunk.used += bytes;
      return p;
    }
  Chunk chunk;
  chunk.size = std::max<size_t>(bytes + kAlignment, size_t(64) << 10);
  chunk.data.reset(new char[chunk.size]);
  auto address = reinterpret_cast<uintptr_t>(chunk.data.get());
  size_t skip = (kAlignment - address % kAlignment) % kAlignment;
  chunk.used = skip + bytes;
  chunks.push_back(std::move(chunk));
  return chunks.back().data.get() + skip;
}

void MoveScratch::reset() {
  size_t total = 0;
  for (const Chunk &chunk : chunks)
    total += chunk.size;
  if (total > kKeptScratch)
    chunks.clear();
  for (Chunk &chunk : chunks) {
    auto address = reinterpret_cast<uintptr_t>(chunk.data.get());
    chunk.used = (kAlignment - address % kAlignment) % kAlignment;
  }
}

void finishReceive(const BlockReceive &receive, size_t number,
                   const std::vector<char *> &staging,
                   const MoveBuffers &buffers) {
  const MessageBlock &block = receive.blocks[number];
  if (receive.sources.size() == 1) {
    block.plan.copy(staging[0], buffers.out, buffers.size);
    return;
  }
  std::vector<const char *> terms;
  for (size_t s = 0; s < receive.sources.size(); ++s) {
    if (int(s) == receive.own) {
      const MessageBlock &own = receive.ownBlocks[number];
      if (own.offset >= 0) {
        terms.push_back(static_cast<const char *>(buffers.in) +
                        size_t(own.offset) * buffers.size);
        continue;
      }
      own.plan.copy(buffers.in, staging[s], buffers.size);
    }
    terms.push_back(staging[s]);
  }
  std::vector<const void *> ins(terms.size());
  block.plan.forEachSpan([&](int64_t from, int64_t to, int64_t n) {
    for (size_t s = 0; s < ins.size(); ++s)
      ins[s] = terms[s] + size_t(from) * buffers.size;
    void *out = static_cast<char *>(buffers.out) + size_t(to) * buffers.size;
    buffers.reduce(&out, 1, ins.data(), ins.size(), 0, size_t(n));
  });
}

MessageMove::MessageMove(ProcessWorld &world, MpiComm comm,
                         const SchedulePhase &phase, const MoveBuffers &buffers,
                         MoveScratch &scratch)
    : world(world), comm(comm), buffers(buffers), scratch(scratch) {
  // Receives first: what comes then has a place to go.
  for (const BlockReceive &receive : phase.receives)
    addSlots(nullptr, &receive);
  for (const BlockSend &send : phase.sends)
    addSlots(&send, nullptr);
}

void MessageMove::addSlots(const BlockSend *send, const BlockReceive *receive) {
  const std::vector<MessageBlock> &blocks =
      send ? send->blocks : receive->blocks;
  bool inPlace = send ? send->inPlace : receive->inPlace;
  size_t count = inPlace ? blocks.size() : std::min(kWindow, blocks.size());
  size_t sources = send ? 1 : receive->sources.size();
  size_t largest = 0;
  for (const MessageBlock &block : blocks)
    largest = std::max(largest, size_t(block.elements) * buffers.size);
  next.push_back(count);
  for (size_t i = 0; i < count; ++i) {
    Slot slot;
    slot.send = send;
    slot.receive = receive;
    slot.message = next.size() - 1;
    slot.block = i;
    for (size_t s = 0; s < sources && !inPlace; ++s)
      slot.staging.push_back(static_cast<char *>(scratch.take(largest)));
    ++open;
    slots.push_back(std::move(slot));
    post(slots.back());
  }
}

void MessageMove::post(Slot &slot) {
  auto bytesOf = [&](const MessageBlock &block) {
    return size_t(block.elements) * buffers.size;
  };
  if (const BlockSend *send = slot.send) {
    const MessageBlock &block = send->blocks[slot.block];
    const void *data = nullptr;
    if (block.offset >= 0) {
      data = static_cast<const char *>(buffers.in) +
             size_t(block.offset) * buffers.size;
    } else {
      data = slot.staging[0];
      block.plan.copy(buffers.in, slot.staging[0], buffers.size);
    }
    slot.requests.push_back(world.send(comm, data, bytesOf(block),
                                       int(send->to), tagOf(send->transfer)));
    return;
  }
  const BlockReceive &receive = *slot.receive;
  const MessageBlock &block = receive.blocks[slot.block];
  for (size_t s = 0; s < receive.sources.size(); ++s) {
    if (int(s) == receive.own)
      continue;
    char *to = receive.inPlace ? static_cast<char *>(buffers.out) +
                                     size_t(block.offset) * buffers.size
                               : slot.staging[s];
    slot.requests.push_back(world.receive(comm, to, bytesOf(block),
                                          int(receive.sources[s]),
                                          tagOf(receive.transfer)));
  }
}

void MessageMove::finish(Slot &slot) {
  slot.requests.clear();
  if (slot.receive && !slot.receive->inPlace)
    finishReceive(*slot.receive, slot.block, slot.staging, buffers);
}

bool MessageMove::poll() {
  bool advanced = false;
  for (Slot &slot : slots) {
    if (slot.requests.empty())
      continue;
    bool complete = true;
    for (MpiRequest &request : slot.requests)
      complete &= world.test(request);
    if (!complete)
      continue;
    advanced = true;
    finish(slot);
    // Whichever slot is free takes the next block: they are posted in order.
    slot.block = next[slot.message]++;
    const std::vector<MessageBlock> &blocks =
        slot.send ? slot.send->blocks : slot.receive->blocks;
    if (slot.block < blocks.size())
      post(slot);
    else
      --open;
  }
  return advanced;
}

int MessageMove::waitsFor() const {
  for (const Slot &slot : slots)
    for (size_t i = 0; i < slot.requests.size(); ++i) {
      if (!slot.requests[i])
        continue;
      if (slot.send)
        return int(slot.send->to);
      bool beyondOwn = slot.receive->own >= 0 && int(i) >= slot.receive->own;
      return int(slot.receive->sources[i + (beyondOwn ? 1 : 0)]);
    }
  return -1;
}

} // namespace runtime
} // namespace shardir
