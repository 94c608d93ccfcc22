// Programs of nvFuser's tests (NVIDIA/Fuser), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["z"=2, "y"=2, "x"=2]>

// tests/python/multidevice/test_alphafold3.py, test_triangle_updates (outgoing), its product
// CHECK: triangle_update_outgoing: {{placements equal|fewer bytes|as many bytes}}
func.func @triangle_update_outgoing(%v0: tensor<2x4x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}, {}]>} loc("v0"), %v1: tensor<2x4x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}, {}]>} loc("v1")) -> (tensor<2x4x4x6xf32>) {
  %s0 = tensor.empty() : tensor<2x6x4x4xf32>
  %v2 = linalg.transpose ins(%v0 : tensor<2x4x4x6xf32>) outs(%s0 : tensor<2x6x4x4xf32>) permutation = [0, 3, 1, 2] loc("v2")
  %v3 = linalg.transpose ins(%v1 : tensor<2x4x4x6xf32>) outs(%s0 : tensor<2x6x4x4xf32>) permutation = [0, 3, 2, 1] loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  %v4_u = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v2, %v3 : tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) outs(%s2 : tensor<2x6x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x6x4x4xf32>
  %v4 = shardir.constrain %v4_u to #shardir.placement<@m, [{"z"}, {}, {"y"}, {"x"}]> : tensor<2x6x4x4xf32> loc("v4")
  %s3 = tensor.empty() : tensor<2x4x4x6xf32>
  %v5 = linalg.transpose ins(%v4 : tensor<2x6x4x4xf32>) outs(%s3 : tensor<2x4x4x6xf32>) permutation = [0, 2, 3, 1] loc("v5")
  return %v5 : tensor<2x4x4x6xf32>
}
func.func @triangle_update_outgoing_theirs(%v0: tensor<2x4x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}, {}]>} loc("v0"), %v1: tensor<2x4x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}, {}]>} loc("v1")) -> (tensor<2x4x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}, {}]>}) {
  %s0 = tensor.empty() : tensor<2x6x4x4xf32>
  %v2 = linalg.transpose ins(%v0 : tensor<2x4x4x6xf32>) outs(%s0 : tensor<2x6x4x4xf32>) permutation = [0, 3, 1, 2]
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"z"}, {}, {"y"}, {"x"}]> : tensor<2x6x4x4xf32> loc("v2")
  %v4 = linalg.transpose ins(%v1 : tensor<2x4x4x6xf32>) outs(%s0 : tensor<2x6x4x4xf32>) permutation = [0, 3, 2, 1]
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"z"}, {}, {"x"}, {"y"}]> : tensor<2x6x4x4xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v3, %v5 : tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>) outs(%s2 : tensor<2x6x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x6x4x4xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"z"}, {}, {"y"}, {"x"}]> : tensor<2x6x4x4xf32> loc("v4")
  %s3 = tensor.empty() : tensor<2x4x4x6xf32>
  %v8 = linalg.transpose ins(%v7 : tensor<2x6x4x4xf32>) outs(%s3 : tensor<2x4x4x6xf32>) permutation = [0, 2, 3, 1]
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"z"}, {"y"}, {"x"}, {}]> : tensor<2x4x4x6xf32> loc("v5")
  return %v9 : tensor<2x4x4x6xf32>
}
