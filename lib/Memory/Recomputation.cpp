//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks from a value that is held at the peak to what it is made of, as far as
// that is there anyway when the value is needed. See Recomputation.h for what
// is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Memory/Recomputation.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Placement/CostModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace shardir;

/// Ops of one slice: a recomputation that repeats more repeats a layer.
static constexpr size_t kMostOps = 256;

static bool isContentless(Operation *op) {
  return isa<tensor::EmptyOp, linalg::FillOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

bool shardir::isRepeatable(Operation *op) {
  if (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return isa<OptimizationBarrierOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect, linalg::LinalgDialect,
             tensor::TensorDialect>(op->getDialect());
}

static bool isContraction(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && (linalg::isaContractionOpInterface(structured) ||
                        linalg::isaConvolutionOpInterface(structured));
}

/// A gathered value can be gathered again from its shard.
static bool isGather(Operation *op) {
  return isa<collective::AllGatherOp>(op) && op->getNumResults() == 1;
}

static bool canRepeat(Operation *op) {
  return isRepeatable(op) || isGather(op);
}

llvm::SetVector<Value> shardir::readsOf(Operation *op) {
  SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

namespace {

class Finder {
public:
  Finder(const MemoryPeak &peak, Block &block, const MeshTable &meshes,
         const DeviceRates &rates, const RecomputationState &done)
      : block(block), meshes(meshes), rates(rates), done(done) {
    for (auto [i, op] : llvm::enumerate(block))
      position[&op] = i;
    at = positionOf(peak.op);
  }

  std::optional<Recomputation> find(Value value, int64_t bytes,
                                    bool keepsCostly) const;

private:
  size_t positionOf(Operation *op) const {
    return position.lookup(block.findAncestorOpInBlock(*op));
  }
  bool isInBlock(Value value) const {
    return value.getDefiningOp() && value.getParentBlock() == &block;
  }
  /// The positions of ops that need the memory of `value`.
  void usesOf(Value value, llvm::function_ref<void(size_t)> visit) const {
    for (Operation *user : value.getUsers()) {
      size_t top = positionOf(user);
      visit(top);
      if (isViewOfOperand(user) && user->getOperand(0) == value)
        usesOf(user->getResult(0), visit);
    }
  }
  /// Whether `value` is in memory in front of `step` without any recomputation.
  bool isThere(Value value, size_t step) const {
    if (!isInBlock(value))
      return true;
    if (isUnstored(cast<OpResult>(value)))
      return false;
    if (positionOf(value.getDefiningOp()) >= step)
      return false;
    bool isUsed = false;
    usesOf(value, [&](size_t use) { isUsed |= use >= step; });
    return isUsed;
  }
  /// The op behind the peak that moves the operand of the collective `made`, or
  /// what was computed again for it, between the same placements; null if there
  /// is none.
  Operation *repeatedBehind(Operation *made) const {
    auto step = dyn_cast_or_null<collective::CollectiveOpInterface>(made);
    if (!step || made->getNumResults() != 1)
      return nullptr;
    SmallVector<Value> inputs = {step.getInput()};
    if (Value again = done.byValue.lookup(step.getInput()))
      inputs.push_back(again);
    for (Value input : inputs)
      for (Operation *user : input.getUsers()) {
        auto other = dyn_cast<collective::CollectiveOpInterface>(user);
        if (other && user != made && user->getName() == made->getName() &&
            user->getBlock() == &block && positionOf(user) > at &&
            other.getFrom() == step.getFrom() &&
            other.getTo() == step.getTo() &&
            other.getHaloAttr() == step.getHaloAttr())
          return user;
      }
    return nullptr;
  }

  Block &block;
  const MeshTable &meshes;
  const DeviceRates &rates;
  const RecomputationState &done;
  llvm::DenseMap<Operation *, size_t> position;
  size_t at = 0; ///< the position of the peak
};

} // namespace

RepeatCost shardir::repeatCost(Operation *op, const MeshTable &meshes,
                               const DeviceRates &rates, bool countsUnstored) {
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op)) {
    RankedTensorType type = step.getGlobalTensorType();
    Cost cost = costOf({step.getStep()}, meshes.get(step.getFrom()),
                       shapeOf(type), elementBytes(type));
    return {0, double(cost.bytes), cost.seconds};
  }
  if (isContentless(op) || isViewOfOperand(op) ||
      llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return {};
  double moved = 0, narrowest = 16, ways = 1;
  llvm::StringMap<int64_t> axes;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    PlacementAttr placement = getPlacement(value);
    auto result = dyn_cast<OpResult>(value);
    if (countsUnstored || !result || !isUnstored(result))
      moved += double(localBytes(type, placement, meshes));
    narrowest = std::min(narrowest, double(elementBytes(type)));
    if (!placement)
      continue;
    const Mesh &mesh = meshes.get(placement);
    for (const AxisRef &axis : axesOf(placement.getValue()))
      axes[axis.name] = std::max(axes[axis.name], groupSize(mesh, {axis}));
  }
  for (const auto &axis : axes)
    ways *= double(axis.second);
  double points = isContraction(op) ? 2 : 1;
  SharedRule rule = getShardingRule(op);
  for (const Factor &factor : rule->factors)
    if (factor.isIterated)
      points *= double(factor.size == kUnknown ? kAssumedDimSize : factor.size);
  points = std::ceil(points / ways);
  return {points, 0,
          std::max(points / rates.flopsOf(int64_t(narrowest)),
                   moved / rates.memoryBandwidth)};
}

std::optional<Recomputation> Finder::find(Value value, int64_t bytes,
                                          bool keepsCostly) const {
  Operation *producer = value.getDefiningOp();
  if (!isInBlock(value) || positionOf(producer) >= at ||
      done.made.contains(producer) || !canRepeat(producer))
    return std::nullopt;
  size_t first = block.getOperations().size() - 1;
  size_t terminator = first;
  bool isNeeded = false, isUsedLater = false;
  usesOf(value, [&](size_t use) {
    isNeeded |= use == at || use == terminator;
    isUsedLater |= use > at;
    if (use > at)
      first = std::min(first, use);
  });
  if (isNeeded || !isUsedLater)
    return std::nullopt;
  Recomputation result;
  result.value = value;
  result.bytes = bytes;
  llvm::DenseSet<Operation *> slice;
  SetVector<Value> inputs;
  SmallVector<Operation *> worklist = {producer};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!slice.insert(op).second)
      continue;
    if (slice.size() > kMostOps)
      return std::nullopt;
    for (Value read : readsOf(op)) {
      Operation *made = isInBlock(read) ? read.getDefiningOp() : nullptr;
      // Scalars are not repeated.
      if (!isa<RankedTensorType>(read.getType()))
        continue;
      if (made && isContentless(made)) {
        worklist.push_back(made);
        continue;
      }
      if (!presentHalo(read).empty())
        return std::nullopt;
      if (Value again = done.byValue.lookup(read);
          again && positionOf(again.getDefiningOp()) < first) {
        inputs.insert(read);
        continue;
      }
      if (isThere(read, first)) {
        inputs.insert(read);
        continue;
      }
      if (Operation *again = repeatedBehind(made)) {
        if (inputs.insert(read))
          result.repeated.push_back({read, again});
        continue;
      }
      if (canRepeat(made) && !done.made.contains(made) &&
          !(keepsCostly && (isContraction(made) || isGather(made)))) {
        worklist.push_back(made);
        continue;
      }
      result.bytes -= localBytes(read.getType(), getPlacement(read), meshes);
      inputs.insert(read);
    }
  }
  // Equal ops without inputs would be merged.
  bool isContent =
      llvm::any_of(slice, [](Operation *op) { return !isContentless(op); });
  if (result.bytes <= 0 || (isContent && inputs.empty()))
    return std::nullopt;
  for (Operation *op : slice)
    result.cost += repeatCost(op, meshes, rates);
  result.slice.assign(slice.begin(), slice.end());
  llvm::sort(result.slice, [&](Operation *a, Operation *b) {
    return position.lookup(a) < position.lookup(b);
  });
  result.inputs = inputs.takeVector();
  result.before = &*std::next(block.begin(), first);
  return result;
}

std::vector<Recomputation>
shardir::recomputationsAt(const MemoryPeak &peak, func::FuncOp function,
                          const MeshTable &meshes, const DeviceRates &rates,
                          const RecomputationState &done) {
  std::vector<Recomputation> found;
  if (!peak.op)
    return found;
  Finder finder(peak, function.getBody().front(), meshes, rates, done);
  for (const HeldValue &held : peak.held) {
    auto best = finder.find(held.value, held.bytes, /*keepsCostly=*/true);
    auto other = finder.find(held.value, held.bytes, /*keepsCostly=*/false);
    if (other && (!best || other->bytesPerSecond() > best->bytesPerSecond()))
      best = std::move(other);
    if (best)
      found.push_back(std::move(*best));
  }
  llvm::stable_sort(found, [&](const Recomputation &a, const Recomputation &b) {
    return a.bytesPerSecond() > b.bytesPerSecond();
  });
  return found;
}
