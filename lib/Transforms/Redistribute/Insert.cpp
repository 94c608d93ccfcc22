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

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  void eraseUnusedFresh(Block &block);
  void remarkOnMeshes(Operation *op, StringRef mesh);
  /// Gives `operand` the placement `wanted`, if it has another.
  LogicalResult require(OpOperand &operand, const Placement &wanted,
                        StringRef mesh, bool isExplicit, const Twine &reason);
  /// `value` with the placement `wanted`, created in front of `before`.
  FailureOr<Value> obtain(Value value, PlacementAttr wanted, Operation *before,
                          bool isExplicit, const Twine &reason);
  func::FuncOp function;
  const MeshTable &meshes;
  bool strict;
  /// What a value was redistributed to already, by the spelling of the target.
  llvm::DenseMap<Value, llvm::StringMap<Value>> known;
};

} // namespace

FailureOr<Value> Inserter::obtain(Value value, PlacementAttr wanted,
                                  Operation *before, bool isExplicit,
                                  const Twine &reason) {
  PlacementAttr present = getPlacement(value);
  if (!present)
    return before->emitOpError("uses a tensor without a placement; run "
                               "shardir-propagate first");
  auto type = cast<RankedTensorType>(value.getType());
  if (present.getMesh() == wanted.getMesh() &&
      equivalent(present.getValue(), wanted.getValue(), meshes.get(wanted),
                 shapeOf(type)))
    return value;
  Placement normal =
      normalForm(wanted.getValue(), meshes.get(wanted), shapeOf(type));
  std::string key = toString(wanted.getMesh().getValue().str(), normal);
  Value &cached = known[value][key];
  // What another branch made is not there; what one made in a loop is outside
  // of it no more.
  if (cached && cached.getParentRegion()->isAncestor(before->getParentRegion()))
    return cached;
  wanted = PlacementAttr::get(wanted.getContext(), wanted.getMesh(), normal);
  if (isFresh(value)) {
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
  if (strict && !isExplicit)
    return before->emitOpError()
           << "needs an implicit redistribution, which strict forbids: "
           << reason << " from " << present << " to " << wanted
           << "; ask for it with shardir.constrain";
  OpBuilder builder(before);
  std::string change =
      present.getMesh() == wanted.getMesh()
          ? describeChange(present.getValue(), wanted.getValue(),
                           meshes.get(wanted))
          : "moves from mesh @" + meshes.get(present).name + " to mesh @" +
                meshes.get(wanted).name;
  std::string why = (reason + ": " + change).str();
  auto op =
      RedistributeOp::create(builder, before->getLoc(), type, value, present,
                             wanted, ArrayAttr(), builder.getStringAttr(why));
  return cached = op.getResult();
}

LogicalResult Inserter::require(OpOperand &operand, const Placement &wanted,
                                StringRef mesh, bool isExplicit,
                                const Twine &reason) {
  FailureOr<Value> value = obtain(
      operand.get(), PlacementAttr::get(function.getContext(), mesh, wanted),
      operand.getOwner(), isExplicit, reason);
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
                         "operand " + Twine(i) + " of '" + name + "'")))
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

/// What was cloned per placement may have no use left.
void Inserter::eraseUnusedFresh(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (asShardableRegion(&op))
      for (Region &region : op.getRegions())
        if (!region.empty())
          eraseUnusedFresh(region.front());
    if (op.use_empty() && op.getNumResults() == 1 && isFresh(op.getResult(0)))
      op.erase();
  }
}

LogicalResult Inserter::run() {
  if (failed(dropConstraintsOfWholeRegions()))
    return failure();
  Block &body = function.getBody().front();
  if (failed(visitBlock(body)))
    return failure();
  eraseUnusedFresh(body);
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
    if (failed(verifyStage(getOperation(), "propagated")))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(Inserter(function, meshes, strict).run()))
        return signalPassFailure();
  }
};

} // namespace
