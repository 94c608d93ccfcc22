//===- MpiGpu.cpp - Ranks as processes, each with a GPU -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device nccl: posts, checks, failures and counts are those of
// MpiTransport, and so are the schedules; NCCL carries what is on the GPUs.
// Requires a rank with a GPU; guarantees what Communicator.h says, in the order
// of the rank's stream: the host waits for the other members' posts and for
// nothing on the GPU. Messages of `send` pass through the hosts: two ranks that
// first send to each other must not both wait, and a stream would.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "MpiTransport.h"

#include <algorithm>
#include <chrono>

namespace shardir {
namespace runtime {

namespace {
constexpr int kGroupId = 4; ///< a tag beside those of posts and messages
/// NCCL may see that a process has ended before our own connection to it does.
constexpr double kDeathIsSeen = 0.25; ///< seconds
} // namespace

void MpiCommunicator::moveOnGpu(const std::vector<int> &group, size_t place,
                                const MpiPhase &phase,
                                const NcclMove::Buffers &buffers) {
  if (group.size() == 1)
    return;
  // A member without messages is needed where the communicator is made.
  auto share = [&](nccl::UniqueId &id) {
    for (size_t i = 0; i < group.size(); ++i) {
      if (i == 0 || (place != 0 && i != place))
        continue;
      MpiRequest request = place == 0
                               ? world.send(world.postsComm(), &id, sizeof(id),
                                            group[i], kGroupId)
                               : world.receive(world.postsComm(), &id,
                                               sizeof(id), group[0], kGroupId);
      pollUntil([&] { return world.test(request); });
    }
  };
  try {
    nccl->run(*nccl->group(group, place, share), phase, buffers);
  } catch (const cuda::Failure &) {
    // Not the one who sees that a process is gone is the culprit.
    if (transport.findsLoss(kDeathIsSeen))
      throw JobFailed();
    throw;
  }
}

bool MpiTransport::findsLoss(double seconds) {
  auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (world.lost() < 0 && !job.failed()) {
    if (world.overMpi || Clock::now() > until)
      return false;
    world.poll(seconds);
    sched_yield();
  }
  // The watchdog fails the job, and knows more.
  while (!job.failed() && Clock::now() < until + std::chrono::seconds(1))
    sched_yield();
  return job.failed();
}

void MpiCommunicator::redistributeOnGpu(const CollectiveSpec &spec,
                                        const Route &route,
                                        const RoutePart &part,
                                        const MpiSchedule &schedule,
                                        const void *in, void *out) {
  CudaRank &gpu = *rank.gpu;
  size_t size = elementSize(spec.type);
  const std::vector<int> &group = route.groups[part.group];
  if (part.identity)
    gpu.fill(route.kind, spec.type, out, size_t(part.resultCount));
  // In place and in one phase, the result would overwrite what is being sent.
  void *copy = nullptr;
  auto bytes = size_t(part.operandCount) * size;
  if (in == out && schedule.phases.size() == 1 &&
      !schedule.phases[0].sends.empty()) {
    copy = gpu.stage(bytes);
    gpu.copy(copy, in, bytes);
    in = copy;
  }
  for (const MpiPhase &phase : schedule.phases) {
    for (const CopyPlan &plan : phase.local)
      if (in != out)
        gpu.copyDims(plan.dimensions(), size, in, out);
    moveOnGpu(group, part.place, phase,
              {phase.sendsResult ? out : in, out, spec.type, route.kind});
  }
  if (copy)
    gpu.dropStage(copy, bytes);
}

std::shared_ptr<const std::string> MpiCommunicator::dataToSend(const void *in,
                                                               size_t bytes) {
  if (!rank.gpu)
    return std::make_shared<std::string>(static_cast<const char *>(in), bytes);
  auto data = std::make_shared<std::string>(bytes, '\0');
  rank.gpu->download(data->data(), in, bytes);
  return data;
}

void MpiCommunicator::receiveIntoRank(int from, const MpiMessageHead &head,
                                      void *out) {
  if (!rank.gpu)
    return receiveData(from, head, out);
  std::unique_ptr<char[]> onHost(new char[size_t(head.bytes) + 1]);
  receiveData(from, head, onHost.get());
  rank.gpu->upload(out, onHost.get(), size_t(head.bytes));
}

void MpiTransport::watchGpus() {
  if (job.options.nccl && !job.failed())
    NcclGroups::get().watch(*job.options.nccl, job);
}

void MpiTransport::settleGpus() {
  if (!job.options.nccl || !job.failed() || !job.isHere(size_t(self)))
    return;
  // Queued work of this rank may wait for ranks that never come.
  CudaRank &gpu = *job.rank(size_t(self)).gpu;
  CudaScope scope(gpu.device);
  auto until =
      Clock::now() + std::chrono::duration<double>(0.25 * job.options.grace);
  while (!gpu.isIdle() && Clock::now() < until)
    sched_yield();
  if (gpu.isIdle())
    return;
  NcclGroups::get().abort(*job.options.nccl);
  world.broken = true;
}

} // namespace runtime
} // namespace shardir
