// Causal attention as PyTorch has it, over heads that do not divide among 4 ranks: a softmax that takes the
// maximum's place along, and rows and columns counted on their own. Exported through torch-mlir. It is one op,
// which reads queries as they are and whose mask compares the loops' indices; results are those of the unsharded
// program.
// RUN: shard-run %s --verify --mesh=tp=1
// RUN: shard-run %s --verify --mesh=tp=2
// RUN: shard-run %s --verify --mesh=tp=4
// RUN: shard-opt %s --shardir-to-scheduled="mesh=tp=2" | FileCheck %s
// CHECK:      kernel.attention {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x3x512x16xbf16>, tensor<1x3x512x16xbf16>, tensor<1x3x512x16xbf16>)
// CHECK:        %[[C:.+]] = kernel.loop_index 2
// CHECK-NEXT:   %[[COLUMN:.+]] = arith.index_cast %[[C]]
// CHECK-NEXT:   %[[R:.+]] = kernel.loop_index 1
// CHECK-NEXT:   %[[ROW:.+]] = arith.index_cast %[[R]]
// CHECK-NEXT:   arith.cmpi sle, %[[COLUMN]], %[[ROW]]
// CHECK-NOT:  512x512xf32
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
shardir.mesh @mesh <["tp"=?]>
func.func @main(%arg0: tensor<1x6x512x16xbf16> {shardir.name = "q", shardir.placement = #shardir.placement<@mesh, [{}, {"tp"}, {}, {}]>}, %arg1: tensor<1x6x512x16xbf16> {shardir.name = "k", shardir.placement = #shardir.placement<@mesh, [{}, {"tp"}, {}, {}]>}, %arg2: tensor<1x6x512x16xbf16> {shardir.name = "v", shardir.placement = #shardir.placement<@mesh, [{}, {"tp"}, {}, {}]>}) -> tensor<1x6x512x16xbf16> {
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_2 = arith.constant 2.500000e-01 : f32
  %0 = tensor.empty() : tensor<1x6x512x16xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x6x512x16xbf16>) outs(%0 : tensor<1x6x512x16xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %31 = arith.extf %in : bf16 to f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x16xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x6x512x16xbf16>) outs(%0 : tensor<1x6x512x16xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %31 = arith.extf %in : bf16 to f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x16xf32>
  %3 = tensor.empty() : tensor<1x6x16x512xf32>
  %transposed = linalg.transpose ins(%2 : tensor<1x6x512x16xf32>) outs(%3 : tensor<1x6x16x512xf32>) permutation = [0, 1, 3, 2] 
  %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<1x6x512x16xf32> into tensor<6x512x16xf32>
  %collapsed_3 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<1x6x16x512xf32> into tensor<6x16x512xf32>
  %4 = tensor.empty() : tensor<6x512x512xf32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<6x512x512xf32>) -> tensor<6x512x512xf32>
  %6 = linalg.batch_matmul ins(%collapsed, %collapsed_3 : tensor<6x512x16xf32>, tensor<6x16x512xf32>) outs(%5 : tensor<6x512x512xf32>) -> tensor<6x512x512xf32>
  %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [1, 6, 512, 512] : tensor<6x512x512xf32> into tensor<1x6x512x512xf32>
  %7 = tensor.empty() : tensor<1x6x512x512xf32>
  %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x6x512x512xf32>) outs(%7 : tensor<1x6x512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %31 = arith.mulf %in, %cst_2 : f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x512xf32>
  %9 = tensor.empty() : tensor<512xi64>
  %10 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%9 : tensor<512xi64>) {
  ^bb0(%out: i64):
    %31 = linalg.index 0 : index
    %32 = arith.index_cast %31 : index to i64
    linalg.yield %32 : i64
  } -> tensor<512xi64>
  %expanded_4 = tensor.expand_shape %10 [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %11 = tensor.empty() : tensor<512x512xi1>
  %12 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%10, %expanded_4 : tensor<512xi64>, tensor<512x1xi64>) outs(%11 : tensor<512x512xi1>) {
  ^bb0(%in: i64, %in_9: i64, %out: i1):
    %31 = arith.cmpi sle, %in, %in_9 : i64
    linalg.yield %31 : i1
  } -> tensor<512x512xi1>
  %13 = linalg.generic {indexing_maps = [#map5, #map, #map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %8, %cst_1 : tensor<512x512xi1>, tensor<1x6x512x512xf32>, tensor<f32>) outs(%7 : tensor<1x6x512x512xf32>) {
  ^bb0(%in: i1, %in_9: f32, %in_10: f32, %out: f32):
    %31 = arith.select %in, %in_9, %in_10 : f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x512xf32>
  %14 = tensor.empty() : tensor<1x6x512xi64>
  %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<1x6x512xi64>) -> tensor<1x6x512xi64>
  %16 = tensor.empty() : tensor<1x6x512xf32>
  %17 = linalg.fill ins(%cst_0 : f32) outs(%16 : tensor<1x6x512xf32>) -> tensor<1x6x512xf32>
  %18:2 = linalg.generic {indexing_maps = [#map, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<1x6x512x512xf32>) outs(%17, %15 : tensor<1x6x512xf32>, tensor<1x6x512xi64>) {
  ^bb0(%in: f32, %out: f32, %out_9: i64):
    %31 = linalg.index 3 : index
    %32 = arith.index_cast %31 : index to i64
    %33 = arith.maximumf %in, %out : f32
    %34 = arith.cmpf ogt, %in, %out : f32
    %35 = arith.select %34, %32, %out_9 : i64
    linalg.yield %33, %35 : f32, i64
  } -> (tensor<1x6x512xf32>, tensor<1x6x512xi64>)
  %expanded_5 = tensor.expand_shape %18#0 [[0], [1], [2, 3]] output_shape [1, 6, 512, 1] : tensor<1x6x512xf32> into tensor<1x6x512x1xf32>
  %19 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %expanded_5 : tensor<1x6x512x512xf32>, tensor<1x6x512x1xf32>) outs(%7 : tensor<1x6x512x512xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %31 = arith.subf %in, %in_9 : f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x512xf32>
  %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<1x6x512x512xf32>) outs(%7 : tensor<1x6x512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %31 = math.exp %in : f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x512xf32>
  %21 = tensor.empty() : tensor<1x6x512x1xf32>
  %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<1x6x512x1xf32>) -> tensor<1x6x512x1xf32>
  %23 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<1x6x512x512xf32>) outs(%22 : tensor<1x6x512x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %31 = arith.addf %in, %out : f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x1xf32>
  %24 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %23 : tensor<1x6x512x512xf32>, tensor<1x6x512x1xf32>) outs(%7 : tensor<1x6x512x512xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %31 = arith.divf %in, %in_9 : f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x512xf32>
  %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<1x6x512x16xbf16>) outs(%0 : tensor<1x6x512x16xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %31 = arith.extf %in : bf16 to f32
    linalg.yield %31 : f32
  } -> tensor<1x6x512x16xf32>
  %collapsed_6 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<1x6x512x512xf32> into tensor<6x512x512xf32>
  %collapsed_7 = tensor.collapse_shape %25 [[0, 1], [2], [3]] : tensor<1x6x512x16xf32> into tensor<6x512x16xf32>
  %26 = tensor.empty() : tensor<6x512x16xf32>
  %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<6x512x16xf32>) -> tensor<6x512x16xf32>
  %28 = linalg.batch_matmul ins(%collapsed_6, %collapsed_7 : tensor<6x512x512xf32>, tensor<6x512x16xf32>) outs(%27 : tensor<6x512x16xf32>) -> tensor<6x512x16xf32>
  %expanded_8 = tensor.expand_shape %28 [[0, 1], [2], [3]] output_shape [1, 6, 512, 16] : tensor<6x512x16xf32> into tensor<1x6x512x16xf32>
  %29 = tensor.empty() : tensor<1x6x512x16xbf16>
  %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<1x6x512x16xf32>) outs(%29 : tensor<1x6x512x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %31 = arith.truncf %in : f32 to bf16
    linalg.yield %31 : bf16
  } -> tensor<1x6x512x16xbf16>
  return %30 : tensor<1x6x512x16xbf16>
}
