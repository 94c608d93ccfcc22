//===- Attention.cpp - Attention without its matrix of scores -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Take kernel.attention on memrefs of any shapes and strides whose extents of
// k and v are known: by mma.sync or wgmma where operands have 16 bits, else by
// fused multiply-adds. The fill of the inits and the division behind it are
// taken along. A plan must fit into shared memory and, as far as can be told,
// into registers.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

namespace {
int64_t roundUp(int64_t number, int64_t to) {
  return ceilDivide(number, to) * to;
}

/// A kind of kernel: how it lowers a plan.
struct Unit {
  StringRef name;
  bool (*runsOn)(const GpuTarget &);
  /// True if it takes the op's types.
  bool (*takes)(kernel::AttentionOp);
  SmallVector<AttentionPlan> (*plans)(kernel::AttentionOp);
  /// Shared memory in bytes, whichever way tiles are turned.
  int64_t (*sharedBytes)(kernel::AttentionOp, const AttentionPlan &);
  /// Floating-point operations/s of a chip that is full.
  double (*flops)(const AttentionPlan &, const GpuTarget &);
  void (*emit)(KernelEmitter &, const AttentionProblem &,
               const AttentionPlan &);
};

int64_t bytesOf(Value operand) {
  return elementBytes(getElementTypeOrSelf(operand.getType()));
}

int64_t tileBytes(kernel::AttentionOp op, const AttentionPlan &plan,
                  bool swizzled) {
  auto bytes = [&](Value operand, int64_t first, int64_t second) {
    int64_t size = bytesOf(operand), chunk = 16 / size;
    auto padded = [&](int64_t rows, int64_t columns) {
      return swizzled ? rows * roundUp(columns, 64) * size
                      : roundUp(rows * (columns / chunk | 1) * 16, 128);
    };
    return std::max(padded(first, second), padded(second, first));
  };
  return bytes(op.getQuery(), plan.bm(), plan.k) +
         plan.stages * (bytes(op.getKey(), plan.bn, plan.k) +
                        bytes(op.getValue(), plan.bn, plan.bv));
}

int64_t paddedBytes(kernel::AttentionOp op, const AttentionPlan &plan) {
  return tileBytes(op, plan, /*swizzled=*/false);
}

/// Registers of a thread: the fragments, and what addresses and the softmax
/// take.
int64_t registersOf(kernel::AttentionOp op, const AttentionPlan &plan) {
  int64_t words = elementBytes(op.getComputeType()) / 4;
  int64_t sums = plan.rowTiles * (plan.bn + plan.bv) / 2 * words;
  int64_t held = plan.queryInRegisters ? plan.rowTiles * plan.k / 4 : 0;
  if (plan.copyWarps > 0)
    held += plan.bn / 4;
  return sums + held + 56;
}

/// Where warpgroups divide registers among themselves: what a thread has at
/// first, and what one that multiplies can have.
constexpr int64_t sharedRegisters = 168, mostRegisters = 240;

struct Choice {
  AttentionPlan plan;
  /// By the model, and corrected by what was measured.
  double seconds = 0, corrected = 0;
  /// It has the numbers that are forced.
  bool agrees = false;
};

PlanNumbers numbersOf(const AttentionPlan &plan) {
  return {{"tile_m", plan.bm()},   {"tile_n", plan.bn},
          {"tile_v", plan.bv},     {"warps", plan.warps + plan.copyWarps},
          {"stages", plan.stages}, {"splits", plan.parts}};
}

/// Waves of blocks, each as long as its arithmetic takes where an SM is full of
/// as many as it can have, and what tiles read. The chip does `flops` per
/// second.
double secondsOf(kernel::AttentionOp op, const AttentionShape &shape,
                 const AttentionPlan &plan, double perMultiprocessor,
                 double flops, const GpuTarget &target) {
  double rowTiles = shape.outer * std::ceil(shape.rows / plan.bm()) *
                    std::ceil(double(*shape.v) / plan.bv);
  double blocks = rowTiles * plan.parts;
  double steps = std::ceil(std::ceil(shape.columns / plan.bn) / plan.parts);
  double work = 2.0 * plan.bm() * plan.bn * (plan.k + plan.bv);
  double visible = visibleShare(op, plan.bm(), plan.bn);
  // Eight warps hide what they wait for, if there are as many.
  double present =
      std::min(perMultiprocessor, std::ceil(blocks / target.multiprocessors));
  double busy = std::min(1.0, present * plan.warps / 8);
  double rate = flops / target.multiprocessors * busy;
  double rounds =
      std::ceil(blocks / (target.multiprocessors * present)) * present;
  double compute = rounds * steps * visible * work / rate;
  double once =
      shape.outer *
      ((shape.rows + shape.columns) * *shape.k * bytesOf(op.getKey()) +
       shape.columns * *shape.v * bytesOf(op.getValue()) +
       shape.rows * *shape.v * bytesOf(op.getAcc()));
  double read = rowTiles * shape.columns * visible *
                (*shape.k * bytesOf(op.getKey()) +
                 std::min(plan.bv, *shape.v) * bytesOf(op.getValue()));
  double bytes = once + std::max(0.0, read - once) / 4;
  double copies = bytes / target.copyBytesPerSecond /
                  std::min(1.0, blocks / target.multiprocessors);
  double seconds = target.launchSeconds + std::max(compute, copies);
  if (plan.parts == 1)
    return seconds;
  double merged = 2.0 * plan.parts * shape.outer * shape.rows * (*shape.v + 2) *
                  elementBytes(op.getComputeType());
  return seconds + target.launchSeconds + merged / target.copyBytesPerSecond;
}

bool suitsCopyEngine(kernel::AttentionOp op, const AttentionPlan &plan) {
  TrialEmitter trial(op);
  FailureOr<AttentionProblem> problem = AttentionProblem::create(
      trial.emit, op, findNeighbours(op), /*leastRows=*/plan.bm());
  return succeeded(problem) &&
         !suitsTensorMaps(trial.emit, *problem, plan).never();
}

/// The plan of least predicted time.
std::optional<Choice> choose(kernel::AttentionOp op, const Unit &unit,
                             const GpuTarget &target) {
  AttentionShape shape = attentionShapeOf(op);
  // Blocks that share rows must not write what others still read.
  AttentionNeighbours known = findNeighbours(op);
  bool continued = !known.lowestMax || !known.zeroSum;
  std::optional<Choice> best;
  for (const AttentionPlan &plan : unit.plans(op)) {
    if (continued && plan.bv < *shape.v)
      continue;
    int64_t bytes = unit.sharedBytes(op, plan);
    int64_t registers = registersOf(op, plan);
    if (bytes > target.sharedBytes ||
        registers > (plan.copyWarps > 0 ? mostRegisters : 255) ||
        (plan.copyWarps > 0 && !suitsCopyEngine(op, plan)))
      continue;
    if (plan.copyWarps > 0)
      registers = sharedRegisters;
    int64_t threads = plan.blockThreads();
    double perMultiprocessor = std::min(
        {target.sharedBytes / bytes, target.registers / (registers * threads),
         target.threads / threads});
    if (perMultiprocessor < 1)
      continue;
    double steps = std::ceil(shape.columns / plan.bn);
    for (int64_t parts = 1; parts <= 32; parts *= 2) {
      // Parts write only when all of them have read the queries.
      if (parts == 1 && known.overwritesQuery && plan.bv < *shape.v)
        continue;
      // A part is worth it from a few steps on.
      if (parts > 1 && (continued || steps < 4 * parts))
        break;
      AttentionPlan shared = plan;
      shared.parts = parts;
      double seconds = secondsOf(op, shape, shared, perMultiprocessor,
                                 unit.flops(plan, target), target);
      PlanNumbers numbers = numbersOf(shared);
      bool agrees = agreesWithForced(op, numbers);
      double corrected =
          correctedSeconds(op, unit.name, numbers, seconds, target);
      if (!best || std::pair(!agrees, corrected) <
                       std::pair(!best->agrees, best->corrected))
        best = Choice{shared, seconds, corrected, agrees};
    }
  }
  return best;
}

bool is16Bit(Type type) { return type.isBF16() || type.isF16(); }

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// The extents of k and v as tiles have them.
AttentionPlan roundedPlan(kernel::AttentionOp op, int64_t mostColumns) {
  AttentionShape shape = attentionShapeOf(op);
  AttentionPlan plan;
  plan.k = roundUp(*shape.k, 16);
  plan.bv = std::min(roundUp(*shape.v, 16), mostColumns);
  return plan;
}

bool mmaTakes(kernel::AttentionOp op) {
  Type query = elementOf(op.getQuery()), value = elementOf(op.getValue());
  Type p = op.getProb().front().getTerminator()->getOperand(0).getType();
  return op.getComputeType().isF32() && is16Bit(query) &&
         elementOf(op.getKey()) == query && is16Bit(value) && p == value;
}

SmallVector<AttentionPlan> mmaPlans(kernel::AttentionOp op) {
  SmallVector<AttentionPlan> plans;
  auto add = [&](int64_t warps, int64_t rowTiles, int64_t bn, int64_t stages,
                 bool held, int64_t mostColumns) {
    AttentionPlan plan = roundedPlan(op, mostColumns);
    plan.warps = warps;
    plan.rowTiles = rowTiles;
    plan.bn = bn;
    plan.stages = stages;
    plan.queryInRegisters = held;
    plans.push_back(plan);
  };
  // Two row tiles read each fragment of keys and values half as often.
  add(4, 2, 64, 2, true, 64);
  add(8, 1, 64, 2, true, 128);
  add(4, 1, 64, 2, true, 128);
  add(4, 1, 32, 2, false, 256);
  // Few rows: what is left is to read keys and values.
  add(1, 1, 64, 3, true, 128);
  add(1, 1, 32, 2, false, 128);
  add(1, 1, 16, 2, false, 64);
  return plans;
}

double mmaFlops(const AttentionPlan &plan, const GpuTarget &target) {
  if (target.isHost())
    return target.matrixFlops * 0.5;
  // mma.sync has about 0.6 of the full rate where wgmma has all of it, and a
  // third where tcgen05 has.
  double unit = target.smArch >= 100 ? 0.3 : target.smArch >= 90 ? 0.6 : 1;
  return target.matrixFlops * unit * (plan.rowTiles == 2 ? 0.6 : 0.5);
}

SmallVector<AttentionPlan> fmaPlans(kernel::AttentionOp op) {
  SmallVector<AttentionPlan> plans;
  auto add = [&](int64_t warps, int64_t bn, int64_t mostColumns) {
    AttentionPlan plan = roundedPlan(op, mostColumns);
    plan.warps = warps;
    plan.bn = bn;
    plan.queryInRegisters = false;
    plans.push_back(plan);
  };
  add(8, 32, 128);
  add(4, 32, 128);
  add(4, 32, 64);
  add(1, 32, 64);
  add(4, 16, 64);
  add(1, 16, 64);
  return plans;
}

int64_t fmaBytes(kernel::AttentionOp op, const AttentionPlan &plan) {
  return paddedBytes(op, plan) +
         plan.bm() * (plan.bn + 4) * elementBytes(op.getComputeType());
}

double fmaFlops(const AttentionPlan &, const GpuTarget &target) {
  return target.scalarFlops * 0.4;
}

SmallVector<AttentionPlan> wgmmaPlans(kernel::AttentionOp op) {
  SmallVector<AttentionPlan> plans;
  auto add = [&](int64_t warps, int64_t copyWarps, int64_t bn,
                 int64_t mostColumns) {
    AttentionPlan plan = roundedPlan(op, mostColumns);
    plan.warps = warps;
    plan.copyWarps = copyWarps;
    plan.bn = bn;
    plan.queryInRegisters = false;
    plans.push_back(plan);
  };
  add(8, 4, 128, 128);
  add(8, 4, 64, 256);
  add(8, 0, 128, 128);
  add(8, 0, 64, 256);
  add(4, 0, 64, 128);
  return plans;
}

/// And mbarriers.
int64_t wgmmaBytes(kernel::AttentionOp op, const AttentionPlan &plan) {
  return tileBytes(op, plan, /*swizzled=*/true) + 256;
}

double wgmmaFlops(const AttentionPlan &plan, const GpuTarget &target) {
  double rate = plan.bn == 128 ? 0.5 : 0.4;
  // Of at most 64 columns two blocks share a multiprocessor: one multiplies
  // while the other one computes exponentials.
  if (plan.copyWarps > 0)
    rate += plan.bv > 64 ? 0.1 : -0.05;
  return target.matrixFlops * rate;
}

/// Two blocks fit on a multiprocessor: one multiplies while the other computes
/// exponentials. A thread has scores and acc of 64 + 64 columns in registers,
/// or of 32 + 128; more are spilled.
SmallVector<AttentionPlan> tensorMemoryPlans(kernel::AttentionOp op) {
  SmallVector<AttentionPlan> plans;
  auto add = [&](int64_t bn, int64_t mostColumns) {
    AttentionPlan plan = roundedPlan(op, mostColumns);
    plan.rowTiles = 2;
    plan.bn = bn;
    plan.queryInRegisters = false;
    plans.push_back(plan);
  };
  add(64, 64);
  add(32, 128);
  return plans;
}

/// And probabilities, the mbarrier, and the address of tensor memory.
int64_t tensorMemoryBytes(kernel::AttentionOp op, const AttentionPlan &plan) {
  return tileBytes(op, plan, /*swizzled=*/true) +
         plan.bm() * roundUp(plan.bn, 64) * 2 + 256;
}

double tensorMemoryFlops(const AttentionPlan &, const GpuTarget &target) {
  return target.matrixFlops * 0.3;
}

const Unit units[] = {
    {"mma_attention", [](const GpuTarget &) { return true; }, mmaTakes,
     mmaPlans, paddedBytes, mmaFlops, emitMmaAttention},
    {"wgmma_attention",
     [](const GpuTarget &target) {
       return target.isHost() || target.hasWarpgroupMma();
     },
     mmaTakes, wgmmaPlans, wgmmaBytes, wgmmaFlops, emitWgmmaAttention},
    {"tcgen05_attention",
     [](const GpuTarget &target) { return target.hasTensorMemory(); }, mmaTakes,
     tensorMemoryPlans, tensorMemoryBytes, tensorMemoryFlops,
     emitTensorMemoryAttention},
    {"fma_attention", [](const GpuTarget &) { return true; },
     [](kernel::AttentionOp) { return true; }, fmaPlans, fmaBytes, fmaFlops,
     emitFmaAttention},
};

class Attention : public Schedule {
public:
  explicit Attention(const Unit &unit) : unit(unit) {}

  StringRef name() const override { return unit.name; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto attention = dyn_cast<kernel::AttentionOp>(op);
    if (!attention || !unit.runsOn(target) || !isTileable(attention) ||
        !unit.takes(attention))
      return std::nullopt;
    std::optional<Choice> choice = choose(attention, unit, target);
    if (!choice)
      return std::nullopt;
    Estimate estimate;
    // Where warpgroups are emulated, tests force them by name.
    bool slow = target.isHost() && unit.emit == emitWgmmaAttention;
    estimate.seconds = slow ? 1 : choice->seconds;
    const AttentionPlan &plan = choice->plan;
    estimate.reason = llvm::formatv("{0} rows by {1} keys, {2} stages",
                                    plan.bm(), plan.bn, plan.stages);
    if (plan.copyWarps > 0)
      estimate.reason += " that the copy engine fills";
    estimate.plan = numbersOf(plan);
    if (plan.parts > 1)
      estimate.reason +=
          llvm::formatv(", keys shared by {0} blocks", plan.parts);
    if (findNeighbours(attention).map)
      estimate.reason += ", elementwise op behind it fused";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto attention = cast<kernel::AttentionOp>(op);
    AttentionPlan plan = choose(attention, unit, target)->plan;
    AttentionNeighbours neighbours = findNeighbours(attention);
    rewriter.setInsertionPoint(neighbours.last(op));
    KernelEmitter emitter(rewriter, op);
    FailureOr<AttentionProblem> problem = AttentionProblem::create(
        emitter, attention, neighbours, /*leastRows=*/plan.bm());
    if (failed(problem))
      return op->emitOpError("has an operand without linear addresses");
    if (plan.parts > 1) {
      AttentionProblem parts = makeParts(emitter, *problem, plan.parts);
      unit.emit(emitter, parts, plan);
      mergeParts(emitter, *problem, parts);
    } else {
      unit.emit(emitter, *problem, plan);
    }
    eraseAttention(rewriter, attention, neighbours);
    return success();
  }

private:
  const Unit &unit;
};
} // namespace

void shardir::addAttentionSchedules(
    std::vector<std::unique_ptr<Schedule>> &list) {
  for (const Unit &unit : units)
    list.push_back(std::make_unique<Attention>(unit));
}
