// RUN: shard-opt %s --shardir-to-collective="cost=bytes" | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated="cost=bytes" | FileCheck %s --check-prefix=DECIDED
// RUN: shard-opt %s --shardir-to-propagated="cost=bytes" -o %t.once
// RUN: shard-opt %t.once --shardir-to-propagated="cost=bytes" | diff %t.once -

// Programs in which one thing that is easily overlooked saves bytes.

shardir.mesh @m <["x"=4, "y"=2]>

// A contraction's operands have its axes in two orders: the smaller one moves.
// CHECK-LABEL: func.func @orders
// CHECK-NOT: tensor<4x16xf32>{{$}}
// CHECK: collective.exchange %{{.*}} : tensor<16xf32>
// CHECK-NOT: collective.exchange
// CHECK: return
func.func @orders(%a: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>},
                  %b: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>},
                  %init: tensor<4xf32>) -> tensor<4xf32> {
  %flat = tensor.collapse_shape %a [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %y = linalg.matvec ins(%b, %flat : tensor<4x16xf32>, tensor<16xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A constraint that nobody uses as it says is kept all the same, where it stands;
// who wants the value before it is not asked to take it from there.
// CHECK-LABEL: func.func @passed_through
// CHECK: collective.all_gather %{{.*}} {reason = #shardir.reason<constrain
// CHECK-NEXT: collective.slice %{{.*}} {reason = #shardir.reason<result 0
// CHECK-NOT: collective.
// CHECK: return
func.func @passed_through(%a: tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = arith.negf %a : tensor<8x64xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{}, {}]> : tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// Only users ask for the split of %s, and one of them wants it replicated: it is split
// behind it, which moves nothing.
// CHECK-LABEL: func.func @asked_for
// CHECK-NOT: collective.{{(all|reduce|exchange|permute)}}
// CHECK: return
func.func @asked_for(%a: tensor<8x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                     %b: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                     %init: tensor<8xf32>, %init16: tensor<16xf32>)
    -> (tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
        tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %s = linalg.reduce ins(%a : tensor<8x2xf32>) outs(%init : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %sum = arith.addf %in, %acc : f32
      linalg.yield %sum : f32
    }
  %t = arith.addf %s, %s : tensor<8xf32>
  %n = math.exp %s : tensor<8xf32>
  %y = linalg.matvec ins(%b, %t : tensor<16x8xf32>, tensor<8xf32>) outs(%init16 : tensor<16xf32>) -> tensor<16xf32>
  return %y, %n : tensor<16xf32>, tensor<8xf32>
}

// An op written twice is decided once, so that its sum is reduced once.
// CHECK-LABEL: func.func @said_twice
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK: collective.all_gather
// CHECK-NOT: collective
// CHECK: arith.mulf
// CHECK-NOT: collective
// CHECK: return
func.func @said_twice(%a: tensor<3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                      %b: tensor<16x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<3x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<3x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant dense<0.0> : tensor<3x3xf32>
  %p = linalg.matmul ins(%a, %b : tensor<3x16xf32>, tensor<16x3xf32>) outs(%zero : tensor<3x3xf32>) -> tensor<3x3xf32>
  %q = linalg.matmul ins(%a, %b : tensor<3x16xf32>, tensor<16x3xf32>) outs(%zero : tensor<3x3xf32>) -> tensor<3x3xf32>
  %two = arith.constant dense<2.0> : tensor<3x3xf32>
  %r = arith.mulf %q, %two : tensor<3x3xf32>
  return %p, %r : tensor<3x3xf32>, tensor<3x3xf32>
}

// A reshape turns a split into several parts per device, which can be kept or
// gathered; here the vector is smaller than the sums.
// CHECK-LABEL: func.func @strided
// CHECK: collective.all_gather %{{.*}} : tensor<{{2x4|8}}xf32>
// CHECK-NOT: collective.all_reduce
// CHECK: return
func.func @strided(%a: tensor<64x8xf32>, %b: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                   %init: tensor<64xf32>) -> (tensor<64xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %flat = tensor.collapse_shape %b [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %y = linalg.matvec ins(%a, %flat : tensor<64x8xf32>, tensor<8xf32>) outs(%init : tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// %v's sum over "x" can come from %p as it is reduced for %t anyway, or from what
// %p is partial: the results do not say which was decided, so the operands are said too.
// DECIDED-LABEL: func.func @operands_said
// DECIDED: linalg.vecmat {{.*}}shardir.operands = [#shardir.placement<@m, [{"x"}]>, #shardir.placement<@m, [{"x"}, {"y"}]>,
// CHECK-LABEL: func.func @operands_said
// CHECK-NOT: shardir.operands
// CHECK: collective.reduce_scatter %{{.*}} : tensor<4x8xf32>
// CHECK: return
func.func @operands_said(%a: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                         %b: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                         %c: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>},
        tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x16xf32>, tensor<16x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = math.exp %p : tensor<4x8xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %v = linalg.vecmat ins(%c, %p : tensor<4xf32>, tensor<4x8xf32>) outs(%z8 : tensor<8xf32>) -> tensor<8xf32>
  return %v, %t : tensor<8xf32>, tensor<4x8xf32>
}

// A table that a loop looks up row by row is gathered once, in front of the loop.
// CHECK-LABEL: func.func @looked_up
// CHECK: collective.all_gather %arg0
// CHECK: scf.for
// CHECK-NOT: collective.
// CHECK: return
func.func @looked_up(%rows: tensor<16x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %start: tensor<1x2xf32>)
    -> (tensor<1x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %start) -> (tensor<1x2xf32>) {
    %row = tensor.extract_slice %rows[%i, 0] [1, 2] [1, 1] : tensor<16x2xf32> to tensor<1x2xf32>
    %exp = math.exp %row : tensor<1x2xf32>
    %next = arith.addf %sum, %exp : tensor<1x2xf32>
    scf.yield %next : tensor<1x2xf32>
  }
  return %r : tensor<1x2xf32>
}

// A reshape leaves one half of "x" on each of two dims; all of "x" comes from the
// other operand. Beside one half there is room for the other.
// CHECK-LABEL: func.func @halves
// CHECK: collective.all_gather %arg1 from {{.*}} to #shardir.placement<@m, [{"x":(1)2}, {}]>
// CHECK: linalg.generic {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {"x":(2)2}, {"x":(1)2}]>]
// CHECK: return
func.func @halves(%a: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                  %b: tensor<4x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                  %init: tensor<16x4x4xf32>) -> tensor<16x4x4xf32> {
  %parts = tensor.expand_shape %a [[0], [1, 2]] output_shape [16, 2, 4] : tensor<16x8xf32> into tensor<16x2x4xf32>
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j, l, k) -> (i, k, j)>, affine_map<(i, j, l, k) -> (l, k)>, affine_map<(i, j, l, k) -> (i, j, l)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%parts, %b : tensor<16x2x4xf32>, tensor<4x2xf32>) outs(%init : tensor<16x4x4xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<16x4x4xf32>
  return %y : tensor<16x4x4xf32>
}

// Sums of 2x4 elements over "x" cannot be cut into 8 for a way over the other dim:
// they are reduced where they lie.
// CHECK-LABEL: func.func @small_sums
// CHECK: collective.all_gather %arg0
// CHECK: collective.all_reduce %{{.*}} from #shardir.placement<@m, [{}, {"y"}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {"y"}]>
// CHECK-NOT: collective.
// CHECK: return
func.func @small_sums(%a: tensor<16x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                      %b: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                      %init: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : tensor<16x2xf32>, tensor<16x4xf32>) outs(%init : tensor<2x4xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// %a is asked to be replicated, so that the contraction may do with a part of the split.
// CHECK-LABEL: func.func @shared_operand
// CHECK: %[[C:.+]] = collective.slice %arg0 from {{.*}} to #shardir.placement<@m, [{"x", "y"}, {}]> {reason = #shardir.reason<constrain
// CHECK: collective.all_gather %[[C]] from {{.*}} to #shardir.placement<@m, [{"x"}, {}]>
// CHECK: return
func.func @shared_operand(%a: tensor<16x8xf32>,
                          %init: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %w = shardir.constrain %a to #shardir.placement<@m, [{}, {}]> : tensor<16x8xf32>
  %n = math.exp %w : tensor<16x8xf32>
  %c = shardir.constrain %w to #shardir.placement<@m, [{"x", "y"}, {}]> : tensor<16x8xf32>
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%c, %a : tensor<16x8xf32>, tensor<16x8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %y, %n : tensor<8x8xf32>, tensor<16x8xf32>
}

// Where as many elements are contracted as the result has, gathering them is half of reducing it: contractions whose
// operands agree are weighed too.
// CHECK-LABEL: func.func @square
// CHECK: collective.all_gather
// CHECK-NOT: collective.
// CHECK: return
func.func @square(%a: tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %w: tensor<64x64xf32>, %init: tensor<8x64xf32>)
    -> (tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %y = linalg.matmul ins(%a, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Of four times as many the sum is reduced.
// CHECK-LABEL: func.func @narrowing
// CHECK-NOT: collective.all_gather %arg0
// CHECK: collective.{{all_reduce|reduce_scatter}}
// CHECK: return
func.func @narrowing(%a: tensor<8x256xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %w: tensor<256x64xf32>, %init: tensor<8x64xf32>)
    -> (tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %y = linalg.matmul ins(%a, %w : tensor<8x256xf32>, tensor<256x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// A grouped convolution: the operand would change axes for the split of the kernel, and the sum be reduced on top.
// CHECK-LABEL: func.func @grouped
// CHECK-COUNT-2: collective.all_gather
// CHECK-NOT: collective.
// CHECK: return
func.func @grouped(%a: tensor<2x9x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}]>},
                   %k: tensor<3x2x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x":(1)2}, {}]>}, %init: tensor<2x4x3x3xf32>)
    -> (tensor<2x4x3x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}, {}]>},
        tensor<2x9x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}]>}) {
  %n = arith.negf %a : tensor<2x9x6xf32>
  %g = tensor.expand_shape %n [[0], [1], [2, 3]] output_shape [2, 9, 3, 2] : tensor<2x9x6xf32> into tensor<2x9x3x2xf32>
  %h = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [3, 2, 3, 3] : tensor<3x2x9xf32> into tensor<3x2x3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, o, g, f, t, c) -> (b, o * 2 + t, g, c)>, affine_map<(b, o, g, f, t, c) -> (t, c, g, f)>,
                                        affine_map<(b, o, g, f, t, c) -> (b, o, g, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %h : tensor<2x9x3x2xf32>, tensor<3x2x3x3xf32>) outs(%init : tensor<2x4x3x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x3x3xf32>
  return %y, %n : tensor<2x4x3x3xf32>, tensor<2x9x6xf32>
}

// A tensor that is inserted into a larger one can be replicated before that: it need
// not stay split for the sake of the larger one.
// DECIDED-LABEL: func.func @enlarged
// DECIDED: tensor.insert_slice {{.*}} {shardir.alternatives = [{bytes = 192 : i64, placements = [#shardir.placement<@m, [{}, {}]>]}, {bytes = {{[0-9]+}} : i64, placements = [#shardir.placement<@m, [{}, {"x"}]>]}]
// CHECK-LABEL: func.func @enlarged
// CHECK: collective.all_gather {{.*}} : tensor<8x8xf32>
// CHECK-NOT: collective.
// CHECK: tensor.insert_slice
// CHECK-NOT: collective.
// CHECK: return
func.func @enlarged(%a: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                    %w: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                    %init: tensor<64x4xf32>) -> (tensor<64x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %b = math.exp %a : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %p = tensor.insert_slice %b into %z[4, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<64x8xf32>
  %y = linalg.matmul ins(%p, %w : tensor<64x8xf32>, tensor<8x4xf32>) outs(%init : tensor<64x4xf32>) -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}
