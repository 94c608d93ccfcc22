//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The combiners of other dialects' reductions. Requires a region that verifies;
// guarantees a kind only where the region computes nothing else.
//
// Used for the bodies of StableHLO's collectives.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_STABLEHLO_COMBINERS_H
#define SHARDIR_LIB_IMPORT_STABLEHLO_COMBINERS_H

#include "ShardIR/Placement/Placement.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardir {

/// An op's name without its dialect; empty if it is of another dialect.
llvm::StringRef foreignName(mlir::Operation *op);

/// By what a reduction's body combines its two arguments.
std::optional<PartialKind> combinerOf(mlir::Region &body);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_STABLEHLO_COMBINERS_H
