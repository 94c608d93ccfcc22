//===- MmaMatmul.cpp - Contractions by tiles in shared memory -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes sums of products of floats or of bytes, with any batch, row, column and
// reduction dims in any order (Contraction.h), from sm_80 on. Products of two
// bf16, f16 or i8 operands go to mma.sync, and those of f32 where that is
// requested for (tf32); others to fused multiply-adds in full precision. The
// fill of zeros before and the elementwise op behind run in the same kernel.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "OperandCopies.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr llvm::StringLiteral kName = "mma_matmul";

/// The tile of least predicted time.
TileChoice choose(linalg::LinalgOp op, const GpuTarget &target) {
  Multiplicand multiplicand = multiplicandOf(op);
  bool matrix = multiplicand != Multiplicand::None;
  bool wide = getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF64();
  SmallVector<TilePlan> plans;
  if (matrix) {
    // The last two are for few rows: as many tiles as multiprocessors without
    // a second kernel that adds sums, and 48 KiB of copies on their way in
    // each. Half of the last one's copies are rows that the L2 cache has: it
    // has 80 KiB on their way where a multiprocessor still runs two blocks.
    constexpr int64_t stageBytes = (32 + 32) * 128 * 2;
    int64_t deep = target.sharedBytes >= 2 * 6 * stageBytes ? 6 : 4;
    plans = {{128, 128, 32, 2, 2, 4}, {64, 128, 32, 2, 2, 4},
             {64, 64, 32, 2, 2, 4},   {32, 64, 32, 2, 2, 4},
             {64, 32, 128, 2, 2, 4},  {32, 32, 128, 2, 2, deep}};
    for (TilePlan &plan : plans)
      plan = planFor(plan, multiplicand);
    plans = withOperandCopies(op, plans);
  } else {
    // Sixteen by sixteen threads.
    plans = {{64, 64, 16, 4, 2, 3}};
    if (!wide)
      plans.insert(plans.begin(), TilePlan{128, 128, 8, 4, 2, 3});
  }
  // From sm_90 on mma.sync turns 8-bit floats into f16, in two instructions for
  // three products.
  double rate = rateOf(multiplicand);
  if (multiplicand == Multiplicand::Float8 && !target.hasFullRateFloat8Mma())
    rate = 0.5;
  // mma.sync reaches about half of what the units can do.
  double flops = matrix ? 0.5 * target.matrixFlops * rate
                        : 0.7 * target.scalarFlops * (wide ? 0.5 : 1);
  auto flopsOf = [&](const TilePlan &plan) {
    // Smaller tiles read shared memory more often per product.
    return flops * (0.55 + 0.45 * (plan.bm * plan.bn) / (128.0 * 128.0));
  };
  TileChoice best = chooseTiles(op, kName, plans, target, flopsOf);
  auto rank = [&](const TileChoice &choice) {
    double launches = choice.saved > 0 ? target.launchSeconds : 0;
    return std::pair(!choice.agrees,
                     choice.corrected - choice.saved - launches);
  };
  auto take = [&](const TileChoice &choice) {
    if (rank(choice) < rank(best))
      best = choice;
  };
  auto suits = [&](const TilePlan &plan) { return suitsGroups(op, plan); };
  if (matrix && !target.isHost())
    for (unsigned input : {0u, 1u})
      if (std::optional<TileChoice> grouped = chooseGroupedTiles(
              op, input, kName, plans, target, flopsOf, suits))
        take(*grouped);
  // An operand may be made where it is read, if few tiles read it again. That
  // saves the kernel that would make it.
  constexpr double mostReads = 2;
  ProductShape shape = productShapeOf(op);
  for (unsigned input : {0u, 1u}) {
    linalg::LinalgOp map = prologueFor(op, input);
    if (!map)
      continue;
    SmallVector<TilePlan> fused;
    for (TilePlan plan : plans) {
      double reads = input == 0 ? std::ceil(shape.n / plan.bn)
                                : std::ceil(shape.m / plan.bm);
      plan.prologue[input] = true;
      plan.byElements[input] = false;
      if (plan.copied[input])
        continue;
      if (reads <= mostReads)
        fused.push_back(plan);
    }
    if (fused.empty())
      continue;
    TileChoice choice = chooseTiles(op, kName, fused, target, flopsOf);
    choice.saved = bytesMoved(map) / target.copyBytesPerSecond;
    take(choice);
  }
  return best;
}

class MmaMatmul : public Schedule {
public:
  StringRef name() const override { return kName; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto contraction = dyn_cast<linalg::LinalgOp>(op);
    if (!contraction || !(target.isHost() || target.hasAsyncCopy()) ||
        !isTileable(contraction))
      return std::nullopt;
    // Multiply-adds have no 8-bit floats.
    Multiplicand multiplicand = multiplicandOf(contraction);
    if (multiplicand == Multiplicand::Float8 && !target.hasFloat8Mma())
      return std::nullopt;
    return estimateOfTiles(
        contraction, multiplicand == Multiplicand::None ? "fma" : "mma.sync",
        choose(contraction, target), target);
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto contraction = cast<linalg::LinalgOp>(op);
    bool none = multiplicandOf(contraction) == Multiplicand::None;
    return emitTiles(rewriter, contraction, choose(contraction, target).plan,
                     none ? emitFmaKernel : emitMmaKernel);
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createMmaMatmulSchedule() {
  return std::make_unique<MmaMatmul>();
}
