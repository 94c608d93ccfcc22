//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a graph whose annotations verify. Guarantees answers that depend on
// rules, shapes and meshes alone, each computed once.
//
//===----------------------------------------------------------------------===//

#include "PropagationSpace.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace shardir;

static constexpr SplitsId kNone = -1;

double shardir::globalBytes(const PropagationGraph::Value &value) {
  double bytes = double(value.elementBytes);
  for (int64_t extent : value.shape)
    bytes *= double(extent == kUnknown ? kAssumedDimSize : extent);
  return bytes;
}

double shardir::localBytes(const PropagationGraph::Value &value,
                           const Placement &placement, const Mesh &mesh) {
  double bytes = double(value.elementBytes);
  for (size_t d = 0; d < value.shape.size() && d < placement.dims.size(); ++d)
    bytes *= double(maxLocalExtent(placement, mesh, value.shape[d], d));
  return bytes;
}

PropagationSpace::PropagationSpace(const PropagationGraph &graph)
    : graph(graph) {
  for (const Mesh &mesh : graph.meshes)
    tables.emplace_back(mesh);
  for (const Node &node : graph.nodes)
    isAnnotated.push_back(
        node.partial || llvm::any_of(node.annotated, [](const Splits &splits) {
          return !splits.empty();
        }));
  addPorts();
  classify();
  nameNodes();
}

void PropagationSpace::addPorts() {
  nodePorts.resize(graph.nodes.size());
  producers.resize(graph.values.size());
  valueUsers.resize(graph.values.size());
  for (auto [n, node] : llvm::enumerate(graph.nodes)) {
    if (node.alias >= 0) {
      // The argument uses in the result's place what is returned.
      for (int value : node.operands)
        if (value >= 0) {
          valueUsers[value].push_back(
              {node.alias, int(nodePorts[node.alias].size())});
          nodePorts[node.alias].push_back({value, false, 0, true});
        }
      continue;
    }
    for (auto [i, value] : llvm::enumerate(node.operands))
      if (value >= 0) {
        valueUsers[value].push_back({int(n), int(nodePorts[n].size())});
        nodePorts[n].push_back({value, false, int(i), false});
      }
    for (auto [i, value] : llvm::enumerate(node.results))
      if (value >= 0) {
        producers[value] = {int(n), int(nodePorts[n].size())};
        nodePorts[n].push_back({value, true, int(i), false});
      }
  }
  // A rematerializable value that an equal of the user would use (R5).
  for (auto [v, value] : llvm::enumerate(graph.values))
    for (auto [user, operand] : value.uses)
      if (graph.nodes[user].operands[operand] != int(v))
        for (auto [p, port] : llvm::enumerate(nodePorts[user]))
          if (!port.isResult && !port.isAlias && port.tensor == operand)
            valueUsers[v].push_back({user, int(p)});
}

void PropagationSpace::classify() {
  NumbersMap<int> ruleIds, typeIds;
  llvm::DenseMap<std::pair<const ShardingRule *, int>, int> known;
  classes.reserve(graph.nodes.size());
  types.reserve(graph.values.size());
  for (const Node &node : graph.nodes) {
    auto [shared, isOther] = known.try_emplace({&*node.rule, node.mesh});
    if (!isOther) {
      classes.push_back(shared->second);
      continue;
    }
    std::vector<int64_t> key = keyOf(node.rule);
    key.push_back(node.mesh);
    auto [it, isNew] = ruleIds.try_emplace(std::move(key), ruleIds.size());
    classes.push_back(shared->second = it->second);
    // Of the rule alone: the number of a mesh is its place in the file.
    if (isNew)
      ruleHashes.push_back(NumbersHash()(
          std::vector<int64_t>(it->first.begin(), it->first.end() - 1)));
  }
  for (const PropagationGraph::Value &value : graph.values) {
    std::vector<int64_t> key = value.shape;
    key.push_back(value.elementBytes);
    key.push_back(value.producer < 0 ? 0 : graph.nodes[value.producer].mesh);
    types.push_back(typeIds.try_emplace(key, typeIds.size()).first->second);
  }
}

/// Colour refinement over four rounds: nodes of equal names have equal
/// surroundings so far, in layers of a stack too.
void PropagationSpace::nameNodes() {
  for (auto [n, node] : llvm::enumerate(graph.nodes)) {
    // The function's name is not part of the hash.
    uint64_t own = mixHash(hashText(node.name.substr(0, node.name.find('@'))),
                           ruleHashes[classes[n]]);
    own = mixHash(own, 2 * node.passesForward + node.passesBackward);
    for (const Splits &splits : node.annotated) {
      own = mixHash(own, splits.size());
      for (const Split &split : splits)
        own = mixHash(own, split.isAxis() ? hashText(toString(*split.axis))
                                          : uint64_t(split.factor));
    }
    names.push_back(own);
  }
  for (int round = 0; round < 4; ++round) {
    std::vector<uint64_t> next(names);
    for (int n = 0, e = numNodes(); n < e; ++n)
      for (const Port &port : nodePorts[n]) {
        if (!port.isResult) {
          int from = producers[port.value].node;
          next[n] = mixHash(next[n], from < 0 ? 0 : names[from] + port.tensor);
          continue;
        }
        uint64_t users = 0;
        for (End user : valueUsers[port.value])
          users +=
              mixHash(names[user.node], nodePorts[user.node][user.port].tensor);
        next[n] = mixHash(next[n], users);
      }
    names = std::move(next);
  }
}

uint64_t PropagationSpace::structuralHash(int n) {
  if (!structuralHashes.empty())
    return structuralHashes[n];
  structuralHashes = names;
  // Forward and backward along the order of nodes, twice: a node then
  // also depends on neighbours that are on no path to it.
  for (int round = 0; round < 2; ++round) {
    for (int m = 0, e = numNodes(); m < e; ++m)
      for (const Port &port : nodePorts[m])
        if (!port.isResult && producers[port.value].node >= 0)
          structuralHashes[m] = mixHash(
              structuralHashes[m],
              structuralHashes[producers[port.value].node] + port.tensor);
    for (int m = numNodes() - 1; m >= 0; --m)
      for (const Port &port : nodePorts[m]) {
        if (!port.isResult)
          continue;
        uint64_t users = 0;
        for (End user : valueUsers[port.value])
          users += mixHash(structuralHashes[user.node],
                           nodePorts[user.node][user.port].tensor);
        structuralHashes[m] = mixHash(structuralHashes[m], users);
      }
  }
  return structuralHashes[n];
}

void PropagationSpace::forNeighbours(
    int n, llvm::function_ref<void(const Port &, End)> visit) const {
  // A barrier that lets axes through backward has the placement of its users;
  // others have that of their operand.
  auto shows = [&](const Port &port, const Node &from, const Node &to) {
    return port.isResult ? (from.passesForward || from.passesBackward) &&
                               (to.passesForward || !to.passesBackward)
                         : from.passesBackward && to.passesBackward;
  };
  auto visitEnd = [&](const Port &port, End end) {
    if (end.node >= 0 && node(end.node).mesh == node(n).mesh &&
        shows(port, node(n), node(end.node)))
      visit(port, end);
  };
  for (const Port &port : nodePorts[n]) {
    if (port.isResult) {
      for (End user : valueUsers[port.value])
        visitEnd(port, user);
    } else {
      visitEnd(port, producers[port.value]);
    }
  }
}

SplitsId PropagationSpace::composeDim(SplitsTable &table,
                                      llvm::ArrayRef<SplitsId> ids,
                                      llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> key(sizes.begin(), sizes.end());
  key.insert(key.end(), ids.begin(), ids.end());
  key.push_back(&table - &tables.front());
  auto [it, isNew] = composedDims.try_emplace(key, kNone);
  if (!isNew)
    return it->second;
  uint64_t used = 0;
  llvm::SmallVector<Splits> splits;
  int64_t extent = 1;
  for (auto [id, size] : llvm::zip(ids, sizes)) {
    if (used & table.blocks(id))
      return kNone;
    used |= table.uses(id);
    splits.push_back(table.splits(id));
    extent = extent == kUnknown || size == kUnknown ? kUnknown : extent * size;
  }
  if (auto composed = shardir::composeDim(splits, sizes, table.mesh))
    it->second = table.normal(table.get(*composed), extent);
  return it->second;
}

/// Axes of a dim that no splits of its factors give exactly, up to the first
/// that is behind an integer, on factors all the same: each factor in turn is
/// filled, and the last one is cut unevenly. The blocks are others, so a little
/// is received; gathering the dim receives more. Where that does not work out
/// either, the axes that fit in front of it.
static std::vector<Splits> projectNearly(const Splits &splits,
                                         llvm::ArrayRef<int64_t> sizes,
                                         const Mesh &mesh) {
  if (llvm::is_contained(sizes, kUnknown))
    return {};
  std::vector<Splits> result(sizes.size());
  size_t factor = 0;
  int64_t rest = sizes[0];
  for (const Split &split : splits) {
    if (!split.isAxis())
      return result;
    AxisRef axis = *split.axis;
    int64_t size = axisSize(mesh, axis), placed = 1;
    while (placed < size) {
      int64_t left = size / placed;
      bool isLast = factor + 1 == sizes.size();
      if (rest == 1 && !isLast) {
        rest = sizes[++factor];
        continue;
      }
      bool fits = rest % left == 0 || (isLast && left <= rest);
      int64_t own = fits ? left : std::gcd(left, rest);
      if (own <= 1)
        return result;
      AxisRef part =
          own == size ? axis : AxisRef{axis.name, axis.preSize * placed, own};
      result[factor].push_back(Split::byAxis(part));
      placed *= own;
      if (own != left && own != rest)
        return result;
      // Behind an uneven cut there is no other.
      rest = rest % own == 0 ? rest / own : 1;
    }
  }
  return result;
}

llvm::ArrayRef<SplitsId>
PropagationSpace::projectDim(SplitsTable &table, SplitsId id,
                             llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> key(sizes.begin(), sizes.end());
  key.push_back(id);
  key.push_back(&table - &tables.front());
  auto [it, isNew] = projectedDims.try_emplace(key);
  if (isNew) {
    std::optional<std::vector<Splits>> projected =
        shardir::projectDim(table.splits(id), sizes, table.mesh);
    for (const Splits &splits :
         projected ? *projected
                   : projectNearly(table.splits(id), sizes, table.mesh))
      it->second.push_back(table.get(splits));
  }
  return it->second;
}

void PropagationSpace::show(
    int from, const Port &theirs, int to, const Port &mine,
    llvm::function_ref<llvm::ArrayRef<SplitsId>(int)> lists,
    llvm::function_ref<void(int, SplitsId)> found) {
  SplitsTable &own = table(to);
  const TensorFactors &source = factorsOf(from, theirs);
  const TensorFactors &target = factorsOf(to, mine);
  const ShardingRule &sourceRule = rule(from), &targetRule = rule(to);
  if (source.dims.size() != target.dims.size())
    return;
  for (size_t d = 0; d < source.dims.size(); ++d) {
    const DimFactors &theirDim = source.dims[d], &myDim = target.dims[d];
    if (theirDim.empty() || myDim.empty())
      continue;
    auto deliver = [&](SplitsId id) {
      if (id <= 0)
        return;
      if (myDim.size() == 1)
        return found(myDim[0], id);
      llvm::SmallVector<int64_t> sizes;
      for (int f : myDim)
        sizes.push_back(targetRule.factors[f].size);
      llvm::ArrayRef<SplitsId> projected = projectDim(own, id, sizes);
      for (size_t i = 0; i < projected.size(); ++i)
        if (projected[i] > 0)
          found(myDim[i], projected[i]);
    };
    if (theirDim.size() == 1) {
      int64_t extent = sourceRule.factors[theirDim[0]].size;
      // A copy: where a node is its own neighbour, `found` changes them.
      for (SplitsId id : llvm::SmallVector<SplitsId>(lists(theirDim[0])))
        deliver(own.normal(id, extent));
      continue;
    }
    // All ways to have one entry of each factor's list, or what it begins with;
    // less of one only where more of it does not go with the others.
    llvm::SmallVector<int64_t> sizes;
    llvm::SmallVector<llvm::SmallVector<SplitsId>> choices;
    for (int g : theirDim) {
      sizes.push_back(sourceRule.factors[g].size);
      auto &parts = choices.emplace_back();
      for (SplitsId id : lists(g))
        for (SplitsId part : own.parts(id, sizes.back()))
          if (!llvm::is_contained(parts, part))
            parts.push_back(part);
      parts.push_back(0);
    }
    std::vector<std::pair<llvm::SmallVector<SplitsId>, SplitsId>> ways;
    llvm::SmallVector<size_t> at(choices.size(), 0);
    for (int tries = 0; tries < 256; ++tries) {
      llvm::SmallVector<SplitsId> ids;
      for (size_t i = 0; i < choices.size(); ++i)
        ids.push_back(choices[i][at[i]]);
      SplitsId composed = composeDim(own, ids, sizes);
      if (composed > 0)
        ways.push_back({std::move(ids), composed});
      size_t i = 0;
      while (i < at.size() && ++at[i] == choices[i].size())
        at[i++] = 0;
      if (i == at.size())
        break;
    }
    auto isPart = [&](llvm::ArrayRef<SplitsId> part,
                      llvm::ArrayRef<SplitsId> all) {
      return part != all && llvm::all_of(llvm::zip(part, all), [&](auto pair) {
               return own.isPrefix(std::get<0>(pair), std::get<1>(pair));
             });
    };
    for (const auto &way : ways)
      if (llvm::none_of(ways, [&](const auto &other) {
            return isPart(way.first, other.first);
          }))
        deliver(way.second);
  }
}

std::optional<PlacementId>
PropagationSpace::compose(int n, const TensorFactors &factors, int tensorKey,
                          llvm::ArrayRef<SplitsId> splits) {
  std::vector<int64_t> key = {classes[n], tensorKey};
  for (const DimFactors &dim : factors.dims)
    for (int f : dim)
      key.push_back(splits[f]);
  auto [it, isNew] = composedTensors.try_emplace(key, kNone);
  if (isNew) {
    SplitsTable &own = table(n);
    FactorSplits values(splits.size());
    for (const DimFactors &dim : factors.dims)
      for (int f : dim)
        values[f] = own.splits(splits[f]);
    if (auto placement = composeTensor(rule(n), factors, values, own.mesh))
      it->second = own.getPlacement(*placement);
  }
  if (it->second == kNone)
    return std::nullopt;
  return it->second;
}

bool PropagationSpace::composes(int n, llvm::ArrayRef<SplitsId> splits) {
  std::vector<int64_t> key = {classes[n]};
  key.insert(key.end(), splits.begin(), splits.end());
  auto [it, isNew] = composedNodes.try_emplace(std::move(key), true);
  if (!isNew)
    return it->second;
  auto all = [&](llvm::ArrayRef<TensorFactors> tensors, auto keyOf) {
    for (auto [i, factors] : llvm::enumerate(tensors))
      if (!compose(n, factors, keyOf(int(i)), splits))
        return false;
    return true;
  };
  return it->second = all(rule(n).operands, [](int i) { return i; }) &&
                      all(rule(n).results, [](int i) { return -1 - i; });
}
