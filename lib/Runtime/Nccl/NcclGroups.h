//===- NcclGroups.h - Communicators of NCCL ---------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The communicators of this process, kept for ever. Those of groups along axes
// of a mesh are cut out of one of all ranks before a program first runs
// (ncclCommSplit); those of other groups are made when these first meet.
//
// Requires that all members of what is made call at the same place; guarantees
// that a communicator which fails, or whose peer is gone, ends the job.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_NCCL_NCCLGROUPS_H
#define SHARDIR_LIB_RUNTIME_NCCL_NCCLGROUPS_H

#include "NcclApi.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

class CudaStep;
class Job;

/// A communicator with the mutex of the calls on it: from 2.23 on,
/// ncclCommGetAsyncError frees the jobs of groups that have ended, so no two
/// threads may be in calls on one communicator. Only an abort may come between.
struct NcclGroup {
  explicit NcclGroup(nccl::Comm comm) : comm(comm) {}
  const nccl::Comm comm;
  std::mutex calls;
  /// NCCL's handles of blocks that are registered, null where it registers
  /// none (NCCL_LOCAL_REGISTER=0); guarded by `calls`.
  std::map<cuda::DevicePtr, void *> registered;
};

/// The communicators of this process, by their ranks.
class NcclGroups {
public:
  static NcclGroups &get();

  std::shared_ptr<NcclGroup> find(const std::vector<int> &ranks);
  void add(const std::vector<int> &ranks,
           const std::shared_ptr<NcclGroup> &group);
  /// Whether something that all ranks do once is done for the first time: a
  /// partition of them by name, the groups of a program by hash.
  bool isFirst(const std::string &what);
  /// Called by the watchdog: fails the job where a communicator has failed, and
  /// nobody has said why for `patience` seconds, or until the next call. A
  /// communicator that a rank is calling is left to that rank.
  void watch(const nccl::Api &api, Job &job, double patience);
  /// A block that is about to be freed is registered nowhere any more.
  void deregister(const nccl::Api &api, cuda::DevicePtr block);
  /// Of a rank that captures collectives: its graphs end before communicators
  /// do, which would wait for them.
  void addGraphs(const std::shared_ptr<CudaStep> &step);
  /// Ends what hangs. No communicator can be used any more.
  void abort(const nccl::Api &api);
  /// The same where the ranks are other processes from now on.
  void forget();

private:
  std::mutex mutex;
  std::map<std::vector<int>, std::shared_ptr<NcclGroup>> groups;
  /// When each was first seen to have failed.
  std::map<nccl::Comm, std::chrono::steady_clock::time_point> suspects;
  std::set<std::string> done;
  std::vector<std::weak_ptr<CudaStep>> graphs;
};

/// Makes communicators, and waits for calls on them.
class NcclCalls {
public:
  /// `poll` calls its argument until it is true or the job has failed for too
  /// long; then it throws JobFailed.
  using Poll = std::function<void(const std::function<bool()> &)>;

  NcclCalls(const nccl::Api &api, Poll poll)
      : api(api), poll(std::move(poll)) {}

  /// Waits until the call is no longer under way.
  void settle(NcclGroup &group, nccl::Result result, const char *call,
              const std::string &what);
  /// The communicator of these ranks; made now, by all of them, from member 0's
  /// id, which `share` brings to all.
  std::shared_ptr<NcclGroup>
  group(const std::vector<int> &ranks, size_t place,
        const std::function<void(nccl::UniqueId &)> &share);
  /// All members of `parent` call this: makes the communicator of `ranks`, who
  /// give their own ranks; those without any get none.
  void split(NcclGroup &parent, const std::vector<int> &ranks, size_t place);

  const nccl::Api &api;

private:
  /// Waits for what makes it.
  std::shared_ptr<NcclGroup> keep(const std::vector<int> &ranks,
                                  nccl::Comm comm, nccl::Result result,
                                  const char *call, const std::string &what);

  const Poll poll;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_NCCL_NCCLGROUPS_H
