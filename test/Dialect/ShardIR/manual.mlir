// RUN: shard-opt %s -verify-roundtrip | FileCheck %s

shardir.mesh @m <["dp"=2, "tp"=4]>

// CHECK-LABEL: func.func @region(
// CHECK-SAME:    %[[X:.+]]: tensor<16x8xf32>, %[[W:.+]]: tensor<8xf32>)
// CHECK:         %{{.+}}:2 = shardir.manual(%[[X]], %[[W]])
// CHECK-SAME:      in [#shardir.placement<@m, [{"dp", "tp", ?}, {?}p1]>, #shardir.placement<@m, [{?}]>]
// CHECK-SAME:      out [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{}], partial = sum ["dp"]>]
// CHECK-SAME:      manual = ["dp"] unchecked {
// CHECK-NEXT:    ^bb0(%[[L:.+]]: tensor<8x8xf32>, %[[V:.+]]: tensor<8xf32>):
// CHECK-NEXT:      shardir.yield %[[L]], %[[V]] : tensor<8x8xf32>, tensor<8xf32>
// CHECK-NEXT:    } : (tensor<16x8xf32>, tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>)
func.func @region(%x: tensor<16x8xf32>, %w: tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>) {
  %0:2 = shardir.manual (%x, %w)
      in [#shardir.placement<@m, [{"dp", "tp", ?}, {?}p1]>, #shardir.placement<@m, [{?}]>]
      out [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{}], partial = sum ["dp"]>] manual = ["dp"] unchecked {
  ^bb0(%l: tensor<8x8xf32>, %v: tensor<8xf32>):
    shardir.yield %l, %v : tensor<8x8xf32>, tensor<8xf32>
  } : (tensor<16x8xf32>, tensor<8xf32>) -> (tensor<16x8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<16x8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @nothing
// CHECK:         shardir.manual() in [] out [] manual = [] {
func.func @nothing() {
  shardir.manual () in [] out [] manual = [] {
    shardir.yield
  } : () -> ()
  return
}

// CHECK-LABEL: func.func @inlined
// CHECK:         shardir.manual_in %{{.+}} at <@m, [{"dp", ?}]> over ["dp"] : tensor<16xf32> -> tensor<8xf32>
// CHECK:         shardir.manual_collective "all_gather" %{{.+}} from <@m, [{"dp"}]> to <@m, [{}]> of tensor<16xf32> : tensor<8xf32> -> tensor<16xf32>
// CHECK:         shardir.manual_out %{{.+}} at <@m, [{}]> over ["dp"] unchecked : tensor<16xf32> -> tensor<16xf32>
func.func @inlined(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = shardir.manual_in %x at #shardir.placement<@m, [{"dp", ?}]> over ["dp"] : tensor<16xf32> -> tensor<8xf32>
  %1 = shardir.manual_collective "all_gather" %0 from #shardir.placement<@m, [{"dp"}]> to #shardir.placement<@m, [{}]> of tensor<16xf32> : tensor<8xf32> -> tensor<16xf32>
  %2 = shardir.manual_out %1 at #shardir.placement<@m, [{}]> over ["dp"] unchecked : tensor<16xf32> -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
