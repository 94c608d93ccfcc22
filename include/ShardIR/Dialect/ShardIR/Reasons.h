//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops carry for people to read, beside `shardir.decided_by`. It decides
// nothing, may be dropped by any pass, and is gone once a program is local.
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

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_REASONS_H
