//===- OperandCopies.h - Operands in rows that suit vectors -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of a product that 16-byte accesses cannot read - its rows are no
// multiple of 16 bytes, or it is contiguous along the wrong dim for matrix
// units that cannot transpose it - is copied once into rows that they can read.
// Each element is then read and written once more, but copies of tiles are
// vectors or the copy engine's boxes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_OPERANDCOPIES_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_OPERANDCOPIES_H

#include "ContractionKernel.h"

namespace shardir {

/// `plans` for `op`, with what is known of the accesses to its operands; and
/// behind them, where some can only be read element by element, the same with
/// copies of these. Changes nothing.
llvm::SmallVector<TilePlan> withOperandCopies(mlir::linalg::LinalgOp op,
                                              llvm::ArrayRef<TilePlan> plans);

struct OperandCopies {
  /// The product that reads the copies; the given one where there are none.
  mlir::linalg::LinalgOp product;
  /// To be freed behind its kernel.
  llvm::SmallVector<mlir::Value> buffers;
};

/// Emits the kernels that copy the operands which `plan` wants copied, before
/// `op`, and replaces that. Fails with a diagnostic at `op`.
mlir::FailureOr<OperandCopies> copyOperands(mlir::RewriterBase &rewriter,
                                            mlir::linalg::LinalgOp op,
                                            const TilePlan &plan);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_OPERANDCOPIES_H
