//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Prepares functions that are called for inlining: their
// placements become constraints. Guarantees that every callee has a body and
// that none is recursive.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SCCIterator.h"

namespace shardir {
#define GEN_PASS_DEF_CONSTRAINCALLEES
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct ConstrainCalleesPass
    : shardir::impl::ConstrainCalleesBase<ConstrainCalleesPass> {

  LogicalResult checkCalls() {
    SymbolTable symbols(getOperation());
    WalkResult result = getOperation().walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isDeclaration()) {
        call.emitOpError("calls '")
            << call.getCallee()
            << "', which has no body here; link it into the module so that "
               "placements can pass";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    CallGraph graph(getOperation());
    for (auto scc = llvm::scc_begin<const CallGraph *>(&graph); !scc.isAtEnd();
         ++scc) {
      if (!scc.hasCycle())
        continue;
      for (CallGraphNode *node : *scc)
        if (!node->isExternal())
          return node->getCallableRegion()->getParentOp()->emitOpError(
              "is recursive; unroll it or write it as an scf.while");
    }
    return success();
  }

  /// Writes what the signature says into the body. An entry keeps its
  /// signature as well; a private function is gone once it is inlined.
  static void constrain(func::FuncOp function) {
    bool keeps = !function.isPrivate();
    OpBuilder builder(function.getContext());
    Block &entry = function.getBody().front();
    for (BlockArgument argument : entry.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto placement = function.getArgAttrOfType<PlacementAttr>(
          i, ShardIRDialect::kPlacement);
      if (!placement)
        continue;
      if (!keeps)
        function.removeArgAttr(i, ShardIRDialect::kPlacement);
      builder.setInsertionPointToStart(&entry);
      auto op = ConstrainOp::create(builder, argument.getLoc(),
                                    argument.getType(), argument, placement);
      op->setAttr(ShardIRDialect::kDecidedBy,
                  builder.getArrayAttr(
                      {Attribute(ProvenanceAttr::ofArgument(function, i))}));
      argument.replaceAllUsesExcept(op.getResult(), op);
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto placement = dyn_cast_or_null<PlacementAttr>(
          function.getResultAttr(i, ShardIRDialect::kPlacement));
      if (!placement)
        continue;
      if (!keeps)
        function.removeResultAttr(
            i,
            StringAttr::get(function.getContext(), ShardIRDialect::kPlacement));
      function.walk([&](func::ReturnOp op) {
        builder.setInsertionPoint(op);
        Value value = op.getOperand(i);
        auto constrain = ConstrainOp::create(builder, op.getLoc(),
                                             value.getType(), value, placement);
        constrain->setAttr(ShardIRDialect::kDecidedBy,
                           builder.getArrayAttr({Attribute(
                               ProvenanceAttr::ofResult(function, i))}));
        op.setOperand(i, constrain);
      });
    }
  }

  void runOnOperation() override {
    llvm::DenseSet<StringRef> called;
    getOperation().walk(
        [&](func::CallOp call) { called.insert(call.getCallee()); });
    if (called.empty())
      return markAllAnalysesPreserved();
    if (failed(checkCalls()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && called.contains(function.getSymName()))
        constrain(function);
  }
};

} // namespace
