//===- Contraction.cpp - Recognising contractions -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a linalg op on memrefs. Guarantees a role for every loop: which of
// them are m, n and k of the 2-D product, and which run around it. Neighbouring
// loops that are one in memory are merged first, so that [b, s, d] x [d, h, e]
// is one product of b*s rows and h*e columns.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "LoopNest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
/// `value` or what it widens.
template <class... Extension> Value skipExtension(Value value) {
  Operation *cast = value.getDefiningOp();
  return cast && isa<Extension...>(cast) ? cast->getOperand(0) : value;
}

/// True if the body is yield(c + a * b), in any order, a and b maybe widened.
template <class Add, class Mul, class... Extension>
bool hasContractionBody(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (!body || body->getNumArguments() != 3)
    return false;
  BlockArgument a = body->getArgument(0), b = body->getArgument(1),
                c = body->getArgument(2);
  auto add = body->getTerminator()->getOperand(0).template getDefiningOp<Add>();
  if (!add)
    return false;
  Value product = add.getLhs() == c   ? add.getRhs()
                  : add.getRhs() == c ? add.getLhs()
                                      : Value();
  auto mul = product ? product.template getDefiningOp<Mul>() : nullptr;
  if (!mul)
    return false;
  Value x = skipExtension<Extension...>(mul.getLhs()),
        y = skipExtension<Extension...>(mul.getRhs());
  return (x == a && y == b) || (x == b && y == a);
}

bool isSupportedFloat(Type type) {
  return type.isF32() || type.isF64() || type.isBF16() || type.isF16();
}

bool isPlainMap(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr result : map.getResults()) {
    if (isa<AffineConstantExpr>(result))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || seen[dim.getPosition()])
      return false;
    seen.set(dim.getPosition());
  }
  return true;
}

/// Where loop `dim` stands in `map`'s results; -1 if it doesn't.
int positionOf(AffineMap map, int dim) {
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (auto expr = dyn_cast<AffineDimExpr>(result);
        expr && static_cast<int>(expr.getPosition()) == dim)
      return position;
  return -1;
}

/// True if every result is a constant plus a sum of scaled loops.
bool isLinearMap(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    int64_t constant = 0;
    SmallVector<int64_t> coefficients(map.getNumDims(), 0);
    return succeeded(linearize(expr, 1, constant, coefficients));
  });
}

int64_t weight(Index extent) {
  return LoopEmitter::known(extent).value_or(1024);
}

ContractionOperand makeOperand(LoopEmitter &emit, OpOperand &operand,
                               AffineMap map, SmallVector<Index> &extents) {
  ContractionOperand result;
  result.memref = operand.get();
  result.map = map;
  auto type = cast<MemRefType>(operand.get().getType());
  result.element = type.getElementType();
  auto metadata = memref::ExtractStridedMetadataOp::create(
      emit.builder, emit.loc, operand.get());
  result.base = metadata.getBaseBuffer();
  result.offset = metadata.getConstifiedMixedOffset();
  SmallVector<Index> strides = metadata.getConstifiedMixedStrides();
  SmallVector<Index> sizes = metadata.getConstifiedMixedSizes();
  result.strides.assign(map.getNumDims(), emit.constant(0));
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    int64_t constant = 0;
    SmallVector<int64_t> coefficients(map.getNumDims(), 0);
    (void)linearize(expr, 1, constant, coefficients);
    result.offset = emit.add(
        result.offset, emit.mul(emit.constant(constant), strides[position]));
    for (auto [dim, coefficient] : llvm::enumerate(coefficients))
      if (coefficient != 0)
        result.strides[dim] =
            emit.add(result.strides[dim],
                     emit.mul(emit.constant(coefficient), strides[position]));
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    Index &extent = extents[dim.getPosition()];
    if (!extent || !LoopEmitter::known(extent))
      extent = sizes[position];
  }
  return result;
}

/// True if moving loop `major` by one moves as far as the whole of `minor`.
bool areOneInMemory(const ContractionOperand &operand, int major, int minor,
                    Index minorExtent) {
  bool majorMoves = operand.map.isFunctionOfDim(major),
       minorMoves = operand.map.isFunctionOfDim(minor);
  if (!majorMoves && !minorMoves)
    return true;
  if (!majorMoves || !minorMoves)
    return false;
  auto extent = LoopEmitter::known(minorExtent);
  auto majorStride = LoopEmitter::known(operand.strides[major]),
       minorStride = LoopEmitter::known(operand.strides[minor]);
  if (extent && majorStride && minorStride)
    return *majorStride == *minorStride * *extent;
  int majorAt = positionOf(operand.map, major),
      minorAt = positionOf(operand.map, minor);
  return cast<MemRefType>(operand.memref.getType()).getLayout().isIdentity() &&
         majorAt >= 0 && minorAt == majorAt + 1;
}
} // namespace

bool shardir::hasUnitColumns(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto type = dyn_cast<MemRefType>(op.getDpsInits()[0].getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return false;
  for (auto [expr, stride] : llvm::zip(maps.back().getResults(), strides)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && stride == 1 &&
        maps[0].isFunctionOfDim(dim.getPosition()) !=
            maps[1].isFunctionOfDim(dim.getPosition()))
      return true;
  }
  return false;
}

/// True if the loops and maps are those of products of matrices.
static bool hasContractionLoops(linalg::LinalgOp op, bool windows) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.getNumParallelLoops() == 0)
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<ShapedType>(operand.get().getType()))
      return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, windows ? isLinearMap : isPlainMap) ||
      !isPlainMap(maps[2]))
    return false;
  // Every loop has a role: reductions are in A and B, the others in C and at
  // least one of A and B.
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    bool a = maps[0].isFunctionOfDim(dim), b = maps[1].isFunctionOfDim(dim),
         c = maps[2].isFunctionOfDim(dim);
    if (c ? !a && !b : !a || !b)
      return false;
  }
  return true;
}

bool shardir::isFloatContraction(linalg::LinalgOp op, bool windows) {
  return hasContractionLoops(op, windows) &&
         llvm::all_of(op->getOperands(),
                      [](Value operand) {
                        return isSupportedFloat(getElementTypeOrSelf(operand));
                      }) &&
         hasContractionBody<arith::AddFOp, arith::MulFOp, arith::ExtFOp>(op);
}

bool shardir::isByteContraction(linalg::LinalgOp op, bool mixed) {
  if (!hasContractionLoops(op, /*windows=*/false))
    return false;
  Type a = getElementTypeOrSelf(op.getDpsInputs()[0]),
       b = getElementTypeOrSelf(op.getDpsInputs()[1]),
       c = getElementTypeOrSelf(op.getDpsInits()[0]);
  if (a != b)
    return false;
  if (isa<Float8E4M3FNType, Float8E5M2Type>(a))
    return (c.isF32() || c.isBF16() || c.isF16()) &&
           hasContractionBody<arith::AddFOp, arith::MulFOp, arith::ExtFOp>(op);
  return a.isInteger(8) && c.isInteger(32) &&
         (hasContractionBody<arith::AddIOp, arith::MulIOp, arith::ExtSIOp>(
              op) ||
          hasUnsignedBytes(op) ||
          (mixed && hasContractionBody<arith::AddIOp, arith::MulIOp,
                                       arith::ExtSIOp, arith::ExtUIOp>(op)));
}

bool shardir::hasUnsignedBytes(linalg::LinalgOp op) {
  return hasContractionBody<arith::AddIOp, arith::MulIOp, arith::ExtUIOp>(op);
}

FailureOr<Contraction> shardir::matchContraction(linalg::LinalgOp op,
                                                 LoopEmitter &emit,
                                                 bool windows) {
  if (!op.hasPureBufferSemantics() ||
      !(isFloatContraction(op, windows) ||
        isByteContraction(op, /*mixed=*/true) || op->hasAttr(kScaledProduct)))
    return failure();
  Contraction result;
  result.op = op;
  int loops = op.getNumLoops();
  result.extents.assign(loops, Index());
  OpOperand *values[] = {&op->getOpOperand(0), &op->getOpOperand(1),
                         &op.getDpsInitsMutable()[0]};
  AffineMap maps[3];
  ContractionOperand *operands[] = {&result.a, &result.b, &result.c};
  for (int i = 0; i < 3; ++i) {
    maps[i] = op.getMatchingIndexingMap(values[i]);
    *operands[i] = makeOperand(emit, *values[i], maps[i], result.extents);
  }
  for (int i = 0; i < 2; ++i)
    operands[i]->isUnsigned =
        llvm::any_of(op.getBlock()->getArgument(i).getUsers(),
                     llvm::IsaPred<arith::ExtUIOp>);
  Type c = result.c.element;
  result.accumulator =
      c.isF64() || c.isInteger(32) ? c : emit.builder.getF32Type();

  // Roles, and loops that are one in memory for all operands.
  SmallVector<int> role(loops);
  for (int dim = 0; dim < loops; ++dim)
    for (int i = 0; i < 3; ++i)
      role[dim] |= maps[i].isFunctionOfDim(dim) << i;
  SmallVector<bool> merged(loops, false);
  result.opExtents = result.extents;
  for (int dim = 0; dim < loops; ++dim)
    result.parts.push_back({dim});
  for (bool changed = true; changed;) {
    changed = false;
    for (int major = 0; major < loops; ++major)
      for (int minor = 0; minor < loops; ++minor) {
        if (major == minor || merged[major] || merged[minor] ||
            role[major] != role[minor] ||
            !llvm::all_of(operands, [&](ContractionOperand *operand) {
              return areOneInMemory(*operand, major, minor,
                                    result.extents[minor]);
            }))
          continue;
        result.extents[minor] =
            emit.mul(result.extents[major], result.extents[minor]);
        SmallVector<int> &all = result.parts[major];
        all.append(result.parts[minor]);
        result.parts[minor] = std::move(all);
        result.parts[major].clear();
        merged[major] = changed = true;
      }
  }

  enum { inA = 1, inB = 2, inC = 4 };
  auto isUnit = [](const ContractionOperand &operand, int dim) {
    return dim >= 0 && LoopEmitter::isKnown(operand.strides[dim], 1);
  };
  auto choose = [&](int wanted, auto prefer) {
    int best = -1;
    int64_t bestWeight = 0;
    for (int dim = 0; dim < loops; ++dim) {
      if (merged[dim] || role[dim] != wanted)
        continue;
      int64_t w = weight(result.extents[dim]) * (prefer(dim) ? 1 << 20 : 1);
      if (best < 0 || w > bestWeight) {
        best = dim;
        bestWeight = w;
      }
    }
    return best;
  };
  auto unitInC = [&](int dim) { return isUnit(result.c, dim); };
  int n = choose(inB | inC, unitInC);
  if (!unitInC(n)) {
    // C's rows run along a dim that only A has: transpose the product.
    n = choose(inA | inC, unitInC);
    if (!unitInC(n))
      return failure();
    std::swap(result.a, result.b);
    for (int &bits : role)
      bits = (bits & inC) | (bits & inA ? inB : 0) | (bits & inB ? inA : 0);
  }
  result.n = n;
  result.m = choose(inA | inC, [](int) { return false; });
  result.k = choose(inA | inB, [&](int dim) {
    return isUnit(result.a, dim) || isUnit(result.b, dim);
  });
  for (int dim = 0; dim < loops; ++dim) {
    if (merged[dim] || dim == result.m || dim == result.n || dim == result.k)
      continue;
    (role[dim] & inC ? result.outer : result.outerK).push_back(dim);
  }
  return result;
}

ContractionShape Contraction::shape() const {
  auto extent = [&](int dim) {
    return dim < 0 ? 1
                   : LoopEmitter::known(extents[dim])
                         .value_or(ContractionShape::unknown);
  };
  ContractionShape shape;
  shape.m = extent(m);
  shape.n = extent(n);
  shape.k = extent(k);
  for (int dim : outer) {
    int64_t factor = extent(dim);
    shape.batch = factor < 0 || shape.batch < 0 ? ContractionShape::unknown
                                                : shape.batch * factor;
  }
  auto unit = [](const ContractionOperand &operand, int dim) {
    return dim >= 0 && LoopEmitter::isKnown(operand.strides[dim], 1);
  };
  shape.accumulatorBits = accumulator.getIntOrFloatBitWidth();
  using Operands = ContractionShape::Operands;
  if (a.element == b.element)
    shape.operands = a.element.isBF16()        ? Operands::Bf16
                     : a.element.isF16()       ? Operands::F16
                     : !a.element.isInteger(8) ? Operands::Other
                     : a.isUnsigned != b.isUnsigned
                         ? (a.isUnsigned ? Operands::U8I8 : Operands::I8U8)
                     : a.isUnsigned ? Operands::U8
                                    : Operands::I8;
  shape.aUnitK = unit(a, k);
  shape.aUnitM = unit(a, m);
  shape.bUnitN = unit(b, n);
  shape.bUnitK = unit(b, k);
  shape.roundsResult = c.element != accumulator;
  return shape;
}

std::string Contraction::problem() const {
  ContractionShape shape = this->shape();
  if (shape.m < 0 || shape.n < 0 || shape.k < 0 || shape.batch < 0 ||
      !outerK.empty() || !(shape.aUnitK || shape.aUnitM) ||
      !(shape.bUnitN || shape.bUnitK))
    return "";
  int64_t sizes[] = {shape.batch, shape.m, shape.n, shape.k};
  std::string text;
  llvm::raw_string_ostream out(text);
  auto add = [&](const ContractionOperand &operand, int row, int column,
                 bool transposed) {
    if (transposed)
      std::swap(row, column);
    SmallVector<int> loops = {row, column};
    if (shape.batch != 1)
      loops.insert(loops.begin(), 0);
    for (int loop : loops)
      out << sizes[loop] << "x";
    if (operand.isUnsigned)
      out << "u";
    out << operand.element << "[";
    llvm::interleaveComma(
        loops, out, [&](int loop) { out << "d" << loop - (shape.batch == 1); });
    out << "]";
  };
  out << "contraction(";
  add(a, 1, 3, !shape.aUnitK);
  out << ", ";
  add(b, 3, 2, !shape.bUnitN);
  out << ", ";
  add(c, 1, 2, false);
  out << ")";
  return text;
}

MatrixView Contraction::view(LoopEmitter &emit,
                             const ContractionOperand &operand, int row,
                             int column, ArrayRef<Index> ivs) const {
  Index offset = operand.offset;
  for (auto [dim, iv] : llvm::enumerate(ivs))
    if (iv)
      offset = emit.add(offset, emit.mul(iv, operand.strides[dim]));
  auto extent = [&](int dim) {
    return dim < 0 ? emit.constant(1) : extents[dim];
  };
  auto stride = [&](int dim) {
    return dim < 0 ? emit.constant(1) : operand.strides[dim];
  };
  SmallVector<Index> sizes = {extent(row), extent(column)};
  SmallVector<Index> strides = {stride(row), stride(column)};
  auto known = [](Index index) {
    return LoopEmitter::known(index).value_or(ShapedType::kDynamic);
  };
  auto layout = StridedLayoutAttr::get(emit.builder.getContext(), known(offset),
                                       {known(strides[0]), known(strides[1])});
  auto type = MemRefType::get({known(sizes[0]), known(sizes[1])},
                              operand.element, layout);
  MatrixView result;
  result.view = memref::ReinterpretCastOp::create(
      emit.builder, emit.loc, type, operand.base, offset, sizes, strides);
  result.element = operand.element;
  result.isUnsigned = operand.isUnsigned;
  result.unitRow = LoopEmitter::isKnown(strides[0], 1);
  result.unitColumn = LoopEmitter::isKnown(strides[1], 1);
  return result;
}
