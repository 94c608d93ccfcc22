//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices without a target get one, so that every position has one source.
//
//===----------------------------------------------------------------------===//

#include "PermuteTargets.h"

#include <map>

using namespace shardir;

/// By manual position, of which -1 have no target: their own position if it has
/// no source, so that the fewest blocks are sent, else the next one without.
static void complete(std::vector<int64_t> &targetOf,
                     llvm::SmallVector<bool> hasSource) {
  for (size_t m = 0; m < targetOf.size(); ++m)
    if (targetOf[m] < 0 && !hasSource[m]) {
      targetOf[m] = static_cast<int64_t>(m);
      hasSource[m] = true;
    }
  size_t next = 0;
  for (int64_t &target : targetOf) {
    if (target >= 0)
      continue;
    while (hasSource[next])
      ++next;
    target = static_cast<int64_t>(next);
    hasSource[next] = true;
  }
}

std::variant<PermuteTargets, std::string>
shardir::permuteTargets(const std::vector<std::pair<int64_t, int64_t>> &pairs,
                        const Mesh &mesh,
                        const std::function<bool(const MeshAxis &)> &isManual) {
  int64_t devices = mesh.numDevices();
  std::vector<int64_t> targetOf(devices, -1);
  llvm::SmallVector<bool> hasSource(devices, false);
  for (auto [from, to] : pairs) {
    int64_t source = mesh.positionOf(from), target = mesh.positionOf(to);
    if (source < 0 || target < 0)
      return "has a pair of devices " + std::to_string(from) + " and " +
             std::to_string(to) + ", which mesh @" + mesh.name + " lacks";
    if (targetOf[source] >= 0 || hasSource[target])
      return "has a device that is the source or the target of two pairs";
    targetOf[source] = target;
    hasSource[target] = true;
  }
  // A position along the manual axes, or along the others.
  auto partOf = [&](int64_t position, bool wantsManual) {
    int64_t part = 0, stride = devices;
    for (const MeshAxis &axis : mesh.axes) {
      stride /= axis.size;
      if (isManual(axis) == wantsManual)
        part = part * axis.size + position / stride % axis.size;
    }
    return part;
  };
  int64_t count = 1;
  for (const MeshAxis &axis : mesh.axes)
    if (isManual(axis))
      count *= axis.size;
  constexpr int64_t kUnseen = -2;
  std::vector<int64_t> manualTarget(count, kUnseen);
  for (int64_t p = 0; p < devices; ++p) {
    int64_t target = targetOf[p] < 0 ? -1 : partOf(targetOf[p], true);
    int64_t &known = manualTarget[partOf(p, true)];
    if ((targetOf[p] >= 0 && partOf(p, false) != partOf(targetOf[p], false)) ||
        (known != kUnseen && known != target))
      return "sends along an axis that is not manual here, or otherwise for "
             "other coordinates along it";
    known = target;
  }
  PermuteTargets result;
  result.isTarget.assign(count, false);
  for (int64_t target : manualTarget)
    if (target >= 0)
      result.isTarget[target] = true;
  complete(manualTarget, result.isTarget);
  std::map<std::pair<int64_t, int64_t>, int64_t> positionAt;
  for (int64_t p = 0; p < devices; ++p)
    positionAt[{partOf(p, true), partOf(p, false)}] = p;
  for (int64_t p = 0; p < devices; ++p)
    result.positions.push_back(
        positionAt[{manualTarget[partOf(p, true)], partOf(p, false)}]);
  return result;
}
