//===- ExpandMathForCpu.cpp - Math functions of vectors -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: lowered. Requires math on scalars and vectors of f32 and f64 (narrower
// floats have been widened); guarantees that functions of f32 vectors that have
// an accurate polynomial call no library.
//
//===----------------------------------------------------------------------===//

#include "ExpandTrigonometry.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_EXPANDMATHFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
/// The functions whose polynomials upstream has with errors below about 6 ulp
/// and right special values (measured against double precision). cbrt is wrong
/// far from zero.
bool hasGoodPolynomial(StringRef name) {
  return llvm::is_contained<StringRef>(
      {math::ExpOp::getOperationName(), math::ExpM1Op::getOperationName(),
       math::LogOp::getOperationName(), math::Log2Op::getOperationName(),
       math::Log1pOp::getOperationName(), math::TanhOp::getOperationName(),
       math::ErfOp::getOperationName(), math::ErfcOp::getOperationName(),
       math::AsinOp::getOperationName(), math::AcosOp::getOperationName()},
      name);
}

/// log(x) = log(x * 2^24) - 24 log(2) where x is denormal: the polynomials take
/// denormals for the smallest normal number.
template <typename Op> void scaleDenormals(Op op, double logOfTwo) {
  Type type = op.getType();
  if (!getElementTypeOrSelf(type).isF32())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto constant = [&](double value) -> Value {
    auto number = builder.getF32FloatAttr(value);
    TypedAttr attribute = number;
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, APFloat(number.getValue()));
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  Value x = op.getOperand();
  Value small = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                      x, constant(0x1p-126));
  Value scaled = arith::MulFOp::create(builder, loc, x, constant(0x1p24));
  op.getOperation()->setOperand(
      0, arith::SelectOp::create(builder, loc, small, scaled, x));
  builder.setInsertionPointAfter(op);
  Value offset = arith::SelectOp::create(
      builder, loc, small, constant(24 * logOfTwo), constant(0.0));
  auto result = arith::SubFOp::create(builder, loc, op.getResult(), offset);
  op.getResult().replaceAllUsesExcept(result, result);
}

/// f64 to f16 or bf16 by way of f32, without rounding twice: where f32 cannot
/// hold the value, the step in between is rounded to odd, which keeps on which
/// side of every narrower number the value is (Boldo and Melquiond, "When
/// double rounding is odd", 2005).
void narrowInTwoSteps(arith::TruncFOp op) {
  Type wide = op.getIn().getType(), narrow = op.getType();
  if (!getElementTypeOrSelf(wide).isF64() ||
      !(getElementTypeOrSelf(narrow).isF16() ||
        getElementTypeOrSelf(narrow).isBF16()))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto like = [&](Type element) -> Type {
    if (auto vector = dyn_cast<VectorType>(wide))
      return vector.clone(element);
    return element;
  };
  Type single = like(b.getF32Type()), word = like(b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    TypedAttr attribute = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(word))
      attribute = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(b, loc, attribute);
  };
  Value x = op.getIn();
  Value nearest = arith::TruncFOp::create(b, loc, single, x);
  Value back = arith::ExtFOp::create(b, loc, wide, nearest);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
  Value away = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(b, loc, back),
                                     math::AbsFOp::create(b, loc, x));
  Value bits = arith::BitcastOp::create(b, loc, word, nearest);
  Value below = arith::SubIOp::create(b, loc, bits, constant(1));
  Value toZero = arith::SelectOp::create(b, loc, away, below, bits);
  Value odd = arith::OrIOp::create(b, loc, toZero, constant(1));
  Value chosen = arith::SelectOp::create(b, loc, inexact, odd, bits);
  op.getInMutable().set(arith::BitcastOp::create(b, loc, single, chosen));
}

/// Upstream's exponential with `vscalefps` in place of integer shifts. Results
/// that are no normal numbers are zero, as upstream's: lanes that made
/// denormals would take hundreds of cycles, and masked scores do.
struct ExpByScaling : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (type != VectorType::get(16, b.getF32Type()))
      return failure();
    Location loc = op.getLoc();
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, APFloat(value)));
    };
    auto fma = [&](Value x, Value y, Value z) -> Value {
      return math::FmaOp::create(b, loc, x, y, z);
    };
    // NaN passes through both limits. Infinity would leave no remainder.
    Value most = constant(88.8f);
    Value x = op.getOperand();
    Value isNormal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, x,
                                           constant(-87.33654f));
    Value isSmall =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ULE, x, most);
    x = arith::SelectOp::create(b, loc, isSmall, x, most);

    Value power = math::FloorOp::create(
        b, loc, fma(x, constant(1.44269504f), constant(0.5f)));
    Value rest = fma(constant(-0.693359375f), power, x);
    rest = fma(constant(2.12194440e-4f), power, rest);
    Value sum = constant(1.9875691500e-4f);
    for (float coefficient :
         {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
          1.6666665459e-1f, 5.0000001201e-1f, 1.0f, 1.0f})
      sum = fma(sum, rest, constant(coefficient));

    Value lanes = LLVM::BitcastOp::create(b, loc, b.getI16Type(), isNormal);
    Value usualRounding = LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                                   b.getI32IntegerAttr(4));
    SmallVector<Value> operands = {sum, power, constant(0.0f), lanes,
                                   usualRounding};
    b.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
        operands);
    return success();
  }
};

struct ExpandMathForCpuPass
    : shardir::impl::ExpandMathForCpuBase<ExpandMathForCpuPass> {
  using ExpandMathForCpuBase::ExpandMathForCpuBase;

  void runOnOperation() override {
    SmallVector<Operation *> logs;
    SmallVector<arith::TruncFOp> narrowings;
    getOperation().walk([&](Operation *op) {
      if (auto narrowing = dyn_cast<arith::TruncFOp>(op))
        narrowings.push_back(narrowing);
      if (isa<math::LogOp, math::Log2Op>(op))
        logs.push_back(op);
    });
    for (arith::TruncFOp op : narrowings)
      narrowInTwoSteps(op);
    for (Operation *op : logs) {
      if (auto log = dyn_cast<math::LogOp>(op))
        scaleDenormals(log, 0.693147180559945309);
      else
        scaleDenormals(cast<math::Log2Op>(op), 1.0);
    }

    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
    shardir::populateTrigonometryPatterns(patterns);
    if (avx512)
      patterns.add<ExpByScaling>(&getContext(), /*benefit=*/2);
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();

    // The remaining ones are f64: the library's function is exact.
    ConversionTarget target(getContext());
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet library(&getContext());
    populateMathToLibmConversionPatterns(library);
    if (failed(
            applyPartialConversion(getOperation(), target, std::move(library))))
      signalPassFailure();
  }
};
} // namespace
