//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective to local, the steps of redistributions. Requires steps on
// global tensors that verify; guarantees that `slice` and `make_partial` are
// plain tensor and linalg ops afterwards.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/LocalizeSteps.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/Terms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

/// The tensor that a step leads to, with all of its unknown extents, which are
/// those of its operand.
static Localizer::Global resultOf(CollectiveOpInterface step,
                                  OpBuilder &builder,
                                  const Localizer &localizer, Value input) {
  RankedTensorType type = step.getGlobalTensorType();
  Localizer::Global from = localizer.global(step.getInput());
  Localizer::Global result{type, step.getTo(), readHalo(step.getHaloAttr())};
  result.windows = localizer.global(step->getResult(0)).windows;
  result.extents.resize(type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      result.extents[dim] = cast<Value>(
          localizer.globalExtent(builder, step.getLoc(), from, dim, input));
  return result;
}

/// A collective on shards.
static Value localizeCollective(CollectiveOpInterface step, CollectiveKind kind,
                                OpBuilder &builder, Localizer &localizer,
                                Value input) {
  RankedTensorType global = step.getGlobalTensorType();
  Location loc = step.getLoc();
  Localizer::Global result = resultOf(step, builder, localizer, input);
  SmallVector<Value> dims;
  for (int64_t dim = 0; dim < global.getRank(); ++dim)
    if (global.isDynamicDim(dim))
      dims.push_back(result.extents[dim]);
  llvm::append_range(dims, result.windows);
  return createLocalStep(
      builder, loc, kind, input, step.getFrom(), step.getTo(), global,
      localizer.localType(global, step.getTo(), result.halo),
      localizer.dynamicSizes(builder, loc, result, input), dims,
      step->getAttrOfType<ReasonAttr>("reason"), step.getHaloAttr());
}

using Digits = SmallVector<Localizer::DigitValue>;

/// The digits of one dim in the operand's and in the result's shard, of equal
/// extents; nothing where the two placements cut across each other.
static std::optional<std::pair<Digits, Digits>>
alignedDigits(CollectiveOpInterface step, int64_t dim,
              const Localizer::Global &result, OpBuilder &builder,
              Localizer &localizer) {
  Location loc = step.getLoc();
  Digits from = localizer.digits(
      builder, loc, {result.type, step.getFrom(), {}, result.extents}, dim);
  Digits to = localizer.digits(builder, loc, result, dim);
  OpFoldResult zero = builder.getIndexAttr(0);
  auto isWhole = [](const Digits &digits) {
    return digits.size() == 1 && digits[0].length == digits[0].size;
  };
  auto wholeOf = [&](Digits digits) {
    for (Localizer::DigitValue &digit : digits) {
      digit.offset = zero;
      digit.length = digit.size;
    }
    return digits;
  };
  // A dim without splits is described by the digits of the other.
  if (isWhole(from))
    return std::pair(wholeOf(to), to);
  if (isWhole(to))
    return std::pair(from, wholeOf(from));
  if (llvm::equal(
          from, to,
          [](const Localizer::DigitValue &a, const Localizer::DigitValue &b) {
            return a.extent == b.extent;
          }))
    return std::pair(from, to);
  if (step.getFrom().getMesh() != step.getTo().getMesh() || step.getHaloAttr())
    return std::nullopt;
  const Mesh &mesh = localizer.meshOf(step.getTo());
  auto common = commonDigits(step.getFrom().getValue(), step.getTo().getValue(),
                             mesh, shapeOf(result.type)[dim], dim);
  if (!common)
    return std::nullopt;
  from.clear();
  to.clear();
  for (const CommonDigit &digit : *common) {
    auto fixedBy =
        [&](const std::optional<AxisRef> &axis) -> Localizer::DigitValue {
      OpFoldResult size = builder.getIndexAttr(digit.extent);
      if (!axis)
        return {digit.extent, zero, size, size};
      return {digit.extent, localizer.axisIndex(builder, loc, mesh, *axis),
              builder.getIndexAttr(1), size};
    };
    from.push_back(fixedBy(digit.a));
    to.push_back(digit.a == digit.b ? from.back() : fixedBy(digit.b));
  }
  return std::pair(from, to);
}

namespace {
/// The range of one digit that the operand's and the result's shard both hold.
struct SharedRange {
  OpFoldResult fromLength, toLength; ///< of the digit in each shard
  OpFoldResult fromOffset, toOffset; ///< of the range in each
  OpFoldResult size;
};
} // namespace

/// The range that two shards share of a digit. `isWithin`: all of `to`.
static SharedRange sharedRange(OpBuilder &builder, Location loc,
                               const Localizer::DigitValue &from,
                               const Localizer::DigitValue &to, bool isWithin) {
  OpFoldResult zero = builder.getIndexAttr(0);
  if (from.offset == to.offset && from.length == to.length)
    return {from.length, to.length, zero, zero, to.length};
  if (from.offset == zero && from.length == from.size)
    return {from.length, to.length, to.offset, zero, to.length};
  if (!isWithin && to.offset == zero && to.length == to.size)
    return {from.length, to.length, zero, from.offset, from.length};
  auto value = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(builder, loc, v);
  };
  // An empty range may start past the end of a shard's digit.
  auto distance = [&](Value start, const Localizer::DigitValue &digit) {
    Value offset = value(digit.offset), length = value(digit.length);
    return arith::MinUIOp::create(
               builder, loc, arith::SubIOp::create(builder, loc, start, offset),
               length)
        .getResult();
  };
  Value start = value(to.offset);
  if (isWithin)
    return {from.length, to.length, distance(start, from), zero, to.length};
  auto endOf = [&](const Localizer::DigitValue &digit) {
    return arith::AddIOp::create(builder, loc, value(digit.offset),
                                 value(digit.length));
  };
  start = arith::MaxUIOp::create(builder, loc, start, value(from.offset));
  Value end = arith::MinUIOp::create(builder, loc, endOf(from), endOf(to));
  end = arith::MaxUIOp::create(builder, loc, end, start);
  return {from.length, to.length, distance(start, from), distance(start, to),
          arith::SubIOp::create(builder, loc, end, start).getResult()};
}

/// True if operand and result have the same elements of a dim on each device.
static bool keepsDim(CollectiveOpInterface step, int64_t dim) {
  DimPlacement from = step.getFrom().getValue().dims[dim];
  DimPlacement to = step.getTo().getValue().dims[dim];
  Halo halo = readHalo(step.getHaloAttr());
  bool hasWindow = !halo.empty() && halo[dim].isWindow();
  if (from.splits.empty() && to.splits.empty() && !hasWindow)
    return true; // replicated: a halo adds nothing
  return from.splits == to.splits && (halo.empty() || halo[dim].isZero()) &&
         step.getFrom().getMesh() == step.getTo().getMesh();
}

/// True if a local slice gives the result on every rank. Ranks outside of a
/// mesh run as its first device, which may differ from the first one of the
/// other mesh: between meshes the operand of a cut must be replicated. A halo
/// reaches past existing blocks.
static bool isLocalSlice(CollectiveOpInterface step,
                         const Localizer &localizer) {
  bool crosses = step.getFrom().getMesh() != step.getTo().getMesh();
  if (!crosses && step.getKind() == CollectiveKind::Slice)
    return true;
  for (int64_t dim = 0; dim < step.getGlobalTensorType().getRank(); ++dim)
    if (!keepsDim(step, dim) &&
        !step.getFrom().getValue().dims[dim].splits.empty())
      return false;
  const Mesh &from = localizer.meshOf(step.getFrom());
  const Mesh &to = localizer.meshOf(step.getTo());
  for (int64_t p = 0, e = crosses ? to.numDevices() : 0; p < e; ++p)
    if (from.positionOf(to.rankAt(p)) < 0)
      return false;
  return true;
}

/// True if a slice only names another mesh.
static bool isRename(CollectiveOpInterface step, const Localizer &localizer) {
  const Mesh &from = localizer.meshOf(step.getFrom());
  const Mesh &to = localizer.meshOf(step.getTo());
  return step.getKind() == CollectiveKind::Slice && !step.getHaloAttr() &&
         isRenamed(from, to) &&
         renamed(step.getFrom().getValue(), from, to) ==
             step.getTo().getValue();
}

namespace {
/// The part that the operand's and the result's shard share: a range per digit
/// of all dims, and the digits of each dim.
struct SharedPart {
  SmallVector<OpFoldResult> fromLengths, toLengths, fromOffsets, toOffsets;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups;
  bool expands = false; ///< whether a dim has several digits
  void push(const SharedRange &range) {
    groups.back().push_back(sizes.size());
    fromLengths.push_back(range.fromLength);
    toLengths.push_back(range.toLength);
    fromOffsets.push_back(range.fromOffset);
    toOffsets.push_back(range.toOffset);
    sizes.push_back(range.size);
  }
};
} // namespace

static RankedTensorType typeOf(ArrayRef<OpFoldResult> extents, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult extent : extents)
    shape.push_back(getConstantIntValue(extent).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

/// The part that the two shards share; nullopt where the placements cut a dim
/// across each other.
static std::optional<SharedPart> sharedPart(CollectiveOpInterface step,
                                            const Localizer::Global &result,
                                            RankedTensorType resultType,
                                            OpBuilder &builder,
                                            Localizer &localizer, Value input) {
  Location loc = step.getLoc();
  auto inputType = cast<RankedTensorType>(input.getType());
  bool isSlice = step.getKind() != CollectiveKind::MakePartial;
  SharedPart part;
  for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
    part.groups.emplace_back();
    OpFoldResult zero = builder.getIndexAttr(0);
    if (keepsDim(step, dim)) {
      OpFoldResult extent =
          inputType.isDynamicDim(dim)
              ? OpFoldResult(
                    tensor::DimOp::create(builder, loc, input, dim).getResult())
              : builder.getIndexAttr(inputType.getDimSize(dim));
      part.push({extent, extent, zero, zero, extent});
      continue;
    }
    auto digits = alignedDigits(step, dim, result, builder, localizer);
    if (!digits)
      return std::nullopt;
    auto &[from, to] = *digits;
    part.expands |= to.size() > 1;
    // Known extents stay so, however they are computed from the rank.
    if (to.size() == 1 && !inputType.isDynamicDim(dim))
      from[0].length = builder.getIndexAttr(inputType.getDimSize(dim));
    if (to.size() == 1 && !resultType.isDynamicDim(dim))
      to[0].length = builder.getIndexAttr(resultType.getDimSize(dim));
    for (auto [own, wanted] : llvm::zip_equal(from, to))
      part.push(sharedRange(builder, loc, own, wanted, isSlice));
  }
  return part;
}

/// `slice` as tensor.extract_slice; dims of several digits are expanded first
/// and collapsed after.
static std::optional<Value> localizeSlice(CollectiveOpInterface step,
                                          OpBuilder &builder,
                                          Localizer &localizer, Value input) {
  Location loc = step.getLoc();
  RankedTensorType global = step.getGlobalTensorType();
  Type element = global.getElementType();
  Localizer::Global result = resultOf(step, builder, localizer, input);
  RankedTensorType resultType =
      localizer.localType(global, step.getTo(), result.halo);
  // Of nothing there is no slice: an offset must lie inside of the tensor.
  if (llvm::is_contained(global.getShape(), 0))
    return tensor::EmptyOp::create(
               builder, loc, resultType,
               localizer.dynamicSizes(builder, loc, result, input))
        .getResult();
  auto part = sharedPart(step, result, resultType, builder, localizer, input);
  if (!part)
    return std::nullopt;
  SmallVector<OpFoldResult> strides(part->sizes.size(),
                                    builder.getIndexAttr(1));
  if (!part->expands)
    return tensor::ExtractSliceOp::create(builder, loc, resultType, input,
                                          part->fromOffsets, part->sizes,
                                          strides)
        .getResult();
  Value wide = tensor::ExpandShapeOp::create(
      builder, loc, typeOf(part->fromLengths, element), input, part->groups,
      part->fromLengths);
  Value cut = tensor::ExtractSliceOp::create(
      builder, loc, typeOf(part->sizes, element), wide, part->fromOffsets,
      part->sizes, strides);
  // Packed here, once: bufferization would copy the whole operand where what
  // follows writes, and the slice again to collapse its dims.
  Value packed =
      linalg::CopyOp::create(
          builder, loc, cut,
          tensor::EmptyOp::create(
              builder, loc, tensor::getMixedSizes(builder, loc, cut), element)
              .getResult())
          .getResult(0);
  Value narrow =
      tensor::CollapseShapeOp::create(builder, loc, packed, part->groups);
  if (narrow.getType() != resultType)
    narrow = tensor::CastOp::create(builder, loc, resultType, narrow);
  return narrow;
}

/// The operand on the first device, the identity elsewhere. Overwrites an
/// operand without other users: source, operand and result alive at one time
/// are more than rule D2 allows.
static Value selectTerm(CollectiveOpInterface step, OpBuilder &builder,
                        Value input, Value first, Value identity) {
  Location loc = step.getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps = {map};
  Value init = input;
  if (isa<BlockArgument>(input) || !step->getOperand(0).hasOneUse()) {
    init = tensor::EmptyOp::create(builder, loc,
                                   tensor::getMixedSizes(builder, loc, input),
                                   type.getElementType());
    if (init.getType() != type)
      init = tensor::CastOp::create(builder, loc, type, init);
    inputs.push_back(input);
    maps.push_back(map);
  }
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, inputs, ValueRange{init}, maps,
             loops,
             [&](OpBuilder &b, Location l, ValueRange arguments) {
               Value term =
                   arith::SelectOp::create(b, l, first, arguments[0], identity);
               linalg::YieldOp::create(b, l, term);
             })
      .getResult(0);
}

/// `make_partial`: what the operand's shard holds of the result's, in a tensor
/// of the identity. Along axes that the operand is replicated over, the first
/// device has a term.
static FailureOr<Value> localizeMakePartial(CollectiveOpInterface step,
                                            OpBuilder &builder,
                                            Localizer &localizer, Value input) {
  Location loc = step.getLoc();
  RankedTensorType global = step.getGlobalTensorType();
  Type element = global.getElementType();
  const Placement &from = step.getFrom().getValue();
  const Placement &to = step.getTo().getValue();
  // The operand may be partial over, or split by, a sub-axis of one of the
  // result's axes.
  const Mesh &mesh = localizer.meshOf(step.getTo());
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  auto refined = [&](const std::vector<AxisRef> &axes) {
    std::vector<AxisRef> result;
    for (const AxisRef &axis : axes)
      llvm::append_range(result, refine(axis, mesh, parts));
    return result;
  };
  std::vector<AxisRef> existing = refined(from.partialAxes), added;
  for (size_t dim = 0; dim < from.dims.size(); ++dim)
    llvm::append_range(existing, refined(from.axesOf(dim)));
  for (const AxisRef &axis : refined(to.partialAxes))
    if (!llvm::is_contained(existing, axis))
      added.push_back(axis);
  bool sameDims = from.dims == to.dims;
  Value first;
  if (sameDims || !added.empty())
    first = localizer.isFirst(builder, loc, mesh, added);
  Value identity = createPartialIdentity(builder, loc, element, *to.partial);
  if (!identity)
    return step->emitOpError("cannot hold a tensor of ")
           << element << " as terms of a " << stringifyPartialKind(*to.partial)
           << ": the kind has no identity for that type";
  if (sameDims)
    return selectTerm(step, builder, input, first, identity);

  Localizer::Global result = resultOf(step, builder, localizer, input);
  RankedTensorType resultType = localizer.localType(global, step.getTo());
  auto fill = [&](Value empty) {
    return linalg::FillOp::create(builder, loc, identity, empty).getResult(0);
  };
  // Into nothing there is no slice: an offset must lie inside of the tensor.
  if (llvm::is_contained(global.getShape(), 0))
    return fill(tensor::EmptyOp::create(
        builder, loc, resultType,
        localizer.dynamicSizes(builder, loc, result, input)));
  auto part = sharedPart(step, result, resultType, builder, localizer, input);
  if (!part)
    return step->emitOpError(
        "cuts a dim across the shards that it starts "
        "from; give the dim's extent and the mesh's sizes");
  if (first) {
    Value size =
        getValueOrCreateConstantIndexOp(builder, loc, part->sizes.front());
    Value none = arith::ConstantIndexOp::create(builder, loc, 0);
    part->sizes.front() =
        arith::SelectOp::create(builder, loc, first, size, none).getResult();
  }
  SmallVector<OpFoldResult> strides(part->sizes.size(),
                                    builder.getIndexAttr(1));
  if (part->expands)
    input = tensor::ExpandShapeOp::create(
        builder, loc, typeOf(part->fromLengths, element), input, part->groups,
        part->fromLengths);
  Value own = input;
  if (part->sizes != part->fromLengths)
    own = tensor::ExtractSliceOp::create(
        builder, loc, typeOf(part->sizes, element), input, part->fromOffsets,
        part->sizes, strides);
  Value term = tensor::InsertSliceOp::create(
      builder, loc, own,
      fill(tensor::EmptyOp::create(builder, loc, part->toLengths, element)),
      part->toOffsets, part->sizes, strides);
  if (part->expands)
    term = tensor::CollapseShapeOp::create(builder, loc, term, part->groups);
  if (term.getType() != resultType)
    term = tensor::CastOp::create(builder, loc, resultType, term);
  return term;
}

FailureOr<Value> shardir::localizeStep(CollectiveOpInterface step,
                                       OpBuilder &builder, Localizer &localizer,
                                       Value input) {
  CollectiveKind kind = step.getKind();
  if (kind == CollectiveKind::MakePartial)
    return localizeMakePartial(step, builder, localizer, input);
  if (isRename(step, localizer))
    return input;
  if ((kind == CollectiveKind::Slice || kind == CollectiveKind::HaloExchange) &&
      isLocalSlice(step, localizer))
    if (auto sliced = localizeSlice(step, builder, localizer, input))
      return *sliced;
  // Cuts that do not nest: an exchange in which each device holds all that it
  // needs moves nothing between devices.
  if (kind == CollectiveKind::Slice)
    kind = step.getHaloAttr() ? CollectiveKind::HaloExchange
                              : CollectiveKind::Exchange;
  return localizeCollective(step, kind, builder, localizer, input);
}
