//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of devices and the rooted collectives. Requires meshes of the shardir
// dialect; guarantees that groups exist.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Placement/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

std::optional<AxisRef> collective::detail::readAxis(StringRef text) {
  AxisRef axis;
  auto [name, rest] = text.split(':');
  axis.name = name.str();
  if (rest.empty())
    return axis;
  if (!rest.consume_front("(") || rest.consumeInteger(10, axis.preSize) ||
      !rest.consume_front(")") || rest.getAsInteger(10, axis.size) ||
      axis.preSize < 1 || axis.size < 1)
    return std::nullopt;
  return axis;
}

LogicalResult collective::detail::verifyGroup(Operation *op,
                                              FlatSymbolRefAttr meshName,
                                              ArrayAttr axes,
                                              SymbolTableCollection &) {
  MeshOp mesh = lookupMesh(op, meshName);
  if (!mesh)
    return op->emitOpError("names mesh ")
           << meshName << ", which does not exist";
  std::vector<AxisRef> group;
  for (Attribute attr : axes) {
    std::optional<AxisRef> axis =
        detail::readAxis(cast<StringAttr>(attr).getValue());
    if (!axis)
      return op->emitOpError("axis ")
             << attr << " must be \"name\" or \"name:(pre)size\"";
    group.push_back(*axis);
  }
  if (axes.empty())
    return op->emitOpError("names no axis to communicate along");
  if (auto error = verifyAxes(group, mesh.getMesh(), "the group")) {
    InFlightDiagnostic diag = op->emitOpError(error->message);
    diag.attachNote(mesh.getLoc())
        << "mesh " << meshName << " declared here; " << error->hint;
    return diag;
  }
  return success();
}

Value collective::detail::createBlockExtent(OpBuilder &builder, Location loc,
                                            Operation *op,
                                            FlatSymbolRefAttr meshName,
                                            ArrayAttr axes, Value extent) {
  Mesh mesh = lookupMesh(op, meshName).getMesh();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, v);
  };
  for (Attribute attr : axes) {
    AxisRef axis = *detail::readAxis(cast<StringAttr>(attr).getValue());
    int64_t n = axisSize(mesh, axis);
    Value index =
        AxisIndexOp::create(builder, loc, builder.getIndexType(), meshName,
                            builder.getStringAttr(axis.name));
    if (!axis.isWhole()) {
      int64_t full = mesh.axes[mesh.axisIndex(axis.name)].assumedSize();
      index = arith::DivUIOp::create(builder, loc, index,
                                     constant(full / (axis.preSize * n)));
      index = arith::RemUIOp::create(builder, loc, index, constant(n));
    }
    Value block = arith::CeilDivUIOp::create(builder, loc, extent, constant(n));
    Value start = arith::MinUIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, index, block),
        extent);
    Value rest = arith::SubIOp::create(builder, loc, extent, start);
    extent = arith::MinUIOp::create(builder, loc, rest, block);
  }
  return extent;
}

int64_t collective::detail::groupSize(Operation *op, FlatSymbolRefAttr meshName,
                                      ArrayAttr axes) {
  MeshOp mesh = lookupMesh(op, meshName);
  if (!mesh)
    return 0;
  Mesh value = mesh.getMesh();
  int64_t size = 1;
  for (Attribute attr : axes) {
    std::optional<AxisRef> axis =
        detail::readAxis(cast<StringAttr>(attr).getValue());
    int index = axis ? value.axisIndex(axis->name) : -1;
    if (index < 0 || value.axes[index].size == kUnknown)
      return 0;
    size *= axisSize(value, *axis);
  }
  return size;
}

/// The type of the result, or of the destination of the buffer form.
template <typename OpTy> static ShapedType outputType(OpTy op) {
  Value output = op.getResult();
  return cast<ShapedType>((output ? output : op.getDestination()).getType());
}

template <typename OpTy> static LogicalResult verifyForms(OpTy op) {
  if (bool(op.getResult()) == bool(op.getDestination()))
    return op.emitOpError("must have either a tensor result or a destination "
                          "buffer");
  return success();
}

/// The operand has the form of the result.
template <typename OpTy> static LogicalResult verifyOperand(OpTy op) {
  if (failed(verifyForms(op)))
    return failure();
  if (bool(op.getResult()) != isa<RankedTensorType>(op.getInput().getType()))
    return op.emitOpError("leads from a tensor to a tensor, or from a buffer "
                          "into a buffer; found an operand of type ")
           << op.getInput().getType();
  return success();
}

/// Checks that `full` is `block` repeated along dim 0 once per device; a block
/// of unknown extent may be short or empty (P3).
template <typename OpTy>
static LogicalResult verifyBlocks(OpTy op, ShapedType block, ShapedType full) {
  if (block.getElementType() != full.getElementType() ||
      block.getRank() != full.getRank() || block.getRank() == 0)
    return op.emitOpError("needs equal element types and ranks of at least 1");
  int64_t size =
      collective::detail::groupSize(op, op.getMeshAttr(), op.getAxes());
  for (int64_t dim = 0; dim < block.getRank(); ++dim) {
    if (block.isDynamicDim(dim) || full.isDynamicDim(dim) || size == 0)
      continue;
    int64_t expected;
    if (llvm::MulOverflow(block.getDimSize(dim), dim == 0 ? size : 1, expected))
      return op.emitOpError("is for ") << size << " blocks of " << block
                                       << ", more than 64 bits can count";
    if (full.getDimSize(dim) == expected)
      continue;
    InFlightDiagnostic diag = op.emitOpError("expects dim ");
    diag << dim << " of the full tensor to be " << expected
         << " for a group of " << size << ", found " << full.getDimSize(dim);
    if (dim == 0 && full.getDimSize(dim) % size != 0)
      diag << "; blocks that are not all of one extent have `?` there";
    return diag;
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyOperand(*this)))
    return failure();
  ShapedType input = cast<ShapedType>(getInput().getType());
  ShapedType output = outputType(*this);
  if (input.getElementType() != output.getElementType() ||
      input.getShape() != output.getShape())
    return emitOpError("needs operand and result of one shape and type");
  return success();
}

LogicalResult GatherOp::verify() {
  if (failed(verifyOperand(*this)))
    return failure();
  return verifyBlocks(*this, cast<ShapedType>(getInput().getType()),
                      outputType(*this));
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyOperand(*this)))
    return failure();
  return verifyBlocks(*this, outputType(*this),
                      cast<ShapedType>(getInput().getType()));
}

LogicalResult SendOp::verify() { return success(); }

LogicalResult RecvOp::verify() { return verifyForms(*this); }

//===----------------------------------------------------------------------===//
// Shapes: the operand's, but for dim 0 of what a root gathers or scatters.
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult reifyRooted(OpTy op, OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes,
                                 llvm::function_ref<Value(Value)> dim0) {
  if (!op.getResult())
    return failure();
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<OpFoldResult> &shape = shapes.emplace_back();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      shape.push_back(builder.getIndexAttr(type.getDimSize(dim)));
      continue;
    }
    Value extent = tensor::DimOp::create(builder, loc, op.getInput(), dim);
    if (dim == 0)
      extent = dim0(extent);
    if (!extent)
      return failure();
    shape.push_back(extent);
  }
  return success();
}

LogicalResult
BroadcastOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyRooted(*this, builder, shapes, [](Value e) { return e; });
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  int64_t size = collective::detail::groupSize(*this, getMeshAttr(), getAxes());
  return reifyRooted(*this, builder, shapes, [&](Value e) -> Value {
    if (size == 0)
      return {};
    return arith::MulIOp::create(
        builder, getLoc(), e,
        arith::ConstantIndexOp::create(builder, getLoc(), size));
  });
}

LogicalResult
ScatterOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  int64_t size = collective::detail::groupSize(*this, getMeshAttr(), getAxes());
  return reifyRooted(*this, builder, shapes, [&](Value e) -> Value {
    return size == 0 ? Value()
                     : detail::createBlockExtent(builder, getLoc(), *this,
                                                 getMeshAttr(), getAxes(), e);
  });
}

//===----------------------------------------------------------------------===//
// Effects: tensors are values, but sending and receiving must stay in order.
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

template <typename OpTy> static void rootedEffects(OpTy op, Effects &effects) {
  if (!op.getDestination())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &op.getInputMutable());
  effects.emplace_back(MemoryEffects::Write::get(),
                       &op.getDestinationMutable()[0]);
}

void BroadcastOp::getEffects(Effects &effects) {
  rootedEffects(*this, effects);
}
void GatherOp::getEffects(Effects &effects) { rootedEffects(*this, effects); }
void ScatterOp::getEffects(Effects &effects) { rootedEffects(*this, effects); }
void SendOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
void RecvOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
