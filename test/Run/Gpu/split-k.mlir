// Products whose reduction is shared by several blocks, on an emulated GPU: a second kernel adds their sums and
// finishes C.
// DEFINE: %{function} =
// DEFINE: %{schedule} = mma_matmul
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CACHE_DIR=%t.cache shard-run %s --device=cuda-local --options="arch=host explain schedule=%{schedule}" --verify --function=%{function} 2>&1 | FileCheck %s --check-prefix=%{function}
// RUN: rm -rf %t.cache
// REDEFINE: %{function} = fma
// RUN: %{run}
// REDEFINE: %{function} = fused
// RUN: %{run}
// REDEFINE: %{function} = added
// RUN: %{run}
// REDEFINE: %{schedule} = wgmma_matmul
// REDEFINE: %{function} = fused
// RUN: %{run}
// REDEFINE: %{function} = added
// RUN: %{run}

// fma: remark: linalg.matmul is scheduled by mma_matmul ({{.*}}, k shared by {{[0-9]+}} blocks)
// fma: equal to the unsharded program
func.func @fma(%a: tensor<5x3000xf32>, %b: tensor<3000x67xf32>) -> tensor<5x67xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x67xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x67xf32>) -> tensor<5x67xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x3000xf32>, tensor<3000x67xf32>) outs(%f : tensor<5x67xf32>) -> tensor<5x67xf32>
  return %0 : tensor<5x67xf32>
}

// The op behind it runs where the sums meet.
// fused: remark: linalg.batch_matmul is scheduled by {{(mma|wgmma)_matmul}} ({{.*}}, k shared by {{[0-9]+}} blocks, elementwise op behind it fused)
// fused: equal to the unsharded program
func.func @fused(%a: tensor<2x70x3000xbf16>, %b: tensor<2x3000x64xbf16>, %bias: tensor<64xf32>) -> tensor<2x70x64xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x70x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x70x64xf32>) -> tensor<2x70x64xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x70x3000xbf16>, tensor<2x3000x64xbf16>) outs(%f : tensor<2x70x64xf32>) -> tensor<2x70x64xf32>
  %g = tensor.empty() : tensor<2x70x64xbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<2x70x64xf32>, tensor<64xf32>) outs(%g : tensor<2x70x64xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %2 = arith.addf %x, %y : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2x70x64xbf16>
  return %1 : tensor<2x70x64xbf16>
}

// On top of what C holds; rows of an odd number of elements, no 16-byte accesses, a last block with fewer steps.
// added: remark: linalg.matmul is scheduled by {{(mma|wgmma)_matmul}} ({{.*}}, k shared by {{[0-9]+}} blocks{{.*}})
// added: equal to the unsharded program
func.func @added(%a: tensor<40x1030xf16>, %b: tensor<1030x33xf16>, %c: tensor<40x33xf16>) -> tensor<40x33xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<40x1030xf16>, tensor<1030x33xf16>) outs(%c : tensor<40x33xf16>) -> tensor<40x33xf16>
  return %0 : tensor<40x33xf16>
}
