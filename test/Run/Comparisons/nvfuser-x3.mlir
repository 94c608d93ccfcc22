// Programs of nvFuser's tests (NVIDIA/Fuser), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=3]>

// tests/cpp/test_sharding.cpp, PropagateSharding
// CHECK: propagate_sharding: {{placements equal|fewer bytes|as many bytes}}
func.func @propagate_sharding(%v0: tensor<6x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0"), %v1: tensor<6x4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v1")) -> (tensor<6x4x6xf32>) {
  %s0 = tensor.empty() : tensor<6x4x6xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<6x4x6xf32>, tensor<6x4x6xf32>) outs(%s0 : tensor<6x4x6xf32>) -> tensor<6x4x6xf32> loc("v2")
  return %v2 : tensor<6x4x6xf32>
}
func.func @propagate_sharding_theirs(%v0: tensor<6x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0"), %v1: tensor<6x4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v1")) -> (tensor<6x4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<6x4x6xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<6x4x6xf32>, tensor<6x4x6xf32>) outs(%s0 : tensor<6x4x6xf32>) -> tensor<6x4x6xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<6x4x6xf32> loc("v2")
  return %v3 : tensor<6x4x6xf32>
}
