// RUN: shard-run %s --verify | FileCheck %s

// 8 rows of 96 over 3 devices are 3 + 3 + 2 rows. Merged they are cut in units of
// 96, whose normal form is 48 (the smallest integer that cuts the same blocks);
// the reshape must still know it as its own.
// CHECK: result 0: 768xf32 equal to the unsharded program
// CHECK: result 1: 20xf32 equal to the unsharded program
shardir.mesh @m <["a"=3]>

func.func @main(%x: tensor<8x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>},
                %y: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<768xf32>, tensor<20xf32>) {
  %r = tensor.collapse_shape %x [[0, 1, 2]] : tensor<8x3x32xf32> into tensor<768xf32>
  %s = tensor.collapse_shape %y [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
  return %r, %s : tensor<768xf32>, tensor<20xf32>
}
