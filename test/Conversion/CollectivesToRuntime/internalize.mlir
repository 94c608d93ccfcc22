// RUN: shard-opt %s --shardir-internalize | FileCheck %s

// CHECK: llvm.func @outside()
llvm.func @outside()
// CHECK: llvm.func internal @program.main()
llvm.func @program.main() { llvm.return }
// CHECK: llvm.func @shardir_entry_main()
llvm.func @shardir_entry_main() { llvm.return }
// CHECK: llvm.func @shardir_unsharded_main()
llvm.func @shardir_unsharded_main() { llvm.return }
// CHECK: llvm.mlir.global external constant @shardir_program_metadata("{}\00")
llvm.mlir.global external constant @shardir_program_metadata("{}\00")
// CHECK: llvm.mlir.global internal constant @table
llvm.mlir.global external constant @table(dense<1> : tensor<2xi32>) : !llvm.array<2 x i32>
