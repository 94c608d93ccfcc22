//===- RowChain.cpp - Successive ops on the same rows ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks from a reduction to its neighbours in the block. An op joins if its
// loops can be laid on those of the reduction so that each buffer that the
// chain writes is used at the place where it is written; it may be passed if
// it touches none of the chain's buffers. Buffers of different allocations
// and arguments are different memory. Guarantees that every member may move
// down to the last one.
//
//===----------------------------------------------------------------------===//

#include "RowChain.h"
#include "../BufferUse.h"
#include "../KernelEmitter.h"
#include "Common/Combiner.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;
using Kind = ChainMember::Kind;

namespace {
/// How far to look, in ops.
constexpr unsigned maxWindow = 48;
constexpr unsigned maxMembers = 16;

/// The dims that `map` picks, one by one; nothing for any other map.
std::optional<SmallVector<int>> pickedLoops(AffineMap map) {
  if (!map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<int> loops;
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

class Finder {
public:
  Finder(linalg::LinalgOp reduction, bool alone) : reduction(reduction) {
    accesses.push_back(bufferUseOf(reduction));
    ChainMember member{reduction, Kind::Reduction, {}};
    for (unsigned loop = 0; loop < reduction.getNumLoops(); ++loop) {
      member.dims.push_back(loop);
      bool column = reduction.getIteratorTypesArray()[loop] ==
                    utils::IteratorType::reduction;
      (column ? chain.columns : chain.rows).push_back(loop);
    }
    chain.members.push_back(member);
    remember(member);
    before(alone);
    if (!alone)
      behind();
    findEscapes();
  }

  RowChain chain;

private:
  /// Records the dims that index each operand of `member`.
  void remember(const ChainMember &member) {
    linalg::LinalgOp op = member.op;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      auto loops = pickedLoops(op.getMatchingIndexingMap(&operand));
      if (!loops)
        continue;
      SmallVector<int> dims;
      for (int loop : *loops)
        dims.push_back(member.dims[loop]);
      layout.try_emplace(operand.get(), dims);
    }
  }

  bool isWritten(Value base) const {
    return llvm::any_of(accesses, [&](const BufferUse &of) {
      return llvm::is_contained(of.writes, base);
    });
  }

  int64_t extentOf(int dim) { return reduction.getStaticLoopRanges()[dim]; }

  /// `op` as a member: its loops laid on dims, or nothing.
  std::optional<ChainMember> lay(linalg::LinalgOp op) {
    if (isa<linalg::FillOp>(op.getOperation()) || !hasLoopNest(op) ||
        op.getNumDpsInits() == 0)
      return std::nullopt;
    ChainMember member{op, Kind::Elements, {}};
    member.dims.assign(op.getNumLoops(), -1);
    auto assign = [&](int loop, int dim) {
      if (member.dims[loop] == dim)
        return true;
      if (member.dims[loop] >= 0 || llvm::is_contained(member.dims, dim))
        return false;
      member.dims[loop] = dim;
      return true;
    };
    // Buffers in common say which loop is which; those that the chain writes
    // must agree, others are a hint.
    for (bool binding : {true, false})
      for (OpOperand &operand : op->getOpOperands()) {
        auto found = layout.find(operand.get());
        if (found == layout.end() || isShared(op, operand.get()) != binding)
          continue;
        auto loops = pickedLoops(op.getMatchingIndexingMap(&operand));
        if (!loops || loops->size() != found->second.size()) {
          if (binding)
            return std::nullopt;
          continue;
        }
        for (auto [loop, dim] : llvm::zip(*loops, found->second))
          if (!assign(loop, dim) && binding)
            return std::nullopt;
      }
    // The rest by extents.
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    for (auto [loop, dim] : llvm::enumerate(member.dims)) {
      if (dim >= 0)
        continue;
      if (ShapedType::isDynamic(extents[loop]))
        return std::nullopt;
      bool reduces =
          op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
      for (int candidate = 0;
           candidate < static_cast<int>(reduction.getNumLoops()); ++candidate)
        if (!llvm::is_contained(member.dims, candidate) &&
            extentOf(candidate) == extents[loop] &&
            (!reduces || llvm::is_contained(chain.columns, candidate))) {
          dim = candidate;
          break;
        }
      if (dim < 0)
        return std::nullopt;
    }
    if (!classify(member) || !isConsistent(member))
      return std::nullopt;
    return member;
  }

  /// True if the chain or `op` writes this buffer.
  bool isShared(linalg::LinalgOp op, Value buffer) {
    return isWritten(baseOf(buffer)) ||
           llvm::is_contained(bufferUseOf(op).writes, baseOf(buffer));
  }

  bool classify(ChainMember &member) {
    linalg::LinalgOp op = member.op;
    unsigned columns = 0, reduced = 0;
    for (auto [loop, dim] : llvm::enumerate(member.dims)) {
      bool reduces =
          op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
      bool column = llvm::is_contained(chain.columns, dim);
      columns += column;
      reduced += reduces;
      if (reduces && !column)
        return false;
    }
    unsigned rows = member.dims.size() - columns;
    if (rows != chain.rows.size() ||
        (columns != 0 && columns != chain.columns.size()) ||
        (reduced != 0 && reduced != columns))
      return false;
    if (reduced != 0 && !isCombiningReduction(op))
      return false;
    member.kind = reduced   ? Kind::Reduction
                  : columns ? Kind::Elements
                            : Kind::Rows;
    return true;
  }

  /// Buffers that are written are used at one place each, under one name, and
  /// results are written once per place.
  bool isConsistent(const ChainMember &member) {
    linalg::LinalgOp op = member.op;
    BufferUse mine = bufferUseOf(op);
    bool loads = false;
    op.getBlock()->walk([&](memref::LoadOp) { loads = true; });
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      Value base = baseOf(operand.get());
      auto loops = pickedLoops(op.getMatchingIndexingMap(&operand));
      if (op.isDpsInit(&operand)) {
        unsigned places = op.getNumLoops() - op.getNumReductionLoops();
        if (!loops || loops->size() != places)
          return false;
      }
      if (!isShared(op, operand.get()))
        continue;
      if (!loops)
        return false;
      // Another view of the same buffer could be another place.
      for (auto &[value, dims] : layout)
        if (value != operand.get() && baseOf(value) == base)
          return false;
      if (auto found = layout.find(operand.get()); found != layout.end())
        for (auto [loop, dim] : llvm::zip(*loops, found->second))
          if (member.dims[loop] != dim)
            return false;
    }
    // A body that loads by index may look at any place.
    if (loads)
      for (Value read : mine.reads)
        if (isWritten(read))
          return false;
    return true;
  }

  void join(const ChainMember &member, bool front) {
    BufferUse mine = bufferUseOf(member.op);
    if (front)
      chain.members.insert(chain.members.begin(), member);
    else
      chain.members.push_back(member);
    accesses.push_back(mine);
    remember(member);
  }

  void before(bool alone) {
    SmallVector<BufferUse> passed;
    unsigned seen = 0;
    for (Operation *op = reduction->getPrevNode(); op && seen < maxWindow;
         op = op->getPrevNode(), ++seen) {
      if (isQuiet(op) || isa<memref::DeallocOp>(op))
        continue;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      if (!linalgOp || !linalgOp.hasPureBufferSemantics())
        return;
      BufferUse mine = bufferUseOf(linalgOp);
      bool movable = llvm::all_of(passed, [&](const BufferUse &other) {
        return independent(mine, other);
      });
      if (auto fill = dyn_cast<linalg::FillOp>(op)) {
        if (movable && noteFill(fill))
          continue;
      } else if (!alone && movable && feeds(linalgOp) &&
                 chain.members.size() < maxMembers) {
        // It comes first: the chain does not write its operands.
        bool clean = llvm::none_of(mine.reads,
                                   [&](Value base) { return isWritten(base); });
        std::optional<ChainMember> member;
        if (clean)
          member = lay(linalgOp);
        if (member && member->kind == Kind::Elements) {
          join(*member, /*front=*/true);
          continue;
        }
      }
      passed.push_back(mine);
    }
  }

  /// A fill of a buffer that a member starts from.
  bool noteFill(linalg::FillOp fill) {
    Value buffer = fill.getDpsInits()[0];
    if (layout.find(buffer) == layout.end() || chain.fills.contains(buffer))
      return false;
    // The first member that touches the buffer must see all of it.
    for (auto &[value, dims] : layout)
      if (value != buffer && baseOf(value) == baseOf(buffer))
        return false;
    chain.fills.insert({buffer, fill});
    return true;
  }

  /// True if a member reads what `op` writes.
  bool feeds(linalg::LinalgOp op) {
    return op.getNumDpsInits() == 1 &&
           llvm::any_of(chain.members, [&](ChainMember &member) {
             return llvm::is_contained(member.op.getDpsInputs(),
                                       op.getDpsInits()[0]);
           });
  }

  void behind() {
    SmallVector<linalg::FillOp> fills;
    unsigned seen = 0;
    for (Operation *op = reduction->getNextNode();
         op && seen < maxWindow && chain.members.size() < maxMembers;
         op = op->getNextNode(), ++seen) {
      if (isQuiet(op) || isa<memref::DeallocOp>(op))
        continue;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      if (!linalgOp || !linalgOp.hasPureBufferSemantics())
        return;
      BufferUse mine = bufferUseOf(linalgOp);
      bool apart = llvm::all_of(accesses, [&](const BufferUse &member) {
        return independent(mine, member);
      });
      if (auto fill = dyn_cast<linalg::FillOp>(op); fill && apart) {
        // Maybe what a later reduction starts from.
        fills.push_back(fill);
        continue;
      }
      bool related = llvm::any_of(accesses, [&](const BufferUse &member) {
        return mine.readsAny(member.writes) || mine.readsAny(member.reads);
      });
      std::optional<ChainMember> member;
      if (related)
        member = lay(linalgOp);
      if (member) {
        join(*member, /*front=*/false);
        for (linalg::FillOp fill : fills)
          noteFill(fill);
        continue;
      }
      // The op that is passed must not depend on the chain, nor the chain on
      // it.
      if (!apart)
        return;
      llvm::erase_if(fills, [&](linalg::FillOp fill) {
        return touches(op, fill.getDpsInits()[0]);
      });
    }
  }

  void findEscapes() {
    Operation *last = chain.members.back().op;
    llvm::SmallPtrSet<Operation *, 16> members;
    for (ChainMember &member : chain.members)
      members.insert(member.op);
    for (auto &[buffer, fill] : chain.fills)
      members.insert(fill);
    SmallVector<Value> written;
    for (ChainMember &member : chain.members)
      for (Value init : member.op.getDpsInits())
        if (!llvm::is_contained(written, init))
          written.push_back(init);
    auto escapes = [&](Value buffer) {
      OtherUses others = otherUsesOf(buffer, members, last);
      for (Operation *free : others.earlyFrees)
        if (!llvm::is_contained(chain.earlyFrees, free))
          chain.earlyFrees.push_back(free);
      return others.escapes;
    };
    for (const BufferUse &of : accesses)
      for (Value base : of.reads) {
        escapes(base);
      }
    for (Value buffer : written) {
      if (escapes(buffer))
        chain.escaping.push_back(buffer);
    }
    // A fill goes if members alone see it: the buffer does not escape, or it is
    // overwritten before any other read.
    for (auto &[buffer, fill] : chain.fills) {
      bool overwritten = llvm::is_contained(written, buffer);
      Operation *from = fill;
      for (Operation *op = from->getNextNode(); op && op != last;
           op = op->getNextNode())
        if (!members.contains(op) && !isQuiet(op) && touches(op, buffer))
          overwritten = false;
      if (!escapes(buffer) || overwritten)
        chain.deadFills.push_back(fill);
    }
  }

  linalg::LinalgOp reduction;
  /// Of the members, in the order in which they joined.
  SmallVector<BufferUse> accesses;
  llvm::MapVector<Value, SmallVector<int>> layout;
};
} // namespace

bool RowChain::writes(Value buffer) const {
  return llvm::any_of(members, [&](const ChainMember &member) {
    linalg::LinalgOp op = member.op;
    return llvm::is_contained(op.getDpsInits(), buffer);
  });
}

bool shardir::isCombiningReduction(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() == 0)
    return false;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    Type element = getElementTypeOrSelf(op.getDpsInits()[i].getType());
    if (!element.isIntOrFloat() || !combinerOf(op, i))
      return false;
  }
  return true;
}

RowChain shardir::findRowChain(linalg::LinalgOp reduction, bool alone) {
  return Finder(reduction, alone).chain;
}
