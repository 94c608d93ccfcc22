// RUN: %python %S/../Inputs/verify-all.py %s
// RUN: shard-run %s --function=ties --mesh=a=2,b=2 --output=- --output=- --input=2x7xi32=2,1,2,0,1,0,2,5,4,3,2,1,0,-1 | FileCheck %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3
// INPUTS ties: --input=2x7xi32=ramp
// INPUTS columns: --input=9x5xi32=ramp --input=9x5xf32=ramp
// INPUTS middle: --input=3x37x2xf32=ramp
// INPUTS one_dim: --input=21xi64=ramp
// INPUTS few: --input=5x1xf32=ramp
// INPUTS none: --input=5x0xf32
// INPUTS unknown: --input=5x11xf32=ramp
// INPUTS unknown: --input=5x1xf32=ramp
// INPUTS unknown: --input=5x0xf32
// INPUTS two_keys: --input=4x9xi32=ramp --input=4x9xi32=ramp
// INPUTS no_order: --input=2x7xf32=1,nan,0,nan,3,2,-1,nan,nan,1,0,2,nan,5
// UNSPECIFIED no_order: NaN has no place among numbers, and a network of a GPU permutes it otherwise than a merge sort.

// Sorts against the unsharded program: other dims split unevenly or not at all,
// equal keys, comparators that hold for equal keys too, few and no elements.
shardir.mesh @m <["a"=?, "b"=?]>

// Equal keys stay in their order though `>=` holds between them. Both tensors have
// one type, and buffers of their own.
// CHECK: 2x7xi32=[2 2 2 1 1 0 0][5 4 3 2 1 0 -1]
// CHECK: 2x7xi32=[0 2 6 1 4 3 5][0 1 2 3 4 5 6]
func.func @ties(%x: tensor<2x7xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> (tensor<2x7xi32>, tensor<2x7xi32>) {
  %e = tensor.empty() : tensor<2x7xi32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x7xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    linalg.yield %k : i32
  } -> tensor<2x7xi32>
  %0:2 = shardir.sort %x, %n : tensor<2x7xi32>, tensor<2x7xi32> dim = 1 {
  ^bb0(%a: i32, %b: i32, %i: i32, %j: i32):
    %1 = arith.cmpi sge, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<2x7xi32>, tensor<2x7xi32>
}

func.func @columns(%k: tensor<9x5xi32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %v: tensor<9x5xf32>) -> (tensor<9x5xi32>, tensor<9x5xf32>) {
  %0:2 = shardir.sort %k, %v : tensor<9x5xi32>, tensor<9x5xf32> dim = 0 {
  ^bb0(%a: i32, %b: i32, %c: f32, %d: f32):
    %1 = arith.cmpi slt, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<9x5xi32>, tensor<9x5xf32>
}

func.func @middle(%x: tensor<3x37x2xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}]>}) -> tensor<3x37x2xf32> {
  %0 = shardir.sort %x : tensor<3x37x2xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf ogt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<3x37x2xf32>
}

func.func @one_dim(%x: tensor<21xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<21xi64> {
  %0 = shardir.sort %x : tensor<21xi64> dim = 0 {
  ^bb0(%a: i64, %b: i64):
    %1 = arith.cmpi sle, %a, %b : i64
    shardir.yield %1 : i1
  }
  return %0 : tensor<21xi64>
}

func.func @few(%x: tensor<5x1xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x1xf32> {
  %0 = shardir.sort %x : tensor<5x1xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<5x1xf32>
}

func.func @none(%x: tensor<5x0xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<5x0xf32> {
  %0 = shardir.sort %x : tensor<5x0xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<5x0xf32>
}

func.func @unknown(%x: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<?x?xf32> {
  %0 = shardir.sort %x : tensor<?x?xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<?x?xf32>
}

func.func @two_keys(%k: tensor<4x9xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %l: tensor<4x9xi32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) -> (tensor<4x9xi32>, tensor<4x9xi32>) {
  %0:2 = shardir.sort %k, %l : tensor<4x9xi32>, tensor<4x9xi32> dim = 1 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %same = arith.cmpi eq, %a, %b : i32
    %then = arith.cmpi sgt, %c, %d : i32
    %both = arith.andi %same, %then : i1
    %1 = arith.ori %less, %both : i1
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<4x9xi32>, tensor<4x9xi32>
}

// NaN has no order: some permutation comes out, on each device the same one.
func.func @no_order(%x: tensor<2x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<2x7xf32> {
  %0 = shardir.sort %x : tensor<2x7xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf oge, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<2x7xf32>
}
