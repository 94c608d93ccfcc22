//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time that one call of a program, and each op of it, is predicted to take
// on one device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_STEPTIME_H
#define SHARDIR_REPORT_STEPTIME_H

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace shardir {

/// Seconds of one call.
struct StepTime {
  double seconds = 0; ///< from the first op to the last
  double compute = 0; ///< of kernels, copies and loops
  /// Of collectives, those that go on beside kernels included.
  double communication = 0;
  double hostCopies = 0; ///< the same of copies to the host and back
};

/// Plays `entry`, on buffers, op by op in three sequences: kernels in the order
/// of the program, collectives that have been started in the order of their
/// starts, and copies to the host and back in the order of theirs. A kernel
/// takes the time of its schedule (ShardIRDialect::kLaunchSeconds), another op
/// what the module's machine computes or moves in that time, a collective the
/// time of its steps on the mesh's links, of which collectives on both sides
/// have half each. Where meshes have different ranks, devices of each are
/// played together: members of a collective wait for each other, and `compute`
/// and `communication` are those of the device that computes longest. Nothing
/// where an extent or a trip count is not known.
std::optional<StepTime> predictStep(mlir::func::FuncOp entry);

/// The times of ops by themselves, as predictStep counts them.
class OpTimes {
public:
  explicit OpTimes(mlir::ModuleOp module)
      : meshes(module), machine(getMachine(module)) {}

  /// Seconds of `op` with all that is in it, of a collective those of its whole
  /// bucket if it is the last one there and else none; infinity where that is
  /// not known.
  double of(mlir::Operation *op);

  /// Bytes per second of the slowest link that `op` uses; infinity where it
  /// uses none, or has no concrete mesh.
  double bandwidthOf(collective::CollectiveOpInterface op) const;

private:
  MeshTable meshes;
  Machine machine;
  llvm::DenseMap<mlir::Operation *, double> known;
};

} // namespace shardir

#endif // SHARDIR_REPORT_STEPTIME_H
