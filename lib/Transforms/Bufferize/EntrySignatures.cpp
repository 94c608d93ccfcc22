//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local. Requires functions on tensors; guarantees, once checkEntries
// has passed, entries on row-major memrefs that return nothing. Scalars travel
// as buffers of rank 0.
//
//===----------------------------------------------------------------------===//

#include "EntrySignatures.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/DevicePosition.h"
#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Runtime/ElementTypes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

SmallVector<func::FuncOp> shardir::findEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      entries.push_back(function);
  return entries;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// `i1, i8, … and f8E5M2`.
static std::string listElementTypes() {
  std::string list;
  for (const ElementTypeInfo &info : kElementTypes) {
    bool isLast = &info == std::end(kElementTypes) - 1;
    list += list.empty() ? "" : isLast ? " and " : ", ";
    list += info.name;
  }
  return list;
}

static LogicalResult checkType(func::FuncOp entry, Type type, StringRef what,
                               unsigned index) {
  auto error = [&]() {
    return entry.emitError() << what << ' ' << index << " of @"
                             << entry.getSymName() << " has type " << type;
  };
  Type element = type;
  if (isa<ShapedType>(type)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return error() << "; an entry takes and returns ranked tensors and "
                        "scalars";
    if (tensor.getEncoding())
      return error() << "; an entry's tensors have no encoding";
    element = tensor.getElementType();
  }
  if (!parseElementType(elementTypeName(element)))
    return error() << "; element types of an entry are " << listElementTypes();
  // The largest element has 8 bytes.
  int64_t bytes = 8;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t extent : tensor.getShape())
      if (!ShapedType::isDynamic(extent) &&
          llvm::MulOverflow(bytes, std::max<int64_t>(extent, 1), bytes))
        return error() << ", which no memory holds: it has more than 2^60 "
                          "elements";
  return success();
}

/// The most ranks that a runtime starts (lib/Runtime/Core/Metadata.cpp).
static constexpr int64_t kMaxRanks = 1 << 16;

/// The global type of a shard, or its own type.
static Type globalType(Attribute global, Type own) {
  auto type = dyn_cast_or_null<TypeAttr>(global);
  return type ? type.getValue() : own;
}

/// A shard has the type that its placement gives it: the runtime cuts arrays
/// by the placement, and code reads them by the type.
static LogicalResult checkShard(func::FuncOp entry, const Localizer &localizer,
                                Type own, Attribute global, Attribute placement,
                                const Twine &what) {
  auto placed = dyn_cast_or_null<PlacementAttr>(placement);
  auto shard = dyn_cast<RankedTensorType>(own);
  if (!placed || !shard)
    return success();
  auto whole = dyn_cast<RankedTensorType>(globalType(global, own));
  if (!whole)
    return success();
  RankedTensorType expected = localizer.localType(whole, placed);
  if (shard.getElementType() == expected.getElementType() &&
      succeeded(verifyCompatibleShape(shard, expected)))
    return success();
  InFlightDiagnostic error =
      entry.emitError() << what << " of @" << entry.getSymName() << " has type "
                        << shard << ", but a shard of " << whole
                        << " placed as " << placed << " is " << expected;
  if (!global)
    error << "; give the whole tensor's type as '"
          << ShardIRDialect::kGlobalType << "'";
  return error;
}

LogicalResult shardir::checkEntries(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal())
      continue;
    if (function.isPublic() ||
        !SymbolTable::symbolKnownUseEmpty(function, module))
      return function.emitError()
             << "@" << function.getSymName()
             << " is declared but has no body; a compiled program calls "
                "nothing outside itself: define it in this module";
  }
  for (auto mesh : module.getOps<MeshOp>())
    if (int64_t ranks = numRanks(mesh); ranks > kMaxRanks)
      return mesh.emitOpError("has ")
             << ranks << " ranks; a program runs on at most " << kMaxRanks;
  MeshTable meshes(module);
  Localizer localizer(meshes);
  for (func::FuncOp entry : findEntries(module)) {
    auto check = [&](Type own, Attribute global, Attribute placement,
                     StringRef what, unsigned i) -> LogicalResult {
      if (failed(checkType(entry, globalType(global, own), what, i)))
        return failure();
      return checkShard(entry, localizer, own, global, placement,
                        what + " " + Twine(i));
    };
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (failed(check(type, entry.getArgAttr(i, ShardIRDialect::kGlobalType),
                       entry.getArgAttr(i, ShardIRDialect::kPlacement),
                       "argument", i)))
        return failure();
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
      if (failed(check(
              type, entry.getResultAttr(i, ShardIRDialect::kGlobalType),
              entry.getResultAttr(i, ShardIRDialect::kPlacement), "result", i)))
        return failure();
    if (!llvm::any_of(entry.getBody(), [](Block &block) {
          return isa<func::ReturnOp>(block.getTerminator());
        }))
      return entry.emitError() << "@" << entry.getSymName() << " never returns";
  }
  return success();
}

static LogicalResult checkCollective(Operation *op) {
  if (isa<collective::SliceOp, collective::MakePartialOp>(op))
    return op->emitOpError("is for localization to replace; run "
                           "shardir-localize before shardir-bufferize");
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op)) {
    if (!step.isLocal())
      return op->emitOpError("on global tensors cannot become a buffer; run "
                             "shardir-localize first");
    Type element = step.getGlobalTensorType().getElementType();
    if (auto complex = dyn_cast<ComplexType>(element))
      element = complex.getElementType();
    if (!parseElementType(elementTypeName(element)))
      return op->emitOpError("moves elements of type ")
             << element << " between devices; those that can move are of type "
             << listElementTypes()
             << ": leave the tensor whole, or convert it first";
    return success();
  }
  if (auto recv = dyn_cast<collective::RecvOp>(op)) {
    auto type = cast_or_null<ShapedType>(
        recv.getResult() ? recv.getResult().getType() : Type());
    if (type && !type.hasStaticShape())
      return op->emitOpError("needs a result of known extents, found ") << type;
    return success();
  }
  auto checkGroup = [](auto rooted) -> LogicalResult {
    auto type = cast_or_null<ShapedType>(
        rooted.getResult() ? rooted.getResult().getType() : Type());
    if (type && type.getRank() > 0 && type.isDynamicDim(0) &&
        collective::detail::groupSize(rooted, rooted.getMeshAttr(),
                                      rooted.getAxes()) == 0)
      return rooted.emitOpError(
          "has a group of unknown size; give the mesh's sizes");
    return success();
  };
  if (auto gather = dyn_cast<collective::GatherOp>(op))
    return checkGroup(gather);
  if (auto scatter = dyn_cast<collective::ScatterOp>(op))
    return checkGroup(scatter);
  return success();
}

/// Ops on tensors that no interface makes ops on buffers, such as what other
/// tools have left of their dialects.
static LogicalResult checkHasBuffers(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (!llvm::any_of(op->getOperandTypes(), isTensor) &&
      !llvm::any_of(op->getResultTypes(), isTensor))
    return success();
  if (isa<bufferization::BufferizableOpInterface, FunctionOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      bufferization::BufferizationDialect::getDialectNamespace() ==
          op->getName().getDialectNamespace())
    return success();
  return op->emitOpError("cannot be compiled: it has no form on buffers; lower "
                         "it to linalg, tensor, arith, math or scf first, by "
                         "passes of yours in the local stage (option "
                         "after-local), or implement BufferizableOpInterface "
                         "and lower it on buffers (option after-bufferized)");
}

LogicalResult shardir::checkOps(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    return failed(checkCollective(op)) || failed(checkHasBuffers(op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void shardir::separateCalledEntries(ModuleOp module) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  SymbolTable &symbols = tables.getSymbolTable(module);
  for (func::FuncOp entry : findEntries(module)) {
    // A clone calls nothing that its original does not.
    if (users.useEmpty(entry))
      continue;
    func::FuncOp body = entry.clone();
    body.setPrivate();
    body.setName((entry.getSymName() + "_called").str());
    symbols.insert(body, std::next(Block::iterator(entry)));
    // All calls, those in the clone included, go to the clone.
    (void)SymbolTable::replaceAllSymbolUses(entry, body.getSymNameAttr(),
                                            module);
  }
}

/// The buffer of a tensor or a scalar, and the type of the global tensor.
static std::pair<MemRefType, RankedTensorType> bufferTypes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    tensor = RankedTensorType::get({}, type);
  return {MemRefType::get(tensor.getShape(), tensor.getElementType()), tensor};
}

std::optional<unsigned> shardir::overwrittenArgument(func::FuncOp entry,
                                                     unsigned result) {
  if (!entry.getResultAttr(result, ShardIRDialect::kInPlace) ||
      !isa<RankedTensorType>(entry.getResultTypes()[result]))
    return std::nullopt;
  return unsigned(
      entry.getResultAttrOfType<IntegerAttr>(result, ShardIRDialect::kAlias)
          .getInt());
}

/// True if `value` may have the buffer of `argument`: it is a view of it, or
/// comes out of a region that has it. With `isWritten`, also what ops have
/// written there.
static bool mayShare(Value value, BlockArgument argument, bool isWritten) {
  while (Operation *op = value.getDefiningOp()) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (destination && isWritten) {
      value = destination.getTiedOpOperand(cast<OpResult>(value))->get();
      continue;
    }
    if (!destination && op->getNumRegions() > 0)
      return llvm::any_of(argument.getUsers(), [&](Operation *user) {
        return op->isAncestor(user);
      });
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::CastOp, OptimizationBarrierOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return value == argument;
}

/// Computes `value`, a result, after the last op that reads `argument`.
static void sinkBehindReaders(Value value, BlockArgument argument) {
  Operation *made = value.getDefiningOp(), *last = made;
  if (!made || !value.hasOneUse() || made->getNumResults() != 1)
    return;
  for (Operation *user : argument.getUsers())
    if (Operation *top = made->getBlock()->findAncestorOpInBlock(*user))
      if (last->isBeforeInBlock(top) && !top->hasTrait<OpTrait::IsTerminator>())
        last = top;
  if (last != made)
    made->moveAfter(last);
}

void shardir::writeIntoArguments(func::FuncOp entry) {
  for (Block &block : entry.getBody()) {
    auto ret = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!ret)
      continue;
    OpBuilder builder(ret);
    Location loc = ret.getLoc();
    // An argument that another result is written into is copied first.
    SmallVector<OpOperand *> fresh;
    for (OpOperand &value : ret->getOpOperands()) {
      std::optional<unsigned> i =
          overwrittenArgument(entry, value.getOperandNumber());
      if (!i)
        continue;
      BlockArgument argument = entry.getArgument(*i);
      // A value that ops have written into the argument is in its place.
      bool isUpdate = mayShare(value.get(), argument, /*isWritten=*/true);
      if (!isUpdate) {
        sinkBehindReaders(value.get(), argument);
        fresh.push_back(&value);
      }
      for (OpOperand &other : ret->getOpOperands())
        if (auto type = dyn_cast<RankedTensorType>(other.get().getType());
            type && &other != &value &&
            mayShare(other.get(), argument, isUpdate))
          other.set(bufferization::AllocTensorOp::create(
              builder, loc, type, ValueRange(), other.get()));
    }
    for (OpOperand *value : fresh)
      value->set(bufferization::MaterializeInDestinationOp::create(
                     builder, loc, value->get().getType(), value->get(),
                     entry.getArgument(*overwrittenArgument(
                         entry, value->getOperandNumber())))
                     .getResult());
  }
}

/// Attributes of an argument or result with its global type spelled out.
static DictionaryAttr withGlobalType(DictionaryAttr attributes,
                                     RankedTensorType type, bool isResult) {
  NamedAttrList list(attributes);
  Attribute alias = list.erase(ShardIRDialect::kAlias);
  if (list.get(ShardIRDialect::kInPlace))
    list.set(ShardIRDialect::kInPlace, alias);
  if (!list.get(ShardIRDialect::kGlobalType))
    list.set(ShardIRDialect::kGlobalType, TypeAttr::get(type));
  if (isResult)
    list.set(ShardIRDialect::kResult, UnitAttr::get(type.getContext()));
  return list.getDictionary(type.getContext());
}

void shardir::rewriteToBuffers(func::FuncOp entry) {
  OpBuilder builder(entry.getContext());
  Location loc = entry.getLoc();
  Block &body = entry.getBody().front();
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  auto attributesAt = [](ArrayAttr all, unsigned i) {
    return all ? cast<DictionaryAttr>(all[i]) : DictionaryAttr();
  };

  llvm::SmallDenseSet<unsigned> overwritten;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (std::optional<unsigned> argument = overwrittenArgument(entry, i))
      overwritten.insert(*argument);

  builder.setInsertionPointToStart(&body);
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    auto [buffer, tensor] = bufferTypes(argument.getType());
    types.push_back(buffer);
    attributes.push_back(withGlobalType(
        attributesAt(entry.getArgAttrsAttr(), i), tensor, false));
    Type type = argument.getType();
    argument.setType(buffer);
    // Writable only if a result is written into the argument: bufferization
    // makes a copy for other ops that would write to it.
    Value value =
        isa<TensorType>(type)
            ? bufferization::ToTensorOp::create(
                  builder, loc, type, argument, /*restrict=*/true,
                  /*writable=*/overwritten.contains(unsigned(i)))
                  .getResult()
            : memref::LoadOp::create(builder, loc, argument).getResult();
    argument.replaceAllUsesExcept(value, value.getDefiningOp());
  }

  SmallVector<Value> outputs;
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes())) {
    auto [buffer, tensor] = bufferTypes(type);
    types.push_back(buffer);
    attributes.push_back(
        withGlobalType(attributesAt(entry.getResAttrsAttr(), i), tensor, true));
    Value output = body.addArgument(buffer, loc);
    if (std::optional<unsigned> argument = overwrittenArgument(entry, i))
      output = body.getArgument(*argument);
    outputs.push_back(output);
  }
  for (Block &block : entry.getBody()) {
    auto ret = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!ret)
      continue;
    builder.setInsertionPoint(ret);
    for (auto [value, output] : llvm::zip(ret.getOperands(), outputs)) {
      if (isa<TensorType>(value.getType()))
        bufferization::MaterializeInDestinationOp::create(
            builder, ret.getLoc(), Type(), value, output, /*restrict=*/true,
            /*writable=*/true);
      else
        memref::StoreOp::create(builder, ret.getLoc(), value, output);
    }
    ret.getOperandsMutable().clear();
  }

  entry.removeResAttrsAttr();
  entry.setFunctionType(builder.getFunctionType(types, {}));
  entry.setArgAttrsAttr(builder.getArrayAttr(attributes));
}
