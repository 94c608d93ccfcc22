// RUN: shard-run %s --verify --function=strided
// RUN: shard-run %s --verify --function=several
// RUN: shard-run %s --verify --function=uneven
// RUN: shard-run %s --verify --function=empty
// RUN: shard-run %s --verify --function=straddles
// RUN: shard-run %s --verify --function=one_axis_over_two_factors
// RUN: shard-run %s --verify --function=of_a_scalar

// Reshapes of sharded dims give what the unsharded program gives: strided,
// uneven and empty shards, and cuts that fit no factor.

shardir.mesh @m <["x"=2, "y"=3, "one"=1]>

// An inner factor, then back again.
func.func @strided(%a: tensor<3x4xi64> {shardir.placement = #shardir.placement<@m, [{"one"}, {"x"}]>}) -> (tensor<12xi64>, tensor<2x6xi64>) {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<3x4xi64> into tensor<12xi64>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 6] : tensor<12xi64> into tensor<2x6xi64>
  return %0, %1 : tensor<12xi64>, tensor<2x6xi64>
}

func.func @several(%a: tensor<3x5x6x7xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}, {}]>}) -> tensor<15x42xi64> {
  %0 = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<3x5x6x7xi64> into tensor<15x42xi64>
  return %0 : tensor<15x42xi64>
}

func.func @uneven(%a: tensor<5x4x3xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}]>}) -> (tensor<20x3xi64>, tensor<5x2x2x1x3xi64>) {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<5x4x3xi64> into tensor<20x3xi64>
  %1 = tensor.expand_shape %0 [[0, 1, 2, 3], [4]] output_shape [5, 2, 2, 1, 3] : tensor<20x3xi64> into tensor<5x2x2x1x3xi64>
  return %0, %1 : tensor<20x3xi64>, tensor<5x2x2x1x3xi64>
}

// Four rows on three devices are 2 + 2 + 0.
func.func @empty(%a: tensor<4x2xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> tensor<8xi64> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x2xi64> into tensor<8xi64>
  return %0 : tensor<8xi64>
}

func.func @straddles(%a: tensor<6xi64> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<3x2xi64> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 2] : tensor<6xi64> into tensor<3x2xi64>
  return %0 : tensor<3x2xi64>
}

func.func @one_axis_over_two_factors(%a: tensor<6xi64> {shardir.placement = #shardir.placement<@m, [{"y", "x"}]>}) -> tensor<3x2xi64> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 2] : tensor<6xi64> into tensor<3x2xi64>
  return %0 : tensor<3x2xi64>
}

// A scalar that is a sum over devices.
func.func @of_a_scalar(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<5xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %0 = tensor.expand_shape %sum [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %1 = tensor.concat dim(0) %0, %0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
