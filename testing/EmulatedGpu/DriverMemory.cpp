//===- DriverMemory.cpp - The emulated driver: memory and copies ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, pinned memory, copies and fills. Requires and guarantees what
// Driver.cpp says: addresses that are not the GPU's, or leave their block, are
// errors of the call.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace shardir::emulated;

namespace {

void moveBytes(void *to, const void *from, size_t n) {
  Memory::Access access;
  std::memmove(to, from, n);
}

template <class T>
int setMemory(const char *name, Pointer to, T value, size_t count,
              Stream *stream) {
  Call call(name);
  call.with("to", text(to)).with("bytes", count * sizeof(T));
  call.with("stream", text(stream));
  if (!call.isStream(stream) ||
      !call.inMemory(to, count * sizeof(T), "the destination"))
    return call.result();
  Queue::get().add(stream, [=] {
    Memory::Access access;
    auto *p = static_cast<T *>(hostOf(to));
    for (size_t i = 0; i < count; ++i)
      p[i] = value;
  });
  return call.result();
}

} // namespace

SHARDIR_EXPORT int cuMemGetInfo_v2(size_t *left, size_t *all) {
  Call call("cuMemGetInfo");
  *all = Settings::get().memory;
  *left = *all - std::min(*all, Memory::get().used());
  return call.result();
}

SHARDIR_EXPORT int cuMemAlloc_v2(Pointer *p, size_t bytes) {
  Call call("cuMemAlloc");
  call.with("bytes", bytes);
  if (!call.ok())
    return call.result();
  if (bytes == 0)
    return call.fail(kInvalidValue, "no bytes");
  *p = Memory::get().allocate(bytes);
  if (!*p)
    return call.fail(kOutOfMemory, "out of memory");
  call.with("at", text(*p));
  return call.result();
}

SHARDIR_EXPORT int cuMemFree_v2(Pointer p) {
  Call call("cuMemFree");
  call.with("at", text(p));
  if (!call.ok() || !p)
    return call.result();
  Queue::get().finishAll(); // as the driver does
  if (!Memory::get().release(p))
    call.fail(kInvalidValue, "no block starts there");
  return call.result();
}

SHARDIR_EXPORT int cuMemHostAlloc(void **p, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  call.with("bytes", bytes);
  if (!call.ok())
    return call.result();
  *p = std::malloc(bytes ? bytes : 1);
  std::lock_guard<std::mutex> lock(state().mutex);
  state().pinned.insert(*p);
  return *p ? kSuccess : call.fail(kOutOfMemory);
}

SHARDIR_EXPORT int cuMemFreeHost(void *p) {
  Call call("cuMemFreeHost");
  if (!call.ok())
    return call.result();
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().pinned.erase(p))
    return call.fail(kInvalidValue, "not from cuMemHostAlloc");
  std::free(p);
  return call.result();
}

SHARDIR_EXPORT int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t n,
                                        Stream *stream) {
  Call call("cuMemcpyHtoDAsync");
  call.with("to", text(to)).with("bytes", n).with("stream", text(stream));
  if (call.isStream(stream) && call.inMemory(to, n, "the destination"))
    Queue::get().add(stream, [=] { moveBytes(hostOf(to), from, n); });
  return call.result();
}

SHARDIR_EXPORT int cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t n,
                                        Stream *stream) {
  Call call("cuMemcpyDtoHAsync");
  call.with("from", text(from)).with("bytes", n).with("stream", text(stream));
  if (call.isStream(stream) && call.inMemory(from, n, "the source"))
    Queue::get().add(stream, [=] { moveBytes(to, hostOf(from), n); });
  return call.result();
}

SHARDIR_EXPORT int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t n,
                                        Stream *stream) {
  Call call("cuMemcpyDtoDAsync");
  call.with("to", text(to)).with("from", text(from)).with("bytes", n);
  call.with("stream", text(stream));
  if (call.isStream(stream) && call.inMemory(to, n, "the destination") &&
      call.inMemory(from, n, "the source"))
    Queue::get().add(stream, [=] { moveBytes(hostOf(to), hostOf(from), n); });
  return call.result();
}

SHARDIR_EXPORT int cuMemsetD8Async(Pointer to, unsigned char value, size_t n,
                                   Stream *stream) {
  return setMemory<uint8_t>("cuMemsetD8Async", to, value, n, stream);
}
SHARDIR_EXPORT int cuMemsetD16Async(Pointer to, unsigned short value, size_t n,
                                    Stream *stream) {
  return setMemory<uint16_t>("cuMemsetD16Async", to, value, n, stream);
}
SHARDIR_EXPORT int cuMemsetD32Async(Pointer to, unsigned value, size_t n,
                                    Stream *stream) {
  return setMemory<uint32_t>("cuMemsetD32Async", to, value, n, stream);
}
