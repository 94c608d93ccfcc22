//===- SortNetwork.h - Loops that sort ---------------------------*- C++
//-*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts arrive as loops on whole tensors: a step compares each element with its
// neighbour on one side and takes the one that belongs there, pairs starting at
// even and at odd places by turns (odd-even transposition; Knuth, The Art of
// Computer Programming 3, 5.3.4). matchSort proves that a loop does that: it
// computes one element of what a step gives, for each kind of place (the first,
// the last, even and odd ones between) and each parity of the step, and keeps
// what does not depend on data apart from what does.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SORTNETWORK_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SORTNETWORK_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace shardir {

/// A scalar that a step computes at a place; equal ones are one.
struct SortTerm {
  enum Kind {
    Constant, ///< `attribute`
    Place,    ///< the place along the dim, plus `offset`
    Step,     ///< the number of the step, plus `offset`
    Element,  ///< of carried tensor `tensor`, at the place plus `offset`
    Result,   ///< of `op` on `operands`
  } kind = Constant;
  mlir::Type type;
  mlir::Attribute attribute;
  int64_t offset = 0, tensor = 0;
  mlir::Operation *op = nullptr;
  std::vector<const SortTerm *> operands;
};

/// One of the keys that decide an order one after the other.
struct SortKey {
  /// Of elements at offsets 1 and 0: the key puts the former before the latter;
  /// it is the same for both. The last key has no `equal`.
  const SortTerm *less = nullptr, *equal = nullptr;
  /// The float at offset 1 if elements where that is NaN stay where they are
  /// among those of which earlier keys are equal, and nothing passes them; null
  /// where every element has its place.
  const SortTerm *barrier = nullptr;
};

class SortTerms {
public:
  const SortTerm *get(SortTerm term);
  /// The same at the place `by` further on; null where it is not made of
  /// elements alone.
  const SortTerm *shift(const SortTerm *term, int64_t by);
  /// The keys by which `term`, of elements at offsets 1 and 0, tells whether
  /// the former belongs before the latter; none where that is no order.
  std::vector<SortKey> keysOf(const SortTerm *term);

private:
  using Key = std::tuple<int, void *, void *, int64_t, int64_t, void *, void *,
                         std::vector<const SortTerm *>>;
  std::map<Key, const SortTerm *> known;
  std::deque<SortTerm> terms;
};

struct SortMatch {
  /// The results of the loop that are sorted, by their number.
  std::vector<unsigned> tensors;
  unsigned dim = 0;
  int64_t extent = 0;
  /// What decides whether an element at offset 1 belongs before the one at
  /// offset 0. Elements are those of `tensors`, by their number there.
  std::vector<SortKey> keys;
};

/// Recognizes a loop that sorts its carried tensors, all of one static shape,
/// along one dim, stably. `terms` owns what the result points to, and the
/// loop's ops must live on while that is used.
std::optional<SortMatch> matchSort(mlir::scf::ForOp loop, SortTerms &terms);

/// Emits `term` with the elements that `element` gives for a tensor and an
/// offset.
mlir::Value emitTerm(
    mlir::OpBuilder &builder, const SortTerm *term,
    llvm::function_ref<mlir::Value(int64_t tensor, int64_t offset)> element,
    std::map<const SortTerm *, mlir::Value> &made);

/// The places that pair `number` of a step of a bitonic network compares, the
/// one where the smaller element goes first: they differ by half >> q, or
/// mirror each other in blocks of 2 half where q is 0 (RecognizeSorts.cpp). All
/// of type index.
std::pair<mlir::Value, mlir::Value>
pairOfNetwork(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number,
              mlir::Value half, mlir::Value q);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SORTNETWORK_H
