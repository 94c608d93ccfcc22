//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each rank, or those of a large mesh that can differ, and takes the most.
// See BufferPeak.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "RankRun.h"

#include <map>
#include <set>

using namespace mlir;
using namespace shardir;

namespace {

/// Runs of the devices of one mesh. Extents of shards are constant over ranges
/// of coordinates (full, short and empty blocks), so that most devices allocate
/// what their neighbours do.
class DeviceRuns {
public:
  DeviceRuns(func::FuncOp entry, const MeshTable &meshes, const Mesh &mesh,
             OpMemory *use)
      : entry(entry), meshes(meshes), mesh(mesh), use(use) {
    for (const MeshAxis &axis : mesh.axes)
      values.push_back({0, std::min<int64_t>(1, axis.size - 1), axis.size / 2,
                        std::max<int64_t>(0, axis.size - 2), axis.size - 1});
  }

  /// Adds coordinates between two that allocate differently, until these are
  /// neighbours, or the first device allocates most at each point. False where
  /// most devices differ or an extent is not known.
  bool refine() {
    for (bool isNew = true; isNew;) {
      isNew = false;
      if (size() > mesh.numDevices() / 2)
        return false;
      std::vector<int64_t> grid = positions();
      for (int64_t position : grid)
        if (!add(position))
          return false;
      if (isFirstLargest())
        return true;
      int64_t stride = 1;
      for (size_t i = mesh.axes.size(); i-- > 0; stride *= mesh.axes[i].size) {
        std::set<int64_t> between;
        for (int64_t position : grid) {
          int64_t at = position / stride % mesh.axes[i].size;
          auto next = values[i].upper_bound(at);
          if (next == values[i].end() || *next == at + 1)
            continue;
          int64_t other = position + (*next - at) * stride;
          if (runs.at(position).first != runs.at(other).first)
            between.insert((at + *next) / 2);
        }
        isNew |= !between.empty();
        values[i].merge(between);
        if (isNew)
          break; // the grid is another one
      }
    }
    return true;
  }

  /// A rank that needs most.
  int64_t mostRank() const {
    auto isLess = [](const auto &a, const auto &b) {
      return a.second.second < b.second.second;
    };
    return mesh.rankAt(
        std::max_element(runs.begin(), runs.end(), isLess)->first);
  }

private:
  /// True if no run so far has more at any point than that of the first device,
  /// which has the first block of every cut, the longest. Others have more by a
  /// halo alone, and so has the second.
  bool isFirstLargest() const {
    const std::vector<int64_t> &first = runs.begin()->second.first;
    return llvm::all_of(llvm::make_second_range(runs), [&](const auto &run) {
      const std::vector<int64_t> &own = run.first;
      return own.size() == first.size() &&
             llvm::all_of(llvm::zip_equal(own, first), [](auto bytes) {
               return std::get<0>(bytes) <= std::get<1>(bytes);
             });
    });
  }

  int64_t size() const {
    int64_t count = 1;
    for (const std::set<int64_t> &own : values)
      count *= own.size();
    return count;
  }

  std::vector<int64_t> positions() const {
    std::vector<int64_t> result = {0};
    for (auto [axis, own] : llvm::zip(mesh.axes, values)) {
      std::vector<int64_t> longer;
      for (int64_t prefix : result)
        for (int64_t value : own)
          longer.push_back(prefix * axis.size + value);
      result = std::move(longer);
    }
    return result;
  }

  bool add(int64_t position) {
    auto [it, isNew] = runs.try_emplace(position);
    if (!isNew)
      return true;
    RankRun run(meshes, mesh.rankAt(position), use);
    if (!run.enter(entry) || !run.run(entry.getBody().front()))
      return false;
    it->second = {std::move(run.trace), run.peak.bytes};
    return true;
  }

  func::FuncOp entry;
  const MeshTable &meshes;
  const Mesh &mesh;
  OpMemory *use;
  std::vector<std::set<int64_t>> values; ///< coordinates, by axis
  /// By position: the trace of its run, and the most bytes alive.
  std::map<int64_t, std::pair<std::vector<int64_t>, int64_t>> runs;
};

} // namespace

std::optional<MemoryPeak> shardir::bufferPeak(func::FuncOp entry, OpMemory *use,
                                              bool listHeld) {
  if (!entry.getBody().hasOneBlock())
    return std::nullopt;
  MeshTable meshes(entry->getParentOp());
  int64_t ranks = 1;
  for (const Mesh &mesh : meshes.all()) {
    if (!mesh.isConcrete())
      return std::nullopt;
    ranks = std::max(ranks, mesh.numRanks());
  }
  bool mayDiffer = false;
  auto peakOf = [&](int64_t rank, int64_t listAt) -> std::optional<MemoryPeak> {
    RankRun run(meshes, rank, use, listAt);
    if (!run.enter(entry) || !run.run(entry.getBody().front()))
      return std::nullopt;
    mayDiffer |= run.mayDiffer;
    return std::move(run.peak);
  };
  std::optional<MemoryPeak> firstPeak = peakOf(0, /*listAt=*/0);
  if (!firstPeak)
    return std::nullopt;
  // Ranks to compare: most devices of a large mesh allocate the same.
  constexpr int64_t kFewRanks = 64;
  int64_t first = 1, end = mayDiffer ? ranks : 1;
  if (mayDiffer && meshes.all().size() == 1 && ranks > kFewRanks) {
    DeviceRuns runs(entry, meshes, meshes.all().front(), use);
    if (runs.refine()) {
      first = runs.mostRank();
      end = first + 1;
    }
  }
  MemoryPeak most = *firstPeak;
  int64_t mostRank = 0;
  for (int64_t rank = first; rank < end; ++rank) {
    std::optional<MemoryPeak> own = peakOf(rank, /*listAt=*/0);
    if (!own)
      return std::nullopt;
    if (own->bytes > most.bytes) {
      most = *own;
      mostRank = rank;
    }
  }
  if (listHeld) {
    most = peakOf(mostRank, /*listAt=*/most.bytes).value_or(most);
    sortHeld(most.held);
  }
  return most;
}
