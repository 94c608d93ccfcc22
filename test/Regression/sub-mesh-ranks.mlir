// RUN: shard-run %s --verify | FileCheck %s

// The program has 4 ranks, the function's mesh one: the others have no part of
// its values and must not touch memory that they do not have.
// CHECK: result 0: 5x7xf32 equal to the unsharded program
shardir.mesh @one <["only"=1]>
shardir.mesh @sub <["big"=4]>
func.func @main(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@one, [{"only"}, {}]>}) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %t = linalg.transpose ins(%x : tensor<7x5xf32>) outs(%e : tensor<5x7xf32>) permutation = [1, 0]
  return %t : tensor<5x7xf32>
}
