//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Writes scf.forall on tensors as scf.for, whose data flow
// placements follow: what threads share is carried, and an insertion at the end
// of a thread is one at the end of an iteration. Guarantees equal results where
// threads do not race: what is read of a shared tensor is what was there before
// the loop.
//
// Independent iterations are lost; ranks and the ops inside run in parallel.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Propagate/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {
#define GEN_PASS_DEF_FORALLTOFOR
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Whether iterations may run one after another here: nothing says which
/// processor takes which, and all that they make is inserted into what they
/// share.
static bool mayFollow(scf::ForallOp op) {
  return op->getNumResults() && !op.getMapping() &&
         llvm::all_of(op.getTerminator().getYieldingOps(),
                      llvm::IsaPred<tensor::ParallelInsertSliceOp>);
}

static void rewrite(scf::ForallOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> inits(op.getOutputs());
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, op.getLowerBound(builder), op.getUpperBound(builder),
      op.getStep(builder), inits,
      [&](OpBuilder &inner, Location, ValueRange ivs, ValueRange carried) {
        IRMapping mapping;
        mapping.map(op.getInductionVars(), ivs);
        mapping.map(op.getRegionIterArgs(), inits);
        for (Operation &each : op.getBody()->without_terminator())
          inner.clone(each, mapping);
        SmallVector<Value> next(carried);
        for (Operation &each : op.getTerminator().getYieldingOps()) {
          auto insert = cast<tensor::ParallelInsertSliceOp>(each);
          unsigned i = cast<BlockArgument>(insert.getDest()).getArgNumber() -
                       op.getRank();
          auto mapped = [&](ArrayRef<OpFoldResult> values) {
            SmallVector<OpFoldResult> result;
            for (OpFoldResult value : values)
              result.push_back(isa<Value>(value)
                                   ? OpFoldResult(mapping.lookupOrDefault(
                                         cast<Value>(value)))
                                   : value);
            return result;
          };
          next[i] = tensor::InsertSliceOp::create(
              inner, insert.getLoc(),
              mapping.lookupOrDefault(insert.getSource()), next[i],
              mapped(insert.getMixedOffsets()), mapped(insert.getMixedSizes()),
              mapped(insert.getMixedStrides()));
        }
        return scf::ValueVector(next);
      });
  // The user's annotations stay with the results.
  if (!nest.loops.empty())
    if (Attribute own = op->getAttr(ShardIRDialect::kPlacements))
      nest.loops.front()->setAttr(ShardIRDialect::kPlacements, own);
  op->replaceAllUsesWith(nest.results);
  op->erase();
}

namespace {

struct ForallToForPass : shardir::impl::ForallToForBase<ForallToForPass> {
  void runOnOperation() override {
    if (MeshTable(getOperation()).all().empty() ||
        stageOf(getOperation()) >= Stage::Local)
      return markAllAnalysesPreserved();
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp op) {
      if (mayFollow(op))
        loops.push_back(op);
    });
    for (scf::ForallOp op : loops)
      rewrite(op);
    if (loops.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace
