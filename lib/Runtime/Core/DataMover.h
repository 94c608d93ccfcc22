//===- DataMover.h - Who moves the data of a collective ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks of one process meet in Group.h and know from the route what goes where;
// a mover carries it out: the processor, in the caller's time, or a GPU, in the
// order of the rank's stream. Requires calls between the rendezvous of one
// collective, by the rank's thread; guarantees that when all members have
// passed the second rendezvous, whatever a member does next with its buffers
// comes after what the others did with them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_DATAMOVER_H
#define SHARDIR_LIB_RUNTIME_CORE_DATAMOVER_H

#include "Route.h"

#include <memory>
#include <vector>

namespace shardir {
namespace runtime {

class Group;
class Job;
class RankContext;

class DataMover {
public:
  virtual ~DataMover();

  // Around the two rendezvous of a collective.
  /// Before this member posts its buffers.
  virtual void posting() {}
  /// All members have posted; `place` is this one's.
  virtual void posted(const Group &, size_t /*place*/) {}
  /// This member has moved its part.
  virtual void moved() {}
  /// All members have.
  virtual void finished(const Group &, size_t /*place*/) {}

  /// Whether what one member holds is better stored to all by that member than
  /// read by each.
  virtual bool pushes() const = 0;
  /// Moves elements of `size` bytes; all of the caller's are `bytes`.
  virtual void copy(const CopyPlan &plan, const void *in, void *out,
                    size_t size, size_t bytes) = 0;
  /// The same to every output.
  virtual void copyToAll(const CopyPlan &plan, const void *in,
                         const std::vector<void *> &outs, size_t size) = 0;
  /// `bytes` from one place to each of the others; `whole` of them are moved by
  /// all members together.
  virtual void copyBytes(const std::vector<void *> &outs, const void *from,
                         size_t bytes, size_t whole) = 0;
  /// Reduces the terms, in their order.
  virtual void reduce(const Route &route, ElementType type,
                      const CopyPlan &plan, std::vector<const void *> &terms,
                      void *out) = 0;
  /// Reduces elements [begin, end) of the terms to every output.
  virtual void reduceRange(const Route &route, ElementType type,
                           const std::vector<const void *> &terms,
                           const std::vector<void *> &outs, size_t begin,
                           size_t end) = 0;
  virtual void fill(PartialKind kind, ElementType type, void *out,
                    size_t count) = 0;
};

/// Where messages lie that nobody has received yet.
class MessageStore {
public:
  virtual ~MessageStore();
  /// Whether a sender may write into the buffer of a receiver that waits.
  virtual bool direct() const = 0;
  /// By the sender: a copy of `bytes` (not 0) at `data`, null where there is no
  /// memory.
  virtual void *keep(const void *data, size_t bytes) = 0;
  /// By the receiver, with `out`; else by whoever finds the message
  /// undelivered, with null.
  virtual void deliver(void *kept, void *out, size_t bytes) = 0;
};

/// The processor moves.
std::unique_ptr<DataMover> makeHostMover();
std::unique_ptr<MessageStore> makeHostMessages();
/// The rank's GPU moves: ranks are threads of one process and share it.
std::unique_ptr<DataMover> makeCudaMover(Job &job, RankContext &rank);
std::unique_ptr<MessageStore> makeCudaMessages();

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_DATAMOVER_H
