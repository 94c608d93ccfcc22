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
// nothing.
//
//===----------------------------------------------------------------------===//

#include "VectorPlan.h"

#include "ShardIR/Memory/BufferRoot.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Work below which another thread does not pay, in simple ops on one element.
constexpr int64_t parallelWork = 1 << 20;
/// Results from this size on are out of the caches before they are read. A
/// store past the caches spares the read of the line that it overwrites.
constexpr int64_t streamedBytes = int64_t(32) << 20;

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

/// A parallel loop along which vectors of `operand` are read; -1 for none.
int contiguousLoop(const LoopNest &nest, const NestOperand &operand) {
  if (operand.scalar || operand.element.isInteger(1))
    return -1;
  for (int loop : nest.loops(false))
    if (operand.isUnit(loop) || operand.isEveryOther(loop))
      return loop;
  return -1;
}

/// The cost of one element with lanes along `loop`; infinite where impossible.
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
    } else if (operand.isEveryOther(loop)) {
      // Two loads and a shuffle, two of each for a store.
      cost += (result ? 4.0 : 3.0) / lanes;
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
    shared += 1e-6 * std::min<int64_t>(extent.value_or(8), 8);
    // Ties go to the inner loop, whose iterations are near in memory.
    if (shared < best)
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
  auto extent = LoopEmitter::known(nest.extents[plan.rowLoop]);
  if (!extent)
    return;
  // Half a cycle for each multiply-add and each load, and the latency of a sum.
  auto cycles = [&](int64_t rows) {
    return rows == 0
               ? 0
               : std::max({rows * plan.unroll, rows + plan.unroll, int64_t(8)});
  };
  int64_t least = INT64_MAX;
  for (int64_t rows = std::min(most, *extent); rows > 0; --rows) {
    int64_t cost = *extent / rows * cycles(rows) + cycles(*extent % rows);
    if (cost < least) {
      least = cost;
      plan.rows = rows;
    }
  }
}

/// True if all results are written alone, in order along `loop`, and belong to
/// buffers of at least `streamedBytes`. LLVM's X86 backend has such stores for
/// no vectors of 16-bit floats, and none was faster on narrow elements.
bool areStreamed(const LoopNest &nest, int loop) {
  linalg::LinalgOp op = nest.getOp();
  llvm::SmallPtrSet<Value, 8> read;
  for (Value input : op.getDpsInputs())
    if (isa<MemRefType>(input.getType()))
      read.insert(bufferRoot(input));
  for (auto [i, operand] : llvm::enumerate(nest.results())) {
    OpOperand *init = op.getDpsInitOperand(i);
    Value root = bufferRoot(init->get());
    if (!root || read.contains(root) || read.contains(Value()) ||
        op.payloadUsesValueFromOperand(init) || !operand.isUnit(loop) ||
        operand.element.isIndex() || operand.bytes() < 4)
      return false;
    auto type = cast<MemRefType>(root.getType());
    if (!type.hasStaticShape() ||
        type.getNumElements() * operand.bytes() < streamedBytes)
      return false;
  }
  return true;
}
} // namespace

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
          operand.isUniform(plan.loop) || operand.isEveryOther(plan.loop))
        continue;
      plan.squareLoop = contiguousLoop(nest, operand);
    }
  if (reduces && !nest.reduction[plan.loop])
    chooseRows(nest, target, body, plan);
  plan.streamed =
      !reduces && target.vectorBits >= 256 && areStreamed(nest, plan.loop);
  plan.parallel = total * body >= parallelWork || !allKnown;
  return plan;
}
