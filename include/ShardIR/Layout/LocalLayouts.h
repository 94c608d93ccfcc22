//===- LocalLayouts.h - Orders of a local program's tensors -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which order of dims in memory each tensor of a local program should have, so
// that collectives move contiguous data. Arguments, results and what loops
// carry are row-major; what linalg ops make and read is free.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LAYOUT_LOCALLAYOUTS_H
#define SHARDIR_LAYOUT_LOCALLAYOUTS_H

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Placement/Packing.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/DenseMap.h"

namespace shardir {

enum class LayoutMode {
  RowMajor,   ///< nothing is reordered
  Auto,       ///< what costs nothing: no copy, no op that runs slower
  Contiguous, ///< least bytes copied, counting copies and ops that run slower
};

/// `row-major`, `auto` or `contiguous`.
std::optional<LayoutMode> parseLayoutMode(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// The orders that an op allows for its operands
//===----------------------------------------------------------------------===//

enum class LayoutOpKind {
  Loops,      ///< reads and writes any order: see LoopView
  Collective, ///< operand and result in one order, any
  Agree,      ///< tensor.cast, a slice of the same rank, a reshape: each order
              ///< of the result has one of the operand
  Query,      ///< tensor.dim of a known dim, tensor.extract
  Free,       ///< the same everywhere: made in the order that a user wants
  Fixed,      ///< row-major operands and results
};
LayoutOpKind layoutKind(mlir::Operation *op);

/// The order that the operand of an op of kind Collective or Agree has where
/// the result has `order`, and the other way round; nothing where there is
/// none: a reshape needs the dims that it joins side by side, in their
/// sequence.
std::optional<DimOrder> operandOrderFor(mlir::Operation *op,
                                        const DimOrder &order);
std::optional<DimOrder> resultOrderFor(mlir::Operation *op,
                                       const DimOrder &order);

/// A tensor that is the same everywhere: empty, a fill of one, a splat.
bool isFreeTensor(mlir::Value value);

/// An op as loops around an element: a linalg op of one result whose maps are
/// projected permutations, or an elementwise op on tensors.
struct LoopView {
  struct Operand {
    mlir::OpOperand *operand;         ///< a tensor
    llvm::SmallVector<int64_t> loops; ///< the loop of each dim
  };
  llvm::SmallVector<Operand> inputs;
  mlir::OpOperand *init = nullptr; ///< null for elementwise ops
  llvm::SmallVector<int64_t> resultLoops;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  bool isContraction = false;

  bool isParallel() const {
    return llvm::all_of(iterators, [](mlir::utils::IteratorType type) {
      return type == mlir::utils::IteratorType::parallel;
    });
  }
};
/// Of an op of kind Loops.
LoopView loopView(mlir::Operation *op);

/// `loops` (one per dim) with those that `other`, in memory order, runs along
/// as well in its sequence, the rest where they were: the order in which a
/// tensor of these loops is read or written side by side with the other.
DimOrder alignedOrder(llvm::ArrayRef<int64_t> loops,
                      llvm::ArrayRef<int64_t> other);

/// `loops` in the sequence of the dims' order in memory.
llvm::SmallVector<int64_t> inMemoryOrder(llvm::ArrayRef<int64_t> loops,
                                         const DimOrder &order);

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

struct LocalLayouts {
  /// Tensors that are not row-major.
  llvm::DenseMap<mlir::Value, DimOrder> orders;
  /// Bytes per device that collectives pack, all row-major and as chosen.
  int64_t rowMajorBytes = 0, packedBytes = 0;

  DimOrder orderOf(mlir::Value value) const;
};

/// Chooses for one function in local form on tensors. In mode Auto equal bits
/// come out: no sum is taken in another order. In mode Contiguous sums of
/// floats may be.
LocalLayouts chooseLocalLayouts(mlir::func::FuncOp function,
                                const MeshTable &meshes, LayoutMode mode);

/// The bytes of a local tensor's largest shard; extents that nothing tells
/// count as assumed.
int64_t largestBytes(mlir::Value value, const MeshTable &meshes);

} // namespace shardir

#endif // SHARDIR_LAYOUT_LOCALLAYOUTS_H
