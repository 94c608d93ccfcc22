//===- SortNetwork.cpp - Loops that sort ----------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places of one kind lie between two numbers and have one parity: what is
// compared with them, and where windows begin and end, is decided for all of
// them at once or not at all.
//
//===----------------------------------------------------------------------===//

#include "SortNetwork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Along one dim of a tensor: a number, the place along the sorted dim plus
/// one, or the same place as everything else along another dim.
struct Coordinate {
  enum Kind { Number, Sorted, Row } kind = Row;
  int64_t value = 0;
  bool operator<(const Coordinate &other) const {
    return std::pair(kind, value) < std::pair(other.kind, other.value);
  }
};

/// One kind of place and step.
struct Kind {
  int64_t least, most; ///< places
  int64_t parity, stepParity;
};

/// What a step computes at one kind of place.
class Evaluator {
public:
  Evaluator(scf::ForOp loop, const SortMatch &match, SortTerms &terms,
            Kind kind, int counter)
      : loop(loop), match(match), terms(terms), kind(kind), counter(counter) {}

  /// Null where that is not known.
  const SortTerm *element(Value tensor, std::vector<Coordinate> at);

private:
  const SortTerm *compute(Value tensor, const std::vector<Coordinate> &at);
  const SortTerm *linalgElement(linalg::LinalgOp op, unsigned result,
                                const std::vector<Coordinate> &at);
  const SortTerm *scalar(Value value);
  const SortTerm *fold(Operation *op, std::vector<const SortTerm *> operands);
  const SortTerm *number(Type type, int64_t value) {
    SortTerm term;
    term.type = type;
    term.attribute = IntegerAttr::get(type, value);
    return terms.get(term);
  }
  const SortTerm *moved(const SortTerm *term, int64_t by, Type type) {
    SortTerm result = *term;
    result.offset += by;
    result.type = type;
    return terms.get(result);
  }
  static std::optional<int64_t> numberOf(const SortTerm *term) {
    auto value = dyn_cast_or_null<IntegerAttr>(term->attribute);
    if (term->kind != SortTerm::Constant || !value)
      return std::nullopt;
    return value.getValue().getSExtValue();
  }
  /// The least and the largest value.
  std::optional<std::pair<int64_t, int64_t>> rangeOf(const SortTerm *term) {
    if (auto value = numberOf(term))
      return std::pair(*value, *value);
    if (term->kind == SortTerm::Place)
      return std::pair(kind.least + term->offset, kind.most + term->offset);
    if (term->kind == SortTerm::Step)
      return std::pair(term->offset, match.extent - 1 + term->offset);
    return std::nullopt;
  }
  /// Where along the sorted dim's window [from, from + size) `at` is: its place
  /// in there, nothing where it is outside; `known` whether that is so for all.
  std::optional<Coordinate> within(Coordinate at, int64_t from, int64_t size,
                                   bool &known);

  scf::ForOp loop;
  const SortMatch &match;
  SortTerms &terms;
  Kind kind;
  int counter;
  std::map<std::pair<void *, std::vector<Coordinate>>, const SortTerm *> done;
  DenseMap<Value, const SortTerm *> scalars;
};
} // namespace

const SortTerm *Evaluator::element(Value tensor, std::vector<Coordinate> at) {
  // One place alone has a number.
  for (Coordinate &c : at)
    if (c.kind == Coordinate::Number && kind.least == kind.most &&
        &c - at.data() == match.dim)
      c = {Coordinate::Sorted, c.value - kind.least};
  auto key = std::pair(tensor.getAsOpaquePointer(), at);
  if (auto found = done.find(key); found != done.end())
    return found->second;
  const SortTerm *term = compute(tensor, at);
  return done[key] = term;
}

std::optional<Coordinate> Evaluator::within(Coordinate at, int64_t from,
                                            int64_t size, bool &known) {
  int64_t least = at.value, most = at.value;
  if (at.kind == Coordinate::Sorted) {
    least += kind.least;
    most += kind.most;
  }
  if (at.kind == Coordinate::Row) {
    known = from == 0;
    return at;
  }
  known = true;
  if (least >= from && most < from + size)
    return Coordinate{at.kind, at.value - from};
  known = most < from || least >= from + size;
  return std::nullopt;
}

const SortTerm *Evaluator::compute(Value tensor,
                                   const std::vector<Coordinate> &at) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    if (argument.getOwner() != loop.getBody() || argument.getArgNumber() == 0)
      return nullptr;
    int number = int(argument.getArgNumber()) - 1;
    SortTerm term;
    term.type = getElementTypeOrSelf(tensor.getType());
    if (number == counter) {
      term.kind = SortTerm::Step;
      return terms.get(term);
    }
    auto found = llvm::find(match.tensors, unsigned(number));
    if (found == match.tensors.end())
      return nullptr;
    for (auto [dim, c] : llvm::enumerate(at))
      if (c.kind != (dim == match.dim ? Coordinate::Sorted : Coordinate::Row) ||
          (dim != match.dim && c.value != int64_t(dim)))
        return nullptr;
    term.kind = SortTerm::Element;
    term.tensor = found - match.tensors.begin();
    term.offset = at[match.dim].value;
    return terms.get(term);
  }
  Operation *op = tensor.getDefiningOp();
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat()) {
    SortTerm term;
    term.type = constant.getElementType();
    term.attribute = constant.getSplatValue<Attribute>();
    return terms.get(term);
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return linalgElement(structured, cast<OpResult>(tensor).getResultNumber(),
                         at);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!slice.hasUnitStride() || slice.getDroppedDims().any() ||
        ShapedType::isDynamicShape(slice.getStaticOffsets()))
      return nullptr;
    std::vector<Coordinate> from = at;
    for (auto [c, offset] : llvm::zip(from, slice.getStaticOffsets())) {
      if (c.kind == Coordinate::Row && offset != 0)
        return nullptr;
      c.value += c.kind == Coordinate::Row ? 0 : offset;
    }
    return element(slice.getSource(), std::move(from));
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    int64_t from = 0;
    unsigned dim = concat.getDim();
    for (Value input : concat.getInputs()) {
      int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
      if (ShapedType::isDynamic(size) || at[dim].kind == Coordinate::Row)
        return nullptr;
      bool known;
      auto inside = within(at[dim], from, size, known);
      if (!known)
        return nullptr;
      if (inside) {
        std::vector<Coordinate> next = at;
        next[dim] = *inside;
        return element(input, std::move(next));
      }
      from += size;
    }
    return nullptr;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (!insert.hasUnitStride() || insert.getDroppedDims().any() ||
        ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
        ShapedType::isDynamicShape(insert.getStaticSizes()))
      return nullptr;
    std::vector<Coordinate> next = at;
    for (auto [c, offset, size] :
         llvm::zip(next, insert.getStaticOffsets(), insert.getStaticSizes())) {
      if (c.kind == Coordinate::Row) {
        // All of that dim or, as far as is known here, some of it.
        auto dim = &c - next.data();
        if (offset != 0 || size != insert.getDestType().getDimSize(dim))
          return nullptr;
        continue;
      }
      bool known;
      auto inside = within(c, offset, size, known);
      if (!known)
        return nullptr;
      if (!inside)
        return element(insert.getDest(), at);
      c = *inside;
    }
    return element(insert.getSource(), std::move(next));
  }
  return nullptr;
}

const SortTerm *Evaluator::linalgElement(linalg::LinalgOp op, unsigned result,
                                         const std::vector<Coordinate> &at) {
  if (op.getNumReductionLoops() != 0 || op->getNumRegions() != 1)
    return nullptr;
  AffineMap out = op.getIndexingMapMatchingResult(op->getResult(result));
  if (!out.isPermutation())
    return nullptr;
  std::vector<Coordinate> ivs(op.getNumLoops());
  for (auto [expr, c] : llvm::zip(out.getResults(), at))
    ivs[cast<AffineDimExpr>(expr).getPosition()] = c;
  // Scalars of this body at these ivs.
  DenseMap<Value, const SortTerm *> saved;
  std::swap(saved, scalars);
  Block *body = op.getBlock();
  const SortTerm *value = nullptr;
  bool known = true;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty() || op.isDpsInit(&operand))
      continue; // what is asked of an init is not known
    if (!isa<RankedTensorType>(operand.get().getType())) {
      scalars[argument] = scalar(operand.get());
      continue;
    }
    std::vector<Coordinate> from;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        from.push_back(ivs[dim.getPosition()]);
      else if (auto zero = dyn_cast<AffineConstantExpr>(expr))
        from.push_back({Coordinate::Number, zero.getValue()});
      else
        known = false;
    }
    if (known)
      scalars[argument] = element(operand.get(), std::move(from));
  }
  for (Operation &inner : body->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index)
      continue;
    Coordinate c = ivs[index.getDim()];
    SortTerm term;
    term.kind = SortTerm::Place;
    term.type = index.getType();
    term.offset = c.value;
    scalars[index] = c.kind == Coordinate::Sorted ? terms.get(term)
                     : c.kind == Coordinate::Number
                         ? number(index.getType(), c.value)
                         : nullptr;
  }
  if (known)
    value = scalar(body->getTerminator()->getOperand(result));
  std::swap(saved, scalars);
  return value;
}

const SortTerm *Evaluator::scalar(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return found->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    SortTerm term;
    term.type = value.getType();
    term.attribute = constant;
    return scalars[value] = terms.get(term);
  }
  const SortTerm *result = nullptr;
  Operation *op = value.getDefiningOp();
  if (value == loop.getInductionVar()) {
    SortTerm term;
    term.kind = SortTerm::Step;
    term.type = value.getType();
    result = terms.get(term);
  } else if (auto read = dyn_cast_or_null<tensor::ExtractOp>(op);
             read && read.getIndices().empty()) {
    result = element(read.getTensor(), {});
  } else if (op && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
             isMemoryEffectFree(op) &&
             isa<arith::ArithDialect>(op->getDialect())) {
    std::vector<const SortTerm *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(scalar(operand));
    result = fold(op, std::move(operands));
  }
  return scalars[value] = result;
}

/// Operands that are not known are null: a choice may do without them.
const SortTerm *Evaluator::fold(Operation *op,
                                std::vector<const SortTerm *> operands) {
  Type type = op->getResult(0).getType();
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto condition =
        operands[0] ? numberOf(operands[0]) : std::optional<int64_t>();
    if (condition)
      return operands[*condition != 0 ? 1 : 2];
    if (operands[1] == operands[2])
      return operands[1];
  }
  bool isAnd = isa<arith::AndIOp>(op);
  if (type.isInteger(1) && (isAnd || isa<arith::OrIOp>(op)))
    for (unsigned i : {0, 1}) {
      auto value =
          operands[i] ? numberOf(operands[i]) : std::optional<int64_t>();
      if (value)
        return (*value != 0) == isAnd ? operands[1 - i] : operands[i];
    }
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  auto isCounted = [](const SortTerm *term) {
    return term->kind == SortTerm::Place || term->kind == SortTerm::Step;
  };
  if (isa<arith::IndexCastOp>(op) && isCounted(operands[0]))
    return moved(operands[0], 0, type);
  if (operands.size() == 2) {
    auto right = numberOf(operands[1]), left = numberOf(operands[0]);
    if (isa<arith::AddIOp>(op) && isCounted(operands[0]) && right)
      return moved(operands[0], *right, type);
    if (isa<arith::AddIOp>(op) && isCounted(operands[1]) && left)
      return moved(operands[1], *left, type);
    if (isa<arith::SubIOp>(op) && isCounted(operands[0]) && right)
      return moved(operands[0], -*right, type);
    if (isa<arith::RemSIOp, arith::RemUIOp>(op) && isCounted(operands[0]) &&
        right == 2) {
      int64_t parity =
          operands[0]->kind == SortTerm::Place ? kind.parity : kind.stepParity;
      if (rangeOf(operands[0])->first < 0)
        return nullptr;
      return number(type, (parity + operands[0]->offset) & 1);
    }
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      auto a = rangeOf(operands[0]), b = rangeOf(operands[1]);
      if (a && b) {
        // The difference lies between two numbers.
        int64_t least = a->first - b->second, most = a->second - b->first;
        bool isOne = least == most;
        using P = arith::CmpIPredicate;
        P predicate = compare.getPredicate();
        std::optional<bool> answer;
        if (predicate == P::eq || predicate == P::ne) {
          if (least > 0 || most < 0)
            answer = predicate == P::ne;
          else if (isOne)
            answer = predicate == P::eq;
        } else if (predicate == P::slt || predicate == P::sge) {
          if (most < 0 || least >= 0)
            answer = (most < 0) == (predicate == P::slt);
        } else if (predicate == P::sgt || predicate == P::sle) {
          if (least > 0 || most <= 0)
            answer = (least > 0) == (predicate == P::sgt);
        }
        if (answer)
          return number(type, *answer);
      }
    }
  }
  if (llvm::all_of(operands, [](const SortTerm *term) {
        return term->kind == SortTerm::Constant;
      })) {
    // Of a copy: folding may change the op.
    Operation *copy = op->clone();
    SmallVector<Attribute> attributes;
    for (const SortTerm *operand : operands)
      attributes.push_back(operand->attribute);
    SmallVector<OpFoldResult> results;
    const SortTerm *result = nullptr;
    if (succeeded(copy->fold(attributes, results)) && results.size() == 1) {
      SortTerm term;
      term.type = type;
      if ((term.attribute = dyn_cast<Attribute>(results[0])))
        result = terms.get(term);
      else
        for (auto [i, operand] : llvm::enumerate(copy->getOperands()))
          if (operand == cast<Value>(results[0]))
            result = operands[i];
    }
    copy->destroy();
    if (result)
      return result;
  }
  if (llvm::any_of(operands, isCounted))
    return nullptr;
  SortTerm term;
  term.kind = SortTerm::Result;
  term.type = type;
  term.op = op;
  term.operands = std::move(operands);
  return terms.get(std::move(term));
}

/// Whether, along `match.dim`, each step is one of an odd-even transposition.
static bool transposes(scf::ForOp loop, SortMatch &match, int counter,
                       SortTerms &terms) {
  int64_t n = match.extent;
  SmallVector<std::tuple<int64_t, int64_t, int64_t>> places = {
      {0, 0, 0}, {n - 1, n - 1, (n - 1) % 2}};
  if (n > 2)
    places.push_back({1, n - 2, 1});
  if (n > 3)
    places.push_back({2, n - 2, 0});
  unsigned rank =
      cast<RankedTensorType>(loop.getResult(match.tensors[0]).getType())
          .getRank();
  const SortTerm *before = nullptr;
  for (auto [least, most, parity] : places)
    for (int64_t step : {0, 1}) {
      Evaluator evaluator(loop, match, terms, {least, most, parity, step},
                          counter);
      std::vector<Coordinate> at;
      for (unsigned dim = 0; dim < rank; ++dim)
        at.push_back(dim == match.dim
                         ? Coordinate{Coordinate::Sorted, 0}
                         : Coordinate{Coordinate::Row, int64_t(dim)});
      bool isLeft = parity == step;
      bool isIdle = isLeft ? least == n - 1 : least == 0;
      for (size_t k = 0; k < match.tensors.size(); ++k) {
        const SortTerm *next =
            evaluator.element(loop.getYieldedValues()[match.tensors[k]], at);
        auto isElement = [&](const SortTerm *term, int64_t offset) {
          return term->kind == SortTerm::Element &&
                 term->tensor == int64_t(k) && term->offset == offset;
        };
        if (!next)
          return false;
        if (isIdle) {
          if (!isElement(next, 0))
            return false;
          continue;
        }
        if (next->kind != SortTerm::Result || !isa<arith::SelectOp>(next->op) ||
            !isElement(next->operands[1], isLeft ? 1 : -1) ||
            !isElement(next->operands[2], 0))
          return false;
        const SortTerm *swaps = next->operands[0];
        if (!isLeft)
          swaps = terms.shift(swaps, 1);
        if (!swaps || (before && before != swaps))
          return false;
        before = swaps;
      }
      if (counter >= 0) {
        const SortTerm *next =
            evaluator.element(loop.getYieldedValues()[counter], {});
        if (!next || next->kind != SortTerm::Step || next->offset != 1)
          return false;
      }
    }
  if (before)
    match.keys = terms.keysOf(before);
  return !match.keys.empty();
}

std::optional<SortMatch> shardir::matchSort(scf::ForOp loop, SortTerms &terms) {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (lower != 0 || step != 1 || !upper || loop.getNumResults() == 0)
    return std::nullopt;
  SortMatch match;
  int counter = -1;
  RankedTensorType shape;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    DenseElementsAttr start;
    if (type.getRank() == 0) {
      if (counter >= 0 || !type.getElementType().isSignlessInteger() ||
          !loop.getResult(i).use_empty() ||
          !matchPattern(loop.getInitArgs()[i], m_Constant(&start)) ||
          !start.getSplatValue<APInt>().isZero())
        return std::nullopt;
      counter = int(i);
      continue;
    }
    if (shape && shape.getShape() != type.getShape())
      return std::nullopt;
    shape = type;
    match.tensors.push_back(unsigned(i));
  }
  if (!shape)
    return std::nullopt;
  for (unsigned dim = 0; dim < shape.getRank(); ++dim) {
    match.dim = dim;
    match.extent = shape.getDimSize(dim);
    if (match.extent >= 2 && *upper >= match.extent &&
        transposes(loop, match, counter, terms))
      return match;
  }
  return std::nullopt;
}
