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
// narrowest operand hold, or of the widest result if these are fewer, so that
// what a warp writes are full 512-byte runs.
// Where rows may start anywhere (odd strides, a pointer that is only known at
// run time) the host decides by one test whether vectors are aligned; where
// they surely are not, a thread has as many elements that lie a warp apart.
// The remainder at the end of a row goes element by element. Inputs that
// are contiguous along another loop than the result pass through shared memory
// in square tiles, by words of 32 bits where these are aligned.
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
};

/// Lanes of a warp: the columns of a tile that is transposed.
constexpr int64_t warpLanes = 32;

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
    // A store that writes every other 16 bytes takes twice the requests; loads
    // of that kind find the rest in the L1 cache.
    for (const NestOperand &result : nest.results())
      plan.lanes = std::min(
          plan.lanes, std::max<int64_t>(16 / elementBytes(result.element), 1));
    auto extent = LoopEmitter::known(nest.extents[plan.loop]);
    while (extent && plan.lanes > 1 && *extent < plan.lanes)
      plan.lanes /= 2;
  }
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
    // One narrow element a thread would leave most of the bus idle.
    int64_t apart = 1;
    if (lanes == 1 && plan.lanes > 1 &&
        extentOf(nest, plan.loop) >= warpLanes * plan.lanes)
      apart = plan.lanes;
    SmallVector<int> loops = order();
    SmallVector<Index> extents;
    for (int loop : loops) {
      Index extent = nest.extents[loop];
      if (loop == plan.loop)
        extent = apart > 1 ? emit.mul(emit.ceilDiv(extent, warpLanes * apart),
                                      warpLanes)
                           : emit.ceilDiv(extent, lanes);
      extents.push_back(extent);
    }
    emit.launchOver("elementwise", extents, threadsPerBlock,
                    [&](Index, ArrayRef<Index> at) {
                      for (auto [loop, iv] : llvm::zip(loops, at))
                        ivs[loop] = iv;
                      if (apart > 1)
                        elementsApart(apart);
                      else
                        element(lanes, aligned);
                    });
  }

  /// `count` elements, a warp apart: all are loaded before any is stored.
  void elementsApart(int64_t count) {
    Index number = ivs[plan.loop], extent = nest.extents[plan.loop];
    Index first =
        emit.add(emit.mul(emit.div(number, warpLanes), warpLanes * count),
                 emit.rem(number, warpLanes));
    Index last = emit.add(first, emit.constant(warpLanes * (count - 1)));
    auto at = [&](int64_t i) {
      ivs[plan.loop] = emit.add(first, emit.constant(warpLanes * i));
    };
    emit.branch(
        emit.lessThan(last, extent),
        [&] {
          SmallVector<SmallVector<Value>> results;
          for (int64_t i = 0; i < count; ++i) {
            at(i);
            results.push_back(runScalarBody(emit, nest, ivs));
          }
          for (int64_t i = 0; i < count; ++i) {
            at(i);
            store(results[i]);
          }
        },
        [&] {
          emit.loop(first, extent, emit.constant(warpLanes), [&](Index i) {
            ivs[plan.loop] = i;
            oneElement();
          });
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

  bool isTransposed(const NestOperand &operand) const {
    return ::isTransposed(operand, plan.loop, plan.across);
  }

  /// Elements of one access to a tile: as many as fill a word of 32 bits,
  /// where all accesses of that size are aligned and end inside of the rows.
  int64_t lanesOfTiles() {
    int64_t widest = 1;
    for (const NestOperand &operand : nest.operands)
      if (isTransposed(operand))
        widest = std::max(widest, elementBytes(operand.element));
    int64_t lanes = std::max<int64_t>(4 / widest, 1);
    auto fits = [&](const NestOperand &operand) {
      if (operand.scalar || operand.isUniform(plan.loop))
        return true;
      int loop = isTransposed(operand) ? plan.across : plan.loop;
      // A vector of i1 is packed, a memref of them is not.
      return !operand.element.isInteger(1) && operand.isUnit(loop) &&
             emit.isAligned(operand, loop, lanes).always();
    };
    bool whole = llvm::all_of(ArrayRef({plan.loop, plan.across}), [&](int i) {
      auto extent = LoopEmitter::known(nest.extents[i]);
      return extent && *extent % lanes == 0;
    });
    return lanes > 1 && whole && llvm::all_of(nest.operands, fits) ? lanes : 1;
  }

  /// `count` neighbours in memory from `address` on.
  SmallVector<Value> loadRow(Value memory, Value address, Type element,
                             int64_t count) {
    if (count == 1)
      return {memref::LoadOp::create(emit.builder, emit.loc, memory, address)};
    Value vector = vector::LoadOp::create(emit.builder, emit.loc,
                                          VectorType::get(count, element),
                                          memory, address);
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(
          vector::ExtractOp::create(emit.builder, emit.loc, vector, i));
    return values;
  }

  /// A block per square tile of `loop` x `across`. Transposed inputs are copied
  /// into shared memory by words along `across`, and read as small squares of
  /// words, whose columns are words along `loop`. Word w of row r has place
  /// w xor (r / lanes), so that neither way two lanes meet in one bank.
  void tiles() {
    int64_t lanes = lanesOfTiles();
    int64_t tile = warpLanes * lanes;
    int64_t warps = threadsPerBlock / warpLanes;
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
    for (unsigned i = 0; i < nest.numInputs(); ++i)
      if (isTransposed(nest.operands[i]))
        offsets[i] =
            layout.take(tile * tile * elementBytes(nest.operands[i].element));
    emit.launch("transpose", {total}, threadsPerBlock, layout.bytes, [&] {
      SmallVector<Index> at = emit.decode(emit.block(0), extents);
      for (auto [loop, iv] : llvm::zip(outer, at))
        ivs[loop] = iv;
      Index alongStart = emit.mul(at.back(), tile),
            acrossStart = emit.mul(at[at.size() - 2], tile);
      Index lane = emit.rem(emit.thread(), warpLanes),
            warp = emit.div(emit.thread(), warpLanes);
      auto placeOf = [&](Index row, Index word) {
        Value mixed =
            arith::XOrIOp::create(emit.builder, emit.loc, emit.value(word),
                                  emit.value(emit.div(row, lanes)));
        return emit.value(
            emit.add(emit.mul(row, tile), emit.mul(Index(mixed), lanes)));
      };

      SmallVector<Value> squares(nest.operands.size());
      for (unsigned i = 0; i < offsets.size(); ++i) {
        if (offsets[i] < 0)
          continue;
        const NestOperand &operand = nest.operands[i];
        squares[i] = emit.shared(operand.element, tile * tile, offsets[i]);
        for (int64_t first = 0; first < tile; first += warps) {
          Index row = emit.add(warp, emit.constant(first));
          ivs[plan.loop] = emit.add(alongStart, row);
          ivs[plan.across] = emit.add(acrossStart, emit.mul(lane, lanes));
          whereInside(tile, [&] {
            SmallVector<Value> word =
                loadRow(operand.flat, nest.address(emit, operand, ivs),
                        operand.element, lanes);
            NestOperand square = operand;
            square.flat = squares[i];
            storeRow(emit, square, placeOf(row, lane), word);
          });
        }
      }
      emit.barrier();
      for (int64_t first = 0; first < warpLanes; first += warps) {
        Index word = emit.add(warp, emit.constant(first));
        Index row = emit.mul(lane, lanes);
        ivs[plan.loop] = emit.add(alongStart, row);
        ivs[plan.across] = emit.add(acrossStart, emit.mul(word, lanes));
        whereInside(tile, [&] {
          // By operand, position along `loop` and along `across`.
          SmallVector<SmallVector<SmallVector<Value>>> turned(squares.size());
          for (auto [i, square] : llvm::enumerate(squares))
            for (int64_t e = 0; square && e < lanes; ++e)
              turned[i].push_back(loadRow(
                  square, placeOf(emit.add(row, emit.constant(e)), word),
                  nest.operands[i].element, lanes));
          Index along = ivs[plan.loop], across = ivs[plan.across];
          for (int64_t c = 0; c < lanes; ++c) {
            ivs[plan.across] = emit.add(across, emit.constant(c));
            ivs[plan.loop] = along;
            column(turned, c, lanes);
          }
        });
      }
    });
  }

  /// The op at `lanes` neighbours along `loop`, from where the ivs stand.
  void column(ArrayRef<SmallVector<SmallVector<Value>>> turned, int64_t c,
              int64_t lanes) {
    Index start = ivs[plan.loop];
    Block *body = nest.getOp().getBlock();
    // By operand and lane; empty where the body reads memory by itself.
    SmallVector<SmallVector<Value>> rows(nest.operands.size());
    for (auto [i, operand] : llvm::enumerate(nest.operands)) {
      if (!turned[i].empty())
        for (int64_t e = 0; e < lanes; ++e)
          rows[i].push_back(turned[i][e][c]);
      else if (!operand.scalar && !operand.isUniform(plan.loop) &&
               !body->getArgument(i).use_empty())
        rows[i] = loadRow(operand.flat, nest.address(emit, operand, ivs),
                          operand.element, lanes);
    }
    SmallVector<SmallVector<Value>> results(nest.results().size());
    for (int64_t e = 0; e < lanes; ++e) {
      ivs[plan.loop] = emit.add(start, emit.constant(e));
      SmallVector<Value> given;
      for (ArrayRef<Value> row : rows)
        given.push_back(row.empty() ? Value() : row[e]);
      ArrayRef<Value> all(given);
      for (auto [result, value] :
           llvm::zip(results, runScalarBody(emit, nest, ivs,
                                            all.take_front(nest.numInputs()),
                                            all.drop_front(nest.numInputs()))))
        result.push_back(value);
    }
    ivs[plan.loop] = start;
    for (auto [operand, values] : llvm::zip(nest.results(), results))
      storeRow(emit, operand, nest.address(emit, operand, ivs), values);
  }

  /// Runs `body` where the ivs of both loops stand inside of them.
  void whereInside(int64_t tile, function_ref<void()> body) {
    Value inside;
    for (int loop : {plan.loop, plan.across})
      if (auto extent = LoopEmitter::known(nest.extents[loop]);
          !extent || *extent % tile != 0)
        inside =
            emit.both(inside, emit.lessThan(ivs[loop], nest.extents[loop]));
    if (inside)
      emit.branch(inside, body);
    else
      body();
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
    return emitElementwise(rewriter, cast<linalg::LinalgOp>(op), op);
  }
};
} // namespace

LogicalResult shardir::emitElementwise(RewriterBase &rewriter,
                                       linalg::LinalgOp op, Operation *named) {
  rewriter.setInsertionPoint(op);
  KernelEmitter emitter(rewriter, named);
  FailureOr<LoopNest> nest = makeLoopNest(op, emitter);
  if (failed(nest))
    return op->emitOpError("has no linear addresses");
  ElementwisePlan plan = planFor(*nest);
  ElementwiseEmitter(emitter, *nest, plan).run();
  rewriter.eraseOp(op);
  return success();
}

std::unique_ptr<Schedule> shardir::createElementwiseSchedule() {
  return std::make_unique<Elementwise>();
}
