//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of the extents of an entry's results, and of those that its arguments
// need. See Extents.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Extents.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

SmallVector<ArrayAttr> shardir::resultExtents(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<ArrayAttr> lists;
  if (llvm::all_of(function.getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return !tensor || tensor.hasStaticShape();
      })) {
    lists.resize(function.getNumResults());
    return lists;
  }
  Extents extents(function);
  for (Value value :
       function.getBody().front().getTerminator()->getOperands()) {
    ArrayAttr &list = lists.emplace_back();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape())
      continue;
    SmallVector<Attribute> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Attribute extent =
          type.isDynamicDim(dim) ? extents.of(value, dim) : Attribute();
      dims.push_back(extent ? extent : builder.getUnitAttr());
    }
    list = builder.getArrayAttr(dims);
  }
  return lists;
}

namespace {
/// Extents of arguments, and numbers, that a program needs to be equal.
class EqualExtents {
public:
  EqualExtents(func::FuncOp function) : extents(function) {
    for (Operation &op : function.getBody().front()) {
      if (auto structured = dyn_cast<linalg::LinalgOp>(op))
        visit(structured);
      else if (op.hasTrait<OpTrait::Elementwise>())
        visitElementwise(op);
      auto cast = dyn_cast<tensor::CastOp>(op);
      auto type = cast ? dyn_cast<RankedTensorType>(cast.getType()) : nullptr;
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
        join(extentOf(cast.getSource(), dim), extentOf(cast, dim));
    }
  }

  /// The first of those that are equal to `extent`; a number is before all.
  Attribute firstOf(Attribute extent) const {
    for (auto it = before.find(extent); it != before.end();
         it = before.find(extent))
      extent = it->second;
    return extent;
  }

  Attribute extentOf(Value tensor, int64_t dim) {
    return isa<RankedTensorType>(tensor.getType()) ? extents.of(tensor, dim)
                                                   : Attribute();
  }

private:
  void visit(linalg::LinalgOp op) {
    SmallVector<Attribute> ofLoop(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
          Attribute &first = ofLoop[loop.getPosition()];
          Attribute extent = extentOf(operand.get(), dim);
          join(first, extent);
          first = first ? first : extent;
        }
  }

  void visitElementwise(Operation &op) {
    for (Value operand : op.getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          join(extentOf(op.getResult(0), dim), extentOf(operand, dim));
  }

  /// Of computed extents nothing is known.
  static bool isPlain(Attribute extent) {
    auto list = dyn_cast_or_null<ArrayAttr>(extent);
    return isa_and_present<IntegerAttr>(extent) || (list && list.size() == 2);
  }

  static auto orderOf(Attribute extent) {
    auto list = dyn_cast<ArrayAttr>(extent);
    auto number = [&](unsigned i) {
      return list ? cast<IntegerAttr>(list[i]).getInt() : -1;
    };
    return std::pair(number(0), number(1));
  }

  void join(Attribute a, Attribute b) {
    if (!isPlain(a) || !isPlain(b))
      return;
    a = firstOf(a);
    b = firstOf(b);
    if (a == b || (isa<IntegerAttr>(a) && isa<IntegerAttr>(b)))
      return;
    if (orderOf(b) < orderOf(a))
      std::swap(a, b);
    before[b] = a;
  }

  Extents extents;
  llvm::DenseMap<Attribute, Attribute> before;
};
} // namespace

SmallVector<ArrayAttr> shardir::argumentExtents(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<ArrayAttr> lists(function.getNumArguments());
  auto isOpen = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (llvm::none_of(function.getArgumentTypes(), isOpen))
    return lists;
  EqualExtents equal(function);
  for (BlockArgument argument : function.getArguments()) {
    if (!isOpen(argument.getType()))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    bool isNeeded = false;
    SmallVector<Attribute> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      dims.push_back(builder.getUnitAttr());
      if (!type.isDynamicDim(dim))
        continue;
      Attribute own = builder.getArrayAttr(
                    {builder.getI64IntegerAttr(argument.getArgNumber()),
                     builder.getI64IntegerAttr(dim)}),
                first = equal.firstOf(equal.extentOf(argument, dim));
      if (first == own)
        continue;
      dims.back() = first;
      isNeeded = true;
    }
    if (isNeeded)
      lists[argument.getArgNumber()] = builder.getArrayAttr(dims);
  }
  return lists;
}
