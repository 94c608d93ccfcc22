//===- ReduceBaseline.cpp - Reduction kernels for any processor -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of ReduceKernels.h, compiled for the baseline of the target.
// Requires nothing of the processor; guarantees the same bits as the other
// instances. Reduce.cpp chooses among them when the library is first used.
//
//===----------------------------------------------------------------------===//

#define SHARDIR_REDUCE_LOOKUP reduceFunctionBaseline
#include "ReduceKernels.h"
