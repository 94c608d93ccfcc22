//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local or scheduled to bufferized. Requires local tensors; guarantees
// entries on row-major memrefs that return nothing, collectives on contiguous
// buffers, arguments that only results in place are written to, and every
// buffer freed.
//
// Upstream does the work (one-shot bufferization, ownership-based
// deallocation). Ours is around it: signatures before, and after it the two
// copies that it leaves and that are not needed.
//
//===----------------------------------------------------------------------===//

#include "EntrySignatures.h"
#include "GatherBuckets.h"
#include "OpenExpandShapes.h"
#include "RematerializeInits.h"
#include "ReuseOperands.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Transforms/Bufferize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_BUFFERIZE
#include "ShardIR/Transforms/Bufferize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Values without content
//===----------------------------------------------------------------------===//

/// Replaces poison, of which no element is ever read, by an empty tensor:
/// there is no poison on buffers.
static void emptyPoison(ub::PoisonOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return;
  OpBuilder builder(op);
  SmallVector<Value> sizes;
  for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
    sizes.push_back(arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
  op.replaceAllUsesWith(
      tensor::EmptyOp::create(builder, op.getLoc(), type, sizes).getResult());
  op.erase();
}

//===----------------------------------------------------------------------===//
// Strides that step over nothing
//===----------------------------------------------------------------------===//

/// Sets the stride of dims of which a slice takes one element to 1. With other
/// strides upstream cannot tell which dim a view of lower rank dropped, and
/// crashes.
template <typename SliceOp> static void dropIdleStrides(SliceOp op) {
  SmallVector<int64_t> strides(op.getStaticStrides());
  for (auto [size, stride] : llvm::zip(op.getStaticSizes(), strides))
    if (size == 1 && !ShapedType::isDynamic(stride))
      stride = 1;
  op.setStaticStrides(strides);
}

//===----------------------------------------------------------------------===//
// Copies that are not needed
//===----------------------------------------------------------------------===//

/// One-shot bufferization copies the operand of an in-place op that may not
/// overwrite it. all_reduce needs no copy, as it can read one buffer and write
/// another:
///   memref.copy %x, %a; all_reduce %a into %a   ->   all_reduce %x into %a
static void readSourceOfCopy(collective::AllReduceOp op) {
  auto copy = dyn_cast_or_null<memref::CopyOp>(op->getPrevNode());
  if (!copy || op.getInput() != op.getDestination() ||
      copy.getTarget() != op.getInput())
    return;
  auto type = dyn_cast<MemRefType>(copy.getSource().getType());
  if (!type || !type.areTrailingDimsContiguous(type.getRank()))
    return;
  op.getInputMutable().assign(copy.getSource());
  copy.erase();
}

/// True if nothing after `copy` writes to any buffer but by copies into other
/// result buffers: it is one of the copies that end an entry.
static bool endsEntry(memref::CopyOp copy) {
  Operation *next = copy;
  while ((next = next->getNextNode())) {
    if (isa<func::ReturnOp>(next))
      return true;
    if (!isa<memref::CopyOp, cf::AssertOp, memref::DimOp, memref::StoreOp,
             arith::ConstantOp, arith::CmpIOp>(next))
      return false;
    if (auto store = dyn_cast<memref::StoreOp>(next))
      if (!isa<BlockArgument>(store.getMemref()))
        return false;
    if (auto other = dyn_cast<memref::CopyOp>(next))
      if (!isa<BlockArgument>(other.getTarget()))
        return false;
  }
  return false;
}

/// Asserts that a result has the extents of its buffer, if the extents of the
/// global tensor are known only when the program has run. Other buffers have
/// extents that the runtime computed by the same rules.
static void assertExtents(OpBuilder &builder, memref::CopyOp copy,
                          ArrayRef<OpFoldResult> sourceSizes, unsigned result) {
  auto buffer = cast<BlockArgument>(copy.getTarget());
  auto type = cast<MemRefType>(buffer.getType());
  auto entry = cast<func::FuncOp>(buffer.getOwner()->getParentOp());
  auto global = entry.getArgAttrOfType<TypeAttr>(buffer.getArgNumber(),
                                                 ShardIRDialect::kGlobalType);
  auto tensor = cast<RankedTensorType>(global.getValue());
  Location loc = copy.getLoc();
  IndexMath math(builder, loc);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim) || !tensor.isDynamicDim(dim))
      continue;
    Value expected = memref::DimOp::create(builder, loc, buffer, dim);
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        math.value(sourceSizes[dim]), expected);
    std::string message =
        ("result " + Twine(result) + " of @" + entry.getSymName() +
         " has another extent in dim " + Twine(dim) + " than the buffer for it")
            .str();
    cf::AssertOp::create(builder, loc, equal, message);
  }
}

/// The buffer that `value` is, behind `views` of complete contiguous groups of
/// dims; null where it is no allocation.
static memref::AllocOp
findCopiedBuffer(Value value, SmallVectorImpl<memref::CollapseShapeOp> &views) {
  while (auto view = value.getDefiningOp<memref::CollapseShapeOp>()) {
    views.push_back(view);
    value = view.getSrc();
  }
  return value.getDefiningOp<memref::AllocOp>();
}

/// A result that is computed in a new buffer and copied out at the end is
/// computed in the caller's buffer at once:
///   %a = alloc; op into %a; %v = collapse %a; copy %v, %out
///   ->   %a = expand %out; op into %a
static void computeInResultBuffer(memref::CopyOp copy, unsigned result) {
  Value output = copy.getTarget();
  Location loc = copy.getLoc();
  OpBuilder builder(copy);
  SmallVector<memref::CollapseShapeOp> views;
  auto alloc = findCopiedBuffer(copy.getSource(), views);
  bool forward = alloc && alloc->getBlock() == copy->getBlock() &&
                 copy.getSource().getType() == output.getType() &&
                 output.hasOneUse() && endsEntry(copy) &&
                 copy->getBlock()->isEntryBlock();
  if (!forward) {
    assertExtents(builder, copy,
                  memref::getMixedSizes(builder, loc, copy.getSource()),
                  result);
    return;
  }
  builder.setInsertionPoint(alloc);
  // The sizes of the buffer, then those of each view, innermost first.
  SmallVector<SmallVector<OpFoldResult>> sizes = {alloc.getMixedSizes()};
  IndexMath math(builder, loc);
  for (memref::CollapseShapeOp view : llvm::reverse(views)) {
    SmallVector<OpFoldResult> collapsed;
    for (const ReassociationIndices &group : view.getReassociationIndices()) {
      OpFoldResult size = math.constant(1);
      for (int64_t dim : group)
        size = math.mul(size, sizes.back()[dim]);
      collapsed.push_back(size);
    }
    sizes.push_back(std::move(collapsed));
  }
  // Before the buffer is replaced, since its extents are then the output's.
  assertExtents(builder, copy, sizes.pop_back_val(), result);
  copy.erase();
  for (memref::CollapseShapeOp view : views)
    output = memref::ExpandShapeOp::create(
        builder, loc, view.getSrcType(), output, view.getReassociationIndices(),
        sizes.pop_back_val());
  alloc.getResult().replaceAllUsesWith(output);
  alloc.erase();
}

/// True if `value` is a small buffer that each iteration of a parallel loop has
/// for itself. On the stack it needs no lock, which the threads of a rank share
/// in its allocator.
static bool fitsThreadStack(Value value) {
  constexpr int64_t maxStackBytes = 64 * 1024;
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  if (!alloc || !isa<scf::ForallOp>(alloc->getParentOp()))
    return false;
  MemRefType type = alloc.getType();
  return type.hasStaticShape() && type.getLayout().isIdentity() &&
         type.getElementType().isIntOrFloat() &&
         type.getNumElements() <=
             maxStackBytes * 8 / type.getElementTypeBitWidth();
}

namespace {

struct BufferizePass : shardir::impl::BufferizeBase<BufferizePass> {
  using BufferizeBase::BufferizeBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                    cf::ControlFlowDialect, linalg::LinalgDialect,
                    memref::MemRefDialect, tensor::TensorDialect,
                    scf::SCFDialect>();
    OpPassManager pm(ModuleOp::getOperationName());
    buildBefore(pm);
    buildAfter(pm);
    pm.getDependentDialects(registry);
  }

  static void buildBefore(OpPassManager &pm) {
    pm.addPass(bufferization::createEmptyTensorEliminationPass());
  }

  static void buildOneShot(OpPassManager &pm) {
    pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
    bufferization::OneShotBufferizePassOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.allowReturnAllocsFromLoops = true;
    options.functionBoundaryTypeConversion =
        bufferization::LayoutMapOption::IdentityLayoutMap;
    pm.addPass(bufferization::createOneShotBufferizePass(options));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }

  static void buildAfter(OpPassManager &pm) {
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addNestedPass<func::FuncOp>(
        bufferization::createBufferLoopHoistingPass());
    pm.addNestedPass<func::FuncOp>(
        bufferization::createPromoteBuffersToStackPass(fitsThreadStack));
    bufferization::buildBufferDeallocationPipeline(pm);
    pm.addNestedPass<func::FuncOp>(
        bufferization::createOptimizeAllocationLivenessPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }

  LogicalResult run(llvm::function_ref<void(OpPassManager &)> build) {
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm);
    return runPipeline(pm, getOperation());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) >= Stage::Bufferized) {
      markAllAnalysesPreserved();
      return;
    }
    if (failed(expectLocal(module, "shardir-bufferize",
                           "--shardir-to-bufferized")) ||
        failed(checkEntries(module)) || failed(checkOps(module)))
      return signalPassFailure();
    module.walk([](ub::PoisonOp op) { emptyPoison(op); });
    rematerializeInits(module);
    separateCalledEntries(module);
    for (func::FuncOp entry : findEntries(module))
      writeIntoArguments(entry);
    if (failed(run(buildBefore)))
      return signalPassFailure();
    reuseOperands(module);
    module.walk([](tensor::ExtractSliceOp op) { dropIdleStrides(op); });
    module.walk([](tensor::InsertSliceOp op) { dropIdleStrides(op); });
    for (func::FuncOp entry : findEntries(module))
      rewriteToBuffers(entry);
    if (failed(run(buildOneShot)))
      return signalPassFailure();
    module.walk([](collective::AllReduceOp op) { readSourceOfCopy(op); });
    for (func::FuncOp entry : findEntries(module))
      improveResults(entry);
    if (failed(run(buildAfter)))
      return signalPassFailure();
    rewriteOpenExpandShapes(module);
    gatherBuckets(module);
    setStage(module, Stage::Bufferized);
  }

  static void improveResults(func::FuncOp entry) {
    unsigned result = 0;
    for (BlockArgument argument : entry.getArguments()) {
      if (!entry.getArgAttr(argument.getArgNumber(), ShardIRDialect::kResult))
        continue;
      SmallVector<memref::CopyOp> copies;
      for (Operation *user : argument.getUsers())
        if (auto copy = dyn_cast<memref::CopyOp>(user))
          if (copy.getTarget() == argument)
            copies.push_back(copy);
      for (memref::CopyOp copy : copies)
        computeInResultBuffer(copy, result);
      ++result;
    }
  }
};

} // namespace
