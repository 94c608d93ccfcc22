//===- Scatter.cpp - Updates at places that data decides ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes marked loop nests whose iterations update windows of one buffer at
// places that they compute from data, one update per iteration: two updates
// touch the same elements if their places agree, else none in common
// (ScalarNest.h). A first kernel writes the place of each update as a number.
// In the second one a warp per update (and some elements of its window) looks
// whether an earlier update has the same place; if none has, the warp does this
// update and all later ones of that place, in their order. Every element is
// thus updated in the order of the nest, by one lane, without atomics: the
// result is that of the nest in sequence, bit by bit.
//
// The search compares each pair of updates once; 256 places per step and warp.
// Where there are too many for that, places and numbers are sorted instead, by
// a bitonic network of one kernel per step (SortNetwork.h), and a warp that is
// the first of its place among those that are sorted does them all.
//
//===----------------------------------------------------------------------===//

#include "LinalgToGPU/SortNetwork.h"
#include "ScalarNest.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

namespace {
constexpr double loadLatency = 5e-7;
/// Places that a multiprocessor compares per second, out of its first cache.
constexpr double comparisonsPerSecond = 2e10;
/// Fewer by the emulated GPU: from some 500 updates on it sorts.
constexpr double emulatedPerSecond = 1.7e7;
constexpr int64_t threads = 256, lanes = 32, warps = threads / lanes;
/// Places that a lane looks at in a step.
constexpr int64_t perStep = 8;
/// Of the updates, those that have one place: a text's most frequent word.
constexpr double sharedPlace = 0.05;

struct ScatterPlan {
  /// Places and numbers are sorted, instead of each pair compared.
  bool sorts = false;
  /// Elements of a window per lane, one behind the other.
  int64_t perLane = 16;
  double seconds = 0; ///< of the search and of the updates of one place
};

/// Steps of a network that sorts so many.
double networkSteps(double count) {
  double levels = std::ceil(std::log2(std::max(count, 2.0)));
  return levels * (levels + 1) / 2;
}

class ScatterEmitter {
public:
  ScatterEmitter(KernelEmitter &emit, ScalarNest &nest, const ScatterPlan &plan)
      : emit(emit), nest(nest), sorts(plan.sorts), perLane(plan.perLane) {}

  void run() {
    for (scf::ForOp loop : nest.chain) {
      chainExtents.push_back(tripsOf(emit, loop));
      updates =
          emit.mul(updates ? updates : emit.constant(1), chainExtents.back());
    }
    window = emit.constant(1);
    for (scf::ForOp loop : nest.parallel) {
      windowExtents.push_back(tripsOf(emit, loop));
      window = emit.mul(window, windowExtents.back());
    }
    auto type = cast<MemRefType>(nest.written.getType());
    int64_t places = 1;
    for (unsigned dim : nest.keyDims) {
      bool dynamic = type.isDynamicDim(dim);
      sizes.push_back(dynamic
                          ? Index(memref::DimOp::create(emit.builder, emit.loc,
                                                        nest.written, dim)
                                      .getResult())
                          : emit.constant(type.getDimSize(dim)));
      places = dynamic || places > (int64_t(1) << 31)
                   ? int64_t(1) << 32
                   : places * std::max<int64_t>(type.getDimSize(dim), 1);
    }
    // With its number a place fills a word of 64 bits.
    sorts &= places < (int64_t(1) << 31);
    keyType = places < (int64_t(1) << 31) && !sorts ? emit.builder.getI32Type()
                                                    : emit.builder.getI64Type();
    keys = emit.workspace(keyType, updates);
    emit.launchOver(
        "places", chainExtents, threads,
        [&](Index number, ArrayRef<Index> at) { writeKey(number, at); });
    if (sorts)
      sortKeys();
    emit.launch(
        "scatter",
        {emit.ceilDiv(updates, warps), emit.ceilDiv(window, lanes * perLane)},
        threads, 0, [&] { sorts ? scatterSorted() : scatter(); });
    memref::DeallocOp::create(emit.builder, emit.loc, keys);
  }

private:
  /// Ops of an iteration that run once, whatever part of the window: arithmetic
  /// and loads of what the nest does not write.
  bool isShared(Operation &op) {
    if (op.getNumRegions() != 0)
      return false;
    auto load = dyn_cast<memref::LoadOp>(op);
    bool keeps = load ? baseOf(load.getMemRef()) != baseOf(nest.written)
                      : isMemoryEffectFree(&op);
    return keeps && llvm::all_of(op.getOperands(), [&](Value operand) {
             Operation *from = operand.getDefiningOp();
             return !from || from->getBlock() != op.getBlock() ||
                    isShared(*from);
           });
  }

  IRMapping startUpdate(ArrayRef<Index> at) {
    IRMapping mapping;
    for (auto [loop, iv] : llvm::zip(nest.chain, at)) {
      mapping.map(loop.getInductionVar(), inductionAt(emit, loop, iv));
      for (Operation &op : loop.getBody()->without_terminator())
        if (isShared(op))
          emit.builder.clone(op, mapping);
    }
    return mapping;
  }

  void writeKey(Index number, ArrayRef<Index> at) {
    IRMapping mapping = startUpdate(at);
    Index key = emit.constant(0);
    for (auto [index, size] : llvm::zip(nest.keys, sizes))
      key =
          emit.add(emit.mul(key, size), Index(mapping.lookupOrDefault(index)));
    Value word = arith::IndexCastOp::create(emit.builder, emit.loc, keyType,
                                            emit.value(key));
    if (sorts)
      word = arith::OrIOp::create(
          emit.builder, emit.loc,
          arith::ShLIOp::create(emit.builder, emit.loc, word, long32()),
          arith::IndexCastOp::create(emit.builder, emit.loc, keyType,
                                     emit.value(number)));
    memref::StoreOp::create(emit.builder, emit.loc, word, keys,
                            emit.value(number));
  }

  Value long32() {
    return arith::ConstantIntOp::create(emit.builder, emit.loc, 32, 64);
  }

  /// Orders the words of all updates: on the host, a kernel per step.
  void sortKeys() {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Value one = emit.value(emit.constant(1));
    // The least power of two that is as large, and which one that is.
    Value levels;
    if (auto known = LoopEmitter::known(updates)) {
      levels = emit.value(
          emit.constant(*known > 1 ? llvm::Log2_64_Ceil(uint64_t(*known)) : 0));
    } else {
      Type i64 = builder.getI64Type();
      Value last = arith::IndexCastOp::create(
          builder, loc, i64,
          emit.value(
              emit.sub(emit.max(updates, emit.constant(1)), emit.constant(1))));
      Value zeros = math::CountLeadingZerosOp::create(builder, loc, last);
      Value bits = arith::ConstantIntOp::create(builder, loc, 64, 64);
      levels = arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(),
          arith::SubIOp::create(builder, loc, bits, zeros));
    }
    Value all = arith::ShLIOp::create(builder, loc, one, levels);
    Index pairs =
        Index(arith::ShRUIOp::create(builder, loc, all, one).getResult());
    emit.loop(emit.constant(0), Index(levels), emit.constant(1), [&](Index p) {
      Value half = arith::ShLIOp::create(builder, loc, one, emit.value(p));
      emit.loop(emit.constant(0), emit.add(p, emit.constant(1)),
                emit.constant(1), [&](Index q) {
                  emit.launch("order", {emit.ceilDiv(pairs, threads)}, threads,
                              0, [&] { comparePair(pairs, half, q); });
                });
    });
  }

  /// This thread's pair of a step: the smaller word goes first.
  void comparePair(Index pairs, Value half, Index q) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Index number = emit.add(emit.mul(emit.block(0), threads), emit.thread());
    auto [first, second] =
        pairOfNetwork(builder, loc, emit.value(number), half, emit.value(q));
    Index left = first, right = second;
    Value exists =
        emit.both(emit.lessThan(number, pairs), emit.lessThan(right, updates));
    emit.branch(exists, [&] {
      Value a = loadKey(left), b = loadKey(right);
      Value swaps =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, a, b);
      emit.branch(swaps, [&] {
        memref::StoreOp::create(builder, loc, b, keys, emit.value(left));
        memref::StoreOp::create(builder, loc, a, keys, emit.value(right));
      });
    });
  }

  /// A warp whose place differs from the one before does all of that place.
  void scatterSorted() {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Index lane = emit.rem(emit.thread(), lanes),
          warp = emit.div(emit.thread(), lanes);
    Index at = emit.add(emit.mul(emit.block(0), warps), warp);
    auto placeOf = [&](Value word) -> Value {
      return arith::ShRUIOp::create(builder, loc, word, long32());
    };
    emit.branch(emit.lessThan(at, updates), [&] {
      Value own = placeOf(loadKey(at));
      Index before = emit.max(emit.sub(at, emit.constant(1)), emit.constant(0));
      Value differs =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own,
                                placeOf(loadKey(before)));
      Value isFirst = arith::OrIOp::create(builder, loc, differs,
                                           emit.equal(at, emit.constant(0)));
      emit.branch(isFirst, [&] {
        auto walk = scf::WhileOp::create(builder, loc,
                                         TypeRange{builder.getIndexType()},
                                         ValueRange{emit.value(at)});
        OpBuilder::InsertionGuard guard(builder);
        Block *test = builder.createBlock(&walk.getBefore(), {},
                                          {builder.getIndexType()}, {loc});
        Index next = Index(test->getArgument(0));
        Index last = emit.sub(updates, emit.constant(1));
        Value same =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, own,
                                  placeOf(loadKey(emit.min(next, last))));
        scf::ConditionOp::create(builder, loc,
                                 emit.both(same, emit.lessThan(next, updates)),
                                 test->getArguments());
        Block *body = builder.createBlock(&walk.getAfter(), {},
                                          {builder.getIndexType()}, {loc});
        Index place = Index(body->getArgument(0));
        Value number = arith::IndexCastOp::create(
            builder, loc, builder.getIndexType(),
            arith::AndIOp::create(
                builder, loc, loadKey(place),
                arith::ConstantIntOp::create(builder, loc, 0xffffffffll, 64)));
        update(Index(number), lane);
        scf::YieldOp::create(
            builder, loc,
            ValueRange{emit.value(emit.add(place, emit.constant(1)))});
      });
    });
  }

  Value loadKey(Index at) {
    return memref::LoadOp::create(emit.builder, emit.loc, keys, emit.value(at));
  }

  Value word(int64_t number) {
    return arith::ConstantIntOp::create(emit.builder, emit.loc, number, 32);
  }
  /// The bits that any lane has.
  Value unite(Value bits) {
    return emit.butterfly(bits, lanes, [&](Value a, Value b) -> Value {
      return arith::OrIOp::create(emit.builder, emit.loc, a, b);
    });
  }

  /// Bit t is set where the place at from + 32 t + lane is `key`, before `end`.
  Value compare(Index from, Index end, Value key, Index lane) {
    OpBuilder &builder = emit.builder;
    Value bits = word(0);
    Index last = emit.sub(updates, emit.constant(1));
    for (int64_t t = 0; t < perStep; ++t) {
      Index at = emit.add(emit.add(from, emit.constant(lanes * t)), lane);
      Value same =
          arith::CmpIOp::create(builder, emit.loc, arith::CmpIPredicate::eq,
                                key, loadKey(emit.min(at, last)));
      same = emit.both(same, emit.lessThan(at, end));
      Value bit =
          arith::ExtUIOp::create(builder, emit.loc, builder.getI32Type(), same);
      bits = arith::OrIOp::create(
          builder, emit.loc, bits,
          arith::ShLIOp::create(builder, emit.loc, bit, word(t)));
    }
    return bits;
  }

  /// True if an update before number `number` has its place.
  Value hasEarlier(Index number, Value key, Index lane) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Value zero = emit.value(emit.constant(0));
    auto search = scf::WhileOp::create(
        builder, loc, TypeRange{builder.getIndexType(), builder.getI32Type()},
        ValueRange{zero, word(0)});
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> types(search.getResultTypes());
    Block *before = builder.createBlock(&search.getBefore(), {}, types,
                                        SmallVector<Location>(2, loc));
    Value more = emit.lessThan(Index(before->getArgument(0)), number);
    Value none = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       before->getArgument(1), word(0));
    scf::ConditionOp::create(builder, loc, emit.both(more, none),
                             before->getArguments());
    Block *after = builder.createBlock(&search.getAfter(), {}, types,
                                       SmallVector<Location>(2, loc));
    Index from = Index(after->getArgument(0));
    Value found = unite(compare(from, number, key, lane));
    Index next = emit.add(from, emit.constant(lanes * perStep));
    scf::YieldOp::create(builder, loc, ValueRange{emit.value(next), found});
    return search.getResult(1);
  }

  void scatter() {
    Index lane = emit.rem(emit.thread(), lanes),
          warp = emit.div(emit.thread(), lanes);
    Index number = emit.add(emit.mul(emit.block(0), warps), warp);
    // All lanes of a warp go the same way.
    emit.branch(emit.lessThan(number, updates), [&] {
      Value key = loadKey(number);
      Value earlier = hasEarlier(number, key, lane);
      Value isFirst = arith::CmpIOp::create(
          emit.builder, emit.loc, arith::CmpIPredicate::eq, earlier, word(0));
      emit.branch(isFirst, [&] { updateAll(number, key, lane); });
    });
  }

  /// The first position of a step whose bit is set in some lane, or the end of
  /// the step.
  Value firstOf(Value bits, Value laneWord) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    // Of zero this is 32: behind the step's end.
    Value row = math::CountTrailingZerosOp::create(builder, loc, bits);
    Value position = arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, row, word(lanes)),
        laneWord);
    position =
        arith::MinUIOp::create(builder, loc, position, word(lanes * perStep));
    return emit.butterfly(position, lanes, [&](Value a, Value b) -> Value {
      return arith::MinUIOp::create(builder, loc, a, b);
    });
  }

  /// Does update `number`, the first of its place, and the later ones of it.
  void updateAll(Index number, Value key, Index lane) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Type type = builder.getI32Type();
    Value laneWord =
        arith::IndexCastOp::create(builder, loc, type, emit.value(lane));
    emit.loop(number, updates, emit.constant(lanes * perStep), [&](Index from) {
      Value mine = compare(from, updates, key, lane);
      SmallVector<Type> types = {type, builder.getIndexType()};
      auto matches =
          scf::WhileOp::create(builder, loc, types, ValueRange{mine});
      OpBuilder::InsertionGuard guard(builder);
      Block *before =
          builder.createBlock(&matches.getBefore(), {}, {type}, {loc});
      Value bits = before->getArgument(0);
      Value position = firstOf(bits, laneWord);
      Value some =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                position, word(lanes * perStep));
      // The lane that has it goes on without it.
      Value has = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, laneWord,
          arith::RemUIOp::create(builder, loc, position, word(lanes)));
      Value without = arith::AndIOp::create(
          builder, loc, bits,
          arith::SubIOp::create(builder, loc, bits, word(1)));
      Value rest = arith::SelectOp::create(builder, loc, has, without, bits);
      Value at = arith::IndexCastUIOp::create(builder, loc,
                                              builder.getIndexType(), position);
      Value next = emit.value(emit.add(from, Index(at)));
      scf::ConditionOp::create(builder, loc, some, ValueRange{rest, next});
      Block *after = builder.createBlock(&matches.getAfter(), {}, types,
                                         SmallVector<Location>(2, loc));
      update(Index(after->getArgument(1)), lane);
      scf::YieldOp::create(builder, loc, after->getArgument(0));
    });
  }

  /// This lane's part of one update's window.
  void update(Index number, Index lane) {
    IRMapping shared = startUpdate(emit.decode(number, chainExtents));
    Index first = emit.add(emit.mul(emit.block(1), lanes * perLane), lane);
    Index end = emit.min(
        emit.mul(emit.add(emit.block(1), emit.constant(1)), lanes * perLane),
        window);
    emit.loop(first, end, emit.constant(lanes), [&](Index element) {
      IRMapping mapping = shared;
      SmallVector<Index> at = emit.decode(element, windowExtents);
      for (Operation &op : nest.chain.back().getBody()->without_terminator())
        if (!isShared(op))
          cloneAt(emit, &op, mapping, nest.parallel, at);
    });
  }

  KernelEmitter &emit;
  ScalarNest &nest;
  bool sorts;
  int64_t perLane;
  SmallVector<Index> chainExtents, windowExtents, sizes;
  Index updates, window;
  Type keyType;
  Value keys;
};

class Scatter : public Schedule {
public:
  StringRef name() const override { return "scatter"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto nest = analyzeNest(op);
    if (!nest || !nest->hasKeys || nest->keys.empty())
      return std::nullopt;
    double updates = std::max(nest->chainTrips(), 1.0);
    double window = std::max(nest->parallelTrips(), 1.0);
    double accesses = nest->accesses();
    ScatterPlan plan = planFor(*nest, target);
    double parts = std::ceil(window / double(lanes * plan.perLane));
    double update =
        std::max(accesses * 4 / target.copyBytesPerSecond,
                 accesses / updates / std::min(window, double(lanes)) *
                     loadLatency / parts);
    Estimate estimate;
    estimate.seconds = 2 * target.launchSeconds + plan.seconds + update;
    estimate.reason = "a warp per update that is the first at its place";
    if (plan.sorts)
      estimate.reason += ", of places that are sorted";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    ScalarNest nest = *analyzeNest(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    op->removeAttr(ShardIRDialect::kKernel);
    ScatterEmitter(emitter, nest, planFor(nest, target)).run();
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Shorter parts of a window search as often as there are parts, and do the
  /// updates of one place, which follow each other, sooner.
  static ScatterPlan planFor(const ScalarNest &nest, const GpuTarget &target) {
    double updates = std::max(nest.chainTrips(), 1.0),
           window = std::max(nest.parallelTrips(), 1.0);
    double rate = (target.isHost() ? emulatedPerSecond : comparisonsPerSecond) *
                  target.multiprocessors;
    // Words are read and written in each step.
    double sort = networkSteps(updates) *
                  (target.launchSeconds +
                   updates * 16 / target.copyBytesPerSecond);
    std::optional<ScatterPlan> best;
    for (int64_t perLane : {16, 8, 4, 2, 1}) {
      double parts = std::ceil(window / double(lanes * perLane)),
             each = std::ceil(std::min(window / lanes, double(perLane)));
      double search =
          std::max(updates * updates * parts / rate,
                   std::ceil(updates / (lanes * perStep)) * loadLatency);
      double repeated = sharedPlace * updates * each * loadLatency;
      ScatterPlan plan = {sort < search, perLane,
                          std::min(sort, search) + repeated};
      if (!best || plan.seconds < best->seconds)
        best = plan;
    }
    return *best;
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createScatterSchedule() {
  return std::make_unique<Scatter>();
}
