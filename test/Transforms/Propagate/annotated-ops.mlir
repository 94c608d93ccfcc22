// Placements on ops: closed ones are decided and stay, open ones grow, and what
// has none is filled in around them.
//
// RUN: shard-opt %s -shardir-propagate | FileCheck %s
// RUN: shard-opt %s -shardir-propagate -o %t.once
// RUN: shard-opt %t.once -shardir-propagate | diff %t.once -
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s --check-prefix=MOVES

shardir.mesh @m <["a"=2, "b"=4]>

// Upstream passes dropped what the first and the last op had.
// CHECK-LABEL: func.func @filled_in
// CHECK:         math.exp {{.*}}[{"a"}, {"b"}]>]
// CHECK:         math.tanh {{.*}}[{"a"}, {"b"}]>]
// CHECK:         math.sin {{.*}}[{"a"}, {"b"}]>]
func.func @filled_in(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {?}]>}) -> tensor<8x16xf32> {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = math.tanh %0 {shardir.placements = [#shardir.placement<@m, [{"a"}, {"b"}]>]} : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// A decided op keeps its placement, whatever stands around it.
// CHECK-LABEL: func.func @decided
// CHECK:         math.exp {{.*}}[{"a"}, {}]>]
// CHECK:         math.tanh {{.*}}[{}, {"b"}]>]
// CHECK:         math.sin {{.*}}[{}, {"b"}]>]
func.func @decided(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x16xf32> {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"a"}, {}]>]} : tensor<8x16xf32>
  %1 = math.tanh %0 {shardir.placements = [#shardir.placement<@m, [{}, {"b"}]>]} : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// An open dim on an op is an annotation like any other.
// CHECK-LABEL: func.func @open
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{"a"}, {"b"}]>}
// CHECK:         math.exp {{.*}}[{"a"}, {"b"}]>]
func.func @open(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {?}]>}) -> tensor<8x16xf32> {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{?}, {"b"}]>]} : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// ... and its priorities count: columns first.
// CHECK-LABEL: func.func @open_priority
// CHECK:         math.exp {{.*}}[{}, {"a"}]>]
// CHECK:         math.tanh {{.*}}[{}, {"a"}]>]
func.func @open_priority(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = math.exp %x : tensor<8x8xf32>
  %1 = math.tanh %0 {shardir.placements = [#shardir.placement<@m, [{?}, {"a"}p0]>]} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// The partial result of a decided contraction tells how its operands are split: they are
// not gathered.
// CHECK-LABEL: func.func @partial
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{}, {"a"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<16x4xf32> {{[^%)]*}}placement<@m, [{"a"}, {}]>}
// MOVES-LABEL: func.func @partial
// MOVES-NOT:     shardir.redistribute
// MOVES:         linalg.matmul
func.func @partial(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x4xf32>
  %0 = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["a"]>]}
      ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%zero : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A redistribution that is there already is taken as it is, and both of its
// sides reach out.
// CHECK-LABEL: func.func @redistribute
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{"a"}, {}]>}
// CHECK-SAME:    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>})
func.func @redistribute(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{"a"}, {}]> to #shardir.placement<@m, [{}, {"b"}]> : tensor<8x16xf32>
  %2 = math.tanh %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
