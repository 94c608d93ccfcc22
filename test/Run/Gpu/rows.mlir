// Reductions over rows, softmax and norms by one kernel, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// REDEFINE: %{function} = softmax
// RUN: %{run}
// REDEFINE: %{function} = layer_norm
// RUN: %{run}
// REDEFINE: %{function} = sums
// RUN: %{run}
// REDEFINE: %{function} = long_row
// RUN: %{run}
// REDEFINE: %{function} = kinds
// RUN: %{run}
// REDEFINE: %{function} = columns
// RUN: %{run}
// REDEFINE: %{function} = starts
// RUN: %{run}
// REDEFINE: %{function} = two_products
// RUN: %{run}
// REDEFINE: %{function} = unknown
// RUN: %{run} --input=i64=3 --input=i64=5
// RUN: %{run} --input=i64=4 --input=i64=2048
// RUN: %{run} --input=i64=2 --input=i64=2051
// RUN: %{run} --input=i64=0 --input=i64=8
// RUN: %{run} --input=i64=3 --input=i64=0

shardir.mesh @m <["x"=2]>

func.func @softmax(%x: tensor<9x1000xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<9x1000xf32> {
  %e = tensor.empty() : tensor<9x1000xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<9x1000xf32>) outs(%e : tensor<9x1000xf32>) -> tensor<9x1000xf32>
  return %0 : tensor<9x1000xf32>
}

// Mean, variance, scale and shift over rows of 96: a row per 32 threads; bf16 in and out.
func.func @layer_norm(%x: tensor<7x96xbf16>, %g: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<7x96xbf16> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 96.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<7xf32>
  %z1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x96xbf16>) outs(%z1 : tensor<7xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<7xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<7xf32>) outs(%e1 : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %n : f32
    linalg.yield %0 : f32
  } -> tensor<7xf32>
  %square = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<7x96xbf16>, tensor<7xf32>) outs(%z1 : tensor<7xf32>) {
  ^bb0(%a: bf16, %m: f32, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<7xf32>
  %e2 = tensor.empty() : tensor<7x96xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %square, %g, %b : tensor<7x96xbf16>, tensor<7xf32>, tensor<7xf32>, tensor<96xf32>, tensor<96xf32>) outs(%e2 : tensor<7x96xbf16>) {
  ^bb0(%a: bf16, %m: f32, %s: f32, %gi: f32, %bi: f32, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.divf %s, %n : f32
    %3 = arith.addf %2, %eps : f32
    %4 = math.rsqrt %3 : f32
    %5 = arith.mulf %1, %4 : f32
    %6 = arith.mulf %5, %gi : f32
    %7 = arith.addf %6, %bi : f32
    %8 = arith.truncf %7 : f32 to bf16
    linalg.yield %8 : bf16
  } -> tensor<7x96xbf16>
  return %y : tensor<7x96xbf16>
}

// Exact in any order; rows of 1, 3, 33 and 130 elements, and all elements.
func.func @sums(%a: tensor<40x1xi32>, %b: tensor<40x3xi32>, %c: tensor<5x33xi64>, %d: tensor<2x130xi32>) -> (tensor<40xi32>, tensor<40xi32>, tensor<5xi64>, tensor<2xi32>, tensor<i32>) {
  %e = arith.constant dense<0> : tensor<40xi32>
  %f = arith.constant dense<1> : tensor<5xi64>
  %g = arith.constant dense<2> : tensor<2xi32>
  %h = arith.constant dense<3> : tensor<i32>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<40x1xi32>) outs(%e : tensor<40xi32>) dimensions = [1]
  %1 = linalg.reduce {arith.addi} ins(%b : tensor<40x3xi32>) outs(%e : tensor<40xi32>) dimensions = [1]
  %2 = linalg.reduce {arith.addi} ins(%c : tensor<5x33xi64>) outs(%f : tensor<5xi64>) dimensions = [1]
  %3 = linalg.reduce {arith.addi} ins(%d : tensor<2x130xi32>) outs(%g : tensor<2xi32>) dimensions = [1]
  %4 = linalg.reduce {arith.addi} ins(%d : tensor<2x130xi32>) outs(%h : tensor<i32>) dimensions = [0, 1]
  return %0, %1, %2, %3, %4 : tensor<40xi32>, tensor<40xi32>, tensor<5xi64>, tensor<2xi32>, tensor<i32>
}

// Longer than registers: read once per reduction.
func.func @long_row(%x: tensor<2x70001xf32>) -> tensor<2x70001xf32> {
  %e = tensor.empty() : tensor<2x70001xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x70001xf32>) outs(%e : tensor<2x70001xf32>) -> tensor<2x70001xf32>
  return %0 : tensor<2x70001xf32>
}

func.func @kinds(%x: tensor<6x200xi32>, %y: tensor<6x200xf32>, %z: tensor<6x200xi16>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi16>) {
  %i = arith.constant dense<0> : tensor<6xi32>
  %f = arith.constant dense<0.5> : tensor<6xf32>
  %h = arith.constant dense<-1> : tensor<6xi16>
  %0 = linalg.reduce {arith.maxsi} ins(%x : tensor<6x200xi32>) outs(%i : tensor<6xi32>) dimensions = [1]
  %1 = linalg.reduce {arith.xori} ins(%x : tensor<6x200xi32>) outs(%i : tensor<6xi32>) dimensions = [1]
  %2 = linalg.reduce {arith.minui} ins(%x : tensor<6x200xi32>) outs(%i : tensor<6xi32>) dimensions = [1]
  %3 = linalg.reduce {arith.minimumf} ins(%y : tensor<6x200xf32>) outs(%f : tensor<6xf32>) dimensions = [1]
  %4 = linalg.reduce {arith.maxnumf} ins(%y : tensor<6x200xf32>) outs(%f : tensor<6xf32>) dimensions = [1]
  %5 = linalg.reduce {arith.andi} ins(%z : tensor<6x200xi16>) outs(%h : tensor<6xi16>) dimensions = [1]
  return %0, %1, %2, %3, %4, %5 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi16>
}

// Over the outer dim, over both ends, and over two inner dims.
func.func @columns(%x: tensor<37x70xi32>, %y: tensor<5x6x8xi32>) -> (tensor<70xi32>, tensor<6xi32>, tensor<5xi32>) {
  %a = arith.constant dense<0> : tensor<70xi32>
  %b = arith.constant dense<0> : tensor<6xi32>
  %c = arith.constant dense<0> : tensor<5xi32>
  %0 = linalg.reduce {arith.addi} ins(%x : tensor<37x70xi32>) outs(%a : tensor<70xi32>) dimensions = [0]
  %1 = linalg.reduce {arith.addi} ins(%y : tensor<5x6x8xi32>) outs(%b : tensor<6xi32>) dimensions = [0, 2]
  %2 = linalg.reduce {arith.addi} ins(%y : tensor<5x6x8xi32>) outs(%c : tensor<5xi32>) dimensions = [1, 2]
  return %0, %1, %2 : tensor<70xi32>, tensor<6xi32>, tensor<5xi32>
}

// A sum starts from an argument, and the map behind reads that argument as well.
func.func @starts(%x: tensor<6x64xf32>, %s: tensor<6xf32>) -> (tensor<6x64xf32>, tensor<6xf32>) {
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<6x64xf32>) outs(%s : tensor<6xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<6x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0, %s : tensor<6x64xf32>, tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %2 = arith.subf %a, %b : f32
    %3 = arith.mulf %2, %c : f32
    linalg.yield %3 : f32
  } -> tensor<6x64xf32>
  return %1, %0 : tensor<6x64xf32>, tensor<6xf32>
}

// Extents that only the running program knows.
func.func @unknown(%rows: tensor<i64>, %columns: tensor<i64>) -> (tensor<4x2100xf32>, tensor<4xf32>) {
  %x_empty = tensor.empty() : tensor<4x2100xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x_empty : tensor<4x2100xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %width = arith.constant 2103 : index
    %row = arith.muli %i, %width : index
    %at = arith.addi %row, %j : index
    %word = arith.index_cast %at : index to i32
    %s = arith.sitofp %word : i32 to f32
    %v = math.sin %s : f32
    linalg.yield %v : f32
  } -> tensor<4x2100xf32>
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %r = tensor.extract %rows[] : tensor<i64>
  %c = tensor.extract %columns[] : tensor<i64>
  %m = arith.index_cast %r : i64 to index
  %n = arith.index_cast %c : i64 to index
  %a = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<4x2100xf32> to tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %g = linalg.fill ins(%z : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.reduce {arith.maximumf} ins(%0 : tensor<?x?xf32>) outs(%g : tensor<?xf32>) dimensions = [1]
  %2 = tensor.insert_slice %0 into %x[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<4x2100xf32>
  %3 = tensor.insert_slice %1 into %zeros[0] [%m] [1] : tensor<?xf32> into tensor<4xf32>
  return %2, %3 : tensor<4x2100xf32>, tensor<4xf32>
}

// Two products of vectors that one map adds: what the second one starts from is
// not what the map reads.
func.func @two_products(%a: tensor<8x40xf32>, %b: tensor<8x40xf32>, %v: tensor<40xf32>, %w: tensor<40xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.matvec ins(%a, %v : tensor<8x40xf32>, tensor<40xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.matvec ins(%b, %w : tensor<8x40xf32>, tensor<40xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
