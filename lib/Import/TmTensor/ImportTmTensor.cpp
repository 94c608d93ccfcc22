//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of torch-mlir's linalg-on-tensors output that are not upstream's:
// `tm_tensor.scatter`, `sort` and `scan`, in generic form
// (torch-mlir-dialects/Dialect/TMTensor/IR/TMTensorOps.td).
//
//===----------------------------------------------------------------------===//

#include "../ForeignOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

static bool hasTensors(Operation *op, unsigned operands, unsigned results) {
  return op->getNumOperands() == operands && op->getNumResults() == results &&
         op->getNumRegions() == 1 &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
         op->getResultTypes() ==
             TypeRange(op->getOperandTypes()).take_back(results);
}

/// Of updates, indices and the original tensor. The last dims of an update are
/// a window; the original's first dims beyond it have one element of each.
static LogicalResult importTmTensorScatter(Operation *op) {
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dimension_map");
  if (!dims || !hasTensors(op, 3, 1))
    return op->emitOpError("needs updates, indices, a tensor of the result's "
                           "type, and an attribute 'dimension_map'");
  WindowScatter scatter;
  scatter.updates = op->getOperand(0);
  scatter.indices = op->getOperand(1);
  scatter.init = op->getOperand(2);
  scatter.indexDims.assign(dims.asArrayRef().begin(), dims.asArrayRef().end());
  auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
  scatter.unique = unique && unique.getValue();
  int64_t rank = cast<ShapedType>(scatter.init.getType()).getRank();
  int64_t updateRank = cast<ShapedType>(scatter.updates.getType()).getRank();
  if (cast<ShapedType>(scatter.indices.getType()).getRank() != 2 ||
      updateRank < 1 || updateRank > rank + 1)
    return op->emitOpError("needs indices of rank 2, and updates of rank 1 to ")
           << rank + 1 << ", found " << scatter.indices.getType() << " and "
           << scatter.updates.getType();
  scatter.rowDims = {0};
  for (int64_t dim = 0; dim < rank; ++dim)
    scatter.windowDims.push_back(std::max(dim + updateRank - rank, int64_t(0)));
  for (int64_t &dim : scatter.windowDims)
    dim = dim == 0 ? -1 : dim;
  return replaceByScatter(op, scatter);
}

/// A loop along the scanned dim, each step of which combines one slice. The
/// first one stands for itself.
static LogicalResult importScan(Operation *op) {
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension");
  auto inclusive = op->getAttrOfType<BoolAttr>("inclusive");
  if (!dimension || !inclusive || !hasTensors(op, 3, 2))
    return op->emitOpError("needs a tensor, two results with tensors of their "
                           "types, and attributes 'dimension' and 'inclusive'");
  if (!inclusive.getValue())
    return op->emitOpError("cannot be imported unless it is inclusive");
  Value input = op->getOperand(0);
  auto type = cast<RankedTensorType>(input.getType());
  auto totalType = cast<RankedTensorType>(op->getResult(1).getType());
  int64_t rank = type.getRank(), dim = dimension.getInt();
  if (dim < 0 || dim >= rank || totalType.getRank() != rank - 1 ||
      cast<ShapedType>(op->getResult(0).getType()).getRank() != rank)
    return op->emitOpError("cannot scan dim ")
           << dim << " of " << type << " with results of types "
           << op->getResultTypes();
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, input);
  Value steps = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
  sizes[dim] = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)),
      strides(rank, builder.getIndexAttr(1));
  auto loop = scf::ForOp::create(builder, loc, zero, steps, one,
                                 op->getOperands().drop_front());
  op->moveBefore(loop); // what its body reads from outside is read there
  builder.setInsertionPointToEnd(loop.getBody());
  Value step = loop.getInductionVar();
  offsets[dim] = step;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), input,
      offsets, sizes, strides);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, step, zero);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank - 1));
  SmallVector<utils::IteratorType> iterators(rank - 1,
                                             utils::IteratorType::parallel);
  bool failedBody = false;
  auto total = linalg::GenericOp::create(
      builder, loc, totalType, slice, loop.getRegionIterArg(1), maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange args) {
        FailureOr<Value> combined = emitScalarBody(b, op, {args[1], args[0]});
        failedBody = failed(combined);
        linalg::YieldOp::create(
            b, l,
            failedBody
                ? args[1]
                : arith::SelectOp::create(b, l, isFirst, args[0], *combined)
                      .getResult());
      });
  if (failedBody)
    return failure();
  Value inserted = tensor::InsertSliceOp::create(
      builder, loc, total.getResult(0), loop.getRegionIterArg(0), offsets,
      sizes, strides);
  scf::YieldOp::create(builder, loc, {inserted, total.getResult(0)});
  op->replaceAllUsesWith(loop.getResults());
  op->erase();
  return success();
}

LogicalResult shardir::importTmTensor(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (name == "scatter")
    return importTmTensorScatter(op);
  if (name == "sort")
    return replaceBySort(op);
  if (name == "scan")
    return importScan(op);
  return op->emitOpError("cannot be imported");
}
