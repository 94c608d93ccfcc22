// RUN: shard-run %s --verify --input=3x2xf32=1,2,3,4,5,6 --expected_output=2xf32=9,12 | FileCheck %s

// A program without a mesh runs on one rank.
// CHECK: result 0: 2xf32 equal to the unsharded program
// CHECK: result 0: 2xf32 equal to 2xf32=9,12
func.func @main(%x: tensor<3x2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<3x2xf32>) outs(%z : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}
