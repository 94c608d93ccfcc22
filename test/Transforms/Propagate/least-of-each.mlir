// RUN: cat %S/../../Run/Windows/roll-in-loop.mlir %s > %t.mlir
// RUN: shard-opt %t.mlir --shardir-to-collective=cost=bytes | FileCheck %s

// Of the answers that are planned each function takes its own least one: the
// stencil the greedy rule's, the product the one where contractions are weighed.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     collective.all_gather
// CHECK-COUNT-4: collective.halo_exchange
// CHECK-LABEL: func.func @square
// CHECK:         collective.all_gather
// CHECK-NOT:     collective.
// CHECK:         return
func.func @square(%a: tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %w: tensor<64x64xf32>, %init: tensor<8x64xf32>)
    -> (tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %y = linalg.matmul ins(%a, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
