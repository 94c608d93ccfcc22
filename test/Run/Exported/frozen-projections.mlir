// Attention of heads that share keys and values, some of whose gradients nobody wants, as of frozen
// projections: one backward op makes those that are wanted, and nothing for the others.
// Exported by JAX through StableHLO.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --device=cuda-local --options=arch=host --function=%{function}
// REDEFINE: %{function} = queries
// RUN: %{run}
// REDEFINE: %{function} = values
// RUN: %{run}
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a" -mlir-print-local-scope | FileCheck %s --implicit-check-not="memref<2x4x2x32x32xf32>"
#m0 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#m1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#m2 = affine_map<(d0) -> (d0)>
#m3 = affine_map<(d0, d1) -> (d0)>
#m4 = affine_map<(d0, d1) -> (d0, d1)>
#m5 = affine_map<(d0, d1) -> (d1)>
#m6 = affine_map<(d0, d1) -> (d0, 0)>
#m7 = affine_map<(d0, d1) -> (0, d1)>
#m8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
#m9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#m10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#m11 = affine_map<(d0, d1, d2, d3) -> ()>
#m12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m14 = affine_map<(d0, d1, d2) -> ()>
#m15 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m17 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#m18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#m19 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#m20 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#m21 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>
#m22 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>
#m23 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#m24 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#m25 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#m26 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4, d3)>
shardir.mesh @m <["tp"=2]>

// CHECK-LABEL: func.func @queries
// CHECK: kernel.attention_backward {indexing_maps = {{.*}}, unwanted = array<i64: 1, 2>}
  func.func @queries(%arg0: tensor<2x32x8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg1: tensor<2x32x4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg2: tensor<2x32x4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg3: tensor<2x32x8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}) -> (tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant dense<2.500000e-01> : tensor<f32>
    %0 = tensor.empty() : tensor<2x32x4x2x16xf32>
    %1 = linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x32x4x16xf32>) outs(%0 : tensor<2x32x4x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x2x16xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3], [4]] : tensor<2x32x4x2x16xf32> into tensor<2x32x8x16xf32>
    %2 = linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x32x4x16xf32>) outs(%0 : tensor<2x32x4x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x2x16xf32>
    %collapsed_4 = tensor.collapse_shape %2 [[0], [1], [2, 3], [4]] : tensor<2x32x4x2x16xf32> into tensor<2x32x8x16xf32>
    %3 = tensor.empty() : tensor<32xi32>
    %4 = linalg.generic {indexing_maps = [#m2], iterator_types = ["parallel"]} outs(%3 : tensor<32xi32>) {
    ^bb0(%out: i32):
      %61 = linalg.index 0 : index
      %62 = arith.index_cast %61 : index to i32
      linalg.yield %62 : i32
    } -> tensor<32xi32>
    %5 = tensor.empty() : tensor<32x1xi32>
    %6 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<32xi32>) outs(%5 : tensor<32x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x1xi32>
    %7 = tensor.empty() : tensor<1x32xi32>
    %8 = linalg.generic {indexing_maps = [#m5, #m4], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<32xi32>) outs(%7 : tensor<1x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x32xi32>
    %9 = tensor.empty() : tensor<32x32xi32>
    %10 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x1xi32>) outs(%9 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %11 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<1x32xi32>) outs(%9 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %12 = tensor.empty() : tensor<32x32xi1>
    %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%12 : tensor<32x32xi1>) {
    ^bb0(%in: i32, %in_5: i32, %out: i1):
      %61 = arith.cmpi sge, %in, %in_5 : i32
      linalg.yield %61 : i1
    } -> tensor<32x32xi1>
    %14 = tensor.empty() : tensor<2x8x32x32xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32>
    %16 = linalg.generic {indexing_maps = [#m8, #m9, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed : tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>) outs(%15 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x32x32xf32>
    %17 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %18 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %17 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %19:3 = call @queries_where(%13, %18, %cst_2) : (tensor<32x32xi1>, tensor<2x8x32x32xf32>, tensor<f32>) -> (tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>)
    %20 = tensor.empty() : tensor<2x8x32xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %22 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19#0 : tensor<2x8x32x32xf32>) outs(%21 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.maximumf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %23 = linalg.generic {indexing_maps = [#m14, #m15], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32xf32>
    %24 = linalg.generic {indexing_maps = [#m15, #m15, #m15], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %22 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.maximumf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %25 = tensor.empty() : tensor<2x8x32x1xf32>
    %26 = linalg.generic {indexing_maps = [#m13, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x8x32xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %27 = linalg.generic {indexing_maps = [#m16, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %28 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19#0, %27 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.subf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %29 = linalg.generic {indexing_maps = [#m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = math.exp %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %31 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<2x8x32x32xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %32 = linalg.generic {indexing_maps = [#m13, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x8x32xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %33 = linalg.generic {indexing_maps = [#m16, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %34 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %33 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.divf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %35 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %32 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x1xf32>
    %36 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %37 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %35 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.divf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x1xf32>
    %38 = tensor.empty() : tensor<2x8x16x32xf32>
    %39 = linalg.fill ins(%cst_0 : f32) outs(%38 : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
    %40 = linalg.generic {indexing_maps = [#m17, #m18, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_4, %34 : tensor<2x32x8x16xf32>, tensor<2x8x32x32xf32>) outs(%39 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x16x32xf32>
    %41 = tensor.empty() : tensor<2x32x8x16xf32>
    %42 = linalg.generic {indexing_maps = [#m19, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<2x8x16x32xf32>) outs(%41 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %43 = linalg.generic {indexing_maps = [#m20, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2x32x8x16xf32>) outs(%38 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x16x32xf32>
    %44 = linalg.generic {indexing_maps = [#m21, #m9, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%43, %collapsed_4 : tensor<2x8x16x32xf32>, tensor<2x32x8x16xf32>) outs(%15 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x32x32xf32>
    %45 = linalg.generic {indexing_maps = [#m16, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %46 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %45 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %47 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %29 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %48 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<2x8x32x32xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %expanded = tensor.expand_shape %48 [[0], [1], [2, 3]] output_shape [2, 8, 32, 1] : tensor<2x8x32xf32> into tensor<2x8x32x1xf32>
    %49 = linalg.generic {indexing_maps = [#m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x8x32x1xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.negf %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x1xf32>
    %50 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %33 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.divf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %51 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<2x8x32x1xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %52 = linalg.generic {indexing_maps = [#m13, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x8x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %53 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %52 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.addf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %54 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53, %29 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %55 = call @queries_where_0(%19#1, %19#2, %54) : (tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32>
    %56 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %17 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %57 = tensor.empty() : tensor<2x8x32x16xf32>
    %58 = linalg.fill ins(%cst_0 : f32) outs(%57 : tensor<2x8x32x16xf32>) -> tensor<2x8x32x16xf32>
    %59 = linalg.generic {indexing_maps = [#m0, #m22, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%56, %collapsed : tensor<2x8x32x32xf32>, tensor<2x32x8x16xf32>) outs(%58 : tensor<2x8x32x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %61 = arith.mulf %in, %in_5 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x32x16xf32>
    %60 = linalg.generic {indexing_maps = [#m23, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<2x8x32x16xf32>) outs(%41 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    return %42, %60 : tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>
  }
  func.func private @queries_where(%arg0: tensor<32x32xi1>, %arg1: tensor<2x8x32x32xf32>, %arg2: tensor<f32>) -> (tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x32xi1>
    %1 = linalg.generic {indexing_maps = [#m24, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<32x32xi1>) outs(%0 : tensor<2x8x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x8x32x32xi1>
    %2 = tensor.empty() : tensor<2x8x32x32xf32>
    %3 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %4 = linalg.generic {indexing_maps = [#m12, #m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x8x32x32xf32>
    %5 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    return %4, %1, %5 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>
  }
  func.func private @queries_where_0(%arg0: tensor<2x8x32x32xi1>, %arg1: tensor<2x8x32x32xf32>, %arg2: tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x32xf32>
    %1 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %2 = linalg.generic {indexing_maps = [#m12, #m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg2, %1 : tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%0 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %3 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<2x8x32x32xf32>
    return %2 : tensor<2x8x32x32xf32>
  }

// CHECK-LABEL: func.func @values
// CHECK: kernel.attention_backward {indexing_maps = {{.*}}, unwanted = array<i64: 0, 1>}
  func.func @values(%arg0: tensor<2x32x8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg1: tensor<2x32x4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg2: tensor<2x32x4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg3: tensor<2x32x8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}) -> (tensor<2x32x8x16xf32>, tensor<2x32x4x16xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant dense<2.500000e-01> : tensor<f32>
    %0 = tensor.empty() : tensor<2x32x4x2x16xf32>
    %1 = linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x32x4x16xf32>) outs(%0 : tensor<2x32x4x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x2x16xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3], [4]] : tensor<2x32x4x2x16xf32> into tensor<2x32x8x16xf32>
    %2 = linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x32x4x16xf32>) outs(%0 : tensor<2x32x4x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x4x2x16xf32>
    %collapsed_4 = tensor.collapse_shape %2 [[0], [1], [2, 3], [4]] : tensor<2x32x4x2x16xf32> into tensor<2x32x8x16xf32>
    %3 = tensor.empty() : tensor<32xi32>
    %4 = linalg.generic {indexing_maps = [#m2], iterator_types = ["parallel"]} outs(%3 : tensor<32xi32>) {
    ^bb0(%out: i32):
      %61 = linalg.index 0 : index
      %62 = arith.index_cast %61 : index to i32
      linalg.yield %62 : i32
    } -> tensor<32xi32>
    %5 = tensor.empty() : tensor<32x1xi32>
    %6 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<32xi32>) outs(%5 : tensor<32x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x1xi32>
    %7 = tensor.empty() : tensor<1x32xi32>
    %8 = linalg.generic {indexing_maps = [#m5, #m4], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<32xi32>) outs(%7 : tensor<1x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x32xi32>
    %9 = tensor.empty() : tensor<32x32xi32>
    %10 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x1xi32>) outs(%9 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %11 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<1x32xi32>) outs(%9 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %12 = tensor.empty() : tensor<32x32xi1>
    %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%12 : tensor<32x32xi1>) {
    ^bb0(%in: i32, %in_6: i32, %out: i1):
      %61 = arith.cmpi sge, %in, %in_6 : i32
      linalg.yield %61 : i1
    } -> tensor<32x32xi1>
    %14 = tensor.empty() : tensor<2x8x32x32xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32>
    %16 = linalg.generic {indexing_maps = [#m8, #m9, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed : tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>) outs(%15 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x32x32xf32>
    %17 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %18 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %17 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %19:3 = call @values_where(%13, %18, %cst_2) : (tensor<32x32xi1>, tensor<2x8x32x32xf32>, tensor<f32>) -> (tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>)
    %20 = tensor.empty() : tensor<2x8x32xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %22 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19#0 : tensor<2x8x32x32xf32>) outs(%21 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.maximumf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %23 = linalg.generic {indexing_maps = [#m14, #m15], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32xf32>
    %24 = linalg.generic {indexing_maps = [#m15, #m15, #m15], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %22 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%20 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.maximumf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %25 = tensor.empty() : tensor<2x8x32x1xf32>
    %26 = linalg.generic {indexing_maps = [#m13, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x8x32xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %27 = linalg.generic {indexing_maps = [#m16, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %28 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19#0, %27 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.subf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %29 = linalg.generic {indexing_maps = [#m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = math.exp %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %31 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<2x8x32x32xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %32 = linalg.generic {indexing_maps = [#m13, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<2x8x32xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %33 = linalg.generic {indexing_maps = [#m16, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %34 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %33 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.divf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %35 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %32 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x1xf32>
    %36 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %37 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %35 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.divf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x1xf32>
    %38 = tensor.empty() : tensor<2x8x16x32xf32>
    %39 = linalg.fill ins(%cst_0 : f32) outs(%38 : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
    %40 = linalg.generic {indexing_maps = [#m17, #m18, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_4, %34 : tensor<2x32x8x16xf32>, tensor<2x8x32x32xf32>) outs(%39 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x16x32xf32>
    %41 = tensor.empty() : tensor<2x32x8x16xf32>
    %42 = linalg.generic {indexing_maps = [#m19, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<2x8x16x32xf32>) outs(%41 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %43 = linalg.generic {indexing_maps = [#m20, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2x32x8x16xf32>) outs(%38 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x16x32xf32>
    %44 = linalg.generic {indexing_maps = [#m21, #m9, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%43, %collapsed_4 : tensor<2x8x16x32xf32>, tensor<2x32x8x16xf32>) outs(%15 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x32x32xf32>
    %45 = linalg.generic {indexing_maps = [#m0, #m25, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%43, %34 : tensor<2x8x16x32xf32>, tensor<2x8x32x32xf32>) outs(%39 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      %62 = arith.addf %out, %61 : f32
      linalg.yield %62 : f32
    } -> tensor<2x8x16x32xf32>
    %46 = linalg.generic {indexing_maps = [#m19, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<2x8x16x32xf32>) outs(%41 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %47 = linalg.generic {indexing_maps = [#m16, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %48 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %47 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %49 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %29 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %50 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<2x8x32x32xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %expanded = tensor.expand_shape %50 [[0], [1], [2, 3]] output_shape [2, 8, 32, 1] : tensor<2x8x32xf32> into tensor<2x8x32x1xf32>
    %51 = linalg.generic {indexing_maps = [#m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x8x32x1xf32>) outs(%25 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.negf %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x1xf32>
    %52 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %33 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.divf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %53 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%51 : tensor<2x8x32x1xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32xf32>
    %54 = linalg.generic {indexing_maps = [#m13, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<2x8x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %55 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %54 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.addf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %56 = linalg.generic {indexing_maps = [#m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %29 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%14 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %61 = arith.mulf %in, %in_6 : f32
      linalg.yield %61 : f32
    } -> tensor<2x8x32x32xf32>
    %57 = call @values_where_0(%19#1, %19#2, %56) : (tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32>
    %expanded_5 = tensor.expand_shape %46 [[0], [1], [2, 3], [4]] output_shape [2, 32, 4, 2, 16] : tensor<2x32x8x16xf32> into tensor<2x32x4x2x16xf32>
    %58 = tensor.empty() : tensor<2x32x4x16xf32>
    %59 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<2x32x4x16xf32>) -> tensor<2x32x4x16xf32>
    %60 = linalg.generic {indexing_maps = [#m26, #m10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_5 : tensor<2x32x4x2x16xf32>) outs(%59 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %61 = arith.addf %out, %in : f32
      linalg.yield %61 : f32
    } -> tensor<2x32x4x16xf32>
    return %42, %60 : tensor<2x32x8x16xf32>, tensor<2x32x4x16xf32>
  }
  func.func private @values_where(%arg0: tensor<32x32xi1>, %arg1: tensor<2x8x32x32xf32>, %arg2: tensor<f32>) -> (tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x32xi1>
    %1 = linalg.generic {indexing_maps = [#m24, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<32x32xi1>) outs(%0 : tensor<2x8x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x8x32x32xi1>
    %2 = tensor.empty() : tensor<2x8x32x32xf32>
    %3 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %4 = linalg.generic {indexing_maps = [#m12, #m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x8x32x32xf32>
    %5 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    return %4, %1, %5 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>
  }
  func.func private @values_where_0(%arg0: tensor<2x8x32x32xi1>, %arg1: tensor<2x8x32x32xf32>, %arg2: tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x32xf32>
    %1 = linalg.generic {indexing_maps = [#m11, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %2 = linalg.generic {indexing_maps = [#m12, #m12, #m12, #m12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg2, %1 : tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%0 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %3 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<2x8x32x32xf32>
    return %2 : tensor<2x8x32x32xf32>
  }
