//===- WgmmaKernel.cpp - Matrix products by wgmma -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a and A and B of one type that wgmma knows. Each warpgroup of
// 128 threads has 64 rows of the block's tile (WarpgroupProduct.h). Copies are
// made visible to the matrix units by a proxy fence before the step's barrier.
// Products run on while the next step's copies are started: a stage is free two
// steps after it was read (lag).
//
//===----------------------------------------------------------------------===//

#include "../WarpgroupMemory.h"
#include "MatrixTiles.h"
#include "WarpgroupProduct.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
class WgmmaKernel : public MatrixTiles {
public:
  WgmmaKernel(KernelEmitter &emit, const Contraction &contraction,
              const Epilogue &epilogue, const LoopNest &nest,
              const TilePlan &plan)
      : MatrixTiles(emit, contraction, epilogue, nest, plan),
        product(emit, a, b, plan.bn) {}

private:
  void prepare() override {
    MatrixTiles::prepare();
    group = emit.div(emit.thread(), 128);
    addressA = addressOf(sharedA);
    addressB = addressOf(sharedB);
  }

  int64_t lag() const override { return 2; }

  void beforeBarrier() override { publishToAsyncProxy(emit); }

  /// Rows of 128 bytes; a tile that is contiguous along m or n is boxes of as
  /// many columns, one after the other.
  Index place(const TileSource &source, Index row, Index column) override {
    return swizzledPlace(emit, row, column, source.rows, size());
  }

  Index addressOf(Value shared) {
    return memref::ExtractAlignedPointerAsIndexOp::create(emit.builder,
                                                          emit.loc, shared)
        .getResult();
  }

  SmallVector<Value> zeros() override { return {product.zeros()}; }

  SmallVector<Value> multiply(Index stage, ValueRange carried) override {
    auto at = [&](Index address, const TileSource &source, Index part) {
      Index bytes =
          emit.add(emit.mul(stage, size() * stageElements(source)), part);
      return arith::IndexCastOp::create(emit.builder, emit.loc,
                                        emit.builder.getI64Type(),
                                        emit.value(emit.add(address, bytes)))
          .getResult();
    };
    Value left = at(addressA, a, product.partOfA(group)),
          right = at(addressB, b, emit.constant(0));
    Value sums = product.multiply(carried[0], left, right, plan.bk);
    product.wait(1);
    return {sums};
  }

  void finish(ValueRange sums) override {
    product.wait(0);
    bool paired = epilogue.isPaired(emit);
    Index first = emit.add(tileM, emit.mul(group, WarpgroupProduct::rows));
    product.forEachPair(
        emit.rem(emit.thread(), 128), [&](Index row, Index column, int64_t at) {
          store(emit.add(first, row), emit.add(tileN, column),
                {product.sum(sums[0], at), product.sum(sums[0], at + 1)},
                paired);
        });
  }

  WarpgroupProduct product;
  Index group;
  Index addressA, addressB;
};
} // namespace

void shardir::emitWgmmaKernel(KernelEmitter &emit,
                              const Contraction &contraction,
                              const Epilogue &epilogue, const LoopNest &nest,
                              const TilePlan &plan) {
  WgmmaKernel(emit, contraction, epilogue, nest, plan).run("wgmma");
}
