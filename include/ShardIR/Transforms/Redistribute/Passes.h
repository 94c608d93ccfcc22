//===- Passes.h - Passes from propagated to collective ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_H
#define SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"

/// From stage propagated to stage redistributed.
void buildRedistribution(mlir::OpPassManager &passes,
                         InsertRedistributeOptions insert,
                         SimplifyRedistributeOptions simplify);

/// From stage redistributed to stage collective.
void buildCollectives(mlir::OpPassManager &passes,
                      RedistributeToCollectivesOptions options);

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_H
