//===- AttentionMma.cpp - Attention by mma.sync ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires queries and keys of one 16-bit float type, and probabilities and
// values of one. Fragments are those of the PTX ISA for m16n8k16: two eights of
// columns of scores are the A fragment of 16 elements along k of the second
// product, so that probabilities never leave registers. ldmatrix transposes
// where memory is contiguous in the direction that the product does not want.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

using namespace mlir;
using namespace shardir;

namespace {
class MmaAttention : public MatrixAttention {
public:
  using MatrixAttention::MatrixAttention;

private:
  SmallVector<Value> queryAt(int64_t rowTile, int64_t k) {
    Index row = emit.add(emit.mul(warp, 16 * plan.rowTiles),
                         emit.constant(16 * rowTile));
    return fragments(query, emit.constant(0), row, k, /*kFirst=*/false,
                     /*outerFirst=*/true);
  }

  void holdQuery() override {
    if (!plan.queryInRegisters)
      return;
    for (int64_t k = 0; k < plan.k; k += 16)
      for (int64_t i = 0; i < plan.rowTiles; ++i)
        held.push_back(queryAt(i, k));
  }

  Fragment scores(Index stage) override {
    Fragment sums(4 * plan.rowTiles * scoreTiles(),
                  emit.zero(emit.builder.getF32Type()));
    for (int64_t k = 0; k < plan.k; k += 16) {
      SmallVector<SmallVector<Value>> left;
      for (int64_t i = 0; i < plan.rowTiles; ++i)
        left.push_back(plan.queryInRegisters ? held[k / 16 * plan.rowTiles + i]
                                             : queryAt(i, k));
      for (int64_t j = 0; j < scoreTiles(); j += 2) {
        SmallVector<Value> right =
            fragments(key, stage, emit.constant(8 * j), k, /*kFirst=*/false,
                      /*outerFirst=*/false);
        for (int64_t i = 0; i < plan.rowTiles; ++i)
          for (int64_t one = 0; one < 2; ++one)
            product(key.operand.element, left[i],
                    ArrayRef(right).slice(2 * one, 2),
                    &sums[at(scoreTiles(), i, j + one, 0, 0)]);
      }
    }
    return sums;
  }

  void accumulate(Index stage, ArrayRef<Value> p, Fragment &sums) override {
    auto pair = [&](int64_t i, int64_t j, int64_t half) {
      return packed(p, i, j, half);
    };
    for (int64_t k = 0; k < plan.bn; k += 16) {
      SmallVector<SmallVector<Value>> left;
      for (int64_t i = 0; i < plan.rowTiles; ++i)
        left.push_back({pair(i, k / 8, 0), pair(i, k / 8, 1),
                        pair(i, k / 8 + 1, 0), pair(i, k / 8 + 1, 1)});
      for (int64_t j = 0; j < valueTiles(); j += 2) {
        SmallVector<Value> right =
            fragments(value, stage, emit.constant(8 * j), k, /*kFirst=*/true,
                      /*outerFirst=*/false);
        for (int64_t i = 0; i < plan.rowTiles; ++i)
          for (int64_t one = 0; one < 2; ++one)
            product(value.operand.element, left[i],
                    ArrayRef(right).slice(2 * one, 2),
                    &sums[at(valueTiles(), i, j + one, 0, 0)]);
      }
    }
  }

  SmallVector<SmallVector<Value>> held;
};
} // namespace

void shardir::emitMmaAttention(KernelEmitter &emit,
                               const AttentionProblem &problem,
                               const AttentionPlan &plan) {
  MmaAttention(emit, problem, plan).run("mma");
}
