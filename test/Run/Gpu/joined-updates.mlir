// Moments and weights in one op and kernel, in place, where the gradient lies the other way; uneven shards and an axis of size 1.
// RUN: shard-run %s --verify --mesh=x=3
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=sm_90a" --verify --mesh=x=1 --counters=%t.json | FileCheck %s
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=sm_90a" --verify --mesh=x=3
// CHECK:     main_generic_transpose
// CHECK-NOT: main_generic
shardir.mesh @m <["x"=?]>
#t = affine_map<(i, j) -> (j, i)>
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%m: tensor<70x96xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %v: tensor<70x96xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %w: tensor<70x96xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %g: tensor<96x70xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<70x96xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<70x96xf32> {shardir.alias = 1 : i64, shardir.in_place}, tensor<70x96xf32> {shardir.alias = 2 : i64}) {
  %e = tensor.empty() : tensor<70x96xf32>
  %c = arith.constant 0.9 : f32
  %eps = arith.constant 1.0e-3 : f32
  %m1 = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%m, %g : tensor<70x96xf32>, tensor<96x70xbf16>) outs(%e : tensor<70x96xf32>) {
  ^bb0(%x: f32, %y: bf16, %o: f32):
    %wide = arith.extf %y : bf16 to f32
    %old = arith.mulf %x, %c : f32
    %new = arith.addf %old, %wide : f32
    linalg.yield %new : f32
  } -> tensor<70x96xf32>
  %v1 = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%v, %g : tensor<70x96xf32>, tensor<96x70xbf16>) outs(%e : tensor<70x96xf32>) {
  ^bb0(%x: f32, %y: bf16, %o: f32):
    %wide = arith.extf %y : bf16 to f32
    %sq = arith.mulf %wide, %wide : f32
    %ax = math.absf %x : f32
    %old = arith.mulf %ax, %c : f32
    %new = arith.addf %old, %sq : f32
    linalg.yield %new : f32
  } -> tensor<70x96xf32>
  %w1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%m1, %v1, %w : tensor<70x96xf32>, tensor<70x96xf32>, tensor<70x96xf32>) outs(%e : tensor<70x96xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %root = math.sqrt %y : f32
    %d = arith.addf %root, %eps : f32
    %q = arith.divf %x, %d : f32
    %new = arith.subf %z, %q : f32
    linalg.yield %new : f32
  } -> tensor<70x96xf32>
  return %m1, %v1, %w1 : tensor<70x96xf32>, tensor<70x96xf32>, tensor<70x96xf32>
}
