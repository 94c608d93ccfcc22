//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferReach.h"

#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace shardir;

/// True if any op inside of `op`, itself included, passes `test`.
static bool anyInside(Operation *op,
                      llvm::function_ref<bool(Operation *)> test) {
  return op
      ->walk([&](Operation *inner) {
        return test(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if an op only names memory: it makes a view, extents, or a tensor map,
/// which upstream gives no effects.
static bool onlyNames(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) ||
          isa<nvgpu::TmaCreateDescriptorOp, nvgpu::TmaPrefetchOp>(op));
}

/// True if memory can be accessed through `result`: not through elements that
/// were read, the tokens of copies, or extents.
static bool leadsOn(Value result) {
  if (auto parts = result.getDefiningOp<memref::ExtractStridedMetadataOp>())
    return result == parts.getBaseBuffer();
  return !isa<VectorType, FloatType, nvgpu::DeviceAsyncTokenType>(
      result.getType());
}

bool BufferReach::add(Value buffer) {
  Value root = bufferRoot(buffer);
  if (!root)
    return false;
  SmallVector<Value> open = {root};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!values.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      if (isa<memref::LoadOp, memref::DimOp, memref::DeallocOp>(user))
        continue;
      if (user->hasTrait<OpTrait::IsTerminator>())
        return false;
      // A loop's or call's results may be it.
      if (user->getNumRegions() != 0 &&
          !isa<gpu::LaunchOp, linalg::LinalgOp>(user))
        return false;
      if (isa<CallOpInterface>(user) && user->getNumResults() != 0)
        return false;
      for (Value result : user->getResults())
        if (leadsOn(result))
          open.push_back(result);
    }
  }
  return true;
}

llvm::SetVector<Operation *> BufferReach::users(Block &block) const {
  llvm::SetVector<Operation *> result;
  for (Value value : values)
    for (Operation *user : value.getUsers())
      if (Operation *inBlock = block.findAncestorOpInBlock(*user))
        result.insert(inBlock);
  return result;
}

bool BufferReach::uses(Operation *op) const {
  return llvm::any_of(op->getOperands(),
                      [&](Value v) { return values.contains(v); });
}

bool BufferReach::touchedBy(Operation *op) const {
  return anyInside(
      op, [&](Operation *inner) { return uses(inner) && !onlyNames(inner); });
}

bool BufferReach::writes(Operation *op) const {
  if (!uses(op) || onlyNames(op) ||
      (op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op)))
    return false;
  // A copy out of a tensor map's memory; upstream says nothing of the source.
  if (auto load = dyn_cast<nvgpu::TmaAsyncLoadOp>(op))
    return values.contains(load.getDst());
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return !effects || llvm::any_of(op->getOperands(), [&](Value v) {
    return values.contains(v) &&
           (effects.getEffectOnValue<MemoryEffects::Write>(v) ||
            effects.getEffectOnValue<MemoryEffects::Free>(v) ||
            !effects.getEffectOnValue<MemoryEffects::Read>(v));
  });
}

bool BufferReach::writtenBy(Operation *op) const {
  return anyInside(op, [&](Operation *inner) { return writes(inner); });
}
