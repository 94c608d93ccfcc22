// RUN: shard-opt %s --shardir-inline-manual --split-input-file | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated --split-input-file | FileCheck %s --check-prefix=PROP
// RUN: shard-opt %s --shardir-to-local --split-input-file | FileCheck %s --check-prefix=LOCAL
// RUN: shard-opt %s --shardir-to-local="cost=bytes" --split-input-file | FileCheck %s --check-prefix=LOCAL

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<16x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK:         %[[L:.+]] = shardir.manual_in %[[X]] at <@m, [{"dp"}, {?}]> over ["dp"] : tensor<16x8xf32> -> tensor<8x8xf32>
// CHECK:         %[[V:.+]] = shardir.manual_in %[[W]] at <@m, [{?}, {?}]> over ["dp"] : tensor<8x8xf32> -> tensor<8x8xf32>
// CHECK:         %[[Y:.+]] = linalg.matmul ins(%[[L]], %[[V]]
// CHECK:         %[[G:.+]] = shardir.manual_collective "all_gather" %[[Y]] from <@m, [{"dp"}, {}]> to <@m, [{}, {}]> of tensor<16x8xf32> : tensor<8x8xf32> -> tensor<16x8xf32>
// CHECK:         %[[O:.+]] = shardir.manual_out %[[G]] at <@m, [{?}, {?}]> over ["dp"] : tensor<16x8xf32> -> tensor<16x8xf32>
// CHECK:         return %[[O]]

// "tp" goes in with the weight's columns, through the collective, and out; "dp",
// which splits the weight outside, stays out: it is gathered at the border.
// PROP-LABEL: func.func @main(
// PROP:         shardir.manual_in {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {}]>]
// PROP:         shardir.manual_in {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {"tp"}]>]
// PROP:         linalg.matmul {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {"tp"}]>]
// PROP:         shardir.manual_collective {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {"tp"}]>]
// PROP:         shardir.manual_out {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {"tp"}]>]

// Nothing of the borders is left on a device.
// LOCAL-LABEL: func.func @main(
// LOCAL-SAME:    %[[X:[a-z0-9]+]]: tensor<8x8xf32>
// LOCAL-SAME:    %[[W:[a-z0-9]+]]: tensor<4x2xf32>
// LOCAL:         %[[V:.+]] = collective.all_gather %[[W]] {{.*}} of tensor<8x8xf32> {{.*}}: tensor<4x2xf32> -> tensor<8x2xf32>
// LOCAL:         %[[Y:.+]] = linalg.matmul ins(%[[X]], %[[V]]
// LOCAL:         %[[G:.+]] = collective.all_gather %[[Y]] from #shardir.placement<@m, [{"dp"}, {"tp"}]> to #shardir.placement<@m, [{}, {"tp"}]> of tensor<16x8xf32> {reason = #shardir.reason<program>} : tensor<8x2xf32> -> tensor<16x2xf32>
// LOCAL:         return %[[G]]
shardir.mesh @m <["dp"=2, "tp"=4]>
func.func @main(%x: tensor<16x8xf32>, %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>})
    -> (tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {?}]>}) {
  %0 = shardir.manual (%x, %w) in [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{?}, {?}]>]
      out [#shardir.placement<@m, [{?}, {?}]>] manual = ["dp"] {
  ^bb0(%l: tensor<8x8xf32>, %v: tensor<8x8xf32>):
    %z = arith.constant dense<0.0> : tensor<8x8xf32>
    %y = linalg.matmul ins(%l, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
    %g = collective.all_gather %y from #shardir.placement<@m, [{"dp"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<16x8xf32> : tensor<8x8xf32> -> tensor<16x8xf32>
    shardir.yield %g : tensor<16x8xf32>
  } : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// Values inside differ along "dp", so that a change of placement there must not
// make use of the devices along it, as it may of devices that hold copies: of an
// all-reduce over "tp" of what is replicated along "dp", each would reduce half.
// LOCAL-LABEL: func.func @own_along_dp(
// LOCAL:         %[[R:.+]] = linalg.matmul
// LOCAL-NEXT:    %[[S:.+]] = collective.all_reduce %[[R]] from #shardir.placement<@m, [{}, {}], partial = sum ["tp"]> to #shardir.placement<@m, [{}, {}]>
// LOCAL:         return %[[S]]
// CHECK-LABEL: func.func @own_along_dp(
// PROP-LABEL: func.func @own_along_dp(
shardir.mesh @m <["dp"=8, "tp"=4]>
func.func @own_along_dp(%x: tensor<512x64xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}, %w: tensor<64x64xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> (tensor<512x64xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %0 = shardir.manual (%x, %w) in [#shardir.placement<@m, [{"dp"}, {"tp"}]>, #shardir.placement<@m, [{?}, {?}]>]
      out [#shardir.placement<@m, [{"dp"}, {}]>] manual = ["dp"] {
  ^bb0(%l: tensor<64x64xf32>, %v: tensor<64x64xf32>):
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %y = linalg.matmul ins(%l, %v : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
    shardir.yield %y : tensor<64x64xf32>
  } : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  return %0 : tensor<512x64xf32>
}
