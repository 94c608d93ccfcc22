//===- IndexedOpsToLoops.cpp - Scatters and sorts as loops ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that no
// shardir.scatter and no shardir.sort is left. A scatter becomes loops over its
// rows, in order, each of which combines one window in place. A sort becomes a
// merge sort of each row along the sorted dim: runs of 1, 2, 4, … elements are
// merged in pairs, from the tensor to a scratch one and back. Two passes at a
// time leave every loop with the buffers that it began with.
//
//===----------------------------------------------------------------------===//

#include "Common/ScalarBody.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/ExternalModels/IndexedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace shardir {
#define GEN_PASS_DEF_INDEXEDOPSTOLOOPS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using arith::CmpIPredicate;

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value compare(OpBuilder &builder, Location loc, CmpIPredicate predicate,
                     Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static Value lowerScatter(OpBuilder &builder, ScatterRowsOp op) {
  auto locate = [&](OpBuilder &b, Location l, ValueRange at) {
    ElementPosition position{SmallVector<Value>(at), {}};
    for (int64_t dim : op.getIndexDims()) {
      // A negative number is a large one.
      Value within = compare(b, l, CmpIPredicate::ult, at[dim],
                             tensor::DimOp::create(b, l, op.getInit(), dim));
      position.isHere =
          position.isHere ? arith::AndIOp::create(b, l, position.isHere, within)
                          : within;
    }
    return position;
  };
  auto combine = [&](OpBuilder &b, Location l, Value slice,
                     Value old) -> Value {
    auto type = cast<RankedTensorType>(old.getType());
    if (type.getRank() == 0) {
      Value values[] = {tensor::ExtractOp::create(b, l, slice, ValueRange()),
                        tensor::ExtractOp::create(b, l, old, ValueRange())};
      return tensor::InsertOp::create(
          b, l, inlineScalarBody(b, op.getCombiner(), values), old,
          ValueRange());
    }
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, l, type, slice, old, maps, iterators,
               [&](OpBuilder &inner, Location, ValueRange args) {
                 linalg::YieldOp::create(
                     inner, l, inlineScalarBody(inner, op.getCombiner(), args));
               })
        .getResult(0);
  };
  return buildScatter(builder, op.getLoc(), op.getUpdates(), op.getInit(),
                      op.getIndices(), op.getIndexDims(), locate,
                      op.getBatchDims(), combine);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

namespace {
class SortEmitter {
public:
  SortEmitter(OpBuilder &builder, SortOp op, bool parallel)
      : builder(builder), op(op), loc(op.getLoc()), parallel(parallel) {}

  SmallVector<Value> run() {
    shape = cast<RankedTensorType>(op.getInputs()[0].getType()).getShape();
    for (auto [dim, extent] : llvm::enumerate(shape))
      extents.push_back(
          ShapedType::isDynamic(extent)
              ? OpFoldResult(
                    tensor::DimOp::create(builder, loc, op.getInputs()[0], dim)
                        .getResult())
              : OpFoldResult(builder.getIndexAttr(extent)));
    zero = constantIndex(builder, loc, 0);
    one = constantIndex(builder, loc, 1);
    count = valueOf(extents[op.getDim()]);
    last = arith::SubIOp::create(builder, loc, count, one);
    passes = makePasses();
    return parallel && shape.size() > 1 ? parallelRows()
                                        : rows(0, op.getInputs());
  }

private:
  Value valueOf(OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(builder, loc, extent);
  }

  /// for (i = 0; i < end; ++i), carrying values.
  SmallVector<Value>
  loop(Value end, ValueRange given,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto made = scf::ForOp::create(builder, loc, zero, end, one, given);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(made.getBody());
    scf::YieldOp::create(
        builder, loc, body(made.getInductionVar(), made.getRegionIterArgs()));
    return SmallVector<Value>(made.getResults());
  }

  /// Half as many as there are doublings of runs, rounded up.
  Value makePasses() {
    int64_t extent = shape[op.getDim()];
    if (!ShapedType::isDynamic(extent))
      return constantIndex(builder, loc,
                           (llvm::Log2_64_Ceil(uint64_t(extent)) + 1) / 2);
    // log2(n), rounded up, is 64 - ctlz(n - 1); of nothing it is 64, and then
    // there is nothing to do in a pass.
    Type i64 = builder.getI64Type();
    Value zeros = math::CountLeadingZerosOp::create(
        builder, loc, arith::IndexCastOp::create(builder, loc, i64, last));
    Value doublings =
        arith::SubIOp::create(builder, loc, constantIndex(builder, loc, 65),
                              arith::IndexCastOp::create(
                                  builder, loc, builder.getIndexType(), zeros));
    return arith::ShRUIOp::create(builder, loc, doublings, one);
  }

  /// Loops over the dims from `dim` on that are not sorted.
  SmallVector<Value> rows(uint64_t dim, ValueRange tensors) {
    if (dim == op.getDim())
      return rows(dim + 1, tensors);
    if (dim < shape.size())
      return loop(valueOf(extents[dim]), tensors,
                  [&](Value number, ValueRange inner) {
                    position.push_back(number);
                    SmallVector<Value> sorted = rows(dim + 1, inner);
                    position.pop_back();
                    return sorted;
                  });
    Slice slice = sliceAt(position);
    SmallVector<Value> result;
    for (auto [row, tensor] :
         llvm::zip(sortRow(extract(tensors, slice)), tensors))
      result.push_back(tensor::InsertSliceOp::create(builder, loc, row, tensor,
                                                     slice.offsets, slice.sizes,
                                                     slice.strides));
    return result;
  }

  /// The same with all rows at once.
  SmallVector<Value> parallelRows() {
    SmallVector<OpFoldResult> counts(extents);
    counts.erase(counts.begin() + op.getDim());
    auto loop = scf::ForallOp::create(builder, loc, counts, op.getInputs(),
                                      std::nullopt);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Slice slice = sliceAt(loop.getInductionVars());
    SmallVector<Value> sorted =
        sortRow(extract(loop.getRegionIterArgs(), slice));
    builder.setInsertionPointToStart(loop.getTerminator().getBody());
    for (auto [row, tensor] : llvm::zip(sorted, loop.getRegionIterArgs()))
      tensor::ParallelInsertSliceOp::create(
          builder, loc, row, tensor, slice.offsets, slice.sizes, slice.strides);
    return SmallVector<Value>(loop.getResults());
  }

  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };

  /// The row at `place` along the dims that are not sorted.
  Slice sliceAt(ValueRange place) {
    Slice slice;
    slice.offsets.assign(place.begin(), place.end());
    slice.offsets.insert(slice.offsets.begin() + op.getDim(),
                         builder.getIndexAttr(0));
    slice.sizes.assign(shape.size(), builder.getIndexAttr(1));
    slice.strides = slice.sizes;
    slice.sizes[op.getDim()] = extents[op.getDim()];
    return slice;
  }

  SmallVector<Value> extract(ValueRange tensors, const Slice &slice) {
    SmallVector<Value> rows;
    for (Value tensor : tensors) {
      auto type = RankedTensorType::get(
          shape[op.getDim()],
          cast<RankedTensorType>(tensor.getType()).getElementType());
      rows.push_back(tensor::ExtractSliceOp::create(builder, loc, type, tensor,
                                                    slice.offsets, slice.sizes,
                                                    slice.strides));
    }
    return rows;
  }

  SmallVector<Value> sortRow(ValueRange row) {
    SmallVector<Value> carried(row);
    for (Value tensor : row) {
      auto type = cast<RankedTensorType>(tensor.getType());
      carried.push_back(tensor::EmptyOp::create(
          builder, loc, extents[op.getDim()], type.getElementType()));
    }
    size_t half = row.size();
    carried = loop(passes, carried, [&](Value pass, ValueRange given) {
      Value run = arith::ShLIOp::create(
          builder, loc, one, arith::ShLIOp::create(builder, loc, pass, one));
      SmallVector<Value> there =
          merge(given.take_front(half), given.drop_front(half), run);
      SmallVector<Value> back =
          merge(there, given.take_front(half),
                arith::ShLIOp::create(builder, loc, run, one));
      llvm::append_range(back, there);
      return back;
    });
    carried.truncate(half);
    return carried;
  }

  /// Merges pairs of runs of `run` elements of `from` into `to`.
  SmallVector<Value> merge(ValueRange from, ValueRange to, Value run) {
    Value pair = arith::ShLIOp::create(builder, loc, run, one);
    Value mask = arith::SubIOp::create(builder, loc, pair, one);
    SmallVector<Value> carried = {zero, zero};
    llvm::append_range(carried, to);
    carried = loop(count, carried, [&](Value i, ValueRange given) {
      auto least = [&](Value a, Value b) {
        return arith::MinUIOp::create(builder, loc, a, b);
      };
      auto select = [&](Value condition, Value a, Value b) {
        return arith::SelectOp::create(builder, loc, condition, a, b);
      };
      Value offset = arith::AndIOp::create(builder, loc, i, mask);
      Value start = arith::SubIOp::create(builder, loc, i, offset);
      Value middle =
          least(arith::AddIOp::create(builder, loc, start, run), count);
      Value end =
          least(arith::AddIOp::create(builder, loc, start, pair), count);
      Value isStart = compare(builder, loc, CmpIPredicate::eq, offset, zero);
      Value left = select(isStart, start, given[0]);
      Value right = select(isStart, middle, given[1]);
      // A run at its end is not taken from, but read like the other one.
      Value leftAt = least(left, last), rightAt = least(right, last);
      SmallVector<Value> lefts, rights;
      for (Value tensor : from) {
        lefts.push_back(
            tensor::ExtractOp::create(builder, loc, tensor, leftAt));
        rights.push_back(
            tensor::ExtractOp::create(builder, loc, tensor, rightAt));
      }
      Value rightFirst =
          isStrictlyBefore(builder, loc, op.getComparator(), rights, lefts);
      Value leftEnds = compare(builder, loc, CmpIPredicate::uge, left, middle);
      Value takesRight = arith::AndIOp::create(
          builder, loc, compare(builder, loc, CmpIPredicate::ult, right, end),
          arith::OrIOp::create(builder, loc, leftEnds, rightFirst));
      SmallVector<Value> next = {
          select(takesRight, left,
                 arith::AddIOp::create(builder, loc, left, one)),
          select(takesRight, arith::AddIOp::create(builder, loc, right, one),
                 right)};
      for (auto [target, l, r] : llvm::zip(given.drop_front(2), lefts, rights))
        next.push_back(tensor::InsertOp::create(
            builder, loc, select(takesRight, r, l), target, i));
      return next;
    });
    carried.erase(carried.begin(), carried.begin() + 2);
    return carried;
  }

  OpBuilder &builder;
  SortOp op;
  Location loc;
  bool parallel;
  ArrayRef<int64_t> shape;
  SmallVector<OpFoldResult> extents;
  Value zero, one, count, last, passes;
  SmallVector<Value> position; ///< along the dims that are not sorted
};

struct IndexedOpsToLoopsPass
    : shardir::impl::IndexedOpsToLoopsBase<IndexedOpsToLoopsPass> {
  using IndexedOpsToLoopsBase::IndexedOpsToLoopsBase;

  SmallVector<Value> lowerSort(OpBuilder &builder, SortOp op) {
    auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
    int64_t extent = type.getDimSize(op.getDim());
    if (extent == 0 || extent == 1)
      return SmallVector<Value>(op.getInputs());
    return SortEmitter(builder, op, parallel).run();
  }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      SmallVector<Value> made;
      if (auto scatter = dyn_cast<ScatterRowsOp>(op))
        made = {lowerScatter(builder, scatter)};
      else if (auto sort = dyn_cast<SortOp>(op))
        made = lowerSort(builder, sort);
      else
        return;
      op->replaceAllUsesWith(made);
      op->erase();
    });
  }
};
} // namespace
