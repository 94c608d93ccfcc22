//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one op whole and sharded, in every way that its rule allows on a small
// mesh, and compares the numbers.
//
// Requires a function whose last op is the one to test. Guarantees that every
// combination of the factors' splits was tried (or does not compose), that the
// local form verifies, and that each device's shard is that of the whole
// result; of a partial result, that the devices' terms combine to it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_EXTERNALMODELS_SHARDEDOP_H
#define SHARDIR_TEST_UNIT_EXTERNALMODELS_SHARDEDOP_H

#include "Interpreter.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Interfaces/Localizer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace shardir::test {

class ShardedOp {
public:
  /// `extents` are the arguments' extents where their types do not tell.
  explicit ShardedOp(llvm::StringRef function,
                     std::vector<std::vector<int64_t>> extents = {});

  ShardingRule rule();
  /// Runs all ways to split the factors; returns how many there were.
  int checkSplits();
  /// Runs all ways for partial operands to pass; returns how many there were.
  int checkPartials();
  /// Runs a fresh op as a partial value of each of `kinds`.
  void checkRematerializable(llvm::ArrayRef<PartialKind> kinds);

private:
  struct Partial {
    PartialKind kind;
    llvm::SmallVector<int, 2> operands;
  };
  /// The placement and halo of an operand or result.
  struct Placed {
    Placement placement;
    Halo halo;
  };
  /// Runs the op shard by shard, with its one result as overlapping shards
  /// where `resultHalo` is not empty. False if these splits do not compose to
  /// placements, or operands cannot be had for that halo.
  bool check(const FactorSplits &splits, const Partial *partial,
             const Halo &resultHalo = {});
  void compare(mlir::ModuleOp module, mlir::Operation *op,
               llvm::ArrayRef<mlir::Value> localOperands,
               llvm::ArrayRef<mlir::Value> localResults,
               llvm::ArrayRef<Placed> operands, llvm::ArrayRef<Placed> results,
               const Partial *partial);

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::vector<int64_t>> extents;
};

/// `dims` of the rule as text: `[a][b,c] -> [a]`, factors as letters.
std::string toText(const ShardingRule &rule);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_EXTERNALMODELS_SHARDEDOP_H
