//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that a loop which puts
// windows into a tensor it carries, and whose other work is on few elements,
// does so element by element: such a loop, once bufferized, touches nothing but
// elements of memory and becomes a kernel. Front ends expand scatters into such
// loops: a counter in a tensor without dims, an index out of a tensor, a window
// that is read, combined and put back. As ops on tensors each step would be a
// dozen kernels and a few waits for the device.
//
// An element of a value that the loop computes is computed where it is needed,
// from elements of what the value is made of. Values outside of the loop are
// read.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace shardir {
#define GEN_PASS_DEF_LOOPSTOELEMENTS
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
bool isOneElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
}

/// `value` is `argument`, a tensor of one element, plus a constant.
std::optional<APInt> stepOf(Value value, BlockArgument argument) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 ||
      op.getDpsInputOperand(0)->get() != argument || op->getNumResults() != 1)
    return std::nullopt;
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  APInt step;
  if (add.getLhs() == body->getArgument(0) &&
      matchPattern(add.getRhs(), m_ConstantInt(&step)))
    return step;
  if (add.getRhs() == body->getArgument(0) &&
      matchPattern(add.getLhs(), m_ConstantInt(&step)))
    return step;
  return std::nullopt;
}

/// Rewrites one loop.
class LoopRewriter : public ElementEmitter {
public:
  using ElementEmitter::ElementEmitter;
  /// Replacements for the loop's results; empty if it stays as it is.
  SmallVector<Value> run();

private:
  /// The tensor `updated`, which the loop makes of its argument `argument`,
  /// made of `now` instead.
  Value update(Value updated, BlockArgument argument, Value now);
  Value updateWindow(Value source, BlockArgument argument, Value now,
                     ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes,
                     ArrayRef<OpFoldResult> strides);
  Value initialElement(Value tensor, ArrayRef<Value> at);
  /// Emits the scalars of the old loop that `op` uses; false where one cannot
  /// be.
  bool computeUsed(Operation *op);

  /// Sorts the arguments into counters, tensors and scalars; false if the loop
  /// stays as it is.
  bool classifyArguments();
  bool makeBody(scf::ForOp made);
  SmallVector<Value> replacementsFrom(scf::ForOp made);
  /// The value of counter `i` after `iterations`, of the loop's type.
  Value count(unsigned i, Value iterations);
  Value iterationsTo(Value at);
  SmallVector<Value> origin(unsigned i) {
    auto type = cast<RankedTensorType>(loop.getRegionIterArg(i).getType());
    return SmallVector<Value>(type.getRank(), constant(0));
  }

  // Counters are computed from the induction variable, and unused arguments of
  // one element dropped; the rest is carried: tensors, then scalars.
  SmallVector<unsigned> tensors, scalars;
  SmallVector<Value> inits;
  std::map<unsigned, std::pair<Value, Value>> counters; ///< start, step
};
} // namespace

Value LoopRewriter::updateWindow(Value source, BlockArgument argument,
                                 Value now, ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes,
                                 ArrayRef<OpFoldResult> strides) {
  auto sourceType = dyn_cast<RankedTensorType>(source.getType());
  SmallVector<Value> starts, steps;
  for (auto [offset, stride] : llvm::zip(offsets, strides)) {
    starts.push_back(valueOf(offset));
    steps.push_back(valueOf(stride));
    if (!starts.back() || !steps.back())
      return {};
  }
  // Loops over the window, one for each dim that is not of extent 1.
  SmallVector<scf::ForOp> loops;
  SmallVector<std::unique_ptr<InRegion>> regions;
  SmallVector<Value> to, ivs;
  Value tensor = now;
  window.moves.clear();
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value extent = valueOf(size);
    if (!extent)
      return {};
    Value iv = constant(0);
    window.moves.push_back(getConstantIntValue(extent) != 1);
    if (window.moves.back()) {
      auto nest = scf::ForOp::create(builder, loc, constant(0), extent,
                                     constant(1), tensor);
      regions.push_back(std::make_unique<InRegion>(*this));
      builder.setInsertionPointToEnd(nest.getBody());
      loops.push_back(nest);
      tensor = nest.getRegionIterArg(0);
      iv = nest.getInductionVar();
    }
    ivs.push_back(iv);
    to.push_back(sum(starts[dim], product(iv, steps[dim])));
  }
  // The source may lack dims of extent 1.
  SmallVector<Value> at;
  if (sourceType) {
    auto dropped = computeRankReductionMask(
        SmallVector<int64_t>(llvm::map_range(
            sizes,
            [](OpFoldResult size) {
              return getConstantIntValue(size).value_or(ShapedType::kDynamic);
            })),
        sourceType.getShape());
    if (!dropped)
      return {};
    for (auto [dim, iv] : llvm::enumerate(ivs))
      if (!dropped->contains(dim))
        at.push_back(iv);
  }
  carried[argument] = tensor;
  window.tensor = argument;
  window.at = to;
  window.hasOthers = !loops.empty();
  Value value = sourceType ? element(source, at) : scalar(source);
  window.hasOthers = false;
  carried[argument] = now;
  if (!value)
    return {};
  Value result = tensor::InsertOp::create(builder, loc, value, tensor, to);
  while (!loops.empty()) {
    scf::YieldOp::create(builder, loc, result);
    result = loops.pop_back_val().getResult(0);
    regions.pop_back();
  }
  return result;
}

bool LoopRewriter::computeUsed(Operation *op) {
  bool known = true;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!isa<ShapedType>(operand.getType()) &&
          !op->isAncestor(operand.getParentBlock()->getParentOp()))
        known = known && bool(scalar(operand));
  });
  return known;
}

Value LoopRewriter::update(Value updated, BlockArgument argument, Value now) {
  if (updated == argument)
    return now;
  Operation *op = updated.getDefiningOp();
  if (!op || isOutside(updated))
    return {};
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (insert.getDest() != argument)
      return {};
    return updateWindow(insert.getSource(), argument, now,
                        insert.getMixedOffsets(), insert.getMixedSizes(),
                        insert.getMixedStrides());
  }
  if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
    if (insert.getDest() != argument)
      return {};
    SmallVector<OpFoldResult> ones(insert.getIndices().size(),
                                   builder.getIndexAttr(1));
    return updateWindow(insert.getScalar(), argument, now,
                        getAsOpFoldResult(insert.getIndices()), ones, ones);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value condition = scalar(branch.getCondition());
    if (branch.getNumResults() != 1 || !condition || !computeUsed(branch))
      return {};
    auto made = scf::IfOp::create(builder, loc, updated.getType(), condition,
                                  /*withElseRegion=*/true);
    for (bool then : {true, false}) {
      InRegion region(*this);
      builder.setInsertionPointToStart(then ? made.thenBlock()
                                            : made.elseBlock());
      Operation *yield =
          then ? branch.thenYield().getOperation() : branch.elseYield();
      Value result = update(yield->getOperand(0), argument, now);
      if (!result)
        return {};
      scf::YieldOp::create(builder, loc, result);
    }
    return made.getResult(0);
  }
  if (auto nested = dyn_cast<scf::ForOp>(op)) {
    Value lower = scalar(nested.getLowerBound()),
          upper = scalar(nested.getUpperBound()),
          step = scalar(nested.getStep());
    if (nested.getNumResults() != 1 || nested.getInitArgs()[0] != argument ||
        !lower || !upper || !step || !computeUsed(nested))
      return {};
    auto made = scf::ForOp::create(builder, loc, lower, upper, step, now);
    InRegion region(*this);
    builder.setInsertionPointToEnd(made.getBody());
    BlockArgument inner = nested.getRegionIterArg(0);
    scope.scalars[nested.getInductionVar()] = made.getInductionVar();
    carried[inner] = made.getRegionIterArg(0);
    Value result =
        update(nested.getYieldedValues()[0], inner, made.getRegionIterArg(0));
    if (!result)
      return {};
    scf::YieldOp::create(builder, loc, result);
    return made.getResult(0);
  }
  return {};
}

/// The element of a tensor from outside of the loop.
Value LoopRewriter::initialElement(Value tensor, ArrayRef<Value> at) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs()[0];
  return element(tensor, at);
}

bool LoopRewriter::classifyArguments() {
  bool writes = false;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value yielded = loop.getYieldedValues()[i];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return false;
    if (isOneElement(type)) {
      auto step = stepOf(yielded, argument);
      DenseElementsAttr start;
      if (step && matchPattern(loop.getInitArgs()[i], m_Constant(&start))) {
        auto number = [&](APInt value) -> Value {
          return arith::ConstantOp::create(
              builder, loc,
              builder.getIntegerAttr(type.getElementType(), value));
        };
        counters[i] = {number(*start.getValues<APInt>().begin()),
                       number(*step)};
        continue;
      }
      if (!loop.getResult(i).use_empty() || !argument.use_empty())
        scalars.push_back(i);
      continue;
    }
    writes |= yielded != argument;
    tensors.push_back(i);
    inits.push_back(loop.getInitArgs()[i]);
  }
  if (!writes)
    return false;
  for (unsigned i : scalars)
    inits.push_back(initialElement(loop.getInitArgs()[i], origin(i)));
  return !llvm::is_contained(inits, Value());
}

Value LoopRewriter::count(unsigned i, Value iterations) {
  auto [start, step] = counters[i];
  Value steps = iterations;
  Type from = iterations.getType(), to = start.getType();
  if (from != to) {
    if (from.isIndex() || to.isIndex())
      steps = arith::IndexCastOp::create(builder, loc, to, iterations);
    else if (to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
      steps = arith::ExtSIOp::create(builder, loc, to, iterations);
    else
      steps = arith::TruncIOp::create(builder, loc, to, iterations);
  }
  Value scaled = builder.createOrFold<arith::MulIOp>(loc, steps, step);
  return builder.createOrFold<arith::AddIOp>(loc, start, scaled);
}

Value LoopRewriter::iterationsTo(Value at) {
  Value distance =
      builder.createOrFold<arith::SubIOp>(loc, at, loop.getLowerBound());
  return builder.createOrFold<arith::CeilDivSIOp>(loc, distance,
                                                  loop.getStep());
}

/// False where an element of it is unknown.
bool LoopRewriter::makeBody(scf::ForOp made) {
  builder.setInsertionPointToEnd(made.getBody());
  scope.scalars[loop.getInductionVar()] = made.getInductionVar();
  Value iteration;
  for (unsigned i : llvm::make_first_range(counters)) {
    if (!iteration)
      iteration = iterationsTo(made.getInductionVar());
    singles[loop.getRegionIterArg(i)] = count(i, iteration);
  }
  for (auto [place, i] : llvm::enumerate(tensors))
    carried[loop.getRegionIterArg(i)] = made.getRegionIterArg(place);
  for (auto [place, i] : llvm::enumerate(scalars))
    singles[loop.getRegionIterArg(i)] =
        made.getRegionIterArg(tensors.size() + place);
  // Scalars first: they read tensors that are then written to.
  SmallVector<Value> nextScalars, results;
  for (unsigned i : scalars)
    nextScalars.push_back(element(loop.getYieldedValues()[i], origin(i)));
  if (llvm::is_contained(nextScalars, Value()))
    return false;
  for (auto [place, i] : llvm::enumerate(tensors)) {
    results.push_back(update(loop.getYieldedValues()[i],
                             loop.getRegionIterArg(i),
                             made.getRegionIterArg(place)));
    if (!results.back())
      return false;
  }
  llvm::append_range(results, nextScalars);
  scf::YieldOp::create(builder, loc, results);
  return true;
}

SmallVector<Value> LoopRewriter::replacementsFrom(scf::ForOp made) {
  builder.setInsertionPointAfter(made);
  // Results that nobody uses are dropped with the loop.
  SmallVector<Value> replacements(loop.getInitArgs());
  for (auto [place, i] : llvm::enumerate(tensors))
    replacements[i] = made.getResult(place);
  auto replace = [&](unsigned i, function_ref<Value()> single) {
    if (!loop.getResult(i).use_empty())
      replacements[i] = tensor::FromElementsOp::create(
          builder, loc, loop.getResult(i).getType(), single());
  };
  for (auto [place, i] : llvm::enumerate(scalars))
    replace(i, [&, place = place] {
      return made.getResult(tensors.size() + place);
    });
  for (unsigned i : llvm::make_first_range(counters))
    replace(i, [&] {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(loop.getStep().getType()));
      Value iterations = arith::MaxSIOp::create(
          builder, loc, iterationsTo(loop.getUpperBound()), zero);
      return count(i, iterations);
    });
  return replacements;
}

SmallVector<Value> LoopRewriter::run() {
  bool known = true;
  loop.getBody()->walk([&](Operation *op) {
    known &= isElementOp(op) || isa<linalg::YieldOp, scf::YieldOp>(op);
  });
  if (!known || loop.getNumResults() == 0 || !classifyArguments())
    return {};
  auto made = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  before = made;
  if (!makeBody(made)) {
    builder.eraseOp(made);
    return {};
  }
  return replacementsFrom(made);
}

namespace {
struct LoopsToElementsPass
    : shardir::impl::LoopsToElementsBase<LoopsToElementsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    llvm::DenseSet<Operation *> gone;
    for (scf::ForOp loop : loops) {
      if (gone.contains(loop))
        continue;
      rewriter.setInsertionPoint(loop);
      SmallVector<Value> results = LoopRewriter(rewriter, loop).run();
      if (results.empty())
        continue;
      loop->walk([&](scf::ForOp nested) { gone.insert(nested); });
      rewriter.replaceOp(loop, results);
    }
  }
};
} // namespace
