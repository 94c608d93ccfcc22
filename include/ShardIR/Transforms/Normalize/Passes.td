//===- Passes.td - Passes that rewrite ops before sharding -*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_NORMALIZE_PASSES_TD
#define SHARDIR_TRANSFORMS_NORMALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def Normalize : Pass<"shardir-normalize", "::mlir::ModuleOp"> {
  let summary = "Says ops by others that may be sharded in more ways.";
  let description = [{
    `linalg.softmax` becomes its two reductions and what is between them, so that
    the dim of a softmax may be split; `tensor.reshape` to a known shape, or one
    of a tensor whose first dims alone are open, becomes
    `tensor.collapse_shape` and `tensor.expand_shape`; loads of immutable globals
    and the shapes of tensors of known extents become constants; witnesses of the
    `shape` dialect become assertions, and `shape.assuming` its region. A
    `linalg.generic` that reads one of several tensors by its own index becomes
    `tensor.concat`, and a slice of all of a tensor the tensor; where it takes
    all of a dim, the start that was computed for it becomes 0. The real or
    imaginary part of what another op makes of two parts becomes that part.
    Operands that a body does not read, and results that nothing uses, are
    dropped: compiled they are gone, and nothing should move for them. A lookup in
    a body by an element that counts one of its loops is by the loop's number. A
    sum of products over a tensor that has been inserted into zeros reads the
    tensor itself, and the other operand at strides.
    A scatter of one row into each part of a constant, such as the gradient of
    cross-entropy, compares its index with the row's place.
    A product of two tensors that were widened from bf16, or from f16, to f32
    reads these: its results are the same, and matrix units take it. The place of
    a largest or least element, a reduction of pairs, becomes the reduction of the
    elements and that of the places where their extremum is found, where ties and
    NaN stay the same (docs/Semantics.md). Placements on such an op go to the op
    that makes its result.

    Example (test/Transforms/Normalize/normalize.mlir):

    ```mlir
    %s = arith.constant dense<[48, 4]> : tensor<2xindex>
    %0 = tensor.reshape %x(%s) : (tensor<2x3x32xf32>, tensor<2xindex>) -> tensor<48x4xf32>
    // becomes
    %1 = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x3x32xf32> into tensor<192xf32>
    %0 = tensor.expand_shape %1 [[0, 1]] output_shape [48, 4] : tensor<192xf32> into tensor<48x4xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::math::MathDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::shape::ShapeDialect",
  ];
}

def ShareExtents : Pass<"shardir-share-extents", "::mlir::func::FuncOp"> {
  let summary = "Gives each open extent one value.";
  let description = [{
    Integers that are equal for all extents of the arguments become one: a
    number, an argument's extent, or the first one that was computed. Extents
    that `shardir.extents` of an argument says are equal are so. A slice of all
    elements, and a reshape to the same extents, is its operand.

    Example (test/Transforms/Normalize/share-extents.mlir):

    ```mlir
    %s = tensor.dim %x, %c1 : tensor<?x?xf32>
    %zero = arith.minsi %s, %c0 : index
    %all = arith.subi %s, %zero : index
    // %zero becomes %c0, and %all becomes %s
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandOpenDims : Pass<"shardir-expand-open-dims", "::mlir::ModuleOp"> {
  let summary = "Computes on joined dims of open extents one by one.";
  let description = [{
    A linalg op that reads a `tensor.collapse_shape`, or whose result is read by
    a `tensor.expand_shape`, runs over the dims themselves where one of them has
    an unknown extent: the placements of several dims have none to stand for them
    on a dim that joins these, as the places where its shards end are not known.

    Example (test/Transforms/Normalize/expand-open-dims.mlir):

    ```mlir
    %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
    %m = linalg.matmul ins(%c, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %y = tensor.expand_shape %m [[0, 1], [2]] output_shape [%b, %s, 4] : tensor<?x4xf32> into tensor<?x?x4xf32>
    // becomes one linalg.generic of %x and %w, with 4 loops
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
  ];
}

def SplitArgReductions : Pass<"shardir-split-arg-reductions", "::mlir::func::FuncOp"> {
  let summary = "Makes two reductions of one that gives an extremum and its place.";
  let description = [{
    The largest or least element along a dim and its place, from one op whose
    steps do not combine, become the extremum's reduction and that of the first
    (or last) place where it is found, NaN as the op treats them. Of zeros with
    different signs the extremum may be another one than before, which is why
    GPUs' pipeline alone runs this; shardir-normalize splits the rest.

    Example (test/Transforms/Normalize/split-arg-reductions.mlir):

    ```mlir
    %max, %at = linalg.generic … ins(%x : tensor<4x8xf32>) outs(%least, %zero : tensor<4xf32>, tensor<4xi32>) {
      // the larger one, and linalg.index of it
    // becomes
    %max = linalg.generic … ins(%x) outs(%least) { maximumf }
    %at = linalg.generic … ins(%x, %max) outs(…) { minsi of the places where x == max }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // SHARDIR_TRANSFORMS_NORMALIZE_PASSES_TD
