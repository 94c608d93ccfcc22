//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that reductions over
// windows as long as the dim that they slide along, over a tensor padded so
// that each ends (or begins) with the element itself, are loops that carry the
// value so far: the number of steps is the dim's extent instead of its square.
// Front ends write cumulative sums, products and extrema as such windows.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

#include "ShardIR/Analysis/Combiners.h"
#include "ShardIR/Interfaces/PartialIdentity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace shardir {
#define GEN_PASS_DEF_WINDOWSTOSCANS
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// Shorter windows are as well read as they are.
constexpr int64_t leastExtent = 64;

struct Window {
  Value source;
  unsigned dim = 0; ///< of the source and of the result
  int64_t extent = 0;
  bool backwards = false;
  Operation *combine = nullptr;
  TypedAttr neutral;
};

/// The constant that fills `tensor`.
Attribute filledWith(Value tensor) {
  Attribute value;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_Constant(&value)) ? value
                                                                 : nullptr;
  DenseElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)) && splat.isSplat())
    return splat.getSplatValue<Attribute>();
  // A map that yields a constant, or the one element of a constant.
  auto map = tensor.getDefiningOp<linalg::GenericOp>();
  if (!map || map.getNumResults() != 1 || map.getNumReductionLoops() != 0)
    return nullptr;
  Value yielded = map.getBody()->getTerminator()->getOperand(0);
  if (matchPattern(yielded, m_Constant(&value)))
    return value;
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != map.getBody() ||
      argument.getArgNumber() >= map.getNumDpsInputs())
    return nullptr;
  Value input = map.getDpsInputs()[argument.getArgNumber()];
  if (matchPattern(input, m_Constant(&splat)) && splat.isSplat())
    return splat.getSplatValue<Attribute>();
  return matchPattern(input, m_Constant(&value)) && isa<TypedAttr>(value) &&
                 !isa<ElementsAttr>(value)
             ? value
             : nullptr;
}

std::optional<Window> matchWindow(linalg::GenericOp op) {
  auto type = op.getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                  : RankedTensorType();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (!type || !type.hasStaticShape() || reductions.size() != 1 ||
      op.getNumDpsInputs() < 1)
    return std::nullopt;
  unsigned loop = reductions[0];
  MLIRContext *context = op.getContext();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap in = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  auto pad = op.getDpsInputs()[0].getDefiningOp<tensor::PadOp>();
  if (!pad || in.getNumResults() != out.getNumResults() ||
      !out.isProjectedPermutation() || out.isFunctionOfDim(loop))
    return std::nullopt;
  // Other inputs say how large the window is.
  for (OpOperand *input : op.getDpsInputOperands())
    if (input != op.getDpsInputOperand(0) &&
        !op.getMatchingBlockArgument(input).use_empty())
      return std::nullopt;
  Window window;
  int64_t windowDim = -1;
  for (auto [dim, a, b] : llvm::enumerate(in.getResults(), out.getResults())) {
    if (a == b)
      continue;
    if (windowDim >= 0 || a != b + getAffineDimExpr(loop, context))
      return std::nullopt;
    windowDim = int64_t(dim);
  }
  if (windowDim < 0)
    return std::nullopt;
  window.dim = unsigned(windowDim);
  window.extent = type.getDimSize(window.dim);
  window.source = pad.getSource();
  if (op.getStaticLoopRanges()[loop] != window.extent ||
      window.extent < leastExtent ||
      cast<RankedTensorType>(window.source.getType()).getShape() !=
          type.getShape())
    return std::nullopt;
  for (auto [dim, low, high] :
       llvm::enumerate(pad.getStaticLow(), pad.getStaticHigh())) {
    int64_t whole = dim == window.dim ? window.extent - 1 : 0;
    if (dim == window.dim && low == 0 && high == whole)
      window.backwards = true;
    else if (low != whole || high != 0)
      return std::nullopt;
  }

  Block *body = op.getBody();
  Value element = body->getArgument(0),
        so = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  window.combine = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!window.combine || window.combine->getBlock() != body ||
      !type.getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<PartialKind> kind = combinerKind(window.combine);
  if (!kind)
    return std::nullopt;
  Value a = window.combine->getOperand(0), b = window.combine->getOperand(1);
  if (!(a == element && b == so) && !(a == so && b == element))
    return std::nullopt;
  TypedAttr neutral = partialIdentity(type.getElementType(), *kind);
  Attribute padding;
  Value padded = pad.getConstantPaddingValue();
  if (!padded || !matchPattern(padded, m_Constant(&padding)))
    return std::nullopt;
  // Zeros of either sign do.
  auto isNeutral = [&](Attribute value) {
    auto x = dyn_cast_or_null<FloatAttr>(value),
         y = dyn_cast<FloatAttr>(neutral);
    if (x && y && x.getValue().isZero() && y.getValue().isZero())
      return true;
    return value == neutral;
  };
  Attribute start = filledWith(op.getDpsInits()[0]);
  if (!start || !isNeutral(padding) || !isNeutral(start))
    return std::nullopt;
  window.neutral = cast<TypedAttr>(start);
  return window;
}

struct WindowsToScansPass
    : shardir::impl::WindowsToScansBase<WindowsToScansPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      if (std::optional<Window> window = matchWindow(op)) {
        rewriter.setInsertionPoint(op);
        rewriter.replaceOp(op, emit(rewriter, op, *window));
      }
  }

  static Value emit(RewriterBase &rewriter, linalg::GenericOp op,
                    const Window &window) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    Value start = arith::ConstantOp::create(rewriter, loc, window.neutral);
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    Value zero = index(0), one = index(1);
    SmallVector<scf::ForOp> loops;
    SmallVector<Value> at(type.getRank());
    Value tensor = empty;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim == int64_t(window.dim))
        continue;
      auto loop = scf::ForOp::create(rewriter, loc, zero,
                                     index(type.getDimSize(dim)), one, tensor);
      loops.push_back(loop);
      at[dim] = loop.getInductionVar();
      tensor = loop.getRegionIterArg(0);
      rewriter.setInsertionPointToEnd(loop.getBody());
    }
    auto scan = scf::ForOp::create(rewriter, loc, zero, index(window.extent),
                                   one, ValueRange{tensor, start});
    rewriter.setInsertionPointToEnd(scan.getBody());
    at[window.dim] = scan.getInductionVar();
    if (window.backwards)
      at[window.dim] = arith::SubIOp::create(
          rewriter, loc, index(window.extent - 1), at[window.dim]);
    Value element = tensor::ExtractOp::create(rewriter, loc, window.source, at);
    Value next =
        rewriter
            .create(loc, window.combine->getName().getIdentifier(),
                    ValueRange{scan.getRegionIterArg(1), element},
                    {type.getElementType()}, window.combine->getAttrs())
            ->getResult(0);
    Value inserted = tensor::InsertOp::create(rewriter, loc, next,
                                              scan.getRegionIterArg(0), at);
    scf::YieldOp::create(rewriter, loc, ValueRange{inserted, next});
    Value result = scan.getResult(0);
    while (!loops.empty()) {
      scf::ForOp loop = loops.pop_back_val();
      rewriter.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(rewriter, loc, result);
      result = loop.getResult(0);
    }
    rewriter.setInsertionPoint(op);
    return result;
  }
};
} // namespace
