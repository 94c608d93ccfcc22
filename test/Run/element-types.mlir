// Every element type through files, arguments, gathers and results: 3 + 2 elements
// on two ranks, doubled where the type has sums on the CPU.
// RUN: shard-run --compile-only %s -o %t.so
// RUN: shard-run %t.so --function=of_i1 --input=5xi1=1,0,1,1,0 --expected_output=5xi1=1,0,1,1,0
// RUN: shard-run %t.so --function=of_i8 --input=5xi8=1,-2,3,4,5 --expected_output=5xi8=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_i16 --input=5xi16=1,-2,3,4,5 --expected_output=5xi16=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_i32 --input=5xi32=1,-2,3,4,5 --expected_output=5xi32=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_i64 --input=5xi64=1,-2,3,4,5 --expected_output=5xi64=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_index --input=5xindex=1,2,3,4,5 --expected_output=5xindex=2,4,6,8,10
// RUN: shard-run %t.so --function=of_f16 --input=5xf16=1,-2,3,4,5 --expected_output=5xf16=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_bf16 --input=5xbf16=1,-2,3,4,5 --expected_output=5xbf16=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_f32 --input=5xf32=1,-2,3,4,5 --expected_output=5xf32=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_f64 --input=5xf64=1,-2,3,4,5 --expected_output=5xf64=2,-4,6,8,10
// RUN: shard-run %t.so --function=of_f8E4M3FN --input=5xf8E4M3FN=1,-2,3,4,0.5 --expected_output=5xf8E4M3FN=1,-2,3,4,0.5
// RUN: shard-run %t.so --function=of_f8E5M2 --input=5xf8E5M2=1,-2,3,4,0.5 --expected_output=5xf8E5M2=1,-2,3,4,0.5

shardir.mesh @m <["x"=2]>
func.func @of_i1(%x: tensor<5xi1> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xi1> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  return %x : tensor<5xi1>
}
func.func @of_i8(%x: tensor<5xi8> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xi8> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addi %x, %x : tensor<5xi8>
  return %y : tensor<5xi8>
}
func.func @of_i16(%x: tensor<5xi16> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xi16> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addi %x, %x : tensor<5xi16>
  return %y : tensor<5xi16>
}
func.func @of_i32(%x: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addi %x, %x : tensor<5xi32>
  return %y : tensor<5xi32>
}
func.func @of_i64(%x: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addi %x, %x : tensor<5xi64>
  return %y : tensor<5xi64>
}
func.func @of_index(%x: tensor<5xindex> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xindex> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addi %x, %x : tensor<5xindex>
  return %y : tensor<5xindex>
}
func.func @of_f16(%x: tensor<5xf16> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf16> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addf %x, %x : tensor<5xf16>
  return %y : tensor<5xf16>
}
func.func @of_bf16(%x: tensor<5xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xbf16> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addf %x, %x : tensor<5xbf16>
  return %y : tensor<5xbf16>
}
func.func @of_f32(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addf %x, %x : tensor<5xf32>
  return %y : tensor<5xf32>
}
func.func @of_f64(%x: tensor<5xf64> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf64> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %y = arith.addf %x, %x : tensor<5xf64>
  return %y : tensor<5xf64>
}
func.func @of_f8E4M3FN(%x: tensor<5xf8E4M3FN> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf8E4M3FN> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  return %x : tensor<5xf8E4M3FN>
}
func.func @of_f8E5M2(%x: tensor<5xf8E5M2> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf8E5M2> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  return %x : tensor<5xf8E5M2>
}
