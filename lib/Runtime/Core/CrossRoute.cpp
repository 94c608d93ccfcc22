//===- CrossRoute.cpp - Routes between two meshes -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives who sends what to whom where a tensor leaves one mesh for another.
// Requires a collective of checked metadata without partials; guarantees that
// all ranks agree on the groups, which hold those whom some piece connects: a
// rank that neither sends nor receives is alone in its group and waits for
// nobody.
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "Metadata.h"
#include "ShardIR/Placement/CrossMesh.h"

#include <algorithm>
#include <numeric>

namespace shardir {
namespace runtime {
namespace {

int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Gives every part its group: the parts that pieces connect, by rank.
void formGroups(Route &route, const std::vector<int64_t> &ranks,
                const std::vector<std::pair<size_t, size_t>> &edges) {
  std::vector<size_t> parent(ranks.size());
  std::iota(parent.begin(), parent.end(), size_t(0));
  auto find = [&](size_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  for (auto [a, b] : edges) {
    a = find(a), b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::map<size_t, size_t> groupOfRoot;
  for (size_t i = 0; i < ranks.size(); ++i) {
    auto [it, isNew] = groupOfRoot.emplace(find(i), route.groups.size());
    if (isNew)
      route.groups.emplace_back();
    std::vector<int> &group = route.groups[it->second];
    route.parts[i].group = it->second;
    route.parts[i].place = group.size();
    group.push_back(int(ranks[i]));
  }
}

} // namespace

std::unique_ptr<Route> buildCrossRoute(const CollectiveSpec &spec,
                                       const Mesh &from, const Mesh &to,
                                       std::vector<int64_t> shape,
                                       int64_t numRanks) {
  const CollectiveStep &step = spec.step;
  auto route = std::make_unique<Route>();
  route->shape = shape;
  route->elements = product(shape);
  // A rank that the result's mesh lacks has a buffer like its first device.
  route->zeros = product(localShape(step.to, step.halo, to, shape, 0));
  std::vector<int64_t> ranks = ranksOfEither(from, to);
  route->parts.resize(ranks.size());
  route->positionOfRank.assign(size_t(numRanks), -1);
  for (size_t i = 0; i < ranks.size(); ++i)
    route->positionOfRank[size_t(ranks[i])] = int64_t(i);

  std::vector<std::vector<Piece>> pieces(ranks.size());
  std::vector<std::pair<size_t, size_t>> edges;
  auto partOf = [&](const Piece &piece) {
    return size_t(route->positionOfRank[size_t(from.rankAt(piece.source))]);
  };
  for (size_t i = 0; i < ranks.size(); ++i) {
    RoutePart &part = route->parts[i];
    if (int64_t p = from.positionOf(ranks[i]); p >= 0)
      part.operandCount = product(localShape(step.from, from, shape, p));
    int64_t p = to.positionOf(ranks[i]);
    if (p < 0) {
      part.zeros = route->zeros;
      continue;
    }
    part.resultCount = product(localShape(step.to, step.halo, to, shape, p));
    part.bytes = bytesReceived(step, from, to, shape,
                               int64_t(elementSize(spec.type)), p);
    pieces[i] = receivePieces(step, from, to, shape, p);
    for (const Piece &piece : pieces[i])
      edges.push_back({i, partOf(piece)});
  }
  formGroups(*route, ranks, edges);

  for (size_t i = 0; i < ranks.size(); ++i) {
    int64_t p = to.positionOf(ranks[i]);
    if (p < 0)
      continue;
    std::vector<int64_t> result = localShape(step.to, step.halo, to, shape, p);
    for (const Piece &piece : pieces[i])
      route->parts[i].transfers.push_back(
          {{uint32_t(route->parts[partOf(piece)].place)},
           CopyPlan(piece.runs,
                    localShape(step.from, from, shape, piece.source), result)});
  }
  return route;
}

} // namespace runtime
} // namespace shardir
