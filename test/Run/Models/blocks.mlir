// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1

// Blocks of networks, sharded along the dims that they reduce.
shardir.mesh @m <["a"=?, "b"=?]>

func.func private @softmax(%x: tensor<5x10xf32>) -> tensor<5x10xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5xf32>
  %e2 = tensor.empty() : tensor<5x10xf32>
  %zl = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<5x10xf32>) outs(%zl : tensor<5xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<5x10xf32>, tensor<5xf32>) outs(%e2 : tensor<5x10xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<5x10xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<5x10xf32>) outs(%z : tensor<5xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<5x10xf32>, tensor<5xf32>) outs(%e2 : tensor<5x10xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

func.func @softmax_rows(%x: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x10xf32> {
  %r = func.call @softmax(%x) : (tensor<5x10xf32>) -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

func.func @softmax_columns(%x: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) -> tensor<5x10xf32> {
  %r = func.call @softmax(%x) : (tensor<5x10xf32>) -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

func.func @softmax_op(%x: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) -> tensor<5x10xf32> {
  %e = tensor.empty() : tensor<5x10xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<5x10xf32>) outs(%e : tensor<5x10xf32>) -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

func.func @layer_norm(%x: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>},
                      %g: tensor<10xf32>, %b: tensor<10xf32>) -> tensor<5x10xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 10.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<5xf32>
  %e2 = tensor.empty() : tensor<5x10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x10xf32>) outs(%z, %z : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%a: f32, %u: f32, %v: f32):
    %q = arith.mulf %a, %a : f32
    %u1 = arith.addf %u, %a : f32
    %v1 = arith.addf %v, %q : f32
    linalg.yield %u1, %v1 : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s#0, %s#1, %g, %b : tensor<5x10xf32>, tensor<5xf32>, tensor<5xf32>, tensor<10xf32>, tensor<10xf32>) outs(%e2 : tensor<5x10xf32>) {
  ^bb0(%a: f32, %u: f32, %v: f32, %gg: f32, %bb: f32, %o: f32):
    %mean = arith.divf %u, %n : f32
    %sq = arith.divf %v, %n : f32
    %mm = arith.mulf %mean, %mean : f32
    %var = arith.subf %sq, %mm : f32
    %ve = arith.addf %var, %eps : f32
    %rs = math.rsqrt %ve : f32
    %d = arith.subf %a, %mean : f32
    %dn = arith.mulf %d, %rs : f32
    %ds = arith.mulf %dn, %gg : f32
    %y = arith.addf %ds, %bb : f32
    linalg.yield %y : f32
  } -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

// Causal attention with the fused qkv taken apart by a reshape and slices; three
// heads on two, three or four devices, or a weight cut across heads.
func.func @attention(%x: tensor<5x6xf32>, %w: tensor<6x18xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                     %o: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e9 : f32
  %scale = arith.constant 0.70710678 : f32
  %e0 = tensor.empty() : tensor<5x18xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x18xf32>) -> tensor<5x18xf32>
  %qkv = linalg.matmul ins(%x, %w : tensor<5x6xf32>, tensor<6x18xf32>) outs(%z0 : tensor<5x18xf32>) -> tensor<5x18xf32>
  %split = tensor.expand_shape %qkv [[0], [1, 2, 3]] output_shape [5, 3, 3, 2] : tensor<5x18xf32> into tensor<5x3x3x2xf32>
  %q = tensor.extract_slice %split[0, 0, 0, 0] [5, 1, 3, 2] [1, 1, 1, 1] : tensor<5x3x3x2xf32> to tensor<5x3x2xf32>
  %k = tensor.extract_slice %split[0, 1, 0, 0] [5, 1, 3, 2] [1, 1, 1, 1] : tensor<5x3x3x2xf32> to tensor<5x3x2xf32>
  %v = tensor.extract_slice %split[0, 2, 0, 0] [5, 1, 3, 2] [1, 1, 1, 1] : tensor<5x3x3x2xf32> to tensor<5x3x2xf32>
  %es = tensor.empty() : tensor<3x5x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x5x5xf32>) -> tensor<3x5x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (i, h, d)>, affine_map<(h, i, j, d) -> (j, h, d)>, affine_map<(h, i, j, d) -> (h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<5x3x2xf32>, tensor<5x3x2xf32>) outs(%zs : tensor<3x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %p : f32
    linalg.yield %n : f32
  } -> tensor<3x5x5xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x5x5xf32>) outs(%es : tensor<3x5x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi ule, %j, %i : index
    %t = arith.mulf %a, %scale : f32
    %r = arith.select %see, %t, %low : f32
    linalg.yield %r : f32
  } -> tensor<3x5x5xf32>
  %p = linalg.softmax dimension(2) ins(%masked : tensor<3x5x5xf32>) outs(%es : tensor<3x5x5xf32>) -> tensor<3x5x5xf32>
  %ec = tensor.empty() : tensor<5x3x2xf32>
  %zc = linalg.fill ins(%zero : f32) outs(%ec : tensor<5x3x2xf32>) -> tensor<5x3x2xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, j)>, affine_map<(h, i, j, d) -> (j, h, d)>, affine_map<(h, i, j, d) -> (i, h, d)>],
                       iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p, %v : tensor<3x5x5xf32>, tensor<5x3x2xf32>) outs(%zc : tensor<5x3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<5x3x2xf32>
  %flat = tensor.collapse_shape %c [[0], [1, 2]] : tensor<5x3x2xf32> into tensor<5x6xf32>
  %ey = tensor.empty() : tensor<5x6xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<5x6xf32>) -> tensor<5x6xf32>
  %y = linalg.matmul ins(%flat, %o : tensor<5x6xf32>, tensor<6x6xf32>) outs(%zy : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %y : tensor<5x6xf32>
}

// Cross-entropy over a sharded vocabulary: the target's logit is picked by index.
func.func @cross_entropy(%x: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}, %t: tensor<5xi64>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5xf32>
  %e0 = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %zl = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<5x10xf32>) outs(%zl : tensor<5xf32>) dimensions = [1]
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<5x10xf32>, tensor<5xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    %n = arith.addf %acc, %v : f32
    linalg.yield %n : f32
  } -> tensor<5xf32>
  %picked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %t : tensor<5x10xf32>, tensor<5xi64>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %id: i64, %acc: f32):
    %j = linalg.index 1 : index
    %j64 = arith.index_cast %j : index to i64
    %same = arith.cmpi eq, %id, %j64 : i64
    %v = arith.select %same, %a, %zero : f32
    %n = arith.addf %acc, %v : f32
    linalg.yield %n : f32
  } -> tensor<5xf32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%s, %m, %picked : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%z0 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %l = math.log %a : f32
    %lm = arith.addf %l, %b : f32
    %d = arith.subf %lm, %c : f32
    %n = arith.addf %acc, %d : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}

// Convolutions and pools along a sharded dim need neighbours.
func.func @convolution(%x: tensor<2x9x8x3xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}, {}, {}]>},
                       %k: tensor<3x3x3x4xf32>) -> (tensor<2x7x6x4xf32>, tensor<2x4x4x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x7x6x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x6x4xf32>) -> tensor<2x7x6x4xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<2x9x8x3xf32>, tensor<3x3x3x4xf32>) outs(%z : tensor<2x7x6x4xf32>) -> tensor<2x7x6x4xf32>
  %ep = tensor.empty() : tensor<2x4x4x3xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %zp = linalg.fill ins(%low : f32) outs(%ep : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
  %p = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x9x8x3xf32>, tensor<3x2xf32>) outs(%zp : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
  return %r, %p : tensor<2x7x6x4xf32>, tensor<2x4x4x3xf32>
}

// Data and tensor parallel with gradients: y = x w1 w2, both weights' gradients.
func.func @gradients(%x: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>},
                     %w1: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                     %w2: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %dy: tensor<6x3xf32>)
    -> (tensor<6x3xf32>, tensor<4x8xf32> {shardir.alias = 1 : i64}, tensor<8x3xf32> {shardir.alias = 2 : i64}, tensor<6x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<6x8xf32>
  %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<6x8xf32>) -> tensor<6x8xf32>
  %ey = tensor.empty() : tensor<6x3xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<6x3xf32>) -> tensor<6x3xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e2 = tensor.empty() : tensor<8x3xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x3xf32>) -> tensor<8x3xf32>
  %ex = tensor.empty() : tensor<6x4xf32>
  %zx = linalg.fill ins(%zero : f32) outs(%ex : tensor<6x4xf32>) -> tensor<6x4xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<6x4xf32>, tensor<4x8xf32>) outs(%zh : tensor<6x8xf32>) -> tensor<6x8xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<6x8xf32>, tensor<8x3xf32>) outs(%zy : tensor<6x3xf32>) -> tensor<6x3xf32>
  %dw2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%h, %dy : tensor<6x8xf32>, tensor<6x3xf32>) outs(%z2 : tensor<8x3xf32>) -> tensor<8x3xf32>
  %dh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%dy, %w2 : tensor<6x3xf32>, tensor<8x3xf32>) outs(%zh : tensor<6x8xf32>) -> tensor<6x8xf32>
  %dw1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %dh : tensor<6x4xf32>, tensor<6x8xf32>) outs(%z1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %dx = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%dh, %w1 : tensor<6x8xf32>, tensor<4x8xf32>) outs(%zx : tensor<6x4xf32>) -> tensor<6x4xf32>
  %n1 = arith.subf %w1, %dw1 : tensor<4x8xf32>
  %n2 = arith.subf %w2, %dw2 : tensor<8x3xf32>
  return %y, %n1, %n2, %dx : tensor<6x3xf32>, tensor<4x8xf32>, tensor<8x3xf32>, tensor<6x4xf32>
}
