//===- Passes.td - Passes around the attention op ----------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that recognise kernel.attention in a rank's linalg program, and decompose to linalg what
// no schedule takes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_ATTENTION_PASSES
#define SHARDIR_CONVERSION_ATTENTION_PASSES

include "mlir/Pass/PassBase.td"

def MarkAttention : Pass<"shardir-mark-attention", "::mlir::func::FuncOp"> {
  let summary = "Mark the scores that no device will store";
  let description = [{
    Up to the collective stage: what `shardir-recognize-attention` would make
    part of a `kernel.attention` or `kernel.attention_backward` gets the
    attribute `shardir.unstored`, and predictions of memory count 0 bytes for
    it. Marks from before are removed. A collective among the scores, as where
    the dim that their product sums over is split, leaves them stored.

    ```mlir
    %s = linalg.generic {…mulf, addf…} ins(%q, %k)
    %e = linalg.generic {…exp(s - max)…} ins(%s, %max)
    ```
    becomes
    ```mlir
    %s = linalg.generic {…mulf, addf…} ins(%q, %k) attrs = {shardir.unstored}
    %e = linalg.generic {…exp(s - max)…} ins(%s, %max) attrs = {shardir.unstored}
    ```
    Tests: `test/Conversion/Attention/recognize.mlir`,
    `test/Transforms/Report/check-memory-attention.mlir`.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "0",
           "Leave what has scores of fewer bytes; an unknown extent counts 1024">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect",
                           "::shardir::kernel::KernelDialect"];
}

def RecognizeAttention
    : Pass<"shardir-recognize-attention", "::mlir::func::FuncOp"> {
  let summary = "Make softmax(Q K^T) V one op before fusion takes it apart";
  let description = [{
    A product of two tensors (the scores), elementwise ops on it, exponentials
    of what comes out minus something of each row, their sums and the maxima
    of the exponents, and a second product that sums over the columns become
    one `kernel.attention`, if the ops in between have no other users. Ops may
    be cut, ordered, broadcast and transposed in any way: they are compared as
    scalar expressions. What divides or scales rows of probabilities moves
    behind the product; masks, biases and dropout move into the op. The
    shift may be any row's value, such as the maximum over several devices: the
    results are then multiplied by exp(max - shift). With `explain` a remark
    tells what was recognised and, where it was not, why.

    In a training program whose backward pass multiplies what it computed from
    scores by the result's gradient, by keys and by queries, these three products
    become one `kernel.attention_backward`, and sums of gradients' rows are
    computed from acc.

    Where scores are joined with other columns (a sink), what is computed from
    what was joined is computed part by part, if one of the parts is then an
    attention, and maxima and sums go on from part to part.

    ```mlir
    %s = linalg.generic {…mulf, addf…} ins(%q, %k)
    %max = linalg.generic {…maximumf…} ins(%s)
    %e = linalg.generic {…exp(s - max)…} ins(%s, %max)
    %sum = linalg.generic {…addf…} ins(%e)
    %p = linalg.generic {…divf…} ins(%e, %sum)
    %o = linalg.generic {…mulf, addf…} ins(%p, %v)
    ```
    becomes
    ```mlir
    %acc, %max, %sum = kernel.attention … ins(%q, %k, %v) outs(%zero, %low, %zero) …
    %o = linalg.generic {…divf…} ins(%acc, %sum)
    ```
    Tests: `test/Conversion/Attention/recognize.mlir`,
    `test/Conversion/Attention/recognize-backward.mlir`,
    `test/Conversion/Attention/joined-columns.mlir`.
  }];
  let options = [
    Option<"explain", "explain", "bool", "false",
           "Say what was recognised, and why not where it was not">,
    Option<"minBytes", "min-bytes", "int64_t", "0",
           "Leave what has scores of fewer bytes; an unknown extent counts 1024">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect",
                           "::shardir::kernel::KernelDialect"];
}

def DecomposeAttention
    : Pass<"shardir-decompose-attention", "::mlir::func::FuncOp"> {
  let summary = "Turn attention into contractions, elementwise ops and reductions";
  let description = [{
    Every `kernel.attention`, on tensors or memrefs, becomes the linalg ops that
    its formulas say: a contraction for the scores, the row maximum, the
    exponentials, the row sum, and a contraction with the values. What the
    inits hold is rescaled, unless they are seen to be neutral. On memrefs the
    matrix of scores is allocated and freed.

    ```mlir
    %acc, %max, %sum = kernel.attention … ins(%q, %k, %v) outs(%acc0, %max0, %sum0) …
    ```
    becomes
    ```mlir
    %s = linalg.generic {…mulf, addf…} ins(%q, %k) outs(%zero)
    %x = linalg.generic {…score…} ins(%s) outs(%e)
    %max = linalg.generic {…maximumf…} ins(%x) outs(%max0)
    %p = linalg.generic {…exp(x - max)…} ins(%x, %max) outs(%e)
    %sum = linalg.generic {…addf…} ins(%p) outs(%sum0)
    %acc = linalg.generic {…mulf, addf…} ins(%p, %v) outs(%acc0)
    ```
    Every `kernel.attention_backward` becomes two contractions for scores and
    probabilities' gradients, one op for its body, and three contractions.
    Test: `test/Conversion/Attention/decompose.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SHARDIR_CONVERSION_ATTENTION_PASSES
