// A program whose axis sizes are set after its collectives were planned computes
// what it does on one device, for sizes that divide nothing, for one device on
// an axis, and for more devices than rows.
// RUN: shard-run %s --mesh=x=1,y=1 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy
// RUN: shard-opt %s --shardir-to-collective -o %t.mlir
// DEFINE: %{expected} = --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --tolerance=0
// RUN: shard-run %t.mlir --mesh=x=1,y=1 %{expected}
// RUN: shard-run %t.mlir --mesh=x=2,y=2 %{expected}
// RUN: shard-run %t.mlir --mesh=x=3,y=1 %{expected}
// RUN: shard-run %t.mlir --mesh=x=1,y=4 %{expected}
// RUN: shard-run %t.mlir --mesh=x=7,y=2 %{expected}
// RUN: shard-opt %s --shardir-to-redistributed -o %t.redistributed.mlir
// RUN: shard-run %t.redistributed.mlir --mesh=x=3,y=2 %{expected}
shardir.mesh @m <["x"=?2, "y"=?2]>

func.func @main(%a: tensor<5x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<6x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<5x6xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
        tensor<5x6xi32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
        tensor<5x4xi32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>},
        tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["y"]>}) {
  %z = arith.constant dense<0> : tensor<5x4xi32>
  %m = arith.constant dense<-1> : tensor<5xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x6xi32>, tensor<6x4xi32>) outs(%z : tensor<5x4xi32>) -> tensor<5x4xi32>
  %1 = linalg.reduce { arith.maxsi } ins(%0 : tensor<5x4xi32>) outs(%m : tensor<5xi32>) dimensions = [1]
  return %a, %a, %0, %1 : tensor<5x6xi32>, tensor<5x6xi32>, tensor<5x4xi32>, tensor<5xi32>
}
