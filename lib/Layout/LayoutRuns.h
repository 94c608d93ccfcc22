//===- LayoutRuns.h - Which loops run along memory --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the choice of orders: what an order of dims means for the loops of
// an op. Loops are those of LoopView; a tensor has one per dim. Extents that
// are not known count as assumed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_LAYOUT_LAYOUTRUNS_H
#define SHARDIR_LIB_LAYOUT_LAYOUTRUNS_H

#include "ShardIR/Layout/LocalLayouts.h"

namespace shardir {

using Loops = llvm::ArrayRef<int64_t>;
using LoopPairs = llvm::SmallVector<std::pair<int64_t, int64_t>>;

/// A run of this many elements keeps vectors and cache lines full.
inline constexpr int64_t kLongRun = 16;

/// The loop that runs along memory, or -1 for a single element.
int64_t innermost(mlir::Value value, Loops loops, const DimOrder &order);

/// Pairs (major, minor) of loops that are one in memory and `isKept`.
LoopPairs neighbours(mlir::Value value, Loops loops, const DimOrder &order,
                     llvm::function_ref<bool(int64_t)> isKept);

/// Elements that are adjacent in both tensors.
int64_t commonRun(mlir::Value a, Loops loopsA, const DimOrder &orderA,
                  mlir::Value b, Loops loopsB, const DimOrder &orderB);

/// True if `loop` of a tensor is shorter than kLongRun.
bool isShort(mlir::Value value, Loops loops, int64_t loop);

/// The one input in whose buffer an elementwise op can write its result; null
/// where there are none or several.
const LoopView::Operand *inPlaceInput(const LoopView &view, mlir::Value result);

} // namespace shardir

#endif // SHARDIR_LIB_LAYOUT_LAYOUTRUNS_H
