//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CudaRank.h says: streams, the order of work, and
// launches. CudaTransfers.cpp has copies and reductions.
//
//===----------------------------------------------------------------------===//

#include "CudaRank.h"

#include "Core/Job.h"
#include "Nvtx.h"

#include <algorithm>
#include <climits>

namespace shardir {
namespace runtime {

CudaRank::CudaRank(CudaDevice &device, DeviceMemory *memory)
    : step(std::make_shared<CudaStep>(
          device.api, std::vector<DeviceArena *>{&arena, &besideArena},
          [this](const CudaWork &work) { issue(work); })),
      device(device), memory(memory), arena(device.api, memory),
      pinned(device.api), api(device.api), ownMarks(device.api),
      besideMarks(device.api), besideArena(device.api, memory),
      stepEnd(device.api),
      graphs(device.api, arena, [this](const CudaWork &work) { issue(work); }),
      reached(device.api), ready(device.api) {
  api.check(api.StreamCreate(&ownStream, cuda::StreamNonBlocking),
            "cuStreamCreate", "make a stream");
  stream = ownStream;
}

/// Requires that the GPU is the calling thread's.
CudaRank::~CudaRank() {
  step->clear();
  graphs.clear();
  for (Staging &piece : staging)
    if (piece.memory)
      (void)api.MemFreeHost(piece.memory);
  if (transfers)
    (void)api.StreamDestroy(transfers);
  for (cuda::Stream beside : {besideStream, hostStream})
    if (beside)
      (void)api.StreamDestroy(beside);
  (void)api.StreamDestroy(ownStream);
}

void CudaRank::bind(RankContext &r, std::shared_ptr<CudaProgram> program) {
  rank = &r;
  loaded = std::move(program);
  graphs.drop();
  step->drop();
  step->rank = graphs.rank = rank->rank;
  if (graphsOf.lock() != loaded) {
    graphs.clear();
    step->clear();
  }
  graphsOf = loaded;
  launches = usedTimes = 0;
  recent = {};
  // A run that failed may have left one halfway.
  lane = 0;
  stream = ownStream;
  pending.clear();
}

void CudaRank::unbind() {
  rank = nullptr;
  loaded.reset();
}

std::string CudaRank::lastLaunches() const {
  std::string text;
  for (size_t i = 0; i < std::min(launches, recent.size()); ++i)
    text += (i ? ", " : "; kernels launched last: ") +
            recent[(launches - 1 - i) % recent.size()]->describe();
  return text;
}

void CudaRank::fail(cuda::Result result, const char *call,
                    const std::string &what) const {
  throw cuda::Failure("cannot " + what + ": " + call + " says " +
                      api.text(result) + lastLaunches());
}

void *CudaRank::allocate(size_t size, size_t alignment) {
  try {
    return arena.allocate(size, alignment);
  } catch (const cuda::Failure &) {
    if (!graphs.keepsBack())
      throw;
  }
  // Now blocks that are kept may go back.
  interrupt("memory is out");
  return arena.allocate(size, alignment);
}

void CudaRank::free(void *p) {
  if (!arena.release(p))
    throw cuda::Failure(
        "freed memory of the GPU that the runtime did not give out");
}

void CudaRank::launch(int32_t id, const int64_t grid[3], const int64_t block[3],
                      int64_t sharedBytes, void **arguments) {
  const CudaProgram::Kernel *kernel = loaded->kernel(id);
  if (!kernel)
    throw cuda::Failure("launched kernel " + std::to_string(id) +
                        ", which the program lacks");
  auto what = [&] { return "launch kernel " + kernel->spec->describe(); };
  cuda::LaunchConfig config = {};
  for (int d = 0; d < 3; ++d) {
    if (grid[d] == 0)
      return;
    if (grid[d] < 0 || grid[d] > INT_MAX || block[d] < 1 || block[d] > 1024)
      throw cuda::Failure(
          "cannot " + what() + ": its grid is " + std::to_string(grid[0]) +
          "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]) +
          " blocks of " + std::to_string(block[0]) + "x" +
          std::to_string(block[1]) + "x" + std::to_string(block[2]) +
          " threads");
    config.grid[d] = unsigned(grid[d]);
    config.block[d] = unsigned(block[d]);
  }
  if (sharedBytes < 0 || sharedBytes > kernel->spec->maxSharedBytes)
    throw cuda::Failure("cannot " + what() + " with " +
                        std::to_string(sharedBytes) +
                        " bytes of shared memory: its table entry allows " +
                        std::to_string(kernel->spec->maxSharedBytes));
  NvtxRange range([&] { return kernel->spec->describe(); });
  recent[launches++ % recent.size()] = kernel->spec;
  CudaWork work;
  work.lane = lane;
  work.function = kernel->function;
  work.spec = kernel->spec;
  std::copy_n(config.grid, 3, work.grid);
  std::copy_n(config.block, 3, work.block);
  std::copy_n(kernel->spec->cluster, 3, work.cluster);
  work.sharedBytes = unsigned(sharedBytes);
  bool traced = rank && rank->tracesKernels();
  if (!traced && kernel->spec->hasParameters) {
    for (size_t i = 0; i < kernel->spec->parameters.size(); ++i)
      work.addArgument(arguments[i], kernel->spec->parameters[i]);
    return put(std::move(work));
  }
  interrupt("a kernel is timed, or its parameters are not known");
  if (traced && rank->job.options.benchmark)
    overwriteCache();
  size_t begin = traced ? markTime() : 0;
  launchOn(work, arguments);
  if (traced)
    rank->addSpan({rank->rank, -1, 0, 0, 0, 0, id, SHARDIR_TRACE_STREAM}, begin,
                  markTime());
}

cuda::Stream CudaRank::makeUrgentStream() {
  int least = 0, greatest = 0;
  check(api.CtxGetStreamPriorityRange(&least, &greatest),
        "cuCtxGetStreamPriorityRange", [] { return "make a stream"; });
  cuda::Stream made = nullptr;
  check(api.StreamCreateWithPriority(&made, cuda::StreamNonBlocking, greatest),
        "cuStreamCreateWithPriority", [] { return "make a stream"; });
  return made;
}

void CudaRank::libraryMatmul(const LibraryMatmul &product) {
  if (product.m == 0 || product.n == 0 || product.batch == 0)
    return;
  interrupt("a library computes a product");
  NvtxRange range([&] { return "cublasLtMatmul, " + product.describe(); });
  if (!cublasLt)
    cublasLt = std::make_unique<CublasLt>();
  void *workspace = stage(CublasLt::kWorkspace);
  cublasLt->run(product, workspace, stream);
  dropStage(workspace, CublasLt::kWorkspace);
}

void CudaRank::libraryAttention(const LibraryAttention &attention) {
  if (attention.isEmpty())
    return;
  interrupt("a library computes attention");
  NvtxRange range(
      [&] { return "cudnnBackendExecute, " + attention.describe(); });
  if (!cudnn)
    cudnn = std::make_unique<Cudnn>();
  size_t bytes = cudnn->workspaceOf(attention);
  void *workspace = bytes ? stage(bytes) : nullptr;
  cudnn->run(attention, workspace, stream);
  if (bytes)
    dropStage(workspace, bytes);
}

void CudaRank::put(CudaWork work) {
  work.lane = lane;
  if (step->put(work))
    return;
  // Overlapped work has a stream of its own, and NCCL's graphs are all ranks'.
  if (lane || work.kind >= CudaWork::Calls) {
    graphs.end("a collective, or what goes on beside, begins or ends");
    return issue(work);
  }
  graphs.put(std::move(work), stream);
}

void CudaRank::interrupt(const char *why) {
  step->interrupt(why);
  graphs.end(why);
}

CudaEvent &CudaRank::laneMark(size_t number) {
  while (laneMarks.size() <= number)
    laneMarks.push_back(std::make_unique<CudaEvent>(api));
  return *laneMarks[number];
}

void CudaRank::issue(const CudaWork &work) {
  cuda::Stream stream = streamOf(work.lane);
  auto order = [] { return "order a collective or a copy"; };
  auto record = [&](const CudaEvent &event, cuda::Stream at) {
    check(api.EventRecord(event.handle, at), "cuEventRecord", order);
  };
  auto await = [&](cuda::Stream waiting, const CudaEvent &event) {
    check(api.StreamWaitEvent(waiting, event.handle, 0), "cuStreamWaitEvent",
          order);
  };
  switch (work.kind) {
  case CudaWork::Calls:
    return work.run(stream);
  case CudaWork::Fork:
    record(ready, ownStream);
    return await(stream, ready);
  case CudaWork::Mark:
    return record(laneMark(work.count), stream);
  case CudaWork::Await:
    return await(ownStream, laneMark(work.count));
  case CudaWork::Launch:
    return launchOn(work, work.addresses());
  case CudaWork::Copy:
    return check(api.MemcpyDtoDAsync(work.to, work.from, work.count, stream),
                 "cuMemcpyDtoDAsync", [&] {
                   return "copy " + std::to_string(work.count) +
                          " bytes on the GPU";
                 });
  case CudaWork::ToHost:
    return check(
        api.MemcpyDtoHAsync(reinterpret_cast<void *>(uintptr_t(work.to)),
                            work.from, work.count, stream),
        "cuMemcpyDtoHAsync", [&] {
          return "copy " + std::to_string(work.count) + " bytes to the host";
        });
  case CudaWork::FromHost:
    return check(
        api.MemcpyHtoDAsync(
            work.to, reinterpret_cast<const void *>(uintptr_t(work.from)),
            work.count, stream),
        "cuMemcpyHtoDAsync", [&] {
          return "copy " + std::to_string(work.count) + " bytes from the host";
        });
  case CudaWork::Set:
    break;
  }
  auto what = [&] {
    return "fill " + std::to_string(work.count) + " elements on the GPU";
  };
  if (work.width == 1)
    check(api.MemsetD8Async(work.to, uint8_t(work.value), work.count, stream),
          "cuMemsetD8Async", what);
  else if (work.width == 2)
    check(api.MemsetD16Async(work.to, uint16_t(work.value), work.count, stream),
          "cuMemsetD16Async", what);
  else
    check(api.MemsetD32Async(work.to, work.value, work.count, stream),
          "cuMemsetD32Async", what);
}

void CudaRank::launchOn(const CudaWork &work, void **arguments) {
  cuda::Stream stream = streamOf(work.lane);
  auto what = [&] {
    return "launch " +
           (work.spec ? "kernel " + work.spec->describe() : work.name);
  };
  const unsigned *cluster = work.cluster;
  if (cluster[0] * cluster[1] * cluster[2] == 1) {
    check(api.LaunchKernel(work.function, work.grid[0], work.grid[1],
                           work.grid[2], work.block[0], work.block[1],
                           work.block[2], work.sharedBytes, stream, arguments,
                           nullptr),
          "cuLaunchKernel", what);
    return;
  }
  cuda::LaunchConfig config = {};
  std::copy_n(work.grid, 3, config.grid);
  std::copy_n(work.block, 3, config.block);
  cuda::LaunchAttribute attribute;
  std::copy_n(cluster, 3, attribute.value.cluster);
  config.sharedBytes = work.sharedBytes;
  config.stream = stream;
  config.attributes = &attribute;
  config.numAttributes = 1;
  check(api.LaunchKernelEx(&config, work.function, arguments, nullptr),
        "cuLaunchKernelEx", what);
}

void CudaRank::beginBeside(int newLane) {
  cuda::Stream &beside = streamOf(newLane);
  if (!beside)
    beside = makeUrgentStream();
  lane = newLane;
  stream = beside;
  CudaWork fork;
  fork.kind = CudaWork::Fork;
  put(std::move(fork));
}

void CudaRank::endBeside(const std::vector<const void *> &outs) {
  for (const void *out : outs) {
    auto isPending = [&](size_t number) {
      return std::any_of(pending.begin(), pending.end(),
                         [&](const Pending &p) { return p.mark == number; });
    };
    CudaWork mark;
    mark.kind = CudaWork::Mark;
    while (isPending(mark.count))
      ++mark.count;
    pending.push_back({out, mark.count, lane});
    put(std::move(mark));
  }
  lane = 0;
  stream = ownStream;
}

void CudaRank::waitFor(const void *out) {
  for (size_t i = 0; i < pending.size();) {
    if (pending[i].out != out) {
      ++i;
      continue;
    }
    CudaWork await;
    await.kind = CudaWork::Await;
    await.count = pending[i].mark;
    pending.erase(pending.begin() + long(i));
    put(std::move(await));
  }
}

int CudaRank::multiprocessors() const {
  int all = device.multiprocessors;
  if (std::none_of(pending.begin(), pending.end(),
                   [](const Pending &p) { return p.lane == kCollectiveLane; }))
    return all;
  // Small GPUs, and parts of one, keep half of theirs.
  return std::max({1, all / 2, all - collectiveMultiprocessors()});
}

void CudaRank::join() {
  while (!pending.empty())
    waitFor(pending.back().out);
}

void *CudaRank::stage(size_t bytes) {
  if (lane)
    return besideArena.allocate(bytes);
  // The program's memory is counted without it, its peak too.
  arena.account(-int64_t(bytes));
  try {
    return arena.allocate(bytes);
  } catch (...) {
    arena.account(int64_t(bytes));
    throw;
  }
}

void CudaRank::dropStage(void *p, size_t bytes) {
  if (lane) {
    (void)besideArena.release(p);
    return;
  }
  (void)arena.release(p);
  arena.account(int64_t(bytes));
}

const CudaEvent *CudaRank::transfer(CudaWork told,
                                    std::function<void(cuda::Stream)> run) {
  told.kind = CudaWork::Calls;
  if (step->isKeptBack()) {
    told.run = std::move(run);
    put(std::move(told));
    return &stepEnd;
  }
  if (!transfers)
    transfers = makeUrgentStream();
  std::unique_ptr<CudaEvent> &event =
      transferEnds[usedTransferEnds++ % transferEnds.size()];
  if (!event)
    event = std::make_unique<CudaEvent>(api);
  told.run = [&](cuda::Stream behind) {
    auto order = [] { return "order a transfer"; };
    check(api.EventRecord(ready.handle, behind), "cuEventRecord", order);
    check(api.StreamWaitEvent(transfers, ready.handle, 0), "cuStreamWaitEvent",
          order);
    run(transfers);
    check(api.EventRecord(event->handle, transfers), "cuEventRecord", order);
    check(api.StreamWaitEvent(behind, event->handle, 0), "cuStreamWaitEvent",
          order);
  };
  put(std::move(told));
  return event.get();
}

void CudaRank::beginStep() {
  graphs.end("the program begins");
  step->begin();
}

void CudaRank::endStep() {
  bool isGraph = step->isKeptBack();
  step->end(ownStream);
  if (isGraph)
    record(stepEnd);
}

} // namespace runtime
} // namespace shardir
