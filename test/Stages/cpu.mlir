// LLVM dialect that calls the runtime's C interface.
// The four ranks' terms differ in size and sign; small integers make every sum
// exact, so the result is compared with tolerance 0.
// DEFINE: %{x} = --input=2x3xf32=-3,3,1,-1,2,3
// DEFINE: %{w1} = --input=3x10xf32=-2,2,2,2,-3,-1,0,-1,-1,1,2,0,-1,-1,1,0,2,0,-2,1,-1,-2,-3,0,-1,0,1,2,3,2
// DEFINE: %{w2} = --input=10x2xf32=2,3,1,2,-3,1,-2,1,-1,-3,-2,3,3,-3,-1,2,2,-2,-3,-1
// DEFINE: %{y} = --expected_output=2x2xf32=15,-4,7,-20 --tolerance=0
// DEFINE: %{data} = %{x} %{w1} %{w2} %{y}

// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-cpu -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// RUN: shard-run %t.mlir %{data}

// CHECK:     shardir.stage = "cpu"
// CHECK-NOT: {{(linalg|memref|collective|func)\.}}
// CHECK-DAG: llvm.call @shardir_axis_index
// CHECK-DAG: llvm.call @shardir_collective
// CHECK-DAG: llvm.func @shardir_entry_main(%{{.+}}: !llvm.ptr)
// CHECK-DAG: llvm.mlir.global external constant @shardir_program_metadata
