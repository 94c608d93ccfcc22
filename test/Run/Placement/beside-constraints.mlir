// Fewest bytes where a constraint, a closed result or a reshape stands beside
// what is decided; each runs and equals the unsharded program.
//
// RUN: shard-opt %s --shardir-to-collective="cost=bytes" | FileCheck %s
// RUN: shard-run %s --verify --options=cost=bytes --function=becomes_equal
// RUN: shard-run %s --verify --options=cost=bytes --function=whole_anyway
// RUN: shard-run %s --verify --options=cost=bytes --function=from_behind
// RUN: shard-run %s --verify --options=cost=bytes --function=in_front
// RUN: shard-run %s --verify --options=cost=bytes --function=through_reshape

shardir.mesh @m <["x"=4, "y"=2]>

// The constraint asks for what is there, so the two products are one, whatever
// decided them, and one operand is gathered, which is less than its sum.
// CHECK-LABEL: func.func @becomes_equal
// CHECK: collective.all_gather
// CHECK: = linalg.vecmat
// CHECK-NOT: = linalg.vecmat
// CHECK-NOT: collective
// CHECK: return
func.func @becomes_equal(%a: tensor<8x16xf32>, %init: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e8 = tensor.empty() : tensor<8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %e16 = tensor.empty() : tensor<16xf32>
  %z16 = linalg.fill ins(%zero : f32) outs(%e16 : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%z8 : tensor<8xf32>) dimensions = [1]
  %p = linalg.vecmat ins(%s, %a : tensor<8xf32>, tensor<8x16xf32>) outs(%z16 : tensor<16xf32>) -> tensor<16xf32>
  %t = shardir.constrain %s to #shardir.placement<@m, [{"y"}]> : tensor<8xf32>
  %q = linalg.vecmat ins(%t, %a : tensor<8xf32>, tensor<8x16xf32>) outs(%z16 : tensor<16xf32>) -> tensor<16xf32>
  %x = math.exp %p : tensor<16xf32>
  %y = math.tanh %q : tensor<16xf32>
  return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// %h has to be replicated for the constraint: the second product reads that, and no sum
// is reduced, although both of its operands bring "x".
// CHECK-LABEL: func.func @whole_anyway
// CHECK: collective.all_gather
// CHECK-NOT: collective.all_reduce
// CHECK: return
func.func @whole_anyway(%a: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                        %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %e8 = tensor.empty() : tensor<8x8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.matmul ins(%a, %w : tensor<8x8xf32>, tensor<8x16xf32>) outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%h, %w : tensor<8x16xf32>, tensor<8x16xf32>) outs(%z8 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = shardir.constrain %h to #shardir.placement<@m, [{}, {}]> : tensor<8x16xf32>
  return %y, %c : tensor<8x8xf32>, tensor<8x16xf32>
}

// The result is gathered from what the constraint asks for; the sum, which reads
// what is in front of it, takes its part of that.
// CHECK-LABEL: func.func @from_behind
// CHECK: %[[WHOLE:.*]] = collective.all_gather %{{.*}} from #shardir.placement<@m, [{"y"}, {"x"}]> to #shardir.placement<@m, [{}, {}]>
// CHECK: collective.slice %[[WHOLE]]
// CHECK-NOT: collective.{{(all|exchange|reduce)}}
// CHECK: return
func.func @from_behind(%a: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                       %b: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>}) {
  %0 = math.exp %a : tensor<16x8xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x8xf32>
  %2 = arith.addf %0, %b : tensor<16x8xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>
}

// The same where the use in front comes first in the file.
// CHECK-LABEL: func.func @in_front
// CHECK: collective.slice {{.*}} to #shardir.placement<@m, [{"y"}, {"x"}]>
// CHECK: %[[WHOLE:.*]] = collective.all_gather {{.*}} to #shardir.placement<@m, [{}, {}]>
// CHECK: collective.slice %[[WHOLE]]
// CHECK: arith.addf
// CHECK-NOT: collective.{{(all|exchange|reduce)}}
// CHECK: return
func.func @in_front(%a: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                    %b: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>}) {
  %0 = math.exp %a : tensor<16x8xf32>
  %1 = arith.addf %0, %b : tensor<16x8xf32>
  %2 = shardir.constrain %0 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<16x8xf32>
  %3 = math.tanh %1 : tensor<16x8xf32>
  return %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>
}

// Shardings that reach the dims of %h in part, "y" and the first half of {"x", "y"},
// makes {"y", "x"} of the flat dim: the vector is not gathered.
// CHECK-LABEL: func.func @through_reshape
// CHECK-NOT: collective.all_gather {{.*}}: tensor<32xf32>
// CHECK: linalg.matvec {{.*}}partial = sum ["x", "y"]
// CHECK-NOT: collective.all_gather
// CHECK: return
func.func @through_reshape(%a: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>},
                           %b: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                           %c: tensor<8x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>})
    -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  %h = linalg.matmul ins(%b, %a : tensor<2x4xf32>, tensor<4x16xf32>) outs(%z : tensor<2x16xf32>) -> tensor<2x16xf32>
  %flat = tensor.collapse_shape %h [[0, 1]] : tensor<2x16xf32> into tensor<32xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %v = linalg.matvec ins(%c, %flat : tensor<8x32xf32>, tensor<32xf32>) outs(%z8 : tensor<8xf32>) -> tensor<8xf32>
  %e4 = tensor.empty() : tensor<2x4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = linalg.matmul
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%h, %a : tensor<2x16xf32>, tensor<4x16xf32>) outs(%z4 : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %v : tensor<2x4xf32>, tensor<8xf32>
}
