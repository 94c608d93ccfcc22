//===- AttentionBackwardKernel.cpp - Attention's gradients by tiles -------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of stages as in the forward pass: a step waits for the oldest stage,
// starts the copies that replace the one that was read last, and works on it.
// Guarantees that nothing is read or written outside of an operand: where a row
// or a column does not exist the last one stands for it, and such a column
// adds 0. Every result is written by one thread, which adds it to what its init
// holds.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

FailureOr<BackwardProblem>
BackwardProblem::create(KernelEmitter &emit, kernel::AttentionBackwardOp op) {
  BackwardProblem result;
  result.op = op;
  result.wide = op.getComputeType();
  result.extents = op.getLoopExtents(emit.builder);
  NestOperands<kernel::AttentionBackwardOp> operand(emit, op);
  result.query = operand(op.getQueryMutable());
  result.key = operand(op.getKeyMutable());
  result.value = operand(op.getValueMutable());
  result.gradient = operand(op.getGradientMutable());
  for (OpOperand &extra : op.getExtrasMutable())
    result.extras.push_back(operand(extra));
  for (unsigned i = 0; i < 3; ++i)
    result.results[i] = operand(op->getOpOperand(op.getFirstInit() + i));
  if (operand.failedAny)
    return failure();
  auto axis = [&](ArrayRef<unsigned> loops) {
    return Axis::of(emit, loops, result.extents);
  };
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  // Positions before the query heads of a key head: steps that a mask hides
  // follow each other.
  AttentionMask mask = findMask(op);
  llvm::stable_sort(loops.m, [&](unsigned a, unsigned b) {
    return mask.runsAlong(a) && !mask.runsAlong(b);
  });
  result.batch = axis(loops.batch);
  result.rows = axis(loops.m);
  result.columns = axis(loops.n);
  result.k = axis(loops.k);
  result.v = axis(loops.v);
  return result;
}

BackwardKernel::BackwardKernel(KernelEmitter &emit,
                               const BackwardProblem &problem,
                               const BackwardPlan &plan,
                               const BackwardPart &part, bool approximate)
    : AttentionTiles(emit, plan.threads()), problem(problem), plan(plan),
      part(part), own(part.ofKeys ? problem.columns : problem.rows),
      other(part.ofKeys ? problem.rows : problem.columns),
      body(emit, problem.getOp(), problem.extras, own, other, approximate,
           mask) {
  const NestOperand &x = part.ofKeys ? problem.key : problem.query,
                    &y = part.ofKeys ? problem.value : problem.gradient,
                    &u = part.ofKeys ? problem.query : problem.key,
                    &w = part.ofKeys ? problem.gradient : problem.value;
  ownK = makeTile(x, own, plan.bm(), problem.k, plan.k, /*stages=*/1);
  ownV = makeTile(y, own, plan.bm(), problem.v, plan.v, /*stages=*/1);
  otherK = makeTile(u, other, plan.bn, problem.k, plan.k, plan.stages);
  otherV = makeTile(w, other, plan.bn, problem.v, plan.v, plan.stages);
  AttentionMask found = findMask(problem.getOp());
  auto isOfSlowest = [&](const Axis &axis) {
    return llvm::none_of(llvm::drop_begin(axis.loops),
                         [&](int loop) { return found.runsAlong(loop); });
  };
  if (isOfSlowest(own) && isOfSlowest(other))
    mask = std::move(found);
  for (unsigned i = 0; i < problem.extras.size(); ++i) {
    int64_t bytes = elementBytes(problem.extras[i].element);
    if (!problem.extras[i].scalar && (bytes == 4 || bytes == 8) &&
        body.dependence(i) == BackwardBody::OnOther)
      staged.push_back({i});
  }
}

Index BackwardKernel::rowAt(int64_t row) {
  Index inWarp = emit.add(emit.div(lane, 4), emit.constant(8 * row));
  return emit.add(rowStart, emit.add(emit.mul(warp, 16), inWarp));
}

Index BackwardKernel::columnAt(Index step, int64_t column) {
  Index start =
      emit.add(emit.mul(step, plan.bn), emit.mul(emit.rem(lane, 4), 2));
  return emit.add(start, emit.constant(column / 2 * 8 + column % 2));
}

Index BackwardKernel::inside(Index position, const Axis &axis, int64_t tile) {
  if (axis.isDividedBy(tile))
    return position;
  return emit.min(position, emit.sub(axis.extent, emit.constant(1)));
}

void BackwardKernel::load(const Step &step) {
  Index start = emit.mul(step.number, plan.bn);
  copy(otherK, step.stage, start, emit.constant(0));
  copy(otherV, step.stage, start, emit.constant(0));
  loadStaged(step.stage, start, emit.thread(), threads);
}

void BackwardKernel::loadStaged(Index stage, Index start, Index thread,
                                int64_t count) {
  if (staged.empty())
    return;
  OpBuilder &builder = emit.builder;
  Type token = nvgpu::DeviceAsyncTokenType::get(builder.getContext());
  auto one = [&](Index column) {
    SmallVector<Index> ivs(blockIvs);
    setIvs(ivs, other, inside(emit.add(start, column), other, plan.bn));
    Value to = emit.value(emit.add(emit.mul(stage, plan.bn), column));
    auto loaded = [&](unsigned extra) {
      return loadOf(problem.extras[extra], ivs);
    };
    for (const Staged &of : staged) {
      const NestOperand &extra = problem.extras[of.extra];
      if (const auto *quotient = body.quotientOf(of.extra)) {
        Value made = body.logarithm(*quotient, loaded);
        memref::StoreOp::create(builder, emit.loc, made, of.shared, to);
        continue;
      }
      nvgpu::DeviceAsyncCopyOp::create(
          builder, emit.loc, token, of.shared, to, extra.flat,
          emit.value(extra.address(emit, ivs)), builder.getIndexAttr(1),
          /*srcElements=*/Value(), /*bypassL1=*/UnitAttr());
    }
  };
  for (int64_t from = 0; from < plan.bn; from += count) {
    Index column = emit.add(thread, emit.constant(from));
    if (from + count <= plan.bn)
      one(column);
    else
      emit.branch(emit.lessThan(column, emit.constant(plan.bn)),
                  [&] { one(column); });
  }
}

bool BackwardKernel::asksGradient() const {
  auto asks = [&](unsigned which) {
    return body.yieldedDependence(which) & BackwardBody::OnGradient;
  };
  return (part.first && asks(1)) || (part.second && asks(0));
}

BackwardKernel::Bodies BackwardKernel::beginBodies(const Fragment &s,
                                                   const Step &step) {
  OpBuilder &builder = emit.builder;
  Bodies bodies(s.size());
  SmallVector<Index> ivs(blockIvs);
  for (int64_t j = 0; j < scoreTiles(); ++j) {
    // Neighbouring columns are read at once, late extras not yet.
    DenseMap<unsigned, Value> pairs;
    for (const Staged &of : staged)
      pairs[of.extra] = body.isLate(of.extra) ? Value() : pairOf(of, step, j);
    for (int64_t one = 0; one < 2; ++one) {
      Index column = columnAt(step.number, 2 * j + one);
      setIvs(ivs, other,
             step.visible ? column : inside(column, other, plan.bn));
      BackwardBody::Values values =
          body.runCommon(BackwardBody::OnOther, ivs, [&](unsigned extra) {
            auto staged = pairs.find(extra);
            if (staged == pairs.end())
              return loadOf(problem.extras[extra], ivs);
            Value pair = staged->second;
            return pair
                       ? vector::ExtractOp::create(builder, emit.loc, pair, one)
                             .getResult()
                       : Value();
          });
      for (int64_t row = 0; row < 2; ++row) {
        int64_t place = at(scoreTiles(), 0, j, row, one);
        bodies[place] = body.begin(
            rows[row], values, s[place], step.visible, [&](unsigned extra) {
              SmallVector<Index> both(ivs);
              setIvs(both, own, inside(rowAt(row), own, plan.bm()));
              return loadOf(problem.extras[extra], both);
            });
      }
    }
  }
  return bodies;
}

Value BackwardKernel::pairOf(const Staged &of, const Step &step,
                             int64_t eight) {
  Index from = emit.add(
      emit.mul(step.stage, plan.bn),
      emit.add(emit.mul(emit.rem(lane, 4), 2), emit.constant(8 * eight)));
  auto type = VectorType::get(2, problem.extras[of.extra].element);
  return vector::LoadOp::create(emit.builder, emit.loc, type, of.shared,
                                emit.value(from));
}

void BackwardKernel::endBodies(Bodies &bodies, const Fragment &dp,
                               const Step &step) {
  // Extras that gradients alone read are read now: they would take registers.
  for (const Staged &of : staged) {
    if (!body.isLate(of.extra))
      continue;
    for (int64_t j = 0; j < scoreTiles(); ++j) {
      Value pair = pairOf(of, step, j);
      for (int64_t one = 0; one < 2; ++one) {
        Value value =
            vector::ExtractOp::create(emit.builder, emit.loc, pair, one);
        for (int64_t row = 0; row < 2; ++row)
          body.give(bodies[at(scoreTiles(), 0, j, row, one)], of.extra, value);
      }
    }
  }
  for (auto [values, gradient] : llvm::zip_equal(bodies, dp))
    body.end(values, gradient);
}

Fragment BackwardKernel::yielded(const Bodies &bodies, unsigned which,
                                 const Step &step) {
  Fragment result;
  for (const BackwardBody::Values &values : bodies)
    result.push_back(body.yielded(values, which));
  if (step.visible || other.isDividedBy(plan.bn))
    return result;
  // The score of a column that does not exist is undefined, so its exponential
  // may be inf.
  for (int64_t column = 0; column < 2 * scoreTiles(); ++column) {
    Value exists = emit.lessThan(columnAt(step.number, column), other.extent);
    for (int64_t row = 0; row < 2; ++row) {
      Value &value = result[at(scoreTiles(), 0, column / 2, row, column % 2)];
      value = arith::SelectOp::create(emit.builder, emit.loc, exists, value,
                                      emit.zero(value.getType()));
    }
  }
  return result;
}

/// The positions along `axis` that its slowest loop advances by.
static Index positionsOf(KernelEmitter &emit, const Axis &axis) {
  Index product = emit.constant(1);
  for (Index extent : llvm::drop_begin(axis.extents))
    product = emit.mul(product, extent);
  return product;
}

/// Has `ranges` those of `count` positions of `axis` from `start` on, as far as
/// the slowest loop tells them apart.
static void setRange(KernelEmitter &emit, LoopRanges &ranges, const Axis &axis,
                     Index start, int64_t count) {
  Index inner = positionsOf(emit, axis);
  Index last = emit.add(start, emit.constant(count - 1));
  ranges.first[axis.loops[0]] = emit.div(start, inner);
  ranges.last[axis.loops[0]] = emit.div(last, inner);
}

LoopRanges BackwardKernel::blockRanges() {
  LoopRanges ranges;
  ranges.first.assign(problem.extents.size(), emit.constant(0));
  for (Index extent : problem.extents)
    ranges.last.push_back(emit.sub(extent, emit.constant(1)));
  for (int loop : problem.batch.loops)
    ranges.first[loop] = ranges.last[loop] = blockIvs[loop];
  int loop = own.loops[0];
  Index end = ranges.last[loop];
  setRange(emit, ranges, own, rowStart, plan.bm());
  if (!own.isDividedBy(plan.bm()))
    ranges.last[loop] = emit.min(ranges.last[loop], end);
  return ranges;
}

LoopRanges BackwardKernel::stepRanges(Index step) {
  LoopRanges ranges = blockRanges();
  setRange(emit, ranges, other, emit.mul(step, plan.bn), plan.bn);
  return ranges;
}

std::pair<Index, Index> BackwardKernel::visibleRange(const Axis &axis,
                                                     const LoopRanges &ranges) {
  Index zero = emit.constant(0), one = emit.constant(1);
  Index first = zero, end = axis.extents[0];
  auto isSimple = [](int64_t factor) { return factor >= -1 && factor <= 1; };
  for (const AttentionCondition &condition : mask.conditions) {
    int64_t factor = condition.loops[axis.loops[0]];
    // Blocks and steps must find the same of each other.
    if (!isSimple(condition.loops[own.loops[0]]) ||
        !isSimple(condition.loops[other.loops[0]]) || factor == 0)
      continue;
    Index most = greatestOf(emit, condition, ranges, axis.loops[0]);
    if (factor < 0)
      end = emit.min(end, emit.max(emit.add(most, one), zero));
    else
      first = emit.max(first, emit.sub(zero, most));
  }
  Index inner = positionsOf(emit, axis);
  return {emit.mul(first, inner), emit.mul(end, inner)};
}

Fragment BackwardKernel::runMaskedStep(Step step, const Fragment &sums) {
  bool columnsExist = other.isDividedBy(plan.bn);
  step.visible = columnsExist && mask.conditions.empty();
  // One test for the step saves one for each score, but its two cases take more
  // registers. With `copyWarps` that does not pay: products take longer than
  // instructions.
  if (mask.conditions.empty() || plan.copyWarps > 0)
    return runStep(step, sums);
  Value visible;
  LoopRanges ranges = stepRanges(step.number);
  if (!columnsExist)
    visible = emit.lessThan(ranges.last[other.loops[0]], other.extents[0]);
  for (const AttentionCondition &condition : mask.conditions)
    visible =
        emit.both(visible, emit.lessEqual(emit.constant(0),
                                          leastOf(emit, condition, ranges)));
  auto run = [&](bool full) {
    return [&, full] {
      step.visible = full;
      return runStep(step, sums);
    };
  };
  return emit.either(visible, run(true), run(false));
}

void BackwardKernel::store(const NestOperand &result, const Axis &axis,
                           int64_t extent, ArrayRef<Value> sums) {
  OpBuilder &builder = emit.builder;
  SmallVector<Index> ivs(blockIvs);
  for (int64_t row = 0; row < 2; ++row)
    ifInside(own, plan.bm(), rowAt(row), [&] {
      setIvs(ivs, own, rowAt(row));
      for (int64_t j = 0; j < extent / 8; ++j)
        for (int64_t one = 0; one < 2; ++one) {
          Index column = emit.add(emit.mul(emit.rem(lane, 4), 2),
                                  emit.constant(8 * j + one));
          ifInside(axis, extent, column, [&] {
            setIvs(ivs, axis, column);
            Value to = emit.value(result.address(emit, ivs));
            Value old =
                memref::LoadOp::create(builder, emit.loc, result.flat, to);
            Value sum = arith::AddFOp::create(
                builder, emit.loc, old, sums[at(extent / 8, 0, j, row, one)]);
            memref::StoreOp::create(builder, emit.loc, sum, result.flat, to);
          });
        }
    });
}

void BackwardKernel::placeBlock() {
  Index tiles = emit.ceilDiv(own.extent, plan.bm());
  batch = emit.div(emit.block(0), tiles);
  rowTile = emit.rem(emit.block(0), tiles);
  if (part.third) {
    // Blocks that follow each other belong to different batches: those of one
    // would all begin at its last step, and wait for their turns. So few
    // batches that their tiles stay in the L2 cache.
    constexpr int64_t most = 8;
    Index size = emit.mul(tiles, most);
    Index first = emit.mul(emit.div(emit.block(0), size), most);
    Index together =
        emit.min(emit.constant(most), emit.sub(problem.batch.extent, first));
    Index number = emit.rem(emit.block(0), size);
    batch = emit.add(first, emit.rem(number, together));
    rowTile = emit.div(number, together);
  }
  rowStart = emit.mul(rowTile, plan.bm());
  blockIvs.assign(problem.extents.size(), emit.constant(0));
  for (auto [loop, iv] : llvm::zip(problem.batch.loops,
                                   emit.decode(batch, problem.batch.extents)))
    blockIvs[loop] = iv;
}

void BackwardKernel::run(StringRef name) {
  Index blocks =
      emit.mul(problem.batch.extent, emit.ceilDiv(own.extent, plan.bm()));
  SharedLayout layout;
  for (Tile *tile : {&ownK, &ownV, &otherK, &otherV})
    takeShared(*tile, layout);
  takeMore(layout);
  for (Staged &of : staged)
    of.offset = layout.take(plan.stages * plan.bn *
                            elementBytes(problem.extras[of.extra].element));

  emit.launch(name, {blocks}, plan.blockThreads(), layout.bytes, [&] {
    placeBlock();
    lane = emit.rem(emit.thread(), 32);
    warp = emit.div(emit.thread(), 32);
    for (Tile *tile : {&ownK, &ownV, &otherK, &otherV})
      open(*tile, blockIvs);
    for (Staged &of : staged)
      of.shared = emit.shared(problem.extras[of.extra].element,
                              plan.stages * plan.bn, of.offset);
    prepare();
    stepBegin = emit.constant(0);
    stepEnd = emit.ceilDiv(other.extent, plan.bn);
    if (!mask.conditions.empty()) {
      auto [from, to] = visibleRange(other, blockRanges());
      stepBegin = emit.div(from, plan.bn);
      stepEnd = emit.ceilDiv(to, plan.bn);
    }
    runSteps(emit.max(emit.sub(stepEnd, stepBegin), emit.constant(0)));
  });
}

BackwardKernel::Step BackwardKernel::stepAt(Index ordinal) {
  // Backwards: the steps that are last are those that most blocks have where
  // later queries see more.
  Index number = part.third
                     ? emit.sub(emit.sub(stepEnd, emit.constant(1)), ordinal)
                     : emit.add(stepBegin, ordinal);
  return {number, ordinal, emit.rem(ordinal, plan.stages)};
}

Fragment BackwardKernel::zeroSums() {
  return Fragment(firsts() + seconds(), emit.zero(problem.wide));
}

void BackwardKernel::readRows() {
  for (int64_t row = 0; row < 2; ++row) {
    SmallVector<Index> ivs(blockIvs);
    setIvs(ivs, own, inside(rowAt(row), own, plan.bm()));
    rows.push_back(
        body.runCommon(BackwardBody::OnOwn, ivs, [&](unsigned extra) {
          return loadOf(problem.extras[extra], ivs);
        }));
  }
}

void BackwardKernel::runSteps(Index count) {
  Index zero = emit.constant(0);
  readRows();
  copy(ownK, zero, rowStart, zero);
  copy(ownV, zero, rowStart, zero);
  auto loadAt = [&](Index ordinal) {
    emit.branch(emit.lessThan(ordinal, count), [&] { load(stepAt(ordinal)); });
    return commit();
  };
  Value newest;
  for (int64_t stage = 0; stage < plan.stages - 1; ++stage)
    newest = loadAt(emit.constant(stage));
  SmallVector<Value> sums =
      emit.loop(zero, count, emit.constant(1), zeroSums(),
                [&](Index ordinal, ValueRange carried) {
                  wait(newest, plan.stages - 2);
                  beforeBarrier();
                  emit.barrier();
                  loadAt(emit.add(ordinal, emit.constant(plan.stages - 1)));
                  return runMaskedStep(stepAt(ordinal), Fragment(carried));
                });
  if (part.third)
    emit.branch(emit.lessThan(zero, count), [&] { afterSteps(); });
  finish(sums);
}

void BackwardKernel::finish(ValueRange sums) {
  Fragment all(sums);
  if (part.first)
    store(problem.results[part.ofKeys ? 1 : 0], problem.k, plan.k,
          ArrayRef(all).take_front(firsts()));
  if (part.second)
    store(problem.results[2], problem.v, plan.v,
          ArrayRef(all).take_back(seconds()));
}
