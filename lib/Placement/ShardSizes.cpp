//===- ShardSizes.cpp - What devices hold and share, in tables --*- C++ -*-===//
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
                       const DeviceSample &sample)
    : mesh(mesh), shape(shape),
      devices(static_cast<size_t>(sample.numDevices())), dims(shape.size()) {
  std::vector<std::vector<int64_t>> values = sample.coordinates();
  coords.emplace_back();
  for (const std::vector<int64_t> &along : values) {
    std::vector<std::vector<int64_t>> longer;
    longer.reserve(coords.size() * along.size());
    for (const std::vector<int64_t> &prefix : coords)
      for (int64_t value : along) {
        longer.push_back(prefix);
        longer.back().push_back(value);
      }
    coords = std::move(longer);
  }
  strides.assign(values.size(), 0);
  int64_t stride = 1;
  for (size_t i = values.size(); i-- > 0;)
    if (values[i].size() > 1) {
      strides[i] = stride;
      stride = mulSaturated(stride, static_cast<int64_t>(values[i].size()));
    }
}

size_t ShardSizes::deviceAt(const std::vector<int64_t> &meshCoordinates) const {
  int64_t device = 0;
  for (size_t i = 0; i < strides.size(); ++i)
    device += meshCoordinates[i] * strides[i];
  return static_cast<size_t>(device);
}

ShardSizes::Cut ShardSizes::cutOf(const Option &option,
                                  const std::vector<int64_t> &at) const {
  Cut cut;
  cut.shard = dimShardOf(option.digits, mesh, at);
  cut.extent = cut.shard.localExtent();
  const std::vector<Digit> &digits = cut.shard.digits;
  cut.isInterval = true;
  int64_t inner = 1;
  for (size_t i = 1; i < digits.size(); ++i) {
    cut.isInterval &= digits[i].length == digits[i].extent;
    inner = mulSaturated(inner, digits[i].extent);
  }
  cut.begin = mulSaturated(digits[0].offset, inner);
  return cut;
}

uint32_t ShardSizes::cutNumber(Option &option, const std::vector<int64_t> &at) {
  // A cut depends on the coordinates along the option's own axes alone.
  int64_t place = 0;
  for (const AxisDigit &digit : option.axisDigits)
    place = place * digit.size + at[digit.axis] / digit.weight % digit.size;
  auto [entry, isNew] = option.cutAt.try_emplace(
      place, static_cast<uint32_t>(option.cuts.size()));
  if (isNew)
    option.cuts.push_back(cutOf(option, at));
  return entry->second;
}

/// One for each coordinate along the option's axes, in order.
std::vector<ShardSizes::Cut> ShardSizes::allCuts(const Option &option) const {
  std::vector<Cut> cuts;
  std::vector<int64_t> at(mesh.axes.size(), 0);
  for (int64_t i = 0, e = groupSize(mesh, option.axes); i < e; ++i) {
    std::fill(at.begin(), at.end(), 0);
    int64_t rest = i;
    for (size_t a = option.axes.size(); a-- > 0;) {
      const AxisRef &axis = option.axes[a];
      size_t index = static_cast<size_t>(mesh.axisIndex(axis.name));
      int64_t size = axisSize(mesh, axis);
      at[index] += rest % size * (mesh.axes[index].size / axisEnd(mesh, axis));
      rest /= size;
    }
    cuts.push_back(cutOf(option, at));
  }
  return cuts;
}

int ShardSizes::option(size_t d, const DimPlacement &dim) {
  Dim &known = dims[d];
  for (size_t i = 0; i < known.options.size(); ++i)
    if (known.options[i].dim.splits == dim.splits)
      return static_cast<int>(i);

  Option &option = known.options.emplace_back();
  option.dim.splits = dim.splits;
  option.digits = digitsOf(dim, mesh, shape[d]);
  for (const Split &split : dim.splits) {
    if (!split.isAxis())
      continue;
    option.axes.push_back(*split.axis);
    auto axis = static_cast<size_t>(mesh.axisIndex(split.axis->name));
    option.axisDigits.push_back(
        {axis, mesh.axes[axis].size / axisEnd(mesh, *split.axis),
         axisSize(mesh, *split.axis)});
  }
  option.cutOf.reserve(coords.size());
  option.extents.reserve(coords.size());
  for (const std::vector<int64_t> &at : coords) {
    uint32_t cut = cutNumber(option, at);
    option.cutOf.push_back(cut);
    option.extents.push_back(option.cuts[cut].extent);
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
  if (outer == inner)
    return true;
  if (shared(d, outer, inner) != extents(d, inner))
    return false;
  if (coords.size() == devices)
    return true;
  // The two may have classes that the sample does not know.
  auto [entry, isNew] = dims[d].contains.try_emplace(
      static_cast<uint64_t>(outer) << 32 | static_cast<uint64_t>(inner), true);
  if (!isNew)
    return entry->second;
  const Option &from = dims[d].options[static_cast<size_t>(outer)];
  const Option &to = dims[d].options[static_cast<size_t>(inner)];
  DeviceSample own(mesh);
  own.add(from.dim, shape[d]);
  own.add(to.dim, shape[d]);
  for (int64_t position : own.positions()) {
    std::vector<int64_t> at = mesh.coordinates(position);
    Cut wanted = cutOf(to, at);
    entry->second &= sharedBy(cutOf(from, at), wanted) == wanted.extent;
  }
  return entry->second;
}

bool ShardSizes::permutes(size_t d, int outer, int inner) {
  if (outer == inner)
    return true;
  const Option &from = dims[d].options[static_cast<size_t>(outer)];
  const Option &to = dims[d].options[static_cast<size_t>(inner)];
  // The first elements are in the first block of either.
  if (from.extents.front() != to.extents.front())
    return false;
  std::vector<Cut> held = allCuts(from);
  auto isSame = [](const Cut &a, const Cut &b) {
    return a.extent == b.extent && sharedBy(a, b) == b.extent;
  };
  // By the first index; shards of equal extents that begin alike may differ.
  std::unordered_multimap<int64_t, const Cut *> byBegin;
  for (const Cut &cut : held)
    if (cut.extent != 0)
      byBegin.emplace(cut.shard.toGlobal(0), &cut);
  for (const Cut &wanted : allCuts(to)) {
    bool found = wanted.extent == 0;
    if (!found) {
      auto [first, last] = byBegin.equal_range(wanted.shard.toGlobal(0));
      found = std::any_of(first, last, [&](const auto &entry) {
        return isSame(*entry.second, wanted);
      });
    }
    if (!found)
      return false;
  }
  return true;
}

/// How many blocks that `axes`, from number `next` on, cut of `length` indices
/// share something with [begin, end).
static int64_t blocksMeeting(const std::vector<AxisRef> &axes, size_t next,
                             const Mesh &mesh, int64_t length, int64_t begin,
                             int64_t end) {
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, length);
  if (begin >= end)
    return 0;
  if (next == axes.size())
    return 1;
  int64_t block = ceilDiv(length, axisSize(mesh, axes[next]));
  auto within = [&](int64_t i, int64_t from, int64_t to) {
    return blocksMeeting(axes, next + 1, mesh,
                         std::min(block, length - i * block), from - i * block,
                         to - i * block);
  };
  int64_t first = begin / block, last = (end - 1) / block;
  if (first == last)
    return within(first, begin, end);
  int64_t count = within(first, begin, end) + within(last, begin, end);
  if (last - first > 1)
    count += (last - first - 1) *
             within(first + 1, (first + 1) * block, (first + 2) * block);
  return count;
}

const ShardSizes::Table &ShardSizes::meeting(size_t d, int from, int to) {
  auto [entry, isNew] = dims[d].meeting.try_emplace(
      static_cast<uint64_t>(from) << 32 | static_cast<uint64_t>(to));
  Table &table = entry->second;
  if (!isNew)
    return table;
  const Option &source = dims[d].options[static_cast<size_t>(from)];
  const Option &target = dims[d].options[static_cast<size_t>(to)];
  int64_t blocks = groupSize(mesh, source.axes);
  bool tooMany = mulSaturated(blocks, groupSize(mesh, target.axes)) >
                 static_cast<int64_t>(kMaxMeetings);
  // The first digit alone is cut: blocks are intervals of it, in order.
  const std::vector<SymbolicDigit> &digits = source.digits;
  bool isRun = true;
  int64_t inner = 1;
  for (size_t i = 1; i < digits.size(); ++i) {
    isRun &= digits[i].axes.empty();
    inner = mulSaturated(inner, digits[i].extent);
  }
  std::vector<Cut> held;
  if (!tooMany && !isRun)
    held = allCuts(source);
  Table counts;
  for (const Cut &wanted : target.cuts) {
    if (tooMany) {
      counts.push_back(blocks);
    } else if (isRun && wanted.isInterval) {
      counts.push_back(
          wanted.extent == 0
              ? 0
              : blocksMeeting(digits[0].axes, 0, mesh, digits[0].extent,
                              wanted.begin / inner,
                              ceilDiv(wanted.begin + wanted.extent, inner)));
    } else {
      if (held.empty())
        held = allCuts(source);
      counts.push_back(
          std::count_if(held.begin(), held.end(), [&](const Cut &cut) {
            return sharedBy(cut, wanted) != 0;
          }));
    }
  }
  table.reserve(coords.size());
  for (uint32_t cut : target.cutOf)
    table.push_back(counts[cut]);
  return table;
}

ShardSizes::Table ShardSizes::sharedByAny(size_t d, int from, int to,
                                          const std::vector<AxisRef> &varied) {
  const Option &source = dims[d].options[static_cast<size_t>(from)];
  Option &target = dims[d].options[static_cast<size_t>(to)];
  // A digit of a coordinate, and what one more of it adds to the coordinate.
  struct Step {
    AxisRef axis;
    size_t index;
    int64_t size, stride;
  };
  std::vector<Step> steps;
  int64_t combinations = 1;
  for (const AxisRef &axis : varied) {
    size_t index = static_cast<size_t>(mesh.axisIndex(axis.name));
    int64_t size = axisSize(mesh, axis);
    steps.push_back(
        {axis, index, size, mesh.axes[index].size / axisEnd(mesh, axis)});
    combinations = mulSaturated(combinations, size);
  }
  if (mulSaturated(combinations, static_cast<int64_t>(devices)) >
      static_cast<int64_t>(kMaxMeetings))
    return source.extents;
  Table table;
  table.reserve(coords.size());
  for (size_t p = 0; p < coords.size(); ++p) {
    std::vector<int64_t> first = coords[p];
    for (const Step &step : steps)
      first[step.index] -=
          axisCoordinate(mesh, step.axis, coords[p]) * step.stride;
    const Cut &held = source.cuts[source.cutOf[p]];
    int64_t total = 0;
    for (int64_t i = 0; i < combinations; ++i) {
      std::vector<int64_t> at = first;
      int64_t rest = i;
      for (const Step &step : steps) {
        at[step.index] += rest % step.size * step.stride;
        rest /= step.size;
      }
      total += sharedBy(held, target.cuts[cutNumber(target, at)]);
    }
    table.push_back(total);
  }
  return table;
}
