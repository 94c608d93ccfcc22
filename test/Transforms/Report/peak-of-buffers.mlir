// Of 512 devices with blocks of many sizes the first one needs most memory; with
// a halo it is one with neighbours on both sides.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/blocks.mlir --shardir-to-bufferized --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=BLOCKS
// RUN: shard-opt %t/halo.mlir --shardir-to-bufferized --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=HALO

// 13 x 126 elements of %a, 126 x 38 of %b, 13 x 38 of the result.
// BLOCKS: "peak_bytes_per_device": 27680
// 10 elements of %a, 33 of %k, 10 of the result, and twice 42, with 16 elements
// on both sides, in 192 bytes. The first device has none in front.
// HALO: "peak_bytes_per_device": 596

//--- blocks.mlir
shardir.mesh @m <["x"=8, "y"=8, "z"=8]>
func.func @main(%a: tensor<101x1003xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %b: tensor<1003x301xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"z"}]>})
    -> (tensor<101x301xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"z"}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<101x301xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<101x301xf32>) -> tensor<101x301xf32>
  %y = linalg.matmul ins(%a, %b : tensor<101x1003xf32>, tensor<1003x301xf32>) outs(%z : tensor<101x301xf32>) -> tensor<101x301xf32>
  return %y : tensor<101x301xf32>
}

//--- halo.mlir
shardir.mesh @m <["x"=100]>
func.func @main(%a: tensor<1000xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %k: tensor<33xf32>)
    -> (tensor<1000xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[16] high[16] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<1000xf32> to tensor<1032xf32>
  %e = tensor.empty() : tensor<1000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %y = linalg.conv_1d ins(%p, %k : tensor<1032xf32>, tensor<33xf32>) outs(%z : tensor<1000xf32>) -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}
