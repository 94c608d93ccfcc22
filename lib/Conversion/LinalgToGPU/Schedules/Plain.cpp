//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain: one thread per output element, reductions serial in the thread. Takes
// every op, whatever its maps, element types and extents; schedules that are
// fast take what they can from it.
//
// Threads run along the loops that every output is indexed by as they are, so
// that no two threads write one element; all other loops are serial, in the
// op's order. Where no output moves during those, its elements stay in
// registers from the first to the last iteration. Loop nests that place-on-gpu
// has marked run in one thread, as nothing is known of what they write;
// `scf.forall` and `scf.parallel` without results have a thread per iteration.
//
//===----------------------------------------------------------------------===//

#include "Loops/ScalarNest.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace shardir;

namespace {

constexpr int64_t threadsPerBlock = 256;
/// One dependent access of device memory, in seconds.
constexpr double loadLatency = 5e-7;

/// The loops that become threads, and those that run within a thread.
struct LoopRoles {
  SmallVector<unsigned> threads, serial;
  /// No output is indexed by a serial loop.
  bool inRegisters = true;
};

LoopRoles rolesOf(linalg::LinalgOp op) {
  LoopRoles roles;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool everywhere = true, anywhere = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      everywhere &= llvm::is_contained(
          map.getResults(), getAffineDimExpr(loop, op->getContext()));
      anywhere |= map.isFunctionOfDim(loop);
    }
    if (everywhere && op.getNumDpsInits() > 0) {
      roles.threads.push_back(loop);
      continue;
    }
    roles.serial.push_back(loop);
    roles.inRegisters &= !anywhere;
  }
  return roles;
}

/// The position of this thread among all, and the product `total` of extents as
/// the launch's grid; the rewriter stands where `position < total`.
struct Threads {
  gpu::LaunchOp launch;
  Value position;
};

Value multiply(RewriterBase &rewriter, Location loc, ValueRange factors) {
  Value product;
  for (Value factor : factors)
    product =
        product
            ? arith::MulIOp::create(rewriter, loc, product, factor).getResult()
            : factor;
  return product ? product
                 : arith::ConstantIndexOp::create(rewriter, loc, 1).getResult();
}

Threads createThreads(RewriterBase &rewriter, Location loc, StringRef name,
                      Value total) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  LaunchShape shape;
  int64_t block = threadsPerBlock;
  if (auto known = getConstantIntValue(total))
    block = std::clamp<int64_t>((*known + 31) / 32 * 32, 32, threadsPerBlock);
  shape.block[0] = constant(block);
  shape.grid[0] =
      arith::CeilDivUIOp::create(rewriter, loc, total, shape.block[0]);
  Threads threads;
  threads.launch = createLaunch(rewriter, loc, name, shape);
  Value size = constant(block);
  Value before = arith::MulIOp::create(
      rewriter, loc, gpu::BlockIdOp::create(rewriter, loc, gpu::Dimension::x),
      size);
  threads.position = arith::AddIOp::create(
      rewriter, loc, before,
      gpu::ThreadIdOp::create(rewriter, loc, gpu::Dimension::x));
  Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       threads.position, total);
  auto branch = scf::IfOp::create(rewriter, loc, inside, /*withElse=*/false);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  return threads;
}

/// True if a number below the product of these extents has 31 bits.
bool fitsInt32(ValueRange extents) {
  int64_t product = 1;
  for (Value extent : extents) {
    auto known = getConstantIntValue(extent);
    if (!known || *known <= 0 || product > (int64_t(1) << 31) / *known)
      return false;
    product *= *known;
  }
  return product < (int64_t(1) << 31);
}

/// `position` as coordinates in a row-major space of these extents. Divides in
/// 32 bits where that is known to be enough: a GPU has no 64-bit division.
SmallVector<Value> coordinatesOf(RewriterBase &rewriter, Location loc,
                                 Value position, ValueRange extents) {
  SmallVector<Value> coordinates(extents.size());
  Type index = rewriter.getIndexType();
  bool narrow = extents.size() > 1 && fitsInt32(extents);
  Type type = narrow ? Type(rewriter.getI32Type()) : index;
  auto cast = [&](Value value, Type to) -> Value {
    if (value.getType() == to)
      return value;
    return arith::IndexCastUIOp::create(rewriter, loc, to, value);
  };
  Value rest = cast(position, type);
  for (size_t i = extents.size(); i-- > 1;) {
    Value extent = cast(extents[i], type);
    coordinates[i] = cast(
        arith::RemUIOp::create(rewriter, loc, rest, extent).getResult(), index);
    rest = arith::DivUIOp::create(rewriter, loc, rest, extent);
  }
  if (!extents.empty())
    coordinates[0] = cast(rest, index);
  return coordinates;
}

class Plain : public Schedule {
public:
  StringRef name() const override { return "plain"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    // Attention is decomposed where no other schedule takes it.
    if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp>(op))
      return std::nullopt;
    Estimate estimate;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp) {
      bool parallel = isa<scf::ForallOp, scf::ParallelOp>(op);
      estimate.reason = parallel ? "one thread per iteration" : "one thread";
      // One thread waits for each of its loads.
      estimate.seconds = target.launchSeconds +
                         (parallel ? 1 : countAccesses(op)) * loadLatency;
      return estimate;
    }
    LoopRoles roles = rolesOf(linalgOp);
    SmallVector<int64_t> extents = assumedLoopExtents(linalgOp);
    double threads = 1, serial = 1, bytes = 0;
    for (unsigned loop : roles.threads)
      threads *= extents[loop];
    for (unsigned loop : roles.serial)
      serial *= extents[loop];
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<MemRefType>(operand.get().getType()))
        bytes += elementBytes(type.getElementType());
    // Neighbours share some of what they read; one thread waits for each load.
    double resident = double(target.multiprocessors) * target.threads;
    double waves = std::max(1.0, threads / resident);
    estimate.seconds =
        target.launchSeconds +
        std::max(threads * serial * bytes / target.copyBytesPerSecond /
                     (serial > 1 ? 4 : 1),
                 waves * serial * loadLatency);
    estimate.reason = "one thread per output element";
    if (!roles.inRegisters)
      estimate.reason = "one thread per element that no other writes";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    rewriter.setInsertionPoint(op);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      emitLinalg(rewriter, linalgOp);
    else if (auto loop = dyn_cast<scf::ForallOp>(op))
      emitParallel(rewriter, loop.getLoc(), loop.getMixedLowerBound(),
                   loop.getMixedUpperBound(), loop.getMixedStep(),
                   *loop.getBody());
    else if (auto loop = dyn_cast<scf::ParallelOp>(op))
      emitParallel(rewriter, loop.getLoc(),
                   getAsOpFoldResult(loop.getLowerBound()),
                   getAsOpFoldResult(loop.getUpperBound()),
                   getAsOpFoldResult(loop.getStep()), *loop.getBody());
    else {
      createLaunch(rewriter, op->getLoc(), "loop_plain", {});
      rewriter.moveOpBefore(op, rewriter.getInsertionBlock(),
                            rewriter.getInsertionPoint());
      op->removeAttr(ShardIRDialect::kKernel);
      return success();
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emitLinalg(RewriterBase &rewriter, linalg::LinalgOp op) {
    Location loc = op.getLoc();
    LoopRoles roles = rolesOf(op);
    SmallVector<Value> extents = loopExtents(rewriter, op);
    SmallVector<Value> threadExtents;
    for (unsigned loop : roles.threads)
      threadExtents.push_back(extents[loop]);
    StringRef opName = op->getName().stripDialect();
    Value total = multiply(rewriter, loc, threadExtents);
    Threads threads =
        createThreads(rewriter, loc, (opName + "_plain").str(), total);
    SmallVector<Value> iteration(op.getNumLoops());
    for (auto [loop, value] :
         llvm::zip(roles.threads, coordinatesOf(rewriter, loc, threads.position,
                                                threadExtents)))
      iteration[loop] = value;

    auto load = [&](OpOperand &operand) -> Value {
      if (!isa<MemRefType>(operand.get().getType()))
        return operand.get();
      return memref::LoadOp::create(
          rewriter, loc, operand.get(),
          operandIndices(rewriter, op, operand, iteration));
    };
    auto store = [&](ValueRange values) {
      for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), values))
        memref::StoreOp::create(rewriter, loc, value, init.get(),
                                operandIndices(rewriter, op, init, iteration));
    };
    /// One iteration with these values of the outputs' elements.
    auto step = [&](ValueRange outputs) {
      SmallVector<Value> arguments;
      // An unused argument of the body needs no value.
      for (OpOperand *operand : op.getDpsInputOperands())
        arguments.push_back(
            op.payloadUsesValueFromOperand(operand) ? load(*operand) : Value());
      llvm::append_range(arguments, outputs);
      return inlineBody(rewriter, op, iteration, arguments);
    };
    auto loadOutputs = [&](bool always) {
      SmallVector<Value> outputs;
      for (OpOperand &init : op.getDpsInitsMutable())
        outputs.push_back(always || op.payloadUsesValueFromOperand(&init)
                              ? load(init)
                              : Value());
      return outputs;
    };

    if (roles.serial.empty()) {
      store(step(loadOutputs(/*always=*/false)));
      return;
    }
    // A reduction without iterations leaves its init.
    SmallVector<Value> carried;
    if (roles.inRegisters)
      carried = loadOutputs(/*always=*/true);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<scf::ForOp> loops;
    for (unsigned loop : roles.serial) {
      auto nest =
          scf::ForOp::create(rewriter, loc, zero, extents[loop], one, carried);
      loops.push_back(nest);
      iteration[loop] = nest.getInductionVar();
      carried.assign(nest.getRegionIterArgs().begin(),
                     nest.getRegionIterArgs().end());
      rewriter.setInsertionPointToEnd(nest.getBody());
      if (carried.empty())
        rewriter.setInsertionPoint(nest.getBody()->getTerminator());
    }
    if (!roles.inRegisters) {
      store(step(loadOutputs(/*always=*/false)));
      return;
    }
    SmallVector<Value> results = step(carried);
    for (scf::ForOp nest : llvm::reverse(loops)) {
      rewriter.setInsertionPointToEnd(nest.getBody());
      scf::YieldOp::create(rewriter, loc, results);
      results.assign(nest.result_begin(), nest.result_end());
    }
    rewriter.setInsertionPointAfter(loops.front());
    store(results);
  }

  /// A thread per iteration of a loop without results.
  static void emitParallel(RewriterBase &rewriter, Location loc,
                           ArrayRef<OpFoldResult> lower,
                           ArrayRef<OpFoldResult> upper,
                           ArrayRef<OpFoldResult> steps, Block &body) {
    auto value = [&](OpFoldResult from) -> Value {
      if (auto known = getConstantIntValue(from))
        return arith::ConstantIndexOp::create(rewriter, loc, *known);
      return cast<Value>(from);
    };
    SmallVector<Value> lowers, stepValues, extents;
    for (auto [from, to, by] : llvm::zip(lower, upper, steps)) {
      lowers.push_back(value(from));
      stepValues.push_back(value(by));
      Value length =
          arith::SubIOp::create(rewriter, loc, value(to), lowers.back());
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      length = arith::MaxSIOp::create(rewriter, loc, length, zero);
      extents.push_back(
          arith::CeilDivUIOp::create(rewriter, loc, length, stepValues.back()));
    }
    Threads threads = createThreads(rewriter, loc, "parallel_plain",
                                    multiply(rewriter, loc, extents));
    SmallVector<Value> at =
        coordinatesOf(rewriter, loc, threads.position, extents);
    IRMapping mapping;
    for (auto [i, coordinate] : llvm::enumerate(at)) {
      Value scaled =
          arith::MulIOp::create(rewriter, loc, coordinate, stepValues[i]);
      mapping.map(
          body.getArgument(i),
          arith::AddIOp::create(rewriter, loc, scaled, lowers[i]).getResult());
    }
    for (Operation &op : body.without_terminator())
      rewriter.clone(op, mapping);
  }
};

} // namespace

std::unique_ptr<Schedule> shardir::createPlainSchedule() {
  return std::make_unique<Plain>();
}
