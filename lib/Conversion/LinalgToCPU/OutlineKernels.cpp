//===- OutlineKernels.cpp - Each loop nest in a function of its own -------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires linalg ops on memrefs; guarantees that each of
// them that has loops is alone in a private function, and that equal nests
// share one. LLVM's time is superlinear in a function's size and a model
// repeats its layers: both make this the pass that keeps compile time in check.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace shardir {
#define GEN_PASS_DEF_OUTLINECPUKERNELS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
/// A nest that is worth a function: it has loops and works on memrefs.
bool isKernel(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureBufferSemantics() && linalgOp.getNumLoops() > 0;
  return isa<scf::ForallOp, scf::ParallelOp>(op) && op->getNumResults() == 0;
}

/// `fill` only prepares the result of the reduction `op`, so that the two are
/// one nest: ops between them touch no memory.
bool initializes(Operation *fill, Operation *op) {
  auto filled = dyn_cast<linalg::FillOp>(fill);
  auto reduction = dyn_cast<linalg::LinalgOp>(op);
  if (!filled || !reduction || fill->getBlock() != op->getBlock() ||
      reduction.getNumReductionLoops() == 0 ||
      !llvm::is_contained(reduction.getDpsInits(), filled.getOutputs()[0]))
    return false;
  for (Operation *between = fill->getNextNode(); between != op;
       between = between->getNextNode())
    if (!between ||
        !(isMemoryEffectFree(between) || isa<memref::AllocOp>(between)))
      return false;
  return true;
}

/// Adds `next` to a nest that ends in a product whose only reader it is, and
/// the buffer between them.
bool addEpilogue(SmallVector<Operation *> &nest, Operation *next) {
  auto product = dyn_cast<linalg::LinalgOp>(nest.back());
  if (!product || shardir::findEpilogue(product) != next)
    return false;
  Value sums = product.getDpsInits()[0];
  SmallVector<Operation *> frees;
  for (Operation *user : sums.getUsers())
    if (isa<memref::DeallocOp>(user))
      frees.push_back(user);
    else if (user != next && !llvm::is_contained(nest, user))
      return false;
  shardir::joinEpilogue(product, cast<linalg::LinalgOp>(next));
  nest.insert(nest.begin(), sums.getDefiningOp());
  nest.push_back(next);
  llvm::append_range(nest, frees);
  return true;
}

/// True if a pointer says as much as a descriptor.
bool isOnePointer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref || LLVMTypeConverter::canConvertToBarePtr(memref);
}

struct OutlineCpuKernelsPass
    : shardir::impl::OutlineCpuKernelsBase<OutlineCpuKernelsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::StringMap<func::FuncOp> known;
    // A copy: the new functions are not to be outlined again.
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      SmallVector<Operation *> kernels;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isKernel(op))
          return WalkResult::advance();
        kernels.push_back(op);
        return WalkResult::skip();
      });
      for (size_t i = 0; i < kernels.size(); ++i) {
        SmallVector<Operation *> nest = {kernels[i]};
        if (i + 1 < kernels.size() && initializes(kernels[i], kernels[i + 1]))
          nest.push_back(kernels[++i]);
        Operation *last = nest.back();
        if (i + 1 < kernels.size() && addEpilogue(nest, kernels[i + 1]))
          last = kernels[++i];
        outline(nest, last, function, symbols, known);
      }
    }
  }

  /// Outlines `nest` to where `op` is, its last op with loops.
  void outline(ArrayRef<Operation *> nest, Operation *op, func::FuncOp parent,
               SymbolTable &symbols, llvm::StringMap<func::FuncOp> &known) {
    llvm::SetVector<Value> used;
    for (Operation *member : nest) {
      used.insert(member->operand_begin(), member->operand_end());
      getUsedValuesDefinedAbove(member->getRegions(), used);
    }
    used.remove_if([&](Value value) {
      return llvm::is_contained(nest, value.getDefiningOp());
    });

    // Constants go along, so that the nest is compiled for their values.
    SmallVector<Value> arguments;
    SmallVector<Operation *> constants;
    for (Value value : used) {
      Operation *producer = value.getDefiningOp();
      if (producer && matchPattern(producer, m_Constant()))
        constants.push_back(producer);
      else
        arguments.push_back(value);
    }

    OpBuilder builder(op->getContext());
    OwningOpRef<func::FuncOp> kernel = func::FuncOp::create(
        op->getLoc(), "kernel",
        builder.getFunctionType(ValueRange(arguments).getTypes(), {}));
    kernel->setPrivate();
    kernel->setNoInlineAttr(builder.getUnitAttr());
    // An entry is hundreds of calls: descriptors would be most of its code.
    if (llvm::all_of(kernel->getArgumentTypes(), isOnePointer))
      kernel->getOperation()->setAttr("llvm.bareptr", builder.getUnitAttr());
    Block *body = kernel->addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(arguments, body->getArguments());
    for (Operation *constant : constants)
      builder.clone(*constant, mapping);
    for (Operation *member : nest)
      builder.clone(*member, mapping);
    func::ReturnOp::create(builder, op->getLoc());

    std::string key;
    llvm::raw_string_ostream stream(key);
    kernel->print(stream, OpPrintingFlags().useLocalScope());
    func::FuncOp &shared = known[key];
    if (!shared) {
      shared = kernel.release();
      shared.setName(
          (parent.getName() + "_kernel_" + Twine(known.size() - 1)).str());
      symbols.insert(shared);
    }
    builder.setInsertionPoint(op);
    func::CallOp::create(builder, op->getLoc(), shared, arguments);
    for (Operation *member : llvm::reverse(nest))
      member->erase();
  }
};
} // namespace
