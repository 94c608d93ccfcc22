//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel of an emulated GPU: blocks one after another, the threads of a
// block as fibers of the calling thread, which take turns where they wait for
// each other. What real hardware may do early or late is done early in every
// other block and late in the rest, so that missing waits show; shared memory
// begins as NaN. Several threads of the process may each run a grid.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_GRID_H
#define SHARDIR_TESTING_EMULATEDGPU_GRID_H

#include "ShardIR/Runtime/EmulatedGpu.h"

#include <string>

namespace shardir {
namespace emulated {

/// cuLaunchKernel's parameters: extents in the order x, y, z.
struct Launch {
  const shardir_emulated_kernel *kernel;
  int64_t grid[3];
  int64_t block[3];
  int64_t dynamicBytes;
  void **arguments;
};

/// Runs every block. Returns "", or what the first block to fail did wrong:
/// threads that wait for each other for ever, lanes that post different sizes,
/// a product of an unknown shape, writes behind shared memory.
std::string run(const Launch &launch);

/// The most bytes of shared memory that a block may have, and threads.
constexpr int64_t kMaxSharedBytes = 227 * 1024;
constexpr int64_t kMaxThreads = 1024;

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_GRID_H
