// RUN: %python %S/../Inputs/verify-all.py %s
// RUN: shard-run %s --function=floats --mesh=a=2,b=2 --output=- --output=- --input=19xf32=3,nan,-0,0,-inf,5,-1,0,-0,nan,2,inf,-3,3,-2,1e-40,-1e-40,7,-5 | FileCheck %s --check-prefix=FLOATS
// RUN: shard-run %s --function=descending --mesh=a=2,b=2 --output=- --output=- --input=19xf32=3,nan,-0,0,-inf,5,-1,0,-0,nan,2,inf,-3,3,-2,1e-40,-1e-40,7,-5 | FileCheck %s --check-prefix=DESCENDING
// RUN: shard-run %s --function=top --mesh=a=4,b=1 --output=- --output=- --input=2x18xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,4,-0,1,0,4,nan,3,3,2,2,1,1,nan,-0,4,-1,0,4 | FileCheck %s --check-prefix=TOP
// RUN: shard-run %s --function=unsigned --mesh=a=2,b=2 --output=- --input=18xi8=1,-1,2,-2,3,-3,4,-4,5,-5,6,-6,7,-7,8,-8,127,-128 | FileCheck %s --check-prefix=UNSIGNED
// RUN: shard-run %s --function=wide --mesh=a=2,b=2 --output=- --input=17xi64=1,-1,9223372036854775807,-9223372036854775808,256,65536,-256,4294967296,-4294967296,0,255,-255,65535,-65536,1099511627776,-1099511627776,1 | FileCheck %s --check-prefix=WIDE
// MESHES: a=2,b=2 a=3,b=1 a=1,b=3
// INPUTS floats: --input=19xf32=ramp
// INPUTS descending: --input=19xf32=ramp
// INPUTS top: --input=2x18xf32=ramp
// INPUTS unsigned: --input=18xi8=ramp
// INPUTS wide: --input=17xi64=ramp
// INPUTS rows: --input=5x33xbf16=ramp --input=5x33xf64=ramp
// INPUTS columns: --input=33x5x2xf64=ramp
// INPUTS one_more: --input=7x20xf32=ramp
// INPUTS two_keys: --input=5x24xf32=ramp --input=5x24xi32=ramp
// INPUTS unknown: --input=5x29xf16=ramp
// INPUTS unknown: --input=5x3xf16=ramp
// UNSPECIFIED floats: NaN has no place among numbers, and a network of a GPU permutes it otherwise.
// UNSPECIFIED descending: NaN has no place among numbers, and a network of a GPU permutes it otherwise.

// Sorts that compare one key, and those of which the first elements are read,
// against the unsharded program and against what they are.
shardir.mesh @m <["a"=?, "b"=?]>

// Zeros of both signs are equal and stay in their order; NaN is behind all.
// FLOATS:      19xf32=-inf -5 -3 -2 -1 -1e-40 -0 0 0 -0 1e-40 2 3 3 5 7 inf nan nan
// FLOATS-NEXT: 19xi64=4 18 12 14 6 16 2 3 7 8 15 10 0 13 5 17 11 1 9
func.func @floats(%x: tensor<19xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> (tensor<19xf32>, tensor<19xi64>) {
  %e = tensor.empty() : tensor<19xi64>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<19xi64>) {
  ^bb0(%out: i64):
    %j = linalg.index 0 : index
    %k = arith.index_cast %j : index to i64
    linalg.yield %k : i64
  } -> tensor<19xi64>
  %0:2 = shardir.sort %x, %n : tensor<19xf32>, tensor<19xi64> dim = 0 {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %1 = arith.cmpf ole, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<19xf32>, tensor<19xi64>
}

// DESCENDING:      19xf32=nan nan inf 7 5 3 3 2 1e-40 -0 0 0 -0 -1e-40 -1 -2 -3 -5 -inf
// DESCENDING-NEXT: 19xi64=1 9 11 17 5 0 13 10 15 2 3 7 8 16 6 14 12 18 4
func.func @descending(%x: tensor<19xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> (tensor<19xf32>, tensor<19xi64>) {
  %e = tensor.empty() : tensor<19xi64>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<19xi64>) {
  ^bb0(%out: i64):
    %j = linalg.index 0 : index
    %k = arith.index_cast %j : index to i64
    linalg.yield %k : i64
  } -> tensor<19xi64>
  %0:2 = shardir.sort %x, %n : tensor<19xf32>, tensor<19xi64> dim = 0 {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %1 = arith.cmpf olt, %b, %a : f32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<19xf32>, tensor<19xi64>
}

// More elements than a shard holds, of an order in which zeros differ.
// TOP:      2x7xf32=[18 17 16 15 14 13 12][nan nan 4 4 4 4 3]
// TOP-NEXT: 2x6xi32=[16 15 14 13 12 11][12 0 4 14 17 6]
func.func @top(%x: tensor<2x18xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> (tensor<2x7xf32>, tensor<2x6xi32>) {
  %least = arith.constant 0x7FFFFFFF : i32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x18xi32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x18xi32>) {
  ^bb0(%out: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    linalg.yield %k : i32
  } -> tensor<2x18xi32>
  %0:2 = shardir.sort %x, %n : tensor<2x18xf32>, tensor<2x18xi32> dim = 1 {
  ^bb0(%a: f32, %b: f32, %i: i32, %j: i32):
    %1 = arith.bitcast %a : f32 to i32
    %2 = arith.cmpi slt, %1, %zero : i32
    %3 = arith.subi %least, %1 : i32
    %4 = arith.select %2, %3, %1 : i32
    %5 = arith.bitcast %b : f32 to i32
    %6 = arith.cmpi slt, %5, %zero : i32
    %7 = arith.subi %least, %5 : i32
    %8 = arith.select %6, %7, %5 : i32
    %9 = arith.cmpi sgt, %4, %8 : i32
    shardir.yield %9 : i1
  }
  %1 = tensor.extract_slice %0#0[0, 0] [2, 7] [1, 1] : tensor<2x18xf32> to tensor<2x7xf32>
  %2 = tensor.extract_slice %0#1[0, 1] [2, 6] [1, 1] : tensor<2x18xi32> to tensor<2x6xi32>
  return %1, %2 : tensor<2x7xf32>, tensor<2x6xi32>
}

// UNSIGNED: 18xi8=1 2 3 4 5 6 7 8 127 -128 -8 -7 -6 -5 -4 -3 -2 -1
func.func @unsigned(%x: tensor<18xi8> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<18xi8> {
  %0 = shardir.sort %x : tensor<18xi8> dim = 0 {
  ^bb0(%a: i8, %b: i8):
    %1 = arith.cmpi ult, %a, %b : i8
    shardir.yield %1 : i1
  }
  return %0 : tensor<18xi8>
}

// WIDE: 17xi64=-9223372036854775808 -1099511627776 -4294967296 -65536 -256 -255 -1 0 1 1 255 256 65535 65536 4294967296 1099511627776 9223372036854775807
func.func @wide(%x: tensor<17xi64> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) -> tensor<17xi64> {
  %0 = shardir.sort %x : tensor<17xi64> dim = 0 {
  ^bb0(%a: i64, %b: i64):
    %1 = arith.cmpi slt, %a, %b : i64
    shardir.yield %1 : i1
  }
  return %0 : tensor<17xi64>
}

// A key that both sides compute of two tensors.
func.func @rows(%k: tensor<5x33xbf16> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %v: tensor<5x33xf64>) -> (tensor<5x33xbf16>, tensor<5x33xf64>) {
  %0:2 = shardir.sort %k, %v : tensor<5x33xbf16>, tensor<5x33xf64> dim = 1 {
  ^bb0(%a: bf16, %b: bf16, %c: f64, %d: f64):
    %1 = arith.extf %a : bf16 to f64
    %2 = arith.subf %1, %c : f64
    %3 = arith.extf %b : bf16 to f64
    %4 = arith.subf %3, %d : f64
    %5 = arith.cmpf ogt, %2, %4 : f64
    shardir.yield %5 : i1
  }
  return %0#0, %0#1 : tensor<5x33xbf16>, tensor<5x33xf64>
}

func.func @columns(%x: tensor<33x5x2xf64> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}, {}]>}) -> (tensor<4x5x2xf64>, tensor<3x2xf64>) {
  %0 = shardir.sort %x : tensor<33x5x2xf64> dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %1 = arith.cmpf olt, %a, %b : f64
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0[0, 0, 0] [4, 5, 2] [1, 1, 1] : tensor<33x5x2xf64> to tensor<4x5x2xf64>
  %2 = tensor.extract_slice %0[2, 1, 0] [1, 3, 2] [1, 1, 1] : tensor<33x5x2xf64> to tensor<3x2xf64>
  return %1, %2 : tensor<4x5x2xf64>, tensor<3x2xf64>
}

// Many first elements are sorted with all others.
func.func @one_more(%x: tensor<7x20xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<7x19xf32> {
  %0 = shardir.sort %x : tensor<7x20xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf ogt, %a, %b : f32
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0[0, 0] [7, 19] [1, 1] : tensor<7x20xf32> to tensor<7x19xf32>
  return %1 : tensor<7x19xf32>
}

// The first of a sort by two keys, one of which is dropped.
func.func @two_keys(%k: tensor<5x24xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %l: tensor<5x24xi32>) -> tensor<5x6xi32> {
  %0:2 = shardir.sort %k, %l : tensor<5x24xf32>, tensor<5x24xi32> dim = 1 {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %same = arith.cmpf oeq, %a, %b : f32
    %then = arith.cmpi sgt, %c, %d : i32
    %both = arith.andi %same, %then : i1
    %1 = arith.ori %less, %both : i1
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0#1[0, 0] [5, 6] [1, 1] : tensor<5x24xi32> to tensor<5x6xi32>
  return %1 : tensor<5x6xi32>
}

func.func @unknown(%x: tensor<?x?xf16> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<?x3xf16>, tensor<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf16>
  %0 = shardir.sort %x : tensor<?x?xf16> dim = 1 {
  ^bb0(%a: f16, %b: f16):
    %1 = arith.cmpf olt, %a, %b : f16
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0[0, 0] [%rows, 3] [1, 1] : tensor<?x?xf16> to tensor<?x3xf16>
  %2 = shardir.sort %x : tensor<?x?xf16> dim = 1 {
  ^bb0(%a: f16, %b: f16):
    %3 = arith.cmpf ogt, %a, %b : f16
    shardir.yield %3 : i1
  }
  return %1, %2 : tensor<?x3xf16>, tensor<?x?xf16>
}
