//===- plugin.cpp - A dialect of another compiler, with rules -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin for shard-opt, shard-compile, shard-run and shard-validate. Its
// dialect `demo` shows what an op needs to go through all stages:
//
// demo.row_scale  has its rule by interface and BufferizableOpInterface;
//                 demo-lower lowers it on buffers.
// demo.row_max    has its rule by attribute and no form on buffers;
//                 demo-to-linalg lowers it on tensors.
//
// It links MLIR alone: ShardIR's symbols are those of the tool that loads it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace demo {

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// `%y = "demo.row_scale"(%x, %s)`: row i of the [M, N] tensor x times s[i].
/// On buffers: `"demo.row_scale"(%x, %s, %y)`.
class RowScaleOp
    : public Op<RowScaleOp, OpTrait::VariadicResults, OpTrait::VariadicOperands,
                MemoryEffectOpInterface::Trait,
                bufferization::BufferizableOpInterface::Trait,
                shardir::ShardingRuleOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "demo.row_scale"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  LogicalResult verify() {
    bool onTensors = getNumResults() == 1;
    if (getNumOperands() != (onTensors ? 2u : 3u))
      return emitOpError("takes x and s, and on buffers y");
    return success();
  }

  /// x and y share both dims; s has the rows alone.
  shardir::SharedRule getShardingRule() {
    shardir::ShardingRule rule = shardir::ShardingRule::elementwise(*this);
    rule.operands[1].dims = {rule.results[0].dims[0]};
    // Terms of a sum pass where the other operand is none, terms of a product
    // where both are.
    rule.partials.push_back({shardir::PartialKind::Sum, {0}});
    rule.partials.push_back({shardir::PartialKind::Sum, {1}});
    rule.partials.push_back({shardir::PartialKind::Prod, {0, 1}});
    return rule;
  }

  void
  getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
                 &effects) {
    if (getNumResults())
      return;
    MutableArrayRef<OpOperand> operands = (*this)->getOpOperands();
    for (OpOperand &read : operands.take_front(2))
      effects.emplace_back(MemoryEffects::Read::get(), &read);
    effects.emplace_back(MemoryEffects::Write::get(), &operands[2]);
  }

  bool bufferizesToMemoryRead(OpOperand &,
                              const bufferization::AnalysisState &) {
    return true;
  }
  bool bufferizesToMemoryWrite(OpOperand &,
                               const bufferization::AnalysisState &) {
    return false;
  }
  bufferization::AliasingValueList
  getAliasingValues(OpOperand &, const bufferization::AnalysisState &) {
    return {};
  }
  bool bufferizesToAllocation(Value) { return true; }

  LogicalResult bufferize(RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) {
    auto x = bufferization::getBuffer(rewriter, getOperand(0), options, state);
    auto s = bufferization::getBuffer(rewriter, getOperand(1), options, state);
    if (failed(x) || failed(s))
      return failure();
    auto type = cast<RankedTensorType>(getResult(0).getType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(memref::DimOp::create(rewriter, getLoc(), *x, dim));
    auto y = options.createAlloc(
        rewriter, getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), sizes);
    if (failed(y))
      return failure();
    OperationState onBuffers(getLoc(), getOperationName());
    onBuffers.addOperands({*x, *s, *y});
    rewriter.create(onBuffers);
    bufferization::replaceOpWithBufferizedValues(rewriter, *this, *y);
    return success();
  }
};

/// `%y = "demo.row_max"(%x)`: the largest element of each row. It says nothing
/// of sharding: programs write `shardir.rule` on it.
class RowMaxOp : public Op<RowMaxOp, OpTrait::OneResult, OpTrait::OneOperand> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "demo.row_max"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class DemoDialect : public Dialect {
public:
  explicit DemoDialect(MLIRContext *context)
      : Dialect("demo", context, TypeID::get<DemoDialect>()) {
    addOperations<RowScaleOp, RowMaxOp>();
  }
  static StringRef getDialectNamespace() { return "demo"; }
};

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// On tensors: demo.row_max as a linalg.reduce.
struct ToLinalgPass
    : public PassWrapper<ToLinalgPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLinalgPass)
  StringRef getArgument() const override { return "demo-to-linalg"; }
  StringRef getDescription() const override { return "Lower demo on tensors"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](RowMaxOp op) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      auto element = cast<FloatType>(type.getElementType());
      Value least = arith::ConstantOp::create(
          b, loc,
          b.getFloatAttr(element, APFloat::getInf(element.getFloatSemantics(),
                                                  /*Negative=*/true)));
      SmallVector<OpFoldResult> rows = {
          tensor::getMixedSize(b, loc, op->getOperand(0), 0)};
      Value empty = tensor::EmptyOp::create(b, loc, rows, element);
      Value init = linalg::FillOp::create(b, loc, least, empty).getResult(0);
      auto reduce = linalg::ReduceOp::create(
          b, loc, op->getOperand(0), init, ArrayRef<int64_t>{1},
          [](OpBuilder &body, Location at, ValueRange both) {
            Value larger =
                arith::MaximumFOp::create(body, at, both[0], both[1]);
            linalg::YieldOp::create(body, at, larger);
          });
      op->getResult(0).replaceAllUsesWith(reduce->getResult(0));
      op.erase();
    });
  }
};

/// On buffers: demo.row_scale as two loops.
struct LowerPass : public PassWrapper<LowerPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerPass)
  StringRef getArgument() const override { return "demo-lower"; }
  StringRef getDescription() const override { return "Lower demo on buffers"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](RowScaleOp op) {
      if (op->getNumResults())
        return;
      OpBuilder b(op);
      Location loc = op.getLoc();
      Value x = op->getOperand(0), s = op->getOperand(1), y = op->getOperand(2);
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      SmallVector<Value> low = {zero, zero}, step = {one, one};
      SmallVector<Value> high = {memref::DimOp::create(b, loc, x, 0),
                                 memref::DimOp::create(b, loc, x, 1)};
      scf::buildLoopNest(
          b, loc, low, high, step,
          [&](OpBuilder &body, Location at, ValueRange i) {
            Value element = memref::LoadOp::create(body, at, x, i);
            Value scale = memref::LoadOp::create(body, at, s, i[0]);
            Value product = arith::MulFOp::create(body, at, element, scale);
            memref::StoreOp::create(body, at, product, y, i);
          });
      op.erase();
    });
  }
};

} // namespace demo

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Demo", "1", [](DialectRegistry *registry) {
            registry->insert<demo::DemoDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Demo", "1", []() {
            PassRegistration<demo::ToLinalgPass>();
            PassRegistration<demo::LowerPass>();
          }};
}
