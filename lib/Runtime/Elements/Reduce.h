//===- Reduce.h - Reductions over several ranks' terms ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How terms combine: one function per partial kind and element type. Requires
// terms of equal layout; guarantees that element i of the result is
// ((t0 op t1) op t2) … in the order the terms are given, narrow floats summed
// in f32 and rounded once, so that equal inputs give equal bits (X3), whichever
// rank computes them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTS_REDUCE_H
#define SHARDIR_LIB_RUNTIME_ELEMENTS_REDUCE_H

#include "ElementType.h"
#include "ShardIR/Placement/PartialKind.h"

namespace shardir {
namespace runtime {

/// Stores the reduction of elements [begin, end) of the `numIns` terms into
/// elements [begin, end) of each output. An output may be the same buffer as a
/// term; otherwise they must not overlap.
using ReduceFn = void (*)(void *const *outs, size_t numOuts,
                          const void *const *ins, size_t numIns, size_t begin,
                          size_t end);

/// The kernel for this processor; null where the kind has no meaning for the
/// type (bitwise kinds on floats, maxnum on integers).
ReduceFn reduceFunction(PartialKind kind, ElementType type);

/// Writes the neutral element: adding it as a term changes no bit of the result
/// (-0.0 for float sums, NaN for maxnum). Requires reduceFunction(kind, type).
void fillIdentity(PartialKind kind, ElementType type, void *data, size_t count);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTS_REDUCE_H
