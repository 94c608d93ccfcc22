// DTensor-style placements become placements by dim, wherever they stand.
//
// RUN: shard-opt %s -shardir-lower-dtensor-syntax | FileCheck %s
// RUN: shard-opt %s -shardir-lower-dtensor-syntax -o %t.once
// RUN: shard-opt %t.once -shardir-lower-dtensor-syntax -o %t.twice
// RUN: diff %t.once %t.twice

shardir.mesh @m <["dp"=2, "tp"=2]>
shardir.mesh @symbolic <["x"=?]>

// Dims become closed, and shard(-1) counts from the end.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"dp"}], partial = sum ["tp"]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<?xf32> {shardir.placement = #shardir.placement<@symbolic, [{"x"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<f32> {shardir.placement = #shardir.placement<@m, [], partial = max ["dp", "tp"]>}
func.func @arguments(
    %0: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), replicate]>},
    %1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(-1), partial(sum)]>},
    %2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [replicate, replicate]>},
    %3: tensor<?xf32> {shardir.placement = #shardir.placement<@symbolic, placements = [shard(0)]>},
    %4: tensor<f32> {shardir.placement = #shardir.placement<@m, placements = [partial(max), partial(max)]>}) {
  return
}

// Several axes on one dim split in mesh order, first major.
// CHECK-LABEL: func.func @results
// CHECK-SAME:    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}]>})
// CHECK:         shardir.constrain %{{.+}} to #shardir.placement<@m, [{"tp"}]>
// CHECK:         math.exp {{.*}}shardir.placements = [#shardir.placement<@m, [{"dp"}]>]
func.func @results(%x: tensor<8xf32>) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), shard(0)]>}) {
  %0 = shardir.constrain %x to #shardir.placement<@m, placements = [replicate, shard(0)]> : tensor<8xf32>
  %1 = math.exp %0 {shardir.placements = [#shardir.placement<@m, placements = [shard(0), replicate]>]} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A placement without DTensor syntax stays as it is.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    #shardir.placement<@m, [{"tp", ?}p1], replicated = ["dp"]>
func.func @plain(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp", ?}p1], replicated = ["dp"]>}, %y: f32) {
  return
}
