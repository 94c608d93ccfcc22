//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of the passes of this folder: rematerializable values, reasons, and
// the cost of redistributions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_UTILS_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_UTILS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/CostModel.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace shardir {

class PropagationCostModel;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// True for a constant, an empty tensor, or a fill of one: cheaper to clone
/// than to redistribute (R5).
bool isRematerializable(mlir::Value value);

/// Gives a clone that is placed for `user` the user's provenance (R7), and
/// drops the alternatives of the original op.
void placeFor(mlir::Operation *user, mlir::Operation *clone,
              PlacementAttr wanted);

/// Clones a rematerializable value in front of `before` with another placement;
/// a fill uses `init`, if given, as its operand in that placement.
mlir::Value cloneRematerializable(mlir::OpBuilder &builder, mlir::Value value,
                                  PlacementAttr wanted, mlir::Operation *before,
                                  mlir::Value init = {});

/// Erases a rematerializable value without uses, and operands used by it alone.
void eraseIfUnused(mlir::RewriterBase &rewriter, mlir::Value value);

/// The placement in normal form for a tensor of type `type`; equal placements
/// of one mesh then are one attribute.
PlacementAttr normalize(PlacementAttr placement, mlir::RankedTensorType type,
                        const MeshTable &meshes);

/// True if two placements of a value have the same normal form on one mesh.
bool samePlacement(PlacementAttr a, PlacementAttr b,
                   mlir::RankedTensorType type, const MeshTable &meshes);

/// True if the patterns may change `op`: no halo, one mesh. A halo is for one
/// use alone, and other rules hold between meshes.
bool isPlain(RedistributeOp op);

/// True if `op` carries a constraint of the program: its placement must stay.
bool isConstrained(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Provenance
//===----------------------------------------------------------------------===//

/// Gives pure ops of one block with equal computations and placements the
/// provenance (`decided_by`, `alternatives`) and the constraint of the first,
/// so that CSE merges them.
void shareProvenance(mlir::Operation *root);

/// Makes `input`, which has the placement `from`, the operand of `op`.
void restartFrom(mlir::RewriterBase &rewriter, RedistributeOp op,
                 mlir::Value input, PlacementAttr from);

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// The cost of redistributions; fields are compared in this order.
struct MoveCost {
  int64_t picoseconds = 0; ///< by the machine model, under CostMode::Time
  int64_t bytes = 0;       ///< received by the device that receives most
  int64_t collectives = 0; ///< steps that communicate
  double work = 0;         ///< iterations of ops on one device
  int64_t depth = 0;       ///< redistributions of redistributions

  MoveCost &operator+=(const MoveCost &o);
  MoveCost operator+(const MoveCost &o) const { return MoveCost(*this) += o; }
  bool operator<(const MoveCost &o) const;
};

/// The costs of steps by `costModel`, for PlanOptions; null for null.
StepCost stepCostBy(std::shared_ptr<const PropagationCostModel> costModel);

/// Costs of redistributions, each computed once: those of `costModel`, or the
/// default for null.
class MoveCosts {
public:
  MoveCosts(const MeshTable &meshes, CostMode mode, PlanCache *plans = nullptr,
            std::shared_ptr<const PropagationCostModel> costModel = nullptr)
      : meshes(meshes), mode(mode), plans(plans),
        stepCost(stepCostBy(costModel)) {}
  const MeshTable &meshTable() const { return meshes; }
  /// The cost of moving a tensor; nothing where there is no plan.
  std::optional<MoveCost> get(PlacementAttr from, PlacementAttr to,
                              mlir::RankedTensorType type);

private:
  const MeshTable &meshes;
  CostMode mode;
  PlanCache *plans;
  StepCost stepCost;
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Attribute, mlir::Type>,
                 std::optional<MoveCost>>
      known;
};

/// One placement that a value is needed in, and from which it is made.
struct TreeNode {
  PlacementAttr to;
  bool required = true; ///< else only if others start from it
  /// The regions of use that it serves; it may only feed nodes within, unless
  /// it is `everywhere`.
  int firstRegion = 0, lastRegion = 0;
  bool everywhere = true;
  // Decided:
  bool used = true;
  /// Another node; -1: the value itself; from the number of nodes on: what is
  /// given.
  int parent = -1;
};

/// A placement that is there, as soon as node `after` is if that is one (not
/// -1), at no cost. Nodes that are `everywhere` may start from it.
struct GivenNode {
  PlacementAttr to;
  int after = -1;
};

/// Decides from which placement each node starts, so that all together move
/// least; from the value itself only node `first`, if that is one. Exact for up
/// to 8 nodes; more start from the value itself. Nothing where some node cannot
/// be reached.
std::optional<MoveCost> planTree(PlacementAttr source,
                                 mlir::RankedTensorType type,
                                 llvm::MutableArrayRef<TreeNode> nodes,
                                 llvm::ArrayRef<GivenNode> given,
                                 MoveCosts &costs, int first = -1);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_UTILS_H
