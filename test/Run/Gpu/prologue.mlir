// The op that makes a product's operand runs where its tiles are loaded, if that is cheaper, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{options} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CACHE_DIR=%t.cache shard-run %s --device=cuda-local --options="arch=host explain %{options}" --verify --function=%{function} 2>&1 | FileCheck %s --check-prefix=%{function}
// RUN: rm -rf %t.cache
// REDEFINE: %{options} = schedule=mma_matmul
// REDEFINE: %{function} = dequantised
// RUN: %{run}
// REDEFINE: %{function} = cast
// RUN: %{run}
// REDEFINE: %{function} = overwritten
// RUN: %{run}

// Weights of a byte, scaled by column.
// dequantised: is scheduled by mma_matmul (mma.sync{{.*}}, elementwise op before it fused)
// dequantised: equal to the unsharded program
func.func @dequantised(%a: tensor<20x136xbf16>, %w: tensor<136x72xi8>, %s: tensor<72xf32>) -> tensor<20x72xf32> {
  %e = tensor.empty() : tensor<136x72xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<136x72xi8>, tensor<72xf32>) outs(%e : tensor<136x72xbf16>) {
  ^bb0(%x: i8, %y: f32, %o: bf16):
    %1 = arith.sitofp %x : i8 to f32
    %2 = arith.mulf %1, %y : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<136x72xbf16>
  %z = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<20x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<20x72xf32>) -> tensor<20x72xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<20x136xbf16>, tensor<136x72xbf16>) outs(%f : tensor<20x72xf32>) -> tensor<20x72xf32>
  return %0 : tensor<20x72xf32>
}

// A transposed, bent operand of a batch in f32; dims that are one in memory for the product.
// cast: is scheduled by mma_matmul (fma{{.*}}, elementwise op before it fused)
// cast: equal to the unsharded program
func.func @cast(%a: tensor<40x3x5x20xf32>, %b: tensor<40x33xf32>) -> tensor<3x5x20x33xf32> {
  %e = tensor.empty() : tensor<3x5x20x40xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j, m, k) -> (k, i, j, m)>, affine_map<(i, j, m, k) -> (i, j, m, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<40x3x5x20xf32>) outs(%e : tensor<3x5x20x40xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.tanh %p : f32
    linalg.yield %1 : f32
  } -> tensor<3x5x20x40xf32>
  %z = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<3x5x20x33xf32>
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<3x5x20x33xf32>) -> tensor<3x5x20x33xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, m, n, k) -> (i, j, m, k)>, affine_map<(i, j, m, n, k) -> (k, n)>, affine_map<(i, j, m, n, k) -> (i, j, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %b : tensor<3x5x20x40xf32>, tensor<40x33xf32>) outs(%f : tensor<3x5x20x33xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<3x5x20x33xf32>
  return %0 : tensor<3x5x20x33xf32>
}

// The operand is read a second time: it is made once, by itself.
// overwritten-NOT: before it fused
// overwritten: equal to the unsharded program
func.func @overwritten(%a: tensor<20x64xf32>, %b: tensor<64x32xf16>) -> (tensor<20x32xf32>, tensor<20x64xf16>) {
  %e = tensor.empty() : tensor<20x64xf16>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<20x64xf32>) outs(%e : tensor<20x64xf16>) {
  ^bb0(%p: f32, %o: f16):
    %1 = arith.truncf %p : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<20x64xf16>
  %z = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<20x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<20x32xf32>) -> tensor<20x32xf32>
  %0 = linalg.matmul ins(%x, %b : tensor<20x64xf16>, tensor<64x32xf16>) outs(%f : tensor<20x32xf32>) -> tensor<20x32xf32>
  return %0, %x : tensor<20x32xf32>, tensor<20x64xf16>
}
