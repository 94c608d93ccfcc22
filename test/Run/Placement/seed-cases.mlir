// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2 a=4 a=1
// RUN: shard-opt %s --shardir-to-collective=mesh=a=2 | FileCheck %s
//
// Annotations that come when the program is built, generalized and folded: the same.
// RUN: shard-opt %s --pass-pipeline="builtin.module(linalg-generalize-named-ops,canonicalize,cse,shardir-to-collective{mesh=a=2})" | FileCheck %s

// An annotation in one place alone reaches every value that it must, forward and
// backward, and nothing moves that need not.
shardir.mesh @m <["a"=?]>

// The other side of a residual add, through what it is computed from.
// CHECK-LABEL: func.func @residual
// CHECK-SAME:    %arg1: tensor<6x8xf32> {{[^%)]*}}[{"a"}, {}]>}
// CHECK-SAME:    %arg2: tensor<8x8xf32> {{[^%)]*}}[{}, {}]>}
// CHECK-SAME:    -> (tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
// CHECK-NOT:     collective.
// CHECK:         return
func.func @residual(%x: tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                    %y: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %t = math.tanh %y : tensor<6x8xf32>
  %h = linalg.matmul ins(%t, %w : tensor<6x8xf32>, tensor<8x8xf32>) outs(%z : tensor<6x8xf32>) -> tensor<6x8xf32>
  %r = linalg.add ins(%x, %h : tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// [2d@x, 3, 32] -> [48d@x, 4], back, and from what is annotated behind it.
// CHECK-LABEL: func.func @regroup
// CHECK-SAME:    -> (tensor<192x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
// CHECK-NOT:     collective.
// CHECK:         return
func.func @regroup(%x: tensor<8x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>}) -> tensor<192x4xf32> {
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<8x3x32xf32> into tensor<768xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [192, 4] : tensor<768xf32> into tensor<192x4xf32>
  return %r : tensor<192x4xf32>
}

// CHECK-LABEL: func.func @regroup_from_result
// CHECK-SAME:    %arg0: tensor<8x3x32xf32> {{[^%)]*}}[{"a"}, {}, {}]>}
// CHECK-NOT:     collective.
// CHECK:         return
func.func @regroup_from_result(%x: tensor<8x3x32xf32>)
    -> (tensor<192x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<8x3x32xf32> into tensor<768xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [192, 4] : tensor<768xf32> into tensor<192x4xf32>
  return %r : tensor<192x4xf32>
}

// [3x@a, 5, 7, 9] -> [15x@a, 63] and [7, 9, 3x@a, 5] -> [63, 15x@a].
// CHECK-LABEL: func.func @two_groups
// CHECK-SAME:    -> (tensor<60x63xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, tensor<63x60xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>})
// CHECK-NOT:     collective.
// CHECK:         return
func.func @two_groups(%x: tensor<12x5x7x9xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}, {}]>},
                      %y: tensor<7x9x12x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"a"}, {}]>})
    -> (tensor<60x63xf32>, tensor<63x60xf32>) {
  %r = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<12x5x7x9xf32> into tensor<60x63xf32>
  %s = tensor.collapse_shape %y [[0, 1], [2, 3]] : tensor<7x9x12x5xf32> into tensor<63x60xf32>
  return %r, %s : tensor<60x63xf32>, tensor<63x60xf32>
}

// [3, 5d@x] -> [15d]: strided, and back.
// CHECK-LABEL: func.func @inner
// CHECK:         tensor.collapse_shape {{.*}}[{3, "a"}]>]
// CHECK-NOT:     collective.
// CHECK:         return
func.func @inner(%x: tensor<3x20xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<3x20xf32> {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<3x20xf32> into tensor<60xf32>
  %t = math.tanh %f : tensor<60xf32>
  %r = tensor.expand_shape %t [[0, 1]] output_shape [3, 20] : tensor<60xf32> into tensor<3x20xf32>
  return %r : tensor<3x20xf32>
}

// 6 -> 3x2 where 2 does not divide 3: it moves, as little as that takes.
// CHECK-LABEL: func.func @not_divided
// CHECK-COUNT-1: collective.
// CHECK-NOT:     collective.
// CHECK:         return
func.func @not_divided(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>})
    -> (tensor<3x2xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// Constants lie as each of their users wants them, and random numbers where both can
// cut them from; all are those of the unsharded program.
// CHECK-LABEL: func.func @rematerializable
// CHECK-NOT:     collective.{{[a-rt-z]}}
// CHECK:         arith.constant {{.*}}[{"a"}, {}]>]} dense<
// CHECK-NOT:     collective.{{[a-rt-z]}}
// CHECK:         arith.constant {{.*}}[{}, {"a"}]>]} dense<
// CHECK-NOT:     collective.{{[a-rt-z]}}
// CHECK:         return
func.func @rematerializable(%x: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %y: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %random = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %three = arith.constant 3 : index
    %row = arith.muli %i, %three : index
    %place = arith.addi %row, %j : index
    %n = arith.index_cast %place : index to i32
    %m = arith.constant 1103515245 : i32
    %p = arith.muli %n, %m : i32
    %s = arith.constant 16 : i32
    %u = arith.shrui %p, %s : i32
    %f = arith.uitofp %u : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4x3xf32>
  %0 = arith.mulf %x, %c : tensor<4x3xf32>
  %1 = arith.addf %0, %random : tensor<4x3xf32>
  %2 = arith.mulf %y, %c : tensor<4x3xf32>
  %3 = arith.addf %2, %random : tensor<4x3xf32>
  return %1, %3 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Random numbers with one user are computed where it is.
// CHECK-LABEL: func.func @dropout
// CHECK-NOT:     collective.
// CHECK:         linalg.generic {{.*}}outs
// CHECK-SAME:    shardir.placements = [#shardir.placement<@m, [{}, {"a"}]>]
// CHECK-NOT:     collective.
// CHECK:         return
func.func @dropout(%x: tensor<4x7xf32>) -> (tensor<4x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %e = tensor.empty() : tensor<4x7xf32>
  %kept = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x7xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seven = arith.constant 7 : index
    %row = arith.muli %i, %seven : index
    %place = arith.addi %row, %j : index
    %n = arith.index_cast %place : index to i32
    %m = arith.constant 1103515245 : i32
    %p = arith.muli %n, %m : i32
    %s = arith.constant 31 : i32
    %bit = arith.shrui %p, %s : i32
    %f = arith.uitofp %bit : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4x7xf32>
  %y = arith.mulf %x, %kept : tensor<4x7xf32>
  return %y : tensor<4x7xf32>
}

// A broadcast along a dim that is split, and of one that is; nobody annotates it.
// CHECK-LABEL: func.func @broadcasts
// CHECK-SAME:    %arg1: tensor<8xf32> {{[^%)]*}}[{}]>}
// CHECK-SAME:    %arg2: tensor<6xf32> {{[^%)]*}}[{"a"}]>}
// CHECK-NOT:     collective.
// CHECK:         linalg.{{broadcast|generic}} {{.*}}[{"a"}, {}]>]
// CHECK-NOT:     collective.
// CHECK:         linalg.{{broadcast|generic}} {{.*}}[{"a"}, {}]>]
// CHECK-NOT:     collective.
// CHECK:         return
func.func @broadcasts(%x: tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                      %b: tensor<8xf32>, %c: tensor<6xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %rows = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<6x8xf32>) dimensions = [0]
  %columns = linalg.broadcast ins(%c : tensor<6xf32>) outs(%e : tensor<6x8xf32>) dimensions = [1]
  %0 = arith.addf %x, %rows : tensor<6x8xf32>
  %1 = arith.mulf %0, %columns : tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}

// Computed in f32, stored in 16 bits, a cast in front of each use: the clones of a
// cast lie alike, and weights and sums move in no other way than without them.
// CHECK-LABEL: func.func @casts
// CHECK-SAME:    %arg2: tensor<12x8xbf16> {{[^%)]*}}[{"a"}, {}]>}
// CHECK-NOT:     collective.
// CHECK:         linalg.{{matmul|generic}} {{.*}}[{}, {}], partial = sum ["a"]>]
// CHECK:         collective.all_reduce
// CHECK-NOT:     collective.
// CHECK:         return
func.func @casts(%x: tensor<5x8xf16>,
                 %w1: tensor<8x12xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                 %w2: tensor<12x8xbf16>) -> tensor<5x8xf16> {
  %zero = arith.constant 0.0 : f32
  %x1 = arith.extf %x : tensor<5x8xf16> to tensor<5x8xf32>
  %x2 = arith.extf %x : tensor<5x8xf16> to tensor<5x8xf32>
  %v1 = arith.extf %w1 : tensor<8x12xbf16> to tensor<8x12xf32>
  %v2 = arith.extf %w2 : tensor<12x8xbf16> to tensor<12x8xf32>
  %e1 = tensor.empty() : tensor<5x12xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x12xf32>) -> tensor<5x12xf32>
  %h = linalg.matmul ins(%x1, %v1 : tensor<5x8xf32>, tensor<8x12xf32>) outs(%z1 : tensor<5x12xf32>) -> tensor<5x12xf32>
  %n = arith.truncf %h : tensor<5x12xf32> to tensor<5x12xbf16>
  %n1 = arith.extf %n : tensor<5x12xbf16> to tensor<5x12xf32>
  %n2 = arith.extf %n : tensor<5x12xbf16> to tensor<5x12xf32>
  %g = arith.maximumf %n1, %z1 : tensor<5x12xf32>
  %s = arith.mulf %g, %n2 : tensor<5x12xf32>
  %e2 = tensor.empty() : tensor<5x8xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %y = linalg.matmul ins(%s, %v2 : tensor<5x12xf32>, tensor<12x8xf32>) outs(%z2 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %r = arith.addf %y, %x2 : tensor<5x8xf32>
  %t = arith.truncf %r : tensor<5x8xf32> to tensor<5x8xf16>
  return %t : tensor<5x8xf16>
}

// Annotated when it stands: on the activation in the middle alone, behind a clone of
// the cast that the first product does not use.
// CHECK-LABEL: func.func @afterwards
// CHECK-SAME:    %arg1: tensor<8x12xf16> {{[^%)]*}}[{}, {"a"}]>}
// CHECK-SAME:    %arg2: tensor<12x8xf16> {{[^%)]*}}[{"a"}, {}]>}
// CHECK-NOT:     collective.
// CHECK:         collective.all_reduce
// CHECK-NOT:     collective.
// CHECK:         return
func.func @afterwards(%x: tensor<5x8xf16>, %w1: tensor<8x12xf16>, %w2: tensor<12x8xf16>) -> tensor<5x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e1 = tensor.empty() : tensor<5x12xf16>
  %z1 = linalg.fill ins(%zero : f16) outs(%e1 : tensor<5x12xf16>) -> tensor<5x12xf16>
  %h = linalg.matmul ins(%x, %w1 : tensor<5x8xf16>, tensor<8x12xf16>) outs(%z1 : tensor<5x12xf16>) -> tensor<5x12xf16>
  %wide = arith.extf %h : tensor<5x12xf16> to tensor<5x12xf32>
  %clone = arith.extf %h : tensor<5x12xf16> to tensor<5x12xf32>
  %here = shardir.constrain %clone to #shardir.placement<@m, [{?}, {"a"}]> : tensor<5x12xf32>
  %t = math.tanh %here : tensor<5x12xf32>
  %p = arith.mulf %t, %wide : tensor<5x12xf32>
  %n = arith.truncf %p : tensor<5x12xf32> to tensor<5x12xf16>
  %e2 = tensor.empty() : tensor<5x8xf16>
  %z2 = linalg.fill ins(%zero : f16) outs(%e2 : tensor<5x8xf16>) -> tensor<5x8xf16>
  %y = linalg.matmul ins(%n, %w2 : tensor<5x12xf16>, tensor<12x8xf16>) outs(%z2 : tensor<5x8xf16>) -> tensor<5x8xf16>
  return %y : tensor<5x8xf16>
}
