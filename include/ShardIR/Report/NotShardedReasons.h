//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a value is replicated (R7 of docs/Semantics.md): the axis that it could
// have had, the annotation that the axis comes from, and the op that does not
// take it. Requires the propagated to the collective stage.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_NOTSHARDEDREASONS_H
#define SHARDIR_REPORT_NOTSHARDEDREASONS_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

class NotShardedReasons {
public:
  /// Visits all values of a function: linear in uses.
  explicit NotShardedReasons(mlir::func::FuncOp function);

  /// `"tp" of argument 1 of @main, not taken at tensor.scan at f.mlir:3:4: …`.
  /// Empty for sharded and partial values, and where no axis comes near.
  std::string of(mlir::Value value) const { return texts.lookup(value); }

private:
  void add(mlir::Value value, std::string text);
  void findDirect(mlir::Value value);

  llvm::DenseMap<mlir::Value, std::string> texts;
  std::vector<mlir::Value> frontier;
};

} // namespace shardir

#endif // SHARDIR_REPORT_NOTSHARDEDREASONS_H
