// Decisions of p0 are fixed before p1 is looked at; annotations without a priority
// come last. Sizes would decide otherwise.
//
// RUN: shard-opt %s -shardir-propagate | FileCheck %s
// RUN: shard-opt %s -shardir-propagate -o %t.once
// RUN: shard-opt %t.once -shardir-propagate | diff %t.once -

shardir.mesh @m <["a"=2, "b"=2]>

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @p0_before_p1
// CHECK-SAME:    %{{[^:]+}}: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}
// CHECK-SAME:    -> (tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>})
func.func @p0_before_p1(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p1, {}]>},
                        %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p0, {}]>},
                        %z: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<64x16xf32>, tensor<8x16xf32>)
                     outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// CHECK-LABEL: func.func @p9_before_none
// CHECK-SAME:    -> (tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>})
func.func @p9_before_none(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                          %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p9, {}]>},
                          %z: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<64x16xf32>, tensor<8x16xf32>)
                     outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// Equal priorities: cost decides again.
// CHECK-LABEL: func.func @equal
// CHECK-SAME:    -> (tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
func.func @equal(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p1, {}]>},
                 %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p1, {}]>},
                 %z: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<64x16xf32>, tensor<8x16xf32>)
                     outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// A later priority takes what an earlier one has left free.
// CHECK-LABEL: func.func @left_free
// CHECK-SAME:    -> (tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>})
func.func @left_free(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"b"}p1, {}]>},
                     %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p0, {}]>},
                     %z: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<64x16xf32>, tensor<8x16xf32>)
                     outs(%z : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// Priorities are per dim, not per tensor.
// CHECK-LABEL: func.func @per_dim
// CHECK-SAME:    -> (tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>})
func.func @per_dim(%x: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p2, {"b"}p1]>},
                   %y: tensor<16x16xf32> {shardir.placement = #shardir.placement<@m, [{"b"}p0, {"a"}p1]>}) -> tensor<16x16xf32> {
  %0 = arith.addf %x, %y : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// An open dim with a priority and nothing on it brings nothing.
// CHECK-LABEL: func.func @open
// CHECK-SAME:    %{{[^:]+}}: tensor<8xf32> {{[^%)]*}}placement<@m, [{"a"}]>}
func.func @open(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{?}p0]>},
                %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p1]>}) -> tensor<8xf32> {
  %0 = arith.addf %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An annotation of a later priority still holds: an axis that reaches the tensor
// earlier neither puts it on another dim, nor takes its place in an open one
// (R1).
// CHECK-LABEL: func.func @pending
// CHECK-SAME:    %{{[^:]+}}: tensor<8x8xf32> {{[^%)]*}}placement<@m, [{}, {"a"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x8xf32> {{[^%)]*}}placement<@m, [{"b"}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}
func.func @pending(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a", ?}]>},
                   %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", ?}, {}]>},
                   %z: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p0, {}p0]>}) {
  %0 = arith.addf %x, %z : tensor<8x8xf32>
  %1 = arith.addf %y, %z : tensor<8x8xf32>
  return
}
