//===- RecomputeStacks.h - Compute again what loops keep --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective. A *stack* is a tensor in which a loop keeps a value of
// each iteration for those of a later loop, as a scan over layers keeps
// activations for the backward pass. Used by shardir-recompute-to-fit.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_SCHEDULE_RECOMPUTESTACKS_H
#define SHARDIR_LIB_TRANSFORMS_SCHEDULE_RECOMPUTESTACKS_H

#include "ShardIR/Memory/Recomputation.h"

#include <string>

namespace shardir {

/// A value that a function no longer keeps, and computes a second time.
struct DroppedValue {
  std::string op; ///< the name of the op that computes it
  mlir::Location loc;
  mlir::Type type;
  int64_t bytes = 0; ///< saved
  RepeatCost cost;   ///< on a device
};

/// Drops stacks of the loops in `function`, those that save most bytes per
/// second of recomputation first, until `bytes` are saved or none is left that
/// can be. Their readers repeat the ops that made a value, on what other stacks
/// hold of the same iteration and on what the loop reads from outside. A stack
/// of what an iteration is carried, or of a collective's results, is kept.
/// Requires what peakMemory requires.
std::vector<DroppedValue> recomputeStacks(mlir::func::FuncOp function,
                                          int64_t bytes,
                                          const MeshTable &meshes,
                                          const DeviceRates &rates);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_SCHEDULE_RECOMPUTESTACKS_H
