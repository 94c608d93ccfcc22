//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the runtime's C ABI (Runtime/Abi.h) and their declarations, which
// are made when first needed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_RUNTIMECALLS_H
#define SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_RUNTIMECALLS_H

#include "ShardIR/Dialect/Collective/Collective.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace shardir {
class MetadataBuilder;

inline constexpr llvm::StringLiteral kProgramPrefix = "program.";
inline constexpr llvm::StringLiteral kUnshardedPrefix = "shardir_unsharded_";

class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module);

  /// Replaces a collective on buffers by a call and adds it to the table; the
  /// last one of a bucket with all of it, the others not.
  mlir::LogicalResult convert(mlir::Operation *op, MetadataBuilder &metadata);

  /// Makes and frees a buffer in the host's memory, of which a pointer behind a
  /// cast is left. Fails with a message where it cannot be followed.
  void allocateOnHost(mlir::memref::AllocOp op);
  mlir::LogicalResult freeOnHost(mlir::memref::DeallocOp op);

  /// Replaces an assertion by a call of shardir_fail where it does not hold.
  void fail(mlir::cf::AssertOp op);

  /// This rank's coordinate, computed at the start of `function`.
  mlir::Value axisIndex(mlir::func::FuncOp function, mlir::Location loc,
                        int mesh, int axis) {
    return query(function, loc, "shardir_axis_index", mesh, axis);
  }

  /// The extent of dim `dim` of the global tensor `argument` of the entry
  /// `function`, read at its start.
  mlir::Value extent(mlir::func::FuncOp function, mlir::Location loc,
                     int64_t argument, int64_t dim) {
    return query(function, loc, "shardir_extent", int32_t(argument),
                 int32_t(dim));
  }

private:
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::Type result,
                                 llvm::ArrayRef<mlir::Type> parameters);
  /// A call of the runtime's function `name` with two numbers, at the start of
  /// `function`. Its result is the same on every call.
  mlir::Value query(mlir::func::FuncOp function, mlir::Location loc,
                    llvm::StringRef name, int32_t first, int32_t second);
  mlir::Value dataPointer(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value buffer);
  /// Null where `buffer` is none of allocateOnHost.
  static mlir::Value hostPointer(mlir::Value buffer);
  mlir::LogicalResult callHostCopy(mlir::OpBuilder &builder,
                                   collective::HostCopyOp op);
  mlir::Value storeDims(mlir::OpBuilder &builder, mlir::Operation *op,
                        mlir::ValueRange dims);
  mlir::LogicalResult
  callSteps(mlir::OpBuilder &builder,
            llvm::ArrayRef<collective::CollectiveOpInterface> steps,
            MetadataBuilder &metadata);
  mlir::Value numElements(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value buffer);
  void callPeer(mlir::OpBuilder &builder, mlir::Operation *op, int32_t id,
                mlir::Value in, mlir::Value out, mlir::Value counted,
                mlir::Value peer);
  void callBlocks(mlir::OpBuilder &builder, mlir::Operation *op, int32_t id,
                  mlir::Value in, mlir::Value out, mlir::Value block,
                  mlir::Value whole, mlir::Value root);

  mlir::ModuleOp module;
  mlir::OpBuilder declarations;
  mlir::Type pointer, i32, i64;
  llvm::StringMap<mlir::LLVM::GlobalOp> messages;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_RUNTIMECALLS_H
