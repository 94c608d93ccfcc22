//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that sm_90 adds, of one thread or of a warp group: mbarriers, boxes of
// tensors, products of matrices in shared memory. The driver does the work
// (testing/EmulatedGpu/Hopper.h); PTX ISA, sections 9.7.13.15 and 9.7.15.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_GPUTOHOST_HOPPEROPS_H
#define SHARDIR_LIB_CONVERSION_GPUTOHOST_HOPPEROPS_H

#include "EmulatedThread.h"

namespace shardir {

/// Replaces `op` as WarpOps does; std::nullopt where it is none of these.
std::optional<mlir::LogicalResult>
rewriteHopperOp(mlir::Operation *op, const EmulatedThread &thread,
                llvm::function_ref<mlir::Value(int64_t)> scratch);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_GPUTOHOST_HOPPEROPS_H
