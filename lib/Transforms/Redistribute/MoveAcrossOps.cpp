//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed, and it stays that. A redistribution moves to the side
// of an op, or of a chain of ops, where it costs less: behind the ops that use
// it, which then work on shards or on terms of a sum, or in front of the op
// that makes its operand. Guarantees that bytes, then collectives, then local
// work go down with every rewrite.
//
// Behind an op: no operand may cost more than before, so that what propagation
// has decided for the others stands. In front of an op: only where the op
// contracts nothing, since its work is then done on each device.
//
//===----------------------------------------------------------------------===//

#include "PlacementRewrite.h"
#include "SimplifyPatterns.h"

#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Report/RedistributionUsers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

namespace {

/// How far ahead a chain of ops is looked at.
constexpr int kMaxChain = 6;
/// How many users of one redistribution are moved together.
constexpr unsigned kMaxUsers = 4;

/// Ops that change together, and what that changes in all.
struct JointRewrite {
  SmallVector<PlacementRewrite> changes;
  MoveCost before, after;
  bool isBetter() const { return after < before; }
};

/// By how much one is better, to compare those with unlike ends.
std::tuple<int64_t, int64_t, int64_t, double> gain(const JointRewrite &p) {
  return {p.before.picoseconds - p.after.picoseconds,
          p.before.bytes - p.after.bytes,
          p.before.collectives - p.after.collectives,
          p.before.work - p.after.work};
}

struct MoveAcross : OpRewritePattern<RedistributeOp> {
  MoveAcross(MLIRContext *context, std::shared_ptr<MoveCosts> costs,
             std::shared_ptr<MemoryBudget> budget,
             const RedistributePatternOptions &options)
      : OpRewritePattern(context, /*benefit=*/1), costs(std::move(costs)),
        budget(std::move(budget)),
        repeatsWork(options.mode == CostMode::Bytes && options.shareGathers),
        ops(*this->costs, repeatsWork) {}

  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override;

  std::optional<JointRewrite> behindUsers(RedistributeOp op) const;
  std::optional<JointRewrite> behindChain(Operation *user) const;
  std::optional<JointRewrite> inFront(RedistributeOp op) const;
  std::optional<MoveCost>
  usesCost(Value value, PlacementAttr placement, bool after,
           const SmallPtrSetImpl<Operation *> &inside) const;
  SmallVector<PlacementRewrite> candidates(Operation *op,
                                           const PlacementRewrite &present,
                                           ArrayRef<unsigned> from,
                                           const Overlay &overlay) const;
  bool changeUses(const PlacementRewrite &change, MoveCost &before,
                  MoveCost &after,
                  const SmallPtrSetImpl<Operation *> &inside) const;
  void apply(const JointRewrite &joint, PatternRewriter &rewriter) const;
  void bringOperands(const PlacementRewrite &change,
                     PatternRewriter &rewriter) const;
  void bringUses(Value value, PlacementAttr before,
                 const SmallPtrSetImpl<Operation *> &inside,
                 PatternRewriter &rewriter) const;
  const MeshTable &meshes() const { return costs->meshTable(); }

  bool memoryAllows(const JointRewrite &joint) const;

  std::shared_ptr<MoveCosts> costs;
  std::shared_ptr<MemoryBudget> budget;
  /// True if ops with other users may run on more devices to save bytes.
  bool repeatsWork;
  PlacementRewrites ops;
};

} // namespace

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

/// A redistribution that leaves `value` and may start again.
static RedistributeOp leaving(Operation *user, Value value) {
  auto op = dyn_cast<RedistributeOp>(user);
  return op && isPlain(op) && op->getBlock() == value.getParentBlock()
             ? op
             : nullptr;
}

/// The cost of the uses of `value` outside of the changed ops, if it is placed
/// as `placement`: as it is now, each redistribution by itself; after, all
/// together from the new placement.
std::optional<MoveCost>
MoveAcross::usesCost(Value value, PlacementAttr placement, bool after,
                     const SmallPtrSetImpl<Operation *> &inside) const {
  auto type = cast<RankedTensorType>(value.getType());
  PlacementAttr present = normalize(getPlacement(value), type, meshes());
  SmallVector<TreeNode> nodes;
  auto need = [&](PlacementAttr to) {
    if (llvm::none_of(nodes, [&](const TreeNode &n) { return n.to == to; }))
      nodes.push_back(TreeNode{to});
  };
  MoveCost total;
  for (Operation *user : value.getUsers()) {
    // Extents of the global tensor are the same in every placement.
    if (inside.contains(user) || isa<tensor::DimOp>(user))
      continue;
    RedistributeOp op = leaving(user, value);
    PlacementAttr to = op ? normalize(op.getTo(), type, meshes()) : present;
    if (!after && op) {
      auto cost = costs->get(present, to, type);
      if (!cost)
        return std::nullopt;
      total += *cost;
    }
    need(to);
  }
  return after ? planTree(placement, type, nodes, {}, *costs)
               : std::optional(total);
}

/// Adds what a change means for the uses of its results.
bool MoveAcross::changeUses(const PlacementRewrite &change, MoveCost &before,
                            MoveCost &after,
                            const SmallPtrSetImpl<Operation *> &inside) const {
  for (auto [result, placement] :
       llvm::zip(change.op->getResults(), change.results)) {
    auto was = usesCost(result, placement, /*after=*/false, inside);
    auto becomes = usesCost(result, placement, /*after=*/true, inside);
    if (!was || !becomes)
      return false;
    before += *was;
    after += *becomes;
  }
  return true;
}

/// The changes that take the operands `from` as their sources are, and bring no
/// operand from farther away than now.
SmallVector<PlacementRewrite>
MoveAcross::candidates(Operation *op, const PlacementRewrite &present,
                       ArrayRef<unsigned> from, const Overlay &overlay) const {
  SmallVector<PlacementRewrite> changes;
  for (const auto &results : ops.takingSources(op, from, overlay)) {
    std::optional<PlacementRewrite> change = ops.with(op, results, overlay);
    if (!change || llvm::equal(change->results, present.results))
      continue;
    bool dearer = false;
    for (auto [was, becomes] :
         llvm::zip(present.operandCosts, change->operandCosts))
      dearer |= becomes.bytes > was.bytes;
    if (!dearer)
      changes.push_back(std::move(*change));
  }
  return changes;
}

/// The redistributed operands of an op.
static SmallVector<unsigned> redistributed(Operation *op,
                                           const PlacementRewrites &ops) {
  SmallVector<unsigned> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        ops.sourceOf(operand, Overlay()).op)
      operands.push_back(operand.getOperandNumber());
  return operands;
}

/// Moves the redistributions of `user`'s operands behind it, or behind a chain
/// of ops that starts with it.
std::optional<JointRewrite> MoveAcross::behindChain(Operation *user) const {
  std::optional<PlacementRewrite> present = ops.present(user);
  if (!present)
    return std::nullopt;
  std::optional<JointRewrite> best;
  for (PlacementRewrite &first :
       candidates(user, *present, redistributed(user, ops), Overlay())) {
    JointRewrite joint;
    SmallPtrSet<Operation *, 4> inside;
    Overlay overlay;
    PlacementRewrite next = std::move(first), was = *present;
    for (int length = 1;; ++length) {
      Operation *op = next.op;
      joint.before += was.cost();
      joint.after += next.cost();
      joint.changes.push_back(next);
      inside.insert(op);
      JointRewrite closed = joint;
      if (!changeUses(next, closed.before, closed.after, inside))
        break;
      if (closed.isBetter() && (!best || gain(closed) > gain(*best)))
        best = closed;
      // Farther only where one op alone uses what this one makes.
      if (length == kMaxChain || op->getNumResults() != 1 || op->use_empty())
        break;
      Operation *later = *op->getUsers().begin();
      if (!llvm::all_of(op->getUsers(),
                        [&](Operation *u) { return u == later; }) ||
          later->getBlock() != op->getBlock() || !ops.mayChange(later))
        break;
      overlay[op->getResult(0)] = next.results[0];
      std::optional<PlacementRewrite> laterPresent = ops.present(later);
      if (!laterPresent)
        break;
      SmallVector<unsigned> from = redistributed(later, ops);
      for (OpOperand &operand : later->getOpOperands())
        if (operand.get() == op->getResult(0))
          from.push_back(operand.getOperandNumber());
      SmallVector<PlacementRewrite> further =
          candidates(later, *laterPresent, from, overlay);
      if (further.empty())
        break;
      was = *laterPresent;
      next = further.front();
    }
  }
  return best;
}

/// Moves a redistribution behind its users: behind the one and what follows, or
/// behind some that all use it.
std::optional<JointRewrite> MoveAcross::behindUsers(RedistributeOp op) const {
  if (isConstrained(op))
    return std::nullopt;
  llvm::SetVector<Operation *> users;
  for (OpOperand &use : op->getUses()) {
    if (use.getOwner()->getBlock() != op->getBlock() ||
        !ops.mayChange(use.getOwner()))
      return std::nullopt;
    users.insert(use.getOwner());
  }
  if (users.empty() || users.size() > kMaxUsers)
    return std::nullopt;
  if (users.size() == 1)
    return behindChain(users.front());
  auto type = cast<RankedTensorType>(op.getType());
  auto own = costs->get(normalize(op.getFrom(), type, meshes()),
                        normalize(op.getTo(), type, meshes()), type);
  if (!own)
    return std::nullopt;
  JointRewrite joint;
  joint.before = *own;
  llvm::SmallPtrSet<Operation *, 4> inside(users.begin(), users.end());
  for (Operation *user : users) {
    // Users that use one another would have to be looked at together.
    for (Operation *later : user->getUsers())
      if (inside.contains(later))
        return std::nullopt;
    std::optional<PlacementRewrite> present = ops.present(user);
    if (!present)
      return std::nullopt;
    SmallVector<unsigned> from;
    for (OpOperand &operand : user->getOpOperands())
      if (operand.get() == op.getResult())
        from.push_back(operand.getOperandNumber());
    std::optional<JointRewrite> best;
    for (PlacementRewrite &change :
         candidates(user, *present, from, Overlay())) {
      JointRewrite one;
      one.before += present->cost();
      one.after += change.cost();
      if (!changeUses(change, one.before, one.after, inside))
        continue;
      // It must let go of the redistribution.
      bool lets = llvm::all_of(from, [&](unsigned i) {
        return !samePlacement(change.operands[i], op.getTo(), type, meshes());
      });
      if (lets && (!best || one.after < best->after)) {
        one.changes.push_back(change);
        best = one;
      }
    }
    if (!best)
      return std::nullopt;
    joint.before += best->before;
    joint.after += best->after;
    joint.changes.push_back(best->changes.front());
  }
  return joint.isBetter() ? std::optional(joint) : std::nullopt;
}

/// Moves a redistribution in front of the op that makes its operand, or of a
/// chain of ops that ends there.
std::optional<JointRewrite> MoveAcross::inFront(RedistributeOp op) const {
  Operation *producer = op.getInput().getDefiningOp();
  Value value = op.getInput();
  PlacementAttr wanted = op.getTo();
  Operation *last = op;
  std::optional<JointRewrite> best;
  JointRewrite joint;
  auto type = cast<RankedTensorType>(op.getType());
  auto own = costs->get(normalize(op.getFrom(), type, meshes()),
                        normalize(wanted, type, meshes()), type);
  if (!own)
    return std::nullopt;
  joint.before = *own;
  MoveCost othersAfter;
  bool repeats = false;
  Overlay overlay;
  for (int length = 0; length < kMaxChain && producer; ++length) {
    if (producer->getBlock() != op->getBlock() ||
        producer->getNumResults() != 1 || !ops.mayChange(producer) ||
        isRematerializable(value))
      break;
    bool isShared =
        llvm::any_of(value.getUsers(), [&](Operation *u) { return u != last; });
    if (isShared &&
        (!repeatsWork || value.hasNUsesOrMore(PlacementRewrites::kManyUses)))
      break;
    bool contracts =
        llvm::any_of(ops.ruleOf(producer).factors, [](const Factor &f) {
          return f.kind == FactorKind::Reduction && f.size != 1;
        });
    if (contracts)
      break;
    std::optional<PlacementRewrite> present = ops.present(producer);
    std::optional<PlacementRewrite> change =
        ops.with(producer, {wanted.getValue()}, overlay);
    if (!present || !change)
      break;
    joint.before += present->cost();
    joint.after += change->cost();
    joint.changes.push_back(*change);
    if (isShared) {
      SmallPtrSet<Operation *, 4> inside = {last};
      MoveCost others;
      if (!changeUses(*change, joint.before, others, inside))
        break;
      joint.after += others;
      othersAfter += others;
      repeats = true;
    }
    if (joint.isBetter() &&
        (!repeats || joint.after.bytes < joint.before.bytes) &&
        (!best || gain(joint) > gain(*best)))
      best = joint;
    // Farther in front of the one operand that still has to move.
    OpOperand *moving = nullptr;
    for (auto [i, cost] : llvm::enumerate(change->operandCosts)) {
      if (!(MoveCost() < cost))
        continue;
      if (moving)
        return best;
      moving = &producer->getOpOperand(i);
    }
    if (!moving)
      break;
    unsigned number = moving->getOperandNumber();
    Source source = ops.sourceOf(*moving, overlay);
    // The next op delivers it as it is needed.
    MoveCost &paid = joint.changes.back().operandCosts[number];
    joint.after = othersAfter;
    paid = MoveCost();
    for (const PlacementRewrite &each : joint.changes)
      joint.after += each.cost();
    last = source.op ? source.op.getOperation() : producer;
    if (source.op && !llvm::all_of(source.op->getUsers(),
                                   [&](Operation *u) { return u == producer; }))
      break;
    value = source.value;
    wanted = change->operands[number];
    producer = value.getDefiningOp();
  }
  return best;
}

/// True if larger results of the changed ops fit the limit: they add at most
/// their own bytes to the peak.
bool MoveAcross::memoryAllows(const JointRewrite &joint) const {
  if (!budget->isLimited())
    return true;
  int64_t more = 0;
  for (const PlacementRewrite &change : joint.changes)
    for (auto [result, placement] :
         llvm::zip(change.op->getResults(), change.results)) {
      Type type = result.getType();
      more += std::max<int64_t>(
          0, localBytes(type, placement, meshes()) -
                 localBytes(type, getPlacement(result), meshes()));
    }
  return budget->take(joint.changes[0].op->getParentOfType<func::FuncOp>(),
                      more);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Brings the operands of a changed op to where they are needed now.
void MoveAcross::bringOperands(const PlacementRewrite &change,
                               PatternRewriter &rewriter) const {
  for (auto [i, needed] : llvm::enumerate(change.operands)) {
    OpOperand &operand = change.op->getOpOperand(i);
    if (!needed)
      continue;
    auto type = cast<RankedTensorType>(operand.get().getType());
    Source source = ops.sourceOf(operand, Overlay());
    PlacementAttr from = source.placement;
    Value old = operand.get(), value = source.value;
    if (source.op && samePlacement(source.op.getTo(), needed, type, meshes()) &&
        samePlacement(source.op.getFrom(), from, type, meshes()))
      continue;
    if (!samePlacement(from, needed, type, meshes())) {
      if (isRematerializable(value)) {
        value = cloneRematerializable(rewriter, value, needed, change.op);
      } else {
        rewriter.setInsertionPoint(change.op);
        value = RedistributeOp::create(rewriter, change.op->getLoc(), type,
                                       value, from, needed, ArrayAttr(),
                                       ReasonAttr::ofUse(operand));
      }
    }
    rewriter.modifyOpInPlace(change.op, [&] { operand.set(value); });
    eraseIfUnused(rewriter, old);
    if (source.op && source.op->use_empty())
      rewriter.eraseOp(source.op);
  }
}

/// Gives the uses of a changed result outside of the changed ops what they had.
void MoveAcross::bringUses(Value value, PlacementAttr before,
                           const SmallPtrSetImpl<Operation *> &inside,
                           PatternRewriter &rewriter) const {
  auto type = cast<RankedTensorType>(value.getType());
  PlacementAttr now = getPlacement(value);
  SmallVector<RedistributeOp> moves;
  SmallVector<OpOperand *> direct;
  for (OpOperand &use : value.getUses()) {
    if (inside.contains(use.getOwner()) || isa<tensor::DimOp>(use.getOwner()))
      continue;
    if (RedistributeOp op = leaving(use.getOwner(), value))
      moves.push_back(op);
    else
      direct.push_back(&use);
  }
  for (RedistributeOp op : moves) {
    if (!samePlacement(now, op.getTo(), type, meshes())) {
      restartFrom(rewriter, op, value, now);
      continue;
    }
    if (isConstrained(op))
      value.getDefiningOp()->setAttr(ShardIRDialect::kConstrained,
                                     rewriter.getUnitAttr());
    rewriter.replaceOp(op, value);
  }
  if (direct.empty() || samePlacement(now, before, type, meshes()))
    return;
  // Uses are listed last first.
  OpOperand *first = direct.back();
  rewriter.setInsertionPointAfter(value.getDefiningOp());
  auto op =
      RedistributeOp::create(rewriter, value.getLoc(), type, value, now, before,
                             ArrayAttr(), ReasonAttr::ofUse(*first));
  for (OpOperand *use : direct)
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(op); });
}

/// Where the placement of a changed op comes from: the annotation behind the
/// operand that it follows.
static ArrayAttr originOf(Operation *op, const PlacementRewrite &change) {
  for (auto [i, needed] : llvm::enumerate(change.operands)) {
    if (!needed)
      continue;
    Value value = op->getOperand(i);
    if (isRematerializable(value) || needed.getValue().isReplicated())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function =
              dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
        return ArrayAttr::get(op->getContext(),
                              {Attribute(ProvenanceAttr::ofArgument(
                                  function, argument.getArgNumber()))});
    if (value.getDefiningOp())
      if (ArrayAttr provenance = provenanceOnProducer(value))
        return provenance;
  }
  return nullptr;
}

/// The same where it follows no operand: the annotation behind its users.
static ArrayAttr originOfUses(Operation *op) {
  for (OpResult result : op->getResults())
    if (PlacementAttr own = getResultPlacement(result);
        own && !own.getValue().isReplicated())
      for (OpOperand &use : result.getUses())
        if (ArrayAttr provenance = provenanceOfUse(use))
          return provenance;
  return nullptr;
}

void MoveAcross::apply(const JointRewrite &joint,
                       PatternRewriter &rewriter) const {
  SmallPtrSet<Operation *, 4> inside;
  llvm::DenseMap<Value, PlacementAttr> before;
  for (const PlacementRewrite &change : joint.changes) {
    inside.insert(change.op);
    for (Value result : change.op->getResults())
      before[result] = getPlacement(result);
  }
  for (const PlacementRewrite &change : joint.changes)
    rewriter.modifyOpInPlace(change.op, [&] {
      SmallVector<Attribute> placements(change.results.begin(),
                                        change.results.end());
      change.op->setAttr(ShardIRDialect::kPlacements,
                         rewriter.getArrayAttr(placements));
    });
  for (const PlacementRewrite &change : joint.changes)
    bringOperands(change, rewriter);
  for (const PlacementRewrite &change : joint.changes) {
    for (Value result : change.op->getResults())
      bringUses(result, before[result], inside, rewriter);
    // Its provenance has changed as well, and the alternatives.
    change.op->removeAttr(kAlternatives);
    ArrayAttr origin = originOf(change.op, change);
    if (!origin)
      origin = originOfUses(change.op);
    if (origin)
      change.op->setAttr(ShardIRDialect::kDecidedBy, origin);
    else
      change.op->removeAttr(ShardIRDialect::kDecidedBy);
  }
}

LogicalResult MoveAcross::matchAndRewrite(RedistributeOp op,
                                          PatternRewriter &rewriter) const {
  if (!isPlain(op) || !isPlacedBlock(op->getBlock()))
    return failure();
  ops.forget();
  std::optional<JointRewrite> joint = behindUsers(op);
  if (!joint || !memoryAllows(*joint))
    joint = inFront(op);
  if (!joint || !memoryAllows(*joint))
    return failure();
  apply(*joint, rewriter);
  return success();
}

void shardir::addMovePatterns(RewritePatternSet &patterns,
                              std::shared_ptr<MoveCosts> costs,
                              std::shared_ptr<MemoryBudget> budget,
                              const RedistributePatternOptions &options) {
  patterns.add<MoveAcross>(patterns.getContext(), std::move(costs),
                           std::move(budget), options);
}
