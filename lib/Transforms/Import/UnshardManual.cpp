//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated or propagated, on the way to the unsharded program. Requires
// sizes of manual axes that are known; guarantees a program without manual
// regions and their collectives, with the values that the regions give: each op
// in them is there once for each position along the axes along which it varies,
// and a collective puts the shards together and cuts them again.
//
//===----------------------------------------------------------------------===//

#include "Shards.h"
#include "Unsharder.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Transforms/Import/Passes.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardir {
#define GEN_PASS_DEF_UNSHARDMANUAL
#include "ShardIR/Transforms/Import/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

using Axes = Unsharder::Axes;
using Position = Unsharder::Position;

/// True for ops that devices run together, or only along axes that are manual.
bool isOfSeveralDevices(Operation *op) {
  return isa<ManualInOp, ManualOutOp, ManualCollectiveOp>(op);
}

bool holdsOpsOfSeveralDevices(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && isOfSeveralDevices(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LogicalResult Unsharder::addAxis(Operation *op, const Mesh &mesh,
                                 StringRef name) {
  int64_t size = mesh.axes[mesh.axisIndex(name.str())].size;
  if (size == kUnknown)
    return op->emitOpError("has no unsharded form while the size of axis \"")
           << name << "\" of mesh @" << mesh.name
           << " is not known; write it in the mesh, or give --mesh";
  auto [known, isNew] = axisSizes.try_emplace(name.str(), size);
  if (!isNew && known->second != size)
    return op->emitOpError("has no unsharded form beside a manual region of "
                           "another mesh, where axis \"")
           << name << "\" has size " << known->second << " and not " << size
           << "; give the axes different names";
  return success();
}

LogicalResult Unsharder::findAxisSizes() {
  WalkResult result = function.walk([&](Operation *op) {
    auto addBorder = [&](auto border) {
      const Mesh &mesh = meshes.get(border.getPlacement());
      for (auto axis : border.getAxes().template getAsRange<StringAttr>())
        if (failed(addAxis(op, mesh, axis.getValue())))
          return WalkResult::interrupt();
      return WalkResult::advance();
    };
    if (auto in = dyn_cast<ManualInOp>(op))
      return addBorder(in);
    if (auto out = dyn_cast<ManualOutOp>(op))
      return addBorder(out);
    if (auto index = dyn_cast<AxisIndexOp>(op))
      return WalkResult(
          addAxis(op, *meshes.lookup(index.getMesh()), index.getAxis()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

SmallVector<Position> Unsharder::positions(const Axes &axes) const {
  SmallVector<Position> all = {Position()};
  for (const std::string &axis : axes) {
    SmallVector<Position> next;
    for (const Position &at : all)
      for (int64_t i = 0; i < axisSizes.at(axis); ++i) {
        next.push_back(at);
        next.back()[axis] = i;
      }
    all = std::move(next);
  }
  return all;
}

/// The index of `at` among positions(axes).
static size_t indexOf(const Position &at, const Axes &axes,
                      const std::map<std::string, int64_t> &sizes) {
  size_t index = 0;
  for (const std::string &axis : axes) {
    auto own = at.find(axis);
    index = index * sizes.at(axis) + (own == at.end() ? 0 : own->second);
  }
  return index;
}

Value Unsharder::lookup(Value value, const Position &at) const {
  auto found = copies.find(value);
  if (found == copies.end())
    return value;
  return found->second[indexOf(at, varying.of(value), axisSizes)];
}

void Unsharder::map(Value value, const Position &at, Value copy) {
  const Axes &axes = varying.of(value);
  SmallVector<Value> &own = copies[value];
  if (own.empty())
    own.resize(positions(axes).size());
  own[indexOf(at, axes, axisSizes)] = copy;
}

bool Unsharder::isMapped(Operation *op) const {
  bool found = llvm::any_of(op->getOperands(), [&](Value operand) {
    return copies.contains(operand);
  });
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region, [&](OpOperand *operand) {
      found |= copies.contains(operand->get());
    });
  return found;
}

SmallVector<Value> Unsharder::expand(ValueRange values, ValueRange like) const {
  SmallVector<Value> all;
  for (auto [value, other] : llvm::zip(values, like))
    for (const Position &at : positions(varying.of(other)))
      all.push_back(lookup(value, at));
  return all;
}

SmallVector<Type> Unsharder::expandTypes(ValueRange values) const {
  SmallVector<Type> all;
  for (Value value : values)
    all.append(positions(varying.of(value)).size(), value.getType());
  return all;
}

void Unsharder::mapExpanded(ValueRange values, ValueRange all) {
  size_t next = 0;
  for (Value value : values)
    for (const Position &at : positions(varying.of(value)))
      map(value, at, all[next++]);
}

/// The position on `mesh` that is at `at` along its axes.
static int64_t onMesh(const Position &at, const Mesh &mesh) {
  int64_t position = 0;
  for (const MeshAxis &axis : mesh.axes) {
    auto own = at.find(axis.name);
    position =
        position * axis.assumedSize() + (own == at.end() ? 0 : own->second);
  }
  return position;
}

//===----------------------------------------------------------------------===//
// Borders and collectives
//===----------------------------------------------------------------------===//

static GlobalTensor wholeOf(OpBuilder &builder, Location loc, Value value) {
  return {cast<RankedTensorType>(value.getType()),
          tensor::getMixedSizes(builder, loc, value)};
}

void Unsharder::emitIn(ManualInOp op) {
  const Mesh &mesh = meshes.get(op.getPlacement());
  Placement manual = manualPart(op.getPlacement().getValue(), op.getAxes(),
                                /*isManual=*/true);
  Shards shards(builder, op.getLoc(), meshes);
  for (const Position &at : positions(varying.of(op.getResult()))) {
    Value outside = lookup(op.getInput(), at);
    map(op.getResult(), at,
        shards.cut(outside, wholeOf(builder, op.getLoc(), outside), manual,
                   mesh, onMesh(at, mesh),
                   cast<RankedTensorType>(op.getResult().getType())));
  }
}

void Unsharder::emitOut(ManualOutOp op) {
  const Placement &placement = op.getPlacement().getValue();
  const Mesh &mesh = meshes.get(op.getPlacement());
  Placement manual = manualPart(placement, op.getAxes(), /*isManual=*/true);
  Axes inDims, pending;
  for (const AxisRef &axis : axesOf(manual))
    inDims.insert(axis.name);
  for (const AxisRef &axis : placement.partialAxes)
    pending.insert(axis.name);
  Location loc = op.getLoc();
  Shards shards(builder, loc, meshes);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  for (const Position &outer : positions(varying.of(op.getResult()))) {
    GlobalTensor global = {type, {}};
    Value result;
    for (Position at : positions(inDims)) {
      at.insert(outer.begin(), outer.end());
      Value shard;
      for (Position term : positions(pending)) {
        term.insert(at.begin(), at.end());
        Value own = lookup(op.getInput(), term);
        shard = shard ? shards.combine(*placement.partial, shard, own) : own;
      }
      if (inDims.empty()) {
        result = shard;
        break;
      }
      if (!result) {
        // Shards of an open dim are of one extent.
        for (auto [dim, extent] :
             llvm::enumerate(tensor::getMixedSizes(builder, loc, shard))) {
          int64_t pieces = groupSize(mesh, manual.axesOf(dim));
          global.extents.push_back(
              type.isDynamicDim(dim)
                  ? IndexMath(builder, loc).mul(extent, pieces)
                  : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
        }
        result = shards.empty(global);
      }
      result =
          shards.put(shard, result, global, manual, mesh, onMesh(at, mesh));
    }
    map(op.getResult(), outer, result);
  }
}

/// `position` with 0 along each of `axes`, which may be parts of mesh axes.
static int64_t withoutAxes(int64_t position, const std::vector<AxisRef> &axes,
                           const Mesh &mesh) {
  std::vector<int64_t> coordinates = mesh.coordinates(position);
  for (const AxisRef &axis : axes) {
    int index = mesh.axisIndex(axis.name);
    int64_t behind = axis.isWhole() ? 1
                                    : mesh.axes[index].assumedSize() /
                                          (axis.preSize * axis.size);
    coordinates[index] -= axisCoordinate(mesh, axis, coordinates) * behind;
  }
  int64_t result = 0;
  for (auto [axis, own] : llvm::zip(mesh.axes, coordinates))
    result = result * axis.assumedSize() + own;
  return result;
}

void Unsharder::emitCollective(ManualCollectiveOp op) {
  const Mesh &mesh = meshes.get(op.getSource());
  const Mesh &target = meshes.get(op.getTarget());
  Placement from = op.getSource().getValue(), to = op.getTarget().getValue();
  // Along axes that stay partial there are terms on both sides.
  std::vector<AxisRef> pending;
  for (const AxisRef &axis : from.partialAxes)
    if (!llvm::is_contained(to.partialAxes, axis))
      pending.push_back(axis);
  auto kind = from.partial;
  from.partial = to.partial = std::nullopt;
  from.partialAxes.clear();
  to.partialAxes.clear();
  std::vector<AxisRef> inDims = axesOf(from), group = inDims;
  llvm::append_range(group, pending);

  Location loc = op.getLoc();
  Shards shards(builder, loc, meshes);
  GlobalTensor global = {cast<RankedTensorType>(op.getGlobal()), {}};
  // By position without the group's axes: devices of a group share it.
  std::map<int64_t, Value> wholes;
  Axes operandAxes = varying.of(op.getInput());
  for (const AxisRef &axis : group)
    operandAxes.insert(axis.name);
  auto globalFor = [&](const Position &receiver) {
    int64_t shared = withoutAxes(onMesh(receiver, mesh), group, mesh);
    Value &result = wholes[shared];
    if (result)
      return result;
    std::map<int64_t, std::pair<Position, Value>> shardsOf;
    for (const Position &own : positions(operandAxes)) {
      Position at = receiver;
      for (const auto &[axis, coordinate] : own)
        at[axis] = coordinate;
      int64_t position = onMesh(at, mesh);
      if (withoutAxes(position, group, mesh) != shared)
        continue;
      Value term = lookup(op.getInput(), at);
      auto &[first, shard] = shardsOf[withoutAxes(position, pending, mesh)];
      shard = shard ? shards.combine(*kind, shard, term) : term;
      if (first.empty())
        first = at;
    }
    if (inDims.empty())
      return result = shardsOf.begin()->second.second;
    result = shards.empty(global);
    for (const auto &[_, held] : shardsOf)
      result = shards.put(held.second, result, global, from, mesh,
                          onMesh(held.first, mesh));
    return result;
  };
  unsigned next = 0;
  for (int64_t dim = 0; dim < global.type.getRank(); ++dim)
    global.extents.push_back(
        global.type.isDynamicDim(dim)
            ? OpFoldResult(lookup(op.getDims()[next++], Position()))
            : OpFoldResult(builder.getIndexAttr(global.type.getDimSize(dim))));
  for (const Position &at : positions(varying.of(op.getResult()))) {
    int64_t position = target.positionOf(mesh.rankAt(onMesh(at, mesh)));
    map(op.getResult(), at,
        shards.cut(globalFor(at), global, to, target, position,
                   cast<RankedTensorType>(op.getResult().getType())));
  }
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

/// A clone for each position along the axes along which an operand, a value
/// that regions read, or a coordinate read inside varies.
void Unsharder::emitCopies(Operation *op) {
  Axes axes;
  auto addAxes = [&](const Axes &more) {
    axes.insert(more.begin(), more.end());
  };
  for (Value operand : op->getOperands())
    addAxes(varying.of(operand));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    addAxes(varying.of(value));
  op->walk([&](AxisIndexOp index) { axes.insert(index.getAxis().str()); });
  for (const Position &at : positions(axes)) {
    IRMapping mapping;
    for (Value value : llvm::concat<const Value>(
             llvm::to_vector(op->getOperands()), captured.getArrayRef()))
      mapping.map(value, lookup(value, at));
    Operation *clone = builder.clone(*op, mapping);
    SmallVector<AxisIndexOp> indices;
    clone->walk([&](AxisIndexOp index) { indices.push_back(index); });
    SmallVector<Value> results(clone->getResults());
    for (AxisIndexOp index : indices) {
      OpBuilder there(index);
      Value known = arith::ConstantIndexOp::create(
          there, index.getLoc(), at.at(index.getAxis().str()));
      for (Value &result : results)
        if (result == index.getResult())
          result = known;
      index.replaceAllUsesWith(known);
      index.erase();
    }
    for (auto [result, copy] : llvm::zip(op->getResults(), results)) {
      // Along other axes all copies are the same.
      Position own;
      bool isFirst = true;
      for (const auto &[axis, coordinate] : at)
        if (varying.of(result).count(axis))
          own[axis] = coordinate;
        else
          isFirst &= coordinate == 0;
      if (isFirst)
        map(result, own, copy);
    }
  }
}

LogicalResult Unsharder::emit(Operation *op) {
  if (auto in = dyn_cast<ManualInOp>(op))
    return emitIn(in), success();
  if (auto out = dyn_cast<ManualOutOp>(op))
    return emitOut(out), success();
  if (auto step = dyn_cast<ManualCollectiveOp>(op))
    return emitCollective(step), success();
  if (!holdsOpsOfSeveralDevices(op))
    return emitCopies(op), success();
  bool wasInside = std::exchange(isInside, true);
  LogicalResult done =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](scf::ForOp loop) { return emitFor(loop); })
          .Case([&](scf::IfOp branch) { return emitIf(branch); })
          .Case([&](scf::WhileOp loop) { return emitWhile(loop); })
          .Default([](Operation *other) {
            return other->emitOpError(
                "holds a manual region or a collective and has no unsharded "
                "form; scf.for, scf.while and scf.if have one");
          });
  isInside = wasInside;
  return done;
}

LogicalResult Unsharder::emitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isInside) {
      if (!op.hasTrait<OpTrait::IsTerminator>() && failed(emit(&op)))
        return failure();
      continue;
    }
    bool asks = op.walk([](AxisIndexOp) {
                    return WalkResult::interrupt();
                  }).wasInterrupted();
    if (!asks && !isMapped(&op) && !isOfSeveralDevices(&op) &&
        !holdsOpsOfSeveralDevices(&op))
      continue;
    builder.setInsertionPoint(&op);
    if (failed(emit(&op)))
      return failure();
    replaced.push_back(&op);
  }
  return success();
}

LogicalResult Unsharder::run() {
  if (failed(findAxisSizes()))
    return failure();
  for (Block &block : function.getBody())
    if (failed(emitBlock(block)))
      return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return success();
}

namespace {

struct UnshardManualPass : shardir::impl::UnshardManualBase<UnshardManualPass> {
  void runOnOperation() override {
    bool found = false;
    getOperation().walk([&](Operation *op) {
      found |= isa<ManualOp>(op) || isOfSeveralDevices(op);
    });
    if (!found)
      return markAllAnalysesPreserved();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createConstrainCallees());
    passes.addPass(createInlineCallees());
    passes.addPass(createInlineManual());
    if (failed(runPipeline(passes, getOperation())))
      return signalPassFailure();
    MeshTable meshes(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function
              .walk([](Operation *op) {
                return isOfSeveralDevices(op) ? WalkResult::interrupt()
                                              : WalkResult::advance();
              })
              .wasInterrupted() &&
          failed(Unsharder(function, meshes).run()))
        return signalPassFailure();
  }
};

} // namespace
