// Values on two meshes (R10): an op's mesh is its annotation's, else its
// operands', else its results'; one over two meshes runs on its result's.
//
// RUN: shard-opt %s -split-input-file --shardir-to-redistributed -verify-diagnostics | FileCheck %s

shardir.mesh @a <["x"=2, "y"=2]>
shardir.mesh @b <["p"=4], devices = [4, 5, 6, 7]>

// The second matmul has an operand on each mesh; what it gives is wanted on @b,
// through an op that nobody has placed. Rematerializable values are made where they are
// used.
// CHECK-LABEL: func.func @pipeline
// CHECK:         %[[H:.+]] = math.tanh {{.*}}@a, [{"x"}, {"y"}]
// CHECK:         linalg.fill {{.*}}@b, [{}, {"p"}]
// CHECK:         %[[M:.+]] = shardir.redistribute %[[H]] from #shardir.placement<@a, [{"x"}, {"y"}]> to #shardir.placement<@b, [{}, {}]> {reason = #shardir.reason<operand 0 of "linalg.matmul">}
// CHECK:         linalg.matmul {{.*}}@b, [{}, {"p"}]{{.*}} ins(%[[M]]
// CHECK:         math.exp {{.*}}@b, [{}, {"p"}]
// CHECK-NEXT:    return
func.func @pipeline(%x: tensor<6x5xf32> {shardir.placement = #shardir.placement<@a, [{"x"}, {}]>},
                    %w1: tensor<5x9xf32> {shardir.placement = #shardir.placement<@a, [{}, {"y"}]>},
                    %w2: tensor<9x7xf32> {shardir.placement = #shardir.placement<@b, [{}, {"p"}]>})
    -> (tensor<6x7xf32> {shardir.placement = #shardir.placement<@b, [{}, {"p"}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %p = linalg.matmul ins(%x, %w1 : tensor<6x5xf32>, tensor<5x9xf32>) outs(%z : tensor<6x9xf32>) -> tensor<6x9xf32>
  %h = math.tanh %p : tensor<6x9xf32>
  %e2 = tensor.empty() : tensor<6x7xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x7xf32>) -> tensor<6x7xf32>
  // expected-remark @+1 {{runs on mesh @b, the one of its result; operands on mesh @a move there}}
  %q = linalg.matmul ins(%h, %w2 : tensor<6x9xf32>, tensor<9x7xf32>) outs(%z2 : tensor<6x7xf32>) -> tensor<6x7xf32>
  %r = math.exp %q : tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}

// -----

shardir.mesh @a <["x"=4]>
shardir.mesh @b <["x"=2, "z"=2]>

// A constraint moves a value, axes of equal names notwithstanding: what follows
// is on the new mesh. Without a hint from its results an op stays on its first
// operand's mesh.
// CHECK-LABEL: func.func @constrained
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@a, [{"x"}]> to #shardir.placement<@b, [{"z"}]> {reason = #shardir.reason<constrain>, shardir.constrained}
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[B]] {{.*}}@b, [{"z"}]
// CHECK-NEXT:    %[[C:.+]] = shardir.redistribute %[[E]] from #shardir.placement<@b, [{"z"}]> to #shardir.placement<@a, [{"x"}]>
// CHECK-NEXT:    arith.addf %[[X]], %[[C]] {{.*}}@a, [{"x"}]
func.func @constrained(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@b, [{"z"}]> : tensor<8xf32>
  %1 = math.exp %0 : tensor<8xf32>
  // expected-remark @+1 {{runs on mesh @a, the one of its result; operands on mesh @b move there}}
  %2 = arith.addf %x, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

shardir.mesh @a <["x"=2]>
shardir.mesh @b <["p"=2], devices = [2, 3]>

// A partial on one mesh is not partial on another: it is reduced on the way.
// CHECK-LABEL: func.func @partial
// CHECK:         %[[S:.+]] = linalg.reduce {{.*}} dimensions = [1] {{.*}}@a, [{}], partial = sum ["x"]
// CHECK:         %[[B:.+]] = shardir.redistribute %{{.+}} from #shardir.placement<@a, [{}], partial = sum ["x"]> to #shardir.placement<@b, [{"p"}]>
// CHECK-NEXT:    arith.negf %[[B]] {{.*}}@b, [{"p"}]
func.func @partial(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@a, [{}, {"x"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"p"}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8x4xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  %c = shardir.constrain %s to #shardir.placement<@b, [{"p"}]> : tensor<8xf32>
  %n = arith.negf %c : tensor<8xf32>
  return %n : tensor<8xf32>
}

// -----

shardir.mesh @a <["x"=2]>
shardir.mesh @b <["p"=2], devices = [1, 0]>

// A result that takes an argument's placement takes its mesh too.
// CHECK-LABEL: func.func @alias
// CHECK-SAME:    -> (tensor<8xf32> {shardir.alias = 0 : i64, shardir.decided_by = [#shardir.provenance<argument 0 of @alias>], shardir.placement = #shardir.placement<@a, [{"x"}]>})
// CHECK:         shardir.redistribute {{.*}} from #shardir.placement<@b, [{"p"}]> to #shardir.placement<@a, [{"x"}]>
func.func @alias(%w: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>},
                 %g: tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"p"}]>})
    -> (tensor<8xf32> {shardir.alias = 0 : i64}) {
  %0 = math.exp %g : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @a <["x"=2]>
shardir.mesh @b <["p"=2]>

// A value without annotation is on the mesh of the values used with it, though that is
// known only from what another user returns.
// CHECK-LABEL: func.func @beside
// CHECK-SAME:    %{{[^:]+}}: tensor<8xf32> {{[^%)]*}}@b, [{"p"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8xf32> {{[^%)]*}}@b, [{"p"}]>}
// CHECK-NEXT:    arith.mulf {{.*}}@b, [{"p"}]
func.func @beside(%x: tensor<8xf32>, %y: tensor<8xf32>)
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"p"}]>}, tensor<8xf32>) {
  %0 = arith.mulf %x, %y : tensor<8xf32>
  return %y, %0 : tensor<8xf32>, tensor<8xf32>
}
