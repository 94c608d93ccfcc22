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
struct Choice {
  TilePlan plan;
  double seconds = 0;
};

/// The tile of least predicted time.
Choice choose(linalg::LinalgOp op, const GpuTarget &target) {
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
  Choice best;
  for (const TilePlan &plan : plans) {
    // Smaller tiles read shared memory more often per product.
    double efficiency = 0.55 + 0.45 * (plan.bm * plan.bn) / (128.0 * 128.0);
    double seconds = predictTiles(op, plan, flops * efficiency, target);
    if (best.seconds == 0 || seconds < best.seconds)
      best = {plan, seconds};
  }
  return best;
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
    Choice choice = choose(contraction, target);
    ContractionNeighbours neighbours = findNeighbours(contraction);
    Estimate estimate;
    estimate.seconds = choice.seconds;
    llvm::raw_string_ostream out(estimate.reason);
    out << (suitsMatrixUnits(contraction) ? "mma.sync" : "fma") << ", tile "
        << choice.plan.bm << "x" << choice.plan.bn << "x" << choice.plan.bk
        << ", " << choice.plan.stages << " stages";
    if (neighbours.map)
      out << ", elementwise op behind it fused";
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
