//===- TilePrediction.cpp - What a tiled contraction costs ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about a contraction that its schedules share, and the emission
// around their kernels. Requires a linalg op on memrefs. The prediction ranks
// tiles and schedules; it promises nothing.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "OperandCopies.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

/// A window's rows lie apart, and its elements overlap.
static bool hasWindows(linalg::LinalgOp op) {
  return !isFloatContraction(op) && !isByteContraction(op) &&
         !op->hasAttr(kScaledProduct);
}

ProductShape shardir::productShapeOf(linalg::LinalgOp op) {
  ProductShape shape;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = assumedLoopExtents(op);
  bool windows = hasWindows(op);
  for (auto [loop, size] : llvm::enumerate(extents)) {
    bool a = maps[0].isFunctionOfDim(loop), b = maps[1].isFunctionOfDim(loop),
         c = maps.back().isFunctionOfDim(loop);
    double &role = !c ? shape.k : a && b ? shape.batch : a ? shape.m : shape.n;
    double extent = std::max<int64_t>(size, 1);
    // A tile has rows of one loop.
    if (windows && c && a != b) {
      shape.batch *= std::min(role, extent);
      role = std::max(role, extent);
      continue;
    }
    role *= extent;
  }
  return shape;
}

bool shardir::isTileable(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() &&
         (isFloatContraction(op, /*windows=*/true) || isByteContraction(op)) &&
         hasLoopNest(op) && hasUnitColumns(op);
}

Multiplicand shardir::multiplicandOf(linalg::LinalgOp op) {
  Type a = getElementTypeOrSelf(op.getDpsInputs()[0].getType()),
       b = getElementTypeOrSelf(op.getDpsInputs()[1].getType()),
       c = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  if (a != b || c.isF64())
    return Multiplicand::None;
  if (op->hasAttr(kScaledProduct))
    return Multiplicand::Float8;
  if (a.isBF16() || a.isF16())
    return Multiplicand::Half;
  if (a.isF32() && op->hasAttr(kReadsTf32))
    return Multiplicand::Tf32;
  if (!isByteContraction(op))
    return Multiplicand::None;
  return a.isInteger(8) ? Multiplicand::Byte : Multiplicand::Float8;
}

double shardir::rateOf(Multiplicand multiplicand) {
  switch (multiplicand) {
  case Multiplicand::Tf32:
    return 0.5;
  case Multiplicand::Byte:
  case Multiplicand::Float8:
    return 2;
  default:
    return 1;
  }
}

TilePlan shardir::planFor(TilePlan plan, Multiplicand multiplicand) {
  plan.bk = int64_t(double(plan.bk) * rateOf(multiplicand));
  // The units transpose 16-bit elements alone.
  plan.alongK = multiplicand != Multiplicand::Half;
  return plan;
}

linalg::LinalgOp shardir::prologueFor(linalg::LinalgOp op, unsigned input) {
  return findPrologue(op, input, findNeighbours(op).last(op));
}

/// The share of a grouped product's steps that are made, if groups are as large
/// as each other: a tile has rows of its own groups.
static double shareOfGroups(linalg::LinalgOp op, const TilePlan &plan,
                            double rows) {
  if (!plan.rowGroups)
    return 1;
  double count = assumedLoopExtents(op)[plan.rowGroups->group],
         tiles = std::ceil(rows / plan.bm);
  return std::min(1.0, (tiles + count - 1) / (tiles * count));
}

double shardir::predictTiles(linalg::LinalgOp op, const TilePlan &plan,
                             double flops, const GpuTarget &target) {
  ProductShape shape = productShapeOf(op);
  shape.k *= shareOfGroups(op, plan, shape.m);
  auto bytesOf = [](Value value) {
    return elementBytes(getElementTypeOrSelf(value.getType()));
  };
  // Operands that are computed in the kernel, or that vectors cannot read, come
  // through registers, element by element, in instructions that the products
  // wait for.
  constexpr double registerCopies = 0.4;
  if (plan.byElements[0] || plan.byElements[1])
    flops *= registerCopies;
  double size[2];
  for (unsigned input : {0u, 1u}) {
    size[input] = double(bytesOf(op.getDpsInputs()[input]));
    if (plan.prologue[input] && !plan.rowGroups)
      if (linalg::LinalgOp map = prologueFor(op, input))
        size[input] = bytesPerElement(map) / registerCopies;
    if (plan.byElements[input])
      size[input] /= registerCopies;
  }
  double tiles =
      std::ceil(shape.m / plan.bm) * std::ceil(shape.n / plan.bn) * shape.batch;
  double blocks = tiles * double(plan.splits * plan.pair);
  double waves = std::ceil(blocks / target.multiprocessors);
  double steps = std::ceil(shape.k / plan.bk);
  double kPerBlock = std::ceil(steps / plan.splits) * plan.bk;
  double compute = waves * 2.0 * plan.bm / plan.pair * plan.bn * kPerBlock /
                   (flops / target.multiprocessors);
  // Of what tiles read more than once most comes from the second cache.
  double once = (shape.m * size[0] + shape.n * size[1]) * shape.k * shape.batch;
  if (hasWindows(op))
    once = bytesMoved(op);
  double all = tiles *
               (double(plan.bm) * size[0] +
                double(plan.bn) * size[1] / (plan.sharesB ? 2 : 1)) *
               shape.k;
  double outputs = shape.m * shape.n * shape.batch;
  double stored = outputs * bytesOf(op.getDpsInits()[0]);
  double bytes = once + std::max(0.0, all - once) / 4;
  auto moved = [&](double bytes, double blocks) {
    return bytes / target.copyBytesPerSecond /
           std::min(1.0, blocks / target.multiprocessors);
  };
  double launches = target.launchSeconds;
  for (unsigned input : {0u, 1u})
    if (plan.copied[input])
      launches +=
          target.launchSeconds + moved(2 * size[input] * shape.k * shape.batch *
                                           (input == 0 ? shape.m : shape.n),
                                       target.multiprocessors);
  if (plan.splits == 1)
    return launches + std::max(compute, moved(bytes + stored, blocks));
  // Sums are written and read once more, by 128 threads for 256 of them.
  double partials =
      outputs * double(plan.splits) *
      (getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF64() ? 8 : 4);
  return launches + target.launchSeconds +
         std::max(compute, moved(bytes + partials, blocks)) +
         moved(partials + stored, std::ceil(outputs / 256));
}

/// True if the workspace of a shared reduction has a size that is known.
static bool hasKnownResult(linalg::LinalgOp op) {
  return cast<ShapedType>(op.getDpsInits()[0].getType()).hasStaticShape();
}

static PlanNumbers numbersOfTiles(const TilePlan &plan) {
  return {{"tile_m", plan.bm},
          {"tile_n", plan.bn},
          {"tile_k", plan.bk},
          {"stages", plan.stages},
          {"splits", plan.splits},
          {"copies", plan.copied[0] + plan.copied[1]},
          {"fused_operand", plan.prologue[0]   ? 1
                            : plan.prologue[1] ? 2
                                               : 0}};
}

/// `plan` with as many stages as `op` must have, if they fit.
static TilePlan withForcedStages(linalg::LinalgOp op, TilePlan plan,
                                 const GpuTarget &target) {
  // Products may be two steps behind the copies, and what is stored passes
  // through shared memory, too.
  constexpr int64_t fewestStages = 3, otherBytes = 34 * 1024;
  int64_t size = elementBytes(getElementTypeOrSelf(op.getDpsInputs()[0]));
  int64_t stages = forcedNumber(op, "stages").value_or(plan.stages);
  int64_t bytes = stages * (plan.bm + plan.bn) * plan.bk * size +
                  (plan.kGroups - 1) * plan.bm * plan.bn * 4;
  if (stages >= fewestStages &&
      (stages < plan.stages || bytes + otherBytes <= target.sharedBytes))
    plan.stages = stages;
  return plan;
}

TileChoice
shardir::chooseTiles(linalg::LinalgOp op, StringRef schedule,
                     ArrayRef<TilePlan> plans, const GpuTarget &target,
                     llvm::function_ref<double(const TilePlan &)> flopsOf) {
  // At least so many steps are worth a block.
  constexpr int64_t fewestSteps = 4;
  constexpr int64_t mostSplits = 64;
  ProductShape shape = productShapeOf(op);
  TileChoice best;
  for (TilePlan plan : plans) {
    plan = withForcedStages(op, plan, target);
    double tiles = std::ceil(shape.m / plan.bm) * std::ceil(shape.n / plan.bn) *
                   shape.batch;
    double steps = std::ceil(shape.k / plan.bk);
    for (plan.splits = 1; plan.splits <= mostSplits; plan.splits *= 2) {
      bool fills = tiles * plan.splits > 2 * target.multiprocessors;
      if (plan.splits > 1 && (plan.rowGroups || !hasKnownResult(op) || fills ||
                              steps < fewestSteps * plan.splits))
        break;
      double seconds = predictTiles(op, plan, flopsOf(plan), target);
      PlanNumbers numbers = numbersOfTiles(plan);
      bool agrees = agreesWithForced(op, numbers);
      double corrected =
          correctedSeconds(op, schedule, numbers, seconds, target);
      if (best.seconds == 0 || std::pair(!agrees, corrected) <
                                   std::pair(!best.agrees, best.corrected))
        best = {plan, seconds, corrected, agrees};
    }
  }
  return best;
}

std::optional<TileChoice> shardir::chooseGroupedTiles(
    linalg::LinalgOp op, unsigned input, StringRef schedule,
    ArrayRef<TilePlan> plans, const GpuTarget &target,
    llvm::function_ref<double(const TilePlan &)> flopsOf,
    llvm::function_ref<bool(const TilePlan &)> suits) {
  linalg::LinalgOp map = prologueFor(op, input);
  std::optional<RowGroups> groups =
      map ? matchRowGroups(op, input, map) : std::nullopt;
  if (!groups)
    return std::nullopt;
  SmallVector<TilePlan> grouped;
  for (TilePlan plan : plans) {
    plan.prologue[input] = true;
    plan.rowGroups = groups;
    plan.byElements[input] = false;
    if (!plan.copied[0] && !plan.copied[1] && suits(plan))
      grouped.push_back(plan);
  }
  if (grouped.empty())
    return std::nullopt;
  TileChoice choice = chooseTiles(op, schedule, grouped, target, flopsOf);
  choice.saved = bytesMoved(map) / target.copyBytesPerSecond;
  return choice;
}

bool shardir::suitsGroups(linalg::LinalgOp op, const TilePlan &plan) {
  TrialEmitter trial(op);
  FailureOr<Contraction> contraction =
      matchContraction(op, trial.emit, /*windows=*/true);
  FailureOr<LoopNest> nest = makeLoopNest(op, trial.emit, /*merge=*/false);
  return succeeded(contraction) && succeeded(nest) &&
         ProductTiles(trial.emit, *contraction, Epilogue(), *nest, plan)
             .hasGroups();
}

Estimate shardir::estimateOfTiles(linalg::LinalgOp op, StringRef unit,
                                  const TileChoice &choice,
                                  const GpuTarget &target) {
  const TilePlan &plan = choice.plan;
  std::string text = llvm::formatv("{0}, tile {1}x{2}x{3}, {4} stages", unit,
                                   plan.bm, plan.bn, plan.bk, plan.stages);
  if (plan.pair == 2)
    text += ", pairs of blocks";
  if (plan.sharesB)
    text += ", columns copied for two blocks";
  if (plan.splits > 1)
    text += llvm::formatv(", k shared by {0} blocks", plan.splits);
  for (unsigned input : {0u, 1u})
    if (plan.copied[input])
      text += llvm::formatv(", {0} operand copied into aligned rows",
                            input == 0 ? "first" : "second");
  if (op->hasAttr(kScaledProduct))
    text += ", scales of blocks of k";
  if (plan.rowGroups)
    text += ", the steps of each tile's own groups of rows";
  else if (plan.prologue[0] || plan.prologue[1])
    text += ", elementwise op before it fused";
  // The threads that hold a tile's sums have no other work meanwhile: four
  // tenths of the chip's instructions (docs/GPUMeasurements.md).
  constexpr double share = 0.4;
  ContractionNeighbours neighbours = findNeighbours(op);
  double behind =
      neighbours.map ? secondsOfBody(neighbours.map, target) / share : 0;
  if (neighbours.map)
    text += ", elementwise op behind it fused";
  size_t fused = size_t(neighbours.fillIsDead) + (neighbours.map ? 1 : 0) +
                 size_t(plan.prologue[0]) + size_t(plan.prologue[1]);
  return {choice.seconds + behind, fused, choice.saved + behind, text,
          numbersOfTiles(plan)};
}

LogicalResult shardir::emitTiles(RewriterBase &rewriter, linalg::LinalgOp op,
                                 const TilePlan &plan,
                                 KernelOfTiles emitKernel) {
  KernelEmitter emitter(rewriter, op);
  // Before there are copies, which would stand between it and them.
  ContractionNeighbours neighbours = findNeighbours(op);
  for (unsigned input : {0u, 1u})
    if (plan.prologue[input])
      takePrologue(neighbours, op, input, prologueFor(op, input));
  FailureOr<OperandCopies> copies = copyOperands(rewriter, op, plan);
  if (failed(copies))
    return failure();
  op = copies->product;
  rewriter.setInsertionPoint(neighbours.last(op));
  FailureOr<Contraction> matched =
      matchContraction(op, emitter, /*windows=*/true);
  FailureOr<LoopNest> nest = makeLoopNest(op, emitter, /*merge=*/false);
  if (failed(matched) || failed(nest))
    return op->emitOpError("is not a product of matrices");
  FailureOr<Epilogue> epilogue =
      Epilogue::create(emitter, *matched, neighbours, nest->results().front());
  if (failed(epilogue))
    return op->emitOpError("has a user without linear addresses");
  emitKernel(emitter, *matched, *epilogue, *nest, plan);
  for (Value buffer : copies->buffers)
    memref::DeallocOp::create(rewriter, emitter.loc, buffer);
  eraseContraction(rewriter, op, neighbours);
  return success();
}
