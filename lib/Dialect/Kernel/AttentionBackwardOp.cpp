//===- AttentionBackwardOp.cpp - The gradients of attention ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backward op's roles of loops, its verifier and its tiles. Guarantees of
// an op that verifies: every loop has one role, and extents agree where they
// are known. Batch loops, m and n may be cut anywhere: a tile adds to what its
// part of the inits holds. k and v stay untiled, scores are not linear in them.
//
//===----------------------------------------------------------------------===//

#include "LoopMaps.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace shardir::kernel;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<unsigned> AttentionBackwardOp::Loops::scores() const {
  SmallVector<unsigned> loops(batch);
  llvm::append_range(loops, m);
  llvm::append_range(loops, n);
  llvm::sort(loops);
  return loops;
}

AffineMap AttentionBackwardOp::getMap(unsigned operand) {
  return LoopMaps(*this, getIndexingMaps()).of(operand);
}

unsigned AttentionBackwardOp::getNumLoops() { return getMap(0u).getNumDims(); }

FloatType AttentionBackwardOp::getComputeType() {
  return cast<FloatType>(
      cast<ShapedType>(getQueryGradient().getType()).getElementType());
}

AttentionBackwardOp::Loops AttentionBackwardOp::getLoops() {
  unsigned first = getFirstInit();
  AffineMap query = getMap(first), key = getMap(first + 1),
            value = getMap(first + 2);
  Loops loops;
  for (unsigned loop = 0; loop < getNumLoops(); ++loop) {
    bool inQuery = query.isFunctionOfDim(loop),
         inKey = key.isFunctionOfDim(loop),
         inValue = value.isFunctionOfDim(loop);
    (inQuery ? inKey ? inValue ? loops.batch : loops.k : loops.m
     : inKey ? loops.n
             : loops.v)
        .push_back(loop);
  }
  return loops;
}

SmallVector<int64_t> AttentionBackwardOp::getStaticLoopExtents() {
  return LoopMaps(*this, getIndexingMaps()).staticExtents();
}

SmallVector<OpFoldResult>
AttentionBackwardOp::getLoopExtents(OpBuilder &builder) {
  return LoopMaps(*this, getIndexingMaps()).extents(builder);
}

void AttentionBackwardOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addDestinationEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// "query", "extra 0", …: how errors name an operand.
static std::string nameOf(AttentionBackwardOp op, unsigned operand) {
  static constexpr llvm::StringLiteral inputs[] = {"query", "key", "value",
                                                   "gradient"};
  static constexpr llvm::StringLiteral inits[] = {
      "query_gradient", "key_gradient", "value_gradient"};
  if (operand < 4)
    return inputs[operand].str();
  unsigned first = op.getFirstInit();
  if (operand >= first)
    return inits[operand - first].str();
  return ("extra " + Twine(operand - 4)).str();
}

std::string AttentionBackwardOp::findMisplacedLoop(ArrayRef<AffineMap> maps) {
  size_t first = maps.size() - 3;
  for (unsigned loop = 0; loop < maps.front().getNumDims(); ++loop) {
    // Bit i: in query, key, value, gradient; in the results likewise.
    unsigned inputs = 0, results = 0;
    for (unsigned i = 0; i < 4; ++i)
      inputs |= unsigned(maps[i].isFunctionOfDim(loop)) << i;
    for (unsigned i = 0; i < 3; ++i)
      results |= unsigned(maps[first + i].isFunctionOfDim(loop)) << i;
    bool inExtra = llvm::any_of(maps.slice(4, first - 4), [&](AffineMap extra) {
      return extra.isFunctionOfDim(loop);
    });
    auto is = [&](const char *what) {
      return ("loop " + Twine(loop) + " is " + what).str();
    };
    switch (results) {
    case 0b111:
      break;
    case 0b001:
      if (inputs != 0b1001)
        return is("in query_gradient alone: it must be in query and gradient, "
                  "and in neither key nor value");
      break;
    case 0b110:
      if (inputs != 0b0110)
        return is("in key_gradient and value_gradient: it must be in key and "
                  "value, and in neither query nor gradient");
      break;
    case 0b011:
      if (inputs != 0b0011 || inExtra)
        return is("in query_gradient and key_gradient: it must be in query and "
                  "key, and in no other input");
      break;
    case 0b100:
      if (inputs != 0b1100 || inExtra)
        return is("in value_gradient alone: it must be in value and gradient, "
                  "and in no other input");
      break;
    default:
      return is("in none of the results, or in those of queries and values "
                "alone, or in that of keys alone");
    }
  }
  return "";
}

static LogicalResult verifyTypes(AttentionBackwardOp op) {
  auto element = [&](unsigned operand) {
    return cast<ShapedType>(op->getOperand(operand).getType()).getElementType();
  };
  unsigned first = op.getFirstInit();
  Type compute = element(first);
  for (unsigned init = first; init < first + 3; ++init)
    if (element(init) != compute || !(compute.isF32() || compute.isF64()))
      return op.emitOpError()
             << "the gradients in outs must all have elements of f32, or all "
                "of f64, found "
             << element(init) << " in " << nameOf(op, init);
  for (unsigned input = 0; input < 4; ++input) {
    if (!isa<FloatType>(element(input)))
      return op.emitOpError()
             << nameOf(op, input)
             << " must have elements of a float type, found " << element(input);
    if (element(input).getIntOrFloatBitWidth() >
        compute.getIntOrFloatBitWidth())
      return op.emitOpError() << nameOf(op, input) << " of " << element(input)
                              << " needs outs of f64";
  }
  return success();
}

LogicalResult AttentionBackwardOp::verify() {
  LoopMaps maps(*this, getIndexingMaps());
  auto name = [&](unsigned operand) { return nameOf(*this, operand); };
  if (failed(maps.verify(/*inits=*/3, name)))
    return failure();
  std::string misplaced = findMisplacedLoop(
      llvm::to_vector(getIndexingMaps().getAsValueRange<AffineMapAttr>()));
  if (!misplaced.empty())
    return emitOpError(misplaced);
  if (failed(verifyTypes(*this)))
    return failure();
  int64_t last = -1;
  for (int64_t number : getUnwanted().value_or(ArrayRef<int64_t>())) {
    if (number <= last || number > 2)
      return emitOpError("unwanted must hold numbers of results from 0 to 2, "
                         "in ascending order, found ")
             << number;
    last = number;
  }
  if (getUnwanted().value_or(ArrayRef<int64_t>()).size() == 3)
    return emitOpError("unwanted must leave one of the results");
  Type compute = getComputeType();
  SmallVector<Type> expected = {compute, compute};
  for (Value extra : getExtras())
    expected.push_back(cast<ShapedType>(extra.getType()).getElementType());
  if (failed(verifyScalarBody(
          *this, getBody(), "the body", expected,
          "a score and a probability's gradient of the results' type, and one "
          "element of each extra operand",
          2)))
    return failure();
  for (Value yielded : getBody().front().getTerminator()->getOperands())
    if (!isa<FloatType>(yielded.getType()) ||
        yielded.getType().getIntOrFloatBitWidth() >
            compute.getIntOrFloatBitWidth())
      return emitOpError() << "the body must yield float types no wider than "
                           << compute << ", found " << yielded.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> AttentionBackwardOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getNumLoops(),
                                         utils::IteratorType::reduction);
  for (unsigned loop : getLoops().batch)
    types[loop] = utils::IteratorType::parallel;
  return types;
}

SmallVector<Range> AttentionBackwardOp::getIterationDomain(OpBuilder &builder) {
  return LoopMaps(*this, getIndexingMaps()).domain(builder);
}

FailureOr<TilingResult>
AttentionBackwardOp::getTiledImplementation(OpBuilder &builder,
                                            ArrayRef<OpFoldResult> offsets,
                                            ArrayRef<OpFoldResult> sizes) {
  Loops loops = getLoops();
  return LoopMaps(*this, getIndexingMaps())
      .tiled(builder, offsets, sizes, {loops.k, loops.v},
             "is summed in scores or their gradients");
}

LogicalResult AttentionBackwardOp::getResultTilePosition(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  LoopMaps(*this, getIndexingMaps())
      .positionOf(builder, getFirstInit() + resultNumber, offsets, sizes,
                  resultOffsets, resultSizes);
  return success();
}
