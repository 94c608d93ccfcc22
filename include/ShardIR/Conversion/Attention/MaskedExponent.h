//===- MaskedExponent.h - What a mask empties of gradients ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A question about the body of a backward op that schedules for the CPU and for
// GPU schedules query this before they skip tiles.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_ATTENTION_MASKEDEXPONENT_H
#define SHARDIR_CONVERSION_ATTENTION_MASKEDEXPONENT_H

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

namespace shardir {

/// x, if the body has one exponential, of x or of x minus something, and both
/// the probability and the score's gradient are 0 where that is, all else
/// being finite. Null otherwise.
mlir::Value maskedExponent(kernel::AttentionBackwardOp op);

} // namespace shardir

#endif // SHARDIR_CONVERSION_ATTENTION_MASKEDEXPONENT_H
