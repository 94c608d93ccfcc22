//===- DeviceArena.cpp - A rank's memory on its GPU -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what DeviceArena.h says. Allocations rather than the
// driver's pools: NCCL and peers may register them, and what they cost is paid
// once, as blocks stay with the program.
//
//===----------------------------------------------------------------------===//

#include "DeviceArena.h"

#include <algorithm>
#include <unordered_set>

namespace shardir {
namespace runtime {

namespace {
constexpr size_t kAlignment = 256;
/// Kept beyond half as much again as has been alive at one time.
constexpr size_t kSlack = size_t(64) << 20;
} // namespace

namespace {
/// The arenas of the process: ranks that share a GPU.
struct Registry {
  std::mutex mutex;
  std::unordered_set<DeviceArena *> arenas;
};
Registry &registry() {
  static Registry &all = *new Registry; // outlives every static destructor
  return all;
}
} // namespace

DeviceMemory::~DeviceMemory() = default;

DeviceArena::DeviceArena(const cuda::Api &api, DeviceMemory *memory)
    : api(api), memory(memory) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().arenas.insert(this);
}

/// Four classes to a power of two, from 256 bytes on.
size_t DeviceArena::sizeOf(size_t sizeClass) {
  return (kAlignment << (sizeClass / 4)) / 4 * (4 + sizeClass % 4);
}

size_t DeviceArena::classOf(size_t size) {
  size_t c = 0;
  while (sizeOf(c) < size)
    ++c;
  return c;
}

DeviceArena::~DeviceArena() {
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    registry().arenas.erase(this);
  }
  releaseAll();
  trim();
}

std::string DeviceArena::take(cuda::DevicePtr *block, size_t bytes) {
  if (memory)
    return memory->allocate(block, bytes);
  cuda::Result result = api.MemAlloc(block, bytes);
  return result == cuda::Success ? "" : "cuMemAlloc says " + api.text(result);
}

void DeviceArena::giveBack(cuda::DevicePtr block) {
  if (memory)
    memory->free(block);
  else
    (void)api.MemFree(block);
}

void DeviceArena::raise(int64_t bytes) {
  live += bytes;
  peak = std::max(peak, live);
}

void *DeviceArena::allocate(size_t size, size_t alignment) {
  size_t extra = alignment > kAlignment ? alignment : 0;
  // No device has as much, and sizes below cannot overflow.
  if (size > (size_t(1) << 60) || extra > (size_t(1) << 60))
    api.fail(cuda::OutOfMemory, "the runtime",
             "allocate " + std::to_string(size) + " bytes on the GPU");
  size_t c = classOf(std::max(size + extra, size_t(1)));
  Block block;
  {
    std::lock_guard<std::mutex> lock(keptMutex);
    if (c >= kept.size())
      kept.resize(c + 1);
    auto it = kept[c].begin();
    if (noting && wanted && noted.size() < wanted->size())
      if (auto same = kept[c].find((*wanted)[noted.size()]);
          same != kept[c].end())
        it = same;
    if (it != kept[c].end()) {
      block.memory = *it;
      block.reserved = sizeOf(c);
      kept[c].erase(it);
      keptBytes -= block.reserved;
    }
  }
  if (!block.memory) {
    block.reserved = sizeOf(c);
    if (!take(&block.memory, block.reserved).empty()) {
      trimAll();
      std::string why = take(&block.memory, block.reserved);
      size_t left = 0, all = 0;
      std::string where;
      if (!why.empty() && api.MemGetInfo(&left, &all) == cuda::Success)
        where = ", " + std::to_string(left) + " of the GPU's " +
                std::to_string(all) + " are free";
      if (!why.empty())
        throw cuda::Failure("cannot allocate " + std::to_string(size) +
                            " bytes on the GPU (this rank has " +
                            std::to_string(live) + " in use" + where +
                            "): " + why);
    }
  }
  if (noting)
    noted.push_back(block.memory);
  block.size = size;
  auto address = uintptr_t(block.memory);
  if (extra)
    address = (address + alignment - 1) & ~uintptr_t(alignment - 1);
  auto *p = reinterpret_cast<void *>(address);
  out[p] = block;
  liveReserved += block.reserved;
  highReserved = std::max(highReserved, liveReserved);
  raise(int64_t(size));
  return p;
}

void DeviceArena::keep(const Block &block) {
  liveReserved -= block.reserved;
  live -= int64_t(block.size);
  std::lock_guard<std::mutex> lock(keptMutex);
  if (!held && keptBytes + block.reserved > highReserved / 2 * 3 + kSlack) {
    giveBack(block.memory);
    return;
  }
  keptBytes += block.reserved;
  kept[classOf(block.reserved)].insert(block.memory);
}

bool DeviceArena::release(void *p) {
  if (!p)
    return true;
  auto it = out.find(p);
  if (it == out.end())
    return false;
  Block block = it->second;
  out.erase(it);
  keep(block);
  return true;
}

void DeviceArena::releaseAll() {
  for (auto &[p, block] : out)
    keep(block);
  out.clear();
}

void DeviceArena::startScript(const std::vector<cuda::DevicePtr> *before) {
  noting = true;
  noted.clear();
  wanted = before;
}

bool DeviceArena::areKept(const std::vector<cuda::DevicePtr> &blocks) {
  std::lock_guard<std::mutex> lock(keptMutex);
  std::unordered_set<cuda::DevicePtr> all;
  for (const std::set<cuda::DevicePtr> &some : kept)
    all.insert(some.begin(), some.end());
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](cuda::DevicePtr block) { return all.count(block); });
}

void DeviceArena::trimAll() {
  std::lock_guard<std::mutex> lock(registry().mutex);
  for (DeviceArena *arena : registry().arenas)
    if (!arena->held)
      arena->trim();
}

void DeviceArena::trim() {
  std::lock_guard<std::mutex> lock(keptMutex);
  for (std::set<cuda::DevicePtr> &blocks : kept) {
    for (cuda::DevicePtr block : blocks)
      giveBack(block);
    blocks.clear();
  }
  keptBytes = 0;
}

} // namespace runtime
} // namespace shardir
