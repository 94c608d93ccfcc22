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

std::pair<Value, Value> shardir::pairOfNetwork(OpBuilder &builder, Location loc,
                                               Value number, Value half,
                                               Value q) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0),
        one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value distance = arith::ShRUIOp::create(builder, loc, half, q);
  Value below = arith::SubIOp::create(builder, loc, distance, one);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, q, zero);
  Value offset = arith::AndIOp::create(builder, loc, number, below);
  Value block = arith::SubIOp::create(builder, loc, number, offset);
  Value start = arith::ShLIOp::create(builder, loc, block, one);
  Value left = arith::AddIOp::create(builder, loc, start, offset);
  Value other = arith::SelectOp::create(
      builder, loc, isFirst, arith::SubIOp::create(builder, loc, below, offset),
      offset);
  Value right = arith::AddIOp::create(
      builder, loc, start,
      arith::AddIOp::create(builder, loc, distance, other));
  return {left, right};
}

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
    shape = cast<RankedTensorType>(tensors[0].getType()).getShape();
    at.resize(shape.size());
    tensors.push_back(places());
    for (auto [i, key] : llvm::enumerate(match.keys)) {
      if (!key.barrier)
        continue;
      if (i > 0)
        tensors = network(tensors, i);
      parts[i] = tensors.size();
      tensors.push_back(countBarriers(tensors, key.barrier));
    }
    tensors = network(tensors, match.keys.size());
    tensors.truncate(match.tensors.size());
    return tensors;
  }

private:
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;

  /// Sorts by the first `keys` keys and the places.
  SmallVector<Value> network(ValueRange tensors, size_t keys) {
    numKeys = keys;
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
          return byRows ? compare(given) : rows(0, given, compare);
        });
      });
    };
    return byRows ? rows(0, tensors, merge) : merge(tensors);
  }

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
  SmallVector<Value> rows(unsigned dim, ValueRange given,
                          function_ref<SmallVector<Value>(ValueRange)> body) {
    if (dim == shape.size())
      return body(given);
    if (dim == match.dim)
      return rows(dim + 1, given, body);
    return nest(index(shape[dim]), given, [&](Value iv, ValueRange inner) {
      at[dim] = iv;
      return rows(dim + 1, inner, body);
    });
  }

  /// Where each element is before the sort.
  Value places() {
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

  /// How many barriers there are up to each element and with it. Elements with
  /// equal earlier keys lie together, so between those the count tells on which
  /// side of their barriers they are; a barrier itself is the first of its
  /// part.
  Value countBarriers(ArrayRef<Value> tensors, const SortTerm *key) {
    Type type = builder.getI32Type();
    Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
    Value none =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    return rows(0, empty, [&](ValueRange counts) {
      SmallVector<Value> counted =
          nest(index(match.extent), {none, counts[0]},
               [&](Value place, ValueRange given) -> SmallVector<Value> {
                 std::map<const SortTerm *, Value> made;
                 Value value = emitTerm(
                     builder, key,
                     [&](int64_t tensor, int64_t) {
                       return read(tensors[size_t(tensor)], place);
                     },
                     made);
                 Value isNaN = arith::CmpFOp::create(
                     builder, loc, arith::CmpFPredicate::UNO, value, value);
                 Value count = arith::AddIOp::create(
                     builder, loc, given[0],
                     arith::ExtUIOp::create(builder, loc, type, isNaN));
                 return {count, write(given[1], place, count)};
               });
      return SmallVector<Value>{counted[1]};
    })[0];
  }

  /// One step.
  SmallVector<Value> compareAll(ValueRange given, Value half, Value q,
                                int64_t pairs) {
    return nest(
        index(pairs), given,
        [&](Value i, ValueRange inner) {
          auto [left, right] = pairOfNetwork(builder, loc, i, half, q);
          Value exists =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                    right, index(match.extent));
          return choose(exists, inner,
                        [&, first = left, second = right](ValueRange tensors) {
                          return compare(tensors, first, second);
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
    Value later = isBefore(b, a), sooner = isBefore(a, b);
    Value isNot =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value equal = arith::XOrIOp::create(
        builder, loc, arith::OrIOp::create(builder, loc, later, sooner), isNot);
    Value order =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              b[match.tensors.size()], a[match.tensors.size()]);
    Value swaps = arith::OrIOp::create(
        builder, loc, later, arith::AndIOp::create(builder, loc, equal, order));
    return choose(swaps, tensors, [&](ValueRange given) {
      SmallVector<Value> next;
      for (auto [tensor, x, y] : llvm::zip(given, a, b))
        next.push_back(write(write(tensor, left, y), right, x));
      return next;
    });
  }

  /// Whether the keys put the elements `first` before `second`.
  Value isBefore(ArrayRef<Value> first, ArrayRef<Value> second) {
    std::map<const SortTerm *, Value> made;
    auto emit = [&](const SortTerm *term) {
      return emitTerm(
          builder, term,
          [&](int64_t tensor, int64_t offset) {
            return (offset == 1 ? first : second)[size_t(tensor)];
          },
          made);
    };
    auto decide = [&](Value less, Value equal, Value rest) -> Value {
      return arith::OrIOp::create(
          builder, loc, less, arith::AndIOp::create(builder, loc, equal, rest));
    };
    Value before;
    for (size_t i = numKeys; i-- > 0;) {
      const SortKey &key = match.keys[i];
      Value less = emit(key.less);
      before = before ? decide(less, emit(key.equal), before) : less;
      auto part = parts.find(i);
      if (part == parts.end())
        continue;
      auto compare = [&](arith::CmpIPredicate predicate) -> Value {
        return arith::CmpIOp::create(builder, loc, predicate,
                                     first[part->second], second[part->second]);
      };
      before = decide(compare(arith::CmpIPredicate::slt),
                      compare(arith::CmpIPredicate::eq), before);
    }
    return before;
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
  ArrayRef<int64_t> shape;
  SmallVector<Value> at;
  /// How many keys the network being emitted compares.
  size_t numKeys = 0;
  /// By key with barriers: the tensor that counts them.
  std::map<size_t, size_t> parts;
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
