//===- DeviceKernels.h - What the runtime's own kernels are given -*- C++ -*-=//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of the kernels in DeviceKernels.cpp, each one struct by value,
// for the host that fills them and the kernels that read them. Requires no
// header of a hosted implementation; guarantees that every struct fits in the
// 4 KiB that a launch may carry, so that nothing is staged in memory.
//
// A Region is the cross product of one list of runs per dimension, outermost
// first: what CopyPlan describes, and the strided copies of programs. Indices
// count units of the innermost dimension and fit in 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_DEVICEKERNELS_H
#define SHARDIR_LIB_RUNTIME_CUDA_DEVICEKERNELS_H

#include <stdint.h>

namespace shardir {
namespace runtime {

enum : uint32_t {
  kRegionDims = 8,
  kRegionRuns = 32,
  kReduceTerms = 96,    ///< that a launch carries; more of them are in a table
  kKernelThreads = 256, ///< of a block, for every kernel here
};

struct RegionDim {
  uint32_t length;                         ///< the sum of the runs' lengths
  uint32_t firstRun, lastRun;              ///< both inclusive
  int64_t sourceStride, destinationStride; ///< in units
};
/// Index `at` of a dimension is at `source` and `destination`, in units.
struct RegionRun {
  uint32_t at;
  int64_t source, destination;
};
struct Region {
  uint32_t total; ///< units in all; at least 1
  uint32_t numDims;
  RegionDim dims[kRegionDims];
  RegionRun runs[kRegionRuns];
};

/// shardir_copy: units of `unit` bytes (1, 2, 4, 8, 16), to whose multiples
/// both addresses are aligned.
struct CopyArguments {
  Region region;
  uint32_t unit;
  const void *source;
  void *destination;
};

/// shardir_fill: `count` 64-bit words.
struct FillArguments {
  void *destination;
  uint64_t count, bits;
};

/// How many bytes of elements of `size` bytes are one unit if packed: wide
/// enough for whole transactions of a warp, few enough elements to keep kernels
/// short.
constexpr int packedBytes(int size) { return size < 4 ? 4 * size : 16; }

/// shardir_reduce_<type>: combines the terms in order and stores the result to
/// every output, which may be a term. A unit is one element, or packedBytes of
/// them if `packed`.
struct ReduceArguments {
  Region region;
  uint32_t kind; ///< PartialKind
  uint32_t packed;
  uint32_t numTerms, numOuts;
  const void *terms[kReduceTerms];
  void *outs[kReduceTerms];
  /// If not null, all terms and then all outputs, in the GPU's memory, in place
  /// of the arrays; and what is added to these, in bytes.
  void *const *table;
  int64_t sourceOffset, destinationOffset;
};
static_assert(sizeof(ReduceArguments) <= 4096, "what a launch may carry");

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_DEVICEKERNELS_H
