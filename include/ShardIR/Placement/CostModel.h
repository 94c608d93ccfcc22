//===- CostModel.h - What a redistribution costs ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a chain of collectives, as one value with one order per mode, for
// the planner and for whoever weighs placements against each other.
//
// Time is a model, not a measurement. A step takes
//     (1 + messages) x latency + max(sent, received) / bandwidth
// on the worst device, and a plan the sum of its steps; the one is for the
// group to meet. Messages are those that follow one another on one device:
// ceil(log2(n)) for the collectives of n devices (recursive doubling and
// halving: Thakur, Rabenseifner, Gropp, "Optimization of Collective
// Communication Operations in MPICH", 2005), 1 for a permute,
// ceil(log2(1 + peers)) for an all_to_all or an exchange. An all_reduce takes
// the faster of two ways, as there: twice ceil(log2(n)) messages, or as many as
// others and n-1 operands, which is faster for short ones. Bytes are always
// those of the first. Each
// axis has the link that the mesh gives it (P7 of docs/Semantics.md). Where the
// links of a group's axes differ, bytes that cross several axes go over the
// slowest of them, links are used one after another, and every device of a
// group is taken to hold an equal part.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_COSTMODEL_H
#define SHARDIR_PLACEMENT_COSTMODEL_H

#include "ShardIR/Placement/Collectives.h"

#include <functional>
#include <vector>

namespace shardir {

/// The order in which two plans are compared (rules R6, D3).
enum class CostMode {
  Bytes, ///< no machine model, reproducible
  Time,  ///< seconds of the machine model first
};

/// The cost of a chain of steps.
struct Cost {
  double seconds = 0; ///< by the machine model, a multiple of 1e-12
  int64_t bytes = 0;  ///< received, the largest over devices of the sum
  int steps = 0;      ///< that communicate
  int exchanges = 0;  ///< of these, without a standard collective's pattern
  int64_t peak = 0;   ///< bytes of the largest shard on the way, ends included
  int64_t alive = 0; ///< bytes of the source and of a step's operand and result
                     ///< at one time, at most; no part of the order
  int copies = 0;    ///< local steps
};

/// A total order on what costs are made of. Bytes: bytes, steps, exchanges,
/// peak, copies, seconds. Time: seconds, then the same. At equal bytes one
/// standard collective thus comes before an exchange, and that before a chain
/// (rule D3). Plans that keep to rule D2 have equal peaks.
bool isCheaper(const Cost &a, const Cost &b, CostMode mode);

/// The cost of one step that communicates, by other costs than those of the
/// planner and the machine: `bytes` and `seconds` count.
using StepCost = std::function<Cost(
    const CollectiveStep &step, const Mesh &mesh,
    const std::vector<int64_t> &shape, int64_t elementBytes)>;

/// The cost of a chain of steps, each of which starts where the last one ended;
/// `elementBytes` is the size of one element. Unknown sizes count as assumed.
/// Bytes and seconds are the sums of `stepCost` if that is given.
Cost costOf(const std::vector<CollectiveStep> &steps, const Mesh &mesh,
            const std::vector<int64_t> &shape, int64_t elementBytes,
            const MachineModel &machine = {},
            const StepCost &stepCost = nullptr);

/// The cost of a redistribution without a plan, for searches over many:
/// `bytes` and `seconds` alone, in time that is linear in the splits of the two
/// placements. Where everything divides, `bytes` are those of the plan with the
/// fewest; elsewhere, and for seconds, within the factor that
/// EstimateTests.cpp states and checks. Takes dims, no sugar.
Cost estimateRedistribute(const Placement &src, const Placement &dst,
                          const Mesh &mesh, const std::vector<int64_t> &shape,
                          int64_t elementBytes,
                          const MachineModel &machine = {});

} // namespace shardir

#endif // SHARDIR_PLACEMENT_COSTMODEL_H
