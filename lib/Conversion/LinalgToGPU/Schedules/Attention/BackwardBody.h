//===- BackwardBody.h - The body of attention's gradients -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kernel.attention_backward's body at a thread's scores, in parts: ops that
// depend on a row or a column alone once for each of these, ops that need
// scores, and ops that need gradients of probabilities. So a probability is
// there while its gradient is still being multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_BACKWARDBODY_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_BACKWARDBODY_H

#include "AttentionMask.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {

class BackwardBody {
public:
  /// Bits of what a value depends on.
  enum Dependence { OnOwn = 1, OnOther = 2, OnScore = 4, OnGradient = 8 };
  /// The body's values at one place.
  struct Values {
    mlir::IRMapping values;
    /// Of divisors: -log2 of what exponentials alone are divided by, else the
    /// reciprocals.
    mlir::IRMapping logarithms, reciprocals;
  };
  using Load = llvm::function_ref<mlir::Value(unsigned)>;

  /// `own` and `other` are the axes of a fragment's rows and columns;
  /// `approximate` says that exponentials and quotients may be what the
  /// hardware has. The conditions of `mask` are known to hold where a score is
  /// said to be visible.
  BackwardBody(KernelEmitter &emit, kernel::AttentionBackwardOp op,
               llvm::ArrayRef<NestOperand> extras, const Axis &own,
               const Axis &other, bool approximate, const AttentionMask &mask)
      : emit(emit), op(op), extras(extras), own(own), other(other),
        approximate(approximate), mask(mask) {}

  int dependence(unsigned extra) const;
  /// True if nothing but ops that need gradients reads it.
  bool isLate(unsigned extra) const;
  /// Of what the body yields: p or ds.
  int yieldedDependence(unsigned which) const;

  /// exp(x - max) / sum, where nothing else reads `sum`, an extra of the other
  /// axis: 2^(x log2(e) + logarithm).
  struct Quotient {
    mlir::Operation *divide;
    unsigned sum;
    /// A part of the logarithm, where x is a score times constants, or -inf. A
    /// mask's finite constant may be so large that log2(sum) would be lost.
    std::optional<unsigned> max;
  };
  /// From now on loads give the logarithms of quotients in place of `sum`:
  /// -log2(sum), or -max log2(e) - log2(sum), and no `max` that is in them.
  void expectLogarithms();
  llvm::ArrayRef<Quotient> getQuotients() const { return quotients; }
  /// The quotient that divides by extra `sum`; null if none.
  const Quotient *quotientOf(unsigned sum) const;
  mlir::Value logarithm(const Quotient &of, Load load);

  /// The values that depend on `of` alone, OnOwn or OnOther, at `ivs`, but for
  /// extras of which `load` gives null.
  Values runCommon(int of, llvm::ArrayRef<Index> ivs, Load load);
  /// The ops that need no gradient.
  Values begin(const Values &row, const Values &column, mlir::Value score,
               bool visible, Load load);
  /// An extra that `runCommon` was given no value of.
  void give(Values &at, unsigned extra, mlir::Value value);
  /// The others.
  void end(Values &at, mlir::Value gradient);
  mlir::Value yielded(const Values &at, unsigned which) const;

private:
  mlir::Block &body() const;
  int dependence(mlir::Value value) const;
  int dependence(mlir::Operation &op) const;
  /// The exponential that `op` divides and nothing else reads, if hardware's
  /// powers of two do; else null.
  mlir::math::ExpOp dividedExponential(mlir::Operation &op) const;
  const Quotient *quotientOf(mlir::Value divisor) const;
  /// The difference x - max of a quotient whose logarithm has both.
  mlir::arith::SubFOp differenceIn(const Quotient &of) const;
  /// The extra of the other axis that `value` is, if it has one use.
  std::optional<unsigned> extraOfOther(mlir::Value value) const;
  /// True for a score times constants, or -inf.
  bool isScaledScore(mlir::Value value) const;
  mlir::Value exponentOf(Values &at, mlir::arith::DivFOp quotient);
  /// The condition of the mask that `comparison` is; null if none.
  const AttentionCondition *conditionOf(mlir::Operation &comparison) const;
  /// True if the comparison's sides are positions of rows and columns whose
  /// difference 32 bits hold.
  bool isNarrow(const AttentionCondition &condition) const;
  void runOp(Values &at, mlir::Operation &op);
  mlir::Value number(double value);

  KernelEmitter &emit;
  mutable kernel::AttentionBackwardOp op;
  llvm::ArrayRef<NestOperand> extras;
  const Axis &own, &other;
  bool approximate;
  const AttentionMask &mask;
  llvm::SmallVector<Quotient> quotients;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_BACKWARDBODY_H
