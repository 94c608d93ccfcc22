//===- AttentionProblem.h - An attention op as a kernel sees it -*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kernel.attention on memrefs: linear addresses of its operands, its loops as
// a few axes, and its neighbours: fills of the inits, and the op behind it that
// divides acc by sum. Ops before and behind are taken along as a contraction
// takes its own (Epilogue.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONPROBLEM_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONPROBLEM_H

#include "../KernelEmitter.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

namespace shardir {

/// Loops seen as one; the last one runs fastest.
struct Axis {
  llvm::SmallVector<int> loops;
  llvm::SmallVector<Index> extents;
  /// Of all together.
  Index extent;

  /// `loops`, whose extents are among those of all.
  static Axis of(KernelEmitter &emit, llvm::ArrayRef<unsigned> loops,
                 llvm::ArrayRef<Index> extents);

  /// True if its extent is a known multiple of `tile`.
  bool isDividedBy(int64_t tile) const {
    auto number = LoopEmitter::known(extent);
    return number && *number % tile == 0;
  }
};

/// A question about the IR.
struct AttentionNeighbours {
  /// Inits that hold acc 0, max -inf and sum 0: they need not be read.
  bool zeroAcc = false, lowestMax = false, zeroSum = false;
  llvm::SmallVector<mlir::Operation *> deadFills;
  /// An elementwise op on acc's full domain that may read max and sum, at the
  /// row of each element; null for none.
  mlir::linalg::LinalgOp map;
  /// By loop of the map: the loop of the attention.
  llvm::SmallVector<int> loops;
  /// The map writes where the queries lie, each row where it was read: no two
  /// blocks may have the same rows at a time.
  bool overwritesQuery = false;
  /// Something else reads these results.
  bool accEscapes = true, maxEscapes = true, sumEscapes = true;
  llvm::SmallVector<mlir::Operation *> earlyFrees;

  /// Where the kernel stands: the last op that it replaces.
  mlir::Operation *last(mlir::Operation *op) const {
    mlir::linalg::LinalgOp end = map;
    return end ? end.getOperation() : op;
  }
};

AttentionNeighbours findNeighbours(kernel::AttentionOp op);

/// Removes what the kernel does.
void eraseAttention(mlir::RewriterBase &rewriter, kernel::AttentionOp op,
                    const AttentionNeighbours &neighbours);

/// Extents by role, unknown ones as `assumedExtent`.
struct AttentionShape {
  double outer = 1, rows = 1, columns = 1;
  /// Of k and v; nullopt where unknown.
  std::optional<int64_t> k = 1, v = 1;
};
AttentionShape attentionShapeOf(kernel::AttentionOp op);
AttentionShape attentionShapeOf(kernel::AttentionBackwardOp op);

/// True if addresses are linear and k and v are known and not 0.
bool isTileable(kernel::AttentionOp op);
bool isTileable(kernel::AttentionBackwardOp op);

/// Makes linear addresses of operands of `Op`, which has a map for each.
template <typename Op> struct NestOperands {
  NestOperands(KernelEmitter &emit, Op op) : emit(emit), op(op) {}

  NestOperand operator()(mlir::OpOperand &of) {
    mlir::FailureOr<NestOperand> made =
        makeNestOperand(emit, of.get(), op.getMap(of));
    failedAny |= failed(made);
    return failed(made) ? NestOperand() : *made;
  }

  bool failedAny = false;

private:
  KernelEmitter &emit;
  Op op;
};

struct AttentionProblem {
  /// By value: ops' methods are not const.
  kernel::AttentionOp getOp() const { return op; }

  /// Emits what addresses need, on the host. The axis `rows` has at least
  /// `leastRows` of m where that is known.
  static mlir::FailureOr<AttentionProblem>
  create(KernelEmitter &emit, kernel::AttentionOp op,
         const AttentionNeighbours &neighbours, int64_t leastRows);

  /// Finishes neighbours in a row of acc: `values` are those of acc at `ivs`
  /// and at the positions behind it along v's last loop. With more than one
  /// value, `isPaired` holds and all exist.
  void finish(KernelEmitter &emit, llvm::ArrayRef<Index> ivs,
              mlir::ValueRange values, mlir::Value max, mlir::Value sum) const;
  /// Stores max and sum where something reads them; `ivs` are those of a row.
  void finishRow(KernelEmitter &emit, llvm::ArrayRef<Index> ivs,
                 mlir::Value max, mlir::Value sum) const;
  /// True if two neighbours can be stored at once everywhere.
  bool isPaired(KernelEmitter &emit) const;

  kernel::AttentionOp op;
  AttentionNeighbours neighbours;
  /// By loop.
  llvm::SmallVector<Index> extents;
  /// Every iteration of `outer` has a tile of its own.
  Axis outer, rows, columns, k, v;
  NestOperand query, key, value, acc, max, sum;
  llvm::SmallVector<NestOperand> extras;
  /// The type of scores, max and sum.
  mlir::FloatType wide;
  std::optional<LoopNest> map;
  /// A loop of `outer` over parts of the keys, which the op does not have; -1
  /// for none.
  int partLoop = -1;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONPROBLEM_H
