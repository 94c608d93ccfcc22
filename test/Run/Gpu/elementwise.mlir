// Maps, broadcasts, transposes, fills and copies by schedules, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// Rows that no vector can read: a thread has elements a warp apart, and fewer at a row's end.
// REDEFINE: %{function} = odd_rows
// RUN: %{run}
// REDEFINE: %{function} = bias
// RUN: %{run}
// REDEFINE: %{function} = ragged
// RUN: %{run}
// REDEFINE: %{function} = transposed
// RUN: %{run}
// REDEFINE: %{function} = narrow
// RUN: %{run}
// REDEFINE: %{function} = slices
// RUN: %{run}
// REDEFINE: %{function} = empty
// RUN: %{run}
// REDEFINE: %{function} = unknown
// RUN: %{run} --input=i64=5 --input=i64=7
// RUN: %{run} --input=i64=5 --input=i64=8
// RUN: %{run} --input=i64=0 --input=i64=8
// RUN: %{run} --input=i64=20 --input=i64=1

shardir.mesh @m <["x"=2]>

// Vectors of eight; an uneven split of the rows.
func.func @bias(%a: tensor<33x64xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<64xbf16>) -> tensor<33x64xbf16> {
  %e = tensor.empty() : tensor<33x64xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<33x64xbf16>, tensor<64xbf16>) outs(%e : tensor<33x64xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = arith.addf %1, %2 : f32
    %4 = math.tanh %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<33x64xbf16>
  return %0 : tensor<33x64xbf16>
}

// 1003 elements: the last vector is cut.
func.func @ragged(%a: tensor<1003xf32>, %b: tensor<1003xi8>) -> (tensor<1003xf32>, tensor<1003xi1>) {
  %0 = math.exp %a : tensor<1003xf32>
  %c = arith.constant dense<3> : tensor<1003xi8>
  %1 = arith.cmpi slt, %b, %c : tensor<1003xi8>
  return %0, %1 : tensor<1003xf32>, tensor<1003xi1>
}

// Tiles with ragged edges, for elements of 4, 2 and 8 bytes, with a batch dim.
func.func @transposed(%a: tensor<70x45xf32>, %b: tensor<3x70x66xbf16>, %c: tensor<40x33xf64>) -> (tensor<45x70xf32>, tensor<66x3x70xbf16>, tensor<33x40xf64>) {
  %e = tensor.empty() : tensor<45x70xf32>
  %0 = linalg.transpose ins(%a : tensor<70x45xf32>) outs(%e : tensor<45x70xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<66x3x70xbf16>
  %1 = linalg.transpose ins(%b : tensor<3x70x66xbf16>) outs(%f : tensor<66x3x70xbf16>) permutation = [2, 0, 1]
  %g = tensor.empty() : tensor<33x40xf64>
  %2 = linalg.transpose ins(%c : tensor<40x33xf64>) outs(%g : tensor<33x40xf64>) permutation = [1, 0]
  return %0, %1, %2 : tensor<45x70xf32>, tensor<66x3x70xbf16>, tensor<33x40xf64>
}

// Rows of three elements; integers that are divided.
func.func @narrow(%a: tensor<50x3xi32>) -> tensor<50x3xi32> {
  %c = arith.constant dense<7> : tensor<50x3xi32>
  %0 = arith.divsi %a, %c : tensor<50x3xi32>
  return %0 : tensor<50x3xi32>
}

// Rows that start anywhere.
func.func @slices(%a: tensor<20x37xf32>) -> tensor<19x32xf32> {
  %0 = tensor.extract_slice %a[1, 3] [19, 32] [1, 1] : tensor<20x37xf32> to tensor<19x32xf32>
  %1 = math.absf %0 : tensor<19x32xf32>
  return %1 : tensor<19x32xf32>
}

// The second device has no row.
func.func @empty(%a: tensor<1x64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<1x64xf32> {
  %0 = math.exp %a : tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// Extents that only the running program knows.
func.func @unknown(%rows: tensor<i64>, %columns: tensor<i64>) -> tensor<20x40xf32> {
  %x_empty = tensor.empty() : tensor<20x40xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x_empty : tensor<20x40xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %width = arith.constant 43 : index
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %j : index
    %word = arith.index_cast %at : index to i32
    %s = arith.sitofp %word : i32 to f32
    %v = math.sin %s : f32
    linalg.yield %v : f32
  } -> tensor<20x40xf32>
  %y = tensor.extract_slice %x[3, 0] [1, 40] [1, 1] : tensor<20x40xf32> to tensor<40xf32>
  %r = tensor.extract %rows[] : tensor<i64>
  %c = tensor.extract %columns[] : tensor<i64>
  %m = arith.index_cast %r : i64 to index
  %n = arith.index_cast %c : i64 to index
  %a = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<20x40xf32> to tensor<?x?xf32>
  %b = tensor.extract_slice %y[0] [%n] [1] : tensor<40xf32> to tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %1 = arith.mulf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %f = tensor.empty(%n, %m) : tensor<?x?xf32>
  %2 = linalg.transpose ins(%0 : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) permutation = [1, 0]
  %g = tensor.empty(%m, %n) : tensor<?x?xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %2 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %z: f32):
    %4 = math.exp %p : f32
    %5 = arith.addf %4, %q : f32
    linalg.yield %5 : f32
  } -> tensor<?x?xf32>
  %6 = tensor.insert_slice %3 into %x[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<20x40xf32>
  return %6 : tensor<20x40xf32>
}

func.func @odd_rows(%a: tensor<9x837xbf16>, %b: tensor<837xbf16>) -> tensor<9x837xbf16> {
  %e = tensor.empty() : tensor<9x837xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<9x837xbf16>, tensor<837xbf16>) outs(%e : tensor<9x837xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %1 = arith.addf %x, %y : bf16
    linalg.yield %1 : bf16
  } -> tensor<9x837xbf16>
  return %0 : tensor<9x837xbf16>
}
