//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for scatters and sorts of several dialects. See ForeignOps.h.
//
//===----------------------------------------------------------------------===//

#include "ForeignOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// Follows a body with each tensor of rank 0 as its element.
class ScalarEmitter {
public:
  ScalarEmitter(OpBuilder &builder, Operation *foreign)
      : builder(builder), foreign(foreign) {}

  /// Emits the ops of `block`, whose arguments are `arguments`; returns what
  /// its terminator takes.
  FailureOr<SmallVector<Value>> run(Block &block, ValueRange arguments) {
    mapping.map(block.getArguments(), arguments);
    // An op that is not registered may be a terminator without saying so.
    for (Operation &op : llvm::drop_end(block))
      if (failed(emit(op)))
        return failure();
    return llvm::map_to_vector(block.back().getOperands(),
                               [&](Value value) { return lookup(value); });
  }

private:
  static bool isTensor(Value value) { return isa<ShapedType>(value.getType()); }

  Value lookup(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (!isTensor(value))
      return value;
    DenseElementsAttr constant;
    Location loc = foreign->getLoc();
    if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
      return arith::ConstantOp::create(
          builder, loc, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
    // It is a tensor from outside, or was never written.
    OpBuilder outside(foreign);
    if (value.getParentRegion() == &foreign->getRegion(0))
      value = tensor::EmptyOp::create(
          outside, loc, ArrayRef<int64_t>(),
          cast<ShapedType>(value.getType()).getElementType());
    return tensor::ExtractOp::create(outside, loc, value, ValueRange());
  }

  LogicalResult emit(Operation &op) {
    for (Value value : llvm::concat<Value>(llvm::to_vector(op.getOperands()),
                                           llvm::to_vector(op.getResults())))
      if (auto type = dyn_cast<ShapedType>(value.getType());
          type && (!type.hasRank() || type.getRank() != 0))
        return refuse(op);
    SmallVector<Value> operands;
    if (isa<tensor::EmptyOp>(op))
      return success();
    for (Value operand : op.getOperands())
      operands.push_back(
          operand.getDefiningOp<tensor::EmptyOp>() ? Value() : lookup(operand));
    if (isa<ConstrainOp, tensor::ExtractOp, tensor::FromElementsOp>(op)) {
      mapping.map(op.getResult(0), operands[0]);
      return success();
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      Block &body = *linalgOp.getBlock();
      for (auto [argument, operand] : llvm::zip(body.getArguments(), operands))
        if (!operand && !argument.use_empty())
          return refuse(op);
      FailureOr<SmallVector<Value>> yielded = run(body, operands);
      if (failed(yielded))
        return failure();
      mapping.map(op.getResults(), *yielded);
      return success();
    }
    if (op.getNumRegions() != 0 || llvm::is_contained(operands, Value()))
      return refuse(op);
    if (llvm::none_of(op.getOperands(), isTensor) &&
        llvm::none_of(op.getResults(), isTensor)) {
      builder.clone(op, mapping);
      return success();
    }
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      mapping.map(op.getResult(0), lookup(op.getResult(0)));
      return success();
    }
    if (!op.hasTrait<OpTrait::Scalarizable>())
      return refuse(op);
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
    Operation *scalar =
        builder.create(op.getLoc(), op.getName().getIdentifier(), operands,
                       types, op.getAttrs());
    mapping.map(op.getResults(), scalar->getResults());
    return success();
  }

  LogicalResult refuse(Operation &op) {
    InFlightDiagnostic diag = op.emitOpError(
        "cannot be read in a body of scalars; lower it to linalg first");
    diag.attachNote(foreign->getLoc()) << "in the body of this op";
    return diag;
  }

  OpBuilder &builder;
  Operation *foreign;
  IRMapping mapping;
};
} // namespace

FailureOr<Value> shardir::emitScalarBody(OpBuilder &builder, Operation *op,
                                         ValueRange arguments) {
  Region &region = op->getRegion(0);
  if (!region.hasOneBlock() || region.getNumArguments() != arguments.size() ||
      region.front().empty() || region.front().back().getNumOperands() != 1)
    return op->emitOpError("needs a region of one block with ")
           << arguments.size() << " arguments that yields one value";
  FailureOr<SmallVector<Value>> yielded =
      ScalarEmitter(builder, op).run(region.front(), arguments);
  if (failed(yielded))
    return failure();
  return yielded->front();
}

/// Gives `made` the body of `op`: `types` are those of its arguments, which
/// `order` numbers as `op` has them.
static LogicalResult translateBody(Operation *op, Operation *made,
                                   ArrayRef<Type> types,
                                   ArrayRef<unsigned> order) {
  // Values that the body captures are defined in front of `op`.
  op->moveBefore(made);
  OpBuilder builder(op);
  SmallVector<Location> locs(types.size(), op->getLoc());
  Block *block = builder.createBlock(&made->getRegion(0), {}, types, locs);
  SmallVector<Value> arguments;
  for (unsigned number : order)
    arguments.push_back(block->getArgument(number));
  FailureOr<Value> yielded = emitScalarBody(builder, op, arguments);
  if (failed(yielded))
    return failure();
  YieldOp::create(builder, op->getLoc(), *yielded);
  op->replaceAllUsesWith(made->getResults());
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

LogicalResult shardir::replaceBySort(Operation *op) {
  auto dim = op->getAttrOfType<IntegerAttr>("dimension");
  if (!dim || op->getNumRegions() != 1 || op->getNumOperands() == 0 ||
      op->getOperandTypes() != op->getResultTypes() ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return op->emitOpError("needs ranked tensors, results of their types, an "
                           "attribute 'dimension' and a region");
  int64_t rank = cast<ShapedType>(op->getOperand(0).getType()).getRank();
  int64_t number = dim.getInt() < 0 ? dim.getInt() + rank : dim.getInt();
  SmallVector<Type> types;
  SmallVector<unsigned> order;
  for (Type type : op->getOperandTypes())
    for (int side = 0; side < 2; ++side) {
      order.push_back(types.size());
      types.push_back(getElementTypeOrSelf(type));
    }
  OpBuilder builder(op);
  auto sort = SortOp::create(builder, op->getLoc(), op->getResultTypes(),
                             op->getOperands(), number);
  return translateBody(op, sort, types, order);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The indices with a dim for each of `dims`, an indexed dim of the tensor of
/// which a window covers as many elements as `extents` says.
static Value expandRows(OpBuilder &builder, Location loc,
                        const WindowScatter &scatter, ArrayRef<int64_t> dims,
                        ArrayRef<OpFoldResult> extents) {
  auto type = cast<RankedTensorType>(scatter.indices.getType());
  int64_t rows = type.getRank() - 1, rank = type.getRank() + dims.size();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, scatter.indices);
  sizes.insert(sizes.end() - 1, extents.begin(), extents.end());
  SmallVector<Value> ends; // the first place at which a window does not fit
  for (auto [dim, extent] : llvm::zip(dims, extents)) {
    Value size = getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, scatter.init, dim));
    Value beyond = arith::AddIOp::create(
        builder, loc, size, arith::ConstantIndexOp::create(builder, loc, 1));
    ends.push_back(arith::SubIOp::create(
        builder, loc, beyond,
        getValueOrCreateConstantIndexOp(builder, loc, extent)));
  }
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getIndexType());
  SmallVector<AffineExpr> read;
  for (int64_t dim = 0; dim < rows; ++dim)
    read.push_back(builder.getAffineDimExpr(dim));
  read.push_back(builder.getAffineDimExpr(rank - 1));
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, read, builder.getContext()),
      builder.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), scatter.indices, empty, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange args) {
        auto constant = [&](int64_t value) {
          return arith::ConstantIndexOp::create(b, l, value);
        };
        Value start = args[0];
        if (!start.getType().isIndex())
          start = arith::IndexCastOp::create(b, l, b.getIndexType(), start);
        Value number = linalg::IndexOp::create(b, l, rank - 1);
        Value result = start;
        for (auto [i, dim] : llvm::enumerate(dims)) {
          Value fits = arith::AndIOp::create(
              b, l,
              arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt, start,
                                    ends[i]),
              arith::CmpIOp::create(b, l, arith::CmpIPredicate::sge, start,
                                    constant(0)));
          Value place = arith::SelectOp::create(
              b, l, fits,
              arith::AddIOp::create(b, l, start,
                                    linalg::IndexOp::create(b, l, rows + i)),
              constant(-1));
          int64_t own =
              llvm::find(scatter.indexDims, dim) - scatter.indexDims.begin();
          Value isOwn = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq,
                                              number, constant(own));
          result = arith::SelectOp::create(b, l, isOwn, place, result);
        }
        linalg::YieldOp::create(b, l, result);
      });
  return generic.getResult(0);
}

/// One window that is all of the tensor: an elementwise op.
static LogicalResult replaceByMap(Operation *op, const WindowScatter &scatter,
                                  Value updates) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(scatter.init.getType());
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  FailureOr<Value> yielded = failure();
  auto map = linalg::GenericOp::create(
      builder, op->getLoc(), type, updates, scatter.init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        yielded = emitScalarBody(b, op, {args[1], args[0]});
        linalg::YieldOp::create(b, loc, yielded.value_or(args[0]));
      });
  op->replaceAllUsesWith(map);
  op->erase();
  return success(succeeded(yielded));
}

LogicalResult shardir::replaceByScatter(Operation *op,
                                        const WindowScatter &scatter) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto updatesType = cast<RankedTensorType>(scatter.updates.getType());
  auto initType = cast<RankedTensorType>(scatter.init.getType());

  // Windows of several elements of an indexed dim become rows; those of one
  // element have no dim.
  SmallVector<int64_t> order(scatter.rowDims), expanded, units, rest;
  SmallVector<OpFoldResult> extents;
  for (auto [dim, own] : llvm::enumerate(scatter.windowDims)) {
    if (own < 0)
      continue;
    int64_t extent = updatesType.getDimSize(own);
    if (!llvm::is_contained(scatter.indexDims, int64_t(dim))) {
      if (extent != initType.getDimSize(dim))
        return op->emitOpError("has windows of ")
               << extent << " elements of dim " << dim
               << ", which is not indexed and has " << initType.getDimSize(dim)
               << "; index it to begin at 0";
      rest.push_back(own);
    } else if (extent == 1) {
      units.push_back(own);
    } else {
      expanded.push_back(dim);
      extents.push_back(
          tensor::getMixedSize(builder, loc, scatter.updates, own));
      order.push_back(own);
    }
  }
  llvm::append_range(order, rest);
  Value updates = scatter.updates;
  if (!units.empty()) {
    SmallVector<int64_t> kept(order), shape;
    llvm::sort(kept);
    for (int64_t dim : kept)
      shape.push_back(updatesType.getDimSize(dim));
    auto groups =
        getReassociationIndicesForCollapse(updatesType.getShape(), shape);
    if (!groups)
      return op->emitOpError("has updates whose dims of one element cannot be "
                             "dropped");
    updates = tensor::CollapseShapeOp::create(builder, loc, updates, *groups);
    for (int64_t &dim : order)
      dim = llvm::find(kept, dim) - kept.begin();
  }
  if (!llvm::is_sorted(order)) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : order)
      sizes.push_back(tensor::getMixedSize(builder, loc, updates, dim));
    Value empty = tensor::EmptyOp::create(builder, loc, sizes,
                                          updatesType.getElementType());
    updates = linalg::TransposeOp::create(builder, loc, updates, empty, order)
                  ->getResult(0);
  }
  if (scatter.indexDims.empty() && scatter.rowDims.empty())
    return replaceByMap(op, scatter, updates);
  Value indices = scatter.indices;
  if (!expanded.empty())
    indices = expandRows(builder, loc, scatter, expanded, extents);

  auto made = ScatterRowsOp::create(builder, loc, updates, indices,
                                    scatter.init, scatter.indexDims,
                                    scatter.batchDims, scatter.unique);
  Type element = initType.getElementType();
  return translateBody(op, made, {element, element},
                       scatter.oldFirst ? ArrayRef<unsigned>{1, 0}
                                        : ArrayRef<unsigned>{0, 1});
}
