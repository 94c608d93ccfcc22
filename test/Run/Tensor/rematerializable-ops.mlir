// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3

// Values without data of their own, by their users' placements; and those of the
// dialects whose values are replicated: shapes, globals, buffers.
shardir.mesh @m <["a"=?, "b"=?]>

ml_program.global private @weights(dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0], [13.0, 14.0, 15.0]]> : tensor<5x3xf32>) : tensor<5x3xf32>
ml_program.global private mutable @state(dense<0.5> : tensor<5x3xf32>) : tensor<5x3xf32>

// Trap 7: random numbers by the place in the global tensor.
func.func @random() -> (tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, tensor<3x5xf64> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %low = arith.constant -1.0 : f64
  %high = arith.constant 1.0 : f64
  %seed = arith.constant 42 : i32
  %e = tensor.empty() : tensor<7x10xf32>
  %r = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%e : tensor<7x10xf32>) -> tensor<7x10xf32>
  %d = tensor.empty() : tensor<3x5xf64>
  %s = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%d : tensor<3x5xf64>) -> tensor<3x5xf64>
  return %r, %s : tensor<7x10xf32>, tensor<3x5xf64>
}

// R9: the index of a generated element is the global tensor's.
func.func @generated() -> (tensor<7x10xi64> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) {
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.constant 100 : index
    %0 = arith.muli %i, %k : index
    %1 = arith.addi %0, %j : index
    %2 = arith.index_cast %1 : index to i64
    tensor.yield %2 : i64
  } : tensor<7x10xi64>
  return %r : tensor<7x10xi64>
}

func.func @global(%x: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %w = ml_program.global_load_const @weights : tensor<5x3xf32>
  %s = ml_program.global_load @state : tensor<5x3xf32>
  %0 = arith.mulf %w, %x : tensor<5x3xf32>
  %1 = arith.addf %0, %s : tensor<5x3xf32>
  ml_program.global_store @state = %1 : tensor<5x3xf32>
  %2 = ml_program.global_load @state : tensor<5x3xf32>
  %3 = arith.addf %2, %x : tensor<5x3xf32>
  return %1, %3 : tensor<5x3xf32>, tensor<5x3xf32>
}

func.func @allocated(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<7x10xf32>, tensor<7x10xf32>, tensor<7x10xf32>) {
  %a = bufferization.alloc_tensor() : tensor<7x10xf32>
  %e = linalg.map { math.exp } ins(%x : tensor<7x10xf32>) outs(%a : tensor<7x10xf32>)
  %c = bufferization.alloc_tensor() copy(%e) : tensor<7x10xf32>
  %d = tensor.empty() : tensor<7x10xf32>
  %n = arith.negf %c : tensor<7x10xf32>
  %m = bufferization.materialize_in_destination %n in %d : (tensor<7x10xf32>, tensor<7x10xf32>) -> tensor<7x10xf32>
  return %e, %c, %m : tensor<7x10xf32>, tensor<7x10xf32>, tensor<7x10xf32>
}

// A copy and a destination take terms.
func.func @partial(%x: tensor<4x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x10xf32>) outs(%z : tensor<10xf32>) dimensions = [0]
  %c = bufferization.alloc_tensor() copy(%s) : tensor<10xf32>
  %d = bufferization.alloc_tensor() : tensor<10xf32>
  %m = bufferization.materialize_in_destination %c in %d : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  return %m : tensor<10xf32>
}

// A tensor that passes through a buffer is replicated.
func.func @buffers(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<7x10xf32> {
  %n = arith.negf %x : tensor<7x10xf32>
  %b = bufferization.to_buffer %n : tensor<7x10xf32> to memref<7x10xf32>
  %t = bufferization.to_tensor %b restrict : memref<7x10xf32> to tensor<7x10xf32>
  return %t : tensor<7x10xf32>
}

// Trap 12: sizes and shapes are the global tensor's.
func.func @shapes(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<7x10xf32>, index, tensor<2xindex>, index) {
  %s = shape.shape_of %x : tensor<7x10xf32> -> tensor<2xindex>
  %k = shape.const_shape [7, 10] : tensor<2xindex>
  %b = shape.broadcast %s, %k : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
  %w = shape.cstr_broadcastable %s, %k : tensor<2xindex>, tensor<2xindex>
  %n = shape.num_elements %b : tensor<2xindex> -> index
  %a = shape.assuming %w -> (tensor<7x10xf32>) {
    %q = arith.addf %x, %x : tensor<7x10xf32>
    shape.assuming_yield %q : tensor<7x10xf32>
  }
  %rank = tensor.rank %x : tensor<7x10xf32>
  return %a, %n, %b, %rank : tensor<7x10xf32>, index, tensor<2xindex>, index
}

// A condition that is the same everywhere.
func.func @checked(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %n: index) -> tensor<7x10xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<7x10xf32>
  %c7 = arith.constant 7 : index
  %equal = arith.cmpi eq, %d, %c7 : index
  cf.assert %equal, "extents differ"
  %r = arith.negf %x : tensor<7x10xf32>
  return %r : tensor<7x10xf32>
}

// One condition for all, and one for each.
func.func @selected(%x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %y: tensor<7x10xf32>, %c: i1)
    -> (tensor<7x10xf32>, tensor<7x10xi32>) {
  %0 = arith.select %c, %x, %y : tensor<7x10xf32>
  %1 = arith.cmpf ogt, %0, %y : tensor<7x10xf32>
  %2 = arith.select %1, %0, %y : tensor<7x10xi1>, tensor<7x10xf32>
  %3 = arith.bitcast %2 : tensor<7x10xf32> to tensor<7x10xi32>
  return %2, %3 : tensor<7x10xf32>, tensor<7x10xi32>
}

// Extents that are known only at run time.
// INPUTS extents: --input=3x6xf32 --input=7x10xf32
func.func @extents(%t: tensor<?x6xf32>, %x: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (index, tensor<7x10xf32>) {
  %s = shape.shape_of %t : tensor<?x6xf32> -> tensor<2xindex>
  %n = shape.num_elements %s : tensor<2xindex> -> index
  %r = math.exp %x : tensor<7x10xf32>
  return %n, %r : index, tensor<7x10xf32>
}
