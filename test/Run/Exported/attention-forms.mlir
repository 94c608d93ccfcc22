// Forms of attention that models have, with all gradients where they are trained: each is one op, and one for
// its gradients, as the remarks say; results are those of the unsharded program on 1 to 3 ranks.
// Exported by JAX through StableHLO.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --device=cuda-local --options=arch=host --function=%{function} --mesh
// REDEFINE: %{function} = gemma2
// RUN: %{run} tp=1
// RUN: %{run} tp=2
// RUN: %{run} tp=3
// REDEFINE: %{function} = mixed
// RUN: %{run} tp=1
// RUN: %{run} tp=2
// RUN: %{run} tp=3
// REDEFINE: %{function} = paged
// RUN: %{run} tp=1
// RUN: %{run} tp=2
// RUN: %{run} tp=3
// RUN: shard-opt %s --shardir-to-gpu="arch=host explain mesh=tp=2" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="scores are stored"
// CHECK: never stored: {{.*}}, their gradients one kernel.attention_backward
// CHECK: never stored: {{.*}}, their gradients one kernel.attention_backward
// CHECK: never stored: their softmax and its product with values are one kernel.attention
#m0 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#m1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#m2 = affine_map<(d0) -> (d0)>
#m3 = affine_map<(d0, d1) -> (d0)>
#m4 = affine_map<(d0, d1) -> (d0, d1)>
#m5 = affine_map<(d0, d1) -> (d1)>
#m6 = affine_map<(d0, d1) -> (d0, 0)>
#m7 = affine_map<(d0, d1) -> (0, d1)>
#m8 = affine_map<(d0, d1) -> ()>
#m9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
#m10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#m11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#m12 = affine_map<(d0, d1, d2, d3) -> ()>
#m13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m15 = affine_map<(d0, d1, d2) -> ()>
#m16 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#m19 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#m20 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#m21 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#m22 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>
#m23 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#m24 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>
#m25 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#m26 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4, d3)>
#m27 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#m28 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#m29 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#m30 = affine_map<(d0, d1, d2, d3) -> (d1)>
#m31 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, d3)>
#m32 = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2, d3)>
#m33 = affine_map<(d0, d1, d2, d3) -> (d0)>
#m34 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#m35 = affine_map<(d0, d1, d2) -> (d0, d1)>
#m36 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#m37 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
shardir.mesh @m <["tp"=?]>

// A sliding window, soft-capped scores, two heads of queries for one of keys.
  func.func @gemma2(%arg0: tensor<2x32x8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg1: tensor<2x32x4x16xf32>, %arg2: tensor<2x32x4x16xf32>, %arg3: tensor<2x32x8x16xf32>) -> (tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>, tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<2.000000e+01> : tensor<f32>
    %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_5 = arith.constant dense<8> : tensor<i32>
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
    %collapsed_6 = tensor.collapse_shape %2 [[0], [1], [2, 3], [4]] : tensor<2x32x4x2x16xf32> into tensor<2x32x8x16xf32>
    %3 = tensor.empty() : tensor<32xi32>
    %4 = linalg.generic {indexing_maps = [#m2], iterator_types = ["parallel"]} outs(%3 : tensor<32xi32>) {
    ^bb0(%out: i32):
      %84 = linalg.index 0 : index
      %85 = arith.index_cast %84 : index to i32
      linalg.yield %85 : i32
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
    ^bb0(%in: i32, %in_9: i32, %out: i1):
      %84 = arith.cmpi sge, %in, %in_9 : i32
      linalg.yield %84 : i1
    } -> tensor<32x32xi1>
    %14 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%9 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %in_9: i32, %out: i32):
      %84 = arith.subi %in, %in_9 : i32
      linalg.yield %84 : i32
    } -> tensor<32x32xi32>
    %15 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<i32>) outs(%9 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %16 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%12 : tensor<32x32xi1>) {
    ^bb0(%in: i32, %in_9: i32, %out: i1):
      %84 = arith.cmpi slt, %in, %in_9 : i32
      linalg.yield %84 : i1
    } -> tensor<32x32xi1>
    %17 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%13, %16 : tensor<32x32xi1>, tensor<32x32xi1>) outs(%12 : tensor<32x32xi1>) {
    ^bb0(%in: i1, %in_9: i1, %out: i1):
      %84 = arith.andi %in, %in_9 : i1
      linalg.yield %84 : i1
    } -> tensor<32x32xi1>
    %18 = tensor.empty() : tensor<2x8x32x32xf32>
    %19 = linalg.fill ins(%cst_0 : f32) outs(%18 : tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32>
    %20 = linalg.generic {indexing_maps = [#m9, #m10, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed : tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>) outs(%19 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      %85 = arith.addf %out, %84 : f32
      linalg.yield %85 : f32
    } -> tensor<2x8x32x32xf32>
    %21 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %22 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %21 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %23 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %24 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %23 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.divf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %25 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = math.tanh %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %26 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %27 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %25 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.subf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %28 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %25 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %29:3 = call @gemma2_where(%17, %28, %cst_1) : (tensor<32x32xi1>, tensor<2x8x32x32xf32>, tensor<f32>) -> (tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>)
    %30 = tensor.empty() : tensor<2x8x32xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %32 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29#0 : tensor<2x8x32x32xf32>) outs(%31 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.maximumf %out, %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32xf32>
    %33 = linalg.generic {indexing_maps = [#m15, #m16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32xf32>
    %34 = linalg.generic {indexing_maps = [#m16, #m16, #m16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %32 : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%30 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.maximumf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32xf32>
    %35 = tensor.empty() : tensor<2x8x32x1xf32>
    %36 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<2x8x32xf32>) outs(%35 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %37 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x8x32x1xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %38 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29#0, %37 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.subf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %39 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = math.exp %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %40 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %41 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%39 : tensor<2x8x32x32xf32>) outs(%40 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.addf %out, %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32xf32>
    %42 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x8x32xf32>) outs(%35 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %43 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42 : tensor<2x8x32x1xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %44 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %43 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.divf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %45 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %42 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%35 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x1xf32>
    %46 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%35 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %47 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %45 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%35 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.divf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x1xf32>
    %48 = tensor.empty() : tensor<2x8x16x32xf32>
    %49 = linalg.fill ins(%cst_0 : f32) outs(%48 : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
    %50 = linalg.generic {indexing_maps = [#m18, #m19, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_6, %44 : tensor<2x32x8x16xf32>, tensor<2x8x32x32xf32>) outs(%49 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      %85 = arith.addf %out, %84 : f32
      linalg.yield %85 : f32
    } -> tensor<2x8x16x32xf32>
    %51 = tensor.empty() : tensor<2x32x8x16xf32>
    %52 = linalg.generic {indexing_maps = [#m20, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<2x8x16x32xf32>) outs(%51 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %53 = linalg.generic {indexing_maps = [#m21, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2x32x8x16xf32>) outs(%48 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x16x32xf32>
    %54 = linalg.generic {indexing_maps = [#m22, #m10, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%53, %collapsed_6 : tensor<2x8x16x32xf32>, tensor<2x32x8x16xf32>) outs(%19 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      %85 = arith.addf %out, %84 : f32
      linalg.yield %85 : f32
    } -> tensor<2x8x32x32xf32>
    %55 = linalg.generic {indexing_maps = [#m0, #m23, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%53, %44 : tensor<2x8x16x32xf32>, tensor<2x8x32x32xf32>) outs(%49 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      %85 = arith.addf %out, %84 : f32
      linalg.yield %85 : f32
    } -> tensor<2x8x16x32xf32>
    %56 = linalg.generic {indexing_maps = [#m20, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55 : tensor<2x8x16x32xf32>) outs(%51 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %57 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<2x8x32x1xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %58 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %57 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %59 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %39 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %60 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%59 : tensor<2x8x32x32xf32>) outs(%40 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.addf %out, %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32xf32>
    %expanded = tensor.expand_shape %60 [[0], [1], [2, 3]] output_shape [2, 8, 32, 1] : tensor<2x8x32xf32> into tensor<2x8x32x1xf32>
    %61 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x8x32x1xf32>) outs(%35 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.negf %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x1xf32>
    %62 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %43 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.divf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %63 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%61 : tensor<2x8x32x1xf32>) outs(%40 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.addf %out, %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32xf32>
    %64 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63 : tensor<2x8x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %65 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %64 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.addf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %66 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %39 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %67 = call @gemma2_where_0(%29#1, %29#2, %66) : (tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32>
    %68 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %67 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %69 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %27 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %70 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %25 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %71 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %70 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.addf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %72 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71, %23 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.divf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %73 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72, %21 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%18 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      linalg.yield %84 : f32
    } -> tensor<2x8x32x32xf32>
    %74 = tensor.empty() : tensor<2x8x32x16xf32>
    %75 = linalg.fill ins(%cst_0 : f32) outs(%74 : tensor<2x8x32x16xf32>) -> tensor<2x8x32x16xf32>
    %76 = linalg.generic {indexing_maps = [#m22, #m24, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%73, %arg0 : tensor<2x8x32x32xf32>, tensor<2x32x8x16xf32>) outs(%75 : tensor<2x8x32x16xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      %85 = arith.addf %out, %84 : f32
      linalg.yield %85 : f32
    } -> tensor<2x8x32x16xf32>
    %77 = linalg.generic {indexing_maps = [#m25, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<2x8x32x16xf32>) outs(%51 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %78 = linalg.generic {indexing_maps = [#m0, #m24, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%73, %collapsed : tensor<2x8x32x32xf32>, tensor<2x32x8x16xf32>) outs(%75 : tensor<2x8x32x16xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %84 = arith.mulf %in, %in_9 : f32
      %85 = arith.addf %out, %84 : f32
      linalg.yield %85 : f32
    } -> tensor<2x8x32x16xf32>
    %79 = linalg.generic {indexing_maps = [#m25, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78 : tensor<2x8x32x16xf32>) outs(%51 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %expanded_7 = tensor.expand_shape %56 [[0], [1], [2, 3], [4]] output_shape [2, 32, 4, 2, 16] : tensor<2x32x8x16xf32> into tensor<2x32x4x2x16xf32>
    %80 = tensor.empty() : tensor<2x32x4x16xf32>
    %81 = linalg.fill ins(%cst_0 : f32) outs(%80 : tensor<2x32x4x16xf32>) -> tensor<2x32x4x16xf32>
    %82 = linalg.generic {indexing_maps = [#m26, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_7 : tensor<2x32x4x2x16xf32>) outs(%81 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.addf %out, %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x32x4x16xf32>
    %expanded_8 = tensor.expand_shape %77 [[0], [1], [2, 3], [4]] output_shape [2, 32, 4, 2, 16] : tensor<2x32x8x16xf32> into tensor<2x32x4x2x16xf32>
    %83 = linalg.generic {indexing_maps = [#m26, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_8 : tensor<2x32x4x2x16xf32>) outs(%81 : tensor<2x32x4x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %84 = arith.addf %out, %in : f32
      linalg.yield %84 : f32
    } -> tensor<2x32x4x16xf32>
    return %52, %79, %83, %82 : tensor<2x32x8x16xf32>, tensor<2x32x8x16xf32>, tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>
  }
  func.func private @gemma2_where(%arg0: tensor<32x32xi1>, %arg1: tensor<2x8x32x32xf32>, %arg2: tensor<f32>) -> (tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x32xi1>
    %1 = linalg.generic {indexing_maps = [#m27, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<32x32xi1>) outs(%0 : tensor<2x8x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x8x32x32xi1>
    %2 = tensor.empty() : tensor<2x8x32x32xf32>
    %3 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %4 = linalg.generic {indexing_maps = [#m13, #m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x8x32x32xf32>
    %5 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%2 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    return %4, %1, %5 : tensor<2x8x32x32xf32>, tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>
  }
  func.func private @gemma2_where_0(%arg0: tensor<2x8x32x32xi1>, %arg1: tensor<2x8x32x32xf32>, %arg2: tensor<2x8x32x32xf32>) -> tensor<2x8x32x32xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x32xf32>
    %1 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x32xf32>
    %2 = linalg.generic {indexing_maps = [#m13, #m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg2, %1 : tensor<2x8x32x32xi1>, tensor<2x8x32x32xf32>, tensor<2x8x32x32xf32>) outs(%0 : tensor<2x8x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %3 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<2x8x32x32xf32>
    return %2 : tensor<2x8x32x32xf32>
  }

// Keys of 24 of which all heads share 8, values of 16, as many positions as queries and half, a learned sink
// per head, dropout of probabilities.
  func.func @mixed(%arg0: tensor<2x32x8x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg1: tensor<2x48x8x16xf32>, %arg2: tensor<2x48x8xf32>, %arg3: tensor<2x48x8x16xf32>, %arg4: tensor<8xf32>, %arg5: tensor<i32>, %arg6: tensor<2x32x8x16xf32>) -> (tensor<2x32x8x16xf32>, tensor<2x32x8x24xf32>, tensor<2x48x8x16xf32>, tensor<2x48x8xf32>, tensor<2x48x8x16xf32>, tensor<8xf32>) {
    %c16 = arith.constant 16 : index
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<2.000000e-01> : tensor<f32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<-1640531535> : tensor<i32>
    %cst_5 = arith.constant dense<15> : tensor<i32>
    %cst_6 = arith.constant dense<-2048144777> : tensor<i32>
    %cst_7 = arith.constant dense<13> : tensor<i32>
    %cst_8 = arith.constant dense<429496729> : tensor<i32>
    %cst_9 = arith.constant dense<0.899999976> : tensor<f32>
    %0 = tensor.empty() : tensor<2x48x1x8xf32>
    %1 = linalg.generic {indexing_maps = [#m28, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x48x8xf32>) outs(%0 : tensor<2x48x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x1x8xf32>
    %2 = tensor.empty() : tensor<2x48x8x8xf32>
    %3 = linalg.generic {indexing_maps = [#m29, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x48x1x8xf32>) outs(%2 : tensor<2x48x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x8x8xf32>
    %4 = tensor.empty() : tensor<2x48x8x24xf32>
    %5 = linalg.generic {indexing_maps = [#m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%4 : tensor<2x48x8x24xf32>) {
    ^bb0(%out: f32):
      %101 = linalg.index 0 : index
      %102 = linalg.index 1 : index
      %103 = linalg.index 2 : index
      %104 = linalg.index 3 : index
      %105 = arith.cmpi ult, %104, %c16 : index
      %106 = scf.if %105 -> (f32) {
        %extracted = tensor.extract %arg1[%101, %102, %103, %104] : tensor<2x48x8x16xf32>
        scf.yield %extracted : f32
      } else {
        %107 = arith.subi %104, %c16 : index
        %extracted = tensor.extract %3[%101, %102, %103, %107] : tensor<2x48x8x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %106 : f32
    } -> tensor<2x48x8x24xf32>
    %6 = tensor.empty() : tensor<2x8x32x48xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<2x8x32x48xf32>) -> tensor<2x8x32x48xf32>
    %8 = linalg.generic {indexing_maps = [#m9, #m10, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %5 : tensor<2x32x8x24xf32>, tensor<2x48x8x24xf32>) outs(%7 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      %102 = arith.addf %out, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x8x32x48xf32>
    %9 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %10 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %9 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %11 = tensor.empty() : tensor<2x8x32xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %13 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x8x32x48xf32>) outs(%12 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.maximumf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32xf32>
    %14 = tensor.empty() : tensor<2x8x32x1xf32>
    %15 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x8x32xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %16 = tensor.empty() : tensor<1x8x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#m30, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4 : tensor<8xf32>) outs(%16 : tensor<1x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x8x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#m31, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<1x8x1x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %19 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.maximumf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %20 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x8x32x1xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %21 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %20 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.subf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %22 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = math.exp %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %23 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %24 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x8x32x48xf32>) outs(%23 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32xf32>
    %25 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x8x32xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %26 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %19 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.subf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %27 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = math.exp %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %28 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %27 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.addf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %29 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x8x32x1xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %30 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %29 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.divf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %31 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %28 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %32 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x1xf32>
    %33 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %31 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.divf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %34 = tensor.empty() : tensor<24576xi32>
    %35 = linalg.generic {indexing_maps = [#m2], iterator_types = ["parallel"]} outs(%34 : tensor<24576xi32>) {
    ^bb0(%out: i32):
      %101 = linalg.index 0 : index
      %102 = arith.index_cast %101 : index to i32
      linalg.yield %102 : i32
    } -> tensor<24576xi32>
    %expanded = tensor.expand_shape %35 [[0, 1, 2, 3]] output_shape [2, 8, 32, 48] : tensor<24576xi32> into tensor<2x8x32x48xi32>
    %36 = tensor.empty() : tensor<2x8x32x48xi32>
    %37 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<i32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x8x32x48xi32>
    %38 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %37 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.muli %in, %in_13 : i32
      linalg.yield %101 : i32
    } -> tensor<2x8x32x48xi32>
    %39 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5 : tensor<i32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x8x32x48xi32>
    %40 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %39 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.addi %in, %in_13 : i32
      linalg.yield %101 : i32
    } -> tensor<2x8x32x48xi32>
    %41 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_5 : tensor<i32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x8x32x48xi32>
    %42 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %41 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.shrui %in, %in_13 : i32
      %102 = arith.cmpi ult, %in_13, %c32_i32 : i32
      %103 = arith.select %102, %101, %c0_i32 : i32
      linalg.yield %103 : i32
    } -> tensor<2x8x32x48xi32>
    %43 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %42 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.xori %in, %in_13 : i32
      linalg.yield %101 : i32
    } -> tensor<2x8x32x48xi32>
    %44 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<i32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x8x32x48xi32>
    %45 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %44 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.muli %in, %in_13 : i32
      linalg.yield %101 : i32
    } -> tensor<2x8x32x48xi32>
    %46 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<i32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x8x32x48xi32>
    %47 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %46 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.shrui %in, %in_13 : i32
      %102 = arith.cmpi ult, %in_13, %c32_i32 : i32
      %103 = arith.select %102, %101, %c0_i32 : i32
      linalg.yield %103 : i32
    } -> tensor<2x8x32x48xi32>
    %48 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %47 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %in_13: i32, %out: i32):
      %101 = arith.xori %in, %in_13 : i32
      linalg.yield %101 : i32
    } -> tensor<2x8x32x48xi32>
    %49 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_8 : tensor<i32>) outs(%36 : tensor<2x8x32x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x8x32x48xi32>
    %50 = tensor.empty() : tensor<2x8x32x48xi1>
    %51 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %49 : tensor<2x8x32x48xi32>, tensor<2x8x32x48xi32>) outs(%50 : tensor<2x8x32x48xi1>) {
    ^bb0(%in: i32, %in_13: i32, %out: i1):
      %101 = arith.cmpi ugt, %in, %in_13 : i32
      linalg.yield %101 : i1
    } -> tensor<2x8x32x48xi1>
    %52 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_9 : tensor<f32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %53 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %52 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.divf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %54:2 = call @mixed_where(%51, %53, %cst_2) : (tensor<2x8x32x48xi1>, tensor<2x8x32x48xf32>, tensor<f32>) -> (tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>)
    %55 = tensor.empty() : tensor<2x8x16x32xf32>
    %56 = linalg.fill ins(%cst_0 : f32) outs(%55 : tensor<2x8x16x32xf32>) -> tensor<2x8x16x32xf32>
    %57 = linalg.generic {indexing_maps = [#m18, #m19, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %54#0 : tensor<2x48x8x16xf32>, tensor<2x8x32x48xf32>) outs(%56 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      %102 = arith.addf %out, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x8x16x32xf32>
    %58 = tensor.empty() : tensor<2x32x8x16xf32>
    %59 = linalg.generic {indexing_maps = [#m20, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<2x8x16x32xf32>) outs(%58 : tensor<2x32x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x16xf32>
    %60 = linalg.generic {indexing_maps = [#m21, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg6 : tensor<2x32x8x16xf32>) outs(%55 : tensor<2x8x16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x16x32xf32>
    %61 = linalg.generic {indexing_maps = [#m22, #m10, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%60, %arg3 : tensor<2x8x16x32xf32>, tensor<2x48x8x16xf32>) outs(%7 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      %102 = arith.addf %out, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x8x32x48xf32>
    %62 = tensor.empty() : tensor<2x8x16x48xf32>
    %63 = linalg.fill ins(%cst_0 : f32) outs(%62 : tensor<2x8x16x48xf32>) -> tensor<2x8x16x48xf32>
    %64 = linalg.generic {indexing_maps = [#m0, #m23, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%60, %54#0 : tensor<2x8x16x32xf32>, tensor<2x8x32x48xf32>) outs(%63 : tensor<2x8x16x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      %102 = arith.addf %out, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x8x16x48xf32>
    %65 = tensor.empty() : tensor<2x48x8x16xf32>
    %66 = linalg.generic {indexing_maps = [#m20, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<2x8x16x48xf32>) outs(%65 : tensor<2x48x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x8x16xf32>
    %67 = call @mixed_where_0(%51, %54#1, %61) : (tensor<2x8x32x48xi1>, tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) -> tensor<2x8x32x48xf32>
    %68 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67, %52 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.divf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %69 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x8x32x1xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %70 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %69 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %71 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70, %22 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %72 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%71 : tensor<2x8x32x48xf32>) outs(%23 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32xf32>
    %expanded_10 = tensor.expand_shape %72 [[0], [1], [2, 3]] output_shape [2, 8, 32, 1] : tensor<2x8x32xf32> into tensor<2x8x32x1xf32>
    %73 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10 : tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.negf %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %74 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %29 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.divf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %75 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73, %27 : tensor<2x8x32x1xf32>, tensor<2x8x32x1xf32>) outs(%14 : tensor<2x8x32x1xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x1xf32>
    %76 = tensor.empty() : tensor<8xf32>
    %77 = linalg.fill ins(%cst_0 : f32) outs(%76 : tensor<8xf32>) -> tensor<8xf32>
    %78 = linalg.generic {indexing_maps = [#m32, #m33], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%75 : tensor<2x8x32x1xf32>) outs(%77 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<8xf32>
    %79 = tensor.empty() : tensor<8x1xf32>
    %80 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel"]} ins(%78 : tensor<8xf32>) outs(%79 : tensor<8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x1xf32>
    %expanded_11 = tensor.expand_shape %80 [[0, 1], [2, 3]] output_shape [1, 8, 1, 1] : tensor<8x1xf32> into tensor<1x8x1x1xf32>
    %81 = linalg.generic {indexing_maps = [#m32, #m33], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%expanded_11 : tensor<1x8x1x1xf32>) outs(%77 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<8xf32>
    %82 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%73 : tensor<2x8x32x1xf32>) outs(%23 : tensor<2x8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32xf32>
    %83 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82 : tensor<2x8x32xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %84 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74, %83 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.addf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %85 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84, %22 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %86 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85, %9 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%6 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      linalg.yield %101 : f32
    } -> tensor<2x8x32x48xf32>
    %87 = tensor.empty() : tensor<2x8x48x24xf32>
    %88 = linalg.fill ins(%cst_0 : f32) outs(%87 : tensor<2x8x48x24xf32>) -> tensor<2x8x48x24xf32>
    %89 = linalg.generic {indexing_maps = [#m22, #m24, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%86, %arg0 : tensor<2x8x32x48xf32>, tensor<2x32x8x24xf32>) outs(%88 : tensor<2x8x48x24xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      %102 = arith.addf %out, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x8x48x24xf32>
    %90 = linalg.generic {indexing_maps = [#m25, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89 : tensor<2x8x48x24xf32>) outs(%4 : tensor<2x48x8x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x8x24xf32>
    %91 = tensor.empty() : tensor<2x8x32x24xf32>
    %92 = linalg.fill ins(%cst_0 : f32) outs(%91 : tensor<2x8x32x24xf32>) -> tensor<2x8x32x24xf32>
    %93 = linalg.generic {indexing_maps = [#m0, #m24, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%86, %5 : tensor<2x8x32x48xf32>, tensor<2x48x8x24xf32>) outs(%92 : tensor<2x8x32x24xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %101 = arith.mulf %in, %in_13 : f32
      %102 = arith.addf %out, %101 : f32
      linalg.yield %102 : f32
    } -> tensor<2x8x32x24xf32>
    %94 = tensor.empty() : tensor<2x32x8x24xf32>
    %95 = linalg.generic {indexing_maps = [#m25, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%93 : tensor<2x8x32x24xf32>) outs(%94 : tensor<2x32x8x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32x8x24xf32>
    %extracted_slice = tensor.extract_slice %90[0, 0, 0, 0] [2, 48, 8, 16] [1, 1, 1, 1] : tensor<2x48x8x24xf32> to tensor<2x48x8x16xf32>
    %extracted_slice_12 = tensor.extract_slice %90[0, 0, 0, 16] [2, 48, 8, 8] [1, 1, 1, 1] : tensor<2x48x8x24xf32> to tensor<2x48x8x8xf32>
    %96 = tensor.empty() : tensor<2x48x8xf32>
    %97 = linalg.fill ins(%cst_0 : f32) outs(%96 : tensor<2x48x8xf32>) -> tensor<2x48x8xf32>
    %98 = linalg.generic {indexing_maps = [#m34, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice_12 : tensor<2x48x8x8xf32>) outs(%97 : tensor<2x48x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x48x8xf32>
    %99 = linalg.generic {indexing_maps = [#m28, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98 : tensor<2x48x8xf32>) outs(%0 : tensor<2x48x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x1x8xf32>
    %100 = linalg.generic {indexing_maps = [#m34, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%99 : tensor<2x48x1x8xf32>) outs(%97 : tensor<2x48x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %101 = arith.addf %out, %in : f32
      linalg.yield %101 : f32
    } -> tensor<2x48x8xf32>
    return %59, %95, %extracted_slice, %100, %66, %81 : tensor<2x32x8x16xf32>, tensor<2x32x8x24xf32>, tensor<2x48x8x16xf32>, tensor<2x48x8xf32>, tensor<2x48x8x16xf32>, tensor<8xf32>
  }
  func.func private @mixed_where(%arg0: tensor<2x8x32x48xi1>, %arg1: tensor<2x8x32x48xf32>, %arg2: tensor<f32>) -> (tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x48xf32>
    %1 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %2 = linalg.generic {indexing_maps = [#m13, #m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg1, %1 : tensor<2x8x32x48xi1>, tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%0 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %4 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %4 : f32
    } -> tensor<2x8x32x48xf32>
    %3 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    return %2, %3 : tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>
  }
  func.func private @mixed_where_0(%arg0: tensor<2x8x32x48xi1>, %arg1: tensor<2x8x32x48xf32>, %arg2: tensor<2x8x32x48xf32>) -> tensor<2x8x32x48xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x32x48xf32>
    %1 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x32x48xf32>
    %2 = linalg.generic {indexing_maps = [#m13, #m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg2, %1 : tensor<2x8x32x48xi1>, tensor<2x8x32x48xf32>, tensor<2x8x32x48xf32>) outs(%0 : tensor<2x8x32x48xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %3 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<2x8x32x48xf32>
    return %2 : tensor<2x8x32x48xf32>
  }

// One query against pages of a cache that a table names, as many of them as a length says.
  func.func @paged(%arg0: tensor<2x1x8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg1: tensor<16x8x4x16xf32>, %arg2: tensor<16x8x4x16xf32>, %arg3: tensor<2x6xi32>, %arg4: tensor<2xi32>) -> (tensor<2x1x8x16xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c15 = arith.constant 15 : index
    %c0 = arith.constant 0 : index
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_3 = arith.constant dense<16> : tensor<i32>
    %cst_4 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<2x6xi32>
    %1 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<i32>) outs(%0 : tensor<2x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x6xi32>
    %2 = tensor.empty() : tensor<2x6xi1>
    %3 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%arg3, %1 : tensor<2x6xi32>, tensor<2x6xi32>) outs(%2 : tensor<2x6xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %54 = arith.cmpi slt, %in, %in_8 : i32
      linalg.yield %54 : i1
    } -> tensor<2x6xi1>
    %4 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i32>) outs(%0 : tensor<2x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x6xi32>
    %5 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%arg3, %4 : tensor<2x6xi32>, tensor<2x6xi32>) outs(%0 : tensor<2x6xi32>) {
    ^bb0(%in: i32, %in_8: i32, %out: i32):
      %54 = arith.addi %in, %in_8 : i32
      linalg.yield %54 : i32
    } -> tensor<2x6xi32>
    %6 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%3, %5, %arg3 : tensor<2x6xi1>, tensor<2x6xi32>, tensor<2x6xi32>) outs(%0 : tensor<2x6xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %54 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %54 : i32
    } -> tensor<2x6xi32>
    %7 = tensor.empty() : tensor<2x6x1xi32>
    %8 = linalg.generic {indexing_maps = [#m35, #m16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x6xi32>) outs(%7 : tensor<2x6x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x6x1xi32>
    %9 = tensor.empty() : tensor<2x6x8x4x16xf32>
    %10 = linalg.generic {indexing_maps = [#m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%9 : tensor<2x6x8x4x16xf32>) {
    ^bb0(%out: f32):
      %54 = linalg.index 0 : index
      %55 = linalg.index 1 : index
      %56 = linalg.index 2 : index
      %57 = linalg.index 3 : index
      %58 = linalg.index 4 : index
      %extracted = tensor.extract %8[%54, %55, %c0] : tensor<2x6x1xi32>
      %59 = arith.index_cast %extracted : i32 to index
      %60 = arith.maxsi %59, %c0 : index
      %61 = arith.minsi %60, %c15 : index
      %extracted_8 = tensor.extract %arg1[%61, %56, %57, %58] : tensor<16x8x4x16xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<2x6x8x4x16xf32>
    %collapsed = tensor.collapse_shape %10 [[0], [1, 2], [3], [4]] : tensor<2x6x8x4x16xf32> into tensor<2x48x4x16xf32>
    %11 = linalg.generic {indexing_maps = [#m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%9 : tensor<2x6x8x4x16xf32>) {
    ^bb0(%out: f32):
      %54 = linalg.index 0 : index
      %55 = linalg.index 1 : index
      %56 = linalg.index 2 : index
      %57 = linalg.index 3 : index
      %58 = linalg.index 4 : index
      %extracted = tensor.extract %8[%54, %55, %c0] : tensor<2x6x1xi32>
      %59 = arith.index_cast %extracted : i32 to index
      %60 = arith.maxsi %59, %c0 : index
      %61 = arith.minsi %60, %c15 : index
      %extracted_8 = tensor.extract %arg2[%61, %56, %57, %58] : tensor<16x8x4x16xf32>
      linalg.yield %extracted_8 : f32
    } -> tensor<2x6x8x4x16xf32>
    %collapsed_5 = tensor.collapse_shape %11 [[0], [1, 2], [3], [4]] : tensor<2x6x8x4x16xf32> into tensor<2x48x4x16xf32>
    %12 = tensor.empty() : tensor<48xi32>
    %13 = linalg.generic {indexing_maps = [#m2], iterator_types = ["parallel"]} outs(%12 : tensor<48xi32>) {
    ^bb0(%out: i32):
      %54 = linalg.index 0 : index
      %55 = arith.index_cast %54 : index to i32
      linalg.yield %55 : i32
    } -> tensor<48xi32>
    %14 = tensor.empty() : tensor<1x48xi32>
    %15 = linalg.generic {indexing_maps = [#m5, #m4], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<48xi32>) outs(%14 : tensor<1x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x48xi32>
    %16 = tensor.empty() : tensor<2x1xi32>
    %17 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<2xi32>) outs(%16 : tensor<2x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x1xi32>
    %18 = tensor.empty() : tensor<2x48xi32>
    %19 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<1x48xi32>) outs(%18 : tensor<2x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x48xi32>
    %20 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<2x1xi32>) outs(%18 : tensor<2x48xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x48xi32>
    %21 = tensor.empty() : tensor<2x48xi1>
    %22 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel"]} ins(%19, %20 : tensor<2x48xi32>, tensor<2x48xi32>) outs(%21 : tensor<2x48xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %54 = arith.cmpi slt, %in, %in_8 : i32
      linalg.yield %54 : i1
    } -> tensor<2x48xi1>
    %23 = tensor.empty() : tensor<2x1x1x48xi1>
    %24 = linalg.generic {indexing_maps = [#m36, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x48xi1>) outs(%23 : tensor<2x1x1x48xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x1x1x48xi1>
    %25 = tensor.empty() : tensor<2x48x4x2x16xf32>
    %26 = linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<2x48x4x16xf32>) outs(%25 : tensor<2x48x4x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x4x2x16xf32>
    %collapsed_6 = tensor.collapse_shape %26 [[0], [1], [2, 3], [4]] : tensor<2x48x4x2x16xf32> into tensor<2x48x8x16xf32>
    %27 = linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_5 : tensor<2x48x4x16xf32>) outs(%25 : tensor<2x48x4x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x4x2x16xf32>
    %collapsed_7 = tensor.collapse_shape %27 [[0], [1], [2, 3], [4]] : tensor<2x48x4x2x16xf32> into tensor<2x48x8x16xf32>
    %28 = tensor.empty() : tensor<2x8x1x48xf32>
    %29 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<2x8x1x48xf32>) -> tensor<2x8x1x48xf32>
    %30 = linalg.generic {indexing_maps = [#m9, #m10, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed_6 : tensor<2x1x8x16xf32>, tensor<2x48x8x16xf32>) outs(%29 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %54 = arith.mulf %in, %in_8 : f32
      %55 = arith.addf %out, %54 : f32
      linalg.yield %55 : f32
    } -> tensor<2x8x1x48xf32>
    %31 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1x48xf32>
    %32 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %31 : tensor<2x8x1x48xf32>, tensor<2x8x1x48xf32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %54 = arith.mulf %in, %in_8 : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1x48xf32>
    %33 = call @paged_where(%24, %32, %cst_1) : (tensor<2x1x1x48xi1>, tensor<2x8x1x48xf32>, tensor<f32>) -> tensor<2x8x1x48xf32>
    %34 = tensor.empty() : tensor<2x8x1xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %36 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<2x8x1x48xf32>) outs(%35 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.maximumf %out, %in : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1xf32>
    %37 = linalg.generic {indexing_maps = [#m15, #m16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%34 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1xf32>
    %38 = linalg.generic {indexing_maps = [#m16, #m16, #m16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37, %36 : tensor<2x8x1xf32>, tensor<2x8x1xf32>) outs(%34 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %54 = arith.maximumf %in, %in_8 : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1xf32>
    %39 = tensor.empty() : tensor<2x8x1x1xf32>
    %40 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<2x8x1xf32>) outs(%39 : tensor<2x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1x1xf32>
    %41 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<2x8x1x1xf32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1x48xf32>
    %42 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %41 : tensor<2x8x1x48xf32>, tensor<2x8x1x48xf32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %54 = arith.subf %in, %in_8 : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1x48xf32>
    %43 = linalg.generic {indexing_maps = [#m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42 : tensor<2x8x1x48xf32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.exp %in : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1x48xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%34 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %45 = linalg.generic {indexing_maps = [#m13, #m14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%43 : tensor<2x8x1x48xf32>) outs(%44 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %out, %in : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1xf32>
    %46 = linalg.generic {indexing_maps = [#m14, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<2x8x1xf32>) outs(%39 : tensor<2x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1x1xf32>
    %47 = linalg.generic {indexing_maps = [#m17, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x8x1x1xf32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1x48xf32>
    %48 = linalg.generic {indexing_maps = [#m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %47 : tensor<2x8x1x48xf32>, tensor<2x8x1x48xf32>) outs(%28 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %54 = arith.divf %in, %in_8 : f32
      linalg.yield %54 : f32
    } -> tensor<2x8x1x48xf32>
    %49 = tensor.empty() : tensor<2x8x16x1xf32>
    %50 = linalg.fill ins(%cst_0 : f32) outs(%49 : tensor<2x8x16x1xf32>) -> tensor<2x8x16x1xf32>
    %51 = linalg.generic {indexing_maps = [#m18, #m19, #m11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_7, %48 : tensor<2x48x8x16xf32>, tensor<2x8x1x48xf32>) outs(%50 : tensor<2x8x16x1xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %54 = arith.mulf %in, %in_8 : f32
      %55 = arith.addf %out, %54 : f32
      linalg.yield %55 : f32
    } -> tensor<2x8x16x1xf32>
    %52 = tensor.empty() : tensor<2x1x8x16xf32>
    %53 = linalg.generic {indexing_maps = [#m20, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x8x16x1xf32>) outs(%52 : tensor<2x1x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x1x8x16xf32>
    return %53 : tensor<2x1x8x16xf32>
  }
  func.func private @paged_where(%arg0: tensor<2x1x1x48xi1>, %arg1: tensor<2x8x1x48xf32>, %arg2: tensor<f32>) -> tensor<2x8x1x48xf32> {
    %0 = tensor.empty() : tensor<2x8x1x48xi1>
    %1 = linalg.generic {indexing_maps = [#m37, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x1x1x48xi1>) outs(%0 : tensor<2x8x1x48xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x8x1x48xi1>
    %2 = tensor.empty() : tensor<2x8x1x48xf32>
    %3 = linalg.generic {indexing_maps = [#m12, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x1x48xf32>
    %4 = linalg.generic {indexing_maps = [#m13, #m13, #m13, #m13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x8x1x48xi1>, tensor<2x8x1x48xf32>, tensor<2x8x1x48xf32>) outs(%2 : tensor<2x8x1x48xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %5 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %5 : f32
    } -> tensor<2x8x1x48xf32>
    return %4 : tensor<2x8x1x48xf32>
  }
