//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Rewrites StableHLO's collectives in manual regions
// (stablehlo/dialect/StablehloOps.td; channels across partitions, one replica)
// into those over axes. Requires that regions have placements; guarantees that
// values on every device are those that StableHLO's specification gives. A
// group that is no run of manual axes is an error that names it.
//
//===----------------------------------------------------------------------===//

#include "ImportCollectives.h"
#include "Combiners.h"
#include "PermuteTargets.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Import/GspmdSharding.h"
#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace mlir;
using namespace shardir;

bool shardir::isForeignCollective(Operation *op) {
  return llvm::StringSwitch<bool>(foreignName(op))
      .Cases({"all_reduce", "all_gather", "reduce_scatter"}, true)
      .Cases({"all_to_all", "collective_permute"}, true)
      .Cases({"collective_broadcast", "send", "recv"}, true)
      .Cases({"partition_id", "replica_id"}, true)
      .Default(false);
}

/// The dim of the first operand that the attribute `name` names.
static FailureOr<int64_t> dimOf(Operation *op, StringRef name) {
  auto dim = op->getAttrOfType<IntegerAttr>(name);
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!dim || !type || dim.getInt() < 0 || dim.getInt() >= type.getRank())
    return op->emitOpError("needs '") << name << "', a dim of its operand";
  return dim.getInt();
}

namespace {

/// A collective's step for one operand, in groups of `count` devices. Unknown
/// extents are computed by the program.
struct GroupedStep {
  GroupedStep(OpBuilder &builder, Location loc, Value operand, int64_t count)
      : type(cast<RankedTensorType>(operand.getType())), count(count),
        from(Placement::replicatedOfRank(type.getRank())), to(from),
        global(type.getShape()), local(global),
        globalSizes(tensor::getMixedSizes(builder, loc, operand)),
        localSizes(globalSizes), math(builder, loc) {}

  /// The devices' tensors follow each other along `dim`, which `splits` split.
  void gather(int64_t dim, const std::vector<Split> &splits) {
    from.dims[dim].splits = splits;
    if (type.isDynamicDim(dim))
      globalSizes[dim] = math.mul(globalSizes[dim], count);
    else
      global[dim] *= count;
    localSizes[dim] = globalSizes[dim];
    local[dim] = global[dim];
  }
  /// A device keeps its part of `dim`.
  void scatter(int64_t dim, const std::vector<Split> &splits) {
    to.dims[dim].splits = splits;
    if (type.isDynamicDim(dim))
      localSizes[dim] = math.div(localSizes[dim], count);
    else
      local[dim] /= count;
  }
  /// True if a device's result has this shape.
  bool gives(ArrayRef<int64_t> shape) const {
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (extent != local[dim] ||
          (extent != global[dim] && global[dim] % count != 0))
        return false;
    return true;
  }

  RankedTensorType type; ///< of the operand
  int64_t count;
  CollectiveKind kind = CollectiveKind::AllReduce;
  Placement from, to;
  /// Extents of the global tensor and of a device's result, where they are
  /// known, and all of them as values.
  SmallVector<int64_t> global, local;
  SmallVector<OpFoldResult> globalSizes, localSizes;
  IndexMath math;
};

/// Rewrites the collectives of one region, not those of regions in it.
class RegionImporter {
public:
  RegionImporter(ManualOp region, ImportMeshes &meshes)
      : region(region), meshes(meshes) {}
  LogicalResult run();

private:
  LogicalResult findMesh();
  LogicalResult convert(Operation *op);
  LogicalResult convertGrouped(Operation *op);
  LogicalResult setDims(Operation *op, const std::vector<Split> &splits,
                        GroupedStep &step);
  LogicalResult convertPermute(Operation *op);
  LogicalResult convertDevice(Operation *op);
  FailureOr<std::vector<AxisRef>> groupAxes(Operation *op, bool ordered);
  bool isManual(StringRef axis) const {
    return llvm::is_contained(manual, axis);
  }
  /// The device's position along all manual axes, in the mesh's order.
  Value manualPosition(OpBuilder &builder, Location loc);
  FailureOr<PermuteTargets> targetsOf(Operation *op);
  PlacementAttr attr(const Placement &placement, StringAttr mesh = {}) {
    return PlacementAttr::get(region.getContext(), mesh ? mesh : meshName,
                              placement);
  }

  ManualOp region;
  ImportMeshes &meshes;
  StringAttr meshName;
  Mesh mesh;
  SmallVector<StringRef> manual; ///< of all regions around, in mesh order
};

} // namespace

LogicalResult RegionImporter::findMesh() {
  for (ManualOp op = region; op && !meshName;
       op = op->getParentOfType<ManualOp>())
    for (Attribute placement :
         llvm::concat<const Attribute>(op.getIn(), op.getOut()))
      meshName = cast<PlacementAttr>(placement).getMesh().getAttr();
  if (!meshName)
    return region.emitOpError("has collectives, but no operand or result whose "
                              "placement names a mesh");
  mesh = lookupMesh(region, FlatSymbolRefAttr::get(meshName)).getMesh();
  if (!mesh.isConcrete())
    return region.emitOpError("has collectives by device numbers, on mesh @")
           << meshName.getValue()
           << " whose sizes are not known; write them in the mesh";
  for (const MeshAxis &axis : mesh.axes)
    for (ManualOp op = region; op; op = op->getParentOfType<ManualOp>())
      if (llvm::any_of(op.getAxes().getAsRange<StringAttr>(),
                       [&](StringAttr name) { return name == axis.name; }))
        manual.push_back(axis.name);
  return success();
}

/// The axes that a collective's groups run along, major first. `ordered`: the
/// order in a group matters.
FailureOr<std::vector<AxisRef>> RegionImporter::groupAxes(Operation *op,
                                                          bool ordered) {
  auto groups =
      dyn_cast_or_null<DenseIntElementsAttr>(op->getAttr("replica_groups"));
  if (!groups || groups.getType().getRank() != 2)
    return op->emitOpError("needs 'replica_groups' of rank 2");
  int64_t count = groups.getType().getDimSize(0);
  int64_t size = groups.getType().getDimSize(1);
  std::vector<std::vector<int64_t>> lists(count);
  for (auto [i, device] : llvm::enumerate(groups.getValues<APInt>()))
    lists[i / size].push_back(device.getSExtValue());
  std::set<int64_t> all;
  for (std::vector<int64_t> &list : lists) {
    all.insert(list.begin(), list.end());
    if (!ordered)
      llvm::sort(list);
  }
  llvm::sort(lists);
  std::set<int64_t> wanted;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    wanted.insert(mesh.rankAt(p));
  if (all != wanted || count * size != mesh.numDevices())
    return op->emitOpError("has replica groups that do not name each of the ")
           << mesh.numDevices() << " devices of mesh @" << meshName.getValue()
           << " once";
  // Groups cut a dim as a sharding does that has one tile for each member.
  GspmdSharding sharding;
  sharding.kind = GspmdSharding::Tiled;
  sharding.tiles = {size, count};
  sharding.subgroups = {GspmdSharding::Same};
  for (int64_t member = 0; member < size; ++member)
    for (const std::vector<int64_t> &list : lists)
      sharding.devices.push_back(list[member]);
  std::vector<Mesh> known = {mesh};
  size_t culprit;
  std::string error;
  auto placed = placeGspmdShardings({sharding}, {1}, mesh.numDevices(), known,
                                    culprit, error);
  if (!placed || (*placed)[0].mesh != 0)
    return op->emitOpError(
               "has replica groups that run along no axes of mesh @")
           << meshName.getValue();
  std::vector<AxisRef> axes = axesOf((*placed)[0].placement);
  for (const AxisRef &axis : axes)
    if (!isManual(axis.name))
      return op->emitOpError("communicates along ")
             << toString(axis)
             << ", which is not manual here; only manual axes can be";
  return axes;
}

/// Sets the kind of the step, and the dims that it gathers and scatters.
LogicalResult RegionImporter::setDims(Operation *op,
                                      const std::vector<Split> &splits,
                                      GroupedStep &step) {
  StringRef name = foreignName(op);
  if (name == "all_gather") {
    FailureOr<int64_t> dim = dimOf(op, "all_gather_dim");
    if (failed(dim))
      return failure();
    step.kind = CollectiveKind::AllGather;
    step.gather(*dim, splits);
  } else if (name == "reduce_scatter") {
    FailureOr<int64_t> dim = dimOf(op, "scatter_dimension");
    if (failed(dim))
      return failure();
    step.kind = CollectiveKind::ReduceScatter;
    step.scatter(*dim, splits);
  } else if (name == "all_to_all") {
    FailureOr<int64_t> split = dimOf(op, "split_dimension");
    FailureOr<int64_t> concat = dimOf(op, "concat_dimension");
    if (failed(split) || failed(concat))
      return failure();
    step.kind = CollectiveKind::AllToAll;
    step.gather(*concat, splits);
    step.scatter(*split, splits);
    // Block j of device i becomes block i of device j: the global tensor is cut
    // in `count` runs, and a device has a part of each.
    if (*split == *concat) {
      step.kind = CollectiveKind::Exchange;
      std::vector<Split> &to = step.to.dims[*split].splits;
      to.insert(to.begin(), Split::byFactor(step.count));
    }
  }
  return success();
}

/// all_reduce, all_gather, reduce_scatter, all_to_all.
LogicalResult RegionImporter::convertGrouped(Operation *op) {
  StringRef name = foreignName(op);
  FailureOr<std::vector<AxisRef>> axes =
      groupAxes(op, /*ordered=*/name != "all_reduce");
  if (failed(axes))
    return failure();
  std::optional<PartialKind> reduction;
  if (name == "all_reduce" || name == "reduce_scatter") {
    if (op->getNumRegions() == 1)
      reduction = combinerOf(op->getRegion(0));
    if (!reduction)
      return op->emitOpError(
          "has a body that is not one of add, multiply, maximum, minimum, and, "
          "or, xor of its two arguments; reduce with one of these");
  }
  if (op->getNumOperands() != op->getNumResults() || !op->getNumOperands())
    return op->emitOpError("needs one result per operand");
  int64_t count = 1;
  std::vector<Split> splits;
  for (const AxisRef &axis : *axes) {
    count *= axisSize(mesh, axis);
    splits.push_back(Split::byAxis(axis));
  }
  OpBuilder builder(op);
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    auto resultType = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !resultType || type.getRank() != resultType.getRank())
      return op->emitOpError("needs ranked tensors, of one rank");
    GroupedStep step(builder, op->getLoc(), operand, count);
    if (reduction) {
      step.from.partial = reduction;
      step.from.partialAxes = *axes;
    }
    if (failed(setDims(op, splits, step)))
      return failure();
    if (!step.gives(resultType.getShape()))
      return op->emitOpError("gives type ")
             << resultType << " for an operand of type " << type
             << ", which groups of " << count << " do not make";
    Value value = operand;
    if (count > 1) {
      SmallVector<Value> sizes, dims;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim)) {
          sizes.push_back(step.math.value(step.localSizes[dim]));
          dims.push_back(step.math.value(step.globalSizes[dim]));
        }
      value = collective::createLocalStep(
          builder, op->getLoc(), step.kind, operand, attr(step.from),
          attr(step.to),
          RankedTensorType::get(step.global, type.getElementType()), resultType,
          sizes, dims, {});
    }
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return success();
}

Value RegionImporter::manualPosition(OpBuilder &builder, Location loc) {
  Value position;
  for (const MeshAxis &axis : mesh.axes) {
    if (!isManual(axis.name))
      continue;
    Value index =
        AxisIndexOp::create(builder, loc, FlatSymbolRefAttr::get(meshName),
                            builder.getStringAttr(axis.name));
    if (!position) {
      position = index;
      continue;
    }
    Value size = arith::ConstantIndexOp::create(builder, loc, axis.size);
    position = arith::MulIOp::create(builder, loc, position, size);
    position = arith::AddIOp::create(builder, loc, position, index);
  }
  return position;
}

/// The pairs of `source_target_pairs`, completed to a permutation.
FailureOr<PermuteTargets> RegionImporter::targetsOf(Operation *op) {
  auto attr = dyn_cast_or_null<DenseIntElementsAttr>(
      op->getAttr("source_target_pairs"));
  if (!attr || attr.getType().getRank() != 2 ||
      attr.getType().getDimSize(1) != 2)
    return op->emitOpError("needs 'source_target_pairs' of shape nx2");
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (auto [i, device] : llvm::enumerate(attr.getValues<APInt>())) {
    if (i % 2 == 0)
      pairs.push_back({device.getSExtValue(), 0});
    else
      pairs.back().second = device.getSExtValue();
  }
  auto targets = permuteTargets(
      pairs, mesh, [&](const MeshAxis &axis) { return isManual(axis.name); });
  if (auto *error = std::get_if<std::string>(&targets))
    return op->emitOpError() << *error;
  return std::get<PermuteTargets>(targets);
}

/// An exchange with a mesh on which the target stands where its source does.
/// A dim of one element per device keeps it apart from all dims of the tensor.
LogicalResult RegionImporter::convertPermute(Operation *op) {
  FailureOr<PermuteTargets> targets = targetsOf(op);
  if (failed(targets))
    return failure();
  const SmallVector<bool> &fed = targets->isTarget;
  auto type = op->getNumOperands() == 1 && op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                  : RankedTensorType();
  if (!type || op->getResult(0).getType() != type)
    return op->emitOpError("needs one operand and one result of the same type, "
                           "a ranked tensor");
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Mesh moved = mesh;
  moved.name = meshName.str() + "_permuted";
  moved.devices.clear();
  for (int64_t position : targets->positions)
    moved.devices.push_back(mesh.rankAt(position));
  StringAttr movedName;
  for (const Mesh &known : meshes.all()) {
    Mesh same = moved;
    same.name = known.name;
    if (same == known)
      movedName = builder.getStringAttr(known.name);
  }
  bool isIdentity = moved.devices == mesh.devices ||
                    (mesh.devices.empty() && llvm::is_sorted(moved.devices));
  Value value = op->getOperand(0);
  if (!isIdentity) {
    if (!movedName)
      movedName = meshes.create(loc, moved);
    if (!movedName)
      return failure();
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      groups.push_back({dim + 1});
    if (!groups.empty())
      groups[0].insert(groups[0].begin(), 0);
    Placement cut = Placement::replicatedOfRank(shape.size());
    for (StringRef axis : manual)
      cut.dims[0].splits.push_back(Split::byAxis(axis.str()));
    auto local = RankedTensorType::get(shape, type.getElementType());
    shape[0] = fed.size();
    auto global = RankedTensorType::get(shape, type.getElementType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, value);
    SmallVector<Value> open;
    for (OpFoldResult size : sizes)
      if (auto unknown = dyn_cast<Value>(size))
        open.push_back(unknown);
    sizes.insert(sizes.begin(), builder.getIndexAttr(1));
    value = tensor::ExpandShapeOp::create(builder, loc, local, value, groups,
                                          sizes);
    value = collective::createLocalStep(builder, loc, CollectiveKind::Exchange,
                                        value, attr(cut), attr(cut, movedName),
                                        global, local, open, open, {});
    value = tensor::CollapseShapeOp::create(builder, loc, type, value, groups);
  }
  if (llvm::is_contained(fed, false)) {
    // A device without a sender gets zeros.
    auto bits =
        RankedTensorType::get({int64_t(fed.size())}, builder.getI1Type());
    Value table = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(bits, ArrayRef<bool>(fed)));
    Value isFed = tensor::ExtractOp::create(
        builder, loc, table, ValueRange{manualPosition(builder, loc)});
    Value zeros;
    if (type.hasStaticShape()) {
      zeros =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    } else {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(type.getElementType()));
      SmallVector<Value> open;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          open.push_back(tensor::DimOp::create(builder, loc, value, dim));
      zeros = tensor::SplatOp::create(builder, loc, type, zero, open);
    }
    value = arith::SelectOp::create(builder, loc, isFed, value, zeros);
  }
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

/// partition_id: the device's number.
LogicalResult RegionImporter::convertDevice(Operation *op) {
  if (foreignName(op) != "partition_id" || op->getNumResults() != 1 ||
      op->getNumOperands() != 0)
    return op->emitOpError("cannot be imported; of what tells the device, "
                           "partition_id can be");
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() != 0 || !isa<IntegerType>(type.getElementType()))
    return op->emitOpError("needs a result of an integer in a tensor");
  if (manual.size() != mesh.axes.size())
    return op->emitOpError(
               "reads the number of the device among all, where not all axes "
               "of mesh @")
           << meshName.getValue() << " are manual";
  OpBuilder builder(op);
  Location loc = op->getLoc();
  unsigned width = type.getElementTypeBitWidth();
  auto signless = builder.getIntegerType(width);
  Value position = manualPosition(builder, loc);
  Value number;
  if (mesh.devices.empty()) {
    number = arith::IndexCastOp::create(builder, loc, signless, position);
  } else {
    SmallVector<APInt> ranks;
    for (int64_t rank : mesh.devices)
      ranks.push_back(APInt(width, rank));
    Value table = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            RankedTensorType::get({int64_t(ranks.size())}, signless), ranks));
    number =
        tensor::ExtractOp::create(builder, loc, table, ValueRange{position});
  }
  Value value = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, signless), number);
  // Its users are signless in a program that has become linalg, by a cast.
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (isa<UnrealizedConversionCastOp>(user) && user->getNumResults() == 1 &&
        user->getResult(0).getType() == value.getType()) {
      user->getResult(0).replaceAllUsesWith(value);
      user->erase();
    }
  if (type == value.getType())
    op->getResult(0).replaceAllUsesWith(value);
  if (!op->use_empty())
    return op->emitOpError("has type ")
           << type << ", whose uses must take signless integers";
  op->erase();
  return success();
}

LogicalResult RegionImporter::convert(Operation *op) {
  StringRef name = foreignName(op);
  if (name == "collective_permute")
    return convertPermute(op);
  if (name == "partition_id" || name == "replica_id")
    return convertDevice(op);
  if (name == "all_reduce" || name == "all_gather" ||
      name == "reduce_scatter" || name == "all_to_all")
    return convertGrouped(op);
  return op->emitOpError("cannot be imported; write it as all_gather, "
                         "all_to_all or collective_permute");
}

LogicalResult RegionImporter::run() {
  SmallVector<Operation *> ops;
  region.getBody().walk([&](Operation *op) {
    if (isForeignCollective(op) && op->getParentOfType<ManualOp>() == region)
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  if (failed(findMesh()))
    return failure();
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  return success();
}

LogicalResult shardir::importCollectives(ModuleOp module,
                                         ImportMeshes &meshes) {
  SmallVector<ManualOp> regions;
  module.walk([&](ManualOp op) { regions.push_back(op); });
  for (ManualOp region : regions)
    if (failed(RegionImporter(region, meshes).run()))
      return failure();
  WalkResult left = module.walk([&](Operation *op) {
    if (!isForeignCollective(op))
      return WalkResult::advance();
    op->emitOpError("stands outside of a manual region, where tensors are "
                    "global and nothing is left to communicate");
    return WalkResult::interrupt();
  });
  return failure(left.wasInterrupted());
}
