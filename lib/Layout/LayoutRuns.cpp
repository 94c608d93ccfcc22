//===- LayoutRuns.cpp - Which loops run along memory ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires values of ranked tensor types and orders of their rank. Emits and
// changes nothing. Dims of one element have no position and are left out.
//
//===----------------------------------------------------------------------===//

#include "LayoutRuns.h"
#include "ShardIR/Memory/PeakMemory.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

int64_t shardir::largestBytes(Value value, const MeshTable &meshes) {
  auto wholeAt = [&](RankedTensorType type, PlacementAttr placement) {
    return localBytes(type, placement, meshes);
  };
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return localBytes(type, {}, meshes);
  if (auto step = value.getDefiningOp<collective::CollectiveOpInterface>())
    if (step.isLocal())
      return wholeAt(step.getGlobalTensorType(), step.getTo());
  for (Operation *user : value.getUsers())
    if (auto step = dyn_cast<collective::CollectiveOpInterface>(user))
      if (step.isLocal())
        return wholeAt(step.getGlobalTensorType(), step.getFrom());
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto owner =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())) {
      unsigned i = argument.getArgNumber();
      auto global =
          owner.getArgAttrOfType<TypeAttr>(i, ShardIRDialect::kGlobalType);
      auto placement =
          owner.getArgAttrOfType<PlacementAttr>(i, ShardIRDialect::kPlacement);
      if (global && placement)
        return wholeAt(cast<RankedTensorType>(global.getValue()), placement);
    }
  return localBytes(type, {}, meshes);
}

static int64_t extentOf(RankedTensorType type, int64_t dim) {
  return type.isDynamicDim(dim) ? kAssumedDimSize : type.getDimSize(dim);
}

/// The loops of a tensor in memory order, without those of a single iteration,
/// and how often each runs.
static LoopPairs runsOf(Value value, Loops loops, const DimOrder &order) {
  LoopPairs runs;
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t dim : order)
    if (extentOf(type, dim) != 1)
      runs.push_back({loops[dim], extentOf(type, dim)});
  return runs;
}

int64_t shardir::innermost(Value value, Loops loops, const DimOrder &order) {
  auto runs = runsOf(value, loops, order);
  return runs.empty() ? -1 : runs.back().first;
}

bool shardir::isShort(Value value, Loops loops, int64_t loop) {
  auto type = cast<RankedTensorType>(value.getType());
  return extentOf(type, llvm::find(loops, loop) - loops.begin()) < kLongRun;
}

LoopPairs shardir::neighbours(Value value, Loops loops, const DimOrder &order,
                              llvm::function_ref<bool(int64_t)> isKept) {
  LoopPairs pairs;
  auto runs = runsOf(value, loops, order);
  for (size_t i = 1; i < runs.size(); ++i)
    if (isKept(runs[i - 1].first) && isKept(runs[i].first))
      pairs.push_back({runs[i - 1].first, runs[i].first});
  return pairs;
}

int64_t shardir::commonRun(Value a, Loops loopsA, const DimOrder &orderA,
                           Value b, Loops loopsB, const DimOrder &orderB) {
  auto runsA = runsOf(a, loopsA, orderA), runsB = runsOf(b, loopsB, orderB);
  int64_t run = 1;
  for (size_t i = 1; i <= std::min(runsA.size(), runsB.size()); ++i) {
    if (runsA[runsA.size() - i].first != runsB[runsB.size() - i].first)
      break;
    run *= runsA[runsA.size() - i].second;
  }
  return run;
}

const LoopView::Operand *shardir::inPlaceInput(const LoopView &view,
                                               Value result) {
  const LoopView::Operand *found = nullptr;
  for (const LoopView::Operand &input : view.inputs) {
    Value value = input.operand->get();
    if (value.getType() != result.getType() || isa<BlockArgument>(value) ||
        isFreeTensor(value) || !value.hasOneUse() ||
        value.getDefiningOp<tensor::ExtractSliceOp>() ||
        input.loops != view.resultLoops)
      continue;
    if (found)
      return nullptr;
    found = &input;
  }
  return found;
}
