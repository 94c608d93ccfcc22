//===- Moves.cpp - Changes of placement without a reduction -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires placements in normal form that owe the same partial, if any: each
// term moves on its own.
// Guarantees at most one local slice and one collective, which receive the
// least bytes there can be (rule D3): what the new shard holds and the old one
// does not. Which of the standard collectives does that is a matter of the
// blocks where sizes are known, and of the spelling where they are not, so that
// the answer holds for every size.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace shardir;
using namespace shardir::detail;

Planner::Planner(const Placement &src, const Placement &dst, const Mesh &mesh,
                 const std::vector<int64_t> &shape)
    : mesh(mesh), shape(shape), concreteMesh(assumedMesh(mesh)),
      concreteShape(assumedShape(shape)),
      parts(commonRefinement(src, dst, mesh)) {}

bool Planner::isKnownDim(const DimPlacement &dim, size_t d) const {
  if (shape[d] == kUnknown)
    return false;
  for (const Split &split : dim.splits)
    if (split.isAxis() && !isKnown(mesh, *split.axis))
      return false;
  return true;
}

std::vector<Split> Planner::tokens(const DimPlacement &dim, size_t d) const {
  return refinedSplits(dim, mesh, shape[d], parts);
}

bool Planner::uses(const Placement &placement, const AxisRef &axis) const {
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const AxisRef &other : placement.axesOf(d))
      if (overlap(axis, other, mesh))
        return true;
  for (const AxisRef &other : placement.partialAxes)
    if (overlap(axis, other, mesh))
      return true;
  return false;
}

/// Calls `visit` with coordinates that take every value along the mesh axes
/// that one of two dimensions uses; stops when it returns false.
template <typename Visit>
static bool forAllCoordinates(const DimPlacement &a, const DimPlacement &b,
                              const Mesh &mesh, Visit visit) {
  std::vector<size_t> used;
  for (const DimPlacement *dim : {&a, &b})
    for (const Split &split : dim->splits) {
      int index = split.isAxis() ? mesh.axisIndex(split.axis->name) : -1;
      if (index >= 0 && std::find(used.begin(), used.end(),
                                  static_cast<size_t>(index)) == used.end())
        used.push_back(static_cast<size_t>(index));
    }
  std::vector<int64_t> coords(mesh.axes.size(), 0);
  while (true) {
    if (!visit(coords))
      return false;
    size_t i = 0;
    for (; i < used.size(); ++i) {
      if (++coords[used[i]] < mesh.axes[used[i]].size)
        break;
      coords[used[i]] = 0;
    }
    if (i == used.size())
      return true;
  }
}

bool Planner::contains(const DimPlacement &outer, const DimPlacement &inner,
                       size_t d) const {
  if (outer == inner)
    return true;
  std::vector<Split> a = tokens(outer, d), b = tokens(inner, d);
  bool nested =
      a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  for (size_t i = a.size(); nested && i < b.size(); ++i)
    nested = b[i].isAxis();
  // Blocks nest (P3): more axes after the same splits cut inside the blocks.
  if (nested)
    return true;
  if (!isKnownDim(outer, d) || !isKnownDim(inner, d))
    return false;
  return forAllCoordinates(
      outer, inner, concreteMesh, [&](const std::vector<int64_t> &coords) {
        DimShard out = dimShardOf(outer, concreteMesh, shape[d], coords);
        DimShard in = dimShardOf(inner, concreteMesh, shape[d], coords);
        return intersectionSize(out, in) == in.localExtent();
      });
}

bool Planner::contains(const Placement &outer, const Placement &inner) const {
  for (size_t d = 0; d < shape.size(); ++d)
    if (!contains(outer.dims[d], inner.dims[d], d))
      return false;
  return true;
}

int64_t Planner::bytes(const std::vector<CollectiveStep> &steps) const {
  RedistributePlan plan{steps};
  return planBytes(plan, concreteMesh, concreteShape, 1);
}

//===----------------------------------------------------------------------===//
// Which collective a change is
//===----------------------------------------------------------------------===//

bool Planner::isAllGather(const Placement &from, const Placement &to) const {
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<AxisRef> before;
    for (const Split &split : tokens(from.dims[d], d))
      if (split.isAxis())
        before.push_back(*split.axis);
    for (const Split &split : tokens(to.dims[d], d))
      if (split.isAxis() &&
          std::find(before.begin(), before.end(), *split.axis) == before.end())
        return false;
  }
  return contains(to, from);
}

/// One run of axes leaves the end of one dimension for the end of another.
bool Planner::isAllToAll(const Placement &from, const Placement &to) const {
  std::vector<Split> left, arrived;
  int leaves = 0, arrives = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (from.dims[d] == to.dims[d])
      continue;
    std::vector<Split> a = tokens(from.dims[d], d), b = tokens(to.dims[d], d);
    std::vector<Split> &more = a.size() > b.size() ? a : b;
    std::vector<Split> &fewer = a.size() > b.size() ? b : a;
    if (more.size() == fewer.size() ||
        !std::equal(fewer.begin(), fewer.end(), more.begin()))
      return false;
    (a.size() > b.size() ? left : arrived)
        .assign(more.begin() + fewer.size(), more.end());
    ++(a.size() > b.size() ? leaves : arrives);
  }
  if (leaves != 1 || arrives != 1 || left != arrived)
    return false;
  for (const Split &split : left)
    if (!split.isAxis())
      return false;
  return true;
}

/// Every device's new shard is the whole of what one device held.
bool Planner::isPermute(const Placement &from, const Placement &to) const {
  bool renamed = true, known = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::vector<Split> &a = from.dims[d].splits;
    const std::vector<Split> &b = to.dims[d].splits;
    known &= isKnownDim(from.dims[d], d) && isKnownDim(to.dims[d], d);
    renamed &= a.size() == b.size();
    for (size_t i = 0; renamed && i < a.size(); ++i)
      if (a[i].isAxis() && b[i].isAxis())
        renamed = isKnown(mesh, *a[i].axis) && isKnown(mesh, *b[i].axis)
                      ? axisSize(mesh, *a[i].axis) == axisSize(mesh, *b[i].axis)
                      : a[i] == b[i];
      else
        renamed = a[i] == b[i];
  }
  if (renamed)
    return true;
  if (!known)
    return false;
  // A dimension's new block must be some old one, for all coordinates.
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<DimShard> old;
    forAllCoordinates(from.dims[d], from.dims[d], concreteMesh,
                      [&](const std::vector<int64_t> &coords) {
                        old.push_back(dimShardOf(from.dims[d], concreteMesh,
                                                 shape[d], coords));
                        return true;
                      });
    bool found =
        forAllCoordinates(to.dims[d], to.dims[d], concreteMesh,
                          [&](const std::vector<int64_t> &coords) {
                            DimShard wanted = dimShardOf(
                                to.dims[d], concreteMesh, shape[d], coords);
                            int64_t extent = wanted.localExtent();
                            if (extent == 0)
                              return true;
                            for (const DimShard &shard : old)
                              if (shard.localExtent() == extent &&
                                  intersectionSize(shard, wanted) == extent)
                                return true;
                            return false;
                          });
    if (!found)
      return false;
  }
  return true;
}

std::optional<CollectiveKind> Planner::standardKind(const Placement &from,
                                                    const Placement &to) const {
  if (isAllGather(from, to))
    return CollectiveKind::AllGather;
  if (isAllToAll(from, to))
    return CollectiveKind::AllToAll;
  if (isPermute(from, to))
    return CollectiveKind::Permute;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

Placement Planner::normal(const Placement &placement) const {
  return normalForm(placement, mesh, shape);
}

/// `from` with the splits of `to` that can be added without communication:
/// axes that `from` does not use, after the splits that both have.
Placement Planner::sliced(const Placement &from, const Placement &to) const {
  Placement mid = from;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<Split> a = tokens(from.dims[d], d), b = tokens(to.dims[d], d);
    if (a.size() >= b.size() || !std::equal(a.begin(), a.end(), b.begin()))
      continue;
    size_t end = a.size();
    while (end < b.size() && b[end].isAxis() && !uses(from, *b[end].axis))
      ++end;
    DimPlacement dim;
    dim.splits.assign(b.begin(), b.begin() + end);
    if (contains(from.dims[d], dim, d))
      mid.dims[d] = dim;
  }
  return normal(mid);
}

std::vector<CollectiveStep> Planner::move(const Placement &from,
                                          const Placement &to) const {
  if (from == to)
    return {};
  if (contains(from, to))
    return {{CollectiveKind::Slice, from, to}};
  if (std::optional<CollectiveKind> kind = standardKind(from, to))
    return {{*kind, from, to}};
  std::vector<CollectiveStep> exchange = {{CollectiveKind::Exchange, from, to}};
  Placement mid = sliced(from, to);
  if (mid != from)
    if (std::optional<CollectiveKind> kind = standardKind(mid, to)) {
      std::vector<CollectiveStep> chain = {{CollectiveKind::Slice, from, mid},
                                           {*kind, mid, to}};
      if (bytes(chain) <= bytes(exchange))
        return chain;
    }
  return exchange;
}
