//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits of dims and splits of factors. Plain arithmetic on the values of
// Placement.h: requires verified placements, guarantees that composing what was
// projected gives equivalent splits.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Placement/Collectives.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

std::vector<AxisRef> shardir::axesOf(const Splits &splits) {
  std::vector<AxisRef> axes;
  for (const Split &split : splits)
    if (split.isAxis())
      axes.push_back(*split.axis);
  return axes;
}

std::vector<AxisRef> shardir::axesOf(const Placement &placement) {
  std::vector<AxisRef> axes;
  for (const DimPlacement &dim : placement.dims)
    llvm::append_range(axes, axesOf(dim.splits));
  llvm::append_range(axes, placement.partialAxes);
  return axes;
}

static int64_t splitSize(const Split &split, const Mesh &mesh) {
  return split.isAxis() ? axisSize(mesh, *split.axis) : split.factor;
}

/// The sub-axis [pre, size) of an axis or sub-axis.
static AxisRef subAxis(const AxisRef &axis, int64_t pre, int64_t size) {
  return {axis.name, axis.preSize * pre, size};
}

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

/// True if the size of an axis is known, or of the axis that it is a part of.
static bool isKnownAxis(const Mesh &mesh, const AxisRef &axis) {
  int index = mesh.axisIndex(axis.name);
  return index >= 0 && mesh.axes[index].size != kUnknown;
}

/// In ascending order.
static std::vector<int64_t> divisors(int64_t number) {
  std::vector<int64_t> found;
  for (int64_t small = 1; small * small <= number; ++small)
    if (number % small == 0) {
      found.push_back(small);
      if (small * small != number)
        found.push_back(number / small);
    }
  llvm::sort(found);
  return found;
}

/// projectDim on several factors, of which one may have an unknown size, for
/// the spelling at hand. Of a size that is not known nothing is exact: the last
/// run of axes may cut it alone, and nothing else.
static std::optional<std::vector<Splits>>
projectSpelling(const Splits &splits, llvm::ArrayRef<int64_t> sizes,
                const Mesh &mesh) {
  std::vector<Splits> result(sizes.size());
  // The last run of axes, and the units in which it cuts (P4).
  size_t lastRun = splits.size(), tail = splits.size();
  while (tail > 0 && !splits[tail - 1].isAxis())
    --tail;
  lastRun = tail;
  while (lastRun > 0 && splits[lastRun - 1].isAxis())
    --lastRun;
  int64_t units = 1;
  for (size_t i = tail; i < splits.size(); ++i)
    units *= splits[i].factor;
  size_t factor = 0;
  int64_t rest = sizes[0];
  for (size_t i = 0; i < splits.size(); ++i) {
    Split split = splits[i];
    int64_t size = splitSize(split, mesh);
    while (rest == 1 && factor + 1 < sizes.size())
      rest = sizes[++factor];
    llvm::ArrayRef<int64_t> laterSizes = sizes.drop_front(factor + 1);
    bool isLaterKnown = !llvm::is_contained(laterSizes, kUnknown);
    int64_t later = isLaterKnown ? product(laterSizes) : 1;
    if (i >= lastRun && i < tail && isLaterKnown && units % later == 0 &&
        (rest == kUnknown || rest % (units / later) == 0)) {
      // The run cuts this factor alone, evenly or not. An unknown one divides
      // by the remaining units, as the full dim does by all.
      result[factor].insert(result[factor].end(), splits.begin() + i,
                            splits.begin() + tail);
      if (units != later)
        result[factor].push_back(Split::byFactor(units / later));
      return result;
    }
    // Otherwise everything is exact; a split may cover the rest of a factor and
    // go on in the next one.
    if (rest == kUnknown && size > 1)
      return std::nullopt;
    while (size > 1 && rest % size != 0) {
      if (size % rest != 0 || factor + 1 == sizes.size() ||
          sizes[factor + 1] == kUnknown)
        return std::nullopt;
      if (split.isAxis()) {
        result[factor].push_back(Split::byAxis(subAxis(*split.axis, 1, rest)));
        split = Split::byAxis(subAxis(*split.axis, rest, size / rest));
      } else {
        result[factor].push_back(Split::byFactor(rest));
        split = Split::byFactor(size / rest);
      }
      size /= rest;
      rest = sizes[++factor];
    }
    if (size > 1) {
      result[factor].push_back(split);
      rest /= size;
    }
  }
  return result;
}

std::optional<std::vector<Splits>>
shardir::projectDim(const Splits &splits, llvm::ArrayRef<int64_t> sizes,
                    const Mesh &mesh) {
  std::vector<Splits> onFirst(sizes.size());
  if (axesOf(splits).empty())
    return onFirst;
  if (sizes.empty())
    return std::nullopt;
  if (sizes.size() == 1) {
    onFirst[0] = splits;
    return onFirst;
  }
  if (auto projected = projectSpelling(splits, sizes, mesh))
    return projected;
  // Others may spell the same blocks: {2, 3, "x"} is {6, "x"}.
  if (llvm::is_contained(sizes, kUnknown))
    return std::nullopt;
  std::vector<int64_t> shape = {product(sizes)};
  Placement own;
  own.dims.push_back({splits, false, std::nullopt});
  own = normalForm(own, mesh, shape);
  if (axesOf(own.dims[0].splits).empty())
    return onFirst;
  if (auto projected = projectSpelling(own.dims[0].splits, sizes, mesh))
    return projected;
  // The normal form ends in the smallest integer that cuts these blocks (P8),
  // or in none; the cut may still be one of complete later factors.
  Placement run = own;
  while (!run.dims[0].splits.back().isAxis())
    run.dims[0].splits.pop_back();
  for (size_t i = 1; i < sizes.size(); ++i)
    for (int64_t units : divisors(sizes[i - 1])) {
      Placement spelled = run;
      spelled.dims[0].splits.push_back(
          Split::byFactor(units * product(sizes.drop_front(i))));
      if (verifyPlacement(spelled, mesh, shape) ||
          !equivalent(own, spelled, mesh, shape))
        continue;
      if (auto projected = projectSpelling(spelled.dims[0].splits, sizes, mesh))
        return projected;
    }
  return std::nullopt;
}

std::optional<Splits> shardir::composeDim(llvm::ArrayRef<Splits> factorSplits,
                                          llvm::ArrayRef<int64_t> sizes,
                                          const Mesh &mesh) {
  Splits result;
  int last = -1;
  for (auto [i, splits] : llvm::enumerate(factorSplits))
    if (!axesOf(splits).empty())
      last = i;
  if (last < 0)
    return result;
  if (sizes.size() == 1)
    return factorSplits[0];
  if (llvm::is_contained(sizes.drop_front(last + 1), kUnknown)) {
    // Units of unknown size: blocks of complete ones alone, which every device
    // has the same number of, are blocks of the merged dim as well.
    Splits run = factorSplits[last];
    while (!run.back().isAxis())
      run.pop_back();
    int64_t cut = 1;
    for (const Split &split : run) {
      if (split.isAxis() && !isKnownAxis(mesh, *split.axis))
        return std::nullopt;
      cut *= splitSize(split, mesh);
    }
    if (last != 0 || sizes[last] == kUnknown || sizes[last] % cut != 0)
      return std::nullopt;
    return run;
  }
  for (int i = 0; i < last; ++i) {
    int64_t cut = 1;
    if (sizes[i] == kUnknown)
      return std::nullopt;
    for (const Split &split : factorSplits[i]) {
      result.push_back(split);
      cut *= splitSize(split, mesh);
    }
    if (sizes[i] % cut != 0)
      return std::nullopt;
    if (sizes[i] != cut)
      result.push_back(Split::byFactor(sizes[i] / cut));
  }
  llvm::append_range(result, factorSplits[last]);
  // Units of the later factors stay on one device. Where the last factor
  // has integers at its end they multiply with these.
  int64_t units = product(sizes.drop_front(last + 1));
  if (units != 1)
    result.push_back(Split::byFactor(units));
  return result;
}

FactorSplits shardir::projectTensor(const ShardingRule &rule,
                                    const TensorFactors &factors,
                                    const Placement &placement,
                                    const Mesh &mesh) {
  FactorSplits splits(rule.factors.size());
  for (auto [dim, dimFactors] : llvm::enumerate(factors.dims)) {
    llvm::SmallVector<int64_t> sizes;
    for (int factor : dimFactors)
      sizes.push_back(rule.factors[factor].size);
    if (factors.window(dim)) {
      if (llvm::all_of(placement.dims[dim].splits,
                       [](const Split &split) { return split.isAxis(); }))
        splits[dimFactors.front()] = placement.dims[dim].splits;
      continue;
    }
    auto projected = projectDim(placement.dims[dim].splits, sizes, mesh);
    if (!projected)
      continue;
    for (auto [factor, own] : llvm::zip(dimFactors, *projected))
      splits[factor] = own;
    // Behind pinned axes that leave single rows, what follows could be either
    // factor's.
    if (dimFactors.size() != 2)
      continue;
    const Splits &pinned = rule.factors[dimFactors[0]].pinned;
    Splits &first = splits[dimFactors[0]], &second = splits[dimFactors[1]];
    if (pinned.empty() || !second.empty() || first.size() <= pinned.size() ||
        !std::equal(pinned.begin(), pinned.end(), first.begin()))
      continue;
    second.assign(first.begin() + pinned.size(), first.end());
    first = pinned;
  }
  return splits;
}

std::optional<Placement> shardir::composeTensor(const ShardingRule &rule,
                                                const TensorFactors &factors,
                                                const FactorSplits &splits,
                                                const Mesh &mesh) {
  Placement placement = Placement::replicatedOfRank(factors.dims.size());
  llvm::SmallVector<AxisRef> used;
  std::vector<int64_t> shape;
  auto isNew = [&](const Splits &composed) {
    for (const Split &split : composed) {
      if (!split.isAxis())
        continue;
      for (const AxisRef &other : used)
        if (overlap(*split.axis, other, mesh))
          return false;
      used.push_back(*split.axis);
    }
    return true;
  };
  for (auto [dim, dimFactors] : llvm::enumerate(factors.dims)) {
    // Most dims have one factor, and that no splits.
    if (dimFactors.size() == 1) {
      const Splits &own = splits[dimFactors[0]];
      bool split = llvm::any_of(own, [](const Split &s) { return s.isAxis(); });
      if (split && !isNew(own))
        return std::nullopt;
      // Blocks of units, or of a strided dim, read no contiguous run.
      if (split &&
          (factors.window(dim) || rule.factors[dimFactors[0]].isOneBlock) &&
          !llvm::all_of(own, [](const Split &s) { return s.isAxis(); }))
        return std::nullopt;
      if (split)
        placement.dims[dim].splits = own;
      shape.push_back(rule.factors[dimFactors[0]].size);
      continue;
    }
    llvm::SmallVector<int64_t> sizes;
    llvm::SmallVector<Splits> own;
    int64_t extent = 1;
    for (int factor : dimFactors) {
      int64_t size = rule.factors[factor].size;
      sizes.push_back(size);
      own.push_back(splits[factor]);
      extent =
          size == kUnknown || extent == kUnknown ? kUnknown : extent * size;
    }
    auto composed = composeDim(own, sizes, mesh);
    if (!composed)
      return std::nullopt;
    if (!isNew(*composed))
      return std::nullopt;
    placement.dims[dim].splits = std::move(*composed);
    // A dim without factors has an extent that the rule does not know; nothing
    // splits it.
    shape.push_back(dimFactors.empty() ? 1 : extent);
  }
  return normalForm(placement, mesh, shape);
}

std::vector<int64_t> shardir::shapeOf(const ShardingRule &rule,
                                      const TensorFactors &factors) {
  std::vector<int64_t> shape;
  for (auto [dim, dimFactors] : llvm::enumerate(factors.dims)) {
    int64_t extent = 1;
    for (int factor : dimFactors) {
      int64_t size = rule.factors[factor].size;
      extent =
          size == kUnknown || extent == kUnknown ? kUnknown : extent * size;
    }
    const Window *window = factors.window(dim);
    shape.push_back(window ? window->size : extent);
  }
  return shape;
}

/// The window through which a factor reads what `inner` reads through `outer`.
static std::optional<DimHalo> through(const DimHalo &outer, int64_t extent,
                                      const Window &inner) {
  DimHalo result = outer;
  if (inner.open) {
    if (!outer.isZero())
      return std::nullopt;
    return DimHalo{
        inner.low,      inner.high, inner.open->extent.assumed, inner.stride,
        inner.dilation, true,       inner.open->shift.assumed};
  }
  if (outer.isOpen)
    return std::nullopt;
  if (!outer.isWindow())
    result.extent = extent;
  if (outer.dilation == 1) {
    result.low = outer.low * inner.stride + inner.low;
    result.high = outer.high * inner.stride + inner.high;
    result.stride = outer.stride * inner.stride;
    result.dilation = inner.dilation;
    return result;
  }
  if (inner.stride != 1 || inner.dilation != 1)
    return std::nullopt;
  result.low = outer.low + inner.low * outer.dilation;
  result.high = outer.high + inner.high * outer.dilation;
  return result;
}

std::optional<Halo> shardir::haloOf(const ShardingRule &rule, int operand,
                                    const FactorSplits &splits,
                                    const Mesh &mesh, const Halo &result) {
  const TensorFactors &factors = rule.operands[operand];
  Halo halo(factors.dims.size());
  for (auto [dim, dimFactors] : llvm::enumerate(factors.dims)) {
    DimHalo outer;
    if (dimFactors.size() == 1 && !result.empty())
      for (auto [d, own] : llvm::enumerate(rule.results.front().dims))
        if (own == dimFactors)
          outer = result[d];
    halo[dim] = outer;
    if (const Window *window = factors.window(dim)) {
      auto composed =
          through(outer, rule.factors[dimFactors.front()].size, *window);
      if (!composed)
        return std::nullopt;
      halo[dim] = *composed;
    }
  }
  auto placement = composeTensor(rule, factors, splits, mesh);
  if (!placement)
    return std::nullopt;
  std::vector<int64_t> shape = shapeOf(rule, factors);
  if (verifyHalo(halo, *placement, mesh, shape))
    return std::nullopt;
  return normalHalo(halo, *placement, mesh, shape);
}

Halo shardir::haloOf(const ShardingRule &rule, int operand,
                     const FactorSplits &splits, const Mesh &mesh) {
  return haloOf(rule, operand, splits, mesh, Halo()).value_or(Halo());
}

std::optional<CollectiveStep>
shardir::haloStep(const ShardingRule &rule, int operand, const Placement &from,
                  const FactorSplits &splits, const Mesh &mesh) {
  auto to = composeTensor(rule, rule.operands[operand], splits, mesh);
  if (!to)
    return std::nullopt;
  return CollectiveStep{CollectiveKind::HaloExchange, from, *to,
                        haloOf(rule, operand, splits, mesh)};
}

bool shardir::agrees(const Placement &present, const Halo &presentHalo,
                     const Placement &wanted, const Halo &wantedHalo,
                     const Mesh &mesh, const std::vector<int64_t> &shape) {
  if (!equivalent(present, wanted, mesh, blockShape(shape, wantedHalo)) ||
      !equivalent(present, wanted, mesh, shape))
    return false;
  Halo own = normalHalo(presentHalo, present, mesh, shape);
  Halo needed = normalHalo(wantedHalo, wanted, mesh, shape);
  own.resize(shape.size());
  needed.resize(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (own[d] != needed[d] && !(own[d].isZero() && present.axesOf(d).empty() &&
                                 wanted.axesOf(d).empty()))
      return false;
  return true;
}
