// shardir: barriers, rows at places that are data, and sorts.

func.func @optimization_barrier(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = shardir.optimization_barrier %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @scatter_sum(%u: tensor<4x5xf32>, %a: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %i = arith.constant dense<[[4], [0], [4], [7]]> : tensor<4x1xi64>
  %0 = shardir.scatter ins(%u, %i : tensor<4x5xf32>, tensor<4x1xi64>) outs(%a : tensor<6x5xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<6x5xf32>
}

func.func @scatter_max(%u: tensor<4x5xf32>, %a: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %i = arith.constant dense<[[4], [0], [4], [-1]]> : tensor<4x1xi64>
  %0 = shardir.scatter ins(%u, %i : tensor<4x5xf32>, tensor<4x1xi64>) outs(%a : tensor<6x5xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.maximumf %new, %old : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<6x5xf32>
}

// The last row wins, so that rows are replicated.
func.func @scatter_set(%u: tensor<4x5xf32>, %i: tensor<4x1xindex> {validate.range = array<i64: 0, 5>}, %a: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<4x5xf32>, tensor<4x1xindex>) outs(%a : tensor<6x5xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    shardir.yield %new : f32
  }
  return %0 : tensor<6x5xf32>
}

func.func @scatter_two_dims(%u: tensor<7xi32>, %i: tensor<7x2xi32> {validate.range = array<i64: 0, 3>}, %a: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = shardir.scatter ins(%u, %i : tensor<7xi32>, tensor<7x2xi32>) outs(%a : tensor<4x6xi32>) index_dims = [1, 0] {
  ^bb0(%new: i32, %old: i32):
    %1 = arith.addi %old, %new : i32
    shardir.yield %1 : i32
  }
  return %0 : tensor<4x6xi32>
}

func.func @scatter_batch(%u: tensor<5x2x3xi32>, %i: tensor<5x2x1xi64> {validate.range = array<i64: 0, 3>}, %a: tensor<4x5x3xi32>) -> tensor<4x5x3xi32> {
  %0 = shardir.scatter ins(%u, %i : tensor<5x2x3xi32>, tensor<5x2x1xi64>) outs(%a : tensor<4x5x3xi32>) index_dims = [0] batch_dims = [1] unique {
  ^bb0(%new: i32, %old: i32):
    %1 = arith.muli %old, %new : i32
    shardir.yield %1 : i32
  }
  return %0 : tensor<4x5x3xi32>
}

// The scattered value is no function of the terms of both.
func.func @scatter_mean(%u: tensor<4x5xf32>, %a: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %i = arith.constant dense<[[4], [0], [4], [3]]> : tensor<4x1xi64>
  %half = arith.constant 0.5 : f32
  %0 = shardir.scatter ins(%u, %i : tensor<4x5xf32>, tensor<4x1xi64>) outs(%a : tensor<6x5xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    %2 = arith.mulf %1, %half : f32
    shardir.yield %2 : f32
  }
  return %0 : tensor<6x5xf32>
}

func.func @sort(%k: tensor<4x5x3xi32>, %v: tensor<4x5x3xf32>) -> (tensor<4x5x3xi32>, tensor<4x5x3xf32>) {
  %0:2 = shardir.sort %k, %v : tensor<4x5x3xi32>, tensor<4x5x3xf32> dim = 1 {
  ^bb0(%k0: i32, %k1: i32, %v0: f32, %v1: f32):
    %1 = arith.cmpi sge, %k0, %k1 : i32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<4x5x3xi32>, tensor<4x5x3xf32>
}
