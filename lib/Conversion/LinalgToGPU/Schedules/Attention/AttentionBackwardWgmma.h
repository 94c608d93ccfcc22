//===- AttentionBackwardWgmma.h - Attention's gradients by wgmma -*- C++ -*-==//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warpgroup has 64 of the block's own rows. What scores and their
// gradients become is an operand in registers, as in FlashAttention-3 (Shah et
// al., arXiv:2407.08608). The order of a step lets the matrix units work while
// threads compute: probabilities while dp is multiplied, gradients of scores
// while `second` is.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDWGMMA_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDWGMMA_H

#include "AttentionBackwardKernel.h"
#include "TileRing.h"

namespace shardir {

class WgmmaBackward : public OnWarpgroupTiles<BackwardKernel> {
public:
  /// `turns`: for each batch and each step a counter that is 0, where the
  /// kernel adds to the other axis's result.
  WgmmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                const BackwardPlan &plan, const BackwardPart &part,
                mlir::Value turns);

protected:
  void takeMore(SharedLayout &layout) override;
  void prepare() override;
  Fragment runStep(const Step &step, const Fragment &sums) override;
  void afterSteps() override;

  // Around the products of a step, for kernels whose threads do not copy.

  /// Waits for a step's part of `tile`, before the products that read it.
  virtual void awaitTile(const Tile &tile, const Step &step) {}
  /// Behind the start of products of scores and of their gradients.
  virtual void afterStart(const Step &step);
  /// Waits until all warpgroups have written their gradients of scores to
  /// shared memory.
  virtual void exchange(const Step &step);
  /// Adds `sums`, those of `third`, to the other axis's result. Of the step's
  /// products those of `first` alone may be under way.
  virtual void addThird(const Fragment &sums, const Step &step);
  /// Behind all products.
  virtual void afterProducts(const Step &step) {}

  const NestOperand &thirdResult() const {
    return problem.results[part.ofKeys ? 0 : 1];
  }
  /// Of `third`, a warpgroup has 64 rows and all columns, or all rows and half
  /// of the columns.
  bool splitsRows() const { return plan.bn == 2 * WarpgroupTiles::rows; }
  /// Waits until the blocks of lower numbers that have this step of the batch
  /// have added to it. They began before this one did: blocks begin in the
  /// order of their numbers.
  void awaitTurn(Index step);
  void passTurn(Index step);
  mlir::Value isFirstThread() {
    return emit.equal(emit.thread(), emit.constant(0));
  }

  /// Gradients of scores as an operand of ds^T x: a row of shared memory for
  /// each own row.
  Tile gradients;
  // In the kernel.
  Index group;

private:
  llvm::SmallVector<mlir::Value> factors(const Bodies &bodies, unsigned which,
                                         const Step &step);
  mlir::Value startThird(llvm::ArrayRef<mlir::Value> ds, const Step &step);
  mlir::Value addressOf(mlir::Value flat, Index element);
  void add(mlir::Value address, int64_t bytes,
           llvm::ArrayRef<mlir::Value> values);
  mlir::Value turnOf(Index step);

  mlir::Value turns;
  /// Neighbours in the other axis's result can be added to at once.
  bool paired = false;
};

/// One kernel for all gradients, with `copyWarps`. As in FlashAttention-3, TMA
/// fills a ring of queries and one of gradients, and adds sums that warpgroups
/// leave in shared memory to the gradients of queries. So threads that multiply
/// do not wait for the block's turn.
class TmaBackward : public WgmmaBackward {
public:
  TmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
              const BackwardPlan &plan, const BackwardPart &part,
              mlir::Value turns);
  /// On the host: whether operands and the result suit tensor maps.
  Condition suits() const;
  void run();
  /// Bytes of shared memory besides WgmmaBackward's.
  static int64_t moreSharedBytes(const BackwardPlan &plan);

private:
  void takeMore(SharedLayout &layout) override;
  void runSteps(Index count) override;
  void awaitTile(const Tile &tile, const Step &step) override;
  void afterStart(const Step &step) override;
  void exchange(const Step &step) override;
  void addThird(const Fragment &sums, const Step &step) override;
  void afterProducts(const Step &step) override;

  // The warps that do not multiply.
  void loadTiles(Index count);
  void loadRows(Index count);
  void awaitTurns(Index count);
  void addSums(Index count);
  void addBoxes(const Step &step);

  llvm::SmallVector<StageRing *> rings();

  TileRing ringK, ringV;
  /// The extras of a step's columns; and, without data, the steps at which it
  /// is the block's turn.
  StageRing ringRows, ringTurns;
  /// The offset of each warpgroup's part of a step's sums, 64 x 64, in boxes of
  /// 32 columns.
  int64_t sumsOffset = 0;
  RowMap sumsMap; ///< of the gradients of queries
  // In the kernel.
  Index shared; ///< the address of shared memory
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDWGMMA_H
