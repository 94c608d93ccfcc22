// Programs of nvFuser's tests (NVIDIA/Fuser), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2, "y"=3]>

// tests/cpp/test_sharding.cpp, ShardedReshapeWithIndependentSplit
// CHECK: reshape_with_independent_split: {{placements equal|fewer bytes}}
func.func @reshape_with_independent_split(%v0: tensor<6x5x21x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {"y"}]>} loc("v0")) -> (tensor<30x189xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1], [2, 3]] : tensor<6x5x21x9xf32> into tensor<30x189xf32> loc("v1")
  return %v1 : tensor<30x189xf32>
}
func.func @reshape_with_independent_split_theirs(%v0: tensor<6x5x21x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}, {"y"}]>} loc("v0")) -> (tensor<30x189xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {21, "y"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1], [2, 3]] : tensor<6x5x21x9xf32> into tensor<30x189xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {21, "y"}]> : tensor<30x189xf32> loc("v1")
  return %v2 : tensor<30x189xf32>
}

// tests/cpp/test_sharding.cpp, PropagationDoesNotOverwrite
// CHECK: propagation_does_not_overwrite: {{placements equal|fewer bytes|as many bytes}}
func.func @propagation_does_not_overwrite(%v0: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>} loc("v1")) -> (tensor<6x4xf32>) {
  %s0 = tensor.empty() : tensor<6x4xf32>
  %v2 = linalg.negf ins(%v1 : tensor<6x4xf32>) outs(%s0 : tensor<6x4xf32>) -> tensor<6x4xf32> loc("v2")
  %v3 = linalg.add ins(%v0, %v2 : tensor<6x4xf32>, tensor<6x4xf32>) outs(%s0 : tensor<6x4xf32>) -> tensor<6x4xf32> loc("v3")
  return %v3 : tensor<6x4xf32>
}
func.func @propagation_does_not_overwrite_theirs(%v0: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>} loc("v1")) -> (tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %s0 = tensor.empty() : tensor<6x4xf32>
  %v2 = linalg.negf ins(%v1 : tensor<6x4xf32>) outs(%s0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"y"}, {}]> : tensor<6x4xf32> loc("v2")
  %v4 = linalg.add ins(%v0, %v3 : tensor<6x4xf32>, tensor<6x4xf32>) outs(%s0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x4xf32> loc("v3")
  return %v5 : tensor<6x4xf32>
}

// tests/cpp/test_sharding.cpp, BackpropagateToShardedTvs
// CHECK: backpropagate_to_sharded: {{placements equal|fewer bytes}}
func.func @backpropagate_to_sharded(%v0: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>} loc("v1")) -> (tensor<6x6xf32>) {
  %s0 = tensor.empty() : tensor<6x6xf32>
  %v2 = linalg.negf ins(%v1 : tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32> loc("v2")
  %v3 = linalg.add ins(%v0, %v2 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32> loc("v3")
  return %v3 : tensor<6x6xf32>
}
func.func @backpropagate_to_sharded_theirs(%v0: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>} loc("v1")) -> (tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<6x6xf32>
  %v2 = linalg.negf ins(%v1 : tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<6x6xf32> loc("v2")
  %v4 = linalg.add ins(%v0, %v3 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<6x6xf32> loc("v3")
  return %v5 : tensor<6x6xf32>
}
