//===- AttentionBackwardKernel.h - Attention's gradients by tiles -*- C++ -*-=//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward pass of FlashAttention-2 (Dao, arXiv:2307.08691, algorithm 2) as
// two kernels without atomics: one owns rows of queries and walks along the
// keys, one owns keys (and their values) and walks along the queries. Both are
// the same: with x and y the block's own parts and u and w a step's,
//
//   s = x u^T, dp = y w^T, (p, ds) = body(s, dp), first += ds u, second += p w
//
// where (x, y, u, w) is (query, gradient, key, value), and only `first` is
// wanted, or (key, value, query, gradient). Fragments lie as those of
// AttentionKernel do: a warp has 16 of the block's own rows.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDKERNEL_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDKERNEL_H

#include "AttentionKernel.h"
#include "BackwardBody.h"

namespace shardir {

struct BackwardProblem {
  /// By value: ops' methods are not const.
  kernel::AttentionBackwardOp getOp() const { return op; }

  static mlir::FailureOr<BackwardProblem>
  create(KernelEmitter &emit, kernel::AttentionBackwardOp op);

  kernel::AttentionBackwardOp op;
  /// By loop.
  llvm::SmallVector<Index> extents;
  Axis batch, rows, columns, k, v;
  NestOperand query, key, value, gradient;
  llvm::SmallVector<NestOperand> extras;
  /// Of queries, keys and values.
  NestOperand results[3];
  /// The type of scores.
  mlir::FloatType wide;
};

struct BackwardPlan {
  int64_t warps = 4;
  /// Columns of a step, a multiple of 16.
  int64_t bn = 32;
  /// The extents of k and v, rounded up to multiples of 16.
  int64_t k = 64, v = 64;
  int64_t stages = 2;
  /// Besides `warps`: a warpgroup that has TMA copy, or none.
  int64_t copyWarps = 0;

  int64_t threads() const { return 32 * warps; }
  int64_t blockThreads() const { return 32 * (warps + copyWarps); }
  int64_t bm() const { return 16 * warps; }
};

/// The rows that a kernel owns, and which of its two sums it computes.
struct BackwardPart {
  bool ofKeys = false, first = true, second = false;
  /// It adds to the first result of the other axis, too.
  bool third = false;
};

/// The kernel of a part: 16-bit operands by mma.sync, f32 sums.
void emitMmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                     const BackwardPlan &plan, const BackwardPart &part);
/// The same by wgmma: sm_90a, four warps for each 64 rows. With `copyWarps` TMA
/// copies queries and gradients, and adds to the gradients of queries; threads
/// do so where addresses turn out not to suit tensor maps.
void emitWgmmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                       const BackwardPlan &plan, const BackwardPart &part);
/// On the host: whether they do.
Condition suitsTensorMaps(KernelEmitter &emit, const BackwardProblem &problem,
                          const BackwardPlan &plan, const BackwardPart &part);
/// The same for operands of any float types by fused multiply-adds.
void emitFmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                     const BackwardPlan &plan, const BackwardPart &part);
/// The name of a kernel of `unit`.
std::string backwardKernelName(llvm::StringRef unit, const BackwardPart &part);

class BackwardKernel : public AttentionTiles {
public:
  BackwardKernel(KernelEmitter &emit, const BackwardProblem &problem,
                 const BackwardPlan &plan, const BackwardPart &part,
                 bool approximate);

  void run(llvm::StringRef name);

protected:
  virtual void takeMore(SharedLayout &layout) {}
  /// At the kernel's start.
  virtual void prepare() {}
  /// Runs the block's `count` steps and stores the sums.
  virtual void runSteps(Index count);
  /// Between a stage's arrival and the barrier that tells the others.
  virtual void beforeBarrier() {}
  /// A step: its number along the other axis; its ordinal in the order in which
  /// the block runs its steps; the stage of its tiles; and whether all of its
  /// columns exist and no score is masked.
  struct Step {
    Index number, ordinal, stage;
    bool visible = false;
  };
  /// Adds a step's part to `sums`, those of the first result before those of
  /// the second.
  virtual Fragment runStep(const Step &step, const Fragment &sums) = 0;
  /// Behind the last step; with `third` alone.
  virtual void afterSteps() {}
  /// The step that the block runs as number `ordinal`.
  Step stepAt(Index ordinal);
  Fragment runMaskedStep(Step step, const Fragment &sums);
  Fragment zeroSums();
  /// Reads what the thread's rows have in common for all scores.
  void readRows();
  /// Adds the sums to the results of the block's own rows.
  void finish(mlir::ValueRange sums);
  mlir::FloatType wideType() const override { return problem.wide; }

  int64_t scoreTiles() const { return plan.bn / 8; }
  /// A thread's values of each result in `runStep`'s sums.
  int64_t firsts() const { return part.first ? plan.k / 2 : 0; }
  int64_t seconds() const { return part.second ? plan.v / 2 : 0; }
  /// True if what this kernel adds up needs dp.
  bool asksGradient() const;

  /// The body at a thread's scores, in the order of a fragment.
  using Bodies = llvm::SmallVector<BackwardBody::Values>;
  /// Its ops that need no gradient; and the others.
  Bodies beginBodies(const Fragment &s, const Step &step);
  void endBodies(Bodies &bodies, const Fragment &dp, const Step &step);
  /// The first or second value that bodies yield: p, or ds.
  Fragment yielded(const Bodies &bodies, unsigned which, const Step &step);

  /// Of the block's own rows, and all of the other axis; those of a step.
  LoopRanges blockRanges();
  LoopRanges stepRanges(Index step);
  /// Along `axis`, own or other: the positions in `ranges` at which something
  /// is not masked; the second one excluded, and no less than the first one
  /// only where there are any. `axis` itself is not looked at.
  std::pair<Index, Index> visibleRange(const Axis &axis,
                                       const LoopRanges &ranges);

  const BackwardProblem &problem;
  BackwardPlan plan;
  BackwardPart part;
  /// The dims of the block's own rows and of the steps' columns.
  const Axis &own, &other;
  Tile ownK, ownV, otherK, otherV;
  AttentionMask mask;
  BackwardBody body;
  // In the kernel.
  llvm::SmallVector<Index> blockIvs;
  /// The number of the block's batch, that of the block among those of its
  /// batch, and its first row.
  Index batch, rowTile, rowStart;
  /// The block's steps, the second one excluded.
  Index stepBegin, stepEnd;
  /// An extra of the steps' columns, in shared memory; or, of a sum, the
  /// logarithm of its quotient.
  struct Staged {
    unsigned extra = 0;
    int64_t offset = 0;
    mlir::Value shared = {};
  };
  llvm::SmallVector<Staged> staged;
  /// Begins to copy `staged` of the step at column `start`, by `count` threads
  /// of which this one is number `thread`.
  void loadStaged(Index stage, Index start, Index thread, int64_t count);

private:
  /// Sets the numbers of the block.
  void placeBlock();
  /// The position, or the last one where that does not exist.
  Index inside(Index position, const Axis &axis, int64_t tile);
  /// A thread's two neighbours of eight columns of a step.
  mlir::Value pairOf(const Staged &of, const Step &step, int64_t eight);
  Index columnAt(Index step, int64_t column);
  Index rowAt(int64_t row);
  void load(const Step &step);
  void store(const NestOperand &result, const Axis &axis, int64_t extent,
             llvm::ArrayRef<mlir::Value> sums);

  /// Of the thread's two rows.
  llvm::SmallVector<BackwardBody::Values> rows;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDKERNEL_H
