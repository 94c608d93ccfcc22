//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Finds what lies between the borders of GSPMD's manual
// regions, by the flow of data: all that a shard reaches, and what a result
// needs. Requires that both borders of a region stand in one block; guarantees
// that regions which share no shard are apart, and that ops which are pure and
// used on both sides are there twice.
//
//===----------------------------------------------------------------------===//

#include "ImportManual.h"

#include "ShardIR/Import/GspmdSharding.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace shardir;

static bool readUnspecifiedDims(StringRef text,
                                SmallVectorImpl<int64_t> &dims) {
  text = text.trim();
  if (text.empty())
    return true;
  if (!text.consume_front("unspecified_dims=[") || !text.consume_back("]"))
    return false;
  for (StringRef entry : llvm::split(text, ','))
    if (entry.trim().getAsInteger(10, dims.emplace_back()))
      return false;
  return true;
}

StringRef shardir::customCallTarget(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name != "stablehlo.custom_call" && name != "mhlo.custom_call")
    return "";
  auto target = op->getAttrOfType<StringAttr>("call_target_name");
  return target ? target.getValue() : "";
}

static bool entersRegion(Operation *op) {
  return customCallTarget(op) == "SPMDFullToShardShape";
}

static bool leavesRegion(Operation *op) {
  return customCallTarget(op) == "SPMDShardToFullShape";
}

LogicalResult shardir::readBorder(Operation *op, Attribute sharding,
                                  GspmdBorder &border) {
  border.sharding = sharding;
  auto config = op->getAttrOfType<StringAttr>("backend_config");
  if (config && !readUnspecifiedDims(config.getValue(), border.openDims))
    return op->emitOpError("has a backend_config that cannot be read; "
                           "expected 'unspecified_dims=[0,1]', found '")
           << config.getValue() << "'";
  return success();
}

static LogicalResult readBorder(Operation *op, GspmdBorder &border) {
  if (Attribute sharding = op->getAttr("mhlo.sharding"))
    return readBorder(op, sharding, border);
  return op->emitOpError("needs 'mhlo.sharding'");
}

/// How a tensor lies that enters a region: what it comes from says it.
static LogicalResult readEntry(Operation *op, GspmdBorder &border) {
  Value value = op->getOperand(0);
  if (Operation *producer = value.getDefiningOp()) {
    StringRef target = customCallTarget(producer);
    if (target == "Sharding" || target == "SPMDShardToFullShape")
      return readBorder(producer, border);
  } else if (auto argument = cast<BlockArgument>(value);
             auto function =
                 dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())) {
    border.sharding =
        function.getArgAttr(argument.getArgNumber(), "mhlo.sharding");
    if (border.sharding)
      return success();
  }
  return op->emitOpError("takes a tensor whose sharding is not known; it must "
                         "come from a custom call @Sharding");
}

/// Along how many devices a border's whole tensor is manual already: more in a
/// region than outside of it. Unreadable shardings are reported elsewhere.
static int64_t manualDevices(Attribute sharding) {
  std::string error;
  auto text = dyn_cast_or_null<StringAttr>(sharding);
  auto read = text ? parseGspmdShardings(text.getValue(), error) : std::nullopt;
  int64_t count = 1;
  if (!read || read->size() != 1)
    return count;
  const GspmdSharding &one = read->front();
  size_t dims = one.tiles.size() - one.subgroups.size();
  for (size_t i = 0; i < one.subgroups.size(); ++i)
    if (one.subgroups[i] == GspmdSharding::ManualGroup)
      count *= one.tiles[dims + i];
  return count;
}

LogicalResult shardir::inlineIntoRegions(ModuleOp module, Operation *region) {
  // Calls and how deep they are in what has been inlined.
  SmallVector<std::pair<func::CallOp, int>> calls;
  region->walk([&](func::CallOp call) { calls.push_back({call, 0}); });
  llvm::SetVector<Operation *> callees;
  while (!calls.empty()) {
    auto [call, depth] = calls.pop_back_val();
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isDeclaration())
      continue;
    if (depth > 64)
      return call.emitOpError("calls what calls itself; a manual region takes "
                              "no recursion");
    if (!callee.getBody().hasOneBlock())
      return call.emitOpError("is in a manual region and calls a function of "
                              "several blocks; write control flow as scf");
    callees.insert(callee);
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    for (Operation &op : callee.getBody().front().without_terminator()) {
      Operation *clone = builder.clone(op, mapping);
      clone->walk([&, depth = depth](func::CallOp inner) {
        calls.push_back({inner, depth + 1});
      });
    }
    Operation *yield = callee.getBody().front().getTerminator();
    for (auto [result, value] :
         llvm::zip(call.getResults(), yield->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }
  for (Operation *callee : callees)
    if (cast<func::FuncOp>(callee).isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(callee, module))
      callee->erase();
  return success();
}

namespace {

/// Makes the regions whose borders stand in one block.
class BlockGrouper {
public:
  BlockGrouper(Block &block, SmallVectorImpl<GspmdRegion> &regions)
      : block(block), regions(regions) {}
  LogicalResult run();

private:
  Operation *inBlock(Operation *op) { return block.findAncestorOpInBlock(*op); }
  LogicalResult collect();
  /// Whether an op is pure, and all in the block that it comes from.
  bool isCopied(Operation *op);
  LogicalResult build(ArrayRef<Operation *> members);

  Block &block;
  SmallVectorImpl<GspmdRegion> &regions;
  llvm::SetVector<Operation *> entries, exits;
  /// The ops between them.
  llvm::SetVector<Operation *> inside;
  llvm::EquivalenceClasses<Operation *> together;
  llvm::DenseMap<Operation *, bool> copied;
};

} // namespace

/// All values that `op` and what is in it take from around.
static llvm::SetVector<Value> valuesInto(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
  return values;
}

bool BlockGrouper::isCopied(Operation *op) {
  if (!isPure(op) || inside.contains(op) || entries.contains(op))
    return false;
  auto [known, isNew] = copied.try_emplace(op, true);
  if (isNew)
    for (Value value : valuesInto(op))
      if (Operation *producer = value.getDefiningOp();
          producer && producer->getBlock() == &block && !isCopied(producer)) {
        copied[op] = false;
        break;
      }
  return copied[op];
}

LogicalResult BlockGrouper::collect() {
  // In a block that holds the borders of a region and of one in it, the outer
  // ones go first; inner ones are then grouped in the body.
  std::vector<std::pair<int64_t, Operation *>> borders;
  for (Operation &op : block) {
    if (!entersRegion(&op) && !leavesRegion(&op))
      continue;
    if (op.getNumOperands() != 1 || op.getNumResults() != 1 ||
        !isa<RankedTensorType>(op.getOperand(0).getType()) ||
        !isa<RankedTensorType>(op.getResult(0).getType()))
      return op.emitOpError("needs one tensor and one result");
    GspmdBorder border;
    if (failed(entersRegion(&op) ? readEntry(&op, border)
                                 : readBorder(&op, border)))
      return failure();
    borders.push_back({manualDevices(border.sharding), &op});
  }
  if (borders.empty())
    return success();
  int64_t least = llvm::min_element(borders)->first;
  // Those of a region whose body is a function wait until it is inlined.
  Operation *parent = block.getParentOp();
  if (least > 1 && !isa<ManualOp>(parent) &&
      !parent->getParentOfType<ManualOp>())
    return success();
  for (auto [devices, op] : borders)
    if (devices == least)
      (entersRegion(op) ? entries : exits).insert(op);

  // Forward from what enters.
  SmallVector<Operation *> work(entries.begin(), entries.end());
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    together.insert(op);
    for (Operation *user : op->getUsers()) {
      Operation *own = inBlock(user);
      if (!own || own == block.getTerminator() || entries.contains(own))
        return op->emitOpError("gives a shard that leaves its manual region "
                               "without a custom call @SPMDShardToFullShape");
      together.unionSets(op, own);
      if (!exits.contains(own) && inside.insert(own))
        work.push_back(own);
    }
  }
  // Backward from what leaves, and from what is inside.
  work.assign(exits.begin(), exits.end());
  llvm::append_range(work, inside);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    together.insert(op);
    for (Value value : valuesInto(op)) {
      Operation *producer = value.getDefiningOp();
      if (!producer || producer->getBlock() != &block ||
          !isa<ShapedType>(value.getType()))
        continue;
      if (exits.contains(producer) && !exits.contains(op))
        return op->emitOpError("uses a global tensor in a manual region; make "
                               "it enter by a custom call "
                               "@SPMDFullToShardShape");
      // Ops with equal results on all devices are cloned where they are needed.
      if (entries.contains(producer) || !isCopied(producer)) {
        together.unionSets(op, producer);
        if (!entries.contains(producer) && inside.insert(producer))
          work.push_back(producer);
      }
    }
  }
  return success();
}

/// Copies of the pure ops that `op` needs from the block, ahead of it.
static void clonePure(Operation *op, Block &from, IRMapping &mapping,
                      OpBuilder &builder) {
  for (Value value : valuesInto(op)) {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != &from || mapping.contains(value) ||
        !isPure(producer))
      continue;
    clonePure(producer, from, mapping, builder);
    builder.clone(*producer, mapping);
  }
}

LogicalResult BlockGrouper::build(ArrayRef<Operation *> members) {
  SmallVector<Operation *> ins, outs, ops;
  for (Operation &op : block) {
    if (!llvm::is_contained(members, &op))
      continue;
    (entries.contains(&op) ? ins
     : exits.contains(&op) ? outs
                           : ops)
        .push_back(&op);
  }
  if (outs.empty())
    return ins[0]->emitOpError("gives a shard to a manual region without "
                               "results");
  GspmdRegion region;
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (Operation *op : ins) {
    if (failed(readEntry(op, region.in.emplace_back())))
      return failure();
    inputs.push_back(op->getOperand(0));
  }
  for (Operation *op : outs) {
    if (failed(readBorder(op, region.out.emplace_back())))
      return failure();
    types.push_back(op->getResult(0).getType());
  }
  // Which axes are manual stands at the shards.
  GspmdBorder shard;
  Operation *teller =
      ins.empty() ? outs[0]->getOperand(0).getDefiningOp() : ins[0];
  if (!teller || (ins.empty() && customCallTarget(teller) != "Sharding"))
    return outs[0]->emitOpError("takes a shard that does not come from a "
                                "custom call @Sharding");
  if (failed(readBorder(teller, shard)))
    return failure();
  region.inside = shard.sharding;
  region.insideType = teller->getResult(0).getType();

  OpBuilder builder(outs.back());
  region.op = ManualOp::create(
      builder, outs[0]->getLoc(), types, inputs, builder.getArrayAttr({}),
      builder.getArrayAttr({}), builder.getStrArrayAttr({}),
      /*unchecked=*/true);
  Block &body = region.op.getBody().emplaceBlock();
  for (Operation *op : ins)
    op->getResult(0).replaceAllUsesWith(
        body.addArgument(op->getResult(0).getType(), op->getLoc()));
  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> yielded;
  for (Operation *op : outs)
    yielded.push_back(op->getOperand(0));
  auto yield = YieldOp::create(builder, outs[0]->getLoc(), yielded);
  for (Operation *op : ops)
    op->moveBefore(yield);
  IRMapping mapping;
  builder.setInsertionPointToStart(&body);
  ops.push_back(yield);
  for (Operation *op : ops)
    clonePure(op, block, mapping, builder);
  for (auto [from, to] : mapping.getValueMap())
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return region.op->isProperAncestor(use.getOwner());
    });
  for (auto [op, result] : llvm::zip(outs, region.op.getResults()))
    op->getResult(0).replaceAllUsesWith(result);
  for (Operation *op : llvm::concat<Operation *>(ins, outs))
    op->erase();
  regions.push_back(region);
  return success();
}

LogicalResult BlockGrouper::run() {
  if (failed(collect()))
    return failure();
  if (entries.empty() && exits.empty())
    return success();
  // In the order of the block, for names and messages.
  SmallVector<SmallVector<Operation *>> groups;
  for (Operation &op : block)
    if (together.contains(&op) && together.getLeaderValue(&op) == &op)
      groups.emplace_back(together.findLeader(&op), together.member_end());
  for (ArrayRef<Operation *> members : groups)
    if (failed(build(members)))
      return failure();
  // A user of one result may precede another result's op.
  if (!sortTopologically(&block))
    return block.getParentOp()->emitError(
        "has manual regions each of which needs a result of the other");
  return success();
}

LogicalResult
shardir::groupManualRegions(ModuleOp module,
                            SmallVectorImpl<GspmdRegion> &regions) {
  SmallVector<Block *> blocks;
  auto addBlocks = [&](Operation *root) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
    });
  };
  // Functions one by one: a region takes in those that it calls.
  SmallVector<StringAttr> names;
  for (auto function : module.getOps<func::FuncOp>())
    names.push_back(function.getSymNameAttr());
  size_t done = regions.size();
  for (StringAttr name : names) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      continue;
    blocks.clear();
    addBlocks(function);
    for (size_t next = 0; next < blocks.size(); ++next) {
      if (failed(BlockGrouper(*blocks[next], regions).run()))
        return failure();
      for (; done < regions.size(); ++done) {
        if (failed(inlineIntoRegions(module, regions[done].op)))
          return failure();
        addBlocks(regions[done].op);
      }
    }
  }
  return success();
}
