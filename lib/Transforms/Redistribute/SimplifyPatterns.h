//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of populateSimplifyRedistributePatterns, one per file. They share
// the costs that they compute.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SIMPLIFYPATTERNS_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SIMPLIFYPATTERNS_H

#include "Utils.h"

#include "ShardIR/Transforms/Patterns.h"

#include <memory>

namespace shardir {

/// RedistributionTree.cpp: the redistributions of one value.
void addSharePatterns(mlir::RewritePatternSet &patterns,
                      std::shared_ptr<MoveCosts> costs,
                      const RedistributePatternOptions &options);

/// MoveAcrossOps.cpp: redistributions to the cheaper side of ops.
void addMovePatterns(mlir::RewritePatternSet &patterns,
                     std::shared_ptr<MoveCosts> costs,
                     const RedistributePatternOptions &options);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SIMPLIFYPATTERNS_H
