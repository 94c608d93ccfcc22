//===- AttentionBackwardUnits.cpp - Products of attention's gradients -----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward kernels' five products: by mma.sync for 16-bit operands, where
// two eights of columns of scores are the A fragment of the next product, so
// that nothing of them leaves registers; by fused multiply-adds for all others,
// where they go through shared memory, of which each warp has its own rows.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {

/// Kernels whose products are done when they are asked for.
class DirectBackward : public BackwardKernel {
public:
  using BackwardKernel::BackwardKernel;

protected:
  /// Products of the own `left`'s rows and of `right`'s in `stage`, summed over
  /// `extent` of their second axes.
  virtual Fragment scores(const Tile &left, const Tile &right, Index stage,
                          int64_t extent) = 0;
  /// Adds to `sums`, of `extent` columns, the products of `factors` and
  /// `right`'s part in `stage`. `slot` is 0 for ds, 1 for p.
  virtual void accumulate(ArrayRef<Value> factors, int64_t slot,
                          const Tile &right, Index stage, int64_t extent,
                          Fragment &sums) = 0;

private:
  Fragment runStep(const Step &step, const Fragment &sums) override {
    Index stage = step.stage;
    Fragment s = scores(ownK, otherK, stage, plan.k);
    Bodies bodies = beginBodies(s, step);
    endBodies(bodies,
              asksGradient() ? scores(ownV, otherV, stage, plan.v)
                             : Fragment(s.size(), emit.zero(problem.wide)),
              step);
    Fragment made(ArrayRef(sums).take_front(firsts())),
        more(ArrayRef(sums).take_back(seconds()));
    if (part.first)
      accumulate(yielded(bodies, 1, step), 0, otherK, stage, plan.k, made);
    if (part.second)
      accumulate(yielded(bodies, 0, step), 1, otherV, stage, plan.v, more);
    llvm::append_range(made, more);
    return made;
  }
};

class FmaBackward : public DirectBackward {
public:
  FmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
              const BackwardPlan &plan, const BackwardPart &part)
      : DirectBackward(emit, problem, plan, part, /*approximate=*/false) {}

private:
  int64_t pitch() const { return plan.bn + quad; }

  void takeMore(SharedLayout &layout) override {
    int64_t bytes = plan.bm() * pitch() * elementBytes(problem.wide);
    for (int64_t slot : {0, 1})
      if (slot == 0 ? part.first : part.second)
        offsets[slot] = layout.take(bytes);
  }

  void prepare() override {
    for (int64_t slot : {0, 1})
      if (slot == 0 ? part.first : part.second)
        slots[slot] =
            emit.shared(problem.wide, plan.bm() * pitch(), offsets[slot]);
    warpRow = emit.mul(warp, 16);
  }

  Fragment scores(const Tile &left, const Tile &right, Index stage,
                  int64_t extent) override {
    return multiply(left, warpRow, /*rows=*/2, right, stage, scoreTiles(),
                    extent);
  }

  void accumulate(ArrayRef<Value> factors, int64_t slot, const Tile &right,
                  Index stage, int64_t extent, Fragment &sums) override {
    OpBuilder &builder = emit.builder;
    Index pairs = emit.mul(emit.rem(lane, 4), 2);
    auto type = VectorType::get(2, problem.wide);
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t j = 0; j < scoreTiles(); ++j) {
        SmallVector<Value> two;
        for (int64_t one = 0; one < 2; ++one)
          two.push_back(widened(factors[at(scoreTiles(), 0, j, row, one)]));
        Value vector =
            vector::FromElementsOp::create(builder, emit.loc, type, two);
        Index to = emit.add(emit.mul(rowBehind(warpRow, row), pitch()),
                            emit.add(pairs, emit.constant(8 * j)));
        vector::StoreOp::create(builder, emit.loc, vector, slots[slot],
                                emit.value(to));
      }
    // The next writes come behind the next step's barrier.
    emit.barrier();
    auto quads = VectorType::get(quad, problem.wide);
    int64_t tiles = extent / 8;
    sums = emit.loop(
        emit.constant(0), emit.constant(plan.bn), emit.constant(quad), sums,
        [&](Index k, ValueRange carried) {
          SmallVector<Value> result(carried);
          SmallVector<Value> rows;
          for (int64_t row = 0; row < 2; ++row) {
            Index from =
                emit.add(emit.mul(rowBehind(warpRow, row), pitch()), k);
            rows.push_back(vector::LoadOp::create(
                builder, emit.loc, quads, slots[slot], emit.value(from)));
          }
          for (int64_t e = 0; e < quad; ++e) {
            SmallVector<Value> own;
            for (Value of : rows)
              own.push_back(
                  vector::ExtractOp::create(builder, emit.loc, of, e));
            for (int64_t j = 0; j < tiles; ++j) {
              SmallVector<Value> columns =
                  read(right, stage, emit.add(k, emit.constant(e)),
                       emit.add(pairs, emit.constant(8 * j)), 2,
                       /*alongFirst=*/false);
              for (int64_t row = 0; row < 2; ++row)
                for (int64_t one = 0; one < 2; ++one) {
                  Value &sum = result[at(tiles, 0, j, row, one)];
                  sum = multiplyAdd(own[row], columns[one], sum);
                }
            }
          }
          return result;
        });
  }

  int64_t offsets[2] = {0, 0};
  Value slots[2];
  Index warpRow;
};

class MmaBackward : public DirectBackward {
public:
  MmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
              const BackwardPlan &plan, const BackwardPart &part)
      : DirectBackward(emit, problem, plan, part, /*approximate=*/true) {}

private:
  Fragment scores(const Tile &left, const Tile &right, Index stage,
                  int64_t extent) override {
    Fragment sums(4 * scoreTiles(), emit.zero(problem.wide));
    Index zero = emit.constant(0);
    for (int64_t k = 0; k < extent; k += 16) {
      SmallVector<Value> rows =
          fragments(left, zero, emit.mul(warp, 16), k, /*kFirst=*/false,
                    /*outerFirst=*/true);
      for (int64_t j = 0; j < scoreTiles(); j += 2) {
        SmallVector<Value> columns =
            fragments(right, stage, emit.constant(8 * j), k, /*kFirst=*/false,
                      /*outerFirst=*/false);
        for (int64_t one = 0; one < 2; ++one)
          product(right.operand.element, rows,
                  ArrayRef(columns).slice(2 * one, 2),
                  &sums[at(scoreTiles(), 0, j + one, 0, 0)]);
      }
    }
    return sums;
  }

  void accumulate(ArrayRef<Value> factors, int64_t, const Tile &right,
                  Index stage, int64_t extent, Fragment &sums) override {
    Type element = right.operand.element;
    auto pair = [&](int64_t j, int64_t half) {
      Value two = vector::FromElementsOp::create(
          emit.builder, emit.loc, VectorType::get(2, element),
          factors.slice(at(scoreTiles(), 0, j, half, 0), 2));
      return wordOf(two);
    };
    int64_t tiles = extent / 8;
    for (int64_t k = 0; k < plan.bn; k += 16) {
      SmallVector<Value> rows = {pair(k / 8, 0), pair(k / 8, 1),
                                 pair(k / 8 + 1, 0), pair(k / 8 + 1, 1)};
      for (int64_t j = 0; j < tiles; j += 2) {
        SmallVector<Value> columns =
            fragments(right, stage, emit.constant(8 * j), k, /*kFirst=*/true,
                      /*outerFirst=*/false);
        for (int64_t one = 0; one < 2; ++one)
          product(element, rows, ArrayRef(columns).slice(2 * one, 2),
                  &sums[at(tiles, 0, j + one, 0, 0)]);
      }
    }
  }
};

} // namespace

std::string shardir::backwardKernelName(StringRef unit,
                                        const BackwardPart &part) {
  if (part.third)
    return (unit + "_all").str();
  return (unit + (!part.ofKeys   ? "_queries"
                  : !part.second ? "_keys"
                  : !part.first  ? "_values"
                                 : "_keys_values"))
      .str();
}

void shardir::emitFmaBackward(KernelEmitter &emit,
                              const BackwardProblem &problem,
                              const BackwardPlan &plan,
                              const BackwardPart &part) {
  FmaBackward(emit, problem, plan, part).run(backwardKernelName("fma", part));
}

void shardir::emitMmaBackward(KernelEmitter &emit,
                              const BackwardProblem &problem,
                              const BackwardPlan &plan,
                              const BackwardPart &part) {
  MmaBackward(emit, problem, plan, part).run(backwardKernelName("mma", part));
}
