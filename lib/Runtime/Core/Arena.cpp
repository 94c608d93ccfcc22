//===- Arena.cpp - A rank's memory ----------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header of one cache line stands before every block. Requires that programs
// stay within their blocks; guarantees counts of the bytes that were requested,
// without the rounding to size classes (four a power of two).
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include <atomic>
#include <cstdlib>
#include <sys/mman.h>

namespace shardir {
namespace runtime {

namespace {
constexpr uint64_t kMagic = 0x5a6172641a52656eULL;
constexpr uint64_t kFreed = 0xf4eedb10c4f4eed0ULL;
/// More than any address space holds; sums of it do not overflow.
constexpr size_t kLargest = size_t(1) << 46;
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kHugeFrom = size_t(4) << 20;
constexpr size_t kColours = 16, kColourStep = 5 * Arena::kAlignment;
std::atomic<size_t> colour{0};
constexpr size_t kKeptSlack = size_t(64) << 20;

/// The size class of a request and the bytes that it reserves.
size_t sizeClass(size_t size, size_t &reserved) {
  size_t units = size <= 64 ? 1 : (size + 63) / 64;
  unsigned log = 0;
  while ((size_t(8) << log) <= units)
    ++log;
  // Classes of one unit up to 8, then four steps a power of two.
  size_t steps = (units + (size_t(1) << log) - 1) >> log;
  if (steps == 8) { // rounded up into the next power of two
    ++log;
    steps = 4;
  }
  reserved = (steps << log) * 64;
  return log * 8 + steps;
}
} // namespace

struct Arena::Block {
  Arena *owner;
  Block *previous, *next;
  uint64_t size;       ///< as requested
  uint64_t reserved;   ///< usable bytes
  uint32_t sizeClass;  ///< 0: not kept when freed
  uint32_t baseOffset; ///< from what the system gave to this header
  uint64_t magic;
};

Arena::~Arena() {
  releaseAll();
  trim();
}

void *Arena::allocate(size_t size, size_t alignment) {
  static_assert(sizeof(Block) <= kAlignment, "the header is one cache line");
  if (size > kLargest || alignment > (size_t(1) << 30) ||
      (alignment & (alignment - 1)) != 0)
    return nullptr;
  size_t reserved;
  size_t cls = sizeClass(size, reserved);
  bool usual = alignment <= kAlignment;
  Block *block = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (usual && cls < kept.size() && !kept[cls].empty()) {
      block = kept[cls].back();
      kept[cls].pop_back();
      keptBytes -= block->reserved;
    }
  }
  if (!block) {
    // Large blocks on large pages: far fewer faults and misses of the TLB.
    bool huge = reserved >= kHugeFrom && alignment < kHugePage;
    size_t align = huge ? kHugePage : usual ? kAlignment : alignment;
    // Blocks with equal low address bits would share the same cache sets.
    size_t shift = huge && usual ? colour++ % kColours * kColourStep : 0;
    void *base = nullptr;
    if (posix_memalign(&base, align, align + shift + reserved) != 0) {
      trim();
      if (posix_memalign(&base, align, align + shift + reserved) != 0)
        return nullptr;
    }
    char *data = static_cast<char *>(base) + align + shift;
    if (huge)
      madvise(data - shift, shift + reserved,
              MADV_HUGEPAGE); // a wish: nothing else changes
    block = reinterpret_cast<Block *>(data - kAlignment);
    block->owner = this;
    block->reserved = reserved;
    block->sizeClass = usual ? uint32_t(cls) : 0;
    block->baseOffset = uint32_t(align + shift - kAlignment);
  }
  block->size = size;
  block->magic = kMagic;
  std::lock_guard<std::mutex> lock(mutex);
  block->previous = nullptr;
  block->next = live;
  if (live)
    live->previous = block;
  live = block;
  liveCount += int64_t(size);
  liveReserved += int64_t(reserved);
  raisePeak();
  return reinterpret_cast<char *>(block) + kAlignment;
}

bool Arena::release(void *p) {
  if (!p)
    return true;
  auto *block = reinterpret_cast<Block *>(static_cast<char *>(p) - kAlignment);
  if (reinterpret_cast<uintptr_t>(p) % kAlignment != 0 ||
      block->magic != kMagic)
    return false;
  std::lock_guard<std::mutex> lock(block->owner->mutex);
  block->owner->giveBack(block);
  return true;
}

void Arena::giveBack(Block *block) {
  (block->previous ? block->previous->next : live) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  block->magic = kFreed;
  liveCount -= int64_t(block->size);
  liveReserved -= int64_t(block->reserved);
  // Keep no more than the program has shown that it needs at one time.
  size_t limit = size_t(highCount) + size_t(highCount) / 2 + kKeptSlack;
  if (block->sizeClass == 0 ||
      keptBytes + block->reserved + size_t(liveReserved) > limit) {
    std::free(reinterpret_cast<char *>(block) - block->baseOffset);
    return;
  }
  if (kept.size() <= block->sizeClass)
    kept.resize(block->sizeClass + 1);
  kept[block->sizeClass].push_back(block);
  keptBytes += block->reserved;
}

void Arena::raisePeak() {
  peakCount = liveCount > peakCount ? liveCount : peakCount;
  highCount = peakCount > highCount ? peakCount : highCount;
}

void Arena::releaseAll() {
  std::lock_guard<std::mutex> lock(mutex);
  while (live)
    giveBack(live);
}

void Arena::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  for (std::vector<Block *> &blocks : kept) {
    for (Block *block : blocks)
      std::free(reinterpret_cast<char *>(block) - block->baseOffset);
    blocks.clear();
  }
  keptBytes = 0;
}

void Arena::account(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  liveCount += bytes;
  raisePeak();
}

void Arena::resetPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  peakCount = liveCount;
}

int64_t Arena::liveBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return liveCount;
}

int64_t Arena::peakBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return peakCount;
}

} // namespace runtime
} // namespace shardir
