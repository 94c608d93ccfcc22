//===- Passes.td - Passes from collective to local ---------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_LOCALIZE_PASSES_TD
#define SHARDIR_TRANSFORMS_LOCALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def Localize : Pass<"shardir-localize", "::mlir::ModuleOp"> {
  let summary = "Rewrites global tensors to shards: one SPMD function.";
  let description = [{
    Requires the collective stage and concrete meshes. The rank enters through
    `shardir.axis_index`; extents that differ among devices become `?`. Adds no
    communication (D6). Arguments and results keep their placement and gain
    `shardir.global_type`.

    Example (test/Transforms/Localize/localize.mlir):

    ```mlir
    %0 = math.exp %x : tensor<8x16xf32>   // rows over dp=2
    // becomes
    %0 = math.exp %x : tensor<4x16xf32>
    ```
  }];
  let dependentDialects = [
    "::shardir::ShardIRDialect", "::shardir::collective::CollectiveDialect",
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
  ];
}

#endif // SHARDIR_TRANSFORMS_LOCALIZE_PASSES_TD
