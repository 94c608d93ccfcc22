//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass shardir-propagate as a function, for passes that try ways of placing
// a program on copies of it: the pass takes over the answer for the copy that
// was chosen.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_PROPAGATEMODULE_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_PROPAGATEMODULE_H

#include "ShardIR/Propagation/Propagation.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/AnalysisManager.h"

#include <memory>
#include <vector>

namespace shardir {

/// The options and costs that propagation decides by.
struct PropagationRequest {
  PropagateOptions options;
  std::shared_ptr<const PropagationCostModel> costModel; ///< null: the default

  bool operator==(const PropagationRequest &other) const {
    return costModel == other.costModel && options.cost == other.options.cost &&
           options.conflicts == other.options.conflicts &&
           options.memoryLimit == other.options.memoryLimit;
  }
};

/// An analysis of a module: what was decided for programs that it may become.
class PropagationAnswers {
public:
  explicit PropagationAnswers(mlir::Operation *) {}
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return false;
  }
  /// Copies `program`; `answers` has one for each function with a body.
  void add(mlir::ModuleOp program, const PropagationRequest &request,
           std::vector<PropagationResult> answers);
  /// Null where no equal program was added with an equal request.
  const std::vector<PropagationResult> *
  find(mlir::ModuleOp program, const PropagationRequest &request) const;
  void clear() { entries.clear(); }

private:
  struct Entry {
    mlir::OwningOpRef<mlir::ModuleOp> program;
    PropagationRequest request;
    std::vector<PropagationResult> answers;
  };
  std::vector<Entry> entries;
};

/// Decides all placements of `module` and writes them. An answer in `answers`
/// is taken over; a new one is added if `isTrial`. Emits what is wrong. Adds to
/// `numContested`, if given, the nodes for which candidates competed.
mlir::LogicalResult
propagateModule(mlir::ModuleOp module, const PropagationRequest &request,
                PlanCache &plans, PropagationAnswers &answers, bool isTrial,
                mlir::Pass::Statistic *numContested = nullptr);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_PROPAGATEMODULE_H
