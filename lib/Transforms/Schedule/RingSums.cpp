//===- RingSums.cpp - Sums that come around rings block by block ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, behind rings of gathers. Requires a product whose
// terms a reduce-scatter alone reads. Guarantees that each device computes its
// terms of one block after the other, the one that it keeps last, and that the
// sum of a block so far comes from its neighbour beside that work: the dual of
// RingGathers.cpp (collective matmul, Wang et al., ASPLOS 2023). A block's
// terms are added in the order in which it comes around: those of the device
// behind its own first, its own last; the same run after run. Blocks may be
// uneven or empty.
//
//===----------------------------------------------------------------------===//

#include "Rings.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/Localizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// Parts cost what no model sees: what surrounds a product is not fused with
/// it.
constexpr double leastGain = 0.95;

/// A product whose terms are summed block by block.
struct SumRing {
  linalg::LinalgOp product;
  ReduceScatterOp scatter;
  /// Of the result, and the product's.
  int64_t dim = 0;
  unsigned loop = 0;
  std::vector<AxisRef> axes;
  int64_t devices = 1;
  RingLoops loops;
};

/// Sums of fewer than 32 bits would be rounded on each device.
bool isSummed(Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return type.getWidth() >= 32;
  return element.isInteger() && !element.isInteger(1);
}

std::optional<SumRing> findRing(ReduceScatterOp scatter,
                                const MeshTable &meshes) {
  SumRing ring;
  ring.scatter = scatter;
  ring.product = scatter.getInput().getDefiningOp<linalg::LinalgOp>();
  const Mesh &mesh = meshes.get(scatter.getFrom());
  const Placement &from = scatter.getFrom().getValue(),
                  &to = scatter.getTo().getValue();
  if (!ring.product || ring.product->getBlock() != scatter->getBlock() ||
      !ring.product->hasOneUse() || !scatter.isLocal() || !mesh.isConcrete() ||
      !scatter.getGlobalTensorType().hasStaticShape() ||
      !isSummed(scatter.getGlobalTensorType().getElementType()) ||
      from.partial != PartialKind::Sum || to.partial)
    return std::nullopt;
  std::optional<RingLoops> loops = ringLoopsOf(ring.product);
  JoinedDim joined = joinedDim(to, from, mesh);
  if (!loops || joined.dim < 0)
    return std::nullopt;
  // A reduction pending over other axes would stay pending.
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh), pending;
  for (const AxisRef &axis : from.partialAxes)
    llvm::append_range(pending, refine(axis, mesh, parts));
  if (pending.size() != joined.axes.size() ||
      !llvm::all_of(pending, [&](const AxisRef &axis) {
        return llvm::is_contained(joined.axes, axis);
      }))
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(loops->maps.back().getResult(joined.dim));
  if (!loop)
    return std::nullopt;
  ring.dim = joined.dim;
  ring.loop = loop.getPosition();
  ring.axes = joined.axes;
  ring.devices = groupSize(mesh, ring.axes);
  ring.loops = std::move(*loops);
  if (ring.devices < 2 || ring.devices > mostRingDevices)
    return std::nullopt;
  return ring;
}

class SumRings {
public:
  SumRings(ModuleOp module, const ScheduleCollectivesOptions &options)
      : module(module), options(options) {}

  FailureOr<bool> run() {
    SmallVector<ReduceScatterOp> scatters;
    module.walk([&](ReduceScatterOp op) { scatters.push_back(op); });
    bool changed = false;
    for (ReduceScatterOp scatter : scatters) {
      FailureOr<bool> taken = visit(scatter);
      if (failed(taken))
        return failure();
      changed |= *taken;
    }
    return changed;
  }

private:
  FailureOr<bool> visit(ReduceScatterOp scatter) {
    MeshTable meshes(module);
    std::optional<SumRing> ring = findRing(scatter, meshes);
    if (!ring)
      return false;
    auto [gathered, around] = predict(*ring, meshes);
    bool taken = options.rings == "always" || around < leastGain * gathered;
    if (options.explain) {
      std::string names;
      for (const AxisRef &axis : ring->axes)
        names += (names.empty() ? "\"" : ", \"") + toReportString(axis) + "\"";
      ring->product->emitRemark() << llvm::formatv(
          "its sums {0} around a ring of {1} devices over {2}: {3:f1} us "
          "predicted, {4:f1} us with all terms reduced and scattered behind it",
          taken ? "come" : "do not come", ring->devices, names, around * 1e6,
          gathered * 1e6);
    }
    if (taken && failed(decompose(*ring, meshes)))
      return ring->product.emitOpError("cannot be tiled along the dim that its "
                                       "sums are scattered along; compile with "
                                       "rings=never");
    return taken;
  }

  /// Seconds with a reduce-scatter behind the product, and around the ring. A
  /// sum that is read long after, as a gradient is, is reduced beside other
  /// work.
  std::pair<double, double> predict(SumRing &ring, const MeshTable &meshes) {
    ReduceScatterOp scatter = ring.scatter;
    const Mesh &mesh = meshes.get(scatter.getFrom());
    RankedTensorType global = scatter.getGlobalTensorType();
    std::vector<int64_t> shape = shapeOf(global);
    int64_t bytes = elementBytes(global.getElementType());
    const Placement &to = scatter.getTo().getValue();
    double reduced = costOf({{CollectiveKind::ReduceScatter,
                              scatter.getFrom().getValue(), to}},
                            mesh, shape, bytes)
                         .seconds;
    Operation *reader = scatter->getBlock()->getTerminator();
    for (Operation *user : scatter->getUsers())
      if (Operation *own = scatter->getBlock()->findAncestorOpInBlock(*user);
          own && own->isBeforeInBlock(reader))
        reader = own;
    if (options.overlap)
      reduced -= secondsBetween(scatter, reader, /*enough=*/reduced, options);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      bytes *= maxLocalExtent(to, mesh, shape[dim], dim);
    double step = turnSeconds(mesh, ring.axes, bytes);
    double whole = secondsOfPart(ring.loops, ring.loop, 1, options),
           part = secondsOfPart(ring.loops, ring.loop, ring.devices, options);
    // The received block is added after the part: two blocks read, one written.
    double add = options.launch + 3 * bytes / options.bandwidth;
    double turn = (options.overlap ? std::max(part, step) : part + step) + add;
    return {whole + reduced, part + (ring.devices - 1) * turn};
  }

  LogicalResult decompose(SumRing &ring, const MeshTable &before) {
    ReduceScatterOp scatter = ring.scatter;
    const Mesh mesh = before.get(scatter.getTo());
    // Placements first: they add meshes.
    SmallVector<PlacementAttr> placements;
    for (int64_t step = 0; step < ring.devices; ++step)
      placements.push_back(onRing(module, scatter.getTo(), mesh, ring.axes,
                                  (step + 1) % ring.devices));
    MeshTable meshes(module);
    Localizer localizer(meshes);
    IRRewriter rewriter(scatter);
    Location loc = ring.product.getLoc();
    RankedTensorType global = scatter.getGlobalTensorType();
    auto tiled = cast<TilingInterface>(ring.product.getOperation());
    SmallVector<OpFoldResult> offsets, sizes;
    for (Range range : tiled.getIterationDomain(rewriter)) {
      offsets.push_back(range.offset);
      sizes.push_back(range.size);
    }
    auto start = [&](PlacementAttr placement, OpFoldResult *length) {
      SmallVector<Localizer::DigitValue> digits = localizer.digits(
          rewriter, loc, meshes.get(placement), placement.getValue(),
          global.getDimSize(ring.dim), ring.dim);
      if (length)
        *length = digits[0].length;
      return digits[0].offset;
    };
    OpFoldResult base = start(scatter.getFrom(), nullptr);

    Value sum;
    for (int64_t step = 0; step < ring.devices; ++step) {
      PlacementAttr to = placements[step];
      RankedTensorType type = localizer.localType(global, to);
      // The sum so far is on its way while this device's terms are computed.
      Value received;
      if (sum) {
        received = createLocalStep(
            rewriter, scatter.getLoc(), CollectiveKind::Exchange, sum,
            placements[step - 1], to, global, type,
            localizer.dynamicSizes(rewriter, loc, {global, to}), {},
            reasonOfBlock(scatter, step + 1, ring.devices));
      }
      OpFoldResult length;
      OpFoldResult at = start(to, &length);
      offsets[ring.loop] = distance(rewriter, loc, base, at);
      sizes[ring.loop] = length;
      FailureOr<Value> terms = termsOf(rewriter, ring, offsets, sizes);
      if (failed(terms))
        return failure();
      sum = *terms;
      if (sum.getType() != type)
        sum = tensor::CastOp::create(rewriter, loc, type, sum);
      if (received)
        sum = added(rewriter, loc, received, sum);
    }
    if (sum.getType() != scatter->getResult(0).getType())
      sum = tensor::CastOp::create(rewriter, loc,
                                   scatter->getResult(0).getType(), sum);
    rewriter.replaceOp(scatter, sum);
    rewriter.eraseOp(ring.product);
    return success();
  }

  /// This device's terms of a block.
  static FailureOr<Value> termsOf(IRRewriter &rewriter, SumRing &ring,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
    linalg::LinalgOp product = ring.product;
    FailureOr<TilingResult> tile =
        cast<TilingInterface>(product.getOperation())
            .getTiledImplementation(rewriter, offsets, sizes);
    if (failed(tile) || tile->tiledOps.size() != 1)
      return failure();
    auto part = cast<linalg::LinalgOp>(tile->tiledOps[0]);
    // Operands that the loop does not index are complete.
    for (OpOperand &slice : part->getOpOperands()) {
      unsigned number = slice.getOperandNumber();
      Value all = product->getOperand(number);
      if (!product.getMatchingIndexingMap(&product->getOpOperand(number))
               .isFunctionOfDim(ring.loop) &&
          slice.get().getType() == all.getType())
        rewriter.modifyOpInPlace(part, [&] { slice.set(all); });
    }
    // Nor is a block of zeros cut out of all of them.
    OpOperand &init = part.getDpsInitsMutable()[0];
    if (auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>()) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(part);
      Value slice = init.get();
      SmallVector<OpFoldResult> extents;
      if (auto extract = slice.getDefiningOp<tensor::ExtractSliceOp>())
        extents = extract.getMixedSizes();
      else
        extents = tensor::getMixedSizes(rewriter, part.getLoc(), slice);
      Value empty =
          tensor::EmptyOp::create(rewriter, part.getLoc(), extents,
                                  getElementTypeOrSelf(slice.getType()));
      Value zeros = linalg::FillOp::create(rewriter, part.getLoc(),
                                           fill.getInputs()[0], empty)
                        .getResult(0);
      if (zeros.getType() == slice.getType())
        rewriter.modifyOpInPlace(part, [&] { init.set(zeros); });
    }
    for (Operation *slice : llvm::reverse(tile->generatedSlices))
      if (slice->use_empty())
        rewriter.eraseOp(slice);
    return part->getResult(0);
  }

  /// In the place of `terms`.
  static Value added(IRRewriter &rewriter, Location loc, Value received,
                     Value terms) {
    auto type = cast<RankedTensorType>(terms.getType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto body = [&](OpBuilder &builder, Location, ValueRange args) {
      Value sum = isa<FloatType>(type.getElementType())
                      ? arith::AddFOp::create(builder, loc, args[0], args[1])
                            .getResult()
                      : arith::AddIOp::create(builder, loc, args[0], args[1]);
      linalg::YieldOp::create(builder, loc, sum);
    };
    return linalg::GenericOp::create(rewriter, loc, type, received, terms,
                                     ArrayRef<AffineMap>{identity, identity},
                                     iterators, body)
        .getResult(0);
  }

  ModuleOp module;
  const ScheduleCollectivesOptions &options;
};

} // namespace

FailureOr<bool>
shardir::makeSumRings(ModuleOp module,
                      const ScheduleCollectivesOptions &options) {
  return SumRings(module, options).run();
}
