//===- Passes.td - Passes from local to bufferized ---------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_BUFFERIZE_PASSES_TD
#define SHARDIR_TRANSFORMS_BUFFERIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerGlobals : Pass<"shardir-lower-globals", "::mlir::ModuleOp"> {
  let summary = "Gives each rank its own copy of a program's mutable globals.";
  let description = [{
    A mutable `ml_program.global` becomes a buffer with one row for each rank,
    which keeps its value from call to call. A load copies the rank's row where it
    stands, a store copies to it. An error where a global has no value in the
    module.

    Example (test/Transforms/Bufferize/lower-globals.mlir):

    ```mlir
    ml_program.global private mutable @seed(dense<7> : tensor<i64>) : tensor<i64>
    // on 4 ranks becomes
    memref.global "private" @seed : memref<4xi64> = dense<7> {alignment = 64 : i64}
    ```
  }];
  let dependentDialects = [
    "::shardir::ShardIRDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
  ];
}

def Bufferize : Pass<"shardir-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turns local tensors into buffers.";
  let description = [{
    Entries (public functions) take buffers for arguments, which are never
    written, then buffers for results, marked `shardir.result`, and return
    nothing. Collectives read and write contiguous buffers. Every buffer that
    the program allocates is freed. Scalars travel as buffers of rank 0.

    Example (test/Transforms/Bufferize/entries.mlir):

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>},
                    %r: memref<4xf32> {shardir.global_type = tensor<4xf32>, shardir.result}) {
      memref.copy %x, %r : memref<4xf32> to memref<4xf32>
      return
    }
    ```
  }];
}

def ReuseResultBuffers : Pass<"shardir-reuse-result-buffers", "::mlir::ModuleOp"> {
  let summary = "Keeps temporaries in buffers of results that are written later.";
  let description = [{
    A buffer of known size that an entry frees before it first uses the buffer of
    a result becomes a view of that, if the result has the same element type and
    is as large. Buffers that go round a loop, or that several threads allocate,
    stay as they are.

    Example (test/Transforms/Bufferize/reuse-result-buffers.mlir):

    ```mlir
    %t = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    linalg.matvec ins(%w, %t : memref<4x4xf32>, memref<4xf32>) outs(%u : memref<4xf32>)
    memref.dealloc %t : memref<4xf32>
    // becomes, where the result %r : memref<8xf32> is first used behind it
    %t = memref.reinterpret_cast %r to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // SHARDIR_TRANSFORMS_BUFFERIZE_PASSES_TD
