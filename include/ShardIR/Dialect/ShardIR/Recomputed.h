//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module's attributes that say which values are computed a second time, or
// are on the host meanwhile, for the program to fit a memory limit.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_RECOMPUTED_H
#define SHARDIR_DIALECT_SHARDIR_RECOMPUTED_H

#include "llvm/ADT/StringRef.h"

namespace shardir {

/// A dictionary as the report has it: `peak_bytes_per_device_without`,
/// `operations`, and `values`, a list.
inline constexpr llvm::StringLiteral kRecomputed = "shardir.recomputed";
/// The same with `copied_bytes` and `exposed_seconds` instead of `operations`.
inline constexpr llvm::StringLiteral kOffloaded = "shardir.offloaded";

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_RECOMPUTED_H
