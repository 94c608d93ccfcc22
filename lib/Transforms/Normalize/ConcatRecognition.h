//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Concatenations that exporters write as a linalg.generic: by its own index
// each element is read from one of several tensors. Said as a tensor.concat it
// can be sharded along the dim and asks for halos alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_CONCATRECOGNITION_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_CONCATRECOGNITION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// The tensors that a linalg.generic concatenates, and the dim.
struct ConcatRecognition {
  int64_t dim = -1;
  llvm::SmallVector<mlir::Value> parts; ///< in order
};

/// Recognizes
///   if (i < n) a[.., i, ..] else if (i - n < m) b[.., i - n, ..] else …
/// over the op's own indices, where the parts' extents are static and add up to
/// the result's. Nothing for any other op.
std::optional<ConcatRecognition> matchConcat(mlir::linalg::GenericOp op);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_CONCATRECOGNITION_H
