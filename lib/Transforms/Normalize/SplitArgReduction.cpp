//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. A body of comparisons and choices is a function of how its
// two values and its two places compare: 8 by 3 outcomes at most, each of which
// is run through the body. Guarantees that an op is rewritten only where all
// outcomes that can happen are those of an extremum and its first or last
// place.
//
//===----------------------------------------------------------------------===//

#include "SplitArgReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;

namespace {

/// How the value so far, a, and the next one, b, compare.
enum class Order { Less, Equal, Greater, FirstNaN, SecondNaN, BothNaN };

/// The symbolic value of a scalar of the body in one outcome.
enum class Sym { Unknown, False, True, ValueA, ValueB, PlaceA, PlaceB };

/// Runs a body for one outcome.
class Outcome {
public:
  Outcome(Order values, Order places) : values(values), places(places) {}

  void set(Value value, Sym sym) { known[value] = sym; }
  Sym get(Value value);
  /// Comparisons of value integers: whether any is signed, or unsigned.
  bool sawSigned = false, sawUnsigned = false;

private:
  Sym compare(arith::CmpFOp op);
  Sym compare(arith::CmpIOp op);
  Sym extremum(Operation *op, bool isLargest, bool takesNaN);
  Sym visit(Operation *op);
  /// How p and q compare; nothing where they are not of one kind.
  std::optional<Order> orderOf(Sym p, Sym q) const;

  Order values, places;
  DenseMap<Value, Sym> known;
};

} // namespace

static Sym symOf(bool value) { return value ? Sym::True : Sym::False; }

std::optional<Order> Outcome::orderOf(Sym p, Sym q) const {
  bool isValue = p == Sym::ValueA || p == Sym::ValueB;
  bool isPlace = p == Sym::PlaceA || p == Sym::PlaceB;
  bool otherIsValue = q == Sym::ValueA || q == Sym::ValueB;
  bool otherIsPlace = q == Sym::PlaceA || q == Sym::PlaceB;
  if (!((isValue && otherIsValue) || (isPlace && otherIsPlace)))
    return std::nullopt;
  Order order = isValue ? values : places;
  bool pFirst = p == Sym::ValueA || p == Sym::PlaceA;
  bool qFirst = q == Sym::ValueA || q == Sym::PlaceA;
  if (pFirst == qFirst) {
    bool isNaN = order == Order::BothNaN ||
                 order == (pFirst ? Order::FirstNaN : Order::SecondNaN);
    return isNaN ? Order::BothNaN : Order::Equal;
  }
  if (pFirst)
    return order;
  switch (order) {
  case Order::Less:
    return Order::Greater;
  case Order::Greater:
    return Order::Less;
  case Order::FirstNaN:
    return Order::SecondNaN;
  case Order::SecondNaN:
    return Order::FirstNaN;
  default:
    return order;
  }
}

Sym Outcome::compare(arith::CmpFOp op) {
  auto order = orderOf(get(op.getLhs()), get(op.getRhs()));
  if (!order)
    return Sym::Unknown;
  bool less = *order == Order::Less, equal = *order == Order::Equal,
       greater = *order == Order::Greater;
  bool unordered = !less && !equal && !greater;
  switch (op.getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    return Sym::False;
  case arith::CmpFPredicate::AlwaysTrue:
    return Sym::True;
  case arith::CmpFPredicate::OEQ:
    return symOf(equal);
  case arith::CmpFPredicate::OGT:
    return symOf(greater);
  case arith::CmpFPredicate::OGE:
    return symOf(greater || equal);
  case arith::CmpFPredicate::OLT:
    return symOf(less);
  case arith::CmpFPredicate::OLE:
    return symOf(less || equal);
  case arith::CmpFPredicate::ONE:
    return symOf(less || greater);
  case arith::CmpFPredicate::ORD:
    return symOf(!unordered);
  case arith::CmpFPredicate::UEQ:
    return symOf(equal || unordered);
  case arith::CmpFPredicate::UGT:
    return symOf(greater || unordered);
  case arith::CmpFPredicate::UGE:
    return symOf(greater || equal || unordered);
  case arith::CmpFPredicate::ULT:
    return symOf(less || unordered);
  case arith::CmpFPredicate::ULE:
    return symOf(less || equal || unordered);
  case arith::CmpFPredicate::UNE:
    return symOf(!equal);
  case arith::CmpFPredicate::UNO:
    return symOf(unordered);
  }
  return Sym::Unknown;
}

Sym Outcome::compare(arith::CmpIOp op) {
  Sym lhs = get(op.getLhs()), rhs = get(op.getRhs());
  auto order = orderOf(lhs, rhs);
  if (!order)
    return Sym::Unknown;
  bool less = *order == Order::Less, equal = *order == Order::Equal,
       greater = *order == Order::Greater;
  // Places are not negative, so that their signs do not matter.
  bool ofValues = lhs == Sym::ValueA || lhs == Sym::ValueB;
  auto is = [&](bool value, bool isUnsigned) {
    (isUnsigned ? sawUnsigned : sawSigned) |= ofValues;
    return symOf(value);
  };
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return symOf(equal);
  case arith::CmpIPredicate::ne:
    return symOf(!equal);
  case arith::CmpIPredicate::slt:
    return is(less, false);
  case arith::CmpIPredicate::sle:
    return is(less || equal, false);
  case arith::CmpIPredicate::sgt:
    return is(greater, false);
  case arith::CmpIPredicate::sge:
    return is(greater || equal, false);
  case arith::CmpIPredicate::ult:
    return is(less, true);
  case arith::CmpIPredicate::ule:
    return is(less || equal, true);
  case arith::CmpIPredicate::ugt:
    return is(greater, true);
  case arith::CmpIPredicate::uge:
    return is(greater || equal, true);
  }
  return Sym::Unknown;
}

/// maximumf and its like; of equal ones either.
Sym Outcome::extremum(Operation *op, bool isLargest, bool takesNaN) {
  Sym lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
  auto order = orderOf(lhs, rhs);
  if (!order)
    return Sym::Unknown;
  switch (*order) {
  case Order::Less:
    return isLargest ? rhs : lhs;
  case Order::FirstNaN:
    return takesNaN ? lhs : rhs;
  case Order::SecondNaN:
    return takesNaN ? rhs : lhs;
  case Order::Greater:
    return isLargest ? lhs : rhs;
  default:
    return lhs;
  }
}

Sym Outcome::visit(Operation *op) {
  auto logic = [&](auto combine) {
    Sym lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
    if ((lhs != Sym::False && lhs != Sym::True) ||
        (rhs != Sym::False && rhs != Sym::True))
      return Sym::Unknown;
    return symOf(combine(lhs == Sym::True, rhs == Sym::True));
  };
  auto integers = [&](bool isLargest, bool isUnsigned) {
    Sym result = extremum(op, isLargest, /*takesNaN=*/false);
    if (result == Sym::ValueA || result == Sym::ValueB)
      (isUnsigned ? sawUnsigned : sawSigned) = true;
    return result;
  };
  return llvm::TypeSwitch<Operation *, Sym>(op)
      .Case<arith::CmpFOp, arith::CmpIOp>([&](auto op) { return compare(op); })
      .Case<arith::AndIOp>([&](auto) { return logic(std::logical_and<>()); })
      .Case<arith::OrIOp>([&](auto) { return logic(std::logical_or<>()); })
      .Case<arith::XOrIOp>(
          [&](auto) { return logic(std::not_equal_to<bool>()); })
      .Case<arith::SelectOp>([&](arith::SelectOp op) {
        Sym condition = get(op.getCondition());
        if (condition == Sym::Unknown)
          return Sym::Unknown;
        return get(condition == Sym::True ? op.getTrueValue()
                                          : op.getFalseValue());
      })
      .Case<arith::MaximumFOp>(
          [&](auto op) { return extremum(op, true, true); })
      .Case<arith::MinimumFOp>(
          [&](auto op) { return extremum(op, false, true); })
      .Case<arith::MaxNumFOp>(
          [&](auto op) { return extremum(op, true, false); })
      .Case<arith::MinNumFOp>(
          [&](auto op) { return extremum(op, false, false); })
      .Case<arith::MaxSIOp>([&](auto) { return integers(true, false); })
      .Case<arith::MinSIOp>([&](auto) { return integers(false, false); })
      .Case<arith::MaxUIOp>([&](auto) { return integers(true, true); })
      .Case<arith::MinUIOp>([&](auto) { return integers(false, true); })
      .Case<arith::ConstantOp>([&](arith::ConstantOp op) {
        if (!op.getType().isInteger(1))
          return Sym::Unknown;
        return symOf(cast<IntegerAttr>(op.getValue()).getValue().isOne());
      })
      .Default([](auto) { return Sym::Unknown; });
}

Sym Outcome::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  Sym sym = op && op->getNumResults() == 1 ? visit(op) : Sym::Unknown;
  known[value] = sym;
  return sym;
}

TypedAttr shardir::fillOf(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    Attribute scalar;
    if (matchPattern(fill.getInputs()[0], m_Constant(&scalar)))
      return dyn_cast<TypedAttr>(scalar);
    return {};
  }
  DenseElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)) && splat.isSplat())
    return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return {};
}

/// Looks through casts between index and integers.
static linalg::IndexOp indexOf(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value.getDefiningOp<linalg::IndexOp>();
}

/// Whether `operand` holds, at each point of the op, its index along loop
/// `loop`.
static bool countsAlong(linalg::LinalgOp op, OpOperand &operand,
                        unsigned loop) {
  auto source = operand.get().getDefiningOp<linalg::GenericOp>();
  if (!source || source.getNumResults() != 1)
    return false;
  linalg::IndexOp index =
      indexOf(source.getBody()->getTerminator()->getOperand(0));
  if (!index || !source.getIndexingMapsArray().back().isIdentity())
    return false;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return index.getDim() < map.getNumResults() &&
         map.getResult(index.getDim()) ==
             getAffineDimExpr(loop, op->getContext());
}

/// True if the body behaves as one kind of extremum in all outcomes that can
/// happen.
static bool behavesAs(linalg::LinalgOp op, ArgReduction &match, Value place,
                      bool hasNaN) {
  Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  BlockArgument a =
      op.getMatchingBlockArgument(op.getDpsInitOperand(match.valueResult));
  BlockArgument ia =
      op.getMatchingBlockArgument(op.getDpsInitOperand(match.placeResult));
  BlockArgument b = op.getMatchingBlockArgument(match.values);
  bool isOrdered = true; // the place so far is never behind the next
  if (auto init = dyn_cast<IntegerAttr>(match.placeInit))
    isOrdered = !init.getValue().isStrictlyPositive();
  bool sawSigned = false, sawUnsigned = false;
  for (Order values : {Order::Less, Order::Equal, Order::Greater,
                       Order::FirstNaN, Order::SecondNaN, Order::BothNaN}) {
    bool isNaN = values > Order::Greater;
    // Without NaN so far, and none taken, there is none.
    if (isNaN && (!hasNaN || (!match.takesNaN && values != Order::SecondNaN)))
      continue;
    for (Order places : {Order::Less, Order::Equal, Order::Greater}) {
      if (isOrdered && places == Order::Greater)
        continue;
      Outcome outcome(values, places);
      outcome.set(a, Sym::ValueA);
      outcome.set(b, Sym::ValueB);
      outcome.set(ia, Sym::PlaceA);
      outcome.set(place, Sym::PlaceB);
      Sym value = outcome.get(yield->getOperand(match.valueResult));
      Sym index = outcome.get(yield->getOperand(match.placeResult));
      sawSigned |= outcome.sawSigned;
      sawUnsigned |= outcome.sawUnsigned;
      bool isValue = value == Sym::ValueA || value == Sym::ValueB;
      bool isPlace = index == Sym::PlaceA || index == Sym::PlaceB;
      if (!isValue || !isPlace)
        return false;
      if (values == Order::Equal || values == Order::BothNaN) {
        // A tie: by place, whichever value that is.
        bool first = (index == Sym::PlaceA) == (places == Order::Less);
        if (places != Order::Equal && first != match.takesFirst)
          return false;
        continue;
      }
      bool takesA;
      if (isNaN)
        takesA = (values == Order::FirstNaN) == match.takesNaN;
      else
        takesA = (values == Order::Greater) == match.isLargest;
      if (takesA != (value == Sym::ValueA) || takesA != (index == Sym::PlaceA))
        return false;
    }
  }
  if (sawSigned && sawUnsigned)
    return false;
  match.isUnsigned = sawUnsigned;
  return true;
}

std::optional<ArgReduction> shardir::matchArgReduction(linalg::LinalgOp op,
                                                       bool anyZero) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 2 ||
      op.getNumReductionLoops() != 1 || op.getNumDpsInputs() < 1 ||
      op.getNumDpsInputs() > 2 || !op.getBlock())
    return std::nullopt;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  unsigned loop = loops.front();
  AffineMap initMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (initMap != op.getMatchingIndexingMap(op.getDpsInitOperand(1)) ||
      initMap.isFunctionOfDim(loop) || !initMap.isProjectedPermutation())
    return std::nullopt;
  for (auto [value, place] : {std::pair(0, 1), std::pair(1, 0)}) {
    ArgReduction match;
    match.valueResult = value;
    match.placeResult = place;
    bool isPair = op.getNumDpsInputs() == 2;
    match.values = op.getDpsInputOperand(isPair ? value : 0);
    match.places = isPair ? op.getDpsInputOperand(place) : nullptr;
    Type type = getElementTypeOrSelf(match.values->get().getType());
    auto placeType = getElementTypeOrSelf(op->getResult(place).getType());
    if (type != getElementTypeOrSelf(op->getResult(value).getType()) ||
        !(isa<FloatType>(type) || type.isSignlessInteger()) ||
        !(placeType.isIndex() || placeType.isSignlessInteger()))
      continue;
    // Bits that a use would see are those of whichever zero came last.
    if (!anyZero && isa<FloatType>(type) && !op->getResult(value).use_empty())
      continue;
    AffineMap valueMap = op.getMatchingIndexingMap(match.values);
    auto shaped = cast<ShapedType>(match.values->get().getType());
    std::optional<unsigned> dim =
        valueMap.getResultPosition(getAffineDimExpr(loop, op->getContext()));
    unsigned width =
        placeType.isIndex() ? 64 : placeType.getIntOrFloatBitWidth();
    if (!dim || !valueMap.isProjectedPermutation() ||
        (width < 64 && (shaped.isDynamicDim(*dim) ||
                        shaped.getDimSize(*dim) >= int64_t(1) << (width - 1))))
      continue;
    match.valueInit = fillOf(op.getDpsInitOperand(value)->get());
    match.placeInit = fillOf(op.getDpsInitOperand(place)->get());
    if (!match.valueInit || !match.placeInit)
      continue;
    auto init = dyn_cast<FloatAttr>(match.valueInit);
    if (init && init.getValue().isNaN())
      continue;
    Value index;
    if (match.places) {
      if (getElementTypeOrSelf(match.places->get().getType()) != placeType ||
          !countsAlong(op, *match.places, loop))
        continue;
      index = op.getMatchingBlockArgument(match.places);
    } else {
      // One that the body asks for, cast to the place's type.
      op.getBlock()->walk([&](Operation *inner) {
        if (inner->getNumResults() == 1 &&
            inner->getResult(0).getType() == placeType)
          if (linalg::IndexOp found = indexOf(inner->getResult(0));
              found && found.getDim() == loop)
            index = inner->getResult(0);
      });
      if (!index)
        continue;
    }
    for (bool isLargest : {true, false})
      for (bool takesNaN : {true, false})
        for (bool takesFirst : {true, false}) {
          match.isLargest = isLargest;
          match.takesNaN = takesNaN;
          match.takesFirst = takesFirst;
          if (behavesAs(op, match, index, isa<FloatType>(type)))
            return match;
        }
  }
  return std::nullopt;
}

void shardir::splitArgReduction(RewriterBase &rewriter, linalg::LinalgOp op,
                                const ArgReduction &match) {
  Location loc = op.getLoc();
  Value values = match.values->get();
  Value valueInit = op.getDpsInitOperand(match.valueResult)->get();
  Value placeInit = op.getDpsInitOperand(match.placeResult)->get();
  Type placeType = getElementTypeOrSelf(placeInit.getType());
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(values.getType()));
  AffineMap valueMap = op.getMatchingIndexingMap(match.values);
  AffineMap outMap =
      op.getMatchingIndexingMap(op.getDpsInitOperand(match.valueResult));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();

  auto extremum = linalg::GenericOp::create(
      rewriter, loc, TypeRange{valueInit.getType()}, ValueRange{values},
      ValueRange{valueInit}, ArrayRef<AffineMap>{valueMap, outMap}, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value next = args[0], acc = args[1], result;
        if (isFloat && match.takesNaN)
          result =
              match.isLargest
                  ? Value(arith::MaximumFOp::create(builder, loc, acc, next))
                  : arith::MinimumFOp::create(builder, loc, acc, next);
        else if (isFloat)
          result =
              match.isLargest
                  ? Value(arith::MaxNumFOp::create(builder, loc, acc, next))
                  : arith::MinNumFOp::create(builder, loc, acc, next);
        else if (match.isUnsigned)
          result = match.isLargest
                       ? Value(arith::MaxUIOp::create(builder, loc, acc, next))
                       : arith::MinUIOp::create(builder, loc, acc, next);
        else
          result = match.isLargest
                       ? Value(arith::MaxSIOp::create(builder, loc, acc, next))
                       : arith::MinSIOp::create(builder, loc, acc, next);
        linalg::YieldOp::create(builder, loc, result);
      });
  Value found = extremum.getResult(0);

  /// Whether a value is the extremum.
  auto isFound = [&](OpBuilder &builder, Location loc, Value value,
                     Value found) -> Value {
    if (!isFloat)
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   value, found);
    Value equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        value, found);
    if (!match.takesNaN)
      return equal;
    // NaN is no number's equal, so that both are unordered with themselves.
    Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        value, value);
    Value wanted = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNO, found, found);
    Value both = arith::AndIOp::create(builder, loc, isNaN, wanted);
    return arith::OrIOp::create(builder, loc, equal, both);
  };
  unsigned width = placeType.isIndex() ? 64 : placeType.getIntOrFloatBitWidth();
  APInt none = match.takesFirst ? APInt::getSignedMaxValue(width)
                                : APInt::getSignedMinValue(width);
  auto constant = [&](OpBuilder &builder, Location loc, TypedAttr attr) {
    return arith::ConstantOp::create(builder, loc, attr).getResult();
  };
  Attribute noneAttr = rewriter.getIntegerAttr(placeType, none);

  // The initial value has a place, too.
  AffineMap identity = rewriter.getMultiDimIdentityMap(outMap.getNumResults());
  SmallVector<utils::IteratorType> parallel(outMap.getNumResults(),
                                            utils::IteratorType::parallel);
  auto start = linalg::GenericOp::create(
      rewriter, loc, TypeRange{placeInit.getType()}, ValueRange{found},
      ValueRange{placeInit}, ArrayRef<AffineMap>{identity, identity}, parallel,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value init = constant(builder, loc, match.valueInit);
        Value own = constant(builder, loc, match.placeInit);
        Value other = constant(builder, loc, cast<TypedAttr>(noneAttr));
        Value chosen = arith::SelectOp::create(
            builder, loc, isFound(builder, loc, init, args[0]), own, other);
        linalg::YieldOp::create(builder, loc, chosen);
      });

  SmallVector<Value> inputs = {values, found};
  SmallVector<AffineMap> maps = {valueMap, outMap};
  if (match.places) {
    inputs.push_back(match.places->get());
    maps.push_back(op.getMatchingIndexingMap(match.places));
  }
  maps.push_back(outMap);
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  auto places = linalg::GenericOp::create(
      rewriter, loc, TypeRange{placeInit.getType()}, inputs,
      ValueRange{start.getResult(0)}, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value own = match.places ? args[2] : Value();
        if (!own) {
          own = linalg::IndexOp::create(builder, loc, loops.front());
          if (!placeType.isIndex())
            own = arith::IndexCastOp::create(builder, loc, placeType, own);
        }
        Value other = constant(builder, loc, cast<TypedAttr>(noneAttr));
        Value candidate = arith::SelectOp::create(
            builder, loc, isFound(builder, loc, args[0], args[1]), own, other);
        Value result =
            match.takesFirst
                ? Value(arith::MinSIOp::create(builder, loc, candidate,
                                               args.back()))
                : arith::MaxSIOp::create(builder, loc, candidate, args.back());
        linalg::YieldOp::create(builder, loc, result);
      });
  SmallVector<Value> results(2);
  results[match.valueResult] = found;
  results[match.placeResult] = places.getResult(0);
  rewriter.replaceOp(op, results);
}
