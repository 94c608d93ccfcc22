//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The groups of dims by which a reshape is expand_shape and collapse_shape.
//
//===----------------------------------------------------------------------===//

#include "Reshapes.h"

#include "ShardIR/Analysis/SameExtent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

/// The finest groups of dims of two shapes whose products are equal. Requires
/// equal element counts above 0, and dims on both sides.
static void commonGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                         SmallVectorImpl<ReassociationIndices> &fromGroups,
                         SmallVectorImpl<ReassociationIndices> &toGroups) {
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices &left = fromGroups.emplace_back();
    ReassociationIndices &right = toGroups.emplace_back();
    int64_t a = from[i], b = to[j];
    left.push_back(i++);
    right.push_back(j++);
    while (a != b) {
      if (a < b) {
        a *= from[i];
        left.push_back(i++);
      } else {
        b *= to[j];
        right.push_back(j++);
      }
    }
  }
  // The remaining dims have extent 1.
  for (; i < from.size(); ++i)
    fromGroups.back().push_back(i);
  for (; j < to.size(); ++j)
    toGroups.back().push_back(j);
}

SmallVector<ReassociationIndices>
shardir::joinedDims(RankedTensorType wide, ArrayRef<int64_t> parts,
                    RankedTensorType narrow, ArrayRef<int64_t> joined) {
  SmallVector<ReassociationIndices> groups(joined.size());
  for (size_t i = joined.size(); i-- > 1;) {
    int64_t extent = 1, whole = narrow.getDimSize(joined[i]);
    while (groups[i].empty() || extent != whole) {
      if (parts.size() < 2 || wide.isDynamicDim(parts.back()) || extent > whole)
        return {};
      extent *= wide.getDimSize(parts.back());
      groups[i].insert(groups[i].begin(), parts.back());
      parts = parts.drop_back();
    }
  }
  groups[0].assign(parts.begin(), parts.end());
  return groups;
}

/// The dims of `wide` that are joined to each dim of `narrow`, of which the
/// first `open` alone are open, and all of them but the last are the same.
static SmallVector<ReassociationIndices>
joinedBehindOpenDims(RankedTensorType wide, RankedTensorType narrow,
                     int64_t open) {
  auto dimsFrom = [](RankedTensorType type, int64_t first) {
    return llvm::to_vector(llvm::seq(first, type.getRank()));
  };
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < open; ++dim)
    groups.push_back({dim});
  SmallVector<ReassociationIndices> others = joinedDims(
      wide, dimsFrom(wide, open - 1), narrow, dimsFrom(narrow, open - 1));
  if (others.empty())
    return {};
  llvm::append_range(groups, others);
  return groups;
}

/// Expands or collapses the dims of a tensor whose first dims alone are open.
/// The elements of the shape operand are the new extents.
static Value reshapeOpenDims(OpBuilder &builder, tensor::ReshapeOp op,
                             RankedTensorType from, RankedTensorType to) {
  auto elements = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  int64_t open = from.getNumDynamicDims();
  if (!elements || !open || to.getRank() < open)
    return {};
  for (int64_t dim = 0; dim < open; ++dim)
    if (!from.isDynamicDim(dim) ||
        (dim + 1 < open &&
         (!to.isDynamicDim(dim) ||
          !isExtentOf(elements.getElements()[dim], op.getSource(), dim))))
      return {};
  if (to.getRank() < from.getRank() && to.isDynamicDim(open - 1)) {
    SmallVector<ReassociationIndices> groups =
        joinedBehindOpenDims(from, to, open);
    return groups.empty()
               ? Value()
               : tensor::CollapseShapeOp::create(builder, op.getLoc(), to,
                                                 op.getSource(), groups);
  }
  if (to.getRank() <= from.getRank())
    return {};
  SmallVector<ReassociationIndices> groups =
      joinedBehindOpenDims(to, from, open);
  if (groups.empty())
    return {};
  SmallVector<OpFoldResult> extents;
  for (auto [dim, extent] : llvm::enumerate(elements.getElements())) {
    if (!to.isDynamicDim(dim))
      extents.push_back(builder.getIndexAttr(to.getDimSize(dim)));
    else if (extent.getType().isIndex())
      extents.push_back(extent);
    else
      extents.push_back(arith::IndexCastOp::create(builder, op.getLoc(),
                                                   builder.getIndexType(),
                                                   extent)
                            .getResult());
  }
  return tensor::ExpandShapeOp::create(builder, op.getLoc(), to, op.getSource(),
                                       groups, extents);
}

Value shardir::expandOrCollapse(OpBuilder &builder, tensor::ReshapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return {};
  if (!from.hasStaticShape())
    return reshapeOpenDims(builder, op, from, to);
  if (!to.hasStaticShape() || from.getNumElements() != to.getNumElements() ||
      from.getNumElements() == 0 || from == to)
    return {};
  SmallVector<ReassociationIndices> fromGroups, toGroups;
  if (from.getRank() && to.getRank())
    commonGroups(from.getShape(), to.getShape(), fromGroups, toGroups);
  SmallVector<int64_t> merged;
  for (const ReassociationIndices &group : fromGroups) {
    int64_t extent = 1;
    for (int64_t dim : group)
      extent *= from.getDimSize(dim);
    merged.push_back(extent);
  }
  Location loc = op.getLoc();
  Value value = op.getSource();
  auto type = RankedTensorType::get(merged, from.getElementType());
  if (from.getRank() != type.getRank())
    value =
        tensor::CollapseShapeOp::create(builder, loc, type, value, fromGroups);
  if (to.getRank() != type.getRank())
    value = tensor::ExpandShapeOp::create(builder, loc, to, value, toGroups);
  return value;
}
