//===- Values.cpp - Terms whose reductions are exact ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums stay below 256, which bf16 holds exactly; products are powers of two;
// NaNs are among the terms of maxima, where the kinds differ in what they make
// of them. Requires little-endian memory, as the runtime does.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace shardir;
using namespace shardir::test;
using runtime::elementSize;

const std::vector<KindAndType> test::kKinds = {
    {PartialKind::Sum, SHARDIR_F32},     {PartialKind::Sum, SHARDIR_BF16},
    {PartialKind::Sum, SHARDIR_I32},     {PartialKind::Prod, SHARDIR_F32},
    {PartialKind::Prod, SHARDIR_I32},    {PartialKind::Max, SHARDIR_F32},
    {PartialKind::Max, SHARDIR_I32},     {PartialKind::Min, SHARDIR_BF16},
    {PartialKind::Min, SHARDIR_I8},      {PartialKind::MaxNum, SHARDIR_F32},
    {PartialKind::MinNum, SHARDIR_BF16}, {PartialKind::UMax, SHARDIR_I32},
    {PartialKind::UMin, SHARDIR_I16},    {PartialKind::And, SHARDIR_I32},
    {PartialKind::Or, SHARDIR_I64},      {PartialKind::Xor, SHARDIR_I32},
    {PartialKind::And, SHARDIR_I1},      {PartialKind::Or, SHARDIR_I1},
    {PartialKind::Xor, SHARDIR_I1},      {PartialKind::Sum, SHARDIR_F64}};

const std::vector<ElementType> test::kTypes = {
    SHARDIR_F32, SHARDIR_I32, SHARDIR_BF16, SHARDIR_I1, SHARDIR_F64};

static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static unsigned widthOf(ElementType type) {
  return type == SHARDIR_I1 ? 1 : static_cast<unsigned>(8 * elementSize(type));
}

static uint64_t maskOf(ElementType type) {
  return ~uint64_t{0} >> (64 - widthOf(type));
}

/// To the range of a signed integer of the type's width; i1 stays 0 or 1.
static int64_t wrap(ElementType type, uint64_t bits) {
  unsigned width = widthOf(type);
  bits &= maskOf(type);
  if (width > 1 && width < 64 && (bits >> (width - 1)))
    bits |= ~maskOf(type);
  return static_cast<int64_t>(bits);
}

Number test::valueOf(std::optional<PartialKind> kind, ElementType type,
                     int64_t index, int64_t term) {
  uint64_t h = mix(mix(static_cast<uint64_t>(index)) +
                   static_cast<uint64_t>(term) * 0x51ed2701);
  auto small = static_cast<int64_t>(h % 1024);
  if (type == SHARDIR_I1)
    return {Number::Integer, static_cast<int64_t>(h >> 40 & 1)};
  bool isFloat = isFloatType(type);
  auto number = [&](int64_t i) {
    return Number{Number::Integer,
                  isFloat ? i : wrap(type, static_cast<uint64_t>(i))};
  };
  if (!kind)
    return elementSize(type) >= 4 ? number(index * 3 + 1)
                                  : number(small % 401 - 200);
  switch (*kind) {
  case PartialKind::Sum:
    return number(small % 15 - 7);
  case PartialKind::Prod:
    return number((h >> 30 & 1 ? 1 : -1) * (small % 6 == 0 ? 2 : 1));
  case PartialKind::Max:
  case PartialKind::Min:
    if (isFloat && small % 37 == 0)
      return {Number::NaN, 0};
    return number(small % 201 - 100);
  case PartialKind::MaxNum:
  case PartialKind::MinNum:
    if (small % 4 == 0)
      return {Number::NaN, 0};
    return number(small % 201 - 100);
  case PartialKind::And: // few zeros, else all is zero
    return number(static_cast<int64_t>(h | mix(h) | mix(h + 1)));
  case PartialKind::Or:
    return number(static_cast<int64_t>(h & mix(h) & mix(h + 1)));
  case PartialKind::UMax:
  case PartialKind::UMin:
  case PartialKind::Xor:
    return number(static_cast<int64_t>(h));
  }
  return {};
}

static Number combineFloats(PartialKind kind, Number a, Number b) {
  bool numbers = kind == PartialKind::MaxNum || kind == PartialKind::MinNum;
  if (a.what == Number::NaN || b.what == Number::NaN) {
    if (!numbers)
      return {Number::NaN, 0};
    return a.what == Number::NaN ? b : a;
  }
  auto rank = [](Number n) {
    return n.what == Number::PlusInfinity    ? INT64_MAX
           : n.what == Number::MinusInfinity ? INT64_MIN
                                             : n.integer;
  };
  switch (kind) {
  case PartialKind::Sum:
    return {Number::Integer, a.integer + b.integer};
  case PartialKind::Prod:
    return {Number::Integer, a.integer * b.integer};
  case PartialKind::Max:
  case PartialKind::MaxNum:
    return rank(a) >= rank(b) ? a : b;
  default:
    return rank(a) <= rank(b) ? a : b;
  }
}

Number test::combine(PartialKind kind, ElementType type, Number a, Number b) {
  if (isFloatType(type))
    return combineFloats(kind, a, b);
  auto x = static_cast<uint64_t>(a.integer);
  auto y = static_cast<uint64_t>(b.integer);
  uint64_t ux = x & maskOf(type), uy = y & maskOf(type);
  // The signed range of i1 is [-1, 0].
  bool less = type == SHARDIR_I1 ? x > y : a.integer < b.integer;
  auto result = [&](uint64_t bits) {
    return Number{Number::Integer, wrap(type, bits)};
  };
  switch (kind) {
  case PartialKind::Sum:
    return result(x + y);
  case PartialKind::Prod:
    return result(x * y);
  case PartialKind::Max:
    return result(less ? y : x);
  case PartialKind::Min:
    return result(less ? x : y);
  case PartialKind::UMax:
    return result(std::max(ux, uy));
  case PartialKind::UMin:
    return result(std::min(ux, uy));
  case PartialKind::And:
    return result(x & y);
  case PartialKind::Or:
    return result(x | y);
  case PartialKind::Xor:
    return result(x ^ y);
  case PartialKind::MaxNum:
  case PartialKind::MinNum:
    break;
  }
  return {Number::NaN, 0};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static float narrowToFloat(ElementType type, uint16_t bits) {
  // bf16: 8 exponent and 7 mantissa bits; f16: 5 and 10.
  int mantissa = type == SHARDIR_BF16 ? 7 : 10;
  int bias = type == SHARDIR_BF16 ? 127 : 15;
  int exponent = (bits & 0x7fff) >> mantissa;
  int fraction = bits & ((1 << mantissa) - 1);
  float sign = bits & 0x8000 ? -1.0F : 1.0F;
  if (exponent == 2 * bias + 1)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), 1 - bias - mantissa);
  return sign * std::ldexp(static_cast<float>(fraction | (1 << mantissa)),
                           exponent - bias - mantissa);
}

/// Exact for the numbers here: no rounding.
static uint16_t floatToNarrow(ElementType type, float value) {
  int mantissa = type == SHARDIR_BF16 ? 7 : 10;
  int bias = type == SHARDIR_BF16 ? 127 : 15;
  auto top = static_cast<uint16_t>((2 * bias + 1) << mantissa);
  auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value))
    return static_cast<uint16_t>(top | 1 << (mantissa - 1));
  if (std::isinf(value))
    return sign | top;
  if (value == 0)
    return sign;
  int exponent;
  float fraction = std::frexp(std::fabs(value), &exponent); // in [0.5, 1)
  int bits = static_cast<int>(std::ldexp(fraction, mantissa + 1));
  return static_cast<uint16_t>(sign | (exponent - 1 + bias) << mantissa |
                               (bits & ((1 << mantissa) - 1)));
}

void test::store(ElementType type, Number value, void *data, size_t index) {
  char *to = static_cast<char *>(data) + index * elementSize(type);
  if (!isFloatType(type)) {
    std::memcpy(to, &value.integer, elementSize(type));
    return;
  }
  double d = value.what == Number::NaN             ? NAN
             : value.what == Number::PlusInfinity  ? INFINITY
             : value.what == Number::MinusInfinity ? -INFINITY
                                                   : double(value.integer);
  auto f = static_cast<float>(d);
  if (type == SHARDIR_F64)
    std::memcpy(to, &d, sizeof(d));
  else if (type == SHARDIR_F32)
    std::memcpy(to, &f, sizeof(f));
  else {
    uint16_t bits = floatToNarrow(type, f);
    std::memcpy(to, &bits, sizeof(bits));
  }
}

Number test::load(ElementType type, const void *data, size_t index) {
  const char *from =
      static_cast<const char *>(data) + index * elementSize(type);
  if (!isFloatType(type)) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, elementSize(type));
    // A byte that is neither 0 nor 1 is no i1: it must not pass for one.
    if (type == SHARDIR_I1)
      return {Number::Integer, static_cast<int64_t>(bits)};
    return {Number::Integer, wrap(type, bits)};
  }
  double d;
  float f;
  if (type == SHARDIR_F64) {
    std::memcpy(&d, from, sizeof(d));
  } else if (type == SHARDIR_F32) {
    std::memcpy(&f, from, sizeof(f));
    d = f;
  } else {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    d = narrowToFloat(type, bits);
  }
  if (std::isnan(d))
    return {Number::NaN, 0};
  if (std::isinf(d))
    return {d > 0 ? Number::PlusInfinity : Number::MinusInfinity, 0};
  // Nothing here has a fraction or is that large: it shows as wrong.
  if (d != std::trunc(d) || std::fabs(d) > 1e15)
    return {Number::Integer, INT64_MIN};
  return {Number::Integer, static_cast<int64_t>(d)};
}

std::string test::toString(Number value) {
  switch (value.what) {
  case Number::NaN:
    return "nan";
  case Number::PlusInfinity:
    return "inf";
  case Number::MinusInfinity:
    return "-inf";
  case Number::Integer:
    break;
  }
  return value.integer == INT64_MIN ? "garbage" : std::to_string(value.integer);
}

bool test::hasKind(PartialKind kind, ElementType type) {
  switch (kind) {
  case PartialKind::Sum:
  case PartialKind::Prod:
  case PartialKind::Max:
  case PartialKind::Min:
    return type != SHARDIR_I1;
  case PartialKind::MaxNum:
  case PartialKind::MinNum:
    return isFloatType(type);
  default:
    return !isFloatType(type);
  }
}
