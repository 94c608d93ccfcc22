//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models: sharding rules and local forms of upstream's ops, one file a
// dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_EXTERNALMODELS_EXTERNALMODELS_H
#define SHARDIR_EXTERNALMODELS_EXTERNALMODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace shardir {

void registerLinalgModels(mlir::DialectRegistry &registry);
void registerTensorModels(mlir::DialectRegistry &registry);
/// arith and math on tensors.
void registerElementwiseModels(mlir::DialectRegistry &registry);
/// bufferization's ops on tensors.
void registerBufferTensorModels(mlir::DialectRegistry &registry);
/// shape and ml_program.
void registerScalarModels(mlir::DialectRegistry &registry);
/// Bufferization of the collective dialect.
void registerBufferizationModels(mlir::DialectRegistry &registry);
/// Bufferization of kernel.attention.
void registerAttentionModels(mlir::DialectRegistry &registry);
void registerSCFModels(mlir::DialectRegistry &registry);
void registerUBModels(mlir::DialectRegistry &registry);
/// shardir.optimization_barrier: its rule and its bufferization.
void registerBarrierModels(mlir::DialectRegistry &registry);
/// The borders and collectives of manual regions.
void registerManualModels(mlir::DialectRegistry &registry);
/// shardir.scatter and shardir.sort.
void registerIndexedOpsModels(mlir::DialectRegistry &registry);

} // namespace shardir

#endif // SHARDIR_EXTERNALMODELS_EXTERNALMODELS_H
