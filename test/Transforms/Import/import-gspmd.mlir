// RUN: shard-opt %s --shardir-import-annotations --split-input-file | FileCheck %s

// Both versions of the syntax, on one mesh whose axes are where the tiles of all
// are cut. Device 3 of the order 0, 4, 1, 5, … is the second along axis_0 and the
// second along axis_2.
// CHECK:       shardir.mesh @mesh <["axis_0"=2, "axis_1"=2, "axis_2"=2]>
// CHECK-NEXT:  shardir.mesh @mesh_1 <["axis_0"=8], devices = [7, 6, 5, 4, 3, 2, 1, 0]>
// CHECK-NEXT:  shardir.mesh @mesh_2 <["axis_0"=1], devices = [2]>
// CHECK-NEXT:  func.func @main(
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_0"}, {}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_0"}, {"axis_1", "axis_2"}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh_2, [{}, {}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_1", "axis_2"}, {"axis_0"}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_1", "axis_2", "axis_0"}, {}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_2"}, {"axis_0"}], partial = sum ["axis_1"]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{?}, {?}]>}
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh_1, [{"axis_0"}, {}]>}
// CHECK-SAME:    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_0", "axis_1", "axis_2"}]>})
module attributes {mhlo.num_partitions = 8 : i32} {
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
                %b: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7}"},
                %c: tensor<8x8xf32> {mhlo.sharding = "{replicated}"},
                %d: tensor<8x8xf32> {mhlo.sharding = "{maximal device=2}"},
                %e: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"},
                %f: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1]0,4,1,5,2,6,3,7}"},
                %g: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2,2]<=[2,2,2]T(2,0,1) last_tile_dims={unreduced}}"},
                %h: tensor<8x8xf32> {mhlo.sharding = "{unknown}"},
                %i: tensor<8x8xf32> {mhlo.sharding = "{devices=[8,1]7,6,5,4,3,2,1,0 metadata={op_name=\"a}\"}}"})
    -> (tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) {
  %0 = tensor.empty() : tensor<8xf32>
  return %0 : tensor<8xf32>
}
}

// -----

// The axes of a mesh that the program has are used; cuts that do not divide one
// another are sub-axes of one axis.
// CHECK:       shardir.mesh @m <["dp"=2, "tp"=4]>
// CHECK-NEXT:  shardir.mesh @mesh <["axis_0"=6]>
// CHECK-NEXT:  func.func @given(
// CHECK-SAME:    #shardir.placement<@m, [{"dp"}, {}]>
// CHECK-SAME:    #shardir.placement<@m, [{"tp":(2)2}, {"dp"}], partial = sum ["tp":(1)2]>
// CHECK-SAME:    #shardir.placement<@mesh, [{"axis_0":(1)2}, {"axis_0":(2)3}]>
// CHECK-SAME:    #shardir.placement<@mesh, [{"axis_0":(1)3}, {"axis_0":(3)2}]>
shardir.mesh @m <["dp"=2, "tp"=4]>
func.func @given(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
                 %b: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2,2]<=[2,2,2]T(2,0,1) last_tile_dims={unreduced}}"},
                 %c: tensor<6x6xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"},
                 %d: tensor<6x6xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}) {
  return
}

// -----

// Shardings on ops with several results, and GSPMD's constraint. A replicated
// tensor is on all partitions.
// CHECK:       shardir.mesh @mesh <["axis_0"=4]>
// CHECK:       func.func @ops(%[[X:.+]]: tensor<8xf32>, %[[I:.+]]: tensor<8xf32>, %[[J:.+]]: tensor<8xi32>)
// CHECK:         %[[Y:.+]] = shardir.constrain %[[X]] to #shardir.placement<@mesh, [{}]>
// CHECK:         %[[R:.+]]:2 = linalg.generic
// CHECK-DAG:     shardir.constrain %[[R]]#0 to #shardir.placement<@mesh, [{}]>
// CHECK-DAG:     shardir.constrain %[[R]]#1 to #shardir.placement<@mesh, [{?}]>
module attributes {mhlo.num_partitions = 4 : i32} {
func.func @ops(%x: tensor<8xf32>, %i: tensor<8xf32>, %j: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%i, %j : tensor<8xf32>, tensor<8xi32>) attrs = {mhlo.sharding = "{{replicated}, {unknown}}"} {
  ^bb0(%a: f32, %b: f32, %c: i32):
    linalg.yield %a, %c : f32, i32
  } -> (tensor<8xf32>, tensor<8xi32>)
  return %1#0, %1#1 : tensor<8xf32>, tensor<8xi32>
}
}

// -----

// GSPMD's constraint as JAX writes it; its unconstrained dims are open.
// CHECK:       shardir.mesh @mesh <["axis_0"=2, "axis_1"=2]>
// CHECK:       func.func @custom_call(%[[X:.+]]: tensor<8x8xf32>)
// CHECK-NEXT:    %[[A:.+]] = shardir.constrain %[[X]] to #shardir.placement<@mesh, [{"axis_0"}, {?}]>
// CHECK-NEXT:    %[[B:.+]] = shardir.constrain %[[A]] to #shardir.placement<@mesh, [{}, {"axis_1"}]>
// CHECK-NEXT:    return %[[B]]
func.func @custom_call(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "mhlo.custom_call"(%0) <{call_target_name = "Sharding"}> {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
