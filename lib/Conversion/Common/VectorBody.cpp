//===- VectorBody.cpp - A linalg body on several lanes --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a body that isSupported. Guarantees that lanes past the count touch
// no memory and cannot trap; their values are unspecified. Branches become
// selects, which is why only ops that are safe to speculate are supported.
//
//===----------------------------------------------------------------------===//

#include "VectorBody.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;
using namespace shardir;

namespace {
bool isSupportedElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

bool isSupportedOp(Operation *op, bool speculated, bool allLanesExist) {
  if (!llvm::all_of(op->getOperandTypes(),
                    [](Type type) {
                      return isa<MemRefType>(type) || isSupportedElement(type);
                    }) ||
      !llvm::all_of(op->getResultTypes(), isSupportedElement))
    return false;
  if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp, scf::YieldOp>(
          op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return !speculated;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (Operation &nested : region.getOps())
        if (!isSupportedOp(&nested, true, allLanesExist))
          return false;
    return branch->getNumResults() > 0 && !branch.getElseRegion().empty();
  }
  // A lane that does not exist could divide by zero.
  bool mayNotRun = speculated || !allLanesExist;
  if (mayNotRun &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return false;
  // Calls per lane: nothing is gained.
  if (isa<math::IPowIOp, math::FPowIOp>(op))
    return false;
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         OpTrait::hasElementwiseMappableTraits(op);
}
} // namespace

bool VectorBody::isSupported(linalg::LinalgOp op, bool allLanesExist) {
  for (OpOperand &operand : op->getOpOperands())
    if (!isSupportedElement(getElementTypeOrSelf(operand.get().getType())))
      return false;
  return llvm::all_of(*op.getBlock(), [&](Operation &nested) {
    return isSupportedOp(&nested, false, allLanesExist);
  });
}

Value VectorBody::broadcast(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(emit.builder, emit.loc,
                                     vectorOf(value.getType()), value);
}

Value VectorBody::byteAddress(Value flat, Value at) {
  Type type = cast<MemRefType>(flat.getType()).getElementType();
  int64_t bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(emit.builder, emit.loc, flat);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      emit.builder, emit.loc, metadata.getBaseBuffer());
  Index element = emit.add(metadata.getOffset(), Index(at));
  return emit.value(emit.add(base, emit.mul(element, emit.constant(bytes))));
}

Value VectorBody::addressOfResult(unsigned i, ArrayRef<Index> ivs) {
  const NestOperand &operand = nest.results()[i];
  return byteAddress(operand.flat, nest.address(emit, operand, ivs));
}

Value VectorBody::pointer(Value flat, Value at) {
  OpBuilder &builder = emit.builder;
  Value address = byteAddress(flat, at);
  Value integer = arith::IndexCastOp::create(builder, emit.loc,
                                             builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, emit.loc, LLVM::LLVMPointerType::get(builder.getContext()),
      integer);
}

Value VectorBody::loadEveryOther(LoopEmitter &emit, Value flat, Value at,
                                 VectorType type, std::optional<Index> count) {
  int64_t lanes = type.getNumElements();
  // The second vector ends with the last element that is read: what follows may
  // not exist.
  auto load = [&](int64_t from) -> Value {
    Value first = emit.value(emit.add(Index(at), emit.constant(from)));
    if (!count)
      return vector::LoadOp::create(emit.builder, emit.loc, type, flat, first);
    Index exist =
        emit.sub(emit.mul(*count, emit.constant(2)), emit.constant(from + 1));
    return vector::MaskedLoadOp::create(emit.builder, emit.loc, type, flat,
                                        first, emit.mask(lanes, exist),
                                        emit.zero(type));
  };
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(2 * lane + (2 * lane >= lanes));
  Value low = load(0), high = load(lanes - 1);
  return vector::ShuffleOp::create(emit.builder, emit.loc, low, high, picked);
}

Value VectorBody::load(const NestOperand &operand, ArrayRef<Index> ivs,
                       std::optional<Index> count) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  if (operand.scalar)
    return operand.scalar;
  Value at = nest.address(emit, operand, ivs);
  if (operand.isUniform(loop))
    return memref::LoadOp::create(builder, loc, operand.flat, at);
  VectorType type = vectorOf(operand.element);
  if (operand.isUnit(loop)) {
    if (operand.element.isInteger(1)) {
      VectorType bytes = vectorOf(builder.getI8Type());
      Value address = pointer(operand.flat, at), loaded;
      if (count)
        loaded = LLVM::MaskedLoadOp::create(builder, loc, bytes, address,
                                            emit.mask(lanes, *count),
                                            emit.zero(bytes), 1);
      else
        loaded = LLVM::LoadOp::create(builder, loc, bytes, address, 1);
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                   loaded, emit.zero(bytes));
    }
    if (!count)
      return vector::LoadOp::create(builder, loc, type, operand.flat, at);
    return vector::MaskedLoadOp::create(builder, loc, type, operand.flat, at,
                                        emit.mask(lanes, *count),
                                        emit.zero(type));
  }
  if (operand.isEveryOther(loop))
    return loadEveryOther(emit, operand.flat, at, type, count);
  // One element after the other; lanes that don't exist repeat the last.
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Index step = emit.constant(lane);
    if (count)
      step = emit.min(step, emit.sub(*count, emit.constant(1)));
    Value position =
        emit.value(emit.add(Index(at), emit.mul(step, operand.strides[loop])));
    elements.push_back(
        memref::LoadOp::create(builder, loc, operand.flat, position));
  }
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

void VectorBody::bindInput(unsigned i, Value value) {
  mapping.map(nest.getOp().getBlock()->getArgument(i), value);
}

void VectorBody::loadInputs(ArrayRef<Index> ivs, std::optional<Index> count) {
  Block *body = nest.getOp().getBlock();
  for (unsigned i = 0; i < nest.numInputs(); ++i) {
    if (body->getArgument(i).use_empty() ||
        mapping.contains(body->getArgument(i)))
      continue;
    const NestOperand &operand = nest.operands[i];
    mapping.map(body->getArgument(i), load(operand, ivs, count));
    if (operand.ahead != 0)
      memref::PrefetchOp::create(
          emit.builder, emit.loc, operand.flat,
          emit.value(emit.add(operand.address(emit, ivs),
                              emit.constant(operand.ahead))),
          /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

Value VectorBody::loadResult(unsigned i, ArrayRef<Index> ivs,
                             std::optional<Index> count) {
  return load(nest.results()[i], ivs, count);
}

void VectorBody::noteConsecutive(Operation *op) {
  OpBuilder &builder = emit.builder;
  if (isa<arith::IndexCastOp>(op)) {
    if (Value base = consecutive.lookup(op->getOperand(0)))
      consecutive[op->getResult(0)] = arith::IndexCastOp::create(
          builder, emit.loc, op->getResult(0).getType(), base);
    return;
  }
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return;
  Value lhs = consecutive.lookup(op->getOperand(0)),
        rhs = consecutive.lookup(op->getOperand(1));
  Value x = lhs ? lhs : mapping.lookupOrDefault(op->getOperand(0)),
        y = rhs ? rhs : mapping.lookupOrDefault(op->getOperand(1));
  bool steps = isa<arith::AddIOp>(op) ? bool(lhs) != bool(rhs) : lhs && !rhs;
  if (!steps || isa<VectorType>(x.getType()) || isa<VectorType>(y.getType()))
    return;
  OperationState state(emit.loc, op->getName(), {x, y},
                       {op->getResult(0).getType()});
  consecutive[op->getResult(0)] = builder.create(state)->getResult(0);
}

Value VectorBody::loadRow(Value memref, ValueRange at,
                          std::optional<Index> count) {
  OpBuilder &builder = emit.builder;
  VectorType type =
      vectorOf(cast<MemRefType>(memref.getType()).getElementType());
  if (!count)
    return vector::LoadOp::create(builder, emit.loc, type, memref, at);
  return vector::MaskedLoadOp::create(builder, emit.loc, type, memref, at,
                                      emit.mask(lanes, *count),
                                      emit.zero(type));
}

Value VectorBody::emitLoad(Operation *op, std::optional<Index> count) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  auto load = cast<memref::LoadOp>(op);
  Value memref = mapping.lookupOrDefault(load.getMemref());
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> at;
  for (Value index : load.getIndices())
    at.push_back(mapping.lookupOrDefault(index));
  auto isLane = [](Value value) { return isa<VectorType>(value.getType()); };
  if (llvm::none_of(at, isLane))
    return memref::LoadOp::create(builder, loc, memref, at);

  // Along a row, as when rows of a table are gathered.
  int64_t offset;
  SmallVector<int64_t> strides;
  if (llvm::none_of(ArrayRef<Value>(at).drop_back(), isLane) &&
      !type.getElementType().isInteger(1) &&
      succeeded(type.getStridesAndOffset(strides, offset)) &&
      strides.back() == 1) {
    if (Value base = consecutive.lookup(load.getIndices().back())) {
      at.back() = base;
      return loadRow(memref, at, count);
    }
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Index position = emit.constant(lane);
    if (count)
      position = emit.min(position, emit.sub(*count, emit.constant(1)));
    SmallVector<Value> here;
    for (Value index : at)
      here.push_back(isLane(index) ? Value(vector::ExtractOp::create(
                                         builder, loc, index,
                                         ArrayRef<OpFoldResult>{position}))
                                   : index);
    elements.push_back(memref::LoadOp::create(builder, loc, memref, here));
  }
  return vector::FromElementsOp::create(
      builder, loc, vectorOf(type.getElementType()), elements);
}

void VectorBody::emitOp(Operation *op, ArrayRef<Index> ivs,
                        std::optional<Index> count) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Value base = emit.value(ivs[index.getDim()]);
    if (static_cast<int>(index.getDim()) != loop) {
      mapping.map(index.getResult(), base);
      return;
    }
    Value steps =
        vector::StepOp::create(builder, loc, vectorOf(builder.getIndexType()));
    mapping.map(index.getResult(),
                arith::AddIOp::create(builder, loc, broadcast(base), steps)
                    .getResult());
    consecutive[index.getResult()] = base;
    return;
  }
  if (isa<memref::LoadOp>(op)) {
    mapping.map(op->getResult(0), emitLoad(op, count));
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    SmallVector<SmallVector<Value>> sides;
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      for (Operation &nested : block->without_terminator())
        emitOp(&nested, ivs, count);
      SmallVector<Value> &side = sides.emplace_back();
      for (Value value : block->getTerminator()->getOperands())
        side.push_back(mapping.lookupOrDefault(value));
    }
    Value condition = mapping.lookupOrDefault(branch.getCondition());
    for (auto [result, then, otherwise] :
         llvm::zip(branch.getResults(), sides[0], sides[1])) {
      bool lanewise = isa<VectorType>(condition.getType()) ||
                      isa<VectorType>(then.getType()) ||
                      isa<VectorType>(otherwise.getType());
      Value x = lanewise ? broadcast(then) : then,
            y = lanewise ? broadcast(otherwise) : otherwise,
            c = lanewise ? broadcast(condition) : condition;
      mapping.map(result,
                  arith::SelectOp::create(builder, loc, c, x, y).getResult());
    }
    return;
  }
  SmallVector<Value> operands;
  bool lanewise = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(mapping.lookupOrDefault(operand));
    lanewise |= isa<VectorType>(operands.back().getType());
  }
  if (!lanewise) {
    Operation *clone = builder.clone(*op, mapping);
    mapping.map(op->getResults(), clone->getResults());
    return;
  }
  noteConsecutive(op);
  for (Value &operand : operands)
    operand = broadcast(operand);
  OperationState state(loc, op->getName(), operands,
                       {vectorOf(op->getResult(0).getType())},
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  mapping.map(op->getResult(0), builder.create(state)->getResult(0));
}

SmallVector<Value> VectorBody::run(ArrayRef<Index> ivs, ValueRange results,
                                   std::optional<Index> count) {
  Block *body = nest.getOp().getBlock();
  for (auto [i, value] : llvm::enumerate(results))
    if (value)
      mapping.map(body->getArgument(nest.numInputs() + i), value);
  for (Operation &op : body->without_terminator())
    emitOp(&op, ivs, count);
  SmallVector<Value> yielded;
  for (Value value : body->getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}

void VectorBody::store(unsigned i, Value value, ArrayRef<Index> ivs,
                       std::optional<Index> count) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  const NestOperand &operand = nest.results()[i];
  Value at = nest.address(emit, operand, ivs);
  if (operand.isUniform(loop)) {
    memref::StoreOp::create(builder, loc, value, operand.flat, at);
    return;
  }
  value = broadcast(value);
  if (operand.isUnit(loop)) {
    if (operand.element.isInteger(1)) {
      Value bytes = arith::ExtUIOp::create(
          builder, loc, vectorOf(builder.getI8Type()), value);
      Value address = pointer(operand.flat, at);
      if (count)
        LLVM::MaskedStoreOp::create(builder, loc, bytes, address,
                                    emit.mask(lanes, *count), 1);
      else
        LLVM::StoreOp::create(builder, loc, bytes, address, 1);
      return;
    }
    if (count)
      vector::MaskedStoreOp::create(builder, loc, operand.flat, at,
                                    emit.mask(lanes, *count), value);
    else
      vector::StoreOp::create(
          builder, loc, value, operand.flat, at, operand.streamed,
          operand.streamed ? llvm::MaybeAlign(operand.bytes() * lanes)
                           : llvm::MaybeAlign());
    return;
  }
  if (operand.isEveryOther(loop)) {
    SmallVector<bool> written;
    for (int64_t lane = 0; lane < lanes; ++lane)
      written.push_back(lane % 2 == 0);
    Value even = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(VectorType::get(lanes, builder.getI1Type()),
                               ArrayRef(written)));
    for (int64_t from : {int64_t(0), lanes}) {
      SmallVector<int64_t> picked;
      for (int64_t lane = 0; lane < lanes; ++lane)
        picked.push_back((from + lane) / 2);
      Value mask = even;
      if (count)
        mask = arith::AndIOp::create(
            builder, loc, even,
            emit.mask(lanes, emit.sub(emit.mul(*count, emit.constant(2)),
                                      emit.constant(from))));
      vector::MaskedStoreOp::create(
          builder, loc, operand.flat,
          emit.value(emit.add(Index(at), emit.constant(from))), mask,
          vector::ShuffleOp::create(builder, loc, value, value, picked));
    }
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value position = emit.value(emit.add(
        Index(at), emit.mul(emit.constant(lane), operand.strides[loop])));
    auto storeLane = [&] {
      Value element = vector::ExtractOp::create(builder, loc, value, lane);
      memref::StoreOp::create(builder, loc, element, operand.flat, position);
    };
    if (count)
      emit.branch(emit.lessThan(emit.constant(lane), *count), storeLane);
    else
      storeLane();
  }
}
