//===- ProcessGpu.cpp - Ranks as processes, each with a GPU ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device nccl: posts, checks, failures and counts are those of
// ProcessTransport, and so are the schedules; NCCL carries what is on the GPUs.
// Requires a rank with a GPU; guarantees what Communicator.h says, in the order
// of the rank's stream: the host waits for nothing on the GPU, and for the
// other members' posts alone, where there are any. Messages of `send` pass
// through the hosts: two ranks that first send to each other must not both
// wait, and a stream would.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "Core/Wait.h"
#include "ProcessTransport.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>

namespace shardir {
namespace runtime {

namespace {
constexpr int kGroupId = 4; ///< a tag beside those of posts and messages
/// NCCL may see that a process has ended before our own connection to it does.
constexpr double kDeathIsSeen = 1; ///< seconds
} // namespace

std::shared_ptr<NcclGroup>
ProcessCommunicator::gpuGroup(const std::vector<int> &group, size_t place) {
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
  return ncclCalls->group(group, place, share);
}

/// The mesh, the axes and their order: equal for equal groups. Empty where the
/// groups are not those along some axes.
static std::string partitionOf(const Metadata &metadata,
                               const CollectiveSpec &spec) {
  bool moves = spec.kind == OpKind::Redistribute;
  if (spec.kind == OpKind::Send || spec.kind == OpKind::Recv ||
      (moves && (spec.unknownExtents || spec.mesh != spec.toMesh ||
                 !spec.step.halo.empty())))
    return "";
  const Mesh &mesh = metadata.meshes[size_t(spec.mesh)];
  std::vector<AxisRef> axes =
      moves ? groupAxes(spec.step, mesh, spec.shape) : spec.axes;
  auto key = [&](const AxisRef &axis) {
    return std::tuple(mesh.axisIndex(axis.name), axis.preSize, axis.size);
  };
  if (moves) // members are in the order of the mesh
    std::sort(
        axes.begin(), axes.end(),
        [&](const AxisRef &a, const AxisRef &b) { return key(a) < key(b); });
  std::string along;
  for (const AxisRef &axis : axes) {
    auto [index, preSize, size] = key(axis);
    along += " " + std::to_string(index) + ":" + std::to_string(preSize) + ":" +
             std::to_string(size);
  }
  if (along.empty())
    return "";
  std::string text = "of " + std::to_string(metadata.ranks) + ": mesh";
  for (const MeshAxis &axis : mesh.axes)
    text += " " + std::to_string(axis.size);
  for (int64_t device : mesh.devices)
    text += "," + std::to_string(device);
  return text + " along" + along;
}

void ProcessCommunicator::prepareGpuGroups(const std::vector<int> &all) {
  NcclGroups &groups = NcclGroups::get();
  if (all.size() == 1 ||
      !groups.isFirst("program " + std::to_string(transport.programHash)))
    return;
  const Metadata &metadata = job.program->metadata;
  std::shared_ptr<NcclGroup> parent;
  // All ranks go through the table in one order, and skip the same.
  for (size_t id = 0; id < metadata.collectives.size(); ++id) {
    const CollectiveSpec &spec = metadata.collectives[id];
    std::string partition = partitionOf(metadata, spec);
    if (partition.empty() || !groups.isFirst(partition))
      continue;
    if (!parent)
      parent = gpuGroup(all, size_t(rank.rank));
    std::vector<int> own;
    size_t place = 0;
    if (spec.kind == OpKind::Redistribute) {
      std::string error;
      auto route =
          job.program->routes.get(int32_t(id), nullptr, error, rank.rank);
      int64_t index = route ? route->indexOf(rank.rank) : -1;
      if (index >= 0) {
        const RoutePart &part = route->parts[size_t(index)];
        own = route->groups[part.group];
        place = part.place;
      }
    } else {
      const PeerRoute &route = *job.program->routes.getPeer(int32_t(id));
      if (route.inMesh[size_t(rank.rank)]) {
        auto [group, at] = route.placeOfRank[size_t(rank.rank)];
        own = route.groups[group];
        place = at;
      }
    }
    // A group of all is there.
    if (own != all)
      ncclCalls->split(*parent, own, place);
  }
}

void ProcessCommunicator::moveOnGpu(const std::vector<int> &group, size_t place,
                                    const GroupWait &wait,
                                    const std::vector<NcclMove::Item> &items) {
  if (group.size() == 1)
    return;
  try {
    // A member without messages is needed where the communicator is made.
    const CudaEvent *end = nccl->run(gpuGroup(group, place), items);
    if (!end || wait.isChecked)
      return;
    // In a run that is one graph the last collective stands for all.
    if (!queued.empty() && queued.back().end == end)
      queued.pop_back();
    queued.push_back(
        {wait, job.status(size_t(rank.rank)).posted.load() - 1, end});
    if (queued.size() > CudaRank::kTransferEnds)
      queued.pop_front();
  } catch (const cuda::Failure &) {
    // Not the one who sees that a process is gone is the culprit.
    if (transport.findsLoss(kDeathIsSeen))
      throw JobFailed();
    throw;
  }
}

void ProcessCommunicator::awaitGpu(const Rendezvous &event) {
  RankStatus &status = job.status(size_t(rank.rank));
  ProcessWait &wait = transport.wait;
  Backoff backoff(spins);
  while (!event.arrived(0) && !job.failed()) {
    size_t before = queued.size();
    while (!queued.empty() && queued.front().end->arrived(0))
      queued.pop_front();
    if (queued.empty()) {
      status.done.store(status.posted, std::memory_order_release);
      return job.waitSlowly(rank.rank, event, 0);
    }
    const Queued &first = queued.front();
    if (queued.size() != before || !status.waitFor.load()) {
      status.waitFor.store(nullptr, std::memory_order_release);
      wait.kind = ProcessWait::Group;
      wait.group = first.wait.group;
      wait.begun = first.wait.begun;
      status.done.store(first.number, std::memory_order_release);
      status.waitFor.store(&wait, std::memory_order_release);
      status.advance();
    }
    backoff.pause();
  }
  job.throwIfFailed();
  status.waitFor.store(nullptr, std::memory_order_release);
  status.done.store(status.posted, std::memory_order_release);
  status.advance();
}

bool ProcessTransport::findsLoss(double seconds) {
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

void ProcessCommunicator::redistributeOnGpu(const std::vector<StepCall> &calls,
                                            const GroupWait &wait) {
  CudaRank &gpu = *rank.gpu;
  struct Moving {
    const StepCall &call;
    const std::vector<SchedulePhase> &phases;
    const void *in;
    void *copy;
    size_t bytes;
  };
  std::vector<Moving> moving;
  size_t numPhases = 0;
  for (const StepCall &call : calls) {
    const RoutePart &part = partOf(*call.route);
    const std::vector<SchedulePhase> &phases = planOf(call).schedule.phases;
    if (part.identity)
      gpu.fill(call.route->kind, call.spec->type, call.out,
               size_t(part.resultCount));
    Moving m{call, phases, call.in, nullptr,
             size_t(part.operandCount) * elementSize(call.spec->type)};
    // In place and in one phase, the result would overwrite what is being sent.
    if (call.in == call.out && phases.size() == 1 && !phases[0].sends.empty()) {
      m.copy = gpu.stage(m.bytes);
      gpu.copy(m.copy, m.in, m.bytes);
      m.in = m.copy;
    }
    numPhases = std::max(numPhases, phases.size());
    moving.push_back(m);
  }
  const std::vector<int> &group = groupOf(calls);
  size_t place = partOf(*calls.front().route).place;
  for (size_t p = 0; p < numPhases; ++p) {
    std::vector<NcclMove::Item> items;
    for (const Moving &m : moving) {
      if (p >= m.phases.size())
        continue;
      const SchedulePhase &phase = m.phases[p];
      void *out = m.call.out;
      for (const CopyPlan &plan : phase.local)
        if (m.in != out)
          gpu.copyDims(plan.dimensions(), elementSize(m.call.spec->type), m.in,
                       out);
      items.push_back({&phase,
                       partOf(*m.call.route).place,
                       {phase.sendsResult ? out : m.in, out, m.call.spec->type,
                        m.call.route->kind}});
    }
    moveOnGpu(group, place, wait, items);
  }
  for (const Moving &m : moving)
    if (m.copy)
      gpu.dropStage(m.copy, m.bytes);
}

std::shared_ptr<const std::string>
ProcessCommunicator::dataToSend(const void *in, size_t bytes) {
  if (!rank.gpu)
    return std::make_shared<std::string>(static_cast<const char *>(in), bytes);
  auto data = std::make_shared<std::string>(bytes, '\0');
  rank.gpu->download(data->data(), in, bytes);
  return data;
}

void ProcessCommunicator::receiveIntoRank(int from, const MessageHead &head,
                                          void *out) {
  if (!rank.gpu)
    return receiveData(from, head, out);
  std::unique_ptr<char[]> onHost(new char[size_t(head.bytes) + 1]);
  receiveData(from, head, onHost.get());
  rank.gpu->upload(out, onHost.get(), size_t(head.bytes));
}

void ProcessTransport::watchGpus() {
  if (job.options.nccl && !job.failed())
    // Where a process' end is seen, that is what others find failed.
    NcclGroups::get().watch(*job.options.nccl, job,
                            world.seesDeaths() ? kDeathIsSeen : 0);
}

void ProcessTransport::settleGpus() {
  if (!job.options.nccl || !job.failed() || !job.isHere(size_t(self)))
    return;
  // Queued work of this rank may wait for ranks that never come. All processes
  // end theirs, and the next run makes new communicators.
  CudaRank &gpu = *job.rank(size_t(self)).gpu;
  CudaScope scope(gpu.device);
  auto becomesIdle = [&] {
    auto until =
        Clock::now() + std::chrono::duration<double>(0.25 * job.options.grace);
    while (!gpu.isIdle() && Clock::now() < until)
      sched_yield();
    return gpu.isIdle();
  };
  (void)becomesIdle();
  NcclGroups::get().abort(*job.options.nccl);
  world.broken = world.broken || !becomesIdle();
}

} // namespace runtime
} // namespace shardir
