//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: propagated to redistributed. Requires `shardir.placements` on every op
// with tensor results. Guarantees that operands and results of every op agree
// under its rule, that what flows through a region keeps one placement, and
// that every change of placement is one `shardir.redistribute` that says why it
// is there: in front of the op that asks, or of the terminator of a region.
//
//===----------------------------------------------------------------------===//

#include "ScalarMeshes.h"
#include "Utils.h"

#include "ShardIR/Analysis/Askers.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Reasons.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace shardir {
#define GEN_PASS_DEF_INSERTREDISTRIBUTE
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

class Inserter {
public:
  Inserter(func::FuncOp function, const MeshTable &meshes, bool strict)
      : function(function), meshes(meshes), strict(strict) {}

  LogicalResult run();

private:
  LogicalResult visit(Operation *op);
  LogicalResult visitBlock(Block &block);
  LogicalResult visitTied(Operation *op);
  LogicalResult visitReturn(Operation *op);
  LogicalResult bringScalars(Operation *op);
  LogicalResult visitStep(Operation *op, PlacementAttr from);
  LogicalResult visitConstrain(ConstrainOp op);
  LogicalResult dropConstraintsOfWholeRegions();
  void eraseUnused(Block &block);
  void remarkOnMeshes(Operation *op, StringRef mesh);
  /// Gives `operand` the placement `wanted`, if it has another.
  LogicalResult require(OpOperand &operand, const Placement &wanted,
                        StringRef mesh, bool isExplicit, const Twine &reason,
                        const Halo &halo = {});
  /// Extent and shift of each open window of `halo`, which operand `i` of `op`
  /// is read with; in front of the op.
  SmallVector<Value> windowValues(Operation *op, unsigned i, const Halo &halo);
  /// `value` with the placement `wanted` and a halo, created in front of
  /// `before`.
  FailureOr<Value> obtain(Value value, PlacementAttr wanted, Operation *before,
                          bool isExplicit, const Twine &reason,
                          const Halo &halo = {}, OpOperand *use = nullptr);
  /// The op of `value` made anew with its result as `wanted` and a halo, if
  /// any, where it only moves elements and less is received for its operands
  /// then than for its result; null if not.
  FailureOr<Value> makeAnew(Value value, PlacementAttr wanted,
                            Operation *before, const Halo &halo);
  /// What `value` was before it was redistributed, or made with a halo, for a
  /// use; adds the bytes received for that where no other use needs them.
  Value originOf(Value value, StringRef mesh, int64_t *bytes);
  /// The bytes that a device receives for a change of placement, at most.
  int64_t bytesFor(RankedTensorType type, PlacementAttr from, PlacementAttr to,
                   const Halo &halo) const;
  LogicalResult refuse(Value value, PlacementAttr wanted, Operation *before,
                       OpOperand *use, const Twine &reason, const Halo &halo);
  func::FuncOp function;
  const MeshTable &meshes;
  bool strict;
  /// What a value was redistributed to already, by the spelling of the target.
  llvm::DenseMap<Value, llvm::StringMap<Value>> known;
  /// Ops that were made anew with a halo for some use, and of what.
  llvm::DenseSet<Operation *> remade;
  llvm::DenseMap<Value, Value> madeFrom;
  llvm::DenseSet<Operation *> inserted; ///< redistributions
};

} // namespace

/// Under strict: what would move, what it costs, and who wants what (C11).
LogicalResult Inserter::refuse(Value value, PlacementAttr wanted,
                               Operation *before, OpOperand *use,
                               const Twine &reason, const Halo &halo) {
  PlacementAttr present = getPlacement(value);
  InFlightDiagnostic error = before->emitOpError()
                             << "needs an implicit redistribution, which "
                                "strict forbids: "
                             << reason << " from " << present << " to "
                             << wanted;
  auto type = cast<RankedTensorType>(value.getType());
  if (meshes.get(present).isConcrete() &&
      present.getMesh() == wanted.getMesh()) {
    auto cost = MoveCosts(meshes, CostMode::Bytes).get(present, wanted, type);
    if (!halo.empty())
      error << ", " << bytesFor(type, present, wanted, halo)
            << " bytes per device";
    else if (cost)
      error << ", " << cost->bytes << " bytes per device";
  }
  error << "; ask for it with shardir.constrain";
  auto module = function->getParentOfType<ModuleOp>();
  auto blame = [&](StringRef what, const std::string &who, Location otherwise) {
    error.attachNote(locateAnnotation(who, module).value_or(otherwise))
        << what << " by " << who;
  };
  if (std::string mine = decidedBy(value); !mine.empty())
    blame("the tensor is placed so", mine, value.getLoc());
  else if (auto argument = dyn_cast<BlockArgument>(value);
           argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    error.attachNote(value.getLoc())
        << "argument " << argument.getArgNumber() << " of @"
        << function.getSymName()
        << " is whole: annotated so, or no annotation brings an axis to it";
  else
    error.attachNote(value.getLoc())
        << "the tensor is whole: no annotation brings an axis to it";
  std::string theirs = use ? decidedByOfUse(*use) : "";
  if (theirs.empty())
    error.attachNote(before->getLoc())
        << "no annotation asks for the other placement, but the op's rule does";
  else
    blame("the other placement is asked for", theirs, before->getLoc());
  return error;
}

FailureOr<Value> Inserter::obtain(Value value, PlacementAttr wanted,
                                  Operation *before, bool isExplicit,
                                  const Twine &reason, const Halo &halo,
                                  OpOperand *use) {
  PlacementAttr present = getPlacement(value);
  if (!present)
    return before->emitOpError("uses a tensor without a placement; run "
                               "shardir-propagate first");
  auto type = cast<RankedTensorType>(value.getType());
  if (present.getMesh() == wanted.getMesh() &&
      agrees(present.getValue(), presentHalo(value), wanted.getValue(), halo,
             meshes.get(wanted), shapeOf(type)))
    return value;
  Placement normal = normalForm(wanted.getValue(), meshes.get(wanted),
                                blockShape(shapeOf(type), halo));
  std::string key = toString(wanted.getMesh().getValue().str(), normal) +
                    (halo.empty() ? "" : toString(halo));
  // Equal open windows may be in different places.
  if (use && numOpenWindows(halo))
    key += std::to_string(reinterpret_cast<uintptr_t>(use));
  // What another branch made is not there; what one made in a loop is outside
  // of it no more.
  if (Value cached = known[value].lookup(key);
      cached && cached.getParentRegion()->isAncestor(before->getParentRegion()))
    return cached;
  wanted = PlacementAttr::get(wanted.getContext(), wanted.getMesh(), normal);
  if (isFresh(value) && halo.empty()) {
    // Others may have an empty tensor there already.
    Value init;
    if (auto fill = value.getDefiningOp<DestinationStyleOpInterface>()) {
      FailureOr<Value> there =
          obtain(fill.getDpsInits()[0], wanted, before, isExplicit, reason);
      if (failed(there))
        return failure();
      init = *there;
    }
    OpBuilder builder(before);
    return known[value][key] = cloneFresh(builder, value, wanted, before, init);
  }
  if (isFresh(value)) {
    // What a window reads of it is cut from the whole, which costs nothing to
    // send.
    present = PlacementAttr::get(wanted.getContext(), wanted.getMesh(),
                                 Placement::replicatedOfRank(type.getRank()));
    FailureOr<Value> whole =
        obtain(value, present, before, /*isExplicit=*/true, reason);
    if (failed(whole))
      return failure();
    value = *whole;
  }
  if (!isExplicit) {
    FailureOr<Value> made = makeAnew(value, wanted, before, halo);
    if (failed(made))
      return failure();
    if (*made)
      return known[value][key] = *made;
  }
  if (strict && !isExplicit)
    return refuse(value, wanted, before, use, reason, halo);
  OpBuilder builder(before);
  std::string change =
      present.getMesh() == wanted.getMesh()
          ? describeChange(present.getValue(), wanted.getValue(),
                           meshes.get(wanted), halo)
          : "moves from mesh @" + meshes.get(present).name + " to mesh @" +
                meshes.get(wanted).name;
  std::string why = (reason + ": " + change).str();
  auto op = RedistributeOp::create(
      builder, before->getLoc(), type, value, present, wanted,
      haloAttr(builder.getContext(), halo), builder.getStringAttr(why),
      use ? windowValues(use->getOwner(), use->getOperandNumber(), halo)
          : SmallVector<Value>());
  inserted.insert(op);
  return known[value][key] = op.getResult();
}

SmallVector<Value> Inserter::windowValues(Operation *op, unsigned i,
                                          const Halo &halo) {
  SmallVector<Value> values;
  if (!numOpenWindows(halo))
    return values;
  OpBuilder builder(op);
  IndexMath math(builder, op->getLoc());
  SharedRule rule = getShardingRule(op);
  // Extents are asked of what has no halo.
  auto plain = [&](Value value) {
    while (true) {
      auto moved = value.getDefiningOp<RedistributeOp>();
      Value before = moved ? moved.getInput() : madeFrom.lookup(value);
      if (!before)
        return value;
      value = before;
    }
  };
  auto valueOf = [&](const RunTimeNumber &number) {
    OpFoldResult sum = math.constant(number.constant);
    for (const RunTimeNumber::Term &term : number.terms) {
      OpFoldResult own = op->getOperand(term.operand);
      if (term.dim >= 0)
        own =
            tensor::getMixedSize(builder, op->getLoc(),
                                 plain(op->getOperand(term.operand)), term.dim);
      else if (auto known = getConstantIntValue(own))
        own = builder.getIndexAttr(*known);
      sum = math.add(sum, math.mul(own, term.factor));
    }
    return math.value(sum);
  };
  for (size_t dim = 0; dim < halo.size(); ++dim)
    if (halo[dim].isOpen) {
      const Window::Open &open = *rule->operands[i].window(dim)->open;
      values.push_back(valueOf(open.extent));
      values.push_back(valueOf(open.shift));
    }
  return values;
}

int64_t Inserter::bytesFor(RankedTensorType type, PlacementAttr from,
                           PlacementAttr to, const Halo &halo) const {
  const Mesh &mesh = meshes.get(to);
  Placement source = from.getValue(), target = to.getValue();
  // What is owed is reduced either way.
  for (Placement *placement : {&source, &target}) {
    placement->partial.reset();
    placement->partialAxes.clear();
  }
  CollectiveStep step{CollectiveKind::HaloExchange, source, target, halo};
  int64_t most = 0;
  for (int64_t p = 0, e = mesh.numDevices(); p < e; ++p)
    most = std::max(
        most, bytesReceived(step, mesh, shapeOf(type), elementBytes(type), p));
  return most;
}

FailureOr<Value> Inserter::makeAnew(Value value, PlacementAttr wanted,
                                    Operation *before, const Halo &halo) {
  Operation *op = value.getDefiningOp();
  // In a loop it would be made each time around.
  if (!op || op->getNumResults() != 1 || op->getBlock() != before->getBlock() ||
      op->hasAttr(ShardIRDialect::kHalo) ||
      op->hasAttr(ShardIRDialect::kConstrained) || numOpenWindows(halo))
    return Value();
  PlacementAttr present = getPlacement(value);
  SharedRule rule = getShardingRule(op);
  if (!rule->takesResultHalo || present.getMesh() != wanted.getMesh())
    return Value();
  // Operands that were redistributed for this op are taken from where they
  // were.
  SmallVector<Value> sources;
  SmallVector<std::optional<Placement>> placements;
  int64_t made = 0;
  int64_t kept =
      bytesFor(cast<RankedTensorType>(value.getType()), present, wanted, halo);
  for (Value operand : op->getOperands()) {
    operand = originOf(operand, wanted.getMesh().getValue(),
                       value.hasOneUse() ? &kept : nullptr);
    // Overlapping shards are for the op that asked for them alone.
    if (auto moved = operand.getDefiningOp<RedistributeOp>();
        moved && moved.getHalo())
      return Value();
    sources.push_back(operand);
    PlacementAttr own = isa<RankedTensorType>(operand.getType())
                            ? getPlacement(operand)
                            : PlacementAttr();
    if (own && own.getMesh() != wanted.getMesh())
      return Value();
    placements.push_back(own ? std::optional(own.getValue()) : std::nullopt);
  }
  const Mesh &mesh = meshes.get(wanted);
  auto inferred = inferSharding(rule, {wanted.getValue()}, placements, mesh);
  auto *sharding = std::get_if<OpSharding>(&inferred);
  if (!sharding)
    return Value();
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (!placements[i])
      continue;
    auto own = haloOf(rule, i, sharding->splits, mesh, halo);
    if (!own)
      return Value();
    if (isFresh(source))
      continue;
    auto attr = [&](const Placement &placement) {
      return PlacementAttr::get(wanted.getContext(), wanted.getMesh(),
                                placement);
    };
    made += bytesFor(cast<RankedTensorType>(source.getType()),
                     attr(*placements[i]), attr(sharding->operands[i]), *own);
  }
  if (made > kept || (made == kept && halo.empty() && !value.hasOneUse()))
    return Value();
  OpBuilder builder(before);
  Operation *clone = builder.clone(*op);
  clone->setOperands(sources);
  clone->setAttr(ShardIRDialect::kPlacements,
                 builder.getArrayAttr({Attribute(wanted)}));
  if (!halo.empty())
    clone->setAttr(ShardIRDialect::kHalo, haloAttr(builder.getContext(), halo));
  // What no annotation has decided is now there for its user's reason.
  if (Attribute reason = before->getAttr(ShardIRDialect::kDecidedBy);
      reason && !clone->hasAttr(ShardIRDialect::kDecidedBy))
    clone->setAttr(ShardIRDialect::kDecidedBy, reason);
  remade.insert(op);
  madeFrom[clone->getResult(0)] = value;
  if (failed(visit(clone)))
    return failure();
  return clone->getResult(0);
}

Value Inserter::originOf(Value value, StringRef mesh, int64_t *bytes) {
  if (!value.hasOneUse())
    bytes = nullptr;
  if (Value origin = madeFrom.lookup(value)) {
    for (Value operand : value.getDefiningOp()->getOperands())
      originOf(operand, mesh, bytes);
    remade.insert(value.getDefiningOp());
    return origin;
  }
  // What the user asked for stays, and what is owed is reduced once.
  auto moved = value.getDefiningOp<RedistributeOp>();
  if (!moved || !inserted.contains(moved) ||
      moved->hasAttr(ShardIRDialect::kConstrained) ||
      moved.getFrom().getMesh().getValue() != mesh ||
      moved.getFrom().getValue().partial != moved.getTo().getValue().partial)
    return value;
  if (bytes)
    *bytes += bytesFor(moved.getType(), moved.getFrom(), moved.getTo(),
                       readHalo(moved.getHaloAttr()));
  return originOf(moved.getInput(), mesh, bytes);
}

LogicalResult Inserter::require(OpOperand &operand, const Placement &wanted,
                                StringRef mesh, bool isExplicit,
                                const Twine &reason, const Halo &halo) {
  FailureOr<Value> value = obtain(
      operand.get(), PlacementAttr::get(function.getContext(), mesh, wanted),
      operand.getOwner(), isExplicit, reason, halo, &operand);
  if (failed(value))
    return failure();
  operand.set(*value);
  return success();
}

LogicalResult Inserter::visitReturn(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto wanted = dyn_cast_or_null<PlacementAttr>(
        function.getResultAttr(i, ShardIRDialect::kPlacement));
    if (!wanted)
      continue;
    if (failed(require(operand, wanted.getValue(), wanted.getMesh().getValue(),
                       /*isExplicit=*/true,
                       "result " + Twine(i) + " of @" + function.getSymName() +
                           " is placed so")))
      return failure();
  }
  return success();
}

LogicalResult Inserter::visitStep(Operation *op, PlacementAttr from) {
  return require(op->getOpOperand(0), from.getValue(),
                 from.getMesh().getValue(), /*isExplicit=*/true,
                 "operand of '" + op->getName().getStringRef() + "'");
}

LogicalResult Inserter::visitConstrain(ConstrainOp op) {
  PlacementAttr decided = getResultPlacement(cast<OpResult>(op.getResult()));
  if (!decided)
    return op.emitOpError("has no placement; run shardir-propagate first");
  FailureOr<Value> value =
      obtain(op.getInput(), decided, op,
             /*isExplicit=*/true, "asked for by constrain");
  if (failed(value))
    return failure();
  // What the user asked for must survive the passes that place for less
  // traffic.
  if (Operation *producer = value->getDefiningOp())
    producer->setAttr(ShardIRDialect::kConstrained,
                      UnitAttr::get(op.getContext()));
  op.getResult().replaceAllUsesWith(*value);
  op.erase();
  return success();
}

/// An op over two meshes runs on its result's (R10): worth a remark, for the
/// other operands move there.
void Inserter::remarkOnMeshes(Operation *op, StringRef mesh) {
  llvm::SetVector<StringRef> others;
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, capturedTensors(op));
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()))
      if (PlacementAttr present = getPlacement(value);
          present && present.getMesh().getValue() != mesh && !isFresh(value))
        others.insert(present.getMesh().getValue());
  if (others.empty())
    return;
  InFlightDiagnostic remark = op->emitRemark("runs on mesh @")
                              << mesh << ", the one of its result; operands on "
                              << (others.size() == 1 ? "mesh " : "meshes ");
  llvm::interleaveComma(others, remark,
                        [&](StringRef other) { remark << "@" << other; });
  remark << " move there";
}

/// What enters or leaves a region has the placement of what it becomes there.
LogicalResult Inserter::visitTied(Operation *op) {
  for (auto [operand, wanted] : getTiedOperands(op)) {
    bool leaves = op->hasTrait<OpTrait::IsTerminator>();
    Operation *parent = leaves ? op->getParentOp() : op;
    if (!wanted)
      return parent->emitOpError("has a tensor without a placement; run "
                                 "shardir-propagate first");
    if (failed(require(*operand, wanted.getValue(), wanted.getMesh().getValue(),
                       /*isExplicit=*/false, describeUse(*operand))))
      return failure();
  }
  return success();
}

/// Numbers that other ranks use as well are read where all of them are.
LogicalResult Inserter::bringScalars(Operation *op) {
  FailureOr<const Mesh *> mesh = findMeshForScalars(op, meshes);
  if (failed(mesh))
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && *mesh &&
        failed(require(operand, Placement::replicatedOfRank(type.getRank()),
                       (*mesh)->name, /*isExplicit=*/false,
                       describeUse(operand))))
      return failure();
  }
  return success();
}

LogicalResult Inserter::visit(Operation *op) {
  if (auto constrain = dyn_cast<ConstrainOp>(op))
    return visitConstrain(constrain);
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return visitStep(op, redistribute.getFrom());
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
    return visitStep(op, step.getFrom());
  if (auto region = asShardableRegion(op)) {
    if (failed(visitTied(op)))
      return failure();
    for (Region &each : op->getRegions())
      if (!each.empty() && failed(visitBlock(each.front())))
        return failure();
    return success();
  }
  if (failed(bringScalars(op)))
    return failure();
  FailureOr<OperandRequirements> needed = requiredOperands(op, meshes);
  if (failed(needed))
    return failure();
  // From here on the operands themselves say so.
  op->removeAttr(kOperands);
  StringRef name = op->getName().getStringRef();
  if (!needed->mesh.empty() && !strict)
    remarkOnMeshes(op, needed->mesh);
  // Operands first: a captured tensor may be one of them as well.
  SmallVector<Value> captured = capturedTensors(op);
  for (auto [i, wanted] : llvm::enumerate(needed->operands)) {
    if (!wanted)
      continue;
    if (i < op->getNumOperands()) {
      if (failed(require(op->getOpOperand(i), *wanted, needed->mesh,
                         /*isExplicit=*/false,
                         "operand " + Twine(i) + " of '" + name + "'",
                         needed->halos[i])))
        return failure();
      continue;
    }
    Value value = captured[i - op->getNumOperands()];
    FailureOr<Value> whole = obtain(
        value, PlacementAttr::get(op->getContext(), needed->mesh, *wanted), op,
        /*isExplicit=*/false,
        "the body of '" + name + "' reads it" +
            (wanted->isReplicated() ? " whole" : ""));
    if (failed(whole))
      return failure();
    if (*whole != value)
      value.replaceUsesWithIf(*whole, [&](OpOperand &use) {
        return op->isProperAncestor(use.getOwner());
      });
  }
  return success();
}

/// In a region that runs whole on each device what is asked for cannot be had.
LogicalResult Inserter::dropConstraintsOfWholeRegions() {
  SmallVector<ConstrainOp> nested;
  function.walk([&](ConstrainOp op) {
    if (!isPlacedBlock(op->getBlock()))
      nested.push_back(op);
  });
  for (ConstrainOp op : nested) {
    StringRef parent = op->getParentOp()->getName().getStringRef();
    if (strict)
      return op.emitOpError("cannot be met inside '")
             << parent << "', which runs whole on each device";
    op.emitRemark() << "has no effect inside '" << parent
                    << "', which runs whole on each device";
    op.getResult().replaceAllUsesWith(op.getInput());
    op.erase();
  }
  return success();
}

LogicalResult Inserter::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  Operation *terminator = block.getTerminator();
  return isa<func::ReturnOp>(terminator) ? visitReturn(terminator)
                                         : visitTied(terminator);
}

/// What was cloned per placement, or made anew for a use, may have no use left,
/// nor what was redistributed for it.
void Inserter::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (asShardableRegion(&op))
      for (Region &region : op.getRegions())
        if (!region.empty())
          eraseUnused(region.front());
    if (!op.use_empty() || op.getNumResults() != 1 ||
        (!remade.contains(&op) && !isFresh(op.getResult(0))))
      continue;
    if (remade.contains(&op))
      for (Value operand : op.getOperands())
        if (auto moved = operand.getDefiningOp<RedistributeOp>())
          remade.insert(moved);
    op.erase();
  }
}

LogicalResult Inserter::run() {
  if (failed(dropConstraintsOfWholeRegions()))
    return failure();
  Block &body = function.getBody().front();
  if (failed(visitBlock(body)))
    return failure();
  eraseUnused(body);
  return success();
}

namespace {

struct InsertRedistributePass
    : shardir::impl::InsertRedistributeBase<InsertRedistributePass> {
  using InsertRedistributeBase::InsertRedistributeBase;

  void runOnOperation() override {
    MeshTable meshes(getOperation());
    if (meshes.all().empty() || isLocalOrLater(getOperation()))
      return;
    auto verified = getCachedAnalysis<VerifiedStage>();
    if (failed(verifyStage(getOperation(), "propagated",
                           verified ? &verified->get() : nullptr)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(Inserter(function, meshes, strict).run()))
        return signalPassFailure();
    shareReasons(getOperation());
    // What equal ops owe is then reduced once; what they alone used has no use
    // after the first round.
    if (mergeEqual)
      mergeEqualOps(getOperation(), /*rounds=*/2);
  }
};

} // namespace
