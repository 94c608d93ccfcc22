// Decoding with a cache that is split along the sequence: the new keys and values are written where they belong, and
// what is reduced are the rows' maximum, their sum, and the sum of values. XLA receives as much (120).
// RUN: shard-run %s --verify --options="cost=bytes" --report=%t.json --input=2x8xf32=0.5 --input=2x16x8xf32=0.25 --input=2x16x8xf32=2 --input=2x1x8xf32=1 --input=2x1x8xf32=3 --input=index=11
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 2 * 3 * 4 * (0.5 + 0.5 + 4), r"
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s

shardir.mesh @m <["x"=4]>

#bd = affine_map<(b, t, d) -> (b, d)>
#bt = affine_map<(b, t, d) -> (b, t)>
#btd = affine_map<(b, t, d) -> (b, t, d)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// CHECK-NOT: collective.all_gather {{.*}}tensor<2x16
// CHECK-NOT: collective.all_reduce {{.*}}tensor<2x16
// CHECK:     return
func.func @main(%q: tensor<2x8xf32>,
                %k: tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                %v: tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                %newk: tensor<2x1x8xf32>, %newv: tensor<2x1x8xf32>, %pos: index)
    -> (tensor<2x8xf32>, tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
        tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
  %keys = tensor.insert_slice %newk into %k[0, %pos, 0] [2, 1, 8] [1, 1, 1] : tensor<2x1x8xf32> into tensor<2x16x8xf32>
  %values = tensor.insert_slice %newv into %v[0, %pos, 0] [2, 1, 8] [1, 1, 1] : tensor<2x1x8xf32> into tensor<2x16x8xf32>
  %zs = arith.constant dense<0.0> : tensor<2x16xf32>
  %s = linalg.generic {indexing_maps = [#bd, #btd, #bt], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %keys : tensor<2x8xf32>, tensor<2x16x8xf32>) outs(%zs : tensor<2x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x16xf32>
  %e = tensor.empty() : tensor<2x16xf32>
  %seen = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %low = arith.constant -1.0e30 : f32
    %0 = linalg.index 1 : index
    %1 = arith.cmpi ule, %0, %pos : index
    %2 = arith.select %1, %a, %low : f32
    linalg.yield %2 : f32
  } -> tensor<2x16xf32>
  %lows = arith.constant dense<0xFF800000> : tensor<2xf32>
  %m = linalg.reduce { arith.maximumf } ins(%seen : tensor<2x16xf32>) outs(%lows : tensor<2xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%seen, %m : tensor<2x16xf32>, tensor<2xf32>) outs(%e : tensor<2x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x16xf32>
  %z = arith.constant dense<0.0> : tensor<2xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<2x16xf32>) outs(%z : tensor<2xf32>) dimensions = [1]
  %zo = arith.constant dense<0.0> : tensor<2x8xf32>
  %o = linalg.generic {indexing_maps = [#bt, #btd, #bd], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p, %values : tensor<2x16xf32>, tensor<2x16x8xf32>) outs(%zo : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %eo = tensor.empty() : tensor<2x8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%o, %l : tensor<2x8xf32>, tensor<2xf32>) outs(%eo : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x8xf32>
  return %y, %keys, %values : tensor<2x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>
}
