//===- Scan.cpp - Values carried from iteration to iteration --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes marked loop nests whose innermost loop carries one scalar that each
// iteration combines with something of its own (a running sum, product or
// extremum), all else being independent. A block per iteration of the loops
// around it walks along the loop in chunks of 1024: a thread combines four
// neighbours, the threads' totals are scanned in shared memory (Kogge and
// Stone), and the body runs with the value so far put in place. The order is
// decided by the extent alone (X3); sums of floats are associated otherwise
// than in sequence.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t threads = 256, perThread = 4, chunk = threads * perThread;
/// Of a chunk: loads, sixteen barriers, stores.
constexpr double chunkSeconds = 2.5e-6;

struct ScanNest {
  /// From the outside inwards; the last one carries.
  SmallVector<scf::ForOp> outer;
  scf::ForOp loop;
  /// Combines the value so far with `term`; its result is what is yielded.
  Operation *combine = nullptr;
  Value term;
  TypedAttr identity;
};

bool isCombination(Operation *op) {
  return op &&
         isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

bool dependsOn(Value value, Value on, Block *within) {
  if (value == on)
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == within &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, on, within);
         });
}

std::optional<ScanNest> matchScan(Operation *nest) {
  ScanNest scan;
  bool known = true;
  nest->walk([&](Operation *op) {
    if (op->getNumRegions() == 0 || op == nest) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getNumResults())
        known = false;
      return;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    known &= bool(loop);
    if (loop && loop.getNumResults() == 1) {
      known &= !scan.loop;
      scan.loop = loop;
    } else if (loop && loop.getNumResults() > 1) {
      known = false;
    }
  });
  if (!known || !scan.loop)
    return std::nullopt;
  unsigned loops = 0;
  nest->walk([&](scf::ForOp) { ++loops; });
  for (Operation *op = scan.loop->getParentOp();; op = op->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      scan.outer.insert(scan.outer.begin(), loop);
    if (op == nest)
      break;
  }
  if (scan.outer.size() + 1 != loops)
    return std::nullopt;
  auto isInvariant = [&](Value value) {
    return getConstantIntValue(value) ||
           !nest->isAncestor(value.getParentBlock()->getParentOp());
  };
  SmallVector<scf::ForOp> all = scan.outer;
  all.push_back(scan.loop);
  for (scf::ForOp loop : all)
    if (!isInvariant(loop.getLowerBound()) ||
        !isInvariant(loop.getUpperBound()) || !isInvariant(loop.getStep()) ||
        !isIndependent(loop, nest))
      return std::nullopt;

  // The value so far and the term.
  Block *body = scan.loop.getBody();
  BlockArgument carried = scan.loop.getRegionIterArg(0);
  scan.combine = scan.loop.getYieldedValues()[0].getDefiningOp();
  if (!isCombination(scan.combine) || scan.combine->getBlock() != body ||
      !carried.getType().isIntOrFloat())
    return std::nullopt;
  Value a = scan.combine->getOperand(0), b = scan.combine->getOperand(1);
  if (a != carried && b != carried)
    return std::nullopt;
  scan.term = a == carried ? b : a;
  if (dependsOn(scan.term, carried, body))
    return std::nullopt;
  auto identity = arith::getNeutralElement(scan.combine);
  if (!identity)
    return std::nullopt;
  scan.identity = *identity;
  // What is behind the loop runs once, what is before it in every thread.
  for (scf::ForOp loop : scan.outer)
    for (Operation &op : loop.getBody()->without_terminator())
      if (isa<memref::StoreOp>(op) && op.getBlock() != scan.loop->getBlock())
        return std::nullopt;
  for (Operation &op : *scan.loop->getBlock())
    if (isa<memref::StoreOp>(op) && op.isBeforeInBlock(scan.loop))
      return std::nullopt;
  // A load behind the loop could read what other threads write.
  for (Operation *op = scan.loop->getNextNode(); op; op = op->getNextNode())
    if (isa<memref::LoadOp>(op))
      return std::nullopt;
  return scan;
}

class ScanEmitter {
public:
  ScanEmitter(KernelEmitter &emit, ScanNest &scan)
      : emit(emit), scan(scan), type(scan.loop.getResult(0).getType()) {}

  void run() {
    SmallVector<Index> extents;
    Index rows = emit.constant(1);
    for (scf::ForOp loop : scan.outer) {
      extents.push_back(tripsOf(emit, loop));
      rows = emit.mul(rows, extents.back());
    }
    trips = tripsOf(emit, scan.loop);
    SharedLayout layout;
    int64_t offset = layout.take(threads * elementBytes(type));
    emit.launch("scan", {rows}, threads, layout.bytes, [&] {
      totals = emit.shared(type, threads, offset);
      IRMapping mapping;
      SmallVector<Index> at = emit.decode(emit.block(0), extents);
      for (auto [loop, iv] : llvm::zip(scan.outer, at)) {
        mapping.map(loop.getInductionVar(), inductionAt(emit, loop, iv));
        if (loop.getBody() != scan.loop->getBlock())
          for (Operation &op : loop.getBody()->without_terminator())
            if (op.getNumRegions() == 0)
              emit.builder.clone(op, mapping);
      }
      for (Operation &op : *scan.loop->getBlock()) {
        if (&op == scan.loop)
          break;
        emit.builder.clone(op, mapping);
      }
      Value first = mapping.lookupOrDefault(scan.loop.getInitArgs()[0]);
      Value all = emit.loop(emit.constant(0), trips, emit.constant(chunk),
                            {first}, [&](Index from, ValueRange carried) {
                              return SmallVector<Value>{
                                  step(from, carried[0], mapping)};
                            })[0];
      mapping.map(scan.loop.getResult(0), all);
      emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
        for (Operation *op = scan.loop->getNextNode();
             op != scan.loop->getBlock()->getTerminator();
             op = op->getNextNode())
          emit.builder.clone(*op, mapping);
      });
    });
  }

private:
  Value combine(Value a, Value b) {
    return emit.builder
        .create(emit.loc, scan.combine->getName().getIdentifier(),
                ValueRange{a, b}, {type}, scan.combine->getAttrs())
        ->getResult(0);
  }
  Value neutral() {
    return arith::ConstantOp::create(emit.builder, emit.loc, scan.identity);
  }
  Value load(Value at) {
    return memref::LoadOp::create(emit.builder, emit.loc, totals, at);
  }

  /// What `compute` gives where `condition` holds, else the identity.
  Value computeIf(Value condition, function_ref<Value()> compute) {
    OpBuilder &builder = emit.builder;
    auto branch = scf::IfOp::create(builder, emit.loc, type, condition, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, emit.loc, compute());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, emit.loc, neutral());
    return branch.getResult(0);
  }

  void cloneSlice(Value value, IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != scan.loop.getBody() || mapping.contains(value))
      return;
    for (Value operand : op->getOperands())
      cloneSlice(operand, mapping);
    emit.builder.clone(*op, mapping);
  }

  IRMapping startIteration(Index number, const IRMapping &around) {
    IRMapping mapping = around;
    mapping.map(scan.loop.getInductionVar(),
                inductionAt(emit, scan.loop, number));
    return mapping;
  }

  /// One chunk; the value so far behind it.
  Value step(Index from, Value before, const IRMapping &around) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Index mine = emit.add(from, emit.mul(emit.thread(), perThread));
    SmallVector<Value> exists, terms, sums;
    for (int64_t i = 0; i < perThread; ++i) {
      Index number = emit.add(mine, emit.constant(i));
      exists.push_back(emit.lessThan(number, trips));
      terms.push_back(computeIf(exists.back(), [&] {
        IRMapping mapping = startIteration(number, around);
        cloneSlice(scan.term, mapping);
        return mapping.lookupOrDefault(scan.term);
      }));
      sums.push_back(i == 0 ? terms[0] : combine(sums.back(), terms[i]));
    }
    Value own = emit.value(emit.thread());
    Value total = sums.back();
    memref::StoreOp::create(builder, loc, total, totals, own);
    emit.barrier();
    for (int64_t distance = 1; distance < threads; distance *= 2) {
      Value far = emit.lessThan(emit.constant(distance - 1), emit.thread());
      Value other = computeIf(far, [&] {
        return load(
            emit.value(emit.sub(emit.thread(), emit.constant(distance))));
      });
      emit.barrier();
      total = combine(other, total);
      memref::StoreOp::create(builder, loc, total, totals, own);
      emit.barrier();
    }
    Value some = emit.lessThan(emit.constant(0), emit.thread());
    Value earlier = computeIf(some, [&] {
      return load(emit.value(emit.sub(emit.thread(), emit.constant(1))));
    });
    Value all = load(emit.value(emit.constant(threads - 1)));
    emit.barrier();
    Value start = combine(before, earlier);
    for (int64_t i = 0; i < perThread; ++i) {
      emit.branch(exists[i], [&] {
        IRMapping mapping =
            startIteration(emit.add(mine, emit.constant(i)), around);
        Value so = i == 0 ? start : combine(start, sums[i - 1]);
        mapping.map(scan.loop.getRegionIterArg(0), so);
        mapping.map(scan.term, terms[i]);
        mapping.map(scan.combine->getResult(0), combine(so, terms[i]));
        for (Operation &op : scan.loop.getBody()->without_terminator())
          if (&op != scan.combine && &op != scan.term.getDefiningOp())
            emit.builder.clone(op, mapping);
      });
    }
    return combine(before, all);
  }

  KernelEmitter &emit;
  ScanNest &scan;
  Type type;
  Index trips;
  Value totals;
};

class Scan : public Schedule {
public:
  StringRef name() const override { return "scan"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    if (!isa<scf::ForOp, scf::ExecuteRegionOp>(op))
      return std::nullopt;
    auto scan = matchScan(op);
    if (!scan)
      return std::nullopt;
    double rows = 1;
    for (scf::ForOp loop : scan->outer)
      rows *= assumedTrips(loop);
    double chunks = std::ceil(assumedTrips(scan->loop) / chunk);
    // Eight blocks of a multiprocessor wait at the same time.
    double waves = std::ceil(rows / (8.0 * target.multiprocessors));
    Estimate estimate;
    estimate.seconds =
        target.launchSeconds +
        std::max(countAccesses(op) * 4 / target.copyBytesPerSecond,
                 waves * chunks * chunkSeconds);
    estimate.reason = "a block per row, chunks of 1024";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    ScanNest scan = *matchScan(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    op->removeAttr(ShardIRDialect::kKernel);
    ScanEmitter(emitter, scan).run();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createScanSchedule() {
  return std::make_unique<Scan>();
}
