//===- SortsToKeys.cpp - Sorts of integers instead of elements ------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, before shardir-indexed-ops-to-loops. Requires
// nothing; guarantees that a shardir.sort that compares one key of each side
// compares its first tensor, which is of integers, with `<`, and that it moves
// these and no more than one other tensor, such as the elements' places.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "SortForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {
#define GEN_PASS_DEF_SORTSTOKEYS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// A comparator in terms of a function of one side's elements.
struct SortKey {
  Value value; ///< of the elements whose arguments have `parity`
  unsigned parity;
  bool descends = false, isUnsigned = false;
};
} // namespace

/// True if `b` is what `a` is with the two sides' elements exchanged; those of
/// `a` have the arguments of `parity`.
static bool isOfOtherSide(Value a, Value b, unsigned parity, Block &body) {
  auto argument = dyn_cast<BlockArgument>(a);
  if (argument && argument.getOwner() == &body) {
    auto other = dyn_cast<BlockArgument>(b);
    return other && other.getOwner() == &body &&
           argument.getArgNumber() % 2 == parity &&
           other.getArgNumber() == (argument.getArgNumber() ^ 1);
  }
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (!left || !right || left->getBlock() != &body)
    return a == b;
  return left->getNumRegions() == 0 && isPure(left) &&
         left->getName() == right->getName() &&
         left->getAttrDictionary() == right->getAttrDictionary() &&
         left->getResultTypes() == right->getResultTypes() &&
         cast<OpResult>(a).getResultNumber() ==
             cast<OpResult>(b).getResultNumber() &&
         llvm::all_of_zip(left->getOperands(), right->getOperands(),
                          [&](Value x, Value y) {
                            return isOfOtherSide(x, y, parity, body);
                          });
}

/// The number of bits of a key, or 0 if there are no integers for it.
static unsigned keyWidth(Type type) {
  if (type.isIndex())
    return 64;
  if (isa<IntegerType, Float64Type, Float32Type, Float16Type, BFloat16Type>(
          type) &&
      type.getIntOrFloatBitWidth() <= 64)
    return type.getIntOrFloatBitWidth();
  return 0;
}

static std::optional<SortKey> matchKey(SortOp op) {
  Block &body = op.getComparator().front();
  Operation *compare = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::CmpIOp, arith::CmpFOp>(compare) ||
      compare->getBlock() != &body)
    return std::nullopt;
  SortKey key;
  if (auto cmp = dyn_cast<arith::CmpIOp>(compare)) {
    using P = arith::CmpIPredicate;
    P predicate = cmp.getPredicate();
    if (predicate == P::eq || predicate == P::ne)
      return std::nullopt;
    key.descends =
        llvm::is_contained({P::sgt, P::sge, P::ugt, P::uge}, predicate);
    key.isUnsigned =
        llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  } else {
    using P = arith::CmpFPredicate;
    P predicate = cast<arith::CmpFOp>(compare).getPredicate();
    key.descends =
        llvm::is_contained({P::OGT, P::OGE, P::UGT, P::UGE}, predicate);
    if (!key.descends &&
        !llvm::is_contained({P::OLT, P::OLE, P::ULT, P::ULE}, predicate))
      return std::nullopt;
  }
  Value left = compare->getOperand(0), right = compare->getOperand(1);
  if (!keyWidth(left.getType()))
    return std::nullopt;
  for (unsigned parity : {0u, 1u})
    if (isOfOtherSide(left, right, parity, body)) {
      key.value = left;
      key.parity = parity;
      // `b < a` puts the greater ones first.
      key.descends ^= parity == 1;
      return key;
    }
  return std::nullopt;
}

namespace {
class KeySorter {
public:
  KeySorter(OpBuilder &builder, SortOp op, const SortKey &key)
      : builder(builder), op(op), loc(op.getLoc()), key(key),
        width(keyWidth(key.value.getType())),
        keys(builder.getIntegerType(std::max(16u, llvm::bit_ceil(width)))),
        type(cast<RankedTensorType>(op.getInputs()[0].getType())),
        sizes(tensor::getMixedSizes(builder, loc, op.getInputs()[0])) {}

  void run() {
    Value places = sortPlaces(builder, loc, makeKeys(), op.getDim());
    std::optional<int64_t> leading = leadingCount(op);
    if (leading) {
      sizes[op.getDim()] = builder.getIndexAttr(*leading);
      SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0)),
          ones(type.getRank(), builder.getIndexAttr(1));
      places = tensor::ExtractSliceOp::create(builder, loc, places, zeros,
                                              sizes, ones);
    }
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<Value> values;
    for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults()))
      values.push_back(result.use_empty()
                           ? input
                           : readAtPlaces(builder, loc, input, op.getDim(),
                                          places, identity));
    op->replaceAllUsesWith(values);
    op.erase();
  }

private:
  Value constant(OpBuilder &b, Type type, const APInt &value) {
    return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, value));
  }

  /// An elementwise op on tensors of `sizes`.
  Value map(ValueRange inputs, Type element,
            function_ref<Value(OpBuilder &, ValueRange)> body) {
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, empty.getType(), inputs, empty, maps, loops,
               [&](OpBuilder &b, Location, ValueRange arguments) {
                 linalg::YieldOp::create(b, loc, body(b, arguments));
               })
        .getResult(0);
  }

  /// The key of each element.
  Value makeKeys() {
    Block &body = op.getComparator().front();
    auto sideOf = [&](unsigned number) {
      return body.getArgument(2 * number + key.parity);
    };
    SmallVector<Value> inputs;
    SmallVector<BlockArgument> elements;
    for (auto [number, input] : llvm::enumerate(op.getInputs()))
      if (!sideOf(number).use_empty()) {
        inputs.push_back(input);
        elements.push_back(sideOf(number));
      }
    return map(inputs, keys, [&](OpBuilder &b, ValueRange arguments) {
      IRMapping mapping;
      for (auto [element, argument] : llvm::zip(elements, arguments))
        mapping.map(element, argument);
      Value made = ordered(b, emit(b, key.value, mapping));
      if (made.getType() != keys)
        made = arith::ExtSIOp::create(b, loc, keys, made);
      return made;
    });
  }

  /// Clones the ops that `value` of the comparator comes from.
  Value emit(OpBuilder &b, Value value, IRMapping &mapping) {
    Operation *made = value.getDefiningOp();
    if (!mapping.contains(value) && made &&
        made->getBlock() == &op.getComparator().front()) {
      for (Value operand : made->getOperands())
        emit(b, operand, mapping);
      b.clone(*made, mapping);
    }
    return mapping.lookupOrDefault(value);
  }

  /// The signed integer whose order is that of `value` in the sort.
  Value ordered(OpBuilder &b, Value value) {
    Type integer = b.getIntegerType(width);
    if (auto real = dyn_cast<FloatType>(value.getType())) {
      auto select = [&](arith::CmpFPredicate predicate, Value with,
                        const APFloat &instead) {
        value = arith::SelectOp::create(
            b, loc, arith::CmpFOp::create(b, loc, predicate, value, with),
            arith::ConstantOp::create(b, loc, b.getFloatAttr(real, instead)),
            value);
      };
      const llvm::fltSemantics &semantics = real.getFloatSemantics();
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(real));
      select(arith::CmpFPredicate::OEQ, zero, APFloat::getZero(semantics));
      select(arith::CmpFPredicate::UNO, value, APFloat::getQNaN(semantics));
      value = arith::BitcastOp::create(b, loc, integer, value);
      // Of negative numbers, those with greater magnitudes are less.
      Value isNegative =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value,
                                constant(b, integer, APInt::getZero(width)));
      Value mirrored = arith::XOrIOp::create(
          b, loc, value, constant(b, integer, APInt::getSignedMaxValue(width)));
      value = arith::SelectOp::create(b, loc, isNegative, mirrored, value);
    } else if (value.getType().isIndex()) {
      value = arith::IndexCastOp::create(b, loc, integer, value);
    }
    APInt flipped = APInt::getZero(width);
    if (key.isUnsigned)
      flipped.setSignBit();
    if (key.descends)
      flipped.flipAllBits();
    return flipped.isZero() ? value
                            : arith::XOrIOp::create(
                                  b, loc, value, constant(b, integer, flipped))
                                  .getResult();
  }

  OpBuilder &builder;
  SortOp op;
  Location loc;
  SortKey key;
  unsigned width;
  Type keys;
  RankedTensorType type;
  SmallVector<OpFoldResult> sizes;
};

struct SortsToKeysPass : shardir::impl::SortsToKeysBase<SortsToKeysPass> {
  void runOnOperation() override {
    getOperation().walk([](SortOp op) {
      int64_t extent = sortedExtent(op);
      // Of a dim of unknown size a place has 32 bits, too: a row that needs
      // more has 4 Gi elements.
      if (!ShapedType::isDynamic(extent) &&
          (extent < 2 || extent > int64_t(UINT32_MAX)))
        return;
      std::optional<SortKey> key = matchKey(op);
      if (!key || (op.getInputs().size() <= 2 && isDigitSort(op)))
        return;
      OpBuilder builder(op);
      KeySorter(builder, op, *key).run();
    });
  }
};
} // namespace
