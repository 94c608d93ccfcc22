//===- Combiner.cpp - How partial results of a reduction meet -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the body of a linalg op. Emits nothing but neutral elements and
// copies of the body's own op.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "ShardIR/Analysis/Combiners.h"
#include "ShardIR/Interfaces/PartialIdentity.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace shardir;

std::optional<Combiner> shardir::combinerOf(linalg::LinalgOp op, unsigned i) {
  BlockArgument old = op.getBlock()->getArgument(op.getNumDpsInputs() + i);
  Value yielded = op.getBlock()->getTerminator()->getOperand(i);
  std::optional<PartialKind> kind = matchAccumulation(yielded, old);
  if (!kind || !yielded.hasOneUse() || !old.getType().isIntOrFloat())
    return std::nullopt;
  return Combiner{yielded.getDefiningOp(), *kind};
}

Value Combiner::identity(LoopEmitter &emit, Type type) const {
  TypedAttr value = partialIdentity(getElementTypeOrSelf(type), kind);
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(emit.builder, emit.loc, value);
}

Value Combiner::combine(LoopEmitter &emit, Value a, Value b) const {
  OperationState state(emit.loc, op->getName(), {a, b}, {a.getType()});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return emit.builder.create(state)->getResult(0);
}

Value Combiner::reduce(LoopEmitter &emit, Value vector) const {
  // Lanes are added as a tree.
  auto flags = isa<arith::AddFOp, arith::MulFOp>(op)
                   ? arith::FastMathFlags::reassoc
                   : arith::FastMathFlags::none;
  return vector::ReductionOp::create(
      emit.builder, emit.loc, *linalg::getCombinerOpKind(op), vector, flags);
}
