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
  let summary = "Rewrites ops to ones that may be sharded in more ways.";
  let description = [{
    | from | to |
    |---|---|
    | `linalg.softmax` | its two reductions and the ops between them, so that its dim may be split |
    | `tensor.reshape` to a known shape, or of a tensor whose first dims alone are open | `tensor.collapse_shape` and `tensor.expand_shape` |
    | loads of immutable globals, shapes of tensors of known extents | constants |
    | witnesses of the `shape` dialect, `shape.assuming` | assertions, its region |
    | a `linalg.generic` that reads one of several tensors by its own index | `tensor.concat` |
    | a slice of all of a tensor | the tensor; of all of one dim, the start 0 |
    | the real or imaginary part of a complex number that an op makes of two parts | that part |
    | operands that a body does not read, results without a use | dropped, as no data should be sent for them |
    | in a body, a lookup by an element that counts one of its loops | a lookup by `linalg.index` |
    | a sum of products over a tensor that was inserted into zeros | a sum over the tensor itself, with the other operand read at strides |
    | a scatter of one row into each part of a constant, such as the gradient of cross-entropy | a comparison of its index with the row's place |
    | a product of two tensors that were widened from bf16, or from f16, to f32 | a product of the narrow ones: the results are the same, and matrix units take it |
    | the place of an extremum, a reduction of pairs | two reductions, of the elements and of the places of their extremum, where ties and NaN stay the same (docs/Semantics.md) |

    Placements on such an op go to the op that makes its result.

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
