//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that ops on tensors
// which give the same in every iteration of a loop stand before it: weights of
// a recurrent layer that are concatenated or transposed in each step. Empty and
// filled tensors stay, as they are what the loop writes into: outside, each
// iteration would have to copy them. A loop that may not run at all keeps what
// reads at places that are computed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace shardir {
#define GEN_PASS_DEF_HOISTFROMLOOPS
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
/// True if `op` may read where nothing is.
bool mayReadOutside(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getNumOperands() > 1;
  return op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool surelyRuns(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted)
    return false;
  auto lower = getConstantIntValue(counted.getLowerBound()),
       upper = getConstantIntValue(counted.getUpperBound());
  return lower && upper && *lower < *upper;
}

struct HoistFromLoopsPass
    : shardir::impl::HoistFromLoopsBase<HoistFromLoopsPass> {
  void runOnOperation() override {
    // Inner loops first, so that what leaves one may leave the next.
    getOperation().walk([](LoopLikeOpInterface loop) {
      bool runs = surelyRuns(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          [&](Operation *op, Region *) {
            return isMemoryEffectFree(op) && isSpeculatable(op) &&
                   !isa<tensor::EmptyOp, linalg::FillOp>(op) &&
                   (runs || !mayReadOutside(op));
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace
