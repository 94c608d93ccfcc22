//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective. Guarantees that a program within the memory limit is as it
// was, that another one computes the same values, and that its peak is not
// higher than before.
//
//===----------------------------------------------------------------------===//

#include "HostLink.h"
#include "RecomputeStacks.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/Recomputed.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Report/JsonAttributes.h"
#include "ShardIR/Transforms/Schedule/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/FormatVariadic.h"

namespace shardir {
#define GEN_PASS_DEF_RECOMPUTETOFIT
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// The part of the limit that is left to what later stages add, which the
/// prediction does not know: packed operands, temporaries of fused ops, and
/// sizes that are rounded up.
static constexpr int64_t kReserveDivisor = 8;

/// How many times ways are tried at one peak: each trial counts the whole
/// function.
static constexpr size_t kMostTrials = 16;

/// The part of another bargain that makes one far worse.
static constexpr double kFarWorse = 0.5;

/// How many values the remark names.
static constexpr size_t kNamed = 5;

namespace {

/// One recomputation or copy to the host in the program, which can be taken
/// back.
class Trial {
public:
  Trial(const Recomputation &what, Operation *peak, RecomputationState &done);
  void undo(RecomputationState &done);

private:
  Value repeat(const Recomputation &what, RecomputationState &done);
  Value offload(const Recomputation &what, RecomputationState &done);
  /// Adds `op`, whose result is placed as `like` is.
  void add(Operation *op, Value like);
  /// From here on `again` stands for `value` where something is recomputed.
  void setAgain(Value value, Value again, RecomputationState &done) {
    Value &now = done.byValue[value];
    replaced.push_back({value, now});
    now = again;
  }
  /// Moves `op`, and what it reads, in front of `to`.
  void moveUp(Operation *op, Operation *to);
  /// Gives users behind the peak `again` for `value`, also through views.
  void redirect(OpBuilder &builder, Value value, Value again);

  Operation *peak;
  Block *block;
  std::vector<std::pair<OpOperand *, Value>> changed;
  SmallVector<Operation *> made;
  /// Ops, and those that they stood in front of.
  SmallVector<std::pair<Operation *, Operation *>> moved;
  /// Values, and those that stood for them before, or null.
  SmallVector<std::pair<Value, Value>> replaced;
  bool isOffload;
};

} // namespace

Trial::Trial(const Recomputation &what, Operation *peak,
             RecomputationState &done)
    : peak(peak), block(what.before->getBlock()), isOffload(what.isOffload) {
  Value again = isOffload ? offload(what, done) : repeat(what, done);
  done.made.insert(made.begin(), made.end());
  setAgain(what.value, again, done);
  OpBuilder builder(what.before);
  redirect(builder, what.value, again);
}

void Trial::add(Operation *op, Value like) {
  // A program without a mesh has no placements.
  if (PlacementAttr placement = getPlacement(like))
    op->setAttr(ShardIRDialect::kPlacements,
                Builder(op->getContext()).getArrayAttr({placement}));
  if (Operation *other = like.getDefiningOp())
    if (Attribute origin = other->getAttr(ShardIRDialect::kDecidedBy))
      op->setAttr(ShardIRDialect::kDecidedBy, origin);
  made.push_back(op);
}

Value Trial::offload(const Recomputation &what, RecomputationState &done) {
  using collective::HostCopyOp;
  OpBuilder builder(what.before);
  Location loc = what.value.getLoc();
  // Behind its last use, or that op might write its result into the memory that
  // is still to be copied.
  builder.setInsertionPointAfter(what.behind);
  auto store = HostCopyOp::create(builder, loc, what.value, /*toHost=*/true);
  add(store, what.value);
  builder.setInsertionPoint(what.before);
  auto fetch =
      HostCopyOp::create(builder, loc, store.getResult(), /*toHost=*/false);
  add(fetch, what.value);
  done.offloads.push_back({store, peak, fetch});
  return fetch.getResult();
}

Value Trial::repeat(const Recomputation &what, RecomputationState &done) {
  for (auto [first, again] : what.repeated) {
    moveUp(again, what.before);
    setAgain(first, again->getResult(0), done);
  }
  OpBuilder builder(what.before);
  IRMapping mapping;
  for (Value input : what.inputs) {
    Value again = done.byValue.lookup(input);
    if (again && again.getDefiningOp()->isBeforeInBlock(what.before)) {
      mapping.map(input, again);
      continue;
    }
    auto barrier =
        OptimizationBarrierOp::create(builder, input.getLoc(), input);
    add(barrier, input);
    mapping.map(input, barrier.getResult());
  }
  for (Operation *op : what.slice)
    made.push_back(builder.clone(*op, mapping));
  return mapping.lookup(what.value);
}

void Trial::moveUp(Operation *op, Operation *to) {
  if (!op || op->getBlock() != block || op->isBeforeInBlock(to))
    return;
  for (Value operand : op->getOperands())
    moveUp(operand.getDefiningOp(), to);
  moved.push_back({op, op->getNextNode()});
  op->moveBefore(to);
}

void Trial::redirect(OpBuilder &builder, Value from, Value to) {
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    Operation *user = use.getOwner();
    Operation *top = block->findAncestorOpInBlock(*user);
    if (llvm::is_contained(made, top))
      continue;
    if (peak->isBeforeInBlock(top)) {
      changed.push_back({&use, from});
      use.set(to);
      continue;
    }
    if (!isViewOfOperand(user) || use.getOperandNumber() != 0)
      continue;
    auto isLate = [&](Operation *each) {
      return peak->isBeforeInBlock(block->findAncestorOpInBlock(*each));
    };
    Value view = user->getResult(0);
    if (llvm::none_of(view.getUsers(), [&](Operation *each) {
          return isLate(each) || isViewOfOperand(each);
        }))
      continue;
    IRMapping mapping;
    mapping.map(from, to);
    Operation *copy = builder.clone(*user, mapping);
    made.push_back(copy);
    redirect(builder, view, copy->getResult(0));
  }
}

void Trial::undo(RecomputationState &done) {
  for (auto &[use, old] : llvm::reverse(changed))
    use->set(old);
  for (auto [value, before] : llvm::reverse(replaced))
    done.byValue[value] = before;
  for (Operation *op : llvm::reverse(made)) {
    done.made.erase(op);
    op->erase();
  }
  for (auto [op, next] : llvm::reverse(moved))
    op->moveBefore(next);
  if (isOffload)
    done.offloads.pop_back();
}

/// The value whose memory `value` has, as a view or itself.
static Value storedValue(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isViewOfOperand(op);
       op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

/// The first of `ways`, as many as save `bytes`, of which none drops or reads
/// what another one drops. A way that has to wait for that is possible later:
/// where copies are among them, none is taken which is a far worse bargain.
static std::vector<Recomputation *>
independent(llvm::MutableArrayRef<Recomputation> ways, int64_t bytes) {
  std::vector<Recomputation *> taken;
  llvm::DenseSet<Value> dropped, read;
  double waiting = 0; // the best bargain among those that wait
  bool hasCopies = llvm::any_of(
      ways, [](const Recomputation &way) { return way.isOffload; });
  for (Recomputation &way : ways) {
    if (bytes <= 0)
      break;
    SmallVector<Value> reads;
    for (Value input : way.inputs)
      reads.push_back(storedValue(input));
    for (auto [first, again] : way.repeated)
      for (Value operand : again->getOperands())
        reads.push_back(storedValue(operand));
    Value value = storedValue(way.value);
    if (dropped.contains(value) ||
        (hasCopies && way.bytesPerSecond() < kFarWorse * waiting))
      continue;
    if (read.contains(value) || llvm::any_of(reads, [&](Value input) {
          return dropped.contains(input);
        })) {
      waiting = std::max(waiting, way.bytesPerSecond());
      continue;
    }
    dropped.insert(value);
    read.insert_range(reads);
    bytes -= way.bytes;
    taken.push_back(&way);
  }
  return taken;
}

static DroppedValue dropped(const Recomputation &way) {
  Operation *made = way.value.getDefiningOp();
  return {made->getName().getStringRef().str(), made->getLoc(),
          way.value.getType(), way.bytes, way.cost};
}

namespace {

struct RecomputeToFitPass
    : shardir::impl::RecomputeToFitBase<RecomputeToFitPass> {
  using RecomputeToFitBase::RecomputeToFitBase;

  /// Values of a function that are computed again, and its peak without that
  /// and with it: on buffers, where results are alive from the start.
  struct Fitted {
    std::vector<DroppedValue> taken;
    int64_t without = 0, with = 0;
    bool isChanged = false;
  };

  int64_t wantedPeak() const {
    return memoryLimit - memoryLimit / kReserveDivisor;
  }

  /// Drops stacks of loops, as many as the peak of `function` needs. What comes
  /// of it, another op, takes the place of `function`.
  func::FuncOp dropStacks(func::FuncOp function, Fitted &fitted,
                          const MeshTable &meshes, const Machine &machine) {
    func::FuncOp best = function;
    int64_t least = fitted.without, wanted = 0;
    size_t most = 0;
    for (int64_t now = least; now > wantedPeak();) {
      wanted += now - wantedPeak();
      func::FuncOp copy = function.clone();
      function->getBlock()->getOperations().insert(function->getIterator(),
                                                   copy);
      std::vector<DroppedValue> dropped =
          recomputeStacks(copy, wanted, meshes, machine.rates);
      bool isMore = dropped.size() > most;
      most = dropped.size();
      now = isMore ? peakMemory(copy, meshes, /*alive=*/nullptr,
                                /*resultsFirst=*/true)
                         .bytes
                   : least;
      if (now < least) {
        std::swap(best, copy);
        least = now;
        fitted.taken = std::move(dropped);
      }
      if (copy != function)
        copy.erase();
      if (!isMore)
        break;
    }
    if (best != function)
      function.erase();
    return best;
  }

  /// The peak of a function, and the bytes that are alive at each of its ops.
  struct Counted {
    explicit Counted(func::FuncOp function, const MeshTable &meshes)
        : peak(peakMemory(function, meshes, &alive, /*resultsFirst=*/true)) {}
    llvm::DenseMap<Operation *, int64_t> alive;
    MemoryPeak peak;
  };

  /// The ways to have less at the peak, the best first: of equal ones, and for
  /// one value, recomputations.
  std::vector<Recomputation> waysAt(const MemoryPeak &peak,
                                    func::FuncOp function,
                                    const RecomputationState &done,
                                    const MeshTable &meshes,
                                    const Machine &machine) const {
    std::vector<Recomputation> ways =
        recomputationsAt(peak, function, meshes, machine.rates, done);
    // Twice as many as are needed: some may make another peak.
    std::vector<Recomputation> offloads =
        offloadsAt(peak, function, 2 * (peak.bytes - wantedPeak()), meshes,
                   machine, done, overlap);
    ways.insert(ways.end(), offloads.begin(), offloads.end());
    llvm::stable_sort(ways, [](const Recomputation &a, const Recomputation &b) {
      return a.bytesPerSecond() > b.bytesPerSecond();
    });
    return ways;
  }

  /// Recomputes or offloads values that are held at the peak: as many at one
  /// time as the limit asks for, half as many where that makes another peak,
  /// and in the end one. False where nothing helps.
  bool lower(Counted &before, func::FuncOp function, Fitted &fitted,
             RecomputationState &done, const MeshTable &meshes,
             const Machine &machine) {
    Operation *at =
        function.getBody().front().findAncestorOpInBlock(*before.peak.op);
    std::vector<Recomputation> ways =
        waysAt(before.peak, function, done, meshes, machine);
    llvm::MutableArrayRef<Recomputation> left = ways;
    size_t most = ways.size();
    for (size_t trials = 0; !left.empty() && trials < kMostTrials; ++trials) {
      std::vector<Recomputation *> taken =
          independent(left.take_front(most), before.peak.bytes - wantedPeak());
      std::vector<Trial> all;
      for (Recomputation *way : taken)
        all.emplace_back(*way, at, done);
      Counted now(function, meshes);
      int64_t saved = before.alive.lookup(at) - now.alive.lookup(at);
      if (now.peak.bytes <= before.peak.bytes && saved > 0) {
        take(taken, saved, fitted);
        before = std::move(now);
        return true;
      }
      for (Trial &trial : llvm::reverse(all))
        trial.undo(done);
      if (taken.size() == 1)
        left = left.drop_front();
      most = std::max<size_t>(taken.size() / 2, 1);
    }
    return false;
  }

  /// Notes what was taken, which saves `saved` bytes together.
  static void take(ArrayRef<Recomputation *> taken, int64_t saved,
                   Fitted &fitted) {
    double promised = 0;
    for (const Recomputation *way : taken)
      promised += double(way->bytes);
    for (Recomputation *way : taken) {
      way->bytes = double(saved) * double(way->bytes) / promised;
      if (!way->isFree())
        fitted.taken.push_back(dropped(*way));
    }
    fitted.isChanged = true;
  }

  /// Recomputes and offloads until `function` fits or nothing helps.
  Fitted fit(func::FuncOp &function, const MeshTable &meshes,
             const Machine &machine) {
    Fitted fitted;
    fitted.without =
        peakMemory(function, meshes, /*alive=*/nullptr, /*resultsFirst=*/true)
            .bytes;
    if (fitted.without <= memoryLimit)
      return fitted;
    function = dropStacks(function, fitted, meshes, machine);
    RecomputationState done;
    Counted now(function, meshes);
    while (now.peak.bytes > wantedPeak() && now.peak.op &&
           lower(now, function, fitted, done, meshes, machine))
      ;
    fitted.isChanged |= !fitted.taken.empty();
    fitted.with = now.peak.bytes;
    return fitted;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (memoryLimit <= 0 || stageOf(module) > Stage::Collective)
      return markAllAnalysesPreserved();
    MeshTable meshes(module);
    Machine machine = getMachine(module);
    recomputed = {};
    offloaded = {};
    allCosts = {};
    mostWithout = 0;
    bool isChanged = false;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function.isDeclaration() || !function.getBody().hasOneBlock())
        continue;
      Fitted fitted = fit(function, meshes, machine);
      isChanged |= fitted.isChanged;
      if (!fitted.taken.empty())
        tell(function, std::move(fitted));
    }
    auto note = [&](StringRef name, llvm::json::Array &values,
                    llvm::json::Object object) {
      if (values.empty())
        return;
      object["peak_bytes_per_device_without"] = mostWithout;
      object["values"] = std::move(values);
      module->setAttr(name, toAttribute(std::move(object), &getContext()));
    };
    note(kRecomputed, recomputed,
         llvm::json::Object{{"operations", int64_t(allCosts.operations)},
                            {"received_bytes", int64_t(allCosts.received)}});
    note(kOffloaded, offloaded,
         llvm::json::Object{{"copied_bytes", int64_t(allCosts.offloaded)},
                            {"exposed_seconds", allCosts.exposed}});
    if (!isChanged)
      markAllAnalysesPreserved();
  }

  static std::string describe(const RepeatCost &cost, llvm::StringRef more) {
    SmallVector<std::string> parts;
    auto add = [&](double number, llvm::StringRef what) {
      parts.push_back(std::to_string(int64_t(number)) + what.str());
    };
    if (cost.operations > 0 || cost.offloaded == 0)
      add(cost.operations, more.str() + " operations");
    if (cost.received > 0)
      add(cost.received, more.str() + " bytes received");
    if (cost.offloaded > 0)
      add(cost.offloaded,
          " bytes copied to the host and back, " +
              (cost.exposed > 0
                   ? llvm::formatv("{0:f3} ms of it beside no work",
                                   cost.exposed * 1e3)
                         .str()
                   : "beside work"));
    return llvm::join(parts, " and ");
  }

  static std::string count(size_t number, llvm::StringRef noun) {
    return std::to_string(number) + " " + noun.str() + (number == 1 ? "" : "s");
  }

  void tell(func::FuncOp function, Fitted fitted) {
    std::vector<DroppedValue> &taken = fitted.taken;
    llvm::stable_sort(taken, [](const DroppedValue &a, const DroppedValue &b) {
      return a.bytes > b.bytes;
    });
    RepeatCost all;
    size_t copies = 0;
    for (const DroppedValue &each : taken) {
      LDBG("shardir-recompute-to-fit")
          << each.op << ": saves " << each.bytes << " bytes for "
          << describe(each.cost, "");
      all += each.cost;
      llvm::json::Object value{
          {"op", each.op},
          {"loc", llvm::json::fixUTF8(describeLocation(each.loc))},
          {"function", llvm::json::fixUTF8(function.getSymName())},
          {"saved_bytes", each.bytes}};
      if (each.cost.offloaded > 0) {
        ++copies;
        value["copied_bytes"] = int64_t(each.cost.offloaded);
        value["exposed_seconds"] = each.cost.exposed;
        offloaded.push_back(std::move(value));
        continue;
      }
      value["operations"] = int64_t(each.cost.operations);
      value["received_bytes"] = int64_t(each.cost.received);
      recomputed.push_back(std::move(value));
    }
    size_t repeats = taken.size() - copies;
    numRecomputed += repeats;
    numOffloaded += copies;
    InFlightDiagnostic diag = function.emitRemark();
    diag << "@" << function.getSymName();
    if (repeats > 0)
      diag << " computes " << count(repeats, "value") << " a second time";
    if (copies > 0)
      diag << (repeats > 0 ? " and" : "") << " keeps " << count(copies, "value")
           << " on the host";
    diag << ": a device needs " << fitted.with << " bytes at its peak, and "
         << fitted.without << " without that, for " << describe(all, " more")
         << "; memory-limit is " << int64_t(memoryLimit);
    if (taken.size() > kNamed)
      diag << "; these save most:";
    for (const DroppedValue &each : llvm::ArrayRef(taken).take_front(kNamed))
      diag.attachNote(each.loc)
          << "the result of '" << each.op << "', " << each.type << ": "
          << each.bytes << " bytes saved for " << describe(each.cost, "");
    allCosts += all;
    mostWithout = std::max(mostWithout, fitted.without);
  }

  // Of all functions, for the report.
  llvm::json::Array recomputed, offloaded;
  RepeatCost allCosts;
  int64_t mostWithout = 0;
};

} // namespace
