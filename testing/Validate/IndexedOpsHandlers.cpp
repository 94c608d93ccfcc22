//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shardir.scatter and shardir.sort. Places that data decides make an element
// depend on everything that may come there.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using Operands = Interpreter::Operands;
using Results = Interpreter::Results;

/// The value that the body of `op` yields for scalars.
static FailureOr<Scalar> runBody(Interpreter &interpreter, Operation *op,
                                 ArrayRef<Scalar> arguments) {
  SmallVector<RuntimeValue> values(arguments.begin(), arguments.end()), yielded;
  if (failed(interpreter.runBlock(op->getRegion(0).front(), values, yielded)))
    return failure();
  return yielded[0].scalar;
}

static LogicalResult runScatterRows(Interpreter &interpreter, Operation *op,
                                    Operands operands, Results &results) {
  auto scatter = cast<ScatterRowsOp>(op);
  const TensorData &updates = *operands[0].tensor,
                   &indices = *operands[1].tensor;
  auto made = std::make_shared<TensorData>(*operands[2].tensor);
  uint32_t all = 0;
  bool done = forEachIndex(updates.shape, [&](ArrayRef<int64_t> from) {
    auto row = from.take_front(scatter.getNumRowDims());
    SmallVector<int64_t> place(made->rank(), 0), at(row);
    at.push_back(0);
    const Scalar &update = updates.elements[updates.position(from)];
    for (auto [i, dim] : llvm::enumerate(scatter.getIndexDims())) {
      at.back() = i;
      const Scalar &coordinate = indices.elements[indices.position(at)];
      place[dim] = coordinate.i;
      if (coordinate.dependences)
        all = interpreter.unite(interpreter.unite(all, coordinate.dependences),
                                update.dependences);
    }
    for (auto [number, dim] : llvm::zip(row, scatter.getBatchDims()))
      place[dim] = number;
    for (auto [number, dim] :
         llvm::zip(from.drop_front(row.size()), scatter.getWindowDims()))
      place[dim] = number;
    int64_t position = made->position(place);
    if (position < 0)
      return true;
    Scalar &element = made->elements[position];
    FailureOr<Scalar> value = runBody(interpreter, op, {update, element});
    if (failed(value))
      return false;
    element = *value;
    return true;
  });
  if (all)
    for (Scalar &element : made->elements)
      element.dependences = interpreter.unite(element.dependences, all);
  results.push_back(Tensor(made));
  return success(done);
}

static LogicalResult runSort(Interpreter &interpreter, Operation *op,
                             Operands operands, Results &results) {
  int64_t dim = cast<SortOp>(op).getDim();
  SmallVector<std::shared_ptr<TensorData>> made;
  for (const RuntimeValue &operand : operands)
    made.push_back(std::make_shared<TensorData>(*operand.tensor));
  SmallVector<int64_t> rows(made[0]->shape.begin(), made[0]->shape.end());
  int64_t extent = rows[dim];
  rows[dim] = extent ? 1 : 0;
  bool done = forEachIndex(rows, [&](ArrayRef<int64_t> row) {
    auto element = [&](size_t tensor, int64_t place) -> Scalar & {
      SmallVector<int64_t> at(row);
      at[dim] = place;
      return made[tensor]->elements[made[tensor]->position(at)];
    };
    auto isBefore = [&](int64_t left, int64_t right) {
      SmallVector<Scalar> arguments;
      for (size_t tensor = 0; tensor < made.size(); ++tensor)
        arguments.append({element(tensor, left), element(tensor, right)});
      return runBody(interpreter, op, arguments);
    };
    uint32_t all = 0;
    // By insertion: an element goes down as long as it is before the next.
    for (int64_t i = 0; i < extent; ++i)
      for (int64_t place = i; place > 0; --place) {
        FailureOr<Scalar> moves = isBefore(place, place - 1),
                          stays = isBefore(place - 1, place);
        if (failed(moves) || failed(stays))
          return false;
        all = interpreter.unite(all, moves->dependences);
        if (!moves->i || stays->i)
          break;
        for (size_t tensor = 0; tensor < made.size(); ++tensor)
          std::swap(element(tensor, place), element(tensor, place - 1));
      }
    for (size_t tensor = 0; tensor < made.size(); ++tensor) {
      uint32_t reached = all;
      for (int64_t i = 0; i < extent; ++i)
        reached = interpreter.unite(reached, element(tensor, i).dependences);
      for (int64_t i = 0; all && i < extent; ++i)
        element(tensor, i).dependences = reached;
    }
    return true;
  });
  for (const std::shared_ptr<TensorData> &tensor : made)
    results.push_back(Tensor(tensor));
  return success(done);
}

void validate::addIndexedOpsHandlers(HandlerTable &table) {
  table.add("shardir.scatter", runScatterRows);
  table.add("shardir.sort", runSort);
}
