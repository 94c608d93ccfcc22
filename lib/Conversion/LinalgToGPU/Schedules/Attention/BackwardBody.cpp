//===- BackwardBody.cpp - The body of attention's gradients ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a body of scalar ops in one block. Guarantees that each op runs once
// for what it depends on.
//
//===----------------------------------------------------------------------===//

#include "BackwardBody.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

Block &BackwardBody::body() const { return op.getBody().front(); }

int BackwardBody::dependence(unsigned extra) const {
  auto along = [&](const Axis &axis) {
    return llvm::any_of(
        axis.loops, [&](int loop) { return !extras[extra].isUniform(loop); });
  };
  return (along(own) ? OnOwn : 0) | (along(other) ? OnOther : 0);
}

int BackwardBody::dependence(Value value) const {
  if (value == body().getArgument(0))
    return OnScore;
  if (value == body().getArgument(1))
    return OnGradient;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &body())
    return dependence(argument.getArgNumber() - 2);
  Operation *source = value.getDefiningOp();
  return source && source->getBlock() == &body() ? dependence(*source) : 0;
}

int BackwardBody::dependence(Operation &of) const {
  if (auto index = dyn_cast<kernel::LoopIndexOp>(of)) {
    int loop = index.getLoop();
    return (llvm::is_contained(own.loops, loop) ? OnOwn : 0) |
           (llvm::is_contained(other.loops, loop) ? OnOther : 0);
  }
  int all = 0;
  for (Value operand : of.getOperands())
    all |= dependence(operand);
  return all;
}

int BackwardBody::yieldedDependence(unsigned which) const {
  return dependence(body().getTerminator()->getOperand(which));
}

Value BackwardBody::number(double value) {
  return arith::ConstantOp::create(emit.builder, emit.loc,
                                   emit.builder.getF32FloatAttr(float(value)));
}

math::ExpOp BackwardBody::dividedExponential(Operation &of) const {
  auto quotient = dyn_cast<arith::DivFOp>(of);
  if (!quotient || !approximate || !quotient.getType().isF32())
    return nullptr;
  auto exponential = quotient.getLhs().getDefiningOp<math::ExpOp>();
  return exponential && exponential->hasOneUse() ? exponential : nullptr;
}

std::optional<unsigned> BackwardBody::extraOfOther(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &body() ||
      argument.getArgNumber() < 2 || !argument.hasOneUse() ||
      dependence(value) != OnOther)
    return std::nullopt;
  return argument.getArgNumber() - 2;
}

bool BackwardBody::isScaledScore(Value value) const {
  if (value == body().getArgument(0))
    return true;
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    return matchPattern(product.getRhs(), m_Constant()) &&
           isScaledScore(product.getLhs());
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return false;
  auto isMasked = [](Value one) { return matchPattern(one, m_NegInfFloat()); };
  Value yes = select.getTrueValue(), no = select.getFalseValue();
  return (isMasked(yes) && isScaledScore(no)) ||
         (isMasked(no) && isScaledScore(yes));
}

void BackwardBody::expectLogarithms() {
  for (Operation &one : body().without_terminator()) {
    math::ExpOp dividend = dividedExponential(one);
    std::optional<unsigned> sum =
        dividend ? extraOfOther(one.getOperand(1)) : std::nullopt;
    if (!sum)
      continue;
    Quotient &quotient = quotients.emplace_back(Quotient{&one, *sum, {}});
    auto difference = dividend.getOperand().getDefiningOp<arith::SubFOp>();
    if (difference && difference->hasOneUse() &&
        isScaledScore(difference.getLhs()))
      quotient.max = extraOfOther(difference.getRhs());
  }
}

Value BackwardBody::logarithm(const Quotient &of, Load load) {
  OpBuilder &builder = emit.builder;
  Value log = math::Log2Op::create(builder, emit.loc, load(of.sum),
                                   arith::FastMathFlags::afn);
  log = arith::NegFOp::create(builder, emit.loc, log);
  if (!of.max)
    return log;
  return math::FmaOp::create(builder, emit.loc, load(*of.max), number(-M_LOG2E),
                             log);
}

const BackwardBody::Quotient *BackwardBody::quotientOf(unsigned sum) const {
  auto found = llvm::find_if(
      quotients, [&](const Quotient &quotient) { return quotient.sum == sum; });
  return found == quotients.end() ? nullptr : &*found;
}

const BackwardBody::Quotient *BackwardBody::quotientOf(Value divisor) const {
  std::optional<unsigned> extra = extraOfOther(divisor);
  return extra ? quotientOf(*extra) : nullptr;
}

arith::SubFOp BackwardBody::differenceIn(const Quotient &of) const {
  if (!of.max)
    return nullptr;
  return dividedExponential(*of.divide)
      .getOperand()
      .getDefiningOp<arith::SubFOp>();
}

Value BackwardBody::exponentOf(Values &at, arith::DivFOp quotient) {
  Value of = dividedExponential(*quotient).getOperand();
  double factor = M_LOG2E;
  const Quotient *made = quotientOf(quotient.getRhs());
  if (arith::SubFOp difference = made ? differenceIn(*made) : nullptr) {
    of = difference.getLhs();
    auto product = of.getDefiningOp<arith::MulFOp>();
    APFloat scale(0.0);
    if (product && matchPattern(product.getRhs(), m_ConstantFloat(&scale))) {
      of = product.getLhs();
      factor *= scale.convertToDouble();
    }
  }
  return math::FmaOp::create(emit.builder, emit.loc,
                             at.values.lookupOrDefault(of), number(factor),
                             at.logarithms.lookup(quotient.getRhs()));
}

bool BackwardBody::isNarrow(const AttentionCondition &condition) const {
  auto compare = dyn_cast<arith::CmpIOp>(condition.comparison);
  if (!compare || !compare.getLhs().getType().isIndex() ||
      !condition.values.empty())
    return false;
  constexpr int64_t most = int64_t(1) << 30;
  int64_t reach = std::abs(condition.constant);
  for (auto [loop, factor] : llvm::enumerate(condition.loops)) {
    if (factor == 0)
      continue;
    std::optional<int64_t> extent;
    for (const Axis *axis : {&own, &other})
      if (axis->loops.size() == 1 && axis->loops[0] == int(loop))
        extent = LoopEmitter::known(axis->extent);
    if (!extent || *extent >= most || std::abs(factor) != 1)
      return false;
    reach += *extent;
  }
  return reach < most;
}

const AttentionCondition *
BackwardBody::conditionOf(Operation &comparison) const {
  auto found =
      llvm::find_if(mask.conditions, [&](const AttentionCondition &condition) {
        return condition.comparison == &comparison;
      });
  return found == mask.conditions.end() ? nullptr : &*found;
}

void BackwardBody::runOp(Values &at, Operation &of) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  if (llvm::any_of(quotients, [&](const Quotient &quotient) {
        return differenceIn(quotient) == &of;
      }))
    return;
  const AttentionCondition *condition = conditionOf(of);
  if (condition && isNarrow(*condition)) {
    auto compare = cast<arith::CmpIOp>(of);
    auto narrow = [&](Value side) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                        at.values.lookupOrDefault(side));
    };
    // Of the difference: what rows and columns have in common with all others
    // is added up once.
    Value difference = arith::SubIOp::create(
        builder, loc, narrow(compare.getLhs()), narrow(compare.getRhs()));
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    at.values.map(of.getResult(0),
                  arith::CmpIOp::create(builder, loc, compare.getPredicate(),
                                        difference, zero)
                      .getResult());
    return;
  }
  if (!approximate || of.getNumResults() != 1 ||
      !of.getResult(0).getType().isF32()) {
    builder.clone(of, at.values);
    return;
  }
  auto power = [&](Value exponent) {
    return math::Exp2Op::create(builder, loc, exponent,
                                arith::FastMathFlags::afn)
        .getResult();
  };
  if (auto exponential = dyn_cast<math::ExpOp>(of)) {
    if (exponential->hasOneUse()) {
      Operation *user = *exponential->user_begin();
      if (exponential == dividedExponential(*user) &&
          at.logarithms.contains(user->getOperand(1)))
        return;
    }
    Value operand = at.values.lookupOrDefault(exponential.getOperand());
    at.values.map(
        of.getResult(0),
        power(arith::MulFOp::create(builder, loc, operand, number(M_LOG2E))));
    return;
  }
  auto quotient = dyn_cast<arith::DivFOp>(of);
  math::ExpOp dividend = dividedExponential(of);
  if (dividend && at.logarithms.contains(quotient.getRhs())) {
    at.values.map(of.getResult(0), power(exponentOf(at, quotient)));
    return;
  }
  if (quotient && at.reciprocals.contains(quotient.getRhs())) {
    Value product = arith::MulFOp::create(
        builder, loc, at.values.lookupOrDefault(quotient.getLhs()),
        at.reciprocals.lookup(quotient.getRhs()));
    at.values.map(of.getResult(0), product);
    return;
  }
  Operation *copy = builder.clone(of, at.values);
  if (quotient)
    cast<arith::DivFOp>(copy).setFastmath(arith::FastMathFlags::afn);
}

BackwardBody::Values BackwardBody::runCommon(int of, ArrayRef<Index> ivs,
                                             Load load) {
  Values at;
  // Values that depend on nothing belong to rows.
  auto isCommon = [&](int depends) {
    return depends == of || (depends == 0 && of == OnOwn);
  };
  auto isInLogarithm = [&](unsigned extra) {
    return llvm::any_of(quotients,
                        [&](const Quotient &one) { return one.max == extra; });
  };
  for (unsigned i = 0; i < extras.size(); ++i)
    if (BlockArgument argument = body().getArgument(i + 2);
        isCommon(dependence(i)) && !argument.use_empty() && !isInLogarithm(i))
      if (Value value = load(i))
        at.values.map(argument, value);
  for (Operation &one : body().without_terminator()) {
    if (!isCommon(dependence(one)))
      continue;
    if (auto index = dyn_cast<kernel::LoopIndexOp>(one))
      at.values.map(index.getResult(), emit.value(ivs[index.getLoop()]));
    else
      runOp(at, one);
  }
  // One for all scores of a row. exp(x) / sum is 2^(x log2(e) - log2(sum)), a
  // multiply-add for each score.
  for (Operation &one : body().without_terminator()) {
    auto quotient = dyn_cast<arith::DivFOp>(one);
    if (!quotient || !approximate || !quotient.getType().isF32() ||
        isCommon(dependence(one)))
      continue;
    Value divisor = quotient.getRhs(), value = at.values.lookupOrNull(divisor);
    IRMapping &made = dividedExponential(one) ? at.logarithms : at.reciprocals;
    if (!value || made.contains(divisor))
      continue;
    auto inexact = arith::FastMathFlags::afn;
    if (quotientOf(divisor)) {
      made.map(divisor, value);
    } else if (dividedExponential(one)) {
      Value log = math::Log2Op::create(emit.builder, emit.loc, value, inexact);
      made.map(divisor, arith::NegFOp::create(emit.builder, emit.loc, log));
    } else {
      made.map(divisor, arith::DivFOp::create(emit.builder, emit.loc, number(1),
                                              value, inexact));
    }
  }
  return at;
}

BackwardBody::Values BackwardBody::begin(const Values &row,
                                         const Values &column, Value score,
                                         bool visible, Load load) {
  Values at = row;
  for (IRMapping Values::*of :
       {&Values::values, &Values::logarithms, &Values::reciprocals})
    for (auto [from, to] : (column.*of).getValueMap())
      (at.*of).map(from, to);
  at.values.map(body().getArgument(0), score);
  for (unsigned i = 0; i < extras.size(); ++i)
    if (BlockArgument argument = body().getArgument(i + 2);
        dependence(i) == (OnOwn | OnOther) && !argument.use_empty())
      at.values.map(argument, load(i));
  for (Operation &one : body().without_terminator()) {
    int depends = dependence(one);
    if (depends & OnGradient ||
        (depends != (OnOwn | OnOther) && !(depends & OnScore)))
      continue;
    const AttentionCondition *known = visible ? conditionOf(one) : nullptr;
    if (known) {
      Value holds = arith::ConstantOp::create(
          emit.builder, emit.loc, emit.builder.getBoolAttr(known->whenVisible));
      at.values.map(one.getResult(0), holds);
    } else {
      runOp(at, one);
    }
  }
  return at;
}

bool BackwardBody::isLate(unsigned extra) const {
  return llvm::all_of(
      body().getArgument(extra + 2).getUsers(), [&](Operation *user) {
        return user != body().getTerminator() && dependence(*user) & OnGradient;
      });
}

void BackwardBody::give(Values &at, unsigned extra, Value value) {
  at.values.map(body().getArgument(extra + 2), value);
}

void BackwardBody::end(Values &at, Value gradient) {
  at.values.map(body().getArgument(1), gradient);
  for (Operation &one : body().without_terminator())
    if (dependence(one) & OnGradient)
      runOp(at, one);
}

Value BackwardBody::yielded(const Values &at, unsigned which) const {
  return at.values.lookupOrDefault(body().getTerminator()->getOperand(which));
}
