// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3

// Complex numbers within a program: the runtime moves and adds their parts. An
// entry takes and returns the parts as floats.
shardir.mesh @m <["a"=?, "b"=?]>

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>

func.func private @join(%re: tensor<6x5xf32>, %im: tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>> {
  %e = tensor.empty() : tensor<6x5xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%re, %im : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xcomplex<f32>>) {
  ^bb0(%x: f32, %y: f32, %o: complex<f32>):
    %z = complex.create %x, %y : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<6x5xcomplex<f32>>
  return %r : tensor<6x5xcomplex<f32>>
}

func.func private @parts(%z: tensor<5xcomplex<f32>>) -> (tensor<5xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<5xf32>
  %r:2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%z : tensor<5xcomplex<f32>>) outs(%e, %e : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%x: complex<f32>, %o0: f32, %o1: f32):
    %re = complex.re %x : complex<f32>
    %im = complex.im %x : complex<f32>
    linalg.yield %re, %im : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
}

// Elementwise, constants, functions.
func.func @functions(%re: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %im: tensor<6x5xf32>)
    -> tensor<6x5xf32> {
  %z = func.call @join(%re, %im) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>>
  %k = arith.constant dense<(0.5, -1.5)> : tensor<6x5xcomplex<f32>>
  %e = tensor.empty() : tensor<6x5xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%z, %k : tensor<6x5xcomplex<f32>>, tensor<6x5xcomplex<f32>>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: f32):
    %one = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
    %0 = complex.mul %x, %y : complex<f32>
    %1 = complex.exp %0 : complex<f32>
    %2 = complex.sub %1, %one : complex<f32>
    %3 = complex.div %2, %y : complex<f32>
    %4 = complex.conj %3 : complex<f32>
    %5 = complex.sqrt %4 : complex<f32>
    %6 = complex.add %5, %x : complex<f32>
    %7 = complex.neg %6 : complex<f32>
    %8 = complex.abs %7 : complex<f32>
    %9 = complex.angle %7 : complex<f32>
    %s = arith.addf %8, %9 : f32
    linalg.yield %s : f32
  } -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

// Moved: gathered, transposed, and split the other way.
func.func @moved(%re: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %im: tensor<6x5xf32>)
    -> (tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %z = func.call @join(%re, %im) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>>
  %c = shardir.constrain %z to #shardir.placement<@m, [{}, {"a"}]> : tensor<6x5xcomplex<f32>>
  %e = tensor.empty() : tensor<5x6xf32>
  %r = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<6x5xcomplex<f32>>) outs(%e : tensor<5x6xf32>) {
  ^bb0(%x: complex<f32>, %o: f32):
    %a = complex.re %x : complex<f32>
    %b = complex.im %x : complex<f32>
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}

// A sum over a split dim whose initial value isn't zero; partial through linear ops.
func.func @summed(%re: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}, %im: tensor<6x5xf32>)
    -> (tensor<5xf32>, tensor<5xf32>) {
  %z = func.call @join(%re, %im) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>>
  %start = arith.constant dense<(2.0, 3.0)> : tensor<5xcomplex<f32>>
  %s = linalg.generic {indexing_maps = [#ji, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<6x5xcomplex<f32>>) outs(%start : tensor<5xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %o: complex<f32>):
    %0 = complex.add %o, %x : complex<f32>
    linalg.yield %0 : complex<f32>
  } -> tensor<5xcomplex<f32>>
  %e = tensor.empty() : tensor<5xcomplex<f32>>
  %t = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%s : tensor<5xcomplex<f32>>) outs(%e : tensor<5xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %o: complex<f32>):
    %k = complex.constant [0.0 : f32, 2.0 : f32] : complex<f32>
    %0 = complex.mul %x, %k : complex<f32>
    %1 = complex.conj %0 : complex<f32>
    linalg.yield %1 : complex<f32>
  } -> tensor<5xcomplex<f32>>
  %p:2 = func.call @parts(%t) : (tensor<5xcomplex<f32>>) -> (tensor<5xf32>, tensor<5xf32>)
  return %p#0, %p#1 : tensor<5xf32>, tensor<5xf32>
}

// A fill that isn't zero counts once, and a lookup among complex numbers.
func.func @picked(%re: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %im: tensor<6x5xf32>)
    -> (tensor<5xf32>, tensor<5xf32>) {
  %z = func.call @join(%re, %im) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>>
  %at = arith.constant dense<[[4]]> : tensor<1x1xindex>
  %g = tensor.gather %z[%at] gather_dims([0]) : (tensor<6x5xcomplex<f32>>, tensor<1x1xindex>) -> tensor<1x5xcomplex<f32>>
  %row = tensor.collapse_shape %g [[0, 1]] : tensor<1x5xcomplex<f32>> into tensor<5xcomplex<f32>>
  %p:2 = func.call @parts(%row) : (tensor<5xcomplex<f32>>) -> (tensor<5xf32>, tensor<5xf32>)
  return %p#0, %p#1 : tensor<5xf32>, tensor<5xf32>
}
