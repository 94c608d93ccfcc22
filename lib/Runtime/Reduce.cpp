//===- Reduce.cpp - Chooses kernels, and neutral elements -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Picks the reduction kernels for the processor at hand, and writes neutral
// elements. Requires a kind that has a meaning for the type; guarantees that a
// neutral term leaves every bit of a reduction as it is, signed zeros included.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include <cstdint>
#include <cstring>
#include <limits>

namespace shardir {
namespace runtime {

ReduceFn reduceFunctionBaseline(PartialKind kind, ElementType type);
#ifdef SHARDIR_HAVE_AVX2_KERNELS
ReduceFn reduceFunctionAvx2(PartialKind kind, ElementType type);
#endif

ReduceFn reduceFunction(PartialKind kind, ElementType type) {
#ifdef SHARDIR_HAVE_AVX2_KERNELS
  static const bool hasAvx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  if (hasAvx2)
    return reduceFunctionAvx2(kind, type);
#endif
  return reduceFunctionBaseline(kind, type);
}

namespace {

/// The bit patterns of a float format that neutral elements need.
struct FloatBits {
  uint64_t one, infinity, nan, sign;
};

FloatBits floatBits(ElementType type) {
  switch (type) {
  case SHARDIR_F16:
    return {0x3c00, 0x7c00, 0x7e00, 0x8000};
  case SHARDIR_BF16:
    return {0x3f80, 0x7f80, 0x7fc0, 0x8000};
  case SHARDIR_F32:
    return {0x3f800000, 0x7f800000, 0x7fc00000, 0x80000000};
  case SHARDIR_F8E4M3FN:
    // No infinity: the largest finite value is as neutral.
    return {0x38, 0x7e, 0x7f, 0x80};
  case SHARDIR_F8E5M2:
    return {0x3c, 0x7c, 0x7e, 0x80};
  default:
    return {0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000,
            0x8000000000000000};
  }
}

uint64_t floatIdentity(PartialKind kind, ElementType type) {
  FloatBits bits = floatBits(type);
  switch (kind) {
  case PartialKind::Prod:
    return bits.one;
  case PartialKind::Max:
    return bits.sign | bits.infinity;
  case PartialKind::Min:
    return bits.infinity;
  case PartialKind::MaxNum:
  case PartialKind::MinNum:
    return bits.nan;
  default:
    return bits.sign; // -0.0: +0.0 would turn a sum of -0.0 into +0.0
  }
}

uint64_t integerIdentity(PartialKind kind, ElementType type) {
  // One bit for i1, whose signed range is [-1, 0].
  unsigned width = type == SHARDIR_I1 ? 1 : unsigned(8 * elementSize(type));
  uint64_t signBit = uint64_t(1) << (width - 1);
  uint64_t ones = signBit | (signBit - 1);
  switch (kind) {
  case PartialKind::Prod:
    return 1;
  case PartialKind::Max:
    return signBit;
  case PartialKind::Min:
    return ones & ~signBit;
  case PartialKind::UMin:
  case PartialKind::And:
    return ones;
  default:
    return 0;
  }
}

template <class T> void fill(void *data, size_t count, uint64_t bits) {
  T value = static_cast<T>(bits);
  auto *p = static_cast<T *>(data);
  for (size_t i = 0; i < count; ++i)
    p[i] = value;
}

} // namespace

void fillIdentity(PartialKind kind, ElementType type, void *data,
                  size_t count) {
  uint64_t bits = isFloatType(type) ? floatIdentity(kind, type)
                                    : integerIdentity(kind, type);
  switch (elementSize(type)) {
  case 1:
    return fill<uint8_t>(data, count, bits);
  case 2:
    return fill<uint16_t>(data, count, bits);
  case 4:
    return fill<uint32_t>(data, count, bits);
  default:
    return fill<uint64_t>(data, count, bits);
  }
}

} // namespace runtime
} // namespace shardir
