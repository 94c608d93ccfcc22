//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an unknown extent of a result comes from: from the operand dims that
// share its factor, as the op's rule has it, and for ops that make extents of
// their own from what they say. Over a domain of extents, so that they can be
// values of a program or expressions.
//
// A domain `D` has the type `D::Extent`, whose default is "not known", and
//   Extent of(Value tensor, int64_t dim);
//   Extent scalar(OpFoldResult size);
//   Extent constant(int64_t); Extent add(Extent, Extent); Extent mul(…);
//   Extent div(…);
// Requires an op on global tensors; guarantees "not known" where the op does
// not tell the extent.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_EXTENTRULES_H
#define SHARDIR_ANALYSIS_EXTENTRULES_H

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardir {

/// How many shards the manual axes of a region's border make of a dim.
template <typename Border> int64_t manualPieces(Border op, int64_t dim) {
  Mesh mesh = lookupMesh(op, op.getPlacement().getMesh()).getMesh();
  int64_t pieces = 1;
  for (const AxisRef &axis : op.getPlacement().getValue().axesOf(dim))
    if (llvm::any_of(op.getAxes().template getAsRange<mlir::StringAttr>(),
                     [&](mlir::StringAttr name) {
                       return name.getValue() == axis.name;
                     }))
      pieces *= axisSize(mesh, axis);
  return pieces;
}

/// The extents that an op gives by its own interface.
template <typename D>
typename D::Extent ownExtent(mlir::OpResult result, int64_t dim, D &domain) {
  using Extent = typename D::Extent;
  namespace tensor = mlir::tensor;
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  auto listed = [&](mlir::ValueRange sizes) {
    return domain.scalar(
        mlir::OpFoldResult(sizes[type.getDynamicDimIndex(dim)]));
  };
  return llvm::TypeSwitch<mlir::Operation *, Extent>(result.getOwner())
      .template Case<tensor::EmptyOp, tensor::SplatOp>(
          [&](auto op) { return listed(op.getDynamicSizes()); })
      .template Case<tensor::GenerateOp>(
          [&](tensor::GenerateOp op) { return listed(op.getDynamicExtents()); })
      .template Case<mlir::bufferization::AllocTensorOp>(
          [&](mlir::bufferization::AllocTensorOp op) {
            return op.getCopy() ? domain.of(op.getCopy(), dim)
                                : listed(op.getDynamicSizes());
          })
      .template Case<mlir::ub::PoisonOp>(
          [&](mlir::ub::PoisonOp) { return domain.constant(0); })
      .template Case<tensor::ExtractSliceOp>([&](tensor::ExtractSliceOp op) {
        llvm::SmallBitVector dropped = op.getDroppedDims();
        int64_t source = 0;
        for (int64_t left = dim; dropped.test(source) || left-- > 0;)
          ++source;
        return domain.scalar(op.getMixedSizes()[source]);
      })
      .template Case<tensor::PadOp>([&](tensor::PadOp op) {
        Extent low = domain.scalar(op.getMixedLowPad()[dim]);
        Extent high = domain.scalar(op.getMixedHighPad()[dim]);
        return domain.add(domain.add(low, domain.of(op.getSource(), dim)),
                          high);
      })
      .template Case<tensor::ConcatOp>([&](tensor::ConcatOp op) {
        if (dim != int64_t(op.getDim()))
          return Extent();
        Extent sum = domain.constant(0);
        for (mlir::Value input : op.getInputs())
          sum = domain.add(sum, domain.of(input, dim));
        return sum;
      })
      .template Case<tensor::CollapseShapeOp>([&](tensor::CollapseShapeOp op) {
        Extent product = domain.constant(1);
        mlir::ReassociationIndices parts = op.getReassociationIndices()[dim];
        for (int64_t part : parts)
          product = domain.mul(product, domain.of(op.getSrc(), part));
        return product;
      })
      .template Case<tensor::ExpandShapeOp>([&](tensor::ExpandShapeOp op) {
        return domain.scalar(op.getMixedOutputShape()[dim]);
      })
      .template Case<tensor::ReshapeOp>([&](tensor::ReshapeOp op) {
        auto shape =
            op.getShape().template getDefiningOp<tensor::FromElementsOp>();
        if (!shape)
          return Extent();
        auto isRest = [](mlir::Value element) {
          return mlir::getConstantIntValue(mlir::OpFoldResult(element)) == -1;
        };
        auto product = [&](const auto &sizes) {
          Extent all = domain.constant(1);
          for (Extent size : sizes)
            all = domain.mul(all, size);
          return all;
        };
        if (!isRest(shape.getElements()[dim]))
          return domain.scalar(mlir::OpFoldResult(shape.getElements()[dim]));
        // As many as the source's elements leave.
        llvm::SmallVector<Extent> before, others;
        auto source =
            mlir::dyn_cast<mlir::RankedTensorType>(op.getSource().getType());
        for (int64_t d = 0; source && d < source.getRank(); ++d)
          before.push_back(domain.of(op.getSource(), d));
        for (mlir::Value element : shape.getElements())
          if (!isRest(element))
            others.push_back(domain.scalar(mlir::OpFoldResult(element)));
        return source ? domain.div(product(before), product(others)) : Extent();
      })
      .template Case<ManualCollectiveOp>(
          [&](ManualCollectiveOp op) { return listed(op.getSizes()); })
      .template Case<ManualInOp>([&](ManualInOp op) {
        return domain.div(domain.of(op.getInput(), dim),
                          domain.constant(manualPieces(op, dim)));
      })
      .template Case<ManualOutOp>([&](ManualOutOp op) {
        return domain.mul(domain.of(op.getInput(), dim),
                          domain.constant(manualPieces(op, dim)));
      })
      .Default([](mlir::Operation *) { return Extent(); });
}

/// The extent of an operand's dim that has the one factor of the result's dim:
/// a number where one of them is.
template <typename D>
typename D::Extent sharedExtent(mlir::OpResult result, int64_t dim,
                                const ShardingRule &rule, D &domain) {
  typename D::Extent found = {};
  const TensorFactors &own = rule.results[result.getResultNumber()];
  if (size_t(dim) >= own.dims.size() || own.dims[dim].size() != 1)
    return found;
  mlir::Operation *op = result.getOwner();
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    const TensorFactors &factors = rule.operands[operand.getOperandNumber()];
    for (auto [d, others] : llvm::enumerate(factors.dims)) {
      if (others != own.dims[dim] || factors.window(d))
        continue;
      auto type = mlir::cast<mlir::RankedTensorType>(operand.get().getType());
      if (!type.isDynamicDim(d))
        return domain.constant(type.getDimSize(d));
      if (!found)
        found = domain.of(operand.get(), d);
    }
  }
  return found;
}

/// The extent of dim `dim` of `result`, which its type leaves open. `rule` is
/// the op's, made when it is needed.
template <typename D>
typename D::Extent extentOf(mlir::OpResult result, int64_t dim,
                            std::optional<SharedRule> &rule, D &domain) {
  mlir::Operation *op = result.getOwner();
  if (mlir::isa<collective::CollectiveOpInterface, RedistributeOp, ConstrainOp>(
          op))
    return domain.of(op->getOperand(0), dim);
  if (typename D::Extent own = ownExtent(result, dim, domain))
    return own;
  if (!rule)
    rule = getShardingRule(op);
  if (typename D::Extent shared = sharedExtent(result, dim, **rule, domain))
    return shared;
  // A dim that no factor has, as where a part is inserted.
  if (auto inPlace = mlir::dyn_cast<mlir::DestinationStyleOpInterface>(op))
    return domain.of(inPlace.getTiedOpOperand(result)->get(), dim);
  return {};
}

} // namespace shardir

#endif // SHARDIR_ANALYSIS_EXTENTRULES_H
