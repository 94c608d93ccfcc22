//===- RowKernel.h - The kernel of a chain over rows ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits a RowChain as one kernel. Values of members are SSA values: per row, or
// per part ("chunk") of a row that a thread has.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ROWS_ROWKERNEL_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ROWS_ROWKERNEL_H

#include "../KernelEmitter.h"
#include "Common/Combiner.h"
#include "Common/VectorBody.h"
#include "RowChain.h"

namespace shardir {

struct RowPlan {
  /// The column dim along which neighbouring threads work, and how many
  /// elements one has at a time.
  int inner = -1;
  int64_t lanes = 1;
  /// Threads of a row, a power of two; at least a warp where chunks is 0.
  int64_t threads = 32;
  /// Vectors of a row that a thread holds in registers; 0: the row is read in
  /// parts, once per phase.
  int64_t chunks = 0;
  /// Blocks that share a row, of a chain of one member read in parts: each
  /// leaves its part's combination to a second kernel.
  int64_t splits = 1;
};

class RowKernel {
public:
  /// Emits on the host what addresses need.
  static mlir::FailureOr<RowKernel> create(KernelEmitter &emit,
                                           const RowChain &chain,
                                           mlir::linalg::LinalgOp domain);

  /// True if all that is contiguous along `inner` is aligned for `lanes`.
  Condition alignment(int inner, int64_t lanes);

  /// Emits the launch. Where `aligned` does not hold at run time, elements are
  /// read one by one; it must be known where the plan has chunks.
  void emit(const RowPlan &plan, Condition aligned);

private:
  using Kind = ChainMember::Kind;
  struct Member {
    ChainMember member;
    LoopNest nest;
    llvm::SmallVector<Combiner> combiners;
  };
  /// Members of one pass over the row.
  using Phase = llvm::SmallVector<Member *>;

  RowKernel(KernelEmitter &emit, const RowChain &chain)
      : emitter(&emit), chain(&chain) {}

  void body();
  void runRows(Member &member);
  void runPhase(const Phase &phase, size_t number);
  void runPhaseInRegisters(const Phase &phase);
  void runPhaseInParts(const Phase &phase, size_t number);
  /// One chunk of every member; `sums` are the reductions' values so far and
  /// become the next ones.
  void runChunk(const Phase &phase, int64_t lanes,
                llvm::SmallVectorImpl<mlir::Value> &sums, mlir::Value valid,
                llvm::function_ref<bool(mlir::Value)> mustStore);
  llvm::SmallVector<mlir::Value> firstSums(const Phase &phase, int64_t lanes);
  /// Combines the sums of all threads of the row and gives the results to
  /// `rowValues`.
  void finish(const Phase &phase, llvm::ArrayRef<mlir::Value> sums);
  mlir::Value acrossThreads(const Combiner &combiner, mlir::Value value);
  void storeRows();
  void storeParts();
  /// The second kernel of a split row.
  void combineParts(Index rows, llvm::ArrayRef<Index> rowExtents);
  void storeElements();

  /// The ivs of `member`'s loops at the current row and position.
  llvm::SmallVector<Index> ivsOf(const Member &member);
  /// The value of `buffer` here, if the kernel holds it in registers.
  mlir::Value known(mlir::Value buffer);
  llvm::SmallVector<mlir::Value> boundInputs(const Member &member);
  /// True if `operand` has the chain's dims as the value that is kept of
  /// its buffer does.
  bool isAsCached(const Member &member, mlir::OpOperand &operand);
  mlir::AffineMap domainMap(const Member &member, mlir::OpOperand &operand);
  void setPosition(Index position, int64_t lanes);
  llvm::SmallVector<Phase> phases();
  bool isElementwise(mlir::Value buffer) const;
  /// The first member of which `buffer` is an output, and which one it is; null
  /// where there is none.
  std::pair<Member *, unsigned> makerOf(mlir::Value buffer);
  /// Rows of a block.
  int64_t perBlock() const {
    return plan.chunks > 0 ? std::max<int64_t>(128 / plan.threads, 1) : 1;
  }

  KernelEmitter *emitter;
  const RowChain *chain;
  llvm::SmallVector<Member, 0> members;
  llvm::SmallVector<Index> extents;

  RowPlan plan;
  Condition aligned;
  /// Number of elements of a row.
  Index columns;
  /// Elements up to here are read in vectors, in parts of a row.
  Index vectorEnd;
  /// The elements that this block has.
  Index partStart, partEnd;
  /// By result: the parts of all rows, where they are split.
  llvm::SmallVector<mlir::Value> workspaces;
  Index lane;
  mlir::Value rowExists;
  llvm::SmallVector<Index> ivs;
  int64_t chunk = 0;
  SharedLayout shared;
  llvm::DenseMap<mlir::Value, mlir::Value> rowValues;
  /// Of inputs that are kept.
  llvm::DenseMap<mlir::Value, mlir::AffineMap> cachedMaps;
  /// Buffers of elements that members emitted so far write.
  llvm::DenseSet<mlir::Value> written;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> elements;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ROWS_ROWKERNEL_H
