//===- Shard.cpp - What each device holds of a tensor -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a placement that verifies against mesh and shape.
// Guarantees that the shards of all devices, for the axes that split a tensor,
// cover every element exactly once, short and empty blocks included (P3), and
// that local order is global order: the local index is the rank of the global
// index among those that the device holds.
//
// A dimension is a mixed-radix number. Integers are digits that stay, each run
// of axes is one digit: an earlier run cuts a digit whose extent is the run's
// size into single values, the last run cuts what is left of the dimension.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"

using namespace shardir;
using namespace shardir::detail;

std::vector<Split> detail::nontrivialSplits(const DimPlacement &dim,
                                            const Mesh &mesh) {
  std::vector<Split> splits;
  for (const Split &split : dim.splits)
    if (split.isAxis() ? !isTrivial(mesh, *split.axis) : split.factor != 1)
      splits.push_back(split);
  return splits;
}

std::pair<size_t, size_t> detail::lastRun(const std::vector<Split> &splits) {
  size_t end = splits.size();
  while (end > 0 && !splits[end - 1].isAxis())
    --end;
  size_t begin = end;
  while (begin > 0 && splits[begin - 1].isAxis())
    --begin;
  return {begin, end};
}

int64_t shardir::exactFactor(const DimPlacement &dim, const Mesh &mesh) {
  std::vector<Split> splits = nontrivialSplits(dim, mesh);
  auto [begin, end] = lastRun(splits);
  int64_t exact = 1;
  for (size_t i = 0; i < splits.size() && begin != end; ++i)
    if (i < begin || i >= end)
      exact = mulSaturated(exact, splits[i].isAxis()
                                      ? axisSize(mesh, *splits[i].axis)
                                      : std::max<int64_t>(1, splits[i].factor));
  return exact;
}

std::vector<SymbolicDigit> detail::digitsOf(const DimPlacement &dim,
                                            const Mesh &mesh, int64_t size) {
  std::vector<Split> splits = nontrivialSplits(dim, mesh);
  auto [begin, end] = lastRun(splits);
  if (begin == end)
    return {SymbolicDigit{size, {}}};

  // Everything but the last run divides the dimension exactly.
  int64_t exact = exactFactor(dim, mesh);

  std::vector<SymbolicDigit> digits;
  for (size_t i = 0; i < splits.size(); ++i) {
    bool isAxis = splits[i].isAxis();
    // A run is one digit, and so is a product of adjacent integers.
    if (i == 0 || isAxis != splits[i - 1].isAxis())
      digits.push_back(SymbolicDigit{1, {}});
    SymbolicDigit &digit = digits.back();
    if (isAxis) {
      digit.axes.push_back(*splits[i].axis);
      digit.extent =
          mulSaturated(digit.extent, axisSize(mesh, *splits[i].axis));
      if (i >= begin)
        digit.extent = size == kUnknown ? kUnknown : size / exact;
    } else {
      digit.extent =
          mulSaturated(digit.extent, std::max<int64_t>(1, splits[i].factor));
    }
  }
  return digits;
}

DimShard detail::dimShardOf(const DimPlacement &dim, const Mesh &mesh,
                            int64_t size, const std::vector<int64_t> &coords) {
  return dimShardOf(digitsOf(dim, mesh, size), mesh, coords);
}

DimShard detail::dimShardOf(const std::vector<SymbolicDigit> &digits,
                            const Mesh &mesh,
                            const std::vector<int64_t> &coords) {
  DimShard shard;
  shard.digits.reserve(digits.size());
  for (const SymbolicDigit &digit : digits) {
    Block block{0, digit.extent};
    for (const AxisRef &axis : digit.axes) {
      Block inner = cutBlock(block.length, axisSize(mesh, axis),
                             axisCoordinate(mesh, axis, coords));
      block = Block{block.offset + inner.offset, inner.length};
    }
    shard.digits.push_back(Digit{digit.extent, block.offset, block.length});
  }
  return shard;
}

//===----------------------------------------------------------------------===//
// DimShard
//===----------------------------------------------------------------------===//

int64_t DimShard::localExtent() const {
  int64_t extent = 1;
  for (const Digit &digit : digits)
    extent = digit.length == 0 ? 0 : mulSaturated(extent, digit.length);
  return extent;
}

int64_t DimShard::globalExtent() const {
  int64_t extent = 1;
  for (const Digit &digit : digits)
    extent = digit.extent == 0 ? 0 : mulSaturated(extent, digit.extent);
  return extent;
}

int64_t DimShard::toGlobal(int64_t local) const {
  int64_t global = 0, stride = 1;
  for (size_t i = digits.size(); i-- > 0;) {
    const Digit &digit = digits[i];
    if (digit.length == 0)
      return -1;
    // The most major digit takes what is left, so that a local index past the
    // end stays past the end.
    int64_t value = i == 0 ? local : local % digit.length;
    local /= digit.length;
    global += (digit.offset + value) * stride;
    stride *= digit.extent;
  }
  return global;
}

int64_t DimShard::toLocal(int64_t global) const {
  if (global < 0)
    return -1;
  int64_t local = 0, stride = 1;
  for (size_t i = digits.size(); i-- > 0;) {
    const Digit &digit = digits[i];
    if (digit.extent == 0)
      return -1;
    int64_t value = (i == 0 ? global : global % digit.extent) - digit.offset;
    global /= digit.extent;
    if (value < 0 || value >= digit.length)
      return -1;
    local += value * stride;
    stride *= digit.length;
  }
  return local;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::vector<DimShard> shardir::shardOf(const Placement &placement,
                                       const Mesh &mesh,
                                       const std::vector<int64_t> &shape,
                                       int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  std::vector<DimShard> shard;
  static const DimPlacement whole;
  std::vector<int64_t> sizes = assumedShape(shape, mesh, {&placement});
  for (size_t d = 0; d < shape.size(); ++d)
    shard.push_back(
        dimShardOf(d < placement.dims.size() ? placement.dims[d] : whole, mesh,
                   sizes[d], coords));
  return shard;
}

std::vector<int64_t> shardir::localShape(const Placement &placement,
                                         const Mesh &mesh,
                                         const std::vector<int64_t> &shape,
                                         int64_t position) {
  std::vector<int64_t> local;
  for (const DimShard &dim : shardOf(placement, mesh, shape, position))
    local.push_back(dim.localExtent());
  return local;
}

std::vector<int64_t>
shardir::localElements(const Placement &placement, const Mesh &mesh,
                       const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &positions) {
  std::vector<std::vector<SymbolicDigit>> digits;
  for (size_t d = 0; d < shape.size(); ++d)
    digits.push_back(
        digitsOf(d < placement.dims.size() ? placement.dims[d] : DimPlacement(),
                 mesh, shape[d]));
  std::vector<int64_t> counts;
  counts.reserve(positions.size());
  for (int64_t position : positions) {
    std::vector<int64_t> coords = mesh.coordinates(position);
    int64_t count = 1;
    for (const std::vector<SymbolicDigit> &dim : digits)
      count *= dimShardOf(dim, mesh, coords).localExtent();
    counts.push_back(count);
  }
  return counts;
}

int64_t shardir::maxLocalExtent(const Placement &placement, const Mesh &mesh,
                                int64_t dimSize, size_t dim) {
  if (dim >= placement.dims.size())
    return dimSize < 0 ? kAssumedDimSize : dimSize;
  if (dimSize < 0) {
    std::vector<int64_t> unknown(placement.dims.size(), kUnknown);
    dimSize = assumedShape(unknown, mesh, {&placement})[dim];
  }
  // The first device has the first block of every cut, which is the longest.
  std::vector<int64_t> first(mesh.axes.size(), 0);
  return dimShardOf(placement.dims[dim], mesh, dimSize, first).localExtent();
}

std::optional<int64_t> shardir::uniformLocalExtent(const Placement &placement,
                                                   const Mesh &mesh,
                                                   int64_t dimSize,
                                                   size_t dim) {
  if (dimSize < 0)
    return std::nullopt;
  if (dim >= placement.dims.size())
    return dimSize;
  int64_t local = 1;
  for (const SymbolicDigit &digit :
       digitsOf(placement.dims[dim], mesh, dimSize)) {
    int64_t count = 1;
    for (const AxisRef &axis : digit.axes) {
      if (!isKnown(mesh, axis))
        return std::nullopt;
      count = mulSaturated(count, axisSize(mesh, axis));
    }
    // Blocks are all equal exactly if they divide: they add up to the extent.
    if (digit.extent % count != 0)
      return std::nullopt;
    local = digit.extent == 0 ? 0 : mulSaturated(local, digit.extent / count);
  }
  return local;
}

std::vector<SymbolicDigit> shardir::symbolicDigits(const Placement &placement,
                                                   const Mesh &mesh,
                                                   int64_t dimSize,
                                                   size_t dim) {
  if (dim >= placement.dims.size())
    return {SymbolicDigit{dimSize, {}}};
  return digitsOf(placement.dims[dim], mesh, dimSize);
}
