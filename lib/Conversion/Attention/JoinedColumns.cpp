//===- JoinedColumns.cpp - Scores that are joined with others -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires linalg on tensors, joins being insertions. Guarantees that nothing
// runs along what was joined but for operands that did so before: elementwise
// ops of it are made per part, reductions go on from part to part, slices are
// parts. Sums are then added in another order.
//
//===----------------------------------------------------------------------===//

#include "JoinedColumns.h"

#include "AttentionMatch.h"
#include "SliceRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// True if a reduction computes each element from its operands' alone.
static bool isPlainReduction(linalg::LinalgOp op) {
  return combinerOf(op) &&
         llvm::all_of(
             op.getDpsInputOperands(),
             [&](OpOperand *input) {
               return isa<RankedTensorType>(input->get().getType()) &&
                      op.getMatchingIndexingMap(input).isProjectedPermutation(
                          /*allowZeroInResults=*/true);
             }) &&
         llvm::all_of(*op.getBlock(), [](Operation &nested) {
           return isa<linalg::YieldOp, linalg::IndexOp>(nested) ||
                  (isa_and_present<arith::ArithDialect, math::MathDialect>(
                       nested.getDialect()) &&
                   nested.getNumRegions() == 0);
         });
}

/// The loop of the dim; nullopt for a dim that is always at 0.
static std::optional<unsigned> loopAt(linalg::LinalgOp op, OpOperand *operand,
                                      int64_t dim) {
  auto loop = dyn_cast<AffineDimExpr>(
      op.getMatchingIndexingMap(operand).getResult(dim));
  return loop ? std::optional(loop.getPosition()) : std::nullopt;
}

/// The dim of an operand along `loop`; -1 where it does not run along it.
static int64_t dimAlong(linalg::LinalgOp op, OpOperand *operand,
                        unsigned loop) {
  for (auto [dim, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(operand).getResults()))
    if (auto own = dyn_cast<AffineDimExpr>(expr);
        own && own.getPosition() == loop)
      return dim;
  return -1;
}

void JoinedColumns::notifyOperationInserted(Operation *op,
                                            OpBuilder::InsertPoint) {
  if (!isa_and_nonnull<linalg::LinalgOp>(op->getParentOp()))
    inserted.push_back(op);
}

//===----------------------------------------------------------------------===//
// Joined operands
//===----------------------------------------------------------------------===//

tensor::InsertSliceOp JoinedColumns::findJoin(Value scores) {
  llvm::SetVector<Value> list;
  list.insert(scores);
  for (size_t i = 0; i < list.size() && list.size() <= 48; ++i)
    for (Operation *user : list[i].getUsers()) {
      if (user->getBlock() != scores.getParentBlock())
        continue;
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
        if (insert.getSource() == list[i] && rangeOf(insert))
          return insert;
      auto op = dyn_cast<linalg::LinalgOp>(user);
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      if ((op && isElementwise(op)) ||
          (slice && slice.getType() == slice.getSourceType()))
        list.insert(user->getResult(0));
    }
  return {};
}

FailureOr<Value> JoinedColumns::findParts(tensor::InsertSliceOp join) {
  SliceRange scores = *rangeOf(join);
  // Behind it.
  tensor::InsertSliceOp last = join;
  while (last->hasOneUse()) {
    OpOperand &use = *last->getUses().begin();
    auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
    if (!next || next.getSource() == last.getResult() ||
        next->getBlock() != join->getBlock())
      break;
    last = next;
  }
  // And before it.
  int64_t extent = join.getDestType().getDimSize(scores.dim);
  llvm::SmallDenseSet<int64_t> cuts = {0, extent};
  for (auto insert = last; insert;
       insert = insert.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    auto range = rangeOf(insert);
    if (!range || range->dim != scores.dim)
      return failure();
    cuts.insert(range->offset);
    cuts.insert(range->end);
    // Another one's content above the scores.
    if (insert != join && range->offset < scores.end &&
        scores.offset < range->end)
      return failure();
  }
  SmallVector<int64_t> sorted(cuts.begin(), cuts.end());
  llvm::sort(sorted);
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    if (sorted[i] == scores.offset)
      own = i;
    parts.push_back({sorted[i], sorted[i + 1] - sorted[i]});
  }
  if (parts.size() < 2 || parts.size() > 8)
    return failure();
  return last.getResult();
}

std::optional<unsigned> JoinedColumns::partAt(tensor::ExtractSliceOp slice,
                                              int64_t dim) {
  auto range = rangeOf(slice);
  if (!range || range->dim != dim)
    return std::nullopt;
  for (auto [i, part] : llvm::enumerate(parts))
    if (part.offset == range->offset && part.offset + part.size == range->end)
      return i;
  return std::nullopt;
}

LogicalResult JoinedColumns::addUse(OpOperand &use) {
  Operation *user = use.getOwner();
  int64_t dim = whole[use.get()];
  if (user->getBlock() != use.get().getParentBlock())
    return failure();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
    ends.insert(user);
    return success(partAt(slice, dim).has_value());
  }
  if (isa<tensor::DimOp>(user))
    return success();
  auto op = dyn_cast<linalg::LinalgOp>(user);
  if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return failure();
  bool elementwise = isElementwise(op);
  if (!elementwise && !isPlainReduction(op))
    return failure();
  std::optional<unsigned> loop = loopAt(op, &use, dim);
  if (!loop)
    return failure();
  int64_t out = dimAlong(op, op.getDpsInitOperand(0), *loop);
  if (elementwise) {
    auto [known, isNew] = whole.insert({op->getResult(0), out});
    return success(known->second == out);
  }
  // The sum of one of two joined dims, of which the other one stays.
  ends.insert(op);
  return success(out < 0);
}

LogicalResult JoinedColumns::findEnds(Value joined, int64_t dim) {
  whole[joined] = dim;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (i > 96)
      return failure();
    for (OpOperand &use : whole.begin()[i].first.getUses())
      if (failed(addUse(use)))
        return failure();
  }
  // A reduction takes parts of one loop.
  for (Operation *end : ends) {
    auto op = dyn_cast<linalg::LinalgOp>(end);
    if (!op)
      continue;
    llvm::SmallDenseSet<unsigned> loops;
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto known = whole.find(input->get()); known != whole.end())
        loops.insert(*loopAt(op, input, known->second));
    if (loops.size() != 1)
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Part by part
//===----------------------------------------------------------------------===//

static RankedTensorType resized(Value tensor, int64_t dim, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

Value JoinedColumns::sliced(Value tensor, int64_t dim, Part part) {
  rewriter.setInsertionPointAfterValue(tensor);
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  offsets[dim] = rewriter.getIndexAttr(part.offset);
  sizes[dim] = rewriter.getIndexAttr(part.size);
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets, sizes,
                                        strides);
}

Value JoinedColumns::emptied(Value tensor, int64_t dim, unsigned part) {
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  sizes[dim] = rewriter.getIndexAttr(parts[part].size);
  return tensor::EmptyOp::create(
      rewriter, loc, sizes,
      cast<RankedTensorType>(tensor.getType()).getElementType());
}

Value JoinedColumns::cloned(linalg::LinalgOp op, unsigned loop, unsigned part,
                            Value init, Type type) {
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    int64_t dim = isa<RankedTensorType>(input->get().getType())
                      ? dimAlong(op, input, loop)
                      : -1;
    operands.push_back(dim < 0 ? input->get()
                               : partOf(input->get(), dim, part));
  }
  operands.push_back(init);
  rewriter.setInsertionPoint(op);
  Operation *copy = mlir::clone(rewriter, op, type, operands);
  int64_t offset = parts[part].offset;
  SmallVector<linalg::IndexOp> indices;
  copy->walk([&](linalg::IndexOp index) {
    if (offset && index.getDim() == loop)
      indices.push_back(index);
  });
  for (linalg::IndexOp index : indices) {
    rewriter.setInsertionPointAfter(index);
    Location loc = index.getLoc();
    Value by = arith::ConstantIndexOp::create(rewriter, loc, offset),
          sum = arith::AddIOp::create(rewriter, loc, index, by);
    rewriter.replaceAllUsesExcept(index, sum, sum.getDefiningOp());
  }
  return copy->getResult(0);
}

Value JoinedColumns::partOf(Value tensor, int64_t dim, unsigned part) {
  Value &known = made[{tensor, dim, part}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(rewriter);
  Value value = makePart(tensor, dim, part);
  if (Operation *op = tensor.getDefiningOp())
    sources.insert(op);
  return made[{tensor, dim, part}] = value;
}

Value JoinedColumns::makePart(Value tensor, int64_t dim, unsigned part) {
  Operation *op = tensor.getDefiningOp();
  Part range = parts[part];
  if (op)
    rewriter.setInsertionPoint(op);
  if (isa_and_nonnull<tensor::EmptyOp>(op))
    return emptied(tensor, dim, part);
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op)) {
    Value empty = emptied(fill.getOutputs()[0], dim, part);
    return linalg::FillOp::create(rewriter, op->getLoc(), fill.getInputs(),
                                  empty)
        .getResult(0);
  }
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        rewriter, op->getLoc(),
        cast<TypedAttr>(
            Attribute(constant.resizeSplat(resized(tensor, dim, range.size)))));
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    if (auto held = rangeOf(insert); held && held->dim == dim) {
      int64_t end = range.offset + range.size;
      if (range.offset >= held->end || held->offset >= end)
        return partOf(insert.getDest(), dim, part);
      Value source = throughWholeSlices(insert.getSource(), sources);
      if (range.offset == held->offset && end == held->end)
        return source;
      if (range.offset >= held->offset && end <= held->end)
        return sliced(source, dim, {range.offset - held->offset, range.size});
    }
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    SmallVector<int64_t> low(pad.getStaticLow()), high(pad.getStaticHigh());
    Value fill = pad.getConstantPaddingValue();
    bool plain = fill && !pad.getSourceType().isDynamicDim(dim);
    for (int64_t i = 0; i < int64_t(low.size()); ++i)
      plain &= i == dim ? !ShapedType::isDynamic(low[i]) && low[i] >= 0 &&
                              !ShapedType::isDynamic(high[i]) && high[i] >= 0
                        : low[i] == 0 && high[i] == 0;
    int64_t offset = low[dim], size = pad.getSourceType().getDimSize(dim);
    if (plain && range.offset == offset && range.size == size)
      return throughWholeSlices(pad.getSource(), sources);
    if (plain && (range.offset >= offset + size ||
                  range.offset + range.size <= offset)) {
      Value empty = emptied(pad.getSource(), dim, part);
      return linalg::FillOp::create(rewriter, op->getLoc(), fill, empty)
          .getResult(0);
    }
  }
  if (auto elementwise = dyn_cast_or_null<linalg::LinalgOp>(op);
      elementwise && isElementwise(elementwise)) {
    OpOperand *init = elementwise.getDpsInitOperand(0);
    Value empty = elementwise.payloadUsesValueFromOperand(init)
                      ? partOf(init->get(), dim, part)
                      : emptied(init->get(), dim, part);
    return cloned(elementwise, *loopAt(elementwise, init, dim), part, empty,
                  empty.getType());
  }
  return sliced(tensor, dim, range);
}

void JoinedColumns::replace(Value old, Value made) {
  for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
    replaced.push_back({&use, old});
    use.set(made);
  }
}

void JoinedColumns::park(Operation *op) {
  Parked entry = {op, op->getNextNode(), op->getBlock(),
                  SmallVector<Value>(op->getOperands())};
  for (OpOperand &operand : op->getOpOperands())
    operand.drop();
  op->remove();
  parked.push_back(entry);
}

LogicalResult JoinedColumns::split(Value scores) {
  tensor::InsertSliceOp join = findJoin(scores);
  if (!join)
    return failure();
  FailureOr<Value> joined = findParts(join);
  if (failed(joined) || failed(findEnds(*joined, rangeOf(join)->dim)))
    return failure();

  SmallVector<std::pair<Value, Value>> results;
  for (Operation *end : ends) {
    Value result = end->getResult(0);
    sources.insert(end);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(end)) {
      int64_t dim = whole[slice.getSource()];
      Value part = partOf(slice.getSource(), dim, *partAt(slice, dim));
      if (part.getType() != result.getType()) {
        rewriter.setInsertionPoint(end);
        part = tensor::CastOp::create(rewriter, end->getLoc(), result.getType(),
                                      part);
      }
      results.push_back({result, part});
      continue;
    }
    auto op = cast<linalg::LinalgOp>(end);
    unsigned loop = 0;
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto known = whole.find(input->get()); known != whole.end())
        loop = *loopAt(op, input, known->second);
    Value so = op.getDpsInits()[0];
    for (unsigned part = 0; part < parts.size(); ++part)
      if (part != own)
        so = cloned(op, loop, part, so, result.getType());
    results.push_back({result, cloned(op, loop, own, so, result.getType())});
  }
  for (auto [value, dim] : whole)
    for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
      if (auto size = dyn_cast<tensor::DimOp>(user)) {
        std::optional<int64_t> index = size.getConstantIndex();
        OpFoldResult extent = index ? extentOf(value, *index) : OpFoldResult();
        if (!extent)
          continue;
        rewriter.setInsertionPoint(size);
        Value number = dyn_cast<Value>(extent);
        if (!number)
          number = arith::ConstantIndexOp::create(rewriter, size.getLoc(),
                                                  *getConstantIntValue(extent));
        replace(size, number);
        sources.insert(size);
      }
  for (auto [old, part] : results)
    replace(old, part);
  // Dead ops: users before their operands.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : llvm::to_vector(sources))
      if (op->use_empty() && op->getNumResults() == 1) {
        sources.remove(op);
        park(op);
        changed = true;
      }
  }
  return success();
}

void JoinedColumns::undo() {
  for (Parked &entry : llvm::reverse(parked)) {
    entry.block->getOperations().insert(entry.next ? Block::iterator(entry.next)
                                                   : entry.block->end(),
                                        entry.op);
    for (auto [i, value] : llvm::enumerate(entry.operands))
      entry.op->setOperand(i, value);
  }
  for (auto [use, old] : llvm::reverse(replaced))
    use->set(old);
  for (Operation *op : inserted)
    op->dropAllReferences();
  for (Operation *op : inserted)
    op->erase();
  parked.clear();
  inserted.clear();
}

void JoinedColumns::keep(RewriterBase &with) {
  for (Parked &entry : parked)
    with.eraseOp(entry.op);
}
