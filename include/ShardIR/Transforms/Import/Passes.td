//===- Passes.td - Passes that read or strip annotations ---*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_IMPORT_PASSES_TD
#define SHARDIR_TRANSFORMS_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ImportAnnotations : Pass<"shardir-import-annotations", "::mlir::ModuleOp"> {
  let summary = "Reads the annotations of Shardy and GSPMD.";
  let description = [{
    Turns what JAX writes into meshes, placements and `shardir.constrain`, and
    leaves other programs as they are (docs/Importing.md): `sdy.mesh`,
    `sdy.sharding` on arguments, results and ops, `sdy.sharding_constraint` and
    the other ops of Shardy that keep a tensor's value; and `mhlo.sharding`, GSPMD's, for which meshes are found. GSPMD's
    manual regions, between custom calls SPMDFullToShardShape and
    SPMDShardToFullShape, become `shardir.manual`, and StableHLO's collectives in
    manual regions those of `collective`. Scatters and sorts of StableHLO and
    torch-mlir become those of `shardir`, torch-mlir's scans loops. Ops and attributes are read as text, so
    that no dialect of theirs is needed: MLIR must be told to allow unregistered
    ones, or have them.

    Example (test/Transforms/Import/import-shardy.mlir):

    ```mlir
    "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "m"}> : () -> ()
    func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?} ]>})
    // becomes
    shardir.mesh @m <["a"=2, "b"=4]>
    func.func @main(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {?} ]>})
    ```
  }];
  let dependentDialects = ["::shardir::ShardIRDialect", "::shardir::collective::CollectiveDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect"];
}

def StripAnnotations : Pass<"shardir-strip-annotations", "::mlir::ModuleOp"> {
  let summary = "Leaves the unsharded program.";
  let description = [{
    Drops meshes, placements and `shardir.constrain`. What `--verify` compares a
    sharded program with. An error where the program has collectives or
    redistributions, or is past the propagated stage.

    Example (test/Transforms/Import/strip-annotations.mlir):

    ```mlir
    shardir.mesh @m <["x"=2]>
    func.func @main(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"} ]>})
        -> tensor<4xf32> {
      %0 = shardir.constrain %x to #shardir.placement<@m, [{} ]> : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
  }];
}

#endif // SHARDIR_TRANSFORMS_IMPORT_PASSES_TD
