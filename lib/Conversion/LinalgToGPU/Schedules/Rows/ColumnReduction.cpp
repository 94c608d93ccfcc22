//===- ColumnReduction.cpp - Reductions over outer dims -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reductions whose operands are contiguous along a dim that stays. The 32
// lanes of a warp have neighbouring outputs, up to 16 bytes each; the eight
// warps of a block share the iterations of the reduction, and so do several
// blocks where the outputs alone do not fill the chip. Warps meet in shared
// memory, blocks in a second kernel, always in one order (X3).
//
//===----------------------------------------------------------------------===//

#include "../KernelVectorBody.h"
#include "Common/Combiner.h"
#include "RowChain.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t warps = 8, warpLanes = 32;

struct ColumnPlan {
  /// The loop of neighbouring outputs.
  int loop = -1;
  int64_t lanes = 1;
  /// Blocks that share the iterations of an output.
  int64_t splits = 1;
};

/// The cost of one element along `loop`, in elements of contiguous access.
double costAlong(const LoopNest &nest, int loop) {
  double cost = 0;
  for (const NestOperand &operand : nest.operands)
    if (!operand.scalar)
      cost += operand.isUnit(loop) ? 1 : operand.isUniform(loop) ? 0.2 : 8;
  double extent = std::max<int64_t>(
      LoopEmitter::known(nest.extents[loop]).value_or(assumedExtent), 1);
  return cost * (1 + 16 / extent);
}

class ColumnEmitter {
public:
  ColumnEmitter(KernelEmitter &emit, const LoopNest &nest, ColumnPlan plan)
      : emit(emit), nest(nest), plan(plan),
        ivs(nest.extents.size(), emit.constant(0)) {
    for (unsigned i = 0; i < nest.results().size(); ++i)
      combiners.push_back(*combinerOf(nest.getOp(), i));
    for (int loop : nest.loops(false))
      if (loop != plan.loop)
        outer.push_back(loop);
  }

  void run() {
    Index groups = emit.constant(1);
    SmallVector<Index> sizes;
    for (int loop : outer)
      sizes.push_back(nest.extents[loop]);
    Index vectors = emit.constant(1);
    if (plan.loop >= 0)
      vectors = emit.div(nest.extents[plan.loop], plan.lanes);
    sizes.push_back(emit.ceilDiv(vectors, warpLanes));
    for (Index size : sizes)
      groups = emit.mul(groups, size);
    SmallVector<Index> reduced;
    iterations = emit.constant(1);
    for (int loop : nest.loops(true)) {
      reduced.push_back(nest.extents[loop]);
      iterations = emit.mul(iterations, nest.extents[loop]);
    }
    Index part = emit.ceilDiv(iterations, plan.splits);

    // The place of a result in a workspace: [split][output].
    outputs = emit.constant(1);
    for (int loop : nest.loops(false))
      outputs = emit.mul(outputs, nest.extents[loop]);
    SmallVector<Value> workspaces;
    SharedLayout layout;
    SmallVector<int64_t> offsets;
    for (const NestOperand &result : nest.results()) {
      if (plan.splits > 1)
        workspaces.push_back(
            emit.workspace(result.element, emit.mul(outputs, plan.splits)));
      offsets.push_back(layout.take((warps - 1) * warpLanes * plan.lanes *
                                    elementBytes(result.element)));
    }

    SmallVector<Index> grid = {groups, emit.constant(plan.splits)};
    emit.launch("columns", grid, warps * warpLanes, layout.bytes, [&] {
      SmallVector<Index> at = emit.decode(emit.block(0), sizes);
      for (auto [loop, iv] : llvm::zip(outer, at))
        ivs[loop] = iv;
      Index lane = emit.rem(emit.thread(), warpLanes),
            warp = emit.div(emit.thread(), warpLanes);
      Index vector = emit.add(emit.mul(at.back(), warpLanes), lane);
      Value exists;
      if (!LoopEmitter::isKnown(emit.rem(vectors, warpLanes), 0)) {
        exists = emit.lessThan(vector, vectors);
        vector = emit.min(vector, emit.sub(vectors, emit.constant(1)));
      }
      if (plan.loop >= 0)
        ivs[plan.loop] = emit.mul(vector, plan.lanes);

      Index from = emit.constant(0), to = iterations;
      if (plan.splits > 1) {
        from = emit.mul(emit.block(1), part);
        to = emit.min(emit.add(from, part), iterations);
      }
      SmallVector<Value> sums;
      for (auto [combiner, result] : llvm::zip(combiners, nest.results()))
        sums.push_back(combiner.identity(emit, typeOf(result.element)));
      // Several at once, so that their loads are under way together.
      constexpr int64_t unrolled = 4;
      Index first = emit.add(from, warp), zero = emit.constant(0);
      Index count = emit.ceilDiv(emit.max(emit.sub(to, first), zero), warps);
      Index whole = emit.mul(emit.div(count, unrolled), unrolled);
      auto walk = [&](Index start, Index end, int64_t together) {
        sums = emit.loop(
            start, end, emit.constant(together), sums,
            [&](Index n, ValueRange carried) {
              SmallVector<Value> next(carried);
              for (int64_t i = 0; i < together; ++i) {
                Index number = emit.add(n, emit.constant(i));
                next = iterate(reduced,
                               emit.add(first, emit.mul(number, warps)), next);
              }
              return next;
            });
      };
      walk(zero, whole, unrolled);
      walk(whole, count, 1);
      meet(sums, offsets, lane, warp);
      for (int loop : nest.loops(true))
        ivs[loop] = emit.constant(0);
      Value stores = emit.both(emit.equal(warp, emit.constant(0)), exists);
      emit.branch(stores, [&] {
        if (plan.splits > 1)
          keep(sums, workspaces);
        else
          store(sums);
      });
    });
    if (plan.splits > 1)
      combine(workspaces);
  }

private:
  Type typeOf(Type element) {
    return plan.lanes > 1 ? Type(VectorType::get(plan.lanes, element))
                          : element;
  }

  SmallVector<Value> iterate(ArrayRef<Index> reduced, Index step,
                             ValueRange sums) {
    for (auto [loop, iv] :
         llvm::zip(nest.loops(true), emit.decode(step, reduced)))
      ivs[loop] = iv;
    if (plan.lanes == 1)
      return runScalarBody(emit, nest, ivs, {}, sums);
    KernelVectorBody body(emit, nest, plan.loop, plan.lanes);
    body.loadInputs(ivs, std::nullopt);
    SmallVector<Value> next = body.run(ivs, sums, std::nullopt);
    for (Value &value : next)
      value = body.broadcast(value);
    return next;
  }

  /// The sums of all warps in those of the first one.
  void meet(SmallVectorImpl<Value> &sums, ArrayRef<int64_t> offsets, Index lane,
            Index warp) {
    OpBuilder &builder = emit.builder;
    SmallVector<Value> slots;
    for (auto [result, offset] : llvm::zip(nest.results(), offsets))
      slots.push_back(emit.shared(
          result.element, (warps - 1) * warpLanes * plan.lanes, offset));
    auto place = [&](Index of) {
      return emit.value(
          emit.mul(emit.add(emit.mul(of, warpLanes), lane), plan.lanes));
    };
    emit.branch(emit.lessThan(emit.constant(0), warp), [&] {
      Value at = place(emit.sub(warp, emit.constant(1)));
      for (auto [slot, sum] : llvm::zip(slots, sums)) {
        if (plan.lanes > 1)
          vector::StoreOp::create(builder, emit.loc, sum, slot, at);
        else
          memref::StoreOp::create(builder, emit.loc, sum, slot, at);
      }
    });
    emit.barrier();
    for (int64_t other = 0; other + 1 < warps; ++other) {
      Value at = place(emit.constant(other));
      for (auto [slot, sum, combiner] : llvm::zip(slots, sums, combiners)) {
        Value value = plan.lanes > 1
                          ? vector::LoadOp::create(
                                builder, emit.loc,
                                cast<VectorType>(sum.getType()), slot, at)
                                .getResult()
                          : memref::LoadOp::create(builder, emit.loc, slot, at)
                                .getResult();
        sum = combiner.combine(emit, sum, value);
      }
    }
  }

  /// Combines with what the results start from.
  void store(ArrayRef<Value> sums) {
    OpBuilder &builder = emit.builder;
    for (auto [i, combiner] : llvm::enumerate(combiners)) {
      if (plan.lanes > 1) {
        KernelVectorBody body(emit, nest, plan.loop, plan.lanes);
        Value old = body.broadcast(body.loadResult(i, ivs, std::nullopt));
        body.store(i, combiner.combine(emit, old, sums[i]), ivs, std::nullopt);
        continue;
      }
      const NestOperand &result = nest.results()[i];
      Value at = nest.address(emit, result, ivs);
      Value old = memref::LoadOp::create(builder, emit.loc, result.flat, at);
      memref::StoreOp::create(builder, emit.loc,
                              combiner.combine(emit, old, sums[i]), result.flat,
                              at);
    }
  }

  /// The number of the output at the ivs, `loop` running fastest.
  Index outputAt() {
    Index place = emit.constant(0);
    for (int loop : outer)
      place = emit.add(emit.mul(place, nest.extents[loop]), ivs[loop]);
    if (plan.loop < 0)
      return place;
    return emit.add(emit.mul(place, nest.extents[plan.loop]), ivs[plan.loop]);
  }

  void keep(ArrayRef<Value> sums, ArrayRef<Value> workspaces) {
    Index at = emit.add(emit.mul(emit.block(1), outputs), outputAt());
    for (auto [sum, workspace] : llvm::zip(sums, workspaces)) {
      if (!isa<VectorType>(sum.getType())) {
        memref::StoreOp::create(emit.builder, emit.loc, sum, workspace,
                                emit.value(at));
        continue;
      }
      // Outputs are a multiple of the lanes, as their last dim is.
      vector::StoreOp::create(emit.builder, emit.loc, sum, workspace,
                              emit.value(at));
    }
  }

  /// A thread per output adds the parts in their order.
  void combine(ArrayRef<Value> workspaces) {
    SmallVector<int> loops = outer;
    if (plan.loop >= 0)
      loops.push_back(plan.loop);
    SmallVector<Index> sizes;
    for (int loop : loops)
      sizes.push_back(nest.extents[loop]);
    plan.lanes = 1;
    auto part = [&](Index output, ArrayRef<Index> at) {
      for (auto [loop, iv] : llvm::zip(loops, at))
        ivs[loop] = iv;
      SmallVector<Value> sums;
      for (auto [combiner, result] : llvm::zip(combiners, nest.results()))
        sums.push_back(combiner.identity(emit, result.element));
      sums = emit.loop(
          emit.constant(0), emit.constant(plan.splits), emit.constant(1), sums,
          [&](Index split, ValueRange carried) {
            SmallVector<Value> next;
            Value at = emit.value(emit.add(emit.mul(split, outputs), output));
            for (auto [combiner, workspace, sum] :
                 llvm::zip(combiners, workspaces, carried))
              next.push_back(
                  combiner.combine(emit, sum,
                                   memref::LoadOp::create(
                                       emit.builder, emit.loc, workspace, at)));
            return next;
          });
      store(sums);
    };
    emit.launchOver("columns_combine", sizes, 128, part);
    for (Value workspace : workspaces)
      memref::DeallocOp::create(emit.builder, emit.loc, workspace);
  }

  KernelEmitter &emit;
  const LoopNest &nest;
  ColumnPlan plan;
  SmallVector<Index> ivs;
  SmallVector<Combiner> combiners;
  SmallVector<int> outer;
  Index iterations, outputs;
};

int64_t splitsFor(linalg::LinalgOp op, double outputs, double iterations,
                  const GpuTarget &target) {
  if (std::optional<int64_t> forced = forcedNumber(op, "splits"))
    return std::clamp<int64_t>(*forced, 1, 256);
  int64_t narrowest = 16;
  for (Value operand : op->getOperands())
    narrowest = std::min(narrowest,
                         elementBytes(getElementTypeOrSelf(operand.getType())));
  // Blocks whose lanes have 16 bytes each are fewer; their parts should not
  // take long to add.
  auto wantedAt = [&](double lanes) {
    double blocks = std::ceil(outputs / (warpLanes * lanes));
    return 4.0 * target.multiprocessors / std::max(blocks, 1.0);
  };
  double wanted =
      std::max(wantedAt(1), std::min(wantedAt(16.0 / narrowest), 32.0));
  return std::clamp<int64_t>(std::min(wanted, iterations / (4 * warps)), 1,
                             256);
}

class ColumnReduction : public Schedule {
public:
  StringRef name() const override { return "column_reduction"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto reduction = dyn_cast<linalg::LinalgOp>(op);
    if (!reduction || !reduction.hasPureBufferSemantics() ||
        !isCombiningReduction(reduction) || !hasLoopNest(reduction))
      return std::nullopt;
    for (OpOperand &init : reduction.getDpsInitsMutable()) {
      AffineMap map = reduction.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != reduction.getNumParallelLoops())
        return std::nullopt;
    }
    auto [outputs, iterations] = sizesOf(reduction);
    // Each lane reads for itself, unless neighbours lie together.
    double iterationsInAll = outputs * iterations, bytes = 0;
    for (OpOperand *input : reduction.getDpsInputOperands())
      bytes += iterationsInAll * weightOf(reduction, *input) *
               elementBytes(getElementTypeOrSelf(input->get().getType()));
    int64_t splits = splitsFor(reduction, outputs, iterations, target);
    double filled = std::min(1.0, std::ceil(outputs / warpLanes) * splits /
                                      (2.0 * target.multiprocessors));
    Estimate estimate;
    estimate.seconds = target.launchSeconds * (splits > 1 ? 2 : 1) +
                       bytes / (0.8 * filled * target.copyBytesPerSecond);
    estimate.plan = {{"splits", splits}};
    llvm::raw_string_ostream out(estimate.reason);
    out << "a lane per output, " << splits * warps << " warps share its terms";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto reduction = cast<linalg::LinalgOp>(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    FailureOr<LoopNest> nest = makeLoopNest(reduction, emitter);
    if (failed(nest))
      return op->emitOpError("has no linear addresses");
    ColumnPlan plan;
    double best = 0;
    for (int loop : nest->loops(false)) {
      double cost = costAlong(*nest, loop);
      if (plan.loop < 0 || cost <= best) {
        best = cost;
        plan.loop = loop;
      }
    }
    auto [outputs, iterations] = sizesOf(reduction);
    plan.splits = splitsFor(reduction, outputs, iterations, target);
    if (plan.loop >= 0 &&
        VectorBody::isSupported(reduction, /*allLanesExist=*/true))
      plan.lanes = surelyAlignedLanes(emitter, *nest, plan.loop, warpLanes);
    ColumnEmitter(emitter, *nest, plan).run();
    rewriter.eraseOp(op);
    return success();
  }

private:
  static std::pair<double, double> sizesOf(linalg::LinalgOp op) {
    SmallVector<int64_t> extents = assumedLoopExtents(op);
    double outputs = 1, iterations = 1;
    for (auto [loop, extent] : llvm::enumerate(extents))
      (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction
           ? iterations
           : outputs) *= extent;
    return {outputs, iterations};
  }

  /// How much of memory's traffic an access of one element is: 1 if neighbours
  /// along some parallel loop lie together, 8 if a warp touches as many sectors
  /// as lanes.
  static double weightOf(linalg::LinalgOp op, OpOperand &input) {
    auto type = dyn_cast<MemRefType>(input.get().getType());
    if (!type)
      return 0;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return 8;
    AffineMap map = op.getMatchingIndexingMap(&input);
    bool moves = false;
    for (auto [expr, stride] : llvm::zip(map.getResults(), strides)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool parallel = dim && op.getIteratorTypesArray()[dim.getPosition()] ==
                                 utils::IteratorType::parallel;
      moves |= parallel;
      if (parallel && stride == 1 &&
          op.getStaticLoopRanges()[dim.getPosition()] != 1)
        return 1;
    }
    return moves ? 8 : 0.25;
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createColumnReductionSchedule() {
  return std::make_unique<ColumnReduction>();
}
