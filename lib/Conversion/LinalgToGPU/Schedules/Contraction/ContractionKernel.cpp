//===- ContractionKernel.cpp - Tiles of a matrix product ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline of the CUTLASS 2 multistage kernels: before the first step, the
// copies of all stages but one (or more, where products lag behind) are under
// way; each step waits for the oldest, starts the copies that replace the stage
// that was read last, and multiplies. One barrier per step does for both
// directions. Positions outside of A and B count
// as zero, so that products need no predicates; C's edges do.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

ProductTiles::ProductTiles(KernelEmitter &emit, const Contraction &contraction,
                           const Epilogue &epilogue, const LoopNest &nest,
                           const TilePlan &plan)
    : emit(emit), contraction(contraction), epilogue(epilogue), plan(plan) {
  linalg::LinalgOp op = contraction.op;
  bool straight = contraction.a.memref == op.getDpsInputs()[0] &&
                  contraction.a.map == op.getIndexingMapsArray()[0];
  auto make = [&](TileSource &source, unsigned input, int outerLoop,
                  int64_t tile) {
    source.operand = nest.operands[input];
    source.outerLoop = outerLoop;
    if (plan.rowGroups && plan.prologue[input] && &source == &a)
      takeRowGroups();
    auto unit = [&](int loop) {
      return loop >= 0 && source.operand.isUnit(loop);
    };
    source.alongK = plan.alongK || unit(contraction.k) || !unit(outerLoop);
    int along = source.alongK ? contraction.k : outerLoop;
    source.rows = source.alongK ? tile : this->plan.bk;
    source.columns = source.alongK ? this->plan.bk : tile;
    int64_t lanes = 16 / elementBytes(source.operand.element);
    if (!plan.rowGroups)
      source.prologue = epilogue.prologueOf(input);
    source.copied = plan.copied[input];
    if (source.copied)
      source.aligned = {true, {}};
    else if (unit(along) && !source.prologue)
      source.aligned = emit.isAligned(source.operand, along, lanes);
  };
  make(a, straight ? 0 : 1, contraction.m, plan.bm / plan.pair);
  make(b, straight ? 1 : 0, contraction.n, plan.bn / plan.pair);
  for (int loop : contraction.outer)
    batchExtents.push_back(extent(loop));
  for (int loop : contraction.outerK)
    outerKExtents.push_back(extent(loop));
  stepsPerK = emit.ceilDiv(extent(contraction.k), plan.bk);
  steps = stepsPerK;
  for (Index size : outerKExtents)
    steps = emit.mul(steps, size);
}

void ProductTiles::takeRowGroups() {
  const std::optional<RowGroups> &found = plan.rowGroups;
  bool fits = int(found->row) == contraction.m &&
              contraction.outerK == SmallVector<int>{int(found->group)} &&
              // Loops are those of the op.
              llvm::all_of(contraction.parts,
                           [](const auto &loops) { return loops.size() == 1; });
  if (!fits)
    return;
  auto operand = [&](Value memref, AffineMap map) {
    return makeNestOperand(emit, memref, map);
  };
  FailureOr<NestOperand> rows = operand(found->rows, found->rowsMap),
                         from = operand(found->from, found->fromMap),
                         to = operand(found->to, found->toMap);
  if (failed(rows) || failed(from) || failed(to))
    return;
  a.operand = *rows;
  groups = Groups{int(found->group), *from, *to, found->firstRow};
}

std::pair<Value, Value> ProductTiles::boundsOf(Index group) {
  OpBuilder &builder = emit.builder;
  Index zero = emit.constant(0), rows = extent(contraction.m);
  SmallVector<Index> ivs(contraction.extents.size(), zero);
  ivs[groups->loop] = group;
  auto read = [&](const NestOperand &bounds) {
    Value bound = memref::LoadOp::create(builder, emit.loc, bounds.flat,
                                         emit.value(bounds.address(emit, ivs)));
    Index row = emit.index(bound);
    if (groups->firstRow)
      row = emit.sub(row, groups->firstRow);
    return emit.cast(emit.clamp(row, zero, rows), 32);
  };
  Value from = read(groups->from);
  return {from, read(groups->to)};
}

Value ProductTiles::isInTile(Value from, Value to) {
  auto below = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(emit.builder, emit.loc,
                                 arith::CmpIPredicate::slt, a, b);
  };
  Index end = emit.add(tileM, emit.constant(plan.bm));
  return emit.both(emit.both(below(from, to), below(from, emit.cast(end, 32))),
                   below(emit.cast(tileM, 32), to));
}

SmallVector<Value> ProductTiles::boundsOrNone(Index group) {
  return emit.either(
      emit.lessThan(group, extent(groups->loop)),
      [&] {
        auto [from, to] = boundsOf(group);
        return SmallVector<Value>{from, to};
      },
      [&] { return SmallVector<Value>{emit.i32(0), emit.i32(0)}; });
}

bool ProductTiles::divides(int loop, int64_t tile) const {
  auto known = LoopEmitter::known(extent(loop));
  return known && *known % tile == 0;
}

void ProductTiles::setStep(Index step) {
  SmallVector<Index> sizes = outerKExtents;
  sizes.push_back(stepsPerK);
  SmallVector<Index> at = emit.decode(step, sizes);
  stepK = emit.mul(at.back(), plan.bk);
  at.pop_back();
  stepOuterK = at;
}

void ProductTiles::forEachIv(const TileSource &source, Index outer, Index k,
                             llvm::function_ref<void(int, Index)> visit) {
  auto move = [&](int loop, Index iv) {
    if (loop >= 0)
      visit(loop, iv);
  };
  for (auto [loop, iv] : llvm::zip(contraction.outer, batch))
    move(loop, iv);
  for (auto [loop, iv] : llvm::zip(contraction.outerK, stepOuterK))
    move(loop, iv);
  move(source.outerLoop, outer);
  move(contraction.k, k);
}

Index ProductTiles::address(const TileSource &source, Index outer, Index k) {
  const NestOperand &operand = source.operand;
  Index result = operand.offset;
  forEachIv(source, outer, k, [&](int loop, Index iv) {
    result = emit.add(result, emit.mul(iv, operand.strides[loop]));
  });
  return result;
}

Value ProductTiles::element(const TileSource &source, Index outer, Index k) {
  if (!source.prologue)
    return memref::LoadOp::create(emit.builder, emit.loc, source.operand.flat,
                                  emit.value(address(source, outer, k)));
  SmallVector<Index> ivs(contraction.extents.size(), emit.constant(0));
  forEachIv(source, outer, k, [&](int loop, Index iv) { ivs[loop] = iv; });
  return source.prologue->at(emit, ivs);
}

SmallVector<Index> ProductTiles::ivsAt(Index m, Index n) const {
  SmallVector<Index> ivs(contraction.extents.size(),
                         emit.builder.getIndexAttr(0));
  for (auto [loop, iv] : llvm::zip(contraction.outer, batch))
    ivs[loop] = iv;
  if (contraction.m >= 0)
    ivs[contraction.m] = m;
  if (contraction.n >= 0)
    ivs[contraction.n] = n;
  return ivs;
}

Index ProductTiles::partialsPitch() const {
  return emit.roundUp(extent(contraction.n), 2);
}

Index ProductTiles::partialsAt(Index split, Index m, Index n) {
  Index at = split;
  for (auto [extent, iv] : llvm::zip(batchExtents, batch))
    at = emit.add(emit.mul(at, extent), iv);
  at = emit.add(emit.mul(at, extent(contraction.m)), m);
  return emit.add(emit.mul(at, partialsPitch()), n);
}

void ProductTiles::storePartials(Index m, Index n, ArrayRef<Value> sums) {
  auto type = VectorType::get(sums.size(), sums[0].getType());
  auto both = [&] {
    Value vector = vector::FromElementsOp::create(emit.builder, emit.loc, type,
                                                  SmallVector<Value>(sums));
    vector::StoreOp::create(emit.builder, emit.loc, vector, partials,
                            emit.value(partialsAt(split, m, n)));
  };
  Value exists;
  if (!divides(contraction.m, plan.bm))
    exists = emit.lessThan(m, extent(contraction.m));
  if (!divides(contraction.n, plan.bn))
    exists = emit.both(exists, emit.lessThan(n, extent(contraction.n)));
  if (exists)
    emit.branch(exists, both);
  else
    both();
}

void ProductTiles::makePartials() {
  if (plan.splits == 1)
    return;
  Index count = emit.mul(partialsPitch(), plan.splits);
  for (Index size : batchExtents)
    count = emit.mul(count, size);
  partials = emit.workspace(contraction.accumulator,
                            emit.mul(count, extent(contraction.m)));
}

void ProductTiles::takePart(Index &first, Index &count) {
  first = emit.constant(0);
  count = steps;
  if (!partials)
    return;
  Index part = emit.ceilDiv(steps, plan.splits);
  first = emit.mul(split, part);
  count = emit.clamp(emit.sub(steps, first), emit.constant(0), part);
}

void ProductTiles::combinePartials() {
  if (!partials)
    return;
  constexpr int64_t threads = 128;
  Value sums = partials;
  partials = {};
  SmallVector<Index> places = batchExtents;
  places.push_back(extent(contraction.m));
  places.push_back(emit.ceilDiv(extent(contraction.n), 2));
  bool paired = epilogue.isPaired(emit);
  auto combineAt = [&](Index, ArrayRef<Index> found) {
    SmallVector<Index> at(found);
    Index n = emit.mul(at.pop_back_val(), 2);
    Index m = at.pop_back_val();
    batch = at;
    auto type = VectorType::get(2, contraction.accumulator);
    auto add = [&](Index part, Value sum) -> Value {
      Value more = vector::LoadOp::create(emit.builder, emit.loc, type, sums,
                                          emit.value(partialsAt(part, m, n)));
      return sum ? addSums(emit, sum, more) : more;
    };
    // So many loads are on their way at a time.
    constexpr int64_t atOnce = 8;
    Value sum;
    for (int64_t part = 0; part < std::min(atOnce, plan.splits); ++part)
      sum = add(emit.constant(part), sum);
    sum = emit.loop(emit.constant(atOnce), emit.constant(plan.splits),
                    emit.constant(atOnce), sum,
                    [&](Index from, ValueRange carried) {
                      Value sum = carried[0];
                      for (int64_t part = 0; part < atOnce; ++part)
                        sum = add(emit.add(from, emit.constant(part)), sum);
                      return SmallVector<Value>{sum};
                    })[0];
    SmallVector<Value> two;
    for (int64_t e : {0, 1})
      two.push_back(vector::ExtractOp::create(emit.builder, emit.loc, sum, e));
    store(m, n, two, paired);
  };
  emit.launchOver("combine", places, threads, combineAt);
  memref::DeallocOp::create(emit.builder, emit.loc, sums);
}

void ProductTiles::store(Index m, Index n, ArrayRef<Value> sums, bool paired) {
  if (partials)
    return storePartials(m, n, sums);
  auto columns = [&] {
    if (paired) {
      auto both = [&] { epilogue.finish(emit, ivsAt(m, n), sums); };
      if (divides(contraction.n, plan.bn))
        both();
      else
        emit.branch(emit.lessThan(n, extent(contraction.n)), both);
      return;
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      Index here = emit.add(n, emit.constant(i));
      auto one = [&] { epilogue.finish(emit, ivsAt(m, here), sums[i]); };
      if (divides(contraction.n, plan.bn))
        one();
      else
        emit.branch(emit.lessThan(here, extent(contraction.n)), one);
    }
  };
  if (divides(contraction.m, plan.bm))
    columns();
  else
    emit.branch(emit.lessThan(m, extent(contraction.m)), columns);
}

void ProductTiles::takeGroups(Index &first, Index &count) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index lane = emit.rem(emit.thread(), warpThreads), all = extent(groups->loop);
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  SmallVector<Value> ends = emit.loop(
      emit.constant(0), all, emit.constant(warpThreads),
      {emit.cast(all, 32), emit.i32(0)},
      [&](Index from, ValueRange carried) -> SmallVector<Value> {
        Index mine = emit.add(from, lane);
        SmallVector<Value> bounds = boundsOrNone(mine);
        Value some = isInTile(bounds[0], bounds[1]);
        Value number = emit.cast(mine, 32);
        Value least = arith::MinSIOp::create(builder, loc, carried[0], number);
        Value end = emit.cast(emit.add(mine, emit.constant(1)), 32);
        return {select(some, least, carried[0]), select(some, end, carried[1])};
      });
  for (int distance = warpThreads / 2; distance > 0; distance /= 2) {
    auto other = [&](Value value) {
      return gpu::ShuffleOp::create(builder, loc, value, emit.i32(distance),
                                    emit.i32(warpThreads),
                                    gpu::ShuffleMode::XOR)
          .getShuffleResult();
    };
    ends[0] = arith::MinSIOp::create(builder, loc, ends[0], other(ends[0]));
    ends[1] = arith::MaxSIOp::create(builder, loc, ends[1], other(ends[1]));
  }
  Index begin = emit.index(ends[0]), end = emit.index(ends[1]);
  first = emit.mul(begin, stepsPerK);
  count = emit.mul(emit.max(emit.sub(end, begin), emit.constant(0)), stepsPerK);
}

void ContractionKernel::run(StringRef name) {
  SmallVector<Index> tiles = batchExtents;
  tiles.push_back(emit.ceilDiv(extent(contraction.n), plan.bn));
  tiles.push_back(emit.ceilDiv(extent(contraction.m), plan.bm));
  Index blocks = emit.constant(1);
  for (Index size : tiles)
    blocks = emit.mul(blocks, size);

  makePartials();
  SmallVector<Index> grid = {blocks};
  if (partials)
    grid.push_back(emit.constant(plan.splits));
  emit.launch(name, grid, plan.threads(), sharedBytes(), [&] {
    // Neighbouring blocks share columns of B: they stay in L2.
    SmallVector<Index> at = emit.decode(emit.block(0), tiles);
    tileM = emit.mul(at.pop_back_val(), plan.bm);
    tileN = emit.mul(at.pop_back_val(), plan.bn);
    batch = at;
    Index first, count;
    split = partials ? emit.block(1) : emit.constant(0);
    if (groups)
      takeGroups(first, count);
    else
      takePart(first, count);
    prepare();

    OpBuilder &builder = emit.builder;
    Type token = nvgpu::DeviceAsyncTokenType::get(builder.getContext());
    // Printed without operands and attributes, the op would not be read back:
    // the parser takes the next line's results for its operands.
    auto commit = [&]() -> Value {
      auto group = nvgpu::DeviceAsyncCreateGroupOp::create(builder, emit.loc,
                                                           token, ValueRange());
      group->setAttr("all", builder.getUnitAttr());
      return group;
    };
    Value newest;
    int64_t distance = plan.stages - lag();
    for (int64_t stage = 0; stage < distance; ++stage) {
      emit.branch(emit.lessThan(emit.constant(stage), count), [&] {
        load(emit.constant(stage), emit.add(first, emit.constant(stage)));
      });
      newest = commit();
    }
    // The stage is carried, as the remainder of a division by three takes eight
    // instructions.
    auto stageBehind = [&](Index stage, int64_t steps) -> Index {
      Index to = emit.add(stage, emit.constant(steps));
      if (llvm::isPowerOf2_64(plan.stages))
        return emit.rem(to, plan.stages);
      Value wraps = emit.lessEqual(emit.constant(plan.stages), to);
      return emit.select(wraps, emit.sub(to, emit.constant(plan.stages)), to);
    };
    SmallVector<Value> carried = zeros();
    carried.push_back(emit.value(emit.constant(0)));
    SmallVector<Value> sums =
        emit.loop(emit.constant(0), count, emit.constant(1), carried,
                  [&](Index step, ValueRange carried) {
                    Index stage = carried.back();
                    nvgpu::DeviceAsyncWaitOp::create(
                        builder, emit.loc, newest,
                        builder.getI32IntegerAttr(distance - 1));
                    beforeBarrier();
                    emit.barrier();
                    Index next = emit.add(step, emit.constant(distance));
                    emit.branch(emit.lessThan(next, count), [&] {
                      load(stageBehind(stage, distance), emit.add(first, next));
                    });
                    commit();
                    SmallVector<Value> sums =
                        multiply(stage, carried.drop_back());
                    sums.push_back(emit.value(stageBehind(stage, 1)));
                    return sums;
                  });
    sums.pop_back();
    finish(sums);
  });
  combinePartials();
}
