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
// time leave every loop with the buffers that it began with. Passes over the
// bytes of integers, from the last, do the same: each counts the elements of
// every byte, and puts them behind those of lesser ones (radix sort). Where
// slices read a few first elements, these are the sorted row so far, into which
// the others are inserted.
//
//===----------------------------------------------------------------------===//

#include "Common/ScalarBody.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/ExternalModels/IndexedAccess.h"
#include "SortForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// An insertion moves up to as many elements: beyond, rows that are in the
/// opposite order are sorted sooner.
constexpr int64_t mostSelected = 64;

/// How many first elements to select, if that is to be preferred to a sort.
static std::optional<int64_t> selectedCount(SortOp op) {
  std::optional<int64_t> count = leadingCount(op);
  int64_t extent = sortedExtent(op);
  if (!count || *count > mostSelected ||
      (!ShapedType::isDynamic(extent) && 2 * *count > extent))
    return std::nullopt;
  return count;
}

/// To count bytes takes as long as to merge so many elements.
constexpr int64_t fewestByDigits = 16;

static bool isByDigits(SortOp op) {
  int64_t extent = sortedExtent(op);
  return isDigitSort(op) &&
         (ShapedType::isDynamic(extent) || extent >= fewestByDigits);
}

namespace {
class SortEmitter {
public:
  SortEmitter(OpBuilder &builder, SortOp op, bool parallel, bool radix)
      : builder(builder), op(op), loc(op.getLoc()), parallel(parallel),
        selected(selectedCount(op)), radix(radix && isByDigits(op)) {}

  void run() {
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
    SmallVector<Value> targets(op.getInputs());
    SmallVector<OpFoldResult> sizes(extents);
    if (selected) {
      sizes[op.getDim()] = builder.getIndexAttr(*selected);
      for (Value &target : targets)
        target = tensor::EmptyOp::create(
            builder, loc, sizes,
            cast<RankedTensorType>(target.getType()).getElementType());
    } else if (!radix) {
      last = arith::SubIOp::create(builder, loc, count, one);
      passes = makePasses();
    }
    SmallVector<Value> sorted =
        parallel && shape.size() > 1 ? parallelRows(targets) : rows(0, targets);
    op->replaceAllUsesWith(sorted);
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
    Slice slice = sliceAt(position, resultExtent());
    SmallVector<Value> result;
    for (auto [row, tensor] : llvm::zip(sortRow(position, tensors), tensors))
      result.push_back(tensor::InsertSliceOp::create(builder, loc, row, tensor,
                                                     slice.offsets, slice.sizes,
                                                     slice.strides));
    return result;
  }

  /// The same with all rows at once.
  SmallVector<Value> parallelRows(ValueRange tensors) {
    SmallVector<OpFoldResult> counts(extents);
    counts.erase(counts.begin() + op.getDim());
    auto loop =
        scf::ForallOp::create(builder, loc, counts, tensors, std::nullopt);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Slice slice = sliceAt(loop.getInductionVars(), resultExtent());
    SmallVector<Value> sorted =
        sortRow(loop.getInductionVars(), loop.getRegionIterArgs());
    builder.setInsertionPointToStart(loop.getTerminator().getBody());
    for (auto [row, tensor] : llvm::zip(sorted, loop.getRegionIterArgs()))
      tensor::ParallelInsertSliceOp::create(
          builder, loc, row, tensor, slice.offsets, slice.sizes, slice.strides);
    return SmallVector<Value>(loop.getResults());
  }

  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };

  /// The extent of the results along the sorted dim.
  OpFoldResult resultExtent() {
    return selected ? builder.getIndexAttr(*selected) : extents[op.getDim()];
  }

  /// The first `extent` elements of the row at `place` along the dims that are
  /// not sorted.
  Slice sliceAt(ValueRange place, OpFoldResult extent) {
    Slice slice;
    slice.offsets.assign(place.begin(), place.end());
    slice.offsets.insert(slice.offsets.begin() + op.getDim(),
                         builder.getIndexAttr(0));
    slice.sizes.assign(shape.size(), builder.getIndexAttr(1));
    slice.strides = slice.sizes;
    slice.sizes[op.getDim()] = extent;
    return slice;
  }

  SmallVector<Value> extract(ValueRange tensors, const Slice &slice) {
    SmallVector<Value> rows;
    std::optional<int64_t> extent =
        getConstantIntValue(slice.sizes[op.getDim()]);
    for (Value tensor : tensors) {
      auto type = RankedTensorType::get(
          extent.value_or(ShapedType::kDynamic),
          cast<RankedTensorType>(tensor.getType()).getElementType());
      rows.push_back(tensor::ExtractSliceOp::create(builder, loc, type, tensor,
                                                    slice.offsets, slice.sizes,
                                                    slice.strides));
    }
    return rows;
  }

  /// The sorted row at `place`, in that of `tensors`, which holds the inputs
  /// unless elements are selected.
  SmallVector<Value> sortRow(ValueRange place, ValueRange tensors) {
    SmallVector<Value> row = extract(tensors, sliceAt(place, resultExtent()));
    if (!selected)
      return radix ? radixSort(row) : mergeSort(row);
    SmallVector<Value> inputs(op.getInputs());
    for (auto [target, first] :
         llvm::zip(row, extract(inputs, sliceAt(place, resultExtent()))))
      target = linalg::CopyOp::create(builder, loc, first, target).getResult(0);
    return select(extract(inputs, sliceAt(place, extents[op.getDim()])), row);
  }

  /// Inserts the elements of `row` into `leading`, of which the first are its
  /// own first ones.
  SmallVector<Value> select(ValueRange row, ValueRange leading) {
    Value most = constantIndex(builder, loc, *selected),
          least = constantIndex(builder, loc, *selected - 1);
    return loop(count, leading, [&](Value i, ValueRange given) {
      SmallVector<Value> elements = read(row, i);
      Value isLeading = arith::OrIOp::create(
          builder, loc, compare(builder, loc, CmpIPredicate::ult, i, most),
          isStrictlyBefore(builder, loc, op.getComparator(), elements,
                           read(given, least)));
      auto branch = scf::IfOp::create(builder, loc, given.getTypes(), isLeading,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, given);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value end = arith::MinUIOp::create(builder, loc, i, least);
      scf::YieldOp::create(builder, loc, insert(elements, given, end));
      return SmallVector<Value>(branch.getResults());
    });
  }

  /// Inserts `elements` into the first `end` of `leading`, behind all that they
  /// are not before. The next one is lost.
  SmallVector<Value> insert(ValueRange elements, ValueRange leading,
                            Value end) {
    Value at = loop(end, zero, [&](Value i, ValueRange given) {
      Value isBefore = isStrictlyBefore(builder, loc, op.getComparator(),
                                        elements, read(leading, i));
      Value next = arith::AddIOp::create(builder, loc, given[0], one);
      return SmallVector<Value>{
          arith::SelectOp::create(builder, loc, isBefore, given[0], next)};
    })[0];
    Value moved = arith::SubIOp::create(builder, loc, end, at);
    SmallVector<Value> shifted =
        loop(moved, leading, [&](Value i, ValueRange given) {
          Value to = arith::SubIOp::create(builder, loc, end, i);
          Value from = arith::SubIOp::create(builder, loc, to, one);
          return write(read(given, from), to, given);
        });
    return write(elements, at, shifted);
  }

  SmallVector<Value> write(ValueRange elements, Value at, ValueRange tensors) {
    SmallVector<Value> written;
    for (auto [element, tensor] : llvm::zip_equal(elements, tensors))
      written.push_back(
          tensor::InsertOp::create(builder, loc, element, tensor, at));
    return written;
  }

  SmallVector<Value> read(ValueRange tensors, Value at) {
    return llvm::map_to_vector(tensors, [&](Value tensor) -> Value {
      return tensor::ExtractOp::create(builder, loc, tensor, at);
    });
  }

  /// The tensors of `row`, and as many scratch ones.
  SmallVector<Value> withScratch(ValueRange row) {
    SmallVector<Value> carried(row);
    for (Value tensor : row) {
      auto type = cast<RankedTensorType>(tensor.getType());
      carried.push_back(tensor::EmptyOp::create(
          builder, loc, extents[op.getDim()], type.getElementType()));
    }
    return carried;
  }

  SmallVector<Value> radixSort(ValueRange row) {
    size_t half = row.size();
    SmallVector<Value> carried = withScratch(row);
    carried.push_back(tensor::EmptyOp::create(
        builder, loc, ArrayRef<int64_t>{256}, builder.getIndexType()));
    unsigned width =
        cast<RankedTensorType>(row[0].getType()).getElementTypeBitWidth();
    carried =
        loop(constantIndex(builder, loc, width / 16), carried,
             [&](Value pass, ValueRange given) {
               Value byte = arith::ShLIOp::create(builder, loc, pass, one);
               auto [there, counts] =
                   distribute(given.take_front(half), given.slice(half, half),
                              given.back(), byte);
               auto [back, reused] =
                   distribute(there, given.take_front(half), counts,
                              arith::AddIOp::create(builder, loc, byte, one));
               llvm::append_range(back, there);
               back.push_back(reused);
               return back;
             });
    carried.truncate(half);
    return carried;
  }

  /// Sorts `from` by a byte of its integers into `to`. The places of the next
  /// elements of each byte are in `counts`.
  std::pair<SmallVector<Value>, Value>
  distribute(ValueRange from, ValueRange to, Value counts, Value byte) {
    auto integer = cast<IntegerType>(
        cast<RankedTensorType>(from[0].getType()).getElementType());
    auto constant = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(integer, value));
    };
    unsigned width = integer.getWidth();
    Value sign = constant(APInt::getSignedMinValue(width)),
          mask = constant(APInt(width, 255)),
          shift = arith::IndexCastOp::create(
              builder, loc, integer,
              arith::ShLIOp::create(builder, loc, byte,
                                    constantIndex(builder, loc, 3)));
    auto byteOf = [&](Value key) -> Value {
      key = arith::XOrIOp::create(builder, loc, key, sign);
      key = arith::ShRUIOp::create(builder, loc, key, shift);
      return arith::IndexCastUIOp::create(
          builder, loc, builder.getIndexType(),
          arith::AndIOp::create(builder, loc, key, mask));
    };
    Value values = constantIndex(builder, loc, 256);
    SmallVector<Value> carried =
        loop(values, counts, [&](Value value, ValueRange given) {
          return write(zero, value, given);
        });
    carried = loop(count, carried, [&](Value i, ValueRange given) {
      Value value = byteOf(read(from[0], i)[0]);
      Value more =
          arith::AddIOp::create(builder, loc, read(given, value)[0], one);
      return write(more, value, given);
    });
    carried = {zero, carried[0]};
    carried = loop(values, carried, [&](Value value, ValueRange given) {
      Value next = arith::AddIOp::create(builder, loc, given[0],
                                         read(given[1], value)[0]);
      return SmallVector<Value>{next, write(given[0], value, given[1])[0]};
    });
    carried.erase(carried.begin());
    llvm::append_range(carried, to);
    carried = loop(count, carried, [&](Value i, ValueRange given) {
      SmallVector<Value> elements = read(from, i);
      Value value = byteOf(elements[0]);
      Value at = read(given[0], value)[0];
      SmallVector<Value> next = write(
          Value(arith::AddIOp::create(builder, loc, at, one)), value, given[0]);
      llvm::append_range(next, write(elements, at, given.drop_front()));
      return next;
    });
    return {SmallVector<Value>(ArrayRef(carried).drop_front()), carried[0]};
  }

  SmallVector<Value> mergeSort(ValueRange row) {
    SmallVector<Value> carried = withScratch(row);
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
      SmallVector<Value> lefts = read(from, leftAt),
                         rights = read(from, rightAt);
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
  std::optional<int64_t> selected; ///< this many first elements alone
  bool radix;
  ArrayRef<int64_t> shape;
  SmallVector<OpFoldResult> extents;
  Value zero, one, count, last, passes;
  SmallVector<Value> position; ///< along the dims that are not sorted
};

struct IndexedOpsToLoopsPass
    : shardir::impl::IndexedOpsToLoopsBase<IndexedOpsToLoopsPass> {
  using IndexedOpsToLoopsBase::IndexedOpsToLoopsBase;

  void lowerSort(OpBuilder &builder, SortOp op) {
    int64_t extent = sortedExtent(op);
    if (extent == 0 || extent == 1)
      op->replaceAllUsesWith(op.getInputs());
    else
      SortEmitter(builder, op, parallel, radix).run();
  }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder builder(op);
      if (auto scatter = dyn_cast<ScatterRowsOp>(op))
        scatter.getResult().replaceAllUsesWith(lowerScatter(builder, scatter));
      else if (auto sort = dyn_cast<SortOp>(op))
        lowerSort(builder, sort);
      else
        return;
      op->erase();
    });
  }
};
} // namespace
