//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes as formulas over sizes that are not known (P6 of docs/Semantics.md):
// open dims of arguments and mesh axes of unknown size.
//
// Requires placements that verify. Guarantees that a formula, where there is
// one, gives at each of a set of sample sizes, uneven and small ones among
// them, what the closed functions of Placement/Collectives.h give there; where
// none is found there is nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_SYMBOLICBYTES_H
#define SHARDIR_REPORT_SYMBOLICBYTES_H

#include "ShardIR/Placement/Collectives.h"
#include "ShardIR/Report/SizeExpr.h"

#include <optional>
#include <vector>

namespace shardir {

/// A step on a tensor whose extents are expressions. An axis of unknown size is
/// the name of it.
struct SymbolicStep {
  CollectiveStep step;
  Mesh mesh;
  std::vector<SizeExpr> shape;
  int64_t elementBytes = 1;
  int64_t executions = 1;
};

/// The bytes of the largest shard of a tensor.
std::optional<SizeExpr> localBytesFormula(const Placement &placement,
                                          const Mesh &mesh,
                                          const std::vector<SizeExpr> &shape,
                                          int64_t elementBytes);

/// The most bytes that one device receives in all of `steps` together, each
/// times its executions. Nothing where they are on several meshes.
std::optional<SizeExpr> receivedFormula(const std::vector<SymbolicStep> &steps);

} // namespace shardir

#endif // SHARDIR_REPORT_SYMBOLICBYTES_H
