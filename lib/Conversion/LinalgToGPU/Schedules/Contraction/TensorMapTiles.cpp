//===- TensorMapTiles.cpp - Tiles that the copy engine brings -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what TensorMapTiles.h says.
//
//===----------------------------------------------------------------------===//

#include "TensorMapTiles.h"
#include "../WarpgroupMemory.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

Value TensorMapTiles::pointer(Index offset) {
  return sharedPointer(emit, emit.add(shared, offset));
}

Value TensorMapTiles::barrier(Value stage, bool empty) {
  int64_t first = barriersAt() + (empty ? plan.stages * 8 : 0);
  return pointer(emit.add(emit.mul(Index(stage), 8), emit.constant(first)));
}

void TensorMapTiles::await(Value barrier, Value parity) {
  emit.awaitPhase(barrier, parity);
}

Index TensorMapTiles::partOf(Index tileStart, int64_t size) {
  if (plan.pair == 1)
    return tileStart;
  return emit.add(tileStart, emit.mul(emit.rem(emit.block(0), plan.pair),
                                      size / plan.pair));
}

void TensorMapTiles::meetCluster() {
  OpBuilder &builder = emit.builder;
  NVVM::ClusterArriveOp::create(builder, emit.loc, builder.getUnitAttr());
  NVVM::ClusterWaitOp::create(builder, emit.loc, builder.getUnitAttr());
}

void TensorMapTiles::arriveAt(Value barrier) {
  // Upstream has no op for another block's. What the matrix units have read
  // needs no release for the cluster, which would be a fence of all memory.
  emit.assembly({}, barrier, "mbarrier.arrive.shared::cluster.b64 _, [$0];",
                "r");
}

void TensorMapTiles::release(Value stage) {
  Value empty = barrier(stage, /*empty=*/true);
  arrive(emit, empty);
  // The other block writes there, too.
  if (plan.sharesB)
    arriveAt(ofBlock(empty, emit.sub(emit.constant(1), inCluster())));
}

Value TensorMapTiles::ofBlock(Value barrier, Index number) {
  auto type = LLVM::LLVMPointerType::get(
      emit.builder.getContext(),
      unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(emit.builder, emit.loc, type, barrier,
                              emit.cast(number, 32));
}

void TensorMapTiles::makeMaps() {
  mapA = mapOf(a);
  TileSource brought = b;
  if (plan.sharesB)
    brought.rows /= 2;
  mapB = mapOf(brought);
}

void TensorMapTiles::countTiles() {
  tilesM =
      emit.ceilDiv(extent(contraction.m), plan.sharesB ? 2 * plan.bm : plan.bm);
  tilesN = emit.ceilDiv(extent(contraction.n), plan.bn);
  tiles = emit.mul(emit.mul(tilesM, tilesN), plan.splits);
  for (Index size : batchExtents)
    tiles = emit.mul(tiles, size);
  // One block has most of a multiprocessor's shared memory.
  Index most = kernel::MultiprocessorsOp::create(emit.builder, emit.loc,
                                                 emit.builder.getIndexType())
                   .getResult();
  blocks = emit.mul(emit.min(tiles, emit.ceilDiv(most, clusterSize())),
                    clusterSize());
}

void TensorMapTiles::prepare(function_ref<void()> init) {
  shared = emit.sharedAddress();
  initBarriers(emit, [&] {
    init();
    for (Value map : {mapA, mapB})
      prefetchTensorMap(emit, map);
    for (Value map : mapsC)
      prefetchTensorMap(emit, map);
  });
}

void TensorMapTiles::planStores(int64_t rows, ArrayRef<int64_t> elementSizes,
                                size_t mostResults) {
  std::optional<SmallVector<NestOperand>> results = epilogue.results();
  int n = contraction.n;
  if (!results || results->size() > mostResults || plan.splits > 1 ||
      !epilogue.isPaired(emit))
    return;
  resultBytes = elementBytes(results->front().element);
  auto suits = [&](const NestOperand &result) {
    return elementBytes(result.element) == resultBytes && result.isUnit(n) &&
           emit.isAligned(result, n, 16 / resultBytes).always();
  };
  storeDims = {n, contraction.m};
  for (int loop : contraction.outer)
    storeDims.push_back(loop);
  if (llvm::is_contained(elementSizes, resultBytes) &&
      storeDims.size() <= mostTensorMapDims && llvm::all_of(*results, suits))
    for (const NestOperand &result : *results)
      mapsC.push_back(tensorMap(result, storeDims, rows));
}

void TensorMapTiles::storeBox(size_t result, Index buffer, Index row,
                              Index column) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      emit.builder, emit.loc, mapsC[result], pointer(buffer),
      coordinates(storeDims, column, contraction.n, row), Value(),
      NVVM::TMAStoreMode::TILE, Value());
  NVVM::CpAsyncBulkCommitGroupOp::create(emit.builder, emit.loc);
}

/// The loops along which `source` moves, the contiguous one first. -1 is a loop
/// that the product lacks.
SmallVector<int> TensorMapTiles::dimsOf(const TileSource &source) {
  SmallVector<int> dims = {contraction.k, source.outerLoop};
  if (!source.alongK)
    std::swap(dims[0], dims[1]);
  for (ArrayRef<int> loops :
       {ArrayRef<int>(contraction.outerK), ArrayRef<int>(contraction.outer)})
    for (int loop : loops)
      if (!source.operand.isUniform(loop))
        dims.push_back(loop);
  return dims;
}

Condition TensorMapTiles::suits() {
  if (plan.rowGroups && !hasGroups())
    return {false, {}};
  for (const TileSource *source : {&a, &b})
    if (dimsOf(*source).size() > mostTensorMapDims ||
        (plan.alongK && !source->copied &&
         !source->operand.isUnit(contraction.k)))
      return {false, {}};
  return emit.both(a.aligned, b.aligned);
}

Value TensorMapTiles::mapOf(const TileSource &source) {
  return tensorMap(source.operand, dimsOf(source), source.rows);
}

Value TensorMapTiles::tensorMap(const NestOperand &operand, ArrayRef<int> loops,
                                int64_t rows) {
  int64_t perRow = rowBytes / elementBytes(operand.element);
  SmallVector<TensorMapDim> dims;
  for (int loop : loops)
    dims.push_back({extent(loop),
                    loop < 0 ? emit.constant(perRow) : operand.strides[loop]});
  dims[1].box = rows;
  return makeTensorMap(emit, operand, dims);
}

TensorMapTiles::Place TensorMapTiles::next(Place place) {
  OpBuilder &builder = emit.builder;
  Value last = emit.equal(Index(place.stage), emit.constant(plan.stages - 1));
  Index stage = emit.select(last, emit.constant(0),
                            emit.add(Index(place.stage), emit.constant(1)));
  Value turned =
      arith::XOrIOp::create(builder, emit.loc, place.parity, emit.i32(1));
  Value parity =
      arith::SelectOp::create(builder, emit.loc, last, turned, place.parity);
  return {emit.value(stage), parity};
}

/// Tiles of as many rows of tiles as make a square of what runs at once are
/// neighbours: they read the same parts of A and B while these are in the
/// second cache.
void TensorMapTiles::setTile(Index number) {
  int64_t group = std::max<int64_t>(1, 8 * plan.bn / plan.bm);
  SmallVector<Index> sizes = {emit.constant(plan.splits)};
  llvm::append_range(sizes, batchExtents);
  sizes.push_back(emit.mul(tilesM, tilesN));
  SmallVector<Index> at = emit.decode(number, sizes);
  Index place = at.pop_back_val();
  split = at.front();
  batch.assign(at.begin() + 1, at.end());
  auto few = LoopEmitter::known(tilesM);
  Index m, n;
  if (few && *few <= group) {
    m = emit.rem(place, tilesM);
    n = emit.div(place, tilesM);
  } else {
    Index size = emit.mul(tilesN, group);
    Index first = emit.mul(emit.div(place, size), group),
          inGroup = emit.rem(place, size);
    Index rows = emit.min(emit.sub(tilesM, first), emit.constant(group));
    m = emit.add(first, emit.rem(inGroup, rows));
    n = emit.div(inGroup, rows);
  }
  if (plan.sharesB)
    m = emit.add(emit.mul(m, 2), inCluster());
  tileM = emit.mul(m, plan.bm);
  tileN = emit.mul(n, plan.bn);
}

void TensorMapTiles::forEachTile(Place start, function_ref<Place(Place)> body) {
  emit.loop(firstTile(), tiles, tileStep(), start.values(),
            [&](Index tile, ValueRange carried) {
              setTile(tile);
              return body({carried[0], carried[1]}).values();
            });
}

SmallVector<Value> TensorMapTiles::coordinates(ArrayRef<int> loops, Index outer,
                                               int outerLoop, Index k) {
  SmallVector<Value> result;
  for (int loop : loops) {
    Index iv = loop == outerLoop ? outer : k;
    for (auto [other, at] : llvm::zip(contraction.outerK, stepOuterK))
      if (other == loop)
        iv = at;
    for (auto [other, at] : llvm::zip(contraction.outer, batch))
      if (other == loop)
        iv = at;
    result.push_back(emit.cast(iv, 32));
  }
  return result;
}

void TensorMapTiles::copyBoxes(const TileSource &source, Value map,
                               Index tileStart, Index offset, Value full,
                               bool halved) {
  OpBuilder &builder = emit.builder;
  Index k = stepK;
  Value both;
  if (halved) {
    // Of each box half of the rows, which run along k or across it.
    Index skipped = emit.mul(inCluster(), source.rows / 2);
    (source.alongK ? tileStart : k) =
        emit.add(source.alongK ? tileStart : k, skipped);
    offset = emit.add(offset, emit.mul(skipped, rowBytes));
    both = arith::ConstantOp::create(builder, emit.loc,
                                     builder.getI16IntegerAttr(3));
  }
  int64_t boxes = source.alongK ? 1 : source.columns / rowElements(source);
  NVVM::CTAGroupKindAttr group;
  if (plan.pair == 2)
    group = NVVM::CTAGroupKindAttr::get(builder.getContext(),
                                        NVVM::CTAGroupKind::CTA_2);
  for (int64_t box = 0; box < boxes; ++box) {
    Index outer = emit.add(tileStart, emit.constant(box * rowElements(source)));
    copyBox(
        emit, map, coordinates(dimsOf(source), outer, source.outerLoop, k),
        pointer(emit.add(offset, emit.constant(box * source.rows * rowBytes))),
        full, group, both);
  }
}

SmallVector<Value> TensorMapTiles::packed(Index m, Index n,
                                          ArrayRef<Value> sums, bool exist,
                                          const Epilogue::Loaded *loaded) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  int64_t count = resultBytes / 2;
  auto words = [&] {
    SmallVector<Value> found;
    for (const SmallVector<Value> &values :
         epilogue.valuesOf(emit, ivsAt(m, n), sums, loaded)) {
      auto type = VectorType::get(2, values[0].getType());
      Value pair = vector::FromElementsOp::create(builder, loc, type, values);
      Value cast = vector::BitCastOp::create(
          builder, loc, VectorType::get(count, builder.getI32Type()), pair);
      for (int64_t i = 0; i < count; ++i)
        found.push_back(vector::ExtractOp::create(builder, loc, cast, i));
    }
    return found;
  };
  if (exist)
    return words();
  Value inside = emit.both(emit.lessThan(m, extent(contraction.m)),
                           emit.lessThan(n, extent(contraction.n)));
  size_t all = size_t(count) * mapsC.size();
  auto branch = scf::IfOp::create(
      builder, loc, SmallVector<Type>(all, builder.getI32Type()), inside, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, words());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, SmallVector<Value>(all, emit.i32(0)));
  return SmallVector<Value>(branch.getResults());
}

/// One thread.
void TensorMapTiles::copyStage(Value stage) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value full = barrier(stage, false);
  auto expect = [&] { arriveExpecting(emit, full, stageBytes() * plan.pair); };
  Value told = full;
  if (plan.pair == 1) {
    expect();
  } else {
    emit.branch(isLeader(), expect);
    // The op wants an address of the block; both are words.
    Value address = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(),
                                             ofLeader(full));
    told = LLVM::IntToPtrOp::create(builder, loc, full.getType(), address);
  }
  Index offset = emit.mul(Index(stage), stageBytes());
  copyBoxes(a, mapA, partOf(tileM, plan.bm), offset, told);
  copyBoxes(b, mapB, partOf(tileN, plan.bn),
            emit.add(offset, emit.constant(bytesA())), told, plan.sharesB);
}

using StepBody = function_ref<SmallVector<Value>(Index, ValueRange)>;

std::pair<Index, SmallVector<Value>>
TensorMapTiles::forEachStep(ValueRange start, StepBody body) {
  if (groups)
    return forEachStepOfGroups(start, body);
  Index first, count;
  takePart(first, count);
  SmallVector<Value> end =
      emit.loop(emit.constant(0), count, emit.constant(1), start,
                [&](Index step, ValueRange carried) {
                  setStep(emit.add(first, step));
                  return body(step, carried);
                });
  return {count, end};
}

void TensorMapTiles::keepGroup(Index address, Index first, int64_t count,
                               Index thread, int64_t threads,
                               function_ref<void()> meet) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index start = emit.add(tileM, first);
  Index end =
      emit.min(emit.add(start, emit.constant(count)), extent(contraction.m));
  Value isPart =
      arith::OrIOp::create(builder, loc, emit.lessThan(start, groupFirst),
                           emit.lessThan(groupEnd, end));
  emit.branch(isPart, [&] {
    // Eight threads a row.
    constexpr int64_t chunk = 16, perRow = rowBytes / chunk;
    Value zeros = emit.zero(VectorType::get(4, builder.getI32Type()));
    Index byte = emit.mul(emit.rem(thread, perRow), chunk);
    for (int64_t from = 0; from < count; from += threads / perRow) {
      Index row = emit.add(emit.div(thread, perRow), emit.constant(from));
      Index at = emit.add(start, row);
      Value outside =
          arith::OrIOp::create(builder, loc, emit.lessThan(at, groupFirst),
                               emit.lessEqual(groupEnd, at));
      emit.branch(outside, [&] {
        Index to = emit.add(emit.add(address, byte), emit.mul(row, rowBytes));
        LLVM::StoreOp::create(builder, loc, zeros, sharedPointer(emit, to),
                              chunk);
      });
    }
    publishToAsyncProxy(emit);
    meet();
  });
}

/// Lanes look at 32 groups at a time; those that have no row in the tile have
/// no step.
std::pair<Index, SmallVector<Value>>
TensorMapTiles::forEachStepOfGroups(ValueRange start, StepBody body) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Type word = builder.getI32Type();
  Index zero = emit.constant(0), one = emit.constant(1);
  Index lane = emit.rem(emit.thread(), warpThreads);
  Index all = extent(groups->loop);
  auto ofLane = [&](Value value, Index number) -> Index {
    return emit.index(
        gpu::ShuffleOp::create(builder, loc, value, emit.cast(number, 32),
                               emit.i32(warpThreads), gpu::ShuffleMode::IDX)
            .getShuffleResult());
  };
  SmallVector<Value> carried(start);
  carried.insert(carried.begin(), emit.value(zero));
  carried = emit.loop(
      zero, all, emit.constant(warpThreads), carried,
      [&](Index from, ValueRange carried) {
        Index mine = emit.add(from, lane);
        SmallVector<Value> bounds = boundsOrNone(mine);
        Value some = isInTile(bounds[0], bounds[1]);
        Value inTile = NVVM::VoteSyncOp::create(
            builder, loc, word, emit.i32(-1), some, NVVM::VoteSyncKind::ballot);
        Index count = emit.min(emit.sub(all, from), emit.constant(warpThreads));
        return emit.loop(
            zero, count, one, carried, [&](Index number, ValueRange carried) {
              Value bit = arith::AndIOp::create(
                  builder, loc,
                  arith::ShRUIOp::create(builder, loc, inTile,
                                         emit.cast(number, 32)),
                  emit.i32(1));
              Value times = arith::IndexCastUIOp::create(
                  builder, loc, builder.getIndexType(), bit);
              // Once or never: a branch would carry the products' registers.
              return emit.loop(
                  zero, times, one, carried, [&](Index, ValueRange carried) {
                    groupFirst = ofLane(bounds[0], number);
                    groupEnd = ofLane(bounds[1], number);
                    stepOuterK = {emit.add(from, number)};
                    return emit.loop(
                        zero, stepsPerK, one, carried,
                        [&](Index step, ValueRange carried) {
                          stepK = emit.mul(step, plan.bk);
                          SmallVector<Value> result =
                              body(carried[0], carried.drop_front());
                          result.insert(
                              result.begin(),
                              emit.value(emit.add(Index(carried[0]), one)));
                          return result;
                        });
                  });
            });
      });
  return {carried[0], SmallVector<Value>(ArrayRef(carried).drop_front())};
}

void TensorMapTiles::copyTiles() {
  // The phase before the first one counts as ended.
  forEachTile(start(1), [&](Place place) -> Place {
    SmallVector<Value> end =
        forEachStep(place.values(), [&](Index, ValueRange carried) {
          Place place = {carried[0], carried[1]};
          await(barrier(place.stage, true), place.parity);
          emit.byOneThread([&] { copyStage(place.stage); });
          return next(place).values();
        }).second;
    return {end[0], end[1]};
  });
}

Condition shardir::suitsTensorMaps(linalg::LinalgOp op, const TilePlan &plan) {
  TrialEmitter trial(op);
  KernelEmitter &emit = trial.emit;
  FailureOr<Contraction> contraction = matchContraction(op, emit);
  FailureOr<LoopNest> nest = makeLoopNest(op, emit, /*merge=*/false);
  if (failed(contraction) || failed(nest))
    return {false, {}};
  Condition suits =
      TensorMapTiles(emit, *contraction, Epilogue(), *nest, plan).suits();
  // The value dies with the block.
  return {suits.known, {}};
}
