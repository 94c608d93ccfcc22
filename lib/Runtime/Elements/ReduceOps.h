//===- ReduceOps.h - How two terms of a reduction combine -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The representations of elements and the operations on them, for processors
// and GPUs. Requires compilation without floating-point contraction, and
// no header of a hosted implementation; guarantees that both give the same bits
// (X3), but for the payload of a NaN, which GPUs do not keep.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTS_REDUCEOPS_H
#define SHARDIR_LIB_RUNTIME_ELEMENTS_REDUCEOPS_H

#include "SmallFloat.h"

#include "ShardIR/Placement/PartialKind.h"

namespace shardir {
namespace runtime {
namespace {

// How elements are stored, and the type in which they are combined.
template <class T> struct Plain {
  using Storage = T;
  using Value = T;
  static Value load(Storage s) { return s; }
  static Storage store(Value v) { return v; }
};
struct Bool {
  using Storage = uint8_t;
  using Value = uint8_t;
  static Value load(Storage s) { return s & 1; }
  static Storage store(Value v) { return v & 1; }
};
template <class S, float (*Load)(S), S (*Store)(float)> struct Narrow {
  using Storage = S;
  using Value = float;
  static Value load(Storage s) { return Load(s); }
  static Storage store(Value v) { return Store(v); }
};
using Half = Narrow<uint16_t, f16ToFloat, floatToF16>;
using BFloat = Narrow<uint16_t, bf16ToFloat, floatToBf16>;
using F8E4 = Narrow<uint8_t, f8E4M3FNToFloat, floatToF8E4M3FN>;
using F8E5 = Narrow<uint8_t, f8E5M2ToFloat, floatToF8E5M2>;

template <class V> struct IntegerTraits {
  static constexpr bool isInteger = false;
};
template <class U> struct Integers {
  static constexpr bool isInteger = true;
  using Unsigned = U;
};
template <> struct IntegerTraits<int8_t> : Integers<uint8_t> {};
template <> struct IntegerTraits<int16_t> : Integers<uint16_t> {};
template <> struct IntegerTraits<int32_t> : Integers<uint32_t> {};
template <> struct IntegerTraits<int64_t> : Integers<uint64_t> {};
template <> struct IntegerTraits<uint8_t> : Integers<uint8_t> {};
template <class V> using Unsigned = typename IntegerTraits<V>::Unsigned;

// The operations. Integers wrap, so they are combined as unsigned.
struct Sum {
  template <class V> static V apply(V a, V b) {
    if constexpr (IntegerTraits<V>::isInteger)
      return V(Unsigned<V>(Unsigned<V>(a) + Unsigned<V>(b)));
    else
      return a + b;
  }
};
struct Prod {
  template <class V> static V apply(V a, V b) {
    // Through 64 bits: narrow unsigned operands would promote to signed int.
    if constexpr (IntegerTraits<V>::isInteger)
      return V(uint64_t(a) * uint64_t(b));
    else
      return a * b;
  }
};
// maximumf and minimumf: a NaN wins, and -0 is less than +0.
struct Max {
  template <class V> static V apply(V a, V b) {
    if constexpr (IntegerTraits<V>::isInteger)
      return a < b ? b : a;
    else {
      V r = a > b ? a : b > a ? b : __builtin_signbit(a) ? b : a;
      return a != a ? a : b != b ? b : r;
    }
  }
};
struct Min {
  template <class V> static V apply(V a, V b) {
    if constexpr (IntegerTraits<V>::isInteger)
      return b < a ? b : a;
    else {
      V r = a < b ? a : b < a ? b : __builtin_signbit(a) ? a : b;
      return a != a ? a : b != b ? b : r;
    }
  }
};
// maxnumf and minnumf: a NaN loses.
struct MaxNum {
  template <class V> static V apply(V a, V b) {
    return a != a ? b : b != b ? a : Max::apply(a, b);
  }
};
struct MinNum {
  template <class V> static V apply(V a, V b) {
    return a != a ? b : b != b ? a : Min::apply(a, b);
  }
};
struct UMax {
  template <class V> static V apply(V a, V b) {
    return Unsigned<V>(a) < Unsigned<V>(b) ? b : a;
  }
};
struct UMin {
  template <class V> static V apply(V a, V b) {
    return Unsigned<V>(b) < Unsigned<V>(a) ? b : a;
  }
};
struct And {
  template <class V> static V apply(V a, V b) { return a & b; }
};
struct Or {
  template <class V> static V apply(V a, V b) { return a | b; }
};
struct Xor {
  template <class V> static V apply(V a, V b) { return a ^ b; }
};

template <class Rep> constexpr bool isBool = false;
template <> constexpr bool isBool<Bool> = true;

/// The kind as which `kind` combines elements of i1.
constexpr PartialKind onBits(PartialKind kind) {
  switch (kind) {
#define SHARDIR_CASE(KIND, NAME, TYPES, FLOAT, INTEGER, BIT, IDEMPOTENT)       \
  case PartialKind::KIND:                                                      \
    return infoOf(PartialKind::KIND).isFor(NumberClass::Integers)              \
               ? PartialKind::BIT                                              \
               : PartialKind::KIND;
    SHARDIR_PARTIAL_KINDS(SHARDIR_CASE)
#undef SHARDIR_CASE
  }
  return kind;
}

/// Calls f with an object of the operation of `kind`, for elements that Rep
/// represents; does nothing where the kind has no meaning for these.
template <class Rep, class F>
inline __attribute__((always_inline)) void withOperation(PartialKind kind,
                                                         F f) {
  constexpr unsigned type = IntegerTraits<typename Rep::Value>::isInteger
                                ? NumberClass::Integers
                                : NumberClass::Floats;
  if constexpr (isBool<Rep>)
    kind = onBits(kind);
  switch (kind) {
#define SHARDIR_CASE(KIND, NAME, TYPES, FLOAT, INTEGER, BIT, IDEMPOTENT)       \
  case PartialKind::KIND:                                                      \
    if constexpr (infoOf(PartialKind::KIND).isFor(type) &&                     \
                  (!isBool<Rep> ||                                             \
                   onBits(PartialKind::KIND) == PartialKind::KIND))            \
      f(KIND());                                                               \
    return;
    SHARDIR_PARTIAL_KINDS(SHARDIR_CASE)
#undef SHARDIR_CASE
  }
}

} // namespace
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTS_REDUCEOPS_H
