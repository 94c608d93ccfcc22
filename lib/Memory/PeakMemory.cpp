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

#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Memory/LiveRanges.h"
#include "ShardIR/Placement/DeviceSample.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

/// The bytes of the largest overlapping shard.
static int64_t overlappingBytes(RankedTensorType type, PlacementAttr placement,
                                const Halo &halo, const MeshTable &meshes) {
  std::vector<int64_t> shape = shapeOf(type);
  for (int64_t &extent : shape)
    extent = extent == kUnknown ? kAssumedDimSize : extent;
  int64_t most = 0;
  const Mesh &mesh = meshes.get(placement);
  DeviceSample sample(mesh);
  sample.add({CollectiveKind::HaloExchange, placement.getValue(),
              placement.getValue(), halo},
             shape);
  for (int64_t p : sample.positions()) {
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
    int64_t local = placement
                        ? maxLocalExtent(placement.getValue(),
                                         meshes.get(placement), known, dim)
                        : known;
    if (llvm::MulOverflow(bytes, local, bytes))
      return std::numeric_limits<int64_t>::max();
  }
  return bytes;
}

void shardir::sortHeld(llvm::SmallVectorImpl<HeldValue> &held) {
  llvm::stable_sort(held, [](const HeldValue &a, const HeldValue &b) {
    return a.bytes > b.bytes;
  });
}

bool shardir::isViewOfOperand(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::CastOp, OptimizationBarrierOp>(op);
}

/// Whether `value` has no memory but that of its users' results: what is never
/// stored, a tensor without contents, or one of equal elements which ops on
/// tensors read, and which loops begin with. Bufferization gives each such user
/// its own.
static bool isMadeByUsers(OpResult value) {
  if (isa<tensor::EmptyOp>(value.getOwner()))
    return true;
  if (isa<linalg::FillOp>(value.getOwner()) ||
      matchPattern(value, m_Constant<SplatElementsAttr>(nullptr)))
    return llvm::all_of(value.getUsers(), [](Operation *user) {
      return isa<linalg::LinalgOp, LoopLikeOpInterface>(user);
    });
  return isUnstored(value);
}

bool shardir::hasOwnMemory(OpResult value) {
  return !isMadeByUsers(value) && !isViewOfOperand(value.getOwner());
}

namespace {

/// Values that are alive in a block, and in the blocks within.
class PeakFinder {
public:
  PeakFinder(const MeshTable &meshes, bool isLocal, bool resultsFirst,
             bool sharesInLoops)
      : meshes(meshes), isLocal(isLocal), resultsFirst(resultsFirst),
        sharesInLoops(sharesInLoops) {}

  int64_t bytesOf(Value value) const {
    if (collective::isOnHost(value))
      return 0;
    Halo halo = isLocal ? Halo() : presentHalo(value);
    if (!halo.empty())
      return overlappingBytes(cast<RankedTensorType>(value.getType()),
                              getPlacement(value), halo, meshes);
    return localBytes(value.getType(),
                      isLocal ? PlacementAttr() : getPlacement(value), meshes);
  }
  /// The most that values made in `block` take at one time.
  /// `aliveAt`, if given, gets what is alive at each op of the block.
  MemoryPeak
  inBlock(Block &block,
          llvm::DenseMap<Operation *, int64_t> *aliveAt = nullptr) const;

private:
  MemoryPeak inRegions(Operation *op) const;
  bool isUneven(Value value) const;

  const MeshTable &meshes;
  bool isLocal, resultsFirst, sharesInLoops;
};

} // namespace

/// True if devices hold shards of different extents, whose buffers are of sizes
/// that are known when the program runs.
bool PeakFinder::isUneven(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  PlacementAttr placement = isLocal ? PlacementAttr() : getPlacement(value);
  for (auto [dim, extent] : llvm::enumerate(shapeOf(type))) {
    if (extent == kUnknown)
      return true;
    if (!placement)
      continue;
    if (extent %
        groupSize(meshes.get(placement), placement.getValue().axesOf(dim)))
      return true;
  }
  return false;
}

/// The region that needs most. What goes through a loop is the op's own result:
/// region arguments add nothing.
MemoryPeak PeakFinder::inRegions(Operation *op) const {
  MemoryPeak peak;
  if (asShardableRegion(op))
    for (Region &region : op->getRegions())
      if (!region.empty())
        if (MemoryPeak own = inBlock(region.front()); own.bytes > peak.bytes)
          peak = own;
  return peak;
}

MemoryPeak
PeakFinder::inBlock(Block &block,
                    llvm::DenseMap<Operation *, int64_t> *aliveAt) const {
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, size_t> position;
  for (Operation &op : block) {
    position[&op] = ops.size();
    ops.push_back(&op);
  }
  llvm::DenseSet<Value> unstored;
  for (Operation *op : ops)
    for (OpResult result : op->getResults())
      if (isMadeByUsers(result))
        unstored.insert(result);
  // The last op that reads a value, be it for another one that is not stored.
  llvm::DenseMap<Value, size_t> ends;
  auto endOf = [&](Value value) {
    size_t end = 0;
    for (Operation *user : value.getUsers())
      if (Operation *top = block.findAncestorOpInBlock(*user)) {
        end = std::max(end, position[top]);
        for (OpResult result : top->getResults())
          if (top == user && unstored.contains(result))
            end = std::max(end, ends.lookup(result));
      }
    return end;
  };
  for (Operation *op : llvm::reverse(ops))
    for (OpResult result : op->getResults())
      ends[result] = endOf(result);
  // Values that share memory are one owner.
  llvm::DenseMap<Value, Value> owners;
  auto ownerOf = [&](Value value) { return owners.lookup_or(value, value); };
  // Values from before the block are not counted in it.
  auto isOutside = [&](Value value) {
    return value.getParentBlock() != &block;
  };
  auto mayOverwrite = [&](Value value, Operation *op) {
    // A value that is used again is not overwritten, nor one of the function or
    // of an outer block.
    Value owner = ownerOf(value);
    if (isOutside(owner) || isUneven(value) ||
        (isa<BlockArgument>(owner) && isa<func::FuncOp>(block.getParentOp())))
      return false;
    return endOf(value) <= position[op];
  };
  // Buffers of a loop's body are made once, ahead of the loop.
  bool isLoop = !sharesInLoops && isa<LoopLikeOpInterface>(block.getParentOp());
  llvm::DenseMap<Value, size_t> lastUse;
  llvm::DenseSet<Value> stored; // owners of a value that has memory
  for (Operation *op : ops) {
    llvm::DenseMap<Value, Value> entering; // what becomes a result of a region
    if (auto region = asShardableRegion(op))
      for (const RegionValueGroup &group : region.getValueGroups())
        for (OpOperand *operand : group.operands)
          if (operand->getOwner() == op)
            entering[group.values.back()] = operand->get();
    for (OpResult result : op->getResults()) {
      Value owner = result;
      // A body that reads the initial value as well needs it unchanged.
      Value init = entering.lookup(result);
      if (init && !init.hasOneUse())
        init = nullptr;
      if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
        init = destination.getTiedOpOperand(result)->get();
      if (init && !unstored.contains(init) && mayOverwrite(init, op))
        owner = ownerOf(init);
      else if (isViewOfOperand(op))
        owner = ownerOf(op->getOperand(0));
      owners[result] = owner;
      if (isOutside(owner))
        continue;
      if (!unstored.contains(result))
        stored.insert(owner);
      size_t &last = lastUse[owner];
      last = std::max({last, position[op], ends.lookup(result)});
    }
  }
  // A result in place takes the memory of its argument, unless that is read
  // later.
  if (auto function = dyn_cast<func::FuncOp>(block.getParentOp()))
    for (OpOperand &result : ops.back()->getOpOperands()) {
      unsigned i = result.getOperandNumber();
      Operation *made = result.get().getDefiningOp();
      if (!made || !function.getResultAttr(i, ShardIRDialect::kInPlace))
        continue;
      Value argument = function.getArgument(
          function.getResultAttrOfType<IntegerAttr>(i, ShardIRDialect::kAlias)
              .getInt());
      if (endOf(argument) <= position[made])
        lastUse.erase(ownerOf(result.get()));
    }
  LiveRanges<int64_t> ranges(ops.size());
  size_t end = ops.size() - 1;
  for (auto &[owner, last] : lastUse)
    if (!isa<BlockArgument>(owner) && stored.contains(owner))
      ranges.hold(position[owner.getDefiningOp()], isLoop ? end : last,
                  bytesOf(owner));
  if (resultsFirst && isa<func::FuncOp>(block.getParentOp()))
    for (Value result : ops.back()->getOperands()) {
      auto last = lastUse.find(ownerOf(result));
      if (last == lastUse.end() || isa<BlockArgument>(last->first))
        continue;
      if (size_t made = position[last->first.getDefiningOp()])
        ranges.hold(0, made - 1, bytesOf(last->first));
    }
  // A loop-carried value is copied where its buffer is one of those, unless it
  // is what was carried in, changed in place.
  if (auto loop = dyn_cast<LoopLikeOpInterface>(block.getParentOp())) {
    auto isInPlace = [&](OpOperand &yielded) {
      auto argument = dyn_cast<BlockArgument>(ownerOf(yielded.get()));
      return argument && loop.getTiedLoopYieldedValue(argument) == &yielded;
    };
    for (OpOperand &yielded : ops.back()->getOpOperands())
      if (!isInPlace(yielded))
        ranges.hold(0, end, bytesOf(yielded.get()));
  }
  MemoryPeak peak;
  size_t step = 0;
  for (auto [i, alive] : llvm::enumerate(ranges.held())) {
    MemoryPeak inner = inRegions(ops[i]);
    if (aliveAt)
      (*aliveAt)[ops[i]] = alive + inner.bytes;
    if (alive + inner.bytes <= peak.bytes)
      continue;
    step = i;
    peak = {alive + inner.bytes, inner.op ? inner.op : ops[i],
            std::move(inner.held)};
  }
  // Of values that share memory, the last that is made up to the peak.
  llvm::MapVector<Value, Value> present;
  for (Operation *op : llvm::ArrayRef(ops).take_front(step + 1))
    for (OpResult result : op->getResults()) {
      Value owner = owners.lookup(result);
      auto last = lastUse.find(owner);
      if (last == lastUse.end() || !stored.contains(owner) ||
          isa<BlockArgument>(owner) || (!isLoop && last->second < step))
        continue;
      Value &value = present[owner];
      if (!value || !isViewOfOperand(op))
        value = result;
    }
  for (auto [owner, value] : present)
    if (int64_t bytes = bytesOf(owner))
      peak.held.push_back({value, bytes});
  return peak;
}

MemoryPeak shardir::peakMemory(func::FuncOp function, const MeshTable &meshes,
                               llvm::DenseMap<Operation *, int64_t> *alive,
                               bool resultsFirst, bool sharesInLoops) {
  Block &body = function.getBody().front();
  PeakFinder finder(meshes,
                    function->getParentOp()->hasAttr(ShardIRDialect::kStage),
                    resultsFirst, sharesInLoops);
  MemoryPeak peak = finder.inBlock(body, alive);
  int64_t throughout = 0;
  for (BlockArgument argument : body.getArguments())
    throughout += finder.bytesOf(argument);
  // A loop's result is copied into the result buffer, which is always alive.
  for (Value value : body.getTerminator()->getOperands())
    if (isa_and_nonnull<LoopLikeOpInterface>(value.getDefiningOp()))
      throughout += finder.bytesOf(value);
  peak.bytes += throughout;
  for (BlockArgument argument : body.getArguments())
    if (int64_t bytes = finder.bytesOf(argument))
      peak.held.push_back({argument, bytes});
  sortHeld(peak.held);
  if (alive)
    for (auto &[op, bytes] : *alive)
      bytes += throughout;
  return peak;
}
