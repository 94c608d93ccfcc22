//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the axes behind tile assignments. The position of a device in a mesh is
// a mixed-radix number; a tile dim's index picks some of its digits, and which
// ones is read off the list of devices: `rel[k * stride]` for k = 0, 1, …
// counts through one digit after another, minor first. Where the cuts of all
// shardings divide one another they are the axes of one mesh, else one axis is
// cut in several ways. Guarantees that the placement on the mesh holds the very
// tiles.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Import/GspmdSharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace shardir;

namespace {

/// A digit of a position: positions are seen as [pre, size, rest].
struct DeviceDigit {
  int64_t pre, size;
};
/// Per tile dim its digits, major first.
using TileDigits = std::vector<std::vector<DeviceDigit>>;

} // namespace

/// The digits of one tile dim of extent `extent`, whose index k is at `g(k)`.
static bool digitsOf(int64_t extent, int64_t total,
                     llvm::function_ref<int64_t(int64_t)> g,
                     std::vector<DeviceDigit> &digits) {
  for (int64_t unit = 1; unit < extent;) {
    int64_t left = extent / unit, stride = g(unit), run = 1;
    while (run < left && g(unit * run) == run * stride)
      ++run;
    while (left % run)
      --run;
    if (run < 2 || stride < 1 || total % (stride * run))
      return false;
    digits.insert(digits.begin(), {total / (stride * run), run});
    unit *= run;
  }
  return true;
}

/// The digits of all tile dims, where `rel` is the position of each device on
/// the mesh, row-major over `tiles`.
static std::optional<TileDigits> digitsOf(const std::vector<int64_t> &tiles,
                                          const std::vector<int64_t> &rel) {
  int64_t total = rel.size(), stride = total;
  TileDigits result;
  std::vector<int64_t> expected(total, 0);
  for (int64_t extent : tiles) {
    stride /= extent;
    auto g = [&](int64_t k) { return rel[k * stride]; };
    if (!digitsOf(extent, total, g, result.emplace_back()))
      return std::nullopt;
    for (int64_t p = 0; p < total; ++p)
      expected[p] += g(p / stride % extent);
  }
  if (expected != rel)
    return std::nullopt;
  return result;
}

/// A digit as axes and sub-axes of a mesh.
static std::optional<std::vector<AxisRef>> express(DeviceDigit digit,
                                                   const Mesh &mesh) {
  std::vector<AxisRef> axes;
  int64_t before = 1;
  for (const MeshAxis &axis : mesh.axes) {
    int64_t end = before * axis.size;
    if (digit.size > 1 && digit.pre < end) {
      if (digit.pre % before || axis.size % (digit.pre / before))
        return std::nullopt;
      int64_t pre = digit.pre / before, rest = axis.size / pre;
      int64_t take = std::min(rest, digit.size);
      if (rest % take || digit.size % take)
        return std::nullopt;
      axes.push_back(take == axis.size ? AxisRef{axis.name, 1, 0}
                                       : AxisRef{axis.name, pre, take});
      digit = {digit.pre * take, digit.size / take};
    }
    before = end;
  }
  return axes;
}

/// The placement of a tiled sharding on a mesh, where there is one.
static std::optional<Placement> placeOn(const GspmdSharding &sharding,
                                        const TileDigits &digits, int64_t rank,
                                        const Mesh &mesh) {
  Placement placement = Placement::replicatedOfRank(rank);
  for (size_t i = 0; i < digits.size(); ++i) {
    bool isDim = i < size_t(rank);
    if (!isDim && sharding.subgroups[i - rank] != GspmdSharding::Unreduced)
      continue;
    for (DeviceDigit digit : digits[i]) {
      auto axes = express(digit, mesh);
      if (!axes)
        return std::nullopt;
      for (const AxisRef &axis : *axes) {
        if (isDim)
          placement.dims[i].splits.push_back(Split::byAxis(axis));
        else
          placement.partialAxes.push_back(axis);
      }
    }
  }
  if (!placement.partialAxes.empty())
    placement.partial = PartialKind::Sum;
  return placement;
}

/// The positions of a sharding's devices on a mesh; nothing where the mesh has
/// other ones.
static std::optional<std::vector<int64_t>>
positionsOn(const GspmdSharding &sharding, const Mesh &mesh) {
  if (!mesh.isConcrete() ||
      mesh.numDevices() != int64_t(sharding.devices.size()))
    return std::nullopt;
  std::vector<int64_t> positionOfRank(mesh.numRanks(), -1), rel;
  for (int64_t p = 0, e = mesh.numDevices(); p < e; ++p)
    positionOfRank[mesh.rankAt(p)] = p;
  for (int64_t device : sharding.devices) {
    if (device >= mesh.numRanks() || positionOfRank[device] < 0)
      return std::nullopt;
    rel.push_back(positionOfRank[device]);
  }
  return rel;
}

static Mesh oneAxis(int64_t size) {
  Mesh mesh;
  mesh.axes.push_back({"axis_0", size, size, {}});
  return mesh;
}

/// The mesh whose axes are the cuts; one axis where they do not divide each
/// other or are too many.
static Mesh meshOf(const std::set<int64_t> &cuts, int64_t total) {
  Mesh mesh;
  int64_t before = 1;
  for (int64_t cut : cuts) {
    if (cut == before)
      continue;
    int64_t size = cut / before;
    if (cut % before || mesh.axes.size() == 8)
      return oneAxis(total);
    mesh.axes.push_back(
        {"axis_" + std::to_string(mesh.axes.size()), size, size, {}});
    before = cut;
  }
  return mesh.axes.empty() ? oneAxis(total) : mesh;
}

namespace {

/// A mesh in the making: an order of devices and where its shardings cut it.
struct NewMesh {
  Mesh order; ///< one axis; its devices are the order
  std::set<int64_t> cuts;
  int index = -1; ///< among all meshes, once made
};
/// A sharding that needs a new mesh.
struct Pending {
  size_t sharding, mesh;
  TileDigits digits;
};

} // namespace

/// Checks that need the sharding and its tensor's rank alone.
static std::string checkSharding(const GspmdSharding &sharding, int64_t rank) {
  if (sharding.kind == GspmdSharding::Manual ||
      llvm::is_contained(sharding.subgroups, GspmdSharding::ManualGroup))
    return "is manual, which only values inside a manual region can be";
  if (sharding.kind != GspmdSharding::Tiled)
    return "";
  int64_t dims = sharding.tiles.size() - sharding.subgroups.size();
  if (dims == rank)
    return "";
  return "cuts " + std::to_string(dims) + " dims of a tensor of rank " +
         std::to_string(rank);
}

std::optional<std::vector<GspmdPlacement>>
shardir::placeGspmdShardings(const std::vector<GspmdSharding> &shardings,
                             const std::vector<int64_t> &ranks,
                             int64_t partitions, std::vector<Mesh> &meshes,
                             size_t &culprit, std::string &error) {
  std::vector<GspmdPlacement> result(shardings.size());
  std::vector<NewMesh> made;
  std::vector<Pending> pending;
  size_t given = meshes.size();

  auto placeOnGiven = [&](size_t s) {
    for (size_t m = 0; m < given; ++m) {
      auto rel = positionsOn(shardings[s], meshes[m]);
      auto digits = rel ? digitsOf(shardings[s].tiles, *rel) : std::nullopt;
      auto placement = digits
                           ? placeOn(shardings[s], *digits, ranks[s], meshes[m])
                           : std::nullopt;
      if (placement) {
        result[s] = {int(m), *placement};
        return true;
      }
    }
    return false;
  };
  auto placeOnNew = [&](size_t s) {
    const GspmdSharding &sharding = shardings[s];
    auto tryOrder = [&](size_t m) {
      auto rel = positionsOn(sharding, made[m].order);
      auto digits = rel ? digitsOf(sharding.tiles, *rel) : std::nullopt;
      if (!digits)
        return false;
      for (const auto &tile : *digits)
        for (DeviceDigit digit : tile) {
          made[m].cuts.insert(digit.pre);
          made[m].cuts.insert(digit.pre * digit.size);
        }
      pending.push_back({s, m, *digits});
      return true;
    };
    for (size_t m = 0; m < made.size(); ++m)
      if (tryOrder(m))
        return;
    // Devices in their natural order, else in this sharding's own, which any
    // tiles fit.
    int64_t total = sharding.devices.size();
    made.push_back({oneAxis(total), {1, total}});
    if (tryOrder(made.size() - 1))
      return;
    made.back().order.devices = sharding.devices;
    tryOrder(made.size() - 1);
  };
  for (size_t s = 0; s < shardings.size(); ++s) {
    std::string wrong = checkSharding(shardings[s], ranks[s]);
    if (!wrong.empty()) {
      culprit = s;
      error = wrong;
      return std::nullopt;
    }
    if (shardings[s].kind == GspmdSharding::Tiled && !placeOnGiven(s))
      placeOnNew(s);
  }

  for (const Pending &each : pending) {
    NewMesh &mesh = made[each.mesh];
    if (mesh.index < 0) {
      mesh.index = meshes.size();
      meshes.push_back(meshOf(mesh.cuts, mesh.order.numDevices()));
      meshes.back().devices = mesh.order.devices;
    }
    auto placement = placeOn(shardings[each.sharding], each.digits,
                             ranks[each.sharding], meshes[mesh.index]);
    // Every digit is a run of axes, or a sub-axis of the only one.
    result[each.sharding] = {mesh.index, placement.value_or(Placement())};
  }

  // A replicated tensor is on all devices.
  int largest = -1;
  for (size_t m = 0; m < meshes.size(); ++m)
    if (largest < 0 || meshes[m].numDevices() > meshes[largest].numDevices())
      largest = m;
  for (size_t s = 0; s < shardings.size(); ++s) {
    const GspmdSharding &sharding = shardings[s];
    if (sharding.kind == GspmdSharding::Tiled)
      continue;
    result[s].placement = Placement::replicatedOfRank(ranks[s]);
    if (sharding.kind == GspmdSharding::Maximal) {
      Mesh one = oneAxis(1);
      if (sharding.device)
        one.devices = {sharding.device};
      for (size_t m = 0; m < meshes.size() && result[s].mesh < 0; ++m)
        if (meshes[m].isConcrete() && meshes[m].numDevices() == 1 &&
            meshes[m].rankAt(0) == sharding.device)
          result[s].mesh = m;
      if (result[s].mesh < 0) {
        result[s].mesh = meshes.size();
        meshes.push_back(one);
      }
      continue;
    }
    if (largest < 0) {
      largest = meshes.size();
      meshes.push_back(oneAxis(partitions));
    }
    result[s].mesh = largest;
    if (sharding.kind == GspmdSharding::Unknown)
      for (DimPlacement &dim : result[s].placement.dims)
        dim.open = true;
  }
  return result;
}
