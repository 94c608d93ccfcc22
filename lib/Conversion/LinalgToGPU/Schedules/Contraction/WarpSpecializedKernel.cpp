//===- WarpSpecializedKernel.cpp - Matrix products by blocks that stay
//-----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a, A and B of one type that wgmma knows and addresses that suit
// tensor maps. The structure is that of CUTLASS 3's persistent,
// warp-specialised kernels: as many blocks as run at once take tiles in turn;
// one thread of the first warpgroup has the copy engine fill a ring of stages,
// the other two warpgroups multiply 64 rows of a tile each. A stage has two
// mbarriers: `full` counts the bytes that arrive, `empty` the warps that have
// read it. The copy engine writes zeros for what lies outside of A and B, so
// only C has edges.
//
// Registers move from the warpgroup that copies to those that multiply: a block
// starts with 168 per thread, 384 of them; 40 and twice 232 are as many.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "WarpgroupProduct.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t groupThreads = 128, warpThreads = 32;
constexpr size_t mostDims = 5;
/// Of a warpgroup, for what it stores: boxes of 64 rows of 128 bytes.
constexpr int64_t storeBuffers = 2;
constexpr int64_t boxBytes =
    WarpgroupProduct::rows * WarpgroupProduct::rowBytes;
constexpr int64_t copierRegisters = 40, multiplierRegisters = 232;
/// Nanoseconds that a thread may sleep before it polls a barrier again.
constexpr int64_t patience = 10000000;

class WarpSpecializedKernel : public ProductTiles {
public:
  WarpSpecializedKernel(KernelEmitter &emit, const Contraction &contraction,
                        const Epilogue &epilogue, const LoopNest &nest,
                        const TilePlan &plan)
      : ProductTiles(emit, contraction, epilogue, nest, plan),
        product(emit, a, b, plan.bn) {}

  Condition suits();
  void run(StringRef name);

private:
  /// Where the ring stands: a stage, and the parity of its barriers' phase.
  struct Place {
    Value stage, parity;
    SmallVector<Value> values() const { return {stage, parity}; }
  };

  int64_t bytesA() { return plan.bm * WarpgroupProduct::rowBytes; }
  int64_t bytesB() { return plan.bn * WarpgroupProduct::rowBytes; }
  int64_t stageBytes() { return bytesA() + bytesB(); }
  int64_t sharedBytes() {
    return plan.stages * (stageBytes() + 16) + storeBytes;
  }
  int64_t rowElements(const TileSource &source) {
    return WarpgroupProduct::rowBytes / elementBytes(source.operand.element);
  }

  SmallVector<int> dimsOf(const TileSource &source);
  Value mapOf(const TileSource &source);
  /// The map of boxes of rows x 128 bytes of `operand`; `dims` are the loops
  /// that move it, the contiguous one first, then that of the rows.
  Value tensorMap(const NestOperand &operand, ArrayRef<int> dims, int64_t rows);
  /// Where `loops` stand, for the copy engine.
  SmallVector<Value> coordinates(ArrayRef<int> loops, Index outer,
                                 int outerLoop, Index k);
  void planStores();
  Value packed(Index m, Index n, ArrayRef<Value> sums, bool exist);
  void storeBoxes(Value sums, Index group, Index inGroup, Value leads);
  void prepare();
  void copyTiles();
  void multiplyTiles();
  void forEachTile(Place start, function_ref<Place(Place)> body);
  void setTile(Index number);
  void copyBoxes(const TileSource &source, Value map, Index tileStart,
                 Index offset, Value full);

  // Shorthands.
  Value i32(int64_t value) {
    return arith::ConstantOp::create(
        emit.builder, emit.loc, emit.builder.getI32IntegerAttr(int32_t(value)));
  }
  Value cast(Index index, unsigned bits) {
    return arith::IndexCastOp::create(emit.builder, emit.loc,
                                      emit.builder.getIntegerType(bits),
                                      emit.value(index));
  }
  Value pointer(Index offset) {
    auto type = LLVM::LLVMPointerType::get(
        emit.builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
    return LLVM::IntToPtrOp::create(emit.builder, emit.loc, type,
                                    cast(emit.add(shared, offset), 64));
  }
  /// The mbarrier of a stage: `full`, or `empty` behind those.
  Value barrier(Value stage, bool empty) {
    int64_t first = plan.stages * (stageBytes() + (empty ? 8 : 0)) + storeBytes;
    return pointer(emit.add(emit.mul(Index(stage), 8), emit.constant(first)));
  }
  void await(Value barrier, Value parity) {
    NVVM::MBarrierTryWaitParityOp::create(emit.builder, emit.loc, barrier,
                                          parity, i32(patience));
  }
  void release(Value stage) {
    NVVM::MBarrierArriveOp::create(emit.builder, emit.loc,
                                   emit.builder.getI64Type(),
                                   barrier(stage, /*empty=*/true), Value());
  }
  Place start(int64_t parity) {
    return {emit.value(emit.constant(0)), i32(parity)};
  }
  Place next(Place place);

  WarpgroupProduct product;
  Index tilesM, tilesN, tiles, blocks;
  Value mapA, mapB, mapC; ///< mapC: null where threads store by themselves
  SmallVector<int> storeDims;
  int64_t storeBytes = 0;
  Index shared; ///< the address of shared memory
};
} // namespace

/// The loops along which `source` moves, the contiguous one first. -1 is a loop
/// that the product lacks.
SmallVector<int> WarpSpecializedKernel::dimsOf(const TileSource &source) {
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

Condition WarpSpecializedKernel::suits() {
  for (const TileSource *source : {&a, &b})
    if (dimsOf(*source).size() > mostDims ||
        (plan.alongK && !source->copied &&
         !source->operand.isUnit(contraction.k)))
      return {false, {}};
  return emit.both(a.aligned, b.aligned);
}

Value WarpSpecializedKernel::mapOf(const TileSource &source) {
  return tensorMap(source.operand, dimsOf(source), source.rows);
}

/// On the host, as the pointer that the kernel is to get.
Value WarpSpecializedKernel::tensorMap(const NestOperand &operand,
                                       ArrayRef<int> dims, int64_t rows) {
  OpBuilder &builder = emit.builder;
  MLIRContext *context = builder.getContext();
  int64_t perRow = WarpgroupProduct::rowBytes / elementBytes(operand.element);
  SmallVector<Index> sizes, strides;
  SmallVector<Value> box;
  SmallVector<int64_t> boxShape, shape, steps;
  for (size_t d = dims.size(); d-- > 0;) {
    int loop = dims[d];
    int64_t along = d == 0 ? perRow : d == 1 ? rows : 1;
    sizes.push_back(extent(loop));
    strides.push_back(loop < 0 ? emit.constant(perRow) : operand.strides[loop]);
    boxShape.push_back(along);
    box.push_back(emit.value(emit.constant(along)));
  }
  auto known = [](Index index) {
    return LoopEmitter::known(index).value_or(ShapedType::kDynamic);
  };
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, emit.loc, operand.flat);
  Index offset = emit.add(metadata.getConstifiedMixedOffset(), operand.offset);
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    shape.push_back(known(size));
    steps.push_back(known(stride));
  }
  auto type =
      MemRefType::get(shape, operand.element,
                      StridedLayoutAttr::get(context, known(offset), steps));
  Value view = memref::ReinterpretCastOp::create(builder, emit.loc, type,
                                                 metadata.getBaseBuffer(),
                                                 offset, sizes, strides);
  Value unranked = memref::CastOp::create(
      builder, emit.loc, UnrankedMemRefType::get(operand.element, nullptr),
      view);
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto map = nvgpu::TensorMapDescriptorType::get(
      context,
      MemRefType::get(boxShape, operand.element, MemRefLayoutAttrInterface(),
                      space),
      nvgpu::TensorMapSwizzleKind::SWIZZLE_128B,
      nvgpu::TensorMapL2PromoKind::L2PROMO_256B,
      nvgpu::TensorMapOOBKind::OOB_ZERO,
      nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
  Value made = nvgpu::TmaCreateDescriptorOp::create(builder, emit.loc, map,
                                                    unranked, box);
  return UnrealizedConversionCastOp::create(
             builder, emit.loc, LLVM::LLVMPointerType::get(context), made)
      .getResult(0);
}

WarpSpecializedKernel::Place WarpSpecializedKernel::next(Place place) {
  OpBuilder &builder = emit.builder;
  Value last = emit.equal(Index(place.stage), emit.constant(plan.stages - 1));
  Value stage = arith::SelectOp::create(
      builder, emit.loc, last, emit.value(emit.constant(0)),
      emit.value(emit.add(Index(place.stage), emit.constant(1))));
  Value turned = arith::XOrIOp::create(builder, emit.loc, place.parity, i32(1));
  Value parity =
      arith::SelectOp::create(builder, emit.loc, last, turned, place.parity);
  return {stage, parity};
}

void WarpSpecializedKernel::prepare() {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value all = emit.shared(builder.getI8Type(), sharedBytes(), 0);
  shared = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, all)
               .getResult();
  emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
    for (int64_t stage = 0; stage < plan.stages; ++stage) {
      Value at = emit.value(emit.constant(stage));
      // One thread that expects bytes; every warp that multiplies.
      NVVM::MBarrierInitOp::create(builder, loc, barrier(at, false), i32(1),
                                   Value());
      NVVM::MBarrierInitOp::create(builder, loc, barrier(at, true),
                                   i32(plan.threads() / warpThreads), Value());
    }
    NVVM::FenceMbarrierInitOp::create(builder, loc);
    for (Value map : {mapA, mapB, mapC})
      if (map)
        NVVM::PrefetchOp::create(builder, loc, NVVM::PrefetchCacheLevelAttr(),
                                 NVVM::CacheEvictionPriorityAttr(), map,
                                 Value(), builder.getUnitAttr());
  });
  emit.barrier();
}

/// Tiles of as many rows of tiles as make a square of what runs at once are
/// neighbours: they read the same parts of A and B while these are in the
/// second cache.
void WarpSpecializedKernel::setTile(Index number) {
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
  tileM = emit.mul(m, plan.bm);
  tileN = emit.mul(n, plan.bn);
}

void WarpSpecializedKernel::forEachTile(Place start,
                                        function_ref<Place(Place)> body) {
  emit.loop(emit.block(0), tiles, blocks, start.values(),
            [&](Index tile, ValueRange carried) {
              setTile(tile);
              return body({carried[0], carried[1]}).values();
            });
}

SmallVector<Value> WarpSpecializedKernel::coordinates(ArrayRef<int> loops,
                                                      Index outer,
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
    result.push_back(cast(iv, 32));
  }
  return result;
}

void WarpSpecializedKernel::copyBoxes(const TileSource &source, Value map,
                                      Index tileStart, Index offset,
                                      Value full) {
  OpBuilder &builder = emit.builder;
  int64_t boxes = source.alongK ? 1 : source.columns / rowElements(source);
  for (int64_t box = 0; box < boxes; ++box) {
    Index outer = emit.add(tileStart, emit.constant(box * rowElements(source)));
    auto cluster = LLVM::LLVMPointerType::get(
        builder.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    Value to = LLVM::AddrSpaceCastOp::create(
        builder, emit.loc, cluster,
        pointer(emit.add(offset, emit.constant(box * source.rows *
                                               WarpgroupProduct::rowBytes))));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        builder, emit.loc, to, map,
        coordinates(dimsOf(source), outer, source.outerLoop, stepK), full,
        ValueRange(), Value(), Value(), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}

/// On the host: whether C, or what is made of it, can leave through shared
/// memory, a box of 64 rows of 128 bytes at a time.
void WarpSpecializedKernel::planStores() {
  std::optional<NestOperand> result = epilogue.onlyResult();
  int n = contraction.n;
  if (!result || plan.splits > 1 || elementBytes(result->element) != 2 ||
      !result->isUnit(n) || !epilogue.isPaired(emit) ||
      !emit.isAligned(*result, n, 16 / elementBytes(result->element)).always())
    return;
  storeDims = {n, contraction.m};
  for (int loop : contraction.outer)
    storeDims.push_back(loop);
  if (storeDims.size() > mostDims)
    return;
  mapC = tensorMap(*result, storeDims, WarpgroupProduct::rows);
  storeBytes = plan.warpsM / 4 * storeBuffers * boxBytes;
}

/// The warpgroup's rows, 64 columns at a time, by turns through two boxes of
/// shared memory: while the copy engine reads one the other is written. `leads`
/// is true for the one thread that talks to it.
void WarpSpecializedKernel::storeBoxes(Value sums, Index group, Index inGroup,
                                       Value leads) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index lane = emit.rem(inGroup, warpThreads),
        warp = emit.div(inGroup, warpThreads);
  Index firstRow = emit.add(tileM, emit.mul(group, WarpgroupProduct::rows));
  Value id = cast(emit.add(group, emit.constant(1)), 32);
  auto meet = [&] {
    NVVM::BarrierOp::create(builder, loc, Type(), id, i32(groupThreads),
                            NVVM::BarrierReductionAttr(), Value());
  };
  bool full =
      divides(contraction.m, plan.bm) && divides(contraction.n, plan.bn);
  constexpr int64_t columns = 64, chunk = 16;
  for (int64_t box = 0; box < plan.bn / columns; ++box) {
    Index buffer = emit.add(emit.constant(plan.stages * stageBytes() +
                                          box % storeBuffers * boxBytes),
                            emit.mul(group, storeBuffers * boxBytes));
    emit.branch(leads, [&] {
      // A tile of one box always takes the first buffer.
      NVVM::CpAsyncBulkWaitGroupOp::create(
          builder, loc, plan.bn == columns ? 0 : storeBuffers - 1,
          builder.getUnitAttr());
    });
    meet();
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t j = 0; j < columns / 8; ++j) {
        Index row = emit.add(emit.add(emit.mul(warp, 16), emit.div(lane, 4)),
                             emit.constant(8 * half));
        Index m = emit.add(firstRow, row);
        Index n = emit.add(emit.add(tileN, emit.mul(emit.rem(lane, 4), 2)),
                           emit.constant(box * columns + 8 * j));
        int64_t at = 4 * (box * columns / 8 + j) + 2 * half;
        Value pair = packed(
            m, n, {product.sum(sums, at), product.sum(sums, at + 1)}, full);
        // Chunks of 16 bytes change places by the row's number.
        Value mixed =
            arith::XOrIOp::create(builder, loc, emit.value(emit.rem(row, 8)),
                                  emit.value(emit.constant(j)));
        Index place =
            emit.add(emit.add(emit.mul(row, WarpgroupProduct::rowBytes),
                              emit.mul(Index(mixed), chunk)),
                     emit.mul(emit.rem(lane, 4), 4));
        LLVM::StoreOp::create(builder, loc, pair,
                              pointer(emit.add(buffer, place)));
      }
    NVVM::FenceProxyOp::create(
        builder, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(builder.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    meet();
    emit.branch(leads, [&] {
      SmallVector<Value> place =
          coordinates(storeDims, emit.add(tileN, emit.constant(box * columns)),
                      contraction.n, firstRow);
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          builder, loc, mapC, pointer(buffer), place, Value(),
          NVVM::TMAStoreMode::TILE, Value());
      NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
    });
  }
}

/// Two neighbours of the result as one word; anything where there are none.
Value WarpSpecializedKernel::packed(Index m, Index n, ArrayRef<Value> sums,
                                    bool exist) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  auto word = [&] {
    SmallVector<Value> values = epilogue.valuesOf(emit, ivsAt(m, n), sums);
    auto type = VectorType::get(2, values[0].getType());
    Value pair = vector::FromElementsOp::create(builder, loc, type, values);
    Value cast = vector::BitCastOp::create(
        builder, loc, VectorType::get(1, builder.getI32Type()), pair);
    return vector::ExtractOp::create(builder, loc, cast, 0).getResult();
  };
  if (exist)
    return word();
  Value inside = emit.both(emit.lessThan(m, extent(contraction.m)),
                           emit.lessThan(n, extent(contraction.n)));
  auto branch =
      scf::IfOp::create(builder, loc, builder.getI32Type(), inside, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, word());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, i32(0));
  return branch.getResult(0);
}

void WarpSpecializedKernel::copyTiles() {
  // The phase before the first one counts as ended.
  forEachTile(start(1), [&](Place place) -> Place {
    Index first, count;
    takePart(first, count);
    SmallVector<Value> end =
        emit.loop(emit.constant(0), count, emit.constant(1), place.values(),
                  [&](Index step, ValueRange carried) {
                    Place place = {carried[0], carried[1]};
                    setStep(emit.add(first, step));
                    await(barrier(place.stage, true), place.parity);
                    Value full = barrier(place.stage, false);
                    NVVM::MBarrierArriveExpectTxOp::create(
                        emit.builder, emit.loc, Type(), full, i32(stageBytes()),
                        NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
                    Index offset = emit.mul(Index(place.stage), stageBytes());
                    copyBoxes(a, mapA, tileM, offset, full);
                    copyBoxes(b, mapB, tileN,
                              emit.add(offset, emit.constant(bytesA())), full);
                    return next(place).values();
                  });
    return {end[0], end[1]};
  });
}

void WarpSpecializedKernel::multiplyTiles() {
  Index inGroup = emit.rem(emit.thread(), groupThreads);
  Index group =
      emit.sub(emit.div(emit.thread(), groupThreads), emit.constant(1));
  Value isFirst =
      emit.equal(emit.rem(emit.thread(), warpThreads), emit.constant(0));
  Value leads = emit.equal(inGroup, emit.constant(0));
  bool paired = epilogue.isPaired(emit);
  forEachTile(start(0), [&](Place place) -> Place {
    Index first, count;
    takePart(first, count);
    Value none = emit.value(emit.constant(0));
    SmallVector<Value> end = emit.loop(
        emit.constant(0), count, emit.constant(1),
        {product.zeros(), none, place.stage, place.parity},
        [&](Index step, ValueRange carried) -> SmallVector<Value> {
          Place place = {carried[2], carried[3]};
          await(barrier(place.stage, false), place.parity);
          Index offset =
              emit.add(shared, emit.mul(Index(place.stage), stageBytes()));
          Value left = cast(emit.add(offset, product.partOfA(group)), 64);
          Value right = cast(emit.add(offset, emit.constant(bytesA())), 64);
          Value sums = product.multiply(carried[0], left, right, plan.bk);
          // The step before has been multiplied: its stage is free.
          product.wait(1);
          Value some = emit.lessThan(emit.constant(0), step);
          emit.branch(emit.both(isFirst, some), [&] { release(carried[1]); });
          Place after = next(place);
          return {sums, place.stage, after.stage, after.parity};
        });
    product.wait(0);
    Value some = emit.lessThan(emit.constant(0), count);
    emit.branch(emit.both(isFirst, some), [&] { release(end[1]); });
    if (mapC) {
      storeBoxes(end[0], group, inGroup, leads);
      return {end[2], end[3]};
    }
    Index row = emit.add(tileM, emit.mul(group, WarpgroupProduct::rows));
    product.forEachPair(inGroup, [&](Index m, Index n, int64_t at) {
      store(emit.add(row, m), emit.add(tileN, n),
            {product.sum(end[0], at), product.sum(end[0], at + 1)}, paired);
    });
    return {end[2], end[3]};
  });
  if (mapC)
    emit.branch(leads, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(emit.builder, emit.loc, 0,
                                           UnitAttr());
    });
}

void WarpSpecializedKernel::run(StringRef name) {
  tilesM = emit.ceilDiv(extent(contraction.m), plan.bm);
  tilesN = emit.ceilDiv(extent(contraction.n), plan.bn);
  tiles = emit.mul(emit.mul(tilesM, tilesN), plan.splits);
  for (Index size : batchExtents)
    tiles = emit.mul(tiles, size);
  // One block has most of a multiprocessor's shared memory.
  blocks =
      emit.min(tiles, kernel::MultiprocessorsOp::create(
                          emit.builder, emit.loc, emit.builder.getIndexType())
                          .getResult());
  mapA = mapOf(a);
  mapB = mapOf(b);
  planStores();
  makePartials();
  emit.launch(
      name, {blocks}, plan.threads() + groupThreads, sharedBytes(), [&] {
        prepare();
        auto registers = [&](int64_t count, NVVM::SetMaxRegisterAction action) {
          NVVM::SetMaxRegisterOp::create(emit.builder, emit.loc,
                                         uint32_t(count), action);
        };
        auto copier = [&] {
          registers(copierRegisters, NVVM::SetMaxRegisterAction::decrease);
          emit.branch(emit.equal(emit.thread(), emit.constant(0)),
                      [&] { copyTiles(); });
        };
        auto multipliers = [&] {
          registers(multiplierRegisters, NVVM::SetMaxRegisterAction::increase);
          multiplyTiles();
        };
        emit.branch(emit.lessThan(emit.thread(), emit.constant(groupThreads)),
                    copier, multipliers);
      });
  combinePartials();
}

void shardir::emitWarpSpecializedKernel(KernelEmitter &emit,
                                        const Contraction &contraction,
                                        const Epilogue &epilogue,
                                        const LoopNest &nest,
                                        const TilePlan &plan) {
  WarpSpecializedKernel kernel(emit, contraction, epilogue, nest, plan);
  Condition suits = kernel.suits();
  if (suits.always())
    return kernel.run("ws");
  TilePlan other = plan;
  other.stages = 4;
  emit.branch(
      suits.value, [&] { kernel.run("ws"); },
      [&] { emitWgmmaKernel(emit, contraction, epilogue, nest, other); });
}

Condition shardir::suitsTensorMaps(linalg::LinalgOp op, const TilePlan &plan) {
  // The trial emission is erased.
  Block scratch;
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPointToEnd(&scratch);
  KernelEmitter emit(rewriter, op);
  FailureOr<Contraction> contraction = matchContraction(op, emit);
  FailureOr<LoopNest> nest = makeLoopNest(op, emit, /*merge=*/false);
  if (failed(contraction) || failed(nest))
    return {false, {}};
  Condition suits =
      WarpSpecializedKernel(emit, *contraction, Epilogue(), *nest, plan)
          .suits();
  // The value dies with the block.
  return {suits.known, {}};
}
