//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that compute the same. A program may say a thing twice; later stages say
// it once where both lie in one way, so both are decided as one. Nothing is
// rewritten: what the user wrote keeps its name and its place.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_EQUALOPS_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_EQUALOPS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace shardir {

/// Value numbering over the ops that it is asked about, in the order in which
/// they are asked about: producers first.
class EqualOps {
public:
  /// The first op of the same block that computes what `op` does, or null; then
  /// `op` is the first. Null for ops with effects and such with a placement.
  mlir::Operation *find(mlir::Operation *op);

private:
  mlir::Value first(mlir::Value value) const {
    auto it = firstOf.find(value);
    return it == firstOf.end() ? value : it->second;
  }

  llvm::DenseMap<mlir::Value, mlir::Value> firstOf;
  /// By hash; ops of one entry are compared.
  llvm::DenseMap<uint64_t, llvm::SmallVector<mlir::Operation *, 1>> known;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_EQUALOPS_H
