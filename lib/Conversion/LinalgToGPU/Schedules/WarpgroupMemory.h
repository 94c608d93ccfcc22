//===- WarpgroupMemory.h - Shared memory as wgmma reads it ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles in the layout of 128-byte swizzling: rows of 128 bytes in boxes, one
// box behind the other, whose eight chunks of 16 bytes trade places by the
// row's number. Descriptors are those of the PTX ISA, 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_WARPGROUPMEMORY_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_WARPGROUPMEMORY_H

#include "KernelEmitter.h"

namespace shardir {

/// Where chunk `column` of row `row` lies in a tile of `rows` rows, in elements
/// of `elementBytes`.
Index swizzledPlace(KernelEmitter &emit, Index row, Index column, int64_t rows,
                    int64_t elementBytes);

/// The descriptor of what lies from `address` on, which is in bytes (i64):
/// along the k of a product, or across it in boxes of `rows` rows.
mlir::Value wgmmaDescriptor(KernelEmitter &emit, mlir::Value address,
                            bool alongK, int64_t rows);

/// Before the barrier behind which wgmma or TMA reads what the thread wrote.
void publishToAsyncProxy(KernelEmitter &emit);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_WARPGROUPMEMORY_H
