//===- Stream.h - Stores that bypass the caches -----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Non-temporal stores for results that no cache would keep: a line is written
// without being read first, which saves a third of a copy's memory traffic.
// Requires destinations at multiples of 16 bytes. Guarantees nothing about the
// order of the stores before streamFence(): a thread that publishes what it
// wrote calls it first. On processors without such stores these are plain ones.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTS_STREAM_H
#define SHARDIR_LIB_RUNTIME_ELEMENTS_STREAM_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardir {
namespace runtime {

/// Results from here on are streamed. Twice the second-level cache of today's
/// servers: measured, 1 MiB is copied faster through the cache, 4 MiB is not.
constexpr size_t kStreamBytes = size_t(4) << 20;

constexpr size_t kLineBytes = 64;

/// Shorter spans are not streamed: the lines at their ends are written in
/// parts.
constexpr size_t kLongSpan = 4096;

/// Far enough ahead to hide memory, near enough to stay within the page or the
/// next one; the processor's own prefetchers stop at every page.
constexpr size_t kPrefetchBytes = 2048;

inline void prefetchLine(const void *p) { __builtin_prefetch(p, 0, 3); }

inline bool canStreamTo(const void *p) {
  return reinterpret_cast<uintptr_t>(p) % 16 == 0;
}

inline void streamLine(void *to, const void *from) {
#ifdef __SSE2__
  auto *t = static_cast<__m128i *>(to);
  auto *f = static_cast<const __m128i *>(from);
  __m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1);
  __m128i c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);
  _mm_stream_si128(t, a);
  _mm_stream_si128(t + 1, b);
  _mm_stream_si128(t + 2, c);
  _mm_stream_si128(t + 3, d);
#else
  std::memcpy(to, from, kLineBytes);
#endif
}

inline void streamFence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// Copies `n` bytes to each of `numOuts` places, none of which overlaps `from`
/// unless it is `from`. Streams if told to and where alignment allows; fences.
void copyToAll(void *const *outs, size_t numOuts, const void *from, size_t n,
               bool stream);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTS_STREAM_H
