// RUN: shard-opt %s --shardir-to-collective | FileCheck %s
// RUN: shard-run %s --verify

// A slice reads, and an insertion writes in place, as much as the slice: a loop
// that updates one element after the other of something large is no reason to
// split it, and to reduce each element that is read.
shardir.mesh @m <["x"=4]>

// CHECK:     scf.for
// CHECK-NOT: collective.
// CHECK:     }
// CHECK:     collective.slice
func.func @main(%at: tensor<64xi32>, %u: tensor<64xf32>)
    -> (tensor<65536xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %most = arith.constant 65535 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %z) -> (tensor<65536xf32>) {
    %n = tensor.extract %at[%i] : tensor<64xi32>
    %k = arith.index_castui %n : i32 to index
    %j = arith.minui %k, %most : index
    %old = tensor.extract_slice %a[%j] [1] [1] : tensor<65536xf32> to tensor<1xf32>
    %own = tensor.extract_slice %u[%i] [1] [1] : tensor<64xf32> to tensor<1xf32>
    %new = arith.addf %old, %own : tensor<1xf32>
    %put = tensor.insert_slice %new into %a[%j] [1] [1] : tensor<1xf32> into tensor<65536xf32>
    scf.yield %put : tensor<65536xf32>
  }
  return %r : tensor<65536xf32>
}
