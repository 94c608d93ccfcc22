// An axis that can reach two factors of an op goes to one of them: cost
// decides, and not which operand came first (R6).
//
// RUN: shard-opt %s -shardir-propagate | FileCheck %s
// RUN: shard-opt %s -shardir-propagate="cost=bytes" | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s --check-prefix=MOVES
// RUN: shard-opt %s -shardir-propagate -o %t.once
// RUN: shard-opt %t.once -shardir-propagate | diff %t.once -

shardir.mesh @m <["a"=2, "b"=4]>

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Different axes: both stay.
// CHECK-LABEL: func.func @linear
// CHECK-SAME:    -> (tensor<8x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
// CHECK:         linalg.matmul {{.*}}[{"a"}, {"b"}]>]
func.func @linear(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                  %w: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                  %z: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<8x16xf32>, tensor<32x16xf32>)
                     outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// The same axis on both: it stays on the larger operand, whichever that is.
// CHECK-LABEL: func.func @larger_left
// CHECK-SAME:    -> (tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
func.func @larger_left(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                       %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                       %z: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<64x16xf32>, tensor<8x16xf32>)
                     outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// CHECK-LABEL: func.func @larger_right
// CHECK-SAME:    -> (tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>})
func.func @larger_right(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                        %w: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                        %z: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<8x16xf32>, tensor<64x16xf32>)
                     outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// A tie goes to the more major dim of the result.
// CHECK-LABEL: func.func @tie
// CHECK-SAME:    -> (tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
func.func @tie(%x: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
               %w: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
               %z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>)
                     outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// The users of the result have a say: here both like it on columns.
// CHECK-LABEL: func.func @users_decide
// CHECK:         linalg.matmul {{.*}}[{}, {"a"}]>]
func.func @users_decide(%x: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                        %w: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                        %z: tensor<16x16xf32>)
    -> (tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>)
                     outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// Half of the axis on either side: sub-axes that do not overlap both stay, and
// those that do compete like equal axes.
// CHECK-LABEL: func.func @halves
// CHECK-SAME:    -> (tensor<8x32xf32> {shardir.placement = #shardir.placement<@m, [{"b":(1)2}, {"b":(2)2}]>})
func.func @halves(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"b":(1)2}, {}]>},
                  %w: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"b":(2)2}, {}]>},
                  %z: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<8x16xf32>, tensor<32x16xf32>)
                     outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @overlapping
// CHECK-SAME:    -> (tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b":(1)2}]>})
func.func @overlapping(%x: tensor<8x16384xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                       %w: tensor<64x16384xf32> {shardir.placement = #shardir.placement<@m, [{"b":(1)2}, {}]>},
                       %z: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<8x16384xf32>, tensor<64x16384xf32>)
                     outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// Two orders of the same axes on the contracted dim: the larger operand's wins,
// and the other is redistributed.
// CHECK-LABEL: func.func @orders
// CHECK:         linalg.matmul {{.*}}[{}, {}], partial = sum ["a", "b"]>]
// MOVES-LABEL: func.func @orders
// MOVES-SAME:    %[[X:[^:]+]]: tensor<64x16384xf32>{{.*}}%[[W:[^:]+]]: tensor<8x16384xf32>
// MOVES:         %[[V:.+]] = shardir.redistribute %[[W]] from #shardir.placement<@m, [{}, {"a", "b"}]> to #shardir.placement<@m, [{}, {"b", "a"}]>
// MOVES:         linalg.matmul {{.*}} ins(%[[X]], %[[V]]
func.func @orders(%x: tensor<64x16384xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b", "a"}]>},
                  %w: tensor<8x16384xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b"}]>},
                  %z: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<64x16384xf32>, tensor<8x16384xf32>)
                     outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// A dim that is read through a window passes its axes on.
// CHECK-LABEL: func.func @window
// CHECK-SAME:    -> (tensor<1x6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>})
func.func @window(%x: tensor<1x8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>},
                  %k: tensor<3x4x4xf32>, %z: tensor<1x6x4xf32>) -> tensor<1x6x4xf32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%x, %k : tensor<1x8x4xf32>, tensor<3x4x4xf32>) outs(%z : tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
  return %0 : tensor<1x6x4xf32>
}
