//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of scatters and sorts.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace shardir;

/// Checks that the body of `op` takes scalars of types `arguments` and yields
/// one of type `yielded`.
static LogicalResult verifyBody(Operation *op, ArrayRef<Type> arguments,
                                Type yielded) {
  Block &body = op->getRegion(0).front();
  if (body.getArgumentTypes() != TypeRange(arguments)) {
    InFlightDiagnostic diag =
        op->emitOpError("needs a region with arguments of types ");
    llvm::interleaveComma(arguments, diag);
    diag << ", found ";
    llvm::interleaveComma(body.getArgumentTypes(), diag);
    return diag;
  }
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield->getOperandTypes() != TypeRange(yielded))
    return op->emitOpError("needs a region that ends with shardir.yield of one "
                           "value of type ")
           << yielded;
  return success();
}

static bool isCompatible(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

//===----------------------------------------------------------------------===//
// ScatterRowsOp
//===----------------------------------------------------------------------===//

MutableOperandRange ScatterRowsOp::getDpsInitsMutable() {
  return getInitMutable();
}

SmallVector<int64_t> ScatterRowsOp::getWindowDims() {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < getInit().getType().getRank(); ++dim)
    if (!llvm::is_contained(getIndexDims(), dim) &&
        !llvm::is_contained(getBatchDims(), dim))
      dims.push_back(dim);
  return dims;
}

LogicalResult ScatterRowsOp::verify() {
  RankedTensorType init = getInit().getType(), updates = getUpdates().getType(),
                   indices = getIndices().getType();
  ArrayRef<int64_t> indexDims = getIndexDims(), batchDims = getBatchDims();
  if (indexDims.empty())
    return emitOpError("needs at least one dim in 'index_dims'");
  llvm::SmallSet<int64_t, 4> seen;
  for (int64_t dim : llvm::concat<const int64_t>(indexDims, batchDims)) {
    if (dim < 0 || dim >= init.getRank())
      return emitOpError("names dim ") << dim << ", which the tensor of rank "
                                       << init.getRank() << " lacks";
    if (!seen.insert(dim).second)
      return emitOpError("names dim ") << dim << " twice";
  }
  if (!indices.getElementType().isSignlessIntOrIndex())
    return emitOpError("needs indices that are signless integers, found ")
           << indices.getElementType();
  if (indices.getRank() < 1 ||
      indices.getDimSize(getNumRowDims()) != int64_t(indexDims.size()))
    return emitOpError("needs indices whose last dim has ")
           << indexDims.size() << " coordinates, found " << indices;
  if (getNumRowDims() < int64_t(batchDims.size()))
    return emitOpError("needs indices with a dim for each of its ")
           << batchDims.size() << " batch dims and one for coordinates, found "
           << indices;
  if (updates.getElementType() != init.getElementType())
    return emitOpError("needs updates of type ")
           << init.getElementType() << ", found " << updates.getElementType();

  SmallVector<int64_t> shape(indices.getShape().drop_back());
  for (auto [i, dim] : llvm::enumerate(batchDims)) {
    if (!isCompatible(shape[i], init.getDimSize(dim)))
      return emitOpError("has ")
             << init.getDimSize(dim) << " elements in batch dim " << dim
             << " and " << shape[i] << " in dim " << i << " of the indices";
  }
  for (int64_t dim : getWindowDims())
    shape.push_back(init.getDimSize(dim));
  if (int64_t(shape.size()) != updates.getRank() ||
      !llvm::all_of_zip(shape, updates.getShape(), isCompatible))
    return emitOpError("needs updates like ")
           << RankedTensorType::get(shape, init.getElementType())
           << ", the rows and then the dims that are not indexed, found "
           << updates;
  Type element = init.getElementType();
  return verifyBody(*this, {element, element}, element);
}

//===----------------------------------------------------------------------===//
// SortOp
//===----------------------------------------------------------------------===//

MutableOperandRange SortOp::getDpsInitsMutable() { return getInputsMutable(); }

LogicalResult SortOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one tensor");
  auto first = cast<RankedTensorType>(getInputs()[0].getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOpError("names dim ")
           << dim << ", which tensors of rank " << first.getRank() << " lack";
  SmallVector<Type> arguments;
  for (Type type : getInputs().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getShape() != first.getShape())
      return emitOpError("needs tensors of one shape, found ")
             << first << " and " << tensor;
    arguments.append(2, tensor.getElementType());
  }
  return verifyBody(*this, arguments, IntegerType::get(getContext(), 1));
}
