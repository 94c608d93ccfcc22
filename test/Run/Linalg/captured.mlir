// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3
// INPUTS take: --input=10x4xf32 --input=7xi32=9,0,3,3,5,-4,12
// INPUTS take_few: --input=3x4xf32 --input=7xi32=2,0,1,1,2,-1,4
// INPUTS take_along: --input=7x10xf32 --input=7xi64=9,0,3,3,5,8,1
// INPUTS bag: --input=10x4xf32 --input=7x3xi32=9,0,3,3,5,4,2,1,1,0,0,7,6,8,8,2,3,4,5,6,7
// INPUTS largest: --input=10x4xf32 --input=7x3xi32=9,0,3,3,5,4,2,1,1,0,0,7,6,8,8,2,3,4,5,6,7
// INPUTS twice: --input=10x4xf32 --input=7xi32=9,0,3,3,5,8,2
// INPUTS masked: --input=10x4xf32 --input=7xi32=9,0,3,3,5,8,2
// INPUTS partial: --input=4x10x3xf32 --input=7xi32=9,0,3,3,5,8,2

// Tensors that bodies read by index. Dims that are read at a loop's own index
// pass through; a dim that is read at an index from data is looked up where the
// read is all there is, else replicated.
shardir.mesh @m <["a"=?, "b"=?]>

#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#ij = affine_map<(i, j) -> (i, j)>

// As exporters write jnp.take: clamped, the table captured.
func.func @take(%t: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %p: tensor<7xi32>)
    -> tensor<7x4xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<7xi32>) outs(%e : tensor<7x4xf32>) {
  ^bb0(%at: i32, %o: f32):
    %n = arith.index_cast %at : i32 to index
    %low = arith.maxsi %n, %c0 : index
    %k = arith.minsi %low, %c9 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// Positions captured too; on 4 devices one holds no row.
func.func @take_few(%t: tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                    %p: tensor<7xi32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) -> tensor<7x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<7x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = tensor.extract %p[%i] : tensor<7xi32>
    %n = arith.index_cast %at : i32 to index
    %low = arith.maxsi %n, %c0 : index
    %k = arith.minsi %low, %c2 : index
    %v = tensor.extract %t[%k, %j] : tensor<3x4xf32>
    linalg.yield %v : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// Cross-entropy's pick: rows pass, the vocabulary is looked up.
func.func @take_along(%t: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}, %p: tensor<7xi64>)
    -> (tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"b"}]>}) {
  %e = tensor.empty() : tensor<7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p : tensor<7xi64>) outs(%e : tensor<7xf32>) {
  ^bb0(%at: i64, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %at : i64 to index
    %v = tensor.extract %t[%i, %k] : tensor<7x10xf32>
    linalg.yield %v : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// A bag: what is read is summed.
func.func @bag(%t: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %p: tensor<7x3xi32>)
    -> tensor<7x4xf32> {
  %one = arith.constant dense<1.0> : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p : tensor<7x3xi32>) outs(%one : tensor<7x4xf32>) {
  ^bb0(%at: i32, %o: f32):
    %k = arith.index_cast %at : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<10x4xf32>
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// The same by another kind.
func.func @largest(%t: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %p: tensor<7x3xi32>)
    -> tensor<7x4xf32> {
  %low = arith.constant dense<-0.5> : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p : tensor<7x3xi32>) outs(%low : tensor<7x4xf32>) {
  ^bb0(%at: i32, %o: f32):
    %k = arith.index_cast %at : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<10x4xf32>
    %s = arith.maximumf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// Read twice, and squared: replicated where the index is data.
func.func @twice(%t: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %p: tensor<7xi32>)
    -> tensor<7x4xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<7xi32>) outs(%e : tensor<7x4xf32>) {
  ^bb0(%at: i32, %o: f32):
    %k = arith.index_cast %at : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<10x4xf32>
    %w = tensor.extract %t[%c3, %j] : tensor<10x4xf32>
    %s = arith.mulf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// The body uses the captured element in more ways than as its result.
func.func @masked(%t: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %p: tensor<7xi32>)
    -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<7xi32>) outs(%e : tensor<7x4xf32>) {
  ^bb0(%at: i32, %o: f32):
    %k = arith.index_cast %at : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<10x4xf32>
    %large = arith.cmpf ogt, %v, %zero : f32
    %s = arith.select %large, %v, %zero : f32
    linalg.yield %s : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// Two dims of other extents than the loop: the loop's index is the global tensor's.
func.func @diagonal(%t: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}, tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %t[%i, %i] : tensor<6x6xf32>
    linalg.yield %v : f32
  } -> tensor<6xf32>
  %c2 = arith.constant 2 : index
  %e4 = tensor.empty() : tensor<4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = arith.addi %i, %c2 : index
    %v = tensor.extract %t[%i, %k] : tensor<6x6xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r, %q : tensor<6xf32>, tensor<4xf32>
}

// A concatenation as exporters write it: columns pass through both branches.
func.func @joined(%x: tensor<3x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                  %y: tensor<4x5xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) -> tensor<7x5xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<7x5xf32>
  %r = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<7x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %i, %c3 : index
    %v = scf.if %first -> (f32) {
      %a = tensor.extract %x[%i, %j] : tensor<3x5xf32>
      scf.yield %a : f32
    } else {
      %k = arith.subi %i, %c3 : index
      %b = tensor.extract %y[%k, %j] : tensor<4x5xf32>
      scf.yield %b : f32
    }
    linalg.yield %v : f32
  } -> tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

// A table of terms, read by index, over one axis and over another.
func.func @partial(%x: tensor<4x10x3xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>}, %p: tensor<7xi32>)
    -> tensor<7x3xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<10x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%et : tensor<10x3xf32>) -> tensor<10x3xf32>
  %t = linalg.reduce { arith.addf } ins(%x : tensor<4x10x3xf32>) outs(%z : tensor<10x3xf32>) dimensions = [0]
  %e = tensor.empty() : tensor<7x3xf32>
  %r = linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<7xi32>) outs(%e : tensor<7x3xf32>) {
  ^bb0(%at: i32, %o: f32):
    %k = arith.index_cast %at : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<10x3xf32>
    linalg.yield %v : f32
  } -> tensor<7x3xf32>
  return %r : tensor<7x3xf32>
}
