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
      devices(static_cast<size_t>(sample.numDevices())),
      values(sample.coordinates()), dims(shape.size()) {
  strides.assign(values.size(), 0);
  for (size_t i = values.size(); i-- > 0;) {
    if (values[i].size() > 1)
      strides[i] = static_cast<int64_t>(sampled);
    sampled *= values[i].size();
  }
}

std::vector<int64_t> ShardSizes::coordinates(size_t device) const {
  std::vector<int64_t> at(values.size());
  for (size_t i = values.size(); i-- > 0;) {
    at[i] = values[i][device % values[i].size()];
    device /= values[i].size();
  }
  return at;
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
  cut.extent = 1;
  bool isInterval = true;
  auto axis = option.axisDigits.begin();
  for (size_t i = 0; i < option.digits.size(); ++i) {
    const SymbolicDigit &digit = option.digits[i];
    Block block{0, digit.extent};
    for (size_t a = 0; a < digit.axes.size(); ++a, ++axis) {
      Block inner = cutBlock(block.length, axis->size,
                             at[axis->axis] / axis->weight % axis->size);
      block = Block{block.offset + inner.offset, inner.length};
    }
    cut.begin = i == 0 ? block.offset : mulSaturated(cut.begin, digit.extent);
    cut.extent = mulSaturated(cut.extent, block.length);
    isInterval &= i == 0 || block.length == digit.extent;
    if (option.digits.size() > 1)
      cut.digits.push_back(Digit{digit.extent, block.offset, block.length});
  }
  if (isInterval)
    cut.digits.clear();
  return cut;
}

/// A number for the coordinates along the option's own axes, on which alone a
/// cut depends.
int64_t ShardSizes::placeOf(const Option &option,
                            const std::vector<int64_t> &at) {
  int64_t place = 0;
  for (const AxisDigit &digit : option.axisDigits)
    place = place * digit.size + at[digit.axis] / digit.weight % digit.size;
  return place;
}

/// Numbers the different coordinates along each of the option's axes, and cuts
/// by these numbers, as the sample has all combinations of them.
void ShardSizes::numberCuts(Option &option) const {
  std::vector<std::vector<int64_t>> firsts; ///< one coordinate of each number
  option.cutOf = {0};
  option.cutOf.reserve(sampled);
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<int64_t> places, at(values.size(), 0);
    for (int64_t value : values[i]) {
      at[i] = value;
      places.push_back(placeOf(option, at));
    }
    std::vector<int64_t> numbered = places;
    std::sort(numbered.begin(), numbered.end());
    numbered.erase(std::unique(numbered.begin(), numbered.end()),
                   numbered.end());
    auto count = static_cast<uint32_t>(numbered.size());
    std::vector<uint32_t> numbers;
    std::vector<int64_t> &own = firsts.emplace_back(count);
    for (size_t j = 0; j < places.size(); ++j) {
      auto place =
          std::lower_bound(numbered.begin(), numbered.end(), places[j]);
      numbers.push_back(static_cast<uint32_t>(place - numbered.begin()));
      own[numbers.back()] = values[i][j];
    }
    std::vector<uint32_t> longer;
    longer.reserve(sampled);
    for (uint32_t major : option.cutOf)
      for (uint32_t minor : numbers)
        longer.push_back(major * count + minor);
    option.cutOf = std::move(longer);
  }
  std::vector<size_t> choice(firsts.size(), 0);
  std::vector<int64_t> at(firsts.size());
  do {
    for (size_t i = 0; i < choice.size(); ++i)
      at[i] = firsts[i][choice[i]];
    option.cuts.push_back(cutOf(option, at));
  } while (nextChoice(choice, firsts));
}

/// One for each coordinate along the option's axes, in order.
std::vector<ShardSizes::Cut> ShardSizes::allCuts(const Option &option) const {
  std::vector<Cut> cuts;
  std::vector<int64_t> at(mesh.axes.size(), 0);
  for (int64_t i = 0, e = groupSize(mesh, option.axes); i < e; ++i) {
    std::fill(at.begin(), at.end(), 0);
    int64_t rest = i;
    for (size_t a = option.axisDigits.size(); a-- > 0;) {
      const AxisDigit &digit = option.axisDigits[a];
      at[digit.axis] += rest % digit.size * digit.weight;
      rest /= digit.size;
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
  for (const SymbolicDigit &digit : option.digits)
    for (const AxisRef &ref : digit.axes) {
      auto axis = static_cast<size_t>(mesh.axisIndex(ref.name));
      option.axes.push_back(ref);
      option.axisDigits.push_back({axis,
                                   mesh.axes[axis].size / axisEnd(mesh, ref),
                                   axisSize(mesh, ref)});
    }
  numberCuts(option);
  option.extents.reserve(sampled);
  for (uint32_t cut : option.cutOf)
    option.extents.push_back(option.cuts[cut].extent);
  return static_cast<int>(known.options.size() - 1);
}

int64_t ShardSizes::sharedBy(size_t d, const Cut &a, const Cut &b) const {
  if (a.extent == 0 || b.extent == 0)
    return 0;
  if (a.digits.empty() && b.digits.empty())
    return std::max<int64_t>(0,
                             std::min(a.begin + a.extent, b.begin + b.extent) -
                                 std::max(a.begin, b.begin));
  auto shardOf = [&](const Cut &cut) {
    if (!cut.digits.empty())
      return DimShard{cut.digits};
    return DimShard{{Digit{shape[d], cut.begin, cut.extent}}};
  };
  return intersectionSize(shardOf(a), shardOf(b));
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
  table.reserve(sampled);
  if (first.cuts.size() * columns > sampled) {
    for (size_t p = 0; p < sampled; ++p)
      table.push_back(sharedBy(d, first.cuts[first.cutOf[p]],
                               second.cuts[second.cutOf[p]]));
    return table;
  }
  // Each pair of cuts that meet on some device, once.
  std::vector<int64_t> both(first.cuts.size() * columns, -1);
  for (size_t p = 0; p < sampled; ++p) {
    int64_t &size = both[first.cutOf[p] * columns + second.cutOf[p]];
    if (size < 0)
      size =
          sharedBy(d, first.cuts[first.cutOf[p]], second.cuts[second.cutOf[p]]);
    table.push_back(size);
  }
  return table;
}

bool ShardSizes::contains(size_t d, int outer, int inner) {
  if (outer == inner)
    return true;
  auto [entry, isNew] = dims[d].contains.try_emplace(
      static_cast<uint64_t>(outer) << 32 | static_cast<uint64_t>(inner), true);
  if (!isNew)
    return entry->second;
  const Option &from = dims[d].options[static_cast<size_t>(outer)];
  const Option &to = dims[d].options[static_cast<size_t>(inner)];
  // Blocks nest (P3): more axes after the same splits cut inside the blocks.
  const std::vector<Split> &before = from.dim.splits, &after = to.dim.splits;
  auto count = static_cast<long>(before.size());
  if (before.size() <= after.size() &&
      std::equal(before.begin(), before.end(), after.begin()) &&
      std::all_of(after.begin() + count, after.end(),
                  [](const Split &split) { return split.isAxis(); }))
    return true;
  entry->second = shared(d, outer, inner) == to.extents;
  if (!entry->second || sampled == devices)
    return entry->second;
  // The two may have classes that the sample does not know.
  DeviceSample own(mesh);
  own.add(from.dim, shape[d]);
  own.add(to.dim, shape[d]);
  for (int64_t position : own.positions()) {
    std::vector<int64_t> at = mesh.coordinates(position);
    Cut wanted = cutOf(to, at);
    entry->second &= sharedBy(d, cutOf(from, at), wanted) == wanted.extent;
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
  auto isSame = [&](const Cut &a, const Cut &b) {
    return a.extent == b.extent && sharedBy(d, a, b) == b.extent;
  };
  auto firstOf = [](const Cut &cut) {
    return cut.digits.empty() ? cut.begin : DimShard{cut.digits}.toGlobal(0);
  };
  // By the first index; shards of equal extents that begin alike may differ.
  std::unordered_multimap<int64_t, const Cut *> byBegin;
  for (const Cut &cut : held)
    if (cut.extent != 0)
      byBegin.emplace(firstOf(cut), &cut);
  for (const Cut &wanted : allCuts(to)) {
    bool found = wanted.extent == 0;
    if (!found) {
      auto [first, last] = byBegin.equal_range(firstOf(wanted));
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
    } else if (isRun && wanted.digits.empty()) {
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
            return sharedBy(d, cut, wanted) != 0;
          }));
    }
  }
  table.reserve(sampled);
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
    size_t index;
    int64_t size, stride;
  };
  std::vector<Step> steps;
  int64_t combinations = 1;
  for (const AxisRef &axis : varied) {
    size_t index = static_cast<size_t>(mesh.axisIndex(axis.name));
    int64_t size = axisSize(mesh, axis);
    steps.push_back({index, size, mesh.axes[index].size / axisEnd(mesh, axis)});
    combinations = mulSaturated(combinations, size);
  }
  if (mulSaturated(combinations, static_cast<int64_t>(devices)) >
      static_cast<int64_t>(kMaxMeetings))
    return source.extents;
  Table table;
  table.reserve(sampled);
  for (size_t p = 0; p < sampled; ++p) {
    std::vector<int64_t> first = coordinates(p);
    for (const Step &step : steps)
      first[step.index] -=
          first[step.index] / step.stride % step.size * step.stride;
    const Cut &held = source.cuts[source.cutOf[p]];
    int64_t total = 0;
    for (int64_t i = 0; i < combinations; ++i) {
      std::vector<int64_t> at = first;
      int64_t rest = i;
      for (const Step &step : steps) {
        at[step.index] += rest % step.size * step.stride;
        rest /= step.size;
      }
      auto [wanted, isNew] = target.others.try_emplace(placeOf(target, at));
      if (isNew)
        wanted->second = cutOf(target, at);
      total += sharedBy(d, held, wanted->second);
    }
    table.push_back(total);
  }
  return table;
}
