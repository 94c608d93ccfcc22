//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective to local, the steps of redistributions. Requires whole-
// tensor steps that verify; guarantees that `slice` and `make_partial` are
// plain tensor and linalg ops afterwards.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/LocalizeSteps.h"
#include "ShardIR/Placement/CrossMesh.h"

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
          localizer.wholeExtent(builder, step.getLoc(), from, dim, input));
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
      step->getAttrOfType<StringAttr>("reason"), step.getHaloAttr());
}

namespace {
/// One digit of the operand's dim, and the part of it that the result keeps.
struct SlicedDigit {
  OpFoldResult length; ///< in the operand's shard
  OpFoldResult offset, size;
};
} // namespace

/// The digits of one dim of the operand's shard and what is kept of each;
/// nothing where the two placements cut the dim in ways that don't nest.
static std::optional<SmallVector<SlicedDigit>>
sliceDim(CollectiveOpInterface step, int64_t dim,
         const Localizer::Global &result, OpBuilder &builder,
         Localizer &localizer) {
  Location loc = step.getLoc();
  auto from = localizer.digits(
      builder, loc, {result.type, step.getFrom(), {}, result.extents}, dim);
  auto to = localizer.digits(builder, loc, result, dim);
  SmallVector<SlicedDigit> digits;
  // A whole dim is seen with the digits of the result.
  if (from.size() == 1 && from[0].length == from[0].size) {
    for (const Localizer::DigitValue &digit : to)
      digits.push_back({digit.size, digit.offset, digit.length});
    return digits;
  }
  if (from.size() != to.size())
    return std::nullopt;
  for (auto [own, kept] : llvm::zip(from, to)) {
    if (own.extent != kept.extent)
      return std::nullopt;
    OpFoldResult offset = builder.getIndexAttr(0);
    if (own.offset != kept.offset || own.length != kept.length) {
      Value start = getValueOrCreateConstantIndexOp(builder, loc, kept.offset);
      Value base = getValueOrCreateConstantIndexOp(builder, loc, own.offset);
      Value length = getValueOrCreateConstantIndexOp(builder, loc, own.length);
      // An empty result may start past the end of the operand's digit.
      Value distance = arith::SubIOp::create(builder, loc, start, base);
      offset =
          arith::MinUIOp::create(builder, loc, distance, length).getResult();
    }
    digits.push_back({own.length, offset, kept.length});
  }
  return digits;
}

/// Whether operand and result have the same elements of a dim on each device.
static bool keepsDim(CollectiveOpInterface step, int64_t dim) {
  DimPlacement from = step.getFrom().getValue().dims[dim];
  DimPlacement to = step.getTo().getValue().dims[dim];
  Halo halo = readHalo(step.getHaloAttr());
  bool hasWindow = !halo.empty() && halo[dim].isWindow();
  if (from.splits.empty() && to.splits.empty() && !hasWindow)
    return true; // whole: a halo adds nothing
  return from.splits == to.splits && (halo.empty() || halo[dim].isZero()) &&
         step.getFrom().getMesh() == step.getTo().getMesh();
}

/// Whether a local slice gives the result on every rank. Ranks that a mesh
/// lacks run as its first device, which may be another one than the first of
/// the other mesh: between meshes what is cut must be whole. A halo reaches
/// past what is cut already.
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

/// Whether a slice does no more than name another mesh.
static bool isRename(CollectiveOpInterface step, const Localizer &localizer) {
  const Mesh &from = localizer.meshOf(step.getFrom());
  const Mesh &to = localizer.meshOf(step.getTo());
  return step.getKind() == CollectiveKind::Slice && !step.getHaloAttr() &&
         isRenamed(from, to) &&
         renamed(step.getFrom().getValue(), from, to) ==
             step.getTo().getValue();
}

/// `slice` as tensor.extract_slice; dims of several digits are expanded first
/// and collapsed after.
static std::optional<Value> localizeSlice(CollectiveOpInterface step,
                                          OpBuilder &builder,
                                          Localizer &localizer, Value input) {
  Location loc = step.getLoc();
  RankedTensorType global = step.getGlobalTensorType();
  auto inputType = cast<RankedTensorType>(input.getType());
  Localizer::Global result = resultOf(step, builder, localizer, input);
  RankedTensorType resultType =
      localizer.localType(global, step.getTo(), result.halo);
  const Placement &from = step.getFrom().getValue();
  const Placement &to = step.getTo().getValue();
  // Of nothing there is no slice: an offset must lie inside of the tensor.
  if (llvm::is_contained(global.getShape(), 0))
    return tensor::EmptyOp::create(
               builder, loc, resultType,
               localizer.dynamicSizes(builder, loc, result, input))
        .getResult();
  SmallVector<OpFoldResult> expanded, offsets, sizes;
  SmallVector<ReassociationIndices> groups;
  bool expands = false;
  for (int64_t dim = 0; dim < global.getRank(); ++dim) {
    ReassociationIndices &group = groups.emplace_back();
    if (keepsDim(step, dim)) {
      OpFoldResult extent =
          inputType.isDynamicDim(dim)
              ? OpFoldResult(
                    tensor::DimOp::create(builder, loc, input, dim).getResult())
              : builder.getIndexAttr(inputType.getDimSize(dim));
      group.push_back(expanded.size());
      expanded.push_back(extent);
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(extent);
      continue;
    }
    auto digits = sliceDim(step, dim, result, builder, localizer);
    if (!digits)
      return std::nullopt;
    expands |= digits->size() > 1;
    // Known extents stay so, however they are computed from the rank.
    if (digits->size() == 1 && !resultType.isDynamicDim(dim))
      digits->front().size = builder.getIndexAttr(resultType.getDimSize(dim));
    for (const SlicedDigit &digit : *digits) {
      group.push_back(expanded.size());
      expanded.push_back(digit.length);
      offsets.push_back(digit.offset);
      sizes.push_back(digit.size);
    }
  }
  SmallVector<OpFoldResult> strides(expanded.size(), builder.getIndexAttr(1));
  auto typeOf = [&](ArrayRef<OpFoldResult> extents) {
    SmallVector<int64_t> shape;
    for (OpFoldResult extent : extents)
      shape.push_back(
          getConstantIntValue(extent).value_or(ShapedType::kDynamic));
    return RankedTensorType::get(shape, global.getElementType());
  };
  if (!expands)
    return tensor::ExtractSliceOp::create(builder, loc, resultType, input,
                                          offsets, sizes, strides)
        .getResult();
  Value wide = tensor::ExpandShapeOp::create(builder, loc, typeOf(expanded),
                                             input, groups, expanded);
  Value cut = tensor::ExtractSliceOp::create(builder, loc, typeOf(sizes), wide,
                                             offsets, sizes, strides);
  // Packed here, once: bufferization would copy the whole operand where what
  // follows writes, and the slice again to collapse its dims.
  Value packed = linalg::CopyOp::create(
                     builder, loc, cut,
                     tensor::EmptyOp::create(
                         builder, loc, tensor::getMixedSizes(builder, loc, cut),
                         global.getElementType())
                         .getResult())
                     .getResult(0);
  Value narrow = tensor::CollapseShapeOp::create(builder, loc, packed, groups);
  if (narrow.getType() != resultType)
    narrow = tensor::CastOp::create(builder, loc, resultType, narrow);
  return narrow;
}

/// `make_partial`: the operand on the first device, the identity elsewhere.
/// What nobody else needs is overwritten: source, operand and result alive at
/// one time are more than rule D2 allows.
static FailureOr<Value> localizeMakePartial(CollectiveOpInterface step,
                                            OpBuilder &builder,
                                            Localizer &localizer, Value input) {
  Location loc = step.getLoc();
  const Placement &from = step.getFrom().getValue();
  const Placement &to = step.getTo().getValue();
  // What is owed already may be a part of an axis that is owed now.
  const Mesh &mesh = localizer.meshOf(step.getTo());
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  auto refined = [&](const Placement &placement) {
    std::vector<AxisRef> result;
    for (const AxisRef &axis : placement.partialAxes)
      llvm::append_range(result, refine(axis, mesh, parts));
    return result;
  };
  std::vector<AxisRef> owed = refined(from), added;
  for (const AxisRef &axis : refined(to))
    if (!llvm::is_contained(owed, axis))
      added.push_back(axis);
  auto type = cast<RankedTensorType>(input.getType());
  Value first = localizer.isFirst(builder, loc, mesh, added);
  Value identity =
      createPartialIdentity(builder, loc, type.getElementType(), *to.partial);
  if (!identity)
    return step->emitOpError("cannot hold a tensor of ")
           << type.getElementType() << " as terms of a "
           << stringifyPartialKind(*to.partial)
           << ": the kind has no identity for that type";
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
