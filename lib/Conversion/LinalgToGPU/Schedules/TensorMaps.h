//===- TensorMaps.h - Tensor maps and barriers of kernels by TMA -*- C++ -*-==//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels on sm_90 and later whose tiles TMA copies: tensor maps, copies of
// their boxes, the mbarriers that count these, and barriers and registers of
// warps of one block that do different work. Boxes are rows of 128 bytes,
// swizzled (WarpgroupMemory.h); elements outside of a tensor become 0.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMAPS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMAPS_H

#include "KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace shardir {

constexpr size_t mostTensorMapDims = 5;
constexpr int64_t mostTensorMapBox = 256;

/// In elements; `box` is a box's extent, at most mostTensorMapBox.
struct TensorMapDim {
  Index extent, stride;
  int64_t box = 1;
};

/// On the host: the map of `operand`, innermost dim first, as the pointer that
/// a kernel gets. The innermost stride is 1, a box has 128 bytes of that dim;
/// the other strides and the start are multiples of 16 bytes.
mlir::Value makeTensorMap(KernelEmitter &emit, const NestOperand &operand,
                          llvm::ArrayRef<TensorMapDim> dims);

// In a kernel.

/// One thread: so that the map is at hand when a box is wanted.
void prefetchTensorMap(KernelEmitter &emit, mlir::Value map);
/// One thread: the box at `coordinates`, i32 and innermost first, to shared
/// memory; the mbarrier `full` counts its bytes. With `blocks`, an i16, to
/// those of the cluster whose bits are set, and theirs count, at the same
/// places.
void copyBox(KernelEmitter &emit, mlir::Value map,
             llvm::ArrayRef<mlir::Value> coordinates, mlir::Value to,
             mlir::Value full, mlir::NVVM::CTAGroupKindAttr group = {},
             mlir::Value blocks = {});
/// The thread that stores boxes or adds them: until at most `pending` groups of
/// these are under way or, with `read`, still read shared memory.
void awaitStores(KernelEmitter &emit, int64_t pending, bool read);

/// `address`, in bytes, as a pointer into shared memory.
mlir::Value sharedPointer(KernelEmitter &emit, Index address);
/// One thread; a phase ends after so many arrivals.
void initBarrier(KernelEmitter &emit, mlir::Value barrier, int64_t arrivals);
/// All threads, at the kernel's start: `init`, in one thread, initialises
/// mbarriers, which all may use behind this.
void initBarriers(KernelEmitter &emit, llvm::function_ref<void()> init);
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
