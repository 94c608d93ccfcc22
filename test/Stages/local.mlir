// One program on shards for all devices; the rank enters by axis_index.
// The four ranks' terms differ in size and sign; small integers make every sum
// exact, so the result is compared with tolerance 0.
// DEFINE: %{x} = --input=2x3xf32=-3,3,1,-1,2,3
// DEFINE: %{w1} = --input=3x10xf32=-2,2,2,2,-3,-1,0,-1,-1,1,2,0,-1,-1,1,0,2,0,-2,1,-1,-2,-3,0,-1,0,1,2,3,2
// DEFINE: %{w2} = --input=10x2xf32=2,3,1,2,-3,1,-2,1,-1,-3,-2,3,3,-3,-1,2,2,-2,-3,-1
// DEFINE: %{y} = --expected_output=2x2xf32=15,-4,7,-20 --tolerance=0
// DEFINE: %{data} = %{x} %{w1} %{w2} %{y}

// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-local -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// Re-entered, a stage is what it was, and leads to the same next one.
// RUN: shard-opt %t.mlir --shardir-to-local | diff %t.mlir -
// RUN: shard-opt %S/Inputs/mlp.mlir --shardir-to-scheduled -o %t.direct.mlir
// RUN: shard-opt %t.mlir --shardir-to-scheduled -o %t.entered.mlir
// RUN: %python %S/Inputs/diff-but-locations.py %t.direct.mlir %t.entered.mlir

// RUN: shard-run %t.mlir %{data}

// CHECK: module attributes {shardir.stage = "local"}
// Extents that differ among devices are `?`.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    tensor<3x?xf32> {shardir.global_type = tensor<3x10xf32>
// CHECK-SAME:    tensor<?x2xf32> {shardir.global_type = tensor<10x2xf32>
// The extent is min(10 - min(3 * rank, 10), 3): 3, 3, 3, 1.
// CHECK-DAG:     %[[TEN:.+]] = arith.constant 10 : index
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[RANK:.+]] = shardir.axis_index @m "tp"
// CHECK:         %[[START:.+]] = arith.muli %[[RANK]], %[[THREE]]
// CHECK:         %[[FIRST:.+]] = arith.minui %[[START]], %[[TEN]]
// CHECK:         %[[LEFT:.+]] = arith.subi %[[TEN]], %[[FIRST]]
// CHECK:         %[[LENGTH:.+]] = arith.minui %[[LEFT]], %[[THREE]]
// CHECK:         tensor.empty(%[[LENGTH]]) : tensor<2x?xf32>
// CHECK-NOT:     shardir.placements
// CHECK:         collective.all_reduce {{.*}} of tensor<2x2xf32>
