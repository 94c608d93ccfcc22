//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops carry beside their placements and `shardir.decided_by`. Any pass may
// drop it, and what is left is right.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_REASONS_H
#define SHARDIR_DIALECT_SHARDIR_REASONS_H

#include "llvm/ADT/StringRef.h"

namespace shardir {

/// Where placements competed: what was compared, what was chosen first, then
/// the others, cheapest first: a list of `{bytes, placements}`. On functions
/// each also has `argument` or `result`, on ops whose regions run on shards
/// `tie`: the number of what it is about. Analysis/Askers.h reads it.
constexpr llvm::StringLiteral kAlternatives = "shardir.alternatives";

/// On an op whose results' placements can come about in several ways: how the
/// operands lie in the way that was decided, a placement each, or unit for what
/// is not a tensor. Between propagation and shardir-insert-redistribute alone.
constexpr llvm::StringLiteral kOperands = "shardir.operands";

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_REASONS_H
