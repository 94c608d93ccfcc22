//===- PackConvolutions.cpp - Filters in the order they are read ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires linalg on tensors; guarantees that what
// convolutions compute is unchanged. A filter whose elements for some vectors
// of outputs lie rows apart shares few sets of the caches and is read from
// memory again for every few pixels: a copy has them one after the other.
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
  // The order in which the filter's elements lie.
  llvm::sort(found.reductions, [&](int a, int b) {
    return placeIn(maps[found.filter], a) < placeIn(maps[found.filter], b);
  });
  if (found.feature < 0 || pixels < fewPixels ||
      pixels * terms * found.extents[found.feature] < smallWork)
    return std::nullopt;
  return found;
}

/// A copy of `source` of extents `shape`, whose element at the loops is the
/// source's at `map`.
Value copyOf(OpBuilder &builder, Location loc, Value source, AffineMap map,
             ArrayRef<int64_t> shape) {
  Value empty = tensor::EmptyOp::create(builder, loc, shape,
                                        getElementTypeOrSelf(source.getType()));
  SmallVector<AffineMap> maps = {map,
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
  shape.erase(shape.begin() + dim);
  shape.push_back(type.getDimSize(dim));
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0, loop = 0; i < type.getRank(); ++i)
    exprs.push_back(
        builder.getAffineDimExpr(i == dim ? type.getRank() - 1 : loop++));
  return copyOf(builder, loc, source,
                AffineMap::get(type.getRank(), 0, exprs, builder.getContext()),
                shape);
}

/// Before how many of the loops over pixels the one over panels is: after
/// those over images, so that a panel is read for all pixels of an image, or
/// after a row of pixels too, where reading images again would be more.
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

/// Rewrites `conv` with features in panels of `width`.
void pack(const Convolution &conv, int64_t width) {
  linalg::LinalgOp op = conv.op;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value input = op.getDpsInputs()[conv.input],
        filter = op.getDpsInputs()[conv.filter];
  int64_t panels = conv.extents[conv.feature] / width;

  // The new loops: pixels, with panels among them, features of a panel,
  // reductions.
  unsigned loops = op.getNumLoops() + 1;
  SmallVector<AffineExpr> loopOf(op.getNumLoops());
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  unsigned next = 0, panelAt = placeOfPanels(conv, panels);
  AffineExpr panel = builder.getAffineDimExpr(panelAt);
  for (auto [i, loop] : llvm::enumerate(conv.pixels)) {
    next += i == panelAt;
    loopOf[loop] = builder.getAffineDimExpr(next++);
  }
  next = conv.pixels.size() + 1;
  AffineExpr lane = builder.getAffineDimExpr(next++);
  loopOf[conv.feature] = panel * width + lane;
  // Channels inside: a window's pixels outside of them are few.
  SmallVector<int> reductions(conv.reductions);
  llvm::stable_sort(reductions, [&](int a, int b) {
    return placeIn(maps[conv.input], a) < 0 &&
           placeIn(maps[conv.input], b) >= 0;
  });
  for (int loop : reductions) {
    kinds[next] = utils::IteratorType::reduction;
    loopOf[loop] = builder.getAffineDimExpr(next++);
  }
  auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, context);
  };

  // The filter as [panel, reductions, feature of the panel], by one transpose
  // of matrices and one of rows: both of them move whole vectors.
  auto packedMap = [&](ArrayRef<int> order, AffineExpr panelExpr,
                       AffineExpr laneExpr, ArrayRef<AffineExpr> exprs) {
    SmallVector<AffineExpr> results = {panelExpr};
    for (int loop : order)
      results.push_back(exprs[loop]);
    results.push_back(laneExpr);
    return results;
  };
  SmallVector<int64_t> packedShape = {panels};
  SmallVector<AffineExpr> from(op.getNumLoops());
  unsigned last = reductions.size() + 1;
  AffineExpr first = builder.getAffineDimExpr(0),
             lastLoop = builder.getAffineDimExpr(last);
  from[conv.feature] = first * width + lastLoop;
  for (auto [i, loop] : llvm::enumerate(conv.reductions)) {
    packedShape.push_back(conv.extents[loop]);
    from[loop] = builder.getAffineDimExpr(i + 1);
  }
  packedShape.push_back(width);
  SmallVector<AffineExpr> read;
  for (AffineExpr expr : maps[conv.filter].getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    read.push_back(dim ? from[dim.getPosition()] : expr);
  }
  Value packed =
      copyOf(builder, loc, filter, AffineMap::get(last + 1, 0, read, context),
             packedShape);
  if (reductions != conv.reductions) {
    for (auto [i, loop] : llvm::enumerate(reductions)) {
      packedShape[i + 1] = conv.extents[loop];
      from[loop] = builder.getAffineDimExpr(i + 1);
    }
    packed =
        copyOf(builder, loc, packed,
               AffineMap::get(last + 1, 0,
                              packedMap(conv.reductions, first, lastLoop, from),
                              context),
               packedShape);
  }
  SmallVector<AffineExpr> packedExprs =
      packedMap(reductions, panel, lane, loopOf);

  // Channels become neighbours in memory, since they are the inner loop.
  SmallVector<AffineExpr> inputExprs;
  for (AffineExpr expr : maps[conv.input].getResults())
    inputExprs.push_back(expr.replaceDims(loopOf));
  if (!isa<AffineDimExpr>(inputExprs.back())) {
    int64_t channels = -1, most = 1;
    for (auto [i, expr] : llvm::enumerate(maps[conv.input].getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && llvm::is_contained(conv.reductions, int(dim.getPosition())) &&
          conv.extents[dim.getPosition()] > most) {
        channels = i;
        most = conv.extents[dim.getPosition()];
      }
    }
    if (channels >= 0) {
      input = withDimLast(builder, loc, input, channels);
      AffineExpr moved = inputExprs[channels];
      inputExprs.erase(inputExprs.begin() + channels);
      inputExprs.push_back(moved);
    }
  }

  // The result as [pixels, features], from the same value everywhere.
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> resultExprs;
  SmallVector<ReassociationIndices> groups;
  for (int loop : conv.pixels) {
    groups.push_back({int64_t(shape.size())});
    shape.push_back(conv.extents[loop]);
    resultExprs.push_back(loopOf[loop]);
  }
  groups.push_back({int64_t(shape.size()), int64_t(shape.size()) + 1});
  shape.append({panels, width});
  resultExprs.append({panel, lane});
  Value init =
      linalg::FillOp::create(
          builder, loc, fill.getInputs()[0],
          tensor::EmptyOp::create(builder, loc, shape, element).getResult())
          .getResult(0);

  SmallVector<AffineMap> newMaps(3);
  newMaps[conv.input] = mapOf(inputExprs);
  newMaps[conv.filter] = mapOf(packedExprs);
  newMaps[2] = mapOf(resultExprs);
  SmallVector<Value> inputs(2);
  inputs[conv.input] = input;
  inputs[conv.filter] = packed;
  auto packedConv = linalg::GenericOp::create(builder, loc, init.getType(),
                                              inputs, init, newMaps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&packedConv.getRegion(), mapping);
  Value result = tensor::CollapseShapeOp::create(
      builder, loc, packedConv.getResult(0), groups);

  // Back to the order of the op's result.
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<AffineExpr> place(op.getNumLoops());
  for (auto [i, expr] : llvm::enumerate(maps[2].getResults()))
    place[cast<AffineDimExpr>(expr).getPosition()] =
        builder.getAffineDimExpr(i);
  SmallVector<AffineExpr> order;
  for (int loop : conv.pixels)
    order.push_back(place[loop]);
  order.push_back(place[conv.feature]);
  auto map = AffineMap::get(type.getRank(), 0, order, context);
  if (!map.isIdentity())
    result = copyOf(builder, loc, result, map, type.getShape());
  op->getResult(0).replaceAllUsesWith(result);
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
        pack(conv, vectors * lanes);
    }
  }

  CpuTarget cpu;
};
} // namespace
