//===- ReduceKernels.h - The reduction kernels, for one instruction set ---===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included once per instruction set, by a file that defines
// SHARDIR_REDUCE_LOOKUP as the name of the lookup function to define. Requires
// compilation without floating-point contraction; guarantees the same bits from
// every instruction set, as each element's terms combine in the given order.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "ReduceOps.h"
#include "Stream.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace shardir {
namespace runtime {
namespace {

/// Whole lines: each term is read once, ahead of time if `Ahead`, and each
/// result written once, past the caches if `Stream`.
template <class Rep, class Op, bool Ahead, bool Stream>
void reduceLines(void *const *outs, size_t numOuts, const void *const *ins,
                 size_t numIns, size_t begin, size_t end) {
  using Storage = typename Rep::Storage;
  using Value = typename Rep::Value;
  constexpr size_t kLine = kLineBytes / sizeof(Storage);
  constexpr size_t kAhead = kPrefetchBytes / sizeof(Storage);
  auto term = [&](size_t t, size_t i) {
    auto *p = static_cast<const Storage *>(ins[t]) + i;
    if constexpr (Ahead)
      prefetchLine(p + kAhead);
    return p;
  };
  for (size_t b = begin; b < end; b += kLine) {
    alignas(64) Value acc[kLine];
    const Storage *first = term(0, b);
    for (size_t i = 0; i < kLine; ++i)
      acc[i] = Rep::load(first[i]);
    for (size_t t = 1; t < numIns; ++t) {
      const Storage *next = term(t, b);
      for (size_t i = 0; i < kLine; ++i)
        acc[i] = Op::apply(acc[i], Rep::load(next[i]));
    }
    alignas(64) Storage line[kLine];
    for (size_t i = 0; i < kLine; ++i)
      line[i] = Rep::store(acc[i]);
    for (size_t o = 0; o < numOuts; ++o)
      if constexpr (Stream)
        streamLine(static_cast<Storage *>(outs[o]) + b, line);
      else
        std::memcpy(static_cast<Storage *>(outs[o]) + b, line, kLineBytes);
  }
  if constexpr (Stream)
    streamFence();
}

template <class Rep, class Op>
void reduceTerms(void *const *outs, size_t numOuts, const void *const *ins,
                 size_t numIns, size_t begin, size_t end) {
  using Storage = typename Rep::Storage;
  using Value = typename Rep::Value;
  // Blocks that stay in the first-level cache between terms. All terms of a
  // block are read before any of it is written: an output may be a term.
  constexpr size_t kBlock = 4096 / sizeof(Value);
  constexpr size_t kLine = kLineBytes / sizeof(Storage);
  bool stream = (end - begin) * numOuts * sizeof(Storage) >= kStreamBytes;
  for (size_t o = 0; o < numOuts; ++o)
    stream &= canStreamTo(static_cast<Storage *>(outs[o]) + begin);
  if (stream || numIns > 2) {
    size_t lines = begin + (end - begin) / kLine * kLine;
    // Other ranks write the memory behind a short chunk.
    bool ahead = (end - begin) * sizeof(Storage) >= 8 * kPrefetchBytes;
    auto *reduce = stream  ? reduceLines<Rep, Op, true, true>
                   : ahead ? reduceLines<Rep, Op, true, false>
                           : reduceLines<Rep, Op, false, false>;
    reduce(outs, numOuts, ins, numIns, begin, lines);
    begin = lines;
  }
  alignas(64) Value acc[kBlock];
  auto term = [&](size_t t) { return static_cast<const Storage *>(ins[t]); };
  for (size_t b = begin; b < end; b += kBlock) {
    size_t n = std::min(kBlock, end - b);
    const Storage *first = term(0) + b;
    if (numIns == 1) {
      for (size_t i = 0; i < n; ++i)
        acc[i] = Rep::load(first[i]);
    } else {
      const Storage *second = term(1) + b;
      for (size_t i = 0; i < n; ++i)
        acc[i] = Op::apply(Rep::load(first[i]), Rep::load(second[i]));
    }
    for (size_t t = 2; t < numIns; ++t) {
      const Storage *next = term(t) + b;
      for (size_t i = 0; i < n; ++i)
        acc[i] = Op::apply(acc[i], Rep::load(next[i]));
    }
    auto *out = static_cast<Storage *>(outs[0]) + b;
    if constexpr (std::is_same_v<Rep, Plain<Value>>) {
      std::memcpy(out, acc, n * sizeof(Storage));
    } else {
      for (size_t i = 0; i < n; ++i)
        out[i] = Rep::store(acc[i]);
    }
    for (size_t o = 1; o < numOuts; ++o)
      if (outs[o] != outs[0])
        std::memcpy(static_cast<Storage *>(outs[o]) + b, out,
                    n * sizeof(Storage));
  }
}

template <class Rep> ReduceFn functionOf(PartialKind kind) {
  ReduceFn function = nullptr;
  withOperation<Rep>(kind, [&](auto operation) {
    function = reduceTerms<Rep, decltype(operation)>;
  });
  return function;
}

} // namespace

ReduceFn SHARDIR_REDUCE_LOOKUP(PartialKind kind, ElementType type) {
  switch (type) {
  case SHARDIR_I1:
    return functionOf<Bool>(kind);
  case SHARDIR_I8:
    return functionOf<Plain<int8_t>>(kind);
  case SHARDIR_I16:
    return functionOf<Plain<int16_t>>(kind);
  case SHARDIR_I32:
    return functionOf<Plain<int32_t>>(kind);
  case SHARDIR_I64:
  case SHARDIR_INDEX:
    return functionOf<Plain<int64_t>>(kind);
  case SHARDIR_F16:
    return functionOf<Half>(kind);
  case SHARDIR_BF16:
    return functionOf<BFloat>(kind);
  case SHARDIR_F32:
    return functionOf<Plain<float>>(kind);
  case SHARDIR_F64:
    return functionOf<Plain<double>>(kind);
  case SHARDIR_F8E4M3FN:
    return functionOf<F8E4>(kind);
  case SHARDIR_F8E5M2:
    return functionOf<F8E5>(kind);
  }
  return nullptr;
}

} // namespace runtime
} // namespace shardir
