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

#include <algorithm>
#include <functional>

using namespace shardir;
using namespace shardir::detail;

std::string shardir::toString(const Halo &halo) {
  std::string text = "[";
  for (size_t d = 0; d < halo.size(); ++d)
    text += (d ? ", " : "") + toString(halo[d]);
  return text + "]";
}

std::string shardir::toString(const DimHalo &halo) {
  std::string text = "[";
  for (int64_t number : numbersOf(halo))
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

std::vector<int64_t> shardir::numbersOf(const DimHalo &halo) {
  if (!halo.isWindow())
    return {halo.low, halo.high};
  std::vector<int64_t> numbers = {halo.low, halo.high, halo.extent, halo.stride,
                                  halo.dilation};
  if (halo.isOpen)
    numbers.push_back(halo.shift);
  return numbers;
}

DimHalo shardir::dimHaloOf(const std::vector<int64_t> &numbers) {
  DimHalo halo{numbers[0], numbers[1]};
  if (numbers.size() < 5)
    return halo;
  halo.extent = numbers[2];
  halo.stride = numbers[3];
  halo.dilation = numbers[4];
  halo.isOpen = numbers.size() == 6;
  halo.shift = halo.isOpen ? numbers[5] : 0;
  return halo;
}

size_t shardir::numOpenWindows(const Halo &halo) {
  return size_t(std::count_if(halo.begin(), halo.end(),
                              [](const DimHalo &own) { return own.isOpen; }));
}

/// Rounded towards minus infinity.
static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::pair<int64_t, int64_t> DimHalo::rows(int64_t begin, int64_t end,
                                          int64_t size) const {
  if (begin >= end)
    return {0, 0};
  if (!isWindow())
    return {begin > low ? begin - low : 0,
            high >= size - end ? size : end + high};
  int64_t first =
      floorDiv(begin * stride - low + shift + dilation - 1, dilation);
  int64_t last = floorDiv((end - 1) * stride + high + shift, dilation);
  first = std::clamp<int64_t>(first, 0, size);
  return {first, std::clamp<int64_t>(last + 1, first, size)};
}

std::vector<int64_t> shardir::blockShape(const std::vector<int64_t> &shape,
                                         const Halo &halo) {
  std::vector<int64_t> result = shape;
  for (size_t d = 0; d < result.size() && d < halo.size(); ++d)
    if (halo[d].isWindow())
      result[d] = halo[d].isOpen ? kUnknown : halo[d].extent;
  return result;
}

/// The same with the extents that open windows assume.
static std::vector<int64_t> assumedBlocks(const std::vector<int64_t> &shape,
                                          const Halo &halo) {
  std::vector<int64_t> result = shape;
  for (size_t d = 0; d < result.size() && d < halo.size(); ++d)
    if (halo[d].isWindow())
      result[d] = halo[d].extent;
  return result;
}

/// Calls `visit` with the coordinates of each block of a dim that `axes` cut,
/// until it returns false. Cuts nest, so that any block may be short.
static bool
forEachBlock(const std::vector<AxisRef> &axes, const Mesh &mesh,
             const std::function<bool(const std::vector<int64_t> &)> &visit) {
  int64_t blocks = groupSize(mesh, axes);
  for (int64_t i = 0; i < blocks; ++i) {
    std::vector<int64_t> coords(mesh.axes.size(), 0);
    int64_t rest = i;
    for (size_t a = axes.size(); a-- > 0;) {
      int64_t cuts = axisSize(mesh, axes[a]);
      int64_t inner =
          axisSize(mesh, {axes[a].name, 1, 0}) / axisEnd(mesh, axes[a]);
      coords[mesh.axisIndex(axes[a].name)] += rest % cuts * inner;
      rest /= cuts;
    }
    if (!visit(coords))
      return false;
  }
  return true;
}

DimShard detail::withHalo(const DimShard &shard, const DimHalo &halo,
                          int64_t size) {
  if (halo.isZero())
    return shard;
  // One digit is cut and those below it are not: a block.
  int64_t offset = 0, length = 1;
  for (const Digit &digit : shard.digits) {
    offset = mulSaturated(offset, digit.extent) + digit.offset;
    length = mulSaturated(length, digit.length);
  }
  auto [begin, end] = halo.rows(offset, offset + length, size);
  return DimShard{{Digit{size, begin, end - begin}}};
}

/// True if each block reads its own block of the dim through the window.
static bool readsOwnBlocks(const DimPlacement &dim, const DimHalo &halo,
                           const Mesh &mesh, int64_t size) {
  std::vector<AxisRef> axes;
  for (const Split &split : dim.splits) {
    if (!split.isAxis() || !isKnown(mesh, *split.axis))
      return false;
    axes.push_back(*split.axis);
  }
  if (size == kUnknown || !mesh.isConcrete())
    return false;
  return forEachBlock(axes, mesh, [&](const std::vector<int64_t> &coords) {
    Digit own = dimShardOf(dim, mesh, size, coords).digits.front();
    Digit read =
        withHalo(dimShardOf(dim, mesh, halo.extent, coords), halo, size)
            .digits.front();
    return own.length == read.length &&
           (own.length == 0 || own.offset == read.offset);
  });
}

Halo shardir::normalHalo(const Halo &halo, const Placement &placement,
                         const Mesh &mesh, const std::vector<int64_t> &shape) {
  Halo result = halo;
  bool any = false;
  for (size_t d = 0; d < result.size(); ++d) {
    DimHalo &own = result[d];
    int64_t size = d < shape.size() ? shape[d] : kUnknown;
    if (own.isWindow() && !own.isOpen && own.extent == size &&
        own.stride == 1 && own.dilation == 1 && own.low >= 0 && own.high >= 0)
      own = {own.low, own.high};
    int64_t blocks = own.isOpen ? kUnknown : own.isWindow() ? own.extent : size;
    bool isWhole = d >= placement.dims.size() ||
                   normalDim(placement.dims[d], mesh, blocks).splits.empty();
    // Of an open window that is decided by the sizes that are assumed.
    int64_t read = own.isOpen && size == kUnknown ? kAssumedDimSize : size;
    if (isWhole && (!own.isWindow() || own.rows(0, own.extent, read) ==
                                           std::pair(int64_t(0), read)))
      own = {};
    if (own.isWindow() && !own.isOpen && d < placement.dims.size() &&
        readsOwnBlocks(placement.dims[d], own, mesh, size))
      own = {};
    any |= !own.isZero();
  }
  return any ? result : Halo();
}

/// The error in the numbers of one entry; empty if they are valid.
static std::string numberError(const DimHalo &halo, int64_t size) {
  if (!halo.isWindow())
    return halo.low < 0 || halo.high < 0 ? "must not be negative" : "";
  auto inRange = [](int64_t number, int64_t least) {
    return number >= least && number <= kMaxWindow;
  };
  if (!inRange(halo.low, -kMaxWindow) || !inRange(halo.high, -kMaxWindow) ||
      !inRange(halo.extent, 0) || !inRange(halo.stride, 1) ||
      !inRange(halo.dilation, 1) || !inRange(halo.shift, -kMaxWindow))
    return "must be [low, high, extent, stride, dilation] with an extent from "
           "0, a stride and a dilation from 1, and no number above " +
           std::to_string(kMaxWindow);
  if (size == kUnknown && !halo.isOpen)
    return "is a window, which needs the dim's extent";
  return "";
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
    int64_t size = d < shape.size() ? shape[d] : kUnknown;
    if (std::string error = numberError(halo[d], size); !error.empty())
      return PlacementError{"halo of dim " + std::to_string(d) + " " + error,
                            ""};
    if (halo[d].isZero())
      continue;
    if (halo[d].isWindow())
      size = halo[d].isOpen ? kUnknown : halo[d].extent;
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
        "dim " + std::to_string(d) + " has a halo of " + toString(halo[d]) +
            ", but {" + text + "} cuts it into several blocks per device",
        "a halo needs one block per device: split the dim by axes alone, " +
            toString(alone)};
  }
  return std::nullopt;
}

std::vector<DimShard> shardir::shardOf(const Placement &placement,
                                       const Halo &halo, const Mesh &mesh,
                                       const std::vector<int64_t> &shape,
                                       int64_t position) {
  std::vector<DimShard> shard =
      shardOf(placement, mesh, assumedBlocks(shape, halo), position);
  for (size_t d = 0; d < shard.size() && d < halo.size(); ++d)
    shard[d] = withHalo(shard[d], halo[d], shape[d]);
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
  if (dim < halo.size() && halo[dim].isOpen)
    return std::nullopt;
  if (dim >= halo.size() || halo[dim].isZero() || dimSize < 0 ||
      dim >= placement.dims.size())
    return uniformLocalExtent(placement, mesh, dimSize, dim);
  std::vector<AxisRef> axes = placement.axesOf(dim);
  for (const AxisRef &axis : axes)
    if (!isKnown(mesh, axis))
      return std::nullopt;
  int64_t size = halo[dim].isWindow() ? halo[dim].extent : dimSize;
  std::optional<int64_t> common;
  bool isUniform =
      forEachBlock(axes, mesh, [&](const std::vector<int64_t> &coords) {
        int64_t extent =
            withHalo(dimShardOf(placement.dims[dim], mesh, size, coords),
                     halo[dim], dimSize)
                .localExtent();
        bool same = !common || *common == extent;
        common = extent;
        return same;
      });
  return isUniform ? common : std::nullopt;
}
