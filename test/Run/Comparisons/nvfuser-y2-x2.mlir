// Programs of nvFuser's tests (NVIDIA/Fuser), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["y"=2, "x"=2]>

// tests/python/multidevice/test_matmul.py, test_data_and_tensor_parallel_mlp
// CHECK: data_and_tensor_parallel_mlp: {{placements equal|fewer bytes}}
func.func @data_and_tensor_parallel_mlp(%v0: tensor<14x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {}]>} loc("v0"), %v1: tensor<12x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v1"), %v2: tensor<3x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v2")) -> (tensor<14x5x3xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<14x5x12xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<14x5x12xf32>) -> tensor<14x5x12xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<14x5x3xf32>, tensor<12x3xf32>) outs(%s2 : tensor<14x5x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<14x5x12xf32> loc("v3")
  %s3 = tensor.empty() : tensor<14x5x3xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<14x5x3xf32>) -> tensor<14x5x3xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v3, %v2 : tensor<14x5x12xf32>, tensor<3x12xf32>) outs(%s4 : tensor<14x5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<14x5x3xf32> loc("v4")
  return %v4 : tensor<14x5x3xf32>
}
func.func @data_and_tensor_parallel_mlp_theirs(%v0: tensor<14x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {}]>} loc("v0"), %v1: tensor<12x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v1"), %v2: tensor<3x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v2")) -> (tensor<14x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<14x5x12xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<14x5x12xf32>) -> tensor<14x5x12xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<14x5x3xf32>, tensor<12x3xf32>) outs(%s2 : tensor<14x5x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<14x5x12xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"y"}, {}, {"x"}]> : tensor<14x5x12xf32> loc("v3")
  %s3 = tensor.empty() : tensor<14x5x3xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<14x5x3xf32>) -> tensor<14x5x3xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %v2 : tensor<14x5x12xf32>, tensor<3x12xf32>) outs(%s4 : tensor<14x5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<14x5x3xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"y"}, {}, {}]> : tensor<14x5x3xf32> loc("v4")
  return %v6 : tensor<14x5x3xf32>
}
