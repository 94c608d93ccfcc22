//===- MmaMatmul.cpp - Contractions by tiles in shared memory -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes sums of products of floats, with any batch, row, column and reduction
// dims in any order (Contraction.h), from sm_80 on. Products of two bf16 or f16
// operands go to mma.sync, others to fused multiply-adds in full precision. The
// fill of zeros before and the elementwise op behind run in the same kernel.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

using namespace mlir;
using namespace shardir;

namespace {
/// The tile of least predicted time.
TileChoice choose(linalg::LinalgOp op, const GpuTarget &target) {
  bool matrix = suitsMatrixUnits(op);
  bool wide = getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF64();
  SmallVector<TilePlan> plans;
  if (matrix) {
    plans = {{128, 128, 32, 2, 2, 4},
             {64, 128, 32, 2, 2, 4},
             {64, 64, 32, 2, 2, 4},
             {32, 64, 32, 2, 2, 4}};
  } else {
    // Sixteen by sixteen threads.
    plans = {{64, 64, 16, 4, 2, 3}};
    if (!wide)
      plans.insert(plans.begin(), TilePlan{128, 128, 8, 4, 2, 3});
  }
  // mma.sync reaches about half of what the units can do.
  double flops = matrix ? 0.5 * target.matrixFlops
                        : 0.7 * target.scalarFlops * (wide ? 0.5 : 1);
  return chooseTiles(op, plans, target, [&](const TilePlan &plan) {
    // Smaller tiles read shared memory more often per product.
    return flops * (0.55 + 0.45 * (plan.bm * plan.bn) / (128.0 * 128.0));
  });
}

class MmaMatmul : public Schedule {
public:
  StringRef name() const override { return "mma_matmul"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto contraction = dyn_cast<linalg::LinalgOp>(op);
    if (!contraction || !(target.isHost() || target.hasAsyncCopy()) ||
        !isTileable(contraction))
      return std::nullopt;
    TileChoice choice = choose(contraction, target);
    Estimate estimate;
    estimate.seconds = choice.seconds;
    estimate.reason = describeTiles(
        contraction, suitsMatrixUnits(contraction) ? "mma.sync" : "fma",
        choice.plan);
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto contraction = cast<linalg::LinalgOp>(op);
    return emitTiles(rewriter, contraction, choose(contraction, target).plan,
                     suitsMatrixUnits(contraction) ? emitMmaKernel
                                                   : emitFmaKernel);
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createMmaMatmulSchedule() {
  return std::make_unique<MmaMatmul>();
}
