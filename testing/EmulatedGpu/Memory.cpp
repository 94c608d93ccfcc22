//===- Memory.cpp - The emulated GPU's memory -----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Memory.h says. Addresses are given out first fit
// from one reservation; a block starts as late in its pages as its alignment
// allows, so that it ends where they end.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "Settings.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace shardir {
namespace emulated {

namespace {
constexpr size_t kAlignment = 256;
/// More than tests allocate; what is not touched costs nothing.
constexpr size_t kReserved = size_t(64) << 30;
/// Fresh memory up to this size is filled.
constexpr size_t kFilled = size_t(4) << 20;
const size_t kPage = size_t(sysconf(_SC_PAGESIZE));

size_t roundUp(size_t n, size_t to) { return (n + to - 1) / to * to; }
} // namespace

Memory &Memory::get() {
  static Memory &memory = *new Memory; // outlives static destructors
  return memory;
}

Memory::Memory() {
  // Less where the process may not have as much.
  for (reserved = kReserved; reserved >= (size_t(64) << 20); reserved /= 2) {
    void *p = mmap(nullptr, reserved, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      continue;
    base = static_cast<char *>(p);
    freePages[uint64_t(reinterpret_cast<uintptr_t>(p))] = reserved;
    break;
  }
#if defined(__x86_64__)
  key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
#endif
}

Memory::Access::Access() {
#if defined(__x86_64__)
  int key = Memory::get().key;
  if (key < 0)
    return;
  before = pkey_get(key);
  pkey_set(key, 0);
#endif
}

Memory::Access::~Access() {
#if defined(__x86_64__)
  int key = Memory::get().key;
  if (key >= 0)
    pkey_set(key, unsigned(before));
#endif
}

uint64_t Memory::allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes > Settings::get().memory -
                  std::min<size_t>(usedBytes, Settings::get().memory))
    return 0;
  size_t inBlock = roundUp(bytes, kAlignment);
  size_t pageBytes = roundUp(inBlock, kPage) + kPage; // and one as a guard
  for (auto it = freePages.begin(); it != freePages.end(); ++it) {
    if (it->second < pageBytes)
      continue;
    uint64_t pages = it->first;
    size_t left = it->second - pageBytes;
    size_t usable = pageBytes - kPage;
    void *p = reinterpret_cast<void *>(uintptr_t(pages));
    int failed = key >= 0
                     ? pkey_mprotect(p, usable, PROT_READ | PROT_WRITE, key)
                     : mprotect(p, usable, PROT_READ | PROT_WRITE);
    if (failed)
      return 0;
    freePages.erase(it);
    if (left)
      freePages[pages + pageBytes] = left;
    uint64_t address = pages + usable - inBlock;
    blocks[address] = {bytes, ++count, pages, pageBytes};
    usedBytes += bytes;
    if (bytes <= kFilled) {
      Access access;
      std::memset(reinterpret_cast<void *>(uintptr_t(address)), 0xff, bytes);
    }
    return address;
  }
  return 0;
}

bool Memory::release(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = blocks.find(address);
  if (it == blocks.end())
    return false;
  Block block = it->second;
  blocks.erase(it);
  usedBytes -= block.bytes;
  void *p = reinterpret_cast<void *>(uintptr_t(block.pages));
  (void)mprotect(p, block.pageBytes, PROT_NONE);
  (void)madvise(p, block.pageBytes, MADV_DONTNEED);
  auto next = freePages.emplace(block.pages, block.pageBytes).first;
  auto after = std::next(next);
  if (after != freePages.end() && next->first + next->second == after->first) {
    next->second += after->second;
    freePages.erase(after);
  }
  if (next != freePages.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == next->first) {
      before->second += next->second;
      freePages.erase(next);
    }
  }
  return true;
}

const Memory::Block *Memory::find(uint64_t address, uint64_t &offset) {
  auto it = blocks.upper_bound(address);
  if (it == blocks.begin())
    return nullptr;
  --it;
  offset = address - it->first;
  return offset <= it->second.bytes ? &it->second : nullptr;
}

bool Memory::check(uint64_t address, size_t bytes, const char *what) {
  std::lock_guard<std::mutex> lock(mutex);
  auto begin = uint64_t(reinterpret_cast<uintptr_t>(base));
  bool inRange = address >= begin && address < begin + reserved;
  if (!inRange && Settings::get().unified)
    return true;
  uint64_t offset = 0;
  const Block *block = inRange ? find(address, offset) : nullptr;
  if (block && bytes <= block->bytes - offset)
    return true;
  lastDetail() =
      std::string(what) +
      (!inRange ? " is no memory of the GPU"
       : !block ? " was freed, or never given out"
                : " needs " + std::to_string(bytes) + " bytes, but block #" +
                      std::to_string(block->number) + " has " +
                      std::to_string(block->bytes - offset) + " from there");
  return false;
}

std::vector<ptx::Range> Memory::ranges() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<ptx::Range> all;
  for (const auto &[address, block] : blocks)
    all.push_back({address, address + block.bytes});
  return all;
}

std::string Memory::name(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t offset = 0;
  const Block *block = find(address, offset);
  return block ? "#" + std::to_string(block->number) + "+" +
                     std::to_string(offset)
               : "host";
}

} // namespace emulated
} // namespace shardir
