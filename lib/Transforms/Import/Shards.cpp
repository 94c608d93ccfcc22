//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each dim of a shard is a list of runs, one unless integers cut the dim (P4);
// a block is a run of each dim. See Shards.h.
//
//===----------------------------------------------------------------------===//

#include "Shards.h"

#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Interfaces/Localizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

Shards::DimRuns Shards::runsOf(const GlobalTensor &global,
                               const Placement &placement, const Mesh &mesh,
                               int64_t position, size_t dim) {
  // Digits are computed from the rank; here the rank is known.
  auto last = builder.getInsertionPoint();
  Operation *before =
      last == builder.getBlock()->begin() ? nullptr : &*std::prev(last);
  int64_t extent =
      global.type.isDynamicDim(dim) ? kUnknown : global.type.getDimSize(dim);
  SmallVector<Localizer::DigitValue> digits;
  if (extent == kUnknown) {
    Value known = IndexMath(builder, loc).value(global.extents[dim]);
    digits = Localizer(meshes).digits(builder, loc, mesh, placement, extent,
                                      dim, known);
    std::vector<int64_t> coordinates = mesh.coordinates(position);
    auto first = before ? std::next(Block::iterator(before))
                        : builder.getBlock()->begin();
    SmallVector<AxisIndexOp> indices;
    for (auto it = first; it != builder.getInsertionPoint(); ++it)
      if (auto index = dyn_cast<AxisIndexOp>(&*it))
        indices.push_back(index);
    for (AxisIndexOp index : indices) {
      OpBuilder there(index);
      int64_t own = coordinates[mesh.axisIndex(index.getAxis().str())];
      index.replaceAllUsesWith(
          arith::ConstantIndexOp::create(there, loc, own).getResult());
      index.erase();
    }
  } else {
    std::vector<int64_t> shape(placement.dims.size(), 1);
    shape[dim] = extent;
    Placement alone = Placement::replicatedOfRank(placement.dims.size());
    alone.dims[dim] = placement.dims[dim];
    std::vector<DimShard> shard = shardOf(alone, mesh, shape, position);
    for (const Digit &digit : shard[dim].digits)
      digits.push_back({digit.extent, builder.getIndexAttr(digit.offset),
                        builder.getIndexAttr(digit.length),
                        builder.getIndexAttr(digit.extent)});
  }

  IndexMath math(builder, loc);
  auto isAll = [](const Localizer::DigitValue &digit) {
    return isConstantIntValue(digit.offset, 0) && digit.length == digit.size;
  };
  // Whole digits at the end are the unit in which the one before them counts.
  size_t counted = digits.size();
  OpFoldResult unit = math.constant(1);
  while (counted > 1 && isAll(digits[counted - 1]))
    unit = math.mul(unit, digits[--counted].size);
  const Localizer::DigitValue &minor = digits[counted - 1];
  // Those before have a known number of positions each (P4).
  struct Start {
    OpFoldResult offset, local;
  };
  SmallVector<Start> starts = {{math.constant(0), math.constant(0)}};
  for (const Localizer::DigitValue &digit :
       ArrayRef(digits).take_front(counted - 1)) {
    SmallVector<Start> next;
    int64_t length = *getConstantIntValue(digit.length);
    for (const Start &start : starts)
      for (int64_t i = 0; i < length; ++i)
        next.push_back(
            {math.add(math.mul(start.offset, digit.size),
                      math.add(digit.offset, math.constant(i))),
             math.add(math.mul(start.local, digit.length), math.constant(i))});
    starts = std::move(next);
  }
  DimRuns result;
  OpFoldResult length = math.mul(minor.length, unit);
  for (const Start &start : starts)
    result.runs.push_back(
        {math.mul(math.add(math.mul(start.offset, minor.size), minor.offset),
                  unit),
         math.mul(start.local, length), length});
  result.extent = math.mul(length, int64_t(starts.size()));
  return result;
}

void Shards::forEachBlock(
    ArrayRef<DimRuns> dims,
    llvm::function_ref<void(ArrayRef<OpFoldResult>, ArrayRef<OpFoldResult>,
                            ArrayRef<OpFoldResult>)>
        visit) {
  SmallVector<OpFoldResult> offsets(dims.size()), locals(dims.size()),
      sizes(dims.size());
  std::function<void(size_t)> choose = [&](size_t dim) {
    if (dim == dims.size())
      return visit(offsets, locals, sizes);
    for (const Run &run : dims[dim].runs) {
      // Upstream's slices take no offset into a dim of extent 0.
      if (isConstantIntValue(run.length, 0))
        continue;
      offsets[dim] = run.offset;
      locals[dim] = run.local;
      sizes[dim] = run.length;
      choose(dim + 1);
    }
  };
  choose(0);
}

Value Shards::cast(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

Value Shards::empty(const GlobalTensor &global) {
  return cast(tensor::EmptyOp::create(builder, loc, global.extents,
                                      global.type.getElementType()),
              global.type);
}

Value Shards::cut(Value value, const GlobalTensor &global,
                  const Placement &placement, const Mesh &mesh,
                  int64_t position, RankedTensorType type) {
  SmallVector<DimRuns> dims;
  SmallVector<OpFoldResult> extents;
  for (size_t dim = 0; dim < placement.dims.size(); ++dim) {
    dims.push_back(runsOf(global, placement, mesh, position, dim));
    extents.push_back(dims.back().extent);
  }
  if (extents == global.extents)
    return cast(value, type);
  SmallVector<OpFoldResult> ones(dims.size(), builder.getIndexAttr(1));
  bool isOne = llvm::all_of(
      dims, [](const DimRuns &dim) { return dim.runs.size() == 1; });
  Value shard;
  forEachBlock(dims, [&](ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> locals,
                         ArrayRef<OpFoldResult> sizes) {
    Value block = tensor::ExtractSliceOp::create(builder, loc, value, offsets,
                                                 sizes, ones);
    if (isOne) {
      shard = block;
      return;
    }
    if (!shard)
      shard =
          tensor::EmptyOp::create(builder, loc, extents, type.getElementType());
    shard = tensor::InsertSliceOp::create(builder, loc, block, shard, locals,
                                          sizes, ones);
  });
  if (!shard)
    shard =
        tensor::EmptyOp::create(builder, loc, extents, type.getElementType());
  return cast(shard, type);
}

Value Shards::put(Value shard, Value value, const GlobalTensor &global,
                  const Placement &placement, const Mesh &mesh,
                  int64_t position) {
  SmallVector<DimRuns> dims;
  for (size_t dim = 0; dim < placement.dims.size(); ++dim)
    dims.push_back(runsOf(global, placement, mesh, position, dim));
  SmallVector<OpFoldResult> ones(dims.size(), builder.getIndexAttr(1));
  forEachBlock(dims, [&](ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> locals,
                         ArrayRef<OpFoldResult> sizes) {
    Value block = tensor::ExtractSliceOp::create(builder, loc, shard, locals,
                                                 sizes, ones);
    value = tensor::InsertSliceOp::create(builder, loc, block, value, offsets,
                                          sizes, ones);
  });
  return value;
}

static Value combineScalars(OpBuilder &b, Location loc, PartialKind kind,
                            Value x, Value y) {
  Type type = x.getType();
  bool isFloat = isa<FloatType>(type), isBit = type.isInteger(1);
  switch (kind) {
  case PartialKind::Sum:
    if (isa<ComplexType>(type))
      return complex::AddOp::create(b, loc, x, y);
    if (isFloat)
      return arith::AddFOp::create(b, loc, x, y);
    return isBit ? arith::XOrIOp::create(b, loc, x, y).getResult()
                 : arith::AddIOp::create(b, loc, x, y).getResult();
  case PartialKind::Prod:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                   : arith::MulIOp::create(b, loc, x, y).getResult();
  case PartialKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, loc, x, y).getResult()
                   : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case PartialKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, loc, x, y).getResult()
                   : arith::MinSIOp::create(b, loc, x, y).getResult();
  case PartialKind::MaxNum:
    return arith::MaxNumFOp::create(b, loc, x, y);
  case PartialKind::MinNum:
    return arith::MinNumFOp::create(b, loc, x, y);
  case PartialKind::UMax:
    return arith::MaxUIOp::create(b, loc, x, y);
  case PartialKind::UMin:
    return arith::MinUIOp::create(b, loc, x, y);
  case PartialKind::And:
    return arith::AndIOp::create(b, loc, x, y);
  case PartialKind::Or:
    return arith::OrIOp::create(b, loc, x, y);
  case PartialKind::Xor:
    return arith::XOrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("all kinds are listed");
}

Value Shards::combine(PartialKind kind, Value a, Value b) {
  auto type = ::mlir::cast<RankedTensorType>(a.getType());
  Value out = tensor::EmptyOp::create(builder, loc,
                                      tensor::getMixedSizes(builder, loc, a),
                                      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Value result =
      linalg::GenericOp::create(
          builder, loc, out.getType(), ValueRange{a, b}, out,
          SmallVector<AffineMap>(3, identity), loops,
          [&](OpBuilder &inner, Location at, ValueRange numbers) {
            linalg::YieldOp::create(
                inner, at,
                combineScalars(inner, at, kind, numbers[0], numbers[1]));
          })
          .getResult(0);
  return cast(result, type);
}
