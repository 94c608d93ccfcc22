// RUN: %python %S/Inputs/verify-all.py %s
// RUN: shard-run %s --function=skipped --mesh=a=2,b=2 --output=- --input=4x3xf32=0 --input=3x1xi32=2,3,-1 --input=3x2x3xf32=1 | FileCheck %s
// MESHES: a=2,b=2 a=3,b=1 a=1,b=3
// INPUTS embedding_gradient: --input=8x6xf32=ramp --input=3x5xi64=0,7,3,3,0,1,1,1,2,7,5,6,4,3,2 --input=3x5x6xf32=ramp
// INPUTS cumulative_sum: --input=7x5xf32=ramp
// INPUTS cumulative_product: --input=7x5xi32=ramp
// INPUTS largest: --input=5x7xf32=ramp
// INPUTS by_two_keys: --input=7x5xf32=ramp --input=7x5xi32=ramp
// INPUTS skipped: --input=4x3xf32=ramp --input=3x1xi32=2,3,-1 --input=3x2x3xf32=ramp

// Scatters, sorts and scans as torch-mlir and JAX leave them, against the unsharded
// program: uneven and empty shards, an axis of size 1.
shardir.mesh @m <["a"=?, "b"=?]>

// Data parallelism: a batch of positions is split, the weights are not.
func.func @embedding_gradient(%w: tensor<8x6xf32>, %i: tensor<3x5xi64> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                              %g: tensor<3x5x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}]>}) -> tensor<8x6xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x6xf32>
  %rows = tensor.collapse_shape %i [[0, 1]] : tensor<3x5xi64> into tensor<15xi64>
  %indices = tensor.expand_shape %rows [[0, 1]] output_shape [15, 1] : tensor<15xi64> into tensor<15x1xi64>
  %flat = tensor.collapse_shape %g [[0, 1], [2]] : tensor<3x5x6xf32> into tensor<15x6xf32>
  %updates = tensor.expand_shape %flat [[0], [1, 2]] output_shape [15, 1, 6] : tensor<15x6xf32> into tensor<15x1x6xf32>
  %0 = "tm_tensor.scatter"(%updates, %indices, %zero) <{dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
  ^bb0(%new: f32, %old: f32):
    %2 = arith.addf %old, %new : f32
    "tm_tensor.yield"(%2) : (f32) -> ()
  }) : (tensor<15x1x6xf32>, tensor<15x1xi64>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %1 = arith.subf %w, %0 : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

func.func @cumulative_sum(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> (tensor<7x5xf32>, tensor<7xf32>) {
  %out = tensor.empty() : tensor<7x5xf32>
  %total = tensor.empty() : tensor<7xf32>
  %0:2 = "tm_tensor.scan"(%x, %out, %total) <{dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    "tm_tensor.yield"(%1) : (f32) -> ()
  }) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7xf32>) -> (tensor<7x5xf32>, tensor<7xf32>)
  return %0#0, %0#1 : tensor<7x5xf32>, tensor<7xf32>
}

// Along the dim that is split.
func.func @cumulative_product(%x: tensor<7x5xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<7x5xi32> {
  %out = tensor.empty() : tensor<7x5xi32>
  %total = tensor.empty() : tensor<5xi32>
  %0:2 = "tm_tensor.scan"(%x, %out, %total) <{dimension = 0 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: i32, %b: i32):
    %1 = arith.muli %a, %b : i32
    "tm_tensor.yield"(%1) : (i32) -> ()
  }) : (tensor<7x5xi32>, tensor<7x5xi32>, tensor<5xi32>) -> (tensor<7x5xi32>, tensor<5xi32>)
  return %0#0 : tensor<7x5xi32>
}

func.func @largest(%x: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<5x3xf32> {
  %0 = "tm_tensor.sort"(%x) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%a: f32, %b: f32):
    %2 = arith.cmpf oge, %a, %b : f32
    "tm_tensor.yield"(%2) : (i1) -> ()
  }) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tensor.extract_slice %0[0, 0] [5, 3] [1, 1] : tensor<5x7xf32> to tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

func.func @by_two_keys(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %y: tensor<7x5xi32>) -> (tensor<7x5xf32>, tensor<7x5xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = arith.cmpf olt, %a, %b : tensor<f32>
    %2 = arith.cmpf oeq, %a, %b : tensor<f32>
    %3 = arith.cmpi slt, %c, %d : tensor<i32>
    %4 = arith.select %2, %3, %1 : tensor<i1>, tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<7x5xf32>, tensor<7x5xi32>) -> (tensor<7x5xf32>, tensor<7x5xi32>)
  return %0#0, %0#1 : tensor<7x5xf32>, tensor<7x5xi32>
}

// Windows of two rows: one that is partly out of bounds is skipped.
// CHECK: 4x3xf32=[0 0 0][0 0 0][1 1 1][1 1 1]
func.func @skipped(%x: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3x2x3xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %1 = arith.addf %old, %new : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<3x1xi32>, tensor<3x2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
