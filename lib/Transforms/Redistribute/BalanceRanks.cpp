//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to collective. A plan alone counts the rank that
// receives most in it. Where blocks are uneven that need not be the same rank
// in all plans: a reduce-scatter and an all-gather of uneven blocks can be
// better or worse than an all-reduce of even ones, depending on what else the
// ranks receive. So ranks are weighted, and from round to round those that
// receive most count for more (the multiplicative weights method: Arora, Hazan,
// Kale, Theory of Computing 8, 2012).
//
//===----------------------------------------------------------------------===//

#include "BalanceRanks.h"

#include "ShardIR/Report/Report.h"

using namespace mlir;
using namespace shardir;

/// The bytes that each rank receives by the plans of `ops`; nothing where one
/// has no plan.
static std::vector<int64_t> receivedBy(ArrayRef<RedistributeOp> ops,
                                       const MeshTable &meshes,
                                       const PlanOptions &options) {
  std::vector<int64_t> received;
  for (RedistributeOp op : ops) {
    auto plan = planOf(op, meshes, options);
    auto *steps = std::get_if<CrossMeshPlan>(&plan);
    if (!steps)
      return {};
    int64_t executions = executionsOf(op).value_or(1);
    std::vector<int64_t> own =
        receivedByRank(*steps, meshes.get(op.getFrom()), meshes.get(op.getTo()),
                       shapeOf(op.getType()), elementBytes(op.getType()));
    received.resize(std::max(received.size(), own.size()), 0);
    for (auto [sum, bytes] : llvm::zip(received, own))
      sum += bytes * executions;
  }
  return received;
}

BalancedPlans shardir::balanceRanks(ArrayRef<RedistributeOp> ops,
                                    const MeshTable &meshes,
                                    PlanOptions options) {
  constexpr int kMaxRounds = 6;
  constexpr int64_t kMaxRanks = 64;
  for (RedistributeOp op : ops)
    if (meshes.get(op.getFrom()).numRanks() > kMaxRanks ||
        meshes.get(op.getTo()).numRanks() > kMaxRanks)
      return {};
  std::vector<int64_t> received = receivedBy(ops, meshes, options);
  if (received.empty())
    return {};
  BalancedPlans best{{}, *llvm::max_element(received)};
  options.deviceWeights.assign(received.size(), 1.0 / double(received.size()));
  for (int round = 1; round <= kMaxRounds && !llvm::all_equal(received);
       ++round) {
    received = receivedBy(ops, meshes, options);
    int64_t most = *llvm::max_element(received);
    if (most < *best.received)
      best = {options.deviceWeights, most};
    double sum = 0;
    for (auto [weight, bytes] :
         llvm::zip_equal(options.deviceWeights, received)) {
      for (int i = 0; most > 0 && i < 3 * round; ++i)
        weight *= double(bytes + most) / double(2 * most);
      sum += weight;
    }
    for (double &weight : options.deviceWeights)
      weight /= sum;
  }
  return best;
}
