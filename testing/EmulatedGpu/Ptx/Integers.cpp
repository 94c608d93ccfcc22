//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of integers and bits (PTX ISA, sections 9.7.1, 9.7.2 and 9.7.8).
// Divisions by zero give all ones, as GPUs do; shifts beyond the width shift
// everything out.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Lanes.h"

#include <algorithm>

using namespace shardir::emulated::ptx;

namespace {
/// In which sums, differences and products wrap.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Double = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T> T addOf(T a, T b) {
  return T(Wrapping<T>(a) + Wrapping<T>(b));
}
template <class T> T subOf(T a, T b) {
  return T(Wrapping<T>(a) - Wrapping<T>(b));
}
template <class T> T mulOf(T a, T b) {
  return T(Wrapping<T>(a) * Wrapping<T>(b));
}
template <class T> T mulHighOf(T a, T b) {
  return T((Double<T>(a) * Double<T>(b)) >> (8 * sizeof(T)));
}
template <class T> T madOf(T a, T b, T c) { return addOf(mulOf(a, b), c); }
template <class T> T madHighOf(T a, T b, T c) {
  return addOf(mulHighOf(a, b), c);
}
template <class T> T divOf(T a, T b) {
  if (b == 0)
    return T(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return subOf(T(0), a);
  return T(a / b);
}
template <class T> T remOf(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return 0;
  return T(a % b);
}
template <class T> T minOf(T a, T b) { return std::min(a, b); }
template <class T> T maxOf(T a, T b) { return std::max(a, b); }
template <class T> T maxReluOf(T a, T b) {
  return std::max(std::max(a, b), T(0));
}
template <class T> T minReluOf(T a, T b) {
  return std::max(std::min(a, b), T(0));
}
template <class T> T absOf(T a) { return a < 0 ? subOf(T(0), a) : a; }
template <class T> T negOf(T a) { return subOf(T(0), a); }
template <class T> T andOf(T a, T b) { return T(a & b); }
template <class T> T orOf(T a, T b) { return T(a | b); }
template <class T> T xorOf(T a, T b) { return T(a ^ b); }
template <class T> T notOf(T a) { return T(~a); }
template <class T> T shlOf(T a, uint32_t n) {
  return n >= 8 * sizeof(T) ? T(0) : T(Wrapping<T>(a) << n);
}
template <class T> T shrOf(T a, uint32_t n) {
  if (n >= 8 * sizeof(T))
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return T(a >> n);
}
uint32_t funnelLeftWrap(uint32_t a, uint32_t b, uint32_t c) {
  c &= 31;
  return c == 0 ? b : b << c | a >> (32 - c);
}
uint32_t funnelRightWrap(uint32_t a, uint32_t b, uint32_t c) {
  c &= 31;
  return c == 0 ? a : b << (32 - c) | a >> c;
}
uint32_t funnelLeftClamp(uint32_t a, uint32_t b, uint32_t c) {
  return c >= 32 ? a : funnelLeftWrap(a, b, c);
}
uint32_t funnelRightClamp(uint32_t a, uint32_t b, uint32_t c) {
  return c >= 32 ? b : funnelRightWrap(a, b, c);
}
template <class T> T extractOf(T a, uint32_t position, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr int width = 8 * int(sizeof(T));
  int pos = int(position & 0xff), len = int(length & 0xff);
  bool sign = false;
  if (std::is_signed_v<T> && len != 0)
    sign = U(a) >> std::min(pos + len - 1, width - 1) & 1;
  U result = 0;
  for (int i = 0; i < width; ++i) {
    bool bit = i < len && pos + i < width ? bool(U(a) >> (pos + i) & 1) : sign;
    result |= U(bit) << i;
  }
  return T(result);
}
template <class T> T insertOf(T a, T b, uint32_t position, uint32_t length) {
  constexpr int width = 8 * int(sizeof(T));
  int pos = int(position & 0xff), len = int(length & 0xff);
  for (int i = 0; i < len && pos + i < width; ++i)
    b = T((b & ~(T(1) << (pos + i))) | (T(a >> i & 1) << (pos + i)));
  return b;
}
uint32_t permuteOf(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t nibble = selector >> (4 * i) & 15;
    auto byte = uint8_t(bytes >> (8 * (nibble & 7)));
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << (8 * i);
  }
  return result;
}
template <class T> uint32_t popcOf(T a) {
  return uint32_t(__builtin_popcountll(uint64_t(a)));
}
template <class T> uint32_t clzOf(T a) {
  return a == 0
             ? 8 * sizeof(T)
             : uint32_t(__builtin_clzll(uint64_t(a)) - 64 + 8 * int(sizeof(T)));
}
template <class T> T brevOf(T a) {
  T result = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i)
    result = T(result << 1 | (a >> i & 1));
  return result;
}
template <class R, class A, R (*F)(A, A)>
void wide(Warp &w, const Inst &i, uint32_t mask) {
  run2<R, A, A, F>(w, i, mask);
}
template <class T> auto mulWideOf(T a, T b) {
  using R = std::conditional_t<
      sizeof(T) == 2,
      std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
      std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  return R(Double<T>(a) * Double<T>(b));
}

/// Calls f with a value of the C++ type.
template <class F> void byInteger(Decoder &d, Type type, F f) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return f(uint16_t());
  case Type::S16:
    return f(int16_t());
  case Type::U32:
  case Type::B32:
    return f(uint32_t());
  case Type::S32:
    return f(int32_t());
  case Type::U64:
  case Type::B64:
    return f(uint64_t());
  case Type::S64:
    return f(int64_t());
  default:
    d.fail("a type that is not emulated here");
  }
}

//===----------------------------------------------------------------------===//
// Sums that carry
//===----------------------------------------------------------------------===//

/// variant: 1 takes the carry, 2 sets it, 4 the high half of a product, 8 a
/// product at all, 16 subtracts.
template <class T> void runCarry(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<T>(i.s[0]), *a = w.cells<T>(i.s[1]),
       *b = w.cells<T>(i.s[2]);
  bool product = i.variant & 8;
  auto *c = product ? w.cells<T>(i.s[3]) : nullptr;
  uint32_t known = w.known(i.s[1]) & w.known(i.s[2]);
  if (product)
    known &= w.known(i.s[3]);
  forLanes(mask, [&](int l) {
    T left = product ? (i.variant & 4 ? mulHighOf<T>(a[l], b[l])
                                      : mulOf<T>(a[l], b[l]))
                     : a[l];
    T right = product ? c[l] : b[l];
    bool in = (i.variant & 1) && (w.carry >> l & 1);
    Double<T> sum;
    if (i.variant & 16)
      sum = Double<T>(left) - Double<T>(right) - Double<T>(in);
    else
      sum = Double<T>(left) + Double<T>(right) + Double<T>(in);
    d[l] = T(sum);
    if (i.variant & 2) {
      bool out = (sum >> (8 * sizeof(T))) != 0;
      w.carry = (w.carry & ~(1u << l)) | uint32_t(out) << l;
    }
  });
  w.setKnown(i.s[0], mask, known);
}

void decodeCarry(Decoder &d, Inst &i, Type type, int variant) {
  i.variant = uint8_t(variant);
  operandsOf(d, i, type, variant & 8 ? 4 : 3);
  if (sizeOf(type) == 8)
    i.run = runCarry<uint64_t>;
  else if (sizeOf(type) == 4)
    i.run = runCarry<uint32_t>;
  else
    d.fail("a carry of 16 bits");
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <class F> void combine(Warp &w, const Inst &i, uint32_t mask, F f) {
  uint32_t &d = w.predicate(i.s[0]);
  uint32_t value = f(w.predicate(i.s[1]), w.predicate(i.s[2]));
  d = (d & ~mask) | (value & mask);
  w.setKnown(i.s[0], mask, w.known(i.s[1]) & w.known(i.s[2]));
}
void andPredicate(Warp &w, const Inst &i, uint32_t mask) {
  // A conjunction is known where one side is known to be false.
  uint32_t a = w.predicate(i.s[1]), b = w.predicate(i.s[2]);
  uint32_t known = (w.known(i.s[1]) & w.known(i.s[2])) |
                   (w.known(i.s[1]) & ~a) | (w.known(i.s[2]) & ~b);
  uint32_t &d = w.predicate(i.s[0]);
  d = (d & ~mask) | (a & b & mask);
  w.setKnown(i.s[0], mask, known);
}
void orPredicate(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t a = w.predicate(i.s[1]), b = w.predicate(i.s[2]);
  uint32_t known = (w.known(i.s[1]) & w.known(i.s[2])) | (w.known(i.s[1]) & a) |
                   (w.known(i.s[2]) & b);
  uint32_t &d = w.predicate(i.s[0]);
  d = (d & ~mask) | ((a | b) & mask);
  w.setKnown(i.s[0], mask, known);
}
void xorPredicate(Warp &w, const Inst &i, uint32_t mask) {
  combine(w, i, mask, [](uint32_t a, uint32_t b) { return a ^ b; });
}
void notPredicate(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t &d = w.predicate(i.s[0]);
  d = (d & ~mask) | (~w.predicate(i.s[1]) & mask);
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}

enum class Bitwise { And, Or, Xor, Not };
template <Bitwise op> void decodeBits(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, type, op == Bitwise::Not ? 2 : 3);
  if (type == Type::Pred) {
    i.run = op == Bitwise::And   ? andPredicate
            : op == Bitwise::Or  ? orPredicate
            : op == Bitwise::Xor ? xorPredicate
                                 : notPredicate;
    return;
  }
  byInteger(d, type, [&](auto zero) {
    using T = Bits<decltype(zero)>;
    i.run = op == Bitwise::And   ? run2<T, T, T, andOf<T>>
            : op == Bitwise::Or  ? run2<T, T, T, orOf<T>>
            : op == Bitwise::Xor ? run2<T, T, T, xorOf<T>>
                                 : run1<T, T, notOf<T>>;
  });
}

/// Decodes the type of a shift, whose amount is 32 bits wide.
Type takeShift(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, {type, type, Type::U32});
  return type;
}

void decodeShl(Decoder &d, Inst &i) {
  Type type = takeShift(d, i);
  byInteger(d, type, [&](auto zero) {
    using T = Bits<decltype(zero)>;
    i.run = run2<T, T, uint32_t, shlOf<T>>;
  });
}
void decodeShr(Decoder &d, Inst &i) {
  Type type = takeShift(d, i);
  byInteger(d, type, [&](auto zero) {
    using T = decltype(zero);
    i.run = run2<T, T, uint32_t, shrOf<T>>;
  });
}
void decodeFunnel(Decoder &d, Inst &i) {
  bool left = d.takeOneOf({"l", "r"}, "direction") == 0;
  bool wrap = d.takeOneOf({"wrap", "clamp"}, "mode") == 0;
  Type type = d.takeType();
  if (type != Type::B32)
    d.fail("a funnel shift of other than 32 bits");
  operandsOf(d, i, type, 4);
  using U = uint32_t;
  i.run = left ? (wrap ? run3<U, U, U, U, funnelLeftWrap>
                       : run3<U, U, U, U, funnelLeftClamp>)
               : (wrap ? run3<U, U, U, U, funnelRightWrap>
                       : run3<U, U, U, U, funnelRightClamp>);
}
void decodeExtract(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, {type, type, Type::U32, Type::U32});
  byInteger(d, type, [&](auto zero) {
    using T = decltype(zero);
    i.run = run3<T, T, uint32_t, uint32_t, extractOf<T>>;
  });
}
template <class T> void runInsert(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<T>(i.s[0]), *a = w.cells<T>(i.s[1]),
       *b = w.cells<T>(i.s[2]);
  auto *position = w.cells<uint32_t>(i.s[3]),
       *length = w.cells<uint32_t>(i.s[4]);
  forLanes(mask, [&](int l) {
    d[l] = insertOf<T>(a[l], b[l], position[l], length[l]);
  });
  uint32_t known = kAllLanes;
  for (int n = 1; n < 5; ++n)
    known &= w.known(i.s[n]);
  w.setKnown(i.s[0], mask, known);
}
void decodeInsert(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, {type, type, type, Type::U32, Type::U32});
  i.run = sizeOf(type) == 8 ? runInsert<uint64_t> : runInsert<uint32_t>;
}
void decodePermute(Decoder &d, Inst &i) {
  operandsOf(d, i, d.takeType(), 4);
  using U = uint32_t;
  i.run = run3<U, U, U, U, permuteOf>;
}
template <bool leading> void decodeCount(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, {Type::U32, type});
  using U = uint32_t;
  if (sizeOf(type) == 8)
    i.run = leading ? run1<U, uint64_t, clzOf<uint64_t>>
                    : run1<U, uint64_t, popcOf<uint64_t>>;
  else
    i.run = leading ? run1<U, U, clzOf<U>> : run1<U, U, popcOf<U>>;
}
void decodeReverse(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, type, 2);
  i.run = sizeOf(type) == 8 ? run1<uint64_t, uint64_t, brevOf<uint64_t>>
                            : run1<uint32_t, uint32_t, brevOf<uint32_t>>;
}
void decodeRem(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, type, 3);
  byInteger(d, type, [&](auto zero) {
    using T = decltype(zero);
    i.run = run2<T, T, T, remOf<T>>;
  });
}
template <int variant> void decodeCarrying(Decoder &d, Inst &i) {
  int set = d.take("cc") ? 2 : 0;
  decodeCarry(d, i, d.takeType(), variant | set);
}
void decodeMadCarrying(Decoder &d, Inst &i) {
  int high = d.takeOneOf({"lo", "hi"}, "half") ? 4 : 0;
  int set = d.take("cc") ? 2 : 0;
  decodeCarry(d, i, d.takeType(), 1 | 8 | high | set);
}
} // namespace

void shardir::emulated::ptx::decodeInteger(Decoder &d, Inst &i, Type type) {
  const std::string &op = d.statement().opcode;
  bool lo = d.take("lo"), hi = d.take("hi"), widens = d.take("wide");
  if (d.take("cc")) {
    int variant = op == "mad" ? 8 | (hi ? 4 : 0) : op == "sub" ? 16 : 0;
    return decodeCarry(d, i, type, variant | 2);
  }
  if ((op == "mul" || op == "mad") && lo + hi + widens != 1)
    d.fail("a product without .lo, .hi or .wide");
  bool relu = d.take("relu");
  size_t count = op == "mad" ? 4 : op == "abs" || op == "neg" ? 2 : 3;
  if (widens) {
    Type result = type == Type::U16   ? Type::U32
                  : type == Type::S16 ? Type::S32
                  : type == Type::U32 ? Type::U64
                                      : Type::S64;
    d.wantOperands(count, count);
    i.s[0] = d.out(0, result);
    i.s[1] = d.in(1, type);
    i.s[2] = d.in(2, type);
    if (count == 4)
      i.s[3] = d.in(3, result);
  } else {
    operandsOf(d, i, type, count);
  }
  byInteger(d, type, [&](auto zero) {
    using T = decltype(zero);
    if (op == "add")
      i.run = run2<T, T, T, addOf<T>>;
    else if (op == "sub")
      i.run = run2<T, T, T, subOf<T>>;
    else if (op == "div")
      i.run = run2<T, T, T, divOf<T>>;
    else if (op == "min")
      i.run = relu ? run2<T, T, T, minReluOf<T>> : run2<T, T, T, minOf<T>>;
    else if (op == "max")
      i.run = relu ? run2<T, T, T, maxReluOf<T>> : run2<T, T, T, maxOf<T>>;
    else if (op == "abs")
      i.run = run1<T, T, absOf<T>>;
    else if (op == "neg")
      i.run = run1<T, T, negOf<T>>;
    else if (op == "mul" && !widens)
      i.run = hi ? run2<T, T, T, mulHighOf<T>> : run2<T, T, T, mulOf<T>>;
    else if (op == "mad" && !widens)
      i.run = hi ? run3<T, T, T, T, madHighOf<T>> : run3<T, T, T, T, madOf<T>>;
    else if constexpr (sizeof(T) < 8) {
      using R = decltype(mulWideOf<T>(0, 0));
      if (op == "mul")
        i.run = wide<R, T, mulWideOf<T>>;
      else
        i.run = [](Warp &w, const Inst &i, uint32_t mask) {
          auto *d = w.cells<Cell<R>>(i.s[0]), *c = w.cells<Cell<R>>(i.s[3]);
          auto *a = w.cells<Cell<T>>(i.s[1]), *b = w.cells<Cell<T>>(i.s[2]);
          forLanes(mask, [=](int l) {
            d[l] =
                Cell<R>(mulWideOf<T>(unpack<T>(a[l]), unpack<T>(b[l]))) + c[l];
          });
          w.setKnown(i.s[0], mask,
                     w.known(i.s[1]) & w.known(i.s[2]) & w.known(i.s[3]));
        };
    } else {
      d.fail("a product of 128 bits");
    }
  });
}

void shardir::emulated::ptx::addIntegers(Table &table) {
  table["and"] = decodeBits<Bitwise::And>;
  table["or"] = decodeBits<Bitwise::Or>;
  table["xor"] = decodeBits<Bitwise::Xor>;
  table["not"] = decodeBits<Bitwise::Not>;
  table["shl"] = decodeShl;
  table["shr"] = decodeShr;
  table["shf"] = decodeFunnel;
  table["bfe"] = decodeExtract;
  table["bfi"] = decodeInsert;
  table["prmt"] = decodePermute;
  table["popc"] = decodeCount<false>;
  table["clz"] = decodeCount<true>;
  table["brev"] = decodeReverse;
  table["rem"] = decodeRem;
  table["addc"] = decodeCarrying<1>;
  table["subc"] = decodeCarrying<1 | 16>;
  table["madc"] = decodeMadCarrying;
}
