//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers that build the local form of an op: local types, extents and offsets
// from the rank.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_LOCALIZER_H
#define SHARDIR_INTERFACES_LOCALIZER_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/PartialIdentity.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace shardir {

/// Knows the global tensor and the placement behind every local value, and
/// emits arithmetic on `shardir.axis_index`.
class Localizer {
public:
  explicit Localizer(const MeshTable &meshes) : meshes(meshes) {}

  const MeshTable &getMeshes() const { return meshes; }
  const Mesh &meshOf(PlacementAttr placement) const {
    return meshes.get(placement);
  }

  /// The global tensor that a value of the op being localized stands for, and
  /// its placement; queried with the op's own operands and results.
  struct Global {
    mlir::RankedTensorType type;
    PlacementAttr placement; ///< null: replicated
    Halo halo = {}; ///< how much the shards overlap (D6 of docs/Semantics.md)
    /// Per dim the global tensor's extent where the type leaves it open, as a
    /// value of the local program; null where it is known, or is the local
    /// extent, as that of a dim that no device cuts. Empty: null throughout.
    llvm::SmallVector<mlir::Value> extents = {};
    /// Extent and shift of each open window of `halo`, as such values.
    llvm::SmallVector<mlir::Value> windows = {};
  };
  Global global(mlir::Value value) const;
  void setGlobal(mlir::Value value, Global global) { globals[value] = global; }

  /// The local value of a tensor that regions of the op being localized capture
  /// and that is split or partial; null for a replicated value, which
  /// the regions hold in its local form already.
  mlir::Value local(mlir::Value captured) const {
    return captures.lookup(captured);
  }
  void setLocal(mlir::Value captured, mlir::Value local) {
    captures[captured] = local;
  }

  /// The type of a shard: dims whose extents differ among devices are `?`.
  mlir::RankedTensorType localType(mlir::RankedTensorType type,
                                   PlacementAttr placement,
                                   const Halo &halo = {}) const;
  mlir::RankedTensorType localType(mlir::Value globalValue) const;

  /// True if devices hold less than all of dim `dim`, or may do so.
  bool isCut(const Global &global, int64_t dim) const;

  /// The global tensor's extent of dim `dim`. `local` is any local value of a
  /// placement that leaves the dim unsharded; it is used where neither type nor
  /// `global.extents` tells.
  mlir::OpFoldResult globalExtent(mlir::OpBuilder &builder, mlir::Location loc,
                                  const Global &global, int64_t dim,
                                  mlir::Value local = {}) const;

  /// The extent of this device's shard of dim `dim`. `local` is as above.
  mlir::OpFoldResult localExtent(mlir::OpBuilder &builder, mlir::Location loc,
                                 Global global, int64_t dim,
                                 mlir::Value local = {}) const;
  /// The values of the unknown extents of `localType(global)`, in order.
  llvm::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder,
                                              mlir::Location loc, Global global,
                                              mlir::Value local = {}) const;

  /// Offset and length of each digit of a dim, as index values (P3, P4): the
  /// dim is seen as a mixed-radix number, major digit first, and has one digit
  /// where axes alone split it. Where `extent` is unknown, `globalExtent` is
  /// its value.
  struct DigitValue {
    int64_t extent; ///< of the global tensor's digit; kUnknown if not static
    mlir::OpFoldResult offset, length;
    mlir::OpFoldResult size; ///< `extent` as a value
  };
  llvm::SmallVector<DigitValue> digits(mlir::OpBuilder &builder,
                                       mlir::Location loc, const Mesh &mesh,
                                       const Placement &placement,
                                       int64_t extent, int64_t dim,
                                       mlir::Value globalExtent = {}) const;

  /// The digits of dim `dim` of a value, its halo included: with one, a single
  /// digit. Requires an extent that the type or `global.extents` tells. Where
  /// the rule's factor `isOneBlock`, `digits(...)[0].offset` is where this
  /// device's block begins.
  llvm::SmallVector<DigitValue> digits(mlir::OpBuilder &builder,
                                       mlir::Location loc, const Global &global,
                                       int64_t dim) const;

  /// The global index of local index `local` along `dim`.
  mlir::Value globalIndex(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<DigitValue> digits,
                          mlir::Value local) const;

  /// The coordinate of this device along an axis or sub-axis.
  mlir::Value axisIndex(mlir::OpBuilder &builder, mlir::Location loc,
                        const Mesh &mesh, const AxisRef &axis) const;

  /// `i1`: whether this device is the first along all of `axes`.
  mlir::Value isFirst(mlir::OpBuilder &builder, mlir::Location loc,
                      const Mesh &mesh, llvm::ArrayRef<AxisRef> axes) const;

private:
  const MeshTable &meshes;
  llvm::DenseMap<mlir::Value, Global> globals;
  llvm::DenseMap<mlir::Value, mlir::Value> captures;
};

} // namespace shardir

#include "ShardIR/Interfaces/LocalizableOpInterface.h.inc"

#endif // SHARDIR_INTERFACES_LOCALIZER_H
