// RUN: shard-opt %s -shardir-fit-optimizer-state=memory-limit=380 | FileCheck %s
// RUN: shard-opt %s -shardir-fit-optimizer-state=memory-limit=380 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: shard-opt %s -shardir-fit-optimizer-state=memory-limit=10000 | FileCheck %s --check-prefix=FITS

// A parameter and its momentum exceed the limit until the momentum is split. Within
// the limit nothing changes.
// CHECK: module attributes {shardir.fitted_states = {axes = ["dp"], peak = {{[0-9]+}} : i64}}
// CHECK-LABEL: func.func @momentum(
// CHECK-SAME: %{{.+}}: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
// SAYS: remark: optimizer states are split over dp, as by shard-optimizer-state=dp: a device needs 352 bytes at its peak, and 400 without that; memory-limit is 380
// FITS-NOT: shardir.fitted_states
// FITS-NOT: shardir.placement
shardir.mesh @m <["dp"=2]>
func.func @momentum(%x: tensor<4xf32>, %w: tensor<4x6xf32>, %m: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %b = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x6xf32>) dimensions = [1]
  %t = math.tanh %w : tensor<4x6xf32>
  %e6 = arith.constant dense<0.0> : tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%t : tensor<4x6xf32>) outs(%e6 : tensor<6xf32>) dimensions = [0]
  %g0 = linalg.broadcast ins(%s : tensor<6xf32>) outs(%e : tensor<4x6xf32>) dimensions = [0]
  %g = arith.mulf %g0, %b : tensor<4x6xf32>
  %m1 = arith.addf %m, %g : tensor<4x6xf32>
  %w1 = arith.subf %w, %m1 : tensor<4x6xf32>
  return %w1, %m1 : tensor<4x6xf32>, tensor<4x6xf32>
}
