//===- LoopNest.cpp - A linalg op as loops over addresses -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a linalg op on memrefs. Guarantees, where it succeeds, an offset and
// one stride per loop for every operand, known ones as constants.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

LogicalResult shardir::linearize(AffineExpr expr, int64_t factor,
                                 int64_t &constant,
                                 SmallVectorImpl<int64_t> &coefficients) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return success();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return success(
        succeeded(linearize(binary.getLHS(), factor, constant, coefficients)) &&
        succeeded(linearize(binary.getRHS(), factor, constant, coefficients)));
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && scale)
    return linearize(binary.getLHS(), factor * scale.getValue(), constant,
                     coefficients);
  return failure();
}

FailureOr<NestOperand> shardir::makeNestOperand(LoopEmitter &emit,
                                                Value operand, AffineMap map) {
  NestOperand result;
  result.element = getElementTypeOrSelf(operand.getType());
  result.strides.assign(map.getNumDims(), emit.constant(0));
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type) {
    result.scalar = operand;
    return result;
  }
  if (!isa<StridedLayoutAttr>(type.getLayout()) &&
      !type.getLayout().isIdentity())
    return failure();
  auto metadata =
      memref::ExtractStridedMetadataOp::create(emit.builder, emit.loc, operand);
  result.offset = emit.constant(0);
  SmallVector<Index> strides = metadata.getConstifiedMixedStrides();
  SmallVector<Index> sizes = metadata.getConstifiedMixedSizes();
  Index span = emit.constant(1);
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    int64_t constant = 0;
    SmallVector<int64_t> coefficients(map.getNumDims(), 0);
    if (failed(linearize(expr, 1, constant, coefficients)))
      return failure();
    Index stride = strides[position];
    result.offset =
        emit.add(result.offset, emit.mul(emit.constant(constant), stride));
    for (auto [dim, coefficient] : llvm::enumerate(coefficients))
      if (coefficient != 0)
        result.strides[dim] = emit.add(
            result.strides[dim], emit.mul(emit.constant(coefficient), stride));
    span = emit.add(
        span, emit.mul(emit.sub(sizes[position], emit.constant(1)), stride));
  }
  auto known = [](Index index) {
    return LoopEmitter::known(index).value_or(ShapedType::kDynamic);
  };
  Index start = metadata.getConstifiedMixedOffset();
  auto layout = StridedLayoutAttr::get(type.getContext(), known(start), {1});
  int64_t extent = known(span);
  if (extent < 0)
    extent = ShapedType::kDynamic;
  SmallVector<Index> spanOf = {
      extent == ShapedType::kDynamic ? Index(emit.value(span)) : span};
  SmallVector<Index> one = {emit.constant(1)};
  result.flat = memref::ReinterpretCastOp::create(
      emit.builder, emit.loc, MemRefType::get({extent}, result.element, layout),
      metadata.getBaseBuffer(), start, spanOf, one);
  return result;
}

namespace {
/// True if moving `major` by one moves as far as the whole of `minor`, where
/// that can be seen.
bool areOneInMemory(const NestOperand &operand, int major, int minor,
                    Index minorExtent) {
  if (operand.scalar)
    return true;
  auto extent = LoopEmitter::known(minorExtent);
  auto a = LoopEmitter::known(operand.strides[major]),
       b = LoopEmitter::known(operand.strides[minor]);
  if (a == 0 && b == 0)
    return true;
  return extent && a && b && *a == *b * *extent;
}
} // namespace

bool shardir::hasLoopNest(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || !op.getBlock())
    return false;
  llvm::SmallBitVector measured(op.getNumLoops());
  for (auto [operand, map] :
       llvm::zip(op->getOpOperands(), op.getIndexingMapsArray())) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    if (!isa<StridedLayoutAttr>(type.getLayout()) &&
        !type.getLayout().isIdentity())
      return false;
    for (AffineExpr expr : map.getResults()) {
      int64_t constant = 0;
      SmallVector<int64_t> coefficients(map.getNumDims(), 0);
      if (failed(linearize(expr, 1, constant, coefficients)))
        return false;
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        measured.set(dim.getPosition());
    }
  }
  return measured.all();
}

FailureOr<LoopNest> shardir::makeLoopNest(linalg::LinalgOp op,
                                          LoopEmitter &emit, bool merge) {
  if (!op.hasPureBufferSemantics() || !op.getBlock())
    return failure();
  LoopNest nest;
  nest.op = op;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
    if (i >= maps.size())
      break;
    FailureOr<NestOperand> made = makeNestOperand(emit, operand.get(), maps[i]);
    if (failed(made))
      return failure();
    nest.operands.push_back(*made);
  }

  // A loop's extent is the extent of a dim that is that loop alone.
  unsigned loops = op.getNumLoops();
  nest.extents.assign(loops, Index());
  for (auto [operand, map] : llvm::zip(op->getOpOperands(), maps)) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      Index &extent = nest.extents[dim.getPosition()];
      if (extent && LoopEmitter::known(extent))
        continue;
      if (!type.isDynamicDim(position))
        extent = emit.constant(type.getDimSize(position));
      else if (!extent)
        extent = Index(Value(memref::DimOp::create(emit.builder, emit.loc,
                                                   operand.get(), position)));
    }
  }
  if (!llvm::all_of(nest.extents, [](Index extent) { return bool(extent); }))
    return failure();
  for (utils::IteratorType type : op.getIteratorTypesArray())
    nest.reduction.push_back(type == utils::IteratorType::reduction);

  nest.merged.assign(loops, false);
  if (!merge || op.hasIndexSemantics())
    return nest;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned major = 0; major < loops; ++major)
      for (unsigned minor = 0; minor < loops; ++minor) {
        if (major == minor || nest.merged[major] || nest.merged[minor] ||
            nest.reduction[major] != nest.reduction[minor] ||
            !llvm::all_of(nest.operands, [&](const NestOperand &operand) {
              return areOneInMemory(operand, major, minor, nest.extents[minor]);
            }))
          continue;
        nest.extents[minor] =
            emit.mul(nest.extents[major], nest.extents[minor]);
        nest.merged[major] = changed = true;
      }
  }
  return nest;
}

SmallVector<int> LoopNest::loops(bool wantReductions) const {
  SmallVector<int> result;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!merged[loop] && reduction[loop] == wantReductions)
      result.push_back(loop);
  return result;
}

Index NestOperand::address(LoopEmitter &emit, ArrayRef<Index> ivs) const {
  Index address = offset;
  for (auto [iv, stride] : llvm::zip(ivs, strides))
    if (iv)
      address = emit.add(address, emit.mul(iv, stride));
  return address;
}

Value LoopNest::address(LoopEmitter &emit, const NestOperand &operand,
                        ArrayRef<Index> ivs) const {
  return emit.value(operand.address(emit, ivs));
}
