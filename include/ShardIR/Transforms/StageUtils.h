//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries on a module that the passes of all stages share: which stage it is
// in, and whether a function has a form that they know.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_STAGEUTILS_H
#define SHARDIR_TRANSFORMS_STAGEUTILS_H

#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Placement/PlanCache.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/AnalysisManager.h"

namespace shardir {

/// Whether an op has a ranked tensor among its operands or results.
bool hasTensors(mlir::Operation *op);

/// Reports what no stage can take: several blocks, unranked tensors.
mlir::LogicalResult checkSupported(mlir::func::FuncOp function);

/// Checks the meshes of a module together: every rank below the number of ranks
/// is named by some mesh (P7 of docs/Semantics.md). Meshes of unknown size are
/// left for later.
mlir::LogicalResult checkMeshes(mlir::ModuleOp module);

/// An analysis of a module: the last of the stages propagated, redistributed
/// and collective that it was found to be in, or annotated. It is forgotten
/// when a pass changes the module.
struct VerifiedStage {
  explicit VerifiedStage(mlir::Operation *) {}
  Stage stage = Stage::Annotated;
};

/// An analysis of a module: the plans that passes have made. Nothing in the
/// module decides them but what they are kept by, so that no change of it makes
/// one wrong.
struct RedistributionPlans {
  explicit RedistributionPlans(mlir::Operation *) {}
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return false;
  }
  PlanCache plans;
};

/// Checks what `stage`, from propagated to bufferized, promises and reports the
/// first op that breaks it. A module that is local or later passes for every
/// earlier stage. What `verified` says is not checked again.
mlir::LogicalResult verifyStage(mlir::ModuleOp module, Stage stage,
                                VerifiedStage *verified = nullptr);

/// Merges equal ops and drops what is not used then, as upstream's CSE does: up
/// to `rounds` times, while that changes something.
void mergeEqualOps(mlir::ModuleOp module, int rounds = 1);

/// The attributes of a function's arguments and results, read once, changed
/// here, and written once: a function keeps them in one array each, so that a
/// change of one costs as much as there are arguments.
class SignatureAttrs {
public:
  explicit SignatureAttrs(mlir::FunctionOpInterface function);
  void setArgument(unsigned index, llvm::StringRef name, mlir::Attribute value);
  void setResult(unsigned index, llvm::StringRef name, mlir::Attribute value);
  void removeFromArgument(unsigned index, llvm::StringRef name);
  void removeFromResult(unsigned index, llvm::StringRef name);
  /// Writes what has changed.
  void write();

private:
  mlir::FunctionOpInterface function;
  llvm::SmallVector<mlir::NamedAttrList> arguments, results;
  bool argumentsChanged = false, resultsChanged = false;
};

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_STAGEUTILS_H
