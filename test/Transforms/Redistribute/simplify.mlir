// Chains of redistributions collapse, and what changes nothing goes.
//
// RUN: shard-opt %s -split-input-file -shardir-simplify-redistribute | FileCheck %s
// RUN: shard-opt %s -split-input-file -shardir-simplify-redistribute -o %t.once
// RUN: shard-opt %t.once -split-input-file -shardir-simplify-redistribute | diff %t.once -

shardir.mesh @m <["x"=2, "y"=2]>
shardir.mesh @n <["z"=4]>

// There and back again is the value itself.
// CHECK-LABEL: func.func @back
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    return %[[X]]
func.func @back(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>
shardir.mesh @n <["z"=4]>

// Two spellings of one placement (P8).
// CHECK-LABEL: func.func @spellings
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>, %[[Y:[^:]+]]: tensor<6xf32>
// CHECK-NEXT:    return %[[X]], %[[Y]]
func.func @spellings(%x: tensor<8xf32>, %y: tensor<6xf32>) -> (tensor<8xf32>, tensor<6xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x":(1)2, 2}]> : tensor<8xf32>
  %1 = shardir.redistribute %y from #shardir.placement<@m, [{2}], partial = sum ["x", "y"]> to #shardir.placement<@m, [{}], partial = sum ["y", "x"]> : tensor<6xf32>
  return %0, %1 : tensor<8xf32>, tensor<6xf32>
}

// Where blocks differ the placements do: 10 are 3+2+3+2, in units of two 4+2+2+2.
// CHECK-LABEL: func.func @units
// CHECK:         shardir.redistribute
// CHECK:         return
func.func @units(%x: tensor<10xf32>) -> tensor<10xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x", "y"}]> to #shardir.placement<@m, [{"x", "y", 2}]> : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// A sum is reduced once, and straight into its target.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{"x", "y"}]>
// CHECK-NEXT:    return %[[R]]
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  %2 = shardir.redistribute %1 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x", "y"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A result with other users stays: the reduction must not happen twice.
// CHECK-LABEL: func.func @used_twice
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]]
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[A]]
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @used_twice(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A halo is for one use, and neither goes nor collapses.
// CHECK-LABEL: func.func @halo
// CHECK:         shardir.redistribute {{.*}} halo
// CHECK:         shardir.redistribute
// CHECK:         return
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Equal text on two meshes is not the same place.
// CHECK-LABEL: func.func @meshes
// CHECK:         shardir.redistribute {{.*}} from #shardir.placement<@m, [{}]> to #shardir.placement<@n, [{}]>
func.func @meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@n, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Other ops are not this pass's business, dead ones included.
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    return
func.func @others(%x: tensor<8xf32>) {
  %0 = math.exp %x : tensor<8xf32>
  return
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>
shardir.mesh @n <["z"=4]>

// The value in between is used as well, but nobody pays for going past it.
// CHECK-LABEL: func.func @past_a_used_one
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x", "y"}]> {reason = #shardir.reason<constrain>}
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @past_a_used_one(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x", "y"}]> {reason = #shardir.reason<constrain>} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A value that already has the wanted placement is used, through any number of others.
// CHECK-LABEL: func.func @already_there
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{}]>
// CHECK-NEXT:    return %[[A]], %[[X]]
func.func @already_there(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x", "y"}]> : tensor<8xf32>
  %2 = shardir.redistribute %1 from #shardir.placement<@m, [{"x", "y"}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// Equal ones are one, in front of the first use of either.
// CHECK-LABEL: func.func @equal
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{}]>
// CHECK-NEXT:    return %[[A]], %[[A]]
func.func @equal(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{"x":(1)2}]> to #shardir.placement<@m, [{8}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Each kind of use is served from the one that costs least: rows and columns are
// cut out of what is gathered, and nothing is sent twice.
// CHECK-LABEL: func.func @star
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x8xf32>
// CHECK-DAG:     %[[W:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{}, {}]>
// CHECK-DAG:     %[[C:.+]] = shardir.redistribute %[[W]] {{.*}} to #shardir.placement<@m, [{}, {"x"}]>
// CHECK-DAG:     %[[D:.+]] = shardir.redistribute %[[W]] {{.*}} to #shardir.placement<@m, [{"y"}, {}]>
// CHECK:         return %[[C]], %[[D]], %[[W]]
func.func @star(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x8xf32>
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{"y"}, {}]> : tensor<8x8xf32>
  %2 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A gather that the program does not have is not added for other users.
// CHECK-LABEL: func.func @no_detour
// CHECK-COUNT-2: shardir.redistribute %arg0 from #shardir.placement<@m, [{"x"}, {}]>
// CHECK:         return
func.func @no_detour(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x8xf32>
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"y"}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A constraint stays, also one that is only passed through.
// CHECK-LABEL: func.func @constraints
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{}]> {shardir.constrained}
// CHECK-NEXT:    %[[E:.+]] = math.absf %[[A]] {shardir.placements = [#shardir.placement<@m, [{}]>]}
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[E]] {{.*}} to #shardir.placement<@m, [{"x"}]> : tensor
// CHECK-NEXT:    %[[C:.+]] = shardir.redistribute %[[A]] {{.*}} to #shardir.placement<@m, [{"y"}]> {shardir.constrained}
// CHECK-NEXT:    %[[D:.+]] = shardir.redistribute %[[C]] {{.*}} to #shardir.placement<@m, [{"x"}]>
// CHECK-NEXT:    return %[[B]], %[[D]]
func.func @constraints(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> {shardir.constrained} : tensor<8xf32>
  %1 = math.absf %0 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  %2 = shardir.redistribute %1 from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  %3 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"y"}]> {shardir.constrained} : tensor<8xf32>
  %4 = shardir.redistribute %3 from #shardir.placement<@m, [{"y"}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return %2, %4 : tensor<8xf32>, tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>

// Of two trees that cost the same, the one that leaves less to do behind a constraint.
// CHECK-LABEL: func.func @behind_a_constraint
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{}, {"x"}]> {shardir.constrained}
// CHECK-NEXT:    %[[W:.+]] = shardir.redistribute %[[A]] {{.*}} to #shardir.placement<@m, [{}, {}]>
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[W]] {{.*}} to #shardir.placement<@m, [{"x"}, {}]>
// CHECK-NEXT:    return %[[A]], %[[B]], %[[W]]
func.func @behind_a_constraint(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {"x"}]> {shardir.constrained} : tensor<8x8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}, {"x"}]> to #shardir.placement<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
