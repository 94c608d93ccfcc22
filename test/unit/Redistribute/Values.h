//===- Values.h - Terms whose reductions are exact --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data for redistributions: the value of an element in each term, how terms
// combine, and how values lie in memory. Requires a kind that has a meaning for
// the element type; guarantees that every reduction of up to 64 terms is exact
// in any order and grouping, so that results are compared for equality. Shares
// no code with the runtime's reductions, which it checks.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_REDISTRIBUTE_VALUES_H
#define SHARDIR_TEST_UNIT_REDISTRIBUTE_VALUES_H

#include "Elements/ElementType.h"
#include "ShardIR/Placement/Placement.h"

namespace shardir::test {

using runtime::ElementType;

/// A number: an integer, an infinity or NaN. All the data here are such.
struct Number {
  enum Class { Integer, NaN, PlusInfinity, MinusInfinity } what = Integer;
  int64_t integer = 0;
  bool operator==(const Number &o) const {
    return what == o.what && (what != Integer || integer == o.integer);
  }
};

/// Element `index` (row-major in the global tensor) of term `term`; without a
/// kind there is one term, and elements differ as much as the type allows.
Number valueOf(std::optional<PartialKind> kind, ElementType type, int64_t index,
               int64_t term);

/// The reduction of two terms, wrapped to the type's width.
Number combine(PartialKind kind, ElementType type, Number a, Number b);

void store(ElementType type, Number value, void *data, size_t index);
Number load(ElementType type, const void *data, size_t index);

/// The text that `shard-run` would print, for messages.
std::string toString(Number value);

/// Whether values of this type can be partial of this kind.
bool hasKind(PartialKind kind, ElementType type);

struct KindAndType {
  PartialKind kind;
  ElementType type;
};
/// Every kind, on types that give it a meaning.
extern const std::vector<KindAndType> kKinds;
/// Types for placements that are not partial.
extern const std::vector<ElementType> kTypes;

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_REDISTRIBUTE_VALUES_H
