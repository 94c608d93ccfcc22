//===- KernelVectorBody.h - A linalg body on lanes of a kernel --*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector accesses, which the CPU's VectorBody leaves to the processor: a GPU
// accesses a vector only at a multiple of its size.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELVECTORBODY_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELVECTORBODY_H

#include "Common/VectorBody.h"
#include "KernelEmitter.h"

namespace shardir {

/// Lanes begin at a multiple of their number along the loop. All exist.
class KernelVectorBody : public VectorBody {
public:
  KernelVectorBody(KernelEmitter &emit, const LoopNest &nest, int loop,
                   int64_t lanes)
      : VectorBody(emit, nest, loop, lanes), emit(emit) {}

protected:
  /// Where rows may begin anywhere, such as windows at places computed from
  /// data, each thread tests where its elements lie, and loads them one by one
  /// if they are not aligned.
  mlir::Value loadRow(mlir::Value memref, mlir::ValueRange at,
                      std::optional<Index> count) override;

private:
  KernelEmitter &emit;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELVECTORBODY_H
