//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's view of the thread that it runs as: the fields of
// shardir_emulated_thread (Runtime/EmulatedGpu.h) as values.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_GPUTOHOST_EMULATEDTHREAD_H
#define SHARDIR_LIB_CONVERSION_GPUTOHOST_EMULATEDTHREAD_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace shardir {

/// The attribute of kernels until their tables are made: the number of their
/// module, their name, and the bytes of static shared memory.
constexpr const char *kEmulatedKernel = "emulated_kernel";

class EmulatedThread {
public:
  /// The struct's arrays of three, in order.
  enum Array { Thread, Block, BlockDim, GridDim };

  explicit EmulatedThread(mlir::Value pointer) : pointer(pointer) {}

  /// Entry `dim` (0 for x) of `array`, an index.
  mlir::Value entry(mlir::OpBuilder &builder, mlir::Location loc, Array array,
                    int dim) const;
  /// The thread's number in its block, x fastest, an index.
  mlir::Value linearId(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// The number of threads in a block, an index.
  mlir::Value blockSize(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// The block's shared memory, a pointer.
  mlir::Value shared(mlir::OpBuilder &builder, mlir::Location loc) const;

  void barrier(mlir::OpBuilder &builder, mlir::Location loc) const;
  /// Posts `bytes` at `in` and gets those of all 32 lanes at `all`.
  void gather(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value in,
              mlir::Value all, int64_t bytes) const;

  /// The struct's further functions, by their place in it.
  enum Function {
    Mma = 15,
    CopyAsync,
    CommitCopies,
    WaitCopies,
    NamedBarrier,
    MBarrierInit,
    MBarrierArrive,
    MBarrierWait,
    TensorLoad,
    TensorStore,
    CommitStores,
    WaitStores,
    Wgmma,
    Misaligned
  };
  /// Calls `function` with the thread and `arguments`.
  void call(mlir::OpBuilder &builder, mlir::Location loc, int32_t function,
            mlir::ValueRange arguments) const;

private:
  mlir::Value word(mlir::OpBuilder &builder, mlir::Location loc, int32_t number,
                   mlir::Type type) const;

  mlir::Value pointer;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_GPUTOHOST_EMULATEDTHREAD_H
