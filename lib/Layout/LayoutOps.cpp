//===- LayoutOps.cpp - What orders an op allows ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Sorts ops by what they let the orders of their
// operands and results in memory be; an op that is not known here is Fixed.
// Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Layout/LocalLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;

static bool isPlainTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.getEncoding();
}

bool shardir::isFreeTensor(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isPlainTensor(value))
    return false;
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.hasPureTensorSemantics() && isFreeTensor(fill.getOutputs()[0]);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Elementwise on tensors of one shape, and maybe scalars.
static bool isElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 ||
      !isPlainTensor(op->getResult(0)) || op->getNumRegions() != 0)
    return false;
  bool any = false;
  for (Value operand : op->getOperands()) {
    if (!isa<ShapedType>(operand.getType()))
      continue;
    if (!isPlainTensor(operand))
      return false;
    any = true;
  }
  return any;
}

static bool isLoops(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op->getNumRegions() != 1 || !isPlainTensor(op->getResult(0)))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    if (!isPlainTensor(operand.get()) ||
        !op.getMatchingIndexingMap(&operand).isProjectedPermutation(
            /*allowZeroInResults=*/false))
      return false;
  }
  return true;
}

/// True if what a collective says about dims is in its placements and types.
static bool hasPlacementsAlone(Operation *op) {
  return llvm::all_of(op->getAttrs(), [](NamedAttribute attr) {
    return llvm::is_contained({"from", "to", "global", "reason",
                               "operandSegmentSizes", "resultSegmentSizes"},
                              attr.getName().getValue());
  });
}

LayoutOpKind shardir::layoutKind(Operation *op) {
  if (op->getNumResults() == 1 && isFreeTensor(op->getResult(0)))
    return LayoutOpKind::Free;
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
    return step.isLocal() && hasPlacementsAlone(op) && !step.getOutput() &&
                   op->getNumResults() == 1 && isPlainTensor(step.getInput()) &&
                   isPlainTensor(op->getResult(0))
               ? LayoutOpKind::Collective
               : LayoutOpKind::Fixed;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isLoops(linalgOp) ? LayoutOpKind::Loops : LayoutOpKind::Fixed;
  if (isElementwise(op))
    return LayoutOpKind::Loops;
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return dim.getConstantIndex() && isPlainTensor(dim.getSource())
               ? LayoutOpKind::Query
               : LayoutOpKind::Fixed;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return isPlainTensor(extract.getTensor()) ? LayoutOpKind::Query
                                              : LayoutOpKind::Fixed;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return isPlainTensor(op->getOperand(0)) && isPlainTensor(op->getResult(0))
               ? LayoutOpKind::Agree
               : LayoutOpKind::Fixed;
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isPlainTensor(cast.getSource()) && isPlainTensor(cast.getDest())
               ? LayoutOpKind::Agree
               : LayoutOpKind::Fixed;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return isPlainTensor(slice.getSource()) &&
                   isPlainTensor(slice.getResult()) &&
                   slice.getSourceType().getRank() == slice.getType().getRank()
               ? LayoutOpKind::Agree
               : LayoutOpKind::Fixed;
  return LayoutOpKind::Fixed;
}

using Groups = SmallVector<ReassociationIndices, 4>;

/// The order of the dims that those of `order` are split into.
static DimOrder expanded(const Groups &groups, const DimOrder &order) {
  DimOrder result;
  for (int64_t group : order)
    llvm::append_range(result, groups[group]);
  return result;
}

/// The order of the groups whose dims `order` keeps together, each in its
/// sequence.
static std::optional<DimOrder> collapsed(const Groups &groups,
                                         const DimOrder &order) {
  DimOrder result;
  for (size_t at = 0; at < order.size();) {
    const auto *group = llvm::find_if(groups, [&](ArrayRef<int64_t> dims) {
      return dims.front() == order[at];
    });
    if (group == groups.end() || order.size() - at < group->size() ||
        !std::equal(group->begin(), group->end(), order.begin() + at))
      return std::nullopt;
    result.push_back(group - groups.begin());
    at += group->size();
  }
  return result;
}

static DimOrder rowMajorOf(Value value) {
  return rowMajor(cast<RankedTensorType>(value.getType()).getRank());
}

std::optional<DimOrder> shardir::operandOrderFor(Operation *op,
                                                 const DimOrder &order) {
  // Of a scalar's reshape there are no groups.
  if (isRowMajor(order))
    return rowMajorOf(op->getOperand(0));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return collapsed(expand.getReassociationIndices(), order);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return expanded(collapse.getReassociationIndices(), order);
  return order;
}

std::optional<DimOrder> shardir::resultOrderFor(Operation *op,
                                                const DimOrder &order) {
  if (isRowMajor(order))
    return rowMajorOf(op->getResult(0));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expanded(expand.getReassociationIndices(), order);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapsed(collapse.getReassociationIndices(), order);
  return order;
}

LoopView shardir::loopView(Operation *op) {
  LoopView view;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    SmallVector<int64_t> loops = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        view.inputs.push_back({&operand, loops});
    view.resultLoops = loops;
    view.iterators.assign(rank, utils::IteratorType::parallel);
    return view;
  }
  auto loopsOf = [&](OpOperand &operand) {
    SmallVector<int64_t> loops;
    for (AffineExpr expr :
         linalgOp.getMatchingIndexingMap(&operand).getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    return loops;
  };
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()))
      view.inputs.push_back({input, loopsOf(*input)});
  view.init = linalgOp.getDpsInitOperand(0);
  view.resultLoops = loopsOf(*view.init);
  view.iterators = linalgOp.getIteratorTypesArray();
  view.isContraction =
      linalg::isaContractionOpInterface(linalgOp) &&
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return view;
}

SmallVector<int64_t> shardir::inMemoryOrder(ArrayRef<int64_t> loops,
                                            const DimOrder &order) {
  SmallVector<int64_t> result;
  for (int64_t dim : order)
    result.push_back(loops[dim]);
  return result;
}

DimOrder shardir::alignedOrder(ArrayRef<int64_t> loops,
                               ArrayRef<int64_t> other) {
  SmallVector<int64_t> shared; // dims of ours in the sequence of the other
  for (int64_t loop : other) {
    const auto *at = llvm::find(loops, loop);
    if (at != loops.end())
      shared.push_back(at - loops.begin());
  }
  DimOrder order;
  size_t next = 0;
  for (auto [dim, loop] : llvm::enumerate(loops))
    order.push_back(llvm::is_contained(other, loop) ? shared[next++]
                                                    : int64_t(dim));
  return order;
}
