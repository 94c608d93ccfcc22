//===- AttentionProblem.cpp - An attention op as a kernel sees it ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires kernel.attention on memrefs. Guarantees that what `isTileable` says
// yes to gives a problem, and that results are stored where something reads
// them.
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

/// Of either op: their loops have the same roles.
template <typename Op> static AttentionShape rolesShape(Op op) {
  AttentionShape shape;
  SmallVector<int64_t> extents = op.getStaticLoopExtents();
  typename Op::Loops loops = op.getLoops();
  auto times = [&](double &product, ArrayRef<unsigned> of) {
    for (unsigned loop : of)
      product *=
          ShapedType::isDynamic(extents[loop]) ? assumedExtent : extents[loop];
  };
  times(shape.outer, loops.batch);
  times(shape.rows, loops.m);
  times(shape.columns, loops.n);
  auto exactly = [&](std::optional<int64_t> &product, ArrayRef<unsigned> of) {
    for (unsigned loop : of)
      if (ShapedType::isDynamic(extents[loop]) || !product)
        product = std::nullopt;
      else
        *product *= extents[loop];
  };
  exactly(shape.k, loops.k);
  exactly(shape.v, loops.v);
  return shape;
}

AttentionShape shardir::attentionShapeOf(kernel::AttentionOp op) {
  return rolesShape(op);
}
AttentionShape shardir::attentionShapeOf(kernel::AttentionBackwardOp op) {
  return rolesShape(op);
}

template <typename Op> static bool isTileableOp(Op op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || (!isa<StridedLayoutAttr>(type.getLayout()) &&
                  !type.getLayout().isIdentity()))
      return false;
  }
  AttentionShape shape = rolesShape(op);
  return shape.k.value_or(0) > 0 && shape.v.value_or(0) > 0;
}

bool shardir::isTileable(kernel::AttentionOp op) { return isTileableOp(op); }
bool shardir::isTileable(kernel::AttentionBackwardOp op) {
  return isTileableOp(op);
}

Axis Axis::of(KernelEmitter &emit, ArrayRef<unsigned> loops,
              ArrayRef<Index> extents) {
  Axis made;
  made.extent = emit.constant(1);
  for (unsigned loop : loops) {
    made.loops.push_back(loop);
    made.extents.push_back(extents[loop]);
    made.extent = emit.mul(made.extent, extents[loop]);
  }
  return made;
}

FailureOr<AttentionProblem>
AttentionProblem::create(KernelEmitter &emit, kernel::AttentionOp op,
                         const AttentionNeighbours &neighbours,
                         int64_t leastRows) {
  AttentionProblem result;
  result.op = op;
  result.neighbours = neighbours;
  result.wide = op.getComputeType();
  result.extents = op.getLoopExtents(emit.builder);

  NestOperands<kernel::AttentionOp> operand(emit, op);
  result.query = operand(op.getQueryMutable());
  result.key = operand(op.getKeyMutable());
  result.value = operand(op.getValueMutable());
  for (OpOperand &extra : op.getExtrasMutable())
    result.extras.push_back(operand(extra));
  result.acc = operand(op.getAccMutable());
  result.max = operand(op.getMaxMutable());
  result.sum = operand(op.getSumMutable());
  if (neighbours.map) {
    FailureOr<LoopNest> nest =
        makeLoopNest(neighbours.map, emit, /*merge=*/false);
    if (failed(nest))
      return failure();
    result.map = *nest;
  }
  if (operand.failedAny)
    return failure();

  auto axis = [&](ArrayRef<unsigned> loops) {
    return Axis::of(emit, loops, result.extents);
  };
  kernel::AttentionOp::Loops loops = op.getLoops();
  // Rows of several loops of m fill a tile together, where one is too short:
  // the query heads of a key head, with few positions.
  SmallVector<unsigned> outer = loops.batch, rows;
  int64_t count = 1;
  for (unsigned loop : llvm::reverse(loops.m)) {
    auto extent = LoopEmitter::known(result.extents[loop]);
    if (!rows.empty() && (count < 0 || count >= leastRows || !extent)) {
      outer.push_back(loop);
      continue;
    }
    rows.insert(rows.begin(), loop);
    count = extent ? count * *extent : -1;
  }
  llvm::sort(outer);
  result.outer = axis(outer);
  result.rows = axis(rows);
  result.columns = axis(loops.n);
  result.k = axis(loops.k);
  result.v = axis(loops.v);
  return result;
}

bool AttentionProblem::isPaired(KernelEmitter &emit) const {
  if (v.loops.empty())
    return false;
  int last = v.loops.back();
  auto extent = LoopEmitter::known(extents[last]);
  auto isEven = [&](const NestOperand &operand, int loop) {
    return operand.isUnit(loop) && elementBytes(operand.element) >= 2 &&
           emit.isAligned(operand, loop, 2).always();
  };
  if (!extent || *extent % 2 != 0)
    return false;
  if ((neighbours.accEscapes || !neighbours.zeroAcc) && !isEven(acc, last))
    return false;
  if (!map)
    return true;
  auto found = llvm::find(neighbours.loops, last);
  return found != neighbours.loops.end() &&
         llvm::all_of(map->results(), [&](const NestOperand &operand) {
           return isEven(operand, found - neighbours.loops.begin());
         });
}

void AttentionProblem::finishRow(KernelEmitter &emit, ArrayRef<Index> ivs,
                                 Value maxValue, Value sumValue) const {
  auto store = [&](const NestOperand &operand, Value value) {
    Index address = operand.address(emit, ivs);
    if (value.getType() != operand.element)
      value = arith::TruncFOp::create(emit.builder, emit.loc, operand.element,
                                      value);
    storeRow(emit, operand, emit.value(address), value);
  };
  if (neighbours.maxEscapes)
    store(max, maxValue);
  if (neighbours.sumEscapes)
    store(sum, sumValue);
}

void AttentionProblem::finish(KernelEmitter &emit, ArrayRef<Index> ivs,
                              ValueRange values, Value maxValue,
                              Value sumValue) const {
  // Rounds to the type that memory would have held.
  auto rounded = [&](Value value, Type element) -> Value {
    if (value.getType() == element)
      return value;
    if (elementBytes(element) < elementBytes(value.getType()))
      return arith::TruncFOp::create(emit.builder, emit.loc, element, value);
    return arith::ExtFOp::create(emit.builder, emit.loc, element, value);
  };
  SmallVector<Value> accs;
  for (Value value : values)
    accs.push_back(rounded(value, acc.element));
  if (neighbours.accEscapes)
    storeRow(emit, acc, emit.value(acc.address(emit, ivs)), accs);
  if (!map)
    return;

  SmallVector<Index> mapIvs;
  for (int loop : neighbours.loops)
    mapIvs.push_back(ivs[loop]);
  SmallVector<SmallVector<Value>> results;
  for (auto [i, value] : llvm::enumerate(accs)) {
    SmallVector<Value> inputs(map->numInputs());
    for (auto [at, input] : llvm::enumerate(map->getOp().getDpsInputs())) {
      if (input == getOp().getAcc())
        inputs[at] = value;
      else if (input == getOp().getMax())
        inputs[at] = rounded(maxValue, max.element);
      else if (input == getOp().getSum())
        inputs[at] = rounded(sumValue, sum.element);
    }
    SmallVector<Index> here = mapIvs;
    for (auto [loop, iv] : llvm::zip(neighbours.loops, here))
      if (!v.loops.empty() && loop == v.loops.back())
        iv = emit.add(iv, emit.constant(i));
    results.push_back(runScalarBody(emit, *map, here, inputs));
  }
  for (auto [r, operand] : llvm::enumerate(map->results())) {
    SmallVector<Value> row;
    for (const SmallVector<Value> &of : results)
      row.push_back(of[r]);
    storeRow(emit, operand, map->address(emit, operand, mapIvs), row);
  }
}
