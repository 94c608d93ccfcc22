//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to collective. Plans each redistribution
// (Placement/RedistributePlan.h) and materialises the plan. Guarantees that no
// `shardir.redistribute` is left.
//
//===----------------------------------------------------------------------===//

#include "BalanceRanks.h"
#include "Utils.h"

#include "ShardIR/Analysis/ManualAxes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Propagation/CostModel.h"
#include "ShardIR/Transforms/Patterns.h"
#include "ShardIR/Transforms/Redistribute/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/Support/DebugLog.h"

namespace shardir {
#define GEN_PASS_DEF_REDISTRIBUTETOCOLLECTIVES
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

std::variant<CrossMeshPlan, PlacementError>
shardir::planOf(RedistributeOp op, const MeshTable &meshes,
                PlanOptions options) {
  options.elementBytes = elementBytes(op.getType());
  Mesh from = meshes.get(op.getFrom()), to = meshes.get(op.getTo());
  // Along a manual axis every device has a tensor of its own, as if it were
  // alone there.
  if (auto manual = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kManualAxes)) {
    if (!(from == to))
      return PlacementError{"leads to another mesh inside of a manual region",
                            ""};
    for (auto axis : manual.getAsRange<StringAttr>())
      if (int index = from.axisIndex(axis.str()); index >= 0)
        from.axes[index].size = from.axes[index].assumed = 1;
    from.devices.clear();
    to = from;
    options.deviceWeights.clear();
  }
  return planRedistribute(op.getFrom().getValue(), from, op.getTo().getValue(),
                          to, shapeOf(op.getType()), readHalo(op.getHaloAttr()),
                          options);
}

/// Says along which axes operands vary, where manual regions were.
static void markManual(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    ManualAxes varying(function);
    if (!varying.any())
      continue;
    function.walk([&](RedistributeOp op) {
      SmallVector<StringRef> axes;
      for (const std::string &axis : varying.of(op.getInput()))
        axes.push_back(axis);
      if (!axes.empty())
        op->setAttr(ShardIRDialect::kManualAxes,
                    Builder(op).getStrArrayAttr(axes));
    });
  }
}

std::string shardir::explainNoPlan(RedistributeOp op, const MeshTable &meshes) {
  auto plan = planOf(op, meshes, {});
  auto *error = std::get_if<PlacementError>(&plan);
  return error ? error->message : "";
}

/// Gives equal steps of one block the reason of the first, so that they are
/// merged although they are for different users; not those that gather again
/// for another region.
static void shareReasons(ModuleOp module) {
  module.walk([](Block *block) {
    llvm::DenseMap<std::pair<Value, Attribute>, Operation *> known;
    for (Operation &op : *block) {
      if (!isa<collective::CollectiveOpInterface>(op))
        continue;
      NamedAttrList attributes(op.getAttrs());
      auto own = dyn_cast_or_null<ReasonAttr>(attributes.erase("reason"));
      attributes.set("region",
                     Builder(op.getContext())
                         .getI64IntegerAttr(own ? own.getRegion() : 0));
      attributes.set("name", op.getName().getIdentifier());
      auto [first, isNew] = known.try_emplace(
          {op.getOperand(0), attributes.getDictionary(op.getContext())}, &op);
      if (Attribute reason = first->second->getAttr("reason"); !isNew && reason)
        op.setAttr("reason", reason);
    }
  });
}

namespace {

struct MaterializePlan : OpRewritePattern<RedistributeOp> {
  MaterializePlan(MLIRContext *context, const MeshTable &meshes,
                  const PlanOptions &options)
      : OpRewritePattern(context), meshes(meshes), options(options) {}
  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    auto result = planOf(op, meshes, options);
    if (auto *error = std::get_if<PlacementError>(&result))
      return rewriter.notifyMatchFailure(op, error->message);
    Value value = op.getInput();
    auto attr = [&](PlacementAttr side, const Placement &placement) {
      return PlacementAttr::get(op.getContext(), side.getMesh(), placement);
    };
    const auto &plan = std::get<CrossMeshPlan>(result);
    Halo halos = readHalo(op.getHaloAttr());
    // Of the open windows those that a step has.
    auto windowsOf = [&](const Halo &halo) {
      SmallVector<Value> windows;
      for (size_t dim = 0, next = 0; dim < halos.size(); ++dim) {
        if (dim < halo.size() && halo[dim].isOpen)
          llvm::append_range(windows, op.getDims().slice(next, 2));
        next += halos[dim].isOpen ? 2 : 0;
      }
      return windows;
    };
    for (auto [i, step] : llvm::enumerate(plan.steps))
      value = collective::createStep(
          rewriter, op.getLoc(), step.kind, value,
          attr(i <= plan.crossing ? op.getFrom() : op.getTo(), step.from),
          attr(i < plan.crossing ? op.getFrom() : op.getTo(), step.to),
          op.getReasonAttr(), haloAttr(op.getContext(), step.halo),
          windowsOf(step.halo));
    rewriter.replaceOp(op, value);
    return success();
  }
  const MeshTable &meshes;
  const PlanOptions options;
};

struct RedistributeToCollectivesPass
    : shardir::impl::RedistributeToCollectivesBase<
          RedistributeToCollectivesPass> {
  using RedistributeToCollectivesBase::RedistributeToCollectivesBase;
  RedistributeToCollectivesPass(
      RedistributeToCollectivesOptions options,
      std::shared_ptr<const PropagationCostModel> costModel)
      : RedistributeToCollectivesBase(std::move(options)),
        costModel(std::move(costModel)) {}

  void runOnOperation() override {
    if (cost != "bytes" && cost != "time") {
      getOperation().emitError()
          << "option cost " << mustBeOneOf({"time", "bytes"}, cost);
      return signalPassFailure();
    }
    markManual(getOperation());
    MeshTable meshes(getOperation());
    // One change of placement is often wanted many times. Plans by others'
    // costs are not for other passes.
    PlanCache own;
    PlanOptions options;
    options.mode = cost == "bytes" ? CostMode::Bytes : CostMode::Time;
    options.cache =
        costModel ? &own : &getAnalysis<RedistributionPlans>().plans;
    options.stepCost = stepCostBy(costModel);
    bool changed = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      FailureOr<bool> rewrote = materializePlans(function, meshes, options);
      if (failed(rewrote))
        return signalPassFailure();
      changed |= *rewrote;
    }
    if (!changed)
      return markAllAnalysesPreserved();
    // Equal steps would run once, and are to be counted once.
    if (mergeEqual) {
      shareReasons(getOperation());
      mergeEqualOps(getOperation());
    }
  }

  /// Returns whether there was a redistribution.
  FailureOr<bool> materializePlans(FunctionOpInterface function,
                                   const MeshTable &meshes,
                                   PlanOptions options) {
    // Other ops are many, and no pattern is about them.
    SmallVector<RedistributeOp> ops;
    function.walk([&](RedistributeOp op) { ops.push_back(op); });
    if (ops.empty())
      return false;
    if (options.mode == CostMode::Bytes && !costModel)
      options.deviceWeights = balanceRanks(ops, meshes, options).weights;
    RewritePatternSet patterns(&getContext());
    populateRedistributeToCollectivesPatterns(patterns, meshes, options);
    FrozenRewritePatternSet frozen(std::move(patterns));
    PatternApplicator applicator(frozen);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(&getContext());
    numPlanned += ops.size();
    for (RedistributeOp op : ops) {
      LDBG("shardir-redistribute-to-collectives")
          << op.getFrom() << " to " << op.getTo() << " of " << op.getType();
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter)))
        return op.emitOpError() << explainNoPlan(op, meshes);
    }
    return true;
  }

  std::shared_ptr<const PropagationCostModel> costModel; ///< null: the default
};

} // namespace

std::unique_ptr<Pass> shardir::createRedistributeToCollectives(
    RedistributeToCollectivesOptions options,
    std::shared_ptr<const PropagationCostModel> costModel) {
  return std::make_unique<RedistributeToCollectivesPass>(std::move(options),
                                                         std::move(costModel));
}

void shardir::populateRedistributeToCollectivesPatterns(
    RewritePatternSet &patterns, const MeshTable &meshes,
    const PlanOptions &options) {
  patterns.add<MaterializePlan>(patterns.getContext(), meshes, options);
}
