//===- ScalarNest.h - What a loop nest over elements does -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A marked loop nest that loads and stores elements of device memory, and which
// of its loops may run in any order: a dependence test on the indices of what
// the nest writes. Questions that change nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_LOOPS_SCALARNEST_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_LOOPS_SCALARNEST_H

#include "../KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {

struct ScalarNest {
  mlir::scf::ForOp root;
  /// Loops any two iterations of which touch different elements of whatever the
  /// nest writes, the one along the written buffer's last dim last. Their
  /// bounds are known before the nest.
  llvm::SmallVector<mlir::scf::ForOp> parallel;
  /// The other loops from the root inwards, as long as a loop is all that the
  /// one around it holds besides arithmetic. Their bounds are known before.
  llvm::SmallVector<mlir::scf::ForOp> chain;
  /// Set if two iterations of the chain touch the same elements of what is
  /// written where they agree in `keys`, and no common one where they don't:
  /// indices of one buffer, computed in the chain's innermost body.
  bool hasKeys = false;
  llvm::SmallVector<mlir::Value> keys;
  llvm::SmallVector<unsigned> keyDims;
  /// The buffer that a scatter writes; null if there are several.
  mlir::Value written;

  /// Predicted trip counts, and accesses of one innermost iteration.
  double parallelTrips() const;
  double chainTrips() const;
  /// Memory accesses of the full nest, as if in one thread.
  double accesses() const;
};

/// On an scf.for: its maker knows that its iterations touch different elements
/// of what they write, though their indices do not show it. Of the loops around
/// it nothing is said.
constexpr llvm::StringLiteral kIndependentIterations = "independent_iterations";

/// nullopt where `op` is no loop without results, or touches memory that may
/// have other names.
std::optional<ScalarNest> analyzeNest(mlir::Operation *op);

/// True if the bounds and the step of `loop`, which is in `nest` or `nest`
/// itself, are known before it.
bool hasKnownBounds(mlir::scf::ForOp loop, mlir::Operation *nest);

/// The only loop in `body`, where all else in it is arithmetic; else null.
mlir::scf::ForOp onlyLoop(mlir::Block *body);

/// True if the iterations of `loop`, which is in `nest` or `nest` itself, touch
/// different elements of every buffer that it writes, where those are written
/// nowhere else in the nest and have one name.
bool isIndependent(mlir::scf::ForOp loop, mlir::Operation *nest);

/// True if different views name different memory, and each view one buffer: all
/// loads and stores in `nest` are of allocations, constants or arguments, and
/// of what is stored to there is one view, made before the nest.
bool hasOneViewEach(mlir::Operation *nest);

/// Accesses to memory that `op` makes, loops counted by their trips.
double countAccesses(mlir::Operation *op);

/// The trip count of `loop`, `assumedExtent` where unknown.
double assumedTrips(mlir::scf::ForOp loop);

/// On the host: the trip count of `loop`, of type index.
Index tripsOf(KernelEmitter &emit, mlir::scf::ForOp loop);
/// The induction variable's value, of its type, in iteration `number`.
mlir::Value inductionAt(KernelEmitter &emit, mlir::scf::ForOp loop,
                        Index number);

/// Puts a copy of `op` at the emitter's place in which each of `loops` stands
/// at the iteration whose number is given.
void cloneAt(KernelEmitter &emit, mlir::Operation *op, mlir::IRMapping &mapping,
             llvm::ArrayRef<mlir::scf::ForOp> loops,
             llvm::ArrayRef<Index> numbers);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_LOOPS_SCALARNEST_H
