// Every change of placement becomes one shardir.redistribute that says why; then
// operands and results of every op agree under its rule.
//
// RUN: shard-opt %s -split-input-file -shardir-insert-redistribute | FileCheck %s
// RUN: shard-opt %s -split-input-file -shardir-insert-redistribute -shardir-verify-stage="stage=redistributed" -o %t.once
// RUN: shard-opt %t.once -split-input-file -shardir-insert-redistribute | diff %t.once -

shardir.mesh @m <["dp"=2, "tp"=2]>
shardir.mesh @n <["x"=4]>

// CHECK-LABEL: func.func @partial
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x8xf32> {{.*}} %[[W:[^:]+]]: tensor<8x8xf32>
// CHECK:         %[[Y:.+]] = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["tp"]>]} ins(%[[X]], %[[W]]
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[Y]] from #shardir.placement<@m, [{}, {}], partial = sum ["tp"]> to #shardir.placement<@m, [{}, {}]> {reason = #shardir.reason<result 0 of @partial>} : tensor<8x8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @partial(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                   %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant {shardir.placements = [#shardir.placement<@m, [{}, {}]>]} dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["tp"]>]}
      ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

shardir.mesh @m <["dp"=2, "tp"=2]>
shardir.mesh @n <["x"=4]>

// Operands that agree stay as they are, in any spelling of the same placement (P8).
// CHECK-LABEL: func.func @agrees
// CHECK-NOT:     redistribute
// CHECK:         return
func.func @agrees(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp":(1)2}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp", 1, 4}, {}]>}) {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"tp"}, {}]>]} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Two users that need the same share one redistribution; a third needs another.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{}, {"tp"}]> {reason = #shardir.reason<operand 0 of "math.exp">}
// CHECK-NEXT:    math.exp %[[A]]
// CHECK-NEXT:    math.tanh %[[A]]
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[X]] {{.*}} to #shardir.placement<@m, [{"tp"}, {}]>
// CHECK-NEXT:    math.sin %[[B]]
// CHECK-NOT:     redistribute
// CHECK:         return
func.func @shared(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{}, {"tp"}]>]} : tensor<8x8xf32>
  %1 = math.tanh %x {shardir.placements = [#shardir.placement<@m, [{}, {"tp":(1)2}]>]} : tensor<8x8xf32>
  %2 = math.sin %x {shardir.placements = [#shardir.placement<@m, [{"tp"}, {}]>]} : tensor<8x8xf32>
  return
}

// Constants, empty tensors and fills are made again rather than moved (R5), and
// what is not used any more goes.
// CHECK-LABEL: func.func @rematerializable
// CHECK-NOT:     redistribute
// CHECK-DAG:     %[[C:.+]] = arith.constant {{.*}}[{"tp"}]>]} dense<1.0
// CHECK-DAG:     %[[E:.+]] = tensor.empty() {{.*}}[{"tp"}]>]}
// CHECK-DAG:     %[[F:.+]] = linalg.fill {{.*}}[{"tp"}]>]} {{.*}} outs(%[[E]]
// CHECK:         arith.addf %[[C]], %[[F]]
// CHECK:         arith.addf {{.*}}[{}]>]
func.func @rematerializable() -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>},
                       tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant {shardir.placements = [#shardir.placement<@m, [{"dp"}]>]} dense<1.0> : tensor<8xf32>
  %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  %f = linalg.fill {shardir.placements = [#shardir.placement<@m, [{}]>]} ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = arith.addf %c, %f {shardir.placements = [#shardir.placement<@m, [{"tp"}]>]} : tensor<8xf32>
  %1 = arith.addf %c, %f {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The initial value of a sum that is partial counts once: a fill becomes one term
// of it, and a value that is no fill as well.
// CHECK-LABEL: func.func @init
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x8xf32> {{.*}} %[[Z:[^:]+]]: tensor<8xf32>
// CHECK:         %[[F:.+]] = linalg.fill {{.*}}partial = sum ["tp"]>]
// CHECK:         linalg.reduce {{.*}} outs(%[[F]]
// CHECK:         %[[I:.+]] = shardir.redistribute %[[Z]] {{.*}} to #shardir.placement<@m, [{}], partial = sum ["tp"]> {reason = #shardir.reason<operand 1 of "sum over dim 1">}
// CHECK:         linalg.reduce {{.*}} outs(%[[I]]
func.func @init(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %z: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["tp"]>},
        tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["tp"]>}) {
  %five = arith.constant 5.0 : f32
  %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  %f = linalg.fill {shardir.placements = [#shardir.placement<@m, [{}]>]} ins(%five : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["tp"]>]}
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf32>) outs(%z : tensor<8xf32>) dimensions = [1] {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["tp"]>]}
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A constraint becomes a redistribution, or nothing but a mark.
// CHECK-LABEL: func.func @constrain
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    math.exp %[[X]]
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]] {{.*}} {reason = #shardir.reason<constrain>, shardir.constrained}
// CHECK-NEXT:    math.tanh %[[R]]
func.func @constrain(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{"tp", ?}]> {shardir.placements = [#shardir.placement<@m, [{"tp"}]>]} : tensor<8xf32>
  %1 = math.exp %0 {shardir.placements = [#shardir.placement<@m, [{"tp"}]>]} : tensor<8xf32>
  %2 = shardir.constrain %x to #shardir.placement<@m, [{}]> {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  %3 = math.tanh %2 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return
}

// A tensor that a region captures is replicated.
// CHECK-LABEL: func.func @captured
// CHECK-SAME:    %[[T:[^:]+]]: tensor<8xf32> {{.*}} %[[I:[^:]+]]: tensor<4xindex>
// CHECK:         %[[W:.+]] = shardir.redistribute %[[T]] {{.*}} to #shardir.placement<@m, [{}]> {reason = #shardir.reason<body of "lookup by index"
// CHECK:         linalg.generic {{.*}} ins(%[[I]]
// CHECK:           tensor.extract %[[W]]
func.func @captured(%t: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>},
                    %i: tensor<4xindex> {shardir.placement = #shardir.placement<@m, [{"dp"}]>})
    -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}]>}) {
  %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{"dp"}]>]} : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) attrs = {shardir.placements = [#shardir.placement<@m, [{"dp"}]>]} {
  ^bb0(%at: index, %o: f32):
    %v = tensor.extract %t[%at] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The program's own redistribution is not repeated, and its operand is
// redistributed to its source placement.
// CHECK-LABEL: func.func @given
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{"tp"}]> to #shardir.placement<@m, [{"dp"}]>
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[A]] from #shardir.placement<@m, [{"dp"}]> to #shardir.placement<@m, [{}]> :
// CHECK-NEXT:    return %[[B]]
func.func @given(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"dp"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
