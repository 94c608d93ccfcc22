//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, of CPUs and GPUs. Requires fused linalg on tensors;
// guarantees that linalg and tensor ops compute complex numbers by their real
// and imaginary parts, in tensors of their own, so that products have the
// schedules of real ones and other loops become vectors. Ops of other dialects,
// as collectives, keep complex tensors, which are joined and split around them.
//
//===----------------------------------------------------------------------===//

#include "ComplexProducts.h"

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_COMPLEXTOPARTS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// `type` with floats in the place of complex numbers; null for other types.
static RankedTensorType partType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? tensor.clone(complex.getElementType()) : RankedTensorType();
}

static bool isComplex(Type type) { return bool(partType(type)); }

/// A new tensor like `like`, of type `type`.
static Value emptyLike(OpBuilder &builder, Location loc, Value like,
                       RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, like),
                                 type.getElementType());
}

/// An elementwise op of `inputs`, tensors of one shape.
static Value map(OpBuilder &builder, Location loc, RankedTensorType type,
                 ValueRange inputs,
                 function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  int64_t rank = type.getRank();
  Value empty = emptyLike(builder, loc, inputs[0], type);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, inputs, empty, maps, parallel,
             [&](OpBuilder &inside, Location at, ValueRange values) {
               linalg::YieldOp::create(inside, at, body(inside, at, values));
             })
      .getResult(0);
}

static Value partOf(OpBuilder &builder, Location loc, Value number,
                    bool isImaginary) {
  return isImaginary ? builder.createOrFold<complex::ImOp>(loc, number)
                     : builder.createOrFold<complex::ReOp>(loc, number);
}

static SmallVector<Value> split(OpBuilder &builder, TypeRange types,
                                ValueRange inputs, Location loc) {
  SmallVector<Value> parts;
  for (bool isImaginary : {false, true})
    parts.push_back(map(builder, loc,
                        cast<RankedTensorType>(types[isImaginary]), inputs,
                        [&](OpBuilder &inside, Location at, ValueRange values) {
                          return partOf(inside, at, values[0], isImaginary);
                        }));
  return parts;
}

static Value join(OpBuilder &builder, RankedTensorType type, ValueRange parts,
                  Location loc) {
  return map(builder, loc, type, parts,
             [&](OpBuilder &inside, Location at, ValueRange values) -> Value {
               return complex::CreateOp::create(
                   inside, at, type.getElementType(), values[0], values[1]);
             });
}

namespace {

/// A structured op whose body joins the parts that it reads and takes apart
/// what it yields.
struct StructuredParts : OpInterfaceConversionPattern<linalg::LinalgOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::LinalgOp op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (auto conjugated = matchComplexProduct(op)) {
      SmallVector<SmallVector<Value>> parts = {
          buildRealProduct(op, *conjugated, operands, rewriter)};
      rewriter.replaceOpWithMultiple(op, std::move(parts));
      return success();
    }
    Location loc = op.getLoc();
    if (auto fill = dyn_cast<linalg::FillOp>(*op)) {
      SmallVector<SmallVector<Value>> parts(1);
      for (bool isImaginary : {false, true})
        parts[0].push_back(linalg::FillOp::create(
                               rewriter, loc,
                               partOf(rewriter, loc, fill.value(), isImaginary),
                               operands[1][isImaginary])
                               .getResult(0));
      rewriter.replaceOpWithMultiple(op, std::move(parts));
      return success();
    }
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      ValueRange parts = operands[operand.getOperandNumber()];
      llvm::append_range(op.isDpsInput(&operand) ? inputs : inits, parts);
      maps.append(parts.size(), op.getMatchingIndexingMap(&operand));
    }
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange(ValueRange(inits)), inputs, inits, maps,
        op.getIteratorTypesArray());
    OpBuilder::InsertionGuard guard(rewriter);
    SmallVector<Type> types;
    for (Value operand : llvm::concat<Value>(inputs, inits))
      types.push_back(getElementTypeOrSelf(operand));
    Block *body =
        rewriter.createBlock(&generic.getRegion(), {}, types,
                             SmallVector<Location>(types.size(), loc));
    IRMapping mapping;
    unsigned next = 0;
    for (auto [argument, parts] :
         llvm::zip(op.getBlock()->getArguments(), operands)) {
      Value value = body->getArgument(next);
      if (parts.size() == 2)
        value = complex::CreateOp::create(rewriter, loc, argument.getType(),
                                          value, body->getArgument(next + 1));
      mapping.map(argument, value);
      next += parts.size();
    }
    for (Operation &each : op.getBlock()->without_terminator())
      rewriter.clone(each, mapping);
    SmallVector<Value> yielded;
    for (auto [value, result] :
         llvm::zip(op.getBlock()->getTerminator()->getOperands(),
                   op->getResultTypes())) {
      Value made = mapping.lookupOrDefault(value);
      if (isComplex(result))
        for (bool isImaginary : {false, true})
          yielded.push_back(partOf(rewriter, loc, made, isImaginary));
      else
        yielded.push_back(made);
    }
    linalg::YieldOp::create(rewriter, loc, yielded);

    SmallVector<ValueRange> replacements;
    ValueRange results = generic.getResults();
    for (Type type : op->getResultTypes()) {
      unsigned count = isComplex(type) ? 2 : 1;
      replacements.push_back(results.take_front(count));
      results = results.drop_front(count);
    }
    rewriter.replaceOpWithMultiple(op, replacements);
    return success();
  }
};

/// An op that moves elements, twice: once for each part.
template <typename Op> struct MovedParts : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op,
                  typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Value>> parts(1);
    for (bool isImaginary : {false, true}) {
      IRMapping mapping;
      for (auto [operand, values] :
           llvm::zip(op->getOperands(), adaptor.getOperands()))
        mapping.map(operand, values[values.size() == 2 && isImaginary]);
      Operation *moved = rewriter.cloneWithoutRegions(*op, mapping);
      moved->getResult(0).setType(partType(op.getType()));
      parts[0].push_back(moved->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, std::move(parts));
    return success();
  }
};

struct ExtractParts : OpConversionPattern<tensor::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ExtractOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value parts[2];
    for (bool isImaginary : {false, true})
      parts[isImaginary] = tensor::ExtractOp::create(
          rewriter, op.getLoc(), adaptor.getTensor()[isImaginary],
          op.getIndices());
    rewriter.replaceOpWithNewOp<complex::CreateOp>(op, op.getType(), parts[0],
                                                   parts[1]);
    return success();
  }
};

struct DimOfParts : OpConversionPattern<tensor::DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::DimOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, adaptor.getSource()[0],
                                               op.getIndex());
    return success();
  }
};

struct ConstantParts : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto numbers = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!numbers)
      return failure();
    SmallVector<SmallVector<Value>> parts(1);
    for (bool isImaginary : {false, true}) {
      auto part = [&](const std::complex<APFloat> &number) {
        return isImaginary ? number.imag() : number.real();
      };
      SmallVector<APFloat> values;
      if (numbers.isSplat())
        values.push_back(part(numbers.getSplatValue<std::complex<APFloat>>()));
      else
        for (const std::complex<APFloat> &number :
             numbers.getValues<std::complex<APFloat>>())
          values.push_back(part(number));
      parts[0].push_back(arith::ConstantOp::create(
          rewriter, op.getLoc(),
          DenseElementsAttr::get(partType(op.getType()), values)));
    }
    rewriter.replaceOpWithMultiple(op, std::move(parts));
    return success();
  }
};

struct ComplexToPartsPass
    : shardir::impl::ComplexToPartsBase<ComplexToPartsPass> {
  void runOnOperation() override {
    WalkResult search = getOperation().walk([](Operation *op) {
      return llvm::any_of(op->getResultTypes(), isComplex)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!search.wasInterrupted())
      return;

    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion(
        [](RankedTensorType type,
           SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          RankedTensorType part = partType(type);
          if (!part)
            return std::nullopt;
          parts.append(2, part);
          return success();
        });
    converter.addSourceMaterialization(join);
    converter.addTargetMaterialization(split);

    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    auto isConverted = [&](Operation *op) {
      return llvm::none_of(op->getOperandTypes(), isComplex) &&
             llvm::none_of(op->getResultTypes(), isComplex);
    };
    target.addDynamicallyLegalDialect<linalg::LinalgDialect>(
        [&](Operation *op) {
          return !isa<linalg::LinalgOp>(op) || isConverted(op);
        });
    target.addDynamicallyLegalOp<
        arith::ConstantOp, tensor::CastOp, tensor::CollapseShapeOp,
        tensor::ConcatOp, tensor::DimOp, tensor::EmptyOp, tensor::ExpandShapeOp,
        tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertSliceOp>(
        isConverted);
    RewritePatternSet patterns(&getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    patterns.add<
        StructuredParts, MovedParts<tensor::CastOp>,
        MovedParts<tensor::CollapseShapeOp>, MovedParts<tensor::ConcatOp>,
        MovedParts<tensor::EmptyOp>, MovedParts<tensor::ExpandShapeOp>,
        MovedParts<tensor::ExtractSliceOp>, MovedParts<tensor::InsertSliceOp>,
        ExtractParts, DimOfParts, ConstantParts>(converter, &getContext());
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();

    // Parts that are put side by side, as complex numbers are in memory, are
    // computed there.
    RewritePatternSet reshapes(&getContext());
    tensor::populateReassociativeReshapeFoldingPatterns(reshapes);
    if (failed(applyPatternsGreedily(getOperation(), std::move(reshapes))))
      return signalPassFailure();
    // Bodies become arithmetic on parts, and what moved between ops is fused.
    OpPassManager simplify(func::FuncOp::getOperationName());
    simplify.addPass(createConvertComplexToStandardPass());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    simplify.addPass(shardir::createFuseForCpu());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    if (failed(runPipeline(simplify, getOperation())))
      signalPassFailure();
  }
};

} // namespace
