// The plugin in a stock mlir-opt: dialects, passes, and pipelines with options.
//
// REQUIRES: compiler
// A stock mlir-opt brings no sanitizer.
// UNSUPPORTED: asan
// RUN: mlir-opt %s --load-dialect-plugin=%shardir_plugin --load-pass-plugin=%shardir_plugin \
// RUN:   --pass-pipeline='builtin.module(shardir-to-collective{mesh="dp=2,tp=4" cost=bytes})' | FileCheck %s

// CHECK: shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @m <["dp"=?, "tp"=?8]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    #shardir.placement<@m, [{"dp"}, {"tp"}]>
// CHECK:       %[[Y:.+]] = linalg.matmul
// CHECK:       %[[R:.+]] = collective.all_reduce %[[Y]]
// CHECK:       return %[[R]]
func.func @main(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), shard(1)]>},
                %w: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> (tensor<8x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
