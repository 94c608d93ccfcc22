//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized, for GPUs behind shardir-schedule-for-gpu. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/StepTime.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Memory/BufferRoot.h"
#include "ShardIR/Placement/CostModel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <set>

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// A collective, or copy to the host or back, that has been started.
struct Pending {
  double end;
  double bandwidth; ///< of a collective's slowest link; 0: a copy
};

/// The three sequences of one device.
struct DeviceClocks {
  int64_t rank = 0;
  double work = 0;     ///< when the last kernel ends
  double link = 0;     ///< when the last started collective ends
  double hostLink = 0; ///< when the last started copy to the host or back ends
  StepTime total;
  llvm::DenseMap<Value, Pending> pending; ///< by the buffers of their results
};

/// Plays ops on the devices of `ranks` together.
class StepTimePrediction {
public:
  StepTimePrediction(const MeshTable &meshes, const Machine &machine,
                     const std::set<int64_t> &ranks = {0})
      : meshes(meshes), machine(machine) {
    for (int64_t rank : ranks)
      devices.emplace_back().rank = rank;
    for (DeviceClocks &device : devices)
      active.push_back(&device);
  }

  /// False where an extent or a trip count is not known.
  bool run(Block &block) {
    return llvm::all_of(block, [&](Operation &op) { return visit(op); });
  }
  bool visit(Operation &op);
  /// Of the device that computes longest, until all are done.
  StepTime get() const {
    StepTime most = devices.front().total;
    double end = 0;
    for (const DeviceClocks &device : devices) {
      if (device.total.compute > most.compute)
        most = device.total;
      end = std::max({end, device.work, device.link, device.hostLink});
    }
    most.seconds = end;
    return most;
  }

private:
  bool visitLoop(LoopLikeOpInterface loop);
  bool visitBranches(Operation &op);
  bool visitCollective(CollectiveOpInterface op);
  bool visitHostCopy(HostCopyOp op);
  bool visitLinalg(linalg::LinalgOp op);
  std::optional<int64_t> extentOf(Value buffer, unsigned dim) const;
  std::optional<int64_t> extentOf(linalg::LinalgOp op, unsigned loop) const;
  std::optional<double> bytesOf(Value buffer) const;
  std::optional<double> secondsOf(CollectiveOpInterface op,
                                  double timesBytes) const;
  std::optional<int64_t> valueOn(const DeviceClocks &device, Value value) const;
  static void share(DeviceClocks &device, double seconds, double bandwidth);
  void work(double seconds) {
    for (DeviceClocks *device : active) {
      device->work += seconds;
      device->total.compute += seconds;
    }
  }

  const MeshTable &meshes;
  const Machine &machine;
  std::vector<DeviceClocks> devices;
  SmallVector<DeviceClocks *> active; ///< those that run what is visited
};

/// One device where all meshes have the same ranks, else the first and the last
/// one of each mesh.
std::set<int64_t> ranksToPlay(const MeshTable &meshes) {
  auto ranksOf = [](const Mesh &mesh) { return mesh.ranks(); };
  std::set<int64_t> ranks = {0};
  if (!llvm::all_equal(llvm::map_range(meshes.all(), ranksOf)))
    for (const Mesh &mesh : meshes.all())
      ranks.insert({mesh.rankAt(0), mesh.rankAt(mesh.numDevices() - 1)});
  return ranks;
}

/// The most that an extent may be on any device.
std::optional<int64_t> largest(OpFoldResult size) {
  if (auto number = getConstantIntValue(size))
    return number;
  auto extent = cast<Value>(size);
  std::optional<int64_t> most;
  Operation *op = extent.getDefiningOp();
  if (auto tile = dyn_cast_if_present<affine::AffineMinOp>(op))
    for (AffineExpr bound : tile.getMap().getResults())
      if (auto number = dyn_cast<AffineConstantExpr>(bound))
        most = std::min(number.getValue(), most.value_or(number.getValue()));
  if (!isa_and_present<arith::MinUIOp, arith::MinSIOp>(op))
    return most;
  for (Value operand : op->getOperands())
    if (std::optional<int64_t> bound = largest(OpFoldResult(operand)))
      most = std::min(*bound, most.value_or(*bound));
  return most;
}

std::optional<double> tripsOf(LoopLikeOpInterface loop) {
  double trips = 1;
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step)
    return std::nullopt;
  for (auto [l, u, s] : llvm::zip(*lower, *upper, *step)) {
    auto from = getConstantIntValue(l), to = largest(u),
         by = getConstantIntValue(s);
    if (!from || !to || !by || *by <= 0)
      return std::nullopt;
    trips *= *to > *from ? double(llvm::divideCeil(*to - *from, *by)) : 0;
  }
  return trips;
}

} // namespace

/// Of the device that has most.
std::optional<int64_t> StepTimePrediction::extentOf(Value buffer,
                                                    unsigned dim) const {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return largest(
        OpFoldResult(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]));
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto entry = argument
                   ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                   : func::FuncOp();
  if (!entry)
    return std::nullopt;
  std::optional<std::vector<int64_t>> shape =
      argumentShape(entry, argument.getArgNumber(), meshes, /*rank=*/0);
  return shape ? std::optional((*shape)[dim]) : std::nullopt;
}

std::optional<double> StepTimePrediction::bytesOf(Value buffer) const {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return std::nullopt;
  double elements = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<int64_t> extent = extentOf(buffer, unsigned(dim));
    if (!extent)
      return std::nullopt;
    elements *= double(*extent);
  }
  return elements * elementBytes(type.getElementType());
}

/// The links that messages take from each device to the next: ranks stay and
/// change their positions (a ring), or they are on other meshes.
static SmallVector<Link> linksBetween(const Mesh &from, const Mesh &to) {
  SmallVector<Link> links;
  for (int64_t p : {int64_t(0), to.numDevices() - 1}) {
    std::vector<int64_t> here = from.coordinates(p),
                         there =
                             from.coordinates(from.positionOf(to.rankAt(p)));
    for (auto [i, axis] : llvm::enumerate(from.axes))
      if (here[i] != there[i])
        links.push_back(MachineModel().linkOf(axis));
  }
  return links;
}

static double secondsBetween(const Mesh &from, const Mesh &to, double bytes) {
  double slowest = 0;
  for (const Link &link : linksBetween(from, to))
    slowest = std::max(slowest, 2 * link.latency + bytes / link.bandwidth);
  return slowest;
}

static double slowestBandwidth(const MeshTable &meshes,
                               CollectiveOpInterface op) {
  const Mesh &from = meshes.get(op.getFrom()), &to = meshes.get(op.getTo());
  SmallVector<Link> links;
  if (from.isConcrete() && to.isConcrete() && !(from == to)) {
    links = linksBetween(from, to);
  } else if (op.getGlobalTensorType().hasStaticShape()) {
    for (const AxisRef &axis :
         groupAxes(op.getStep(), from, shapeOf(op.getGlobalTensorType())))
      if (int index = from.axisIndex(axis.name); index >= 0)
        links.push_back(MachineModel().linkOf(from.axes[size_t(index)]));
  }
  double slowest = std::numeric_limits<double>::infinity();
  for (const Link &link : links)
    slowest = std::min(slowest, link.bandwidth);
  return slowest;
}

/// `timesBytes`: the bytes of a bucket relative to those of `op`.
std::optional<double> StepTimePrediction::secondsOf(CollectiveOpInterface op,
                                                    double timesBytes) const {
  RankedTensorType type = op.getGlobalTensorType();
  if (!type.hasStaticShape())
    return std::nullopt;
  const Mesh &from = meshes.get(op.getFrom()), &to = meshes.get(op.getTo());
  if (!from.isConcrete() || !to.isConcrete())
    return std::nullopt;
  if (!(from == to)) {
    auto bytes = bytesOf(op.getOutput());
    return bytes ? std::optional(secondsBetween(from, to, *bytes * timesBytes))
                 : std::nullopt;
  }
  CollectiveStep step = op.getStep();
  std::vector<int64_t> shape = shapeOf(type);
  Type element =
      splitComplex(type.getElementType(), shape, step.from, step.to, step.halo);
  return costOf({step}, from, shape,
                std::llround(double(elementBytes(element)) * timesBytes))
      .seconds;
}

bool StepTimePrediction::visitCollective(CollectiveOpInterface op) {
  SmallVector<CollectiveOpInterface> steps = stepsOfBucket(op);
  if (steps.empty())
    return true; // a later step ends its bucket
  // Of the shards that the device has: splits differ.
  double all = 0, own = 0;
  for (CollectiveOpInterface step : steps) {
    std::optional<double> bytes = bytesOf(step.getOutput());
    if (!bytes)
      return false;
    all += own = *bytes;
  }
  std::optional<double> seconds = secondsOf(op, own > 0 ? all / own : 1);
  if (!seconds)
    return false;
  double bandwidth = slowestBandwidth(meshes, op);
  // Members meet.
  const Mesh &from = meshes.get(op.getFrom()), &to = meshes.get(op.getTo());
  SmallVector<DeviceClocks *> members;
  double begin = 0;
  for (DeviceClocks *device : active)
    if (devices.size() == 1 || from.positionOf(device->rank) >= 0 ||
        to.positionOf(device->rank) >= 0) {
      members.push_back(device);
      begin = std::max(
          {begin, device->work, op->hasAttr(kStart) ? device->link : 0});
    }
  for (DeviceClocks *device : members) {
    device->total.communication += *seconds;
    if (!op->hasAttr(kStart)) {
      device->work = begin;
      share(*device, *seconds, bandwidth);
      continue;
    }
    device->link = begin + *seconds;
    for (CollectiveOpInterface step : steps)
      device->pending[step.getOutput()] = {device->link, bandwidth};
  }
  return true;
}

/// A collective in line: as long as one that has been started uses the same
/// links, both take twice as long.
void StepTimePrediction::share(DeviceClocks &device, double seconds,
                               double bandwidth) {
  double busy = 0;
  for (auto &[buffer, other] : device.pending)
    if (other.bandwidth == bandwidth)
      busy = std::max(busy, other.end - device.work);
  double longer = std::min(seconds, busy);
  for (auto &[buffer, other] : device.pending)
    if (other.end > device.work && other.bandwidth > 0)
      other.end += longer;
  if (device.link > device.work)
    device.link += longer;
  device.work += seconds + longer;
}

/// Both directions take turns, as in the runtime.
bool StepTimePrediction::visitHostCopy(HostCopyOp op) {
  std::optional<double> bytes =
      bytesOf(op.getToHost() ? op.getDestination() : op.getInput());
  if (!bytes)
    return false;
  double seconds = machine.hostCopySeconds(*bytes);
  for (DeviceClocks *device : active) {
    device->total.hostCopies += seconds;
    double end = std::max(device->work, device->hostLink) + seconds;
    if (op->hasAttr(kStart))
      device->pending[op.getDestination()] = {device->hostLink = end, 0};
    else
      device->work = end;
  }
  return true;
}

/// The trips of a loop of `op`, by the operands that it runs along.
std::optional<int64_t> StepTimePrediction::extentOf(linalg::LinalgOp op,
                                                    unsigned loop) const {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    std::optional<int64_t> extent =
        dim ? extentOf(operand.get(), *dim) : std::nullopt;
    if (extent)
      return extent;
  }
  return std::nullopt;
}

bool StepTimePrediction::visitLinalg(linalg::LinalgOp op) {
  double points = 1, moved = 0;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    std::optional<int64_t> most =
        ShapedType::isDynamic(extent) ? extentOf(op, unsigned(loop)) : extent;
    if (!most)
      return false;
    points *= double(*most);
  }
  int64_t narrowest = 8;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType())) {
      auto bytes = bytesOf(operand);
      if (!bytes)
        return false;
      moved += *bytes;
      narrowest = std::min(narrowest, elementBytes(type.getElementType()));
    }
  // Units that multiply narrow numbers widen them by themselves.
  double each = double(
      llvm::count_if(op.getBlock()->without_terminator(), [](Operation &step) {
        return !isa<CastOpInterface>(step);
      }));
  work(std::max(points * each / machine.rates.flopsOf(narrowest),
                moved / machine.rates.memoryBandwidth));
  return true;
}

/// All iterations but the first are like the second.
bool StepTimePrediction::visitLoop(LoopLikeOpInterface loop) {
  Block &body = loop->getRegion(0).front();
  std::vector<DeviceClocks> before = devices;
  std::optional<double> known = tripsOf(loop);
  if (!known) // what takes no time takes none however often
    return run(body) &&
           llvm::equal(devices, before,
                       [](const DeviceClocks &a, const DeviceClocks &b) {
                         return a.work == b.work && a.link == b.link &&
                                a.hostLink == b.hostLink;
                       });
  double trips = *known;
  for (int64_t i = 0; i < std::min<double>(trips, 2); ++i) {
    before = devices;
    if (!run(body))
      return false;
  }
  if (trips <= 2)
    return true;
  double more = trips - 2, period = 0;
  for (auto [now, then] : llvm::zip(devices, before))
    period =
        std::max(period, std::max({now.work, now.link, now.hostLink}) -
                             std::max({then.work, then.link, then.hostLink}));
  auto repeat = [&](double &now, double then) { now += more * (now - then); };
  for (DeviceClocks *device : active) {
    const DeviceClocks &then = before[size_t(device - devices.data())];
    device->work += more * period;
    device->link += more * period;
    device->hostLink += more * period;
    repeat(device->total.compute, then.total.compute);
    repeat(device->total.communication, then.total.communication);
    repeat(device->total.hostCopies, then.total.hostCopies);
  }
  return true;
}

/// The integer `value` on `device`, if it follows from the device's rank.
std::optional<int64_t> StepTimePrediction::valueOn(const DeviceClocks &device,
                                                   Value value) const {
  if (auto number = getConstantIntValue(value))
    return value.getType().isInteger(1) ? *number & 1 : *number;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands()) {
    auto own = valueOn(device, operand);
    if (!own)
      return std::nullopt;
    operands.push_back(*own);
  }
  return numberOnRank(*op, operands, meshes, device.rank);
}

/// Where devices differ, each takes its own branch; else, the one that takes
/// longest.
bool StepTimePrediction::visitBranches(Operation &op) {
  auto choice = dyn_cast<scf::IfOp>(op);
  if (choice && devices.size() > 1) {
    SmallVector<DeviceClocks *> all = active, sides[2];
    for (DeviceClocks *device : all)
      if (auto holds = valueOn(*device, choice.getCondition()))
        sides[*holds ? 0 : 1].push_back(device);
    if (sides[0].size() + sides[1].size() == all.size()) {
      bool isKnown = true;
      for (auto [side, region] : llvm::zip(sides, op.getRegions())) {
        active = side;
        if (!side.empty() && !region.empty())
          isKnown &= run(region.front());
      }
      active = all;
      return isKnown;
    }
  }
  std::vector<DeviceClocks> before = devices, longest = devices;
  for (Region &region : op.getRegions()) {
    devices = before;
    if (!region.empty() && !run(region.front()))
      return false;
    for (auto [now, most] : llvm::zip(devices, longest))
      if (now.work > most.work)
        most = now;
  }
  devices = longest;
  return true;
}

bool StepTimePrediction::visit(Operation &op) {
  if (auto seconds =
          op.getAttrOfType<FloatAttr>(ShardIRDialect::kLaunchSeconds)) {
    work(seconds.getValueAsDouble());
    return true;
  }
  if (auto step = dyn_cast<CollectiveOpInterface>(op))
    return visitCollective(step);
  if (auto copy = dyn_cast<HostCopyOp>(op))
    return visitHostCopy(copy);
  if (auto wait = dyn_cast<WaitOp>(op)) {
    for (DeviceClocks *device : active) {
      auto end = device->pending.find(wait.getBuffer());
      if (end == device->pending.end())
        continue;
      device->work = std::max(device->work, end->second.end);
      device->pending.erase(end);
    }
    return true;
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto bytes = bytesOf(copy.getTarget());
    // Of a part whose extent depends on the device all counts.
    if (!bytes)
      if (Value root = bufferRoot(copy.getTarget()))
        bytes = bytesOf(root);
    work(2 * bytes.value_or(0) / machine.rates.memoryBandwidth);
    return bytes.has_value();
  }
  // Its grid may depend on what is not known.
  if (isa<gpu::LaunchOp>(op))
    return false;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return visitLoop(loop);
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return visitBranches(op);
  return true;
}

std::optional<StepTime> shardir::predictStep(func::FuncOp entry) {
  if (!entry.getBody().hasOneBlock())
    return std::nullopt;
  auto module = entry->getParentOfType<ModuleOp>();
  MeshTable meshes(module);
  Machine machine = getMachine(module);
  StepTimePrediction prediction(meshes, machine, ranksToPlay(meshes));
  if (!prediction.run(entry.getBody().front()))
    return std::nullopt;
  return prediction.get();
}

double OpTimes::bandwidthOf(CollectiveOpInterface op) const {
  return slowestBandwidth(meshes, op);
}

double OpTimes::of(Operation *op) {
  auto [entry, isNew] = known.try_emplace(op, 0);
  if (isNew) {
    StepTimePrediction prediction(meshes, machine);
    entry->second = prediction.visit(*op)
                        ? prediction.get().seconds
                        : std::numeric_limits<double>::infinity();
  }
  return entry->second;
}
