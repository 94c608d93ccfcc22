//===- ParallelLoops.cpp - Loop nests over elements, in parallel ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes loop nests that shardir-place-on-gpu has marked, where some loop's
// iterations touch different elements of what the nest writes (ScalarNest.h). A
// thread per iteration of those loops runs the rest of the nest in order, so
// that results are those of the nest in sequence, bit by bit. Neighbouring
// threads have neighbouring elements of the written buffer's last dim.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"

using namespace mlir;
using namespace shardir;

namespace {
/// One dependent access of device memory, in seconds.
constexpr double loadLatency = 5e-7;
constexpr int64_t threadsPerBlock = 256;

class ParallelLoops : public Schedule {
public:
  StringRef name() const override { return "parallel_loops"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto nest = analyzeNest(op);
    if (!nest || nest->parallel.empty())
      return std::nullopt;
    double threads = std::max(nest->parallelTrips(), 1.0);
    double accesses = nest->accesses();
    double resident = double(target.multiprocessors) * target.threads;
    double waves = std::ceil(threads / resident);
    Estimate estimate;
    estimate.seconds = target.launchSeconds +
                       std::max(accesses * 4 / target.copyBytesPerSecond,
                                waves * accesses / threads * loadLatency);
    llvm::raw_string_ostream out(estimate.reason);
    out << "a thread per iteration of " << nest->parallel.size()
        << (nest->parallel.size() == 1 ? " independent loop"
                                       : " independent loops");
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    ScalarNest nest = *analyzeNest(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emit(rewriter, op);
    SmallVector<Index> extents;
    for (scf::ForOp loop : nest.parallel)
      extents.push_back(tripsOf(emit, loop));
    op->removeAttr(ShardIRDialect::kKernel);
    emit.launchOver("loops", extents, threadsPerBlock,
                    [&](Index, ArrayRef<Index> at) {
                      IRMapping mapping;
                      cloneAt(emit, op, mapping, nest.parallel, at);
                    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createParallelLoopsSchedule() {
  return std::make_unique<ParallelLoops>();
}
