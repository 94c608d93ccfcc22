//===- WarpgroupMatmul.cpp - Contractions by warpgroups -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three schedules take products of two bf16, f16, f8E4M3FN or f8E5M2 operands,
// and of f32 where they may be rounded to tf32, and multiply by wgmma on sm_90a
// and tcgen05 on sm_100a, which run at the full rate of the matrix units where
// mma.sync has about half of it or less. On the emulated GPU they are never
// cheapest: tests force them by name.
//
// wgmma_matmul: any shape and strides; tiles come by cp.async, so that neither
// alignment nor edges matter.
//
// ws_gemm: blocks that stay, fed by the copy engine; addresses must suit tensor
// maps: a contiguous dim that is a row or column dim or the reduction's, the
// reduction's alone unless elements have 16 bits; everything else at multiples
// of 16 bytes, at most five dims. Where that is not known, the host tests it
// before the launch and falls back to wgmma_matmul's kernel.
//
// tcgen05_gemm: the same on sm_100a, where that is known.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "OperandCopies.h"
#include "ScaledProduct.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Tiles of 128 rows and 256, 128 or 64 columns, or of 64 and 128, in blocks of
/// eight warps and those that feed them.
struct WarpgroupKernel {
  StringRef name, units;
  bool (*runsOn)(const GpuTarget &target);
  /// By width of the tile: steps in shared memory, and the part of the matrix
  /// units' rate that is reached.
  int64_t stages[3];
  double efficiency[3];
  /// By tensor maps, in as many blocks as there are multiprocessors.
  bool isFedByTensorMaps;
  /// Whether another kernel is there where addresses turn out not to suit.
  bool hasOther;
  /// Of tiles of 256 rows by pairs of blocks, but for the narrowest.
  double efficiencyOfPairs[2];
  /// Of tiles of 64 x 128, whose steps the warpgroups share; 0 for none.
  double efficiencyOfSharedSteps;
  KernelOfTiles emit;
};
constexpr int64_t widths[] = {256, 128, 64};
constexpr int64_t stagesOfPairs[] = {6, 8};

/// True if rows of tiles are pairs for sure: C has as many rows.
bool hasPairsOfRows(linalg::LinalgOp op, int64_t rows) {
  TrialEmitter trial(op);
  FailureOr<Contraction> contraction = matchContraction(op, trial.emit);
  if (failed(contraction) || contraction->m < 0)
    return false;
  auto extent = LoopEmitter::known(contraction->extents[contraction->m]);
  return extent && *extent % rows == 0;
}

class WarpgroupMatmul : public Schedule {
public:
  explicit WarpgroupMatmul(const WarpgroupKernel &kernel) : kernel(kernel) {}

  StringRef name() const override { return kernel.name; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto contraction = dyn_cast<linalg::LinalgOp>(op);
    if (!contraction || !kernel.runsOn(target))
      return std::nullopt;
    bool scaled = takesScales() && contraction->hasAttr(kScaledProduct);
    if (!scaled && !isTileable(contraction))
      return std::nullopt;
    Multiplicand multiplicand = multiplicandOf(contraction);
    if (multiplicand == Multiplicand::None ||
        multiplicand == Multiplicand::Byte)
      return std::nullopt;
    TileChoice choice = choose(contraction, target);
    Condition suits{true, {}};
    if (kernel.isFedByTensorMaps)
      suits = suitsTensorMaps(contraction, choice.plan);
    if (suits.never() || (!suits.always() && (scaled || !kernel.hasOther)))
      return std::nullopt;
    if (scaled && !haveStepsOneScale(contraction, choice.plan.bk))
      return std::nullopt;
    Estimate estimate =
        estimateOfTiles(contraction, kernel.units, choice, target);
    if (target.isHost())
      estimate.seconds = 1;
    if (!suits.always())
      estimate.reason += ", where addresses are aligned";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto contraction = cast<linalg::LinalgOp>(op);
    return emitTiles(rewriter, contraction, choose(contraction, target).plan,
                     kernel.emit);
  }

private:
  bool takesScales() const { return kernel.emit == emitWarpSpecializedKernel; }

  TileChoice choose(linalg::LinalgOp op, const GpuTarget &target) const {
    Multiplicand multiplicand = multiplicandOf(op);
    SmallVector<TilePlan> plans;
    for (auto [width, stages] : llvm::zip(widths, kernel.stages))
      plans.push_back(
          planFor(TilePlan{128, width, 64, 8, 1, stages}, multiplicand));
    if (kernel.efficiencyOfPairs[0] > 0)
      for (auto [width, stages] : llvm::zip(widths, stagesOfPairs)) {
        TilePlan plan{256, width, 64, 8, 1, stages};
        plan.pair = 2;
        plans.push_back(planFor(plan, multiplicand));
      }
    bool scaled = op->hasAttr(kScaledProduct);
    if (kernel.efficiencyOfSharedSteps > 0 && !scaled) {
      TilePlan plan{64, 128, 64, 8, 1, 6};
      plan.kGroups = 2;
      // The emulation on the host has no clusters.
      plan.sharesB = !target.isHost() && hasPairsOfRows(op, 2 * plan.bm);
      // Where copies take longer than products it is no slower than the last.
      plans.insert(plans.end() - 1, planFor(plan, multiplicand));
    }
    if (scaled) {
      // Registers hold a step's sums beside all sums; operands are as they are.
      constexpr int64_t mostColumns = 128;
      llvm::erase_if(
          plans, [](const TilePlan &plan) { return plan.bn > mostColumns; });
    } else {
      plans = withOperandCopies(op, plans);
    }
    // The copy engine knows aligned rows alone.
    if (kernel.isFedByTensorMaps &&
        llvm::any_of(plans, [](const TilePlan &plan) {
          return plan.copied[0] || plan.copied[1];
        }))
      llvm::erase_if(plans, [](const TilePlan &plan) {
        return plan.byElements[0] || plan.byElements[1];
      });
    auto flopsOf = [&](const TilePlan &plan) {
      auto number = size_t(llvm::find(widths, plan.bn) - std::begin(widths));
      double efficiency = plan.pair == 2      ? kernel.efficiencyOfPairs[number]
                          : plan.kGroups == 2 ? kernel.efficiencyOfSharedSteps
                                              : kernel.efficiency[number];
      // A warpgroup scales a step's sums before it multiplies again.
      if (scaled)
        efficiency *= 0.75;
      return target.matrixFlops * rateOf(multiplicand) * efficiency;
    };
    // Where addresses are sure to suit.
    auto suits = [&](const TilePlan &plan) {
      return !plan.byElements[0] && !plan.byElements[1] &&
             suitsTensorMaps(op, plan).always();
    };
    if (kernel.isFedByTensorMaps && !target.isHost() && !scaled) {
      // The second block of a pair does not wait for its own rows of A.
      SmallVector<TilePlan> single;
      llvm::copy_if(plans, std::back_inserter(single),
                    [](const TilePlan &plan) {
                      return plan.pair == 1 && plan.kGroups == 1;
                    });
      for (unsigned input : {0u, 1u})
        if (std::optional<TileChoice> grouped = chooseGroupedTiles(
                op, input, name(), single, target, flopsOf, suits))
          return *grouped;
    }
    return chooseTiles(op, name(), plans, target, flopsOf);
  }

  const WarpgroupKernel &kernel;
};

bool hasWarpgroupMma(const GpuTarget &target) {
  return target.isHost() || target.hasWarpgroupMma();
}
bool hasTensorMemory(const GpuTarget &target) {
  return target.hasTensorMemory();
}

/// The cost of a step's barrier and fences matters more the less there is to
/// multiply. 48 KiB, 32 KiB and 24 KiB per stage.
constexpr WarpgroupKernel copies = {"wgmma_matmul",
                                    "wgmma",
                                    hasWarpgroupMma,
                                    {4, 4, 4},
                                    {0.75, 0.65, 0.5},
                                    false,
                                    true,
                                    {},
                                    0,
                                    emitWgmmaKernel};
/// 192 KiB of stages. Shared memory is read and written for 1, 1.25 and 1.75
/// times as long as the units multiply; where warpgroups share the steps 1.5
/// times. The first three were measured on an H200.
constexpr WarpgroupKernel maps = {"ws_gemm",
                                  "TMA and wgmma",
                                  hasWarpgroupMma,
                                  {4, 6, 8},
                                  {0.82, 0.82, 0.6},
                                  true,
                                  true,
                                  {},
                                  0.7,
                                  emitWarpSpecializedKernel};
/// Shared memory is written and read for 1.5 times as long as the units
/// multiply; by pairs, which share B, as long.
constexpr WarpgroupKernel tensors = {"tcgen05_gemm",
                                     "TMA and tcgen05",
                                     hasTensorMemory,
                                     {4, 6, 8},
                                     {0.65, 0.5, 0.35},
                                     true,
                                     false,
                                     {0.85, 0.7},
                                     0,
                                     emitTensorMemoryKernel};
} // namespace

std::unique_ptr<Schedule> shardir::createWgmmaMatmulSchedule() {
  return std::make_unique<WarpgroupMatmul>(copies);
}

std::unique_ptr<Schedule> shardir::createWsGemmSchedule() {
  return std::make_unique<WarpgroupMatmul>(maps);
}

std::unique_ptr<Schedule> shardir::createTensorMemoryGemmSchedule() {
  return std::make_unique<WarpgroupMatmul>(tensors);
}
