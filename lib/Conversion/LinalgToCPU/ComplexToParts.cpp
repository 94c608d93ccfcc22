//===- ComplexToParts.cpp - Complex tensors as two tensors of floats ------===//
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

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
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

/// A product of fewer multiply-adds of complex numbers than this, or one of
/// which no element of an operand is used as often, stays one loop: a real
/// product takes longer, with the copies of its operands.
static constexpr double smallProduct = 2048, fewUses = 8;

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

/// A sum of products of complex numbers as one of real numbers, of twice the
/// terms, p, and results, q:
///   c[q, m, n] = sum over p, k of a[q, m, p, k] * b[p, k, n]
/// where b[0] and b[1] are the parts of one factor, and a[0] and a[1] are
/// (re, -im) and (im, re) of the other one. Batch dims come first, as products
/// are fastest with them.
class RealProduct {
public:
  /// `conjugated` by factor.
  RealProduct(linalg::LinalgOp op, std::array<bool, 2> conjugated,
              OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        maps(op.getIndexingMapsArray()), numLoops(op.getNumLoops()) {
    auto sizeOf = [&](unsigned i) {
      auto type = cast<RankedTensorType>(op->getOperand(i).getType());
      return type.hasStaticShape() ? type.getNumElements() : INT64_MAX;
    };
    doubled = sizeOf(1) < sizeOf(0);
    ofDoubled = conjugated[doubled] ? -1 : 1;
    ofOther = conjugated[1 - doubled] ? -1 : 1;
  }

  SmallVector<Value> build(ArrayRef<ValueRange> operands);

private:
  /// The loops of the real op beside those of `op`.
  int termPart() const { return numLoops; }
  int resultPart() const { return numLoops + 1; }
  bool isBatch(int loop) const {
    return llvm::all_of(
        maps, [&](AffineMap each) { return each.isFunctionOfDim(loop); });
  }
  SmallVector<int> loopsOf(unsigned operand) const;
  AffineMap mapOf(ArrayRef<int> loops) const;
  Value emptyOf(ArrayRef<int> loops, Type element);
  SmallVector<int> ownLoops(ArrayRef<int> loops) const;
  SmallVector<int> loopsOfMap(unsigned operand) const {
    return llvm::map_to_vector(maps[operand].getResults(), [](AffineExpr expr) {
      return int(cast<AffineDimExpr>(expr).getPosition());
    });
  }
  Value copy(Value source, Value empty, ArrayRef<int> from, ArrayRef<int> to,
             bool isNegative);
  Value inLoopOrder(Value part, unsigned operand, ArrayRef<int> loops,
                    bool isNegative);
  Value toResult(Value part, ArrayRef<int> loops, Value like);
  Value slice(ArrayRef<int> loops, Value all, Value part, int64_t p, int64_t q);

  linalg::LinalgOp op;
  OpBuilder &builder;
  Location loc;
  SmallVector<AffineMap> maps;
  int numLoops;
  unsigned doubled;       ///< the factor with two results, the smaller one
  int ofDoubled, ofOther; ///< signs of their imaginary parts
  SmallVector<OpFoldResult> extents; ///< by loop
};

} // namespace

/// The loops along which an operand of the real op runs, outermost first.
SmallVector<int> RealProduct::loopsOf(unsigned operand) const {
  SmallVector<int> loops;
  for (int loop = 0; loop < numLoops; ++loop)
    if (isBatch(loop))
      loops.push_back(loop);
  bool hasTerm = operand == 2, hasResult = operand == 1 - doubled;
  for (int loop : loopsOfMap(operand)) {
    if (isBatch(loop))
      continue;
    bool isTerm = !maps[2].isFunctionOfDim(loop);
    bool isDoubled = !isTerm && maps[doubled].isFunctionOfDim(loop);
    if (isTerm && !std::exchange(hasTerm, true))
      loops.push_back(termPart());
    if (isDoubled && !std::exchange(hasResult, true))
      loops.push_back(resultPart());
    loops.push_back(loop);
  }
  return loops;
}

AffineMap RealProduct::mapOf(ArrayRef<int> loops) const {
  SmallVector<AffineExpr> exprs;
  for (int loop : loops)
    exprs.push_back(builder.getAffineDimExpr(loop));
  return AffineMap::get(numLoops + 2, 0, exprs, builder.getContext());
}

Value RealProduct::emptyOf(ArrayRef<int> loops, Type element) {
  SmallVector<OpFoldResult> sizes;
  for (int loop : loops)
    sizes.push_back(extents[loop]);
  return tensor::EmptyOp::create(builder, loc, sizes, element);
}

/// The loops of an operand of the real op that are loops of `op`.
SmallVector<int> RealProduct::ownLoops(ArrayRef<int> loops) const {
  return llvm::filter_to_vector(loops,
                                [&](int loop) { return loop < numLoops; });
}

/// Copies `source`, whose dims run along the loops `from`, to `empty`, along
/// `to`.
Value RealProduct::copy(Value source, Value empty, ArrayRef<int> from,
                        ArrayRef<int> to, bool isNegative) {
  SmallVector<AffineExpr> read;
  for (int loop : from)
    read.push_back(builder.getAffineDimExpr(llvm::find(to, loop) - to.begin()));
  SmallVector<AffineMap> copyMaps = {
      AffineMap::get(to.size(), 0, read, builder.getContext()),
      builder.getMultiDimIdentityMap(to.size())};
  SmallVector<utils::IteratorType> parallel(to.size(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), source, empty, copyMaps, parallel,
             [&](OpBuilder &inside, Location at, ValueRange values) {
               Value value = values[0];
               if (isNegative)
                 value = arith::NegFOp::create(inside, at, value);
               linalg::YieldOp::create(inside, at, value);
             })
      .getResult(0);
}

/// `part` of an operand with dims in the order of `loops`, without p and q.
Value RealProduct::inLoopOrder(Value part, unsigned operand,
                               ArrayRef<int> loops, bool isNegative) {
  SmallVector<int> own = ownLoops(loops);
  return copy(part, emptyOf(own, getElementTypeOrSelf(part)),
              loopsOfMap(operand), own, isNegative);
}

/// `part`, with dims in the order of `loops`, as a part of the result.
Value RealProduct::toResult(Value part, ArrayRef<int> loops, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return copy(part, emptyLike(builder, loc, like, type), ownLoops(loops),
              loopsOfMap(2), /*isNegative=*/false);
}

/// `part` inserted into `all` at `p` and `q`, or what is there if `part` is
/// null.
Value RealProduct::slice(ArrayRef<int> loops, Value all, Value part, int64_t p,
                         int64_t q) {
  SmallVector<OpFoldResult> offsets, sizes,
      strides(loops.size(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    bool isPart = loop >= numLoops;
    offsets.push_back(builder.getIndexAttr(!isPart              ? 0
                                           : loop == termPart() ? p
                                                                : q));
    sizes.push_back(isPart ? builder.getIndexAttr(1) : extents[loop]);
    if (!isPart)
      shape.push_back(cast<RankedTensorType>(all.getType()).getDimSize(dim));
  }
  if (part)
    return tensor::InsertSliceOp::create(builder, loc, part, all, offsets,
                                         sizes, strides);
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(all));
  return tensor::ExtractSliceOp::create(builder, loc, type, all, offsets, sizes,
                                        strides);
}

SmallVector<Value> RealProduct::build(ArrayRef<ValueRange> operands) {
  Type element = getElementTypeOrSelf(operands[0][0]);
  extents.assign(numLoops + 2, builder.getIndexAttr(2));
  for (unsigned i = 0; i < 3; ++i)
    for (auto [expr, size] :
         llvm::zip(maps[i].getResults(),
                   tensor::getMixedSizes(builder, loc, operands[i][0])))
      extents[cast<AffineDimExpr>(expr).getPosition()] = size;

  SmallVector<int> loops[3] = {loopsOf(0), loopsOf(1), loopsOf(2)};
  Value values[3];
  for (unsigned i = 0; i < 2; ++i) {
    Value &all = values[i] = emptyOf(loops[i], element);
    ValueRange parts = operands[i];
    auto insert = [&](bool isImaginary, int sign, int64_t p, int64_t q) {
      Value part = inLoopOrder(parts[isImaginary], i, loops[i], sign < 0);
      all = slice(loops[i], all, part, p, q);
    };
    insert(false, 1, 0, 0);
    if (i == doubled) {
      insert(true, -ofDoubled * ofOther, 1, 0);
      insert(true, ofDoubled, 0, 1);
      insert(false, ofOther, 1, 1);
    } else {
      insert(true, 1, 1, 0);
    }
  }
  values[2] = emptyOf(loops[2], element);
  auto zero = [](Value part) {
    auto fill = part.getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.value(), m_AnyZeroFloat()) ? fill.value()
                                                                : Value();
  };
  if (zero(operands[2][0]) && zero(operands[2][1])) {
    values[2] =
        linalg::FillOp::create(builder, loc, zero(operands[2][0]), values[2])
            .getResult(0);
  } else {
    for (bool isImaginary : {false, true})
      values[2] = slice(loops[2], values[2],
                        inLoopOrder(operands[2][isImaginary], 2, loops[2],
                                    /*isNegative=*/false),
                        0, isImaginary);
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.push_back(utils::IteratorType::reduction);
  kinds.push_back(utils::IteratorType::parallel);
  SmallVector<AffineMap> newMaps = {mapOf(loops[0]), mapOf(loops[1]),
                                    mapOf(loops[2])};
  Value sums =
      linalg::GenericOp::create(
          builder, loc, values[2].getType(), ValueRange{values[0], values[1]},
          values[2], newMaps, kinds,
          [](OpBuilder &inside, Location at, ValueRange numbers) {
            Value product =
                arith::MulFOp::create(inside, at, numbers[0], numbers[1]);
            Value sum = arith::AddFOp::create(inside, at, numbers[2], product);
            linalg::YieldOp::create(inside, at, sum);
          })
          .getResult(0);
  SmallVector<Value> results;
  for (bool isImaginary : {false, true})
    results.push_back(toResult(slice(loops[2], sums, {}, 0, isImaginary),
                               loops[2], operands[2][isImaginary]));
  return results;
}

/// True if `op` has the loops of a product of matrices, whose elements are used
/// often enough to pay for copies.
static bool isLargeProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.hasIndexSemantics() ||
      !llvm::all_of(op->getOperandTypes(), isComplex))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(
          maps, [](AffineMap each) { return each.isProjectedPermutation(); }))
    return false;
  double work = 1, sizes[3] = {1, 1, 1};
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    bool runs[3];
    double assumed = ShapedType::isDynamic(extent) ? 1024 : double(extent);
    for (unsigned i = 0; i < 3; ++i) {
      runs[i] = maps[i].isFunctionOfDim(loop);
      sizes[i] *= runs[i] ? assumed : 1;
    }
    if (runs[2] ? !runs[0] && !runs[1] : !runs[0] || !runs[1])
      return false;
    work *= assumed;
  }
  return work >= smallProduct &&
         work >= fewUses * *std::max_element(sizes, sizes + 3);
}

/// Whether the factors of a sum of products are conjugated; nothing for other
/// ops.
static std::optional<std::array<bool, 2>> matchProduct(linalg::LinalgOp op) {
  if (!isLargeProduct(op))
    return std::nullopt;
  Block &body = *op.getBlock();
  auto add =
      body.getTerminator()->getOperand(0).getDefiningOp<complex::AddOp>();
  if (!add)
    return std::nullopt;
  Value sum = body.getArgument(2);
  Value product = add.getLhs() == sum   ? add.getRhs()
                  : add.getRhs() == sum ? add.getLhs()
                                        : Value();
  auto multiply =
      product ? product.getDefiningOp<complex::MulOp>() : complex::MulOp();
  if (!multiply)
    return std::nullopt;
  std::array<bool, 2> conjugated, seen = {false, false};
  for (Value factor : multiply->getOperands()) {
    auto conj = factor.getDefiningOp<complex::ConjOp>();
    auto own = dyn_cast<BlockArgument>(conj ? conj.getComplex() : factor);
    if (!own || own.getOwner() != &body || own.getArgNumber() > 1)
      return std::nullopt;
    conjugated[own.getArgNumber()] = bool(conj);
    seen[own.getArgNumber()] = true;
  }
  if (!seen[0] || !seen[1])
    return std::nullopt;
  return conjugated;
}

namespace {

/// A structured op whose body joins the parts that it reads and takes apart
/// what it yields.
struct StructuredParts : OpInterfaceConversionPattern<linalg::LinalgOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::LinalgOp op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (auto conjugated = matchProduct(op)) {
      SmallVector<SmallVector<Value>> parts = {
          RealProduct(op, *conjugated, rewriter).build(operands)};
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
