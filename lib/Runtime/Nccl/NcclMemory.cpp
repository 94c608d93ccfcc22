//===- NcclMemory.cpp - Buffers that NCCL knows ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what NcclMemory.h says.
//
//===----------------------------------------------------------------------===//

#include "NcclMemory.h"

namespace shardir {
namespace runtime {

NcclMemory *NcclMemory::get(const nccl::Api &api) {
  if (!api.registersBuffers())
    return nullptr;
  static NcclMemory &memory = *new NcclMemory(api); // arenas may outlive main
  return &memory;
}

std::string NcclMemory::allocate(cuda::DevicePtr *block, size_t bytes) {
  void *p = nullptr;
  if (nccl::Result result = api.MemAlloc(&p, bytes); result != nccl::Success)
    return "ncclMemAlloc says " + api.text(result, nullptr);
  *block = cuda::DevicePtr(reinterpret_cast<uintptr_t>(p));
  std::lock_guard<std::mutex> lock(mutex);
  blocks[*block] = bytes;
  return "";
}

void NcclMemory::free(cuda::DevicePtr block) {
  std::string none;
  // Unlike cuMemFree, ncclMemFree does not wait for what uses the block.
  if (const cuda::Api *driver = cuda::Api::get(none))
    (void)driver->CtxSynchronize();
  NcclGroups::get().deregister(api, block);
  {
    std::lock_guard<std::mutex> lock(mutex);
    blocks.erase(block);
  }
  (void)api.MemFree(reinterpret_cast<void *>(uintptr_t(block)));
}

NcclMemory::Block NcclMemory::find(const void *p) {
  auto address = cuda::DevicePtr(reinterpret_cast<uintptr_t>(p));
  std::lock_guard<std::mutex> lock(mutex);
  auto it = blocks.upper_bound(address);
  if (it == blocks.begin() || address - (--it)->first >= it->second)
    return {};
  return {it->first, it->second};
}

void NcclMemory::enroll(NcclGroup &group, const void *in, const void *out) {
  Block both[] = {find(in ? in : out), find(out ? out : in)};
  if (!both[0].bytes || !both[1].bytes)
    return;
  for (auto [block, bytes] : both) {
    if (group.registered.count(block))
      continue;
    void *handle = nullptr;
    api.check(
        api.CommRegister(group.comm, reinterpret_cast<void *>(uintptr_t(block)),
                         bytes, &handle),
        "ncclCommRegister",
        "register " + std::to_string(bytes) + " bytes on the GPU", group.comm);
    group.registered[block] = handle;
  }
}

} // namespace runtime
} // namespace shardir
