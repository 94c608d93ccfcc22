//===- DecomposeAttention.cpp - Attention as plain linalg -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local on tensors, or bufferized. Requires attention ops that verify;
// guarantees that none is left. One routine serves tensors and memrefs: what
// differs is where a new operand comes from and who frees it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/Attention/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {
#define GEN_PASS_DEF_DECOMPOSEATTENTION
#include "ShardIR/Conversion/Attention/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// Builds the linalg ops of one attention.
class Decomposition {
public:
  Decomposition(RewriterBase &rewriter, AttentionOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()),
        compute(op.getComputeType()), onTensors(op.hasPureTensorSemantics()),
        loops(op.getLoops()), extents(op.getLoopExtents(rewriter)) {
    outer = loops.outer();
    scores = outer;
    llvm::append_range(scores, loops.n);
  }

  void run();

private:
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;

  /// The identity of `dims` among the loops of the whole op.
  AffineMap along(ArrayRef<unsigned> dims) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : dims)
      exprs.push_back(rewriter.getAffineDimExpr(dim));
    return AffineMap::get(op.getNumLoops(), 0, exprs, rewriter.getContext());
  }

  /// A new tensor or buffer of undefined content with dims `dims`.
  Value fresh(ArrayRef<unsigned> dims, Type element) {
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

  Value filled(Value target, double value) {
    Value scalar = arith::ConstantOp::create(
        rewriter, loc, rewriter.getFloatAttr(compute, value));
    return result(linalg::FillOp::create(rewriter, loc, scalar, target),
                  target);
  }

  /// What an op that wrote `target` gives.
  Value result(Operation *written, Value target) {
    return onTensors ? written->getResult(0) : target;
  }

  /// A generic over `dims`: `maps` are over all loops, one per input and one
  /// for `target`; loops that `target` lacks are reductions.
  Value generic(ArrayRef<unsigned> dims, ValueRange inputs, Value target,
                ArrayRef<AffineMap> maps, Body body);

  /// Clones a body of the op into one of a generic over `dims`.
  Value inlined(OpBuilder &builder, Region &region, ArrayRef<unsigned> dims,
                ValueRange arguments);

  Value widened(OpBuilder &builder, Value value) {
    if (value.getType() == compute)
      return value;
    return arith::ExtFOp::create(builder, loc, compute, value);
  }

  /// max == -inf ? 0 : max.
  Value shiftOf(OpBuilder &builder, Value max) {
    Value lowest = arith::ConstantOp::create(
        builder, loc,
        builder.getFloatAttr(
            compute, APFloat::getInf(compute.getFloatSemantics(), true)));
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getFloatAttr(compute, 0.0));
    Value isLowest = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, max, lowest);
    return arith::SelectOp::create(builder, loc, isLowest, zero, max);
  }

  /// Every score replaced by a function of itself and of elements of `inputs`:
  /// a new tensor, or in the same buffer.
  Value mapped(Value x, ValueRange inputs, ArrayRef<AffineMap> maps, Body body);

  /// `target` times `factor`, in place; both are over outer loops, `target`
  /// perhaps over v too.
  Value rescaled(Value target, AffineMap map, Value factor);

  RewriterBase &rewriter;
  AttentionOp op;
  Location loc;
  FloatType compute;
  bool onTensors;
  AttentionOp::Loops loops;
  SmallVector<OpFoldResult> extents;
  SmallVector<unsigned> outer, scores;
  SmallVector<Value> allocated;
};

Value Decomposition::generic(ArrayRef<unsigned> dims, ValueRange inputs,
                             Value target, ArrayRef<AffineMap> maps,
                             Body body) {
  SmallVector<AffineExpr> renamed(op.getNumLoops(),
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
    types.push_back(target.getType());
  return result(linalg::GenericOp::create(rewriter, loc, types, inputs, target,
                                          own, iterators, build),
                target);
}

Value Decomposition::inlined(OpBuilder &builder, Region &region,
                             ArrayRef<unsigned> dims, ValueRange arguments) {
  Block &body = region.front();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  SmallVector<Operation *> cloned;
  for (Operation &nested : body.without_terminator())
    cloned.push_back(builder.clone(nested, mapping));
  Value yielded = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  for (Operation *copy : cloned)
    copy->walk([&](LoopIndexOp index) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(index);
      const unsigned *position = llvm::find(dims, unsigned(index.getLoop()));
      Value own =
          linalg::IndexOp::create(builder, loc, position - dims.begin());
      if (yielded == index.getResult())
        yielded = own;
      rewriter.replaceOp(index, own);
    });
  return yielded;
}

Value Decomposition::mapped(Value x, ValueRange inputs,
                            ArrayRef<AffineMap> maps, Body body) {
  SmallVector<Value> operands(inputs);
  SmallVector<AffineMap> all(maps);
  all.push_back(along(scores));
  if (onTensors) {
    operands.insert(operands.begin(), x);
    all.insert(all.begin(), along(scores));
    return generic(scores, operands, fresh(scores, compute), all,
                   [&](OpBuilder &builder, ValueRange args) {
                     return body(builder, args.drop_back());
                   });
  }
  return generic(scores, operands, x, all,
                 [&](OpBuilder &builder, ValueRange args) {
                   SmallVector<Value> own = {args.back()};
                   llvm::append_range(own, args.drop_back());
                   return body(builder, own);
                 });
}

Value Decomposition::rescaled(Value target, AffineMap map, Value factor) {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : map.getResults())
    dims.push_back(cast<AffineDimExpr>(expr).getPosition());
  return generic(dims, factor, target, {along(outer), map},
                 [&](OpBuilder &builder, ValueRange args) -> Value {
                   return arith::MulFOp::create(builder, loc, args[1], args[0]);
                 });
}

void Decomposition::run() {
  unsigned firstInit = op->getNumOperands() - 3;
  AffineMap accMap = op.getMap(firstInit), maxMap = op.getMap(firstInit + 1),
            sumMap = op.getMap(firstInit + 2), scoreMap = along(scores);
  Value acc = op.getAcc(), max = op.getMax(), sum = op.getSum();
  SmallVector<Value> extras(op.getExtras());
  SmallVector<AffineMap> extraMaps;
  for (unsigned extra = 3; extra < firstInit; ++extra)
    extraMaps.push_back(op.getMap(extra));

  // s = sum over k of query * key.
  SmallVector<unsigned> product(scores);
  llvm::append_range(product, loops.k);
  Value s = generic(product, {op.getQuery(), op.getKey()},
                    filled(fresh(scores, compute), 0.0),
                    {op.getMap(0u), op.getMap(1u), scoreMap},
                    [&](OpBuilder &builder, ValueRange args) -> Value {
                      Value term = arith::MulFOp::create(
                          builder, loc, widened(builder, args[0]),
                          widened(builder, args[1]));
                      return arith::AddFOp::create(builder, loc, args[2], term);
                    });
  Value x =
      mapped(s, extras, extraMaps, [&](OpBuilder &builder, ValueRange args) {
        return inlined(builder, op.getScore(), scores, args);
      });

  // The old max is needed once more where the inits are not neutral.
  bool neutral = onTensors && op.hasNeutralInits();
  Value oldMax = max;
  if (!onTensors) {
    oldMax = fresh(outer, compute);
    oldMax = generic(outer, max, oldMax, {maxMap, along(outer)},
                     [](OpBuilder &, ValueRange args) { return args[0]; });
  }
  AffineMap oldMap = onTensors ? maxMap : along(outer);
  max = generic(scores, x, max, {scoreMap, maxMap},
                [&](OpBuilder &builder, ValueRange args) -> Value {
                  return arith::MaximumFOp::create(builder, loc, args[0],
                                                   args[1]);
                });
  if (!neutral) {
    Value factor =
        generic(outer, {oldMax, max}, fresh(outer, compute),
                {oldMap, maxMap, along(outer)},
                [&](OpBuilder &builder, ValueRange args) -> Value {
                  Value difference = arith::SubFOp::create(
                      builder, loc, args[0], shiftOf(builder, args[1]));
                  return math::ExpOp::create(builder, loc, difference);
                });
    sum = rescaled(sum, sumMap, factor);
    acc = rescaled(acc, accMap, factor);
  }
  Value p =
      mapped(x, max, maxMap, [&](OpBuilder &builder, ValueRange args) -> Value {
        Value difference = arith::SubFOp::create(builder, loc, args[0],
                                                 shiftOf(builder, args[1]));
        return math::ExpOp::create(builder, loc, difference);
      });
  sum = generic(scores, p, sum, {scoreMap, sumMap},
                [&](OpBuilder &builder, ValueRange args) -> Value {
                  return arith::AddFOp::create(builder, loc, args[1], args[0]);
                });

  // acc = sum over n of prob(p) * value.
  Block &prob = op.getProb().front();
  Value yielded = prob.getTerminator()->getOperand(0);
  if (yielded != prob.getArgument(0)) {
    SmallVector<Value> probInputs = {p};
    SmallVector<AffineMap> probMaps = {scoreMap};
    llvm::append_range(probInputs, extras);
    llvm::append_range(probMaps, extraMaps);
    probMaps.push_back(scoreMap);
    p = generic(scores, probInputs, fresh(scores, yielded.getType()), probMaps,
                [&](OpBuilder &builder, ValueRange args) {
                  return inlined(builder, op.getProb(), scores,
                                 args.drop_back());
                });
  }
  SmallVector<unsigned> all(scores);
  llvm::append_range(all, loops.v);
  acc = generic(all, {p, op.getValue()}, acc, {scoreMap, op.getMap(2u), accMap},
                [&](OpBuilder &builder, ValueRange args) -> Value {
                  Value term = arith::MulFOp::create(builder, loc,
                                                     widened(builder, args[0]),
                                                     widened(builder, args[1]));
                  return arith::AddFOp::create(builder, loc, args[2], term);
                });
  for (Value buffer : allocated)
    memref::DeallocOp::create(rewriter, loc, buffer);
  if (onTensors)
    rewriter.replaceOp(op, {acc, max, sum});
  else
    rewriter.eraseOp(op);
}

struct DecomposeAttentionPass
    : shardir::impl::DecomposeAttentionBase<DecomposeAttentionPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](AttentionOp op) {
      rewriter.setInsertionPoint(op);
      decomposeAttention(rewriter, op);
    });
  }
};

} // namespace

void shardir::decomposeAttention(RewriterBase &rewriter, AttentionOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Decomposition(rewriter, op).run();
}
