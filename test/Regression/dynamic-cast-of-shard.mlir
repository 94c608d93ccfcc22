// RUN: shard-run %s --verify | FileCheck %s

// An unknown size that is known from a cast: the global tensor's, not the shard's.
// CHECK: result 0: i64 equal to the unsharded program
shardir.mesh @m <["a"=2]>

func.func @main(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<i64> {
  %zero = arith.constant 0 : index
  %d = tensor.cast %x : tensor<7x5xf32> to tensor<?x?xf32>
  %m = tensor.dim %d, %zero : tensor<?x?xf32>
  %m64 = arith.index_cast %m : index to i64
  %t = tensor.from_elements %m64 : tensor<i64>
  return %t : tensor<i64>
}
