// Attention over the edges of a graph: gathers by edge, a softmax over the values that reach each node by
// scatters of maxima and sums, as JAX writes segment_max and segment_sum.
// Exported by JAX through StableHLO.
// RUN: shard-run %s --verify --mesh=dp=2,tp=2
// RUN: shard-run %s --verify --mesh=dp=1,tp=3 --options=cost=bytes
// RUN: shard-run %s --verify --mesh=dp=2,tp=1 --options=conflicts=shardy
// RUN: shard-run %s --verify --mesh=dp=1,tp=4 --options=conflicts=greedy
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --mesh=dp=2,tp=2 --device=cuda-local --options=arch=host
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<() -> ()>
module @graph_attention {
  shardir.mesh @m <["dp"=?, "tp"=?]>
  func.func public @main(%arg0: tensor<9x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}, %arg1: tensor<14xi32>, %arg2: tensor<14xi32>, %arg3: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %arg4: tensor<8xf32>) -> (tensor<9x4xf32>) {
    %c1 = arith.constant 1 : index
    %c1_i32 = arith.constant 1 : i32
    %c14_i32 = arith.constant 14 : i32
    %c0_i32 = arith.constant 0 : i32
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<[8, 0]> : tensor<2xi32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<8> : tensor<1xi32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<9> : tensor<i32>
    %cst_5 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<9x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<9x4xf32>) -> tensor<9x4xf32>
    %2 = linalg.matmul ins(%arg0, %arg3 : tensor<9x5xf32>, tensor<5x4xf32>) outs(%1 : tensor<9x4xf32>) -> tensor<9x4xf32>
    %3 = tensor.empty() : tensor<14xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_5 : tensor<i32>) outs(%3 : tensor<14xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14xi32>
    %5 = tensor.empty() : tensor<14xi1>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg1, %4 : tensor<14xi32>, tensor<14xi32>) outs(%5 : tensor<14xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %46 = arith.cmpi slt, %in, %in_8 : i32
      linalg.yield %46 : i1
    } -> tensor<14xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_4 : tensor<i32>) outs(%3 : tensor<14xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14xi32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg1, %7 : tensor<14xi32>, tensor<14xi32>) outs(%3 : tensor<14xi32>) {
    ^bb0(%in: i32, %in_8: i32, %out: i32):
      %46 = arith.addi %in, %in_8 : i32
      linalg.yield %46 : i32
    } -> tensor<14xi32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel"]} ins(%6, %8, %arg1 : tensor<14xi1>, tensor<14xi32>, tensor<14xi32>) outs(%3 : tensor<14xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %46 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %46 : i32
    } -> tensor<14xi32>
    %10 = tensor.empty() : tensor<14x1xi32>
    %11 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<14xi32>) outs(%10 : tensor<14x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14x1xi32>
    %12 = tensor.empty() : tensor<14x4xf32>
    %13 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%12 : tensor<14x4xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %47 = linalg.index 1 : index
      %extracted = tensor.extract %11[%46, %c0] : tensor<14x1xi32>
      %48 = arith.index_cast %extracted : i32 to index
      %49 = arith.maxsi %48, %c0 : index
      %50 = arith.minsi %49, %c8 : index
      %extracted_8 = tensor.extract %2[%50, %47] : tensor<9x4xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<14x4xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg2, %4 : tensor<14xi32>, tensor<14xi32>) outs(%5 : tensor<14xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %46 = arith.cmpi slt, %in, %in_8 : i32
      linalg.yield %46 : i1
    } -> tensor<14xi1>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg2, %7 : tensor<14xi32>, tensor<14xi32>) outs(%3 : tensor<14xi32>) {
    ^bb0(%in: i32, %in_8: i32, %out: i32):
      %46 = arith.addi %in, %in_8 : i32
      linalg.yield %46 : i32
    } -> tensor<14xi32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel"]} ins(%14, %15, %arg2 : tensor<14xi1>, tensor<14xi32>, tensor<14xi32>) outs(%3 : tensor<14xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %46 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %46 : i32
    } -> tensor<14xi32>
    %17 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<14xi32>) outs(%10 : tensor<14x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14x1xi32>
    %18 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%12 : tensor<14x4xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %47 = linalg.index 1 : index
      %extracted = tensor.extract %17[%46, %c0] : tensor<14x1xi32>
      %48 = arith.index_cast %extracted : i32 to index
      %49 = arith.maxsi %48, %c0 : index
      %50 = arith.minsi %49, %c8 : index
      %extracted_8 = tensor.extract %2[%50, %47] : tensor<9x4xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<14x4xf32>
    %19 = tensor.empty() : tensor<14x8xf32>
    %20 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%19 : tensor<14x8xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %47 = linalg.index 1 : index
      %48 = arith.cmpi ult, %47, %c4 : index
      %49 = scf.if %48 -> (f32) {
        %extracted = tensor.extract %13[%46, %47] : tensor<14x4xf32>
        scf.yield %extracted : f32
      } else {
        %50 = arith.subi %47, %c4 : index
        %extracted = tensor.extract %18[%46, %50] : tensor<14x4xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %49 : f32
    } -> tensor<14x8xf32>
    %21 = tensor.empty() : tensor<14xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<14xf32>) -> tensor<14xf32>
    %23 = linalg.matvec ins(%20, %arg4 : tensor<14x8xf32>, tensor<8xf32>) outs(%22 : tensor<14xf32>) -> tensor<14xf32>
    %24 = call @leaky_relu(%23) : (tensor<14xf32>) -> tensor<14xf32>
    %25 = tensor.empty() : tensor<9xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_3 : tensor<f32>) outs(%25 : tensor<9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<14xi32>) outs(%10 : tensor<14x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14x1xi32>
    %expanded = tensor.expand_shape %24 [[0, 1]] output_shape [14, 1] : tensor<14xf32> into tensor<14x1xf32>
    %collapsed = tensor.collapse_shape %27 [[0, 1]] : tensor<14x1xi32> into tensor<14xi32>
    %28 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<14xi32>) outs(%10 : tensor<14x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14x1xi32>
    %29:2 = scf.for %arg5 = %c0_i32 to %c14_i32 step %c1_i32 iter_args(%arg6 = %cst_5, %arg7 = %26) -> (tensor<i32>, tensor<9xf32>)  : i32 {
      %46:2 = func.call @closed_call(%28, %expanded, %cst_2, %arg6, %arg7) : (tensor<14x1xi32>, tensor<14x1xf32>, tensor<1xi32>, tensor<i32>, tensor<9xf32>) -> (tensor<i32>, tensor<9xf32>)
      scf.yield %46#0, %46#1 : tensor<i32>, tensor<9xf32>
    }
    %30 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%21 : tensor<14xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %extracted = tensor.extract %17[%46, %c0] : tensor<14x1xi32>
      %47 = arith.index_cast %extracted : i32 to index
      %48 = arith.maxsi %47, %c0 : index
      %49 = arith.minsi %48, %c8 : index
      %extracted_8 = tensor.extract %29#1[%49] : tensor<9xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<14xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%24, %30 : tensor<14xf32>, tensor<14xf32>) outs(%21 : tensor<14xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %46 = arith.subf %in, %in_8 : f32
      linalg.yield %46 : f32
    } -> tensor<14xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%31 : tensor<14xf32>) outs(%21 : tensor<14xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = math.exp %in : f32
      linalg.yield %46 : f32
    } -> tensor<14xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_1 : tensor<f32>) outs(%25 : tensor<9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9xf32>
    %expanded_6 = tensor.expand_shape %32 [[0, 1]] output_shape [14, 1] : tensor<14xf32> into tensor<14x1xf32>
    %34:2 = scf.for %arg5 = %c0_i32 to %c14_i32 step %c1_i32 iter_args(%arg6 = %cst_5, %arg7 = %33) -> (tensor<i32>, tensor<9xf32>)  : i32 {
      %46:2 = func.call @closed_call_1(%28, %expanded_6, %cst_2, %arg6, %arg7) : (tensor<14x1xi32>, tensor<14x1xf32>, tensor<1xi32>, tensor<i32>, tensor<9xf32>) -> (tensor<i32>, tensor<9xf32>)
      scf.yield %46#0, %46#1 : tensor<i32>, tensor<9xf32>
    }
    %35 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%21 : tensor<14xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %extracted = tensor.extract %17[%46, %c0] : tensor<14x1xi32>
      %47 = arith.index_cast %extracted : i32 to index
      %48 = arith.maxsi %47, %c0 : index
      %49 = arith.minsi %48, %c8 : index
      %extracted_8 = tensor.extract %34#1[%49] : tensor<9xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<14xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%32, %35 : tensor<14xf32>, tensor<14xf32>) outs(%21 : tensor<14xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %46 = arith.divf %in, %in_8 : f32
      linalg.yield %46 : f32
    } -> tensor<14xf32>
    %37 = tensor.empty() : tensor<14x1xf32>
    %38 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<14xf32>) outs(%37 : tensor<14x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<14x1xf32>
    %39 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<14x1xf32>) outs(%12 : tensor<14x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<14x4xf32>
    %40 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%39, %13 : tensor<14x4xf32>, tensor<14x4xf32>) outs(%12 : tensor<14x4xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %46 = arith.mulf %in, %in_8 : f32
      linalg.yield %46 : f32
    } -> tensor<14x4xf32>
    %41 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<9x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<9x4xf32>
    %expanded_7 = tensor.expand_shape %40 [[0], [1, 2]] output_shape [14, 1, 4] : tensor<14x4xf32> into tensor<14x1x4xf32>
    %42 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<14xi32>) outs(%10 : tensor<14x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<14x1xi32>
    %43 = tensor.empty() : tensor<14x2xi32>
    %44 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%43 : tensor<14x2xi32>) {
    ^bb0(%out: i32):
      %46 = linalg.index 0 : index
      %47 = linalg.index 1 : index
      %48 = arith.cmpi ult, %47, %c1 : index
      %49 = scf.if %48 -> (i32) {
        %extracted = tensor.extract %28[%46, %47] : tensor<14x1xi32>
        scf.yield %extracted : i32
      } else {
        %50 = arith.subi %47, %c1 : index
        %extracted = tensor.extract %42[%46, %50] : tensor<14x1xi32>
        scf.yield %extracted : i32
      }
      linalg.yield %49 : i32
    } -> tensor<14x2xi32>
    %45:2 = scf.for %arg5 = %c0_i32 to %c14_i32 step %c1_i32 iter_args(%arg6 = %cst_5, %arg7 = %41) -> (tensor<i32>, tensor<9x4xf32>)  : i32 {
      %46:2 = func.call @closed_call_2(%44, %expanded_7, %cst_0, %arg6, %arg7) : (tensor<14x2xi32>, tensor<14x1x4xf32>, tensor<2xi32>, tensor<i32>, tensor<9x4xf32>) -> (tensor<i32>, tensor<9x4xf32>)
      scf.yield %46#0, %46#1 : tensor<i32>, tensor<9x4xf32>
    }
    return %45#1 : tensor<9x4xf32>
  }
  func.func private @leaky_relu(%arg0: tensor<14xf32>) -> tensor<14xf32> {
    %cst = arith.constant dense<0.00999999977> : tensor<f32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<14xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<14xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<14xf32>
    %2 = tensor.empty() : tensor<14xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg0, %1 : tensor<14xf32>, tensor<14xf32>) outs(%2 : tensor<14xi1>) {
    ^bb0(%in: f32, %in_1: f32, %out: i1):
      %7 = arith.cmpf oge, %in, %in_1 : f32
      linalg.yield %7 : i1
    } -> tensor<14xi1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<14xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<14xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%4, %arg0 : tensor<14xf32>, tensor<14xf32>) outs(%0 : tensor<14xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.mulf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<14xf32>
    %6 = call @_where(%3, %arg0, %5) : (tensor<14xi1>, tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
    return %6 : tensor<14xf32>
  }
  func.func private @_where(%arg0: tensor<14xi1>, %arg1: tensor<14xf32>, %arg2: tensor<14xf32>) -> tensor<14xf32> {
    %0 = tensor.empty() : tensor<14xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg0, %arg1, %arg2 : tensor<14xi1>, tensor<14xf32>, tensor<14xf32>) outs(%0 : tensor<14xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %2 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %2 : f32
    } -> tensor<14xf32>
    return %1 : tensor<14xf32>
  }
  func.func private @closed_call(%arg0: tensor<14x1xi32>, %arg1: tensor<14x1xf32>, %arg2: tensor<1xi32>, %arg3: tensor<i32>, %arg4: tensor<9xf32>) -> (tensor<i32>, tensor<9xf32>) {
    %c8 = arith.constant 8 : index
    %c9_i32 = arith.constant 9 : i32
    %true = arith.constant true
    %c13 = arith.constant 13 : index
    %c0 = arith.constant 0 : index
    %c14_i32 = arith.constant 14 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<i32>
    %1 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %26 = arith.addi %in, %c1_i32 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %2 = tensor.empty() : tensor<i1>
    %3 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %26 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %26 : i1
    } -> tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %26 = arith.addi %in, %c14_i32 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %5 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%3, %4, %arg3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_5: i32, %in_6: i32, %out: i32):
      %26 = arith.select %in, %in_5, %in_6 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %5[] : tensor<i32>
    %6 = arith.index_cast %extracted : i32 to index
    %7 = arith.maxsi %6, %c0 : index
    %8 = arith.minsi %7, %c13 : index
    %extracted_slice = tensor.extract_slice %arg0[%8, 0] [1, 1] [1, 1] : tensor<14x1xi32> to tensor<1x1xi32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x1xi32> into tensor<1xi32>
    %extracted_slice_0 = tensor.extract_slice %arg1[%8, 0] [1, 1] [1, 1] : tensor<14x1xf32> to tensor<1x1xf32>
    %collapsed_1 = tensor.collapse_shape %extracted_slice_0 [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
    %9 = tensor.empty() : tensor<1xi32>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst : tensor<i32>) outs(%9 : tensor<1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1xi32>
    %11 = tensor.empty() : tensor<1xi1>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%collapsed, %10 : tensor<1xi32>, tensor<1xi32>) outs(%11 : tensor<1xi1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %26 = arith.cmpi sge, %in, %in_5 : i32
      linalg.yield %26 : i1
    } -> tensor<1xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%collapsed, %arg2 : tensor<1xi32>, tensor<1xi32>) outs(%11 : tensor<1xi1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %26 = arith.cmpi sle, %in, %in_5 : i32
      linalg.yield %26 : i1
    } -> tensor<1xi1>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%12, %13 : tensor<1xi1>, tensor<1xi1>) outs(%11 : tensor<1xi1>) {
    ^bb0(%in: i1, %in_5: i1, %out: i1):
      %26 = arith.andi %in, %in_5 : i1
      linalg.yield %26 : i1
    } -> tensor<1xi1>
    %15 = linalg.fill ins(%true : i1) outs(%2 : tensor<i1>) -> tensor<i1>
    %16 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["reduction"]} ins(%14 : tensor<1xi1>) outs(%15 : tensor<i1>) {
    ^bb0(%in: i1, %out: i1):
      %26 = arith.andi %out, %in : i1
      linalg.yield %26 : i1
    } -> tensor<i1>
    %collapsed_2 = tensor.collapse_shape %extracted_slice [] : tensor<1x1xi32> into tensor<i32>
    %17 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_2 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %26 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %26 : i1
    } -> tensor<i1>
    %18 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_2 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %26 = arith.addi %in, %c9_i32 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %19 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%17, %18, %collapsed_2 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_5: i32, %in_6: i32, %out: i32):
      %26 = arith.select %in, %in_5, %in_6 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %extracted_3 = tensor.extract %19[] : tensor<i32>
    %20 = arith.index_cast %extracted_3 : i32 to index
    %21 = arith.maxsi %20, %c0 : index
    %22 = arith.minsi %21, %c8 : index
    %extracted_slice_4 = tensor.extract_slice %arg4[%22] [1] [1] : tensor<9xf32> to tensor<1xf32>
    %23 = tensor.empty() : tensor<1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%extracted_slice_4, %collapsed_1 : tensor<1xf32>, tensor<1xf32>) outs(%23 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %26 = arith.maximumf %in, %in_5 : f32
      linalg.yield %26 : f32
    } -> tensor<1xf32>
    %25 = call @_where_0(%16, %24, %extracted_slice_4) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %inserted_slice = tensor.insert_slice %25 into %arg4[%22] [1] [1] : tensor<1xf32> into tensor<9xf32>
    return %1, %inserted_slice : tensor<i32>, tensor<9xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>) -> tensor<1xf32> {
    %0 = tensor.empty() : tensor<1xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %1 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg1, %arg2 : tensor<1xf32>, tensor<1xf32>) outs(%0 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<1xf32>
    return %1 : tensor<1xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<14x1xi32>, %arg1: tensor<14x1xf32>, %arg2: tensor<1xi32>, %arg3: tensor<i32>, %arg4: tensor<9xf32>) -> (tensor<i32>, tensor<9xf32>) {
    %c8 = arith.constant 8 : index
    %c9_i32 = arith.constant 9 : i32
    %true = arith.constant true
    %c13 = arith.constant 13 : index
    %c0 = arith.constant 0 : index
    %c14_i32 = arith.constant 14 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<i32>
    %1 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %26 = arith.addi %in, %c1_i32 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %2 = tensor.empty() : tensor<i1>
    %3 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %26 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %26 : i1
    } -> tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %26 = arith.addi %in, %c14_i32 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %5 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%3, %4, %arg3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_5: i32, %in_6: i32, %out: i32):
      %26 = arith.select %in, %in_5, %in_6 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %5[] : tensor<i32>
    %6 = arith.index_cast %extracted : i32 to index
    %7 = arith.maxsi %6, %c0 : index
    %8 = arith.minsi %7, %c13 : index
    %extracted_slice = tensor.extract_slice %arg0[%8, 0] [1, 1] [1, 1] : tensor<14x1xi32> to tensor<1x1xi32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x1xi32> into tensor<1xi32>
    %extracted_slice_0 = tensor.extract_slice %arg1[%8, 0] [1, 1] [1, 1] : tensor<14x1xf32> to tensor<1x1xf32>
    %collapsed_1 = tensor.collapse_shape %extracted_slice_0 [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
    %9 = tensor.empty() : tensor<1xi32>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst : tensor<i32>) outs(%9 : tensor<1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1xi32>
    %11 = tensor.empty() : tensor<1xi1>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%collapsed, %10 : tensor<1xi32>, tensor<1xi32>) outs(%11 : tensor<1xi1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %26 = arith.cmpi sge, %in, %in_5 : i32
      linalg.yield %26 : i1
    } -> tensor<1xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%collapsed, %arg2 : tensor<1xi32>, tensor<1xi32>) outs(%11 : tensor<1xi1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %26 = arith.cmpi sle, %in, %in_5 : i32
      linalg.yield %26 : i1
    } -> tensor<1xi1>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%12, %13 : tensor<1xi1>, tensor<1xi1>) outs(%11 : tensor<1xi1>) {
    ^bb0(%in: i1, %in_5: i1, %out: i1):
      %26 = arith.andi %in, %in_5 : i1
      linalg.yield %26 : i1
    } -> tensor<1xi1>
    %15 = linalg.fill ins(%true : i1) outs(%2 : tensor<i1>) -> tensor<i1>
    %16 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["reduction"]} ins(%14 : tensor<1xi1>) outs(%15 : tensor<i1>) {
    ^bb0(%in: i1, %out: i1):
      %26 = arith.andi %out, %in : i1
      linalg.yield %26 : i1
    } -> tensor<i1>
    %collapsed_2 = tensor.collapse_shape %extracted_slice [] : tensor<1x1xi32> into tensor<i32>
    %17 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_2 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %26 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %26 : i1
    } -> tensor<i1>
    %18 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_2 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %26 = arith.addi %in, %c9_i32 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %19 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%17, %18, %collapsed_2 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_5: i32, %in_6: i32, %out: i32):
      %26 = arith.select %in, %in_5, %in_6 : i32
      linalg.yield %26 : i32
    } -> tensor<i32>
    %extracted_3 = tensor.extract %19[] : tensor<i32>
    %20 = arith.index_cast %extracted_3 : i32 to index
    %21 = arith.maxsi %20, %c0 : index
    %22 = arith.minsi %21, %c8 : index
    %extracted_slice_4 = tensor.extract_slice %arg4[%22] [1] [1] : tensor<9xf32> to tensor<1xf32>
    %23 = tensor.empty() : tensor<1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%extracted_slice_4, %collapsed_1 : tensor<1xf32>, tensor<1xf32>) outs(%23 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %26 = arith.addf %in, %in_5 : f32
      linalg.yield %26 : f32
    } -> tensor<1xf32>
    %25 = call @_where_0(%16, %24, %extracted_slice_4) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %inserted_slice = tensor.insert_slice %25 into %arg4[%22] [1] [1] : tensor<1xf32> into tensor<9xf32>
    return %1, %inserted_slice : tensor<i32>, tensor<9xf32>
  }
  func.func private @closed_call_2(%arg0: tensor<14x2xi32>, %arg1: tensor<14x1x4xf32>, %arg2: tensor<2xi32>, %arg3: tensor<i32>, %arg4: tensor<9x4xf32>) -> (tensor<i32>, tensor<9x4xf32>) {
    %c8 = arith.constant 8 : index
    %c4_i32 = arith.constant 4 : i32
    %c9_i32 = arith.constant 9 : i32
    %true = arith.constant true
    %c13 = arith.constant 13 : index
    %c0 = arith.constant 0 : index
    %c14_i32 = arith.constant 14 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<i32>
    %1 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %32 = arith.addi %in, %c1_i32 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %2 = tensor.empty() : tensor<i1>
    %3 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %32 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %32 : i1
    } -> tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %32 = arith.addi %in, %c14_i32 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %5 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%3, %4, %arg3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_9: i32, %in_10: i32, %out: i32):
      %32 = arith.select %in, %in_9, %in_10 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %5[] : tensor<i32>
    %6 = arith.index_cast %extracted : i32 to index
    %7 = arith.maxsi %6, %c0 : index
    %8 = arith.minsi %7, %c13 : index
    %extracted_slice = tensor.extract_slice %arg0[%8, 0] [1, 2] [1, 1] : tensor<14x2xi32> to tensor<1x2xi32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x2xi32> into tensor<2xi32>
    %extracted_slice_0 = tensor.extract_slice %arg1[%8, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<14x1x4xf32> to tensor<1x1x4xf32>
    %collapsed_1 = tensor.collapse_shape %extracted_slice_0 [[0], [1, 2]] : tensor<1x1x4xf32> into tensor<1x4xf32>
    %9 = tensor.empty() : tensor<2xi32>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst : tensor<i32>) outs(%9 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2xi32>
    %11 = tensor.empty() : tensor<2xi1>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%collapsed, %10 : tensor<2xi32>, tensor<2xi32>) outs(%11 : tensor<2xi1>) {
    ^bb0(%in: i32, %in_9: i32, %out: i1):
      %32 = arith.cmpi sge, %in, %in_9 : i32
      linalg.yield %32 : i1
    } -> tensor<2xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%collapsed, %arg2 : tensor<2xi32>, tensor<2xi32>) outs(%11 : tensor<2xi1>) {
    ^bb0(%in: i32, %in_9: i32, %out: i1):
      %32 = arith.cmpi sle, %in, %in_9 : i32
      linalg.yield %32 : i1
    } -> tensor<2xi1>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%12, %13 : tensor<2xi1>, tensor<2xi1>) outs(%11 : tensor<2xi1>) {
    ^bb0(%in: i1, %in_9: i1, %out: i1):
      %32 = arith.andi %in, %in_9 : i1
      linalg.yield %32 : i1
    } -> tensor<2xi1>
    %15 = linalg.fill ins(%true : i1) outs(%2 : tensor<i1>) -> tensor<i1>
    %16 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["reduction"]} ins(%14 : tensor<2xi1>) outs(%15 : tensor<i1>) {
    ^bb0(%in: i1, %out: i1):
      %32 = arith.andi %out, %in : i1
      linalg.yield %32 : i1
    } -> tensor<i1>
    %extracted_slice_2 = tensor.extract_slice %collapsed[0] [1] [1] : tensor<2xi32> to tensor<1xi32>
    %collapsed_3 = tensor.collapse_shape %extracted_slice_2 [] : tensor<1xi32> into tensor<i32>
    %extracted_slice_4 = tensor.extract_slice %collapsed[1] [1] [1] : tensor<2xi32> to tensor<1xi32>
    %collapsed_5 = tensor.collapse_shape %extracted_slice_4 [] : tensor<1xi32> into tensor<i32>
    %17 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_3 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %32 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %32 : i1
    } -> tensor<i1>
    %18 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_3 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %32 = arith.addi %in, %c9_i32 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %19 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%17, %18, %collapsed_3 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_9: i32, %in_10: i32, %out: i32):
      %32 = arith.select %in, %in_9, %in_10 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %20 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_5 : tensor<i32>) outs(%2 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %32 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %32 : i1
    } -> tensor<i1>
    %21 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%collapsed_5 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %32 = arith.addi %in, %c4_i32 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %22 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = []} ins(%20, %21, %collapsed_5 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i1, %in_9: i32, %in_10: i32, %out: i32):
      %32 = arith.select %in, %in_9, %in_10 : i32
      linalg.yield %32 : i32
    } -> tensor<i32>
    %extracted_6 = tensor.extract %19[] : tensor<i32>
    %23 = arith.index_cast %extracted_6 : i32 to index
    %24 = arith.maxsi %23, %c0 : index
    %25 = arith.minsi %24, %c8 : index
    %extracted_7 = tensor.extract %22[] : tensor<i32>
    %26 = arith.index_cast %extracted_7 : i32 to index
    %27 = arith.maxsi %26, %c0 : index
    %28 = arith.minsi %27, %c0 : index
    %extracted_slice_8 = tensor.extract_slice %arg4[%25, %28] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<1x4xf32>
    %29 = tensor.empty() : tensor<1x4xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_8, %collapsed_1 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%29 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %32 = arith.addf %in, %in_9 : f32
      linalg.yield %32 : f32
    } -> tensor<1x4xf32>
    %31 = call @_where_3(%16, %30, %extracted_slice_8) : (tensor<i1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %inserted_slice = tensor.insert_slice %31 into %arg4[%25, %28] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<9x4xf32>
    return %1, %inserted_slice : tensor<i32>, tensor<9x4xf32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<1x4xf32>, %arg2: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = tensor.empty() : tensor<1x4xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %1 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg2 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%0 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<1x4xf32>
    return %1 : tensor<1x4xf32>
  }
}

