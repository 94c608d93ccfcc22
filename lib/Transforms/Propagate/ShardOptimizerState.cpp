//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, calls inlined. Requires sugar resolved. Guarantees that
// optimizer states are annotated as split over the axes, and that the ops that
// update them and their parameters run on the shards: constraints with a
// direction are around these ops, so that the axes spread to nothing else.
//
//===----------------------------------------------------------------------===//

#include "BroadcastConstants.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>

namespace shardir {
#define GEN_PASS_DEF_SHARDOPTIMIZERSTATE
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

static bool isOfShape(Value value, RankedTensorType type) {
  auto own = dyn_cast<RankedTensorType>(value.getType());
  return own && own.getShape() == type.getShape();
}

/// A number, or a tensor of one.
static bool isScalar(Value value) {
  auto own = dyn_cast<RankedTensorType>(value.getType());
  return !own || own.getRank() == 0;
}

/// Whether `op` computes each element of its results, which are of the shape of
/// `type`, from numbers and the elements of its operands at the same place.
static bool isElementwise(Operation *op, RankedTensorType type) {
  if (op->getNumResults() == 0 || !capturedTensors(op).empty() ||
      !llvm::all_of(op->getResults(),
                    [&](Value result) { return isOfShape(result, type); }) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return isScalar(operand) || isOfShape(operand, type);
      }))
    return false;
  if (isa<ConstrainOp>(op) || OpTrait::hasElementwiseMappableTraits(op))
    return true;
  auto generic = dyn_cast<linalg::LinalgOp>(op);
  return generic && generic.getNumReductionLoops() == 0 &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return isScalar(operand.get()) ||
                  generic.getMatchingIndexingMap(&operand).isIdentity();
         });
}

static bool isRematerializable(Operation *op) {
  return getShardingRule(op)->isRematerializable;
}

/// Whether each rank can compute its shard of `value` in any placement: a
/// constant, or a number for all elements.
static bool isFree(Value value, RankedTensorType type) {
  Operation *op = value.getDefiningOp();
  return op && (isRematerializable(op) ||
                (isElementwise(op, type) &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   return isScalar(operand) || isFree(operand, type);
                 })));
}

namespace {

/// An argument, and what is computed from it element by element.
struct Reach {
  BlockArgument argument;
  llvm::SetVector<Value> values;
  llvm::SetVector<unsigned> results;
  /// The result that has the argument's next value, or -1.
  int next = -1;
  /// Whether other ops read the argument, so that it is a parameter.
  bool hasOtherUses = false;

  RankedTensorType type() const {
    return cast<RankedTensorType>(argument.getType());
  }
};

struct ShardOptimizerStatePass
    : shardir::impl::ShardOptimizerStateBase<ShardOptimizerStatePass> {
  using ShardOptimizerStateBase::ShardOptimizerStateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<StringRef> names;
    llvm::SplitString(axes, names, ",");
    if (names.empty() || stageOf(module) >= Stage::Propagated)
      return markAllAnalysesPreserved();
    MeshTable meshes(module);
    for (StringRef name : names)
      if (!isKnown(meshes, name))
        return signalPassFailure();
    auto mesh = llvm::find_if(meshes.all(), [&](const Mesh &each) {
      return llvm::all_of(names, [&](StringRef name) {
        return each.axisIndex(name.str()) >= 0;
      });
    });
    if (mesh == meshes.all().end()) {
      module.emitError() << "option shard-optimizer-state='" << axes
                         << "' names axes of several meshes; name axes of one";
      return signalPassFailure();
    }
    bool found = false;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          function.getBody().hasOneBlock())
        found |= shardIn(function, *mesh, names);
    if (!found)
      module.emitRemark()
          << "option shard-optimizer-state='" << axes
          << "' changes nothing: no argument is read element by element alone, "
             "to update itself and a parameter that the axes do not split";
  }

  bool isKnown(const MeshTable &meshes, StringRef axis) {
    std::vector<std::string> known;
    for (const Mesh &mesh : meshes.all())
      for (const MeshAxis &own : mesh.axes)
        known.push_back(own.name);
    if (llvm::is_contained(known, axis.str()))
      return true;
    getOperation().emitError()
        << "option shard-optimizer-state names axis \"" << axis
        << "\", which no mesh has" << didYouMean(axis.str(), known, "\"", "\"");
    return false;
  }

  static Reach reachOf(BlockArgument argument) {
    Reach reach;
    reach.argument = argument;
    reach.values.insert(argument);
    for (size_t i = 0; i < reach.values.size(); ++i)
      for (OpOperand &use : reach.values[i].getUses()) {
        Operation *op = use.getOwner();
        if (isa<func::ReturnOp>(op)) {
          if (reach.values[i].getType() == argument.getType())
            reach.results.insert(use.getOperandNumber());
        } else if (op->getBlock() == argument.getOwner() &&
                   isElementwise(op, reach.type())) {
          reach.values.insert_range(op->getResults());
        } else {
          reach.hasOtherUses = true;
        }
      }
    return reach;
  }

  /// Whether there was an optimizer state.
  bool shardIn(func::FuncOp function, const Mesh &mesh,
               ArrayRef<StringRef> names) {
    std::vector<Reach> all;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (type && type.getRank() > 0)
        all.push_back(reachOf(argument));
    }
    pairWithResults(function, all);
    // By parameter; without one an argument is no state but an input.
    llvm::MapVector<Reach *, SmallVector<Reach *>> states;
    for (Reach &state : all) {
      if (state.hasOtherUses || state.results.empty())
        continue;
      auto parameter = llvm::find_if(all, [&](const Reach &other) {
        return other.hasOtherUses &&
               llvm::any_of(other.results, [&](unsigned result) {
                 return state.results.contains(result);
               });
      });
      if (parameter != all.end())
        states[&*parameter].push_back(&state);
    }
    bool found = false;
    for (auto &[parameter, own] : states) {
      PlacementAttr placement =
          split(function, *own.front(), *parameter, mesh, names);
      if (!placement)
        continue;
      found = true;
      for (Reach *state : own) {
        function.setArgAttr(state->argument.getArgNumber(),
                            ShardIRDialect::kPlacement, placement);
        keepPlaced(function, *state);
      }
      keepPlaced(function, *parameter);
      runOnShards(function, own, placement);
    }
    return found;
  }

  /// The next value of an argument takes its placement.
  static void keepPlaced(func::FuncOp function, const Reach &reach) {
    if (reach.next < 0 ||
        function.getResultAttr(reach.next, ShardIRDialect::kPlacement) ||
        function.getResultAttr(reach.next, ShardIRDialect::kAlias))
      return;
    Builder builder(function.getContext());
    function.setResultAttr(
        reach.next, builder.getStringAttr(ShardIRDialect::kAlias),
        builder.getI64IntegerAttr(reach.argument.getArgNumber()));
  }

  /// Finds the next value of each argument: the result that is its alias, else
  /// one of those that it reaches. Arguments with few of them choose first,
  /// states before parameters: a state takes the one that is computed first, a
  /// parameter the last.
  static void pairWithResults(func::FuncOp function,
                              MutableArrayRef<Reach> all) {
    Operation *terminator = function.getBody().front().getTerminator();
    SmallVector<Reach *> order =
        llvm::map_to_vector(all, [](Reach &each) { return &each; });
    llvm::stable_sort(order, [](const Reach *a, const Reach *b) {
      return std::make_pair(a->results.size(), a->hasOtherUses) <
             std::make_pair(b->results.size(), b->hasOtherUses);
    });
    auto producerOf = [&](int result) {
      return terminator->getOperand(unsigned(result)).getDefiningOp();
    };
    llvm::DenseSet<unsigned> taken;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto alias = function.getResultAttrOfType<IntegerAttr>(
              i, ShardIRDialect::kAlias)) {
        taken.insert(i);
        for (Reach &each : all)
          if (each.argument.getArgNumber() == alias.getInt())
            each.next = int(i);
      }
    for (Reach *each : order) {
      if (each->next >= 0)
        continue;
      for (unsigned result : each->results)
        if (!taken.contains(result) && producerOf(int(result)) &&
            (each->next < 0 ||
             producerOf(int(result))->isBeforeInBlock(producerOf(each->next)) !=
                 each->hasOtherUses))
          each->next = int(result);
      if (each->next >= 0)
        taken.insert(unsigned(each->next));
    }
  }

  /// The placement of a state, or else of its parameter, with those axes added
  /// that it does not use, in the first dim that they divide, else in the
  /// longest; null if there are none, or no dim.
  static PlacementAttr split(func::FuncOp function, const Reach &state,
                             const Reach &parameter, const Mesh &mesh,
                             ArrayRef<StringRef> names) {
    RankedTensorType type = state.type();
    auto placementOf = [&](const Reach &reach) {
      return function.getArgAttrOfType<PlacementAttr>(
          reach.argument.getArgNumber(), ShardIRDialect::kPlacement);
    };
    PlacementAttr given = placementOf(state);
    if (!given)
      given = placementOf(parameter);
    if (given && given.getMesh().getValue() != mesh.name)
      return {};
    Placement placement = Placement::replicatedOfRank(type.getRank());
    if (given)
      placement = given.getValue();
    std::vector<AxisRef> used = axesOf(placement);
    llvm::append_range(used, placement.replicated);
    Splits added;
    int64_t ways = 1;
    for (StringRef name : names) {
      if (llvm::any_of(used,
                       [&](const AxisRef &own) { return own.name == name; }))
        continue;
      added.push_back(Split::byAxis(name.str()));
      ways *= mesh.axes[mesh.axisIndex(name.str())].assumedSize();
    }
    int best = -1;
    for (int d = 0, e = added.empty() ? 0 : type.getRank(); d < e; ++d) {
      int64_t extent = type.getDimSize(d), own = ways;
      for (const AxisRef &axis : placement.axesOf(d))
        own *= axisSize(mesh, axis);
      if (!ShapedType::isDynamic(extent) && extent % own == 0) {
        best = d;
        break;
      }
      if (best < 0 || extent > type.getDimSize(best))
        best = d;
    }
    if (best < 0)
      return {};
    llvm::append_range(placement.dims[best].splits, added);
    return PlacementAttr::get(function.getContext(), mesh.name,
                              placement.closed());
  }

  /// The ops that update states and their parameter, and those in front of them
  /// that compute element by element for them alone, such as the square of a
  /// gradient. A sum of gradients stays outside: it is one value to reduce, and
  /// its terms are several.
  static llvm::SetVector<Operation *> findUpdate(ArrayRef<Reach *> states) {
    llvm::SetVector<Operation *> ops;
    for (const Reach *state : states)
      for (Value value : state->values)
        if (Operation *op = value.getDefiningOp())
          ops.insert(op);
    RankedTensorType type = states.front()->type();
    // Whether a value costs nothing more to bring: it is an argument, or the
    // update reads it, or it is computed from such values, as weight decay is.
    std::function<bool(Value, int)> isAtHand = [&](Value value, int depth) {
      Operation *op = value.getDefiningOp();
      return !op || ops.contains(op) || isFree(value, type) ||
             llvm::any_of(
                 value.getUsers(),
                 [&](Operation *user) { return ops.contains(user); }) ||
             (depth > 0 && isElementwise(op, type) &&
              llvm::all_of(op->getOperands(), [&](Value operand) {
                return isScalar(operand) || isAtHand(operand, depth - 1);
              }));
    };
    auto belongs = [&](Operation *op) {
      llvm::SetVector<Value> others;
      for (Value operand : op->getOperands())
        if (isOfShape(operand, type) && !isAtHand(operand, /*depth=*/3))
          others.insert(operand);
      return others.size() <= 1 && isElementwise(op, type) &&
             !broadcastConstant(op) &&
             op->getBlock() == ops.front()->getBlock() &&
             llvm::all_of(op->getUsers(),
                          [&](Operation *user) { return ops.contains(user); });
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < ops.size(); ++i)
        for (Value operand : ops[i]->getOperands())
          if (Operation *op = operand.getDefiningOp();
              op && !ops.contains(op) && belongs(op))
            changed |= ops.insert(op);
    }
    // A broadcast that others read as well would bring them the axes.
    for (size_t i = 0; i < ops.size(); ++i)
      for (OpOperand &operand : ops[i]->getOpOperands()) {
        Operation *op = operand.get().getDefiningOp();
        if (!op || ops.contains(op) || !isFree(operand.get(), type) ||
            isRematerializable(op) || broadcastConstant(op))
          continue;
        Operation *own = OpBuilder(op).clone(*op);
        for (auto [value, mine] :
             llvm::zip(op->getResults(), own->getResults()))
          value.replaceUsesWithIf(mine, [&](OpOperand &use) {
            return ops.contains(use.getOwner());
          });
        ops.insert(own);
      }
    return ops;
  }

  /// Constrains what the update reads, and keeps the axes of what it computes
  /// from spreading to others.
  static void runOnShards(func::FuncOp function, ArrayRef<Reach *> states,
                          PlacementAttr placement) {
    llvm::SetVector<Operation *> ops = findUpdate(states);
    RankedTensorType type = states.front()->type();
    OpBuilder builder(function.getContext());
    auto constrain = [&](Value value, PlacementAttr to, StringRef direction) {
      builder.setInsertionPointAfterValue(value);
      return ConstrainOp::create(builder, value.getLoc(), value.getType(),
                                 value, to, /*group=*/nullptr,
                                 builder.getStringAttr(direction));
    };
    llvm::SetVector<Value> read;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (Operation *op = operand.getDefiningOp();
            isOfShape(operand, type) && !ops.contains(op) &&
            !(op && isRematerializable(op)) &&
            llvm::none_of(states, [&](const Reach *state) {
              return state->argument == operand;
            }))
          read.insert(operand);
    for (Value value : read) {
      auto constraint = constrain(value, placement, "forward");
      value.replaceUsesWithIf(constraint.getResult(), [&](OpOperand &use) {
        return ops.contains(use.getOwner());
      });
    }
    Placement open = Placement::replicatedOfRank(type.getRank());
    for (DimPlacement &dim : open.dims)
      dim.open = true;
    auto anywhere = PlacementAttr::get(function.getContext(),
                                       placement.getMesh().getValue(), open);
    for (Operation *op : ops)
      for (Value value : op->getResults()) {
        auto leaves = [&](OpOperand &use) {
          bool isNextState =
              isa<func::ReturnOp>(use.getOwner()) &&
              llvm::any_of(states, [&](const Reach *state) {
                return state->next == int(use.getOperandNumber());
              });
          return !ops.contains(use.getOwner()) && !isNextState;
        };
        if (llvm::none_of(value.getUses(), leaves))
          continue;
        auto barrier = constrain(value, anywhere, "none");
        value.replaceUsesWithIf(barrier.getResult(), [&](OpOperand &use) {
          return use.getOwner() != barrier && leaves(use);
        });
      }
  }
};

} // namespace
