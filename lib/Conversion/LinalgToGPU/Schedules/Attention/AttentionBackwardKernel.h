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

  int64_t threads() const { return 32 * warps; }
  int64_t bm() const { return 16 * warps; }
};

/// The rows that a kernel owns, and which of its two sums it computes.
struct BackwardPart {
  bool ofKeys = false, first = true, second = false;
};

/// The kernel of a part: 16-bit operands by mma.sync, f32 sums.
void emitMmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                     const BackwardPlan &plan, const BackwardPart &part);
/// The same for operands of any float types by fused multiply-adds.
void emitFmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                     const BackwardPlan &plan, const BackwardPart &part);

class BackwardKernel : public AttentionTiles {
public:
  BackwardKernel(KernelEmitter &emit, const BackwardProblem &problem,
                 const BackwardPlan &plan, const BackwardPart &part);

  void run(llvm::StringRef name);

protected:
  virtual void takeMore(SharedLayout &layout) {}
  /// At the kernel's start.
  virtual void prepare() {}
  /// Products of the own `left`'s rows and of `right`'s in `stage`, summed over
  /// `extent` of their second axes.
  virtual Fragment scores(const Tile &left, const Tile &right, Index stage,
                          int64_t extent) = 0;
  /// Adds to `sums`, of `extent` columns, the products of `factors` and
  /// `right`'s part in `stage`. `slot` is 0 for ds, 1 for p.
  virtual void accumulate(llvm::ArrayRef<mlir::Value> factors, int64_t slot,
                          const Tile &right, Index stage, int64_t extent,
                          Fragment &sums) = 0;
  /// True if exponentials may be what the hardware has.
  virtual bool isApproximate() const { return false; }
  mlir::FloatType wideType() const override { return problem.wide; }

  int64_t scoreTiles() const { return plan.bn / 8; }

  const BackwardProblem &problem;
  BackwardPlan plan;
  BackwardPart part;
  /// The dims of the block's own rows and of the steps' columns.
  const Axis &own, &other;
  Tile ownK, ownV, otherK, otherV;

private:
  Index rowAt(int64_t row);
  void load(Index step);
  /// p and ds of the products `s` and `dp` of a step.
  std::pair<Fragment, Fragment> runBodies(const Fragment &s, const Fragment &dp,
                                          Index step);
  std::pair<mlir::Value, mlir::Value> runBody(mlir::Value s, mlir::Value dp,
                                              llvm::ArrayRef<Index> ivs);
  /// The steps in which something is not masked, the second one excluded.
  std::pair<Index, Index> stepRange();
  void store(const NestOperand &result, const Axis &axis, int64_t extent,
             llvm::ArrayRef<mlir::Value> sums);

  llvm::SmallVector<Index> blockIvs;
  Index rowStart;
  AttentionMask mask;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONBACKWARDKERNEL_H
