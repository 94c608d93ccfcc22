//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires linalg on tensors; guarantees that
// convolutions read their filters in order. A filter whose elements for some
// vectors of outputs are rows apart shares few sets of the caches and is read
// from memory again for every few pixels: a copy has them one after the other.
//
//===----------------------------------------------------------------------===//

#include "Common/Contraction.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {
#define GEN_PASS_DEF_PACKCONVOLUTIONSFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// Work below which copies do not pay, in multiply-adds.
constexpr int64_t smallWork = 1 << 20;
/// Outputs that share one element of the filter, at least.
constexpr int64_t fewPixels = 32;

/// The loops of a convolution and its operands by their role.
struct Convolution {
  linalg::LinalgOp op;
  /// The operand that is read through windows, and the other one.
  unsigned input = 0, filter = 1;
  /// The loop along which filter and result run, but not the input.
  int feature = -1;
  SmallVector<int> pixels, reductions;
  SmallVector<int64_t> extents;
};

/// The result of `map` that is loop `loop`; -1 for none.
int64_t placeIn(AffineMap map, int loop) {
  auto position =
      map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  return position ? int64_t(*position) : -1;
}

std::optional<Convolution> matchConvolution(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() ||
      op->getNumResults() != 1 || !isFloatContraction(op, /*windows=*/true))
    return std::nullopt;
  Convolution found;
  found.op = op;
  found.extents = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isPlain = [](AffineMap map) { return map.isProjectedPermutation(); };
  if (isPlain(maps[0]) == isPlain(maps[1]) || !isPlain(maps[2]))
    return std::nullopt;
  found.input = isPlain(maps[0]);
  found.filter = 1 - found.input;
  int64_t pixels = 1, terms = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool inInput = maps[found.input].isFunctionOfDim(loop),
         inFilter = maps[found.filter].isFunctionOfDim(loop),
         inResult = maps[2].isFunctionOfDim(loop);
    if (!inResult) {
      found.reductions.push_back(loop);
      terms *= found.extents[loop];
    } else if (!inFilter) {
      found.pixels.push_back(loop);
      pixels *= found.extents[loop];
    } else if (!inInput && found.feature < 0) {
      found.feature = loop;
    } else {
      return std::nullopt; // groups, or two loops of features
    }
  }
  // The order of the filter's elements in memory.
  llvm::sort(found.reductions, [&](int a, int b) {
    return placeIn(maps[found.filter], a) < placeIn(maps[found.filter], b);
  });
  if (found.feature < 0 || pixels < fewPixels ||
      pixels * terms * found.extents[found.feature] < smallWork)
    return std::nullopt;
  return found;
}

/// A copy of `source` of extents `shape`, whose element at the loops is the
/// source's at `exprs`.
Value copyOf(OpBuilder &builder, Location loc, Value source,
             ArrayRef<AffineExpr> exprs, ArrayRef<int64_t> shape) {
  Value empty = tensor::EmptyOp::create(builder, loc, shape,
                                        getElementTypeOrSelf(source.getType()));
  SmallVector<AffineMap> maps = {
      AffineMap::get(shape.size(), 0, exprs, builder.getContext()),
      builder.getMultiDimIdentityMap(shape.size())};
  SmallVector<utils::IteratorType> parallel(shape.size(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), source, empty, maps, parallel,
             [](OpBuilder &inside, Location at, ValueRange values) {
               linalg::YieldOp::create(inside, at, values[0]);
             })
      .getResult(0);
}

/// `source` with dim `dim` last.
Value withDimLast(OpBuilder &builder, Location loc, Value source, int64_t dim) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  std::rotate(shape.begin() + dim, shape.begin() + dim + 1, shape.end());
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0, loop = 0; i < type.getRank(); ++i)
    exprs.push_back(
        builder.getAffineDimExpr(i == dim ? type.getRank() - 1 : loop++));
  return copyOf(builder, loc, source, exprs, shape);
}

/// The number of loops over pixels around the loop over panels: those over
/// images, so that a panel is read for all pixels of an image, and a row of
/// pixels too where reading images again would be more.
unsigned placeOfPanels(const Convolution &conv, int64_t panels) {
  linalg::LinalgOp op = conv.op;
  AffineMap map = op.getIndexingMapsArray()[conv.input];
  auto type = cast<RankedTensorType>(op.getDpsInputs()[conv.input].getType());
  int64_t image = type.getNumElements(), rows = 1;
  unsigned place = 0;
  for (int loop : conv.pixels) {
    if (placeIn(map, loop) < 0) {
      rows = conv.extents[loop];
      break;
    }
    image /= std::max<int64_t>(conv.extents[loop], 1);
    ++place;
  }
  int64_t elements = conv.extents[conv.feature];
  for (int loop : conv.reductions)
    elements *= conv.extents[loop];
  if (place + 1 < conv.pixels.size() && rows * elements < panels * image)
    ++place;
  return place;
}

/// Rewrites one convolution with its features in panels of `width`.
class ConvolutionPacker {
public:
  ConvolutionPacker(const Convolution &conv, int64_t width)
      : conv(conv), op(conv.op), width(width),
        panels(conv.extents[conv.feature] / width), builder(op),
        loc(op.getLoc()), maps(op.getIndexingMapsArray()),
        inputs(op.getDpsInputs()) {}
  void run();

private:
  void orderLoops();
  void packFilter();
  void moveChannelsLast();
  Value convolve();
  Value inOrderOfResult(Value result);

  /// The loops of a copy to [panel, the loops of `order`, lane], by loop of
  /// the op.
  SmallVector<AffineExpr> loopsOfCopy(ArrayRef<int> order) {
    SmallVector<AffineExpr> loops(op.getNumLoops());
    AffineExpr last = builder.getAffineDimExpr(order.size() + 1);
    loops[conv.feature] = builder.getAffineDimExpr(0) * width + last;
    for (auto [i, loop] : llvm::enumerate(order))
      loops[loop] = builder.getAffineDimExpr(i + 1);
    return loops;
  }
  /// The element of such a copy at these loops.
  static SmallVector<AffineExpr> elementOfCopy(ArrayRef<int> order,
                                               AffineExpr panel,
                                               ArrayRef<AffineExpr> loops,
                                               AffineExpr lane) {
    SmallVector<AffineExpr> exprs = {panel};
    for (int loop : order)
      exprs.push_back(loops[loop]);
    exprs.push_back(lane);
    return exprs;
  }
  SmallVector<int64_t> shapeOfCopy(ArrayRef<int> order) {
    SmallVector<int64_t> shape = {panels};
    for (int loop : order)
      shape.push_back(conv.extents[loop]);
    shape.push_back(width);
    return shape;
  }

  const Convolution &conv;
  linalg::LinalgOp op;
  int64_t width, panels;
  OpBuilder builder;
  Location loc;
  SmallVector<AffineMap> maps; ///< of `op`

  // The new op. Its loops are pixels, with panels among them, the features of
  // a panel, and reductions.
  SmallVector<utils::IteratorType> kinds;
  AffineExpr panel, lane;
  SmallVector<int> reductions;    ///< loops of `op`, in the new order
  SmallVector<AffineExpr> loopOf; ///< by loop of `op`
  SmallVector<Value> inputs;
  std::array<SmallVector<AffineExpr>, 3> exprs; ///< of inputs and result
};

void ConvolutionPacker::orderLoops() {
  kinds.assign(op.getNumLoops() + 1, utils::IteratorType::parallel);
  loopOf.resize(op.getNumLoops());
  unsigned next = 0, panelAt = placeOfPanels(conv, panels);
  panel = builder.getAffineDimExpr(panelAt);
  for (auto [i, loop] : llvm::enumerate(conv.pixels)) {
    next += i == panelAt;
    loopOf[loop] = builder.getAffineDimExpr(next++);
  }
  next = conv.pixels.size() + 1;
  lane = builder.getAffineDimExpr(next++);
  loopOf[conv.feature] = panel * width + lane;
  // Channels inside: a window's pixels outside of them are few.
  reductions = conv.reductions;
  llvm::stable_sort(reductions, [&](int a, int b) {
    return placeIn(maps[conv.input], a) < 0 &&
           placeIn(maps[conv.input], b) >= 0;
  });
  for (int loop : reductions) {
    kinds[next] = utils::IteratorType::reduction;
    loopOf[loop] = builder.getAffineDimExpr(next++);
  }
}

/// Makes the filter [panel, reductions, lane], by one transpose of matrices and
/// one of rows: both of them move whole vectors.
void ConvolutionPacker::packFilter() {
  Value &filter = inputs[conv.filter];
  SmallVector<AffineExpr> loops = loopsOfCopy(conv.reductions), read;
  for (AffineExpr expr : maps[conv.filter].getResults())
    read.push_back(expr.replaceDims(loops));
  filter = copyOf(builder, loc, filter, read, shapeOfCopy(conv.reductions));
  if (reductions != conv.reductions) {
    AffineExpr first = builder.getAffineDimExpr(0),
               last = builder.getAffineDimExpr(reductions.size() + 1);
    filter = copyOf(
        builder, loc, filter,
        elementOfCopy(conv.reductions, first, loopsOfCopy(reductions), last),
        shapeOfCopy(reductions));
  }
  exprs[conv.filter] = elementOfCopy(reductions, panel, loopOf, lane);
}

/// Makes the input's channels neighbours in memory: they are the inner loop.
void ConvolutionPacker::moveChannelsLast() {
  ArrayRef<AffineExpr> dims = maps[conv.input].getResults();
  SmallVector<AffineExpr> &read = exprs[conv.input];
  for (AffineExpr expr : dims)
    read.push_back(expr.replaceDims(loopOf));
  if (isa<AffineDimExpr>(read.back()))
    return;
  int64_t channels = -1, most = 1;
  for (auto [i, expr] : llvm::enumerate(dims)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && llvm::is_contained(conv.reductions, int(dim.getPosition())) &&
        conv.extents[dim.getPosition()] > most) {
      channels = i;
      most = conv.extents[dim.getPosition()];
    }
  }
  if (channels < 0)
    return;
  Value &input = inputs[conv.input];
  input = withDimLast(builder, loc, input, channels);
  std::rotate(read.begin() + channels, read.begin() + channels + 1, read.end());
}

/// The new op, and its result as [pixels, features].
Value ConvolutionPacker::convolve() {
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (int loop : conv.pixels) {
    groups.push_back({int64_t(shape.size())});
    shape.push_back(conv.extents[loop]);
    exprs[2].push_back(loopOf[loop]);
  }
  groups.push_back({int64_t(shape.size()), int64_t(shape.size()) + 1});
  shape.append({panels, width});
  exprs[2].append({panel, lane});
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value empty = tensor::EmptyOp::create(
      builder, loc, shape, getElementTypeOrSelf(op->getResult(0).getType()));
  Value init = linalg::FillOp::create(builder, loc, fill.getInputs()[0], empty)
                   .getResult(0);
  SmallVector<AffineMap> newMaps;
  for (ArrayRef<AffineExpr> results : exprs)
    newMaps.push_back(
        AffineMap::get(kinds.size(), 0, results, builder.getContext()));
  auto packed = linalg::GenericOp::create(builder, loc, init.getType(), inputs,
                                          init, newMaps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&packed.getRegion(), mapping);
  return tensor::CollapseShapeOp::create(builder, loc, packed.getResult(0),
                                         groups);
}

/// [pixels, features] with the dims in the order of the op's result.
Value ConvolutionPacker::inOrderOfResult(Value result) {
  SmallVector<AffineExpr> order;
  for (int loop : conv.pixels)
    order.push_back(builder.getAffineDimExpr(placeIn(maps[2], loop)));
  order.push_back(builder.getAffineDimExpr(placeIn(maps[2], conv.feature)));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (AffineMap::get(type.getRank(), 0, order, builder.getContext())
          .isIdentity())
    return result;
  return copyOf(builder, loc, result, order, type.getShape());
}

void ConvolutionPacker::run() {
  orderLoops();
  packFilter();
  moveChannelsLast();
  op->getResult(0).replaceAllUsesWith(inOrderOfResult(convolve()));
  op->erase();
}

/// `op` as a product of matrices, if that is all it is: a convolution whose
/// windows have one pixel and lie side by side.
void dropSinglePixels(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      isFloatContraction(op) || !isFloatContraction(op, /*windows=*/true))
    return;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds;
  SmallVector<AffineExpr> loopOf;
  for (auto [extent, kind] : llvm::zip(extents, op.getIteratorTypesArray())) {
    if (extent == 1 && kind == utils::IteratorType::reduction) {
      loopOf.push_back(getAffineConstantExpr(0, op.getContext()));
      continue;
    }
    loopOf.push_back(getAffineDimExpr(kinds.size(), op.getContext()));
    kinds.push_back(kind);
  }
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray()) {
    maps.push_back(map.replaceDimsAndSymbols(loopOf, {}, kinds.size(), 0));
    if (!llvm::all_of(maps.back().getResults(), [](AffineExpr expr) {
          return isa<AffineDimExpr, AffineConstantExpr>(expr);
        }))
      return;
  }
  if (!llvm::is_contained(kinds, utils::IteratorType::reduction))
    return;
  OpBuilder builder(op);
  auto product = linalg::GenericOp::create(
      builder, op.getLoc(), op->getResult(0).getType(), op.getDpsInputs(),
      op.getDpsInits(), maps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&product.getRegion(), mapping);
  op->getResult(0).replaceAllUsesWith(product.getResult(0));
  op->erase();
}

struct PackConvolutionsForCpuPass
    : shardir::impl::PackConvolutionsForCpuBase<PackConvolutionsForCpuPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu.become(context, target);
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      dropSinglePixels(op);
    SmallVector<Convolution> convolutions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (auto found = matchConvolution(op))
        if (op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
          convolutions.push_back(*found);
    });
    for (const Convolution &conv : convolutions) {
      Type element = getElementTypeOrSelf(conv.op->getResult(0).getType());
      int64_t lanes = cpu.lanes(element.isF64() ? 64 : 32);
      // As many sums as the vectoriser keeps for a few pixels at a time.
      int64_t vectors = cpu.numVectorRegisters >= 32 ? 4 : 2;
      while (vectors > 1 && conv.extents[conv.feature] % (vectors * lanes) != 0)
        --vectors;
      if (conv.extents[conv.feature] % (vectors * lanes) == 0)
        ConvolutionPacker(conv, vectors * lanes).run();
    }
  }

  CpuTarget cpu;
};
} // namespace
