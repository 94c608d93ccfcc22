// RUN: shard-opt %s --shardir-insert-redistribute --cse | FileCheck %s

// Two loops that do the same, whatever reasons what is in them gives; one in
// which something lies otherwise is another.
shardir.mesh @m <["x"=2]>
// CHECK-LABEL: @loops
// CHECK-COUNT-2: = scf.for
// CHECK-NOT: = scf.for
// CHECK: return
func.func @loops(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
        tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (tensor<8xf32>) {
    %s = arith.addf %v, %v {shardir.decided_by = [#shardir.provenance<op "one">], shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
    %e = math.exp %s {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } {shardir.decided_by = [#shardir.provenance<op "one">], shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
  %b = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (tensor<8xf32>) {
    %s = arith.addf %v, %v {shardir.decided_by = [#shardir.provenance<op "another">], shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
    %e = math.exp %s {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } {shardir.decided_by = [#shardir.provenance<op "another">], shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
  %c = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (tensor<8xf32>) {
    %s = arith.addf %v, %v {shardir.decided_by = [#shardir.provenance<op "one">], shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
    %e = math.exp %s {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } {shardir.decided_by = [#shardir.provenance<op "one">], shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
