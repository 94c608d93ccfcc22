//===- ReduceAvx2.cpp - Reduction kernels for AVX2 and F16C ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of ReduceKernels.h, compiled for x86-64-v3 (AVX2, F16C).
// Requires a processor that has them, which Reduce.cpp checks before it calls
// anything here; guarantees the same bits as the baseline.
//
//===----------------------------------------------------------------------===//

#define SHARDIR_REDUCE_LOOKUP reduceFunctionAvx2
#include "ReduceKernels.h"
