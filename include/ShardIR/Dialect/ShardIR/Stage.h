//===- Stage.h - The stages of a program ------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of docs/Pipeline.md in order, and the attribute `shardir.stage`
// that a module carries from the local one on: passes of earlier stages leave
// it alone, so that a printed stage can be re-entered.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_STAGE_H
#define SHARDIR_DIALECT_SHARDIR_STAGE_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardir {

enum class Stage {
  Annotated,
  Propagated,
  Redistributed,
  Collective,
  Local,
  Scheduled,
  Bufferized,
  Cpu,
  Gpu
};

/// `annotated`, `propagated`, …
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

/// The stage that the module carries; Annotated for one that carries none and
/// is therefore in some stage before the local one.
Stage stageOf(mlir::ModuleOp module);
/// Requires the local stage or a later one.
void setStage(mlir::ModuleOp module, Stage stage);

/// An error unless the module is local, or has no meshes: a program of one
/// device is local from the start. `pass` and `pipeline` are the ones that
/// need it.
mlir::LogicalResult expectLocal(mlir::ModuleOp module, llvm::StringRef pass,
                                llvm::StringRef pipeline);

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_STAGE_H
