// A sum that is partial over half of an axis becomes one over all of it, and the
// other way round; every term counts once.
// RUN: shard-run %s --verify --input=3x8xf32=1,-2,3,4,-5,6,7,-8,9,10,-11,12,13,-14,15,16,-17,18,19,-20,21,22,-23,24 --tolerance=0 | FileCheck %s
// CHECK: result 0: 3xf32 equal
// CHECK: result 1: 3xf32 equal
// CHECK: result 2: 3xf32 equal
shardir.mesh @m <["x"=4, "y"=2]>

func.func @main(%x: tensor<3x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x":(1)2}]>})
    -> (tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
        tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x":(2)2]>},
        tensor<3xf32> {shardir.placement = #shardir.placement<@m, [{"x":(2)2}], partial = sum ["y"]>}) {
  %z = arith.constant dense<5.0> : tensor<3xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<3x8xf32>) outs(%z : tensor<3xf32>) dimensions = [1]
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{}], partial = sum ["x"]> : tensor<3xf32>
  %2 = shardir.constrain %0 to #shardir.placement<@m, [{}], partial = sum ["x", "y"]> : tensor<3xf32>
  return %1, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
