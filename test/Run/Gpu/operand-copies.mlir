// Operands that vectors cannot read are copied first: rows that are no multiple of 16 bytes, and bytes along the wrong
// dim. Their products then come by TMA, or by copies of 16 bytes.
// DEFINE: %{function} =
// DEFINE: %{options} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=%{function} --options="explain %{options}" --verify --counters=%t.json 2>&1 | FileCheck %s --check-prefix=COPIES
// DEFINE: %{check} = %python %S/Inputs/check-counters.py %t.json
// COPIES: operand copied into aligned rows

// REDEFINE: %{function} = ragged
// REDEFINE: %{options} = arch=sm_90a schedule=ws_gemm
// RUN: %{run}
// RUN: %{check} --kernels=3 --no-conflicts
// REDEFINE: %{options} = arch=sm_90a schedule=wgmma_matmul plan=copies=2
// RUN: %{run}
// REDEFINE: %{options} = arch=sm_80 schedule=mma_matmul plan=copies=2
// RUN: %{run}
// RUN: %{check} --kernels=3 --no-conflicts
// REDEFINE: %{function} = layers
// RUN: %{run}
// REDEFINE: %{options} = arch=sm_90a schedule=ws_gemm
// RUN: %{run}
// Sixteen bytes at a time are turned by words of four.
// REDEFINE: %{function} = e4m3_by_rows
// RUN: %{run}
// RUN: %{check} --kernels=2 --coalesced --no-conflicts
// REDEFINE: %{function} = open
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=open --options="arch=sm_90a schedule=ws_gemm" --verify --input=40x96xf8E4M3FN --input=96x80xf8E4M3FN
// Where there is no call for it nothing is copied: the launch costs more.
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=ragged --options="explain arch=sm_80 schedule=mma_matmul" --verify 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not="copied into"
// NONE: is scheduled by mma_matmul
// Of large operands the elements are worth it.
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_90a explain ptxas=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: linalg.matmul is scheduled by ws_gemm ({{.*}}first operand copied into aligned rows, second operand copied into aligned rows{{.*}}; next best is wgmma_matmul

func.func @ragged(%a: tensor<150x77xbf16>, %b: tensor<77x90xbf16>) -> tensor<150x90xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<150x90xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<150x90xf32>) -> tensor<150x90xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<150x77xbf16>, tensor<77x90xbf16>) outs(%f : tensor<150x90xf32>) -> tensor<150x90xf32>
  return %0 : tensor<150x90xf32>
}

// Two loops of rows and of k are one each, in the copies too; C is added to, and a bias behind.
func.func @layers(%a: tensor<2x5x30x3x23xf16>, %b: tensor<2x50x3x23xf16>, %c: tensor<2x5x30x50xf16>, %d: tensor<50xf16>) -> tensor<2x5x30x50xf16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, x, y, n, k, l) -> (b, x, y, k, l)>, affine_map<(b, x, y, n, k, l) -> (b, n, k, l)>, affine_map<(b, x, y, n, k, l) -> (b, x, y, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<2x5x30x3x23xf16>, tensor<2x50x3x23xf16>) outs(%c : tensor<2x5x30x50xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %1 = arith.mulf %x, %y : f16
    %2 = arith.addf %o, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<2x5x30x50xf16>
  %e = tensor.empty() : tensor<2x5x30x50xf16>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, x, y, n) -> (b, x, y, n)>, affine_map<(b, x, y, n) -> (n)>, affine_map<(b, x, y, n) -> (b, x, y, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %d : tensor<2x5x30x50xf16>, tensor<50xf16>) outs(%e : tensor<2x5x30x50xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %1 = arith.addf %x, %y : f16
    linalg.yield %1 : f16
  } -> tensor<2x5x30x50xf16>
  return %3 : tensor<2x5x30x50xf16>
}

func.func @e4m3_by_rows(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x128xf8E4M3FN>) -> tensor<128x128xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<128x256xf8E4M3FN>, tensor<256x128xf8E4M3FN>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %o: f32):
    %1 = arith.extf %x : f8E4M3FN to f32
    %2 = arith.extf %y : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<128x128xf32>
  %g = tensor.empty() : tensor<128x128xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<128x128xf32>) outs(%g : tensor<128x128xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %1 = arith.truncf %x : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<128x128xbf16>
  return %5 : tensor<128x128xbf16>
}

func.func @open(%a: tensor<?x96xf8E4M3FN>, %b: tensor<96x?xf8E4M3FN>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x96xf8E4M3FN>
  %n = tensor.dim %b, %c1 : tensor<96x?xf8E4M3FN>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x96xf8E4M3FN>, tensor<96x?xf8E4M3FN>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @large(%a: tensor<4097x4097xbf16>, %b: tensor<4097x4097xbf16>) -> tensor<4097x4097xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4097x4097xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4097x4097xf32>) -> tensor<4097x4097xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4097x4097xbf16>, tensor<4097x4097xbf16>) outs(%f : tensor<4097x4097xf32>) -> tensor<4097x4097xf32>
  return %0 : tensor<4097x4097xf32>
}
