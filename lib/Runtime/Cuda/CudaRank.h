//===- CudaRank.h - What one rank does on its GPU ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank's stream and memory on a GPU, and the operations that it queues there:
// launches, copies, reductions. Requires calls from the rank's thread while it
// is bound to a running rank; guarantees that everything happens in the order
// of the stream, that a wait for the GPU is a wait of the job (other ranks of
// the thread run meanwhile, deadlines hold), and that what fails is a
// cuda::Failure which names the call and the kernels launched last.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDARANK_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDARANK_H

#include "Core/Communicator.h"
#include "CublasLt.h"
#include "CudaDevice.h"
#include "CudaGraphs.h"
#include "CudaStep.h"
#include "Cudnn.h"
#include "DeviceArena.h"
#include "PinnedMemory.h"

#include <array>
#include <memory>

namespace shardir {
namespace runtime {

/// An event of the driver.
class CudaEvent final : public Rendezvous {
public:
  CudaEvent(const cuda::Api &api, unsigned flags = cuda::EventDisableTiming);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent &) = delete;
  /// Whether the GPU has passed it, or has failed: `state` then says with what.
  bool arrived(uint64_t) const override {
    state = api.EventQuery(handle);
    return state != cuda::NotReady;
  }
  int missing(uint64_t) const override { return -1; }

  const cuda::Api &api;
  cuda::Event handle = nullptr;
  mutable cuda::Result state = 0; ///< what the driver said when last asked
};

class CudaRank {
public:
  /// Its blocks come from `memory`, as DeviceArena says.
  explicit CudaRank(CudaDevice &device, DeviceMemory *memory = nullptr);
  ~CudaRank();
  CudaRank(const CudaRank &) = delete;

  /// Before and after a run. `rank` waits on behalf of this.
  void bind(RankContext &rank, std::shared_ptr<CudaProgram> program);
  void unbind();
  CudaProgram &program() const { return *loaded; }

  void *allocate(size_t size, size_t alignment = 256);
  void free(void *p);
  void launch(int32_t kernel, const int64_t grid[3], const int64_t block[3],
              int64_t sharedBytes, void **arguments);
  void libraryMatmul(const LibraryMatmul &product);
  void libraryAttention(const LibraryAttention &attention);
  void copy(void *to, const void *from, size_t bytes);
  /// To or from memory of `pinned`.
  void hostCopy(void *to, const void *from, size_t bytes, bool toHost);
  /// Copies elements of `size` bytes where `dims` says.
  void copyDims(const std::vector<CopyDim> &dims, size_t size, const void *from,
                void *to);
  void clear(void *p, size_t bytes);
  /// Writes the neutral element `count` times.
  void fill(PartialKind kind, ElementType type, void *p, size_t count);
  /// Reduces the terms, in order, to every output, where `dims` says.
  void reduce(PartialKind kind, ElementType type,
              const std::vector<CopyDim> &dims,
              const std::vector<const void *> &terms,
              const std::vector<void *> &outs);
  /// To and from memory of the host, which may be used again on return.
  void upload(void *to, const void *from, size_t bytes);
  void download(void *to, const void *from, size_t bytes);
  /// Waits until the stream is empty.
  void synchronize();
  /// Whether it is, without a wait; true after a failure of the GPU.
  bool isIdle() const;

  void record(const CudaEvent &event);
  /// Work queued from now on waits for `event`.
  void await(const CudaEvent &event);

  /// Between these two, everything is queued on a stream of its own, behind
  /// what is on the rank's by now; the rank's waits for it in waitFor(out), and
  /// at the end of the run for all (join). Memory that is staged meanwhile is
  /// that stream's. Collectives have one such stream, copies to and from the
  /// host, which stage nothing, another one.
  static constexpr int kCollectiveLane = 1, kHostLane = 2;
  void beginBeside(int newLane = kCollectiveLane);
  void endBeside(const std::vector<const void *> &outs);
  void waitFor(const void *out);
  void join();
  bool isBeside() const { return lane != 0; }
  /// For kernels whose blocks stay until the end: those of the GPU, without
  /// what a collective needs that was started and not waited for. It would
  /// wait for these blocks, or some of them for it.
  int multiprocessors() const;

  /// Memory that the program has not requested, in the order of the stream that
  /// is in use.
  void *stage(size_t bytes);
  void dropStage(void *p, size_t bytes);

  /// A stream for messages, ordered behind what is queued on the rank's; and
  /// the rank's behind it: behind the event, which is used again after
  /// kTransferEnds transfers.
  static constexpr size_t kTransferEnds = 256;
  /// Has `run` give NCCL its calls, which `told` describes, on such a stream.
  const CudaEvent *transfer(CudaWork told,
                            std::function<void(cuda::Stream)> run);

  /// Between these two the program queues its work; a run that is one CUDA
  /// graph is launched in the second, and `step` says what it is.
  void beginStep();
  void endStep();
  const std::shared_ptr<CudaStep> step; ///< shared with who ends its graphs

  /// In a benchmark: the time between these two on the GPU's clock, in
  /// milliseconds once the stream is empty. The GPU overwrites its cache first.
  void beginTiming();
  void endTiming();
  double timed();

  /// In a run that is traced: a mark on the GPU's clock.
  size_t markTime();
  /// Microseconds of the job's clock at each mark; waits for the last.
  std::vector<double> readTimes();

  CudaDevice &device;
  DeviceMemory *const memory;
  DeviceArena arena;
  PinnedMemory pinned;
  cuda::Stream stream = nullptr; ///< the one in use
  /// The events for which the members of a collective wait: this rank's buffers
  /// are ready; this rank has done with the others'. Apart for collectives that
  /// go on beside others: an event that is recorded again on another stream
  /// would no longer tell of the first.
  struct Marks {
    explicit Marks(const cuda::Api &api) : posted(api), done(api) {}
    CudaEvent posted, done;
  };
  Marks &marks() { return lane ? besideMarks : ownMarks; }
  /// `other`'s of the collective that this rank is in.
  Marks &marksOf(CudaRank &other) const {
    return lane ? other.besideMarks : other.ownMarks;
  }

private:
  void wait(const CudaEvent &event);
  /// Ends the graph at hand: later work is part of none, or of another one.
  void interrupt(const char *why);
  CudaEvent &laneMark(size_t number);
  /// For what others wait for: its kernels get multiprocessors before those of
  /// the rank's own stream.
  cuda::Stream makeUrgentStream();
  cuda::Stream &streamOf(int which) {
    return which == 0                 ? ownStream
           : which == kCollectiveLane ? besideStream
                                      : hostStream;
  }
  /// Gives work to the stream, at once or as part of a graph.
  void put(CudaWork work);
  void issue(const CudaWork &work);
  void set(void *p, unsigned value, unsigned width, size_t count);
  void launchOn(const CudaWork &work, void **arguments);
  template <class Arguments>
  void launchOwn(const char *kernel, uint64_t units,
                 const Arguments &arguments);
  /// `what` tells what could not be done, and is asked for only then: launches
  /// and copies are many.
  template <class What>
  void check(cuda::Result result, const char *call, What &&what) {
    if (result != cuda::Success)
      fail(result, call, what());
  }
  [[noreturn]] void fail(cuda::Result result, const char *call,
                         const std::string &what) const;
  void overwriteCache();
  double elapsed(const CudaEvent &from, const CudaEvent &to);
  std::string lastLaunches() const;
  struct Staging {
    void *memory = nullptr;
    std::unique_ptr<CudaEvent> used;
  };
  Staging &nextStaging();

  const cuda::Api &api;
  int lane = 0; ///< not 0 between beginBeside and endBeside
  Marks ownMarks, besideMarks;
  cuda::Stream ownStream = nullptr;
  cuda::Stream besideStream = nullptr; ///< once there was one
  cuda::Stream hostStream = nullptr;   ///< the same
  DeviceArena besideArena;
  struct Pending {
    const void *out;
    size_t mark; ///< by number
    int lane;
  };
  std::vector<Pending> pending;
  std::vector<std::unique_ptr<CudaEvent>> laneMarks;
  CudaEvent stepEnd; ///< behind a run that is one graph
  RankContext *rank = nullptr;
  std::shared_ptr<CudaProgram> loaded;
  std::unique_ptr<CublasLt> cublasLt; ///< once a product needed it
  std::unique_ptr<Cudnn> cudnn;       ///< once an attention needed it
  CudaGraphs graphs;
  std::weak_ptr<CudaProgram> graphsOf;
  CudaEvent reached;
  cuda::Stream transfers = nullptr; ///< once there was one
  CudaEvent ready;
  std::array<std::unique_ptr<CudaEvent>, kTransferEnds> transferEnds;
  size_t usedTransferEnds = 0;
  Staging staging[2];
  size_t nextStage = 0;
  std::array<const KernelSpec *, 4> recent = {};
  size_t launches = 0;
  std::vector<std::unique_ptr<CudaEvent>> times; ///< kept between runs
  size_t usedTimes = 0;
  double timeBase = 0;
  /// Of the whole program, once it was timed.
  std::unique_ptr<CudaEvent> begun, ended;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDARANK_H
