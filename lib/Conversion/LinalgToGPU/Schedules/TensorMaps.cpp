//===- TensorMaps.cpp - Tensor maps and barriers of kernels by TMA --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorMaps.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

Value shardir::makeTensorMap(KernelEmitter &emit, const NestOperand &operand,
                             ArrayRef<TensorMapDim> dims) {
  OpBuilder &builder = emit.builder;
  MLIRContext *context = builder.getContext();
  auto known = [](Index index) {
    return LoopEmitter::known(index).value_or(ShapedType::kDynamic);
  };
  SmallVector<Index> sizes, strides;
  SmallVector<Value> box;
  SmallVector<int64_t> boxShape, shape, steps;
  for (size_t d = dims.size(); d-- > 0;) {
    const TensorMapDim &dim = dims[d];
    sizes.push_back(dim.extent);
    strides.push_back(dim.stride);
    shape.push_back(known(dim.extent));
    steps.push_back(known(dim.stride));
    boxShape.push_back(d == 0 ? 128 / elementBytes(operand.element) : dim.box);
    box.push_back(emit.value(emit.constant(boxShape.back())));
  }
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, emit.loc, operand.flat);
  Index offset = emit.add(metadata.getConstifiedMixedOffset(), operand.offset);
  auto type =
      MemRefType::get(shape, operand.element,
                      StridedLayoutAttr::get(context, known(offset), steps));
  Value view = memref::ReinterpretCastOp::create(builder, emit.loc, type,
                                                 metadata.getBaseBuffer(),
                                                 offset, sizes, strides);
  Value unranked = memref::CastOp::create(
      builder, emit.loc, UnrankedMemRefType::get(operand.element, nullptr),
      view);
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto map = nvgpu::TensorMapDescriptorType::get(
      context,
      MemRefType::get(boxShape, operand.element, MemRefLayoutAttrInterface(),
                      space),
      nvgpu::TensorMapSwizzleKind::SWIZZLE_128B,
      nvgpu::TensorMapL2PromoKind::L2PROMO_256B,
      nvgpu::TensorMapOOBKind::OOB_ZERO,
      nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
  Value made = nvgpu::TmaCreateDescriptorOp::create(builder, emit.loc, map,
                                                    unranked, box);
  return UnrealizedConversionCastOp::create(
             builder, emit.loc, LLVM::LLVMPointerType::get(context), made)
      .getResult(0);
}

void shardir::prefetchTensorMap(KernelEmitter &emit, Value map) {
  NVVM::PrefetchOp::create(emit.builder, emit.loc,
                           NVVM::PrefetchCacheLevelAttr(),
                           NVVM::CacheEvictionPriorityAttr(), map, Value(),
                           emit.builder.getUnitAttr());
}

void shardir::copyBox(KernelEmitter &emit, Value map,
                      ArrayRef<Value> coordinates, Value to, Value full,
                      NVVM::CTAGroupKindAttr group, Value blocks) {
  OpBuilder &builder = emit.builder;
  auto cluster = LLVM::LLVMPointerType::get(
      builder.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      builder, emit.loc,
      LLVM::AddrSpaceCastOp::create(builder, emit.loc, cluster, to), map,
      coordinates, full, ValueRange(), blocks, Value(), NVVM::TMALoadMode::TILE,
      /*isCTAOnly=*/false, group, Value());
}

void shardir::awaitStores(KernelEmitter &emit, int64_t pending, bool read) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      emit.builder, emit.loc, uint32_t(pending),
      read ? emit.builder.getUnitAttr() : UnitAttr());
}

Value shardir::sharedPointer(KernelEmitter &emit, Index address) {
  auto type = LLVM::LLVMPointerType::get(
      emit.builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  return LLVM::IntToPtrOp::create(emit.builder, emit.loc, type,
                                  emit.cast(address, 64));
}

void shardir::initBarrier(KernelEmitter &emit, Value barrier,
                          int64_t arrivals) {
  NVVM::MBarrierInitOp::create(emit.builder, emit.loc, barrier,
                               emit.i32(arrivals), Value());
}

void shardir::initBarriers(KernelEmitter &emit, function_ref<void()> init) {
  emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
    init();
    NVVM::FenceMbarrierInitOp::create(emit.builder, emit.loc);
  });
  emit.barrier();
}

void shardir::arrive(KernelEmitter &emit, Value barrier) {
  NVVM::MBarrierArriveOp::create(emit.builder, emit.loc,
                                 emit.builder.getI64Type(), barrier, Value());
}

void shardir::arriveExpecting(KernelEmitter &emit, Value barrier,
                              int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(
      emit.builder, emit.loc, Type(), barrier, emit.i32(bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void shardir::meet(KernelEmitter &emit, Value id, int64_t count) {
  NVVM::BarrierOp::create(emit.builder, emit.loc, Type(), id, emit.i32(count),
                          NVVM::BarrierReductionAttr(), Value());
}

void shardir::meetWithoutWaiting(KernelEmitter &emit, Value id, int64_t count) {
  NVVM::BarrierArriveOp::create(emit.builder, emit.loc, id, emit.i32(count));
}

void shardir::setRegisters(KernelEmitter &emit, int64_t count,
                           NVVM::SetMaxRegisterAction action) {
  NVVM::SetMaxRegisterOp::create(emit.builder, emit.loc, uint32_t(count),
                                 action);
}
