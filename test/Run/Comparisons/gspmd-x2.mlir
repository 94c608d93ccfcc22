// Programs of the GSPMD and GShard papers and of XLA's tests of its propagation (openxla/xla), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2]>

// GShard, algorithm 2: dispatch, experts, combine, with all-to-alls between groups and experts
// CHECK: mixture_of_experts: {{placements equal|fewer bytes|as many bytes}}
func.func @mixture_of_experts(%v0: tensor<2x8x4x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>} loc("v0"), %v1: tensor<2x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v1"), %v2: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v2"), %v3: tensor<4x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v3")) -> (tensor<2x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x4x2x6xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x8x4x2xf32>, tensor<2x8x6xf32>) outs(%s2 : tensor<2x4x2x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x4x2x6xf32> loc("v4")
  %s3 = tensor.empty() : tensor<4x2x2x6xf32>
  %v5 = linalg.transpose ins(%v4 : tensor<2x4x2x6xf32>) outs(%s3 : tensor<4x2x2x6xf32>) permutation = [1, 0, 2, 3] loc("v5")
  %s4 = tensor.empty() : tensor<4x2x2x8xf32>
  %s5 = linalg.fill ins(%s0 : f32) outs(%s4 : tensor<4x2x2x8xf32>) -> tensor<4x2x2x8xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v5, %v2 : tensor<4x2x2x6xf32>, tensor<4x6x8xf32>) outs(%s5 : tensor<4x2x2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x2x2x8xf32> loc("v6")
  %v7 = arith.constant dense<0.000000e+00> : tensor<4x2x2x8xf32> loc("v7")
  %v8 = linalg.max ins(%v6, %v7 : tensor<4x2x2x8xf32>, tensor<4x2x2x8xf32>) outs(%s4 : tensor<4x2x2x8xf32>) -> tensor<4x2x2x8xf32> loc("v8")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x2x2x6xf32>) -> tensor<4x2x2x6xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v8, %v3 : tensor<4x2x2x8xf32>, tensor<4x8x6xf32>) outs(%s6 : tensor<4x2x2x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x2x2x6xf32> loc("v9")
  %v10 = linalg.transpose ins(%v9 : tensor<4x2x2x6xf32>) outs(%s1 : tensor<2x4x2x6xf32>) permutation = [1, 0, 2, 3] loc("v10")
  %s7 = tensor.empty() : tensor<2x8x6xf32>
  %s8 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v0, %v10 : tensor<2x8x4x2xf32>, tensor<2x4x2x6xf32>) outs(%s8 : tensor<2x8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x8x6xf32> loc("v11")
  return %v11 : tensor<2x8x6xf32>
}
func.func @mixture_of_experts_theirs(%v0: tensor<2x8x4x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {}]>} loc("v0"), %v1: tensor<2x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v1"), %v2: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v2"), %v3: tensor<4x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v3")) -> (tensor<2x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x4x2x6xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x8x4x2xf32>, tensor<2x8x6xf32>) outs(%s2 : tensor<2x4x2x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x4x2x6xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"x"}, {}, {}, {}]> : tensor<2x4x2x6xf32> loc("v4")
  %s3 = tensor.empty() : tensor<4x2x2x6xf32>
  %v6 = linalg.transpose ins(%v5 : tensor<2x4x2x6xf32>) outs(%s3 : tensor<4x2x2x6xf32>) permutation = [1, 0, 2, 3]
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"x"}, {}, {}, {}]> : tensor<4x2x2x6xf32> loc("v5")
  %s4 = tensor.empty() : tensor<4x2x2x8xf32>
  %s5 = linalg.fill ins(%s0 : f32) outs(%s4 : tensor<4x2x2x8xf32>) -> tensor<4x2x2x8xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v7, %v2 : tensor<4x2x2x6xf32>, tensor<4x6x8xf32>) outs(%s5 : tensor<4x2x2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x2x2x8xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"x"}, {}, {}, {}]> : tensor<4x2x2x8xf32> loc("v6")
  %v10 = arith.constant dense<0.000000e+00> : tensor<4x2x2x8xf32>
  %v11 = linalg.max ins(%v9, %v10 : tensor<4x2x2x8xf32>, tensor<4x2x2x8xf32>) outs(%s4 : tensor<4x2x2x8xf32>) -> tensor<4x2x2x8xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"x"}, {}, {}, {}]> : tensor<4x2x2x8xf32> loc("v8")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x2x2x6xf32>) -> tensor<4x2x2x6xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v12, %v3 : tensor<4x2x2x8xf32>, tensor<4x8x6xf32>) outs(%s6 : tensor<4x2x2x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x2x2x6xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{"x"}, {}, {}, {}]> : tensor<4x2x2x6xf32> loc("v9")
  %v15 = linalg.transpose ins(%v14 : tensor<4x2x2x6xf32>) outs(%s1 : tensor<2x4x2x6xf32>) permutation = [1, 0, 2, 3]
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{"x"}, {}, {}, {}]> : tensor<2x4x2x6xf32> loc("v10")
  %s7 = tensor.empty() : tensor<2x8x6xf32>
  %s8 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v0, %v16 : tensor<2x8x4x2xf32>, tensor<2x4x2x6xf32>) outs(%s8 : tensor<2x8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x8x6xf32>
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<2x8x6xf32> loc("v11")
  return %v18 : tensor<2x8x6xf32>
}

// xla/service/sharding_propagation_test.cc, ReshapeForwardPass
// CHECK: reshape_forward: {{placements equal|fewer bytes}}
func.func @reshape_forward(%v0: tensor<60x1xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0")) -> (tensor<4x5x3xf32>) {
  %s0 = arith.constant dense<[4, 5, 3]> : tensor<3xindex>
  %v1 = tensor.reshape %v0(%s0) : (tensor<60x1xf32>, tensor<3xindex>) -> tensor<4x5x3xf32> loc("v1")
  return %v1 : tensor<4x5x3xf32>
}
func.func @reshape_forward_theirs(%v0: tensor<60x1xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0")) -> (tensor<4x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = arith.constant dense<[4, 5, 3]> : tensor<3xindex>
  %v1 = tensor.reshape %v0(%s0) : (tensor<60x1xf32>, tensor<3xindex>) -> tensor<4x5x3xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<4x5x3xf32> loc("v1")
  return %v2 : tensor<4x5x3xf32>
}

// xla/service/sharding_propagation_test.cc, ReshapeBackwardPass
// CHECK: reshape_backward: {{placements equal|fewer bytes}}
func.func @reshape_backward(%v0: tensor<60x1xf32> loc("v0")) -> (tensor<4x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<60x1xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<60x1xf32>) outs(%s0 : tensor<60x1xf32>) -> tensor<60x1xf32> loc("v1")
  %s1 = arith.constant dense<[4, 5, 3]> : tensor<3xindex>
  %v2 = tensor.reshape %v1(%s1) : (tensor<60x1xf32>, tensor<3xindex>) -> tensor<4x5x3xf32> loc("v2")
  return %v2 : tensor<4x5x3xf32>
}
func.func @reshape_backward_theirs(%v0: tensor<60x1xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0")) -> (tensor<4x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<60x1xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<60x1xf32>) outs(%s0 : tensor<60x1xf32>) -> tensor<60x1xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<60x1xf32> loc("v1")
  %s1 = arith.constant dense<[4, 5, 3]> : tensor<3xindex>
  %v3 = tensor.reshape %v2(%s1) : (tensor<60x1xf32>, tensor<3xindex>) -> tensor<4x5x3xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<4x5x3xf32> loc("v2")
  return %v4 : tensor<4x5x3xf32>
}

// xla/service/sharding_propagation_test.cc, ConcatFromUserUnshardedDim
// CHECK: concat_backward: {{placements equal|fewer bytes}}
func.func @concat_backward(%v0: tensor<8x6xf32> loc("v0"), %v1: tensor<8x6xf32> loc("v1")) -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x6xf32>
  %v2 = linalg.tanh ins(%v0 : tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("v2")
  %v3 = linalg.tanh ins(%v1 : tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("v3")
  %v4 = tensor.concat dim(0) %v2, %v3 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<16x6xf32> loc("v4")
  return %v4 : tensor<16x6xf32>
}
func.func @concat_backward_theirs(%v0: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0"), %v1: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1")) -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x6xf32>
  %v2 = linalg.tanh ins(%v0 : tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x6xf32> loc("v2")
  %v4 = linalg.tanh ins(%v1 : tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x6xf32> loc("v3")
  %v6 = tensor.concat dim(0) %v3, %v5 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<16x6xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{}, {"x"}]> : tensor<16x6xf32> loc("v4")
  return %v7 : tensor<16x6xf32>
}
