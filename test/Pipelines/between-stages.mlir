// Upstream's passes may run between stages: nothing breaks and no more bytes are
// received: canonicalize merges constants of different placements, generalize drops
// attributes, cse merges what is equal.
//
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s -canonicalize -cse -linalg-generalize-named-ops --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated -canonicalize --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated -cse --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated -linalg-generalize-named-ops --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated -linalg-generalize-named-ops -canonicalize -cse --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed -canonicalize -cse --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed -linalg-generalize-named-ops --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed -linalg-generalize-named-ops --shardir-to-local -o /dev/null
// RUN: shard-opt %s --shardir-to-collective -canonicalize -cse --shardir-to-collective | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective -linalg-generalize-named-ops -canonicalize --shardir-to-local -o /dev/null

shardir.mesh @m <["dp"=2, "tp"=2]>

// One all-reduce, and that of the second product.
// CHECK-LABEL: func.func @mlp
// CHECK-NOT:     collective
// CHECK:         %[[R:.+]] = collective.all_reduce %{{.+}} from #shardir.placement<@m, [{"dp"}, {}], partial = sum ["tp"]> to #shardir.placement<@m, [{"dp"}, {}]>
// CHECK-NOT:     collective
// CHECK:         return %[[R]]
func.func @mlp(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
               %w1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
               %w2: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>) outs(%z1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %a = linalg.max ins(%h, %z1 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%z2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// Equal constants with different placements, made one by canonicalize, and a
// constraint between ops.
// CHECK-LABEL: func.func @constants
// CHECK-NOT:     collective
// CHECK:         collective.all_gather %{{.+}} from #shardir.placement<@m, [{"dp"}, {}]> to #shardir.placement<@m, [{}, {}]>
// CHECK-NOT:     collective
// CHECK:         return
func.func @constants(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                     %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = arith.constant dense<2.0> : tensor<8x8xf32>
  %d = arith.constant dense<2.0> : tensor<8x8xf32>
  %0 = arith.mulf %x, %c : tensor<8x8xf32>
  %1 = arith.mulf %y, %d : tensor<8x8xf32>
  %2 = shardir.constrain %0 to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32>
  %3 = math.exp %2 : tensor<8x8xf32>
  return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A loop loses a carried tensor that nobody uses; what is left is placed as it
// was.
// CHECK-LABEL: func.func @loop
// CHECK-NOT:     collective
// CHECK:         scf.for
// CHECK-NOT:     collective
// CHECK:           math.tanh {{.*}}[#shardir.placement<@m, [{"dp"}, {"tp"}]>]
// CHECK-NOT:     collective
// CHECK:         return
func.func @loop(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%b = %y, %a = %x) -> (tensor<8xf32>, tensor<8x16xf32>) {
    %t = math.tanh %a : tensor<8x16xf32>
    scf.yield %b, %t : tensor<8xf32>, tensor<8x16xf32>
  }
  return %r#1 : tensor<8x16xf32>
}
