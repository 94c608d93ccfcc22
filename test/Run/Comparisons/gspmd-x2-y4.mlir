// Programs of the GSPMD and GShard papers and of XLA's tests of its propagation (openxla/xla), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2, "y"=4]>

// xla/service/sharding_propagation_test.cc, BroadcastUser
// CHECK: broadcast_user: {{placements equal|fewer bytes}}
func.func @broadcast_user(%v0: tensor<12x8xf32> loc("v0")) -> (tensor<4x12x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<12x8xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<12x8xf32>) outs(%s0 : tensor<12x8xf32>) -> tensor<12x8xf32> loc("v1")
  %s1 = tensor.empty() : tensor<4x12x6x8xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<12x8xf32>) outs(%s1 : tensor<4x12x6x8xf32>) dimensions = [0, 2] loc("v2")
  return %v2 : tensor<4x12x6x8xf32>
}
func.func @broadcast_user_theirs(%v0: tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v0")) -> (tensor<4x12x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<12x8xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<12x8xf32>) outs(%s0 : tensor<12x8xf32>) -> tensor<12x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<12x8xf32> loc("v1")
  %s1 = tensor.empty() : tensor<4x12x6x8xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<12x8xf32>) outs(%s1 : tensor<4x12x6x8xf32>) dimensions = [0, 2]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {}, {"y"}]> : tensor<4x12x6x8xf32> loc("v2")
  return %v4 : tensor<4x12x6x8xf32>
}

// xla/service/sharding_propagation_test.cc, BroadcastUserPartial
// CHECK: broadcast_user_partial: {{placements equal|fewer bytes}}
func.func @broadcast_user_partial(%v0: tensor<12x8xf32> loc("v0")) -> (tensor<4x12x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<12x8xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<12x8xf32>) outs(%s0 : tensor<12x8xf32>) -> tensor<12x8xf32> loc("v1")
  %s1 = tensor.empty() : tensor<4x12x6x8xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<12x8xf32>) outs(%s1 : tensor<4x12x6x8xf32>) dimensions = [0, 2] loc("v2")
  return %v2 : tensor<4x12x6x8xf32>
}
func.func @broadcast_user_partial_theirs(%v0: tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0")) -> (tensor<4x12x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<12x8xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<12x8xf32>) outs(%s0 : tensor<12x8xf32>) -> tensor<12x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<12x8xf32> loc("v1")
  %s1 = tensor.empty() : tensor<4x12x6x8xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<12x8xf32>) outs(%s1 : tensor<4x12x6x8xf32>) dimensions = [0, 2]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"y"}, {"x"}, {}, {}]> : tensor<4x12x6x8xf32> loc("v2")
  return %v4 : tensor<4x12x6x8xf32>
}
