//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a value is whole (R7): which axis came to it, or to the nearest whole
// value that its data flow from or to, from which annotation, where it was
// refused and why. Requires the propagated stage to the collective one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_REFUSALS_H
#define SHARDIR_ANALYSIS_REFUSALS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

class Refusals {
public:
  /// Looks at all values of a function once: linear in uses.
  explicit Refusals(mlir::func::FuncOp function);

  /// `"tp" of argument 1 of @main, refused at tensor.scan at f.mlir:3:4: …`.
  /// Empty for what is split or owed, and where no axis comes near.
  std::string of(mlir::Value value) const { return texts.lookup(value); }

private:
  void add(mlir::Value value, std::string text);
  void findDirect(mlir::Value value);

  llvm::DenseMap<mlir::Value, std::string> texts;
  std::vector<mlir::Value> frontier;
};

} // namespace shardir

#endif // SHARDIR_ANALYSIS_REFUSALS_H
