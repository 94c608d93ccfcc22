// RUN: shard-opt %s --shardir-propagate --split-input-file | FileCheck %s
// RUN: shard-opt %s --shardir-propagate --split-input-file | shard-opt --shardir-propagate --split-input-file | FileCheck %s

// Nothing connects %y with an annotation but the group.
// CHECK-LABEL: func.func @group(
// CHECK-SAME:    %{{.+}}: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}
// CHECK-SAME:    %{{.+}}: tensor<7x5xf32> {{.*}}placement = #shardir.placement<@m, [{"a"}, {}]>}
// CHECK:         shardir.constrain {{.*}} {group = 3 : i64{{.*}}placements = [#shardir.placement<@m, [{"a"}, {}]>]}
// CHECK:         math.exp {{.*}}placements = [#shardir.placement<@m, [{"a"}, {}]>]}
// CHECK:         shardir.constrain {{.*}} {group = 3 : i64{{.*}}placements = [#shardir.placement<@m, [{"a"}, {}]>]}
shardir.mesh @m <["a"=4]>
func.func @group(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %y: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}, {?}]> {group = 3} : tensor<7x5xf32>
  %1 = math.exp %y : tensor<7x5xf32>
  %2 = shardir.constrain %1 to #shardir.placement<@m, [{?}, {?}]> {group = 3} : tensor<7x5xf32>
  return %0, %2 : tensor<7x5xf32>, tensor<7x5xf32>
}

// -----

// A member computed from another one: the group has both dims' axes or neither's.
// The transpose would otherwise have the other dim split.
// CHECK-LABEL: func.func @cycle(
// CHECK:         shardir.constrain {{.*}} {group = 0 : i64{{.*}}placements = [#shardir.placement<@m, [[P:\[{.*}, {.*}\]]]>]}
// CHECK:         linalg.transpose
// CHECK:         shardir.constrain {{.*}} {group = 0 : i64{{.*}}placements = [#shardir.placement<@m, [[P]]>]}
shardir.mesh @m <["a"=4]>
func.func @cycle(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> tensor<8x8xf32> {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}, {?}]> {group = 0} : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %1 = linalg.transpose ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %2 = shardir.constrain %1 to #shardir.placement<@m, [{?}, {?}]> {group = 0} : tensor<8x8xf32>
  %3 = arith.addf %2, %x : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// A placement passes a barrier forward and not backward.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}
// CHECK:         math.tanh {{.*}}placements = [#shardir.placement<@m, [{"a"}]>]}
// CHECK:         math.exp {{.*}}placements = [#shardir.placement<@m, [{}]>]}
shardir.mesh @m <["a"=4]>
func.func @forward(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}]> {direction = "forward"} : tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  %2 = math.exp %y : tensor<8xf32>
  %3 = shardir.constrain %2 to #shardir.placement<@m, [{?}]> {direction = "forward"} : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @backward(
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {{.*}}placement = #shardir.placement<@m, [{"a"}]>}
// CHECK:         math.tanh {{.*}}placements = [#shardir.placement<@m, [{}]>]}
// CHECK:         math.exp {{.*}}placements = [#shardir.placement<@m, [{"a"}]>]}
shardir.mesh @m <["a"=4]>
func.func @backward(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}]> {direction = "backward"} : tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  %2 = math.exp %y : tensor<8xf32>
  %3 = shardir.constrain %2 to #shardir.placement<@m, [{?}]> {direction = "backward"} : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @none(
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}
// CHECK:         math.tanh {{.*}}placements = [#shardir.placement<@m, [{}]>]}
// CHECK:         math.exp {{.*}}placements = [#shardir.placement<@m, [{}]>]}
shardir.mesh @m <["a"=4]>
func.func @none(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}]> {direction = "none"} : tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  %2 = math.exp %y : tensor<8xf32>
  %3 = shardir.constrain %2 to #shardir.placement<@m, [{?}]> {direction = "none"} : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The mesh is that of the values around, whatever the constraint says.
// CHECK-LABEL: func.func @other_mesh(
// CHECK:         shardir.constrain {{.*}}placements = [#shardir.placement<@m, [{"a"}]>]}
shardir.mesh @other <["x"=2]>
shardir.mesh @m <["a"=4]>
func.func @other_mesh(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<8xf32> {
  %0 = shardir.constrain %x to #shardir.placement<@other, [{?}]> {group = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
