//===- NcclMove.h - Data of collectives over NCCL ----------------*- C++ -*-==//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the phases of an MpiSchedule between GPUs: what is not contiguous
// is packed by a kernel, all messages of a phase are one group of ncclSend and
// ncclRecv, and terms are received beside each other and combined by the
// runtime's kernels in the order of `threads`. NCCL's own reductions are not
// used: their order depends on its version and on the number of GPUs (X3).
//
// Requires that all members of a group are known to be at the same collective;
// guarantees that everything is queued in the order of the rank's stream, with
// messages on a stream of their own, and that a communicator which fails, or
// whose peer is gone, ends the job.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_NCCL_NCCLMOVE_H
#define SHARDIR_LIB_RUNTIME_NCCL_NCCLMOVE_H

#include "Cuda/CudaRank.h"
#include "Mpi/MpiSchedule.h"
#include "NcclApi.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace shardir {
namespace runtime {

class Job;

/// A communicator with the mutex of the calls on it: from 2.23 on,
/// ncclCommGetAsyncError frees the jobs of groups that have ended, so no two
/// threads may be in calls on one communicator. Only an abort may come between.
struct NcclGroup {
  const nccl::Comm comm;
  std::mutex calls;
};

/// The communicators of this process, by their ranks, kept for ever.
class NcclGroups {
public:
  static NcclGroups &get();

  std::shared_ptr<NcclGroup> find(const std::vector<int> &ranks);
  void add(const std::vector<int> &ranks,
           const std::shared_ptr<NcclGroup> &group);
  /// Called by the watchdog: fails the job where a communicator has failed. A
  /// communicator that a rank is calling is left to that rank.
  void watch(const nccl::Api &api, Job &job);
  /// Ends what hangs. No communicator can be used any more.
  void abort(const nccl::Api &api);

private:
  std::mutex mutex;
  std::map<std::vector<int>, std::shared_ptr<NcclGroup>> groups;
  std::set<nccl::Comm> suspects; ///< seen to have failed once
};

class NcclMove {
public:
  /// `poll` calls its argument until it is true or the job has failed for too
  /// long; then it throws JobFailed.
  using Poll = std::function<void(const std::function<bool()> &)>;

  NcclMove(const nccl::Api &api, CudaRank &gpu, Poll poll)
      : api(api), gpu(gpu), poll(std::move(poll)) {}

  /// The communicator of these ranks; made now, by all of them, from member 0's
  /// id, which `share` brings to all.
  std::shared_ptr<NcclGroup>
  group(const std::vector<int> &ranks, size_t place,
        const std::function<void(nccl::UniqueId &)> &share);

  struct Buffers {
    const void *in;
    void *out;
    ElementType type;
    PartialKind kind;
  };
  /// Moves what the phase says; its local copies are the caller's.
  void run(NcclGroup &group, const MpiPhase &phase, const Buffers &buffers);

  const nccl::Api &api;

private:
  /// Waits until the call is no longer under way.
  void settle(NcclGroup &group, nccl::Result result, const char *call,
              const std::string &what);
  void *stage(size_t bytes);
  void dropStages();

  CudaRank &gpu;
  const Poll poll;
  std::vector<std::pair<void *, size_t>> stages;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_NCCL_NCCLMOVE_H
