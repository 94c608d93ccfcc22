//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of a GPU as host functions, which the emulating driver runs one
// thread of a block at a time. So the kernels of every schedule, and the host
// code around them, are executed and compared on machines without a card.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_GPUTOHOST_PASSES_H
#define SHARDIR_CONVERSION_GPUTOHOST_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Conversion/GpuToHost/Passes.h.inc"

/// Turns reductions of a block or a warp, in all kernels of `module`, into
/// shuffles within warps of 32 lanes, on a card as on the host.
mlir::LogicalResult reductionsToShuffles(mlir::gpu::GPUModuleOp module);

#define GEN_PASS_REGISTRATION
#include "ShardIR/Conversion/GpuToHost/Passes.h.inc"

} // namespace shardir

#endif // SHARDIR_CONVERSION_GPUTOHOST_PASSES_H
