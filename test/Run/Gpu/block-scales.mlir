// Products of 8-bit floats with a scale for each block of 128, forced on each schedule that takes them.
// DEFINE: %{function} =
// DEFINE: %{options} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=%{function} --options="explain %{options}" --verify --tolerance=0.02 2>&1 | FileCheck %s --check-prefix=%{function}
// REDEFINE: %{function} = weights
// REDEFINE: %{options} = arch=sm_90a schedule=ws_gemm
// RUN: %{run}
// REDEFINE: %{options} = arch=sm_90a schedule=wgmma_matmul
// RUN: %{run}
// REDEFINE: %{options} = arch=sm_80 schedule=mma_matmul
// RUN: %{run}
// REDEFINE: %{function} = both
// REDEFINE: %{options} = arch=sm_90a schedule=ws_gemm
// RUN: %{run}
// REDEFINE: %{options} = arch=sm_90a plan=tile_n=64,splits=2
// RUN: %{run}
// REDEFINE: %{options} = arch=sm_80
// RUN: %{run}
// REDEFINE: %{function} = columns
// REDEFINE: %{options} = arch=sm_90a plan=tile_n=128
// RUN: %{run}
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=columns --options="arch=sm_90a plan=tile_n=64" --counters=%t.json
// RUN: %python %S/Inputs/check-counters.py %t.json --kernels=1 --no-conflicts
// REDEFINE: %{function} = separate
// RUN: %{run}
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=separate --options="arch=sm_90a" --counters=%t.json
// RUN: %python %S/Inputs/check-counters.py %t.json --kernels=1 --no-conflicts
// REDEFINE: %{function} = small_blocks
// RUN: %{run}
// REDEFINE: %{function} = blocks_read
// RUN: %{run}
// On the host the sums of blocks are written. utils/gpu-check.sh takes these lines to a card.
// DEFINE: %{host} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --function=%{function} --options="arch=host" --verify --tolerance=0.02
// REDEFINE: %{function} = both
// RUN: %{host}
// REDEFINE: %{function} = columns
// RUN: %{host}
// REDEFINE: %{function} = separate
// RUN: %{host}

#w = affine_map<(kb, k, nb, n) -> (kb, k, nb, n)>
#ws = affine_map<(kb, k, nb, n) -> (kb, nb)>

// The product is one of bf16, the scaled weights an elementwise kernel before it.
// weights-DAG: linalg.matmul is scheduled by {{ws_gemm|wgmma_matmul|mma_matmul}} (
// weights-DAG: linalg.generic is scheduled by elementwise (
// weights: equal to the unsharded program
func.func @weights(%a: tensor<72x256xbf16>, %w: tensor<256x256xf8E4M3FN>, %s: tensor<2x2xf32>) -> tensor<72x256xbf16> {
  %z = arith.constant 0.0 : bf16
  %x = tensor.expand_shape %w [[0, 1], [2, 3]] output_shape [2, 128, 2, 128] : tensor<256x256xf8E4M3FN> into tensor<2x128x2x128xf8E4M3FN>
  %e = tensor.empty() : tensor<2x128x2x128xbf16>
  %d = linalg.generic {indexing_maps = [#w, #ws, #w], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<2x128x2x128xf8E4M3FN>, tensor<2x2xf32>) outs(%e : tensor<2x128x2x128xbf16>) {
  ^bb0(%v: f8E4M3FN, %scale: f32, %o: bf16):
    %1 = arith.extf %v : f8E4M3FN to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2x128x2x128xbf16>
  %b = tensor.collapse_shape %d [[0, 1], [2, 3]] : tensor<2x128x2x128xbf16> into tensor<256x256xbf16>
  %c = tensor.empty() : tensor<72x256xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%c : tensor<72x256xbf16>) -> tensor<72x256xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<72x256xbf16>, tensor<256x256xbf16>) outs(%f : tensor<72x256xbf16>) -> tensor<72x256xbf16>
  return %0 : tensor<72x256xbf16>
}

// Rows of activations and weights have a scale for each 128 of k, those of weights for each 128 rows.
// On sm_90a a kernel scales the sums of a block; elsewhere the product has a batch dim of blocks, and the sum over these a
// kernel of its own.
// both: is scheduled by {{ws_gemm \(.*scales of blocks of k|mma_matmul \(}}
// both: equal to the unsharded program
func.func @both(%a: tensor<72x256xf8E4M3FN>, %as: tensor<72x2xf32>, %b: tensor<256x256xf8E4M3FN>, %bs: tensor<2x2xf32>) -> tensor<72x256xbf16> {
  %z = arith.constant 0.0 : f32
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [72, 2, 128] : tensor<72x256xf8E4M3FN> into tensor<72x2x128xf8E4M3FN>
  %y = tensor.expand_shape %b [[0], [1, 2]] output_shape [256, 2, 128] : tensor<256x256xf8E4M3FN> into tensor<256x2x128xf8E4M3FN>
  %e = tensor.empty() : tensor<2x72x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x72x256xf32>) -> tensor<2x72x256xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(kb, m, n, k) -> (m, kb, k)>, affine_map<(kb, m, n, k) -> (n, kb, k)>, affine_map<(kb, m, n, k) -> (kb, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<72x2x128xf8E4M3FN>, tensor<256x2x128xf8E4M3FN>) outs(%f : tensor<2x72x256xf32>) {
  ^bb0(%u: f8E4M3FN, %v: f8E4M3FN, %o: f32):
    %1 = arith.extf %u : f8E4M3FN to f32
    %2 = arith.extf %v : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x72x256xf32>
  %blocks = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [2, 72, 2, 128] : tensor<2x72x256xf32> into tensor<2x72x2x128xf32>
  %e2 = tensor.empty() : tensor<72x2x128xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<72x2x128xf32>) -> tensor<72x2x128xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, nb, n, kb) -> (kb, m, nb, n)>, affine_map<(m, nb, n, kb) -> (m, kb)>, affine_map<(m, nb, n, kb) -> (nb, kb)>, affine_map<(m, nb, n, kb) -> (m, nb, n)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%blocks, %as, %bs : tensor<2x72x2x128xf32>, tensor<72x2xf32>, tensor<2x2xf32>) outs(%f2 : tensor<72x2x128xf32>) {
  ^bb0(%u: f32, %s: f32, %t: f32, %o: f32):
    %1 = arith.mulf %u, %s : f32
    %2 = arith.mulf %1, %t : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<72x2x128xf32>
  %flat = tensor.collapse_shape %sum [[0], [1, 2]] : tensor<72x2x128xf32> into tensor<72x256xf32>
  %e3 = tensor.empty() : tensor<72x256xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%flat : tensor<72x256xf32>) outs(%e3 : tensor<72x256xbf16>) {
  ^bb0(%u: f32, %o: bf16):
    %1 = arith.truncf %u : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<72x256xbf16>
  return %0 : tensor<72x256xbf16>
}

// A scale for each column, of bf16; blocks of two steps; rows, columns and tiles that end before the last one.
// columns: is scheduled by ws_gemm ({{.*}}scales of blocks of k, elementwise op behind it fused
// columns: equal to the unsharded program
func.func @columns(%a: tensor<200x768xf8E4M3FN>, %as: tensor<3x200xf32>, %b: tensor<168x768xf8E4M3FN>, %bs: tensor<168x3xbf16>) -> tensor<200x168xbf16> {
  %z = arith.constant 0.0 : f32
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [200, 3, 256] : tensor<200x768xf8E4M3FN> into tensor<200x3x256xf8E4M3FN>
  %y = tensor.expand_shape %b [[0], [1, 2]] output_shape [168, 3, 256] : tensor<168x768xf8E4M3FN> into tensor<168x3x256xf8E4M3FN>
  %e = tensor.empty() : tensor<3x200x168xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x200x168xf32>) -> tensor<3x200x168xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(kb, m, n, k) -> (m, kb, k)>, affine_map<(kb, m, n, k) -> (n, kb, k)>, affine_map<(kb, m, n, k) -> (kb, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<200x3x256xf8E4M3FN>, tensor<168x3x256xf8E4M3FN>) outs(%f : tensor<3x200x168xf32>) {
  ^bb0(%u: f8E4M3FN, %v: f8E4M3FN, %o: f32):
    %1 = arith.extf %u : f8E4M3FN to f32
    %2 = arith.extf %v : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x200x168xf32>
  %e2 = tensor.empty() : tensor<200x168xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<200x168xf32>) -> tensor<200x168xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n, kb) -> (kb, m, n)>, affine_map<(m, n, kb) -> (kb, m)>, affine_map<(m, n, kb) -> (n, kb)>, affine_map<(m, n, kb) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %as, %bs : tensor<3x200x168xf32>, tensor<3x200xf32>, tensor<168x3xbf16>) outs(%f2 : tensor<200x168xf32>) {
  ^bb0(%u: f32, %s: f32, %t: bf16, %o: f32):
    %1 = arith.extf %t : bf16 to f32
    %2 = arith.mulf %s, %1 : f32
    %3 = arith.mulf %2, %u : f32
    %4 = arith.addf %3, %o : f32
    linalg.yield %4 : f32
  } -> tensor<200x168xf32>
  %e3 = tensor.empty() : tensor<200x168xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<200x168xf32>) outs(%e3 : tensor<200x168xbf16>) {
  ^bb0(%u: f32, %o: bf16):
    %1 = arith.truncf %u : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<200x168xbf16>
  return %0 : tensor<200x168xbf16>
}

// Exporters write products with scales and the sum behind them as ops of their own.
// separate: is scheduled by ws_gemm ({{.*}}scales of blocks of k, elementwise op behind it fused
// separate: equal to the unsharded program
func.func @separate(%a: tensor<200x3x256xf8E4M3FN>, %as: tensor<3x200xf32>, %b: tensor<3x56x3x256xf8E4M3FN>, %bs: tensor<3x3xf32>) -> tensor<200x168xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x200x3x56xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x200x3x56xf32>) -> tensor<3x200x3x56xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(kb, m, nb, n, k) -> (m, kb, k)>, affine_map<(kb, m, nb, n, k) -> (nb, n, kb, k)>, affine_map<(kb, m, nb, n, k) -> (kb, m, nb, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<200x3x256xf8E4M3FN>, tensor<3x56x3x256xf8E4M3FN>) outs(%f : tensor<3x200x3x56xf32>) {
  ^bb0(%u: f8E4M3FN, %v: f8E4M3FN, %o: f32):
    %1 = arith.extf %u : f8E4M3FN to f32
    %2 = arith.extf %v : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x200x3x56xf32>
  %e1 = tensor.empty() : tensor<3x200x3x56xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(kb, m, nb, n) -> (kb, m, nb, n)>, affine_map<(kb, m, nb, n) -> (kb, m)>, affine_map<(kb, m, nb, n) -> (kb, m, nb, n)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %as : tensor<3x200x3x56xf32>, tensor<3x200xf32>) outs(%e1 : tensor<3x200x3x56xf32>) {
  ^bb0(%u: f32, %s: f32, %o: f32):
    %3 = arith.mulf %u, %s : f32
    linalg.yield %3 : f32
  } -> tensor<3x200x3x56xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(kb, m, nb, n) -> (kb, m, nb, n)>, affine_map<(kb, m, nb, n) -> (nb, kb)>, affine_map<(kb, m, nb, n) -> (kb, m, nb, n)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q, %bs : tensor<3x200x3x56xf32>, tensor<3x3xf32>) outs(%e1 : tensor<3x200x3x56xf32>) {
  ^bb0(%u: f32, %s: f32, %o: f32):
    %3 = arith.mulf %u, %s : f32
    linalg.yield %3 : f32
  } -> tensor<3x200x3x56xf32>
  %e2 = tensor.empty() : tensor<200x3x56xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<200x3x56xf32>) -> tensor<200x3x56xf32>
  %sum = linalg.reduce ins(%r : tensor<3x200x3x56xf32>) outs(%f2 : tensor<200x3x56xf32>) dimensions = [0]
    (%u: f32, %o: f32) {
    %3 = arith.addf %u, %o : f32
    linalg.yield %3 : f32
  }
  %e3 = tensor.empty() : tensor<200x3x56xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : tensor<200x3x56xf32>) outs(%e3 : tensor<200x3x56xbf16>) {
  ^bb0(%u: f32, %o: bf16):
    %1 = arith.truncf %u : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<200x3x56xbf16>
  %flat = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<200x3x56xbf16> into tensor<200x168xbf16>
  return %flat : tensor<200x168xbf16>
}

// Two blocks in a step: their sums come from a product with a batch dim.
// small_blocks-NOT: scales of blocks
// small_blocks: equal to the unsharded program
func.func @small_blocks(%a: tensor<72x256xf8E4M3FN>, %as: tensor<4x72xf32>, %b: tensor<64x256xf8E4M3FN>, %bs: tensor<64x4xbf16>) -> tensor<72x64xbf16> {
  %z = arith.constant 0.0 : f32
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [72, 4, 64] : tensor<72x256xf8E4M3FN> into tensor<72x4x64xf8E4M3FN>
  %y = tensor.expand_shape %b [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xf8E4M3FN> into tensor<64x4x64xf8E4M3FN>
  %e = tensor.empty() : tensor<4x72x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x72x64xf32>) -> tensor<4x72x64xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(kb, m, n, k) -> (m, kb, k)>, affine_map<(kb, m, n, k) -> (n, kb, k)>, affine_map<(kb, m, n, k) -> (kb, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<72x4x64xf8E4M3FN>, tensor<64x4x64xf8E4M3FN>) outs(%f : tensor<4x72x64xf32>) {
  ^bb0(%u: f8E4M3FN, %v: f8E4M3FN, %o: f32):
    %1 = arith.extf %u : f8E4M3FN to f32
    %2 = arith.extf %v : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x72x64xf32>
  %e2 = tensor.empty() : tensor<72x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<72x64xf32>) -> tensor<72x64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n, kb) -> (kb, m, n)>, affine_map<(m, n, kb) -> (kb, m)>, affine_map<(m, n, kb) -> (n, kb)>, affine_map<(m, n, kb) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %as, %bs : tensor<4x72x64xf32>, tensor<4x72xf32>, tensor<64x4xbf16>) outs(%f2 : tensor<72x64xf32>) {
  ^bb0(%u: f32, %s: f32, %t: bf16, %o: f32):
    %1 = arith.extf %t : bf16 to f32
    %2 = arith.mulf %s, %1 : f32
    %3 = arith.mulf %2, %u : f32
    %4 = arith.addf %3, %o : f32
    linalg.yield %4 : f32
  } -> tensor<72x64xf32>
  %e3 = tensor.empty() : tensor<72x64xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<72x64xf32>) outs(%e3 : tensor<72x64xbf16>) {
  ^bb0(%u: f32, %o: bf16):
    %1 = arith.truncf %u : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<72x64xbf16>
  return %0 : tensor<72x64xbf16>
}

// Nor is it one kernel if the sums of blocks are a result.
// blocks_read-NOT: scales of blocks
// blocks_read: result 1: {{.*}} equal to the unsharded program
func.func @blocks_read(%a: tensor<72x256xf8E4M3FN>, %as: tensor<2x72xf32>, %b: tensor<64x256xf8E4M3FN>, %bs: tensor<64x2xbf16>) -> (tensor<72x64xbf16>, tensor<2x72x64xf32>) {
  %z = arith.constant 0.0 : f32
  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [72, 2, 128] : tensor<72x256xf8E4M3FN> into tensor<72x2x128xf8E4M3FN>
  %y = tensor.expand_shape %b [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %e = tensor.empty() : tensor<2x72x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x72x64xf32>) -> tensor<2x72x64xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(kb, m, n, k) -> (m, kb, k)>, affine_map<(kb, m, n, k) -> (n, kb, k)>, affine_map<(kb, m, n, k) -> (kb, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<72x2x128xf8E4M3FN>, tensor<64x2x128xf8E4M3FN>) outs(%f : tensor<2x72x64xf32>) {
  ^bb0(%u: f8E4M3FN, %v: f8E4M3FN, %o: f32):
    %1 = arith.extf %u : f8E4M3FN to f32
    %2 = arith.extf %v : f8E4M3FN to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x72x64xf32>
  %e2 = tensor.empty() : tensor<72x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<72x64xf32>) -> tensor<72x64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n, kb) -> (kb, m, n)>, affine_map<(m, n, kb) -> (kb, m)>, affine_map<(m, n, kb) -> (n, kb)>, affine_map<(m, n, kb) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %as, %bs : tensor<2x72x64xf32>, tensor<2x72xf32>, tensor<64x2xbf16>) outs(%f2 : tensor<72x64xf32>) {
  ^bb0(%u: f32, %s: f32, %t: bf16, %o: f32):
    %1 = arith.extf %t : bf16 to f32
    %2 = arith.mulf %s, %1 : f32
    %3 = arith.mulf %2, %u : f32
    %4 = arith.addf %3, %o : f32
    linalg.yield %4 : f32
  } -> tensor<72x64xf32>
  %e3 = tensor.empty() : tensor<72x64xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<72x64xf32>) outs(%e3 : tensor<72x64xbf16>) {
  ^bb0(%u: f32, %o: bf16):
    %1 = arith.truncf %u : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<72x64xbf16>
  return %0, %p : tensor<72x64xbf16>, tensor<2x72x64xf32>
}
