//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of populateSimplifyRedistributePatterns, one per file. They share
// the costs that they compute, and the memory that is left.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SIMPLIFYPATTERNS_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SIMPLIFYPATTERNS_H

#include "Utils.h"

#include "ShardIR/Transforms/Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace shardir {

/// The memory that rewrites may use up to a limit of bytes per device; 0 is no
/// limit. To predict a peak takes as long as the function, so within a round it
/// is predicted again only where what rewrites have taken since decides.
class MemoryBudget {
public:
  MemoryBudget(const MeshTable &meshes, int64_t limit)
      : meshes(meshes), limit(limit) {}

  bool isLimited() const { return limit > 0; }
  /// From here on, only rewrites that call `take` or `noteLess` change
  /// functions. Before the first round every call predicts the peak.
  void startRound() {
    inRounds = true;
    peaks.clear();
  }
  /// True if `function` fits with `more` bytes at its peak; the caller then
  /// makes the rewrite that holds them.
  bool take(mlir::func::FuncOp function, int64_t more);
  bool isExceeded(mlir::func::FuncOp function) {
    return limit > 0 && !fits(function, 0);
  }
  /// To be called where a rewrite shortens lifetimes in `function`.
  void noteLess(mlir::func::FuncOp function) { peaks.erase(function); }

private:
  struct Peak {
    int64_t bytes, taken; ///< as predicted, and by rewrites since
  };
  bool fits(mlir::func::FuncOp function, int64_t more);

  const MeshTable &meshes;
  int64_t limit;
  bool inRounds = false;
  llvm::DenseMap<mlir::Operation *, Peak> peaks;
};

/// RedistributionTree.cpp: the redistributions of one value.
void addSharePatterns(mlir::RewritePatternSet &patterns,
                      std::shared_ptr<MoveCosts> costs,
                      std::shared_ptr<MemoryBudget> budget,
                      const RedistributePatternOptions &options);

/// MoveAcrossOps.cpp: redistributions to the cheaper side of ops.
void addMovePatterns(mlir::RewritePatternSet &patterns,
                     std::shared_ptr<MoveCosts> costs,
                     std::shared_ptr<MemoryBudget> budget,
                     const RedistributePatternOptions &options);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SIMPLIFYPATTERNS_H
