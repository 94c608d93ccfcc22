//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that the device which receives most receives in one run of a
// module.
//
// Requires: meshes of known sizes.
// Guarantees: one mesh is looked at by a sample of its devices
// (DeviceSample.h), several meshes rank by rank.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_REPORT_RECEIVEDBYTES_H
#define SHARDIR_LIB_REPORT_RECEIVEDBYTES_H

#include "ShardIR/Placement/Collectives.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace shardir {

/// A step of an op that communicates, all its executions together.
struct ExecutedStep {
  CollectiveStep step;
  Mesh mesh, toMesh;
  std::vector<int64_t> shape;
  int64_t elementBytes, times;
};

using ExecutedSteps =
    llvm::MapVector<mlir::Operation *, std::vector<ExecutedStep>>;

struct ReceivedBytes {
  int64_t bytes = 0;
  bool isLowerBound = false; ///< branches receive different numbers of bytes
};

/// Sums over the functions of `module`; of the branches of an op the one that
/// receives least counts.
ReceivedBytes mostReceived(mlir::ModuleOp module,
                           const ExecutedSteps &executed);

/// Whether `op` may not run at all, as it stands in a branch.
bool isConditional(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_LIB_REPORT_RECEIVEDBYTES_H
