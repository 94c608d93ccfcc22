//===- Collectives.cpp - The groups and the bytes of a step -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a step between two placements that verify; sizes that are not known
// count as assumed.
// Guarantees the byte formulas of docs/Report.md, counted in elements, and that
// a device gets its pieces (receivePieces) from devices of its own group alone:
// those that differ from it along groupAxes and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

using namespace shardir;
using namespace shardir::detail;

static constexpr CollectiveKind kKinds[] = {
    CollectiveKind::Slice,         CollectiveKind::MakePartial,
    CollectiveKind::AllGather,     CollectiveKind::AllReduce,
    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
    CollectiveKind::Permute,       CollectiveKind::Exchange,
    CollectiveKind::HaloExchange};

const char *shardir::stringifyCollectiveKind(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::Slice:
    return "slice";
  case CollectiveKind::MakePartial:
    return "make_partial";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::Permute:
    return "permute";
  case CollectiveKind::Exchange:
    return "exchange";
  case CollectiveKind::HaloExchange:
    return "halo_exchange";
  }
  return "exchange";
}

std::optional<CollectiveKind>
shardir::parseCollectiveKind(const std::string &text) {
  for (CollectiveKind kind : kKinds)
    if (text == stringifyCollectiveKind(kind))
      return kind;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

using Axes = std::vector<AxisRef>;

static bool contains(const Axes &axes, const AxisRef &axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// The axes in exactly one of `a` and `b`.
static Axes symmetricDifference(const Axes &a, const Axes &b) {
  Axes result;
  for (const AxisRef &axis : a)
    if (!contains(b, axis))
      result.push_back(axis);
  for (const AxisRef &axis : b)
    if (!contains(a, axis))
      result.push_back(axis);
  return result;
}

static Axes dimAxes(const Placement &placement, const Mesh &mesh,
                    const Axes &parts) {
  Axes result;
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const AxisRef &axis : refineAll(placement.axesOf(d), mesh, parts))
      result.push_back(axis);
  return result;
}

/// Mesh order, adjacent parts merged; axes whose parts overlap without a common
/// refinement become full axes.
static Axes canonicalGroup(Axes axes, const Mesh &mesh) {
  Axes unique;
  for (AxisRef axis : axes) {
    for (const AxisRef &other : axes)
      if (other != axis && overlap(axis, other, mesh))
        axis = AxisRef{axis.name, 1, 0};
    if (!contains(unique, axis))
      unique.push_back(axis);
  }
  return sortedAndMerged(unique, mesh);
}

/// The axes of one dimension that a general exchange moves data along: all but
/// those of a common prefix that cuts the same blocks before and after.
static Axes movedAxes(const DimPlacement &from, const DimPlacement &to,
                      const Mesh &mesh, int64_t size, const Axes &parts) {
  if (from == to)
    return {};
  std::vector<Split> a = refinedSplits(from, mesh, size, parts);
  std::vector<Split> b = refinedSplits(to, mesh, size, parts);
  size_t prefix = 0;
  while (prefix < a.size() && prefix < b.size() && a[prefix] == b[prefix])
    ++prefix;
  for (const std::vector<Split> *splits : {&a, &b})
    for (size_t i = prefix; i < splits->size(); ++i)
      if (!(*splits)[i].isAxis())
        prefix = 0; // an integer below changes where the blocks above end
  Axes moved;
  for (const std::vector<Split> *splits : {&a, &b})
    for (size_t i = prefix; i < splits->size(); ++i)
      if ((*splits)[i].isAxis())
        moved.push_back(*(*splits)[i].axis);
  return moved;
}

std::vector<AxisRef> shardir::groupAxes(const CollectiveStep &step,
                                        const Mesh &mesh,
                                        const std::vector<int64_t> &shape) {
  Placement from = normalForm(step.from, mesh, shape);
  Placement to = normalForm(step.to, mesh, shape);
  Axes parts = commonRefinement(from, to, mesh);

  Axes group;
  Axes partialBefore = refineAll(from.partialAxes, mesh, parts);
  Axes partialAfter = refineAll(to.partialAxes, mesh, parts);
  if (from.partial && to.partial && from.partial != to.partial) {
    group = partialBefore;
    group.insert(group.end(), partialAfter.begin(), partialAfter.end());
  } else {
    group = symmetricDifference(partialBefore, partialAfter);
  }

  switch (step.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::MakePartial:
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::Slice:
    // Shards nest: along the axes that stay nothing moves.
    for (const AxisRef &axis : symmetricDifference(dimAxes(from, mesh, parts),
                                                   dimAxes(to, mesh, parts)))
      group.push_back(axis);
    break;
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
    for (size_t d = 0; d < from.dims.size() && d < to.dims.size(); ++d)
      for (const AxisRef &axis :
           movedAxes(from.dims[d], to.dims[d], mesh,
                     d < shape.size() ? shape[d] : kUnknown, parts))
        group.push_back(axis);
    break;
  case CollectiveKind::HaloExchange:
    for (size_t d = 0; d < from.dims.size() && d < to.dims.size(); ++d) {
      bool overlaps = d < step.halo.size() && !step.halo[d].isZero();
      // Neighbours may be far along any axis that cuts the dimension.
      Axes moved =
          overlaps ? from.axesOf(d)
                   : movedAxes(from.dims[d], to.dims[d], mesh,
                               d < shape.size() ? shape[d] : kUnknown, parts);
      if (overlaps)
        for (const AxisRef &axis : to.axesOf(d))
          moved.push_back(axis);
      for (const AxisRef &axis : refineAll(moved, mesh, parts))
        group.push_back(axis);
    }
    break;
  }
  return canonicalGroup(group, mesh);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

int64_t detail::elementsReceived(const CollectiveStep &step,
                                 const StepParts &parts, const Mesh &mesh,
                                 const std::vector<int64_t> &shape,
                                 int64_t position) {
  auto held = [&](const Placement &placement) {
    return numElements(localShape(placement, mesh, shape, position));
  };
  switch (step.kind) {
  case CollectiveKind::Slice:
  case CollectiveKind::MakePartial:
    return 0;
  case CollectiveKind::AllGather:
    return std::max<int64_t>(0, held(step.to) - held(step.from));
  case CollectiveKind::AllReduce: {
    int64_t devices = parts.terms();
    return mulSaturated(mulSaturated(2, devices - 1),
                        ceilDiv(held(step.from), devices));
  }
  case CollectiveKind::ReduceScatter:
    return mulSaturated(parts.terms() - 1, held(step.to));
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
    break;
  case CollectiveKind::HaloExchange:
    return elementsBetween(step, mesh, mesh, shape, position);
  }
  return receivedElements(step, parts, mesh, shape, position);
}

int64_t shardir::bytesReceived(const CollectiveStep &step, const Mesh &mesh,
                               const std::vector<int64_t> &shape,
                               int64_t elementBytes, int64_t position) {
  if (!mesh.isConcrete())
    return bytesReceived(step, assumedMesh(mesh), shape, elementBytes,
                         position);
  int64_t elements = elementsReceived(
      step, StepParts(step, mesh), mesh,
      assumedShape(shape, mesh, {&step.from, &step.to}), position);
  return mulSaturated(elements, std::max<int64_t>(0, elementBytes));
}
