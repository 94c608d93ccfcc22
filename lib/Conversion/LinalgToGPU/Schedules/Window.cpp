//===- Window.cpp - Pooling, depthwise convolutions -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reductions over small windows of an input, whose extents are known. A
// thread has neighbouring outputs along the contiguous dim, up to 16 bytes, at
// up to eight neighbouring places along a dim that windows slide along. It
// computes their terms in the op's order, in straight code: what the windows of
// its places have in common, and weights, it loads once and keeps in registers.
// The last places of a row that are too few for a thread are computed together
// with some before them, which the thread before them stores.
//
//===----------------------------------------------------------------------===//

#include "KernelVectorBody.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <set>

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t threadsPerBlock = 128;
/// Terms in straight code, and registers for what they read.
constexpr int64_t mostTerms = 64, mostWords = 128;
/// From a load that mostly hits a cache to what needs it, in seconds.
constexpr double cacheSeconds = 0.15e-6;

struct WindowPlan {
  /// The loop of neighbouring threads.
  int lane = -1;
  /// The parallel loop of which a thread has `places` iterations; -1 for none.
  int slide = -1;
  int64_t places = 1;
  /// Reduction loops in straight code, and those around it.
  SmallVector<int> straight, outer;
  /// Of one thread's straight code: terms, loads and their bytes.
  int64_t terms = 1, loads = 0, bytes = 0;
};

/// By loop: the factor of it in `expr`; empty where that is not linear.
SmallVector<int64_t> factorsOf(AffineExpr expr, unsigned loops) {
  SmallVector<int64_t> factors(loops, 0);
  int64_t constant = 0;
  if (failed(linearize(expr, 1, constant, factors)))
    return {};
  return factors;
}

class WindowPlanner {
public:
  WindowPlanner(linalg::LinalgOp op, const GpuTarget &target)
      : op(op), target(target), extents(op.getStaticLoopRanges()) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<MemRefType>(input->get().getType()) &&
          op.payloadUsesValueFromOperand(input))
        inputs.push_back(input);
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
      (type == utils::IteratorType::reduction ? reductions : parallels)
          .push_back(int(loop));
  }

  /// Nothing where no input is read through windows.
  std::optional<WindowPlan> plan(int64_t lanes) const;
  /// The most lanes that divide the extent, of which inputs are neighbours, and
  /// that leave the chip enough threads.
  int64_t mostLanes() const;

  double outputs() const;

private:
  double enoughThreads() const {
    return 256.0 * double(target.multiprocessors);
  }
  void count(WindowPlan &plan) const;

  mutable linalg::LinalgOp op; // interfaces have no const methods
  const GpuTarget &target;
  SmallVector<int64_t> extents;
  SmallVector<OpOperand *> inputs;
  SmallVector<int> reductions, parallels;
};

/// Calls `visit` with all ivs of `loops`, the last one running fastest.
void overIvs(ArrayRef<int> loops, ArrayRef<int64_t> extents,
             SmallVectorImpl<int64_t> &ivs, function_ref<void()> visit) {
  if (loops.empty())
    return visit();
  for (int64_t iv = 0; iv < extents[loops[0]]; ++iv) {
    ivs[loops[0]] = iv;
    overIvs(loops.drop_front(), extents, ivs, visit);
  }
  ivs[loops[0]] = 0;
}

int laneLoopOf(linalg::LinalgOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return int(cast<AffineDimExpr>(map.getResults().back()).getPosition());
}
} // namespace

double WindowPlanner::outputs() const {
  double number = 1;
  for (int loop : parallels)
    number *= ShapedType::isDynamic(extents[loop]) ? double(assumedExtent)
                                                   : double(extents[loop]);
  return number;
}

int64_t WindowPlanner::mostLanes() const {
  int64_t lanes = 8, extent = extents[laneLoopOf(op)];
  for (OpOperand &operand : op->getOpOperands())
    lanes = std::min<int64_t>(lanes, 16 / elementBytes(getElementTypeOrSelf(
                                              operand.get().getType())));
  while (lanes > 1 && (ShapedType::isDynamic(extent) || extent % lanes != 0 ||
                       outputs() < enoughThreads() * double(lanes)))
    lanes /= 2;
  for (OpOperand *input : inputs) {
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<int64_t> factors =
        map.getNumResults() == 0
            ? SmallVector<int64_t>()
            : factorsOf(map.getResults().back(), extents.size());
    for (auto [loop, factor] : llvm::enumerate(factors))
      if (factors[laneLoopOf(op)] != 0 &&
          factor != (int(loop) == laneLoopOf(op)))
        return 1;
  }
  return std::max<int64_t>(lanes, 1);
}

void WindowPlanner::count(WindowPlan &plan) const {
  plan.terms = plan.places;
  for (int loop : plan.straight)
    plan.terms *= extents[loop];
  plan.loads = plan.bytes = 0;
  for (OpOperand *input : inputs) {
    AffineMap map = op.getMatchingIndexingMap(input);
    std::set<SmallVector<int64_t>> elements;
    SmallVector<int64_t> ivs(extents.size(), 0);
    overIvs(plan.straight, extents, ivs, [&] {
      for (int64_t place = 0; place < plan.places; ++place) {
        if (plan.slide >= 0)
          ivs[plan.slide] = place;
        elements.insert(map.compose(ivs));
      }
    });
    plan.loads += int64_t(elements.size());
    plan.bytes += int64_t(elements.size()) *
                  elementBytes(getElementTypeOrSelf(input->get().getType()));
  }
}

std::optional<WindowPlan> WindowPlanner::plan(int64_t lanes) const {
  WindowPlan plan;
  plan.lane = laneLoopOf(op);
  bool isWindowed = false;
  int window = -1;
  for (OpOperand *input : inputs)
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      SmallVector<int64_t> factors = factorsOf(expr, extents.size());
      if (factors.empty())
        return std::nullopt;
      for (int slide : parallels)
        for (int along : reductions) {
          if (factors[slide] == 0 || factors[along] == 0)
            continue;
          isWindowed = true;
          // The longer window saves more.
          if (slide != plan.lane && extents[along] * lanes <= mostTerms &&
              (window < 0 || extents[along] >= extents[window])) {
            window = along;
            plan.slide = slide;
          }
        }
    }
  if (!isWindowed)
    return std::nullopt;

  // Inner reductions are in straight code as long as that is short.
  int64_t terms = window < 0 ? 1 : extents[window];
  plan.outer = reductions;
  auto toStraight = [&](int loop) {
    llvm::erase(plan.outer, loop);
    plan.straight.push_back(loop);
  };
  if (window >= 0)
    toStraight(window);
  while (!plan.outer.empty() && terms * extents[plan.outer.back()] <= 16) {
    terms *= extents[plan.outer.back()];
    toStraight(plan.outer.back());
  }
  llvm::sort(plan.straight);
  count(plan);
  if (plan.slide < 0)
    return plan;

  // As many places as leave the chip enough threads.
  double vectors = outputs() / double(lanes);
  int64_t extent = extents[plan.slide];
  for (int64_t places : {2, 4, 8}) {
    WindowPlan more = plan;
    more.places = places;
    if (ShapedType::isDynamic(extent) || extent < places ||
        vectors < enoughThreads() * double(places))
      break;
    count(more);
    if (more.terms > mostTerms || more.bytes * lanes > 4 * mostWords)
      break;
    plan = more;
  }
  return plan;
}

namespace {
class WindowEmitter {
public:
  WindowEmitter(KernelEmitter &emit, const LoopNest &nest,
                const WindowPlan &plan, int64_t lanes)
      : emit(emit), nest(nest), plan(plan), lanes(lanes),
        ivs(nest.extents.size(), emit.constant(0)),
        place(nest.extents.size(), 0) {
    for (Index extent : nest.extents)
      extents.push_back(LoopEmitter::known(extent).value_or(0));
  }

  void run() {
    SmallVector<int> loops = nest.loops(false);
    llvm::erase(loops, plan.slide);
    llvm::erase(loops, plan.lane);
    if (plan.slide >= 0)
      loops.push_back(plan.slide);
    loops.push_back(plan.lane);
    SmallVector<Index> sizes;
    for (int loop : loops) {
      Index size = nest.extents[loop];
      sizes.push_back(loop == plan.lane    ? emit.div(size, lanes)
                      : loop == plan.slide ? emit.ceilDiv(size, plan.places)
                                           : size);
    }
    emit.launchOver("window", sizes, threadsPerBlock,
                    [&](Index, ArrayRef<Index> at) {
                      for (auto [loop, iv] : llvm::zip(loops, at))
                        ivs[loop] = iv;
                      ivs[plan.lane] = emit.mul(ivs[plan.lane], lanes);
                      compute();
                    });
  }

private:
  /// The thread's outputs.
  void compute() {
    Index own = emit.constant(0);
    if (plan.slide >= 0) {
      own = emit.mul(ivs[plan.slide], plan.places);
      first = own;
      if (extents[plan.slide] % plan.places != 0)
        first = emit.min(own, emit.constant(extents[plan.slide] - plan.places));
    }
    SmallVector<Value> sums;
    overPlaces([&](int64_t) {
      KernelVectorBody body(emit, nest, plan.lane, lanes);
      for (auto [i, result] : llvm::enumerate(nest.results()))
        sums.push_back(
            lanes > 1 ? body.broadcast(body.loadResult(i, ivs, std::nullopt))
                      : load(result));
    });
    sums = reduce(plan.outer, sums);
    size_t results = nest.results().size();
    overPlaces([&](int64_t number) {
      ValueRange here =
          ValueRange(sums).slice(size_t(number) * results, results);
      if (plan.slide < 0 || first == own)
        return store(here);
      emit.branch(emit.lessEqual(own, ivs[plan.slide]), [&] { store(here); });
    });
  }

  void overPlaces(function_ref<void(int64_t)> visit) {
    for (int64_t number = 0; number < plan.places; ++number) {
      if (plan.slide >= 0) {
        place[plan.slide] = number;
        ivs[plan.slide] = emit.add(first, emit.constant(number));
      }
      visit(number);
    }
  }

  SmallVector<Value> reduce(ArrayRef<int> outer, ValueRange sums) {
    if (outer.empty())
      return terms(sums);
    int loop = outer.front();
    return emit.loop(emit.constant(0), nest.extents[loop], emit.constant(1),
                     sums, [&](Index iv, ValueRange carried) {
                       ivs[loop] = iv;
                       return reduce(outer.drop_front(), carried);
                     });
  }

  /// Adds the terms of the loops in straight code.
  SmallVector<Value> terms(ValueRange given) {
    SmallVector<Value> sums(given);
    std::map<std::pair<unsigned, SmallVector<int64_t>>, Value> loaded;
    linalg::LinalgOp op = nest.getOp();
    size_t results = nest.results().size();
    overIvs(plan.straight, extents, place, [&] {
      for (int loop : plan.straight)
        ivs[loop] = emit.constant(place[loop]);
      overPlaces([&](int64_t number) {
        KernelVectorBody body(emit, nest, plan.lane, lanes);
        SmallVector<Value> inputs;
        for (unsigned i = 0; i < nest.numInputs(); ++i) {
          OpOperand &operand = op->getOpOperand(i);
          Value &input = inputs.emplace_back();
          if (!op.payloadUsesValueFromOperand(&operand))
            continue;
          Value &element =
              loaded[{i, op.getMatchingIndexingMap(&operand).compose(place)}];
          if (!element)
            element =
                lanes > 1 ? body.loadInput(i, ivs) : load(nest.operands[i]);
          input = element;
          if (lanes > 1)
            body.bindInput(i, input);
        }
        auto mine = MutableArrayRef<Value>(sums).slice(size_t(number) * results,
                                                       results);
        SmallVector<Value> next =
            lanes > 1 ? body.run(ivs, mine, std::nullopt)
                      : runScalarBody(emit, nest, ivs, inputs, mine);
        for (auto [sum, value] : llvm::zip(mine, next))
          sum = lanes > 1 ? body.broadcast(value) : value;
      });
    });
    return sums;
  }

  Value load(const NestOperand &operand) {
    if (operand.scalar)
      return operand.scalar;
    return memref::LoadOp::create(emit.builder, emit.loc, operand.flat,
                                  nest.address(emit, operand, ivs));
  }

  void store(ValueRange values) {
    KernelVectorBody body(emit, nest, plan.lane, lanes);
    for (auto [i, value] : llvm::enumerate(values)) {
      const NestOperand &result = nest.results()[i];
      if (lanes > 1)
        body.store(i, value, ivs, std::nullopt);
      else
        memref::StoreOp::create(emit.builder, emit.loc, value, result.flat,
                                nest.address(emit, result, ivs));
    }
  }

  KernelEmitter &emit;
  const LoopNest &nest;
  const WindowPlan &plan;
  int64_t lanes;
  SmallVector<Index> ivs;
  /// Extents, 0 where unknown; ivs of loops in straight code and the number of
  /// the place, others 0.
  SmallVector<int64_t> extents, place;
  /// The first place that is computed.
  Index first;
};

class Window : public Schedule {
public:
  StringRef name() const override { return "window"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureBufferSemantics() ||
        linalgOp.getNumReductionLoops() == 0 ||
        linalgOp.getNumParallelLoops() == 0 || linalgOp.getNumDpsInits() == 0 ||
        !hasLoopNest(linalgOp))
      return std::nullopt;
    for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != linalgOp.getNumParallelLoops())
        return std::nullopt;
    }
    double iterations = 1;
    SmallVector<int64_t> extents = linalgOp.getStaticLoopRanges();
    for (auto [extent, type] :
         llvm::zip(extents, linalgOp.getIteratorTypesArray())) {
      if (type == utils::IteratorType::parallel)
        continue;
      if (ShapedType::isDynamic(extent) || extent == 0)
        return std::nullopt;
      iterations *= double(extent);
    }
    WindowPlanner planner(linalgOp, target);
    int64_t lanes = planner.mostLanes();
    double outputs = planner.outputs();
    std::optional<WindowPlan> plan = planner.plan(lanes);
    if (!plan)
      return std::nullopt;
    double threads = outputs / double(lanes * plan->places);
    double filled = std::min(1.0, threads / (512.0 * target.multiprocessors));
    double steps = iterations * double(plan->places) / double(plan->terms);
    // Windows that overlap meet in caches, which have several times the rate of
    // memory.
    double memory = bytesMoved(linalgOp) / (0.8 * target.copyBytesPerSecond);
    double caches = steps * threads * double(plan->bytes * lanes) /
                    (4 * target.copyBytesPerSecond);
    double arithmetic = 2 * outputs * iterations / (0.5 * target.scalarFlops);
    Estimate estimate;
    estimate.seconds = target.launchSeconds + steps * cacheSeconds +
                       std::max({memory, caches, arithmetic}) / filled;
    llvm::raw_string_ostream out(estimate.reason);
    out << plan->places << " places of " << lanes << " lanes per thread, "
        << plan->loads << " loads for " << plan->terms << " terms";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    rewriter.setInsertionPoint(op);
    KernelEmitter emitter(rewriter, op);
    FailureOr<LoopNest> nest = makeLoopNest(linalgOp, emitter, /*merge=*/false);
    if (failed(nest))
      return op->emitOpError("has no linear addresses");
    WindowPlanner planner(linalgOp, target);
    int64_t lanes = 1;
    if (VectorBody::isSupported(linalgOp, /*allLanesExist=*/true))
      lanes =
          std::min(planner.mostLanes(),
                   surelyAlignedLanes(emitter, *nest, laneLoopOf(linalgOp), 1));
    std::optional<WindowPlan> plan = planner.plan(lanes);
    WindowEmitter(emitter, *nest, *plan, lanes).run();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createWindowSchedule() {
  return std::make_unique<Window>();
}
