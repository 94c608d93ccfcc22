// A recurrence whose state is a matrix per head (RWKV), as a scan over time.
// Exported by JAX through StableHLO.
// RUN: shard-run %s --verify --mesh=dp=2,tp=2
// RUN: shard-run %s --verify --mesh=dp=1,tp=3 --options=cost=bytes
// RUN: shard-run %s --verify --mesh=dp=2,tp=1 --options=conflicts=shardy
// RUN: shard-run %s --verify --mesh=dp=1,tp=4 --options=conflicts=greedy
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --mesh=dp=2,tp=2 --device=cuda-local --options=arch=host
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, 0)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
module @linear_recurrence {
  shardir.mesh @m <["dp"=?, "tp"=?]>
  func.func public @main(%arg0: tensor<2x7x3x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}, {?}, {}]>}, %arg1: tensor<2x7x3x4xf32> {shardir.placement = #shardir.placement<@m, [{?}, {}, {"tp"}, {}]>}, %arg2: tensor<2x7x3x4xf32>, %arg3: tensor<3x4xf32>, %arg4: tensor<3x4xf32>) -> (tensor<2x7x3x4xf32>, tensor<2x3x4x4xf32>) {
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<3x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<3x4xf32>) outs(%0 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = math.exp %in : f32
      linalg.yield %14 : f32
    } -> tensor<3x4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<3x4xf32>) outs(%0 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.negf %in : f32
      linalg.yield %14 : f32
    } -> tensor<3x4xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<3x4xf32>) outs(%0 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = math.exp %in : f32
      linalg.yield %14 : f32
    } -> tensor<3x4xf32>
    %4 = tensor.empty() : tensor<2x3x4x4xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4x4xf32>
    %6 = tensor.empty() : tensor<7x2x3x4xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x7x3x4xf32>) outs(%6 : tensor<7x2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x2x3x4xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x7x3x4xf32>) outs(%6 : tensor<7x2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x2x3x4xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x7x3x4xf32>) outs(%6 : tensor<7x2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x2x3x4xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%6 : tensor<7x2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x2x3x4xf32>
    %11:2 = scf.for %arg5 = %c0_i32 to %c7_i32 step %c1_i32 iter_args(%arg6 = %5, %arg7 = %10) -> (tensor<2x3x4x4xf32>, tensor<7x2x3x4xf32>)  : i32 {
      %from_elements = tensor.from_elements %arg5 : tensor<i32>
      %14 = func.call @dynamic_index_in_dim(%7, %from_elements) : (tensor<7x2x3x4xf32>, tensor<i32>) -> tensor<2x3x4xf32>
      %15 = func.call @dynamic_index_in_dim(%8, %from_elements) : (tensor<7x2x3x4xf32>, tensor<i32>) -> tensor<2x3x4xf32>
      %16 = func.call @dynamic_index_in_dim(%9, %from_elements) : (tensor<7x2x3x4xf32>, tensor<i32>) -> tensor<2x3x4xf32>
      %17:2 = func.call @closed_call(%arg4, %3, %arg6, %14, %15, %16) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
      %18 = func.call @dynamic_update_index_in_dim(%arg7, %17#1, %from_elements) : (tensor<7x2x3x4xf32>, tensor<2x3x4xf32>, tensor<i32>) -> tensor<7x2x3x4xf32>
      scf.yield %17#0, %18 : tensor<2x3x4x4xf32>, tensor<7x2x3x4xf32>
    }
    %12 = tensor.empty() : tensor<2x7x3x4xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11#1 : tensor<7x2x3x4xf32>) outs(%12 : tensor<2x7x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x7x3x4xf32>
    return %13, %11#0 : tensor<2x7x3x4xf32>, tensor<2x3x4x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x2x3x4xf32>, %arg1: tensor<i32>) -> tensor<2x3x4xf32> {
    %c6 = arith.constant 6 : index
    %c0 = arith.constant 0 : index
    %extracted = tensor.extract %arg1[] : tensor<i32>
    %0 = arith.index_cast %extracted : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c6 : index
    %extracted_slice = tensor.extract_slice %arg0[%2, 0, 0, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<7x2x3x4xf32> to tensor<1x2x3x4xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2], [3]] : tensor<1x2x3x4xf32> into tensor<2x3x4xf32>
    return %collapsed : tensor<2x3x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2x3x4x4xf32>, %arg3: tensor<2x3x4xf32>, %arg4: tensor<2x3x4xf32>, %arg5: tensor<2x3x4xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x3x4x1xf32>
    %1 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4 : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4x1xf32>
    %2 = tensor.empty() : tensor<2x3x1x4xf32>
    %3 = linalg.generic {indexing_maps = [#map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x1x4xf32>
    %4 = tensor.empty() : tensor<2x3x4x4xf32>
    %5 = linalg.generic {indexing_maps = [#map6, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x3x4x1xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4x4xf32>
    %6 = linalg.generic {indexing_maps = [#map7, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<2x3x1x4xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4x4xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %6 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %23 = arith.mulf %in, %in_0 : f32
      linalg.yield %23 : f32
    } -> tensor<2x3x4x4xf32>
    %8 = tensor.empty() : tensor<3x4x1xf32>
    %9 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x4xf32>) outs(%8 : tensor<3x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4x1xf32>
    %10 = tensor.empty() : tensor<1x3x4x1xf32>
    %11 = linalg.generic {indexing_maps = [#map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<3x4x1xf32>) outs(%10 : tensor<1x3x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4x1xf32>
    %12 = linalg.generic {indexing_maps = [#map11, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x3x4x1xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4x4xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %7 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %23 = arith.mulf %in, %in_0 : f32
      linalg.yield %23 : f32
    } -> tensor<2x3x4x4xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2, %13 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %23 = arith.addf %in, %in_0 : f32
      linalg.yield %23 : f32
    } -> tensor<2x3x4x4xf32>
    %15 = tensor.empty() : tensor<2x3x4xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %17 = linalg.generic {indexing_maps = [#map5, #map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %14 : tensor<2x3x4xf32>, tensor<2x3x4x4xf32>) outs(%16 : tensor<2x3x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %23 = arith.mulf %in, %in_0 : f32
      %24 = arith.addf %out, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<2x3x4xf32>
    %18 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<3x4xf32>) outs(%8 : tensor<3x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4x1xf32>
    %19 = linalg.generic {indexing_maps = [#map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<3x4x1xf32>) outs(%10 : tensor<1x3x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x4x1xf32>
    %20 = linalg.generic {indexing_maps = [#map11, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<1x3x4x1xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x4x4xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2, %20 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %23 = arith.mulf %in, %in_0 : f32
      linalg.yield %23 : f32
    } -> tensor<2x3x4x4xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %7 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) outs(%4 : tensor<2x3x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %23 = arith.addf %in, %in_0 : f32
      linalg.yield %23 : f32
    } -> tensor<2x3x4x4xf32>
    return %22, %17 : tensor<2x3x4x4xf32>, tensor<2x3x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x2x3x4xf32>, %arg1: tensor<2x3x4xf32>, %arg2: tensor<i32>) -> tensor<7x2x3x4xf32> {
    %c6 = arith.constant 6 : index
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1x2x3x4xf32>
    %1 = linalg.generic {indexing_maps = [#map10, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x3x4xf32>) outs(%0 : tensor<1x2x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x3x4xf32>
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %2 = arith.index_cast %extracted : i32 to index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.minsi %3, %c6 : index
    %inserted_slice = tensor.insert_slice %1 into %arg0[%4, 0, 0, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x3x4xf32> into tensor<7x2x3x4xf32>
    return %inserted_slice : tensor<7x2x3x4xf32>
  }
}

