// Products of bf16 with what follows them in the same loops: bias, activation and a cast, and a residual behind several
// blocks of k. Elements are small integers, so that sums are exact: results are those of loops that widen them first.
// Sums in bf16 are rounded before what follows them.
// Ranks have uneven shards.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy
// DEFINE: %{expected} = --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --tolerance=0
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512-bf16 %{expected}
// RUN: shard-run %s --mesh=x=2,y=2 --options=target=avx512-bf16 %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=1,y=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2,y=2 --options=target=avx512-amx %{expected}
shardir.mesh @m <["x"=?1, "y"=?1]>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

func.func @main(%ai: tensor<66x70xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %bi: tensor<70x90xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %bias: tensor<90xi8>,
                %ci: tensor<66x2100xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %di: tensor<2100x90xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %rest: tensor<66x90xi8>)
    -> (tensor<66x90xbf16>, tensor<66x90xf32>, tensor<66x90xf32>) {
  %zero = arith.constant 0.0 : f32
  %fa = arith.sitofp %ai : tensor<66x70xi8> to tensor<66x70xbf16>
  %fb = arith.sitofp %bi : tensor<70x90xi8> to tensor<70x90xbf16>
  %ga = arith.sitofp %ci : tensor<66x2100xi8> to tensor<66x2100xbf16>
  %gb = arith.sitofp %di : tensor<2100x90xi8> to tensor<2100x90xbf16>
  %fe = tensor.empty() : tensor<66x90xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%fe : tensor<66x90xf32>) -> tensor<66x90xf32>
  %fp = linalg.matmul ins(%fa, %fb : tensor<66x70xbf16>, tensor<70x90xbf16>) outs(%fz : tensor<66x90xf32>) -> tensor<66x90xf32>
  %fo = tensor.empty() : tensor<66x90xbf16>
  %f = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
      ins(%fp, %bias : tensor<66x90xf32>, tensor<90xi8>) outs(%fo : tensor<66x90xbf16>) {
  ^bb0(%x: f32, %y: i8, %o: bf16):
    %w = arith.sitofp %y : i8 to f32
    %s = arith.addf %x, %w : f32
    %r = arith.maximumf %s, %zero : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<66x90xbf16>
  %ge = tensor.empty() : tensor<66x90xf32>
  %gz = linalg.fill ins(%zero : f32) outs(%ge : tensor<66x90xf32>) -> tensor<66x90xf32>
  %gp = linalg.matmul ins(%ga, %gb : tensor<66x2100xbf16>, tensor<2100x90xbf16>) outs(%gz : tensor<66x90xf32>) -> tensor<66x90xf32>
  %go = tensor.empty() : tensor<66x90xf32>
  %g = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%gp, %rest : tensor<66x90xf32>, tensor<66x90xi8>) outs(%go : tensor<66x90xf32>) {
  ^bb0(%x: f32, %y: i8, %o: f32):
    %w = arith.sitofp %y : i8 to f32
    %s = arith.addf %x, %w : f32
    linalg.yield %s : f32
  } -> tensor<66x90xf32>
  %zerob = arith.constant 0.0 : bf16
  %he = tensor.empty() : tensor<66x90xbf16>
  %hz = linalg.fill ins(%zerob : bf16) outs(%he : tensor<66x90xbf16>) -> tensor<66x90xbf16>
  %hp = linalg.matmul ins(%ga, %gb : tensor<66x2100xbf16>, tensor<2100x90xbf16>) outs(%hz : tensor<66x90xbf16>) -> tensor<66x90xbf16>
  %ho = tensor.empty() : tensor<66x90xf32>
  %h = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%hp, %rest : tensor<66x90xbf16>, tensor<66x90xi8>) outs(%ho : tensor<66x90xf32>) {
  ^bb0(%x: bf16, %y: i8, %o: f32):
    %v = arith.extf %x : bf16 to f32
    %w = arith.sitofp %y : i8 to f32
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<66x90xf32>
  return %f, %g, %h : tensor<66x90xbf16>, tensor<66x90xf32>, tensor<66x90xf32>
}
