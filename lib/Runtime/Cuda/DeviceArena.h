//===- DeviceArena.h - A rank's memory on its GPU ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a GPU's memory, kept by size class when they are freed and given
// out again to the same rank. Requires that a rank uses its blocks in the order
// of its own stream, or has its stream wait for whoever else does: then a block
// that is free for the host is free in stream order, and nothing waits.
// Guarantees addresses that are multiples of 256, and counts as Arena.h does.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_DEVICEARENA_H
#define SHARDIR_LIB_RUNTIME_CUDA_DEVICEARENA_H

#include "CudaApi.h"

#include <atomic>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

namespace shardir {
namespace runtime {

/// Where blocks come from.
class DeviceMemory {
public:
  virtual ~DeviceMemory();
  /// A block of `bytes` at a multiple of 256. Empty where there is one, else
  /// the call and its reason: "cuMemAlloc says …".
  virtual std::string allocate(cuda::DevicePtr *block, size_t bytes) = 0;
  /// Waits for the device first.
  virtual void free(cuda::DevicePtr block) = 0;
};

class DeviceArena {
public:
  /// From `memory`, which outlives this; from cuMemAlloc where there is none.
  explicit DeviceArena(const cuda::Api &api, DeviceMemory *memory = nullptr);
  DeviceArena(const DeviceArena &) = delete;
  ~DeviceArena();

  /// `size` bytes at a multiple of `alignment`, a power of two, and of 256. A
  /// size of zero gives a valid address. Where the GPU has no more, all arenas
  /// of the process return what they keep first. Throws cuda::Failure.
  void *allocate(size_t size, size_t alignment = 256);
  /// False for an address that is not out; null is ignored.
  bool release(void *p);
  /// Takes back every block that is still out.
  void releaseAll();
  /// Returns kept blocks to the driver, which waits for the device.
  void trim();
  /// Meanwhile none goes back to the driver, which knows nothing yet of work
  /// that needs them.
  void hold(bool yes) { held = yes; }
  /// From here on allocations are noted by their blocks, in order; where
  /// `before` is given, they get its blocks, as long as they ask for the same.
  void startScript(const std::vector<cuda::DevicePtr> *before);
  void endScript() { noting = false; }
  const std::vector<cuda::DevicePtr> &script() const { return noted; }
  /// Whether all of these could be given out now.
  bool areKept(const std::vector<cuda::DevicePtr> &blocks);

  /// Counts memory that is alive but not from here; a negative size takes it
  /// off again.
  void account(int64_t bytes) { raise(bytes); }
  void resetPeak() { peak = live; }
  int64_t liveBytes() const { return live; }
  int64_t peakBytes() const { return peak; }

private:
  struct Block {
    cuda::DevicePtr memory = 0;
    size_t reserved = 0, size = 0;
  };
  void keep(const Block &block);
  void raise(int64_t bytes);
  static size_t classOf(size_t reserved);
  static size_t sizeOf(size_t sizeClass);

  static void trimAll();
  std::string take(cuda::DevicePtr *block, size_t bytes);
  void giveBack(cuda::DevicePtr block);

  const cuda::Api &api;
  DeviceMemory *const memory;
  std::unordered_map<void *, Block> out;
  std::mutex keptMutex; ///< of the two below, which other arenas may empty
  /// By size class. The least address is used first: what asks for memory in
  /// one order gets the same blocks each time, and its launches are the same.
  std::vector<std::set<cuda::DevicePtr>> kept;
  size_t keptBytes = 0;
  std::atomic<bool> held{false};
  bool noting = false;
  std::vector<cuda::DevicePtr> noted;
  const std::vector<cuda::DevicePtr> *wanted = nullptr;
  size_t liveReserved = 0, highReserved = 0;
  int64_t live = 0, peak = 0;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_DEVICEARENA_H
