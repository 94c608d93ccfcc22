//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, after calls are inlined. Guarantees that a location has no
// frame that all others with the same frames inside of it have, too.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_SHORTENCALLSTACKS
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// The name that a front end gave to the op: one around a stack. A name around
/// a single frame is that of the function.
static StringAttr nameOf(Location loc) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return nameOf(call.getCallee());
  auto name = dyn_cast<NameLoc>(loc);
  return name && !isa<FileLineColLoc>(name.getChildLoc()) ? name.getName()
                                                          : StringAttr();
}

namespace {

/// All stacks as a tree from their innermost frames.
class StackTree {
public:
  void add(ArrayRef<Location> frames) {
    size_t node = 0;
    for (Location frame : frames) {
      auto [it, isNew] = nodes[node].callers.try_emplace(frame, nodes.size());
      node = it->second;
      if (isNew)
        nodes.emplace_back();
    }
    nodes[node].ends = true;
  }

  /// The innermost frame, and those where stacks differ.
  SmallVector<Location> shorten(ArrayRef<Location> frames) const {
    SmallVector<Location> kept;
    const Node *node = &nodes.front();
    for (Location frame : frames) {
      if (kept.empty() || node->callers.size() + node->ends > 1)
        kept.push_back(frame);
      node = &nodes[node->callers.lookup(frame)];
    }
    return kept;
  }

private:
  struct Node {
    llvm::DenseMap<Location, size_t> callers;
    bool ends = false; ///< some stack has no more frames
  };
  std::vector<Node> nodes = std::vector<Node>(1);
};

struct ShortenCallStacksPass
    : shardir::impl::ShortenCallStacksBase<ShortenCallStacksPass> {
  void runOnOperation() override {
    llvm::DenseMap<Location, SmallVector<Location>> stacks;
    StackTree tree;
    bool anyCalled = false;
    eachLocation([&](Location loc) {
      auto [it, isNew] = stacks.try_emplace(loc);
      if (isNew) {
        it->second = callFrames(loc);
        tree.add(it->second);
        anyCalled |= it->second.size() > 1;
      }
      return loc;
    });
    markAllAnalysesPreserved();
    if (anyCalled)
      eachLocation([&](Location loc) {
        const SmallVector<Location> &frames = stacks[loc];
        return frames.size() > 1 ? withFrames(loc, tree.shorten(frames)) : loc;
      });
  }

  static Location withFrames(Location loc, ArrayRef<Location> frames) {
    Location stack = callStack(frames);
    StringAttr name = nameOf(loc);
    return name ? NameLoc::get(name, stack) : stack;
  }

  /// Replaces the locations of all ops and block arguments.
  void eachLocation(llvm::function_ref<Location(Location)> replace) {
    getOperation()->walk([&](Operation *op) {
      op->setLoc(replace(op->getLoc()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setLoc(replace(argument.getLoc()));
    });
  }
};

} // namespace
