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
// call returns with the result in place and the operand free to be overwritten,
// or throws JobFailed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_COMMUNICATOR_H
#define SHARDIR_LIB_RUNTIME_COMMUNICATOR_H

#include "Route.h"

#include <cstdint>
#include <memory>
#include <string>

namespace shardir {
namespace runtime {

class Job;
class RankContext;

/// Something that a rank can wait for. Lives as long as the job.
class Rendezvous {
public:
  virtual ~Rendezvous();
  /// Whether nobody is missing any more: what a rank that waits polls.
  virtual bool arrived(uint64_t target) const = 0;
  /// A rank that has not come to `target` yet, or -1.
  virtual int missing(uint64_t target) const = 0;
};

class Communicator {
public:
  virtual ~Communicator();
  /// Collective `id` of the metadata, which changes a placement.
  virtual void redistribute(int32_t id, const CollectiveSpec &spec,
                            const Route &route, const void *in, void *out) = 0;
  /// Collective `id`, which is rooted or point to point. Returns the bytes
  /// received.
  virtual int64_t peer(int32_t id, const CollectiveSpec &spec,
                       const PeerRoute &route, const void *in, void *out,
                       int64_t count, int64_t peer) = 0;
  virtual void barrier() = 0;
};

class Transport {
public:
  virtual ~Transport();
  virtual std::unique_ptr<Communicator> connect(RankContext &rank) = 0;
  /// What was left undone when all ranks had finished; "" for nothing.
  virtual std::string leftover() = 0;
};

/// Ranks are threads of this process.
std::unique_ptr<Transport> makeThreadsTransport(Job &job);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_COMMUNICATOR_H
