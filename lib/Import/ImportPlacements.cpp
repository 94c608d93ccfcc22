//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Turns shardings that have been read into placements and
// applies them. Requires that all annotations are read; guarantees that each
// has a mesh, and that a placement which does not fit its tensor is an error
// that names what it is on.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "ShardIR/Analysis/FactorSharding.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardir;

/// Shardy takes a missing priority for the highest, here it is the lowest.
void Importer::defaultPriorities() {
  bool any = false;
  for (const Annotation &annotation : annotations)
    for (const ShardySharding &sharding : annotation.shardy)
      for (const DimPlacement &dim : sharding.placement.dims)
        any |= dim.priority.has_value();
  if (!any)
    return;
  for (Annotation &annotation : annotations)
    for (ShardySharding &sharding : annotation.shardy)
      for (DimPlacement &dim : sharding.placement.dims)
        if (!dim.priority && !dim.splits.empty())
          dim.priority = 0;
}

/// A sharding of something that is no tensor says nothing.
static bool isRanked(Type type) { return isa<RankedTensorType>(type); }

/// Checks a placement where messages can tell what it is on. From inside of an
/// op that is not registered no mesh is found; MLIR's verifier comes to it
/// later.
static LogicalResult check(const Annotation &annotation,
                           PlacementAttr placement, Type type) {
  for (Operation *op = annotation.op; op; op = op->getParentOp())
    if (!op->isRegistered() && op->getNumRegions())
      return success();
  return verifyPlacementFor(annotation.op, placement, type, annotation.what);
}

LogicalResult Importer::placeShardy() {
  // The axes of meshes that are named but not declared.
  llvm::StringMap<std::vector<std::string>> axes;
  auto addAxes = [&](std::vector<std::string> &names,
                     const Placement &placement) {
    std::vector<AxisRef> used = axesOf(placement);
    llvm::append_range(used, placement.replicated);
    for (const AxisRef &axis : used)
      if (!llvm::is_contained(names, axis.name))
        names.push_back(axis.name);
  };
  for (const Annotation &annotation : annotations)
    for (const ShardySharding &sharding : annotation.shardy)
      addAxes(axes[sharding.meshName], sharding.placement);
  for (Annotation &annotation : annotations) {
    if (annotation.shardy.empty())
      continue;
    SmallVector<PlacementAttr> placements;
    for (auto [type, sharding] :
         llvm::zip(annotation.types, annotation.shardy)) {
      placements.emplace_back();
      if (!isRanked(type))
        continue;
      StringAttr mesh = meshes.get(annotation.op->getLoc(), sharding,
                                   axes[sharding.meshName]);
      if (!mesh)
        return failure();
      placements.back() =
          PlacementAttr::get(module.getContext(), mesh, sharding.placement);
      if (failed(check(annotation, placements.back(), type)))
        return failure();
    }
    if (failed(annotation.apply(placements)))
      return failure();
  }
  return success();
}

/// In a manual region a sharding says what is manual, which the region says
/// already, and the placement of the rest: manual axes are read as partial
/// ones.
static std::optional<GspmdSharding> readableSharding(const Annotation &owner,
                                                     GspmdSharding sharding) {
  if (!owner.tellsManual && !owner.op->getParentOfType<ManualOp>())
    return sharding;
  if (sharding.kind == GspmdSharding::Manual)
    return std::nullopt;
  llvm::replace(sharding.subgroups, GspmdSharding::ManualGroup,
                GspmdSharding::Unreduced);
  return sharding;
}

LogicalResult Importer::placeGspmd() {
  std::vector<GspmdSharding> shardings;
  std::vector<int64_t> ranks;
  std::vector<Annotation *> owners;
  for (Annotation &annotation : annotations)
    for (auto [type, sharding] : llvm::zip(annotation.types, annotation.gspmd))
      if (isRanked(type))
        if (auto readable = readableSharding(annotation, sharding)) {
          shardings.push_back(*readable);
          ranks.push_back(cast<RankedTensorType>(type).getRank());
          owners.push_back(&annotation);
        }
  int64_t partitions = 1;
  if (auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions"))
    partitions = std::clamp<int64_t>(count.getInt(), 1, int64_t(1) << 20);
  std::vector<Mesh> all = meshes.all();
  size_t given = all.size(), culprit = 0;
  std::string error;
  auto placed =
      placeGspmdShardings(shardings, ranks, partitions, all, culprit, error);
  if (!placed)
    return owners[culprit]->op->emitError()
           << "the sharding of " << owners[culprit]->what << " " << error;
  std::vector<StringAttr> names;
  for (auto [i, mesh] : llvm::enumerate(all)) {
    names.push_back(i < given ? StringAttr::get(module.getContext(), mesh.name)
                              : meshes.create(module.getLoc(), mesh));
    if (!names.back())
      return failure();
  }
  size_t next = 0;
  for (Annotation &annotation : annotations) {
    if (annotation.gspmd.empty())
      continue;
    SmallVector<PlacementAttr> placements;
    for (auto [type, sharding] :
         llvm::zip(annotation.types, annotation.gspmd)) {
      placements.emplace_back();
      if (!isRanked(type) || !readableSharding(annotation, sharding))
        continue;
      GspmdPlacement each = (*placed)[next++];
      for (int64_t dim : annotation.openDims)
        if (dim >= 0 && dim < int64_t(each.placement.dims.size()))
          each.placement.dims[dim].open = true;
      if (annotation.op->getParentOfType<ManualOp>() &&
          !annotation.tellsManual) {
        each.placement.partial.reset();
        each.placement.partialAxes.clear();
      }
      placements.back() = PlacementAttr::get(module.getContext(),
                                             names[each.mesh], each.placement);
      if (failed(check(annotation, placements.back(), type)))
        return failure();
    }
    if (failed(annotation.apply(placements)))
      return failure();
  }
  return success();
}
