//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products over an operand that has been spread with zeros, such as the
// gradient of a strided convolution's filter: the operand itself, and the other
// one read at strides. Requires nothing; where a zero met an infinity the sum
// is no NaN afterwards, as StableHLO's dilated windows have it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_SPREADOPERANDS_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_SPREADOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// The input of `op` that is inserted into zeros along dims over which `op`
/// sums products; null where there is none.
mlir::OpOperand *findSpreadOperand(mlir::linalg::GenericOp op);

/// Has `op` read what was inserted into the zeros.
void readWithoutZeros(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                      mlir::OpOperand &spread);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_SPREADOPERANDS_H
