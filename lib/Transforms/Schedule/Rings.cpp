//===- Rings.cpp - Blocks that come around rings of devices ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires placements of local collectives over one mesh of known sizes.
// Guarantees meshes with the same devices, and takes unknown extents for 1024
// in predictions alone.
//
//===----------------------------------------------------------------------===//

#include "Rings.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace shardir;

static double timesExtents(double product, ArrayRef<int64_t> extents,
                           ArrayRef<unsigned> loops) {
  for (unsigned loop : loops)
    product *= ShapedType::isDynamic(extents[loop]) ? 1024 : extents[loop];
  return product;
}

static bool isNarrow(ValueRange operands) {
  return llvm::all_of(operands, [](Value operand) {
    Type type = getElementTypeOrSelf(operand.getType());
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 16;
  });
}

double shardir::secondsOfPart(const RingLoops &loops, unsigned loop,
                              int64_t parts,
                              const ScheduleCollectivesOptions &options) {
  double bytes = 0;
  for (auto [each, map] : llvm::zip(loops.bytes, loops.maps))
    bytes += each / (map.isFunctionOfDim(loop) ? double(parts) : 1.0);
  double flops = loops.narrow ? options.narrowFlops : options.flops;
  return options.launch + std::max(loops.flops / double(parts) / flops,
                                   bytes / options.bandwidth);
}

std::optional<RingLoops> shardir::ringLoopsOf(Operation *op) {
  RingLoops result;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    double bytes = type ? double(elementBytes(type.getElementType())) : 0;
    for (int64_t extent : type ? type.getShape() : ArrayRef<int64_t>())
      bytes *= ShapedType::isDynamic(extent) ? 1024 : double(extent);
    result.bytes.push_back(bytes);
  }
  auto cut = [&](ArrayRef<unsigned> loops) {
    for (unsigned loop : loops)
      result.cuttable[loop] = true;
  };
  auto maps = [&](auto attention) {
    for (OpOperand &operand : op->getOpOperands())
      result.maps.push_back(attention.getMap(operand));
    result.cuttable.resize(attention.getNumLoops());
  };
  if (auto attention = dyn_cast<kernel::AttentionOp>(op)) {
    maps(attention);
    kernel::AttentionOp::Loops loops = attention.getLoops();
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
  if (auto backward = dyn_cast<kernel::AttentionBackwardOp>(op)) {
    maps(backward);
    kernel::AttentionBackwardOp::Loops loops = backward.getLoops();
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

ReasonAttr shardir::reasonOfBlock(Operation *op, unsigned block,
                                  unsigned numBlocks) {
  auto reason = op->getAttrOfType<ReasonAttr>("reason");
  if (!reason)
    reason = ReasonAttr::ofProgram(op->getContext());
  return reason.withBlock(block, numBlocks);
}

JoinedDim shardir::joinedDim(const Placement &blocks, const Placement &gathered,
                             const Mesh &mesh) {
  std::vector<AxisRef> parts = commonRefinement(blocks, gathered, mesh);
  auto axesOfDim = [&](const Placement &placement, int64_t dim) {
    std::vector<AxisRef> axes;
    for (const AxisRef &axis : placement.axesOf(dim))
      llvm::append_range(axes, refine(axis, mesh, parts));
    return axes;
  };
  auto isWhole = [&](const Split &split) { return !split.isAxis(); };
  JoinedDim found;
  for (size_t dim = 0; dim < blocks.dims.size(); ++dim) {
    if (blocks.dims[dim].splits == gathered.dims[dim].splits)
      continue;
    std::vector<AxisRef> all = axesOfDim(blocks, dim),
                         kept = axesOfDim(gathered, dim);
    if (found.dim >= 0 || kept.size() > all.size() ||
        !std::equal(kept.begin(), kept.end(), all.begin()) ||
        llvm::any_of(blocks.dims[dim].splits, isWhole) ||
        llvm::any_of(gathered.dims[dim].splits, isWhole))
      return {};
    found.dim = dim;
    found.axes.assign(all.begin() + kept.size(), all.end());
  }
  return found;
}

/// The devices of `mesh` when each stands where the one `step` ahead of it on
/// the ring over `axes` stood: position p then has the block of that one.
static std::vector<int64_t> turned(const Mesh &mesh, ArrayRef<AxisRef> axes,
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

PlacementAttr shardir::onRing(ModuleOp module, PlacementAttr placement,
                              const Mesh &mesh, ArrayRef<AxisRef> axes,
                              int64_t step) {
  if (step == 0)
    return placement;
  Mesh wanted = mesh;
  wanted.devices = turned(mesh, axes, step);
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
                            FlatSymbolRefAttr::get(name), placement.getValue());
}

double shardir::secondsBetween(Operation *first, Operation *last, double enough,
                               const ScheduleCollectivesOptions &options) {
  double seconds = 0;
  for (Operation *op = last->getPrevNode();
       op && op != first && seconds < enough; op = op->getPrevNode())
    if (std::optional<RingLoops> loops = ringLoopsOf(op))
      seconds += secondsOfPart(*loops, /*loop=*/0, /*parts=*/1, options);
  return std::min(seconds, enough);
}

double shardir::turnSeconds(const Mesh &mesh, ArrayRef<AxisRef> axes,
                            int64_t bytes) {
  // As Placement/CostModel.h has steps of one message.
  MachineModel machine;
  double slowest = 0;
  for (const AxisRef &axis : axes) {
    Link link = machine.linkOf(mesh.axes[mesh.axisIndex(axis.name)]);
    slowest = std::max(slowest, 2 * link.latency + bytes / link.bandwidth);
  }
  return slowest;
}

OpFoldResult shardir::distance(OpBuilder &builder, Location loc,
                               OpFoldResult from, OpFoldResult to) {
  if (isConstantIntValue(from, 0))
    return to;
  Value result = arith::SubIOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, to),
      getValueOrCreateConstantIndexOp(builder, loc, from));
  return result;
}
