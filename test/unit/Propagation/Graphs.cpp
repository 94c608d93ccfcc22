//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Graphs.h. Nodes are made as Propagate.cpp makes them from IR: arguments
// have results alone, results have operands alone, and both one factor per dim.
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include "../Placement/Support.h"

#include <random>

using namespace shardir;
using namespace shardir::test;

static TensorFactors factorsOf(std::initializer_list<int> factors) {
  TensorFactors tensor;
  for (int factor : factors)
    tensor.dims.push_back({factor});
  return tensor;
}

ShardingRule test::matmulRule(int64_t m, int64_t n, int64_t k) {
  ShardingRule rule;
  rule.addFactor(m);
  rule.addFactor(n);
  rule.addFactor(k, FactorKind::Reduction);
  rule.factors[2].combiners = {PartialKind::Sum};
  rule.operands = {factorsOf({0, 2}), factorsOf({2, 1}), factorsOf({0, 1})};
  rule.results = {factorsOf({0, 1})};
  rule.inits = {2};
  rule.partials = {{PartialKind::Sum, {0, 2}}, {PartialKind::Sum, {1, 2}}};
  return rule;
}

ShardingRule test::elementwiseRule(const std::vector<int64_t> &shape,
                                   int operands, Linearity linearity) {
  ShardingRule rule;
  TensorFactors tensor;
  for (int64_t extent : shape)
    tensor.dims.push_back({rule.addFactor(extent)});
  rule.operands.assign(operands, tensor);
  rule.results = {tensor};
  rule.inits = {-1};
  PartialRule together{PartialKind::Sum, {}};
  for (int i = 0; i < operands; ++i) {
    if (linearity == Linearity::Single)
      rule.partials.push_back({PartialKind::Sum, {i}});
    together.operands.push_back(i);
  }
  if (linearity == Linearity::Together)
    rule.partials.push_back(together);
  return rule;
}

ShardingRule test::reduceRule(int64_t m, int64_t n, PartialKind kind) {
  ShardingRule rule;
  rule.addFactor(m);
  rule.addFactor(n, FactorKind::Reduction);
  rule.factors[1].combiners = {kind};
  rule.operands = {factorsOf({0, 1}), factorsOf({0})};
  rule.results = {factorsOf({0})};
  rule.inits = {1};
  rule.partials = {{kind, {0, 1}}};
  return rule;
}

int GraphMaker::node(PropagationGraph::Node node) {
  graph.nodes.push_back(std::move(node));
  return graph.nodes.size() - 1;
}

void GraphMaker::annotate(PropagationGraph::Node &node,
                          const std::string &text) {
  if (text.empty())
    return;
  Placement placement = parse(text);
  for (const DimPlacement &dim : placement.dims) {
    node.annotated.push_back(dim.splits);
    node.closed.push_back(!dim.open);
    node.priority.push_back(
        dim.priority.value_or(PropagationGraph::kLastPriority));
  }
  node.forbidden = placement.replicated;
  node.partial = placement.partial;
  node.partialAxes = placement.partialAxes;
}

int GraphMaker::argument(const std::vector<int64_t> &shape,
                         const std::string &placement) {
  int value = graph.values.size();
  PropagationGraph::Node made;
  made.name = "argument " + std::to_string(value);
  made.rule = elementwiseRule(shape, 0);
  made.results = {value};
  annotate(made, placement);
  graph.values.push_back({shape, 4, node(std::move(made)), 0, {}});
  return value;
}

int GraphMaker::op(const std::string &name, const ShardingRule &rule,
                   const std::vector<int> &operands,
                   const std::vector<std::vector<int64_t>> &resultShapes) {
  int first = graph.values.size();
  PropagationGraph::Node made;
  made.name = name;
  made.rule = rule;
  made.operands.assign(operands.begin(), operands.end());
  for (size_t i = 0; i < resultShapes.size(); ++i)
    made.results.push_back(first + i);
  int n = node(std::move(made));
  for (size_t i = 0; i < operands.size(); ++i)
    graph.values[operands[i]].uses.push_back({n, int(i)});
  for (size_t i = 0; i < resultShapes.size(); ++i)
    graph.values.push_back({resultShapes[i], 4, n, int(i), {}});
  return first;
}

int GraphMaker::constraint(int value, const std::string &placement) {
  std::vector<int64_t> shape = graph.values[value].shape;
  int made = op("constrain", elementwiseRule(shape, 1), {value}, {shape});
  PropagationGraph::Node &node = graph.nodes[producer(made)];
  node.isConstraint = true;
  annotate(node, placement);
  return made;
}

void GraphMaker::result(int value, const std::string &placement) {
  PropagationGraph::Node made;
  made.name = "result of value " + std::to_string(value);
  ShardingRule rule = elementwiseRule(graph.values[value].shape, 1);
  rule.results.clear();
  rule.inits.clear();
  made.rule = std::move(rule);
  made.operands = {value};
  annotate(made, placement);
  int n = node(std::move(made));
  graph.values[value].uses.push_back({n, 0});
}

PropagationGraph test::permuted(const PropagationGraph &graph, unsigned seed,
                                std::vector<int> &newIndex) {
  std::mt19937 random(seed);
  size_t count = graph.nodes.size();
  newIndex.assign(count, -1);
  PropagationGraph other = graph;
  other.nodes.clear();
  while (other.nodes.size() < count) {
    // Any node whose producers have all been placed.
    std::vector<int> ready;
    for (size_t n = 0; n < count; ++n) {
      bool isReady = newIndex[n] < 0;
      for (int value : graph.nodes[n].operands)
        isReady = isReady && newIndex[graph.values[value].producer] >= 0;
      if (isReady)
        ready.push_back(n);
    }
    int chosen = ready[random() % ready.size()];
    newIndex[chosen] = other.nodes.size();
    other.nodes.push_back(graph.nodes[chosen]);
  }
  for (PropagationGraph::Value &value : other.values) {
    value.producer = newIndex[value.producer];
    for (auto &[user, operand] : value.uses)
      user = newIndex[user];
    std::shuffle(value.uses.begin(), value.uses.end(), random);
  }
  for (PropagationGraph::Node &node : other.nodes)
    if (node.alias >= 0)
      node.alias = newIndex[node.alias];
  return other;
}
