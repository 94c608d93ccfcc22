//===- Elementwise.cpp - Maps, broadcasts, transposes, fills, copies ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes ops whose loops are all parallel, with operands at linear addresses.
// One thread computes as many neighbouring elements as 16 bytes of the
// narrowest operand hold, so that a warp's accesses are full 512-byte runs.
// Where rows may start anywhere (odd strides, a pointer that is only known at
// run time) the host decides by one test whether vectors are aligned; what is
// left over at the end of a row goes element by element. Inputs that are
// contiguous along another loop than the result pass through shared memory in
// square tiles whose rows are padded by one word: no two lanes of a warp meet
// in a bank.
//
//===----------------------------------------------------------------------===//

#include "KernelVectorBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t threadsPerBlock = 256;

/// How one op runs.
struct ElementwisePlan {
  /// The loop along which neighbouring threads work.
  int loop = -1;
  int64_t lanes = 1;
  /// The loop along which transposed inputs are contiguous; -1 for none.
  int across = -1;
  /// Side of the square tiles.
  int64_t tile = 32;
};

/// A row of a tile in elements: its words are an odd number, so that a column
/// lies in 32 different banks.
int64_t pitchOf(int64_t tile, int64_t size) {
  return size >= 4 ? tile + 1 : tile + 4 / size;
}

bool isTransposed(const NestOperand &operand, int loop, int across) {
  return across >= 0 && !operand.scalar && operand.isUnit(across) &&
         !operand.isUnit(loop) && !operand.isUniform(loop);
}

int64_t extentOf(const LoopNest &nest, int loop) {
  return LoopEmitter::known(nest.extents[loop]).value_or(assumedExtent);
}

/// The cost of moving one element along `loop`, in elements of contiguous
/// access.
double costAlong(const LoopNest &nest, int loop) {
  double cost = 0;
  for (auto [i, operand] : llvm::enumerate(nest.operands)) {
    bool result = i >= nest.numInputs();
    if (operand.scalar || operand.isUniform(loop))
      cost += result ? 64 : 0.1;
    else
      cost += operand.isUnit(loop) ? 1 : result ? 8 : 3;
  }
  // A warp's access should not end with the row.
  double extent = std::max<int64_t>(extentOf(nest, loop), 1);
  return extent >= 32 ? cost : cost * (1 + 2 / extent);
}

ElementwisePlan planFor(const LoopNest &nest) {
  ElementwisePlan plan;
  double best = 0;
  for (int loop : nest.loops(false)) {
    double cost = costAlong(nest, loop);
    if (plan.loop < 0 || cost <= best) {
      best = cost;
      plan.loop = loop;
    }
  }
  if (plan.loop < 0)
    return plan;
  if (VectorBody::isSupported(nest.getOp(), /*allLanesExist=*/true)) {
    plan.lanes = lanesFor(nest);
    auto extent = LoopEmitter::known(nest.extents[plan.loop]);
    while (extent && plan.lanes > 1 && *extent < plan.lanes)
      plan.lanes /= 2;
  }
  int64_t widest = 1;
  for (unsigned i = 0; i < nest.numInputs() && plan.across < 0; ++i) {
    const NestOperand &operand = nest.operands[i];
    if (operand.scalar || operand.isUnit(plan.loop) ||
        operand.isUniform(plan.loop))
      continue;
    for (int loop : nest.loops(false))
      if (loop != plan.loop && operand.isUnit(loop) &&
          extentOf(nest, loop) >= 8 && extentOf(nest, plan.loop) >= 8)
        plan.across = loop;
  }
  for (const NestOperand &operand : nest.operands)
    if (isTransposed(operand, plan.loop, plan.across))
      widest = std::max(widest, elementBytes(operand.element));
  plan.tile = widest <= 2 ? 64 : 32;
  return plan;
}

class ElementwiseEmitter {
public:
  ElementwiseEmitter(KernelEmitter &emit, const LoopNest &nest,
                     const ElementwisePlan &plan)
      : emit(emit), nest(nest), plan(plan), ivs(nest.extents.size()) {
    for (Index &iv : ivs)
      iv = emit.constant(0);
  }

  void run() {
    if (plan.loop < 0)
      scalarOp();
    else if (plan.across >= 0)
      tiles();
    else
      rows();
  }

private:
  void store(ValueRange results) {
    for (auto [operand, value] : llvm::zip(nest.results(), results))
      memref::StoreOp::create(emit.builder, emit.loc, value, operand.flat,
                              nest.address(emit, operand, ivs));
  }

  void oneElement() { store(runScalarBody(emit, nest, ivs)); }

  /// An op without loops.
  void scalarOp() {
    emit.launch("elementwise", {emit.constant(1)}, 32, 0, [&] {
      emit.branch(emit.equal(emit.thread(), emit.constant(0)),
                  [&] { oneElement(); });
    });
  }

  void vector(int64_t lanes) {
    KernelVectorBody body(emit, nest, plan.loop, lanes);
    body.loadInputs(ivs, std::nullopt);
    SmallVector<Value> olds;
    Block *block = nest.getOp().getBlock();
    for (unsigned i = 0; i < nest.results().size(); ++i)
      olds.push_back(block->getArgument(nest.numInputs() + i).use_empty()
                         ? Value()
                         : body.loadResult(i, ivs, std::nullopt));
    SmallVector<Value> results = body.run(ivs, olds, std::nullopt);
    for (auto [i, value] : llvm::enumerate(results))
      body.store(i, value, ivs, std::nullopt);
  }

  /// The loops that have threads, `loop` last: its iterations are neighbours.
  SmallVector<int> order() {
    SmallVector<int> loops = nest.loops(false);
    llvm::erase(loops, plan.loop);
    loops.push_back(plan.loop);
    return loops;
  }

  Condition isAligned(int64_t lanes) {
    Condition result{true, {}};
    for (const NestOperand &operand : nest.operands)
      if (lanes > 1 && !operand.scalar && operand.isUnit(plan.loop))
        result = emit.both(result, emit.isAligned(operand, plan.loop, lanes));
    return result;
  }

  void rows() {
    int64_t lanes = plan.lanes;
    Condition aligned = isAligned(lanes);
    // Rows that are no multiple of 16 bytes may be one of 8.
    while (aligned.never())
      aligned = isAligned(lanes /= 2);
    SmallVector<int> loops = order();
    SmallVector<Index> extents;
    for (int loop : loops) {
      Index extent = nest.extents[loop];
      extents.push_back(loop == plan.loop ? emit.ceilDiv(extent, lanes)
                                          : extent);
    }
    emit.launchOver("elementwise", extents, threadsPerBlock,
                    [&](Index, ArrayRef<Index> at) {
                      for (auto [loop, iv] : llvm::zip(loops, at))
                        ivs[loop] = iv;
                      element(lanes, aligned);
                    });
  }

  /// `lanes` elements from vector number ivs[loop], fewer at the end of a row.
  void element(int64_t lanes, Condition aligned) {
    if (lanes == 1)
      return oneElement();
    Index extent = nest.extents[plan.loop];
    Index start = emit.mul(ivs[plan.loop], lanes);
    Index end = emit.add(start, emit.constant(lanes));
    Value full = aligned.value;
    if (!LoopEmitter::isKnown(emit.rem(extent, lanes), 0))
      full = emit.both(full, emit.lessEqual(end, extent));
    ivs[plan.loop] = start;
    if (!full)
      return vector(lanes);
    emit.branch(
        full, [&] { vector(lanes); },
        [&] {
          emit.loop(start, emit.min(end, extent), emit.constant(1),
                    [&](Index i) {
                      ivs[plan.loop] = i;
                      oneElement();
                    });
        });
  }

  /// A block per tile of `loop` x `across`: transposed inputs are loaded along
  /// `across` and read along `loop`.
  void tiles() {
    int64_t tile = plan.tile;
    SmallVector<int> outer = nest.loops(false);
    llvm::erase(outer, plan.loop);
    llvm::erase(outer, plan.across);
    SmallVector<Index> extents;
    for (int loop : outer)
      extents.push_back(nest.extents[loop]);
    extents.push_back(emit.ceilDiv(nest.extents[plan.across], tile));
    extents.push_back(emit.ceilDiv(nest.extents[plan.loop], tile));
    Index total = emit.constant(1);
    for (Index extent : extents)
      total = emit.mul(total, extent);

    SharedLayout layout;
    SmallVector<int64_t> offsets(nest.operands.size(), -1);
    for (unsigned i = 0; i < nest.numInputs(); ++i) {
      const NestOperand &operand = nest.operands[i];
      if (isTransposed(operand, plan.loop, plan.across))
        offsets[i] =
            layout.take(tile * pitchOf(tile, elementBytes(operand.element)) *
                        elementBytes(operand.element));
    }
    emit.launch("transpose", {total}, threadsPerBlock, layout.bytes, [&] {
      SmallVector<Index> at = emit.decode(emit.block(0), extents);
      for (auto [loop, iv] : llvm::zip(outer, at))
        ivs[loop] = iv;
      Index alongStart = emit.mul(at.back(), tile),
            acrossStart = emit.mul(at[at.size() - 2], tile);
      // Thread (t / tile, t % tile) and every `step` rows below it.
      Index minor = emit.rem(emit.thread(), tile),
            major = emit.div(emit.thread(), tile);
      int64_t step = threadsPerBlock / tile;

      LoopNest local = nest;
      for (unsigned i = 0; i < nest.numInputs(); ++i) {
        if (offsets[i] < 0)
          continue;
        const NestOperand &operand = nest.operands[i];
        int64_t pitch = pitchOf(tile, elementBytes(operand.element));
        Value square = emit.shared(operand.element, tile * pitch, offsets[i]);
        overTile(acrossStart, alongStart, minor, major, step, plan.across,
                 plan.loop, [&](Index across, Index along) {
                   Value value = memref::LoadOp::create(
                       emit.builder, emit.loc, operand.flat,
                       nest.address(emit, operand, ivs));
                   memref::StoreOp::create(
                       emit.builder, emit.loc, value, square,
                       emit.value(emit.add(emit.mul(along, pitch), across)));
                 });
        NestOperand &replaced = local.operands[i];
        replaced.flat = square;
        replaced.strides.assign(nest.extents.size(), emit.constant(0));
        replaced.strides[plan.across] = emit.constant(1);
        replaced.strides[plan.loop] = emit.constant(pitch);
        replaced.offset =
            emit.sub(emit.constant(0),
                     emit.add(emit.mul(alongStart, pitch), acrossStart));
      }
      emit.barrier();
      overTile(alongStart, acrossStart, minor, major, step, plan.loop,
               plan.across,
               [&](Index, Index) { store(runScalarBody(emit, local, ivs)); });
    });
  }

  /// Sets the two ivs for every element of the tile that this thread has and
  /// that exists, and calls `body` with the position in the tile.
  void overTile(Index minorStart, Index majorStart, Index minor, Index major,
                int64_t step, int minorLoop, int majorLoop,
                function_ref<void(Index, Index)> body) {
    ivs[minorLoop] = emit.add(minorStart, minor);
    auto inner = [&] {
      for (int64_t row = 0; row < plan.tile; row += step) {
        Index here = emit.add(major, emit.constant(row));
        ivs[majorLoop] = emit.add(majorStart, here);
        if (divides(majorLoop))
          body(minor, here);
        else
          emit.branch(emit.lessThan(ivs[majorLoop], nest.extents[majorLoop]),
                      [&] { body(minor, here); });
      }
    };
    if (divides(minorLoop))
      inner();
    else
      emit.branch(emit.lessThan(ivs[minorLoop], nest.extents[minorLoop]),
                  inner);
  }

  bool divides(int loop) {
    auto extent = LoopEmitter::known(nest.extents[loop]);
    return extent && *extent % plan.tile == 0;
  }

  KernelEmitter &emit;
  const LoopNest &nest;
  const ElementwisePlan &plan;
  SmallVector<Index> ivs;
};

class Elementwise : public Schedule {
public:
  StringRef name() const override { return "elementwise"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureBufferSemantics() ||
        linalgOp.getNumParallelLoops() != linalgOp.getNumLoops() ||
        linalgOp.getNumDpsInits() == 0 || !hasLoopNest(linalgOp))
      return std::nullopt;
    // Several iterations that write one element must stay in order.
    for (OpOperand &init : linalgOp.getDpsInitsMutable())
      if (!linalgOp.getMatchingIndexingMap(&init).isPermutation())
        return std::nullopt;
    double bytes = bytesMoved(linalgOp);
    Estimate estimate;
    estimate.seconds = target.launchSeconds + bytes / target.copyBytesPerSecond;
    estimate.reason = "16-byte accesses along the contiguous dim";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    FailureOr<LoopNest> nest = makeLoopNest(linalgOp, emitter);
    if (failed(nest))
      return op->emitOpError("has no linear addresses");
    ElementwisePlan plan = planFor(*nest);
    ElementwiseEmitter(emitter, *nest, plan).run();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createElementwiseSchedule() {
  return std::make_unique<Elementwise>();
}
