//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along which manual axes values vary. A value inside a manual region is one
// device's own: what its placement does not say is whether devices along a
// manual axis hold the same. That follows from the data flow, whatever passes
// have done to the program since the region was inlined. JAX calls it the
// type's varying manual axes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_MANUALAXES_H
#define SHARDIR_ANALYSIS_MANUALAXES_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace shardir {

class ManualAxes {
public:
  using Axes = std::set<std::string>;

  /// Requires manual regions to be inlined. Costs one walk of an op without
  /// any, else one for each level of nested loops more.
  explicit ManualAxes(mlir::Operation *root);

  /// True if any value varies.
  bool any() const { return !axes.empty(); }
  /// The axes along which a value varies; they must not split it.
  const Axes &of(mlir::Value value) const;
  /// Of all operands of an op together.
  Axes ofOperands(mlir::Operation *op) const;

private:
  bool add(mlir::Value value, const Axes &more);
  bool visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Axes> axes;
};

} // namespace shardir

#endif // SHARDIR_ANALYSIS_MANUALAXES_H
