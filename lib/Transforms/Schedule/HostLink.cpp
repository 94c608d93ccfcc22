//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays the copies of a block on the link, by the times of its ops. See
// HostLink.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "HostLink.h"
#include "TransferTimings.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Report/Report.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <numeric>

using namespace mlir;
using namespace shardir;

/// The trips of a loop where they are not known, as in decisions of placements.
static constexpr int64_t kAssumedTrips = 16;

namespace {

/// A value that may be on the host at the peak.
struct HeldOverPeak {
  Value value;
  int64_t bytes;
  Operation *last; ///< in front of the peak, its last use, or what makes it
  Operation *use;  ///< the first behind the peak
};

class HostLink {
public:
  HostLink(const MemoryPeak &peak, Block &block, const MeshTable &meshes,
           const Machine &machine, const RecomputationState &done);

  std::vector<HeldOverPeak> candidates(ArrayRef<HeldValue> held) const;
  /// Adds both copies of `bytes`. Returns the seconds by which they, and what
  /// is under way, are late in addition.
  double add(double bytes, double stored, double at, double used);
  double timeAt(Operation *op) const { return times.lookup(op); }
  double peakTime() const { return timeAt(at); }

private:
  double secondsOf(Operation *op) const;
  Operation *topOf(Operation *op) const {
    return block.findAncestorOpInBlock(*op);
  }
  void usesOf(Value value, llvm::function_ref<void(Operation *)> visit) const;
  bool isOnAllRanks(Value value) const;

  Block &block;
  const MeshTable &meshes;
  const Machine &machine;
  const RecomputationState &done;
  Operation *at;
  /// When each op of the block begins, if nothing waits.
  llvm::DenseMap<Operation *, double> times;
  std::vector<TransferTiming> copies;
  double late = 0; ///< of all copies
  int64_t numRanks = 1;
};

} // namespace

HostLink::HostLink(const MemoryPeak &peak, Block &block,
                   const MeshTable &meshes, const Machine &machine,
                   const RecomputationState &done)
    : block(block), meshes(meshes), machine(machine), done(done),
      at(topOf(peak.op)) {
  double now = 0;
  for (Operation &op : block) {
    times[&op] = now;
    now += secondsOf(&op);
  }
  for (const Mesh &mesh : meshes.all())
    numRanks = std::max(numRanks, mesh.numRanks());
  for (const Offload &other : done.offloads) {
    Value stored = other.store->getOperand(0);
    add(double(localBytes(stored.getType(), getPlacement(stored), meshes)),
        timeAt(other.store), timeAt(topOf(other.peak)), timeAt(other.fetch));
  }
}

/// Collectives go on beside work, too, and a value that is never stored costs
/// its users.
double HostLink::secondsOf(Operation *op) const {
  double seconds = 0;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (isa<collective::HostCopyOp, collective::CollectiveOpInterface>(inner) ||
        (inner->getNumResults() == 1 && isUnstored(inner->getResult(0))))
      return WalkResult::skip();
    double runs = 1;
    if (inner != op)
      runs = double(executionsOf(inner).value_or(kAssumedTrips));
    bool isLeaf = inner->getNumRegions() == 0 || isa<linalg::LinalgOp>(inner);
    if (isLeaf)
      seconds += runs * repeatCost(inner, meshes, machine.rates,
                                   /*countsUnstored=*/false)
                            .seconds;
    return isLeaf ? WalkResult::skip() : WalkResult::advance();
  });
  return seconds;
}

/// The ops of the block that need the memory of `value`.
void HostLink::usesOf(Value value,
                      llvm::function_ref<void(Operation *)> visit) const {
  for (Operation *user : value.getUsers()) {
    visit(topOf(user));
    if (isViewOfOperand(user) && user->getOperand(0) == value)
      usesOf(user->getResult(0), visit);
  }
}

/// A value of fewer ranks is made in a branch for these.
bool HostLink::isOnAllRanks(Value value) const {
  PlacementAttr placement = getPlacement(value);
  return !placement || meshes.get(placement).numDevices() == numRanks;
}

/// Those that are used last come first, for they have most time to come back.
std::vector<HeldOverPeak> HostLink::candidates(ArrayRef<HeldValue> held) const {
  std::vector<HeldOverPeak> found;
  for (const HeldValue &each : held) {
    Value value = each.value;
    Operation *made = value.getDefiningOp();
    if (!made || made->getBlock() != &block || !made->isBeforeInBlock(at) ||
        done.made.contains(made) || !isa<RankedTensorType>(value.getType()) ||
        collective::isOnHost(value) || !presentHalo(value).empty() ||
        !isOnAllRanks(value))
      continue;
    Operation *last = made, *first = nullptr;
    bool isNeeded = false;
    usesOf(value, [&](Operation *use) {
      if (use->isBeforeInBlock(at) && last->isBeforeInBlock(use))
        last = use;
      isNeeded |= use == at || use->hasTrait<OpTrait::IsTerminator>();
      if (at->isBeforeInBlock(use) && (!first || use->isBeforeInBlock(first)))
        first = use;
    });
    if (first && !isNeeded)
      found.push_back({value, each.bytes, last, first});
  }
  llvm::stable_sort(found, [](const HeldOverPeak &a, const HeldOverPeak &b) {
    return b.use->isBeforeInBlock(a.use);
  });
  return found;
}

double HostLink::add(double bytes, double stored, double peak, double used) {
  double seconds = machine.hostCopySeconds(bytes);
  TransferTiming store = {seconds, stored, peak, true},
                 fetch = {seconds, peak, used, true};
  store.start = stored;
  fetch.start = peak;
  copies.push_back(store);
  copies.push_back(fetch);
  // The first that is needed is fetched first.
  llvm::stable_sort(copies,
                    [](const TransferTiming &a, const TransferTiming &b) {
                      return a.need < b.need;
                    });
  std::vector<double> stalls = stallsOf(copies);
  double before = late;
  late = std::accumulate(stalls.begin(), stalls.end(), 0.0);
  return std::max(0.0, late - before);
}

std::vector<Recomputation>
shardir::offloadsAt(const MemoryPeak &peak, func::FuncOp function,
                    int64_t bytes, const MeshTable &meshes,
                    const Machine &machine, const RecomputationState &done,
                    bool overlap) {
  std::vector<Recomputation> ways;
  if (!peak.op || machine.host.bandwidth <= 0)
    return ways;
  HostLink link(peak, function.getBody().front(), meshes, machine, done);
  for (const HeldOverPeak &each : link.candidates(peak.held)) {
    if (bytes <= 0)
      break;
    double size = double(each.bytes);
    Recomputation way;
    way.isOffload = true;
    way.value = each.value;
    way.behind = each.last;
    way.before = each.use;
    way.bytes = each.bytes;
    way.cost.offloaded = size;
    way.cost.exposed =
        overlap ? link.add(size, link.timeAt(each.last->getNextNode()),
                           link.peakTime(), link.timeAt(each.use))
                : 2 * machine.hostCopySeconds(size);
    way.cost.seconds =
        way.cost.exposed + 2 * size / machine.rates.memoryBandwidth;
    bytes -= each.bytes;
    ways.push_back(std::move(way));
  }
  return ways;
}
