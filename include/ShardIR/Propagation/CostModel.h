//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs by which propagation decides. The default is a machine model; an
// embedder can give its own: to the pipelines by PipelineOptions::costModel, to
// one pass by createPropagate, or to a graph by PropagationOptions::costModel.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PROPAGATION_COSTMODEL_H
#define SHARDIR_PROPAGATION_COSTMODEL_H

#include "ShardIR/Placement/CostModel.h"
#include "ShardIR/Propagation/Graph.h"

#include <memory>

namespace shardir {

class PlanCache;

/// The cost of one execution on one device. CostMode orders the parts: seconds,
/// bytes, memory under Time; bytes, seconds of local work, memory under Bytes.
struct PropagationCost {
  int64_t bytes = 0;  ///< received
  double seconds = 0; ///< predicted
  int64_t memory = 0; ///< bytes of the results
};

/// A node's local computation.
struct LocalOp {
  const PropagationGraph::Node &node;
  /// Per factor of the rule: the number of blocks that it is split into.
  llvm::ArrayRef<int64_t> blocks;
  /// The largest local size over devices, in bytes, per operand and per result
  /// of the rule; 0 for values that are not tensors.
  llvm::ArrayRef<int64_t> operandBytes, resultBytes;
  int64_t elementBytes = 4; ///< of the narrowest tensor among the operands
};

/// Costs of redistributions and of local work. Functions must be pure:
/// propagation calls them once for equal arguments and keeps the result.
class PropagationCostModel {
public:
  virtual ~PropagationCostModel() = default;

  /// One redistribution of `value` on `mesh`; the two placements differ and
  /// are in normal form.
  virtual PropagationCost redistribute(const PropagationGraph::Value &value,
                                       const Placement &from,
                                       const Placement &to,
                                       const Mesh &mesh) const = 0;
  /// The exchange of the halo that operand `operand` of a node with these
  /// splits needs, if the value has the placement `from`, which is not partial.
  virtual PropagationCost exchangeHalo(const PropagationGraph::Value &value,
                                       const Placement &from,
                                       const PropagationGraph::Node &node,
                                       int operand, const FactorSplits &splits,
                                       const Mesh &mesh) const = 0;
  virtual PropagationCost compute(const LocalOp &op) const = 0;
};

/// Costs by a machine's rates. A redistribution costs what estimateRedistribute
/// says or, where that is not exact, what its plan costs.
class MachineCostModel : public PropagationCostModel {
public:
  explicit MachineCostModel(CostMode mode) : mode(mode) {}

  /// Redistributions over more devices are estimated, and ranks not balanced.
  static constexpr int64_t kMaxPlannedDevices = 64;

  CostMode mode;
  MachineModel machine; ///< links that the mesh does not describe
  DeviceRates rates;
  /// By rank. If set, `bytes` of a redistribution is the weighted sum over
  /// ranks instead of the maximum.
  std::vector<double> rankWeights;
  PlanCache *plans = nullptr; ///< where plans are looked up and kept

  PropagationCost redistribute(const PropagationGraph::Value &value,
                               const Placement &from, const Placement &to,
                               const Mesh &mesh) const override;
  PropagationCost exchangeHalo(const PropagationGraph::Value &value,
                               const Placement &from,
                               const PropagationGraph::Node &node, int operand,
                               const FactorSplits &splits,
                               const Mesh &mesh) const override;
  PropagationCost compute(const LocalOp &op) const override;

  /// The plan of a redistribution; no steps where there is none.
  std::vector<CollectiveStep> plan(const PropagationGraph::Value &value,
                                   const Placement &from, const Placement &to,
                                   const Mesh &mesh) const;
};

} // namespace shardir

#endif // SHARDIR_PROPAGATION_COSTMODEL_H
