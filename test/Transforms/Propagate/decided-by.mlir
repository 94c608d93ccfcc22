// Every value that is split or partial says which annotation decided that, and
// through which ops, in the order from the annotation to the value (R7).
//
// RUN: shard-opt %s -shardir-to-propagated | FileCheck %s

shardir.mesh @m <["a"=2, "b"=3]>

// A partial comes from the axis that the reduction is split by; the fill that
// takes its place has the same reason.
// CHECK-LABEL: func.func @partial
// CHECK:         tensor.empty() {shardir.decided_by = [#shardir.provenance<argument 0 of @partial>], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>]}
// CHECK:         linalg.fill {shardir.decided_by = [#shardir.provenance<argument 0 of @partial>]
// CHECK:         linalg.reduce {{.*}}{shardir.decided_by = [#shardir.provenance<argument 0 of @partial>]
// CHECK:         arith.negf {{.*}}shardir.decided_by = [#shardir.provenance<argument 0 of @partial, through ["sum over dim 1"]>], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>]
// CHECK:         arith.addf {{.*}}shardir.decided_by = [#shardir.provenance<argument 0 of @partial, through ["sum over dim 1", "arith.negf"]>], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>]
func.func @partial(%x: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x4xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %n = arith.negf %s : tensor<6xf32>
  %d = arith.addf %n, %n : tensor<6xf32>
  return %d : tensor<6xf32>
}

// A partial over two axes names the annotations of both.
// CHECK-LABEL: func.func @partial_twice
// CHECK:         tensor.empty() {shardir.decided_by = [#shardir.provenance<argument 0 of @partial_twice, through ["arith.mulf"]>, #shardir.provenance<argument 1 of @partial_twice, through ["arith.mulf"]>], shardir.placements = [#shardir.placement<@m, [], partial = sum ["a", "b"]>]}
// CHECK:         linalg.reduce
// CHECK:         arith.negf {{.*}}shardir.decided_by = [#shardir.provenance<argument 0 of @partial_twice, through ["arith.mulf", "sum over dims 0 and 1"]>, #shardir.provenance<argument 1 of @partial_twice, through ["arith.mulf", "sum over dims 0 and 1"]>]
func.func @partial_twice(%x: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                      %y: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %p = arith.mulf %x, %y : tensor<6x6xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<6x6xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  %n = arith.negf %s : tensor<f32>
  return %n : tensor<f32>
}

// Of the users of a rematerializable tensor the nearest to its annotation is the reason,
// whichever comes last in the file.
// CHECK-LABEL: func.func @shared
// CHECK:         tensor.empty() {shardir.decided_by = [#shardir.provenance<argument 0 of @shared>], shardir.placements
func.func @shared(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %0 = linalg.exp ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %1 = linalg.tanh ins(%0 : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// A result that nobody annotated, and that is not as its maker gives it, names
// who decided that.
// CHECK-LABEL: func.func @moved_result
// CHECK-SAME:    -> (tensor<6x6xf32> {shardir.decided_by = [#shardir.provenance<argument 0 of @moved_result, through ["linalg.matmul"]>], shardir.placement = #shardir.placement<@m, [{"b"}, {}]>})
func.func @moved_result(%x: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}, %w: tensor<4x6xf32>) -> tensor<6x6xf32> {
  %z = arith.constant dense<0.0> : tensor<6x6xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<6x4xf32>, tensor<4x6xf32>) outs(%z : tensor<6x6xf32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// A term that is annotated names the argument that holds it.
// CHECK-LABEL: func.func @given
// CHECK:         arith.negf {{.*}}shardir.decided_by = [#shardir.provenance<argument 0 of @given>], shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["a"]>]
func.func @given(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["a"]>}) -> tensor<6xf32> {
  %n = arith.negf %x : tensor<6xf32>
  return %n : tensor<6xf32>
}

// A constraint says where it stands, for there may be many.
// CHECK-LABEL: func.func @constrained
// CHECK-SAME:    shardir.decided_by = [#shardir.provenance<op "shardir.constrain" at "{{.*}}decided-by.mlir":[[@LINE+5]]:8, through ["math.exp"]>]
// CHECK:         math.exp {{.*}}shardir.decided_by = [#shardir.provenance<op "shardir.constrain" at "{{.*}}decided-by.mlir":[[@LINE+4]]:8>]
// CHECK:         math.tanh {{.*}}shardir.decided_by = [#shardir.provenance<op "shardir.constrain" at "{{.*}}decided-by.mlir":[[@LINE+3]]:8>]
func.func @constrained(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = math.exp %x : tensor<6xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{"a"}]> : tensor<6xf32>
  %2 = math.tanh %1 : tensor<6xf32>
  return %2 : tensor<6xf32>
}

// A value that a loop carries, and one between two iterations, name the result.
// CHECK-LABEL: func.func @carried
// CHECK-SAME:    %{{[^:]+}}: tensor<6xf32> {shardir.decided_by = [#shardir.provenance<result 0 of @carried, through ["scf.for"]>]
// CHECK:         scf.for
// CHECK:           math.exp {{.*}}shardir.decided_by = [#shardir.provenance<result 0 of @carried, through ["scf.for"]>]
// CHECK:         } {shardir.decided_by = [#shardir.provenance<result 0 of @carried>], shardir.placements
func.func @carried(%x: tensor<6xf32>) -> (tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<6xf32>) {
    %1 = math.exp %a : tensor<6xf32>
    scf.yield %1 : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// A callee's signature, after inlining.
func.func private @callee(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) -> tensor<6xf32> {
  %0 = math.exp %x : tensor<6xf32>
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    %{{[^:]+}}: tensor<6xf32> {shardir.decided_by = [#shardir.provenance<argument 0 of @callee>]
// CHECK:         math.exp {{.*}}shardir.decided_by = [#shardir.provenance<argument 0 of @callee>]
func.func @caller(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = call @callee(%x) : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// An open annotation on an op.
// CHECK-LABEL: func.func @on_an_op
// CHECK:         math.exp {{.*}}shardir.decided_by = [#shardir.provenance<annotation of "math.exp" at "{{.*}}decided-by.mlir":[[@LINE+3]]:8>]
// CHECK:         math.tanh {{.*}}shardir.decided_by = [#shardir.provenance<annotation of "math.exp" at "{{.*}}decided-by.mlir":[[@LINE+2]]:8>]
func.func @on_an_op(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"a", ?}]>]} : tensor<6xf32>
  %1 = math.tanh %0 : tensor<6xf32>
  return %1 : tensor<6xf32>
}
