// RUN: shard-opt %s -split-input-file -shardir-propagate | FileCheck %s
// RUN: shard-opt %s -split-input-file -shardir-to-collective=cost=bytes | FileCheck %s --check-prefix=MOVED

// A scalar that is broadcast, as exporters write constants, is placed by each of its users, as a fill is.
#s = affine_map<(d0, d1) -> ()>
#m = affine_map<(d0, d1) -> (d0, d1)>
shardir.mesh @mesh <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @shared
// CHECK-NOT:     linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types
// CHECK:         %[[C:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:         linalg.fill {{.*}}ins(%[[C]] : f32)
// MOVED-LABEL: func.func @shared
// MOVED-NOT:     collective.
// MOVED:         linalg.fill {{.*}}placement<@mesh, [{"x"}, {}]>
// MOVED-NOT:     collective.
// MOVED:         linalg.fill {{.*}}placement<@mesh, [{}, {"y"}]>
// MOVED-NOT:     collective.
// MOVED:         return
func.func @shared(%a: tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{"x"}, {}]>},
                  %b: tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {"y"}]>})
    -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{"x"}, {}]>},
        tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {"y"}]>}) {
  %c = arith.constant dense<0.5> : tensor<f32>
  %e = tensor.empty() : tensor<4x4xf32>
  %half = linalg.generic {indexing_maps = [#s, #m], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<f32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<4x4xf32>
  %p = arith.mulf %a, %half : tensor<4x4xf32>
  %q = arith.mulf %b, %half : tensor<4x4xf32>
  return %p, %q : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Equal ones in two places share no placement: %b is not split as %a is.
#s = affine_map<(d0, d1) -> ()>
#m = affine_map<(d0, d1) -> (d0, d1)>
shardir.mesh @mesh <["x"=2]>

// CHECK-LABEL: func.func @apart
// CHECK-SAME:    %{{[^ ]+}}: tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {}]>})
func.func @apart(%a: tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{"x"}, {}]>},
                 %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c = arith.constant dense<0.5> : tensor<f32>
  %e = tensor.empty() : tensor<4x4xf32>
  %half = linalg.broadcast ins(%c : tensor<f32>) outs(%e : tensor<4x4xf32>) dimensions = [0, 1]
  %p = arith.mulf %a, %half : tensor<4x4xf32>
  %same = linalg.broadcast ins(%c : tensor<f32>) outs(%e : tensor<4x4xf32>) dimensions = [0, 1]
  %q = arith.mulf %b, %same : tensor<4x4xf32>
  return %p, %q : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// An op is not a spread constant if it computes, reads or reduces more: its own body, a constant with dims, a value of run time.
#s = affine_map<(d0, d1) -> ()>
#r = affine_map<(d0, d1) -> (d0)>
#m = affine_map<(d0, d1) -> (d0, d1)>
shardir.mesh @mesh <["x"=2]>

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @others(%rate: tensor<f32>, %a: tensor<4x4xf32> {shardir.placement = #shardir.placement<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %c = arith.constant dense<0.5> : tensor<f32>
  %d = arith.constant dense<0.5> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#s, #m], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<f32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      linalg.yield %n : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#r, #m], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#s, #m], iterator_types = ["parallel", "parallel"]}
      ins(%rate : tensor<f32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// One that is annotated keeps its placement.
#s = affine_map<(d0) -> ()>
#m = affine_map<(d0) -> (d0)>
shardir.mesh @mesh <["x"=2]>

// CHECK-LABEL: func.func @annotated
// CHECK:         linalg.fill {shardir.{{.*}}placements = [#shardir.placement<@mesh, [{"x"}]>]}
func.func @annotated(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<7> : tensor<i32>
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [#s, #m], iterator_types = ["parallel"]}
      ins(%c : tensor<i32>) outs(%e : tensor<4xi32>) attrs = {shardir.placements = [#shardir.placement<@mesh, [{"x"}]>]} {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
  } -> tensor<4xi32>
  %1 = arith.sitofp %0 : tensor<4xi32> to tensor<4xf32>
  %2 = arith.addf %1, %a : tensor<4xf32>
  return %2 : tensor<4xf32>
}
