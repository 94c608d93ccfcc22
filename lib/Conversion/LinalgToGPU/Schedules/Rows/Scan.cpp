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
// Stone), and the body runs with the value so far put in place. A few long rows
// are shared by several blocks: a kernel before gives what each part of a row
// comes to, and a block begins with what the parts before its own come to. The
// order is decided by the extents and the target alone (X3); sums of floats are
// associated otherwise than in sequence.
//
//===----------------------------------------------------------------------===//

#include "../Loops/ScalarNest.h"

#include "ShardIR/Analysis/Combiners.h"
#include "ShardIR/Interfaces/PartialIdentity.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t threads = 256, perThread = 4, chunk = threads * perThread;
/// Of a chunk: loads, sixteen barriers, stores.
constexpr double chunkSeconds = 2.5e-6;
/// Of a row: each block combines what the parts before its own come to.
constexpr int64_t mostParts = 128;

struct ScanNest {
  /// From the outside inwards; the last one carries.
  SmallVector<scf::ForOp> outer;
  scf::ForOp loop;
  /// Combines the value so far with `term`; its result is what is yielded.
  Operation *combine = nullptr;
  Value term;
  TypedAttr identity;
};

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
  SmallVector<scf::ForOp> all = scan.outer;
  all.push_back(scan.loop);
  for (scf::ForOp loop : all)
    if (!hasKnownBounds(loop, nest) || !isIndependent(loop, nest))
      return std::nullopt;

  // The value so far and the term.
  Block *body = scan.loop.getBody();
  BlockArgument carried = scan.loop.getRegionIterArg(0);
  scan.combine = scan.loop.getYieldedValues()[0].getDefiningOp();
  if (!scan.combine || scan.combine->getBlock() != body ||
      !carried.getType().isIntOrFloat())
    return std::nullopt;
  std::optional<PartialKind> kind = combinerKind(scan.combine);
  if (!kind)
    return std::nullopt;
  Value a = scan.combine->getOperand(0), b = scan.combine->getOperand(1);
  if (a != carried && b != carried)
    return std::nullopt;
  scan.term = a == carried ? b : a;
  if (dependsOn(scan.term, carried, body))
    return std::nullopt;
  scan.identity = partialIdentity(carried.getType(), *kind);
  // Ops after the loop run once, ops before it in every thread.
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

  void run(int64_t parts) {
    Index rows = emit.constant(1);
    for (scf::ForOp loop : scan.outer) {
      extents.push_back(tripsOf(emit, loop));
      rows = emit.mul(rows, extents.back());
    }
    trips = tripsOf(emit, scan.loop);
    SharedLayout layout;
    int64_t offset = layout.take(threads * elementBytes(type));
    // The total of each part, by row.
    Value workspace;
    Index part = trips;
    if (parts > 1) {
      part = emit.roundUp(emit.ceilDiv(trips, parts), chunk);
      workspace = emit.workspace(type, emit.mul(rows, parts - 1));
      emit.launch("scan_parts", {rows, emit.constant(parts - 1)}, threads,
                  layout.bytes, [&] {
                    totals = emit.shared(type, threads, offset);
                    sumPart(workspace, part, parts);
                  });
    }
    emit.launch("scan", {rows, emit.constant(parts)}, threads, layout.bytes,
                [&] {
                  totals = emit.shared(type, threads, offset);
                  scanPart(workspace, part, parts);
                });
    if (workspace)
      memref::DeallocOp::create(emit.builder, emit.loc, workspace);
  }

private:
  /// The row's ivs, and what stands before the loop.
  IRMapping startRow() {
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
    return mapping;
  }

  /// Combines the terms of this block's part.
  void sumPart(Value workspace, Index part, int64_t parts) {
    IRMapping around = startRow();
    Index from = emit.mul(emit.block(1), part);
    Index to = emit.min(emit.add(from, part), trips);
    Value sum =
        emit.loop(emit.add(from, emit.thread()), to, emit.constant(threads),
                  {neutral()}, [&](Index number, ValueRange carried) {
                    IRMapping mapping = startIteration(number, around);
                    cloneSlice(scan.term, mapping);
                    return SmallVector<Value>{combine(
                        carried[0], mapping.lookupOrDefault(scan.term))};
                  })[0];
    Value own = emit.value(emit.thread());
    for (int64_t half = threads / 2; half > 0; half /= 2) {
      memref::StoreOp::create(emit.builder, emit.loc, sum, totals, own);
      emit.barrier();
      Value near = emit.lessThan(emit.thread(), emit.constant(half));
      Value other = computeIf(near, [&] {
        return load(emit.value(emit.add(emit.thread(), emit.constant(half))));
      });
      sum = combine(sum, other);
      emit.barrier();
    }
    emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
      memref::StoreOp::create(
          emit.builder, emit.loc, sum, workspace,
          emit.value(
              emit.add(emit.mul(emit.block(0), parts - 1), emit.block(1))));
    });
  }

  void scanPart(Value workspace, Index part, int64_t parts) {
    IRMapping mapping = startRow();
    Value first = mapping.lookupOrDefault(scan.loop.getInitArgs()[0]);
    Index from = emit.constant(0), to = trips;
    if (parts > 1) {
      from = emit.mul(emit.block(1), part);
      to = emit.min(emit.add(from, part), trips);
      Index row = emit.mul(emit.block(0), parts - 1);
      first = emit.loop(emit.constant(0), emit.block(1), emit.constant(1),
                        {first}, [&](Index before, ValueRange carried) {
                          Value total = memref::LoadOp::create(
                              emit.builder, emit.loc, workspace,
                              emit.value(emit.add(row, before)));
                          return SmallVector<Value>{combine(carried[0], total)};
                        })[0];
    }
    Value all =
        emit.loop(from, to, emit.constant(chunk), {first},
                  [&](Index at, ValueRange carried) {
                    return SmallVector<Value>{step(at, carried[0], mapping)};
                  })[0];
    mapping.map(scan.loop.getResult(0), all);
    Value isLast = emit.equal(emit.thread(), emit.constant(0));
    if (parts > 1)
      isLast = emit.both(isLast,
                         emit.equal(emit.block(1), emit.constant(parts - 1)));
    emit.branch(isLast, [&] {
      for (Operation *op = scan.loop->getNextNode();
           op != scan.loop->getBlock()->getTerminator(); op = op->getNextNode())
        emit.builder.clone(*op, mapping);
    });
  }

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

  /// The value of `compute` where `condition` holds, else the identity.
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
  SmallVector<Index> extents;
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
    int64_t parts = partsFor(*scan, target);
    // Eight blocks of a multiprocessor wait at the same time.
    double waves = std::ceil(rows * parts / (8.0 * target.multiprocessors));
    double bytes = countAccesses(op) * 4;
    Estimate estimate;
    estimate.seconds =
        target.launchSeconds * (parts > 1 ? 2 : 1) +
        std::max((parts > 1 ? 1.5 : 1) * bytes / target.copyBytesPerSecond,
                 waves * std::ceil(chunks / parts) * chunkSeconds *
                     (parts > 1 ? 1.3 : 1));
    llvm::raw_string_ostream out(estimate.reason);
    if (parts > 1)
      out << parts << " blocks per row, chunks of 1024";
    else
      out << "a block per row, chunks of 1024";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    ScanNest scan = *matchScan(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    op->removeAttr(ShardIRDialect::kKernel);
    ScanEmitter(emitter, scan).run(partsFor(scan, target));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Blocks that share a row: where rows do not fill the GPU, and only by what
  /// is known of them, so that sums are associated in one way (X3).
  static int64_t partsFor(const ScanNest &scan, const GpuTarget &target) {
    double rows = 1;
    for (scf::ForOp loop : scan.outer)
      rows *= assumedTrips(loop);
    double chunks = std::floor(assumedTrips(scan.loop) / chunk);
    double wanted = 4.0 * double(target.multiprocessors) / std::max(rows, 1.0);
    // Below that a second launch costs more than it saves.
    if (chunks < 4 || wanted < 2)
      return 1;
    return std::min<int64_t>({int64_t(chunks), int64_t(wanted), mostParts});
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createScanSchedule() {
  return std::make_unique<Scan>();
}
