//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of floats (PTX ISA, sections 9.7.3 to 9.7.5). Results are rounded
// once, in the mode that the instruction names; NaN results are PTX' own,
// 0x7fffffff. What PTX calls approximate is computed as exactly as the host
// does: a kernel may not rely on its error.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "Families.h"
#include "Lanes.h"

#include <cfenv>
#include <cmath>

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;
namespace runtime = shardir::runtime;

namespace {
float canonical(float value) { return value == value ? value : fromBits(kNaN); }
double canonical(double value) { return value; }

template <bool ftz> float flush(float value) {
  if constexpr (ftz) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits & 0x7f800000u ? value : fromBits(bits & 0x80000000u);
  }
  return value;
}
template <bool ftz> double flush(double value) { return value; }

/// f(a, b, c) in a rounding mode of <cfenv>.
template <int mode, class T, class F> T rounded(F f, T a, T b = 0, T c = 0) {
  if constexpr (mode == FE_TONEAREST)
    return f(a, b, c);
  // Neither moves across a call.
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

enum class Op {
  Add,
  Sub,
  Mul,
  Div,
  Fma,
  Min,
  Max,
  MinNaN,
  MaxNaN,
  CopySign,
  Abs,
  Neg,
  Sqrt,
  Rsqrt,
  Rcp,
  Exp2,
  Log2,
  Sin,
  Cos,
  Tanh
};

template <class T> T least(T a, T b) {
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T> T greatest(T a, T b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <Op op, class T> T exactly(T a, T b, T c) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Div:
    return a / b;
  case Op::Fma:
    return std::fma(a, b, c);
  case Op::Min:
    return a != a ? b : b != b ? a : least(a, b);
  case Op::Max:
    return a != a ? b : b != b ? a : greatest(a, b);
  case Op::MinNaN:
    return a != a ? a : b != b ? b : least(a, b);
  case Op::MaxNaN:
    return a != a ? a : b != b ? b : greatest(a, b);
  case Op::CopySign: // the sign of a, the value of b
    return std::copysign(b, a);
  case Op::Abs:
    return std::fabs(a);
  case Op::Neg:
    return -a;
  case Op::Sqrt:
    return std::sqrt(a);
  case Op::Rsqrt:
    return T(1 / std::sqrt(double(a)));
  case Op::Rcp:
    return 1 / a;
  case Op::Exp2:
    return T(std::exp2(double(a)));
  case Op::Log2:
    return T(std::log2(double(a)));
  case Op::Sin:
    return T(std::sin(double(a)));
  case Op::Cos:
    return T(std::cos(double(a)));
  case Op::Tanh:
    return T(std::tanh(double(a)));
  }
}

/// Ops that only move bits leave a NaN as it is.
constexpr bool keepsBits(Op op) {
  return op == Op::CopySign || op == Op::Abs || op == Op::Neg;
}

template <Op op, class T, int mode, bool ftz, bool sat> T apply(T a, T b, T c) {
  T result = rounded<mode>(exactly<op, T>, flush<ftz>(a), flush<ftz>(b),
                           flush<ftz>(c));
  result = flush<ftz>(result);
  if constexpr (sat)
    result = result > T(0) ? (result > T(1) ? T(1) : result) : T(0);
  return keepsBits(op) ? result : canonical(result);
}
template <Op op, class T, int mode, bool ftz, bool sat> T apply1(T a) {
  return apply<op, T, mode, ftz, sat>(a, T(0), T(0));
}
template <Op op, class T, int mode, bool ftz, bool sat> T apply2(T a, T b) {
  return apply<op, T, mode, ftz, sat>(a, b, T(0));
}

template <Op op, class T, int mode, bool ftz, bool sat>
Inst::Run runOf(size_t inputs) {
  if (inputs == 1)
    return run1<T, T, apply1<op, T, mode, ftz, sat>>;
  if (inputs == 2)
    return run2<T, T, T, apply2<op, T, mode, ftz, sat>>;
  return run3<T, T, T, T, apply<op, T, mode, ftz, sat>>;
}

#if defined(__x86_64__)
/// fma.rn.f32, and add and mul, where the processor has the instruction.
__attribute__((target("avx2,fma"))) void fastFma(Warp &w, const Inst &i,
                                                 uint32_t mask) {
  auto *d = w.cells<uint32_t>(i.s[0]);
  auto *a = w.cells<uint32_t>(i.s[1]), *b = w.cells<uint32_t>(i.s[2]),
       *c = w.cells<uint32_t>(i.s[3]);
  if (mask == kAllLanes) {
    for (int l = 0; l < kLanes; ++l) {
      float r = __builtin_fmaf(fromBits(a[l]), fromBits(b[l]), fromBits(c[l]));
      d[l] = r == r ? runtime::bitsOf(r) : kNaN;
    }
  } else {
    for (uint32_t m = mask; m; m &= m - 1) {
      int l = lowest(m);
      float r = __builtin_fmaf(fromBits(a[l]), fromBits(b[l]), fromBits(c[l]));
      d[l] = r == r ? runtime::bitsOf(r) : kNaN;
    }
  }
  w.setKnown(i.s[0], mask, w.known(i.s[1]) & w.known(i.s[2]) & w.known(i.s[3]));
}
#endif

template <Op op, class T, bool ftz>
Inst::Run byMode(Decoder &d, const std::string &mode, bool sat, size_t inputs) {
  if (sat) {
    if (!mode.empty() && mode != "rn")
      d.fail(".sat in another rounding mode");
    return runOf<op, T, FE_TONEAREST, ftz, true>(inputs);
  }
  if (mode == "rz")
    return runOf<op, T, FE_TOWARDZERO, ftz, false>(inputs);
  if (mode == "rm")
    return runOf<op, T, FE_DOWNWARD, ftz, false>(inputs);
  if (mode == "rp")
    return runOf<op, T, FE_UPWARD, ftz, false>(inputs);
  return runOf<op, T, FE_TONEAREST, ftz, false>(inputs);
}

/// Ops that round as they are told.
template <Op op>
void decodeRounded(Decoder &d, Inst &i, Type type, size_t inputs,
                   bool approximate = false) {
  std::string mode = d.takeRounding();
  bool approx = approximate && (d.take("approx") || d.take("full"));
  bool ftz = d.take("ftz"), sat = d.take("sat");
  if (mode.empty() && !approx &&
      (op == Op::Fma || op == Op::Div || op == Op::Sqrt || op == Op::Rcp))
    d.fail("neither a rounding mode nor .approx");
  operandsOf(d, i, type, inputs + 1);
  if (type == Type::F64) {
    if (ftz)
      d.fail(".ftz of 64 bits");
    i.run = byMode<op, double, false>(d, mode, sat, inputs);
  } else if (ftz) {
    i.run = byMode<op, float, true>(d, mode, sat, inputs);
  } else {
    i.run = byMode<op, float, false>(d, mode, sat, inputs);
#if defined(__x86_64__)
    if (op == Op::Fma && mode == "rn" && !sat &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
      i.run = fastFma;
#endif
  }
}

template <Op op> void decodeSelecting(Decoder &d, Inst &i, Type type) {
  bool ftz = d.take("ftz");
  size_t inputs = op == Op::Abs || op == Op::Neg ? 1 : 2;
  operandsOf(d, i, type, inputs + 1);
  if (type == Type::F64)
    i.run = runOf<op, double, FE_TONEAREST, false, false>(inputs);
  else
    i.run = ftz ? runOf<op, float, FE_TONEAREST, true, false>(inputs)
                : runOf<op, float, FE_TONEAREST, false, false>(inputs);
}

//===----------------------------------------------------------------------===//
// 16 bits
//===----------------------------------------------------------------------===//

template <bool bf> double widen(uint16_t bits) {
  return bf ? double(fromBits(uint32_t(bits) << 16)) : double(fromHalf(bits));
}
template <bool bf> uint16_t narrow(double value) {
  if (value != value)
    return 0x7fff;
  return bf ? toBfloat(value) : toHalf(value);
}
template <Op op, bool bf> uint16_t half(uint16_t a, uint16_t b, uint16_t c) {
  if constexpr (op == Op::Neg)
    return a ^ 0x8000;
  if constexpr (op == Op::Abs)
    return a & 0x7fff;
  // Sums of two, and products, are exact in f64.
  return narrow<bf>(
      exactly<op, double>(widen<bf>(a), widen<bf>(b), widen<bf>(c)));
}
/// One element, or two that share 32 bits.
template <Op op, bool bf, bool two>
void runHalf(Warp &w, const Inst &i, uint32_t mask) {
  constexpr int inputs = op == Op::Fma                    ? 3
                         : op == Op::Neg || op == Op::Abs ? 1
                                                          : 2;
  auto *d = w.cells<uint32_t>(i.s[0]), *a = w.cells<uint32_t>(i.s[1]);
  auto *b = inputs > 1 ? w.cells<uint32_t>(i.s[2]) : a;
  auto *c = inputs > 2 ? w.cells<uint32_t>(i.s[3]) : a;
  forLanes(mask, [=](int l) {
    auto one = [&](int shift) {
      return uint32_t(half<op, bf>(uint16_t(a[l] >> shift),
                                   uint16_t(b[l] >> shift),
                                   uint16_t(c[l] >> shift)));
    };
    d[l] = two ? one(16) << 16 | one(0) : one(0);
  });
  uint32_t known = kAllLanes;
  for (int n = 1; n <= inputs; ++n)
    known &= w.known(i.s[n]);
  w.setKnown(i.s[0], mask, known);
}
template <Op op> void decodeHalf(Decoder &d, Inst &i, Type type) {
  std::string mode = d.takeRounding();
  if (!mode.empty() && mode != "rn")
    d.fail("a rounding mode that 16 bits lack");
  constexpr size_t inputs = op == Op::Fma                    ? 3
                            : op == Op::Neg || op == Op::Abs ? 1
                                                             : 2;
  operandsOf(d, i, type, inputs + 1);
  bool bf = type == Type::BF16 || type == Type::BF16x2;
  bool two = type == Type::F16x2 || type == Type::BF16x2;
  i.run = bf ? (two ? runHalf<op, true, true> : runHalf<op, true, false>)
             : (two ? runHalf<op, false, true> : runHalf<op, false, false>);
}

//===----------------------------------------------------------------------===//
// Pairs, and sums of two types
//===----------------------------------------------------------------------===//

/// Two elements that share 64 bits.
template <Op op, int mode, bool ftz>
uint64_t pair(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result = 0;
  for (int shift : {0, 32}) {
    float r = apply<op, float, mode, ftz, false>(
        fromBits(uint32_t(a >> shift)), fromBits(uint32_t(b >> shift)),
        fromBits(uint32_t(c >> shift)));
    result |= uint64_t(runtime::bitsOf(r)) << shift;
  }
  return result;
}
template <Op op, int mode, bool ftz> uint64_t pair2(uint64_t a, uint64_t b) {
  return pair<op, mode, ftz>(a, b, 0);
}
template <Op op, int mode> Inst::Run pairOf(bool ftz) {
  using U = uint64_t;
  if constexpr (op == Op::Fma)
    return ftz ? run3<U, U, U, U, pair<op, mode, true>>
               : run3<U, U, U, U, pair<op, mode, false>>;
  else
    return ftz ? run2<U, U, U, pair2<op, mode, true>>
               : run2<U, U, U, pair2<op, mode, false>>;
}
template <Op op> void decodePair(Decoder &d, Inst &i) {
  std::string mode = d.takeRounding();
  bool ftz = d.take("ftz");
  operandsOf(d, i, Type::F32x2, op == Op::Fma ? 4 : 3);
  i.run = mode == "rz"   ? pairOf<op, FE_TOWARDZERO>(ftz)
          : mode == "rm" ? pairOf<op, FE_DOWNWARD>(ftz)
          : mode == "rp" ? pairOf<op, FE_UPWARD>(ftz)
                         : pairOf<op, FE_TONEAREST>(ftz);
}

/// d = a + c, a - c, or a b + c, where a and b have 16 bits, c and d 32.
template <Op op, bool bf> float mixed(uint16_t a, uint16_t b, float c) {
  auto left = float(widen<bf>(a)), right = float(widen<bf>(b));
  if constexpr (op == Op::Fma)
    return canonical(std::fma(left, right, c));
  return canonical(op == Op::Add ? left + c : left - c);
}
template <Op op, bool bf> float mixed2(uint16_t a, float c) {
  return mixed<op, bf>(a, 0, c);
}
template <Op op> void decodeMixed(Decoder &d, Inst &i, Type narrow) {
  std::string mode = d.takeRounding();
  if (!mode.empty() && mode != "rn")
    d.fail("a rounding mode that is not emulated here");
  constexpr size_t count = op == Op::Fma ? 4 : 3;
  d.wantOperands(count, count);
  i.s[0] = d.out(0, Type::F32);
  for (size_t n = 1; n + 1 < count; ++n)
    i.s[n] = d.in(n, narrow);
  i.s[count - 1] = d.in(count - 1, Type::F32);
  bool bf = narrow == Type::BF16;
  using H = uint16_t;
  if constexpr (op == Op::Fma)
    i.run = bf ? run3<float, H, H, float, mixed<op, true>>
               : run3<float, H, H, float, mixed<op, false>>;
  else
    i.run = bf ? run2<float, H, float, mixed2<op, true>>
               : run2<float, H, float, mixed2<op, false>>;
}

/// By the types that the instruction names behind its first one, if any.
template <Op op> void decodeSum(Decoder &d, Inst &i, Type type) {
  constexpr size_t inputs = op == Op::Fma ? 3 : 2;
  if (type == Type::F32x2)
    return decodePair<op>(d, i);
  if (type == Type::F32 && op != Op::Mul)
    for (auto [word, narrow] :
         {std::pair{"f16", Type::F16}, std::pair{"bf16", Type::BF16}})
      if (d.take(word))
        return decodeMixed<op>(d, i, narrow);
  if (type == Type::F32 || type == Type::F64)
    return decodeRounded<op>(d, i, type, inputs);
  decodeHalf<op>(d, i, type);
}

//===----------------------------------------------------------------------===//
// Opcodes
//===----------------------------------------------------------------------===//

template <Op op> void decodeFunction(Decoder &d, Inst &i) {
  Type type = d.takeType();
  if (type != Type::F32 && type != Type::F64)
    d.fail("a type that is not emulated here");
  decodeRounded<op>(d, i, type, 1, /*approximate=*/true);
}

void decodeFma(Decoder &d, Inst &i) { decodeSum<Op::Fma>(d, i, d.takeType()); }

void decodeCopySign(Decoder &d, Inst &i) {
  decodeSelecting<Op::CopySign>(d, i, d.takeType());
}

void decodeShared(Decoder &d, Inst &i) {
  Type type = d.takeType();
  if (isFloat(type))
    decodeFloat(d, i, type);
  else
    decodeInteger(d, i, type);
}
} // namespace

void shardir::emulated::ptx::decodeFloat(Decoder &d, Inst &i, Type type) {
  const std::string &op = d.statement().opcode;
  bool full = type == Type::F32 || type == Type::F64;
  if (op == "add")
    return decodeSum<Op::Add>(d, i, type);
  if (op == "sub")
    return decodeSum<Op::Sub>(d, i, type);
  if (op == "mul")
    return decodeSum<Op::Mul>(d, i, type);
  if (op == "div" && full)
    return decodeRounded<Op::Div>(d, i, type, 2, /*approximate=*/true);
  if (op == "mad" && full)
    return decodeRounded<Op::Fma>(d, i, type, 3);
  if (op == "abs")
    return full ? decodeSelecting<Op::Abs>(d, i, type)
                : decodeHalf<Op::Abs>(d, i, type);
  if (op == "neg")
    return full ? decodeSelecting<Op::Neg>(d, i, type)
                : decodeHalf<Op::Neg>(d, i, type);
  bool nan = (op == "min" || op == "max") && d.take("NaN");
  if (op == "min" && full)
    return nan ? decodeSelecting<Op::MinNaN>(d, i, type)
               : decodeSelecting<Op::Min>(d, i, type);
  if (op == "max" && full)
    return nan ? decodeSelecting<Op::MaxNaN>(d, i, type)
               : decodeSelecting<Op::Max>(d, i, type);
  if (op == "min")
    return nan ? decodeHalf<Op::MinNaN>(d, i, type)
               : decodeHalf<Op::Min>(d, i, type);
  if (op == "max")
    return nan ? decodeHalf<Op::MaxNaN>(d, i, type)
               : decodeHalf<Op::Max>(d, i, type);
  d.fail("an instruction that is not emulated for this type");
}

/// To f32 such that a second rounding, to fewer bits, is as if it were the
/// first: what is not exact ends in a 1.
static float toOdd(double value) {
  auto near = float(value);
  if (double(near) == value || value != value)
    return near;
  uint32_t bits = runtime::bitsOf(near);
  // Towards zero, then odd.
  if (std::fabs(double(near)) > std::fabs(value))
    --bits;
  return fromBits(bits | 1);
}

uint16_t shardir::emulated::ptx::toHalf(double value) {
  return runtime::floatToF16(toOdd(value));
}

uint16_t shardir::emulated::ptx::toBfloat(double value) {
  return runtime::floatToBf16(toOdd(value));
}

void shardir::emulated::ptx::addFloats(Table &table) {
  for (const char *op :
       {"add", "sub", "mul", "mad", "div", "min", "max", "abs", "neg"})
    table[op] = decodeShared;
  table["fma"] = decodeFma;
  table["copysign"] = decodeCopySign;
  table["sqrt"] = decodeFunction<Op::Sqrt>;
  table["rsqrt"] = decodeFunction<Op::Rsqrt>;
  table["rcp"] = decodeFunction<Op::Rcp>;
  table["ex2"] = decodeFunction<Op::Exp2>;
  table["lg2"] = decodeFunction<Op::Log2>;
  table["sin"] = decodeFunction<Op::Sin>;
  table["cos"] = decodeFunction<Op::Cos>;
  table["tanh"] = decodeFunction<Op::Tanh>;
}
