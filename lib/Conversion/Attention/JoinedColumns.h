//===- JoinedColumns.h - Scores that are joined with others -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax over more than the scores (a sink: a column of logits that is
// joined to them and dropped from the probabilities) is one of each part, with
// maxima and sums that go on from part to part. Here the parts are computed
// one by one, so that attention can be found in one of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_JOINEDCOLUMNS_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_JOINEDCOLUMNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace shardir {

class JoinedColumns : mlir::RewriterBase::Listener {
public:
  /// Computes part by part what is computed from a tensor that `scores`, or
  /// what they become element by element, are joined into. Fails, with nothing
  /// changed, where there is none, or it leads elsewhere than to parts of it
  /// and to reductions over what was joined.
  mlir::LogicalResult split(mlir::Value scores);
  /// Puts the program back as it was before `split`.
  void undo();
  /// Erases what was computed as one.
  void keep(mlir::RewriterBase &rewriter);

  explicit JoinedColumns(mlir::MLIRContext *context)
      : rewriter(context, this) {}

private:
  /// The columns [offset, offset + size) of what was joined.
  struct Part {
    int64_t offset, size;
  };
  /// The value that the parts replace.
  struct Parked {
    mlir::Operation *op, *next;
    mlir::Block *block;
    llvm::SmallVector<mlir::Value> operands;
  };

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override;
  /// The insertion that `scores` come to, element by element.
  mlir::tensor::InsertSliceOp findJoin(mlir::Value scores);
  /// The last insertion beside it, and the parts that all of them leave.
  mlir::FailureOr<mlir::Value> findParts(mlir::tensor::InsertSliceOp join);
  /// Collects the ops computed from the joined tensor; fails if one has an
  /// unknown form.
  mlir::LogicalResult findEnds(mlir::Value joined, int64_t dim);
  mlir::LogicalResult addUse(mlir::OpOperand &use);
  std::optional<unsigned> partAt(mlir::tensor::ExtractSliceOp slice,
                                 int64_t dim);

  mlir::Value partOf(mlir::Value tensor, int64_t dim, unsigned part);
  mlir::Value makePart(mlir::Value tensor, int64_t dim, unsigned part);
  mlir::Value sliced(mlir::Value tensor, int64_t dim, Part part);
  mlir::Value emptied(mlir::Value tensor, int64_t dim, unsigned part);
  /// `op` over a part of `loop`, with `init` in the place of its init.
  mlir::Value cloned(mlir::linalg::LinalgOp op, unsigned loop, unsigned part,
                     mlir::Value init, mlir::Type type);
  void replace(mlir::Value old, mlir::Value made);
  void park(mlir::Operation *op);

  mlir::IRRewriter rewriter;
  llvm::SmallVector<Part> parts;
  /// The one with the scores: it is added last.
  unsigned own = 0;
  /// Values that run along all of the parts, and the dim that does.
  llvm::MapVector<mlir::Value, int64_t> whole;
  /// Ops that read those without running along them.
  llvm::SetVector<mlir::Operation *> ends;
  llvm::DenseMap<std::tuple<mlir::Value, int64_t, unsigned>, mlir::Value> made;
  /// Ops whose results have parts now.
  llvm::SetVector<mlir::Operation *> sources;
  llvm::SmallVector<mlir::Operation *> inserted;
  llvm::SmallVector<Parked> parked;
  llvm::SmallVector<std::pair<mlir::OpOperand *, mlir::Value>> replaced;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_JOINEDCOLUMNS_H
