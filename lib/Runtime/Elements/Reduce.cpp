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

uint64_t identityOf(PartialKind kind, const ElementTypeInfo &type) {
  NeutralElement neutral =
      type.isFloat() ? infoOf(kind).ofFloats : infoOf(kind).ofIntegers;
  // One bit for i1, whose signed range is [-1, 0].
  unsigned width = type.type == SHARDIR_I1 ? 1 : unsigned(8 * type.bytes);
  uint64_t sign = uint64_t(1) << (width - 1), below = sign - 1;
  uint64_t infinity = below;
  if (type.isFloat())
    infinity = type.finiteOnly
                   ? below - 1
                   : below - ((uint64_t(1) << type.mantissaBits) - 1);
  switch (neutral) {
  case NeutralElement::One:
    return type.isFloat() ? uint64_t(type.bias()) << type.mantissaBits : 1;
  case NeutralElement::NegativeZero:
    return sign;
  case NeutralElement::Lowest:
    return type.isFloat() ? sign | infinity : sign;
  case NeutralElement::Highest:
    return infinity;
  case NeutralElement::NaN:
    return type.finiteOnly ? below
                           : infinity | uint64_t(1) << (type.mantissaBits - 1);
  case NeutralElement::AllOnes:
    return sign | below;
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
  uint64_t bits = identityOf(kind, *infoOf(type));
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
