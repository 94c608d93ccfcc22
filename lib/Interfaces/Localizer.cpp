//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic from the rank to what a device holds. Everything is emitted as
// arith on `shardir.axis_index`, folded where it does not depend on the rank.
// Requires a concrete mesh and verified placements.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

#include "ShardIR/Interfaces/LocalizableOpInterface.cpp.inc"

Localizer::Global Localizer::global(Value value) const {
  auto it = globals.find(value);
  if (it != globals.end())
    return it->second;
  return {dyn_cast<RankedTensorType>(value.getType()), {}};
}

RankedTensorType Localizer::localType(RankedTensorType type,
                                      PlacementAttr placement,
                                      const Halo &halo) const {
  if (!placement)
    return type;
  const Mesh &mesh = meshOf(placement);
  SmallVector<int64_t> shape(type.getShape());
  std::vector<int64_t> fullExtent = shapeOf(type);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    bool hasWindow = dim < halo.size() && halo[dim].isWindow();
    if (placement.getValue().dims[dim].splits.empty() && !hasWindow)
      continue;
    std::optional<int64_t> extent = uniformLocalExtent(
        placement.getValue(), halo, mesh, fullExtent[dim], dim);
    shape[dim] = extent ? *extent : ShapedType::kDynamic;
  }
  return RankedTensorType::get(shape, type.getElementType());
}

RankedTensorType Localizer::localType(Value globalValue) const {
  Global g = global(globalValue);
  return localType(g.type, g.placement, g.halo);
}

Value Localizer::axisIndex(OpBuilder &builder, Location loc, const Mesh &mesh,
                           const AxisRef &axis) const {
  Value index = AxisIndexOp::create(
      builder, loc, builder.getIndexType(),
      FlatSymbolRefAttr::get(builder.getContext(), mesh.name),
      builder.getStringAttr(axis.name));
  if (axis.isWhole())
    return index;
  // The axis is [pre, size, rest]; the sub-axis is the middle digit.
  int64_t fullExtent = mesh.axes[mesh.axisIndex(axis.name)].assumedSize();
  int64_t rest = fullExtent / (axis.preSize * axis.size);
  auto constant = [&](int64_t v) {
    return arith::ConstantIndexOp::create(builder, loc, v);
  };
  if (rest > 1)
    index = arith::DivUIOp::create(builder, loc, index, constant(rest));
  if (axis.preSize > 1)
    index = arith::RemUIOp::create(builder, loc, index, constant(axis.size));
  return index;
}

Value Localizer::isFirst(OpBuilder &builder, Location loc, const Mesh &mesh,
                         ArrayRef<AxisRef> axes) const {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value all;
  for (const AxisRef &axis : axes) {
    Value first =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              axisIndex(builder, loc, mesh, axis), zero);
    all = all ? arith::AndIOp::create(builder, loc, all, first).getResult()
              : first;
  }
  if (!all)
    all = arith::ConstantIntOp::create(builder, loc, 1, 1);
  return all;
}

/// The extent of the one digit that takes what the others leave of `global`,
/// which they divide (P4).
static OpFoldResult openDigit(OpBuilder &builder, Location loc,
                              Value fullExtent,
                              ArrayRef<SymbolicDigit> digits) {
  assert(fullExtent && "an unknown extent needs the global tensor's");
  int64_t others = 1;
  for (const SymbolicDigit &digit : digits)
    if (digit.extent != kUnknown)
      others *= digit.extent;
  return IndexMath(builder, loc).div(fullExtent, others);
}

SmallVector<Localizer::DigitValue>
Localizer::digits(OpBuilder &builder, Location loc, const Mesh &mesh,
                  const Placement &placement, int64_t extent, int64_t dim,
                  Value globalExtent) const {
  SmallVector<DigitValue> result;
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, v);
  };
  std::vector<SymbolicDigit> all = symbolicDigits(placement, mesh, extent, dim);
  for (const SymbolicDigit &digit : all) {
    OpFoldResult zero = builder.getIndexAttr(0);
    OpFoldResult size = digit.extent == kUnknown
                            ? openDigit(builder, loc, globalExtent, all)
                            : OpFoldResult(builder.getIndexAttr(digit.extent));
    OpFoldResult length = size;
    if (digit.axes.empty()) {
      result.push_back({digit.extent, zero, length, size});
      continue;
    }
    // Each axis cuts the block that is there into n blocks of ceil(length/n).
    // While all devices agree on the length it is a number, so that an even
    // split costs one multiplication.
    Value offset;
    for (const AxisRef &axis : digit.axes) {
      int64_t n = axisSize(mesh, axis);
      Value index = axisIndex(builder, loc, mesh, axis);
      std::optional<int64_t> known = getConstantIntValue(length);
      if (known && *known % n == 0) {
        int64_t block = *known / n;
        Value start =
            arith::MulIOp::create(builder, loc, index, constant(block));
        offset =
            offset
                ? arith::AddIOp::create(builder, loc, offset, start).getResult()
                : start;
        length = builder.getIndexAttr(block);
        continue;
      }
      Value fullExtent = getValueOrCreateConstantIndexOp(builder, loc, length);
      Value block;
      if (known)
        block = constant(llvm::divideCeil(*known, n));
      else
        block = arith::DivUIOp::create(
            builder, loc,
            arith::AddIOp::create(builder, loc, fullExtent, constant(n - 1)),
            constant(n));
      Value start = arith::MinUIOp::create(
          builder, loc, arith::MulIOp::create(builder, loc, index, block),
          fullExtent);
      Value rest = arith::SubIOp::create(builder, loc, fullExtent, start);
      length = arith::MinUIOp::create(builder, loc, rest, block).getResult();
      offset =
          offset
              ? arith::AddIOp::create(builder, loc, offset, start).getResult()
              : start;
    }
    result.push_back({digit.extent, offset, length, size});
  }
  return result;
}

bool Localizer::isCut(const Global &global, int64_t dim) const {
  if (!global.placement)
    return false;
  return !global.placement.getValue().axesOf(dim).empty() ||
         (size_t(dim) < global.halo.size() && !global.halo[dim].isZero());
}

OpFoldResult Localizer::globalExtent(OpBuilder &builder, Location loc,
                                     const Global &global, int64_t dim,
                                     Value local) const {
  if (!global.type.isDynamicDim(dim))
    return builder.getIndexAttr(global.type.getDimSize(dim));
  if (size_t(dim) < global.extents.size() && global.extents[dim])
    return global.extents[dim];
  assert(local && "an unknown extent needs a local value");
  return tensor::DimOp::create(builder, loc, local, dim).getResult();
}

OpFoldResult Localizer::localExtent(OpBuilder &builder, Location loc,
                                    Global global, int64_t dim,
                                    Value local) const {
  int64_t fullExtent = shapeOf(global.type)[dim];
  if (!isCut(global, dim))
    return globalExtent(builder, loc, global, dim, local);
  const Mesh &mesh = meshOf(global.placement);
  const Placement &placement = global.placement.getValue();
  if (auto uniform =
          uniformLocalExtent(placement, global.halo, mesh, fullExtent, dim))
    return builder.getIndexAttr(*uniform);
  int64_t kept = 1;
  OpFoldResult varying;
  for (const DigitValue &digit : digits(builder, loc, global, dim)) {
    if (auto known = getConstantIntValue(digit.length))
      kept *= *known;
    else
      varying = digit.length;
  }
  if (!varying)
    return builder.getIndexAttr(kept);
  if (kept == 1)
    return varying;
  return arith::MulIOp::create(
             builder, loc, cast<Value>(varying),
             arith::ConstantIndexOp::create(builder, loc, kept))
      .getResult();
}

SmallVector<Value> Localizer::dynamicSizes(OpBuilder &builder, Location loc,
                                           Global global, Value local) const {
  SmallVector<Value> sizes;
  RankedTensorType type = localType(global.type, global.placement, global.halo);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(getValueOrCreateConstantIndexOp(
          builder, loc, localExtent(builder, loc, global, dim, local)));
  return sizes;
}

/// The range that a block of a dim reads, where `digits` are the block's and
/// the dim has `size` elements (Placement/Halo.h). All numbers are signed: a
/// window may start below the dim and end above it.
static Localizer::DigitValue withHalo(OpBuilder &builder, Location loc,
                                      ArrayRef<Localizer::DigitValue> digits,
                                      const DimHalo &halo, int64_t size,
                                      OpFoldResult fullExtent, Value shift) {
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(builder, loc, v);
  };
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, v);
  };
  // The digits below the one that is cut are complete: a unit of the block.
  int64_t unit = 1;
  for (const Localizer::DigitValue &digit : digits.drop_front())
    unit *= digit.extent;
  int64_t extent = digits.front().extent;
  auto offset = getConstantIntValue(digits.front().offset);
  auto length = getConstantIntValue(digits.front().length);
  if (size == 0 || extent == 0 || length == 0)
    return {size, builder.getIndexAttr(0), builder.getIndexAttr(0), fullExtent};
  if (offset && length && size != kUnknown && !halo.isOpen) {
    auto [begin, end] =
        halo.rows(*offset * unit, (*offset + *length) * unit, size);
    return {size, builder.getIndexAttr(begin),
            builder.getIndexAttr(end - begin), fullExtent};
  }
  auto times = [&](Value v, int64_t factor) -> Value {
    if (factor == 1)
      return v;
    return arith::MulIOp::create(builder, loc, v, constant(factor));
  };
  auto plus = [&](Value v, int64_t term) -> Value {
    if (term == 0)
      return v;
    return arith::AddIOp::create(builder, loc, v, constant(term));
  };
  // Halos may be larger than any dim; windows are not.
  auto plusReach = [&](Value v, int64_t reach, bool isDown) -> Value {
    if (!halo.isWindow() && size == kUnknown && reach != 0) {
      Value bound = arith::MinUIOp::create(builder, loc, constant(reach),
                                           value(fullExtent));
      return isDown ? arith::SubIOp::create(builder, loc, v, bound).getResult()
                    : arith::AddIOp::create(builder, loc, v, bound).getResult();
    }
    if (!halo.isWindow() && size != kUnknown)
      reach = std::min(reach, size);
    return plus(v, isDown ? -reach : reach);
  };
  // ceil(v / dilation) + shift, where v + shift * dilation is not negative.
  auto divided = [&](Value v, int64_t up) -> Value {
    if (halo.dilation == 1)
      return plus(v, up);
    int64_t shift = llvm::divideCeil(
        std::abs(halo.low) + std::abs(halo.high) + halo.stride, halo.dilation);
    Value positive = plus(v, shift * halo.dilation + up);
    Value quotient =
        arith::DivUIOp::create(builder, loc, positive, constant(halo.dilation));
    return plus(quotient, -shift);
  };
  auto clamp = [&](Value v, Value low) -> Value {
    Value atLeast = arith::MaxSIOp::create(builder, loc, v, low);
    return arith::MinSIOp::create(builder, loc, atLeast, value(fullExtent));
  };
  // For any position of an open window: an index below the dim is clamped
  // before it is divided.
  auto openEnds = [&](Value start, Value stop) -> std::pair<Value, Value> {
    IndexMath math(builder, loc);
    auto moved = [&](Value v, int64_t reach) {
      return math.add(math.add(v, shift), math.constant(reach));
    };
    OpFoldResult first =
        math.max(moved(times(start, halo.stride), -halo.low), math.constant(0));
    OpFoldResult last = moved(times(plus(stop, -1), halo.stride), halo.high);
    OpFoldResult next = math.add(math.max(last, math.constant(-1)),
                                 math.constant(halo.dilation));
    return {math.value(math.ceilDiv(first, halo.dilation)),
            math.value(math.div(next, halo.dilation))};
  };
  Value start = times(value(digits.front().offset), unit);
  Value count = times(value(digits.front().length), unit);
  Value stop = arith::AddIOp::create(builder, loc, start, count);
  Value first, next; // what follows the last element that is read
  if (halo.isOpen) {
    std::tie(first, next) = openEnds(start, stop);
  } else {
    first =
        divided(plusReach(times(start, halo.stride), halo.low, /*isDown=*/true),
                halo.dilation - 1);
    if (halo.stride == 1 && halo.dilation == 1) {
      next = plusReach(stop, halo.high, /*isDown=*/false);
    } else {
      Value last = plus(times(plus(stop, -1), halo.stride), halo.high);
      next = plus(divided(last, 0), 1);
    }
  }
  Value begin = clamp(first, constant(0));
  Value end = clamp(next, begin);
  Value wide = arith::SubIOp::create(builder, loc, end, begin);
  if (length)
    return {size, begin, wide, fullExtent};
  Value zero = constant(0);
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        count, zero);
  return {
      size, begin,
      arith::SelectOp::create(builder, loc, isEmpty, zero, wide).getResult(),
      fullExtent};
}

SmallVector<Localizer::DigitValue> Localizer::digits(OpBuilder &builder,
                                                     Location loc,
                                                     const Global &global,
                                                     int64_t dim) const {
  int64_t size = shapeOf(global.type)[dim];
  OpFoldResult fullExtent = globalExtent(builder, loc, global, dim);
  if (!global.placement)
    return {{size, builder.getIndexAttr(0), fullExtent, fullExtent}};
  const Mesh &mesh = meshOf(global.placement);
  const Placement &placement = global.placement.getValue();
  DimHalo halo =
      size_t(dim) < global.halo.size() ? global.halo[dim] : DimHalo();
  int64_t extent = halo.isWindow() ? halo.extent : size;
  Value blocks = dyn_cast<Value>(fullExtent), shift;
  if (halo.isOpen) {
    size_t before = 0;
    for (int64_t d = 0; d < dim; ++d)
      before += global.halo[d].isOpen ? 2 : 0;
    extent = kUnknown;
    blocks = global.windows[before];
    shift = global.windows[before + 1];
    // Known ones are numbers, as they were attributes.
    if (auto known = getConstantIntValue(blocks))
      extent = *known;
  }
  auto own = digits(builder, loc, mesh, placement, extent, dim, blocks);
  if (halo.isZero())
    return own;
  return {withHalo(builder, loc, own, halo, size, fullExtent, shift)};
}

Value Localizer::globalIndex(OpBuilder &builder, Location loc,
                             ArrayRef<DigitValue> digits, Value local) const {
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(builder, loc, v);
  };
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, v);
  };
  auto addOffset = [&](Value index, OpFoldResult offset) -> Value {
    if (isConstantIntValue(offset, 0))
      return index;
    return arith::AddIOp::create(builder, loc, index, value(offset));
  };
  if (digits.size() == 1)
    return addOffset(local, digits[0].offset);
  // Peel the local index's digits from the minor end and rebuild the global
  // tensor's index with each digit's own weight.
  Value result, rest = local;
  OpFoldResult weight = builder.getIndexAttr(1);
  for (size_t i = digits.size(); i-- > 0;) {
    const DigitValue &digit = digits[i];
    Value own = rest;
    if (isConstantIntValue(digit.length, 1)) {
      own = constant(0);
    } else if (i > 0) {
      Value length = value(digit.length);
      // An empty shard has no index to ask for; keep the division defined.
      if (!getConstantIntValue(digit.length))
        length = arith::MaxUIOp::create(builder, loc, length, constant(1));
      own = arith::RemUIOp::create(builder, loc, rest, length);
      rest = arith::DivUIOp::create(builder, loc, rest, length);
    }
    Value term = addOffset(own, digit.offset);
    if (!isConstantIntValue(weight, 1))
      term = arith::MulIOp::create(builder, loc, term, value(weight));
    result = result
                 ? arith::AddIOp::create(builder, loc, result, term).getResult()
                 : term;
    weight = IndexMath(builder, loc).mul(weight, digit.size);
  }
  return result;
}
