//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow and what local forms ask of their device: scf, func, affine and
// `shardir.axis_index`. Requires structured control flow; notes where data
// decides what runs.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using Operands = Interpreter::Operands;
using Results = Interpreter::Results;

static LogicalResult runIf(Interpreter &interpreter, Operation *op,
                           Operands operands, Results &results) {
  auto ifOp = cast<scf::IfOp>(op);
  interpreter.noteControl(operands[0].scalar);
  Region &taken =
      operands[0].scalar.i ? ifOp.getThenRegion() : ifOp.getElseRegion();
  if (taken.empty())
    return success();
  return interpreter.runBlock(taken.front(), {}, results);
}

static LogicalResult runIndexSwitch(Interpreter &interpreter, Operation *op,
                                    Operands operands, Results &results) {
  auto switchOp = cast<scf::IndexSwitchOp>(op);
  interpreter.noteControl(operands[0].scalar);
  for (auto [value, region] :
       llvm::zip(switchOp.getCases(), switchOp.getCaseRegions()))
    if (value == operands[0].scalar.i)
      return interpreter.runBlock(region.front(), {}, results);
  return interpreter.runBlock(switchOp.getDefaultRegion().front(), {}, results);
}

static LogicalResult runExecuteRegion(Interpreter &interpreter, Operation *op,
                                      Operands, Results &results) {
  Region &region = op->getRegion(0);
  if (!region.hasOneBlock())
    return interpreter.fail(op, "has more than one block");
  return interpreter.runBlock(region.front(), {}, results);
}

static LogicalResult runFor(Interpreter &interpreter, Operation *op,
                            Operands operands, Results &results) {
  auto loop = cast<scf::ForOp>(op);
  for (const RuntimeValue &bound : operands.take_front(3))
    interpreter.noteControl(bound.scalar);
  int64_t step = operands[2].scalar.i;
  if (step <= 0)
    return interpreter.fail(op, "has a step that is not positive");
  SmallVector<RuntimeValue> carried(operands.drop_front(3));
  for (int64_t i = operands[0].scalar.i; i < operands[1].scalar.i; i += step) {
    SmallVector<RuntimeValue> arguments = {integer(i)}, yielded;
    llvm::append_range(arguments, carried);
    if (failed(interpreter.runBlock(*loop.getBody(), arguments, yielded)))
      return failure();
    carried = yielded;
  }
  results.append(carried.begin(), carried.end());
  return success();
}

static LogicalResult runWhile(Interpreter &interpreter, Operation *op,
                              Operands operands, Results &results) {
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<RuntimeValue> carried(operands);
  while (true) {
    SmallVector<RuntimeValue> condition, yielded;
    if (failed(
            interpreter.runBlock(loop.getBefore().front(), carried, condition)))
      return failure();
    interpreter.noteControl(condition[0].scalar);
    Operands passed = ArrayRef(condition).drop_front();
    if (!condition[0].scalar.i) {
      results.append(passed.begin(), passed.end());
      return success();
    }
    if (failed(interpreter.runBlock(loop.getAfter().front(), passed, yielded)))
      return failure();
    carried = yielded;
  }
}

static LogicalResult runForall(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  auto loop = cast<scf::ForallOp>(op);
  auto number = [&](OpFoldResult value) {
    auto attribute = dyn_cast<Attribute>(value);
    return attribute ? cast<IntegerAttr>(attribute).getInt()
                     : interpreter.get(cast<Value>(value)).scalar.i;
  };
  SmallVector<int64_t> lower, step, trips;
  for (auto [low, high, by] :
       llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                 loop.getMixedStep())) {
    lower.push_back(number(low));
    step.push_back(number(by));
    if (step.back() <= 0)
      return interpreter.fail(op, "has a step that is not positive");
    trips.push_back(std::max<int64_t>(
        0, (number(high) - lower.back() + step.back() - 1) / step.back()));
  }
  Block &body = *loop.getBody();
  SmallVector<RuntimeValue> outputs;
  for (Value output : loop.getOutputs())
    outputs.push_back(interpreter.get(output));
  bool done = forEachIndex(trips, [&](ArrayRef<int64_t> trip) {
    SmallVector<RuntimeValue> arguments, unused;
    for (auto [i, low, by] : llvm::zip(trip, lower, step))
      arguments.push_back(integer(low + i * by));
    llvm::append_range(arguments, outputs);
    if (failed(interpreter.runBlock(body, arguments, unused)))
      return false;
    for (Operation &insert : loop.getTerminator().getRegion().front())
      if (failed(interpreter.runOp(&insert)))
        return false;
    for (auto [output, argument] : llvm::zip(outputs, loop.getRegionIterArgs()))
      output = interpreter.get(argument);
    return true;
  });
  results.append(outputs.begin(), outputs.end());
  return success(done);
}

static LogicalResult runCall(Interpreter &interpreter, Operation *op,
                             Operands operands, Results &results) {
  auto call = cast<func::CallOp>(op);
  func::FuncOp callee = interpreter.lookupFunction(call.getCallee());
  if (!callee)
    return interpreter.fail(op, "calls @" + call.getCallee() +
                                    ", which is not defined");
  FailureOr<SmallVector<RuntimeValue>> called =
      interpreter.call(callee, operands);
  if (failed(called))
    return failure();
  results.append(called->begin(), called->end());
  return success();
}

static LogicalResult runAssert(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &) {
  if (operands[0].scalar.i)
    return success();
  return interpreter.fail(op,
                          "does not hold: " + cast<cf::AssertOp>(op).getMsg());
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

enum class Pick { First, Least, Largest };

template <typename Op, Pick pick>
static LogicalResult runAffine(Interpreter &interpreter, Operation *op,
                               Operands operands, Results &results) {
  AffineMap map = cast<Op>(op).getAffineMap();
  SmallVector<Attribute> constants;
  uint32_t all = 0;
  Builder builder(op->getContext());
  for (const RuntimeValue &operand : operands) {
    constants.push_back(builder.getIndexAttr(operand.scalar.i));
    all = interpreter.unite(all, operand.scalar.dependences);
  }
  SmallVector<Attribute> folded;
  if (failed(map.constantFold(constants, folded)))
    return interpreter.fail(op, "divides by zero");
  SmallVector<int64_t> values;
  for (Attribute value : folded)
    values.push_back(cast<IntegerAttr>(value).getInt());
  Scalar result = integer(pick == Pick::Least     ? *llvm::min_element(values)
                          : pick == Pick::Largest ? *llvm::max_element(values)
                                                  : values[0]);
  result.dependences = all;
  results.push_back(result);
  return success();
}

static LogicalResult runAxisIndex(Interpreter &interpreter, Operation *op,
                                  Operands, Results &results) {
  const Mesh *mesh = interpreter.device.mesh;
  auto axisIndex = cast<AxisIndexOp>(op);
  if (!mesh || mesh->name != axisIndex.getMesh())
    return interpreter.fail(op, "asks for a mesh that this device is not on");
  int axis = mesh->axisIndex(axisIndex.getAxis().str());
  if (axis < 0)
    return interpreter.fail(op, "asks for an axis that the mesh lacks");
  results.push_back(
      integer(mesh->coordinates(interpreter.device.position)[axis]));
  return success();
}

static LogicalResult runCommunication(Interpreter &interpreter, Operation *op,
                                      Operands, Results &results) {
  if (!interpreter.device.communicate)
    return interpreter.fail(op, "communicates");
  FailureOr<RuntimeValue> result = interpreter.device.communicate(op);
  if (failed(result))
    return interpreter.fail(op, "communicates");
  results.push_back(*result);
  return success();
}

void validate::addControlHandlers(HandlerTable &table) {
  table.add("scf.if", runIf);
  table.add("scf.index_switch", runIndexSwitch);
  table.add("scf.execute_region", runExecuteRegion);
  table.add("scf.for", runFor);
  table.add("scf.while", runWhile);
  table.add("scf.forall", runForall);
  table.add("func.call", runCall);
  table.add("cf.assert", runAssert);
  table.add("affine.apply", runAffine<affine::AffineApplyOp, Pick::First>);
  table.add("affine.min", runAffine<affine::AffineMinOp, Pick::Least>);
  table.add("affine.max", runAffine<affine::AffineMaxOp, Pick::Largest>);
  table.add("shardir.axis_index", runAxisIndex);
  table.add("collective.halo_exchange", runCommunication);
}
