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

/// Expands or collapses dims between those that stay as they are. The elements
/// of the shape operand are the new extents.
static Value reshapeOpenDims(OpBuilder &builder, tensor::ReshapeOp op,
                             RankedTensorType from, RankedTensorType to) {
  auto elements = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  // No elements have any extents.
  if (!elements || from.getRank() == to.getRank() ||
      llvm::is_contained(from.getShape(), 0) ||
      llvm::is_contained(to.getShape(), 0))
    return {};
  bool expands = from.getRank() < to.getRank();
  RankedTensorType wide = expands ? to : from, narrow = expands ? from : to;
  int64_t added = wide.getRank() - narrow.getRank(), rank = narrow.getRank();
  // Dims with numbers `dim` and `dim + shift` of the narrow and the wide
  // tensor.
  auto stays = [&](int64_t dim, int64_t shift) {
    if (!narrow.isDynamicDim(dim) || !wide.isDynamicDim(dim + shift))
      return narrow.getDimSize(dim) == wide.getDimSize(dim + shift);
    int64_t ofSource = expands ? dim : dim + shift,
            ofResult = expands ? dim + shift : dim;
    return isExtentOf(elements.getElements()[ofResult], op.getSource(),
                      ofSource);
  };
  int64_t front = 0, back = rank;
  while (front < rank && stays(front, 0))
    ++front;
  while (back > front && stays(back - 1, added))
    --back;
  // Dims of one element are joined to one that stays.
  if (front == back && front > 0)
    --front;
  else if (front == back && back < rank)
    ++back;
  if (front == back || llvm::count_if(llvm::seq(front, back), [&](int64_t dim) {
                         return narrow.isDynamicDim(dim);
                       }) > 1)
    return {};
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim : llvm::seq<int64_t>(0, front))
    groups.push_back({dim});
  SmallVector<ReassociationIndices> joined =
      joinedDims(wide, llvm::to_vector(llvm::seq(front, back + added)), narrow,
                 llvm::to_vector(llvm::seq(front, back)));
  if (joined.empty())
    return {};
  int64_t first = 1;
  for (int64_t dim : joined.front())
    first = wide.isDynamicDim(dim)         ? ShapedType::kDynamic
            : ShapedType::isDynamic(first) ? first
                                           : first * wide.getDimSize(dim);
  if (first != narrow.getDimSize(front))
    return {};
  llvm::append_range(groups, joined);
  for (int64_t dim : llvm::seq(back, rank))
    groups.push_back({dim + added});
  if (!expands)
    return tensor::CollapseShapeOp::create(builder, op.getLoc(), to,
                                           op.getSource(), groups);
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
