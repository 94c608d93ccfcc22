//===- Rings.h - Blocks that come around rings of devices -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of rings of gathered operands and rings of sums: the ops that can be
// cut into parts, meshes on which devices stand further along a ring, and what
// a turn costs. Stage: local, on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_SCHEDULE_RINGS_H
#define SHARDIR_LIB_TRANSFORMS_SCHEDULE_RINGS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/CostModel.h"
#include "ShardIR/Transforms/Schedule/Passes.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace shardir {

/// Copies of an op for more devices make programs large.
constexpr int64_t mostRingDevices = 64;

/// The properties of an op's loops that rings need.
struct RingLoops {
  /// By operand.
  llvm::SmallVector<mlir::AffineMap> maps;
  /// May be cut, and each part adds to what the inits hold or makes its own
  /// part of them.
  llvm::SmallVector<bool> cuttable;
  /// By operand, in memory; extents that are not known count as 1024.
  llvm::SmallVector<double> bytes;
  /// Of one call on the device, in floating-point operations.
  double flops = 0;
  /// True if all large operands have 16 bits or less.
  bool narrow = false;
};

/// nullopt for ops that rings are not for.
std::optional<RingLoops> ringLoopsOf(mlir::Operation *op);

/// Seconds of one of `parts` of an op, which is cut along `loop`: each part
/// reads all of the operands that do not run along it.
double secondsOfPart(const RingLoops &loops, unsigned loop, int64_t parts,
                     const ScheduleCollectivesOptions &options);

/// The one dim that `blocks` splits further than `gathered`, one block per
/// device of the axes that it does so over; -1 where there is no such dim.
struct JoinedDim {
  int64_t dim = -1;
  std::vector<AxisRef> axes;
};
JoinedDim joinedDim(const Placement &blocks, const Placement &gathered,
                    const Mesh &mesh);

/// The reason of the exchange of one block, of `numBlocks`, that stands for
/// `op`, a gather or a scatter.
ReasonAttr reasonOfBlock(mlir::Operation *op, unsigned block,
                         unsigned numBlocks);

/// Seconds of products and attention in one block behind `first`, or from its
/// beginning where that is null, up to `last`: what a collective goes on beside
/// that starts behind `first` and is waited for at `last`. At most `enough`.
double secondsBetween(mlir::Operation *first, mlir::Operation *last,
                      double enough, const ScheduleCollectivesOptions &options);

/// Makes rings of gathers (RingGathers.cpp), or of sums (RingSums.cpp), where
/// `options` say so; true if there are some.
mlir::FailureOr<bool>
makeGatherRings(mlir::ModuleOp module,
                const ScheduleCollectivesOptions &options);
mlir::FailureOr<bool> makeSumRings(mlir::ModuleOp module,
                                   const ScheduleCollectivesOptions &options);

/// `placement` on the mesh on which each device stands where the one `step`
/// ahead of it on the ring over `axes` stands on `mesh`: it has the block of
/// that one. The module's own mesh where it has such, else a new one.
PlacementAttr onRing(mlir::ModuleOp module, PlacementAttr placement,
                     const Mesh &mesh, llvm::ArrayRef<AxisRef> axes,
                     int64_t step);

/// Seconds until `bytes` have come from the neighbour, over the slowest of the
/// ring's links.
double turnSeconds(const Mesh &mesh, llvm::ArrayRef<AxisRef> axes,
                   int64_t bytes);

/// `to` - `from`.
mlir::OpFoldResult distance(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::OpFoldResult from, mlir::OpFoldResult to);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_SCHEDULE_RINGS_H
