// Sums of exponentials that the probabilities do not have: of the same scores less another row, as for the logarithm
// of their sum, are the op's sum times a row; others are none.
// Exported by JAX through StableHLO.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --device=cuda-local --options=arch=host --function=%{function}
// REDEFINE: %{function} = lse
// RUN: %{run}
// REDEFINE: %{function} = logs
// RUN: %{run}
// REDEFINE: %{function} = other
// RUN: %{run}
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a" -mlir-print-local-scope | FileCheck %s
#m0 = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
#m1 = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
#m2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m3 = affine_map<(d0, d1, d2) -> ()>
#m4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m5 = affine_map<(d0, d1) -> (d0, d1)>
#m6 = affine_map<(d0, d1, d2) -> (d1, d2)>
#m7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#m8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#m9 = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>
#m10 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#m11 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
shardir.mesh @m <["tp"=2]>

// CHECK-LABEL: func.func @lse
// CHECK-NOT: x32x32xf32
// CHECK:     kernel.attention
// CHECK-NOT: x32x32xf32
func.func @lse(%arg0: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg1: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg2: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}) -> (tensor<32x3x16xf32>, tensor<3x32xf32>) {
  %cst = arith.constant 0x7F800000 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 0.000000e+00 : f32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<3x32x32xf32>
  %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<32x3x16xf32>, tensor<32x3x16xf32>) outs(%1 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.mulf %in, %in_5 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<3x32x32xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.mulf %in, %in_5 : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %5 = tensor.empty() : tensor<32x32xi32>
  %6 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %41 = linalg.index 0 : index
    %42 = arith.index_cast %41 : index to i32
    linalg.yield %42 : i32
  } -> tensor<32x32xi32>
  %7 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %41 = linalg.index 1 : index
    %42 = arith.index_cast %41 : index to i32
    linalg.yield %42 : i32
  } -> tensor<32x32xi32>
  %8 = tensor.empty() : tensor<32x32xi1>
  %9 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%8 : tensor<32x32xi1>) {
  ^bb0(%in: i32, %in_5: i32, %out: i1):
    %41 = arith.cmpi sge, %in, %in_5 : i32
    linalg.yield %41 : i1
  } -> tensor<32x32xi1>
  %10 = tensor.empty() : tensor<3x32x32xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<32x32xi1>) outs(%10 : tensor<3x32x32xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<3x32x32xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<3x32x32xi1>, tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
    %41 = arith.select %in, %in_5, %in_6 : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %14 = tensor.empty() : tensor<3x32xf32>
  %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %16 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<3x32x32xf32>) outs(%15 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = arith.maximumf %out, %in : f32
    linalg.yield %41 : f32
  } -> tensor<3x32xf32>
  %17 = tensor.empty() : tensor<3x32x1xf32>
  %18 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<3x32xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %19 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %20 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %19 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.subf %in, %in_5 : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %21 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = math.exp %in : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %22 = linalg.fill ins(%cst_1 : f32) outs(%14 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %23 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<3x32x32xf32>) outs(%22 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = arith.addf %out, %in : f32
    linalg.yield %41 : f32
  } -> tensor<3x32xf32>
  %24 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<3x32xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %25 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %26 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.divf %in, %in_5 : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %27 = tensor.empty() : tensor<3x32x1xi1>
  %28 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<3x32x1xf32>) outs(%27 : tensor<3x32x1xi1>) {
  ^bb0(%in: f32, %out: i1):
    %41 = math.absf %in : f32
    %42 = arith.cmpf one, %41, %cst : f32
    linalg.yield %42 : i1
  } -> tensor<3x32x1xi1>
  %29 = call @lse_where(%28, %18, %cst_2) : (tensor<3x32x1xi1>, tensor<3x32x1xf32>, tensor<f32>) -> tensor<3x32x1xf32>
  %30 = tensor.empty() : tensor<3x16x32xf32>
  %31 = linalg.fill ins(%cst_1 : f32) outs(%30 : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  %32 = linalg.generic {indexing_maps = [#m9, #m10, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %26 : tensor<32x3x16xf32>, tensor<3x32x32xf32>) outs(%31 : tensor<3x16x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.mulf %in, %in_5 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<3x16x32xf32>
  %33 = tensor.empty() : tensor<32x3x16xf32>
  %34 = linalg.generic {indexing_maps = [#m11, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<3x16x32xf32>) outs(%33 : tensor<32x3x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x3x16xf32>
  %35 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %36 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %35 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.subf %in, %in_5 : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %37 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = math.exp %in : f32
    linalg.yield %41 : f32
  } -> tensor<3x32x32xf32>
  %38 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%37 : tensor<3x32x32xf32>) outs(%22 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = arith.addf %out, %in : f32
    linalg.yield %41 : f32
  } -> tensor<3x32xf32>
  %39 = linalg.generic {indexing_maps = [#m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<3x32xf32>) outs(%14 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = math.log %in : f32
    linalg.yield %41 : f32
  } -> tensor<3x32xf32>
  %collapsed = tensor.collapse_shape %29 [[0], [1, 2]] : tensor<3x32x1xf32> into tensor<3x32xf32>
  %40 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%39, %collapsed : tensor<3x32xf32>, tensor<3x32xf32>) outs(%14 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %41 = arith.addf %in, %in_5 : f32
    linalg.yield %41 : f32
  } -> tensor<3x32xf32>
  return %34, %40 : tensor<32x3x16xf32>, tensor<3x32xf32>
}
func.func private @lse_where(%arg0: tensor<3x32x1xi1>, %arg1: tensor<3x32x1xf32>, %arg2: tensor<f32>) -> tensor<3x32x1xf32> {
  %0 = tensor.empty() : tensor<3x32x1xf32>
  %1 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %2 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg1, %1 : tensor<3x32x1xi1>, tensor<3x32x1xf32>, tensor<3x32x1xf32>) outs(%0 : tensor<3x32x1xf32>) {
  ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
    %3 = arith.select %in, %in_0, %in_1 : f32
    linalg.yield %3 : f32
  } -> tensor<3x32x1xf32>
  return %2 : tensor<3x32x1xf32>
}

// CHECK-LABEL: func.func @logs
// CHECK-NOT: x32x32xf32
// CHECK:     kernel.attention
// CHECK-NOT: x32x32xf32
func.func @logs(%arg0: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg1: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg2: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}) -> tensor<32x3x16xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_2 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<3x32x32xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<32x3x16xf32>, tensor<32x3x16xf32>) outs(%1 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %34 = arith.mulf %in, %in_3 : f32
    %35 = arith.addf %out, %34 : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %34 = arith.mulf %in, %in_3 : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x32xf32>
  %5 = tensor.empty() : tensor<32x32xi32>
  %6 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %34 = linalg.index 0 : index
    %35 = arith.index_cast %34 : index to i32
    linalg.yield %35 : i32
  } -> tensor<32x32xi32>
  %7 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %34 = linalg.index 1 : index
    %35 = arith.index_cast %34 : index to i32
    linalg.yield %35 : i32
  } -> tensor<32x32xi32>
  %8 = tensor.empty() : tensor<32x32xi1>
  %9 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%8 : tensor<32x32xi1>) {
  ^bb0(%in: i32, %in_3: i32, %out: i1):
    %34 = arith.cmpi sge, %in, %in_3 : i32
    linalg.yield %34 : i1
  } -> tensor<32x32xi1>
  %10 = tensor.empty() : tensor<3x32x32xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<32x32xi1>) outs(%10 : tensor<3x32x32xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<3x32x32xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<3x32x32xi1>, tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
    %34 = arith.select %in, %in_3, %in_4 : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x32xf32>
  %14 = tensor.empty() : tensor<3x32xf32>
  %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %16 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<3x32x32xf32>) outs(%15 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %34 = arith.maximumf %out, %in : f32
    linalg.yield %34 : f32
  } -> tensor<3x32xf32>
  %17 = tensor.empty() : tensor<3x32x1xf32>
  %18 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<3x32xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %19 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %20 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %19 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %34 = arith.subf %in, %in_3 : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x32xf32>
  %21 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %34 = math.exp %in : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x32xf32>
  %22 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %23 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<3x32x32xf32>) outs(%22 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %34 = arith.addf %out, %in : f32
    linalg.yield %34 : f32
  } -> tensor<3x32xf32>
  %24 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<3x32xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %25 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<3x32x1xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %34 = math.log %in : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x1xf32>
  %26 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %27 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %26 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %34 = arith.subf %in, %in_3 : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x32xf32>
  %28 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %34 = math.exp %in : f32
    linalg.yield %34 : f32
  } -> tensor<3x32x32xf32>
  %29 = tensor.empty() : tensor<3x16x32xf32>
  %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  %31 = linalg.generic {indexing_maps = [#m9, #m10, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %28 : tensor<32x3x16xf32>, tensor<3x32x32xf32>) outs(%30 : tensor<3x16x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %34 = arith.mulf %in, %in_3 : f32
    %35 = arith.addf %out, %34 : f32
    linalg.yield %35 : f32
  } -> tensor<3x16x32xf32>
  %32 = tensor.empty() : tensor<32x3x16xf32>
  %33 = linalg.generic {indexing_maps = [#m11, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<3x16x32xf32>) outs(%32 : tensor<32x3x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x3x16xf32>
  return %33 : tensor<32x3x16xf32>
}

// CHECK-LABEL: func.func @other
// CHECK-NOT: kernel.attention
func.func @other(%arg0: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg1: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg2: tensor<32x3x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}) -> tensor<32x3x16xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<5.000000e-01> : tensor<f32>
  %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_3 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<3x32x32xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<3x32x32xf32>) -> tensor<3x32x32xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<32x3x16xf32>, tensor<32x3x16xf32>) outs(%1 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %35 = arith.mulf %in, %in_4 : f32
    %36 = arith.addf %out, %35 : f32
    linalg.yield %36 : f32
  } -> tensor<3x32x32xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %35 = arith.mulf %in, %in_4 : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %5 = tensor.empty() : tensor<32x32xi32>
  %6 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %35 = linalg.index 0 : index
    %36 = arith.index_cast %35 : index to i32
    linalg.yield %36 : i32
  } -> tensor<32x32xi32>
  %7 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %35 = linalg.index 1 : index
    %36 = arith.index_cast %35 : index to i32
    linalg.yield %36 : i32
  } -> tensor<32x32xi32>
  %8 = tensor.empty() : tensor<32x32xi1>
  %9 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%8 : tensor<32x32xi1>) {
  ^bb0(%in: i32, %in_4: i32, %out: i1):
    %35 = arith.cmpi sge, %in, %in_4 : i32
    linalg.yield %35 : i1
  } -> tensor<32x32xi1>
  %10 = tensor.empty() : tensor<3x32x32xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<32x32xi1>) outs(%10 : tensor<3x32x32xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<3x32x32xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<3x32x32xi1>, tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: i1, %in_4: f32, %in_5: f32, %out: f32):
    %35 = arith.select %in, %in_4, %in_5 : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %14 = tensor.empty() : tensor<3x32xf32>
  %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %16 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<3x32x32xf32>) outs(%15 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = arith.maximumf %out, %in : f32
    linalg.yield %35 : f32
  } -> tensor<3x32xf32>
  %17 = tensor.empty() : tensor<3x32x1xf32>
  %18 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<3x32xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %19 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %20 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %19 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %35 = arith.subf %in, %in_4 : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %21 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = math.exp %in : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %22 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %23 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %22 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %35 = arith.mulf %in, %in_4 : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %24 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = math.exp %in : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %25 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<3x32xf32>) -> tensor<3x32xf32>
  %26 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%24 : tensor<3x32x32xf32>) outs(%25 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = arith.addf %out, %in : f32
    linalg.yield %35 : f32
  } -> tensor<3x32xf32>
  %27 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<3x32xf32>) outs(%17 : tensor<3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x1xf32>
  %28 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<3x32x1xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x32x32xf32>
  %29 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %28 : tensor<3x32x32xf32>, tensor<3x32x32xf32>) outs(%0 : tensor<3x32x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %35 = arith.divf %in, %in_4 : f32
    linalg.yield %35 : f32
  } -> tensor<3x32x32xf32>
  %30 = tensor.empty() : tensor<3x16x32xf32>
  %31 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<3x16x32xf32>) -> tensor<3x16x32xf32>
  %32 = linalg.generic {indexing_maps = [#m9, #m10, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %29 : tensor<32x3x16xf32>, tensor<3x32x32xf32>) outs(%31 : tensor<3x16x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %35 = arith.mulf %in, %in_4 : f32
    %36 = arith.addf %out, %35 : f32
    linalg.yield %36 : f32
  } -> tensor<3x16x32xf32>
  %33 = tensor.empty() : tensor<32x3x16xf32>
  %34 = linalg.generic {indexing_maps = [#m11, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<3x16x32xf32>) outs(%33 : tensor<32x3x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x3x16xf32>
  return %34 : tensor<32x3x16xf32>
}
