// Gradients of an attention whose own result nobody wants, as where a checkpointed layer's backward pass computes
// probabilities again: the result is computed for the sums of gradients' rows, and no scores are stored.
// Exported by JAX through StableHLO.
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --device=cuda-local --options=arch=host
// RUN: shard-run %s --options=attention=false --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy
// RUN: shard-run %s --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --verify
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a" -mlir-print-local-scope | FileCheck %s
// RUN: shard-opt %s --shardir-to-bufferized -mlir-print-local-scope | FileCheck %s --check-prefix=CPU
// RUN: shard-opt %s --shardir-to-bufferized="attention=false" -mlir-print-local-scope | FileCheck %s --check-prefix=WITHOUT
#m = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
#m1 = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
#m2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m3 = affine_map<(d0, d1, d2) -> ()>
#m4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m5 = affine_map<(d0, d1) -> (d0, d1)>
#m6 = affine_map<(d0, d1, d2) -> (d1, d2)>
#m7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#m8 = affine_map<(d0, d1) -> ()>
#m9 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#m10 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#m11 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
#m12 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#m13 = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>
#m14 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#m15 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
shardir.mesh @m <["tp"=2]>

// CHECK-LABEL: func.func @gradients
// CHECK-NOT:     x304x304xf32
// CHECK:         kernel.attention
// CHECK-NOT:     x304x304xf32
// CHECK:         kernel.attention_backward
// CHECK-NOT:     x304x304xf32
// CPU-LABEL: func.func @gradients
// CPU-NOT:     x304x304xf32
// WITHOUT-LABEL: func.func @gradients
// WITHOUT:     x304x304xf32
func.func @gradients(%arg0: tensor<304x7x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg1: tensor<304x7x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg2: tensor<304x7x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}, %arg3: tensor<304x7x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}) -> (tensor<304x7x8xf32>, tensor<304x7x8xf32>, tensor<304x7x8xf32>) {
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<7x304x304xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<7x304x304xf32>) -> tensor<7x304x304xf32>
  %2 = linalg.generic {indexing_maps = [#m, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<304x7x8xf32>, tensor<304x7x8xf32>) outs(%1 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    %59 = arith.addf %out, %58 : f32
    linalg.yield %59 : f32
  } -> tensor<7x304x304xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %5 = tensor.empty() : tensor<304x304xi32>
  %6 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<304x304xi32>) {
  ^bb0(%out: i32):
    %58 = linalg.index 0 : index
    %59 = arith.index_cast %58 : index to i32
    linalg.yield %59 : i32
  } -> tensor<304x304xi32>
  %7 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<304x304xi32>) {
  ^bb0(%out: i32):
    %58 = linalg.index 1 : index
    %59 = arith.index_cast %58 : index to i32
    linalg.yield %59 : i32
  } -> tensor<304x304xi32>
  %8 = tensor.empty() : tensor<304x304xi1>
  %9 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<304x304xi32>, tensor<304x304xi32>) outs(%8 : tensor<304x304xi1>) {
  ^bb0(%in: i32, %in_5: i32, %out: i1):
    %58 = arith.cmpi sge, %in, %in_5 : i32
    linalg.yield %58 : i1
  } -> tensor<304x304xi1>
  %10 = tensor.empty() : tensor<7x304x304xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<304x304xi1>) outs(%10 : tensor<7x304x304xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<7x304x304xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<7x304x304xi1>, tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
    %58 = arith.select %in, %in_5, %in_6 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %14 = tensor.empty() : tensor<7x304xf32>
  %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<7x304xf32>) -> tensor<7x304xf32>
  %16 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<7x304x304xf32>) outs(%15 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %58 = arith.maximumf %out, %in : f32
    linalg.yield %58 : f32
  } -> tensor<7x304xf32>
  %17 = linalg.generic {indexing_maps = [#m8, #m5], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%14 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304xf32>
  %18 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%17, %16 : tensor<7x304xf32>, tensor<7x304xf32>) outs(%14 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.maximumf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304xf32>
  %19 = tensor.empty() : tensor<7x304x1xf32>
  %20 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<7x304xf32>) outs(%19 : tensor<7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x1xf32>
  %21 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<7x304x1xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %22 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %21 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.subf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %23 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %58 = math.exp %in : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %24 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<7x304xf32>) -> tensor<7x304xf32>
  %25 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%23 : tensor<7x304x304xf32>) outs(%24 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %58 = arith.addf %out, %in : f32
    linalg.yield %58 : f32
  } -> tensor<7x304xf32>
  %26 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<7x304xf32>) outs(%19 : tensor<7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x1xf32>
  %27 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<7x304x1xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %28 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %27 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.divf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %29 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %26 : tensor<7x304x1xf32>, tensor<7x304x1xf32>) outs(%19 : tensor<7x304x1xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x1xf32>
  %30 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%19 : tensor<7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x1xf32>
  %31 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %29 : tensor<7x304x1xf32>, tensor<7x304x1xf32>) outs(%19 : tensor<7x304x1xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.divf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x1xf32>
  %32 = tensor.empty() : tensor<7x8x304xf32>
  %33 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<304x7x8xf32>) outs(%32 : tensor<7x8x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x8x304xf32>
  %34 = linalg.generic {indexing_maps = [#m11, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33, %arg2 : tensor<7x8x304xf32>, tensor<304x7x8xf32>) outs(%1 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    %59 = arith.addf %out, %58 : f32
    linalg.yield %59 : f32
  } -> tensor<7x304x304xf32>
  %35 = linalg.fill ins(%cst_0 : f32) outs(%32 : tensor<7x8x304xf32>) -> tensor<7x8x304xf32>
  %36 = linalg.batch_matmul ins(%33, %28 : tensor<7x8x304xf32>, tensor<7x304x304xf32>) outs(%35 : tensor<7x8x304xf32>) -> tensor<7x8x304xf32>
  %37 = tensor.empty() : tensor<304x7x8xf32>
  %38 = linalg.generic {indexing_maps = [#m12, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<7x8x304xf32>) outs(%37 : tensor<304x7x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<304x7x8xf32>
  %39 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<7x304x1xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %40 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %39 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %41 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %23 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %42 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%41 : tensor<7x304x304xf32>) outs(%24 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %58 = arith.addf %out, %in : f32
    linalg.yield %58 : f32
  } -> tensor<7x304xf32>
  %expanded = tensor.expand_shape %42 [[0], [1, 2]] output_shape [7, 304, 1] : tensor<7x304xf32> into tensor<7x304x1xf32>
  %43 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<7x304x1xf32>) outs(%19 : tensor<7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %58 = arith.negf %in : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x1xf32>
  %44 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %27 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.divf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %45 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%43 : tensor<7x304x1xf32>) outs(%24 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %58 = arith.addf %out, %in : f32
    linalg.yield %58 : f32
  } -> tensor<7x304xf32>
  %46 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<7x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %47 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %46 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.addf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %48 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %23 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %49 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x304x304xf32>
  %50 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %48, %49 : tensor<7x304x304xi1>, tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
    %58 = arith.select %in, %in_5, %in_6 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %51 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %3 : tensor<7x304x304xf32>, tensor<7x304x304xf32>) outs(%0 : tensor<7x304x304xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    linalg.yield %58 : f32
  } -> tensor<7x304x304xf32>
  %52 = tensor.empty() : tensor<7x304x8xf32>
  %53 = linalg.fill ins(%cst_0 : f32) outs(%52 : tensor<7x304x8xf32>) -> tensor<7x304x8xf32>
  %54 = linalg.generic {indexing_maps = [#m11, #m13, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%51, %arg0 : tensor<7x304x304xf32>, tensor<304x7x8xf32>) outs(%53 : tensor<7x304x8xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    %59 = arith.addf %out, %58 : f32
    linalg.yield %59 : f32
  } -> tensor<7x304x8xf32>
  %55 = linalg.generic {indexing_maps = [#m14, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54 : tensor<7x304x8xf32>) outs(%37 : tensor<304x7x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<304x7x8xf32>
  %56 = linalg.generic {indexing_maps = [#m15, #m13, #m2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%51, %arg1 : tensor<7x304x304xf32>, tensor<304x7x8xf32>) outs(%53 : tensor<7x304x8xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %58 = arith.mulf %in, %in_5 : f32
    %59 = arith.addf %out, %58 : f32
    linalg.yield %59 : f32
  } -> tensor<7x304x8xf32>
  %57 = linalg.generic {indexing_maps = [#m14, #m4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<7x304x8xf32>) outs(%37 : tensor<304x7x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<304x7x8xf32>
  return %57, %55, %38 : tensor<304x7x8xf32>, tensor<304x7x8xf32>, tensor<304x7x8xf32>
}
