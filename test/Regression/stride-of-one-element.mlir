// RUN: shard-run %s --verify | FileCheck %s

// A slice of one element of rank 1 or 0, with strides that step over nothing:
// upstream told the dropped dim from the strides and crashed.
// CHECK: result 0: 1xf32 equal to the unsharded program
// CHECK: result 1: 1xf32 equal to the unsharded program
// CHECK: result 2: f32 equal to the unsharded program
// CHECK: result 3: 10x6xf32 equal to the unsharded program
shardir.mesh @m <["x"=2]>

func.func @main(%x: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %y: tensor<2x1xf32>, %z: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<10x6xf32>) {
  %a = tensor.extract_slice %x[6, 5] [1, 1] [3, 2] : tensor<10x6xf32> to tensor<1xf32>
  %b = tensor.extract_slice %y[1, 0] [1, 1] [1, 2] : tensor<2x1xf32> to tensor<1xf32>
  %c = tensor.extract_slice %x[9, 0] [1, 1] [2, 3] : tensor<10x6xf32> to tensor<f32>
  %d = tensor.insert_slice %z into %x[3, 2] [1, 1] [4, 2] : tensor<1xf32> into tensor<10x6xf32>
  return %a, %b, %c, %d : tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<10x6xf32>
}
