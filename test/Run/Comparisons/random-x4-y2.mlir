// Random programs, written by benchmarks/compare_shardy.py. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=4, "y"=2]>

// CHECK: seed_946159: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_946159(%v0: tensor<32x8xf32> loc("v0"), %v1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>} loc("v1"), %v4: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v4")) -> (tensor<8xf32>, tensor<16x32xf32>, tensor<2x16xf32>, tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<16x32xf32>
  %v2 = linalg.mul ins(%v1, %v1 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v2")
  %s1 = arith.constant 0xFF800000 : f32
  %s2 = tensor.empty() : tensor<8xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8xf32>) -> tensor<8xf32>
  %v3 = linalg.reduce { arith.maximumf } ins(%v0 : tensor<32x8xf32>) outs(%s3 : tensor<8xf32>) dimensions = [0] loc("v3")
  %v5 = linalg.mul ins(%v2, %v4 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v5")
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x32xf32> loc("v6")
  %s4 = arith.constant 0.000000e+00 : f32
  %s5 = tensor.empty() : tensor<32xf32>
  %s6 = linalg.fill ins(%s4 : f32) outs(%s5 : tensor<32xf32>) -> tensor<32xf32>
  %v7 = linalg.reduce { arith.addf } ins(%v5 : tensor<16x32xf32>) outs(%s6 : tensor<32xf32>) dimensions = [0] loc("v7")
  %v8 = tensor.expand_shape %v7 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32> loc("v8")
  %v9 = linalg.add ins(%v6, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v9")
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{}, {}]> : tensor<16x32xf32> loc("v10")
  %s7 = tensor.empty() : tensor<2x16xf32>
  %v11 = linalg.negf ins(%v8 : tensor<2x16xf32>) outs(%s7 : tensor<2x16xf32>) -> tensor<2x16xf32> loc("v11")
  %s8 = tensor.empty() : tensor<2x32xf32>
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v12 = linalg.matmul ins(%v8, %v5 : tensor<2x16xf32>, tensor<16x32xf32>) outs(%s9 : tensor<2x32xf32>) -> tensor<2x32xf32> loc("v12")
  return %v3, %v10, %v11, %v12 : tensor<8xf32>, tensor<16x32xf32>, tensor<2x16xf32>, tensor<2x32xf32>
}
func.func @seed_946159_theirs(%v0: tensor<32x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v0"), %v1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>} loc("v1"), %v6: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v4")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, tensor<2x16xf32> {shardir.placement = #shardir.placement<@m, [{"x":(1)2}, {"x":(2)2}]>}, tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<16x32xf32>
  %v2 = linalg.mul ins(%v1, %v1 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x32xf32> loc("v2")
  %s1 = arith.constant 0xFF800000 : f32
  %s2 = tensor.empty() : tensor<8xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8xf32>) -> tensor<8xf32>
  %v4 = linalg.reduce { arith.maximumf } ins(%v0 : tensor<32x8xf32>) outs(%s3 : tensor<8xf32>) dimensions = [0]
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}]> : tensor<8xf32> loc("v3")
  %v7 = linalg.mul ins(%v3, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x32xf32> loc("v5")
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x32xf32> loc("v6")
  %s4 = arith.constant 0.000000e+00 : f32
  %s5 = tensor.empty() : tensor<32xf32>
  %s6 = linalg.fill ins(%s4 : f32) outs(%s5 : tensor<32xf32>) -> tensor<32xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<16x32xf32>) outs(%s6 : tensor<32xf32>) dimensions = [0]
  %v11 = shardir.constrain %v10 to #shardir.placement<@m, [{"x"}]> : tensor<32xf32> loc("v7")
  %v12 = tensor.expand_shape %v11 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{"x":(1)2}, {"x":(2)2}]> : tensor<2x16xf32> loc("v8")
  %v14 = linalg.add ins(%v9, %v9 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s0 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{}, {}]> : tensor<16x32xf32> loc("v9")
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{}, {}]> : tensor<16x32xf32> loc("v10")
  %s7 = tensor.empty() : tensor<2x16xf32>
  %v17 = linalg.negf ins(%v13 : tensor<2x16xf32>) outs(%s7 : tensor<2x16xf32>) -> tensor<2x16xf32>
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"x":(1)2}, {"x":(2)2}]> : tensor<2x16xf32> loc("v11")
  %s8 = tensor.empty() : tensor<2x32xf32>
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v19 = linalg.matmul ins(%v13, %v8 : tensor<2x16xf32>, tensor<16x32xf32>) outs(%s9 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<2x32xf32> loc("v12")
  return %v5, %v16, %v18, %v20 : tensor<8xf32>, tensor<16x32xf32>, tensor<2x16xf32>, tensor<2x32xf32>
}
