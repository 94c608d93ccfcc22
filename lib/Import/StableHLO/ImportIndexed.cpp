//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `stablehlo.scatter` and `stablehlo.sort`, which stablehlo-legalize-to-linalg
// leaves as they are but for their bodies (stablehlo/dialect/StablehloOps.td).
//
//===----------------------------------------------------------------------===//

#include "../ForeignOps.h"
#include "../TextCursor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

namespace {
/// `#stablehlo.scatter<update_window_dims = [1], …, index_vector_dim = 1>`.
struct DimensionNumbers {
  SmallVector<int64_t> updateWindow, inserted, inputBatching, indicesBatching,
      toOperand;
  int64_t indexVector = 0;

  bool parse(StringRef text, std::string &error) {
    TextCursor cursor(text, error);
    if (!cursor.take("#stablehlo.scatter<") && !cursor.take("#mhlo.scatter<"))
      return cursor.fail("expected scatter dimension numbers");
    std::pair<StringRef, SmallVector<int64_t> *> lists[] = {
        {"update_window_dims", &updateWindow},
        {"inserted_window_dims", &inserted},
        {"input_batching_dims", &inputBatching},
        {"scatter_indices_batching_dims", &indicesBatching},
        {"scatter_dims_to_operand_dims", &toOperand}};
    while (!cursor.take(">")) {
      cursor.take(",");
      if (cursor.take("index_vector_dim")) {
        if (!cursor.expect("=") || !cursor.integer(indexVector))
          return false;
        continue;
      }
      auto *list = llvm::find_if(
          lists, [&](const auto &each) { return cursor.take(each.first); });
      if (list == std::end(lists))
        return cursor.fail("expected a list of dims before '" + cursor.rest +
                           "'");
      if (!cursor.expect("=") || !cursor.expect("["))
        return false;
      while (!cursor.take("]")) {
        cursor.take(",");
        if (!cursor.integer(list->second->emplace_back()))
          return false;
      }
    }
    return cursor.expectEnd();
  }
};
} // namespace

/// The numbers below `end` that are not in `listed`.
static SmallVector<int64_t> othersThan(ArrayRef<int64_t> listed, int64_t end) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < end; ++i)
    if (!llvm::is_contained(listed, i))
      others.push_back(i);
  return others;
}

/// True if the dims are different ones of a tensor of rank `rank`.
static bool areDims(ArrayRef<int64_t> dims, int64_t rank) {
  return llvm::all_of(llvm::enumerate(dims), [&](auto numbered) {
    return numbered.value() < rank &&
           !llvm::is_contained(dims.take_front(numbered.index()),
                               numbered.value());
  });
}

static LogicalResult importScatter(Operation *op) {
  if (op->getNumOperands() != 3 || op->getNumResults() != 1 ||
      op->getNumRegions() != 1 ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      op->getResult(0).getType() != op->getOperand(0).getType())
    return op->emitOpError("cannot be imported unless it scatters one ranked "
                           "tensor; split a scatter of several");
  std::string text, error;
  llvm::raw_string_ostream(text) << op->getAttr("scatter_dimension_numbers");
  DimensionNumbers numbers;
  if (!numbers.parse(text, error))
    return op->emitOpError("cannot be imported: ") << error;
  WindowScatter scatter;
  scatter.init = op->getOperand(0);
  scatter.indices = op->getOperand(1);
  scatter.updates = op->getOperand(2);
  scatter.indexDims = numbers.toOperand;
  scatter.batchDims = numbers.inputBatching;
  scatter.oldFirst = true;
  auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
  scatter.unique = unique && unique.getValue();
  auto rankOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  int64_t rank = rankOf(scatter.init), updateRank = rankOf(scatter.updates);

  // Coordinates last; a scalar of them is a list of one.
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (numbers.indexVector == rankOf(scatter.indices)) {
    auto type = cast<RankedTensorType>(scatter.indices.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      groups.push_back({dim});
    if (!groups.empty())
      groups.back().push_back(type.getRank());
    scatter.indices = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        scatter.indices, groups);
  }
  // Batch dims first, in the order in which the tensor's are listed.
  SmallVector<int64_t> order(numbers.indicesBatching);
  order.push_back(numbers.indexVector);
  SmallVector<int64_t> rows = othersThan(order, rankOf(scatter.indices));
  SmallVector<int64_t> windows(numbers.inserted);
  llvm::append_range(windows, numbers.inputBatching);
  windows = othersThan(windows, rank);
  SmallVector<int64_t> updateRows =
      othersThan(numbers.updateWindow, updateRank);
  if (!areDims(order, rankOf(scatter.indices)) ||
      !areDims(numbers.updateWindow, updateRank) ||
      !areDims(numbers.toOperand, rank) ||
      numbers.inputBatching.size() != numbers.indicesBatching.size() ||
      windows.size() != numbers.updateWindow.size() ||
      int64_t(updateRows.size()) != rankOf(scatter.indices) - 1)
    return op->emitOpError("has dimension numbers that do not fit its types: ")
           << text;
  order.pop_back();
  llvm::append_range(order, rows);
  // A dim of rows is the same one of the updates, without the coordinates.
  for (int64_t dim : order)
    scatter.rowDims.push_back(
        updateRows[dim - (dim > numbers.indexVector ? 1 : 0)]);
  order.push_back(numbers.indexVector);
  if (!llvm::is_sorted(order)) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : order)
      sizes.push_back(tensor::getMixedSize(builder, loc, scatter.indices, dim));
    Value empty = tensor::EmptyOp::create(
        builder, loc, sizes,
        cast<RankedTensorType>(scatter.indices.getType()).getElementType());
    scatter.indices =
        linalg::TransposeOp::create(builder, loc, scatter.indices, empty, order)
            ->getResult(0);
  }
  scatter.windowDims.assign(rank, -1);
  for (auto [dim, own] : llvm::zip(windows, numbers.updateWindow))
    scatter.windowDims[dim] = own;
  return replaceByScatter(op, scatter);
}

LogicalResult shardir::importStablehloIndexed(Operation *op) {
  return op->getName().stripDialect() == "sort" ? replaceBySort(op)
                                                : importScatter(op);
}
