// A program predicted to fit is counted again once it has buffers: each temporary
// takes 64 bytes at least.
//
// RUN: shard-opt %s --shardir-to-collective="memory-limit=64" -o /dev/null
// RUN: shard-opt %s --shardir-to-cpu="memory-limit=112" -o /dev/null
// RUN: not shard-opt %s --shardir-to-cpu="memory-limit=111" -o /dev/null 2>&1 | FileCheck %s

// CHECK: check-memory-buffers.mlir:[[#@LINE+8]]:8: error: the program on buffers needs 112 bytes at one time on a device, above the memory limit of 111
// CHECK: check-memory-buffers.mlir:[[#@LINE+5]]:1: note: split more of @main's tensors, or raise memory-limit
// CHECK: check-memory-buffers.mlir:{{.*}}: note: 16 bytes: argument 0 of @main, 'memref<2x2xf32>', #shardir.placement<@m, [{}, {}]>; splitting dim 0 over "x" saves 8 bytes
// CHECK: note: 16 bytes: result 0 of @main, 'memref<2x2xf32>', #shardir.placement<@m, [{}, {}]>; splitting dim 0 over "x" saves 8 bytes
shardir.mesh @m <["x"=2]>

func.func @main(%a: tensor<2x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %z = arith.constant dense<0.0> : tensor<2x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
