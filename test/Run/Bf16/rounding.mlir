// Every op of a chain in bf16 rounds to the nearest, ties to even, and so does
// the processor's own instruction for it: the bits are those of the roundings
// that are written out, those of infinities and ties included.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --mesh=x=1 --options=target=avx512 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy
// DEFINE: %{expected} = --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --tolerance=0
// RUN: shard-run %s --mesh=x=1 --options=target=avx512-bf16 %{expected}
// RUN: shard-run %s --mesh=x=2 --options=target=avx512-bf16 %{expected}
// RUN: shard-run %s --mesh=x=4 --options=target=avx512-bf16 %{expected}
shardir.mesh @m <["x"=?]>

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<5x77xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %g: tensor<77xbf16>, %n: tensor<5x77xi8>)
    -> (tensor<5x77xbf16>, tensor<5x77xbf16>, tensor<5x77xi32>) {
  %e = tensor.empty() : tensor<5x77xbf16>
  %largest = arith.constant 3.39615137e+38 : f32
  %tie = arith.constant 1.00390625 : f32
  %chain = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %g : tensor<5x77xbf16>, tensor<77xbf16>) outs(%e : tensor<5x77xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %p = arith.mulf %a, %b : bf16
    %q = arith.addf %p, %b : bf16
    %r = math.exp %q : bf16
    %s = arith.divf %r, %a : bf16
    linalg.yield %s : bf16
  } -> tensor<5x77xbf16>
  // 0 to 7 times a number between two of bf16, and beyond the largest one.
  %ties = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<5x77xi8>) outs(%e : tensor<5x77xbf16>) {
  ^bb0(%a: i8, %o: bf16):
    %f = arith.sitofp %a : i8 to f32
    %t = arith.mulf %f, %tie : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<5x77xbf16>
  %ei = tensor.empty() : tensor<5x77xi32>
  %bits = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<5x77xi8>) outs(%ei : tensor<5x77xi32>) {
  ^bb0(%a: i8, %o: i32):
    %f = arith.sitofp %a : i8 to f32
    %one = arith.constant 1.0 : f32
    %c = arith.minimumf %f, %one : f32
    %t = arith.mulf %c, %largest : f32
    %r = arith.truncf %t : f32 to bf16
    %b = arith.bitcast %r : bf16 to i16
    %w = arith.extui %b : i16 to i32
    linalg.yield %w : i32
  } -> tensor<5x77xi32>
  return %chain, %ties, %bits : tensor<5x77xbf16>, tensor<5x77xbf16>, tensor<5x77xi32>
}
