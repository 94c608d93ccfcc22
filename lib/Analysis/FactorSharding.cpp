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

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

std::vector<AxisRef> shardir::axesOf(const Splits &splits) {
  std::vector<AxisRef> axes;
  for (const Split &split : splits)
    if (split.isAxis())
      axes.push_back(*split.axis);
  return axes;
}

static int64_t splitSize(const Split &split, const Mesh &mesh) {
  return split.isAxis() ? axisSize(mesh, *split.axis) : split.factor;
}

/// The sub-axis [pre, size) of an axis or sub-axis.
static AxisRef subAxis(const AxisRef &axis, int64_t pre, int64_t size) {
  return {axis.name, axis.preSize * pre, size};
}

static bool isIntegersOnly(llvm::ArrayRef<Split> splits) {
  return llvm::none_of(splits, [](const Split &s) { return s.isAxis(); });
}

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

std::optional<std::vector<Splits>>
shardir::projectDim(const Splits &splits, llvm::ArrayRef<int64_t> sizes,
                    const Mesh &mesh) {
  std::vector<Splits> result(sizes.size());
  if (sizes.empty())
    return axesOf(splits).empty() ? std::optional(result) : std::nullopt;
  if (sizes.size() == 1) {
    result[0] = splits;
    return result;
  }
  if (llvm::is_contained(sizes, kUnknown))
    return axesOf(splits).empty() ? std::optional(result) : std::nullopt;
  size_t factor = 0;
  int64_t rest = sizes[0];
  auto advance = [&] {
    while (rest == 1 && factor + 1 < sizes.size())
      rest = sizes[++factor];
  };
  for (size_t i = 0; i < splits.size(); ++i) {
    Split split = splits[i];
    int64_t size = splitSize(split, mesh);
    if (size == 1)
      continue;
    // A split may cover the rest of several factors exactly.
    int64_t covered = 1;
    while (true) {
      advance();
      if (rest % size == 0) {
        result[factor].push_back(split);
        rest /= size;
        break;
      }
      if (size % rest != 0 || factor + 1 == sizes.size()) {
        // An uneven cut must be of whole later factors: what follows are the
        // integers that make them up.
        llvm::ArrayRef<Split> tail = llvm::ArrayRef<Split>(splits).drop_front(i + 1);
        if (!split.isAxis() || !isIntegersOnly(tail))
          return std::nullopt;
        int64_t units = 1;
        for (const Split &s : tail)
          units *= s.factor;
        int64_t later = product(sizes.drop_front(factor + 1));
        if (units % later != 0 || rest % (units / later) != 0)
          return std::nullopt;
        result[factor].push_back(split);
        if (units != later)
          result[factor].push_back(Split::byFactor(units / later));
        return result;
      }
      if (split.isAxis()) {
        result[factor].push_back(Split::byAxis(subAxis(*split.axis, 1, rest)));
        split = Split::byAxis(subAxis(*split.axis, rest, size / rest));
      } else {
        result[factor].push_back(Split::byFactor(rest));
        split = Split::byFactor(size / rest);
      }
      covered *= rest;
      size /= rest;
      rest = 1;
    }
  }
  return result;
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
  if (llvm::is_contained(sizes, kUnknown))
    return std::nullopt;
  for (int i = 0; i < last; ++i) {
    int64_t cut = 1;
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
  // Units of the later factors stay whole on the device. Where the last factor
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
    auto projected = projectDim(placement.dims[dim].splits, sizes, mesh);
    if (!projected)
      continue;
    for (auto [factor, own] : llvm::zip(dimFactors, *projected))
      splits[factor] = own;
  }
  return splits;
}

std::optional<Placement> shardir::composeTensor(const ShardingRule &rule,
                                                const TensorFactors &factors,
                                                const FactorSplits &splits,
                                                const Mesh &mesh) {
  Placement placement = Placement::replicatedOfRank(factors.dims.size());
  std::vector<AxisRef> used;
  std::vector<int64_t> shape;
  for (auto [dim, dimFactors] : llvm::enumerate(factors.dims)) {
    llvm::SmallVector<int64_t> sizes;
    llvm::SmallVector<Splits> own;
    int64_t extent = 1;
    for (int factor : dimFactors) {
      int64_t size = rule.factors[factor].size;
      sizes.push_back(size);
      own.push_back(splits[factor]);
      extent = size == kUnknown || extent == kUnknown ? kUnknown : extent * size;
    }
    auto composed = composeDim(own, sizes, mesh);
    if (!composed)
      return std::nullopt;
    for (const AxisRef &axis : axesOf(*composed)) {
      for (const AxisRef &other : used)
        if (overlap(axis, other, mesh))
          return std::nullopt;
      used.push_back(axis);
    }
    placement.dims[dim].splits = *composed;
    // A dim without factors has an extent that the rule does not know; nothing
    // splits it.
    shape.push_back(dimFactors.empty() ? 1 : extent);
  }
  return normalForm(placement, mesh, shape);
}
