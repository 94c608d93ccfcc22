//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop nest of any structured op of linalg, named or generic, and the three
// ops that are none: softmax, pack, unpack. Requires tensors; guarantees that
// loops run over the extents that operands have at run time, and an error where
// two operands disagree on one.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using Operands = Interpreter::Operands;
using Results = Interpreter::Results;

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

namespace {
/// One operand: where element i of the loop nest lies in it.
struct Access {
  AffineMap map;
  TensorData *tensor = nullptr; ///< null: a scalar
  Scalar scalar;
  /// The tensor that is written to; null for inputs.
  std::shared_ptr<TensorData> written;
};
} // namespace

/// The loops' extents: from operands that a loop indexes alone, as linalg's
/// shapes-to-loops map does; -1 where none does.
static SmallVector<int64_t> loopExtents(unsigned loops,
                                        ArrayRef<Access> accesses) {
  SmallVector<int64_t> extents(loops, -1);
  for (const Access &access : accesses)
    if (access.tensor)
      for (auto [expr, extent] :
           llvm::zip(access.map.getResults(), access.tensor->shape))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          if (extents[dim.getPosition()] < 0)
            extents[dim.getPosition()] = extent;
  return extents;
}

/// `linalg.index` reads the loop counters that stand here.
static thread_local ArrayRef<int64_t> currentIndex;

static LogicalResult runIndex(Interpreter &, Operation *op, Operands,
                              Results &results) {
  results.push_back(integer(currentIndex[cast<linalg::IndexOp>(op).getDim()]));
  return success();
}

LogicalResult validate::runStructuredOp(Interpreter &interpreter, Operation *op,
                                        Operands operands, Results &results) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<Access> accesses;
  SmallVector<std::shared_ptr<TensorData>> outputs;
  SmallVector<unsigned> argumentOf;
  for (OpOperand &operand : op->getOpOperands()) {
    Access access;
    access.map = linalgOp.getMatchingIndexingMap(&operand);
    const RuntimeValue &value = operands[operand.getOperandNumber()];
    if (linalgOp.isDpsInit(&operand)) {
      access.written = std::make_shared<TensorData>(*value.tensor);
      access.tensor = access.written.get();
      outputs.push_back(access.written);
    } else if (value.tensor) {
      access.tensor = const_cast<TensorData *>(value.tensor.get());
    }
    access.scalar = value.scalar;
    argumentOf.push_back(
        linalgOp.getMatchingBlockArgument(&operand).getArgNumber());
    accesses.push_back(access);
  }
  unsigned loops = linalgOp.getNumLoops();
  SmallVector<int64_t> extents = loopExtents(loops, accesses);
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent < 0)
      return interpreter.fail(op, "has loop " + Twine(loop) +
                                      " whose extent no operand gives");
  // The last element of each operand that the loops reach must exist.
  bool runs = llvm::all_of(extents, [](int64_t extent) { return extent > 0; });
  if (runs) {
    SmallVector<int64_t> last(extents);
    for (int64_t &i : last)
      --i;
    for (auto [i, access] : llvm::enumerate(accesses))
      if (access.tensor &&
          access.tensor->position(access.map.compose(last)) < 0)
        return interpreter.fail(op, "reaches beyond operand " + Twine(i));
  }
  for (auto [i, access] : llvm::enumerate(accesses))
    if (access.tensor)
      for (auto [expr, extent] :
           llvm::zip(access.map.getResults(), access.tensor->shape))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          if (extents[dim.getPosition()] != extent)
            return interpreter.fail(
                op, "has loop " + Twine(dim.getPosition()) + " of extent " +
                        Twine(extents[dim.getPosition()]) + " but operand " +
                        Twine(i) + " has " + Twine(extent) + " there");
  Block &body = *linalgOp.getBlock();
  SmallVector<RuntimeValue> arguments(body.getNumArguments()), yielded;
  ArrayRef<int64_t> outer = currentIndex;
  bool done = forEachIndex(extents, [&](ArrayRef<int64_t> index) {
    currentIndex = index;
    SmallVector<int64_t> positions(accesses.size(), -1);
    for (auto [i, access] : llvm::enumerate(accesses)) {
      Scalar element = access.scalar;
      if (access.tensor) {
        positions[i] = access.tensor->position(access.map.compose(index));
        if (positions[i] < 0) {
          (void)interpreter.fail(op, "reaches beyond operand " + Twine(i));
          return false;
        }
        element = access.tensor->elements[positions[i]];
      }
      if (argumentOf[i] < arguments.size())
        arguments[argumentOf[i]] = element;
    }
    yielded.clear();
    if (failed(interpreter.runBlock(body, arguments, yielded)))
      return false;
    size_t output = 0;
    for (auto [i, access] : llvm::enumerate(accesses))
      if (access.written)
        access.written->elements[positions[i]] = yielded[output++].scalar;
    return true;
  });
  currentIndex = outer;
  for (auto &output : outputs)
    results.push_back(Tensor(output));
  return success(done);
}

void validate::addLinalgHandlers(HandlerTable &table) {
  table.add("linalg.index", runIndex);
}

//===----------------------------------------------------------------------===//
// softmax, pack, unpack
//===----------------------------------------------------------------------===//

static LogicalResult runSoftmax(Interpreter &interpreter, Operation *op,
                                Operands operands, Results &results) {
  int64_t dim = cast<linalg::SoftmaxOp>(op).getDimension();
  const TensorData &input = *operands[0].tensor;
  if (input.shape != operands[1].tensor->shape)
    return interpreter.fail(op, "has an input and an output of other extents");
  auto made = makeTensor(input.element, input.shape);
  SmallVector<int64_t> rows(ArrayRef<int64_t>(input.shape));
  rows[dim] = input.shape[dim] ? 1 : 0;
  forEachIndex(rows, [&](ArrayRef<int64_t> row) {
    SmallVector<int64_t> at(row);
    auto element = [&](int64_t i) {
      at[dim] = i;
      return input.position(at);
    };
    double largest = -INFINITY, sum = 0;
    uint32_t all = 0;
    bool undefined = false;
    for (int64_t i = 0; i < input.shape[dim]; ++i) {
      const Scalar &x = input.elements[element(i)];
      largest = std::isnan(x.re) ? x.re : std::max(largest, x.re);
      all = interpreter.unite(all, x.dependences);
      undefined |= x.undefined;
    }
    for (int64_t i = 0; i < input.shape[dim]; ++i)
      sum += std::exp(input.elements[element(i)].re - largest);
    for (int64_t i = 0; i < input.shape[dim]; ++i) {
      Scalar &y = made->elements[element(i)];
      y = real(
          roundTo(input.element,
                  std::exp(input.elements[element(i)].re - largest) / sum));
      y.dependences = all;
      y.undefined = undefined;
    }
    return true;
  });
  results.push_back(Tensor(made));
  return success();
}

/// Of an element of the packed tensor, the index in the plain one: outer dims
/// may be permuted, tile i is dim `inner[i]` in units of one.
static SmallVector<int64_t> plainIndex(ArrayRef<int64_t> packed,
                                       ArrayRef<int64_t> outerPerm,
                                       ArrayRef<int64_t> inner,
                                       ArrayRef<int64_t> tiles) {
  size_t rank = packed.size() - inner.size();
  SmallVector<int64_t> index(rank);
  for (size_t i = 0; i < rank; ++i)
    index[outerPerm.empty() ? i : outerPerm[i]] = packed[i];
  for (auto [i, dim] : llvm::enumerate(inner))
    index[dim] = index[dim] * tiles[i] + packed[rank + i];
  return index;
}

static LogicalResult runPack(Interpreter &interpreter, Operation *op,
                             Operands operands, Results &results) {
  auto pack = cast<linalg::PackOp>(op);
  const TensorData &source = *operands[0].tensor;
  auto made = std::make_shared<TensorData>(*operands[1].tensor);
  SmallVector<int64_t> tiles = interpreter.numbers(pack.getMixedTiles());
  Scalar padding;
  padding.undefined = true;
  if (Value value = pack.getPaddingValue())
    padding = interpreter.get(value).scalar;
  size_t next = 0;
  forEachIndex(made->shape, [&](ArrayRef<int64_t> index) {
    int64_t position = source.position(plainIndex(
        index, pack.getOuterDimsPerm(), pack.getInnerDimsPos(), tiles));
    made->elements[next++] = position < 0 ? padding : source.elements[position];
    return true;
  });
  results.push_back(Tensor(made));
  return success();
}

static LogicalResult runUnPack(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  auto unpack = cast<linalg::UnPackOp>(op);
  const TensorData &source = *operands[0].tensor;
  auto made =
      makeTensor(operands[1].tensor->element, operands[1].tensor->shape);
  SmallVector<int64_t> tiles = interpreter.numbers(unpack.getMixedTiles());
  size_t next = 0;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) {
    int64_t position = made->position(plainIndex(
        index, unpack.getOuterDimsPerm(), unpack.getInnerDimsPos(), tiles));
    if (position >= 0)
      made->elements[position] = source.elements[next];
    ++next;
    return true;
  });
  results.push_back(Tensor(made));
  return success();
}

void validate::addRelayoutHandlers(HandlerTable &table) {
  table.add("linalg.softmax", runSoftmax);
  table.add("linalg.pack", runPack);
  table.add("linalg.unpack", runUnPack);
}
