//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective to local. Requires concrete meshes and operands that agree
// with their op's rule. Guarantees local types everywhere, one SPMD function in
// which the rank enters through `shardir.axis_index`, and no communication that
// the collective stage did not show.
//
//===----------------------------------------------------------------------===//

#include "GlobalExtents.h"
#include "MeshGuard.h"

#include "ShardIR/Analysis/Extents.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Transforms/Localize/Passes.h"
#include "ShardIR/Transforms/LocalizeSteps.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {
#define GEN_PASS_DEF_LOCALIZE
#include "ShardIR/Transforms/Localize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

class FunctionLocalizer {
public:
  FunctionLocalizer(func::FuncOp function, const MeshTable &meshes)
      : function(function), meshes(meshes), localizer(meshes) {}

  LogicalResult run();

private:
  void record(Value value, PlacementAttr placement, const Halo &halo = {});
  void recordCarried(Value value);
  void checkExtents(Operation *op, const Localizer::Global &global,
                    OpBuilder &builder);
  void recordExtents(BlockArgument argument);
  LogicalResult visitBlock(Block &from, Block &to);
  LogicalResult visit(Operation *op, OpBuilder &builder, MeshGuard &members);
  FailureOr<Operation *> visitRegions(ShardableRegionOpInterface op,
                                      OpBuilder &builder);
  bool isSharded(Value value) const;

  func::FuncOp function;
  const MeshTable &meshes;
  Localizer localizer;
  IRMapping mapping;
  CarriedExtents carried;
  SmallVector<Operation *> told; ///< extents of arguments
  /// Known divisors of extents, with the block in which each is known.
  llvm::DenseSet<std::pair<Value, std::pair<int64_t, Block *>>> divides;
};

} // namespace

/// Notes what whole tensor a value stands for.
void FunctionLocalizer::record(Value value, PlacementAttr placement,
                               const Halo &halo) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && placement)
    localizer.setGlobal(value, {type, placement, halo});
}

/// Notes the unknown extents that a loop or branch carries with `value`.
void FunctionLocalizer::recordCarried(Value value) {
  Localizer::Global global = localizer.global(value);
  for (int64_t dim = 0; global.type && dim < global.type.getRank(); ++dim)
    if (Value extent = carried.lookup({value, dim})) {
      global.extents.resize(global.type.getRank());
      global.extents[dim] = mapping.lookup(extent);
    }
  if (!global.extents.empty())
    localizer.setGlobal(value, global);
}

/// Notes the unknown extents of an argument of the entry, which the runtime
/// tells.
void FunctionLocalizer::recordExtents(BlockArgument argument) {
  Localizer::Global global = localizer.global(argument);
  OpBuilder builder(&argument.getOwner()->front());
  for (int64_t dim = 0; global.type && dim < global.type.getRank(); ++dim) {
    if (!global.type.isDynamicDim(dim) || !localizer.isCut(global, dim))
      continue;
    global.extents.resize(global.type.getRank());
    auto extent =
        ExtentOp::create(builder, argument.getLoc(), builder.getIndexType(),
                         argument.getArgNumber(), dim);
    global.extents[dim] = extent;
    told.push_back(extent);
  }
  if (!global.extents.empty())
    localizer.setGlobal(argument, global);
}

bool FunctionLocalizer::isSharded(Value value) const {
  Localizer::Global global = localizer.global(value);
  return global.placement &&
         (!global.placement.getValue().isReplicated() || !global.halo.empty());
}

/// Placements and rules are about whole tensors; from here on types are local.
static void dropPlacements(Operation *op) {
  op->walk([](Operation *inner) {
    inner->removeAttr(ShardIRDialect::kPlacements);
    inner->removeAttr(ShardIRDialect::kCarried);
    inner->removeAttr(ShardIRDialect::kDecidedBy);
    inner->removeAttr(kAlternatives);
    inner->removeAttr(ShardIRDialect::kConstrained);
    inner->removeAttr(ShardIRDialect::kHalo);
    inner->removeAttr(ShardIRDialect::kRule);
  });
}

/// An unknown extent must divide by the integers of its placement (P4). Of
/// arguments the runtime checks that, of merged dims the op proves it;
/// elsewhere the program does, before it cuts.
void FunctionLocalizer::checkExtents(Operation *op,
                                     const Localizer::Global &global,
                                     OpBuilder &builder) {
  for (auto [dim, extent] : llvm::enumerate(global.extents)) {
    if (!extent)
      continue;
    int64_t factor = exactFactor(global.placement.getValue().dims[dim],
                                 localizer.meshOf(global.placement));
    if (factor == 1 ||
        !divides.insert({extent, {factor, builder.getBlock()}}).second ||
        isa<tensor::CollapseShapeOp>(op))
      continue;
    Location loc = op->getLoc();
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value rest = arith::RemUIOp::create(builder, loc, extent, constant(factor));
    Value divided = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, rest, constant(0));
    cf::AssertOp::create(builder, loc, divided,
                         ("dim " + Twine(dim) +
                          " has an extent that does not "
                          "divide by " +
                          Twine(factor) +
                          ", in units of which "
                          "its placement cuts it")
                             .str());
  }
}

/// A loop or branch on local values: the same op with new blocks.
FailureOr<Operation *>
FunctionLocalizer::visitRegions(ShardableRegionOpInterface op,
                                OpBuilder &builder) {
  SmallVector<RegionValueGroup> groups = op.getValueGroups();
  for (auto [group, placement] :
       llvm::zip_equal(groups, getGroupPlacements(op, groups)))
    for (Value value : group.values)
      record(value, placement);
  auto localTypeOf = [&](Value whole) -> Type {
    return isa<RankedTensorType>(whole.getType()) ? localizer.localType(whole)
                                                  : whole.getType();
  };
  Operation *local = builder.insert(op->cloneWithoutRegions(mapping));
  for (auto [result, whole] : llvm::zip(local->getResults(), op->getResults()))
    result.setType(localTypeOf(whole));
  for (auto [from, to] : llvm::zip(op->getRegions(), local->getRegions())) {
    if (from.empty())
      continue;
    Block &block = to.emplaceBlock();
    for (BlockArgument argument : from.getArguments())
      mapping.map(argument,
                  block.addArgument(localTypeOf(argument), argument.getLoc()));
    for (BlockArgument argument : from.getArguments())
      recordCarried(argument);
    if (failed(visitBlock(from.front(), block)))
      return failure();
  }
  return local;
}

LogicalResult FunctionLocalizer::visitBlock(Block &from, Block &to) {
  // A function's local ops are appended to its body: only those that are there
  // now are visited.
  SmallVector<Operation *> ops;
  for (Operation &op : from)
    if (!llvm::is_contained(told, &op)) // local already
      ops.push_back(&op);
  MeshGuard members(function, from, to, meshes, localizer, mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&to);
  for (Operation *op : ops)
    if (failed(visit(op, builder, members)))
      return failure();
  return success();
}

/// An op that is cloned tells the extent of its shard by its result's type or
/// by an operand.
static LogicalResult checkCloned(Operation *op, const Localizer &localizer) {
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    RankedTensorType local = localizer.localType(result);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (type.isDynamicDim(dim) || !local.isDynamicDim(dim))
        continue;
      SharedRule rule = getShardingRule(op);
      auto isRead = [&](int factor) {
        return llvm::any_of(rule->operands, [&](const TensorFactors &operand) {
          return llvm::any_of(operand.dims, [&](const DimFactors &own) {
            return llvm::is_contained(own, factor);
          });
        });
      };
      if (llvm::any_of(rule->results[result.getResultNumber()].dims[dim],
                       isRead))
        continue;
      return op->emitOpError("has a sharding rule that splits dim ")
             << dim << " of result " << result.getResultNumber() << ", of size "
             << type.getDimSize(dim)
             << ", by a factor that no operand has, and here its shards differ "
                "in size ("
             << localizer.global(result).placement
             << "): a clone of the op does not know its own; implement "
                "LocalizableOpInterface, or leave the dim without a factor (_)";
    }
  }
  return success();
}

LogicalResult FunctionLocalizer::visit(Operation *op, OpBuilder &builder,
                                       MeshGuard &members) {
  for (OpResult result : op->getResults()) {
    PlacementAttr placement = getResultPlacement(result);
    if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
      placement = step.getTo();
    record(result, placement, presentHalo(result));
  }
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op);
      step && step->getNumResults() == 1 && !step.getDims().empty()) {
    Localizer::Global global = localizer.global(step->getResult(0));
    for (Value number : step.getDims())
      global.windows.push_back(mapping.lookup(number));
    localizer.setGlobal(step->getResult(0), global);
  }
  members.enter(op, builder);
  if (auto region = asShardableRegion(op)) {
    FailureOr<Operation *> local = visitRegions(region, builder);
    if (failed(local))
      return failure();
    mapping.map(op->getResults(), (*local)->getResults());
    for (Value result : op->getResults())
      recordCarried(result);
    return success();
  }
  for (OpResult result : op->getResults()) {
    Localizer::Global global = localizer.global(result);
    if (!global.placement)
      continue;
    auto extents = globalExtentsOf(result, global, builder, localizer, mapping);
    if (failed(extents))
      return failure();
    global.extents = *extents;
    localizer.setGlobal(result, global);
    checkExtents(op, global, builder);
  }
  // A replicated value that other regions capture has a local form of the same
  // type, which can replace it now. The others are replaced where local forms
  // need them.
  SmallVector<Value> captured = capturedTensors(op);
  llvm::erase_if(captured, [&](Value value) { return !isSharded(value); });
  for (Value value : captured)
    localizer.setLocal(value, mapping.lookup(value));
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Value local = mapping.lookupOrNull(operand.get());
            local && !llvm::is_contained(captured, operand.get()))
          operand.set(local);
    });
  SmallVector<Value> results;
  // Of these nothing is left on a device but a collective.
  bool isManual = isa<ManualInOp, ManualOutOp, ManualCollectiveOp>(op);
  bool sharded =
      !captured.empty() ||
      llvm::any_of(op->getOperands(), [&](Value v) { return isSharded(v); }) ||
      llvm::any_of(op->getResults(), [&](Value v) { return isSharded(v); });
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op)) {
    FailureOr<Value> local =
        localizeStep(step, builder, localizer, mapping.lookup(step.getInput()));
    if (failed(local))
      return failure();
    results.push_back(*local);
  } else if (auto interface = dyn_cast<LocalizableOpInterface>(op);
             interface && (sharded || isManual)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(mapping.lookup(operand));
    OpBuilder::InsertionGuard guard(builder);
    FailureOr<SmallVector<Value>> local =
        interface.localize(builder, localizer, operands);
    if (failed(local))
      return failure();
    results = *local;
  } else {
    if (failed(checkCloned(op, localizer)))
      return failure();
    Operation *clone = builder.clone(*op, mapping);
    for (auto [result, whole] :
         llvm::zip(clone->getResults(), op->getResults()))
      if (isa<RankedTensorType>(whole.getType()))
        result.setType(localizer.localType(whole));
    results.append(clone->result_begin(), clone->result_end());
  }
  for (auto [whole, local] : llvm::zip(op->getResults(), results)) {
    if (isa<RankedTensorType>(whole.getType()) &&
        local.getType() != localizer.localType(whole))
      return op->emitOpError("has a local form of type ")
             << local.getType() << ", expected " << localizer.localType(whole);
    mapping.map(whole, local);
  }
  return success();
}

LogicalResult FunctionLocalizer::run() {
  SmallVector<ArrayAttr> extents = resultExtents(function),
                         needed = argumentExtents(function);
  carried = carryExtents(function);
  Block &body = function.getBody().front();
  unsigned count = body.getNumArguments();
  SmallVector<Type> argumentTypes, resultTypes;
  SignatureAttrs signature(function);
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument whole = body.getArgument(i);
    auto placement =
        function.getArgAttrOfType<PlacementAttr>(i, ShardIRDialect::kPlacement);
    record(whole, placement);
    Type type = whole.getType();
    if (isa<RankedTensorType>(type)) {
      signature.setArgument(i, ShardIRDialect::kGlobalType,
                            TypeAttr::get(type));
      signature.removeFromArgument(i, ShardIRDialect::kDecidedBy);
      if (needed[i])
        signature.setArgument(i, ShardIRDialect::kExtents, needed[i]);
      type = localizer.localType(whole);
    }
    argumentTypes.push_back(type);
    mapping.map(whole, body.addArgument(type, whole.getLoc()));
  }
  SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  for (unsigned i = 0; i < count; ++i)
    recordExtents(body.getArgument(i));
  if (failed(visitBlock(body, body)))
    return failure();
  Operation *terminator = body.getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    Type whole = function.getResultTypes()[i];
    signature.removeFromResult(i, ShardIRDialect::kDecidedBy);
    if (isa<RankedTensorType>(whole))
      signature.setResult(i, ShardIRDialect::kGlobalType, TypeAttr::get(whole));
    if (extents[i])
      signature.setResult(i, ShardIRDialect::kExtents, extents[i]);
    resultTypes.push_back(value.getType());
  }
  signature.write();
  for (Operation *op : llvm::reverse(old))
    op->erase();
  for (Operation *op : told)
    if (op->use_empty())
      op->erase();
  body.eraseArguments(0, count);
  function.setType(
      FunctionType::get(function.getContext(), argumentTypes, resultTypes));
  dropPlacements(function);
  return success();
}

namespace {

struct LocalizePass : shardir::impl::LocalizeBase<LocalizePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) >= Stage::Local)
      return;
    WalkResult symbolic = module.walk([](MeshOp mesh) {
      for (auto [name, size] :
           llvm::zip(mesh.getAxisNames(), mesh.getAxisSizes()))
        if (ShapedType::isDynamic(size)) {
          mesh.emitError() << "the size of axis " << name
                           << " is not known; set it with the option mesh=\""
                           << cast<StringAttr>(name).getValue() << "=...\"";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (symbolic.wasInterrupted() ||
        failed(verifyStage(module, Stage::Collective)))
      return signalPassFailure();
    MeshTable meshes(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(FunctionLocalizer(function, meshes).run()))
        return signalPassFailure();
    setStage(module, Stage::Local);
  }
};

} // namespace
