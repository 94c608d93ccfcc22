// A value that is rematerialized for another op (R5) has that op's reason; what
// such an op takes replicated beside its splits has none.
//
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s

shardir.mesh @m <["a"=2]>

// CHECK-LABEL: func.func @rematerializable
// CHECK:         linalg.fill {shardir.decided_by = [#shardir.provenance<argument 0 of @rematerializable>], shardir.placements = [#shardir.placement<@m, [{"a"}]>]}
// CHECK:         tensor.empty() {shardir.placements = [#shardir.placement<@m, [{}]>]}
// CHECK:         linalg.fill {shardir.placements = [#shardir.placement<@m, [{}]>]}
func.func @rematerializable(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>},
                 %y: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<6xf32>, tensor<4x6xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %0 = linalg.max ins(%x, %f : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %w = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.broadcast ins(%f : tensor<6xf32>) outs(%w : tensor<4x6xf32>) dimensions = [0]
  %2 = linalg.max ins(%y, %1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%w : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %2 : tensor<6xf32>, tensor<4x6xf32>
}
