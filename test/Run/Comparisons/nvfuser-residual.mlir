// nvFuser's tests/cpp/test_sharding.cpp, ResidualAdd, and test_multidevice_sharding.cpp, BackpropMeshes: random
// numbers that are added to a split tensor get the same split, by going back from the sum, and are those of the
// unsharded program.
//
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s
// RUN: shard-run %s --verify --options=cost=bytes
// RUN: shard-run %s --verify --tolerance=0 --input=7x6xf32=0.5

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
// CHECK-NOT: collective.
// CHECK: linalg.generic
// CHECK: shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
// CHECK: linalg.add
// CHECK-SAME: shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
// CHECK-NOT: collective.
// CHECK: return
shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<7x6xf32>, tensor<7x6xf32>) {
  %e = tensor.empty() : tensor<7x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<7x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %six = arith.constant 6 : index
    %a = arith.muli %i, %six : index
    %b = arith.addi %a, %j : index
    %n = arith.index_cast %b : index to i32
    %m = arith.constant 1103515245 : i32
    %c = arith.constant 12345 : i32
    %p = arith.muli %n, %m : i32
    %q = arith.addi %p, %c : i32
    %s = arith.constant 16 : i32
    %u = arith.shrui %q, %s : i32
    %f = arith.uitofp %u : i32 to f32
    %scale = arith.constant 1.52587890625e-05 : f32
    %v = arith.mulf %f, %scale : f32
    linalg.yield %v : f32
  } -> tensor<7x6xf32>
  %y = linalg.add ins(%x, %r : tensor<7x6xf32>, tensor<7x6xf32>) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r, %y : tensor<7x6xf32>, tensor<7x6xf32>
}
