//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who asked for a change of placement, and what was compared before it was
// taken (R7). Nothing is stored on redistributions: askers are their users, and
// what was compared stands on ops as `shardir.alternatives`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_ASKERS_H
#define SHARDIR_ANALYSIS_ASKERS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// An op that wants a value in another placement than it has.
struct Asker {
  /// `linalg.matmul`, `shardir.constrain`, `result 0 of @main`.
  std::string name;
  mlir::Location loc;
  /// The use behind a chain of redistributions and collectives; null for a
  /// constraint, which is gone.
  mlir::OpOperand *use = nullptr;
};

/// Those that a `shardir.redistribute` or a collective serves, in the order of
/// the program, one per op.
llvm::SmallVector<Asker> findAskers(mlir::Operation *step);

/// One placement that was weighed.
struct Alternative {
  std::string placement; ///< of the results, as in the IR, `, ` between several
  /// Received around the op by one device per call, all others staying.
  int64_t bytes = 0;
  bool isChosen = false;
};

/// What was compared, and for whom.
struct Alternatives {
  std::string name;
  std::string loc;
  std::vector<Alternative> all; ///< empty where nothing competed
};

/// What competed at an op with results, at an argument or at a result of its
/// function. What is chosen is what the value has now: empty where that was not
/// among what was compared.
Alternatives alternativesOf(mlir::Value value);
Alternatives alternativesOfResult(mlir::func::FuncOp function, unsigned index);
/// At the op that uses a value, or what it stands for: what flows through
/// regions for their terminators, the function's result for `return`.
Alternatives alternativesOfUse(mlir::OpOperand &use);
/// For a redistribution or collective: of the first that asked and had a
/// choice, else of the op that made what is moved.
Alternatives alternativesBehind(mlir::Operation *step);

/// The annotation that decided a value's placement and the ops on the way, as
/// `shardir.decided_by` has it; an annotated argument names itself, what is
/// redistributed names who asked. Empty where nobody decided.
std::string decidedBy(mlir::Value value);
std::string decidedByOfResult(mlir::func::FuncOp function, unsigned index);
/// The reason that `op` itself carries; for what flows through its regions that
/// of one tie, where it tells them apart, else all of them. Empty if none.
std::string reasonOn(mlir::Operation *op,
                     std::optional<unsigned> tie = std::nullopt);
/// What the op that makes `value`, an op's result, says of it alone; empty if
/// it says nothing.
std::string reasonOnMaker(mlir::Value value);
/// The same for what an op wants of an operand.
std::string decidedByOfUse(mlir::OpOperand &use);

/// Where the annotation at the head of a reason stands: `argument 1 of @main,
/// through linalg.matmul` is at that argument. Nothing where it is no argument
/// or result.
std::optional<mlir::Location> locateAnnotation(llvm::StringRef reason,
                                               mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_ASKERS_H
