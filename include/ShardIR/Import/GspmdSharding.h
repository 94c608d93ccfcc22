//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GSPMD's annotations (the strings of `mhlo.sharding`, xla/hlo/ir/hlo_sharding)
// to meshes and placements. They name devices and no axes: the tile of a device
// follows from its place in a list (`0,2,1,3`, V1) or in a reshaped and
// transposed count (`<=[2,2]T(1,0)`, V2). Axes are found so that each tile dim
// is split by a run of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_IMPORT_GSPMDSHARDING_H
#define SHARDIR_IMPORT_GSPMDSHARDING_H

#include "ShardIR/Placement/Placement.h"

#include "llvm/ADT/StringRef.h"

namespace shardir {

/// One tensor's sharding as GSPMD has it.
struct GspmdSharding {
  enum Kind { Tiled, Replicated, Maximal, Unknown, Manual } kind = Replicated;
  /// The meaning of one of the last tile dims, for devices that share a tile
  /// along it.
  enum Subgroup { Same, ManualGroup, Unreduced };
  std::vector<int64_t> tiles;      ///< Tiled: one per dim, then per subgroup
  std::vector<int64_t> devices;    ///< Tiled: row-major over `tiles`
  std::vector<Subgroup> subgroups; ///< of the last tile dims
  int64_t device = 0;              ///< Maximal
};

/// Reads `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`,
/// `{devices=[2,4]0,1,…}`, `{replicated}`, `{maximal device=0}`, `{unknown}`,
/// `{manual}`, or a tuple `{{…}, {…}}`; metadata is skipped. At most 2^20
/// devices, as of a mesh.
std::optional<std::vector<GspmdSharding>>
parseGspmdShardings(llvm::StringRef text, std::string &error);

/// A sharding on a mesh.
struct GspmdPlacement {
  int mesh = -1; ///< index among the meshes
  Placement placement;
};

/// Puts shardings on meshes: on one of those given where it has the same
/// devices, else on new ones, which are appended (`mesh`, `mesh_1`, … with axes
/// `axis_0`, …) and are as few as the orders of devices allow.
/// `ranks` are those of the tensors; `partitions` is the number of devices that
/// a replicated tensor lies on where nothing else says it. What cannot be put
/// on any mesh leaves its index in `culprit` and the reason in `error`.
std::optional<std::vector<GspmdPlacement>>
placeGspmdShardings(const std::vector<GspmdSharding> &shardings,
                    const std::vector<int64_t> &ranks, int64_t partitions,
                    std::vector<Mesh> &meshes, size_t &culprit,
                    std::string &error);

} // namespace shardir

#endif // SHARDIR_IMPORT_GSPMDSHARDING_H
