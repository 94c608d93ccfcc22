//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to redistributed. Applies the patterns of Patterns.h,
// which lower the cost of redistributions, to a fixed point or to a bound on
// rounds.
//
//===----------------------------------------------------------------------===//

#include "BalanceRanks.h"
#include "SimplifyPatterns.h"
#include "UseRegions.h"

#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/Redistribute/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/DebugLog.h"

namespace shardir {
#define GEN_PASS_DEF_SIMPLIFYREDISTRIBUTE
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// The patterns, with costs that several sets may share.
static void addPatterns(RewritePatternSet &patterns,
                        const std::shared_ptr<MoveCosts> &costs,
                        const std::shared_ptr<MemoryBudget> &budget,
                        const RedistributePatternOptions &options);

bool MemoryBudget::fits(func::FuncOp function, int64_t more) {
  auto known = peaks.find(function);
  // The values taken since need not all be alive at the peak.
  if (!inRounds || known == peaks.end() ||
      (known->second.taken &&
       known->second.bytes + known->second.taken + more > limit)) {
    peaks[function] = {peakMemory(function, meshes).bytes, 0};
    known = peaks.find(function);
  }
  return known->second.bytes + known->second.taken + more <= limit;
}

bool MemoryBudget::take(func::FuncOp function, int64_t more) {
  if (limit <= 0 || more == 0)
    return true;
  if (!fits(function, more))
    return false;
  peaks[function].taken += more;
  return true;
}

namespace {

/// redistribute A to A is its operand.
struct DropSame : OpRewritePattern<RedistributeOp> {
  DropSame(MLIRContext *context, const MeshTable &meshes)
      : OpRewritePattern(context, /*benefit=*/4), meshes(meshes) {}
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(op) ||
        !samePlacement(op.getFrom(), op.getTo(),
                       cast<RankedTensorType>(op.getType()), meshes))
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
  const MeshTable &meshes;
};

/// A to B to C is A to C, where B is used by this alone and no constraint
/// requests it: then the reduction of a partial happens once, and straight into
/// its target.
struct CollapseChain : OpRewritePattern<RedistributeOp> {
  CollapseChain(MLIRContext *context, const MeshTable &meshes)
      : OpRewritePattern(context, /*benefit=*/3), meshes(meshes) {}
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<RedistributeOp>();
    if (!inner || !isPlain(inner) || !isPlain(op) || isConstrained(inner) ||
        !inner->hasOneUse() || inner->getBlock() != op->getBlock())
      return failure();
    restartFrom(rewriter, op, inner.getInput(), inner.getFrom());
    rewriter.eraseOp(inner);
    return success();
  }
  const MeshTable &meshes;
};

/// Hoists a redistribution that shrinks the shard to its operand's definition:
/// unreduced gradients do not stay alive until the end of the program.
struct ShrinkEarly : OpRewritePattern<RedistributeOp> {
  ShrinkEarly(MLIRContext *context, std::shared_ptr<MoveCosts> costs)
      : OpRewritePattern(context, /*benefit=*/0), costs(std::move(costs)) {}
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    const MeshTable &meshes = costs->meshTable();
    Operation *producer = op.getInput().getDefiningOp();
    if (!isPlain(op) || !producer || producer->getBlock() != op->getBlock() ||
        op->getPrevNode() == producer || !op.getInput().hasOneUse() ||
        !grows(op.getTo(), op.getFrom(), op.getType(), meshes))
      return failure();
    // A local slice frees nothing: it is a view.
    auto cost =
        costs->get(normalize(op.getFrom(), op.getType(), meshes),
                   normalize(op.getTo(), op.getType(), meshes), op.getType());
    if (!cost || !cost->collectives)
      return failure();
    rewriter.moveOpAfter(op, producer);
    return success();
  }
  std::shared_ptr<MoveCosts> costs;
};

/// The value in front of the loop that `value` equals in every iteration:
/// itself, if it is defined there, or the initial value of an iteration
/// argument that is yielded unchanged. Null if it changes.
static Value valueBefore(ShardableRegionOpInterface loop, Value value) {
  if (cast<LoopLikeOpInterface>(*loop).isDefinedOutsideOfLoop(value))
    return value;
  SmallVector<RegionValueGroup> groups = loop.getValueGroups();
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<void *, 8> seen = {value.getAsOpaquePointer()};
  Value initial;
  while (!worklist.empty()) {
    Value argument = worklist.pop_back_val();
    if (!isa<BlockArgument>(argument) ||
        argument.getParentBlock()->getParentOp() != loop)
      return nullptr;
    const RegionValueGroup *own =
        llvm::find_if(groups, [&](const RegionValueGroup &group) {
          return llvm::is_contained(group.values, argument);
        });
    if (own == groups.end())
      return nullptr;
    for (OpOperand *operand : own->operands) {
      Value from = operand->get();
      if (operand->getOwner() != loop) {
        if (seen.insert(from.getAsOpaquePointer()).second)
          worklist.push_back(from);
      } else if (!initial || initial == from) {
        initial = from;
      } else {
        return nullptr;
      }
    }
  }
  return initial;
}

/// The ops that compute `value` in each iteration from what does not change
/// there, producers first; false if something else takes part, or too many.
static bool findInvariant(ShardableRegionOpInterface loop, Value value,
                          llvm::SetVector<Operation *> &ops) {
  static constexpr size_t kMost = 16;
  if (valueBefore(loop, value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != loop || ops.size() > kMost || !isPure(op))
    return false;
  if (ops.contains(op))
    return true;
  auto isBefore = [&](Value operand) {
    return findInvariant(loop, operand, ops);
  };
  if (!llvm::all_of(op->getOperands(), isBefore))
    return false;
  // Values that regions capture are not replaced.
  llvm::SetVector<Value> inside;
  getUsedValuesDefinedAbove(op->getRegions(), inside);
  if (!llvm::all_of(inside, [&](Value read) {
        return isa<BlockArgument>(read)
                   ? cast<LoopLikeOpInterface>(*loop).isDefinedOutsideOfLoop(
                         read)
                   : isBefore(read);
      }))
    return false;
  ops.insert(op);
  return true;
}

/// Hoists loop-invariant redistributions in front of the loop, with the
/// invariant ops that compute their operands, where memory allows to keep the
/// results (R11).
struct HoistInvariant : OpRewritePattern<RedistributeOp> {
  HoistInvariant(MLIRContext *context, std::shared_ptr<MoveCosts> costs,
                 std::shared_ptr<MemoryBudget> budget)
      : OpRewritePattern(context, /*benefit=*/5), costs(std::move(costs)),
        budget(std::move(budget)) {}
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp());
    auto region = asShardableRegion(loop);
    if (!region || region.getTripCount(*op->getParentRegion()) == 0)
      return failure();
    // A window may move from one iteration to the next.
    if (!llvm::all_of(op.getDims(), [&](Value number) {
          return loop.isDefinedOutsideOfLoop(number);
        }))
      return failure();
    llvm::SetVector<Operation *> computed;
    if (!valueBefore(region, op.getInput())) {
      std::optional<MoveCost> cost =
          costs->get(op.getFrom(), op.getTo(), op.getType());
      if (!cost || cost->bytes == 0 ||
          !findInvariant(region, op.getInput(), computed))
        return failure();
    }
    const MeshTable &meshes = costs->meshTable();
    int64_t more = localBytes(op.getType(), op.getTo(), meshes);
    for (Operation *own : computed)
      for (Value result : own->getResults())
        if (PlacementAttr placement = getPlacement(result))
          more += localBytes(cast<RankedTensorType>(result.getType()),
                             placement, meshes);
    if (!budget->take(op->getParentOfType<func::FuncOp>(), more))
      return failure();
    for (Operation *own : computed) {
      rewriter.modifyOpInPlace(own, [&] {
        for (OpOperand &operand : own->getOpOperands())
          if (Value before = valueBefore(region, operand.get()))
            operand.set(before);
      });
      rewriter.moveOpBefore(own, loop);
    }
    Value before = valueBefore(region, op.getInput());
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().set(before); });
    rewriter.moveOpBefore(op, loop);
    return success();
  }
  std::shared_ptr<MoveCosts> costs;
  std::shared_ptr<MemoryBudget> budget;
};

struct SimplifyRedistributePass
    : shardir::impl::SimplifyRedistributeBase<SimplifyRedistributePass> {
  using SimplifyRedistributeBase::SimplifyRedistributeBase;
  SimplifyRedistributePass(
      SimplifyRedistributeOptions options,
      std::shared_ptr<const PropagationCostModel> costModel)
      : SimplifyRedistributeBase(std::move(options)),
        costModel(std::move(costModel)) {}

  void runOnOperation() override {
    if (stageOf(getOperation()) >= Stage::Local)
      return;
    if (cost != "bytes" && cost != "time") {
      getOperation().emitError()
          << "option cost " << mustBeOneOf({"time", "bytes"}, cost);
      return signalPassFailure();
    }
    MeshTable meshes(getOperation());
    RedistributePatternOptions options;
    options.mode = cost == "bytes" ? CostMode::Bytes : CostMode::Time;
    // A second gather receives the same bytes again.
    options.shareGathers = shareGathers || cost == "bytes";
    options.memoryLimit = memoryLimit;
    // Whether it pays to move one redistribution of a value depends on what the
    // others share with it.
    bool changedAny = false;
    // Plans by others' costs are not for other passes.
    auto costs = std::make_shared<MoveCosts>(
        meshes, options.mode,
        costModel ? nullptr : &getAnalysis<RedistributionPlans>().plans,
        costModel);
    auto budget = std::make_shared<MemoryBudget>(meshes, memoryLimit);
    for (bool moves : {false, true}) {
      options.moveAcrossOps = moves;
      RewritePatternSet patterns(&getContext());
      addPatterns(patterns, costs, budget, options);
      FrozenRewritePatternSet frozen(std::move(patterns));
      for (auto function : getOperation().getOps<FunctionOpInterface>())
        changedAny |=
            moves && options.mode == CostMode::Bytes && !costModel
                ? simplifyIfFewerBytes(function, frozen, *budget, meshes)
                : simplify(function, frozen, *budget);
    }
    if (!changedAny)
      return markAllAnalysesPreserved();
    shareProvenance(getOperation());
    if (mergeEqual)
      mergeEqualOps(getOperation());
  }

  /// Patterns compare sums of the bytes of each redistribution's busiest rank.
  /// Keeps their result unless the rank that receives most in all then receives
  /// more.
  static bool simplifyIfFewerBytes(FunctionOpInterface function,
                                   const FrozenRewritePatternSet &patterns,
                                   MemoryBudget &budget,
                                   const MeshTable &meshes) {
    auto received = [&] {
      SmallVector<RedistributeOp> ops;
      function.walk([&](RedistributeOp op) { ops.push_back(op); });
      PlanOptions options;
      options.mode = CostMode::Bytes;
      return balanceRanks(ops, meshes, options).received;
    };
    std::optional<int64_t> before = received();
    OwningOpRef<FunctionOpInterface> copy = function.clone();
    if (!simplify(function, patterns, budget))
      return false;
    if (std::optional<int64_t> after = received();
        !before || !after || *after <= *before)
      return true;
    function.getFunctionBody().takeBody((*copy).getFunctionBody());
    return false;
  }

  /// One function alone, so that the bounds on effort are its own.
  static bool simplify(FunctionOpInterface function,
                       const FrozenRewritePatternSet &patterns,
                       MemoryBudget &budget) {
    // A rewrite can be what another one waits for, so rounds are repeated; each
    // lowers the cost, and few are needed.
    static constexpr int kMaxRounds = 8;
    bool changedAny = false;
    for (int round = 0; round < kMaxRounds; ++round) {
      // Other ops are not this pass's business: no folding, no dead code.
      SmallVector<Operation *> ops;
      function.walk([&](RedistributeOp op) { ops.push_back(op); });
      if (ops.empty())
        break;
      budget.startRound();
      LDBG("shardir-simplify-redistribute")
          << "@" << function.getName() << ", round " << round << ": "
          << ops.size() << " redistributions";
      GreedyRewriteConfig config;
      config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
      config.setMaxNumRewrites(64 + 16 * int64_t(ops.size()));
      bool changed = false;
      // The bound is one on effort: what is there when it is reached is right.
      (void)applyOpPatternsGreedily(ops, patterns, config, &changed);
      if (!changed)
        break;
      changedAny = true;
    }
    return changedAny;
  }

  std::shared_ptr<const PropagationCostModel> costModel; ///< null: the default
};

} // namespace

std::unique_ptr<Pass> shardir::createSimplifyRedistribute(
    SimplifyRedistributeOptions options,
    std::shared_ptr<const PropagationCostModel> costModel) {
  return std::make_unique<SimplifyRedistributePass>(std::move(options),
                                                    std::move(costModel));
}

static void addPatterns(RewritePatternSet &patterns,
                        const std::shared_ptr<MoveCosts> &costs,
                        const std::shared_ptr<MemoryBudget> &budget,
                        const RedistributePatternOptions &options) {
  const MeshTable &meshes = costs->meshTable();
  patterns.add<DropSame, CollapseChain>(patterns.getContext(), meshes);
  patterns.add<ShrinkEarly>(patterns.getContext(), costs);
  patterns.add<HoistInvariant>(patterns.getContext(), costs, budget);
  addSharePatterns(patterns, costs, budget, options);
  if (options.moveAcrossOps)
    addMovePatterns(patterns, costs, budget, options);
}

void shardir::populateSimplifyRedistributePatterns(
    RewritePatternSet &patterns, const MeshTable &meshes,
    const RedistributePatternOptions &options) {
  addPatterns(patterns,
              std::make_shared<MoveCosts>(meshes, options.mode,
                                          /*plans=*/nullptr, options.costModel),
              std::make_shared<MemoryBudget>(meshes, options.memoryLimit),
              options);
}
