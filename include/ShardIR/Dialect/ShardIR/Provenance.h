//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes that explain decisions, beside `shardir.decided_by`, and the words
// for them. A pass may drop them: the program stays correct.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_PROVENANCE_H
#define SHARDIR_DIALECT_SHARDIR_PROVENANCE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace shardir {

/// On an op or function where placements competed: the candidates, the chosen
/// one first, then the others from the lowest cost on, a list of
/// `{bytes, placements}`, under `cost=time` with `seconds`. On functions each
/// entry also has `argument` or `result`, on ops with regions `group`: the
/// index of the tensor that it is about. Report/RedistributionUsers.h reads it.
constexpr llvm::StringLiteral kAlternatives = "shardir.alternatives";

/// On an op whose results' placements follow from several choices of operand
/// placements: those that were chosen, unit for operands that are not tensors.
/// Between propagation and shardir-insert-redistribute alone.
constexpr llvm::StringLiteral kOperands = "shardir.operands";

/// The text for people of a list of `#shardir.provenance`; empty for null.
std::string describeProvenance(mlir::ArrayAttr provenance);

/// The `FileLineColLoc`s of a location: its innermost frame, then the frames
/// that called it.
llvm::SmallVector<mlir::Location> callFrames(mlir::Location loc);
/// The location of these frames, of which there is at least one.
mlir::Location callStack(llvm::ArrayRef<mlir::Location> frames);

/// The location as `file:line:col`, with the frames that called it behind
/// `, called from `; empty where there is none.
std::string describeLocation(mlir::Location loc);

/// The name of an op for people: `linalg.matmul`; for an op with a body its
/// computation, `elementwise multiply` or `sum over dim 1`. A name that a front
/// end gave stands in front: `layers.0.mlp (elementwise multiply)`.
std::string describeOp(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_PROVENANCE_H
