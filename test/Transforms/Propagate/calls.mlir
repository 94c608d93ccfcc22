// Callees take part in propagation as if written in place: their placements
// become constraints, then they are inlined.
//
// RUN: shard-opt %s -shardir-constrain-callees | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated | FileCheck %s --check-prefix=INLINED
// RUN: shard-opt %s --shardir-to-propagated -o %t.once
// RUN: shard-opt %t.once --shardir-to-propagated | diff %t.once -

shardir.mesh @m <["a"=2, "b"=2]>

// CHECK-LABEL: func.func private @annotated
// CHECK-SAME:    (%[[X:[^:]+]]: tensor<8xf32>, %[[Y:[^:]+]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[C:.+]] = shardir.constrain %[[X]] to #shardir.placement<@m, [{"a"}]>
// CHECK-NEXT:    %[[S:.+]] = arith.addf %[[C]], %[[Y]]
// CHECK-NEXT:    %[[R:.+]] = shardir.constrain %[[S]] to #shardir.placement<@m, [{?}]>
// CHECK-NEXT:    return %[[R]]
// INLINED-NOT:   @annotated
func.func private @annotated(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>},
                             %y: tensor<8xf32>)
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{?}]>}) {
  %0 = arith.addf %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Without placements nothing changes.
// CHECK-LABEL: func.func private @plain
// CHECK-SAME:    (%[[X:[^:]+]]: tensor<8xf32>)
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[X]]
// CHECK-NEXT:    return %[[E]]
func.func private @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An entry that is called keeps its placements, and has them in its body too.
// The two calls of @plain are placed each for itself.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    #shardir.placement<@m, [{"b"}]>
// CHECK-NEXT:    %[[C:.+]] = shardir.constrain %{{.+}} to #shardir.placement<@m, [{"b"}]>
// CHECK-NEXT:    call @annotated(%[[C]]
// CHECK-NEXT:    call @plain(
// CHECK-NEXT:    call @plain(%[[C]])
// INLINED-LABEL: func.func @main
// INLINED-SAME:    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>})
// INLINED-NEXT:    shardir.constrain %{{.+}} to #shardir.placement<@m, [{"b"}]>
// INLINED-NEXT:    shardir.constrain %{{.+}} to #shardir.placement<@m, [{"a"}]>
// INLINED-NEXT:    arith.addf {{.*}}[{"a"}]>]
// INLINED-NEXT:    shardir.constrain
// INLINED-NEXT:    math.exp {{.*}}[{"a"}]>]
// INLINED-NEXT:    math.exp {{.*}}[{"b"}]>]
// INLINED-NEXT:    return
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @annotated(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = call @plain(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @plain(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// Here the placement comes from the entry that is called, in whose place its
// body stands.
// INLINED-LABEL: func.func @calls_entry
// INLINED-SAME:    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>})
// INLINED-NOT:     call
// INLINED:         return
func.func @calls_entry(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = call @main(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}
