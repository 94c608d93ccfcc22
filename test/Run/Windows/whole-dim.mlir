// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2 x=3
// INPUTS main: --input=9x8xf32=ramp

// A slice of some rows and all columns, of which later ops read some: rows are split, columns are not.
shardir.mesh @m <["x"=?]>

func.func @main(%a: tensor<9x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<9x8xf32> to tensor<10x8xf32>
  %0 = tensor.extract_slice %p[0, 0] [8, 8] [1, 1] : tensor<10x8xf32> to tensor<8x8xf32>
  %1 = tensor.extract_slice %0[1, 1] [4, 4] [2, 2] : tensor<8x8xf32> to tensor<4x4xf32>
  %2 = tensor.extract_slice %0[1, 0] [4, 4] [2, 2] : tensor<8x8xf32> to tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}
