// A few rows of bf16 times a matrix that is stored as it is multiplied: each part of
// columns packs what AMX reads and holds its sums through all blocks of k. Many rows
// times a few columns: AMX reads the rows where they lie. Elements are small
// integers, so that every sum is exact. Columns and terms that are no full tiles,
// results in bf16, results that are added to, a batch, and an epilogue.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --mesh=x=1 --options=target=avx512 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy --output=@%t.4.npy
// DEFINE: %{expected} = --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --expected_output=@%t.4.npy --tolerance=0
// RUN: %emulated_amx shard-run %s --mesh=x=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2 --options=target=avx512-amx %{expected}
// RUN: shard-opt %s --shardir-to-cpu="mesh=x=1 target=avx512-amx explain" -o /dev/null 2>&1 | FileCheck %s
// CHECK-DAG: 9x150x613 of bf16: bf16 tiles of AMX, 16x32 results in registers, blocks of {{.+}} and 224 of k, both operands packed by each block of columns
// CHECK-DAG: 5x150x613 of bf16: bf16 tiles of AMX, 16x32 {{.+}} packed by each block of columns
// CHECK-DAG: 37x150x613 of bf16: bf16 tiles of AMX, 32x32 {{.+}} packed by each block of columns
// CHECK-DAG: 3 of 20x96x613 of bf16: bf16 tiles of AMX, 32x32 {{.+}} packed by each block of columns
// CHECK-DAG: 320x40x64 of bf16: bf16 tiles of AMX, 32x32 {{.+}}, the right operand packed
shardir.mesh @m <["x"=?1]>
#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

func.func @main(%some: tensor<9x613xi8>, %few: tensor<5x613xi8>, %more: tensor<37x613xi8>,
                %w: tensor<613x150xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %start: tensor<37x150xi8>, %bias: tensor<150xi8>,
                %heads: tensor<3x20x613xi8>, %keys: tensor<3x613x96xi8>,
                %tall: tensor<320x64xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %narrow: tensor<64x40xi8>)
    -> (tensor<9x150xf32>, tensor<5x150xbf16>, tensor<37x150xf32>, tensor<3x20x96xf32>, tensor<320x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %zerob = arith.constant 0.0 : bf16
  %somef = arith.sitofp %some : tensor<9x613xi8> to tensor<9x613xbf16>
  %fewf = arith.sitofp %few : tensor<5x613xi8> to tensor<5x613xbf16>
  %moref = arith.sitofp %more : tensor<37x613xi8> to tensor<37x613xbf16>
  %wf = arith.sitofp %w : tensor<613x150xi8> to tensor<613x150xbf16>
  %startf = arith.sitofp %start : tensor<37x150xi8> to tensor<37x150xf32>
  %headsf = arith.sitofp %heads : tensor<3x20x613xi8> to tensor<3x20x613xbf16>
  %keysf = arith.sitofp %keys : tensor<3x613x96xi8> to tensor<3x613x96xbf16>
  %tallf = arith.sitofp %tall : tensor<320x64xi8> to tensor<320x64xbf16>
  %narrowf = arith.sitofp %narrow : tensor<64x40xi8> to tensor<64x40xbf16>
  // The bias is added to complete sums.
  %e0 = tensor.empty() : tensor<9x150xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<9x150xf32>) -> tensor<9x150xf32>
  %p0 = linalg.matmul ins(%somef, %wf : tensor<9x613xbf16>, tensor<613x150xbf16>) outs(%z0 : tensor<9x150xf32>) -> tensor<9x150xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p0, %bias : tensor<9x150xf32>, tensor<150xi8>) outs(%e0 : tensor<9x150xf32>) {
  ^bb0(%x: f32, %b: i8, %o: f32):
    %f = arith.sitofp %b : i8 to f32
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  } -> tensor<9x150xf32>
  // Rounded once.
  %e1 = tensor.empty() : tensor<5x150xbf16>
  %z1 = linalg.fill ins(%zerob : bf16) outs(%e1 : tensor<5x150xbf16>) -> tensor<5x150xbf16>
  %r1 = linalg.matmul ins(%fewf, %wf : tensor<5x613xbf16>, tensor<613x150xbf16>) outs(%z1 : tensor<5x150xbf16>) -> tensor<5x150xbf16>
  %r2 = linalg.matmul ins(%moref, %wf : tensor<37x613xbf16>, tensor<613x150xbf16>) outs(%startf : tensor<37x150xf32>) -> tensor<37x150xf32>
  %e3 = tensor.empty() : tensor<3x20x96xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3x20x96xf32>) -> tensor<3x20x96xf32>
  %r3 = linalg.batch_matmul ins(%headsf, %keysf : tensor<3x20x613xbf16>, tensor<3x613x96xbf16>) outs(%z3 : tensor<3x20x96xf32>) -> tensor<3x20x96xf32>
  %e4 = tensor.empty() : tensor<320x40xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<320x40xf32>) -> tensor<320x40xf32>
  %r4 = linalg.matmul ins(%tallf, %narrowf : tensor<320x64xbf16>, tensor<64x40xbf16>) outs(%z4 : tensor<320x40xf32>) -> tensor<320x40xf32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<9x150xf32>, tensor<5x150xbf16>, tensor<37x150xf32>, tensor<3x20x96xf32>, tensor<320x40xf32>
}
