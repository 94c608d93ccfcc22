//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: any, and it stays that. Requires nothing. Guarantees that no pure op
// is left whose results are unused, chains of them included: redistributions
// for them would be executed and reported in vain. CSE, which follows, erases
// only the last op of such a chain.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/Redistribute/Passes.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardir {
#define GEN_PASS_DEF_ERASEUNUSED
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {

struct EraseUnusedPass : shardir::impl::EraseUnusedBase<EraseUnusedPass> {
  void runOnOperation() override {
    bool erased = false;
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](Operation *op) {
          if (!isOpTriviallyDead(op))
            return;
          op->erase();
          erased = true;
        });
    if (!erased)
      markAllAnalysesPreserved();
  }
};

} // namespace
