//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. The gradient of a strided convolution's input, and
// a transposed convolution, are convolutions of a tensor with zeros between its
// elements: with a stride of two, three of four terms are zero.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_DILATEDCONVOLUTIONS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_DILATEDCONVOLUTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace shardir {

/// Splits such a convolution by the residue of its results' positions modulo
/// the stride: each class is a convolution of the elements alone, by every n-th
/// element of the filter.
void populateDilatedConvolutionPatterns(mlir::RewritePatternSet &patterns);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_DILATEDCONVOLUTIONS_H
