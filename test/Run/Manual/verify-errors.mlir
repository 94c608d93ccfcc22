// A program with a manual region has no unsharded form to be compared with.
// RUN: not shard-run %s --verify 2>&1 | FileCheck %s
// CHECK: verify-errors.mlir:6:8: error: 'shardir.manual' op has no unsharded form, as its body is written for one device of several; compare with outputs that are known (--expected_output)
shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%l: tensor<4xf32>):
    shardir.yield %l : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
