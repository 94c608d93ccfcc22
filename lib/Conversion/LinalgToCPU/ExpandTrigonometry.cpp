//===- ExpandTrigonometry.cpp - Angles and remainders of vectors ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: lowered. See ExpandTrigonometry.h.
//
//===----------------------------------------------------------------------===//

#include "ExpandTrigonometry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// On an op that is left to the library.
static constexpr llvm::StringLiteral kLibrary = "library";

namespace {
/// Emits arithmetic of f64 in as many lanes as a vector of f32 has.
class Doubles {
public:
  Doubles(PatternRewriter &builder, Operation *op)
      : b(builder), loc(op->getLoc()),
        single(cast<VectorType>(op->getResult(0).getType())),
        type(single.clone(builder.getF64Type())),
        word(single.clone(builder.getI32Type())) {}

  Value extend(Value x) { return arith::ExtFOp::create(b, loc, type, x); }
  Value round(Value x) { return arith::TruncFOp::create(b, loc, single, x); }
  Value constant(double value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value withSign(Value x, Value sign) {
    return math::CopySignOp::create(b, loc, x, sign);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  }
  Value isEqual(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// The lanes of whole numbers `x` that have `bit` set.
  Value hasBit(Value x, int32_t bit) {
    Value masked = arith::AndIOp::create(b, loc, x, wordConstant(bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 wordConstant(0));
  }
  Value toWord(Value x) { return arith::FPToSIOp::create(b, loc, word, x); }
  Value increment(Value x) {
    return arith::AddIOp::create(b, loc, x, wordConstant(1));
  }
  /// Coefficients from the highest power on.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  /// Replaces `op` by `value`, of f32, and by what the library gives in lanes
  /// that are not `known`.
  void replace(Operation *op, Value value, Value known) {
    Value all =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, known);
    auto branch = scf::IfOp::create(
        b, loc, all,
        [&](OpBuilder &then, Location) {
          scf::YieldOp::create(then, loc, value);
        },
        [&](OpBuilder &otherwise, Location) {
          Operation *exact = otherwise.clone(*op);
          exact->setAttr(kLibrary, otherwise.getUnitAttr());
          Value chosen = arith::SelectOp::create(otherwise, loc, known, value,
                                                 exact->getResult(0));
          scf::YieldOp::create(otherwise, loc, chosen);
        });
    b.replaceOp(op, branch);
  }

private:
  Value wordConstant(int32_t value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(word, value));
  }

  PatternRewriter &b;
  Location loc;
  VectorType single, type, word;
};

/// Sine and cosine of what is left of an angle after a multiple of pi/2.
struct Quadrant {
  Value number, sine, cosine, known;
};

bool isSingleVector(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return type && type.getRank() == 1 && !type.isScalable() &&
         type.getElementType().isF32() && type.getNumElements() > 1 &&
         !op->hasAttr(kLibrary);
}

/// Of angles below 2^30: pi/2 in two parts leaves an error of 2^-70.
Quadrant reduce(Doubles &d, PatternRewriter &b, Location loc, Value angle) {
  Value x = d.extend(angle);
  Value number = math::RoundEvenOp::create(
      b, loc, d.mul(x, d.constant(0.63661977236758134)));
  Value rest = d.fma(number, d.constant(-1.5707963267948966), x);
  rest = d.fma(number, d.constant(-6.123233995736766e-17), rest);
  rest = d.select(d.isEqual(x, d.constant(0.0)), x, rest); // keeps its sign
  // Taylor's: the next terms are below 1e-13.
  Value square = d.mul(rest, rest);
  Value sine = d.polynomial(square, {1.0 / 6227020800.0, -1.0 / 39916800.0,
                                     1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0,
                                     -1.0 / 6.0});
  sine = d.mul(rest, d.fma(sine, square, d.constant(1.0)));
  Value cosine =
      d.polynomial(square, {1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0,
                            -1.0 / 720.0, 1.0 / 24.0, -1.0 / 2.0, 1.0});
  return {d.toWord(number), sine, cosine,
          d.isLess(d.abs(x), d.constant(0x1p30))};
}

template <typename Op> struct ExpandSine : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!isSingleVector(op))
      return failure();
    Doubles d(b, op);
    Quadrant q = reduce(d, b, op.getLoc(), op.getOperand());
    Value number =
        std::is_same_v<Op, math::CosOp> ? d.increment(q.number) : q.number;
    Value value = d.select(d.hasBit(number, 1), q.cosine, q.sine);
    value = d.select(d.hasBit(number, 2), d.neg(value), value);
    d.replace(op, d.round(value), q.known);
    return success();
  }
};

struct ExpandTan : OpRewritePattern<math::TanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanOp op,
                                PatternRewriter &b) const override {
    if (!isSingleVector(op))
      return failure();
    Doubles d(b, op);
    Quadrant q = reduce(d, b, op.getLoc(), op.getOperand());
    Value isOdd = d.hasBit(q.number, 1);
    Value above = d.select(isOdd, d.neg(q.cosine), q.sine),
          below = d.select(isOdd, q.sine, q.cosine);
    d.replace(op, d.round(d.div(above, below)), q.known);
    return success();
  }
};

/// Of 0 to 1, with an error of 6e-11 (a Chebyshev series of atan(sqrt(u)) /
/// sqrt(u), fitted on 400 nodes).
Value emitAtan(Doubles &d, Value t) {
  Value series = d.polynomial(
      d.mul(t, t),
      {-0.0006804971305524602, 0.004827226970994076, -0.016055158668288032,
       0.034133420229985875, -0.0542153060153032, 0.0724228400781585,
       -0.08979051000501115, 0.11092984776425913, -0.14283948419717943,
       0.19999909956907005, -0.3333333151819446, 0.9999999999390121});
  return d.mul(t, series);
}

struct ExpandAtan : OpRewritePattern<math::AtanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AtanOp op,
                                PatternRewriter &b) const override {
    if (!isSingleVector(op))
      return failure();
    Doubles d(b, op);
    Value x = d.extend(op.getOperand()), size = d.abs(x), one = d.constant(1.0);
    Value isSteep = d.isLess(one, size);
    Value angle = emitAtan(d, d.select(isSteep, d.div(one, size), size));
    angle =
        d.select(isSteep, d.sub(d.constant(1.5707963267948966), angle), angle);
    b.replaceOp(op, d.round(d.withSign(angle, x)));
    return success();
  }
};

struct ExpandAtan2 : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &b) const override {
    if (!isSingleVector(op))
      return failure();
    Location loc = op.getLoc();
    Doubles d(b, op);
    Value y = d.extend(op.getLhs()), x = d.extend(op.getRhs());
    Value height = d.abs(y), width = d.abs(x);
    Value most = arith::MaximumFOp::create(b, loc, height, width),
          least = arith::MinimumFOp::create(b, loc, height, width);
    // Equal infinities are as equal numbers; the angle of nothing is 0.
    Value zero = d.constant(0.0), one = d.constant(1.0);
    Value slope = d.select(d.isEqual(least, most), one, d.div(least, most));
    slope = d.select(d.isEqual(most, zero), zero, slope);
    Value angle = emitAtan(d, slope);
    angle = d.select(d.isLess(width, height),
                     d.sub(d.constant(1.5707963267948966), angle), angle);
    Value isBehind = d.isLess(d.withSign(one, x), zero);
    angle =
        d.select(isBehind, d.sub(d.constant(3.1415926535897931), angle), angle);
    b.replaceOp(op, d.round(d.withSign(angle, y)));
    return success();
  }
};

/// x - trunc(x / y) y, which is exact up to quotients of 29 bits: the product
/// then has 53.
struct ExpandRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &b) const override {
    if (!isSingleVector(op))
      return failure();
    Location loc = op.getLoc();
    Doubles d(b, op);
    Value x = d.extend(op.getLhs()), y = d.abs(d.extend(op.getRhs()));
    Value size = d.abs(x), zero = d.constant(0.0);
    Value quotient = math::TruncOp::create(b, loc, d.div(size, y));
    Value rest = d.fma(d.neg(quotient), y, size);
    // The quotient may have been rounded up to the next whole number.
    rest = d.select(d.isLess(rest, zero), d.add(rest, y), rest);
    Value known =
        arith::AndIOp::create(b, loc, d.isLess(quotient, d.constant(0x1p29)),
                              d.isLess(y, d.constant(0x1p200)));
    d.replace(op, d.round(d.withSign(rest, x)), known);
    return success();
  }
};
} // namespace

void shardir::populateTrigonometryPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSine<math::SinOp>, ExpandSine<math::CosOp>, ExpandTan,
               ExpandAtan, ExpandAtan2, ExpandRemainder>(patterns.getContext());
}
