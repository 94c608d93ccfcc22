//===- Passes.h - Passes around the attention op ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a rank's linalg program to kernel.attention, and back where nothing
// better is known. Both directions keep values up to rounding.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_ATTENTION_PASSES_H
#define SHARDIR_CONVERSION_ATTENTION_PASSES_H

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Conversion/Attention/Passes.h.inc"

/// Replaces `op`, on tensors or memrefs, by the linalg ops that its description
/// defines. Scores become one tensor or buffer of batch, m and n, in the
/// type of max. Always succeeds on an op that verifies.
void decomposeAttention(mlir::RewriterBase &rewriter, kernel::AttentionOp op);
/// The same for its gradients: scores and probabilities are two such tensors.
void decomposeAttentionBackward(mlir::RewriterBase &rewriter,
                                kernel::AttentionBackwardOp op);

#define GEN_PASS_REGISTRATION
#include "ShardIR/Conversion/Attention/Passes.h.inc"

} // namespace shardir

#endif // SHARDIR_CONVERSION_ATTENTION_PASSES_H
