// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=2,b=3 a=3,b=1 a=4,b=2

// Matrix products with every dim sharded, alone and together, on meshes whose
// axes divide the dims, don't, are larger than them, or have size 1.
shardir.mesh @m <["a"=?, "b"=?]>

func.func @rows(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %y: tensor<5x6xf32>) -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.matmul ins(%x, %y : tensor<7x5xf32>, tensor<5x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

func.func @columns(%x: tensor<7x5xf32>,
                   %y: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b", "a"}]>})
    -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.matmul ins(%x, %y : tensor<7x5xf32>, tensor<5x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

func.func @contraction(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                       %y: tensor<10x6xf32>) -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.matmul ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

// Trap 10: the contraction dim in two orders of axes.
func.func @contraction_orders(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b"}]>},
                              %y: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>})
    -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.matmul ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

func.func @three_dims(%x: tensor<8x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                      %y: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>})
    -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = linalg.matmul ins(%x, %y : tensor<8x10xf32>, tensor<10x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}

// Trap 13: an init that isn't zero counts once, not once for each device.
func.func @init(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b"}]>},
                %y: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>},
                %z: tensor<7x6xf32>) -> tensor<7x6xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

func.func @init_sharded(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                        %y: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                        %z: tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<7x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b"}]>}) {
  %r = linalg.matmul ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

// A fill with something else than zero.
func.func @init_constant(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                         %y: tensor<10x6xf32>) -> tensor<7x6xf32> {
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%three : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.matmul ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

func.func @init_dense(%x: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                      %y: tensor<10x2xf32>) -> tensor<3x2xf32> {
  %z = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x10xf32>, tensor<10x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// Trap 15: relu needs the full sum, also inside of one op.
func.func @relu(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %y: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %p = linalg.matmul ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%p : tensor<7x6xf32>) outs(%e : tensor<7x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.maximumf %a, %zero : f32
    linalg.yield %c : f32
  } -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

// The combiner itself isn't linear: max(acc + x*y, 0) step by step.
func.func @relu_inside(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                       %y: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<7x10xf32>, tensor<10x6xf32>) outs(%z : tensor<7x6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    %c = arith.maximumf %s, %zero : f32
    linalg.yield %c : f32
  } -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

// Two products after another, column then row, and a bias that counts once.
func.func @chain(%x: tensor<5x4xf32>,
                 %w1: tensor<4x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                 %w2: tensor<9x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %bias: tensor<3xf32>) -> tensor<5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<5x9xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x9xf32>) -> tensor<5x9xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<5x4xf32>, tensor<4x9xf32>) outs(%z1 : tensor<5x9xf32>) -> tensor<5x9xf32>
  %e2 = tensor.empty() : tensor<5x3xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<5x3xf32>) -> tensor<5x3xf32>
  %p = linalg.matmul ins(%h, %w2 : tensor<5x9xf32>, tensor<9x3xf32>) outs(%z2 : tensor<5x3xf32>) -> tensor<5x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<5x3xf32>, tensor<3xf32>) outs(%e2 : tensor<5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

func.func @batch(%x: tensor<3x4x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}]>},
                 %y: tensor<3x5x2xf32>) -> tensor<3x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %r = linalg.batch_matmul ins(%x, %y : tensor<3x4x5xf32>, tensor<3x5x2xf32>) outs(%z : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

func.func @transposed(%x: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                      %y: tensor<6x5xf32>) -> tensor<7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x6xf32>) -> tensor<7x6xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<5x7xf32>, tensor<6x5xf32>) outs(%z : tensor<7x6xf32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}

func.func @vectors(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                   %y: tensor<10xf32>, %w: tensor<7xf32>) -> (tensor<7xf32>, tensor<10xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e7 = tensor.empty() : tensor<7xf32>
  %z7 = linalg.fill ins(%zero : f32) outs(%e7 : tensor<7xf32>) -> tensor<7xf32>
  %r = linalg.matvec ins(%x, %y : tensor<7x10xf32>, tensor<10xf32>) outs(%z7 : tensor<7xf32>) -> tensor<7xf32>
  %e10 = tensor.empty() : tensor<10xf32>
  %z10 = linalg.fill ins(%zero : f32) outs(%e10 : tensor<10xf32>) -> tensor<10xf32>
  %c = linalg.vecmat ins(%w, %x : tensor<7xf32>, tensor<7x10xf32>) outs(%z10 : tensor<10xf32>) -> tensor<10xf32>
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %d = linalg.dot ins(%r, %w : tensor<7xf32>, tensor<7xf32>) outs(%z0 : tensor<f32>) -> tensor<f32>
  return %r, %c, %d : tensor<7xf32>, tensor<10xf32>, tensor<f32>
}
