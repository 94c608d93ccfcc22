// What two values are that a constraint stands between is gathered once for the
// users of both, where together they gain what none of them gains alone. The
// tables of this component are too large for an exact answer.
//
// RUN: shard-opt %s --shardir-to-collective="cost=bytes" 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: collective.all_to_all
// CHECK: collective.all_gather {{.*}} : tensor<16x32xf32>
// CHECK-NOT: collective.{{(all|reduce|exchange|permute)}}
// CHECK: return
shardir.mesh @m <["x"=4, "y"=2]>
func.func @main(%v0: tensor<32x8xf32>, %v1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>}, %v4: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> (tensor<8xf32>, tensor<16x32xf32>, tensor<2x16xf32>, tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<16x32xf32>
  %v2 = linalg.mul ins(%v1, %v1 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %s1 = arith.constant 0xFF800000 : f32
  %s2 = tensor.empty() : tensor<8xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8xf32>) -> tensor<8xf32>
  %v3 = linalg.reduce { arith.maximumf } ins(%v0 : tensor<32x8xf32>) outs(%s3 : tensor<8xf32>) dimensions = [0]
  %v5 = linalg.mul ins(%v2, %v4 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x32xf32>
  %s4 = arith.constant 0.000000e+00 : f32
  %s5 = tensor.empty() : tensor<32xf32>
  %s6 = linalg.fill ins(%s4 : f32) outs(%s5 : tensor<32xf32>) -> tensor<32xf32>
  %v7 = linalg.reduce { arith.addf } ins(%v5 : tensor<16x32xf32>) outs(%s6 : tensor<32xf32>) dimensions = [0]
  %v8 = tensor.expand_shape %v7 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
  %v9 = linalg.add ins(%v6, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{}, {}]> : tensor<16x32xf32>
  %s7 = tensor.empty() : tensor<2x16xf32>
  %v11 = linalg.negf ins(%v8 : tensor<2x16xf32>) outs(%s7 : tensor<2x16xf32>) -> tensor<2x16xf32>
  %s8 = tensor.empty() : tensor<2x32xf32>
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v12 = linalg.matmul ins(%v8, %v5 : tensor<2x16xf32>, tensor<16x32xf32>) outs(%s9 : tensor<2x32xf32>) -> tensor<2x32xf32>
  return %v3, %v10, %v11, %v12 : tensor<8xf32>, tensor<16x32xf32>, tensor<2x16xf32>, tensor<2x32xf32>
}
