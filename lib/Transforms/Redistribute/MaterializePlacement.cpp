//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: propagated to redistributed. Gives one value the placement that a use
// requires: an existing value, a clone of a rematerializable tensor (R5), a
// clone of an op that only moves elements where that receives less, or a
// redistribution. Requires a placement on the value; guarantees that equal
// requests share one value, and that `strict` rejects implicit ones.
//
//===----------------------------------------------------------------------===//

#include "Inserter.h"
#include "Utils.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Placement/Describe.h"
#include "ShardIR/Placement/DeviceSample.h"
#include "ShardIR/Report/RedistributionUsers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace shardir;

/// Under strict: what would move, what it costs, and who wants what (C11).
LogicalResult Inserter::refuse(Value value, PlacementAttr wanted,
                               Operation *before, OpOperand *use,
                               ReasonAttr reason, const Halo &halo) {
  PlacementAttr present = getPlacement(value);
  InFlightDiagnostic error = before->emitOpError()
                             << "needs an implicit redistribution, which "
                                "strict forbids: "
                             << reason.describe() << " from " << present
                             << " to " << wanted;
  auto type = cast<RankedTensorType>(value.getType());
  if (meshes.get(present).isConcrete() &&
      present.getMesh() == wanted.getMesh()) {
    auto cost = MoveCosts(meshes, CostMode::Bytes).get(present, wanted, type);
    if (!halo.empty())
      error << ", " << bytesFor(type, present, wanted, halo)
            << " bytes per device";
    else if (cost)
      error << ", " << cost->bytes << " bytes per device";
  }
  if (halo.empty())
    error << "; request it with shardir.constrain (in JAX "
             "with_sharding_constraint, in PyTorch output_layouts of a "
             "parallel style)";
  else if (present.getMesh() == wanted.getMesh())
    error << ": "
          << describeRedistribution(present.getValue(), wanted.getValue(),
                                    meshes.get(wanted), halo)
          << "; to avoid it, constrain these dims to be unsharded with "
             "shardir.constrain";
  auto module = function->getParentOfType<ModuleOp>();
  auto note = [&](StringRef what, ArrayAttr provenance, Location otherwise) {
    auto first = cast<ProvenanceAttr>(provenance[0]);
    error.attachNote(locateProvenance(first, module, otherwise))
        << what << " by " << describeProvenance(provenance);
  };
  if (ArrayAttr mine = provenanceOf(value))
    note("the tensor is placed so", mine, value.getLoc());
  else
    error.attachNote(value.getLoc())
        << "the tensor is replicated: no annotation brings an axis to it";
  if (ArrayAttr theirs = use ? provenanceOfUse(*use) : ArrayAttr())
    note("the other placement is required", theirs, before->getLoc());
  else
    error.attachNote(before->getLoc())
        << "no annotation requires the other placement, but the op's rule does";
  return error;
}

FailureOr<Value> Inserter::materializePlacement(
    Value value, PlacementAttr wanted, Operation *before, bool isExplicit,
    ReasonAttr reason, const Halo &halo, OpOperand *use) {
  PlacementAttr present = getPlacement(value);
  if (!present)
    return before->emitOpError("uses a tensor without a placement; run "
                               "shardir-propagate first");
  auto type = cast<RankedTensorType>(value.getType());
  if (present.getMesh() == wanted.getMesh() &&
      agrees(present.getValue(), presentHalo(value), wanted.getValue(), halo,
             meshes.get(wanted), shapeOf(type)))
    return value;
  Placement normal = normalForm(wanted.getValue(), meshes.get(wanted),
                                blockShape(shapeOf(type), halo));
  std::string key = toString(wanted.getMesh().getValue().str(), normal) +
                    (halo.empty() ? "" : toString(halo));
  // Equal open windows may be in different places.
  if (use && numOpenWindows(halo))
    key += std::to_string(reinterpret_cast<uintptr_t>(use));
  // A value made in another branch or in a loop does not dominate uses outside
  // of it.
  if (Value cached = known[value].lookup(key);
      cached && cached.getParentRegion()->isAncestor(before->getParentRegion()))
    return cached;
  wanted = PlacementAttr::get(wanted.getContext(), wanted.getMesh(), normal);
  if (isRematerializable(value) && halo.empty()) {
    // Others may have an empty tensor there already.
    Value init;
    if (auto fill = value.getDefiningOp<DestinationStyleOpInterface>()) {
      FailureOr<Value> there = materializePlacement(
          fill.getDpsInits()[0], wanted, before, isExplicit, reason);
      if (failed(there))
        return failure();
      init = *there;
    }
    OpBuilder builder(before);
    return known[value][key] =
               cloneRematerializable(builder, value, wanted, before, init);
  }
  if (isRematerializable(value)) {
    // A window is sliced from the replicated clone, without communication.
    present = PlacementAttr::get(wanted.getContext(), wanted.getMesh(),
                                 Placement::replicatedOfRank(type.getRank()));
    FailureOr<Value> whole = materializePlacement(value, present, before,
                                                  /*isExplicit=*/true, reason);
    if (failed(whole))
      return failure();
    value = *whole;
  }
  if (!isExplicit) {
    FailureOr<Value> made = rematerialize(value, wanted, before, halo);
    if (failed(made))
      return failure();
    if (*made)
      return known[value][key] = *made;
  }
  if (strict && !isExplicit)
    return refuse(value, wanted, before, use, reason, halo);
  if (!halo.empty() && present.getMesh() == wanted.getMesh() &&
      present.getValue().isPartialOf(wanted.getValue())) {
    // Reduce a partial value first, once for all users.
    FailureOr<Value> reduced = materializePlacement(
        value, wanted, before, /*isExplicit=*/true, reason);
    if (failed(reduced))
      return failure();
    value = *reduced;
    present = wanted;
  }
  OpBuilder builder(before);
  auto op = RedistributeOp::create(
      builder, before->getLoc(), type, value, present, wanted,
      haloAttr(builder.getContext(), halo), reason,
      use ? windowValues(use->getOwner(), use->getOperandNumber(), halo)
          : SmallVector<Value>());
  inserted.insert(op);
  return known[value][key] = op.getResult();
}

SmallVector<Value> Inserter::windowValues(Operation *op, unsigned i,
                                          const Halo &halo) {
  SmallVector<Value> values;
  if (!numOpenWindows(halo))
    return values;
  OpBuilder builder(op);
  IndexMath math(builder, op->getLoc());
  SharedRule rule = getShardingRule(op);
  // Extents are asked of what has no halo.
  auto plain = [&](Value value) {
    while (true) {
      auto moved = value.getDefiningOp<RedistributeOp>();
      Value before = moved ? moved.getInput() : madeFrom.lookup(value);
      if (!before)
        return value;
      value = before;
    }
  };
  auto valueOf = [&](const RunTimeNumber &number) {
    OpFoldResult sum = math.constant(number.constant);
    for (const RunTimeNumber::Term &term : number.terms) {
      OpFoldResult own = op->getOperand(term.operand);
      if (term.dim >= 0)
        own =
            tensor::getMixedSize(builder, op->getLoc(),
                                 plain(op->getOperand(term.operand)), term.dim);
      else if (auto known = getConstantIntValue(own))
        own = builder.getIndexAttr(*known);
      sum = math.add(sum, math.mul(own, term.factor));
    }
    return math.value(sum);
  };
  for (size_t dim = 0; dim < halo.size(); ++dim)
    if (halo[dim].isOpen) {
      const Window::Open &open = *rule->operands[i].window(dim)->open;
      values.push_back(valueOf(open.extent));
      values.push_back(valueOf(open.shift));
    }
  return values;
}

int64_t Inserter::bytesFor(RankedTensorType type, PlacementAttr from,
                           PlacementAttr to, const Halo &halo) const {
  const Mesh &mesh = meshes.get(to);
  Placement source = from.getValue(), target = to.getValue();
  // Partial values are reduced either way.
  for (Placement *placement : {&source, &target}) {
    placement->partial.reset();
    placement->partialAxes.clear();
  }
  CollectiveStep step{CollectiveKind::HaloExchange, source, target, halo};
  DeviceSample sample(mesh);
  sample.add(step, shapeOf(type));
  return *llvm::max_element(
      bytesReceived({step}, mesh, shapeOf(type), elementBytes(type), sample));
}

/// The halo of a clone of `op`. What joins tensors takes dims that no device
/// cuts whole from its operands; its user reads its window there.
static Halo haloOfClone(Operation *op, const Placement &wanted, Halo halo) {
  if (isa<tensor::ExtractSliceOp>(op))
    return halo;
  for (size_t dim = 0; dim < halo.size(); ++dim)
    if (wanted.axesOf(dim).empty())
      halo[dim] = {};
  bool isNone =
      llvm::all_of(halo, [](const DimHalo &own) { return own.isZero(); });
  return isNone ? Halo() : halo;
}

FailureOr<Value> Inserter::rematerialize(Value value, PlacementAttr wanted,
                                         Operation *before,
                                         const Halo &needed) {
  Operation *op = value.getDefiningOp();
  // In a loop it would be made each time around.
  if (!op || op->getNumResults() != 1 || op->getBlock() != before->getBlock() ||
      op->hasAttr(ShardIRDialect::kHalo) ||
      op->hasAttr(ShardIRDialect::kConstrained) || numOpenWindows(needed))
    return Value();
  Halo halo = haloOfClone(op, wanted.getValue(), needed);
  PlacementAttr present = getPlacement(value);
  SharedRule rule = getShardingRule(op);
  if (!rule->takesResultHalo || present.getMesh() != wanted.getMesh())
    return Value();
  // Operands that were redistributed for this op are taken from where they
  // were.
  SmallVector<Value> sources;
  SmallVector<std::optional<Placement>> placements;
  int64_t made = 0;
  int64_t kept =
      bytesFor(cast<RankedTensorType>(value.getType()), present, wanted, halo);
  for (Value operand : op->getOperands()) {
    operand = originOf(operand, wanted.getMesh().getValue(),
                       value.hasOneUse() ? &kept : nullptr);
    // Overlapping shards are for the op that needs them alone.
    if (auto moved = operand.getDefiningOp<RedistributeOp>();
        moved && moved.getHalo())
      return Value();
    sources.push_back(operand);
    PlacementAttr own = isa<RankedTensorType>(operand.getType())
                            ? getPlacement(operand)
                            : PlacementAttr();
    if (own && own.getMesh() != wanted.getMesh())
      return Value();
    placements.push_back(own ? std::optional(own.getValue()) : std::nullopt);
  }
  const Mesh &mesh = meshes.get(wanted);
  // The rule knows the op's own extents: blocks of a window must be those of
  // the same splits there.
  if (!halo.empty() &&
      normalForm(wanted.getValue(), mesh,
                 shapeOf(cast<RankedTensorType>(value.getType()))) !=
          wanted.getValue())
    return Value();
  auto inferred = inferSharding(rule, {wanted.getValue()}, placements, mesh);
  auto *sharding = std::get_if<OpSharding>(&inferred);
  if (!sharding)
    return Value();
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (!placements[i])
      continue;
    auto own = haloOf(rule, i, sharding->splits, mesh, halo);
    if (!own)
      return Value();
    if (isRematerializable(source))
      continue;
    auto attr = [&](const Placement &placement) {
      return PlacementAttr::get(wanted.getContext(), wanted.getMesh(),
                                placement);
    };
    made += bytesFor(cast<RankedTensorType>(source.getType()),
                     attr(*placements[i]), attr(sharding->operands[i]), *own);
  }
  if (made > kept || (made == kept && halo.empty() && !value.hasOneUse()))
    return Value();
  OpBuilder builder(before);
  Operation *clone = builder.clone(*op);
  clone->setOperands(sources);
  clone->setAttr(ShardIRDialect::kPlacements,
                 builder.getArrayAttr({Attribute(wanted)}));
  if (!halo.empty())
    clone->setAttr(ShardIRDialect::kHalo, haloAttr(builder.getContext(), halo));
  // A value with another placement, or one that no annotation decided, is now
  // there for its user's reason.
  if (present != wanted)
    placeFor(before, clone, wanted);
  else if (ArrayAttr provenance = provenanceOn(before);
           provenance && !clone->hasAttr(ShardIRDialect::kDecidedBy))
    clone->setAttr(ShardIRDialect::kDecidedBy, provenance);
  remade.insert(op);
  madeFrom[clone->getResult(0)] = value;
  if (failed(visit(clone)))
    return failure();
  return clone->getResult(0);
}

Value Inserter::originOf(Value value, StringRef mesh, int64_t *bytes) {
  if (!value.hasOneUse())
    bytes = nullptr;
  if (Value origin = madeFrom.lookup(value)) {
    for (Value operand : value.getDefiningOp()->getOperands())
      originOf(operand, mesh, bytes);
    remade.insert(value.getDefiningOp());
    return origin;
  }
  // Constrained values stay, and partial values are reduced once.
  auto moved = value.getDefiningOp<RedistributeOp>();
  if (!moved || !inserted.contains(moved) ||
      moved->hasAttr(ShardIRDialect::kConstrained) ||
      moved.getFrom().getMesh().getValue() != mesh ||
      moved.getFrom().getValue().partial != moved.getTo().getValue().partial)
    return value;
  if (bytes)
    *bytes += bytesFor(moved.getType(), moved.getFrom(), moved.getTo(),
                       readHalo(moved.getHaloAttr()));
  return originOf(moved.getInput(), mesh, bytes);
}
