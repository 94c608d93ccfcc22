//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a graph that was made by hand. Requires nothing; guarantees that no
// index of one that passes is out of range, that values and nodes name each
// other, and that rules and annotations fit them.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Propagation/Graph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace shardir;

namespace {

/// Checks end at the first fault, which is in `error` then.
class GraphVerifier {
public:
  explicit GraphVerifier(const PropagationGraph &graph) : graph(graph) {}

  std::optional<std::string> verify();

private:
  using Node = PropagationGraph::Node;
  using Value = PropagationGraph::Value;

  bool verifyValue(int v);
  bool verifyUses(int v);
  bool verifyNode(int n);
  bool verifyTensors(int n, bool isResult);
  bool verifyDims(int n, const TensorFactors &factors, int value,
                  const std::string &tensor);
  bool verifyRule(int n);
  bool verifyAnnotations(int n);

  /// `node 1 (linalg.matmul)`.
  std::string nodeName(int n) const {
    std::string text = "node " + std::to_string(n);
    return graph.nodes[n].name.empty()
               ? text
               : text + " (" + graph.nodes[n].name + ")";
  }
  bool isNode(int n) const { return n >= 0 && size_t(n) < graph.nodes.size(); }
  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }
  /// ` has 2 values`, ` has 1 mesh`.
  static std::string has(size_t count, const std::string &one,
                         const std::string &plural = "s") {
    return " has " + std::to_string(count) + " " + one +
           (count == 1 ? "" : plural);
  }

  const PropagationGraph &graph;
  std::string error;
  /// Per node and operand, whether its value lists it as a use.
  std::vector<std::vector<bool>> isListed;
};

} // namespace

bool GraphVerifier::verifyValue(int v) {
  const Value &value = graph.values[v];
  std::string name = "value " + std::to_string(v);
  if (!isNode(value.producer))
    return fail(name + " has node " + std::to_string(value.producer) +
                " as its producer, but " + "the graph" +
                has(graph.nodes.size(), "node"));
  const Node &producer = graph.nodes[value.producer];
  if (value.resultIndex < 0 ||
      size_t(value.resultIndex) >= producer.results.size() ||
      producer.results[value.resultIndex] != v)
    return fail(name + " is result " + std::to_string(value.resultIndex) +
                " of " + nodeName(value.producer) +
                ", whose results do not name it there");
  for (int64_t extent : value.shape)
    if (extent < 0 && extent != kUnknown)
      return fail(name + " has an extent of " + std::to_string(extent) +
                  "; an unknown extent is kUnknown");
  return true;
}

bool GraphVerifier::verifyUses(int v) {
  const Value &value = graph.values[v];
  bool isCopied = graph.nodes[value.producer].isCopied();
  for (auto [user, operand] : value.uses) {
    auto failUse = [&, i = operand](const std::string &why) {
      return fail("value " + std::to_string(v) + " lists as a use operand " +
                  std::to_string(i) + " of " + why);
    };
    if (!isNode(user))
      return failUse("node " + std::to_string(user) + ", but the graph" +
                     has(graph.nodes.size(), "node"));
    const Node &node = graph.nodes[user];
    if (operand < 0 || size_t(operand) >= node.operands.size())
      return failUse(nodeName(user) + ", which" +
                     has(node.operands.size(), "operand"));
    if (node.operands[operand] == v)
      isListed[user][operand] = true;
    else if (!isCopied)
      return failUse(nodeName(user) + ", which is value " +
                     std::to_string(node.operands[operand]));
  }
  return true;
}

bool GraphVerifier::verifyDims(int n, const TensorFactors &factors, int value,
                               const std::string &tensor) {
  const ShardingRule &rule = *graph.nodes[n].rule;
  for (const DimFactors &dim : factors.dims)
    for (int factor : dim)
      if (factor < 0 || size_t(factor) >= rule.factors.size())
        return fail(nodeName(n) + " has a rule that names factor " +
                    std::to_string(factor) + " in " + tensor + ", but it" +
                    has(rule.factors.size(), "factor"));
  if (value < 0)
    return true;
  const std::vector<int64_t> &shape = graph.values[value].shape;
  if (factors.dims.size() != shape.size())
    return fail(nodeName(n) + " has a rule with " +
                std::to_string(factors.dims.size()) + " dims for " + tensor +
                ", but value " + std::to_string(value) + " has rank " +
                std::to_string(shape.size()));
  for (auto [dim, own] : llvm::enumerate(factors.dims)) {
    int64_t size = 1;
    bool isKnown =
        !own.empty() && !factors.window(dim) && shape[dim] != kUnknown;
    for (int f : own) {
      const Factor &factor = rule.factors[f];
      isKnown &= factor.size != kUnknown && factor.pinned.empty() &&
                 !llvm::MulOverflow(size, factor.size, size);
    }
    if (isKnown && size != shape[dim])
      return fail(nodeName(n) + " has a rule whose factors of dim " +
                  std::to_string(dim) + " of " + tensor + " have size " +
                  std::to_string(size) + ", but value " +
                  std::to_string(value) + " has size " +
                  std::to_string(shape[dim]) + " there");
  }
  return true;
}

bool GraphVerifier::verifyTensors(int n, bool isResult) {
  const Node &node = graph.nodes[n];
  llvm::ArrayRef<int> values = node.operands;
  llvm::ArrayRef<TensorFactors> lists = node.rule->operands;
  std::string kind = "operand";
  if (isResult) {
    values = node.results;
    lists = node.rule->results;
    kind = "result";
  }
  if (values.size() != lists.size())
    return fail(nodeName(n) + has(values.size(), kind) + ", but its rule" +
                has(lists.size(), kind + " list") + "; give one list each");
  for (auto [i, v] : llvm::enumerate(values)) {
    std::string tensor = kind + " " + std::to_string(i);
    if (v < -1 || (v >= 0 && size_t(v) >= graph.values.size()))
      return fail(nodeName(n) + " has value " + std::to_string(v) + " as " +
                  tensor + ", but " + "the graph" +
                  has(graph.values.size(), "value"));
    if (!verifyDims(n, lists[i], v, tensor))
      return false;
    if (v < 0)
      continue;
    const Value &value = graph.values[v];
    if (isResult && (value.producer != n || value.resultIndex != int(i)))
      return fail(nodeName(n) + " has value " + std::to_string(v) + " as " +
                  tensor + ", whose producer is result " +
                  std::to_string(value.resultIndex) + " of node " +
                  std::to_string(value.producer));
    if (!isResult && !isListed[n][i])
      return fail(nodeName(n) + " has value " + std::to_string(v) + " as " +
                  tensor + ", whose uses lack it: add {" + std::to_string(n) +
                  ", " + std::to_string(i) + "}");
  }
  return true;
}

bool GraphVerifier::verifyRule(int n) {
  const Node &node = graph.nodes[n];
  const ShardingRule &rule = *node.rule;
  size_t operands = rule.operands.size(), results = rule.results.size();
  if (!rule.inits.empty() && rule.inits.size() != results)
    return fail(nodeName(n) + " has a rule with " +
                std::to_string(rule.inits.size()) + " inits for " +
                std::to_string(results) +
                " results; give one entry each, or none");
  for (int init : rule.inits)
    if (init < -1 || init >= int(operands))
      return fail(nodeName(n) + " has a rule that names operand " +
                  std::to_string(init) + " as an initial value, but it" +
                  has(operands, "operand"));
  for (const PartialRule &partial : rule.partials)
    for (int operand : partial.operands)
      if (operand < 0 || operand >= int(operands))
        return fail(nodeName(n) + " has a rule that lets terms of operand " +
                    std::to_string(operand) + " pass, but it" +
                    has(operands, "operand"));
  for (auto [f, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Reduction &&
        factor.combiners.size() != results)
      return fail(nodeName(n) + " has a rule that reduces factor " +
                  std::to_string(f) + " by " +
                  std::to_string(factor.combiners.size()) + " kinds, for " +
                  std::to_string(results) + " results; give one kind each");
  return true;
}

bool GraphVerifier::verifyAnnotations(int n) {
  const Node &node = graph.nodes[n];
  size_t factors = node.rule->factors.size();
  for (auto [name, size] :
       {std::pair<const char *, size_t>{"annotated", node.annotated.size()},
        {"closed", node.closed.size()},
        {"priority", node.priority.size()}})
    if (size != 0 && size != factors)
      return fail("'" + std::string(name) + "' of " + nodeName(n) +
                  " has size " + std::to_string(size) + ", but its rule" +
                  has(factors, "factor") + "; give one entry each, or none");
  if (node.partial.has_value() == node.partialAxes.empty())
    return fail(nodeName(n) + " has a partial kind without axes, or axes "
                              "without a kind; give both or neither");
  if (node.isFixed && node.fixedResults.size() != node.rule->results.size())
    return fail(nodeName(n) + " is fixed with " +
                std::to_string(node.fixedResults.size()) + " placements for " +
                std::to_string(node.rule->results.size()) +
                " results; give one each");
  const Mesh &mesh = graph.meshes[node.mesh];
  std::vector<AxisRef> axes = node.forbidden;
  llvm::append_range(axes, node.partialAxes);
  // A redistribution from another mesh is fixed with that one's axes.
  if (!node.isFixed)
    for (const Splits &splits : node.annotated)
      for (const Split &split : splits)
        if (split.isAxis())
          axes.push_back(*split.axis);
  for (const Placement &placement : node.fixedResults) {
    llvm::append_range(axes, shardir::axesOf(placement));
    llvm::append_range(axes, placement.partialAxes);
  }
  // One at a time: `forbidden` may repeat what is annotated.
  for (const AxisRef &axis : axes)
    if (auto found = verifyAxes({axis}, mesh, "its annotation"))
      return fail(nodeName(n) + ": " + found->message + "; " + found->hint);
  return true;
}

bool GraphVerifier::verifyNode(int n) {
  const Node &node = graph.nodes[n];
  if (node.mesh < 0 || size_t(node.mesh) >= graph.meshes.size())
    return fail(nodeName(n) + " is on mesh " + std::to_string(node.mesh) +
                ", but " + "the graph" +
                has(graph.meshes.size(), "mesh", "es"));
  if (node.alias != -1 &&
      (!isNode(node.alias) || !graph.nodes[node.alias].operands.empty() ||
       graph.nodes[node.alias].results.size() != 1))
    return fail(nodeName(n) + " takes the placement of node " +
                std::to_string(node.alias) + ", which is no argument");
  return verifyTensors(n, /*isResult=*/false) &&
         verifyTensors(n, /*isResult=*/true) && verifyRule(n) &&
         verifyAnnotations(n);
}

std::optional<std::string> GraphVerifier::verify() {
  for (const Node &node : graph.nodes)
    isListed.emplace_back(node.operands.size());
  for (int v = 0, e = graph.values.size(); v < e; ++v)
    if (!verifyValue(v) || !verifyUses(v))
      return error;
  for (int n = 0, e = graph.nodes.size(); n < e; ++n)
    if (!verifyNode(n))
      return error;
  return std::nullopt;
}

std::optional<std::string> shardir::verifyGraph(const PropagationGraph &graph) {
  return GraphVerifier(graph).verify();
}
