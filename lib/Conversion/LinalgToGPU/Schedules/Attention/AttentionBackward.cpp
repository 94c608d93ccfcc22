//===- AttentionBackward.cpp - Attention's gradients without a matrix -----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Take kernel.attention_backward on memrefs of any shapes and strides whose
// extents of k and v are known: by mma.sync where operands have 16 bits, else
// by fused multiply-adds. A plan must fit into shared memory and, as far as can
// be told, into registers: where the gradients of keys and of values do not fit
// together, each has a kernel of its own.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardKernel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

namespace {

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

int64_t roundUp(int64_t number, int64_t to) {
  return ceilDivide(number, to) * to;
}

/// A kind of kernel: how it lowers a plan.
struct Unit {
  StringRef name;
  /// True if it takes the op's types.
  bool (*takes)(kernel::AttentionBackwardOp);
  /// True if ds and p go through shared memory.
  bool sharesScores;
  /// Of the chip, in floating-point operations/s.
  double (*flops)(const GpuTarget &);
  void (*emit)(KernelEmitter &, const BackwardProblem &, const BackwardPlan &,
               const BackwardPart &);
};

/// Shared memory, in bytes, whichever way tiles are turned.
int64_t sharedBytesOf(kernel::AttentionBackwardOp op, const Unit &unit,
                      const BackwardPlan &plan) {
  auto bytes = [](Value operand, int64_t first, int64_t second) {
    int64_t size = elementBytes(elementOf(operand)), chunk = 16 / size;
    auto padded = [&](int64_t rows, int64_t columns) {
      return roundUp(rows * (columns / chunk | 1) * 16, 128);
    };
    return std::max(padded(first, second), padded(second, first));
  };
  int64_t ofQueries = bytes(op.getQuery(), plan.bm(), plan.k) +
                      bytes(op.getGradient(), plan.bm(), plan.v) +
                      plan.stages * (bytes(op.getKey(), plan.bn, plan.k) +
                                     bytes(op.getValue(), plan.bn, plan.v));
  int64_t ofKeys = bytes(op.getKey(), plan.bm(), plan.k) +
                   bytes(op.getValue(), plan.bm(), plan.v) +
                   plan.stages * (bytes(op.getQuery(), plan.bn, plan.k) +
                                  bytes(op.getGradient(), plan.bn, plan.v));
  int64_t slots = unit.sharesScores
                      ? 2 * roundUp(plan.bm() * (plan.bn + 4) *
                                        elementBytes(op.getComputeType()),
                                    128)
                      : 0;
  return std::max(ofQueries, ofKeys) + slots;
}

/// The kernels of a plan for the results that are wanted: with the gradients of
/// keys and values in one, if its registers suffice.
SmallVector<BackwardPart> partsOf(kernel::AttentionBackwardOp op,
                                  const BackwardPlan &plan) {
  int64_t words = elementBytes(op.getComputeType()) / 4;
  // Scores and their gradients, the extras of a thread's columns, which are
  // loaded early, and what addresses and the body take.
  int64_t loaded = plan.bn / 4 * static_cast<int64_t>(op.getExtras().size());
  int64_t most = 255 - (plan.bn * words + loaded + 90);
  int64_t k = plan.k / 2 * words, v = plan.v / 2 * words;
  bool dq = op.isWanted(0), dk = op.isWanted(1), dv = op.isWanted(2);
  if (((dq || dk) && k > most) || (dv && v > most))
    return {};
  SmallVector<BackwardPart> parts;
  if (dq)
    parts.push_back({/*ofKeys=*/false, /*first=*/true, /*second=*/false});
  if (dk)
    parts.push_back({/*ofKeys=*/true, /*first=*/true, /*second=*/false});
  if (dk && dv && k + v <= most)
    parts.back().second = true;
  else if (dv)
    parts.push_back({/*ofKeys=*/true, /*first=*/false, /*second=*/true});
  return parts;
}

struct Choice {
  BackwardPlan plan;
  double seconds = 0;
  /// It has the numbers that are forced.
  bool agrees = false;
};

PlanNumbers numbersOf(const BackwardPlan &plan) {
  return {{"tile_m", plan.bm()}, {"tile_n", plan.bn}, {"stages", plan.stages}};
}

std::optional<Choice> choose(kernel::AttentionBackwardOp op, const Unit &unit,
                             const GpuTarget &target) {
  AttentionShape shape = attentionShapeOf(op);
  std::optional<Choice> best;
  // Fewer warps copy the same step by more instructions, and read it for fewer
  // rows: only where more do not fit.
  for (int64_t warps : {4, 2, 1}) {
    if (best && best->agrees)
      break;
    for (int64_t bn : {64, 32, 16}) {
      BackwardPlan plan;
      plan.warps = warps;
      plan.bn = bn;
      plan.k = roundUp(*shape.k, 16);
      plan.v = roundUp(*shape.v, 16);
      int64_t bytes = sharedBytesOf(op, unit, plan);
      SmallVector<BackwardPart> parts = partsOf(op, plan);
      if (bytes > target.sharedBytes || parts.empty())
        continue;
      double present =
          std::min({double(target.sharedBytes / bytes),
                    double(target.registers / (255 * plan.threads())),
                    double(target.threads / plan.threads())});
      if (present < 1)
        continue;
      double seconds = 0;
      for (const BackwardPart &part : parts) {
        double own = part.ofKeys ? shape.columns : shape.rows,
               other = part.ofKeys ? shape.rows : shape.columns;
        double blocks = shape.outer * std::ceil(own / plan.bm());
        double steps = std::ceil(other / bn);
        double work = 2.0 * plan.bm() * bn *
                      (plan.k + plan.v + (part.first ? plan.k : 0) +
                       (part.second ? plan.v : 0));
        double resident =
            std::min(present, std::ceil(blocks / target.multiprocessors));
        double rate = unit.flops(target) / target.multiprocessors *
                      std::min(1.0, resident * warps / 8);
        double rounds =
            std::ceil(blocks / (target.multiprocessors * resident)) * resident;
        // A step's barriers and copies cost as much as some of its work.
        seconds += target.launchSeconds +
                   rounds * steps * (work / rate) * (1 + 4.0 / bn);
      }
      bool agrees = agreesWithForced(op, numbersOf(plan));
      bool fewer = best && best->plan.warps > warps;
      if (!best || (agrees && !best->agrees) ||
          (agrees == best->agrees && !fewer && seconds < best->seconds))
        best = Choice{plan, seconds, agrees};
    }
  }
  return best;
}

bool mmaTakes(kernel::AttentionBackwardOp op) {
  Type type = elementOf(op.getQuery());
  for (Value operand : {op.getKey(), op.getValue(), op.getGradient()})
    if (elementOf(operand) != type)
      return false;
  for (Type yielded : op.getBody().front().getTerminator()->getOperandTypes())
    if (yielded != type)
      return false;
  return op.getComputeType().isF32() && (type.isBF16() || type.isF16());
}

const Unit units[] = {
    {"mma_attention_backward", mmaTakes, /*sharesScores=*/false,
     [](const GpuTarget &target) {
       return target.matrixFlops * (target.isHost() ? 0.5 : 0.3);
     },
     emitMmaBackward},
    {"fma_attention_backward", [](kernel::AttentionBackwardOp) { return true; },
     /*sharesScores=*/true,
     [](const GpuTarget &target) { return target.scalarFlops * 0.4; },
     emitFmaBackward},
};

class AttentionBackward : public Schedule {
public:
  explicit AttentionBackward(const Unit &unit) : unit(unit) {}

  StringRef name() const override { return unit.name; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto backward = dyn_cast<kernel::AttentionBackwardOp>(op);
    if (!backward || !isTileable(backward) || !unit.takes(backward))
      return std::nullopt;
    std::optional<Choice> choice = choose(backward, unit, target);
    if (!choice)
      return std::nullopt;
    Estimate estimate;
    estimate.seconds = choice->seconds;
    estimate.reason = llvm::formatv("{0} kernels of {1} rows by {2}",
                                    partsOf(backward, choice->plan).size(),
                                    choice->plan.bm(), choice->plan.bn);
    estimate.plan = numbersOf(choice->plan);
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto backward = cast<kernel::AttentionBackwardOp>(op);
    BackwardPlan plan = choose(backward, unit, target)->plan;
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    FailureOr<BackwardProblem> problem =
        BackwardProblem::create(emitter, backward);
    if (failed(problem))
      return op->emitOpError("has an operand without linear addresses");
    for (const BackwardPart &part : partsOf(backward, plan))
      unit.emit(emitter, *problem, plan, part);
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Unit &unit;
};
} // namespace

void shardir::addAttentionBackwardSchedules(
    std::vector<std::unique_ptr<Schedule>> &list) {
  for (const Unit &unit : units)
    list.push_back(std::make_unique<AttentionBackward>(unit));
}
