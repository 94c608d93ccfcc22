// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=1,b=3

// Products of complex numbers are real ones on each device, also of parts of their terms.
shardir.mesh @m <["a"=?, "b"=?]>

#ij = affine_map<(i, j) -> (i, j)>
#abc = affine_map<(i, j, k) -> (i, j, k)>

func.func private @join(%re: tensor<20x24xf32>, %im: tensor<20x24xf32>) -> tensor<20x24xcomplex<f32>> {
  %e = tensor.empty() : tensor<20x24xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%re, %im : tensor<20x24xf32>, tensor<20x24xf32>) outs(%e : tensor<20x24xcomplex<f32>>) {
  ^bb0(%x: f32, %y: f32, %o: complex<f32>):
    %z = complex.create %x, %y : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<20x24xcomplex<f32>>
  return %r : tensor<20x24xcomplex<f32>>
}

func.func private @parts(%z: tensor<20x20xcomplex<f32>>) -> (tensor<20x20xf32>, tensor<20x20xf32>) {
  %e = tensor.empty() : tensor<20x20xf32>
  %r:2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<20x20xcomplex<f32>>) outs(%e, %e : tensor<20x20xf32>, tensor<20x20xf32>) {
  ^bb0(%x: complex<f32>, %o0: f32, %o1: f32):
    %re = complex.re %x : complex<f32>
    %im = complex.im %x : complex<f32>
    linalg.yield %re, %im : f32, f32
  } -> (tensor<20x20xf32>, tensor<20x20xf32>)
  return %r#0, %r#1 : tensor<20x20xf32>, tensor<20x20xf32>
}

// The terms are split, and the sums start at other numbers than zero.
func.func @gram(%re: tensor<20x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %im: tensor<20x24xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>})
    -> (tensor<20x20xf32>, tensor<20x20xf32>) {
  %z = func.call @join(%re, %im) : (tensor<20x24xf32>, tensor<20x24xf32>) -> tensor<20x24xcomplex<f32>>
  %start = arith.constant dense<(2.0, -3.0)> : tensor<20x20xcomplex<f32>>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %z : tensor<20x24xcomplex<f32>>, tensor<20x24xcomplex<f32>>) outs(%start : tensor<20x20xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %s: complex<f32>):
    %c = complex.conj %y : complex<f32>
    %p = complex.mul %c, %x : complex<f32>
    %t = complex.add %p, %s : complex<f32>
    linalg.yield %t : complex<f32>
  } -> tensor<20x20xcomplex<f32>>
  %p:2 = func.call @parts(%g) : (tensor<20x20xcomplex<f32>>) -> (tensor<20x20xf32>, tensor<20x20xf32>)
  return %p#0, %p#1 : tensor<20x20xf32>, tensor<20x20xf32>
}

// The difference of the compiler's product and of one by parts: zero, for sums of integers.
// INPUTS difference: --input=20x24xf32=ramp --input=20x24xf32=ramp
func.func @difference(%re: tensor<20x24xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}, %im: tensor<20x24xf32>)
    -> (tensor<20x20xf32>, tensor<20x20xf32>) {
  %z = func.call @join(%re, %im) : (tensor<20x24xf32>, tensor<20x24xf32>) -> tensor<20x24xcomplex<f32>>
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x20xcomplex<f32>>
  %c = linalg.fill ins(%zero : complex<f32>) outs(%e : tensor<20x20xcomplex<f32>>) -> tensor<20x20xcomplex<f32>>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %z : tensor<20x24xcomplex<f32>>, tensor<20x24xcomplex<f32>>) outs(%c : tensor<20x20xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %s: complex<f32>):
    %p = complex.mul %x, %y : complex<f32>
    %t = complex.add %s, %p : complex<f32>
    linalg.yield %t : complex<f32>
  } -> tensor<20x20xcomplex<f32>>
  %p:2 = func.call @parts(%g) : (tensor<20x20xcomplex<f32>>) -> (tensor<20x20xf32>, tensor<20x20xf32>)
  %e0 = tensor.empty() : tensor<20x20xf32>
  %s0 = linalg.fill ins(%f0 : f32) outs(%e0 : tensor<20x20xf32>) -> tensor<20x20xf32>
  %q:2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                          affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%re, %im, %re, %im : tensor<20x24xf32>, tensor<20x24xf32>, tensor<20x24xf32>, tensor<20x24xf32>)
      outs(%s0, %s0 : tensor<20x20xf32>, tensor<20x20xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32, %y: f32, %s: f32, %t: f32):
    %ax = arith.mulf %a, %x : f32
    %by = arith.mulf %b, %y : f32
    %ay = arith.mulf %a, %y : f32
    %bx = arith.mulf %b, %x : f32
    %r = arith.subf %ax, %by : f32
    %i = arith.addf %ay, %bx : f32
    %u = arith.addf %s, %r : f32
    %v = arith.addf %t, %i : f32
    linalg.yield %u, %v : f32, f32
  } -> (tensor<20x20xf32>, tensor<20x20xf32>)
  %d:2 = linalg.generic {indexing_maps = [#ij, #ij, #ij, #ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p#0, %q#0, %p#1, %q#1 : tensor<20x20xf32>, tensor<20x20xf32>, tensor<20x20xf32>, tensor<20x20xf32>)
      outs(%e0, %e0 : tensor<20x20xf32>, tensor<20x20xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32, %y: f32, %s: f32, %t: f32):
    %r = arith.subf %a, %b : f32
    %i = arith.subf %x, %y : f32
    linalg.yield %r, %i : f32, f32
  } -> (tensor<20x20xf32>, tensor<20x20xf32>)
  return %d#0, %d#1 : tensor<20x20xf32>, tensor<20x20xf32>
}

// Through a loop, whose complex numbers are two tensors.
func.func @loop(%re: tensor<20x24xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}, %im: tensor<20x24xf32>)
    -> tensor<20x24xf32> {
  %z = func.call @join(%re, %im) : (tensor<20x24xf32>, tensor<20x24xf32>) -> tensor<20x24xcomplex<f32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<20x24xcomplex<f32>>
  %w = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %z) -> tensor<20x24xcomplex<f32>> {
    %n = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%v, %z : tensor<20x24xcomplex<f32>>, tensor<20x24xcomplex<f32>>) outs(%e : tensor<20x24xcomplex<f32>>) {
    ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>):
      %k = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
      %p = complex.mul %x, %k : complex<f32>
      %t = complex.add %p, %y : complex<f32>
      linalg.yield %t : complex<f32>
    } -> tensor<20x24xcomplex<f32>>
    scf.yield %n : tensor<20x24xcomplex<f32>>
  }
  %f = tensor.empty() : tensor<20x24xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x24xcomplex<f32>>) outs(%f : tensor<20x24xf32>) {
  ^bb0(%x: complex<f32>, %o: f32):
    %a = complex.re %x : complex<f32>
    %b = complex.im %x : complex<f32>
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<20x24xf32>
  return %r : tensor<20x24xf32>
}
