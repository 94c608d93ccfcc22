//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves, selections and comparisons (PTX ISA, sections 9.7.7 and 9.7.9.5).
// Requires slots as Lanes.h has them; guarantees that a value which was never
// written stays one, but where it is not selected. A comparison of NaN is false
// unless it is one of those that ask for it.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "Families.h"
#include "Lanes.h"

#include <algorithm>

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;

namespace {
template <class C> void runMove(Warp &w, const Inst &i, uint32_t mask) {
  C *d = w.cells<C>(i.s[0]), *a = w.cells<C>(i.s[1]);
  forLanes(mask, [=](int l) { d[l] = a[l]; });
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}
void movePredicate(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t value = i.variant == 2 ? w.predicate(i.s[1])
                   : i.variant    ? kAllLanes
                                  : 0;
  uint32_t &d = w.predicate(i.s[0]);
  d = (d & ~mask) | (value & mask);
  w.setKnown(i.s[0], mask, i.variant == 2 ? w.known(i.s[1]) : kAllLanes);
}
/// more: the parts, the lowest first, of i.bytes each.
void runPack(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t known = kAllLanes;
  for (const Slot &part : i.more)
    known &= w.known(part);
  forLanes(mask, [&](int l) {
    uint64_t value = 0;
    for (size_t n = i.more.size(); n-- > 0;)
      value = value << (8 * i.bytes) | w.wide(i.more[n], l);
    w.set(i.s[0], l, value);
  });
  w.setKnown(i.s[0], mask, known);
}
void runUnpack(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t all = (uint64_t(1) << (8 * i.bytes)) - 1;
  forLanes(mask, [&](int l) {
    uint64_t value = w.wide(i.s[1], l);
    for (const Slot &part : i.more) {
      if (part.offset || part.index)
        w.set(part, l, value & all);
      value >>= 8 * i.bytes;
    }
  });
  for (const Slot &part : i.more)
    if (part.offset || part.index)
      w.setKnown(part, mask, w.known(i.s[1]));
}

void decodeMove(Decoder &d, Inst &i) {
  Type type = d.takeType();
  d.wantOperands(2, 2);
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (type == Type::Pred) {
    i.s[0] = d.out(0, type);
    i.run = movePredicate;
    if (from.kind == Operand::Register) {
      i.s[1] = d.out(1, type);
      i.variant = 2;
    } else {
      i.variant = d.number(from) != 0;
    }
    return;
  }
  const Operand &parts = to.kind == Operand::Vector ? to : from;
  if (parts.kind == Operand::Vector) {
    auto count = int(parts.parts.size());
    i.bytes = uint8_t(sizeOf(type) / std::max(count, 1));
    Type part = i.bytes == 1   ? Type::B8
                : i.bytes == 2 ? Type::B16
                : i.bytes == 4 ? Type::B32
                               : Type::None;
    if (part == Type::None || i.bytes * count != sizeOf(type))
      d.fail("a vector that does not fill the other operand");
    bool packs = from.kind == Operand::Vector;
    for (const Operand &p : parts.parts)
      i.more.push_back(p.kind == Operand::Sink && !packs ? Slot()
                       : packs                           ? d.in(p, part)
                                                         : d.out(p, part));
    if (packs)
      i.s[0] = d.out(0, type);
    else
      i.s[1] = d.in(1, type);
    i.run = packs ? runPack : runUnpack;
    return;
  }
  i.s[0] = d.out(0, type);
  i.s[1] = d.in(1, type);
  i.run = sizeOf(type) == 8 ? runMove<uint64_t> : runMove<uint32_t>;
}

template <class C> void runSelect(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[3], mask, "a predicate");
  C *d = w.cells<C>(i.s[0]), *a = w.cells<C>(i.s[1]), *b = w.cells<C>(i.s[2]);
  uint32_t p = w.predicate(i.s[3]);
  forLanes(mask, [=](int l) { d[l] = p >> l & 1 ? a[l] : b[l]; });
  w.setKnown(i.s[0], mask, (w.known(i.s[1]) & p) | (w.known(i.s[2]) & ~p));
}
void decodeSelect(Decoder &d, Inst &i) {
  Type type = d.takeType();
  operandsOf(d, i, {type, type, type, Type::Pred});
  i.run = sizeOf(type) == 8 ? runSelect<uint64_t> : runSelect<uint32_t>;
}

enum class Cmp {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
constexpr const char *kCmps[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                 "ge",  "equ", "neu", "ltu", "leu",
                                 "gtu", "geu", "num", "nan"};

template <Cmp cmp, class T> bool holds(T a, T b) {
  bool unordered = a != a || b != b;
  switch (cmp) {
  case Cmp::Eq:
    return a == b;
  case Cmp::Ne:
    return a != b && !unordered;
  case Cmp::Lt:
    return a < b;
  case Cmp::Le:
    return a <= b;
  case Cmp::Gt:
    return a > b;
  case Cmp::Ge:
    return a >= b;
  case Cmp::Equ:
    return a == b || unordered;
  case Cmp::Neu:
    return a != b;
  case Cmp::Ltu:
    return a < b || unordered;
  case Cmp::Leu:
    return a <= b || unordered;
  case Cmp::Gtu:
    return a > b || unordered;
  case Cmp::Geu:
    return a >= b || unordered;
  case Cmp::Num:
    return !unordered;
  case Cmp::Nan:
    return unordered;
  }
}
template <class T, int n = 0> Inst::Run comparison(int cmp) {
  if constexpr (n < 14) {
    if (cmp == n)
      return compare<T, holds<Cmp(n), T>>;
    return comparison<T, n + 1>(cmp);
  } else {
    return nullptr;
  }
}
/// The comparison, combined with a predicate, and its opposite: variant 1 and,
/// 2 or, 3 xor; 4: negated predicate; 8: a second result.
void runSetBoth(Warp &w, const Inst &i, uint32_t mask) {
  auto run = reinterpret_cast<Inst::Run>(i.imm);
  run(w, i, mask);
  uint32_t first = w.predicate(i.s[0]), known = w.known(i.s[0]);
  uint32_t second = ~first;
  if (int op = i.variant & 3) {
    uint32_t c = w.predicate(i.s[3]);
    c = i.variant & 4 ? ~c : c;
    known &= w.known(i.s[3]);
    auto combined = [&](uint32_t p) {
      return op == 1 ? p & c : op == 2 ? p | c : p ^ c;
    };
    second = combined(second);
    uint32_t &d = w.predicate(i.s[0]);
    d = (d & ~mask) | (combined(first) & mask);
    w.setKnown(i.s[0], mask, known);
  }
  if (i.variant & 8) {
    uint32_t &q = w.predicate(i.s[4]);
    q = (q & ~mask) | (second & mask);
    w.setKnown(i.s[4], mask, known);
  }
}

/// Of 16-bit floats.
template <Cmp cmp, bool bf> bool holdsHalf(uint16_t a, uint16_t b) {
  auto widen = [](uint16_t bits) {
    return bf ? fromBits(uint32_t(bits) << 16) : fromHalf(bits);
  };
  return holds<cmp, float>(widen(a), widen(b));
}
template <bool bf, int n = 0> Inst::Run halfComparison(int cmp) {
  if constexpr (n < 14) {
    if (cmp == n)
      return compare<uint16_t, holdsHalf<Cmp(n), bf>>;
    return halfComparison<bf, n + 1>(cmp);
  } else {
    return nullptr;
  }
}

Inst::Run comparisonOf(Decoder &d, Type type, int cmp) {
  bool floats = isFloat(type);
  if (!floats && cmp > int(Cmp::Ge))
    d.fail("a comparison that integers lack");
  switch (type) {
  case Type::B16:
  case Type::U16:
    return comparison<uint16_t>(cmp);
  case Type::S16:
    return comparison<int16_t>(cmp);
  case Type::B32:
  case Type::U32:
    return comparison<uint32_t>(cmp);
  case Type::S32:
    return comparison<int32_t>(cmp);
  case Type::B64:
  case Type::U64:
    return comparison<uint64_t>(cmp);
  case Type::S64:
    return comparison<int64_t>(cmp);
  case Type::F16:
    return halfComparison<false>(cmp);
  case Type::BF16:
    return halfComparison<true>(cmp);
  case Type::F32:
    return comparison<float>(cmp);
  case Type::F64:
    return comparison<double>(cmp);
  default:
    d.fail("a type that is not emulated here");
  }
}

void decodeSet(Decoder &d, Inst &i) {
  int cmp = d.takeOneOf({kCmps, kCmps + 14}, "comparison");
  int op = d.take("and") ? 1 : d.take("or") ? 2 : d.take("xor") ? 3 : 0;
  Type type = d.takeType();
  d.wantOperands(op ? 4 : 3, op ? 4 : 3);
  i.s[0] = d.out(0, Type::Pred);
  i.s[1] = d.in(1, type);
  i.s[2] = d.in(2, type);
  i.run = comparisonOf(d, type, cmp);
  Operand second = d.operand(0);
  if (!op && second.second < 0)
    return;
  i.variant = uint8_t(op);
  if (op) {
    Operand c = d.operand(3);
    i.variant |= c.negated ? 4 : 0;
    c.negated = false;
    i.s[3] = d.in(c, Type::Pred);
  }
  if (second.second >= 0) {
    i.variant |= 8;
    second.reg = second.second;
    i.s[4] = d.out(second, Type::Pred);
  }
  static_assert(sizeof(Inst::Run) == sizeof(i.imm), "kept in the constant");
  i.imm = reinterpret_cast<int64_t>(i.run);
  i.run = runSetBoth;
}

} // namespace

void shardir::emulated::ptx::addSelections(Table &table) {
  table["mov"] = decodeMove;
  table["selp"] = decodeSelect;
  table["setp"] = decodeSet;
}
