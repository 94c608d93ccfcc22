// Terms that are partial pass linear ops, and are reduced before the first op that
// is not linear (P5). One reduction serves all users.
//
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s

shardir.mesh @m <["a"=2, "b"=2]>

// A contraction over a split dim is a partial sum; the initial value is one term of
// it, made or partial on the first device.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x16xf32>
// CHECK-SAME:    %[[W:[^:]+]]: tensor<16x4xf32> {{[^%)]*}}placement<@m, [{"a"}, {}]>}
// CHECK-SAME:    %[[Z:[^:]+]]: tensor<8x4xf32> {{[^%)]*}}placement<@m, [{}, {}]>}
// CHECK:         %[[I:.+]] = shardir.redistribute %[[Z]] from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{}, {}], partial = sum ["a"]>
// CHECK:         %[[Y:.+]] = linalg.matmul {{.*}}[{}, {}], partial = sum ["a"]>]} ins(%[[X]], %[[W]] {{.*}} outs(%[[I]]
// CHECK:         %[[R:.+]] = shardir.redistribute %[[Y]] {{.*}} to #shardir.placement<@m, [{}, {}]>
// CHECK:         return %[[R]]
func.func @contraction(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                       %w: tensor<16x4xf32>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// neg, scaling, and the sum of equally partial terms pass; the reduction is last.
// CHECK-LABEL: func.func @linear
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32> {{[^)]*}}, %[[Y:[^:]+]]: tensor<8xf32> {{.*}}, %[[S:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[N:.+]] = arith.negf %[[X]] {{.*}}partial = sum ["a"]
// CHECK-NEXT:    %[[A:.+]] = arith.addf %[[N]], %[[Y]] {{.*}}partial = sum ["a"]
// CHECK-NEXT:    %[[M:.+]] = arith.mulf %[[A]], %[[S]] {{.*}}partial = sum ["a"]
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[M]]
// CHECK-NEXT:    return %[[R]]
func.func @linear(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                  %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                  %s: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.negf %x : tensor<8xf32>
  %1 = arith.addf %0, %y : tensor<8xf32>
  %2 = arith.mulf %1, %s : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// x * x is not linear: one reduction of x serves both operands.
// CHECK-LABEL: func.func @square
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]]
// CHECK-NEXT:    %[[M:.+]] = arith.mulf %[[R]], %[[R]] {{.*}}[{}]>]
// CHECK-NEXT:    return %[[M]]
func.func @square(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) -> tensor<8xf32> {
  %0 = arith.mulf %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// x + x is: it is reduced once, after.
// CHECK-LABEL: func.func @twice
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = arith.addf %[[X]], %[[X]] {{.*}}partial = sum ["a"]
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[A]]
// CHECK-NEXT:    return %[[R]]
func.func @twice(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) -> tensor<8xf32> {
  %0 = arith.addf %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// abs and exp are not linear, nor is a division by terms.
// CHECK-LABEL: func.func @not_linear
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32> {{[^)]*}}, %[[Y:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]]
// CHECK-NEXT:    %[[A:.+]] = math.absf %[[R]] {{.*}}[{}]>]
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[R]] {{.*}}[{}]>]
// CHECK-NEXT:    arith.divf %[[Y]], %[[R]] {{.*}}[{}]>]
func.func @not_linear(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                      %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = math.absf %x : tensor<8xf32>
  %1 = math.exp %x : tensor<8xf32>
  %2 = arith.divf %y, %x : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A sum of integers passes no integer division; a float division by a whole
// value passes.
// CHECK-LABEL: func.func @division
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xi32> {{[^)]*}}, %[[Y:[^:]+]]: tensor<8xf32> {{[^)]*}}, %[[I:[^:]+]]: tensor<8xi32> {{[^)]*}}, %[[F:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]]
// CHECK-NEXT:    arith.divsi %[[R]], %[[I]] {{.*}}[{}]>]
// CHECK-NEXT:    %[[D:.+]] = arith.divf %[[Y]], %[[F]] {{.*}}partial = sum ["a"]
// CHECK-NEXT:    shardir.redistribute %[[D]]
func.func @division(%x: tensor<8xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                    %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                    %i: tensor<8xi32>, %f: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>) {
  %0 = arith.divsi %x, %i : tensor<8xi32>
  %1 = arith.divf %y, %f : tensor<8xf32>
  return %0, %1 : tensor<8xi32>, tensor<8xf32>
}

// Where a cast is linear the side with fewer bytes is reduced: bf16 terms before
// extf. truncf is not linear.
// CHECK-LABEL: func.func @casts
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xbf16> {{[^)]*}}, %[[Y:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]]
// CHECK-NEXT:    %[[E:.+]] = arith.extf %[[R]] {{.*}}[{}]>]
// CHECK-NEXT:    %[[S:.+]] = shardir.redistribute %[[Y]]
// CHECK-NEXT:    %[[T:.+]] = arith.truncf %[[S]] {{.*}}[{}]>]
// CHECK-NEXT:    return %[[E]], %[[T]]
func.func @casts(%x: tensor<8xbf16> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                 %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) -> (tensor<8xf32>, tensor<8xbf16>) {
  %0 = arith.extf %x : tensor<8xbf16> to tensor<8xf32>
  %1 = arith.truncf %y : tensor<8xf32> to tensor<8xbf16>
  return %0, %1 : tensor<8xf32>, tensor<8xbf16>
}

// A bias is added once: after the reduction, or to one term.
// CHECK-LABEL: func.func @bias
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32> {{[^)]*}}, %[[B:[^:]+]]: tensor<8xf32>
// CHECK-NOT:     arith.addf %[[X]], %[[B]]
// CHECK:         arith.addf
// CHECK:         return
func.func @bias(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>},
                %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %x, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A body is followed as an op is: a matmul with a relu in it is not linear in
// what it accumulates, and its contracted dim stays replicated.
// CHECK-LABEL: func.func @body
// CHECK:         = linalg.generic
// CHECK-SAME:      [{}]>]
// CHECK-NOT:     shardir.redistribute {{.*}}partial
// CHECK:         return
func.func @body(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %z: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Each kind by its combiner; signed and unsigned are different.
// CHECK-LABEL: func.func @kinds
// CHECK:         linalg.reduce {{.*}}partial = max ["a"]
// CHECK:         linalg.reduce {{.*}}partial = umax ["a"]
func.func @kinds(%x: tensor<8x16xi32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %z: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = linalg.reduce { arith.maxsi } ins(%x : tensor<8x16xi32>) outs(%z : tensor<8xi32>) dimensions = [1]
  %1 = linalg.reduce { arith.maxui } ins(%x : tensor<8x16xi32>) outs(%z : tensor<8xi32>) dimensions = [1]
  return %0, %1 : tensor<8xi32>, tensor<8xi32>
}

// A sum and a maximum at once: each result has its own kind.
// CHECK-LABEL: func.func @two_kinds
// CHECK:         = linalg.generic
// CHECK-SAME:      shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>, #shardir.placement<@m, [{}], partial = max ["a"]>]
func.func @two_kinds(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                     %s: tensor<8xf32>, %m: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%s, %m : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %sum: f32, %max: f32):
    %0 = arith.addf %sum, %a : f32
    %1 = arith.maximumf %max, %a : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// A reduction of a split and partial operand is partial over both, where the kinds agree.
// CHECK-LABEL: func.func @split_and_partial
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x16xf32>
// CHECK:         linalg.reduce { arith.addf } ins(%[[X]] {{.*}}partial = sum ["a", "b"]>]
func.func @split_and_partial(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}], partial = sum ["b"]>},
                          %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  return %0 : tensor<8xf32>
}

// Where they do not the terms are reduced first, once for all users: the sum
// would have to be replicated for the maximum anyhow.
// CHECK-LABEL: func.func @split_and_partial_otherwise
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x16xf32>
// CHECK:         %[[R:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{}, {"a"}], partial = sum ["b"]> to #shardir.placement<@m, [{}, {"a"}]>
// CHECK:         linalg.reduce { arith.addf } ins(%[[R]] {{.*}}partial = sum ["a"]>]
// CHECK:         linalg.reduce { arith.maximumf } ins(%[[R]] {{.*}}partial = max ["a"]>]
func.func @split_and_partial_otherwise(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}], partial = sum ["b"]>},
                                    %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<8x16xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A result is partial only where it is annotated so (R6).
// CHECK-LABEL: func.func @annotated_result
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-SAME:    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>})
// CHECK-NEXT:    %[[N:.+]] = arith.negf %[[X]] {{.*}}partial = sum ["a"]
// CHECK-NEXT:    return %[[N]]
func.func @annotated_result(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) {
  %0 = arith.negf %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A constraint is where the terms are reduced.
// CHECK-LABEL: func.func @constrained
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{}], partial = sum ["a"]> to #shardir.placement<@m, [{"a"}]>
// CHECK-NEXT:    %[[N:.+]] = arith.negf %[[R]] {{.*}}[{"a"}]>]
// CHECK-NEXT:    return %[[N]]
func.func @constrained(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) -> tensor<8xf32> {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{"a"}]> : tensor<8xf32>
  %1 = arith.negf %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
