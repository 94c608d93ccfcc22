//===- ContractionShape.h - The extents of a contraction --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_COMMON_CONTRACTIONSHAPE_H
#define SHARDIR_CONVERSION_COMMON_CONTRACTIONSHAPE_H

#include <cstdint>

namespace shardir {

/// Extents of a contraction; `unknown` where only the running program knows.
struct ContractionShape {
  static constexpr int64_t unknown = -1;
  int64_t m = unknown, n = unknown, k = unknown;
  /// Product of the extents of all loops around the 2-D contraction.
  int64_t batch = 1;
  /// Bits of the type that is accumulated in: 32 or 64.
  unsigned accumulatorBits = 32;
  /// The type of both operands, of those that some CPUs multiply as they are.
  enum class Operands { Other, Bf16, F16, I8, U8, U8I8, I8U8 };
  Operands operands = Operands::Other;
  /// The stride of an operand that is known to be 1.
  bool aUnitK = true, aUnitM = false, bUnitN = true, bUnitK = false;
  /// C is stored in a narrower type than it is accumulated in: k in one block.
  bool roundsResult = false;
};

} // namespace shardir

#endif // SHARDIR_CONVERSION_COMMON_CONTRACTIONSHAPE_H
