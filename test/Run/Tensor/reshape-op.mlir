// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=2 a=4,b=1 a=1,b=3

// tensor.reshape to shapes that are known, in groups and across all dims.
shardir.mesh @m <["a"=?, "b"=?]>

func.func @regroup(%x: tensor<8x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {}]>}) -> tensor<192x4xf32> {
  %s = arith.constant dense<[192, 4]> : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<8x3x32xf32>, tensor<2xindex>) -> tensor<192x4xf32>
  return %r : tensor<192x4xf32>
}

func.func @two_groups(%x: tensor<12x5x14x9xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}, {}]>})
    -> tensor<60x126xf32> {
  %s = arith.constant dense<[60, 126]> : tensor<2xi32>
  %r = tensor.reshape %x(%s) : (tensor<12x5x14x9xf32>, tensor<2xi32>) -> tensor<60x126xf32>
  return %r : tensor<60x126xf32>
}

func.func @other_factors(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<6x4xf32> {
  %s = arith.constant dense<[6, 4]> : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<4x6xf32>, tensor<2xindex>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// 6 -> 3x2 over 2 devices, which the first factor does not divide into.
func.func @not_divided(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) -> tensor<3x2xf32> {
  %s = arith.constant dense<[3, 2]> : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<6xf32>, tensor<2xindex>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// The shape is known only at run time: replicated.
func.func @by_operand(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) -> tensor<8x3xf32> {
  %s = arith.constant dense<[8, 3]> : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<4x6xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  %k = tensor.cast %r : tensor<?x3xf32> to tensor<8x3xf32>
  return %k : tensor<8x3xf32>
}

func.func @units(%x: tensor<1x6x1xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) -> tensor<6x1x1x1xf32> {
  %s = arith.constant dense<[6, 1, 1, 1]> : tensor<4xindex>
  %r = tensor.reshape %x(%s) : (tensor<1x6x1xf32>, tensor<4xindex>) -> tensor<6x1x1x1xf32>
  return %r : tensor<6x1x1x1xf32>
}
