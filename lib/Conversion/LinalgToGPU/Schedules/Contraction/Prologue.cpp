//===- Prologue.cpp - What makes a contraction's operand ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a contraction on memrefs. A map qualifies if it writes a buffer of
// its own as a whole, element by element, for the contraction alone, and if no
// op between the map and the place of the kernel may write or free what it
// reads.
//
//===----------------------------------------------------------------------===//

#include "Prologue.h"
#include "../BufferUse.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

/// The one op that writes all of `buffer`, which only `contraction` reads.
static linalg::LinalgOp writerOf(Value buffer, linalg::LinalgOp contraction) {
  if (!buffer.getDefiningOp<memref::AllocOp>() ||
      llvm::count(contraction->getOperands(), buffer) != 1)
    return nullptr;
  linalg::LinalgOp writer;
  for (Operation *user : buffer.getUsers()) {
    if (user == contraction.getOperation() ||
        isa<memref::DeallocOp, memref::DimOp>(user))
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(user);
    if (!op || writer)
      return nullptr;
    writer = op;
  }
  return writer;
}

linalg::LinalgOp shardir::findPrologue(linalg::LinalgOp contraction,
                                       unsigned input, Operation *last) {
  // A window's elements are read more than once.
  if (!llvm::all_of(contraction.getIndexingMapsArray()[input].getResults(),
                    [](AffineExpr at) {
                      return isa<AffineDimExpr, AffineConstantExpr>(at);
                    }))
    return nullptr;
  Value buffer = contraction.getDpsInputs()[input];
  linalg::LinalgOp map = writerOf(buffer, contraction);
  if (!map || map->getBlock() != contraction->getBlock() ||
      !map->isBeforeInBlock(contraction) || !map.hasPureBufferSemantics() ||
      isa<linalg::FillOp>(map.getOperation()) || map.getNumDpsInits() != 1 ||
      map.getDpsInits()[0] != buffer ||
      llvm::is_contained(map.getDpsInputs(), buffer) ||
      map.getNumParallelLoops() != map.getNumLoops() || !hasLoopNest(map))
    return nullptr;
  OpOperand &init = map.getDpsInitsMutable()[0];
  if (!map.getMatchingIndexingMap(&init).isPermutation() ||
      map.payloadUsesValueFromOperand(&init))
    return nullptr;
  bool loads = false;
  map.getBlock()->walk([&](memref::LoadOp) { loads = true; });
  if (loads)
    return nullptr;
  SmallVector<Value> reads = bufferUseOf(map).reads;
  for (Operation *op = map->getNextNode(); op && op != last->getNextNode();
       op = op->getNextNode()) {
    // A deallocation of an input moves behind the kernel.
    if (isQuiet(op) || isa<memref::DeallocOp>(op))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool disturbs = linalgOp && linalgOp.hasPureBufferSemantics()
                        ? bufferUseOf(linalgOp).writesAny(reads)
                        : llvm::any_of(reads, [&](Value base) {
                            return touches(op, base);
                          });
    if (disturbs)
      return nullptr;
  }
  return map;
}

double shardir::bytesPerElement(linalg::LinalgOp map) {
  double bytes = 0;
  for (OpOperand *input : map.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    // Operands indexed by all loops are read for each element, others come from
    // caches.
    if (type &&
        map.getMatchingIndexingMap(input).getNumResults() == map.getNumLoops())
      bytes += double(elementBytes(type.getElementType()));
  }
  return bytes;
}

FailureOr<Prologue> Prologue::create(KernelEmitter &emit,
                                     const Contraction &contraction,
                                     linalg::LinalgOp map, unsigned input) {
  Prologue result;
  result.contraction = &contraction;
  FailureOr<LoopNest> nest = makeLoopNest(map, emit, /*merge=*/false);
  if (failed(nest))
    return failure();
  result.nest = *nest;
  linalg::LinalgOp op = contraction.op;
  AffineMap made = map.getIndexingMapsArray().back(),
            used = op.getIndexingMapsArray()[input];
  result.loops.assign(map.getNumLoops(), -1);
  result.places.assign(map.getNumLoops(), 0);
  for (auto [mapLoop, place] :
       llvm::zip(made.getResults(), used.getResults())) {
    unsigned at = cast<AffineDimExpr>(mapLoop).getPosition();
    if (auto dim = dyn_cast<AffineDimExpr>(place))
      result.loops[at] = int(dim.getPosition());
    else
      result.places[at] = cast<AffineConstantExpr>(place).getValue();
  }
  return result;
}

SmallVector<Index> shardir::opIvsOf(KernelEmitter &emit,
                                    const Contraction &contraction,
                                    ArrayRef<Index> ivs) {
  SmallVector<Index> opIvs(contraction.opExtents.size(), emit.constant(0));
  for (auto [loop, parts] : llvm::enumerate(contraction.parts)) {
    SmallVector<Index> extents;
    for (int part : parts)
      extents.push_back(contraction.opExtents[part]);
    for (auto [part, iv] : llvm::zip(parts, emit.decode(ivs[loop], extents)))
      opIvs[part] = iv;
  }
  return opIvs;
}

Value Prologue::at(KernelEmitter &emit, ArrayRef<Index> ivs) const {
  SmallVector<Index> opIvs = opIvsOf(emit, *contraction, ivs);
  SmallVector<Index> mapIvs;
  for (auto [loop, place] : llvm::zip(loops, places))
    mapIvs.push_back(loop < 0 ? emit.constant(place) : opIvs[loop]);
  return runScalarBody(emit, nest, mapIvs)[0];
}
