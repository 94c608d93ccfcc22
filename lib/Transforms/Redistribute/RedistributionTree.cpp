//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to redistributed. The redistributions of one value, and
// those of their results, are one tree. Lowers the cost of the tree:
// chains collapse, equal redistributions are shared, one starts from another's
// result where that is cheaper, and one to the value's own placement is erased.
//
//===----------------------------------------------------------------------===//

#include "SimplifyPatterns.h"
#include "UseRegions.h"

#include "ShardIR/Memory/PeakMemory.h"

#include <climits>

using namespace mlir;
using namespace shardir;

namespace {

/// The redistributions of a value to one placement.
struct Target {
  PlacementAttr to;
  SmallVector<RedistributeOp> ops;
};

/// A placement that is made once, for these uses.
struct Node {
  unsigned target = 0;
  SmallVector<OpOperand *> uses;
  RedistributeOp carrier;
};

/// All redistributions of one value in one block. Those of what a constraint
/// makes of it are trees of their own, which others may start from.
struct Tree {
  Value root;
  Block *block;
  PlacementAttr source;
  RankedTensorType type;
  SmallVector<RedistributeOp> ops; ///< in the block's order
  llvm::DenseMap<Operation *, unsigned> targetOf;
  SmallVector<Target> targets;
  /// Redistributions of constrained targets, each with the index of its target.
  SmallVector<std::pair<RedistributeOp, unsigned>> beyond;

  /// Uses by other ops than those of the tree.
  SmallVector<OpOperand *> directUses(RedistributeOp op) const {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      if (!targetOf.count(use.getOwner()))
        uses.push_back(&use);
    return uses;
  }
  /// Those of all ops of the tree, in the block's order.
  SmallVector<OpOperand *> directUses() const {
    SmallVector<std::pair<Operation *, OpOperand *>> found;
    for (RedistributeOp op : ops)
      for (OpOperand *use : directUses(op))
        found.push_back({topOf(use, block), use});
    llvm::sort(found, [](const auto &one, const auto &other) {
      Operation *topA = one.first, *topB = other.first;
      OpOperand *a = one.second, *b = other.second;
      if (topA != topB)
        return topA->isBeforeInBlock(topB);
      if (a->getOwner() != b->getOwner()) {
        Operation *first = nullptr;
        topA->walk([&](Operation *op) {
          if (op != a->getOwner() && op != b->getOwner())
            return WalkResult::advance();
          first = op;
          return WalkResult::interrupt();
        });
        return first == a->getOwner();
      }
      return a->getOperandNumber() < b->getOperandNumber();
    });
    return llvm::to_vector(llvm::make_second_range(found));
  }
};

struct ShareSource : OpRewritePattern<RedistributeOp> {
  ShareSource(MLIRContext *context, std::shared_ptr<MoveCosts> costs,
              std::shared_ptr<MemoryBudget> budget,
              const RedistributePatternOptions &options)
      : OpRewritePattern(context, /*benefit=*/2), costs(std::move(costs)),
        budget(std::move(budget)), options(options) {}

  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override;

  Tree collect(RedistributeOp op) const;
  bool repeatsGathers(const Tree &tree) const;
  void makeNodes(const Tree &tree, SmallVector<Node> &nodes,
                 SmallVector<TreeNode> &shape) const;
  std::optional<MoveCost> planBehind(const Tree &tree, ArrayRef<TreeNode> shape,
                                     ArrayRef<GivenNode> given) const;
  std::optional<MoveCost> plan(const Tree &tree, SmallVector<TreeNode> &shape,
                               ArrayRef<GivenNode> given) const;
  std::optional<MoveCost> presentCost(const Tree &tree,
                                      ArrayRef<RedistributeOp> given) const;
  bool memoryAllows(const Tree &tree, ArrayRef<TreeNode> shape,
                    ArrayRef<GivenNode> given) const;
  void rewrite(Tree &tree, SmallVector<Node> &nodes, ArrayRef<TreeNode> shape,
               ArrayRef<RedistributeOp> given, PatternRewriter &rewriter) const;

  std::shared_ptr<MoveCosts> costs;
  std::shared_ptr<MemoryBudget> budget;
  RedistributePatternOptions options;
};

} // namespace

Tree ShareSource::collect(RedistributeOp op) const {
  const MeshTable &meshes = costs->meshTable();
  Tree tree;
  tree.block = op->getBlock();
  tree.type = op.getType();
  auto belongs = [&](RedistributeOp other) {
    return other && isPlain(other) && other->getBlock() == tree.block;
  };
  RedistributeOp first = op;
  while (auto inner = first.getInput().getDefiningOp<RedistributeOp>()) {
    if (!belongs(inner) || isConstrained(inner))
      break;
    first = inner;
  }
  tree.root = first.getInput();
  tree.source = normalize(first.getFrom(), tree.type, meshes);
  SmallVector<Value> worklist = {tree.root};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers())
      if (auto other = dyn_cast<RedistributeOp>(user);
          belongs(other) &&
          other.getFrom().getMesh() == tree.source.getMesh() &&
          seen.insert(other).second) {
        tree.ops.push_back(other);
        // A constrained placement is made for all users.
        if (!isConstrained(other))
          worklist.push_back(other);
      }
  llvm::sort(tree.ops, [](RedistributeOp a, RedistributeOp b) {
    return a->isBeforeInBlock(b);
  });
  for (RedistributeOp other : tree.ops) {
    PlacementAttr to = normalize(other.getTo(), tree.type, meshes);
    auto *found = llvm::find_if(
        tree.targets, [&](const Target &target) { return target.to == to; });
    if (found == tree.targets.end())
      found = &tree.targets.emplace_back(Target{to, {}});
    found->ops.push_back(other);
    tree.targetOf[other] = found - tree.targets.begin();
  }
  for (RedistributeOp constraint : tree.ops) {
    if (!isConstrained(constraint))
      continue;
    worklist = {constraint};
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val().getUsers())
        if (auto other = dyn_cast<RedistributeOp>(user);
            belongs(other) && !other->use_empty() &&
            other.getFrom().getMesh() == tree.source.getMesh() &&
            seen.insert(other).second) {
          tree.beyond.push_back({other, tree.targetOf[constraint]});
          worklist.push_back(other);
        }
  }
  return tree;
}

/// Any op of a small tree looks at all of it, as one that is moved across an op
/// first would take others' chances. Of a large one the first does, or all of
/// them together would be slow.
static bool leavesTreeToOthers(RedistributeOp op) {
  static constexpr unsigned kSmall = 8;
  unsigned count = 0;
  bool isFirst = true;
  for (Operation *user : op.getInput().getUsers())
    if (isa<RedistributeOp>(user) && user->getBlock() == op->getBlock()) {
      ++count;
      isFirst &= user == op || op->isBeforeInBlock(user);
    }
  return count > kSmall && !isFirst;
}

/// True if gathers of this value are made once per region of use.
bool ShareSource::repeatsGathers(const Tree &tree) const {
  if (options.shareGathers && !budget->isLimited())
    return false;
  auto growing = [&](const Target &target) {
    return grows(tree.source, target.to, tree.type, costs->meshTable());
  };
  if (!llvm::any_of(tree.targets, growing) || !isOfArgument(tree.root))
    return false;
  if (!options.shareGathers)
    return true;
  // Targets that were separated to fit the memory limit stay separate.
  if (llvm::any_of(tree.targets, [&](const Target &target) {
        return growing(target) && target.ops.size() > 1;
      }))
    return true;
  return budget->isExceeded(tree.ops[0]->getParentOfType<func::FuncOp>());
}

/// One node per placement, or per placement and region of use.
void ShareSource::makeNodes(const Tree &tree, SmallVector<Node> &nodes,
                            SmallVector<TreeNode> &shape) const {
  bool repeats = repeatsGathers(tree);
  SmallVector<OpOperand *> all = tree.directUses();
  SmallVector<int> regions(all.size());
  if (repeats && all.size() > 1)
    regions = findUseRegions(tree.root, all, tree.block, costs->meshTable());
  for (auto [t, target] : llvm::enumerate(tree.targets)) {
    bool perRegion =
        repeats && grows(tree.source, target.to, tree.type, costs->meshTable());
    int current = -1;
    for (auto [use, region] : llvm::zip(all, regions)) {
      auto op = use->get().getDefiningOp<RedistributeOp>();
      if (tree.targetOf.lookup(op) != t)
        continue;
      if (current < 0 || (perRegion && shape.back().lastRegion != region)) {
        current = nodes.size();
        nodes.push_back({unsigned(t), {}, nullptr});
        shape.push_back({target.to, true, region, region, !perRegion});
      }
      nodes.back().uses.push_back(use);
      shape.back().lastRegion = region;
    }
    // Nobody needs it, but others may start from it.
    if (current < 0 && !perRegion) {
      nodes.push_back({unsigned(t), {}, nullptr});
      shape.push_back({target.to, false, INT_MIN, INT_MAX, true});
    }
  }
}

/// The cost of what is made of constraints' results, if it is made as cheaply
/// as this tree lets it: of the constraints' results and of what starts
/// from that.
std::optional<MoveCost>
ShareSource::planBehind(const Tree &tree, ArrayRef<TreeNode> shape,
                        ArrayRef<GivenNode> given) const {
  llvm::SmallSetVector<int, 2> constraints;
  for (const GivenNode &behind : given)
    constraints.insert(behind.after);
  MoveCost total;
  for (int constraint : constraints) {
    SmallVector<TreeNode> made;
    for (const GivenNode &behind : given)
      if (behind.after == constraint &&
          llvm::none_of(made, [&](const TreeNode &other) {
            return other.to == behind.to;
          }))
        made.push_back({behind.to});
    SmallVector<GivenNode> below;
    for (const TreeNode &node : shape) {
      int at = node.used ? node.parent : -1;
      while (at >= 0 && at < int(shape.size()) && at != constraint)
        at = shape[at].parent;
      if (at == constraint)
        below.push_back({node.to});
    }
    std::optional<MoveCost> cost =
        planTree(shape[constraint].to, tree.type, made, below, *costs);
    if (!cost)
      return std::nullopt;
    total += *cost;
  }
  return total;
}

/// Decides where each node starts. Of trees that cost the same one may leave
/// more to what is made behind a constraint: also tries those in which all else
/// starts from the result of one constraint.
std::optional<MoveCost> ShareSource::plan(const Tree &tree,
                                          SmallVector<TreeNode> &shape,
                                          ArrayRef<GivenNode> given) const {
  std::optional<MoveCost> best;
  SmallVector<TreeNode> chosen;
  auto consider = [&](int first) {
    std::optional<MoveCost> cost =
        planTree(tree.source, tree.type, shape, given, *costs, first);
    std::optional<MoveCost> behind;
    if (cost)
      behind = planBehind(tree, shape, given);
    if (behind && (!best || *cost + *behind < *best)) {
      best = *cost + *behind;
      chosen = shape;
    }
  };
  consider(-1);
  llvm::SmallSetVector<int, 2> constraints;
  for (const GivenNode &behind : given)
    constraints.insert(behind.after);
  for (int constraint : constraints)
    consider(constraint);
  shape = std::move(chosen);
  return best;
}

/// The cost of the tree as it is, with redistributions behind constraints.
std::optional<MoveCost>
ShareSource::presentCost(const Tree &tree,
                         ArrayRef<RedistributeOp> given) const {
  const MeshTable &meshes = costs->meshTable();
  MoveCost present;
  auto add = [&](RedistributeOp op, bool isDeep) {
    std::optional<MoveCost> cost =
        costs->get(normalize(op.getFrom(), tree.type, meshes),
                   normalize(op.getTo(), tree.type, meshes), tree.type);
    if (cost) {
      present += *cost;
      present.depth += isDeep;
    }
    return bool(cost);
  };
  for (RedistributeOp op : tree.ops)
    if (!add(op, op.getInput() != tree.root))
      return std::nullopt;
  for (RedistributeOp op : given) {
    auto inner = op.getInput().getDefiningOp<RedistributeOp>();
    if (!add(op, inner && !isConstrained(inner)))
      return std::nullopt;
  }
  return present;
}

/// True if keeping the sources of other redistributions alive fits the limit. A
/// value that lives longer adds at most its own bytes to the peak.
bool ShareSource::memoryAllows(const Tree &tree, ArrayRef<TreeNode> shape,
                               ArrayRef<GivenNode> given) const {
  if (!budget->isLimited())
    return true;
  llvm::SmallDenseSet<int> parents;
  for (const TreeNode &node : shape)
    if (node.used && node.parent >= 0)
      parents.insert(node.parent);
  const MeshTable &meshes = costs->meshTable();
  int64_t more = 0;
  for (int parent : parents)
    more +=
        localBytes(tree.type,
                   parent < int(shape.size()) ? shape[parent].to
                                              : given[parent - shape.size()].to,
                   meshes);
  return budget->take(tree.ops[0]->getParentOfType<func::FuncOp>(), more);
}

/// The value that a node starts from, and its placement.
static std::pair<Value, PlacementAttr>
sourceOf(const Tree &tree, ArrayRef<Node> nodes, const TreeNode &plan,
         ArrayRef<RedistributeOp> given) {
  if (plan.parent < 0)
    return {tree.root, tree.source};
  RedistributeOp parent = plan.parent < int(nodes.size())
                              ? nodes[plan.parent].carrier
                              : given[plan.parent - nodes.size()];
  return {parent.getResult(), parent.getTo()};
}

LogicalResult ShareSource::matchAndRewrite(RedistributeOp op,
                                           PatternRewriter &rewriter) const {
  if (!isPlain(op) || leavesTreeToOthers(op))
    return failure();
  Tree tree = collect(op);
  if (!llvm::is_contained(tree.ops, op))
    return failure();
  for (Target &target : tree.targets)
    if (target.to == tree.source) {
      for (RedistributeOp same : target.ops)
        rewriter.replaceOp(same, tree.root);
      return success();
    }
  for (RedistributeOp other : tree.ops)
    if (other->use_empty() && other != op) {
      rewriter.eraseOp(other);
      return success();
    }
  SmallVector<Node> nodes;
  SmallVector<TreeNode> shape;
  makeNodes(tree, nodes, shape);
  SmallVector<GivenNode> given;
  SmallVector<RedistributeOp> givenOps;
  for (const auto &behind : tree.beyond) {
    auto isMade = [&](const Node &node) {
      return node.target == behind.second;
    };
    if (llvm::count_if(nodes, isMade) != 1)
      continue;
    RedistributeOp other = behind.first;
    given.push_back({normalize(other.getTo(), tree.type, costs->meshTable()),
                     int(llvm::find_if(nodes, isMade) - nodes.begin())});
    givenOps.push_back(other);
  }
  std::optional<MoveCost> best = plan(tree, shape, given);
  std::optional<MoveCost> present = presentCost(tree, givenOps);
  if (!best || !present)
    return failure();

  // Is it there already?
  bool matches = true;
  size_t used = 0;
  llvm::SmallPtrSet<Operation *, 8> taken;
  for (auto [node, plan] : llvm::zip(nodes, shape)) {
    if (!plan.used)
      continue;
    ++used;
    // One whose uses are those of the node and no others; nobody may use what
    // others start from.
    for (RedistributeOp other : tree.targets[node.target].ops)
      if (!node.carrier && !taken.contains(other) &&
          llvm::all_of(node.uses,
                       [&](OpOperand *use) {
                         return use->get() == other.getResult();
                       }) &&
          tree.directUses(other).size() == node.uses.size())
        node.carrier = other;
    matches &= bool(node.carrier);
    if (node.carrier)
      taken.insert(node.carrier);
  }
  matches &= used == tree.ops.size();
  auto isInPlace = [&](size_t i) {
    return !shape[i].used ||
           nodes[i].carrier.getInput() ==
               sourceOf(tree, nodes, shape[i], givenOps).first;
  };
  if (matches &&
      (!(*best < *present) || llvm::all_of(llvm::seq(nodes.size()), isInPlace)))
    return failure();
  if (!memoryAllows(tree, shape, given))
    return failure();
  // Gathers that are repeated are not kept in between.
  if (nodes.size() > tree.ops.size())
    budget->noteLess(op->getParentOfType<func::FuncOp>());
  rewrite(tree, nodes, shape, givenOps, rewriter);
  return success();
}

/// Moves a redistribution, and those that it starts from, in front of `anchor`,
/// which what they all start from is in front of.
static void moveUp(RedistributeOp op, Operation *anchor,
                   PatternRewriter &rewriter) {
  while (op && op->getBlock() == anchor->getBlock() &&
         anchor->isBeforeInBlock(op)) {
    rewriter.moveOpBefore(op, anchor);
    anchor = op;
    op = op.getInput().getDefiningOp<RedistributeOp>();
  }
}

void ShareSource::rewrite(Tree &tree, SmallVector<Node> &nodes,
                          ArrayRef<TreeNode> shape,
                          ArrayRef<RedistributeOp> given,
                          PatternRewriter &rewriter) const {
  // An op that is there carries each node; further regions get copies.
  llvm::SmallPtrSet<Operation *, 8> taken;
  for (Node &node : nodes)
    if (node.carrier)
      taken.insert(node.carrier);
  for (auto [node, plan] : llvm::zip(nodes, shape)) {
    if (!plan.used || node.carrier)
      continue;
    Target &target = tree.targets[node.target];
    for (RedistributeOp op : target.ops)
      if (!node.carrier && !taken.contains(op))
        node.carrier = op;
    if (!node.carrier) {
      rewriter.setInsertionPoint(topOf(node.uses.front(), tree.block));
      node.carrier = cast<RedistributeOp>(rewriter.clone(*target.ops.front()));
      // Equal copies would be merged by the next CSE.
      node.carrier.setFromAttr(tree.source);
      node.carrier.setReasonAttr(ReasonAttr::ofUse(*node.uses.front())
                                     .withRegion(plan.firstRegion + 1));
    }
    taken.insert(node.carrier);
    if (llvm::any_of(target.ops,
                     [](RedistributeOp op) { return isConstrained(op); }))
      node.carrier->setAttr(ShardIRDialect::kConstrained,
                            rewriter.getUnitAttr());
  }
  for (Node &node : nodes)
    for (OpOperand *use : node.uses)
      if (use->get() != node.carrier.getResult())
        rewriter.modifyOpInPlace(use->getOwner(),
                                 [&] { use->set(node.carrier); });
  SmallVector<unsigned> order; // parents first
  llvm::SmallBitVector placed(nodes.size());
  while (true) {
    size_t before = order.size();
    for (auto [i, plan] : llvm::enumerate(shape))
      if (plan.used && !placed[i] &&
          (plan.parent < 0 || plan.parent >= int(nodes.size()) ||
           placed[plan.parent])) {
        placed.set(i);
        order.push_back(i);
      }
    if (order.size() == before)
      break;
  }
  for (unsigned i : order) {
    auto [input, from] = sourceOf(tree, nodes, shape[i], given);
    if (nodes[i].carrier.getInput() != input)
      restartFrom(rewriter, nodes[i].carrier, input, from);
  }
  // Each in front of what needs it first.
  for (unsigned i : llvm::reverse(order)) {
    Operation *anchor = nullptr;
    auto consider = [&](Operation *op) {
      if (!anchor || op->isBeforeInBlock(anchor))
        anchor = op;
    };
    if (!nodes[i].uses.empty())
      consider(topOf(nodes[i].uses.front(), tree.block));
    for (unsigned child : order)
      if (shape[child].parent == int(i))
        consider(nodes[child].carrier);
    RedistributeOp carrier = nodes[i].carrier;
    if (anchor && (anchor->isBeforeInBlock(carrier) || !shape[i].everywhere))
      rewriter.moveOpBefore(carrier, anchor);
  }
  for (unsigned i : order)
    if (shape[i].parent >= int(nodes.size()))
      moveUp(given[shape[i].parent - nodes.size()], nodes[i].carrier, rewriter);
  for (RedistributeOp op : llvm::reverse(tree.ops))
    if (!taken.contains(op) && op->use_empty())
      rewriter.eraseOp(op);
}

void shardir::addSharePatterns(RewritePatternSet &patterns,
                               std::shared_ptr<MoveCosts> costs,
                               std::shared_ptr<MemoryBudget> budget,
                               const RedistributePatternOptions &options) {
  patterns.add<ShareSource>(patterns.getContext(), std::move(costs),
                            std::move(budget), options);
}
