//===- CudaEvents.cpp - Events on a rank's stream, and times between ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CudaRank.h says.
//
//===----------------------------------------------------------------------===//

#include "CudaRank.h"

#include "Core/Job.h"

namespace shardir {
namespace runtime {

/// The memory that a benchmark overwrites, in sizes of the cache. A GPU takes
/// some 0.1 ms for as much, the host for the launches of ten kernels.
constexpr size_t kCaches = 4;

CudaEvent::CudaEvent(const cuda::Api &api, unsigned flags) : api(api) {
  api.check(api.EventCreate(&handle, flags), "cuEventCreate", "make an event");
}

CudaEvent::~CudaEvent() { (void)api.EventDestroy(handle); }

void CudaRank::wait(const CudaEvent &event) {
  if (!event.arrived(0))
    rank->awaitGpu(event);
  check(event.state, "cuEventQuery",
        [] { return "finish what was queued on the GPU"; });
}

void CudaRank::synchronize() {
  record(reached);
  wait(reached);
}

bool CudaRank::isIdle() const {
  for (cuda::Stream s : {ownStream, besideStream, hostStream, transfers})
    if (s && api.StreamQuery(s) == cuda::NotReady)
      return false;
  return true;
}

void CudaRank::record(const CudaEvent &event) {
  interrupt("somebody waits");
  check(api.EventRecord(event.handle, stream), "cuEventRecord",
        [] { return "mark a place in the stream"; });
}

void CudaRank::await(const CudaEvent &event) {
  interrupt("the stream waits for another one");
  check(api.StreamWaitEvent(stream, event.handle, 0), "cuStreamWaitEvent",
        [] { return "wait for another stream"; });
}

void CudaRank::overwriteCache() {
  size_t bytes = kCaches * device.cacheBytes;
  void *scratch = stage(bytes);
  auto address = cuda::DevicePtr(reinterpret_cast<uintptr_t>(scratch));
  check(api.MemsetD8Async(address, 0, bytes, stream), "cuMemsetD8Async",
        [] { return "overwrite the GPU's cache"; });
  dropStage(scratch, bytes);
}

void CudaRank::beginTiming() {
  if (!begun) {
    begun = std::make_unique<CudaEvent>(api, cuda::EventDefault);
    ended = std::make_unique<CudaEvent>(api, cuda::EventDefault);
  }
  overwriteCache();
  record(*begun);
}

void CudaRank::endTiming() { record(*ended); }

double CudaRank::timed() { return elapsed(*begun, *ended); }

double CudaRank::elapsed(const CudaEvent &from, const CudaEvent &to) {
  float milliseconds = 0;
  check(api.EventElapsedTime(&milliseconds, from.handle, to.handle),
        "cuEventElapsedTime", [] { return "read the GPU's clock"; });
  return double(milliseconds);
}

size_t CudaRank::markTime() {
  if (usedTimes == times.size())
    times.push_back(std::make_unique<CudaEvent>(api, cuda::EventDefault));
  record(*times[usedTimes]);
  if (usedTimes == 0) {
    wait(*times[0]);
    timeBase = rank->job.now();
  }
  return usedTimes++;
}

std::vector<double> CudaRank::readTimes() {
  std::vector<double> result;
  for (size_t i = 0; i < usedTimes; ++i) {
    wait(*times[i]);
    result.push_back(timeBase + 1000 * elapsed(*times[0], *times[i]));
  }
  return result;
}

} // namespace runtime
} // namespace shardir
