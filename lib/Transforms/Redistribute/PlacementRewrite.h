//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. The cost of one op under another placement of its
// results, its redistributed operands included; a query without changes to IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_PLACEMENTREWRITE_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_PLACEMENTREWRITE_H

#include "Utils.h"

#include "ShardIR/Analysis/FactorSharding.h"

#include <memory>

namespace shardir {

/// Placements that values would have after changes that are being considered.
using Overlay = llvm::DenseMap<mlir::Value, PlacementAttr>;

/// The value of an operand before its redistribution, if it has one.
struct Source {
  mlir::Value value;
  PlacementAttr placement; ///< as the overlay says
  RedistributeOp op;       ///< null: used as it is
};

/// Another placement for the results of one op.
struct PlacementRewrite {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<PlacementAttr> results;
  /// The placement that each operand then needs; null for other types.
  llvm::SmallVector<PlacementAttr> operands;
  /// The cost of bringing each operand there, one entry per operand; those of
  /// one value to one placement count once.
  llvm::SmallVector<MoveCost> operandCosts;
  double work = 0; ///< iterations on one device

  MoveCost cost() const;
};

/// Looks at ops under other placements.
class PlacementRewrites {
public:
  /// Others are looked at for values of fewer uses than this, so that time is
  /// linear in them.
  static constexpr unsigned kManyUses = 64;

  /// With `shares`, what is made of an operand for others anyway costs nothing
  /// here.
  PlacementRewrites(MoveCosts &costs, bool shares)
      : costs(costs), shares(shares) {}

  /// The rule of an op, computed once until `forget`: many placements of one
  /// op are looked at. Ops that are erased may come back as others at the same
  /// address, so whoever rewrites forgets first.
  const ShardingRule &ruleOf(mlir::Operation *op) const;
  void forget() const { rules.clear(); }

  /// Whether the placement of `op`'s results may change: it is in a function's
  /// body, no constraint stands on it, and all its tensors are on one mesh.
  bool mayChange(mlir::Operation *op) const;

  /// The source of an operand; the result of a constraint is a source itself.
  Source sourceOf(mlir::OpOperand &operand, const Overlay &overlay) const;

  /// The op as it is. Of operands that are redistributed, those whose
  /// redistribution is used by `op` alone cost what it costs; others nothing,
  /// as they stay whatever happens here.
  std::optional<PlacementRewrite> present(mlir::Operation *op) const;

  /// The op with results placed as `results`; nothing where no sharding of the
  /// op gives that or an operand cannot be brought there.
  std::optional<PlacementRewrite> with(mlir::Operation *op,
                                       llvm::ArrayRef<Placement> results,
                                       const Overlay &overlay) const;

  /// The placements of the results if operands are taken as their sources are,
  /// most promising first: all operands in `from`, then each alone; splits and
  /// partials, and each of the two alone.
  llvm::SmallVector<llvm::SmallVector<Placement>>
  takingSources(mlir::Operation *op, llvm::ArrayRef<unsigned> from,
                const Overlay &overlay) const;

private:
  const MeshTable &meshes() const { return costs.meshTable(); }
  bool isThereAnyway(mlir::Operation *op, const Source &source,
                     PlacementAttr needed, const Overlay &overlay) const;
  MoveCosts &costs;
  bool shares;
  mutable llvm::DenseMap<mlir::Operation *, SharedRule> rules;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_PLACEMENTREWRITE_H
