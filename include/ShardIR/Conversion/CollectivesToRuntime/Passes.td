//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from the bufferized stage to what the runtime loads: its C ABI
// (Runtime/Abi.h) and the metadata of docs/RuntimeInternals.md.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_COLLECTIVESTORUNTIME_PASSES_TD
#define SHARDIR_CONVERSION_COLLECTIVESTORUNTIME_PASSES_TD

include "mlir/Pass/PassBase.td"

def CollectivesToRuntime : Pass<"shardir-collectives-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turns collectives on buffers into calls of the runtime.";
  let description = [{
    Collectives become calls of `shardir_collective`, `shardir_collective_peer`
    and `shardir_collective_blocks`, `shardir.axis_index` one call per function
    and axis, `cf.assert` a call of `shardir_fail`. Each entry gets a function
    `shardir_entry_<name>` that takes pointers to memref descriptors, and the
    program's description becomes the string `shardir_program_metadata`. Meshes
    and placements are in that string from here on, and no longer in the IR.
    The program's own symbols get the prefix `program.`, so that they cannot meet
    those of libraries.

    Example (test/Conversion/CollectivesToRuntime/collectives.mlir):

    ```mlir
    collective.all_gather %x into %r from #shardir.placement<@m, [{"x"} ]>
        to #shardir.placement<@m, [{} ]> of tensor<8xf32> : memref<4xf32>, memref<8xf32>
    // becomes
    llvm.call @shardir_collective(%id, %in, %out, %null) : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    ```
  }];
  let options = [
    Option<"hash", "hash", "std::string", "", "the program's hash, for the metadata">,
    Option<"entryPrefix", "entry-prefix", "std::string", "\"shardir_entry_\"",
           "what the symbols of entries begin with">,
    Option<"metadata", "metadata", "bool", "true", "whether to define the metadata">,
    Option<"unsharded", "unsharded", "bool", "false",
           "whether the metadata names unsharded entries, which another object defines">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def Internalize : Pass<"shardir-internalize", "::mlir::ModuleOp"> {
  let summary = "Hides all symbols but the entries and the metadata.";
  let description = [{
    The last pass: what is left is LLVM dialect, and only names that begin with
    `shardir_entry_`, `shardir_unsharded_` or `shardir_program_` can be seen from
    outside the object.

    Example (test/Conversion/CollectivesToRuntime/internalize.mlir):

    ```mlir
    llvm.func @program.main() { llvm.return }
    // becomes
    llvm.func internal @program.main() { llvm.return }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // SHARDIR_CONVERSION_COLLECTIVESTORUNTIME_PASSES_TD
