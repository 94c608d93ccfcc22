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

/// The elements of pieces that are not contiguous in a receiver's shard of
/// shape `destination`, but for those of `receiver` itself; where that is none,
/// of the device of the group that is left with most.
static int64_t scatteredElements(const std::vector<Piece> &pieces,
                                 const std::vector<int64_t> &destination,
                                 std::optional<int64_t> receiver,
                                 int64_t group = 1) {
  int64_t scattered = 0, least = INT64_MAX;
  for (const Piece &piece : pieces) {
    int64_t own = isContiguous(piece, &Piece::Run::destination, destination)
                      ? 0
                      : piece.elements();
    if (receiver != piece.source)
      scattered += own;
    least = std::min(least, own);
  }
  bool allHold = static_cast<int64_t>(pieces.size()) == group;
  return scattered - (!receiver && allHold ? least : 0);
}

/// Sets the digit of `coords` along an axis or sub-axis.
static void setCoordinate(const Mesh &mesh, const AxisRef &axis, int64_t value,
                          std::vector<int64_t> &coords) {
  size_t index = static_cast<size_t>(mesh.axisIndex(axis.name));
  int64_t stride = mesh.axes[index].size / axisEnd(mesh, axis);
  coords[index] += (value - axisCoordinate(mesh, axis, coords)) * stride;
}

/// The elements that a device of the group of `position` sends from more than
/// one run, at most, in a reduce-scatter: each needs the blocks of all others.
static int64_t reduceScatterPacks(const CollectiveStep &step, const Mesh &mesh,
                                  const std::vector<int64_t> &shape,
                                  const std::vector<AxisRef> &group,
                                  int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  std::vector<DimShard> held = shardOf(step.from, mesh, shape, position);
  std::vector<int64_t> source;
  std::vector<std::vector<SymbolicDigit>> digits;
  for (size_t d = 0; d < shape.size(); ++d) {
    source.push_back(held[d].localExtent());
    digits.push_back(digitsOf(step.to.dims[d], mesh, shape[d]));
  }
  for (const AxisRef &axis : group)
    setCoordinate(mesh, axis, 0, coords);
  int64_t all = 0, least = INT64_MAX;
  for (int64_t i = 0, e = groupSize(mesh, group); i < e; ++i) {
    std::vector<int64_t> at = coords;
    int64_t rest = i;
    for (const AxisRef &axis : group) {
      setCoordinate(mesh, axis, rest % axisSize(mesh, axis), at);
      rest /= axisSize(mesh, axis);
    }
    Piece piece;
    for (size_t d = 0; d < shape.size(); ++d)
      piece.runs.push_back(intersect(held[d], dimShardOf(digits[d], mesh, at)));
    int64_t packs =
        isContiguous(piece, &Piece::Run::source, source) ? 0 : piece.elements();
    all += packs;
    least = std::min(least, packs);
  }
  // A device keeps its own block.
  return all - least;
}

/// packedBytes, in elements, of collectives in which devices that differ along
/// no axis of the group do the same: of many devices a sample is looked at.
static std::optional<int64_t>
packedElements(const CollectiveStep &step, const Mesh &mesh,
               const std::vector<int64_t> &shape) {
  DeviceSample sample(mesh);
  sample.add(step, shape);
  int64_t most = 0;
  switch (step.kind) {
  case CollectiveKind::AllGather: {
    // A device sends its shard. All of a group receive the same, but for their
    // own pieces.
    std::vector<AxisRef> group = groupAxes(step, mesh, shape);
    for (int64_t p : sample.positions())
      if (groupCoordinate(mesh, group, mesh.coordinates(p)) == 0)
        most = std::max(
            most, scatteredElements(receivePieces(step, mesh, shape, p),
                                    localShape(step.to, mesh, shape, p),
                                    std::nullopt, groupSize(mesh, group)));
    return most;
  }
  case CollectiveKind::ReduceScatter: {
    // A device receives its shard.
    std::vector<AxisRef> group = groupAxes(step, mesh, shape);
    for (int64_t p : sample.positions())
      if (groupCoordinate(mesh, group, mesh.coordinates(p)) == 0)
        most = std::max(most, reduceScatterPacks(step, mesh, shape, group, p));
    return most;
  }
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute: {
    // An element has one holder and one receiver in a group, so that the way
    // back has the same pieces.
    CollectiveStep back{step.kind, step.to, step.from};
    for (int64_t p : sample.positions()) {
      std::vector<int64_t> before = localShape(step.from, mesh, shape, p);
      std::vector<int64_t> after = localShape(step.to, mesh, shape, p);
      int64_t unpacked =
          scatteredElements(receivePieces(step, mesh, shape, p), after, p);
      most = std::max(
          most, unpacked + scatteredElements(
                               receivePieces(back, mesh, shape, p), before, p));
    }
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
