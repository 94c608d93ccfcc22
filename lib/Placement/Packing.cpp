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

static bool isSame(const std::vector<DimShard> &a,
                   const std::vector<DimShard> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const DimShard &x, const DimShard &y) {
                      return x.digits == y.digits;
                    });
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
  std::vector<std::vector<int64_t>> sources;
  for (int64_t p = 0, n = fromMesh.numDevices(); p < n; ++p)
    sources.push_back(localShape(step.from, fromMesh, sizes, p));
  std::map<int64_t, int64_t> packed; // by rank
  std::vector<bool> done(toMesh.numDevices());
  for (int64_t p = 0, n = toMesh.numDevices(); p < n; ++p) {
    if (done[p])
      continue;
    std::vector<Piece> pieces =
        oneMesh ? receivePieces(step, toMesh, sizes, p)
                : receivePieces(step, fromMesh, toMesh, sizes, p);
    // Devices that gather the same elements from the same devices share their
    // pieces; else a gather on n devices would enumerate n x n pieces.
    std::vector<int64_t> receivers = {p};
    if (oneMesh && step.kind == CollectiveKind::AllGather) {
      std::vector<DimShard> needed = shardOf(step.to, toMesh, sizes, p);
      for (const Piece &piece : pieces)
        if (piece.source != p && !done[piece.source] &&
            isSame(shardOf(step.to, toMesh, sizes, piece.source), needed))
          receivers.push_back(piece.source);
    }
    std::vector<int64_t> destination =
        localShape(step.to, step.halo, toMesh, sizes, p);
    int64_t scattered = 0; // elements that do not arrive in one run
    for (const Piece &piece : pieces) {
      int64_t sender = fromMesh.rankAt(piece.source);
      int64_t elements = piece.elements();
      int64_t others = int64_t(receivers.size());
      bool unpacks =
          !isContiguous(piece, &Piece::Run::destination, destination);
      scattered += unpacks ? elements : 0;
      for (int64_t receiver : receivers)
        if (toMesh.rankAt(receiver) == sender) {
          --others;
          packed[sender] -= unpacks ? elements : 0;
        }
      if (!isContiguous(piece, &Piece::Run::source, sources[piece.source]))
        packed[sender] += others * elements;
    }
    for (int64_t receiver : receivers) {
      packed[toMesh.rankAt(receiver)] += scattered;
      done[receiver] = true;
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
