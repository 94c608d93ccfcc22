//===- Verify.cpp - Checks of placements, and their sugar -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing: sizes, names and counts are whatever a user wrote.
// Guarantees that a placement that passes satisfies P1 (an axis at most once),
// P4 (all but the last run of axes divide exactly) and P5 (the partial kind
// fits the element type), and that every axis exists; and that the first fault
// is reported with the dim, the axis, the sizes and the way out.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"

#include "ShardIR/Placement/NearestName.h"

using namespace shardir;
using namespace shardir::detail;

using MaybeError = std::optional<PlacementError>;

static MaybeError error(std::string message, std::string hint = "") {
  return PlacementError{std::move(message), std::move(hint)};
}

static std::string dimName(size_t dim) { return "dim " + std::to_string(dim); }

static std::string listAxes(const Mesh &mesh) {
  std::string text = mesh.name.empty() ? "the mesh" : "mesh @" + mesh.name;
  text += " has ";
  if (mesh.axes.empty())
    return text + "no axes";
  text += mesh.axes.size() == 1 ? "axis " : "axes ";
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    text += (i ? ", \"" : "\"") + mesh.axes[i].name + "\"";
  return text;
}

static std::vector<std::string> axisNames(const Mesh &mesh) {
  std::vector<std::string> names;
  for (const auto &axis : mesh.axes)
    names.push_back(axis.name);
  return names;
}

/// Checks that an axis exists and that a sub-axis is a factor of it.
static MaybeError checkAxis(const AxisRef &axis, const Mesh &mesh,
                            const std::string &where) {
  int index = mesh.axisIndex(axis.name);
  if (index < 0)
    return error("unknown axis \"" + axis.name + "\" in " + where,
                 listAxes(mesh) +
                     didYouMean(axis.name, axisNames(mesh), "\"", "\""));
  if (axis.isWhole())
    return std::nullopt;
  int64_t whole = mesh.axes[index].assumedSize();
  if (axis.preSize < 1 || axis.size < 1)
    return error("sub-axis " + toString(axis) + " in " + where +
                     " needs sizes above 0",
                 "\"" + axis.name + "\":(pre)size is the middle of the axis " +
                     "seen as [pre, size, rest]");
  int64_t end;
  if (__builtin_mul_overflow(axis.preSize, axis.size, &end) || whole % end != 0)
    return error("sub-axis " + toString(axis) + " in " + where +
                     " does not divide axis \"" + axis.name + "\" of size " +
                     std::to_string(whole),
                 "pre-size x size must divide the size of the axis");
  return std::nullopt;
}

namespace {
struct Use {
  AxisRef axis;
  std::string where;
};
} // namespace

/// P1: no axis and no part of one twice.
static MaybeError checkUse(const Use &use, const std::vector<Use> &earlier,
                           const Mesh &mesh) {
  for (const Use &other : earlier) {
    if (use.axis == other.axis)
      return error("axis " + toString(use.axis) + " is used twice: in " +
                       other.where + " and in " + use.where,
                   "an axis may appear once in a placement; remove one of "
                   "the two");
    if (!overlap(use.axis, other.axis, mesh))
      continue;
    return error(toString(other.axis) + " in " + other.where + " and " +
                     toString(use.axis) + " in " + use.where +
                     " overlap on axis \"" + use.axis.name + "\" of size " +
                     std::to_string(axisSize(mesh, {use.axis.name, 1, 0})),
                 "sub-axes of one axis must follow one another: the second "
                 "begins where the first ends, or at a multiple of it");
  }
  return std::nullopt;
}

/// The way out of a factor that does not divide: the same dims, with `dim`
/// split by its axes alone.
static std::string axesAloneHint(const Placement &placement, size_t dim) {
  Placement alone = placement.closed();
  alone.partial.reset();
  alone.partialAxes.clear();
  std::vector<Split> splits;
  for (const Split &split : alone.dims[dim].splits)
    if (split.isAxis())
      splits.push_back(split);
  alone.dims[dim].splits = splits;
  if (splits.empty())
    return "a factor without an axis changes nothing: write " + toString(alone);
  return "a dim split by axes alone may be uneven: write " + toString(alone);
}

/// P4: integers and all runs of axes but the last divide exactly.
static MaybeError checkDim(const Placement &placement, size_t dim,
                           const Mesh &mesh, int64_t size) {
  for (const Split &split : placement.dims[dim].splits)
    if (!split.isAxis() && split.factor < 1)
      return error("cannot split " + dimName(dim) + " by factor " +
                       std::to_string(split.factor) + " (must be 1 or more)",
                   axesAloneHint(placement, dim));
  std::vector<Split> splits = nontrivialSplits(placement.dims[dim], mesh);
  auto [begin, end] = lastRun(splits);
  int64_t rest = size;
  for (size_t i = 0; i < splits.size(); ++i) {
    const Split &split = splits[i];
    if (i >= begin && i < end)
      continue;
    std::string by = split.isAxis()
                         ? "axis " + toString(*split.axis) + " of size " +
                               std::to_string(axisSize(mesh, *split.axis))
                         : "factor " + std::to_string(split.factor);
    int64_t factor =
        split.isAxis() ? axisSize(mesh, *split.axis) : split.factor;
    if (size == kUnknown)
      continue;
    if (rest % factor != 0) {
      std::string left =
          rest == size ? ""
                       : ", of which " + std::to_string(rest) + " are left,";
      return error("cannot split " + dimName(dim) + " of size " +
                       std::to_string(size) + left + " by " + by +
                       " (must divide exactly)",
                   axesAloneHint(placement, dim));
    }
    rest /= factor;
  }
  return std::nullopt;
}

/// P5: the kinds that read a number as a float or as an integer.
static MaybeError checkKind(PartialKind kind, const std::string &type) {
  auto startsWith = [&](const char *prefix) {
    return type.rfind(prefix, 0) == 0;
  };
  unsigned present = 0;
  if (startsWith("f") || startsWith("bf") || startsWith("tf"))
    present = NumberClass::Floats;
  else if (startsWith("i") || startsWith("si") || startsWith("ui"))
    present = NumberClass::Integers;
  else if (startsWith("complex<"))
    present = NumberClass::Complexes;
  const PartialKindInfo &info = infoOf(kind);
  if (type.empty() || info.isFor(present))
    return std::nullopt;
  std::string name = info.name, what, hint;
  switch (info.types) {
  case NumberClass::Floats:
    what = "floats";
    hint = "write '" + name.substr(0, 3) + "'";
    break;
  case NumberClass::Integers:
    what = "integers and i1";
    if (name[0] == 'u')
      hint = "write '" + name.substr(1) + "'";
    break;
  case NumberClass::Reals:
    what = "floats and integers";
    break;
  default:
    what = "numbers";
  }
  return error("partial kind '" + name + "' is for " + what +
                   ", not for element type " + type,
               hint);
}

std::optional<PlacementError>
shardir::verifyAxes(const std::vector<AxisRef> &axes, const Mesh &mesh,
                    const std::string &where) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (MaybeError e = checkAxis(axes[i], mesh, where))
      return e;
    for (size_t j = 0; j < i; ++j)
      if (axes[i] == axes[j] || overlap(axes[i], axes[j], mesh))
        return error("axes " + toString(axes[j]) + " and " + toString(axes[i]) +
                         " in " + where + " overlap on axis \"" + axes[i].name +
                         "\" of size " +
                         std::to_string(axisSize(mesh, {axes[i].name, 1, 0})),
                     "name each part of an axis once");
  }
  return std::nullopt;
}

std::optional<PlacementError>
shardir::verifyPlacement(const Placement &placement, const Mesh &mesh,
                         const std::vector<int64_t> &shape,
                         const std::string &elementType) {
  if (placement.sugar) {
    Placement resolved = placement;
    if (MaybeError e = lowerDTensorSyntax(resolved, mesh, shape.size()))
      return e;
    return verifyPlacement(resolved, mesh, shape, elementType);
  }

  if (placement.dims.size() != shape.size())
    return error("placement has " + std::to_string(placement.dims.size()) +
                     " dims but the tensor has rank " +
                     std::to_string(shape.size()),
                 "write one {} per dim of the tensor");
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] < 0 && shape[d] != kUnknown)
      return error(dimName(d) + " has negative size " +
                   std::to_string(shape[d]));

  std::vector<Use> uses;
  auto add = [&](const AxisRef &axis, const std::string &where) -> MaybeError {
    if (MaybeError e = checkAxis(axis, mesh, where))
      return e;
    Use use{axis, where};
    if (MaybeError e = checkUse(use, uses, mesh))
      return e;
    uses.push_back(use);
    return std::nullopt;
  };
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const Split &split : placement.dims[d].splits)
      if (split.isAxis())
        if (MaybeError e = add(*split.axis, dimName(d)))
          return e;
  for (const AxisRef &axis : placement.partialAxes)
    if (MaybeError e = add(axis, "partial"))
      return e;
  for (const AxisRef &axis : placement.replicated)
    if (MaybeError e = add(axis, "replicated"))
      return e;

  for (size_t d = 0; d < placement.dims.size(); ++d) {
    if (placement.dims[d].priority.value_or(0) < 0)
      return error("priority p" + std::to_string(*placement.dims[d].priority) +
                   " of " + dimName(d) + " must be 0 or more");
    if (MaybeError e = checkDim(placement, d, mesh, shape[d]))
      return e;
  }

  if (placement.partial && placement.partialAxes.empty())
    return error(std::string("partial ") +
                     stringifyPartialKind(*placement.partial) +
                     " names no axis",
                 "name the axes over which it is partial, or leave it out");
  if (!placement.partial && !placement.partialAxes.empty())
    return error("partial axes without a kind",
                 "write one of " + listPartialKinds());
  if (placement.partial)
    return checkKind(*placement.partial, elementType);
  return std::nullopt;
}

std::optional<PlacementError> shardir::lowerDTensorSyntax(Placement &placement,
                                                          const Mesh &mesh,
                                                          size_t rank) {
  if (!placement.sugar)
    return std::nullopt;
  const std::vector<MeshAxisPlacement> &sugar = *placement.sugar;
  if (sugar.size() != mesh.axes.size())
    return error("placements has " + std::to_string(sugar.size()) +
                     " entries but the mesh has " +
                     std::to_string(mesh.axes.size()) + " axes",
                 "write one entry per mesh axis; " + listAxes(mesh));
  Placement resolved = Placement::replicatedOfRank(rank);
  for (size_t i = 0; i < sugar.size(); ++i) {
    const MeshAxisPlacement &entry = sugar[i];
    const std::string &axis = mesh.axes[i].name;
    switch (entry.kind) {
    case MeshAxisPlacement::Replicate:
      break;
    case MeshAxisPlacement::Shard: {
      int64_t signedRank = static_cast<int64_t>(rank);
      if (entry.dim >= signedRank || entry.dim < -signedRank)
        return error("shard(" + std::to_string(entry.dim) + ") of axis \"" +
                         axis + "\" is out of range for a tensor of rank " +
                         std::to_string(rank),
                     rank == 0 ? "a tensor of rank 0 has no dim to split: "
                                 "write replicate"
                               : "dims are " + std::to_string(-signedRank) +
                                     " to " + std::to_string(signedRank - 1));
      int64_t dim = entry.dim < 0 ? entry.dim + signedRank : entry.dim;
      resolved.dims[dim].splits.push_back(Split::byAxis(axis));
      break;
    }
    case MeshAxisPlacement::Partial:
      if (resolved.partial && *resolved.partial != entry.partial)
        return error(
            std::string("partial(") + stringifyPartialKind(entry.partial) +
                ") of axis \"" + axis + "\" differs from partial(" +
                stringifyPartialKind(*resolved.partial) + ") of axis \"" +
                resolved.partialAxes.back().name + "\"",
            "a placement has one partial kind: reduce one of the "
            "two first");
      resolved.partial = entry.partial;
      resolved.partialAxes.push_back(AxisRef{axis, 1, 0});
      break;
    }
  }
  placement = std::move(resolved);
  return std::nullopt;
}
