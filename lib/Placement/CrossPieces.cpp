//===- CrossPieces.cpp - Holders of what a device lacks ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces of steps between two meshes, and of those whose result overlaps
// (Pieces.cpp has the others). Requires placements that verify: of equal
// partials on one mesh, without partials on two.
// Guarantees that every element of the receiver's new shard comes in exactly
// one piece, that a device takes from itself what it has, and that receivers
// that share a block take it from its holders by turns. Costs are in the number
// of blocks that meet.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "Steps.h"

using namespace shardir;
using namespace shardir::detail;

namespace {

/// Part of the receiver's shard along one dimension, and where it is held.
struct Source {
  std::vector<int64_t> coords; ///< valid along the parts that split the dim
  std::vector<Piece::Run> runs;
};

/// The devices that hold a tensor, block by block.
class Holders {
public:
  Holders(const Placement &placement, const Mesh &mesh, size_t rank)
      : mesh(mesh), splitting(rank) {
    StepParts all({CollectiveKind::Exchange, placement, placement}, mesh);
    for (const StepParts::Part &part : all.parts) {
      if (part.role == StepParts::Splits && part.dim < rank)
        splitting[part.dim].push_back(part);
      else if (part.role == StepParts::Free)
        replicas.push_back(part);
    }
  }

  /// Calls `visit(coords)` for every block of dimension `d`.
  template <typename Visit> void forEachBlock(size_t d, Visit visit) const {
    std::vector<int64_t> coords(mesh.axes.size(), 0);
    while (true) {
      visit(coords);
      size_t i = splitting[d].size();
      for (; i > 0; --i) {
        const StepParts::Part &part = splitting[d][i - 1];
        int64_t &c = coords[part.meshAxis];
        if (c / part.stride % part.size + 1 < part.size) {
          c += part.stride;
          break;
        }
        c -= (part.size - 1) * part.stride;
      }
      if (i == 0)
        return;
    }
  }

  /// Replaces the coordinates along the parts that split `d` by those of a
  /// block.
  void select(size_t d, const std::vector<int64_t> &block,
              std::vector<int64_t> &coords) const {
    for (const StepParts::Part &part : splitting[d])
      setDigit(part, block[part.meshAxis] / part.stride % part.size, coords);
  }

  /// Coordinates that choose replica number `turn`, modulo how many there are.
  std::vector<int64_t> replica(int64_t turn) const {
    std::vector<int64_t> coords(mesh.axes.size(), 0);
    for (size_t i = replicas.size(); i-- > 0;) {
      setDigit(replicas[i], turn % replicas[i].size, coords);
      turn /= replicas[i].size;
    }
    return coords;
  }

  /// A number that tells receivers of one block apart: neighbours in any
  /// dimension, and replicas of one shard, have successive numbers.
  int64_t turnOf(const std::vector<int64_t> &coords) const {
    int64_t turn = flat(replicas, coords);
    for (const std::vector<StepParts::Part> &parts : splitting)
      turn += flat(parts, coords);
    return turn;
  }

  int64_t positionAt(const std::vector<int64_t> &coords) const {
    int64_t position = 0;
    for (size_t i = 0; i < mesh.axes.size(); ++i)
      position = position * mesh.axes[i].size + coords[i];
    return position;
  }

private:
  static void setDigit(const StepParts::Part &part, int64_t value,
                       std::vector<int64_t> &coords) {
    int64_t &c = coords[part.meshAxis];
    c += (value - c / part.stride % part.size) * part.stride;
  }

  static int64_t flat(const std::vector<StepParts::Part> &parts,
                      const std::vector<int64_t> &coords) {
    int64_t result = 0;
    for (const StepParts::Part &part : parts)
      result =
          result * part.size + coords[part.meshAxis] / part.stride % part.size;
    return result;
  }

  const Mesh &mesh;
  std::vector<std::vector<StepParts::Part>> splitting; ///< by dimension
  std::vector<StepParts::Part> replicas;
};

} // namespace

std::vector<Piece> shardir::receivePieces(const CollectiveStep &step,
                                          const Mesh &fromMesh,
                                          const Mesh &toMesh,
                                          const std::vector<int64_t> &shape,
                                          int64_t receiver) {
  if (!fromMesh.isConcrete() || !toMesh.isConcrete())
    return receivePieces(step, assumedMesh(fromMesh), assumedMesh(toMesh),
                         shape, receiver);
  std::vector<int64_t> sizes =
      assumedShape(shape, fromMesh, {&step.from, &step.to});
  std::vector<DimShard> needed =
      shardOf(step.to, step.halo, toMesh, sizes, receiver);
  Holders holders(step.from, fromMesh, sizes.size());
  int64_t self = fromMesh.positionOf(toMesh.rankAt(receiver));
  std::vector<int64_t> base;
  if (self >= 0)
    base = fromMesh.coordinates(self);
  else
    base = holders.replica(Holders(step.to, toMesh, sizes.size())
                               .turnOf(toMesh.coordinates(receiver)));

  bool isOneMesh = fromMesh == toMesh;
  static const DimPlacement whole;
  std::vector<Piece> pieces;
  std::vector<std::vector<Source>> sources(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const DimPlacement &dim =
        d < step.from.dims.size() ? step.from.dims[d] : whole;
    std::vector<SymbolicDigit> digits = digitsOf(dim, fromMesh, sizes[d]);
    auto add = [&](const std::vector<int64_t> &coords) {
      DimShard held = dimShardOf(digits, fromMesh, coords);
      std::vector<Piece::Run> runs = intersect(held, needed[d]);
      if (!runs.empty())
        sources[d].push_back(Source{coords, std::move(runs)});
    };
    // Of equal blocks the own one alone meets what is needed.
    if (self >= 0 && isOneMesh && d < step.to.dims.size() &&
        dim.splits == step.to.dims[d].splits &&
        (d >= step.halo.size() || step.halo[d].isZero()))
      add(base);
    else
      holders.forEachBlock(d, add);
    if (sources[d].empty())
      return pieces;
  }

  std::vector<size_t> choice(sizes.size(), 0);
  do {
    std::vector<int64_t> coords = base;
    Piece piece;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const Source &source = sources[d][choice[d]];
      holders.select(d, source.coords, coords);
      piece.runs.push_back(source.runs);
    }
    piece.source = holders.positionAt(coords);
    pieces.push_back(std::move(piece));
  } while (nextChoice(choice, sources));
  return pieces;
}

int64_t detail::elementsBetween(const CollectiveStep &step,
                                const Mesh &fromMesh, const Mesh &toMesh,
                                const std::vector<int64_t> &shape,
                                int64_t position) {
  if (step.kind == CollectiveKind::Slice)
    return 0;
  int64_t self = fromMesh.positionOf(toMesh.rankAt(position));
  std::vector<DimShard> needed =
      shardOf(step.to, step.halo, toMesh, shape, position);
  std::vector<DimShard> held;
  if (self >= 0)
    held = shardOf(step.from, fromMesh, shape, self);
  int64_t all = 1, mine = self >= 0 ? 1 : 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t extent = needed[d].localExtent();
    int64_t shared = self >= 0 ? intersectionSize(held[d], needed[d]) : 0;
    all = extent == 0 || all == 0 ? 0 : mulSaturated(all, extent);
    mine = shared == 0 || mine == 0 ? 0 : mulSaturated(mine, shared);
  }
  return all - mine;
}

int64_t shardir::bytesReceived(const CollectiveStep &step, const Mesh &fromMesh,
                               const Mesh &toMesh,
                               const std::vector<int64_t> &shape,
                               int64_t elementBytes, int64_t position) {
  int64_t elements = elementsBetween(
      step, assumedMesh(fromMesh), assumedMesh(toMesh),
      assumedShape(shape, fromMesh, {&step.from, &step.to}), position);
  return mulSaturated(elements, std::max<int64_t>(0, elementBytes));
}
