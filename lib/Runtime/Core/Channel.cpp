//===- Channel.cpp - Messages from one rank to another --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands messages over. Requires Channel.h's order of calls; guarantees that
// only a sender that found an offer touches the receiver's buffer, and that it
// does not wait meanwhile but for chunks that the receiver is copying.
//
//===----------------------------------------------------------------------===//

#include "Channel.h"

#include "Elements/Stream.h"
#include "Wait.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {
/// Two cores copy longer messages; what a receiver takes at a time.
constexpr size_t kShared = size_t(128) << 10;
constexpr size_t kChunk = size_t(64) << 10;

void copyMessage(void *to, const void *from, size_t n) {
  if (n)
    copyToAll(&to, 1, from, n, n >= kStreamBytes);
}
} // namespace

Channel::~Channel() {
  for (Message &message : queue)
    if (message.data)
      store.deliver(message.data, nullptr, message.header.bytes());
}

bool Channel::send(const Header &header, const void *data) {
  size_t n = header.bytes();
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isOffered && offered.matches(header)) {
      isOffered = false;
      busy.store(true, std::memory_order_relaxed);
    }
  }
  Message message;
  message.header = header;
  if (busy.load(std::memory_order_relaxed)) {
    if (n < kShared) {
      copyMessage(offeredOut, data, n);
    } else {
      source = static_cast<const char *>(data);
      destination = static_cast<char *>(offeredOut);
      bytes = n;
      doneChunks.store(0, std::memory_order_relaxed);
      nextChunk.store(0, std::memory_order_relaxed);
      sharing.store(true, std::memory_order_release);
      copyShare();
      Backoff backoff(1000);
      while (doneChunks.load(std::memory_order_acquire) * kChunk < n)
        backoff.pause();
      sharing.store(false, std::memory_order_relaxed);
    }
  } else if (n) {
    message.data = store.keep(data, n);
    if (!message.data)
      return false;
  }
  std::lock_guard<std::mutex> lock(mutex);
  queue.push_back(message);
  isOffered = false; // it was for this message
  sent.fetch_add(1, std::memory_order_release);
  busy.store(false, std::memory_order_release);
  return true;
}

void Channel::copyShare() {
  while (true) {
    size_t begin = nextChunk.fetch_add(1, std::memory_order_relaxed) * kChunk;
    if (begin >= bytes)
      return;
    size_t n = std::min(kChunk, bytes - begin);
    void *to = destination + begin;
    copyToAll(&to, 1, source + begin, n, bytes >= kStreamBytes);
    doneChunks.fetch_add(1, std::memory_order_release);
  }
}

void Channel::offer(const Header &expected, void *out) {
  if (!store.direct())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (!queue.empty())
    return; // it is here already
  offered = expected;
  offeredOut = out;
  isOffered = true;
}

void Channel::retract() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOffered = false;
  }
  Backoff backoff(0);
  while (busy.load(std::memory_order_acquire)) {
    if (sharing.load(std::memory_order_acquire))
      copyShare();
    backoff.pause();
  }
}

Channel::Header Channel::take(const Header &expected, void *out) {
  if (sharing.load(std::memory_order_acquire))
    copyShare();
  Backoff backoff(1000);
  while (sent.load(std::memory_order_acquire) < nextMessage())
    backoff.pause();
  Message message;
  {
    std::lock_guard<std::mutex> lock(mutex);
    message = queue.front();
    queue.pop_front();
  }
  ++received;
  if (message.data)
    store.deliver(message.data,
                  message.header.matches(expected) ? out : nullptr,
                  message.header.bytes());
  return message.header;
}

const Channel::Header *Channel::leftover() {
  std::lock_guard<std::mutex> lock(mutex);
  return queue.empty() ? nullptr : &queue.front().header;
}

} // namespace runtime
} // namespace shardir
