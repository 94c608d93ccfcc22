//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A propagation graph with its rules and splits as numbers: who sees whom, and
// what the splits of one node's factors are for the node on the other side of a
// value. Everything that is computed from a rule is computed once per rule, not
// once per op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_GRAPH_PROPAGATIONSPACE_H
#define SHARDIR_LIB_PROPAGATION_GRAPH_PROPAGATIONSPACE_H

#include "ShardIR/Propagation/Propagation.h"
#include "SplitsTable.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardir {

/// A tensor of a node: one of its operands or results.
struct Port {
  int value = -1;
  bool isResult = false;
  int tensor = 0; ///< index among the rule's operands or results
  /// A function's argument as the user of what is returned in its place.
  bool isAlias = false;
};

/// The other end of a value.
struct End {
  int node = -1;
  int port = -1;
};

/// One axis, as a bit, over which a tensor may be partial, and the kind.
struct PartialTerm {
  uint64_t axis = 0;
  PartialKind kind = PartialKind::Sum;
  bool operator==(const PartialTerm &o) const {
    return axis == o.axis && kind == o.kind;
  }
};

/// The bytes of the global tensor; a dim of unknown size counts
/// kAssumedDimSize.
double globalBytes(const PropagationGraph::Value &value);
/// The most bytes that a device holds of a value in this placement.
double localBytes(const PropagationGraph::Value &value,
                  const Placement &placement, const Mesh &mesh);

class PropagationSpace {
public:
  explicit PropagationSpace(const PropagationGraph &graph);

  using Node = PropagationGraph::Node;
  const PropagationGraph &graph;

  int numNodes() const { return graph.nodes.size(); }
  const Node &node(int n) const { return graph.nodes[n]; }
  SplitsTable &table(int n) { return tables[graph.nodes[n].mesh]; }
  const ShardingRule &rule(int n) const { return graph.nodes[n].rule; }
  /// Equal for nodes of equal rules on one mesh.
  int ruleClass(int n) const { return classes[n]; }
  /// A number for a value's shape, element size and mesh.
  int typeOf(int value) const { return types[value]; }

  llvm::ArrayRef<Port> ports(int n) const { return nodePorts[n]; }
  End producer(int value) const { return producers[value]; }
  llvm::ArrayRef<End> users(int value) const { return valueUsers[value]; }
  const TensorFactors &factorsOf(int n, const Port &port) const {
    const ShardingRule &own = rule(n);
    return port.isResult || port.isAlias ? own.results[port.tensor]
                                         : own.operands[port.tensor];
  }
  /// Holds no data of its own and was not placed by anybody (R5).
  bool isRematerializable(int n) const {
    return rule(n).isRematerializable && !node(n).isFixed && !isAnnotated[n];
  }
  /// Takes no part in conflicts, as each user gets what it wants at no cost.
  bool isFree(int n) const {
    return isRematerializable(n) ||
           (node(n).isBroadcastConstant && !node(n).isFixed && !isAnnotated[n]);
  }
  /// Does not take part: another node decides for it.
  bool isAlias(int n) const { return node(n).alias >= 0; }

  /// Calls `visit` with the nodes on the other side of n's values, and the
  /// ports on both sides; rematerializable producers, other meshes, aliases and
  /// nodes behind a barrier that does not let n's axes through are left out.
  void forNeighbours(int n,
                     llvm::function_ref<void(const Port &, End)> visit) const;

  /// Calls `found(factor, splits)` for the splits, in normal form, that the
  /// factors of `to` get if those of `from` have the splits in `lists`; each
  /// once or more.
  void show(int from, const Port &theirs, int to, const Port &mine,
            llvm::function_ref<llvm::ArrayRef<SplitsId>(int)> lists,
            llvm::function_ref<void(int, SplitsId)> found);

  /// Whether every tensor of the node can be written with these splits.
  bool composes(int n, llvm::ArrayRef<SplitsId> splits);
  /// The placement that they give a tensor; nothing where none can be written.
  std::optional<PlacementId> compose(int n, const TensorFactors &factors,
                                     int tensorKey,
                                     llvm::ArrayRef<SplitsId> splits);

  /// A hash of the node and what is around it that does not depend on the order
  /// of nodes.
  uint64_t name(int n) const { return names[n]; }
  /// The same from all that leads to the node and all that it leads to: equal
  /// only for nodes that no path tells apart. Computed on first use.
  uint64_t structuralHash(int n);

private:
  void addPorts();
  void classify();
  void nameNodes();
  SplitsId composeDim(SplitsTable &table, llvm::ArrayRef<SplitsId> ids,
                      llvm::ArrayRef<int64_t> sizes);
  llvm::ArrayRef<SplitsId> projectDim(SplitsTable &table, SplitsId id,
                                      llvm::ArrayRef<int64_t> sizes);

  std::deque<SplitsTable> tables;
  std::vector<int> classes, types;
  std::vector<uint64_t> ruleHashes; ///< per class
  std::vector<bool> isAnnotated;
  // A program has many nodes of few ports: each its own allocation would be
  // slow.
  std::vector<llvm::SmallVector<Port, 4>> nodePorts;
  std::vector<End> producers;
  std::vector<llvm::SmallVector<End, 2>> valueUsers;
  std::vector<uint64_t> names, structuralHashes;
  NumbersMap<SplitsId> composedDims;
  NumbersMap<std::vector<SplitsId>> projectedDims;
  NumbersMap<PlacementId> composedTensors;
  NumbersMap<bool> composedNodes;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_GRAPH_PROPAGATIONSPACE_H
