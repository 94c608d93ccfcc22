//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the index arithmetic of one rank of a program on buffers, and of
// everything else what allocates, frees, or leads into regions.
//
// Requires: a function of one block, on buffers; meshes of known sizes.
// Guarantees: every loop goes around at most three times, so that the time is
// that of the program's length.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_MEMORY_RANKRUN_H
#define SHARDIR_LIB_MEMORY_RANKRUN_H

#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Placement/Placement.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

namespace shardir {

class RankRun {
public:
  /// Lists what is held where `listAt` bytes are first alive.
  RankRun(const MeshTable &meshes, int64_t rank, OpMemory *use,
          int64_t listAt = 0)
      : meshes(meshes), rank(rank), use(use), listAt(listAt) {}

  /// Arguments and results, which are arguments by now; false where an extent
  /// is not known.
  bool enter(mlir::func::FuncOp entry);
  /// False where a size is not known.
  bool run(mlir::Block &block);
  MemoryPeak peak;
  /// The bytes of each argument and allocation, and those alive with it.
  std::vector<int64_t> trace;
  /// False if every rank allocates and frees the same: no size and no decision
  /// is computed.
  bool mayDiffer = false;

private:
  std::optional<int64_t> get(mlir::Value value) const {
    std::optional<int64_t> number = mlir::getConstantIntValue(value);
    if (auto found = numbers.find(value); !number && found != numbers.end())
      number = found->second;
    // True is 1, however wide numbers are.
    if (number && value.getType().isInteger(1))
      return *number & 1;
    return number;
  }
  std::optional<int64_t> get(mlir::OpFoldResult value) const {
    if (auto known = mlir::getConstantIntValue(value))
      return known;
    return get(llvm::cast<mlir::Value>(value));
  }
  std::optional<int64_t> evaluate(mlir::Operation &op) const;
  std::optional<int64_t> extentOf(mlir::Value buffer, int64_t dim) const;
  /// The buffer that a view or a value of a region stands for.
  mlir::Value rootOf(mlir::Value buffer) const;
  void bind(mlir::Value inner, mlir::Value outer);
  bool visit(mlir::Operation &op);
  /// True if something in `op` allocates or frees.
  bool allocates(mlir::Operation &op);
  bool visitFor(mlir::scf::ForOp loop);
  bool visitWhile(mlir::scf::WhileOp loop);
  bool visitBranches(mlir::Operation &op);

  const MeshTable &meshes;
  int64_t rank;
  OpMemory *use;
  int64_t listAt;
  int64_t alive = 0;
  int64_t most = 0; ///< alive since the op began that is run
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> shapes;
  /// Which allocation a value is: one in a loop makes another each time.
  llvm::DenseMap<mlir::Value, int64_t> instances;
  /// The allocations that are alive, by instance.
  std::map<int64_t, HeldValue> allocated;
  /// Bytes of those in the host's memory.
  std::map<int64_t, int64_t> allocatedOnHost;
  int64_t aliveOnHost = 0;
  llvm::SmallVector<HeldValue> arguments;
  int64_t nextInstance = 1;
  llvm::DenseMap<mlir::Operation *, bool> known; ///< allocates
};

} // namespace shardir

#endif // SHARDIR_LIB_MEMORY_RANKRUN_H
