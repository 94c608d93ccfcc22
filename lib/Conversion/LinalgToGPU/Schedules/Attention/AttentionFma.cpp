//===- AttentionFma.cpp - Attention without matrix units ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For f32, f64 and mixed operands: products by fused multiply-adds in the type
// of the scores, on the fragments that matrix units would have. A thread reads
// its rows and columns from shared memory; probabilities go through shared
// memory, where each warp has its own rows.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
class FmaAttention : public AttentionKernel {
public:
  using AttentionKernel::AttentionKernel;

private:
  int64_t pitch() const { return plan.bn + quad; }

  void takeMore(SharedLayout &layout) override {
    offset = layout.take(plan.bm() * pitch() * elementBytes(problem.wide));
  }

  void prepare() override {
    shared = emit.shared(problem.wide, plan.bm() * pitch(), offset);
    warpRow = emit.mul(warp, 16 * plan.rowTiles);
  }

  Fragment scores(Index stage) override {
    return multiply(query, warpRow, 2 * plan.rowTiles, key, stage, scoreTiles(),
                    plan.k);
  }

  void accumulate(Index stage, ArrayRef<Value> p, Fragment &sums) override {
    OpBuilder &builder = emit.builder;
    Index pairs = emit.mul(emit.rem(lane, 4), 2);
    auto type = VectorType::get(2, problem.wide);
    for (int64_t row = 0; row < 2 * plan.rowTiles; ++row)
      for (int64_t j = 0; j < scoreTiles(); ++j) {
        SmallVector<Value> two;
        for (int64_t one = 0; one < 2; ++one)
          two.push_back(widened(p[at(scoreTiles(), row / 2, j, row % 2, one)]));
        Value vector =
            vector::FromElementsOp::create(builder, emit.loc, type, two);
        Index to = emit.add(emit.mul(rowBehind(warpRow, row), pitch()),
                            emit.add(pairs, emit.constant(8 * j)));
        vector::StoreOp::create(builder, emit.loc, vector, shared,
                                emit.value(to));
      }
    // The next writes come behind the next step's barrier.
    emit.barrier();
    auto quads = VectorType::get(quad, problem.wide);
    sums = emit.loop(
        emit.constant(0), emit.constant(plan.bn), emit.constant(quad), sums,
        [&](Index k, ValueRange carried) {
          SmallVector<Value> result(carried);
          SmallVector<Value> left;
          for (int64_t row = 0; row < 2 * plan.rowTiles; ++row) {
            Index from =
                emit.add(emit.mul(rowBehind(warpRow, row), pitch()), k);
            left.push_back(vector::LoadOp::create(builder, emit.loc, quads,
                                                  shared, emit.value(from)));
          }
          for (int64_t e = 0; e < quad; ++e) {
            SmallVector<Value> factors;
            for (Value of : left)
              factors.push_back(
                  vector::ExtractOp::create(builder, emit.loc, of, e));
            for (int64_t j = 0; j < valueTiles(); ++j) {
              SmallVector<Value> right =
                  read(value, stage, emit.add(k, emit.constant(e)),
                       emit.add(pairs, emit.constant(8 * j)), 2,
                       /*alongFirst=*/false);
              for (int64_t row = 0; row < 2 * plan.rowTiles; ++row)
                for (int64_t one = 0; one < 2; ++one) {
                  Value &sum =
                      result[at(valueTiles(), row / 2, j, row % 2, one)];
                  sum = multiplyAdd(factors[row], right[one], sum);
                }
            }
          }
          return result;
        });
  }

  int64_t offset = 0;
  Value shared;
  Index warpRow;
};
} // namespace

void shardir::emitFmaAttention(KernelEmitter &emit,
                               const AttentionProblem &problem,
                               const AttentionPlan &plan) {
  FmaAttention(emit, problem, plan).run("fma");
}
