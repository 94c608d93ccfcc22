//===- Arena.h - A rank's memory --------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 64-byte aligned memory of one rank, reused between runs and counted. Fresh
// pages cost more than the compute that fills them, so freed blocks are kept
// for the next request of their size class. Requires pointers that it gave out;
// guarantees that any thread of the rank may allocate and free, and that
// releaseAll takes back what a failed run left behind.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_ARENA_H
#define SHARDIR_LIB_RUNTIME_CORE_ARENA_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace shardir {
namespace runtime {

class Arena {
public:
  static constexpr size_t kAlignment = 64;

  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// `size` bytes at a multiple of `alignment` (a power of two) and of 64, or
  /// null where there is no memory. A size of zero gives a valid pointer.
  void *allocate(size_t size, size_t alignment = kAlignment);
  /// Gives back a block of any arena; null is ignored. False for a pointer
  /// that no arena gave out.
  static bool release(void *p);
  /// Takes back every block that is still out.
  void releaseAll();
  /// Returns kept blocks to the system.
  void trim();

  /// Counts memory that is alive but not from here, such as buffers that the
  /// caller owns; a negative size takes it off again.
  void account(int64_t bytes);
  /// Starts a new count of the peak from what is alive now.
  void resetPeak();
  int64_t liveBytes() const;
  int64_t peakBytes() const;

private:
  struct Block;
  void giveBack(Block *block);
  void raisePeak();

  mutable std::mutex mutex;
  Block *live = nullptr;
  std::vector<std::vector<Block *>> kept; ///< by size class
  size_t keptBytes = 0;
  int64_t liveCount = 0, peakCount = 0;
  int64_t highCount = 0;    ///< the peak of all runs
  int64_t liveReserved = 0; ///< liveCount with each block's rounding
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_ARENA_H
