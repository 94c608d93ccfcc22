//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/PartialIdentity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace shardir;

TypedAttr shardir::partialIdentity(Type elementType, PartialKind kind) {
  Builder builder(elementType.getContext());
  if (auto type = dyn_cast<FloatType>(elementType)) {
    const llvm::fltSemantics &sem = type.getFloatSemantics();
    auto make = [&](const APFloat &v) { return builder.getFloatAttr(type, v); };
    auto extreme = [&](bool negative) {
      return make(APFloat::semanticsHasInf(sem)
                      ? APFloat::getInf(sem, negative)
                      : APFloat::getLargest(sem, negative));
    };
    switch (infoOf(kind).ofFloats) {
    case NeutralElement::NegativeZero:
      if (!APFloat::semanticsHasZero(sem))
        return {};
      return make(APFloat::getZero(sem, /*Negative=*/true));
    case NeutralElement::One:
      return make(APFloat::getOne(sem));
    case NeutralElement::Lowest:
      return extreme(/*negative=*/true);
    case NeutralElement::Highest:
      return extreme(/*negative=*/false);
    case NeutralElement::NaN:
      return make(APFloat::getNaN(sem));
    default:
      return {};
    }
  }
  if (!elementType.isIntOrIndex())
    return {};
  unsigned width =
      elementType.isIndex() ? 64 : cast<IntegerType>(elementType).getWidth();
  auto make = [&](const APInt &v) {
    return builder.getIntegerAttr(elementType, v);
  };
  switch (infoOf(kind).ofIntegers) {
  case NeutralElement::Zero:
    return make(APInt::getZero(width));
  case NeutralElement::One:
    return make(APInt(width, 1));
  case NeutralElement::Lowest:
    return make(APInt::getSignedMinValue(width));
  case NeutralElement::Highest:
    return make(APInt::getSignedMaxValue(width));
  case NeutralElement::AllOnes:
    return make(APInt::getAllOnes(width));
  default:
    return {};
  }
}

Value shardir::createPartialIdentity(OpBuilder &builder, Location loc,
                                     Type elementType, PartialKind kind) {
  if (auto type = dyn_cast<ComplexType>(elementType)) {
    TypedAttr part = kind == PartialKind::Sum
                         ? partialIdentity(type.getElementType(), kind)
                         : TypedAttr();
    if (!part)
      return {};
    return complex::ConstantOp::create(builder, loc, type,
                                       builder.getArrayAttr({part, part}));
  }
  TypedAttr identity;
  if (elementType.isIntOrIndexOrFloat())
    identity = partialIdentity(elementType, kind);
  if (!identity)
    return {};
  return arith::ConstantOp::create(builder, loc, identity);
}
