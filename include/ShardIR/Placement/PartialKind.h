//===- PartialKind.h - The kinds of pending reductions ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of how terms combine to a tensor (P5 of docs/Semantics.md):
// names, element types and neutral elements. Compiler, runtime, kernels and
// tests read it; it includes no other header, since kernels for GPUs are made
// of it, too. The operations themselves are those of the same names in
// lib/Runtime/Elements/ReduceOps.h, and as ops combinerKind of
// Analysis/Combiners.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_PARTIALKIND_H
#define SHARDIR_PLACEMENT_PARTIALKIND_H

namespace shardir {

/// X(kind, spelling in the IR, element types, neutral element of floats, of
/// integers, the kind that it is on i1, whether combining a term twice changes
/// nothing). On i1 sums count modulo 2, and 1 is -1 as a signed number: the
/// smaller one.
#define SHARDIR_PARTIAL_KINDS(X)                                               \
  X(Sum, "sum", Numbers, NegativeZero, Zero, Xor, false)                       \
  X(Prod, "prod", Reals, One, One, And, false)                                 \
  X(Max, "max", Reals, Lowest, Lowest, And, true)                              \
  X(Min, "min", Reals, Highest, Highest, Or, true)                             \
  X(MaxNum, "maxnum", Floats, NaN, None, Or, true)                             \
  X(MinNum, "minnum", Floats, NaN, None, And, true)                            \
  X(UMax, "umax", Integers, None, Zero, Or, true)                              \
  X(UMin, "umin", Integers, None, AllOnes, And, true)                          \
  X(And, "and", Integers, None, AllOnes, And, true)                            \
  X(Or, "or", Integers, None, Zero, Or, true)                                  \
  X(Xor, "xor", Integers, None, Zero, Xor, false)

/// How the terms that devices hold combine to the tensor (P5).
enum class PartialKind : unsigned {
#define SHARDIR_KIND(KIND, ...) KIND,
  SHARDIR_PARTIAL_KINDS(SHARDIR_KIND)
#undef SHARDIR_KIND
};

/// Classes of element types, as bits; integers include i1 and index.
struct NumberClass {
  enum Bits : unsigned {
    Floats = 1,
    Integers = 2,
    Complexes = 4,
    Reals = Floats | Integers,
    Numbers = Reals | Complexes
  };
};

/// A term that changes no bit of the result. Lowest is -infinity, or the lowest
/// number of a type without infinities; +0.0 would turn a sum of -0.0 into
/// +0.0.
enum class NeutralElement {
  None,
  Zero,
  NegativeZero,
  One,
  Lowest,
  Highest,
  NaN,
  AllOnes
};

struct PartialKindInfo {
  PartialKind kind;
  const char *name;
  unsigned types; ///< of NumberClass::Bits
  NeutralElement ofFloats, ofIntegers;
  bool idempotent;

  constexpr bool isFor(unsigned type) const { return types & type; }
};

inline constexpr PartialKindInfo kPartialKinds[] = {
#define SHARDIR_KIND(KIND, NAME, TYPES, FLOAT, INTEGER, BIT, IDEMPOTENT)       \
  {PartialKind::KIND,       NAME,                                              \
   NumberClass::TYPES,      NeutralElement::FLOAT,                             \
   NeutralElement::INTEGER, IDEMPOTENT},
    SHARDIR_PARTIAL_KINDS(SHARDIR_KIND)
#undef SHARDIR_KIND
};

constexpr const PartialKindInfo &infoOf(PartialKind kind) {
  return kPartialKinds[static_cast<unsigned>(kind)];
}

} // namespace shardir

#endif // SHARDIR_PLACEMENT_PARTIALKIND_H
