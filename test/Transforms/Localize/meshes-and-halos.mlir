// Steps between meshes and overlapping shards in local form: extents come from
// the rank on the result's mesh, and what needs no communication is a slice.
// That the elements are right is checked by running, in test/Run.
//
// RUN: shard-opt %s -split-input-file -shardir-localize | FileCheck %s

shardir.mesh @m <["x"=4]>
shardir.mesh @turned <["t"=4], devices = [3, 2, 1, 0]>
shardir.mesh @renamed <["r"=4]>

// CHECK-LABEL: func.func @exchange
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>
// CHECK:         %[[I:.+]] = shardir.axis_index @turned "t"
// CHECK:         %[[REST:.+]] = arith.subi
// CHECK:         %[[N:.+]] = arith.minui %[[REST]]
// CHECK:         collective.exchange %[[X]] sizes [%[[N]]] from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@turned, [{"t"}]> of tensor<7xf32> : tensor<?xf32> -> tensor<?xf32>
func.func @exchange(%x: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<7xf32> {shardir.placement = #shardir.placement<@turned, [{"t"}]>}) {
  %0 = collective.exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@turned, [{"t"}]> : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK-SAME:    %[[X:.+]]: tensor<8xf32>
// CHECK:         %[[I:.+]] = shardir.axis_index @turned "t"
// CHECK:         %[[O:.+]] = arith.muli %[[I]]
// CHECK:         tensor.extract_slice %[[X]][%[[O]]] [2] [1]
// CHECK-NOT:     collective
func.func @slice(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@turned, [{"t"}]>}) {
  %0 = collective.slice %x from #shardir.placement<@m, [{}]> to #shardir.placement<@turned, [{"t"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @other_names
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>
// CHECK-NEXT:    return %[[X]]
func.func @other_names(%x: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<7xf32> {shardir.placement = #shardir.placement<@renamed, [{"r"}]>}) {
  %0 = collective.slice %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@renamed, [{"r"}]> : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

shardir.mesh @m <["x"=4]>

// Of 8 elements in blocks of 2, those of the ends have 3 with their halo and
// those of the middle 4: the extent is clipped on the rank. Where the blocks
// may be empty, so is what overlaps.
// CHECK-LABEL: func.func @halo
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2xf32> {{.*}} %[[Y:[^:]+]]: tensor<?xf32>
// CHECK:         %[[I:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[START:.+]] = arith.muli %[[I]]
// CHECK:         %[[STOP:.+]] = arith.addi %[[START]]
// CHECK:         %[[LOW:.+]] = arith.addi %[[START]], %{{c-1.*}} :
// CHECK:         %[[HIGH:.+]] = arith.addi %[[STOP]], %{{c1.*}} :
// CHECK:         %[[FROM:.+]] = arith.maxsi %[[LOW]]
// CHECK:         %[[BEGIN:.+]] = arith.minsi %[[FROM]]
// CHECK:         %[[TO:.+]] = arith.maxsi %[[HIGH]], %[[BEGIN]]
// CHECK:         %[[END:.+]] = arith.minsi %[[TO]]
// CHECK:         %[[N:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:         collective.halo_exchange %[[X]] sizes [%[[N]]] from {{.*}} halo {{\[\[}}1, 1]] of tensor<8xf32> : tensor<2xf32> -> tensor<?xf32>
// CHECK:         %[[EMPTY:.+]] = arith.cmpi eq
// CHECK:         %[[M:.+]] = arith.select %[[EMPTY]]
// CHECK:         collective.halo_exchange %[[Y]] sizes [%[[M]]] from {{.*}} halo {{\[\[}}1, 1]] of tensor<5xf32> : tensor<?xf32> -> tensor<?xf32>
func.func @halo(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                %y: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  %1 = collective.halo_exchange %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<5xf32>
  return
}

// A replicated operand is sliced with its halo, and a halo that reaches both ends is a
// gather of static extent.
// CHECK-LABEL: func.func @local_halo
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32> {{.*}} %[[Y:[^:]+]]: tensor<2xf32>
// CHECK:         tensor.extract_slice %[[X]][%{{.+}}] [%{{.+}}] [1] : tensor<8xf32> to tensor<?xf32>
// CHECK:         collective.halo_exchange %[[Y]] from {{.*}} : tensor<2xf32> -> tensor<8xf32>
func.func @local_halo(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
                      %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %0 = collective.halo_exchange %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  %1 = collective.halo_exchange %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[8, 9]] : tensor<8xf32>
  return
}

// -----

shardir.mesh @a <["x"=2]>
shardir.mesh @b <["p"=3], devices = [4, 2, 3]>

// Adjacent ops on a mesh that lacks ranks are in one branch of its ranks, with
// results for what is used behind it; constants stay in front, collectives
// outside.
// CHECK-LABEL: func.func @stages
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4xf32>
// CHECK:         %[[FIRST:.+]] = arith.cmpi ult
// CHECK:         arith.constant 2.0
// CHECK:         %[[A:.+]]:2 = scf.if %[[FIRST]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK:           %[[E:.+]] = math.exp %[[X]]
// CHECK:           %[[F:.+]] = linalg.fill
// CHECK:           %[[S:.+]] = arith.addf %[[E]], %[[F]]
// CHECK:           scf.yield %[[E]], %[[S]]
// CHECK:         } else {
// CHECK:         }
// CHECK:         %[[B:.+]] = collective.exchange %[[A]]#1
// CHECK:         %[[LOW:.+]] = arith.cmpi ult
// CHECK:         %[[HIGH:.+]] = arith.cmpi uge
// CHECK:         %[[SECOND:.+]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK:         %[[R:.+]] = scf.if %[[SECOND]] -> (tensor<?xf32>) {
// CHECK:           math.exp %[[B]]
// CHECK:         } else {
// CHECK:           tensor.empty(%{{.+}}) : tensor<?xf32>
// CHECK:         return %[[A]]#0, %[[R]]
func.func @stages(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>},
        tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"p"}]>}) {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@a, [{"x"}]>]} : tensor<8xf32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() {shardir.placements = [#shardir.placement<@a, [{"x"}]>]} : tensor<8xf32>
  %f = linalg.fill {shardir.placements = [#shardir.placement<@a, [{"x"}]>]} ins(%two : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = arith.addf %0, %f {shardir.placements = [#shardir.placement<@a, [{"x"}]>]} : tensor<8xf32>
  %2 = collective.exchange %1 from #shardir.placement<@a, [{"x"}]> to #shardir.placement<@b, [{"p"}]> : tensor<8xf32>
  %3 = math.exp %2 {shardir.placements = [#shardir.placement<@b, [{"p"}]>]} : tensor<8xf32>
  return %0, %3 : tensor<8xf32>, tensor<8xf32>
}
