//===- WgmmaMatmul.cpp - Contractions by warpgroups -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes products of two bf16, f16, f8E4M3FN or f8E5M2 operands on sm_90a, and
// of f32 where they may be rounded to tf32, of any shape and strides: tiles
// come by cp.async, so that neither alignment nor edges matter, and are
// multiplied by wgmma, which runs at the full rate of the matrix units where
// mma.sync has about half of it. On the emulated GPU it is never cheapest:
// tests ask for it by name.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

using namespace mlir;
using namespace shardir;

namespace {
TileChoice choose(linalg::LinalgOp op, const GpuTarget &target) {
  // Two warpgroups; 48 KiB, 32 KiB and 24 KiB per stage.
  TilePlan plans[] = {
      {128, 256, 64, 8, 1, 4}, {128, 128, 64, 8, 1, 4}, {128, 64, 64, 8, 1, 4}};
  Multiplicand multiplicand = multiplicandOf(op);
  for (TilePlan &plan : plans)
    plan = planFor(plan, multiplicand);
  return chooseTiles(op, plans, target, [&](const TilePlan &plan) {
    // What a step's barrier and fences cost shows the more the less there is to
    // multiply.
    double efficiency = plan.bn == 256 ? 0.75 : plan.bn == 128 ? 0.65 : 0.5;
    return target.matrixFlops * rateOf(multiplicand) * efficiency;
  });
}

class WgmmaMatmul : public Schedule {
public:
  StringRef name() const override { return "wgmma_matmul"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto contraction = dyn_cast<linalg::LinalgOp>(op);
    if (!contraction || !(target.isHost() || target.hasWarpgroupMma()) ||
        !isTileable(contraction))
      return std::nullopt;
    Multiplicand multiplicand = multiplicandOf(contraction);
    if (multiplicand == Multiplicand::None ||
        multiplicand == Multiplicand::Byte)
      return std::nullopt;
    TileChoice choice = choose(contraction, target);
    Estimate estimate;
    estimate.seconds = target.isHost() ? 1 : choice.seconds;
    estimate.reason = describeTiles(contraction, "wgmma", choice.plan);
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto contraction = cast<linalg::LinalgOp>(op);
    return emitTiles(rewriter, contraction, choose(contraction, target).plan,
                     emitWgmmaKernel);
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createWgmmaMatmulSchedule() {
  return std::make_unique<WgmmaMatmul>();
}
