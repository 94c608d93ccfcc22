//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls one by one. A launch's arguments are stored to slots whose
// addresses are written once per function; a copy between contiguous buffers is
// one of rank 1, whatever their shapes; a read of one element waits for the
// stream.
//
//===----------------------------------------------------------------------===//

#include "DeviceCalls.h"

#include "ShardIR/Conversion/BufferAddress.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/ElementTypes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

/// Bytes of a slot: scalars, complex numbers, short vectors, tensor maps.
static constexpr int64_t slotBytes = 128;
static constexpr unsigned mostTensorDims = 5;
/// Of one call: those of an attention are the most.
static constexpr int64_t mostNumbers = 19;

bool shardir::isHostHelper(StringRef function) {
  return function.starts_with("dealloc_helper");
}

nvgpu::TmaCreateDescriptorOp shardir::tensorMapOf(Value operand) {
  auto cast = operand.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getNumOperands() != 1)
    return nullptr;
  return cast.getOperand(0).getDefiningOp<nvgpu::TmaCreateDescriptorOp>();
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

FunctionScratch::FunctionScratch(func::FuncOp function)
    : builder(OpBuilder::atBlockBegin(&function.getBody().front())),
      loc(function.getLoc()),
      pointer(LLVM::LLVMPointerType::get(function.getContext())) {
  // Before an op of our own: the function's first one may be a copy or a
  // launch, which is erased while more is put here.
  auto anchor =
      LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  builder.setInsertionPoint(anchor);
}

Value FunctionScratch::slot(unsigned i) {
  if (!slots) {
    auto one =
        LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
    slotCount = one;
    slots = LLVM::AllocaOp::create(builder, loc, pointer, builder.getI8Type(),
                                   one, /*alignment=*/64);
    auto count =
        LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
    arrayCount = count;
    array = LLVM::AllocaOp::create(builder, loc, pointer, pointer, count);
  }
  while (slotValues.size() <= i) {
    int32_t next = int32_t(slotValues.size());
    Value place =
        LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), slots,
                            ArrayRef<LLVM::GEPArg>{int32_t(next * slotBytes)});
    Value entry = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                      ArrayRef<LLVM::GEPArg>{next});
    LLVM::StoreOp::create(builder, loc, place, entry);
    slotValues.push_back(place);
  }
  return slotValues[i];
}

Value FunctionScratch::argumentArray() {
  slot(0);
  return array;
}

Value FunctionScratch::numbers() {
  if (!numberSlots) {
    auto count = LLVM::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(mostNumbers));
    numberSlots = LLVM::AllocaOp::create(builder, loc, pointer,
                                         builder.getI64Type(), count);
  }
  return numberSlots;
}

void FunctionScratch::finish() {
  if (!slots)
    return;
  auto set = [&](Operation *count, int64_t value) {
    cast<LLVM::ConstantOp>(count).setValueAttr(
        builder.getI64IntegerAttr(value));
  };
  set(slotCount, int64_t(slotValues.size()) * slotBytes);
  set(arrayCount, int64_t(slotValues.size()));
}

Value FunctionScratch::element(Type type) {
  Value &buffer = elements[type];
  if (!buffer)
    buffer = memref::AllocaOp::create(builder, loc, MemRefType::get({}, type));
  return buffer;
}

FunctionScratch::Descriptor FunctionScratch::descriptor(unsigned which) {
  Descriptor &result = descriptors[which];
  if (result.ranked)
    return result;
  Type i64 = builder.getI64Type();
  Value one =
      LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  auto array = LLVM::LLVMArrayType::get(i64, 5);
  result.ranked = LLVM::AllocaOp::create(builder, loc, pointer, array, one);
  auto unranked =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, pointer});
  result.unranked =
      LLVM::AllocaOp::create(builder, loc, pointer, unranked, one);
  LLVM::StoreOp::create(builder, loc, one, result.unranked);
  Value place =
      LLVM::GEPOp::create(builder, loc, pointer, unranked, result.unranked,
                          ArrayRef<LLVM::GEPArg>{0, 1});
  LLVM::StoreOp::create(builder, loc, result.ranked, place);
  return result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

DeviceCalls::DeviceCalls(ModuleOp module)
    : module(module), converter(module.getContext()) {
  MLIRContext *context = module.getContext();
  pointer = LLVM::LLVMPointerType::get(context);
  i32 = IntegerType::get(context, 32);
  i64 = IntegerType::get(context, 64);
  none = LLVM::LLVMVoidType::get(context);
}

LLVM::LLVMFuncOp DeviceCalls::declare(StringRef name, Type result,
                                      ArrayRef<Type> arguments) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, arguments));
}

Value DeviceCalls::integer(OpBuilder &builder, Location loc, int64_t value,
                           unsigned bits) {
  return LLVM::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getIntegerType(bits), value));
}

Value DeviceCalls::asMemRef(OpBuilder &builder, Location loc, MemRefType type,
                            Value data, ValueRange dynamicSizes) {
  SmallVector<Value> sizes, strides(type.getRank());
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent)) {
      sizes.push_back(
          arith::IndexCastOp::create(builder, loc, i64, dynamicSizes.front()));
      dynamicSizes = dynamicSizes.drop_front();
    } else {
      sizes.push_back(integer(builder, loc, extent));
    }
  }
  Value stride = integer(builder, loc, 1);
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    strides[dim] = stride;
    if (dim > 0)
      stride = LLVM::MulOp::create(builder, loc, stride, sizes[dim]);
  }
  SmallVector<Value> fields = {data, data, integer(builder, loc, 0)};
  llvm::append_range(fields, sizes);
  llvm::append_range(fields, strides);
  Value descriptor =
      MemRefDescriptor::pack(builder, loc, converter, type, fields);
  return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
      .getResult(0);
}

LogicalResult DeviceCalls::tensorMap(OpBuilder &builder,
                                     nvgpu::TmaCreateDescriptorOp op,
                                     Value slot, FunctionScratch &scratch) {
  Location loc = op.getLoc();
  auto cast = op.getTensor().getDefiningOp<memref::CastOp>();
  auto type = cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : nullptr;
  unsigned rank = type ? type.getRank() : 0;
  if (rank < 1 || rank > mostTensorDims || op.getBoxDimensions().size() != rank)
    return op.emitOpError("needs a box and a buffer of known rank, 1 to 5");
  Value buffer = cast.getSource();
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  SmallVector<Value> numbers;
  for (unsigned dim = rank; dim-- > 0;) {
    numbers.push_back(metadata.getSizes()[dim]);
    numbers.push_back(metadata.getStrides()[dim]);
    numbers.push_back(op.getBoxDimensions()[dim]);
  }
  Value dims = storeNumbers(builder, loc, numbers, scratch);
  using Swizzle = nvgpu::TensorMapSwizzleKind;
  Swizzle swizzle = op.getTensorMap().getType().getSwizzle();
  int64_t swizzled = swizzle == Swizzle::SWIZZLE_128B  ? 128
                     : swizzle == Swizzle::SWIZZLE_64B ? 64
                     : swizzle == Swizzle::SWIZZLE_32B ? 32
                                                       : 0;
  Type element = type.getElementType();
  Value arguments[] = {
      slot,
      bufferAddress(builder, loc, buffer),
      integer(builder, loc, element.isF32() ? -4 : elementBytes(element), 32),
      integer(builder, loc, swizzled, 32),
      integer(builder, loc, rank, 32),
      dims};
  LLVM::CallOp::create(builder, loc,
                       declare("shardir_gpu_tensor_map", none,
                               {pointer, pointer, i32, i32, i32, pointer}),
                       arguments);
  return success();
}

LogicalResult DeviceCalls::launch(gpu::LaunchFuncOp op, int32_t id,
                                  FunctionScratch &scratch) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<nvgpu::TmaCreateDescriptorOp> maps;
  for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
    // A parameter passed by value is stored where the argument is.
    if (nvgpu::TmaCreateDescriptorOp map = tensorMapOf(operand)) {
      if (failed(tensorMap(builder, map, scratch.slot(i), scratch)))
        return failure();
      maps.push_back(map);
      continue;
    }
    Value value = operand;
    Type lowered = converter.convertType(value.getType());
    if (lowered && lowered != value.getType())
      value = UnrealizedConversionCastOp::create(builder, loc, lowered, value)
                  .getResult(0);
    LLVM::StoreOp::create(builder, loc, value, scratch.slot(i));
  }
  auto extent = [&](Value value) -> Value {
    if (value.getType() == i64)
      return value;
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(builder, loc, i64, value);
    return arith::ExtUIOp::create(builder, loc, i64, value);
  };
  SmallVector<Value> arguments = {integer(builder, loc, id, 32)};
  for (Value value :
       {op.getGridSizeX(), op.getGridSizeY(), op.getGridSizeZ(),
        op.getBlockSizeX(), op.getBlockSizeY(), op.getBlockSizeZ()})
    arguments.push_back(extent(value));
  arguments.push_back(op.getDynamicSharedMemorySize()
                          ? extent(op.getDynamicSharedMemorySize())
                          : integer(builder, loc, 0));
  arguments.push_back(scratch.argumentArray());
  SmallVector<Type> types = {i32};
  types.append(7, i64);
  types.push_back(pointer);
  LLVM::CallOp::create(builder, loc, declare("shardir_gpu_launch", none, types),
                       arguments);
  op.erase();
  for (nvgpu::TmaCreateDescriptorOp map : maps) {
    auto eraseUnused = [](Operation *unused) {
      if (unused->use_empty())
        unused->erase();
    };
    for (Operation *user : llvm::to_vector(map->getUsers()))
      eraseUnused(user);
    Operation *cast = map.getTensor().getDefiningOp();
    eraseUnused(map);
    eraseUnused(cast);
  }
  return success();
}

LogicalResult DeviceCalls::alloc(memref::AllocOp op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity())
    return op.emitOpError("of device memory must be row-major, found ") << type;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value bytes = integer(builder, loc, elementBytes(type.getElementType()));
  ValueRange sizes = op.getDynamicSizes();
  unsigned next = 0;
  for (int64_t extent : type.getShape()) {
    Value size =
        ShapedType::isDynamic(extent)
            ? arith::IndexCastOp::create(builder, loc, i64, sizes[next++])
                  .getResult()
            : integer(builder, loc, extent);
    bytes = LLVM::MulOp::create(builder, loc, bytes, size);
  }
  Value alignment = integer(
      builder, loc, std::max<int64_t>(64, op.getAlignment().value_or(1)));
  Value arguments[] = {alignment, bytes};
  Value data = LLVM::CallOp::create(
                   builder, loc,
                   declare("shardir_gpu_alloc", pointer, {i64, i64}), arguments)
                   .getResult();
  op.replaceAllUsesWith(asMemRef(builder, loc, type, data, sizes));
  op.erase();
  return success();
}

LogicalResult DeviceCalls::free(memref::DeallocOp op) {
  auto type = dyn_cast<MemRefType>(op.getMemref().getType());
  if (!type)
    return op.emitOpError(
        "of unranked device memory has no call in the runtime");
  OpBuilder builder(op);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, op.getLoc(), op.getMemref());
  Value number = arith::IndexCastOp::create(builder, op.getLoc(), i64, address);
  Value data = LLVM::IntToPtrOp::create(builder, op.getLoc(), pointer, number);
  LLVM::CallOp::create(builder, op.getLoc(),
                       declare("shardir_gpu_free", none, {pointer}), data);
  op.erase();
  return success();
}

LogicalResult DeviceCalls::copy(memref::CopyOp op, FunctionScratch &scratch) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !isa<MemRefType>(op.getTarget().getType()))
    return op.emitOpError(
        "between unranked buffers has no call in the runtime");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value count = integer(builder, loc, 1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value extent = memref::DimOp::create(builder, loc, op.getSource(), dim);
    count = LLVM::MulOp::create(
        builder, loc, count,
        arith::IndexCastOp::create(builder, loc, i64, extent));
  }
  SmallVector<Value> arguments = {
      integer(builder, loc, elementBytes(type.getElementType()))};
  Value buffers[] = {op.getSource(), op.getTarget()};
  for (auto [which, buffer] : llvm::enumerate(buffers)) {
    FunctionScratch::Descriptor descriptor = scratch.descriptor(which);
    Value data = bufferAddress(builder, loc, buffer);
    Value zero = integer(builder, loc, 0), one = integer(builder, loc, 1);
    Value fields[] = {data, data, zero, count, one};
    for (auto [i, field] : llvm::enumerate(fields)) {
      Value place =
          LLVM::GEPOp::create(builder, loc, pointer, i64, descriptor.ranked,
                              ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(builder, loc, field, place);
    }
    arguments.push_back(descriptor.unranked);
  }
  LLVM::CallOp::create(
      builder, loc, declare("shardir_gpu_copy", none, {i64, pointer, pointer}),
      arguments);
  op.erase();
  return success();
}

LogicalResult DeviceCalls::load(memref::LoadOp op, FunctionScratch &scratch) {
  if (op.getMemRef().getDefiningOp<memref::AllocaOp>())
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value buffer = scratch.element(op.getType());
  Value arguments[] = {
      bufferAddress(builder, loc, buffer),
      bufferAddress(builder, loc, op.getMemRef(), op.getIndices()),
      integer(builder, loc, elementBytes(op.getType()))};
  LLVM::CallOp::create(
      builder, loc, declare("shardir_gpu_read", none, {pointer, pointer, i64}),
      arguments);
  op.replaceAllUsesWith(
      memref::LoadOp::create(builder, loc, buffer, ValueRange()).getResult());
  op.erase();
  return success();
}

LogicalResult DeviceCalls::libraryMatmul(kernel::LibraryMatmulOp op,
                                         FunctionScratch &scratch) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int32_t flags = (op.getAAlongM() ? SHARDIR_GPU_A_ALONG_M : 0) |
                  (op.getBAlongK() ? SHARDIR_GPU_B_ALONG_K : 0) |
                  (op.getAccumulate() ? SHARDIR_GPU_ACCUMULATE : 0) |
                  (op.getRelu() ? SHARDIR_GPU_RELU : 0) |
                  (op.getTf32() ? SHARDIR_GPU_TF32 : 0);
  Value bias = op.getBias()
                   ? bufferAddress(builder, loc, op.getBias())
                   : LLVM::ZeroOp::create(builder, loc, pointer).getResult();
  Value arguments[] = {storeNumbers(builder, loc, op.getNumbers(), scratch),
                       elementType(builder, loc, op.getA()),
                       elementType(builder, loc, op.getC()),
                       integer(builder, loc, flags, 32),
                       bufferAddress(builder, loc, op.getA()),
                       bufferAddress(builder, loc, op.getB()),
                       bufferAddress(builder, loc, op.getC()),
                       bias};
  LLVM::CallOp::create(
      builder, loc,
      declare("shardir_gpu_library_matmul", none,
              {pointer, i32, i32, i32, pointer, pointer, pointer, pointer}),
      arguments);
  op.erase();
  return success();
}

LogicalResult DeviceCalls::libraryAttention(kernel::LibraryAttentionOp op,
                                            FunctionScratch &scratch) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type f32 = builder.getF32Type();
  Value arguments[] = {
      storeNumbers(builder, loc, op.getNumbers(), scratch),
      elementType(builder, loc, op.getQuery()),
      LLVM::ConstantOp::create(builder, loc, f32, op.getScaleAttr()),
      bufferAddress(builder, loc, op.getQuery()),
      bufferAddress(builder, loc, op.getKey()),
      bufferAddress(builder, loc, op.getValue()),
      bufferAddress(builder, loc, op.getResult())};
  LLVM::CallOp::create(
      builder, loc,
      declare("shardir_gpu_library_attention", none,
              {pointer, i32, f32, pointer, pointer, pointer, pointer}),
      arguments);
  op.erase();
  return success();
}

Value DeviceCalls::storeNumbers(OpBuilder &builder, Location loc,
                                ValueRange numbers, FunctionScratch &scratch) {
  Value slots = scratch.numbers();
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value place = LLVM::GEPOp::create(builder, loc, pointer, i64, slots,
                                      ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, loc,
                          arith::IndexCastOp::create(builder, loc, i64, number),
                          place);
  }
  return slots;
}

Value DeviceCalls::elementType(OpBuilder &builder, Location loc, Value buffer) {
  auto code =
      parseElementType(elementTypeName(getElementTypeOrSelf(buffer.getType())));
  return integer(builder, loc, code ? int64_t(*code) : -1, 32);
}

LogicalResult DeviceCalls::multiprocessors(kernel::MultiprocessorsOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto call = LLVM::CallOp::create(
      builder, loc, declare("shardir_gpu_multiprocessors", i64, {}),
      ValueRange());
  op.replaceAllUsesWith(arith::IndexCastOp::create(builder, loc,
                                                   builder.getIndexType(),
                                                   call.getResult())
                            .getResult());
  op.erase();
  return success();
}

LogicalResult DeviceCalls::constant(memref::GetGlobalOp op, int32_t id) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value data =
      LLVM::CallOp::create(builder, loc,
                           declare("shardir_gpu_constant", pointer, {i32}),
                           ValueRange{integer(builder, loc, id, 32)})
          .getResult();
  op.replaceAllUsesWith(asMemRef(builder, loc, op.getType(), data, {}));
  op.erase();
  return success();
}
