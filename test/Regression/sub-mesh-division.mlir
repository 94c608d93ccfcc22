// RUN: shard-run %s --verify --input=8xi32=9,8,7,6,5,4,3,2 --input=8xi32=1,2,3,1,2,3,1,2 | FileCheck %s

// Ranks 2 and 3 have no part in what is on ranks 0 and 1: they must not divide
// the zeros that they hold in its place.
// CHECK: result 0: 8xi32 equal to the unsharded program
shardir.mesh @a <["x"=2]>
shardir.mesh @b <["p"=2], devices = [2, 3]>
func.func @main(%x: tensor<8xi32> {shardir.placement = #shardir.placement<@a, [{"x"}]>},
                %y: tensor<8xi32> {shardir.placement = #shardir.placement<@a, [{"x"}]>})
    -> (tensor<8xi32> {shardir.placement = #shardir.placement<@b, [{"p"}]>}) {
  %0 = arith.divsi %x, %y : tensor<8xi32>
  return %0 : tensor<8xi32>
}
