// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=1,b=3

// Convolutions of a tensor with zeros between its elements, as the gradients of strided ones' inputs are.
shardir.mesh @m <["a"=?, "b"=?]>

// Batch and features are split; a stride of three leaves one residue without an element of the filter.
func.func @gradient(%x: tensor<6x5x4x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}, {}]>},
                    %w: tensor<2x3x8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}, {"b"}]>}) -> tensor<6x14x9x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x15x11x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x15x11x8xf32>) -> tensor<6x15x11x8xf32>
  %d = tensor.insert_slice %x into %z[0, 1, 2, 0] [6, 5, 4, 8] [1, 3, 2, 1] : tensor<6x5x4x8xf32> into tensor<6x15x11x8xf32>
  %f = tensor.empty() : tensor<6x14x9x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<6x14x9x6xf32>) -> tensor<6x14x9x6xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%d, %w : tensor<6x15x11x8xf32>, tensor<2x3x8x6xf32>) outs(%i : tensor<6x14x9x6xf32>)
      -> tensor<6x14x9x6xf32>
  return %r : tensor<6x14x9x6xf32>
}

// Windows of one element, on sums that start at other numbers; the channels, along which is summed, are split.
func.func @single(%x: tensor<2x6x5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}, {}]>}, %w: tensor<4x6x1x1xf32>,
                  %i: tensor<2x4x10x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}, {}, {}]>}) -> tensor<2x4x10x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x10x10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x10x10xf32>) -> tensor<2x6x10x10xf32>
  %d = tensor.insert_slice %x into %z[0, 0, 0, 0] [2, 6, 5, 5] [1, 1, 2, 2] : tensor<2x6x5x5xf32> into tensor<2x6x10x10xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%d, %w : tensor<2x6x10x10xf32>, tensor<4x6x1x1xf32>) outs(%i : tensor<2x4x10x10xf32>)
      -> tensor<2x4x10x10xf32>
  return %r : tensor<2x4x10x10xf32>
}
