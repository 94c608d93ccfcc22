//===- LoopGenerics.cpp - linalg ops over loops of an attention -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires maps that are projected permutations of the op's loops, perhaps with
// zeros. Guarantees linalg ops that verify, on tensors or on memrefs; buffers
// that were made are freed by `freeAll` alone.
//
//===----------------------------------------------------------------------===//

#include "LoopGenerics.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace shardir;

AffineMap LoopGenerics::along(ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims)
    exprs.push_back(rewriter.getAffineDimExpr(dim));
  return AffineMap::get(numLoops(), 0, exprs, rewriter.getContext());
}

Value LoopGenerics::newTensor(ArrayRef<unsigned> dims, Type element) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : dims)
    sizes.push_back(extents[dim]);
  if (onTensors)
    return tensor::EmptyOp::create(rewriter, loc, sizes, element);
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  Value buffer = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(shape, element), dynamic);
  allocated.push_back(buffer);
  return buffer;
}

void LoopGenerics::freeAll() {
  for (Value buffer : allocated)
    memref::DeallocOp::create(rewriter, loc, buffer);
}

Value LoopGenerics::filled(Value target, double value) {
  Value scalar = arith::ConstantOp::create(
      rewriter, loc, rewriter.getFloatAttr(compute, value));
  auto fill = linalg::FillOp::create(rewriter, loc, scalar, target);
  return onTensors ? fill.getResult(0) : target;
}

SmallVector<Value> LoopGenerics::generic(ArrayRef<unsigned> dims,
                                         ValueRange inputs,
                                         ArrayRef<Value> targets,
                                         ArrayRef<AffineMap> maps,
                                         Bodies body) {
  SmallVector<AffineExpr> renamed(numLoops(),
                                  rewriter.getAffineConstantExpr(0));
  SmallVector<utils::IteratorType> iterators;
  for (auto [position, dim] : llvm::enumerate(dims)) {
    renamed[dim] = rewriter.getAffineDimExpr(position);
    iterators.push_back(maps.back().isFunctionOfDim(dim)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  }
  SmallVector<AffineMap> own;
  for (AffineMap map : maps)
    own.push_back(map.replaceDimsAndSymbols(renamed, {}, dims.size(), 0));
  auto build = [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
    linalg::YieldOp::create(nested, nestedLoc, body(nested, args));
  };
  SmallVector<Type> types;
  if (onTensors)
    for (Value target : targets)
      types.push_back(target.getType());
  auto made = linalg::GenericOp::create(
      rewriter, loc, types, inputs, ValueRange(targets), own, iterators, build);
  return onTensors ? SmallVector<Value>(made.getResults())
                   : SmallVector<Value>(targets);
}

Value LoopGenerics::generic(ArrayRef<unsigned> dims, ValueRange inputs,
                            Value target, ArrayRef<AffineMap> maps, Body body) {
  return generic(dims, inputs, ArrayRef<Value>(target), maps,
                 [&](OpBuilder &builder, ValueRange args) {
                   return SmallVector<Value>{body(builder, args)};
                 })
      .front();
}

Value LoopGenerics::product(ArrayRef<unsigned> dims, Value left,
                            AffineMap leftMap, Value right, AffineMap rightMap,
                            Value target, AffineMap targetMap) {
  return generic(dims, {left, right}, target, {leftMap, rightMap, targetMap},
                 [&](OpBuilder &builder, ValueRange args) -> Value {
                   Value term = arith::MulFOp::create(
                       builder, loc, widened(builder, args[0]),
                       widened(builder, args[1]));
                   return arith::AddFOp::create(builder, loc, args[2], term);
                 });
}

SmallVector<Value> LoopGenerics::inlined(OpBuilder &builder, Region &region,
                                         ArrayRef<unsigned> dims,
                                         ValueRange arguments) {
  Block &body = region.front();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  SmallVector<Operation *> cloned;
  for (Operation &nested : body.without_terminator())
    cloned.push_back(builder.clone(nested, mapping));
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  for (Operation *copy : cloned)
    copy->walk([&](kernel::LoopIndexOp index) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(index);
      const unsigned *position = llvm::find(dims, unsigned(index.getLoop()));
      Value own =
          linalg::IndexOp::create(builder, loc, position - dims.begin());
      llvm::replace(yielded, Value(index.getResult()), own);
      rewriter.replaceOp(index, own);
    });
  return yielded;
}

Value LoopGenerics::widened(OpBuilder &builder, Value value) {
  if (value.getType() == compute)
    return value;
  return arith::ExtFOp::create(builder, loc, compute, value);
}
