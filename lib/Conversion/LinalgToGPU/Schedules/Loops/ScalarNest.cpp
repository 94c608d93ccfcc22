//===- ScalarNest.cpp - What a loop nest over elements does ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test: where all accesses to a buffer have one and the same index along
// one of its dims, of the form constant * iv + what the nest does not change,
// iterations of that loop touch different elements; so they do where the
// indices differ by less than one iteration moves them. Requires that different
// allocations and arguments are different memory, as BufferUse.h does; a nest
// with other buffers, or with several views of a buffer that it writes, is
// refused.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace shardir;

namespace {
/// The number that `value` is whatever it is made of: a clamp between bounds
/// that leave nothing, as of the start of a window that is the full dim.
std::optional<int64_t> clampedTo(Value value) {
  if (auto number = getConstantIntValue(value))
    return number;
  Operation *op = value.getDefiningOp();
  bool isLeast = isa_and_nonnull<arith::MinSIOp>(op);
  if (!isLeast && !isa_and_nonnull<arith::MaxSIOp>(op))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    auto bound = getConstantIntValue(op->getOperand(i));
    Operation *inner = op->getOperand(1 - i).getDefiningOp();
    if (!bound || !inner ||
        !(isLeast ? isa<arith::MaxSIOp>(inner) : isa<arith::MinSIOp>(inner)))
      continue;
    for (Value operand : inner->getOperands()) {
      auto other = getConstantIntValue(operand);
      if (other && (isLeast ? *other >= *bound : *other <= *bound))
        return bound;
    }
  }
  return std::nullopt;
}

/// constant + sum of coefficient * value.
struct LinearForm {
  int64_t constant = 0;
  llvm::MapVector<Value, int64_t> terms;

  void add(Value value, int64_t factor) {
    Operation *op = value.getDefiningOp();
    if (auto number = clampedTo(value)) {
      constant += factor * *number;
      return;
    }
    if (auto sum = dyn_cast_or_null<arith::AddIOp>(op)) {
      if (value.getType().isIndex()) {
        add(sum.getLhs(), factor);
        add(sum.getRhs(), factor);
        return;
      }
    }
    if (auto difference = dyn_cast_or_null<arith::SubIOp>(op)) {
      if (value.getType().isIndex()) {
        add(difference.getLhs(), factor);
        add(difference.getRhs(), -factor);
        return;
      }
    }
    if (auto product = dyn_cast_or_null<arith::MulIOp>(op)) {
      auto scale = getConstantIntValue(product.getRhs());
      if (value.getType().isIndex() && scale) {
        add(product.getLhs(), factor * *scale);
        return;
      }
    }
    // Sums of narrower types may wrap around.
    if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
      if (isa<BlockArgument>(cast.getIn()))
        value = cast.getIn();
    terms[value] += factor;
  }

  /// True if they differ by a constant.
  bool isParallelTo(const LinearForm &other) const {
    if (terms.size() != other.terms.size())
      return false;
    for (auto [value, factor] : terms) {
      auto found = other.terms.find(value);
      if (found == other.terms.end() || found->second != factor)
        return false;
    }
    return true;
  }
};

bool isDefinedIn(Value value, Operation *op) {
  Operation *parent = value.getParentBlock()->getParentOp();
  return op->isAncestor(parent);
}

/// Known before `root` runs. Constants may stand anywhere.
bool isInvariant(Value value, Operation *root) {
  return getConstantIntValue(value) || !isDefinedIn(value, root);
}

/// A buffer that has one name: no other value that is not a view of it can
/// name its memory.
bool hasOneName(Value base) {
  if (auto argument = dyn_cast<BlockArgument>(base))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  return isa<memref::AllocOp, memref::GetGlobalOp>(base.getDefiningOp());
}

struct Access {
  Operation *op;
  Value memref;
  SmallVector<Value> indices;
};

/// Accesses by the buffer that they touch.
using Accesses = llvm::MapVector<Value, SmallVector<Access>>;

struct NestAccesses {
  Accesses byBase;
  llvm::SetVector<Value> written;
  SmallVector<Operation *> stores;

  /// Of each written buffer one view, made before `nest`.
  bool hasOneView(Operation *nest) {
    return llvm::all_of(written, [&](Value base) {
      return llvm::all_of(byBase[base], [&](const Access &access) {
        return access.memref == byBase[base].front().memref &&
               !isDefinedIn(access.memref, nest);
      });
    });
  }
};

/// The accesses of `nest`; nullopt where they are not known.
std::optional<NestAccesses> accessesOf(Operation *nest) {
  NestAccesses all;
  WalkResult known = nest->walk([&](Operation *op) {
    Access access{op, {}, {}};
    auto store = dyn_cast<memref::StoreOp>(op);
    if (store) {
      access.memref = store.getMemRef();
      access.indices = store.getIndices();
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      access.memref = load.getMemRef();
      access.indices = load.getIndices();
    } else {
      return isMemoryEffectFree(op) || op->getNumRegions() > 0
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    }
    Value base = baseOf(access.memref);
    if (!hasOneName(base))
      return WalkResult::interrupt();
    if (store) {
      all.written.insert(base);
      all.stores.push_back(op);
    }
    all.byBase[base].push_back(access);
    return WalkResult::advance();
  });
  if (known.wasInterrupted())
    return std::nullopt;
  return all;
}

/// The dim along which the iterations of `loop` touch different elements.
std::optional<unsigned> ownDim(scf::ForOp loop, ArrayRef<Access> accesses,
                               Operation *root) {
  Value iv = loop.getInductionVar();
  for (unsigned dim = 0; dim < accesses.front().indices.size(); ++dim) {
    LinearForm first;
    first.add(accesses.front().indices[dim], 1);
    auto mine = first.terms.find(iv);
    bool own = mine != first.terms.end() && mine->second != 0;
    for (auto [value, factor] : first.terms)
      own &= value == iv || isInvariant(value, root);
    int64_t least = first.constant, most = first.constant;
    for (const Access &access : accesses.drop_front()) {
      LinearForm other;
      other.add(access.indices[dim], 1);
      own &= first.isParallelTo(other);
      least = std::min(least, other.constant);
      most = std::max(most, other.constant);
    }
    // The ranges that iterations access do not overlap.
    if (own && most != least) {
      auto step = getConstantIntValue(loop.getStep());
      own = step && most - least < std::abs(mine->second * *step);
    }
    if (own)
      return dim;
  }
  return std::nullopt;
}

/// True if `value` is computed in `body` from what is known there without
/// reading `written`.
bool isComputedIn(Value value, Block *body, Operation *root, Value written) {
  if (isInvariant(value, root))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<scf::ForOp>(argument.getOwner()->getParentOp()) &&
           argument.getArgNumber() == 0 &&
           argument.getOwner()->getParentOp()->isAncestor(body->getParentOp());
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0)
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (op->getBlock() != body || baseOf(load.getMemRef()) == written)
      return false;
  } else if (!isMemoryEffectFree(op)) {
    return false;
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isComputedIn(operand, body, root, written);
  });
}
} // namespace

bool shardir::hasKnownBounds(scf::ForOp loop, Operation *nest) {
  return isInvariant(loop.getLowerBound(), nest) &&
         isInvariant(loop.getUpperBound(), nest) &&
         isInvariant(loop.getStep(), nest);
}

scf::ForOp shardir::onlyLoop(Block *body) {
  scf::ForOp found;
  for (Operation &op : body->without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (found)
        return {};
      found = loop;
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return {};
    }
  }
  return found;
}

bool shardir::isIndependent(scf::ForOp loop, Operation *nest) {
  std::optional<NestAccesses> all = accessesOf(nest);
  if (!all)
    return false;
  if (loop == nest && loop->hasAttr(kIndependentIterations))
    return true;
  llvm::SetVector<Value> written;
  for (Operation *store : all->stores)
    if (loop->isAncestor(store))
      written.insert(baseOf(cast<memref::StoreOp>(store).getMemRef()));
  return llvm::all_of(written, [&](Value base) {
    ArrayRef<Access> own = all->byBase[base];
    return llvm::all_of(own,
                        [&](const Access &access) {
                          return loop->isAncestor(access.op) &&
                                 access.memref == own.front().memref &&
                                 !isDefinedIn(access.memref, nest);
                        }) &&
           ownDim(loop, own, nest);
  });
}

bool shardir::hasOneViewEach(Operation *nest) {
  std::optional<NestAccesses> all = accessesOf(nest);
  return all && all->hasOneView(nest);
}

double shardir::assumedTrips(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  // As many as a loop around has run: half of its trips.
  if (!upper) {
    LinearForm bound;
    bound.add(loop.getUpperBound(), 1);
    auto around = bound.terms.size() == 1 && bound.terms.begin()->second == 1
                      ? dyn_cast<BlockArgument>(bound.terms.begin()->first)
                      : BlockArgument();
    auto outer = around ? dyn_cast<scf::ForOp>(around.getOwner()->getParentOp())
                        : scf::ForOp();
    auto first =
        outer ? getConstantIntValue(outer.getLowerBound()) : std::nullopt;
    auto last =
        outer ? getConstantIntValue(outer.getUpperBound()) : std::nullopt;
    if (first && last && around == outer.getInductionVar())
      upper = bound.constant + (*first + *last) / 2;
  }
  if (!lower || !upper || !step || *step <= 0)
    return assumedExtent;
  return std::max<int64_t>(ceilDivide(*upper - *lower, *step), 0);
}

double shardir::countAccesses(Operation *op) {
  double count = isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(op);
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      count += countAccesses(&nested);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    count *= assumedTrips(loop);
  if (isa<scf::WhileOp>(op))
    count *= assumedExtent;
  return count;
}

double ScalarNest::accesses() const { return countAccesses(root); }

double ScalarNest::parallelTrips() const {
  double trips = 1;
  for (scf::ForOp loop : parallel)
    trips *= assumedTrips(loop);
  return trips;
}

double ScalarNest::chainTrips() const {
  double trips = 1;
  for (scf::ForOp loop : chain)
    trips *= assumedTrips(loop);
  return trips;
}

std::optional<ScalarNest> shardir::analyzeNest(Operation *op) {
  ScalarNest nest;
  nest.root = dyn_cast<scf::ForOp>(op);
  if (!nest.root || nest.root.getNumResults() != 0)
    return std::nullopt;
  std::optional<NestAccesses> all = accessesOf(op);
  if (!all || all->stores.empty() || !all->hasOneView(op))
    return std::nullopt;
  Accesses &accesses = all->byBase;
  const llvm::SetVector<Value> &written = all->written;
  const SmallVector<Operation *> &stores = all->stores;

  SmallVector<std::pair<unsigned, scf::ForOp>> owners;
  llvm::SmallPtrSet<Operation *, 4> isParallel;
  op->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (loop.getNumResults() != 0 || !hasKnownBounds(loop, op) ||
        !llvm::all_of(
            stores, [&](Operation *store) { return loop->isAncestor(store); }))
      return;
    // Those that are known to be so, within loops that are.
    bool isKnown = loop->hasAttr(kIndependentIterations);
    for (Operation *around = loop; around != op && isKnown;) {
      around = around->getParentOp();
      isKnown = isParallel.contains(around);
    }
    if (isKnown) {
      owners.push_back({~0u, loop});
      isParallel.insert(loop);
      return;
    }
    unsigned last = 0;
    for (Value base : written) {
      auto dim = ownDim(loop, accesses[base], op);
      if (!dim)
        return;
      last = *dim;
    }
    owners.push_back({last, loop});
    isParallel.insert(loop);
  });
  llvm::stable_sort(owners, [](auto &a, auto &b) { return a.first < b.first; });
  for (auto &[dim, loop] : owners)
    nest.parallel.push_back(loop);

  for (scf::ForOp loop = nest.root; loop && !isParallel.contains(loop);
       loop = onlyLoop(loop.getBody())) {
    if (loop.getNumResults() != 0 || !hasKnownBounds(loop, op))
      break;
    nest.chain.push_back(loop);
  }
  if (nest.chain.empty() || written.size() != 1)
    return nest;
  nest.written = accesses[written.front()].front().memref;
  Block *body = nest.chain.back().getBody();
  // All of the loops that own a dim are in that body.
  nest.hasKeys = llvm::all_of(nest.parallel, [&](scf::ForOp loop) {
    return nest.chain.back()->isProperAncestor(loop);
  });
  ArrayRef<Access> own = accesses[written.front()];
  for (unsigned dim = 0; dim < own.front().indices.size(); ++dim) {
    if (llvm::any_of(owners, [&](auto &owner) { return owner.first == dim; }))
      continue;
    Value index = own.front().indices[dim];
    for (const Access &access : own.drop_front())
      nest.hasKeys &= access.indices[dim] == index;
    nest.hasKeys &= isComputedIn(index, body, op, written.front());
    if (isInvariant(index, op))
      continue;
    nest.keys.push_back(index);
    nest.keyDims.push_back(dim);
  }
  return nest;
}

Index shardir::tripsOf(KernelEmitter &emit, scf::ForOp loop) {
  auto index = [&](Value value) -> Index {
    if (auto number = getConstantIntValue(value))
      return emit.constant(*number);
    return emit.index(value);
  };
  Index lower = index(loop.getLowerBound()),
        upper = index(loop.getUpperBound());
  Index length = emit.sub(upper, lower);
  auto known = LoopEmitter::known(length);
  if (known)
    length = emit.constant(std::max<int64_t>(*known, 0));
  else
    length =
        Index(arith::MaxSIOp::create(emit.builder, emit.loc, emit.value(length),
                                     emit.value(emit.constant(0)))
                  .getResult());
  Index step = index(loop.getStep());
  if (auto number = LoopEmitter::known(step))
    return emit.ceilDiv(length, *number);
  return Index(arith::CeilDivUIOp::create(emit.builder, emit.loc,
                                          emit.value(length), emit.value(step))
                   .getResult());
}

Value shardir::inductionAt(KernelEmitter &emit, scf::ForOp loop, Index number) {
  Type type = loop.getInductionVar().getType();
  Value at = emit.value(number);
  if (!type.isIndex())
    at = arith::IndexCastOp::create(emit.builder, emit.loc, type, at);
  auto constant = [&](Value value) -> Value {
    auto known = getConstantIntValue(value);
    if (!known)
      return value;
    return arith::ConstantOp::create(emit.builder, emit.loc,
                                     emit.builder.getIntegerAttr(type, *known));
  };
  if (getConstantIntValue(loop.getStep()) != 1)
    at = arith::MulIOp::create(emit.builder, emit.loc, at,
                               constant(loop.getStep()));
  if (getConstantIntValue(loop.getLowerBound()) != 0)
    at = arith::AddIOp::create(emit.builder, emit.loc, at,
                               constant(loop.getLowerBound()));
  return at;
}

void shardir::cloneAt(KernelEmitter &emit, Operation *op, IRMapping &mapping,
                      ArrayRef<scf::ForOp> loops, ArrayRef<Index> numbers) {
  for (size_t i = 0; i < loops.size(); ++i) {
    scf::ForOp loop = loops[i];
    if (loop != op)
      continue;
    mapping.map(loop.getInductionVar(), inductionAt(emit, loop, numbers[i]));
    for (Operation &nested : loop.getBody()->without_terminator())
      cloneAt(emit, &nested, mapping, loops, numbers);
    return;
  }
  bool holds = llvm::any_of(
      loops, [&](scf::ForOp loop) { return op->isProperAncestor(loop); });
  if (!holds) {
    emit.builder.clone(*op, mapping);
    return;
  }
  Operation *copy = emit.builder.cloneWithoutRegions(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions()))
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(emit.builder);
      Block *made = emit.builder.createBlock(&to);
      for (BlockArgument argument : block.getArguments())
        mapping.map(argument,
                    made->addArgument(argument.getType(), argument.getLoc()));
      for (Operation &nested : block)
        cloneAt(emit, &nested, mapping, loops, numbers);
    }
}
