// Shardy's spellings in docs/ComingFrom.md are read as the page says.
//
// RUN: shard-opt %s --split-input-file --shardir-import-annotations | FileCheck %s
// CHECK: shardir.mesh @m <["dp"=2, "tp"=4]>
sdy.mesh @m = <["dp"=2, "tp"=4]>

// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp", ?}]>}
// CHECK-SAME: %arg1: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp":(1)2}, {}]>}
// CHECK-SAME: %arg2: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {?}], replicated = ["tp"]>}
// CHECK-SAME: %arg3: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}], partial = sum ["tp"]>}
func.func @main(%a: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"dp"}, {"tp", ?}]>},
                %b: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"tp":(1)2}, {}]>},
                %d: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"dp"}, {?}], replicated={"tp"}>},
                %e: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"dp"}, {}], unreduced={"tp"}>}) -> tensor<32x32xf32> {
  // CHECK: shardir.constrain %arg0 to #shardir.placement<@m, [{"tp"}, {"dp"}]>
  %0 = sdy.sharding_constraint %a <@m, [{"tp"}, {"dp"}]> : tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// Dims without a priority go first where another one has one, as Shardy takes it.
sdy.mesh @m = <["dp"=2, "tp"=4]>

// CHECK-LABEL: @priorities
// CHECK-SAME: #shardir.placement<@m, [{"dp"}p1, {?}p0]>
// CHECK-SAME: #shardir.placement<@m, [{"tp"}p0, {}]>
func.func @priorities(%a: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"dp"}p1, {?}p0]>},
                      %b: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"tp"}, {}]>}) {
  return
}
