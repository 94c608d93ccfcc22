//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires entries whose buffers are freed, and results that
// overlap no argument but the one they are written into. Moves buffers of known
// size, largest first, into the smallest result of the same element type that
// the program first uses when they are no longer alive.
//
// Each result has memory of the caller's from the first to the last op, but
// most are written late. Buffers of unknown size stay, so that devices with
// shards of different sizes run the same program.
//
//===----------------------------------------------------------------------===//

#include "EntrySignatures.h"

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Transforms/Bufferize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace shardir {
#define GEN_PASS_DEF_REUSERESULTBUFFERS
#include "ShardIR/Transforms/Bufferize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// The ops of an entry's block, from the first to the last that uses a buffer.
struct Life {
  int64_t first, last;
  bool overlaps(const Life &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct Temporary {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  int64_t bytes;
  Life life;
};

/// A result's buffer, and when it is taken before its first use.
struct Room {
  BlockArgument result;
  int64_t bytes;
  int64_t firstUse;
  SmallVector<Life> taken;

  bool isFreeFor(const Temporary &temporary) const {
    return temporary.bytes <= bytes && temporary.life.last < firstUse &&
           llvm::none_of(
               taken,
               [&](const Life &life) { return life.overlaps(temporary.life); });
  }
};

class EntryPlanner {
public:
  explicit EntryPlanner(func::FuncOp entry) : body(entry.getBody().front()) {
    int64_t next = 0;
    for (Operation &op : body)
      positions[&op] = next++;
    findRooms(entry);
    if (!rooms.empty())
      entry.walk([&](memref::AllocOp alloc) { addTemporary(alloc); });
  }

  void run();

private:
  void findRooms(func::FuncOp entry);
  void addTemporary(memref::AllocOp alloc);
  int64_t positionOf(Operation *op) const {
    return positions.lookup(body.findAncestorOpInBlock(*op));
  }
  bool runsInOrder(Operation *op) const;
  int64_t firstUse(Value buffer) const;

  Block &body;
  llvm::DenseMap<Operation *, int64_t> positions;
  SmallVector<Room> rooms;
  SmallVector<Temporary> temporaries;
};

} // namespace

/// The bytes of a buffer without gaps and of known size.
static std::optional<int64_t> knownBytes(MemRefType type) {
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getMemorySpace())
    return std::nullopt;
  return type.getNumElements() * elementBytes(type);
}

/// Puts `temporary` at the beginning of `result`.
static void place(Temporary &temporary, BlockArgument result) {
  MemRefType type = temporary.alloc.getType();
  OpBuilder builder(temporary.alloc);
  Value view = memref::ReinterpretCastOp::create(
      builder, temporary.alloc.getLoc(), type, result, /*offset=*/0,
      type.getShape(), computeSuffixProduct(type.getShape()));
  temporary.dealloc.erase();
  temporary.alloc.replaceAllUsesWith(view);
  temporary.alloc.erase();
}

/// True if views of `buffer` are the only values in its memory, and no op takes
/// its address.
static bool hasOnlyViews(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return hasOnlyViews(user->getResult(0));
    return !user->hasTrait<OpTrait::IsTerminator>() &&
           !isa<RegionBranchOpInterface, arith::SelectOp,
                memref::ExtractAlignedPointerAsIndexOp>(user) &&
           llvm::none_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  });
}

int64_t EntryPlanner::firstUse(Value buffer) const {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (Operation *user : buffer.getUsers())
    first = std::min(first, isa<ViewLikeOpInterface>(user)
                                ? firstUse(user->getResult(0))
                                : positionOf(user));
  return first;
}

void EntryPlanner::findRooms(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    // A result in place is in the memory of an argument, which is read before.
    if (!entry.getArgAttr(i, ShardIRDialect::kResult) ||
        entry.getArgAttr(i, ShardIRDialect::kInPlace) ||
        !hasOnlyViews(argument))
      continue;
    if (auto bytes = knownBytes(dyn_cast<MemRefType>(argument.getType())))
      rooms.push_back({argument, *bytes, firstUse(argument), {}});
  }
}

/// True if `op` is run by one thread: it is in no body but those of loops and
/// branches that follow each other.
bool EntryPlanner::runsInOrder(Operation *op) const {
  while (op->getBlock() != &body) {
    op = op->getParentOp();
    if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(op))
      return false;
  }
  return true;
}

void EntryPlanner::addTemporary(memref::AllocOp alloc) {
  std::optional<int64_t> bytes = knownBytes(alloc.getType());
  if (!bytes || *bytes == 0 || !runsInOrder(alloc) || !hasOnlyViews(alloc))
    return;
  memref::DeallocOp dealloc;
  for (Operation *user : alloc->getUsers())
    if (auto free = dyn_cast<memref::DeallocOp>(user)) {
      if (dealloc || free->getBlock() != alloc->getBlock())
        return;
      dealloc = free;
    }
  // In a loop, what is alive in one iteration is taken to be so in all of it.
  if (dealloc)
    temporaries.push_back(
        {alloc, dealloc, *bytes, {positionOf(alloc), positionOf(dealloc)}});
}

void EntryPlanner::run() {
  llvm::stable_sort(temporaries, [](const Temporary &a, const Temporary &b) {
    return a.bytes > b.bytes;
  });
  // The least room that will do: larger ones are for others.
  llvm::stable_sort(
      rooms, [](const Room &a, const Room &b) { return a.bytes < b.bytes; });
  for (Temporary &temporary : temporaries) {
    Type element = temporary.alloc.getType().getElementType();
    auto *room = llvm::find_if(rooms, [&](const Room &room) {
      return getElementTypeOrSelf(room.result.getType()) == element &&
             room.isFreeFor(temporary);
    });
    if (room == rooms.end())
      continue;
    room->taken.push_back(temporary.life);
    place(temporary, room->result);
  }
}

namespace {

struct ReuseResultBuffersPass
    : shardir::impl::ReuseResultBuffersBase<ReuseResultBuffersPass> {
  using ReuseResultBuffersBase::ReuseResultBuffersBase;

  void runOnOperation() override {
    for (func::FuncOp entry : findEntries(getOperation()))
      if (entry.getBody().hasOneBlock())
        EntryPlanner(entry).run();
  }
};

} // namespace
