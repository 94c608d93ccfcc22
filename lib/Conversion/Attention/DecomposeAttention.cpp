//===- DecomposeAttention.cpp - Attention as plain linalg -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local on tensors, or bufferized. Requires attention ops that verify;
// guarantees that none is left, and that what takes its place computes what the
// op's description says: it is the reference for every other lowering.
//
//===----------------------------------------------------------------------===//

#include "LoopGenerics.h"

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
class Decomposition : LoopGenerics {
public:
  Decomposition(RewriterBase &rewriter, kernel::AttentionOp op)
      : LoopGenerics(rewriter, op.getLoc(), op.getLoopExtents(rewriter),
                     op.getComputeType(), op.hasPureTensorSemantics()),
        op(op), loops(op.getLoops()) {
    outer = loops.outer();
    scores = outer;
    llvm::append_range(scores, loops.n);
  }

  void run();

private:
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

  kernel::AttentionOp op;
  kernel::AttentionOp::Loops loops;
  SmallVector<unsigned> outer, scores;
};

Value Decomposition::mapped(Value x, ValueRange inputs,
                            ArrayRef<AffineMap> maps, Body body) {
  SmallVector<Value> operands(inputs);
  SmallVector<AffineMap> all(maps);
  all.push_back(along(scores));
  if (onTensors) {
    operands.insert(operands.begin(), x);
    all.insert(all.begin(), along(scores));
    return generic(scores, operands, newTensor(scores, compute), all,
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
  SmallVector<unsigned> dims(scores);
  llvm::append_range(dims, loops.k);
  Value s =
      product(dims, op.getQuery(), op.getMap(0u), op.getKey(), op.getMap(1u),
              filled(newTensor(scores, compute), 0.0), scoreMap);
  Value x =
      mapped(s, extras, extraMaps, [&](OpBuilder &builder, ValueRange args) {
        return inlined(builder, op.getScore(), scores, args).front();
      });

  // The old max is needed once more where the inits are not neutral.
  bool neutral = onTensors && op.hasNeutralInits();
  Value oldMax = max;
  if (!onTensors) {
    oldMax = newTensor(outer, compute);
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
        generic(outer, {oldMax, max}, newTensor(outer, compute),
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
    p = generic(scores, probInputs, newTensor(scores, yielded.getType()),
                probMaps, [&](OpBuilder &builder, ValueRange args) {
                  return inlined(builder, op.getProb(), scores,
                                 args.drop_back())
                      .front();
                });
  }
  SmallVector<unsigned> all(scores);
  llvm::append_range(all, loops.v);
  acc = product(all, p, scoreMap, op.getValue(), op.getMap(2u), acc, accMap);
  freeAll();
  if (onTensors)
    rewriter.replaceOp(op, {acc, max, sum});
  else
    rewriter.eraseOp(op);
}

/// Builds the linalg ops of one attention's gradients.
class BackwardDecomposition : LoopGenerics {
public:
  BackwardDecomposition(RewriterBase &rewriter, kernel::AttentionBackwardOp op)
      : LoopGenerics(rewriter, op.getLoc(), op.getLoopExtents(rewriter),
                     op.getComputeType(), op.hasPureTensorSemantics()),
        op(op) {}

  void run();

private:
  kernel::AttentionBackwardOp op;
};

void BackwardDecomposition::run() {
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  SmallVector<unsigned> scores = loops.scores();
  AffineMap scoreMap = along(scores);
  auto with = [&](ArrayRef<unsigned> more) {
    SmallVector<unsigned> dims(scores);
    llvm::append_range(dims, more);
    return dims;
  };
  unsigned first = op.getFirstInit();
  Value s =
      product(with(loops.k), op.getQuery(), op.getMap(0u), op.getKey(),
              op.getMap(1u), filled(newTensor(scores, compute), 0.0), scoreMap);
  // The body does not need it if only the values' gradient is wanted.
  Value dp = newTensor(scores, compute);
  if (!op.getBody().front().getArgument(1).use_empty())
    dp = product(with(loops.v), op.getGradient(), op.getMap(3u), op.getValue(),
                 op.getMap(2u), filled(dp, 0.0), scoreMap);

  // Where types allow it, the result reuses the scores' buffer.
  SmallVector<Value> inputs, targets, old = {s, dp};
  SmallVector<AffineMap> maps;
  SmallVector<bool> inPlace;
  auto yielded = op.getBody().front().getTerminator()->getOperandTypes();
  for (auto [value, type] : llvm::zip(old, yielded)) {
    inPlace.push_back(type == compute);
    if (type == compute) {
      targets.push_back(value);
      continue;
    }
    inputs.push_back(value);
    maps.push_back(scoreMap);
    targets.push_back(newTensor(scores, type));
  }
  llvm::append_range(inputs, op.getExtras());
  for (unsigned extra = 4; extra < first; ++extra)
    maps.push_back(op.getMap(extra));
  maps.append(2, scoreMap);
  SmallVector<Value> results = generic(
      scores, inputs, targets, maps, [&](OpBuilder &builder, ValueRange args) {
        SmallVector<Value> own;
        size_t next = 0;
        for (unsigned i = 0; i < 2; ++i)
          own.push_back(inPlace[i] ? args[inputs.size() + i] : args[next++]);
        llvm::append_range(own, args.slice(next, op.getExtras().size()));
        return inlined(builder, op.getBody(), scores, own);
      });

  Value p = results[0], ds = results[1];
  Value gradients[] = {op.getQueryGradient(), op.getKeyGradient(),
                       op.getValueGradient()};
  Value others[] = {op.getKey(), op.getQuery(), op.getGradient()};
  unsigned otherMaps[] = {1, 0, 3};
  for (unsigned i = 0; i < 3; ++i)
    if (op.isWanted(i))
      gradients[i] = product(with(i == 2 ? loops.v : loops.k), i == 2 ? p : ds,
                             scoreMap, others[i], op.getMap(otherMaps[i]),
                             gradients[i], op.getMap(first + i));
  freeAll();
  if (onTensors)
    rewriter.replaceOp(op, gradients);
  else
    rewriter.eraseOp(op);
}

struct DecomposeAttentionPass
    : shardir::impl::DecomposeAttentionBase<DecomposeAttentionPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](kernel::AttentionOp op) { decomposeAttention(rewriter, op); });
    getOperation().walk([&](kernel::AttentionBackwardOp op) {
      decomposeAttentionBackward(rewriter, op);
    });
  }
};

} // namespace

void shardir::decomposeAttention(RewriterBase &rewriter,
                                 kernel::AttentionOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Decomposition(rewriter, op).run();
}

void shardir::decomposeAttentionBackward(RewriterBase &rewriter,
                                         kernel::AttentionBackwardOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  BackwardDecomposition(rewriter, op).run();
}
