//===- Abi.cpp - The functions that compiled programs call ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between compiled code and the runtime. Requires a thread that runs
// as a rank (the allocator and memrefCopy work on any thread); guarantees that
// no exception passes into compiled code, which has no unwind tables: a failed
// job becomes a long jump to where the program was entered.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runtime/Abi.h"

#include "Core/Job.h"
#include "Cuda/CudaRegion.h"
#include "Cuda/TensorMap.h"

#include <cstdio>
#include <cstdlib>

using namespace shardir::runtime;

namespace {

/// Calls f(rank) and leaves the program if the job has failed.
template <class F> auto onRank(const char *name, F &&f) {
  ThreadState &state = threadState;
  if (!state.rank || !state.landing) {
    // There is nothing to return to, and no job to end.
    std::fprintf(stderr,
                 "error: %s was called by a thread that runs no program\n",
                 name);
    std::_Exit(SHARDIR_RANK_FAILED);
  }
  try {
    return f(*state.rank);
  } catch (const JobFailed &) {
  } catch (const cuda::Failure &e) {
    state.rank->report(e.what());
  } catch (const std::exception &e) {
    state.rank->report(std::string("failed in the runtime: ") + e.what());
  } catch (...) {
    state.rank->report("failed in the runtime");
  }
  unwindProgram();
}

/// Memory for threads that run no program.
Arena &commonArena() {
  static Arena &arena = *new Arena; // outlives every static destructor
  return arena;
}

void *allocate(size_t size, size_t alignment) {
  if (!threadState.rank)
    return commonArena().allocate(size, alignment);
  return onRank("an allocation", [&](RankContext &rank) {
    return rank.allocate(size, alignment);
  });
}

/// The same on the rank's GPU.
template <class F> auto onGpu(const char *name, F &&f) {
  return onRank(name, [&](RankContext &rank) {
    if (!rank.gpu)
      rank.fail(std::string("called ") + name +
                ", but it runs on no GPU: the program is for devices "
                "cuda-local and nccl");
    if (threadState.inRegion)
      rank.fail(std::string("called ") + name + " inside a parallel loop");
    return f(*rank.gpu);
  });
}

/// MLIR's descriptors, as memrefCopy is given them.
struct UnrankedDescriptor {
  int64_t rank;
  void *descriptor;
};
struct RankedDescriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizesAndStrides[1];
};
struct StridedCopy {
  int64_t rank;
  const int64_t *shape, *sourceStrides, *destinationStrides;
  const char *source;
  char *destination;

  StridedCopy(int64_t elementSize, const void *from, const void *to) {
    auto *f = static_cast<const UnrankedDescriptor *>(from);
    auto *t = static_cast<const UnrankedDescriptor *>(to);
    auto *s = static_cast<const RankedDescriptor *>(f->descriptor);
    auto *d = static_cast<const RankedDescriptor *>(t->descriptor);
    rank = f->rank;
    shape = s->sizesAndStrides;
    sourceStrides = shape + rank;
    destinationStrides = d->sizesAndStrides + rank;
    source = s->aligned + s->offset * elementSize;
    destination = d->aligned + d->offset * elementSize;
  }
};

} // namespace

extern "C" {

int64_t shardir_axis_index(int32_t mesh, int32_t axis) {
  return threadState.rank ? threadState.rank->axisIndex(mesh, axis) : -1;
}

int64_t shardir_extent(int32_t argument, int32_t dim) {
  return threadState.rank ? threadState.rank->extent(argument, dim) : -1;
}

void shardir_collective(int32_t id, const void *in, void *out,
                        const int64_t *dims) {
  onRank(__func__,
         [&](RankContext &rank) { rank.collective(id, in, out, dims); });
}

void shardir_collective_start(int32_t id, const void *in, void *out,
                              const int64_t *dims) {
  onRank(__func__,
         [&](RankContext &rank) { rank.startCollective(id, in, out, dims); });
}

void shardir_collective_bucket(int32_t first, int32_t count,
                               const shardir_buffers *buffers) {
  onRank(__func__,
         [&](RankContext &rank) { rank.bucket(first, count, buffers); });
}

void shardir_collective_bucket_start(int32_t first, int32_t count,
                                     const shardir_buffers *buffers) {
  onRank(__func__,
         [&](RankContext &rank) { rank.startBucket(first, count, buffers); });
}

void shardir_collective_wait(const void *out) {
  onRank(__func__, [&](RankContext &rank) { rank.waitCollective(out); });
}

void shardir_collective_peer(int32_t id, const void *in, void *out,
                             int64_t count, int64_t peer) {
  onRank(__func__, [&](RankContext &rank) {
    rank.collectivePeer(id, in, out, count, peer);
  });
}

void shardir_collective_blocks(int32_t id, const void *in, void *out,
                               int64_t count, int64_t extent, int64_t inner,
                               int64_t root) {
  onRank(__func__, [&](RankContext &rank) {
    rank.collectiveBlocks(id, in, out, count, extent, inner, root);
  });
}

void *shardir_host_alloc(uint64_t size) {
  return onRank(__func__,
                [&](RankContext &rank) { return rank.allocateOnHost(size); });
}

void shardir_host_free(void *p) {
  onRank(__func__, [&](RankContext &rank) { rank.freeOnHost(p); });
}

void shardir_host_copy(void *to, const void *from, uint64_t bytes,
                       int32_t toHost) {
  onRank(__func__, [&](RankContext &rank) {
    rank.hostCopy(to, from, bytes, toHost != 0, /*starts=*/false);
  });
}

void shardir_host_copy_start(void *to, const void *from, uint64_t bytes,
                             int32_t toHost) {
  onRank(__func__, [&](RankContext &rank) {
    rank.hostCopy(to, from, bytes, toHost != 0, /*starts=*/true);
  });
}

void shardir_fail(const char *message) {
  onRank(__func__, [&](RankContext &rank) {
    rank.fail(std::string("failed: ") + (message ? message : "no reason"));
  });
}

void shardir_parallel_for(int64_t n, void (*body)(int64_t, void *),
                          void *context) {
  if (!threadState.rank) {
    for (int64_t i = 0; i < n; ++i)
      body(i, context);
    return;
  }
  onRank(__func__,
         [&](RankContext &rank) { rank.parallelFor(n, body, context); });
}

void *_mlir_memref_to_llvm_alloc(uint64_t size) {
  return allocate(size, Arena::kAlignment);
}

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  return allocate(size, alignment);
}

void _mlir_memref_to_llvm_free(void *p) {
  if (!Arena::release(p) && threadState.rank)
    onRank("_mlir_memref_to_llvm_free", [&](RankContext &rank) {
      rank.fail("freed memory that the runtime did not give out");
    });
}

void memrefCopy(int64_t elementSize, void *source, void *destination) {
  StridedCopy c(elementSize, source, destination);
  copyStrided(c.source, c.sourceStrides, c.destination, c.destinationStrides,
              c.shape, c.rank, size_t(elementSize));
}

void shardir_gpu_launch(int32_t kernel, int64_t gx, int64_t gy, int64_t gz,
                        int64_t bx, int64_t by, int64_t bz, int64_t sharedBytes,
                        void **arguments) {
  onGpu(__func__, [&](CudaRank &gpu) {
    int64_t grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
    gpu.launch(kernel, grid, block, sharedBytes, arguments);
  });
}

void shardir_gpu_tensor_map(void *map, const void *data, int32_t elementBytes,
                            int32_t swizzleBytes, int32_t rank,
                            const int64_t *dims) {
  onGpu(__func__, [&](CudaRank &gpu) {
    encodeTensorMap(gpu.device.api, map, data, elementBytes, swizzleBytes, rank,
                    dims);
  });
}

void shardir_gpu_library_matmul(const int64_t *numbers, int32_t operandType,
                                int32_t resultType, int32_t flags,
                                const void *a, const void *b, void *c,
                                const void *bias) {
  onGpu(__func__, [&](CudaRank &gpu) {
    gpu.libraryMatmul({numbers[0],
                       numbers[1],
                       numbers[2],
                       numbers[3],
                       {numbers[4], numbers[5], numbers[6]},
                       {numbers[7], numbers[8], numbers[9]},
                       ElementType(operandType),
                       ElementType(resultType),
                       flags,
                       a,
                       b,
                       c,
                       bias});
  });
}

void shardir_gpu_library_attention(const int64_t *numbers, int32_t elementType,
                                   float scale, const void *query,
                                   const void *key, const void *value,
                                   void *result) {
  onGpu(__func__, [&](CudaRank &gpu) {
    LibraryAttention attention = {numbers[0],
                                  numbers[1],
                                  numbers[2],
                                  numbers[3],
                                  numbers[4],
                                  numbers[5],
                                  numbers[6],
                                  {},
                                  scale,
                                  ElementType(elementType),
                                  {query, key, value, result}};
    for (int i = 0; i < 12; ++i)
      attention.strides[i / 3][i % 3] = numbers[7 + i];
    gpu.libraryAttention(attention);
  });
}

void *shardir_gpu_alloc(uint64_t alignment, uint64_t size) {
  return onGpu(__func__,
               [&](CudaRank &gpu) { return gpu.allocate(size, alignment); });
}

void shardir_gpu_free(void *p) {
  onGpu(__func__, [&](CudaRank &gpu) { gpu.free(p); });
}

void shardir_gpu_copy(int64_t elementSize, void *source, void *destination) {
  onGpu(__func__, [&](CudaRank &gpu) {
    StridedCopy c(elementSize, source, destination);
    gpu.copyDims(
        stridedDims(c.shape, c.sourceStrides, c.destinationStrides, c.rank),
        size_t(elementSize), c.source, c.destination);
  });
}

void shardir_gpu_read(void *host, const void *device, uint64_t bytes) {
  onGpu(__func__, [&](CudaRank &gpu) { gpu.download(host, device, bytes); });
}

void shardir_gpu_write(void *device, const void *host, uint64_t bytes) {
  onGpu(__func__, [&](CudaRank &gpu) { gpu.upload(device, host, bytes); });
}

int64_t shardir_gpu_multiprocessors(void) {
  return onGpu(__func__,
               [](CudaRank &gpu) -> int64_t { return gpu.multiprocessors(); });
}

const void *shardir_gpu_constant(int32_t id) {
  return onGpu(__func__, [&](CudaRank &gpu) -> const void * {
    void *p = gpu.program().constant(id, threadState.rank->rank);
    if (!p)
      throw cuda::Failure("requested constant " + std::to_string(id) +
                          ", which the program lacks");
    return p;
  });
}

} // extern "C"
