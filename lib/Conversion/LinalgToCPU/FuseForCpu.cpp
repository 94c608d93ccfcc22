//===- FuseForCpu.cpp - Elementwise fusion that pays ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires linalg on tensors; guarantees that no
// op is computed more often than its cost allows and that contractions still
// match as such. Uses the fusion of two generics alone: upstream's pass also
// moves reshapes through generics, and gave wrong results on a program whose
// bodies have linalg.index and captured tensors (tried, LLVM 22.1).
//
//===----------------------------------------------------------------------===//

#include "Common/Contraction.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_FUSEFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
/// Beyond these a fused body spills registers or costs compile time.
constexpr int64_t maxFusedOperands = 14;
constexpr int64_t maxFusedBodyOps = 256;

/// The cost of one evaluation of a body, in additions.
struct BodyCost {
  int64_t operations = 0;
  /// Has ops that do not become vector instructions one for one.
  bool irregular = false;
};

BodyCost costOf(linalg::GenericOp op) {
  BodyCost cost;
  op.getBody()->walk([&](Operation *nested) {
    if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp>(nested))
      return;
    if (isa_and_present<scf::SCFDialect, tensor::TensorDialect>(
            nested->getDialect())) {
      cost.irregular = true;
      cost.operations += 8;
    } else if (isa_and_present<math::MathDialect>(nested->getDialect()) &&
               !isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(nested)) {
      cost.operations += 20;
    } else if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
                   arith::RemSIOp, arith::RemUIOp>(nested)) {
      cost.operations += 10;
    } else {
      cost.operations += 1;
    }
  });
  return cost;
}

/// The body moves its only input, possibly widening it.
bool isMovement(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1)
    return false;
  Operation *yield = op.getBody()->getTerminator();
  if (yield->getNumOperands() != 1)
    return false;
  Value value = yield->getOperand(0);
  Operation *cast = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
    value = cast->getOperand(0);
  return value == op.getBody()->getArgument(0);
}

bool isContraction(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumParallelLoops() > 0 &&
         op.getNumDpsInputs() == 2 && linalg::isaContractionOpInterface(op);
}

/// True if `producer` should be computed where `use` reads it.
bool shouldFuse(OpOperand *use) {
  auto producer = use->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(use->getOwner());
  if (!producer || !consumer || producer->getBlock() != consumer->getBlock())
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(use);
  if (isContraction(consumer))
    return isMovement(producer) && map.isProjectedPermutation() &&
           producer.getMatchingIndexingMap(producer.getDpsInputOperand(0))
               .isPermutation();
  if (isContraction(producer))
    return false;
  // A convolution reads each element many times: what moves them is a copy that
  // has them in the order it reads.
  if (isFloatContraction(consumer, /*windows=*/true) &&
      producer.getNumDpsInputs() > 0 &&
      !producer.getMatchingIndexingMap(producer.getDpsInputOperand(0))
           .isIdentity())
    return false;
  // A producer that reads what its buffer holds must run once for each element.
  for (OpOperand &init : producer.getDpsInitsMutable())
    if (!producer.getMatchingBlockArgument(&init).use_empty())
      return false;

  BodyCost producerCost = costOf(producer), consumerCost = costOf(consumer);
  if (producerCost.operations + consumerCost.operations > maxFusedBodyOps ||
      producer.getNumDpsInputs() + consumer.getNumDpsInputs() >
          maxFusedOperands)
    return false;
  // A gather or a branch keeps its loop scalar; don't let it take others along.
  if (producerCost.irregular != consumerCost.irregular &&
      std::max(producerCost.operations, consumerCost.operations) > 12)
    return false;

  // Loops of the consumer that the operand does not run along compute the
  // producer again and again.
  bool repeated = map.getNumResults() == 0 ||
                  consumer.getNumLoops() >
                      static_cast<unsigned>(
                          llvm::count_if(map.getResults(), [](AffineExpr expr) {
                            return !isa<AffineConstantExpr>(expr);
                          }));
  if (repeated && producerCost.operations > 4)
    return false;
  if (producer->getNumResults() == 1 && producer->hasOneUse())
    return true;
  // Several users: reading operands again must not cost more than a load.
  return producerCost.operations <= 4 && !producerCost.irregular &&
         producer.getNumDpsInputs() <= 1;
}

struct FuseForCpuPass : shardir::impl::FuseForCpuBase<FuseForCpuPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
