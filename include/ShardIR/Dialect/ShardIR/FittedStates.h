//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module's attribute that says over which axes optimizer states were split
// for the program to fit a memory limit.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_FITTEDSTATES_H
#define SHARDIR_DIALECT_SHARDIR_FITTEDSTATES_H

#include "llvm/ADT/StringRef.h"

namespace shardir {

/// A dictionary: `axes`, a list of names, and `peak`, the bytes of a device at
/// its peak without that; `peak` is not there where propagation found no
/// placements within the limit.
inline constexpr llvm::StringLiteral kFittedStates = "shardir.fitted_states";

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_FITTEDSTATES_H
