//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Liveness in one block, in bytes. Requires placements on every value (stages
// propagated to collective) or local types (later); changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/PeakMemory.h"
#include "ShardIR/Dialect/Collective/Collective.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace shardir;

/// How much the shards of a value overlap before localization.
static Halo haloOf(Value value) {
  if (auto op = value.getDefiningOp<RedistributeOp>())
    return readHalo(op.getHaloAttr());
  if (auto step = value.getDefiningOp<collective::CollectiveOpInterface>())
    return readHalo(step.getHaloAttr());
  return {};
}

/// The bytes of the largest overlapping shard.
static int64_t overlappingBytes(RankedTensorType type, PlacementAttr placement,
                                const Halo &halo, const MeshTable &meshes) {
  std::vector<int64_t> shape = shapeOf(type);
  for (int64_t &extent : shape)
    extent = extent == kUnknown ? kAssumedDimSize : extent;
  int64_t most = 0;
  const Mesh &mesh = meshes.get(placement);
  for (int64_t p = 0, e = mesh.numDevices(); p < e; ++p) {
    int64_t bytes = elementBytes(type);
    for (int64_t extent :
         localShape(placement.getValue(), halo, mesh, shape, p))
      bytes *= extent;
    most = std::max(most, bytes);
  }
  return most;
}

int64_t shardir::localBytes(Type type, PlacementAttr placement,
                            const MeshTable &meshes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  int64_t bytes = elementBytes(tensor);
  for (auto [dim, extent] : llvm::enumerate(shapeOf(tensor))) {
    int64_t known = extent == kUnknown ? kAssumedDimSize : extent;
    bytes *= placement ? maxLocalExtent(placement.getValue(),
                                        meshes.get(placement), known, dim)
                       : known;
  }
  return bytes;
}

MemoryPeak shardir::peakMemory(func::FuncOp function, const MeshTable &meshes) {
  Block &body = function.getBody().front();
  bool isLocal =
      function->getParentOp()->hasAttr(ShardIRDialect::kStage);
  auto bytesOf = [&](Value value) {
    Halo halo = isLocal ? Halo() : haloOf(value);
    if (!halo.empty())
      return overlappingBytes(cast<RankedTensorType>(value.getType()),
                              getPlacement(value), halo, meshes);
    return localBytes(value.getType(),
                      isLocal ? PlacementAttr() : getPlacement(value), meshes);
  };
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, size_t> position;
  for (Operation &op : body) {
    position[&op] = ops.size();
    ops.push_back(&op);
  }
  // Values that share memory are one owner.
  llvm::DenseMap<Value, Value> owners;
  auto ownerOf = [&](Value value) { return owners.lookup_or(value, value); };
  llvm::DenseMap<Value, size_t> lastUse;
  for (Operation *op : ops)
    for (OpResult result : op->getResults()) {
      Value owner = result;
      if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
        // Who is used again is not overwritten, and arguments never are.
        Value init = destination.getTiedOpOperand(result)->get();
        bool isLast = llvm::all_of(init.getUsers(), [&](Operation *user) {
          Operation *top = body.findAncestorOpInBlock(*user);
          return !top || position[top] <= position[op];
        });
        if (isLast && !isa<BlockArgument>(ownerOf(init)))
          owner = ownerOf(init);
      } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                   tensor::ExtractSliceOp, tensor::CastOp>(op))
        owner = ownerOf(op->getOperand(0));
      owners[result] = owner;
      size_t &last = lastUse[owner];
      last = std::max(last, position[op]);
      for (Operation *user : result.getUsers())
        if (Operation *top = body.findAncestorOpInBlock(*user))
          last = std::max(last, position[top]);
    }
  std::vector<int64_t> change(ops.size() + 1);
  for (auto &[owner, last] : lastUse) {
    if (isa<BlockArgument>(owner))
      continue;
    int64_t bytes = bytesOf(owner);
    change[position[owner.getDefiningOp()]] += bytes;
    change[last + 1] -= bytes;
  }
  MemoryPeak peak;
  for (BlockArgument argument : body.getArguments())
    peak.bytes += bytesOf(argument);
  int64_t alive = peak.bytes;
  for (auto [i, op] : llvm::enumerate(ops)) {
    alive += change[i];
    if (alive > peak.bytes)
      peak = {alive, op};
  }
  return peak;
}
