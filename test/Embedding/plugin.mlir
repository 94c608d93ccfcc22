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
func.func @main(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), shard(1)]>})
    -> tensor<8x16xf32> {
  return %x : tensor<8x16xf32>
}
