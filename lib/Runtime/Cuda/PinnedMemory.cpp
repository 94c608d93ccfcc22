//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what PinnedMemory.h says.
//
//===----------------------------------------------------------------------===//

#include "PinnedMemory.h"

namespace shardir {
namespace runtime {

/// The driver pins whole pages.
static constexpr size_t kPage = 4096;

PinnedMemory::~PinnedMemory() {
  releaseAll();
  trim();
}

void *PinnedMemory::allocate(size_t size) {
  size_t bytes = size ? (size + kPage - 1) / kPage * kPage : kPage;
  void *block = nullptr;
  if (auto same = kept.find(bytes); same != kept.end()) {
    block = *same->second.begin();
    same->second.erase(same->second.begin());
    if (same->second.empty())
      kept.erase(same);
  } else {
    cuda::Result result = api.MemHostAlloc(&block, bytes, 0);
    if (result == cuda::OutOfMemory && !kept.empty()) {
      trim();
      result = api.MemHostAlloc(&block, bytes, 0);
    }
    api.check(result, "cuMemHostAlloc",
              "get " + std::to_string(bytes) + " bytes of pinned memory");
  }
  out[block] = bytes;
  return block;
}

bool PinnedMemory::release(void *p) {
  if (!p)
    return true;
  auto block = out.find(p);
  if (block == out.end())
    return false;
  kept[block->second].insert(p);
  out.erase(block);
  return true;
}

void PinnedMemory::releaseAll() {
  for (auto [block, bytes] : out)
    kept[bytes].insert(block);
  out.clear();
}

void PinnedMemory::trim() {
  for (auto &[bytes, blocks] : kept)
    for (void *block : blocks)
      (void)api.MemFreeHost(block);
  kept.clear();
}

} // namespace runtime
} // namespace shardir
