//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules and local forms of every structured op of linalg at once, from its
// indexing maps, iterator types and body. A map such as 2 * d0 + d1 is a
// window: sharding one of its loops requires a halo of the operand, and the
// others, the taps, must be unsharded. Tensors that a body reads by
// `tensor.extract` are as CapturedReads.h says.
//
// Requires operands and results that agree under the rule, halos included;
// guarantees a local op of the same name on shards.
//
//===----------------------------------------------------------------------===//

#include "CapturedReads.h"
#include "ModelUtils.h"
#include "RuleCache.h"
#include "ShardIR/Analysis/BodyPartials.h"
#include "ShardIR/ExternalModels/ExternalModels.h"
#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
/// `sum of coefficients[i] * d_i, plus constant`.
struct LinearExpr {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
} // namespace

/// Adds `factor * expr` to `linear`; fails where it is not linear in the loops.
static bool addLinear(AffineExpr expr, int64_t factor, LinearExpr &linear) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.constant += factor * constant.getValue();
    return true;
  }
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    linear.coefficients[loop.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, linear) &&
           addLinear(binary.getRHS(), factor, linear);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && scale &&
         std::abs(scale.getValue()) <= kMaxWindow &&
         addLinear(binary.getLHS(), factor * scale.getValue(), linear);
}

/// The extent of a loop, from an operand's dim that it runs over alone; nothing
/// where there is none.
static std::optional<RunTimeNumber>
loopExtent(linalg::LinalgOp op, ArrayRef<AffineMap> maps, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [dim, expr] : llvm::enumerate(maps[number].getResults()))
      if (auto own = dyn_cast<AffineDimExpr>(expr);
          own && own.getPosition() == loop) {
        RunTimeNumber extent;
        extent.addDim(op, number, dim);
        return extent;
      }
  }
  return std::nullopt;
}

/// The loop, and the window through which it reads a dim of `size` elements by
/// `expr`, such as 2 * d0 + d1 - 1: the loop that reaches farthest, so that the
/// few taps of a kernel stay unsharded, or the one of unknown extent. Nothing
/// where no loop reads upwards.
static std::optional<std::pair<int, Window>>
matchWindow(AffineExpr expr, int64_t size, linalg::LinalgOp op,
            ArrayRef<AffineMap> maps, const ShardingRule &rule) {
  LinearExpr linear;
  linear.coefficients.assign(op.getNumLoops(), 0);
  if (size > kMaxWindow || !addLinear(expr, 1, linear))
    return std::nullopt;
  int chosen = -1, unknown = -1;
  int64_t farthest = 0;
  for (auto [loop, coefficient] : llvm::enumerate(linear.coefficients)) {
    const Factor &factor = rule.factors[loop];
    if (coefficient == 0)
      continue;
    if (factor.size > kMaxWindow || std::abs(coefficient) > kMaxWindow)
      return std::nullopt;
    if (factor.size == kUnknown) {
      if (unknown >= 0 || coefficient < 0 ||
          factor.kind == FactorKind::Replicate)
        return std::nullopt;
      unknown = loop;
      continue;
    }
    int64_t reach = coefficient * (factor.size - 1);
    if (coefficient > 0 && factor.kind != FactorKind::Replicate &&
        reach > farthest) {
      chosen = loop;
      farthest = reach;
    }
  }
  if (unknown >= 0)
    chosen = unknown;
  if (chosen < 0)
    return std::nullopt;
  Window window{size, -linear.constant, linear.constant,
                linear.coefficients[chosen], 1};
  for (auto [loop, coefficient] : llvm::enumerate(linear.coefficients)) {
    if (int(loop) == chosen || coefficient == 0)
      continue;
    int64_t reach = coefficient * (rule.factors[loop].size - 1);
    (reach < 0 ? window.low : window.high) += std::abs(reach);
  }
  if (size == kUnknown || unknown >= 0) {
    auto extent = loopExtent(op, maps, chosen);
    if (!extent)
      return std::nullopt;
    window.open = {*extent, RunTimeNumber()};
  }
  if (std::abs(window.low) > kMaxWindow || std::abs(window.high) > kMaxWindow)
    return std::nullopt;
  return std::pair(chosen, window);
}

/// The factors of one operand of shape `shape` by its indexing map. Loops that
/// sit in anything but a plain `d` become Replicate, but for the one that reads
/// an input through a window.
static TensorFactors operandFactors(linalg::LinalgOp op, OpOperand &operand,
                                    ArrayRef<AffineMap> maps,
                                    ShardingRule &rule) {
  AffineMap map = maps[operand.getOperandNumber()];
  std::vector<int64_t> shape =
      shapeOf(cast<RankedTensorType>(operand.get().getType()));
  TensorFactors factors;
  llvm::SmallBitVector seen(map.getNumDims());
  auto see = [&](unsigned loop) {
    // On the diagonal one axis would cut two dims of one tensor (P1).
    if (seen.test(loop))
      rule.factors[loop].kind = FactorKind::Replicate;
    seen.set(loop);
  };
  factors.dims.resize(map.getNumResults());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      see(loop.getPosition());
      factors.dims[dim] = {int(loop.getPosition())};
      continue;
    }
    auto window = op.isDpsInput(&operand)
                      ? matchWindow(expr, shape[dim], op, maps, rule)
                      : std::nullopt;
    for (unsigned i = 0; i < map.getNumDims(); ++i) {
      if (!expr.isFunctionOfDim(i))
        continue;
      see(i);
      if (!window || window->first != int(i))
        rule.factors[i].kind = FactorKind::Replicate;
    }
    if (!window)
      continue;
    // A kernel of one tap leaves a plain dim.
    if (window->second.isIdentity(rule.factors[window->first].size))
      factors.dims[dim] = {window->first};
    else
      factors.readThrough(dim, window->first, window->second);
  }
  return factors;
}

/// The scalar that a fill, or a generic that is one, puts everywhere; null for
/// other ops.
static Value filledWith(linalg::LinalgOp op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return fill.getInputs()[0];
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    return {};
  Value scalar = linalg::isaFillOpInterface(generic).value_or(Value());
  return scalar && !isa<ShapedType>(scalar.getType()) ? scalar : Value();
}

static ShardingRule makeLinalgRule(Operation *operation) {
  auto op = cast<linalg::LinalgOp>(operation);
  if (!op.hasPureTensorSemantics())
    return ShardingRule::replicated(op, "linalg on buffers is local already");
  ShardingRule rule;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [range, iterator] : llvm::zip(ranges, op.getIteratorTypesArray())) {
    FactorKind kind = iterator == utils::IteratorType::parallel
                          ? FactorKind::PassThrough
                          : FactorKind::Reduction;
    rule.addFactor(ShapedType::isDynamic(range) ? kUnknown : range, kind);
  }
  // Each call rebuilds the maps of a named op.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand &operand : op->getOpOperands()) {
    rule.operands.emplace_back();
    if (isa<RankedTensorType>(operand.get().getType()))
      rule.operands.back() = operandFactors(op, operand, maps, rule);
  }
  Block &body = *op.getBlock();
  Operation *yield = body.getTerminator();
  SmallVector<int> operandOf(body.getNumArguments(), -1);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      operandOf[op.getMatchingBlockArgument(&operand).getArgNumber()] =
          operand.getOperandNumber();
  SmallVector<std::optional<PartialKind>> combiners;
  for (int64_t i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    OpOperand *init = op.getDpsInitOperand(i);
    rule.results.push_back(rule.operands[init->getOperandNumber()]);
    rule.inits.push_back(init->getOperandNumber());
    combiners.push_back(matchAccumulation(yield->getOperand(i),
                                          op.getMatchingBlockArgument(init)));
  }
  // A reduction whose steps don't combine, in any result, must stay unsharded.
  // So must one that is a result's dim or that reads another result's
  // accumulator.
  bool combines = llvm::all_of(combiners, [](auto kind) { return bool(kind); });
  for (Factor &factor : rule.factors) {
    if (factor.kind != FactorKind::Reduction)
      continue;
    if (!combines) {
      factor.kind = FactorKind::Replicate;
      continue;
    }
    for (std::optional<PartialKind> kind : combiners)
      factor.combiners.push_back(*kind);
  }
  for (TensorFactors &result : rule.results)
    for (DimFactors &dim : result.dims)
      for (int factor : dim)
        if (rule.factors[factor].kind == FactorKind::Reduction)
          rule.factors[factor].kind = FactorKind::Replicate;
  if (filledWith(op)) {
    rule.isRematerializable = true;
    rule.partials.push_back({std::nullopt, {rule.inits[0]}});
    return rule;
  }
  SmallVector<BlockArgument> accumulators;
  if (op.getNumReductionLoops())
    for (OpOperand &init : op.getDpsInitsMutable())
      accumulators.push_back(op.getMatchingBlockArgument(&init));
  rule.partials = bodyPartials(body, operandOf, accumulators);
  addCapturedFactors(op, rule);
  return rule;
}

static SharedRule linalgRule(linalg::LinalgOp op) {
  return RuleCache::get(op, makeLinalgRule);
}

//===----------------------------------------------------------------------===//
// Local forms
//===----------------------------------------------------------------------===//

/// True if every device may hold `value` as its term for the reduction to be
/// `value`.
static bool isOwnTerm(Value value, PartialKind kind) {
  switch (kind) {
  case PartialKind::Sum:
    return matchPattern(value, m_AnyZeroFloat()) ||
           matchPattern(value, m_Zero());
  case PartialKind::Prod:
    return matchPattern(value, m_OneFloat()) || matchPattern(value, m_One());
  case PartialKind::Xor:
    return matchPattern(value, m_Zero());
  default:
    return true; // max(v, v) is v
  }
}

static LogicalResult localizeFill(linalg::LinalgOp op, OpBuilder &builder,
                                  Localizer &localizer, IRMapping &mapping) {
  PlacementAttr placement = localizer.global(op->getResult(0)).placement;
  if (!placement || !placement.getValue().partial)
    return success();
  PartialKind kind = *placement.getValue().partial;
  Value value = filledWith(op);
  if (isOwnTerm(value, kind))
    return success();
  Location loc = op.getLoc();
  Value first = localizer.isFirst(builder, loc, localizer.meshOf(placement),
                                  placement.getValue().partialAxes);
  Value identity = createPartialIdentity(builder, loc, value.getType(), kind);
  if (!identity)
    return op.emitOpError("cannot be a term of a ")
           << stringifyPartialKind(kind) << " of " << value.getType()
           << ": the kind has no identity for that type";
  Value selected = arith::SelectOp::create(builder, loc, first,
                                           mapping.lookup(value), identity);
  mapping.map(value, selected);
  return success();
}

/// An operand and its dim that run over `loop` and are split; null if none is.
static std::pair<Value, int64_t> findSharded(linalg::LinalgOp op,
                                             const ShardingRule &rule, int loop,
                                             const Localizer &localizer) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, factors] :
         llvm::enumerate(rule.operands[operand.getOperandNumber()].dims)) {
      if (factors != DimFactors{loop} ||
          rule.operands[operand.getOperandNumber()].window(dim))
        continue;
      Localizer::Global global = localizer.global(operand.get());
      if (global.placement && !global.placement.getValue().axesOf(dim).empty())
        return {operand.get(), int64_t(dim)};
    }
  return {};
}

/// Makes `linalg.index` of sharded loops the global index (R9), except for
/// those that read a shard at its own index.
static void
shiftIndices(linalg::LinalgOp op, linalg::LinalgOp local, OpBuilder &builder,
             Localizer &localizer,
             const llvm::SmallPtrSetImpl<Operation *> &localIndices) {
  ShardingRule rule = linalgRule(op);
  SmallVector<linalg::IndexOp> indices(
      local.getBlock()->getOps<linalg::IndexOp>());
  for (linalg::IndexOp index : indices) {
    if (localIndices.contains(index))
      continue;
    auto [operand, dim] = findSharded(op, rule, index.getDim(), localizer);
    if (!operand)
      continue;
    Localizer::Global global = localizer.global(operand);
    Location loc = index.getLoc();
    SmallVector<Localizer::DigitValue> digits = localizer.digits(
        builder, loc, {global.type, global.placement, {}, global.extents}, dim);
    SmallVector<OpOperand *> uses(
        llvm::make_pointer_range(index.getResult().getUses()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(index);
    Value shifted = localizer.globalIndex(builder, loc, digits, index);
    for (OpOperand *use : uses)
      use->set(shifted);
  }
}

/// The block's window starts at its first element: moves the
/// maps of operands that hold no more than that, such as d0 + 1, to there.
static void shiftMaps(linalg::LinalgOp op, Operation *local,
                      const Localizer &localizer) {
  ShardingRule rule = linalgRule(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool moves = false;
  for (OpOperand &operand : op->getOpOperands()) {
    const TensorFactors &factors = rule.operands[operand.getOperandNumber()];
    Halo halo = localizer.global(operand.get()).halo;
    for (size_t dim = 0; dim < halo.size(); ++dim) {
      const Window *window = factors.window(dim);
      if (!window || window->low == 0 || halo[dim].isZero())
        continue;
      AffineMap &map = maps[operand.getOperandNumber()];
      SmallVector<AffineExpr> exprs(map.getResults());
      exprs[dim] = exprs[dim] + window->low;
      map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                           map.getContext());
      moves = true;
    }
  }
  if (moves)
    cast<linalg::GenericOp>(local).setIndexingMapsAttr(
        Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

namespace {
struct LinalgRule : ShardingRuleOpInterface::FallbackModel<LinalgRule> {
  SharedRule getShardingRule(Operation *op) const {
    return linalgRule(cast<linalg::LinalgOp>(op));
  }
};

struct LinalgLocalize : LocalizableOpInterface::FallbackModel<LinalgLocalize> {
  FailureOr<SmallVector<Value>> localize(Operation *op, OpBuilder &builder,
                                         Localizer &localizer,
                                         ValueRange operands) const {
    IRMapping mapping;
    for (auto [original, local] : llvm::zip(op->getOperands(), operands))
      mapping.map(original, local);
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (filledWith(linalgOp) &&
        failed(localizeFill(linalgOp, builder, localizer, mapping)))
      return failure();
    for (Value captured : capturedTensors(op))
      if (Value shard = localizer.local(captured))
        mapping.map(captured, shard);
    Operation *local = builder.clone(*op, mapping);
    for (auto [result, init] :
         llvm::zip(local->getResults(), linalgOp.getDpsInits()))
      result.setType(mapping.lookup(init).getType());
    shiftMaps(linalgOp, local, localizer);
    builder.setInsertionPoint(local);
    auto localOp = cast<linalg::LinalgOp>(local);
    llvm::SmallPtrSet<Operation *, 8> localIndices;
    localizeCapturedReads(linalgOp, localOp, builder, localizer, localIndices);
    shiftIndices(linalgOp, localOp, builder, localizer, localIndices);
    return SmallVector<Value>(local->getResults());
  }
};
} // namespace

void shardir::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, linalg::LinalgDialect *dialect) {
        dialect->addInterfaces<RuleCache>();
        attachToOps<LinalgRule, LinalgLocalize>(
            dialect, [](RegisteredOperationName name) {
              return name.hasInterface<linalg::LinalgOp>();
            });
        attachLinalgOpsModels(context);
      });
}
