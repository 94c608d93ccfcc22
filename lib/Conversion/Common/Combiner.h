//===- Combiner.h - How partial results of a reduction meet -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op of a body that combines terms, and its neutral element, where lanes,
// threads or blocks share a reduction. For CPUs and GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_COMBINER_H
#define SHARDIR_LIB_CONVERSION_COMMON_COMBINER_H

#include "LoopEmitter.h"
#include "ShardIR/Placement/PartialKind.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

struct Combiner {
  /// An op of the body with two operands, one of them the value so far.
  mlir::Operation *op = nullptr;
  PartialKind kind = PartialKind::Sum;

  /// Of `type`, a vector or one element.
  mlir::Value identity(LoopEmitter &emit, mlir::Type type) const;
  /// Of two vectors or two scalars.
  mlir::Value combine(LoopEmitter &emit, mlir::Value a, mlir::Value b) const;
  /// Of a vector's lanes.
  mlir::Value reduce(LoopEmitter &emit, mlir::Value vector) const;
};

/// The combiner of result `i`: what is yielded, and the only user of the value
/// so far. Nothing for values that are neither integers nor floats: lanes of
/// index type have no reduction instruction.
std::optional<Combiner> combinerOf(mlir::linalg::LinalgOp op, unsigned i);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_COMBINER_H
