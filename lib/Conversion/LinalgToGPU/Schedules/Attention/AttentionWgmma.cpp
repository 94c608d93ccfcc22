//===- AttentionWgmma.cpp - Attention by wgmma ----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a, queries and keys of one 16-bit float type, and probabilities
// and values of one. Each warpgroup has 64 rows; probabilities are an operand
// in registers. While one warpgroup is at its exponentials, another one
// multiplies.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupTiles.h"

using namespace mlir;
using namespace shardir;

namespace {
class WgmmaAttention : public OnWarpgroupTiles<MatrixAttention> {
public:
  WgmmaAttention(KernelEmitter &emit, const AttentionProblem &problem,
                 const AttentionPlan &plan)
      : OnWarpgroupTiles(emit, problem, plan) {}

private:
  void prepare() override { group = tiles.group(); }

  Fragment scores(Index stage) override {
    Value sums = tiles.startScores(query, group, key, stage, emit.constant(0),
                                   plan.bn, plan.k);
    tiles.wait(0);
    return tiles.finish(sums);
  }

  void accumulate(Index stage, ArrayRef<Value> p, Fragment &sums) override {
    SmallVector<Value> factors;
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t half = 0; half < 2; ++half)
        factors.push_back(packed(p, 0, j, half, /*asInteger=*/true));
    Value made = tiles.startSums(factors, value, stage, sums);
    tiles.wait(0);
    sums = tiles.finish(made);
  }

  Index group;
};
} // namespace

void shardir::emitWgmmaAttention(KernelEmitter &emit,
                                 const AttentionProblem &problem,
                                 const AttentionPlan &plan) {
  WgmmaAttention(emit, problem, plan).run("wgmma");
}
