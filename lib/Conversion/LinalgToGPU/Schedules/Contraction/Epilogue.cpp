//===- Epilogue.cpp - What a contraction takes along ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a contraction on memrefs. A map is taken along if it is the next op
// that touches C, reads it under one name at each place once, and nothing in
// between depends on it. The map sees what memory would have held: sums are
// rounded to C's type first.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "../BufferUse.h"
#include "Common/VectorBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr unsigned maxWindow = 24;

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// True if `op` maps each element of `c` to one of each result.
bool isMapOf(linalg::LinalgOp op, Value c) {
  if (op.getNumParallelLoops() != op.getNumLoops() || !hasLoopNest(op) ||
      isa<linalg::FillOp>(op.getOperation()))
    return false;
  bool found = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) && !map.isPermutation())
      return false;
    if (!isa<MemRefType>(operand.get().getType()) ||
        baseOf(operand.get()) != baseOf(c))
      continue;
    if (operand.get() != c || !map.isPermutation())
      return false;
    // C itself may be written in place, at the same element.
    found |= !op.isDpsInit(&operand);
    if (op.isDpsInit(&operand) && op.payloadUsesValueFromOperand(&operand))
      return false;
    if (op.isDpsInit(&operand))
      for (OpOperand *input : op.getDpsInputOperands())
        if (input->get() == c && op.getMatchingIndexingMap(input) != map)
          return false;
  }
  bool loads = false;
  op.getBlock()->walk([&](memref::LoadOp load) {
    loads |= baseOf(load.getMemref()) == baseOf(c);
  });
  return found && !loads;
}

unsigned readsOf(linalg::LinalgOp op, Value c) {
  return llvm::count(op.getDpsInputs(), c);
}
} // namespace

Value shardir::addSums(KernelEmitter &emit, Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::AddFOp::create(emit.builder, emit.loc, a, b);
  return arith::AddIOp::create(emit.builder, emit.loc, a, b);
}

ContractionNeighbours shardir::findNeighbours(linalg::LinalgOp contraction) {
  ContractionNeighbours result;
  Value c = contraction.getDpsInits()[0];
  BufferUse mine = bufferUseOf(contraction);
  SmallVector<Value> factors;
  for (Value input : contraction.getDpsInputs())
    factors.push_back(baseOf(input));
  llvm::SmallPtrSet<Operation *, 4> members;
  members.insert(contraction);

  unsigned seen = 0;
  for (Operation *op = contraction->getPrevNode(); op && seen < maxWindow;
       op = op->getPrevNode(), ++seen) {
    if (isQuiet(op) || !touches(op, c)) {
      // Loops and calls that do not name the buffer cannot touch it.
      continue;
    }
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (fill && fill.getDpsInits()[0] == c && isZero(fill.getInputs()[0])) {
      result.zeros = fill;
      result.fillIsDead = true;
      members.insert(fill);
    }
    break;
  }

  // A map must not see more of C than the contraction writes.
  bool full =
      llvm::all_of(contraction.getIndexingMapsArray().back().getResults(),
                   [](AffineExpr expr) { return isa<AffineDimExpr>(expr); });
  seen = 0;
  for (Operation *op = contraction->getNextNode();
       op && full && seen < maxWindow; op = op->getNextNode(), ++seen) {
    if (isQuiet(op) || isa<memref::DeallocOp>(op))
      continue;
    auto next = dyn_cast<linalg::LinalgOp>(op);
    if (!next || !next.hasPureBufferSemantics())
      break;
    BufferUse use = bufferUseOf(next);
    // Blocks that are done must not write what others still read.
    if (isMapOf(next, c) && readsOf(next, c) == 1 && !use.writesAny(factors)) {
      result.map = next;
      members.insert(next);
      break;
    }
    if (!independent(mine, use))
      break;
  }

  Operation *last = result.last(contraction);
  OtherUses others = otherUsesOf(c, members, last);
  result.resultEscapes = others.escapes;
  for (Value base : mine.reads)
    for (Operation *free : otherUsesOf(base, members, last).earlyFrees)
      if (!llvm::is_contained(others.earlyFrees, free))
        others.earlyFrees.push_back(free);
  result.earlyFrees = others.earlyFrees;
  return result;
}

void shardir::takePrologue(ContractionNeighbours &neighbours,
                           linalg::LinalgOp contraction, unsigned input,
                           linalg::LinalgOp map) {
  neighbours.prologues[input] = map;
  llvm::SmallPtrSet<Operation *, 2> members = {map, contraction};
  Operation *last = neighbours.last(contraction);
  for (Value base : bufferUseOf(map).reads)
    for (Operation *free : otherUsesOf(base, members, last).earlyFrees)
      if (!llvm::is_contained(neighbours.earlyFrees, free))
        neighbours.earlyFrees.push_back(free);
}

void shardir::eraseContraction(RewriterBase &rewriter, linalg::LinalgOp op,
                               const ContractionNeighbours &neighbours) {
  Operation *last = neighbours.last(op);
  for (Operation *free : neighbours.earlyFrees)
    rewriter.moveOpAfter(free, last);
  if (neighbours.map)
    rewriter.eraseOp(neighbours.map);
  rewriter.eraseOp(op);
  for (linalg::LinalgOp prologue : neighbours.prologues)
    if (prologue)
      rewriter.eraseOp(prologue);
  if (neighbours.fillIsDead)
    rewriter.eraseOp(neighbours.zeros);
}

FailureOr<Epilogue> Epilogue::create(KernelEmitter &emit,
                                     const Contraction &contraction,
                                     const ContractionNeighbours &neighbours,
                                     const NestOperand &c) {
  Epilogue result;
  result.contraction = &contraction;
  result.startsAtZero = static_cast<bool>(neighbours.zeros);
  result.c = c;
  for (auto [input, map] : llvm::enumerate(neighbours.prologues)) {
    if (!map)
      continue;
    FailureOr<Prologue> prologue =
        Prologue::create(emit, contraction, map, input);
    if (failed(prologue))
      return failure();
    result.prologues[input] = *prologue;
  }
  if (!neighbours.map)
    return result;
  linalg::LinalgOp map = neighbours.map;
  FailureOr<LoopNest> nest = makeLoopNest(map, emit, /*merge=*/false);
  if (failed(nest))
    return failure();
  result.map = *nest;
  linalg::LinalgOp op = contraction.op;
  Value buffer = op.getDpsInits()[0];
  bool overwritten = llvm::is_contained(map.getDpsInits(), buffer);
  result.storesResult = neighbours.resultEscapes && !overwritten;
  AffineMap resultMap = op.getIndexingMapsArray().back();
  for (auto [i, input] : llvm::enumerate(map.getDpsInputOperands())) {
    if (input->get() != buffer)
      continue;
    result.mapInput = i;
    AffineMap inputMap = map.getMatchingIndexingMap(input);
    result.loops.assign(map.getNumLoops(), -1);
    for (auto [mapLoop, loop] :
         llvm::zip(inputMap.getResults(), resultMap.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(loop))
        result.loops[cast<AffineDimExpr>(mapLoop).getPosition()] =
            dim.getPosition();
  }
  ArrayRef<int> columns = contraction.parts[contraction.n];
  auto loop = columns.empty() ? result.loops.end()
                              : llvm::find(result.loops, columns.back());
  for (unsigned i = 0; i < nest->numInputs(); ++i) {
    const NestOperand &operand = nest->operands[i];
    int along = int(loop - result.loops.begin());
    bool known = loop != result.loops.end() && i != result.mapInput &&
                 !operand.scalar && !operand.element.isInteger(1);
    result.pairs.push_back(!known                     ? Pair::None
                           : operand.isUniform(along) ? Pair::Same
                           : operand.isUnit(along) &&
                                   emit.isAligned(operand, along, 2).always()
                               ? Pair::Vector
                               : Pair::None);
  }
  return result;
}

bool Epilogue::isPaired(KernelEmitter &emit) const {
  int n = contraction->n;
  auto extent = LoopEmitter::known(contraction->extents[n]);
  if (!extent || *extent % 2 != 0 || elementBytes(c.element) < 2)
    return false;
  if ((storesResult || !startsAtZero) && !emit.isAligned(c, n, 2).always())
    return false;
  if (!map)
    return true;
  // One loop of the map must stand for n, so that neighbours are neighbours.
  if (contraction->parts[n].empty())
    return false;
  int last = contraction->parts[n].back();
  auto found = llvm::find(loops, last);
  auto minor = LoopEmitter::known(contraction->opExtents[last]);
  if (found == loops.end() || !minor || *minor % 2 != 0)
    return false;
  int loop = found - loops.begin();
  return llvm::all_of(map->results(), [&](const NestOperand &operand) {
    return operand.isUnit(loop) && elementBytes(operand.element) >= 2 &&
           emit.isAligned(operand, loop, 2).always();
  });
}

SmallVector<Index> Epilogue::mapIvsOf(KernelEmitter &emit,
                                      ArrayRef<Index> ivs) const {
  SmallVector<Index> opIvs = opIvsOf(emit, *contraction, ivs), result;
  for (int loop : loops)
    result.push_back(loop < 0 ? emit.constant(0) : opIvs[loop]);
  return result;
}

Epilogue::Loaded Epilogue::load(KernelEmitter &emit,
                                ArrayRef<Index> ivs) const {
  Loaded lanes;
  if (!map)
    return lanes;
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  SmallVector<Index> mapIvs = mapIvsOf(emit, ivs);
  for (SmallVector<Value> &inputs : lanes)
    inputs.resize(map->numInputs());
  linalg::LinalgOp op = map->getOp();
  for (unsigned i = 0; i < map->numInputs(); ++i) {
    const NestOperand &operand = map->operands[i];
    if (pairs[i] == Pair::None || op.getBlock()->getArgument(i).use_empty())
      continue;
    Value at = map->address(emit, operand, mapIvs);
    if (pairs[i] == Pair::Same) {
      lanes[0][i] = lanes[1][i] =
          memref::LoadOp::create(builder, loc, operand.flat, at);
      continue;
    }
    Value both = vector::LoadOp::create(
        builder, loc, VectorType::get(2, operand.element), operand.flat, at);
    for (int64_t lane : {0, 1})
      lanes[lane][i] = vector::ExtractOp::create(builder, loc, both, lane);
  }
  return lanes;
}

Index Epilogue::addressOf(KernelEmitter &emit, ArrayRef<Index> ivs) const {
  return c.address(emit, ivs);
}

SmallVector<Value> Epilogue::elementsOf(KernelEmitter &emit,
                                        ArrayRef<Index> ivs,
                                        ArrayRef<Value> sums) const {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index at = addressOf(emit, ivs);
  SmallVector<Value> values(sums);
  for (auto [i, value] : llvm::enumerate(values)) {
    Type wide = value.getType();
    if (!startsAtZero) {
      Value old = memref::LoadOp::create(
          builder, loc, c.flat, emit.value(emit.add(at, emit.constant(i))));
      if (c.element != wide)
        old = arith::ExtFOp::create(builder, loc, wide, old);
      value = addSums(emit, old, value);
    }
    if (c.element != wide)
      value = arith::TruncFOp::create(builder, loc, c.element, value);
  }
  return values;
}

SmallVector<SmallVector<Value>> Epilogue::mapAll(KernelEmitter &emit,
                                                 ArrayRef<Index> mapIvs,
                                                 ArrayRef<Value> elements,
                                                 const Loaded &loaded) const {
  int minor = contraction->parts[contraction->n].empty()
                  ? -1
                  : contraction->parts[contraction->n].back();
  SmallVector<SmallVector<Value>> results;
  for (auto [i, value] : llvm::enumerate(elements)) {
    SmallVector<Index> here(mapIvs);
    for (auto [loop, iv] : llvm::zip(loops, here))
      if (loop == minor)
        iv = emit.add(iv, emit.constant(i));
    SmallVector<Value> inputs(map->numInputs());
    if (elements.size() == 2)
      inputs = loaded[i];
    inputs[mapInput] = value;
    results.push_back(runScalarBody(emit, *map, here, inputs));
  }
  return results;
}

void Epilogue::finish(KernelEmitter &emit, ArrayRef<Index> ivs,
                      ArrayRef<Value> sums) const {
  SmallVector<Value> elements = elementsOf(emit, ivs, sums);
  if (storesResult)
    storeRow(emit, c, emit.value(addressOf(emit, ivs)), elements);
  if (!map)
    return;
  SmallVector<Index> mapIvs = mapIvsOf(emit, ivs);
  SmallVector<SmallVector<Value>> results =
      mapAll(emit, mapIvs, elements,
             elements.size() == 2 ? load(emit, ivs) : Loaded());
  for (auto [r, operand] : llvm::enumerate(map->results())) {
    SmallVector<Value> row;
    for (const SmallVector<Value> &of : results)
      row.push_back(of[r]);
    storeRow(emit, operand, map->address(emit, operand, mapIvs), row);
  }
}

SmallVector<SmallVector<Value>> Epilogue::valuesOf(KernelEmitter &emit,
                                                   ArrayRef<Index> ivs,
                                                   ArrayRef<Value> sums,
                                                   const Loaded *loaded) const {
  SmallVector<Value> elements = elementsOf(emit, ivs, sums);
  SmallVector<SmallVector<Value>> values;
  if (storesResult)
    values.push_back(elements);
  if (!map)
    return values;
  SmallVector<SmallVector<Value>> mapped = mapAll(
      emit, mapIvsOf(emit, ivs), elements, loaded ? *loaded : load(emit, ivs));
  for (size_t r = 0; r < map->results().size(); ++r) {
    values.emplace_back();
    for (const SmallVector<Value> &of : mapped)
      values.back().push_back(of[r]);
  }
  return values;
}

std::optional<SmallVector<NestOperand>> Epilogue::results() const {
  SmallVector<NestOperand> found;
  if (storesResult)
    found.push_back(c);
  if (map)
    for (const NestOperand &result : map->results()) {
      std::optional<NestOperand> of = alongLoops(result);
      if (!of)
        return std::nullopt;
      found.push_back(*of);
    }
  return found;
}

std::optional<NestOperand> Epilogue::alongLoops(NestOperand result) const {
  SmallVector<Index> strides;
  auto strideOf = [&](int opLoop) -> Index {
    auto found = llvm::find(loops, opLoop);
    return found == loops.end() ? Index()
                                : result.strides[found - loops.begin()];
  };
  for (ArrayRef<int> parts : contraction->parts) {
    Index stride = parts.empty() ? Index() : strideOf(parts.back());
    // Loops that are one in the product must be one in the result.
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      Index major = strideOf(parts[i]), minor = strideOf(parts[i + 1]);
      auto majorStep = major ? LoopEmitter::known(major) : std::nullopt,
           minorStep = minor ? LoopEmitter::known(minor) : std::nullopt,
           extent = LoopEmitter::known(contraction->opExtents[parts[i + 1]]);
      if (!majorStep || !minorStep || !extent ||
          *majorStep != *minorStep * *extent)
        return std::nullopt;
    }
    strides.push_back(
        stride ? stride
               : Index(IntegerAttr::get(
                     IndexType::get(result.element.getContext()), 0)));
  }
  result.strides = strides;
  return result;
}
