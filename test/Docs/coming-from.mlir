// Other systems' spellings in docs/ComingFrom.md: each is read as the
// placement beside it.
//
// RUN: shard-opt %s --shardir-import-annotations --shardir-lower-dtensor-syntax | FileCheck %s
shardir.mesh @m <["dp"=2, "tp"=4]>

// CHECK-LABEL: @gspmd
// CHECK-SAME: %arg0: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}
// CHECK-SAME: %arg1: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}
// CHECK-SAME: %arg2: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"dp"}]>}
// CHECK-SAME: %arg3: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
func.func @gspmd(%a: tensor<32x32xf32> {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7}"},
                 %b: tensor<32x32xf32> {mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"},
                 %c: tensor<32x32xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"},
                 %d: tensor<32x32xf32> {mhlo.sharding = "{replicated}"}) {
  return
}

// CHECK-LABEL: @dtensor
// CHECK-SAME: %arg0: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}
// CHECK-SAME: %arg1: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>}
// CHECK-SAME: %arg2: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"dp"}]>}
// CHECK-SAME: %arg3: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["tp"]>}
// CHECK-SAME: %arg4: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}], partial = max ["tp"]>}
func.func @dtensor(%a: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), replicate]>},
                   %b: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), shard(0)]>},
                   %c: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(1), shard(0)]>},
                   %d: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, placements = [replicate, partial(sum)]>},
                   %e: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), partial(max)]>}) {
  return
}

// nvFuser's inner split of 32 rows over 4 devices.
// CHECK-LABEL: @nvfuser
// CHECK-SAME: #shardir.placement<@m, [{8, "tp"}, {}]>
func.func @nvfuser(%a: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{8, "tp"}, {}]>}) {
  return
}
