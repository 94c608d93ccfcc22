// A limit that replicated weights exceed: by time the batch alone would be split, so
// weights are split too and gathered for their use. No limit, no such need.
//
// RUN: shard-opt %s -shardir-propose="memory-limit=25000000 file=%t.json" 2> /dev/null | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: shard-opt %s -shardir-propose 2> /dev/null | FileCheck %s --check-prefix=FREE
// RUN: shard-opt %s --shardir-to-collective="propose memory-limit=25000000" 2> /dev/null | FileCheck %s --check-prefix=STEPS

// FREE-LABEL: func.func @mlp(
// FREE-SAME:    tensor<4096x512xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>}
// FREE-SAME:    tensor<512x2048xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// FREE-SAME:    tensor<2048x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}

// CHECK-LABEL: func.func @mlp(
// CHECK-SAME:    tensor<4096x512xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>}
// CHECK-SAME:    tensor<512x2048xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>}
// CHECK-SAME:    tensor<2048x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}

// STEPS-LABEL: func.func @mlp(
// STEPS-NOT:     collective.
// STEPS:         collective.all_gather %arg1
// STEPS-NOT:     collective.

// JSON:      "candidates": [
// JSON:          "chosen": true,
// JSON-NEXT:     "fits": true,
// JSON-NEXT:     "peak_bytes_per_device":
// JSON-NEXT:     "seconds":
// JSON:          "fits": false,
// JSON:      "cost": "time",
// JSON-NEXT: "function": "mlp",
// JSON-NEXT: "memory_limit": 25000000,
// JSON:      "version": 1

shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @mlp(%x: tensor<4096x512xf32>, %w1: tensor<512x2048xf32>, %w2: tensor<2048x512xf32>) -> tensor<4096x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4096x2048xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<4096x512xf32>, tensor<512x2048xf32>)
      outs(%z1 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %a = linalg.tanh ins(%h : tensor<4096x2048xf32>) outs(%e1 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %e2 = tensor.empty() : tensor<4096x512xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4096x512xf32>) -> tensor<4096x512xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<4096x2048xf32>, tensor<2048x512xf32>)
      outs(%z2 : tensor<4096x512xf32>) -> tensor<4096x512xf32>
  return %y : tensor<4096x512xf32>
}
