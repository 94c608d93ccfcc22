//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The users that a redistribution serves, the placements that competed there,
// and the annotations that decided (R7 of docs/Semantics.md). Ops hold these as
// `shardir.alternatives` and `shardir.decided_by`; users are found by following
// the chain of redistributions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_REDISTRIBUTIONUSERS_H
#define SHARDIR_REPORT_REDISTRIBUTIONUSERS_H

#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// An op that needs a value in another placement than it has.
struct RedistributionUser {
  /// As describeOp names it, or `result 0 of @main`.
  std::string name;
  mlir::Location loc;
  /// The use at the end of a chain of redistributions and collectives; null for
  /// a constraint, which has been erased.
  mlir::OpOperand *use = nullptr;
};

/// The users of a `shardir.redistribute` or a collective, in the order of the
/// program, one per op.
llvm::SmallVector<RedistributionUser>
findRedistributionUsers(mlir::Operation *step);

/// A candidate placement.
struct Alternative {
  std::string placement; ///< of the results, as in the IR, `, ` between several
  /// Received by one device per call in redistributions of the op's operands
  /// and results, if all other decisions stay.
  int64_t bytes = 0;
  /// Predicted for these and for the op's own work; only under `cost=time`.
  std::optional<double> seconds = std::nullopt;
  bool isChosen = false;
  bool isReplicated = false;
};

/// The placements that competed at one op or boundary value.
struct Alternatives {
  /// As describeOp names it, or `argument 1 of @main`.
  std::string name;
  std::string loc;
  /// How the program can require one: `annotate argument 1 of @main with it`.
  std::string remedy;
  /// The chosen one first, then the others from the lowest cost on, at least
  /// two; empty: no choice.
  std::vector<Alternative> all;
};

/// Why the first of several alternatives was chosen: the second, both costs,
/// their difference, and how to have the second. Requires a choice.
std::string describeChoice(const Alternatives &alternatives);

/// `1 byte`, `256 bytes`.
std::string bytesText(int64_t bytes);

/// The placements that competed at an op with results, at an argument or at a
/// function result. The chosen one is the value's present placement; empty if
/// that was not among the candidates.
Alternatives alternativesOf(mlir::Value value);
Alternatives alternativesOfResult(mlir::func::FuncOp function, unsigned index);
/// Those at the op that uses a value; for the terminator of a region, at the
/// region value group, and for `return`, at the function's result.
Alternatives alternativesOfUse(mlir::OpOperand &use);
/// For a redistribution or collective: of its first user that had a choice,
/// else of the op that makes its operand.
Alternatives alternativesBehind(mlir::Operation *step);

/// The annotations that a value's placement came from, a list of
/// `#shardir.provenance`; null where no annotation decided. An annotated
/// argument names itself, the result of a redistribution its user.
mlir::ArrayAttr provenanceOf(mlir::Value value);
/// The same for the placement in which an op needs an operand.
mlir::ArrayAttr provenanceOfUse(mlir::OpOperand &use);
mlir::ArrayAttr provenanceOfResult(mlir::func::FuncOp function, unsigned index);

/// `shardir.decided_by` of `op`: of one region value group, or of all.
mlir::ArrayAttr provenanceOn(mlir::Operation *op,
                             std::optional<unsigned> group = std::nullopt);
/// The part of `shardir.decided_by` that is about `value`, on the op that makes
/// it.
mlir::ArrayAttr provenanceOnProducer(mlir::Value value);

/// The location of the annotation; `otherwise` if it is unknown.
mlir::Location locateProvenance(ProvenanceAttr provenance,
                                mlir::ModuleOp module,
                                mlir::Location otherwise);

} // namespace shardir

#endif // SHARDIR_REPORT_REDISTRIBUTIONUSERS_H
