//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sharding rules and propagation graphs made by hand, for tests that need no
// IR. Tensors are of rank 2 unless said otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_PROPAGATION_GRAPHS_H
#define SHARDIR_TEST_UNIT_PROPAGATION_GRAPHS_H

#include "ShardIR/Propagation/Propagation.h"

namespace shardir::test {

/// (m, k), (k, n), init (m, n) -> (m, n); factors in the order m, n, k.
ShardingRule matmulRule(int64_t m, int64_t n, int64_t k);
/// `operands` tensors of one shape to one of the same; linear: terms pass one
/// by one (multiplication by a whole value); adding: all together.
enum class Linearity { None, Single, Together };
ShardingRule elementwiseRule(const std::vector<int64_t> &shape, int operands,
                             Linearity linearity = Linearity::None);
/// (m, n), init (m) -> (m): a reduction of the minor dim.
ShardingRule reduceRule(int64_t m, int64_t n, PartialKind kind);

/// A graph in the making. Values are numbered as they are made.
class GraphMaker {
public:
  explicit GraphMaker(const Mesh &mesh) { graph.meshes = {mesh}; }

  /// An argument; `placement` as text, empty for none. Returns its value.
  int argument(const std::vector<int64_t> &shape,
               const std::string &placement = "");
  /// An op on values; returns its first result's value.
  int op(const std::string &name, const ShardingRule &rule,
         const std::vector<int> &operands,
         const std::vector<std::vector<int64_t>> &resultShapes);
  /// A constraint of a value; returns the constrained value.
  int constraint(int value, const std::string &placement);
  /// A function's result.
  void result(int value, const std::string &placement = "");

  /// The node that makes a value.
  int producer(int value) const { return graph.values[value].producer; }

  PropagationGraph graph;

private:
  int node(PropagationGraph::Node node);
  static void annotate(PropagationGraph::Node &node,
                       const std::string &placement);
};

/// The graph with its nodes in another order in which producers come first;
/// `newIndex[n]` becomes where node n went.
PropagationGraph permuted(const PropagationGraph &graph, unsigned seed,
                          std::vector<int> &newIndex);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_PROPAGATION_GRAPHS_H
