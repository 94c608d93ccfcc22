// Programs of the GSPMD and GShard papers and of XLA's tests of its propagation (openxla/xla), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2, "y"=2]>

// GSPMD, section 5.1: the feed-forward layer with weights and activations in 2D, finalized
// CHECK: feed_forward_2d_finalized: {{placements equal|fewer bytes|as many bytes}}
func.func @feed_forward_2d_finalized(%v0: tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v1"), %v2: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v2")) -> (tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32> loc("v3")
  %v4 = arith.constant dense<0.000000e+00> : tensor<4x8x16xf32> loc("v4")
  %v5 = linalg.max ins(%v3, %v4 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%s1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32> loc("v5")
  %s3 = tensor.empty() : tensor<4x8x8xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v5, %v2 : tensor<4x8x16xf32>, tensor<16x8xf32>) outs(%s4 : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x8xf32> loc("v6")
  return %v6 : tensor<4x8x8xf32>
}
func.func @feed_forward_2d_finalized_theirs(%v0: tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v1"), %v2: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v2")) -> (tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v3")
  %v5 = arith.constant dense<0.000000e+00> : tensor<4x8x16xf32>
  %v6 = linalg.max ins(%v4, %v5 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%s1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v5")
  %s3 = tensor.empty() : tensor<4x8x8xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v7, %v2 : tensor<4x8x16xf32>, tensor<16x8xf32>) outs(%s4 : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x8xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x8xf32> loc("v6")
  return %v9 : tensor<4x8x8xf32>
}

// GSPMD, section 5.1: the same, first attempt: weights in 2D, activations by batch alone
// CHECK: feed_forward_2d_first_attempt: {{placements equal|fewer bytes|as many bytes}}
func.func @feed_forward_2d_first_attempt(%v0: tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v1"), %v2: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v2")) -> (tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32> loc("v3")
  %s3 = tensor.empty() : tensor<4x8x8xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v3, %v2 : tensor<4x8x16xf32>, tensor<16x8xf32>) outs(%s4 : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x8xf32> loc("v4")
  return %v4 : tensor<4x8x8xf32>
}
func.func @feed_forward_2d_first_attempt_theirs(%v0: tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v1"), %v2: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v2")) -> (tensor<4x8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v3")
  %s3 = tensor.empty() : tensor<4x8x8xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %v2 : tensor<4x8x16xf32>, tensor<16x8xf32>) outs(%s4 : tensor<4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x8xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<4x8x8xf32> loc("v4")
  return %v6 : tensor<4x8x8xf32>
}

// GSPMD, section 3.5: an annotation on one operand of an elementwise op reaches the others and a broadcast
// CHECK: one_annotation_of_many: {{placements equal|fewer bytes}}
func.func @one_annotation_of_many(%v0: tensor<8x6xf32> loc("v0"), %v1: tensor<6xf32> loc("v1"), %v2: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v2")) -> (tensor<8x6xf32>) {
  %s0 = tensor.empty() : tensor<8x6xf32>
  %v3 = linalg.broadcast ins(%v1 : tensor<6xf32>) outs(%s0 : tensor<8x6xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.add ins(%v0, %v3 : tensor<8x6xf32>, tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("v4")
  %v5 = linalg.mul ins(%v4, %v2 : tensor<8x6xf32>, tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("v5")
  return %v5 : tensor<8x6xf32>
}
func.func @one_annotation_of_many_theirs(%v0: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v0"), %v1: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>} loc("v1"), %v2: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v2")) -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<8x6xf32>
  %v3 = linalg.broadcast ins(%v1 : tensor<6xf32>) outs(%s0 : tensor<8x6xf32>) dimensions = [0]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<8x6xf32> loc("v3")
  %v5 = linalg.add ins(%v0, %v4 : tensor<8x6xf32>, tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<8x6xf32> loc("v4")
  %v7 = linalg.mul ins(%v6, %v2 : tensor<8x6xf32>, tensor<8x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<8x6xf32> loc("v5")
  return %v8 : tensor<8x6xf32>
}

// GSPMD, section 3.5: a dot merges the batch sharding of one operand and the feature sharding of the other
// CHECK: dot_merges_both: {{placements equal|fewer bytes}}
func.func @dot_merges_both(%v0: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>} loc("v1")) -> (tensor<8x4xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x6xf32>, tensor<6x4xf32>) outs(%s2 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v2")
  return %v2 : tensor<8x4xf32>
}
func.func @dot_merges_both_theirs(%v0: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>} loc("v1")) -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x6xf32>, tensor<6x4xf32>) outs(%s2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<8x4xf32> loc("v2")
  return %v3 : tensor<8x4xf32>
}

// xla/service/sharding_propagation_test.cc, ElementwiseOperationForwardPass
// CHECK: elementwise_forward: {{placements equal|fewer bytes}}
func.func @elementwise_forward(%v0: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v0"), %v1: tensor<5x7x6x3xf32> loc("v1")) -> (tensor<5x7x6x3xf32>) {
  %s0 = tensor.empty() : tensor<5x7x6x3xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<5x7x6x3xf32>, tensor<5x7x6x3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) -> tensor<5x7x6x3xf32> loc("v2")
  return %v2 : tensor<5x7x6x3xf32>
}
func.func @elementwise_forward_theirs(%v0: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v0"), %v1: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v1")) -> (tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<5x7x6x3xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<5x7x6x3xf32>, tensor<5x7x6x3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) -> tensor<5x7x6x3xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]> : tensor<5x7x6x3xf32> loc("v2")
  return %v3 : tensor<5x7x6x3xf32>
}

// xla/service/sharding_propagation_test.cc, ElementwiseOperationBackwardPass
// CHECK: elementwise_backward: {{placements equal|fewer bytes}}
func.func @elementwise_backward(%v0: tensor<5x7x6x3xf32> loc("v0"), %v1: tensor<5x7x6x3xf32> loc("v1")) -> (tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<5x7x6x3xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<5x7x6x3xf32>, tensor<5x7x6x3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) -> tensor<5x7x6x3xf32> loc("v2")
  return %v2 : tensor<5x7x6x3xf32>
}
func.func @elementwise_backward_theirs(%v0: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v0"), %v1: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v1")) -> (tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<5x7x6x3xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<5x7x6x3xf32>, tensor<5x7x6x3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) -> tensor<5x7x6x3xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]> : tensor<5x7x6x3xf32> loc("v2")
  return %v3 : tensor<5x7x6x3xf32>
}

// xla/service/sharding_propagation_test.cc, BroadcastForwardPass
// CHECK: broadcast_forward: {{placements equal|fewer bytes}}
func.func @broadcast_forward(%v0: tensor<3x8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>} loc("v0")) -> (tensor<3x8x6x3xf32>) {
  %s0 = tensor.empty() : tensor<3x8x6x3xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<3x8x6xf32>) outs(%s0 : tensor<3x8x6x3xf32>) dimensions = [3] loc("v1")
  return %v1 : tensor<3x8x6x3xf32>
}
func.func @broadcast_forward_theirs(%v0: tensor<3x8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>} loc("v0")) -> (tensor<3x8x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<3x8x6x3xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<3x8x6xf32>) outs(%s0 : tensor<3x8x6x3xf32>) dimensions = [3]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]> : tensor<3x8x6x3xf32> loc("v1")
  return %v2 : tensor<3x8x6x3xf32>
}

// xla/service/sharding_propagation_test.cc, BroadcastBackwardPass
// CHECK: broadcast_backward: {{placements equal|fewer bytes}}
func.func @broadcast_backward(%v0: tensor<3xf32> loc("v0")) -> (tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<5x7x6x3xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) dimensions = [0, 1, 2] loc("v1")
  %v2 = linalg.tanh ins(%v1 : tensor<5x7x6x3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) -> tensor<5x7x6x3xf32> loc("v2")
  return %v2 : tensor<5x7x6x3xf32>
}
func.func @broadcast_backward_theirs(%v0: tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v0")) -> (tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<5x7x6x3xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) dimensions = [0, 1, 2]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]> : tensor<5x7x6x3xf32> loc("v1")
  %v3 = linalg.tanh ins(%v2 : tensor<5x7x6x3xf32>) outs(%s0 : tensor<5x7x6x3xf32>) -> tensor<5x7x6x3xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]> : tensor<5x7x6x3xf32> loc("v2")
  return %v4 : tensor<5x7x6x3xf32>
}

// xla/service/sharding_propagation_test.cc, BroadcastMerge
// CHECK: broadcast_merge: {{placements equal|fewer bytes}}
func.func @broadcast_merge(%v0: tensor<3x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<3x8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<3x8x4xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<3x8xf32>) outs(%s0 : tensor<3x8x4xf32>) dimensions = [2] loc("v1")
  return %v1 : tensor<3x8x4xf32>
}
func.func @broadcast_merge_theirs(%v0: tensor<3x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<3x8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<3x8x4xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<3x8xf32>) outs(%s0 : tensor<3x8x4xf32>) dimensions = [2]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"x"}, {"y"}]> : tensor<3x8x4xf32> loc("v1")
  return %v2 : tensor<3x8x4xf32>
}

// xla/service/sharding_propagation_test.cc, ShardedReduceForwardPass
// CHECK: reduce_other_dims: {{placements equal|fewer bytes}}
func.func @reduce_other_dims(%v0: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v0")) -> (tensor<7x6xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<7x6xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<7x6xf32>) -> tensor<7x6xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<5x7x6x3xf32>) outs(%s2 : tensor<7x6xf32>) dimensions = [0, 3] loc("v1")
  return %v1 : tensor<7x6xf32>
}
func.func @reduce_other_dims_theirs(%v0: tensor<5x7x6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}, {}]>} loc("v0")) -> (tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<7x6xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<7x6xf32>) -> tensor<7x6xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<5x7x6x3xf32>) outs(%s2 : tensor<7x6xf32>) dimensions = [0, 3]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<7x6xf32> loc("v1")
  return %v2 : tensor<7x6xf32>
}

// xla/service/sharding_propagation_test.cc, ReducePartiallyOnTiledDims
// CHECK: reduce_tiled_dim: {{placements equal|fewer bytes}}
func.func @reduce_tiled_dim(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v0")) -> (tensor<8xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8xf32>) -> tensor<8xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<8x8xf32>) outs(%s2 : tensor<8xf32>) dimensions = [0] loc("v1")
  return %v1 : tensor<8xf32>
}
func.func @reduce_tiled_dim_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v0")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8xf32>) -> tensor<8xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<8x8xf32>) outs(%s2 : tensor<8xf32>) dimensions = [0]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"y"}]> : tensor<8xf32> loc("v1")
  return %v2 : tensor<8xf32>
}

// xla/service/sharding_propagation_test.cc, ReducePartiallyBackward
// CHECK: reduce_backward: {{placements equal|fewer bytes}}
func.func @reduce_backward(%v0: tensor<8x8xf32> loc("v0")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8xf32>) -> tensor<8xf32>
  %v2 = linalg.reduce { arith.addf } ins(%v1 : tensor<8x8xf32>) outs(%s3 : tensor<8xf32>) dimensions = [0] loc("v2")
  return %v2 : tensor<8xf32>
}
func.func @reduce_backward_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x8xf32> loc("v1")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8xf32>) -> tensor<8xf32>
  %v3 = linalg.reduce { arith.addf } ins(%v2 : tensor<8x8xf32>) outs(%s3 : tensor<8xf32>) dimensions = [0]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}]> : tensor<8xf32> loc("v2")
  return %v4 : tensor<8xf32>
}

// xla/service/sharding_propagation_test.cc, TransposeForwardPass
// CHECK: transpose_forward: {{placements equal|fewer bytes}}
func.func @transpose_forward(%v0: tensor<7x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v0")) -> (tensor<5x3x7xf32>) {
  %s0 = tensor.empty() : tensor<5x3x7xf32>
  %v1 = linalg.transpose ins(%v0 : tensor<7x5x3xf32>) outs(%s0 : tensor<5x3x7xf32>) permutation = [1, 2, 0] loc("v1")
  return %v1 : tensor<5x3x7xf32>
}
func.func @transpose_forward_theirs(%v0: tensor<7x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v0")) -> (tensor<5x3x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<5x3x7xf32>
  %v1 = linalg.transpose ins(%v0 : tensor<7x5x3xf32>) outs(%s0 : tensor<5x3x7xf32>) permutation = [1, 2, 0]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"y"}, {"x"}]> : tensor<5x3x7xf32> loc("v1")
  return %v2 : tensor<5x3x7xf32>
}

// xla/service/sharding_propagation_test.cc, TransposeBackwardPass
// CHECK: transpose_backward: {{placements equal|fewer bytes}}
func.func @transpose_backward(%v0: tensor<7x5x3xf32> loc("v0")) -> (tensor<5x3x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<7x5x3xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<7x5x3xf32>) outs(%s0 : tensor<7x5x3xf32>) -> tensor<7x5x3xf32> loc("v1")
  %s1 = tensor.empty() : tensor<5x3x7xf32>
  %v2 = linalg.transpose ins(%v1 : tensor<7x5x3xf32>) outs(%s1 : tensor<5x3x7xf32>) permutation = [1, 2, 0] loc("v2")
  return %v2 : tensor<5x3x7xf32>
}
func.func @transpose_backward_theirs(%v0: tensor<7x5x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}]>} loc("v0")) -> (tensor<5x3x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<7x5x3xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<7x5x3xf32>) outs(%s0 : tensor<7x5x3xf32>) -> tensor<7x5x3xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"y"}, {}, {"x"}]> : tensor<7x5x3xf32> loc("v1")
  %s1 = tensor.empty() : tensor<5x3x7xf32>
  %v3 = linalg.transpose ins(%v2 : tensor<7x5x3xf32>) outs(%s1 : tensor<5x3x7xf32>) permutation = [1, 2, 0]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {"y"}]> : tensor<5x3x7xf32> loc("v2")
  return %v4 : tensor<5x3x7xf32>
}
