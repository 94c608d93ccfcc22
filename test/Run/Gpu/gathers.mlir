// Rows and windows of tables at places out of data, on an emulated GPU, which
// refuses to access vectors that are not aligned.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --tolerance=0 --function=%{function}
// REDEFINE: %{function} = rows
// RUN: %{run}
// REDEFINE: %{function} = odd_rows
// RUN: %{run}
// REDEFINE: %{function} = eight_bytes
// RUN: %{run}
// REDEFINE: %{function} = windows
// RUN: %{run}
// REDEFINE: %{function} = sharded
// RUN: %{run}

shardir.mesh @m <["x"=2]>

// A table of embeddings: 16 bytes at a time.
func.func @rows(%t: tensor<50x64xf32>) -> tensor<9x64xf32> {
  %places = arith.constant dense<[49, 0, 7, -3, 12, 60, 12, 1, 48]> : tensor<9xi32>
  %c0 = arith.constant 0 : index
  %most = arith.constant 49 : index
  %e = tensor.empty() : tensor<9x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<9xi32>) outs(%e : tensor<9x64xf32>) {
  ^bb0(%place: i32, %o: f32):
    %j = linalg.index 1 : index
    %1 = arith.index_cast %place : i32 to index
    %2 = arith.maxsi %1, %c0 : index
    %row = arith.minsi %2, %most : index
    %3 = tensor.extract %t[%row, %j] : tensor<50x64xf32>
    linalg.yield %3 : f32
  } -> tensor<9x64xf32>
  return %0 : tensor<9x64xf32>
}

// Rows that begin anywhere.
func.func @odd_rows(%t: tensor<50x37xf32>) -> tensor<9x37xf32> {
  %places = arith.constant dense<[49, 0, 7, -3, 12, 60, 12, 1, 48]> : tensor<9xi32>
  %c0 = arith.constant 0 : index
  %most = arith.constant 49 : index
  %e = tensor.empty() : tensor<9x37xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<9xi32>) outs(%e : tensor<9x37xf32>) {
  ^bb0(%place: i32, %o: f32):
    %j = linalg.index 1 : index
    %1 = arith.index_cast %place : i32 to index
    %2 = arith.maxsi %1, %c0 : index
    %row = arith.minsi %2, %most : index
    %3 = tensor.extract %t[%row, %j] : tensor<50x37xf32>
    linalg.yield %3 : f32
  } -> tensor<9x37xf32>
  return %0 : tensor<9x37xf32>
}

// Rows of 136 bytes: eight of them at a time.
func.func @eight_bytes(%t: tensor<50x68xbf16>) -> tensor<9x68xbf16> {
  %places = arith.constant dense<[49, 0, 7, -3, 12, 60, 12, 1, 48]> : tensor<9xi32>
  %c0 = arith.constant 0 : index
  %most = arith.constant 49 : index
  %e = tensor.empty() : tensor<9x68xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<9xi32>) outs(%e : tensor<9x68xbf16>) {
  ^bb0(%place: i32, %o: bf16):
    %j = linalg.index 1 : index
    %1 = arith.index_cast %place : i32 to index
    %2 = arith.maxsi %1, %c0 : index
    %row = arith.minsi %2, %most : index
    %3 = tensor.extract %t[%row, %j] : tensor<50x68xbf16>
    linalg.yield %3 : bf16
  } -> tensor<9x68xbf16>
  return %0 : tensor<9x68xbf16>
}

// Windows that begin at any column: threads test where theirs do.
func.func @windows(%t: tensor<50x67xf32>) -> tensor<9x32xf32> {
  %rows = arith.constant dense<[49, 0, 7, 12, 31, 12, 1, 48, 5]> : tensor<9xi32>
  %columns = arith.constant dense<[0, 4, 1, 2, 3, 35, 30, 8, 29]> : tensor<9xi32>
  %e = tensor.empty() : tensor<9x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %columns : tensor<9xi32>, tensor<9xi32>) outs(%e : tensor<9x32xf32>) {
  ^bb0(%r: i32, %c: i32, %o: f32):
    %j = linalg.index 1 : index
    %row = arith.index_cast %r : i32 to index
    %from = arith.index_cast %c : i32 to index
    %column = arith.addi %from, %j : index
    %1 = tensor.extract %t[%row, %column] : tensor<50x67xf32>
    linalg.yield %1 : f32
  } -> tensor<9x32xf32>
  return %0 : tensor<9x32xf32>
}

// Columns over devices.
func.func @sharded(%t: tensor<50x128xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<9x128xbf16> {
  %places = arith.constant dense<[49, 0, 7, -3, 12, 60, 12, 1, 48]> : tensor<9xi32>
  %c0 = arith.constant 0 : index
  %most = arith.constant 49 : index
  %e = tensor.empty() : tensor<9x128xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<9xi32>) outs(%e : tensor<9x128xbf16>) {
  ^bb0(%place: i32, %o: bf16):
    %j = linalg.index 1 : index
    %1 = arith.index_cast %place : i32 to index
    %2 = arith.maxsi %1, %c0 : index
    %row = arith.minsi %2, %most : index
    %3 = tensor.extract %t[%row, %j] : tensor<50x128xbf16>
    linalg.yield %3 : bf16
  } -> tensor<9x128xbf16>
  return %0 : tensor<9x128xbf16>
}
