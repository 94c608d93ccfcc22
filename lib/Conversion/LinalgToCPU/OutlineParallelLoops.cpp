//===- OutlineParallelLoops.cpp - forall loops to the runtime -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires that iterations of a scf.forall are independent;
// guarantees that none is left. What a body captures travels in a struct on the
// caller's stack, memrefs as the descriptors that they will be lowered to; the
// casts between the two vanish with the lowering of memrefs.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace shardir {
#define GEN_PASS_DEF_OUTLINEPARALLELLOOPS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
constexpr const char *runtimeFunction = "shardir_parallel_for";

/// A loop's lower bounds, upper bounds, steps and trip counts as values.
struct Bounds {
  SmallVector<Value> lower, step, count;
};

Bounds boundsOf(scf::ForallOp loop, OpBuilder &builder) {
  Location loc = loop.getLoc();
  Bounds bounds;
  bounds.lower = loop.getLowerBound(builder);
  bounds.step = loop.getStep(builder);
  for (auto [lower, upper, step] :
       llvm::zip(bounds.lower, loop.getUpperBound(builder), bounds.step)) {
    Value extent = arith::SubIOp::create(builder, loc, upper, lower);
    bounds.count.push_back(
        arith::CeilDivSIOp::create(builder, loc, extent, step));
  }
  return bounds;
}

/// Moves `loop`'s body to a builder's position, where its variables are `ivs`.
void inlineBody(scf::ForallOp loop, OpBuilder &builder, IRMapping &mapping,
                ValueRange ivs) {
  mapping.map(loop.getInductionVars(), ivs);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
}

void toSerialLoops(scf::ForallOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> ivs, upper = loop.getUpperBound(builder),
                          lower = loop.getLowerBound(builder),
                          step = loop.getStep(builder);
  for (auto [from, to, by] : llvm::zip(lower, upper, step)) {
    auto nested = scf::ForOp::create(builder, loc, from, to, by);
    ivs.push_back(nested.getInductionVar());
    builder.setInsertionPoint(nested.getBody()->getTerminator());
  }
  IRMapping mapping;
  // Buffers on the stack are taken once: it would grow with each iteration.
  Operation *scope = loop->getParentOfType<FunctionOpInterface>();
  if (auto around = loop->getParentOfType<scf::ForallOp>())
    scope = around;
  OpBuilder front = OpBuilder::atBlockBegin(&scope->getRegion(0).front());
  for (auto buffer :
       llvm::make_early_inc_range(loop.getBody()->getOps<memref::AllocaOp>()))
    if (buffer.getType().hasStaticShape())
      buffer->moveBefore(front.getInsertionBlock(), front.getInsertionPoint());
  inlineBody(loop, builder, mapping, ivs);
  loop.erase();
}

struct OutlineParallelLoopsPass
    : shardir::impl::OutlineParallelLoopsBase<OutlineParallelLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      // Post-order: loops inside other ones first, which are then serial.
      SmallVector<scf::ForallOp> loops;
      function.walk([&](scf::ForallOp loop) {
        if (loop.getNumResults() == 0)
          loops.push_back(loop);
      });
      int count = 0;
      for (scf::ForallOp loop : loops) {
        if (serial || loop->getParentOfType<scf::ForallOp>())
          toSerialLoops(loop);
        else if (failed(outline(loop, function, symbols, count++)))
          return signalPassFailure();
      }
    }
  }

  LogicalResult outline(scf::ForallOp loop, func::FuncOp parent,
                        SymbolTable &symbols, int number) {
    MLIRContext *context = &getContext();
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    Bounds bounds = boundsOf(loop, builder);

    // The values that the body captures; constants are cloned inside.
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    SmallVector<Value> captured;
    SmallVector<Operation *> constants;
    auto capture = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      if (producer && matchPattern(producer, m_Constant())) {
        if (!llvm::is_contained(constants, producer))
          constants.push_back(producer);
      } else if (!llvm::is_contained(captured, value)) {
        captured.push_back(value);
      }
    };
    for (Value value : used)
      capture(value);
    bool single = bounds.count.size() == 1;
    for (size_t i = 0; i < bounds.count.size(); ++i) {
      capture(bounds.lower[i]);
      capture(bounds.step[i]);
      if (!single)
        capture(bounds.count[i]);
    }

    LLVMTypeConverter converter(context);
    SmallVector<Type> fields;
    for (Value value : captured) {
      Type type = converter.convertType(value.getType());
      if (!type)
        return loop.emitError("cannot pass a value of type ")
               << value.getType() << " to a parallel loop";
      fields.push_back(type);
    }
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto structure = LLVM::LLVMStructType::getLiteral(context, fields);
    auto i64 = builder.getI64Type();

    // The body as a function.
    auto body = func::FuncOp::create(
        loc, (parent.getName() + "_body_" + Twine(number)).str(),
        builder.getFunctionType({i64, pointer}, {}));
    body.setPrivate();
    symbols.insert(body);
    Block *entry = body.addEntryBlock();
    OpBuilder inside = OpBuilder::atBlockBegin(entry);
    IRMapping mapping;
    for (Operation *constant : constants)
      inside.clone(*constant, mapping);
    for (auto [i, value] : llvm::enumerate(captured)) {
      Value address = LLVM::GEPOp::create(
          inside, loc, pointer, structure, entry->getArgument(1),
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
      Value field = LLVM::LoadOp::create(inside, loc, fields[i], address);
      if (field.getType() != value.getType())
        field = UnrealizedConversionCastOp::create(inside, loc, value.getType(),
                                                   field)
                    .getResult(0);
      mapping.map(value, field);
    }
    Value linear = arith::IndexCastOp::create(
        inside, loc, inside.getIndexType(), entry->getArgument(0));
    SmallVector<Value> ivs(bounds.count.size());
    for (size_t i = bounds.count.size(); i-- > 0;) {
      Value position = linear;
      if (i > 0) {
        Value count = mapping.lookup(bounds.count[i]);
        position = arith::RemUIOp::create(inside, loc, linear, count);
        linear = arith::DivUIOp::create(inside, loc, linear, count);
      }
      Value scaled = arith::MulIOp::create(inside, loc, position,
                                           mapping.lookup(bounds.step[i]));
      ivs[i] = arith::AddIOp::create(inside, loc, scaled,
                                     mapping.lookup(bounds.lower[i]));
    }
    inlineBody(loop, inside, mapping, ivs);
    func::ReturnOp::create(inside, loc);

    // The loop as a call. The struct is on the function's stack frame, so
    // that a loop around does not let it grow.
    OpBuilder front = OpBuilder::atBlockBegin(&parent.front());
    Value one =
        LLVM::ConstantOp::create(front, loc, i64, front.getI64IntegerAttr(1));
    Value storage = LLVM::AllocaOp::create(front, loc, pointer, structure, one,
                                           /*alignment=*/64);
    for (auto [i, value] : llvm::enumerate(captured)) {
      Value field = value;
      if (field.getType() != fields[i])
        field =
            UnrealizedConversionCastOp::create(builder, loc, fields[i], value)
                .getResult(0);
      Value address = LLVM::GEPOp::create(
          builder, loc, pointer, structure, storage,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, field, address);
    }
    Value total = bounds.count[0];
    for (Value count : ArrayRef<Value>(bounds.count).drop_front())
      total = arith::MulIOp::create(builder, loc, total, count);
    Value totalI64 = arith::IndexCastOp::create(builder, loc, i64, total);
    Value function = func::ConstantOp::create(
        builder, loc, body.getFunctionType(), body.getName());
    Value address =
        UnrealizedConversionCastOp::create(builder, loc, pointer, function)
            .getResult(0);
    FailureOr<LLVM::LLVMFuncOp> callee = LLVM::lookupOrCreateFn(
        builder, getOperation(), runtimeFunction, {i64, pointer, pointer},
        LLVM::LLVMVoidType::get(context));
    if (failed(callee))
      return failure();
    LLVM::CallOp::create(builder, loc, *callee,
                         ValueRange{totalI64, address, storage});
    loop.erase();
    return success();
  }
};
} // namespace
