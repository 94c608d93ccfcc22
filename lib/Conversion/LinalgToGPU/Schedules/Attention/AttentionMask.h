//===- AttentionMask.h - Which tiles of scores a mask leaves ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks that compare positions (causal ones, sliding windows), as `score` of an
// attention has them: a score can count only where linear functions of the
// loops are not negative. From that a block knows which steps it need not make,
// and in which ones nothing is masked.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONMASK_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONMASK_H

#include "AttentionProblem.h"

namespace shardir {

/// A score at `loops` can count only if `constant`, plus each loop's iv and
/// each of the host's values times its factor, is not negative.
struct AttentionCondition {
  llvm::SmallVector<int64_t> loops;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> values;
  int64_t constant = 0;
  /// The comparison, and what it gives where the score can count.
  mlir::Operation *comparison = nullptr;
  bool whenVisible = true;
};

struct AttentionMask {
  llvm::SmallVector<AttentionCondition> conditions;
  /// Masked scores are -inf; else they are finite, -1e30 or less, and count
  /// in rows that have no others.
  bool isInfinite = true;
  /// Nothing but the conditions masks a score.
  bool isComplete = true;

  /// True if a condition differs along `loop`.
  bool runsAlong(int loop) const {
    return llvm::any_of(conditions, [&](const AttentionCondition &condition) {
      return condition.loops[loop] != 0;
    });
  }
};

/// Looks through selections of masked scores. Nothing is found where `score` is
/// too different.
AttentionMask findMask(kernel::AttentionOp op);
/// Conditions without which neither a probability nor a score's gradient is
/// other than 0: the mask is infinite, or every row has a score.
AttentionMask findMask(kernel::AttentionBackwardOp op);

/// Of the steps of `columns` columns that blocks of `rows` rows would make
/// without a mask, the share that they make, between 0 and 1: for predictions.
/// Positions that the host alone knows hide nothing.
double visibleShare(kernel::AttentionOp op, int64_t rows, int64_t columns);
double visibleShare(kernel::AttentionBackwardOp op, int64_t rows,
                    int64_t columns);

/// An interval of ivs of each loop, both ends included.
struct LoopRanges {
  llvm::SmallVector<Index> first, last;
};

/// The least and the greatest value of a condition's function on `ranges`,
/// without loop `except` (-1: with all of them).
Index leastOf(KernelEmitter &emit, const AttentionCondition &condition,
              const LoopRanges &ranges, int except = -1);
Index greatestOf(KernelEmitter &emit, const AttentionCondition &condition,
                 const LoopRanges &ranges, int except = -1);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONMASK_H
