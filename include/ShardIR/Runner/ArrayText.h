//===- ArrayText.h - Arrays as text on the command line ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IREE's spelling: `2x2xf32=1,2,3,4`, one value for all elements, `f32=3` for a
// scalar, `2x2xf32` alone for zeros; brackets and spaces separate like commas.
// parseArrayText reads the output of printArray back to the same bits (NaN
// payloads aside). Bad text is a Failure with Exit::Usage.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_ARRAYTEXT_H
#define SHARDIR_RUNNER_ARRAYTEXT_H

#include "ShardIR/Runner/Array.h"

#include <functional>

namespace shardir::runner {

/// A type and what follows the `=`.
struct ArrayText {
  ElementType type = SHARDIR_F32;
  Shape shape;
  std::string values;
  bool hasValues = false; ///< whether there was a `=` at all
};

/// Takes `2x2xf32=…` apart, without reading the values.
ArrayText splitArrayText(const std::string &text);

/// Reads the values.
Array parseArrayText(const ArrayText &text);

/// `2x2xf32=[1 2][3 4]`. Pieces go to `write` in order. At most `limit`
/// elements of a dim are shown, then `...`; 0 shows all.
void printArray(const Array &array, size_t limit,
                const std::function<void(const std::string &)> &write);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_ARRAYTEXT_H
