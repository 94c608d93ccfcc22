// Before sm_89 matrix units do not multiply 8-bit floats: these are widened to 16 bits, exactly, and the product is one of those.
// DEFINE: %{function} =
// DEFINE: %{arch} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=capability=86 shard-run %s --device=cuda-local --function=%{function} --options="arch=%{arch} explain schedule=mma_matmul" %{inputs} --verify 2>&1 | FileCheck %s --check-prefix=%{function}
// REDEFINE: %{arch} = sm_86
// REDEFINE: %{function} = few_rows
// RUN: %{run}
// REDEFINE: %{function} = halves
// REDEFINE: %{inputs} = --input=40x96xf8E5M2 --input=96x83xf8E5M2
// RUN: %{run}
// REDEFINE: %{arch} = compute_80
// RUN: %{run}
// From sm_89 on nothing is widened.
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_89 explain ptxas=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNITS --implicit-check-not="scheduled by elementwise" --implicit-check-not="before it fused"
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_90a explain ptxas=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNITS --implicit-check-not="scheduled by elementwise" --implicit-check-not="before it fused"
// UNITS: linalg.matmul is scheduled by

// The weights are widened where the product loads them: their kernel, and their copy of 16 bits, are gone.
// few_rows: is scheduled by mma_matmul (mma.sync, {{.*}}elementwise op before it fused
// few_rows: equal to the unsharded program
func.func @few_rows(%a: tensor<16x256xf8E4M3FN>, %b: tensor<192x256xf8E4M3FN>) -> tensor<16x192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x192xf32>) -> tensor<16x192xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<16x256xf8E4M3FN>, tensor<192x256xf8E4M3FN>) outs(%f : tensor<16x192xf32>) -> tensor<16x192xf32>
  return %0 : tensor<16x192xf32>
}

// Products and sums in f16; extents that are not known.
// halves: is scheduled by mma_matmul (mma.sync
// halves: equal to the unsharded program
func.func @halves(%a: tensor<?x96xf8E5M2>, %b: tensor<96x?xf8E5M2>) -> tensor<?x?xf16> {
  %z = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x96xf8E5M2>
  %n = tensor.dim %b, %c1 : tensor<96x?xf8E5M2>
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<?x96xf8E5M2>, tensor<96x?xf8E5M2>) outs(%f : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
