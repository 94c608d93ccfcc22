// RUN: %python %S/../Inputs/verify-all.py %s
// RUN: shard-opt %s --shardir-to-collective="mesh=x=2,y=2 cost=bytes" | FileCheck %s
// MESHES: x=2,y=2 x=3,y=1 x=1,y=4 x=4,y=2
// INPUTS tokens: --input=0x3x2xi32=ramp
// INPUTS tokens: --input=1x3x2xi32=ramp
// INPUTS tokens: --input=5x3x2xi32=ramp
// INPUTS tokens: --input=9x3x2xi32=ramp
// INPUTS inner: --input=4x0xi32=ramp
// INPUTS inner: --input=4x1xi32=ramp
// INPUTS inner: --input=4x5xi32=ramp
// INPUTS inner: --input=4x9xi32=ramp
// INPUTS heads: --input=1x12xi32=ramp
// INPUTS heads: --input=5x12xi32=ramp
// INPUTS back: --input=0xi32=ramp
// INPUTS back: --input=4xi32=ramp
// INPUTS back: --input=20xi32=ramp
// INPUTS both_open: --input=3x0xi32=ramp
// INPUTS both_open: --input=5x4xi32=ramp
// INPUTS units: --input=3xi32=ramp --input=index=1
// INPUTS units: --input=15xi32=ramp --input=index=5

// Reshapes of dims whose extent is known only at run time.
shardir.mesh @m <["x"=?, "y"=?]>

// The batch, merged with the sequence: strided shards, and nothing moves.
// CHECK-LABEL: func.func @tokens
// CHECK-NOT:   collective.
// CHECK:       return
func.func @tokens(%a: tensor<?x3x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>})
    -> (tensor<?x3x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x3x2xi32>
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x3x2xi32> into tensor<?x2xi32>
  %1 = arith.addi %0, %0 : tensor<?x2xi32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%1 : tensor<?x2xi32>) {
  ^bb0(%v: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %s = arith.addi %v, %k : i32
    linalg.yield %s : i32
  } -> tensor<?x2xi32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [%n, 3, 2] : tensor<?x2xi32> into tensor<?x3x2xi32>
  return %3 : tensor<?x3x2xi32>
}

// The open dim is the minor one.
// CHECK-LABEL: func.func @inner
// CHECK-NOT:   collective.
// CHECK:       collective.all_reduce
// CHECK-NOT:   collective.
// CHECK:       return
func.func @inner(%a: tensor<4x?xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x?xi32> into tensor<?xi32>
  %e = tensor.empty() : tensor<i32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<?xi32>) outs(%z : tensor<i32>) {
  ^bb0(%v: i32, %o: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %t = arith.muli %v, %k : i32
    %u = arith.addi %t, %o : i32
    linalg.yield %u : i32
  } -> tensor<i32>
  return %s : tensor<i32>
}

// Heads out of columns, beside an open dim.
func.func @heads(%a: tensor<?x12xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> tensor<?x4x3xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x12xi32>
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 4, 3] : tensor<?x12xi32> into tensor<?x4x3xi32>
  %1 = arith.addi %0, %0 : tensor<?x4x3xi32>
  return %1 : tensor<?x4x3xi32>
}

// Blocks of the merged dim need not be blocks of rows: what moves is right.
func.func @back(%a: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<?x4xi32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %rows = arith.divui %n, %c4 : index
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [%rows, 4] : tensor<?xi32> into tensor<?x4xi32>
  %1 = arith.addi %0, %0 : tensor<?x4xi32>
  return %1 : tensor<?x4xi32>
}

// Of two open dims none is cut through a reshape.
func.func @both_open(%a: tensor<?x?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xi32>
  %m = tensor.dim %a, %c1 : tensor<?x?xi32>
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xi32> into tensor<?xi32>
  %1 = arith.addi %0, %0 : tensor<?xi32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%n, %m] : tensor<?xi32> into tensor<?x?xi32>
  return %2 : tensor<?x?xi32>
}

// Units that a user asks for, of an argument and of what the program makes.
func.func @units(%a: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x", 3}]>}, %n: index) -> (tensor<?xi32>, tensor<i32>) {
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %more = arith.muli %n, %c3 : index
  %g = tensor.generate %more {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i32
    tensor.yield %k : i32
  } : tensor<?xi32>
  %c = shardir.constrain %g to #shardir.placement<@m, [{"x", 3}]> : tensor<?xi32>
  %e = tensor.empty() : tensor<i32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %s = linalg.reduce ins(%c : tensor<?xi32>) outs(%z : tensor<i32>) dimensions = [0]
    (%p: i32, %q: i32) {
      %t = arith.addi %p, %q : i32
      linalg.yield %t : i32
    }
  %r = arith.addi %a, %a : tensor<?xi32>
  return %r, %s : tensor<?xi32>, tensor<i32>
}
