//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReceivedBytes.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ReceivedBytes.h"

#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/DeviceSample.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>
#include <string>

using namespace mlir;
using namespace shardir;

/// Whether one of `op`'s regions runs and the others do not.
static bool isBranch(Operation *op) {
  return asShardableRegion(op) && !isa<LoopLikeOpInterface>(op) &&
         op->getNumRegions() > 1;
}

bool shardir::isConditional(Operation *op) {
  while ((op = op->getParentOp()))
    if (isBranch(op))
      return true;
  return false;
}

static void addTo(std::vector<int64_t> &sum, ArrayRef<int64_t> terms) {
  sum.resize(std::max(sum.size(), terms.size()));
  for (auto [all, own] : llvm::zip(sum, terms))
    all += own;
}

namespace {

class Receiver {
public:
  explicit Receiver(const ExecutedSteps &executed) : executed(executed) {}
  int64_t mostReceived(ModuleOp module);
  bool isLowerBound = false;

private:
  std::vector<int64_t> receivedIn(Block &block);

  const ExecutedSteps &executed;
  /// Of each op that communicates, by device of a sample, or by rank where
  /// there are several meshes.
  llvm::DenseMap<Operation *, std::vector<int64_t>> receivedBy;
};

} // namespace

/// The bytes that each rank receives in a block; of branches, the least.
std::vector<int64_t> Receiver::receivedIn(Block &block) {
  std::vector<int64_t> sum;
  for (Operation &op : block) {
    if (auto own = receivedBy.find(&op); own != receivedBy.end())
      addTo(sum, own->second);
    SmallVector<std::vector<int64_t>> regions;
    size_t ranks = 0;
    for (Region &region : op.getRegions()) {
      std::vector<int64_t> &all = regions.emplace_back();
      for (Block &inner : region)
        addTo(all, receivedIn(inner));
      ranks = std::max(ranks, all.size());
    }
    bool branches = isBranch(&op);
    for (std::vector<int64_t> &region : regions) {
      region.resize(ranks);
      if (!branches)
        addTo(sum, region);
    }
    if (!branches)
      continue;
    std::vector<int64_t> least = regions.front();
    for (const std::vector<int64_t> &region : regions) {
      isLowerBound |= region != regions.front();
      for (auto [all, own] : llvm::zip(least, region))
        all = std::min(all, own);
    }
    addTo(sum, least);
  }
  return sum;
}

int64_t Receiver::mostReceived(ModuleOp module) {
  const Mesh *mesh = nullptr;
  bool isOneMesh = true;
  for (const auto &[op, steps] : executed)
    for (const ExecutedStep &own : steps) {
      if (!mesh)
        mesh = &own.mesh;
      isOneMesh &= own.mesh == *mesh && own.toMesh == *mesh;
    }
  if (!mesh)
    return 0;
  DeviceSample sample(*mesh);
  for (const auto &[op, steps] : executed)
    for (const ExecutedStep &own : steps)
      if (isOneMesh)
        sample.add(own.step, own.shape);
  // Equal layers have equal steps.
  std::map<std::string, std::vector<int64_t>> known;
  for (const auto &[op, steps] : executed) {
    std::vector<int64_t> &received = receivedBy[op];
    for (const ExecutedStep &own : steps) {
      std::vector<int64_t> each;
      if (isOneMesh) {
        std::string key = stringifyCollectiveKind(own.step.kind) +
                          toString(own.step.from) + toString(own.step.to) +
                          toString(own.step.halo) +
                          std::to_string(own.elementBytes);
        for (int64_t extent : own.shape)
          key += " " + std::to_string(extent);
        auto [found, isNew] = known.try_emplace(std::move(key));
        if (isNew)
          found->second = bytesReceived({own.step}, *mesh, own.shape,
                                        own.elementBytes, sample);
        each = found->second;
      }
      for (int64_t p = 0, e = isOneMesh ? 0 : own.toMesh.numDevices(); p < e;
           ++p) {
        size_t rank = own.toMesh.rankAt(p);
        each.resize(std::max(each.size(), rank + 1));
        each[rank] = own.mesh == own.toMesh
                         ? bytesReceived(own.step, own.mesh, own.shape,
                                         own.elementBytes, p)
                         : bytesReceived(own.step, own.mesh, own.toMesh,
                                         own.shape, own.elementBytes, p);
      }
      for (int64_t &bytes : each)
        bytes *= own.times;
      addTo(received, each);
    }
  }
  std::vector<int64_t> all;
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      addTo(all, receivedIn(block));
  return all.empty() ? 0 : *llvm::max_element(all);
}

ReceivedBytes shardir::mostReceived(ModuleOp module,
                                    const ExecutedSteps &executed) {
  Receiver receiver(executed);
  int64_t bytes = receiver.mostReceived(module);
  return {bytes, receiver.isLowerBound};
}
