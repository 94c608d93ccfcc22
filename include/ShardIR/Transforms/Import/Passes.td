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
  let summary = "Reads the annotations of Shardy, GSPMD and MLIR's shard dialect.";
  let description = [{
    Turns what JAX writes into meshes, placements and `shardir.constrain`, and
    leaves other programs as they are (docs/Importing.md): `sdy.mesh`,
    `sdy.sharding` on arguments, results and ops, `sdy.sharding_constraint` and
    the other ops of Shardy that keep a tensor's value; and `mhlo.sharding`,
    GSPMD's, for which meshes are found. GSPMD's manual regions, between custom
    calls SPMDFullToShardShape and SPMDShardToFullShape, become
    `shardir.manual`, and StableHLO's collectives in manual regions those of
    `collective`. Scatters and sorts of StableHLO and torch-mlir become those of
    `shardir`, torch-mlir's scans loops. `shard.grid` and `shard.shard` become
    meshes and constraints. Ops and attributes of the others are read as text,
    so that no dialect of theirs is needed: MLIR must be told to allow
    unregistered ones, or have them.

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
    sharded program with. An error where the program has collectives,
    redistributions or manual regions (shardir-unshard-manual takes these away), or is
    past the propagated stage.

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

def UnshardManual : Pass<"shardir-unshard-manual", "::mlir::ModuleOp"> {
  let summary = "Runs manual regions for all devices, one after the other.";
  let description = [{
    Writes each op of a manual region once for each position along the manual
    axes along which its operands vary, so that one device computes what all
    do. The borders of the region cut tensors and put them together, and so do
    its collectives: a reduction combines the terms of a group in the order of
    its devices. Calls are inlined. A loop or a branch that holds a collective
    stays one, with the values of all positions; whether it runs again must not
    vary. `--verify` compares with this program; it grows with the number of
    devices along manual axes. Programs without manual regions stay as they are.

    Example (test/Transforms/Import/unshard-manual.mlir):

    ```mlir
    %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"} ]>] out [#shardir.placement<@m, [{} ]>] manual = ["dp"] {
    ^bb0(%local: tensor<2xf32>):
      %1 = collective.all_reduce %local from #shardir.placement<@m, [{} ], partial = sum ["dp"]>
          to #shardir.placement<@m, [{} ]> of tensor<2xf32> : tensor<2xf32> -> tensor<2xf32>
      shardir.yield %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<2xf32>
    // becomes
    %1 = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %2 = tensor.extract_slice %x[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %3 = tensor.empty() : tensor<2xf32>
    %4 = linalg.generic … ins(%1, %2 : tensor<2xf32>, tensor<2xf32>) outs(%3 : tensor<2xf32>) { … arith.addf … }
    ```
  }];
  let dependentDialects = ["::shardir::ShardIRDialect", "::shardir::collective::CollectiveDialect",
                           "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SHARDIR_TRANSFORMS_IMPORT_PASSES_TD
