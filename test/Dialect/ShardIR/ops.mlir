// Ops of the shardir dialect, and its attributes on functions and ops.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s
// RUN: shard-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @n <["x"=8]>

// CHECK-LABEL: func.func @constrain
// CHECK-SAME:    %[[X:.+]]: tensor<8x32xf32>
// CHECK:         %[[C:.+]] = shardir.constrain %[[X]] to #shardir.placement<@m, [{?}, {"tp"}]> : tensor<8x32xf32>
// CHECK:         %[[D:.+]] = shardir.constrain %[[C]] to #shardir.placement<@m, placements = [shard(0), replicate]> : tensor<8x32xf32>
// CHECK:         shardir.constrain %[[D]] to #shardir.placement<@m, [{}, {}]> {note = "kept"} : tensor<8x32xf32>
// CHECK:         shardir.constrain %{{.+}} to #shardir.placement<@m, [{?}, {?}]> {group = 1 : i64} : tensor<8x32xf32>
// CHECK:         shardir.constrain %{{.+}} to #shardir.placement<@m, [{?}, {?}]> {direction = "none"} : tensor<8x32xf32>
func.func @constrain(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{?}, {"tp"}]> : tensor<8x32xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@m, placements = [shard(0), replicate]> : tensor<8x32xf32>
  %2 = shardir.constrain %1 to #shardir.placement<@m, [{}, {}]> {note = "kept"} : tensor<8x32xf32>
  %3 = shardir.constrain %2 to #shardir.placement<@m, [{?}, {?}]> {group = 1} : tensor<8x32xf32>
  %4 = shardir.constrain %3 to #shardir.placement<@m, [{?}, {?}]> {direction = "none"} : tensor<8x32xf32>
  return %4 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @redistribute
// CHECK-SAME:    %[[X:.+]]: tensor<8x32xf32>
// CHECK:         %[[A:.+]] = shardir.redistribute %[[X]] from #shardir.placement<@m, [{"dp"}, {}], partial = sum ["tp"]> to #shardir.placement<@m, [{}, {"tp"}]> : tensor<8x32xf32>
// CHECK:         %[[B:.+]] = shardir.redistribute %[[A]] from #shardir.placement<@m, [{}, {"tp"}]> to #shardir.placement<@n, [{"x"}, {}]> {reason = #shardir.reason<constrain>} : tensor<8x32xf32>
// CHECK:         shardir.redistribute %[[B]] from #shardir.placement<@n, [{"x"}, {}]> to #shardir.placement<@n, [{"x"}, {}]> halo {{\[\[}}1, 1], [0, 2]] {reason = #shardir.reason<constrain>} : tensor<8x32xf32>
func.func @redistribute(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"dp"}, {}], partial = sum ["tp"]>
                               to #shardir.placement<@m, [{}, {"tp"}]> : tensor<8x32xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}, {"tp"}]>
                               to #shardir.placement<@n, [{"x"}, {}]> {reason = #shardir.reason<constrain>} : tensor<8x32xf32>
  %2 = shardir.redistribute %1 from #shardir.placement<@n, [{"x"}, {}]> to #shardir.placement<@n, [{"x"}, {}]>
                               halo [[1, 1], [0, 2]] {reason = #shardir.reason<constrain>} : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// Nothing looks through a barrier, and one without users goes.
// CHECK-LABEL: func.func @optimization_barrier
// CHECK-SAME:    %[[X:.+]]: tensor<8x?xf32>
// CHECK:         %[[B:.+]] = shardir.optimization_barrier %[[X]] : tensor<8x?xf32>
// CHECK:         return %[[B]]
// FOLD-LABEL:  func.func @optimization_barrier
// FOLD-COUNT-1:  shardir.optimization_barrier
// FOLD-NOT:      shardir.optimization_barrier
// FOLD:          return
func.func @optimization_barrier(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %0 = shardir.optimization_barrier %x : tensor<8x?xf32>
  %1 = shardir.optimization_barrier %0 : tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// CHECK-LABEL: func.func @axis_index
// CHECK:         shardir.axis_index @m "tp"
func.func @axis_index() -> index {
  %0 = shardir.axis_index @m "tp"
  return %0 : index
}

// Results that are no tensors have a unit in place of a placement.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME:    -> (tensor<8xf32> {shardir.alias = 0 : i64}, f32)
// CHECK:         math.exp %{{.+}} {shardir.placements = [#shardir.placement<@m, [{"dp"}]>]} : tensor<8xf32>
// CHECK:         math.exp %{{.+}} {shardir.placements = [unit]} : f32
func.func @attributes(%x: tensor<8xf32>, %s: f32) -> (tensor<8xf32> {shardir.alias = 0 : i64}, f32) {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"dp"}]>]} : tensor<8xf32>
  %1 = math.exp %s {shardir.placements = [unit]} : f32
  return %0, %1 : tensor<8xf32>, f32
}

// From the local stage on a placement is about the global tensor's type.
// CHECK-LABEL: func.func private @local
// CHECK-SAME:    tensor<?xf32> {shardir.global_type = tensor<5xf32>, shardir.placement = #shardir.placement<@m, [{"dp"}]>}
func.func private @local(tensor<?xf32> {shardir.global_type = tensor<5xf32>,
                                        shardir.placement = #shardir.placement<@m, [{"dp"}]>})

// CHECK-LABEL: func.func private @buffers
// CHECK-SAME:    memref<4xf32> {shardir.global_type = tensor<8xf32>, shardir.result}
func.func private @buffers(memref<4xf32> {shardir.global_type = tensor<8xf32>, shardir.result})

// A redistribution to where the value is folds away; one with a halo does not,
// and neither does a constraint, which propagation has yet to see.
// FOLD-LABEL: func.func @fold
// FOLD-SAME:    %[[X:.+]]: tensor<8x32xf32>
// FOLD-NEXT:    %[[H:.+]] = shardir.redistribute %[[X]] {{.*}} halo
// FOLD-NEXT:    %[[C:.+]] = shardir.constrain %[[H]]
// FOLD-NEXT:    return %[[C]]
func.func @fold(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"dp"}, {}]>
                               to #shardir.placement<@m, [{"dp"}, {}]> : tensor<8x32xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{"dp"}, {}]> to #shardir.placement<@m, [{"dp"}, {}]>
                               halo [[1, 1], [0, 0]] : tensor<8x32xf32>
  %2 = shardir.constrain %1 to #shardir.placement<@m, [{"dp"}, {}]> : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// Ops without a use go.
// FOLD-LABEL: func.func @dead
// FOLD-NEXT:    return
func.func @dead(%x: tensor<8xf32>) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"tp"}]> : tensor<8xf32>
  %2 = shardir.axis_index @m "dp"
  %3 = shardir.extent argument 0 dim 0
  return
}

// CHECK-LABEL: func.func @extent
// CHECK:         shardir.extent argument 1 dim 0
func.func @extent(%i: index, %x: tensor<?x4xf32>) -> index {
  %0 = shardir.extent argument 1 dim 0
  return %0 : index
}
