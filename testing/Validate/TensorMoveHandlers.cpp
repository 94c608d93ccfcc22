//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors cut, padded, joined and seen in another shape. Requires verified ops;
// slices out of bounds and reshapes that change the number of elements are
// errors, since local forms compute both from the rank.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using Operands = Interpreter::Operands;
using Results = Interpreter::Results;

namespace {
/// The numbers of a slice op as they are at run time.
struct SliceNumbers {
  SmallVector<int64_t> offsets, sizes, strides;

  template <typename Op>
  SliceNumbers(Interpreter &interpreter, Op op)
      : offsets(interpreter.numbers(op.getMixedOffsets())),
        sizes(interpreter.numbers(op.getMixedSizes())),
        strides(interpreter.numbers(op.getMixedStrides())) {}

  /// Where in the large tensor an element of the slice lies.
  int64_t position(const TensorData &large, ArrayRef<int64_t> index) const {
    SmallVector<int64_t> at;
    for (auto [i, offset, stride] : llvm::zip(index, offsets, strides))
      at.push_back(offset + i * stride);
    return large.position(at);
  }
};
} // namespace

static LogicalResult checkSlice(Interpreter &interpreter, Operation *op,
                                const SliceNumbers &slice,
                                const TensorData &large) {
  for (auto [offset, size, stride, extent] :
       llvm::zip(slice.offsets, slice.sizes, slice.strides, large.shape))
    if (size < 0 || offset < 0 || offset > extent ||
        (size > 0 && offset + (size - 1) * stride >= extent))
      return interpreter.fail(
          op, "takes offsets " + indexText(slice.offsets) + ", sizes " +
                  indexText(slice.sizes) + " and strides " +
                  indexText(slice.strides) + " of a tensor of extents " +
                  indexText(large.shape));
  return success();
}

static LogicalResult runExtractSlice(Interpreter &interpreter, Operation *op,
                                     Operands operands, Results &results) {
  auto extract = cast<tensor::ExtractSliceOp>(op);
  SliceNumbers slice(interpreter, extract);
  const TensorData &source = *operands[0].tensor;
  if (failed(checkSlice(interpreter, op, slice, source)))
    return failure();
  llvm::SmallBitVector dropped = extract.getDroppedDims();
  SmallVector<int64_t> extents;
  for (auto [dim, size] : llvm::enumerate(slice.sizes))
    if (!dropped.test(dim))
      extents.push_back(size);
  auto made = makeTensor(source.element, extents);
  size_t next = 0;
  forEachIndex(slice.sizes, [&](ArrayRef<int64_t> index) {
    made->elements[next++] = source.elements[slice.position(source, index)];
    return true;
  });
  results.push_back(Tensor(made));
  return success();
}

/// Writes a slice into a copy of `destination`.
template <typename Op>
static LogicalResult
insertSlice(Interpreter &interpreter, Op op, const TensorData &source,
            const TensorData &destination, Results &results) {
  SliceNumbers slice(interpreter, op);
  if (failed(checkSlice(interpreter, op, slice, destination)))
    return failure();
  if (numElements(slice.sizes) != numElements(source.shape))
    return interpreter.fail(op, "puts a tensor of extents " +
                                    indexText(source.shape) +
                                    " at a slice of " + indexText(slice.sizes));
  auto made = std::make_shared<TensorData>(destination);
  size_t next = 0;
  forEachIndex(slice.sizes, [&](ArrayRef<int64_t> index) {
    made->elements[slice.position(*made, index)] = source.elements[next++];
    return true;
  });
  results.push_back(Tensor(made));
  return success();
}

static LogicalResult runInsertSlice(Interpreter &interpreter, Operation *op,
                                    Operands operands, Results &results) {
  return insertSlice(interpreter, cast<tensor::InsertSliceOp>(op),
                     *operands[0].tensor, *operands[1].tensor, results);
}

/// In scf.forall's terminator: gives the destination's new value.
static LogicalResult runParallelInsert(Interpreter &interpreter, Operation *op,
                                       Operands operands, Results &results) {
  auto insert = cast<tensor::ParallelInsertSliceOp>(op);
  SmallVector<RuntimeValue> made;
  if (failed(insertSlice(interpreter, insert, *operands[0].tensor,
                         *operands[1].tensor, made)))
    return failure();
  interpreter.set(insert.getDest(), made[0]);
  return success();
}

static LogicalResult runPad(Interpreter &interpreter, Operation *op,
                            Operands operands, Results &results) {
  auto pad = cast<tensor::PadOp>(op);
  const TensorData &source = *operands[0].tensor;
  SmallVector<int64_t> low = interpreter.numbers(pad.getMixedLowPad());
  SmallVector<int64_t> high = interpreter.numbers(pad.getMixedHighPad());
  SmallVector<int64_t> extents;
  for (auto [l, extent, h] : llvm::zip(low, source.shape, high)) {
    extents.push_back(l + extent + h);
    if (extents.back() < 0)
      return interpreter.fail(op, "makes a tensor of extents " +
                                      indexText(extents));
  }
  auto made = makeTensor(source.element, extents);
  size_t next = 0;
  Block &body = pad.getRegion().front();
  bool done = forEachIndex(extents, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> at;
    for (auto [i, l] : llvm::zip(index, low))
      at.push_back(i - l);
    int64_t position = source.position(at);
    if (position >= 0) {
      made->elements[next++] = source.elements[position];
      return true;
    }
    return succeeded(runAt(interpreter, body, index, made->elements[next++]));
  });
  results.push_back(Tensor(made));
  return success(done);
}

static LogicalResult runConcat(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  int64_t dim = cast<tensor::ConcatOp>(op).getDim();
  SmallVector<int64_t> extents(ArrayRef<int64_t>(operands[0].tensor->shape));
  extents[dim] = 0;
  for (const RuntimeValue &operand : operands) {
    for (auto [d, extent] : llvm::enumerate(operand.tensor->shape))
      if (static_cast<int64_t>(d) != dim && extent != extents[d])
        return interpreter.fail(
            op, "joins tensors of different extents in dim " + Twine(d));
    extents[dim] += operand.tensor->shape[dim];
  }
  auto made = makeTensor(operands[0].tensor->element, extents);
  int64_t start = 0;
  for (const RuntimeValue &operand : operands) {
    size_t next = 0;
    forEachIndex(operand.tensor->shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at(index);
      at[dim] += start;
      made->elements[made->position(at)] = operand.tensor->elements[next++];
      return true;
    });
    start += operand.tensor->shape[dim];
  }
  results.push_back(Tensor(made));
  return success();
}

/// The same elements in other extents.
static LogicalResult reshape(Interpreter &interpreter, Operation *op,
                             const TensorData &source,
                             ArrayRef<int64_t> extents, Results &results) {
  if (llvm::any_of(extents, [](int64_t extent) { return extent < 0; }) ||
      numElements(extents) != numElements(source.shape))
    return interpreter.fail(op, "sees extents " + indexText(source.shape) +
                                    " as " + indexText(extents));
  auto made = std::make_shared<TensorData>(source);
  made->shape.assign(extents.begin(), extents.end());
  results.push_back(Tensor(made));
  return success();
}

static LogicalResult runCollapse(Interpreter &interpreter, Operation *op,
                                 Operands operands, Results &results) {
  const TensorData &source = *operands[0].tensor;
  SmallVector<int64_t> extents;
  for (const ReassociationIndices &group :
       cast<tensor::CollapseShapeOp>(op).getReassociationIndices()) {
    int64_t extent = 1;
    for (int64_t dim : group)
      extent *= source.shape[dim];
    extents.push_back(extent);
  }
  return reshape(interpreter, op, source, extents, results);
}

static LogicalResult runExpand(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  const TensorData &source = *operands[0].tensor;
  SmallVector<int64_t> extents =
      interpreter.numbers(expand.getMixedOutputShape());
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
    int64_t extent = 1;
    for (int64_t part : group)
      extent *= extents[part];
    if (extent != source.shape[dim])
      return interpreter.fail(op, "expands dim " + Twine(dim) + " of extents " +
                                      indexText(source.shape) + " to " +
                                      indexText(extents));
  }
  return reshape(interpreter, op, source, extents, results);
}

static LogicalResult runReshape(Interpreter &interpreter, Operation *op,
                                Operands operands, Results &results) {
  SmallVector<int64_t> extents;
  for (const Scalar &extent : operands[1].tensor->elements) {
    interpreter.noteControl(extent);
    extents.push_back(extent.i);
  }
  return reshape(interpreter, op, *operands[0].tensor, extents, results);
}

void validate::addTensorMoveHandlers(HandlerTable &table) {
  table.add("tensor.extract_slice", runExtractSlice);
  table.add("tensor.insert_slice", runInsertSlice);
  table.add("tensor.parallel_insert_slice", runParallelInsert);
  table.add("tensor.pad", runPad);
  table.add("tensor.concat", runConcat);
  table.add("tensor.collapse_shape", runCollapse);
  table.add("tensor.expand_shape", runExpand);
  table.add("tensor.reshape", runReshape);
}
