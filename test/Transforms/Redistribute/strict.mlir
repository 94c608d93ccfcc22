// Under strict what the user has asked for is allowed: results and constraints.
//
// RUN: shard-opt %s -shardir-insert-redistribute="strict" | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed="strict" | FileCheck %s

shardir.mesh @m <["tp"=2]>

// CHECK-LABEL: func.func @asked_for
// CHECK:         shardir.redistribute {{.*}} {reason = #shardir.reason<constrain
// CHECK:         math.exp
// CHECK:         shardir.redistribute {{.*}} {reason = #shardir.reason<result 0 of @asked_for
func.func @asked_for(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, [{}]> {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  %1 = math.exp %0 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Making a constant again moves nothing.
// CHECK-LABEL: func.func @rematerializable
// CHECK-NOT:     redistribute
// CHECK:         return
func.func @rematerializable(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}) {
  %c = arith.constant {shardir.placements = [#shardir.placement<@m, [{}]>]} dense<1.0> : tensor<8xf32>
  %0 = arith.addf %x, %c {shardir.placements = [#shardir.placement<@m, [{"tp"}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
