// RUN: shard-run %s --input=4xf64=1.00390625,1.0039062500000002,-1.0039062500000002,1e300 --expected_output=4xf32=1.0,1.0078125,-1.0078125,inf --expected_output=4xf32=1.00390625,1.00390625,-1.00390625,inf --function=main | FileCheck %s
// RUN: shard-run %s --input=4xf64=1.00048828125,1.0004882812500002,-65519.99999999999,nan --function=halves --expected_output=4xf32=1.0,1.0009765625,-65504.0,nan | FileCheck %s

// The first value lies halfway between two bf16 numbers, the second one just
// above: through f32 alone both would go to the even one.
// CHECK: result 0: 4xf32 equal to
func.func @main(%x: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %b = arith.truncf %x : tensor<4xf64> to tensor<4xbf16>
  %r = arith.extf %b : tensor<4xbf16> to tensor<4xf32>
  %h = arith.truncf %x : tensor<4xf64> to tensor<4xf16>
  %s = arith.extf %h : tensor<4xf16> to tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

func.func @halves(%x: tensor<4xf64>) -> tensor<4xf32> {
  %h = arith.truncf %x : tensor<4xf64> to tensor<4xf16>
  %s = arith.extf %h : tensor<4xf16> to tensor<4xf32>
  return %s : tensor<4xf32>
}
