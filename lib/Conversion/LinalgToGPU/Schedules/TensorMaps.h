//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels on sm_90 and later whose tiles the copy engine (TMA) brings:
// tensor maps, copies of their boxes, the mbarriers that count these, and what
// warps of one block that do different work need. Boxes are rows of 128 bytes,
// swizzled (WarpgroupMemory.h); what lies outside of a tensor becomes 0.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMAPS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMAPS_H

#include "KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace shardir {

constexpr size_t mostTensorMapDims = 5;
constexpr int64_t mostTensorMapBox = 256;

/// In elements: extent, stride, and how much of it a box has, at most
/// mostTensorMapBox.
struct TensorMapDim {
  Index extent, stride;
  int64_t box = 1;
};

/// On the host: the map of `operand`, innermost dim first, as the pointer that
/// a kernel gets. The innermost stride is 1; the others and the start are
/// multiples of 16 bytes.
mlir::Value makeTensorMap(KernelEmitter &emit, const NestOperand &operand,
                          llvm::ArrayRef<TensorMapDim> dims);

// In a kernel.

/// One thread: so that the map is at hand when a box is wanted.
void prefetchTensorMap(KernelEmitter &emit, mlir::Value map);
/// One thread: the box at `coordinates`, i32 and innermost first, to shared
/// memory; the mbarrier `full` counts its bytes.
void copyBox(KernelEmitter &emit, mlir::Value map,
             llvm::ArrayRef<mlir::Value> coordinates, mlir::Value to,
             mlir::Value full, mlir::NVVM::CTAGroupKindAttr group = {});

/// `address`, in bytes, as a pointer into shared memory.
mlir::Value sharedPointer(KernelEmitter &emit, Index address);
/// One thread; a phase ends after so many arrivals.
void initBarrier(KernelEmitter &emit, mlir::Value barrier, int64_t arrivals);
void arrive(KernelEmitter &emit, mlir::Value barrier);
/// Arrives, and has the phase wait for so many bytes.
void arriveExpecting(KernelEmitter &emit, mlir::Value barrier, int64_t bytes);

/// Until `count` threads have come to the block's barrier `id` (i32); and to be
/// counted there without waiting.
void meet(KernelEmitter &emit, mlir::Value id, int64_t count);
void meetWithoutWaiting(KernelEmitter &emit, mlir::Value id, int64_t count);
/// Gives registers of the warpgroup's threads away, or gets some: `count` are
/// left.
void setRegisters(KernelEmitter &emit, int64_t count,
                  mlir::NVVM::SetMaxRegisterAction action);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMAPS_H
