//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time that one call of a program is predicted to take on one device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_STEPTIME_H
#define SHARDIR_REPORT_STEPTIME_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace shardir {

/// Seconds of one call.
struct StepTime {
  double seconds = 0; ///< from the first op to the last
  double compute = 0; ///< of kernels, copies and loops
  /// Of collectives, those that go on beside kernels included.
  double communication = 0;
};

/// Plays `entry`, on buffers, op by op in two sequences: kernels in the order
/// of the program, and collectives that have been started in the order of their
/// starts. A kernel takes the time of its schedule
/// (ShardIRDialect::kLaunchSeconds), another op what the module's machine
/// computes or moves in that time, a collective the time of its steps on the
/// mesh's links. Nothing where an extent or a trip count is not known, or where
/// meshes have different ranks.
std::optional<StepTime> predictStep(mlir::func::FuncOp entry);

} // namespace shardir

#endif // SHARDIR_REPORT_STEPTIME_H
