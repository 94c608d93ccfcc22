//===- Halo.cpp - Overlapping shards ----------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires placements that verify; halos are whatever a user wrote, up to the
// largest integer.
// Guarantees shards of one block per dimension that has a halo, clipped to the
// tensor, and nothing that overflows.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

using namespace shardir;
using namespace shardir::detail;

std::string shardir::toString(const Halo &halo) {
  std::string text = "[";
  for (size_t d = 0; d < halo.size(); ++d)
    text += (d ? ", [" : "[") + std::to_string(halo[d][0]) + ", " +
            std::to_string(halo[d][1]) + "]";
  return text + "]";
}

static bool isZero(const std::array<int64_t, 2> &sides) {
  return sides[0] == 0 && sides[1] == 0;
}

Halo shardir::normalHalo(const Halo &halo, const Placement &placement,
                         const Mesh &mesh, const std::vector<int64_t> &shape) {
  Halo result = halo;
  bool any = false;
  for (size_t d = 0; d < result.size(); ++d) {
    int64_t size = d < shape.size() ? shape[d] : kUnknown;
    if (d >= placement.dims.size() ||
        normalDim(placement.dims[d], mesh, size).splits.empty())
      result[d] = {0, 0};
    any |= !isZero(result[d]);
  }
  return any ? result : Halo();
}

std::optional<PlacementError>
shardir::verifyHalo(const Halo &halo, const Placement &placement,
                    const Mesh &mesh, const std::vector<int64_t> &shape) {
  if (halo.empty())
    return std::nullopt;
  if (halo.size() != placement.dims.size())
    return PlacementError{"halo has " + std::to_string(halo.size()) +
                              " entries for a tensor of rank " +
                              std::to_string(placement.dims.size()),
                          ""};
  for (size_t d = 0; d < halo.size(); ++d) {
    if (halo[d][0] < 0 || halo[d][1] < 0)
      return PlacementError{
          "halo of dim " + std::to_string(d) + " must not be negative", ""};
    if (isZero(halo[d]))
      continue;
    int64_t size = d < shape.size() ? shape[d] : kUnknown;
    std::vector<Split> splits = normalDim(placement.dims[d], mesh, size).splits;
    auto [begin, end] = lastRun(splits);
    if (begin == end || begin == 0)
      continue;
    Placement alone = placement.closed();
    alone.partial.reset();
    alone.partialAxes.clear();
    alone.dims[d].splits.clear();
    for (const AxisRef &axis : placement.axesOf(d))
      alone.dims[d].splits.push_back(Split::byAxis(axis));
    std::string text;
    for (const Split &split : splits)
      text += (text.empty() ? "" : ", ") + (split.isAxis()
                                                ? toString(*split.axis)
                                                : std::to_string(split.factor));
    return PlacementError{
        "dim " + std::to_string(d) + " has a halo of [" +
            std::to_string(halo[d][0]) + ", " + std::to_string(halo[d][1]) +
            "], but {" + text + "} cuts it into several blocks per device",
        "a halo needs one block per device: split the dim by axes alone, " +
            toString(alone)};
  }
  return std::nullopt;
}

DimShard detail::withHalo(const DimShard &shard, int64_t low, int64_t high) {
  if (low == 0 && high == 0)
    return shard;
  // One digit is cut and those below it are whole: a block.
  int64_t offset = 0, length = 1, extent = 1;
  for (const Digit &digit : shard.digits) {
    offset = mulSaturated(offset, digit.extent) + digit.offset;
    length = mulSaturated(length, digit.length);
    extent = mulSaturated(extent, digit.extent);
  }
  if (length == 0)
    return DimShard{{Digit{extent, offset, 0}}};
  int64_t begin = offset > low ? offset - low : 0;
  int64_t end = offset + length;
  end = high >= extent - end ? extent : end + high;
  return DimShard{{Digit{extent, begin, end - begin}}};
}

std::vector<DimShard> shardir::shardOf(const Placement &placement,
                                       const Halo &halo, const Mesh &mesh,
                                       const std::vector<int64_t> &shape,
                                       int64_t position) {
  std::vector<DimShard> shard = shardOf(placement, mesh, shape, position);
  for (size_t d = 0; d < shard.size() && d < halo.size(); ++d)
    shard[d] = withHalo(shard[d], halo[d][0], halo[d][1]);
  return shard;
}

std::vector<int64_t> shardir::localShape(const Placement &placement,
                                         const Halo &halo, const Mesh &mesh,
                                         const std::vector<int64_t> &shape,
                                         int64_t position) {
  std::vector<int64_t> local;
  for (const DimShard &dim : shardOf(placement, halo, mesh, shape, position))
    local.push_back(dim.localExtent());
  return local;
}

std::optional<int64_t>
shardir::uniformLocalExtent(const Placement &placement, const Halo &halo,
                            const Mesh &mesh, int64_t dimSize, size_t dim) {
  if (dim >= halo.size() || isZero(halo[dim]) || dimSize < 0 ||
      dim >= placement.dims.size())
    return uniformLocalExtent(placement, mesh, dimSize, dim);
  int64_t blocks = 1;
  for (const AxisRef &axis : placement.axesOf(dim)) {
    if (!isKnown(mesh, axis))
      return std::nullopt;
    blocks = mulSaturated(blocks, axisSize(mesh, axis));
  }
  // Cuts nest, so that any block may be short or near an end: all are looked
  // at.
  std::optional<int64_t> common;
  std::vector<AxisRef> axes = placement.axesOf(dim);
  for (int64_t i = 0; i < blocks; ++i) {
    std::vector<int64_t> coords(mesh.axes.size(), 0);
    int64_t rest = i;
    for (size_t a = axes.size(); a-- > 0;) {
      int64_t size = axisSize(mesh, axes[a]);
      int64_t inner =
          axisSize(mesh, {axes[a].name, 1, 0}) / axisEnd(mesh, axes[a]);
      coords[mesh.axisIndex(axes[a].name)] += rest % size * inner;
      rest /= size;
    }
    int64_t extent =
        withHalo(dimShardOf(placement.dims[dim], mesh, dimSize, coords),
                 halo[dim][0], halo[dim][1])
            .localExtent();
    if (common && *common != extent)
      return std::nullopt;
    common = extent;
  }
  return common;
}
