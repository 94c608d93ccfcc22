//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local to scheduled, behind rings. Requires what verifyStage says of
// the scheduled stage, but for the module's attribute; guarantees that
// collectives which travel together stand one behind the other and carry one
// number, and marks the module as scheduled. Collectives keep one order on all
// ranks (X1), as all run this program.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Placement/CostModel.h"
#include "ShardIR/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace shardir {
#define GEN_PASS_DEF_COMBINECOLLECTIVES
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// How much longer a bucket travels than its messages take to begin.
constexpr double kLatencyShare = 10;

/// The properties on which the collectives of a bucket agree.
using Likeness =
    std::tuple<CollectiveKind, std::string, std::vector<std::string>,
               std::optional<PartialKind>, const void *>;

/// A collective that may travel with others of the same likeness.
struct Candidate {
  CollectiveOpInterface op;
  Likeness likeness;
  int64_t bytes = 0;     ///< of the larger shard, on the device that has most
  int64_t threshold = 0; ///< from the links
};

struct Bucket {
  SmallVector<CollectiveOpInterface> steps;
  int64_t bytes = 0;
  Operation *firstUser = nullptr; ///< of any result; null: none
};

/// The bytes that take kLatencyShare times as long as the messages of an
/// all_reduce over the slowest of `axes`, as Placement/CostModel.h counts them.
int64_t thresholdOf(const Mesh &mesh, ArrayRef<AxisRef> axes) {
  MachineModel machine;
  double rounds = 1, product = 0;
  for (const AxisRef &axis : axes) {
    Link link = machine.linkOf(mesh.axes[mesh.axisIndex(axis.name)]);
    rounds += 2 * llvm::Log2_64_Ceil(axisSize(mesh, axis));
    product = std::max(product, link.latency * link.gatherBandwidth);
  }
  return std::min(kLatencyShare * rounds * product, 1e18);
}

std::optional<Candidate> candidateOf(Operation *operation,
                                     const MeshTable &meshes) {
  auto op = dyn_cast<CollectiveOpInterface>(operation);
  if (!op || !isa<AllReduceOp, ReduceScatterOp, AllGatherOp>(operation) ||
      !op.isLocal() || !op.getGlobalTensorType().hasStaticShape())
    return std::nullopt;
  const Mesh &mesh = meshes.get(op.getFrom());
  if (!mesh.isConcrete())
    return std::nullopt;
  RankedTensorType global = op.getGlobalTensorType();
  std::vector<int64_t> shape = shapeOf(global);
  const Placement &from = op.getFrom().getValue(), &to = op.getTo().getValue();
  std::vector<AxisRef> axes = groupAxes({op.getKind(), from, to}, mesh, shape);
  if (axes.empty())
    return std::nullopt;
  Candidate result{op, {}};
  std::vector<std::string> names;
  for (const AxisRef &axis : axes)
    names.push_back(toReportString(axis));
  result.likeness = {op.getKind(), mesh.name, names, from.partial,
                     global.getElementType().getAsOpaquePointer()};
  for (const Placement *placement : {&from, &to}) {
    int64_t bytes = elementBytes(global.getElementType());
    for (size_t dim = 0; dim < shape.size(); ++dim)
      bytes *= maxLocalExtent(*placement, mesh, shape[dim], dim);
    result.bytes = std::max(result.bytes, bytes);
  }
  result.threshold = thresholdOf(mesh, axes);
  return result;
}

/// True if `value` costs little where it is made and is needed there alone.
bool movesAlong(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isMemoryEffectFree(op))
    return false;
  if (isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op) ||
      !isa<TensorType>(value.getType()))
    return true;
  if (!value.hasOneUse() || op->getNumResults() != 1)
    return false;
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
             op) ||
         (loops && loops.getNumParallelLoops() == loops.getNumLoops());
}

/// Moves of ops in their blocks, which can be taken back.
class Moves {
public:
  void moveBefore(Operation *op, Operation *next) {
    log.push_back({op, op->getNextNode()});
    op->moveBefore(next);
  }

  /// Moves `op` behind what makes its operands, and before that those of them
  /// that move along.
  void moveUp(Operation *op) {
    llvm::SmallPtrSet<Operation *, 16> done;
    moveUp(op, done);
  }

  void takeBack() {
    for (auto [op, next] : llvm::reverse(log))
      op->moveBefore(next);
  }

private:
  void moveUp(Operation *op, llvm::SmallPtrSetImpl<Operation *> &done) {
    if (!done.insert(op).second)
      return;
    llvm::SetVector<Value> values;
    getUsedValuesDefinedAbove(op->getRegions(), values);
    values.insert(op->operand_begin(), op->operand_end());
    auto isInBlock = [&](Value value) {
      Operation *definition = value.getDefiningOp();
      return definition && definition->getBlock() == op->getBlock();
    };
    for (Value value : values)
      if (isInBlock(value) && movesAlong(value))
        moveUp(value.getDefiningOp(), done);
    // Only now: these have moved, too.
    Operation *last = nullptr;
    for (Value value : values)
      if (isInBlock(value) &&
          (!last || last->isBeforeInBlock(value.getDefiningOp())))
        last = value.getDefiningOp();
    // Behind collectives that have come there before: they keep their order.
    Operation *next = last ? last->getNextNode() : &op->getBlock()->front();
    while (next != op && isa<CollectiveOpInterface>(next))
      next = next->getNextNode();
    if (next != op)
      moveBefore(op, next);
  }

  SmallVector<std::pair<Operation *, Operation *>> log;
};

/// The first op of the block that uses the result, or has a user in a region.
Operation *firstUserOf(CollectiveOpInterface op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

struct CombineCollectivesPass
    : shardir::impl::CombineCollectivesBase<CombineCollectivesPass> {
  using CombineCollectivesBase::CombineCollectivesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) > Stage::Local)
      return markAllAnalysesPreserved();
    if (failed(expectLocal(module, "shardir-combine-collectives",
                           "--shardir-to-scheduled")))
      return signalPassFailure();
    MeshTable meshes(module);
    if (threshold != 0)
      for (auto function : module.getOps<func::FuncOp>())
        combine(function, meshes);
    setStage(module, Stage::Scheduled);
  }

  void combine(func::FuncOp function, const MeshTable &meshes) {
    std::map<Block *, SmallVector<Candidate>> blocks;
    SmallVector<Block *> order;
    function.walk([&](Operation *op) {
      auto candidate = candidateOf(op, meshes);
      if (!candidate)
        return;
      SmallVector<Candidate> &own = blocks[op->getBlock()];
      if (own.empty())
        order.push_back(op->getBlock());
      own.push_back(std::move(*candidate));
    });
    if (blocks.empty())
      return;
    int64_t before =
        memoryLimit > 0 ? peakMemory(function, meshes).bytes : int64_t(0);
    Moves moves;
    SmallVector<Bucket> buckets;
    for (Block *block : order) {
      SmallVector<Candidate> &own = blocks[block];
      // A reduction's result takes the memory of an operand of its own.
      for (Candidate &candidate : own)
        if (!isa<AllGatherOp>(candidate.op) &&
            candidate.op.getInput().hasOneUse())
          moves.moveUp(candidate.op);
      llvm::sort(own, [](const Candidate &a, const Candidate &b) {
        return a.op->isBeforeInBlock(b.op);
      });
      llvm::append_range(buckets, choose(own));
    }
    for (Bucket &bucket : buckets)
      for (CollectiveOpInterface op : ArrayRef(bucket.steps).drop_back())
        moves.moveBefore(op, bucket.steps.back());
    if (memoryLimit > 0 && peakMemory(function, meshes).bytes >
                               std::max<int64_t>(memoryLimit, before))
      return moves.takeBack();
    Builder builder(&getContext());
    for (Bucket &bucket : buckets) {
      for (CollectiveOpInterface op : bucket.steps)
        op->setAttr(kBucket, builder.getI64IntegerAttr(numBuckets));
      ++numBuckets;
      numCombined += bucket.steps.size();
      LDBG("shardir-combine-collectives")
          << bucket.steps.size() << " collectives of " << bucket.bytes
          << " bytes, the last of them " << *bucket.steps.back();
      if (explain)
        bucket.steps.back()->emitRemark()
            << bucket.steps.size()
            << " collectives travel together: " << bucket.bytes << " bytes";
    }
  }

  /// The buckets of several collectives, of the candidates of one block in
  /// program order.
  SmallVector<Bucket> choose(ArrayRef<Candidate> candidates) const {
    SmallVector<Bucket> buckets;
    std::map<Likeness, size_t> open;
    for (const Candidate &candidate : candidates) {
      int64_t limit = threshold < 0 ? candidate.threshold : int64_t(threshold);
      auto [it, isNew] = open.try_emplace(candidate.likeness, buckets.size());
      auto joins = [&](const Bucket &bucket) {
        return bucket.bytes + candidate.bytes <= limit &&
               (!bucket.firstUser ||
                candidate.op->isBeforeInBlock(bucket.firstUser));
      };
      if (isNew || !joins(buckets[it->second])) {
        it->second = buckets.size();
        buckets.emplace_back();
      }
      Bucket &bucket = buckets[it->second];
      bucket.steps.push_back(candidate.op);
      bucket.bytes += candidate.bytes;
      Operation *user = firstUserOf(candidate.op);
      if (user &&
          (!bucket.firstUser || user->isBeforeInBlock(bucket.firstUser)))
        bucket.firstUser = user;
    }
    llvm::erase_if(
        buckets, [](const Bucket &bucket) { return bucket.steps.size() < 2; });
    return buckets;
  }

  int64_t numBuckets = 0;
};

} // namespace
