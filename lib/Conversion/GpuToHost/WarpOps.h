//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that the lanes of a warp execute together: shuffles, matrix products and
// the loads and asynchronous copies that feed them. What a lane gives and gets
// is defined by the PTX ISA, sections 9.7.9.6 (shfl), 9.7.9.25 (cp.async),
// 9.7.14.5 (mma, ldmatrix).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_GPUTOHOST_WARPOPS_H
#define SHARDIR_LIB_CONVERSION_GPUTOHOST_WARPOPS_H

#include "EmulatedThread.h"

namespace shardir {

/// The lanes of a warp.
constexpr int64_t kLanes = 32;

class WarpOps {
public:
  /// `scratch` gives memory of the thread's own, of so many bytes, made where
  /// the kernel begins.
  WarpOps(const EmulatedThread &thread,
          llvm::function_ref<mlir::Value(int64_t)> scratch)
      : thread(thread), scratch(scratch) {}

  /// Replaces `op`; failure with an error where it has no emulation.
  mlir::LogicalResult rewrite(mlir::Operation *op) const;

private:
  const EmulatedThread &thread;
  llvm::function_ref<mlir::Value(int64_t)> scratch;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_GPUTOHOST_WARPOPS_H
