//===- Prologue.h - What makes a contraction's operand ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map that makes an operand of a contraction and nothing else: a cast, a
// dequantisation, an activation. A kernel may run it where it brings the
// operand's tiles, so that the operand is never in memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_PROLOGUE_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_PROLOGUE_H

#include "../KernelEmitter.h"
#include "Common/Contraction.h"

namespace shardir {

/// A question about the IR: the map whose only result is input `input` of
/// `contraction`, which nothing else reads, and whose own inputs still hold
/// what they held at `last`; null for none.
mlir::linalg::LinalgOp findPrologue(mlir::linalg::LinalgOp contraction,
                                    unsigned input, mlir::Operation *last);

/// Bytes that the map reads per element that it makes.
double bytesPerElement(mlir::linalg::LinalgOp map);

/// Makes elements of an operand.
class Prologue {
public:
  /// Emits on the host what the map's addresses need. The contraction outlives
  /// it.
  static mlir::FailureOr<Prologue> create(KernelEmitter &emit,
                                          const Contraction &contraction,
                                          mlir::linalg::LinalgOp map,
                                          unsigned input);
  /// The element at `ivs` of the contraction's loops.
  mlir::Value at(KernelEmitter &emit, llvm::ArrayRef<Index> ivs) const;

private:
  const Contraction *contraction = nullptr;
  LoopNest nest;
  /// By loop of the map: that of the contraction's op, or -1 where it stands at
  /// `places`.
  llvm::SmallVector<int> loops;
  llvm::SmallVector<int64_t> places;
};

/// From ivs of the contraction's loops those of its op's.
llvm::SmallVector<Index> opIvsOf(KernelEmitter &emit,
                                 const Contraction &contraction,
                                 llvm::ArrayRef<Index> ivs);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_PROLOGUE_H
