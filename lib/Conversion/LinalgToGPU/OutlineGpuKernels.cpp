//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled for the GPU. Requires gpu.launch ops in host code;
// guarantees one gpu.module @kernels whose functions take pointers and scalars
// alone, each kernel once, and gpu.launch_func ops in the launches' place.
// Kernels that are equal but for their locations and names share the first
// one's.
//
//===----------------------------------------------------------------------===//

#include "DeviceCalls.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace shardir {
#define GEN_PASS_DEF_OUTLINEGPUKERNELS
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Ops that a kernel recomputes instead of taking their result as a parameter.
static bool isCheapInKernel(Operation *op) {
  return matchPattern(op, m_Constant()) ||
         isa<memref::DimOp, affine::AffineApplyOp, memref::CastOp>(op);
}

namespace {

/// How one memref enters a kernel: its pointer, and what its type leaves open.
struct MemRefParameters {
  MemRefType type;
  int64_t offset;
  SmallVector<int64_t> strides;

  explicit MemRefParameters(MemRefType type) : type(type) {
    (void)type.getStridesAndOffset(strides, offset);
  }
  bool dynamicOffset() const { return ShapedType::isDynamic(offset); }

  SmallVector<Type> types() const {
    MLIRContext *context = type.getContext();
    Type index = IndexType::get(context);
    SmallVector<Type> list = {LLVM::LLVMPointerType::get(context)};
    list.append(numDynamic(), index);
    return list;
  }
  unsigned numDynamic() const {
    return unsigned(dynamicOffset()) + type.getNumDynamicDims() +
           unsigned(llvm::count_if(strides, ShapedType::isDynamic));
  }

  /// The parameters' values in host code.
  void read(OpBuilder &builder, Location loc, Value buffer,
            SmallVectorImpl<Value> &values) const {
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    Value integer =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
    values.push_back(LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        integer));
    if (numDynamic() == 0)
      return;
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    if (dynamicOffset())
      values.push_back(metadata.getOffset());
    for (auto [extent, size] : llvm::zip(type.getShape(), metadata.getSizes()))
      if (ShapedType::isDynamic(extent))
        values.push_back(size);
    for (auto [known, stride] : llvm::zip(strides, metadata.getStrides()))
      if (ShapedType::isDynamic(known))
        values.push_back(stride);
  }

  /// The memref in the kernel, from its parameters.
  Value build(OpBuilder &builder, Location loc, ValueRange parameters,
              const LLVMTypeConverter &converter) const {
    Type i64 = builder.getI64Type();
    Value pointer = parameters.front();
    parameters = parameters.drop_front();
    auto field = [&](int64_t known) -> Value {
      if (!ShapedType::isDynamic(known))
        return LLVM::ConstantOp::create(builder, loc,
                                        builder.getI64IntegerAttr(known));
      Value value = parameters.front();
      parameters = parameters.drop_front();
      return arith::IndexCastOp::create(builder, loc, i64, value);
    };
    Value descriptor =
        LLVM::PoisonOp::create(builder, loc, converter.convertType(type));
    auto insert = [&](Value value, ArrayRef<int64_t> position) {
      descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, value,
                                               position);
    };
    insert(pointer, {0});
    insert(pointer, {1});
    insert(field(offset), {2});
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      insert(field(extent), {3, int64_t(i)});
    for (auto [i, stride] : llvm::enumerate(strides))
      insert(field(stride), {4, int64_t(i)});
    return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
        .getResult(0);
  }
};

struct OutlineGpuKernelsPass
    : shardir::impl::OutlineGpuKernelsBase<OutlineGpuKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<gpu::LaunchOp> launches;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
    if (launches.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels =
        gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    SymbolTable(module).insert(kernels);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    SymbolTable symbols(kernels);
    llvm::StringMap<gpu::GPUFuncOp> known;
    for (gpu::LaunchOp launch : launches)
      if (failed(outline(launch, symbols, known)))
        return signalPassFailure();
  }

  LogicalResult outline(gpu::LaunchOp launch, SymbolTable &symbols,
                        llvm::StringMap<gpu::GPUFuncOp> &known) {
    Location loc = launch.getLoc();
    std::string name = "kernel";
    if (auto given = launch->getAttrOfType<StringAttr>(ShardIRDialect::kKernel))
      name = given.getValue().str();
    if (failed(sinkOperationsIntoLaunchOp(launch, isCheapInKernel)))
      return launch.emitOpError("cannot be outlined");
    OpBuilder outside(launch);
    passPointers(outside, launch);

    SmallVector<Value> operands;
    gpu::GPUFuncOp kernel = outlineKernelFunc(launch, "kernel", operands);
    passTensorMaps(kernel, operands);
    std::string key;
    llvm::raw_string_ostream stream(key);
    kernel->print(stream, OpPrintingFlags().useLocalScope());
    // Clusters are a property of a launch, and of the kernel's table entry.
    gpu::KernelDim3 cluster{launch.getClusterSizeX(), launch.getClusterSizeY(),
                            launch.getClusterSizeZ()};
    if (launch.hasClusterSize())
      for (Value size : {cluster.x, cluster.y, cluster.z})
        stream << " " << getConstantIntValue(size).value_or(0);
    gpu::GPUFuncOp &shared = known[key];
    if (shared) {
      kernel.erase();
    } else {
      shared = kernel;
      kernel.setName(name);
      kernel->setAttr(ShardIRDialect::kKernel, outside.getStringAttr(name));
      if (Attribute schedule = launch->getAttr(ShardIRDialect::kSchedule))
        kernel->setAttr(ShardIRDialect::kSchedule, schedule);
      symbols.insert(kernel);
    }
    gpu::LaunchFuncOp::create(
        outside, loc, shared, launch.getGridSizeOperandValues(),
        launch.getBlockSizeOperandValues(), launch.getDynamicSharedMemorySize(),
        operands, Type(), ValueRange(),
        launch.hasClusterSize() ? std::optional(cluster) : std::nullopt);
    launch.erase();
    return success();
  }

  /// Tensor maps are 128 bytes that a kernel gets by value.
  static void passTensorMaps(gpu::GPUFuncOp kernel, ValueRange operands) {
    Builder builder(kernel.getContext());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
    for (auto [i, operand] : llvm::enumerate(operands)) {
      if (!tensorMapOf(operand))
        continue;
      kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(bytes));
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    }
  }

  /// Memrefs that the body uses are taken apart outside and put together again
  /// inside, so that what outlining captures is pointers and scalars.
  static void passPointers(OpBuilder &outside, gpu::LaunchOp launch) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(launch.getBody(), used);
    LLVMTypeConverter converter(launch.getContext());
    OpBuilder inside = OpBuilder::atBlockBegin(&launch.getBody().front());
    for (Value buffer : used) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      if (!type)
        continue;
      MemRefParameters parameters(type);
      SmallVector<Value> values;
      parameters.read(outside, launch.getLoc(), buffer, values);
      Value inKernel =
          parameters.build(inside, launch.getLoc(), values, converter);
      buffer.replaceUsesWithIf(inKernel, [&](OpOperand &use) {
        return launch->isProperAncestor(use.getOwner());
      });
    }
  }
};

} // namespace
