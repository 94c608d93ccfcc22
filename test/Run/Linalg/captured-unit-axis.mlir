// RUN: shard-run %s --verify
// RUN: shard-run %s --verify --options=conflicts=shardy

// Bodies read what they capture over an axis of size 1 as what is replicated: each
// device has all of it.
shardir.mesh @m <["one"=1, "tp"=2]>

func.func @main(%x: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %i: tensor<6x2xi32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"one"}]>})
    -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : index
  %j = arith.addi %i, %i {shardir.placements = [#shardir.placement<@m, [{"tp"}, {"one"}]>]} : tensor<6x2xi32>
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%e : tensor<6xf32>) {
  ^bb0(%o: f32):
    %d = linalg.index 0 : index
    %a = tensor.extract %j[%d, %c0] : tensor<6x2xi32>
    %b = tensor.extract %j[%d, %c1] : tensor<6x2xi32>
    %s = arith.addi %a, %b : i32
    %u = arith.index_castui %s : i32 to index
    %at = arith.minui %u, %five : index
    %v = tensor.extract %x[%d, %at] : tensor<6x6xf32>
    linalg.yield %v : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}
