//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of matrices as they lie in memory, and what they are worth: one
// struct for each type that tensor cores multiply.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_ELEMENTS_H
#define SHARDIR_TESTING_EMULATEDGPU_ELEMENTS_H

#include "Elements/SmallFloat.h"

#include <cstdint>
#include <cstring>

namespace shardir {
namespace emulated {

inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float fromHalf(uint16_t half) {
  uint32_t sign = uint32_t(half >> 15) << 31;
  uint32_t exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 31)
    return fromBits(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0)
    return fromBits(sign | (exponent + 112) << 23 | fraction << 13);
  float value = float(fraction) * fromBits(0x33800000u); // 2^-24
  return sign ? -value : value;
}

struct F16 {
  using Stored = uint16_t;
  using Sum = double;
  using Result = float;
  static double value(Stored stored) { return fromHalf(stored); }
};
struct BF16 {
  using Stored = uint16_t;
  using Sum = double;
  using Result = float;
  static double value(Stored stored) {
    return fromBits(uint32_t(stored) << 16);
  }
};
struct TF32 {
  using Stored = uint32_t;
  using Sum = double;
  using Result = float;
  /// The lowest 13 bits are not looked at.
  static double value(Stored stored) { return fromBits(stored & ~0x1fffu); }
};
struct E4M3 {
  using Stored = uint8_t;
  using Sum = double;
  using Result = float;
  static double value(Stored stored) {
    return runtime::f8E4M3FNToFloat(stored);
  }
};
struct E5M2 {
  using Stored = uint8_t;
  using Sum = double;
  using Result = float;
  static double value(Stored stored) { return runtime::f8E5M2ToFloat(stored); }
};
template <class T> struct Integer {
  using Stored = T;
  using Sum = int64_t;
  using Result = int32_t;
  static int64_t value(Stored stored) { return stored; }
};
struct F64 {
  using Stored = double;
  using Sum = double;
  using Result = double;
  static double value(Stored stored) { return stored; }
};

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_ELEMENTS_H
