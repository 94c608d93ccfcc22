// Unused chains of pure ops need no placement and are erased, in regions too;
// ops that write or assert stay.
// RUN: shard-opt %s --shardir-erase-unused | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=strict | FileCheck %s --check-prefix=NONE --implicit-check-not=collective.
shardir.mesh @m <["x"=2]>

// CHECK-LABEL: @chain
// CHECK-NEXT: return
// NONE-LABEL: @chain
func.func @chain(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %a = math.exp %x : tensor<8x4xf32>
  %t = tensor.empty() : tensor<4x8xf32>
  %b = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%t : tensor<4x8xf32>) permutation = [1, 0]
  %c = tensor.expand_shape %b [[0], [1, 2]] output_shape [4, 4, 2] : tensor<4x8xf32> into tensor<4x4x2xf32>
  return %x : tensor<8x4xf32>
}

// CHECK-LABEL: @kept
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: math.sqrt
// CHECK: cf.assert
// NONE-LABEL: @kept
func.func @kept(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %p: i1) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<8xf32> {
    %u = math.exp %y : tensor<8xf32>
    %v = math.sqrt %y : tensor<8xf32>
    scf.yield %v : tensor<8xf32>
  }
  cf.assert %p, "stays"
  return %r : tensor<8xf32>
}
