//===- Packing.cpp - Which data of a collective is contiguous ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a step between placements that verify. Guarantees figures of the
// pieces that receivePieces gives: a piece is contiguous exactly if its
// elements are one run of row-major memory, in the holder's shard or in the
// receiver's.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/Packing.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/DeviceSample.h"
#include "Steps.h"

#include <algorithm>
#include <numeric>

using namespace shardir;
using namespace shardir::detail;

DimOrder shardir::rowMajor(size_t rank) {
  DimOrder order(rank);
  std::iota(order.begin(), order.end(), int64_t(0));
  return order;
}

bool shardir::isRowMajor(const DimOrder &order) {
  return std::is_sorted(order.begin(), order.end());
}

DimOrder shardir::inverse(const DimOrder &order) {
  DimOrder result(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    result[order[i]] = int64_t(i);
  return result;
}

Placement shardir::reordered(const Placement &placement,
                             const DimOrder &order) {
  Placement result = placement;
  result.dims = reordered(placement.dims, order);
  return result;
}

CollectiveStep shardir::reordered(const CollectiveStep &step,
                                  const DimOrder &order) {
  return {step.kind, reordered(step.from, order), reordered(step.to, order),
          step.halo.empty() ? Halo() : reordered(step.halo, order)};
}

namespace {
/// The part of a shard's memory that a piece is, seen from the inside out.
struct Span {
  /// True while every dim so far is covered in full: the next outer dim may
  /// then be any one run.
  bool whole = true;
  bool contiguous = true;

  /// Takes in the next outer dim: `length` of its `extent` elements, in one run
  /// or not.
  void add(int64_t length, int64_t extent, bool oneRun) {
    if (whole)
      contiguous &= oneRun;
    else
      contiguous &= length == 1;
    whole &= length == extent;
  }
};
} // namespace

/// True if the runs are adjacent on the side that `start` names.
static bool isOneRun(const std::vector<Piece::Run> &runs,
                     int64_t Piece::Run::*start) {
  for (size_t i = 1; i < runs.size(); ++i)
    if (runs[i].*start != runs[i - 1].*start + runs[i - 1].length)
      return false;
  return true;
}

static bool isContiguous(const Piece &piece, int64_t Piece::Run::*start,
                         const std::vector<int64_t> &extents) {
  Span span;
  for (size_t d = piece.runs.size(); d-- > 0;) {
    int64_t length = 0;
    for (const Piece::Run &run : piece.runs[d])
      length += run.length;
    span.add(length, extents[d], isOneRun(piece.runs[d], start));
  }
  return span.contiguous;
}

/// Sets the digit of `coords` along an axis or sub-axis.
static void setCoordinate(const Mesh &mesh, const AxisRef &axis, int64_t value,
                          std::vector<int64_t> &coords) {
  size_t index = static_cast<size_t>(mesh.axisIndex(axis.name));
  int64_t stride = mesh.axes[index].size / axisEnd(mesh, axis);
  coords[index] += (value - axisCoordinate(mesh, axis, coords)) * stride;
}

namespace {
/// One side of a step, whose shards may overlap.
struct Shards {
  const Placement &placement;
  const Halo &halo;

  bool overlaps(size_t d) const { return !halo.empty() && !halo[d].isZero(); }
  /// The shard of dim `d` on the device at `coords`.
  DimShard at(size_t d, const Mesh &mesh, const std::vector<int64_t> &shape,
              const std::vector<int64_t> &coords) const {
    bool isWindow = overlaps(d) && halo[d].isWindow();
    DimShard block = dimShardOf(placement.dims[d], mesh,
                                isWindow ? halo[d].extent : shape[d], coords);
    return overlaps(d) ? withHalo(block, halo[d], shape[d]) : block;
  }
};

/// The overlaps, along one dim, of a receiver's new shard with the blocks that
/// hold the dim: how many share so many elements, as one run of the new shard
/// or not. Blocks that share nothing are left out.
using Shares = std::map<std::pair<int64_t, bool>, int64_t>;

/// One axis that cuts a dim, and the coordinate along it whose blocks are
/// counted; nothing: those of all coordinates.
struct CutAxis {
  int64_t size = 1;
  std::optional<int64_t> at;
};
} // namespace

/// Adds `times` times the blocks into which `axes`, from number `next` on, cut
/// `length` units of `unit` elements, in [begin, end). All but the first and
/// the last of them are full, so that three are looked at.
static void addBlocks(Shares &shares, const std::vector<CutAxis> &axes,
                      size_t next, int64_t length, int64_t unit, int64_t begin,
                      int64_t end, int64_t times) {
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, length * unit);
  if (begin >= end)
    return;
  if (next == axes.size()) {
    shares[{end - begin, true}] += times;
    return;
  }
  int64_t block = ceilDiv(length, axes[next].size);
  int64_t first = begin / (block * unit), last = (end - 1) / (block * unit);
  auto add = [&](int64_t i, int64_t count) {
    int64_t start = i * block * unit;
    addBlocks(shares, axes, next + 1, std::min(block, length - i * block), unit,
              begin - start, end - start, times * count);
  };
  if (axes[next].at) {
    if (*axes[next].at >= first && *axes[next].at <= last)
      add(*axes[next].at, 1);
    return;
  }
  add(first, 1);
  if (last > first + 1)
    add(first + 1, last - first - 1);
  if (last > first)
    add(last, 1);
}

/// The shares of the device at `coords` along dim `d` in the blocks of `from`
/// at all coordinates along `varied`, for its new shard by `to`. Blocks of a
/// major digit alone, as without integers, are counted by classes; others are
/// visited.
static Shares sharesOf(const Shards &from, const Shards &to, size_t d,
                       const Mesh &mesh, const std::vector<int64_t> &shape,
                       const std::vector<AxisRef> &varied,
                       std::vector<int64_t> coords) {
  DimShard needed = to.at(d, mesh, shape, coords);
  const std::vector<Split> &splits = from.placement.dims[d].splits;
  bool overlaps = from.overlaps(d) || to.overlaps(d);
  Shares shares;
  if (!overlaps && splits == to.placement.dims[d].splits) {
    // Of equal blocks the own one alone is shared.
    if (int64_t extent = needed.localExtent())
      shares[{extent, true}] = 1;
    return shares;
  }
  std::vector<SymbolicDigit> digits =
      digitsOf(from.placement.dims[d], mesh, shape[d]);
  bool isRange = !from.overlaps(d);
  int64_t unit = 1, inner = 1;
  for (size_t i = 1; i < digits.size(); ++i) {
    isRange &= digits[i].axes.empty();
    unit = mulSaturated(unit, digits[i].extent);
  }
  for (size_t i = 1; i < needed.digits.size(); ++i) {
    const Digit &digit = needed.digits[i];
    isRange &= digit.length == digit.extent;
    inner = mulSaturated(inner, digit.extent);
  }
  std::vector<AxisRef> moving;
  std::vector<CutAxis> cuts;
  for (const Split &split : splits) {
    if (!split.isAxis())
      continue;
    int64_t cutSize = axisSize(mesh, *split.axis), moved = 1;
    for (const AxisRef &axis : varied)
      if (isFactorOf(axis, *split.axis, mesh)) {
        moving.push_back(axis);
        moved *= axisSize(mesh, axis);
      }
    isRange &= moved == 1 || moved == cutSize;
    CutAxis &cut = cuts.emplace_back(CutAxis{cutSize, std::nullopt});
    if (moved == 1)
      cut.at = axisCoordinate(mesh, *split.axis, coords);
  }
  if (isRange) {
    int64_t begin = needed.digits[0].offset * inner;
    addBlocks(shares, cuts, 0, digits[0].extent, unit, begin,
              begin + needed.localExtent(), 1);
    return shares;
  }
  for (int64_t i = 0, e = groupSize(mesh, moving); i < e; ++i) {
    int64_t rest = i;
    for (const AxisRef &axis : moving) {
      setCoordinate(mesh, axis, rest % axisSize(mesh, axis), coords);
      rest /= axisSize(mesh, axis);
    }
    std::vector<Piece::Run> runs =
        intersect(from.at(d, mesh, shape, coords), needed);
    int64_t length = 0;
    for (const Piece::Run &run : runs)
      length += run.length;
    if (length)
      ++shares[{length, isOneRun(runs, &Piece::Run::destination)}];
  }
  return shares;
}

namespace {
/// Pieces of one receiver, in elements.
struct Scattered {
  int64_t all = 0;           ///< of those that are not contiguous in its shard
  int64_t least = INT64_MAX; ///< of the piece with fewest such, maybe none
  int64_t pieces = 0;
};
} // namespace

/// Counts `times` pieces for each choice of one share of each of dims [0, d).
static void addPieces(const std::vector<Shares> &shares,
                      const std::vector<int64_t> &extents, size_t d, Span span,
                      int64_t elements, int64_t times, Scattered &result) {
  if (d == 0) {
    int64_t own = span.contiguous ? 0 : elements;
    result.all += mulSaturated(own, times);
    result.least = std::min(result.least, own);
    result.pieces += times;
    return;
  }
  for (auto [share, count] : shares[d - 1]) {
    Span outer = span;
    outer.add(share.first, extents[d - 1], share.second);
    addPieces(shares, extents, d - 1, outer,
              mulSaturated(elements, share.first), times * count, result);
  }
}

/// Counts the elements of pieces that are not contiguous in the new shard of
/// the device at `position`: one piece from each shard by `from` that meets
/// its shard by `to` and differs in coordinates along `group` alone.
static Scattered scatteredOf(const Shards &from, const Shards &to,
                             const Mesh &mesh,
                             const std::vector<int64_t> &shape,
                             const std::vector<AxisRef> &group,
                             int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  std::vector<AxisRef> varied = refineAll(
      group, mesh, commonRefinement(from.placement, to.placement, mesh));
  std::vector<Shares> shares;
  std::vector<int64_t> extents;
  for (size_t d = 0; d < shape.size(); ++d) {
    shares.push_back(sharesOf(from, to, d, mesh, shape, varied, coords));
    extents.push_back(to.at(d, mesh, shape, coords).localExtent());
  }
  Scattered result;
  addPieces(shares, extents, shape.size(), Span(), 1, 1, result);
  return result;
}

/// The elements of the pieces that scatteredOf counts, each from `times`
/// devices, but for those of the device's own piece.
static int64_t scatteredByOthers(const Shards &from, const Shards &to,
                                 const Mesh &mesh,
                                 const std::vector<int64_t> &shape,
                                 const std::vector<AxisRef> &group,
                                 int64_t times, int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  Piece own;
  std::vector<int64_t> extents;
  for (size_t d = 0; d < shape.size(); ++d) {
    DimShard needed = to.at(d, mesh, shape, coords);
    own.runs.push_back(intersect(from.at(d, mesh, shape, coords), needed));
    extents.push_back(needed.localExtent());
  }
  int64_t all = scatteredOf(from, to, mesh, shape, group, position).all;
  return mulSaturated(all, times) -
         (isContiguous(own, &Piece::Run::destination, extents)
              ? 0
              : own.elements());
}

/// The axes that split `from`, in the parts that `to` tells apart, of which it
/// splits by all or none; nothing if there are no such parts. `copies` is how
/// many devices need the same of a holder: the coordinates along those that
/// `to` does not split by.
static std::optional<std::vector<AxisRef>> holdersOf(const Placement &from,
                                                     const Placement &to,
                                                     const Mesh &mesh,
                                                     int64_t &copies) {
  std::vector<AxisRef> before, after;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    for (const AxisRef &axis : from.axesOf(d))
      before.push_back(axis);
    for (const AxisRef &axis : to.axesOf(d))
      after.push_back(axis);
  }
  std::vector<AxisRef> parts =
      refineAll(before, mesh, commonRefinement(from, to, mesh));
  copies = 1;
  for (const AxisRef &part : parts) {
    bool splits = false;
    for (const AxisRef &axis : after) {
      bool isWithin = isFactorOf(part, axis, mesh);
      splits |= isWithin;
      if (!isWithin && overlap(part, axis, mesh))
        return std::nullopt;
    }
    if (!splits)
      copies = mulSaturated(copies, axisSize(mesh, part));
  }
  return parts;
}

/// Of an exchange between more devices a sample is looked at.
static constexpr int64_t kMostExchanging = 1024;

/// packedBytes, in elements, of collectives in which devices that differ along
/// no axis of the group do the same: of many devices a sample is looked at.
static std::optional<int64_t>
packedElements(const CollectiveStep &step, const Mesh &mesh,
               const std::vector<int64_t> &shape) {
  // Shares of an exchange may be largest anywhere.
  bool exchanges = step.kind == CollectiveKind::Exchange ||
                   step.kind == CollectiveKind::HaloExchange;
  DeviceSample sample(mesh,
                      exchanges ? kMostExchanging : DeviceSample::kFewDevices);
  sample.add(step, shape);
  const Halo none;
  Shards before{step.from, none}, after{step.to, step.halo};
  int64_t most = 0;
  switch (step.kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter: {
    // A device sends its shard of a gather, and all of a group receive the
    // same, but for their own pieces. A reduce-scatter sends what a gather
    // receives, and receives a shard.
    bool isGather = step.kind == CollectiveKind::AllGather;
    const Shards &parts = isGather ? before : after;
    const Shards &all = isGather ? after : before;
    std::vector<AxisRef> group = groupAxes(step, mesh, shape);
    for (int64_t p : sample.positions()) {
      if (groupCoordinate(mesh, group, mesh.coordinates(p)) != 0)
        continue;
      Scattered own = scatteredOf(parts, all, mesh, shape, group, p);
      bool allHold = own.pieces == groupSize(mesh, group);
      most = std::max(most, own.all - (allHold ? own.least : 0));
    }
    return most;
  }
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
  case CollectiveKind::HaloExchange: {
    // A receiver takes each element from the holder whose coordinates are its
    // own along all axes that do not split `from`, so that the way back has the
    // same pieces.
    int64_t copies = 1;
    auto holders = holdersOf(step.from, step.to, mesh, copies);
    if (!holders || step.from.partialAxes != step.to.partialAxes)
      return std::nullopt;
    for (int64_t p : sample.positions())
      most = std::max(
          most, scatteredByOthers(before, after, mesh, shape, *holders, 1, p) +
                    scatteredByOthers(after, before, mesh, shape, *holders,
                                      copies, p));
    return most;
  }
  default:
    return std::nullopt;
  }
}

int64_t shardir::packedBytes(const CollectiveStep &step, const Mesh &mesh,
                             const std::vector<int64_t> &shape,
                             int64_t elementBytes) {
  return packedBytes(step, mesh, mesh, shape, elementBytes);
}

int64_t shardir::packedBytes(const CollectiveStep &step, const Mesh &fromMesh,
                             const Mesh &toMesh,
                             const std::vector<int64_t> &shape,
                             int64_t elementBytes) {
  if (!fromMesh.isConcrete() || !toMesh.isConcrete())
    return packedBytes(step, assumedMesh(fromMesh), assumedMesh(toMesh), shape,
                       elementBytes);
  switch (step.kind) {
  case CollectiveKind::Slice:
  case CollectiveKind::MakePartial:
  case CollectiveKind::AllReduce:
    return 0;
  default:
    break;
  }
  std::vector<int64_t> sizes =
      assumedShape(shape, fromMesh, {&step.from, &step.to});
  bool oneMesh = fromMesh == toMesh;
  if (oneMesh)
    if (auto elements = packedElements(step, fromMesh, sizes))
      return mulSaturated(*elements, std::max<int64_t>(0, elementBytes));
  // On one mesh pieces stay within a group: some groups stand for all.
  DeviceSample sample =
      oneMesh ? DeviceSample(toMesh) : DeviceSample::allOf(toMesh);
  if (oneMesh) {
    sample.add(step, sizes);
    sample.addAll(groupAxes(step, toMesh, sizes));
  }
  std::map<int64_t, std::vector<int64_t>> sources; // shapes, by position
  std::map<int64_t, int64_t> packed;               // by rank
  for (int64_t p : sample.positions()) {
    std::vector<Piece> pieces =
        oneMesh ? receivePieces(step, toMesh, sizes, p)
                : receivePieces(step, fromMesh, toMesh, sizes, p);
    std::vector<int64_t> destination =
        localShape(step.to, step.halo, toMesh, sizes, p);
    int64_t receiver = toMesh.rankAt(p);
    for (const Piece &piece : pieces) {
      int64_t sender = fromMesh.rankAt(piece.source);
      if (sender == receiver)
        continue;
      if (!isContiguous(piece, &Piece::Run::destination, destination))
        packed[receiver] += piece.elements();
      std::vector<int64_t> &source = sources[piece.source];
      if (source.empty())
        source = localShape(step.from, fromMesh, sizes, piece.source);
      if (!isContiguous(piece, &Piece::Run::source, source))
        packed[sender] += piece.elements();
    }
  }
  int64_t most = 0;
  for (auto &[rank, elements] : packed)
    most = std::max(most, elements);
  return mulSaturated(most, std::max<int64_t>(0, elementBytes));
}

int64_t PackingCache::get(const CollectiveStep &step, const Mesh &fromMesh,
                          const Mesh &toMesh, const std::vector<int64_t> &shape,
                          int64_t elementBytes) {
  std::string key = stringifyCollectiveKind(step.kind);
  key += toString(fromMesh.name, step.from) + toString(toMesh.name, step.to) +
         toString(step.halo);
  for (int64_t extent : shape)
    key += ' ' + std::to_string(extent);
  auto [it, isNew] = elements.emplace(std::move(key), 0);
  if (isNew)
    it->second = packedBytes(step, fromMesh, toMesh, shape, 1);
  return mulSaturated(it->second, std::max<int64_t>(0, elementBytes));
}
