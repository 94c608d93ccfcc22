// Functions may be called like anything in the runtime or in libc.
// RUN: shard-run --compile-only --verify %s -o %t.so
// RUN: shard-run %t.so --function=malloc --verify --input=2xf32=0,0 --expected_output=2xf32=1,1
// RUN: shard-run %t.so --function=expf --verify --input=2xf32=0,0 --expected_output=2xf32=0,0
// RUN: shard-run %t.so --function=memcpy --verify --input=2000xf32=3 --expected_output=2000xf32=3
// RUN: shard-run %t.so --function=shardir_collective --verify --input=2xf32=1,2 --expected_output=2xf32=1,2
// RUN: shard-run %t.so "--function=a name" --verify --input=2xf32=1,2 --expected_output=2xf32=1,2

func.func @malloc(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = math.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @expf(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = math.sin %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @memcpy(%x: tensor<2000xf32>) -> tensor<2000xf32> {
  return %x : tensor<2000xf32>
}
func.func @shardir_collective(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @"a name"(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
