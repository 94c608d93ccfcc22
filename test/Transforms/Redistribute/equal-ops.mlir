// Equal ops are one, whatever reasons they and what they start from give.
// RUN: shard-opt %s --split-input-file --shardir-insert-redistribute --cse | FileCheck %s
// RUN: shard-opt %s --split-input-file --shardir-insert-redistribute=strict --cse | FileCheck %s

// Two sums of one tensor; each starts from a fill of its own.
shardir.mesh @m <["x"=2]>
// CHECK-LABEL: @sums
// CHECK-COUNT-1: linalg.reduce
// CHECK-NOT: linalg.reduce
// CHECK: return
func.func @sums(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
        tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() {shardir.decided_by = [#shardir.provenance<op "one">], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]} : tensor<4xf32>
  %z = linalg.fill {shardir.decided_by = [#shardir.provenance<op "one">], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]}
      ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<8x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
      {shardir.decided_by = [#shardir.provenance<op "both">], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]}
  // A callee that was inlined brings its own.
  %zero1 = arith.constant 0.0 : f32
  %f = tensor.empty() {shardir.decided_by = [#shardir.provenance<op "another">], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]} : tensor<4xf32>
  %y = linalg.fill {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]}
      ins(%zero1 : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.reduce {arith.addf} ins(%x : tensor<8x4xf32>) outs(%y : tensor<4xf32>) dimensions = [0]
      {shardir.decided_by = [#shardir.provenance<op "both">], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]}
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The constraint on one of two equal ops holds for both.
shardir.mesh @m <["x"=2]>
// CHECK-LABEL: @asked
// CHECK: math.exp {{.*}}shardir.constrained
// CHECK-NOT: math.exp
// CHECK: return
func.func @asked(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
        tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %a = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  %b = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  %c = shardir.constrain %b to #shardir.placement<@m, [{"x"}]> {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  return %a, %c : tensor<8xf32>, tensor<8xf32>
}
