//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that a shardir.sort
// along a dim of static size is a network of log2(n) (log2(n) + 1) / 2 steps,
// in place: elements that no comparison tells apart stay in their order,
// because their places before are compared last.
//
// The network is Batcher's bitonic one in the form in which every comparison
// puts the smaller element first (Batcher, Sorting networks and their
// applications, 1968): blocks of 2^p sorted elements are merged in pairs, the
// first step comparing each element with its mirror image. So elements behind
// the end can be thought of as larger than all others and need not be there.
//
//===----------------------------------------------------------------------===//

#include "Common/ScalarBody.h"
#include "Schedules/Loops/ScalarNest.h"
#include "SortNetwork.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace shardir {
#define GEN_PASS_DEF_SORTSTONETWORKS
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
  NetworkEmitter(RewriterBase &rewriter, SortOp op)
      : builder(rewriter), op(op), loc(op.getLoc()), dim(op.getDim()),
        shape(cast<RankedTensorType>(op.getInputs()[0].getType()).getShape()),
        at(shape.size()) {}

  /// The sorted tensors.
  SmallVector<Value> run() {
    SmallVector<Value> tensors(op.getInputs());
    sizes = tensor::getMixedSizes(builder, loc, tensors[0]);
    tensors.push_back(places());
    tensors = network(tensors);
    tensors.pop_back();
    return tensors;
  }

private:
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;

  SmallVector<Value> network(ValueRange tensors) {
    int64_t steps = llvm::Log2_64_Ceil(uint64_t(shape[dim]));
    bool byRows = shape[dim] <= longestRowOfBlock;
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

  /// Loops over the dims from `from` on that are not sorted.
  SmallVector<Value> rows(unsigned from, ValueRange given,
                          function_ref<SmallVector<Value>(ValueRange)> body) {
    if (from == shape.size())
      return body(given);
    if (from == dim)
      return rows(from + 1, given, body);
    Value extent = getValueOrCreateConstantIndexOp(builder, loc, sizes[from]);
    return nest(extent, given, [&](Value iv, ValueRange inner) {
      at[from] = iv;
      return rows(from + 1, inner, body);
    });
  }

  /// Where each element is before the sort.
  Value places() {
    Value empty =
        tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
    AffineMap map = builder.getMultiDimIdentityMap(shape.size());
    SmallVector<utils::IteratorType> loops(shape.size(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, TypeRange{empty.getType()}, ValueRange{},
               ValueRange{empty}, ArrayRef<AffineMap>{map}, loops,
               [&](OpBuilder &inner, Location loc, ValueRange) {
                 Value iv = linalg::IndexOp::create(inner, loc, dim);
                 Value place = arith::IndexCastOp::create(
                     inner, loc, inner.getI32Type(), iv);
                 linalg::YieldOp::create(inner, loc, place);
               })
        .getResult(0);
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
                                    right, index(shape[dim]));
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

  /// True if the comparator puts the elements `first` before `second`, whose
  /// last ones are their places.
  Value isBefore(ArrayRef<Value> first, ArrayRef<Value> second) {
    return isStrictlyBefore(builder, loc, op.getComparator(), first.drop_back(),
                            second.drop_back());
  }

  Value read(Value tensor, Value place) {
    at[dim] = place;
    return tensor::ExtractOp::create(builder, loc, tensor, at);
  }
  Value write(Value tensor, Value place, Value value) {
    at[dim] = place;
    return tensor::InsertOp::create(builder, loc, value, tensor, at);
  }

  RewriterBase &builder;
  SortOp op;
  Location loc;
  unsigned dim;
  ArrayRef<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> at;
};

struct SortsToNetworksPass
    : shardir::impl::SortsToNetworksBase<SortsToNetworksPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](SortOp op) {
      auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
      if (type.isDynamicDim(op.getDim()) || type.getDimSize(op.getDim()) < 2)
        return;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, NetworkEmitter(rewriter, op).run());
    });
  }
};
} // namespace
