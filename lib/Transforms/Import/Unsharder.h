//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How UnshardManual.cpp writes a program without manual regions; loops and
// branches are in UnshardControlFlow.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_IMPORT_UNSHARDER_H
#define SHARDIR_LIB_TRANSFORMS_IMPORT_UNSHARDER_H

#include "ShardIR/Analysis/ManualAxes.h"
#include "ShardIR/Placement/Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <map>

namespace shardir {

/// Writes a function's ops once for each position along manual axes.
class Unsharder {
public:
  using Axes = ManualAxes::Axes;
  /// A position along some axes, by name; along others it is 0.
  using Position = std::map<std::string, int64_t>;

  Unsharder(mlir::func::FuncOp function, const MeshTable &meshes)
      : function(function), meshes(meshes), varying(function),
        builder(function.getContext()) {}
  llvm::LogicalResult run();

private:
  llvm::LogicalResult findAxisSizes();
  llvm::LogicalResult addAxis(mlir::Operation *op, const Mesh &mesh,
                              llvm::StringRef name);

  /// The values of one of the program's values, by position along its axes.
  mlir::Value lookup(mlir::Value value, const Position &at) const;
  void map(mlir::Value value, const Position &at, mlir::Value copy);
  llvm::SmallVector<Position> positions(const Axes &axes) const;
  bool isMapped(mlir::Operation *op) const;

  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emit(mlir::Operation *op);
  void emitCopies(mlir::Operation *op);
  void emitIn(ManualInOp op);
  void emitOut(ManualOutOp op);
  void emitCollective(ManualCollectiveOp op);
  llvm::LogicalResult emitFor(mlir::scf::ForOp op);
  llvm::LogicalResult emitIf(mlir::scf::IfOp op);
  llvm::LogicalResult emitWhile(mlir::scf::WhileOp op);
  llvm::LogicalResult checkControl(mlir::Operation *op,
                                   mlir::ValueRange control);

  /// The copies of `values`, with as many of each as `like` has.
  llvm::SmallVector<mlir::Value> expand(mlir::ValueRange values,
                                        mlir::ValueRange like) const;
  llvm::SmallVector<mlir::Type> expandTypes(mlir::ValueRange values) const;
  void mapExpanded(mlir::ValueRange values, mlir::ValueRange copies);

  mlir::func::FuncOp function;
  const MeshTable &meshes;
  ManualAxes varying;
  mlir::OpBuilder builder;
  std::map<std::string, int64_t> axisSizes;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> copies;
  /// Every op within an op that is copied is copied, too.
  bool isInside = false;
  llvm::SmallVector<mlir::Operation *> replaced;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_IMPORT_UNSHARDER_H
