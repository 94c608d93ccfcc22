//===- ElementEmitter.cpp - Single elements of tensors --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires pure ops on tensors. Knows linalg ops whose results are elementwise
// or of few terms, slices, reshapes, constants and casts; elements of values
// from outside of the loop are read. Each element and each scalar is computed
// once in a region.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Terms of a reduction that one element may take; reads and arithmetic of one
/// iteration.
constexpr int64_t maxTerms = 16, maxOps = 1000;

std::pair<void *, std::vector<void *>> keyOf(Value tensor, ArrayRef<Value> at) {
  std::vector<void *> indices;
  for (Value index : at)
    indices.push_back(index.getAsOpaquePointer());
  return {tensor.getAsOpaquePointer(), indices};
}
} // namespace

bool shardir::isElementOp(Operation *op) {
  return isMemoryEffectFree(op) &&
         isa_and_present<arith::ArithDialect, math::MathDialect,
                         complex::ComplexDialect, index::IndexDialect,
                         tensor::TensorDialect, linalg::LinalgDialect,
                         affine::AffineDialect, scf::SCFDialect>(
             op->getDialect());
}

Value ElementEmitter::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(before);
    known = arith::ConstantIndexOp::create(builder, loc, value);
  }
  return known;
}

Value ElementEmitter::combine(int kind, Value a, Value b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(kind == 0 ? *x + *y : *x * *y);
  if (kind == 0 && (x == 0 || y == 0))
    return x == 0 ? b : a;
  if (kind == 1 && (x == 1 || y == 1))
    return x == 1 ? b : a;
  Value &known =
      scope.sums[{kind, a.getAsOpaquePointer(), b.getAsOpaquePointer()}];
  if (!known)
    known = kind == 0 ? arith::AddIOp::create(builder, loc, a, b).getResult()
                      : arith::MulIOp::create(builder, loc, a, b).getResult();
  return known;
}

Value ElementEmitter::apply(AffineExpr expr, ValueRange dims) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  Value a = apply(binary.getLHS(), dims), b = apply(binary.getRHS(), dims);
  if (!a || !b)
    return {};
  if (expr.getKind() == AffineExprKind::Add)
    return sum(a, b);
  if (expr.getKind() == AffineExprKind::Mul)
    return product(a, b);
  return {};
}

Value ElementEmitter::valueOf(OpFoldResult index) {
  if (auto number = getConstantIntValue(index))
    return constant(*number);
  return scalar(cast<Value>(index));
}

Value ElementEmitter::element(Value tensor, ArrayRef<Value> at) {
  if (!llvm::all_of(at, [](Value index) { return bool(index); }))
    return {};
  if (Value single = singles.lookup(tensor))
    return single;
  auto key = keyOf(tensor, at);
  auto found = scope.elements.find(key);
  if (found != scope.elements.end())
    return found->second;
  if (++numOps > maxOps)
    return {};
  Value made = makeElement(tensor, at);
  scope.elements[key] = made;
  return made;
}

/// True if the element at `at` is a known distance from the window, along a
/// dim where that has one index.
bool ElementEmitter::isBesideWindow(ArrayRef<Value> at) {
  auto split = [](Value index) -> std::pair<Value, int64_t> {
    Operation *op = index.getDefiningOp();
    if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
      if (auto number = getConstantIntValue(op->getOperand(1)))
        return {op->getOperand(0), isa<arith::AddIOp>(op) ? *number : -*number};
    return {index, 0};
  };
  for (auto [mine, other, moves] : llvm::zip(at, window.at, window.moves)) {
    auto [base, offset] = split(mine);
    auto [otherBase, otherOffset] = split(other);
    if (!moves && base == otherBase && offset != otherOffset)
      return true;
  }
  return false;
}

Value ElementEmitter::makeElement(Value tensor, ArrayRef<Value> at) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {};
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat())
    if (auto value = dyn_cast<TypedAttr>(dense.getSplatValue<Attribute>()))
      return arith::ConstantOp::materialize(builder, value,
                                            type.getElementType(), loc);
  if (auto now = carried.find(tensor); now != carried.end()) {
    // Elements that were written are not to be seen.
    if (window.hasOthers &&
        (tensor != window.tensor ||
         (ArrayRef<Value>(window.at) != at && !isBesideWindow(at))))
      return {};
    return tensor::ExtractOp::create(builder, loc, now->second, at);
  }
  if (isOutside(tensor))
    return tensor::ExtractOp::create(builder, loc, tensor, at);
  Operation *op = tensor.getDefiningOp();
  if (!op || !isElementOp(op))
    return {};
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    OpBuilder outside(before);
    return tensor::ExtractOp::create(builder, loc,
                                     outside.clone(*op)->getResult(0), at);
  }
  if (auto map = dyn_cast<linalg::LinalgOp>(op))
    return elementOfLinalg(map, cast<OpResult>(tensor).getResultNumber(), at);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<Value> from;
    unsigned next = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
      Value start = valueOf(offset), step = valueOf(stride);
      if (!start || !step)
        return {};
      from.push_back(dropped.test(dim) ? start
                                       : sum(start, product(at[next++], step)));
    }
    return element(slice.getSource(), from);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return elementOfReshape(collapse.getSrc(),
                            collapse.getReassociationIndices(),
                            collapse.getSrcType(), /*collapses=*/true, at);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return elementOfReshape(expand.getSrc(), expand.getReassociationIndices(),
                            expand.getResultType(), /*collapses=*/false, at);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return element(cast.getSource(), at);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return scalar(splat.getInput());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return type.getRank() == 0 ? scalar(insert.getScalar()) : Value();
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    int64_t place = 0;
    for (auto [index, size] : llvm::zip(at, elements.getType().getShape())) {
      auto number = getConstantIntValue(index);
      if (!number)
        return {};
      place = place * size + *number;
    }
    return scalar(elements.getElements()[place]);
  }
  if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? element(operand, at)
                             : scalar(operand));
    if (!llvm::all_of(operands, [](Value value) { return bool(value); }))
      return {};
    return builder
        .create(loc, op->getName().getIdentifier(), operands,
                {type.getElementType()}, op->getAttrs())
        ->getResult(0);
  }
  return {};
}

Value ElementEmitter::elementOfReshape(Value source,
                                       ArrayRef<ReassociationIndices> groups,
                                       RankedTensorType expanded,
                                       bool collapses, ArrayRef<Value> at) {
  if (!expanded.hasStaticShape())
    return {};
  SmallVector<Value> from(cast<RankedTensorType>(source.getType()).getRank());
  Value zero = constant(0);
  // Dims that a group leaves out have extent 1.
  llvm::fill(from, zero);
  for (auto [number, group] : llvm::enumerate(groups)) {
    if (!collapses) {
      Value linear = zero;
      for (int64_t dim : group)
        linear =
            sum(product(linear, constant(expanded.getDimSize(dim))), at[dim]);
      from[number] = linear;
      continue;
    }
    // The dims of extent 1 are known; of the others only one needs no division.
    Value rest = at[number];
    SmallVector<int64_t> counted;
    for (int64_t dim : group)
      if (expanded.getDimSize(dim) != 1)
        counted.push_back(dim);
    while (counted.size() > 1) {
      int64_t dim = counted.pop_back_val();
      Value size = constant(expanded.getDimSize(dim));
      from[dim] = arith::RemUIOp::create(builder, loc, rest, size);
      rest = arith::DivUIOp::create(builder, loc, rest, size);
    }
    if (!counted.empty())
      from[counted[0]] = rest;
  }
  return element(source, from);
}

Value ElementEmitter::iterate(linalg::LinalgOp op, ArrayRef<Value> ivs,
                              Value old) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = body->getArgument(operand.getOperandNumber());
    if (argument.use_empty())
      continue;
    if (op.isDpsInit(&operand) && old) {
      mapping.map(argument, old);
      continue;
    }
    if (!isa<RankedTensorType>(operand.get().getType())) {
      Value value = scalar(operand.get());
      if (!value)
        return {};
      mapping.map(argument, value);
      continue;
    }
    SmallVector<Value> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      at.push_back(apply(expr, ivs));
    Value value = element(operand.get(), at);
    if (!value)
      return {};
    mapping.map(argument, value);
  }
  for (Operation &nested : body->without_terminator()) {
    if (++numOps > maxOps)
      return {};
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), ivs[index.getDim()]);
      continue;
    }
    if (auto read = dyn_cast<tensor::ExtractOp>(nested)) {
      SmallVector<Value> at;
      for (Value index : read.getIndices())
        at.push_back(mapping.contains(index) ? mapping.lookup(index)
                                             : scalar(index));
      Value value = element(read.getTensor(), at);
      if (!value)
        return {};
      mapping.map(read.getResult(), value);
      continue;
    }
    if (nested.getNumRegions() != 0 || !isMemoryEffectFree(&nested))
      return {};
    for (Value operand : nested.getOperands())
      if (!mapping.contains(operand)) {
        Value value = scalar(operand);
        if (!value)
          return {};
        mapping.map(operand, value);
      }
    builder.clone(nested, mapping);
  }
  Value result = body->getTerminator()->getOperand(0);
  return mapping.contains(result) ? mapping.lookup(result) : scalar(result);
}

Value ElementEmitter::elementOfLinalg(linalg::LinalgOp op, unsigned result,
                                      ArrayRef<Value> at) {
  if (op->getNumResults() != 1 || !op.getBlock())
    return {};
  OpOperand *init = op.getDpsInitOperand(result);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isProjectedPermutation())
    return {};
  SmallVector<Value> ivs(op.getNumLoops());
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    ivs[cast<AffineDimExpr>(expr).getPosition()] = index;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  int64_t terms = 1;
  for (auto [loopNumber, iv] : llvm::enumerate(ivs)) {
    if (iv)
      continue;
    int64_t extent = extents[loopNumber];
    if (ShapedType::isDynamic(extent) || (terms *= extent) > maxTerms)
      return {};
    reduced.push_back(loopNumber);
  }
  if (reduced.empty())
    return iterate(op, ivs, {});
  // In the op's order, from what was there.
  Value value = element(init->get(), at);
  for (int64_t term = 0; term < terms && value; ++term) {
    int64_t rest = term;
    for (unsigned loopNumber : llvm::reverse(reduced)) {
      ivs[loopNumber] = constant(rest % extents[loopNumber]);
      rest /= extents[loopNumber];
    }
    value = iterate(op, ivs, value);
  }
  return value;
}

Value ElementEmitter::scalar(Value value) {
  if (!value || isa<ShapedType>(value.getType()))
    return {};
  if (Value known = scope.scalars.lookup(value))
    return known;
  if (isOutside(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !isElementOp(op) || op->getNumRegions() != 0 || ++numOps > maxOps)
    return {};
  Value made;
  if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<Value> at;
    for (Value index : read.getIndices())
      at.push_back(scalar(index));
    made = element(read.getTensor(), at);
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    Value source = dim.getSource();
    if (auto now = carried.find(source); now != carried.end())
      source = now->second;
    else if (!isOutside(source))
      return {};
    Value index = scalar(dim.getIndex());
    if (index)
      made = builder.createOrFold<tensor::DimOp>(loc, source, index);
  } else {
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      Value now = scalar(operand);
      if (!now)
        return {};
      mapping.map(operand, now);
    }
    builder.clone(*op, mapping);
    made = mapping.lookup(value);
  }
  if (made)
    scope.scalars[value] = made;
  return made;
}
