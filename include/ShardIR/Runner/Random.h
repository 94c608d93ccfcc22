//===- Random.h - Random inputs ---------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs for programs that are run without any. Each element is a function of
// the seed, the argument's number and the element's own position in the whole
// array, so that a run on four ranks sees what a run on one rank sees.
// Floats are spread evenly over [-1, 1); integers are 0 to 7 and i1 is 0 or 1,
// so that what is used as an index or a count stays small.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_RANDOM_H
#define SHARDIR_RUNNER_RANDOM_H

#include "ShardIR/Runner/Array.h"

namespace shardir::runner {

/// How values are spread. With s = 1 / sqrt(the longest extent), which keeps
/// sums of products small:
enum class Spread {
  Even,     ///< floats in [-1, 1), integers 0 to 7
  Scaled,   ///< floats in [-s, s), integers 0 to 7
  Positive, ///< floats in [s / 4, s), integers 1 to 7
};

/// Requires a shape without unknown extents.
Array randomArray(ElementType type, const Shape &shape, uint64_t seed,
                  uint64_t argument, Spread spread = Spread::Even);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_RANDOM_H
