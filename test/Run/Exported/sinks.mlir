// Softmax over scores and a column that is joined to them and dropped from the probabilities (a sink):
// the parts are computed one by one, and attention goes on from the column's maximum and sum. So do
// two blocks of scores from each other. What is joined for something else as well stays joined.
// Exported by JAX through StableHLO.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --device=cuda-local --options=arch=host --function=%{function}
// REDEFINE: %{function} = dropped
// RUN: %{run}
// REDEFINE: %{function} = twice
// RUN: %{run}
// REDEFINE: %{function} = training
// RUN: %{run}
// RUN: shard-run %s --function=training --options=attention=false --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy --output=@%t.4.npy
// RUN: shard-run %s --function=training --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --expected_output=@%t.4.npy --verify
// REDEFINE: %{function} = blocks
// RUN: %{run}
// REDEFINE: %{function} = kept
// RUN: %{run}
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a" -mlir-print-local-scope | FileCheck %s
// RUN: shard-opt %s --shardir-to-bufferized -mlir-print-local-scope | FileCheck %s --check-prefix=CPU
// RUN: shard-opt %s --shardir-to-bufferized="attention=false" -mlir-print-local-scope | FileCheck %s --check-prefix=WITHOUT
// CPU-LABEL: func.func @training
// CPU-NOT:   x304x30{{[45]}}xf32
// CPU-LABEL: func.func @blocks
// WITHOUT-LABEL: func.func @dropped
// WITHOUT:       x32x33xf32
// WITHOUT-LABEL: func.func @twice
// WITHOUT:       x32x33xf32
// WITHOUT-LABEL: func.func @training
// WITHOUT:       x304x305xf32
// WITHOUT-LABEL: func.func @blocks
// WITHOUT:       x32x56xf32
#m0 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#m1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#m2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#m3 = affine_map<(d0, d1, d2, d3) -> ()>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m5 = affine_map<(d0, d1) -> (d0, d1)>
#m6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#m7 = affine_map<(d0, d1, d2, d3) -> (d1)>
#m8 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, d3)>
#m9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#m10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#m11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#m12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#m13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>
#m14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#m15 = affine_map<(d0, d1, d2, d3) -> (d2, d0, d1, d3)>
#m16 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#m17 = affine_map<(d0, d1, d2) -> (d1, d2)>
#m18 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m19 = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2, d3)>
#m20 = affine_map<(d0, d1, d2, d3) -> (d0)>
#m21 = affine_map<(d0, d1, d2) -> ()>
shardir.mesh @m <["tp"=2]>

// CHECK-LABEL: func.func @dropped
// CHECK-NOT: x32x3{{[23]}}xf32
// CHECK:     kernel.attention
// CHECK-NOT: x32x3{{[23]}}xf32
func.func @dropped(%arg0: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg1: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg2: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg3: tensor<3xf32>) -> tensor<2x3x32x16xf32> {
  %c32 = arith.constant 32 : index
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_2 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<2x3x32x32xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x3x32x16xf32>, tensor<2x3x32x16xf32>) outs(%1 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %35 = arith.mulf %in, %in_3 : f32
    %36 = arith.addf %out, %35 : f32
    linalg.yield %36 : f32
  } -> tensor<2x3x32x32xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x32xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x3x32x32xf32>, tensor<2x3x32x32xf32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %35 = arith.mulf %in, %in_3 : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32x32xf32>
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
  ^bb0(%in: i32, %in_3: i32, %out: i1):
    %35 = arith.cmpi sge, %in, %in_3 : i32
    linalg.yield %35 : i1
  } -> tensor<32x32xi1>
  %10 = tensor.empty() : tensor<2x3x32x32xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<32x32xi1>) outs(%10 : tensor<2x3x32x32xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<2x3x32x32xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x32xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<2x3x32x32xi1>, tensor<2x3x32x32xf32>, tensor<2x3x32x32xf32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
    %35 = arith.select %in, %in_3, %in_4 : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32x32xf32>
  %14 = tensor.empty() : tensor<1x3x1x1xf32>
  %15 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<3xf32>) outs(%14 : tensor<1x3x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x3x1x1xf32>
  %16 = tensor.empty() : tensor<2x3x32x1xf32>
  %17 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x3x1x1xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %18 = tensor.empty() : tensor<2x3x32x33xf32>
  %19 = linalg.generic {indexing_maps = [#m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%out: f32):
    %35 = linalg.index 0 : index
    %36 = linalg.index 1 : index
    %37 = linalg.index 2 : index
    %38 = linalg.index 3 : index
    %39 = arith.cmpi ult, %38, %c32 : index
    %40 = scf.if %39 -> (f32) {
      %extracted = tensor.extract %13[%35, %36, %37, %38] : tensor<2x3x32x32xf32>
      scf.yield %extracted : f32
    } else {
      %41 = arith.subi %38, %c32 : index
      %extracted = tensor.extract %17[%35, %36, %37, %41] : tensor<2x3x32x1xf32>
      scf.yield %extracted : f32
    }
    linalg.yield %40 : f32
  } -> tensor<2x3x32x33xf32>
  %20 = tensor.empty() : tensor<2x3x32xf32>
  %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %22 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x3x32x33xf32>) outs(%21 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = arith.maximumf %out, %in : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32xf32>
  %23 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x3x32xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %24 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x3x32x1xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %25 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %24 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %35 = arith.subf %in, %in_3 : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32x33xf32>
  %26 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = math.exp %in : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32x33xf32>
  %27 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %28 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%26 : tensor<2x3x32x33xf32>) outs(%27 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %35 = arith.addf %out, %in : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32xf32>
  %29 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x3x32xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %30 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x3x32x1xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %31 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %30 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %35 = arith.divf %in, %in_3 : f32
    linalg.yield %35 : f32
  } -> tensor<2x3x32x33xf32>
  %extracted_slice = tensor.extract_slice %31[0, 0, 0, 0] [2, 3, 32, 32] [1, 1, 1, 1] : tensor<2x3x32x33xf32> to tensor<2x3x32x32xf32>
  %32 = tensor.empty() : tensor<2x3x32x16xf32>
  %33 = linalg.fill ins(%cst_0 : f32) outs(%32 : tensor<2x3x32x16xf32>) -> tensor<2x3x32x16xf32>
  %34 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %arg2 : tensor<2x3x32x32xf32>, tensor<2x3x32x16xf32>) outs(%33 : tensor<2x3x32x16xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %35 = arith.mulf %in, %in_3 : f32
    %36 = arith.addf %out, %35 : f32
    linalg.yield %36 : f32
  } -> tensor<2x3x32x16xf32>
  return %34 : tensor<2x3x32x16xf32>
}

// Where a maximum is taken out before the softmax takes out its own.
// CHECK-LABEL: func.func @twice
// CHECK-NOT: x32x3{{[23]}}xf32
// CHECK:     kernel.attention
// CHECK-NOT: x32x3{{[23]}}xf32
func.func @twice(%arg0: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg1: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg2: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg3: tensor<3xf32>) -> tensor<2x3x32x16xf32> {
  %c32 = arith.constant 32 : index
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<-1.000000e+30> : tensor<f32>
  %cst_2 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<2x3x32x32xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x3x32x16xf32>, tensor<2x3x32x16xf32>) outs(%1 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %39 = arith.mulf %in, %in_3 : f32
    %40 = arith.addf %out, %39 : f32
    linalg.yield %40 : f32
  } -> tensor<2x3x32x32xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x32xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x3x32x32xf32>, tensor<2x3x32x32xf32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %39 = arith.mulf %in, %in_3 : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32x32xf32>
  %5 = tensor.empty() : tensor<32x32xi32>
  %6 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %39 = linalg.index 0 : index
    %40 = arith.index_cast %39 : index to i32
    linalg.yield %40 : i32
  } -> tensor<32x32xi32>
  %7 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<32x32xi32>) {
  ^bb0(%out: i32):
    %39 = linalg.index 1 : index
    %40 = arith.index_cast %39 : index to i32
    linalg.yield %40 : i32
  } -> tensor<32x32xi32>
  %8 = tensor.empty() : tensor<32x32xi1>
  %9 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%8 : tensor<32x32xi1>) {
  ^bb0(%in: i32, %in_3: i32, %out: i1):
    %39 = arith.cmpi sge, %in, %in_3 : i32
    linalg.yield %39 : i1
  } -> tensor<32x32xi1>
  %10 = tensor.empty() : tensor<2x3x32x32xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<32x32xi1>) outs(%10 : tensor<2x3x32x32xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<2x3x32x32xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x32xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<2x3x32x32xi1>, tensor<2x3x32x32xf32>, tensor<2x3x32x32xf32>) outs(%0 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
    %39 = arith.select %in, %in_3, %in_4 : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32x32xf32>
  %14 = tensor.empty() : tensor<1x3x1x1xf32>
  %15 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<3xf32>) outs(%14 : tensor<1x3x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x3x1x1xf32>
  %16 = tensor.empty() : tensor<2x3x32x1xf32>
  %17 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x3x1x1xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %18 = tensor.empty() : tensor<2x3x32x33xf32>
  %19 = linalg.generic {indexing_maps = [#m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%out: f32):
    %39 = linalg.index 0 : index
    %40 = linalg.index 1 : index
    %41 = linalg.index 2 : index
    %42 = linalg.index 3 : index
    %43 = arith.cmpi ult, %42, %c32 : index
    %44 = scf.if %43 -> (f32) {
      %extracted = tensor.extract %13[%39, %40, %41, %42] : tensor<2x3x32x32xf32>
      scf.yield %extracted : f32
    } else {
      %45 = arith.subi %42, %c32 : index
      %extracted = tensor.extract %17[%39, %40, %41, %45] : tensor<2x3x32x1xf32>
      scf.yield %extracted : f32
    }
    linalg.yield %44 : f32
  } -> tensor<2x3x32x33xf32>
  %20 = tensor.empty() : tensor<2x3x32xf32>
  %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %22 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x3x32x33xf32>) outs(%21 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = arith.maximumf %out, %in : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32xf32>
  %23 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x3x32xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %24 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x3x32x1xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %25 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %24 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %39 = arith.subf %in, %in_3 : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32x33xf32>
  %26 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<2x3x32x33xf32>) outs(%21 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = arith.maximumf %out, %in : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32xf32>
  %27 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x3x32xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %28 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x3x32x1xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %29 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %39 = arith.subf %in, %in_3 : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32x33xf32>
  %30 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = math.exp %in : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32x33xf32>
  %31 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %32 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<2x3x32x33xf32>) outs(%31 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = arith.addf %out, %in : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32xf32>
  %33 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x3x32xf32>) outs(%16 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %34 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x3x32x1xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %35 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %34 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %39 = arith.divf %in, %in_3 : f32
    linalg.yield %39 : f32
  } -> tensor<2x3x32x33xf32>
  %extracted_slice = tensor.extract_slice %35[0, 0, 0, 0] [2, 3, 32, 32] [1, 1, 1, 1] : tensor<2x3x32x33xf32> to tensor<2x3x32x32xf32>
  %36 = tensor.empty() : tensor<2x3x32x16xf32>
  %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<2x3x32x16xf32>) -> tensor<2x3x32x16xf32>
  %38 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %arg2 : tensor<2x3x32x32xf32>, tensor<2x3x32x16xf32>) outs(%37 : tensor<2x3x32x16xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %39 = arith.mulf %in, %in_3 : f32
    %40 = arith.addf %out, %39 : f32
    linalg.yield %40 : f32
  } -> tensor<2x3x32x16xf32>
  return %38 : tensor<2x3x32x16xf32>
}

// CHECK-LABEL: func.func @training
// CHECK-NOT: x304x30{{[45]}}xf32
// CHECK:     kernel.attention
// CHECK-NOT: x304x30{{[45]}}xf32
// CHECK:     kernel.attention_backward
// CHECK-NOT: x304x30{{[45]}}xf32
func.func @training(%arg0: tensor<1x7x304x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg1: tensor<1x7x304x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg2: tensor<1x7x304x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg3: tensor<7xf32>, %arg4: tensor<1x7x304x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}) -> (tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>, tensor<7xf32>) {
  %c304 = arith.constant 304 : index
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_4 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<1x7x304x304xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x7x304x304xf32>) -> tensor<1x7x304x304xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>) outs(%1 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    %67 = arith.addf %out, %66 : f32
    linalg.yield %67 : f32
  } -> tensor<1x7x304x304xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x304xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<1x7x304x304xf32>, tensor<1x7x304x304xf32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x304xf32>
  %5 = tensor.empty() : tensor<304x304xi32>
  %6 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<304x304xi32>) {
  ^bb0(%out: i32):
    %66 = linalg.index 0 : index
    %67 = arith.index_cast %66 : index to i32
    linalg.yield %67 : i32
  } -> tensor<304x304xi32>
  %7 = linalg.generic {indexing_maps = [#m5], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<304x304xi32>) {
  ^bb0(%out: i32):
    %66 = linalg.index 1 : index
    %67 = arith.index_cast %66 : index to i32
    linalg.yield %67 : i32
  } -> tensor<304x304xi32>
  %8 = tensor.empty() : tensor<304x304xi1>
  %9 = linalg.generic {indexing_maps = [#m5, #m5, #m5], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<304x304xi32>, tensor<304x304xi32>) outs(%8 : tensor<304x304xi1>) {
  ^bb0(%in: i32, %in_7: i32, %out: i1):
    %66 = arith.cmpi sge, %in, %in_7 : i32
    linalg.yield %66 : i1
  } -> tensor<304x304xi1>
  %10 = tensor.empty() : tensor<1x7x304x304xi1>
  %11 = linalg.generic {indexing_maps = [#m6, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<304x304xi1>) outs(%10 : tensor<1x7x304x304xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<1x7x304x304xi1>
  %12 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x304xf32>
  %13 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %4, %12 : tensor<1x7x304x304xi1>, tensor<1x7x304x304xf32>, tensor<1x7x304x304xf32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
    %66 = arith.select %in, %in_7, %in_8 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x304xf32>
  %14 = tensor.empty() : tensor<1x7x1x1xf32>
  %15 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<7xf32>) outs(%14 : tensor<1x7x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x1x1xf32>
  %16 = tensor.empty() : tensor<1x7x304x1xf32>
  %17 = linalg.generic {indexing_maps = [#m12, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x7x1x1xf32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x1xf32>
  %18 = tensor.empty() : tensor<1x7x304x305xf32>
  %19 = linalg.generic {indexing_maps = [#m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%out: f32):
    %66 = linalg.index 1 : index
    %67 = linalg.index 2 : index
    %68 = linalg.index 3 : index
    %69 = arith.cmpi ult, %68, %c304 : index
    %70 = scf.if %69 -> (f32) {
      %extracted = tensor.extract %13[%c0, %66, %67, %68] : tensor<1x7x304x304xf32>
      scf.yield %extracted : f32
    } else {
      %71 = arith.subi %68, %c304 : index
      %extracted = tensor.extract %17[%c0, %66, %67, %71] : tensor<1x7x304x1xf32>
      scf.yield %extracted : f32
    }
    linalg.yield %70 : f32
  } -> tensor<1x7x304x305xf32>
  %20 = tensor.empty() : tensor<1x7x304xf32>
  %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<1x7x304xf32>) -> tensor<1x7x304xf32>
  %22 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<1x7x304x305xf32>) outs(%21 : tensor<1x7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.maximumf %out, %in : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304xf32>
  %23 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<1x7x304xf32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x1xf32>
  %24 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<1x7x304x1xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x305xf32>
  %25 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %24 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.subf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %26 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = math.exp %in : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %27 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<1x7x304xf32>) -> tensor<1x7x304xf32>
  %28 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%26 : tensor<1x7x304x305xf32>) outs(%27 : tensor<1x7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.addf %out, %in : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304xf32>
  %29 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<1x7x304xf32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x1xf32>
  %30 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x7x304x1xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x305xf32>
  %31 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %30 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.divf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %32 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %29 : tensor<1x7x304x1xf32>, tensor<1x7x304x1xf32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x1xf32>
  %33 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x1xf32>
  %34 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %32 : tensor<1x7x304x1xf32>, tensor<1x7x304x1xf32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.divf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x1xf32>
  %extracted_slice = tensor.extract_slice %31[0, 0, 0, 0] [1, 7, 304, 304] [1, 1, 1, 1] : tensor<1x7x304x305xf32> to tensor<1x7x304x304xf32>
  %35 = tensor.empty() : tensor<1x7x304x8xf32>
  %36 = linalg.fill ins(%cst_0 : f32) outs(%35 : tensor<1x7x304x8xf32>) -> tensor<1x7x304x8xf32>
  %37 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %arg2 : tensor<1x7x304x304xf32>, tensor<1x7x304x8xf32>) outs(%36 : tensor<1x7x304x8xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    %67 = arith.addf %out, %66 : f32
    linalg.yield %67 : f32
  } -> tensor<1x7x304x8xf32>
  %38 = tensor.empty() : tensor<1x7x8x304xf32>
  %39 = linalg.fill ins(%cst_0 : f32) outs(%38 : tensor<1x7x8x304xf32>) -> tensor<1x7x8x304xf32>
  %40 = linalg.generic {indexing_maps = [#m13, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg4, %extracted_slice : tensor<1x7x304x8xf32>, tensor<1x7x304x304xf32>) outs(%39 : tensor<1x7x8x304xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    %67 = arith.addf %out, %66 : f32
    linalg.yield %67 : f32
  } -> tensor<1x7x8x304xf32>
  %41 = linalg.generic {indexing_maps = [#m14, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<1x7x8x304xf32>) outs(%35 : tensor<1x7x304x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x8xf32>
  %42 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg4, %arg2 : tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>) outs(%1 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    %67 = arith.addf %out, %66 : f32
    linalg.yield %67 : f32
  } -> tensor<1x7x304x304xf32>
  %padded = tensor.pad %42 low[0, 0, 0, 0] high[0, 0, 0, 1] {
  ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
    tensor.yield %cst_0 : f32
  } : tensor<1x7x304x304xf32> to tensor<1x7x304x305xf32>
  %43 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<1x7x304x1xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x305xf32>
  %44 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%padded, %43 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %45 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %26 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %46 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%45 : tensor<1x7x304x305xf32>) outs(%27 : tensor<1x7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.addf %out, %in : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304xf32>
  %expanded = tensor.expand_shape %46 [[0], [1], [2, 3]] output_shape [1, 7, 304, 1] : tensor<1x7x304xf32> into tensor<1x7x304x1xf32>
  %47 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x7x304x1xf32>) outs(%16 : tensor<1x7x304x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.negf %in : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x1xf32>
  %48 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%padded, %30 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.divf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %49 = tensor.empty() : tensor<7x304xf32>
  %50 = linalg.fill ins(%cst_0 : f32) outs(%49 : tensor<7x304xf32>) -> tensor<7x304xf32>
  %51 = linalg.generic {indexing_maps = [#m15, #m16], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%47 : tensor<1x7x304x1xf32>) outs(%50 : tensor<7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.addf %out, %in : f32
    linalg.yield %66 : f32
  } -> tensor<7x304xf32>
  %52 = linalg.generic {indexing_maps = [#m17, #m18], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51 : tensor<7x304xf32>) outs(%20 : tensor<1x7x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304xf32>
  %53 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<1x7x304xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x305xf32>
  %54 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %53 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.addf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %55 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %26 : tensor<1x7x304x305xf32>, tensor<1x7x304x305xf32>) outs(%18 : tensor<1x7x304x305xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x305xf32>
  %extracted_slice_5 = tensor.extract_slice %55[0, 0, 0, 0] [1, 7, 304, 304] [1, 1, 1, 1] : tensor<1x7x304x305xf32> to tensor<1x7x304x304xf32>
  %extracted_slice_6 = tensor.extract_slice %55[0, 0, 0, 304] [1, 7, 304, 1] [1, 1, 1, 1] : tensor<1x7x304x305xf32> to tensor<1x7x304x1xf32>
  %56 = tensor.empty() : tensor<7xf32>
  %57 = linalg.fill ins(%cst_0 : f32) outs(%56 : tensor<7xf32>) -> tensor<7xf32>
  %58 = linalg.generic {indexing_maps = [#m19, #m20], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%extracted_slice_6 : tensor<1x7x304x1xf32>) outs(%57 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.addf %out, %in : f32
    linalg.yield %66 : f32
  } -> tensor<7xf32>
  %59 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<7xf32>) outs(%14 : tensor<1x7x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x1x1xf32>
  %60 = linalg.generic {indexing_maps = [#m19, #m20], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%59 : tensor<1x7x1x1xf32>) outs(%57 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %66 = arith.addf %out, %in : f32
    linalg.yield %66 : f32
  } -> tensor<7xf32>
  %61 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x7x304x304xf32>
  %62 = linalg.generic {indexing_maps = [#m4, #m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %extracted_slice_5, %61 : tensor<1x7x304x304xi1>, tensor<1x7x304x304xf32>, tensor<1x7x304x304xf32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
    %66 = arith.select %in, %in_7, %in_8 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x304xf32>
  %63 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %3 : tensor<1x7x304x304xf32>, tensor<1x7x304x304xf32>) outs(%0 : tensor<1x7x304x304xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    linalg.yield %66 : f32
  } -> tensor<1x7x304x304xf32>
  %64 = linalg.generic {indexing_maps = [#m13, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%63, %arg0 : tensor<1x7x304x304xf32>, tensor<1x7x304x8xf32>) outs(%36 : tensor<1x7x304x8xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    %67 = arith.addf %out, %66 : f32
    linalg.yield %67 : f32
  } -> tensor<1x7x304x8xf32>
  %65 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%63, %arg1 : tensor<1x7x304x304xf32>, tensor<1x7x304x8xf32>) outs(%36 : tensor<1x7x304x8xf32>) {
  ^bb0(%in: f32, %in_7: f32, %out: f32):
    %66 = arith.mulf %in, %in_7 : f32
    %67 = arith.addf %out, %66 : f32
    linalg.yield %67 : f32
  } -> tensor<1x7x304x8xf32>
  return %37, %65, %64, %41, %60 : tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>, tensor<1x7x304x8xf32>, tensor<7xf32>
}

// CHECK-LABEL: func.func @blocks
// CHECK-COUNT-2: kernel.attention
// CHECK-NOT:     x32x{{56|24|32}}xf32
func.func @blocks(%arg0: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg1: tensor<2x3x24x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg2: tensor<2x3x24x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg3: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg4: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}) -> tensor<2x3x32x16xf32> {
  %c24 = arith.constant 24 : index
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_2 = arith.constant dense<2.500000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<2x3x32x24xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x3x32x24xf32>) -> tensor<2x3x32x24xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x3x32x16xf32>, tensor<2x3x24x16xf32>) outs(%1 : tensor<2x3x32x24xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.mulf %in, %in_4 : f32
    %31 = arith.addf %out, %30 : f32
    linalg.yield %31 : f32
  } -> tensor<2x3x32x24xf32>
  %3 = tensor.empty() : tensor<2x3x32x32xf32>
  %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  %5 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg3 : tensor<2x3x32x16xf32>, tensor<2x3x32x16xf32>) outs(%4 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.mulf %in, %in_4 : f32
    %31 = arith.addf %out, %30 : f32
    linalg.yield %31 : f32
  } -> tensor<2x3x32x32xf32>
  %6 = tensor.empty() : tensor<2x3x32x56xf32>
  %7 = linalg.generic {indexing_maps = [#m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%out: f32):
    %30 = linalg.index 0 : index
    %31 = linalg.index 1 : index
    %32 = linalg.index 2 : index
    %33 = linalg.index 3 : index
    %34 = arith.cmpi ult, %33, %c24 : index
    %35 = scf.if %34 -> (f32) {
      %extracted = tensor.extract %2[%30, %31, %32, %33] : tensor<2x3x32x24xf32>
      scf.yield %extracted : f32
    } else {
      %36 = arith.subi %33, %c24 : index
      %extracted = tensor.extract %5[%30, %31, %32, %36] : tensor<2x3x32x32xf32>
      scf.yield %extracted : f32
    }
    linalg.yield %35 : f32
  } -> tensor<2x3x32x56xf32>
  %8 = linalg.generic {indexing_maps = [#m3, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x56xf32>
  %9 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %8 : tensor<2x3x32x56xf32>, tensor<2x3x32x56xf32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.mulf %in, %in_4 : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32x56xf32>
  %10 = tensor.empty() : tensor<2x3x32xf32>
  %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %12 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<2x3x32x56xf32>) outs(%11 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %30 = arith.maximumf %out, %in : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32xf32>
  %13 = linalg.generic {indexing_maps = [#m21, #m18], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%10 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32xf32>
  %14 = linalg.generic {indexing_maps = [#m18, #m18, #m18], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %12 : tensor<2x3x32xf32>, tensor<2x3x32xf32>) outs(%10 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.maximumf %in, %in_4 : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32xf32>
  %15 = tensor.empty() : tensor<2x3x32x1xf32>
  %16 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x3x32xf32>) outs(%15 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %17 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x3x32x1xf32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x56xf32>
  %18 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %17 : tensor<2x3x32x56xf32>, tensor<2x3x32x56xf32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.subf %in, %in_4 : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32x56xf32>
  %19 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x3x32x56xf32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    %30 = math.exp %in : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32x56xf32>
  %20 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %21 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x3x32x56xf32>) outs(%20 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %30 = arith.addf %out, %in : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32xf32>
  %22 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x3x32xf32>) outs(%15 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %23 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x3x32x1xf32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x56xf32>
  %24 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<2x3x32x56xf32>, tensor<2x3x32x56xf32>) outs(%6 : tensor<2x3x32x56xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.divf %in, %in_4 : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32x56xf32>
  %extracted_slice = tensor.extract_slice %24[0, 0, 0, 0] [2, 3, 32, 24] [1, 1, 1, 1] : tensor<2x3x32x56xf32> to tensor<2x3x32x24xf32>
  %25 = tensor.empty() : tensor<2x3x32x16xf32>
  %26 = linalg.fill ins(%cst_0 : f32) outs(%25 : tensor<2x3x32x16xf32>) -> tensor<2x3x32x16xf32>
  %27 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %arg2 : tensor<2x3x32x24xf32>, tensor<2x3x24x16xf32>) outs(%26 : tensor<2x3x32x16xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.mulf %in, %in_4 : f32
    %31 = arith.addf %out, %30 : f32
    linalg.yield %31 : f32
  } -> tensor<2x3x32x16xf32>
  %extracted_slice_3 = tensor.extract_slice %24[0, 0, 0, 24] [2, 3, 32, 32] [1, 1, 1, 1] : tensor<2x3x32x56xf32> to tensor<2x3x32x32xf32>
  %28 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice_3, %arg4 : tensor<2x3x32x32xf32>, tensor<2x3x32x16xf32>) outs(%26 : tensor<2x3x32x16xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.mulf %in, %in_4 : f32
    %31 = arith.addf %out, %30 : f32
    linalg.yield %31 : f32
  } -> tensor<2x3x32x16xf32>
  %29 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %28 : tensor<2x3x32x16xf32>, tensor<2x3x32x16xf32>) outs(%25 : tensor<2x3x32x16xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %30 = arith.addf %in, %in_4 : f32
    linalg.yield %30 : f32
  } -> tensor<2x3x32x16xf32>
  return %29 : tensor<2x3x32x16xf32>
}

// CHECK-LABEL: func.func @kept
// CHECK-NOT: kernel.attention
func.func @kept(%arg0: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg1: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg2: tensor<2x3x32x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}, {}]>}, %arg3: tensor<3xf32>) -> (tensor<2x3x32x16xf32>, tensor<2x3x32x33xf32>) {
  %c32 = arith.constant 32 : index
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
  %0 = tensor.empty() : tensor<2x3x32x32xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m1, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x3x32x16xf32>, tensor<2x3x32x16xf32>) outs(%1 : tensor<2x3x32x32xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %26 = arith.mulf %in, %in_2 : f32
    %27 = arith.addf %out, %26 : f32
    linalg.yield %27 : f32
  } -> tensor<2x3x32x32xf32>
  %3 = tensor.empty() : tensor<1x3x1x1xf32>
  %4 = linalg.generic {indexing_maps = [#m7, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<3xf32>) outs(%3 : tensor<1x3x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x3x1x1xf32>
  %5 = tensor.empty() : tensor<2x3x32x1xf32>
  %6 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x3x1x1xf32>) outs(%5 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %7 = tensor.empty() : tensor<2x3x32x33xf32>
  %8 = linalg.generic {indexing_maps = [#m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%7 : tensor<2x3x32x33xf32>) {
  ^bb0(%out: f32):
    %26 = linalg.index 0 : index
    %27 = linalg.index 1 : index
    %28 = linalg.index 2 : index
    %29 = linalg.index 3 : index
    %30 = arith.cmpi ult, %29, %c32 : index
    %31 = scf.if %30 -> (f32) {
      %extracted = tensor.extract %2[%26, %27, %28, %29] : tensor<2x3x32x32xf32>
      scf.yield %extracted : f32
    } else {
      %32 = arith.subi %29, %c32 : index
      %extracted = tensor.extract %6[%26, %27, %28, %32] : tensor<2x3x32x1xf32>
      scf.yield %extracted : f32
    }
    linalg.yield %31 : f32
  } -> tensor<2x3x32x33xf32>
  %9 = tensor.empty() : tensor<2x3x32xf32>
  %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %11 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x3x32x33xf32>) outs(%10 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %26 = arith.maximumf %out, %in : f32
    linalg.yield %26 : f32
  } -> tensor<2x3x32xf32>
  %12 = linalg.generic {indexing_maps = [#m21, #m18], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%9 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32xf32>
  %13 = linalg.generic {indexing_maps = [#m18, #m18, #m18], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %11 : tensor<2x3x32xf32>, tensor<2x3x32xf32>) outs(%9 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %26 = arith.maximumf %in, %in_2 : f32
    linalg.yield %26 : f32
  } -> tensor<2x3x32xf32>
  %14 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x32xf32>) outs(%5 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %15 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x3x32x1xf32>) outs(%7 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %16 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %15 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%7 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %26 = arith.subf %in, %in_2 : f32
    linalg.yield %26 : f32
  } -> tensor<2x3x32x33xf32>
  %17 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x3x32x33xf32>) outs(%7 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %26 = math.exp %in : f32
    linalg.yield %26 : f32
  } -> tensor<2x3x32x33xf32>
  %18 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  %19 = linalg.generic {indexing_maps = [#m4, #m9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17 : tensor<2x3x32x33xf32>) outs(%18 : tensor<2x3x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %26 = arith.addf %out, %in : f32
    linalg.yield %26 : f32
  } -> tensor<2x3x32xf32>
  %20 = linalg.generic {indexing_maps = [#m9, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x3x32xf32>) outs(%5 : tensor<2x3x32x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x1xf32>
  %21 = linalg.generic {indexing_maps = [#m10, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x3x32x1xf32>) outs(%7 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x32x33xf32>
  %22 = linalg.generic {indexing_maps = [#m4, #m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %21 : tensor<2x3x32x33xf32>, tensor<2x3x32x33xf32>) outs(%7 : tensor<2x3x32x33xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %26 = arith.divf %in, %in_2 : f32
    linalg.yield %26 : f32
  } -> tensor<2x3x32x33xf32>
  %extracted_slice = tensor.extract_slice %22[0, 0, 0, 0] [2, 3, 32, 32] [1, 1, 1, 1] : tensor<2x3x32x33xf32> to tensor<2x3x32x32xf32>
  %23 = tensor.empty() : tensor<2x3x32x16xf32>
  %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<2x3x32x16xf32>) -> tensor<2x3x32x16xf32>
  %25 = linalg.generic {indexing_maps = [#m0, #m11, #m2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %arg2 : tensor<2x3x32x32xf32>, tensor<2x3x32x16xf32>) outs(%24 : tensor<2x3x32x16xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %26 = arith.mulf %in, %in_2 : f32
    %27 = arith.addf %out, %26 : f32
    linalg.yield %27 : f32
  } -> tensor<2x3x32x16xf32>
  return %25, %22 : tensor<2x3x32x16xf32>, tensor<2x3x32x33xf32>
}
