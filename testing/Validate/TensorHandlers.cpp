//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors made, read and written element by element: empty, extract, insert,
// generate, splat, gather, scatter, casts and queries. Requires verified ops;
// an index out of bounds is an error that says so.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using Operands = Interpreter::Operands;
using Results = Interpreter::Results;

SmallVector<int64_t> validate::extentsOf(RankedTensorType type,
                                         Operands sizes) {
  SmallVector<int64_t> extents;
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent)) {
      extent = sizes.empty() ? -1 : sizes.front().scalar.i;
      sizes = sizes.drop_front(sizes.empty() ? 0 : 1);
    }
    extents.push_back(extent);
  }
  return extents;
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A new tensor of the result's type; null after an error.
static std::shared_ptr<TensorData> makeResult(Interpreter &interpreter,
                                              Operation *op, Operands sizes) {
  RankedTensorType type = typeOf(op->getResult(0));
  SmallVector<int64_t> extents = extentsOf(type, sizes);
  for (int64_t extent : extents)
    if (extent < 0) {
      (void)interpreter.fail(op, "makes a tensor of extent " + Twine(extent));
      return nullptr;
    }
  if (numElements(extents) > 1'000'000) {
    (void)interpreter.fail(op, "makes a tensor too large to try things on");
    return nullptr;
  }
  return makeTensor(type.getElementType(), extents);
}

static LogicalResult runEmpty(Interpreter &interpreter, Operation *op,
                              Operands operands, Results &results) {
  // bufferization.alloc_tensor may also copy a tensor.
  if (auto alloc = dyn_cast<bufferization::AllocTensorOp>(op);
      alloc && alloc.getCopy()) {
    results.push_back(interpreter.get(alloc.getCopy()));
    return success();
  }
  auto made = makeResult(interpreter, op, operands);
  if (!made)
    return failure();
  results.push_back(Tensor(made));
  return success();
}

static LogicalResult runSplat(Interpreter &interpreter, Operation *op,
                              Operands operands, Results &results) {
  auto made = makeResult(interpreter, op, operands.drop_front());
  if (!made)
    return failure();
  llvm::fill(made->elements, operands[0].scalar);
  results.push_back(Tensor(made));
  return success();
}

static LogicalResult runFromElements(Interpreter &interpreter, Operation *op,
                                     Operands operands, Results &results) {
  auto made = makeResult(interpreter, op, {});
  if (!made)
    return failure();
  for (auto [to, from] : llvm::zip(made->elements, operands))
    to = from.scalar;
  results.push_back(Tensor(made));
  return success();
}

LogicalResult validate::runAt(Interpreter &interpreter, Block &body,
                              ArrayRef<int64_t> index, Scalar &element) {
  SmallVector<RuntimeValue> arguments, yielded;
  for (int64_t i : index)
    arguments.push_back(integer(i));
  if (failed(interpreter.runBlock(body, arguments, yielded)))
    return failure();
  element = yielded[0].scalar;
  return success();
}

static LogicalResult runGenerate(Interpreter &interpreter, Operation *op,
                                 Operands operands, Results &results) {
  auto made = makeResult(interpreter, op, operands);
  if (!made)
    return failure();
  Block &body = cast<tensor::GenerateOp>(op).getBody().front();
  size_t next = 0;
  bool done = forEachIndex(made->shape, [&](ArrayRef<int64_t> index) {
    return succeeded(runAt(interpreter, body, index, made->elements[next++]));
  });
  results.push_back(Tensor(made));
  return success(done);
}

static LogicalResult runDim(Interpreter &interpreter, Operation *op,
                            Operands operands, Results &results) {
  int64_t dim = operands[1].scalar.i;
  if (dim < 0 || dim >= operands[0].tensor->rank())
    return interpreter.fail(op, "asks for dim " + Twine(dim) +
                                    ", which the tensor lacks");
  results.push_back(integer(operands[0].tensor->shape[dim]));
  return success();
}

static LogicalResult runRank(Interpreter &, Operation *, Operands operands,
                             Results &results) {
  results.push_back(integer(operands[0].tensor->rank()));
  return success();
}

static LogicalResult runShapeOf(Interpreter &interpreter, Operation *op,
                                Operands operands, Results &results) {
  if (!isa<RankedTensorType>(op->getResult(0).getType()))
    return interpreter.fail(op, "has a shape that is no tensor of extents");
  auto made = makeTensor(typeOf(op->getResult(0)).getElementType(),
                         {operands[0].tensor->rank()});
  for (auto [to, extent] : llvm::zip(made->elements, operands[0].tensor->shape))
    to = integer(extent);
  results.push_back(Tensor(made));
  return success();
}

/// Shapes aligned at their ends, as numpy broadcasts them.
static LogicalResult runShapeBroadcast(Interpreter &interpreter, Operation *op,
                                       Operands operands, Results &results) {
  SmallVector<int64_t> shape;
  for (const RuntimeValue &operand : operands) {
    if (!operand.tensor)
      return interpreter.fail(op, "has a shape that is no tensor of extents");
    const std::vector<Scalar> &extents = operand.tensor->elements;
    if (extents.size() > shape.size())
      shape.insert(shape.begin(), extents.size() - shape.size(), 1);
    size_t start = shape.size() - extents.size();
    for (auto [i, extent] : llvm::enumerate(extents)) {
      interpreter.noteControl(extent);
      if (shape[start + i] == 1)
        shape[start + i] = extent.i;
      else if (extent.i != 1 && extent.i != shape[start + i])
        return interpreter.fail(op, "has shapes that do not broadcast");
    }
  }
  auto made = makeTensor(typeOf(op->getResult(0)).getElementType(),
                         {int64_t(shape.size())});
  for (auto [to, extent] : llvm::zip(made->elements, shape))
    to = integer(extent);
  results.push_back(Tensor(made));
  return success();
}

static LogicalResult forwardFirst(Interpreter &, Operation *, Operands operands,
                                  Results &results) {
  results.push_back(operands[0]);
  return success();
}

static SmallVector<int64_t> indexOf(Operands operands) {
  SmallVector<int64_t> index;
  for (const RuntimeValue &operand : operands)
    index.push_back(operand.scalar.i);
  return index;
}

/// The position of an element; notes what its choice depends on.
static FailureOr<int64_t> elementAt(Interpreter &interpreter, Operation *op,
                                    const TensorData &tensor, Operands indices,
                                    uint32_t &chosenBy) {
  chosenBy = 0;
  for (const RuntimeValue &index : indices) {
    if (index.scalar.undefined)
      return interpreter.fail(op, "has an undefined index");
    chosenBy = interpreter.unite(chosenBy, index.scalar.dependences);
  }
  SmallVector<int64_t> index = indexOf(indices);
  int64_t position = tensor.position(index);
  if (position < 0)
    return interpreter.fail(op, "reads or writes " + indexText(index) +
                                    " of a tensor of extents " +
                                    indexText(tensor.shape));
  return position;
}

static LogicalResult runExtract(Interpreter &interpreter, Operation *op,
                                Operands operands, Results &results) {
  const TensorData &tensor = *operands[0].tensor;
  uint32_t chosenBy;
  FailureOr<int64_t> position =
      elementAt(interpreter, op, tensor, operands.drop_front(), chosenBy);
  if (failed(position))
    return failure();
  Scalar element = tensor.elements[*position];
  if (chosenBy) {
    // Other data would have chosen any other element.
    for (const Scalar &other : tensor.elements)
      chosenBy = interpreter.unite(chosenBy, other.dependences);
    element.dependences = chosenBy;
  }
  results.push_back(element);
  return success();
}

static LogicalResult runInsert(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  auto made = std::make_shared<TensorData>(*operands[1].tensor);
  uint32_t chosenBy;
  FailureOr<int64_t> position =
      elementAt(interpreter, op, *made, operands.drop_front(2), chosenBy);
  if (failed(position))
    return failure();
  Scalar element = operands[0].scalar;
  if (chosenBy) {
    chosenBy = interpreter.unite(chosenBy, element.dependences);
    for (Scalar &other : made->elements)
      other.dependences = interpreter.unite(other.dependences, chosenBy);
    element.dependences =
        interpreter.unite(made->elements[*position].dependences, chosenBy);
  }
  made->elements[*position] = element;
  results.push_back(Tensor(made));
  return success();
}

//===----------------------------------------------------------------------===//
// gather and scatter
//===----------------------------------------------------------------------===//

namespace {
/// How one coordinate picks a slice of a tensor, for both ops: dims in
/// `coordinateDims` come from the coordinate, others run over their extent.
struct PickedSlices {
  SmallVector<int64_t> batch; ///< extents of the coordinates' dims
  SmallVector<int64_t> slice; ///< extents of a slice, whole rank
  ArrayRef<int64_t> coordinateDims;
  bool keepsUnitDims = false; ///< whether the many slices keep picked dims

  PickedSlices(const TensorData &tensor, const TensorData &indices,
               int64_t manyRank, ArrayRef<int64_t> dims)
      : batch(ArrayRef<int64_t>(indices.shape).drop_back()),
        slice(ArrayRef<int64_t>(tensor.shape)), coordinateDims(dims) {
    for (int64_t dim : dims)
      slice[dim] = 1;
    keepsUnitDims =
        manyRank == static_cast<int64_t>(batch.size() + slice.size());
  }

  /// The index into the tensor of all slices.
  SmallVector<int64_t> manyIndex(ArrayRef<int64_t> where,
                                 ArrayRef<int64_t> inSlice) const {
    SmallVector<int64_t> index(where);
    for (auto [dim, i] : llvm::enumerate(inSlice))
      if (keepsUnitDims || !llvm::is_contained(coordinateDims, dim))
        index.push_back(i);
    return index;
  }
};
} // namespace

/// Visits each element of each slice with its position in the one tensor and in
/// the tensor of slices, and the dependences of the coordinate.
static LogicalResult
forEachPicked(Interpreter &interpreter, Operation *op, const TensorData &tensor,
              const TensorData &indices, const TensorData &many,
              ArrayRef<int64_t> dims,
              llvm::function_ref<void(int64_t, int64_t, uint32_t)> visit) {
  PickedSlices slices(tensor, indices, many.rank(), dims);
  bool done = forEachIndex(slices.batch, [&](ArrayRef<int64_t> where) {
    SmallVector<int64_t> start(tensor.rank(), 0);
    uint32_t chosenBy = 0;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      SmallVector<int64_t> at(where);
      at.push_back(i);
      const Scalar &coordinate = indices.elements[indices.position(at)];
      start[dim] = coordinate.i;
      chosenBy = interpreter.unite(chosenBy, coordinate.dependences);
    }
    return forEachIndex(slices.slice, [&](ArrayRef<int64_t> inSlice) {
      SmallVector<int64_t> index(inSlice);
      for (int64_t dim : dims)
        index[dim] = start[dim];
      int64_t one = tensor.position(index);
      int64_t of = many.position(slices.manyIndex(where, inSlice));
      if (one < 0 || of < 0) {
        (void)interpreter.fail(op, "names element " + indexText(index) +
                                       " of a tensor of extents " +
                                       indexText(tensor.shape));
        return false;
      }
      visit(one, of, chosenBy);
      return true;
    });
  });
  return success(done);
}

/// All that a choice of position along `dims` may reach.
static uint32_t reachable(Interpreter &interpreter, const TensorData &tensor) {
  uint32_t all = 0;
  for (const Scalar &element : tensor.elements)
    all = interpreter.unite(all, element.dependences);
  return all;
}

static LogicalResult runGather(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  auto gather = cast<tensor::GatherOp>(op);
  RankedTensorType type = typeOf(gather.getResult());
  const TensorData &source = *operands[0].tensor;
  const TensorData &indices = *operands[1].tensor;
  PickedSlices slices(source, indices, type.getRank(), gather.getGatherDims());
  SmallVector<int64_t> own(slices.batch);
  for (auto [dim, extent] : llvm::enumerate(slices.slice))
    if (slices.keepsUnitDims ||
        !llvm::is_contained(gather.getGatherDims(), dim))
      own.push_back(extent);
  auto made = makeTensor(type.getElementType(), own);
  // An element may come from anywhere along the gathered dims: from those that
  // agree with it in the other dims.
  llvm::DenseMap<int64_t, uint32_t> along;
  SmallVector<int64_t> strides(source.rank(), 0);
  int64_t stride = 1;
  for (int64_t dim = source.rank() - 1; dim >= 0; --dim) {
    if (!llvm::is_contained(gather.getGatherDims(), dim)) {
      strides[dim] = stride;
      stride *= source.shape[dim];
    }
  }
  auto keyOf = [&](int64_t position) {
    int64_t key = 0;
    for (int64_t dim = source.rank() - 1; dim >= 0; --dim) {
      key += strides[dim] * (position % source.shape[dim]);
      position /= source.shape[dim];
    }
    return key;
  };
  for (auto [position, element] : llvm::enumerate(source.elements))
    if (element.dependences)
      along[keyOf(position)] =
          interpreter.unite(along[keyOf(position)], element.dependences);
  LogicalResult done = forEachPicked(
      interpreter, op, source, indices, *made, gather.getGatherDims(),
      [&](int64_t one, int64_t of, uint32_t chosenBy) {
        Scalar element = source.elements[one];
        if (chosenBy)
          element.dependences =
              interpreter.unite(chosenBy, along.lookup(keyOf(one)));
        made->elements[of] = element;
      });
  results.push_back(Tensor(made));
  return done;
}

static LogicalResult runScatter(Interpreter &interpreter, Operation *op,
                                Operands operands, Results &results) {
  auto scatter = cast<tensor::ScatterOp>(op);
  auto made = std::make_shared<TensorData>(*operands[1].tensor);
  uint32_t all = 0;
  LogicalResult done =
      forEachPicked(interpreter, op, *operands[1].tensor, *operands[2].tensor,
                    *operands[0].tensor, scatter.getScatterDims(),
                    [&](int64_t one, int64_t of, uint32_t chosenBy) {
                      made->elements[one] = operands[0].tensor->elements[of];
                      all = interpreter.unite(all, chosenBy);
                    });
  if (all) {
    // Where elements go depends on the coordinates: any may be written.
    all = interpreter.unite(all, reachable(interpreter, *operands[0].tensor));
    for (auto [element, before] :
         llvm::zip(made->elements, operands[1].tensor->elements))
      element.dependences = interpreter.unite(before.dependences, all);
  }
  results.push_back(Tensor(made));
  return done;
}

void validate::addTensorHandlers(HandlerTable &table) {
  table.add("tensor.empty", runEmpty);
  table.add("bufferization.alloc_tensor", runEmpty);
  table.add("bufferization.materialize_in_destination", forwardFirst);
  table.add("tensor.cast", forwardFirst);
  table.add("shardir.optimization_barrier", forwardFirst);
  table.add("collective.host_copy", forwardFirst);
  table.add("shape.shape_of", runShapeOf);
  table.add("shape.broadcast", runShapeBroadcast);
  table.add("ub.poison", runEmpty);
  table.add("tensor.splat", runSplat);
  table.add("tensor.from_elements", runFromElements);
  table.add("tensor.generate", runGenerate);
  table.add("tensor.dim", runDim);
  table.add("tensor.rank", runRank);
  table.add("tensor.extract", runExtract);
  table.add("tensor.insert", runInsert);
  table.add("tensor.gather", runGather);
  table.add("tensor.scatter", runScatter);
}
