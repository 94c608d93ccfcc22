//===- Collectives.h - What one collective moves, as values -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective that changes a placement, described by its two placements and
// the whole tensor's shape. The report pass predicts bytes with the functions
// here and the runtime counts them with the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_COLLECTIVES_H
#define SHARDIR_PLACEMENT_COLLECTIVES_H

#include "ShardIR/Placement/CollectiveKind.h"
#include "ShardIR/Placement/Halo.h"
#include "ShardIR/Placement/Piece.h"

#include <functional>

namespace shardir {

/// A collective from one placement to another, on one mesh unless
/// Placement/CrossMesh.h says otherwise.
struct CollectiveStep {
  CollectiveKind kind = CollectiveKind::Exchange;
  Placement from, to;
  /// The result's shards overlap by so much (Placement/Halo.h); empty: not at
  /// all. Only halo_exchange has one.
  Halo halo = {};
  bool operator==(const CollectiveStep &o) const {
    return kind == o.kind && from == o.from && to == o.to && halo == o.halo;
  }
};

/// The axes whose devices take part in one group, in mesh order: those that
/// the step removes, adds or moves.
std::vector<AxisRef> groupAxes(const CollectiveStep &step, const Mesh &mesh,
                               const std::vector<int64_t> &shape);

/// Bytes that the device at `position` receives from others in one execution,
/// by the formulas of docs/Report.md:
///   all_gather: result - own operand; all_to_all, exchange, halo_exchange:
///   what it receives; permute: the result, 0 from itself; reduce_scatter:
///   (n-1) x own result; all_reduce: 2(n-1) x ceil(count/n); slice,
///   make_partial: 0.
int64_t bytesReceived(const CollectiveStep &step, const Mesh &mesh,
                      const std::vector<int64_t> &shape, int64_t elementBytes,
                      int64_t position);

/// The pieces that the device at `receiver` needs to hold `step.to` when every
/// device holds `step.from`. Every element of the destination shard is in
/// exactly one piece, or, where `from` is partial over axes that `to` is not,
/// in exactly one piece per device of each partial group; the pieces of one
/// group are listed in increasing order of their coordinate along the partial
/// axes. Of several holders of one element the receiver itself is taken where
/// it is one, else the one with equal coordinates on most axes, then
/// round-robin by receiver.
std::vector<Piece> receivePieces(const CollectiveStep &step, const Mesh &mesh,
                                 const std::vector<int64_t> &shape,
                                 int64_t receiver);

/// The same pieces one after another, each valid during its call; the terms of
/// one region follow each other. Requires a step without halos and a concrete
/// mesh.
void forEachReceivedPiece(const CollectiveStep &step, const Mesh &mesh,
                          const std::vector<int64_t> &shape, int64_t receiver,
                          const std::function<void(const Piece &)> &visit);

/// The pieces that `sender` holds for `receivers`, in time O(receivers): those
/// pieces of `receivePieces` for the receiver whose source is `sender`, of
/// which there is at most one for each. Calls visit(index of the receiver,
/// piece). Requires a step without halos and a concrete mesh and shape.
void forEachSentPiece(const CollectiveStep &step, const Mesh &mesh,
                      const std::vector<int64_t> &shape, int64_t sender,
                      const std::vector<int64_t> &receivers,
                      const std::function<void(size_t, const Piece &)> &visit);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_COLLECTIVES_H
