//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX' mma.sync on the CPU. Fragments, which lane holds which element, are
// those of the PTX ISA, section 9.7.14.5; sums are rounded once, where hardware
// rounds more often.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_TENSORCORE_H
#define SHARDIR_TESTING_EMULATEDGPU_TENSORCORE_H

#include "ShardIR/Runtime/EmulatedGpu.h"

namespace shardir {
namespace emulated {

/// Where an element lies in its matrix.
struct Place {
  int row, column;
};

/// Element `i` of lane `lane`'s fragment of A (m x k), B (k x n) and C or D
/// (m x n), for elements of `bits` bits.
Place placeInA(int m, int bits, int lane, int i);
Place placeInB(int bits, int lane, int i);
Place placeInC(int lane, int i);

/// Carries out shardir_emulated_thread.mma. False for a shape and type that it
/// does not know.
bool multiply(shardir_emulated_thread *self, int32_t m, int32_t n, int32_t k,
              int32_t type, const void *a, const void *b, const void *c,
              void *d);

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_TENSORCORE_H
