//===- VectorPlan.h - Which loop of a nest becomes lanes --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the loop whose iterations become lanes, by what memory accesses cost
// along it, and whether threads share the nest.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_VECTORPLAN_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_VECTORPLAN_H

#include "Common/Combiner.h"
#include "Common/LoopNest.h"
#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"

namespace shardir {

struct VectorPlan {
  int loop = -1;
  int64_t lanes = 1;
  /// Vectors per iteration.
  int64_t unroll = 1;
  /// A parallel loop of which `rows` iterations are kept in registers through
  /// the reductions, to reuse their common operands; -1 for none.
  int rowLoop = -1;
  int64_t rows = 1;
  /// A parallel loop along which inputs are contiguous that are not so along
  /// `loop`: squares of lanes x lanes of them are transposed in registers, a
  /// block of squares at a time. -1 for none.
  int squareLoop = -1;
  /// Results are so large that caches would not hold them until they are read:
  /// vectors are stored past the caches where their addresses allow it.
  bool streamed = false;
  /// Worth several threads.
  bool parallel = false;
  /// One per result, where `loop` is a reduction.
  llvm::SmallVector<Combiner> combiners;

  /// True if `operand` is read in squares.
  bool isTransposed(const NestOperand &operand) const {
    return squareLoop >= 0 && !operand.scalar &&
           (operand.isUnit(squareLoop) || operand.isEveryOther(squareLoop)) &&
           !operand.isUnit(loop) && !operand.isEveryOther(loop) &&
           !operand.isUniform(loop) && !operand.element.isInteger(1);
  }
};

/// Nothing where scalar loops are as good.
std::optional<VectorPlan> planVectors(const LoopNest &nest,
                                      const CpuTarget &target);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_VECTORPLAN_H
