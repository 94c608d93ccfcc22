// RUN: %python %S/../Inputs/verify-all.py %s
// INPUTS partial_uses: --input=5x4xf32=1,-2,3,-1,2,3,-3,1,1,1,2,-2,-1,3,2,2,3,-2,1,1 --input=4x3xf32=1,2,3,-1,2,1,2,-2,1,3,1,-2 --input=5x3xf32=1,2,4,-1,2,8,-2,4,1,3,5,7,6,1,2
// INPUTS trap3: --input=4x3xi32=1,2,3,4,5,6,7,8,9,10,11,12 --expected_output=3xi32=22,26,30 --expected_output=3xi32=22,26,30
// INPUTS trap9: --input=5x3xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14 --expected_output=5x3xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14 --expected_output=5x3xi32=0,2,4,6,8,10,12,14,16,18,20,22,24,26,28

// Every spelling of a placement on arguments, results and in the middle.
shardir.mesh @m <["x"=2, "y"=2]>

// Trap 3: partial over two axes, then sharded over one and replicated over the other.
func.func @trap3(%x: tensor<4x3xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, tensor<3xi32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %c = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3xi32>
  %z = linalg.fill ins(%c : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %s = linalg.reduce { arith.addi } ins(%x : tensor<4x3xi32>) outs(%z : tensor<3xi32>) dimensions = [0]
  %p = shardir.constrain %s to #shardir.placement<@m, [{}], partial = sum ["x", "y"]> : tensor<3xi32>
  return %p, %p : tensor<3xi32>, tensor<3xi32>
}

// Trap 9: 5 rows twice over 2 are 2 + 1, 1 + 1.
func.func @trap9(%x: tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>})
    -> (tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %d = arith.addi %x, %x : tensor<5x3xi32>
  return %x, %d : tensor<5x3xi32>, tensor<5x3xi32>
}

// The whole array lies on the first device of each group, and comes back reduced.
func.func @partial_arguments(%a: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}], partial = sum ["x"]>},
                             %b: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = max ["x", "y"]>},
                             %c: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}], partial = minnum ["y"]>},
                             %d: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = prod ["y"]>},
                             %e: tensor<5x3xi8> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = umin ["y"]>},
                             %f: tensor<5x3xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}], partial = and ["y"]>},
                             %g: tensor<5x3xi1> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = xor ["y", "x"]>})
    -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xi8>, tensor<5x3xi8>, tensor<5x3xi1>) {
  return %a, %b, %c, %d, %e, %f, %g : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xi8>, tensor<5x3xi8>, tensor<5x3xi1>
}

func.func @partial_results(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %i: tensor<5x3xi32>)
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}], partial = maxnum ["x"]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}], partial = or ["y"]>},
        tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<5x3xf32>) outs(%z : tensor<3xf32>) dimensions = [0]
  return %x, %x, %i, %s : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xi32>, tensor<3xf32>
}

// Ops that a partial sum may pass, and ops that it must not.
func.func @partial_uses(%a: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                        %b: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %c: tensor<5x3xf32>)
    -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<5x3xf64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %p = linalg.matmul ins(%a, %b : tensor<5x4xf32>, tensor<4x3xf32>) outs(%z : tensor<5x3xf32>) -> tensor<5x3xf32>
  %neg = arith.negf %p : tensor<5x3xf32>
  %abs = math.absf %p : tensor<5x3xf32>
  %plus = arith.addf %p, %c : tensor<5x3xf32>
  %times = arith.mulf %p, %c : tensor<5x3xf32>
  %square = arith.mulf %p, %p : tensor<5x3xf32>
  %et = tensor.empty() : tensor<3x5xf32>
  %t = linalg.transpose ins(%p : tensor<5x3xf32>) outs(%et : tensor<3x5xf32>) permutation = [1, 0]
  %over = arith.divf %c, %p : tensor<5x3xf32>
  %ext = arith.extf %p : tensor<5x3xf32> to tensor<5x3xf64>
  return %neg, %abs, %plus, %times, %square, %t, %over, %ext : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<5x3xf64>
}

func.func @partial_integers(%a: tensor<5x6xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>})
    -> (tensor<5xi8>, tensor<5xi8>, tensor<5xi32>, tensor<5xi32>, tensor<5xi1>, tensor<5xf32>) {
  %zero = arith.constant 0 : i8
  %two = arith.constant dense<2> : tensor<5xi8>
  %e = tensor.empty() : tensor<5xi8>
  %z = linalg.fill ins(%zero : i8) outs(%e : tensor<5xi8>) -> tensor<5xi8>
  %s = linalg.reduce { arith.addi } ins(%a : tensor<5x6xi8>) outs(%z : tensor<5xi8>) dimensions = [1]
  %half = arith.divsi %s, %two : tensor<5xi8>
  %sext = arith.extsi %s : tensor<5xi8> to tensor<5xi32>
  %zext = arith.extui %s : tensor<5xi8> to tensor<5xi32>
  %odd = arith.trunci %s : tensor<5xi8> to tensor<5xi1>
  %f = arith.sitofp %s : tensor<5xi8> to tensor<5xf32>
  return %s, %half, %sext, %zext, %odd, %f : tensor<5xi8>, tensor<5xi8>, tensor<5xi32>, tensor<5xi32>, tensor<5xi1>, tensor<5xf32>
}

func.func @sugar(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), replicate]>},
                 %y: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(-1), shard(1)]>},
                 %z: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, placements = [partial(sum), shard(0)]>})
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(1), shard(0)]>}) {
  %a = arith.addf %x, %y : tensor<5x3xf32>
  %b = shardir.constrain %a to #shardir.placement<@m, placements = [replicate, partial(sum)]> : tensor<5x3xf32>
  %c = arith.addf %b, %z : tensor<5x3xf32>
  return %c : tensor<5x3xf32>
}

func.func @strided(%x: tensor<12x6xf32> {shardir.placement = #shardir.placement<@m, [{4, "x"}, {3, "y"}]>},
                   %y: tensor<12x6xf32> {shardir.placement = #shardir.placement<@m, [{"y", 3, "x"}, {}]>},
                   %w: tensor<12x6xf32> {shardir.placement = #shardir.placement<@m, [{"x", 4}, {}]>})
    -> (tensor<12x6xf32>, tensor<12xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = arith.addf %x, %y : tensor<12x6xf32>
  %t = arith.subf %s, %w : tensor<12x6xf32>
  %e = tensor.empty() : tensor<12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<12x6xf32>) outs(%z : tensor<12xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.muli %i, %j : index
    %n32 = arith.index_cast %n : index to i32
    %f = arith.sitofp %n32 : i32 to f32
    %m = arith.mulf %a, %f : f32
    %q = arith.addf %acc, %m : f32
    linalg.yield %q : f32
  } -> tensor<12xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %c = linalg.reduce { arith.addf } ins(%w : tensor<12x6xf32>) outs(%z6 : tensor<6xf32>) dimensions = [0]
  return %t, %r, %c : tensor<12x6xf32>, tensor<12xf32>, tensor<6xf32>
}

// A mesh, but not one annotation.
func.func @no_annotation(%x: tensor<7x5xf32>, %y: tensor<f32>) -> (tensor<7xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<7x5xf32>) outs(%z : tensor<7xf32>) dimensions = [1]
  return %r, %y : tensor<7xf32>, tensor<f32>
}

func.func @open_and_replicated(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", ?}, {?}p1], replicated = ["y"]>},
                               %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"y", ?}p0]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {?}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// C2: both operands want the one axis.
func.func @one_axis_twice(%x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                          %w: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x5xf32>) -> tensor<8x5xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %w : tensor<8x3xf32>, tensor<5x3xf32>) outs(%z : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %p : tensor<8x5xf32>
}
