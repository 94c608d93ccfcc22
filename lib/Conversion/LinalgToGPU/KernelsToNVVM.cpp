//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels outlined. Requires gpu.func kernels of gpu, nvgpu, nvvm,
// vector, memref, scf, arith, math and complex ops; guarantees LLVM dialect and
// NVVM.
//
// Works around two bugs of LLVM 22.1: dynamic shared memory becomes an
// internal symbol of size zero that other shared memory overlaps, and vectors
// in memory are taken apart into elements unless their alignment is trusted.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/GpuToHost/Passes.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Placement/NearestName.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_KERNELSTONVVM
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// Where shared memory begins, as TMA and swizzled tiles need it, in bytes.
constexpr int64_t sharedAlignment = 1024;

struct KernelsToNVVMPass : shardir::impl::KernelsToNVVMBase<KernelsToNVVMPass> {
  using KernelsToNVVMBase::KernelsToNVVMBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    build(pm);
    pm.getDependentDialects(registry);
  }

  static void build(OpPassManager &pm) {
    pm.addPass(memref::createFoldMemRefAliasOpsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createLoopInvariantCodeMotionPass());
    pm.addPass(createConvertComplexToStandardPass());

    // Outside of matrix units.
    addSmallFloatEmulation(pm);
    pm.addPass(createConvertNVGPUToNVVMPass());
    pm.addPass(createConvertVectorToSCFPass());
    pm.addPass(memref::createExpandStridedMetadataPass());
    pm.addPass(createLowerAffinePass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createSCFToControlFlowPass());
    pm.addPass(createConvertNVVMToLLVMPass());
    pm.addPass(createConvertComplexToLLVMPass());
    ConvertVectorToLLVMPassOptions vectorOptions;
    vectorOptions.useVectorAlignment = true;
    pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
    ConvertGpuOpsToNVVMOpsOptions nvvm;
    nvvm.indexBitwidth = 64;
    pm.addPass(createConvertGpuOpsToNVVMOps(nvvm));
    // Functions that libdevice lacks become intrinsics.
    pm.addPass(createConvertMathToLLVMPass());
    pm.addPass(createConvertNVVMToLLVMPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    std::optional<GpuTarget> target = GpuTarget::get(arch);
    if (!target || target->isHost()) {
      module.emitError("option arch ")
          << mustBeOneOf(GpuTarget::knownCards(), arch);
      return signalPassFailure();
    }
    if (failed(reductionsToShuffles(module)))
      return signalPassFailure();
    // Vectors in shared memory are left by the conversion of vectors, which
    // says that it knows no such memory, and lowered by that of the gpu
    // dialect. What is lowered by neither, checkLowered finds.
    ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &diagnostic) {
      return success(StringRef(diagnostic.str())
                         .starts_with("conversion of memref memory space"));
    });
    // Upstream's conversion of functions knows no parameters by value.
    llvm::StringMap<SmallVector<std::pair<unsigned, Type>>> byValue;
    for (gpu::GPUFuncOp kernel : module.getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        if (auto type = kernel.getArgAttrOfType<TypeAttr>(
                i, LLVM::LLVMDialect::getByValAttrName()))
          byValue[kernel.getName()].push_back({i, type.getValue()});
    approximateNarrow(module);
    approximate<math::Exp2Op>(module, "llvm.nvvm.ex2.approx.ftz.f32");
    approximate<math::Log2Op>(module, "llvm.nvvm.lg2.approx.ftz.f");
    approximate<arith::DivFOp>(module, "llvm.nvvm.rcp.approx.ftz.f");
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    build(pm);
    if (failed(runPipeline(pm, module)) || failed(checkLowered(module)))
      return signalPassFailure();
    shareDynamicMemory(module);
    for (LLVM::LLVMFuncOp kernel : module.getOps<LLVM::LLVMFuncOp>()) {
      shareRegisters(kernel);
      if (auto found = byValue.find(kernel.getSymName());
          found != byValue.end())
        passByValue(kernel, found->second);
    }
  }

  /// Warps can hand each other registers only if ptxas knows how many a thread
  /// starts with: what one block per multiprocessor may have.
  static void shareRegisters(LLVM::LLVMFuncOp kernel) {
    WalkResult found = kernel.walk(
        [](NVVM::SetMaxRegisterOp) { return WalkResult::interrupt(); });
    if (found.wasInterrupted())
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      Builder(kernel.getContext()).getI32IntegerAttr(1));
  }

  /// Parameters that the copy engine reads where the launch has put them.
  static void passByValue(LLVM::LLVMFuncOp kernel,
                          ArrayRef<std::pair<unsigned, Type>> parameters) {
    Builder builder(kernel.getContext());
    for (auto [i, type] : parameters) {
      kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(type));
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
      kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
    }
  }

  /// Powers of two, their inverse and reciprocals, where they may be
  /// approximate, are one instruction, which takes subnormal numbers for zero.
  template <typename Op>
  static void approximate(gpu::GPUModuleOp module, StringRef intrinsic) {
    module.walk([&](Op op) {
      if (!op.getType().isF32() ||
          !arith::bitEnumContainsAll(op.getFastmath(),
                                     arith::FastMathFlags::afn))
        return;
      if (isa<arith::DivFOp>(op) &&
          !matchPattern(op->getOperand(0), m_OneFloat()))
        return;
      OpBuilder builder(op);
      auto call = LLVM::CallIntrinsicOp::create(
          builder, op.getLoc(), op.getType(), builder.getStringAttr(intrinsic),
          op->getOperands().take_back());
      op.replaceAllUsesWith(call.getResult(0));
      op.erase();
    });
  }

  /// Exponentials, quotients and hyperbolic tangents of 16-bit floats are
  /// computed in f32, whose last bits are rounded away: the units'
  /// approximations are accurate enough, and take fewer instructions.
  static void approximateNarrow(gpu::GPUModuleOp module) {
    auto isNarrow = [](Operation *op) {
      Type element = getElementTypeOrSelf(op->getResult(0));
      return element.isBF16() || element.isF16();
    };
    module.walk([&](math::ExpOp op) {
      if (isNarrow(op))
        op.setFastmath(op.getFastmath() | arith::FastMathFlags::afn);
    });
    // Within two units of the last place for all operands that are not
    // subnormal. The one for `afn` gives 0 for large divisors.
    module.walk([&](arith::DivFOp op) {
      if (isNarrow(op))
        computeInF32(op, [](ImplicitLocOpBuilder &builder, ValueRange xy) {
          auto name = builder.getStringAttr("llvm.nvvm.div.full");
          return LLVM::CallIntrinsicOp::create(builder, builder.getF32Type(),
                                               name, xy)
              .getResult(0);
        });
    });
    // Within 2^-11, which f16 would keep.
    module.walk([&](math::TanhOp op) {
      if (getElementTypeOrSelf(op.getType()).isBF16())
        computeInF32(op, [](ImplicitLocOpBuilder &builder, ValueRange x) {
          return LLVM::TanhOp::create(builder, x[0], LLVM::FastmathFlags::afn)
              .getResult();
        });
    });
  }

  /// Computes each element of what `op`, of narrower floats, gives by `compute`
  /// from its operands' elements in f32.
  static void computeInF32(
      Operation *op,
      function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> compute) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Type narrow = op->getResult(0).getType(), f32 = builder.getF32Type();
    auto vector = dyn_cast<VectorType>(narrow);
    Type wide = vector ? vector.clone(f32) : f32;
    // As the other ops' that are computed in f32: what is rounded only to be
    // widened again is not rounded.
    auto fastmath = arith::FastMathFlagsAttr::get(
        op->getContext(), arith::FastMathFlags::contract);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          arith::ExtFOp::create(builder, wide, operand, fastmath));
    Value result;
    if (vector) {
      SmallVector<SmallVector<Value>> elements(vector.getNumElements());
      for (Value operand : operands)
        for (auto [of, value] : llvm::zip(
                 elements,
                 vector::ToElementsOp::create(builder, operand).getResults()))
          of.push_back(value);
      SmallVector<Value> results;
      for (const SmallVector<Value> &of : elements)
        results.push_back(compute(builder, of));
      result = vector::FromElementsOp::create(builder, wide, results);
    } else {
      result = compute(builder, operands);
    }
    op->replaceAllUsesWith(arith::TruncFOp::create(builder, narrow, result,
                                                   arith::RoundingModeAttr(),
                                                   fastmath)
                               ->getResults());
    op->erase();
  }

  static LogicalResult checkLowered(gpu::GPUModuleOp module) {
    WalkResult result = module.walk([&](Operation *op) {
      if (op == module.getOperation() ||
          isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
        return WalkResult::advance();
      emitError(op->getLoc(), "no GPU code can be generated for this: '")
          << op->getName() << "' has no lowering";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// One external symbol for dynamic shared memory, for all kernels.
  static void shareDynamicMemory(gpu::GPUModuleOp module) {
    LLVM::GlobalOp shared;
    for (LLVM::GlobalOp global :
         llvm::to_vector(module.getOps<LLVM::GlobalOp>())) {
      auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      if (global.getAddrSpace() != 3 || !type || type.getNumElements() != 0)
        continue;
      if (!shared) {
        shared = global;
        shared.setLinkage(LLVM::Linkage::External);
        shared.setAlignment(sharedAlignment);
        continue;
      }
      module.walk([&](LLVM::AddressOfOp op) {
        if (op.getGlobalName() == global.getSymName())
          op.setGlobalName(shared.getSymName());
      });
      global.erase();
    }
  }
};

} // namespace
