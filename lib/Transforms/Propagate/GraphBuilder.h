//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. The graph of ShardIR/Propagation/Graph.h for
// one function, and the way back of its answer. Requires sugar resolved and
// calls inlined; guarantees that every op with tensor results then carries
// `shardir.placements`, every argument and result `shardir.placement`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_GRAPHBUILDER_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_GRAPHBUILDER_H

#include "EqualOps.h"
#include "ShardIR/Analysis/ManualAxes.h"

#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Propagation/Propagation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// Builds the graph of one function. Ops of regions that run on shards are
/// nodes like others; what goes through such a region is one node per group,
/// with one factor per dim, so that loops close cycles.
class GraphBuilder {
public:
  /// The trip count that decisions assume where it is unknown (R11).
  static constexpr int64_t kUnknownTrips = 16;

  GraphBuilder(mlir::func::FuncOp function, const MeshTable &meshes,
               int64_t unknownTrips = kUnknownTrips)
      : function(function), meshes(meshes), unknownTrips(unknownTrips),
        varying(function) {
    graph.meshes = meshes.all();
  }

  const PropagationGraph &build();
  void write(const PropagationResult &result);

  /// Per argument and per result of the function its node, or -1 for what is
  /// not a tensor.
  llvm::ArrayRef<int> nodesOfArguments() const { return argumentNodes; }
  llvm::ArrayRef<int> nodesOfResults() const { return resultNodes; }
  /// The op that a node stands for; null for arguments and results.
  mlir::Operation *opOf(int node) const { return origins[node].op; }

private:
  using Graph = PropagationGraph;
  /// The IR that a node stands for, besides a function's argument or result.
  struct Origin {
    mlir::Operation *op = nullptr;
    int group = -1; ///< of `op`'s, or -1: the op itself
  };

  int addValue(mlir::Value value, int node, int result);
  int addNode(Graph::Node node, Origin origin, bool meshIsKnown);
  void use(int node, mlir::Value value);
  int addBoundary(mlir::Type type, PlacementAttr placement, llvm::Twine name,
                  bool isResult);
  void annotate(Graph::Node &node, const Placement &placement, int firstFactor);
  void annotateDecided(Graph::Node &node, mlir::Operation *op,
                       mlir::ValueRange operands,
                       llvm::ArrayRef<mlir::Attribute> own);
  void pinManual(Graph::Node &node, const ManualAxes::Axes &axes);
  void addOps(mlir::Block &block);
  void addOp(mlir::Operation *op);
  void addToGroup(ConstrainOp op);
  void addRegions(ShardableRegionOpInterface op);
  double maxRedistributionsOf(mlir::Operation *op);
  int addGroup(mlir::Operation *op, const RegionValueGroup &group, int index,
               PlacementAttr placement);
  void addStep(mlir::Operation *op, PlacementAttr from, PlacementAttr to);
  PlacementAttr attr(const Graph::Node &node, const Placement &placement) {
    return PlacementAttr::get(function.getContext(),
                              graph.meshes[node.mesh].name, placement);
  }
  void inferMeshes();
  /// The provenance of the placements that `op` carries: that of an earlier
  /// run, else the op itself with its location, as there may be many.
  mlir::ArrayAttr annotationOf(mlir::Operation *op,
                               std::optional<unsigned> group = std::nullopt);
  void addAlternatives(llvm::SmallVectorImpl<mlir::Attribute> &list,
                       llvm::StringRef owner, int index, int node,
                       const PropagationResult::Node &decided);
  bool isAnnotatedReplicated(const Graph::Node &node) const;
  llvm::SmallVector<mlir::ArrayAttr> findAnnotations();
  mlir::ArrayAttr provenanceOfNode(int node, const PropagationResult &result);
  void writeOp(mlir::Operation *op, int node, const PropagationResult &result);
  void writeGroups(const PropagationResult &result);
  void writeReplicated(mlir::Operation *op, const Graph::Node &node);

  mlir::func::FuncOp function;
  const MeshTable &meshes;
  int64_t unknownTrips;
  bool allDecided = false; ///< by an earlier run
  ManualAxes varying;
  Graph graph;
  llvm::DenseMap<mlir::Value, int> valueIds;
  llvm::DenseMap<mlir::Operation *, int> loopIds;
  std::vector<Origin> origins; ///< per node
  /// Per node the provenance of its annotation, as long as write() runs.
  llvm::SmallVector<mlir::ArrayAttr> annotations;
  EqualOps equals;
  llvm::DenseMap<mlir::Operation *, int> nodeOfFirst;
  /// Ops that compute what the op of a node does.
  llvm::SmallVector<std::pair<mlir::Operation *, int>> repeated;
  llvm::DenseMap<int64_t, int> nodeOfGroup;
  llvm::SmallVector<int> argumentNodes, resultNodes;
  /// Of arguments and of results, by type.
  llvm::DenseMap<mlir::Type, SharedRule> boundaryRules[2];
  std::vector<bool> meshKnown;
  double executions = 1; ///< of the block that is being looked at
  /// Of blocks of regions, and of values in loops that could be computed in
  /// front of these.
  llvm::DenseMap<mlir::Block *, double> executionsOfBlock;
  llvm::DenseMap<mlir::Value, double> executionsBefore;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_GRAPHBUILDER_H
