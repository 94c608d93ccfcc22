// Scatters and sorts on an emulated GPU: rows of one place in order, rows that are
// out of bounds, networks for sorts with equal keys, sharded and not.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --tolerance=0 --function=%{function}
// REDEFINE: %{function} = rows
// RUN: %{run} --input=7x6xf32=1 --input=5x6xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30 --input=5x1xi64=6,0,-1,6,9
// REDEFINE: %{function} = elements
// RUN: %{run} --input=9xf32=1 --input=6xf32=1,2,3,4,5,6 --input=6x1xi64=8,0,8,1,9,8
// REDEFINE: %{function} = sort
// RUN: %{run} --input=5x9xi32=2,1,0,2,1,0,2,1,0,0,0,0,0,0,0,0,0,0,9,8,7,6,5,4,3,2,1,1,2,3,4,5,6,7,8,9,-1,1,-1,1,-1,1,-1,1,-1
// REDEFINE: %{function} = sort_unknown
// RUN: %{run} --input=5x9xf32=2,1,0,2,1,0,2,1,0,0,0,0,0,0,0,0,0,0,9,8,7,6,5,4,3,2,1,1,2,3,4,5,6,7,8,9,-1,1,-1,1,-1,1,-1,1,-1
// REDEFINE: %{function} = first_unknown
// RUN: %{run} --input=5x9xf32=2,1,0,2,1,0,2,1,0,0,0,0,0,0,0,0,0,0,9,8,7,6,5,4,3,2,1,1,2,3,4,5,6,7,8,9,-1,1,-1,1,-1,1,-1,1,-1 --input=5x9xi32=1,2,3,4,5,6,7,8,9,9,8,7,6,5,4,3,2,1,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9
shardir.mesh @m <["x"=2, "y"=3]>

func.func @rows(%x: tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %u: tensor<5x6xf32>, %i: tensor<5x1xi64>) -> tensor<7x6xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<7x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.subf %new, %old : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<7x6xf32>
}

func.func @elements(%x: tensor<9xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}, %u: tensor<6xf32>, %i: tensor<6x1xi64>) -> tensor<9xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<6xf32>, tensor<6x1xi64>) outs(%x : tensor<9xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<9xf32>
}

func.func @sort(%x: tensor<5x9xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<5x9xi32>, tensor<5x9xi32>) {
  %e = tensor.empty() : tensor<5x9xi32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x9xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    linalg.yield %k : i32
  } -> tensor<5x9xi32>
  %0:2 = shardir.sort %x, %n : tensor<5x9xi32>, tensor<5x9xi32> dim = 1 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %1 = arith.cmpi sge, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<5x9xi32>, tensor<5x9xi32>
}

func.func @sort_unknown(%x: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<?x?xf32> {
  %0 = shardir.sort %x : tensor<?x?xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<?x?xf32>
}

func.func @first_unknown(%x: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %y: tensor<?x?xi32>) -> (tensor<?x3xf32>, tensor<?x2xi32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %0:2 = shardir.sort %x, %y : tensor<?x?xf32>, tensor<?x?xi32> dim = 1 {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %1 = arith.cmpf ogt, %a, %b : f32
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0#0[0, 0] [%rows, 3] [1, 1] : tensor<?x?xf32> to tensor<?x3xf32>
  %2 = tensor.extract_slice %0#1[0, 1] [%rows, 2] [1, 1] : tensor<?x?xi32> to tensor<?x2xi32>
  return %1, %2 : tensor<?x3xf32>, tensor<?x2xi32>
}
