// Programs of the GSPMD and GShard papers and of XLA's tests of its propagation (openxla/xla), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["z"=2, "y"=2, "x"=2]>

// xla/service/sharding_propagation_test.cc, DotMergeOperands
// CHECK: dot_merge_batch_and_free: {{placements equal|fewer bytes}}
func.func @dot_merge_batch_and_free(%v0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {}]>} loc("v0"), %v1: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"x"}, {}]>} loc("v1")) -> (tensor<4x6x10xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x6x10xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x6x8xf32>, tensor<4x10x8xf32>) outs(%s2 : tensor<4x6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6x10xf32> loc("v2")
  return %v2 : tensor<4x6x10xf32>
}
func.func @dot_merge_batch_and_free_theirs(%v0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {}]>} loc("v0"), %v1: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"x"}, {}]>} loc("v1")) -> (tensor<4x6x10xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x6x10xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x6x8xf32>, tensor<4x10x8xf32>) outs(%s2 : tensor<4x6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6x10xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]> : tensor<4x6x10xf32> loc("v2")
  return %v3 : tensor<4x6x10xf32>
}

// xla/service/sharding_propagation_test.cc, DotMergeOperands2
// CHECK: dot_merge_contracted: {{placements equal|fewer bytes|as many bytes}}
func.func @dot_merge_contracted(%v0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v0"), %v1: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v1")) -> (tensor<4x6x10xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x6x10xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x6x8xf32>, tensor<4x10x8xf32>) outs(%s2 : tensor<4x6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6x10xf32> loc("v2")
  return %v2 : tensor<4x6x10xf32>
}
func.func @dot_merge_contracted_theirs(%v0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v0"), %v1: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v1")) -> (tensor<4x6x10xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x6x10xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x6x8xf32>, tensor<4x10x8xf32>) outs(%s2 : tensor<4x6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6x10xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"z"}, {"y"}, {}]> : tensor<4x6x10xf32> loc("v2")
  return %v3 : tensor<4x6x10xf32>
}

// xla/service/sharding_propagation_test.cc, BackwardDotFromContracting
// CHECK: dot_backward_from_contracted: {{placements equal|fewer bytes|as many bytes}}
func.func @dot_backward_from_contracted(%v0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v0"), %v1: tensor<4x10x8xf32> loc("v1")) -> (tensor<4x6x10xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<4x10x8xf32>
  %v2 = linalg.tanh ins(%v1 : tensor<4x10x8xf32>) outs(%s0 : tensor<4x10x8xf32>) -> tensor<4x10x8xf32> loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<4x6x10xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v2 : tensor<4x6x8xf32>, tensor<4x10x8xf32>) outs(%s3 : tensor<4x6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6x10xf32> loc("v3")
  return %v3 : tensor<4x6x10xf32>
}
func.func @dot_backward_from_contracted_theirs(%v0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v0"), %v1: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]>} loc("v1")) -> (tensor<4x6x10xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<4x10x8xf32>
  %v2 = linalg.tanh ins(%v1 : tensor<4x10x8xf32>) outs(%s0 : tensor<4x10x8xf32>) -> tensor<4x10x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"z"}, {"y"}, {"x"}]> : tensor<4x10x8xf32> loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<4x6x10xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x6x10xf32>) -> tensor<4x6x10xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v3 : tensor<4x6x8xf32>, tensor<4x10x8xf32>) outs(%s3 : tensor<4x6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6x10xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"z"}, {}, {"y"}]> : tensor<4x6x10xf32> loc("v3")
  return %v5 : tensor<4x6x10xf32>
}
