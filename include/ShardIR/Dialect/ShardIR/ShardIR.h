//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardir dialect: ops, attributes, and look-ups that take a placement
// attribute to the plain values of Placement/Placement.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_SHARDIR_H
#define SHARDIR_DIALECT_SHARDIR_SHARDIR_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Placement/Halo.h"
#include "ShardIR/Placement/Placement.h"

namespace shardir {

/// Caches the meshes of a module as plain values.
class MeshTable {
public:
  explicit MeshTable(mlir::Operation *module);
  /// The mesh called `name`; null if there is none.
  const Mesh *lookup(llvm::StringRef name) const;
  const Mesh &get(PlacementAttr placement) const;
  const std::vector<Mesh> &all() const { return meshes; }
  /// The index of mesh `name` in `all()`, or -1.
  int indexOf(llvm::StringRef name) const;

private:
  std::vector<Mesh> meshes;
};

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_SHARDIR_H
