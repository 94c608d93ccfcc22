//===- Lowering.h - The pipelines behind the local stage --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two parts of the way from local tensors to LLVM dialect. Both may begin
// in a later stage than theirs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PIPELINES_LOWERING_H
#define SHARDIR_LIB_PIPELINES_LOWERING_H

#include "ShardIR/Pipelines/Pipelines.h"

#include "llvm/Support/raw_ostream.h"

namespace shardir {

/// Appends the passes that an option names; they work on the module, whether
/// the text says so or not. Fails with MLIR's message in `errors`.
mlir::LogicalResult addOwnPasses(mlir::OpPassManager &pm,
                                 llvm::StringRef passes,
                                 llvm::raw_ostream &errors = llvm::nulls());

/// Up to collective: marks what the kernels of stage `to` will not store.
void markAttention(mlir::OpPassManager &pm, Stage to,
                   const PipelineOptions &options);

/// From local to scheduled, but for layouts, on the way to stage `to`.
void buildScheduled(mlir::OpPassManager &pm, Stage to,
                    const PipelineOptions &options);

/// From scheduled to `to`.
void buildLowering(mlir::OpPassManager &pm, Stage to,
                   const PipelineOptions &options,
                   const LoweringOptions &lowering);

} // namespace shardir

#endif // SHARDIR_LIB_PIPELINES_LOWERING_H
