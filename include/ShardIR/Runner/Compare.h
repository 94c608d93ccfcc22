//===- Compare.h - Comparing results with what was expected -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats are compared relative to the largest finite absolute value that is
// expected in the whole array; integers must be equal. NaN equals NaN at the
// same place, an infinity equals itself. Where every expected value is 0, only
// 0 is equal.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_COMPARE_H
#define SHARDIR_RUNNER_COMPARE_H

#include "ShardIR/Runner/Array.h"

namespace shardir::runner {

/// f32 1e-5, bf16 2e-2, f16 5e-3, f64 1e-12, f8E4M3FN 1.5e-1, f8E5M2 3e-1, and
/// 0 for integers.
double defaultTolerance(ElementType type);

struct Comparison {
  bool equal = true;
  double tolerance = 0;     ///< as applied
  double scale = 0;         ///< the largest finite expected value
  double maxError = 0;      ///< relative to `scale`; infinite where a NaN or an
                            ///< infinity is not matched
  double absoluteError = 0; ///< the same, not divided
  size_t numDifferent = 0;
  size_t numElements = 0;
  std::vector<int64_t> worst;   ///< the index of the element with maxError
  std::string expected, actual; ///< its two values
};

/// Whether no element is a NaN or an infinity.
bool isFinite(const Array &array);

/// The first element in which two arrays of one type and shape have other bits;
/// -1 where all are equal.
int64_t firstDifference(const Array &one, const Array &two);

/// Requires equal types and shapes. Integers ignore `tolerance`.
Comparison compare(const Array &actual, const Array &expected,
                   std::optional<double> tolerance);

/// One line: `equal to …` or `differs from …`.
std::string describe(const Comparison &comparison, const Array &actual,
                     const std::string &expectedName);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_COMPARE_H
