//===- FmaKernel.cpp - Matrix products without matrix units ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For f32, f64 and mixed operands: each thread computes a square of C by fused
// multiply-adds. Tiles lie in shared memory with m and n contiguous, whatever
// memory's direction is, so that a thread reads four neighbours at once; rows
// are padded by four elements against bank conflicts of the copies that turn
// them. Elements of 4 and 8 bytes are copied asynchronously one by one, which
// any stride and edge allows; narrower ones through registers.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t quad = 4;

class FmaKernel : public ContractionKernel {
public:
  using ContractionKernel::ContractionKernel;

private:
  /// Threads along n and m: 16 of each.
  int64_t side() { return 16; }
  int64_t pitch(int64_t tile) { return tile + quad; }
  int64_t stageElements(int64_t tile) { return plan.bk * pitch(tile); }
  int64_t quadsM() { return plan.bm / (side() * quad); }
  int64_t quadsN() { return plan.bn / (side() * quad); }

  int64_t sharedBytes() override {
    layout = SharedLayout();
    offsetA = layout.take(plan.stages * stageElements(plan.bm) *
                          elementBytes(a.operand.element));
    offsetB = layout.take(plan.stages * stageElements(plan.bn) *
                          elementBytes(b.operand.element));
    return layout.bytes;
  }

  void prepare() override {
    sharedA = emit.shared(a.operand.element,
                          plan.stages * stageElements(plan.bm), offsetA);
    sharedB = emit.shared(b.operand.element,
                          plan.stages * stageElements(plan.bn), offsetB);
    // A warp has four rows and eight columns of threads: what it reads of a
    // row of B's tile is 128 bytes, one pass over the banks.
    constexpr int64_t columns = 8, rows = 4;
    Index lane = emit.rem(emit.thread(), columns * rows),
          warp = emit.div(emit.thread(), columns * rows);
    int64_t across = side() / columns;
    row = emit.add(emit.mul(emit.div(warp, across), rows),
                   emit.div(lane, columns));
    column = emit.add(emit.mul(emit.rem(warp, across), columns),
                      emit.rem(lane, columns));
  }

  void load(Index stage, Index step) override {
    setStep(step);
    copyTile(a, sharedA, stage, tileM, plan.bm);
    copyTile(b, sharedB, stage, tileN, plan.bn);
  }

  void copyTile(const TileSource &source, Value shared, Index stage,
                Index tileStart, int64_t tile) {
    OpBuilder &builder = emit.builder;
    int64_t size = elementBytes(source.operand.element);
    Index first = emit.mul(stage, stageElements(tile));
    Index outers = extent(source.outerLoop), ks = extent(contraction.k);
    // Rows of the tile are turned where they run along k.
    bool vectors = !source.alongK && size == 4 && !source.prologue &&
                   source.aligned.always() && divides(source.outerLoop, quad) &&
                   tile * plan.bk % (plan.threads() * quad) == 0;
    int64_t width = vectors ? quad : 1;
    int64_t count = tile * plan.bk / (plan.threads() * width);
    auto one = [&](Index i) {
      Index number = emit.add(emit.thread(), emit.mul(i, plan.threads()));
      // Neighbouring threads read neighbours in memory: along k a sector each
      // of four rows, which go to different banks.
      constexpr int64_t sector = 8;
      Index outer = emit.mul(emit.rem(number, tile / width), width),
            k = emit.div(number, tile / width);
      if (source.alongK) {
        outer = emit.rem(emit.div(number, sector), tile);
        k = emit.add(emit.rem(number, sector),
                     emit.mul(emit.div(number, sector * tile), sector));
      }
      Index to = emit.add(first, emit.add(emit.mul(k, pitch(tile)), outer));
      Index outerAt = emit.add(tileStart, outer), kAt = emit.add(stepK, k);
      Value exists;
      if (!divides(source.outerLoop, tile))
        exists = emit.lessThan(outerAt, outers);
      if (!divides(contraction.k, plan.bk))
        exists = emit.both(exists, emit.lessThan(kAt, ks));
      Index from = address(source, outerAt, kAt);
      if (exists)
        from = emit.select(exists, from, source.operand.offset);
      if (size < 4 || source.prologue) {
        copyThroughRegister(source, shared, outerAt, kAt, to, exists);
        return;
      }
      Value number1;
      if (exists)
        number1 = emit.value(
            emit.select(exists, emit.constant(width), emit.constant(0)));
      nvgpu::DeviceAsyncCopyOp::create(
          builder, emit.loc,
          nvgpu::DeviceAsyncTokenType::get(builder.getContext()), shared,
          emit.value(to), source.operand.flat, emit.value(from),
          builder.getIndexAttr(width), number1,
          vectors ? builder.getUnitAttr() : UnitAttr());
    };
    for (int64_t i = 0; i < count; ++i)
      one(emit.constant(i));
  }

  void copyThroughRegister(const TileSource &source, Value shared, Index outer,
                           Index k, Index to, Value exists) {
    OpBuilder &builder = emit.builder;
    // Where nothing exists there may be no first element either.
    Value value;
    auto read = [&] { return element(source, outer, k); };
    if (!exists) {
      value = read();
    } else {
      Type element = source.operand.element;
      auto branch = scf::IfOp::create(builder, emit.loc, element, exists, true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(builder, emit.loc, read());
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, emit.loc, emit.zero(element));
      value = branch.getResult(0);
    }
    memref::StoreOp::create(builder, emit.loc, value, shared, emit.value(to));
  }

  SmallVector<Value> zeros() override {
    return SmallVector<Value>(
        quadsM() * quad * quadsN(),
        emit.zero(VectorType::get(quad, contraction.accumulator)));
  }

  /// The square's rows or columns of step k: quads that lie 64 apart.
  SmallVector<Value> read(const TileSource &source, Value shared, Index stage,
                          int64_t tile, Index k, Index position,
                          int64_t quads) {
    OpBuilder &builder = emit.builder;
    SmallVector<Value> result;
    for (int64_t q = 0; q < quads; ++q) {
      Index at = emit.add(
          emit.add(emit.mul(stage, stageElements(tile)),
                   emit.mul(k, pitch(tile))),
          emit.add(emit.mul(position, quad), emit.constant(q * side() * quad)));
      Value loaded = vector::LoadOp::create(
          builder, emit.loc, VectorType::get(quad, source.operand.element),
          shared, emit.value(at));
      auto wide = VectorType::get(quad, contraction.accumulator);
      if (loaded.getType() != wide)
        loaded = arith::ExtFOp::create(builder, emit.loc, wide, loaded);
      result.push_back(loaded);
    }
    return result;
  }

  SmallVector<Value> multiply(Index stage, ValueRange carried) override {
    OpBuilder &builder = emit.builder;
    SmallVector<Value> sums(carried);
    auto wide = VectorType::get(quad, contraction.accumulator);
    for (int64_t k = 0; k < plan.bk; ++k) {
      SmallVector<Value> left =
          read(a, sharedA, stage, plan.bm, emit.constant(k), row, quadsM());
      SmallVector<Value> right =
          read(b, sharedB, stage, plan.bn, emit.constant(k), column, quadsN());
      for (int64_t i = 0; i < quadsM() * quad; ++i) {
        Value one = vector::ExtractOp::create(builder, emit.loc, left[i / quad],
                                              i % quad);
        Value splat = vector::BroadcastOp::create(builder, emit.loc, wide, one);
        for (int64_t q = 0; q < quadsN(); ++q) {
          Value &sum = sums[i * quadsN() + q];
          sum = math::FmaOp::create(builder, emit.loc, splat, right[q], sum);
        }
      }
    }
    return sums;
  }

  void finish(ValueRange sums) override {
    OpBuilder &builder = emit.builder;
    bool paired = epilogue.isPaired(emit);
    // Pairs are stored from an even register and the odd one behind it. Sums in
    // these would often be in one bank with both operands, which are loaded to
    // such registers too: a multiply-add takes another cycle then. x + -0 is x,
    // and in registers of its own, as ptxas does not fold it.
    Value nothing;
    if (paired && contraction.accumulator.isF32()) {
      Value zero = arith::ConstantOp::create(builder, emit.loc,
                                             builder.getF32FloatAttr(-0.0f));
      nothing = LLVM::ExtractValueOp::create(builder, emit.loc,
                                             emit.pinned({zero}), 0);
    }
    for (int64_t i = 0; i < quadsM() * quad; ++i)
      for (int64_t q = 0; q < quadsN(); ++q) {
        int64_t rowAt = i / quad * side() * quad + i % quad;
        Index m = emit.add(tileM,
                           emit.add(emit.mul(row, quad), emit.constant(rowAt)));
        Index n = emit.add(tileN, emit.add(emit.mul(column, quad),
                                           emit.constant(q * side() * quad)));
        Value sum = sums[i * quadsN() + q];
        for (int64_t pair = 0; pair < quad; pair += 2) {
          SmallVector<Value> two;
          for (int64_t e : {pair, pair + 1}) {
            two.push_back(vector::ExtractOp::create(builder, emit.loc, sum, e));
            if (nothing)
              two.back() =
                  arith::AddFOp::create(builder, emit.loc, two.back(), nothing);
          }
          store(m, emit.add(n, emit.constant(pair)), two, paired);
        }
      }
  }

  SharedLayout layout;
  int64_t offsetA = 0, offsetB = 0;
  Value sharedA, sharedB;
  Index row, column;
};
} // namespace

void shardir::emitFmaKernel(KernelEmitter &emit, const Contraction &contraction,
                            const Epilogue &epilogue, const LoopNest &nest,
                            const TilePlan &plan) {
  FmaKernel(emit, contraction, epilogue, nest, plan).run("fma");
}
