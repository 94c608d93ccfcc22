// Contractions by tiles, with what is before and behind them, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// REDEFINE: %{function} = f32
// RUN: %{run}
// REDEFINE: %{function} = f32_vectors
// RUN: %{run}
// REDEFINE: %{function} = bf16
// RUN: %{run}
// REDEFINE: %{function} = f16_both_transposed
// RUN: %{run}
// REDEFINE: %{function} = unaligned
// RUN: %{run}
// REDEFINE: %{function} = f64
// RUN: %{run}
// REDEFINE: %{function} = batch
// RUN: %{run}
// REDEFINE: %{function} = two_reductions
// RUN: %{run}
// REDEFINE: %{function} = layer
// RUN: %{run}
// REDEFINE: %{function} = mixed
// RUN: %{run}
// Warpgroups' products are never cheapest where they are emulated.
// DEFINE: %{wgmma} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=wgmma_matmul" --verify --function=%{function}
// REDEFINE: %{function} = bf16
// RUN: %{wgmma}
// REDEFINE: %{function} = f16_both_transposed
// RUN: %{wgmma}
// REDEFINE: %{function} = unaligned
// RUN: %{wgmma}
// REDEFINE: %{function} = batch
// RUN: %{wgmma}
// REDEFINE: %{function} = two_reductions
// RUN: %{wgmma}
// REDEFINE: %{function} = layer
// RUN: %{wgmma}
// Blocks that stay, which the copy engine feeds: more tiles than blocks, all directions, dims that end within a box.
// DEFINE: %{ws} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=ws_gemm" --verify --function=%{function}
// REDEFINE: %{function} = bf16
// RUN: %{ws}
// REDEFINE: %{function} = f16_both_transposed
// RUN: %{ws}
// REDEFINE: %{function} = unaligned
// RUN: %{ws}
// REDEFINE: %{function} = batch
// RUN: %{ws}
// REDEFINE: %{function} = two_reductions
// RUN: %{ws}
// REDEFINE: %{function} = layer
// RUN: %{ws}
// REDEFINE: %{function} = many_tiles
// RUN: %{ws}
// Its blocks are as many as the card has multiprocessors, but for tiles that are fewer.
// RUN: env "SHARDIR_EMULATED_CUDA=multiprocessors=3 log=%t.three" %{ws}
// RUN: env "SHARDIR_EMULATED_CUDA=multiprocessors=132 log=%t.many" %{ws}
// RUN: cat %t.three %t.many | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: cuLaunchKernel kernel=many_tiles_matmul_ws_600x136x72_f16 grid=3x1x1
// BLOCKS: cuLaunchKernel kernel=many_tiles_matmul_ws_600x136x72_f16 grid=20x1x1
// The host finds out whether rows lie at multiples of 16 bytes, and takes the other kernel where they do not.
// REDEFINE: %{function} = open
// RUN: env SHARDIR_EMULATED_CUDA=log=%t.aligned %{ws} --input=i64=40 --input=i64=72 --input=i64=24
// RUN: FileCheck %s --check-prefix=ALIGNED < %t.aligned
// ALIGNED: cuTensorMapEncodeTiled{{.*}} rank=2
// ALIGNED: cuTensorMapEncodeTiled{{.*}} rank=2
// ALIGNED: cuLaunchKernel kernel=open_matmul_ws
// RUN: env SHARDIR_EMULATED_CUDA=log=%t.other %{ws} --input=i64=40 --input=i64=65 --input=i64=33
// RUN: FileCheck %s --check-prefix=OTHER < %t.other
// OTHER-NOT: cuTensorMapEncodeTiled
// OTHER: cuLaunchKernel kernel=open_matmul_wgmma
// REDEFINE: %{function} = unknown
// RUN: %{wgmma} --input=i64=40 --input=i64=65 --input=i64=33
// RUN: %{ws} --input=i64=40 --input=i64=65 --input=i64=33
// RUN: %{ws} --input=i64=3 --input=i64=8 --input=i64=0
// RUN: %{ws} --input=i64=0 --input=i64=24 --input=i64=16
// RUN: %{run} --input=i64=5 --input=i64=24 --input=i64=16
// RUN: %{run} --input=i64=40 --input=i64=65 --input=i64=33
// RUN: %{run} --input=i64=0 --input=i64=24 --input=i64=16
// RUN: %{run} --input=i64=3 --input=i64=8 --input=i64=0

shardir.mesh @m <["x"=2]>

func.func @f32(%a: tensor<70x33xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<33x65xf32>) -> tensor<70x65xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x65xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<70x65xf32>) -> tensor<70x65xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<70x33xf32>, tensor<33x65xf32>) outs(%f : tensor<70x65xf32>) -> tensor<70x65xf32>
  return %0 : tensor<70x65xf32>
}

// Sums in place of what C holds; more than one tile and stage each way.
func.func @bf16(%a: tensor<72x200xbf16>, %b: tensor<200x136xbf16>, %c: tensor<72x136xf32>) -> tensor<72x136xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<72x200xbf16>, tensor<200x136xbf16>) outs(%c : tensor<72x136xf32>) -> tensor<72x136xf32>
  return %0 : tensor<72x136xf32>
}

func.func @f16_both_transposed(%a: tensor<48x40xf16>, %b: tensor<72x48xf16>) -> tensor<40x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<48x40xf16>, tensor<72x48xf16>) outs(%f : tensor<40x72xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<40x72xf32>
  return %0 : tensor<40x72xf32>
}

// Rows of 33 and 35 elements of two bytes: no 16-byte access.
func.func @unaligned(%a: tensor<20x33xbf16>, %b: tensor<33x35xbf16>) -> tensor<20x35xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<20x35xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<20x35xbf16>) -> tensor<20x35xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<20x33xbf16>, tensor<33x35xbf16>) outs(%f : tensor<20x35xbf16>) -> tensor<20x35xbf16>
  return %0 : tensor<20x35xbf16>
}

func.func @f64(%a: tensor<5x70xf64>, %b: tensor<70x9xf64>) -> tensor<5x9xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<5x9xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<5x9xf64>) -> tensor<5x9xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<5x70xf64>, tensor<70x9xf64>) outs(%f : tensor<5x9xf64>) -> tensor<5x9xf64>
  return %0 : tensor<5x9xf64>
}

func.func @batch(%a: tensor<3x20x24xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %b: tensor<3x24x40xbf16>) -> tensor<3x20x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x20x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x20x40xf32>) -> tensor<3x20x40xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x20x24xbf16>, tensor<3x24x40xbf16>) outs(%f : tensor<3x20x40xf32>) -> tensor<3x20x40xf32>
  return %0 : tensor<3x20x40xf32>
}

// Two dims are summed over that are not one in memory, and rows and columns are two dims each.
func.func @two_reductions(%a: tensor<6x8x5x16xbf16>, %b: tensor<16x8x3x8xbf16>) -> tensor<6x5x3x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x5x3x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x5x3x8xf32>) -> tensor<6x5x3x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, p, q, k, l) -> (i, l, j, k)>, affine_map<(i, j, p, q, k, l) -> (k, l, p, q)>, affine_map<(i, j, p, q, k, l) -> (i, j, p, q)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<6x8x5x16xbf16>, tensor<16x8x3x8xbf16>) outs(%f : tensor<6x5x3x8xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<6x5x3x8xf32>
  return %0 : tensor<6x5x3x8xf32>
}

// Bias, a residual and a bend behind a product with two row dims.
func.func @layer(%a: tensor<2x9x32xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %w: tensor<32x48xbf16>, %b: tensor<48xf32>, %r: tensor<2x9x48xbf16>) -> tensor<2x9x48xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x9x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x9x48xf32>) -> tensor<2x9x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(s, m, n, k) -> (s, m, k)>, affine_map<(s, m, n, k) -> (k, n)>, affine_map<(s, m, n, k) -> (s, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<2x9x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<2x9x48xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x9x48xf32>
  %g = tensor.empty() : tensor<2x9x48xbf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(s, m, n) -> (s, m, n)>, affine_map<(s, m, n) -> (n)>, affine_map<(s, m, n) -> (s, m, n)>, affine_map<(s, m, n) -> (s, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %b, %r : tensor<2x9x48xf32>, tensor<48xf32>, tensor<2x9x48xbf16>) outs(%g : tensor<2x9x48xbf16>) {
  ^bb0(%x: f32, %y: f32, %q: bf16, %o: bf16):
    %6 = arith.addf %x, %y : f32
    %7 = math.tanh %6 : f32
    %8 = arith.extf %q : bf16 to f32
    %9 = arith.addf %7, %8 : f32
    %10 = arith.truncf %9 : f32 to bf16
    linalg.yield %10 : bf16
  } -> tensor<2x9x48xbf16>
  return %5 : tensor<2x9x48xbf16>
}

// Operands of different types.
func.func @mixed(%a: tensor<10x24xbf16>, %b: tensor<24x30xf32>) -> tensor<10x30xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x30xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<10x30xf32>) -> tensor<10x30xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<10x24xbf16>, tensor<24x30xf32>) outs(%f : tensor<10x30xf32>) -> tensor<10x30xf32>
  return %0 : tensor<10x30xf32>
}

// Extents that only the running program knows.
func.func @unknown(%rows: tensor<i64>, %columns: tensor<i64>, %depth: tensor<i64>) -> tensor<40x80xf32> {
  %x_empty = tensor.empty() : tensor<40x72xbf16>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x_empty : tensor<40x72xbf16>) {
  ^bb0(%o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %width = arith.constant 75 : index
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %j : index
    %word = arith.index_cast %at : index to i32
    %s = arith.sitofp %word : i32 to f32
    %v = math.sin %s : f32
    %w = arith.truncf %v : f32 to bf16
    linalg.yield %w : bf16
  } -> tensor<40x72xbf16>
  %y_empty = tensor.empty() : tensor<72x80xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y_empty : tensor<72x80xbf16>) {
  ^bb0(%o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %width = arith.constant 83 : index
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %j : index
    %word = arith.index_cast %at : index to i32
    %s = arith.sitofp %word : i32 to f32
    %v = math.sin %s : f32
    %w = arith.truncf %v : f32 to bf16
    linalg.yield %w : bf16
  } -> tensor<72x80xbf16>
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<40x80xf32>
  %r = tensor.extract %rows[] : tensor<i64>
  %c = tensor.extract %columns[] : tensor<i64>
  %d = tensor.extract %depth[] : tensor<i64>
  %m = arith.index_cast %r : i64 to index
  %n = arith.index_cast %c : i64 to index
  %k = arith.index_cast %d : i64 to index
  %a = tensor.extract_slice %x[0, 0] [%m, %k] [1, 1] : tensor<40x72xbf16> to tensor<?x?xbf16>
  %b = tensor.extract_slice %y[0, 0] [%k, %n] [1, 1] : tensor<72x80xbf16> to tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tensor.insert_slice %0 into %zeros[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<40x80xf32>
  return %1 : tensor<40x80xf32>
}

// Rows of tiles in two groups, f16, a long last group's end.
func.func @many_tiles(%a: tensor<600x72xf16>, %b: tensor<72x136xf16>) -> tensor<600x136xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<600x136xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<600x136xf16>) -> tensor<600x136xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<600x72xf16>, tensor<72x136xf16>) outs(%f : tensor<600x136xf16>) -> tensor<600x136xf16>
  return %0 : tensor<600x136xf16>
}

// Strides that only the running program knows.
func.func @open(%rows: tensor<i64>, %columns: tensor<i64>, %depth: tensor<i64>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %r = tensor.extract %rows[] : tensor<i64>
  %c = tensor.extract %columns[] : tensor<i64>
  %d = tensor.extract %depth[] : tensor<i64>
  %m = arith.index_cast %r : i64 to index
  %n = arith.index_cast %c : i64 to index
  %k = arith.index_cast %d : i64 to index
  %x_empty = tensor.empty(%m, %k) : tensor<?x?xbf16>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x_empty : tensor<?x?xbf16>) {
  ^bb0(%o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %width = arith.constant 75 : index
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %j : index
    %word = arith.index_cast %at : index to i32
    %s = arith.sitofp %word : i32 to f32
    %v = math.sin %s : f32
    %w = arith.truncf %v : f32 to bf16
    linalg.yield %w : bf16
  } -> tensor<?x?xbf16>
  %y_empty = tensor.empty(%n, %k) : tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y_empty : tensor<?x?xbf16>) {
  ^bb0(%o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %width = arith.constant 83 : index
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %j : index
    %word = arith.index_cast %at : index to i32
    %s = arith.sitofp %word : i32 to f32
    %v = math.cos %s : f32
    %w = arith.truncf %v : f32 to bf16
    linalg.yield %w : bf16
  } -> tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %y : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  // Squares, so that no element can hide.
  %t = tensor.empty() : tensor<f32>
  %u = linalg.fill ins(%z : f32) outs(%t : tensor<f32>) -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%0 : tensor<?x?xf32>) outs(%u : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.mulf %p, %p : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %1 : tensor<f32>
}

// Rows of B are copied 16 bytes at a time; neither of the extents fills a tile.
func.func @f32_vectors(%a: tensor<70x20xf32>, %b: tensor<20x132xf32>) -> tensor<70x132xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x132xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<70x132xf32>) -> tensor<70x132xf32>
  %r = linalg.matmul ins(%a, %b : tensor<70x20xf32>, tensor<20x132xf32>) outs(%f : tensor<70x132xf32>) -> tensor<70x132xf32>
  return %r : tensor<70x132xf32>
}
