//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the steps of a redistribution: their three forms' syntax, their
// checks, and folding.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/Terms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

CollectiveStep CollectiveOpInterface::getStep() {
  return {getKind(), getFrom().getValue(), getTo().getValue(),
          readHalo(getHaloAttr())};
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult collective::detail::parseStep(OpAsmParser &parser,
                                          OperationState &state) {
  using Operand = OpAsmParser::UnresolvedOperand;
  Builder &builder = parser.getBuilder();
  Operand input, destination;
  SmallVector<Operand> sizes, dims;
  PlacementAttr from, to;
  Type inputType, outputType;
  bool buffers = false;
  if (parser.parseOperand(input))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("into"))) {
    buffers = true;
    if (parser.parseOperand(destination))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("sizes")) &&
      parser.parseOperandList(sizes, OpAsmParser::Delimiter::Square))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("dims")) &&
      parser.parseOperandList(dims, OpAsmParser::Delimiter::Square))
    return failure();
  if (parser.parseKeyword("from") || parser.parseAttribute(from) ||
      parser.parseKeyword("to") || parsePlacement(parser, to, inputType))
    return failure();
  state.addAttribute("from", from);
  state.addAttribute("to", to);
  if (!inputType && succeeded(parser.parseOptionalKeyword("halo"))) {
    ArrayAttr halo;
    if (parser.parseAttribute(halo))
      return failure();
    state.addAttribute("halo", halo);
  }
  if (!inputType && succeeded(parser.parseOptionalKeyword("of"))) {
    Type global;
    if (parser.parseType(global))
      return failure();
    state.addAttribute("global", TypeAttr::get(global));
  }
  if (!inputType && parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (parseColonTypeUnless(parser, inputType) ||
      parser.resolveOperand(input, inputType, state.operands))
    return failure();
  if (buffers) {
    if (parser.parseComma() || parser.parseType(outputType) ||
        parser.resolveOperand(destination, outputType, state.operands))
      return failure();
  } else {
    outputType = inputType;
    if (succeeded(parser.parseOptionalArrow()) && parser.parseType(outputType))
      return failure();
    state.addTypes(outputType);
  }
  Type index = builder.getIndexType();
  if (parser.resolveOperands(sizes, index, state.operands) ||
      parser.resolveOperands(dims, index, state.operands))
    return failure();
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr(
          {1, buffers ? 1 : 0, int32_t(sizes.size()), int32_t(dims.size())}));
  return success();
}

void collective::detail::printStep(OpAsmPrinter &printer,
                                   CollectiveOpInterface op,
                                   ArrayRef<int32_t>) {
  printer << ' ' << op.getInput();
  if (op.getOutput())
    printer << " into " << op.getOutput();
  if (!op.getSizes().empty())
    printer << " sizes [" << op.getSizes() << ']';
  if (!op.getDims().empty())
    printer << " dims [" << op.getDims() << ']';
  printer << " from " << op.getFrom() << " to " << op.getTo();
  if (op.getHaloAttr()) {
    printer << " halo ";
    printHalo(printer, op.getHaloAttr());
  }
  if (op.isLocal())
    printer << " of " << op.getGlobalTensorType();
  printer.printOptionalAttrDict(
      op->getAttrs(), {"from", "to", "halo", "global", "operandSegmentSizes"});
  printer << " : " << op.getInput().getType();
  if (op.getOutput())
    printer << ", " << op.getOutput().getType();
  else if (op.isLocal())
    printer << " -> " << op->getResult(0).getType();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

RankedTensorType
collective::detail::globalTensorType(CollectiveOpInterface op) {
  if (auto global = op->getAttrOfType<TypeAttr>("global"))
    return dyn_cast<RankedTensorType>(global.getValue());
  return dyn_cast<RankedTensorType>(op.getInput().getType());
}

void collective::detail::stepEffects(
    OpOperand &input, OpOperand *destination,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!destination)
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &input);
  effects.emplace_back(MemoryEffects::Write::get(), destination);
}

LogicalResult collective::detail::verifyStep(CollectiveOpInterface op) {
  bool hasResult = op->getNumResults() == 1;
  if (hasResult == bool(op.getOutput()))
    return op->emitOpError(
        "must have either a tensor result or a destination buffer");
  if (hasResult != isa<RankedTensorType>(op.getInput().getType()))
    return op->emitOpError("leads from a tensor to a tensor, or from a buffer "
                           "into a buffer; found an operand of type ")
           << op.getInput().getType();
  CollectiveKind kind = op.getKind();
  bool mayCross = kind == CollectiveKind::Exchange ||
                  kind == CollectiveKind::HaloExchange ||
                  kind == CollectiveKind::Slice;
  if (op.getFrom().getMesh() != op.getTo().getMesh() && !mayCross)
    return op->emitOpError("leads from mesh ")
           << op.getFrom().getMesh() << " to mesh " << op.getTo().getMesh()
           << "; only exchange, halo_exchange and slice do";
  bool mayHaveHalo =
      kind == CollectiveKind::HaloExchange || kind == CollectiveKind::Slice;
  if (op.getHaloAttr() && !mayHaveHalo)
    return op->emitOpError("has a halo; only halo_exchange and slice do");
  if (!op.getHaloAttr() && kind == CollectiveKind::HaloExchange)
    return op->emitOpError("needs `halo` and one [low, high] per dim");
  if (op.getFrom().getValue().sugar || op.getTo().getValue().sugar)
    return op->emitOpError("takes placements by dim; `placements = [...]` is "
                           "for annotations");
  RankedTensorType global = op.getGlobalTensorType();
  if (!global)
    return op->emitOpError("needs the global tensor's type: a ranked tensor");
  auto input = cast<ShapedType>(op.getInput().getType());
  auto output = cast<ShapedType>(hasResult ? op->getResult(0).getType()
                                           : op.getOutput().getType());
  if (failed(checkHalo(op, op.getHaloAttr(), global.getRank())))
    return failure();
  if (input.getRank() != global.getRank() ||
      output.getRank() != global.getRank() ||
      input.getElementType() != global.getElementType() ||
      output.getElementType() != global.getElementType())
    return op->emitOpError("needs operand, result, and global tensor of one "
                           "rank and element type");
  if (!op.isLocal() && (input != output || op.getOutput()))
    return op->emitOpError(
        "on global tensors has operand and result of one type; shards need "
        "`of` and the global tensor's type");
  if (op.isLocal() && hasResult &&
      op.getSizes().size() != size_t(output.getNumDynamicDims()))
    return op->emitOpError("needs one size per unknown dim of the result, ")
           << output.getNumDynamicDims() << " in all, found "
           << op.getSizes().size();
  size_t open = numOpenWindows(readHalo(op.getHaloAttr()));
  if (op.isLocal() &&
      op.getDims().size() != size_t(global.getNumDynamicDims()) + 2 * open) {
    InFlightDiagnostic error =
        op->emitOpError(
            "needs one extent per unknown dim of the global tensor, ")
        << global.getNumDynamicDims() << " in all, found "
        << op.getDims().size();
    if (open)
      error << "; extent and shift of each open window follow";
    return error;
  }
  if (!op.isLocal() && op.getDims().size() != 2 * open)
    return op->emitOpError("needs extent and shift of each window that is "
                           "known at run time alone, ")
           << 2 * open << " in all, found " << op.getDims().size();
  return success();
}

/// True if `to` is partial over all axes of `from`, however the two name
/// sub-axes.
static bool keepsOwing(const Placement &from, const Placement &to,
                       const Mesh &mesh) {
  if (!from.partial)
    return true;
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  std::vector<AxisRef> pending;
  for (const AxisRef &axis : to.partialAxes)
    llvm::append_range(pending, refine(axis, mesh, parts));
  auto isPartial = [&](const AxisRef &axis) {
    return llvm::is_contained(pending, axis) ||
           llvm::is_contained(pending, AxisRef{axis.name, 1, 0});
  };
  return from.partial == to.partial &&
         llvm::all_of(from.partialAxes, [&](const AxisRef &axis) {
           return llvm::all_of(refine(axis, mesh, parts), isPartial);
         });
}

/// Checks the change that each kind may make; `from` and `to` are in normal
/// form, and `isPartial` tells whether the operand is partial.
static std::optional<std::string>
checkKind(CollectiveKind kind, const Placement &from, const Placement &to,
          bool isPartial, const Mesh &mesh, const std::vector<int64_t> &shape) {
  bool samePartial =
      from.partial == to.partial && from.partialAxes == to.partialAxes;
  bool sameDims = from.dims == to.dims;
  switch (kind) {
  case CollectiveKind::AllReduce:
    if (!sameDims)
      return "changes no dim; use reduce_scatter";
    if (!isPartial || (to.partial && to.partial != from.partial))
      return "needs an operand that is partial of the result's kind";
    return std::nullopt;
  case CollectiveKind::ReduceScatter:
    if (!isPartial || (to.partial && to.partial != from.partial))
      return "needs an operand that is partial of the result's kind";
    return std::nullopt;
  case CollectiveKind::MakePartial:
    if (!keepsOwing(from, to, mesh))
      return "keeps the operand's partial axes";
    if (!sameDims && !canMakePartial(from, to, mesh, shape))
      return "moves nothing: along the axes that become partial, the devices' "
             "shards must make up the result's";
    return std::nullopt;
  case CollectiveKind::Slice:
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
  case CollectiveKind::HaloExchange:
    if (!samePartial)
      return "reduces nothing: operand and result must be partial over the "
             "same axes";
    return std::nullopt;
  }
  return std::nullopt;
}

/// A step between two meshes must be of a replicated tensor, unless the meshes
/// differ in names alone; a slice where every rank has what it needs.
static std::optional<std::string> checkCrossing(const CollectiveStep &step,
                                                const Mesh &from,
                                                const Mesh &to,
                                                ArrayRef<int64_t> shape) {
  bool isSlice = step.kind == CollectiveKind::Slice;
  if (isSlice && isRenamed(from, to) && renamed(step.from, from, to) == step.to)
    return std::nullopt;
  if (step.from.partial || step.to.partial)
    return "between two meshes takes no partial tensor; reduce before";
  if (!isSlice)
    return std::nullopt;
  if (from.isConcrete() && to.isConcrete() &&
      !llvm::is_contained(shape, kUnknown)) {
    CollectiveStep exchange{CollectiveKind::Exchange, step.from, step.to};
    int64_t missing = 0;
    for (int64_t p = 0, e = to.numDevices(); p < e && missing == 0; ++p)
      missing = bytesReceived(exchange, from, to, shape.vec(), 1, p);
    if (missing == 0)
      return std::nullopt;
  }
  return "leads to another mesh where some rank may lack what it needs; use "
         "exchange";
}

LogicalResult collective::detail::verifyStepSymbols(CollectiveOpInterface op,
                                                    SymbolTableCollection &) {
  RankedTensorType global = op.getGlobalTensorType();
  if (failed(verifyPlacementFor(op, op.getFrom(), global, "the operand")) ||
      failed(verifyPlacementFor(op, op.getTo(), global, "the result")))
    return failure();
  if (failed(verifyHaloFor(op, op.getHaloAttr(), op.getTo(), global)))
    return failure();
  Mesh mesh = lookupMesh(op, op.getFrom().getMesh()).getMesh();
  Mesh toMesh = lookupMesh(op, op.getTo().getMesh()).getMesh();
  std::vector<int64_t> shape = shapeOf(global);
  Placement from = normalForm(op.getFrom().getValue(), mesh, shape);
  Placement to = normalForm(op.getTo().getValue(), toMesh, shape);
  // Terms over an axis of size 1 are no terms in normal form, but reduced.
  bool isPartial = op.getFrom().getValue().partial.has_value();
  auto error =
      mesh == toMesh
          ? checkKind(op.getKind(), from, to, isPartial, mesh, shape)
          : checkCrossing({op.getKind(), from, to}, mesh, toMesh, shape);
  if (error)
    return op->emitOpError(*error)
           << "; found " << op.getFrom() << " to " << op.getTo();
  if (!op.isLocal() || !mesh.isConcrete() || !toMesh.isConcrete())
    return success();
  // Known local extents must be those that the placements give.
  auto check = [&](ShapedType type, const Placement &placement,
                   const Halo &halo, const Mesh &mesh,
                   StringRef what) -> LogicalResult {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (type.isDynamicDim(dim) || shape[dim] == kUnknown)
        continue;
      std::optional<int64_t> extent =
          uniformLocalExtent(placement, halo, mesh, shape[dim], dim);
      if (extent && *extent != type.getDimSize(dim))
        return op->emitOpError()
               << "expects the " << what << "'s dim " << dim << " to be "
               << *extent << ", the shard of " << shape[dim] << ", found "
               << type.getDimSize(dim);
      if (!extent)
        return op->emitOpError()
               << "expects the " << what << "'s dim " << dim
               << " to be `?`: the shard of " << shape[dim]
               << " differs among devices, found " << type.getDimSize(dim);
    }
    return success();
  };
  Value output = op.getOutput() ? op.getOutput() : op->getResult(0);
  if (failed(check(cast<ShapedType>(op.getInput().getType()), from, Halo(),
                   mesh, "operand")))
    return failure();
  return check(cast<ShapedType>(output.getType()), to,
               readHalo(op.getHaloAttr()), toMesh, "result");
}

//===----------------------------------------------------------------------===//
// Folding and building
//===----------------------------------------------------------------------===//

LogicalResult
collective::detail::foldStep(CollectiveOpInterface op,
                             SmallVectorImpl<OpFoldResult> &results) {
  if (op->getNumResults() != 1 || op.getFrom() != op.getTo() ||
      op.getHaloAttr() || op.getInput().getType() != op->getResult(0).getType())
    return failure();
  results.push_back(op.getInput());
  return success();
}

LogicalResult
collective::detail::reifyStep(CollectiveOpInterface op, OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  if (op->getNumResults() != 1)
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> &shape = shapes.emplace_back();
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      shape.push_back(builder.getIndexAttr(type.getDimSize(dim)));
    else if (op.isLocal())
      shape.push_back(op.getSizes()[next++]);
    else
      shape.push_back(
          tensor::DimOp::create(builder, op.getLoc(), op.getInput(), dim)
              .getResult());
  }
  return success();
}

template <typename Fn> static Value dispatch(CollectiveKind kind, Fn create) {
  switch (kind) {
  case CollectiveKind::Slice:
    return create(SliceOp());
  case CollectiveKind::MakePartial:
    return create(MakePartialOp());
  case CollectiveKind::AllGather:
    return create(AllGatherOp());
  case CollectiveKind::AllReduce:
    return create(AllReduceOp());
  case CollectiveKind::ReduceScatter:
    return create(ReduceScatterOp());
  case CollectiveKind::AllToAll:
    return create(AllToAllOp());
  case CollectiveKind::Permute:
    return create(PermuteOp());
  case CollectiveKind::Exchange:
    return create(ExchangeOp());
  case CollectiveKind::HaloExchange:
    return create(HaloExchangeOp());
  }
  llvm_unreachable("all kinds are listed");
}

/// The next step, or the one before, of the bucket that `op` is in.
static CollectiveOpInterface
neighbourInBucket(Operation *op,
                  llvm::function_ref<Operation *(Operation *)> next) {
  Attribute bucket = op->getAttr(kBucket);
  if (!bucket)
    return nullptr;
  while ((op = next(op))) {
    if (auto step = dyn_cast<CollectiveOpInterface>(op))
      return step->getAttr(kBucket) == bucket ? step : nullptr;
    if (!isMemoryEffectFree(op))
      return nullptr;
  }
  return nullptr;
}

SmallVector<CollectiveOpInterface>
collective::stepsOfBucket(CollectiveOpInterface op) {
  auto before = [](Operation *op) { return op->getPrevNode(); };
  auto behind = [](Operation *op) { return op->getNextNode(); };
  if (neighbourInBucket(op, behind))
    return {};
  SmallVector<CollectiveOpInterface> steps;
  for (; op; op = neighbourInBucket(op, before))
    steps.push_back(op);
  return {steps.rbegin(), steps.rend()};
}

Value collective::createStep(OpBuilder &builder, Location loc,
                             CollectiveKind kind, Value input,
                             PlacementAttr from, PlacementAttr to,
                             ReasonAttr reason, ArrayAttr halo,
                             ValueRange windows) {
  return dispatch(kind, [&](auto op) -> Value {
    return decltype(op)::create(builder, loc, TypeRange{input.getType()}, input,
                                Value(), ValueRange(), windows, from, to, halo,
                                TypeAttr(), reason)
        .getResult();
  });
}

CollectiveStep collective::manualStep(ManualCollectiveOp op,
                                      PlacementAttr inside) {
  // Other axes split what manual ones have cut.
  auto refined = [&](Placement placement) {
    for (DimPlacement &dim : placement.dims)
      if (inside)
        llvm::append_range(
            dim.splits,
            inside.getValue().dims[&dim - placement.dims.data()].splits);
    return placement;
  };
  return {*parseCollectiveKind(op.getKind().str()),
          refined(op.getSource().getValue()),
          refined(op.getTarget().getValue())};
}

Value collective::createLocalStep(OpBuilder &builder, Location loc,
                                  CollectiveKind kind, Value input,
                                  PlacementAttr from, PlacementAttr to,
                                  RankedTensorType global,
                                  RankedTensorType resultType, ValueRange sizes,
                                  ValueRange dims, ReasonAttr reason,
                                  ArrayAttr halo) {
  return dispatch(kind, [&](auto op) -> Value {
    return decltype(op)::create(builder, loc, TypeRange{resultType}, input,
                                Value(), sizes, dims, from, to, halo,
                                TypeAttr::get(global), reason)
        .getResult();
  });
}
