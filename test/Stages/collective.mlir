// Each redistribution is a chain of collectives and local slices.
// The four ranks' terms differ in size and sign; small integers make every sum
// exact, so the result is compared with tolerance 0.
// DEFINE: %{x} = --input=2x3xf32=-3,3,1,-1,2,3
// DEFINE: %{w1} = --input=3x10xf32=-2,2,2,2,-3,-1,0,-1,-1,1,2,0,-1,-1,1,0,2,0,-2,1,-1,-2,-3,0,-1,0,1,2,3,2
// DEFINE: %{w2} = --input=10x2xf32=2,3,1,2,-3,1,-2,1,-1,-3,-2,3,3,-3,-1,2,2,-2,-3,-1
// DEFINE: %{y} = --expected_output=2x2xf32=15,-4,7,-20 --tolerance=0
// DEFINE: %{data} = %{x} %{w1} %{w2} %{y}

// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-collective -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// Re-entered, a stage is what it was, and leads to the same next one.
// RUN: shard-opt %t.mlir --shardir-to-collective | diff %t.mlir -
// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-local -o %t.direct.mlir
// RUN: shard-opt %t.mlir --shardir-to-local -o %t.entered.mlir
// RUN: %python %S/Inputs/diff-but-locations.py %t.direct.mlir %t.entered.mlir

// RUN: shard-run %t.mlir %{data}

// Attributes that upstream's passes drop are filled in again.
// RUN: shard-opt %t.mlir --canonicalize -o %t.canonicalize.mlir
// RUN: shard-run %t.canonicalize.mlir %{data}
// RUN: shard-opt %t.mlir --cse -o %t.cse.mlir
// RUN: shard-run %t.cse.mlir %{data}
// RUN: shard-opt %t.mlir --linalg-generalize-named-ops -o %t.linalg-generalize-named-ops.mlir
// RUN: shard-run %t.linalg-generalize-named-ops.mlir %{data}

// CHECK-LABEL: func.func @main
// CHECK-NOT:     collective
// CHECK:         %[[Y:.+]] = linalg.matmul {{.*}}partial = sum ["tp"]
// CHECK-NEXT:    %[[R:.+]] = collective.all_reduce %[[Y]]
// CHECK-NEXT:    return %[[R]]
// CHECK-NOT:     redistribute
