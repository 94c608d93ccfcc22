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

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Placement/CostModel.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace shardir {
#define GEN_PASS_DEF_RINGGATHERS
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// Copies of an op for more devices make programs large.
constexpr int64_t mostDevices = 64;

/// Parts cost what no model sees: sums are stored and read again between them,
/// and what surrounds a product is not fused with it. At almost equal times
/// attention's rings need less memory.
constexpr double leastProductGain = 0.95, leastAttentionGain = 0.99;

/// An op's loops, as far as rings ask.
struct Loops {
  /// By operand.
  SmallVector<AffineMap> maps;
  /// May be cut, and each part adds to what the inits hold or makes its own
  /// part of them.
  SmallVector<bool> cuttable;
  /// Of one call on the device, in floating-point operations; 0 where it does
  /// little with each element.
  double flops = 0;
  /// Whether all large operands have 16 bits or less.
  bool narrow = false;
};

double timesExtents(double product, ArrayRef<int64_t> extents,
                    ArrayRef<unsigned> loops) {
  for (unsigned loop : loops)
    product *= ShapedType::isDynamic(extents[loop]) ? 1024 : extents[loop];
  return product;
}

bool isNarrow(ValueRange operands) {
  return llvm::all_of(operands, [](Value operand) {
    Type type = getElementTypeOrSelf(operand.getType());
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 16;
  });
}

/// nullopt for ops that rings are not for.
std::optional<Loops> loopsOf(Operation *op) {
  Loops result;
  auto cut = [&](ArrayRef<unsigned> loops) {
    for (unsigned loop : loops)
      result.cuttable[loop] = true;
  };
  auto maps = [&](auto attention) {
    for (OpOperand &operand : op->getOpOperands())
      result.maps.push_back(attention.getMap(operand));
    result.cuttable.resize(attention.getNumLoops());
  };
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    maps(attention);
    AttentionOp::Loops loops = attention.getLoops();
    cut(loops.n);
    SmallVector<int64_t> extents = attention.getStaticLoopExtents();
    double scores =
        timesExtents(timesExtents(1, extents, loops.outer()), extents, loops.n);
    result.flops =
        2 * scores *
        (timesExtents(1, extents, loops.k) + timesExtents(1, extents, loops.v));
    result.narrow = isNarrow(op->getOperands().take_front(3));
    return result;
  }
  if (auto backward = dyn_cast<AttentionBackwardOp>(op)) {
    maps(backward);
    AttentionBackwardOp::Loops loops = backward.getLoops();
    cut(loops.n);
    SmallVector<int64_t> extents = backward.getStaticLoopExtents();
    double scores = timesExtents(1, extents, loops.scores());
    result.flops = 2 * scores *
                   (3 * timesExtents(1, extents, loops.k) +
                    2 * timesExtents(1, extents, loops.v));
    result.narrow = isNarrow(op->getOperands().take_front(4));
    return result;
  }
  auto product = dyn_cast<linalg::LinalgOp>(op);
  if (!product || !linalg::isaContractionOpInterface(product) ||
      product.getNumDpsInits() != 1)
    return std::nullopt;
  result.maps = product.getIndexingMapsArray();
  auto types = product.getIteratorTypesArray();
  // Between parts a sum is rounded to the result's type.
  Type sum = getElementTypeOrSelf(op->getResult(0).getType());
  bool sumsAreWide = sum.isIntOrFloat() && sum.getIntOrFloatBitWidth() >= 32;
  for (utils::IteratorType type : types)
    result.cuttable.push_back(type == utils::IteratorType::parallel ||
                              sumsAreWide);
  result.flops = 2;
  for (int64_t extent : product.getStaticLoopRanges())
    result.flops *= ShapedType::isDynamic(extent) ? 1024 : extent;
  result.narrow = isNarrow(product.getDpsInputs());
  return result;
}

/// An operand that is gathered along `dim`, for this op alone.
struct Part {
  OpOperand *operand;
  AllGatherOp gather;
  int64_t dim;
};

/// Operands of an op that are gathered alike along one of its loops.
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
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  auto axesOfDim = [&](const Placement &placement, int64_t dim) {
    std::vector<AxisRef> axes;
    for (const AxisRef &axis : placement.axesOf(dim))
      llvm::append_range(axes, refine(axis, mesh, parts));
    return axes;
  };
  auto isWhole = [&](const Split &split) { return !split.isAxis(); };
  int64_t found = -1;
  for (int64_t dim = 0; dim < global.getRank(); ++dim) {
    if (from.dims[dim].splits == to.dims[dim].splits)
      continue;
    std::vector<AxisRef> blocks = axesOfDim(from, dim),
                         kept = axesOfDim(to, dim);
    if (found >= 0 || kept.size() > blocks.size() ||
        !std::equal(kept.begin(), kept.end(), blocks.begin()) ||
        llvm::any_of(from.dims[dim].splits, isWhole) ||
        llvm::any_of(to.dims[dim].splits, isWhole))
      return -1;
    found = dim;
  }
  return found;
}

std::vector<AxisRef> axesOf(AllGatherOp gather, const MeshTable &meshes) {
  CollectiveStep step{CollectiveKind::AllGather, gather.getFrom().getValue(),
                      gather.getTo().getValue()};
  return groupAxes(step, meshes.get(gather.getFrom()),
                   shapeOf(gather.getGlobalTensorType()));
}

/// The operands of `op` that can come around a ring together; no parts where
/// there are none.
Ring findRing(Operation *op, const Loops &loops, const MeshTable &meshes) {
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
      for (const AxisRef &axis : axes)
        ring.devices *= axisSize(meshes.get(gather.getFrom()), axis);
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

/// The devices of `mesh` when each stands where the one `step` ahead of it on
/// the ring over `axes` stood: position p then has the block of that one.
std::vector<int64_t> turned(const Mesh &mesh, ArrayRef<AxisRef> axes,
                            int64_t step) {
  int64_t count = mesh.numDevices();
  // How far apart in the grid neighbours along each axis are.
  SmallVector<int64_t> sizes, strides;
  int64_t devices = 1;
  for (const AxisRef &axis : axes) {
    int64_t stride = 1;
    int index = mesh.axisIndex(axis.name);
    for (size_t later = index + 1; later < mesh.axes.size(); ++later)
      stride *= mesh.axes[later].size;
    int64_t size = axisSize(mesh, axis);
    if (!axis.isWhole())
      stride *= mesh.axes[index].size / (axis.preSize * size);
    sizes.push_back(size);
    strides.push_back(stride);
    devices *= size;
  }
  std::vector<int64_t> result(count);
  for (int64_t p = 0; p < count; ++p) {
    int64_t place = 0, base = p;
    for (auto [size, stride] : llvm::zip(sizes, strides)) {
      int64_t coordinate = p / stride % size;
      place = place * size + coordinate;
      base -= coordinate * stride;
    }
    place = (place + step) % devices;
    for (auto [size, stride] :
         llvm::zip(llvm::reverse(sizes), llvm::reverse(strides))) {
      base += place % size * stride;
      place /= size;
    }
    result[p] = mesh.rankAt(base);
  }
  return result;
}

struct RingGathersPass : shardir::impl::RingGathersBase<RingGathersPass> {
  using RingGathersBase::RingGathersBase;

  void runOnOperation() override {
    if (mode != "auto" && mode != "always" && mode != "never") {
      getOperation().emitError("unknown mode '")
          << mode << "' of rings; use auto, always or never";
      return signalPassFailure();
    }
    if (mode == "never")
      return markAllAnalysesPreserved();
    bool changed = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Operation *> ops;
      function.walk([&](TilingInterface op) {
        if (isa<DestinationStyleOpInterface>(*op) && op->getNumResults() > 0)
          ops.push_back(op);
      });
      for (Operation *op : ops)
        changed |= visit(op);
    }
    if (!changed)
      return markAllAnalysesPreserved();
    getOperation()->setAttr(kRings, UnitAttr::get(&getContext()));
  }

  bool visit(Operation *op) {
    std::optional<Loops> loops = loopsOf(op);
    if (!loops)
      return false;
    MeshTable meshes(getOperation());
    Ring ring = findRing(op, *loops, meshes);
    if (ring.parts.empty() || ring.devices < 2 || ring.devices > mostDevices)
      return false;
    auto [whole, around] = predict(*loops, ring, meshes);
    double most =
        isa<linalg::LinalgOp>(op) ? leastProductGain : leastAttentionGain;
    bool taken = mode == "always" || around < most * whole;
    if (explain) {
      std::string names;
      for (const AxisRef &axis : ring.axes)
        names += (names.empty() ? "\"" : ", \"") + toReportString(axis) + "\"";
      op->emitRemark() << llvm::formatv(
          "{0} of its operands {1} around a ring of {2} devices over {3}: "
          "{4:f1} us predicted, {5:f1} us with {6} gathered before",
          ring.parts.size(), taken ? "come" : "do not come", ring.devices,
          names, around * 1e6, whole * 1e6,
          ring.parts.size() == 1 ? "it" : "them");
    }
    if (taken && failed(decompose(op, *loops, ring, meshes))) {
      op->emitOpError("cannot be tiled along what its operands are gathered "
                      "along; compile with rings=never");
      signalPassFailure();
    }
    return taken;
  }

  /// Seconds with the operands gathered first, and around the ring.
  std::pair<double, double> predict(const Loops &loops, Ring &ring,
                                    const MeshTable &meshes) {
    const Mesh &mesh = meshes.get(ring.parts[0].gather.getFrom());
    MachineModel machine;
    double gathers = 0, step = 0;
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
      // As Placement/CostModel.h has steps of one message.
      double slowest = 0;
      for (const AxisRef &axis : ring.axes) {
        Link link = machine.linkOf(mesh.axes[mesh.axisIndex(axis.name)]);
        slowest = std::max(slowest, 2 * link.latency + bytes / link.bandwidth);
      }
      step += slowest;
    }
    double work = loops.flops / (loops.narrow ? narrowFlops : flops);
    double part = work / ring.devices + launch;
    // The last block has no other behind it.
    double around = overlap ? (ring.devices - 1) * std::max(part, step) + part
                            : (ring.devices - 1) * (part + step) + part;
    return {gathers + work + launch, around};
  }

  /// The mesh on which the devices stand `step` further; the module's own one
  /// where it has it.
  PlacementAttr onRing(PlacementAttr placement, const Mesh &mesh,
                       ArrayRef<AxisRef> axes, int64_t step) {
    if (step == 0)
      return placement;
    Mesh wanted = mesh;
    wanted.devices = turned(mesh, axes, step);
    ModuleOp module = getOperation();
    StringAttr name;
    for (auto op : module.getOps<MeshOp>()) {
      Mesh known = op.getMesh();
      wanted.name = known.name;
      if (known == wanted)
        name = op.getSymNameAttr();
    }
    if (!name) {
      auto original = module.lookupSymbol<MeshOp>(mesh.name);
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfter(original);
      auto clone = cast<MeshOp>(builder.clone(*original));
      std::string free = mesh.name + "_ring" + std::to_string(step);
      while (module.lookupSymbol(free))
        free += "_";
      clone.setSymName(free);
      clone.setDevicesAttr(builder.getDenseI64ArrayAttr(wanted.devices));
      name = clone.getSymNameAttr();
    }
    return PlacementAttr::get(placement.getContext(),
                              FlatSymbolRefAttr::get(name),
                              placement.getValue());
  }

  LogicalResult decompose(Operation *op, const Loops &loops, Ring &ring,
                          const MeshTable &before) {
    AllGatherOp first = ring.parts[0].gather;
    const Mesh mesh = before.get(first.getFrom());
    // Placements first: they add meshes.
    SmallVector<SmallVector<PlacementAttr>> placements(ring.parts.size());
    for (auto [part, of] : llvm::zip(ring.parts, placements))
      for (int64_t step = 0; step < ring.devices; ++step) {
        of.push_back(onRing(part.gather.getFrom(), mesh, ring.axes, step));
      }
    MeshTable meshes(getOperation());
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
        std::string reason = part.gather.getReason().value_or("").str();
        reason += llvm::formatv("{0}{1} of {2} around a ring",
                                kBlock.drop_front(reason.empty() ? 2 : 0),
                                step + 2, ring.devices);
        next.push_back(createLocalStep(
            rewriter, part.gather.getLoc(), CollectiveKind::Exchange, blocks[i],
            placements[i][step], to, global, localizer.localType(global, to),
            localizer.dynamicSizes(rewriter, loc, {global, to}), {},
            rewriter.getStringAttr(reason)));
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

  static OpFoldResult distance(OpBuilder &builder, Location loc,
                               OpFoldResult from, OpFoldResult to) {
    if (isConstantIntValue(from, 0))
      return to;
    Value result = arith::SubIOp::create(
        builder, loc, getValueOrCreateConstantIndexOp(builder, loc, to),
        getValueOrCreateConstantIndexOp(builder, loc, from));
    return result;
  }

  /// Continues `carried` with what `op` makes of a part of its loop, where its
  /// gathered operands are `blocks`.
  static LogicalResult
  work(IRRewriter &rewriter, Operation *op, const Loops &loops, Ring &ring,
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
    // What does not run along the loop is whole.
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
};

} // namespace
