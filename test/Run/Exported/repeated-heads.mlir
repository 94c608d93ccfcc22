// Eight heads of queries, four of keys and values, each repeated for two by a broadcast and a reshape
// (repeat_kv), and the gradients of all three. One attention op and one backward op read keys and
// values as they came and sum their gradients over the heads that share them.
// Exported by JAX through StableHLO.
// RUN: shard-run %s --verify --mesh=tp=1
// RUN: shard-run %s --verify --mesh=tp=2
// RUN: shard-run %s --verify --mesh=tp=3
// RUN: shard-run %s --verify --mesh=tp=4
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --mesh=tp=1 --device=cuda-local --options=arch=host
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --mesh=tp=2 --device=cuda-local --options=arch=host
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --verify --mesh=tp=3 --device=cuda-local --options=arch=host
// RUN: shard-opt %s --shardir-to-bufferized="mesh=tp=2" -mlir-print-local-scope | FileCheck %s --check-prefix=CPU
// RUN: shard-opt %s --shardir-to-bufferized="mesh=tp=2 arch=sm_90a" -mlir-print-local-scope | FileCheck %s --check-prefix=GPU
// RUN: shard-opt %s --shardir-to-bufferized="mesh=tp=2 attention=false arch=sm_90a" | FileCheck %s --check-prefix=WITHOUT
// Keys and values are nowhere repeated, but without the ops they are.
// CPU-NOT: memref.alloc{{.*}}memref<2x208x2x2x8xf32>
// GPU-NOT: memref<2x208x2x2x8xf32>
// GPU:     kernel.attention {{.*}} : memref<2x160x2x2x8xf32>, memref<2x208x2x8xf32>, memref<2x208x2x8xf32>
// GPU-NOT: memref<2x208x2x2x8xf32>
// GPU:     kernel.attention_backward
// GPU-SAME: outs({{.*}} : memref<2x2x2x160x8xf32>, memref<2x2x208x8xf32>, memref<2x2x8x208xf32>)
// GPU-NOT: memref<2x208x2x2x8xf32>
// WITHOUT: memref.alloc{{.*}}memref<2x208x2x2x8xf32>
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1) -> (d1)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0, d1) -> (0, d1)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> ()>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map15 = affine_map<(d0, d1, d2) -> ()>
#map16 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#map19 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map20 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map21 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map22 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>
#map23 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#map24 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>
#map25 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map26 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4, d3)>
#map27 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
module @repeated_heads {
shardir.mesh @m <["tp"=?]>
  func.func public @main(%arg0: tensor<2x160x8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg1: tensor<2x208x4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg2: tensor<2x208x4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}, %arg3: tensor<2x160x8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}, {}]>}) -> (tensor<2x160x8x8xf32> {corpus.result = "result[0]"}, tensor<2x160x8x8xf32> {corpus.result = "result[1]"}, tensor<2x208x4x8xf32> {corpus.result = "result[2]"}, tensor<2x208x4x8xf32> {corpus.result = "result[3]"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_4 = arith.constant dense<48> : tensor<i32>
    %0 = tensor.empty() : tensor<2x208x4x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x208x4x8xf32>) outs(%0 : tensor<2x208x4x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x208x4x2x8xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3], [4]] : tensor<2x208x4x2x8xf32> into tensor<2x208x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x208x4x8xf32>) outs(%0 : tensor<2x208x4x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x208x4x2x8xf32>
    %collapsed_5 = tensor.collapse_shape %2 [[0], [1], [2, 3], [4]] : tensor<2x208x4x2x8xf32> into tensor<2x208x8x8xf32>
    %3 = tensor.empty() : tensor<160xi32>
    %4 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%3 : tensor<160xi32>) {
    ^bb0(%out: i32):
      %78 = linalg.index 0 : index
      %79 = arith.index_cast %78 : index to i32
      linalg.yield %79 : i32
    } -> tensor<160xi32>
    %5 = tensor.empty() : tensor<160x1xi32>
    %6 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<160xi32>) outs(%5 : tensor<160x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<160x1xi32>
    %7 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<i32>) outs(%5 : tensor<160x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<160x1xi32>
    %8 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<160x1xi32>, tensor<160x1xi32>) outs(%5 : tensor<160x1xi32>) {
    ^bb0(%in: i32, %in_8: i32, %out: i32):
      %78 = arith.addi %in, %in_8 : i32
      linalg.yield %78 : i32
    } -> tensor<160x1xi32>
    %9 = tensor.empty() : tensor<208xi32>
    %10 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%9 : tensor<208xi32>) {
    ^bb0(%out: i32):
      %78 = linalg.index 0 : index
      %79 = arith.index_cast %78 : index to i32
      linalg.yield %79 : i32
    } -> tensor<208xi32>
    %11 = tensor.empty() : tensor<1x208xi32>
    %12 = linalg.generic {indexing_maps = [#map6, #map4], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<208xi32>) outs(%11 : tensor<1x208xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x208xi32>
    %13 = tensor.empty() : tensor<160x208xi32>
    %14 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<160x1xi32>) outs(%13 : tensor<160x208xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<160x208xi32>
    %15 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<1x208xi32>) outs(%13 : tensor<160x208xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<160x208xi32>
    %16 = tensor.empty() : tensor<160x208xi1>
    %17 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<160x208xi32>, tensor<160x208xi32>) outs(%16 : tensor<160x208xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %78 = arith.cmpi sge, %in, %in_8 : i32
      linalg.yield %78 : i1
    } -> tensor<160x208xi1>
    %18 = tensor.empty() : tensor<2x8x160x208xf32>
    %19 = linalg.fill ins(%cst_0 : f32) outs(%18 : tensor<2x8x160x208xf32>) -> tensor<2x8x160x208xf32>
    %20 = linalg.generic {indexing_maps = [#map9, #map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %collapsed : tensor<2x160x8x8xf32>, tensor<2x208x8x8xf32>) outs(%19 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      %79 = arith.addf %out, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x160x208xf32>
    %21 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %22 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %21 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %23:3 = call @_where(%17, %22, %cst_2) : (tensor<160x208xi1>, tensor<2x8x160x208xf32>, tensor<f32>) -> (tensor<2x8x160x208xf32>, tensor<2x8x160x208xi1>, tensor<2x8x160x208xf32>)
    %24 = tensor.empty() : tensor<2x8x160xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<2x8x160xf32>) -> tensor<2x8x160xf32>
    %26 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23#0 : tensor<2x8x160x208xf32>) outs(%25 : tensor<2x8x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.maximumf %out, %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160xf32>
    %27 = linalg.generic {indexing_maps = [#map15, #map16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%24 : tensor<2x8x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160xf32>
    %28 = linalg.generic {indexing_maps = [#map16, #map16, #map16], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %26 : tensor<2x8x160xf32>, tensor<2x8x160xf32>) outs(%24 : tensor<2x8x160xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.maximumf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160xf32>
    %29 = tensor.empty() : tensor<2x8x160x1xf32>
    %30 = linalg.generic {indexing_maps = [#map14, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x8x160xf32>) outs(%29 : tensor<2x8x160x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x1xf32>
    %31 = linalg.generic {indexing_maps = [#map17, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<2x8x160x1xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %32 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23#0, %31 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.subf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %33 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = math.exp %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %34 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<2x8x160xf32>) -> tensor<2x8x160xf32>
    %35 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<2x8x160x208xf32>) outs(%34 : tensor<2x8x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.addf %out, %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160xf32>
    %36 = linalg.generic {indexing_maps = [#map14, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<2x8x160xf32>) outs(%29 : tensor<2x8x160x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x1xf32>
    %37 = linalg.generic {indexing_maps = [#map17, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x8x160x1xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %38 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %37 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.divf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %39 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %36 : tensor<2x8x160x1xf32>, tensor<2x8x160x1xf32>) outs(%29 : tensor<2x8x160x1xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x1xf32>
    %40 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%29 : tensor<2x8x160x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x1xf32>
    %41 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %39 : tensor<2x8x160x1xf32>, tensor<2x8x160x1xf32>) outs(%29 : tensor<2x8x160x1xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.divf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x1xf32>
    %42 = tensor.empty() : tensor<2x8x8x160xf32>
    %43 = linalg.fill ins(%cst_0 : f32) outs(%42 : tensor<2x8x8x160xf32>) -> tensor<2x8x8x160xf32>
    %44 = linalg.generic {indexing_maps = [#map18, #map19, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_5, %38 : tensor<2x208x8x8xf32>, tensor<2x8x160x208xf32>) outs(%43 : tensor<2x8x8x160xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      %79 = arith.addf %out, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x8x160xf32>
    %45 = tensor.empty() : tensor<2x160x8x8xf32>
    %46 = linalg.generic {indexing_maps = [#map20, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<2x8x8x160xf32>) outs(%45 : tensor<2x160x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x160x8x8xf32>
    %47 = linalg.generic {indexing_maps = [#map21, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2x160x8x8xf32>) outs(%42 : tensor<2x8x8x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x160xf32>
    %48 = linalg.generic {indexing_maps = [#map22, #map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%47, %collapsed_5 : tensor<2x8x8x160xf32>, tensor<2x208x8x8xf32>) outs(%19 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      %79 = arith.addf %out, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x160x208xf32>
    %49 = tensor.empty() : tensor<2x8x8x208xf32>
    %50 = linalg.fill ins(%cst_0 : f32) outs(%49 : tensor<2x8x8x208xf32>) -> tensor<2x8x8x208xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map23, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%47, %38 : tensor<2x8x8x160xf32>, tensor<2x8x160x208xf32>) outs(%50 : tensor<2x8x8x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      %79 = arith.addf %out, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x8x208xf32>
    %52 = tensor.empty() : tensor<2x208x8x8xf32>
    %53 = linalg.generic {indexing_maps = [#map20, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<2x8x8x208xf32>) outs(%52 : tensor<2x208x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x208x8x8xf32>
    %54 = linalg.generic {indexing_maps = [#map17, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x8x160x1xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %55 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %54 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %56 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %33 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %57 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%56 : tensor<2x8x160x208xf32>) outs(%34 : tensor<2x8x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.addf %out, %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160xf32>
    %expanded = tensor.expand_shape %57 [[0], [1], [2, 3]] output_shape [2, 8, 160, 1] : tensor<2x8x160xf32> into tensor<2x8x160x1xf32>
    %58 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x8x160x1xf32>) outs(%29 : tensor<2x8x160x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.negf %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x1xf32>
    %59 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %37 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.divf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %60 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%58 : tensor<2x8x160x1xf32>) outs(%34 : tensor<2x8x160xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.addf %out, %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160xf32>
    %61 = linalg.generic {indexing_maps = [#map14, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<2x8x160xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %62 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %61 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.addf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %63 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %33 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %64 = call @_where_0(%23#1, %23#2, %63) : (tensor<2x8x160x208xi1>, tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) -> tensor<2x8x160x208xf32>
    %65 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64, %21 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%18 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      linalg.yield %78 : f32
    } -> tensor<2x8x160x208xf32>
    %66 = tensor.empty() : tensor<2x8x208x8xf32>
    %67 = linalg.fill ins(%cst_0 : f32) outs(%66 : tensor<2x8x208x8xf32>) -> tensor<2x8x208x8xf32>
    %68 = linalg.generic {indexing_maps = [#map22, #map24, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%65, %arg0 : tensor<2x8x160x208xf32>, tensor<2x160x8x8xf32>) outs(%67 : tensor<2x8x208x8xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      %79 = arith.addf %out, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x208x8xf32>
    %69 = linalg.generic {indexing_maps = [#map25, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68 : tensor<2x8x208x8xf32>) outs(%52 : tensor<2x208x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x208x8x8xf32>
    %70 = tensor.empty() : tensor<2x8x160x8xf32>
    %71 = linalg.fill ins(%cst_0 : f32) outs(%70 : tensor<2x8x160x8xf32>) -> tensor<2x8x160x8xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map24, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%65, %collapsed : tensor<2x8x160x208xf32>, tensor<2x208x8x8xf32>) outs(%71 : tensor<2x8x160x8xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %78 = arith.mulf %in, %in_8 : f32
      %79 = arith.addf %out, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x160x8xf32>
    %73 = linalg.generic {indexing_maps = [#map25, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72 : tensor<2x8x160x8xf32>) outs(%45 : tensor<2x160x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x160x8x8xf32>
    %expanded_6 = tensor.expand_shape %53 [[0], [1], [2, 3], [4]] output_shape [2, 208, 4, 2, 8] : tensor<2x208x8x8xf32> into tensor<2x208x4x2x8xf32>
    %74 = tensor.empty() : tensor<2x208x4x8xf32>
    %75 = linalg.fill ins(%cst_0 : f32) outs(%74 : tensor<2x208x4x8xf32>) -> tensor<2x208x4x8xf32>
    %76 = linalg.generic {indexing_maps = [#map26, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_6 : tensor<2x208x4x2x8xf32>) outs(%75 : tensor<2x208x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.addf %out, %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x208x4x8xf32>
    %expanded_7 = tensor.expand_shape %69 [[0], [1], [2, 3], [4]] output_shape [2, 208, 4, 2, 8] : tensor<2x208x8x8xf32> into tensor<2x208x4x2x8xf32>
    %77 = linalg.generic {indexing_maps = [#map26, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_7 : tensor<2x208x4x2x8xf32>) outs(%75 : tensor<2x208x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %78 = arith.addf %out, %in : f32
      linalg.yield %78 : f32
    } -> tensor<2x208x4x8xf32>
    return %46, %73, %77, %76 : tensor<2x160x8x8xf32>, tensor<2x160x8x8xf32>, tensor<2x208x4x8xf32>, tensor<2x208x4x8xf32>
  }
  func.func private @_where(%arg0: tensor<160x208xi1>, %arg1: tensor<2x8x160x208xf32>, %arg2: tensor<f32>) -> (tensor<2x8x160x208xf32>, tensor<2x8x160x208xi1>, tensor<2x8x160x208xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x160x208xi1>
    %1 = linalg.generic {indexing_maps = [#map27, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<160x208xi1>) outs(%0 : tensor<2x8x160x208xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x8x160x208xi1>
    %2 = tensor.empty() : tensor<2x8x160x208xf32>
    %3 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %4 = linalg.generic {indexing_maps = [#map13, #map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x8x160x208xi1>, tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%2 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x8x160x208xf32>
    %5 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%2 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    return %4, %1, %5 : tensor<2x8x160x208xf32>, tensor<2x8x160x208xi1>, tensor<2x8x160x208xf32>
  }
  func.func private @_where_0(%arg0: tensor<2x8x160x208xi1>, %arg1: tensor<2x8x160x208xf32>, %arg2: tensor<2x8x160x208xf32>) -> tensor<2x8x160x208xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8x160x208xf32>
    %1 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x160x208xf32>
    %2 = linalg.generic {indexing_maps = [#map13, #map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg2, %1 : tensor<2x8x160x208xi1>, tensor<2x8x160x208xf32>, tensor<2x8x160x208xf32>) outs(%0 : tensor<2x8x160x208xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %3 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<2x8x160x208xf32>
    return %2 : tensor<2x8x160x208xf32>
  }
}


