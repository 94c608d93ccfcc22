// A few rows of bf16 times the transpose of a matrix: AMX reads the matrix where it
// lies, without packing it. Elements are small integers, so that every sum is exact.
// One row, rows that are no full tile, two panels of rows, results in bf16, a
// batch, and results that are added to.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy --output=@%t.4.npy
// DEFINE: %{expected} = --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --expected_output=@%t.4.npy --tolerance=0
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512-bf16 %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=1,y=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2,y=2 --options=target=avx512-amx %{expected}
// RUN: shard-opt %s --shardir-to-cpu="mesh=x=1,y=1 target=avx512-amx explain" -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-5: bf16 tiles of AMX on the transposed product, 32x{{16|32}} results in registers
shardir.mesh @m <["x"=?1, "y"=?1]>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#weights = affine_map<(d0, d1, d2) -> (d1, d2)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#batchRows = affine_map<(b, d0, d1, d2) -> (b, d0, d2)>
#batchWeights = affine_map<(b, d0, d1, d2) -> (b, d1, d2)>
#batchResult = affine_map<(b, d0, d1, d2) -> (b, d0, d1)>

func.func @main(%one: tensor<1x160xi8>, %some: tensor<9x160xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %many: tensor<70x160xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %w: tensor<128x160xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
                %heads: tensor<3x20x64xi8>, %keys: tensor<3x96x64xi8>, %start: tensor<9x128xi8>)
    -> (tensor<1x128xf32>, tensor<9x128xf32>, tensor<70x128xbf16>, tensor<3x20x96xf32>, tensor<9x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %zerob = arith.constant 0.0 : bf16
  %onef = arith.sitofp %one : tensor<1x160xi8> to tensor<1x160xbf16>
  %somef = arith.sitofp %some : tensor<9x160xi8> to tensor<9x160xbf16>
  %manyf = arith.sitofp %many : tensor<70x160xi8> to tensor<70x160xbf16>
  %wf = arith.sitofp %w : tensor<128x160xi8> to tensor<128x160xbf16>
  %headsf = arith.sitofp %heads : tensor<3x20x64xi8> to tensor<3x20x64xbf16>
  %startf = arith.sitofp %start : tensor<9x128xi8> to tensor<9x128xf32>
  %keysf = arith.sitofp %keys : tensor<3x96x64xi8> to tensor<3x96x64xbf16>
  %e0 = tensor.empty() : tensor<1x128xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %r0 = linalg.generic {indexing_maps = [#rows, #weights, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%onef, %wf : tensor<1x160xbf16>, tensor<128x160xbf16>) outs(%z0 : tensor<1x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x128xf32>
  %e1 = tensor.empty() : tensor<9x128xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<9x128xf32>) -> tensor<9x128xf32>
  %r1 = linalg.generic {indexing_maps = [#rows, #weights, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%somef, %wf : tensor<9x160xbf16>, tensor<128x160xbf16>) outs(%z1 : tensor<9x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x128xf32>
  %e2 = tensor.empty() : tensor<70x128xbf16>
  %z2 = linalg.fill ins(%zerob : bf16) outs(%e2 : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %r2 = linalg.generic {indexing_maps = [#rows, #weights, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%manyf, %wf : tensor<70x160xbf16>, tensor<128x160xbf16>) outs(%z2 : tensor<70x128xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %p = arith.mulf %x, %y : bf16
    %s = arith.addf %o, %p : bf16
    linalg.yield %s : bf16
  } -> tensor<70x128xbf16>
  %e3 = tensor.empty() : tensor<3x20x96xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3x20x96xf32>) -> tensor<3x20x96xf32>
  %r3 = linalg.generic {indexing_maps = [#batchRows, #batchWeights, #batchResult], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%headsf, %keysf : tensor<3x20x64xbf16>, tensor<3x96x64xbf16>) outs(%z3 : tensor<3x20x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x20x96xf32>
  %r4 = linalg.generic {indexing_maps = [#rows, #weights, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%somef, %wf : tensor<9x160xbf16>, tensor<128x160xbf16>) outs(%startf : tensor<9x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x128xf32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<1x128xf32>, tensor<9x128xf32>, tensor<70x128xbf16>, tensor<3x20x96xf32>, tensor<9x128xf32>
}
