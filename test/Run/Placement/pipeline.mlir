// RUN: shard-run %s --verify 2>&1 | FileCheck %s

// A pipeline of two stages on disjoint ranks: one matmul on ranks 0 to 3, the
// next on ranks 4 to 7, and its result back on the first ones for a residual.
// Ranks that a stage lacks have no part in its values; a sum that the first
// stage has as a partial is reduced before it leaves.
// CHECK: remark: runs on mesh @second, the one of its result; operands on mesh @first move there
// CHECK: result 0: 6x7xi32 equal to the unsharded program
// CHECK: result 1: 6x7xi32 equal to the unsharded program
shardir.mesh @first <["x"=2, "y"=2]>
shardir.mesh @second <["z"=4], devices = [7, 4, 6, 5]>

func.func @main(%x: tensor<6x5xi32> {shardir.placement = #shardir.placement<@first, [{"x"}, {"y"}]>},
                %w1: tensor<5x9xi32> {shardir.placement = #shardir.placement<@first, [{"y"}, {}]>},
                %w2: tensor<9x7xi32> {shardir.placement = #shardir.placement<@second, [{}, {"z"}]>},
                %bias: tensor<6x7xi32> {shardir.placement = #shardir.placement<@first, [{"x"}, {"y"}]>})
    -> (tensor<6x7xi32> {shardir.placement = #shardir.placement<@second, [{}, {"z"}]>},
        tensor<6x7xi32> {shardir.placement = #shardir.placement<@first, [{"x"}, {"y"}]>}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6x9xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<6x9xi32>) -> tensor<6x9xi32>
  %p = linalg.matmul ins(%x, %w1 : tensor<6x5xi32>, tensor<5x9xi32>) outs(%z : tensor<6x9xi32>) -> tensor<6x9xi32>
  %e2 = tensor.empty() : tensor<6x7xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<6x7xi32>) -> tensor<6x7xi32>
  %q = linalg.matmul ins(%p, %w2 : tensor<6x9xi32>, tensor<9x7xi32>) outs(%z2 : tensor<6x7xi32>) -> tensor<6x7xi32>
  %back = shardir.constrain %q to #shardir.placement<@first, [{"x"}, {"y"}]> : tensor<6x7xi32>
  %r = arith.addi %back, %bias : tensor<6x7xi32>
  return %q, %r : tensor<6x7xi32>, tensor<6x7xi32>
}
