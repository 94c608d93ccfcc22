//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires fused linalg on tensors. Guarantees a sum of the same products in
// another order, in ops that the schedules of real products apply to.
//
//===----------------------------------------------------------------------===//

#include "ComplexProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// A product of fewer multiply-adds of complex numbers than this, or one of
/// which no element of an operand is used as often, stays one loop: a real
/// product takes longer, with the copies of its operands.
static constexpr double smallProduct = 2048, fewUses = 8;

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
  return copy(part,
              tensor::EmptyOp::create(builder, loc,
                                      tensor::getMixedSizes(builder, loc, like),
                                      type.getElementType()),
              ownLoops(loops), loopsOfMap(2), /*isNegative=*/false);
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
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && isa<ComplexType>(tensor.getElementType());
      }))
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

std::optional<std::array<bool, 2>>
shardir::matchComplexProduct(linalg::LinalgOp op) {
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

SmallVector<Value> shardir::buildRealProduct(linalg::LinalgOp op,
                                             std::array<bool, 2> conjugated,
                                             ArrayRef<ValueRange> operands,
                                             OpBuilder &builder) {
  return RealProduct(op, conjugated, builder).build(operands);
}
