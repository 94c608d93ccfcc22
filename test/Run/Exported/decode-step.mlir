// One step of decoding: keys and values go into a cache at a place that is clamped, and are attended
// to up to it.
// Exported by JAX through StableHLO.
// RUN: shard-run %s --verify --mesh=dp=2,tp=2
// RUN: shard-run %s --verify --mesh=dp=1,tp=3 --options=cost=bytes
// RUN: shard-run %s --verify --mesh=dp=2,tp=1 --options=conflicts=shardy
// RUN: shard-run %s --verify --mesh=dp=1,tp=4 --options=conflicts=greedy
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --mesh=dp=2,tp=2 --device=cuda-local --options=arch=host
#map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<() -> ()>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0) -> ()>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map12 = affine_map<(d0, d1, d2) -> (d2)>
#map13 = affine_map<(d0, d1, d2) -> ()>
module @decode_step {
  shardir.mesh @m <["dp"=?, "tp"=?]>
  func.func public @main(%arg0: tensor<2x12xf32>, %arg1: tensor<2x10x3x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}, {?}, {}]>}, %arg2: tensor<2x10x3x4xf32>, %arg3: tensor<12x36xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %arg4: tensor<i32>) -> (tensor<2x12xf32>, tensor<2x10x3x4xf32>, tensor<2x10x3x4xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %c9 = arith.constant 9 : index
    %c0 = arith.constant 0 : index
    %c10_i32 = arith.constant 10 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<-1.000000e+09> : tensor<f32>
    %0 = tensor.empty() : tensor<2x36xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x36xf32>) -> tensor<2x36xf32>
    %2 = linalg.matmul ins(%arg0, %arg3 : tensor<2x12xf32>, tensor<12x36xf32>) outs(%1 : tensor<2x36xf32>) -> tensor<2x36xf32>
    %expanded = tensor.expand_shape %2 [[0], [1, 2]] output_shape [2, 9, 4] : tensor<2x36xf32> into tensor<2x9x4xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 3, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x3x4xf32>
    %extracted_slice_2 = tensor.extract_slice %expanded[0, 3, 0] [2, 3, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x3x4xf32>
    %extracted_slice_3 = tensor.extract_slice %expanded[0, 6, 0] [2, 3, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x3x4xf32>
    %3 = tensor.empty() : tensor<2x1x3x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_2 : tensor<2x3x4xf32>) outs(%3 : tensor<2x1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x3x4xf32>
    %5 = tensor.empty() : tensor<i1>
    %6 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg4 : tensor<i32>) outs(%5 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %39 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %39 : i1
    } -> tensor<i1>
    %7 = tensor.empty() : tensor<i32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%arg4 : tensor<i32>) outs(%7 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %39 = arith.addi %in, %c10_i32 : i32
      linalg.yield %39 : i32
    } -> tensor<i32>
    %9 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map2], iterator_types = []} ins(%6, %8, %arg4 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%7 : tensor<i32>) {
    ^bb0(%in: i1, %in_5: i32, %in_6: i32, %out: i32):
      %39 = arith.select %in, %in_5, %in_6 : i32
      linalg.yield %39 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %9[] : tensor<i32>
    %10 = arith.index_cast %extracted : i32 to index
    %11 = arith.maxsi %10, %c0 : index
    %12 = arith.minsi %11, %c9 : index
    %inserted_slice = tensor.insert_slice %4 into %arg1[0, %12, 0, 0] [2, 1, 3, 4] [1, 1, 1, 1] : tensor<2x1x3x4xf32> into tensor<2x10x3x4xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_3 : tensor<2x3x4xf32>) outs(%3 : tensor<2x1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x3x4xf32>
    %inserted_slice_4 = tensor.insert_slice %13 into %arg2[0, %12, 0, 0] [2, 1, 3, 4] [1, 1, 1, 1] : tensor<2x1x3x4xf32> into tensor<2x10x3x4xf32>
    %14 = tensor.empty() : tensor<2x3x10xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<2x3x10xf32>) -> tensor<2x3x10xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %inserted_slice : tensor<2x3x4xf32>, tensor<2x10x3x4xf32>) outs(%15 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %39 = arith.mulf %in, %in_5 : f32
      %40 = arith.addf %out, %39 : f32
      linalg.yield %40 : f32
    } -> tensor<2x3x10xf32>
    %17 = tensor.empty() : tensor<10xi32>
    %18 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel"]} outs(%17 : tensor<10xi32>) {
    ^bb0(%out: i32):
      %39 = linalg.index 0 : index
      %40 = arith.index_cast %39 : index to i32
      linalg.yield %40 : i32
    } -> tensor<10xi32>
    %19 = linalg.generic {indexing_maps = [#map7, #map6], iterator_types = ["parallel"]} ins(%arg4 : tensor<i32>) outs(%17 : tensor<10xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<10xi32>
    %20 = tensor.empty() : tensor<10xi1>
    %21 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel"]} ins(%18, %19 : tensor<10xi32>, tensor<10xi32>) outs(%20 : tensor<10xi1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %39 = arith.cmpi sle, %in, %in_5 : i32
      linalg.yield %39 : i1
    } -> tensor<10xi1>
    %22 = call @_where(%21, %16, %cst_1) : (tensor<10xi1>, tensor<2x3x10xf32>, tensor<f32>) -> tensor<2x3x10xf32>
    %23 = tensor.empty() : tensor<2x3xf32>
    %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %25 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%22 : tensor<2x3x10xf32>) outs(%24 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.maximumf %out, %in : f32
      linalg.yield %39 : f32
    } -> tensor<2x3xf32>
    %26 = tensor.empty() : tensor<2x3x1xf32>
    %27 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<2x3xf32>) outs(%26 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x1xf32>
    %28 = linalg.generic {indexing_maps = [#map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x3x1xf32>) outs(%14 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x10xf32>
    %29 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %28 : tensor<2x3x10xf32>, tensor<2x3x10xf32>) outs(%14 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %39 = arith.subf %in, %in_5 : f32
      linalg.yield %39 : f32
    } -> tensor<2x3x10xf32>
    %30 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<2x3x10xf32>) outs(%14 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.exp %in : f32
      linalg.yield %39 : f32
    } -> tensor<2x3x10xf32>
    %31 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %32 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "reduction"]} ins(%30 : tensor<2x3x10xf32>) outs(%31 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %out, %in : f32
      linalg.yield %39 : f32
    } -> tensor<2x3xf32>
    %33 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<2x3xf32>) outs(%26 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x1xf32>
    %34 = linalg.generic {indexing_maps = [#map10, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<2x3x1xf32>) outs(%14 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x10xf32>
    %35 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %34 : tensor<2x3x10xf32>, tensor<2x3x10xf32>) outs(%14 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %39 = arith.divf %in, %in_5 : f32
      linalg.yield %39 : f32
    } -> tensor<2x3x10xf32>
    %36 = tensor.empty() : tensor<2x3x4xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map11, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%35, %inserted_slice_4 : tensor<2x3x10xf32>, tensor<2x10x3x4xf32>) outs(%37 : tensor<2x3x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %39 = arith.mulf %in, %in_5 : f32
      %40 = arith.addf %out, %39 : f32
      linalg.yield %40 : f32
    } -> tensor<2x3x4xf32>
    %collapsed = tensor.collapse_shape %38 [[0], [1, 2]] : tensor<2x3x4xf32> into tensor<2x12xf32>
    return %collapsed, %inserted_slice, %inserted_slice_4 : tensor<2x12xf32>, tensor<2x10x3x4xf32>, tensor<2x10x3x4xf32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<2x3x10xf32>, %arg2: tensor<f32>) -> tensor<2x3x10xf32> {
    %0 = tensor.empty() : tensor<2x3x10xi1>
    %1 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<10xi1>) outs(%0 : tensor<2x3x10xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x3x10xi1>
    %2 = tensor.empty() : tensor<2x3x10xf32>
    %3 = linalg.generic {indexing_maps = [#map13, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x3x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x10xf32>
    %4 = linalg.generic {indexing_maps = [#map8, #map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x3x10xi1>, tensor<2x3x10xf32>, tensor<2x3x10xf32>) outs(%2 : tensor<2x3x10xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %5 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %5 : f32
    } -> tensor<2x3x10xf32>
    return %4 : tensor<2x3x10xf32>
  }
}

