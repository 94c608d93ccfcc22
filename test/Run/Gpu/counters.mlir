// The emulated GPU counts the instructions and accesses of kernels.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=%{function} --counters=%t.json
// DEFINE: %{check} = %python %S/Inputs/check-counters.py %t.json

// Kernels bound by bandwidth: the bytes are those of operands and results.
// REDEFINE: %{function} = gelu
// RUN: %{run} --options="arch=sm_90a" --verify | FileCheck %s --check-prefix=TABLE
// RUN: %{check} --bytes=1050624 --coalesced --no-conflicts
// The L2 cache has each of the bias's 64 sectors for 255 of 256 rows. A cache of 32 sectors has none of them when the
// next row needs it: 1024 requests of 512 bytes.
// RUN: %{check} --l2_hits=16320 --dram_read_bytes=526336 --dram_written_bytes=524288
// RUN: env SHARDIR_EMULATED_CUDA=cache=1024 %{run} --options="arch=sm_90a"
// RUN: %{check} --l2_hits=0 --dram_read_bytes=1048576 --dram_written_bytes=524288
// Four elements a thread, 16 bytes of f32: eight of them would be written by half sectors.
// REDEFINE: %{function} = momentum
// RUN: %{run} --options="arch=sm_90a" --verify
// RUN: %{check} --kernels=1 --bytes=1179648 --coalesced --no-conflicts
// REDEFINE: %{function} = transposed
// RUN: %{run} --options="arch=sm_80" --verify
// RUN: %{check} --bytes=524288 --coalesced --no-conflicts

// Chains over rows are one kernel: each byte is read and written once.
// REDEFINE: %{function} = softmax
// RUN: %{run} --options="arch=sm_80" --verify
// RUN: %{check} --kernels=1 --bytes=524288 --coalesced --no-conflicts
// RUN: %{run} --options="arch=sm_90a" --verify
// RUN: %{check} --kernels=1 --bytes=524288 --coalesced --no-conflicts
// A thread has eight elements of a row of bf16, so 32 bytes of f32 factors by two accesses, half of its sectors each.
// REDEFINE: %{function} = layer_norm
// RUN: %{run} --options="arch=sm_80" --verify
// RUN: %{check} --kernels=1 --bytes=270336 --no-conflicts
// RUN: %{run} --options="arch=sm_90a" --verify
// RUN: %{check} --kernels=1 --bytes=270336 --no-conflicts

// Products: swizzled tiles have no conflicts. Threads store their parts of the
// results as mma.sync and wgmma leave them, half sectors; TMA stores boxes.
// REDEFINE: %{function} = product
// RUN: %{run} --options="arch=sm_80 schedule=mma_matmul" --verify
// RUN: %{check} --no-conflicts --tensor-flops=33554432
// Rows of f32 along k, which are turned on their way: four rows of 8 for each warp.
// REDEFINE: %{function} = product_f32
// RUN: %{run} --options="arch=sm_90a plan=tile_m=64" --verify
// RUN: %{check} --no-conflicts
// REDEFINE: %{function} = product
// 64 blocks of 4 warps wait for two steps of 128 of k, which are copied together: for the second one while a warp
// multiplies 16 x 16 x 128 for the first one.
// RUN: %{run} --options="arch=sm_80 schedule=mma_matmul plan=tile_m=32,tile_n=32,tile_k=128,splits=1" --verify
// RUN: %{check} --no-conflicts --copy_waits=512 --copy_distance_flops=16777216
// RUN: %{run} --options="arch=sm_90a schedule=wgmma_matmul" --verify
// RUN: %{check} --no-conflicts --tensor-flops=33554432
// RUN: %{run} --options="arch=sm_90a schedule=ws_gemm" --verify
// RUN: %{check} --coalesced --no-conflicts --tensor-flops=33554432

// Two blocks of a cluster have the same columns, of which each copies half for both: 128 KiB of A, as often as there are
// tiles of 128 columns, 128 KiB of B for each pair of tiles of 64 rows, and the result.
// RUN: %{run} --options="arch=sm_90a schedule=ws_gemm plan=tile_m=64,splits=1" --verify
// RUN: %{check} --kernels=1 --coalesced --no-conflicts --tensor-flops=33554432 --global_bytes=655360

// Sums in tensor memory leave it by whole boxes.
// RUN: env SHARDIR_EMULATED_CUDA=capability=100 %{run} --options="arch=sm_100a schedule=tcgen05_gemm" --verify | FileCheck %s --check-prefix=TENSORS
// RUN: %{check} --kernels=1 --bytes=393216 --coalesced --no-conflicts --tensor-flops=33554432
// TENSORS: product_matmul_tcgen05_256x256x256_bf16
// RUN: env SHARDIR_EMULATED_CUDA=capability=100 %{run} --options="arch=sm_100a schedule=tcgen05_gemm plan=tile_n=256" --verify
// RUN: %{check} --kernels=1 --bytes=393216 --coalesced --no-conflicts --tensor-flops=33554432

// By pairs of blocks of a cluster.
// RUN: env SHARDIR_EMULATED_CUDA=capability=100 %{run} --options="arch=sm_100a schedule=tcgen05_gemm plan=tile_m=256,tile_n=256" --verify
// RUN: %{check} --kernels=1 --bytes=393216 --coalesced --no-conflicts --tensor-flops=33554432

// Few rows: one kernel, which reads the weights once.
// REDEFINE: %{function} = few_rows
// RUN: %{run} --options="arch=sm_90a plan=tile_m=32,tile_n=32,tile_k=128,splits=1 schedule=mma_matmul" --verify
// RUN: %{check} --kernels=1 --bytes=557056 --no-conflicts
// RUN: %{run} --options="arch=sm_80 plan=tile_m=64,tile_n=32,tile_k=128,splits=1 schedule=mma_matmul" --verify
// RUN: %{check} --kernels=1 --bytes=557056 --no-conflicts

// Of 8-bit floats, too: no second kernel adds parts of sums.
// REDEFINE: %{function} = few_rows_f8
// RUN: %{run} --options="arch=sm_90a machine=h200x8 plan=tile_n=32" --verify | FileCheck %s --check-prefix=FEW
// RUN: %{check} --kernels=1 --bytes=573440 --no-conflicts
// FEW: few_rows_f8_matmul_mma_16x512x1024_f8E4M3FN

// REDEFINE: %{function} = product
// RUN: %{run} --options="arch=sm_90a schedule=ws_gemm plan=tile_m=128,tile_n=64" --verify
// wgmma reads 16 matrices of A and 16 of B for each of two warpgroups, tiles and steps.
// RUN: FileCheck %s --check-prefix=READS < %t.json
// READS: wgmma.mma_async.sync.aligned.m64n64k16{{.*}}"shared_wavefronts": 512, "bank_conflicts": 0

// Counts by line of this file, and an estimate for a machine.
// RUN: shard-compile %s --function=product --gpu --options="arch=sm_90a machine=h100x8 schedule=ws_gemm plan=tile_m=128,tile_n=64 ptxas=none" -o %t.so --report=%t.report.json
// RUN: %python %shardir_src/utils/print-counters.py %t.json %t.report.json --sources | FileCheck %s --check-prefix=ROOFLINE
// ROOFLINE:      kernel {{ *}}us {{ *}}bound by {{ *}}memory {{ *}}matrix {{ *}}issue {{ *}}shared {{ *}}sectors/least {{ *}}conflicts
// ROOFLINE-NEXT: product_matmul_ws_256x256x256_bf16 {{ *}}[[US:[0-9.]+]] {{ *}}shared {{ *}}{{[0-9.]+}} {{ *}}{{[0-9.]+}} {{ *}}{{[0-9.]+}} {{ *}}[[US]] {{ *}}1.00 {{ *}}0 {{ *}}2 {{ *}}?
// ROOFLINE:      source {{ *}}kernel {{ *}}instructions {{ *}}sectors {{ *}}least {{ *}}conflicts
// ROOFLINE: {{.*}}counters.mlir:{{[0-9]+}} {{ *}}product_
// RUN: not %python %shardir_src/utils/print-counters.py %t.json %t.json 2>&1 | FileCheck %s --check-prefix=NOREPORT
// NOREPORT: error: '{{.*}}' has no 'gpu'

// TABLE: kernel {{.*}} global bytes  sectors/least  conflicts  barriers    DRAM bytes  copy distance
// TABLE: gelu_generic_elementwise_256x1024_bf16 {{.*}} 1.00 {{ *}}0 {{ *}}0 {{ *}}1050624 {{ *}}0

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

func.func @momentum(%w: tensor<256x256xf32>, %m: tensor<256x256xf32>, %g: tensor<256x256xbf16>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %keep = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %m, %g : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xbf16>) outs(%e, %e : tensor<256x256xf32>, tensor<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %d: bf16, %o: f32, %p: f32):
    %1 = arith.extf %d : bf16 to f32
    %2 = arith.mulf %y, %keep : f32
    %3 = arith.addf %2, %1 : f32
    %4 = arith.subf %x, %3 : f32
    linalg.yield %4, %3 : f32, f32
  } -> (tensor<256x256xf32>, tensor<256x256xf32>)
  return %0#0, %0#1 : tensor<256x256xf32>, tensor<256x256xf32>
}

func.func @product(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %e = tensor.empty() : tensor<256x256xbf16>
  %z = arith.constant 0.0 : bf16
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%f : tensor<256x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}

func.func @product_f32(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %e = tensor.empty() : tensor<256x256xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

func.func @few_rows(%a: tensor<16x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<16x512xbf16> {
  %e = tensor.empty() : tensor<16x512xbf16>
  %z = arith.constant 0.0 : bf16
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<16x512xbf16>) -> tensor<16x512xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<16x512xbf16>, tensor<512x512xbf16>) outs(%f : tensor<16x512xbf16>) -> tensor<16x512xbf16>
  return %0 : tensor<16x512xbf16>
}

func.func @few_rows_f8(%a: tensor<16x1024xf8E4M3FN>, %b: tensor<512x1024xf8E4M3FN>) -> tensor<16x512xf32> {
  %e = tensor.empty() : tensor<16x512xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x512xf32>) -> tensor<16x512xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<16x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>) outs(%f : tensor<16x512xf32>) -> tensor<16x512xf32>
  return %0 : tensor<16x512xf32>
}

func.func @transposed(%a: tensor<256x512xbf16>) -> tensor<512x256xbf16> {
  %e = tensor.empty() : tensor<512x256xbf16>
  %0 = linalg.transpose ins(%a : tensor<256x512xbf16>) outs(%e : tensor<512x256xbf16>) permutation = [1, 0]
  return %0 : tensor<512x256xbf16>
}

func.func @softmax(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %e = tensor.empty() : tensor<64x1024xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}

func.func @layer_norm(%x: tensor<64x1024xbf16>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<64x1024xbf16> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 1024.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %z1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x1024xbf16>) outs(%z1 : tensor<64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %n : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %square = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<64x1024xbf16>, tensor<64xf32>) outs(%z1 : tensor<64xf32>) {
  ^bb0(%a: bf16, %m: f32, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  %scale = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%square : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x1024xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale, %g, %b : tensor<64x1024xbf16>, tensor<64xf32>, tensor<64xf32>, tensor<1024xf32>, tensor<1024xf32>)
      outs(%e2 : tensor<64x1024xbf16>) {
  ^bb0(%a: bf16, %m: f32, %s: f32, %gamma: f32, %beta: f32, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.mulf %2, %gamma : f32
    %4 = arith.addf %3, %beta : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<64x1024xbf16>
  return %y : tensor<64x1024xbf16>
}
