//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that a program computes again, so that it is not held in between, is
// one value while attention is looked for.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_REPEATEDVALUES_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_REPEATEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// Values that a backward pass computes again from behind barriers, and gathers
/// and exchanges that it repeats. Scores and what is computed from them remain
/// apart: a program that computes them again holds none of their rows.
class RepeatedValues {
public:
  /// Lets users of what is repeated read what was there first.
  explicit RepeatedValues(mlir::func::FuncOp function);

  /// Lets ops read again what they read before, and new ops the repeated values
  /// that stand before them; erases those that nothing reads. `erased` are ops
  /// that are no more.
  void restore(const llvm::DenseSet<mlir::Operation *> &erased = {});

private:
  struct Repeated {
    mlir::Value first;
    mlir::Operation *made = nullptr; ///< makes `first`; null: an argument
    mlir::Operation *again = nullptr;
    llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> uses; ///< its own
  };
  void replace(mlir::Operation *again, mlir::Value first);

  llvm::DenseSet<mlir::Operation *> old; ///< all that was there
  llvm::SmallVector<Repeated> repeated;  ///< in the order of the program
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_REPEATEDVALUES_H
