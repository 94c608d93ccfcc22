//===- NormalForm.cpp - One spelling for each way to lie --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a placement that verifies. A placement written as sugar is resolved
// first; one whose sugar does not fit is returned as it is.
// Guarantees rule P8: the result cuts the same blocks for every device,
// whatever the sizes are that are not known; it is its own normal form; and
// placements that differ only in what P8 names have the same one.
//
// Where sizes are known, two spellings are equal if the blocks of every
// coordinate are. Empty blocks compare equal wherever they start.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"

#include <numeric>

using namespace shardir;
using namespace shardir::detail;

/// Beyond this many blocks only cuts that divide evenly are compared.
static constexpr int64_t kMaxComparedBlocks = int64_t{1} << 20;
/// Bounds the search for the divisors of a trailing integer's dimension.
static constexpr int64_t kMaxTriedDivisor = int64_t{1} << 20;

namespace {

/// The last run of a dimension: a factor of `extent` units of `unit` elements
/// each, cut by axes of the given sizes in turn.
struct Cut {
  int64_t extent = 0, unit = 1;
  std::vector<int64_t> sizes;

  int64_t count() const {
    int64_t count = 1;
    for (int64_t size : sizes)
      count = mulSaturated(count, size);
    return count;
  }
};

/// `number` blocks of `block` units in a row, of which `extent` units are left:
/// the last ones are short or empty. Axes from number `next` on cut each one.
struct Blocks {
  int64_t extent = 0, block = 0, number = 1;
  size_t next = 0;

  /// The blocks of the first axis with more than one coordinate, from `next`
  /// on; one that no axis cuts where there is none.
  Blocks cutBy(const Cut &cut) const {
    Blocks result = *this;
    while (result.number == 1 && result.next < cut.sizes.size()) {
      result.number = cut.sizes[result.next++];
      result.block = ceilDiv(result.extent, result.number);
    }
    return result;
  }
  /// Blocks [first, first + count) of these.
  Blocks range(int64_t first, int64_t count) const {
    int64_t most = mulSaturated(count, block);
    int64_t left = extent - std::min(extent, mulSaturated(first, block));
    return {std::min(left, most), block, count, next};
  }
};

/// The length of block number `index`, in elements.
int64_t lengthAt(const Cut &cut, Blocks blocks, int64_t index) {
  while (blocks.number > 1) {
    int64_t inner = 1;
    for (size_t i = blocks.next; i < cut.sizes.size(); ++i)
      inner *= cut.sizes[i];
    blocks = blocks.range(index / inner, 1).cutBy(cut);
    index %= inner;
  }
  return blocks.extent * cut.unit;
}

/// True if two equally long rows of blocks are the same. Both are cut into as
/// many parts as they have in common; the full parts of one row are equal, so
/// that at most five parts are looked at, however many there are. The blocks of
/// a part follow one another, so that equal lengths are enough.
bool sameBlocks(const Cut &cutA, Blocks a, const Cut &cutB, Blocks b) {
  if (mulSaturated(a.extent, cutA.unit) != mulSaturated(b.extent, cutB.unit))
    return false;
  if (a.extent == 0)
    return true;
  a = a.cutBy(cutA);
  b = b.cutBy(cutB);
  if (a.number == 1 && b.number == 1)
    return true;
  int64_t parts = std::gcd(a.number, b.number);
  if (parts == 1) {
    // No common parts: each block is looked at.
    int64_t count = a.number;
    for (size_t i = a.next; i < cutA.sizes.size(); ++i)
      count *= cutA.sizes[i];
    for (int64_t i = 0; i < count; ++i)
      if (lengthAt(cutA, a, i) != lengthAt(cutB, b, i))
        return false;
    return true;
  }
  int64_t countA = a.number / parts, countB = b.number / parts;
  int64_t fullA = a.extent / (countA * a.block);
  int64_t fullB = b.extent / (countB * b.block);
  for (int64_t part : {int64_t(0), fullA, fullA + 1, fullB, fullB + 1})
    if (part < parts && !sameBlocks(cutA, a.range(part * countA, countA), cutB,
                                    b.range(part * countB, countB)))
      return false;
  return true;
}

/// True if two cuts with equally many blocks have the same blocks.
bool sameBlocks(const Cut &a, const Cut &b) {
  if (a.unit == b.unit && a.sizes == b.sizes)
    return true;
  int64_t count = a.count();
  if (a.extent % count == 0 && b.extent % count == 0)
    return true;
  if (count > kMaxComparedBlocks)
    return false;
  return sameBlocks(a, {a.extent, a.extent, 1, 0}, b,
                    {b.extent, b.extent, 1, 0});
}

/// Calls `accept` with the ways to write `size` as a product of `parts` ordered
/// factors above 1, larger first factors first, until it returns true.
template <typename Accept>
bool forEachFactorization(int64_t size, size_t parts,
                          std::vector<int64_t> &prefix, Accept accept) {
  if (parts == 1) {
    prefix.push_back(size);
    bool done = accept(prefix);
    prefix.pop_back();
    return done;
  }
  for (int64_t first = size / 2; first > 1; --first) {
    if (size % first != 0)
      continue;
    prefix.push_back(first);
    bool done = forEachFactorization(size / first, parts - 1, prefix, accept);
    prefix.pop_back();
    if (done)
      return true;
  }
  return false;
}

/// A run of axes, with the size of each, and the spans of it that are adjacent
/// sub-axes of one axis.
struct Run {
  std::vector<AxisRef> axes;
  const Mesh *mesh;

  std::vector<int64_t> sizes() const {
    std::vector<int64_t> result;
    for (const AxisRef &axis : axes)
      result.push_back(axisSize(*mesh, axis));
    return result;
  }

  int64_t spanSize(size_t begin, size_t end) const {
    int64_t size = 1;
    for (size_t i = begin; i < end; ++i)
      size = mulSaturated(size, axisSize(*mesh, axes[i]));
    return size;
  }

  /// The end of the span that begins at `begin`.
  size_t spanEnd(size_t begin) const {
    size_t end = begin + 1;
    while (end < axes.size() && !axes[end].isWhole() &&
           !axes[end - 1].isWhole() && axes[end].name == axes[begin].name &&
           axisEnd(*mesh, axes[end - 1]) == axes[end].preSize)
      ++end;
    return end;
  }

  /// This run with [begin, end) written as sub-axes of the given sizes.
  Run replaced(size_t begin, size_t end,
               const std::vector<int64_t> &factors) const {
    Run result{{axes.begin(), axes.begin() + begin}, mesh};
    int64_t pre = axes[begin].isWhole() ? 1 : axes[begin].preSize;
    for (int64_t factor : factors) {
      result.axes.push_back(
          canonicalAxis(axes[begin].name, pre, factor, *mesh));
      pre = mulSaturated(pre, factor);
    }
    result.axes.insert(result.axes.end(), axes.begin() + end, axes.end());
    return result;
  }

  /// Merges every span. Right where the run cuts exactly.
  Run merged() const {
    Run result = *this;
    for (size_t begin = 0; begin < result.axes.size(); ++begin) {
      size_t end = result.spanEnd(begin);
      if (!result.axes[begin].isWhole())
        result = result.replaced(begin, end, {result.spanSize(begin, end)});
    }
    return result;
  }

  /// Spells each span with the fewest parts that cut the same blocks of
  /// `extent`; of those, the one with the larger major parts. The choice
  /// depends on the blocks alone and not on how they were spelled.
  Run canonical(int64_t extent) const {
    Run result = *this;
    for (size_t begin = 0; begin < result.axes.size(); ++begin) {
      if (result.axes[begin].isWhole())
        continue;
      size_t end = result.spanEnd(begin);
      int64_t size = result.spanSize(begin, end);
      Cut cut{extent, 1, result.sizes()};
      std::vector<int64_t> chosen, prefix;
      // Larger spans merge where they divide evenly, and else stay.
      size_t maxParts = size > kMaxComparedBlocks ? 1 : end - begin;
      for (size_t parts = 1; parts <= maxParts && chosen.empty(); ++parts)
        forEachFactorization(
            size, parts, prefix, [&](const std::vector<int64_t> &factors) {
              Cut other{extent, 1,
                        result.replaced(begin, end, factors).sizes()};
              if (!sameBlocks(cut, other))
                return false;
              chosen = factors;
              return true;
            });
      if (!chosen.empty())
        result = result.replaced(begin, end, chosen);
      begin += (chosen.empty() ? end - begin : chosen.size()) - 1;
    }
    return result;
  }
};

} // namespace

/// The smallest trailing integer below `unit` with which `run` (or `run` with
/// its spans merged, which then replaces it) cuts the same blocks; `unit` if
/// there is none.
static int64_t smallestUnit(Run &run, int64_t extent, int64_t unit) {
  Cut cut{extent, unit, run.sizes()};
  Run merged = run.merged();
  int64_t total = mulSaturated(extent, unit);
  auto works = [&](int64_t candidate) {
    if (sameBlocks(cut, Cut{total / candidate, candidate, cut.sizes}))
      return true;
    if (!sameBlocks(cut, Cut{total / candidate, candidate, merged.sizes()}))
      return false;
    run = merged;
    return true;
  };
  if (total == 0)
    return 1;
  std::vector<int64_t> large;
  for (int64_t i = 1; i <= total / i && i <= kMaxTriedDivisor; ++i) {
    if (total % i != 0)
      continue;
    if (i < unit && works(i))
      return i;
    if (total / i < unit)
      large.push_back(total / i);
  }
  for (size_t i = large.size(); i-- > 0;)
    if (works(large[i]))
      return large[i];
  return unit;
}

DimPlacement detail::normalDim(const DimPlacement &dim, const Mesh &mesh,
                               int64_t size) {
  DimPlacement result;
  std::vector<Split> splits = nontrivialSplits(dim, mesh);
  auto [begin, end] = lastRun(splits);
  if (begin == end)
    return result;
  // Full axes alone, which most placements have, have one spelling.
  bool plain = true;
  for (const Split &split : splits)
    plain &= split.isAxis() && split.axis->isWhole();
  if (plain) {
    result.splits = std::move(splits);
    return result;
  }

  // Before the last run everything divides exactly: spans merge always.
  bool allKnown = size != kUnknown;
  int64_t exact = 1;
  for (size_t i = 0; i < begin;) {
    if (splits[i].isAxis()) {
      Run run{{}, &mesh};
      for (; splits[i].isAxis(); ++i) {
        run.axes.push_back(*splits[i].axis);
        allKnown &= isKnown(mesh, *splits[i].axis);
        exact = mulSaturated(exact, axisSize(mesh, *splits[i].axis));
      }
      for (const AxisRef &axis : run.merged().axes)
        result.splits.push_back(Split::byAxis(axis));
      continue;
    }
    int64_t factor = 1;
    for (; !splits[i].isAxis(); ++i)
      factor = mulSaturated(factor, splits[i].factor);
    exact = mulSaturated(exact, factor);
    result.splits.push_back(Split::byFactor(factor));
  }

  Run run{{}, &mesh};
  for (size_t i = begin; i < end; ++i) {
    run.axes.push_back(*splits[i].axis);
    allKnown &= isKnown(mesh, *splits[i].axis);
  }
  int64_t unit = 1;
  for (size_t i = end; i < splits.size(); ++i)
    unit = mulSaturated(unit, splits[i].factor);
  exact = mulSaturated(exact, unit);

  if (allKnown && exact > 0) {
    int64_t extent = size / exact;
    // Another spelling of the run may allow a smaller integer still. Each
    // round makes the integer smaller, or settles the spelling for it.
    for (bool again = true; again;) {
      int64_t smaller = unit == 1 ? 1 : smallestUnit(run, extent, unit);
      extent = mulSaturated(extent, unit) / smaller;
      Run spelled = run.canonical(extent);
      again = unit != 1 && (smaller < unit || spelled.axes != run.axes);
      unit = smaller;
      run = spelled;
    }
  }
  for (const AxisRef &axis : run.axes)
    result.splits.push_back(Split::byAxis(
        axis.isWhole()
            ? axis
            : canonicalAxis(axis.name, axis.preSize, axis.size, mesh)));
  if (unit != 1)
    result.splits.push_back(Split::byFactor(unit));
  return result;
}

std::vector<AxisRef> detail::refineAll(const std::vector<AxisRef> &axes,
                                       const Mesh &mesh,
                                       const std::vector<AxisRef> &parts) {
  std::vector<AxisRef> result;
  for (const AxisRef &axis : axes)
    for (const AxisRef &part : refine(axis, mesh, parts))
      result.push_back(part);
  return result;
}

std::vector<Split> detail::refinedSplits(const DimPlacement &dim,
                                         const Mesh &mesh, int64_t size,
                                         const std::vector<AxisRef> &parts) {
  DimPlacement refined;
  for (const Split &split : dim.splits) {
    if (!split.isAxis()) {
      refined.splits.push_back(split);
      continue;
    }
    for (const AxisRef &part : refine(*split.axis, mesh, parts))
      refined.splits.push_back(Split::byAxis(part));
  }
  bool same = refined.splits == dim.splits ||
              normalDim(refined, mesh, size) == normalDim(dim, mesh, size);
  return same ? refined.splits : dim.splits;
}

Placement shardir::normalForm(const Placement &placement, const Mesh &mesh,
                              const std::vector<int64_t> &shape) {
  if (placement.sugar) {
    Placement resolved = placement;
    if (lowerDTensorSyntax(resolved, mesh, shape.size()))
      return placement;
    return normalForm(resolved, mesh, shape);
  }
  Placement result;
  for (size_t d = 0; d < placement.dims.size(); ++d)
    result.dims.push_back(normalDim(placement.dims[d], mesh,
                                    d < shape.size() ? shape[d] : kUnknown));
  result.partialAxes = sortedAndMerged(placement.partialAxes, mesh);
  if (!result.partialAxes.empty())
    result.partial = placement.partial;
  return result;
}

bool shardir::equivalent(const Placement &a, const Placement &b,
                         const Mesh &mesh, const std::vector<int64_t> &shape) {
  return a == b || normalForm(a, mesh, shape) == normalForm(b, mesh, shape);
}
