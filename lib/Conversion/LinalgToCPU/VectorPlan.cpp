//===- VectorPlan.cpp - Which loop of a nest becomes lanes ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a nest whose body has a form on lanes. Guarantees that a chosen
// reduction loop has a combiner with an identity for every result. Emits
// nothing but the combiners' own ops.
//
//===----------------------------------------------------------------------===//

#include "VectorPlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;
using Kind = vector::CombiningKind;

namespace {
/// Work below which another thread does not pay, in simple ops on one element.
constexpr int64_t parallelWork = 1 << 20;

std::optional<Kind> combiningKind(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Kind::ADD;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Kind::MUL;
  if (isa<arith::MaximumFOp>(op))
    return Kind::MAXIMUMF;
  if (isa<arith::MinimumFOp>(op))
    return Kind::MINIMUMF;
  if (isa<arith::MaxNumFOp>(op))
    return Kind::MAXNUMF;
  if (isa<arith::MinNumFOp>(op))
    return Kind::MINNUMF;
  if (isa<arith::MaxSIOp>(op))
    return Kind::MAXSI;
  if (isa<arith::MinSIOp>(op))
    return Kind::MINSI;
  if (isa<arith::MaxUIOp>(op))
    return Kind::MAXUI;
  if (isa<arith::MinUIOp>(op))
    return Kind::MINUI;
  if (isa<arith::AndIOp>(op))
    return Kind::AND;
  if (isa<arith::OrIOp>(op))
    return Kind::OR;
  if (isa<arith::XOrIOp>(op))
    return Kind::XOR;
  return std::nullopt;
}

int64_t bodyCost(linalg::LinalgOp op) {
  int64_t cost = op->getNumOperands();
  op.getBlock()->walk([&](Operation *nested) {
    if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp>(nested))
      return;
    bool expensive = isa_and_present<math::MathDialect>(nested->getDialect()) &&
                     !isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(nested);
    cost += expensive ? 20 : isa<arith::DivFOp>(nested) ? 6 : 1;
  });
  return cost;
}

/// Lanes by the widest float or integer that memory holds, in 32 to 64 bits.
int64_t lanesOf(const LoopNest &nest, const CpuTarget &target) {
  unsigned bits = 32;
  bool narrow = false;
  for (const NestOperand &operand : nest.operands) {
    unsigned width = operand.element.isIndex()
                         ? 64
                         : operand.element.getIntOrFloatBitWidth();
    if (width == 64)
      bits = 64;
    else
      narrow |= width > 1;
  }
  return target.lanes(narrow ? 32 : bits);
}

/// A parallel loop along which `operand` is contiguous; -1 for none.
int contiguousLoop(const LoopNest &nest, const NestOperand &operand) {
  if (operand.scalar || operand.element.isInteger(1))
    return -1;
  for (int loop : nest.loops(false))
    if (operand.isUnit(loop))
      return loop;
  return -1;
}

/// What one element costs with lanes along `loop`; infinite where impossible.
double costAlong(const LoopNest &nest, int loop, int64_t lanes, int64_t body,
                 bool combinable) {
  double extent = LoopEmitter::known(nest.extents[loop]).value_or(1024);
  if (nest.reduction[loop] && !combinable)
    return INFINITY;
  double cost = double(body) / lanes;
  for (auto [i, operand] : llvm::enumerate(nest.operands)) {
    bool result = i >= nest.numInputs();
    if (operand.isUniform(loop)) {
      if (result && !nest.reduction[loop])
        return INFINITY;
      cost += 0.05;
    } else if (operand.isUnit(loop)) {
      cost += 1.0 / lanes;
    } else {
      // Inputs may be transposed in registers: loads and four shuffles each.
      bool square = !result && nest.loops(true).empty() &&
                    contiguousLoop(nest, operand) >= 0;
      cost += result ? 2.0 : square ? 8.0 / lanes : 1.2;
    }
  }
  double vectors = std::ceil(extent / lanes);
  cost *= vectors * lanes / std::max(extent, 1.0);
  // The parts of a reduction meet at its end.
  if (nest.reduction[loop])
    cost += 8.0 / std::max(extent, 1.0);
  return cost;
}
/// A loop whose iterations share vectors that are read inside the reductions,
/// as the pixels of a row share a convolution's weights.
void chooseRows(const LoopNest &nest, const CpuTarget &target, int64_t body,
                VectorPlan &plan) {
  if (nest.results().size() != 1 || body > 8)
    return;
  double best = 0;
  for (int loop : nest.loops(false)) {
    if (loop == plan.loop)
      continue;
    auto extent = LoopEmitter::known(nest.extents[loop]);
    if (extent && *extent < 2)
      continue;
    // Vectors that all iterations read, less those that each reads for itself.
    double shared = 0;
    for (unsigned i = 0; i < nest.numInputs(); ++i) {
      const NestOperand &operand = nest.operands[i];
      if (operand.scalar || operand.isUniform(plan.loop))
        continue;
      shared += operand.isUniform(loop) ? 1 : -0.5;
    }
    shared += 1e-6 * extent.value_or(1024);
    if (shared <= best)
      continue;
    best = shared;
    plan.rowLoop = loop;
  }
  if (best < 0.5) {
    plan.rowLoop = -1;
    return;
  }
  // As many sums as leave registers for what is read.
  auto lanesExtent = LoopEmitter::known(nest.extents[plan.loop]);
  if (lanesExtent && *lanesExtent < 4 * plan.lanes)
    plan.unroll = std::max<int64_t>(*lanesExtent / plan.lanes, 1);
  int64_t sums = target.numVectorRegisters >= 32 ? 24 : 12;
  if (sums == 12)
    plan.unroll = std::min<int64_t>(plan.unroll, 2);
  int64_t most = std::min<int64_t>(sums / plan.unroll, 8);
  plan.rows = most;
  if (auto extent = LoopEmitter::known(nest.extents[plan.rowLoop])) {
    plan.rows = std::min(most, *extent);
    for (int64_t rows = plan.rows; rows > plan.rows / 2; --rows)
      if (*extent % rows == 0) {
        plan.rows = rows;
        break;
      }
  }
}
} // namespace

std::optional<Combiner> shardir::combinerOf(linalg::LinalgOp op, unsigned i) {
  BlockArgument old = op.getBlock()->getArgument(op.getNumDpsInputs() + i);
  Value yielded = op.getBlock()->getTerminator()->getOperand(i);
  Operation *producer = yielded.getDefiningOp();
  if (!producer || !old.hasOneUse() || *old.user_begin() != producer ||
      !yielded.hasOneUse())
    return std::nullopt;
  auto kind = combiningKind(producer);
  // Lanes of index type have no reduction instruction.
  if (!kind || old.getType().isIndex())
    return std::nullopt;
  return Combiner{producer, *kind};
}

Value Combiner::identity(LoopEmitter &emit, Type type) const {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value;
  if (auto floatType = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    APFloat number = APFloat::getZero(semantics, /*Negative=*/true);
    if (kind == Kind::MUL)
      number = APFloat::getOne(semantics);
    else if (kind == Kind::MAXIMUMF || kind == Kind::MINIMUMF)
      number = APFloat::getInf(semantics, kind == Kind::MAXIMUMF);
    else if (kind == Kind::MAXNUMF || kind == Kind::MINNUMF)
      number = APFloat::getQNaN(semantics);
    value = FloatAttr::get(element, number);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    APInt number = APInt::getZero(width);
    if (kind == Kind::MUL)
      number = APInt(width, 1);
    else if (kind == Kind::AND || kind == Kind::MINUI)
      number = APInt::getAllOnes(width);
    else if (kind == Kind::MAXSI)
      number = APInt::getSignedMinValue(width);
    else if (kind == Kind::MINSI)
      number = APInt::getSignedMaxValue(width);
    value = IntegerAttr::get(element, number);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(emit.builder, emit.loc, value);
}

Value Combiner::combine(LoopEmitter &emit, Value a, Value b) const {
  OperationState state(emit.loc, op->getName(), {a, b}, {a.getType()});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return emit.builder.create(state)->getResult(0);
}

Value Combiner::reduce(LoopEmitter &emit, Value vector) const {
  // Lanes are added as a tree.
  auto flags = isa<arith::AddFOp, arith::MulFOp>(op)
                   ? arith::FastMathFlags::reassoc
                   : arith::FastMathFlags::none;
  return vector::ReductionOp::create(emit.builder, emit.loc, kind, vector,
                                     flags);
}

std::optional<VectorPlan> shardir::planVectors(const LoopNest &nest,
                                               const CpuTarget &target) {
  VectorPlan plan;
  int64_t total = 1;
  bool allKnown = true;
  for (int loop = 0; loop < static_cast<int>(nest.extents.size()); ++loop) {
    if (nest.merged[loop])
      continue;
    auto extent = LoopEmitter::known(nest.extents[loop]);
    allKnown &= extent.has_value();
    total *= std::max<int64_t>(extent.value_or(64), 1);
  }
  if (allKnown && total < 8)
    return std::nullopt;

  bool combinable = !nest.results().empty();
  for (unsigned i = 0; i < nest.results().size(); ++i) {
    std::optional<Combiner> combiner = combinerOf(nest.getOp(), i);
    combinable &= combiner.has_value();
    plan.combiners.push_back(combiner.value_or(Combiner()));
  }

  plan.lanes = lanesOf(nest, target);
  int64_t body = bodyCost(nest.getOp());
  double best = 0.8 * (body + nest.operands.size());
  for (int loop = 0; loop < static_cast<int>(nest.extents.size()); ++loop) {
    if (nest.merged[loop])
      continue;
    double cost = costAlong(nest, loop, plan.lanes, body, combinable);
    // Equal costs go to the inner loop.
    if (cost <= best) {
      best = cost;
      plan.loop = loop;
    }
  }
  if (plan.loop < 0 || plan.lanes < 2)
    return std::nullopt;

  // Several vectors at a time hide the latency of the combiners.
  bool reduces = !nest.loops(true).empty();
  auto extent = LoopEmitter::known(nest.extents[plan.loop]);
  if (reduces && body < 60 && (!extent || *extent >= 4 * plan.lanes))
    plan.unroll = 4;
  // Squares are code for some hundred elements at a time.
  if (!reduces && (!allKnown || total >= 1024))
    for (unsigned i = 0; i < nest.numInputs() && plan.squareLoop < 0; ++i) {
      const NestOperand &operand = nest.operands[i];
      if (operand.scalar || operand.isUnit(plan.loop) ||
          operand.isUniform(plan.loop))
        continue;
      plan.squareLoop = contiguousLoop(nest, operand);
    }
  if (reduces && !nest.reduction[plan.loop])
    chooseRows(nest, target, body, plan);
  plan.parallel = total * body >= parallelWork || !allKnown;
  return plan;
}
