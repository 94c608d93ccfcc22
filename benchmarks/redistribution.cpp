//===- redistribution.cpp - What every change of placement costs ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every placement of a matrix by whole axes to every other: planned, run on as
// many ranks as the mesh has devices, every element checked. Writes one JSON
// object with the figures of each pair, which redistribution.py sets beside
// other systems'. Requires sizes that the mesh divides; guarantees status 1,
// with the pair on standard error, where anything is wrong.
//
// usage: bench-redistribution [AXIS,AXIS,… ROWS,COLUMNS]
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace shardir;
using namespace shardir::test;
using Json = nlohmann::json;

static std::vector<int64_t> parseList(const char *text) {
  std::vector<int64_t> list;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');)
    list.push_back(std::atoll(item.c_str()));
  return list;
}

/// Each axis on a dim or on none, the axes of a dim in every order.
static std::vector<Placement> allPlacements(const Mesh &mesh) {
  std::vector<Placement> result;
  std::vector<std::pair<Placement, size_t>> open = {
      {Placement::replicatedOfRank(2), 0}};
  while (!open.empty()) {
    auto [placement, firstDim] = open.back();
    open.pop_back();
    result.push_back(placement);
    for (size_t d = firstDim; d < 2; ++d)
      for (const MeshAxis &axis : mesh.axes) {
        Placement next = placement;
        next.dims[d].splits.push_back(Split::byAxis(axis.name));
        if (!verifyPlacement(next, mesh, {kUnknown, kUnknown}))
          open.push_back({next, d});
      }
  }
  return result;
}

int main(int argc, char **argv) {
  std::vector<int64_t> sizes = parseList(argc == 3 ? argv[1] : "2,2,2");
  std::vector<int64_t> shape = parseList(argc == 3 ? argv[2] : "256,256");
  bool good = shape.size() == 2 && !sizes.empty() && sizes.size() <= 8;
  for (const std::vector<int64_t> *list : {&sizes, &shape})
    for (int64_t size : *list)
      good &= size >= 1 && size <= 4096;
  if (!good || (argc != 1 && argc != 3)) {
    std::cerr << "usage: bench-redistribution [AXIS,AXIS,… ROWS,COLUMNS]\n";
    return 2;
  }
  Mesh mesh;
  mesh.name = "m";
  for (size_t i = 0; i < sizes.size(); ++i) {
    MeshAxis axis;
    axis.name = std::string(1, static_cast<char>('a' + i));
    axis.size = sizes[i];
    mesh.axes.push_back(axis);
  }

  std::vector<Pair> pairs;
  std::vector<Placement> placements = allPlacements(mesh);
  for (const Placement &src : placements)
    for (const Placement &dst : placements)
      pairs.push_back({src, dst, shape, SHARDIR_F32});
  double planning = 0;
  auto plan = [&](const Pair &pair) {
    auto start = std::chrono::steady_clock::now();
    auto result = planRedistribute(pair.src, pair.dst, mesh, pair.shape);
    planning += std::chrono::duration<double, std::milli>(
                    std::chrono::steady_clock::now() - start)
                    .count();
    return result;
  };
  std::vector<Outcome> outcomes = runPairs(mesh, pairs, plan);

  Json rows = Json::array();
  size_t wrong = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Outcome &o = outcomes[i];
    if (!o.wrong.empty() && ++wrong <= 10)
      std::cerr << describe(mesh, pairs[i]) << ": " << o.wrong << "\n";
    Json kinds = Json::array();
    for (const CollectiveStep &step : o.plan.steps)
      kinds.push_back(stringifyCollectiveKind(step.kind));
    rows.push_back(
        {{"from", toString(pairs[i].src)},
         {"to", toString(pairs[i].dst)},
         {"bytes", o.received},
         {"least_bytes", o.least},
         {"temporary_bytes", o.plan.steps.empty()
                                 ? 0
                                 : o.peak - o.sourceBytes - o.destinationBytes},
         {"larger_bytes", std::max(o.sourceBytes, o.destinationBytes)},
         {"intermediate_bytes", o.intermediateBytes},
         {"kinds", kinds}});
  }
  std::cout << Json({{"mesh", sizes},
                     {"shape", shape},
                     {"wrong", wrong},
                     {"planning_ms_per_pair",
                      planning / static_cast<double>(pairs.size())},
                     {"pairs", rows}})
                   .dump()
            << "\n";
  return wrong ? 1 : 0;
}
