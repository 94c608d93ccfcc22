//===- WsGemm.cpp - Contractions by blocks that stay ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes products of two bf16 or f16 operands on sm_90a, of 8-bit floats, and of
// f32 rounded to tf32 where that is asked for, whose addresses suit tensor
// maps: a contiguous dim that is a row or column dim or the reduction's, the
// reduction's alone unless elements have 16 bits; everything else at multiples
// of 16 bytes, at most five dims. Where that is not known, the host tests it
// before the launch and falls back to wgmma_matmul's kernel. On the emulated
// GPU it is never cheapest: tests ask for it by name.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

using namespace mlir;
using namespace shardir;

namespace {
TileChoice choose(linalg::LinalgOp op, const GpuTarget &target) {
  // Two warpgroups that multiply; 192 KiB of stages.
  TilePlan plans[] = {
      {128, 256, 64, 8, 1, 4}, {128, 128, 64, 8, 1, 6}, {128, 64, 64, 8, 1, 8}};
  Multiplicand multiplicand = multiplicandOf(op);
  for (TilePlan &plan : plans)
    plan = planFor(plan, multiplicand);
  TileChoice choice = chooseTiles(op, plans, target, [&](const TilePlan &plan) {
    // Of a narrow tile every column of A is read for fewer products.
    double efficiency = plan.bn == 256 ? 0.85 : plan.bn == 128 ? 0.75 : 0.6;
    return target.matrixFlops * rateOf(multiplicand) * efficiency;
  });
  // One block has most of a multiprocessor's shared memory. The emulated GPU
  // says that it has two: more would leave blocks one tile.
  choice.plan.blocks = target.isHost() ? 2 : target.multiprocessors;
  return choice;
}

class WsGemm : public Schedule {
public:
  StringRef name() const override { return "ws_gemm"; }

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
    Condition suits =
        suitsTensorMaps(contraction, planFor(TilePlan(), multiplicand));
    if (suits.never())
      return std::nullopt;
    TileChoice choice = choose(contraction, target);
    Estimate estimate;
    estimate.seconds = target.isHost() ? 1 : choice.seconds;
    estimate.reason = describeTiles(contraction, "TMA and wgmma", choice.plan);
    if (!suits.always())
      estimate.reason += ", where addresses are aligned";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto contraction = cast<linalg::LinalgOp>(op);
    return emitTiles(rewriter, contraction, choose(contraction, target).plan,
                     emitWsKernel);
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createWsGemmSchedule() {
  return std::make_unique<WsGemm>();
}
