//===- RingGathers.cpp - Gathers whose blocks come one by one -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, behind the recognition of attention. Requires
// gathers along a loop of an op that can be tiled along it. Guarantees that
// each device works on its own block first, then on those that come around a
// ring, and that a collective brings the next block beside the work on this
// one: exchanges with meshes on which the devices stand one further each time
// (Ring Attention, arXiv:2310.01889; collective matmul, Wang et al., ASPLOS
// 2023). Blocks may be uneven or empty.
//
//===----------------------------------------------------------------------===//

#include "Rings.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Placement/CostModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// Parts cost what no model sees: sums are stored and read again between them,
/// and what surrounds a product is not fused with it. At almost equal times
/// attention's rings need less memory.
constexpr double leastProductGain = 0.95, leastAttentionGain = 0.99;

/// An operand that is gathered along `dim`, for this op alone.
struct Part {
  OpOperand *operand;
  AllGatherOp gather;
  int64_t dim;
};

/// Operands of an op that are gathered in the same way along one of its loops.
struct Ring {
  unsigned loop = 0;
  SmallVector<Part> parts;
  SmallVector<AxisRef> axes;
  int64_t devices = 1;
};

/// The dim that `gather` joins blocks of, one block per device; -1 for any
/// other gather.
int64_t gatheredDim(AllGatherOp gather, const MeshTable &meshes) {
  const Mesh &mesh = meshes.get(gather.getFrom());
  const Placement &from = gather.getFrom().getValue(),
                  &to = gather.getTo().getValue();
  RankedTensorType global = gather.getGlobalTensorType();
  if (!gather.isLocal() || !mesh.isConcrete() || !global.hasStaticShape() ||
      from.partial || to.partial)
    return -1;
  return joinedDim(from, to, mesh).dim;
}

std::vector<AxisRef> axesOf(AllGatherOp gather, const MeshTable &meshes) {
  CollectiveStep step{CollectiveKind::AllGather, gather.getFrom().getValue(),
                      gather.getTo().getValue()};
  return groupAxes(step, meshes.get(gather.getFrom()),
                   shapeOf(gather.getGlobalTensorType()));
}

/// The operands of `op` that can come around a ring together; no parts where
/// there are none.
Ring findRing(Operation *op, const RingLoops &loops, const MeshTable &meshes) {
  Ring ring;
  for (OpOperand &operand : op->getOpOperands()) {
    auto gather = operand.get().getDefiningOp<AllGatherOp>();
    // One in front of a loop runs once, not in every iteration.
    if (!gather || gather->getBlock() != op->getBlock() ||
        !llvm::all_of(gather->getUsers(),
                      [&](Operation *user) { return user == op; }))
      continue;
    int64_t dim = gatheredDim(gather, meshes);
    if (dim < 0)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(
        loops.maps[operand.getOperandNumber()].getResult(dim));
    if (!loop || !loops.cuttable[loop.getPosition()])
      continue;
    if (ring.parts.empty()) {
      ring.loop = loop.getPosition();
      std::vector<AxisRef> axes = axesOf(gather, meshes);
      ring.axes.assign(axes.begin(), axes.end());
      ring.devices = groupSize(meshes.get(gather.getFrom()), axes);
    } else {
      // Blocks of all operands must be the same part of the loop.
      AllGatherOp first = ring.parts[0].gather;
      int64_t firstDim = ring.parts[0].dim;
      const Placement &from = gather.getFrom().getValue(),
                      &to = gather.getTo().getValue(),
                      &firstFrom = first.getFrom().getValue(),
                      &firstTo = first.getTo().getValue();
      if (ring.loop != loop.getPosition() ||
          gather.getFrom().getMesh() != first.getFrom().getMesh() ||
          from.dims[dim].splits != firstFrom.dims[firstDim].splits ||
          to.dims[dim].splits != firstTo.dims[firstDim].splits)
        continue;
    }
    ring.parts.push_back({&operand, gather, dim});
  }
  return ring;
}

class GatherRings {
public:
  GatherRings(ModuleOp module, const ScheduleCollectivesOptions &options)
      : module(module), options(options) {}

  FailureOr<bool> run() {
    SmallVector<Operation *> ops;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](TilingInterface op) {
        if (isa<DestinationStyleOpInterface>(*op) && op->getNumResults() > 0)
          ops.push_back(op);
      });
    bool changed = false;
    for (Operation *op : ops) {
      FailureOr<bool> taken = visit(op);
      if (failed(taken))
        return failure();
      changed |= *taken;
    }
    return changed;
  }

private:
  FailureOr<bool> visit(Operation *op) {
    std::optional<RingLoops> loops = ringLoopsOf(op);
    if (!loops)
      return false;
    MeshTable meshes(module);
    Ring ring = findRing(op, *loops, meshes);
    if (ring.parts.empty() || ring.devices < 2 ||
        ring.devices > mostRingDevices)
      return false;
    auto [gathered, around] = predict(op, *loops, ring, meshes);
    double most =
        isa<linalg::LinalgOp>(op) ? leastProductGain : leastAttentionGain;
    bool taken = options.rings == "always" || around < most * gathered;
    if (options.explain) {
      std::string names;
      for (const AxisRef &axis : ring.axes)
        names += (names.empty() ? "\"" : ", \"") + toReportString(axis) + "\"";
      op->emitRemark() << llvm::formatv(
          "{0} of its operands {1} around a ring of {2} devices over {3}: "
          "{4:f1} us predicted, {5:f1} us with {6} gathered before",
          ring.parts.size(), taken ? "come" : "do not come", ring.devices,
          names, around * 1e6, gathered * 1e6,
          ring.parts.size() == 1 ? "it" : "them");
    }
    if (taken && failed(decompose(op, *loops, ring, meshes)))
      return op->emitOpError("cannot be tiled along what its operands are "
                             "gathered along; compile with rings=never");
    return taken;
  }

  /// Seconds with the operands gathered first, and around the ring. An operand
  /// that is ready long before, as a weight is, is gathered beside other work.
  std::pair<double, double> predict(Operation *op, const RingLoops &loops,
                                    Ring &ring, const MeshTable &meshes) {
    const Mesh &mesh = meshes.get(ring.parts[0].gather.getFrom());
    double gathers = 0, step = 0;
    Operation *ready = nullptr; // makes the last operand that is gathered
    for (Part &part : ring.parts) {
      RankedTensorType global = part.gather.getGlobalTensorType();
      std::vector<int64_t> shape = shapeOf(global);
      int64_t bytes = elementBytes(global.getElementType());
      const Placement &from = part.gather.getFrom().getValue();
      gathers += costOf({{CollectiveKind::AllGather, from,
                          part.gather.getTo().getValue()}},
                        mesh, shape, bytes)
                     .seconds;
      for (size_t dim = 0; dim < shape.size(); ++dim)
        bytes *= maxLocalExtent(from, mesh, shape[dim], dim);
      step += turnSeconds(mesh, ring.axes, bytes);
      Operation *made = part.gather.getInput().getDefiningOp();
      if (made && made->getBlock() == op->getBlock() &&
          (!ready || ready->isBeforeInBlock(made)))
        ready = made;
    }
    if (options.overlap)
      gathers -= secondsBetween(ready, op, /*enough=*/gathers, options);
    double whole = secondsOfPart(loops, ring.loop, 1, options),
           part = secondsOfPart(loops, ring.loop, ring.devices, options);
    // The last block has no other behind it.
    double around = options.overlap
                        ? (ring.devices - 1) * std::max(part, step) + part
                        : (ring.devices - 1) * (part + step) + part;
    return {gathers + whole, around};
  }

  LogicalResult decompose(Operation *op, const RingLoops &loops, Ring &ring,
                          const MeshTable &before) {
    AllGatherOp first = ring.parts[0].gather;
    const Mesh mesh = before.get(first.getFrom());
    // Placements first: they add meshes.
    SmallVector<SmallVector<PlacementAttr>> placements(ring.parts.size());
    for (auto [part, of] : llvm::zip(ring.parts, placements))
      for (int64_t step = 0; step < ring.devices; ++step) {
        of.push_back(
            onRing(module, part.gather.getFrom(), mesh, ring.axes, step));
      }
    MeshTable meshes(module);
    Localizer localizer(meshes);
    IRRewriter rewriter(op);
    Location loc = op->getLoc();
    auto tiled = cast<TilingInterface>(op);
    auto inPlace = cast<DestinationStyleOpInterface>(op);
    SmallVector<Value> inits(inPlace.getDpsInits()), blocks;
    for (Part &part : ring.parts)
      blocks.push_back(part.gather.getInput());
    SmallVector<OpFoldResult> offsets, sizes;
    for (Range range : tiled.getIterationDomain(rewriter)) {
      offsets.push_back(range.offset);
      sizes.push_back(range.size);
    }
    auto start = [&](PlacementAttr placement, OpFoldResult *length) {
      Part &part = ring.parts[0];
      SmallVector<Localizer::DigitValue> digits = localizer.digits(
          rewriter, loc, meshes.get(placement), placement.getValue(),
          part.gather.getGlobalTensorType().getDimSize(part.dim), part.dim);
      if (length)
        *length = digits[0].length;
      return digits[0].offset;
    };
    OpFoldResult base = start(first.getTo(), nullptr);

    SmallVector<Value> carried(inits);
    for (int64_t step = 0; step < ring.devices; ++step) {
      // The next blocks are on their way while this one is worked on.
      SmallVector<Value> next;
      for (auto [i, part] : llvm::enumerate(ring.parts)) {
        if (step + 1 == ring.devices)
          break;
        RankedTensorType global = part.gather.getGlobalTensorType();
        PlacementAttr to = placements[i][step + 1];
        next.push_back(createLocalStep(
            rewriter, part.gather.getLoc(), CollectiveKind::Exchange, blocks[i],
            placements[i][step], to, global, localizer.localType(global, to),
            localizer.dynamicSizes(rewriter, loc, {global, to}), {},
            reasonOfBlock(part.gather, step + 2, ring.devices)));
      }
      OpFoldResult length;
      OpFoldResult at = start(placements[0][step], &length);
      offsets[ring.loop] = distance(rewriter, loc, base, at);
      sizes[ring.loop] = length;
      if (failed(
              work(rewriter, op, loops, ring, blocks, offsets, sizes, carried)))
        return failure();
      blocks = next;
    }
    llvm::SmallSetVector<Operation *, 2> gathers;
    for (Part &part : ring.parts)
      gathers.insert(part.gather);
    rewriter.replaceOp(op, carried);
    for (Operation *gather : gathers)
      if (gather->use_empty())
        rewriter.eraseOp(gather);
    return success();
  }

  /// Continues `carried` with what `op` makes of a part of its loop, where its
  /// gathered operands are `blocks`.
  static LogicalResult
  work(IRRewriter &rewriter, Operation *op, const RingLoops &loops, Ring &ring,
       ArrayRef<Value> blocks, ArrayRef<OpFoldResult> offsets,
       ArrayRef<OpFoldResult> sizes, SmallVector<Value> &carried) {
    auto inPlace = cast<DestinationStyleOpInterface>(op);
    unsigned firstInit = op->getNumOperands() - carried.size();
    for (auto [i, value] : llvm::enumerate(carried))
      rewriter.modifyOpInPlace(op, [&, i = i, value = value] {
        inPlace.setDpsInitOperand(i, value);
      });
    auto tiling = cast<TilingInterface>(op);
    FailureOr<TilingResult> tile =
        tiling.getTiledImplementation(rewriter, offsets, sizes);
    if (failed(tile) || tile->tiledOps.size() != 1)
      return failure();
    Operation *part = tile->tiledOps[0];
    // Operands that the loop does not index are complete.
    for (OpOperand &slice : part->getOpOperands()) {
      unsigned number = slice.getOperandNumber();
      Value all = op->getOperand(number);
      if (!loops.maps[number].isFunctionOfDim(ring.loop) &&
          slice.get().getType() == all.getType())
        rewriter.modifyOpInPlace(part, [&] { slice.set(all); });
    }
    for (auto [of, block] : llvm::zip(ring.parts, blocks)) {
      OpOperand &slice = part->getOpOperand(of.operand->getOperandNumber());
      Value there = block;
      if (there.getType() != slice.get().getType())
        there = tensor::CastOp::create(rewriter, op->getLoc(),
                                       slice.get().getType(), there);
      rewriter.modifyOpInPlace(part, [&] { slice.set(there); });
    }
    for (auto [i, result] : llvm::enumerate(part->getResults())) {
      AffineMap map = loops.maps[firstInit + i];
      SmallVector<OpFoldResult> at, size;
      if (failed(tiling.getResultTilePosition(rewriter, i, offsets, sizes, at,
                                              size)))
        return failure();
      if (!map.isFunctionOfDim(ring.loop)) {
        carried[i] = result.getType() == carried[i].getType()
                         ? Value(result)
                         : tensor::CastOp::create(rewriter, op->getLoc(),
                                                  carried[i].getType(), result)
                               .getResult();
        continue;
      }
      SmallVector<OpFoldResult> ones(at.size(), rewriter.getIndexAttr(1));
      carried[i] = tensor::InsertSliceOp::create(rewriter, op->getLoc(), result,
                                                 carried[i], at, size, ones);
    }
    for (Operation *slice : llvm::reverse(tile->generatedSlices))
      if (slice->use_empty())
        rewriter.eraseOp(slice);
    return success();
  }

  ModuleOp module;
  const ScheduleCollectivesOptions &options;
};

} // namespace

FailureOr<bool>
shardir::makeGatherRings(ModuleOp module,
                         const ScheduleCollectivesOptions &options) {
  return GatherRings(module, options).run();
}
