//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops behind a product, such as its scales, bias and activation.
// Requires that nothing else reads the product; guarantees that an element is
// computed when its sum is complete, while its tile is in the first cache.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "ShardIR/Memory/BufferRoot.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

/// True if what is written to `result` may be read from `operand`. Buffers of
/// results overlap no argument: results in place are written to the argument.
static bool mayAlias(Value result, Value operand) {
  Value written = bufferRoot(result), read = bufferRoot(operand);
  return !written || !read || written == read;
}

linalg::LinalgOp shardir::findEpilogue(linalg::LinalgOp product) {
  if (!product || !product.hasPureBufferSemantics() ||
      (!isFloatContraction(product) &&
       !isByteContraction(product, /*mixed=*/true)))
    return {};
  Value sums = product.getDpsInits()[0];
  if (!sums.getDefiningOp<memref::AllocOp>())
    return {};
  linalg::LinalgOp epilogue;
  for (Operation *user : sums.getUsers()) {
    if (user == product || isa<memref::DeallocOp, linalg::FillOp>(user))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (!linalgOp || (epilogue && epilogue != linalgOp))
      return {};
    epilogue = linalgOp;
  }
  if (!epilogue || epilogue->getBlock() != product->getBlock() ||
      !product->isBeforeInBlock(epilogue) ||
      epilogue.getNumReductionLoops() != 0 || epilogue.getNumDpsInits() != 1 ||
      !epilogue.hasPureBufferSemantics() || !hasLoopNest(epilogue) ||
      !VectorBody::isSupported(epilogue))
    return {};
  for (Operation *between = product->getNextNode(); between != epilogue;
       between = between->getNextNode())
    if (!isMemoryEffectFree(between) &&
        !isa<memref::AllocOp, memref::DeallocOp>(between))
      return {};
  OpOperand &result = epilogue.getDpsInitsMutable()[0];
  for (OpOperand &operand : epilogue->getOpOperands())
    if ((operand.get() == sums || &operand == &result) &&
        !epilogue.getMatchingIndexingMap(&operand).isIdentity())
      return {};
  if (result.get() == sums)
    return {};
  for (Value operand : product.getDpsInputs())
    if (mayAlias(result.get(), operand))
      return {};
  return epilogue;
}

void shardir::joinEpilogue(linalg::LinalgOp product,
                           linalg::LinalgOp epilogue) {
  SmallVector<Operation *> frees;
  for (Operation *between = product->getNextNode(); between != epilogue;
       between = between->getNextNode())
    if (isa<memref::DeallocOp>(between))
      frees.push_back(between);
  for (Operation *free : llvm::reverse(frees))
    free->moveAfter(epilogue);
}

bool shardir::takesEpilogue(const Contraction &op,
                            const ContractionTiles &tiles, bool zeroInit) {
  auto k = LoopEmitter::known(op.k < 0 ? Index() : op.extents[op.k]);
  // Multiply-adds of floats take so long that the sums' way through memory
  // does not count: a layer of bf16 took 3 % longer with epilogues.
  if (isa<FloatType>(op.accumulator) &&
      tiles.unit == ContractionTiles::Unit::Fma)
    return false;
  // Sums in a narrower type are added to what is rounded already.
  if (op.c.element != op.accumulator && !zeroInit)
    return false;
  return tiles.kind == ContractionTiles::Kind::Outer && !tiles.transposed &&
         op.outerK.empty() && k && *k > 0 && op.n >= 0 &&
         op.parts[op.n].size() == 1;
}

SmallVector<Index> ContractionEmitter::resultAt(Index row, Index column) {
  SmallVector<Index> loops(op.opExtents.size(), emit.constant(0));
  auto set = [&](int loop, Index at) {
    if (loop < 0)
      return;
    ArrayRef<int> parts = op.parts[loop];
    for (int part : llvm::reverse(parts.drop_front())) {
      loops[part] = emit.rem(at, op.opExtents[part]);
      at = emit.div(at, op.opExtents[part]);
    }
    loops[parts.front()] = at;
  };
  set(op.m, row);
  set(op.n, column);
  for (int loop : op.outer)
    set(loop, position[loop]);
  SmallVector<Index> at;
  for (AffineExpr expr : op.c.map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    at.push_back(
        dim ? loops[dim.getPosition()]
            : emit.constant(cast<AffineConstantExpr>(expr).getValue()));
  }
  return at;
}

void ContractionEmitter::finish(Index p, Index row, Value square) {
  int lanesAt = -1;
  for (auto [i, expr] : llvm::enumerate(op.c.map.getResults()))
    if (expr == getAffineDimExpr(op.parts[op.n].front(), expr.getContext()))
      lanesAt = i;
  Value sums = op.c.memref;
  auto finishVector = [&](Index i, int64_t j, std::optional<Index> count) {
    Index at = emit.add(row, i),
          column = emit.add(columnOf(p), emit.constant(j * tiles.lanes));
    Value sum =
        square ? Value(vector::LoadOp::create(
                     builder, loc, vectorType, square,
                     ValueRange{emit.value(i),
                                emit.value(emit.constant(j * tiles.lanes))}))
               : read(c, at, column, tiles.lanes, count);
    // A sum that would be stored in a narrower type is rounded first.
    if (square && c.element != accumulator)
      sum = arith::TruncFOp::create(
          builder, loc, VectorType::get(tiles.lanes, c.element), sum);
    SmallVector<Index> ivs = resultAt(at, column);
    VectorBody body(emit, *epilogue, lanesAt, tiles.lanes);
    for (auto [number, input] :
         llvm::enumerate(epilogue->getOp().getDpsInputs()))
      if (input == sums)
        body.bindInput(number, sum);
    body.loadInputs(ivs, count);
    Value old;
    Block *block = epilogue->getOp().getBlock();
    if (!block->getArguments().back().use_empty())
      old = body.loadResult(0, ivs, count);
    else
      old = emit.zero(
          VectorType::get(tiles.lanes, block->getArguments().back().getType()));
    body.store(0, body.run(ivs, old, count)[0], ivs, count);
  };
  Index end = emit.constant(tiles.mr);
  if (!divides(m, tiles.mr))
    end = emit.min(end, emit.sub(m, row));
  auto rows = [&](bool full) {
    emit.loop(emit.constant(0), end, emit.constant(1), [&](Index i) {
      for (int64_t j = 0; j < tiles.nv; ++j) {
        if (full) {
          finishVector(i, j, std::nullopt);
          continue;
        }
        Index column = emit.add(columnOf(p), emit.constant(j * tiles.lanes));
        emit.branch(emit.lessThan(column, n),
                    [&] { finishVector(i, j, left(column)); });
      }
    });
  };
  if (divides(n, tiles.nr()))
    return rows(true);
  emit.branch(isFullPanel(p), [&] { rows(true); }, [&] { rows(false); });
}
