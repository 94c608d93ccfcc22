//===- PinnedMemory.h - The host's memory of a GPU's rank -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pinned blocks for what the GPU does not keep. The driver takes milliseconds
// to pin memory, so freed blocks are kept by size from call to call. Requires
// calls from the rank's thread, and blocks that are used in the order of the
// rank's streams.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_PINNEDMEMORY_H
#define SHARDIR_LIB_RUNTIME_CUDA_PINNEDMEMORY_H

#include "CudaApi.h"

#include <map>
#include <set>
#include <unordered_map>

namespace shardir {
namespace runtime {

class PinnedMemory {
public:
  explicit PinnedMemory(const cuda::Api &api) : api(api) {}
  PinnedMemory(const PinnedMemory &) = delete;
  ~PinnedMemory();

  /// A size of zero gives a valid pointer. Where the driver has no more, kept
  /// blocks go back first. Throws cuda::Failure.
  void *allocate(size_t size);
  /// False for a pointer that is not out; null is ignored.
  bool release(void *p);
  /// Takes back every block that is still out.
  void releaseAll();

private:
  void trim();

  const cuda::Api &api;
  std::unordered_map<void *, size_t> out; ///< with their sizes
  /// By size. The least address is used first: a program that asks for blocks
  /// in one order gets the same ones each time, as its graphs need.
  std::map<size_t, std::set<void *>> kept;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_PINNEDMEMORY_H
