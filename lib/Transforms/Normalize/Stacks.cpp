//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing. Guarantees the values of the concatenation and of what is
// expanded from it.
//
//===----------------------------------------------------------------------===//

#include "Stacks.h"

#include "ShardIR/Analysis/SameExtent.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace shardir;

/// How many ops are looked at behind a concatenation.
static constexpr size_t kMaxOps = 64;

/// True if `expand` splits the dim `dim` into the parts and their dim.
static bool splitsIntoParts(tensor::ExpandShapeOp expand, int64_t dim,
                            tensor::ConcatOp concat) {
  ReassociationIndices group = expand.getReassociationIndices()[dim];
  auto type = cast<RankedTensorType>(concat.getInputs().front().getType());
  RankedTensorType whole = expand.getResultType();
  return group.size() == 2 &&
         whole.getDimSize(group[0]) == int64_t(concat.getInputs().size()) &&
         whole.getDimSize(group[1]) == type.getDimSize(concat.getDim()) &&
         isExtentOf(expand.getMixedOutputShape()[group[1]],
                    concat.getInputs().front(), concat.getDim());
}

/// True if a tensor that has the dim `dim` of `value` as one of its own, or
/// `value` itself, is expanded to the parts and their dim.
static bool reachesParts(Value value, int64_t dim, tensor::ConcatOp concat) {
  SmallVector<std::pair<Value, int64_t>> reached = {{value, dim}};
  for (size_t next = 0; next < reached.size() && next < kMaxOps; ++next) {
    auto [tensor, own] = reached[next];
    for (OpOperand &use : tensor.getUses()) {
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(use.getOwner()))
        if (splitsIntoParts(expand, own, concat))
          return true;
      auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!op || op.isDpsInit(&use))
        continue;
      AffineExpr loop = op.getMatchingIndexingMap(&use).getResult(own);
      for (OpResult result : op->getResults())
        if (auto at =
                op.getIndexingMapMatchingResult(result).getResultPosition(loop))
          reached.push_back({result, *at});
    }
  }
  return false;
}

bool shardir::isExpandedStack(tensor::ConcatOp op) {
  Value first = op.getInputs().front();
  int64_t dim = op.getDim();
  return op.getInputs().size() > 1 &&
         llvm::all_equal(op.getInputs().getTypes()) &&
         llvm::all_of(op.getInputs(),
                      [&](Value input) {
                        return haveSameExtent(input, dim, first, dim);
                      }) &&
         reachesParts(op, op.getDim(), op);
}

void shardir::stack(RewriterBase &rewriter, tensor::ConcatOp op) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, 1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    groups.push_back({d + (d > dim)});
    if (d == dim)
      groups.back().push_back(d + 1);
  }
  SmallVector<Value> parts;
  for (Value input : op.getInputs()) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, input);
    sizes.insert(sizes.begin() + dim, rewriter.getIndexAttr(1));
    parts.push_back(tensor::ExpandShapeOp::create(
        rewriter, loc, type.clone(shape), input, groups, sizes));
  }
  shape[dim] = parts.size();
  Value stacked =
      tensor::ConcatOp::create(rewriter, loc, type.clone(shape), dim, parts);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
        expand && expand.getType() == stacked.getType() &&
        expand.getReassociationIndices() == groups)
      rewriter.replaceOp(expand, stacked);
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getType(),
                                                       stacked, groups);
}
