// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1
// INPUTS sizes: --input=7x5xf32 --expected_output=i64=7 --expected_output=i64=5 --expected_output=7xi64=700,701,702,703,704,705,706
// INPUTS one_hot: --input=5xi64=0,3,6,-1,2
// INPUTS embedding: --input=10x3xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29 --input=5xi64=9,0,3,3,5 --expected_output=5x3xf32=27,28,29,0,1,2,9,10,11,9,10,11,15,16,17
// INPUTS wide: --input=7x5xi64 --expected_output=7x5xi64=0,4294967296,8589934592,12884901888,17179869184,21474836480,25769803776,30064771072,34359738368,38654705664,42949672960,47244640256,51539607552,55834574848,60129542144,64424509440,68719476736,73014444032,77309411328,81604378624,85899345920,90194313216,94489280512,98784247808,103079215104,107374182400,111669149696,115964116992,120259084288,124554051584,128849018880,133143986176,137438953472,141733920768,146028888064
// INPUTS scatter_add: --input=6xi64=0,2,2,4,0,2 --input=6x2xf32=1,2,3,4,5,6,7,8,9,10,11,12 --expected_output=5x2xf32=10,12,0,0,19,22,0,0,7,8

// Index-derived values use the global tensor's index: R9, traps 4, 6, 7, 12.
shardir.mesh @m <["a"=?, "b"=?]>

// Trap 7: a dropout mask hashed from the place in the global tensor.
func.func @dropout(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<7x10xf32> {
  %zero = arith.constant 0.0 : f32
  %ten = arith.constant 10 : i32
  %mul = arith.constant 2146121005 : i32
  %s15 = arith.constant 15 : i32
  %limit = arith.constant 1000000000 : i32
  %e = tensor.empty() : tensor<7x10xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x10xf32>) outs(%e : tensor<7x10xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %n0 = arith.muli %i32, %ten : i32
    %n1 = arith.addi %n0, %j32 : i32
    %h0 = arith.muli %n1, %mul : i32
    %h1 = arith.shrui %h0, %s15 : i32
    %h2 = arith.xori %h0, %h1 : i32
    %h3 = arith.muli %h2, %mul : i32
    %keep = arith.cmpi ugt, %h3, %limit : i32
    %d = arith.select %keep, %v, %zero : f32
    linalg.yield %d : f32
  } -> tensor<7x10xf32>
  return %r : tensor<7x10xf32>
}

// Trap 12: a size is the global tensor's.
func.func @sizes(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<i64>, tensor<i64>, tensor<7xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %hundred = arith.constant 100 : index
  %m = tensor.dim %x, %zero : tensor<7x5xf32>
  %n = tensor.dim %x, %one : tensor<7x5xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %tm = tensor.from_elements %m64 : tensor<i64>
  %tn = tensor.from_elements %n64 : tensor<i64>
  %e = tensor.empty() : tensor<7xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<7xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %h = arith.muli %m, %hundred : index
    %s = arith.addi %h, %i : index
    %v = arith.index_cast %s : index to i64
    linalg.yield %v : i64
  } -> tensor<7xi64>
  return %tm, %tn, %r : tensor<i64>, tensor<i64>, tensor<7xi64>
}

// Trap 6: numbers that 32 bits do not hold.
func.func @wide(%x: tensor<7x5xi64> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<7x5xi64> {
  %five = arith.constant 5 : i64
  %big = arith.constant 4294967296 : i64
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x5xi64>) outs(%x : tensor<7x5xi64>) {
  ^bb0(%v: i64, %o: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %n0 = arith.muli %i64, %five : i64
    %n1 = arith.addi %n0, %j64 : i64
    %n2 = arith.muli %n1, %big : i64
    linalg.yield %n2 : i64
  } -> tensor<7x5xi64>
  return %r : tensor<7x5xi64>
}

func.func @one_hot(%x: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>})
    -> (tensor<5x7xf32>, tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5xi64>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%v: i64, %o: f32):
    %j = linalg.index 1 : index
    %j64 = arith.index_cast %j : index to i64
    %same = arith.cmpi eq, %v, %j64 : i64
    %s = arith.select %same, %one, %zero : f32
    linalg.yield %s : f32
  } -> tensor<5x7xf32>
  return %r, %r : tensor<5x7xf32>, tensor<5x7xf32>
}

func.func @embedding(%table: tensor<10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                     %ids: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<5xi64>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%v: i64, %o: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %v : i64 to index
    %t = tensor.extract %table[%i, %j] : tensor<10x3xf32>
    linalg.yield %t : f32
  } -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

// Trap 4: a scatter-add as a product with a one-hot matrix that is never stored.
func.func @scatter_add(%ids: tensor<6xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>},
                       %x: tensor<6x2xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<5x2xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(v, n, d) -> (n)>, affine_map<(v, n, d) -> (n, d)>, affine_map<(v, n, d) -> (v, d)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%ids, %x : tensor<6xi64>, tensor<6x2xf32>) outs(%z : tensor<5x2xf32>) {
  ^bb0(%id: i64, %v: f32, %acc: f32):
    %row = linalg.index 0 : index
    %row64 = arith.index_cast %row : index to i64
    %same = arith.cmpi eq, %id, %row64 : i64
    %t = arith.select %same, %v, %zero : f32
    %s = arith.addf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

// Scatter-add as a loop of single updates of a carried tensor.
func.func @scatter_loop(%ids: tensor<6xi64> {shardir.placement = #shardir.placement<@m, [{"a"}]>},
                        %x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>},
                        %w: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %w) -> (tensor<8xf32>) {
    %id = tensor.extract %ids[%i] : tensor<6xi64>
    %at = arith.index_cast %id : i64 to index
    %v = tensor.extract %x[%i] : tensor<6xf32>
    %old = tensor.extract %acc[%at] : tensor<8xf32>
    %new = arith.addf %old, %v : f32
    %next = tensor.insert %new into %acc[%at] : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A prefix sum along a sharded dim, by a loop and by a triangular product.
func.func @cumulative(%x: tensor<7x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<7x3xf32>, tensor<7x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<7x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x3xf32>) -> tensor<7x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<7x3xf32>) outs(%z : tensor<7x3xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %in = arith.cmpi ule, %k, %i : index
    %s = arith.select %in, %v, %zero : f32
    %n = arith.addf %acc, %s : f32
    linalg.yield %n : f32
  } -> tensor<7x3xf32>
  %e3 = tensor.empty() : tensor<1x3xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %r, %last = scf.for %i = %c0 to %c7 step %c1 iter_args(%acc = %z, %sum = %z3) -> (tensor<7x3xf32>, tensor<1x3xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1] : tensor<7x3xf32> to tensor<1x3xf32>
    %n = arith.addf %sum, %row : tensor<1x3xf32>
    %next = tensor.insert_slice %n into %acc[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<7x3xf32>
    scf.yield %next, %n : tensor<7x3xf32>, tensor<1x3xf32>
  }
  return %t, %r : tensor<7x3xf32>, tensor<7x3xf32>
}

func.func @generate(%x: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>})
    -> (tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}, tensor<7xf32>) {
  %six = arith.constant 6 : index
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %x[%i] : tensor<7xf32>
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %v, %f : f32
    tensor.yield %s : f32
  } : tensor<7x10xf32>
  %r = tensor.generate {
  ^bb0(%i: index):
    %back = arith.subi %six, %i : index
    %v = tensor.extract %x[%back] : tensor<7xf32>
    tensor.yield %v : f32
  } : tensor<7xf32>
  return %g, %r : tensor<7x10xf32>, tensor<7xf32>
}

func.func @constants() -> (tensor<3x4xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>},
                           tensor<5xf64> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>},
                           tensor<4xi1> {shardir.placement = #shardir.placement<@m, [{"a"}]>},
                           tensor<2x2xbf16> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>},
                           tensor<3xindex> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %a = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [-9, 10, 11, -12]]> : tensor<3x4xi32>
  %b = arith.constant dense<[1.0, 2.0, -3.0, 4.0, 5.0]> : tensor<5xf64>
  %c = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %d = arith.constant dense<1.5> : tensor<2x2xbf16>
  %f = arith.constant dense<[7, 8, 9]> : tensor<3xindex>
  return %a, %b, %c, %d, %f : tensor<3x4xi32>, tensor<5xf64>, tensor<4xi1>, tensor<2x2xbf16>, tensor<3xindex>
}
