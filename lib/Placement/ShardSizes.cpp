//===- Volumes.cpp - What devices hold and share, in tables -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires what ShardSizes.h says.
// Guarantees tables equal to what dimShardOf and intersectionSize give for
// every device, at the cost of one cut per coordinate along the axes that a
// dimension is split by; blocks that lie together are intersected as intervals.
//
//===----------------------------------------------------------------------===//

#include "ShardSizes.h"

using namespace shardir;
using namespace shardir::detail;

/// Where more blocks of one dim could meet, what follows from whether they do
/// (how many devices a device hears from, and how much it sends) is bounded
/// from above instead of counted.
static constexpr size_t kMaxMeetings = size_t{1} << 16;

ShardSizes::ShardSizes(const Mesh &mesh, const std::vector<int64_t> &shape,
                       const std::vector<const Placement *> &placements)
    : mesh(mesh), shape(shape), dims(shape.size()) {
  std::vector<bool> used(mesh.axes.size(), false);
  auto use = [&](const AxisRef &axis) {
    int index = mesh.axisIndex(axis.name);
    if (index >= 0)
      used[static_cast<size_t>(index)] = true;
  };
  for (const Placement *placement : placements) {
    for (const DimPlacement &dim : placement->dims)
      for (const Split &split : dim.splits)
        if (split.isAxis())
          use(*split.axis);
    for (const AxisRef &axis : placement->partialAxes)
      use(axis);
  }
  strides.assign(mesh.axes.size(), 0);
  int64_t stride = 1;
  for (size_t i = mesh.axes.size(); i-- > 0;)
    if (used[i]) {
      strides[i] = stride;
      stride = mulSaturated(stride, mesh.axes[i].size);
    }
  std::vector<int64_t> current(mesh.axes.size(), 0);
  while (true) {
    coords.push_back(current);
    size_t i = mesh.axes.size();
    for (; i > 0; --i) {
      if (!used[i - 1])
        continue;
      if (++current[i - 1] < mesh.axes[i - 1].size)
        break;
      current[i - 1] = 0;
    }
    if (i == 0)
      break;
  }
}

size_t ShardSizes::deviceAt(const std::vector<int64_t> &meshCoordinates) const {
  int64_t device = 0;
  for (size_t i = 0; i < strides.size(); ++i)
    device += meshCoordinates[i] * strides[i];
  return static_cast<size_t>(device);
}

int ShardSizes::option(size_t d, const DimPlacement &dim) {
  Dim &known = dims[d];
  for (size_t i = 0; i < known.options.size(); ++i)
    if (known.options[i].dim.splits == dim.splits)
      return static_cast<int>(i);

  Option &option = known.options.emplace_back();
  option.dim.splits = dim.splits;
  // A cut depends on the coordinates along the option's own axes alone.
  std::vector<AxisRef> axes;
  for (const Split &split : dim.splits)
    if (split.isAxis())
      axes.push_back(*split.axis);
  std::vector<int32_t> cutAt(static_cast<size_t>(groupSize(mesh, axes)), -1);
  option.cutOf.reserve(coords.size());
  option.extents.reserve(coords.size());
  for (const std::vector<int64_t> &at : coords) {
    int32_t &cut = cutAt[static_cast<size_t>(groupCoordinate(mesh, axes, at))];
    if (cut < 0) {
      cut = static_cast<int32_t>(option.cuts.size());
      Cut &made = option.cuts.emplace_back();
      made.shard = dimShardOf(option.dim, mesh, shape[d], at);
      made.extent = made.shard.localExtent();
      const std::vector<Digit> &digits = made.shard.digits;
      made.isInterval = true;
      int64_t inner = 1;
      for (size_t i = 1; i < digits.size(); ++i) {
        made.isInterval &= digits[i].length == digits[i].extent;
        inner = mulSaturated(inner, digits[i].extent);
      }
      made.begin = mulSaturated(digits[0].offset, inner);
    }
    option.cutOf.push_back(static_cast<uint32_t>(cut));
    option.extents.push_back(option.cuts[static_cast<size_t>(cut)].extent);
  }
  return static_cast<int>(known.options.size() - 1);
}

int64_t ShardSizes::sharedBy(const Cut &a, const Cut &b) {
  if (a.extent == 0 || b.extent == 0)
    return 0;
  if (a.isInterval && b.isInterval)
    return std::max<int64_t>(0,
                             std::min(a.begin + a.extent, b.begin + b.extent) -
                                 std::max(a.begin, b.begin));
  return intersectionSize(a.shard, b.shard);
}

const ShardSizes::Table &ShardSizes::shared(size_t d, int a, int b) {
  Dim &dim = dims[d];
  if (a == b)
    return extents(d, a);
  if (a > b)
    std::swap(a, b);
  uint64_t key = static_cast<uint64_t>(a) << 32 | static_cast<uint64_t>(b);
  auto [entry, isNew] = dim.shared.try_emplace(key);
  if (!isNew)
    return entry->second;
  const Option &first = dim.options[static_cast<size_t>(a)];
  const Option &second = dim.options[static_cast<size_t>(b)];
  size_t columns = second.cuts.size();
  Table &table = entry->second;
  table.reserve(coords.size());
  if (first.cuts.size() * columns > coords.size()) {
    for (size_t p = 0; p < coords.size(); ++p)
      table.push_back(
          sharedBy(first.cuts[first.cutOf[p]], second.cuts[second.cutOf[p]]));
    return table;
  }
  // Each pair of cuts that meet on some device, once.
  std::vector<int64_t> both(first.cuts.size() * columns, -1);
  for (size_t p = 0; p < coords.size(); ++p) {
    int64_t &size = both[first.cutOf[p] * columns + second.cutOf[p]];
    if (size < 0)
      size = sharedBy(first.cuts[first.cutOf[p]], second.cuts[second.cutOf[p]]);
    table.push_back(size);
  }
  return table;
}

bool ShardSizes::contains(size_t d, int outer, int inner) {
  return outer == inner || shared(d, outer, inner) == extents(d, inner);
}

bool ShardSizes::permutes(size_t d, int outer, int inner) {
  if (outer == inner)
    return true;
  const Option &from = dims[d].options[static_cast<size_t>(outer)];
  const Option &to = dims[d].options[static_cast<size_t>(inner)];
  for (const Cut &wanted : to.cuts) {
    bool found = wanted.extent == 0;
    for (const Cut &cut : from.cuts)
      found = found || (cut.extent == wanted.extent &&
                        sharedBy(cut, wanted) == wanted.extent);
    if (!found)
      return false;
  }
  return true;
}

const ShardSizes::Table &ShardSizes::meeting(size_t d, int from, int to) {
  auto [entry, isNew] = dims[d].meeting.try_emplace(
      static_cast<uint64_t>(from) << 32 | static_cast<uint64_t>(to));
  Table &table = entry->second;
  if (!isNew)
    return table;
  const Option &source = dims[d].options[static_cast<size_t>(from)];
  const Option &target = dims[d].options[static_cast<size_t>(to)];
  Table counts;
  bool tooMany = source.cuts.size() * target.cuts.size() > kMaxMeetings;
  for (const Cut &wanted : target.cuts) {
    if (tooMany) {
      counts.push_back(static_cast<int64_t>(source.cuts.size()));
      continue;
    }
    int64_t count = 0;
    for (const Cut &cut : source.cuts)
      count += sharedBy(cut, wanted) != 0;
    counts.push_back(count);
  }
  table.reserve(coords.size());
  for (uint32_t cut : target.cutOf)
    table.push_back(counts[cut]);
  return table;
}

ShardSizes::Table ShardSizes::sharedByAny(size_t d, int from, int to,
                                          const std::vector<AxisRef> &varied) {
  const Option &source = dims[d].options[static_cast<size_t>(from)];
  const Option &target = dims[d].options[static_cast<size_t>(to)];
  // A digit of a coordinate, and what one more of it adds to the device.
  struct Step {
    AxisRef axis;
    int64_t size, stride;
  };
  std::vector<Step> steps;
  int64_t combinations = 1;
  for (const AxisRef &axis : varied) {
    size_t index = static_cast<size_t>(mesh.axisIndex(axis.name));
    int64_t size = axisSize(mesh, axis);
    int64_t inner = mesh.axes[index].size / axisEnd(mesh, axis);
    steps.push_back({axis, size, inner * strides[index]});
    combinations = mulSaturated(combinations, size);
  }
  if (mulSaturated(combinations, static_cast<int64_t>(coords.size())) >
      static_cast<int64_t>(kMaxMeetings))
    return source.extents;
  Table table;
  table.reserve(coords.size());
  for (size_t p = 0; p < coords.size(); ++p) {
    int64_t first = static_cast<int64_t>(p);
    for (const Step &step : steps)
      first -= axisCoordinate(mesh, step.axis, coords[p]) * step.stride;
    const Cut &held = source.cuts[source.cutOf[p]];
    int64_t total = 0;
    for (int64_t i = 0; i < combinations; ++i) {
      int64_t device = first, rest = i;
      for (const Step &step : steps) {
        device += rest % step.size * step.stride;
        rest /= step.size;
      }
      total += sharedBy(held,
                        target.cuts[target.cutOf[static_cast<size_t>(device)]]);
    }
    table.push_back(total);
  }
  return table;
}
