// Extents of arguments that one op needs to be equal.
// RUN: shard-run %s --function=product --input=3x5xf32=1 --input=5x2xf32=1 --verify
// RUN: not shard-run %s --function=product --input=3x5xf32=1 --input=2x2xf32=1 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not shard-run %s --function=sum --input=3x4xf32=1 --input=3x5xf32=1 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not shard-run %s --function=number --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not shard-run %s --function=chain --input=4xf32=1 --input=4xf32=1 --input=6xf32=1 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: shard-opt %s --shardir-to-local | FileCheck %s
// PRODUCT: error: @product needs extents to be equal that are 2 in dim 0 of argument 1 and 5 in dim 1 of argument 0
// SUM: error: @sum needs extents to be equal that are 5 in dim 1 of argument 1 and 4 in dim 1 of argument 0
// NUMBER: error: @number needs extents to be equal that are 4 in dim 0 of argument 0 and 5 in its code
// CHAIN: error: @chain needs extents to be equal that are 6 in dim 0 of argument 2 and 4 in dim 0 of argument 0
// CHECK: func.func @product(%{{.+}}: tensor<3x?xf32>{{.*}}, %{{.+}}: tensor<?x2xf32> {shardir.extents = {{\[\[}}0, 1], unit], {{.*}}

shardir.mesh @m <["a"=2]>

func.func @product(%x: tensor<3x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %y: tensor<?x2xf32>) -> tensor<3x2xf32> {
  %z = arith.constant dense<0.0> : tensor<3x2xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x?xf32>, tensor<?x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @sum(%x: tensor<3x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, %y: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %r = arith.addf %x, %y : tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

func.func @number(%x: tensor<?xf32>) -> tensor<5xf32> {
  %r = tensor.cast %x : tensor<?xf32> to tensor<5xf32>
  return %r : tensor<5xf32>
}

// What is equal to a result is equal to what that was made of.
func.func @chain(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %y : tensor<?xf32>
  %1 = math.exp %0 : tensor<?xf32>
  %2 = arith.mulf %1, %z : tensor<?xf32>
  return %2 : tensor<?xf32>
}
