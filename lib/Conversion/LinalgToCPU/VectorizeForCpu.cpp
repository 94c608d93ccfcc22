//===- VectorizeForCpu.cpp - Elementwise ops and reductions to vectors ----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires linalg on memrefs; guarantees that every op whose
// body has a form on lanes, and that gains by it, has become loops over vectors
// with masked ends. The others are left for scalar loops, which are always
// right. Sums are taken in an order that depends on the target's vectors and
// not on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Common/VectorBody.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "VectorPlan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shardir {
#define GEN_PASS_DEF_VECTORIZEFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// The part of an operand that is transposed at a time. Rows are read and
/// stored in runs that are long enough for prefetching, and blocks of 4-byte
/// elements take 264 KiB of the second cache.
constexpr int64_t blockRows = 128, blockColumns = 512;

/// From these bytes on a tensor is taken to come from memory each time.
constexpr int64_t fromMemory = 4 << 20;

/// Emits one op's loops.
class NestEmitter {
public:
  NestEmitter(LoopEmitter &emit, const LoopNest &nest, const VectorPlan &plan)
      : emit(emit), nest(nest), plan(plan), ivs(nest.extents.size()) {}

  void run() {
    SmallVector<int> around = nest.loops(false);
    bool inBlocks = plan.squareLoop >= 0;
    if (!inBlocks)
      llvm::erase(around, plan.loop);
    llvm::erase(around, plan.rowLoop);
    bool parallelLoop = !nest.reduction[plan.loop];
    auto rest = [&](ArrayRef<int> loops) {
      nested(loops, [&] {
        if (inBlocks)
          block();
        else if (parallelLoop)
          lanes(nest, emit.constant(0), nest.extents[plan.loop]);
        else
          reduceLanes();
      });
    };
    if (!plan.parallel)
      return rest(around);

    // Enough outer loops for every thread, or parts of the vector loop.
    size_t outer = 0;
    int64_t product = 1;
    while (outer < around.size() && product < 32)
      product *= LoopEmitter::known(iterations(around[outer++])).value_or(1024);
    if (outer == 0 || (product < 8 && parallelLoop && !inBlocks)) {
      if (!parallelLoop)
        return rest(around);
      // Loops around stay serial here: they have few iterations.
      return nested(around, [&] {
        chunks(nest.extents[plan.loop], plan.lanes * plan.unroll,
               [&](Index from, Index to) {
                 lanes(nest, from, emit.sub(to, from));
               });
      });
    }
    Index count = emit.constant(1);
    ArrayRef<int> shared = ArrayRef<int>(around).take_front(outer);
    for (int loop : shared)
      count = emit.mul(count, iterations(loop));
    chunks(count, 1, [&](Index from, Index to) {
      emit.loop(from, to, emit.constant(1), [&](Index i) {
        for (size_t at = shared.size(); at-- > 0;) {
          Index extent = iterations(shared[at]);
          ivs[shared[at]] = emit.mul(at == 0 ? i : emit.rem(i, extent),
                                     emit.constant(stepOf(shared[at])));
          if (at > 0)
            i = emit.div(i, extent);
        }
        rest(ArrayRef<int>(around).drop_front(outer));
      });
    });
  }

private:
  int64_t stepOf(int loop) const {
    if (plan.squareLoop < 0)
      return 1;
    return loop == plan.squareLoop ? blockRows
           : loop == plan.loop     ? width()
                                   : 1;
  }

  Index iterations(int loop) {
    return emit.ceilDiv(nest.extents[loop], stepOf(loop));
  }

  /// Loops over `loops`, outermost first.
  void nested(ArrayRef<int> loops, function_ref<void()> body) {
    if (loops.empty())
      return body();
    emit.loop(emit.constant(0), nest.extents[loops[0]],
              emit.constant(stepOf(loops[0])), [&](Index i) {
                ivs[loops[0]] = i;
                nested(loops.drop_front(), body);
              });
  }

  /// Shares `count` iterations among threads, in multiples of `unit`.
  void chunks(Index count, int64_t unit,
              function_ref<void(Index, Index)> body) {
    Index per = emit.mul(emit.ceilDiv(emit.ceilDiv(count, unit), 32),
                         emit.constant(unit));
    if (!LoopEmitter::known(per))
      per = Index(
          Value(arith::MaxSIOp::create(emit.builder, emit.loc, emit.value(per),
                                       emit.value(emit.constant(unit)))));
    Index total =
        emit.div(emit.sub(emit.add(count, per), emit.constant(1)), per);
    emit.forall(total, [&](Index c) {
      Index from = emit.mul(c, per);
      body(from, emit.min(count, emit.add(from, per)));
    });
  }

  /// Whole vectors of `length` iterations, then the masked rest.
  void strips(Index from, Index length,
              function_ref<void(Index, int64_t, std::optional<Index>)> body) {
    int64_t wide = plan.lanes * plan.unroll;
    Index at = emit.constant(0);
    for (int64_t step : {wide, plan.lanes}) {
      Index left = emit.sub(length, at);
      Index end =
          emit.add(at, emit.mul(emit.div(left, step), emit.constant(step)));
      emit.loop(at, end, emit.constant(step), [&](Index i) {
        body(emit.add(from, i), step / plan.lanes, std::nullopt);
      });
      at = end;
      if (plan.unroll == 1)
        break;
    }
    if (LoopEmitter::isKnown(emit.rem(length, plan.lanes), 0))
      return;
    emit.branch(emit.lessThan(at, length),
                [&] { body(emit.add(from, at), 1, emit.sub(length, at)); });
  }

  /// Lanes along a parallel loop.
  void lanes(const LoopNest &nest, Index from, Index length) {
    if (!plan.streamed)
      return strips(nest, from, length);
    LoopNest streamed = nest;
    Value isAligned;
    ivs[plan.loop] = from;
    for (unsigned r = 0; r < nest.results().size(); ++r) {
      NestOperand &result = streamed.operands[nest.numInputs() + r];
      result.streamed = true;
      int64_t bytes = plan.lanes * result.bytes();
      Value address =
          VectorBody(emit, nest, plan.loop, plan.lanes).addressOfResult(r, ivs);
      Value fits = emit.equal(emit.rem(address, bytes), emit.constant(0));
      isAligned = isAligned ? arith::AndIOp::create(emit.builder, emit.loc,
                                                    isAligned, fits)
                            : fits;
    }
    emit.branch(
        isAligned, [&] { strips(streamed, from, length); },
        [&] { strips(nest, from, length); });
  }

  void strips(const LoopNest &nest, Index from, Index length) {
    strips(from, length,
           [&](Index i, int64_t vectors, std::optional<Index> count) {
             if (nest.loops(true).empty())
               return elementwise(nest, i, vectors, count);
             if (plan.rowLoop < 0)
               return reduceInside(i, vectors, count, emit.constant(0), 1);
             Index extent = nest.extents[plan.rowLoop];
             Index full = emit.mul(emit.div(extent, plan.rows),
                                   emit.constant(plan.rows));
             emit.loop(emit.constant(0), full, emit.constant(plan.rows),
                       [&](Index row) {
                         reduceInside(i, vectors, count, row, plan.rows);
                       });
             // Those that are left over, together where their number is known.
             if (auto left = LoopEmitter::known(emit.sub(extent, full))) {
               if (*left > 0)
                 reduceInside(i, vectors, count, full, *left);
               return;
             }
             emit.loop(full, extent, emit.constant(1), [&](Index row) {
               reduceInside(i, vectors, count, row, 1);
             });
           });
  }

  void elementwise(const LoopNest &nest, Index i, int64_t vectors,
                   std::optional<Index> count) {
    for (int64_t v = 0; v < vectors; ++v) {
      ivs[plan.loop] = emit.add(i, emit.constant(v * plan.lanes));
      VectorBody body(emit, nest, plan.loop, plan.lanes);
      unsigned results = nest.results().size();
      SmallVector<Value> olds(results);
      body.loadInputs(ivs, count);
      for (unsigned r = 0; r < results; ++r)
        if (nest.getOp().payloadUsesValueFromOperand(
                nest.getOp().getDpsInitOperand(r)))
          olds[r] = body.loadResult(r, ivs, count);
      SmallVector<Value> yielded = body.run(ivs, olds, count);
      for (unsigned r = 0; r < results; ++r)
        body.store(r, yielded[r], ivs, count);
    }
  }

  /// A block of iterations of the square loop, its rows, and of lanes. Inputs
  /// that are contiguous along the square loop are transposed into scratch,
  /// which the body then reads like any other contiguous operand.
  void block() {
    Index row = ivs[plan.squareLoop], column = ivs[plan.loop];
    Index rows = iterationsInBlock(plan.squareLoop);
    Index columns = iterationsInBlock(plan.loop);
    LoopNest local = nest;
    for (unsigned input = 0; input < nest.numInputs(); ++input) {
      const NestOperand &operand = nest.operands[input];
      if (!plan.isTransposed(operand))
        continue;
      // Transposing the one before has moved on.
      ivs[plan.squareLoop] = row;
      ivs[plan.loop] = column;
      NestOperand &block = local.operands[input];
      block.flat = scratch(input, operand.element);
      block.strides.assign(nest.extents.size(), emit.constant(0));
      block.strides[plan.loop] = emit.constant(1);
      block.strides[plan.squareLoop] = emit.constant(scratchStride());
      block.offset = emit.constant(0);
      block.offset = emit.sub(emit.constant(0), nest.address(emit, block, ivs));
      strips(column, columns,
             [&](Index i, int64_t, std::optional<Index> count) {
               emit.loop(emit.constant(0), rows, emit.constant(plan.lanes),
                         [&](Index at) {
                           square(operand, block, i, count, emit.add(row, at));
                         });
             });
    }
    emit.loop(emit.constant(0), rows, emit.constant(1), [&](Index at) {
      ivs[plan.squareLoop] = emit.add(row, at);
      lanes(local, column, columns);
    });
  }

  /// Iterations of `loop` in the block at `ivs`.
  Index iterationsInBlock(int loop) {
    Index step = emit.constant(stepOf(loop)), extent = nest.extents[loop];
    return LoopEmitter::isKnown(emit.rem(extent, step), 0)
               ? step
               : emit.min(step, emit.sub(extent, ivs[loop]));
  }

  /// Lanes of a block: whole vectors.
  int64_t width() const {
    auto extent = LoopEmitter::known(nest.extents[plan.loop]);
    return std::min<int64_t>(
        blockColumns, llvm::alignTo(extent.value_or(blockColumns), plan.lanes));
  }

  /// Rows that are powers of two apart would share sets of the first cache.
  int64_t scratchStride() const { return width() + plan.lanes; }

  /// Transposes lanes i to i + lanes of as many rows in registers.
  void square(const NestOperand &operand, const NestOperand &block, Index i,
              std::optional<Index> count, Index row) {
    OpBuilder &builder = emit.builder;
    int64_t lanes = plan.lanes;
    auto type = VectorType::get(lanes, operand.element);
    Index extent = nest.extents[plan.squareLoop];
    bool isWhole = LoopEmitter::isKnown(emit.rem(extent, lanes), 0);
    ivs[plan.squareLoop] = row;
    SmallVector<Value> vectors;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      // Lanes that don't exist repeat the last.
      Index step = emit.constant(lane);
      if (count)
        step = emit.min(step, emit.sub(*count, emit.constant(1)));
      ivs[plan.loop] = emit.add(i, step);
      Value at = nest.address(emit, operand, ivs);
      if (operand.isEveryOther(plan.squareLoop))
        vectors.push_back(VectorBody::loadEveryOther(
            emit, operand.flat, at, type,
            isWhole ? std::nullopt
                    : std::optional<Index>(emit.sub(extent, row))));
      else if (isWhole)
        vectors.push_back(
            vector::LoadOp::create(builder, emit.loc, type, operand.flat, at));
      else
        vectors.push_back(vector::MaskedLoadOp::create(
            builder, emit.loc, type, operand.flat, at,
            emit.mask(lanes, emit.sub(extent, row)), emit.zero(type)));
    }
    ivs[plan.loop] = i;
    for (auto [lane, vector] : llvm::enumerate(emit.transpose(vectors))) {
      ivs[plan.squareLoop] = emit.add(row, emit.constant(lane));
      vector::StoreOp::create(builder, emit.loc, vector, block.flat,
                              nest.address(emit, block, ivs));
    }
  }

  /// A block on the stack of whoever runs these iterations.
  Value scratch(unsigned input, Type element) {
    Operation *scope = emit.builder.getInsertionBlock()->getParentOp();
    while (!isa<scf::ForallOp, FunctionOpInterface>(scope))
      scope = scope->getParentOp();
    Value &block = blockOf[{scope, input}];
    if (!block) {
      OpBuilder front = OpBuilder::atBlockBegin(&scope->getRegion(0).front());
      block = memref::AllocaOp::create(
          front, emit.loc,
          MemRefType::get({blockRows * scratchStride()}, element),
          front.getI64IntegerAttr(64));
    }
    return block;
  }

  /// `rows` iterations of the row loop times `vectors` vectors, carried through
  /// the reductions in registers.
  void reduceInside(Index i, int64_t vectors, std::optional<Index> count,
                    Index row, int64_t rows) {
    SmallVector<int> reductions = nest.loops(true);
    unsigned results = nest.results().size();
    auto forEach = [&](function_ref<void(VectorBody &, size_t)> visit) {
      size_t slot = 0;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t v = 0; v < vectors; ++v, slot += results) {
          ivs[plan.loop] = emit.add(i, emit.constant(v * plan.lanes));
          if (plan.rowLoop >= 0)
            ivs[plan.rowLoop] = emit.add(row, emit.constant(r));
          VectorBody body(emit, nest, plan.loop, plan.lanes);
          visit(body, slot);
        }
    };
    for (int loop : reductions)
      ivs[loop] = emit.constant(0);
    SmallVector<Value> carried;
    forEach([&](VectorBody &body, size_t) {
      for (unsigned r = 0; r < results; ++r)
        carried.push_back(body.broadcast(body.loadResult(r, ivs, count)));
    });
    carried = around(reductions, carried, [&](ValueRange sums) {
      SmallVector<Value> next;
      forEach([&](VectorBody &body, size_t slot) {
        body.loadInputs(ivs, count);
        for (Value value : body.run(ivs, sums.slice(slot, results), count))
          next.push_back(body.broadcast(value));
      });
      return next;
    });
    for (int loop : reductions)
      ivs[loop] = emit.constant(0);
    forEach([&](VectorBody &body, size_t slot) {
      for (unsigned r = 0; r < results; ++r)
        body.store(r, carried[slot + r], ivs, count);
    });
  }

  /// Loops over `loops`, outermost first, that carry `values` through `body`.
  SmallVector<Value> around(ArrayRef<int> loops, SmallVector<Value> values,
                            function_ref<SmallVector<Value>(ValueRange)> body) {
    if (loops.empty())
      return body(values);
    return emit.loop(emit.constant(0), nest.extents[loops[0]], emit.constant(1),
                     values, [&](Index i, ValueRange carried) {
                       ivs[loops[0]] = i;
                       return around(loops.drop_front(),
                                     SmallVector<Value>(carried), body);
                     });
  }

  /// Lanes along a reduction: each keeps a part, and the parts meet at the end.
  void reduceLanes() {
    OpBuilder &builder = emit.builder;
    SmallVector<int> outer = nest.loops(true);
    llvm::erase(outer, plan.loop);
    unsigned results = nest.results().size();
    SmallVector<Value> parts;
    for (int64_t v = 0; v < plan.unroll; ++v)
      for (unsigned r = 0; r < results; ++r)
        parts.push_back(plan.combiners[r].identity(
            emit, VectorType::get(plan.lanes, nest.results()[r].element)));

    auto step = [&](Index i, ValueRange sums, int64_t vectors,
                    std::optional<Index> count) {
      SmallVector<Value> next(sums);
      for (int64_t v = 0; v < vectors; ++v) {
        ivs[plan.loop] = emit.add(i, emit.constant(v * plan.lanes));
        VectorBody body(emit, nest, plan.loop, plan.lanes);
        body.loadInputs(ivs, count);
        SmallVector<Value> yielded =
            body.run(ivs, sums.slice(v * results, results), count);
        for (unsigned r = 0; r < results; ++r) {
          Value value = body.broadcast(yielded[r]);
          if (count)
            value = arith::SelectOp::create(builder, emit.loc,
                                            emit.mask(plan.lanes, *count),
                                            value, sums[v * results + r]);
          next[v * results + r] = value;
        }
      }
      return next;
    };
    parts = around(outer, parts, [&](ValueRange carried) {
      SmallVector<Value> sums(carried);
      Index at = emit.constant(0), extent = nest.extents[plan.loop];
      for (int64_t vectors = plan.unroll;; vectors = 1) {
        Index width = emit.constant(vectors * plan.lanes);
        Index end = emit.add(
            at, emit.mul(emit.div(emit.sub(extent, at), vectors * plan.lanes),
                         width));
        sums = emit.loop(at, end, width, sums, [&](Index i, ValueRange now) {
          return step(i, now, vectors, std::nullopt);
        });
        at = end;
        if (vectors == 1)
          break;
      }
      if (LoopEmitter::isKnown(emit.rem(extent, plan.lanes), 0))
        return sums;
      // An empty remainder is masked out entirely: a branch is not worth its
      // cost.
      return step(at, sums, 1, emit.sub(extent, at));
    });

    for (int loop : nest.loops(true))
      ivs[loop] = emit.constant(0);
    VectorBody body(emit, nest, plan.loop, plan.lanes);
    for (unsigned r = 0; r < results; ++r) {
      Value sum = parts[r];
      for (int64_t v = 1; v < plan.unroll; ++v)
        sum = plan.combiners[r].combine(emit, sum, parts[v * results + r]);
      Value scalar = reduceLanes(plan.combiners[r], sum);
      Value old = body.loadResult(r, ivs, std::nullopt);
      body.store(r, plan.combiners[r].combine(emit, old, scalar), ivs,
                 std::nullopt);
    }
  }

  Value reduceLanes(const Combiner &combiner, Value vector) {
    // LLVM compares lanes of floats one by one where NaN counts: halves are
    // compared as vectors.
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(combiner.op) ||
        !llvm::isPowerOf2_64(plan.lanes))
      return combiner.reduce(emit, vector);
    for (int64_t lanes = plan.lanes / 2; lanes > 0; lanes /= 2) {
      auto half = [&](int64_t from) -> Value {
        return vector::ExtractStridedSliceOp::create(
            emit.builder, emit.loc, vector, ArrayRef<int64_t>{from},
            ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1});
      };
      vector = combiner.combine(emit, half(0), half(lanes));
    }
    return vector::ExtractOp::create(emit.builder, emit.loc, vector,
                                     int64_t(0));
  }

  LoopEmitter &emit;
  const LoopNest &nest;
  const VectorPlan &plan;
  SmallVector<Index> ivs;
  DenseMap<std::pair<Operation *, unsigned>, Value> blockOf;
};

/// True if elements of `memref` are two apart along its last dim of several.
bool isEveryOther(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    if (type.getDimSize(dim) != 1)
      return strides[dim] == 2;
  return false;
}

/// Elements from what a turn of the shared loop around `op` reads of `value` to
/// what the next turn does, where `op` is the last of several that read it: the
/// first one has to wait for memory, which this one leaves idle. 0 elsewhere.
int64_t toNextTurn(linalg::LinalgOp op, Value value) {
  auto forall = dyn_cast<scf::ForallOp>(op->getParentOp());
  auto view = value.getDefiningOp<memref::SubViewOp>();
  if (!forall || !view || view->getBlock() != op->getBlock() ||
      forall.getRank() != 1 || ShapedType::isDynamic(forall.getStaticStep()[0]))
    return 0;
  MemRefType type = view.getSourceType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      type.getNumElements() * type.getElementTypeBitWidth() < 8 * fromMemory)
    return 0;
  size_t readBefore = 0;
  for (Operation *user : view->getUsers()) {
    Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
    if (op->isBeforeInBlock(top))
      return 0;
    readBefore += top != op;
  }
  // One is this op's own look at the buffer.
  if (readBefore < 2)
    return 0;
  for (auto [from, stride] : llvm::zip(view.getMixedOffsets(), strides))
    if (from == OpFoldResult(forall.getInductionVar(0)))
      return forall.getStaticStep()[0] * stride;
  return 0;
}

struct VectorizeForCpuPass
    : shardir::impl::VectorizeForCpuBase<VectorizeForCpuPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu.become(context, target);
  }

  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) {
      if (isEveryOther(op.getSource()) || isEveryOther(op.getTarget()))
        copies.push_back(op);
    });
    for (memref::CopyOp op : copies) {
      OpBuilder builder(op);
      linalg::CopyOp::create(builder, op.getLoc(), op.getSource(),
                             op.getTarget());
      op->erase();
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0 ||
          !VectorBody::isSupported(op))
        continue;
      OpBuilder builder(op);
      LoopEmitter emit(builder, op.getLoc());
      FailureOr<LoopNest> nest = makeLoopNest(op, emit);
      if (failed(nest))
        continue;
      for (auto [operand, value] :
           llvm::zip(nest->operands, op->getOperands())) {
        operand.spansGaps = true;
        operand.ahead = toNextTurn(op, value);
      }
      std::optional<VectorPlan> plan = planVectors(*nest, cpu);
      if (!plan)
        continue;
      // Inside of a shared loop every thread has its part already.
      if (op->getParentOfType<scf::ForallOp>())
        plan->parallel = false;
      NestEmitter(emit, *nest, *plan).run();
      op->erase();
    }
  }

  CpuTarget cpu;
};
} // namespace
