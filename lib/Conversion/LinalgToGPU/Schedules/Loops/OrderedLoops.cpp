//===- OrderedLoops.cpp - Steps in order within a block -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes marked loop nests in which some loop must run in order and each of its
// steps holds parallel loops: a sorting network, a stencil in place, windows
// that overlap. A block runs the steps, its threads share what is parallel in
// one, and a barrier stands between what writes and what reads. Independent
// loops around it become blocks. In place of a launch per step (host_loop) a
// step costs a barrier or two and a trip to the second cache; steps that are
// large want more than one block.
//
// Every thread computes for itself the part of a step outside of its parallel
// loops and the first thread stores its results.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t mostThreads = 512, lanes = 32;
/// Of a parallel loop in a step: its barriers, and loads that wait for each
/// other.
constexpr double stepSeconds = 9e-7;
/// Bytes per second that one block loads from the L2 cache.
constexpr double blockBytesPerSecond = 6e10;

bool hasStores(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<memref::StoreOp>(nested) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isCounted(scf::ForOp loop) { return loop && loop.getNumResults() == 0; }

/// One op of a step, and how a block runs it.
enum class Part { Everyone, First, Shared, Ordered };

bool holdsShared(scf::ForOp loop);

Part partOf(Operation *op) {
  if (!hasStores(op))
    return Part::Everyone;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!isCounted(loop))
    return Part::First;
  if (auto nest = analyzeNest(loop); nest && !nest->parallel.empty())
    return Part::Shared;
  return holdsShared(loop) ? Part::Ordered : Part::First;
}

bool holdsShared(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->without_terminator(), [](Operation &op) {
    Part part = partOf(&op);
    return part == Part::Shared || part == Part::Ordered;
  });
}

/// Loops around the ordered one, of which each iteration is a block's, and that
/// one.
struct OrderedNest {
  SmallVector<scf::ForOp> blocks;
  scf::ForOp ordered;
};

std::optional<OrderedNest> matchOrdered(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!isCounted(loop) || !hasOneViewEach(op))
    return std::nullopt;
  OrderedNest nest;
  // All else in a loop around is arithmetic that each block does.
  while (isIndependent(loop, op) && nest.blocks.size() < 3) {
    scf::ForOp inner = onlyLoop(loop.getBody());
    if (!isCounted(inner))
      return std::nullopt;
    nest.blocks.push_back(loop);
    loop = inner;
  }
  // Their number must be known to the host.
  for (scf::ForOp outer : nest.blocks)
    if (!hasKnownBounds(outer, op))
      return std::nullopt;
  if (partOf(loop) != Part::Ordered)
    return std::nullopt;
  // Other threads need not see values that one thread stores and reads.
  WalkResult plain = loop->walk([&](Operation *nested) {
    bool results = nested != loop && nested->getNumRegions() != 0 &&
                   nested->getNumResults() != 0 && hasStores(nested);
    return results ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (plain.wasInterrupted())
    return std::nullopt;
  nest.ordered = loop;
  return nest;
}

/// The most iterations that a block's threads share at a time.
double widest(scf::ForOp loop) {
  double most = 1;
  for (Operation &op : loop.getBody()->without_terminator()) {
    Part part = partOf(&op);
    if (part == Part::Shared)
      most = std::max(most, analyzeNest(&op)->parallelTrips());
    else if (part == Part::Ordered)
      most = std::max(most, widest(cast<scf::ForOp>(op)));
  }
  return most;
}

/// Of one block.
double secondsOf(scf::ForOp loop, double threads) {
  double seconds = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    Part part = partOf(&op);
    if (part == Part::Ordered)
      seconds += secondsOf(cast<scf::ForOp>(op), threads);
    if (part == Part::First)
      seconds += stepSeconds * std::max(countAccesses(&op) / 2, 1.0);
    if (part != Part::Shared)
      continue;
    auto nest = analyzeNest(&op);
    double turns = std::ceil(nest->parallelTrips() / threads);
    seconds += std::max(stepSeconds * turns,
                        nest->accesses() * 4 / blockBytesPerSecond);
  }
  return assumedTrips(loop) * seconds;
}

/// Changes the nest where it stands, in the body of its launch.
class OrderedEmitter {
public:
  OrderedEmitter(KernelEmitter &emit, int64_t threads)
      : emit(emit), builder(emit.rewriter), threads(threads) {}

  void run(OrderedNest &nest) {
    for (auto [dim, loop] : llvm::enumerate(nest.blocks)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop);
      share(loop, emit.block(dim),
            gpu::GridDimOp::create(builder, emit.loc, gpu::Dimension(dim))
                .getResult());
    }
    // Blocks may have several of the iterations around, one after the other:
    // each step ends at a barrier.
    runSteps(nest.ordered);
  }

private:
  /// `loop` in steps of `count` iterations, from number `first` on.
  void share(scf::ForOp loop, Index first, Index count) {
    Type type = loop.getInductionVar().getType();
    auto cast = [&](Index index) -> Value {
      Value value = emit.value(index);
      if (type.isIndex())
        return value;
      return arith::IndexCastOp::create(builder, emit.loc, type, value);
    };
    Value step = loop.getStep();
    Value offset = arith::MulIOp::create(builder, emit.loc, cast(first), step);
    emit.rewriter.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(arith::AddIOp::create(builder, emit.loc,
                                               loop.getLowerBound(), offset));
      loop.setStep(arith::MulIOp::create(builder, emit.loc, cast(count), step));
    });
  }

  void shareAmongThreads(Operation *op) {
    SmallVector<scf::ForOp> loops = analyzeNest(op)->parallel;
    OpBuilder::InsertionGuard guard(builder);
    // Neighbours along the last dim; warps, or all, along the one with most.
    scf::ForOp last = loops.pop_back_val();
    scf::ForOp other;
    for (scf::ForOp loop : loops)
      if (!other || assumedTrips(loop) > assumedTrips(other))
        other = loop;
    bool alone = !other || assumedTrips(last) >= threads;
    builder.setInsertionPoint(last);
    share(last, alone ? emit.thread() : emit.rem(emit.thread(), lanes),
          emit.constant(alone ? threads : lanes));
    if (alone)
      return;
    builder.setInsertionPoint(other);
    share(other, emit.div(emit.thread(), lanes),
          emit.constant(threads / lanes));
  }

  void runSteps(scf::ForOp loop) {
    bool wrote = false, read = false;
    auto meet = [&](Operation *before) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(before);
      gpu::BarrierOp::create(builder, emit.loc);
      wrote = read = false;
    };
    for (Operation &op :
         llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
      Part part = partOf(&op);
      bool reads = op.walk([](memref::LoadOp) {
                       return WalkResult::interrupt();
                     }).wasInterrupted();
      if (part == Part::Everyone) {
        if (reads && wrote)
          meet(&op);
        read |= reads;
        continue;
      }
      if (wrote || read)
        meet(&op);
      wrote = part != Part::Ordered;
      if (part == Part::Ordered) {
        runSteps(cast<scf::ForOp>(op));
      } else if (part == Part::Shared) {
        shareAmongThreads(&op);
      } else {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(&op);
        emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
          emit.rewriter.moveOpBefore(&op, builder.getInsertionBlock(),
                                     builder.getInsertionPoint());
        });
      }
    }
    meet(loop.getBody()->getTerminator());
  }

  KernelEmitter &emit;
  OpBuilder &builder;
  int64_t threads;
};

class OrderedLoops : public Schedule {
public:
  StringRef name() const override { return "ordered_loops"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto nest = matchOrdered(op);
    if (!nest)
      return std::nullopt;
    double blocks = 1;
    for (scf::ForOp loop : nest->blocks)
      blocks *= assumedTrips(loop);
    int64_t threads = threadsFor(*nest);
    double resident = double(target.multiprocessors) *
                      std::max<int64_t>(target.threads / threads / 2, 1);
    Estimate estimate;
    estimate.seconds =
        target.launchSeconds +
        std::max(std::ceil(blocks / resident) *
                     secondsOf(nest->ordered, double(threads)),
                 countAccesses(op) * 4 / (2 * target.copyBytesPerSecond));
    llvm::raw_string_ostream out(estimate.reason);
    out << "steps in order in a block of " << threads << " threads";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    OrderedNest nest = *matchOrdered(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emit(rewriter, op);
    op->removeAttr(ShardIRDialect::kKernel);
    int64_t threads = threadsFor(nest);
    SmallVector<Index> grid;
    for (auto [dim, loop] : llvm::enumerate(nest.blocks)) {
      // Blocks take several where the grid has no more room.
      Index trips = tripsOf(emit, loop);
      grid.push_back(dim == 0 ? trips : emit.min(trips, emit.constant(65535)));
    }
    emit.launch("ordered", grid, threads, 0, [&] {
      rewriter.moveOpBefore(op, rewriter.getInsertionBlock(),
                            rewriter.getInsertionPoint());
      OrderedEmitter(emit, threads).run(nest);
    });
    return success();
  }

private:
  static int64_t threadsFor(OrderedNest nest) {
    auto wanted = int64_t(std::min(widest(nest.ordered), double(mostThreads)));
    return std::max(ceilDivide(wanted, lanes), int64_t(1)) * lanes;
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createOrderedLoopsSchedule() {
  return std::make_unique<OrderedLoops>();
}
