//===- Channel.h - Messages from one rank to another ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Point-to-point messages between ranks that share memory, in order. A message
// whose receiver already waits goes straight into its buffer, and a long one is
// copied by both at once; any other is kept, so that a sender never waits for
// its receiver to come. Requires one sender and one receiver. Guarantees that
// neither leaves while the other one uses its buffer.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_CHANNEL_H
#define SHARDIR_LIB_RUNTIME_CORE_CHANNEL_H

#include "Communicator.h"
#include "DataMover.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace shardir {
namespace runtime {

class Channel final : public Rendezvous {
public:
  /// The fields in which both sides must agree.
  struct Header {
    int32_t id = -1; ///< the sender's collective
    ElementType type = SHARDIR_F32;
    int64_t count = 0;
    size_t bytes() const { return size_t(count) * elementSize(type); }
    bool matches(const Header &o) const {
      return type == o.type && count == o.count;
    }
  };

  Channel(int from, int to, MessageStore &store)
      : from(from), to(to), store(store) {}
  ~Channel() override;

  /// Returns when `data` may be overwritten; false if there is no memory to
  /// keep the message in.
  bool send(const Header &header, const void *data);

  /// The receiver says where the next message goes; send() may write there
  /// until retract() or take() has returned.
  void offer(const Header &expected, void *out);
  /// Takes back an offer; waits for a sender that is at work on it.
  void retract();
  /// The message to wait for after offer().
  uint64_t nextMessage() const { return received + 1; }
  /// The next message has arrived, or is on its way: completes it in `out` if
  /// it matches. Returns what was sent.
  Header take(const Header &expected, void *out);

  /// Arrived when `target` messages have been sent, or the sender of the one
  /// that the receiver waits for can do with help.
  bool arrived(uint64_t target) const override {
    return sent.load(std::memory_order_acquire) >= target ||
           sharing.load(std::memory_order_acquire);
  }
  int missing(uint64_t target) const override {
    return arrived(target) ? -1 : from;
  }

  /// A message that nobody has received; null if there is none.
  const Header *leftover();

  const int from, to;

private:
  struct Message {
    Header header;
    void *data = nullptr; ///< null: it is in the receiver's buffer, or empty
  };
  void copyShare();

  MessageStore &store; ///< of messages that are kept
  std::atomic<uint64_t> sent{0};
  uint64_t received = 0; ///< the receiver's alone
  std::mutex mutex;
  std::deque<Message> queue; ///< guarded by mutex
  // The receiver's offer, guarded by mutex.
  Header offered;
  void *offeredOut = nullptr;
  bool isOffered = false;
  // A copy into the offered buffer, by both sides.
  std::atomic<bool> busy{false};    ///< the sender writes to the buffer
  std::atomic<bool> sharing{false}; ///< the receiver may help
  const char *source = nullptr;
  char *destination = nullptr;
  size_t bytes = 0;
  std::atomic<size_t> nextChunk{0}, doneChunks{0};
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_CHANNEL_H
