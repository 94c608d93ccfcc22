//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data flow of scf's loops and branches: which values are one tensor, so
// that they share a placement. Queries alone; ops need not be placed. What the
// ops do with scalars (bounds, conditions, indices) is the same on all devices,
// as scalars come from replicated tensors.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/ExternalModels/ExternalModels.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace shardir;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

namespace {

struct ForModel
    : ShardableRegionOpInterface::ExternalModel<ForModel, scf::ForOp> {
  SmallVector<RegionValueGroup> getValueGroups(Operation *op) const {
    auto loop = cast<scf::ForOp>(op);
    SmallVector<RegionValueGroup> groups;
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      if (isTensor(result))
        groups.push_back({{&loop.getInitArgsMutable()[i],
                           &loop.getBody()->getTerminator()->getOpOperand(i)},
                          {loop.getRegionIterArg(i), result}});
    return groups;
  }
  OpResult getGroupedResult(Operation *op, BlockArgument argument) const {
    return isTensor(argument) ? cast<scf::ForOp>(op).getTiedLoopResult(argument)
                              : OpResult();
  }
  std::optional<int64_t> getTripCount(Operation *op, Region &) const {
    std::optional<APInt> count = cast<scf::ForOp>(op).getStaticTripCount();
    return count ? count->tryZExtValue() : std::nullopt;
  }
};

/// Results of branches: scf.if, scf.index_switch, scf.execute_region.
template <typename Op>
struct BranchModel
    : ShardableRegionOpInterface::ExternalModel<BranchModel<Op>, Op> {
  SmallVector<RegionValueGroup> getValueGroups(Operation *op) const {
    SmallVector<RegionValueGroup> groups;
    for (OpResult result : op->getResults()) {
      if (!isTensor(result))
        continue;
      RegionValueGroup &group = groups.emplace_back();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (isa<scf::YieldOp>(block.getTerminator()))
            group.operands.push_back(
                &block.getTerminator()->getOpOperand(result.getResultNumber()));
      group.values.push_back(result);
    }
    return groups;
  }
};

struct WhileModel
    : ShardableRegionOpInterface::ExternalModel<WhileModel, scf::WhileOp> {
  SmallVector<RegionValueGroup> getValueGroups(Operation *op) const {
    auto loop = cast<scf::WhileOp>(op);
    SmallVector<RegionValueGroup> groups;
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      if (isTensor(result))
        groups.push_back({{&loop.getConditionOp().getArgsMutable()[i]},
                          {loop.getAfterArguments()[i], result}});
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
      if (isTensor(argument))
        groups.push_back(
            {{&loop.getInitsMutable()[i], &loop.getYieldOp()->getOpOperand(i)},
             {argument}});
    return groups;
  }
  OpResult getGroupedResult(Operation *op, BlockArgument argument) const {
    auto loop = cast<scf::WhileOp>(op);
    return isTensor(argument) && argument.getOwner() == loop.getAfterBody()
               ? loop->getResult(argument.getArgNumber())
               : OpResult();
  }
  std::optional<int64_t> getTripCount(Operation *, Region &) const {
    return std::nullopt;
  }
};

} // namespace

void shardir::registerSCFModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::ForOp::attachInterface<ForModel>(*context);
    scf::WhileOp::attachInterface<WhileModel>(*context);
    scf::IfOp::attachInterface<BranchModel<scf::IfOp>>(*context);
    scf::IndexSwitchOp::attachInterface<BranchModel<scf::IndexSwitchOp>>(
        *context);
    scf::ExecuteRegionOp::attachInterface<BranchModel<scf::ExecuteRegionOp>>(
        *context);
  });
}
