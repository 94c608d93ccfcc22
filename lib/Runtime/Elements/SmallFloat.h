//===- SmallFloat.h - 16- and 8-bit floats as f32 ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32 and the narrow float formats, round to nearest even.
// Requires IEEE f32 in the default rounding mode; guarantees the values that
// LLVM's APFloat gives, NaN and overflow included (f8E4M3FN has no infinity and
// overflows to NaN), so that host code and compiled code agree.
// Included by kernels that are compiled for several instruction sets:
// everything is static, so that no instance leaks into code for an older
// processor. Freestanding, since kernels for GPUs are made of it, too.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTS_SMALLFLOAT_H
#define SHARDIR_LIB_RUNTIME_ELEMENTS_SMALLFLOAT_H

#include <stdint.h>

namespace shardir {
namespace runtime {
namespace {

inline uint32_t bitsOf(float f) {
  uint32_t u;
  __builtin_memcpy(&u, &f, sizeof(u));
  return u;
}
inline float floatOf(uint32_t u) {
  float f;
  __builtin_memcpy(&f, &u, sizeof(f));
  return f;
}

inline float bf16ToFloat(uint16_t h) { return floatOf(uint32_t(h) << 16); }

inline uint16_t floatToBf16(float f) {
  uint32_t u = bitsOf(f);
  uint32_t rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  // Rounding could carry a NaN's payload into an infinity: keep it quiet.
  uint32_t nan = (u >> 16) | 0x40;
  return uint16_t((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

inline float f16ToFloat(uint16_t h) {
#if defined(__F16C__) || defined(__NVPTX__)
  _Float16 f;
  __builtin_memcpy(&f, &h, sizeof(f));
  return static_cast<float>(f);
#else
  uint32_t magnitude = uint32_t(h & 0x7fff) << 13;
  // The product rebases the exponent and normalises subnormals exactly.
  uint32_t u = bitsOf(floatOf(magnitude) * floatOf(0x77800000));
  u = (h & 0x7c00) == 0x7c00 ? (magnitude | 0x7f800000) : u;
  return floatOf(u | uint32_t(h & 0x8000) << 16);
#endif
}

inline uint16_t floatToF16(float f) {
#if defined(__F16C__) || defined(__NVPTX__)
  auto h = static_cast<_Float16>(f);
  uint16_t u;
  __builtin_memcpy(&u, &h, sizeof(u));
  return u;
#else
  uint32_t u = bitsOf(f) & 0x7fffffff;
  uint32_t sign = (bitsOf(f) >> 16) & 0x8000;
  // Subnormal results: adding 0.5 shifts the bits to their place and rounds.
  uint32_t small = bitsOf(floatOf(u) + 0.5f) - 0x3f000000;
  uint32_t normal = (u + 0xc8000fff + ((u >> 13) & 1)) >> 13;
  uint32_t large = u > 0x7f800000 ? 0x7e00 | ((u >> 13) & 0x3ff) : 0x7c00;
  uint32_t r = u >= 0x47800000 ? large : u < 0x38800000 ? small : normal;
  return uint16_t(r | sign);
#endif
}

inline float f8E5M2ToFloat(uint8_t b) { return f16ToFloat(uint16_t(b << 8)); }

inline float f8E4M3FNToFloat(uint8_t b) {
  int exponent = (b >> 3) & 15, mantissa = b & 7;
  float r;
  if ((b & 0x7f) == 0x7f)
    r = floatOf(0x7fc00000);
  else if (exponent == 0)
    r = float(mantissa) * 0x1p-9f;
  else
    r = floatOf(uint32_t(exponent + 120) << 23 | uint32_t(mantissa) << 20);
  return b & 0x80 ? -r : r;
}

/// The magnitude of a finite float, given by its bits, as a code of
/// `mantissaBits` below a biased exponent, rounded to nearest even; may exceed
/// the format's largest.
inline uint32_t encodeMagnitude(uint32_t u, int mantissaBits, int bias) {
  int shift = 23 - mantissaBits;
  // Below the format's normal numbers: the sum's last place is theirs, so that
  // the addition rounds.
  if (u < uint32_t(128 - bias) << 23) {
    uint32_t magic = uint32_t(127 + 24 - bias - mantissaBits) << 23;
    return bitsOf(floatOf(u) + floatOf(magic)) - magic;
  }
  uint32_t half = (uint32_t(1) << (shift - 1)) - 1 + ((u >> shift) & 1);
  return ((u + half) >> shift) - (uint32_t(127 - bias) << mantissaBits);
}

inline uint8_t floatToF8E5M2(float f) {
  uint32_t u = bitsOf(f) & 0x7fffffff;
  uint8_t sign = uint8_t((bitsOf(f) >> 24) & 0x80);
  if (u > 0x7f800000)
    return sign | 0x7e;
  uint32_t code = u == 0x7f800000 ? 0x7c : encodeMagnitude(u, 2, 15);
  return sign | uint8_t(code < 0x7c ? code : 0x7c);
}

inline uint8_t floatToF8E4M3FN(float f) {
  uint32_t u = bitsOf(f) & 0x7fffffff;
  uint8_t sign = uint8_t((bitsOf(f) >> 24) & 0x80);
  if (u >= 0x7f800000)
    return sign | 0x7f;
  uint32_t code = encodeMagnitude(u, 3, 7);
  return sign | uint8_t(code < 0x7f ? code : 0x7f);
}

} // namespace
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTS_SMALLFLOAT_H
