//===- Messages.h - Tagged messages between processes -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface through which a ProcessWorld sends messages: MPI implements it,
// and sockets of the runtime do where no MPI has started the processes.
// Requires calls by one thread at a time; guarantees that messages of one
// channel and tag between two processes come in the order in which they were
// sent, that no call waits for another process unless it says so, and that a
// call which fails throws std::runtime_error.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_MESSAGES_H
#define SHARDIR_LIB_RUNTIME_CORE_MESSAGES_H

#include "Elements/Reduce.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

struct JobLaunch;

/// MPI's communicators and requests are pointers; so are those of others.
using MessageChannel = void *;
using MessageRequest = void *;

/// Pieces of a buffer in bytes, by the place of the member that sends or gets
/// them.
struct MessageLayout {
  std::vector<int> counts, offsets;
  /// Whether all are equal and follow each other.
  bool isEven = false;
};

/// A library's own collectives among the members of a channel. Requires that
/// all members call them in one order, and that buffers, layouts and counts
/// live until the request is done.
class MessageCollectives {
public:
  virtual ~MessageCollectives();
  /// Each member's piece to all. `in` is null where the own one is in place.
  virtual MessageRequest allGather(MessageChannel channel, const void *in,
                                   void *out, const MessageLayout &pieces,
                                   size_t place) = 0;
  virtual MessageRequest allToAll(MessageChannel channel, const void *in,
                                  const MessageLayout &sends, void *out,
                                  const MessageLayout &receives) = 0;
  /// Sums and the like of all members' `count` elements; `in` may be `out`.
  virtual MessageRequest allReduce(MessageChannel channel, const void *in,
                                   void *out, size_t count,
                                   shardir_element_type type,
                                   PartialKind kind) = 0;
  /// The same of counts[i] elements for each member i, in order.
  virtual MessageRequest reduceScatter(MessageChannel channel, const void *in,
                                       void *out,
                                       const std::vector<int> &counts,
                                       shardir_element_type type,
                                       PartialKind kind) = 0;
};
/// Whether engines reduce such terms as the runtime does, but for the order:
/// maxima of floats differ in NaNs and zeros, and short floats are rounded more
/// than once.
bool enginesReduce(shardir_element_type type, PartialKind kind);

class Messages {
public:
  virtual ~Messages();

  int rank = 0, size = 1;
  int localSize = 1; ///< processes on this machine
  /// Streams that do not see each other's messages.
  MessageChannel control = nullptr, posts = nullptr, tools = nullptr;

  virtual MessageRequest send(MessageChannel channel, const void *data,
                              size_t bytes, int to, int tag) = 0;
  virtual MessageRequest receive(MessageChannel channel, void *data,
                                 size_t bytes, int from, int tag) = 0;
  /// Whether the request is done; then it is no more.
  virtual bool test(MessageRequest request) = 0;
  /// Ends a receive that nothing may have come for. Whether something had.
  virtual bool cancel(MessageRequest request) = 0;
  /// The caller needs the buffer of a send back. MPI may read it still.
  virtual void release(MessageRequest /*request*/) {}
  /// Takes a message that has come from anybody; false if none has.
  virtual bool take(MessageChannel channel, int tag, int &from,
                    std::string &data) = 0;
  /// A channel of these ranks' own, who all call this now: it may wait.
  virtual MessageChannel group(const std::vector<int> &ranks) = 0;
  /// These channels of groups are not used, nor given back, any more: something
  /// may be on its way in them for ever.
  virtual void forgetGroups(const std::vector<MessageChannel> & /*those*/) {}
  /// Null where the library has none.
  virtual MessageCollectives *collectives() { return nullptr; }
  /// Whether leaving the others is this library's business, not the host's.
  virtual bool isOwn() const = 0;
  /// Leaves the others, who do the same now.
  virtual void finish() = 0;
  /// The first rank whose process has ended without a word; -1 for none. Where
  /// a launcher sees to that, it is never known here.
  virtual int lost() { return -1; }
  /// Tells the others that this process ends on purpose.
  virtual void leave() {}
  /// Which process cannot be reached, and why; empty for none.
  virtual std::string fault() { return ""; }
  /// Whether a process has ended, in whatever way.
  virtual bool gone(int /*rank*/) { return false; }
};

/// Starts MPI, or joins the host's; alone where no launcher has started this
/// process. With a communicator of the host's, over duplicates of that one,
/// which all of its processes make now. Null with a reason.
std::unique_ptr<Messages> startMpiMessages(std::string &error,
                                           MessageChannel comm = nullptr);
/// Connects the processes that a launcher has told of each other, within
/// `seconds`. Null with a reason, which is the same in all processes that can
/// be reached; `unheard` where this one must report it. Rank 0 may give a
/// socket that listens already, which is closed then.
std::unique_ptr<Messages> startTcpMessages(const JobLaunch &launch,
                                           double seconds, std::string &error,
                                           bool &unheard, int listener = -1);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_MESSAGES_H
