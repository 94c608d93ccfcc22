//===- Copy.h - Copies of rectangular sets of elements ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between two row-major arrays, given per dimension as runs of indices:
// what Piece of Placement/Piece.h describes. Requires runs that lie
// within both shapes; guarantees that adjacent dimensions that are whole on
// both sides are merged, so that what is contiguous in both arrays is one span.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTS_COPY_H
#define SHARDIR_LIB_RUNTIME_ELEMENTS_COPY_H

#include "ShardIR/Placement/Piece.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace shardir {
namespace runtime {

/// The runs of one dimension, and how many elements one step along it is.
struct CopyDim {
  std::vector<Piece::Run> runs;
  int64_t sourceStride = 1, destinationStride = 1;
};

/// Which elements of one array go where in another. One span takes no memory
/// besides, for there may be one plan for each of thousands of ranks.
class CopyPlan {
public:
  CopyPlan() = default;
  explicit CopyPlan(const Piece::Run &span) : span(span) {}
  CopyPlan(const std::vector<std::vector<Piece::Run>> &runs,
           const std::vector<int64_t> &sourceShape,
           const std::vector<int64_t> &destinationShape);

  /// Copies elements of `size` bytes; long spans past the caches if `stream`.
  void copy(const void *source, void *destination, size_t size,
            bool stream = false) const;

  /// Calls f(sourceIndex, destinationIndex, length) for every contiguous span,
  /// in increasing order of both.
  template <class F> void forEachSpan(F &&f) const {
    if (dims)
      walk(0, 0, 0, f);
    else if (span.length > 0)
      f(span.source, span.destination, span.length);
  }

  /// The whole plan as one span, if it is one.
  const Piece::Run *singleSpan() const {
    return !dims && span.length > 0 ? &span : nullptr;
  }
  bool isEmpty() const { return !dims && span.length == 0; }
  /// The index in the destination of the first element; 0 if there is none.
  int64_t firstDestination() const;
  bool operator==(const CopyPlan &o) const;
  /// Outermost first; none if there is nothing to copy.
  std::vector<CopyDim> dimensions() const;

private:
  template <class F>
  void walk(size_t d, int64_t source, int64_t destination, F &f) const {
    const CopyDim &dim = (*dims)[d];
    if (d + 1 == dims->size()) {
      for (const Piece::Run &run : dim.runs)
        f(source + run.source, destination + run.destination, run.length);
      return;
    }
    for (const Piece::Run &run : dim.runs)
      for (int64_t i = 0; i < run.length; ++i)
        walk(d + 1, source + (run.source + i) * dim.sourceStride,
             destination + (run.destination + i) * dim.destinationStride, f);
  }

  Piece::Run span; ///< of no length if there is nothing to copy
  /// In place of `span`, where there are more.
  std::shared_ptr<const std::vector<CopyDim>> dims;
};

/// Copies between strided arrays of one shape; strides count elements.
void copyStrided(const char *source, const int64_t *sourceStrides,
                 char *destination, const int64_t *destinationStrides,
                 const int64_t *shape, int64_t rank, size_t elementSize);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTS_COPY_H
