// Products of bytes, of 8-bit floats and, where that is asked for, of f32 read as tf32, on an emulated GPU. Values are such
// that tf32 holds them and sums are exact.
// DEFINE: %{function} =
// DEFINE: %{options} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CACHE_DIR=%t.cache shard-run %s --device=cuda-local --options="arch=host explain %{options}" --verify --function=%{function} 2>&1 | FileCheck %s --check-prefix=%{function}
// RUN: rm -rf %t.cache
// REDEFINE: %{function} = bytes
// REDEFINE: %{options} = schedule=mma_matmul
// RUN: %{run}
// REDEFINE: %{function} = unsigned_bytes
// RUN: %{run}
// REDEFINE: %{function} = e4m3
// REDEFINE: %{options} = schedule=wgmma_matmul
// RUN: %{run}
// REDEFINE: %{options} = schedule=ws_gemm
// RUN: %{run}
// REDEFINE: %{function} = e5m2_by_columns
// REDEFINE: %{options} = schedule=wgmma_matmul
// RUN: %{run}
// The plain path takes them too.
// REDEFINE: %{options} = schedule=plain
// RUN: %{run}
// REDEFINE: %{function} = tf32
// REDEFINE: %{options} = tf32 schedule=mma_matmul
// RUN: %{run}
// REDEFINE: %{options} = tf32 schedule=wgmma_matmul
// RUN: %{run}
// REDEFINE: %{function} = tf32_rows
// REDEFINE: %{options} = tf32 schedule=ws_gemm
// RUN: %{run}
// Without the option f32 stays f32.
// REDEFINE: %{function} = exact
// REDEFINE: %{options} =
// RUN: %{run}
// And the CPU runs them.
// RUN: shard-run %s --verify --function=e4m3
// RUN: shard-run %s --verify --function=e5m2_by_columns

#rows = affine_map<(m, n, k) -> (m, k)>
#by_rows = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// bytes: linalg.matmul is scheduled by mma_matmul (mma.sync
// bytes: equal to the unsharded program (largest error 0, compared exactly)
func.func @bytes(%a: tensor<70x200xi8>, %b: tensor<200x72xi8>, %c: tensor<70x72xi32>) -> tensor<70x72xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<70x200xi8>, tensor<200x72xi8>) outs(%c : tensor<70x72xi32>) -> tensor<70x72xi32>
  return %0 : tensor<70x72xi32>
}

// With a scale behind.
// unsigned_bytes: is scheduled by mma_matmul (mma.sync{{.*}}, elementwise op behind it fused)
// unsigned_bytes: equal to the unsharded program
func.func @unsigned_bytes(%a: tensor<3x40x64xi8>, %b: tensor<3x33x64xi8>, %s: tensor<33xf32>) -> tensor<3x40x33xf32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x40x33xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<3x40x33xi32>) -> tensor<3x40x33xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x40x64xi8>, tensor<3x33x64xi8>) outs(%f : tensor<3x40x33xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %1 = arith.extui %x : i8 to i32
    %2 = arith.extui %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %o, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<3x40x33xi32>
  %g = tensor.empty() : tensor<3x40x33xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %s : tensor<3x40x33xi32>, tensor<33xf32>) outs(%g : tensor<3x40x33xf32>) {
  ^bb0(%x: i32, %y: f32, %o: f32):
    %6 = arith.sitofp %x : i32 to f32
    %7 = arith.mulf %6, %y : f32
    linalg.yield %7 : f32
  } -> tensor<3x40x33xf32>
  return %5 : tensor<3x40x33xf32>
}

// e4m3: linalg.matmul is scheduled by {{wgmma_matmul|ws_gemm}} ({{.*}}x128, {{.*}} stages
// e4m3: equal to the unsharded program
func.func @e4m3(%a: tensor<72x208xf8E4M3FN>, %b: tensor<136x208xf8E4M3FN>) -> tensor<72x136xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72x136xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<72x136xf32>) -> tensor<72x136xf32>
  %0 = linalg.matmul indexing_maps = [#rows, #by_rows, #c] ins(%a, %b : tensor<72x208xf8E4M3FN>, tensor<136x208xf8E4M3FN>) outs(%f : tensor<72x136xf32>) -> tensor<72x136xf32>
  return %0 : tensor<72x136xf32>
}

// e5m2_by_columns: linalg.matmul is scheduled by {{wgmma_matmul|plain}}
// e5m2_by_columns: equal to the unsharded program
func.func @e5m2_by_columns(%a: tensor<33x100xf8E5M2>, %b: tensor<100x40xf8E5M2>) -> tensor<33x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<33x40xf32>) -> tensor<33x40xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<33x100xf8E5M2>, tensor<100x40xf8E5M2>) outs(%f : tensor<33x40xf32>) -> tensor<33x40xf32>
  return %0 : tensor<33x40xf32>
}

// tf32: linalg.matmul is scheduled by {{mma_matmul \(mma.sync|wgmma_matmul}}
// tf32: equal to the unsharded program (largest error 0
func.func @tf32(%a: tensor<40x100xi8>, %b: tensor<100x72xi8>) -> tensor<40x72xf32> {
  %x = call @numbers_a(%a) : (tensor<40x100xi8>) -> tensor<40x100xf32>
  %ye = tensor.empty() : tensor<100x72xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<100x72xi8>) outs(%ye : tensor<100x72xf32>) {
  ^bb0(%p: i8, %o: f32):
    %1 = arith.sitofp %p : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<100x72xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<40x100xf32>, tensor<100x72xf32>) outs(%f : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %0 : tensor<40x72xf32>
}

// tf32_rows: linalg.matmul is scheduled by ws_gemm
// tf32_rows: equal to the unsharded program (largest error 0
func.func @tf32_rows(%a: tensor<40x100xi8>, %b: tensor<72x100xi8>) -> tensor<40x72xf32> {
  %x = call @numbers_a(%a) : (tensor<40x100xi8>) -> tensor<40x100xf32>
  %ye = tensor.empty() : tensor<72x100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<72x100xi8>) outs(%ye : tensor<72x100xf32>) {
  ^bb0(%p: i8, %o: f32):
    %1 = arith.sitofp %p : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<72x100xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %0 = linalg.matmul indexing_maps = [#rows, #by_rows, #c] ins(%x, %y : tensor<40x100xf32>, tensor<72x100xf32>) outs(%f : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %0 : tensor<40x72xf32>
}

// exact: linalg.matmul is scheduled by mma_matmul (fma
// exact: equal to the unsharded program
func.func @exact(%a: tensor<300x300xf32>, %b: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<300x300xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<300x300xf32>) -> tensor<300x300xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<300x300xf32>, tensor<300x300xf32>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  return %0 : tensor<300x300xf32>
}

func.func private @numbers_a(%a: tensor<40x100xi8>) -> tensor<40x100xf32> {
  %e = tensor.empty() : tensor<40x100xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<40x100xi8>) outs(%e : tensor<40x100xf32>) {
  ^bb0(%p: i8, %o: f32):
    %1 = arith.sitofp %p : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<40x100xf32>
  return %0 : tensor<40x100xf32>
}
