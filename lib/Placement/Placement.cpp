//===- Placement.cpp - What a placement says about itself -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing of a placement, not even that it verifies.
// Guarantees that equal placements hash equally, and that every partial kind
// has exactly one spelling, the one of the IR.
// Comparing placements up to spelling is the normal form's business
// (NormalForm.cpp): it needs the mesh and the shape.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"

using namespace shardir;

bool Placement::isPartialOf(const Placement &wanted) const {
  return partial && !wanted.partial && dims == wanted.dims;
}

bool Placement::isReplicated() const {
  if (sugar) {
    for (const MeshAxisPlacement &entry : *sugar)
      if (entry.kind != MeshAxisPlacement::Replicate)
        return false;
    return true;
  }
  if (partial || !partialAxes.empty())
    return false;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (!axesOf(dim).empty())
      return false;
  return true;
}

std::vector<AxisRef> Placement::axesOf(size_t dim) const {
  std::vector<AxisRef> axes;
  if (dim < dims.size())
    for (const Split &split : dims[dim].splits)
      if (split.isAxis())
        axes.push_back(*split.axis);
  return axes;
}

Placement Placement::closed() const {
  Placement result;
  for (const DimPlacement &dim : dims)
    result.dims.push_back(DimPlacement{dim.splits, false, std::nullopt});
  result.partial = partial;
  result.partialAxes = partialAxes;
  result.sugar = sugar;
  return result;
}

namespace {
/// Mixes values into one hash; order matters.
struct Hasher {
  size_t state = 0x9e3779b97f4a7c15ull;
  template <typename T> void add(const T &value) {
    state ^= std::hash<T>()(value) + 0x9e3779b97f4a7c15ull + (state << 6) +
             (state >> 2);
  }
  void add(const AxisRef &axis) {
    add(axis.name);
    add(axis.preSize);
    add(axis.size);
  }
};
} // namespace

size_t shardir::hashValue(const Placement &placement) {
  Hasher hasher;
  hasher.add(placement.dims.size());
  for (const DimPlacement &dim : placement.dims) {
    hasher.add(dim.splits.size());
    for (const Split &split : dim.splits) {
      hasher.add(split.isAxis());
      if (split.isAxis())
        hasher.add(*split.axis);
      else
        hasher.add(split.factor);
    }
    hasher.add(dim.open);
    hasher.add(dim.priority.value_or(-1));
  }
  hasher.add(placement.replicated.size());
  for (const AxisRef &axis : placement.replicated)
    hasher.add(axis);
  hasher.add(placement.partial ? static_cast<int>(*placement.partial) : -1);
  for (const AxisRef &axis : placement.partialAxes)
    hasher.add(axis);
  if (placement.sugar)
    for (const MeshAxisPlacement &entry : *placement.sugar) {
      hasher.add(static_cast<int>(entry.kind));
      if (entry.kind == MeshAxisPlacement::Shard)
        hasher.add(entry.dim);
      if (entry.kind == MeshAxisPlacement::Partial)
        hasher.add(static_cast<int>(entry.partial));
    }
  return hasher.state;
}

const char *shardir::stringifyPartialKind(PartialKind kind) {
  return infoOf(kind).name;
}

std::optional<PartialKind> shardir::parsePartialKind(const std::string &text) {
  for (const PartialKindInfo &info : kPartialKinds)
    if (text == info.name)
      return info.kind;
  return std::nullopt;
}

std::string shardir::listPartialKinds() {
  std::string list;
  for (const PartialKindInfo &info : kPartialKinds)
    list += (list.empty() ? "" : ", ") + std::string(info.name);
  return list;
}
