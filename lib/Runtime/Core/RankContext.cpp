//===- RankContext.cpp - The rank that a thread runs as -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that a compiled program calls on its rank. Requires calls from
// the rank's thread; guarantees that wrong calls (an unknown collective, one
// inside a parallel loop) end the job with a message and never reach the
// communicator.
//
//===----------------------------------------------------------------------===//

#include "RankContext.h"

#include "Cuda/Nvtx.h"
#include "Job.h"
#include "Signals.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>

namespace shardir {
namespace runtime {

thread_local ThreadState threadState;

Rendezvous::~Rendezvous() = default;
PointToPoint::~PointToPoint() = default;
Communicator::~Communicator() = default;
Transport::~Transport() = default;

static const void *advance(const void *p, int64_t bytes) {
  return static_cast<const char *>(p) + bytes;
}
static void *advance(void *p, int64_t bytes) {
  return static_cast<char *>(p) + bytes;
}

void unwindProgram() { longjmp(threadState.landing->environment, 1); }

namespace {

/// Apart, so that no variable lives across the jump.
__attribute__((noinline)) bool
callWithLanding(Landing &landing, const std::function<void()> &program) {
  if (setjmp(landing.environment) != 0)
    return false;
  program();
  return true;
}

} // namespace

bool landOnFailure(RankContext &rank, bool inRegion,
                   const std::function<void()> &program) {
  ThreadState saved = threadState;
  Landing landing;
  threadState = {&rank, &landing, inRegion};
  bool returned = false;
  try {
    returned = callWithLanding(landing, program);
  } catch (const JobFailed &) {
  } catch (const cuda::Failure &e) {
    rank.report(e.what());
  } catch (const std::exception &e) {
    rank.report(std::string("threw an exception: ") + e.what());
  } catch (...) {
    rank.report("threw an exception");
  }
  threadState = saved;
  if (landing.signal != 0) {
    rank.job.poison();
    rank.report("was stopped by " + signalText(landing.signal));
  }
  return returned;
}

RankContext::RankContext(Job &job, int rank, RankResources &resources)
    : job(job), rank(rank), arena(resources.arena),
      hostArena(resources.hostArena), pool(resources.pool),
      stack(resources.stack),
      gpu(job.options.cuda ? resources.gpu.get() : nullptr),
      communicator(job.transport().connect(*this)) {
  const Metadata &metadata = job.program->metadata;
  routes.resize(metadata.collectives.size());
  for (const Mesh &mesh : metadata.meshes) {
    // A rank that the mesh lacks computes what the first device does, on zeros.
    coordinates.push_back(
        mesh.coordinates(std::max<int64_t>(mesh.positionOf(rank), 0)));
  }
}

RankContext::~RankContext() = default;

void RankContext::report(const std::string &what) {
  job.fail("rank " + std::to_string(rank) + " " + what + "; it was " +
           job.whereabouts(rank));
}

void RankContext::fail(const std::string &what) {
  report(what);
  throw JobFailed();
}

int64_t RankContext::axisIndex(int32_t mesh, int32_t axis) const {
  if (mesh < 0 || size_t(mesh) >= coordinates.size() || axis < 0 ||
      size_t(axis) >= coordinates[size_t(mesh)].size())
    return -1;
  return coordinates[size_t(mesh)][size_t(axis)];
}

int64_t RankContext::extent(int32_t argument, int32_t dim) const {
  if (!globalArguments || argument < 0 ||
      size_t(argument) >= globalArguments->size() || dim < 0 ||
      size_t(dim) >= (*globalArguments)[size_t(argument)].size())
    return -1;
  return (*globalArguments)[size_t(argument)][size_t(dim)];
}

const CollectiveSpec &RankContext::checkCall(int32_t id, bool peer) {
  const std::vector<CollectiveSpec> &table = job.program->metadata.collectives;
  if (threadState.inRegion)
    fail("called a collective inside a parallel loop");
  if (id < 0 || size_t(id) >= table.size())
    fail("called collective " + std::to_string(id) + ", but the program has " +
         std::to_string(table.size()));
  const CollectiveSpec &spec = table[size_t(id)];
  if ((spec.kind != OpKind::Redistribute) != peer)
    fail("called " + spec.describe() + " through the wrong function");
  if (int64_t(job.numRanks()) != job.program->metadata.ranks)
    fail("called " + spec.describe() + " in the unsharded version");
  job.throwIfFailed();
  return spec;
}

void RankContext::checkOverlap(const CollectiveSpec &spec,
                               const RoutePart &part, const void *in,
                               const void *out) {
  size_t size = elementSize(spec.type);
  auto a = reinterpret_cast<uintptr_t>(in);
  auto b = reinterpret_cast<uintptr_t>(out);
  bool apart = part.operandCount == 0 || part.resultCount == 0 ||
               a + size_t(part.operandCount) * size <= b ||
               b + size_t(part.resultCount) * size <= a;
  bool inPlace = a == b && spec.step.kind == CollectiveKind::AllReduce &&
                 part.operandCount == part.resultCount;
  if (!apart && !inPlace)
    fail("called " + spec.describe() +
         " with an operand and a result that overlap");
}

void RankContext::clear(void *p, size_t bytes) {
  if (gpu)
    gpu->clear(p, bytes);
  else
    std::memset(p, 0, bytes);
}

void RankContext::move(void *to, const void *from, size_t bytes) {
  if (gpu)
    gpu->copy(to, from, bytes);
  else
    std::memmove(to, from, bytes);
}

template <class F> void RankContext::recorded(int32_t id, F &&f) {
  RankStatus &status = job.status(size_t(rank));
  uint64_t n = status.posted.load(std::memory_order_relaxed);
  status.recent[n % RankStatus::kRecent].store(id, std::memory_order_relaxed);
  status.posted.store(n + 1, std::memory_order_release);
  status.advance();
  std::optional<NvtxSpan> span;
  if (gpu)
    span.emplace([&] {
      return job.program->metadata.collectives[size_t(id)].describe() +
             (gpu->isBeside() ? ", beside other work" : "");
    });
  if (job.options.trace && gpu) {
    // The GPU's times; they are read when it has come to the end.
    size_t begin = gpu->markTime();
    int64_t bytes = f();
    addSpan(
        {rank, id, 0, 0, 0, bytes, -1,
         gpu->isBeside() ? SHARDIR_TRACE_COLLECTIVES : SHARDIR_TRACE_STREAM},
        begin, gpu->markTime());
    bytesReceived += bytes;
  } else if (job.options.trace) {
    double start = job.now();
    readyTime = start;
    int64_t bytes = f();
    events.push_back(
        {rank, id, start, readyTime, job.now(), bytes, -1, SHARDIR_TRACE_HOST});
    bytesReceived += bytes;
  } else {
    bytesReceived += f();
  }
  status.done.store(n + 1, std::memory_order_release);
  status.advance();
}

void RankContext::addCall(int32_t id, const void *in, void *out,
                          const int64_t *dims) {
  const CollectiveSpec &spec = checkCall(id, /*peer=*/false);
  std::shared_ptr<const Route> &route = routes[size_t(id)];
  auto matches = [&] {
    return spec.unknownExtents == 0 ||
           (dims && std::equal(route->known.begin(), route->known.end(), dims));
  };
  if (!route || !matches()) {
    std::string error;
    route = job.program->routes.get(
        id, dims, error,
        communicator->pointToPoint() ? rank : RouteCache::kAllRanks);
    if (!route)
      fail("called " + error);
  }
  int64_t index = route->indexOf(rank);
  // Where the value does not exist its buffer holds zeros.
  int64_t zeros = index < 0 ? route->zeros : route->parts[size_t(index)].zeros;
  if (zeros > 0)
    clear(out, size_t(zeros) * elementSize(spec.type));
  if (index < 0)
    return;
  calls.push_back({id, &spec, route.get(), in, out});
}

void RankContext::run(int32_t id, bool starts) {
  if (calls.empty())
    return;
  recorded(id, [&] {
    if (starts)
      communicator->start(calls);
    else
      communicator->redistribute(calls);
    int64_t bytes = 0;
    for (const StepCall &call : calls)
      bytes += call.route->parts[size_t(call.route->indexOf(rank))].bytes;
    return bytes;
  });
}

void RankContext::collective(int32_t id, const void *in, void *out,
                             const int64_t *dims, bool starts) {
  calls.clear();
  addCall(id, in, out, dims);
  run(id, starts);
}

void RankContext::waitCollective(const void *out) {
  if (gpu)
    gpu->waitFor(out);
  else
    communicator->finish(out);
}

void RankContext::bucket(int32_t first, int32_t count,
                         const shardir_buffers *buffers, bool starts) {
  calls.clear();
  for (int32_t i = 0; i < count; ++i)
    addCall(first + i, buffers[i].in, buffers[i].out, nullptr);
  for (const StepCall &call : calls)
    if (calls.size() != size_t(count) ||
        call.route->groups != calls.front().route->groups)
      fail("called " + call.spec->describe() +
           " in a bucket of collectives of other groups");
  run(first, starts);
}

void RankContext::startCollective(int32_t id, const void *in, void *out,
                                  const int64_t *dims) {
  if (!gpu)
    return collective(id, in, out, dims, /*starts=*/true);
  gpu->beginBeside();
  collective(id, in, out, dims);
  gpu->endBeside({out});
}

void RankContext::startBucket(int32_t first, int32_t count,
                              const shardir_buffers *buffers) {
  if (!gpu)
    return bucket(first, count, buffers, /*starts=*/true);
  gpu->beginBeside();
  bucket(first, count, buffers);
  std::vector<const void *> outs;
  for (int32_t i = 0; i < count; ++i)
    outs.push_back(buffers[i].out);
  gpu->endBeside(outs);
}

bool RankContext::tracesKernels() const {
  constexpr size_t kMostEvents = size_t(1) << 16;
  return job.options.trace && events.size() < kMostEvents;
}

void RankContext::collectivePeer(int32_t id, const void *in, void *out,
                                 int64_t count, int64_t peer) {
  const CollectiveSpec &spec = checkCall(id, /*peer=*/true);
  const PeerRoute *route = job.program->routes.getPeer(id);
  if (!route->inMesh[size_t(rank)])
    return;
  auto members =
      int64_t(route->groups[route->placeOfRank[size_t(rank)].first].size());
  if (peer < 0 || peer >= members)
    fail("called " + spec.describe() + " with peer " + std::to_string(peer) +
         " in a group of " + std::to_string(members));
  int64_t limit =
      (int64_t(1) << 62) / members / int64_t(elementSize(spec.type));
  if (count < 0 || count > limit)
    fail("called " + spec.describe() + " with a count of " +
         std::to_string(count));
  recorded(id, [&] {
    return communicator->peer(id, spec, *route, in, out, count, peer);
  });
}

void RankContext::collectiveBlocks(int32_t id, const void *in, void *out,
                                   int64_t count, int64_t extent, int64_t inner,
                                   int64_t root) {
  const CollectiveSpec &spec = checkCall(id, /*peer=*/true);
  const PeerRoute *route = job.program->routes.getPeer(id);
  if (!route->inMesh[size_t(rank)])
    return;
  if (spec.kind != OpKind::Gather && spec.kind != OpKind::Scatter)
    fail("called " + spec.describe() + " through the wrong function");
  // Not a structured binding: lambdas below capture the place.
  const std::pair<size_t, size_t> &where = route->placeOfRank[size_t(rank)];
  const size_t place = where.second;
  const std::vector<int> &members = route->groups[where.first];
  auto size = int64_t(members.size());
  int64_t elements;
  if (extent < 0 || inner < 0 ||
      !countElements({extent, inner, size}, elementSize(spec.type), elements))
    fail("called " + spec.describe() + " for " + std::to_string(extent) +
         " rows of " + std::to_string(inner) + " elements");
  if (root < 0 || root >= size)
    fail("called " + spec.describe() + " with peer " + std::to_string(root) +
         " in a group of " + std::to_string(size));
  const Mesh &mesh = job.program->metadata.meshes[size_t(spec.mesh)];
  DimPlacement cut;
  for (const AxisRef &axis : spec.axes)
    cut.splits.push_back(Split::byAxis(axis));
  auto blockOf = [&](size_t i) {
    Placement rows;
    rows.dims = {cut};
    return localShape(rows, mesh, {extent}, mesh.positionOf(members[i]))[0] *
           inner;
  };
  if (count != blockOf(place))
    fail("called " + spec.describe() + " with a block of " +
         std::to_string(count) + " elements, but its part of " +
         std::to_string(extent) + " rows of " + std::to_string(inner) +
         " elements has " + std::to_string(blockOf(place)));
  if (extent % size == 0) // blocks of one size
    return collectivePeer(id, in, out, count, root);

  // Members know every count: the root needs no more than a message from each,
  // or to each.
  CollectiveSpec part = spec;
  bool isRoot = int64_t(place) == root, gathers = spec.kind == OpKind::Gather;
  part.kind = gathers == isRoot ? OpKind::Recv : OpKind::Send;
  size_t bytes = elementSize(spec.type);
  recorded(id, [&]() -> int64_t {
    if (!isRoot)
      return communicator->peer(id, part, *route, in, out, count, root);
    int64_t received = 0, offset = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      int64_t own = blockOf(i);
      const void *from = gathers ? in : advance(in, offset * int64_t(bytes));
      void *to = gathers ? advance(out, offset * int64_t(bytes)) : out;
      if (i == place) {
        if (own > 0 && from != to)
          move(to, from, size_t(own) * bytes);
      } else {
        received +=
            communicator->peer(id, part, *route, from, to, own, int64_t(i));
      }
      offset += own;
    }
    return received;
  });
}

void RankContext::parallelFor(int64_t n, WorkerPool::Body body, void *context) {
  if (threadState.inRegion) { // the threads are busy with the outer loop
    for (int64_t i = 0; i < n; ++i)
      body(i, context);
    return;
  }
  job.status(size_t(rank)).advanceLoop();
  bool ok = pool.run(*this, n, body, context);
  job.status(size_t(rank)).advanceLoop();
  if (!ok) {
    // The body unwound: the job has failed, or a thread left it by a jump.
    report("left a parallel loop");
    throw JobFailed();
  }
}

void *RankContext::allocate(size_t size, size_t alignment) {
  void *p = arena.allocate(size, alignment);
  if (!p)
    fail("is out of memory: it requested " + std::to_string(size) +
         " bytes, with " + std::to_string(arena.liveBytes()) + " in use");
  return p;
}

void *RankContext::allocateOnHost(size_t size) {
  if (gpu)
    return gpu->pinned.allocate(size);
  void *p = hostArena.allocate(size);
  if (!p)
    fail("is out of memory of the host: it requested " + std::to_string(size) +
         " bytes, with " + std::to_string(hostArena.liveBytes()) + " in use");
  return p;
}

void RankContext::freeOnHost(void *p) {
  if (!(gpu ? gpu->pinned.release(p) : Arena::release(p)))
    fail("freed memory of the host that the runtime did not give out");
}

void RankContext::hostCopy(void *to, const void *from, size_t bytes,
                           bool toHost, bool starts) {
  if (!gpu) {
    if (bytes)
      std::memcpy(to, from, bytes);
    return;
  }
  if (!starts)
    return gpu->hostCopy(to, from, bytes, toHost);
  gpu->beginBeside(CudaRank::kHostLane);
  gpu->hostCopy(to, from, bytes, toHost);
  gpu->endBeside({to});
}

void RankContext::barrier() { communicator->barrier(); }

void RankContext::awaitGpu(const Rendezvous &event) {
  communicator->awaitGpu(event);
}

void RankContext::prepareStep(const std::vector<int64_t> &arguments) {
  const char *obstacle = nullptr;
  if (!job.options.nccl)
    obstacle = "ranks that share a GPU meet at each collective";
  else if (job.options.checksEach)
    obstacle = "ranks compare each collective, as their order may depend on "
               "data, or as check=every asks for";
  else if (job.options.trace)
    obstacle = "it is traced";
  // The host's code depends on nothing else.
  std::vector<int64_t> key = arguments;
  key.push_back(job.options.orderedReductions);
  if (globalArguments)
    for (const std::vector<int64_t> &shape : *globalArguments)
      key.insert(key.end(), shape.begin(), shape.end());
  gpu->step->prepare(job.options.entry, std::move(key), obstacle);
}

void RankContext::enter(const std::function<void()> &program) {
  RankStatus &status = job.status(size_t(rank));
  status.state.store(RankStatus::Running, std::memory_order_release);
  status.advance();
  if (gpu && job.options.trace)
    gpu->markTime(); // ties the GPU's clock to the job's
  bool byEvents = gpu && job.options.benchmark;
  if (byEvents)
    gpu->beginTiming();
  double start = job.now();
  if (gpu)
    gpu->beginStep();
  bool ok = landOnFailure(*this, /*inRegion=*/false, [&] {
    program();
    if (gpu) {
      gpu->join();
      gpu->endStep();
      if (byEvents)
        gpu->endTiming();
      gpu->synchronize();
    }
  });
  double end = job.now();
  if (!ok) {
    communicator->abandon();
    throw JobFailed();
  }
  // A rank that was given up on must not touch anything more.
  job.throwIfFailed();
  milliseconds = byEvents ? gpu->timed() : (end - start) / 1000;
  if (gpu && job.options.trace) {
    std::vector<double> times = gpu->readTimes();
    for (const Span &span : spans) {
      shardir_trace_event &event = events[span.event];
      event.start = event.ready = times[span.begin];
      event.end = times[span.end];
    }
  }
  if (job.options.trace)
    events.push_back({rank, -1, start, start, end, 0, -1, SHARDIR_TRACE_HOST});
  status.state.store(RankStatus::Finished, std::memory_order_release);
  status.advance();
}

} // namespace runtime
} // namespace shardir
