//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collective dialect: steps of a redistribution in three forms (global
// tensors, shards, buffers), and rooted collectives on shards.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_COLLECTIVE_COLLECTIVE_H
#define SHARDIR_DIALECT_COLLECTIVE_COLLECTIVE_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Placement/CollectiveKind.h"

#include "ShardIR/Dialect/Collective/CollectiveDialect.h.inc"
#include "ShardIR/Dialect/Collective/CollectiveOpInterface.h.inc"

namespace shardir::collective::detail {
mlir::RankedTensorType globalTensorType(CollectiveOpInterface op);
void stepEffects(mlir::OpOperand &input, mlir::OpOperand *destination,
                 llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<
                     mlir::MemoryEffects::Effect>> &effects);
mlir::LogicalResult verifyStep(CollectiveOpInterface op);
mlir::LogicalResult verifyStepSymbols(CollectiveOpInterface op,
                                      mlir::SymbolTableCollection &tables);
/// The result's extents: the operand's on global tensors, `sizes` on shards.
mlir::LogicalResult reifyStep(CollectiveOpInterface op,
                              mlir::OpBuilder &builder,
                              mlir::ReifiedRankedShapedTypeDims &shapes);
mlir::ParseResult parseStep(mlir::OpAsmParser &parser,
                            mlir::OperationState &state);
void printStep(mlir::OpAsmPrinter &printer, CollectiveOpInterface op,
               llvm::ArrayRef<int32_t> segments);
llvm::LogicalResult
foldStep(CollectiveOpInterface op,
         llvm::SmallVectorImpl<mlir::OpFoldResult> &results);
/// Reads `tp` or `tp:(1)2` of an op's list of axes; nothing for other text.
std::optional<AxisRef> readAxis(llvm::StringRef text);
mlir::LogicalResult verifyGroup(mlir::Operation *op,
                                mlir::FlatSymbolRefAttr mesh,
                                mlir::ArrayAttr axes,
                                mlir::SymbolTableCollection &tables);
/// The extent of this device's block of a dim of `extent`, cut over `axes` as
/// in P3 of docs/Semantics.md. Requires a group that verifies, of known size.
mlir::Value createBlockExtent(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Operation *op, mlir::FlatSymbolRefAttr mesh,
                              mlir::ArrayAttr axes, mlir::Value extent);
/// The number of devices in a group, or 0 where a size is unknown.
int64_t groupSize(mlir::Operation *op, mlir::FlatSymbolRefAttr mesh,
                  mlir::ArrayAttr axes);
} // namespace shardir::collective::detail

#define GET_OP_CLASSES
#include "ShardIR/Dialect/Collective/CollectiveOps.h.inc"

namespace shardir::collective {
/// On a step or HostCopyOp on buffers: it goes on beside what follows, until a
/// WaitOp.
inline constexpr llvm::StringLiteral kStart = "collective.start";
/// On steps that stand one behind the other: those with the same number are one
/// transfer (shardir-combine-collectives).
inline constexpr llvm::StringLiteral kBucket = "collective.bucket";
/// On a module: gathers have become exchanges around rings.
inline constexpr llvm::StringLiteral kRings = "collective.rings";
/// On a memref.global: it has a row for each rank, which no other one touches.
inline constexpr llvm::StringLiteral kRowsOfRanks = "collective.rows_of_ranks";

/// Whether a tensor or buffer is in the host's memory.
bool isOnHost(mlir::Value value);

/// Of a step or HostCopyOp on buffers what it reads, and what it writes; null
/// for other ops.
mlir::Value readBuffer(mlir::Operation *op);
mlir::Value writtenBuffer(mlir::Operation *op);

/// The steps of the bucket that `op` ends, itself last: `op` alone where it is
/// in none, and nothing where a later step ends its bucket. What stands between
/// the steps has no effect on memory.
llvm::SmallVector<CollectiveOpInterface>
stepsOfBucket(CollectiveOpInterface op);

/// Creates the step op of the given kind on global tensors; `windows` holds
/// extent and shift of each open window of `halo`.
mlir::Value createStep(mlir::OpBuilder &builder, mlir::Location loc,
                       CollectiveKind kind, mlir::Value input,
                       PlacementAttr from, PlacementAttr to, ReasonAttr reason,
                       mlir::ArrayAttr halo = {},
                       mlir::ValueRange windows = {});
/// The step of a collective in a manual region, whose result other
/// axes split as `inside` says; null: not at all.
CollectiveStep manualStep(ManualCollectiveOp op, PlacementAttr inside);
/// Creates the local form: `input` is a shard of `global`, the result has type
/// `resultType` with its unknown extents in `sizes`. `dims` holds those of
/// `global`, then extent and shift of each open window of `halo`.
mlir::Value createLocalStep(mlir::OpBuilder &builder, mlir::Location loc,
                            CollectiveKind kind, mlir::Value input,
                            PlacementAttr from, PlacementAttr to,
                            mlir::RankedTensorType global,
                            mlir::RankedTensorType resultType,
                            mlir::ValueRange sizes, mlir::ValueRange dims,
                            ReasonAttr reason, mlir::ArrayAttr halo = {});
} // namespace shardir::collective

#endif // SHARDIR_DIALECT_COLLECTIVE_COLLECTIVE_H
