//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that spread one constant over a tensor, as exporters broadcast scalars: a
// linalg.fill by another name, which any device can make for itself.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_BROADCASTCONSTANTS_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_BROADCASTCONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace shardir {

/// The scalar that an all-parallel structured op copies from a constant without
/// dims to each element of its one result; null for any other op, fills
/// included.
mlir::TypedAttr broadcastConstant(mlir::Operation *op);

/// Puts a linalg.fill in the place of each such op inside of `root`. Attributes
/// that are not the op's own, placements and reasons, stay.
void fillBroadcastConstants(mlir::Operation *root);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_BROADCASTCONSTANTS_H
