//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes of this folder share: fresh tensors, the words of reasons,
// and the cost of a change of placement.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_UTILS_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_UTILS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/CostModel.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace shardir {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A constant, an empty tensor, or a fill of one: cheaper made again than moved
/// (R5).
bool isFresh(mlir::Value value);

/// Lets a copy of an op that is placed as `user` wants it say so (R7): the
/// user's reason, and nothing of what was compared elsewhere.
void placeFor(mlir::Operation *user, mlir::Operation *clone,
              PlacementAttr wanted);

/// Makes a fresh value again, in front of `before`, with another placement; a
/// fill on `init`, if there is one in that placement.
mlir::Value cloneFresh(mlir::OpBuilder &builder, mlir::Value value,
                       PlacementAttr wanted, mlir::Operation *before,
                       mlir::Value init = {});

/// Erases a fresh value that nobody uses, and what it alone was made from.
void eraseIfUnused(mlir::RewriterBase &rewriter, mlir::Value value);

/// The placement in normal form for a tensor of type `type`; equal placements
/// of one mesh then are one attribute.
PlacementAttr normalize(PlacementAttr placement, mlir::RankedTensorType type,
                        const MeshTable &meshes);

/// Whether two placements of a value are the same place.
bool samePlacement(PlacementAttr a, PlacementAttr b,
                   mlir::RankedTensorType type, const MeshTable &meshes);

/// Whether the patterns may change `op`: no halo, one mesh. A halo is for one
/// use alone, and between meshes other rules hold.
bool isPlain(RedistributeOp op);

/// Whether a user's constraint stands on `op`: its placement must survive.
bool isConstrained(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// What a change of placement does: `reduces the sum over "tp"`, `makes dim 0
/// whole (was over "x")`, …
std::string describeChange(const Placement &from, const Placement &to,
                           const Mesh &mesh, const Halo &halo = {});

/// Who asks for a placement: `operand 1 of 'linalg.matmul'`, `result 0 of @main
/// is placed so`, …
std::string describeUse(mlir::OpOperand &use);

/// Lets pure ops of one block that compute the same and lie alike say the same
/// reasons (`decided_by`, `alternatives`), those of the first, and be asked for
/// alike, so that CSE takes them for one.
void shareReasons(mlir::Operation *root);

/// Lets `op` start from `input`, and keeps its reason true.
void restartFrom(mlir::RewriterBase &rewriter, RedistributeOp op,
                 mlir::Value input, PlacementAttr from,
                 const MeshTable &meshes);

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// What is compared, in this order.
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

/// Costs of redistributions, each computed once.
class MoveCosts {
public:
  /// With `weights` by rank, bytes are the sum of those that devices receive,
  /// each with its weight.
  MoveCosts(const MeshTable &meshes, CostMode mode,
            std::vector<double> weights = {})
      : meshes(meshes), mode(mode), weights(std::move(weights)) {}
  const MeshTable &meshTable() const { return meshes; }
  /// The cost of moving a tensor; nothing where there is no plan.
  std::optional<MoveCost> get(PlacementAttr from, PlacementAttr to,
                              mlir::RankedTensorType type);

private:
  const MeshTable &meshes;
  CostMode mode;
  std::vector<double> weights;
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
