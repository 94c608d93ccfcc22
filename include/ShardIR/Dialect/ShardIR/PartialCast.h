//===- PartialCast.h - Casts that take terms of sums ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_PARTIALCAST_H
#define SHARDIR_DIALECT_SHARDIR_PARTIALCAST_H

#include "llvm/ADT/StringRef.h"

namespace shardir {

/// On an arith.truncf, a unit: a partial sum passes it, so that terms are
/// reduced in the result's type (docs/Semantics.md, P5). It is part of the op,
/// as rules depend on ops alone.
inline constexpr llvm::StringLiteral kPartialCast = "shardir.partial_cast";

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_PARTIALCAST_H
