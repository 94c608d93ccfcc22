//===- SortRowsByGroup.cpp - Rows of each group side by side --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, behind shardir-fuse-for-cpu. Requires nothing;
// guarantees that products of rows with the weights of the group that each row
// chose (Common/RowGroups.h) read rows which lie group by group, and have
// bounds for masks.
//
// A program says `groupOf[m] == g`, so that devices which hold some of the rows
// need no others. A device sorts its own rows once; what is computed row by row
// between two such products is computed on the sorted ones.
//
//===----------------------------------------------------------------------===//

#include "Common/RowGroups.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "SortForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {
#define GEN_PASS_DEF_SORTROWSBYGROUP
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// A product, some inputs of which are zero in rows of other groups.
struct ChosenProduct {
  linalg::LinalgOp op;
  /// By input; those that are not masked have no select.
  SmallVector<ChosenGroups> inputs;
  ChosenGroups groups;
};

/// A tensor whose rows lie along `dim`.
using Rows = std::pair<Value, int64_t>;

/// The order of one choice of groups, and the tensors that lie in it.
struct Order {
  /// The row that comes at each place, and the place of each row.
  Value rows, places;
  DenseMap<Rows, Value> sorted;
};
} // namespace

static std::optional<unsigned> dimOf(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

/// Whether the map computes its elements from those of its operands alone: the
/// one index that it reads is that of the group, in the mask.
static bool readsNoPlaces(linalg::LinalgOp map, const ChosenGroups &groups) {
  std::optional<unsigned> group = dimOf(groups.mapToOp, groups.group);
  auto isOfMask = [&](linalg::IndexOp index) {
    return index.getDim() == group && index->hasOneUse();
  };
  return group && dimOf(groups.mapToOp, groups.row) &&
         llvm::all_of(map.getBlock()->getOps<linalg::IndexOp>(), isOfMask);
}

static std::optional<ChosenProduct> matchChosenProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() || !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  ChosenProduct product;
  product.op = op;
  bool found = false;
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input) {
    auto map = op->getOperand(input).getDefiningOp<linalg::LinalgOp>();
    std::optional<ChosenGroups> groups = map && map->getNumResults() == 1
                                             ? matchChosenGroups(op, input, map)
                                             : std::nullopt;
    if (groups &&
        (!isa<linalg::GenericOp>(map) || !readsNoPlaces(map, *groups)))
      groups = std::nullopt;
    product.inputs.push_back(groups.value_or(ChosenGroups()));
    if (!groups)
      continue;
    if (found && (groups->row != product.groups.row ||
                  groups->group != product.groups.group ||
                  groups->groupOf != product.groups.groupOf ||
                  groups->firstGroup != product.groups.firstGroup))
      return std::nullopt;
    product.groups = *groups;
    found = true;
  }
  // Sorted sums begin with the same value in each row.
  bool hasRows =
      dimOf(op.getIndexingMapsArray().back(), product.groups.row).has_value();
  if (!found ||
      (hasRows && !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>()))
    return std::nullopt;
  return product;
}

namespace {
class RowSorter {
public:
  RowSorter(MLIRContext *context) : builder(context) {}

  void rewrite(const ChosenProduct &product);

private:
  Order &orderOf(Value groupOf, Block *block);
  Value sorted(Order &order, Rows rows);
  bool isComputedFromSorted(Order &order, Rows rows);
  Value readAt(Value places, Rows rows);
  Value masked(const ChosenProduct &product, Order &order, unsigned input,
               Value from, Value to);
  Value countRows(const ChosenGroups &groups, Value extent,
                  arith::CmpIPredicate predicate, Location loc);

  OpBuilder builder;
  /// By the groups and the block of the products: sorted tensors of one block
  /// may not be there in another.
  DenseMap<std::pair<Value, Block *>, Order> orders;
};
} // namespace

/// The op's operands, if each row of its result comes of the same rows of
/// them: with the dim of the rows, or -1 where an operand has none.
static SmallVector<Rows> rowsOfOperands(linalg::GenericOp op, int64_t dim) {
  if (!op || op.getNumParallelLoops() != op.getNumLoops() ||
      op.getNumResults() != 1 || op.hasIndexSemantics() ||
      op.payloadUsesValueFromOperand(&op.getDpsInitsMutable()[0]))
    return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps.back().isProjectedPermutation())
    return {};
  unsigned loop = maps.back().getDimPosition(dim);
  SmallVector<Rows> operands;
  for (auto [value, map] : llvm::zip(op.getInputs(), maps)) {
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return {};
    std::optional<unsigned> at = dimOf(map, loop);
    operands.push_back({value, at ? int64_t(*at) : -1});
  }
  return operands;
}

/// A slice that has all rows of its source.
static tensor::ExtractSliceOp sliceOfAllRows(Rows rows) {
  auto slice = rows.first.getDefiningOp<tensor::ExtractSliceOp>();
  bool isWhole = slice && !slice.getDroppedDims().any() &&
                 isConstantIntValue(slice.getMixedOffsets()[rows.second], 0) &&
                 isConstantIntValue(slice.getMixedStrides()[rows.second], 1) &&
                 !slice.getSourceType().isDynamicDim(rows.second) &&
                 slice.getSourceType().getDimSize(rows.second) ==
                     slice.getType().getDimSize(rows.second);
  return isWhole ? slice : tensor::ExtractSliceOp();
}

bool RowSorter::isComputedFromSorted(Order &order, Rows rows) {
  if (order.sorted.contains(rows))
    return true;
  if (tensor::ExtractSliceOp slice = sliceOfAllRows(rows))
    return isComputedFromSorted(order, {slice.getSource(), rows.second});
  return llvm::any_of(
      rowsOfOperands(rows.first.getDefiningOp<linalg::GenericOp>(),
                     rows.second),
      [&](Rows operand) {
        return operand.second >= 0 && isComputedFromSorted(order, operand);
      });
}

/// `rows` in the sorted order.
Value RowSorter::sorted(Order &order, Rows rows) {
  if (Value known = order.sorted.lookup(rows))
    return known;
  Value result;
  Location loc = rows.first.getLoc();
  if (!isComputedFromSorted(order, rows)) {
    result = readAt(order.rows, rows);
  } else if (tensor::ExtractSliceOp slice = sliceOfAllRows(rows)) {
    Value source = sorted(order, {slice.getSource(), rows.second});
    result = tensor::ExtractSliceOp::create(
        builder, loc, slice.getType(), source, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  } else {
    auto op = rows.first.getDefiningOp<linalg::GenericOp>();
    SmallVector<Value> operands;
    for (Rows operand : rowsOfOperands(op, rows.second))
      operands.push_back(operand.second < 0 ? operand.first
                                            : sorted(order, operand));
    llvm::append_range(operands, op.getDpsInits());
    result = clone(builder, op, op->getResultTypes(), operands)->getResult(0);
  }
  order.sorted[rows] = result;
  return result;
}

/// The rows that `places` has the numbers of.
Value RowSorter::readAt(Value places, Rows rows) {
  auto [tensor, dim] = rows;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  AffineMap map = AffineMap::get(rank, 0, builder.getAffineDimExpr(dim));
  return readAtPlaces(builder, tensor.getLoc(), tensor, dim, places, map);
}

Order &RowSorter::orderOf(Value groupOf, Block *block) {
  auto [it, isNew] = orders.try_emplace({groupOf, block});
  Order &order = it->second;
  if (!isNew)
    return order;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(groupOf);
  Location loc = groupOf.getLoc();
  order.rows = sortPlaces(builder, loc, groupOf, /*dim=*/0);
  order.places = sortPlaces(builder, loc, order.rows, /*dim=*/0);
  return order;
}

/// For each group how many rows have chosen one that compares so with it.
Value RowSorter::countRows(const ChosenGroups &groups, Value extent,
                           arith::CmpIPredicate predicate, Location loc) {
  Type type = cast<RankedTensorType>(groups.groupOf.getType()).getElementType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  Value empty =
      tensor::EmptyOp::create(builder, loc, OpFoldResult(extent), type);
  Value none = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps = {
      AffineMap::get(2, 0, getAffineDimExpr(1, context)),
      AffineMap::get(2, 0, getAffineDimExpr(0, context))};
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel,
                                                utils::IteratorType::reduction};
  return linalg::GenericOp::create(
             builder, loc, none.getType(), groups.groupOf, none, maps,
             iterators,
             [&](OpBuilder &b, Location l, ValueRange arguments) {
               Value g = linalg::IndexOp::create(b, l, 0);
               Value group = arith::IndexCastOp::create(b, l, type, g);
               if (groups.firstGroup) {
                 Value first = groups.firstGroup;
                 if (first.getType() != type)
                   first = arith::IndexCastOp::create(b, l, type, first);
                 group = arith::AddIOp::create(b, l, group, first);
               }
               Value counts =
                   arith::CmpIOp::create(b, l, predicate, arguments[0], group);
               Value one = arith::ExtUIOp::create(b, l, type, counts);
               Value sum = arith::AddIOp::create(b, l, arguments[1], one);
               linalg::YieldOp::create(b, l, sum);
             })
      .getResult(0);
}

/// The input with sorted rows, and a mask of bounds.
Value RowSorter::masked(const ChosenProduct &product, Order &order,
                        unsigned input, Value from, Value to) {
  const ChosenGroups &groups = product.inputs[input];
  auto map = product.op->getOperand(input).getDefiningOp<linalg::GenericOp>();
  Location loc = map.getLoc();
  unsigned numLoops = map.getNumLoops();
  auto loopOf = [&](unsigned ofOp) { return *dimOf(groups.mapToOp, ofOp); };
  unsigned row = loopOf(groups.row), group = loopOf(groups.group);
  auto withoutGroup = [&](AffineMap map) {
    SmallVector<AffineExpr> dims;
    for (unsigned loop = 0; loop < numLoops; ++loop)
      dims.push_back(loop == group
                         ? builder.getAffineConstantExpr(0)
                         : builder.getAffineDimExpr(loop - (loop > group)));
    return map.replaceDimsAndSymbols(dims, {}, numLoops - 1, 0);
  };
  // The elements, without the loop over groups.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<OpFoldResult> sizes;
  for (auto [value, read, argument] :
       llvm::zip(map.getInputs(), map.getIndexingMapsArray(),
                 map.getBody()->getArguments())) {
    std::optional<unsigned> dim = dimOf(read, row);
    bool isOfMask = value == groups.groupOf && argument.hasOneUse();
    inputs.push_back(dim && !isOfMask ? sorted(order, {value, *dim}) : value);
    maps.push_back(withoutGroup(read));
  }
  Value result = map->getResult(0);
  AffineMap made = map.getIndexingMapsArray().back();
  SmallVector<AffineExpr> own;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (loop == group)
      continue;
    own.push_back(builder.getAffineDimExpr(loop));
    sizes.push_back(tensor::getMixedSize(builder, loc, map.getDpsInits()[0],
                                         *dimOf(made, loop)));
  }
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  maps.push_back(builder.getMultiDimIdentityMap(numLoops - 1));
  SmallVector<utils::IteratorType> iterators(numLoops - 1,
                                             utils::IteratorType::parallel);
  auto elements = linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(map.getBody()->getArguments(), arguments);
        for (Operation &op : map.getBody()->without_terminator())
          if (&op != groups.select) {
            Operation *copy = b.clone(op, mapping);
            // That of the group, which the mask alone reads.
            if (auto index = dyn_cast<linalg::IndexOp>(copy))
              index.setDim(0);
          }
        arith::SelectOp select = groups.select;
        linalg::YieldOp::create(b, l,
                                mapping.lookupOrDefault(select.getTrueValue()));
      });

  MLIRContext *context = builder.getContext();
  AffineMap ofGroup =
      AffineMap::get(numLoops, 0, builder.getAffineDimExpr(group));
  Type bound = cast<RankedTensorType>(from.getType()).getElementType();
  return linalg::GenericOp::create(
             builder, loc, result.getType(),
             ValueRange{elements.getResult(0), from, to}, map.getDpsInits()[0],
             ArrayRef<AffineMap>{AffineMap::get(numLoops, 0, own, context),
                                 ofGroup, ofGroup, made},
             map.getIteratorTypesArray(),
             [&](OpBuilder &b, Location l, ValueRange arguments) {
               Value i = linalg::IndexOp::create(b, l, row);
               Value m = arith::IndexCastOp::create(b, l, bound, i);
               Value isBehind = arith::CmpIOp::create(
                   b, l, arith::CmpIPredicate::sle, arguments[1], m);
               Value isBefore = arith::CmpIOp::create(
                   b, l, arith::CmpIPredicate::slt, m, arguments[2]);
               Value isOwn = arith::AndIOp::create(b, l, isBehind, isBefore);
               Value zero =
                   arith::ConstantOp::create(b, l, b.getZeroAttr(element));
               Value value =
                   arith::SelectOp::create(b, l, isOwn, arguments[0], zero);
               linalg::YieldOp::create(b, l, value);
             })
      .getResult(0);
}

void RowSorter::rewrite(const ChosenProduct &product) {
  linalg::LinalgOp op = product.op;
  const ChosenGroups &groups = product.groups;
  Location loc = op.getLoc();
  Order &order = orderOf(groups.groupOf, op->getBlock());
  builder.setInsertionPoint(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value extent;
  for (auto [input, map] : llvm::zip(op.getDpsInputs(), maps))
    if (std::optional<unsigned> dim = dimOf(map, groups.group))
      extent = getValueOrCreateConstantIndexOp(
          builder, loc, tensor::getMixedSize(builder, loc, input, *dim));
  Value from = countRows(groups, extent, arith::CmpIPredicate::slt, loc);
  Value to = countRows(groups, extent, arith::CmpIPredicate::sle, loc);
  SmallVector<Value> operands(op->getOperands());
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input) {
    if (product.inputs[input].select)
      operands[input] = masked(product, order, input, from, to);
    else if (std::optional<unsigned> dim = dimOf(maps[input], groups.row))
      operands[input] = sorted(order, {operands[input], *dim});
  }
  Value result =
      clone(builder, op, op->getResultTypes(), operands)->getResult(0);
  std::optional<unsigned> dim = dimOf(maps.back(), groups.row);
  if (dim) {
    Value inPlace = readAt(order.places, {result, *dim});
    order.sorted[{inPlace, *dim}] = result;
    result = inPlace;
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct SortRowsByGroupPass
    : shardir::impl::SortRowsByGroupBase<SortRowsByGroupPass> {
  void runOnOperation() override {
    SmallVector<ChosenProduct> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<ChosenProduct> product = matchChosenProduct(op))
        products.push_back(*product);
    });
    RowSorter sorter(&getContext());
    for (const ChosenProduct &product : products)
      sorter.rewrite(product);
  }
};
} // namespace
