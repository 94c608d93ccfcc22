//===- HostLoop.cpp - Loop nests step by step -----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes marked loop nests whose outermost loop must run in order and holds
// loops that are parallel in each of its iterations: steps of a sorting
// network, of a stencil in place, of a recurrence over rows. The outermost loop
// stays on the host, which needs no value from the device for it, and each loop
// in it becomes kernels by the schedule that is best for it.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"

using namespace mlir;
using namespace shardir;

namespace {
/// The best schedule for the nest `child` by itself.
std::pair<const Schedule *, Estimate> bestFor(scf::ForOp child,
                                              const GpuTarget &target) {
  std::pair<const Schedule *, Estimate> best = {nullptr, {}};
  for (const std::unique_ptr<Schedule> &schedule : allSchedules()) {
    auto estimate = schedule->match(child, target);
    if (estimate && (!best.first || estimate->seconds < best.second.seconds))
      best = {schedule.get(), *estimate};
  }
  return best;
}

class HostLoop : public Schedule {
public:
  StringRef name() const override { return "host_loop"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || loop.getNumResults() != 0)
      return std::nullopt;
    SmallVector<scf::ForOp> children = childrenOf(loop);
    if (children.empty())
      return std::nullopt;
    double seconds = 0;
    for (scf::ForOp child : children) {
      auto [schedule, estimate] = bestFor(child, target);
      if (!schedule)
        return std::nullopt;
      seconds += estimate.seconds;
    }
    Estimate estimate;
    estimate.seconds = assumedTrips(loop) * seconds;
    llvm::raw_string_ostream out(estimate.reason);
    out << children.size() << (children.size() == 1 ? " nest" : " nests")
        << " of kernels per iteration";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    op->removeAttr(ShardIRDialect::kKernel);
    for (scf::ForOp child : childrenOf(cast<scf::ForOp>(op))) {
      auto [schedule, estimate] = bestFor(child, target);
      child->setAttr(ShardIRDialect::kKernel, rewriter.getUnitAttr());
      if (failed(schedule->emit(rewriter, child, target)))
        return failure();
    }
    return success();
  }

private:
  /// The loops in `loop`, where all else in it is arithmetic of the host.
  static SmallVector<scf::ForOp> childrenOf(scf::ForOp loop) {
    SmallVector<scf::ForOp> children;
    for (Operation &op : loop.getBody()->without_terminator()) {
      auto child = dyn_cast<scf::ForOp>(op);
      if (child && child.getNumResults() == 0)
        children.push_back(child);
      else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
        return {};
    }
    return children;
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createHostLoopSchedule() {
  return std::make_unique<HostLoop>();
}
