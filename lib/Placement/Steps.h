//===- Steps.h - Sets of elements, and the axes of a step -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Placement: what receivePieces, bytesReceived and the planner
// share. Requires concrete sizes and placements that verify; guarantees that
// the bytes counted without making pieces are those of the pieces.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PLACEMENT_STEPS_H
#define SHARDIR_LIB_PLACEMENT_STEPS_H

#include "PlacementMath.h"
#include "ShardIR/Placement/Collectives.h"

namespace shardir::detail {

/// The elements that both shards of one dimension hold, as maximal runs.
std::vector<Piece::Run> intersect(const DimShard &source,
                                  const DimShard &destination);

/// How many elements both hold.
int64_t intersectionSize(const DimShard &a, const DimShard &b);

/// The part of a dimension of `size` elements that `shard`, the block of a
/// device, reads. Requires a shard of one block (verifyHalo).
DimShard withHalo(const DimShard &shard, const DimHalo &halo, int64_t size);

/// True if `inner` is a factor of `outer`, both on one axis.
bool isFactorOf(const AxisRef &inner, const AxisRef &outer, const Mesh &mesh);

/// The axes of a mesh cut into the parts that one step tells apart, and what
/// each part does in `from` and in the partial of `to`.
struct StepParts {
  enum Role {
    Free,    ///< `from` is replicated over it
    Splits,  ///< it splits a dimension of `from`
    Reduced, ///< partial in `from` and not in `to`: a term per coordinate
    Kept,    ///< partial in both
  };
  struct Part {
    AxisRef axis;
    int meshAxis = 0;
    int64_t size = 1, stride = 1; ///< stride of one step in the axis's index
    Role role = Free;
    size_t dim = 0;            ///< for Splits
    bool turnsPartial = false; ///< partial in `to`, splits `from`
  };
  std::vector<Part> parts; ///< mesh order, major first
  /// The axes that are partial in `to` alone, in a make_partial those that do
  /// not split `from`. Devices with coordinate 0 along these hold the tensor,
  /// the others the identity.
  std::vector<AxisRef> made;

  StepParts(const CollectiveStep &step, const Mesh &mesh);
  /// The number of terms that are added up for one element.
  int64_t terms() const;
  /// True if the device at `coords` gets elements; false if it holds the
  /// identity.
  bool receives(const Mesh &mesh, const std::vector<int64_t> &coords) const;
};

/// True if what a device holds of both placements of dimension `d` is one range
/// of each digit.
bool haveCommonRanges(const Placement &from, const Placement &to,
                      const Mesh &mesh, int64_t size, size_t d);

/// The elements that the device at `position` receives from others, by
/// receivePieces.
int64_t receivedElements(const CollectiveStep &step, const StepParts &parts,
                         const Mesh &mesh, const std::vector<int64_t> &shape,
                         int64_t position);

/// The elements that the device at `position` of `toMesh` receives by the
/// pieces of CrossMesh.h.
int64_t elementsBetween(const CollectiveStep &step, const Mesh &fromMesh,
                        const Mesh &toMesh, const std::vector<int64_t> &shape,
                        int64_t position);

/// bytesReceived, in elements, for a caller that asks for many devices.
int64_t elementsReceived(const CollectiveStep &step, const StepParts &parts,
                         const Mesh &mesh, const std::vector<int64_t> &shape,
                         int64_t position);

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_STEPS_H
