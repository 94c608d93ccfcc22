//===- ExpandFloat8.cpp - Floats of eight bits ----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires scalars and vectors; guarantees that no
// arith.extf or arith.truncf has a type of f8E4M3FN or f8E5M2, with the bits of
// the runtime's conversions (SmallFloat.h). The formats are those of
// Micikevicius and others, "FP8 formats for deep learning", 2022.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardir {
#define GEN_PASS_DEF_EXPANDFLOAT8
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// Writes ops on values that have the shape of one op's operand.
struct Expander : ImplicitLocOpBuilder {
  Expander(Operation *op)
      : ImplicitLocOpBuilder(op->getLoc(), op),
        shape(op->getOperand(0).getType()) {}

  Type like(Type element) {
    if (auto vector = dyn_cast<VectorType>(shape))
      return vector.clone(element);
    return element;
  }
  Type integer(unsigned bits) { return like(getIntegerType(bits)); }
  Value splat(TypedAttr attribute) {
    if (isa<VectorType>(shape))
      attribute = DenseElementsAttr::get(
          cast<ShapedType>(like(attribute.getType())), Attribute(attribute));
    return arith::ConstantOp::create(*this, attribute);
  }
  Value word(uint64_t value, unsigned bits = 32) {
    return splat(IntegerAttr::get(getIntegerType(bits), APInt(bits, value)));
  }
  Value number(double value) { return splat(getF32FloatAttr(float(value))); }
  Value bits(Value value, unsigned count) {
    return arith::BitcastOp::create(*this, integer(count), value);
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(*this, a, b); }
  Value left(Value a, Value b) { return arith::ShLIOp::create(*this, a, b); }
  Value right(Value a, Value b) { return arith::ShRUIOp::create(*this, a, b); }

  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(*this, predicate, a, b);
  }

  Type shape;
};

/// Both formats are the upper bits of an f16, but for the bias of E4M3's
/// exponent, which is eight less.
Value widen(Expander &e, Value x) {
  bool isE5M2 = isa<Float8E5M2Type>(getElementTypeOrSelf(x.getType()));
  Value byte = arith::ExtUIOp::create(e, e.integer(16), e.bits(x, 8));
  auto toF32 = [&](Value half) -> Value {
    Value narrow = arith::BitcastOp::create(e, e.like(e.getF16Type()), half);
    return arith::ExtFOp::create(e, e.like(e.getF32Type()), narrow);
  };
  if (isE5M2)
    return toF32(e.left(byte, e.word(8, 16)));
  Value magnitude = e.both(byte, e.word(0x7f, 16));
  Value sign = e.left(e.both(byte, e.word(0x80, 16)), e.word(8, 16));
  Value scaled = toF32(e.either(sign, e.left(magnitude, e.word(7, 16))));
  Value value = arith::MulFOp::create(e, scaled, e.number(256));
  Value isNan =
      e.compare(arith::CmpIPredicate::eq, magnitude, e.word(0x7f, 16));
  Value nan = e.splat(
      FloatAttr::get(e.getF32Type(), APFloat::getNaN(APFloat::IEEEsingle())));
  return arith::SelectOp::create(e, isNan, nan, value);
}

/// SmallFloat.h's encodeMagnitude and what is around it.
Value narrow(Expander &e, Value x, Type result) {
  bool isE5M2 = isa<Float8E5M2Type>(getElementTypeOrSelf(result));
  int mantissa = isE5M2 ? 2 : 3, bias = isE5M2 ? 15 : 7, shift = 23 - mantissa;
  Type f32 = e.like(e.getF32Type());
  Value all = e.bits(x, 32);
  Value sign = e.both(e.right(all, e.word(24)), e.word(0x80));
  Value u = e.both(all, e.word(0x7fffffff));
  // Below the format's normal numbers: the sum's last place is theirs.
  uint32_t magic = uint32_t(127 + 24 - bias - mantissa) << 23;
  Value sum =
      arith::AddFOp::create(e, arith::BitcastOp::create(e, f32, u),
                            arith::BitcastOp::create(e, f32, e.word(magic)));
  Value small = arith::SubIOp::create(e, e.bits(sum, 32), e.word(magic));
  Value odd = e.both(e.right(u, e.word(shift)), e.word(1));
  Value half =
      arith::AddIOp::create(e, odd, e.word((uint32_t(1) << (shift - 1)) - 1));
  Value rounded = e.right(arith::AddIOp::create(e, u, half), e.word(shift));
  Value large = arith::SubIOp::create(e, rounded,
                                      e.word(uint32_t(127 - bias) << mantissa));
  Value isSmall = e.compare(arith::CmpIPredicate::ult, u,
                            e.word(uint32_t(128 - bias) << 23));
  Value code = arith::SelectOp::create(e, isSmall, small, large);
  // Infinity; where there is none, NaN.
  code = arith::MinUIOp::create(e, code, e.word(isE5M2 ? 0x7c : 0x7f));
  Value isNan = e.compare(arith::CmpIPredicate::ugt, u, e.word(0x7f800000));
  code = arith::SelectOp::create(e, isNan, e.word(isE5M2 ? 0x7e : 0x7f), code);
  Value byte = arith::TruncIOp::create(e, e.integer(8), e.either(sign, code));
  return arith::BitcastOp::create(e, result, byte);
}

struct ExpandFloat8Pass : shardir::impl::ExpandFloat8Base<ExpandFloat8Pass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto wider = dyn_cast<arith::ExtFOp>(op))
        expand(wider);
      else if (auto narrower = dyn_cast<arith::TruncFOp>(op))
        expand(narrower);
    });
  }

  static void expand(arith::ExtFOp op) {
    if (!isFloat8(op.getIn().getType()))
      return;
    Expander e(op);
    Value value = widen(e, op.getIn());
    Type wanted = op.getType(), element = getElementTypeOrSelf(wanted);
    if (element.isF64())
      value = arith::ExtFOp::create(e, wanted, value);
    else if (!element.isF32())
      value = arith::TruncFOp::create(e, wanted, value);
    op.replaceAllUsesWith(value);
    op.erase();
  }

  static void expand(arith::TruncFOp op) {
    if (!isFloat8(op.getType()))
      return;
    Expander e(op);
    Value value = op.getIn();
    Type element = getElementTypeOrSelf(value.getType());
    Type f32 = e.like(e.getF32Type());
    if (element.isF64())
      value = arith::TruncFOp::create(e, f32, value);
    else if (!element.isF32())
      value = arith::ExtFOp::create(e, f32, value);
    op.replaceAllUsesWith(narrow(e, value, op.getType()));
    op.erase();
  }
};

} // namespace
