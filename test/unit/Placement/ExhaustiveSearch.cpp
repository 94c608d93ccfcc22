//===- ExhaustiveSearch.cpp - The least bytes of a plan ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a mesh and dims small enough for all placements to be listed.
// Guarantees the least over all plans of the steps in ExhaustiveSearch.h: no
// state and no edge is left out, and only sums that another sum is at or below
// on every device are dropped.
//
//===----------------------------------------------------------------------===//

#include "ExhaustiveSearch.h"

using namespace shardir;
using namespace shardir::test;

ExhaustiveSearch::ExhaustiveSearch(const Mesh &mesh, const Shape &shape,
                                   const std::vector<AxisRef> &axes,
                                   bool strided)
    : mesh(mesh), shape(shape), options(shape.size()), shared(shape.size()),
      devices(static_cast<size_t>(mesh.numDevices())) {
  Placement all = Placement::replicatedOfRank(axes.size());
  for (size_t i = 0; i < axes.size(); ++i)
    all.dims[i].splits.push_back(Split::byAxis(axes[i]));
  atoms = commonRefinement(all, all, mesh);

  for (size_t d = 0; d < shape.size(); ++d) {
    // All sequences of splits that verify, with no two integers in a row.
    std::vector<DimPlacement> open = {DimPlacement()};
    while (!open.empty()) {
      DimPlacement dim = open.back();
      open.pop_back();
      Placement alone = Placement::replicatedOfRank(1);
      alone.dims[0] = dim;
      bool valid = !verifyPlacement(alone, mesh, {shape[d]});
      if (valid)
        optionOf(d, dim);
      int64_t product = 1;
      uint32_t used = 0;
      for (const Split &split : dim.splits) {
        product *= split.isAxis() ? axisSize(mesh, *split.axis) : split.factor;
        used |= split.isAxis() ? atomsOf(*split.axis) : 0;
      }
      bool afterAxis = dim.splits.empty() || dim.splits.back().isAxis();
      for (int64_t f = 2; strided && afterAxis && f * product <= shape[d]; ++f)
        if (shape[d] % (f * product) == 0) {
          open.push_back(dim);
          open.back().splits.push_back(Split::byFactor(f));
        }
      for (const AxisRef &axis : axes)
        if ((used & atomsOf(axis)) == 0) {
          open.push_back(dim);
          open.back().splits.push_back(Split::byAxis(axis));
        }
    }
  }
  std::vector<int> chosen(shape.size(), 0);
  while (true) {
    uint32_t used = 0;
    bool disjoint = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      uint32_t more = options[d][chosen[d]].atoms;
      disjoint &= (used & more) == 0;
      used |= more;
    }
    if (disjoint)
      addNode(chosen);
    size_t d = 0;
    for (; d < shape.size(); ++d) {
      if (++chosen[d] < static_cast<int>(options[d].size()))
        break;
      chosen[d] = 0;
    }
    if (d == shape.size())
      break;
  }

  for (size_t d = 0; d < shape.size(); ++d) {
    size_t n = options[d].size();
    shared[d].resize(n * n * devices);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t p = 0; p < devices; ++p)
          shared[d][(i * n + j) * devices + p] = __builtin_popcountll(
              options[d][i].held[p] & options[d][j].held[p]);
  }
}

uint32_t ExhaustiveSearch::atomsOf(const AxisRef &axis) const {
  uint32_t mask = 0;
  for (const AxisRef &part : refine(axis, mesh, atoms))
    for (size_t i = 0; i < atoms.size(); ++i)
      if (atoms[i] == part)
        mask |= uint32_t{1} << i;
  EXPECT_NE(mask, 0u) << toString(axis);
  return mask;
}

int64_t ExhaustiveSearch::sizeOf(uint32_t mask) const {
  int64_t size = 1;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (mask >> i & 1)
      size *= axisSize(mesh, atoms[i]);
  return size;
}

int ExhaustiveSearch::optionOf(size_t d, const DimPlacement &dim) {
  DimOption option;
  Placement alone = Placement::replicatedOfRank(1);
  alone.dims[0] = dim;
  for (size_t p = 0; p < devices; ++p) {
    DimShard shard = shardOf(alone, mesh, {shape[d]}, p)[0];
    uint64_t held = 0;
    for (int64_t i = 0; i < shape[d]; ++i)
      held |= shard.toLocal(i) >= 0 ? uint64_t{1} << i : 0;
    option.held.push_back(held);
  }
  for (const Split &split : dim.splits)
    if (split.isAxis())
      option.atoms |= atomsOf(*split.axis);
  // Equal sets by equal axes are one placement.
  for (size_t i = 0; i < options[d].size(); ++i)
    if (options[d][i].held == option.held &&
        options[d][i].atoms == option.atoms)
      return static_cast<int>(i);
  EXPECT_TRUE(shared[d].empty()) << "not listed: " << dim.splits.size();
  options[d].push_back(option);
  return static_cast<int>(options[d].size() - 1);
}

int ExhaustiveSearch::addNode(const std::vector<int> &chosen) {
  Node node;
  node.options = chosen;
  for (size_t p = 0; p < devices; ++p) {
    int32_t count = 1;
    for (size_t d = 0; d < shape.size(); ++d)
      count *= __builtin_popcountll(options[d][chosen[d]].held[p]);
    node.count.push_back(count);
    node.most = std::max(node.most, count);
  }
  for (size_t d = 0; d < shape.size(); ++d)
    node.atoms |= options[d][chosen[d]].atoms;
  nodes.push_back(node);
  return nodeIndex[chosen] = static_cast<int>(nodes.size() - 1);
}

int ExhaustiveSearch::nodeOf(const Placement &placement) {
  std::vector<int> chosen;
  for (size_t d = 0; d < shape.size(); ++d)
    chosen.push_back(optionOf(d, placement.dims[d]));
  return nodeIndex.at(chosen);
}

bool ExhaustiveSearch::within(int inner, int outer) const {
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::vector<uint64_t> &a = options[d][nodes[inner].options[d]].held;
    const std::vector<uint64_t> &b = options[d][nodes[outer].options[d]].held;
    for (size_t p = 0; p < devices; ++p)
      if ((a[p] & ~b[p]) != 0 && nodes[inner].count[p] != 0)
        return false;
  }
  return true;
}

/// Adds what each device receives in a move.
void ExhaustiveSearch::received(int from, int to, Counts &counts) const {
  const Node &a = nodes[from], &b = nodes[to];
  Counts both(devices, 1);
  for (size_t d = 0; d < shape.size(); ++d) {
    const int32_t *row =
        &shared[d][(static_cast<size_t>(a.options[d]) * options[d].size() +
                    b.options[d]) *
                   devices];
    for (size_t p = 0; p < devices; ++p)
      both[p] *= row[p];
  }
  for (size_t p = 0; p < devices; ++p)
    counts[p] += b.count[p] - both[p];
}

/// Adds `label` unless another is at or below it everywhere; drops those that
/// it is at or below.
static bool addLabel(std::vector<std::vector<int32_t>> &labels,
                     const std::vector<int32_t> &label) {
  auto below = [](const std::vector<int32_t> &a,
                  const std::vector<int32_t> &b) {
    for (size_t p = 0; p < a.size(); ++p)
      if (a[p] > b[p])
        return false;
    return true;
  };
  for (const std::vector<int32_t> &other : labels)
    if (below(other, label))
      return false;
  labels.erase(std::remove_if(labels.begin(), labels.end(),
                              [&](const std::vector<int32_t> &other) {
                                return below(label, other);
                              }),
               labels.end());
  labels.push_back(label);
  return true;
}

/// True if a make_partial over `made` leads from one node to another: on each
/// device, those that differ from it along `made` hold all that it shall hold.
bool ExhaustiveSearch::makesPartial(int from, int to, uint32_t made) {
  std::vector<std::vector<char>> &covers = covering[made];
  for (size_t d = covers.size(); d < shape.size(); ++d) {
    std::vector<char> &table = covers.emplace_back();
    for (const DimOption &a : options[d]) {
      std::vector<uint64_t> together(devices, 0);
      for (size_t p = 0; p < devices; ++p)
        for (size_t q = 0; q < devices; ++q)
          if (groupOf(q, made) == groupOf(p, made))
            together[p] |= a.held[q];
      for (const DimOption &b : options[d]) {
        bool all = true;
        for (size_t p = 0; p < devices; ++p)
          all &= (b.held[p] & ~together[p]) == 0;
        table.push_back(all);
      }
    }
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (!covers[d][static_cast<size_t>(nodes[from].options[d]) *
                       options[d].size() +
                   nodes[to].options[d]])
      return false;
  return true;
}

/// A number for what a device has in common with others along all axes but
/// `varied`.
size_t ExhaustiveSearch::groupOf(size_t device, uint32_t varied) const {
  std::vector<int64_t> coords = mesh.coordinates(static_cast<int64_t>(device));
  int64_t group = 0;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (!(varied >> i & 1))
      group = group * axisSize(mesh, atoms[i]) +
              axisCoordinate(mesh, atoms[i], coords);
  return static_cast<size_t>(group);
}

/// The sums with which each node is reached right after a reduction, a
/// make_partial or the start, by the sums pending there. `all`: the axes that
/// may be made partial.
std::map<uint32_t, ExhaustiveSearch::Labels>
ExhaustiveSearch::search(int src, uint32_t pending, uint32_t all,
                         int32_t bound) {
  // States found and not yet expanded; and those behind a move.
  std::map<uint32_t, Labels> reached, fresh, behindMoves;
  std::set<uint32_t> open;
  auto reach = [&](uint32_t mask, size_t to, const Counts &sum) {
    for (std::map<uint32_t, Labels> *labels : {&reached, &fresh})
      (*labels)[mask].resize(nodes.size());
    if (!addLabel(reached[mask][to], sum))
      return;
    addLabel(fresh[mask][to], sum);
    open.insert(mask);
  };
  reach(pending, static_cast<size_t>(src), Counts(devices, 0));
  while (!open.empty()) {
    // Larger masks first: most steps only take away.
    uint32_t still = *open.rbegin();
    open.erase(still);
    // One move, or none.
    Labels found(nodes.size()), moved(nodes.size());
    found.swap(fresh[still]);
    Labels &known = behindMoves[still];
    known.resize(nodes.size());
    auto move = [&](size_t to, const Counts &sum) {
      if (addLabel(known[to], sum))
        addLabel(moved[to], sum);
    };
    for (size_t node = 0; node < nodes.size(); ++node)
      for (const Counts &label : found[node])
        move(node, label);
    for (size_t to = 0; to < nodes.size(); ++to) {
      if ((nodes[to].atoms & still) != 0 || nodes[to].most > bound)
        continue;
      for (size_t from = 0; from < nodes.size(); ++from)
        for (const Counts &label : found[from])
          if (from != to) {
            Counts sum = label;
            received(from, to, sum);
            move(to, sum);
          }
    }
    for (uint32_t part = still; part != 0; part = (part - 1) & still) {
      int32_t n = static_cast<int32_t>(sizeOf(part));
      for (size_t from = 0; from < nodes.size(); ++from) {
        if (moved[from].empty())
          continue;
        for (size_t to = 0; to < nodes.size(); ++to) {
          if ((nodes[to].atoms & still & ~part) != 0 ||
              nodes[to].most > bound || !within(to, from))
            continue;
          for (const Counts &label : moved[from]) {
            Counts sum = label;
            for (size_t p = 0; p < devices; ++p)
              sum[p] += (n - 1) * nodes[to].count[p];
            reach(still & ~part, to, sum);
            if (from != to)
              continue;
            sum = label;
            for (size_t p = 0; p < devices; ++p)
              sum[p] += 2 * (n - 1) * ((nodes[to].count[p] + n - 1) / n);
            reach(still & ~part, to, sum);
          }
        }
      }
    }
    uint32_t rest = all & ~still;
    for (uint32_t made = rest; made != 0; made = (made - 1) & rest)
      for (size_t from = 0; from < nodes.size(); ++from) {
        if (moved[from].empty())
          continue;
        for (size_t to = 0; to < nodes.size(); ++to)
          if ((nodes[to].atoms & (still | made)) == 0 &&
              nodes[to].most <= bound && makesPartial(from, to, made))
            for (const Counts &label : moved[from])
              reach(still | made, to, label);
      }
  }
  return reached;
}

std::vector<int64_t>
ExhaustiveSearch::leastElements(const Placement &src,
                                const std::vector<Placement> &dsts) {
  auto pendingOf = [&](const Placement &placement) {
    uint32_t pending = 0;
    for (const AxisRef &axis : placement.partialAxes)
      pending |= atomsOf(axis);
    return pending;
  };
  int from = nodeOf(src);
  uint32_t pending = pendingOf(src);
  // By what may be made partial, and held.
  std::map<std::pair<uint32_t, int32_t>, std::map<uint32_t, Labels>> searches;
  std::vector<int64_t> least;
  for (const Placement &dst : dsts) {
    uint32_t wanted = pendingOf(dst);
    int to = nodeOf(dst);
    int32_t bound = std::max(nodes[from].most, nodes[to].most);
    auto [entry, isNew] = searches.try_emplace({wanted, bound});
    if (isNew)
      entry->second = search(from, pending, wanted, bound);
    int64_t best = INT64_MAX;
    const Labels &labels = entry->second.at(wanted);
    for (size_t node = 0; node < nodes.size(); ++node)
      for (const Counts &label : labels[node]) {
        Counts sum = label;
        received(static_cast<int>(node), to, sum);
        best =
            std::min<int64_t>(best, *std::max_element(sum.begin(), sum.end()));
      }
    least.push_back(best);
  }
  return least;
}
