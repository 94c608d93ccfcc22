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

#include "AttentionBackwardWgmma.h"

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
  bool (*runsOn)(const GpuTarget &);
  /// True if it takes the op's types.
  bool (*takes)(kernel::AttentionBackwardOp);
  /// Warps of a block, the most first, and columns of a step.
  ArrayRef<int64_t> warps, columns;
  /// Tiles are boxes of 64 columns; else their rows are padded.
  bool inBoxes;
  /// Registers beside the fragments.
  int64_t registers;
  /// A kernel of keys can add to the gradients of queries.
  bool adds;
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
  auto bytes = [&](Value operand, int64_t first, int64_t second) {
    int64_t size = elementBytes(elementOf(operand)), chunk = 16 / size;
    auto padded = [&](int64_t rows, int64_t columns) {
      if (unit.inBoxes)
        return rows * roundUp(columns, 64) * size;
      return roundUp(rows * (columns / chunk | 1) * 16, 128);
    };
    return std::max(padded(first, second), padded(second, first));
  };
  int64_t extras = 0;
  for (Value extra : op.getExtras())
    extras +=
        roundUp(plan.stages * plan.bn * elementBytes(elementOf(extra)), 128);
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
  return std::max(ofQueries, ofKeys) + slots + extras;
}

using Parts = SmallVector<BackwardPart>;

/// A way to compute the results that are wanted: the parts of its kernels, and
/// the plan's copyWarps.
struct Way {
  Parts parts;
  int64_t copyWarps = 0;
};

/// Those by kernels of a plan whose registers suffice, those with fewer kernels
/// first.
SmallVector<Way> waysOf(kernel::AttentionBackwardOp op, const Unit &unit,
                        const BackwardPlan &plan, const GpuTarget &target) {
  int64_t words = elementBytes(op.getComputeType()) / 4;
  // Scores and their gradients, and what addresses and the body take.
  // On warpgroups probabilities are held twice, as f32 and packed, while their
  // gradients are multiplied.
  int64_t packed = unit.inBoxes ? plan.bn / 4 : 0;
  int64_t most = 255 - (plan.bn * words + packed + unit.registers);
  int64_t k = plan.k / 2 * words, v = plan.v / 2 * words;
  bool dq = op.isWanted(0), dk = op.isWanted(1), dv = op.isWanted(2);
  SmallVector<Way> ways;
  // Two warpgroups share the gradients of queries: by rows, or by columns of
  // which each has whole boxes. FlashAttention-3 has the same tiles.
  bool shares = (plan.bn == 128 && plan.k <= 64 && plan.v <= 64) ||
                (plan.bn == 64 && plan.k == 128 && plan.v <= 128);
  if (unit.adds && !target.isHost() && plan.warps == 8 && shares && dq && dk &&
      dv) {
    BackwardPart all{/*ofKeys=*/true, /*first=*/true, /*second=*/true,
                     /*third=*/true};
    ways.push_back({{all}, /*copyWarps=*/4});
    // Beside a mask, threads that copy have too few registers for the larger
    // tile and asynchronous wgmma.
    if (plan.bn < 128 || findMask(op).conditions.empty())
      ways.push_back({{all}, /*copyWarps=*/0});
  }
  if (((dq || dk) && k > most) || (dv && v > most))
    return ways;
  bool together = dk && dv && k + v <= most;
  Parts apart;
  if (dq)
    apart.push_back({/*ofKeys=*/false, /*first=*/true, /*second=*/false});
  if (dk)
    apart.push_back({/*ofKeys=*/true, /*first=*/true, /*second=*/false});
  if (together)
    apart.back().second = true;
  else if (dv)
    apart.push_back({/*ofKeys=*/true, /*first=*/false, /*second=*/true});
  ways.push_back({apart, /*copyWarps=*/0});
  return ways;
}

struct Choice {
  BackwardPlan plan;
  Parts parts;
  /// By the model, and corrected by what was measured.
  double seconds = 0, corrected = 0;
  /// It has the numbers that are forced.
  bool agrees = false;
};

PlanNumbers numbersOf(const BackwardPlan &plan, const Parts &parts) {
  return {{"tile_m", plan.bm()},
          {"tile_n", plan.bn},
          {"warps", plan.warps + plan.copyWarps},
          {"stages", plan.stages},
          {"kernels", int64_t(parts.size())}};
}

/// nullopt where a block does not fit on a multiprocessor.
std::optional<double> secondsOf(kernel::AttentionBackwardOp op,
                                const Unit &unit, const AttentionShape &shape,
                                const BackwardPlan &plan, const Parts &parts,
                                const GpuTarget &target) {
  bool third = parts.front().third;
  int64_t bytes =
      sharedBytesOf(op, unit, plan) + (third ? plan.bm() * plan.bn * 2 : 0);
  if (plan.copyWarps > 0)
    bytes += TmaBackward::moreSharedBytes(plan);
  if (bytes > target.sharedBytes)
    return std::nullopt;
  int64_t threads = plan.blockThreads();
  // Warpgroups divide 168 for each thread among themselves.
  int64_t registers = plan.copyWarps > 0 ? 168 : 255;
  double present = std::min({double(target.sharedBytes / bytes),
                             double(target.registers / (registers * threads)),
                             double(target.threads / threads)});
  if (present < 1)
    return std::nullopt;
  // The counters of turns are set to 0 by a kernel.
  double seconds = third ? target.launchSeconds : 0;
  for (const BackwardPart &part : parts) {
    double own = part.ofKeys ? shape.columns : shape.rows,
           other = part.ofKeys ? shape.rows : shape.columns;
    double blocks = shape.outer * std::ceil(own / plan.bm());
    double steps = std::ceil(other / plan.bn) *
                   (part.ofKeys ? visibleShare(op, plan.bn, plan.bm())
                                : visibleShare(op, plan.bm(), plan.bn));
    double work = 2.0 * plan.bm() * plan.bn *
                  (plan.k + plan.v + (part.first ? plan.k : 0) +
                   (part.second ? plan.v : 0) + (part.third ? plan.k : 0));
    double resident =
        std::min(present, std::ceil(blocks / target.multiprocessors));
    // An estimate: threads that multiply do not wait for copies, additions and
    // turns.
    double share = plan.copyWarps > 0 ? 1.2 : 1;
    double rate = share * unit.flops(target) / target.multiprocessors *
                  std::min(1.0, resident * plan.warps / 8);
    double rounds =
        std::ceil(blocks / (target.multiprocessors * resident)) * resident;
    // A step's barriers and copies cost as much as some of its work. Blocks
    // that take turns follow each other at a distance of a step.
    double waits = part.third ? std::ceil(own / plan.bm()) - 1 : 0;
    seconds += target.launchSeconds +
               (rounds * steps + waits) * (work / rate) * (1 + 4.0 / plan.bn);
  }
  return seconds;
}

bool suitsTma(kernel::AttentionBackwardOp op, const BackwardPlan &plan,
              const BackwardPart &part) {
  TrialEmitter trial(op);
  FailureOr<BackwardProblem> problem = BackwardProblem::create(trial.emit, op);
  return succeeded(problem) &&
         !suitsTensorMaps(trial.emit, *problem, plan, part).never();
}

std::optional<Choice> choose(kernel::AttentionBackwardOp op, const Unit &unit,
                             const GpuTarget &target) {
  AttentionShape shape = attentionShapeOf(op);
  std::optional<Choice> best;
  // Fewer warps copy the same step by more instructions, and read it for fewer
  // rows: only where more do not fit, or where they were measured.
  int64_t most = 0;
  for (int64_t warps : unit.warps) {
    for (int64_t bn : unit.columns) {
      BackwardPlan plan;
      plan.warps = warps;
      plan.bn = bn;
      plan.k = roundUp(*shape.k, 16);
      plan.v = roundUp(*shape.v, 16);
      for (const auto &[parts, copyWarps] : waysOf(op, unit, plan, target)) {
        plan.copyWarps = copyWarps;
        if (copyWarps > 0 && !suitsTma(op, plan, parts.front()))
          continue;
        std::optional<double> seconds =
            secondsOf(op, unit, shape, plan, parts, target);
        if (!seconds)
          continue;
        PlanNumbers numbers = numbersOf(plan, parts);
        bool agrees = agreesWithForced(op, numbers);
        double corrected =
            correctedSeconds(op, unit.name, numbers, *seconds, target);
        bool first = !best || (agrees && !best->agrees);
        if (first)
          most = warps;
        if (first ||
            (agrees == best->agrees && corrected < best->corrected &&
             (warps == most || isMeasured(op, unit.name, numbers, target))))
          best = Choice{plan, parts, *seconds, corrected, agrees};
      }
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

bool isAny(const GpuTarget &) { return true; }
constexpr int64_t fewWarps[] = {4, 2, 1}, fewColumns[] = {64, 32, 16};
constexpr int64_t warpgroups[] = {8, 4}, manyColumns[] = {128, 64, 32};

const Unit units[] = {
    {"mma_attention_backward", isAny, mmaTakes, fewWarps, fewColumns,
     /*inBoxes=*/false, /*registers=*/90, /*adds=*/false,
     /*sharesScores=*/false,
     [](const GpuTarget &target) {
       return target.matrixFlops * (target.isHost() ? 0.5 : 0.3);
     },
     emitMmaBackward},
    {"wgmma_attention_backward",
     [](const GpuTarget &target) {
       return target.isHost() || target.hasWarpgroupMma();
     },
     mmaTakes, warpgroups, manyColumns, /*inBoxes=*/true,
     /*registers=*/45, /*adds=*/true, /*sharesScores=*/false,
     [](const GpuTarget &target) { return target.matrixFlops * 0.55; },
     emitWgmmaBackward},
    {"fma_attention_backward", isAny,
     [](kernel::AttentionBackwardOp) { return true; }, fewWarps, fewColumns,
     /*inBoxes=*/false, /*registers=*/130, /*adds=*/false,
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
    if (!backward || !unit.runsOn(target) || !isTileable(backward) ||
        !unit.takes(backward))
      return std::nullopt;
    std::optional<Choice> choice = choose(backward, unit, target);
    if (!choice)
      return std::nullopt;
    Estimate estimate;
    // Where warpgroups are emulated, tests force them by name.
    bool slow = target.isHost() && unit.emit == emitWgmmaBackward;
    estimate.seconds = slow ? 1 : choice->seconds;
    size_t kernels = choice->parts.size();
    estimate.reason = llvm::formatv("{0} kernel{1} of {2} rows by {3}", kernels,
                                    kernels == 1 ? "" : "s", choice->plan.bm(),
                                    choice->plan.bn);
    if (choice->plan.copyWarps > 0)
      estimate.reason += ", queries and gradients by TMA";
    estimate.plan = numbersOf(choice->plan, choice->parts);
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto backward = cast<kernel::AttentionBackwardOp>(op);
    Choice choice = *choose(backward, unit, target);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    FailureOr<BackwardProblem> problem =
        BackwardProblem::create(emitter, backward);
    if (failed(problem))
      return op->emitOpError("has an operand without linear addresses");
    for (const BackwardPart &part : choice.parts)
      unit.emit(emitter, *problem, choice.plan, part);
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
