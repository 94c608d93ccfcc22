//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardPosition.h"

#include "ModelUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

ShardDigits shardir::shardDigits(OpBuilder &builder, Location loc,
                                 const Localizer &localizer,
                                 const Localizer::Global &global) {
  ShardDigits result(global.type.getRank());
  if (!global.placement)
    return result;
  const Mesh &mesh = localizer.meshOf(global.placement);
  // Over axes of size 1 a dim is unsharded.
  auto cuts = [&](const AxisRef &axis) { return axisSize(mesh, axis) != 1; };
  for (int64_t dim = 0; dim < global.type.getRank(); ++dim)
    if (llvm::any_of(global.placement.getValue().axesOf(dim), cuts))
      result[dim] = localizer.digits(
          builder, loc, {global.type, global.placement, {}, global.extents},
          dim);
  return result;
}

/// The local index of global index `index` along a dim of these digits, and
/// a flag that tells if it is within the shard.
static std::pair<Value, Value>
localIndex(OpBuilder &builder, Location loc,
           ArrayRef<Localizer::DigitValue> digits, Value index) {
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, v);
  };
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(builder, loc, v);
  };
  // From the minor digit on: an index below 0 is a large number here, whose
  // major digit is outside of every shard.
  Value local, isHere, rest = index;
  Value weight;
  for (size_t i = digits.size(); i-- > 0;) {
    const Localizer::DigitValue &digit = digits[i];
    Value own = rest;
    if (i > 0) {
      Value size = value(digit.size);
      // Of nothing there is no index; keep the division defined.
      if (!getConstantIntValue(digit.size))
        size = arith::MaxUIOp::create(builder, loc, size, constant(1));
      own = arith::RemUIOp::create(builder, loc, rest, size);
      rest = arith::DivUIOp::create(builder, loc, rest, size);
    }
    if (!isConstantIntValue(digit.offset, 0))
      own = arith::SubIOp::create(builder, loc, own, value(digit.offset));
    Value length = value(digit.length);
    Value within = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, own, length);
    isHere =
        isHere ? arith::AndIOp::create(builder, loc, isHere, within) : within;
    Value term =
        weight ? arith::MulIOp::create(builder, loc, own, weight).getResult()
               : own;
    local = local ? arith::AddIOp::create(builder, loc, local, term) : term;
    weight =
        weight ? arith::MulIOp::create(builder, loc, weight, length).getResult()
               : length;
  }
  return {local, isHere};
}

ElementPosition
shardir::localPosition(OpBuilder &builder, Location loc,
                       ArrayRef<SmallVector<Localizer::DigitValue>> digits,
                       ValueRange indices) {
  ElementPosition position;
  position.indices.assign(indices.begin(), indices.end());
  SmallVector<size_t> split;
  for (auto [dim, own] : llvm::enumerate(digits)) {
    if (own.empty())
      continue;
    auto [local, within] = localIndex(builder, loc, own, indices[dim]);
    position.indices[dim] = local;
    position.isHere =
        position.isHere
            ? arith::AndIOp::create(builder, loc, position.isHere, within)
                  .getResult()
            : within;
    split.push_back(dim);
  }
  if (split.empty())
    return position;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (size_t dim : split)
    position.indices[dim] = arith::SelectOp::create(
        builder, loc, position.isHere, position.indices[dim], zero);
  return position;
}
