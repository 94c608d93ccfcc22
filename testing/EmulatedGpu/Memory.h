//===- Memory.h - The emulated GPU's memory ---------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory as a range of addresses of this process. Every block ends at a
// page that cannot be touched, and so does what is free: a kernel that leaves
// its buffer, or uses one that was freed, stops with SIGSEGV. Where the
// processor has protection keys, the host's own code cannot touch device memory
// either: only a thread that runs a kernel or a copy can, while it does.
//
// Requires Linux; guarantees that fresh memory holds no zeros, as a GPU's may
// not, and that concurrent calls are in order.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_MEMORY_H
#define SHARDIR_TESTING_EMULATEDGPU_MEMORY_H

#include "Ptx/Machine.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {

class Memory {
public:
  static Memory &get();

  /// At a multiple of 256; 0 where there is not as much.
  uint64_t allocate(size_t bytes);
  bool release(uint64_t address);
  /// Whether [address, address + bytes) lies in one block, or on the host where
  /// that is allowed; lastDetail() says why not.
  bool check(uint64_t address, size_t bytes, const char *what);
  /// `#3+256`: the third block of the process, from byte 256 on.
  std::string name(uint64_t address);
  /// The allocated ranges, by address.
  std::vector<ptx::Range> ranges();
  size_t used() const { return usedBytes; }

  /// While one exists, the calling thread may touch device memory.
  class Access {
  public:
    Access();
    ~Access();
    Access(const Access &) = delete;

  private:
    int before = 0;
  };

private:
  Memory();
  struct Block {
    size_t bytes, number;
    uint64_t pages;
    size_t pageBytes;
  };
  const Block *find(uint64_t address, uint64_t &offset);

  std::mutex mutex;
  char *base = nullptr;
  size_t reserved = 0;
  int key = -1; ///< protection key; -1: none
  std::map<uint64_t, Block> blocks;
  std::map<uint64_t, size_t> freePages; ///< address and bytes
  size_t usedBytes = 0, count = 0;
};

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_MEMORY_H
