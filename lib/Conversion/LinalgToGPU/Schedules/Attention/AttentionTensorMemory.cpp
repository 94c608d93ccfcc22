//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention by tcgen05 (sm_100a). A block has 128 rows of queries; one thread
// starts its products, whose sums are in tensor memory: scores, and what a step
// adds to acc. Each warp reads its 32 rows of both back as mma.sync would hold
// them, so that the softmax is that of the other kernels, and acc stays in
// registers, where its rows are scaled. Probabilities go through shared memory,
// in the tiles of wgmma. The two products of a step end the even and the odd
// phases of one mbarrier.
//
//===----------------------------------------------------------------------===//

#include "../TensorMemory.h"
#include "WarpgroupTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

namespace {
class TensorMemoryAttention : public OnWarpgroupTiles<MatrixAttention> {
public:
  TensorMemoryAttention(KernelEmitter &emit, const AttentionProblem &problem,
                        const AttentionPlan &plan)
      : OnWarpgroupTiles(emit, problem, plan), memory(emit) {
    probabilities = value;
    probabilities.turned = false;
    probabilities.rows = plan.bm();
    probabilities.columns = plan.bn;
    probabilities.stages = 1;
  }

private:
  using Fence = NVVM::Tcgen05FenceKind;
  /// Lanes of one load, and columns of one of sums, of which few are kept.
  static constexpr int64_t lanes = 16;

  int64_t columns() const {
    return std::max<int64_t>(32,
                             int64_t(llvm::PowerOf2Ceil(plan.bn + plan.bv)));
  }

  void takeMore(SharedLayout &layout) override {
    takeShared(probabilities, layout);
    barrierAt = layout.take(16);
  }

  Value pointerTo(Type element, int64_t offset) {
    OpBuilder &builder = emit.builder;
    Value at = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, emit.loc, emit.shared(element, 1, offset));
    auto type = LLVM::LLVMPointerType::get(
        builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
    return LLVM::IntToPtrOp::create(builder, emit.loc, type,
                                    emit.cast(Index(at), 64));
  }

  void prepare() override {
    OpBuilder &builder = emit.builder;
    probabilities.shared =
        emit.shared(probabilities.operand.element, elements(probabilities),
                    probabilities.offset);
    words = emit.shared(builder.getI32Type(), elements(probabilities) / 2,
                        probabilities.offset);
    barrier = pointerTo(builder.getI64Type(), barrierAt);
    Value address = pointerTo(builder.getI32Type(), barrierAt + 8);
    emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
      NVVM::MBarrierInitOp::create(builder, emit.loc, barrier, emit.i32(1),
                                   Value());
      NVVM::FenceMbarrierInitOp::create(builder, emit.loc);
    });
    emit.branch(emit.isWarp(0), [&] { memory.allocate(address, columns()); });
    meet();
    tensors =
        LLVM::LoadOp::create(builder, emit.loc, builder.getI32Type(), address);
  }

  void giveBack() override {
    meet();
    emit.branch(emit.isWarp(0), [&] { memory.giveBack(tensors, columns()); });
  }

  void meet() {
    memory.fence(Fence::BEFORE_THREAD_SYNC);
    emit.barrier();
    memory.fence(Fence::AFTER_THREAD_SYNC);
  }

  Value columnsFrom(int64_t first) {
    return arith::AddIOp::create(emit.builder, emit.loc, tensors,
                                 emit.i32(first));
  }

  /// `left`, all rows of it, times `count` columns of a stage of `right`, over
  /// `extent` of k, into the columns from `first` on; waits for them. `along`
  /// says whether the operands are contiguous along k.
  void multiply(int64_t first, const Tile &left, bool leftAlong,
                const Tile &right, bool rightAlong, Index stage, int64_t count,
                int64_t extent, int64_t parity) {
    OpBuilder &builder = emit.builder;
    Type element = right.operand.element;
    auto boolean = [&](bool value) {
      return arith::ConstantOp::create(builder, emit.loc,
                                       builder.getBoolAttr(value));
    };
    emit.branch(emit.isWarp(0), [&] {
      emit.byOneThread([&] {
        Value a = descriptor(left, leftAlong, emit.constant(0)),
              b = descriptor(right, rightAlong,
                             emit.mul(stage, 2 * elements(right)));
        Value sums = memory.pointer(columnsFrom(first));
        Value what = memory.instruction(element, plan.bm(), count, leftAlong,
                                        rightAlong);
        for (int64_t k = 0; k < extent; k += WarpgroupTiles::depth)
          memory.multiply(sums, tiles.moved(left, leftAlong, a, k),
                          tiles.moved(right, rightAlong, b, k), what, element,
                          boolean(k > 0));
        memory.commit(barrier);
      });
    });
    emit.awaitPhase(barrier, emit.i32(parity));
    memory.fence(Fence::AFTER_THREAD_SYNC);
  }

  Value descriptor(const Tile &tile, bool along, Index bytes) {
    Value start = memref::ExtractAlignedPointerAsIndexOp::create(
        emit.builder, emit.loc, tile.shared);
    return memory.descriptor(emit.cast(emit.add(Index(start), bytes), 64),
                             along, tile.rows);
  }

  /// `count` columns from `first` on of the warp's rows; a row tile after the
  /// other.
  SmallVector<Value> load(int64_t first, int64_t count) {
    SmallVector<Value> addresses;
    for (int64_t tile = 0; tile < plan.rowTiles; ++tile) {
      Index lane = emit.add(emit.mul(warp, lanes * plan.rowTiles),
                            emit.constant(lanes * tile));
      addresses.push_back(arith::AddIOp::create(
          emit.builder, emit.loc, columnsFrom(first),
          emit.cast(emit.mul(lane, int64_t(1) << 16), 32)));
    }
    return memory.load(addresses, count / 2,
                       NVVM::Tcgen05LdStShape::SHAPE_16X256B);
  }

  Fragment scores(Index stage) override {
    memory.fence(Fence::AFTER_THREAD_SYNC);
    multiply(0, query, !query.turned, key, !key.turned, stage, plan.bn, plan.k,
             /*parity=*/0);
    return load(0, plan.bn);
  }

  void accumulate(Index stage, ArrayRef<Value> p, Fragment &sums) override {
    OpBuilder &builder = emit.builder;
    for (int64_t tile = 0; tile < plan.rowTiles; ++tile)
      for (int64_t half = 0; half < 2; ++half) {
        Index row =
            rowBehind(emit.mul(warp, lanes * plan.rowTiles), 2 * tile + half);
        for (int64_t j = 0; j < scoreTiles(); ++j)
          memref::StoreOp::create(
              builder, emit.loc, packed(p, tile, j, half, /*asInteger=*/true),
              words, emit.value(tiles.wordPlace(probabilities, row, j, lane)));
      }
    tiles.publish();
    meet();
    multiply(plan.bn, probabilities, true, value, value.turned, stage, plan.bv,
             plan.bn, /*parity=*/1);
    // Few at a time: acc has most of the registers.
    int64_t chunk = plan.bv % 32 == 0 ? 32 : 16;
    for (int64_t first = 0; first < plan.bv; first += chunk) {
      SmallVector<Value> more = load(plan.bn + first, chunk);
      for (int64_t tile = 0; tile < plan.rowTiles; ++tile)
        for (int64_t i = 0; i < chunk / 2; ++i) {
          Value &sum = sums[at(valueTiles(), tile, first / 8, 0, 0) + i];
          sum = arith::AddFOp::create(builder, emit.loc, sum,
                                      more[tile * chunk / 2 + i]);
        }
    }
  }

  TensorMemory memory;
  Tile probabilities;
  int64_t barrierAt = 0;
  // In the kernel.
  Value words; ///< of the probabilities
  Value barrier, tensors;
};
} // namespace

void shardir::emitTensorMemoryAttention(KernelEmitter &emit,
                                        const AttentionProblem &problem,
                                        const AttentionPlan &plan) {
  TensorMemoryAttention(emit, problem, plan).run("tcgen05");
}
