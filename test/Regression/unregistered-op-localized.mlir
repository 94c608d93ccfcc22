// RUN: shard-opt %s -allow-unregistered-dialect --shardir-to-local | FileCheck %s
// An op of a dialect that is not registered has none to ask; it was asked.

shardir.mesh @m <["x"=2]>

// CHECK-LABEL: func.func @scale
// CHECK-SAME:    tensor<2x5xf32>
// CHECK:       "my.scale"(%{{.+}}) {{.*}}: (tensor<2x5xf32>) -> tensor<2x5xf32>
func.func @scale(%a: tensor<4x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<4x5xf32> {
  %0 = "my.scale"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i, j])>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
