//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions (PTX ISA, section 9.7.9.21). Floats become integers clamped, NaN
// becomes 0; other narrowing follows the modifier, and what it does not say is
// an error.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "Families.h"
#include "Lanes.h"

#include <cmath>
#include <limits>

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;
namespace runtime = shardir::runtime;

namespace {
double read(Type type, uint64_t bits) {
  switch (type) {
  case Type::F16:
    return fromHalf(uint16_t(bits));
  case Type::BF16:
    return fromBits(uint32_t(uint16_t(bits)) << 16);
  case Type::F32:
    return fromBits(uint32_t(bits));
  default: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  }
}
bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64;
}
double toInteger(double value, char mode) {
  switch (mode) {
  case 'n':
    return std::nearbyint(value);
  case 'z':
    return std::trunc(value);
  case 'm':
    return std::floor(value);
  default:
    return std::ceil(value);
  }
}
uint64_t clampFloat(double value, Type type) {
  int bits = 8 * sizeOf(type);
  if (value != value)
    return 0;
  if (isSigned(type)) {
    double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit)
      return (uint64_t(1) << (bits - 1)) - 1;
    return uint64_t(value < -limit
                        ? std::numeric_limits<int64_t>::min() >> (64 - bits)
                        : int64_t(value));
  }
  if (value >= std::ldexp(1.0, bits))
    return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return value < 0 ? 0 : uint64_t(value);
}
float roundToFloat(double value, char mode) {
  auto near = float(value);
  if (mode == 'n' || value != value || double(near) == value)
    return near;
  bool up = mode == 'p' || (mode == 'z' && value < 0);
  if (up)
    return double(near) > value ? near : std::nextafter(near, HUGE_VALF);
  return double(near) < value ? near : std::nextafter(near, -HUGE_VALF);
}
/// From an integer that f64 may not hold.
float integerToFloat(uint64_t bits, bool isNegative, char mode) {
  auto magnitude = isNegative ? uint64_t(0) - bits : bits;
  if (mode == 'n')
    return isNegative ? -float(magnitude) : float(magnitude);
  auto wide = (long double)(magnitude);
  long double value = isNegative ? -wide : wide;
  auto near = float(value);
  if ((long double)(near) == value)
    return near;
  bool up = mode == 'p' || (mode == 'z' && isNegative);
  if (up)
    return (long double)(near) > value ? near : std::nextafter(near, HUGE_VALF);
  return (long double)(near) < value ? near : std::nextafter(near, -HUGE_VALF);
}
uint64_t write(Type type, double value, char mode) {
  switch (type) {
  case Type::F16:
    return value != value ? 0x7fff : toHalf(value);
  case Type::BF16:
    return value != value ? 0x7fff : toBfloat(value);
  case Type::F32:
    return value != value ? kNaN : runtime::bitsOf(roundToFloat(value, mode));
  default: {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  }
}

/// A conversion, packed into one word of the instruction.
struct Conversion {
  Type to, from;
  char mode;               ///< n, z, m, p; 0: none
  bool integral, sat, ftz; ///< .rni and so on; .sat; .ftz
  uint8_t cell;            ///< bytes of the result's register
};
static_assert(sizeof(Conversion) <= 8, "lies in Inst::imm");

uint64_t convert(const Conversion &c, uint64_t bits) {
  int fromBytes = sizeOf(c.from), toBytes = sizeOf(c.to);
  bits &= fromBytes == 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * fromBytes)) - 1;
  uint64_t result;
  if (isFloat(c.from)) {
    double value = read(c.from, bits);
    if (c.ftz && c.from == Type::F32 && std::fabs(value) < 0x1p-126)
      value = std::copysign(0.0, value);
    if (isFloat(c.to)) {
      if (c.integral && c.mode)
        value = toInteger(value, c.mode);
      if (c.sat)
        value = value > 0 ? std::min(value, 1.0) : 0.0;
      result = write(c.to, value, c.integral ? 'n' : c.mode ? c.mode : 'n');
      if (c.ftz && c.to == Type::F32 && !(result & 0x7f800000u))
        result &= 0x80000000u;
      return result;
    }
    result = clampFloat(toInteger(value, c.mode), c.to);
  } else {
    auto value = int64_t(bits);
    if (isSigned(c.from))
      value = int64_t(bits << (64 - 8 * fromBytes)) >> (64 - 8 * fromBytes);
    if (isFloat(c.to)) {
      bool negative = isSigned(c.from) && value < 0;
      if (c.to == Type::F64)
        return write(Type::F64,
                     negative ? double(value) : double(uint64_t(value)), 'n');
      if (c.to == Type::F32)
        return runtime::bitsOf(
            integerToFloat(uint64_t(value), negative, c.mode));
      return write(c.to, negative ? double(value) : double(uint64_t(value)),
                   'n');
    }
    if (c.sat) {
      int width = 8 * toBytes;
      bool fromSigned = isSigned(c.from);
      if (isSigned(c.to)) {
        int64_t most = std::numeric_limits<int64_t>::max() >> (64 - width);
        if (!fromSigned && uint64_t(value) > uint64_t(most))
          value = most;
        else if (fromSigned)
          value = std::max(std::min(value, most), -most - 1);
      } else {
        uint64_t most = ~uint64_t(0) >> (64 - width);
        value = fromSigned && value < 0  ? 0
                : uint64_t(value) > most ? int64_t(most)
                                         : value;
      }
    }
    result = uint64_t(value);
  }
  // A wider register gets the value extended as its type says.
  if (toBytes < 8) {
    result &= (uint64_t(1) << (8 * toBytes)) - 1;
    if (isSigned(c.to))
      result =
          uint64_t(int64_t(result << (64 - 8 * toBytes)) >> (64 - 8 * toBytes));
  }
  return c.cell == 8 ? result : result & ((uint64_t(1) << (8 * c.cell)) - 1);
}

void runConvert(Warp &w, const Inst &i, uint32_t mask) {
  Conversion c;
  std::memcpy(&c, &i.imm, sizeof(c));
  forLanes(mask,
           [&](int l) { w.set(i.s[0], l, convert(c, w.wide(i.s[1], l))); });
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}
/// Those that address arithmetic is made of.
void zeroExtend(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<uint64_t>(i.s[0]);
  auto *a = w.cells<uint32_t>(i.s[1]);
  forLanes(mask, [=](int l) { d[l] = a[l]; });
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}
void truncate(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<uint32_t>(i.s[0]);
  auto *a = w.cells<uint64_t>(i.s[1]);
  forLanes(mask, [=](int l) { d[l] = uint32_t(a[l]); });
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}

/// Two results in 32 (or 16) bits: the first operand is the upper one.
template <class F> void pairs(Warp &w, const Inst &i, uint32_t mask, F f) {
  auto *d = w.cells<uint32_t>(i.s[0]);
  auto *a = w.cells<uint32_t>(i.s[1]), *b = w.cells<uint32_t>(i.s[2]);
  forLanes(mask, [=](int l) {
    float high = fromBits(a[l]), low = fromBits(b[l]);
    if (i.variant) { // .relu
      high = high < 0 ? 0 : high;
      low = low < 0 ? 0 : low;
    }
    d[l] = f(high, low);
  });
  w.setKnown(i.s[0], mask, w.known(i.s[1]) & w.known(i.s[2]));
}
void pairBfloat(Warp &w, const Inst &i, uint32_t mask) {
  pairs(w, i, mask, [](float a, float b) {
    return uint32_t(write(Type::BF16, a, 'n') << 16 |
                    write(Type::BF16, b, 'n'));
  });
}
void pairHalf(Warp &w, const Inst &i, uint32_t mask) {
  pairs(w, i, mask, [](float a, float b) {
    return uint32_t(write(Type::F16, a, 'n') << 16 | write(Type::F16, b, 'n'));
  });
}
/// Finite: what is too large becomes the largest.
template <bool e5m2> uint32_t narrowFinite(float value) {
  float most = e5m2 ? 57344.0f : 448.0f;
  if (value == value)
    value = std::max(-most, std::min(most, value));
  else
    return 0x7f;
  return e5m2 ? runtime::floatToF8E5M2(value) : runtime::floatToF8E4M3FN(value);
}
template <bool e5m2> void pairBytes(Warp &w, const Inst &i, uint32_t mask) {
  pairs(w, i, mask, [](float a, float b) {
    return narrowFinite<e5m2>(a) << 8 | narrowFinite<e5m2>(b);
  });
}
template <bool e5m2> void widenBytes(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<uint32_t>(i.s[0]), *a = w.cells<uint32_t>(i.s[1]);
  forLanes(mask, [=](int l) {
    auto one = [](uint8_t byte) {
      float value =
          e5m2 ? runtime::f8E5M2ToFloat(byte) : runtime::f8E4M3FNToFloat(byte);
      return uint32_t(write(Type::F16, value, 'n'));
    };
    d[l] = one(uint8_t(a[l] >> 8)) << 16 | one(uint8_t(a[l]));
  });
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}

void decodePair(Decoder &d, Inst &i, Type to) {
  bool finite = d.take("satfinite");
  i.variant = d.take("relu");
  Type from = d.takeType();
  if (from == Type::E4M3x2 || from == Type::E5M2x2) {
    if (to != Type::F16x2 || i.variant)
      d.fail("a conversion that is not emulated");
    operandsOf(d, i, {to, Type::B16});
    i.run = from == Type::E5M2x2 ? widenBytes<true> : widenBytes<false>;
    return;
  }
  bool bytes = to == Type::E4M3x2 || to == Type::E5M2x2;
  if (from != Type::F32 || finite != bytes)
    d.fail("a conversion that is not emulated");
  operandsOf(d, i, {bytes ? Type::B16 : Type::B32, Type::F32, Type::F32});
  i.run = to == Type::BF16x2   ? pairBfloat
          : to == Type::F16x2  ? pairHalf
          : to == Type::E5M2x2 ? pairBytes<true>
                               : pairBytes<false>;
}

/// tf32: f32 with 10 bits of fraction.
template <bool away> uint32_t toTf32(float value) {
  uint32_t bits = runtime::bitsOf(value);
  if (value != value)
    return kNaN;
  return (bits + (away ? 0x1000u : 0xfffu + (bits >> 13 & 1))) & ~0x1fffu;
}

void decodeConvert(Decoder &d, Inst &i) {
  std::string mode = d.takeRounding();
  Type to = d.takeType();
  if (to == Type::F16x2 || to == Type::BF16x2 || to == Type::E4M3x2 ||
      to == Type::E5M2x2)
    return mode == "rn" ? decodePair(d, i, to)
                        : d.fail("a pair that is not rounded to nearest");
  Type from = d.takeType();
  d.wantOperands(2, 2);
  if (to == Type::TF32) {
    bool away = d.take("rna");
    if (from != Type::F32 || away == (mode == "rn"))
      d.fail("a conversion that is not emulated");
    i.s[0] = d.out(0, Type::B32);
    i.s[1] = d.in(1, Type::F32);
    i.run = away ? run1<uint32_t, float, toTf32<true>>
                 : run1<uint32_t, float, toTf32<false>>;
    return;
  }
  Conversion c = {to,
                  from,
                  mode.empty() ? char(0) : mode[1],
                  false,
                  d.take("sat"),
                  d.take("ftz"),
                  uint8_t(d.registerBytes(d.operand(0)))};
  c.integral = mode.size() == 3;
  bool floatToFloat = isFloat(to) && isFloat(from);
  bool narrows = floatToFloat && sizeOf(to) < sizeOf(from);
  bool needsMode = narrows || isFloat(to) != isFloat(from);
  bool wantsIntegral = isFloat(from) && !isFloat(to);
  bool sameFloat = floatToFloat && to == from;
  if (needsMode == mode.empty() && !(sameFloat && (mode.empty() || c.integral)))
    d.fail("a conversion whose rounding mode is missing, or one too many");
  if (!mode.empty() && !sameFloat && c.integral != wantsIntegral)
    d.fail("a rounding mode that the conversion lacks");
  if (c.mode && c.mode != 'n' && !c.integral && to != Type::F32)
    d.fail("a rounding mode that is not emulated here");
  if (c.sat && isFloat(from) && !isFloat(to))
    c.sat = false; // it is clamped anyway
  i.s[0] = d.out(d.operand(0), to, /*anyWidth=*/true);
  i.s[1] = d.in(d.operand(1), from, /*anyWidth=*/true);
  std::memcpy(&i.imm, &c, sizeof(c));
  i.run = runConvert;
  bool fromWord = !i.s[1].wide && (from == Type::U32 || from == Type::B32);
  if (i.s[0].wide && fromWord && (to == Type::U64 || to == Type::B64))
    i.run = zeroExtend;
  if (!i.s[0].wide && c.cell == 4 && i.s[1].wide && sizeOf(from) == 8 &&
      (to == Type::U32 || to == Type::B32) && !isFloat(from) && !c.sat)
    i.run = truncate;
}
} // namespace

void shardir::emulated::ptx::addConversions(Table &table) {
  table["cvt"] = decodeConvert;
}
