//===- ExpandTrigonometry.h - Angles and remainders of vectors --*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sin, cos, tan, atan, atan2 and the remainder of f32 vectors, computed in f64:
// its 29 further bits stand for the care that algorithms in f32 need, and
// results are those of exact functions but for the last rounding.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_EXPANDTRIGONOMETRY_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_EXPANDTRIGONOMETRY_H

#include "mlir/IR/PatternMatch.h"

namespace shardir {

/// Lanes for which this is not exact, such as angles beyond 2^30 and infinite
/// ones, call libm.
void populateTrigonometryPatterns(mlir::RewritePatternSet &patterns);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_EXPANDTRIGONOMETRY_H
