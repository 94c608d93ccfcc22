//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing; looks at the body of one op and changes nothing. Guarantees
// that the concatenation of the parts is what the op computes.
//
//===----------------------------------------------------------------------===//

#include "ConcatRecognition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {

/// linalg.index `dim` less `offset`.
struct Place {
  int64_t dim, offset;
};

} // namespace

static std::optional<Place> placeOf(Value value) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return Place{int64_t(index.getDim()), 0};
  auto sub = value.getDefiningOp<arith::SubIOp>();
  APInt offset;
  if (!sub || !matchPattern(sub.getRhs(), m_ConstantInt(&offset)))
    return std::nullopt;
  std::optional<Place> place = placeOf(sub.getLhs());
  if (place)
    place->offset += offset.getSExtValue();
  return place;
}

/// The part that `value` is read from, if it holds the places from `start` on
/// along `dim` and all others of `shape`.
static Value partAt(Value value, RankedTensorType shape, int64_t dim,
                    int64_t start, int64_t extent) {
  auto read = value.getDefiningOp<tensor::ExtractOp>();
  if (!read)
    return {};
  auto type = cast<RankedTensorType>(read.getTensor().getType());
  if (type.getRank() != shape.getRank() ||
      type.getElementType() != shape.getElementType())
    return {};
  for (auto [d, index] : llvm::enumerate(read.getIndices())) {
    bool isDim = int64_t(d) == dim;
    int64_t size = isDim ? extent : shape.getDimSize(d);
    if (type.getDimSize(d) != size)
      return {};
    // One element has one place.
    if (size == 1 && matchPattern(index, m_Zero()))
      continue;
    std::optional<Place> place = placeOf(index);
    if (!place || place->dim != int64_t(d) ||
        place->offset != (isDim ? start : 0))
      return {};
  }
  return read.getTensor();
}

std::optional<ConcatRecognition> shardir::matchConcat(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !op.getBody()->getArgument(0).use_empty())
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  Value value = op.getBody()->getTerminator()->getOperand(0);
  ConcatRecognition concat;
  int64_t start = 0;
  while (auto branch = value.getDefiningOp<scf::IfOp>()) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    APInt bound;
    if (branch.getNumResults() != 1 || !compare ||
        (compare.getPredicate() != arith::CmpIPredicate::ult &&
         compare.getPredicate() != arith::CmpIPredicate::slt) ||
        !matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
      return std::nullopt;
    std::optional<Place> place = placeOf(compare.getLhs());
    // An index before the place would be large as an unsigned number.
    if (!place || place->offset > start ||
        (concat.dim >= 0 && place->dim != concat.dim))
      return std::nullopt;
    concat.dim = place->dim;
    int64_t end = place->offset + bound.getSExtValue();
    if (end < start || end > type.getDimSize(concat.dim))
      return std::nullopt;
    Value part = partAt(branch.thenYield().getOperand(0), type, concat.dim,
                        start, end - start);
    if (!part)
      return std::nullopt;
    concat.parts.push_back(part);
    start = end;
    value = branch.elseYield().getOperand(0);
  }
  if (concat.dim < 0)
    return std::nullopt;
  Value last = partAt(value, type, concat.dim, start,
                      type.getDimSize(concat.dim) - start);
  if (!last)
    return std::nullopt;
  concat.parts.push_back(last);
  return concat;
}
