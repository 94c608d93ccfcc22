// Layer normalization as JAX writes it: `var` has a mean of its own. Equal partial sums
// are reduced once, and as many bytes are received as the report says.
// RUN: shard-run %s --verify --report=%t.json
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'], r"
// RUN: shard-run %s --verify --options="cost=bytes" --report=%t.json
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'], r"
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> ()>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d2)>
#map8 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
#map9 = affine_map<() -> ()>
module @layer_norm {
shardir.mesh @m <["dp"=2, "tp"=2]>
  func.func public @main(%arg0: tensor<4x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {?}, {?}]>}, %arg1: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"tp"}]>}, %arg2: tensor<6xf32>, %arg3: tensor<6x3xf32>) -> (tensor<4x6x3xf32> ) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<9.99999974E-6> : tensor<f32>
    %cst_1 = arith.constant dense<0> : tensor<i32>
    %cst_2 = arith.constant dense<6.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<4x6x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4x6x8xf32>, tensor<8x6xf32>) outs(%1 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.mulf %in, %in_3 : f32
      %26 = arith.addf %out, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<4x6x6xf32>
    %3 = tensor.empty() : tensor<4x6xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<4x6x6xf32>) outs(%4 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<4x6xf32>
    %6 = tensor.empty() : tensor<4x6x1xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<4x6xf32>) outs(%6 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%6 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %8 : tensor<4x6x1xf32>, tensor<4x6x1xf32>) outs(%6 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.divf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<4x6x1xf32>
    %10 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<4x6x1xf32>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x6xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %10 : tensor<4x6x6xf32>, tensor<4x6x6xf32>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.subf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<4x6x6xf32>
    %12 = call @_var(%2, %cst_1) : (tensor<4x6x6xf32>, tensor<i32>) -> tensor<4x6x1xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%6 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %13 : tensor<4x6x1xf32>, tensor<4x6x1xf32>) outs(%6 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.addf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<4x6x1xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<4x6x1xf32>) outs(%6 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = math.rsqrt %in : f32
      linalg.yield %25 : f32
    } -> tensor<4x6x1xf32>
    %16 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<4x6x1xf32>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x6xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %16 : tensor<4x6x6xf32>, tensor<4x6x6xf32>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.mulf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<4x6x6xf32>
    %18 = tensor.empty() : tensor<1x1x6xf32>
    %19 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<6xf32>) outs(%18 : tensor<1x1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x6xf32>
    %20 = linalg.generic {indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<1x1x6xf32>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x6xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %20 : tensor<4x6x6xf32>, tensor<4x6x6xf32>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.mulf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<4x6x6xf32>
    %22 = tensor.empty() : tensor<4x6x3xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x6x3xf32>) -> tensor<4x6x3xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21, %arg3 : tensor<4x6x6xf32>, tensor<6x3xf32>) outs(%23 : tensor<4x6x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.mulf %in, %in_3 : f32
      %26 = arith.addf %out, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<4x6x3xf32>
    return %24 : tensor<4x6x3xf32>
  }
  func.func private @_var(%arg0: tensor<4x6x6xf32>, %arg1: tensor<i32>) -> tensor<4x6x1xf32> {
    %cst = arith.constant 6.000000e+00 : f32
    %cst_0 = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_1 = arith.constant dense<6.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x6xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<4x6x6xf32>) outs(%1 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %out, %in : f32
      linalg.yield %21 : f32
    } -> tensor<4x6xf32>
    %3 = tensor.empty() : tensor<4x6x1xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<4x6xf32>) outs(%3 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %5 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%3 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %5 : tensor<4x6x1xf32>, tensor<4x6x1xf32>) outs(%3 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.divf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<4x6x1xf32>
    %7 = tensor.empty() : tensor<4x6x6xf32>
    %8 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<4x6x1xf32>) outs(%7 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x6xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %8 : tensor<4x6x6xf32>, tensor<4x6x6xf32>) outs(%7 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.subf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<4x6x6xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<4x6x6xf32>, tensor<4x6x6xf32>) outs(%7 : tensor<4x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.mulf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<4x6x6xf32>
    %11 = tensor.empty() : tensor<f32>
    %12 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%11 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %21 = arith.sitofp %in : i32 to f32
      linalg.yield %21 : f32
    } -> tensor<f32>
    %13 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%12 : tensor<f32>) outs(%11 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.subf %cst, %in : f32
      linalg.yield %21 : f32
    } -> tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<4x6x6xf32>) outs(%1 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %out, %in : f32
      linalg.yield %21 : f32
    } -> tensor<4x6xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<4x6xf32>) outs(%3 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %16 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<f32>) outs(%3 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %16 : tensor<4x6x1xf32>, tensor<4x6x1xf32>) outs(%3 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.divf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<4x6x1xf32>
    %18 = tensor.empty() : tensor<i1>
    %19 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%13 : tensor<f32>) outs(%18 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %21 = arith.cmpf ogt, %in, %cst_2 : f32
      linalg.yield %21 : i1
    } -> tensor<i1>
    %20 = call @_where(%19, %17, %cst_0) : (tensor<i1>, tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6x1xf32>
    return %20 : tensor<4x6x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x6x1xf32>, %arg2: tensor<f32>) -> tensor<4x6x1xf32> {
    %0 = tensor.empty() : tensor<4x6x1xf32>
    %1 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x1xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1, %1 : tensor<4x6x1xf32>, tensor<4x6x1xf32>) outs(%0 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<4x6x1xf32>
    return %2 : tensor<4x6x1xf32>
  }
}

