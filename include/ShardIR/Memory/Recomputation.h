//===- Recomputation.h - Compute again what is not kept ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which value that is alive at the peak to drop there, and how to compute it
// again for its users behind the peak.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_MEMORY_RECOMPUTATION_H
#define SHARDIR_MEMORY_RECOMPUTATION_H

#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Placement/CostModel.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <vector>

namespace shardir {

/// The cost for a device of computing a value a second time, or of having it on
/// the host meanwhile.
struct RepeatCost {
  double operations = 0;
  double received = 0;  ///< bytes
  double seconds = 0;   ///< by the machine's rates and the mesh's links
  double offloaded = 0; ///< bytes copied to the host, and as many back
  double exposed = 0;   ///< seconds of these copies that no work hides

  RepeatCost &operator+=(const RepeatCost &other) {
    operations += other.operations;
    received += other.received;
    seconds += other.seconds;
    offloaded += other.offloaded;
    exposed += other.exposed;
    return *this;
  }
};

/// Of one op; nothing of views, of scalars and of tensors without contents.
/// With `countsUnstored` it reads and writes all operands and results, else
/// those that are stored.
RepeatCost repeatCost(mlir::Operation *op, const MeshTable &meshes,
                      const DeviceRates &rates, bool countsUnstored = true);

/// An op that gives the same value on the same rank each time, without a
/// message to another rank.
bool isRepeatable(mlir::Operation *op);

/// The operands of `op` and what its regions read from outside.
llvm::SetVector<mlir::Value> readsOf(mlir::Operation *op);

/// One value, computed a second time; or, if `isOffload`, copied to the host
/// behind `behind`, and back in front of `before`: without a slice.
struct Recomputation {
  mlir::Value value;
  mlir::Operation *before = nullptr; ///< its first user behind the peak
  llvm::SmallVector<mlir::Operation *> slice; ///< to repeat, in program order
  /// Operands of the slice: alive in front of `before`, or kept until then.
  llvm::SmallVector<mlir::Value> inputs;
  /// The inputs that are results of collectives which the program repeats
  /// behind the peak, as it gathers weights again for the backward pass, each
  /// with the later op. That one moves in front of `before`, and is read.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Operation *>> repeated;
  int64_t bytes = 0; ///< less at the peak, inputs that are kept subtracted
  RepeatCost cost;
  bool isOffload = false;
  mlir::Operation *behind = nullptr;

  /// Nothing but tensors without contents and constants.
  bool isFree() const { return cost.seconds == 0; }
  /// The greater, the better.
  double bytesPerSecond() const {
    return double(bytes) / std::max(cost.seconds, 1e-12);
  }
};

/// A value that is on the host at `peak`.
struct Offload {
  mlir::Operation *store, *peak, *fetch;
};

/// Values computed again or fetched so far, by the value that they stand for;
/// all that such computations and copies have made, of which none is made a
/// third time; and the copies.
struct RecomputationState {
  llvm::DenseMap<mlir::Value, mlir::Value> byValue;
  llvm::DenseSet<mlir::Operation *> made;
  std::vector<Offload> offloads;
};

/// The ways to have less at `peak`, those that save most bytes per second of
/// recomputation first. A value qualifies that the op at the peak does not use,
/// that ops behind it do and that is no result of the function. Elementwise
/// ops, reductions, products and changes of shape of the same block are
/// repeated, and gathers. Results of other collectives and of ops that lead
/// into regions are kept, as are those of products and gathers where that is
/// the better bargain; but a collective that the program itself repeats behind
/// the peak is read there.
/// Requires placements on every value, and what peakMemory requires.
std::vector<Recomputation> recomputationsAt(const MemoryPeak &peak,
                                            mlir::func::FuncOp function,
                                            const MeshTable &meshes,
                                            const DeviceRates &rates,
                                            const RecomputationState &done);

} // namespace shardir

#endif // SHARDIR_MEMORY_RECOMPUTATION_H
