//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires collectives on contiguous buffers; guarantees
// calls that match Runtime/Abi.h. Small arrays of extents live on the stack of
// the function, not of the loop around a call.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"

#include "Metadata.h"

#include "ShardIR/Conversion/BufferAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

RuntimeCalls::RuntimeCalls(ModuleOp module)
    : module(module), declarations(OpBuilder::atBlockEnd(module.getBody())),
      pointer(LLVM::LLVMPointerType::get(module.getContext())),
      i32(declarations.getI32Type()), i64(declarations.getI64Type()) {}

LLVM::LLVMFuncOp RuntimeCalls::declare(StringRef name, Type result,
                                       ArrayRef<Type> parameters) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  return LLVM::LLVMFuncOp::create(
      declarations, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, parameters));
}

Value RuntimeCalls::dataPointer(OpBuilder &builder, Location loc,
                                Value buffer) {
  if (!buffer)
    return LLVM::ZeroOp::create(builder, loc, pointer);
  if (isOnHost(buffer))
    return hostPointer(buffer);
  return bufferAddress(builder, loc, buffer);
}

Value RuntimeCalls::hostPointer(Value buffer) {
  auto cast = buffer.getDefiningOp<UnrealizedConversionCastOp>();
  return cast ? cast.getOperand(0) : Value();
}

void RuntimeCalls::allocateOnHost(memref::AllocOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MemRefType type = op.getType();
  Value bytes = arith::ConstantIndexOp::create(
      builder, loc, elementBytes(type.getElementType()));
  for (OpFoldResult size : op.getMixedSizes())
    bytes = arith::MulIOp::create(
        builder, loc, bytes,
        getValueOrCreateConstantIndexOp(builder, loc, size));
  Value count = arith::IndexCastOp::create(builder, loc, i64, bytes);
  auto callee = declare("shardir_host_alloc", pointer, {i64});
  Value data = LLVM::CallOp::create(builder, loc, callee, count).getResult();
  op.replaceAllUsesWith(
      UnrealizedConversionCastOp::create(builder, loc, type, data)
          .getResult(0));
  op.erase();
}

LogicalResult RuntimeCalls::freeOnHost(memref::DeallocOp op) {
  Value data = hostPointer(op.getMemref());
  if (!data)
    return op.emitOpError("frees memory of the host that control flow or a "
                          "call has made; allocate and free it in one block");
  OpBuilder builder(op);
  auto callee = declare("shardir_host_free",
                        LLVM::LLVMVoidType::get(op.getContext()), {pointer});
  LLVM::CallOp::create(builder, op.getLoc(), callee, data);
  op.erase();
  return success();
}

/// The start of the function that `op` is in.
static OpBuilder atFunctionStart(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return OpBuilder::atBlockBegin(&function.getBody().front());
}

Value RuntimeCalls::storeDims(OpBuilder &builder, Operation *op,
                              ValueRange dims) {
  Location loc = op->getLoc();
  if (dims.empty())
    return LLVM::ZeroOp::create(builder, loc, pointer);
  OpBuilder start = atFunctionStart(op);
  Value size = LLVM::ConstantOp::create(start, loc,
                                        start.getI64IntegerAttr(dims.size()));
  Value array = LLVM::AllocaOp::create(start, loc, pointer, i64, size);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Value extent = arith::IndexCastOp::create(builder, loc, i64, dim);
    Value place = LLVM::GEPOp::create(builder, loc, pointer, i64, array,
                                      ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, loc, extent, place);
  }
  return array;
}

Value RuntimeCalls::numElements(OpBuilder &builder, Location loc,
                                Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  // Of complex numbers the runtime counts the parts.
  Value count = arith::ConstantIndexOp::create(
      builder, loc, isa<ComplexType>(type.getElementType()) ? 2 : 1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    count = arith::MulIOp::create(
        builder, loc, count, memref::DimOp::create(builder, loc, buffer, dim));
  return arith::IndexCastOp::create(builder, loc, i64, count);
}

static Value constantId(OpBuilder &builder, Location loc, int32_t id) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(id));
}

void RuntimeCalls::callPeer(OpBuilder &builder, Operation *op, int32_t id,
                            Value in, Value out, Value counted, Value peer) {
  Location loc = op->getLoc();
  auto callee = declare("shardir_collective_peer",
                        LLVM::LLVMVoidType::get(op->getContext()),
                        {i32, pointer, pointer, i64, i64});
  Value arguments[] = {
      constantId(builder, loc, id), dataPointer(builder, loc, in),
      dataPointer(builder, loc, out), numElements(builder, loc, counted),
      arith::IndexCastOp::create(builder, loc, i64, peer)};
  LLVM::CallOp::create(builder, loc, callee, arguments);
}

void RuntimeCalls::callBlocks(OpBuilder &builder, Operation *op, int32_t id,
                              Value in, Value out, Value block, Value whole,
                              Value root) {
  Location loc = op->getLoc();
  auto callee = declare("shardir_collective_blocks",
                        LLVM::LLVMVoidType::get(op->getContext()),
                        {i32, pointer, pointer, i64, i64, i64, i64});
  auto type = cast<MemRefType>(whole.getType());
  Value extent = memref::DimOp::create(builder, loc, whole, 0);
  Value inner = arith::ConstantIndexOp::create(
      builder, loc, isa<ComplexType>(type.getElementType()) ? 2 : 1);
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    inner = arith::MulIOp::create(
        builder, loc, inner, memref::DimOp::create(builder, loc, whole, dim));
  auto integer = [&](Value v) -> Value {
    return arith::IndexCastOp::create(builder, loc, i64, v);
  };
  Value arguments[] = {constantId(builder, loc, id),
                       dataPointer(builder, loc, in),
                       dataPointer(builder, loc, out),
                       numElements(builder, loc, block),
                       integer(extent),
                       integer(inner),
                       integer(root)};
  LLVM::CallOp::create(builder, loc, callee, arguments);
}

/// The runtime takes contiguous buffers; shardir-bufferize makes them, a
/// bufferized module that somebody wrote may not.
static LogicalResult checkBuffers(Operation *op) {
  for (Type type : op->getOperandTypes()) {
    if (isa<TensorType>(type))
      return op->emitOpError(
          "is still on tensors; run shardir-bufferize first");
    auto buffer = dyn_cast<MemRefType>(type);
    if (isa<BaseMemRefType>(type) &&
        !(buffer && buffer.areTrailingDimsContiguous(buffer.getRank())))
      return op->emitOpError("needs contiguous buffers, found ") << type;
  }
  if (op->getNumResults() != 0)
    return op->emitOpError("is still on tensors; run shardir-bufferize first");
  return success();
}

/// The element type of a buffer as the runtime has it.
static Type runtimeType(Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

LogicalResult RuntimeCalls::callHostCopy(OpBuilder &builder, HostCopyOp op) {
  Location loc = op.getLoc();
  bool toHost = op.getToHost();
  Value onDevice = toHost ? op.getInput() : op.getDestination();
  Value from = dataPointer(builder, loc, op.getInput()),
        to = dataPointer(builder, loc, op.getDestination());
  if (!from || !to)
    return op.emitOpError("uses memory of the host that control flow or a call "
                          "has made; allocate it in the same block");
  Value bytes = LLVM::MulOp::create(
      builder, loc, numElements(builder, loc, onDevice),
      LLVM::ConstantOp::create(
          builder, loc,
          builder.getI64IntegerAttr(elementBytes(runtimeType(onDevice)))));
  auto callee = declare(
      op->hasAttr(kStart) ? "shardir_host_copy_start" : "shardir_host_copy",
      LLVM::LLVMVoidType::get(op.getContext()), {pointer, pointer, i64, i32});
  Value arguments[] = {to, from, bytes, constantId(builder, loc, toHost)};
  LLVM::CallOp::create(builder, loc, callee, arguments);
  return success();
}

LogicalResult RuntimeCalls::callSteps(OpBuilder &builder,
                                      ArrayRef<CollectiveOpInterface> steps,
                                      MetadataBuilder &metadata) {
  if (steps.empty())
    return success();
  SmallVector<int32_t> ids;
  for (CollectiveOpInterface step : steps) {
    if (isa<SliceOp, MakePartialOp>(step.getOperation()))
      return step->emitOpError("is local; run shardir-localize first");
    if (steps.size() > 1 && !step.getDims().empty())
      return step->emitOpError("of a bucket needs a global tensor of known "
                               "extents; drop '")
             << kBucket << "'";
    ids.push_back(metadata.addStep(step));
  }
  CollectiveOpInterface last = steps.back();
  Location loc = last.getLoc();
  auto none = LLVM::LLVMVoidType::get(last.getContext());
  bool starts = last->hasAttr(kStart);
  if (steps.size() == 1) {
    auto callee =
        declare(starts ? "shardir_collective_start" : "shardir_collective",
                none, {i32, pointer, pointer, pointer});
    Value arguments[] = {constantId(builder, loc, ids[0]),
                         dataPointer(builder, loc, last.getInput()),
                         dataPointer(builder, loc, last.getOutput()),
                         storeDims(builder, last, last.getDims())};
    LLVM::CallOp::create(builder, loc, callee, arguments);
    return success();
  }
  OpBuilder start = atFunctionStart(last);
  Value size = LLVM::ConstantOp::create(
      start, loc, start.getI64IntegerAttr(2 * steps.size()));
  Value array = LLVM::AllocaOp::create(start, loc, pointer, pointer, size);
  int32_t place = 0;
  for (CollectiveOpInterface step : steps)
    for (Value buffer : {step.getInput(), step.getOutput()}) {
      Value at = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                     ArrayRef<LLVM::GEPArg>{place++});
      LLVM::StoreOp::create(builder, loc, dataPointer(builder, loc, buffer),
                            at);
    }
  auto callee = declare(starts ? "shardir_collective_bucket_start"
                               : "shardir_collective_bucket",
                        none, {i32, i32, pointer});
  Value arguments[] = {constantId(builder, loc, ids.front()),
                       constantId(builder, loc, int32_t(ids.size())), array};
  LLVM::CallOp::create(builder, loc, callee, arguments);
  return success();
}

LogicalResult RuntimeCalls::convert(Operation *op, MetadataBuilder &metadata) {
  if (failed(checkBuffers(op)))
    return failure();
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto rooted = [&](auto rootedOp, StringRef kind, Value in, Value out,
                    Value counted, Value peer) {
    Type element = runtimeType(in ? in : out);
    int32_t id = metadata.addRooted(op, kind, rootedOp.getMeshAttr(),
                                    rootedOp.getAxesAttr(), element);
    callPeer(builder, op, id, in, out, counted, peer);
    return success();
  };
  auto blocks = [&](auto rootedOp, StringRef kind, Value block, Value whole) {
    Type element = runtimeType(block);
    int32_t id = metadata.addRooted(op, kind, rootedOp.getMeshAttr(),
                                    rootedOp.getAxesAttr(), element);
    callBlocks(builder, op, id, rootedOp.getInput(), rootedOp.getDestination(),
               block, whole, rootedOp.getRoot());
    return success();
  };
  SmallVector<Operation *> converted = {op};
  auto step = [&](CollectiveOpInterface last) -> LogicalResult {
    SmallVector<CollectiveOpInterface> steps = stepsOfBucket(last);
    converted.assign(steps.begin(), steps.end());
    return callSteps(builder, steps, metadata);
  };
  // The count is that of the smaller side.
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case<CollectiveOpInterface>(step)
          .Case<BroadcastOp>([&](BroadcastOp o) {
            return rooted(o, "broadcast", o.getInput(), o.getDestination(),
                          o.getInput(), o.getRoot());
          })
          .Case<GatherOp>([&](GatherOp o) {
            return blocks(o, "gather", o.getInput(), o.getDestination());
          })
          .Case<ScatterOp>([&](ScatterOp o) {
            return blocks(o, "scatter", o.getDestination(), o.getInput());
          })
          .Case<WaitOp>([&](WaitOp o) {
            Value data = dataPointer(builder, loc, o.getBuffer());
            if (!data)
              return LogicalResult(o.emitOpError(
                  "waits for memory of the host that control flow or a call "
                  "has made; allocate it in the same block"));
            auto callee =
                declare("shardir_collective_wait",
                        LLVM::LLVMVoidType::get(op->getContext()), {pointer});
            LLVM::CallOp::create(builder, loc, callee, data);
            return success();
          })
          .Case<HostCopyOp>(
              [&](HostCopyOp o) { return callHostCopy(builder, o); })
          .Case<SendOp>([&](SendOp o) {
            return rooted(o, "send", o.getInput(), Value(), o.getInput(),
                          o.getPeer());
          })
          .Case<RecvOp>([&](RecvOp o) {
            return rooted(o, "recv", Value(), o.getDestination(),
                          o.getDestination(), o.getPeer());
          })
          .Default([](Operation *other) {
            return other->emitOpError("has no call in the runtime");
          });
  if (succeeded(result))
    for (Operation *done : converted)
      done->erase();
  return result;
}

void RuntimeCalls::fail(cf::AssertOp op) {
  Location loc = op.getLoc();
  LLVM::GlobalOp &message = messages[op.getMsg()];
  if (!message) {
    std::string text = op.getMsg().str();
    text.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(declarations.getI8Type(), text.size());
    message =
        LLVM::GlobalOp::create(declarations, module.getLoc(), type,
                               /*isConstant=*/true, LLVM::Linkage::Internal,
                               "message" + std::to_string(messages.size() - 1),
                               declarations.getStringAttr(text));
  }
  LLVM::LLVMFuncOp callee = declare(
      "shardir_fail", LLVM::LLVMVoidType::get(op.getContext()), {pointer});
  callee.setPassthroughAttr(declarations.getStrArrayAttr({"noreturn", "cold"}));

  OpBuilder builder(op);
  Value holds = op.getArg();
  Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value fails = arith::XOrIOp::create(builder, loc, holds, truth);
  // Not blocks: the assertion may be in a region that has one block only.
  auto branch = scf::IfOp::create(builder, loc, fails, /*withElse=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value text = LLVM::AddressOfOp::create(builder, loc, message);
  LLVM::CallOp::create(builder, loc, callee, text);
  op.erase();
}

Value RuntimeCalls::query(func::FuncOp function, Location loc, StringRef name,
                          int32_t first, int32_t second) {
  LLVM::LLVMFuncOp callee = declare(name, i64, {i32, i32});
  // The same on every call: LLVM may merge and move them.
  SmallVector<LLVM::ModRefInfo> none(6, LLVM::ModRefInfo::NoModRef);
  callee.setMemoryEffectsAttr(
      LLVM::MemoryEffectsAttr::get(function.getContext(), none));
  callee.setWillReturn(true);
  callee.setNoUnwind(true);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value arguments[] = {constantId(builder, loc, first),
                       constantId(builder, loc, second)};
  Value answer =
      LLVM::CallOp::create(builder, loc, callee, arguments).getResult();
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    answer);
}
