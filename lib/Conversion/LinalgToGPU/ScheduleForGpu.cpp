//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized, behind shardir-place-on-gpu. Requires linalg ops and
// marked loop nests on device memory in host code; guarantees gpu.launch ops in
// their place. Decides nothing by itself: schedules say what they cost, the
// least predicted time wins, less a launch for each other op that a schedule
// computes too; the registry's order breaks ties.
//
//===----------------------------------------------------------------------===//

#include "Common/PlanOption.h"
#include "Schedules/Contraction/ContractionKernel.h"
#include "Schedules/Contraction/ScaledProduct.h"

#include "ShardIR/Conversion/Attention/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Placement/NearestName.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace shardir {
#define GEN_PASS_DEF_SCHEDULEFORGPU
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct Choice {
  const Schedule *schedule = nullptr;
  Estimate estimate;
};

/// Follows what schedules do besides replacing the op they are called on. New
/// ops may take an erased one's address, but none of them waits to be
/// scheduled.
struct Changes : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa<gpu::LaunchOp, kernel::LibraryMatmulOp, kernel::LibraryAttentionOp>(
            op))
      launches.insert(op);
  }
  void notifyOperationErased(Operation *op) override {
    erased.insert(op);
    launches.remove(op);
  }
  llvm::DenseSet<Operation *> erased;
  llvm::SetVector<Operation *> launches; ///< of one schedule
};

struct ScheduleForGpuPass
    : shardir::impl::ScheduleForGpuBase<ScheduleForGpuPass> {
  using ScheduleForGpuBase::ScheduleForGpuBase;

  /// Reads the table once for all functions.
  LogicalResult initialize(MLIRContext *context) override {
    std::string error;
    if (!kernelTimes.empty() &&
        !(times = KernelTimes::read(kernelTimes, arch,
                                    /*hasPredictions=*/true, error)))
      return emitError(UnknownLoc::get(context), "option kernel-times: ")
             << error;
    return success();
  }

  void runOnOperation() override {
    std::optional<GpuTarget> target = GpuTarget::get(arch);
    if (!target) {
      getOperation().emitError("option arch ")
          << mustBeOneOf(GpuTarget::known(), arch);
      return signalPassFailure();
    }
    std::vector<std::string> schedules = gpuScheduleNames();
    if (!schedule.empty() && !llvm::is_contained(schedules, schedule)) {
      getOperation().emitError("option schedule ")
          << mustBeOneOf(schedules, schedule);
      return signalPassFailure();
    }
    for (const std::string &name : library)
      if (!llvm::is_contained(gpuLibraryNames(), name)) {
        getOperation().emitError("option library ")
            << mustBeOneOf(gpuLibraryNames(), name);
        return signalPassFailure();
      }
    target->times = times;
    if (auto module = getOperation()->getParentOfType<ModuleOp>();
        !target->isHost() && module->hasAttr(ShardIRDialect::kMachine))
      target->use(getMachine(module).rates);
    FailureOr<DictionaryAttr> forced = parsePlan();
    if (failed(forced))
      return signalPassFailure();
    splitRefilledBuffers();
    decomposeRest(*target);
    widenProducts(*target);
    joinScaledProducts(*target);
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::LaunchOp>(op))
        return WalkResult::skip();
      if (!isScheduled(op))
        return WalkResult::advance();
      ops.push_back(op);
      return WalkResult::skip();
    });
    // Ops that can fuse their neighbours go first: attention and products, then
    // other reductions in program order, as a chain over rows grows from its
    // first reduction.
    auto rank = [](Operation *op) {
      if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp>(op))
        return 0;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
        return 2;
      return isTileable(linalgOp) ? 0 : 1;
    };
    llvm::stable_sort(
        ops, [&](Operation *a, Operation *b) { return rank(a) < rank(b); });
    if (tf32)
      for (Operation *op : ops)
        op->setAttr(kReadsTf32, UnitAttr::get(&getContext()));
    if (!library.empty()) {
      SmallVector<StringRef> names(library.begin(), library.end());
      ArrayAttr libraries = Builder(&getContext()).getStrArrayAttr(names);
      for (Operation *op : ops)
        op->setAttr(kByLibrary, libraries);
    }
    if (!forced->empty())
      for (Operation *op : ops)
        op->setAttr(kForcedPlan, *forced);
    Changes changes;
    IRRewriter rewriter(&getContext(), &changes);
    for (Operation *op : ops) {
      if (changes.erased.contains(op))
        continue;
      std::vector<Choice> choices = choicesFor(op, *target);
      if (choices.empty()) {
        op->emitOpError("has no schedule for the GPU");
        return signalPassFailure();
      }
      for (const Choice &each : choices)
        LDBG("shardir-schedule-for-gpu")
            << op->getName() << " by " << each.schedule->name() << ": "
            << each.estimate.seconds << " s";
      if (explain)
        remark(op, choices);
      DictionaryAttr choice = toAttribute(op, choices.front());
      std::string shape = describeShape(op);
      Block *block = op->getBlock();
      changes.launches.clear();
      if (failed(choices.front().schedule->emit(rewriter, op, *target)))
        return signalPassFailure();
      // The estimate is of all launches together, those in loops included.
      auto isOutside = [&](Operation *launch) {
        return launch->getBlock() == block;
      };
      double shares =
          std::max<double>(1, llvm::count_if(changes.launches, isOutside));
      for (Operation *launch : changes.launches) {
        launch->setAttr(ShardIRDialect::kSchedule, choice);
        launch->setAttr(ShardIRDialect::kLaunchSeconds,
                        rewriter.getF64FloatAttr(
                            isOutside(launch)
                                ? choices.front().estimate.seconds / shares
                                : 0));
        if (auto name =
                launch->getAttrOfType<StringAttr>(ShardIRDialect::kKernel))
          launch->setAttr(ShardIRDialect::kKernel,
                          rewriter.getStringAttr(name.getValue() + shape));
      }
    }
  }

  /// The option `plan` as a dictionary.
  FailureOr<DictionaryAttr> parsePlan() {
    NamedAttrList numbers;
    Builder builder(&getContext());
    if (failed(shardir::parsePlan(
            plan,
            {"tile_m", "tile_n", "tile_k", "tile_v", "warps", "stages",
             "splits", "copies", "kernels", "threads_per_row", "fused_operand"},
            [&] { return getOperation().emitError(); },
            [&](StringRef name, int64_t number) {
              numbers.set(name, builder.getI64IntegerAttr(number));
            })))
      return failure();
    return numbers.getDictionary(&getContext());
  }

  /// A fill that overwrites a buffer gets an allocation of its own:
  /// bufferization uses one for the maxima and for the sums of a softmax, which
  /// a chain over rows could not tell apart. The old one is freed first, so
  /// that no more memory is in use at one time.
  void splitRefilledBuffers() {
    SmallVector<memref::AllocOp> allocs;
    getOperation().walk([&](memref::AllocOp op) { allocs.push_back(op); });
    for (memref::AllocOp alloc : allocs) {
      SmallVector<Operation *> users(alloc->getUsers());
      if (!llvm::all_of(users, [&](Operation *user) {
            return user->getBlock() == alloc->getBlock() &&
                   isa<linalg::LinalgOp, memref::DeallocOp>(user);
          }))
        continue;
      llvm::sort(users, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      users.erase(llvm::unique(users), users.end());
      Value now = alloc;
      for (Operation *user : users) {
        auto fill = dyn_cast<linalg::FillOp>(user);
        if (fill && user != users.front()) {
          OpBuilder builder(fill);
          memref::DeallocOp::create(builder, fill.getLoc(), now);
          now = builder.clone(*alloc)->getResult(0);
        }
        user->replaceUsesOfWith(alloc, now);
      }
    }
  }

  /// Decomposes ops of ours that no schedule accepts into linalg ops.
  void decomposeRest(const GpuTarget &target) {
    SmallVector<Operation *> rest;
    getOperation().walk([&](Operation *op) {
      if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp>(op) &&
          isScheduled(op) && choicesFor(op, target).empty())
        rest.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : rest) {
      if (explain)
        emitRemark(op->getLoc())
            << op->getName().getStringRef()
            << " is decomposed: no schedule takes it as it is";
      if (auto attention = dyn_cast<kernel::AttentionOp>(op))
        decomposeAttention(rewriter, attention);
      else
        decomposeAttentionBackward(rewriter,
                                   cast<kernel::AttentionBackwardOp>(op));
    }
  }

  /// On sm_90a a kernel scales sums of blocks of 8-bit floats in registers.
  void joinScaledProducts(const GpuTarget &target) {
    if (!target.hasWarpgroupMma())
      return;
    std::unique_ptr<Schedule> kernels = createWsGemmSchedule();
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : float8Products())
      joinScaledProduct(rewriter, op, [&](linalg::LinalgOp joined) {
        return kernels->match(joined, target).has_value();
      });
  }

  SmallVector<linalg::LinalgOp> float8Products() {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isTileable(op) && multiplicandOf(op) == Multiplicand::Float8)
        products.push_back(op);
    });
    return products;
  }

  /// Before sm_89 matrix units have no 8-bit floats.
  void widenProducts(const GpuTarget &target) {
    if (target.isHost() || target.hasFloat8Mma())
      return;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : float8Products())
      widenFloat8(rewriter, op);
  }

  static bool isScheduled(Operation *op) {
    if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp>(op))
      return op->getNumResults() == 0;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return linalgOp.hasPureBufferSemantics();
    if (isa<scf::ForallOp, scf::ParallelOp>(op))
      return op->getNumResults() == 0;
    return op->hasAttr(ShardIRDialect::kKernel);
  }

  /// The schedules that match, best first.
  std::vector<Choice> choicesFor(Operation *op, const GpuTarget &target) {
    std::vector<Choice> choices;
    for (const std::unique_ptr<Schedule> &candidate : allSchedules())
      if (std::optional<Estimate> estimate = candidate->match(op, target)) {
        estimate->seconds =
            correctedSeconds(op, candidate->name(), estimate->plan,
                             estimate->seconds, target, estimate->beside);
        choices.push_back({candidate.get(), *estimate});
      }
    std::stable_sort(
        choices.begin(), choices.end(), [&](const Choice &a, const Choice &b) {
          auto isForced = [&](const Choice &choice) {
            StringRef name = choice.schedule->name();
            return name == schedule || llvm::is_contained(library, name);
          };
          if (isForced(a) != isForced(b))
            return isForced(a);
          auto seconds = [&](const Estimate &estimate) {
            return estimate.seconds - estimate.saved -
                   double(estimate.fused) * target.launchSeconds;
          };
          return seconds(a.estimate) < seconds(b.estimate);
        });
    return choices;
  }

  /// The end of a kernel's name: the extents of a linalg op's loops, or the
  /// shape of an attention's queries, and the type of the first operand:
  /// `_64x4096x512_bf16`. `n` is an extent that is not known.
  static std::string describeShape(Operation *op) {
    SmallVector<int64_t> extents;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      extents = linalgOp.getStaticLoopRanges();
    else if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp>(op))
      extents.assign(cast<MemRefType>(op->getOperand(0).getType()).getShape());
    else
      return "";
    std::string text;
    llvm::raw_string_ostream out(text);
    for (int64_t extent : extents) {
      out << (text.empty() ? "_" : "x");
      if (ShapedType::isDynamic(extent))
        out << "n";
      else
        out << extent;
    }
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    if (element.isIntOrFloat())
      out << "_" << elementTypeName(element);
    return text;
  }

  /// The fields of a kernel in the report that the schedule decides.
  static DictionaryAttr toAttribute(Operation *op, const Choice &choice) {
    Builder builder(op->getContext());
    SmallVector<NamedAttribute> plan;
    for (auto [name, number] : choice.estimate.plan)
      plan.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(number)));
    auto text = [&](StringRef name, StringRef value) {
      return builder.getNamedAttr(name, builder.getStringAttr(value));
    };
    return builder.getDictionaryAttr(
        {text("op", op->getName().getStringRef()),
         text("problem", problemOf(op, choice.estimate.beside)),
         text("schedule", choice.schedule->name()),
         text("reason", choice.estimate.reason),
         builder.getNamedAttr("plan", builder.getDictionaryAttr(plan)),
         builder.getNamedAttr("predicted_ns",
                              builder.getI64IntegerAttr(std::llround(
                                  choice.estimate.seconds * 1e9)))});
  }

  static std::string describe(const Choice &choice) {
    std::string text =
        llvm::formatv("{0} ({1}), {2:f1} us predicted", choice.schedule->name(),
                      choice.estimate.reason, choice.estimate.seconds * 1e6);
    if (choice.estimate.fused > 0)
      text += llvm::formatv(" with {0} op{1} beside it", choice.estimate.fused,
                            choice.estimate.fused > 1 ? "s" : "");
    return text;
  }

  static void remark(Operation *op, const std::vector<Choice> &choices) {
    InFlightDiagnostic diag = emitRemark(op->getLoc())
                              << op->getName().getStringRef()
                              << " is scheduled by " << describe(choices[0]);
    if (choices.size() > 1)
      diag << "; next best is " << describe(choices[1]);
  }

  std::shared_ptr<const KernelTimes> times;
};

} // namespace
