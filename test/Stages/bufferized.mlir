// Memrefs; results are arguments that the caller gives.
// The four ranks' terms differ in size and sign; small integers make every sum
// exact, so the result is compared with tolerance 0.
// DEFINE: %{x} = --input=2x3xf32=-3,3,1,-1,2,3
// DEFINE: %{w1} = --input=3x10xf32=-2,2,2,2,-3,-1,0,-1,-1,1,2,0,-1,-1,1,0,2,0,-2,1,-1,-2,-3,0,-1,0,1,2,3,2
// DEFINE: %{w2} = --input=10x2xf32=2,3,1,2,-3,1,-2,1,-1,-3,-2,3,3,-3,-1,2,2,-2,-3,-1
// DEFINE: %{y} = --expected_output=2x2xf32=15,-4,7,-20 --tolerance=0
// DEFINE: %{data} = %{x} %{w1} %{w2} %{y}

// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-bufferized -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// Re-entered, a stage is what it was, and leads to the same next one.
// RUN: shard-opt %t.mlir --shardir-to-bufferized | diff %t.mlir -
// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-cpu -o %t.direct.mlir
// RUN: shard-opt %t.mlir --shardir-to-cpu -o %t.entered.mlir
// RUN: %python %S/Inputs/diff-but-locations.py %t.direct.mlir %t.entered.mlir

// RUN: shard-run %t.mlir %{data}

// CHECK: shardir.stage = "bufferized"
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[OUT:[^ ]+]]: memref<2x2xf32> {shardir.global_type = tensor<2x2xf32>,
// CHECK-SAME:    shardir.result})
// The activation takes the buffer of what it reads; the sum is made in place.
// CHECK:         %[[H:.+]] = memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.matmul {{.*}} outs(%[[OUT]]
// CHECK:         memref.dealloc %[[H]]
// CHECK:         collective.all_reduce %[[OUT]] into %[[OUT]]
