//===- ScalarGraph.cpp - Elementwise tensors as scalar expressions --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires linalg on tensors; changes none of it. The block belongs to the
// graph and is never verified: its loop indices have no op around them until
// they are cloned into one.
//
//===----------------------------------------------------------------------===//

#include "ScalarGraph.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace shardir;

bool shardir::isElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  if (!op.getIndexingMapMatchingResult(op->getResult(0)).isPermutation())
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()) &&
        !op.getMatchingIndexingMap(input).isProjectedPermutation(
            /*allowZeroInResults=*/true))
      return false;
  return llvm::all_of(*op.getBlock(), [](Operation &nested) {
    return isa<linalg::YieldOp, linalg::IndexOp>(nested) ||
           (isa_and_present<arith::ArithDialect, math::MathDialect>(
                nested.getDialect()) &&
            nested.getNumResults() == 1 && nested.getNumRegions() == 0);
  });
}

ScalarGraph::ScalarGraph(Value score, ArrayRef<Value> expanded,
                         ArrayRef<unsigned> columns)
    : scoreTensor(score), expanded(expanded.begin(), expanded.end()),
      columns(columns),
      numLoops(cast<RankedTensorType>(score.getType()).getRank()),
      block(std::make_unique<Block>()), builder(score.getContext()) {
  builder.setInsertionPointToEnd(block.get());
  scoreElement = makeLeaf(score, builder.getMultiDimIdentityMap(numLoops));
}

ScalarGraph::~ScalarGraph() {
  // Uses before definitions.
  while (!block->empty())
    block->back().erase();
}

Value ScalarGraph::makeLeaf(Value tensor, AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value element = block->addArgument(type.getElementType(), tensor.getLoc());
  leaves.push_back({tensor, map});
  known[{tensor, map}] = element;
  return element;
}

const ScalarGraph::Leaf *ScalarGraph::leafOf(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != block.get())
    return nullptr;
  return &leaves[argument.getArgNumber()];
}

bool ScalarGraph::hasColumn(AffineMap map) const {
  return llvm::any_of(columns,
                      [&](unsigned loop) { return map.isFunctionOfDim(loop); });
}

bool ScalarGraph::depends(Value value,
                          llvm::function_ref<bool(Value)> test) const {
  SmallVector<Value> list = {value};
  SmallPtrSet<Value, 16> seen;
  while (!list.empty()) {
    Value next = list.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (test(next))
      return true;
    Operation *op = next.getDefiningOp();
    if (op && op->getBlock() == block.get())
      llvm::append_range(list, op->getOperands());
  }
  return false;
}

bool ScalarGraph::dependsOnScore(Value value) const {
  return depends(value, [&](Value v) { return v == scoreElement; });
}

bool ScalarGraph::dependsOnColumns(Value value) const {
  return depends(value, [&](Value v) {
    if (const Leaf *leaf = leafOf(v))
      return hasColumn(leaf->map);
    auto index = v.getDefiningOp<kernel::LoopIndexOp>();
    return index && llvm::is_contained(columns, unsigned(index.getLoop()));
  });
}

Value ScalarGraph::unique(Operation *op, ValueRange operands) {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = builder.clone(*op, mapping);
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(copy, folded)) && folded.size() == 1 &&
      folded[0].getDefiningOp() != copy) {
    copy->erase();
    copy = folded[0].getDefiningOp();
    if (!copy || copy->getBlock() != block.get() || copy != &block->back())
      return folded[0];
  }
  for (Operation &other : *block)
    if (&other != copy &&
        OperationEquivalence::isEquivalentTo(
            copy, &other, OperationEquivalence::exactValueMatch, nullptr,
            OperationEquivalence::IgnoreLocations)) {
      copy->erase();
      return other.getResult(0);
    }
  return copy->getResult(0);
}

Value ScalarGraph::bodyValue(linalg::LinalgOp op, Value value,
                             ArrayRef<AffineExpr> loops) {
  Block *body = op.getBlock();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != body)
      return value;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<ShapedType>(operand->get().getType()))
      return operand->get();
    SmallVector<AffineExpr> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      at.push_back(loop ? loops[loop.getPosition()] : expr);
    }
    return elementOf(operand->get(),
                     AffineMap::get(numLoops, 0, at, op.getContext()));
  }
  Operation *nested = value.getDefiningOp();
  if (nested->getBlock() != body) {
    // A constant from outside is one of the graph's; other scalars are taken
    // as they are.
    if (matchPattern(value, m_Constant()))
      return unique(nested, {});
    return value;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
    AffineExpr expr = loops[index.getDim()];
    Operation *made;
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      made = kernel::LoopIndexOp::create(
          builder, op.getLoc(), builder.getIndexType(),
          builder.getI64IntegerAttr(loop.getPosition()));
    else
      made = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
    Value result = unique(made, {});
    if (result != made->getResult(0))
      made->erase();
    return result;
  }
  SmallVector<Value> operands;
  for (Value operand : nested->getOperands()) {
    Value element = bodyValue(op, operand, loops);
    if (!element)
      return {};
    operands.push_back(element);
  }
  return unique(nested, operands);
}

/// True if a body does nothing that is worth keeping its result for.
bool ScalarGraph::isWorthExpanding(linalg::LinalgOp op) const {
  int64_t ops = 0;
  for (Operation &nested : *op.getBlock()) {
    if (isa_and_present<math::MathDialect>(nested.getDialect()) ||
        isa<arith::DivFOp, arith::RemFOp>(nested))
      return false;
    ops += !isa<linalg::YieldOp, linalg::IndexOp>(nested);
  }
  if (ops > 8 || ops > budget)
    return false;
  // Its own elements against those that it would be replaced by.
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t full = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (type && type.getRank() > 0 &&
        !matchPattern(input->get(), m_Constant()) &&
        op.getMatchingIndexingMap(input).getNumResults() == result.getRank() &&
        type.getShape() == result.getShape())
      ++full;
  }
  return full == 0 || op->hasOneUse();
}

/// A loop of `op` per dim of its result, at `map`.
static SmallVector<AffineExpr> loopsAt(linalg::LinalgOp op, AffineMap map) {
  AffineMap result = op.getIndexingMapMatchingResult(op->getResult(0));
  SmallVector<AffineExpr> loops(op.getNumLoops());
  for (auto [expr, at] : llvm::zip(result.getResults(), map.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = at;
  return loops;
}

Value ScalarGraph::expand(linalg::LinalgOp op, AffineMap map) {
  return bodyValue(op, op.getBlock()->getTerminator()->getOperand(0),
                   loopsAt(op, map));
}

/// The index of a loop, perhaps in another type.
static bool isLoopIndex(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value.getDefiningOp<kernel::LoopIndexOp>() != nullptr;
}

/// A row's element is worth an expression only where that is another tensor's
/// element, a constant or the row's index, which masks compare.
Value ScalarGraph::expandRow(linalg::LinalgOp op, AffineMap map) {
  if (llvm::range_size(*op.getBlock()) > 3)
    return {};
  Value element = expand(op, map);
  if (!element)
    return {};
  return leafOf(element) || matchPattern(element, m_Constant()) ||
                 isLoopIndex(element)
             ? element
             : Value();
}

std::optional<UnitReshape> shardir::matchUnitReshape(Operation *op) {
  SmallVector<ReassociationIndices> groups;
  RankedTensorType longer;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    groups = expand.getReassociationIndices();
    longer = expand.getResultType();
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    groups = collapse.getReassociationIndices();
    longer = collapse.getSrcType();
  } else {
    return std::nullopt;
  }
  UnitReshape reshape{longer.getRank(), {}};
  for (const ReassociationIndices &group : groups) {
    int64_t wide = -1;
    for (int64_t dim : group) {
      if (longer.getDimSize(dim) == 1)
        continue;
      if (wide >= 0)
        return std::nullopt;
      wide = dim;
    }
    reshape.longDims.push_back(wide);
  }
  return reshape;
}

/// `map` of the result of a reshape that only adds or drops dims of one
/// element, on its operand; nullopt for other reshapes.
static std::optional<AffineMap> throughReshape(Operation *op, AffineMap map) {
  std::optional<UnitReshape> reshape = matchUnitReshape(op);
  if (!reshape)
    return std::nullopt;
  bool expands = isa<tensor::ExpandShapeOp>(op);
  SmallVector<AffineExpr> results(expands ? reshape->longDims.size()
                                          : reshape->longRank,
                                  getAffineConstantExpr(0, op->getContext()));
  for (auto [shortDim, longDim] : llvm::enumerate(reshape->longDims)) {
    if (longDim < 0)
      continue;
    if (expands)
      results[shortDim] = map.getResult(longDim);
    else
      results[longDim] = map.getResult(shortDim);
  }
  return AffineMap::get(map.getNumDims(), 0, results, op->getContext());
}

Value ScalarGraph::elementOf(Value tensor, AffineMap map) {
  // A dim of one element has one index.
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {};
  SmallVector<AffineExpr> at(map.getResults());
  if (tensor != scoreTensor)
    for (auto [dim, expr] : llvm::enumerate(at))
      if (type.getDimSize(dim) == 1)
        expr = builder.getAffineConstantExpr(0);
  map = AffineMap::get(numLoops, 0, at, builder.getContext());
  if (auto found = known.find({tensor, map}); found != known.end())
    return found->second;
  if (tensor == scoreTensor) {
    // Unit dims may have lost their loop on the way.
    AffineMap own = builder.getMultiDimIdentityMap(numLoops);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr != own.getResult(dim) &&
          !(type.getDimSize(dim) == 1 && isa<AffineConstantExpr>(expr)))
        return {};
    return scoreElement;
  }

  auto remember = [&](Value element) {
    if (element)
      known[{tensor, map}] = element;
    return element;
  };
  Operation *producer = tensor.getDefiningOp();
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat()) {
    auto made = arith::ConstantOp::create(builder, tensor.getLoc(),
                                          constant.getSplatValue<TypedAttr>());
    Value element = unique(made, {});
    if (element != made.getResult())
      made->erase();
    return remember(element);
  }
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(producer)) {
    Value scalar = fill.getInputs()[0];
    if (matchPattern(scalar, m_Constant()))
      scalar = unique(scalar.getDefiningOp(), {});
    return remember(scalar);
  }
  bool must = expanded.contains(tensor);
  if (producer)
    if (std::optional<AffineMap> source = throughReshape(producer, map)) {
      Value element = elementOf(producer->getOperand(0), *source);
      if (element || must)
        return remember(element);
    }
  if (auto op = dyn_cast_or_null<linalg::LinalgOp>(producer);
      op && isElementwise(op)) {
    if (must)
      return remember(expand(op, map));
    if (!hasColumn(map)) {
      if (Value element = expandRow(op, map))
        return remember(element);
    } else if (isWorthExpanding(op)) {
      budget -= llvm::range_size(*op.getBlock()) - 1;
      if (Value element = expand(op, map))
        return remember(element);
    }
  }
  if (must)
    return {};
  return makeLeaf(tensor, map);
}

ScalarGraph::Leaf shardir::throughMovement(ScalarGraph::Leaf operand) {
  for (;;) {
    Operation *producer = operand.tensor.getDefiningOp();
    if (producer)
      if (auto map = throughReshape(producer, operand.map)) {
        operand = {producer->getOperand(0), *map};
        continue;
      }
    auto source = dyn_cast_or_null<linalg::LinalgOp>(producer);
    if (!source || !isElementwise(source) || source.getNumDpsInputs() != 1 ||
        !isa<RankedTensorType>(source.getDpsInputs()[0].getType()))
      return operand;
    Value yielded = source.getBlock()->getTerminator()->getOperand(0);
    if (auto cast = yielded.getDefiningOp<arith::ExtFOp>())
      yielded = cast.getIn();
    if (yielded != source.getBlock()->getArgument(0))
      return operand;
    AffineMap out = source.getIndexingMapMatchingResult(source->getResult(0));
    SmallVector<AffineExpr> loops(source.getNumLoops());
    for (auto [expr, at] :
         llvm::zip(out.getResults(), operand.map.getResults()))
      loops[cast<AffineDimExpr>(expr).getPosition()] = at;
    AffineMap in = source.getMatchingIndexingMap(source.getDpsInputOperand(0));
    operand = {
        source.getDpsInputs()[0],
        in.replaceDimsAndSymbols(loops, {}, operand.map.getNumDims(), 0)};
  }
}

/// The one value of all elements of `tensor`.
static std::optional<double> constantOf(Value tensor) {
  DenseFPElementsAttr splat;
  FloatAttr scalar;
  if (matchPattern(tensor, m_Constant(&splat)) && splat.isSplat())
    return splat.getSplatValue<FloatAttr>().getValueAsDouble();
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_Constant(&scalar))
               ? std::optional(scalar.getValueAsDouble())
               : std::nullopt;
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !isElementwise(op))
    return std::nullopt;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (matchPattern(yielded, m_Constant(&scalar)))
    return scalar.getValueAsDouble();
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != op.getBlock() ||
      !op.isDpsInput(op.getMatchingOpOperand(argument)))
    return std::nullopt;
  return constantOf(op.getMatchingOpOperand(argument)->get());
}

ScalarGraph::Leaf shardir::throughScaling(ScalarGraph::Leaf operand,
                                          double &factor) {
  auto widthOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
  };
  ScalarGraph::Leaf plain = throughMovement(operand), current = plain;
  double product = 1;
  while (auto op = current.tensor.getDefiningOp<linalg::LinalgOp>()) {
    if (!isElementwise(op))
      break;
    Operation *scaling =
        op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(scaling))
      break;
    // The input that an operand of the body is, perhaps widened.
    auto inputOf = [&](Value value) -> OpOperand * {
      if (auto cast = value.getDefiningOp<arith::ExtFOp>())
        value = cast.getIn();
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != op.getBlock())
        return nullptr;
      OpOperand *input = op.getMatchingOpOperand(argument);
      return op.isDpsInput(input) &&
                     isa<RankedTensorType>(input->get().getType())
                 ? input
                 : nullptr;
    };
    auto factorOf = [&](Value value) -> std::optional<double> {
      FloatAttr scalar;
      if (matchPattern(value, m_Constant(&scalar)))
        return scalar.getValueAsDouble();
      OpOperand *input = inputOf(value);
      return input ? constantOf(input->get()) : std::nullopt;
    };
    Value left = scaling->getOperand(0), right = scaling->getOperand(1);
    if (isa<arith::MulFOp>(scaling) && factorOf(left))
      std::swap(left, right);
    OpOperand *input = inputOf(left);
    std::optional<double> by = factorOf(right);
    if (!input || !by || *by == 0)
      break;
    product = isa<arith::DivFOp>(scaling) ? product / *by : product * *by;
    AffineMap in = op.getMatchingIndexingMap(input);
    current = throughMovement(
        {input->get(), in.replaceDimsAndSymbols(loopsAt(op, current.map), {},
                                                current.map.getNumDims(), 0)});
  }
  if (widthOf(current.tensor) >= widthOf(plain.tensor))
    return plain;
  factor = product;
  return current;
}
