//===- RecognizeAttention.cpp - Chains of linalg ops into attention -------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, before fusion. Requires linalg ops; guarantees that
// a chain that matches is one attention op and row ops behind it, and that what
// used the chain's rows still finds them. What does not match is left. At the
// stages before, such chains are marked, for what predicts memory.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "JoinedColumns.h"
#include "RepeatedValues.h"

#include "ShardIR/Conversion/Attention/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardir {
#define GEN_PASS_DEF_MARKATTENTION
#define GEN_PASS_DEF_RECOGNIZEATTENTION
#include "ShardIR/Conversion/Attention/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// An init that a body does not read makes its op depend on an unrelated
/// tensor. A buffer that the program allocates by alloc_tensor stays.
void detachUnreadInits(RewriterBase &rewriter, func::FuncOp function) {
  function.walk([&](linalg::LinalgOp op) {
    if (!isElementwise(op))
      return;
    OpOperand *init = op.getDpsInitOperand(0);
    if (op.payloadUsesValueFromOperand(init) ||
        isa_and_nonnull<tensor::EmptyOp, bufferization::AllocTensorOp>(
            init->get().getDefiningOp()))
      return;
    rewriter.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(init->get().getType());
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), init->get()),
        type.getElementType());
    rewriter.modifyOpInPlace(op, [&] { init->set(empty); });
  });
}

int64_t scoreBytes(Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  Type element = type.getElementType();
  int64_t bytes =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8 : 16;
  for (int64_t extent : type.getShape())
    bytes *= ShapedType::isDynamic(extent) ? 1024 : extent;
  return bytes;
}

struct ErasedOps : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { ops.insert(op); }
  DenseSet<Operation *> ops;
};

SmallVector<Operation *> productsIn(func::FuncOp function) {
  SmallVector<Operation *> products;
  function.walk([&](linalg::LinalgOp op) {
    if (asProduct(op))
      products.push_back(op);
  });
  return products;
}

void unmark(func::FuncOp function) {
  function.walk([](Operation *op) {
    op->removeDiscardableAttr(ShardIRDialect::kUnstored);
  });
}

/// Erases `op` and what is there for it alone.
void eraseDead(RewriterBase &rewriter, Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  rewriter.eraseOp(op);
  for (Value operand : operands)
    if (Operation *made = operand.getDefiningOp();
        made && isOpTriviallyDead(made))
      eraseDead(rewriter, made);
}

/// The attention whose scores `op` computes, if there is one and `take` takes
/// it. The product with the values is added where a backward pass alone is
/// there, and erased where `take` does not take what it belongs to.
std::optional<AttentionMatch>
recognizeAt(RewriterBase &rewriter, Operation *op, std::string &why,
            llvm::function_ref<bool(AttentionMatch &)> take) {
  std::optional<MissingForwardMatmul> absent, none;
  std::optional<AttentionMatch> match = matchAttention(op, why, absent);
  Operation *added = absent ? addProduct(rewriter, *absent) : nullptr;
  if (added)
    match = matchAttention(op, why, none);
  if (match && take(*match))
    return match;
  if (added)
    eraseDead(rewriter, added);
  return std::nullopt;
}

struct MarkAttentionPass : shardir::impl::MarkAttentionBase<MarkAttentionPass> {
  using MarkAttentionBase::MarkAttentionBase;

  void runOnOperation() override {
    unmark(getOperation());
    IRRewriter rewriter(&getContext());
    RepeatedValues repeated(getOperation());
    for (Operation *scores : productsIn(getOperation())) {
      if (scoreBytes(scores->getResult(0)) < minBytes)
        continue;
      std::string why;
      recognizeAt(rewriter, scores, why, [](AttentionMatch &match) {
        mark(match);
        return false;
      });
    }
    repeated.restore();
  }

private:
  static void mark(const AttentionMatch &match) {
    auto markAll = [](ArrayRef<Value> values) {
      for (Value value : values)
        value.getDefiningOp()->setDiscardableAttr(
            ShardIRDialect::kUnstored, UnitAttr::get(value.getContext()));
    };
    markAll(match.derived);
    if (match.backward)
      markAll(match.backward->derived);
  }
};

struct RecognizeAttentionPass
    : shardir::impl::RecognizeAttentionBase<RecognizeAttentionPass> {
  using RecognizeAttentionBase::RecognizeAttentionBase;

  void runOnOperation() override {
    ErasedOps erased;
    IRRewriter rewriter(&getContext(), &erased);
    unmark(getOperation());
    SmallVector<Operation *> products = productsIn(getOperation());
    // Attention has two.
    if (products.size() > 1)
      detachUnreadInits(rewriter, getOperation());
    RepeatedValues repeated(getOperation());
    for (Operation *candidate : products) {
      if (erased.ops.contains(candidate) ||
          scoreBytes(candidate->getResult(0)) < minBytes)
        continue;
      std::string why;
      Location loc = candidate->getLoc();
      auto recognize = [&] {
        return recognizeAt(
            rewriter, candidate, why, [&](AttentionMatch &match) {
              return succeeded(buildAttention(rewriter, match, why));
            });
      };
      std::optional<AttentionMatch> match = recognize();
      JoinedColumns columns(&getContext());
      if (!match && succeeded(columns.split(candidate->getResult(0)))) {
        match = recognize();
        if (match)
          columns.keep(rewriter);
        else
          columns.undo();
      }
      if (!explain)
        continue;
      if (match && match->backward)
        emitRemark(loc)
            << "these scores are never stored: their softmax and its product "
               "with values are one kernel.attention, their gradients one "
               "kernel.attention_backward";
      else if (match)
        emitRemark(loc) << "these scores are never stored: their softmax and "
                           "its product with values are one kernel.attention";
      else if (!why.empty())
        emitRemark(loc) << "these scores are stored: " << why;
    }
    repeated.restore(erased.ops);
  }
};

} // namespace
