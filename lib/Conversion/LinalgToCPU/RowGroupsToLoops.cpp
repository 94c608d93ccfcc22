//===- RowGroupsToLoops.cpp - Products of each group's own rows -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, behind shardir-fuse-for-cpu. Requires nothing;
// guarantees that a product whose factors a mask makes zero outside of the rows
// of a group (Common/RowGroups.h) is a loop over groups, each of which
// multiplies its own rows.
//
//===----------------------------------------------------------------------===//

#include "Common/RowGroups.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {
#define GEN_PASS_DEF_ROWGROUPSTOLOOPS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
/// A product with the operands that no mask was applied to.
struct GroupedProduct {
  linalg::LinalgOp op;
  RowGroups groups;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
};

/// One group's rows: how many, and the number of the first one in the shard.
struct RowRange {
  Value first, count;
};
} // namespace

static std::optional<GroupedProduct> matchProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() || !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  GroupedProduct product{
      op, {}, llvm::to_vector(op->getOperands()), op.getIndexingMapsArray()};
  bool found = false;
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input) {
    auto map = op->getOperand(input).getDefiningOp<linalg::LinalgOp>();
    std::optional<RowGroups> groups = map && map->getNumResults() == 1
                                          ? matchRowGroups(op, input, map)
                                          : std::nullopt;
    if (!groups)
      continue;
    const RowGroups &known = product.groups;
    if (found && (groups->from != known.from || groups->to != known.to ||
                  groups->row != known.row || groups->group != known.group ||
                  groups->firstRow != known.firstRow))
      continue; // another mask, which stays a factor
    product.groups = *groups;
    product.operands[input] = groups->rows;
    product.maps[input] = groups->rowsMap;
    found = true;
  }
  return found ? std::optional(product) : std::nullopt;
}

static RowRange emitRange(OpBuilder &builder, Location loc,
                          const RowGroups &groups, Value group, Value rows) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto boundOf = [&](Value bounds) -> Value {
    Value bound = tensor::ExtractOp::create(builder, loc, bounds, group);
    if (!bound.getType().isIndex())
      bound = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         bound);
    if (groups.firstRow)
      bound = arith::SubIOp::create(builder, loc, bound, groups.firstRow);
    bound = arith::MaxSIOp::create(builder, loc, bound, zero);
    return arith::MinSIOp::create(builder, loc, bound, rows);
  };
  Value from = boundOf(groups.from), to = boundOf(groups.to);
  Value count = arith::SubIOp::create(builder, loc, to, from);
  return {from, arith::MaxSIOp::create(builder, loc, count, zero)};
}

/// Replaces the product by a loop over its groups.
static void emitLoop(const GroupedProduct &product) {
  linalg::LinalgOp op = product.op;
  const RowGroups &groups = product.groups;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  // The extent of one of the op's loops.
  auto extentOf = [&](unsigned loop) -> Value {
    for (auto [operand, map] : llvm::zip(product.operands, product.maps))
      if (std::optional<unsigned> dim =
              map.getResultPosition(builder.getAffineDimExpr(loop)))
        return getValueOrCreateConstantIndexOp(
            builder, loc, tensor::getMixedSize(builder, loc, operand, *dim));
    llvm_unreachable("each loop has an operand with a dim of its own");
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value rows = extentOf(groups.row);
  auto loop = scf::ForOp::create(builder, loc, zero, extentOf(groups.group),
                                 one, op.getDpsInits()[0]);
  builder.setInsertionPointToStart(loop.getBody());
  Value group = loop.getInductionVar();
  RowRange range = emitRange(builder, loc, groups, group, rows);

  // The part of an operand that the group reads or adds to.
  struct Part {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    RankedTensorType type;
    AffineMap map;
  };
  auto partOf = [&](Value operand, AffineMap map) {
    Part part;
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> results;
    auto type = cast<RankedTensorType>(operand.getType());
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      part.strides.push_back(builder.getIndexAttr(1));
      if (loop == groups.group) {
        part.offsets.push_back(group);
        part.sizes.push_back(builder.getIndexAttr(1));
        continue;
      }
      bool isRow = loop == groups.row;
      part.offsets.push_back(isRow ? OpFoldResult(range.first)
                                   : builder.getIndexAttr(0));
      part.sizes.push_back(
          isRow ? OpFoldResult(range.count)
                : tensor::getMixedSize(builder, loc, operand, dim));
      shape.push_back(isRow ? ShapedType::kDynamic : type.getDimSize(dim));
      results.push_back(
          builder.getAffineDimExpr(loop - (loop > groups.group ? 1 : 0)));
    }
    part.type = RankedTensorType::get(shape, type.getElementType());
    part.map =
        AffineMap::get(op.getNumLoops() - 1, 0, results, builder.getContext());
    return part;
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [operand, map] :
       llvm::drop_end(llvm::zip(product.operands, product.maps))) {
    Part part = partOf(operand, map);
    inputs.push_back(tensor::ExtractSliceOp::create(builder, loc, part.type,
                                                    operand, part.offsets,
                                                    part.sizes, part.strides));
    maps.push_back(part.map);
  }
  Value sums = loop.getRegionIterArg(0);
  Part part = partOf(sums, product.maps.back());
  Value own = tensor::ExtractSliceOp::create(
      builder, loc, part.type, sums, part.offsets, part.sizes, part.strides);
  maps.push_back(part.map);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + groups.group);
  auto made = linalg::GenericOp::create(builder, loc, part.type, inputs, own,
                                        maps, iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&made.getRegion(), mapping);
  Value inserted =
      tensor::InsertSliceOp::create(builder, loc, made.getResult(0), sums,
                                    part.offsets, part.sizes, part.strides);
  scf::YieldOp::create(builder, loc, inserted);
  op->getResult(0).replaceAllUsesWith(loop.getResult(0));
  llvm::SetVector<Operation *> unread;
  auto dropUses = [&](Operation *user) {
    for (Value value : user->getOperands())
      if (auto maker = value.getDefiningOp<linalg::LinalgOp>())
        unread.insert(maker);
    user->erase();
  };
  dropUses(op);
  while (!unread.empty())
    if (Operation *maker = unread.pop_back_val(); isOpTriviallyDead(maker))
      dropUses(maker);
}

namespace {
struct RowGroupsToLoopsPass
    : shardir::impl::RowGroupsToLoopsBase<RowGroupsToLoopsPass> {
  void runOnOperation() override {
    SmallVector<GroupedProduct> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<GroupedProduct> product = matchProduct(op))
        products.push_back(*product);
    });
    for (const GroupedProduct &product : products)
      emitLoop(product);
  }
};
} // namespace
