//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_PARTIALIDENTITY_H
#define SHARDIR_INTERFACES_PARTIALIDENTITY_H

#include "ShardIR/Placement/PartialKind.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace shardir {

/// The identity of a partial kind for an element type, as an attribute (P5 of
/// docs/Semantics.md).
mlir::TypedAttr partialIdentity(mlir::Type elementType, PartialKind kind);

/// The same as a scalar, complex numbers included, which sums alone have; null
/// where the kind has no identity for that type.
mlir::Value createPartialIdentity(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Type elementType, PartialKind kind);

} // namespace shardir

#endif // SHARDIR_INTERFACES_PARTIALIDENTITY_H
