//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pad and concat: elements around a tensor, and beside it. A dim that is not
// padded or joined passes through; one that is reads each operand through a
// window, with the result's blocks: an operand's elements are those of the
// result at an offset.
//
// Requires operands that hold what the result's block reads (haloOf);
// guarantees that pads are at the borders of the global tensor alone, for short
// and empty blocks and overlapping results too.
//
//===----------------------------------------------------------------------===//

#include "LocalSlices.h"
#include "ModelUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// Of an operand whose elements are in the result from `place` on, the part
/// that belongs to the block `own` of the result: where it starts in what the
/// device has of the operand, its length, and the length of the block before
/// it.
namespace {
struct PlacedPart {
  OpFoldResult start, length, before;
};
} // namespace

static PlacedPart partOf(IndexMath &math, const HeldRange &own,
                         OpFoldResult place, OpFoldResult size,
                         const HeldRange &held) {
  OpFoldResult zero = math.constant(0);
  OpFoldResult from = math.sub(own.offset, place);
  OpFoldResult first = math.clamp(from, zero, size);
  OpFoldResult last = math.clamp(math.add(from, own.length), zero, size);
  OpFoldResult start = math.sub(first, held.offset);
  OpFoldResult length = math.sub(last, first);
  // Where nothing is taken any start will do that is inside.
  if (getConstantIntValue(length).value_or(0) == 0)
    start = math.clamp(start, zero, held.length);
  OpFoldResult before =
      math.clamp(math.sub(place, own.offset), zero, own.length);
  return {start, length, before};
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// The window through which a padded dim reads the operand's; nothing where it
/// is not padded, or by numbers that are out of range. Where an amount or an
/// extent is known at run time alone it is an open one.
static std::optional<Window> padWindow(tensor::PadOp op, int64_t dim) {
  OpFoldResult lowPad = op.getMixedLowPad()[dim];
  OpFoldResult highPad = op.getMixedHighPad()[dim];
  std::optional<int64_t> low = getConstantIntValue(lowPad);
  std::optional<int64_t> high = getConstantIntValue(highPad);
  auto isBad = [](std::optional<int64_t> pad) {
    return pad && (*pad < 0 || *pad > kMaxWindow);
  };
  int64_t extent = op.getResultType().getDimSize(dim);
  if ((low == 0 && high == 0) || isBad(low) || isBad(high) ||
      (!ShapedType::isDynamic(extent) && extent > kMaxWindow))
    return std::nullopt;
  int64_t size = shapeOf(op.getSourceType())[dim];
  if (low && high && size != kUnknown && !ShapedType::isDynamic(extent))
    return Window{size, *low, -*low, 1, 1};
  Window window{size};
  Window::Open &open = window.open.emplace();
  open.extent.addDim(op, 0, dim);
  open.extent.add(lowPad, op, 1, 0);
  open.extent.add(highPad, op, 1, 0);
  open.shift.add(lowPad, op, -1, 0);
  return window;
}

static ShardingRule padRule(tensor::PadOp op) {
  ShardingRule rule = replicatedRule(op);
  Block &body = op.getRegion().front();
  for (auto [dim, low, high] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad())) {
    if (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0)) {
      if (auto window = padWindow(op, dim)) {
        int factor = rule.addFactor(shapeOf(op.getResultType())[dim]);
        rule.operands[0].readThrough(dim, factor, *window);
        rule.results[0].dims[dim] = {factor};
      }
      continue;
    }
    int64_t extent = commonExtent(op.getSourceType().getDimSize(dim),
                                  op.getResultType().getDimSize(dim));
    int factor = rule.addFactor(extent);
    rule.operands[0].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  // All devices pad with the same value: it counts as many times.
  for (const PartialKindInfo &info : kPartialKinds)
    if (info.idempotent)
      rule.partials.push_back({info.kind, {0}});
  Value padding = cast<tensor::YieldOp>(body.getTerminator()).getValue();
  if (matchPattern(padding, m_AnyZeroFloat()) ||
      matchPattern(padding, m_Zero()))
    for (PartialKind kind : {PartialKind::Sum, PartialKind::Xor})
      rule.partials.push_back({kind, {0}});
  if (matchPattern(padding, m_OneFloat()) || matchPattern(padding, m_One()))
    rule.partials.push_back({PartialKind::Prod, {0}});
  rule.takesResultHalo = true;
  return rule;
}

static LocalValues localizePad(tensor::PadOp op, OpBuilder &builder,
                               Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  Localizer::Global source = localizer.global(op.getSource());
  Localizer::Global result = localizer.global(op.getResult());
  RankedTensorType resultType = localizer.localType(op.getResult());
  // The operands follow in the op's order: the low pads, then the high ones.
  unsigned next = 1;
  auto mixed = [&](ArrayRef<int64_t> statics) {
    SmallVector<OpFoldResult> pads;
    for (int64_t value : statics) {
      OpFoldResult pad = ShapedType::isDynamic(value)
                             ? OpFoldResult(operands[next++])
                             : builder.getIndexAttr(value);
      auto known = getConstantIntValue(pad);
      pads.push_back(known ? builder.getIndexAttr(*known) : pad);
    }
    return pads;
  };
  SmallVector<OpFoldResult> low = mixed(op.getStaticLow());
  SmallVector<OpFoldResult> high = mixed(op.getStaticHigh());
  SmallVector<OpFoldResult> starts, sizes;
  for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
    // A dim of unknown extent that no device cuts is padded as it is.
    if (!padWindow(op, dim) ||
        (result.type.isDynamicDim(dim) && !localizer.isCut(result, dim) &&
         !localizer.isCut(source, dim))) {
      starts.push_back(math.constant(0));
      sizes.push_back(localDim(builder, loc, operands[0], dim));
      continue;
    }
    OpFoldResult size =
        localizer.globalExtent(builder, loc, source, dim, operands[0]);
    HeldRange own = rangeOf(builder, loc, localizer, result, dim,
                            math.add(math.add(low[dim], size), high[dim]));
    HeldRange held = rangeOf(builder, loc, localizer, source, dim, size);
    PlacedPart part = partOf(math, own, low[dim], size, held);
    starts.push_back(part.start);
    sizes.push_back(part.length);
    low[dim] = part.before;
    high[dim] = math.sub(math.sub(own.length, part.before), part.length);
  }
  Value piece = extractRange(builder, loc, operands[0], starts, sizes);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
    auto below = getConstantIntValue(low[dim]);
    auto above = getConstantIntValue(high[dim]);
    auto size = getConstantIntValue(sizes[dim]);
    shape.push_back(below && above && size ? *below + *size + *above
                                           : ShapedType::kDynamic);
  }
  auto local = tensor::PadOp::create(
      builder, loc, RankedTensorType::get(shape, resultType.getElementType()),
      piece, low, high);
  // A body that reads indices reads global ones (R9).
  SmallVector<SmallVector<Localizer::DigitValue>> digits;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(local);
    for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
      OpFoldResult zero = builder.getIndexAttr(0);
      if (result.type.isDynamicDim(dim) && !localizer.isCut(result, dim))
        digits.push_back({{kUnknown, zero, zero, zero}});
      else
        digits.push_back(localizer.digits(builder, loc, result, dim));
    }
    cloneIndexedBody(builder, localizer, op.getRegion(), local.getRegion(),
                     digits, {});
  }
  builder.setInsertionPointAfter(local);
  return SmallVector<Value>{
      castTo(builder, loc, local.getResult(), resultType)};
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

/// The windows through which the dim that is joined reads the operands'; none
/// where numbers are out of range. Where an extent is known at run time alone
/// they are open.
static SmallVector<Window> joinedWindows(tensor::ConcatOp op) {
  int64_t dim = op.getDim();
  auto extentOf = [&](Type type) {
    return shapeOf(cast<RankedTensorType>(type))[dim];
  };
  int64_t extent = extentOf(op.getResult().getType()), place = 0;
  bool isKnown = extent != kUnknown;
  SmallVector<Window> windows;
  RunTimeNumber global, before;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    global.addDim(op, i, dim);
  for (auto [i, type] : llvm::enumerate(op.getInputs().getTypes())) {
    int64_t size = extentOf(type);
    isKnown &= size != kUnknown;
    if (extent > kMaxWindow || size > kMaxWindow)
      return {};
    windows.push_back({size});
    windows.back().open = {global, before};
    before.addDim(op, i, dim, -1);
  }
  for (Window &window : windows) {
    if (!isKnown)
      break;
    window = {window.size, place, -place, 1, 1};
    place += window.size;
  }
  return windows;
}

/// The operand that is the result, where the others have no elements.
static std::optional<unsigned> soleOperand(tensor::ConcatOp op) {
  std::optional<unsigned> sole;
  for (auto [i, type] : llvm::enumerate(op.getInputs().getTypes())) {
    if (cast<RankedTensorType>(type).getDimSize(op.getDim()) == 0)
      continue;
    if (sole)
      return std::nullopt;
    sole = i;
  }
  return sole;
}

static ShardingRule concatRule(tensor::ConcatOp op) {
  ShardingRule rule = replicatedRule(op);
  std::optional<unsigned> sole = soleOperand(op);
  auto result = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int> all;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    int64_t extent = result.getDimSize(dim);
    if (dim == static_cast<int64_t>(op.getDim())) {
      if (sole) {
        Type type = op.getInputs()[*sole].getType();
        int factor = rule.addFactor(
            commonExtent(extent, cast<RankedTensorType>(type).getDimSize(dim)));
        rule.operands[*sole].dims[dim] = {factor};
        rule.results[0].dims[dim] = {factor};
        continue;
      }
      SmallVector<Window> windows = joinedWindows(op);
      if (windows.empty())
        continue;
      int factor = rule.addFactor(shapeOf(result)[dim]);
      for (auto [operand, window] : llvm::zip(rule.operands, windows))
        operand.readThrough(dim, factor, window);
      rule.results[0].dims[dim] = {factor};
      continue;
    }
    for (Type input : op.getInputs().getTypes())
      extent =
          commonExtent(extent, cast<RankedTensorType>(input).getDimSize(dim));
    int factor = rule.addFactor(extent);
    for (TensorFactors &operand : rule.operands)
      operand.dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    all.push_back(i);
  passAnyPartial(rule, all);
  rule.takesResultHalo = true;
  return rule;
}

static LocalValues localizeConcat(tensor::ConcatOp op, OpBuilder &builder,
                                  Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  int64_t joined = op.getDim();
  OpFoldResult place = math.constant(0);
  Localizer::Global result = localizer.global(op.getResult());
  RankedTensorType resultType = localizer.localType(op.getResult());
  if (std::optional<unsigned> sole = soleOperand(op))
    return SmallVector<Value>{
        castTo(builder, loc, operands[*sole], resultType)};
  SmallVector<Value> pieces;
  // A dim of unknown extent that no device cuts is joined as it is.
  auto isCut = [&](Value global) {
    return localizer.isCut(localizer.global(global), joined);
  };
  bool isPart = !joinedWindows(op).empty() &&
                (!result.type.isDynamicDim(joined) || isCut(op.getResult()) ||
                 llvm::any_of(op.getInputs(), isCut));
  OpFoldResult all = math.constant(0);
  for (auto [global, local] : llvm::zip(op.getInputs(), operands))
    if (isPart)
      all = math.add(all, localizer.globalExtent(builder, loc,
                                                 localizer.global(global),
                                                 joined, local));
  for (auto [global, local] : llvm::zip(op.getInputs(), operands)) {
    Value piece = local;
    if (isPart) {
      OpFoldResult size = localizer.globalExtent(
          builder, loc, localizer.global(global), joined, local);
      HeldRange own = rangeOf(builder, loc, localizer, result, joined, all);
      HeldRange held = rangeOf(builder, loc, localizer,
                               localizer.global(global), joined, size);
      PlacedPart part = partOf(math, own, place, size, held);
      SmallVector<OpFoldResult> starts, sizes;
      for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
        bool isJoined = dim == joined;
        starts.push_back(isJoined ? part.start : math.constant(0));
        sizes.push_back(isJoined ? part.length
                                 : localDim(builder, loc, local, dim));
      }
      piece = extractRange(builder, loc, local, starts, sizes);
      place = math.add(place, size);
    }
    // An operand without elements here is not joined: it would start past the
    // end.
    if (cast<RankedTensorType>(piece.getType()).getDimSize(joined) != 0 ||
        (pieces.empty() && global == op.getInputs().back()))
      pieces.push_back(piece);
  }
  if (pieces.size() == 1)
    return SmallVector<Value>{castTo(builder, loc, pieces[0], resultType)};
  Value value = tensor::ConcatOp::create(builder, loc, joined, pieces);
  return SmallVector<Value>{castTo(builder, loc, value, resultType)};
}

void shardir::attachTensorJoinModels(MLIRContext *context) {
  attachModels<tensor::PadOp, padRule, localizePad>(context);
  attachModels<tensor::ConcatOp, concatRule, localizeConcat>(context);
}
