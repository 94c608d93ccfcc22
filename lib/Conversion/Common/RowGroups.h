//===- RowGroups.h - Products of each group of rows -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grouped products, whose groups have sizes that are known when the program
// runs: experts with as many tokens as chose them. Programs have them as
// jax.lax.ragged_dot has: a sum over all groups, of rows that are 0 outside of
// their group,
//
//   c[m, n] = sum over g and k of
//               (from[g] <= m < to[g] ? rows[m, k] : 0) * b[g, k, n]
//
// where a map makes the first factor. Their gradient has no sum over groups,
// and masks one factor or both. Code that knows the bounds leaves out rows of
// other groups; what a group's weights multiply with 0 counts as 0 there, were
// they infinite.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_ROWGROUPS_H
#define SHARDIR_LIB_CONVERSION_COMMON_ROWGROUPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

struct RowGroups {
  /// The op's loops over rows and over groups.
  unsigned row = 0, group = 0;
  /// Tensors or buffers, by the op's loops.
  mlir::Value rows, from, to;
  mlir::AffineMap rowsMap, fromMap, toMap;
  /// The number of the first row where the rows are a shard; null for 0.
  mlir::Value firstRow;
};

/// The groups, if `map` makes such a factor of input `input` of `op`, in all of
/// its results.
std::optional<RowGroups> matchRowGroups(mlir::linalg::LinalgOp op,
                                        unsigned input,
                                        mlir::linalg::LinalgOp map);

/// The same where each row says its group: `groupOf[m] == g` in the place of
/// `from[g] <= m < to[g]`. The groups' rows lie anywhere.
struct ChosenGroups {
  /// The op's loops over rows and over groups.
  unsigned row = 0, group = 0;
  /// The group of each row, a tensor of one dim.
  mlir::Value groupOf;
  /// The number of the first group where the groups are a shard; null for 0.
  mlir::Value firstGroup;
  /// From the map's loops to those of the op, and what chooses the row or 0.
  mlir::AffineMap mapToOp;
  mlir::arith::SelectOp select;
};

/// The groups, if `map` makes such a factor of input `input` of `op`.
std::optional<ChosenGroups> matchChosenGroups(mlir::linalg::LinalgOp op,
                                              unsigned input,
                                              mlir::linalg::LinalgOp map);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_ROWGROUPS_H
