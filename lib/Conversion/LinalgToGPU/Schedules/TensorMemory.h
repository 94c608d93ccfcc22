//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor memory and the products that add to it: tcgen05, PTX ISA 9.7.16. Tiles
// in shared memory are those of wgmma (WarpgroupMemory.h). Requires sm_100a.
// A thread puts a fence between its use of tensor memory and the barriers at
// which threads wait for each other before or after that.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMEMORY_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMEMORY_H

#include "KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace shardir {

class TensorMemory {
public:
  /// Of one block, or of two that multiply together.
  TensorMemory(KernelEmitter &emit, int blocks = 1)
      : emit(emit), group(blocks == 2 ? mlir::NVVM::CTAGroupKind::CTA_2
                                      : mlir::NVVM::CTAGroupKind::CTA_1) {}

  void fence(mlir::NVVM::Tcgen05FenceKind kind);
  mlir::Value pointer(mlir::Value address);
  /// All columns that the block will ask for, a power of two from 32 on; their
  /// address goes to `place` in shared memory. One warp.
  void allocate(mlir::Value place, int64_t columns);
  /// The same warp.
  void giveBack(mlir::Value address, int64_t columns);

  /// The descriptor of a tile from `address` (i64) on; `alongK` as in
  /// wgmmaDescriptor.
  mlir::Value descriptor(mlir::Value address, bool alongK, int64_t rows);
  /// The instruction descriptor of a product of m x n: both operands of type
  /// `element`, f32 sums.
  mlir::Value instruction(mlir::Type element, int64_t m, int64_t n,
                          bool leftAlongK, bool rightAlongK);
  /// 32 bytes of k; adds to `sums`, a pointer, where `adds` holds. One thread,
  /// which also commits.
  void multiply(mlir::Value sums, mlir::Value left, mlir::Value right,
                mlir::Value instruction, mlir::Type element, mlir::Value adds);
  /// The mbarrier, in all blocks of the mask `blocks` if that is given, learns
  /// when all products of the thread are done.
  void commit(mlir::Value barrier, mlir::Value blocks = {});

  /// `words` floats from each address, in order, waited for and fenced for
  /// those who wait for this thread. A whole warp.
  llvm::SmallVector<mlir::Value> load(llvm::ArrayRef<mlir::Value> addresses,
                                      int64_t words,
                                      mlir::NVVM::Tcgen05LdStShape shape);

private:
  KernelEmitter &emit;
  mlir::NVVM::CTAGroupKind group;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_TENSORMEMORY_H
