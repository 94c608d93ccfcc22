//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Requires nothing, changes nothing. Guarantees that every
// block which can be reached leads to one that leaves its region, so that
// branches may be lifted to scf: a loop of blocks without an exit would be one
// without results there, dead to every later pass, and what follows undefined.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SetVector.h"

namespace shardir {
#define GEN_PASS_DEF_CHECKEXITS
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;

/// All that can be reached from `blocks` by `next`, in the order found.
template <typename Next>
static llvm::SetVector<Block *> reach(llvm::SetVector<Block *> blocks,
                                      Next next) {
  for (size_t i = 0; i < blocks.size(); ++i)
    for (Block *block : next(blocks[i]))
      blocks.insert(block);
  return blocks;
}

namespace {

struct CheckExitsPass : shardir::impl::CheckExitsBase<CheckExitsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    getOperation().walk([&](Region *region) {
      if (!region->empty() && !region->hasOneBlock())
        check(*region);
    });
  }

  void check(Region &region) {
    llvm::SetVector<Block *> entry, exits;
    entry.insert(&region.front());
    llvm::SetVector<Block *> reached =
        reach(entry, [](Block *block) { return block->getSuccessors(); });
    for (Block *block : reached)
      if (block->hasNoSuccessors())
        exits.insert(block);
    llvm::SetVector<Block *> leaving =
        reach(exits, [](Block *block) { return block->getPredecessors(); });
    // One fault, one error: blocks that lie behind have the same one.
    for (Block *block : reached)
      if (!leaving.contains(block)) {
        block->getTerminator()->emitOpError(
            "leads into a loop that no branch leaves, so that nothing is ever "
            "returned; branch out of the loop on a condition");
        return signalPassFailure();
      }
  }
};

} // namespace
