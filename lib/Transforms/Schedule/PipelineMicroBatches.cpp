//===- PipelineMicroBatches.cpp - Run micro-batches as 1F1B ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local. Requires loops whose iterations are micro-batches that go from
// mesh to mesh. Guarantees that a mesh works on one micro-batch while others
// work on others, and that it holds no more of them than it takes until the
// gradient of the first comes back.
//
// The work of an iteration between two moves to other ranks is a segment. This
// is modulo scheduling (Rau, MICRO 1994) of segments: an iteration begins every
// `period` slots, as many as the busiest rank has segments, and a rank has one
// segment per slot. With F0 F1 F2 B1 B0 on three meshes (the last computes its
// gradients in the same segment) the period is 2 and the slots are 0 1 2 4 5:
//
//   mesh 0   F0.0      F0.1      F0.2 B0.0 F0.3 B0.1
//   mesh 1        F1.0      F1.1 B1.0 F1.2 B1.1
//   mesh 2             F2.0      F2.1      F2.2
//
// which is 1F1B (Narayanan et al., SC 2021). A mesh that has several stages of
// the model gets their interleaved schedule in the same way.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Transforms/Schedule/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

#include <map>
#include <set>

namespace shardir {
#define GEN_PASS_DEF_PIPELINEMICROBATCHES
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

using Ranks = std::set<int64_t>;

/// A slot for each segment, later than those before it, so that no rank has two
/// in one slot of the period.
struct Slots {
  int64_t period = 1;
  std::vector<int64_t> slots;

  explicit Slots(ArrayRef<Ranks> segments) {
    std::map<int64_t, int64_t> load;
    for (const Ranks &ranks : segments)
      for (int64_t rank : ranks)
        period = std::max(period, ++load[rank]);
    // With as many slots as segments each has its own.
    while (!place(segments))
      ++period;
  }

private:
  bool place(ArrayRef<Ranks> segments) {
    slots.clear();
    std::set<std::pair<int64_t, int64_t>> taken; // rank and slot of the period
    int64_t next = 0;
    for (const Ranks &ranks : segments) {
      int64_t slot = next;
      auto isFree = [&] {
        return llvm::none_of(ranks, [&](int64_t rank) {
          return taken.count({rank, slot % period});
        });
      };
      while (slot < next + period && !isFree())
        ++slot;
      if (slot == next + period)
        return false;
      for (int64_t rank : ranks)
        taken.insert({rank, slot % period});
      slots.push_back(slot);
      next = slot + 1;
    }
    return true;
  }
};

class MicroBatches {
public:
  MicroBatches(scf::ForOp loop, const MeshTable &meshes)
      : loop(loop), meshes(meshes) {}

  /// Whether values go to other ranks at least once in an iteration.
  bool findSegments() {
    Block *body = loop.getBody();
    // As early as operands allow.
    for (Operation &op : body->without_terminator()) {
      int64_t segment = kNone;
      forEachProducer(&op, [&](Operation *producer) {
        segment = std::max(segment, segmentOf.lookup(producer));
      });
      if (isMove(&op))
        segment = std::max<int64_t>(segment, 0) + 1;
      segmentOf[&op] = segment;
      numSegments = std::max(numSegments, segment + 1);
    }
    if (numSegments < 2)
      return false;
    // Ops that depend on no other segment, and moves, come as late as users
    // allow, for results that are made earlier are held for longer.
    for (Operation &op : llvm::reverse(body->without_terminator())) {
      if (segmentOf[&op] != kNone && !isMove(&op))
        continue;
      int64_t latest = numSegments;
      for (Operation *user : op.getUsers()) {
        Operation *inBody = body->findAncestorOpInBlock(*user);
        if (inBody && !inBody->hasTrait<OpTrait::IsTerminator>())
          latest = std::min(latest, segmentOf[inBody] - isMove(inBody));
      }
      if (latest < numSegments)
        segmentOf[&op] = std::max(segmentOf[&op], latest);
      segmentOf[&op] = std::max<int64_t>(segmentOf[&op], 0);
    }
    ranks.resize(numSegments);
    for (Operation &op : body->without_terminator())
      if (isMove(&op)) {
        auto move = cast<ExchangeOp>(op);
        ranks[segmentOf[&op]].merge(meshes.get(move.getTo()).ranks());
        if (segmentOf[&op] == 1)
          ranks[0].merge(meshes.get(move.getFrom()).ranks());
      }
    return true;
  }

  LogicalResult schedule(IRRewriter &rewriter) {
    Slots slots(ranks);
    auto slotOf = [&](Operation *op) { return slots.slots[segmentOf[op]]; };
    int64_t stages = slots.slots.back() / slots.period + 1;
    if (failed(checkCarried(slots, slotOf)))
      return failure();
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->getSExtValue() < stages) {
      InFlightDiagnostic warning =
          loop.emitWarning("its micro-batches run one after the other: 1F1B "
                           "needs at least ");
      warning << stages << " of them, and a number that is known; found ";
      if (trips)
        return warning << trips->getSExtValue(), failure();
      return warning << "an unknown number", failure();
    }

    scf::PipeliningOption options;
    options.getScheduleFn =
        [&](scf::ForOp loop,
            std::vector<std::pair<Operation *, unsigned>> &order) {
          for (Operation &op : loop.getBody()->without_terminator())
            order.push_back({&op, slotOf(&op) / slots.period});
          // Moves first: no rank then waits for what another computes in the
          // slot in which both work.
          auto position = [&](Operation *op) {
            return std::pair(slotOf(op) % slots.period, !isMove(op));
          };
          llvm::stable_sort(order, [&](const auto &a, const auto &b) {
            return position(a.first) < position(b.first);
          });
        };
    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    if (failed(scf::pipelineForLoop(rewriter, loop, options)))
      return emitWarning(loc, "its micro-batches run one after the other: what "
                              "an iteration yields must be made in it"),
             failure();
    emitRemark(loc) << "its micro-batches run as 1F1B: " << numSegments
                    << " segments of work in a period of " << slots.period
                    << ", at most " << stages
                    << (stages == 1 ? " micro-batch" : " micro-batches")
                    << " in flight";
    return success();
  }

private:
  static constexpr int64_t kNone = -1;

  bool isMove(Operation *op) const {
    auto exchange = dyn_cast<ExchangeOp>(op);
    return exchange &&
           exchange.getFrom().getMesh() != exchange.getTo().getMesh() &&
           meshes.get(exchange.getFrom()).ranks() !=
               meshes.get(exchange.getTo()).ranks();
  }

  template <class Visit> void forEachProducer(Operation *op, Visit visit) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (producer->getBlock() == loop.getBody())
            visit(producer);
    });
  }

  /// The next iteration must not read a carried value before it is made.
  template <class SlotOf>
  LogicalResult checkCarried(const Slots &slots, SlotOf slotOf) {
    Block *body = loop.getBody();
    for (auto [carried, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      Operation *producer = yielded.getDefiningOp();
      for (Operation *user : carried.getUsers()) {
        Operation *reader = body->findAncestorOpInBlock(*user);
        if (reader->hasTrait<OpTrait::IsTerminator>())
          continue;
        if (!producer || producer->getBlock() != body ||
            slotOf(producer) >= slotOf(reader) + slots.period)
          return loop.emitWarning("its micro-batches run one after the other: "
                                  "carried value ")
                     << carried.getArgNumber() - 1
                     << " is made behind a move to another mesh, and the next "
                        "micro-batch begins with it",
                 failure();
      }
    }
    return success();
  }

  scf::ForOp loop;
  const MeshTable &meshes;
  llvm::DenseMap<Operation *, int64_t> segmentOf;
  int64_t numSegments = 0;
  std::vector<Ranks> ranks; ///< by segment
};

struct PipelineMicroBatchesPass
    : shardir::impl::PipelineMicroBatchesBase<PipelineMicroBatchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) > Stage::Local)
      return markAllAnalysesPreserved();
    if (failed(expectLocal(module, "shardir-pipeline-micro-batches",
                           "--shardir-to-scheduled")))
      return signalPassFailure();
    MeshTable meshes(module);
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    bool found = false;
    for (scf::ForOp loop : loops) {
      MicroBatches batches(loop, meshes);
      if (!batches.findSegments())
        continue;
      found = true;
      (void)batches.schedule(rewriter);
    }
    if (!found)
      module.emitWarning("no loop has micro-batches that go from one mesh to "
                         "another; 1F1B changes nothing");
  }
};

} // namespace
