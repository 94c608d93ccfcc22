//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy's annotations as text, to plain values: what `sdy.sharding` attributes
// and meshes print as (shardy/dialect/sdy/ir/attrs.td), with single or double
// quotes around names. Requires text alone, no dialect; guarantees a value or
// one message that says what was expected and where.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_IMPORT_SHARDYTEXT_H
#define SHARDIR_IMPORT_SHARDYTEXT_H

#include "ShardIR/Placement/Placement.h"

#include "llvm/ADT/StringRef.h"

namespace shardir {

/// One tensor's sharding: its mesh by name, or written out in place.
struct ShardySharding {
  std::string meshName;
  std::optional<Mesh> inlinedMesh;
  /// Dims as written; `replicated` and the axes of `unreduced` as a partial.
  Placement placement;
};

/// `<["a"=2, "b"=4], device_ids=[…]>`, with `#sdy.mesh` or `mesh` before it or
/// not. Shardy's empty mesh has no axes, its maximal one no axes and one
/// device.
std::optional<Mesh> parseShardyMesh(llvm::StringRef text, std::string &error);

/// `{mesh = #sdy.mesh<["a"=2]>, other = …}`, as `xla.sdy.meshes` holds them.
std::optional<std::vector<Mesh>> parseShardyMeshes(llvm::StringRef text,
                                                   std::string &error);

/// `#sdy.sharding<@mesh, [{"a", ?}p1, {}], replicated={"b"}, unreduced={"c"}>`,
/// with what stands before `<` or not; or `#sdy.sharding_per_value<[<…>,
/// <…>]>`, one per result.
std::optional<std::vector<ShardySharding>>
parseShardyShardings(llvm::StringRef text, std::string &error);

/// `#sdy<manual_axes{"a", "b"}>`, `{"a"}` alone, or `{}`.
std::optional<std::vector<std::string>>
parseShardyManualAxes(llvm::StringRef text, std::string &error);

} // namespace shardir

#endif // SHARDIR_IMPORT_SHARDYTEXT_H
