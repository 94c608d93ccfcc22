//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Manual regions and what they are once inlined. Requires nothing; guarantees
// of an op that verifies: manual axes are axes of the mesh, no sub-axes, each
// once; in each dim of a border they come first and divide it, so that the
// shards along them are of one static extent; values inside have the types of
// these shards, and what is said about them names other axes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace shardir;

static bool isManual(const AxisRef &axis, ArrayAttr manual) {
  return llvm::any_of(manual, [&](Attribute name) {
    return cast<StringAttr>(name).getValue() == axis.name;
  });
}

std::vector<AxisRef> shardir::manualAxesOf(const Placement &placement,
                                           ArrayAttr manual) {
  std::vector<AxisRef> axes;
  for (size_t dim = 0; dim < placement.dims.size(); ++dim)
    for (const AxisRef &axis : placement.axesOf(dim))
      if (isManual(axis, manual))
        axes.push_back(axis);
  for (const AxisRef &axis : placement.partialAxes)
    if (isManual(axis, manual))
      axes.push_back(axis);
  return axes;
}

Placement shardir::manualPart(const Placement &placement, ArrayAttr manual,
                              bool wantsManual) {
  Placement part = placement;
  part.partial.reset();
  part.partialAxes.clear();
  for (DimPlacement &dim : part.dims)
    llvm::erase_if(dim.splits, [&](const Split &split) {
      bool own = split.isAxis() && isManual(*split.axis, manual);
      return own != wantsManual;
    });
  return part;
}

/// Checks the list of manual axes against the mesh.
static LogicalResult verifyManualAxes(Operation *op, MeshOp mesh,
                                      ArrayAttr axes) {
  Mesh value = mesh.getMesh();
  llvm::StringSet<> seen;
  for (auto name : axes.getAsRange<StringAttr>()) {
    if (value.axisIndex(name.str()) < 0) {
      InFlightDiagnostic diag = op->emitOpError("names manual axis ")
                                << name << ", which mesh @" << mesh.getSymName()
                                << " lacks";
      diag.attachNote(mesh.getLoc()) << "mesh declared here";
      return diag;
    }
    if (!seen.insert(name.getValue()).second)
      return op->emitOpError("names manual axis ") << name << " twice";
  }
  return success();
}

FailureOr<RankedTensorType> shardir::manualShardType(Operation *op,
                                                     RankedTensorType type,
                                                     PlacementAttr placement,
                                                     ArrayAttr manual,
                                                     const Twine &what) {
  MeshOp meshOp = lookupMesh(op, placement.getMesh());
  Mesh mesh = meshOp.getMesh();
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, entry] : llvm::enumerate(placement.getValue().dims)) {
    int64_t pieces = 1;
    bool others = false;
    for (const Split &split : entry.splits) {
      if (!split.isAxis() || !isManual(*split.axis, manual)) {
        others = true;
        continue;
      }
      const AxisRef &axis = *split.axis;
      if (others)
        return op->emitOpError("splits dim ")
               << dim << " of " << what << " by manual axis " << toString(axis)
               << " behind what is not manual; write manual axes first";
      if (!axis.isWhole())
        return op->emitOpError("splits dim ")
               << dim << " of " << what << " by a part of a manual axis, "
               << toString(axis) << "; manual axes are no sub-axes";
      int64_t size = mesh.axes[mesh.axisIndex(axis.name)].size;
      if (size == kUnknown) {
        InFlightDiagnostic diag =
            op->emitOpError("has types of shards along \"")
            << axis.name
            << "\", whose size is not known; write it in "
               "the mesh";
        diag.attachNote(meshOp.getLoc()) << "mesh declared here";
        return diag;
      }
      pieces *= size;
    }
    // Of an extent that is known at run time alone the program checks it.
    if (pieces == 1 || type.isDynamicDim(dim))
      continue;
    if (shape[dim] % pieces)
      return op->emitOpError("cannot split dim ")
             << dim << " of " << what << " of type " << type
             << " by manual axes "
             << "into " << pieces << " equal shards; pad it, or leave the dim "
             << "to axes that are not manual";
    shape[dim] /= pieces;
  }
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

/// Checks one border of a manual region.
static LogicalResult verifyBorder(Operation *op, PlacementAttr placement,
                                  ArrayAttr axes, Type global, Type shard,
                                  bool isOut, const Twine &what) {
  if (failed(verifyPlacementFor(op, placement, global, what)))
    return failure();
  const Placement &value = placement.getValue();
  if (value.sugar)
    return op->emitOpError("takes placements by dim; `placements = [...]` is "
                           "for annotations");
  for (const AxisRef &axis : value.partialAxes)
    if (!isOut || !isManual(axis, axes))
      return op->emitOpError("has ")
             << what << " partial over " << toString(axis)
             << (isOut ? ", which is not manual; only manual axes are partial "
                         "across the border of a manual region"
                       : "; a tensor enters a manual region reduced");
  FailureOr<RankedTensorType> expected = manualShardType(
      op, cast<RankedTensorType>(global), placement, axes, what);
  if (failed(expected))
    return failure();
  if (*expected != shard)
    return op->emitOpError("needs type ")
           << *expected << " inside for " << what << " of type " << global
           << " at " << placement << ", found " << shard;
  return success();
}

//===----------------------------------------------------------------------===//
// ManualOp
//===----------------------------------------------------------------------===//

LogicalResult ManualOp::verify() {
  if (getIn().size() != getInputs().size() ||
      getOut().size() != getNumResults())
    return emitOpError("needs one placement per operand and result, ")
           << getInputs().size() << " and " << getNumResults() << ", found "
           << getIn().size() << " and " << getOut().size();
  if (getBody().getNumArguments() != getInputs().size())
    return emitOpError("needs one block argument per operand, ")
           << getInputs().size() << " in all, found "
           << getBody().getNumArguments();
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError("must end with shardir.yield");
  if (yield.getNumOperands() != getNumResults())
    return yield.emitOpError("gives ")
           << yield.getNumOperands() << " tensors for " << getNumResults()
           << " results";
  Operation *culprit = nullptr;
  visitUsedValuesDefinedAbove(getBody(), [&](OpOperand *operand) {
    if (isa<ShapedType>(operand->get().getType()) && !culprit)
      culprit = operand->getOwner();
  });
  if (!culprit)
    return success();
  InFlightDiagnostic diag = culprit->emitOpError(
      "uses a tensor from outside of the manual region; make it an operand");
  diag.attachNote(getLoc()) << "of this region";
  return diag;
}

/// Placements of tensors inside name axes that are not manual.
static LogicalResult verifyInside(ManualOp region, Operation *op) {
  ArrayAttr axes = region.getAxes();
  auto check = [&](Attribute attr) -> LogicalResult {
    auto placement = dyn_cast<PlacementAttr>(attr);
    if (!placement)
      return success();
    for (const AxisRef &axis : manualAxesOf(placement.getValue(), axes))
      return op->emitOpError("names ")
             << toString(axis)
             << ", which is manual here; along it tensors are written shard by "
                "shard";
    return success();
  };
  if (auto constrain = dyn_cast<ConstrainOp>(op))
    return check(constrain.getPlacement());
  if (auto placements =
          op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements))
    for (Attribute placement : placements)
      if (failed(check(placement)))
        return failure();
  if (auto inner = dyn_cast<ManualOp>(op)) {
    for (Attribute axis : inner.getAxes())
      if (llvm::is_contained(axes, axis))
        return op->emitOpError("names manual axis ")
               << axis << ", which is manual around it";
    for (Attribute placement :
         llvm::concat<const Attribute>(inner.getIn(), inner.getOut()))
      if (failed(check(placement)))
        return failure();
  }
  return success();
}

LogicalResult ManualOp::verifySymbolUses(SymbolTableCollection &) {
  FlatSymbolRefAttr mesh;
  for (auto placement : llvm::concat<const Attribute>(getIn(), getOut())) {
    auto own = cast<PlacementAttr>(placement).getMesh();
    if (mesh && own != mesh)
      return emitOpError("has placements on two meshes, ")
             << mesh << " and " << own;
    mesh = own;
  }
  if (!mesh)
    return success();
  MeshOp meshOp = lookupMesh(*this, mesh);
  if (!meshOp)
    return emitOpError("names mesh ") << mesh << ", which does not exist";
  if (failed(verifyManualAxes(*this, meshOp, getAxes())))
    return failure();
  for (auto [i, placement, input, argument] :
       llvm::enumerate(getIn(), getInputs(), getBody().getArguments()))
    if (failed(verifyBorder(*this, cast<PlacementAttr>(placement), getAxes(),
                            input.getType(), argument.getType(),
                            /*isOut=*/false, "operand " + Twine(i))))
      return failure();
  Operation *yield = getBody().front().getTerminator();
  for (auto [i, placement, result, value] :
       llvm::enumerate(getOut(), getResults(), yield->getOperands()))
    if (failed(verifyBorder(*this, cast<PlacementAttr>(placement), getAxes(),
                            result.getType(), value.getType(),
                            /*isOut=*/true, "result " + Twine(i))))
      return failure();
  WalkResult walked = getBody().walk(
      [&](Operation *op) { return WalkResult(verifyInside(*this, op)); });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The remainder of a region
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyBorderOp(Op op, Value global, Value shard,
                                    bool isOut) {
  MeshOp mesh = lookupMesh(op, op.getPlacement().getMesh());
  if (!mesh)
    return op.emitOpError("names mesh ")
           << op.getPlacement().getMesh() << ", which does not exist";
  if (failed(verifyManualAxes(op, mesh, op.getAxes())))
    return failure();
  return verifyBorder(op, op.getPlacement(), op.getAxes(), global.getType(),
                      shard.getType(), isOut,
                      isOut ? "the result" : "the operand");
}

LogicalResult ManualInOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyBorderOp(*this, getInput(), getResult(), /*isOut=*/false);
}

LogicalResult ManualOutOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyBorderOp(*this, getResult(), getInput(), /*isOut=*/true);
}

LogicalResult ManualCollectiveOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(
          verifyPlacementFor(*this, getSource(), getGlobal(), "the operand")) ||
      failed(verifyPlacementFor(*this, getTarget(), getGlobal(), "the result")))
    return failure();
  size_t sizes = getResult().getType().getNumDynamicDims();
  auto global = cast<RankedTensorType>(getGlobal());
  if (getSizes().size() != sizes ||
      getDims().size() != size_t(global.getNumDynamicDims()))
    return emitOpError("needs one size per unknown dim of the result and one "
                       "extent per unknown dim of the global tensor, ")
           << sizes << " and " << global.getNumDynamicDims() << ", found "
           << getSizes().size() << " and " << getDims().size();
  if (getSource().getMesh() == getTarget().getMesh())
    return success();
  // Only which device stands where may differ.
  Mesh source = lookupMesh(*this, getSource().getMesh()).getMesh();
  Mesh target = lookupMesh(*this, getTarget().getMesh()).getMesh();
  bool sameAxes = llvm::equal(source.axes, target.axes,
                              [](const MeshAxis &a, const MeshAxis &b) {
                                return a.name == b.name && a.size == b.size;
                              });
  if (getKind() != "exchange" || !sameAxes)
    return emitOpError("leads from one mesh to another; in a manual region an "
                       "exchange may, between meshes of the same axes");
  return success();
}
