//===- Communicator.h - How ranks reach each other --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of a backend. A Transport belongs to a job and connects its
// ranks; a Communicator is one rank's end of it. Requires that each rank calls
// its own communicator from its own thread, in program order; guarantees that a
// call but start() returns with the result in place and the operand free to be
// overwritten, or throws JobFailed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_COMMUNICATOR_H
#define SHARDIR_LIB_RUNTIME_CORE_COMMUNICATOR_H

#include "Route.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

class Job;
class ProcessWorld;
class RankContext;

/// Processors fetch lines in pairs: what two threads write is this far apart.
constexpr size_t kApart = 128;

/// Something that a rank can wait for. Lives as long as the job.
class Rendezvous {
public:
  virtual ~Rendezvous();
  /// True once all members have arrived at `target`; a waiting rank polls this.
  virtual bool arrived(uint64_t target) const = 0;
  /// A rank that has not come to `target` yet, or -1.
  virtual int missing(uint64_t target) const = 0;
};

/// How ranks that share no memory reach each other outside of collectives.
class PointToPoint {
public:
  virtual ~PointToPoint();
  /// Copies `bytes` from `in` on rank `from` to `out` on rank `to`. Both of
  /// them call it, others may not; in one order for all.
  virtual void carry(int from, int to, const void *in, void *out,
                     size_t bytes) = 0;
  /// The last barrier of a run. Numbers become the largest of all ranks', each
  /// in its place. Where no rank `hasMore` to carry, and the transport does not
  /// see processes end, this decides that the run has ended well (Job::seal).
  virtual void meetAtEnd(std::vector<int64_t> &numbers, bool hasMore) = 0;
};

/// A collective that changes a placement, as one rank calls it.
struct StepCall {
  int32_t id;
  const CollectiveSpec *spec;
  const Route *route;
  const void *in;
  void *out;
};

class Communicator {
public:
  virtual ~Communicator();
  /// One collective, or those of a bucket, whose groups are equal: they meet
  /// once. None writes what another one reads or writes.
  virtual void redistribute(const std::vector<StepCall> &calls) = 0;
  /// The same, but the result is in place, and operands are free, only after
  /// finish() of one of the results. All ranks call both in one order.
  virtual void start(const std::vector<StepCall> &calls) {
    redistribute(calls);
  }
  virtual void finish(const void * /*out*/) {}
  /// The job has failed: ends, or leaves for good, what has been started.
  virtual void abandon() {}
  /// Collective `id`, which is rooted or point to point. Returns the bytes
  /// received.
  virtual int64_t peer(int32_t id, const CollectiveSpec &spec,
                       const PeerRoute &route, const void *in, void *out,
                       int64_t count, int64_t peer) = 0;
  virtual void barrier() = 0;
  /// Waits on behalf of the rank for what its GPU does; throws JobFailed.
  virtual void awaitGpu(const Rendezvous &event) = 0;
  /// Null where all ranks are in this process.
  virtual PointToPoint *pointToPoint() { return nullptr; }
};

class Transport {
public:
  virtual ~Transport();
  virtual std::unique_ptr<Communicator> connect(RankContext &rank) = 0;
  /// The operations that were still unfinished when all ranks had ended; "" if
  /// there are none.
  virtual std::string leftover() = 0;

  // For ranks in other processes, of which the job has the status alone.
  virtual bool sharesMemory() const { return true; }
  /// The scope of the job's statuses: this process' ranks, all ranks at
  /// different times, or all ranks at one time.
  enum class Sight { None, Stale, Consistent };
  /// Called by the watchdog now and then: brings the statuses up to date, and
  /// failures from here to there and back.
  virtual Sight observe() { return Sight::Consistent; }
  /// Whether the process of `rank` does not answer.
  virtual bool isSilent(int) const { return false; }
  /// How many seconds old the status of `rank` is, where that is no matter of
  /// one round; else 0.
  virtual double toldAgo(int) const { return 0; }
  /// Called when this process' ranks have ended: waits for the others.
  virtual void settle() {}
};

/// Ranks are threads of this process.
std::unique_ptr<Transport> makeThreadsTransport(Job &job);
/// Each rank is a process; this one's is that of `world`.
std::unique_ptr<Transport> makeProcessTransport(Job &job, ProcessWorld &world,
                                                uint64_t run);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_COMMUNICATOR_H
