// What kernels execute and access, as the emulated GPU counts it.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=%{function} --counters=%t.json
// DEFINE: %{check} = %python %S/Inputs/check-counters.py %t.json

// Kernels bound by bandwidth: the bytes are those of operands and results.
// REDEFINE: %{function} = gelu
// RUN: %{run} --options="arch=sm_90a" --verify | FileCheck %s --check-prefix=TABLE
// RUN: %{check} --bytes=1050624 --coalesced --no-conflicts
// REDEFINE: %{function} = transposed
// RUN: %{run} --options="arch=sm_80" --verify
// RUN: %{check} --bytes=524288 --coalesced --no-conflicts

// Products: swizzled tiles have no conflicts. Threads store their parts of the
// results as mma.sync and wgmma leave them, half sectors; TMA stores boxes.
// REDEFINE: %{function} = product
// RUN: %{run} --options="arch=sm_80 schedule=mma_matmul" --verify
// RUN: %{check} --no-conflicts --tensor-flops=33554432
// RUN: %{run} --options="arch=sm_90a schedule=wgmma_matmul" --verify
// RUN: %{check} --no-conflicts --tensor-flops=33554432
// RUN: %{run} --options="arch=sm_90a schedule=ws_gemm" --verify
// RUN: %{check} --coalesced --no-conflicts --tensor-flops=33554432

// TABLE: kernel {{.*}} global bytes  sectors/least  conflicts  barriers
// TABLE: gelu_generic_elementwise {{.*}} 1.00 {{ *}}0 {{ *}}0

// REDEFINE: %{function} = gelu
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda not shard-run %s --device=cuda-local --function=gelu --counters=%t.json --options="arch=host" 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: --counters: no kernel ran as PTX; compile for a GPU
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda not shard-run %s --function=gelu --counters=%t.json 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: --counters are those of the emulated GPU: add --device=cuda-local in place of --device=threads

func.func @gelu(%a: tensor<256x1024xbf16>, %b: tensor<1024xbf16>) -> tensor<256x1024xbf16> {
  %e = tensor.empty() : tensor<256x1024xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<256x1024xbf16>, tensor<1024xbf16>) outs(%e : tensor<256x1024xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.addf %1, %2 : f32
    %4 = math.tanh %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<256x1024xbf16>
  return %0 : tensor<256x1024xbf16>
}

func.func @product(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %e = tensor.empty() : tensor<256x256xbf16>
  %z = arith.constant 0.0 : bf16
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%f : tensor<256x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}

func.func @transposed(%a: tensor<256x512xbf16>) -> tensor<512x256xbf16> {
  %e = tensor.empty() : tensor<512x256xbf16>
  %0 = linalg.transpose ins(%a : tensor<256x512xbf16>) outs(%e : tensor<512x256xbf16>) permutation = [1, 0]
  return %0 : tensor<512x256xbf16>
}
