//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels outlined. Requires gpu.modules of kernels in arith, math, scf,
// memref, vector and gpu; guarantees functions without ops of gpu, in one
// address space, and no gpu.module.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/GpuToHost/Passes.h"

#include "EmulatedThread.h"
#include "HopperOps.h"
#include "WarpOps.h"

#include "ShardIR/Conversion/BufferAddress.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace shardir {
#define GEN_PASS_DEF_GPUTOHOST
#include "ShardIR/Conversion/GpuToHost/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// The driver's alignment of shared memory, static and dynamic.
constexpr int64_t kSharedAlignment = 1024;

/// Takes memory spaces out of the types of everything inside `root`.
void dropMemorySpaces(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!type.getMemorySpace())
      return std::nullopt;
    return MemRefType::Builder(type).setMemorySpace(nullptr);
  });
  replacer.addReplacement(
      [](LLVM::LLVMPointerType type) -> std::optional<Type> {
        if (type.getAddressSpace() == 0)
          return std::nullopt;
        return LLVM::LLVMPointerType::get(type.getContext());
      });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// One kernel on its way.
class KernelToHost {
public:
  KernelToHost(gpu::GPUFuncOp kernel, func::FuncOp function)
      : kernel(kernel), function(function), converter(kernel.getContext()),
        builder(OpBuilder::atBlockBegin(function.addEntryBlock())),
        thread(function.getArgument(0)) {}

  /// Bytes of static shared memory that the kernel turned out to use.
  FailureOr<int64_t> run();

private:
  Value parameter(Type type);
  FailureOr<Value> argument(BlockArgument argument);
  FailureOr<Value> sharedBuffer(BlockArgument buffer);
  Value asMemRef(Value descriptor, MemRefType type) {
    return UnrealizedConversionCastOp::create(builder, loc(), type, descriptor)
        .getResult(0);
  }
  Value scratch(int64_t bytes);
  void checkAlignment(Operation *access);
  LogicalResult rewrite(Operation *op);
  Location loc() { return kernel.getLoc(); }

  gpu::GPUFuncOp kernel;
  func::FuncOp function;
  LLVMTypeConverter converter;
  OpBuilder builder; ///< where parameters are read, before the body
  EmulatedThread thread;
  int32_t parameters = 0; ///< read so far
  int64_t sharedBytes = 0;
};
} // namespace

/// The next parameter, of an LLVM type.
Value KernelToHost::parameter(Type type) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value slot = LLVM::GEPOp::create(builder, loc(), pointer, pointer,
                                   function.getArgument(1),
                                   ArrayRef<LLVM::GEPArg>{parameters++});
  Value address = LLVM::LoadOp::create(builder, loc(), pointer, slot);
  return LLVM::LoadOp::create(builder, loc(), type, address);
}

FailureOr<Value> KernelToHost::argument(BlockArgument argument) {
  Type type = argument.getType();
  auto memref = dyn_cast<MemRefType>(type);
  // A parameter passed by value is its own address.
  if (kernel.getArgAttr(argument.getArgNumber(),
                        LLVM::LLVMDialect::getByValAttrName())) {
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value slot = LLVM::GEPOp::create(builder, loc(), pointer, pointer,
                                     function.getArgument(1),
                                     ArrayRef<LLVM::GEPArg>{parameters++});
    return Value(LLVM::LoadOp::create(builder, loc(), pointer, slot));
  }
  if (!memref) {
    Type lowered = converter.convertType(type);
    if (!lowered)
      return kernel.emitError("cannot emulate a parameter of type ") << type;
    Value value = parameter(lowered);
    if (lowered == type)
      return value;
    return UnrealizedConversionCastOp::create(builder, loc(), type, value)
        .getResult(0);
  }
  memref = MemRefType::Builder(memref).setMemorySpace(nullptr);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Value> fields = {parameter(pointer), parameter(pointer)};
  for (int64_t i = 0; i < 1 + 2 * memref.getRank(); ++i)
    fields.push_back(parameter(builder.getI64Type()));
  return asMemRef(
      MemRefDescriptor::pack(builder, loc(), converter, memref, fields),
      memref);
}

FailureOr<Value> KernelToHost::sharedBuffer(BlockArgument buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return kernel.emitError("cannot emulate shared memory of type ")
           << buffer.getType();
  type = MemRefType::Builder(type).setMemorySpace(nullptr);
  Type lowered = converter.convertType(type.getElementType());
  int64_t bits =
      lowered && lowered.isIntOrFloat() ? lowered.getIntOrFloatBitWidth() : 0;
  if (auto vector = dyn_cast_or_null<VectorType>(lowered))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  if (bits == 0)
    return kernel.emitError("cannot emulate shared memory of type ") << type;
  sharedBytes = llvm::alignTo(sharedBytes, 16);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = LLVM::GEPOp::create(
      builder, loc(), pointer, builder.getI8Type(),
      thread.shared(builder, loc()),
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(sharedBytes)});
  sharedBytes += type.getNumElements() * llvm::divideCeil(bits, 8);
  return asMemRef(MemRefDescriptor::fromStaticShape(builder, loc(), converter,
                                                    type, address),
                  type);
}

/// Memory of the thread's own for what it posts and gets.
Value KernelToHost::scratch(int64_t bytes) {
  Value count = LLVM::ConstantOp::create(builder, loc(), builder.getI64Type(),
                                         builder.getI64IntegerAttr(bytes));
  return LLVM::AllocaOp::create(
      builder, loc(), LLVM::LLVMPointerType::get(builder.getContext()),
      builder.getI8Type(), count, /*alignment=*/16);
}

LogicalResult KernelToHost::rewrite(Operation *op) {
  Location at = op->getLoc();
  OpBuilder here(op);
  auto replace = [&](Value value) {
    if (value.getType().isIndex() && !op->getResult(0).getType().isIndex())
      value = arith::IndexCastOp::create(here, at, op->getResult(0).getType(),
                                         value);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  auto entry = [&](EmulatedThread::Array array, gpu::Dimension dim) {
    return replace(thread.entry(here, at, array, static_cast<int>(dim)));
  };
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(here, at, value);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::ThreadIdOp op) {
        return entry(EmulatedThread::Thread, op.getDimension());
      })
      .Case([&](gpu::BlockIdOp op) {
        return entry(EmulatedThread::Block, op.getDimension());
      })
      .Case([&](gpu::BlockDimOp op) {
        return entry(EmulatedThread::BlockDim, op.getDimension());
      })
      .Case([&](gpu::GridDimOp op) {
        return entry(EmulatedThread::GridDim, op.getDimension());
      })
      .Case([&](gpu::LaneIdOp) {
        return replace(arith::RemUIOp::create(
            here, at, thread.linearId(here, at), index(kLanes)));
      })
      .Case([&](gpu::SubgroupIdOp) {
        return replace(arith::DivUIOp::create(
            here, at, thread.linearId(here, at), index(kLanes)));
      })
      .Case([&](gpu::SubgroupSizeOp) { return replace(index(kLanes)); })
      .Case([&](gpu::NumSubgroupsOp) {
        return replace(arith::CeilDivUIOp::create(
            here, at, thread.blockSize(here, at), index(kLanes)));
      })
      .Case([&](gpu::BarrierOp) {
        thread.barrier(here, at);
        op->erase();
        return success();
      })
      .Case([&](gpu::DynamicSharedMemoryOp dynamic) {
        // Its extent is whatever the launch says; nobody asks.
        auto type = MemRefType::get({ShapedType::kDynamic}, here.getI8Type());
        Value address = LLVM::GEPOp::create(
            here, at, LLVM::LLVMPointerType::get(here.getContext()),
            here.getI8Type(), thread.shared(here, at),
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                llvm::alignTo(sharedBytes, kSharedAlignment))});
        auto constant = [&](int64_t value) -> Value {
          return LLVM::ConstantOp::create(here, at, here.getI64Type(),
                                          here.getI64IntegerAttr(value));
        };
        Value fields[] = {address, address, constant(0), constant(INT64_MAX),
                          constant(1)};
        Value descriptor =
            MemRefDescriptor::pack(here, at, converter, type, fields);
        return replace(
            UnrealizedConversionCastOp::create(here, at, type, descriptor)
                .getResult(0));
      })
      .Case([&](gpu::ReturnOp) {
        func::ReturnOp::create(here, at);
        op->erase();
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        auto own = [&](int64_t bytes) { return scratch(bytes); };
        if (std::optional<LogicalResult> done =
                rewriteHopperOp(op, thread, own))
          return *done;
        return WarpOps(thread, own).rewrite(op);
      });
}

/// Before a load or a store of a vector: PTX wants it at a multiple of its
/// size.
void KernelToHost::checkAlignment(Operation *access) {
  auto load = dyn_cast<vector::LoadOp>(access);
  auto store = dyn_cast<vector::StoreOp>(access);
  VectorType vector = load ? load.getVectorType() : store.getVectorType();
  int64_t bytes = llvm::PowerOf2Ceil(uint64_t(
      vector.getNumElements() * elementBytes(vector.getElementType())));
  if (bytes == elementBytes(vector.getElementType()))
    return;
  OpBuilder here(access);
  Location at = access->getLoc();
  Value address =
      bufferAddress(here, at, load ? load.getBase() : store.getBase(),
                    load ? load.getIndices() : store.getIndices());
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(here, at, here.getI64Type(),
                                    here.getI64IntegerAttr(value));
  };
  Value rest = arith::AndIOp::create(
      here, at, LLVM::PtrToIntOp::create(here, at, here.getI64Type(), address),
      constant(bytes - 1));
  Value size = constant(bytes);
  Value fails = arith::CmpIOp::create(here, at, arith::CmpIPredicate::ne, rest,
                                      constant(0));
  auto branch = scf::IfOp::create(here, at, fails);
  OpBuilder inside = branch.getThenBodyBuilder();
  thread.call(inside, at, EmulatedThread::Misaligned, {address, size});
}

FailureOr<int64_t> KernelToHost::run() {
  Block &entry = kernel.getBody().front();
  unsigned arguments = kernel.getNumArguments();
  for (unsigned i = 0; i < arguments; ++i) {
    FailureOr<Value> value = argument(entry.getArgument(i));
    if (failed(value))
      return failure();
    entry.getArgument(i).replaceAllUsesWith(*value);
  }
  for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
    FailureOr<Value> value = sharedBuffer(buffer);
    if (failed(value))
      return failure();
    buffer.replaceAllUsesWith(*value);
  }
  for (BlockArgument buffer : kernel.getPrivateAttributions()) {
    auto type = MemRefType::Builder(cast<MemRefType>(buffer.getType()))
                    .setMemorySpace(nullptr);
    buffer.replaceAllUsesWith(
        memref::AllocaOp::create(builder, loc(), MemRefType(type)).getResult());
  }

  SmallVector<Operation *> ops;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<vector::LoadOp, vector::StoreOp>(op))
      checkAlignment(op);
    if (isa<gpu::GPUDialect>(op->getDialect()) ||
        op->getName().getDialectNamespace() == "nvvm" ||
        op->getName().getDialectNamespace() == "nvgpu")
      ops.push_back(op);
    // An empty string is a compiler barrier, any other an instruction.
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    if (assembly && !assembly.getAsmString().empty())
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(rewrite(op)))
      return failure();

  kernel.getBody().walk([](LLVM::AddrSpaceCastOp cast) {
    cast.replaceAllUsesWith(cast.getArg());
    cast.erase();
  });
  // Empty assembly that ties each result to an operand hides values from LLVM.
  kernel.getBody().walk([](LLVM::InlineAsmOp hidden) {
    auto structure = dyn_cast_or_null<LLVM::LLVMStructType>(
        hidden.getRes() ? hidden.getRes().getType() : Type());
    if (!hidden.getAsmString().empty() || !structure ||
        structure.getBody().size() != hidden.getNumOperands())
      return;
    OpBuilder here(hidden);
    Value all = LLVM::PoisonOp::create(here, hidden.getLoc(), structure);
    for (auto [i, value] : llvm::enumerate(hidden.getOperands()))
      all = LLVM::InsertValueOp::create(here, hidden.getLoc(), all, value,
                                        ArrayRef<int64_t>{int64_t(i)});
    hidden.getRes().replaceAllUsesWith(all);
    hidden.erase();
  });
  entry.eraseArguments(0, entry.getNumArguments());
  Block *front = &function.getBody().front();
  function.getBody().getBlocks().splice(function.getBody().end(),
                                        kernel.getBody().getBlocks());
  front->getOperations().splice(front->end(), entry.getOperations());
  entry.erase();
  dropMemorySpaces(function);
  return static_cast<int64_t>(llvm::alignTo(sharedBytes, kSharedAlignment));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct GpuToHostPass : shardir::impl::GpuToHostBase<GpuToHostPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (auto [number, module] : llvm::enumerate(modules)) {
      if (failed(toHost(module, int64_t(number), symbols)))
        return signalPassFailure();
      module.erase();
    }
  }

  LogicalResult toHost(gpu::GPUModuleOp module, int64_t number,
                       SymbolTable &symbols) {
    if (failed(reductionsToShuffles(module)))
      return failure();

    Builder builder(&getContext());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
      if (!kernel)
        return op.emitError("has no emulation on the host");
      std::string name =
          ("emulated." + module.getName() + "." + kernel.getName()).str();
      auto function =
          func::FuncOp::create(kernel.getLoc(), name,
                               builder.getFunctionType({pointer, pointer}, {}));
      function.setPrivate();
      symbols.insert(function);
      FailureOr<int64_t> sharedBytes = KernelToHost(kernel, function).run();
      if (failed(sharedBytes))
        return failure();
      function->setAttr(
          kEmulatedKernel,
          builder.getArrayAttr({builder.getI64IntegerAttr(number),
                                builder.getStringAttr(kernel.getName()),
                                builder.getI64IntegerAttr(*sharedBytes)}));
    }
    return success();
  }
};
} // namespace
