//===- CudaGraphs.h - Work that repeats, launched as one --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between two places where a rank waits, or others wait for it, it queues a
// segment: launches, copies and fills in order. A segment that comes again as
// it was, with the same kernels, sizes, buffers and scalars, becomes a CUDA
// graph (captured from the stream, CUDA Driver API 6.13 and 6.21), and from
// then on one launch. Whether it is the same is known at its end alone: until
// then what agrees with what is known is kept back. So the host runs as ever,
// decides what it wants, and a segment that differs is queued piece by piece.
//
// Requires calls from the rank's thread; guarantees that after end() all is on
// the stream in the order of put().
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDAGRAPHS_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDAGRAPHS_H

#include "CudaApi.h"
#include "DeviceArena.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

struct KernelSpec;

/// One thing that a stream is given.
struct CudaWork {
  /// ToHost, FromHost: a copy whose other side is pinned memory. Calls: of
  /// NCCL, which `run` makes and `arguments` tell. Fork: the stream of `lane`
  /// waits for the rank's own; Mark and Await: the rank's own for that one
  /// where it was marked, by the number `count`.
  enum Kind {
    Launch,
    Copy,
    ToHost,
    FromHost,
    Set,
    Calls,
    Fork,
    Mark,
    Await
  } kind = Launch;
  int lane = 0; ///< not 0: on another one of the rank's streams
  // A launch; arguments one behind the other, each at a multiple of 64 bytes.
  cuda::Function function = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  std::vector<char> arguments;
  std::vector<uint32_t> sizes;
  const KernelSpec *spec = nullptr; ///< of the program's kernels
  std::string name;                 ///< of the runtime's
  // A copy of `count` bytes, or `count` times `value` of `width` bytes.
  cuda::DevicePtr to = 0, from = 0;
  size_t count = 0;
  unsigned value = 0, width = 1;
  std::function<void(cuda::Stream)> run; ///< may differ where works are equal
  mutable std::vector<void *> pointers;  ///< of addresses()

  bool operator==(const CudaWork &other) const;
  void addArgument(const void *value, uint32_t size);
  /// The addresses of the arguments, as cuLaunchKernel takes them; they stay as
  /// long as this work.
  void **addresses() const;
};

class CudaGraphs {
public:
  /// `issue` gives work to the stream and throws where that fails; `arena` has
  /// the memory that it uses.
  CudaGraphs(const cuda::Api &api, DeviceArena &arena,
             std::function<void(const CudaWork &)> issue);
  ~CudaGraphs() { clear(); }
  CudaGraphs(const CudaGraphs &) = delete;

  /// Gives `work` to `stream`, now or in end().
  void put(CudaWork work, cuda::Stream stream);
  /// All of the segment is queued on return. `why` it ends here, for
  /// $SHARDIR_CUDA_GRAPHS=explain.
  void end(const char *why);
  /// Whether some of it is not yet.
  bool keepsBack() const { return segment != nullptr; }
  /// Forgets what was not queued, after a failure.
  void drop();
  /// Forgets all graphs: their kernels go.
  void clear();

  int rank = 0; ///< for messages

private:
  struct Segment {
    std::vector<CudaWork> works;
    cuda::GraphExec exec = nullptr;
    bool refused = false;
    size_t hits = 0, misses = 0;
  };
  bool replay(Segment &known);
  void capture(Segment &known);
  void remember();
  void destroy(Segment &known);
  template <class Text> void explain(Text &&text) const;

  const cuda::Api &api;
  DeviceArena &arena;
  std::function<void(const CudaWork &)> issue;
  bool enabled = true, explains = false;
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<CudaWork> current;
  Segment *segment = nullptr; ///< that `current` agrees with so far
  cuda::Stream stream = nullptr;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDAGRAPHS_H
