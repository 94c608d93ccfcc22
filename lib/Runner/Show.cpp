//===- Show.cpp - What each rank holds of a tensor ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dim's part is a list of ranges: one, unless the placement keeps a factor on
// the device, which makes a shard of several blocks.
//
//===----------------------------------------------------------------------===//

#include "Show.h"

#include "ShardIR/Runner/Failure.h"

#include <algorithm>

using namespace shardir;
using namespace shardir::runner;

/// The tensor called `name`: whether it is a result, and its number.
static std::pair<bool, size_t> find(const Program &program,
                                    const std::string &name) {
  std::string known;
  for (bool isResult : {false, true})
    for (size_t i = 0;
         i != (isResult ? program.results : program.arguments).size(); ++i) {
      std::string own = (isResult ? "result" : "arg") + std::to_string(i);
      if (own == name)
        return {isResult, i};
      known += (known.empty() ? "" : ", ") + own;
    }
  failUsage("--show=" + name + ": function '" + program.functionName() +
            "' has no such argument or result; it has: " + known);
}

/// The mesh: a line per index of all axes but the last.
static std::string describeMesh(const Mesh &mesh) {
  std::string text = "mesh ";
  for (size_t a = 0; a != mesh.axes.size(); ++a)
    text += (a ? " x " : "") + mesh.axes[a].name + "=" +
            std::to_string(mesh.axes[a].size);
  text += "\n";
  const MeshAxis &last = mesh.axes.back();
  size_t outer = mesh.axes.size() - 1;
  size_t width = std::to_string(mesh.numRanks() - 1).size() + 2;
  for (int64_t row = 0; row < mesh.numDevices() / last.size; ++row) {
    std::string place;
    std::vector<int64_t> coords = mesh.coordinates(row * last.size);
    for (size_t a = 0; a != outer; ++a)
      place +=
          (a ? " " : "") + mesh.axes[a].name + "=" + std::to_string(coords[a]);
    place.resize(std::max(place.size(), 8 * outer), ' ');
    text += "  " + place;
    for (int64_t column = 0; column < last.size; ++column) {
      std::string rank = std::to_string(mesh.rankAt(row * last.size + column));
      text += std::string(width - rank.size(), ' ') + rank;
    }
    text += row == 0 ? "   (" + last.name + " ->)\n" : "\n";
  }
  return text;
}

/// The indices that a shard holds of a dim: `0..2`, or `0..1 and 8..9`.
static std::string describeRanges(const DimShard &shard) {
  constexpr size_t kMaxRanges = 8;
  std::string text;
  size_t count = 0;
  for (int64_t local = 0, end = shard.localExtent(); local < end; ++count) {
    int64_t first = shard.toGlobal(local), last = first;
    while (++local < end && shard.toGlobal(local) == last + 1)
      ++last;
    if (count == kMaxRanges)
      return text + " and more";
    text += (count ? " and " : "") + std::to_string(first);
    if (last != first)
      text += ".." + std::to_string(last);
  }
  return text;
}

static std::string describeShard(const std::vector<DimShard> &shard) {
  std::string text;
  for (size_t d = 0; d != shard.size(); ++d) {
    if (shard[d].localExtent() == 0)
      return "nothing";
    std::string dim = shard.size() == 2 ? (d ? "columns" : "rows")
                                        : "dim " + std::to_string(d);
    text += (d ? ", " : "") + dim + " " + describeRanges(shard[d]);
  }
  return shard.empty() ? "all" : text;
}

std::string runner::describeShards(const Program &program,
                                   const std::string &name,
                                   const std::vector<Shape> &shapes) {
  auto [isResult, i] = find(program, name);
  const Tensor &tensor = (isResult ? program.results : program.arguments)[i];
  Shape shape = isResult ? tensor.shape : shapes[i];
  for (size_t d = 0; isResult && d != shape.size(); ++d)
    if (shape[d] < 0 && d < tensor.extents.size())
      shape[d] = Program::evaluate(tensor.extents[d], shapes).value_or(-1);
  if (!countElements(shape))
    failUsage("--show=" + name + ": it is " + tensor.typeString() +
              ", whose extents the arguments must tell; give --input");
  auto [placement, mesh] = program.placement(isResult, i);
  std::string text = name + ": tensor<" + tensor.typeString() + ">";
  // No mesh: the same on every rank.
  if (!mesh) {
    text += "\n";
    mesh = Mesh{"", {{"", program.numRanks(), {}}}, {}};
  } else {
    text += "  " + toString(mesh->name, placement) + "\n" + describeMesh(*mesh);
  }
  std::vector<std::pair<int64_t, std::string>> lines;
  for (int64_t p = 0; p != mesh->numDevices(); ++p)
    lines.push_back(
        {mesh->rankAt(p), describeShard(shardOf(placement, *mesh, shape, p))});
  std::sort(lines.begin(), lines.end());
  for (const auto &[rank, part] : lines)
    text += "  rank " + std::to_string(rank) + ": " + part + "\n";
  return text;
}
