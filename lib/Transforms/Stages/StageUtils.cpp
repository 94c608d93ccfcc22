//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the passes of all stages; see StageUtils.h. Requires nothing,
// changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/StageUtils.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/VerifyRule.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace shardir;

SignatureAttrs::SignatureAttrs(FunctionOpInterface function)
    : function(function), arguments(function.getNumArguments()),
      results(function.getNumResults()) {
  for (auto [i, list] : llvm::enumerate(arguments))
    if (DictionaryAttr own = function.getArgAttrDict(i))
      list = NamedAttrList(own);
  for (auto [i, list] : llvm::enumerate(results))
    if (DictionaryAttr own = function.getResultAttrDict(i))
      list = NamedAttrList(own);
}

void SignatureAttrs::setArgument(unsigned index, StringRef name,
                                 Attribute value) {
  arguments[index].set(name, value);
  argumentsChanged = true;
}

void SignatureAttrs::setResult(unsigned index, StringRef name,
                               Attribute value) {
  results[index].set(name, value);
  resultsChanged = true;
}

void SignatureAttrs::removeFromArgument(unsigned index, StringRef name) {
  argumentsChanged |= bool(arguments[index].erase(name));
}

void SignatureAttrs::removeFromResult(unsigned index, StringRef name) {
  resultsChanged |= bool(results[index].erase(name));
}

void SignatureAttrs::write() {
  auto dictionaries = [&](MutableArrayRef<NamedAttrList> lists) {
    SmallVector<DictionaryAttr> all;
    for (NamedAttrList &list : lists)
      all.push_back(list.getDictionary(function->getContext()));
    return all;
  };
  if (argumentsChanged)
    function.setAllArgAttrs(dictionaries(arguments));
  if (resultsChanged)
    function.setAllResultAttrs(dictionaries(results));
  argumentsChanged = resultsChanged = false;
}

bool shardir::hasTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

LogicalResult shardir::checkSupported(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError(
        "has several blocks; write control flow with scf (pass "
        "-lift-cf-to-scf) so that placements can follow it");
  WalkResult result = function.walk([&](Operation *op) {
    auto step = dyn_cast<collective::CollectiveOpInterface>(op);
    bool isTensorCopy = isa<collective::HostCopyOp>(op) && hasTensors(op);
    if (step ? step.isLocal() || step.getOutput()
             : isa_and_present<collective::CollectiveDialect>(
                   op->getDialect()) &&
                   !isTensorCopy) {
      op->emitOpError(
          "works on shards, but the module has not been localized; ")
          << (step ? "write it on global tensors, without `of`"
                   : "say where values are with shardir.constrain");
      return WalkResult::interrupt();
    }
    if (isa<CallOpInterface>(op) && hasTensors(op)) {
      op->emitOpError("with tensors is left after inlining, so that placements "
                      "cannot pass; give its callee a body that may be "
                      "inlined");
      return WalkResult::interrupt();
    }
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isa<UnrankedTensorType>(type)) {
        op->emitOpError("has an unranked tensor, which has no placement");
        return WalkResult::interrupt();
      }
    // Rules by attribute are verified with the op.
    if (hasTensors(op) && !op->hasAttr(ShardIRDialect::kRule))
      if (auto interface = dyn_cast<ShardingRuleOpInterface>(op))
        if (SharedRule rule = interface.getShardingRule();
            failed(verifyRule(op, rule)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void shardir::mergeEqualOps(ModuleOp module, int rounds) {
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  bool changed = true;
  for (int round = 0; round < rounds && changed; ++round) {
    changed = false;
    eliminateCommonSubExpressions(rewriter, dominance, module, &changed);
  }
}

LogicalResult shardir::checkMeshes(ModuleOp module) {
  llvm::DenseSet<int64_t> named;
  MeshOp largest;
  int64_t ranks = 0, inOrder = 0; // the ranks below are all named
  for (MeshOp op : module.getOps<MeshOp>()) {
    Mesh mesh = op.getMesh();
    if (!mesh.isConcrete())
      return success();
    if (mesh.devices.empty())
      inOrder = std::max(inOrder, mesh.numDevices());
    named.insert(mesh.devices.begin(), mesh.devices.end());
    if (mesh.numRanks() > ranks) {
      ranks = mesh.numRanks();
      largest = op;
    }
  }
  for (int64_t rank = inOrder; rank < ranks; ++rank)
    if (!named.contains(rank))
      return largest.emitError()
             << "names rank " << ranks - 1 << ", but no mesh names rank "
             << rank << "; number the ranks from 0 without gaps";
  return success();
}
