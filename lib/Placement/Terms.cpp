//===- Terms.cpp - Shards that are terms of a partial tensor ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two placements of one tensor that verify.
// Guarantees to say yes only where the devices along the new partial axes hold
// each element of their new shard once, and where the part that a device holds
// is one range of each digit of a dim: what localization can insert.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/Terms.h"
#include "ShardSizes.h"

using namespace shardir;
using namespace shardir::detail;

/// More pairs of blocks of one dim than this are not looked at.
static constexpr int64_t kMaxBlocks = int64_t{1} << 16;

AxisRef detail::subAxis(const AxisRef &axis, int64_t skip, int64_t size,
                        const Mesh &mesh) {
  int64_t pre = axis.isWhole() ? 1 : axis.preSize;
  return canonicalAxis(axis.name, pre * skip, size, mesh);
}

static bool isKnownDim(const DimPlacement &dim, const Mesh &mesh,
                       int64_t size) {
  if (size == kUnknown)
    return false;
  for (const Split &split : dim.splits)
    if (split.isAxis() && !isKnown(mesh, *split.axis))
      return false;
  return true;
}

std::optional<std::vector<CommonDigit>>
shardir::commonDigits(const Placement &a, const Placement &b, const Mesh &mesh,
                      int64_t size, size_t dim) {
  using Radix = std::pair<int64_t, std::optional<AxisRef>>;
  std::vector<AxisRef> parts = commonRefinement(a, b, mesh);
  auto list =
      [&](const DimPlacement &dim) -> std::optional<std::vector<Radix>> {
    if (size < 1 || !isKnownDim(dim, mesh, size))
      return std::nullopt;
    std::vector<Radix> digits;
    int64_t rest = size;
    for (const Split &split : dim.splits) {
      int64_t radix =
          split.isAxis() ? axisSize(mesh, *split.axis) : split.factor;
      if (radix < 1 || rest % radix != 0)
        return std::nullopt;
      rest /= radix;
      if (!split.isAxis()) {
        digits.push_back({radix, std::nullopt});
        continue;
      }
      // Digits that divide may be cut in parts.
      for (const AxisRef &part : refine(*split.axis, mesh, parts))
        digits.push_back({axisSize(mesh, part), part});
    }
    if (rest != 1)
      digits.push_back({rest, std::nullopt});
    return digits;
  };
  auto ofA = list(a.dims[dim]), ofB = list(b.dims[dim]);
  if (!ofA || !ofB)
    return std::nullopt;
  std::vector<CommonDigit> digits;
  // The major part of `digit` of size `radix`; the minor one stays.
  auto take = [&](Radix &digit, int64_t radix) {
    std::optional<AxisRef> major = digit.second;
    if (digit.second && radix != digit.first) {
      major = subAxis(*digit.second, 1, radix, mesh);
      digit.second = subAxis(*digit.second, radix, digit.first / radix, mesh);
    }
    digit.first /= radix;
    return major;
  };
  for (size_t i = 0, j = 0; i < ofA->size() || j < ofB->size();) {
    if (i == ofA->size() || j == ofB->size())
      return std::nullopt;
    Radix &major = (*ofA)[i], &other = (*ofB)[j];
    int64_t radix = std::min(major.first, other.first);
    if (major.first % radix != 0 || other.first % radix != 0)
      return std::nullopt;
    CommonDigit &digit = digits.emplace_back();
    digit.extent = radix;
    digit.a = take(major, radix);
    digit.b = take(other, radix);
    i += major.first == 1;
    j += other.first == 1;
  }
  return digits;
}

bool detail::haveCommonRanges(const Placement &from, const Placement &to,
                              const Mesh &mesh, int64_t size, size_t d) {
  if (from.dims[d].splits.empty() || to.dims[d].splits.empty() ||
      commonDigits(from, to, mesh, size, d))
    return true;
  auto isBlock = [](const DimPlacement &dim) {
    return std::all_of(dim.splits.begin(), dim.splits.end(),
                       [](const Split &split) { return split.isAxis(); });
  };
  if (isBlock(from.dims[d]) && isBlock(to.dims[d]))
    return true;
  if (!isKnownDim(from.dims[d], mesh, size) ||
      !isKnownDim(to.dims[d], mesh, size))
    return false;
  auto a = digitsOf(from.dims[d], mesh, size),
       b = digitsOf(to.dims[d], mesh, size);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SymbolicDigit &x, const SymbolicDigit &y) {
                      return x.extent == y.extent;
                    });
}

bool shardir::canMakePartial(const Placement &from, const Placement &to,
                             const Mesh &mesh,
                             const std::vector<int64_t> &shape) {
  StepParts step({CollectiveKind::MakePartial, from, to}, mesh);
  std::vector<AxisRef> turning;
  for (const StepParts::Part &part : step.parts) {
    if (part.role == StepParts::Reduced)
      return false;
    if (part.turnsPartial)
      turning.push_back(part.axis);
    else if (part.role == StepParts::Splits)
      for (const AxisRef &axis : step.made)
        if (overlap(axis, part.axis, mesh))
          return false;
  }
  auto turns = [&](const Split &split) {
    return split.isAxis() &&
           std::any_of(turning.begin(), turning.end(),
                       [&](const AxisRef &axis) {
                         return isFactorOf(*split.axis, axis, mesh);
                       });
  };
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  for (size_t d = 0; d < shape.size(); ++d) {
    const DimPlacement &held = from.dims[d], &needed = to.dims[d];
    if (held == needed)
      continue;
    if (!haveCommonRanges(from, to, mesh, shape[d], d))
      return false;
    // Blocks nest (P3): together the devices hold the block of the splits in
    // front of those that turn partial. A unit at the end changes all blocks.
    std::vector<Split> a = refinedSplits(held, mesh, shape[d], parts);
    std::vector<Split> b = refinedSplits(needed, mesh, shape[d], parts);
    size_t stay = a.size();
    while (stay > 0 && (turns(a[stay - 1]) || !a[stay - 1].isAxis()))
      --stay;
    bool nests =
        stay <= b.size() &&
        std::equal(b.begin(), b.begin() + stay, a.begin()) &&
        std::none_of(a.begin(), a.begin() + stay, turns) &&
        (stay == 0 || (a.back().isAxis() &&
                       std::all_of(b.begin() + stay, b.end(),
                                   [](const Split &s) { return s.isAxis(); })));
    if (nests)
      continue;
    if (!isKnownDim(held, mesh, shape[d]) ||
        !isKnownDim(needed, mesh, shape[d]))
      return false;
    Placement own = Placement::replicatedOfRank(1), wanted = own;
    own.dims[0] = held;
    wanted.dims[0] = needed;
    std::vector<AxisRef> varied;
    for (const AxisRef &axis : refineAll(from.axesOf(d), mesh, parts))
      if (turns(Split::byAxis(axis)))
        varied.push_back(axis);
    const Mesh concrete = assumedMesh(mesh);
    int64_t blocks = groupSize(mesh, varied);
    for (const MeshAxis &axis : concrete.axes) {
      bool isUsed = false;
      for (const DimPlacement *dim : {&held, &needed})
        for (const Split &split : dim->splits)
          isUsed |= split.isAxis() && split.axis->name == axis.name;
      blocks = mulSaturated(blocks, isUsed ? axis.size : 1);
    }
    if (blocks > kMaxBlocks)
      return false;
    const std::vector<int64_t> extent = {shape[d]};
    DeviceSample all(concrete, INT64_MAX);
    all.add(own, extent);
    all.add(wanted, extent);
    ShardSizes sizes(concrete, extent, all);
    int a0 = sizes.option(0, own.dims[0]), b0 = sizes.option(0, wanted.dims[0]);
    if (sizes.sharedByAny(0, b0, a0, varied) != sizes.extents(0, b0))
      return false;
  }
  return true;
}
