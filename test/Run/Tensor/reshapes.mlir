// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1

// Reshapes of sharded tensors, in both directions: several merges and splits in
// one op, an inner sharded factor, sizes that axes do not divide.
shardir.mesh @m <["a"=?, "b"=?]>

// [2d@x, 3, 32] -> [48d@x, 4]: a merge and a split of other factors.
func.func @regroup(%x: tensor<8x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>}) -> tensor<192x4xf32> {
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<8x3x32xf32> into tensor<768xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [192, 4] : tensor<768xf32> into tensor<192x4xf32>
  return %r : tensor<192x4xf32>
}

func.func @regroup_back(%x: tensor<192x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x3x32xf32> {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<192x4xf32> into tensor<768xf32>
  %r = tensor.expand_shape %f [[0, 1, 2]] output_shape [8, 3, 32] : tensor<768xf32> into tensor<8x3x32xf32>
  return %r : tensor<8x3x32xf32>
}

// [3x@a, 5, 7y@b, 9] -> [15x@a, 63y@b].
func.func @two_groups(%x: tensor<12x5x14x9xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}, {}]>})
    -> tensor<60x126xf32> {
  %r = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<12x5x14x9xf32> into tensor<60x126xf32>
  return %r : tensor<60x126xf32>
}

func.func @two_groups_back(%x: tensor<60x126xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> tensor<12x5x14x9xf32> {
  %r = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [12, 5, 14, 9] : tensor<60x126xf32> into tensor<12x5x14x9xf32>
  return %r : tensor<12x5x14x9xf32>
}

// [3, 5d@x] -> [15d]: the inner factor, so the shard is strided.
func.func @inner(%x: tensor<3x20xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<60xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<3x20xf32> into tensor<60xf32>
  return %r : tensor<60xf32>
}

// Trap 11: a split of a dim whose sharded part is not the first.
func.func @inner_back(%x: tensor<60xf32> {shardir.placement = #shardir.placement<@m, [{3, "a"}]>})
    -> (tensor<3x20xf32>, tensor<6x10xf32>, tensor<15x4xf32>, tensor<5x12xf32>) {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [3, 20] : tensor<60xf32> into tensor<3x20xf32>
  %s = tensor.expand_shape %x [[0, 1]] output_shape [6, 10] : tensor<60xf32> into tensor<6x10xf32>
  %t = tensor.expand_shape %x [[0, 1]] output_shape [15, 4] : tensor<60xf32> into tensor<15x4xf32>
  %u = tensor.expand_shape %x [[0, 1]] output_shape [5, 12] : tensor<60xf32> into tensor<5x12xf32>
  return %r, %s, %t, %u : tensor<3x20xf32>, tensor<6x10xf32>, tensor<15x4xf32>, tensor<5x12xf32>
}

func.func @middle(%x: tensor<2x12x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) -> (tensor<72xf32>, tensor<24x3xf32>) {
  %r = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x12x3xf32> into tensor<72xf32>
  %s = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x12x3xf32> into tensor<24x3xf32>
  return %r, %s : tensor<72xf32>, tensor<24x3xf32>
}

// 6 -> 3x2 over an axis that divides neither 3 nor, perhaps, 6.
func.func @uneven_split(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %s = tensor.expand_shape %x [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  return %r, %s : tensor<3x2xf32>, tensor<2x3xf32>
}

func.func @uneven_merge(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                        %y: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<20xf32>, tensor<35xf32>) {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
  %s = tensor.collapse_shape %y [[0, 1]] : tensor<5x7xf32> into tensor<35xf32>
  return %r, %s : tensor<20xf32>, tensor<35xf32>
}

func.func @both(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<24xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  return %r : tensor<24xf32>
}

func.func @both_back(%x: tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>}) -> (tensor<4x6xf32>, tensor<12x2xf32>, tensor<2x2x3x2xf32>) {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [4, 6] : tensor<24xf32> into tensor<4x6xf32>
  %s = tensor.expand_shape %x [[0, 1]] output_shape [12, 2] : tensor<24xf32> into tensor<12x2xf32>
  %t = tensor.expand_shape %x [[0, 1, 2, 3]] output_shape [2, 2, 3, 2] : tensor<24xf32> into tensor<2x2x3x2xf32>
  return %r, %s, %t : tensor<4x6xf32>, tensor<12x2xf32>, tensor<2x2x3x2xf32>
}

func.func @ones(%x: tensor<1x5x1xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>})
    -> (tensor<5xf32>, tensor<1x1x5x1xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}, {"a"}, {}]>}) {
  %r = tensor.collapse_shape %x [[0, 1, 2]] : tensor<1x5x1xf32> into tensor<5xf32>
  %s = tensor.expand_shape %r [[0, 1, 2, 3]] output_shape [1, 1, 5, 1] : tensor<5xf32> into tensor<1x1x5x1xf32>
  return %r, %s : tensor<5xf32>, tensor<1x1x5x1xf32>
}

func.func @to_scalar(%x: tensor<1x1xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<f32>, tensor<1x1x1xf32>) {
  %r = tensor.collapse_shape %x [] : tensor<1x1xf32> into tensor<f32>
  %s = tensor.expand_shape %r [] output_shape [1, 1, 1] : tensor<f32> into tensor<1x1x1xf32>
  return %r, %s : tensor<f32>, tensor<1x1x1xf32>
}

// The shape as an operand; known, and read from the tensor itself.
func.func @reshape_op(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> tensor<3x8xf32> {
  %shape = arith.constant dense<[3, 8]> : tensor<2xindex>
  %r = tensor.reshape %x(%shape) : (tensor<4x6xf32>, tensor<2xindex>) -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// A partial sum passes through a reshape.
func.func @partial(%x: tensor<6x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                   %y: tensor<10x4xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %p = linalg.matmul ins(%x, %y : tensor<6x10xf32>, tensor<10x4xf32>) outs(%z : tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
