//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that a loop which
// sorts by as many steps as there are elements (SortNetwork.h) does so by a
// network of log2(n) (log2(n) + 1) / 2 steps, in place, with the same result:
// elements that no comparison tells apart stay in their order, because their
// places before are compared last.
//
// The network is Batcher's bitonic one in the form in which every comparison
// puts the smaller element first (Batcher, Sorting networks and their
// applications, 1968): blocks of 2^p sorted elements are merged in pairs, the
// first step comparing each element with its mirror image. So elements behind
// the end can be thought of as larger than all others and need not be there.
//
//===----------------------------------------------------------------------===//

#include "Schedules/ScalarNest.h"
#include "SortNetwork.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace shardir {
#define GEN_PASS_DEF_RECOGNIZESORTS
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// A block sorts rows up to this by itself; the steps of longer ones are
/// kernels.
constexpr int64_t longestRowOfBlock = 16384;

class NetworkEmitter {
public:
  NetworkEmitter(RewriterBase &rewriter, scf::ForOp loop,
                 const SortMatch &match)
      : builder(rewriter), loop(loop), match(match), loc(loop.getLoc()) {}

  /// The sorted tensors.
  SmallVector<Value> run() {
    SmallVector<Value> tensors;
    for (unsigned tensor : match.tensors)
      tensors.push_back(loop.getInitArgs()[tensor]);
    auto type = cast<RankedTensorType>(tensors[0].getType());
    at.resize(type.getRank());
    tensors.push_back(places(type.getShape()));
    int64_t steps = llvm::Log2_64_Ceil(uint64_t(match.extent));
    bool byRows = match.extent <= longestRowOfBlock;
    auto merge = [&](ValueRange given) {
      return nest(index(steps), given, [&](Value p, ValueRange given) {
        Value half = arith::ShLIOp::create(builder, loc, index(1), p);
        Value stages = arith::AddIOp::create(builder, loc, p, index(1));
        return nest(stages, given, [&](Value q, ValueRange given) {
          auto compare = [&](ValueRange given) {
            return compareAll(given, half, q, int64_t(1) << (steps - 1));
          };
          return byRows ? compare(given)
                        : rows(type.getShape(), 0, given, compare);
        });
      });
    };
    tensors =
        byRows ? rows(type.getShape(), 0, tensors, merge) : merge(tensors);
    tensors.pop_back();
    return tensors;
  }

private:
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// for (i = 0; i < extent; ++i), carrying tensors.
  SmallVector<Value> nest(Value extent, ValueRange given, Body body,
                          bool independent = false) {
    auto made =
        scf::ForOp::create(builder, loc, index(0), extent, index(1), given);
    if (independent)
      made->setAttr(kIndependentIterations, builder.getUnitAttr());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(made.getBody());
    scf::YieldOp::create(
        builder, loc, body(made.getInductionVar(), made.getRegionIterArgs()));
    return SmallVector<Value>(made.getResults());
  }

  /// Loops over the dims from `dim` on that are not sorted.
  SmallVector<Value> rows(ArrayRef<int64_t> shape, unsigned dim,
                          ValueRange given,
                          function_ref<SmallVector<Value>(ValueRange)> body) {
    if (dim == shape.size())
      return body(given);
    if (dim == match.dim)
      return rows(shape, dim + 1, given, body);
    return nest(index(shape[dim]), given, [&](Value iv, ValueRange inner) {
      at[dim] = iv;
      return rows(shape, dim + 1, inner, body);
    });
  }

  /// Where each element is before the sort.
  Value places(ArrayRef<int64_t> shape) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, builder.getI32Type());
    AffineMap map = builder.getMultiDimIdentityMap(shape.size());
    SmallVector<utils::IteratorType> loops(shape.size(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, TypeRange{empty.getType()}, ValueRange{},
               ValueRange{empty}, ArrayRef<AffineMap>{map}, loops,
               [&](OpBuilder &inner, Location loc, ValueRange) {
                 Value iv = linalg::IndexOp::create(inner, loc, match.dim);
                 Value place = arith::IndexCastOp::create(
                     inner, loc, inner.getI32Type(), iv);
                 linalg::YieldOp::create(inner, loc, place);
               })
        .getResult(0);
  }

  /// One step: pairs whose places differ by half >> q, or mirror each other in
  /// blocks of 2 half where q is 0.
  SmallVector<Value> compareAll(ValueRange given, Value half, Value q,
                                int64_t pairs) {
    Value one = index(1);
    Value distance = arith::ShRUIOp::create(builder, loc, half, q);
    Value below = arith::SubIOp::create(builder, loc, distance, one);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, q, index(0));
    return nest(
        index(pairs), given,
        [&](Value i, ValueRange inner) {
          Value offset = arith::AndIOp::create(builder, loc, i, below);
          Value block = arith::SubIOp::create(builder, loc, i, offset);
          Value start = arith::ShLIOp::create(builder, loc, block, one);
          Value left = arith::AddIOp::create(builder, loc, start, offset);
          Value other = arith::SelectOp::create(
              builder, loc, isFirst,
              arith::SubIOp::create(builder, loc, below, offset), offset);
          Value right = arith::AddIOp::create(
              builder, loc, start,
              arith::AddIOp::create(builder, loc, distance, other));
          Value exists =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                    right, index(match.extent));
          return choose(exists, inner, [&](ValueRange tensors) {
            return compare(tensors, left, right);
          });
        },
        /*independent=*/true);
  }

  /// if (condition) then(tensors).
  SmallVector<Value> choose(Value condition, ValueRange tensors,
                            function_ref<SmallVector<Value>(ValueRange)> then) {
    auto branch = scf::IfOp::create(builder, loc, tensors.getTypes(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, then(tensors));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, tensors);
    return SmallVector<Value>(branch.getResults());
  }

  SmallVector<Value> compare(ValueRange tensors, Value left, Value right) {
    SmallVector<Value> a, b;
    for (Value tensor : tensors) {
      a.push_back(read(tensor, left));
      b.push_back(read(tensor, right));
    }
    auto isBefore = [&](ArrayRef<Value> first, ArrayRef<Value> second) {
      std::map<const SortTerm *, Value> made;
      return emitTerm(
          builder, match.before,
          [&](int64_t tensor, int64_t offset) {
            return (offset == 1 ? first : second)[size_t(tensor)];
          },
          made);
    };
    Value later = isBefore(b, a), sooner = isBefore(a, b);
    Value isNot =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value equal = arith::XOrIOp::create(
        builder, loc, arith::OrIOp::create(builder, loc, later, sooner), isNot);
    Value order = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        b.back(), a.back());
    Value swaps = arith::OrIOp::create(
        builder, loc, later, arith::AndIOp::create(builder, loc, equal, order));
    return choose(swaps, tensors, [&](ValueRange given) {
      SmallVector<Value> next;
      for (auto [tensor, x, y] : llvm::zip(given, a, b))
        next.push_back(write(write(tensor, left, y), right, x));
      return next;
    });
  }

  Value read(Value tensor, Value place) {
    at[match.dim] = place;
    return tensor::ExtractOp::create(builder, loc, tensor, at);
  }
  Value write(Value tensor, Value place, Value value) {
    at[match.dim] = place;
    return tensor::InsertOp::create(builder, loc, value, tensor, at);
  }

  RewriterBase &builder;
  scf::ForOp loop;
  const SortMatch &match;
  Location loc;
  SmallVector<Value> at;
};

struct RecognizeSortsPass
    : shardir::impl::RecognizeSortsBase<RecognizeSortsPass> {
  using RecognizeSortsBase::RecognizeSortsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      SortTerms terms;
      std::optional<SortMatch> match = matchSort(loop, terms);
      if (!match)
        continue;
      if (explain)
        emitRemark(loop.getLoc())
            << "is a sort of " << match->tensors.size() << " tensors along dim "
            << match->dim << " of size " << match->extent
            << ": becomes a bitonic network";
      rewriter.setInsertionPoint(loop);
      SmallVector<Value> sorted = NetworkEmitter(rewriter, loop, *match).run();
      for (auto [tensor, value] : llvm::zip(match->tensors, sorted))
        rewriter.replaceAllUsesWith(loop.getResult(tensor), value);
      // What is left is a counter that nothing reads.
      rewriter.eraseOp(loop);
    }
  }
};
} // namespace
