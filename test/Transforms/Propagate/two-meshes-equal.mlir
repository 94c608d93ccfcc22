// Constants of equal ops are on the mesh of what reads them, found over a
// sibling, not on the module's first.
//
// RUN: shard-opt %s --shardir-to-propagated | FileCheck %s

shardir.mesh @first <["x"=2]>
shardir.mesh @own <["x"=2]>

// CHECK-LABEL: func.func @equal_readers
// CHECK:         arith.constant {{.*}}<@own, [{"x"}, {}]>{{.*}} dense<2.0
// CHECK:         arith.constant {{.*}}<@own, [{"x"}, {}]>{{.*}} dense<2.0
func.func @equal_readers(%x: tensor<4x8xf32>)
    -> (tensor<4x8xf32> {shardir.placement = #shardir.placement<@own, [{"x"}, {}]>},
        tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = arith.constant dense<2.0> : tensor<4x8xf32>
  %d = arith.constant dense<2.0> : tensor<4x8xf32>
  %0 = linalg.negf ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.mul ins(%x, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = linalg.mul ins(%x, %d : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
