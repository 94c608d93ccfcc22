// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1
// INPUTS signed_max: --input=5x4xi32=-5,7,-1,3,-2,-9,-4,8,-3,-6,-7,-8,-1,-2,-3,-4,5,-6,7,-8 --expected_output=5xi32=7,8,-3,-1,7 --expected_output=4xi32=5,7,7,8
// INPUTS unsigned_max: --input=5x4xi8=-5,7,-1,3,2,9,4,8,-3,-6,-7,-8,1,2,3,4,5,6,7,100 --expected_output=5xi8=-1,9,-3,4,100 --expected_output=5xi8=3,2,-8,1,5
// INPUTS mean34: --input=3x4xf32=1,2,3,4,5,6,7,8,9,10,11,12 --expected_output=f32=6.5 --expected_output=4xf32=5,6,7,8 --expected_output=3xf32=2.5,6.5,10.5
// INPUTS mean14: --input=1x4xf32=1,2,3,6 --expected_output=f32=3 --expected_output=4xf32=1,2,3,6 --expected_output=1xf32=3
// INPUTS bits:
// INPUTS bits: --input=6x3xi32=-1,-2,-4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,-19
// INPUTS product: --input=7xf64=1,-2,3,-4,5,-6,7 --expected_output=f64=-5040
// INPUTS nan_max: --input=5xf32=1,nan,3,-2,-1 --expected_output=f32=nan --expected_output=f32=3

// Reductions over sharded dims: each has its own kind of partial, and uneven or
// empty shards must bring the identity of that kind and nothing else.
shardir.mesh @m <["a"=?, "b"=?]>

// Trap 14: max over a sharded dim, of numbers that may all be negative.
func.func @signed_max(%x: tensor<5x4xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<5xi32>, tensor<4xi32>) {
  %low = arith.constant -2147483648 : i32
  %e5 = tensor.empty() : tensor<5xi32>
  %z5 = linalg.fill ins(%low : i32) outs(%e5 : tensor<5xi32>) -> tensor<5xi32>
  %r = linalg.reduce ins(%x : tensor<5x4xi32>) outs(%z5 : tensor<5xi32>) dimensions = [1]
    (%a: i32, %acc: i32) { %s = arith.maxsi %a, %acc : i32 linalg.yield %s : i32 }
  %e4 = tensor.empty() : tensor<4xi32>
  %z4 = linalg.fill ins(%low : i32) outs(%e4 : tensor<4xi32>) -> tensor<4xi32>
  %c = linalg.reduce ins(%x : tensor<5x4xi32>) outs(%z4 : tensor<4xi32>) dimensions = [0]
    (%a: i32, %acc: i32) { %s = arith.maxsi %a, %acc : i32 linalg.yield %s : i32 }
  return %r, %c : tensor<5xi32>, tensor<4xi32>
}

func.func @unsigned_max(%x: tensor<5x4xi8> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>})
    -> (tensor<5xi8>, tensor<5xi8>) {
  %zero = arith.constant 0 : i8
  %ones = arith.constant -1 : i8
  %e5 = tensor.empty() : tensor<5xi8>
  %z5 = linalg.fill ins(%zero : i8) outs(%e5 : tensor<5xi8>) -> tensor<5xi8>
  %r = linalg.reduce ins(%x : tensor<5x4xi8>) outs(%z5 : tensor<5xi8>) dimensions = [1]
    (%a: i8, %acc: i8) { %s = arith.maxui %a, %acc : i8 linalg.yield %s : i8 }
  %m5 = linalg.fill ins(%ones : i8) outs(%e5 : tensor<5xi8>) -> tensor<5xi8>
  %c = linalg.reduce ins(%x : tensor<5x4xi8>) outs(%m5 : tensor<5xi8>) dimensions = [1]
    (%a: i8, %acc: i8) { %s = arith.minui %a, %acc : i8 linalg.yield %s : i8 }
  return %r, %c : tensor<5xi8>, tensor<5xi8>
}

// Trap 16: one op, two results, two kinds.
func.func @sum_and_max(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>})
    -> (tensor<7xf32>, tensor<7xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %s, %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x10xf32>) outs(%z, %l : tensor<7xf32>, tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s1 = arith.addf %a, %b : f32
    %m1 = arith.maximumf %a, %c : f32
    linalg.yield %s1, %m1 : f32, f32
  } -> (tensor<7xf32>, tensor<7xf32>)
  return %s, %m : tensor<7xf32>, tensor<7xf32>
}

// Results that read each other's accumulator cannot be combined apart.
func.func @coupled(%x: tensor<10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>})
    -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s, %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
      ins(%x : tensor<10xf32>) outs(%z, %z : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s1 = arith.addf %a, %b : f32
    %m1 = arith.addf %b, %c : f32
    linalg.yield %s1, %m1 : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %s, %m : tensor<f32>, tensor<f32>
}

// argmax: the value and its place together, the first of equal ones.
func.func @argmax(%x: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>})
    -> (tensor<5xf32>, tensor<5xi64>) {
  %zero = arith.constant 0 : i64
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5xf32>
  %ei = tensor.empty() : tensor<5xi64>
  %z = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %zi = linalg.fill ins(%zero : i64) outs(%ei : tensor<5xi64>) -> tensor<5xi64>
  %s, %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x10xf32>) outs(%z, %zi : tensor<5xf32>, tensor<5xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64):
    %i = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %gt = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %gt, %a, %b : f32
    %p = arith.select %gt, %i64, %c : i64
    linalg.yield %v, %p : f32, i64
  } -> (tensor<5xf32>, tensor<5xi64>)
  return %s, %m : tensor<5xf32>, tensor<5xi64>
}

// Trap 8: means over even, uneven and empty shards.
func.func @mean34(%x: tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<f32>, tensor<4xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %c12 = arith.constant 12.0 : f32
  %c3 = arith.constant 3.0 : f32
  %c4 = arith.constant 4.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s0 = linalg.reduce { arith.addf } ins(%x : tensor<3x4xf32>) outs(%z0 : tensor<f32>) dimensions = [0, 1]
  %m0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%s0 : tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %c12 : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %e4 = tensor.empty() : tensor<4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %s4 = linalg.reduce { arith.addf } ins(%x : tensor<3x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
  %m4 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s4 : tensor<4xf32>) outs(%e4 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %c3 : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %s3 = linalg.reduce { arith.addf } ins(%x : tensor<3x4xf32>) outs(%z3 : tensor<3xf32>) dimensions = [1]
  %m3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s3 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %c4 : f32
    linalg.yield %d : f32
  } -> tensor<3xf32>
  return %m0, %m4, %m3 : tensor<f32>, tensor<4xf32>, tensor<3xf32>
}

func.func @mean14(%x: tensor<1x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<f32>, tensor<4xf32>, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s0 = linalg.reduce { arith.addf } ins(%x : tensor<1x4xf32>) outs(%z0 : tensor<f32>) dimensions = [0, 1]
  %m0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%s0 : tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %c4 : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %e4 = tensor.empty() : tensor<4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %s4 = linalg.reduce { arith.addf } ins(%x : tensor<1x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
  %e1 = tensor.empty() : tensor<1xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %s1 = linalg.reduce { arith.addf } ins(%x : tensor<1x4xf32>) outs(%z1 : tensor<1xf32>) dimensions = [1]
  %m1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s1 : tensor<1xf32>) outs(%e1 : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %c4 : f32
    linalg.yield %d : f32
  } -> tensor<1xf32>
  return %m0, %s4, %m1 : tensor<f32>, tensor<4xf32>, tensor<1xf32>
}

func.func @bits(%x: tensor<6x3xi32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>})
    -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %zero = arith.constant 0 : i32
  %ones = arith.constant -1 : i32
  %e = tensor.empty() : tensor<3xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %o = linalg.fill ins(%ones : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %and = linalg.reduce { arith.andi } ins(%x : tensor<6x3xi32>) outs(%o : tensor<3xi32>) dimensions = [0]
  %or = linalg.reduce { arith.ori } ins(%x : tensor<6x3xi32>) outs(%z : tensor<3xi32>) dimensions = [0]
  %xor = linalg.reduce { arith.xori } ins(%x : tensor<6x3xi32>) outs(%z : tensor<3xi32>) dimensions = [0]
  %min = linalg.reduce { arith.minsi } ins(%x : tensor<6x3xi32>) outs(%z : tensor<3xi32>) dimensions = [0]
  return %and, %or, %xor, %min : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

func.func @product(%x: tensor<7xf64> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>}) -> tensor<f64> {
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<f64>
  %z = linalg.fill ins(%one : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce { arith.mulf } ins(%x : tensor<7xf64>) outs(%z : tensor<f64>) dimensions = [0]
  return %r : tensor<f64>
}

// maximumf passes NaN on, maxnumf ignores it.
func.func @nan_max(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> (tensor<f32>, tensor<f32>) {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<5xf32>) outs(%z : tensor<f32>) dimensions = [0]
  %n = linalg.reduce { arith.maxnumf } ins(%x : tensor<5xf32>) outs(%z : tensor<f32>) dimensions = [0]
  return %r, %n : tensor<f32>, tensor<f32>
}

// A sum that has a term twice, by subtraction: acc - x; and x - acc, which is
// no reduction that can be split.
func.func @differences(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.reduce ins(%x : tensor<7x5xf32>) outs(%z : tensor<5xf32>) dimensions = [0]
    (%a: f32, %acc: f32) { %s = arith.subf %acc, %a : f32 linalg.yield %s : f32 }
  %n = linalg.reduce ins(%x : tensor<7x5xf32>) outs(%z : tensor<5xf32>) dimensions = [0]
    (%a: f32, %acc: f32) { %s = arith.subf %a, %acc : f32 linalg.yield %s : f32 }
  return %r, %n : tensor<5xf32>, tensor<5xf32>
}

// A reduction that decays: acc / 2 + x depends on the order.
func.func @decay(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<5xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%half : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.reduce ins(%x : tensor<7x5xf32>) outs(%z : tensor<5xf32>) dimensions = [0]
    (%a: f32, %acc: f32) { %h = arith.mulf %acc, %half : f32 %s = arith.addf %h, %a : f32 linalg.yield %s : f32 }
  return %r : tensor<5xf32>
}

// A sum whose init is a partial sum over another axis, and terms that a scalar
// result of another reduction scales.
func.func @sum_of_sums(%x: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.reduce { arith.addf } ins(%x : tensor<6x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%c : tensor<4xf32>) outs(%z0 : tensor<f32>) dimensions = [0]
  %t = linalg.reduce { arith.addf } ins(%x : tensor<6x4xf32>) outs(%s : tensor<f32>) dimensions = [0, 1]
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%c, %s : tensor<4xf32>, tensor<f32>) outs(%t : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %p, %acc : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %q : tensor<f32>
}

// A count of what exceeds a limit: integers from floats, sums of bits.
func.func @count(%x: tensor<9x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<i32>, tensor<i1>) {
  %zero = arith.constant 0 : i32
  %false = arith.constant false
  %limit = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<i32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %eb = tensor.empty() : tensor<i1>
  %zb = linalg.fill ins(%false : i1) outs(%eb : tensor<i1>) -> tensor<i1>
  %r, %any = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>],
                             iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<9x4xf32>) outs(%z, %zb : tensor<i32>, tensor<i1>) {
  ^bb0(%a: f32, %acc: i32, %b: i1):
    %c = arith.cmpf ogt, %a, %limit : f32
    %i = arith.extui %c : i1 to i32
    %s = arith.addi %acc, %i : i32
    %o = arith.ori %b, %c : i1
    linalg.yield %s, %o : i32, i1
  } -> (tensor<i32>, tensor<i1>)
  return %r, %any : tensor<i32>, tensor<i1>
}
