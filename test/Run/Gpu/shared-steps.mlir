// Tiles of 64 rows, whose steps two warpgroups share: as PTX, by as many blocks as there are tiles, and by few that stay.
// Two blocks copy columns for each other where rows are pairs of tiles.
// DEFINE: %{function} =
// DEFINE: %{blocks} = 132
// DEFINE: %{plan} = tile_m=64
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=multiprocessors=%{blocks} shard-run %s --device=cuda-local --function=%{function} --options="arch=sm_90a schedule=ws_gemm plan=%{plan}" --verify
// REDEFINE: %{function} = rows
// RUN: %{run}
// REDEFINE: %{blocks} = 3
// RUN: %{run}
// REDEFINE: %{plan} = tile_m=64,splits=2
// RUN: %{run}
// REDEFINE: %{plan} = tile_m=64
// REDEFINE: %{function} = both
// RUN: %{run}
// REDEFINE: %{function} = f8
// RUN: %{run}
// REDEFINE: %{function} = batch
// RUN: %{run}
// REDEFINE: %{function} = ragged
// RUN: %{run}
// On the host there are no clusters. utils/gpu-check.sh takes these lines to a card, where there are.
// DEFINE: %{host} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=%{function} --options="arch=host schedule=ws_gemm plan=tile_m=64" --verify
// RUN: %{host}
// REDEFINE: %{function} = rows
// RUN: %{host}
// REDEFINE: %{function} = both
// RUN: %{host}
// REDEFINE: %{function} = f8
// RUN: %{host}
// REDEFINE: %{function} = batch
// RUN: %{host}
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_90a ptxas=none explain schedule=ws_gemm plan=tile_m=64" -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-4: is scheduled by ws_gemm ({{.*}}, tile 64x128x{{.*}}, columns copied for two blocks
// CHECK-NOT: columns copied for two blocks

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#w = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @rows(%a: tensor<384x200xbf16>, %b: tensor<200x264xbf16>) -> tensor<384x264xbf16> {
  %e = tensor.empty() : tensor<384x264xbf16>
  %z = arith.constant 0.0 : bf16
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<384x264xbf16>) -> tensor<384x264xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<384x200xbf16>, tensor<200x264xbf16>) outs(%f : tensor<384x264xbf16>) -> tensor<384x264xbf16>
  return %0 : tensor<384x264xbf16>
}
func.func @both(%a: tensor<200x384xf16>, %b: tensor<264x200xf16>) -> tensor<384x264xf32> {
  %e = tensor.empty() : tensor<384x264xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<384x264xf32>) -> tensor<384x264xf32>
  %0 = linalg.matmul indexing_maps = [#at, #w, #c] ins(%a, %b : tensor<200x384xf16>, tensor<264x200xf16>) outs(%f : tensor<384x264xf32>) -> tensor<384x264xf32>
  return %0 : tensor<384x264xf32>
}
func.func @f8(%a: tensor<256x400xf8E4M3FN>, %b: tensor<264x400xf8E4M3FN>) -> tensor<256x264xf32> {
  %e = tensor.empty() : tensor<256x264xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x264xf32>) -> tensor<256x264xf32>
  %0 = linalg.matmul indexing_maps = [#a, #w, #c] ins(%a, %b : tensor<256x400xf8E4M3FN>, tensor<264x400xf8E4M3FN>) outs(%f : tensor<256x264xf32>) -> tensor<256x264xf32>
  return %0 : tensor<256x264xf32>
}
func.func @batch(%a: tensor<3x128x40xbf16>, %b: tensor<3x40x136xbf16>) -> tensor<3x128x136xf32> {
  %e = tensor.empty() : tensor<3x128x136xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x128x136xf32>) -> tensor<3x128x136xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x128x40xbf16>, tensor<3x40x136xbf16>) outs(%f : tensor<3x128x136xf32>) -> tensor<3x128x136xf32>
  return %0 : tensor<3x128x136xf32>
}

// No pairs: three tiles of rows, the last one of which ends early; one step.
func.func @ragged(%a: tensor<150x40xbf16>, %b: tensor<40x136xbf16>) -> tensor<150x136xbf16> {
  %e = tensor.empty() : tensor<150x136xbf16>
  %z = arith.constant 0.0 : bf16
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<150x136xbf16>) -> tensor<150x136xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<150x40xbf16>, tensor<40x136xbf16>) outs(%f : tensor<150x136xbf16>) -> tensor<150x136xbf16>
  return %0 : tensor<150x136xbf16>
}
