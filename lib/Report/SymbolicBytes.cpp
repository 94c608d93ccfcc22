//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that one device receives are an expression as exact as its shard:
// blocks of ceil(L/n), the last ones short. Which device receives most is
// guessed among the first and the last along each axis, all on small meshes,
// and checked at sample sizes. See SymbolicBytes.h for what is required and
// guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/SymbolicBytes.h"

#include <algorithm>

using namespace shardir;

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

namespace {
/// The coordinate along one axis: a number, or the last one of an unknown size.
struct Coordinate {
  int64_t number = 0;
  bool isLast = false;
};
using Device = std::vector<Coordinate>;

/// A run of a dim.
struct Run {
  SizeExpr start, length;
};

using Sizes = std::map<std::string, int64_t>;
} // namespace

static SizeExpr sizeOf(const Mesh &mesh, const AxisRef &axis) {
  const MeshAxis &whole = mesh.axes[size_t(mesh.axisIndex(axis.name))];
  if (!axis.isWhole())
    return axis.size;
  return whole.size == kUnknown ? SizeExpr::named(axis.name)
                                : SizeExpr(whole.size);
}

/// The run of a dim that a device has; nothing if it is no run, or a part of an
/// axis of unknown size cuts it.
static std::optional<Run> blockOf(const DimPlacement &dim, const Mesh &mesh,
                                  const SizeExpr &extent,
                                  const Device &device) {
  size_t last = dim.splits.size();
  int64_t units = 1;
  while (last > 0 && !dim.splits[last - 1].isAxis())
    units *= dim.splits[--last].factor;
  if (last == 0)
    return Run{0, extent};
  Run run{0, SizeExpr::floorDiv(extent, units)};
  for (size_t i = 0; i < last; ++i) {
    if (!dim.splits[i].isAxis())
      return std::nullopt;
    const AxisRef &axis = *dim.splits[i].axis;
    size_t index = size_t(mesh.axisIndex(axis.name));
    int64_t whole = mesh.axes[index].size;
    Coordinate own = device[index];
    if (!axis.isWhole()) {
      if (whole == kUnknown)
        return std::nullopt;
      own.number =
          own.number / (whole / (axis.preSize * axis.size)) % axis.size;
    }
    SizeExpr n = sizeOf(mesh, axis), length = run.length;
    SizeExpr block = SizeExpr::ceilDiv(length, n);
    if (own.number == 0 && !own.isLast) {
      run.length = block;
      continue;
    }
    SizeExpr before = own.isLast ? n - 1 : SizeExpr(own.number);
    SizeExpr start = SizeExpr::min(before * block, length);
    run.start = run.start + start;
    // Behind the last block there is nothing.
    bool isEnd = own.isLast || (n.number() && own.number == *n.number() - 1);
    run.length = isEnd ? length - start : SizeExpr::min(block, length - start);
  }
  return Run{run.start * units, run.length * units};
}

static bool begins(const std::vector<Split> &prefix,
                   const std::vector<Split> &splits) {
  return prefix.size() <= splits.size() &&
         std::equal(prefix.begin(), prefix.end(), splits.begin());
}

/// Elements that `step` leads to on a device, and how many of them it has.
static std::optional<std::pair<SizeExpr, SizeExpr>>
neededAndHeld(const SymbolicStep &s, const Device &device) {
  SizeExpr needed = 1, shared = 1;
  for (size_t d = 0; d < s.shape.size(); ++d) {
    const DimPlacement &from = s.step.from.dims[d], &to = s.step.to.dims[d];
    if (d < s.step.halo.size() && !s.step.halo[d].isZero()) {
      // Of a known dim on known axes, as it is.
      std::optional<int64_t> extent = s.shape[d].number();
      std::vector<int64_t> coords;
      for (size_t a = 0; a < device.size(); ++a) {
        if (s.mesh.axes[a].size == kUnknown)
          return std::nullopt;
        coords.push_back(device[a].isLast ? s.mesh.axes[a].size - 1
                                          : device[a].number);
      }
      if (!extent || s.step.halo[d].isOpen)
        return std::nullopt;
      Placement one = Placement::replicatedOfRank(1), other = one;
      one.dims[0] = to;
      other.dims[0] = from;
      int64_t position = 0;
      for (size_t a = 0; a < coords.size(); ++a)
        position = position * s.mesh.axes[a].size + coords[a];
      CollectiveStep alone{
          CollectiveKind::HaloExchange, other, one, {s.step.halo[d]}};
      int64_t wide =
          localShape(one, alone.halo, s.mesh, {*extent}, position)[0];
      needed = needed * SizeExpr(wide);
      shared = shared * SizeExpr(wide - bytesReceived(alone, s.mesh, {*extent},
                                                      1, position));
      continue;
    }
    auto own = blockOf(from, s.mesh, s.shape[d], device);
    auto wanted = blockOf(to, s.mesh, s.shape[d], device);
    if (!own || !wanted)
      return std::nullopt;
    needed = needed * wanted->length;
    if (begins(to.splits, from.splits))
      shared = shared * own->length;
    else if (begins(from.splits, to.splits))
      shared = shared * wanted->length;
    else
      shared = shared *
               SizeExpr::max(0, SizeExpr::min(own->start + own->length,
                                              wanted->start + wanted->length) -
                                    SizeExpr::max(own->start, wanted->start));
  }
  return std::pair(needed, shared);
}

static std::optional<SizeExpr> elementsOf(const Placement &placement,
                                          const Mesh &mesh,
                                          const std::vector<SizeExpr> &shape,
                                          const Device &device) {
  SizeExpr all = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    auto run = blockOf(placement.dims[d], mesh, shape[d], device);
    if (!run)
      return std::nullopt;
    all = all * run->length;
  }
  return all;
}

/// Bytes that one device receives, by the formulas of Placement/Collectives.h.
static std::optional<SizeExpr> bytesOn(const SymbolicStep &s,
                                       const Device &device) {
  SizeExpr terms = 1;
  std::vector<int64_t> sizes;
  for (const SizeExpr &extent : s.shape)
    sizes.push_back(extent.number().value_or(kUnknown));
  for (const AxisRef &axis : s.step.from.partialAxes)
    if (std::find(s.step.to.partialAxes.begin(), s.step.to.partialAxes.end(),
                  axis) == s.step.to.partialAxes.end())
      terms = terms * sizeOf(s.mesh, axis);
  std::optional<SizeExpr> elements;
  switch (s.step.kind) {
  case CollectiveKind::Slice:
  case CollectiveKind::MakePartial:
    return SizeExpr(0);
  case CollectiveKind::AllReduce:
    elements = elementsOf(s.step.from, s.mesh, s.shape, device);
    if (elements)
      elements =
          SizeExpr(2) * (terms - 1) * SizeExpr::ceilDiv(*elements, terms);
    break;
  case CollectiveKind::ReduceScatter:
    elements = elementsOf(s.step.to, s.mesh, s.shape, device);
    if (elements)
      elements = (terms - 1) * *elements;
    break;
  default:
    if (auto both = neededAndHeld(s, device))
      elements = both->first - both->second;
  }
  if (!elements)
    return std::nullopt;
  return SizeExpr(s.executions * s.elementBytes) * *elements;
}

//===----------------------------------------------------------------------===//
// The device that receives most
//===----------------------------------------------------------------------===//

/// Sizes to try formulas at: small, uneven, and what decisions assume.
static std::vector<Sizes> sampleSizes(const std::set<std::string> &extents,
                                      const std::set<std::string> &axes,
                                      int64_t unit) {
  static const int64_t kExtents[] = {0,  1,  2,  3,  4,  5,   7,   8,   9,
                                     12, 17, 30, 31, 64, 100, 127, 1024};
  static const int64_t kAxes[] = {1, 2, 3, 4, 5, 6, 8, 11};
  // Numbers without a common divisor: all pairs of an extent and an axis.
  constexpr int64_t kNumExtents = 17, kNumAxes = 8;
  std::vector<Sizes> samples;
  int64_t count = axes.empty() ? 4 * kNumExtents : kNumExtents * kNumAxes;
  for (int64_t i = 0; i < count; ++i) {
    Sizes sizes;
    int64_t k = 0;
    for (const std::string &name : extents)
      sizes[name] =
          kExtents[(i + (5 + i / kNumExtents) * k++) % kNumExtents] * unit;
    k = 0;
    for (const std::string &name : axes)
      sizes[name] = kAxes[(i + (3 + i / kNumAxes) * k++) % kNumAxes];
    samples.push_back(std::move(sizes));
  }
  return samples;
}

/// The mesh with the sizes of a sample.
static Mesh meshAt(const Mesh &mesh, const Sizes &sizes) {
  Mesh known = mesh;
  for (MeshAxis &axis : known.axes)
    if (axis.size == kUnknown)
      axis.size = axis.assumed = sizes.at(axis.name);
  return known;
}

static std::vector<int64_t> shapeAt(const std::vector<SizeExpr> &shape,
                                    const Sizes &sizes) {
  std::vector<int64_t> known;
  for (const SizeExpr &extent : shape)
    known.push_back(std::max<int64_t>(0, extent.at(sizes)));
  return known;
}

/// The first and the last along each axis; all where those are few.
static std::vector<Device> devicesToTry(const Mesh &mesh) {
  constexpr int64_t kAll = 32;
  bool all = mesh.isConcrete() && mesh.numDevices() <= kAll;
  std::vector<Device> devices(1);
  for (const MeshAxis &axis : mesh.axes) {
    std::vector<Device> longer;
    for (const Device &device : devices) {
      std::vector<Coordinate> own = {{0, false}};
      if (axis.size == kUnknown)
        own.push_back({0, true});
      else if (all)
        for (int64_t i = 1; i < axis.size; ++i)
          own.push_back({i, false});
      else if (axis.size > 1)
        own.push_back({axis.size - 1, false});
      for (Coordinate coordinate : own) {
        longer.push_back(device);
        longer.back().push_back(coordinate);
      }
    }
    devices = std::move(longer);
    if (devices.size() > 256)
      return {};
  }
  return devices;
}

/// The unit by which the placements of the steps divide open dims.
static int64_t unitOf(const std::vector<SymbolicStep> &steps) {
  int64_t unit = 1;
  for (const SymbolicStep &s : steps)
    for (const Placement *placement : {&s.step.from, &s.step.to})
      for (const DimPlacement &dim : placement->dims) {
        int64_t own = exactFactor(dim, s.mesh);
        if (own > 1 && own < 4096 && unit % own != 0)
          unit = std::min<int64_t>(unit * own, int64_t(1) << 20);
      }
  return unit;
}

static bool divides(const std::vector<SymbolicStep> &steps,
                    const Sizes &sizes) {
  for (const SymbolicStep &s : steps) {
    Mesh known = meshAt(s.mesh, sizes);
    std::vector<int64_t> shape = shapeAt(s.shape, sizes);
    for (const Placement *placement : {&s.step.from, &s.step.to})
      for (size_t d = 0; d < shape.size(); ++d)
        if (shape[d] % exactFactor(placement->dims[d], known))
          return false;
  }
  return true;
}

std::optional<SizeExpr>
shardir::receivedFormula(const std::vector<SymbolicStep> &steps) {
  if (steps.empty())
    return SizeExpr(0);
  const Mesh &mesh = steps.front().mesh;
  std::set<std::string> extents, axes;
  for (const SymbolicStep &s : steps) {
    if (!(s.mesh == mesh))
      return std::nullopt;
    for (const SizeExpr &extent : s.shape)
      extent.collectNames(extents);
  }
  for (const MeshAxis &axis : mesh.axes)
    if (axis.size == kUnknown)
      axes.insert(axis.name);
  for (const std::string &name : axes)
    if (extents.count(name))
      return std::nullopt;
  std::vector<Sizes> samples = sampleSizes(extents, axes, unitOf(steps));
  // Units that a placement has must divide.
  samples.erase(std::remove_if(
                    samples.begin(), samples.end(),
                    [&](const Sizes &sizes) { return !divides(steps, sizes); }),
                samples.end());
  if (samples.size() < 6)
    return std::nullopt;
  std::vector<int64_t> expected;
  for (const Sizes &sizes : samples) {
    Mesh known = meshAt(mesh, sizes);
    int64_t most = 0;
    for (int64_t p = 0, e = known.numDevices(); p < e; ++p) {
      int64_t own = 0;
      for (const SymbolicStep &s : steps)
        own +=
            s.executions * bytesReceived(s.step, known, shapeAt(s.shape, sizes),
                                         s.elementBytes, p);
      most = std::max(most, own);
    }
    expected.push_back(most);
  }
  // Candidates never exceed what is expected: the shorter the better.
  std::vector<std::pair<SizeExpr, std::vector<int64_t>>> candidates;
  for (const Device &device : devicesToTry(mesh)) {
    SizeExpr sum = 0;
    bool isKnown = true;
    for (const SymbolicStep &s : steps) {
      auto own = bytesOn(s, device);
      isKnown &= own.has_value();
      if (!isKnown)
        break;
      sum = sum + *own;
    }
    if (!isKnown)
      continue;
    std::vector<int64_t> values;
    for (const Sizes &sizes : samples)
      values.push_back(sum.at(sizes));
    bool isBelow = true;
    for (size_t i = 0; i < values.size(); ++i)
      isBelow &= values[i] <= expected[i];
    if (isBelow)
      candidates.push_back({sum, std::move(values)});
  }
  std::sort(
      candidates.begin(), candidates.end(), [](const auto &a, const auto &b) {
        std::string one = a.first.str(), other = b.first.str();
        return std::pair(one.size(), one) < std::pair(other.size(), other);
      });
  for (const auto &[formula, values] : candidates)
    if (values == expected)
      return formula;
  // Or the largest of a few: each covers what those before it do not.
  std::vector<int64_t> covered(samples.size(), -1);
  std::optional<SizeExpr> largest;
  for (int round = 0; round < 4 && covered != expected; ++round) {
    size_t best = candidates.size(), most = 0;
    for (size_t c = 0; c < candidates.size(); ++c) {
      size_t gain = 0;
      for (size_t i = 0; i < samples.size(); ++i)
        gain +=
            covered[i] != expected[i] && candidates[c].second[i] == expected[i];
      if (gain > most) {
        best = c;
        most = gain;
      }
    }
    if (best == candidates.size())
      return std::nullopt;
    const auto &[formula, values] = candidates[best];
    largest = largest ? SizeExpr::max(*largest, formula) : formula;
    for (size_t i = 0; i < samples.size(); ++i)
      covered[i] = std::max(covered[i], values[i]);
  }
  return covered == expected ? largest : std::nullopt;
}

std::optional<SizeExpr>
shardir::localBytesFormula(const Placement &placement, const Mesh &mesh,
                           const std::vector<SizeExpr> &shape,
                           int64_t elementBytes) {
  auto elements = elementsOf(placement, mesh, shape, Device(mesh.axes.size()));
  if (!elements)
    return std::nullopt;
  return SizeExpr(elementBytes) * *elements;
}
