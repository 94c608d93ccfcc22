//===- RankContext.h - The rank that a thread runs as -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rank of a running job: what the C ABI acts on. Requires that only the
// rank's own thread calls collectives; guarantees that a failure anywhere in
// the job reaches this rank at its next wait as the exception JobFailed, which
// unwinds the runtime's own frames. Compiled code has no unwind tables: at its
// border the exception becomes a long jump to where the program was entered.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_RANKCONTEXT_H
#define SHARDIR_LIB_RUNTIME_CORE_RANKCONTEXT_H

#include "Arena.h"
#include "Communicator.h"
#include "Cuda/CudaRank.h"
#include "Fiber.h"
#include "Program.h"
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/Trace.h"
#include "WorkerPool.h"

#include <csetjmp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

class Job;

/// One shape for each of several tensors.
using Shapes = std::vector<std::vector<int64_t>>;

/// Thrown on a rank whose job has failed; the job holds the message.
struct JobFailed {};

struct RankResources {
  RankResources(int threads, bool spin) : pool(threads, spin) {}
  Arena arena;
  Arena hostArena; ///< for what a rank without a GPU does not keep
  WorkerPool pool;
  FiberStack stack; ///< empty until the rank shares a thread with others
  std::unique_ptr<CudaRank> gpu; ///< once a program for GPUs has run
};

/// Where a thread lands that cannot go on inside a compiled program.
struct Landing {
  jmp_buf environment;
  volatile int signal = 0; ///< the signal that stopped it, or 0
};

class alignas(kApart) RankContext {
public:
  RankContext(Job &job, int rank, RankResources &resources);
  ~RankContext();
  RankContext(const RankContext &) = delete;

  Job &job;
  const int rank;
  Arena &arena, &hostArena;
  WorkerPool &pool;
  FiberStack &stack;
  /// Where this rank's buffers are; null where it computes on the processor.
  CudaRank *const gpu;

  int64_t axisIndex(int32_t mesh, int32_t axis) const;
  /// Of the global arguments of the entry; -1 for what it lacks.
  int64_t extent(int32_t argument, int32_t dim) const;
  void collective(int32_t id, const void *in, void *out, const int64_t *dims,
                  bool starts = false);
  /// The same, beside what follows until waitCollective(out), where the rank
  /// has a GPU or its communicator an engine's calls.
  void startCollective(int32_t id, const void *in, void *out,
                       const int64_t *dims);
  void waitCollective(const void *out);
  void bucket(int32_t first, int32_t count, const shardir_buffers *buffers,
              bool starts = false);
  void startBucket(int32_t first, int32_t count,
                   const shardir_buffers *buffers);
  void collectivePeer(int32_t id, const void *in, void *out, int64_t count,
                      int64_t peer);
  void collectiveBlocks(int32_t id, const void *in, void *out, int64_t count,
                        int64_t extent, int64_t inner, int64_t root);
  void parallelFor(int64_t n, WorkerPool::Body body, void *context);
  /// Memory that cannot be had ends the job.
  void *allocate(size_t size, size_t alignment = Arena::kAlignment);
  /// Of the host's memory, which is not counted with the rank's.
  void *allocateOnHost(size_t size);
  void freeOnHost(void *p);
  /// A copy to there or back. On a processor it is done on return; a GPU goes
  /// on with one that `starts` until waitCollective(to).
  void hostCopy(void *to, const void *from, size_t bytes, bool toHost,
                bool starts);
  /// Of this rank's memory, wherever it is: zeros, and copies that may overlap
  /// on the processor.
  void clear(void *p, size_t bytes);
  void move(void *to, const void *from, size_t bytes);
  /// Waits until all ranks are here.
  void barrier();
  void awaitGpu(const Rendezvous &event);
  /// Before the last barrier in front of enter(): whether the run on these
  /// arguments may be one CUDA graph.
  void prepareStep(const std::vector<int64_t> &arguments);
  /// Runs the program on this rank and measures it.
  void enter(const std::function<void()> &program);
  /// Ends the job: this rank failed for the reason `what`.
  [[noreturn]] void fail(const std::string &what);
  /// The same, where the caller unwinds by itself.
  void report(const std::string &what);
  /// Fails where operand and result overlap and the collective cannot do that.
  void checkOverlap(const CollectiveSpec &spec, const RoutePart &part,
                    const void *in, const void *out);
  /// Null where all ranks are in this process.
  PointToPoint *pointToPoint() { return communicator->pointToPoint(); }

  /// The shapes of the global arguments, set before the program is entered.
  std::shared_ptr<const Shapes> globalArguments;
  int64_t bytesReceived = 0;
  int64_t peakBytes = 0; ///< set when the job has ended
  double milliseconds = 0;
  /// Empty unless the job is traced; times in microseconds since it started.
  std::vector<shardir_trace_event> events;
  /// An event whose times are the GPU's: CudaRank's marks of begin and end.
  void addSpan(const shardir_trace_event &event, size_t begin, size_t end) {
    spans.push_back({events.size(), begin, end});
    events.push_back(event);
  }
  /// Whether there is room for more: a loop may launch for ever.
  bool tracesKernels() const;
  double readyTime = 0; ///< set by the communicator when all members are there

private:
  const CollectiveSpec &checkCall(int32_t id, bool peer);
  /// Adds the call of a collective to `calls`, unless this rank has no part.
  void addCall(int32_t id, const void *in, void *out, const int64_t *dims);
  void run(int32_t id, bool starts);
  template <class F> void recorded(int32_t id, F &&f);

  struct Span {
    size_t event, begin, end;
  };
  std::vector<Span> spans;
  std::unique_ptr<Communicator> communicator;
  std::vector<std::shared_ptr<const Route>> routes; ///< by collective: the last
  std::vector<StepCall> calls;                      ///< at hand
  std::vector<std::vector<int64_t>> coordinates;    ///< by mesh; empty: not in
};

/// The state of the calling thread in a run.
struct ThreadState {
  RankContext *rank = nullptr; ///< null: not a rank of a running job
  Landing *landing = nullptr;
  bool inRegion = false; ///< inside the body of a parallel loop
};
extern thread_local ThreadState threadState;

/// Jumps to the landing of the calling thread.
[[noreturn]] void unwindProgram();

/// Calls `program` as `rank`. False if it did not return normally.
bool landOnFailure(RankContext &rank, bool inRegion,
                   const std::function<void()> &program);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_RANKCONTEXT_H
