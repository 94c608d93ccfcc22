//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the device's part of Runtime/Abi.h. Requires memrefs of identity or
// strided layouts; guarantees that an op is replaced by calls and host
// arithmetic, and declarations are made when first needed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_DEVICECALLS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_DEVICECALLS_H

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace shardir {

/// Functions that bufferization adds: they work on lists of addresses, which
/// are the host's.
bool isHostHelper(llvm::StringRef function);

/// The op that makes the tensor map which `operand` of a launch is a pointer
/// to; null for any other operand.
mlir::nvgpu::TmaCreateDescriptorOp tensorMapOf(mlir::Value operand);

/// Stack memory at a function's start that its launches, copies and reads use
/// one after the other.
class FunctionScratch {
public:
  explicit FunctionScratch(mlir::func::FuncOp function);
  /// The place of argument `i` of a launch, and the array of all places.
  mlir::Value slot(unsigned i);
  mlir::Value argumentArray();
  /// Host memory for the numbers of one call, 64 bits each.
  mlir::Value numbers();
  /// Host memory for one element.
  mlir::Value element(mlir::Type type);
  /// A rank-1 descriptor and the unranked one that points to it; `which` is 0
  /// or 1.
  struct Descriptor {
    mlir::Value ranked, unranked;
  };
  Descriptor descriptor(unsigned which);
  /// Sizes the argument area when all launches are known.
  void finish();

private:
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type pointer;
  mlir::Value slots, array, numberSlots;
  mlir::Operation *slotCount = nullptr, *arrayCount = nullptr;
  llvm::SmallVector<mlir::Value> slotValues;
  llvm::DenseMap<mlir::Type, mlir::Value> elements;
  Descriptor descriptors[2];
};

class DeviceCalls {
public:
  explicit DeviceCalls(mlir::ModuleOp module);

  mlir::LogicalResult launch(mlir::gpu::LaunchFuncOp op, int32_t id,
                             FunctionScratch &scratch);
  mlir::LogicalResult alloc(mlir::memref::AllocOp op);
  mlir::LogicalResult free(mlir::memref::DeallocOp op);
  mlir::LogicalResult copy(mlir::memref::CopyOp op, FunctionScratch &scratch);
  mlir::LogicalResult load(mlir::memref::LoadOp op, FunctionScratch &scratch);
  mlir::LogicalResult libraryMatmul(kernel::LibraryMatmulOp op,
                                    FunctionScratch &scratch);
  mlir::LogicalResult libraryAttention(kernel::LibraryAttentionOp op,
                                       FunctionScratch &scratch);
  mlir::LogicalResult multiprocessors(kernel::MultiprocessorsOp op);
  mlir::LogicalResult constant(mlir::memref::GetGlobalOp op, int32_t id);

private:
  mlir::LogicalResult tensorMap(mlir::OpBuilder &builder,
                                mlir::nvgpu::TmaCreateDescriptorOp op,
                                mlir::Value slot, FunctionScratch &scratch);
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::Type result,
                                 llvm::ArrayRef<mlir::Type> arguments);
  /// Stores `numbers`, of type index, to the scratch memory for them.
  mlir::Value storeNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::ValueRange numbers, FunctionScratch &scratch);
  /// The code of a buffer's element type for the runtime.
  mlir::Value elementType(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value buffer);
  mlir::Value integer(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t value, unsigned bits = 64);
  mlir::Value asMemRef(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::MemRefType type, mlir::Value data,
                       mlir::ValueRange dynamicSizes);

  mlir::ModuleOp module;
  mlir::LLVMTypeConverter converter;
  mlir::Type pointer, i32, i64, none;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_DEVICECALLS_H
