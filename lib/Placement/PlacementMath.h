//===- PlacementMath.h - Shared by the files of this library ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Placement. Arithmetic that cannot overflow on what a user may
// write, and the cut of one dimension (rules P3 and P4 of docs/Semantics.md).
// Everything here takes sizes >= 0 and axes that exist, or treats an axis that
// does not exist as one of size 1; nothing asserts.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PLACEMENT_PLACEMENTMATH_H
#define SHARDIR_LIB_PLACEMENT_PLACEMENTMATH_H

#include "ShardIR/Placement/Placement.h"

#include <algorithm>

namespace shardir::detail {

/// a * b for a, b >= 0, or the largest value where that does not fit.
inline int64_t mulSaturated(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

/// ceil(a / b) for a >= 0, b >= 1, without the overflow of (a + b - 1) / b.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// A range of the values of one digit.
struct Block {
  int64_t offset = 0, length = 0;
};

/// Block `index` of `length` elements cut into `count` blocks of
/// ceil(length / count), the last ones short or empty (P3).
inline Block cutBlock(int64_t length, int64_t count, int64_t index) {
  int64_t size = ceilDiv(length, count);
  if (size == 0 || index > length / size)
    return {length, 0};
  int64_t offset = index * size;
  return {offset, std::min(size, length - offset)};
}

/// The next way to take one of each dim's `sources`, the last dim's first;
/// false after the last, which starts over.
template <typename Source>
bool nextChoice(std::vector<size_t> &choice,
                const std::vector<std::vector<Source>> &sources) {
  for (size_t d = choice.size(); d > 0; --d) {
    if (++choice[d - 1] < sources[d - 1].size())
      return true;
    choice[d - 1] = 0;
  }
  return false;
}

/// The end of an axis or sub-axis seen as [pre, size, rest]: pre x size.
inline int64_t axisEnd(const Mesh &mesh, const AxisRef &axis) {
  return mulSaturated(axis.isWhole() ? 1 : axis.preSize, axisSize(mesh, axis));
}

/// True if `axis` has size 1 for all values of the unknown sizes.
bool isTrivial(const Mesh &mesh, const AxisRef &axis);

/// True if the size of `axis` is known.
bool isKnown(const Mesh &mesh, const AxisRef &axis);

/// The splits without axes of size 1 and integers of 1, which go before P4
/// looks for the last run (P8).
std::vector<Split> nontrivialSplits(const DimPlacement &dim, const Mesh &mesh);

/// The last run of axes in `splits`: [first, last + 1). Empty if there is none.
std::pair<size_t, size_t> lastRun(const std::vector<Split> &splits);

/// symbolicDigits and shardOf for one dimension.
std::vector<SymbolicDigit> digitsOf(const DimPlacement &dim, const Mesh &mesh,
                                    int64_t size);
DimShard dimShardOf(const DimPlacement &dim, const Mesh &mesh, int64_t size,
                    const std::vector<int64_t> &coords);
/// The same from the dimension's digits, for a caller that asks for many.
DimShard dimShardOf(const std::vector<SymbolicDigit> &digits, const Mesh &mesh,
                    const std::vector<int64_t> &coords);

/// `mesh` and `shape` with every unknown size replaced by what decisions
/// assume: of a dim, the least number from kAssumedDimSize on that these
/// placements can cut.
Mesh assumedMesh(const Mesh &mesh);
std::vector<int64_t>
assumedShape(const std::vector<int64_t> &shape, const Mesh &mesh,
             const std::vector<const Placement *> &placements);

/// The product of a shape.
int64_t numElements(const std::vector<int64_t> &shape);

/// Sorts axes by mesh order and merges sub-axes that are adjacent.
std::vector<AxisRef> sortedAndMerged(std::vector<AxisRef> axes,
                                     const Mesh &mesh);

/// The normal form of one dimension (P8).
DimPlacement normalDim(const DimPlacement &dim, const Mesh &mesh, int64_t size);

/// The splits of a dimension in normal form, with axes cut into `parts` if that
/// cuts the same blocks (always where the dimension divides evenly); else as
/// they are.
std::vector<Split> refinedSplits(const DimPlacement &dim, const Mesh &mesh,
                                 int64_t size,
                                 const std::vector<AxisRef> &parts);

/// Each axis as the run of the parts that it is (refine), one after another.
std::vector<AxisRef> refineAll(const std::vector<AxisRef> &axes,
                               const Mesh &mesh,
                               const std::vector<AxisRef> &parts);

/// The middle part, of `size`, of `axis` seen as [skip, size, rest].
AxisRef subAxis(const AxisRef &axis, int64_t skip, int64_t size,
                const Mesh &mesh);

/// [pre, size], spelled as the full axis where it covers that.
AxisRef canonicalAxis(const std::string &name, int64_t pre, int64_t size,
                      const Mesh &mesh);

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_PLACEMENTMATH_H
